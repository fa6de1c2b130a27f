//! Representatives by sorting, for groups that permute blocks of slots in all ways.
//!
//! The group is a product of symmetric factors. A factor has blocks of slots, all alike, and for each block but the first the element
//! that exchanges it with the first one and keeps the others. A value is *plain* if the elements that keep its block in place keep
//! it too, those of the other factors among them; a value of a slot that is in no block, if every element keeps it. In a state of
//! plain values each block is moved as a whole, so the blocks of each factor are sorted, each written as it would be in the first
//! place. A state with other values (one component names another) is left to the search along the chain.
//!
//! Invariants: the exchanging elements of a factor take the slots of a block to those of the first block in order, and move no other
//! slots; whatever element takes a block to another therefore takes its slots there in order.
//!
//! Soundness: whether all values are plain is the same for all states of an orbit, as are the sorted lists: `canonical(g s) =
//! canonical(s)`. A permutation of blocks keeps a state of plain values if and only if it permutes equal blocks.
//!
//! Complexity: one look-up a slot, and sorting.
//!
//! Source: \[Jag10\] 5.1.1, sorting; \[Ios02\] 4 has the condition that components do not refer to each other.

use super::by_value::{ByValue, UNKNOWN};
use super::images::{Images, entry};
use super::search::Action;
use crate::memory::{Footprint, Full};

/// The value is not plain.
const NAMES: u32 = UNKNOWN - 1;

/// A symmetric factor.
#[derive(Clone, Debug)]
struct Factor {
    /// The slots of each block.
    blocks: Vec<Vec<usize>>,
    /// For each block but the first: the element that exchanges it with the first.
    swaps: Vec<usize>,
}

/// The factors of a group.
#[derive(Clone, Debug)]
pub(super) struct Sorting {
    factors: Vec<Factor>,
    /// By slot: factor, block and place in the block.
    places: Vec<Option<(usize, usize, usize)>>,
    /// By slot and value: the value in the first block, or [`NAMES`].
    keys: Vec<ByValue>,
    current: Vec<u32>,
    /// By factor, one after the other: the blocks in order.
    order: Vec<u32>,
    /// Known to be wrong: takes every value for a plain one.
    #[cfg(test)]
    pub(super) is_blind: bool,
}

impl Sorting {
    /// The factors whose exchanging elements are given, if they permute blocks of slots.
    pub(super) fn new(swaps: &[Vec<usize>], slots: usize, target: &impl Fn(usize, usize) -> usize) -> Option<Sorting> {
        let mut places = vec![None; slots];
        let mut factors = Vec::with_capacity(swaps.len());
        for (number, swaps) in swaps.iter().enumerate() {
            let blocks = blocks(swaps, slots, target)?;
            for (block, slots) in blocks.iter().enumerate() {
                for (place, &slot) in slots.iter().enumerate() {
                    // A slot of two blocks is moved by something else too.
                    if places[slot].replace((number, block, place)).is_some() {
                        return None;
                    }
                }
            }
            factors.push(Factor { blocks, swaps: swaps.clone() });
        }
        Some(Sorting {
            factors,
            places,
            keys: Vec::new(),
            current: Vec::new(),
            order: Vec::new(),
            #[cfg(test)]
            is_blind: false,
        })
    }

    /// Makes a state of plain values its representative; the order of its stabiliser. Nothing for another state.
    ///
    /// # Errors
    /// No room: the state is then unchanged.
    pub(super) fn canonical<A: Action>(
        &mut self,
        action: &mut A,
        images: &mut Images,
        state: &mut [u32],
    ) -> Result<Option<u128>, Full> {
        self.current.clear();
        for (slot, &value) in state.iter().enumerate() {
            let known = self.keys.get(slot).map(|keys| keys.get(value));
            let key = match known {
                Some(key) if key != UNKNOWN => key,
                _ => self.first_key(action, images, (slot, value))?,
            };
            if key == NAMES {
                return Ok(None);
            }
            self.current.push(key);
        }
        let Sorting { factors, current, order, .. } = self;
        let mut stabiliser = 1u128;
        order.clear();
        for factor in factors {
            let key = |block: u32| factor.blocks[block as usize].iter().map(|&slot| current[slot]);
            let first = order.len();
            order.extend(0..u32::try_from(factor.blocks.len()).expect("slots have 32 bits"));
            let order = &mut order[first..];
            order.sort_by(|&a, &b| key(a).cmp(key(b)));
            let mut equal = 1u128;
            for pair in order.windows(2) {
                equal = if key(pair[0]).eq(key(pair[1])) { equal + 1 } else { 1 };
                stabiliser = stabiliser.saturating_mul(equal);
            }
        }
        // Images first: where there is no room for one, the state stays as it is.
        for changes in [false, true] {
            let mut first = 0;
            for factor in &self.factors {
                let order = &self.order[first..first + factor.blocks.len()];
                first += factor.blocks.len();
                for (block, &from) in order.iter().enumerate().filter(|&(block, &from)| block != from as usize) {
                    for (place, &slot) in factor.blocks[block].iter().enumerate() {
                        let key = self.current[factor.blocks[from as usize][place]];
                        let image = match block.checked_sub(1) {
                            None => key,
                            Some(swap) => images.get(action, factor.swaps[swap], factor.blocks[0][place], key)?,
                        };
                        if changes {
                            state[slot] = image;
                        }
                    }
                }
            }
        }
        Ok(Some(stabiliser))
    }

    /// Where the slots were taken when the last state of plain values was sorted.
    pub(super) fn last_target(&self, slot: usize) -> usize {
        let Some(&Some((number, block, place))) = self.places.get(slot) else { return slot };
        let first: usize = self.factors[..number].iter().map(|factor| factor.blocks.len()).sum();
        let blocks = &self.factors[number].blocks;
        let order = &self.order[first..first + blocks.len()];
        let to = order.iter().position(|&from| from as usize == block).expect("every block has a place");
        blocks[to][place]
    }

    #[cold]
    fn first_key<A: Action>(
        &mut self,
        action: &mut A,
        images: &mut Images,
        (slot, value): (usize, u32),
    ) -> Result<u32, Full> {
        let key = self.key(action, images, (slot, value))?;
        entry(&mut self.keys, slot).set(value, key);
        Ok(key)
    }

    /// The value in the first block, if it is plain.
    fn key<A: Action>(&self, action: &mut A, images: &mut Images, (slot, value): (usize, u32)) -> Result<u32, Full> {
        let place = self.places.get(slot).copied().flatten();
        #[cfg(test)]
        let is_blind = self.is_blind;
        #[cfg(not(test))]
        let is_blind = false;
        for (number, factor) in self.factors.iter().enumerate() {
            if is_blind || place.is_some_and(|(own, ..)| own == number) {
                continue;
            }
            for &swap in &factor.swaps {
                if action.target(swap, slot) != slot || images.get(action, swap, slot, value)? != value {
                    return Ok(NAMES);
                }
            }
        }
        let Some((number, block, place)) = place else { return Ok(value) };
        let Factor { blocks, swaps } = &self.factors[number];
        let key = match block.checked_sub(1) {
            None => value,
            Some(swap) => images.get(action, swaps[swap], slot, value)?,
        };
        // The exchanges of neighbours among the other blocks generate what keeps the first one in place.
        for (pair, blocks_of_pair) in swaps.windows(2).zip(blocks[1..].windows(2)) {
            if is_blind {
                break;
            }
            let (first, second) = (blocks[0][place], blocks_of_pair[0][place]);
            let there = images.get(action, pair[0], first, key)?;
            let moved = images.get(action, pair[1], second, there)?;
            if images.get(action, pair[0], second, moved)? != key {
                return Ok(NAMES);
            }
        }
        Ok(key)
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        self.keys.iter().for_each(|keys| footprint.add(keys.bytes()));
        footprint
    }
}

/// The blocks of slots that the exchanging elements of a factor permute, if they do.
fn blocks(swaps: &[usize], slots: usize, target: &impl Fn(usize, usize) -> usize) -> Option<Vec<Vec<usize>>> {
    let moved = |swap: usize| (0..slots).filter(move |&slot| target(swap, slot) != slot);
    let (&one, rest) = swaps.split_first()?;
    let first: Vec<usize> = match rest.first() {
        Some(&other) => moved(one).filter(|&slot| target(other, slot) != slot).collect(),
        // One exchange: either half will do.
        None => moved(one).filter(|&slot| slot < target(one, slot)).collect(),
    };
    let others = swaps.iter().map(|&swap| first.iter().map(|&slot| target(swap, slot)).collect());
    let blocks: Vec<Vec<usize>> = std::iter::once(first.clone()).chain(others).collect();
    let mut is_taken = vec![false; slots];
    let are_disjoint = blocks.iter().flatten().all(|&slot| !std::mem::replace(&mut is_taken[slot], true));
    let are_exchanged = swaps.iter().zip(&blocks[1..]).all(|(&swap, block)| {
        moved(swap).all(|slot| first.contains(&slot) || block.contains(&slot))
            && block.iter().zip(&first).all(|(&slot, &own)| target(swap, slot) == own)
    });
    (are_disjoint && are_exchanged && !blocks[0].is_empty()).then_some(blocks)
}
