//! Formulas of linear time, decided on as much of the graph of markings as a search for a run that violates them needs.
//!
//! A run violates a formula if an automaton accepts it. A node is a marking and a state of the automaton that reads it next. The first search
//! looks for accepting nodes, depth-first; when it leaves one, a second search looks from there for a node on the path of the first. All
//! formulas share the graph and take turns ([`graph`](super::graph)).
//!
//! # Soundness
//!
//! Nodes of the path are cyan, those that the first search has left blue, those of second searches red. A red node reaches no cyan one that a
//! later second search would have to find, so that all second searches together visit a node once. A formula holds if both searches end without a cycle.
//! A run that they find is judged by the meaning of the formula, marking by marking. The last marking of a run that ends is repeated. Time and memory: nodes.
//!
//! # Source
//!
//! Courcoubetis, Vardi, Wolper and Yannakakis (1992); the colours are those of Schwoon and Esparza (2005).

use explore::question::Limits;
use explore::report::Control;
use frontend::pnml::Net;
use ltl::{Automaton, Bits, Formula};
use rustc_hash::FxHashMap;

use super::conditions::Condition;
use super::graph::{Graph, INITIAL, Stop, in_turns};
use super::running::Incidence;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// No second search begins at an accepting node that the first search leaves.
        second_forgotten,
        /// A run that ends violates nothing.
        ends_forgotten,
        /// A second search goes through no node that the first search has left.
        left_forgotten,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colour {
    Cyan,
    Blue,
    Red,
}

/// A marking and a state of the automaton.
type Node = (u32, u32);

/// The runs that violate a formula.
struct Violating {
    automaton: Automaton,
    /// The states that a run must pass infinitely often.
    accepting: Vec<bool>,
    conditions: Vec<Condition>,
}

impl Violating {
    /// Nothing if the automaton would be too large.
    fn of(formula: &Formula<Condition>) -> Option<Violating> {
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
        Some(Violating { automaton, accepting, conditions })
    }
}

struct Search<'s, 'n, 'c> {
    graph: &'s mut Graph<'n, 'c>,
    violating: &'s Violating,
    colours: FxHashMap<Node, Colour>,
    wrong: Wrong,
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
                if self.accepts(node) && !self.wrong.second_forgotten() {
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
                Some(Colour::Blue) if !self.wrong.left_forgotten() => {
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

/// Decides whether formulas hold of all runs from the initial marking of a net within its bounds, as far as time and memory allow. What is decided
/// before the watch stops is in `answers`.
pub fn decide_runs(
    net: &Net,
    bounds: &[Option<i32>],
    formulas: &[Formula<Condition>],
    limits: &Limits,
    control: &mut dyn Control,
    answers: &mut [Option<bool>],
) {
    decide_with(net, bounds, formulas, limits, control, answers, Wrong::default());
}

/// As [`decide_runs`], with known faults.
pub(super) fn decide_with(
    net: &Net,
    bounds: &[Option<i32>],
    formulas: &[Formula<Condition>],
    limits: &Limits,
    control: &mut dyn Control,
    answers: &mut [Option<bool>],
    wrong: Wrong,
) {
    assert_eq!(formulas.len(), answers.len(), "an answer for each formula");
    if limits.max_depth.is_some() {
        return;
    }
    let arcs = Incidence::new(net);
    let Some(mut graph) = Graph::new(&arcs, bounds, limits, control, wrong.ends_forgotten()) else { return };
    let violating: Vec<Option<Violating>> = formulas.iter().map(Violating::of).collect();
    in_turns(answers, |at, turn| {
        graph.turn = turn;
        let violating = violating[at].as_ref().ok_or(Stop::Room)?;
        let mut search = Search { graph: &mut graph, violating, colours: FxHashMap::default(), wrong };
        let Some((markings, returns)) = search.accepted()? else { return Ok(true) };
        let mut value = |condition: &Condition, place: usize| Some(condition.holds(&graph.tokens(markings[place])));
        let is_shown = ltl::holds(&formulas[at], markings.len(), returns, &mut value) == Some(false);
        debug_assert!(is_shown, "a run that the automaton accepts violates the formula");
        if is_shown { Ok(false) } else { Err(Stop::Room) }
    });
}

#[cfg(test)]
mod tests {
    //! Random formulas on random nets, against the product of the whole graph with the automaton, by components.

    use super::*;
    use crate::nets::branching::tests::{Graph as Whole, condition};
    use crate::nets::reduce::{Keeps, reduce};
    use crate::nets::tests::{Case, Random, cases, ring};

    fn formula(random: &mut Random, places: usize, depth: usize) -> Formula<Condition> {
        let Formula::Atom(atom) = condition(random, places) else { unreachable!("a condition") };
        if depth == 0 {
            return Formula::Atom(Condition::of(&atom, true).expect("a comparison"));
        }
        let part = |random: &mut Random| {
            let depth = depth - 1 - random.below(depth);
            Box::new(formula(random, places, depth))
        };
        match random.below(9) {
            0 => Formula::Not(part(random)),
            1 => Formula::And(vec![*part(random), *part(random)]),
            2 => Formula::Or(vec![*part(random), *part(random)]),
            3 => Formula::Next(part(random)),
            4 | 5 => Formula::Finally(part(random)),
            6 | 7 => Formula::Globally(part(random)),
            _ => Formula::Until(part(random), part(random)),
        }
    }

    /// Whether all runs satisfy a formula: no node of the product reaches an accepting one that reaches itself.
    fn holds(whole: &Whole, start: usize, formula: &Formula<Condition>) -> bool {
        let violating = Violating::of(formula).expect("a small automaton");
        let automaton = &violating.automaton;
        let steps = |(marking, state): (usize, usize)| {
            let tokens = |place: usize| i64::from(whole.markings[marking][place]);
            let letter = (0..violating.conditions.len())
                .fold(0, |letter, at| letter | Bits::from(violating.conditions[at].holds(&tokens)) << at);
            let edges = automaton.edges[state].iter().filter(move |edge| edge.label.holds(letter));
            let next: Vec<(usize, usize)> = edges
                .flat_map(|edge| whole.successors[marking].iter().map(move |&successor| (successor, edge.to)))
                .collect();
            next
        };
        let reached = |from: Vec<(usize, usize)>| {
            let mut seen: std::collections::BTreeSet<(usize, usize)> = from.iter().copied().collect();
            let mut open = from;
            while let Some(node) = open.pop() {
                open.extend(steps(node).into_iter().filter(|&next| seen.insert(next)));
            }
            seen
        };
        let nodes = reached(automaton.initial.iter().map(|&state| (start, state)).collect());
        let mut accepting = nodes.into_iter().filter(|&(_, state)| violating.accepting[state]);
        !accepting.any(|node| reached(steps(node)).contains(&node))
    }

    fn formulas(seed: u64, case: &Case) -> (Vec<Formula<Condition>>, Vec<bool>) {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let places = case.net.places.len();
        let mut list: Vec<_> = (0..5).map(|_| formula(&mut random, places, 3)).collect();
        // Cycles that pass several markings in turn.
        for _ in 0..4 {
            let mut again = || {
                let inner = formula(&mut random, places, 0);
                Formula::Globally(Box::new(Formula::Finally(Box::new(inner))))
            };
            list.push(Formula::Not(Box::new(Formula::And(vec![again(), again(), again()]))));
        }
        let whole = Whole::new(case);
        let start = whole.markings.iter().position(|marking| *marking == case.net.initial()).expect("the start");
        let expected = list.iter().map(|formula| holds(&whole, start, formula)).collect();
        (list, expected)
    }

    fn small() -> impl Iterator<Item = (u64, Case)> {
        let rings = (0..40).map(|seed| (seed, ring(5 + usize::try_from(seed % 3).expect("small"))));
        rings.chain(cases().filter(|(_, case)| case.markings.len() < 60).take(500))
    }

    fn decided(net: &Net, bounds: &[Option<i32>], formulas: &[Formula<Condition>], wrong: Wrong) -> Vec<Option<bool>> {
        let mut answers = vec![None; formulas.len()];
        decide_with(net, bounds, formulas, &Limits::default(), &mut (), &mut answers, wrong);
        answers
    }

    #[test]
    fn formulas_hold_where_the_product_is_empty() {
        let (mut holding, mut all) = (0, 0);
        for (seed, case) in small() {
            let (list, expected) = formulas(seed, &case);
            let conditions: Vec<Condition> =
                list.iter().flat_map(|formula| formula.atoms().into_iter().cloned()).collect();
            let reduced = reduce(&case.net, &case.bounds, Keeps::branching(&conditions));
            let moved: Vec<_> = list.iter().map(|formula| formula.map(&mut |one| reduced.condition(one))).collect();
            let wanted: Vec<Option<bool>> = expected.iter().map(|&value| Some(value)).collect();
            assert_eq!(decided(&case.net, &case.bounds, &list, Wrong::default()), wanted, "seed {seed} {list:?}");
            let found = decided(&reduced.net, &reduced.bounds, &moved, Wrong::default());
            assert_eq!(found, wanted, "seed {seed} {list:?}");
            holding += expected.iter().filter(|value| **value).count();
            all += expected.len();
        }
        assert!(all > 1000 && holding * 5 > all && holding * 5 < all * 4, "{holding} of {all}");
    }

    #[test]
    fn wrong_searches_are_noticed() {
        for wrong in [
            Wrong { second_forgotten: true, ..Wrong::default() },
            Wrong { ends_forgotten: true, ..Wrong::default() },
            Wrong { left_forgotten: true, ..Wrong::default() },
        ] {
            let is_noticed = |(seed, case): (u64, Case)| {
                let (list, expected) = formulas(seed, &case);
                decided(&case.net, &case.bounds, &list, wrong).into_iter().ne(expected.into_iter().map(Some))
            };
            assert!(small().any(is_noticed), "{wrong:?}");
        }
    }
}
