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
mod implicants;
mod large;
mod normal;
mod solved;
mod tabulated;
mod terms;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

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

/// A condition in a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Cond(u32);

impl Cond {
    /// The condition that never holds.
    pub(crate) const FALSE: Cond = Cond(0);
    /// The condition that always holds.
    pub(crate) const TRUE: Cond = Cond(1);
}

/// The elements that a tree reads, ascending.
type Support = Rc<[usize]>;

/// The structure of a condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
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
    index: FxHashMap<Node, Cond>,
    negations: FxHashMap<Cond, Cond>,
    domains: Rc<[Rc<[i32]>]>,
    /// An element with a smaller domain than that.
    narrowed: Option<(usize, Rc<[i32]>)>,
    operands: usize,
    /// The number of operands examined since the last mark.
    work: u64,
    /// The number of operands examined before the last mark, including those in the stores before this one.
    spent: u64,
    exhausted: bool,
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
        (cond.0 as usize) < self.nodes
    }
}

/// The choice between the two dual connectives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Connective {
    And,
    Or,
}

impl Connective {
    /// The neutral operand of the connective.
    fn neutral(self) -> Cond {
        if self == Connective::And { Cond::TRUE } else { Cond::FALSE }
    }

    /// The operand that decides the result by itself.
    fn dominant(self) -> Cond {
        if self == Connective::And { Cond::FALSE } else { Cond::TRUE }
    }
}

impl Conditions {
    /// A store over elements with these domains, each ascending.
    pub(crate) fn new(domains: Rc<[Rc<[i32]>]>) -> Conditions {
        let nodes = vec![Node::False, Node::True];
        let ascends = |domain: &Rc<[i32]>| domain.is_sorted_by(|one, next| one < next);
        debug_assert!(domains.iter().all(ascends), "the values of a domain ascend");
        let index = nodes.iter().cloned().zip([Cond::FALSE, Cond::TRUE]).collect();
        Conditions {
            nodes,
            depths: vec![0, 0],
            index,
            negations: [(Cond::FALSE, Cond::TRUE), (Cond::TRUE, Cond::FALSE)].into_iter().collect(),
            domains,
            narrowed: None,
            operands: 0,
            work: 0,
            spent: 0,
            exhausted: false,
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
        limits::work(1 + operands as u64);
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
        for node in self.nodes.drain(mark.nodes..) {
            self.index.remove(&node);
        }
        self.depths.truncate(mark.nodes);
        debug_assert_eq!(self.nodes.len(), self.index.len(), "every condition is interned once");
        self.negations.retain(|&cond, &mut other| mark.holds(cond) && mark.holds(other));
        self.operands = mark.operands;
        self.exhausted = false;
        self.mark();
        self.look(0);
    }

    fn node(&self, cond: Cond) -> &Node {
        &self.nodes[cond.0 as usize]
    }

    fn intern(&mut self, node: Node) -> Cond {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let depth = match &node {
            Node::And(list) | Node::Or(list) => {
                self.operands += list.len();
                1 + list.iter().map(|operand| self.depths[operand.0 as usize]).max().unwrap_or(0)
            }
            _ => 0,
        };
        let full = self.nodes.len() >= MAX_NODES || self.operands > MAX_OPERANDS || depth > MAX_DEPTH;
        self.exhausted |= full;
        if self.exhausted {
            return Cond::FALSE;
        }
        let cond = Cond(u32::try_from(self.nodes.len()).expect("the number of nodes is bounded"));
        let operands = if let Node::And(list) | Node::Or(list) = &node { &list[..] } else { &[] };
        debug_assert!(operands.iter().all(|operand| *operand < cond), "a condition follows its operands");
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.index.insert(node, cond);
        cond
    }

    /// The condition that the value of `element` is one of `values`, which are ascending.
    pub(crate) fn test(&mut self, element: usize, values: &[i32]) -> Cond {
        debug_assert!(values.is_sorted_by(|one, next| one < next), "the values of a test ascend");
        limits::work(values.len() as u64);
        let domain = self.domain(element);
        let inside: Vec<i32> = values.iter().copied().filter(|value| domain.binary_search(value).is_ok()).collect();
        if inside.is_empty() {
            Cond::FALSE
        } else if inside.len() == domain.len() {
            Cond::TRUE
        } else {
            self.intern(Node::Test(element, inside.into()))
        }
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
        if let Some(&known) = self.negations.get(&cond) {
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
        // What an exhausted store answers must not outlive a return to a mark.
        if !self.exhausted {
            self.negations.insert(cond, negation);
            self.negations.insert(negation, cond);
        }
        negation
    }

    fn join(&mut self, connective: Connective, operands: impl IntoIterator<Item = Cond>) -> Cond {
        let mut plain: FxHashSet<Cond> = FxHashSet::default();
        let mut tests: FxHashMap<usize, Vec<i32>> = FxHashMap::default();
        for operand in operands {
            self.look(1);
            match (self.node(operand).clone(), connective) {
                (Node::And(list), Connective::And) | (Node::Or(list), Connective::Or) => {
                    self.look(list.len());
                    for &inner in list.iter() {
                        self.gather(connective, inner, &mut plain, &mut tests);
                    }
                }
                _ => self.gather(connective, operand, &mut plain, &mut tests),
            }
            if plain.contains(&connective.dominant()) {
                return connective.dominant();
            }
        }
        plain.remove(&connective.neutral());
        let mut list: Vec<Cond> = Vec::with_capacity(plain.len() + tests.len());
        for (&element, values) in &mut tests {
            values.sort_unstable();
            values.dedup();
            let test = self.test(element, values);
            if test == connective.dominant() {
                return test;
            }
            if test != connective.neutral() {
                list.push(test);
            }
        }
        let compared = |cond: &Cond| match self.node(*cond) {
            Node::And(list) | Node::Or(list) => list.len(),
            _ => 0,
        };
        self.look(plain.iter().map(compared).sum());
        if self.exhausted {
            return Cond::FALSE;
        }
        if plain.iter().any(|cond| self.negations.get(cond).is_some_and(|negation| plain.contains(negation))) {
            return connective.dominant();
        }
        list.extend(plain.iter().copied().filter(|&cond| !self.absorbed(connective, cond, &plain, &tests)));
        list.sort_unstable();
        match list[..] {
            [] => connective.neutral(),
            [only] => only,
            _ if connective == Connective::And => self.intern(Node::And(list.into())),
            _ => self.intern(Node::Or(list.into())),
        }
    }

    /// Adds an operand that has another kind than the connective.
    fn gather(
        &self,
        connective: Connective,
        cond: Cond,
        plain: &mut FxHashSet<Cond>,
        tests: &mut FxHashMap<usize, Vec<i32>>,
    ) {
        let Node::Test(element, values) = self.node(cond) else {
            plain.insert(cond);
            return;
        };
        limits::work(values.len() as u64);
        match (tests.get_mut(element), connective) {
            (None, _) => drop(tests.insert(*element, values.to_vec())),
            (Some(known), Connective::And) => known.retain(|value| values.binary_search(value).is_ok()),
            (Some(known), Connective::Or) => known.extend(values.iter()),
        }
    }

    /// Whether an operand of the dual kind follows from the others (for `and`; dually for `or`).
    fn absorbed(
        &self,
        connective: Connective,
        cond: Cond,
        plain: &FxHashSet<Cond>,
        tests: &FxHashMap<usize, Vec<i32>>,
    ) -> bool {
        let (Node::And(list) | Node::Or(list)) = self.node(cond) else { return false };
        list.iter().any(|operand| match self.node(*operand) {
            Node::Test(element, values) => tests.get(element).is_some_and(|own| match connective {
                Connective::And => own.iter().all(|value| values.binary_search(value).is_ok()),
                Connective::Or => values.iter().all(|value| own.binary_search(value).is_ok()),
            }),
            _ => plain.contains(operand),
        })
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
