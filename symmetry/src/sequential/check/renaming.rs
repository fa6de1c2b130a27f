//! Permutations of points as renamings of elements and values, and back.

use std::rc::Rc;

use engine::SparsePermutation;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Validator;
use crate::permutation::distinct;
use crate::sequential::diagram::Renaming;
use crate::sequential::instances::{Instance, Instances};
use crate::sequential::rejection::Rejection;

impl Validator<'_> {
    /// The first point of an element.
    pub(super) fn point(&self, element: usize) -> u32 {
        let (variable, _) = self.model.element(element);
        self.literals.point(element, self.model.domain(self.model.variable(variable).sort).bounds().0)
    }

    /// The value of an element that has the same one in every state. The image of a constant under a symmetry is one.
    pub(in crate::sequential) fn constant(&self, element: usize) -> Option<i32> {
        let Instances { list, initial, starts, diagrams } = &self.instances;
        if !self.literals.is_wide(element) {
            let live = diagrams.live(element);
            return (live.len() == 1).then(|| live[0]);
        }
        let is_kept = |instance: &Instance| {
            let behaviour = instance.behaviour.as_ref();
            behaviour.is_some_and(|behaviour| behaviour.outputs.iter().all(|output| output.0 != element))
        };
        let same = |start: &Vec<i32>| initial[element] == Some(start[element]);
        initial[element].filter(|_| starts.iter().all(same) && list.iter().all(is_kept))
    }

    /// The permutation with this action on live literals, which moves as few others as it can: where an element moves, its other literals
    /// move with it in ascending order. With `still` it does not move elements with one live value, which does not matter to states.
    pub(in crate::sequential) fn permutation(&self, renaming: &Renaming, still: bool) -> SparsePermutation {
        let mut pairs = Vec::new();
        let point = |(element, value): (usize, i32)| self.literals.point(element, value);
        for (element, &target) in renaming.elements.iter().enumerate() {
            let are_constant = || self.constant(element).is_some() && self.constant(target).is_some();
            if renaming.fixes(element) || still && are_constant() {
                continue;
            }
            if self.literals.is_wide(element) {
                pairs.push((self.point(element), self.point(target)));
                continue;
            }
            for &value in self.instances.diagrams.live(element) {
                let result = renaming.image(element, value);
                pairs.push((point((element, value)), point((target, result))));
            }
            if target != element {
                let rest = |element: usize| {
                    let live = self.instances.diagrams.live(element);
                    let (variable, _) = self.model.element(element);
                    let values = self.model.domain(self.model.variable(variable).sort).values();
                    values.filter(move |value| live.binary_search(value).is_err())
                };
                pairs.extend(
                    rest(element).zip(rest(target)).map(|(from, to)| (point((element, from)), point((target, to)))),
                );
            }
        }
        SparsePermutation::from_pairs(pairs).expect("live literals are permuted, and the others too")
    }

    pub(super) fn moved_name(&self, renaming: &Renaming) -> Option<(usize, usize)> {
        let moved = self.fixed.iter().filter(|&(&element, _)| !renaming.fixes(element));
        moved.map(|(&element, &place)| (element, place)).min()
    }

    /// The action of the permutation on elements and live values.
    pub(in crate::sequential) fn renaming(&self, permutation: &SparsePermutation) -> Result<Renaming, Rejection> {
        let points = self.literals.len();
        if permutation.support().any(|point| point as usize >= points) {
            return Err(Rejection::NoLiteral);
        }
        let count = self.literals.elements();
        let mut renaming =
            Renaming { elements: (0..count).collect(), places: vec![None; count], values: FxHashMap::default() };
        let mut moved: Vec<usize> = permutation.support().map(|point| self.literals.literal(point).0).collect();
        moved.dedup();
        for element in moved {
            self.rename_element(element, permutation, &mut renaming)?;
        }
        let images: FxHashSet<usize> = renaming.elements.iter().copied().collect();
        assert_eq!(images.len(), count, "a permutation of live literals permutes elements");
        Ok(renaming)
    }

    fn rename_element(
        &self,
        element: usize,
        permutation: &SparsePermutation,
        renaming: &mut Renaming,
    ) -> Result<(), Rejection> {
        if self.literals.is_wide(element) {
            return self.rename_wide(element, permutation, renaming);
        }
        let live = self.instances.diagrams.live(element);
        limits::work(live.len() as u64);
        let image = |value: i32| self.literals.literal(permutation.image(self.literals.point(element, value)));
        let (target, _) = image(live[0]);
        let others = self.instances.diagrams.live(target);
        if !self.literals.fit(element, target) {
            return Err(Rejection::Torn {
                literal: self.literal(element, live[0]),
                image: self.literal(target, image(live[0]).1),
            });
        }
        let mut places = Vec::with_capacity(live.len());
        for &value in live {
            let (to, result) = image(value);
            let place = others.binary_search(&result);
            let (true, Ok(place)) = (to == target && others.len() == live.len(), place) else {
                return Err(Rejection::Torn { literal: self.literal(element, value), image: self.literal(to, result) });
            };
            places.push(place);
            if result != value {
                renaming.values.insert((element, value), result);
            }
        }
        renaming.elements[element] = target;
        debug_assert!(distinct(places.iter()), "two live values have one image");
        let same = places.iter().copied().eq(0..places.len());
        renaming.places[element] = (!same).then(|| Rc::from(places));
        Ok(())
    }

    /// Maps a wide element to one of the same bounds; it keeps its value.
    fn rename_wide(
        &self,
        element: usize,
        permutation: &SparsePermutation,
        renaming: &mut Renaming,
    ) -> Result<(), Rejection> {
        let (target, _) = self.literals.literal(permutation.image(self.point(element)));
        if !self.literals.fit(element, target) {
            let literal = format!("{}=*", self.model.element_name(element));
            return Err(Rejection::Torn { literal, image: format!("{}=*", self.model.element_name(target)) });
        }
        renaming.elements[element] = target;
        Ok(())
    }
}
