//! The least image of a successor, found from what is known of the images of the state that it follows.
//!
//! The cells that a group moves are compared in one order; the position of a cell in it is its place. Let `p` be the state, `s` its successor, `C` the
//! places in which they differ, and `g` an element that is not the identity. The first place in which `g(p)` and `p` differ is found once
//! for each `p`. Before all places of `C` and of its images under `g` the two pairs `s` and `p`, `g(s)` and `g(p)` agree, so
//! that `g(s)` and `s` compare there as `g(p)` and `p` do:
//!
//! - Where `g(p)` is greater than `p` at a place before them, `g(s)` is greater than `s`, and `g` is left out without a look at the state.
//! - Otherwise `g(s)` and `s` agree before them, and the comparison begins there.
//!
//! Soundness: exact. The image found is the least one, as [`super::symmetry::Symmetry::least`] finds it from all elements, and so it is a function of
//! the successor alone, whatever the state was. A state that is not the least of its images is compared from the first place on.

use explore::memory::bytes_of;

use super::symmetry::{Table, Wrong};

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
pub(super) struct Moves {
    /// The cell that moves to each place.
    from: Vec<u32>,
    /// The place to which each place moves.
    to: Vec<u32>,
    images: Vec<Table>,
}

/// What is known of the images of a state.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// For each element the first place in which its image is greater; [`NOWHERE`] where it is the same.
    greater: Vec<u32>,
    /// The places in which a successor differs.
    changed: Vec<u32>,
    /// Whether the images were compared, and none is less.
    is_least: Option<bool>,
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
        self.is_least = None;
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
    fn image(&self, element: Option<&Moves>, state: &[i64], place: usize) -> i64 {
        let Some(element) = element else { return state[self.cells[place] as usize] };
        let value = state[element.from[place] as usize];
        element.images.get(self.tables[place] as usize).map_or(value, |table| table.image(value))
    }

    /// The first place from one on in which the images of a state under two elements differ, and whether the first one is less.
    #[inline]
    fn compare(&self, [one, other]: [Option<&Moves>; 2], state: &[i64], from: usize) -> Option<(usize, bool)> {
        (from..self.cells.len()).find_map(|place| {
            let [one, other] = [one, other].map(|element| self.image(element, state, place));
            (one != other).then_some((place, one < other))
        })
    }

    /// Compares the images of a state.
    #[inline(never)]
    fn learn(&self, state: &[i64], known: &mut Known) -> bool {
        known.greater.clear();
        let mut is_least = true;
        for element in &self.elements {
            let found = self.compare([Some(element), None], state, 0);
            is_least &= found.is_none_or(|(_, is_less)| !is_less);
            known.greater.push(found.map_or(NOWHERE, |(place, _)| narrow(place)));
        }
        is_least
    }

    /// The element with the least image of a successor, nothing for the identity.
    pub(super) fn least(
        &self,
        successor: Successor<'_, impl Iterator<Item = usize>>,
        known: &mut Known,
        wrong: Wrong,
    ) -> Option<usize> {
        let Successor { from, state, changed } = successor;
        let is_least = match known.is_least {
            Some(is_least) => is_least,
            None => self.learn(from, known),
        };
        known.is_least = Some(is_least);
        let Known { greater, changed: places, .. } = known;
        places.clear();
        places.extend(changed.filter(|&cell| from[cell] != state[cell]).map(|cell| self.places[cell]));
        places.retain(|&place| place != NOWHERE);
        let own = places.iter().copied().min().unwrap_or(NOWHERE);
        // The least image so far, and the first place in which it differs from the successor.
        let (mut least, mut differs) = (None, NOWHERE);
        for (number, (element, &greater)) in self.elements.iter().zip(&*greater).enumerate() {
            let mut from = 0;
            if is_least {
                from = places.iter().fold(own, |first, &place| first.min(element.to[place as usize]));
                if greater < from || wrong.ignores_changes() && greater < NOWHERE {
                    continue;
                }
            }
            // Before `from` the image is the successor, so that the least one so far is less if it differs there.
            if differs < from {
                continue;
            }
            let best = least.map(|number: usize| &self.elements[number]);
            let from = (from as usize).min(self.cells.len());
            if let Some((place, true)) = self.compare([Some(element), best], state, from) {
                differs = differs.min(narrow(place));
                least = Some(number);
            }
        }
        least
    }

    /// Visits the cells of the image of a state that differ from it, with their values.
    pub(super) fn differences(&self, element: usize, state: &[i64], mut visit: impl FnMut(usize, i64)) {
        let element = &self.elements[element];
        for (place, &cell) in self.cells.iter().enumerate() {
            let (cell, value) = (cell as usize, self.image(Some(element), state, place));
            if value != state[cell] {
                visit(cell, value);
            }
        }
    }
}

fn narrow(place: usize) -> u32 {
    u32::try_from(place).expect("places are few")
}
