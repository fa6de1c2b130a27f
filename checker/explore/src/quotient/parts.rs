//! A group as a tree of parts: blocks that are permuted in all ways, in each block parts again, and small groups.
//!
//! The factors of a group with disjoint supports are its parts. A factor is the symmetric group on things of its own, or a wreath
//! product with one, whose inner group has parts in turn, or small enough to list its elements. Parts are given in the place of the
//! first block; elements that exchange it with the other blocks take them there.
//!
//! Soundness: a factor is what its part says by the order of the group (`exchanges`, [`Group::wreath`]).
//!
//! Source: \[Jag10\] 5.1.1, for groups that are products; blocks within blocks are ours.

use std::ops::Range;

use engine::{Group, Permutation, SparsePermutation, Structure};

use super::chain::exchanges;

/// Elements of a small group.
const MOST_FEW: u32 = 8;

/// Rotations and reflections that are looked at for each state.
const MOST_ROTATIONS: u32 = 1 << 10;

/// A factor, by the numbers of its elements.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Blocks, permuted in all ways.
    Blocks {
        /// What exchanges the first block with each other one.
        swaps: Vec<usize>,
        /// What happens within the first block.
        inner: Vec<Part>,
    },
    /// All elements.
    Few(Range<usize>),
}

impl Part {
    /// Elements that generate what happens in the first place of the part.
    pub(super) fn generators(&self) -> Vec<usize> {
        match self {
            Part::Blocks { swaps, inner } => {
                swaps.iter().copied().chain(inner.iter().flat_map(Part::generators)).collect()
            }
            Part::Few(elements) => elements.clone().collect(),
        }
    }

    /// The exchanges of blocks, if nothing happens within them.
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

/// Whether all elements of a group are to be looked at for each state.
pub(super) fn is_few(group: &Group) -> bool {
    let order = group.order();
    let rotates = || matches!(group.structure(), Structure::Cyclic(_) | Structure::Dihedral(_));
    order <= MOST_FEW.into() || order <= MOST_ROTATIONS.into() && rotates()
}

/// The parts of a group, whose elements are added to a list, as far as there is room for so many; nothing if it has a factor
/// of another shape.
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
    Some(Part::Few(add(factor.elements().map(|element| element.to_sparse()).collect())?))
}
