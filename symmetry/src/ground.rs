//! [`Mapping`]: the action of a permutation on the elements, values, instances and terms of a model's constraints.
//!
//! It uses the same maps that move states (`permutation/action.rs`), so a proof about the mapping is a proof about those maps.
//!
//! Invariants: elements are mapped to elements of one sort whose possible values are exactly the images of their values; live instances
//! are mapped to live instances.

use csp::actors::cube::Mask;
use csp::actors::{Cube, ElementId, Holder, InstanceId, Key, Space, TermId, Terms};
use frontend::model::{RebecId, Value};

use crate::permutation::{LocalMap, ModelPermutation, Move, distinct};
use crate::validate::Rejection;

/// A permutation on the constraints of a model.
pub(crate) struct Mapping<'a, 'm> {
    pub(crate) space: &'a Space<'m>,
    pub(crate) permutation: &'a ModelPermutation,
    /// The local map of each rebec; then those of the stand-ins of created rebecs, where places and values stay fixed.
    pub(crate) locals: Vec<LocalMap>,
    /// The image of each element; the element itself if it never changes and the map of its rebec does not list it.
    targets: Vec<ElementId>,
    moves: Vec<Option<Move>>,
    terms: Vec<TermId>,
}

fn differs(part: String, reason: &str) -> Rejection {
    Rejection::Behaviour { part, reason: reason.to_owned() }
}

impl<'a, 'm> Mapping<'a, 'm> {
    /// The mapping of a permutation; it may add terms.
    pub(crate) fn new(
        space: &'a Space<'m>,
        terms: &mut Terms,
        permutation: &'a ModelPermutation,
    ) -> Result<Mapping<'a, 'm>, Rejection> {
        let locals: Vec<LocalMap> = space.rebecs().map(|rebec| permutation.expanded(rebec)).collect();
        let mut mapping =
            Mapping { space, permutation, locals, targets: Vec::new(), moves: Vec::new(), terms: Vec::new() };
        for element in space.all_elements() {
            let (target, moved) = mapping.place(element);
            mapping.targets.push(target);
            mapping.moves.push(moved);
        }
        let moved = mapping.targets.iter().zip(&mapping.moves).filter(|(_, moved)| moved.is_some());
        debug_assert!(distinct(moved.map(|(target, _)| target)), "two elements have one image");
        mapping.constants()?;
        for element in space.all_elements() {
            mapping.keeps_values(element)?;
        }
        let targets = &mapping.targets;
        debug_assert!(distinct(space.all_instances().map(|one| mapping.instance(one))), "two instances have one image");
        mapping.terms = terms.images(&|element| targets[element.index()]);
        Ok(mapping)
    }

    fn place(&self, element: ElementId) -> (ElementId, Option<Move>) {
        let space = self.space;
        match space.element(element).holder {
            Holder::Feature(_) => (element, Some(Move::stay(0))),
            Holder::State(rebec, place) => match &self.locals[rebec.index()].elements[place as usize] {
                Some(moved) => (space.state(self.permutation.image(rebec), moved.target as usize), Some(moved.clone())),
                None => (element, None),
            },
            Holder::Sender(instance) => (space.sender(self.instance(instance)), Some(Move::stay(0))),
            Holder::Parameter(instance, place) => {
                let (rebec, server) = space.meaning(instance);
                let moved = &self.locals[rebec.index()].servers[server.index()].parameters[place as usize];
                (space.parameter(self.instance(instance), moved.target as usize), Some(moved.clone()))
            }
        }
    }

    /// Checks that elements that a local map lists as constant have the listed values.
    fn constants(&self) -> Result<(), Rejection> {
        for (index, local) in self.locals.iter().enumerate().take(self.space.model.instances.len()) {
            let rebec = RebecId::from_index(index);
            let image = self.permutation.image(rebec);
            let here = local.own.iter().map(|&(place, value)| (self.space.state(rebec, place as usize), value));
            let there = local.image.iter().map(|&(place, value)| (self.space.state(image, place as usize), value));
            for (element, value) in here.chain(there) {
                if self.space.constant(element) != Some(value) {
                    return Err(differs(self.space.name(element), "its value is not always what it should be"));
                }
            }
        }
        Ok(())
    }

    fn keeps_values(&self, element: ElementId) -> Result<(), Rejection> {
        let (space, target) = (self.space, self.target(element));
        let Some(moved) = &self.moves[element.index()] else { return Ok(()) };
        let mut images: Vec<Value> = space.values(element).iter().map(|&value| self.value(element, value)).collect();
        images.sort_unstable();
        let same_sort = space.element(element).sort == space.element(target).sort;
        let wide = space.is_wide(element) && (!space.is_wide(target) || !moved.values.is_empty());
        if !same_sort || wide || images != space.values(target) {
            return Err(differs(space.name(element), "the values it may have are others at its image"));
        }
        Ok(())
    }

    /// The local map of a rebec.
    pub(crate) fn local(&self, rebec: RebecId) -> &LocalMap {
        &self.locals[self.space.stand_in(rebec).index()]
    }

    /// The image of an element.
    pub(crate) fn target(&self, element: ElementId) -> ElementId {
        self.targets[element.index()]
    }

    /// The value that the image of an element has where the element has `value`.
    pub(crate) fn value(&self, element: ElementId, value: Value) -> Value {
        let images = |rebec| self.permutation.image(rebec);
        self.moves[element.index()].as_ref().map_or(value, |moved| moved.value(value, &images))
    }

    /// The image of an instance.
    pub(crate) fn instance(&self, instance: InstanceId) -> InstanceId {
        let (rebec, server) = self.space.meaning(instance);
        let target = self.local(rebec).servers[server.index()].target;
        self.space.instance(self.permutation.image(rebec), target)
    }

    /// The image of a term.
    pub(crate) fn term(&self, term: TermId) -> TermId {
        self.terms[term.0 as usize]
    }

    /// Whether the permutation fixes an element with all its values.
    pub(crate) fn fixes(&self, element: ElementId) -> bool {
        let kept = |&value: &Value| self.value(element, value) == value;
        self.target(element) == element && self.space.values(element).iter().all(kept)
    }

    fn mask(&self, element: ElementId, mask: Mask) -> Mask {
        let (here, there) = (self.space.values(element), self.space.values(self.target(element)));
        let image = |(bit, &value): (usize, &Value)| {
            let place = there.binary_search(&self.value(element, value)).expect("values are kept");
            (mask >> bit & 1) << place
        };
        let moved: Mask = here.iter().enumerate().map(image).fold(0, |bits, bit| bits | bit);
        debug_assert_eq!(moved.count_ones(), mask.count_ones(), "an image has as many values");
        moved
    }

    /// The image of a union of cubes, ascending.
    pub(crate) fn cubes(&self, cubes: &[Cube]) -> Vec<Cube> {
        let image = |&(key, mask): &(Key, Mask)| match key {
            Key::Element(element) => (Key::Element(self.target(element)), self.mask(element, mask)),
            Key::Atom(atom) => (Key::Atom(self.term(atom)), mask),
        };
        let mut images: Vec<Cube> = cubes
            .iter()
            .map(|cube| {
                let mut cube: Cube = cube.iter().map(image).collect();
                cube.sort_unstable();
                cube
            })
            .collect();
        images.sort_unstable();
        images
    }
}
