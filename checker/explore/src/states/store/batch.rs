//! States that are stored together: their entries of the index are fetched before they are looked up.

use super::Store;
use crate::memory::{Halt, bytes_of, work_on};
use crate::states::hash::StateHash;
use crate::states::index::Scan;

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

impl<H: StateHash> Store<H> {
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
        assert!(rest.is_empty(), "a state that is to be stored was not probed");
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
}
