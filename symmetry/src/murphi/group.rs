//! [`ValidatedGroup`]: the proved symmetries of a program that fix some properties.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Group, SparsePermutation};
use frontend::murphi::interpret::Watched;
use frontend::murphi::program::{Claim, Program, TypeKind};
use frontend::source::Span;
use num_bigint::BigUint;

use super::action::Renaming;
use super::equivariance::{Wrong, prove};
use super::names::Names;
use super::obstacle::{Obstacle, Reason};
use super::order::Order;
use super::tries::Trial;
use super::uses::{Block, Uses, uses};

/// The proposal of the detector: the classes of the places, and the values that may be exchanged.
#[derive(Debug)]
pub struct Candidates {
    /// The classes, and what the text does with them.
    pub uses: Uses,
    /// The values of each class, all permutations of which are proposed.
    pub blocks: Vec<Block>,
}

impl Candidates {
    /// Those of a program with the properties that are claimed; of declared scalar sets only if so wanted.
    #[must_use]
    pub fn new(program: &Program, claims: &[Claim], is_declared: bool) -> Candidates {
        let uses = uses(program, claims);
        let mut blocks = uses.blocks(&program.types);
        if is_declared {
            blocks = blocks.into_iter().flat_map(|block| declared(program, &uses, &block)).collect();
        }
        Candidates { uses, blocks }
    }
}

/// The values of a block that are members of the same declared scalar set.
fn declared(program: &Program, uses: &Uses, block: &Block) -> Vec<Block> {
    let types = &program.types;
    let mut own = uses.facts[block.class as usize].types.keys();
    // Integers are no members, whatever their numbers.
    let has_members = own.any(|&of| matches!(types.kind(of), TypeKind::Names(_)));
    let sorts = types.sorts.iter().filter(|sort| has_members && sort.members.is_none());
    let parts = sorts.map(|sort| block.values.iter().copied().filter(|&value| sort.contains(value)).collect());
    parts.filter(|values: &Vec<i32>| values.len() > 1).map(|values| Block { values, ..block.clone() }).collect()
}

/// A block whose permutations are proved to be symmetries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedBlock {
    /// The class and its values.
    pub block: Block,
    /// The binders whose order is watched by each search.
    pub watched: BTreeSet<Span>,
}

/// Proved symmetries: the product of the symmetric groups of blocks of values.
#[derive(Debug)]
pub struct ValidatedGroup {
    /// The classes of the places of the program.
    pub(super) uses: Uses,
    pub(super) blocks: Vec<ProvedBlock>,
    /// The blocks that are not in the group, with the reason.
    pub(super) refused: Vec<(Block, Obstacle)>,
    /// The permutations of the values of all blocks, as points.
    group: Group,
    /// The order without regard to properties.
    model_order: BigUint,
    names: Names,
    /// Whether only declared scalar sets are looked at.
    pub(super) is_declared: bool,
}

impl ValidatedGroup {
    /// The symmetries of a program that its text shows and proves, as far as they fix the properties that are claimed.
    #[must_use]
    pub fn of(program: &Program, claims: &[Claim], is_declared: bool) -> ValidatedGroup {
        ValidatedGroup::new(program, claims, Candidates::new(program, claims, is_declared), is_declared)
    }

    /// The proved ones of some candidates.
    ///
    /// # Panics
    /// If the reference interpreter contradicts a proof.
    #[must_use]
    pub fn new(program: &Program, claims: &[Claim], candidates: Candidates, is_declared: bool) -> ValidatedGroup {
        let order = Order::new(program);
        let model_order = if claims.is_empty() {
            None
        } else {
            let all = proved(program, &[], Candidates::new(program, &[], is_declared), &order);
            Some(product(&all.blocks))
        };
        let Proved { uses, blocks, refused } = proved(program, claims, candidates, &order);
        let ascends = |block: &Block| block.values.len() > 1 && block.values.is_sorted_by(|one, next| one < next);
        assert!(blocks.iter().all(|proved| ascends(&proved.block)), "a block has several values, each once");
        let degree = blocks.iter().map(|proved| proved.block.values.len()).sum();
        let group = Group::from_generators(degree, exchanges(&blocks)).expect("points of the group");
        let own: Vec<&Block> = blocks.iter().map(|proved| &proved.block).collect();
        let names = Names::new(program, &uses, &own);
        let model_order = model_order.unwrap_or_else(|| product(&blocks));
        ValidatedGroup { uses, blocks, refused, group, model_order, names, is_declared }
    }

    /// The blocks of values.
    #[must_use]
    pub fn blocks(&self) -> &[ProvedBlock] {
        &self.blocks
    }

    /// The classes of the places of the program.
    #[must_use]
    pub fn roles(&self) -> &super::roles::Roles {
        &self.uses.roles
    }

    /// The group on the values of all blocks, block by block.
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Its order.
    #[must_use]
    pub fn order(&self) -> BigUint {
        product(&self.blocks)
    }

    /// The order without regard to properties.
    #[must_use]
    pub fn model_order(&self) -> &BigUint {
        &self.model_order
    }

    /// The names of the values.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The binders that searches watch.
    #[must_use]
    pub fn watched(&self) -> Watched {
        self.blocks.iter().flat_map(|proved| proved.watched.iter().copied()).collect()
    }

    /// The blocks that are not in the group, with the reason.
    #[must_use]
    pub fn refused(&self) -> &[(Block, Obstacle)] {
        &self.refused
    }

    /// Whether the values of a block are members of a declared scalar set.
    #[must_use]
    pub fn is_scalar_set(&self, program: &Program, block: &Block) -> bool {
        declared(program, &self.uses, block).iter().any(|part| part.values == block.values)
    }

    /// The name of a point of the group.
    #[must_use]
    pub fn point(&self, point: u32) -> String {
        let mut rest = point as usize;
        for proved in &self.blocks {
            if let Some(&value) = proved.block.values.get(rest) {
                return self.names.value(proved.block.class, value);
            }
            rest -= proved.block.values.len();
        }
        point.to_string()
    }
}

struct Proved {
    uses: Uses,
    blocks: Vec<ProvedBlock>,
    refused: Vec<(Block, Obstacle)>,
}

/// Proves candidates, tries what is proved, and leaves out what the trial breaks.
fn proved(program: &Program, claims: &[Claim], candidates: Candidates, order: &Order<'_>) -> Proved {
    let Candidates { uses, blocks: candidates } = candidates;
    let (mut blocks, mut refused) = (Vec::new(), Vec::new());
    for block in candidates {
        match prove(program, &uses.roles, &block, claims, order, Wrong::default()) {
            Ok(watched) => blocks.push(ProvedBlock { block, watched }),
            Err(obstacle) => refused.push((block, obstacle)),
        }
    }
    let generators: Vec<Renaming> = blocks.iter().flat_map(|proved| generators(&proved.block)).collect();
    let watched = blocks.iter().flat_map(|proved| proved.watched.iter().copied()).collect();
    let trial = Trial { program, claims, roles: &uses.roles, generators: &generators, watched: &watched };
    let broken = if blocks.is_empty() { Ok(BTreeSet::new()) } else { trial.run() };
    let broken = broken.unwrap_or_else(|contradiction| {
        panic!("a symmetry was proved by text, and the reference interpreter contradicts it: {contradiction}")
    });
    let (kept, lost): (Vec<ProvedBlock>, Vec<ProvedBlock>) =
        blocks.into_iter().partition(|proved| proved.watched.is_disjoint(&broken));
    refused.extend(lost.into_iter().map(|proved| {
        let span = *proved.watched.intersection(&broken).next().expect("an order shows");
        (proved.block, Obstacle { span, reason: Reason::Rounds })
    }));
    Proved { uses, blocks: kept, refused }
}

/// An exchange and a rotation, which generate all permutations of a block.
fn generators(block: &Block) -> Vec<Renaming> {
    let renaming = |pairs: BTreeMap<i32, i32>| Renaming::from([(block.class, pairs)]);
    let values = &block.values;
    let exchange = BTreeMap::from([(values[0], values[1]), (values[1], values[0])]);
    let rotation: BTreeMap<i32, i32> =
        values.iter().copied().zip(values.iter().copied().cycle().skip(1)).take(values.len()).collect();
    let mut list = vec![renaming(exchange)];
    if values.len() > 2 {
        list.push(renaming(rotation));
    }
    list
}

/// The exchanges of neighbours in each block.
fn exchanges(blocks: &[ProvedBlock]) -> Vec<SparsePermutation> {
    let mut first = 0u32;
    let mut list = Vec::new();
    for proved in blocks {
        let size = u32::try_from(proved.block.values.len()).expect("blocks are bounded");
        list.extend((first..first + size - 1).map(|point| {
            SparsePermutation::from_pairs(vec![(point, point + 1), (point + 1, point)]).expect("an exchange")
        }));
        first += size;
    }
    list
}

fn product(blocks: &[ProvedBlock]) -> BigUint {
    let sizes = blocks.iter().flat_map(|proved| 2..=proved.block.values.len());
    sizes.fold(BigUint::from(1u32), |product, size| product * size)
}
