//! [`Images`]: the permutations of the values of all classes that induce a permutation of literals.
//!
//! A candidate maps each element of a variable to an element of the same variable. The indices of both give images of the classes of the
//! dimensions, the images of live values those of the class of the values. Values that no literal shows stay where they are.
//!
//! # Invariants
//!
//! The map of each class is a permutation of all integers.

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::{Initial, Sequential, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::live::Live;
use super::uses::{Class, Uses};

/// The model of a candidate.
pub(super) struct View<'a> {
    pub(super) model: &'a Sequential,
    pub(super) literals: &'a Literals,
    pub(super) live: &'a Live,
}

/// Permutations of classes.
pub(super) struct Images {
    /// For each class the values that move, with their images.
    of: Vec<FxHashMap<i32, i32>>,
    /// The image of each element of a state, and the class of its values.
    targets: Vec<(usize, Class)>,
}

/// A map of values of one class that is being read.
#[derive(Clone, Default)]
struct Partial(FxHashMap<i32, i32>);

impl Partial {
    /// Adds a pair; whether it agrees with the others.
    fn note(&mut self, value: i32, image: i32) -> bool {
        *self.0.entry(value).or_insert(image) == image
    }

    /// The moved values, if the map permutes them.
    fn finish(self) -> Option<FxHashMap<i32, i32>> {
        let moved: FxHashMap<i32, i32> = self.0.into_iter().filter(|(value, image)| value != image).collect();
        let images: FxHashSet<i32> = moved.values().copied().collect();
        let is_permutation = images.len() == moved.len() && images.iter().all(|image| moved.contains_key(image));
        is_permutation.then_some(moved)
    }
}

impl View<'_> {
    /// The permutations of classes that induce a permutation of literals; `None` if there are none.
    pub(super) fn images(&self, uses: &Uses, permutation: &SparsePermutation) -> Option<Images> {
        if permutation.support().any(|point| point as usize >= self.literals.len()) {
            return None;
        }
        let moved: FxHashSet<usize> = permutation.support().map(|point| self.literals.literal(point).0).collect();
        let mut maps: Vec<Partial> = vec![Partial::default(); uses.classes.len()];
        let mut targets = Vec::with_capacity(self.literals.elements());
        for (number, variable) in self.model.variables.iter().enumerate() {
            let class = uses.values[number];
            let own = Elements::new(self.model, VariableId::from_index(number));
            limits::work(own.len as u64);
            let mut stays = false;
            for place in 0..own.len {
                let element = variable.offset + place;
                if !moved.contains(&element) {
                    stays = true;
                    let mut notes = uses.indices[number].iter().zip(own.at(place));
                    if !notes.all(|(&dimension, index)| maps[dimension as usize].note(index, index)) {
                        return None;
                    }
                    targets.push((element, class));
                    continue;
                }
                let target = self.moved(uses, permutation, (element, class), &mut maps)?;
                let to = target.checked_sub(variable.offset).filter(|&to| to < own.len)?;
                let mut notes = uses.indices[number].iter().zip(own.at(place).zip(own.at(to)));
                if !notes.all(|(&dimension, (from, to))| maps[dimension as usize].note(from, to)) {
                    return None;
                }
                targets.push((target, class));
            }
            let live = self.live.of(VariableId::from_index(number));
            if stays && !live.iter().all(|&value| maps[class as usize].note(value, value)) {
                return None;
            }
        }
        let of = maps.into_iter().map(Partial::finish).collect::<Option<Vec<_>>>()?;
        Some(Images { of, targets })
    }

    /// The target of an element some literal of which moves; the images of its live values are noted.
    fn moved(
        &self,
        uses: &Uses,
        permutation: &SparsePermutation,
        (element, class): (usize, Class),
        maps: &mut [Partial],
    ) -> Option<usize> {
        debug_assert!((class as usize) < uses.classes.len());
        let (variable, _) = self.model.element(element);
        let low = self.model.domain(self.model.variable(variable).sort).bounds().0;
        let image = |value: i32| self.literals.literal(permutation.image(self.literals.point(element, value)));
        if self.literals.is_wide(element) {
            let (target, _) = image(low);
            return self.literals.fit(element, target).then_some(target);
        }
        let mut target = None;
        for &value in self.live.of(variable) {
            let (to, result) = image(value);
            if *target.get_or_insert(to) != to || !maps[class as usize].note(value, result) {
                return None;
            }
        }
        target.or_else(|| Some(image(low).0))
    }
}

/// The elements of a variable.
struct Elements {
    /// The least index and the number of indices of each dimension.
    dimensions: Vec<(i32, usize)>,
    len: usize,
}

impl Elements {
    fn new(model: &Sequential, id: VariableId) -> Elements {
        let variable = model.variable(id);
        let domains = variable.indices.iter().map(|&sort| model.domain(sort));
        let dimensions = domains.map(|domain| (domain.bounds().0, domain.size())).collect();
        Elements { dimensions, len: model.len_of(variable) }
    }

    /// The indices of an element, the first one first.
    fn at(&self, place: usize) -> impl Iterator<Item = i32> + '_ {
        let mut size = self.len;
        let mut rest = place;
        self.dimensions.iter().map(move |&(low, count)| {
            size /= count;
            let step = i32::try_from(rest / size).expect("sorts are bounded");
            rest %= size;
            low + step
        })
    }
}

impl Images {
    /// Whether some value of a class moves.
    pub(super) fn moves(&self, class: Class) -> bool {
        !self.of[class as usize].is_empty()
    }

    /// The values of a class that move, with their images.
    pub(super) fn moved(&self, class: Class) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.of[class as usize].iter().map(|(&value, &image)| (value, image))
    }

    /// The image of a value of a class.
    pub(super) fn image(&self, class: Class, value: i32) -> i32 {
        self.of[class as usize].get(&value).copied().unwrap_or(value)
    }

    /// The image of a state.
    pub(super) fn apply(&self, state: &[i32]) -> Vec<i32> {
        let mut image = state.to_vec();
        for (&value, &(target, class)) in state.iter().zip(&self.targets) {
            image[target] = self.image(class, value);
        }
        image
    }

    /// Whether the image of each initial state is initial.
    pub(super) fn keep_initial(&self, model: &Sequential) -> bool {
        let mut first = Vec::with_capacity(self.targets.len());
        for variable in &model.variables {
            match &variable.initial {
                Initial::Any => first.extend(std::iter::repeat_n(None, model.len_of(variable))),
                Initial::Values(values) => first.extend(values.iter().copied().map(Some)),
            }
        }
        let product = first.iter().zip(&self.targets).all(|(&value, &(target, class))| {
            // An element with any value goes to an element of the same variable, and its class keeps the domain.
            value.map(|value| self.image(class, value)) == first[target]
        });
        if model.starts.is_empty() {
            return product;
        }
        let mut starts: FxHashSet<Vec<i32>> = model.starts.iter().cloned().collect();
        match first.into_iter().collect::<Option<Vec<i32>>>() {
            Some(first) => _ = starts.insert(first),
            None if !product => return false,
            None => {}
        }
        starts.iter().all(|start| starts.contains(&self.apply(start)))
    }

    /// The permutation of literals with this action on live ones, which moves as few others as it can: where an element moves, its other
    /// literals move with it in ascending order.
    pub(super) fn permutation(&self, view: &View<'_>) -> SparsePermutation {
        let mut pairs = Vec::new();
        for (element, &(target, class)) in self.targets.iter().enumerate() {
            if element == target && !self.moves(class) {
                continue;
            }
            let (variable, _) = view.model.element(element);
            let domain = view.model.domain(view.model.variable(variable).sort);
            let point = |element: usize, value: i32| view.literals.point(element, value);
            if view.literals.is_wide(element) {
                pairs.push((point(element, domain.bounds().0), point(target, domain.bounds().0)));
                continue;
            }
            let live = view.live.of(variable);
            pairs.extend(live.iter().map(|&value| (point(element, value), point(target, self.image(class, value)))));
            // The elements are of one variable: their live values are the same.
            if element != target {
                let rest = domain.values().filter(|value| live.binary_search(value).is_err());
                pairs.extend(rest.map(|value| (point(element, value), point(target, value))));
            }
        }
        SparsePermutation::from_pairs(pairs).expect("live values are permuted, and elements too")
    }
}
