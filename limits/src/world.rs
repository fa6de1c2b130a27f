//! The world that a watch consults: the time, the memory of the process, and signals.
//!
//! Only the command line reads files and handles signals, so it provides its own [`World`]. [`System`] has only the
//! clock. [`Counting`] is a world for tests whose clock counts the looks at it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The world that a watch consults. All methods are cheap: they are called at each look.
pub trait World: Send + Sync {
    /// The time since some start.
    fn now(&self) -> Duration;

    /// The bytes that the process holds; 0 where that is not known.
    fn held(&self) -> u64 {
        0
    }

    /// The bytes that the process holds at this moment, where [`World::held`] may be the figure of some milliseconds before.
    fn held_now(&self) -> u64 {
        self.held()
    }

    /// The signal that requests a stop, if one came.
    fn signal(&self) -> Option<i32> {
        None
    }

    /// Hears at each look how many elementary steps there were since the last one.
    fn worked(&self, steps: u64) {
        let _ = steps;
    }

    /// Hears at each look what the thread is at, and for how long.
    fn at(&self, phase: &'static str, since: Duration) {
        let _ = (phase, since);
    }
}

/// A world with the clock of the system only.
#[derive(Clone, Copy, Debug)]
pub struct System {
    started: Instant,
}

impl Default for System {
    fn default() -> System {
        System { started: Instant::now() }
    }
}

impl World for System {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A world in which each look takes a second: a limit of `n` seconds stops at the `n`-th look.
#[derive(Debug, Default)]
pub struct Counting {
    looks: AtomicU64,
}

impl Counting {
    /// The looks so far.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }
}

impl World for Counting {
    fn now(&self) -> Duration {
        Duration::from_secs(self.looks.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
