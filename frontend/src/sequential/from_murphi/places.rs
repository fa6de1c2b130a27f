//! Places, and arrays and records as a whole.

use super::build::{and, equal, int, not, or, read, when};
use super::lower::{Lower, Meaning, Result, Where};
use crate::murphi::program::{Base, Expr as Source, ExprKind as Kind, LocalId, Place, Step, TypeId, TypeKind, Types};
use crate::sequential::{Expr, ExprKind, Quantified, SortId, ValueKind, VariableId};
use crate::source::Span;

impl<'p> Lower<'p> {
    /// Whether two arrays or records are equal.
    pub(super) fn same(&mut self, left: &'p Source, right: &'p Source) -> Result<Expr> {
        if right.has_call() && !matches!(left.kind, Kind::Call(..)) {
            return self.refuse("a comparison of an array or record with the result of a function", right.span);
        }
        let a = self.whole(left)?;
        let b = self.whole(right)?;
        assert_eq!(a.of, b.of, "arrays and records of one type are compared");
        let leaves = self.leaves.of(self.program, a.of)?;
        let mut parts = Vec::new();
        for (number, leaf) in leaves.iter().enumerate() {
            let (names, own): (Vec<_>, Vec<_>) = leaf.dims.iter().map(|_| self.binder("i")).unzip();
            let at = |of: &Where| {
                let indices = of.indices.iter().chain(&own).cloned().collect();
                read(VariableId::from_index(of.first + number), indices)
            };
            let mut part = equal(at(&a), at(&b));
            // Between the sorts of a union are no elements.
            let mut outside = Vec::new();
            for (index, &dim) in own.iter().zip(&leaf.dims) {
                if !self.hull(dim).exact {
                    outside.push(not(self.is_in(index, dim)));
                }
            }
            outside.push(part);
            part = or(outside);
            for (name, &dim) in names.into_iter().zip(&leaf.dims).rev() {
                let sort = self.sort(dim, false)?;
                part = Expr::new(ExprKind::Forall(Box::new(Quantified { name, sort, body: part })), Span::NONE);
            }
            parts.push(part);
        }
        Ok(and(parts))
    }

    /// The place of an array or record.
    pub(super) fn whole(&mut self, expr: &'p Source) -> Result<Where> {
        match &expr.kind {
            Kind::Read(place) => self.place(place),
            Kind::Call(id, arguments) => match self.call_value(*id, arguments, expr)? {
                Meaning::Place(at) => Ok(at),
                _ => panic!("a result of several parts"),
            },
            Kind::Conditional(condition, a, b) if !self.is_pure => {
                let condition = self.scalar(condition)?;
                let condition = self.save(condition, Types::BOOLEAN)?;
                let to = self.declare_undefined("value", expr.of)?;
                let then = self.inner(|lower| lower.copy_whole(&to, a))?;
                let otherwise = self.inner(|lower| lower.copy_whole(&to, b))?;
                self.block.push(when(condition, then, otherwise));
                Ok(to)
            }
            _ => self.refuse("this array or record in a condition", expr.span),
        }
    }

    /// The place that a text names.
    pub(super) fn place(&mut self, place: &'p Place) -> Result<Where> {
        let mut at = match place.base {
            Base::Variable(id) => {
                let variable = self.program.variable(id);
                Where { first: self.first[id.index()], indices: Vec::new(), of: variable.of, may_miss: false }
            }
            Base::Local(id) => match &self.frame.locals[id.index()] {
                Meaning::Place(at) => at.clone(),
                _ => return self.refuse("a local of this kind in a condition", place.span),
            },
        };
        for step in &place.steps {
            match (step, self.program.types.kind(at.of)) {
                (Step::Field(field), TypeKind::Record(fields)) => {
                    at.first += self.leaves.field(self.program, at.of, *field)?;
                    at.of = fields[*field].of;
                }
                (Step::Index(index), TypeKind::Array { index: needed, element }) => {
                    if index.has_call() {
                        self.keep(&mut at)?;
                    }
                    let (value, is_partial) = self.raw(index)?;
                    let is_plain =
                        self.hull(*needed).exact && (!is_partial || !self.holds_undefined(index.of, *needed));
                    let value = if is_plain { value } else { self.settle(value, index.of, is_partial)? };
                    let value = if is_plain { value } else { self.fitted(value, index.of, *needed)? };
                    at.indices.push(value);
                    at.may_miss |= is_partial || !self.fits(index.of, *needed);
                    at.of = *element;
                }
                _ => return self.refuse("a multiset", place.span),
            }
        }
        assert_eq!(at.of, place.of, "the way to a part ends at its type");
        Ok(at)
    }

    /// Whether the value for `undefined` of one type is a value of another.
    fn holds_undefined(&self, of: TypeId, needed: TypeId) -> bool {
        let hull = self.hull(needed);
        self.sorts.undefined(self.program, of).is_ok_and(|code| hull.low <= code && code <= hull.high)
    }

    /// Keeps the indices of a place as they are now.
    pub(super) fn keep(&mut self, at: &mut Where) -> Result<()> {
        for (number, index) in at.indices.iter_mut().enumerate() {
            let of = self.out.variable(VariableId::from_index(at.first)).indices[number];
            let value = std::mem::replace(index, int(0));
            *index = self.keep_index(value, of)?;
        }
        Ok(())
    }

    /// Keeps an index of this sort, which may be outside of it.
    fn keep_index(&mut self, value: Expr, of: SortId) -> Result<Expr> {
        if self.is_pure || self.is_stable(&value) {
            return Ok(value);
        }
        let sort = match (&value.kind, self.out.kind_of(of)) {
            (ExprKind::Read(place), _) => self.out.variable(place.variable).sort,
            (ExprKind::Lookup(table, _), _) => self.out.table(*table).indices[0],
            (_, ValueKind::Member(whole)) => whole,
            (_, ValueKind::Integer) => self.sort(Types::INTEGER, false)?,
        };
        let id = self.declare("index", sort, Vec::new(), value);
        self.saved.insert(id);
        Ok(self.scalar_read(id))
    }

    /// A new binder for a local: its name and its value, which the local stands for from here on.
    pub(super) fn bound_local(&mut self, local: LocalId) -> (String, Expr) {
        let name = self.local_name(local);
        let (name, value) = self.binder(&name);
        self.frame.locals[local.index()] = Meaning::Value(value.clone(), false);
        (name, value)
    }
}
