//! Expressions and places. Expressions are pure; evaluating one may fault but never changes anything.

use super::{ParameterId, SortId, TableId, VariableId};
use crate::operators::operators;
use crate::source::{Span, Spanned};
use crate::walk::walks;

operators! {
    /// Binary operators; both operands are evaluated, left to right.
    pub enum BinaryOp {
        /// `+`, checked.
        Add = "+",
        /// `-`, checked.
        Subtract = "-",
        /// `*`, checked.
        Multiply = "*",
        /// `/`, rounded towards minus infinity; faults on zero and on `MIN / -1`.
        Divide = "/",
        /// `mod`: the remainder of `/`, with the sign of the divisor; faults on zero.
        Modulo = "mod",
        /// `xor` on the bit patterns of two's complement.
        Xor = "xor",
        /// `div(a, b)`: rounded towards zero; faults on zero and on `MIN / -1`.
        Quotient = "div",
        /// `rem(a, b)`: the remainder of `div`, with the sign of the dividend; faults on zero.
        Remainder = "rem",
        /// `pow(a, b)`, checked; a negative exponent rounds towards zero and faults on base 0.
        Power = "pow",
        /// `root(a, n)`: the `n`-th root, rounded down; faults on negative `a` and on `n` below 1.
        Root = "root",
        /// `bitand(a, b)` on the bit patterns of two's complement.
        BitAnd = "bitand",
        /// `bitor(a, b)`
        BitOr = "bitor",
        /// `shl(a, b)`: the count is taken modulo 32.
        ShiftLeft = "shl",
        /// `shr(a, b)`: copies of the sign are shifted in.
        ShiftRight = "shr",
        /// `ushr(a, b)`: zeros are shifted in.
        ShiftRightUnsigned = "ushr",
        /// `wadd(a, b)`: the lower 32 bits of the sum, in two's complement.
        WrappingAdd = "wadd",
        /// `wsub(a, b)`: the lower 32 bits of the difference.
        WrappingSubtract = "wsub",
        /// `wmul(a, b)`: the lower 32 bits of the product.
        WrappingMultiply = "wmul",
        /// `=` on two integers or two members of one enumeration.
        Equal = "=",
        /// `!=`
        NotEqual = "!=",
        /// `<` on integers.
        Less = "<",
        /// `<=`
        LessEqual = "<=",
        /// `>`
        Greater = ">",
        /// `>=`
        GreaterEqual = ">=",
    }
}

impl BinaryOp {
    /// The operators that are written as functions of two arguments.
    pub const FUNCTIONS: [BinaryOp; 12] = {
        use BinaryOp::{BitAnd, BitOr, Power, Quotient, Remainder, Root, ShiftLeft, ShiftRight, ShiftRightUnsigned};
        let [add, subtract, multiply] = BinaryOp::WRAPPING;
        [
            Quotient,
            Remainder,
            Power,
            Root,
            BitAnd,
            BitOr,
            ShiftLeft,
            ShiftRight,
            ShiftRightUnsigned,
            add,
            subtract,
            multiply,
        ]
    };

    /// Sum, difference and product without faults, in the order of those with faults.
    const WRAPPING: [BinaryOp; 3] = [BinaryOp::WrappingAdd, BinaryOp::WrappingSubtract, BinaryOp::WrappingMultiply];

    /// The operators that [`BinaryOp::WRAPPING`] wraps.
    const CHECKED: [BinaryOp; 3] = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply];

    /// The operator that wraps where this one faults for the size of its result.
    pub fn wrapping(self) -> Option<BinaryOp> {
        BinaryOp::CHECKED.into_iter().zip(BinaryOp::WRAPPING).find(|(checked, _)| *checked == self).map(|pair| pair.1)
    }

    /// The operator that faults where this one wraps.
    pub fn checked(self) -> Option<BinaryOp> {
        BinaryOp::CHECKED.into_iter().zip(BinaryOp::WRAPPING).find(|(_, wraps)| *wraps == self).map(|pair| pair.0)
    }

    /// Whether operands may be exchanged: the result, or the fault, is the same.
    pub fn is_commutative(self) -> bool {
        use BinaryOp::{Add, BitAnd, BitOr, Multiply, WrappingAdd, WrappingMultiply, Xor};
        matches!(self, Add | Multiply | Xor | BitAnd | BitOr | WrappingAdd | WrappingMultiply)
    }

    /// Whether it is written as a function of two arguments.
    pub fn is_function(self) -> bool {
        BinaryOp::FUNCTIONS.contains(&self)
    }

    /// The operation that an operator of a language like C stands for.
    pub(crate) fn written(symbol: &str) -> Option<BinaryOp> {
        Some(match symbol {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Subtract,
            "*" => BinaryOp::Multiply,
            "/" => BinaryOp::Quotient,
            "%" => BinaryOp::Remainder,
            "<<" => BinaryOp::ShiftLeft,
            ">>" => BinaryOp::ShiftRight,
            ">>>" => BinaryOp::ShiftRightUnsigned,
            "&" => BinaryOp::BitAnd,
            "|" => BinaryOp::BitOr,
            "^" => BinaryOp::Xor,
            "==" => BinaryOp::Equal,
            "!=" => BinaryOp::NotEqual,
            "<" => BinaryOp::Less,
            "<=" => BinaryOp::LessEqual,
            ">" => BinaryOp::Greater,
            ">=" => BinaryOp::GreaterEqual,
            _ => return None,
        })
    }

    /// How tightly such an operator binds in these languages, from 0 on.
    pub(crate) fn level(self) -> u8 {
        use BinaryOp::{Add, BitAnd, BitOr, Equal, NotEqual, ShiftLeft, ShiftRight, ShiftRightUnsigned, Subtract, Xor};
        match self {
            BitOr => 0,
            Xor => 1,
            BitAnd => 2,
            Equal | NotEqual => 3,
            op if op.is_comparison() => 4,
            ShiftLeft | ShiftRight | ShiftRightUnsigned => 5,
            Add | Subtract => 6,
            _ => 7,
        }
    }

    /// Whether it compares: the result is 0 or 1.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    /// The comparison with its operands exchanged.
    #[must_use]
    pub fn mirrored(self) -> BinaryOp {
        match self {
            BinaryOp::Less => BinaryOp::Greater,
            BinaryOp::LessEqual => BinaryOp::GreaterEqual,
            BinaryOp::Greater => BinaryOp::Less,
            BinaryOp::GreaterEqual => BinaryOp::LessEqual,
            other => other,
        }
    }
}

/// A variable or one element of it; there are as many indices as dimensions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The variable.
    pub variable: VariableId,
    /// One index per dimension, evaluated left to right; a value outside the index sort is a fault.
    pub indices: Vec<Expr>,
    /// The text.
    pub span: Span,
}

/// An expression.
pub type Expr = Spanned<ExprKind>;

/// The operation of an expression, with its operands. Conditions are integers that are 0 or 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// An integer; `true` and `false` are 1 and 0.
    Int(i32),
    /// A member of an enumeration: the sort and the index.
    Member(SortId, u32),
    /// A summation or quantified variable.
    Parameter(ParameterId),
    /// The value of an element of a variable.
    Read(Place),
    /// An entry of a constant table; indices as in [`Place::indices`].
    Lookup(TableId, Vec<Expr>),
    /// `-e`, checked.
    Negate(Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// `popcount(e)`: the number of ones in the 32 bits of two's complement.
    PopCount(Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a && b && ..`, short-circuit, at least two operands, none of them an `And`.
    And(Vec<Expr>),
    /// `a || b || ..`, short-circuit, at least two operands, none of them an `Or`.
    Or(Vec<Expr>),
    /// `a => b`, short-circuit.
    Implies(Box<Expr>, Box<Expr>),
    /// `ite(c, a, b)`; only the chosen branch is evaluated.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall p:S . body`: the values in ascending order, up to the first for which the body is false.
    Forall(Box<Quantified>),
    /// `exists p:S . body`: the values in ascending order, up to the first for which the body is true.
    Exists(Box<Quantified>),
}

/// A binder and the condition under it. The id of its variable is the number of binders around it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Quantified {
    /// The name of its variable.
    pub name: String,
    /// The sort it ranges over.
    pub sort: SortId,
    /// The condition.
    pub body: Expr,
}

impl Expr {
    /// An expression at a place of the text.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span }
    }
}

macro_rules! operands {
    ($name:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Expr {
            /// The direct operands, in the order of evaluation; indices are operands, and so is the body of a quantifier.
            pub fn $name(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
                match &$($mutable)? self.kind {
                    ExprKind::Int(_) | ExprKind::Member(..) | ExprKind::Parameter(_) => Vec::new(),
                    ExprKind::Read(Place { indices: list, .. })
                    | ExprKind::Lookup(_, list)
                    | ExprKind::And(list)
                    | ExprKind::Or(list) => list.$iter().collect(),
                    ExprKind::Negate(inner) | ExprKind::Not(inner) | ExprKind::PopCount(inner) => vec![inner],
                    ExprKind::Binary(_, a, b) | ExprKind::Implies(a, b) => vec![a, b],
                    ExprKind::Ite(a, b, c) => vec![a, b, c],
                    ExprKind::Forall(of) | ExprKind::Exists(of) => vec![&$($mutable)? of.body],
                }
            }
        }
    };
}

operands!(operands, iter);
operands!(operands_mut, iter_mut, mut);
walks!(Expr, operands, operands_mut);
