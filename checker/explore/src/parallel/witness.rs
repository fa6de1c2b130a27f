//! The states on the way to the violations, gathered from the shards into one space, where counterexamples are made.
//!
//! Soundness: only states and parents are gathered; the executions are found and replayed as after any search.

use std::collections::BTreeMap;

use super::worker::Worker;
use crate::report::InternalError;
use crate::search::Sharded;
use crate::states::NO_PARENT;
use crate::watch::{TimedViolation, Watch, Watched};

/// A state: its worker, and its number there.
type Place = (usize, u32);

/// Fills the store of a space with the lines of parents of all violations, and renumbers these states.
///
/// # Errors
/// A state is lost: a fault of the checker.
pub(super) fn gather<S: Watched + Sharded>(
    space: &mut S,
    watch: &mut Watch<S>,
    seen: Vec<TimedViolation<S::Fault>>,
    workers: &[Worker<S>],
) -> Result<(), InternalError> {
    let mut numbers: BTreeMap<Place, u32> = BTreeMap::new();
    let before: Vec<(usize, u32)> = watch.states().collect();
    for (query, number) in before {
        let place = find(workers, number).ok_or_else(lost)?;
        watch.renumber(query, line(space, workers, place, &mut numbers)?);
    }
    for TimedViolation { query, place: (worker, local), last, .. } in seen {
        if !watch.is_violated(query) {
            let number = line(space, workers, (worker as usize, local), &mut numbers)?;
            watch.see(query, number, last);
        }
    }
    Ok(())
}

/// Stores the line of parents of a state, as far as it is not stored; returns the number of the state.
fn line<S: Watched + Sharded>(
    space: &mut S,
    workers: &[Worker<S>],
    place: Place,
    numbers: &mut BTreeMap<Place, u32>,
) -> Result<u32, InternalError> {
    let mut line = vec![place];
    let mut parent = NO_PARENT;
    while let Some(&(worker, local)) = line.last() {
        if let Some(&known) = numbers.get(&(worker, local)) {
            line.pop();
            parent = known;
            break;
        }
        match workers[worker].space.store().parent(local) {
            NO_PARENT => break,
            above => line.push(find(workers, above).ok_or_else(lost)?),
        }
    }
    let mut words = Vec::new();
    for &(worker, local) in line.iter().rev() {
        let from = &workers[worker].space;
        words.clear();
        space.pack(&from.fields(&from.store().state(local)), &mut words);
        let inserted = space.store_mut().insert(&words, parent);
        parent = inserted.map_err(|_| InternalError("no room for the states of a counterexample".to_owned()))?.0;
        numbers.insert((worker, local), parent);
    }
    Ok(parent)
}

/// The place of a state.
fn find<S: Watched + Sharded>(workers: &[Worker<S>], number: u32) -> Option<Place> {
    let mut places = workers.iter().enumerate();
    places.find_map(|(worker, of)| Some((worker, of.globals.find(number)?)))
}

fn lost() -> InternalError {
    InternalError("a state of a counterexample is in no shard".to_owned())
}
