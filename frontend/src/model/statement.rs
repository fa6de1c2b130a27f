//! Statements: structured, with every effect (assignment, choice, call, creation, send) at statement level.
//!
//! A local begins to exist at its `Let` and exists until the end of the enclosing block.

use super::{ClassId, Expr, LocalId, MethodId, Place, ScalarSetId, ServerId};
use crate::source::Spanned;
use crate::walk::walks;

/// Statements in order; a separate scope.
pub type Block = Vec<Stmt>;

/// A statement with its place in the text.
pub type Stmt = Spanned<StmtKind>;

/// The source of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rvalue {
    /// A pure expression.
    Expr(Expr),
    /// `?(a, b, ..)`: one branch per option; an option is evaluated when it is chosen, and only then.
    Choose(Vec<Expr>),
    /// A method of the same class.
    Call {
        /// The method, in the class that runs.
        method: MethodId,
        /// One per parameter.
        arguments: Vec<Expr>,
    },
    /// `new C(known..):(arguments..)`.
    New {
        /// The class; never abstract.
        class: ClassId,
        /// One per element of the class's known-rebec variables.
        known: Vec<Expr>,
        /// One per parameter of `initial` or of the constructor.
        arguments: Vec<Expr>,
    },
}

/// One arm of a `switch`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Arm {
    /// The constants that select it.
    pub labels: Vec<i32>,
    /// Whether `default` selects it.
    pub is_default: bool,
    /// Its statements; control falls through to the next arm unless they leave.
    pub block: Block,
}

/// The kind of a statement, with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StmtKind {
    /// Declares a local. Without a value its elements start at the default of their sort.
    Let {
        /// The local, in scope from the next statement onwards.
        local: LocalId,
        /// Its first value; only plain locals have one.
        value: Option<Rvalue>,
    },
    /// Assigns to a place. The indices are evaluated before the value.
    Assign {
        /// The place; never a known rebec.
        place: Place,
        /// The value.
        value: Rvalue,
    },
    /// Runs a call or a creation and discards its result.
    Do(Rvalue),
    /// Sends a message. The receiver is evaluated first, then the arguments.
    Send {
        /// The receiving rebec.
        receiver: Expr,
        /// The name of the message.
        message: String,
        /// The arguments.
        arguments: Vec<Expr>,
        /// For each class the server that takes the message; `None` where the class has none with this name and
        /// number of arguments.
        targets: Vec<Option<ServerId>>,
    },
    /// `assertion(condition, "message")`.
    Assert {
        /// The condition that must hold.
        condition: Expr,
        /// The user's text.
        message: Option<String>,
    },
    /// `if`.
    If {
        /// The condition.
        condition: Expr,
        /// The block that runs if the condition holds.
        then: Block,
        /// The block that runs if it does not.
        otherwise: Block,
    },
    /// `for (; condition; update) body`; `while` has no update.
    Loop {
        /// The condition, evaluated before each round.
        condition: Expr,
        /// The body.
        body: Block,
        /// Plain assignments of expressions that run after each round, also after `continue`.
        update: Block,
    },
    /// `forEachValueOf(set) body`: the local takes the values of the set in ascending order.
    ForEach {
        /// The scalar set.
        set: ScalarSetId,
        /// The local that holds the value; its name is that of the set; never assigned.
        local: LocalId,
        /// The body.
        body: Block,
    },
    /// `switch`; `break` leaves it.
    Switch {
        /// The integer that selects.
        value: Expr,
        /// The arms in order.
        arms: Vec<Arm>,
    },
    /// `{ .. }`.
    Block(Block),
    /// Leaves the innermost loop, `forEachValueOf` or `switch`.
    Break,
    /// Ends the round of the innermost loop or `forEachValueOf`.
    Continue,
    /// Ends the server, constructor or method.
    Return(Option<Expr>),
}

macro_rules! parts {
    ($operands:ident, $value:ident, $expressions:ident, $blocks:ident, $inner:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Rvalue {
            /// The expressions that it evaluates, in order.
            pub fn $operands(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
                match self {
                    Rvalue::Expr(expr) => vec![expr],
                    Rvalue::Choose(list) | Rvalue::Call { arguments: list, .. } => list.$iter().collect(),
                    Rvalue::New { known, arguments, .. } => known.$iter().chain(arguments).collect(),
                }
            }
        }

        impl Stmt {
            /// The value that the statement computes, if it computes one.
            pub fn $value(&$($mutable)? self) -> Option<&$($mutable)? Rvalue> {
                match &$($mutable)? self.kind {
                    StmtKind::Let { value: Some(value), .. }
                    | StmtKind::Assign { value, .. }
                    | StmtKind::Do(value) => Some(value),
                    _ => None,
                }
            }

            /// The expressions that the statement itself evaluates, in the order of the text: indices first, then the value.
            pub fn $expressions(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
                match &$($mutable)? self.kind {
                    StmtKind::Let { value: Some(value), .. } | StmtKind::Do(value) => value.$operands(),
                    StmtKind::Assign { place, value } => place.indices.$iter().chain(value.$operands()).collect(),
                    StmtKind::Send { receiver, arguments, .. } => {
                        std::iter::once(receiver).chain(arguments).collect()
                    }
                    StmtKind::Assert { condition: value, .. }
                    | StmtKind::If { condition: value, .. }
                    | StmtKind::Loop { condition: value, .. }
                    | StmtKind::Switch { value, .. }
                    | StmtKind::Return(Some(value)) => vec![value],
                    StmtKind::Let { value: None, .. }
                    | StmtKind::ForEach { .. }
                    | StmtKind::Block(_)
                    | StmtKind::Break
                    | StmtKind::Continue
                    | StmtKind::Return(None) => Vec::new(),
                }
            }

            /// The blocks directly inside, in the order of the text.
            pub fn $blocks(&$($mutable)? self) -> Vec<&$($mutable)? Block> {
                match &$($mutable)? self.kind {
                    StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
                    StmtKind::Loop { body, update, .. } => vec![body, update],
                    StmtKind::ForEach { body, .. } | StmtKind::Block(body) => vec![body],
                    StmtKind::Switch { arms, .. } => arms.$iter().map(|arm| &$($mutable)? arm.block).collect(),
                    _ => Vec::new(),
                }
            }

            fn $inner(&$($mutable)? self) -> impl Iterator<Item = &$($mutable)? Stmt> {
                self.$blocks().into_iter().flatten()
            }
        }
    };
}

parts!(operands, value, expressions, blocks, inner, iter);
parts!(operands_mut, value_mut, expressions_mut, blocks_mut, inner_mut, iter_mut, mut);
walks!(Stmt, inner, inner_mut);
