//! The representatives of packed states under a small group: all images are compared by sums that change with each changed literal.
//!
//! The sum of an image is that of the hashes of its literals. The sums of all images of a state stand side by side; a state that differs
//! from another one in a few literals has its sums after one subtraction and one addition per literal and element. The image of the least
//! sum is the representative; among images of the same sum it is the least one, word by word. Only these images are written, each as the
//! image of the state before with the bits of the changed literals exchanged.
//!
//! Invariants: `sums[e]` of a state is the sum over its slots of the hash of the image of the literal under element `e`; rows hold the
//! difference to the hash of the image of the literal 0 of the slot, so that literals 0 cost nothing. Likewise the image of a state under
//! `e` is that of the state of all values 0 with the bits of its literals exchanged, each in the word to which `e` takes the slot.
//!
//! Soundness: the set of images of a state, and with it the least of them by sum and by words, is the same for all states of an orbit,
//! whatever the hash. The elements that give it are as many as the stabiliser has.
//!
//! Complexity: the order of the group for each changed literal, and one image for each element of the least sum.
//!
//! Source: \[Jag10\] 5.1.1, naive; sums of hashes of what is at each place are those of Zobrist.

use engine::Permutation;

use super::Sampling;
use super::literals::{Literals, Place};
use crate::memory::Footprint;
use crate::quotient::mixed;

/// The most entries of all rows together, of 12 bytes each. There are no more targets, of 8 bytes each, as a slot has a literal.
const MOST_ENTRIES: usize = 1 << 22;

/// No row yet.
const UNKNOWN: u32 = u32::MAX;

/// The row of values 0.
const ZERO: u32 = 0;

mutants::mutants! {
    /// Images that are known to be chosen wrongly.
    pub(super) struct Wrong {
        /// Takes the first image of the least sum.
        takes_the_first,
        /// Adds new literals without subtracting the old ones.
        keeps_old_literals,
        /// Writes the bits of new literals over those of the old ones.
        keeps_old_bits,
        /// Hashes have two bits. This alone is not wrong.
        has_few_hashes,
    }
}

/// A place with the row of its literal, which is [`UNKNOWN`] for a slot that is one literal: a row for each of its values would be too many.
#[derive(Clone, Copy, Debug)]
struct PlaceRow {
    slot: u32,
    value: u32,
    row: u32,
}

/// The place to which an element takes the bits of a slot.
#[derive(Clone, Copy, Debug)]
struct Target {
    word: u32,
    shift: u32,
}

/// A state with the sums of its images.
#[derive(Clone, Debug, Default)]
struct Known {
    state: Vec<u64>,
    /// The places whose values are not 0.
    nonzero: Vec<PlaceRow>,
    sums: Vec<u64>,
    /// By element: the image, if it was computed.
    images: Vec<u64>,
    has_image: Vec<bool>,
}

/// All elements of a group.
#[derive(Clone, Debug)]
pub(super) struct Small {
    elements: Vec<Permutation>,
    /// The number of the identity.
    identity: usize,
    /// At `slot * order + element`.
    targets: Vec<Target>,
    /// By literal: its row.
    rows: Vec<u32>,
    /// A row has one entry for each element.
    entries: Vec<u64>,
    /// For each entry: the bits in which the value of the image of the literal differs from that of the literal 0 of its slot.
    bits: Vec<u32>,
    /// The state of all values 0.
    zero: Known,
    /// The state whose successors are represented.
    parent: Known,
    sums: Vec<u64>,
    /// The slots that differ from the parent, as they are in it and as they are now.
    changes: Vec<(PlaceRow, PlaceRow)>,
    image: Vec<u64>,
    least: Vec<u64>,
    sampling: Sampling,
    pub(super) wrong: Wrong,
}

/// The hash of a literal with its value.
fn hash(literals: &Literals, Place { slot, value }: Place, wrong: Wrong) -> u64 {
    let literal = mixed(u64::from(literals.literal(Place { slot, value })) + 1);
    let hash = if literals.is_wide(slot) { mixed(literal ^ u64::from(value)) } else { literal };
    if wrong.has_few_hashes() { hash & 1 } else { hash }
}

/// The difference of the hash of an image to that of the image of the value 0.
fn entry(literals: &Literals, element: &Permutation, place: Place, wrong: Wrong) -> u64 {
    let hash = |place: Place| hash(literals, literals.image(element, place), wrong);
    hash(place).wrapping_sub(hash(Place { slot: place.slot, value: 0 }))
}

impl Small {
    /// The images under these elements, all of a group; nothing if their tables would be too large.
    pub(super) fn new(literals: &Literals, elements: Vec<Permutation>, wrong: Wrong) -> Option<Small> {
        if elements.len().saturating_mul(literals.len()) > MOST_ENTRIES {
            return None;
        }
        let count = elements.len();
        limits::work((count * literals.count_slots()) as u64);
        let stride = literals.layout().stride();
        let identity = elements.iter().position(Permutation::is_identity).expect("all elements of a group");
        let mut small = Small {
            identity,
            targets: Vec::with_capacity(count * literals.count_slots()),
            rows: vec![UNKNOWN; literals.len()],
            entries: vec![0; count],
            bits: vec![0; count],
            zero: Known::default(),
            parent: Known::default(),
            sums: Vec::new(),
            changes: Vec::new(),
            image: Vec::new(),
            least: Vec::new(),
            sampling: Sampling::default(),
            wrong,
            elements,
        };
        small.zero.state.resize(stride, 0);
        small.zero.sums.resize(count, 0);
        small.zero.images.resize(count * stride, 0);
        small.zero.has_image.resize(count, true);
        for slot in (0..).take(literals.count_slots()) {
            let none = Place { slot, value: 0 };
            if !literals.is_wide(slot) {
                small.rows[literals.literal(none) as usize] = ZERO;
            }
            for (number, element) in small.elements.iter().enumerate() {
                let image = literals.image(element, none);
                literals.set(&mut small.zero.images[number * stride..], image);
                small.zero.sums[number] = small.zero.sums[number].wrapping_add(hash(literals, image, wrong));
                let field = literals.layout().place(image.slot as usize);
                small.targets.push(Target { word: field.word, shift: field.shift });
            }
        }
        small.parent = small.zero.clone();
        Some(small)
    }

    /// The number of elements.
    pub(super) fn order(&self) -> usize {
        self.elements.len()
    }

    /// The state whose successors are represented next.
    pub(super) fn begin(&mut self, literals: &Literals, state: &[u64]) {
        debug_assert_eq!(state.len(), self.zero.state.len(), "all states have as many words");
        let mut parent = std::mem::take(&mut self.parent);
        parent.state.clear();
        parent.state.extend_from_slice(state);
        parent.sums.clear();
        parent.sums.extend_from_slice(&self.zero.sums);
        parent.nonzero.clear();
        literals.each_nonzero(state, |place| {
            let place = self.add(literals, place, &mut parent.sums);
            parent.nonzero.push(place);
        });
        limits::work(((1 + parent.nonzero.len()) * self.elements.len()) as u64);
        parent.has_image.fill(false);
        self.parent = parent;
    }

    /// Replaces a state by its representative; returns the order of its stabiliser.
    pub(super) fn canonical(&mut self, literals: &Literals, state: &mut [u64]) -> u128 {
        // All images of the state of all values 0 are known, so that none is made from itself.
        std::mem::swap(&mut self.parent, &mut self.zero);
        let stabiliser = self.successor(literals, state);
        std::mem::swap(&mut self.parent, &mut self.zero);
        stabiliser
    }

    /// As [`Small::canonical`], for a state that differs little from the one that was begun with.
    pub(super) fn successor(&mut self, literals: &Literals, state: &mut [u64]) -> u128 {
        let count = self.elements.len();
        let parent = std::mem::take(&mut self.parent);
        let (mut sums, mut changes) = (std::mem::take(&mut self.sums), std::mem::take(&mut self.changes));
        sums.clear();
        sums.extend_from_slice(&parent.sums);
        changes.clear();
        literals.each_difference(&parent.state, state, |slot| {
            let before = Place { slot, value: literals.get(&parent.state, slot) };
            let now = Place { slot, value: literals.get(state, slot) };
            let before = match self.wrong.keeps_old_literals() {
                true => self.placed(literals, before),
                false => self.subtract(literals, before, &mut sums),
            };
            changes.push((before, self.add(literals, now, &mut sums)));
        });
        limits::work(((1 + changes.len()) * count) as u64);
        (self.parent, self.sums, self.changes) = (parent, sums, changes);
        let best = self.sums.iter().copied().min().expect("the identity");
        let (mut stabiliser, mut image) = (0u64, std::mem::take(&mut self.image));
        let is_checked = self.sampling.is_next() && !self.wrong.keeps_old_bits();
        for element in 0..count {
            if self.sums[element] != best || stabiliser > 0 && self.wrong.takes_the_first() {
                continue;
            }
            self.write(element, state, &mut image);
            if is_checked {
                assert!(self.is_image(literals, element, state, &image), "the image is the one under the element");
            }
            let order = if stabiliser == 0 { std::cmp::Ordering::Less } else { image.cmp(&self.least) };
            match order {
                std::cmp::Ordering::Less => {
                    stabiliser = 1;
                    std::mem::swap(&mut image, &mut self.least);
                }
                std::cmp::Ordering::Equal => stabiliser += 1,
                std::cmp::Ordering::Greater => {}
            }
        }
        self.image = image;
        assert!((count as u64).is_multiple_of(stabiliser), "the order of a stabiliser divides that of the group");
        state.copy_from_slice(&self.least);
        u128::from(stabiliser)
    }

    /// Writes the image of a state that differs from the parent in the changes.
    fn write(&mut self, element: usize, state: &[u64], image: &mut Vec<u64>) {
        image.clear();
        if element == self.identity {
            image.extend_from_slice(state);
            return;
        }
        let stride = state.len();
        let own = element * stride..(element + 1) * stride;
        if !self.parent.has_image[element] {
            let mut parent = std::mem::take(&mut self.parent);
            parent.images[own.clone()].copy_from_slice(&self.zero.images[own.clone()]);
            parent.nonzero.iter().for_each(|&place| self.exchange(element, place, &mut parent.images[own.clone()]));
            parent.has_image[element] = true;
            self.parent = parent;
        }
        image.extend_from_slice(&self.parent.images[own]);
        for &(before, now) in &self.changes {
            if !self.wrong.keeps_old_bits() {
                self.exchange(element, before, image);
            }
            self.exchange(element, now, image);
        }
    }

    /// Exchanges in the image of a state the bits of the value 0 of a slot for those of its value here, or back.
    #[inline]
    fn exchange(&self, element: usize, PlaceRow { slot, value, row }: PlaceRow, image: &mut [u64]) {
        let Target { word, shift } = self.targets[slot as usize * self.elements.len() + element];
        let bits = if row == UNKNOWN { value } else { self.bits[row as usize + element] };
        image[word as usize] ^= u64::from(bits) << shift;
    }

    /// Whether a state is the image of another one, slot by slot.
    fn is_image(&self, literals: &Literals, element: usize, state: &[u64], image: &[u64]) -> bool {
        (0..).take(literals.count_slots()).all(|slot| {
            let place = literals.image(&self.elements[element], Place { slot, value: literals.get(state, slot) });
            literals.get(image, place.slot) == place.value
        })
    }

    /// Adds the row of a place.
    #[inline]
    fn add(&mut self, literals: &Literals, place: Place, sums: &mut [u64]) -> PlaceRow {
        self.with_row(literals, place, sums, u64::wrapping_add)
    }

    /// Subtracts the row of a place.
    #[inline]
    fn subtract(&mut self, literals: &Literals, place: Place, sums: &mut [u64]) -> PlaceRow {
        self.with_row(literals, place, sums, u64::wrapping_sub)
    }

    /// Changes the sums by the row of a place.
    #[inline]
    fn with_row(
        &mut self,
        literals: &Literals,
        place: Place,
        sums: &mut [u64],
        change: impl Fn(u64, u64) -> u64,
    ) -> PlaceRow {
        if place.value == 0 {
            return PlaceRow { slot: place.slot, value: 0, row: ZERO };
        }
        let known = self.placed(literals, place);
        if known.row == UNKNOWN {
            for (sum, element) in sums.iter_mut().zip(&self.elements) {
                *sum = change(*sum, entry(literals, element, place, self.wrong));
            }
            return known;
        }
        for (sum, entry) in sums.iter_mut().zip(&self.entries[known.row as usize..]) {
            *sum = change(*sum, *entry);
        }
        known
    }

    /// A place with its row.
    #[inline]
    fn placed(&mut self, literals: &Literals, place: Place) -> PlaceRow {
        let Place { slot, value } = place;
        let row = match self.rows[literals.literal(place) as usize] {
            UNKNOWN if !literals.is_wide(slot) => self.new_row(literals, place),
            row => row,
        };
        PlaceRow { slot, value, row }
    }

    #[cold]
    fn new_row(&mut self, literals: &Literals, place: Place) -> u32 {
        let first = u32::try_from(self.entries.len()).expect("a bounded table");
        limits::work(self.elements.len() as u64);
        let value = |element, place| literals.image(element, place).value;
        for element in &self.elements {
            self.bits.push(value(element, place) ^ value(element, Place { slot: place.slot, value: 0 }));
            self.entries.push(entry(literals, element, place, self.wrong));
        }
        self.rows[literals.literal(place) as usize] = first;
        first
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.rows);
        footprint.add_vec(&self.entries);
        footprint.add_vec(&self.bits);
        footprint.add_vec(&self.parent.nonzero);
        footprint.add_vec(&self.targets);
        footprint.add_vec(&self.zero.images);
        footprint.add_vec(&self.parent.images);
        footprint
    }
}
