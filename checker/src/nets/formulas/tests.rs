//! Random formulas on random nets: those of branching time against sets of markings computed to a fixed point, those of linear time against
//! reachability in the whole product with the automaton.

use std::collections::{BTreeMap, BTreeSet};

use explore::question::Limits;
use frontend::pnml::Net;
use ltl::{Bits, Formula, Paths};

use super::linear::Violating;
use super::{Wrong, decide_with};
use crate::nets::conditions::Condition;
use crate::nets::reduce::{self, Keeps, reduce_with};
use crate::nets::tests::{Case, Random, cases, ring, tokens};

fn operator(
    random: &mut Random,
    paths: Option<Paths>,
    part: &mut dyn FnMut(&mut Random) -> Box<Formula<Condition>>,
) -> Formula<Condition> {
    let path = match random.below(10) {
        0 => return Formula::Not(part(random)),
        1 => return Formula::And(vec![*part(random), *part(random)]),
        2 => return Formula::Or(vec![*part(random), *part(random)]),
        3 => return Formula::Implies(part(random), part(random)),
        4 => Formula::Next(part(random)),
        5 | 6 => Formula::Finally(part(random)),
        7 => Formula::Globally(part(random)),
        _ => Formula::Until(part(random), part(random)),
    };
    match paths {
        Some(paths) => Formula::Quantified(paths, Box::new(path)),
        None => path,
    }
}

fn formula(random: &mut Random, places: usize, depth: usize, is_branching: bool) -> Formula<Condition> {
    if depth == 0 {
        return Formula::Atom(random.condition(places, 1));
    }
    let paths = is_branching.then(|| if random.below(2) == 0 { Paths::All } else { Paths::Some });
    operator(random, paths, &mut |random| {
        let depth = depth - 1 - random.below(depth);
        Box::new(formula(random, places, depth, is_branching))
    })
}

/// Formulas of both kinds. Some need a search for each marking of another one, or cycles that pass several markings in turn.
fn formulas(seed: u64, places: usize) -> Vec<Formula<Condition>> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut list: Vec<_> = (0..6).map(|_| formula(&mut random, places, 4, true)).collect();
    list.extend((0..5).map(|_| formula(&mut random, places, 3, false)));
    for _ in 0..4 {
        let mut some = || Box::new(formula(&mut random, places, 0, false));
        let goal = Formula::Quantified(Paths::Some, Box::new(Formula::Finally(some())));
        list.push(Formula::Quantified(Paths::All, Box::new(Formula::Globally(Box::new(goal)))));
        let mut again = || Formula::Globally(Box::new(Formula::Finally(some())));
        list.push(Formula::Not(Box::new(Formula::And(vec![again(), again(), again()]))));
    }
    list
}

/// The graph of all markings; the last marking of a run is repeated.
struct Graph {
    markings: Vec<Vec<i32>>,
    successors: Vec<Vec<usize>>,
    start: usize,
}

impl Graph {
    fn new(case: &Case) -> Graph {
        let markings: Vec<Vec<i32>> = case.markings.iter().cloned().collect();
        let numbers: BTreeMap<&Vec<i32>, usize> = markings.iter().zip(0..).collect();
        let next = |at: usize| {
            let steps = case.net.transitions.iter().filter_map(|one| case.net.fired(one, &markings[at]));
            let list: Vec<usize> = steps.map(|next| numbers[&next]).collect();
            if list.is_empty() { vec![at] } else { list }
        };
        let successors = (0..markings.len()).map(next).collect();
        let start = numbers[&case.net.initial()];
        Graph { markings, successors, start }
    }

    fn is_true(&self, formula: &Formula<Condition>) -> bool {
        if formula.is_branching() { self.set(formula)[self.start] } else { self.all_runs(formula) }
    }

    fn fixed_point(&self, mut set: Vec<bool>, next: impl Fn(&[bool], usize) -> bool) -> Vec<bool> {
        loop {
            let after: Vec<bool> = (0..set.len()).map(|at| next(&set, at)).collect();
            if after == set {
                return set;
            }
            set = after;
        }
    }

    /// The markings in which a formula of branching time holds.
    fn set(&self, formula: &Formula<Condition>) -> Vec<bool> {
        let count = self.markings.len();
        let each = |of: &dyn Fn(usize) -> bool| (0..count).map(of).collect::<Vec<bool>>();
        let sets: Vec<Vec<bool>> = match formula {
            Formula::Quantified(_, path) => path.operands().into_iter().map(|part| self.set(part)).collect(),
            _ => formula.operands().into_iter().map(|part| self.set(part)).collect(),
        };
        match formula {
            Formula::Atom(condition) => each(&|at| condition.holds(&tokens(&self.markings[at]))),
            Formula::Not(_) => each(&|at| !sets[0][at]),
            Formula::And(_) => each(&|at| sets.iter().all(|set| set[at])),
            Formula::Or(_) => each(&|at| sets.iter().any(|set| set[at])),
            Formula::Implies(..) => each(&|at| !sets[0][at] || sets[1][at]),
            Formula::Quantified(paths, path) => {
                let step = |set: &[bool], at: usize| match paths {
                    Paths::All => self.successors[at].iter().all(|&next| set[next]),
                    Paths::Some => self.successors[at].iter().any(|&next| set[next]),
                };
                match &**path {
                    Formula::Next(_) => each(&|at| step(&sets[0], at)),
                    Formula::Finally(_) => self.fixed_point(vec![false; count], |set, at| sets[0][at] || step(set, at)),
                    Formula::Globally(_) => self.fixed_point(vec![true; count], |set, at| sets[0][at] && step(set, at)),
                    Formula::Until(..) => {
                        self.fixed_point(vec![false; count], |set, at| sets[1][at] || sets[0][at] && step(set, at))
                    }
                    _ => unreachable!("operators of CTL"),
                }
            }
            _ => unreachable!("formulas of states"),
        }
    }

    /// Whether a formula of linear time holds of all runs: no node of the product reaches an accepting one that reaches itself.
    fn all_runs(&self, formula: &Formula<Condition>) -> bool {
        let violating = Violating::of(formula, Wrong::default()).expect("a small automaton");
        let automaton = &violating.automaton;
        let steps = |(marking, state): (usize, usize)| {
            let holds = |at: usize| violating.conditions[at].holds(&tokens(&self.markings[marking]));
            let letter = (0..violating.conditions.len()).fold(0, |letter, at| letter | Bits::from(holds(at)) << at);
            let edges = automaton.edges[state].iter().filter(|edge| edge.label.holds(letter));
            let nodes = edges.flat_map(|edge| self.successors[marking].iter().map(|&next| (next, edge.to)));
            nodes.collect::<Vec<(usize, usize)>>()
        };
        let reached = |from: Vec<(usize, usize)>| {
            let mut seen: BTreeSet<(usize, usize)> = from.iter().copied().collect();
            let mut open = from;
            while let Some(node) = open.pop() {
                open.extend(steps(node).into_iter().filter(|&next| seen.insert(next)));
            }
            seen
        };
        let nodes = reached(automaton.initial.iter().map(|&state| (self.start, state)).collect());
        let mut accepting = nodes.into_iter().filter(|&(_, state)| violating.accepting[state]);
        !accepting.any(|node| reached(steps(node)).contains(&node))
    }
}

fn decided(
    (net, bounds): (&Net, &[Option<i32>]),
    formulas: &[Formula<Condition>],
    limits: &Limits,
    wrong: Wrong,
) -> Vec<Option<bool>> {
    let mut answers = vec![None; formulas.len()];
    decide_with(net, bounds, formulas, limits, &mut (), &mut answers, wrong);
    answers
}

/// The answers on the smaller net.
fn on_smaller(case: &Case, list: &[Formula<Condition>], wrong: reduce::Wrong) -> (Vec<Option<bool>>, bool) {
    let conditions: Vec<Condition> = list.iter().flat_map(|formula| formula.atoms().into_iter().cloned()).collect();
    let reduced = reduce_with(&case.net, &case.bounds, Keeps::steps(&conditions), wrong);
    let moved: Vec<_> = list.iter().map(|formula| formula.map(&mut |one| reduced.condition(one))).collect();
    let found = decided((&reduced.net, &reduced.bounds), &moved, &Limits::default(), Wrong::default());
    (found, reduced.applied.is_any())
}

/// Nets with few markings, among them rings.
fn small() -> impl Iterator<Item = (u64, Case)> {
    let rings = (0..40).map(|seed| (seed, ring(5 + usize::try_from(seed % 3).expect("small"))));
    rings.chain(cases().filter(|(_, case)| case.markings.len() < 60).take(500))
}

#[test]
fn formulas_have_the_truth_of_the_whole_graph() {
    let (mut holding, mut all, mut smaller) = (0, 0, 0);
    for (seed, case) in small() {
        let list = formulas(seed, case.net.places.len());
        let graph = Graph::new(&case);
        let expected: Vec<Option<bool>> = list.iter().map(|formula| Some(graph.is_true(formula))).collect();
        let found = decided((&case.net, &case.bounds), &list, &Limits::default(), Wrong::default());
        assert_eq!(found, expected, "seed {seed} {list:?}\n{:?}", case.net);
        // One formula at a time observes the fewest places.
        for (formula, expected) in list.iter().zip(&expected) {
            let (found, is_smaller) = on_smaller(&case, std::slice::from_ref(formula), reduce::Wrong::default());
            assert_eq!(found[0], *expected, "seed {seed} {formula:?}\n{:?}", case.net);
            smaller += u32::from(is_smaller);
        }
        let cut = decided(
            (&case.net, &case.bounds),
            &list,
            &Limits { max_states: Some(3), ..Limits::default() },
            Wrong::default(),
        );
        assert!(cut.iter().zip(&expected).all(|(cut, expected)| cut.is_none() || cut == expected), "seed {seed}");
        holding += expected.iter().filter(|value| **value == Some(true)).count();
        all += expected.len();
    }
    assert!(holding * 4 > all && holding * 4 < all * 3, "{holding} of {all}");
    assert!(smaller > 400, "{smaller} nets are smaller");
}

#[test]
fn wrong_searches_are_noticed() {
    for wrong in [
        Wrong { ends_forgotten: true, ..Wrong::default() },
        Wrong { components_forgotten: true, ..Wrong::default() },
        Wrong { components_kept: true, ..Wrong::default() },
        Wrong { second_forgotten: true, ..Wrong::default() },
        Wrong { left_forgotten: true, ..Wrong::default() },
    ] {
        let is_noticed = |(seed, case): (u64, Case)| {
            let list = formulas(seed, case.net.places.len());
            let right = decided((&case.net, &case.bounds), &list, &Limits::default(), Wrong::default());
            decided((&case.net, &case.bounds), &list, &Limits::default(), wrong) != right
        };
        assert!(small().any(is_noticed), "{wrong:?}");
    }
    let wrong = reduce::Wrong { steps_forgotten: true, ..reduce::Wrong::default() };
    let is_noticed = |(seed, case): (u64, Case)| {
        let alone = |formula| {
            let list = std::slice::from_ref(formula);
            on_smaller(&case, list, wrong).0 != on_smaller(&case, list, reduce::Wrong::default()).0
        };
        formulas(seed, case.net.places.len()).iter().any(alone)
    };
    assert!(small().any(is_noticed), "{wrong:?}");
}
