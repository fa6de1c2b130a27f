//! The tree of a Promela text, behind the preprocessor and with `inline` texts in place.

use std::rc::Rc;

use crate::sequential::BinaryOp;
pub(crate) use crate::source::Name;
use crate::source::{Span, Spanned};
use crate::syntax::temporal::{Temporal1, Temporal2};

/// A whole text.
#[derive(Clone, Default, Debug)]
pub(crate) struct File {
    /// The declarations of symbols, in the order of the text.
    pub symbols: Vec<Symbols>,
    /// `typedef`s.
    pub records: Vec<Record>,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// `proctype`s and `init`.
    pub processes: Vec<Process>,
    /// `ltl` formulas.
    pub formulas: Vec<Claim>,
    /// `never` claims.
    pub never: Vec<Never>,
}

/// `mtype:set = { names }`
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    /// The name of the set; empty for `mtype` alone.
    pub set: String,
    pub names: Vec<Name>,
}

/// `never name { body }`.
#[derive(Clone, Debug)]
pub(crate) struct Never {
    pub name: Name,
    pub body: Vec<Stmt>,
    /// The closing brace.
    pub end: Span,
}

/// `ltl name { formula }`.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub name: Name,
    pub formula: Expr,
}

/// `typedef name { fields }`.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub name: Name,
    pub fields: Vec<Variable>,
}

/// The type of a variable or of a field of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Pid,
    Mtype,
    Chan,
    /// `unsigned x : bits`
    Unsigned(u32),
    /// A `typedef`.
    Record(String),
}

/// The declaration of one variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: Name,
    pub of: Type,
    /// The number of elements of an array.
    pub size: Option<Expr>,
    pub initial: Option<Initial>,
    /// Whether it is declared as no part of the state.
    pub is_hidden: bool,
}

/// The initial value of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    Value(Expr),
    List(Vec<Expr>),
    /// `[capacity] of { fields }`
    Channel(Channel),
}

/// `[capacity] of { fields }`.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub capacity: Expr,
    pub fields: Vec<Type>,
    pub span: Span,
}

/// A `proctype` or `init`.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub name: Name,
    /// The number of processes at the start; `Some` without an expression is 1.
    pub active: Option<Option<Expr>>,
    pub parameters: Vec<Variable>,
    pub provided: Option<Expr>,
    pub body: Vec<Stmt>,
    /// The closing brace.
    pub end: Span,
}

/// A statement.
pub(crate) type Stmt = Spanned<StmtKind>;

/// The kind of a statement, with its parts.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    /// Declarations.
    Declare(Vec<Variable>),
    /// A condition; `skip` is 1.
    Expr(Expr),
    /// `place = value`
    Assign(Place, Expr),
    /// `run` as a statement, or within the value of an assignment.
    Run(Run, Option<Result>),
    /// `channel ! arguments`; `!!` sorts.
    Send { channel: Place, arguments: Vec<Expr>, sorted: bool },
    /// `channel ? arguments`; `??` is random, and `?<..>` keeps the message.
    Receive { channel: Place, arguments: Vec<Argument>, random: bool, keeps: bool },
    /// `if`
    If(Vec<Vec<Stmt>>),
    /// `do`
    Do(Vec<Vec<Stmt>>),
    /// `for (x : low .. high) { .. }`, behind the assignment of the least value.
    For { variable: Place, high: Expr, body: Vec<Stmt> },
    /// `for (x in array) { .. }`, or the messages of a channel.
    ForIn {
        variable: Place,
        list: Place,
        /// The name of the counter of the messages, if the list is a channel; it is given with the names of locals.
        counter: String,
        body: Vec<Stmt>,
    },
    /// `select (x : low .. high)`: one step, or a loop behind the assignment of the least value.
    Select { variable: Place, low: Expr, high: Expr, at_once: bool },
    /// `atomic`
    Atomic(Vec<Stmt>),
    /// `d_step`
    DStep(Vec<Stmt>),
    /// Braces.
    Block(Vec<Stmt>),
    /// `body unless escape`
    Unless(Vec<Stmt>, Vec<Stmt>),
    /// `goto`
    Goto(Label),
    /// `break`
    Break,
    /// `else`
    Else,
    /// `assert(condition)`
    Assert(Expr),
    /// `printf`
    Print(Vec<Expr>),
    /// `name: statement`
    Label(Label, Box<Stmt>),
}

/// A label where it stands, or as the target of a jump.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub name: Name,
    /// The braces that it stands in, those outside first.
    pub braces: Vec<u32>,
    /// The `inline` text that it stands in.
    pub inline: Option<Rc<str>>,
}

/// An assignment of a value that the number of a new process is part of.
#[derive(Clone, Debug)]
pub(crate) struct Result {
    pub place: Place,
    pub value: Expr,
}

/// `run name(arguments)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub name: Name,
    pub arguments: Vec<Expr>,
}

/// A variable, an element, or a field: `a[1].b.c[i]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub parts: Vec<Part>,
    pub span: Span,
}

/// One name of a place with its index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

/// An argument of a receive statement or poll.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// `eval(e)`, or a constant.
    Match(Expr),
    /// A variable that takes the value, or a symbol that is to be matched.
    Place(Place),
    /// `_`
    Any,
}

/// An expression.
pub(crate) type Expr = Spanned<ExprKind>;

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Not,
    Negate,
    Complement,
    Temporal(Temporal1),
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    /// An operation on numbers; a condition is 0 or 1.
    On(BinaryOp),
    And,
    Or,
    Implies,
    Equivalent,
    Temporal(Temporal2),
}

/// The functions of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    Len,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

/// The kind of an expression, with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ExprKind {
    /// A number.
    Int(i64),
    /// The value of a variable.
    Place(Place),
    /// A prefix operator.
    Unary(Unary, Box<Expr>),
    /// An infix operator.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function of a channel.
    Measure(Measure, Place),
    /// `channel ? [arguments]`
    Poll { channel: Place, arguments: Vec<Argument>, random: bool },
    /// `timeout`
    Timeout,
    /// `_nr_pr`
    ProcessCount,
    /// `_pid`
    Pid,
    /// `P[pid]@label`
    At { process: Name, pid: Option<Box<Expr>>, label: Name },
    /// `P[pid]:variable`
    Of { process: Name, pid: Option<Box<Expr>>, place: Place },
    /// The number of the process that the statement makes.
    Made,
    /// `_last`
    Last,
    /// `np_`
    NoProgress,
    /// `enabled(pid)`
    Enabled(Box<Expr>),
}

impl Expr {
    /// Whether a temporal operator occurs in it.
    pub(crate) fn is_temporal(&self) -> bool {
        match &self.kind {
            ExprKind::Unary(op, inner) => matches!(op, Unary::Temporal(_)) || inner.is_temporal(),
            ExprKind::Binary(op, left, right) => {
                matches!(op, Binary::Temporal(_)) || left.is_temporal() || right.is_temporal()
            }
            _ => false,
        }
    }
}
