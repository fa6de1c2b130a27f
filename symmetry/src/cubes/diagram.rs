//! [`Diagrams`]: unions of cubes as ordered decision diagrams with many values, shared and reduced.
//!
//! A diagram says no, says yes, or asks for the value of one key, with one child per set of values that lead to the same one. Keys are
//! asked in one fixed order, those that most cubes name first; no question is redundant, and equal diagrams are one: two unions allow the
//! same points if and only if their ids are equal.
//!
//! # Invariants
//!
//! The children of a node ask later keys than the node, are different, and their sets of values part the values of the key.
//!
//! # Complexity
//!
//! A node is made once for each set of rests of cubes that some values leave: for the paths of a program that counts, about as many as
//! it has counts at each place; at worst exponential in the number of keys. The work has a budget.
//!
//! # Source
//!
//! \[Bry86\], with several values per node.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use csp::actors::cube::{Cube, Key, Mask};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most keys of a comparison: a diagram is as deep.
const MOST_KEYS: usize = 1 << 10;

mutants::mutants! {
    /// Diagrams that are known to be wrong.
    pub(super) struct Wrong {
        /// Values that some cubes tell apart count as one.
        values_are_one,
        /// A cube that does not name a key allows only its first value.
        unnamed_keys_are_narrow,
        /// Nodes are told apart by their children only, not by the values that lead to them.
        values_do_not_matter,
    }
}

/// A union of cubes in a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Diagram(u32);

/// The rest of a cube: the whole cube but for the keys that have been asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Rest(u32);

/// The place of a key in the order of questions.
type Rank = usize;

/// A question for a key: the values that lead to each child, ascending by child.
type Node = (Rank, Vec<(Diagram, Mask)>);

/// A store of unions of cubes over some keys.
#[derive(Debug)]
pub(super) struct Diagrams {
    /// Each key with all its values, in the order of questions.
    keys: Vec<(Key, Mask)>,
    /// The nodes behind the two leaves.
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Diagram>,
    /// The first key of a rest with its allowed values, and what follows; [`Diagrams::WHOLE`] has none.
    rests: Vec<(Rank, Mask, Rest)>,
    rest_numbers: FxHashMap<(Rank, Mask, Rest), Rest>,
    /// The diagrams of sets of rests.
    known: FxHashMap<Vec<Rest>, Diagram>,
    budget: usize,
    wrong: Wrong,
}

impl Diagrams {
    const NO: Diagram = Diagram(0);
    const YES: Diagram = Diagram(1);
    /// The rest of a cube that restricts no more keys.
    const WHOLE: Rest = Rest(0);

    /// A store for unions of some of these cubes, which looks at so many rests of cubes; nothing if they name too many keys.
    pub(super) fn new<'a>(
        cubes: impl Iterator<Item = &'a Cube>,
        full: &dyn Fn(Key) -> Mask,
        budget: usize,
        wrong: Wrong,
    ) -> Option<Diagrams> {
        let mut named: BTreeMap<Key, usize> = BTreeMap::new();
        for &(key, _) in cubes.flatten() {
            *named.entry(key).or_default() += 1;
        }
        let mut keys: Vec<Key> = named.keys().copied().collect();
        keys.sort_by_key(|key| Reverse(named[key]));
        let keys = keys.into_iter().map(|key| (key, full(key))).collect::<Vec<_>>();
        (keys.len() <= MOST_KEYS).then(|| Diagrams {
            keys,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            rests: vec![(Rank::MAX, 0, Diagrams::WHOLE)],
            rest_numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            budget,
            wrong,
        })
    }

    /// The diagram of a union of cubes; nothing if the budget is spent.
    ///
    /// # Panics
    /// If a cube names a key that no cube of the store names.
    pub(super) fn union(&mut self, cubes: &[Cube]) -> Option<Diagram> {
        let ranks: FxHashMap<Key, Rank> = self.keys.iter().enumerate().map(|(rank, &(key, _))| (key, rank)).collect();
        let rests = cubes.iter().map(|cube| {
            let mut ranked: Vec<(Rank, Mask)> = cube.iter().map(|&(key, mask)| (ranks[&key], mask)).collect();
            ranked.sort_unstable();
            ranked.into_iter().rev().fold(Diagrams::WHOLE, |next, (rank, mask)| self.rest(rank, mask, next))
        });
        let rests = rests.collect();
        self.joined(rests)
    }

    fn rest(&mut self, rank: Rank, mask: Mask, next: Rest) -> Rest {
        let Diagrams { rests, rest_numbers, .. } = self;
        *rest_numbers.entry((rank, mask, next)).or_insert_with(|| {
            rests.push((rank, mask, next));
            Rest(u32::try_from(rests.len() - 1).expect("cubes have few keys"))
        })
    }

    /// The diagram of the union of some rests.
    fn joined(&mut self, mut rests: Vec<Rest>) -> Option<Diagram> {
        rests.sort_unstable();
        rests.dedup();
        match rests.first() {
            None => return Some(Diagrams::NO),
            Some(&Diagrams::WHOLE) => return Some(Diagrams::YES),
            Some(_) => {}
        }
        if let Some(&known) = self.known.get(&rests) {
            return Some(known);
        }
        let rank = rests.iter().map(|rest| self.rests[rest.0 as usize].0).min().expect("there is one");
        let own: Vec<(Rank, Mask, Rest)> = rests.iter().map(|&rest| self.with(rank, rest)).collect();
        let told_apart = own.iter().map(|&(_, mask, _)| mask).filter(|_| !self.wrong.values_are_one());
        let parts = parts(self.keys[rank].1, told_apart);
        let work = rests.len() * parts.len();
        limits::work(work as u64);
        self.budget = self.budget.checked_sub(work)?;
        let mut children: BTreeMap<Diagram, Mask> = BTreeMap::new();
        for part in parts {
            let left = own.iter().filter(|(_, mask, _)| mask & part != 0).map(|&(_, _, next)| next).collect();
            let values = if self.wrong.values_do_not_matter() { 1 } else { part };
            *children.entry(self.joined(left)?).or_default() |= values;
        }
        let diagram = match children.first_key_value() {
            Some((&only, _)) if children.len() == 1 => only,
            _ => self.node((rank, children.into_iter().collect())),
        };
        self.known.insert(rests, diagram);
        Some(diagram)
    }

    /// The values that a rest allows a key, which none of its own precedes, and what follows.
    fn with(&self, rank: Rank, rest: Rest) -> (Rank, Mask, Rest) {
        let (own, mask, next) = self.rests[rest.0 as usize];
        let all = self.keys[rank].1;
        let unnamed = if self.wrong.unnamed_keys_are_narrow() { all & all.wrapping_neg() } else { all };
        if own == rank { (rank, mask, next) } else { (rank, unnamed, rest) }
    }

    fn node(&mut self, node: Node) -> Diagram {
        debug_assert!(node.1.iter().all(|&(child, _)| self.rank(child) > node.0), "children ask later keys");
        let next = Diagram(2 + u32::try_from(self.nodes.len()).expect("the budget bounds the nodes"));
        *self.numbers.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            next
        })
    }

    fn rank(&self, diagram: Diagram) -> Rank {
        self.inner(diagram).map_or(Rank::MAX, |node| node.0)
    }

    /// The node of a diagram that is no leaf.
    fn inner(&self, diagram: Diagram) -> Option<&Node> {
        self.nodes.get((diagram.0 as usize).checked_sub(2)?)
    }

    /// A point that only one of two unions allows, by the keys that decide it: each with the place of its value; nothing if they are equal.
    pub(super) fn difference(&self, mut one: Diagram, mut other: Diagram) -> Option<Vec<(Key, u32)>> {
        if one == other {
            return None;
        }
        let mut point = Vec::new();
        loop {
            let rank = self.rank(one).min(self.rank(other));
            if rank == Rank::MAX {
                return Some(point);
            }
            let (key, all) = self.keys[rank];
            let children = |diagram: Diagram| match self.inner(diagram) {
                Some((own, children)) if *own == rank => children.clone(),
                _ => vec![(diagram, all)],
            };
            let (here, there) = (children(one), children(other));
            let pairs =
                here.iter().flat_map(|&(left, mask)| there.iter().map(move |&(right, met)| (left, right, mask & met)));
            let found = pairs.into_iter().find(|(left, right, both)| left != right && *both != 0);
            let (left, right, both) = found.expect("different diagrams differ for some value");
            point.push((key, both.trailing_zeros()));
            (one, other) = (left, right);
        }
    }
}

/// The coarsest parts of a set of values such that each of the masks is a union of some.
fn parts(all: Mask, masks: impl Iterator<Item = Mask>) -> Vec<Mask> {
    let mut parts = vec![all];
    let mut seen = FxHashSet::default();
    for mask in masks.filter(|&mask| seen.insert(mask)) {
        for at in 0..parts.len() {
            let (inside, outside) = (parts[at] & mask, parts[at] & !mask);
            if inside != 0 && outside != 0 {
                parts[at] = inside;
                parts.push(outside);
            }
        }
    }
    parts
}
