//! The points on which a group acts: the values of its blocks, then the names that exchanges move.

use engine::SparsePermutation;
use frontend::murphi::program::{Program, TypeKind};

use super::exchange::Exchange;
use super::group::ProvedBlock;
use super::uses::{Block, Uses};

/// A name that an exchange moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Name {
    Variable(usize),
    Member(i32),
}

/// Whether the values of a block are members of sorts.
pub(super) fn is_named(program: &Program, uses: &Uses, block: &Block) -> bool {
    let mut own = uses.facts[block.class as usize].types.keys();
    own.any(|&of| matches!(program.types.kind(of), TypeKind::Names(_)))
}

/// The points of a group, and the blocks to which an exchange maps blocks.
pub(super) struct Images<'p> {
    pub(super) program: &'p Program,
    pub(super) uses: &'p Uses,
    pub(super) blocks: &'p [Block],
    pub(super) of_blocks: &'p [usize],
    pub(super) moved: &'p [Name],
}

impl Images<'_> {
    /// An exchange on the points.
    pub(super) fn permutation(&self, exchange: &Exchange) -> Option<SparsePermutation> {
        assert_eq!(self.blocks.len(), self.of_blocks.len(), "every block goes to one");
        debug_assert!(self.moved.is_sorted_by(|one, next| one < next), "names are searched by order, each once");
        let mut first = vec![0usize];
        first.extend(self.blocks.iter().scan(0, |sum, block| {
            *sum += block.values.len();
            Some(*sum)
        }));
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut pair = |from: usize, to: usize| -> Option<()> {
            pairs.push((u32::try_from(from).ok()?, u32::try_from(to).ok()?));
            Some(())
        };
        for (at, block) in self.blocks.iter().enumerate() {
            let target = self.of_blocks[at];
            let is_named = is_named(self.program, self.uses, block);
            debug_assert_eq!(block.values.len(), self.blocks[target].values.len(), "a block goes to one of its size");
            for (place, &value) in block.values.iter().enumerate() {
                let image = if is_named { exchange.member(value) } else { value };
                let other = self.blocks[target].values.iter().position(|&own| own == image)?;
                pair(first[at] + place, first[target] + other)?;
            }
        }
        let behind = first[self.blocks.len()];
        for (at, name) in self.moved.iter().enumerate() {
            let image = match *name {
                Name::Variable(at) => Name::Variable(exchange.variables.get(&at).copied().unwrap_or(at)),
                Name::Member(value) => Name::Member(exchange.member(value)),
            };
            pair(behind + at, behind + self.moved.binary_search(&image).ok()?)?;
        }
        SparsePermutation::from_pairs(pairs).ok()
    }
}

/// Generators of the permutations of each block, on the points of all blocks.
pub(super) fn exchanges(blocks: &[ProvedBlock]) -> Vec<SparsePermutation> {
    let mut first = 0u32;
    let mut list = Vec::new();
    for ProvedBlock { block, .. } in blocks {
        let point =
            |value: &i32| first + u32::try_from(block.values.binary_search(value).expect("its own")).expect("small");
        list.extend(block.generators().into_iter().map(|images| {
            let pairs = images.iter().map(|(from, to)| (point(from), point(to))).collect();
            SparsePermutation::from_pairs(pairs).expect("a permutation of the block")
        }));
        first += u32::try_from(block.values.len()).expect("blocks are bounded");
    }
    list
}
