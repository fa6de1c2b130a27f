//! The representatives of the successors of one state: remembered, found from what is known of the images of the state, or searched for.

use frontend::murphi::program::Program;

use super::memo::Memo;
use super::nearby::{Known, Successor};
use super::packing::Packing;
use super::signature::Scratch;
use super::symmetry::Symmetry;

/// The search for the representatives of successors.
#[derive(Debug, Default)]
pub(super) struct Representatives {
    pub(super) memo: Memo,
    scratch: Scratch,
    least: Vec<i64>,
    packed: Vec<u64>,
    /// What is known of the images of the current state.
    pub(super) known: Known,
    /// The cells of a successor.
    next: Vec<i64>,
    /// The cells by which it differs from the current state.
    changed: Vec<usize>,
}

/// The symmetries of a program on its packed states.
#[derive(Clone, Copy)]
pub(super) struct Acting<'a> {
    pub(super) symmetry: &'a Symmetry,
    pub(super) packing: &'a Packing,
    pub(super) program: &'a Program,
}

impl Representatives {
    /// Replaces a packed successor of the current state, whose cells are given, by its representative.
    pub(super) fn represent(&mut self, acting: Acting<'_>, from: &[i64], current: &[u64], words: &mut [u64]) {
        let (
            Acting { symmetry, packing, program },
            Representatives { memo, scratch, least, packed, known, next, changed },
        ) = (acting, self);
        if let Some(representative) = memo.get(words) {
            return words.copy_from_slice(representative);
        }
        next.clear();
        next.extend_from_slice(from);
        changed.clear();
        packing.differences(current, words, |at, value| {
            next[at] = value;
            changed.push(at);
        });
        packed.clear();
        if let Some(nearby) = symmetry.nearby() {
            packed.extend_from_slice(words);
            let successor = Successor { from, state: next, changed: changed.iter().copied() };
            if let Some(element) = nearby.least(successor, known, symmetry.wrong) {
                nearby.differences(element, next, |at, value| packing.set(packed, at, value));
            }
        } else {
            symmetry.least(program, next, scratch, least);
            packing.pack(least.iter().copied(), packed);
        }
        memo.put(words, packed);
        words.copy_from_slice(packed);
    }
}
