//! The place for states that memory has no room for.
//!
//! The checker touches no files: the caller of a search may give it a place for states, and decides with it what
//! becomes of that place at the end.

use std::fmt::Debug;
use std::io;

/// Gives places for states.
pub trait Spilling: Debug + Send + Sync {
    /// A new place, which is removed when it is dropped. One search may request several.
    ///
    /// # Errors
    /// There can be none.
    fn file(&self) -> io::Result<Box<dyn SpillFile>>;

    /// Whether states are put there as soon as they can be, however much memory there is: for tests.
    fn is_eager(&self) -> bool {
        false
    }

    /// Whether the index is moved there as soon as possible: for tests.
    fn delays(&self) -> bool {
        false
    }

    /// Whether states are stored as pairs of halves as soon as possible, smaller or not: for tests.
    fn compresses(&self) -> bool {
        false
    }
}

/// A place for states.
pub trait SpillFile: Debug + Send {
    /// Writes bytes at a position, which is not behind the end.
    ///
    /// # Errors
    /// They cannot be written; the bytes before the position are unchanged.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Reads bytes that were written.
    ///
    /// # Errors
    /// They cannot be read.
    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()>;
}

/// The measures of a search when memory was short.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Spilled {
    /// The bytes that were moved to the place.
    pub bytes: u64,
    /// Whether states were stored as pairs of halves.
    pub compressed: bool,
    /// The failure that kept more states from being moved, if there was one.
    pub failure: Option<String>,
}

impl Spilled {
    /// Adds the measures of another part of the search.
    pub fn add(&mut self, other: Spilled) {
        self.bytes += other.bytes;
        self.compressed |= other.compressed;
        self.failure = self.failure.take().or(other.failure);
    }
}
