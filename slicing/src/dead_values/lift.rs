//! Executions of a model that forgets, replayed on the original by their instances.

use frontend::murphi::interpret::{Deadlock, FaultKind, Step, evaluate, is_deadlock, starts, successors};
use frontend::murphi::program::Program;
use frontend::murphi::trace::Trace;

use super::Wrong;

/// The violation at the end of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A deadlock.
    Deadlock(Deadlock),
    /// A failed assertion.
    Assertion,
    /// Any other fault.
    Fault,
    /// An instance of a property of a number that is false or cannot be evaluated.
    Property(usize),
}

/// The execution of a program by the instances of another one, as far as it has them.
pub(super) fn follow(program: &Program, trace: &Trace) -> Option<Trace> {
    let same = |wanted: &Step| {
        let (rule, values) = (wanted.rule, wanted.values.clone());
        move |step: &Step| step.rule == rule && step.values == values
    };
    let mut followed = Trace::new(starts(program).into_iter().find(same(&trace.start))?);
    for step in &trace.steps {
        let Some(state) = followed.last_state() else { break };
        let Some(step) = successors(program, state).into_iter().find(same(step)) else { break };
        followed.take(step);
    }
    assert!(followed.steps.len() <= trace.steps.len(), "only steps of the execution are followed");
    Some(followed)
}

/// The execution of the original for one of the model that forgets, if it shows the same violation there: the same fault, or an instance
/// of the property without truth for the same reason.
pub fn lift(program: &Program, trace: &Trace, violation: Violation, wrong: Wrong) -> Option<Trace> {
    let followed = follow(program, trace)?;
    if followed.steps.len() < trace.steps.len() {
        return None;
    }
    let [fault, theirs] = [&followed, trace].map(|run| run.stop().map(|(_, fault)| &fault.kind));
    let is_assertion = fault.is_some_and(|kind| matches!(kind, FaultKind::Assertion(_)));
    let is_shown = match (violation, followed.last_state(), trace.last_state()) {
        (Violation::Assertion, None, _) => is_assertion && fault == theirs,
        (Violation::Fault, None, _) => !is_assertion && fault == theirs,
        (Violation::Deadlock(kind), Some(state), _) => is_deadlock(state, &successors(program, state), kind),
        (Violation::Property(number), Some(own), Some(theirs)) => {
            let [own, theirs] = [own, theirs].map(|state| evaluate(program, &program.properties[number], state));
            own.iter().any(|truth| truth.holds != Ok(true) && theirs.contains(truth))
        }
        _ => false,
    };
    (is_shown || wrong.trusts_violations()).then_some(followed)
}
