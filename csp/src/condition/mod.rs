//! [`Conditions`]: Boolean functions of the state, as shared trees of `and`, `or` and tests of single elements.
//!
//! A test is the condition that the value of one element lies in a set. Operands are flattened, sorted and without repetition. Tests of
//! one element join into one; an operand that another absorbs is dropped; negation is pushed down to the tests. Equal trees are one node.
//! No decision here depends on the numbers of elements and values, only on their equality: permuting the literals of a condition and
//! building it again gives the permuted tree.
//!
//! # Invariants
//!
//! The set of a test is a proper non-empty subset of the element's domain, in ascending order. Operands of `and` are never `and`,
//! constants or two tests of one element; dually for `or`.
//!
//! # Complexity
//!
//! When more than [`MAX_NODES`] nodes, a depth above [`MAX_DEPTH`] or too much work are required, the store is exhausted: every later
//! answer is meaningless, and [`Conditions::exhausted`] is true.

mod cover;
mod images;
mod implicants;
mod join;
mod large;
mod normal;
mod packed;
mod products;
mod solved;
mod tabulated;
mod terms;
#[cfg(test)]
mod tests;
mod witness;

use std::hash::{Hash as _, Hasher as _};
use std::rc::Rc;

use hashbrown::HashTable;
use join::{Connective, Operands};
use rustc_hash::{FxHashMap, FxHasher};

pub(crate) use images::Images;
pub(crate) use large::Primes;
pub(crate) use normal::Normaliser;
pub use normal::{Condition, ConditionId};
pub use terms::{Atom, Datum, Term, TermId};
pub(crate) use terms::{Bounds, Terms};

/// The most nodes of a store.
pub(crate) const MAX_NODES: usize = 1 << 22;
/// The greatest depth of a tree.
pub(crate) const MAX_DEPTH: u32 = 1 << 11;
/// The most operands, counted with multiplicity, of all nodes of a store.
const MAX_OPERANDS: usize = 1 << 25;
/// The most operands that are examined from one mark to the next.
const MAX_WORK: u64 = 1 << 25;
/// The most operands that are examined in all, including those in the stores before this one.
const MAX_TOTAL: u64 = 1 << 28;

/// The elementary steps in which a test is made or found.
const WORK_OF_TEST: u64 = 48;
/// Those in which an operand is examined.
const WORK_OF_OPERAND: u64 = 16;

/// A condition in a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Cond(u32);

impl Cond {
    /// The condition that never holds.
    pub(crate) const FALSE: Cond = Cond(0);
    /// The condition that always holds.
    pub(crate) const TRUE: Cond = Cond(1);

    /// The place of its node in the store.
    fn place(self) -> usize {
        self.0 as usize
    }
}

/// The elements that a tree reads, ascending.
type Support = Rc<[usize]>;

/// The structure of a condition.
#[derive(Clone, Debug)]
enum Node {
    False,
    True,
    /// The condition that the value of an element lies in a set.
    Test(usize, Rc<[i32]>),
    And(Rc<[Cond]>),
    Or(Rc<[Cond]>),
}

/// A store of conditions.
#[derive(Debug)]
pub(crate) struct Conditions {
    nodes: Vec<Node>,
    depths: Vec<u32>,
    /// The conditions by their nodes.
    index: HashTable<Cond>,
    /// For each condition its negation, once that is known.
    negations: Vec<Option<Cond>>,
    domains: Rc<[Rc<[i32]>]>,
    /// An element with a smaller domain than that.
    narrowed: Option<(usize, Rc<[i32]>)>,
    operands: usize,
    /// The number of operands examined since the last mark.
    work: u64,
    /// The number of operands examined before the last mark, including those in the stores before this one.
    spent: u64,
    exhausted: bool,
    /// Buffer: the operands that are joined.
    joined: Operands,
    /// For each element that was read the tests of its values one by one, in the order of its domain.
    tests_of_values: FxHashMap<usize, Rc<[Cond]>>,
    /// The terms over wide elements, which are the elements with an empty domain.
    pub(crate) terms: Terms,
}

/// A state of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    nodes: usize,
    operands: usize,
}

impl Mark {
    /// Whether a condition existed at the mark.
    pub(crate) fn holds(self, cond: Cond) -> bool {
        cond.place() < self.nodes
    }
}

/// A node that may exist already.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shape<'a> {
    Constant(bool),
    Test(usize, &'a [i32]),
    And(&'a [Cond]),
    Or(&'a [Cond]),
}

impl Shape<'_> {
    fn node(self) -> Node {
        match self {
            Shape::Constant(false) => Node::False,
            Shape::Constant(true) => Node::True,
            Shape::Test(element, values) => Node::Test(element, values.into()),
            Shape::And(list) => Node::And(list.into()),
            Shape::Or(list) => Node::Or(list.into()),
        }
    }
}

impl Node {
    fn shape(&self) -> Shape<'_> {
        match self {
            Node::False => Shape::Constant(false),
            Node::True => Shape::Constant(true),
            Node::Test(element, values) => Shape::Test(*element, values),
            Node::And(list) => Shape::And(list),
            Node::Or(list) => Shape::Or(list),
        }
    }
}

fn hash_of(shape: Shape<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    shape.hash(&mut hasher);
    hasher.finish()
}

impl Conditions {
    /// A store over elements with these domains, each ascending.
    pub(crate) fn new(domains: Rc<[Rc<[i32]>]>) -> Conditions {
        let nodes = vec![Node::False, Node::True];
        let ascends = |domain: &Rc<[i32]>| domain.is_sorted_by(|one, next| one < next);
        debug_assert!(domains.iter().all(ascends), "the values of a domain ascend");
        let mut index = HashTable::new();
        for (node, cond) in nodes.iter().zip([Cond::FALSE, Cond::TRUE]) {
            index.insert_unique(hash_of(node.shape()), cond, |other| hash_of(nodes[other.place()].shape()));
        }
        Conditions {
            nodes,
            depths: vec![0, 0],
            index,
            negations: vec![Some(Cond::TRUE), Some(Cond::FALSE)],
            domains,
            narrowed: None,
            operands: 0,
            work: 0,
            spent: 0,
            exhausted: false,
            joined: Operands::default(),
            tests_of_values: FxHashMap::default(),
            terms: Terms::default(),
        }
    }

    /// The values that an element may have, ascending; the numbers that follow the elements denote atoms.
    pub(crate) fn domain(&self, element: usize) -> Rc<[i32]> {
        match &self.narrowed {
            Some((narrowed, values)) if *narrowed == element => Rc::clone(values),
            _ => self.domains.get(element).map_or_else(|| Rc::from([0, 1]), Rc::clone),
        }
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.domains.len()
    }

    /// A store over elements within these bounds.
    pub(crate) fn over(self, bounds: &Bounds) -> Conditions {
        Conditions { terms: Terms::within(bounds), ..self }
    }

    /// A store of the states in which an element has one of these values, which are some of its domain, ascending.
    pub(crate) fn narrowed(self, element: usize, values: Rc<[i32]>) -> Conditions {
        assert!(self.nodes.len() == 2, "no condition was made for the whole domain");
        assert!(!values.is_empty(), "a domain has a value");
        Conditions { narrowed: Some((element, values)), ..self }
    }

    /// A store that examines at most so many operands in all.
    pub(crate) fn within(self, work: u64) -> Conditions {
        Conditions { spent: MAX_TOTAL.saturating_sub(work), ..self }
    }

    /// The number of operands examined, including those in the stores before this one.
    pub(crate) fn spent(&self) -> u64 {
        self.spent.saturating_add(self.work)
    }

    /// Counts examined operands.
    fn look(&mut self, operands: usize) {
        limits::work(WORK_OF_OPERAND * (1 + operands as u64));
        self.work = self.work.saturating_add(operands as u64);
        self.exhausted |= self.work > MAX_WORK || self.spent() > MAX_TOTAL;
    }

    /// Whether a limit was hit, so that no answer is valid.
    pub(crate) fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// Gives up: no later answer is valid.
    pub(crate) fn exhaust(&mut self) {
        self.exhausted = true;
    }

    /// The current state, for a later return to it. A new piece of work begins.
    pub(crate) fn mark(&mut self) -> Mark {
        self.spent = self.spent();
        self.work = 0;
        Mark { nodes: self.nodes.len(), operands: self.operands }
    }

    /// As [`Conditions::mark`], where so many operands were examined before the mark, including those in other stores.
    pub(crate) fn mark_after(&mut self, spent: u64) -> Mark {
        (self.spent, self.work) = (spent, 0);
        self.mark()
    }

    /// Removes the conditions made since the mark, and forgets a limit that was hit since.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        assert!(mark.nodes <= self.nodes.len(), "a mark is earlier than the conditions that are removed");
        for place in mark.nodes..self.nodes.len() {
            let is_it = |cond: &Cond| cond.place() == place;
            if let Ok(entry) = self.index.find_entry(hash_of(self.nodes[place].shape()), is_it) {
                entry.remove();
            }
            if let Some(negation) = self.negations[place].filter(|&negation| mark.holds(negation)) {
                self.negations[negation.place()] = None;
            }
        }
        self.tests_of_values.retain(|_, tests| tests.iter().all(|&test| mark.holds(test)));
        self.nodes.truncate(mark.nodes);
        self.depths.truncate(mark.nodes);
        self.negations.truncate(mark.nodes);
        debug_assert_eq!(self.nodes.len(), self.index.len(), "every condition is interned once");
        self.operands = mark.operands;
        self.exhausted = false;
        self.mark();
        self.look(0);
    }

    fn node(&self, cond: Cond) -> &Node {
        &self.nodes[cond.place()]
    }

    fn intern(&mut self, shape: Shape<'_>) -> Cond {
        let (hash, nodes) = (hash_of(shape), &self.nodes);
        if let Some(&known) = self.index.find(hash, |cond| nodes[cond.place()].shape() == shape) {
            return known;
        }
        let depth = match shape {
            Shape::And(list) | Shape::Or(list) => {
                self.operands += list.len();
                1 + list.iter().map(|operand| self.depths[operand.place()]).max().unwrap_or(0)
            }
            _ => 0,
        };
        let full = self.nodes.len() >= MAX_NODES || self.operands > MAX_OPERANDS || depth > MAX_DEPTH;
        self.exhausted |= full;
        if self.exhausted {
            return Cond::FALSE;
        }
        let cond = Cond(u32::try_from(self.nodes.len()).expect("the number of nodes is bounded"));
        let operands = if let Shape::And(list) | Shape::Or(list) = shape { list } else { &[] };
        debug_assert!(operands.iter().all(|operand| *operand < cond), "a condition follows its operands");
        self.nodes.push(shape.node());
        self.depths.push(depth);
        self.negations.push(None);
        let nodes = &self.nodes;
        self.index.insert_unique(hash, cond, |other| hash_of(nodes[other.place()].shape()));
        cond
    }

    /// The condition that the value of `element` is one of `values`, which are ascending.
    pub(crate) fn test(&mut self, element: usize, values: &[i32]) -> Cond {
        debug_assert!(values.is_sorted_by(|one, next| one < next), "the values of a test ascend");
        limits::work(WORK_OF_TEST + values.len() as u64);
        let domain = self.domain(element);
        let is_inside = |value: &i32| domain.binary_search(value).is_ok();
        if !values.iter().all(is_inside) {
            let inside: Vec<i32> = values.iter().copied().filter(is_inside).collect();
            return self.test(element, &inside);
        }
        match values.len() {
            0 => Cond::FALSE,
            count if count == domain.len() => Cond::TRUE,
            _ => self.intern(Shape::Test(element, values)),
        }
    }

    /// For each value of a narrow element, in the order of its domain, the condition that the element has it.
    pub(crate) fn tests_of_values(&mut self, element: usize) -> Rc<[Cond]> {
        if let Some(tests) = self.tests_of_values.get(&element) {
            limits::work(tests.len() as u64);
            return Rc::clone(tests);
        }
        let domain = self.domain(element);
        let tests: Rc<[Cond]> = domain.iter().map(|&value| self.test(element, &[value])).collect();
        // What an exhausted store answers must not outlive a return to a mark.
        if !self.exhausted {
            self.tests_of_values.insert(element, Rc::clone(&tests));
        }
        tests
    }

    /// The conjunction of two conditions.
    pub(crate) fn both(&mut self, left: Cond, right: Cond) -> Cond {
        match (left, right) {
            (Cond::FALSE, _) | (_, Cond::FALSE) => Cond::FALSE,
            (Cond::TRUE, other) | (other, Cond::TRUE) => other,
            _ if left == right => left,
            _ => self.and([left, right]),
        }
    }

    /// The conjunction of all operands.
    pub(crate) fn and(&mut self, operands: impl IntoIterator<Item = Cond>) -> Cond {
        self.join(Connective::And, operands)
    }

    /// The disjunction of all operands.
    pub(crate) fn or(&mut self, operands: impl IntoIterator<Item = Cond>) -> Cond {
        self.join(Connective::Or, operands)
    }

    /// The negation of a condition.
    pub(crate) fn not(&mut self, cond: Cond) -> Cond {
        if self.exhausted {
            return Cond::FALSE;
        }
        if let Some(known) = self.negations[cond.place()] {
            return known;
        }
        let negation = match self.node(cond).clone() {
            Node::False => Cond::TRUE,
            Node::True => Cond::FALSE,
            Node::Test(element, values) => {
                let domain = self.domain(element);
                let rest: Vec<i32> =
                    domain.iter().copied().filter(|value| values.binary_search(value).is_err()).collect();
                self.test(element, &rest)
            }
            Node::And(list) => {
                let list: Vec<Cond> = list.iter().map(|&operand| self.not(operand)).collect();
                self.or(list)
            }
            Node::Or(list) => {
                let list: Vec<Cond> = list.iter().map(|&operand| self.not(operand)).collect();
                self.and(list)
            }
        };
        // What an exhausted store answers must not outlive a return to a mark. Two conditions that are known as negations know each other.
        if !self.exhausted && self.negations[negation.place()].is_none_or(|known| known == cond) {
            self.negations[cond.place()] = Some(negation);
            self.negations[negation.place()] = Some(cond);
        }
        negation
    }

    /// The elements that a condition forces, each with its only value, from the tests at its top.
    pub(crate) fn forced(&self, cond: Cond) -> Vec<(usize, i32)> {
        let single = |cond: &Cond| match self.node(*cond) {
            Node::Test(element, values) if values.len() == 1 => Some((*element, values[0])),
            _ => None,
        };
        match self.node(cond) {
            Node::And(list) => list.iter().filter_map(single).collect(),
            _ => single(&cond).into_iter().collect(),
        }
    }
}
