//! Checks a model that forgets the values of dead variables instead of the model itself, and shows its violations on the model.
//!
//! A language makes such a model from a part of the states ([`Explored`]). The search proves or refutes that the variables are dead: a
//! forgotten value that is read faults. A violation that the model does not have refutes it, the states of its execution are added to the
//! part, and another model is made; after a few of these the model itself is checked.
//!
//! Soundness: `holds` is taken from a finished search that reports all faults and found none (`slicing::dead_values` says why that is
//! `holds` of the model); every violation is shown on the model by the reference semantics. Where a search goes on behind a fault, only one
//! fault is shown, and another one may hide states: then the model itself is checked.

use checker::{Answer, Control, Outcome, QueryKind, Reduction, ReductionKind, Refusal, Report, Unsaved, Verdict};
use ltl::Properties as _;

use crate::coverage;
use crate::found::Found;
use crate::language::{Language, Trace};
use crate::slice::bring_back;
use crate::starts;
use crate::task::{Attempt, Done, Task, refused};

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// A search that went on behind a fault counts.
        searches_behind_faults,
    }
}

/// The most searches in which values are forgotten that turn out to be read.
const MOST_ATTEMPTS: usize = 6;

/// A part of the states of a model, and what it shows of dead variables.
pub trait Explored<L: Language> {
    /// The model that forgets the values of variables that are dead as far as the part shows; `None` if there are none.
    fn forgetful(&self) -> Option<Forgetful<L>>;

    /// The execution of the model for a violation of one that forgets, if it shows the violation there.
    fn lift(&self, answer: &Answer<Trace<L>>) -> Option<Trace<L>>;

    /// Adds the states of an execution to the part.
    fn learn_from(&mut self, trace: &Trace<L>);
}

/// A model that forgets values.
pub struct Forgetful<L> {
    /// The model.
    pub model: L,
    /// The values, in the names of the text.
    pub values: Vec<String>,
}

/// One run: on a model that forgets values first, where the question allows it.
pub(crate) fn run<L: Language>(task: Task<'_, L>, found: &mut Found<L>, control: &mut dyn Control) -> Done<L> {
    let Task { question, plan, .. } = task;
    let is_allowed = plan.dead_values && question.properties.formulas().is_empty();
    let refusal = match is_allowed.then(|| L::dead_values(question)).flatten() {
        None => return starts::run(task, found, control),
        Some(Err(refusal)) => refusal,
        Some(Ok(())) if plan.counts_orbits => Refusal::OrbitsCounted,
        Some(Ok(())) if control.is_saved() => Refusal::Saved,
        Some(Ok(())) => match forgetting(task, Wrong::default(), found, control)? {
            Ok(report) => return Ok(report),
            Err(refusal) => refusal,
        },
    };
    Ok(refused(starts::run(task, found, control)?, ReductionKind::DeadValues, refusal))
}

/// The report of a run on a model that forgets values, with every violation shown on the model; or the reason that there is none.
fn forgetting<L: Language>(
    task: Task<'_, L>,
    wrong: Wrong,
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Attempt<L> {
    let Task { model, question, plan } = task;
    assert!(question.faults, "a forgotten value that is read is a fault that is asked for");
    let explored = limits::share(1, 10, || model.explored());
    let Some(mut explored) = explored.ok().flatten() else { return Ok(Err(Refusal::NothingDead)) };
    for attempts in 0..MOST_ATTEMPTS {
        let Ok(Some(forgetful)) = limits::share(1, 10, || explored.forgetful()) else {
            return Ok(Err(if attempts == 0 { Refusal::NothingDead } else { Refusal::NotDead(attempts) }));
        };
        let of_forgetful = Task { model: &forgetful.model, question, plan };
        let mut report = starts::run(of_forgetful, found, &mut Unsaved(control))?;
        let violated = || report.answers.iter().filter(|answer| answer.verdict == Verdict::Violated);
        let goes_on = question.keep_going && !wrong.searches_behind_faults();
        if goes_on && violated().any(|answer| answer.kind == QueryKind::Error) {
            return Ok(Err(Refusal::NotDead(attempts + 1)));
        }
        match violated().find(|answer| explored.lift(answer).is_none()) {
            Some(Answer { trace: Some(trace), .. }) => explored.learn_from(trace),
            Some(_) => return Ok(Err(Refusal::NotDead(attempts + 1))),
            None => {
                let lift = |answer: &Answer<_>, _: &dyn Fn() -> bool| explored.lift(answer);
                let outcome = Outcome::Forgotten { values: forgetful.values, attempts };
                let executed = report.executed.take();
                let executed = executed.map(|counts| coverage::transferred(&forgetful.model, &counts, model));
                let report = Report { executed, ..report };
                return Ok(bring_back(model, report, &lift, &|| false).map(|mut report| {
                    report.reductions.insert(0, Reduction { kind: ReductionKind::DeadValues, outcome });
                    report
                }));
            }
        }
    }
    Ok(Err(Refusal::NotDead(MOST_ATTEMPTS)))
}

#[cfg(test)]
mod tests;
