//! Breadth-first search: states are numbered in the order of discovery, so the arena is the queue.

use super::{End, Observer, Position, Search, StateSpace};

/// Visits every stored state in the order of its number, until so many wait and they may be shared; returns whether all were visited.
pub(super) fn run<S: StateSpace, O: Observer<S>>(search: &mut Search<'_, S, O>, wide: u32) -> Result<bool, End> {
    let level_end = search.space.store().len();
    let mut position = search.position.take().unwrap_or(Position { next: 0, depth: 0, level_end });
    search.position = Some(position);
    // A limit that is over already ends the search here, however few visits it would take.
    search.look()?;
    while position.next < search.space.store().len() {
        if search.space.store().len() - position.next >= wide && search.may_share() {
            return Ok(false);
        }
        if position.next == position.level_end {
            position.level_end = search.space.store().len();
            position.depth += 1;
        }
        assert!(position.next < position.level_end, "a level ends behind its states");
        let number = position.next;
        position.next += 1;
        search.position = Some(position);
        search.visit(number, position.depth)?;
    }
    let is_whole = search.expanded == u64::from(position.next) || search.skipped.is_some();
    assert!(is_whole, "every stored state is expanded once");
    Ok(true)
}
