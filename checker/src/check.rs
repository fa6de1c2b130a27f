//! One run: a model and a question in, a report out.

use frontend::model::{Class, ClassId, Expr, Formula, Model, Role, Sort, Variable};

use crate::actors::{HeapSymmetry, Space, Symmetry, element};
use crate::partial_order::PartialOrder;
use crate::question::Question;
use crate::question::Report;
use crate::question::{Quotient, Reductions};
use crate::stacking::{stack, stack_for_formulas};
use explore::growth::{LEVELS, Measure};
use explore::plan::Plan;
use explore::question::{Fairness, Threads};
use explore::report::{Control, InternalError, LimitKind, Unsaved, Verdict};
use explore::run::run;
use explore::temporal::{self, ViolatingRuns};
use explore::unsearched::unless_stopped;
use symmetry::ValidatedGroup;

/// Answers a question about a verified model.
///
/// # Errors
/// A counterexample that the reference interpreter does not confirm: a fault of the checker.
pub fn check(model: &Model, question: &Question, control: &mut dyn Control) -> Result<Report, InternalError> {
    check_reduced(model, question, Reductions::default(), control)
}

/// As [`check`], with the given reductions.
///
/// # Errors
/// As [`check`].
pub fn check_reduced(
    model: &Model,
    question: &Question,
    reductions: Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    unless_stopped::<Space<'_>, _>(question, || repeated(model, question, reductions, control))
}

/// As [`check_reduced`], unless it is stopped before the search.
fn repeated(
    model: &Model,
    question: &Question,
    reductions: Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    let report = checked(model, question, reductions, true, control)?;
    let is_open = report.answers.iter().any(|answer| answer.verdict == Verdict::Inconclusive);
    let creates = reductions.partial_order && reductions.heap_symmetry && !model.creatable.is_empty();
    if creates && is_open && report.limit.is_some_and(|limit| limit.kind == LimitKind::Rebecs) {
        // An earlier creation may take the room of another one: the bound may then be met without need.
        return checked(model, question, reductions, false, &mut Unsaved(control));
    }
    Ok(report)
}

/// One try, with or without partial order of creations.
fn checked(
    model: &Model,
    question: &Question,
    reductions: Reductions<'_>,
    creations: bool,
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    let limits = &question.limits;
    let stack = stack(model, question, reductions, creations);
    // The states that renumbering leaves undecided are counted in one place.
    let threads = if stack.heap_symmetry { Threads { most: 1, ..question.threads } } else { question.threads };
    let plain = || Space::new(model, &question.bounds, limits.max_states, limits.max_memory);
    let of_formula = || {
        let stack = stack_for_formulas(model, question, reductions);
        let (mut plan, symmetry) = quotient(model, question, stack.quotient, stack.heap_symmetry);
        plan.reductions.extend(stack.refused);
        let mut space = plain();
        if stack.heap_symmetry {
            space.renumber(HeapSymmetry::default());
        }
        let mut space = reduced(space, symmetry, stack.partial_order);
        if question.fairness == Fairness::Weak {
            space.follow();
        }
        (space, plan)
    };
    let of_states = || {
        let (mut plan, symmetry) = quotient(model, question, stack.quotient, stack.heap_symmetry);
        // With partial order only some of the orbits are stored.
        plan.counts_orbits &= stack.partial_order.is_none();
        plan.reductions.extend(stack.refused);
        plan.measures = measures(model, stack.quotient.map(|quotient| quotient.group));
        let mut space = plain();
        if stack.heap_symmetry {
            space.renumber(HeapSymmetry::default());
        }
        (reduced(space, symmetry, stack.partial_order), plan)
    };
    let question = &Question { threads, ..question.clone() };
    run(of_states, of_formula, plain, question, control)
}

/// The variables of the rebecs of `main` that may grow in many levels, and whose greatest values a group keeps: those of a class are one.
fn measures(model: &Model, group: Option<&ValidatedGroup>) -> Vec<Measure> {
    if group.is_some_and(ValidatedGroup::has_local_maps) {
        return Vec::new();
    }
    let of = |(number, class): (usize, &Class)| {
        let id = ClassId::from_index(number);
        let rebecs = model.instances.iter().enumerate().filter(|(_, instance)| instance.class == id);
        let rebecs: Vec<usize> = rebecs.map(|(rebec, _)| rebec).collect();
        let owner = match rebecs[..] {
            [one] => &model.instances[one].name,
            _ => &class.name,
        };
        let wide = class.variables.iter().filter(|variable| {
            let size = match variable.sort {
                Sort::Int(width) => width.range().end().abs_diff(*width.range().start()) as usize,
                _ => 0,
            };
            size >= LEVELS && variable.role == Role::State && !rebecs.is_empty()
        });
        let measure = |variable: &Variable| {
            let positions = |rebec: usize| variable.elements().map(move |at| element(rebec, at));
            let elements = rebecs.iter().flat_map(|&rebec| positions(rebec)).collect();
            Measure { name: format!("{owner}.{}", variable.name), elements }
        };
        wide.map(measure).collect::<Vec<Measure>>()
    };
    model.classes.iter().enumerate().flat_map(of).collect()
}

/// The automaton of the runs that violate a formula, and the conditions that its propositions stand for; nothing if
/// the automaton would be too large.
pub fn violating(formula: &Formula) -> Option<ViolatingRuns<Expr>> {
    temporal::violating::<Space<'_>>(formula)
}

/// A space with these reductions.
fn reduced<'m>(mut space: Space<'m>, symmetry: Option<Symmetry>, partial_order: Option<PartialOrder>) -> Space<'m> {
    if let Some(symmetry) = symmetry {
        space.reduce(symmetry);
    }
    space.reduce_by(partial_order);
    space
}

/// The plan of a quotient, and its symmetries if representatives can be found.
fn quotient(
    model: &Model,
    question: &Question,
    quotient: Option<Quotient<'_>>,
    heap_symmetry: bool,
) -> (Plan, Option<Symmetry>) {
    let Some(Quotient { group, representative, counts_orbits }) = quotient else { return (Plan::default(), None) };
    assert!(group.is_for(model, &question.properties), "the group was validated for something else");
    let symmetry = Symmetry::new(model, group, &question.properties, representative);
    let name = symmetry.as_ref().map(|symmetry| symmetry.name(heap_symmetry));
    let mut plan = Plan::quotient(group.group(), group.model_order(), representative, name);
    plan.keeps_fault_classes = group.certificate().keeps_fault_classes;
    plan.counts_orbits = counts_orbits;
    (plan, symmetry)
}
