//! Labels of instances: the action of a permutation on arguments of events.
//!
//! Arguments that are values may be permuted, as one label. Arguments that some instance of the event computes from wide elements keep
//! their values in every instance of it: they belong to the condition of the label.

use frontend::sequential::Sequential;
use rustc_hash::{FxHashMap, FxHashSet};

use super::diagram::{Dd, Diagrams, Leaf, Op};
use super::instances::Instances;
use super::pairing::Member;

/// Instances that have one label each: the label of every run.
pub(super) fn simple(instances: &Instances, members: &[usize], when: Dd) -> Vec<Member> {
    let members = members.iter().map(|&place| {
        let instance = &instances.list[place];
        let labels = instance.behaviour.iter().flat_map(|behaviour| &behaviour.labels);
        let values = |arguments: &[Leaf]| arguments.iter().filter_map(|leaf| value_of(*leaf)).collect();
        let labels = labels.map(|label| (vec![when], values(&label.0)));
        Member { place, labels: labels.collect(), process: instance.process }
    });
    members.collect()
}

fn value_of(leaf: Leaf) -> Option<i32> {
    if let Leaf::Value(value) = leaf { Some(value) } else { None }
}

/// For each event the arguments that some instance computes from wide elements.
pub(super) fn wide_arguments(model: &Sequential, instances: &Instances) -> FxHashMap<String, FxHashSet<usize>> {
    let mut wide: FxHashMap<String, FxHashSet<usize>> = FxHashMap::default();
    for instance in &instances.list {
        for (arguments, _) in instance.behaviour.iter().flat_map(|behaviour| &behaviour.labels) {
            for (place, _) in arguments.iter().enumerate().filter(|(_, leaf)| matches!(leaf, Leaf::Term(_))) {
                wide.entry(model.summand(instance.summand).event.clone()).or_default().insert(place);
            }
        }
    }
    wide
}

/// A label as the condition together with the wide arguments under it, which keep their values, and the other arguments, which a
/// permutation of labels may move. That permutation therefore does not depend on wide arguments, and is one of labels whatever their
/// values.
pub(super) fn split(
    diagrams: &mut Diagrams,
    arguments: &[Leaf],
    when: Dd,
    wide: Option<&FxHashSet<usize>>,
) -> (Vec<Dd>, Vec<i32>) {
    let (mut kept, mut free) = (vec![when], Vec::new());
    for (place, &leaf) in arguments.iter().enumerate() {
        match value_of(leaf) {
            Some(value) if wide.is_none_or(|wide| !wide.contains(&place)) => free.push(value),
            _ => {
                let there = diagrams.leaf(leaf);
                kept.push(diagrams.apply(Op::WhenTrue, when, there));
            }
        }
    }
    (kept, free)
}
