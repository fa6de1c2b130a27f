//! One clock, one memory account and one signal check for every long computation.
//!
//! A [`Watch`] knows when a computation must stop: a deadline, a limit on the memory of the process, a limit on work, a signal.
//! [`Watch::run`] runs a function under a watch. Inside, every loop that may be long calls [`work`] with the elementary steps that it
//! takes next, and every large allocation calls [`reserve`] before it is made. Both cost a subtraction; once in [`QUANTUM`] steps
//! they look at the world. When the watch stops, they unwind to the `run` that entered it, which returns [`Stopped`].
//!
//! # Invariants
//!
//! - A function that was stopped has no result: half of a group, of a graph or of a set of states cannot be taken for the whole.
//!   Who wants the part that is complete keeps it outside of the function that `run` runs.
//! - A watch that stopped stays stopped, and so do the watches made from it ([`Watch::share`], [`Watch::at_most`]).
//! - Values that a stopped function changed through references may be half changed: they are dropped, or are read only where the
//!   function says what it keeps.
//! - `work` and `reserve` do nothing on a thread without a watch, and nothing while the thread unwinds.
//!
//! # Soundness
//!
//! Stopping has one side: an answer that needs a stopped computation is not given. The panic hook is not called, so that a stop is
//! never told as a fault; other panics pass through `run` as they are.
//!
//! # Source
//!
//! Unwinding to cancel is how salsa and rust-analyzer cancel queries.

#![forbid(unsafe_code)]

mod ambient;
#[cfg(test)]
mod tests;
mod watch;
mod world;

pub use ambient::{QUANTUM, check, phase, poll, refused, reserve, share, watch, work};
pub use watch::{Cause, Stopped, Watch};
pub use world::{Counting, System, World};
