//! Processes in sequential form, checked: compiled summands on packed states.
//!
//! Expressions are compiled once (`compile`, `code`), with the parameters of ground instances inserted (`ground`) and
//! intervals of values; a `program` shares the first conjuncts of guards and runs on the unpacked values of one
//! state. Only the reference interpreter describes faults, and every counterexample is its execution.
//!
//! Soundness: exact. This module gives the results of `frontend::sequential::interpret`, state by state and step by
//! step, in its order.

mod body;
mod clusters;
mod code;
mod collect;
mod compile;
mod gather;
mod ground;
mod images;
mod inside;
mod known;
mod machine;
mod measure;
mod memo;
mod packing;
mod partial_order;
mod program;
mod reads;
mod runs;
mod select;
mod sharded;
mod space;
mod split;
mod starts;
mod symmetry;
#[cfg(test)]
mod tests;
mod trial;
mod turns;
mod watched;

pub use measure::{Measured, Quantity, keeps_values, measure};

use frontend::sequential::interpret::State;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Expr, Formula, Origin, Property, Sequential, ValueKind, Variable};

use ::symmetry::sequential::{DataSort, Kept, ValidatedGroup, WrongData, data, keeps_values_of, moves_as_one};

use self::partial_order::{Ample, Query, Wrong};
use self::space::Space;
use crate::question::Question;
use crate::question::Report;
use crate::question::{Quotient, Reductions};
use crate::stacking::{self, unfair_quotient_of_process};
use explore::graph::{self, Graph};
use explore::growth::{LEVELS, Measure};
use explore::plan::{DataValues, Plan};
use explore::question::{Fairness, Limits};
use explore::reductions::{Refusal, Representative};
use explore::report::{Control, DataUse, InternalError};
use explore::search::Sharded;
use explore::temporal::{Runs as _, ViolatingRuns};
use explore::unsearched::unless_stopped;

/// Answers a question about a verified process. The properties are those of the question, not those of the process;
/// queues and `assertion(..)` do not exist here and are not answered.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm: a fault of the checker.
pub fn check(
    model: &Sequential,
    question: &Question<Vec<Property>>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    check_reduced(model, question, Reductions::default(), control)
}

/// As [`check`], with the given reductions.
///
/// # Errors
/// As [`check`].
pub fn check_reduced(
    model: &Sequential,
    question: &Question<Vec<Property>>,
    reductions: Reductions<'_, ValidatedGroup>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    unless_stopped::<Space<'_>, _>(question, || checked(model, question, reductions, control))
}

/// As [`check_reduced`], unless it is stopped before the search.
fn checked(
    model: &Sequential,
    question: &Question<Vec<Property>>,
    reductions: Reductions<'_, ValidatedGroup>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let limits = &question.limits;
    let plain = || Space::new(model, limits.max_states, limits.max_memory);
    let of_states = || {
        let mut space = plain();
        let planned = reduce(&mut space, question, &reductions, false);
        (space, planned)
    };
    let is_fair = question.fairness == Fairness::Weak && model.has_processes();
    let whole = || {
        let mut space = plain();
        if is_fair {
            space.note_processes();
        }
        space
    };
    let of_formula = || {
        let mut space = whole();
        let unfair = reductions.quotient.and_then(|used| {
            let unknown =
                (is_fair && used.group.of_instances().with_processes().is_none()).then_some(Refusal::UnknownProcesses);
            unfair_quotient_of_process(model, question, used.representative).or(unknown)
        });
        let planned = match unfair {
            Some(reason) => {
                let mut planned = Plan::refused(reason);
                let reductions = Reductions { quotient: None, ..reductions };
                planned.reductions.extend(reduce(&mut space, question, &reductions, true).reductions);
                planned
            }
            None => reduce(&mut space, question, &reductions, true),
        };
        (space, planned)
    };
    explore::run::run(of_states, of_formula, whole, question, control)
}

/// Whether the quotient by a group has representatives that are chosen by its shape.
pub fn has_representatives(model: &Sequential, group: &ValidatedGroup) -> bool {
    Space::new(model, None, None).reduce(group, &[], Representative::Auto, false).is_some()
}

/// Explores a verified process breadth first.
pub fn explore_graph(model: &Sequential, limits: &Limits) -> Graph<State> {
    Graph::new(&mut Space::new(model, limits.max_states, limits.max_memory), limits, Space::state, graph::edges)
}

/// The states of a process, at most so many.
pub(crate) fn space(model: &Sequential, most: u64) -> impl Sharded {
    Space::new(model, Some(most), None)
}

/// The automaton of the runs that violate a formula, and the conditions that its propositions stand for; nothing if
/// the automaton would be too large.
pub fn violating(formula: &Formula) -> Option<ViolatingRuns<Expr>> {
    explore::temporal::violating::<Space<'_>>(formula)
}

/// Applies the reductions to a space, for a run of formulas or for any other; returns their report.
fn reduce(
    space: &mut Space<'_>,
    question: &Question<Vec<Property>>,
    reductions: &Reductions<'_, ValidatedGroup>,
    of_formulas: bool,
) -> Plan {
    let mut planned = Plan::default();
    let mut group = None;
    if let Some(Quotient { group: used, representative, counts_orbits }) = reductions.quotient {
        let is_kept = |property: &&Property| reductions.images.iter().all(|at| at.property != property.name);
        let kept: Vec<Property> = question.properties.iter().filter(is_kept).cloned().collect();
        assert!(used.is_for(space.model, &space.model.kept(&kept)), "the group was validated for something else");
        space.images = images::of(space.model, used, reductions.images);
        planned = if representative == Representative::OnTheFly {
            Plan::refused(Refusal::NoKnownRebecs)
        } else {
            let follows = of_formulas && question.fairness == Fairness::Weak && space.has_processes();
            // Fairness and partial order follow instances, not steps.
            let used = if follows || reductions.partial_order { used.of_instances() } else { used };
            let name = space.reduce(used, &kept, representative, follows);
            group = Some(used).filter(|_| name.is_some());
            let plan = Plan::quotient(used.group(), used.model_order(), representative, name);
            Plan { keeps_transitions: used.kept() == Kept::Instances, ..plan }
        };
        planned.counts_orbits = counts_orbits;
    }
    if reductions.partial_order {
        match stacking::plan_of_process(space.model, question, reductions, of_formulas) {
            Ok(query) => {
                let stacking::ProcessQuery { properties, faults, more_than_deadlock } = &query;
                let used = reductions.quotient.map(|quotient| quotient.group);
                let at_images = used.filter(|_| !reductions.images.is_empty());
                let (faults, more_than_deadlock, wrong) = (*faults, *more_than_deadlock, Wrong::default());
                let query = Query { properties, at_images, faults, more_than_deadlock, wrong };
                let ample = limits::share(1, 3, || Ample::new(space.model, query, group));
                let ample = ample.map_or(Err(Refusal::TooSlow), |ample| ample.ok_or(Refusal::TooManyInstances));
                match ample {
                    Ok(ample) if !ample.sets.is_idle() => space.ample = Some(ample),
                    idle => planned.reductions.push(stacking::not_applied(idle.err().unwrap_or(Refusal::NothingFree))),
                }
            }
            Err(reason) => planned.reductions.push(stacking::not_applied(reason)),
        }
    }
    // Partial order leaves states out, which may hold more values.
    if space.ample.is_none() && !of_formulas {
        let asked: Vec<Property> = question.properties.iter().chain(&question.whole).cloned().collect();
        planned.data = data_values(space.model, &asked, reductions.quotient.map(|used| used.group));
    }
    if !of_formulas {
        planned.measures = measures(space.model, reductions.quotient.map(|used| used.group));
    }
    planned
}

/// The variables that may grow in many levels, and whose greatest values a group keeps.
fn measures(model: &Sequential, group: Option<&ValidatedGroup>) -> Vec<Measure> {
    let of = |variable: &Variable| {
        let is_number = model.kind_of(variable.sort) == ValueKind::Integer;
        let elements: Vec<usize> = (variable.offset..variable.offset + model.len_of(variable)).collect();
        let may_grow = is_number && model.domain(variable.sort).size() > LEVELS;
        let is_kept = may_grow && group.is_none_or(|group| keeps_values_of(group, &elements));
        is_kept.then(|| Measure { name: variable.name.clone(), elements })
    };
    model.variables.iter().filter_map(of).collect()
}

/// The sorts of data of a process, where a group maps the values of each in one way. Sorts that the lowering of another language makes say nothing: a
/// range of counters or of tokens has no further values.
fn data_values(model: &Sequential, properties: &[Property], group: Option<&ValidatedGroup>) -> Vec<DataValues> {
    if model.origin != Origin::Lpe {
        return Vec::new();
    }
    let mut list = data(model, properties, WrongData::default());
    list.retain(|one| group.is_none_or(|group| moves_as_one(group, one, WrongData::default())));
    let of = |DataSort { sorts, values, elements, needed }| {
        let names: Vec<&str> = sorts.iter().map(|&sort| model.sort(sort).name.as_str()).collect();
        let sort = names.join(", ");
        let data = DataUse { sort, values: values.len() as u64, used: 0, needed: needed as u64 };
        DataValues { data, values, elements }
    };
    list.into_iter().map(of).collect()
}

/// Helpers for tests of other modules.
#[cfg(test)]
pub(crate) mod testing {
    use std::time::Duration;

    use super::{Plan, Property, Question, Representative, Sequential, Space, ValidatedGroup};
    use explore::report::Verdict;
    use explore::temporal::answer;
    use ltl::Properties as _;

    /// The verdict of the first formula in a quotient that follows the processes of weak fairness, or counts on
    /// indices of representatives; nothing if a counterexample is not confirmed.
    pub(crate) fn verdict(
        model: &Sequential,
        question: &Question<Vec<Property>>,
        group: &ValidatedGroup,
        follows: bool,
    ) -> Option<Verdict> {
        let mut space = Space::new(model, None, None);
        space.note_processes();
        assert!(space.reduce(group, &[], Representative::Auto, follows).is_some());
        let (name, formula) = question.properties.formulas()[0];
        let answer = answer(space, Plan::default(), name, formula, question, Duration::ZERO, &mut ());
        answer.ok().map(|answer| answer.settled().map_or(Verdict::Violated, |answer| answer.verdict))
    }
}
