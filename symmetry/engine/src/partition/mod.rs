//! Ordered partitions of `0..n` with undo, and their equitable refinement.

mod grouping;
mod ordered;
mod refine;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use ordered::{Partition, Split};
pub(crate) use refine::{Ignore, Refiner, SplitObserver};
pub(crate) use trace::{Siblings, Trace, mix};
