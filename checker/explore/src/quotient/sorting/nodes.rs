//! The parts of a group in the first of their places: blocks of slots, and what acts within them.

use std::ops::Range;

use crate::quotient::parts::Part;

/// A part, in the first place of each part around it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Elements that generate the action of the part there.
    pub(super) generators: Vec<usize>,
    /// The parts within the first block.
    pub(super) inner: Vec<Node>,
}

/// The action of a part there.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The slots of each block, and for each block but the first the element that exchanges it with the first.
    Blocks { blocks: Vec<Vec<usize>>, swaps: Vec<usize> },
    /// The slots, and all elements.
    Few { slots: Vec<usize>, elements: Range<usize> },
}

impl Node {
    /// Whether a slot belongs to this part.
    pub(super) fn contains(&self, slot: usize) -> bool {
        match &self.kind {
            Kind::Blocks { blocks, .. } => blocks.iter().any(|block| block.contains(&slot)),
            Kind::Few { slots, .. } => slots.contains(&slot),
        }
    }
}

/// Parts in the first place, among these slots; nothing if they do not permute blocks of their own slots.
pub(super) fn nodes(
    parts: &[Part],
    within: &[usize],
    slots: usize,
    target: &impl Fn(usize, usize) -> usize,
) -> Option<Vec<Node>> {
    let mut is_taken = vec![false; slots];
    let mut nodes = Vec::with_capacity(parts.len());
    for part in parts {
        let generators = part.generators();
        let moved = |slot: usize| generators.iter().any(|&element| target(element, slot) != slot);
        for slot in (0..slots).filter(|&slot| moved(slot)) {
            // Another part moves a slot of two parts too.
            if std::mem::replace(&mut is_taken[slot], true) || !within.contains(&slot) {
                return None;
            }
        }
        let (kind, inner) = match part {
            Part::Few(elements) => {
                let slots = within.iter().copied().filter(|&slot| moved(slot)).collect();
                (Kind::Few { slots, elements: elements.clone() }, Vec::new())
            }
            Part::Blocks { swaps, inner } => {
                let own: Vec<usize> = inner.iter().flat_map(Part::generators).collect();
                let is_inner = |slot: usize| own.iter().any(|&element| target(element, slot) != slot);
                let blocks = blocks(swaps, slots, &is_inner, target)?;
                let inner = self::nodes(inner, &blocks[0], slots, target)?;
                (Kind::Blocks { blocks, swaps: swaps.clone() }, inner)
            }
        };
        nodes.push(Node { kind, generators, inner });
    }
    // Slots that no element moves may name slots that a small group moves.
    let few = nodes.iter_mut().find_map(|node| match &mut node.kind {
        Kind::Few { slots, .. } => Some(slots),
        Kind::Blocks { .. } => None,
    });
    if let Some(few) = few {
        few.extend(within.iter().copied().filter(|&slot| !is_taken[slot]));
    }
    Some(nodes)
}

/// The blocks of slots that the exchanging elements of a part permute, if they do; the first block holds the parts
/// within.
fn blocks(
    swaps: &[usize],
    slots: usize,
    is_inner: &impl Fn(usize) -> bool,
    target: &impl Fn(usize, usize) -> usize,
) -> Option<Vec<Vec<usize>>> {
    let moved = |swap: usize| (0..slots).filter(move |&slot| target(swap, slot) != slot);
    let (&one, rest) = swaps.split_first()?;
    let first: Vec<usize> = match rest.first() {
        Some(&other) => moved(one).filter(|&slot| target(other, slot) != slot).collect(),
        // One exchange: either half will do, with its contents.
        None => moved(one)
            .filter(|&slot| match (is_inner(slot), is_inner(target(one, slot))) {
                (false, false) => slot < target(one, slot),
                (is_first, _) => is_first,
            })
            .collect(),
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
