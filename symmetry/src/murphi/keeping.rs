//! The symmetries of a group that keep a claim which the group moves.
//!
//! The claim is added to the text, the values that it does not tell apart are proved to be exchanged freely in that text, and the exchanges
//! are found again among those of the group. What is not proved is left out: then the claim is checked at more images.
//!
//! # Soundness
//!
//! Every permutation returned is one of the group's blocks (checked) and keeps the claim by the proof from the text. Where a claim makes two classes
//! of places one, the values move in both at once.

use std::collections::BTreeMap;

use engine::SparsePermutation;
use frontend::murphi::interpret::State;
use frontend::murphi::program::{Claim, Program};
use frontend::murphi::syntax::ast::PropertyKind;

use super::action::{Cells, Renaming, cells, image};
use super::equivariance::{Wrong, prove};
use super::group::{Candidates, ValidatedGroup, own_classes};
use super::order::Order;
use super::starts;
use super::uses::Block;

/// Whether claims that a group moves may be checked at images: all its elements exchange values, the order of no loop is left to the
/// search, and no assumption is part of the steps.
#[must_use]
pub fn allows_images(program: &Program, group: &ValidatedGroup) -> bool {
    let is_assumed = program.properties.iter().any(|property| property.kind == PropertyKind::Assume);
    group.exchanges().is_empty() && group.watched().is_empty() && !is_assumed
}

/// For each claim generators of symmetries in the group that keep it.
///
/// # Panics
/// Unless [`allows_images`].
#[must_use]
pub fn keeping(program: &Program, group: &ValidatedGroup, claims: &[&Claim]) -> Vec<Vec<SparsePermutation>> {
    assert!(allows_images(program, group), "the group exchanges values");
    let (steps, order) = (starts::without(program), Order::new(program));
    let of_claim = |claim: &Claim| -> Vec<SparsePermutation> {
        let claim = std::slice::from_ref(claim);
        let Candidates { uses, blocks, .. } = Candidates::new(&steps, claim, false);
        let kept = |block: &Block| -> Option<Vec<SparsePermutation>> {
            let watched = prove(&steps, &uses.roles, block, claim, &order, Wrong::default()).ok()?;
            if !watched.is_empty() {
                return None;
            }
            let classes = own_classes(program, &uses.roles, group.roles(), block.class);
            let own = classes.iter().map(|&class| group.place(class, block)).collect::<Option<Vec<Place<'_>>>>()?;
            let generator = |images: BTreeMap<i32, i32>| {
                let pairs =
                    own.iter().flat_map(|place| images.iter().map(|(&from, &to)| (place.point(from), place.point(to))));
                SparsePermutation::from_pairs(pairs.collect()).expect("a permutation of the block")
            };
            Some(block.generators().into_iter().map(generator).collect())
        };
        blocks.iter().filter_map(kept).flatten().collect()
    };
    claims.iter().map(|claim| of_claim(claim)).collect()
}

/// A block of a group among the points on which it acts.
pub(super) struct Place<'g> {
    pub(super) first: u32,
    pub(super) block: &'g Block,
}

impl Place<'_> {
    fn point(&self, value: i32) -> u32 {
        let at = self.block.values.binary_search(&value).expect("a value of the block");
        self.first + u32::try_from(at).expect("blocks are bounded")
    }
}

/// An element of a group as it acts on states.
#[derive(Clone, Debug)]
pub struct Exchanged {
    /// The images of values.
    pub renaming: Renaming,
    /// The cells that move, and the classes of their values.
    pub cells: Cells,
}

impl Exchanged {
    /// An element of a group that exchanges values; `None` if it is none.
    #[must_use]
    pub fn new(program: &Program, group: &ValidatedGroup, element: &SparsePermutation) -> Option<Exchanged> {
        let renaming = group.group().contains_sparse(element).then(|| group.renaming(element)).flatten()?;
        let cells = cells(program, group.roles(), &renaming);
        Some(Exchanged { renaming, cells })
    }

    /// The image of a state.
    #[must_use]
    pub fn image(&self, program: &Program, state: &State) -> State {
        image(program, &self.cells, &self.renaming, state)
    }
}
