//! The literals of one state that name objects, and the refinement of colours of objects by them.
//!
//! Objects begin with the colour of their sort. In each round an object takes a new colour from its old one, the literals that name it,
//! its role in each, and the colours of the other objects that these name. It ends when no colour is split any more.
//!
//! Soundness: a permutation of objects that takes one state to another takes the colours of the one to those of the other, whatever the
//! hash; objects with one colour may differ all the same.
//!
//! Complexity: the names of the literals of the state, for each round.
//!
//! Source: colour refinement, as in \[Lin04\], on the structure of a state.

use std::ops::Range;

use super::literals::{Literals, Place};
use super::sorts::{NONE, Sorts, exchanged};
use crate::quotient::mixed;

/// The literals of a state, without those of value 0 in slots where such literals go to such literals.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure {
    /// The places, and their literals.
    pub(super) items: Vec<(Place, u32)>,
    /// By object: its first item in `by_object`.
    firsts: Vec<u32>,
    by_object: Vec<u32>,
    /// By object: the sum over the items that name nothing else.
    alone: Vec<u64>,
    /// Items that name several objects.
    several: Vec<u32>,
    sums: Vec<u64>,
    sorted: Vec<u64>,
}

/// Objects of one sort with one colour, as places in an order.
pub(super) type Cell = Range<usize>;

/// The hash of an object's role in a literal with its value.
fn of_role(role: u32, value: u32) -> u64 {
    mixed(u64::from(role) << 32 | u64::from(value) ^ 0x5851_f42d)
}

impl Structure {
    /// Reads a state; the slots of `always` count with the value 0 too.
    pub(super) fn read(&mut self, literals: &Literals, sorts: &Sorts, always: &[u32], state: &[u64]) {
        let Structure { items, firsts, by_object, alone, several, .. } = self;
        items.clear();
        several.clear();
        literals.each_nonzero(state, |place| items.push((place, literals.literal(place))));
        let zero = always.iter().map(|&slot| Place { slot, value: literals.get(state, slot) });
        items.extend(zero.filter(|place| place.value == 0).map(|place| (place, literals.literal(place))));
        let objects = sorts.objects();
        firsts.clear();
        firsts.resize(objects + 1, 0);
        alone.clear();
        alone.resize(objects, 0);
        let mut count = 0;
        for (number, &(place, literal)) in (0..).zip(&*items) {
            let names = sorts.names_at(literal as usize);
            names.iter().for_each(|name| firsts[name.object as usize] += 1);
            count += names.len();
            // The value is that of the literal, or of a slot that is one literal.
            let value = if literals.is_wide(place.slot) { place.value } else { NONE };
            match names {
                [] => {}
                &[name] => {
                    let sum = &mut alone[name.object as usize];
                    *sum = sum.wrapping_add(of_role(name.role, value));
                }
                _ => several.push(number),
            }
        }
        let mut end = 0;
        for first in firsts.iter_mut() {
            end += *first;
            *first = end;
        }
        by_object.clear();
        by_object.resize(count, 0);
        for (number, &(_, literal)) in (0..).zip(&*items) {
            for name in sorts.names_at(literal as usize) {
                let first = &mut firsts[name.object as usize];
                *first -= 1;
                by_object[*first as usize] = number;
            }
        }
        debug_assert!(
            firsts[objects] as usize == count && firsts.is_sorted(),
            "the items of objects follow each other"
        );
        limits::work((items.len() + count + objects) as u64);
    }

    /// The items that name an object.
    fn items_of(&self, object: u32) -> &[u32] {
        &self.by_object[self.firsts[object as usize] as usize..self.firsts[object as usize + 1] as usize]
    }

    /// The colours of objects by the literals that name them.
    pub(super) fn first_colours(
        &mut self,
        literals: &Literals,
        sorts: &Sorts,
        colours: &mut Vec<u64>,
        is_coarse: bool,
    ) {
        colours.clear();
        for (number, sort) in (1..).zip(sorts.starts.windows(2)) {
            let own = (sort[0]..sort[1]).map(|object| mixed(mixed(number) ^ self.alone[object as usize]));
            colours.extend(own);
        }
        self.refine(literals, sorts, colours, is_coarse);
    }

    /// Splits colours until each object with a colour is named in the same ways by literals with the same colours.
    pub(super) fn refine(&mut self, literals: &Literals, sorts: &Sorts, colours: &mut [u64], is_coarse: bool) {
        // Colours of one bit: known to be weak, not wrong.
        let coarse = |colours: &mut [u64]| {
            if is_coarse {
                colours.iter_mut().for_each(|colour| *colour &= 1);
            }
        };
        coarse(colours);
        if self.several.is_empty() {
            return;
        }
        let mut count = self.distinct(colours);
        while count < colours.len() {
            let Structure { items, several, sums, .. } = self;
            sums.clear();
            sums.resize(colours.len(), 0);
            limits::work((2 * several.len() + colours.len()) as u64);
            for &number in &*several {
                let (place, literal) = items[number as usize];
                let value = if literals.is_wide(place.slot) { place.value } else { NONE };
                let names = sorts.names_at(literal as usize);
                let one = |name: &super::sorts::Name| mixed(colours[name.object as usize] ^ of_role(name.role, value));
                let all = names.iter().map(one).fold(0, u64::wrapping_add);
                for name in names {
                    let sum = &mut sums[name.object as usize];
                    *sum = sum.wrapping_add(mixed(all ^ u64::from(name.role)));
                }
            }
            for (colour, &sum) in colours.iter_mut().zip(&*sums) {
                *colour = mixed(*colour ^ mixed(sum));
            }
            coarse(colours);
            let after = self.distinct(colours);
            if after <= count {
                break;
            }
            count = after;
        }
    }

    /// The number of colours.
    fn distinct(&mut self, colours: &[u64]) -> usize {
        self.sorted.clear();
        self.sorted.extend_from_slice(colours);
        self.sorted.sort_unstable();
        self.sorted.chunk_by(|a, b| a == b).count()
    }

    /// Whether exchanging two objects of a sort keeps the state that was read: each literal that names the one goes to a literal of
    /// the state, and as many name the other.
    pub(super) fn are_twins(&self, literals: &Literals, sorts: &Sorts, state: &[u64], [a, b]: [u32; 2]) -> bool {
        let (own, others) = (self.items_of(a), self.items_of(b));
        limits::work(1 + own.len() as u64);
        own.len() == others.len()
            && own.iter().all(|&number| {
                let (place, literal) = self.items[number as usize];
                let image = sorts.image(literal, |object| exchanged(object, a, b));
                let Place { slot, value } = literals.place(image, place);
                literals.get(state, slot) == value
            })
    }
}
