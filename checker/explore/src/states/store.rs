//! The visited set: exact, in the order of discovery, with a parent for each state.
//!
//! Packed states lie one after the other in an arena ([`Arena`]); the place of a state is its number, so the arena is
//! also the queue of a breadth-first search, and each state is stored once. The index ([`Index`]) holds numbers with
//! a few bits of the hash; whole states are compared, never hashes alone. Parents of a breadth-first search take two
//! bits ([`Parents`]).
//!
//! When memory is short the first states move to a file, if there is to be one ([`Spilling`]); the index stays, so
//! that most new states are known to be new without a read of the file. Where states may be looked up together, the
//! index moves to the disk instead ([`Delayed`]).
//!
//! Invariants: every number is in the index once; arena and parents have the same length.
//!
//! Complexity: expected O(stride) per insertion; the bytes of a state, about 6 of the index and two bits.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use super::arena::Arena;
use super::delayed::Delayed;
use super::hash::{Folded, StateHash};
use super::index::{Free, Index, SEGMENTS, Scan, States};
use super::parents::Parents;
use super::spill::Spill;
use crate::checkpoint::{Damaged, Reader, Saved, Writer};
use crate::memory::{Halt, bytes_of, work_on};
use crate::spill::{Spilled, Spilling};
use crate::tuning::Tuning;

/// The parent of an initial state.
pub const NO_PARENT: u32 = u32::MAX;

/// The most states a store holds: a number and its successor fit into 32 bits, and [`NO_PARENT`] is none.
pub(super) const MOST_STATES: u32 = u32::MAX - 1;

/// Bytes between two checks of the allowance.
const STEP: usize = 1 << 16;

/// Steps of the watch that a state costs, where all states are read.
pub(super) const STEPS: u64 = 8;

/// Words of a state that is copied without allocating.
const SHORT: usize = 4;

/// The words of a stored state.
#[derive(Clone, Debug)]
pub enum StateWords {
    /// Few.
    Short([u64; SHORT], usize),
    /// Many.
    Long(Vec<u64>),
}

impl std::ops::Deref for StateWords {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            StateWords::Short(words, len) => &words[..*len],
            StateWords::Long(words) => words,
        }
    }
}

/// States that are about to be stored: the hash of each, and the place where the search for it begins. A state waits
/// for two reads that miss every cache; these are requested well before.
#[derive(Clone, Default, Debug)]
pub struct Probes {
    places: Vec<(u64, u64)>,
    /// The number of rebuilt segments when the index was scanned.
    made: u64,
}

impl Probes {
    /// Bytes allocated.
    pub fn bytes(&self) -> u64 {
        bytes_of::<(u64, u64)>(self.places.capacity())
    }
}

/// The visited set.
#[derive(Clone, Debug)]
pub struct Store<H = Folded> {
    pub(super) arena: Arena,
    pub(super) parents: Parents,
    pub(super) index: Index,
    pub(super) most: u32,
    /// The number of states from which an insertion checks for a refusal: `most`, or where the index moves to the
    /// disk.
    pub(super) stop: u32,
    pub(super) allowance: u64,
    /// The number of bytes that were left to it when it was last requested to keep to them.
    pub(super) room: u64,
    /// The number of states that may be stored before the next check of the allowance.
    pub(super) granted: usize,
    /// Whether the index moves to the disk where memory is short.
    pub(super) may_delay: bool,
    /// Whether keys of new states are copied where the index is on the disk.
    pub(super) copies_keys: bool,
    /// The replacement of the index on the disk.
    pub(super) delayed: Option<Box<Delayed<H>>>,
    /// The bytes that a removed replacement wrote.
    pub(super) ended: Spilled,
    /// Whether a removed replacement could not be read.
    pub(super) is_lost: bool,
    pub(super) hash: PhantomData<H>,
}

/// The hash of a stored state.
#[inline]
fn hash_of<H: StateHash>(arena: &Arena, number: u32) -> u64 {
    if arena.stride() == 1 {
        return H::hash(&[arena.first(number)]);
    }
    H::hash(&words_of(arena, number))
}

#[inline]
fn words_of(arena: &Arena, number: u32) -> StateWords {
    let stride = arena.stride();
    if stride <= SHORT {
        let mut words = [0; SHORT];
        arena.copy(number, &mut words[..stride]);
        StateWords::Short(words, stride)
    } else {
        let mut words = vec![0; stride];
        arena.copy(number, &mut words);
        StateWords::Long(words)
    }
}

impl<H: StateHash> Store<H> {
    /// An empty set of states of so many bytes, at most `most` of them.
    pub fn new(bytes: usize, most: u64, tuning: &'static Tuning) -> Store<H> {
        let most = u32::try_from(most).unwrap_or(u32::MAX).min(MOST_STATES);
        Store {
            arena: Arena::new(bytes, tuning),
            parents: Parents::new(0),
            index: Index::new(tuning),
            most,
            stop: most,
            allowance: u64::MAX,
            room: u64::MAX,
            granted: 0,
            may_delay: false,
            copies_keys: false,
            delayed: None,
            ended: Spilled::default(),
            is_lost: false,
            hash: PhantomData,
        }
    }

    /// The thresholds at which the store changes its storage of states.
    pub fn tuning(&self) -> &'static Tuning {
        self.arena.tuning()
    }

    /// An empty set of states of so many bytes that moves states to the disk as this one does.
    pub fn emptied(&self, bytes: usize) -> Store<H> {
        let mut new = Store::new(bytes, u64::from(self.most), self.tuning());
        new.spill_to(self.spilling());
        new.may_delay(self.may_delay);
        new.allow(self.allowance);
        new
    }

    /// Allows states to be moved to the disk when memory is short; nothing is stored.
    pub fn spill_to(&mut self, files: Option<Arc<dyn Spilling>>) {
        self.arena.spill_to(files);
    }

    /// The place on the disk for states.
    pub fn spilling(&self) -> Option<Arc<dyn Spilling>> {
        self.arena.spill().map(|spill| Arc::clone(spill.files()))
    }

    /// The states that were moved to the disk.
    pub fn spilled(&self) -> Spilled {
        let mut spilled = self.arena.spilled();
        spilled.add(self.ended.clone());
        if let Some(runs) = self.delayed.as_ref().map(|delayed| delayed.runs()) {
            let failure = runs.failure().cloned();
            spilled.add(Spilled { bytes: runs.written(), failure, compressed: false });
        }
        spilled
    }

    /// The number of reads of states from the disk.
    pub fn reads(&self) -> u64 {
        self.arena.spill().map_or(0, Spill::reads)
    }

    /// Checks that all states could be read so far.
    ///
    /// # Errors
    /// A state could not be read: its bytes are wrong.
    #[inline]
    pub fn is_whole(&self) -> Result<(), Halt> {
        let is_lost = self.is_lost
            || self.arena.is_lost()
            || self.delayed.as_ref().is_some_and(|delayed| delayed.runs().is_lost());
        if is_lost { Err(Halt::Disk) } else { Ok(()) }
    }

    /// Sets the expected distance of parents of an empty set to about `2^rest`.
    pub fn spread(&mut self, rest: u32) {
        debug_assert!(self.is_empty(), "parents are noted already");
        self.parents = Parents::new(rest);
    }

    /// The number of stored states.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most MOST_STATES")]
    pub fn len(&self) -> u32 {
        self.arena.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of a packed state.
    #[inline]
    pub fn stride(&self) -> usize {
        self.arena.stride()
    }

    /// Bytes of a stored state.
    pub fn size(&self) -> usize {
        self.arena.size()
    }

    /// The number of states that may be stored.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The packed state of a number.
    #[inline]
    pub fn state(&self, number: u32) -> StateWords {
        words_of(&self.arena, number)
    }

    /// Appends the words of a state.
    #[inline]
    pub fn read(&self, number: u32, to: &mut Vec<u64>) {
        self.arena.read(number, to);
    }

    /// The state from which a state was first reached; [`NO_PARENT`] for an initial one.
    pub fn parent(&self, number: u32) -> u32 {
        self.parents.get(number)
    }

    /// The parents of all states, in the order of their numbers.
    pub fn parents(&self) -> impl Iterator<Item = u32> + '_ {
        self.parents.iter()
    }

    /// The numbers from an initial state to a state, along the parents.
    pub fn path(&self, number: u32) -> Vec<u32> {
        let parent = |&at: &u32| Some(self.parent(at)).filter(|&parent| parent != NO_PARENT);
        let line = std::iter::successors(Some(number), parent);
        let mut path: Vec<u32> = line.take(self.len() as usize + 1).collect();
        assert!(path.len() <= self.len() as usize, "parents lead to an initial state");
        path.reverse();
        path
    }

    /// The number of initial states, when they were stored first: the states without a parent.
    pub fn initial(&self) -> u32 {
        self.parents.initial()
    }

    /// Gives a state another parent, whose own line does not pass it.
    pub fn set_parent(&mut self, number: u32, parent: u32) {
        self.parents.set(number, parent);
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> u64 {
        let delayed = self.delayed.as_ref().map_or(0, |delayed| delayed.bytes());
        self.arena.bytes() + self.index.bytes() + self.parents.bytes() + delayed
    }

    /// Sets the number of bytes that the store may allocate from now on, including those it has.
    pub fn allow(&mut self, bytes: u64) {
        self.allowance = bytes;
        self.granted = 0;
        self.arena.fit(bytes);
    }

    /// Moves states to the disk until at most so many bytes are left.
    ///
    /// # Errors
    /// More bytes are left.
    pub fn shrink(&mut self, to: u64) -> Result<(), Halt> {
        self.room = to;
        if self.bytes() <= to {
            return Ok(());
        }
        if self.is_delayed() {
            return self.shrink_table();
        }
        self.compress();
        while self.bytes() > to {
            if self.may_delay || !self.arena.move_to_disk(self.allowance) {
                return Err(Halt::Memory);
            }
        }
        Ok(())
    }

    /// The number of a state, and whether it is new.
    ///
    /// # Errors
    /// The state is new and there is no room.
    pub fn insert(&mut self, state: &[u64], parent: u32) -> Result<(u32, bool), Halt> {
        let hash = H::hash(state);
        self.insert_scanned(state, hash, self.index.scan(hash), parent)
    }

    #[inline(always)]
    fn insert_scanned(&mut self, state: &[u64], hash: u64, scan: Scan, parent: u32) -> Result<(u32, bool), Halt> {
        let arena = &self.arena;
        match self.index.find(hash, scan, |number| arena.holds(number, state)) {
            Ok(number) => Ok((number, false)),
            Err(free) => self.push(state, hash, free, parent),
        }
    }

    /// Whether one more state can be stored where an insertion checks for a refusal.
    #[cold]
    fn why_no_more(&self, parent: u32) -> Result<(), Halt> {
        match self.len() {
            number if number >= self.most => Err(Halt::States),
            // All initial states are stored before the index moves to the disk.
            _ if parent == NO_PARENT => Ok(()),
            _ => Err(Halt::Memory),
        }
    }

    /// Announces the number of states that there will soon be, so that the index grows now rather than while they are
    /// stored.
    pub fn expect(&mut self, count: u32) {
        let Store { arena, parents, index, allowance, delayed, .. } = &mut *self;
        if arena.is_spilled() || delayed.is_some() {
            // All states would be read from the disk, in no order.
            return;
        }
        let mean = count as usize / SEGMENTS;
        // Some segments are fuller than others.
        let each = mean + 3 * mean.isqrt();
        let states = States { fetch: |number| arena.fetch(number), hash: |number| hash_of::<H>(arena, number) };
        // Where memory may get short, memory that is not needed yet is left to others.
        index.expect(each, count, states, (*allowance / 2).saturating_sub(arena.bytes() + parents.bytes()));
    }

    /// Stores a new state.
    fn push(&mut self, state: &[u64], hash: u64, free: Free, parent: u32) -> Result<(u32, bool), Halt> {
        let number = self.len();
        if number >= self.stop {
            self.why_no_more(parent)?;
        }
        self.is_whole()?;
        self.reserve()?;
        let Store { arena, parents, index, allowance, .. } = &mut *self;
        debug_assert!(arena.fits(state), "a state has the bits of its layout");
        let (indexed, mut more) = (index.bytes(), 0);
        let inserted = index.insert(
            free,
            hash,
            number,
            States { fetch: |number| arena.fetch(number), hash: |number| hash_of::<H>(arena, number) },
            |bytes| {
                more = bytes;
                let held = arena.bytes() + parents.bytes() + indexed;
                let fits = held.saturating_add(bytes) <= *allowance && !arena.is_spilled();
                if fits { Ok(()) } else { Err(Halt::Memory) }
            },
        );
        if inserted.is_err() {
            self.grow_index(hash, number, more)?;
        }
        self.arena.push(state);
        self.parents.push(parent);
        Ok((number, true))
    }

    /// Notes an absent number where the index must grow by so many bytes, with the states in their order: states on
    /// the disk are read once.
    #[cold]
    fn grow_index(&mut self, hash: u64, number: u32, more: u64) -> Result<(), Halt> {
        self.request(more)?;
        let Store { arena, index, .. } = &mut *self;
        let mut stopped = None;
        let hashes = (0..number).map_while(|at| {
            stopped = limits::poll(STEPS).err();
            stopped.is_none().then(|| (hash_of::<H>(arena, at), at))
        });
        match index.grow_in_order(hash, number, hashes, || arena.is_lost()) {
            true => Ok(()),
            false => Err(stopped.map_or(Halt::Disk, Halt::from)),
        }
    }

    /// The hash of a packed state.
    #[inline]
    pub fn hash(&self, state: &[u64]) -> u64 {
        H::hash(state)
    }

    /// Hashes packed states that lie one after the other, and lets the processor fetch the entries of the index where
    /// the search for them begins.
    #[inline]
    pub fn probe(&self, states: &[u64], probes: &mut Probes) {
        let stride = self.stride();
        probes.places.clear();
        let mut rest = states;
        // A division would take as long as a state does.
        while !rest.is_empty() {
            let state;
            (state, rest) = rest.split_at(stride);
            work_on(stride);
            let hash = H::hash(state);
            self.index.fetch(hash);
            probes.places.push((hash, 0));
        }
    }

    /// Scans the index for probed states, and lets the processor fetch the states that they most likely are.
    #[inline]
    pub fn touch(&self, probes: &mut Probes) {
        for (hash, place) in &mut probes.places {
            let scan = self.index.scan(*hash);
            if let Scan::Candidate(_, number) = scan {
                self.arena.fetch(number);
            }
            *place = scan.pack();
        }
        probes.made = self.index.made();
    }

    /// Stores packed states that were probed and touched, each with its own parent, and hands out the place and the
    /// number of each, and whether it is new. Others may have been stored meanwhile.
    ///
    /// # Errors
    /// There is no room for all: those before are stored.
    #[inline]
    pub fn insert_probed(
        &mut self,
        states: &[u64],
        probes: &Probes,
        parent: impl Fn(usize) -> u32,
        mut each: impl FnMut(usize, u32, bool),
    ) -> Result<(), Halt> {
        let stride = self.stride();
        let mut rest = states;
        for (at, &(hash, scan)) in probes.places.iter().enumerate() {
            let state;
            (state, rest) = rest.split_at(stride);
            work_on(stride);
            let is_good = self.index.made() == probes.made;
            let scan = if is_good { Scan::unpack(scan) } else { self.index.scan(hash) };
            let (number, is_new) = self.insert_scanned(state, hash, scan, parent(at))?;
            each(at, number, is_new);
        }
        Ok(())
    }

    /// Stores packed states as [`Store::insert_probed`] does; `probes` is a buffer.
    ///
    /// # Errors
    /// There is no room for all: those before are stored.
    #[inline]
    pub fn insert_all(
        &mut self,
        states: &[u64],
        probes: &mut Probes,
        parent: impl Fn(usize) -> u32,
        each: impl FnMut(usize, u32, bool),
    ) -> Result<(), Halt> {
        self.probe(states, probes);
        self.touch(probes);
        self.insert_probed(states, probes, parent, each)
    }

    /// Makes room for one more state in the arena.
    #[inline]
    fn reserve(&mut self) -> Result<(), Halt> {
        if self.arena.len() < self.granted { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Halt> {
        let step = (STEP / self.size()).max(1);
        if self.arena.has_room() {
            self.request(self.arena.bytes_with(step) - self.arena.bytes())?;
        } else {
            self.request(self.arena.growth())?;
            self.arena.grow();
        }
        self.granted = self.arena.capacity().min(self.arena.len() + step);
        Ok(())
    }

    /// Stores states as pairs of halves where that is smaller.
    #[cold]
    fn compress(&mut self) {
        if self.arena.compress(self.allowance) {
            self.granted = 0;
        }
    }

    /// The bytes that the store may still take.
    pub fn left(&self) -> u64 {
        self.allowance.saturating_sub(self.bytes())
    }

    /// Leaves so many bytes to others, which they take within a visit; the next [`Store::allow`] counts them among theirs.
    #[inline]
    pub fn charge(&mut self, bytes: u64) {
        // Most visits take nothing more, and what was granted stays granted.
        if bytes > 0 {
            self.allowance = self.allowance.saturating_sub(bytes);
            self.granted = 0;
        }
    }

    /// Makes room for so many bytes.
    ///
    /// # Errors
    /// They would pass the allowance, and no state can be moved to the disk.
    pub fn request(&mut self, bytes: u64) -> Result<(), Halt> {
        if self.bytes().saturating_add(bytes) <= self.allowance {
            return Ok(());
        }
        let room = self.allowance.checked_sub(bytes).ok_or(Halt::Memory)?;
        self.shrink(room)
    }

    /// Rewrites every state by `convert`, from the old words to new ones of `bytes` bytes in all, and indexes all
    /// again. `convert` is injective; numbers and parents stay.
    ///
    /// # Errors
    /// There is no room: the store is then unchanged; or a state could not be read, and the store cannot be used any
    /// more.
    ///
    /// # Complexity
    /// O(states * conversion).
    pub fn rewrite(&mut self, bytes: usize, convert: impl FnMut(&[u64], &mut [u64])) -> Result<(), Halt> {
        if self.is_delayed() {
            return self.rewrite_delayed(bytes, convert);
        }
        let more = |arena: &Arena| (bytes.saturating_sub(arena.size()) * arena.held()) as u64;
        while self.bytes().saturating_add(more(&self.arena)) > self.allowance {
            if self.may_delay || !self.arena.move_to_disk(self.allowance) {
                return Err(Halt::Memory);
            }
        }
        // The index is rebuilt anyway: its room serves meanwhile.
        let empty = Index::new(self.tuning());
        let old = std::mem::replace(&mut self.index, empty);
        let (lens, made) = (old.lens(), old.made());
        drop(old);
        // Where there is no room, this does not come back.
        let was_lost = std::mem::replace(&mut self.is_lost, true);
        self.arena.rewrite(bytes, self.allowance, convert);
        self.is_lost = was_lost;
        self.granted = 0;
        self.index_again(lens);
        self.index.made_before(made);
        self.is_whole()
    }

    /// Indexes all states, where there is no index.
    fn index_again(&mut self, lens: [usize; SEGMENTS]) {
        let arena = &self.arena;
        self.index = Index::of(self.len(), self.tuning(), lens, |number| hash_of::<H>(arena, number));
    }
}

impl<H: StateHash> Saved for Store<H> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.stride())?;
        to.len(self.arena.len())?;
        self.parents.iter().try_for_each(|parent| to.u32(parent))?;
        to.len(self.arena.len() * self.stride())?;
        (0..self.len()).try_for_each(|number| self.state(number).iter().try_for_each(|&word| to.u64(word)))?;
        self.is_whole().map_err(|_| io::Error::other("states could not be read from the disk"))
    }

    /// The store is an empty one for states of the size of the saved ones, which are all different.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        let stride = usize::try_from(from.u64()?).ok().filter(|&stride| stride == self.stride()).ok_or(Damaged)?;
        let parents = from.u32s()?;
        // A parent is stored before its children, except by a depth-first search; this check keeps paths finite here.
        if parents.iter().enumerate().any(|(number, &parent)| parent != NO_PARENT && parent as usize >= number) {
            return Err(Damaged);
        }
        let words = from.len(size_of::<u64>())?;
        if parents.len() >= MOST_STATES as usize || parents.len().checked_mul(stride) != Some(words) {
            return Err(Damaged);
        }
        let mut arena = self.arena.renewed(self.size());
        let mut state = vec![0; stride];
        for _ in 0..parents.len() {
            for word in &mut state {
                *word = from.u64()?;
            }
            if !arena.fits(&state) {
                return Err(Damaged);
            }
            if !arena.has_room() {
                arena.grow();
                while arena.bytes() > self.allowance / 2 && arena.move_to_disk(self.allowance) {}
            }
            arena.push(&state);
        }
        (self.arena, self.parents, self.granted) = (arena, Parents::given(&parents), 0);
        self.index_again(Index::new(self.tuning()).lens());
        let is_first = |number| {
            let (state, arena) = (self.state(number), &self.arena);
            let hash = H::hash(&state);
            self.index.find(hash, self.index.scan(hash), |other| arena.holds(other, &state)).ok() == Some(number)
        };
        if !(0..self.len()).all(is_first) {
            return Err(Damaged);
        }
        self.is_whole().map_err(|_| Damaged)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::hash::Constant;
    use super::*;
    use crate::tuning::SMALL;

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    /// Stores states as pairs of halves as soon as possible.
    #[derive(Debug)]
    struct Halves;

    impl Spilling for Halves {
        fn file(&self) -> io::Result<Box<dyn crate::spill::SpillFile>> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn compresses(&self) -> bool {
            true
        }
    }

    /// Inserts random states, rewrites to more words half-way, and compares with a map after each insertion.
    fn against_a_map<H: StateHash>(rounds: u64, distinct: u64, stride: usize) {
        for files in [None, Some(Arc::new(Halves) as Arc<dyn Spilling>)] {
            let is_compressed = files.is_some();
            let mut store: Store<H> = Store::new(stride * 8 - 3, u64::MAX, &SMALL);
            store.spill_to(files);
            store.allow(u64::MAX);
            against_a_map_in(&mut store, rounds, distinct, stride);
            assert_eq!(store.spilled().compressed, is_compressed);
        }
    }

    fn against_a_map_in<H: StateHash>(store: &mut Store<H>, rounds: u64, distinct: u64, stride: usize) {
        let mut seed = rounds;
        let mut map: HashMap<Vec<u64>, u32> = HashMap::new();
        for round in 0..rounds {
            if round == rounds / 2 {
                store
                    .rewrite((stride + 1) * 8 - 3, |old, new| {
                        new[0] = 5;
                        new[1..].copy_from_slice(old);
                    })
                    .expect("there is room");
                map = map.into_iter().map(|(key, number)| ([vec![5], key].concat(), number)).collect();
            }
            let mut state: Vec<u64> = (0..stride).map(|_| random(&mut seed) % distinct).collect();
            if round >= rounds / 2 {
                state.insert(0, 5);
            }
            let next = u32::try_from(map.len()).expect("small");
            let expected = map.get(&state).copied();
            assert_eq!(store.insert(&state, next), Ok((expected.unwrap_or(next), expected.is_none())));
            map.entry(state).or_insert(next);
        }
        assert_eq!(store.len() as usize, map.len());
        for (state, &number) in &map {
            assert_eq!((&*store.state(number), store.parent(number)), (&state[..], number));
        }
    }

    #[test]
    fn it_is_a_map_from_states_to_numbers() {
        against_a_map::<Folded>(40_000, 30_000, 1);
        against_a_map::<Folded>(20_000, 40, 2);
        against_a_map::<Folded>(5_000, 6, 5);
    }

    #[test]
    fn it_is_exact_under_a_constant_hash() {
        against_a_map::<Constant>(1_500, 900, 1);
        against_a_map::<Constant>(1_500, 30, 2);
    }

    #[test]
    fn it_refuses_new_states_past_the_bound_and_still_finds_old_ones() {
        let mut store: Store = Store::new(1, 2, &SMALL);
        assert_eq!(store.insert(&[7], NO_PARENT), Ok((0, true)));
        assert_eq!(store.insert(&[8], 0), Ok((1, true)));
        assert_eq!(store.insert(&[9], 0), Err(Halt::States));
        assert_eq!(store.insert(&[7], 1), Ok((0, false)));
    }

    #[test]
    fn it_stays_within_its_allowance() {
        let mut store: Store = Store::new(8, u64::MAX, &SMALL);
        store.allow(100_000);
        let refused = (0..1 << 20).find_map(|state| store.insert(&[state], 0).err());
        assert_eq!(refused, Some(Halt::Memory));
        assert!(store.bytes() <= 100_000);
        assert!(store.len() > 1_000);
        assert_eq!(store.insert(&[0], 0), Ok((0, false)));
    }
}
