//! The watch on the question while a search runs: deadlock, faults by class, invariants.
//!
//! The first violation of each question is kept, as a state number and the faulting step behind it; traces are made
//! after the search. Faulting steps of a class that is not checked have no successor all the same.
//!
//! Soundness: the reported execution is replayed by the reference semantics; it is never the packed one. A state that
//! the reference semantics does not reach is a fault of the checker and is reported as such.

mod violation_log;
mod watched;

use std::ops::{ControlFlow, Range};

use ltl::{Properties, Property, Says};

pub use self::violation_log::{STORED, Time, TimedViolation, ViolationLog};
pub use self::watched::{FaultText, Replayed, Watched};

use crate::finding::{Finding, Open, Place};
use crate::question::Question;
use crate::report::{Answer, InternalError, QueryKind, Verdict};
use crate::search::{Expansion, Found, GRACE, Observer, Summary};

/// The questions of one run.
pub struct Watch<S: Watched> {
    queries: Vec<Query<S>>,
    /// The conditions under which a state without steps is no deadlock.
    ends: Vec<S::Invariant>,
    keep_going: bool,
    until_decided: bool,
    deadlocks: u64,
    /// Whether any step or start faults.
    faults: bool,
}

/// One question.
struct Query<S: Watched> {
    name: String,
    kind: QueryKind,
    invariant: Option<S::Invariant>,
    violation: Option<Violation<S::Fault>>,
}

/// A state or a step that violates a question.
struct Violation<F> {
    /// The last state; `None`: a start faults.
    state: Option<u32>,
    /// The fault of the last step.
    last: Option<F>,
}

impl<S: Watched> Watch<S> {
    /// The questions in the order of their answers.
    pub fn new<B: Copy>(space: &S, question: &Question<S::Properties, B>) -> Watch<S> {
        let new_query = |name: &str, kind| Query { name: name.to_owned(), kind, invariant: None, violation: None };
        let built_in = S::BUILT_IN.iter().filter(|&&kind| question.includes(kind));
        let mut queries: Vec<Query<S>> = built_in.map(|&kind| new_query(kind.name(), kind)).collect();
        queries.extend(question.properties.list().iter().filter_map(|property| match property.says() {
            Says::Invariant(condition) => {
                let invariant = Some(space.invariant(property.name(), condition));
                Some(Query { invariant, ..new_query(property.name(), QueryKind::Invariant) })
            }
            Says::Formula(formula) => Some(new_query(property.name(), QueryKind::of_formula(formula))),
            Says::End(_) | Says::Cover | Says::Recovery => None,
        }));
        let Question { keep_going, until_decided, .. } = *question;
        let ends = question.properties.ends().into_iter().map(|condition| space.prepared(condition)).collect();
        Watch { queries, ends, keep_going, until_decided, deadlocks: 0, faults: false }
    }

    /// The number of deadlocks that were expanded.
    pub fn deadlocks(&self) -> u64 {
        self.deadlocks
    }

    /// Removes all violations, which cannot be relied on.
    pub fn forget(&mut self) {
        self.queries.iter_mut().for_each(|query| query.violation = None);
    }

    /// Notes a violation of a question, unless it has one; returns whether the search continues.
    fn violate(&mut self, kind: QueryKind, violation: impl FnOnce() -> Violation<S::Fault>) -> ControlFlow<()> {
        let Some(query) = self.queries.iter_mut().find(|query| query.kind == kind) else {
            return ControlFlow::Continue(());
        };
        if query.violation.is_none() {
            query.violation = Some(violation());
        }
        self.verdict_reached()
    }

    fn verdict_reached(&self) -> ControlFlow<()> {
        let is_decided = || self.until_decided && self.queries.iter().all(|query| query.violation.is_some());
        if self.keep_going && !is_decided() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// The answers after a search, with replayed counterexamples. Unless `keeps_fault_classes`, other faults may be
    /// hidden behind those that were met. A violation whose run is stopped before it is made is left open.
    ///
    /// # Errors
    /// A counterexample that the reference semantics does not confirm.
    pub fn answers(
        &self,
        space: &mut S,
        summary: &Summary,
        keeps_fault_classes: bool,
    ) -> Result<Vec<Answer<S::Trace>>, InternalError> {
        assert!(!summary.complete || summary.limit.is_none(), "a search that is complete met no limit");
        let is_hidden = |kind| !keeps_fault_classes && self.faults && is_fault(kind);
        let mut watch = limits::watch().or_afterwards(GRACE);
        let answer = |query: &Query<S>| {
            let Some(violation) = &query.violation else {
                let (verdict, finding) = query.unviolated(summary, is_hidden(query.kind));
                return Ok(query.settled(verdict, finding));
            };
            watch.run(|| query.violated(space, violation)).unwrap_or_else(|stopped| {
                watch = watch.or_afterwards(GRACE);
                Ok(query.settled(Verdict::Inconclusive, Finding::Open(Open::Unshown(stopped))))
            })
        };
        self.queries.iter().map(answer).collect()
    }
}

impl<S: Watched> Observer<S> for Watch<S> {
    fn start_failed(&mut self, space: &S, failed: &S::FailedStart) -> ControlFlow<()> {
        self.faults = true;
        match space.fault_of_start(failed) {
            Some((kind, fault)) => self.violate(kind, || Violation { state: None, last: Some(fault) }),
            None => ControlFlow::Continue(()),
        }
    }

    fn stored(&mut self, space: &S, numbers: Range<u32>) -> ControlFlow<()> {
        let mut found = false;
        for query in &mut self.queries {
            let Some(invariant) = query.invariant.as_mut().filter(|_| query.violation.is_none()) else { continue };
            if let Some(number) = numbers.clone().find(|&number| !space.holds(invariant, number)) {
                query.violation = Some(Violation { state: Some(number), last: None });
                found = true;
            }
        }
        if found { self.verdict_reached() } else { ControlFlow::Continue(()) }
    }

    fn expanded(&mut self, space: &S, number: u32, expansion: &S::Expansion) -> ControlFlow<()> {
        if expansion.is_deadlock() && !may_end(&mut self.ends, space, number) {
            self.deadlocks += 1;
            self.violate(QueryKind::Deadlock, || Violation { state: Some(number), last: None })?;
        }
        self.faults |= space.stopped(expansion) > 0;
        for at in 0..space.stopped(expansion) {
            if let Some(kind) = space.kind_of_fault(expansion, at) {
                let fault = || Violation { state: Some(number), last: Some(space.fault(number, expansion, at)) };
                self.violate(kind, fault)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn found(&self) -> Found {
        let violations = self.queries.iter().filter_map(|query| Some((query.kind, query.violation.as_ref()?)));
        let by_expanding =
            |kind, violation: &Violation<S::Fault>| kind == QueryKind::Deadlock || violation.last.is_some();
        let found = violations.map(|(kind, violation)| (violation.state, by_expanding(kind, violation)));
        let mut places: Vec<(Option<u32>, bool)> = found.collect();
        places.sort_unstable();
        Found { places, deadlocks: self.deadlocks, faults: self.faults }
    }

    fn keep(&mut self, deadlocks: u64, faults: bool) {
        (self.deadlocks, self.faults) = (deadlocks, faults);
    }
}

/// Whether a state without steps is one in which a run may end; it is none where no condition has a value.
fn may_end<S: Watched>(ends: &mut [S::Invariant], space: &S, number: u32) -> bool {
    ends.iter_mut().any(|end| space.holds(end, number))
}

/// Whether the question is about a class of faults.
fn is_fault(kind: QueryKind) -> bool {
    matches!(kind, QueryKind::Overflow | QueryKind::Assertion | QueryKind::Error)
}

impl<S: Watched> Query<S> {
    /// The answer without a run.
    fn settled(&self, verdict: Verdict, finding: Finding) -> Answer<S::Trace> {
        let (name, kind) = (self.name.clone(), self.kind);
        Answer { name, kind, verdict, finding, trace: None, explanation: None, run: None }
    }

    /// The verdict where no violation was met.
    fn unviolated(&self, summary: &Summary, is_hidden: bool) -> (Verdict, Finding) {
        let open = |reason| (Verdict::Inconclusive, Finding::Open(reason));
        match (self.kind, summary.complete) {
            (QueryKind::Ltl | QueryKind::Ctl, _) => open(Open::Formula),
            (_, true) if is_hidden => open(Open::OtherFault),
            (_, true) => (Verdict::Holds, Finding::Verdict),
            (_, false) => open(Open::States),
        }
    }

    /// The answer where a violation was met.
    fn violated(&self, space: &mut S, violation: &Violation<S::Fault>) -> Result<Answer<S::Trace>, InternalError> {
        let path = violation.state.map_or_else(Vec::new, |number| space.store().path(number));
        assert!(path.last() == violation.state.as_ref(), "a counterexample ends in the state that violates");
        let Replayed { trace, fault: last } = space.replayed(&path, violation.last.as_ref())?;
        let violation = Violation { state: violation.state, last };
        let answer = self.settled(Verdict::Violated, self.finding(space, &violation, path.len()));
        Ok(Answer { trace: Some(trace), ..answer })
    }

    /// The ground of a violation, after so many states.
    fn finding(&self, space: &S, violation: &Violation<S::Fault>, states: usize) -> Finding {
        if let Some(last) = &violation.last {
            let FaultText { text, process } = space.describe(last);
            return Finding::Fault { text, process, step: (states > 0).then_some(states) };
        }
        let depth = states.saturating_sub(1);
        let fault = |number| self.invariant.as_ref().and_then(|invariant| space.fault_of_invariant(invariant, number));
        match (self.kind, violation.state.and_then(fault)) {
            (QueryKind::Deadlock, _) => Finding::Deadlock { meaning: S::DEADLOCK, depth },
            (_, None) => Finding::False { depth },
            (_, Some(fault)) => Finding::Undefined { fault, at: Place::Depth(depth) },
        }
    }
}
