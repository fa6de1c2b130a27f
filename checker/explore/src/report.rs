//! The result of a search: the verdict, the counts, and a replayed counterexample for each violation.
//!
//! Invariant: `verdict == Holds` only when the search is complete and exact and every answer is `Holds`. A reachability run of which nothing was asked
//! need not be complete: each answer is that of a run of its own.

use std::io::{self, Write};
use std::sync::Arc;

use ltl::{Formula, Property, Says};

use crate::checkpoint::Damaged;
use crate::finding::Finding;
use crate::growth::Growing;
use crate::question::Fairness;
use crate::reductions::{GroupUsed, Reduction, ReductionKind};
use crate::spill::{Spilled, Spilling};

/// A verdict. A limit never looks like an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Only a finished exact search has this verdict.
    Holds,
    /// With a replayed counterexample.
    Violated,
    /// Neither could be established.
    Inconclusive,
}

/// The report of one run, with executions in the language of the model.
#[derive(Clone, Debug)]
pub struct Report<T> {
    /// The verdict over the whole question: violated if any answer is, else inconclusive if any is, else holds.
    pub verdict: Verdict,
    /// Whether every reachable state was explored.
    pub complete: bool,
    /// Whether states were compared exactly.
    pub exact: bool,
    /// One answer per part of the question.
    pub answers: Vec<Answer<T>>,
    /// The checks that were not requested.
    pub unwatched: Vec<Unwatched>,
    /// States stored, initial ones included.
    pub states: u64,
    /// Transitions of all expanded states: pairs (rebec, distinct successor), or enabled instances of summands.
    pub transitions: u64,
    /// The greatest distance of a stored state from an initial one along the search.
    pub depth: u64,
    /// Deadlocks; known only when everything was explored with `keep_going`.
    pub deadlock_states: Option<u64>,
    /// The limit that ended the search early, if one did.
    pub limit: Option<Limit>,
    /// The reductions that were considered, applied or not, in the order of their stacking.
    pub reductions: Vec<Reduction>,
    /// The group of the quotient, if one was used.
    pub group: Option<GroupUsed>,
    /// The sorts of data of the model, with the values in use, of a complete reachability run that stored a state of each orbit.
    pub data: Vec<DataUse>,
    /// The variables that grow without an end in sight, of a breadth-first reachability run that a limit ended.
    pub growing: Vec<Growing>,
    /// How often each part of the model was executed, in the order of the language: of a complete reachability run in which every
    /// step of every state was counted; `None` for a part of which a quotient says nothing.
    pub executed: Option<Vec<Option<u64>>>,
    /// The threads that the search used.
    pub threads: u32,
    /// The failure that ended the search, if part of the checker failed: the figures are those of the work before.
    pub fault: Option<InternalError>,
    /// The states that were moved to the disk when memory was short.
    pub spilled: Spilled,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl<T> Report<T> {
    /// The verdict that follows from the answers.
    pub fn verdict_of_answers(&self) -> Verdict {
        let any = |verdict| self.answers.iter().any(|answer| answer.verdict == verdict);
        if any(Verdict::Violated) {
            Verdict::Violated
        } else if any(Verdict::Inconclusive) || !self.complete && !self.is_of_other_runs() {
            Verdict::Inconclusive
        } else {
            Verdict::Holds
        }
    }

    /// Whether every answer has a run of its own: nothing was asked of the reachability run, which may have ended at a limit.
    fn is_of_other_runs(&self) -> bool {
        self.fault.is_none() && !self.answers.is_empty() && self.answers.iter().all(|answer| answer.run.is_some())
    }

    /// The limit that ended the search, or else the first one that ended a run of its own and left its answer open.
    pub fn first_limit(&self) -> Option<Limit> {
        let open = self.answers.iter().filter(|answer| answer.verdict == Verdict::Inconclusive);
        self.limit.or_else(|| open.filter_map(|answer| answer.run.as_ref()?.limit).next())
    }

    /// Asserts that the verdict is that of the answers, and that `holds` is said of a finished exact search only.
    ///
    /// # Panics
    /// Where it is not: an error of this program, and no answer.
    pub fn assert_sound(&self) {
        assert_eq!(self.verdict, self.verdict_of_answers(), "the verdict is that of the answers");
        if self.verdict == Verdict::Holds {
            assert!(self.exact && self.fault.is_none(), "`holds` is said of an exact search without a fault only");
            let is_finished = self.complete && self.limit.is_none();
            assert!(is_finished || self.is_of_other_runs(), "`holds` is not said of a search that was ended");
        }
        for answer in &self.answers {
            let is_open = matches!(answer.finding, Finding::Open(_));
            assert!(!is_open || answer.verdict == Verdict::Inconclusive, "an open question has no verdict");
            // One state that meets a cover is enough.
            let needs_all = answer.verdict == Verdict::Holds && answer.kind != QueryKind::Cover;
            let is_finished = answer.run.as_ref().is_none_or(|run| run.complete && run.limit.is_none());
            assert!(!needs_all || is_finished, "`holds` is said of a formula whose run is finished");
        }
        let depth_of_states = self.depth < self.states.max(1);
        assert!(depth_of_states, "a state at each distance: depth {}, {} states", self.depth, self.states);
    }

    /// The numbers without any reduction: those of a complete reachability run, or the sums of its orbits.
    pub fn full(&self) -> Option<Full> {
        let is_run = self.complete && self.answers.iter().any(|answer| answer.run.is_none());
        let leaves_out = |kind| match kind {
            ReductionKind::Structural | ReductionKind::Slicing | ReductionKind::DeadValues => true,
            ReductionKind::MovedStarts | ReductionKind::HeapSymmetry | ReductionKind::PartialOrder => true,
            ReductionKind::Images | ReductionKind::Symmetry | ReductionKind::QueueBounds | ReductionKind::AllRuns => {
                false
            }
        };
        if !is_run || self.reductions.iter().any(|one| one.is_applied() && leaves_out(one.kind)) {
            return None;
        }
        let Some(group) = &self.group else {
            return Some(Full { states: self.states.to_string(), transitions: Some(self.transitions.to_string()) });
        };
        let orbits = group.orbits.as_ref()?;
        Some(Full { states: orbits.sum.clone(), transitions: orbits.transitions.clone() })
    }
}

/// The numbers of a state space without any reduction, decimal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Full {
    /// The number of states.
    pub states: String,
    /// The number of transitions, if the group keeps it.
    pub transitions: Option<String>,
}

/// The kind of one part of the question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueryKind {
    /// Deadlock.
    Deadlock,
    /// Queue overflow.
    Overflow,
    /// `assertion(..)` in the model.
    Assertion,
    /// Every other run-time fault.
    Error,
    /// An invariant of a property file, or an `assert` line.
    Invariant,
    /// A formula.
    Ltl,
    /// A formula of CTL.
    Ctl,
    /// A condition that some state or step is to meet.
    Cover,
    /// A condition that is to be reached again from every state.
    Recovery,
}

impl QueryKind {
    /// The kind of a property; `None` where it asks nothing itself.
    pub fn of(property: &impl Property) -> Option<QueryKind> {
        match property.says() {
            Says::Invariant(_) => Some(QueryKind::Invariant),
            Says::Formula(formula) => Some(QueryKind::of_formula(formula)),
            Says::Cover => Some(QueryKind::Cover),
            Says::Recovery => Some(QueryKind::Recovery),
            Says::End(_) => None,
        }
    }

    /// The kind of a formula.
    pub fn of_formula<A>(formula: &Formula<A>) -> QueryKind {
        if formula.is_branching() { QueryKind::Ctl } else { QueryKind::Ltl }
    }

    /// Whether a run of its own answers it.
    pub fn has_own_run(self) -> bool {
        matches!(self, QueryKind::Ltl | QueryKind::Ctl | QueryKind::Cover | QueryKind::Recovery)
    }

    /// The name of a built-in check in questions; the kind of the others.
    pub fn name(self) -> &'static str {
        match self {
            QueryKind::Deadlock => "deadlock",
            QueryKind::Overflow => "overflow",
            QueryKind::Assertion => "assertion",
            QueryKind::Error => "error",
            QueryKind::Invariant => "invariant",
            QueryKind::Ltl => "ltl",
            QueryKind::Ctl => "ctl",
            QueryKind::Cover => "cover",
            QueryKind::Recovery => "recovery",
        }
    }
}

/// The answer to one part of the question.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// `deadlock`, `overflow`, `assertion`, `error`, or the name of the property.
    pub name: String,
    /// Its kind.
    pub kind: QueryKind,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its ground.
    pub finding: Finding,
    /// The counterexample, replayed by the reference interpreter.
    pub trace: Option<T>,
    /// The runs that show the answer to a formula of branching time, in addition to the counterexample.
    pub explanation: Option<Explanation<T>>,
    /// The separate run that answered it; absent for answers of the reachability run.
    pub run: Option<Run>,
}

/// The tree of runs that show whether a formula of branching time is true at the start.
#[derive(Clone, Debug)]
pub struct Explanation<T> {
    /// The main run where the formula is true; where it is false that is the counterexample.
    pub witness: Option<T>,
    /// The parts of the formula that the main run shows.
    pub notes: Vec<Note>,
    /// The runs that branch off the main run.
    pub branches: Vec<Branch<T>>,
    /// Whether further runs were left out.
    pub is_cut: bool,
}

/// A run that shows parts of a formula in a state of another run. Up to that state the two are equal.
#[derive(Clone, Debug)]
pub struct Branch<T> {
    /// The index of that state.
    pub from: usize,
    /// The parts of the formula that it shows.
    pub notes: Vec<Note>,
    /// The run, from a start of the model.
    pub trace: T,
    /// The runs that branch off this one.
    pub branches: Vec<Branch<T>>,
}

/// A part of a formula whose value the rest of a run shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The index of the state in which the part has the value.
    pub at: usize,
    /// The place of the part: numbers of operands from the whole formula inwards.
    pub part: Vec<usize>,
    /// Whether it is true there.
    pub holds: bool,
    /// Its text in the language of the model; empty until the line writes it.
    pub text: String,
}

/// A sort of data: its values are copied, compared for equality and chosen, and nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataUse {
    /// The name of the sort, or of several whose values meet.
    pub sort: String,
    /// The number of its values that the text does not name.
    pub values: u64,
    /// The most values that a reachable state holds.
    pub used: u64,
    /// The number of values that have to be left for a step or a condition.
    pub needed: u64,
}

impl DataUse {
    /// The least number of values from which on more values add no state, up to exchanging values, if nothing else in the text changes with their number;
    /// nothing if the run does not show that.
    pub fn enough(&self) -> Option<u64> {
        Some(self.used + self.needed).filter(|&enough| enough <= self.values)
    }
}

/// The figures of a run that answered one formula.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Run {
    /// States of the product with the automaton.
    pub states: u64,
    /// Transitions of the product.
    pub transitions: u64,
    /// States of the system that were stored.
    pub system_states: u64,
    /// The greatest depth of a stored state of the system; 0 for a formula of linear time, whose paths are those of the product.
    pub depth: u64,
    /// Sweeps over the states in which steps were computed again that did not fit into memory, for a formula of branching time.
    pub sweeps: u64,
    /// The conditions of the formula, by their number from left to right, that are known to be true in no reachable state.
    pub untrue: Vec<usize>,
    /// Whether everything was explored.
    pub complete: bool,
    /// The assumption about infinite runs.
    pub fairness: Fairness,
    /// The reductions that were considered.
    pub reductions: Vec<Reduction>,
    /// The group of the quotient, if one was used.
    pub group: Option<GroupUsed>,
    /// The limit that ended the run early.
    pub limit: Option<Limit>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// A check that was not requested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unwatched {
    /// Deadlock.
    Deadlock,
    /// Queue overflow.
    Overflow,
    /// Failed `assertion(..)`.
    Assertion,
    /// Other run-time faults.
    Error,
}

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The kind of the bound.
    pub kind: LimitKind,
    /// Its value: states, steps, bytes, milliseconds, rebecs, statements, or the number of the signal.
    pub value: u64,
}

/// The kinds of bounds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LimitKind {
    /// States stored.
    States,
    /// Steps from an initial state.
    Depth,
    /// Bytes.
    Memory,
    /// Milliseconds.
    Time,
    /// Created rebecs of one class.
    Rebecs,
    /// Processes at a time.
    Processes,
    /// Statements of one server over all its choices.
    Work,
    /// Images of one state that were computed to find its representative.
    Representative,
    /// A file of states could not be read; with the bytes that were written to it.
    Disk,
    /// A signal.
    Interrupt,
}

/// A snapshot of a running search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// States stored.
    pub states: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// States stored and not yet expanded.
    pub frontier: u64,
    /// Current depth.
    pub depth: u64,
    /// Bytes of memory of the search.
    pub memory: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// The caller's means to follow a search, and to keep it. The watch of the thread stops it.
pub trait Control {
    /// Called a few times per second at most.
    fn progress(&mut self, progress: &Progress);

    /// The place for states that memory has no room for; `None` if there is no such place. Called once, when a search
    /// begins.
    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        None
    }

    /// Whether the search continues from a checkpoint, or is saved in one.
    fn is_saved(&self) -> bool {
        false
    }

    /// The checkpoint to continue from, if there is one; called once, when a search begins.
    fn resumed(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Whether a checkpoint is due now; `last` when the search is about to end early.
    fn is_checkpoint_due(&mut self, last: bool) -> bool {
        let _ = last;
        false
    }

    /// Keeps a checkpoint: the bytes that `write` writes, whole or not at all.
    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let _ = write;
    }
}

/// Follows a search, and keeps no checkpoint of it.
pub struct Unsaved<'c>(pub &'c mut dyn Control);

impl Control for Unsaved<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.0.progress(progress);
    }

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        self.0.spilling()
    }
}

impl Control for () {
    fn progress(&mut self, _: &Progress) {}
}

/// A fault of the checker itself: a counterexample that the reference interpreter does not confirm, or a panic of a worker.
#[derive(Clone, Debug)]
pub struct InternalError(pub String);

impl From<Damaged> for InternalError {
    fn from(Damaged: Damaged) -> InternalError {
        InternalError("a value is out of its range, or contradicts another one or a step of the model".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use limits::{Cause, Stopped};

    use super::{Answer, Finding, InternalError, QueryKind, Report, Run, Verdict};
    use crate::unsearched::{stopped_report, unanswered};

    fn cut(kinds: &[QueryKind], verdict: Verdict) -> Report<()> {
        let stopped = Stopped { cause: Cause::Work(1), phase: "", is_share: false };
        let answer = |&kind: &QueryKind| {
            let open = unanswered("f", kind, stopped);
            let run = open.run.as_ref().map(|_| Run { complete: true, ..Run::default() });
            if verdict == Verdict::Holds { Answer { verdict, finding: Finding::Verdict, run, ..open } } else { open }
        };
        let mut report = stopped_report(kinds.iter().map(answer).collect(), stopped);
        report.verdict = report.verdict_of_answers();
        report
    }

    /// A limit on the reachability run leaves open what was asked of it, and nothing else.
    #[test]
    fn formulas_hold_where_a_limit_ends_a_run_of_which_nothing_is_asked() {
        let formulas = [QueryKind::Ltl, QueryKind::Ctl];
        let report = cut(&formulas, Verdict::Holds);
        assert_eq!(report.verdict, Verdict::Holds);
        report.assert_sound();
        let failed = Report { fault: Some(InternalError("a fault".to_owned())), ..report };
        assert_eq!(failed.verdict_of_answers(), Verdict::Inconclusive);
        let others = [
            (&formulas[..], Verdict::Inconclusive),
            (&[], Verdict::Holds),
            (&[QueryKind::Ltl, QueryKind::Deadlock], Verdict::Holds),
        ];
        for (kinds, verdict) in others {
            assert_eq!(cut(kinds, verdict).verdict, Verdict::Inconclusive, "{kinds:?}");
        }
    }

    /// A limit that ended the run of a formula is the limit of the report, unless the formula has its verdict.
    #[test]
    fn the_limit_of_a_run_is_named_where_it_left_something_open() {
        let kinds = [QueryKind::Deadlock, QueryKind::Ltl];
        let [open, settled] = [Verdict::Inconclusive, Verdict::Holds].map(|verdict| {
            let report = cut(&kinds, verdict);
            (Report { limit: None, ..report.clone() }.first_limit(), report.limit)
        });
        assert!(open.0.is_some() && open.0 == open.1, "{open:?}");
        assert!(settled.0.is_none() && settled.1.is_some(), "{settled:?}");
    }
}
