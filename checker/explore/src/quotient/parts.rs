//! A group as a tree of parts: blocks that are permuted in all ways, with parts again in each block, and small
//! groups.
//!
//! The factors of a group with disjoint supports are its parts. A factor is the symmetric group on its own points, or
//! a wreath product with one, whose inner group has parts in turn, or small enough to list its elements. Parts are
//! given in the place of the first block; the elements that exchange it with the other blocks take them there.
//!
//! Soundness: the order of the group shows that a factor is the group that its part describes (`exchanges`,
//! [`Group::wreath`]).
//!
//! Source: \[Jag10\] 5.1.1, for groups that are products; blocks within blocks are ours.

use std::ops::Range;

use engine::{Group, Permutation, SparsePermutation, Structure};

use super::chain::exchanges;

/// The most elements of a small group.
const MOST_FEW: u32 = 8;

/// The most rotations and reflections that are tried for each state.
const MOST_ROTATIONS: u32 = 1 << 10;

/// A factor, by the numbers of its elements.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Blocks, permuted in all ways.
    Blocks {
        /// The elements that exchange the first block with each other one.
        swaps: Vec<usize>,
        /// The parts within the first block.
        inner: Vec<Part>,
    },
    /// All elements.
    Few(Range<usize>),
}

impl Part {
    /// Elements that generate the action of the part in its first place.
    pub(super) fn generators(&self) -> Vec<usize> {
        match self {
            Part::Blocks { swaps, inner } => {
                swaps.iter().copied().chain(inner.iter().flat_map(Part::generators)).collect()
            }
            Part::Few(elements) => elements.clone().collect(),
        }
    }

    /// The exchanges of blocks, if the blocks contain no parts.
    pub(super) fn plain_swaps(&self) -> Option<&[usize]> {
        match self {
            Part::Blocks { swaps, inner } if inner.is_empty() => Some(swaps),
            _ => None,
        }
    }

    /// Whether there are blocks within blocks.
    pub(super) fn is_nested(&self) -> bool {
        matches!(self, Part::Blocks { inner, .. } if !inner.is_empty())
    }
}

/// Whether all elements of a group are to be tried for each state.
pub(super) fn is_few(group: &Group) -> bool {
    let order = group.order();
    let rotates = || matches!(group.structure(), Structure::Cyclic(_) | Structure::Dihedral(_));
    order <= MOST_FEW.into() || order <= MOST_ROTATIONS.into() && rotates()
}

/// The parts of a group. Their elements are added to a list, as far as there is room for so many; nothing if the
/// group has a factor of another shape.
pub(super) fn parts(group: &Group, elements: &mut Vec<Permutation>, room: &mut usize) -> Option<Vec<Part>> {
    group.factors().iter().map(|factor| part(factor, elements, room)).collect()
}

fn part(factor: &Group, elements: &mut Vec<Permutation>, room: &mut usize) -> Option<Part> {
    let degree = factor.degree();
    let mut add = |added: Vec<SparsePermutation>| {
        *room = room.checked_sub(added.len())?;
        let first = elements.len();
        elements.extend(added.iter().map(|swap| swap.to_dense(degree).expect("an element of the group")));
        Some(first..elements.len())
    };
    if let Some(swaps) = exchanges(factor) {
        return Some(Part::Blocks { swaps: add(swaps)?.collect(), inner: Vec::new() });
    }
    if let Some(wreath) = factor.wreath() {
        let swaps = add(wreath.swaps)?.collect();
        return Some(Part::Blocks { swaps, inner: parts(&wreath.inner, elements, room)? });
    }
    if !is_few(factor) {
        return None;
    }
    let all: Vec<SparsePermutation> = factor.elements().map(|element| element.to_sparse()).collect();
    assert_eq!(factor.order(), all.len().into(), "a small group is listed as a whole");
    Some(Part::Few(add(all)?))
}
