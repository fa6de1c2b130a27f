//! Models of Murphi, checked: compiled steps on packed states.
//!
//! [`compile`](mod@compile) makes [`code`] of a model, which a [`machine`] runs; [`steps`] visits the instances. Every step,
//! fault and truth is that of `frontend::murphi::interpret`, by which executions are confirmed, and with which a test compares
//! the code state by state (`twins`). Searches are those of all languages: with threads, limits, checkpoints and states on the
//! disk.
//!
//! Soundness: exact. States are compared as a whole, and multisets are sorted in every state. Deadlock is judged on a
//! state and its own steps.
//!
//! Not done: symmetries that are not declared, partial order and slices of these models.

mod code;
mod compile;
mod edges;
mod graph;
mod graph_claims;
mod machine;
mod multisets;
mod order;
mod packing;
mod space;
mod steps;
mod symmetry;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twins;
mod watched;

pub use graph::{Graph, explore_graph};

use std::sync::Arc;

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
use self::symmetry::Symmetry;
use crate::question::Question;

/// The reductions that are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Wanted {
    /// The quotient by the scalar sets that the model declares.
    pub symmetry: bool,
    /// Partial order.
    pub partial_order: bool,
}

/// Answers a question about a model: the claims of the question, not those of the model.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm: a fault of the checker.
pub fn check(
    program: &Program,
    question: &Question<Vec<Claim>>,
    wanted: Wanted,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let before = |stopped| {
        let claims = question.properties.iter().map(|claim| (claim.name.clone(), false));
        let query = (question, <Space<'_> as Watched>::BUILT_IN);
        Ok(unsearched(query, claims, unwatched::<Space<'_>, _>(question), stopped))
    };
    let checked = || checked(program, question, wanted, control);
    limits::watch().or_afterwards(GRACE).run(checked).unwrap_or_else(before)
}

/// As [`check`], unless it is stopped before the search.
fn checked(
    program: &Program,
    question: &Question<Vec<Claim>>,
    wanted: Wanted,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let (of_graph, invariants): (Vec<Claim>, Vec<Claim>) =
        question.properties.iter().cloned().partition(|claim| claim.kind.is_of_graph());
    let is_requested = <Space<'_> as Watched>::BUILT_IN.iter().any(|&kind| question.includes(kind));
    let found = if is_requested || of_graph.is_empty() || !invariants.is_empty() {
        Some(reachable(program, question, wanted, control)?)
    } else {
        None
    };
    let answers: Vec<Answer<Trace>> = if of_graph.is_empty() {
        Vec::new()
    } else {
        graph_claims::answers(
            (space(program, None, question), Wrong::default()),
            &of_graph,
            question,
            &mut Unsaved(control),
        )?
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

/// An empty space for a question.
fn space<'p>(program: &'p Program, symmetry: Option<Arc<Symmetry>>, question: &Question<Vec<Claim>>) -> Space<'p> {
    let deadlock = if question.stuck { Deadlock::Stuck } else { Deadlock::Stuttering };
    Space::new(program, symmetry, deadlock, (question.limits.max_states, question.limits.max_memory))
}

/// The reachability run: in the quotient, unless the order of members of scalar sets shows there.
fn reachable(
    program: &Program,
    question: &Question<Vec<Claim>>,
    wanted: Wanted,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let mut plan = Plan::default();
    // A search that is saved is continued by the same means.
    let declared = if wanted.symmetry && !control.is_saved() { Symmetry::new(program) } else { None };
    let refusal = match declared {
        Some(symmetry) => {
            let symmetry = Arc::new(symmetry);
            let space = space(program, Some(symmetry.clone()), question);
            let report = reached(space, question, symmetry.plan(program), &mut Unsaved(control));
            if !symmetry.is_broken() {
                return report.map(|mut report| {
                    report.reductions.extend(partial_order(wanted));
                    report
                });
            }
            let reason = "the order of the members of a scalar set shows, in a loop, a quantifier or `clear`";
            Some(Refusal::Undetected(reason.to_owned()))
        }
        None if wanted.symmetry && control.is_saved() => {
            Some(Refusal::Undetected("a search that is saved does without the quotient".to_owned()))
        }
        None => wanted.symmetry.then_some(Refusal::NoSymmetry("scalar-set")),
    };
    plan.reductions.extend(refusal.map(|refusal| Reduction::refused(ReductionKind::Symmetry, refusal)));
    plan.reductions.extend(partial_order(wanted));
    reached(space(program, None, question), question, plan, control)
}

/// The note that there is no partial order, if it is wanted.
fn partial_order(wanted: Wanted) -> Option<Reduction> {
    wanted.partial_order.then(|| Reduction::refused(ReductionKind::PartialOrder, Refusal::NotForLanguage))
}
