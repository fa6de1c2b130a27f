//! Formulas on runs with and without partial order, without and with weak fairness: the same verdicts on random models, and
//! known-wrong variants that this comparison has to catch. Each counterexample is judged without the automaton.

use explore::reductions::ReductionKind;
use std::time::Duration;

use frontend::interpret::Bounds;
use frontend::model::{BinaryOp, Expr, Formula, Model, Property, PropertyKind, PropertySet};
use frontend::source::Span;

use super::build::INT;
use super::{ENOUGH, Rng, binary, int, random_model, remote};
use crate::actors::Space;
use crate::partial_order::{Overflow, PartialOrder, Wrong};
use crate::{Fairness, Limits, Question, Reductions, Verdict, check_reduced};
use explore::plan::Plan;
use explore::temporal;

const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 1_000, max_calls: 200, max_work: 100_000 };
const SMALL: u64 = 2_000;

fn atom(rng: &mut Rng, model: &Model) -> Expr {
    let count = u32::try_from(model.instances.len()).expect("few");
    let value = i32::try_from(rng.below(3)).expect("small");
    binary(BinaryOp::Equal, remote(rng.below(count), 2, INT), int(value))
}

/// A formula without `X`.
fn formula(rng: &mut Rng, model: &Model, depth: u32) -> Formula {
    if depth == 0 || rng.below(5) == 0 {
        return Formula::Atom(atom(rng, model));
    }
    let mut next = || Box::new(formula(rng, model, depth - 1));
    let (one, other) = (next(), next());
    match rng.below(8) {
        0 => Formula::Not(one),
        1 => Formula::And(vec![*one, *other]),
        2 => Formula::Or(vec![*one, *other]),
        3 => Formula::Finally(one),
        4 => Formula::Globally(one),
        5 => Formula::Until(one, other),
        6 => Formula::Release(one, other),
        _ => Formula::Implies(one, other),
    }
}

fn question(seed: u64, model: &Model, fairness: Fairness) -> Question {
    let mut rng = Rng::new(seed ^ 0x17_1e);
    let kind = PropertyKind::Ltl(formula(&mut rng, model, 3));
    let property = Property { name: "L".to_owned(), kind, span: Span::NONE };
    Question {
        deadlock: false,
        overflow: false,
        assertions: false,
        faults: false,
        properties: PropertySet { definitions: Vec::new(), properties: vec![property] },
        bounds: BOUNDS,
        fairness,
        limits: Limits { max_states: Some(SMALL), ..Limits::default() },
        ..Question::default()
    }
}

/// The verdict, and the states of the model that were stored; no verdict where a counterexample is not confirmed.
fn answer(model: &Model, question: &Question, plan: Option<(Overflow, Wrong)>) -> (Option<Verdict>, u64) {
    let mut space = Space::new(model, &BOUNDS, question.limits.max_states, None);
    let plan_of = |(overflow, wrong)| PartialOrder::new(model, &question.properties, overflow, &[], wrong);
    space.reduce_by(plan.map(|plan| plan_of(plan).expect("small models")));
    let PropertyKind::Ltl(formula) = &question.properties.properties[0].kind else { unreachable!("a formula") };
    match temporal::answer(space, Plan::default(), "L", formula, question, Duration::ZERO, &mut ()) {
        Ok(answer) => {
            let answer = answer.settled().expect("no quotient");
            (Some(answer.verdict), answer.run.expect("a run").system_states)
        }
        Err(_) => (None, 0),
    }
}

const FAIRNESS: [Fairness; 2] = [Fairness::None, Fairness::Weak];

#[test]
fn formulas_have_the_same_verdicts_with_partial_order() {
    let (mut checked, mut violated, mut whole, mut reduced) = (0, 0, 0, 0);
    for seed in 20_000..21_000 {
        let model = random_model(seed);
        for fairness in FAIRNESS {
            let question = question(seed, &model, fairness);
            let (expected, states) = answer(&model, &question, None);
            let expected = expected.expect("confirmed");
            if expected == Verdict::Inconclusive {
                continue;
            }
            let reductions = Reductions { partial_order: true, ..Reductions::default() };
            let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
            assert_eq!(report.verdict, expected, "seed {seed}, {fairness:?}: {:?}", question.properties);
            let run = report.answers[0].run.as_ref().expect("a run of its own");
            assert!(run.reductions.iter().all(|reduction| reduction.kind == ReductionKind::PartialOrder));
            if expected == Verdict::Holds {
                (whole, reduced) = (whole + states, reduced + run.system_states);
            }
            (checked, violated) = (checked + 1, violated + u32::from(expected == Verdict::Violated));
        }
    }
    println!("{checked} questions, {violated} violated; where it holds {whole} states, reduced {reduced}");
    assert!(checked > 1_000 && violated > 300 && reduced < whole, "{checked} {violated} {whole} {reduced}");
}

#[test]
fn variants_that_are_wrong_for_runs_are_caught() {
    let wrong = Wrong::default();
    let variants = [
        ("nothing is visible", Overflow::Kept, Wrong { nothing_is_visible: true, ..wrong }),
        ("senders ignored", Overflow::Kept, Wrong { senders_ignored: true, ..wrong }),
        ("no proviso", Overflow::Kept, Wrong { no_proviso: true, ..wrong }),
        ("refused sends hidden", Overflow::Hidden, wrong),
    ];
    let mut caught = [0; 4];
    for seed in 20_000..21_000 {
        if caught.iter().all(|&times| times == ENOUGH) {
            break;
        }
        let model = random_model(seed);
        for fairness in FAIRNESS {
            let question = question(seed, &model, fairness);
            let (expected, _) = answer(&model, &question, None);
            if expected == Some(Verdict::Inconclusive) {
                continue;
            }
            for (times, (_, overflow, wrong)) in caught.iter_mut().zip(variants).filter(|(times, _)| **times < ENOUGH) {
                *times += u32::from(answer(&model, &question, Some((overflow, wrong))).0 != expected);
            }
        }
    }
    variants.iter().zip(caught).for_each(|((name, ..), times)| println!("{times:>4}  {name}"));
    assert!(caught.iter().all(|&times| times > 0), "not caught: {caught:?}");
}
