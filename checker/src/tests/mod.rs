//! Models for the tests of this crate, built without any syntax: the dining philosophers of [Jag10] Fig. 2 (whose counts
//! are known) and random models for comparing the fast path with the naive one.

mod build;
mod comparison;
mod constant_hash;
mod fair_processes;
pub(crate) mod fair_threads;
mod growth;
mod heap;
mod heap_and_group;
mod partial_order;
mod partial_order_runs;
mod philosophers;
mod random;
mod resumed;
mod signal;
mod spilling;
mod threads;
mod trial;
mod twins;

pub(crate) use build::{and, binary, int, not, remote};
pub(crate) use philosophers::philosophers;
pub(crate) use random::{Rng, random_model};

/// The number of models on which a known-wrong variant is caught before no more are searched for it.
pub(crate) const ENOUGH: u32 = 3;
