//! The direct parts of statements and expressions, in the order of the text: what every walk over a program shares.

use super::{Argument, Binder, BinderValues, Binding, Bound, Expr, ExprKind, Header, Place, Step, Stmt, StmtKind};

/// A part of a statement or expression.
#[derive(Clone, Copy, Debug)]
pub enum Child<'p> {
    /// An expression.
    Expr(&'p Expr),
    /// A place, read or written; its indices are its own parts.
    Place(&'p Place),
    /// Statements.
    Body(&'p [Stmt]),
}

impl Place {
    /// The indices.
    pub fn indices(&self) -> impl Iterator<Item = &Expr> {
        self.steps.iter().filter_map(|step| match step {
            Step::Index(index) => Some(index),
            Step::Field(_) | Step::Slot(_) => None,
        })
    }
}

impl Binding {
    /// The place that its local is another name of.
    pub fn place(&self) -> Option<&Place> {
        match &self.to {
            Bound::Place(place) => Some(place),
            Bound::Value(_) => None,
        }
    }

    /// The place or value that its local stands for.
    pub fn child(&self) -> Child<'_> {
        match &self.to {
            Bound::Place(place) => Child::Place(place),
            Bound::Value(value) => Child::Expr(value),
        }
    }
}

impl Header {
    /// The place or value of an alias, or the multiset of a choice; the bounds of a ruleset are no part of it.
    pub fn child(&self) -> Option<Child<'_>> {
        match self {
            Header::For(_) => None,
            Header::Alias(binding) => Some(binding.child()),
            Header::Choose(slots) => Some(Child::Place(&slots.multiset)),
        }
    }
}

fn bounds(binder: &Binder) -> Vec<Child<'_>> {
    match &binder.values {
        BinderValues::Type(_) => Vec::new(),
        BinderValues::Steps(steps) => [&steps.from, &steps.to, &steps.by].map(Child::Expr).into(),
    }
}

fn arguments(list: &[Argument]) -> Vec<Child<'_>> {
    list.iter()
        .map(|argument| match argument {
            Argument::Value(value) => Child::Expr(value),
            Argument::Reference(place) => Child::Place(place),
        })
        .collect()
}

impl Expr {
    /// The direct parts.
    pub fn children(&self) -> Vec<Child<'_>> {
        match &self.kind {
            ExprKind::Value(_) | ExprKind::Undefined => Vec::new(),
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => vec![Child::Place(place)],
            ExprKind::Unary(_, inner) | ExprKind::IsMember(inner, _) => vec![Child::Expr(inner)],
            ExprKind::Binary(_, left, right) | ExprKind::Implies(left, right) => {
                [left, right].map(|e| Child::Expr(e)).into()
            }
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().map(Child::Expr).collect(),
            ExprKind::Conditional(a, b, c) => [a, b, c].map(|e| Child::Expr(e)).into(),
            ExprKind::Quantified(_, binder, body) => bounds(binder).into_iter().chain([Child::Expr(body)]).collect(),
            ExprKind::Call(_, list) => arguments(list),
            ExprKind::Count(slots, condition) => vec![Child::Place(&slots.multiset), Child::Expr(condition)],
        }
    }
}

impl Stmt {
    /// The direct parts.
    pub fn children(&self) -> Vec<Child<'_>> {
        match &self.kind {
            StmtKind::Assign(to, value) | StmtKind::MultisetAdd(value, to) => {
                vec![Child::Place(to), Child::Expr(value)]
            }
            StmtKind::Undefine(to) | StmtKind::Clear(to) | StmtKind::MultisetRemove(_, to) => vec![Child::Place(to)],
            StmtKind::If(branches, otherwise) => {
                let branches = branches.iter().flat_map(|one| [Child::Expr(&one.condition), Child::Body(&one.body)]);
                branches.chain([Child::Body(otherwise)]).collect()
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let mut children = vec![Child::Expr(subject)];
                for case in cases {
                    children.extend(case.values.iter().map(Child::Expr));
                    children.push(Child::Body(&case.body));
                }
                children.push(Child::Body(otherwise));
                children
            }
            StmtKind::For(binder, body) => bounds(binder).into_iter().chain([Child::Body(body)]).collect(),
            StmtKind::While(condition, body) => vec![Child::Expr(condition), Child::Body(body)],
            StmtKind::Alias(bindings, body) => bindings.iter().map(Binding::child).chain([Child::Body(body)]).collect(),
            StmtKind::Call(_, list) => arguments(list),
            StmtKind::Return(value) => value.iter().map(Child::Expr).collect(),
            StmtKind::Error(_) => Vec::new(),
            StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) | StmtKind::Put(value) => {
                vec![Child::Expr(value)]
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                vec![Child::Place(&slots.multiset), Child::Expr(condition)]
            }
        }
    }
}
