//! The tree of a DVE text, with the place of every part.

use crate::sequential::BinaryOp;
pub(in crate::dve) use crate::source::Name;
use crate::source::{Span, Spanned};

/// A whole text.
#[derive(Clone, Default, Debug)]
pub(in crate::dve) struct File {
    /// The global declarations.
    pub(in crate::dve) declarations: Vec<Declaration>,
    /// The processes.
    pub(in crate::dve) processes: Vec<Process>,
    /// `system async;`, if the text has it.
    pub(in crate::dve) system: Option<System>,
}

/// The type of a variable or of a part of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::dve) enum Type {
    /// 0 to 255.
    Byte,
    /// 16 bits in two's complement.
    Int,
}

impl Type {
    /// The least and the greatest value.
    pub(in crate::dve) fn bounds(self) -> (i32, i32) {
        match self {
            Type::Byte => (0, 255),
            Type::Int => (-32768, 32767),
        }
    }
}

/// `const byte x[2] = {1, 2}` or `channel {byte} c[4]`.
#[derive(Clone, Debug)]
pub(in crate::dve) struct Declaration {
    /// The name.
    pub(in crate::dve) name: Name,
    /// The number of elements, or of messages that a channel holds.
    pub(in crate::dve) size: Option<Expr>,
    /// The kind of object.
    pub(in crate::dve) kind: Declared,
}

/// The kinds of objects that are declared.
#[derive(Clone, Debug)]
pub(in crate::dve) enum Declared {
    /// A constant or a variable.
    Data {
        /// Whether it is a constant.
        constant: bool,
        /// Its type.
        of: Type,
        /// Its initial value.
        initial: Option<Initial>,
    },
    /// A channel, with the types of the parts of its messages where they are given.
    Channel(Option<Vec<Type>>),
}

/// An initial value.
#[derive(Clone, Debug)]
pub(in crate::dve) enum Initial {
    /// `= e`
    Single(Expr),
    /// `= {a, b}`
    List(Vec<Expr>, Span),
}

/// `process P { .. }`
#[derive(Clone, Default, Debug)]
pub(in crate::dve) struct Process {
    /// The name.
    pub(in crate::dve) name: Name,
    /// The local declarations.
    pub(in crate::dve) declarations: Vec<Declaration>,
    /// The control states.
    pub(in crate::dve) states: Vec<Name>,
    /// The initial state.
    pub(in crate::dve) init: Option<Name>,
    /// The accepting states.
    pub(in crate::dve) accept: Vec<Name>,
    /// The committed states.
    pub(in crate::dve) commit: Vec<Name>,
    /// Conditions that hold whenever the process is in a state.
    pub(in crate::dve) asserts: Vec<Assert>,
    /// The transitions.
    pub(in crate::dve) transitions: Vec<Transition>,
}

/// `assert state condition`
#[derive(Clone, Debug)]
pub(in crate::dve) struct Assert {
    /// The state.
    pub(in crate::dve) state: Name,
    /// The condition.
    pub(in crate::dve) condition: Expr,
}

/// `from -> to { guard ..; sync ..; effect ..; }`
#[derive(Clone, Debug)]
pub(in crate::dve) struct Transition {
    /// The source.
    pub(in crate::dve) from: Name,
    /// The target.
    pub(in crate::dve) to: Name,
    /// The conditions, all of which must hold.
    pub(in crate::dve) guards: Vec<Expr>,
    /// The synchronisation.
    pub(in crate::dve) sync: Option<Sync>,
    /// The assignments, in order.
    pub(in crate::dve) effects: Vec<Effect>,
    /// From the source to the target.
    pub(in crate::dve) span: Span,
}

/// `c!e` or `c?x`
#[derive(Clone, Debug)]
pub(in crate::dve) struct Sync {
    /// The channel.
    pub(in crate::dve) channel: Name,
    /// Whether it sends.
    pub(in crate::dve) sends: bool,
    /// The values that are sent, or the variables that take those received.
    pub(in crate::dve) values: Vec<Expr>,
    /// The text.
    pub(in crate::dve) span: Span,
}

/// `place = value`
#[derive(Clone, Debug)]
pub(in crate::dve) struct Effect {
    /// A variable or an element.
    pub(in crate::dve) place: Expr,
    /// The value.
    pub(in crate::dve) value: Expr,
    /// The text.
    pub(in crate::dve) span: Span,
}

/// `system async property P;`
#[derive(Clone, Debug)]
pub(in crate::dve) struct System {
    /// Whether all processes step together.
    pub(in crate::dve) is_synchronous: bool,
    /// The process that is the property.
    pub(in crate::dve) property: Option<Name>,
    /// `system`
    pub(in crate::dve) span: Span,
}

/// An expression.
pub(in crate::dve) type Expr = Spanned<ExprKind>;

/// The forms of expressions.
#[derive(Clone, Debug)]
pub(in crate::dve) enum ExprKind {
    /// A number; `true` and `false` are 1 and 0.
    Int(i32),
    /// `x`, or `x[i]`
    Data(Name, Option<Box<Expr>>),
    /// `P->x`, or `P->x[i]`
    Foreign(Name, Name, Option<Box<Expr>>),
    /// `P.s`: whether a process is in a state
    InState(Name, Name),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(Infix, Box<Expr>, Box<Expr>),
}

/// The prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::dve) enum UnaryOp {
    /// `not` or `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Negate,
}

/// The infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::dve) enum Infix {
    /// `imply`
    Imply,
    /// `or` or `||`
    Or,
    /// `and` or `&&`
    And,
    /// Operators on numbers; `/` and `%` are the quotient and the remainder towards zero.
    On(BinaryOp),
}
