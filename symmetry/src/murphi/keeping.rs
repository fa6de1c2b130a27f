//! The symmetries of a group that keep a claim which the group moves.
//!
//! The claim is added to the text, the values that it does not tell apart are proved to be exchanged freely in that text, and the exchanges
//! are found again among those of the group. What is not proved is left out: then the claim is checked at more images.
//!
//! # Soundness
//!
//! Every permutation returned is one of the group's blocks (checked) and keeps the claim by the proof from the text. The classes of that proof need not be
//! those of the group: a claim makes two classes of the group one, and the starts or another claim make two classes of the claim one. An element of the
//! group moves all parts of variables that are in its classes, so values move in all classes that share parts with one another, directly or by others,
//! and each class of the claim among them has to allow it.

use std::collections::{BTreeMap, BTreeSet};

use engine::SparsePermutation;
use frontend::murphi::interpret::State;
use frontend::murphi::program::{Claim, Program};
use frontend::murphi::syntax::ast::PropertyKind;

use super::action::{Cells, Renaming, cells, classes, image};
use super::equivariance::{self, prove};
use super::group::{Candidates, ValidatedGroup};
use super::order::Order;
use super::roles::{Class, Roles};
use super::starts;
use super::uses::Block;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// Values move in the parts of one class of the claim, and in all that the group moves with them.
        forgets_shared_classes,
    }
}

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
    keeping_with(program, group, claims, Wrong::default())
}

/// As [`keeping`], with known faults.
pub(super) fn keeping_with(
    program: &Program,
    group: &ValidatedGroup,
    claims: &[&Claim],
    wrong: Wrong,
) -> Vec<Vec<SparsePermutation>> {
    assert!(allows_images(program, group), "the group exchanges values");
    let (steps, order) = (starts::without(program), Order::new(program));
    let of_claim = |claim: &Claim| -> Vec<SparsePermutation> {
        let claim = std::slice::from_ref(claim);
        let Candidates { uses, blocks, .. } = Candidates::new(&steps, claim, false);
        let is_proved = |block: &Block| {
            let watched = prove(&steps, &uses.roles, block, claim, &order, equivariance::Wrong::default());
            watched.is_ok_and(|watched| watched.is_empty())
        };
        let proved: Vec<Block> = blocks.into_iter().filter(is_proved).collect();
        let shared = Shared::new(program, &uses.roles, group.roles());
        let generator = |class: Class, images: &BTreeMap<i32, i32>| -> Option<SparsePermutation> {
            let (of_claim, of_group) = shared.with(class, wrong);
            let allows = |&class: &Class| proved.iter().any(|block| block.class == class && block.has(images));
            if !of_claim.iter().all(allows) {
                return None;
            }
            let own =
                of_group.into_iter().map(|class| group.place(class, images)).collect::<Option<Vec<Place<'_>>>>()?;
            let pairs =
                own.iter().flat_map(|place| images.iter().map(|(&from, &to)| (place.point(from), place.point(to))));
            Some(SparsePermutation::from_pairs(pairs.collect()).expect("a permutation of the block"))
        };
        let mut found: Vec<SparsePermutation> = Vec::new();
        for block in &proved {
            for images in block.generators() {
                found.extend(generator(block.class, &images).filter(|own| !found.contains(own)));
            }
        }
        found
    };
    claims.iter().map(|claim| of_claim(claim)).collect()
}

/// Which classes of a claim and of a group share parts of variables.
struct Shared(BTreeSet<(Class, Class)>);

impl Shared {
    fn new(program: &Program, of_claim: &Roles, of_group: &Roles) -> Shared {
        let (of_claim, of_group) = (classes(program, of_claim), classes(program, of_group));
        assert_eq!(of_claim.len(), of_group.len(), "the same variables");
        Shared(of_claim.into_iter().zip(of_group).collect())
    }

    /// The classes of the claim and of the group that share parts with a class of the claim, directly or by others.
    fn with(&self, class: Class, wrong: Wrong) -> (BTreeSet<Class>, BTreeSet<Class>) {
        let (mut of_claim, mut of_group) = (BTreeSet::from([class]), BTreeSet::new());
        loop {
            let before = of_claim.len();
            of_group.extend(self.0.iter().filter(|(one, _)| of_claim.contains(one)).map(|&(_, other)| other));
            if !wrong.forgets_shared_classes() {
                of_claim.extend(self.0.iter().filter(|(_, other)| of_group.contains(other)).map(|&(one, _)| one));
            }
            if of_claim.len() == before {
                return (of_claim, of_group);
            }
        }
    }
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
