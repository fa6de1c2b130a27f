//! Accounting of memory: the bytes that the containers of a search hold, and the causes that halt an operation.
//!
//! The big containers (the arena of states and its index) request memory before they grow. The memo tables grow by
//! the standard library's doubling; between two expansions the search checks whether the next doubling of the largest
//! of them would still fit, so that a limit is met before the allocation, not after it.

use std::mem::size_of;

/// The cause that halted an operation of the search before its end. It carries nothing: results of the inner loops fit into a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The largest allowed number of states is stored.
    States,
    /// The next growth would pass the limit on memory.
    Memory,
    /// A representative was not found within the bound on the work for it.
    Work,
    /// A state that was moved to the disk cannot be read.
    Disk,
    /// The watch stopped while all states were read. It stays stopped, and has the cause.
    Stopped,
    /// A fork met what it may not number; the space that it was forked from can.
    Deferred,
}

const _: () = assert!(size_of::<Result<Option<u32>, Halt>>() <= size_of::<u64>(), "the inner loops return it");

/// After [`limits::poll`]: the watch stays stopped.
impl From<limits::Stopped> for Halt {
    fn from(_: limits::Stopped) -> Halt {
        Halt::Stopped
    }
}

/// Makes room for more elements where the system has it.
///
/// # Errors
/// It has not.
pub fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<(), Halt> {
    elements.try_reserve_exact(more).map_err(|_| Halt::Memory)
}

/// Words of a state from which on each copy of one counts as work: those of narrower states are counted by visits.
const WIDE: usize = 32;

/// Elements up to which a buffer doubles; beyond, it grows by half.
const DOUBLING: usize = 1 << 17;

/// Bytes of a successor beyond its words: its hash, its number, its mover.
const OVERHEAD: u64 = 48;

/// Consults the watch about the work on one packed state of so many words, if that is much.
#[inline]
pub fn work_on(stride: usize) {
    if stride >= WIDE {
        work_on_wide(stride);
    }
}

/// Out of line, where it takes no registers of the loops over narrow states.
#[cold]
#[inline(never)]
fn work_on_wide(stride: usize) {
    limits::work(stride as u64);
}

/// The elements by which a full buffer grows that is to take `least` more, and the bytes that these take, with those of everything that
/// is noted about each `least` of them.
pub fn growth<T>(elements: &Vec<T>, least: usize) -> (usize, u64) {
    let held = elements.capacity();
    let more = if held < DOUBLING { held } else { held / 2 }.max(least);
    (more, bytes_of::<T>(more) + (more / least.max(1)) as u64 * OVERHEAD)
}

/// Bytes that `len` elements of a type take.
pub fn bytes_of<T>(len: usize) -> u64 {
    (len as u64).saturating_mul(size_of::<T>() as u64)
}

/// The bytes of a set of containers, and those of the largest one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// All of them together.
    pub total: u64,
    /// The largest: the most that a doubling would add.
    pub largest: u64,
}

impl Footprint {
    /// Adds a container of so many bytes.
    pub fn add(&mut self, bytes: u64) {
        self.total = self.total.saturating_add(bytes);
        self.largest = self.largest.max(bytes);
    }

    /// Adds a vector.
    pub fn add_vec<T>(&mut self, vec: &Vec<T>) {
        self.add(bytes_of::<T>(vec.capacity()));
    }

    /// Adds a hash table of `capacity` entries of type `T`: at most 7/8 full, one control byte per entry.
    pub fn add_table<T>(&mut self, capacity: usize) {
        let buckets = capacity.saturating_mul(8) / 7;
        self.add(bytes_of::<T>(buckets).saturating_add(buckets as u64));
    }

    /// Adds another footprint.
    pub fn merge(&mut self, other: Footprint) {
        self.total = self.total.saturating_add(other.total);
        self.largest = self.largest.max(other.largest);
    }

    /// The part of a limit that is left for others when the largest container has doubled; nothing if not even the
    /// doubling fits.
    pub fn left(&self, limit: u64) -> Option<u64> {
        limit.checked_sub(self.total.saturating_add(self.largest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_container_decides_the_growth() {
        let mut footprint = Footprint::default();
        footprint.add(100);
        footprint.add(30);
        let mut other = Footprint::default();
        other.add(50);
        footprint.merge(other);
        assert_eq!(footprint, Footprint { total: 180, largest: 100 });
        assert_eq!((footprint.left(281), footprint.left(280), footprint.left(279)), (Some(1), Some(0), None));
    }
}
