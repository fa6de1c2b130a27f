//! Actor models: interned local states and messages, memoised steps, packed vectors of their numbers.
//!
//! A global state is a vector of numbers of local states. A step is looked up in tables that the reference
//! interpreter fills on every miss.

mod ample;
mod execution;
mod expand;
mod explore;
mod graph;
mod heap;
mod invariant;
mod local;
mod messages;
mod on_the_fly;
mod rank;
mod representative;
mod roots;
mod runs;
mod sharded;
mod slot;
mod space;
mod steps;
mod symmetry;
mod tables;
mod trial;

#[cfg(test)]
pub(crate) use expand::Expansion;
pub(crate) use explore::element;
pub(crate) use heap::HeapSymmetry;
#[cfg(test)]
pub(crate) use heap::Wrong as HeapWrong;
pub(crate) use space::Space;
pub(crate) use symmetry::Symmetry;
#[cfg(test)]
pub(crate) use symmetry::{TWINS, Twins};

pub use graph::{Edge, explore_graph};
