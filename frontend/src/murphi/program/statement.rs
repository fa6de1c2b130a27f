//! Typed statements.

use super::{Argument, Binder, CoverId, Expr, LocalId, Place, ProcedureId, Slots};
use crate::source::Span;

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// The kind, with its parts.
    pub kind: StmtKind,
    /// The text.
    pub span: Span,
}

/// The kind of a statement, with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `place := value`: the place is found first. A simple value must be one of the type of the place; arrays, records and
    /// multisets are copied as a whole, with what is undefined in them.
    Assign(Place, Expr),
    /// `undefine place`
    Undefine(Place),
    /// `clear place`: the least value everywhere; multisets become empty.
    Clear(Place),
    /// The first branch whose condition is true.
    If(Vec<Branch>, Vec<Stmt>),
    /// The first case with a value that equals the subject.
    Switch(Expr, Vec<Case>, Vec<Stmt>),
    /// The body for each value.
    For(Binder, Vec<Stmt>),
    /// The body as long as the condition is true.
    While(Expr, Vec<Stmt>),
    /// Names for places and values in the body.
    Alias(Vec<Binding>, Vec<Stmt>),
    /// A call whose result, if there is one, is not used.
    Call(ProcedureId, Vec<Argument>),
    /// The end of the procedure or rule.
    Return(Option<Expr>),
    /// A fault with this text.
    Error(String),
    /// A fault if the condition is false.
    Assert(Expr, String),
    /// The step is none if the condition is false.
    Assume(Expr),
    /// The cover is met if the condition is true.
    Cover(CoverId, Expr),
    /// Shows a value. Its place or value is evaluated, so that it may fault; an undefined variable does not.
    Put(Expr),
    /// Adds an element to a multiset.
    MultisetAdd(Expr, Place),
    /// Removes the element of a slot.
    MultisetRemove(LocalId, Place),
    /// Removes the elements at which the condition is true, slot by slot.
    MultisetRemoveWhere(Slots, Expr),
}

/// A condition and what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The condition.
    pub condition: Expr,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A case of a `switch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The values, evaluated in order up to the one that fits.
    pub values: Vec<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A local that stands for a place or a value, found when its construct is entered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The local.
    pub local: LocalId,
    /// Its meaning.
    pub to: Bound,
}

/// The meaning of a binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// A variable or a part of one, which may be written through the local.
    Place(Place),
    /// A value.
    Value(Expr),
}
