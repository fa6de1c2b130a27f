//! Run-time faults and limits as values: no fault is dropped, wrapped or turned into a panic.

use crate::model::{ClassId, RebecId, Width};
use crate::source::Spanned;

/// The fault of a step. It ends the step, which has no successor.
pub type Fault = Spanned<FaultKind>;

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
        /// The required class.
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

/// The classes of faults, by which checks of faults are switched on and off.
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

/// A bound of the tool, not of the model, that ended a step: every verdict that depends on this step is inconclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExecutionLimit {
    /// [`Bounds::max_rebecs`](super::Bounds::max_rebecs) for this class.
    Rebecs(ClassId),
    /// [`Bounds::max_work`](super::Bounds::max_work).
    Work,
}

/// The reason why a step has no successor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// A fault of the model.
    Fault(Fault),
    /// A bound of the tool.
    Limit(ExecutionLimit),
}
