//! The interface of a state space to a watch: the possible questions, and the wording of the answers in the model's
//! names.

use ltl::Properties;
use num_bigint::BigUint;

use crate::report::{InternalError, QueryKind};
use crate::search::StateSpace;

/// A fault in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultText {
    /// The text of the fault.
    pub text: String,
    /// Its process.
    pub process: String,
}

/// An execution that the reference semantics confirms.
#[derive(Clone, Debug)]
pub struct Replayed<T, F> {
    /// The execution.
    pub trace: T,
    /// The fault in which it ends.
    pub fault: Option<F>,
}

/// A state space whose model can be checked.
pub trait Watched: StateSpace {
    /// A condition over one state.
    type Condition: Clone + PartialEq;
    /// The properties of a question, in addition to the built-in checks.
    type Properties: Properties<Condition = Self::Condition>;
    /// An invariant, prepared.
    type Invariant: Send;
    /// A start or a step that faults.
    type Fault: Send;
    /// An execution of the reference semantics.
    type Trace;

    /// The checks that every model of the language has, in the order of the answers.
    const BUILT_IN: &'static [QueryKind];
    /// The meaning of a deadlock, in words.
    const DEADLOCK: &'static str;

    /// A condition, prepared.
    fn prepared(&self, condition: &Self::Condition) -> Self::Invariant;

    /// The invariant of a name, prepared.
    fn invariant(&self, _name: &str, condition: &Self::Condition) -> Self::Invariant {
        self.prepared(condition)
    }

    /// Whether an invariant holds in a stored state; it does not where its evaluation faults.
    fn holds(&self, invariant: &mut Self::Invariant, number: u32) -> bool;

    /// The reason that an invariant has no value in a stored state, if it has none.
    fn fault_of_invariant(&self, invariant: &Self::Invariant, number: u32) -> Option<String>;

    /// The check that a failed start violates, unless a bound of the tool ended it.
    fn fault_of_start(&self, failed: &Self::FailedStart) -> Option<(QueryKind, Self::Fault)>;

    /// The number of steps of an expansion that have no successor.
    fn stopped(&self, expansion: &Self::Expansion) -> usize;

    /// The check that one of them violates, unless a bound of the tool ended it.
    fn kind_of_fault(&self, expansion: &Self::Expansion, at: usize) -> Option<QueryKind>;

    /// The fault of one of them, for the expansion of a state.
    fn fault(&self, number: u32, expansion: &Self::Expansion, at: usize) -> Self::Fault;

    /// A fault in words.
    fn describe(&self, fault: &Self::Fault) -> FaultText;

    /// The values of some elements of a stored state, appended.
    ///
    /// # Panics
    /// If states of the language have no elements; then no sort of data is counted, and nothing is measured.
    fn values_of(&self, _number: u32, _elements: &[usize], _values: &mut Vec<i32>) {
        unreachable!("sorts of data are those of processes")
    }

    /// The size of the orbit of a stored state under the group of the quotient, if there is one and the size is
    /// known.
    fn orbit_size(&mut self, number: u32) -> Option<BigUint>;

    /// The execution along stored states (none: only a start that faults) that ends in a fault if one is given. In a quotient it goes through the orbits of the stored states.
    ///
    /// # Errors
    /// The reference semantics does not confirm it.
    fn replayed(
        &mut self,
        path: &[u32],
        last: Option<&Self::Fault>,
    ) -> Result<Replayed<Self::Trace, Self::Fault>, InternalError>;
}
