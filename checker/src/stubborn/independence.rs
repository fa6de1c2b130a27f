//! The dependence of instances on each other, and the instances that can make a guard true.
//!
//! Two instances are independent if neither writes an element that the other reads or writes. They are independent
//! too if no state enables both: an element of few values that the conjuncts at the beginning of both guards restrict
//! to disjoint sets of values, or if a language proves that they commute wherever both are enabled ([`Pair`]).
//!
//! The instances that can make a condition true are those that write an element that it reads; where it depends on elements of few values, those that may take one of them from a value for which the
//! condition is false to one for which it may not be.
//!
//! Invariants: member `i` of a row is instance `i`; `dependent` is symmetric and no instance depends on itself.
//!
//! Soundness: declared sets ([`facts`](super::facts)) are too large rather than too small.
//!
//! Complexity: the members of rows, for each element that is touched; refused above [`MOST_BYTES`].

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::Wrong;
use super::facts::{Among, Condition, Facts, Track};
use super::sets::{Rows, words};

/// The most bytes of all rows together.
const MOST_BYTES: u64 = 1 << 26;

/// The most instances, of which several sets are held in words.
pub(crate) const MOST_INSTANCES: usize = 1 << 12;

/// Tracks of elements, value by value, all together.
const MOST_TRACKED: usize = 1 << 22;

/// The facts about an instance that are kept.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The elements that it may write, ascending.
    pub(crate) writes: Box<[usize]>,
    /// The changes that it may make to each of these that has few values.
    pub(crate) tracks: Box<[Track]>,
    /// The conjuncts at the beginning of its guard, by number.
    pub(crate) conjuncts: Box<[u32]>,
    /// The rest of its guard, by number.
    pub(crate) rest: u32,
    /// Whether it represents several instances.
    pub(crate) is_family: bool,
}

/// The instances of a model.
#[derive(Clone, Debug)]
pub(crate) struct Independence {
    /// Words of a set of instances.
    pub(crate) words: usize,
    /// The instances.
    pub(crate) parts: Vec<Part>,
    /// By instance those that depend on it.
    pub(crate) dependent: Rows,
    /// By condition those that can make it true when it is false.
    pub(crate) enabling: Rows,
    /// The bytes of the rows, approximately.
    held: u64,
}

/// Two instances that touch the same elements, by number, and their facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'f> {
    pub(crate) numbers: [usize; 2],
    facts: [&'f Facts; 2],
}

impl Pair<'_> {
    /// The elements that one of them writes and the other one reads or writes; some may come twice.
    pub(crate) fn shared(&self) -> impl Iterator<Item = usize> {
        let of = |writer: &'_ Facts, other: &'_ Facts| -> Vec<usize> {
            let is_touched = |element: &&usize| other.reads.contains(element) || other.writes.contains(element);
            writer.writes.iter().filter(is_touched).copied().collect()
        };
        let [one, other] = self.facts;
        of(one, other).into_iter().chain(of(other, one))
    }
}

/// By element the instances that write it, and those that read or write it.
struct Users {
    writers: Vec<RoaringBitmap>,
    touchers: Vec<RoaringBitmap>,
}

impl Independence {
    /// Analyses the instances of a model with so many elements; nothing if they are too many. `commute` proves of two
    /// instances that touch the same elements that they are independent all the same.
    pub(crate) fn new(
        facts: Vec<Facts>,
        conditions: &[Condition],
        elements: usize,
        wrong: Wrong,
        commute: &mut dyn FnMut(Pair<'_>) -> bool,
    ) -> Option<Independence> {
        let tracked = facts.iter().flat_map(|facts| &facts.tracks).map(|track| track.after.len()).sum::<usize>();
        if facts.len() > MOST_INSTANCES || tracked > MOST_TRACKED {
            return None;
        }
        let mut all = Independence {
            words: words(facts.len()),
            parts: Vec::with_capacity(facts.len()),
            dependent: Rows::new(facts.len()),
            enabling: Rows::new(facts.len()),
            held: 0,
        };
        let none = || vec![RoaringBitmap::new(); elements];
        let mut users = Users { writers: none(), touchers: none() };
        for (at, facts) in (0..).zip(&facts) {
            for &element in &facts.writes {
                users.writers[element].insert(at);
            }
            for &element in facts.reads.iter().chain(&facts.writes) {
                users.touchers[element].insert(at);
            }
        }
        all.relate(&facts, &users, wrong, commute)?;
        for facts in facts {
            limits::work(1);
            let Facts { reads: _, writes, tracks, allowed: _, conjuncts, rest, is_family } = facts;
            let writes = writes.into_iter().collect();
            all.parts.push(Part { writes, tracks: tracks.into(), conjuncts, rest, is_family });
        }
        for condition in conditions {
            limits::work(1);
            let row = all.enabling_row(condition, &users);
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
    fn relate(
        &mut self,
        facts: &[Facts],
        users: &Users,
        wrong: Wrong,
        commute: &mut dyn FnMut(Pair<'_>) -> bool,
    ) -> Option<()> {
        // By element the sets of values that guards allow, each with the instances that allow no other values.
        let mut restricted: Vec<FxHashMap<u64, RoaringBitmap>> = vec![FxHashMap::default(); users.writers.len()];
        for (at, facts) in (0..).zip(facts) {
            for &Among { element, values } in &facts.allowed {
                restricted[element].entry(values).or_default().insert(at);
            }
        }
        let mut commuting = vec![RoaringBitmap::new(); facts.len()];
        for (at, own) in (0..).zip(facts) {
            limits::work(1);
            let mut row = RoaringBitmap::new();
            for &element in &own.writes {
                row |= if wrong.reads_forgotten() { &users.writers[element] } else { &users.touchers[element] };
            }
            for &element in own.reads.iter().filter(|_| !wrong.reads_forgotten()) {
                row |= &users.writers[element];
            }
            for &Among { element, values } in &own.allowed {
                for (_, never) in restricted[element].iter().filter(|&(&others, _)| others & values == 0) {
                    row -= never;
                }
            }
            row.remove(at);
            row -= &commuting[at as usize];
            limits::work(row.len());
            for other in row.clone().range(at + 1..) {
                let numbers = [at as usize, other as usize];
                if commute(Pair { numbers, facts: numbers.map(|number| &facts[number]) }) {
                    row.remove(other);
                    commuting[other as usize].insert(at);
                }
            }
            self.held += self.dependent.push(row);
            self.bounded()?;
        }
        Some(())
    }

    /// The instances that can make a condition true.
    fn enabling_row(&self, condition: &Condition, users: &Users) -> RoaringBitmap {
        let mut row = RoaringBitmap::new();
        match condition {
            Condition::Reads(read) => read.iter().for_each(|&element| row |= &users.writers[element]),
            Condition::Enters(list) => {
                for &Among { element, values } in list {
                    let enters = |at: &u32| {
                        let track = self.parts[*at as usize].tracks.iter().find(|track| track.element == element);
                        track.is_none_or(|track| {
                            let mut leaving =
                                track.after.iter().enumerate().filter(|&(from, _)| values >> from & 1 == 0);
                            leaving.any(|(_, &after)| after & values != 0)
                        })
                    };
                    row |= users.writers[element].iter().filter(enters).collect::<RoaringBitmap>();
                }
            }
        }
        row
    }

    /// Bytes held, approximately.
    pub(crate) fn bytes(&self) -> u64 {
        let tracks = |part: &Part| part.tracks.iter().map(|track| track.after.len() as u64 * 8 + 32).sum::<u64>();
        let parts: u64 = self.parts.iter().map(|part| 96 + part.writes.len() as u64 * 8 + tracks(part)).sum();
        self.held + parts
    }
}
