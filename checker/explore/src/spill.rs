//! Where states go that memory has no room for.
//!
//! The checker touches no files: whoever starts a search may give it a place to put states, and says with it what becomes of
//! that place at the end.

use std::fmt::Debug;
use std::io;

/// Gives places for states.
pub trait Spilling: Debug + Send + Sync {
    /// A new place, which is gone when it is dropped. One search may ask for several.
    ///
    /// # Errors
    /// There can be none.
    fn file(&self) -> io::Result<Box<dyn SpillFile>>;

    /// The signal that asks the search to stop, if one arrived: long passes over a place end early then.
    fn interrupted(&self) -> Option<i32> {
        None
    }

    /// Whether states are put there as soon as they can be, however much memory there is: for tests.
    fn is_eager(&self) -> bool {
        false
    }

    /// Whether the index is put there as soon as it can be: for tests.
    fn delays(&self) -> bool {
        false
    }

    /// Whether states are stored as pairs of halves as soon as they can be, smaller or not: for tests.
    fn compresses(&self) -> bool {
        false
    }
}

/// A place for states.
pub trait SpillFile: Debug + Send {
    /// Writes bytes at a position, which is not beyond the end.
    ///
    /// # Errors
    /// They cannot be written; what is before the position is as before.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Reads bytes that were written.
    ///
    /// # Errors
    /// They cannot be read.
    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()>;
}

/// What a search did when memory was short.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Spilled {
    /// Bytes.
    pub bytes: u64,
    /// Whether states were stored as pairs of halves.
    pub compressed: bool,
    /// Why not more, if something failed.
    pub failure: Option<String>,
}

impl Spilled {
    /// Adds what another part of the search put elsewhere.
    pub fn add(&mut self, other: Spilled) {
        self.bytes += other.bytes;
        self.compressed |= other.compressed;
        self.failure = self.failure.take().or(other.failure);
    }
}
