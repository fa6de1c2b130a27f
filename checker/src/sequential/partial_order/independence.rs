//! Which instances of summands depend on each other, and which ones can make a guard true.
//!
//! Two instances are independent if neither writes what the other reads or writes. They are independent too if no state enables
//! both: an element of few values that the conjuncts at the beginning of both guards restrict to disjoint sets of values. What can
//! make a conjunct true are the instances that write what it reads; where it reads one element of few values only, those that
//! may take it from a value for which the conjunct is false to one for which it is true.
//!
//! Invariants: rows have `words` words; bit `i` of a row is instance `i`; `dependent` is symmetric and no instance depends on itself.
//!
//! Soundness: declared sets ([`access`](super::access)) are too large rather than too small. Only conjuncts that cannot fault, at
//! the beginning of a guard, restrict it: as long as one of them is false the guard is false and does not fault. Whether an instance is
//! enabled, faults, and what it writes depends on what it reads only.
//!
//! Complexity: instances times elements they touch, in words of sets; refused above [`MOST_WORDS`].

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::body::{Instance, Parameters};
use super::super::code::Code;
use super::Wrong;
use super::access::{MOST_VALUES, Track, Values, accesses, reads};

/// Words of all sets together.
const MOST_WORDS: usize = 1 << 23;

/// Tracks of elements, value by value, all together.
const MOST_TRACKED: usize = 1 << 22;

/// What is known of an instance.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// What it may write, ascending.
    pub(super) writes: Box<[usize]>,
    /// How it may change each of these that has few values.
    pub(super) tracks: Box<[Track]>,
    /// The conjuncts at the beginning of its guard, by number.
    pub(super) conjuncts: Box<[u32]>,
    /// What is left of its guard, by number.
    pub(super) rest: u32,
    /// Whether it stands for all choices of parameters of its summand.
    pub(super) is_family: bool,
}

/// The instances of a process.
#[derive(Clone, Debug)]
pub(super) struct Independence<'m> {
    /// Words of a set of instances.
    pub(super) words: usize,
    /// The instances.
    pub(super) parts: Vec<Part>,
    /// The conditions that guards are made of.
    pub(super) conditions: Vec<Code<'m>>,
    dependent: Vec<u64>,
    enabling: Vec<u64>,
}

/// The elements of a state: the least value and the number of values of each, and how many there are with locals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'a> {
    /// `(least value, number of values)`.
    pub(super) bounds: &'a [(i32, usize)],
    /// Elements and locals.
    pub(super) working: usize,
}

/// What is looked at before rows are made.
struct Reading {
    accesses: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
    /// By element the instances that write it, and those that read or write it.
    writers: Vec<Vec<u64>>,
    touchers: Vec<Vec<u64>>,
    /// By instance the values that its guard allows for elements.
    allowed: Vec<Vec<(usize, u64)>>,
}

impl<'m> Independence<'m> {
    /// Looks at the instances of a process; nothing if they are too many.
    pub(super) fn new(instances: &[Instance<'m>], elements: Elements<'_>, wrong: Wrong) -> Option<Independence<'m>> {
        let words = instances.len().div_ceil(64).max(1);
        if words.checked_mul(instances.len() + 2 * elements.bounds.len())? > MOST_WORDS {
            return None;
        }
        let mut all = Independence {
            words,
            parts: Vec::with_capacity(instances.len()),
            conditions: Vec::new(),
            dependent: Vec::new(),
            enabling: Vec::new(),
        };
        let mut state = vec![0; elements.working];
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut reading = Reading {
            accesses: Vec::new(),
            writers: vec![vec![0; words]; elements.bounds.len()],
            touchers: vec![vec![0; words]; elements.bounds.len()],
            allowed: Vec::new(),
        };
        let mut tracked = 0;
        for (at, instance) in instances.iter().enumerate() {
            let (read, written) = accesses(instance, elements.bounds.len());
            written.iter().for_each(|&element| set(&mut reading.writers[element], at));
            read.iter().chain(&written).for_each(|&element| set(&mut reading.touchers[element], at));
            let allowed = allowed(instance, elements, &mut state);
            let mut tracks = Vec::new();
            for &element in written.iter().filter(|&&element| elements.bounds[element].1 <= MOST_VALUES) {
                let (low, count) = elements.bounds[element];
                tracked += count;
                let mut values = Values { element, low, count, state: &mut state };
                let from = allowed.iter().find(|(allowed, _)| *allowed == element).map_or(u64::MAX, |(_, set)| *set);
                tracks.push(values.track(&instance.body, from));
            }
            if tracked > MOST_TRACKED {
                return None;
            }
            let mut number = |code: &Code<'m>| {
                *numbers.entry(format!("{code:?}")).or_insert_with(|| {
                    all.conditions.push(code.clone());
                    u32::try_from(all.conditions.len() - 1).expect("bounded by the compiler")
                })
            };
            all.parts.push(Part {
                writes: written.iter().copied().collect(),
                tracks: tracks.into(),
                conjuncts: instance.shared.iter().map(&mut number).collect(),
                rest: number(&instance.guard),
                is_family: matches!(instance.parameters, Parameters::Ranges(_)),
            });
            reading.accesses.push((read, written));
            reading.allowed.push(allowed);
        }
        if words.checked_mul(all.conditions.len())? > MOST_WORDS {
            return None;
        }
        all.relate(&reading, elements, wrong);
        for condition in all.conditions.clone() {
            let row = all.enabling_row(&condition, &reading, elements, &mut state);
            all.enabling.extend_from_slice(&row);
        }
        Some(all)
    }

    /// Fills the rows of dependence.
    fn relate(&mut self, reading: &Reading, elements: Elements<'_>, wrong: Wrong) {
        // By element the sets of values that guards allow, each with the instances that allow no other values.
        let mut restricted: Vec<FxHashMap<u64, Vec<u64>>> = vec![FxHashMap::default(); elements.bounds.len()];
        for (at, allowed) in reading.allowed.iter().enumerate() {
            for &(element, values) in allowed {
                set(restricted[element].entry(values).or_insert_with(|| vec![0; self.words]), at);
            }
        }
        for (at, (read, written)) in reading.accesses.iter().enumerate() {
            let mut row = vec![0; self.words];
            for &element in written {
                unite(
                    &mut row,
                    if wrong.reads_forgotten { &reading.writers[element] } else { &reading.touchers[element] },
                );
            }
            for &element in read.iter().filter(|_| !wrong.reads_forgotten) {
                unite(&mut row, &reading.writers[element]);
            }
            for &(element, values) in &reading.allowed[at] {
                for (_, never) in restricted[element].iter().filter(|&(&others, _)| others & values == 0) {
                    row.iter_mut().zip(never).for_each(|(word, never)| *word &= !never);
                }
            }
            row[at / 64] &= !(1 << (at % 64));
            self.dependent.extend_from_slice(&row);
        }
    }

    /// The instances that can make a condition true.
    fn enabling_row(
        &self,
        condition: &Code<'m>,
        reading: &Reading,
        elements: Elements<'_>,
        state: &mut [i32],
    ) -> Vec<u64> {
        let (mut read, mut row) = (BTreeSet::new(), vec![0; self.words]);
        reads(condition, elements.bounds.len(), &mut read);
        read.iter().for_each(|&element| unite(&mut row, &reading.writers[element]));
        let (Some(&element), 1) = (read.first(), read.len()) else { return row };
        let (low, count) = elements.bounds[element];
        if count > MOST_VALUES {
            return row;
        }
        let Some(holds) = (Values { element, low, count, state }).holds(condition) else { return row };
        for (at, part) in self.parts.iter().enumerate() {
            let Some(track) = part.tracks.iter().find(|track| track.element == element) else { continue };
            let mut leaving = track.after.iter().enumerate().filter(|&(from, _)| holds >> from & 1 == 0);
            if leaving.all(|(_, &after)| after & holds == 0) {
                row[at / 64] &= !(1 << (at % 64));
            }
        }
        row
    }

    /// The instances that depend on one.
    pub(super) fn dependent(&self, instance: usize) -> &[u64] {
        &self.dependent[instance * self.words..][..self.words]
    }

    /// The instances that can make a condition true that is false.
    pub(super) fn enabling(&self, condition: u32) -> &[u64] {
        &self.enabling[condition as usize * self.words..][..self.words]
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> u64 {
        let tracks = |part: &Part| part.tracks.iter().map(|track| track.after.len() as u64 * 8 + 32).sum::<u64>();
        let parts: u64 = self.parts.iter().map(|part| 96 + part.writes.len() as u64 * 8 + tracks(part)).sum();
        (self.dependent.len() + self.enabling.len()) as u64 * 8 + parts + self.conditions.len() as u64 * 64
    }
}

/// For elements of few values those that the conjuncts at the beginning of a guard allow.
fn allowed(instance: &Instance<'_>, elements: Elements<'_>, state: &mut [i32]) -> Vec<(usize, u64)> {
    let mut allowed: Vec<(usize, u64)> = Vec::new();
    for conjunct in &instance.shared {
        let mut read = BTreeSet::new();
        reads(conjunct, elements.bounds.len(), &mut read);
        let (Some(&element), 1) = (read.first(), read.len()) else { continue };
        let (low, count) = elements.bounds[element];
        if count > MOST_VALUES {
            continue;
        }
        let Some(holds) = (Values { element, low, count, state: &mut *state }).holds(conjunct) else { continue };
        match allowed.iter_mut().find(|(known, _)| *known == element) {
            Some((_, set)) => *set &= holds,
            None => allowed.push((element, holds)),
        }
    }
    allowed
}

/// Adds a member to a set.
pub(super) fn set(row: &mut [u64], at: usize) {
    row[at / 64] |= 1 << (at % 64);
}

/// Whether a set has a member.
pub(super) fn has(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

fn unite(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}
