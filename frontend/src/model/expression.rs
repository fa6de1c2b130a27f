//! Sorts, expressions and places. Expressions are pure; evaluating one may fault but never changes anything.

use super::{ClassId, FeatureId, LocalId, RebecId, ScalarSetId, Value, VariableId};
use crate::operators::operators;
use crate::sequential;
use crate::source::Span;
use crate::walk::walks;

/// Width of a machine integer. Arithmetic is done in 32 bits; narrower widths are checked where a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Width {
    /// 8 bits, signed.
    Byte,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
}

impl Width {
    /// The least and the greatest value.
    pub fn range(self) -> std::ops::RangeInclusive<i32> {
        match self {
            Width::Byte => i32::from(i8::MIN)..=i32::from(i8::MAX),
            Width::Short => i32::from(i16::MIN)..=i32::from(i16::MAX),
            Width::Int => i32::MIN..=i32::MAX,
        }
    }

    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Width::Byte => "byte",
            Width::Short => "short",
            Width::Int => "int",
        }
    }
}

/// The sort of a variable, parameter or expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// `boolean`.
    Bool,
    /// A machine integer; expressions are always [`Width::Int`].
    Int(Width),
    /// Rebecs of a class and of the classes that extend or implement it, or `null`.
    Rebec(ClassId),
    /// Any rebec or `null`: the sort of `sender` and `null`. No variable has it.
    AnyRebec,
    /// A scalar set; undefined until assigned.
    Scalar(ScalarSetId),
}

impl Sort {
    /// The value of an element before anything is stored in it.
    pub fn initial(self) -> Value {
        match self {
            Sort::Bool => Value::Bool(false),
            Sort::Int(_) => Value::Int(0),
            Sort::Rebec(_) | Sort::AnyRebec => Value::Null,
            Sort::Scalar(_) => Value::Undefined,
        }
    }
}

operators! {
    /// Unary operators.
    pub enum UnaryOp {
        /// `!`
        Not = "!",
        /// `-`, checked.
        Negate = "-",
        /// `~`
        Complement = "~",
    }
}

operators! {
    /// Binary operators; operands are evaluated left to right, both always.
    pub enum BinaryOp {
        /// `+`, checked.
        Add = "+",
        /// `-`, checked.
        Subtract = "-",
        /// `*`, checked.
        Multiply = "*",
        /// `/`, truncated; faults on zero and on `MIN / -1`.
        Divide = "/",
        /// `%`, truncated; faults on zero.
        Remainder = "%",
        /// `<<` on bit patterns; the count is taken modulo 32.
        ShiftLeft = "<<",
        /// `>>`
        ShiftRight = ">>",
        /// `>>>`
        ShiftRightUnsigned = ">>>",
        /// `&` on integers or booleans.
        BitAnd = "&",
        /// `|` on integers or booleans.
        BitOr = "|",
        /// `^` on integers or booleans.
        BitXor = "^",
        /// `==` on two values of comparable sorts; faults on an undefined scalar.
        Equal = "==",
        /// `!=`
        NotEqual = "!=",
        /// `<`
        Less = "<",
        /// `<=`
        LessEqual = "<=",
        /// `>`
        Greater = ">",
        /// `>=`
        GreaterEqual = ">=",
        /// `pow(a, b)`, checked; a negative exponent truncates towards zero and faults on base 0.
        Power = "pow",
    }
}

impl BinaryOp {
    /// The same on numbers, rebecs and scalars of the sequential form.
    pub(crate) fn on_numbers(self) -> sequential::BinaryOp {
        match self {
            BinaryOp::Power => sequential::BinaryOp::Power,
            op => sequential::BinaryOp::written(op.symbol()).expect("a symbol of such a language"),
        }
    }
}

/// The base of a place: the variable or local that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A variable of the running rebec.
    Variable(VariableId),
    /// A parameter or local.
    Local(LocalId),
    /// A variable of a named rebec: properties only.
    Remote(RebecId, VariableId),
}

/// A variable or one element of it; there are as many indices as dimensions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The variable or local.
    pub base: Base,
    /// One index per dimension: an integer for an array, a scalar of the same set for a grouped variable.
    pub indices: Vec<Expr>,
    /// The text.
    pub span: Span,
}

/// A typed expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    /// The operation and its operands.
    pub kind: ExprKind,
    /// The sort of its value.
    pub sort: Sort,
    /// The text.
    pub span: Span,
}

/// The operation of an expression, with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// `true`, `false`.
    Bool(bool),
    /// An integer constant.
    Int(i32),
    /// A value of a scalar set (its sort): only in choices over the whole set, and as index in properties.
    Scalar(i32),
    /// `null`.
    Null,
    /// A rebec of `main`: properties only.
    Rebec(RebecId),
    /// `self`.
    SelfRef,
    /// `sender`.
    Sender,
    /// A feature variable.
    Feature(FeatureId),
    /// The value of a place. Reading an undefined scalar faults.
    Read(Place),
    /// A unary operation.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a && b && ..`, short-circuit, at least two operands, none of them an `And`.
    And(Vec<Expr>),
    /// `a || b || ..`, short-circuit, at least two operands, none of them an `Or`.
    Or(Vec<Expr>),
    /// `c ? a : b`; only the chosen branch is evaluated.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(byte)e`, `(short)e`: faults when the value does not fit.
    Narrow(Width, Box<Expr>),
    /// `(C)e`: faults when the rebec does not conform; `null` passes.
    Cast(ClassId, Box<Expr>),
    /// `e instanceof C`; false for `null`.
    InstanceOf(ClassId, Box<Expr>),
    /// `s +% n`: rotation in a scalar set, `((s - low + n) mod size) + low` with a floored modulus.
    Rotate(Box<Expr>, Box<Expr>),
    /// `sqrt(e)`, rounded down; faults on a negative value.
    SquareRoot(Box<Expr>),
}

macro_rules! operands {
    ($name:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Expr {
            /// The operands, in the order of evaluation; if a place is read, its indices are operands.
            pub fn $name(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
                match &$($mutable)? self.kind {
                    ExprKind::Read(place) => place.indices.$iter().collect(),
                    ExprKind::Unary(_, inner)
                    | ExprKind::Narrow(_, inner)
                    | ExprKind::Cast(_, inner)
                    | ExprKind::InstanceOf(_, inner)
                    | ExprKind::SquareRoot(inner) => vec![inner],
                    ExprKind::Binary(_, a, b) | ExprKind::Rotate(a, b) => vec![a, b],
                    ExprKind::Ite(a, b, c) => vec![a, b, c],
                    ExprKind::And(list) | ExprKind::Or(list) => list.$iter().collect(),
                    ExprKind::Bool(_)
                    | ExprKind::Int(_)
                    | ExprKind::Scalar(_)
                    | ExprKind::Null
                    | ExprKind::Rebec(_)
                    | ExprKind::SelfRef
                    | ExprKind::Sender
                    | ExprKind::Feature(_) => Vec::new(),
                }
            }
        }
    };
}

operands!(operands, iter);
operands!(operands_mut, iter_mut, mut);
walks!(Expr, operands, operands_mut);
