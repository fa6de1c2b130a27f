//! The dependence of instances of summands on each other, and the instances that can make a guard true.
//!
//! Two instances are independent if neither writes an element that the other reads or writes. They are independent
//! too if no state enables both: an element of few values that the conjuncts at the beginning of both guards restrict
//! to disjoint sets of values. The instances that can make a conjunct true are those that write an element that it
//! reads; where it reads only one element of few values, those that may take it from a value for which the conjunct
//! is false to one for which it is true.
//!
//! Invariants: member `i` of a row is instance `i`; `dependent` is symmetric and no instance depends on itself.
//!
//! Soundness: declared sets ([`access`](super::access)) are too large rather than too small. Only conjuncts that
//! cannot fault, at the beginning of a guard, restrict it: as long as one of them is false the guard is false and
//! does not fault. Whether an instance is enabled, whether it faults, and the values that it writes depend only on
//! the elements that it reads.
//!
//! Complexity: the members of rows, for each element that is touched; refused above [`MOST_BYTES`].

use std::collections::BTreeSet;

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::super::body::{Instance, Parameters};
use super::super::code::Code;
use super::Wrong;
use super::access::{MOST_VALUES, Track, Values, accesses, reads};
use super::sets::{Rows, words};

/// The most bytes of all rows together.
const MOST_BYTES: u64 = 1 << 26;

/// The most instances, of which several sets are held in words.
const MOST_INSTANCES: usize = 1 << 12;

/// Tracks of elements, value by value, all together.
const MOST_TRACKED: usize = 1 << 22;

/// The facts about an instance.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The elements that it may write, ascending.
    pub(super) writes: Box<[usize]>,
    /// The changes that it may make to each of these that has few values.
    pub(super) tracks: Box<[Track]>,
    /// The conjuncts at the beginning of its guard, by number.
    pub(super) conjuncts: Box<[u32]>,
    /// The rest of its guard, by number.
    pub(super) rest: u32,
    /// Whether it represents all choices of parameters of its summand.
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
    /// By instance those that depend on it.
    pub(super) dependent: Rows,
    /// By condition those that can make it true when it is false.
    pub(super) enabling: Rows,
    /// The bytes of the rows, approximately.
    held: u64,
}

/// The elements of a state: the least value and the number of values of each, and their number with locals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'a> {
    /// `(least value, number of values)`.
    pub(super) bounds: &'a [(i32, usize)],
    /// Elements and locals.
    pub(super) working: usize,
}

/// The facts that are gathered before rows are made.
struct Reading {
    accesses: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
    /// By element the instances that write it, and those that read or write it.
    writers: Vec<RoaringBitmap>,
    touchers: Vec<RoaringBitmap>,
    /// By instance the values that its guard allows for elements.
    allowed: Vec<Vec<(usize, u64)>>,
}

impl<'m> Independence<'m> {
    /// Analyses the instances of a process; nothing if they are too many.
    pub(super) fn new(instances: &[Instance<'m>], elements: Elements<'_>, wrong: Wrong) -> Option<Independence<'m>> {
        if instances.len() > MOST_INSTANCES {
            return None;
        }
        let mut all = Independence {
            words: words(instances.len()),
            parts: Vec::with_capacity(instances.len()),
            conditions: Vec::new(),
            dependent: Rows::new(instances.len()),
            enabling: Rows::new(instances.len()),
            held: 0,
        };
        let mut state = vec![0; elements.working];
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut reading = Reading {
            accesses: Vec::new(),
            writers: vec![RoaringBitmap::new(); elements.bounds.len()],
            touchers: vec![RoaringBitmap::new(); elements.bounds.len()],
            allowed: Vec::new(),
        };
        let mut tracked = 0;
        for (at, instance) in (0..).zip(instances) {
            let (read, written) = accesses(instance, elements.bounds.len());
            for &element in &written {
                reading.writers[element].insert(at);
            }
            for &element in read.iter().chain(&written) {
                reading.touchers[element].insert(at);
            }
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
        all.relate(&reading, elements, wrong)?;
        for condition in all.conditions.clone() {
            let row = all.enabling_row(&condition, &reading, elements, &mut state);
            all.held += all.enabling.push(row);
            all.bounded()?;
        }
        Some(all)
    }

    /// Nothing if rows take too much.
    fn bounded(&self) -> Option<()> {
        (self.held <= MOST_BYTES).then_some(())
    }

    /// Fills the rows of dependence; nothing if they take too much.
    fn relate(&mut self, reading: &Reading, elements: Elements<'_>, wrong: Wrong) -> Option<()> {
        // By element the sets of values that guards allow, each with the instances that allow no other values.
        let mut restricted: Vec<FxHashMap<u64, RoaringBitmap>> = vec![FxHashMap::default(); elements.bounds.len()];
        for (at, allowed) in (0..).zip(&reading.allowed) {
            for &(element, values) in allowed {
                restricted[element].entry(values).or_default().insert(at);
            }
        }
        for (at, (read, written)) in (0..).zip(&reading.accesses) {
            let mut row = RoaringBitmap::new();
            for &element in written {
                row |= if wrong.reads_forgotten() { &reading.writers[element] } else { &reading.touchers[element] };
            }
            for &element in read.iter().filter(|_| !wrong.reads_forgotten()) {
                row |= &reading.writers[element];
            }
            for &(element, values) in &reading.allowed[at as usize] {
                for (_, never) in restricted[element].iter().filter(|&(&others, _)| others & values == 0) {
                    row -= never;
                }
            }
            row.remove(at);
            self.held += self.dependent.push(row);
            self.bounded()?;
        }
        Some(())
    }

    /// The instances that can make a condition true.
    fn enabling_row(
        &self,
        condition: &Code<'m>,
        reading: &Reading,
        elements: Elements<'_>,
        state: &mut [i32],
    ) -> RoaringBitmap {
        let (mut read, mut row) = (BTreeSet::new(), RoaringBitmap::new());
        reads(condition, elements.bounds.len(), &mut read);
        read.iter().for_each(|&element| row |= &reading.writers[element]);
        let (Some(&element), 1) = (read.first(), read.len()) else { return row };
        let (low, count) = elements.bounds[element];
        if count > MOST_VALUES {
            return row;
        }
        let Some(holds) = (Values { element, low, count, state }).holds(condition) else { return row };
        let never = |at: &u32| {
            let track = self.parts[*at as usize].tracks.iter().find(|track| track.element == element);
            track.is_some_and(|track| {
                let mut leaving = track.after.iter().enumerate().filter(|&(from, _)| holds >> from & 1 == 0);
                leaving.all(|(_, &after)| after & holds == 0)
            })
        };
        let never: RoaringBitmap = row.iter().filter(never).collect();
        row - never
    }

    /// Bytes held, approximately.
    pub(super) fn bytes(&self) -> u64 {
        let tracks = |part: &Part| part.tracks.iter().map(|track| track.after.len() as u64 * 8 + 32).sum::<u64>();
        let parts: u64 = self.parts.iter().map(|part| 96 + part.writes.len() as u64 * 8 + tracks(part)).sum();
        self.held + parts + self.conditions.len() as u64 * 64
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
