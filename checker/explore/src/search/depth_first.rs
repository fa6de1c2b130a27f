//! Depth-first search: the next state is a successor of the last one as long as there is one that was not visited.
//!
//! All successors of a state are stored when it is expanded, but a state is visited from the first state on the stack
//! whose turn reaches it; that state then becomes its parent. Parents are visited before their children, so the line
//! of parents ends in an initial state.
//!
//! The stack holds numbers: a state, and the place of its successors in one shared buffer.

use bitvec::vec::BitVec;

use super::{End, Expansion, Observer, Search, StateSpace};
use crate::memory::bytes_of;

/// A state on the stack.
struct Frame {
    number: u32,
    /// Its first successor in the buffer.
    first: usize,
    /// Its next successor to visit.
    next: usize,
}

/// The stack and the marks.
#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    successors: Vec<u32>,
    visited: BitVec<u64>,
}

/// Visits every stored state along one path first.
pub(super) fn run<S: StateSpace, O: Observer<S>>(search: &mut Search<'_, S, O>) -> Result<(), End> {
    let mut stack = Stack::default();
    // A limit that is over already ends the search here, however few visits it would take.
    search.look()?;
    for root in 0..search.space.store().len() {
        if stack.mark(root) {
            stack.push(search, root)?;
        }
        while let Some(frame) = stack.frames.last_mut() {
            if frame.next == stack.successors.len() {
                stack.successors.truncate(frame.first);
                stack.frames.pop();
                continue;
            }
            let (parent, next) = (frame.number, stack.successors[frame.next]);
            frame.next += 1;
            if stack.mark(next) {
                search.space.store_mut().set_parent(next, parent);
                stack.push(search, next)?;
            }
        }
    }
    let states = search.space.store().len();
    assert_eq!(stack.visited.count_ones(), states as usize, "every stored state is visited");
    assert!(search.expanded == states.into() || search.skipped.is_some(), "every stored state is expanded once");
    Ok(())
}

impl Stack {
    /// Marks a state as visited; returns whether it was unmarked before.
    fn mark(&mut self, number: u32) -> bool {
        let number = number as usize;
        if self.visited.len() <= number {
            self.visited.resize(number + 1, false);
        }
        !self.visited.replace(number, true)
    }

    /// Visits a state and puts it on top.
    fn push<S: StateSpace, O: Observer<S>>(&mut self, search: &mut Search<'_, S, O>, number: u32) -> Result<(), End> {
        search.frontier_bytes = self.bytes();
        search.visit(number, self.frames.len() as u64)?;
        let first = self.successors.len();
        self.successors.extend(search.expansion.successors());
        self.frames.push(Frame { number, first, next: first });
        Ok(())
    }

    fn bytes(&self) -> u64 {
        bytes_of::<Frame>(self.frames.capacity())
            + bytes_of::<u32>(self.successors.capacity())
            + bytes_of::<u8>(self.visited.capacity() / 8)
    }
}
