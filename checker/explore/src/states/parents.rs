//! The state from which each state was first reached.
//!
//! A breadth-first search reaches states from parents that never descend, so the parents of all but initial states
//! are an [`Ascending`] list: two bits each. Where other parents are noted, all parents are written out.
//!
//! Invariant: in a line the initial states come first.

use super::ascending::Ascending;
use super::store::NO_PARENT;
use crate::memory::{Halt, bytes_of, growth, reserve};

/// The parents of all states.
#[derive(Clone, Debug)]
pub(super) enum Parents {
    /// So many initial states, then the parents of the others.
    Line(u32, Ascending),
    /// One per state.
    Given(Vec<u32>),
}

impl Parents {
    /// No states; parents will be about `2^rest` apart.
    pub(super) fn new(rest: u32) -> Parents {
        Parents::Line(0, Ascending::new(rest))
    }

    /// The parents of no more states than there are.
    pub(super) fn given(parents: &[u32]) -> Parents {
        let mut new = Parents::new(0);
        parents.iter().for_each(|&parent| new.push(parent));
        new
    }

    /// The bytes by which the parents grow before they take those of so many more states.
    pub(super) fn more_bytes(&self, more: u32) -> u64 {
        match self {
            Parents::Line(_, line) => line.more_bytes(more),
            Parents::Given(parents) if parents.capacity() - parents.len() < more as usize => {
                growth(parents, more as usize).1
            }
            Parents::Given(_) => 0,
        }
    }

    /// Makes room for the parents of so many more states.
    ///
    /// # Errors
    /// The system has none.
    pub(super) fn reserve(&mut self, more: u32) -> Result<(), Halt> {
        match self {
            Parents::Line(_, line) => line.reserve(more),
            Parents::Given(parents) if parents.capacity() - parents.len() < more as usize => {
                let (more, _) = growth(parents, more as usize);
                reserve(parents, more)
            }
            Parents::Given(_) => Ok(()),
        }
    }

    /// Notes the parent of the next state.
    #[inline]
    pub(super) fn push(&mut self, parent: u32) {
        match self {
            Parents::Line(initial, line) if parent == NO_PARENT && line.is_empty() => *initial += 1,
            Parents::Line(_, line) if parent != NO_PARENT && parent >= line.last() => line.push(parent),
            _ => self.written().push(parent),
        }
    }

    /// The parent of a state.
    pub(super) fn get(&self, number: u32) -> u32 {
        match self {
            Parents::Line(initial, line) => {
                let index = number.checked_sub(*initial);
                index.map_or(NO_PARENT, |index| line.get(index).expect("a state"))
            }
            Parents::Given(parents) => parents[number as usize],
        }
    }

    /// Gives a state another parent.
    pub(super) fn set(&mut self, number: u32, parent: u32) {
        assert_ne!(number, parent, "no state is its own parent");
        self.written()[number as usize] = parent;
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        match self {
            Parents::Line(initial, line) => *initial as usize + line.len() as usize,
            Parents::Given(parents) => parents.len(),
        }
    }

    /// The number of states before the first one that has a parent.
    pub(super) fn initial(&self) -> u32 {
        match self {
            Parents::Line(initial, _) => *initial,
            Parents::Given(parents) => {
                let initial = parents.iter().take_while(|&&parent| parent == NO_PARENT).count();
                u32::try_from(initial).unwrap_or(u32::MAX)
            }
        }
    }

    /// All parents in the order of their states.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Parents::Line(initial, line) => {
                Box::new(std::iter::repeat_n(NO_PARENT, *initial as usize).chain(line.iter()))
            }
            Parents::Given(parents) => Box::new(parents.iter().copied()),
        }
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Parents::Line(_, line) => line.bytes(),
            Parents::Given(parents) => bytes_of::<u32>(parents.capacity()),
        }
    }

    /// The parents written out.
    fn written(&mut self) -> &mut Vec<u32> {
        if let Parents::Line(..) = self {
            *self = Parents::Given(self.iter().collect());
        }
        match self {
            Parents::Given(parents) => parents,
            Parents::Line(..) => unreachable!("it was written out"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_back_in_every_order() {
        let lines: [&[u32]; 6] = [
            &[],
            &[NO_PARENT, NO_PARENT],
            &[NO_PARENT, 0, 0, 1, 3, 3, 900],
            &[NO_PARENT, 0, 2, 1, 1],
            &[NO_PARENT, 0, NO_PARENT, 2],
            &[5, 7, 7],
        ];
        for line in lines {
            let mut parents = Parents::given(line);
            assert_eq!(parents.iter().collect::<Vec<_>>(), line);
            assert!((0u32..).zip(line).all(|(number, &parent)| parents.get(number) == parent));
            let initial = line.iter().take_while(|&&parent| parent == NO_PARENT).count();
            assert_eq!(parents.initial() as usize, initial);
            if line.len() > 2 {
                parents.set(2, 1);
                assert_eq!(parents.get(2), 1);
                assert!((0u32..).zip(line).all(|(number, &parent)| number == 2 || parents.get(number) == parent));
            }
        }
    }
}
