//! Blocks of one part: sorted, taken to their least image under a few elements, arranged by exchanges, and which elements keep a value.

use super::super::action::Action;
use super::super::images::Images;
use crate::memory::Halt;

/// Whether each of these elements keeps a slot and its value.
pub(super) fn each_keeps<A: Action>(
    action: &mut A,
    images: &mut Images,
    elements: &[usize],
    slot: usize,
    value: u32,
) -> Result<bool, Halt> {
    for &element in elements {
        if action.target(element, slot) != slot || images.get(action, element, slot, value)? != value {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a product of elements keeps a slot and its value.
pub(super) fn product_keeps<A: Action>(
    action: &mut A,
    images: &mut Images,
    word: [usize; 3],
    slot: usize,
    value: u32,
) -> Result<bool, Halt> {
    let (mut at, mut moved) = (slot, value);
    for element in word {
        moved = images.get(action, element, at, moved)?;
        at = action.target(element, at);
    }
    Ok((at, moved) == (slot, value))
}

/// Sorts the blocks of one part in one place; returns the number of arrangements of them that are the same. Adds the
/// old place of each block.
pub(super) fn sort(blocks: &[Vec<usize>], current: &mut [u32], next: &mut Vec<u32>, order: &mut Vec<u32>) -> u128 {
    let first = order.len();
    order.extend(0..u32::try_from(blocks.len()).expect("slots have 32 bits"));
    let order = &mut order[first..];
    let key = |block: u32| blocks[block as usize].iter().map(|&slot| current[slot]);
    order.sort_by(|&a, &b| key(a).cmp(key(b)));
    let (mut fixing, mut equal) = (1u128, 1u128);
    for pair in order.windows(2) {
        equal = if key(pair[0]).eq(key(pair[1])) { equal + 1 } else { 1 };
        fixing = fixing.saturating_mul(equal);
    }
    next.clear();
    next.extend(order.iter().flat_map(|&block| key(block)));
    for (&slot, &key) in blocks.iter().flatten().zip(&*next) {
        current[slot] = key;
    }
    fixing
}

/// Takes the least image of some slots under the remaining elements, slot by slot; the elements that give it remain.
pub(super) fn least(
    slots: &[usize],
    sources: &[usize],
    left: &mut Vec<usize>,
    current: &mut [u32],
    next: &mut Vec<u32>,
    image: &mut impl FnMut(usize, usize, u32) -> Result<u32, Halt>,
) -> Result<(), Halt> {
    next.clear();
    for target in 0..slots.len() {
        let (mut least, mut kept) = (u32::MAX, 0);
        for at in 0..left.len() {
            let element = left[at];
            let source = sources[element * slots.len() + target];
            let value = image(element, source, current[slots[source]])?;
            if value > least {
                continue;
            }
            if value < least {
                (least, kept) = (value, 0);
            }
            left[kept] = element;
            kept += 1;
        }
        left.truncate(kept);
        next.push(least);
    }
    for (&slot, &key) in slots.iter().zip(&*next) {
        current[slot] = key;
    }
    Ok(())
}

/// Brings blocks into an order by exchanges with the first one, in turn; reports each exchange.
pub(super) fn arrange(order: &[u32], mut exchange: impl FnMut(usize)) {
    let mut places: Vec<u32> = (0..u32::try_from(order.len()).expect("slots have 32 bits")).collect();
    for block in (1..order.len()).rev() {
        let from = places.iter().position(|&at| at == order[block]).expect("every block has a place");
        if from == block {
            continue;
        }
        for other in [from, block] {
            if other != 0 {
                exchange(other);
                places.swap(0, other);
            }
        }
    }
    debug_assert_eq!(places, order, "the exchanges bring the blocks into their order");
}
