//! [`Relation`]: the steps of a process as a set for each label, and the decision whether a permutation of literals keeps these sets.
//!
//! A *change* is a set of elements with their values after a step, other than those before it. State and successor determine the change,
//! and the state and the change the successor, so the steps with one label are one function of the state for each change: whether some
//! instance makes it there. These functions are a canonical form,
//! whatever instances the steps come from. A permutation keeps the relation if it maps the steps of each label to those of a label of
//! the same event, by one permutation of the labels, and the states in which some instance of an event faults to such states.
//!
//! # Soundness
//!
//! Such a permutation is an automorphism of the transition system on the states of live values, up to the number of instances that make a
//! step, or fault. It keeps reachability, deadlocks, faults and runs. It is no permutation of instances: numbers of transitions, weak
//! fairness and independence do not follow it (`docs/soundness.md`). Diagrams are canonical; where atoms over terms occur, different ids
//! prove nothing and the permutation is rejected as not decided.
//!
//! # Complexity
//!
//! The product, over the elements that an instance changes, of the values that it writes; at most [`MAX_OWN`].

use frontend::sequential::Sequential;
use rustc_hash::FxHashMap;

use super::diagram::{Dd, Diagrams, Leaf, Op, Renaming};
use super::instances::Instances;
use super::rejection::Rejection;

/// The most changes of one instance.
const MAX_OWN: usize = 1 << 8;
/// The steps that the relation may take, and each image of it.
const BUDGET: u64 = 1 << 19;

mutants::mutants! {
    /// Known-wrong comparisons of relations and of instances.
    pub(super) struct Wrong {
        /// The states in which instances fault are not compared.
        faults_are_free,
        /// The value after a change is not moved.
        values_stay,
        /// The condition of a change is not moved.
        conditions_stay,
        /// Steps of all events are one relation.
        events_are_one,
        /// Instances that read no moved element are not compared, whatever they change.
        forgets_changes,
        /// Of instances that are compared as they are written, the values of elements may change.
        forgets_values,
        /// Their operands change places also where one may fault.
        forgets_faults,
        /// The domains of what they index and assign are not compared.
        forgets_domains,
    }
}

/// The elements that change with their values after the step, ascending.
type Change = Vec<(usize, i32)>;

/// The steps of one label: an event, and each change with the states in which it happens, ascending.
type Steps = (String, Vec<(Change, Dd)>);

/// The steps of a process.
pub(super) struct Relation {
    /// The steps of each label, and the number of labels that have these steps.
    steps: FxHashMap<Steps, usize>,
    /// The states in which some instance of an event faults.
    faults: Vec<(String, Dd)>,
    wrong: Wrong,
}

impl Relation {
    /// The relation of a process; `None` where an instance is too large, or changes wide elements.
    pub(super) fn new(model: &Sequential, instances: &mut Instances, wrong: Wrong) -> Option<Relation> {
        let Instances { diagrams, list, .. } = instances;
        diagrams.begin(BUDGET);
        let mut labels: FxHashMap<(String, Vec<i32>), FxHashMap<Change, Dd>> = FxHashMap::default();
        let mut faults: FxHashMap<String, Dd> = FxHashMap::default();
        for instance in list {
            let behaviour = instance.behaviour.as_ref()?;
            let event = match wrong.events_are_one() {
                true => String::new(),
                false => model.summand(instance.summand).event.clone(),
            };
            let fault = is(diagrams, behaviour.status, Leaf::Fault);
            if fault != Diagrams::ZERO && !wrong.faults_are_free() {
                let known = faults.entry(event.clone()).or_insert(Diagrams::ZERO);
                *known = diagrams.apply(Op::Or, *known, fault);
            }
            let runs = is(diagrams, behaviour.status, Leaf::Value(1));
            if runs == Diagrams::ZERO {
                continue;
            }
            let mut changes: Vec<(Change, Dd)> = vec![(Change::new(), runs)];
            for &(element, new) in &behaviour.outputs {
                changes = longer(diagrams, &changes, element, new)?;
            }
            for (arguments, when) in &behaviour.labels {
                let values: Option<Vec<i32>> = arguments
                    .iter()
                    .map(|leaf| if let Leaf::Value(value) = leaf { Some(*value) } else { None })
                    .collect();
                let steps = labels.entry((event.clone(), values?)).or_default();
                let when = is(diagrams, *when, Leaf::Value(1));
                for (change, here) in &changes {
                    let both = diagrams.apply(Op::And, when, *here);
                    if both != Diagrams::ZERO {
                        let known = steps.entry(change.clone()).or_insert(Diagrams::ZERO);
                        *known = diagrams.apply(Op::Or, *known, both);
                    }
                }
            }
        }
        if diagrams.exhausted() {
            return None;
        }
        let mut steps: FxHashMap<Steps, usize> = FxHashMap::default();
        for ((event, _), changes) in labels {
            let mut changes: Vec<(Change, Dd)> = changes.into_iter().collect();
            changes.sort_unstable();
            *steps.entry((event, changes)).or_default() += 1;
        }
        let mut faults: Vec<(String, Dd)> = faults.into_iter().collect();
        faults.sort_unstable();
        Some(Relation { steps, faults, wrong })
    }

    /// Whether the image of the relation is the relation.
    ///
    /// # Errors
    /// The reason that it is not, or that this is not decided.
    pub(super) fn check(&self, diagrams: &mut Diagrams, renaming: &Renaming) -> Result<(), Rejection> {
        diagrams.begin(BUDGET);
        let mut memo = FxHashMap::default();
        for (event, dd) in &self.faults {
            let image = diagrams.rename(*dd, renaming, &mut memo);
            if diagrams.exhausted() {
                return Err(too_large(event));
            }
            if image != *dd {
                return Err(different(diagrams, event, "faults"));
            }
        }
        for ((event, changes), &count) in &self.steps {
            let mut images: Vec<(Change, Dd)> = Vec::with_capacity(changes.len());
            for (change, dd) in changes {
                let moved = change.iter().map(|&(element, to)| {
                    let to = if self.wrong.values_stay() { to } else { renaming.image(element, to) };
                    (renaming.elements[element], to)
                });
                let mut moved: Change = moved.collect();
                moved.sort_unstable();
                debug_assert!(moved.windows(2).all(|pair| pair[0].0 < pair[1].0), "two changes have one image");
                let image = match self.wrong.conditions_stay() {
                    true => *dd,
                    false => diagrams.rename(*dd, renaming, &mut memo),
                };
                images.push((moved, image));
            }
            if diagrams.exhausted() {
                return Err(too_large(event));
            }
            images.sort_unstable();
            if self.steps.get(&(event.clone(), images)) != Some(&count) {
                return Err(different(diagrams, event, "steps"));
            }
        }
        Ok(())
    }
}

/// The changes together with those of one more element; `None` if there are too many.
fn longer(diagrams: &mut Diagrams, changes: &[(Change, Dd)], element: usize, new: Dd) -> Option<Vec<(Change, Dd)>> {
    if diagrams.live(element).is_empty() {
        return None;
    }
    let old = diagrams.element(element);
    let is_later = |(change, _): &(Change, Dd)| change.last().is_none_or(|last| last.0 < element);
    debug_assert!(changes.iter().all(is_later), "changes are ascending");
    let mut longer: Vec<(Change, Dd)> = Vec::new();
    for leaf in diagrams.leaves(new) {
        let to = match leaf {
            Leaf::Value(to) => to,
            Leaf::Nothing | Leaf::Fault => continue,
            Leaf::Term(_) => return None,
        };
        let after = is(diagrams, new, leaf);
        let same = is(diagrams, old, leaf);
        let other = is(diagrams, same, Leaf::Value(0));
        for (more, before) in [(None, same), (Some((element, to)), other)] {
            let here = diagrams.apply(Op::And, after, before);
            for (change, when) in changes {
                let both = diagrams.apply(Op::And, *when, here);
                if both == Diagrams::ZERO {
                    continue;
                }
                let change: Change = change.iter().copied().chain(more).collect();
                match longer.iter_mut().find(|known| known.0 == change) {
                    Some(known) => known.1 = diagrams.apply(Op::Or, known.1, both),
                    None => longer.push((change, both)),
                }
            }
        }
        if longer.len() > MAX_OWN || diagrams.exhausted() {
            return None;
        }
    }
    Some(longer)
}

/// The condition that a function has this result.
fn is(diagrams: &mut Diagrams, dd: Dd, leaf: Leaf) -> Dd {
    diagrams.map(dd, &|other| Leaf::Value(i32::from(other == leaf)))
}

fn too_large(event: &str) -> Rejection {
    Rejection::NotDecided(format!("the image of the steps of `{event}` is too large"))
}

fn different(diagrams: &Diagrams, event: &str, what: &'static str) -> Rejection {
    match diagrams.has_atoms() {
        true => Rejection::NotDecided(format!("no label is said to have the image of the {what} of `{event}`")),
        false => Rejection::Steps { event: event.to_owned(), what },
    }
}
