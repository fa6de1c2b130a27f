//! What is asked, watched while a search runs: deadlock, faults by class, invariants.
//!
//! The first violation of each question is kept, as a state number and the faulting step behind it; traces are made after
//! the search. Faulting steps that nobody asked about have no successor all the same.

mod counterexample;
mod invariant;

use std::ops::{ControlFlow, Range};

use frontend::interpret::{Fault, FaultClass, Stop, describe_fault};
use frontend::model::{PropertyKind, RebecId};

use self::counterexample::counterexample;
use self::invariant::Invariant;
use crate::question::Question;
use crate::report::{Answer, AskedKind, InternalError, Verdict};
use crate::search::{Expansion, Observer, Summary};
use crate::states::Space;

/// The questions of one run.
#[derive(Debug)]
pub(crate) struct Watch {
    asked: Vec<Asked>,
    keep_going: bool,
    deadlocks: u64,
}

/// One question.
#[derive(Debug)]
struct Asked {
    name: String,
    kind: AskedKind,
    invariant: Option<Invariant>,
    violation: Option<Violation>,
}

/// Where a question is answered with no.
#[derive(Clone, Debug)]
struct Violation {
    /// The last state; `None`: a constructor faults.
    state: Option<u32>,
    /// The fault of the last step.
    last: Option<(RebecId, Fault)>,
}

impl Watch {
    /// The questions in the order of their answers.
    pub(crate) fn new(question: &Question) -> Watch {
        let ask = |name: &str, kind| Asked { name: name.to_owned(), kind, invariant: None, violation: None };
        let mut asked = Vec::new();
        asked.extend(question.deadlock.then(|| ask("deadlock", AskedKind::Deadlock)));
        asked.extend(question.overflow.then(|| ask("overflow", AskedKind::Overflow)));
        asked.extend(question.assertions.then(|| ask("assertion", AskedKind::Assertion)));
        asked.extend(question.faults.then(|| ask("error", AskedKind::Error)));
        asked.extend(question.properties.properties.iter().map(|property| match &property.kind {
            PropertyKind::Invariant(expr) => {
                Asked { invariant: Some(Invariant::new(expr)), ..ask(&property.name, AskedKind::Invariant) }
            }
            PropertyKind::Ltl(_) => ask(&property.name, AskedKind::Ltl),
        }));
        Watch { asked, keep_going: question.keep_going, deadlocks: 0 }
    }

    /// How many states without a message were expanded.
    pub(crate) fn deadlocks(&self) -> u64 {
        self.deadlocks
    }

    /// Answers a question with no, unless it was before; whether the search goes on.
    fn violate(&mut self, kind: AskedKind, violation: impl FnOnce() -> Violation) -> ControlFlow<()> {
        let Some(asked) = self.asked.iter_mut().find(|asked| asked.kind == kind) else {
            return ControlFlow::Continue(());
        };
        if asked.violation.is_none() {
            asked.violation = Some(violation());
        }
        self.verdict_reached()
    }

    fn verdict_reached(&self) -> ControlFlow<()> {
        if self.keep_going { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn stop(&mut self, state: Option<u32>, rebec: RebecId, stop: Stop) -> ControlFlow<()> {
        let Stop::Fault(fault) = stop else { return ControlFlow::Continue(()) };
        let kind = match fault.kind.class() {
            FaultClass::Overflow => AskedKind::Overflow,
            FaultClass::Assertion => AskedKind::Assertion,
            FaultClass::Error => AskedKind::Error,
        };
        self.violate(kind, || Violation { state, last: Some((rebec, fault)) })
    }

    /// The answers after a search, with replayed counterexamples.
    ///
    /// # Errors
    /// A counterexample that the reference interpreter does not confirm.
    pub(crate) fn answers(&self, space: &Space<'_>, summary: &Summary) -> Result<Vec<Answer>, InternalError> {
        self.asked.iter().map(|asked| asked.answer(space, summary)).collect()
    }
}

impl Observer for Watch {
    fn start_stopped(&mut self, _: &Space<'_>, rebec: RebecId, stop: &Stop) -> ControlFlow<()> {
        self.stop(None, rebec, stop.clone())
    }

    fn stored(&mut self, space: &Space<'_>, numbers: Range<u32>) -> ControlFlow<()> {
        let mut found = false;
        for asked in &mut self.asked {
            let Some(invariant) = asked.invariant.as_mut().filter(|_| asked.violation.is_none()) else { continue };
            if let Some(number) = numbers.clone().find(|&number| !invariant.holds(space, number)) {
                asked.violation = Some(Violation { state: Some(number), last: None });
                found = true;
            }
        }
        if found { self.verdict_reached() } else { ControlFlow::Continue(()) }
    }

    fn expanded(&mut self, space: &Space<'_>, number: u32, expansion: &Expansion) -> ControlFlow<()> {
        if !expansion.is_enabled {
            self.deadlocks += 1;
            self.violate(AskedKind::Deadlock, || Violation { state: Some(number), last: None })?;
        }
        for stopped in &expansion.stopped {
            self.stop(Some(number), RebecId(stopped.slot), stopped.stop(space))?;
        }
        ControlFlow::Continue(())
    }
}

impl Asked {
    fn answer(&self, space: &Space<'_>, summary: &Summary) -> Result<Answer, InternalError> {
        let (name, kind) = (self.name.clone(), self.kind);
        let settled = |verdict, message: &str| Answer { name, kind, verdict, message: message.to_owned(), trace: None };
        let Some(violation) = &self.violation else {
            return Ok(match (kind, summary.complete) {
                (AskedKind::Ltl, _) => settled(Verdict::Inconclusive, "temporal properties are not yet supported"),
                (_, true) => settled(Verdict::Holds, ""),
                (_, false) => settled(Verdict::Inconclusive, "not every state was explored"),
            });
        };
        let last = violation.last.as_ref().map(|(rebec, fault)| (*rebec, fault));
        let trace = counterexample(space, violation.state, last)?;
        let answer = settled(Verdict::Violated, &self.message(space, violation, trace.steps.len()));
        Ok(Answer { trace: Some(trace), ..answer })
    }

    /// Why the answer is no. `steps` is the length of the trace.
    fn message(&self, space: &Space<'_>, violation: &Violation, steps: usize) -> String {
        let model = space.model();
        if let Some((rebec, fault)) = &violation.last {
            let place = match violation.state {
                Some(_) => format!("step {steps}"),
                None => "at the start".to_owned(),
            };
            return format!("{} (`{}`, {place})", describe_fault(model, &fault.kind), model.rebec_name(*rebec));
        }
        let fault = |number| self.invariant.as_ref().and_then(|invariant| invariant.fault(space, number));
        match (self.kind, violation.state.and_then(fault)) {
            (AskedKind::Deadlock, _) => format!("no rebec has a message (state at depth {steps})"),
            (_, None) => format!("does not hold (state at depth {steps})"),
            (_, Some(fault)) => {
                format!("cannot be evaluated: {} (state at depth {steps})", describe_fault(model, &fault.kind))
            }
        }
    }
}
