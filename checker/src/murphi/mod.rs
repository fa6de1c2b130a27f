//! Models of Murphi, checked: the reference interpreter on packed states.
//!
//! Every step, fault and truth is that of `frontend::murphi::interpret`; nothing is computed in a second way. Searches are
//! those of all languages: with threads, limits, checkpoints and states on the disk.
//!
//! Soundness: exact. States are compared as a whole, and multisets are sorted in every state. Deadlock is judged on a
//! state and its own steps.
//!
//! Not done: symmetry, partial order and slices of these models, compiled steps.

mod edges;
mod graph;
mod graph_claims;
mod packing;
mod space;
#[cfg(test)]
mod tests;
mod watched;

pub use graph::{Graph, explore_graph};

use explore::plan::Plan;
use explore::reductions::{Reduction, ReductionKind, Refusal};
use explore::report::{Answer, Control, InternalError, QueryKind, Report, Unsaved};
use explore::run::{of_runs, reached, unwatched};
use explore::search::GRACE;
use explore::unsearched::unsearched;
use explore::watch::Watched;
use frontend::murphi::interpret::Deadlock;
use frontend::murphi::program::{Claim, Program};
use frontend::murphi::trace::Trace;

use self::graph_claims::Wrong;
use self::space::Space;
use crate::question::Question;

/// Answers a question about a model: the claims of the question, not those of the model.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm: a fault of the checker.
pub fn check(
    program: &Program,
    question: &Question<Vec<Claim>>,
    is_partial_order_wanted: bool,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let before = |stopped| {
        let claims = question.properties.iter().map(|claim| (claim.name.clone(), false));
        let query = (question, <Space<'_> as Watched>::BUILT_IN);
        Ok(unsearched(query, claims, unwatched::<Space<'_>, _>(question), stopped))
    };
    let checked = || checked(program, question, is_partial_order_wanted, control);
    limits::watch().or_afterwards(GRACE).run(checked).unwrap_or_else(before)
}

/// As [`check`], unless it is stopped before the search.
fn checked(
    program: &Program,
    question: &Question<Vec<Claim>>,
    is_partial_order_wanted: bool,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let limits = &question.limits;
    let deadlock = if question.stuck { Deadlock::Stuck } else { Deadlock::Stuttering };
    let space = || Space::new(program, deadlock, limits.max_states, limits.max_memory);
    let mut plan = Plan::default();
    if is_partial_order_wanted {
        plan.reductions.push(Reduction::refused(ReductionKind::PartialOrder, Refusal::NotForLanguage));
    }
    let (of_graph, invariants): (Vec<Claim>, Vec<Claim>) =
        question.properties.iter().cloned().partition(|claim| claim.kind.is_of_graph());
    let is_requested = <Space<'_> as Watched>::BUILT_IN.iter().any(|&kind| question.includes(kind));
    let found = if is_requested || of_graph.is_empty() || !invariants.is_empty() {
        Some(reached(space(), question, plan, control)?)
    } else {
        None
    };
    let answers: Vec<Answer<Trace>> = if of_graph.is_empty() {
        Vec::new()
    } else {
        graph_claims::answers((space(), Wrong::default()), &of_graph, question, &mut Unsaved(control))?
    };
    let mut report = match found {
        None => of_runs(answers),
        Some(mut report) => {
            report.limit = report.limit.or(answers.iter().find_map(|answer| answer.run.as_ref()?.limit));
            report.answers.extend(answers);
            report
        }
    };
    let place = |name: &str| question.properties.iter().position(|claim| claim.name == name);
    report.answers.sort_by_key(|answer| match answer.kind {
        QueryKind::Deadlock | QueryKind::Overflow | QueryKind::Assertion | QueryKind::Error => None,
        _ => place(&answer.name),
    });
    report.verdict = report.verdict_of_answers();
    Ok(report)
}
