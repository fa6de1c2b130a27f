//! The least image of a successor, found from what is known of the images of the state that it follows.
//!
//! The cells that a group moves are compared in one order; the position of a cell in it is its place. Let `p` be a state, `s` its successor, `C` the
//! places in which they differ, and `g` an element. For each `p` the places of `g(p)` are compared with those of `p`: two bits for each place say whether
//! it differs, and whether it is less. Then `g(s)` and `s` compare as `g(p)` and `p` at all places but those of `C` and those to which `g` moves `C`.
//! Only these are compared again, and the first place that differs is found in the bits. The bits of `p` come in the same way from those of the state
//! before it; the first state is the one in which nothing is defined, which no element moves.
//!
//! Where several images are less than the successor, the one that is less at the earliest place is the least; those that are less at the same
//! place first are compared with each other.
//!
//! Soundness: exact. The image found is the least one, as [`super::symmetry::Symmetry::least`] finds it from all elements, and so it is a function of
//! the successor alone, whatever the state was.

use explore::memory::bytes_of;

use super::code::UNDEFINED;
use super::renamings::Table;
use super::symmetry::Wrong;

/// The most places of all elements.
const MOST_PLACES: usize = 1 << 20;

/// The place of a cell that the group leaves alone.
const NOWHERE: u32 = u32::MAX;

/// The elements of a group but the identity, as they move places.
#[derive(Debug)]
pub(super) struct Nearby {
    /// The cell of each place.
    cells: Vec<u32>,
    /// The place of each cell.
    places: Vec<u32>,
    /// The table of each place; behind the last where values stay.
    tables: Vec<u32>,
    elements: Vec<Moves>,
}

/// An element.
#[derive(Debug)]
struct Moves {
    /// The cell that moves to each place.
    from: Vec<u32>,
    /// The place to which each place moves.
    to: Vec<u32>,
    images: Vec<Table>,
}

/// What is known of the images of a state, and buffers.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Whether the state is the current one.
    is_known: bool,
    /// The state.
    state: Vec<i64>,
    /// For each element the places in which its image differs.
    differs: Vec<u64>,
    /// For each element those of them in which its image is less.
    less: Vec<u64>,
    /// The places in which a successor differs.
    changed: Vec<u32>,
    /// The places that are compared again.
    again: Vec<u64>,
}

/// A state and one that follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor<'a, C> {
    pub(super) from: &'a [i64],
    pub(super) state: &'a [i64],
    /// The cells in which they differ are among these.
    pub(super) changed: C,
}

impl Known {
    /// Goes to another state.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.state.capacity() + self.differs.capacity() + self.less.capacity() + self.again.capacity();
        bytes_of::<u64>(words) + bytes_of::<u32>(self.changed.capacity())
    }
}

impl Nearby {
    /// The elements of a group: the cell that moves to each cell, and the images of the values of each table. Nothing if they are too many.
    pub(super) fn new<'e>(
        cells: &[u32],
        tables: &[usize],
        elements: impl ExactSizeIterator<Item = (&'e [u32], &'e [Table])>,
    ) -> Option<Nearby> {
        if elements.len().saturating_mul(cells.len()) > MOST_PLACES {
            return None;
        }
        let mut places = vec![NOWHERE; tables.len()];
        for (place, &cell) in (0u32..).zip(cells) {
            places[cell as usize] = place;
        }
        let moves = |(all, images): (&[u32], &[Table])| {
            let from: Vec<u32> = cells.iter().map(|&cell| all[cell as usize]).collect();
            let mut to = vec![NOWHERE; cells.len()];
            for (place, &from) in (0u32..).zip(&from) {
                to[places[from as usize] as usize] = place;
            }
            assert!(!to.contains(&NOWHERE), "the cells that a group moves change places with one another");
            Moves { from, to, images: images.to_vec() }
        };
        let elements = elements.map(moves).collect();
        let tables = cells.iter().map(|&cell| u32::try_from(tables[cell as usize]).expect("few classes")).collect();
        Some(Nearby { cells: cells.to_vec(), places, tables, elements })
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u32>((2 * self.elements.len() + 2) * self.cells.len() + self.places.len())
    }

    /// The value at a place of the image of a state.
    #[inline]
    fn image(&self, element: &Moves, state: &[i64], place: usize) -> i64 {
        let value = state[element.from[place] as usize];
        match element.images.get(self.tables[place] as usize) {
            Some(table) => table.image(value),
            None => value,
        }
    }

    /// Compares the images of a state, where it differs from the last state of which they were compared.
    #[inline(never)]
    fn learn(&self, state: &[i64], known: &mut Known) {
        let words = self.cells.len().div_ceil(64);
        if known.state.len() != state.len() {
            // All images of the state in which nothing is defined are that state.
            known.state = vec![UNDEFINED; state.len()];
            known.differs = vec![0; words * self.elements.len()];
            known.less = vec![0; words * self.elements.len()];
            known.again = vec![0; words];
        }
        let Known { state: last, differs, less, changed, .. } = known;
        changed.clear();
        for (place, &cell) in (0u32..).zip(&self.cells) {
            if last[cell as usize] != state[cell as usize] {
                changed.push(place);
            }
        }
        last.copy_from_slice(state);
        for (number, element) in self.elements.iter().enumerate() {
            let own = number * words..(number + 1) * words;
            let (differs, less) = (&mut differs[own.clone()], &mut less[own]);
            for &place in &*changed {
                for place in [place as usize, element.to[place as usize] as usize] {
                    let (image, own) = (self.image(element, state, place), state[self.cells[place] as usize]);
                    let (word, bit) = (place / 64, place % 64);
                    differs[word] = differs[word] & !(1 << bit) | u64::from(image != own) << bit;
                    less[word] = less[word] & !(1 << bit) | u64::from(image < own) << bit;
                }
            }
        }
        known.is_known = true;
    }

    /// The element with the least image of a successor, nothing for the identity.
    pub(super) fn least(
        &self,
        successor: Successor<'_, impl Iterator<Item = usize>>,
        known: &mut Known,
        wrong: Wrong,
    ) -> Option<usize> {
        let Successor { from, state, changed } = successor;
        limits::work(self.elements.len() as u64);
        if !known.is_known {
            self.learn(from, known);
        }
        let places = changed.filter(|&cell| from[cell] != state[cell]).map(|cell| self.places[cell]);
        known.changed.clear();
        known.changed.extend(places.filter(|&place| place != NOWHERE));
        debug_assert!(
            (0u32..).zip(&self.cells).all(|(place, &cell)| {
                from[cell as usize] == state[cell as usize] || known.changed.contains(&place)
            }),
            "a successor differs in the cells that are said to change"
        );
        // The least image so far, and the first place in which it is less than the successor.
        let mut least: Option<(usize, usize)> = None;
        for number in 0..self.elements.len() {
            let Some(place) = self.first_less(number, state, known, wrong) else { continue };
            let is_less = least.is_none_or(|(best, first)| {
                place < first || place == first && self.is_less(number, best, state, place)
            });
            if is_less {
                least = Some((number, place));
            }
        }
        least.map(|(number, _)| number)
    }

    /// The first place in which the image of a successor differs from it, if it is less there.
    fn first_less(&self, number: usize, state: &[i64], known: &mut Known, wrong: Wrong) -> Option<usize> {
        let element = &self.elements[number];
        let Known { differs, less, changed, again, .. } = known;
        let own = number * again.len()..(number + 1) * again.len();
        let (differs, less) = (&differs[own.clone()], &less[own]);
        again.fill(0);
        let (mut first, mut is_less) = (usize::MAX, false);
        for &place in &*changed {
            let moved = if wrong.ignores_changes() { place } else { element.to[place as usize] };
            for place in [place as usize, moved as usize] {
                again[place / 64] |= 1 << (place % 64);
                let (image, own) = (self.image(element, state, place), state[self.cells[place] as usize]);
                if image != own && place < first {
                    (first, is_less) = (place, image < own);
                }
            }
        }
        for (word, (&differs, &again)) in differs.iter().zip(&*again).enumerate() {
            let others = differs & !again;
            if others != 0 {
                let bit = others.trailing_zeros();
                let place = 64 * word + bit as usize;
                if place < first {
                    (first, is_less) = (place, less[word] >> bit & 1 == 1);
                }
                break;
            }
        }
        is_less.then_some(first)
    }

    /// Whether the image of a state under one element is less than that under another one; they are the same before a place.
    fn is_less(&self, one: usize, other: usize, state: &[i64], from: usize) -> bool {
        let (one, other) = (&self.elements[one], &self.elements[other]);
        for place in from..self.cells.len() {
            let (one, other) = (self.image(one, state, place), self.image(other, state, place));
            if one != other {
                return one < other;
            }
        }
        false
    }

    /// Visits the cells of the image of a state that differ from it, with their values.
    pub(super) fn differences(&self, element: usize, state: &[i64], mut visit: impl FnMut(usize, i64)) {
        let element = &self.elements[element];
        for (place, &cell) in self.cells.iter().enumerate() {
            let (cell, value) = (cell as usize, self.image(element, state, place));
            if value != state[cell] {
                visit(cell, value);
            }
        }
    }
}
