//! Random nets: every examination against the graph of all markings, formulas of linear time with and without reductions, and known-wrong
//! simplifications that must be noticed.
//!
//! The graph and the truth of formulas of branching time are computed here, from the arcs and the trees that the texts were written from.
//! `NETS` sets the number of nets, `SEED` the first seed.

mod arcs;

use std::collections::BTreeMap;

use checker::{Limits, Question, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::pnml::{self, Asked, Loaded};
use frontend::sequential::{BinaryOp, Expr, ExprKind, Formula};
use frontend::source::Span;

use super::formulas::{Wrong, simplified};
use super::{Answered, Examination, Request, Value, examine_with};
use crate::line::{Plan, check};
use crate::slice::Slicing;
use arcs::{Arcs, Graph, Random};

/// A formula.
#[derive(Clone, Debug)]
enum Tree {
    Fireable(Vec<usize>),
    /// The tokens of places are at most a number, or those of another place.
    AtMost(Vec<usize>, Result<i64, usize>),
    Not(Box<Tree>),
    Both(Vec<Tree>),
    One(Vec<Tree>),
    /// A path operator, with a quantifier (for all runs or for some) in branching time.
    Path(Option<bool>, Operator, Vec<Tree>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Next,
    Finally,
    Globally,
    Until,
}

fn condition(random: &mut Random, arcs: &Arcs) -> Tree {
    let places = arcs.initial.len();
    if random.below(2) == 0 {
        return Tree::Fireable((0..1 + random.below(2)).map(|_| random.below(arcs.steps.len())).collect());
    }
    let sum = (0..1 + random.below(2)).map(|_| random.below(places)).collect();
    let other = if random.below(3) == 0 {
        Err(random.below(places))
    } else {
        Ok(i64::try_from(random.below(3)).expect("small"))
    };
    Tree::AtMost(sum, other)
}

fn tree(random: &mut Random, arcs: &Arcs, depth: usize, is_branching: bool) -> Tree {
    if depth == 0 {
        return condition(random, arcs);
    }
    let inner = |random: &mut Random| {
        let depth = random.below(depth);
        tree(random, arcs, depth, is_branching)
    };
    match random.below(8) {
        0 => Tree::Not(Box::new(inner(random))),
        1 => Tree::Both(vec![inner(random), inner(random)]),
        2 => Tree::One(vec![inner(random), inner(random)]),
        _ => {
            let quantifier = is_branching.then(|| random.below(2) == 0);
            match random.below(4) {
                0 => Tree::Path(quantifier, Operator::Next, vec![inner(random)]),
                1 => Tree::Path(quantifier, Operator::Finally, vec![inner(random)]),
                2 => Tree::Path(quantifier, Operator::Globally, vec![inner(random)]),
                _ => Tree::Path(quantifier, Operator::Until, vec![inner(random), inner(random)]),
            }
        }
    }
}

impl Tree {
    fn text(&self) -> String {
        let all = |list: &[Tree]| list.iter().map(Tree::text).collect::<String>();
        let count = |places: &[usize]| {
            let places: String = places.iter().map(|place| format!("<place>p{place}</place>")).collect();
            format!("<tokens-count>{places}</tokens-count>")
        };
        match self {
            Tree::Fireable(steps) => {
                let steps: String = steps.iter().map(|step| format!("<transition>t{step}</transition>")).collect();
                format!("<is-fireable>{steps}</is-fireable>")
            }
            Tree::AtMost(places, other) => {
                let other = match other {
                    Ok(number) => format!("<integer-constant>{number}</integer-constant>"),
                    Err(place) => count(&[*place]),
                };
                format!("<integer-le>{}{other}</integer-le>", count(places))
            }
            Tree::Not(inner) => format!("<negation>{}</negation>", inner.text()),
            Tree::Both(list) => format!("<conjunction>{}</conjunction>", all(list)),
            Tree::One(list) => format!("<disjunction>{}</disjunction>", all(list)),
            Tree::Path(quantifier, operator, list) => {
                let path = match operator {
                    Operator::Next => format!("<next>{}</next>", all(list)),
                    Operator::Finally => format!("<finally>{}</finally>", all(list)),
                    Operator::Globally => format!("<globally>{}</globally>", all(list)),
                    Operator::Until => {
                        format!("<until><before>{}</before><reach>{}</reach></until>", list[0].text(), list[1].text())
                    }
                };
                match quantifier {
                    None => path,
                    Some(true) => format!("<all-paths>{path}</all-paths>"),
                    Some(false) => format!("<exists-path>{path}</exists-path>"),
                }
            }
        }
    }

    /// The markings in which a formula of branching time is true; runs are infinite or end in a deadlock.
    fn sat(&self, arcs: &Arcs, graph: &Graph) -> Vec<bool> {
        let of = |tree: &Tree| tree.sat(arcs, graph);
        let every = |value: &dyn Fn(&[i64]) -> bool| graph.markings.iter().map(|marking| value(marking)).collect();
        let next = |state: usize| graph.next[state].as_slice();
        match self {
            Tree::Fireable(steps) => every(&|marking| steps.iter().any(|&step| arcs.is_enabled(step, marking))),
            Tree::AtMost(places, other) => every(&|marking| {
                let other = other.map_or_else(|place| marking[place], |number| number);
                places.iter().map(|&place| marking[place]).sum::<i64>() <= other
            }),
            Tree::Not(inner) => of(inner).into_iter().map(|value| !value).collect(),
            Tree::Both(list) | Tree::One(list) => {
                let parts: Vec<Vec<bool>> = list.iter().map(of).collect();
                let is_both = matches!(self, Tree::Both(_));
                let value = |state: usize| {
                    if is_both { parts.iter().all(|part| part[state]) } else { parts.iter().any(|part| part[state]) }
                };
                (0..graph.next.len()).map(value).collect()
            }
            Tree::Path(quantifier, operator, list) => {
                let for_all = quantifier.expect("branching time");
                let inner = of(&list[list.len() - 1]);
                let quantified = |state: usize, set: &[bool]| match for_all {
                    true => next(state).iter().all(|&next| set[next]),
                    false => next(state).iter().any(|&next| set[next]),
                };
                match operator {
                    Operator::Next => (0..inner.len()).map(|state| quantified(state, &inner)).collect(),
                    Operator::Globally => graph
                        .fixed(true, |state, set| inner[state] && (next(state).is_empty() || quantified(state, set))),
                    Operator::Finally => graph
                        .fixed(false, |state, set| inner[state] || !next(state).is_empty() && quantified(state, set)),
                    Operator::Until => {
                        let before = of(&list[0]);
                        graph.fixed(false, |state, set| {
                            inner[state] || before[state] && !next(state).is_empty() && quantified(state, set)
                        })
                    }
                }
            }
        }
    }
}

struct Case {
    arcs: Arcs,
    graph: Graph,
    loaded: Loaded,
}

fn cases(count: u64) -> impl Iterator<Item = (u64, Case, Random)> {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise);
    let (count, first) = (number("NETS", count), number("SEED", 1));
    (first..first + count).filter_map(|seed| {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let arcs = Arcs::random(&mut random);
        let graph = Graph::of(&arcs)?;
        let mut diagnostics = Diagnostics::new();
        let loaded = pnml::read(&arcs.text(), &mut diagnostics).expect("a net");
        Some((seed, Case { arcs, graph, loaded }, random))
    })
}

fn plans() -> [Plan; 2] {
    let off = Plan {
        slicing: Slicing::Off,
        symmetry: None,
        partial_order: false,
        dead_values: false,
        heap_symmetry: false,
        ..Plan::default()
    };
    [Plan::default(), off]
}

/// The answers by their names.
fn answers(
    case: &Case,
    examination: Examination,
    asked: Vec<Asked>,
    plan: &Plan,
    wrong: Wrong,
) -> BTreeMap<String, Value> {
    let request = Request { limits: Limits::default(), plan: plan.clone() };
    let mut found = BTreeMap::new();
    let mut tell = |answer: Answered| {
        assert!(found.insert(answer.name.clone(), answer.value).is_none(), "{} is answered twice", answer.name);
    };
    examine_with(&case.loaded, examination, asked, &request, &mut (), &mut tell, wrong);
    found
}

/// The questions that trees are.
fn asked(case: &Case, trees: &[Tree]) -> Vec<Asked> {
    let property =
        |(at, tree): (usize, &Tree)| format!("<property><id>f{at}</id><formula>{}</formula></property>", tree.text());
    let properties: String = trees.iter().enumerate().map(property).collect();
    let mut diagnostics = Diagnostics::new();
    let asked = pnml::questions(
        &case.loaded.net,
        &format!("<property-set>{properties}</property-set>"),
        None,
        &mut diagnostics,
    );
    assert!(!diagnostics.has_errors() && asked.len() == trees.len(), "{trees:?}");
    asked
}

/// The answers of a check of the sequential form, without reductions.
fn checked(case: &Case, trees: &[Tree]) -> BTreeMap<String, Value> {
    let properties = asked(case, trees).into_iter().filter_map(|asked| match asked {
        Asked::Property(property) => Some(property),
        Asked::Bound { .. } => None,
    });
    let question = Question {
        deadlock: false,
        overflow: false,
        assertions: false,
        faults: false,
        properties: properties.collect(),
        keep_going: true,
        ..Question::default()
    };
    let [_, plan] = plans();
    let report = check(case.loaded.model(), &question, &plan, &mut ()).expect("a check");
    report.answers.iter().map(|one| (one.name.clone(), Value::Truth(one.verdict == Verdict::Holds))).collect()
}

/// Formulas of branching time: one in two says what is reachable.
fn branching(random: &mut Random, arcs: &Arcs) -> Vec<Tree> {
    let formula = |at: usize, random: &mut Random| match at {
        ..10 if at.is_multiple_of(2) => {
            let inner = match random.below(3) {
                0 => Tree::Both(vec![condition(random, arcs), condition(random, arcs)]),
                1 => Tree::One(vec![condition(random, arcs), Tree::Not(Box::new(condition(random, arcs)))]),
                _ => condition(random, arcs),
            };
            // The first one shows that the file is of branching time.
            let for_all = random.below(2) == 0 && at > 0;
            Tree::Path(Some(for_all), if for_all { Operator::Globally } else { Operator::Finally }, vec![inner])
        }
        10.. => {
            // What is promised within what is promised.
            let kind = random.below(8);
            let operator = if kind & 1 == 0 { Operator::Globally } else { Operator::Finally };
            let inner = Tree::Path(Some(kind & 2 == 0), operator, vec![condition(random, arcs)]);
            let list = vec![condition(random, arcs), inner];
            let both = if kind & 1 == 0 { Tree::Both(list) } else { Tree::One(list) };
            Tree::Path(Some(kind & 4 == 0), operator, vec![both])
        }
        _ => tree(random, arcs, 3, true),
    };
    (0..14).map(|at| formula(at, random)).collect()
}

/// Whether the answers to formulas of branching time are those of the graph.
fn agree(case: &Case, trees: &[Tree], plan: &Plan, wrong: Wrong) -> bool {
    let found = answers(case, Examination::Formulas("CTLFireability"), asked(case, trees), plan, wrong);
    let is_right = |(at, tree): (usize, &Tree)| {
        found.get(&format!("f{at}")) == Some(&Value::Truth(tree.sat(&case.arcs, &case.graph)[0]))
    };
    trees.iter().enumerate().all(is_right)
}

#[test]
fn formulas_of_branching_time_have_the_truth_of_the_graph() {
    let mut compared = 0;
    for (seed, case, mut random) in cases(120) {
        let trees = branching(&mut random, &case.arcs);
        for (at, plan) in plans().iter().enumerate() {
            assert!(agree(&case, &trees, plan, Wrong::default()), "seed {seed}, plan {at}: {trees:?}");
        }
        compared += trees.len();
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn formulas_of_linear_time_have_the_same_truth_without_reductions() {
    let mut values = [0; 2];
    for (seed, case, mut random) in cases(400) {
        let all = |inner: Tree| Tree::Path(Some(true), Operator::Globally, vec![inner]);
        let trees: Vec<Tree> = (0..5)
            .map(|_| match tree(&mut random, &case.arcs, 3, false) {
                Tree::Path(None, operator, list) => Tree::Path(Some(true), operator, list),
                other => all(other),
            })
            .collect();
        let found = plans().map(|plan| {
            answers(&case, Examination::Formulas("LTLFireability"), asked(&case, &trees), &plan, Wrong::default())
        });
        assert_eq!(found[0], found[1], "seed {seed}: {trees:?}");
        assert_eq!(found[0], checked(&case, &trees), "seed {seed}: {trees:?}");
        for value in found[0].values() {
            assert!(matches!(value, Value::Truth(_)), "seed {seed}: {found:?}");
            values[usize::from(*value == Value::Truth(true))] += 1;
        }
    }
    assert!(values[0] > 40 && values[1] > 40, "{values:?}");
}

#[test]
fn examinations_have_the_answers_of_the_graph() {
    let mut dying = 0;
    for (seed, case, mut random) in cases(120) {
        let Case { arcs, graph, .. } = &case;
        let places = 0..arcs.initial.len();
        let most = |sum: &[usize]| {
            let tokens = |marking: &Vec<i64>| sum.iter().map(|&place| marking[place]).sum::<i64>();
            graph.markings.iter().map(tokens).max().expect("a marking")
        };
        let fires = |step: usize| Tree::Fireable(vec![step]);
        let again = |step: usize| {
            let some = Tree::Path(Some(false), Operator::Finally, vec![fires(step)]);
            Tree::Path(Some(true), Operator::Globally, vec![some]).sat(arcs, graph)[0]
        };
        let stays = |place: usize| graph.markings.iter().all(|marking| marking[place] == arcs.initial[place]);
        let deadlock = graph.next.iter().any(Vec::is_empty);
        dying += u32::from(deadlock);
        let expected = [
            (Examination::ReachabilityDeadlock, deadlock),
            (Examination::OneSafe, places.clone().all(|place| most(&[place]) <= 1)),
            (Examination::StableMarking, places.clone().any(stays)),
            (
                Examination::QuasiLiveness,
                (0..arcs.steps.len()).all(|step| fires(step).sat(arcs, graph).contains(&true)),
            ),
            (Examination::Liveness, (0..arcs.steps.len()).all(again)),
        ];
        let sums: Vec<Vec<usize>> = (0..3)
            .map(|_| {
                let mut sum: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(places.len())).collect();
                sum.sort_unstable();
                sum.dedup();
                sum
            })
            .collect();
        let bounds = || {
            sums.iter().enumerate().map(|(at, places)| Asked::Bound { name: format!("b{at}"), places: places.clone() })
        };
        for (at, plan) in plans().iter().enumerate() {
            for (examination, value) in expected {
                let found = answers(&case, examination, Vec::new(), plan, Wrong::default());
                assert_eq!(
                    found.get(examination.name()),
                    Some(&Value::Truth(value)),
                    "seed {seed}, plan {at}, {examination:?}"
                );
            }
            let found = answers(&case, Examination::UpperBounds, bounds().collect(), plan, Wrong::default());
            for (number, sum) in sums.iter().enumerate() {
                let wanted = Value::Number(most(sum).to_string());
                assert_eq!(found.get(&format!("b{number}")), Some(&wanted), "seed {seed}, plan {at}: {sum:?}");
            }
        }
    }
    assert!(dying > 10, "{dying} nets with a deadlock");
}

#[test]
fn wrong_simplifications_are_noticed() {
    for wrong in [
        Wrong { start_is_always: true, ..Wrong::default() },
        Wrong { first_stays: true, ..Wrong::default() },
        Wrong { some_is_all: true, ..Wrong::default() },
        Wrong { each_run_decides: true, ..Wrong::default() },
        Wrong { some_runs_are_all: true, ..Wrong::default() },
    ] {
        let [plan, _] = plans();
        let is_noticed = |(_, case, mut random): (u64, Case, Random)| {
            let trees = branching(&mut random, &case.arcs);
            !agree(&case, &trees, &plan, wrong)
        };
        assert!(cases(1000).any(is_noticed), "{wrong:?}");
    }
}

/// Conditions that lose the operators between them are one condition, as the verifier of processes wants it.
#[test]
fn conditions_of_simpler_formulas_are_joined() {
    let atom = |place: usize| {
        let one = Box::new(Expr::new(ExprKind::Int(1), Span::NONE));
        let tokens = Box::new(pnml::tokens_of(place..place + 1));
        Formula::Atom(Expr::new(ExprKind::Binary(BinaryOp::LessEqual, tokens, one), Span::NONE))
    };
    let never = |condition: &Expr| (Formula::Atom(condition.clone()) == atom(2)).then_some(false);
    let always = Formula::Globally(Box::new(atom(2)));
    let inner = Formula::Or(vec![atom(1), always.clone()]);
    for formula in [
        Formula::And(vec![atom(0), inner.clone()]),
        Formula::Not(Box::new(inner.clone())),
        Formula::Implies(Box::new(inner.clone()), Box::new(atom(0))),
        Formula::Or(vec![Formula::Not(Box::new(inner.clone())), Formula::And(vec![inner, atom(0)])]),
    ] {
        let simpler = simplified(&formula, &mut { never }, Wrong::default());
        assert!(matches!(simpler, Formula::Atom(_)), "{formula:?}: {simpler:?}");
    }
}
