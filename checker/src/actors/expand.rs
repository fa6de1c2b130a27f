//! Successors of a packed state, through the tables.
//!
//! For each rebec that has a message and each outcome of its step: copy the words of the state, patch the field of
//! the rebec, then deliver each send in order by patching the field of its receiver. The first refused delivery ends
//! the outcome. All successors are packed before any is stored, so buffers are reused and no transition allocates
//! memory.
//!
//! In a quotient, rebecs that are twins of another one in the state ([`explore::quotient`], `twins`) have the same
//! representatives of successors: their successors are counted, not computed. Where a step of the other one has no
//! successor, they are expanded all the same, so that every fault is met in its place.
//!
//! Invariant: after [`Expansion::expand`], the length of `successors` is the number of transitions of the state. Without a
//! quotient it is sorted by rebec, then number, without repetition.

use std::hash::BuildHasher as _;
use std::ops::Range;

use frontend::interpret::Stop;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::slot::REFUSED;
use super::space::Space;
use super::steps::{OutcomeView, Send};
use explore::memory::{Halt, bytes_of, growth, reserve, work_on};
use explore::search;
use explore::states::Probes;

/// As many successors of a rebec are compared with each other; more are looked up.
const FEW: usize = 32;

/// The elements of a local state, about.
const ELEMENTS: usize = 8;

/// A step that has no successor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped {
    /// The rebec that serves.
    pub(crate) slot: u32,
    cause: Cause,
}

/// A rebec that has a step, and the set of the parts that it executes.
#[derive(Clone, Copy, Debug)]
struct Runner {
    rebec: u32,
    executed: u32,
}

#[derive(Clone, Copy, Debug)]
enum Cause {
    /// The body stops.
    Body(u32),
    /// A receiver in such a local state refuses.
    Refusal(Send, u32),
}

impl Stopped {
    /// The reason that it has none.
    pub(crate) fn stop(&self, space: &Space<'_>) -> Stop {
        match self.cause {
            Cause::Body(stop) => space.tables.stop(stop).clone(),
            Cause::Refusal(send, local) => space.refusal(send, local),
        }
    }
}

/// The successors of one state.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// The state itself.
    pub(super) current: Vec<u64>,
    /// Packed successors, one after the other.
    pub(super) words: Vec<u64>,
    /// The hash of each of them, and the index entry it points at.
    pub(super) probes: Probes,
    /// In a fork, the [`Layout::hash`](explore::states::Layout::hash) of each of them.
    pub(super) hashes: Vec<u64>,
    /// That of the state itself, and of the successor that is made now.
    hash: (u64, u64),
    /// Places of the distinct successors of a rebec, where they are many.
    distinct: HashTable<usize>,
    /// The rebec of each of them.
    pub(super) movers: Vec<u32>,
    /// Distinct (rebec, number of the successor).
    pub(crate) successors: Vec<(u32, u32)>,
    /// The way that each of them took the rebecs to its representative, by number; empty without a quotient.
    pub(super) moves: Vec<u32>,
    /// The steps without a successor, rebecs ascending.
    pub(crate) stopped: Vec<Stopped>,
    /// The rebecs that have a step, ascending, those that repeat another one among them.
    runners: Vec<Runner>,
    /// Rebecs that repeat the successors of another one, ascending, each with the other one.
    repeated: Vec<(u32, u32)>,
    /// Buffer: for each rebec the one that it repeats.
    twins: Vec<u32>,
    /// Whether any rebec has a message.
    is_enabled: bool,
    /// Whether one rebec stands for all.
    pub(super) is_singleton: bool,
}

impl Expansion {
    /// Computes the successors of a stored state and stores them; those of one rebec only where partial order allows it.
    ///
    /// # Errors
    /// No room: some successors are stored, and `successors` is meaningless.
    pub(crate) fn expand(&mut self, space: &mut Space<'_>, number: u32) -> Result<(), Halt> {
        if space.is_reduced() {
            self.current.clear();
            space.store.read(number, &mut self.current);
            self.compute(space)?;
            return self.store_representatives(space, number);
        }
        self.compute_of(space, number)?;
        space.store.touch(&mut self.probes);
        self.store(space, number)
    }

    /// Computes the packed successors of a stored state, and probes the store for them.
    ///
    /// # Errors
    /// No room.
    pub(super) fn compute_of(&mut self, space: &mut Space<'_>, number: u32) -> Result<(), Halt> {
        self.current.clear();
        space.store.read(number, &mut self.current);
        space.store.is_whole()?;
        self.compute(space)?;
        space.store.probe(&self.words, &mut self.probes);
        Ok(())
    }

    /// Computes the packed successors of a packed state, as they are to be stored, and stores nothing; returns the
    /// number of transitions. Each successor of a rebec appears once, unless representatives coincide.
    ///
    /// # Errors
    /// No room, or a fork that meets a value that it may not number.
    pub(super) fn steps(&mut self, space: &mut Space<'_>, state: &[u64]) -> Result<u32, Halt> {
        self.current.clear();
        self.current.extend_from_slice(state);
        self.compute(space)?;
        self.drop_repetitions(space.stride());
        let kept = self.movers.len();
        if space.is_reduced() {
            for index in 0..kept {
                space.canonicalise([&mut self.current, &mut self.words], index)?;
            }
            let (states, layout) = (self.words.chunks_exact(space.stride()), &space.layout);
            self.hashes.iter_mut().zip(states).for_each(|(hash, state)| *hash = layout.hash(state));
        }
        space.tables.executions.add(self.executed());
        let repeated = self.repeated.iter().map(|&(_, first)| of_mover(&self.movers, |&mover| mover, first).len());
        u32::try_from(kept + repeated.sum::<usize>()).map_err(|_| Halt::Memory)
    }

    /// Computes the packed successors of the current state.
    fn compute(&mut self, space: &mut Space<'_>) -> Result<(), Halt> {
        self.words.clear();
        self.hashes.clear();
        if space.tables.is_fork {
            self.hash.0 = space.layout.hash(&self.current);
        }
        self.movers.clear();
        self.stopped.clear();
        self.runners.clear();
        self.successors.clear();
        self.repeated.clear();
        self.moves.clear();
        self.is_singleton = self.expand_singleton(space)?;
        self.is_enabled = self.is_singleton;
        if !self.is_singleton {
            self.all(space)?;
        }
        self.try_group(space);
        Ok(())
    }

    /// Tries the group of the quotient in the current state, if that is due.
    #[inline]
    fn try_group(&self, space: &mut Space<'_>) {
        let elements = (self.movers.len() + 1) * space.slots() * ELEMENTS;
        let Some(symmetry) = &mut space.symmetry else { return };
        let schedule = &mut symmetry.trial.schedule;
        self.executed().for_each(|parts| schedule.executed(parts as usize));
        if schedule.is_due(elements, 0) {
            let state = space.unpacked(&self.current);
            if let Some(symmetry) = &mut space.symmetry {
                symmetry.trial.run(space.tables.model, &space.tables.bounds, &state);
            }
        }
    }

    /// The steps of every rebec.
    fn all(&mut self, space: &mut Space<'_>) -> Result<(), Halt> {
        let mut twins = std::mem::take(&mut self.twins);
        space.twins(&self.current, &mut twins)?;
        // Widening may add slots meanwhile; rebecs that do not exist in the state have no step.
        for slot in 0..space.slots() {
            let first = twins.get(slot).copied().filter(|&first| (first as usize) < slot);
            if let Some(first) = first.filter(|&first| self.stopped.iter().all(|stopped| stopped.slot != first)) {
                let mover = u32::try_from(slot).expect("identities have 32 bits");
                self.repeated.push((mover, first));
                if let Ok(at) = self.runners.binary_search_by_key(&first, |runner| runner.rebec) {
                    self.runners.push(Runner { rebec: mover, ..self.runners[at] });
                }
                continue;
            }
            if let Some(record) = space.record(&self.current, slot)? {
                self.is_enabled = true;
                let rebec = u32::try_from(slot).expect("identities have 32 bits");
                self.runners.push(Runner { rebec, executed: space.tables.executed(record) });
                self.step(space, slot, record)?;
            }
        }
        self.twins = twins;
        Ok(())
    }

    pub(super) fn step(&mut self, space: &mut Space<'_>, slot: usize, record: u32) -> Result<(), Halt> {
        let (outcomes, mut at) = space.tables.record(record);
        let mover = u32::try_from(slot).expect("identities have 32 bits");
        for _ in 0..outcomes {
            let outcome = space.tables.outcome(at);
            at = outcome.next();
            let index = self.movers.len();
            work_on(self.current.len());
            if self.words.capacity() - self.words.len() >= self.current.len() {
                self.words.extend_from_slice(&self.current);
            } else {
                self.grow(space)?;
            }
            self.hash.1 = self.hash.0;
            let cause = match self.sends(space, index, &outcome)? {
                Some((send, local)) => Some(Cause::Refusal(send, local)),
                None => outcome.stop.map(Cause::Body),
            };
            if let Some(cause) = cause {
                self.words.truncate(index * space.stride());
                self.stopped.push(Stopped { slot: mover, cause });
                continue;
            }
            self.set(space, index, slot, outcome.local)?;
            for created in 0..outcome.created {
                let (slot, local) = space.tables.created(&outcome, created);
                self.set(space, index, slot, local)?;
            }
            self.movers.push(mover);
            if space.tables.is_fork {
                self.hashes.push(self.hash.1);
            }
        }
        assert_eq!(self.words.len(), self.movers.len() * space.stride(), "every successor has its mover");
        assert_eq!(self.hashes.len(), if space.tables.is_fork { self.movers.len() } else { 0 }, "and its hash");
        Ok(())
    }

    /// Begins a successor for which there is no room, in the memory that the store leaves: states are moved to the disk
    /// for it.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, space: &mut Space<'_>) -> Result<(), Halt> {
        let (more, bytes) = growth(&self.words, self.current.len());
        space.store.request(bytes)?;
        reserve(&mut self.words, more)?;
        space.store.charge(bytes);
        self.words.extend_from_slice(&self.current);
        Ok(())
    }

    /// Delivers the sends of an outcome; returns the first refused one and the local state of its receiver.
    #[inline]
    fn sends(
        &mut self,
        space: &mut Space<'_>,
        index: usize,
        outcome: &OutcomeView,
    ) -> Result<Option<(Send, u32)>, Halt> {
        for send in 0..outcome.sends {
            let send = space.tables.send(outcome, send);
            let before = space.get(&self.words[index * space.stride()..], send.slot);
            let after = space.tables.deliver(send.slot, before, send.message)?;
            if after == REFUSED {
                return Ok(Some((send, before)));
            }
            self.set(space, index, send.slot, after)?;
        }
        Ok(None)
    }

    /// Sets the local state of a rebec in the successor that is made now.
    #[inline]
    fn set(&mut self, space: &mut Space<'_>, index: usize, slot: usize, local: u32) -> Result<(), Halt> {
        if space.tables.is_fork {
            let change = space.change(&self.words[index * space.stride()..], slot, local);
            self.hash.1 = self.hash.1.wrapping_add(change);
        }
        space.set([&mut self.current, &mut self.words], index, slot, local)
    }

    /// Stores the representatives of the packed successors. Transitions are those of the state itself: repetitions
    /// are dropped before.
    fn store_representatives(&mut self, space: &mut Space<'_>, parent: u32) -> Result<(), Halt> {
        self.drop_repetitions(space.stride());
        for index in 0..self.movers.len() {
            space.canonicalise([&mut self.current, &mut self.words], index)?;
            // Successors are stored in this order.
            self.moves.push(space.last_moves());
        }
        let Expansion { words, probes, movers, successors, .. } = self;
        space.store.insert_all(words, probes, |_| parent, |at, number, _| successors.push((movers[at], number)))?;
        self.repeat();
        Ok(())
    }

    /// Adds the successors of rebecs that repeat those of another one, which are known by now.
    fn repeat(&mut self) {
        let computed = self.successors.len();
        for &(mover, first) in &self.repeated {
            let own = of_mover(&self.successors[..computed], |&(mover, _)| mover, first);
            for at in own {
                self.successors.push((mover, self.successors[at].1));
            }
        }
        if computed < self.successors.len() {
            self.successors.sort_by_key(|&(mover, _)| mover);
        }
    }

    /// The numbers of the sets of parts that the steps execute.
    pub(super) fn executed(&self) -> impl Iterator<Item = u32> {
        self.runners.iter().map(|runner| runner.executed)
    }

    /// Merges equal packed successors of one rebec.
    fn drop_repetitions(&mut self, stride: usize) {
        // Successors are in the order of the rebecs: here each has one.
        if self.movers.windows(2).all(|pair| pair[0] != pair[1]) {
            return;
        }
        let hash = |state: &[u64]| FxBuildHasher.hash_one(state);
        let mut kept = 0;
        let (mut first, mut mover) = (0, u32::MAX);
        for at in 0..self.movers.len() {
            let words = &self.words;
            let state = |at: usize| &words[at * stride..][..stride];
            if mover != self.movers[at] {
                (first, mover) = (kept, self.movers[at]);
                self.distinct.clear();
            } else if kept - first < FEW {
                if (first..kept).any(|known| state(known) == state(at)) {
                    continue;
                }
            } else {
                limits::work(stride as u64);
                if self.distinct.is_empty() {
                    (first..kept).for_each(|at| {
                        self.distinct.insert_unique(hash(state(at)), at, |&at| hash(state(at)));
                    });
                }
                if self.distinct.find(hash(state(at)), |&known| state(known) == state(at)).is_some() {
                    continue;
                }
                // This successor will be at the place `kept`; until it is there, the table is not asked.
                self.distinct
                    .insert_unique(hash(state(at)), kept, |&known| hash(state(if known == kept { at } else { known })));
            }
            if kept != at {
                self.words.copy_within(at * stride..(at + 1) * stride, kept * stride);
                self.movers[kept] = mover;
                if let Some(&hash) = self.hashes.get(at) {
                    self.hashes[kept] = hash;
                }
            }
            kept += 1;
        }
        self.movers.truncate(kept);
        self.hashes.truncate(kept);
        self.words.truncate(kept * stride);
    }

    /// Stores the packed successors, which were probed and touched; drops repetitions of a rebec.
    ///
    /// # Errors
    /// No room: some successors are stored.
    pub(super) fn store(&mut self, space: &mut Space<'_>, parent: u32) -> Result<(), Halt> {
        let Expansion { words, probes, movers, successors, .. } = self;
        let mut first = 0;
        space.store.insert_probed(
            words,
            probes,
            |_| parent,
            |at, number, _| {
                let mover = movers[at];
                if successors.get(first).is_none_or(|&(before, _)| before != mover) {
                    first = distinct(successors, first);
                }
                successors.push((mover, number));
            },
        )?;
        distinct(&mut self.successors, first);
        debug_assert!(self.successors.is_sorted_by(|one, next| one < next), "each successor of a rebec counts once");
        Ok(())
    }
}

impl search::Expansion for Expansion {
    fn len(&self) -> usize {
        self.successors.len()
    }

    fn successors(&self) -> impl Iterator<Item = u32> {
        self.successors.iter().map(|&(_, number)| number)
    }

    fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    fn clear(&mut self) {
        self.successors.clear();
    }

    fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.current.capacity() + self.words.capacity() + self.hashes.capacity())
            + self.probes.bytes()
            + bytes_of::<u32>(self.movers.capacity())
            + bytes_of::<u64>(self.distinct.capacity() * 2)
            + bytes_of::<(u32, u32)>(self.successors.capacity() + self.repeated.capacity())
            + bytes_of::<u32>(self.twins.capacity())
            + bytes_of::<Runner>(self.runners.capacity())
            + bytes_of::<Stopped>(self.stopped.capacity())
    }
}

/// The places of one rebec in a list that ascends by rebec.
fn of_mover<T>(list: &[T], mover: impl Fn(&T) -> u32, of: u32) -> Range<usize> {
    list.partition_point(|entry| mover(entry) < of)..list.partition_point(|entry| mover(entry) <= of)
}

/// Sorts the pairs from `first` on and drops repetitions; returns the place of the next pair.
#[inline]
fn distinct(pairs: &mut Vec<(u32, u32)>, first: usize) -> usize {
    if pairs.len() - first > 1 {
        pairs[first..].sort_unstable();
        let mut kept = first + 1;
        for at in first + 1..pairs.len() {
            if pairs[at] != pairs[kept - 1] {
                pairs[kept] = pairs[at];
                kept += 1;
            }
        }
        pairs.truncate(kept);
    }
    pairs.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_of_the_last_group_go() {
        let mut pairs = vec![(0, 3), (0, 3), (1, 2), (1, 9), (1, 2), (1, 4)];
        assert_eq!(distinct(&mut pairs, 2), 5);
        assert_eq!(pairs, [(0, 3), (0, 3), (1, 2), (1, 4), (1, 9)]);
        assert_eq!(distinct(&mut pairs, 5), 5);
    }

    /// Successors of a rebec are the same, compared with each other or looked up.
    #[test]
    fn many_repetitions_go_like_few() {
        for seed in 0..200 {
            let mut random = engine::RandomSource::new(seed);
            let (stride, values) = (1 + random.below(3), 1 + random.below(12));
            let mut expansion = Expansion::default();
            for mover in 0..4 {
                for _ in 0..random.below(3 * FEW) {
                    expansion.movers.push(mover);
                    expansion.words.extend((0..stride).map(|_| random.below(values) as u64));
                }
            }
            let mut expected: Vec<(u32, &[u64])> = Vec::new();
            for successor in expansion.movers.iter().copied().zip(expansion.words.chunks_exact(stride)) {
                if !expected.contains(&successor) {
                    expected.push(successor);
                }
            }
            let (movers, states): (Vec<u32>, Vec<&[u64]>) = expected.into_iter().unzip();
            let words = states.concat();
            expansion.drop_repetitions(stride);
            assert_eq!((&expansion.movers, &expansion.words), (&movers, &words), "seed {seed}");
        }
    }
}
