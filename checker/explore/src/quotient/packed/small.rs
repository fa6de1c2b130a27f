//! The representatives of packed states under a small group: all images are compared by sums that change with each changed literal.
//!
//! The sum of an image is that of the hashes of its literals. The sums of all images of a state stand side by side; a state that differs
//! from another one in a few literals has its sums after one subtraction and one addition per literal and element. The image of the least
//! sum is the representative; among images of the same sum it is the least one, word by word. Only these images are written, each as the
//! image of the state before with the changed literals.
//!
//! Invariants: `sums[e]` of a state is the sum over its slots of the hash of the image of the literal under element `e`; rows hold the
//! difference to the hash of the image of the literal 0 of the slot, so that literals 0 cost nothing.
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

/// The most entries of all rows together.
const MOST_ENTRIES: usize = 1 << 22;

/// No row yet.
const UNKNOWN: u32 = u32::MAX;

mutants::mutants! {
    /// Images that are known to be chosen wrongly.
    pub(super) struct Wrong {
        /// Takes the first image of the least sum.
        takes_the_first,
        /// Adds new literals without subtracting the old ones.
        keeps_old_literals,
        /// Hashes have two bits. This alone is not wrong.
        has_few_hashes,
    }
}

/// A state with the sums of its images.
#[derive(Clone, Debug, Default)]
struct Known {
    state: Vec<u64>,
    sums: Vec<u64>,
    /// By element: the image, if it was computed.
    images: Vec<u64>,
    has_image: Vec<bool>,
}

/// All elements of a group.
#[derive(Clone, Debug)]
pub(super) struct Small {
    elements: Vec<Permutation>,
    /// By literal: its row.
    rows: Vec<u32>,
    /// A row has one entry for each element.
    entries: Vec<u64>,
    /// The state of all values 0.
    zero: Known,
    /// The state whose successors are represented.
    parent: Known,
    sums: Vec<u64>,
    changes: Vec<Place>,
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

impl Small {
    /// The images under these elements, all of a group; nothing if their tables would be too large.
    pub(super) fn new(literals: &Literals, elements: Vec<Permutation>, wrong: Wrong) -> Option<Small> {
        if elements.len().saturating_mul(literals.len()) > MOST_ENTRIES {
            return None;
        }
        let count = elements.len();
        limits::work((count * literals.count_slots()) as u64);
        let stride = literals.layout().stride();
        let mut small = Small {
            rows: vec![UNKNOWN; literals.len()],
            entries: Vec::new(),
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
        for (element, sum) in small.elements.iter().zip(&mut small.zero.sums) {
            let mut image = vec![0; stride];
            for slot in (0..).take(literals.count_slots()) {
                let place = literals.image(element, Place { slot, value: 0 });
                literals.set(&mut image, place);
                *sum = sum.wrapping_add(hash(literals, place, wrong));
            }
            small.zero.images.extend(image);
        }
        small.zero.has_image.resize(count, true);
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
        literals.each_nonzero(state, |place| self.add(literals, place, &mut parent.sums));
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
            let place = Place { slot, value: literals.get(state, slot) };
            let before = Place { slot, value: literals.get(&parent.state, slot) };
            if before.value != 0 && !self.wrong.keeps_old_literals() {
                self.subtract(literals, before, &mut sums);
            }
            if place.value != 0 {
                self.add(literals, place, &mut sums);
            }
            changes.push(place);
        });
        limits::work(((1 + changes.len()) * count) as u64);
        (self.parent, self.sums, self.changes) = (parent, sums, changes);
        let best = self.sums.iter().copied().min().expect("the identity");
        let (mut stabiliser, mut image) = (0u64, std::mem::take(&mut self.image));
        let is_checked = self.sampling.is_next();
        for element in 0..count {
            if self.sums[element] != best || stabiliser > 0 && self.wrong.takes_the_first() {
                continue;
            }
            self.write(literals, element, &mut image);
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

    /// Writes the image of the parent with the changes.
    fn write(&mut self, literals: &Literals, element: usize, image: &mut Vec<u64>) {
        let Small { parent, elements, zero, changes, .. } = self;
        let stride = literals.layout().stride();
        let own = &mut parent.images[element * stride..(element + 1) * stride];
        let by = &elements[element];
        if !std::mem::replace(&mut parent.has_image[element], true) {
            own.copy_from_slice(&zero.images[element * stride..(element + 1) * stride]);
            literals.each_nonzero(&parent.state, |place| literals.set(own, literals.image(by, place)));
        }
        image.clear();
        image.extend_from_slice(own);
        for &place in &*changes {
            literals.set(image, literals.image(by, place));
        }
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
    fn add(&mut self, literals: &Literals, place: Place, sums: &mut [u64]) {
        let first = self.row(literals, place);
        for (sum, entry) in sums.iter_mut().zip(&self.entries[first..]) {
            *sum = sum.wrapping_add(*entry);
        }
        self.forget(literals, place, first);
    }

    /// Subtracts the row of a place.
    #[inline]
    fn subtract(&mut self, literals: &Literals, place: Place, sums: &mut [u64]) {
        let first = self.row(literals, place);
        for (sum, entry) in sums.iter_mut().zip(&self.entries[first..]) {
            *sum = sum.wrapping_sub(*entry);
        }
        self.forget(literals, place, first);
    }

    /// The first entry of the row of a place.
    #[inline]
    fn row(&mut self, literals: &Literals, place: Place) -> usize {
        match self.rows[literals.literal(place) as usize] {
            UNKNOWN => self.new_row(literals, place),
            row => row as usize,
        }
    }

    /// Drops the row of a slot that is one literal: there would be one for each of its many values.
    #[inline]
    fn forget(&mut self, literals: &Literals, place: Place, first: usize) {
        if literals.is_wide(place.slot) {
            self.entries.truncate(first);
        }
    }

    #[cold]
    fn new_row(&mut self, literals: &Literals, place: Place) -> usize {
        let first = self.entries.len();
        let Small { elements, entries, wrong, .. } = self;
        let hash = |element: &Permutation, place: Place| hash(literals, literals.image(element, place), *wrong);
        let none = Place { slot: place.slot, value: 0 };
        entries.extend(elements.iter().map(|by| hash(by, place).wrapping_sub(hash(by, none))));
        if !literals.is_wide(place.slot) {
            self.rows[literals.literal(place) as usize] = u32::try_from(first).expect("a bounded table");
        }
        first
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.rows);
        footprint.add_vec(&self.entries);
        footprint.add_vec(&self.zero.images);
        footprint.add_vec(&self.parent.images);
        footprint
    }
}
