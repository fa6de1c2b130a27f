//! Packed states: bit fields, hashing, the visited set. They know no language.

mod arena;
mod ascending;
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

pub(crate) use ascending::{Ascending, Cursor};
#[cfg(test)]
pub(crate) use hash::CONSTANT;
pub(crate) use layout::{Layout, bits};
pub(crate) use store::{NO_PARENT, Probes, Store};
