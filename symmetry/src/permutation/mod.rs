//! Permutations of a static Rebeca model: images of the rebecs of `main`, and a rotation for each rebec and scalar set.
//!
//! The rotation of a rebec `r` and a set `s` is the `psi` of \[Jag10\] Definitions 13 to 15, one for the whole cluster: scalar variables
//! of `s`, positions of variables grouped by `s` and positions of known rebecs grouped by `s` all move by the same amount between `r` and
//! its image.
//!
//! If rotations do not suffice, a rebec has a [`LocalMap`] instead: places of elements and servers, images of values.
//!
//! Invariants: `images` is a bijection of `0..instances`; a rebec and its image are of one class;
//! `rotations[r][s] < sizes[s]`, and 0 unless the class of `r` has the set;
//! a rebec with a local map has no rotations.
//!
//! Source: \[Jag10\] Definitions 9, 10 and 13 to 15; one rotation per cluster, where Definition 14 has one per list.

mod action;
mod details;
mod local;
mod names;
mod points;

use std::fmt;

use frontend::model::{Model, RebecId, ScalarSet, ScalarSetId, ServerId};

pub use local::{LocalMap, Move, ServerMove};
pub use points::Points;

use local::{Part, Shape};

/// A permutation of the rebecs of `main`, with rotations of their scalar sets.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ModelPermutation {
    /// The image of each rebec of `main`.
    images: Vec<RebecId>,
    /// For each rebec of `main` and each scalar set of the model, the amount by which values move.
    rotations: Vec<Vec<u32>>,
    /// The sizes of the scalar sets.
    sizes: Vec<u32>,
    /// For each rebec of `main` its local map, if rotations do not suffice.
    locals: Vec<Option<LocalMap>>,
    shape: Shape,
}

/// The reason why images and rotations are not a permutation of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotAPermutation {
    /// The number of images or lists of rotations is not that of the rebecs of `main`, or a number of rotations is not that of the scalar
    /// sets.
    Length,
    /// An image that is not a rebec of `main`.
    Unknown(RebecId),
    /// Two rebecs have this image.
    Repeated(RebecId),
    /// The rebec and its image are of different classes.
    Class(RebecId, RebecId),
    /// A rotation of a scalar set that the class of the rebec does not have.
    ForeignSet(RebecId, ScalarSetId),
    /// The local map of the rebec is no bijection, or not one of its class.
    Local(RebecId),
}

impl fmt::Display for NotAPermutation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => write!(out, "not one image and one rotation a scalar set for each rebec"),
            Self::Unknown(rebec) => write!(out, "rebec {} is not in `main`", rebec.0),
            Self::Repeated(rebec) => write!(out, "rebec {} is the image of two rebecs", rebec.0),
            Self::Class(rebec, image) => write!(out, "rebecs {} and {} are of different classes", rebec.0, image.0),
            Self::Local(rebec) => write!(out, "the variables of rebec {} do not go to those of its image", rebec.0),
            Self::ForeignSet(rebec, set) => write!(out, "rebec {} has no scalar set {}", rebec.0, set.0),
        }
    }
}

impl std::error::Error for NotAPermutation {}

/// Whether rebecs of the class of a rebec of `main` have a scalar set.
pub(crate) fn has_set(model: &Model, rebec: RebecId, set: ScalarSetId) -> bool {
    model.conforms(model.instances[rebec.index()].class, model.scalar_set(set).class)
}

/// All scalar sets of a model.
pub(crate) fn sets(model: &Model) -> impl Iterator<Item = ScalarSetId> + use<> {
    (0..model.scalar_sets.len()).map(ScalarSetId::from_index)
}

/// All rebecs of `main`.
pub(crate) fn rebecs(model: &Model) -> impl Iterator<Item = RebecId> + use<> {
    (0..model.instances.len()).map(RebecId::from_index)
}

impl ModelPermutation {
    /// The identity.
    pub fn identity(model: &Model) -> ModelPermutation {
        let sizes: Vec<u32> = model.scalar_sets.iter().map(ScalarSet::size).collect();
        let rotations = vec![vec![0; sizes.len()]; model.instances.len()];
        let locals = vec![None; model.instances.len()];
        ModelPermutation { images: rebecs(model).collect(), rotations, sizes, locals, shape: Shape::new(model) }
    }

    /// The permutation with these images and rotations, which are taken modulo the sizes of the sets.
    ///
    /// # Errors
    /// If it is not a bijection that keeps classes, or rotates a set that a class does not have.
    pub fn new(
        model: &Model,
        images: Vec<RebecId>,
        mut rotations: Vec<Vec<u32>>,
    ) -> Result<ModelPermutation, NotAPermutation> {
        let sizes: Vec<u32> = model.scalar_sets.iter().map(ScalarSet::size).collect();
        for amounts in &mut rotations {
            amounts.iter_mut().zip(&sizes).for_each(|(amount, size)| *amount %= size);
        }
        let locals = vec![None; model.instances.len()];
        let made = ModelPermutation { images, rotations, sizes, locals, shape: Shape::new(model) };
        made.check(model).map(|()| made)
    }

    /// The permutation with these images, without rotations.
    ///
    /// # Errors
    /// If it is not a bijection that keeps classes.
    pub fn of_rebecs(model: &Model, images: Vec<RebecId>) -> Result<ModelPermutation, NotAPermutation> {
        let rotations = vec![vec![0; model.scalar_sets.len()]; model.instances.len()];
        ModelPermutation::new(model, images, rotations)
    }

    /// The permutation with these images and, for each rebec of `main`, this local map.
    ///
    /// # Errors
    /// If it is not a bijection that keeps classes, or a map is not one of the class.
    pub fn with_locals(
        model: &Model,
        images: Vec<RebecId>,
        locals: Vec<LocalMap>,
    ) -> Result<ModelPermutation, NotAPermutation> {
        let mut made = ModelPermutation::of_rebecs(model, images)?;
        if locals.len() != made.locals.len() {
            return Err(NotAPermutation::Length);
        }
        made.locals = locals.into_iter().map(Some).collect();
        made.tidy();
        made.check(model).map(|()| made)
    }

    /// The same permutation with these maps instead of rotations.
    pub(crate) fn with_some_locals(mut self, locals: Vec<(RebecId, LocalMap)>) -> ModelPermutation {
        for (rebec, local) in locals {
            self.rotations[rebec.index()].fill(0);
            self.locals[rebec.index()] = Some(local);
        }
        self.tidy();
        self
    }

    /// The same permutation of states, with rotations instead of maps where they are equivalent.
    #[must_use]
    pub fn simplified(&self, model: &Model) -> ModelPermutation {
        let mut simple = self.clone();
        for rebec in rebecs(model) {
            if let Some(local) = self.local(rebec)
                && let Some(amounts) = self.as_rotations(model, rebec, local)
            {
                simple.locals[rebec.index()] = None;
                simple.rotations[rebec.index()] = amounts;
            }
        }
        simple
    }

    /// The rotations that are equivalent to the local map of a rebec.
    fn as_rotations(&self, model: &Model, rebec: RebecId, local: &LocalMap) -> Option<Vec<u32>> {
        let mut amounts = vec![0; self.sizes.len()];
        for set in sets(model).filter(|&set| has_set(model, rebec, set)) {
            let own = |amount: u32| {
                let mut tried = amounts.clone();
                tried[set.index()] = amount;
                tried
            };
            let found = (0..model.scalar_set(set).size()).map(own).find(|tried| {
                local.agrees(
                    &self.shape.expand(rebec, tried),
                    &|rebec| self.image(rebec),
                    Some(Part { model, rebec, set }),
                )
            });
            amounts = found?;
        }
        let whole = self.shape.expand(rebec, &amounts);
        local.agrees(&whole, &|rebec| self.image(rebec), None).then_some(amounts)
    }

    /// Drops local maps that only follow the images of rebecs.
    fn tidy(&mut self) {
        let plain: Vec<bool> = self
            .locals
            .iter()
            .map(|local| local.as_ref().is_some_and(|local| local.is_plain(&|rebec| self.image(rebec))))
            .collect();
        for (local, plain) in self.locals.iter_mut().zip(plain) {
            if plain {
                *local = None;
            }
        }
    }

    /// The local map of a rebec, if rotations do not suffice.
    pub fn local(&self, rebec: RebecId) -> Option<&LocalMap> {
        self.locals.get(rebec.index()).and_then(Option::as_ref)
    }

    /// The server of the image of a rebec that takes the messages of a server of the rebec.
    pub fn server(&self, rebec: RebecId, server: ServerId) -> ServerId {
        self.local(rebec).map_or(server, |local| local.servers[server.index()].target)
    }

    /// The local map of a rebec, with rotations written as a map; for created rebecs it only contains the images of rebecs.
    pub fn expanded(&self, rebec: RebecId) -> LocalMap {
        match (self.local(rebec), self.rotations.get(rebec.index())) {
            (Some(local), _) => local.clone(),
            (None, Some(rotations)) => self.shape.expand(rebec, rotations),
            (None, None) => self.shape.expand(rebec, &vec![0; self.sizes.len()]),
        }
    }

    /// Whether rotations suffice for the whole permutation.
    pub fn is_rotation(&self) -> bool {
        self.locals.iter().all(Option::is_none)
    }

    /// Checks the invariants against a model.
    pub(crate) fn check(&self, model: &Model) -> Result<(), NotAPermutation> {
        let fits = self.images.len() == model.instances.len()
            && self.rotations.len() == model.instances.len()
            && self.rotations.iter().all(|amounts| amounts.len() == model.scalar_sets.len())
            && self.sizes.iter().copied().eq(model.scalar_sets.iter().map(ScalarSet::size));
        if !fits {
            return Err(NotAPermutation::Length);
        }
        let mut seen = vec![false; self.images.len()];
        for (rebec, &image) in rebecs(model).zip(&self.images) {
            let Some(place) = seen.get_mut(image.index()) else { return Err(NotAPermutation::Unknown(image)) };
            if std::mem::replace(place, true) {
                return Err(NotAPermutation::Repeated(image));
            }
            if model.class_of(rebec) != model.class_of(image) {
                return Err(NotAPermutation::Class(rebec, image));
            }
            let fits = |local: &LocalMap| local.fits(model.class(model.class_of(rebec)));
            if self.local(rebec).is_some_and(|local| self.rotated(rebec).next().is_some() || !fits(local)) {
                return Err(NotAPermutation::Local(rebec));
            }
            if let Some(set) = sets(model).find(|&set| self.rotation(rebec, set) != 0 && !has_set(model, rebec, set)) {
                return Err(NotAPermutation::ForeignSet(rebec, set));
            }
        }
        Ok(())
    }

    /// The image of a rebec; created rebecs are fixed.
    pub fn image(&self, rebec: RebecId) -> RebecId {
        self.images.get(rebec.index()).copied().unwrap_or(rebec)
    }

    /// The amount by which the values of a scalar set move between a rebec and its image; 0 for created rebecs.
    pub fn rotation(&self, rebec: RebecId, set: ScalarSetId) -> u32 {
        self.rotations.get(rebec.index()).map_or(0, |amounts| amounts[set.index()])
    }

    /// Sets one rotation; the amount is below the size of the set, which the class of the rebec has.
    pub(crate) fn set_rotation(&mut self, rebec: RebecId, set: ScalarSetId, amount: u32) {
        assert!(amount < self.sizes[set.index()], "a rotation is taken modulo the size of its set");
        self.rotations[rebec.index()][set.index()] = amount;
    }

    /// The sets that are rotated between a rebec and its image.
    pub fn rotated(&self, rebec: RebecId) -> impl Iterator<Item = ScalarSetId> + '_ {
        (0..self.sizes.len()).map(ScalarSetId::from_index).filter(move |&set| self.rotation(rebec, set) != 0)
    }

    /// Whether this is the identity.
    pub fn is_identity(&self) -> bool {
        !self.moves_rebecs() && !self.rotates() && self.is_rotation()
    }

    /// Whether some rebec moves.
    pub fn moves_rebecs(&self) -> bool {
        self.images.iter().enumerate().any(|(rebec, image)| image.index() != rebec)
    }

    /// Whether some scalar set is rotated.
    pub fn rotates(&self) -> bool {
        self.rotations.iter().flatten().any(|&amount| amount != 0)
    }

    /// Whether values or positions within some rebec move.
    pub fn moves_data(&self) -> bool {
        self.rotates() || !self.is_rotation()
    }

    /// The preimage of a rebec.
    fn preimage(&self, rebec: RebecId) -> RebecId {
        self.images.iter().position(|&image| image == rebec).map_or(rebec, RebecId::from_index)
    }

    /// This permutation followed by another one of the same model.
    #[must_use]
    pub fn then(&self, next: &ModelPermutation) -> ModelPermutation {
        assert_eq!(self.images.len(), next.images.len(), "both permute the rebecs of one model");
        assert_eq!(self.sizes, next.sizes, "both rotate the scalar sets of one model");
        let mut both = ModelPermutation {
            rotations: Vec::with_capacity(self.rotations.len()),
            images: self.images.iter().map(|&image| next.image(image)).collect(),
            sizes: self.sizes.clone(),
            locals: Vec::with_capacity(self.locals.len()),
            shape: self.shape.clone(),
        };
        for (index, (image, amounts)) in self.images.iter().zip(&self.rotations).enumerate() {
            let rebec = RebecId::from_index(index);
            if self.local(rebec).is_none() && next.local(*image).is_none() {
                let further = amounts.iter().zip(&next.rotations[image.index()]).zip(&self.sizes);
                both.rotations.push(further.map(|((&first, &second), &size)| add(first, second, size)).collect());
                both.locals.push(None);
            } else {
                let (first, second) = (self.expanded(rebec), next.expanded(*image));
                both.rotations.push(vec![0; self.sizes.len()]);
                both.locals.push(Some(first.then(&second, &|rebec| next.image(rebec), &|rebec| self.preimage(rebec))));
            }
        }
        debug_assert!(distinct(both.images.iter()), "a product of permutations is one");
        both.tidy();
        both
    }

    /// The inverse permutation.
    #[must_use]
    pub fn inverse(&self) -> ModelPermutation {
        let mut undone = self.clone();
        for (index, image) in self.images.iter().enumerate() {
            undone.images[image.index()] = RebecId::from_index(index);
            let amounts = self.rotations[index].iter().zip(&self.sizes);
            undone.rotations[image.index()] = amounts.map(|(&amount, &size)| (size - amount) % size).collect();
            undone.locals[image.index()] = self.locals[index].as_ref().map(LocalMap::inverse);
        }
        debug_assert!(
            self.images.iter().enumerate().all(|(index, image)| undone.images[image.index()].index() == index),
            "the inverse takes every image back"
        );
        undone
    }
}

/// Whether all of these are different.
pub(crate) fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> bool {
    let mut all: Vec<T> = items.collect();
    all.sort_unstable();
    all.windows(2).all(|pair| pair[0] != pair[1])
}

/// `a + b` modulo `size`.
pub(crate) fn add(a: u32, b: u32, size: u32) -> u32 {
    debug_assert!(a < size && b < size, "amounts are reduced");
    u32::try_from((u64::from(a) + u64::from(b)) % u64::from(size)).expect("below the size")
}
