//! [`Diagrams`]: functions of the state as ordered decision diagrams with many values, shared and reduced.
//!
//! A diagram is a leaf, or it branches on the value of one element, with one child per live value. Elements are tested in one fixed
//! order, no test is redundant, and equal diagrams are one: two functions are equal if and only if their ids are.
//!
//! # Invariants
//!
//! The children of a node test later elements than the node, and are not all the same. A node has as many children as its element has
//! live values, in ascending order.
//!
//! # Complexity
//!
//! An operation costs at most the product of the sizes of its operands. Each piece of work has a budget. When it is spent, or a diagram
//! grows deeper than [`MAX_DEPTH`], answers are meaningless until the next [`Diagrams::begin`], and [`Diagrams::exhausted`] is true.
//!
//! # Source
//!
//! \[Bry86\], with several values per node.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::operation::Half;
pub(super) use super::operation::{Leaf, Op};
use super::terms::{Term, Terms};
use crate::permutation::distinct;

/// The most elements on a path.
const MAX_DEPTH: u32 = 1 << 10;
/// The most nodes of a store.
const MAX_NODES: usize = 1 << 23;
/// The first number of an atom: it follows those of all elements.
const ATOMS: usize = 1 << 31;
/// The most values of an element that a diagram tests.
pub(super) const MAX_WIDTH: usize = 1 << 10;

/// A function of the state in a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Dd(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    Leaf(Leaf),
    /// The element, or the atom, whose number follows those of all elements; one child per live value.
    Split(usize, Rc<[Dd]>),
}

/// A permutation of live literals: for each element its image and the place of the image of each of its live values.
pub(super) struct Renaming {
    pub(super) elements: Vec<usize>,
    /// `None` where the places do not change.
    pub(super) places: Vec<Option<Rc<[usize]>>>,
    /// The images of the live values that change.
    pub(super) values: FxHashMap<(usize, i32), i32>,
}

impl Renaming {
    /// Whether all live literals of an element are fixed.
    pub(super) fn fixes(&self, element: usize) -> bool {
        self.elements[element] == element && self.places[element].is_none()
    }

    /// Whether some live value goes to another one. If none does, elements move with the values that they have.
    pub(super) fn moves_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// The image of a value of an element.
    pub(super) fn image(&self, element: usize, value: i32) -> i32 {
        self.values.get(&(element, value)).copied().unwrap_or(value)
    }
}

/// A store of functions over elements with these live values.
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Dd>,
    memo: FxHashMap<(Op, Dd, Dd), Dd>,
    /// The live values of each element, ascending.
    live: Rc<[Rc<[i32]>]>,
    /// An element with only some of these values.
    narrowed: Option<(usize, Rc<[i32]>)>,
    /// The place of each element in the order of the tests.
    rank: Rc<[u32]>,
    budget: u64,
    pub(super) terms: Terms,
}

impl Diagrams {
    pub(super) const ZERO: Dd = Dd(0);
    pub(super) const ONE: Dd = Dd(1);
    pub(super) const FAULT: Dd = Dd(2);

    /// An empty store. Elements without live values are wide: they are terms. `bounds` are those of all elements.
    pub(super) fn new(live: Rc<[Rc<[i32]>]>, rank: Rc<[u32]>, bounds: Rc<[(i32, i32)]>) -> Diagrams {
        assert!([rank.len(), bounds.len()] == [live.len(); 2] && live.len() < ATOMS, "elements have ranks and bounds");
        debug_assert!(live.iter().all(|live| live.windows(2).all(|pair| pair[0] < pair[1])), "live values ascend");
        debug_assert!(distinct(rank.iter()), "two elements have one rank");
        let nodes: Vec<Node> = [Leaf::Value(0), Leaf::Value(1), Leaf::Fault, Leaf::Nothing].map(Node::Leaf).to_vec();
        let index = nodes.iter().cloned().zip((0..).map(Dd)).collect();
        let (memo, terms) = (FxHashMap::default(), Terms::new(bounds));
        Diagrams { nodes, index, memo, live, narrowed: None, rank, budget: 0, terms }
    }

    /// An empty store over the states in which an element has one of these values, which are some of its live ones, ascending.
    pub(super) fn narrowed(self, element: usize, values: Rc<[i32]>) -> Diagrams {
        assert!(self.nodes.len() == 4 && !values.is_empty(), "no function was made for all live values");
        Diagrams { narrowed: Some((element, values)), ..self }
    }

    fn values(&self, element: usize) -> Option<&Rc<[i32]>> {
        match &self.narrowed {
            Some((narrowed, values)) if *narrowed == element => Some(values),
            _ => self.live.get(element),
        }
    }

    /// Starts a piece of work of at most `budget` steps.
    pub(super) fn begin(&mut self, budget: u64) {
        self.budget = budget;
        if self.memo.len() > 1 << 16 {
            self.memo = FxHashMap::default();
        }
    }

    /// Whether the budget is spent, so that no answer since the last [`begin`](Diagrams::begin) is valid.
    pub(super) fn exhausted(&self) -> bool {
        self.budget == 0
    }

    /// The rest of the budget.
    pub(super) fn left(&self) -> u64 {
        self.budget
    }

    /// Spends the whole budget.
    pub(super) fn exhaust(&mut self) {
        self.budget = 0;
    }

    /// Takes a step; returns whether the budget allowed it.
    pub(super) fn step(&mut self) -> bool {
        self.steps(1)
    }

    /// Takes several steps at once, one per function that a piece of work examines; returns whether the budget allowed them.
    fn steps(&mut self, count: usize) -> bool {
        // The tables do not change here: they are consistent if this call unwinds.
        limits::work(8 * count as u64);
        self.budget = self.budget.saturating_sub(count as u64);
        self.budget > 0
    }

    /// The live values of an element; none if it is wide.
    pub(super) fn live(&self, element: usize) -> &[i32] {
        self.values(element).expect("an element, no atom")
    }

    /// The number that represents an atom in nodes.
    pub(super) fn atom_element(&self, number: usize) -> usize {
        ATOMS + number
    }

    /// Whether some function tests an atom.
    pub(super) fn has_atoms(&self) -> bool {
        self.terms.has_atoms()
    }

    /// The number of an atom; `None` for an element.
    pub(super) fn atom_number(&self, element: usize) -> Option<usize> {
        element.checked_sub(ATOMS)
    }

    /// The number of values of an element or an atom.
    pub(super) fn width(&self, element: usize) -> usize {
        self.values(element).map_or(2, |live| live.len())
    }

    /// The place of an element or an atom in the order of the tests.
    fn rank(&self, element: usize) -> u32 {
        self.rank.get(element).copied().unwrap_or_else(|| u32::try_from(element).unwrap_or(u32::MAX - 1))
    }

    /// The element or atom that a function tests first, unless it is a leaf, and the function for each value.
    pub(super) fn node_of(&self, dd: Dd) -> (usize, Rc<[Dd]>) {
        let Node::Split(element, children) = &self.nodes[dd.0 as usize] else { unreachable!("no leaf") };
        (*element, Rc::clone(children))
    }

    /// The node over changed children, which test later elements but perhaps earlier atoms.
    pub(super) fn above(&mut self, element: usize, children: Vec<Dd>) -> Dd {
        match element < ATOMS {
            true => self.split(element, children),
            false => self.query(element, children, 0, &mut FxHashMap::default()),
        }
    }

    fn intern(&mut self, node: Node) -> Dd {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        if self.nodes.len() >= MAX_NODES {
            self.exhaust();
            return Diagrams::FAULT;
        }
        let next = Dd(u32::try_from(self.nodes.len()).expect("the number of nodes is bounded"));
        self.nodes.push(node.clone());
        self.index.insert(node, next);
        next
    }

    /// The function that gives this leaf in every state.
    pub(super) fn leaf(&mut self, leaf: Leaf) -> Dd {
        self.intern(Node::Leaf(leaf))
    }

    /// The function that gives this value in every state.
    pub(super) fn constant(&mut self, value: i32) -> Dd {
        self.leaf(Leaf::Value(value))
    }

    /// The leaf of a function that is the same in every state.
    pub(super) fn as_leaf(&self, dd: Dd) -> Option<Leaf> {
        match self.nodes[dd.0 as usize] {
            Node::Leaf(leaf) => Some(leaf),
            Node::Split(..) => None,
        }
    }

    /// The value of an element.
    pub(super) fn element(&mut self, element: usize) -> Dd {
        let live = Rc::clone(self.values(element).expect("an element, no atom"));
        if live.is_empty() {
            return self.term(Term::Element(element));
        }
        if live.len() > MAX_WIDTH {
            self.exhaust();
            return Diagrams::FAULT;
        }
        let children: Vec<Dd> = live.iter().map(|&value| self.constant(value)).collect();
        self.split(element, children)
    }

    pub(super) fn split(&mut self, element: usize, children: Vec<Dd>) -> Dd {
        debug_assert_eq!(children.len(), self.width(element), "a test has a function for each value");
        debug_assert!(
            children.iter().all(|&child| self.rank(element) < self.rank_of(child)),
            "tests are in the order of ranks"
        );
        if children.iter().all(|&child| child == children[0]) {
            return children[0];
        }
        self.intern(Node::Split(element, children.into()))
    }

    fn rank_of(&self, dd: Dd) -> u32 {
        match self.nodes[dd.0 as usize] {
            Node::Leaf(_) => u32::MAX,
            Node::Split(element, _) => self.rank(element),
        }
    }

    /// The element that is tested first in any of these functions.
    fn first(&self, list: &[Dd]) -> Option<usize> {
        let least = list.iter().copied().min_by_key(|&dd| self.rank_of(dd))?;
        match self.nodes[least.0 as usize] {
            Node::Leaf(_) => None,
            Node::Split(element, _) => Some(element),
        }
    }

    /// The function where an element has the value at this place.
    fn cofactor(&self, dd: Dd, element: usize, place: usize) -> Dd {
        match &self.nodes[dd.0 as usize] {
            Node::Split(own, children) if *own == element => children[place],
            _ => dd,
        }
    }

    /// Applies an operation.
    pub(super) fn apply(&mut self, op: Op, left: Dd, right: Dd) -> Dd {
        self.apply_at(op, left, right, 0)
    }

    fn apply_at(&mut self, op: Op, left: Dd, right: Dd, depth: u32) -> Dd {
        if let Some(leaf) = self.as_leaf(left) {
            match (op.half(leaf), self.as_leaf(right)) {
                (Half::Is(leaf), _) => return self.leaf(leaf),
                (Half::Right, _) => return right,
                (Half::Open, Some(other)) => {
                    return match (op, leaf, other) {
                        (_, Leaf::Value(value), Leaf::Value(_) | Leaf::Fault | Leaf::Nothing) => {
                            self.leaf(op.whole(value, other))
                        }
                        (Op::Arithmetic(op), ..) => self.compute(op, leaf, other),
                        _ => {
                            self.exhaust();
                            Diagrams::FAULT
                        }
                    };
                }
                (Half::Open, None) => {}
            }
        }
        if let Some(&known) = self.memo.get(&(op, left, right)) {
            return known;
        }
        let element = self.first(&[left, right]).expect("one of them is no leaf");
        if !self.steps(self.width(element)) || depth > MAX_DEPTH {
            self.exhaust();
            return Diagrams::FAULT;
        }
        let children = (0..self.width(element))
            .map(|place| {
                let (left, right) = (self.cofactor(left, element, place), self.cofactor(right, element, place));
                self.apply_at(op, left, right, depth + 1)
            })
            .collect();
        let result = self.above(element, children);
        if !self.exhausted() {
            self.memo.insert((op, left, right), result);
        }
        result
    }

    /// Applies a function to all leaves.
    pub(super) fn map(&mut self, dd: Dd, change: &dyn Fn(Leaf) -> Leaf) -> Dd {
        self.map_at(dd, change, &mut FxHashMap::default())
    }

    fn map_at(&mut self, dd: Dd, change: &dyn Fn(Leaf) -> Leaf, memo: &mut FxHashMap<Dd, Dd>) -> Dd {
        if let Some(leaf) = self.as_leaf(dd) {
            return self.leaf(change(leaf));
        }
        if let Some(&known) = memo.get(&dd) {
            return known;
        }
        let (element, children) = self.node_of(dd);
        self.steps(children.len());
        let children = children.iter().map(|&child| self.map_at(child, change, memo)).collect();
        let result = self.split(element, children);
        memo.insert(dd, result);
        result
    }

    /// The possible results of a function, ascending.
    pub(super) fn leaves(&self, dd: Dd) -> Vec<Leaf> {
        let (mut seen, mut stack, mut leaves) = (FxHashSet::from_iter([dd]), vec![dd], Vec::new());
        while let Some(dd) = stack.pop() {
            match &self.nodes[dd.0 as usize] {
                Node::Leaf(leaf) => leaves.push(*leaf),
                Node::Split(_, children) => {
                    stack.extend(children.iter().copied().filter(|&child| seen.insert(child)));
                }
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// The elements that functions test; nothing if they have terms or atoms, or more than so many nodes.
    pub(super) fn tested(&self, functions: impl IntoIterator<Item = Dd>, most: usize) -> Option<Vec<usize>> {
        let mut stack: Vec<Dd> = functions.into_iter().collect();
        let (mut seen, mut elements) = (FxHashSet::default(), FxHashSet::default());
        while let Some(dd) = stack.pop() {
            limits::work(1);
            if !seen.insert(dd) {
                continue;
            }
            if seen.len() > most {
                return None;
            }
            match &self.nodes[dd.0 as usize] {
                Node::Leaf(Leaf::Term(_)) => return None,
                Node::Leaf(_) => {}
                Node::Split(element, _) if *element >= ATOMS => return None,
                Node::Split(element, children) => {
                    elements.insert(*element);
                    stack.extend(children.iter().copied());
                }
            }
        }
        Some(elements.into_iter().collect())
    }

    /// The result of a function in a state.
    #[cfg(test)]
    pub(super) fn at(&self, mut dd: Dd, state: &[i32]) -> Leaf {
        loop {
            match &self.nodes[dd.0 as usize] {
                Node::Leaf(Leaf::Term(term)) => {
                    return self.terms.value(*term, state).map_or(Leaf::Fault, Leaf::Value);
                }
                Node::Leaf(leaf) => return *leaf,
                Node::Split(element, children) => {
                    let place = match element.checked_sub(ATOMS) {
                        None => self.live(*element).binary_search(&state[*element]).expect("a live value"),
                        Some(atom) => usize::from(self.terms.holds(atom, state)),
                    };
                    dd = children[place];
                }
            }
        }
    }

    /// The image of a function: its result in the image of a state is the result of `dd` in the state. Results do not change.
    pub(super) fn rename(&mut self, dd: Dd, renaming: &Renaming, memo: &mut FxHashMap<Dd, Dd>) -> Dd {
        match self.as_leaf(dd) {
            None => {}
            Some(Leaf::Term(term)) => {
                let Some(image) = self.terms.rename(term, &renaming.elements) else {
                    self.exhaust();
                    return Diagrams::FAULT;
                };
                return self.leaf(Leaf::Term(image));
            }
            Some(_) => return dd,
        }
        if let Some(&known) = memo.get(&dd) {
            return known;
        }
        let (element, old) = self.node_of(dd);
        if !self.steps(old.len()) {
            return Diagrams::FAULT;
        }
        let children: Vec<Dd> = old.iter().map(|&child| self.rename(child, renaming, memo)).collect();
        let result = if let Some(atom) = element.checked_sub(ATOMS) {
            let Some(image) = self.terms.rename_atom(atom, &renaming.elements) else {
                self.exhaust();
                return Diagrams::FAULT;
            };
            self.query(self.atom_element(image), children, 0, &mut FxHashMap::default())
        } else if renaming.fixes(element) && *children == *old {
            dd
        } else {
            let mut placed = children.clone();
            if let Some(places) = &renaming.places[element] {
                for (&place, &child) in places.iter().zip(&children) {
                    placed[place] = child;
                }
            }
            self.query(renaming.elements[element], placed, 0, &mut FxHashMap::default())
        };
        if !self.exhausted() {
            memo.insert(dd, result);
        }
        result
    }

    /// The function that tests an element first, whatever its rank, and then continues with one of these functions.
    pub(super) fn query(
        &mut self,
        element: usize,
        children: Vec<Dd>,
        depth: u32,
        memo: &mut FxHashMap<Vec<Dd>, Dd>,
    ) -> Dd {
        debug_assert_eq!(children.len(), self.width(element), "a test has a function for each value");
        match self.first(&children) {
            Some(earlier) if self.rank(earlier) < self.rank(element) => {
                if let Some(&known) = memo.get(&children) {
                    return known;
                }
                if !self.steps(children.len().saturating_mul(self.width(earlier))) || depth > MAX_DEPTH {
                    self.exhaust();
                    return Diagrams::FAULT;
                }
                let parts = (0..self.width(earlier))
                    .map(|place| {
                        let part = children.iter().map(|&child| self.cofactor(child, earlier, place)).collect();
                        self.query(element, part, depth + 1, memo)
                    })
                    .collect();
                let result = self.split(earlier, parts);
                memo.insert(children, result);
                result
            }
            _ => {
                let children: Vec<Dd> =
                    children.iter().enumerate().map(|(place, &child)| self.cofactor(child, element, place)).collect();
                self.split(element, children)
            }
        }
    }
}
