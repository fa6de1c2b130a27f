//! Run-time faults and limits as values: none is dropped, wrapped or turned into a panic.

use crate::model::{ClassId, RebecId, Width};
use crate::source::Span;

/// What went wrong in a step. The fault ends the step: it has no successor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The statement or expression.
    pub span: Span,
}

/// The sorts of run-time faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A message for a full queue.
    QueueOverflow {
        /// The rebec whose queue is full.
        receiver: RebecId,
        /// Its bound.
        bound: u32,
    },
    /// `assertion(..)` evaluated to false.
    AssertionFailed(Option<String>),
    /// `/` or `%` by zero, or `pow(0, n)` with negative `n`.
    DivisionByZero,
    /// An intermediate result that does not fit into 32 bits.
    ArithmeticOverflow,
    /// A value stored into, passed to or cast to a narrower integer that does not hold it.
    Narrowing {
        /// The value.
        value: i32,
        /// The width that does not hold it.
        width: Width,
    },
    /// An index outside the array.
    IndexOutOfRange {
        /// The index.
        index: i32,
        /// The size of the axis.
        len: u32,
    },
    /// A message sent to `null`.
    NullReceiver,
    /// A message that the receiver's class has no server for.
    NotUnderstood {
        /// The rebec it was sent to.
        receiver: RebecId,
        /// The name of the message.
        message: String,
    },
    /// A rebec that does not conform to the class it is cast to, stored as or passed as.
    WrongClass {
        /// The rebec.
        rebec: RebecId,
        /// The class asked for.
        class: ClassId,
    },
    /// A scalar variable read before it was assigned.
    UndefinedScalar,
    /// The square root of a negative number.
    NegativeRoot,
    /// A method whose result is used ended without `return`.
    MissingResult,
    /// A server, constructor or method that does not end within the step bound.
    Endless,
    /// Calls that nest deeper than the bound on calls.
    TooDeep,
}

/// How faults are asked for and un-asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultClass {
    /// [`FaultKind::QueueOverflow`].
    Overflow,
    /// [`FaultKind::AssertionFailed`].
    Assertion,
    /// Every other fault.
    Error,
}

impl FaultKind {
    /// The class of the fault.
    pub fn class(&self) -> FaultClass {
        match self {
            FaultKind::QueueOverflow { .. } => FaultClass::Overflow,
            FaultKind::AssertionFailed(_) => FaultClass::Assertion,
            _ => FaultClass::Error,
        }
    }
}

/// A bound of the tool, not of the model, that ended a step: whatever depends on it is inconclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExecutionLimit {
    /// [`Bounds::max_rebecs`](super::Bounds::max_rebecs) for this class.
    Rebecs(ClassId),
    /// [`Bounds::max_work`](super::Bounds::max_work).
    Work,
}

/// Why a step has no successor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// A fault of the model.
    Fault(Fault),
    /// A bound of the tool.
    Limit(ExecutionLimit),
}
