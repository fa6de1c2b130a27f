//! The steps between stored states, kept for questions that look backwards.
//!
//! Invariant: the targets of state `n` are `targets[first[n]..first[n + 1]]`; states are added in the order of their
//! numbers.

use crate::memory::{Halt, bytes_of, reserve};

/// Targets by state.
#[derive(Clone, Debug)]
pub struct Edges {
    first: Vec<u32>,
    targets: Vec<u32>,
    /// The states whose steps are not known.
    left_out: usize,
}

impl Default for Edges {
    fn default() -> Edges {
        Edges::new()
    }
}

impl Edges {
    /// No steps.
    #[must_use]
    pub fn new() -> Edges {
        Edges { first: vec![0], targets: Vec::new(), left_out: 0 }
    }

    /// The number of states whose steps are kept.
    pub fn states(&self) -> usize {
        self.first.len() - 1
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.first.capacity() + self.targets.capacity())
    }

    /// Whether the steps of every state are known, up to the last one added.
    pub fn is_whole(&self) -> bool {
        self.left_out == 0
    }

    /// The bytes that are allocated for a state with so many steps.
    pub fn growth(&self, number: u32, steps: usize) -> u64 {
        let states = (number as usize + 1).saturating_sub(self.states());
        bytes_of::<u32>(room(&self.first, states) + room(&self.targets, steps))
    }

    /// Adds the steps of the next state; those of a state before are known. States between, which a limit on the depth left out, have none: such
    /// edges are not whole.
    ///
    /// # Errors
    /// No room.
    pub fn push(&mut self, number: u32, targets: &[u32]) -> Result<(), Halt> {
        let Some(left_out) = (number as usize).checked_sub(self.states()) else { return Ok(()) };
        for (list, more) in [(&mut self.first, left_out + 1), (&mut self.targets, targets.len())] {
            let more = room(list, more);
            reserve(list, more)?;
        }
        let end = *self.first.last().expect("there is one more than states");
        self.first.extend(std::iter::repeat_n(end, left_out));
        self.left_out += left_out;
        debug_assert_eq!(self.states(), number as usize, "the state is the next one");
        self.targets.extend_from_slice(targets);
        self.first.push(u32::try_from(self.targets.len()).map_err(|_| Halt::Memory)?);
        Ok(())
    }

    /// The same steps, from their targets to the states.
    ///
    /// # Panics
    /// If there are more states than numbers of 32 bits, or states whose steps are not known.
    #[must_use]
    pub fn reversed(&self) -> Edges {
        assert!(self.is_whole(), "a graph that is looked at backwards has the steps of every state");
        let mut first = vec![0u32; self.states() + 2];
        for &target in &self.targets {
            limits::work(1);
            first[target as usize + 2] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut targets = vec![0; self.targets.len()];
        for from in 0..self.states() {
            limits::work(1);
            for &target in self.of(from) {
                let place = &mut first[target as usize + 1];
                targets[*place as usize] = u32::try_from(from).expect("states have numbers of 32 bits");
                *place += 1;
            }
        }
        first.pop();
        debug_assert_eq!(first.last().map(|&last| last as usize), Some(targets.len()), "every step is reversed");
        Edges { first, targets, left_out: 0 }
    }

    /// The targets of a state.
    pub fn of(&self, state: usize) -> &[u32] {
        &self.targets[self.first[state] as usize..self.first[state + 1] as usize]
    }
}

/// The elements by which a list grows for so many more.
fn room(list: &Vec<u32>, more: usize) -> usize {
    if list.capacity() - list.len() >= more { 0 } else { (list.capacity() / 2).max(more).max(1 << 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_are_left_out_have_no_steps() {
        let mut edges = Edges::new();
        for (state, targets) in [(0, &[1, 3][..]), (3, &[0]), (1, &[2])] {
            edges.push(state, targets).expect("room");
        }
        assert_eq!((0..4).map(|state| edges.of(state)).collect::<Vec<_>>(), [&[1, 3][..], &[], &[], &[0]]);
        assert!(!edges.is_whole());
    }

    #[test]
    fn reversing_twice_sorts_the_targets() {
        let mut edges = Edges::new();
        for (state, targets) in [(0, &[2, 1, 1][..]), (1, &[]), (2, &[0, 2]), (3, &[1])] {
            edges.push(state, targets).expect("memory");
        }
        edges.push(1, &[3]).expect("it is known");
        let back = edges.reversed();
        assert_eq!(
            (0..4).map(|state| back.of(state).to_vec()).collect::<Vec<_>>(),
            [vec![2], vec![0, 0, 3], vec![0, 2], vec![]]
        );
        let again = back.reversed();
        assert_eq!(
            (0..4).map(|state| again.of(state).to_vec()).collect::<Vec<_>>(),
            [vec![1, 1, 2], vec![], vec![0, 2], vec![1]]
        );
    }
}
