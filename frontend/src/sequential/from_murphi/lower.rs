//! The state of a conversion: what locals stand for, the block that is written, and small steps that all parts share.

use rustc_hash::FxHashSet;

use super::build::{assign, binary, equal, int, is_safe, ite, local, lookup, not, parameter, place, read};
use super::layout::{Leaf, Leaves};
use super::sorts::{Hull, Sorts};
use super::{Names, Refused};
use crate::murphi::program::{Class, Local, ProcedureId, Program, TypeId, Types};
use crate::sequential::{BinaryOp, Expr, ExprKind, ParameterId, Sequential, SortId, Stmt, Variable, VariableId};
use crate::source::Span;

/// A place of the model: leaves of the process from a first one on, at these indices.
#[derive(Clone, Debug)]
pub(super) struct Where {
    pub(super) first: usize,
    pub(super) indices: Vec<Expr>,
    pub(super) of: TypeId,
    /// Whether an index may be outside of its type.
    pub(super) may_miss: bool,
}

/// The meaning of a local.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// Nothing yet.
    Nothing,
    /// A simple value, and whether it may be undefined.
    Value(Expr, bool),
    /// A place.
    Place(Where),
}

/// A body that calls are written into.
#[derive(Clone, Default, Debug)]
pub(super) struct Frame<'p> {
    pub(super) locals: Vec<Meaning>,
    /// The declarations of the locals.
    pub(super) own: &'p [Local],
    /// The type of the result and the leaves that take it.
    pub(super) result: Option<(TypeId, Option<Where>)>,
    /// The local that is 1 after a `return` before the end.
    pub(super) returned: Option<usize>,
}

/// A conversion in progress.
pub(super) struct Lower<'p> {
    pub(super) program: &'p Program,
    pub(super) out: Sequential,
    pub(super) names: Names,
    pub(super) sorts: Sorts,
    pub(super) leaves: Leaves,
    /// For each leaf of the state, whether it may be undefined.
    pub(super) partial: Vec<bool>,
    /// The first leaf of each variable.
    pub(super) first: Vec<usize>,
    pub(super) frame: Frame<'p>,
    /// The block that is written.
    pub(super) block: Vec<Stmt>,
    /// The names of the binders of the rule or property so far. Expressions name a binder by its position here, so that they mean the same
    /// below other binders; [`binders`](super::binders) gives them levels.
    pub(super) binders: Vec<String>,
    /// The product of the rounds of the `for` loops around the place.
    pub(super) rounds: usize,
    /// Whether statements cannot be written here.
    pub(super) is_pure: bool,
    /// Scalar locals that are certainly defined here, and those that ceased to be.
    pub(super) defined: FxHashSet<usize>,
    pub(super) lost: Vec<usize>,
    /// Scalar locals that keep their values as long as expressions may speak of them.
    pub(super) saved: FxHashSet<usize>,
    /// The procedures whose bodies are being written.
    pub(super) open: Vec<ProcedureId>,
    /// The nodes of expressions that functions may still become.
    pub(super) budget: usize,
    /// The construct that is converted, for messages.
    pub(super) span: Span,
}

pub(super) type Result<T> = std::result::Result<T, Refused>;

impl<'p> Lower<'p> {
    pub(super) fn refuse<T>(&self, what: impl Into<String>, span: Span) -> Result<T> {
        Err(Refused::new(what, if span == Span::NONE { self.span } else { span }))
    }

    pub(super) fn literal(&self, of: TypeId, code: i32) -> Expr {
        self.sorts.literal(self.program, of, code)
    }

    pub(super) fn undefined(&self, of: TypeId) -> Result<Expr> {
        Ok(self.literal(of, self.sorts.undefined(self.program, of)?))
    }

    pub(super) fn hull(&self, of: TypeId) -> Hull {
        self.sorts.hull(self.program, of)
    }

    pub(super) fn sort(&mut self, of: TypeId, is_partial: bool) -> Result<SortId> {
        self.sorts.sort(self.program, &mut self.out, &mut self.names, of, is_partial)
    }

    pub(super) fn interval(&mut self, hull: Hull) -> SortId {
        self.sorts.interval(&mut self.out, &mut self.names, hull, "")
    }

    /// A sort that holds every defined value of the class of a type.
    pub(super) fn wide(&mut self, of: TypeId) -> Result<SortId> {
        match (self.program.types.class(of), self.hull(of).of) {
            (Class::Names, Some(sort)) => Ok(sort),
            (Class::Integer, _) => self.sort(Types::INTEGER, false),
            _ => self.sort(of, false),
        }
    }

    pub(super) fn leaf_sort(&mut self, leaf: &Leaf, is_partial: bool) -> Result<(SortId, Vec<SortId>)> {
        let sort = self.sort(leaf.of, is_partial)?;
        let indices = leaf.dims.iter().map(|&dim| self.sort(dim, false)).collect::<Result<_>>()?;
        Ok((sort, indices))
    }

    /// Declares a local of the body with a value in all elements.
    pub(super) fn declare(&mut self, name: &str, sort: SortId, indices: Vec<SortId>, value: Expr) -> usize {
        assert!(!self.is_pure, "statements can be written");
        let name = self.names.fresh(&[&name.replace('.', "_")]);
        let made = Variable { is_uniform: false, ..Variable::new(name, sort, indices, Span::NONE) };
        let id = self.out.add_local(made);
        self.block.push(local(id, value));
        id.index()
    }

    /// Declares a local of the model, all of it undefined.
    pub(super) fn declare_undefined(&mut self, name: &str, of: TypeId) -> Result<Where> {
        let leaves = self.leaves.of(self.program, of)?;
        let first = self.out.variables.len() + self.out.locals.len();
        for leaf in leaves.iter() {
            let (sort, indices) = self.leaf_sort(leaf, true)?;
            let value = self.undefined(leaf.of)?;
            self.declare(&format!("{name}{}", leaf.suffix), sort, indices, value);
        }
        Ok(Where { first, indices: Vec::new(), of, may_miss: false })
    }

    /// The value of an expression, kept in a local unless it stays what it is.
    pub(super) fn save(&mut self, value: Expr, of: TypeId) -> Result<Expr> {
        if self.is_pure || self.is_stable(&value) {
            return Ok(value);
        }
        let sort = self.wide(of)?;
        let id = self.declare("value", sort, Vec::new(), value);
        self.saved.insert(id);
        self.defined.insert(id);
        Ok(self.scalar_read(id))
    }

    /// As [`Lower::save`] for a value that may be undefined.
    pub(super) fn save_raw(&mut self, value: Expr, of: TypeId, is_partial: bool) -> Result<Expr> {
        if !is_partial || self.is_pure || self.is_stable(&value) {
            return self.save(value, of);
        }
        let sort = self.sort(of, true)?;
        let id = self.declare("value", sort, Vec::new(), value);
        self.saved.insert(id);
        Ok(self.scalar_read(id))
    }

    pub(super) fn is_stable(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Int(_) | ExprKind::Member(..) | ExprKind::Parameter(_) => true,
            ExprKind::Read(place) => place.indices.is_empty() && self.saved.contains(&place.variable.index()),
            _ => false,
        }
    }

    pub(super) fn scalar_read(&self, id: usize) -> Expr {
        read(VariableId::from_index(id), Vec::new())
    }

    /// A new binder: its name, which no other has, and its value.
    pub(super) fn binder(&mut self, name: &str) -> (String, Expr) {
        let name = self.names.fresh(&[name]);
        let id = ParameterId::from_index(self.binders.len());
        self.binders.push(name.clone());
        (name, parameter(id))
    }

    /// The value of a leaf, and whether it may be undefined.
    pub(super) fn read_leaf(&self, at: &Where) -> (Expr, bool) {
        let id = VariableId::from_index(at.first);
        debug_assert_eq!(at.indices.len(), self.out.variable(id).indices.len(), "a leaf is read at all of its indices");
        let value = read(id, at.indices.clone());
        let is_partial = match self.partial.get(at.first) {
            Some(&partial) => partial,
            None => !(at.indices.is_empty() && self.defined.contains(&at.first)),
        };
        (value, is_partial)
    }

    pub(super) fn assign_leaf(&mut self, at: &Where, value: Expr) {
        let id = VariableId::from_index(at.first);
        debug_assert_eq!(
            at.indices.len(),
            self.out.variable(id).indices.len(),
            "a leaf is written at all of its indices"
        );
        self.block.push(assign(place(id, at.indices.clone()), value));
    }

    /// A value that faults outside of a type.
    pub(super) fn checked(&mut self, value: Expr, of: TypeId) -> Result<Expr> {
        let hull = self.hull(of);
        let sort = self.sort(of, false)?;
        let table = self.sorts.identity(&mut self.out, &mut self.names, sort).filter(|_| hull.exact);
        if let Some(table) = table {
            return Ok(lookup(table, vec![value]));
        }
        let value = self.save(value, of)?;
        let is_member = self.is_in(&value, of);
        let fault = self.fault(of)?;
        Ok(ite(is_member, value, fault))
    }

    /// Whether a value is one of a type.
    pub(super) fn is_in(&mut self, value: &Expr, of: TypeId) -> Expr {
        let runs = self.sorts.runs(self.program, of);
        let Some(whole) = self.hull(of).of else {
            let [(low, high)] = runs[..] else { panic!("integers are one run") };
            let least = binary(BinaryOp::LessEqual, int(low), value.clone());
            return super::build::and(vec![least, binary(BinaryOp::LessEqual, value.clone(), int(high))]);
        };
        // A table names no value of the type, and is kept by all permutations that keep the type.
        let name = &self.program.types.list[of.index()].name;
        let name = if name.is_empty() { "member" } else { name };
        let table = self.sorts.members(&mut self.out, &mut self.names, whole, &runs, name);
        equal(lookup(table, vec![value.clone()]), int(1))
    }

    /// An expression of a type that faults.
    pub(super) fn fault(&self, of: TypeId) -> Result<Expr> {
        let condition = equal(binary(BinaryOp::Divide, int(1), int(0)), int(0));
        if self.program.types.class(of) == Class::Boolean {
            return Ok(condition);
        }
        let least = self.literal(of, self.hull(of).low);
        Ok(ite(condition, least.clone(), least))
    }

    /// Whether every value of one type is one of another.
    pub(super) fn fits(&self, from: TypeId, to: TypeId) -> bool {
        let values = |of: TypeId| self.program.types.values(of);
        values(from)
            .iter()
            .all(|run| values(to).iter().any(|other| other.start() <= run.start() && run.end() <= other.end()))
    }

    /// A defined value of one type as one of another; faults where it is none.
    pub(super) fn fitted(&mut self, value: Expr, from: TypeId, to: TypeId) -> Result<Expr> {
        if let (ExprKind::Int(code), Class::Integer) = (&value.kind, self.program.types.class(to))
            && self.program.types.position(to, *code).is_some()
        {
            return Ok(value);
        }
        if self.fits(from, to) { Ok(value) } else { self.checked(value, to) }
    }

    /// A condition that is true, and faults where the evaluation of an expression does. Nothing if it does not.
    pub(super) fn touched(&self, value: &Expr) -> Option<Expr> {
        let exists = |read: &Expr| matches!(&read.kind, ExprKind::Read(place) if place.indices.is_empty());
        (!is_safe(value, &exists)).then(|| equal(value.clone(), value.clone()))
    }

    /// An expression after a condition that is true or faults.
    pub(super) fn after(&self, touched: impl IntoIterator<Item = Expr>, value: Expr, of: TypeId) -> Result<Expr> {
        let mut touched: Vec<Expr> = touched.into_iter().collect();
        if touched.is_empty() {
            return Ok(value);
        }
        if self.program.types.class(of) == Class::Boolean {
            touched.push(value);
            return Ok(super::build::and(touched));
        }
        let touched = super::build::and(touched);
        let least = self.literal(of, self.hull(of).low);
        Ok(ite(touched, value, least))
    }

    /// Writes a block of its own.
    pub(super) fn inner(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Stmt>> {
        let outer = std::mem::take(&mut self.block);
        let defined = self.defined.clone();
        let lost = self.lost.len();
        let done = write(self);
        let block = std::mem::replace(&mut self.block, outer);
        self.defined = defined;
        for id in &self.lost[lost..] {
            self.defined.remove(id);
        }
        done.map(|()| block)
    }

    /// Writes a block of its own, which must not write statements before it.
    pub(super) fn purely<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.is_pure, true);
        let done = write(self);
        self.is_pure = before;
        done
    }

    /// Statements that are skipped after a `return`.
    pub(super) fn unless_returned(&self, condition: Option<Expr>) -> Option<Expr> {
        let returned = self.frame.returned.map(|id| not(self.scalar_read(id)));
        match (returned, condition) {
            (Some(a), Some(b)) => Some(super::build::and(vec![a, b])),
            (a, b) => a.or(b),
        }
    }
}
