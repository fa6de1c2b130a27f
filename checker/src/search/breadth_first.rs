//! Breadth-first search: states are numbered in the order of discovery, so the arena is the queue.

use super::{End, Observer, Search, StateSpace};

/// Visits every stored state in the order of its number.
pub(super) fn run<S: StateSpace, O: Observer<S>>(search: &mut Search<'_, S, O>) -> Result<(), End> {
    let (mut number, mut depth) = (0, 0);
    let mut level_end = search.space.store().len();
    while number < search.space.store().len() {
        if number == level_end {
            level_end = search.space.store().len();
            depth += 1;
        }
        search.visit(number, depth)?;
        number += 1;
    }
    Ok(())
}
