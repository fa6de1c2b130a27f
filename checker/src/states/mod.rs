//! Packed states: bit fields, hashing, the visited set. They know no language.

mod hash;
mod layout;
mod pages;
mod store;

pub(crate) use layout::{Layout, bits};
pub(crate) use store::{NO_PARENT, Store};
