//! Ordered partitions of `0..n` with undo, and their equitable refinement.

mod ordered;
mod refine;
mod trace;

pub(crate) use ordered::{Partition, Split};
pub(crate) use refine::{Ignore, Refiner, SplitObserver};
pub(crate) use trace::{Siblings, Trace, mix};
