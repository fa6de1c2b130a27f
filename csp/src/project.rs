//! From automorphisms of the graph to permutations of the literals of the state.
//!
//! Literals are points `0..`, element by element, the values of the element's sort in ascending order. An element of a wide sort is one
//! point, whatever its value: it moves as a whole, to elements of the same bounds, and keeps its value. A literal that is not live is in
//! no graph: where an element is mapped to another, its literals that are not live are mapped to those of the other in ascending order.
//!
//! # Soundness
//!
//! No reachable state has a literal that is not live, so its image does not matter.

use engine::SparsePermutation;
use frontend::sequential::{Domain, Sequential};

use crate::csp::Csp;
use crate::graph::{ColouredGraph, Vertex};

/// The most values of a sort whose values are distinguished.
pub const MAX_NARROW: usize = 1 << 10;

/// Whether the elements of a sort are never permuted by value: it has too many values, or they are numbers.
pub fn is_wide(domain: &Domain) -> bool {
    domain.size() > MAX_NARROW || matches!(domain, Domain::Numbers { .. })
}

/// The literals of a process as points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Literals {
    /// The first point of each element, and the number of points.
    starts: Vec<u32>,
    /// The least value of each element.
    lows: Vec<i32>,
    /// The greatest value of each element.
    highs: Vec<i32>,
    wide: Vec<bool>,
}

impl Literals {
    /// The literals of a process.
    ///
    /// # Panics
    /// If they do not fit into 32 bits.
    pub fn new(model: &Sequential) -> Literals {
        let mut starts = vec![0u32];
        let (mut lows, mut highs, mut wide) = (Vec::new(), Vec::new(), Vec::new());
        for sort in model.element_sorts() {
            let domain = model.domain(sort);
            let last = starts[starts.len() - 1];
            let size = if is_wide(domain) { 1 } else { u32::try_from(domain.size()).expect("sorts are bounded") };
            starts.push(last.checked_add(size).expect("the number of literals is bounded"));
            lows.push(domain.bounds().0);
            highs.push(domain.bounds().1);
            wide.push(is_wide(domain));
        }
        assert_eq!(starts.len(), lows.len() + 1, "every element has its points");
        Literals { starts, lows, highs, wide }
    }

    /// The number of literals.
    pub fn len(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// Whether there are no literals.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.lows.len()
    }

    /// Whether an element is one point, whatever its value.
    pub fn is_wide(&self, element: usize) -> bool {
        self.wide[element]
    }

    /// Whether the values of one element may be mapped to those of another: wide elements keep their values.
    pub fn fit(&self, element: usize, target: usize) -> bool {
        let size = |element: usize| self.starts[element + 1] - self.starts[element];
        let bounds = |element: usize| (self.lows[element], self.highs[element]);
        match self.wide[element] || self.wide[target] {
            true => self.wide[element] == self.wide[target] && bounds(element) == bounds(target),
            false => size(element) == size(target),
        }
    }

    /// The point of a literal.
    ///
    /// # Panics
    /// If there is no such literal.
    pub fn point(&self, element: usize, value: i32) -> u32 {
        if self.wide[element] {
            assert!(
                self.lows[element] <= value && value <= self.highs[element],
                "element {element} has no value {value}"
            );
            return self.starts[element];
        }
        let step = u32::try_from(i64::from(value) - i64::from(self.lows[element])).expect("a value of the sort");
        let point = self.starts[element] + step;
        assert!(point < self.starts[element + 1], "the sort of element {element} has no value {value}");
        point
    }

    /// The points of an element.
    pub fn points(&self, element: usize) -> std::ops::Range<u32> {
        self.starts[element]..self.starts[element + 1]
    }

    /// The literal of a point: element and value; of a wide element the least value.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn literal(&self, point: u32) -> (usize, i32) {
        assert!((point as usize) < self.len(), "there is no literal {point}");
        let element = self.starts.partition_point(|&start| start <= point) - 1;
        let step = i32::try_from(point - self.starts[element]).expect("sorts are bounded");
        (element, self.lows[element] + step)
    }

    /// The image of a state.
    pub fn apply(&self, permutation: &SparsePermutation, state: &[i32]) -> Vec<i32> {
        debug_assert_eq!(state.len(), self.elements(), "a state has a value for each element");
        let mut image = state.to_vec();
        for (element, &value) in state.iter().enumerate() {
            let (target, result) = self.literal(permutation.image(self.point(element, value)));
            image[target] = if self.wide[element] { value } else { result };
        }
        image
    }

    /// Whether a permutation of points maps all literals of one element to all those of one other.
    ///
    /// # Complexity
    /// Linear in the literals of the elements that move.
    pub fn respects_elements(&self, permutation: &SparsePermutation) -> bool {
        if !permutation.support().all(|point| (point as usize) < self.len()) {
            return false;
        }
        let mut moved: Vec<usize> = permutation.support().map(|point| self.literal(point).0).collect();
        moved.dedup();
        moved.into_iter().all(|element| {
            let (start, end) = (self.starts[element], self.starts[element + 1]);
            limits::work(u64::from(end - start));
            let target = self.literal(permutation.image(start)).0;
            self.fit(element, target) && (start..end).all(|point| self.literal(permutation.image(point)).0 == target)
        })
    }
}

/// The permutation of literals that an automorphism of the graph induces; the identity if it moves other vertices only.
///
/// # Panics
/// If the permutation is not an automorphism of the graph.
pub fn project(
    literals: &Literals,
    csp: &Csp,
    graph: &ColouredGraph,
    automorphism: &SparsePermutation,
) -> SparsePermutation {
    let mut pairs = Vec::new();
    for (vertex, image) in automorphism.pairs() {
        match (graph.vertices[*vertex as usize], graph.vertices[*image as usize]) {
            (Vertex::Literal { element, value }, Vertex::Literal { element: target, value: result }) => {
                pairs.push((literals.point(element, value), literals.point(target, result)));
            }
            (Vertex::Element(element), Vertex::Element(target)) if literals.is_wide(element) => {
                pairs.push((literals.starts[element], literals.starts[target]));
                assert!(literals.fit(element, target), "wide elements of one colour have the same bounds");
            }
            (Vertex::Element(element), Vertex::Element(target)) => {
                assert!(literals.fit(element, target), "elements of one colour have as many values");
                let rest = |element: usize| {
                    let live = &csp.elements[element].values;
                    let points = literals.starts[element]..literals.starts[element + 1];
                    points.filter(move |&point| live.binary_search(&literals.literal(point).1).is_err())
                };
                debug_assert_eq!(rest(element).count(), rest(target).count(), "as many values are not live");
                pairs.extend(rest(element).zip(rest(target)));
            }
            _ => {}
        }
    }
    SparsePermutation::from_pairs(pairs).expect("an automorphism permutes the literals")
}
