//! Statements.

use super::Lowering;
use super::constants::known;
use super::scope::Meaning;
use crate::diagnostics::{codes, every};
use crate::murphi::program::{
    Binding, Bound, Branch, Case, Class, Cover, CoverId, Expr, ExprKind, LocalKind, Place, Stmt, StmtKind, TypeKind,
};
use crate::murphi::syntax::ast::{self, PropertyKind};
use crate::source::Span;

impl Lowering<'_> {
    /// The statements of a block; those with a fault are left out.
    pub(super) fn statements(&mut self, list: &[ast::Stmt]) -> Vec<Stmt> {
        list.iter().filter_map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Assign(place, value) => self.assignment(place, value)?,
            ast::StmtKind::Undefine(place) => StmtKind::Undefine(self.target(place)?),
            ast::StmtKind::Clear(place) => StmtKind::Clear(self.target(place)?),
            ast::StmtKind::If(branches, otherwise) => {
                let branches = every(branches.iter().map(|branch| {
                    let condition = self.condition(&branch.condition);
                    let body = self.statements(&branch.body);
                    Some(Branch { condition: condition?, body })
                }));
                let otherwise = self.statements(otherwise.as_deref().unwrap_or(&[]));
                StmtKind::If(branches?, otherwise)
            }
            ast::StmtKind::Switch(subject, cases, otherwise) => self.switch(subject, cases, otherwise.as_deref())?,
            ast::StmtKind::For(binders, body) => return self.loops(binders, body, span),
            ast::StmtKind::While(condition, body) => {
                let condition = self.condition(condition);
                let body = self.statements(body);
                StmtKind::While(condition?, body)
            }
            ast::StmtKind::Alias(aliases, body) => self.scoped(|lowering| {
                let bindings = every(aliases.iter().map(|alias| lowering.alias(alias)));
                let body = lowering.statements(body);
                Some(StmtKind::Alias(bindings?, body))
            })?,
            ast::StmtKind::Call(name, arguments) => {
                let (id, arguments) = self.call(name, arguments)?;
                StmtKind::Call(id, arguments)
            }
            ast::StmtKind::Return(value) => self.result(value.as_ref(), span)?,
            ast::StmtKind::Error(text) => StmtKind::Error(text.text.clone()),
            ast::StmtKind::Property(property) => self.claim(property, span)?,
            ast::StmtKind::PutText(_) => return None,
            ast::StmtKind::Put(value) => StmtKind::Put(self.expression(value)?),
            ast::StmtKind::MultisetAdd(value, multiset) => self.addition(value, multiset)?,
            ast::StmtKind::MultisetRemove(slot, multiset) => {
                let multiset = self.changed_multiset(multiset)?;
                StmtKind::MultisetRemove(self.slot(slot, multiset.of)?, multiset)
            }
            ast::StmtKind::MultisetRemoveWhere(slots, condition) => self.scoped(|lowering| {
                let slots = lowering.slots(slots);
                if let Some(slots) = &slots {
                    lowering.written(&slots.multiset);
                }
                let condition = lowering.condition(condition);
                Some(StmtKind::MultisetRemoveWhere(slots?, condition?))
            })?,
        };
        Some(Stmt { kind, span })
    }

    /// A place that is written.
    fn target(&mut self, expr: &ast::Expr) -> Option<Place> {
        let place = self.place(expr)?;
        self.written(&place)?;
        Some(place)
    }

    fn assignment(&mut self, place: &ast::Expr, value: &ast::Expr) -> Option<StmtKind> {
        let (place, value) = (self.target(place), self.expression(value));
        let (place, value) = (place?, value?);
        self.mixed(place.of, value.of, value.span)?;
        Some(StmtKind::Assign(place, value))
    }

    fn switch(
        &mut self,
        subject: &ast::Expr,
        cases: &[ast::Case],
        otherwise: Option<&[ast::Stmt]>,
    ) -> Option<StmtKind> {
        let subject = self.expression(subject).filter(|subject| {
            let is_simple = self.program.types.class(subject.of) != Class::Compound;
            if !is_simple {
                let message =
                    format!("`switch` distinguishes simple values, not those of type {}", self.text(subject.of));
                self.error(codes::MURPHI_SIMPLE, subject.span, message, "use a part of it, or `if`");
            }
            is_simple
        });
        let cases = every(cases.iter().map(|case| {
            let values = every(case.values.iter().map(|value| self.case(value, subject.as_ref())));
            let body = self.statements(&case.body);
            Some(Case { values: values?, body })
        }));
        let otherwise = self.statements(otherwise.unwrap_or(&[]));
        Some(StmtKind::Switch(subject?, cases?, otherwise))
    }

    fn case(&mut self, value: &ast::Expr, subject: Option<&Expr>) -> Option<Expr> {
        let value = self.expression(value)?;
        self.mixed(subject?.of, value.of, value.span)?;
        Some(value)
    }

    fn loops(&mut self, binders: &[ast::Binder], body: &[ast::Stmt], span: Span) -> Option<Stmt> {
        let (first, rest) = binders.split_first()?;
        self.scoped(|lowering| {
            let binder = lowering.binder(first, false);
            let body = match rest {
                [] => lowering.statements(body),
                _ => lowering.loops(rest, body, span).into_iter().collect(),
            };
            Some(Stmt { kind: StmtKind::For(binder?, body), span })
        })
    }

    /// An alias, which is in scope from here on.
    pub(super) fn alias(&mut self, alias: &ast::Alias) -> Option<Binding> {
        let names =
            matches!(&alias.value.kind, ast::ExprKind::Name(_) | ast::ExprKind::Field(..) | ast::ExprKind::Index(..));
        let value = self.expression(&alias.value);
        let Some(value) = value else {
            self.declare(&alias.name, Meaning::Faulty);
            return None;
        };
        let (kind, of, to) = match value.kind {
            ExprKind::Read(place) if names => (self.kind_of(&place), place.of, Bound::Place(place)),
            _ => (LocalKind::Value, value.of, Bound::Value(value)),
        };
        let local = self.local(&alias.name, kind, of);
        debug_assert!(kind.is_reference() != matches!(to, Bound::Value(_)), "an alias of a place has no cells");
        // Another name of a constant is a constant: it may be the bound of a type.
        let value = match &to {
            Bound::Value(value) if self.program.types.is_simple(of) => known(value),
            _ => None,
        };
        self.declare(&alias.name, value.map_or(Meaning::Local(local), |value| Meaning::Constant(value, of)));
        Some(Binding { local, to })
    }

    fn result(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        let value = match value {
            Some(value) => Some(self.expression(value)?),
            None => None,
        };
        let message = match (&value, self.result) {
            (None, None) => return Some(StmtKind::Return(None)),
            (Some(found), Some(of)) => {
                self.mixed(of, found.of, found.span)?;
                return Some(StmtKind::Return(value));
            }
            (None, Some(_)) => "a function returns a value",
            (Some(_), None) => "only functions return values",
        };
        self.refuse(codes::MURPHI_RETURN, span, message, "write `return value` in functions, and `return` elsewhere")
    }

    fn claim(&mut self, property: &ast::Property, span: Span) -> Option<StmtKind> {
        let condition = self.condition(&property.condition);
        let name = property.name.as_ref().map_or(String::new(), |name| name.text.clone());
        match property.kind {
            PropertyKind::Assert | PropertyKind::Invariant | PropertyKind::Atom | PropertyKind::End => {
                Some(StmtKind::Assert(condition?, name))
            }
            PropertyKind::Assume => Some(StmtKind::Assume(condition?)),
            PropertyKind::Cover => {
                let id = CoverId::from_index(self.program.covers.len());
                self.program.covers.push(Cover { name, span });
                Some(StmtKind::Cover(id, condition?))
            }
            PropertyKind::Liveness => {
                let message = "`liveness` is a property of all states, not of a place in a body";
                self.refuse(codes::MURPHI_LIVENESS, span, message, "write it outside of rules and procedures")
            }
        }
    }

    /// A multiset that is changed.
    fn changed_multiset(&mut self, expr: &ast::Expr) -> Option<Place> {
        let multiset = self.multiset(expr)?;
        self.written(&multiset)?;
        Some(multiset)
    }

    fn addition(&mut self, value: &ast::Expr, multiset: &ast::Expr) -> Option<StmtKind> {
        let (value, multiset) = (self.expression(value), self.changed_multiset(multiset));
        let (value, multiset) = (value?, multiset?);
        if let TypeKind::Multiset { element, .. } = *self.program.types.kind(multiset.of) {
            self.mixed(element, value.of, value.span)?;
        }
        Some(StmtKind::MultisetAdd(value, multiset))
    }
}
