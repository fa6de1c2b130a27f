//! The facts about the instances of summands that stubborn sets need, and the conditions that their guards are made of.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::body::{Instance, Parameters};
use super::super::code::Code;
use super::access::{Values, accesses, reads};
use crate::stubborn::{Among, Condition, Facts, MOST_INSTANCES, MOST_VALUES};

/// Tracks of elements, value by value, all together.
const MOST_TRACKED: usize = 1 << 22;

/// The elements of a state: the least value and the number of values of each, and their number with locals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'a> {
    /// `(least value, number of values)`.
    pub(super) bounds: &'a [(i32, usize)],
    /// Elements and locals.
    pub(super) working: usize,
}

/// What is known of instances.
pub(super) struct Found<'m> {
    /// By instance.
    pub(super) facts: Vec<Facts>,
    /// The conditions that guards are made of.
    pub(super) conditions: Vec<Code<'m>>,
    /// What each of them depends on.
    pub(super) kinds: Vec<Condition>,
}

/// The facts about the instances of a process; nothing if they are too many.
pub(super) fn facts<'m>(instances: &[Instance<'m>], elements: Elements<'_>) -> Option<Found<'m>> {
    if instances.len() > MOST_INSTANCES {
        return None;
    }
    let mut found = Found { facts: Vec::with_capacity(instances.len()), conditions: Vec::new(), kinds: Vec::new() };
    let mut state = vec![0; elements.working];
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let mut tracked = 0;
    for instance in instances {
        let (read, written) = accesses(instance, elements.bounds.len());
        let allowed = allowed(instance, elements, &mut state);
        let mut tracks = Vec::new();
        for &element in written.iter().filter(|&&element| elements.bounds[element].1 <= MOST_VALUES) {
            let (low, count) = elements.bounds[element];
            tracked += count;
            let mut values = Values { element, low, count, state: &mut state };
            let from = allowed.iter().find(|among| among.element == element).map_or(u64::MAX, |among| among.values);
            tracks.push(values.track(&instance.body, from));
        }
        if tracked > MOST_TRACKED {
            return None;
        }
        let mut number = |code: &Code<'m>| {
            *numbers.entry(format!("{code:?}")).or_insert_with(|| {
                found.conditions.push(code.clone());
                found.kinds.push(kind(code, elements, &mut state));
                u32::try_from(found.conditions.len() - 1).expect("bounded by the compiler")
            })
        };
        found.facts.push(Facts {
            reads: read,
            writes: written,
            tracks,
            allowed,
            conjuncts: instance.shared.iter().map(&mut number).collect(),
            rest: number(&instance.guard),
            is_family: matches!(instance.parameters, Parameters::Ranges(_)),
        });
    }
    Some(found)
}

/// What a condition depends on: where it reads one element of few values, those for which it is true or faults.
fn kind(condition: &Code<'_>, elements: Elements<'_>, state: &mut [i32]) -> Condition {
    let mut read = BTreeSet::new();
    reads(condition, elements.bounds.len(), &mut read);
    match among(condition, &read, elements, state) {
        Some(among) => Condition::Enters(vec![among]),
        None => Condition::Reads(read),
    }
}

/// The values of the only element that a condition reads for which it is not false, if they are few.
fn among(code: &Code<'_>, read: &BTreeSet<usize>, elements: Elements<'_>, state: &mut [i32]) -> Option<Among> {
    let (Some(&element), 1) = (read.first(), read.len()) else { return None };
    let (low, count) = elements.bounds[element];
    if count > MOST_VALUES {
        return None;
    }
    let values = Values { element, low, count, state }.holds(code)?;
    Some(Among { element, values })
}

/// For elements of few values those that the conjuncts at the beginning of a guard allow.
fn allowed(instance: &Instance<'_>, elements: Elements<'_>, state: &mut [i32]) -> Vec<Among> {
    let mut allowed: Vec<Among> = Vec::new();
    for conjunct in &instance.shared {
        let mut read = BTreeSet::new();
        reads(conjunct, elements.bounds.len(), &mut read);
        let Some(found) = among(conjunct, &read, elements, state) else { continue };
        match allowed.iter_mut().find(|known| known.element == found.element) {
            Some(known) => known.values &= found.values,
            None => allowed.push(found),
        }
    }
    allowed
}
