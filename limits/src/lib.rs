//! One clock, one memory account and one signal check for every long computation.
//!
//! A [`Watch`] decides when a computation must stop: at a deadline, at a limit on the memory of the process, at a limit
//! on work, or at a signal. [`Watch::run`] runs a function under a watch. Inside, every loop that may be long calls
//! [`work`] with the number of elementary steps that come next, and every large allocation calls [`reserve`] before it
//! is made. Both cost a subtraction; once in [`QUANTUM`] steps they look at the world. If the watch has stopped, they
//! unwind to the `run` that entered it, which returns [`Stopped`].
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! let watch = limits::Watch::new(Arc::new(limits::System::default()), Some(Duration::ZERO), None);
//! let stopped = watch.run(|| loop {
//!     limits::work(1); // one elementary step
//! });
//! assert!(matches!(stopped, Err(limits::Stopped { cause: limits::Cause::Time(_), .. })));
//! ```
//!
//! # Invariants
//!
//! - A function that was stopped has no result: half of a group, of a graph or of a set of states cannot be taken for
//!   the whole. A caller that wants the complete part keeps it outside of the function that `run` runs.
//! - A watch that stopped stays stopped, and so do the watches made from it ([`Watch::share`], [`Watch::at_most`]).
//! - Values that a stopped function changed through references may be half changed: they are dropped, or read only
//!   where the function documents the part that it keeps.
//! - `work` and `reserve` do nothing on a thread without a watch, and nothing while the thread unwinds.
//!
//! # Soundness
//!
//! Stopping errs to one side: an answer that needs a stopped computation is not given. The panic hook is not called, so
//! that a stop is never reported as a fault; other panics pass through `run` unchanged.
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

pub use ambient::{
    QUANTUM, at_most, check, in_growing_parts, phase, poll, refused, reserve, reserve_in_list, reserve_in_table, share,
    watch, work,
};
pub use watch::{Cause, Stopped, Watch};
pub use world::{Counting, System, World};
