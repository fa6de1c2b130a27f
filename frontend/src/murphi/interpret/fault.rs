//! Faults of steps and of conditions.

use crate::murphi::program::{TypeId, Types};
use crate::murphi::{MAX_OPEN, MAX_ROUNDS};
use crate::source::Spanned;

/// A fault.
pub type Fault = Spanned<FaultKind>;

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// An undefined simple value is read.
    Undefined,
    /// A value goes to a place, a parameter or a result whose type does not hold it.
    OutsideType {
        /// The value.
        value: i32,
        /// Its own type.
        of: TypeId,
        /// The type that does not hold it.
        needed: TypeId,
    },
    /// An index that is no value of the index type.
    IndexOutside {
        /// The index.
        value: i32,
        /// Its own type.
        of: TypeId,
        /// The index type.
        needed: TypeId,
    },
    /// `/` or `%` by zero.
    DivisionByZero,
    /// A result that does not fit into 32 bits.
    ArithmeticOverflow,
    /// An element more than a multiset holds.
    MultisetFull(usize),
    /// A slot of a multiset whose element was removed.
    UnusedSlot,
    /// A function that ends without a value.
    NoResult,
    /// A loop whose step is zero.
    NoStep,
    /// `error`, with its text.
    Error(String),
    /// An assertion that does not hold, with its text.
    Assertion(String),
    /// More than [`MAX_ROUNDS`] rounds of loops in one step.
    Endless,
    /// An assumption does not hold in a function that a condition outside of steps calls.
    Excluded,
    /// No start state satisfies the assumptions.
    NoStart,
    /// Calls that nest deeper than [`MAX_OPEN`] allows.
    TooDeep,
}

impl FaultKind {
    /// The fault in words.
    pub fn text(&self, types: &Types) -> String {
        match self {
            FaultKind::Undefined => "an undefined value is read".into(),
            FaultKind::OutsideType { value, of, needed } => {
                format!("the value {} is outside of {}", types.value_text(*of, *value), types.text(*needed))
            }
            FaultKind::IndexOutside { value, of, needed } => {
                format!("the index {} is outside of {}", types.value_text(*of, *value), types.text(*needed))
            }
            FaultKind::DivisionByZero => "division by zero".into(),
            FaultKind::ArithmeticOverflow => "a result does not fit into 32 bits".into(),
            FaultKind::MultisetFull(capacity) => format!("the multiset holds {capacity} elements already"),
            FaultKind::UnusedSlot => "the element of this slot was removed".into(),
            FaultKind::NoResult => "a function ends without returning a value".into(),
            FaultKind::NoStep => "the step of a loop is zero".into(),
            FaultKind::Error(text) => text.clone(),
            FaultKind::Assertion(text) if text.is_empty() => "an assertion does not hold".into(),
            FaultKind::Assertion(text) => format!("an assertion does not hold: {text}"),
            FaultKind::Endless => format!("the loops of a step make more than {MAX_ROUNDS} rounds"),
            FaultKind::Excluded => "an `assume` does not hold in a function that it calls".into(),
            FaultKind::NoStart => "the assumptions exclude every start state".into(),
            FaultKind::TooDeep => format!("calls nest too deeply: their bodies are more than {MAX_OPEN} levels in all"),
        }
    }
}
