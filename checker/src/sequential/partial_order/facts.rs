//! The facts about the instances of summands that stubborn sets need, and the conditions that their guards are made of.
//!
//! Soundness: facts hold in states that have their values in the sets of [`Possible`].

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::body::{Instance, Parameters};
use super::super::code::Code;
use super::access::reads;
use super::effects::{Effects, Scratch, Touched};
use super::possible::Possible;
use super::value_set::ValueSet;
use crate::stubborn::{Among, Condition, Facts, MOST_INSTANCES, Source, Track, bits};

/// Tracks of elements, value by value, all together.
const MOST_TRACKED: usize = 1 << 22;

/// The most evaluations for tracks, and the most for sources; beyond them an instance may leave every possible value behind, and sources
/// are not known.
const MOST_SPENT: u64 = 1 << 21;

/// What an execution of instances needs.
struct Run<'r> {
    possible: &'r Possible,
    scratch: &'r mut Scratch,
    /// Evaluations so far.
    spent: &'r mut u64,
}

/// What is known of instances.
pub(super) struct Found<'m> {
    /// By instance.
    pub(super) facts: Vec<Facts>,
    /// The conditions that guards are made of.
    pub(super) conditions: Vec<Code<'m>>,
    /// What each of them depends on.
    pub(super) kinds: Vec<Condition>,
    /// Where the values come from that make each of them true.
    pub(super) sources: Vec<Option<Source>>,
}

/// The facts about the instances of a process; nothing if they are too many.
pub(super) fn facts<'m>(instances: &[Instance<'m>], possible: &Possible, scratch: &mut Scratch) -> Option<Found<'m>> {
    if instances.len() > MOST_INSTANCES {
        return None;
    }
    let mut found = Found {
        facts: Vec::with_capacity(instances.len()),
        conditions: Vec::new(),
        kinds: Vec::new(),
        sources: Vec::new(),
    };
    let mut state = vec![0; scratch.len()];
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let (mut tracked, mut spent) = (0, 0);
    for instance in instances {
        let Touched { reads, writes } = touched(instance, possible, scratch);
        let allowed = allowed(instance, possible, &mut state);
        let mut tracks = Vec::new();
        for &element in writes.iter().filter(|&&element| possible.is_followed(element)) {
            tracked += possible.bounds(element).1;
            let from = allowed.iter().find(|among| among.element == element).map_or(u64::MAX, |among| among.values);
            tracks.push(track(instance, element, from, Run { possible, scratch, spent: &mut spent }));
        }
        if tracked > MOST_TRACKED {
            return None;
        }
        let mut number = |code: &Code<'m>| {
            *numbers.entry(format!("{code:?}")).or_insert_with(|| {
                found.conditions.push(code.clone());
                found.kinds.push(kind(code, possible, &mut state, scratch));
                u32::try_from(found.conditions.len() - 1).expect("bounded by the compiler")
            })
        };
        found.facts.push(Facts {
            reads,
            writes,
            tracks,
            allowed,
            conjuncts: instance.shared.iter().map(&mut number).collect(),
            rest: number(&instance.guard),
            is_family: matches!(instance.parameters, Parameters::Ranges(_)),
        });
    }
    let mut spent = 0;
    for condition in &found.kinds {
        let source = if spent > MOST_SPENT {
            None
        } else {
            source(condition, instances, &found.facts, Run { possible, scratch, spent: &mut spent })
        };
        found.sources.push(source);
    }
    let count = found.conditions.len();
    let is_listed = |facts: &Facts| facts.conjuncts.iter().chain([&facts.rest]).all(|&at| (at as usize) < count);
    assert!(found.facts.iter().all(is_listed), "the conditions of guards are listed");
    Some(found)
}

/// Where the values come from that make a condition true, if that depends on a member of a list: the places of a queue pass
/// them on.
fn source(condition: &Condition, instances: &[Instance<'_>], facts: &[Facts], run: Run<'_>) -> Option<Source> {
    let Run { possible, scratch, spent } = run;
    let &Condition::Enters(list) = &condition else { return None };
    let &[Among { element, values }] = &list[..] else { return None };
    let elements = possible.alike(element);
    if elements.len() < 2 {
        return None;
    }
    let (low, count) = possible.bounds(element);
    let before = *spent;
    let mut creates = |instance: &Instance<'_>| {
        let given = possible.before();
        let mut effects = Effects::new(&given, scratch);
        for &at in &elements {
            effects.restrict(at, ValueSet::from_bits(low, possible.distances(at) & !values));
        }
        let ends = effects.step(instance);
        *spent += effects.spent;
        ends && elements.iter().any(|&at| effects.values(at).bits_from(low, count) & values != 0)
    };
    let writers = (0..).zip(instances.iter().zip(facts));
    let writers = writers.filter(|(_, (_, facts))| elements.iter().any(|at| facts.writes.contains(at)));
    let creators = writers.filter(|(_, (instance, _))| creates(instance)).map(|(at, _)| at).collect();
    limits::work(*spent - before);
    Some(Source { elements: elements.into(), values, creators })
}

/// The elements that an instance reads, in its guard, its arguments or its body, and those that it may write.
pub(super) fn touched(instance: &Instance<'_>, possible: &Possible, scratch: &mut Scratch) -> Touched {
    let before = possible.before();
    let mut effects = Effects::new(&before, scratch);
    effects.touched = Some(Touched::default());
    effects.step(instance);
    limits::work(effects.spent);
    effects.touched.take().unwrap_or_default()
}

/// The values to which an instance may take an element of few values from those of a set.
fn track(instance: &Instance<'_>, element: usize, from: u64, run: Run<'_>) -> Track {
    let Run { possible, scratch, spent } = run;
    let (low, count) = possible.bounds(element);
    let values = possible.distances(element);
    let before = *spent;
    let after = |at: usize| {
        if (from & values) >> at & 1 == 0 {
            return 0;
        }
        if *spent > MOST_SPENT {
            return values;
        }
        let mut all = 0;
        for given in possible.before_with(element, at) {
            let mut effects = Effects::new(&given, scratch);
            effects.restrict(element, ValueSet::from_bits(low, 1 << at));
            if effects.step(instance) {
                all |= effects.values(element).bits_from(low, count);
            }
            *spent += effects.spent;
        }
        all
    };
    let after = (0..count).map(after).collect();
    limits::work(*spent - before);
    Track { element, after }
}

/// What a condition depends on: where it reads one element of few values, those for which it is true or faults.
fn kind(condition: &Code<'_>, possible: &Possible, state: &mut [i32], scratch: &mut Scratch) -> Condition {
    match among(condition, possible, state) {
        Some(among) => Condition::Enters(vec![among]),
        None => {
            let before = possible.before();
            let mut effects = Effects::new(&before, scratch);
            effects.touched = Some(Touched::default());
            effects.eval(condition);
            Condition::Reads(effects.touched.take().unwrap_or_default().reads)
        }
    }
}

/// The possible values of the only element that a condition reads for which it is not false, if they are few.
fn among(code: &Code<'_>, possible: &Possible, state: &mut [i32]) -> Option<Among> {
    let mut read = BTreeSet::new();
    reads(code, usize::MAX, &mut read);
    let (Some(&element), 1, false) = (read.first(), read.len(), code.has_registers()) else { return None };
    if element >= possible.elements() || !possible.is_followed(element) {
        return None;
    }
    let low = possible.bounds(element).0;
    let mut holds = |&at: &usize| {
        state[element] = low + i32::try_from(at).expect("few values");
        code.value(state, &mut []) != Some(0)
    };
    let values = bits(possible.distances(element)).filter(|at| holds(at)).fold(0, |set, at| set | 1 << at);
    Some(Among { element, values })
}

/// For elements of few values those that the conjuncts at the beginning of a guard allow.
fn allowed(instance: &Instance<'_>, possible: &Possible, state: &mut [i32]) -> Vec<Among> {
    let mut allowed: Vec<Among> = Vec::new();
    for conjunct in &instance.shared {
        let Some(found) = among(conjunct, possible, state) else { continue };
        match allowed.iter_mut().find(|known| known.element == found.element) {
            Some(known) => known.values &= found.values,
            None => allowed.push(found),
        }
    }
    allowed
}
