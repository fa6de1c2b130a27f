//! Models of Murphi, checked: compiled steps on packed states.
//!
//! `compile` makes `code` of a model, which a `machine` runs; `steps` visits the instances that `candidates` leaves, and `decisions`
//! remembers what they come to. Every step,
//! fault and truth is that of `frontend::murphi::interpret`, by which executions are confirmed, and with which a test compares
//! the code state by state (`twins`). Searches are those of all languages: with threads, limits, checkpoints and states on the
//! disk.
//!
//! Soundness: exact. States are compared as a whole, and multisets are sorted in every state. Deadlock is judged on a
//! state and its own steps.

mod candidates;
mod code;
mod compile;
mod decisions;
mod expansion;
mod graph_claims;
mod images;
mod machine;
mod multisets;
mod order;
mod packing;
mod partial_order;
mod rare;
mod runs;
mod space;
mod steps;
mod symmetry;
#[cfg(test)]
mod tests;
mod trial;
mod watched;

pub use symmetry::names_of;

use std::collections::BTreeSet;
use std::sync::Arc;

use ::symmetry::murphi::ValidatedGroup;
use ::symmetry::murphi::data::{self, DataSort};
use explore::graph::{self, Graph};
use explore::growth::{LEVELS, Measure};
use explore::plan::{DataValues, Plan};
use explore::question::Limits;
use explore::reductions::{Quotient, Reduction, ReductionKind, Refusal, Representative};
use explore::report::{Answer, Control, DataUse, InternalError, QueryKind, Report, Unsaved};
use explore::run::{answered, of_runs, reached, with_answers};
use explore::temporal::ViolatingRuns;
use explore::unsearched::unless_stopped;
use explore::watch::Watched;
use frontend::murphi::interpret::{Deadlock, State, parts};
use frontend::murphi::program::{Claim, ClaimKind, Program, TypeKind};
use frontend::murphi::trace::Trace;
use frontend::source::Span;
use ltl::{Formula, Properties as _};

use self::graph_claims::Wrong;
use self::partial_order::{Ample, Query};
use self::space::Space;
use self::symmetry::Symmetry;
use crate::question::Question;
use crate::stacking::not_applied;

/// The reductions of a search by proved symmetries.
pub type Reductions<'g> = explore::reductions::Reductions<'g, ValidatedGroup>;

/// Answers a question about a model: the claims of the question, not those of the model.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm: a fault of the checker.
pub fn check(
    program: &Program,
    question: &Question<Vec<Claim>>,
    reductions: &Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    unless_stopped::<Space<'_>, _>(question, || checked(program, question, reductions, control))
}

/// As [`check`], unless it is stopped before the search.
fn checked(
    program: &Program,
    question: &Question<Vec<Claim>>,
    reductions: &Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let mut without = BTreeSet::new();
    // The heuristic of Rebeca needs known rebecs.
    let quotient = reductions.quotient.filter(|quotient| quotient.representative != Representative::OnTheFly);
    if let Some(Quotient { group, .. }) = quotient {
        let is_at_images = |claim: &&Claim| reductions.images.iter().any(|images| images.property == claim.name);
        let fixed = question.properties.iter().filter(|claim| !is_at_images(claim));
        assert!(group.is_for(program, fixed), "the group was validated for something else");
    }
    let Found { searched, answers } = loop {
        let symmetry = quotient
            .and_then(|Quotient { group, representative, .. }| Symmetry::new(program, group, &without, representative));
        // A search that is saved is continued by the same means.
        let symmetry = symmetry.filter(|symmetry| symmetry.watched.is_empty() || !control.is_saved()).map(Arc::new);
        let found = found(program, symmetry.as_ref(), question, Used { reductions, without: &without }, control);
        match symmetry.as_deref().filter(|symmetry| symmetry.is_broken()) {
            None => break found?,
            // What was found, and what was not confirmed, may be wrong.
            Some(symmetry) => {
                let before = without.len();
                without.extend(symmetry.broken());
                assert!(without.len() > before, "a search is repeated for a reason that was not known before");
            }
        }
    };
    let mut report = match searched {
        None => of_runs(answers),
        Some(mut report) => {
            report.limit = report.limit.or(answers.iter().find_map(|answer| answer.run.as_ref()?.limit));
            with_answers(report, answers)
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

/// The reductions that are wanted, without the binders whose order showed before.
#[derive(Clone, Copy)]
struct Used<'a> {
    reductions: &'a Reductions<'a>,
    without: &'a BTreeSet<Span>,
}

/// The findings with one group.
struct Found {
    /// The report of the reachability run, if the question has a part for it.
    searched: Option<Report<Trace>>,
    /// The answers of other runs.
    answers: Vec<Answer<Trace>>,
}

/// Answers a question with a group, as far as the order of values does not show.
fn found(
    program: &Program,
    symmetry: Option<&Arc<Symmetry>>,
    question: &Question<Vec<Claim>>,
    used: Used<'_>,
    control: &mut dyn Control,
) -> Result<Found, InternalError> {
    let (of_graph, others): (Vec<Claim>, Vec<Claim>) =
        question.properties.iter().cloned().partition(|claim| claim.kind.is_of_graph());
    let (formulas, has_invariants) = (others.formulas(), !others.invariants().is_empty());
    let is_requested = <Space<'_> as Watched>::BUILT_IN.iter().any(|&kind| question.includes(kind));
    let is_searched = is_requested || has_invariants || question.properties.is_empty();
    // The group may move what is checked at images.
    let is_at_images = |at: &usize| {
        let named = |claim: &&Claim| used.reductions.images.iter().any(|images| images.property == claim.name);
        question.properties.iter().filter(named).any(|claim| claim.kind.is_about(*at))
    };
    let space = || {
        let mut space = space(program, symmetry.cloned(), question);
        space.claimed.retain(|at| !is_at_images(at));
        space
    };
    let is_broken = || symmetry.is_some_and(|symmetry| symmetry.is_broken());
    let searched = is_searched.then(|| reachable(space(), question, used, control)).transpose()?;
    let mut answers = Vec::new();
    if !of_graph.is_empty() && !is_broken() {
        answers = graph_claims::answers(space(), Wrong::default(), &of_graph, question, &mut Unsaved(control))?;
    }
    for &(name, formula) in formulas.iter().filter(|_| !is_broken()) {
        // A state all of whose steps stay has a run.
        let stuck = |space| Space { deadlock: Deadlock::Stuck, ..space };
        let plan = || {
            let mut plan = symmetry.map_or_else(Plan::default, |symmetry| symmetry.plan());
            if used.reductions.partial_order {
                plan.reductions.push(not_applied(Refusal::OfRuns));
            }
            plan
        };
        let (of_formula, plain) = (|| (stuck(space()), plan()), || stuck(self::space(program, None, question)));
        answers.push(answered(&of_formula, &plain, (name, formula), question, &mut Unsaved(control))?);
    }
    Ok(Found { searched, answers })
}

/// The automaton of the runs that violate a formula, and the conditions that its propositions stand for; nothing if the
/// automaton would be too large.
pub fn violating(formula: &Formula<usize>) -> Option<ViolatingRuns<usize>> {
    explore::temporal::violating::<Space<'_>>(formula)
}

/// Explores a model breadth first.
pub fn explore_graph(program: &Program, limits: &Limits) -> Graph<State> {
    Graph::new(&mut Space::new(program, None, Deadlock::Stuttering, limits), limits, Space::state, graph::edges)
}

/// An empty space for a question.
fn space<'p>(program: &'p Program, symmetry: Option<Arc<Symmetry>>, question: &Question<Vec<Claim>>) -> Space<'p> {
    let deadlock = if question.stuck { Deadlock::Stuck } else { Deadlock::Stuttering };
    let is_claimed = |at: &usize| {
        let claims = question.properties.iter().filter(|claim| !matches!(claim.kind, ClaimKind::Liveness(_)));
        claims.into_iter().any(|claim| claim.kind.is_about(*at))
    };
    let claimed = (0..program.properties.len()).filter(is_claimed).collect();
    Space { claimed, ..Space::new(program, symmetry, deadlock, &question.limits) }
}

/// Applies partial order to a space.
fn reduce(space: &mut Space<'_>, question: &Question<Vec<Claim>>, reductions: &Reductions<'_>) -> Result<(), Refusal> {
    if reductions.quotient.is_some_and(|quotient| quotient.counts_orbits) {
        return Err(Refusal::OrbitsCounted);
    }
    if !space.images.is_empty() {
        return Err(Refusal::AtImages);
    }
    if space.symmetry.as_ref().is_some_and(|symmetry| !symmetry.watched.is_empty()) {
        return Err(Refusal::OrderWatched);
    }
    if space.symmetry.as_ref().is_some_and(|symmetry| !symmetry.is_exact) {
        return Err(Refusal::SeveralRepresentatives);
    }
    let has_invariants = !question.properties.invariants().is_empty();
    let is_stuttering = question.deadlock && !question.stuck;
    let query = Query {
        claims: &question.properties,
        symmetry: space.symmetry.as_deref(),
        more_than_deadlock: question.faults || question.assertions || has_invariants || is_stuttering,
        wrong: partial_order::Wrong::default(),
    };
    let ample = limits::share(1, 3, || Ample::new(space.program, &space.packing, query));
    let ample = ample.map_err(|_| Refusal::TooSlow)?.ok_or(Refusal::TooManyInstances)?;
    if ample.sets.is_idle() {
        return Err(Refusal::NothingFree);
    }
    space.ample = Some(ample);
    Ok(())
}

/// The sorts of data, where the group of the quotient maps the values of each in one way.
fn data_values(space: &Space<'_>, question: &Question<Vec<Claim>>, group: Option<&ValidatedGroup>) -> Vec<DataValues> {
    let wrong = data::Wrong::default();
    let asked: Vec<Claim> = question.properties.iter().chain(&question.whole).cloned().collect();
    let mut list = data::data(space.program, &asked, wrong);
    list.retain(|one| group.is_none_or(|group| data::moves_as_one(space.program, group, one, wrong)));
    let is_watched = |place: &Span| space.symmetry.as_ref().is_some_and(|symmetry| symmetry.watched.contains(place));
    list.retain(|one| one.watched.iter().all(is_watched));
    let of = |DataSort { name, values, cells, needed, watched: _ }| {
        let data = DataUse { sort: name, values: values.len() as u64, used: 0, needed: needed as u64 };
        DataValues { data, values, elements: cells.concat() }
    };
    list.into_iter().map(of).collect()
}

/// The numbers that may grow in many levels, and whose greatest values a group keeps: those that differ in indices only are one.
fn measures(program: &Program, group: Option<&ValidatedGroup>) -> Vec<Measure> {
    let mut found: Vec<Measure> = Vec::new();
    for (cell, part) in parts(program).into_iter().enumerate() {
        let range = part.of.map(|of| program.types.kind(of));
        let Some(TypeKind::Range { low, high }) = range else { continue };
        if high.abs_diff(*low) as usize >= LEVELS {
            let name = without_indices(&part.name);
            match found.iter_mut().find(|measure| measure.name == name) {
                Some(measure) => measure.elements.push(cell),
                None => found.push(Measure { name, elements: vec![cell] }),
            }
        }
    }
    found.retain(|measure| group.is_none_or(|group| data::keeps_values(program, group, &measure.elements)));
    found
}

/// The name of a part with nothing in its brackets.
fn without_indices(name: &str) -> String {
    let mut depth = 0;
    let mut kept = String::new();
    for character in name.chars() {
        let closes = matches!(character, ']' | '}');
        depth -= i32::from(closes);
        if depth == 0 {
            kept.push(character);
        }
        depth += i32::from(matches!(character, '[' | '{'));
    }
    kept
}

/// The reachability run of a space, with what is said of the reductions.
fn reachable(
    space: Space<'_>,
    question: &Question<Vec<Claim>>,
    used: Used<'_>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let (Used { reductions, without }, symmetry) = (used, space.symmetry.clone());
    let mut plan = symmetry.as_deref().map_or_else(Plan::default, Symmetry::plan);
    let mut space = space;
    if let Some(quotient) = reductions.quotient {
        space.images = images::of(space.program, quotient.group, reductions.images);
    }
    plan.counts_orbits = reductions.quotient.is_some_and(|quotient| quotient.counts_orbits);
    if let (Some(quotient), None) = (reductions.quotient, &symmetry) {
        let undetected = |reason: &str| Refusal::Undetected(reason.to_owned());
        let refusal = if !without.is_empty() {
            undetected("the order of values shows, in a loop or a quantifier")
        } else if control.is_saved() && !quotient.group.watched().is_empty() {
            undetected("a search that is saved does not watch the order of values")
        } else {
            match quotient.representative {
                Representative::OnTheFly => Refusal::NoKnownRebecs,
                Representative::Enumerate => Refusal::TooManyElements,
                _ => Refusal::TooManyPoints,
            }
        };
        plan.reductions.push(Reduction::refused(ReductionKind::Symmetry, refusal));
    }
    if reductions.partial_order
        && let Err(reason) = reduce(&mut space, question, reductions)
    {
        plan.reductions.push(not_applied(reason));
    }
    // Partial order leaves states out, which may hold more values.
    if space.ample.is_none() {
        plan.data = data_values(&space, question, reductions.quotient.map(|used| used.group));
    }
    plan.measures = measures(space.program, reductions.quotient.map(|used| used.group));
    match symmetry {
        Some(symmetry) if !symmetry.watched.is_empty() => reached(space, question, plan, &mut Unsaved(control)),
        _ => reached(space, question, plan, control),
    }
}
