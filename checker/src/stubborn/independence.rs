//! The dependence of instances on each other, and the instances that can make a guard true.
//!
//! Two instances are independent if neither writes an element that the other reads or writes. They are independent
//! too if no state enables both: an element of few values that the conjuncts at the beginning of both guards restrict
//! to disjoint sets of values, or if a language proves that they commute wherever both are enabled ([`Pair`]).
//!
//! The instances that can make a condition true are those that write an element that it reads; where it depends on elements of few values, those that may take one of them from a value for which the
//! condition is false to one for which it may not be. Of a condition that depends on one element of few values, which has a value
//! now, those that may take the element from this value to another one are enough: one of them comes first. So are, where a language
//! knows how values are passed on among elements, such as the places of a queue, and none of these has a value that makes the
//! condition true, those that may write the first one ([`Source`]).
//!
//! Invariants: member `i` of a row is instance `i`; `dependent` is symmetric and no instance depends on itself.
//!
//! Soundness: declared sets ([`facts`](super::facts)) are too large rather than too small.
//!
//! Complexity: the members of rows, for each element that is touched; refused above [`MOST_BYTES`].

use std::collections::BTreeSet;

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::Wrong;
use super::facts::{Among, Condition, Facts, MOST_VALUES, Source, Track};
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

impl Part {
    /// The changes that it may make to an element of few values.
    fn track(&self, element: usize) -> Option<&Track> {
        self.tracks.iter().find(|track| track.element == element)
    }
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
    /// By condition those that can make it true when it is false; then the rows of `leaving`.
    pub(crate) enabling: Rows,
    /// By condition the element on which alone it depends, if that has few values.
    depends: Vec<Option<usize>>,
    /// By element on which a condition depends alone: the row of its first value, whose members change it from there, and the
    /// number of its values.
    leaving: FxHashMap<usize, (u32, usize)>,
    /// By condition its source, and the row of the creators.
    sources: Vec<Option<(Source, u32)>>,
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
        sources: Vec<Option<Source>>,
        elements: usize,
        wrong: Wrong,
        commute: &mut dyn FnMut(Pair<'_>) -> bool,
    ) -> Option<Independence> {
        let tracked = facts.iter().flat_map(|facts| &facts.tracks).map(|track| track.after.len()).sum::<usize>();
        if facts.len() > MOST_INSTANCES || tracked > MOST_TRACKED {
            return None;
        }
        let is_numbered =
            |facts: &Facts| facts.conjuncts.iter().chain([&facts.rest]).all(|&at| (at as usize) < conditions.len());
        assert!(facts.iter().all(is_numbered), "a guard consists of known conditions");
        let is_short = |track: &Track| track.after.len() <= MOST_VALUES;
        assert!(facts.iter().flat_map(|facts| &facts.tracks).all(is_short), "sets of values are words");
        let mut all = Independence {
            words: words(facts.len()),
            parts: Vec::with_capacity(facts.len()),
            dependent: Rows::new(facts.len()),
            enabling: Rows::new(facts.len()),
            depends: Vec::with_capacity(conditions.len()),
            leaving: FxHashMap::default(),
            sources: Vec::with_capacity(sources.len()),
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
            all.depends.push(match condition {
                Condition::Enters(list) => Some(list).filter(|list| list.len() == 1).map(|list| list[0].element),
                Condition::Reads(_) => None,
            });
        }
        let mut next = all.add_leaving(conditions.len(), &users, wrong);
        assert!(sources.is_empty() || sources.len() == conditions.len(), "a source for each condition");
        for source in sources {
            let Some(source) = source else {
                all.sources.push(None);
                continue;
            };
            let own = all.depends[all.sources.len()];
            assert!(own.is_some_and(|own| source.elements.contains(&own)), "a source has the element of its condition");
            let creators = source.creators.iter().copied().filter(|_| !wrong.sources_empty()).collect();
            all.held += all.enabling.push(creators);
            all.bounded()?;
            all.sources.push(Some((source, next)));
            next += 1;
        }
        Some(all)
    }

    /// Adds the rows of `leaving`, as long as there is room; returns the number of rows.
    fn add_leaving(&mut self, rows: usize, users: &Users, wrong: Wrong) -> u32 {
        let mut next = u32::try_from(rows).expect("few conditions");
        let elements: BTreeSet<usize> = self.depends.iter().flatten().copied().collect();
        for element in elements {
            let writers: Vec<(u32, Option<&Track>)> =
                users.writers[element].iter().map(|at| (at, self.parts[at as usize].track(element))).collect();
            let count = writers.iter().filter_map(|(_, track)| track.map(|track| track.after.len())).max().unwrap_or(0);
            if count == 0 || self.held > MOST_BYTES / 2 {
                continue;
            }
            limits::work((count * writers.len()) as u64);
            let leaves = |track: Option<&Track>, value: usize| {
                !wrong.leaving_empty()
                    && track.is_none_or(|track| track.after.get(value).is_none_or(|&after| after & !(1 << value) != 0))
            };
            let rows: Vec<RoaringBitmap> = (0..count)
                .map(|value| writers.iter().filter(|of| leaves(of.1, value)).map(|of| of.0).collect())
                .collect();
            self.leaving.insert(element, (next, count));
            next += u32::try_from(count).expect("few values");
            for row in rows {
                self.held += self.enabling.push(row);
            }
        }
        next
    }

    /// The rows of `enabling` for a condition that is false where elements have some values: a member of each comes first.
    pub(crate) fn rows(&self, condition: u32, value: impl Fn(usize) -> usize) -> impl Iterator<Item = u32> {
        let leaving = self.depends[condition as usize].and_then(|element| {
            let &(first, count) = self.leaving.get(&element)?;
            let at = value(element);
            (at < count).then(|| first + u32::try_from(at).expect("few values"))
        });
        let source = self.sources.get(condition as usize).and_then(Option::as_ref).and_then(|(source, row)| {
            source.elements.iter().all(|&element| source.values >> value(element) & 1 == 0).then_some(*row)
        });
        [Some(condition), leaving, source].into_iter().flatten()
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
        let pairs = || (0..64).take(facts.len()).flat_map(|one| (0..=one).map(move |other| (one, other)));
        let is_symmetric = |(one, other): (u32, u32)| {
            let depends = self.dependent.has(one, other as usize);
            depends == self.dependent.has(other, one as usize) && !(depends && one == other)
        };
        debug_assert!(pairs().all(is_symmetric), "instances depend on each other, and on others only");
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
                        let track = self.parts[*at as usize].track(element);
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
