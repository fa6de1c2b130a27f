//! [`Images`]: the permutations of the values of all classes that induce a permutation of literals.
//!
//! A candidate maps each element of a variable to an element of the same variable. The indices of both give images of the classes of the
//! dimensions, the images of live values those of the class of the values. Values that no literal shows, such as arguments of events, move as
//! a table or a function demands of which they are the results; all others stay where they are.
//!
//! # Invariants
//!
//! The map of each class is a permutation of all integers. Elements that move go to elements that move.
//!
//! # Complexity
//!
//! Linear in the literals that a candidate moves, and in the variables; where values of a class move, in the elements with such values.

use std::ops::Range;

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::interpret::State;
use frontend::sequential::{Domain, Initial, Sequential, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::live::Live;
use super::obstacles::{Obstacle, Obstruction};
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
    /// The elements with literals that move, ascending.
    moved: Vec<Moved>,
    /// The class of the values of each variable and local.
    classes: Vec<Class>,
}

/// An element with literals that move, and the element to which it goes.
struct Moved {
    element: usize,
    target: usize,
}

/// A map of values of one class that is being read.
#[derive(Clone, Default)]
struct Partial<'a> {
    images: FxHashMap<i32, i32>,
    still: Vec<Still<'a>>,
}

/// Values that stay.
#[derive(Clone)]
enum Still<'a> {
    /// These, in ascending order.
    Listed(&'a [i32]),
    /// All values of a dimension but these.
    AllBut(&'a Domain, FxHashSet<i32>),
}

impl Still<'_> {
    fn has(&self, value: i32) -> bool {
        match self {
            Still::Listed(list) => list.binary_search(&value).is_ok(),
            Still::AllBut(domain, others) => domain.contains(value) && !others.contains(&value),
        }
    }
}

impl Partial<'_> {
    /// Adds a pair; whether it agrees with the others.
    fn note(&mut self, value: i32, image: i32) -> bool {
        *self.images.entry(value).or_insert(image) == image
    }

    /// The moved values, if the map permutes them.
    fn finish(self) -> Option<FxHashMap<i32, i32>> {
        let moved: FxHashMap<i32, i32> = self.images.into_iter().filter(|(value, image)| value != image).collect();
        let images: FxHashSet<i32> = moved.values().copied().collect();
        let is_permutation = images.len() == moved.len() && images.iter().all(|image| moved.contains_key(image));
        let agrees = || !self.still.iter().any(|still| moved.keys().any(|&value| still.has(value)));
        (is_permutation && agrees()).then_some(moved)
    }
}

impl View<'_> {
    /// The permutations of classes that induce a permutation of literals, which leaves no variable; `None` if there are none.
    pub(super) fn images(&self, uses: &Uses, permutation: &SparsePermutation) -> Option<Images> {
        let mut elements: Vec<usize> = permutation.support().map(|point| self.literals.literal(point).0).collect();
        elements.dedup();
        limits::work(4 * (uses.classes.len() + self.model.variables.len()) as u64);
        let mut maps: Vec<Partial<'_>> = vec![Partial::default(); uses.classes.len()];
        let mut moved = Vec::with_capacity(elements.len());
        let mut rest = &elements[..];
        for (number, variable) in self.model.variables.iter().enumerate() {
            let end = variable.offset + self.model.len_of(variable);
            let (own, others) = rest.split_at(rest.partition_point(|&element| element < end));
            rest = others;
            self.read(uses, permutation, number, own, &mut maps, &mut moved)?;
        }
        assert!(rest.is_empty(), "every element that moves is one of a variable");
        debug_assert!(moved.is_sorted_by_key(|moved| moved.element), "moved elements are searched by order");
        let of = maps.into_iter().map(Partial::finish).collect::<Option<Vec<_>>>()?;
        let mut images = Images { of, moved, classes: uses.values.clone() };
        while images.complete(self.model, uses) {}
        Some(images)
    }

    /// Whether a literal goes to one of another variable; `None` if a point that moves is no literal.
    pub(super) fn leaves_a_variable(&self, permutation: &SparsePermutation) -> Option<bool> {
        if permutation.support().any(|point| point as usize >= self.literals.len()) {
            return None;
        }
        let variable = |point: u32| self.variable_of(self.literals.literal(point).0);
        Some(permutation.support().any(|point| variable(point) != variable(permutation.image(point))))
    }

    /// The number of the variable of an element.
    fn variable_of(&self, element: usize) -> usize {
        self.model.variables.partition_point(|variable| variable.offset <= element)
    }

    /// Reads the images of indices and values off the elements of one variable, of which some move; `None` at a contradiction.
    fn read<'v>(
        &'v self,
        uses: &Uses,
        permutation: &SparsePermutation,
        number: usize,
        elements: &[usize],
        maps: &mut [Partial<'v>],
        moved: &mut Vec<Moved>,
    ) -> Option<()> {
        let id = VariableId::from_index(number);
        let (variable, class, dimensions) = (self.model.variable(id), uses.values[number], &uses.indices[number]);
        let own = Elements::new(self.model, id);
        // By dimension, the number of elements that move with each index.
        let mut counts: Vec<FxHashMap<i32, usize>> = vec![FxHashMap::default(); dimensions.len()];
        for &element in elements {
            limits::work(1 + dimensions.len() as u64);
            let target = self.moved(uses, permutation, element, class, maps)?;
            let to = target.checked_sub(variable.offset).filter(|&to| to < own.len)?;
            let indices = own.at(element - variable.offset).zip(own.at(to));
            for ((&dimension, count), (from, to)) in dimensions.iter().zip(&mut counts).zip(indices) {
                if !maps[dimension as usize].note(from, to) {
                    return None;
                }
                *count.entry(from).or_default() += 1;
            }
            moved.push(Moved { element, target });
        }
        if elements.len() == own.len {
            return Some(());
        }
        // Some element stays, with its indices and live values.
        maps[class as usize].still.push(Still::Listed(self.live.of(id)));
        for ((&dimension, count), &sort) in dimensions.iter().zip(counts).zip(&variable.indices) {
            let domain = self.model.domain(sort);
            let whole = own.len / domain.size();
            let others = count.into_iter().filter(|&(_, count)| count == whole).map(|(index, _)| index).collect();
            maps[dimension as usize].still.push(Still::AllBut(domain, others));
        }
        Some(())
    }

    /// The target of an element some literal of which moves; the images of its live values are noted.
    fn moved(
        &self,
        uses: &Uses,
        permutation: &SparsePermutation,
        element: usize,
        class: Class,
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
        debug_assert!(place < size, "an element of the variable");
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
    /// Moves values that no literal shows as tables and functions demand; whether there were some.
    ///
    /// Any permutation of them will do that satisfies the constraints. One that does not is noticed like any other.
    fn complete(&mut self, model: &Sequential, uses: &Uses) -> bool {
        let mut is_more = false;
        for (class, pairs) in uses.demanded(model, self) {
            let mut map = Partial::default();
            let agree = pairs.into_iter().all(|(value, image)| map.note(value, image));
            let map = map.finish().filter(|map| agree && !map.is_empty());
            let Some(map) = map.filter(|_| !self.moves(class)) else { continue };
            self.of[class as usize] = map;
            is_more = true;
        }
        is_more
    }

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

    /// The element to which an element goes.
    fn target(&self, element: usize) -> usize {
        self.moved
            .binary_search_by_key(&element, |moved| moved.element)
            .map_or(element, |place| self.moved[place].target)
    }

    /// The elements of a variable that move.
    fn moved_of(&self, elements: &Range<usize>) -> &[Moved] {
        let place = |end: usize| self.moved.partition_point(|moved| moved.element < end);
        &self.moved[place(elements.start)..place(elements.end)]
    }

    /// Writes the images of the values of a variable.
    fn write(&self, number: usize, elements: &Range<usize>, values: &[i32], images: &mut [i32]) {
        let class = self.classes[number];
        if self.moves(class) {
            for (image, &value) in images.iter_mut().zip(values) {
                *image = self.image(class, value);
            }
        }
        for &Moved { element, target } in self.moved_of(elements) {
            images[target - elements.start] = self.image(class, values[element - elements.start]);
        }
    }

    /// The image of a state.
    pub(super) fn apply(&self, model: &Sequential, state: &[i32]) -> Vec<i32> {
        let mut image = state.to_vec();
        debug_assert_eq!(state.len(), model.state_len(), "a state has every element");
        for (number, elements) in ranges(model) {
            self.write(number, &elements, &state[elements.clone()], &mut image[elements.clone()]);
        }
        image
    }

    /// Whether the image of each initial state is initial.
    pub(super) fn keep_initial(&self, model: &Sequential) -> bool {
        let product = ranges(model).all(|(number, elements)| self.keeps_initial_values(model, number, &elements));
        keeps_starts(model, product, |start| self.apply(model, start))
    }

    /// Whether the initial values of a variable are the same after the exchange.
    fn keeps_initial_values(&self, model: &Sequential, number: usize, elements: &Range<usize>) -> bool {
        match &model.variables[number].initial {
            // An element with any value goes to an element of the same variable, and its class keeps the domain.
            Initial::Any => true,
            Initial::Values(values) if self.moves(self.classes[number]) => {
                let mut images = values.clone();
                self.write(number, elements, values, &mut images);
                images == *values
            }
            Initial::Values(values) => {
                let value = |element: usize| values[element - elements.start];
                self.moved_of(elements).iter().all(|moved| value(moved.element) == value(moved.target))
            }
        }
    }

    /// The places of the initial states that are not mapped to initial states.
    pub(super) fn initial_obstacles(&self, model: &Sequential) -> Vec<Obstacle> {
        if self.keep_initial(model) {
            return Vec::new();
        }
        if !model.starts.is_empty() {
            return vec![Obstacle { span: model.span, reason: Obstruction::Start }];
        }
        let moved = ranges(model).filter(|(number, elements)| !self.keeps_initial_values(model, *number, elements));
        let place = |(number, _): (usize, _)| model.variables[number].initial_span;
        moved.map(|moved| Obstacle { span: place(moved), reason: Obstruction::Initial }).collect()
    }

    /// The permutation of literals with this action on live ones, which moves as few others as it can: where an element moves, its other
    /// literals move with it in ascending order.
    pub(super) fn permutation(&self, view: &View<'_>) -> SparsePermutation {
        let mut pairs = Vec::new();
        for (number, elements) in ranges(view.model) {
            let class = self.classes[number];
            if self.moves(class) {
                elements.for_each(|element| self.add_pairs(view, number, element, self.target(element), &mut pairs));
            } else {
                let moved = self.moved_of(&elements).iter().filter(|moved| moved.element != moved.target);
                moved.for_each(|moved| self.add_pairs(view, number, moved.element, moved.target, &mut pairs));
            }
        }
        SparsePermutation::from_pairs(pairs).expect("live values are permuted, and elements too")
    }

    /// Adds the literals of an element of a variable, with their images.
    fn add_pairs(&self, view: &View<'_>, number: usize, element: usize, target: usize, pairs: &mut Vec<(u32, u32)>) {
        let (id, class) = (VariableId::from_index(number), self.classes[number]);
        let domain = view.model.domain(view.model.variable(id).sort);
        let point = |element: usize, value: i32| view.literals.point(element, value);
        if view.literals.is_wide(element) {
            pairs.push((point(element, domain.bounds().0), point(target, domain.bounds().0)));
            return;
        }
        let live = view.live.of(id);
        pairs.extend(live.iter().map(|&value| (point(element, value), point(target, self.image(class, value)))));
        // The elements are of one variable: their live values are the same.
        if element != target {
            let rest = domain.values().filter(|value| live.binary_search(value).is_err());
            pairs.extend(rest.map(|value| (point(element, value), point(target, value))));
        }
    }
}

/// Whether the image of each initial state is initial; `product`: whether the initial values of the variables are mapped to each other.
pub(super) fn keeps_starts(model: &Sequential, product: bool, image: impl Fn(&State) -> State) -> bool {
    if model.starts.is_empty() {
        return product;
    }
    let mut starts: FxHashSet<State> = model.starts.iter().cloned().collect();
    let first = model.variables.iter().map(|variable| match &variable.initial {
        Initial::Any => None,
        Initial::Values(values) => Some(&values[..]),
    });
    match first.collect::<Option<Vec<_>>>() {
        Some(first) => _ = starts.insert(first.concat()),
        None if !product => return false,
        None => {}
    }
    starts.iter().all(|start| starts.contains(&image(start)))
}

/// The elements of each variable of the state, by its number.
fn ranges(model: &Sequential) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
    let ranges = model.variables.iter().map(|variable| variable.offset..variable.offset + model.len_of(variable));
    ranges.enumerate()
}
