//! The order in which reductions are stacked, and the combinations that are refused.
//!
//! A run is reduced in this order:
//!
//! 1. Slicing makes another model; the other steps are about that one. It happens before a model comes here.
//! 2. Symmetry: the group was validated for this model and fixes the question of this run. The search stores
//!    representatives.
//! 3. Heap symmetry: created rebecs are renumbered and collected, in each image of a state under the group.
//! 4. Partial order: the ample set of a representative, with candidates and sticky messages closed under the group;
//!    created rebecs are distinguished by their class only, so that they are closed under renumbering too. Servers
//!    that create are among the candidates where created rebecs are renumbered.
//!
//! A combination that is not known to be sound loses its last reduction, and the report gives the reason and the
//! change that would allow it.
//!
//! | question with partial order | decision | reason |
//! |---|---|---|
//! | deadlock, faults, assertions, invariants | applied | `partial_order` |
//! | overflow that nothing excludes | refused | a step makes room in its queue |
//! | a formula without `X` | applied, as if overflow were checked | the ample set depends on the system's state only; a refused send ends a run |
//! | a formula with `X` | refused | partial order keeps formulas up to stuttering only |
//! | an automaton in place of a formula | refused | it may distinguish runs that differ in stuttering only |
//! | a formula, weak fairness | applied, as if overflow were checked | only its own step takes the last message of a rebec |
//! | orbits counted by size | refused | the states left out would be missing |
//! | a formula, weak fairness, symmetry | refused | no proof is known |
//! | a sequential process | applied in the same way | `stubborn`, `sequential::partial_order` |
//! | a model of Murphi | applied in the reachability run | `stubborn`, `murphi::partial_order` |
//! | a formula of a sequential process, weak fairness | refused | a step of others may disable a process |
//!
//! | question with heap symmetry | decision | reason |
//! |---|---|---|
//! | everything but formulas | applied | `actors::heap` |
//! | a formula | applied | renumbering is a bisimulation that keeps the variables of `main` |
//! | a formula, weak fairness | refused | the identity of a rebec differs between a state and its representative |
//! | orbits counted by size | applied | an orbit is then one of classes: the sum counts the states that renumbering by itself stores |
//! | several representatives per orbit | refused | representatives of a class are compared |
//! | a group that changes kinds of faults | refused | an execution is found up to numbers of rebecs |
//!
//! Symmetry with a formula under weak fairness follows threads, which needs the elements that lead to representatives
//! ([`unfair_quotient`]); where partial order is allowed and sound, it is applied instead. Without fairness the group
//! fixes each condition of the formula.
//!
//! Source: `docs/soundness.md` has a row for each.

use frontend::model::{Model, Property, PropertyKind, RebecId, ServerId};
use frontend::sequential::{self, Sequential};
use ltl::Properties as _;
use symmetry::{ModelPermutation, ValidatedGroup};

use crate::partial_order::{Context, Images, Overflow, PartialOrder, Wrong};
use crate::question::Question;
use crate::question::{Quotient, Reductions};
use explore::question::Fairness;
use explore::reductions::{Reduction, ReductionKind, Refusal, Representative};

/// The reductions that a run applies.
#[derive(Debug)]
pub(crate) struct Stack<'g> {
    /// The quotient.
    pub(crate) quotient: Option<Quotient<'g>>,
    /// Whether created rebecs are renumbered.
    pub(crate) heap_symmetry: bool,
    /// The plan of partial order.
    pub(crate) partial_order: Option<PartialOrder>,
    /// The reductions that are not applied, with the reasons.
    pub(crate) refused: Vec<Reduction>,
}

/// Stacks the reductions that were allowed for the reachability run, as far as they are sound for the question. With
/// `creations`, servers that create may be ample sets where created rebecs are renumbered.
pub(crate) fn stack<'g>(model: &Model, question: &Question, allowed: Reductions<'g>, creations: bool) -> Stack<'g> {
    let Reductions { quotient, heap_symmetry, partial_order, overflow_excluded, images: at_images } = allowed;
    assert!(at_images.is_empty(), "invariants of actors cut the group");
    let is_heap_requested = heap_symmetry && !model.creatable.is_empty();
    let no_heap = if is_heap_requested { heap_refusal(quotient) } else { None };
    let heap_symmetry = is_heap_requested && no_heap.is_none();
    let planned = partial_order.then(|| {
        // Sound where no other rebec can send to the rebec that moves, but not applied all the same: a question about
        // overflow wants every queue at its longest.
        if question.overflow && !overflow_excluded {
            return Err(Refusal::OverflowRequested);
        }
        if quotient.is_some_and(|quotient| quotient.counts_orbits) {
            return Err(Refusal::OrbitsCounted);
        }
        let symmetries = quotient.map_or_else(Vec::new, |quotient| images(model, quotient.group));
        let renumbers = heap_symmetry && creations;
        let combination = Combination { is_quotient: quotient.is_some(), symmetries, overflow_excluded, renumbers };
        plan(model, &only(question, false), &combination, Wrong::default())
    });
    let (partial_order, refused) = sorted(planned);
    let refused = no_heap.into_iter().map(no_heap_symmetry).chain(refused).collect();
    Stack { quotient, heap_symmetry, partial_order, refused }
}

/// Why created rebecs are not renumbered with a quotient.
fn heap_refusal(quotient: Option<Quotient<'_>>) -> Option<Refusal> {
    let Quotient { group, representative, .. } = quotient?;
    if !matches!(representative, Representative::Auto | Representative::Enumerate) {
        return Some(Refusal::SeveralRepresentatives);
    }
    let changes = !group.certificate().keeps_fault_classes;
    changes.then_some(Refusal::FaultKindsChange)
}

/// The reason that a quotient with this choice of representatives is not used for the formulas of a question under
/// weak fairness, whatever the group; nothing where it is used, or where fairness is not assumed.
pub fn unfair_quotient<G>(
    model: &Model,
    question: &Question,
    representative: Representative,
    combination: &Reductions<'_, G>,
) -> Option<Refusal> {
    if question.fairness != Fairness::Weak {
        return None;
    }
    if representative != Representative::Auto {
        return Some(Refusal::FairRepresentative);
    }
    if !model.creatable.is_empty() {
        return Some(Refusal::FairCreation);
    }
    let question = Question { overflow: false, ..only(question, true) };
    let uncombined = Combination { overflow_excluded: combination.overflow_excluded, ..Combination::default() };
    let is_reduced = combination.partial_order && plan(model, &question, &uncombined, Wrong::default()).is_ok();
    is_reduced.then_some(Refusal::FairPartialOrder)
}

/// The same for a sequential process.
pub fn unfair_quotient_of_process<P>(
    model: &Sequential,
    question: &Question<P>,
    representative: Representative,
) -> Option<Refusal> {
    let is_fair = question.fairness == Fairness::Weak && model.has_processes();
    if is_fair && model.numbered.is_some() {
        return Some(Refusal::FairNumbers);
    }
    (is_fair && representative != Representative::Auto).then_some(Refusal::FairRepresentative)
}

/// Stacks the reductions that were allowed for the separate run of each formula. A group that fixes the whole
/// question fixes each condition of the formula.
pub(crate) fn stack_for_formulas<'g>(model: &Model, question: &Question, allowed: Reductions<'g>) -> Stack<'g> {
    let Reductions { mut quotient, heap_symmetry, partial_order, overflow_excluded, images: _ } = allowed;
    let question = Question { overflow: false, ..only(question, true) };
    let unfair = quotient.and_then(|used| unfair_quotient(model, &question, used.representative, &allowed));
    quotient = quotient.filter(|_| unfair.is_none());
    let symmetries = quotient.map_or_else(Vec::new, |quotient| images(model, quotient.group));
    let combination = Combination { is_quotient: quotient.is_some(), symmetries, overflow_excluded, renumbers: false };
    let (partial_order, mut refused) =
        sorted(partial_order.then(|| plan(model, &question, &combination, Wrong::default())));
    let is_fair = question.fairness == Fairness::Weak;
    assert!(!is_fair || quotient.is_none() || partial_order.is_none(), "fair quotients have no partial order");
    let unfair = unfair.map(|refusal| Reduction::refused(ReductionKind::Symmetry, refusal));
    refused.extend(unfair);
    let is_heap_requested = heap_symmetry && !model.creatable.is_empty();
    let no_heap = match question.fairness == Fairness::Weak {
        true => Some(Refusal::FairRenumbering),
        false => heap_refusal(quotient),
    };
    let no_heap = no_heap.filter(|_| is_heap_requested);
    let heap_symmetry = is_heap_requested && no_heap.is_none();
    refused.extend(no_heap.map(no_heap_symmetry));
    Stack { quotient, heap_symmetry, partial_order, refused }
}

/// A question with its formulas only, or with everything else.
fn only(question: &Question, formulas: bool) -> Question {
    let mut properties = question.properties.clone();
    properties.properties.retain(|property| matches!(property.kind, PropertyKind::Ltl(_)) == formulas);
    Question { properties, ..question.clone_without_properties() }
}

fn sorted(planned: Option<Result<PartialOrder, Refusal>>) -> (Option<PartialOrder>, Vec<Reduction>) {
    match planned {
        None => (None, Vec::new()),
        Some(Ok(plan)) => (Some(plan), Vec::new()),
        Some(Err(refusal)) => (None, vec![not_applied(refusal)]),
    }
}

/// The part of the question of a run of a sequential process that partial order depends on.
#[derive(Clone, Debug)]
pub(crate) struct ProcessQuery {
    /// The properties that the run answers.
    pub(crate) properties: Vec<sequential::Property>,
    /// Whether faults are asked for, or end runs of formulas.
    pub(crate) faults: bool,
    /// Whether the question contains more than deadlock.
    pub(crate) more_than_deadlock: bool,
}

/// The part of a question about a sequential process that a run of formulas, or the reachability run, answers, if partial order
/// keeps it.
///
/// # Errors
/// The reason that there is none, and the nearest sound way, in one line.
pub(crate) fn plan_of_process<G>(
    model: &Sequential,
    question: &Question<Vec<sequential::Property>>,
    allowed: &Reductions<'_, G>,
    of_formulas: bool,
) -> Result<ProcessQuery, Refusal> {
    let mut properties = question.properties.clone();
    properties.retain(|property| matches!(property.kind, PropertyKind::Ltl(_)) == of_formulas);
    if allowed.quotient.is_some_and(|quotient| quotient.counts_orbits) {
        return Err(Refusal::OrbitsCounted);
    }
    Formulas::of(&properties).refused()?;
    let counts_inside = |property: &sequential::Property| model.inside.as_ref() == Some(&property.name);
    if let Some(property) = properties.iter().find(|property| of_formulas && counts_inside(property)) {
        return Err(Refusal::LongSteps(property.name.clone()));
    }
    if of_formulas && question.fairness == Fairness::Weak && model.has_processes() {
        return Err(Refusal::FairProcesses);
    }
    let more_than_deadlock = question.faults || properties.answered().next().is_some();
    Ok(ProcessQuery { properties, faults: question.faults || of_formulas, more_than_deadlock })
}

fn no_heap_symmetry(refusal: Refusal) -> Reduction {
    Reduction::refused(ReductionKind::HeapSymmetry, refusal)
}

/// Partial order is not applied, and why.
pub(crate) fn not_applied(refusal: Refusal) -> Reduction {
    Reduction::refused(ReductionKind::PartialOrder, refusal)
}

/// The reductions that are used together with partial order.
#[derive(Default, Debug)]
pub(crate) struct Combination {
    /// Whether there is a quotient.
    pub(crate) is_quotient: bool,
    /// Generators of its group.
    pub(crate) symmetries: Vec<Images>,
    /// Whether another proof shows that no queue overflows.
    pub(crate) overflow_excluded: bool,
    /// Whether created rebecs are renumbered.
    pub(crate) renumbers: bool,
}

/// The plan of partial order for a question.
///
/// # Errors
/// Why there is none, and the nearest sound way, in one line.
pub(crate) fn plan(
    model: &Model,
    question: &Question,
    combination: &Combination,
    wrong: Wrong,
) -> Result<PartialOrder, Refusal> {
    let requested = Formulas::of(&question.properties.properties);
    let is_fair = requested.any && question.fairness == Fairness::Weak;
    requested.refused()?;
    if is_fair && combination.is_quotient {
        return Err(Refusal::FairQuotient);
    }
    let is_kept = (question.overflow || requested.any) && !combination.overflow_excluded;
    let overflow = if is_kept { Overflow::Kept } else { Overflow::Hidden };
    let context = Context { overflow, renumbers: combination.renumbers };
    PartialOrder::new(model, &question.properties, context, &combination.symmetries, wrong)
        .map_err(|_| Refusal::TooManyMessages)
}

/// The formulas of a question.
struct Formulas<'q> {
    any: bool,
    /// The first one that quantifies over runs.
    branching: Option<&'q str>,
    /// The first one with `X`.
    with_next: Option<&'q str>,
    /// The first one with an automaton.
    with_automaton: Option<&'q str>,
}

impl<'q> Formulas<'q> {
    fn of<E>(properties: &'q [Property<E>]) -> Formulas<'q> {
        let mut formulas = Formulas { any: false, branching: None, with_next: None, with_automaton: None };
        for property in properties {
            if let PropertyKind::Ltl(formula) = &property.kind {
                formulas.any = true;
                if formula.is_branching() && formulas.branching.is_none() {
                    formulas.branching = Some(&property.name);
                }
                if formula.has_automaton() && formulas.with_automaton.is_none() {
                    formulas.with_automaton = Some(&property.name);
                }
                if formula.has_next() && formulas.with_next.is_none() {
                    formulas.with_next = Some(&property.name);
                }
            }
        }
        formulas
    }

    /// The refusal of formulas that partial order does not keep.
    fn refused(&self) -> Result<(), Refusal> {
        if let Some(name) = self.branching {
            return Err(Refusal::Branching(name.to_owned()));
        }
        if let Some(name) = self.with_automaton {
            return Err(Refusal::Automaton(name.to_owned()));
        }
        match self.with_next {
            Some(name) => Err(Refusal::Next(name.to_owned())),
            None => Ok(()),
        }
    }
}

/// The images of rebecs of `main` and of the servers of their messages under generators.
pub(crate) fn images(model: &Model, group: &ValidatedGroup) -> Vec<Images> {
    let rebecs = || (0..model.instances.len()).map(RebecId::from_index);
    let servers = |generator: &ModelPermutation, rebec: RebecId| {
        let servers = (0..model.class(model.class_of(rebec)).servers.len()).map(ServerId::from_index);
        servers.map(|server| generator.server(rebec, server)).collect()
    };
    let images = |generator: &ModelPermutation| Images {
        rebecs: rebecs().map(|rebec| generator.image(rebec)).collect(),
        servers: rebecs().map(|rebec| servers(generator, rebec)).collect(),
    };
    group.generators().iter().map(images).collect()
}
