//! Permutations of literals as readable text.
//!
//! If a permutation of the values of sorts induces the permutation, its cycles are cycles of these values: `P 1` is the value 1 of `P`.
//! Otherwise elements that keep their values move as a whole, `label[1]`, and the rest are literals, `label=0`.
//!
//! A sort is one of processes if it is the first index of some variable, or if weak fairness uses its values as processes. A sort whose
//! values move as processes do, number by number, also identifies processes. All others are data.

use std::collections::{BTreeMap, BTreeSet};

use csp::Literals;
use engine::{Group, SparsePermutation, Structure};
use frontend::sequential::{Sequential, SortId};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::UnGraphMap;

use super::ValidatedGroup;
use crate::classify::Kind;

/// A permutation of literals in the names of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// Cycles of length two and more.
    pub cycles: Vec<Vec<String>>,
    /// The objects that move.
    pub kind: Kind,
    /// The sorts whose values move, if a permutation of values of sorts induces the permutation.
    pub sorts: Option<Vec<SortId>>,
}

/// Permutations of sorts: the images of values.
type SortImages = BTreeMap<SortId, BTreeMap<i32, i32>>;

/// The most pairs of a generator and an element for which permutations of sorts are looked for.
const MOST_INDUCED: usize = 1 << 24;

/// The names of the points of one process.
pub struct Names<'a> {
    model: &'a Sequential,
    literals: &'a Literals,
    live: &'a [Vec<i32>],
    /// Whether there are few enough elements to look for permutations of sorts.
    by_sorts: bool,
}

impl<'a> Names<'a> {
    /// The names of the points of a group.
    pub fn new(model: &'a Sequential, group: &'a ValidatedGroup) -> Names<'a> {
        let literals = group.literals();
        let by_sorts = group.generators().len().saturating_mul(literals.elements()) <= MOST_INDUCED;
        Names { model, literals, live: group.live(), by_sorts }
    }

    /// The description of a permutation of literals.
    pub fn describe(&self, permutation: &SparsePermutation) -> Description {
        match self.induced(permutation) {
            Some(images) => self.by_sorts(&images),
            None => self.by_elements(permutation),
        }
    }

    /// The orbits of more than one object: of values of sorts if these induce all generators, otherwise of elements and literals.
    pub fn orbits(&self, group: &ValidatedGroup) -> Vec<Vec<String>> {
        let induced: Option<Vec<SortImages>> = group.generators().iter().map(|one| self.induced(one)).collect();
        if let Some(list) = induced {
            let distinguished: BTreeSet<SortId> = list.iter().flat_map(|images| self.distinguished(images)).collect();
            let mut joined = UnGraphMap::<(SortId, i32), ()>::new();
            for MovedValue { sort, from, to } in list.iter().flat_map(moved) {
                if distinguished.contains(&sort) {
                    joined.add_edge((sort, from), (sort, to), ());
                }
            }
            let mut orbits = kosaraju_scc(&joined);
            orbits.iter_mut().for_each(|orbit| orbit.sort_unstable());
            orbits.sort_unstable();
            let names =
                |orbit: Vec<(SortId, i32)>| orbit.into_iter().map(|(sort, value)| self.value(sort, value)).collect();
            return orbits.into_iter().map(names).collect();
        }
        let turned: BTreeSet<usize> = group.generators().iter().flat_map(|one| self.turned(one)).collect();
        let mut orbits: Vec<Vec<String>> = Vec::new();
        for orbit in group.orbits() {
            let places: Vec<(usize, i32)> = orbit.iter().map(|&point| self.literals.literal(point)).collect();
            if places.iter().any(|(element, _)| turned.contains(element)) {
                let live = places.iter().filter(|&&(element, value)| self.is_live(element, value));
                let names: Vec<String> = live.map(|&(element, value)| self.literal(element, value)).collect();
                orbits.extend((names.len() > 1).then_some(names));
                continue;
            }
            let mut elements: Vec<usize> = places.iter().map(|place| place.0).collect();
            elements.dedup();
            let names: Vec<String> = elements.iter().map(|&element| self.model.element_name(element)).collect();
            if names.len() > 1 && !orbits.contains(&names) {
                orbits.push(names);
            }
        }
        orbits
    }

    /// The name of the group, from its action on the values of sorts where these induce the group.
    pub fn structure(&self, group: &ValidatedGroup) -> Structure {
        let induced: Option<Vec<SortImages>> = group.generators().iter().map(|one| self.induced(one)).collect();
        self.on_sorts(&induced.unwrap_or_default())
            .filter(|action| action.order() == group.order())
            .map_or_else(|| group.group().name(), |action| action.name())
    }

    /// The group of the action on the values of sorts.
    fn on_sorts(&self, list: &[SortImages]) -> Option<Group> {
        let mut points: BTreeMap<(SortId, i32), u32> = BTreeMap::new();
        for MovedValue { sort, from, .. } in list.iter().flat_map(moved) {
            let next = u32::try_from(points.len()).ok()?;
            points.entry((sort, from)).or_insert(next);
        }
        let generators = list.iter().map(|images| {
            let pairs = moved(images).map(|MovedValue { sort, from, to }| (points[&(sort, from)], points[&(sort, to)]));
            SparsePermutation::from_pairs(pairs.collect()).ok()
        });
        Group::from_generators(points.len(), generators.collect::<Option<Vec<_>>>()?).ok()
    }

    /// The name of a point.
    pub fn point(&self, point: u32) -> String {
        let (element, value) = self.literals.literal(point);
        self.literal(element, value)
    }

    fn literal(&self, element: usize, value: i32) -> String {
        format!("{}={}", self.model.element_name(element), self.model.element_value(element, value))
    }

    fn value(&self, sort: SortId, value: i32) -> String {
        format!("{} {}", self.model.sort(sort).name, self.model.value_name(sort, value))
    }

    fn is_live(&self, element: usize, value: i32) -> bool {
        self.live.get(element).is_none_or(|live| live.binary_search(&value).is_ok())
    }

    /// The live literals of the elements that a permutation moves, with their images.
    fn images(&self, permutation: &SparsePermutation) -> Vec<((usize, i32), (usize, i32))> {
        limits::work(permutation.pairs().len() as u64);
        let pairs = permutation.pairs().iter();
        let literals = pairs.map(|&(point, image)| (self.literals.literal(point), self.literals.literal(image)));
        literals.filter(|&((element, value), _)| self.is_live(element, value)).collect()
    }

    /// The permutations of sorts that induce a permutation of literals, if there are any.
    fn induced(&self, permutation: &SparsePermutation) -> Option<SortImages> {
        if !self.by_sorts {
            return None;
        }
        let model = self.model;
        limits::work(self.literals.elements() as u64);
        let sorts = model.element_sorts();
        let mut images = SortImages::new();
        let mut note = |sort: SortId, from: i32, to: i32| {
            let known = images.entry(sort).or_default();
            *known.entry(from).or_insert(to) == to
        };
        let moved = self.images(permutation);
        let mut target_of: BTreeMap<usize, usize> = BTreeMap::new();
        let mut value_of: BTreeMap<(usize, i32), i32> = BTreeMap::new();
        for ((element, value), (target, image)) in moved {
            if *target_of.entry(element).or_insert(target) != target {
                return None;
            }
            value_of.insert((element, value), image);
        }
        for (element, &sort) in sorts.iter().enumerate() {
            let (variable, indices) = model.element(element);
            let target = target_of.get(&element).copied().unwrap_or(element);
            let (other, places) = model.element(target);
            if variable != other {
                return None;
            }
            let dimensions = &model.variable(variable).indices;
            let kept = dimensions.iter().zip(indices.iter().zip(&places));
            for (&dimension, (&from, &to)) in kept {
                if !note(dimension, from, to) {
                    return None;
                }
            }
            for &value in self.live.get(element)? {
                if !note(sort, value, value_of.get(&(element, value)).copied().unwrap_or(value)) {
                    return None;
                }
            }
        }
        images.values().all(|sort| sort.keys().eq(sort.values().collect::<BTreeSet<_>>())).then_some(images)
    }

    fn by_sorts(&self, images: &SortImages) -> Description {
        let distinguished = self.distinguished(images);
        let mut cycles = Vec::new();
        for &sort in &distinguished {
            let next = &images[&sort];
            let named = cycles_of(next.keys().copied(), |value| next[&value]);
            cycles.extend(
                named.into_iter().map(|cycle| cycle.into_iter().map(|value| self.value(sort, value)).collect()),
            );
        }
        let processes = distinguished.iter().filter(|&&sort| self.is_process(sort)).count();
        let kind = match processes {
            0 => Kind::Data,
            all if all == distinguished.len() => Kind::Process,
            _ => Kind::Mixed,
        };
        let mut sorts: Vec<SortId> = moved(images).map(|moved| moved.sort).collect();
        sorts.dedup();
        Description { cycles, kind, sorts: Some(sorts) }
    }

    /// The sorts that move, without those whose values move as those of a sort of processes.
    fn distinguished(&self, images: &SortImages) -> BTreeSet<SortId> {
        let sorts: BTreeSet<SortId> = moved(images).map(|moved| moved.sort).collect();
        let follows_process = |sort| sorts.iter().any(|&other| self.is_process(other) && follows(images, sort, other));
        sorts.iter().copied().filter(|&sort| self.is_process(sort) || !follows_process(sort)).collect()
    }

    /// Whether the values of a sort are processes.
    fn is_process(&self, sort: SortId) -> bool {
        self.model.fair == Some(sort)
            || self.model.variables.iter().any(|variable| variable.indices.first() == Some(&sort))
    }

    /// The elements of which some value moves to another value.
    fn turned(&self, permutation: &SparsePermutation) -> BTreeSet<usize> {
        let images = self.images(permutation).into_iter();
        images.filter(|((_, value), (_, image))| value != image).flat_map(|((from, _), (to, _))| [from, to]).collect()
    }

    fn by_elements(&self, permutation: &SparsePermutation) -> Description {
        let images = self.images(permutation);
        let turned = self.turned(permutation);
        let elements: BTreeMap<usize, usize> = images.iter().map(|&((from, _), (to, _))| (from, to)).collect();
        let mut cycles = Vec::new();
        let mut distinguished: BTreeSet<usize> = BTreeSet::new();
        for cycle in cycles_of(elements.keys().copied(), |element| elements.get(&element).copied().unwrap_or(element)) {
            if cycle.iter().all(|element| !turned.contains(element)) {
                distinguished.extend(&cycle);
                cycles.push(cycle.into_iter().map(|element| self.model.element_name(element)).collect());
            }
        }
        let whole: BTreeMap<(usize, i32), (usize, i32)> = images.iter().copied().collect();
        for cycle in cycles_of(whole.keys().copied(), |place| whole.get(&place).copied().unwrap_or(place)) {
            if cycle.iter().any(|(element, _)| !distinguished.contains(element)) {
                cycles.push(cycle.into_iter().map(|(element, value)| self.literal(element, value)).collect());
            }
        }
        let moves = elements.iter().any(|(from, to)| from != to);
        let kind = match (moves, turned.is_empty()) {
            (false, _) => Kind::Data,
            (true, true) => Kind::Process,
            (true, false) => Kind::Mixed,
        };
        Description { cycles, kind, sorts: None }
    }
}

/// A value that moves, with its image.
struct MovedValue {
    sort: SortId,
    from: i32,
    to: i32,
}

/// The values that move.
fn moved(images: &SortImages) -> impl Iterator<Item = MovedValue> + '_ {
    let all =
        images.iter().flat_map(|(&sort, list)| list.iter().map(move |(&from, &to)| MovedValue { sort, from, to }));
    all.filter(|moved| moved.from != moved.to)
}

/// Whether the values of a sort move as the numbers of another one do.
fn follows(images: &SortImages, sort: SortId, other: SortId) -> bool {
    images[&sort].iter().all(|(value, image)| images[&other].get(value).unwrap_or(value) == image)
}

/// The cycles of length two and more of a map, each from its first point.
fn cycles_of<T: Copy + Ord>(points: impl Iterator<Item = T>, next: impl Fn(T) -> T) -> Vec<Vec<T>> {
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in points {
        let mut cycle = Vec::new();
        let mut at = start;
        while seen.insert(at) {
            cycle.push(at);
            at = next(at);
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}
