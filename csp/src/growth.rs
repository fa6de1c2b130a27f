//! [`Growth`] and [`Reads`]: fixed points over sets of values that grow, one per element of the state.
//!
//! What instances may do in the states with these values is found round by round. If an instance was examined in all states with some
//! values of the elements that it reads, and there are new ones, then only the states with a new value remain: [`Reads::pieces`] covers them
//! by one product per element, in which this element has its new values and all others any value. So an instance that reads one counter
//! is evaluated on each of its values once, and not on all of them in each round.
//!
//! # Complexity
//!
//! Products overlap, and each is evaluated by itself: for at most four elements, else all states are examined again.
//!
//! # Invariants
//!
//! Values are never removed. The pieces do not depend on the numbers of elements or values: a permutation of the literals permutes them.
//!
//! # Source
//!
//! Semi-naive evaluation of Datalog, with products of sets in the place of relations.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// The most new values of the elements that an instance reads, in percent of their values and added up, for an examination of the states
/// with these alone.
const MOST_NEW: usize = 50;
/// The most pieces of one examination.
const MOST_PIECES: usize = 4;

/// Sets of values, one per element.
#[derive(Clone, Debug)]
pub struct Growth(Vec<Values>);

#[derive(Clone, Default, Debug)]
struct Values {
    known: BTreeSet<i32>,
    /// The same in the order in which they came.
    in_order: Vec<i32>,
    /// Those at the beginning of the round, ascending.
    at_round: Rc<[i32]>,
}

/// States to examine: all, or those where an element has one of the values at these places of the order in which they came.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Piece {
    /// All states.
    All,
    /// Those with these values.
    With(usize, Range<usize>),
}

mutants::mutants! {
    /// Known-wrong ways to reach a fixed point.
    pub struct Wrong {
        /// All states are examined where a value is new. This alone is not wrong.
        examines_all,
        /// Only the states with a new value of the first of the elements with new values are examined.
        covers_one_element,
        /// An instance that is too large as a whole, though its pieces were not, writes what these wrote.
        forgets_wholes,
    }
}

/// The numbers of values at the beginning of a round.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Round {
    lengths: Vec<usize>,
    /// The elements that have more values than at the beginning of the round before, ascending.
    grown: Vec<usize>,
}

impl Round {
    /// Whether no element has more values than before.
    pub fn has_nothing_new(&self) -> bool {
        self.grown.is_empty()
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.lengths.len()
    }
}

impl Growth {
    /// Empty sets for so many elements.
    pub fn new(elements: usize) -> Growth {
        Growth(vec![Values::default(); elements])
    }

    /// Adds a value, unless the element has it.
    pub fn insert(&mut self, element: usize, value: i32) {
        let values = &mut self.0[element];
        if values.known.insert(value) {
            values.in_order.push(value);
        }
    }

    /// Whether an element has a value.
    pub fn contains(&self, element: usize, value: i32) -> bool {
        self.0[element].known.contains(&value)
    }

    /// The round that follows another.
    pub fn round(&mut self, last: &Round) -> Round {
        let lengths: Vec<usize> = self.0.iter().map(|values| values.in_order.len()).collect();
        let has_grown = |&element: &usize| last.lengths.get(element).is_none_or(|&length| length < lengths[element]);
        let grown: Vec<usize> = (0..lengths.len()).filter(has_grown).collect();
        for &element in &grown {
            let Values { known, at_round, .. } = &mut self.0[element];
            limits::work(known.len() as u64);
            *at_round = known.iter().copied().collect();
        }
        Round { lengths, grown }
    }

    /// The values by element at the beginning of the last round, ascending.
    pub fn at_round(&self) -> Vec<Rc<[i32]>> {
        self.0.iter().map(|values| Rc::clone(&values.at_round)).collect()
    }

    /// The values of an element at these places of the order in which they came, ascending.
    pub fn range(&self, element: usize, places: Range<usize>) -> Rc<[i32]> {
        let mut values = self.0[element].in_order[places].to_vec();
        values.sort_unstable();
        values.into()
    }
}

/// The elements that an instance read, each with the number of its values in all states of which the instance was examined; none before
/// the first examination.
#[derive(Clone, Default, Debug)]
pub struct Reads(Option<FxHashMap<usize, usize>>);

impl Reads {
    /// The states that the instance was not examined in before a round. The caller examines the instance in all of them, unless there are none, and
    /// then calls [`Reads::examined`].
    pub fn pieces(&self, Round { lengths, grown }: &Round, wrong: Wrong) -> Vec<Piece> {
        let Some(reads) = &self.0 else { return vec![Piece::All] };
        limits::work(1 + reads.len().min(grown.len()) as u64);
        let new = |element: usize, seen: usize| (seen < lengths[element]).then(|| (element, seen..lengths[element]));
        let mut new: Vec<(usize, Range<usize>)> = match reads.len() < grown.len() {
            true => reads.iter().filter_map(|(&element, &seen)| new(element, seen)).collect(),
            false => grown.iter().filter_map(|&element| new(element, *reads.get(&element)?)).collect(),
        };
        new.sort_unstable_by_key(|&(element, _)| element);
        let percent: usize = new.iter().map(|(element, places)| (100 * places.len()).div_ceil(lengths[*element])).sum();
        let is_cheap = percent <= MOST_NEW && new.len() <= MOST_PIECES && !wrong.examines_all();
        if !new.is_empty() && !is_cheap {
            return vec![Piece::All];
        }
        new.truncate(if wrong.covers_one_element() { 1 } else { MOST_PIECES });
        new.into_iter().map(|(element, places)| Piece::With(element, places)).collect()
    }

    /// The record of an instance that need not be examined again.
    pub fn done() -> Reads {
        Reads(Some(FxHashMap::default()))
    }

    /// Adds what was read in an examination of the pieces of a round.
    pub fn examined(&mut self, read: impl IntoIterator<Item = usize>, Round { lengths, .. }: &Round) {
        let reads = self.0.get_or_insert_default();
        reads.extend(read.into_iter().map(|element| (element, 0)));
        reads.iter_mut().for_each(|(&element, seen)| *seen = lengths[element]);
    }
}

#[cfg(test)]
mod tests {
    use super::{Growth, Piece, Reads, Round, Wrong};

    #[test]
    fn pieces_cover_the_states_with_new_values() {
        let right = Wrong::default();
        let mut growth = Growth::new(3);
        for value in 0..10 {
            growth.insert(0, value);
            growth.insert(1, -value);
        }
        let (mut reads, first) = (Reads::default(), growth.round(&Round::default()));
        assert_eq!(reads.pieces(&first, right), [Piece::All]);
        reads.examined([0, 1], &first);
        let second = growth.round(&first);
        assert!(second.has_nothing_new());
        assert_eq!(reads.pieces(&second, right), []);
        [(0, 30), (0, 9), (1, 7), (1, -20)].into_iter().for_each(|(element, value)| growth.insert(element, value));
        let third = growth.round(&second);
        let pieces = [Piece::With(0, 10..11), Piece::With(1, 10..12)];
        assert_eq!(reads.pieces(&third, right), pieces);
        assert_eq!(reads.pieces(&third, Wrong { examines_all: true, ..right }), [Piece::All]);
        assert_eq!(*growth.range(1, 10..12), [-20, 7]);
        reads.examined([], &third);
        (100..120).for_each(|value| growth.insert(1, value));
        assert_eq!(reads.pieces(&growth.round(&third), right), [Piece::All], "most values are new");
        growth.insert(2, 5);
        let fourth = growth.round(&third);
        assert_eq!(reads.pieces(&growth.round(&fourth), right), [], "it does not read the element");
    }
}
