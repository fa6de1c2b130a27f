//! The parts of statements and expressions, one list for all walks over a tree.

use super::ast::{Argument, Expr, ExprKind, Place, Stmt, StmtKind};

/// A part of a statement or an expression.
pub(crate) enum Child<E, P, B, S> {
    /// An expression that is evaluated.
    Expr(E),
    /// A place that takes a value, or a constant that is matched.
    Target(P),
    /// A channel, an array or a variable that is named.
    Place(P),
    /// Statements in a scope of their own.
    Body(B),
    /// A statement behind its label.
    Labelled(S),
}

macro_rules! children {
    ($children:ident, $bodies:ident, $one:ident, $within:ident, $argument:ident, $iter:ident, $child:ident $(, $mutable:tt)?) => {
        type $child<'a> =
            Child<&'a $($mutable)? Expr, &'a $($mutable)? Place, &'a $($mutable)? Vec<Stmt>, &'a $($mutable)? Stmt>;

        fn $argument(argument: &$($mutable)? Argument) -> Option<$child<'_>> {
            match argument {
                Argument::Match(value) => Some(Child::Expr(value)),
                Argument::Place(place) => Some(Child::Target(place)),
                Argument::Any => None,
            }
        }

        impl Stmt {
            /// Its parts, in the order of the text; variables are none of them.
            pub(crate) fn $children(&$($mutable)? self) -> Vec<$child<'_>> {
                match &$($mutable)? self.kind {
                    StmtKind::Declare(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else => Vec::new(),
                    StmtKind::Expr(value) | StmtKind::Assert(value) => vec![Child::Expr(value)],
                    StmtKind::Assign(place, value) => vec![Child::Target(place), Child::Expr(value)],
                    StmtKind::Run(run, result) => {
                        let mut list: Vec<$child<'_>> = run.arguments.$iter().map(Child::Expr).collect();
                        if let Some(result) = result {
                            list.push(Child::Target(&$($mutable)? result.place));
                            list.push(Child::Expr(&$($mutable)? result.value));
                        }
                        list
                    }
                    StmtKind::Send { channel, arguments, .. } => {
                        std::iter::once(Child::Place(channel)).chain(arguments.$iter().map(Child::Expr)).collect()
                    }
                    StmtKind::Receive { channel, arguments, .. } => {
                        std::iter::once(Child::Place(channel)).chain(arguments.$iter().filter_map($argument)).collect()
                    }
                    StmtKind::If(options) | StmtKind::Do(options) => options.$iter().map(Child::Body).collect(),
                    StmtKind::For { variable, high, body } => {
                        vec![Child::Target(variable), Child::Expr(high), Child::Body(body)]
                    }
                    StmtKind::ForIn { variable, list, body, .. } => {
                        vec![Child::Target(variable), Child::Place(list), Child::Body(body)]
                    }
                    StmtKind::Select { variable, low, high, .. } => {
                        vec![Child::Target(variable), Child::Expr(low), Child::Expr(high)]
                    }
                    StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => vec![Child::Body(body)],
                    StmtKind::Unless(body, escape) => vec![Child::Body(body), Child::Body(escape)],
                    StmtKind::Print(list) => list.$iter().map(Child::Expr).collect(),
                    StmtKind::Label(_, inner) => vec![Child::Labelled(inner)],
                }
            }

            /// The statements inside.
            pub(crate) fn $bodies(&$($mutable)? self) -> impl Iterator<Item = &$($mutable)? [Stmt]> {
                self.$children().into_iter().filter_map(|child| match child {
                    Child::Body(body) => Some(&$($mutable)? body[..]),
                    Child::Labelled(inner) => Some(std::slice::$one(inner)),
                    _ => None,
                })
            }
        }

        impl Expr {
            /// Its parts, in the order of the text. The place of [`ExprKind::Of`] belongs to another process.
            pub(crate) fn $children(&$($mutable)? self) -> Vec<$child<'_>> {
                match &$($mutable)? self.kind {
                    ExprKind::Int(_)
                    | ExprKind::Timeout
                    | ExprKind::ProcessCount
                    | ExprKind::Pid
                    | ExprKind::Made
                    | ExprKind::Last
                    | ExprKind::NoProgress => Vec::new(),
                    ExprKind::Place(place) | ExprKind::Measure(_, place) => vec![Child::Place(place)],
                    ExprKind::Unary(_, inner) | ExprKind::Enabled(inner) => vec![Child::Expr(inner)],
                    ExprKind::Binary(_, left, right) => vec![Child::Expr(left), Child::Expr(right)],
                    ExprKind::Choice(condition, then, otherwise) => {
                        vec![Child::Expr(condition), Child::Expr(then), Child::Expr(otherwise)]
                    }
                    ExprKind::Poll { channel, arguments, .. } => {
                        std::iter::once(Child::Place(channel)).chain(arguments.$iter().filter_map($argument)).collect()
                    }
                    ExprKind::At { pid, .. } | ExprKind::Of { pid, .. } => {
                        pid.$iter().map(|pid| Child::Expr(&$($mutable)? **pid)).collect()
                    }
                }
            }
        }

        impl Place {
            /// The indices, in the order of the text.
            pub(crate) fn $within(&$($mutable)? self) -> impl Iterator<Item = &$($mutable)? Expr> {
                self.parts.$iter().flat_map(|part| &$($mutable)? part.index).map(|index| &$($mutable)? **index)
            }
        }
    };
}

children!(children, bodies, from_ref, indices, argument, iter, Read);
children!(children_mut, bodies_mut, from_mut, indices_mut, argument_mut, iter_mut, Written, mut);
