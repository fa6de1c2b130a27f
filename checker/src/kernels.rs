//! The kernels of a search one by one, for benchmarks (`benches/kernels.rs`); nothing else uses them.
//!
//! Each is a function without arguments that repeats one operation: the steps of the next state, for example, among
//! those that a search has met before. The tables are filled in advance, so that the benchmark measures the common
//! case of a search.

use crate::tuning::TUNING;
use frontend::interpret::Bounds;
use frontend::model::{Model, PropertySet};
use frontend::sequential::Sequential;
use symmetry::ValidatedGroup;

use crate::actors::{Space, Symmetry};
use crate::sequential;
use explore::question::{Limits, SearchOrder};
use explore::reductions::Representative;
use explore::search::{Clock, NoObserver, Sharded, StateSpace, explore};
use explore::states::{NO_PARENT, Store};

/// Explores so many states, and fills the tables.
fn explored<S: StateSpace>(mut space: S, most: u64) -> S {
    let limits = Limits { max_states: Some(most), ..Limits::default() };
    let mut control = ();
    let clock = Clock::new(&mut control);
    let summary = explore(&mut space, &mut NoObserver, clock, &limits, SearchOrder::BreadthFirst);
    assert!(summary.is_ok_and(|summary| summary.states > 0), "a model has states");
    space
}

/// The numbers from 0 to `len`, repeatedly.
fn round(len: usize) -> impl FnMut() -> usize {
    let mut at = 0;
    move || {
        at = if at + 1 < len { at + 1 } else { 0 };
        at
    }
}

/// The steps of the explored states; returns their number.
fn steps<S: Sharded>(space: S, most: u64) -> impl FnMut() -> u32 {
    let mut space = explored(space, most);
    let stride = space.store().stride();
    let mut states: Vec<u64> = Vec::new();
    (0..space.store().len()).for_each(|number| states.extend_from_slice(&space.store().state(number)));
    let mut next = round(states.len() / stride);
    let mut expansion = S::Expansion::default();
    move || {
        let at = next() * stride;
        space.steps(&states[at..at + stride], &mut expansion).unwrap_or(0)
    }
}

fn actors<'m>(model: &'m Model, most: u64) -> Space<'m> {
    Space::new(model, &Bounds::default(), Some(most), None)
}

/// The steps of a state of actors, by look-ups.
pub fn steps_of_actors(model: &Model, most: u64) -> impl FnMut() -> u32 {
    steps(actors(model, most), most)
}

/// The steps of a state of a process, by look-ups.
pub fn steps_of_processes(model: &Sequential, most: u64) -> impl FnMut() -> u32 {
    steps(sequential::space(model, most), most)
}

/// The delivery of a message to a local state.
pub fn delivery(model: &Model, most: u64) -> impl FnMut() -> u32 {
    let mut space = explored(actors(model, most), most);
    let known = space.tables.deliveries();
    let mut next = round(known.len());
    move || {
        let one = known[next()];
        space.tables.deliver(one.slot, one.local, one.message).unwrap_or(0)
    }
}

/// Storing a state: every other one is new, and the table begins again when it has so many.
pub fn insert(most: u32) -> impl FnMut() -> u32 {
    let mut store: Store = Store::new(8, u64::MAX, TUNING.search);
    let mut tries = 0u64;
    move || {
        if store.len() >= most {
            store = Store::new(8, u64::MAX, TUNING.search);
        }
        tries += 1;
        let state = (tries / 2).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        store.insert(&[state], NO_PARENT).map_or(0, |(number, _)| number)
    }
}

/// The representative of a state; nothing if the group cannot be used.
pub fn canonical<'m>(model: &'m Model, group: &ValidatedGroup, most: u64) -> Option<impl FnMut() -> u32 + use<'m>> {
    let mut symmetry = Symmetry::new(model, group, &PropertySet::default(), Representative::Auto)?;
    let mut space = explored(actors(model, most), most);
    let states: Vec<Vec<u32>> =
        (0..space.store().len()).map(|number| space.fields(&space.store().state(number))).collect();
    let mut next = round(states.len());
    let mut state = Vec::new();
    Some(move || {
        state.clone_from(&states[next()]);
        let found = symmetry.canonical(&mut space.tables, &mut state);
        u32::from(found.is_ok())
    })
}
