//! Formulas of branching time over markings, in the operators `EX`, `E U` and `EG`: a graph in which equal parts are one node.

use std::collections::hash_map::Entry;

use frontend::sequential::Formula;
use ltl::Paths;
use rustc_hash::FxHashMap;

use crate::nets::conditions::Condition;

/// The most places that a hint reads: it is computed for each step.
const MOST_READ: usize = 64;

/// The number of a node.
pub(super) type NodeId = u32;

/// A part of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// A condition on the marking.
    Atom(Condition),
    Not(NodeId),
    All(Vec<NodeId>),
    Any(Vec<NodeId>),
    /// It holds after some step.
    Next(NodeId),
    /// On some run the first holds until the second does.
    Until(NodeId, NodeId),
    /// On some run it holds for ever.
    Always(NodeId),
}

/// Formulas with their parts. Parts have smaller numbers than what they are part of.
#[derive(Clone, Default, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, NodeId>,
    /// For each node a condition that markings in which it holds are likely to be near to.
    hints: Vec<Option<Condition>>,
    roots: Vec<NodeId>,
}

impl Formulas {
    /// Adds a formula; says whether it has only operators of branching time that are known here.
    pub fn add(&mut self, formula: &Formula) -> bool {
        let root = self.state(formula, true);
        self.roots.extend(root);
        root.is_some()
    }

    /// The number of formulas.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether there is no formula.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The conditions of all formulas.
    pub fn conditions(&self) -> Vec<Condition> {
        let of = |node: &Node| if let Node::Atom(condition) = node { Some(condition.clone()) } else { None };
        self.nodes.iter().filter_map(of).collect()
    }

    /// The formulas with other conditions in the places of theirs.
    #[must_use]
    pub fn map(&self, of: &dyn Fn(&Condition) -> Condition) -> Formulas {
        let node =
            |node: &Node| if let Node::Atom(condition) = node { Node::Atom(of(condition)) } else { node.clone() };
        Formulas {
            nodes: self.nodes.iter().map(node).collect(),
            numbers: FxHashMap::default(),
            hints: self.hints.iter().map(|hint| hint.as_ref().map(of)).collect(),
            roots: self.roots.clone(),
        }
    }

    pub(super) fn root(&self, at: usize) -> NodeId {
        self.roots[at]
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn hint(&self, id: NodeId) -> Option<&Condition> {
        self.hints[id as usize].as_ref()
    }

    /// The number of nodes.
    pub(super) fn size(&self) -> usize {
        self.nodes.len()
    }

    fn make(&mut self, node: Node) -> NodeId {
        let next = NodeId::try_from(self.nodes.len()).expect("parts have 32 bits");
        match self.numbers.entry(node) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let node = free.key().clone();
                free.insert(next);
                let hint = self.likely(&node);
                self.nodes.push(node);
                self.hints.push(hint);
                next
            }
        }
    }

    /// The condition that is likely to be near where a node holds: what its parts ask of the marking, or of one that it leads to.
    fn likely(&self, node: &Node) -> Option<Condition> {
        let of = |list: &[NodeId]| list.iter().filter_map(|&part| self.hint(part).cloned()).collect::<Vec<_>>();
        let hint = match node {
            Node::Atom(condition) => Some(condition.clone()),
            Node::Not(_) => None,
            Node::All(list) => Some(of(list)).filter(|list| !list.is_empty()).map(Condition::all),
            Node::Any(list) => Some(of(list)).filter(|list| !list.is_empty()).map(Condition::any),
            Node::Next(inner) | Node::Always(inner) | Node::Until(_, inner) => self.hint(*inner).cloned(),
        };
        hint.filter(|condition| condition.size() <= MOST_READ)
    }

    fn not(&mut self, inner: NodeId) -> NodeId {
        match self.node(inner) {
            Node::Not(inner) => *inner,
            Node::Atom(condition) => {
                let opposite = Node::Atom(condition.negated());
                self.make(opposite)
            }
            _ => self.make(Node::Not(inner)),
        }
    }

    /// All of these, or one of them; conditions come first.
    fn junction(&mut self, parts: Vec<NodeId>, is_conjunction: bool) -> NodeId {
        let mut conditions = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::Atom(condition) => conditions.push(condition.clone()),
                _ => others.push(part),
            }
        }
        let condition = if is_conjunction { Condition::all(conditions) } else { Condition::any(conditions) };
        if others.is_empty() {
            return self.make(Node::Atom(condition));
        }
        if condition != Condition::Constant(is_conjunction) {
            let first = self.make(Node::Atom(condition));
            others.insert(0, first);
        }
        match others.as_slice() {
            [one] => *one,
            _ => self.make(if is_conjunction { Node::All(others) } else { Node::Any(others) }),
        }
    }

    fn exists(&mut self, stays: NodeId, goal: NodeId) -> NodeId {
        self.make(Node::Until(stays, goal))
    }

    /// A formula of one marking, or its opposite.
    fn state(&mut self, formula: &Formula, value: bool) -> Option<NodeId> {
        limits::work(1);
        match formula {
            Formula::Atom(condition) => {
                let condition = Condition::of(condition, value)?;
                Some(self.make(Node::Atom(condition)))
            }
            Formula::Not(inner) => self.state(inner, !value),
            Formula::And(list) | Formula::Or(list) => {
                let parts = list.iter().map(|part| self.state(part, value)).collect::<Option<Vec<NodeId>>>()?;
                Some(self.junction(parts, matches!(formula, Formula::And(_)) == value))
            }
            Formula::Implies(left, right) => {
                let parts = vec![self.state(left, !value)?, self.state(right, value)?];
                Some(self.junction(parts, !value))
            }
            Formula::Quantified(paths, inner) => {
                // A universal formula is the opposite of an existential one.
                let is_some = *paths == Paths::Some;
                let exists = self.path(inner, is_some)?;
                Some(if is_some == value { exists } else { self.not(exists) })
            }
            _ => None,
        }
    }

    /// The formula that some run has a property, or has it not.
    fn path(&mut self, formula: &Formula, value: bool) -> Option<NodeId> {
        match formula {
            Formula::Next(inner) => {
                let inner = self.state(inner, value)?;
                Some(self.make(Node::Next(inner)))
            }
            Formula::Finally(inner) | Formula::Globally(inner) => {
                let of = self.state(inner, value)?;
                if matches!(formula, Formula::Globally(_)) == value {
                    return Some(self.make(Node::Always(of)));
                }
                let any = self.make(Node::Atom(Condition::Constant(true)));
                Some(self.exists(any, of))
            }
            Formula::Until(left, right) if value => {
                let (stays, goal) = (self.state(left, true)?, self.state(right, true)?);
                Some(self.exists(stays, goal))
            }
            Formula::Until(left, right) => {
                let (ends, waits) = (self.state(left, false)?, self.state(right, false)?);
                let goal = self.junction(vec![ends, waits], true);
                let (leaves, never) = (self.exists(waits, goal), self.make(Node::Always(waits)));
                Some(self.junction(vec![leaves, never], false))
            }
            _ => None,
        }
    }
}
