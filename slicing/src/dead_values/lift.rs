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

/// The execution of the original for one of the model that forgets, if it shows the violation there, too.
pub fn lift(program: &Program, trace: &Trace, violation: Violation, wrong: Wrong) -> Option<Trace> {
    let followed = follow(program, trace)?;
    if followed.steps.len() < trace.steps.len() {
        return None;
    }
    let fault = followed.stop().map(|(_, fault)| matches!(fault.kind, FaultKind::Assertion(_)));
    let is_shown = match (violation, followed.last_state()) {
        (Violation::Assertion, None) => fault == Some(true),
        (Violation::Fault, None) => fault == Some(false),
        (Violation::Deadlock(kind), Some(state)) => is_deadlock(state, &successors(program, state), kind),
        (Violation::Property(number), Some(state)) => {
            let truths = evaluate(program, &program.properties[number], state);
            truths.iter().any(|truth| truth.holds != Ok(true))
        }
        _ => false,
    };
    (is_shown || wrong.trusts_violations()).then_some(followed)
}
