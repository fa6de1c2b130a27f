//! A formula that holds on all runs holds on the fair ones: it is checked on all runs first, where that is cheap.
//!
//! Without fairness more reductions are sound (created rebecs are renumbered, partial order and the quotient stand side by side) and the
//! search for a violating run is simpler. The first attempt stores at most [`MOST_STATES`] states and takes at most a quarter of the time
//! that is left, with the group that the fair search would use, which is looked for once; where the fair search uses none, it uses none.
//! So a formula that needs fairness loses little.
//!
//! Soundness: fair runs are runs. Only `holds` of a finished search is taken; a violating run may be unfair, and a limit is no answer.

use checker::{Fairness, Outcome, Question, Reduction, ReductionKind, Report, Verdict};
use slicing::reduce::Method;

use crate::language::Language;
use crate::line::Plan;
use crate::slice::Slicing;

/// The states that the first attempt stores at most.
const MOST_STATES: u64 = 20_000;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// A violating run of the first attempt is taken for a fair one.
        takes_violations,
    }
}

/// The question about all runs; nothing where fairness is not assumed, or where slicing would check step by step twice.
pub(crate) fn question<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
) -> Option<Question<L::Properties>> {
    let is_fair = question.fairness == Fairness::Weak && model.has_processes();
    if !is_fair || plan.slicing == Slicing::By(Method::StepWise) {
        return None;
    }
    let mut of_all = Question { fairness: Fairness::None, ..question.clone() };
    of_all.limits.max_states = Some(question.limits.max_states.map_or(MOST_STATES, |most| most.min(MOST_STATES)));
    Some(of_all)
}

/// The report about all runs, if it answers the question about the fair ones.
pub(crate) fn taken<T>(mut report: Report<T>, wrong: Wrong) -> Option<Report<T>> {
    let is_answer = |verdict| verdict == Verdict::Holds || wrong.takes_violations() && verdict == Verdict::Violated;
    if !report.answers.iter().all(|answer| is_answer(answer.verdict)) {
        return None;
    }
    report.reductions.push(Reduction { kind: ReductionKind::AllRuns, outcome: Outcome::HoldsOnAllRuns });
    Some(report)
}

#[cfg(test)]
mod tests;
