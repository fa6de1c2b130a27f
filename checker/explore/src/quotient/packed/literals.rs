//! The literals of packed states: pairs of a slot and one of its values, by number.
//!
//! A slot whose sort is too large to be permuted by value is one literal, whatever its value, which then stays. States are read by the
//! fields that are not 0, or by the fields that differ from another state.
//!
//! Invariants: the literals of a slot follow each other in the order of their values; an element of a group takes the literals of a slot
//! to those of one slot; so the slot of an image depends on the slot alone.

use engine::Permutation;

use crate::memory::Footprint;
use crate::states::Layout;

/// A slot and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) slot: u32,
    pub(super) value: u32,
}

/// The literals of the states of one layout.
#[derive(Clone, Debug)]
pub(in crate::quotient) struct Literals {
    layout: Layout,
    /// The first literal of each slot.
    starts: Vec<u32>,
    /// Whether a slot is one literal.
    wide: Vec<bool>,
    /// By literal: its slot.
    slots: Vec<u32>,
    /// The slot of each bit of a state, where the bit belongs to one.
    by_bit: Vec<u32>,
}

impl Literals {
    /// The literals of a layout, given the first one of each slot, their number, and the slots that are one literal each.
    pub(in crate::quotient) fn new(layout: Layout, starts: Vec<u32>, count: usize, wide: Vec<bool>) -> Literals {
        assert!(starts.len() == layout.len() && wide.len() == layout.len(), "each slot has its literals");
        let mut slots = Vec::with_capacity(count);
        let mut by_bit = vec![u32::MAX; layout.stride() * u64::BITS as usize];
        for (number, slot) in (0u32..).zip(0..layout.len()) {
            let end = starts.get(slot + 1).map_or(count, |&start| start as usize);
            let values = end - slots.len();
            slots.resize(end, number);
            let place = layout.place(slot);
            assert!(values as u64 - 1 <= place.mask, "each literal of a slot has a value that fits");
            let first = place.word as usize * u64::BITS as usize + place.shift as usize;
            by_bit[first..first + place.mask.count_ones() as usize].fill(number);
        }
        assert_eq!(slots.len(), count, "the literals of a slot follow each other");
        Literals { layout, starts, wide, slots, by_bit }
    }

    /// The layout of the states.
    pub(in crate::quotient) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of literals.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The number of slots.
    pub(super) fn count_slots(&self) -> usize {
        self.starts.len()
    }

    /// The first literal of a slot.
    pub(super) fn start(&self, slot: u32) -> u32 {
        self.starts[slot as usize]
    }

    /// The slot of a literal.
    pub(super) fn slot_of(&self, literal: u32) -> u32 {
        self.slots[literal as usize]
    }

    /// Whether a slot is one literal.
    #[inline]
    pub(super) fn is_wide(&self, slot: u32) -> bool {
        self.wide[slot as usize]
    }

    /// The literal of a slot with a value.
    #[inline]
    pub(super) fn literal(&self, Place { slot, value }: Place) -> u32 {
        let literal = self.starts[slot as usize] + if self.wide[slot as usize] { 0 } else { value };
        debug_assert_eq!(self.slots[literal as usize], slot, "a literal is of its slot");
        literal
    }

    /// The place of a literal; the value of a slot that is one literal is that of `from`.
    #[inline]
    pub(super) fn place(&self, literal: u32, from: Place) -> Place {
        let slot = self.slots[literal as usize];
        let value = if self.wide[slot as usize] { from.value } else { literal - self.starts[slot as usize] };
        Place { slot, value }
    }

    /// The image of a place.
    #[inline]
    pub(super) fn image(&self, element: &Permutation, place: Place) -> Place {
        self.place(element.image(self.literal(place)), place)
    }

    /// The value of a slot.
    #[inline]
    pub(super) fn get(&self, state: &[u64], slot: u32) -> u32 {
        self.layout.get(state, slot as usize)
    }

    /// Sets the value of a place.
    #[inline]
    pub(super) fn set(&self, state: &mut [u64], place: Place) {
        self.layout.set(state, place.slot as usize, place.value);
    }

    /// Visits the places whose value is not 0.
    #[inline]
    pub(super) fn each_nonzero(&self, state: &[u64], mut visit: impl FnMut(Place)) {
        for (at, &word) in state.iter().enumerate() {
            self.each_in(at, word, |slot| visit(Place { slot, value: self.get(state, slot) }));
        }
    }

    /// Visits the slots at which two states differ.
    #[inline]
    pub(super) fn each_difference(&self, from: &[u64], to: &[u64], mut visit: impl FnMut(u32)) {
        for (at, (from, to)) in from.iter().zip(to).enumerate() {
            self.each_in(at, from ^ to, &mut visit);
        }
    }

    /// Visits the slots with some of these bits of a word.
    #[inline]
    fn each_in(&self, at: usize, mut bits: u64, mut visit: impl FnMut(u32)) {
        while bits != 0 {
            let slot = self.by_bit[at * u64::BITS as usize + bits.trailing_zeros() as usize];
            let place = self.layout.place(slot as usize);
            bits &= !(place.mask << place.shift);
            visit(slot);
        }
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.starts);
        footprint.add_vec(&self.slots);
        footprint.add_vec(&self.by_bit);
        footprint
    }
}
