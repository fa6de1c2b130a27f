//! Typed expressions and places.

use super::{LocalId, ProcedureId, TypeId, VariableId};
use crate::murphi::syntax::ast::UnaryOp;
use crate::operators::operators;
use crate::source::Span;

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The kind, with its operands.
    pub kind: ExprKind,
    /// Its type; [`Types::INTEGER`](super::Types::INTEGER) for arithmetic.
    pub of: TypeId,
    /// The text.
    pub span: Span,
}

/// The kind of an expression, with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A constant of a simple type.
    Value(i32),
    /// `undefined`, as an argument.
    Undefined,
    /// The value of a variable or of a part of one.
    Read(Place),
    /// `-e`, `!e`, `~e`
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a & b & ..` of conditions: stops at the first that is false.
    And(Vec<Expr>),
    /// `a | b | ..` of conditions: stops at the first that is true.
    Or(Vec<Expr>),
    /// `a -> b`: `b` is evaluated only if `a` is true.
    Implies(Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall` (`true`) or `exists` (`false`) of one binder: stops at the first value that decides.
    Quantified(bool, Box<Binder>, Box<Expr>),
    /// The result of a function.
    Call(ProcedureId, Vec<Argument>),
    /// `isundefined(place)`
    IsUndefined(Place),
    /// `ismember(e, type)`
    IsMember(Box<Expr>, TypeId),
    /// `multisetcount(slot : multiset, condition)`: the number of used slots at which the condition is true.
    Count(Box<Slots>, Box<Expr>),
}

operators! {
    /// Binary operations on values that are both evaluated, left first.
    pub enum BinaryOp {
        /// `=`, of simple or whole values.
        Equal = "=",
        /// `!=`, of simple or whole values.
        NotEqual = "!=",
        /// `<`
        Less = "<",
        /// `<=`
        LessEqual = "<=",
        /// `>`
        Greater = ">",
        /// `>=`
        GreaterEqual = ">=",
        /// `&` of integers.
        BitAnd = "&",
        /// `|` of integers.
        BitOr = "|",
        /// `^`, of integers.
        BitXor = "^",
        /// `<<`
        ShiftLeft = "<<",
        /// `>>`
        ShiftRight = ">>",
        /// `+`
        Add = "+",
        /// `-`
        Subtract = "-",
        /// `*`
        Multiply = "*",
        /// `/`, truncating.
        Divide = "/",
        /// `%`, with the sign of the dividend.
        Remainder = "%",
    }
}

impl BinaryOp {
    /// Whether it compares: the result is 0 or 1.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }
}

/// A variable or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The variable.
    pub base: Base,
    /// The way to the part, from the outside.
    pub steps: Vec<Step>,
    /// The type of the part.
    pub of: TypeId,
    /// The text.
    pub span: Span,
}

/// The variable of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A variable of the state.
    Variable(VariableId),
    /// A local of the rule, property or procedure.
    Local(LocalId),
}

/// A step from a variable to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The field of this number.
    Field(usize),
    /// The element at an index.
    Index(Expr),
    /// The element in a slot of a multiset.
    Slot(LocalId),
}

/// A local that takes values one by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binder {
    /// The local.
    pub local: LocalId,
    /// Its values.
    pub values: BinderValues,
}

/// The values of a binder, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BinderValues {
    /// All values of a type.
    Type(TypeId),
    /// From a first value up to a bound, or down if the step is negative.
    Steps(Box<Steps>),
}

/// The values of a loop by steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steps {
    /// The first value.
    pub from: Expr,
    /// The bound, included.
    pub to: Expr,
    /// The step.
    pub by: Expr,
}

impl Steps {
    /// The values, if the bounds and the step are constants; nothing if they are very many.
    pub fn constant_values(&self) -> Option<Vec<i32>> {
        const MOST: usize = 1 << 16;
        let rounds = self.constant_rounds().filter(|&rounds| rounds <= MOST)?;
        let (ExprKind::Value(from), ExprKind::Value(by)) = (&self.from.kind, &self.by.kind) else { return None };
        let (mut next, mut values) = (Some(*from), Vec::with_capacity(rounds));
        while let Some(value) = next.filter(|_| values.len() < rounds) {
            values.push(value);
            next = value.checked_add(*by);
        }
        assert_eq!(values.len(), rounds, "a loop has a value for each round");
        Some(values)
    }

    /// The number of rounds, if the bounds and the step are constants.
    pub fn constant_rounds(&self) -> Option<usize> {
        let [from, to, by] = [&self.from, &self.to, &self.by].map(|part| match part.kind {
            ExprKind::Value(value) => Some(i64::from(value)),
            _ => None,
        });
        let (from, to, by) = (from?, to?, by?);
        if by == 0 || (from != to && (from < to) != (by > 0)) {
            return Some(0);
        }
        usize::try_from((to - from) / by + 1).ok()
    }
}

/// The used slots of a multiset, one by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// The local that stands for the slot.
    pub slot: LocalId,
    /// The multiset.
    pub multiset: Place,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The value of an expression.
    Value(Expr),
    /// A variable of the caller.
    Reference(Place),
}
