//! Random formulas on random nets, against sets of markings computed to a fixed point.

use std::collections::BTreeMap;

use explore::question::Limits;
use frontend::pnml::Net;
use frontend::sequential::{BinaryOp, Expr, ExprKind, Formula, Place, VariableId};
use frontend::source::Span;
use ltl::Paths;

use super::{Formulas, Wrong, decide_with};
use crate::nets::conditions::Condition;
use crate::nets::reduce::{Keeps, reduce};
use crate::nets::tests::{Case, Random, cases};

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::NONE)
}

/// A comparison of a place with a number.
pub(in crate::nets) fn condition(random: &mut Random, places: usize) -> Formula {
    let variable = VariableId::from_index(random.below(places));
    let read = expr(ExprKind::Read(Place { variable, indices: Vec::new(), span: Span::NONE }));
    let op = [BinaryOp::LessEqual, BinaryOp::GreaterEqual, BinaryOp::Equal, BinaryOp::NotEqual][random.below(4)];
    let number = expr(ExprKind::Int(random.small(3)));
    Formula::Atom(expr(ExprKind::Binary(op, Box::new(read), Box::new(number))))
}

fn formula(random: &mut Random, places: usize, depth: usize) -> Formula {
    if depth == 0 {
        return condition(random, places);
    }
    let part = |random: &mut Random| {
        let depth = depth - 1 - random.below(depth);
        Box::new(formula(random, places, depth))
    };
    let paths = if random.below(2) == 0 { Paths::All } else { Paths::Some };
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
    Formula::Quantified(paths, Box::new(path))
}

/// The graph of all markings; the last marking of a run is repeated.
pub(in crate::nets) struct Graph {
    pub(in crate::nets) markings: Vec<Vec<i32>>,
    pub(in crate::nets) successors: Vec<Vec<usize>>,
}

impl Graph {
    pub(in crate::nets) fn new(case: &Case) -> Graph {
        let markings: Vec<Vec<i32>> = case.markings.iter().cloned().collect();
        let numbers: BTreeMap<&Vec<i32>, usize> = markings.iter().zip(0..).collect();
        let next = |at: usize| {
            let steps = case.net.transitions.iter().filter_map(|one| case.net.fired(one, &markings[at]));
            let list: Vec<usize> = steps.map(|next| numbers[&next]).collect();
            if list.is_empty() { vec![at] } else { list }
        };
        let successors = (0..markings.len()).map(next).collect();
        Graph { markings, successors }
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

    /// The markings in which a formula holds.
    fn holds(&self, formula: &Formula) -> Vec<bool> {
        let count = self.markings.len();
        let each = |of: &dyn Fn(usize) -> bool| (0..count).map(of).collect::<Vec<bool>>();
        match formula {
            Formula::Atom(atom) => {
                let condition = Condition::of(atom, true).expect("a comparison");
                each(&|at| condition.holds(&|place: usize| i64::from(self.markings[at][place])))
            }
            Formula::Not(inner) => self.holds(inner).into_iter().map(|value| !value).collect(),
            Formula::And(list) => {
                let sets: Vec<Vec<bool>> = list.iter().map(|part| self.holds(part)).collect();
                each(&|at| sets.iter().all(|set| set[at]))
            }
            Formula::Or(list) => {
                let sets: Vec<Vec<bool>> = list.iter().map(|part| self.holds(part)).collect();
                each(&|at| sets.iter().any(|set| set[at]))
            }
            Formula::Implies(left, right) => {
                let (left, right) = (self.holds(left), self.holds(right));
                each(&|at| !left[at] || right[at])
            }
            Formula::Quantified(paths, path) => {
                let step = |set: &[bool], at: usize| match paths {
                    Paths::All => self.successors[at].iter().all(|&next| set[next]),
                    Paths::Some => self.successors[at].iter().any(|&next| set[next]),
                };
                match &**path {
                    Formula::Next(inner) => {
                        let set = self.holds(inner);
                        each(&|at| step(&set, at))
                    }
                    Formula::Finally(inner) => {
                        let goal = self.holds(inner);
                        self.fixed_point(vec![false; count], |set, at| goal[at] || step(set, at))
                    }
                    Formula::Globally(inner) => {
                        let stays = self.holds(inner);
                        self.fixed_point(vec![true; count], |set, at| stays[at] && step(set, at))
                    }
                    Formula::Until(stays, goal) => {
                        let (stays, goal) = (self.holds(stays), self.holds(goal));
                        self.fixed_point(vec![false; count], |set, at| goal[at] || stays[at] && step(set, at))
                    }
                    _ => unreachable!("operators of CTL"),
                }
            }
            _ => unreachable!("formulas of states"),
        }
    }
}

fn decided(net: &Net, bounds: &[Option<i32>], formulas: &Formulas, wrong: Wrong) -> Vec<Option<bool>> {
    let mut answers = vec![None; formulas.len()];
    decide_with(net, bounds, formulas, &Limits::default(), &mut (), &mut answers, wrong);
    answers
}

/// Formulas of a net with their truth, and those in the form that is decided.
fn formulas(seed: u64, case: &Case) -> (Vec<Formula>, Vec<bool>, Formulas) {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let places = case.net.places.len();
    let mut list: Vec<Formula> = (0..6).map(|_| formula(&mut random, places, 4)).collect();
    // A search for each marking of another search.
    let quantified = |paths: Paths, path: Formula| Formula::Quantified(paths, Box::new(path));
    for _ in 0..4 {
        let goal = Formula::And(vec![condition(&mut random, places), condition(&mut random, places)]);
        let again = quantified(Paths::Some, Formula::Finally(Box::new(goal)));
        list.push(quantified(Paths::All, Formula::Globally(Box::new(again))));
    }
    let graph = Graph::new(case);
    let start = graph.markings.iter().position(|marking| *marking == case.net.initial()).expect("the start");
    let expected = list.iter().map(|formula| graph.holds(formula)[start]).collect();
    let mut own = Formulas::default();
    assert!(list.iter().all(|formula| own.add(formula)), "operators of CTL");
    (list, expected, own)
}

#[test]
fn formulas_have_the_truth_of_the_whole_graph() {
    let (mut holding, mut all, mut smaller) = (0, 0, 0);
    for (seed, case) in cases() {
        let (list, expected, own) = formulas(seed, &case);
        let conditions = own.conditions();
        let reduced = reduce(&case.net, &case.bounds, Keeps::branching(&conditions));
        smaller += u32::from(reduced.applied.is_any());
        let moved = own.map(&|condition| reduced.condition(condition));
        for (net, bounds, formulas) in [(&case.net, &case.bounds, &own), (&reduced.net, &reduced.bounds, &moved)] {
            let found = decided(net, bounds, formulas, Wrong::default());
            for (at, formula) in list.iter().enumerate() {
                assert_eq!(found[at], Some(expected[at]), "seed {seed}: {formula:?}\n{:?}", case.net);
            }
        }
        holding += expected.iter().filter(|value| **value).count();
        all += expected.len();
    }
    assert!(holding * 4 > all && holding * 4 < all * 3, "{holding} of {all}");
    assert!(smaller > 200, "{smaller} nets are smaller");
}

#[test]
fn wrong_searches_are_noticed() {
    for wrong in [
        Wrong { components_forgotten: true, ..Wrong::default() },
        Wrong { ends_forgotten: true, ..Wrong::default() },
        Wrong { left_lead_to_goals: true, ..Wrong::default() },
    ] {
        let is_noticed = |(seed, case): (u64, Case)| {
            let (_, expected, own) = formulas(seed, &case);
            decided(&case.net, &case.bounds, &own, wrong).into_iter().ne(expected.into_iter().map(Some))
        };
        assert!(cases().any(is_noticed), "{wrong:?}");
    }
}

#[test]
fn what_stops_in_time_or_memory_is_open() {
    let mut open = 0;
    for (seed, case) in cases().take(200) {
        let (_, expected, own) = formulas(seed, &case);
        let mut answers = vec![None; own.len()];
        let limits = Limits { max_states: Some(3), ..Limits::default() };
        decide_with(&case.net, &case.bounds, &own, &limits, &mut (), &mut answers, Wrong::default());
        for (answer, expected) in answers.iter().zip(&expected) {
            assert!(answer.is_none_or(|answer| answer == *expected), "seed {seed}");
            open += u32::from(answer.is_none());
        }
    }
    assert!(open > 20, "{open} open");
}
