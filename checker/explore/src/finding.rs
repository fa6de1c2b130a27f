//! [`Finding`]: the ground of an answer, as a type. Those who print reports write the words.
//!
//! Texts that stand in a finding are in the names of the model: faults, instances, processes.

use limits::Stopped;

/// The ground of an answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Finding {
    /// The verdict says all.
    #[default]
    Verdict,
    /// The step behind the last state faults.
    Fault {
        /// The fault.
        text: String,
        /// The instance that steps.
        process: String,
        /// The number of the step; `None` at the start.
        step: Option<usize>,
    },
    /// The last state is a deadlock.
    Deadlock {
        /// What a deadlock is in the language.
        meaning: &'static str,
        /// The distance of the state from a start.
        depth: usize,
    },
    /// The invariant is false in the last state.
    False {
        /// The distance of the state from a start.
        depth: usize,
    },
    /// A condition cannot be evaluated in the last state.
    Undefined {
        /// The fault.
        fault: String,
        /// The place of the state.
        at: Place,
    },
    /// The formula of branching time is false at the start.
    FalseAtStart {
        /// Whether a run shows it; that no run does something is shown by none.
        is_shown: bool,
    },
    /// From the last state a condition can no longer be reached.
    Unreachable {
        /// The values of the instance, `name=value` each.
        instance: Vec<String>,
        /// The distance of the state from a start.
        depth: usize,
    },
    /// No state and no step meets the cover.
    Unmet,
    /// A run violates the formula.
    Run {
        /// The steps before the cycle, or before the end.
        stem: usize,
        /// The way in which it goes on.
        end: RunEnd,
    },
    /// The formula holds, and no reachable state satisfies these antecedents, so that nothing is asked behind them.
    Vacuous {
        /// Their texts.
        antecedents: Vec<String>,
    },
    /// The message flow proves that no queue overflows.
    NoOverflow,
    /// The question is open.
    Open(Open),
}

/// The place of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At this distance from a start.
    Depth(usize),
    /// After so many steps of a run that may not be the shortest.
    Steps(usize),
}

/// The end of a run that violates a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// A step that faults.
    Fault,
    /// No step.
    Stop,
    /// A cycle.
    Cycle {
        /// Its steps.
        steps: usize,
        /// Whether the run is weakly fair.
        is_fair: bool,
    },
}

/// The reason why a question is open.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Open {
    /// Not every state was explored.
    States,
    /// Not every run was explored.
    Runs,
    /// A cover is met, and not every state was explored: it may fault in another.
    Met,
    /// Another fault was met, and symmetries may change the kind of a fault.
    OtherFault,
    /// A formula, which this run does not answer.
    Formula,
    /// The automaton of the formula is too large.
    LargeAutomaton,
    /// The formula mixes linear and branching time.
    MixedTime,
    /// The formula was not decided on the explored graph.
    Undecided,
    /// States on the disk could not be read.
    Unread,
    /// The search did not begin.
    Unsearched(Stopped),
    /// A violation was met, and its run was not made.
    Unshown(Stopped),
}

impl Finding {
    /// Whether a condition had no value.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Finding::Undefined { .. })
    }

    /// The same finding about another run, of so many steps.
    #[must_use]
    pub fn of_run(mut self, steps: usize) -> Finding {
        match &mut self {
            Finding::Deadlock { depth, .. }
            | Finding::False { depth }
            | Finding::Unreachable { depth, .. }
            | Finding::Undefined { at: Place::Depth(depth) | Place::Steps(depth), .. } => *depth = steps,
            Finding::Fault { step, .. } => *step = step.map(|_| steps),
            Finding::Verdict
            | Finding::Unmet
            | Finding::FalseAtStart { .. }
            | Finding::Run { .. }
            | Finding::Vacuous { .. }
            | Finding::NoOverflow
            | Finding::Open(_) => {}
        }
        self
    }
}
