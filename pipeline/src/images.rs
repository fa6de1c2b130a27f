//! Checks invariants that a group moves at images of each state, so that they do not cut the group.
//!
//! A property that names one process cuts the group to the symmetries that keep it. But what is reachable is closed under the whole
//! group of the steps and starts. So an invariant holds in all reachable states if and only if it holds in all images of the states
//! that stand for their orbits: one image for each coset of the symmetries that keep the invariant. Many questions about single
//! processes share one run in the quotient by the whole group.
//!
//! # Soundness
//!
//! The group is validated without the invariants, for the starts of the model: never together with further starts (`starts`). The symmetries that
//! keep an invariant are proved, and are elements of the group; too few of them only bring more images. In states in which no evaluation of the body of a
//! quantifier faults, the symmetries for states of that kind leave fewer images; the checker knows these states by an evaluation for all values. What is visible to partial order
//! is closed under the group. A violation is shown on the model: the run is replayed as the image under an element that violates the
//! invariant. Formulas and conditions of ends still cut the group. Where an invariant has too many images it cuts the group, as all did.
//!
//! Source: E. A. Emerson and A. P. Sistla, Symmetry and model checking (1996), for the invariance that is needed without this.

use checker::{AtImages, Control, Outcome, QueryKind, Reduction, ReductionKind, Refusal};
use engine::{Group, SparsePermutation};
use ltl::Properties as _;
use symmetry::Strategy;

use crate::found::Found;
use crate::language::Language;
use crate::line::{GRACE, reduced_at};
use crate::stack::used;
use crate::task::{Attempt, Task};

/// The most images for one invariant.
const MOST_IMAGES: usize = 1 << 10;
/// The most images for all invariants.
const MOST_OF_ALL: usize = 1 << 16;

/// Whether invariants that the group moves are checked at images.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Images {
    /// In runs that have more than 32,768 states without that.
    #[default]
    Auto,
    /// Never.
    Off,
    /// In all runs where the question allows it.
    On,
}

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// Each invariant is checked at the stored state only.
        looks_once,
        /// The order in which quantifiers take their values never shows.
        ignores_the_order,
    }
}

/// Generators of symmetries that keep an invariant.
#[derive(Clone, Debug)]
pub struct Keeping {
    /// In all states.
    pub always: Vec<SparsePermutation>,
    /// In states in which the order does not show in which its quantifiers take their values: they lead to such states again. The two lists are not joined, as a
    /// symmetry of the first list may lead to a state of another kind.
    pub in_any_order: Vec<SparsePermutation>,
}

/// Invariants with their images, and the properties that cut the group.
pub(crate) struct Moved<L: Language> {
    /// The properties that the group keeps.
    kept: L::Properties,
    list: Vec<AtImages>,
    /// The order of the group that keeps all properties.
    order: String,
}

/// The invariants of a question with their images; `None` where the group is no larger without them.
pub(crate) fn find<L: Language>(task: Task<'_, L>, strategy: Strategy, found: &mut Found<L>) -> Option<Moved<L>> {
    let Task { model, question, .. } = task;
    let names: Vec<String> = question.properties.invariants().iter().map(|(name, _)| (*name).to_owned()).collect();
    if names.is_empty() {
        return None;
    }
    let cut = found.group(model, &question.properties, strategy).ok()?;
    let order = L::engine_group(used(task, cut)).order();
    let without = |moved: &[String]| {
        let mut kept = question.properties.clone();
        kept.keep(&|name| !moved.iter().any(|own| own == name), true);
        kept
    };
    // Invariants with too many images cut the group in the second attempt.
    let mut moved = names;
    for _ in 0..2 {
        let kept = without(&moved);
        let group = found.group(model, &kept, strategy).ok()?;
        let group = used(task, group);
        if moved.is_empty() || L::engine_group(group).order() <= order {
            return None;
        }
        let keeping = model.keeping(group, &question.properties, &moved, strategy)?;
        let whole = L::engine_group(group);
        let generated = |own: Vec<SparsePermutation>| Group::from_generators(whole.degree(), own).ok();
        let elements = |own: Group| {
            let elements = whole.cosets(&own, MOST_IMAGES)?;
            assert_eq!(own.order() * elements.len(), whole.order(), "each element of the group is in one coset");
            Some(elements)
        };
        let at_images = |(name, own): (&String, Keeping)| {
            let all = elements(generated(own.always)?)?;
            let any = generated(own.in_any_order)?;
            let is_larger = any.order() * all.len() > whole.order();
            let fewer = if is_larger { elements(any)? } else { Vec::new() };
            Some(AtImages { property: name.clone(), elements: all, in_any_order: fewer })
        };
        let list: Vec<Option<AtImages>> = moved.iter().zip(keeping).map(at_images).collect();
        let images: usize = list.iter().flatten().map(|at| at.elements.len()).sum();
        if images > MOST_OF_ALL {
            return None;
        }
        if list.iter().all(Option::is_some) {
            return Some(Moved { kept, list: list.into_iter().flatten().collect(), order: order.to_string() });
        }
        let is_found = |name: &String| list.iter().flatten().any(|at| at.property == *name);
        moved.retain(is_found);
    }
    None
}

/// The run with these invariants at their images.
pub(crate) fn run<L: Language>(
    task: Task<'_, L>,
    (strategy, wrong): (Strategy, Wrong),
    moved: &Moved<L>,
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Attempt<L> {
    let Task { model, question, .. } = task;
    let mut list = moved.list.clone();
    if wrong.looks_once() {
        list.iter_mut().for_each(|at| (at.elements.truncate(1), at.in_any_order.truncate(1)).1);
    }
    if wrong.ignores_the_order() {
        list.iter_mut()
            .filter(|at| !at.in_any_order.is_empty())
            .for_each(|at| at.elements = std::mem::take(&mut at.in_any_order));
    }
    let mut report = reduced_at(task, (&moved.kept, &list), found, control)?;
    // The run ends in the orbit of a state that violates the invariant: its image ends in that state. The group is found again in the
    // time for results, since a limit may have ended the search.
    let bring = || {
        let group = found.group(model, &moved.kept, strategy).map_err(Refusal::Undetected)?;
        let group = used(task, group);
        for answer in report.answers.iter_mut().filter(|answer| answer.kind == QueryKind::Invariant) {
            let (Some(trace), Some(at)) = (&answer.trace, list.iter().find(|at| at.property == answer.name)) else {
                continue;
            };
            let image = model.violating_image(group, &at.elements, &question.properties, &at.property, trace);
            let image = image.ok_or_else(|| Refusal::NotBroughtBack(answer.name.clone()))?;
            assert!(image.steps.len() == trace.steps.len(), "images of runs are as long");
            answer.trace = Some(image);
        }
        Ok(report)
    };
    let brought = limits::watch().or_afterwards(GRACE).run(bring);
    let brought = brought.unwrap_or_else(|stopped| Err(Refusal::Stopped(stopped.to_string())));
    Ok(brought.map(|mut report| {
        let several = moved.list.iter().filter(|at| at.elements.len() > 1);
        let mut images: Vec<_> = several.clone().flat_map(|at| &at.elements).collect();
        images.sort_unstable_by_key(|one| one.pairs());
        images.dedup();
        let outcome =
            Outcome::AtImages { kept: moved.order.clone(), invariants: several.count(), images: images.len() };
        report.reductions.insert(0, Reduction { kind: ReductionKind::Images, outcome });
        report
    }))
}

#[cfg(test)]
mod tests;
