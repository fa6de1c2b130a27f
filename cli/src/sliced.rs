//! Checking a slice instead of its model, and bringing violations back.
//!
//! Soundness: only `holds` is taken from a slice. A violation is told with a run of the model, or not at all.

use checker::{AskedKind, Limits, Question, Verdict};
use frontend::interpret::FaultClass;
use slicing::reduce::{Ask, Slice};
use slicing::refine::{Checked, Violation};

/// How many states of the model are looked at to bring a run back.
pub(crate) const BUDGET: usize = 50_000;

/// The most states of one round of step-wise slicing.
const MOST_STATES: u64 = 2_000_000;

/// Answers what is asked of a slice, for refinement.
pub(crate) fn answer(slice: &Slice, ask: &Ask, limits: Option<Limits>) -> Checked {
    let question = Question {
        deadlock: ask.deadlock,
        overflow: false,
        assertions: ask.assertions,
        faults: ask.faults,
        properties: slice.properties.clone(),
        limits: limits.unwrap_or(Limits { max_states: Some(MOST_STATES), ..Limits::default() }),
        ..Question::default()
    };
    let Ok(report) = checker::check(&slice.model, &question, &mut ()) else { return Checked::Unknown };
    match report.verdict {
        Verdict::Holds => Checked::Holds,
        Verdict::Inconclusive => Checked::Unknown,
        Verdict::Violated => {
            let violated = report.answers.into_iter().find(|answer| answer.verdict == Verdict::Violated);
            let Some((answer, trace)) = violated.and_then(|mut answer| answer.trace.take().map(|trace| (answer, trace)))
            else {
                return Checked::Unknown;
            };
            match violation(answer.kind, &answer.name) {
                Some(violation) => Checked::Violated(violation, Box::new(trace)),
                None => Checked::Unknown,
            }
        }
    }
}

/// What an answer says is violated; nothing for formulas, whose runs are not brought back.
pub(crate) fn violation(kind: AskedKind, name: &str) -> Option<Violation> {
    match kind {
        AskedKind::Deadlock => Some(Violation::Deadlock),
        AskedKind::Overflow => None,
        AskedKind::Assertion => Some(Violation::Fault(FaultClass::Assertion)),
        AskedKind::Error => Some(Violation::Fault(FaultClass::Error)),
        AskedKind::Invariant => Some(Violation::Property(name.to_owned())),
        AskedKind::Ltl => None,
    }
}
