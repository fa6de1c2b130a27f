//! Packed states: bit fields, hashing, the visited set. They know no language.

mod arena;
mod ascending;
mod buffer;
mod delayed;
mod hash;
mod index;
mod layout;
mod pages;
mod parents;
mod sorted;
mod spill;
mod store;
mod tree;

pub use ascending::{Ascending, Cursor};
#[cfg(any(test, feature = "mutants"))]
pub use hash::CONSTANT;
pub use layout::{Field, Layout, bits};
pub use store::{NO_PARENT, Probes, Store};
