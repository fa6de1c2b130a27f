//! Formulas of linear time.
//!
//! A run violates a formula if an automaton accepts it. A node is a marking and a state of the automaton that reads it next. The first search
//! looks for accepting nodes, depth-first; when it leaves one, a second search looks from there for a node on the path of the first. Time and
//! memory: nodes.
//!
//! # Soundness
//!
//! Nodes of the path are cyan, those that the first search has left blue, those of second searches red. A red node reaches no cyan one that a
//! later second search would have to find, so that all second searches together visit a node once. A formula holds if both searches end
//! without a cycle. A run that they find is judged by the meaning of the formula, marking by marking.
//!
//! # Source
//!
//! Courcoubetis, Vardi, Wolper and Yannakakis (1992); the colours are those of Schwoon and Esparza (2005).

use ltl::{Automaton, Bits, Formula};
use rustc_hash::FxHashMap;

use super::Wrong;
use super::graph::{Graph, INITIAL, Stop, reserve};
use crate::nets::conditions::Condition;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colour {
    Cyan,
    Blue,
    Red,
}

/// A marking and a state of the automaton.
type Node = (u32, u32);

/// The runs that violate a formula.
pub(super) struct Violating {
    pub(super) automaton: Automaton,
    /// The states that a run must pass infinitely often.
    pub(super) accepting: Vec<bool>,
    pub(super) conditions: Vec<Condition>,
    /// The places that the conditions read.
    size: u64,
    wrong: Wrong,
}

impl Violating {
    /// Nothing if the automaton would be too large.
    pub(super) fn of(formula: &Formula<Condition>, wrong: Wrong) -> Option<Violating> {
        let mut conditions: Vec<Condition> = Vec::new();
        let mut number = |condition: &Condition| {
            let opposite = condition.negated();
            let at = conditions.iter().position(|known| known == condition || *known == opposite);
            let at = at.unwrap_or_else(|| {
                conditions.push(condition.clone());
                conditions.len() - 1
            });
            (at, conditions[at] == *condition)
        };
        let automaton = ltl::automaton(formula, false, &mut number).ok()?;
        let (automaton, accepting) = ltl::degeneralise(&automaton);
        let size = conditions.iter().map(|condition| condition.size() as u64).sum();
        Some(Violating { automaton, accepting, conditions, size, wrong })
    }

    /// Whether the formula holds of all runs from the initial marking.
    pub(super) fn holds(&self, graph: &mut Graph<'_, '_>, formula: &Formula<Condition>) -> Result<bool, Stop> {
        let mut search = Search { graph: &mut *graph, violating: self, colours: FxHashMap::default() };
        let Some((markings, returns)) = search.accepted()? else { return Ok(true) };
        let mut value = |condition: &Condition, place: usize| Some(condition.holds(&graph.tokens(markings[place])));
        let is_shown = ltl::holds(formula, markings.len(), returns, &mut value) == Some(false);
        debug_assert!(is_shown, "a run that the automaton accepts violates the formula");
        if is_shown { Ok(false) } else { Err(Stop::Open) }
    }
}

struct Search<'s, 'n, 'c> {
    graph: &'s mut Graph<'n, 'c>,
    violating: &'s Violating,
    colours: FxHashMap<Node, Colour>,
}

/// A path of nodes, with the successors that wait for each.
#[derive(Default)]
struct Path {
    nodes: Vec<(Node, usize)>,
    ahead: Vec<Node>,
}

impl Search<'_, '_, '_> {
    /// Goes from the end of a path to a node.
    fn enter(&mut self, node: Node, path: &mut Path) -> Result<(), Stop> {
        path.nodes.push((node, path.ahead.len()));
        let violating = self.violating;
        limits::work(violating.size);
        let letter = {
            let tokens = self.graph.tokens(node.0);
            let holds = |(at, condition): (usize, &Condition)| Bits::from(condition.holds(&tokens)) << at;
            violating.conditions.iter().enumerate().map(holds).fold(0, |letter, bit| letter | bit)
        };
        let edges = violating.automaton.edges[node.1 as usize].iter().filter(|edge| edge.label.holds(letter));
        let states: Vec<u32> = edges.map(|edge| u32::try_from(edge.to).expect("states have 32 bits")).collect();
        if states.is_empty() {
            return Ok(());
        }
        let mut markings = Vec::new();
        self.graph.ahead(node.0, None, &mut markings)?;
        self.graph.pay(markings.len() * (states.len() - 1))?;
        path.ahead.extend(markings.iter().flat_map(|&marking| states.iter().map(move |&state| (marking, state))));
        Ok(())
    }

    fn accepts(&self, node: Node) -> bool {
        self.violating.accepting[node.1 as usize]
    }

    /// A run that the automaton accepts from the initial marking: its markings, and the place to which the last one returns.
    fn accepted(&mut self) -> Result<Option<(Vec<u32>, usize)>, Stop> {
        for &state in &self.violating.automaton.initial {
            let start = (INITIAL, u32::try_from(state).expect("states have 32 bits"));
            if self.colours.contains_key(&start) {
                continue;
            }
            let mut path = Path::default();
            self.colours.insert(start, Colour::Cyan);
            self.enter(start, &mut path)?;
            while let Some(&(node, first)) = path.nodes.last() {
                if path.ahead.len() > first {
                    let next = path.ahead.pop().expect("it is longer");
                    match self.colours.get(&next) {
                        None => {
                            reserve(&self.colours);
                            self.colours.insert(next, Colour::Cyan);
                            self.enter(next, &mut path)?;
                            self.closing_first(next, &mut path);
                        }
                        // A cycle of the path.
                        Some(Colour::Cyan) if self.accepts(node) || self.accepts(next) => {
                            return Ok(Some(lasso(&path, &[], next)));
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                if self.accepts(node) && !self.violating.wrong.second_forgotten() {
                    if let Some((back, next)) = self.closes(node)? {
                        return Ok(Some(lasso(&path, &back, next)));
                    }
                    self.colours.insert(node, Colour::Red);
                } else {
                    self.colours.insert(node, Colour::Blue);
                }
                path.nodes.pop();
            }
        }
        Ok(None)
    }

    /// Puts a step that closes a cycle before the others of the last node of the first path.
    fn closing_first(&self, node: Node, path: &mut Path) {
        let closes =
            |next: &Node| self.colours.get(next) == Some(&Colour::Cyan) && (self.accepts(node) || self.accepts(*next));
        let first = path.nodes.last().map_or(0, |&(_, first)| first);
        if let Some(at) = path.ahead[first..].iter().position(closes) {
            let last = path.ahead.len() - 1;
            path.ahead.swap(first + at, last);
        }
    }

    /// A way from an accepting node to a node of the first path.
    fn closes(&mut self, from: Node) -> Result<Option<(Vec<Node>, Node)>, Stop> {
        let mut path = Path::default();
        self.enter(from, &mut path)?;
        while let Some(&(_, first)) = path.nodes.last() {
            if path.ahead.len() == first {
                path.nodes.pop();
                continue;
            }
            let next = path.ahead.pop().expect("it is longer");
            match self.colours.get(&next) {
                Some(Colour::Cyan) => return Ok(Some((path.nodes[1..].iter().map(|&(node, _)| node).collect(), next))),
                Some(Colour::Blue) if !self.violating.wrong.left_forgotten() => {
                    self.colours.insert(next, Colour::Red);
                    self.enter(next, &mut path)?;
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// The markings of a path and a way behind it, and the place of the node to which they return.
fn lasso(path: &Path, back: &[Node], next: Node) -> (Vec<u32>, usize) {
    let nodes = path.nodes.iter().map(|&(node, _)| node);
    let place = nodes.clone().position(|node| node == next).expect("a node of the path");
    (nodes.chain(back.iter().copied()).map(|(marking, _)| marking).collect(), place)
}
