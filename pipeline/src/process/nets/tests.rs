//! Smaller nets on random nets and questions: the verdicts are those of the nets without reductions, every run is one of the net, and
//! known-wrong variants are noticed.
//!
//! `NETS` sets the number of nets, `SEED` the first seed.

use std::collections::BTreeSet;

use battery::random::Rng;
use checker::{Answer, QueryKind, Question, ReductionKind, Report, Verdict};
use frontend::model::PropertyKind;
use frontend::pnml::{self, Net, Place, Transition};
use frontend::sequential::interpret::{evaluate, initial_states, step};
use frontend::sequential::trace::Trace;
use frontend::sequential::{BinaryOp, Expr, ExprKind, Formula, Property, Sequential, SummandId};
use frontend::source::Span;
use ltl::Paths;

use super::{Wrong, reached, smaller};
use crate::found::Found;
use crate::line::{Error, Plan, check};
use crate::slice::Slicing;
use crate::structural::{Said, of_smaller};
use crate::task::Task;

const MOST_STATES: usize = 500;

fn number(rng: &mut Rng, below: usize) -> i32 {
    i32::try_from(rng.below(below)).expect("small")
}

/// A net; one in three has transitions that move single tokens only.
fn net(rng: &mut Rng) -> Net {
    let (places, transitions, is_simple) = (2 + rng.below(6), 1 + rng.below(7), rng.below(3) == 0);
    let mut net = Net::default();
    for at in 0..places {
        let initial = if rng.below(3) == 0 { 1 + number(rng, 2) } else { 0 };
        net.places.push(Place { name: format!("p{at}"), initial, span: Span::NONE });
    }
    for at in 0..transitions {
        let mut side = |least: usize| {
            let mut arcs = vec![0; places];
            for _ in 0..least + if is_simple { 0 } else { rng.below(2) } {
                arcs[rng.below(places)] += 1 + if is_simple { 0 } else { number(rng, 5) / 4 };
            }
            arcs
        };
        let (inputs, outputs) = (side(1), side(usize::from(at % 5 != 4)));
        let sparse = |list: Vec<i32>| list.into_iter().enumerate().filter(|(_, number)| *number != 0).collect();
        let changes = inputs.iter().zip(&outputs).map(|(taken, put)| put - taken).collect();
        net.transitions.push(Transition {
            label: format!("t{at}"),
            inputs: sparse(inputs),
            changes: sparse(changes),
            span: Span::NONE,
        });
    }
    net
}

fn int(value: i32) -> Expr {
    Expr::new(ExprKind::Int(value), Span::NONE)
}

fn condition(rng: &mut Rng, net: &Net, depth: usize) -> Expr {
    let expr = |kind| Expr::new(kind, Span::NONE);
    match rng.below(if depth == 0 { 2 } else { 5 }) {
        0 => {
            let at = rng.below(net.places.len());
            let op = *rng.pick(&[BinaryOp::LessEqual, BinaryOp::GreaterEqual, BinaryOp::Equal]);
            expr(ExprKind::Binary(op, pnml::tokens_of(at..at + 1).into(), int(number(rng, 3)).into()))
        }
        1 => {
            let at = rng.below(net.transitions.len());
            pnml::fireable(net, at..at + 1).expect("a transition")
        }
        2 => expr(ExprKind::Not(condition(rng, net, depth - 1).into())),
        kind => {
            let (is_all, parts) = (kind == 3, [condition(rng, net, depth - 1), condition(rng, net, depth - 1)]);
            // Lists of one kind are not nested.
            let flat = parts.into_iter().flat_map(|part| match part.kind {
                ExprKind::And(list) if is_all => list,
                ExprKind::Or(list) if !is_all => list,
                _ => vec![part],
            });
            expr(if is_all { ExprKind::And(flat.collect()) } else { ExprKind::Or(flat.collect()) })
        }
    }
}

/// A process of a net with at most so many markings, and the net.
struct Case {
    net: Net,
    model: Sequential,
}

/// The greatest number of tokens of each place; nothing if there are too many markings.
fn most(net: &Net) -> Option<Vec<i32>> {
    let mut seen = BTreeSet::from([net.initial()]);
    let mut queue = vec![net.initial()];
    while let Some(marking) = queue.pop() {
        for next in net.transitions.iter().filter_map(|transition| net.fired(transition, &marking)) {
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    (0..net.places.len()).map(|place| seen.iter().map(|marking| marking[place]).max()).collect()
}

fn cases(count: u64) -> impl Iterator<Item = (u64, Case, Rng)> {
    let given =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise);
    let (count, first) = (given("NETS", count), given("SEED", 1));
    (first..first + count).filter_map(|seed| {
        let mut rng = Rng::new(seed);
        let net = net(&mut rng);
        let bounds: Vec<Option<i32>> =
            most(&net)?.into_iter().map(|most| Some(most).filter(|_| rng.below(8) > 0)).collect();
        let model = pnml::process(&net, &bounds);
        // The process has no transitions that a bound excludes.
        let net = pnml::structure(&model).expect("a net").net;
        (!net.transitions.is_empty()).then_some((seed, Case { net, model }, rng))
    })
}

fn property(name: &str, kind: PropertyKind<Expr>) -> Property {
    Property { name: name.to_owned(), kind, span: Span::NONE }
}

fn quantified(paths: Paths, condition: Expr) -> PropertyKind<Expr> {
    let atom = Box::new(Formula::Atom(condition));
    let inner = if paths == Paths::Some { Formula::Finally(atom) } else { Formula::Globally(atom) };
    PropertyKind::Ltl(Formula::Quantified(paths, Box::new(inner)))
}

/// Invariants and formulas about reachable markings, some of them about deadlocks.
fn properties(rng: &mut Rng, net: &Net) -> Vec<Property> {
    let one = |at: usize, rng: &mut Rng| {
        let about = if rng.below(6) == 0 { pnml::dead(net) } else { condition(rng, net, 2) };
        let negated = |about: Expr| Expr::new(ExprKind::Not(about.into()), Span::NONE);
        let kind = match rng.below(4) {
            0 => quantified(Paths::Some, about),
            1 => quantified(Paths::All, negated(about)),
            _ => PropertyKind::Invariant(negated(about)),
        };
        property(&format!("f{at}"), kind)
    };
    (0..rng.below(4)).map(|at| one(at, rng)).collect()
}

fn plain() -> Plan {
    Plan { slicing: Slicing::Off, symmetry: None, dead_values: false, partial_order: false, ..Plan::default() }
}

/// Whether a run is one of the net that ends where it should.
fn is_run(case: &Case, run: &Trace, shows: &dyn Fn(&Vec<i32>) -> bool) -> bool {
    let mut marking = case.net.initial();
    if run.start != marking {
        return false;
    }
    for step in &run.steps {
        let Some(next) = case.net.fired(&case.net.transitions[step.summand.index()], &marking) else { return false };
        if step.result.as_ref() != Ok(&next) {
            return false;
        }
        marking = next;
    }
    shows(&marking)
}

/// Whether the runs of an answer are those of the net that it should have.
fn is_shown(case: &Case, properties: &[Property], answer: &Answer<Trace>) -> bool {
    let is_dead = |marking: &Vec<i32>| !case.net.transitions.iter().any(|one| Net::is_enabled(one, marking));
    let property = properties.iter().find(|property| property.name == answer.name);
    let holds = |condition: &Expr, marking: &Vec<i32>| evaluate(&case.model, condition, marking, &[]) == Ok(1);
    let run = answer.trace.as_ref();
    let witness = answer.explanation.as_ref().and_then(|explanation| explanation.witness.as_ref());
    let is_violated = answer.verdict == Verdict::Violated;
    match (answer.kind, property.map(|property| &property.kind)) {
        (QueryKind::Deadlock, _) => {
            let may_end = |marking: &Vec<i32>| {
                properties.iter().any(|one| matches!(&one.kind, PropertyKind::End(end) if holds(end, marking)))
            };
            !is_violated || run.is_some_and(|run| is_run(case, run, &|marking| is_dead(marking) && !may_end(marking)))
        }
        (QueryKind::Invariant, Some(PropertyKind::Invariant(condition))) => {
            !is_violated || run.is_some_and(|run| is_run(case, run, &|marking| !holds(condition, marking)))
        }
        (_, Some(PropertyKind::Ltl(formula))) => {
            let wanted = reached(formula).expect("a formula about markings");
            let shows = |marking: &Vec<i32>| holds(wanted.condition, marking) == wanted.value;
            let run = if wanted.value { witness } else { run };
            is_violated == wanted.value || run.is_some_and(|run| is_run(case, run, &shows))
        }
        _ => !is_violated,
    }
}

fn verdicts(report: &Report<Trace>) -> Vec<(String, Verdict)> {
    report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
}

#[test]
fn smaller_nets_have_the_verdicts_of_the_nets() {
    let (mut applied, mut all, mut fewer, mut values) = (0, 0, 0, [0; 2]);
    for (seed, case, mut rng) in cases(700) {
        let mut asked = properties(&mut rng, &case.net);
        if rng.below(3) == 0 {
            asked.push(property("end", PropertyKind::End(condition(&mut rng, &case.net, 1))));
        }
        let (deadlock, faults) = (rng.below(3) > 0, rng.below(4) > 0);
        let question = Question {
            deadlock,
            faults,
            properties: asked.clone(),
            keep_going: true,
            until_decided: true,
            ..Question::default()
        };
        let first = Question { keep_going: false, until_decided: false, ..question.clone() };
        let whole = check(&case.model, &question, &plain(), &mut ()).expect("a report");
        let plans = [
            Plan { structural: true, ..plain() },
            Plan { structural: true, ..Plan::default() },
            Plan { structural: true, proves_bounds: true, ..Plan::default() },
        ];
        for (at, plan) in plans.iter().enumerate() {
            let found = check(&case.model, &question, plan, &mut ())
                .unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{asked:?}\n{:?} {whole:#?}", case.net));
            assert_eq!(verdicts(&found), verdicts(&whole), "seed {seed}, plan {at}, {asked:?} {:?}", case.net);
            for answer in &found.answers {
                assert!(is_shown(&case, &asked, answer), "seed {seed}, plan {at}, {answer:?} {:?}", case.net);
                values[usize::from(answer.verdict == Verdict::Holds)] += 1;
            }
            let is_structural = |one: &checker::Reduction| one.kind == ReductionKind::Structural && one.is_applied();
            let is_smaller = found.reductions.iter().any(is_structural);
            applied += u32::from(is_smaller);
            fewer += u32::from(is_smaller && found.states < whole.states);
            all += 1;
            let once = check(&case.model, &first, plan, &mut ()).expect("a report");
            assert_eq!(once.verdict, whole.verdict, "seed {seed}, plan {at}");
            assert!(
                once.answers
                    .iter()
                    .all(|answer| answer.verdict == Verdict::Inconclusive || is_shown(&case, &asked, answer)),
                "seed {seed}"
            );
        }
    }
    assert!(applied * 2 > all && fewer * 5 > all, "{applied} and {fewer} of {all}");
    assert!(values[0] > 200 && values[1] > 200, "{values:?}");
}

/// A question about a case.
type Asked<'a> = &'a dyn Fn(&mut Rng, &Case) -> Question<Vec<Property>>;

/// Whether a smaller net that a variant makes has other verdicts than the net, or a run that the net does not have.
fn is_noticed(case: &Case, question: &Question<Vec<Property>>, wrong: Wrong) -> bool {
    let Some(Ok(smaller)) = smaller(&case.model, question, wrong) else { return false };
    let whole = check(&case.model, question, &plain(), &mut ()).expect("a report");
    let task = Task { model: &case.model, question, plan: &plain() };
    match of_smaller(&smaller, task, &mut Found::whole(), &mut ()) {
        Err(Error::Internal(_)) => true,
        Err(error) => panic!("{error:?}"),
        Ok(Err(_)) => false,
        Ok(Ok(report)) => {
            let whole = verdicts(&whole);
            let differs =
                |(name, verdict): &(String, Verdict)| whole.iter().any(|one| one.0 == *name && one.1 != *verdict);
            verdicts(&report).iter().any(differs)
        }
    }
}

#[test]
fn wrong_smaller_nets_are_noticed() {
    let decided = || Question { keep_going: true, until_decided: true, ..Question::<Vec<Property>>::default() };
    let deadlock = |_: &mut Rng, _: &Case| decided();
    let invariant = |rng: &mut Rng, case: &Case| {
        let about = Expr::new(ExprKind::Not(condition(rng, &case.net, 0).into()), Span::NONE);
        Question { properties: vec![property("f", PropertyKind::Invariant(about))], ..decided() }
    };
    let ends = |rng: &mut Rng, case: &Case| {
        let end = property("end", PropertyKind::End(condition(rng, &case.net, 1)));
        Question { properties: vec![end], ..decided() }
    };
    let life = |_: &mut Rng, case: &Case| {
        let never = property("f", PropertyKind::Invariant(pnml::dead(&case.net)));
        Question { properties: vec![never], ..decided() }
    };
    let runs = |rng: &mut Rng, case: &Case| {
        let formula = Formula::Finally(Box::new(Formula::Atom(condition(rng, &case.net, 1))));
        let properties = vec![property("f", PropertyKind::Ltl(formula))];
        Question { deadlock: false, faults: false, properties, ..Question::default() }
    };
    let is_caught = |asked: Asked<'_>, wrong: Wrong| {
        cases(400).any(|(_, case, mut rng)| is_noticed(&case, &asked(&mut rng, &case), wrong))
    };
    let of: [(Asked<'_>, Wrong); 5] = [
        (&invariant, Wrong { deadlocks_forgotten: true, ..Wrong::default() }),
        (&deadlock, Wrong { waiting_forgotten: true, ..Wrong::default() }),
        (&ends, Wrong { ends_forgotten: true, ..Wrong::default() }),
        (&life, Wrong { takes_life: true, ..Wrong::default() }),
        (&runs, Wrong { takes_runs: true, ..Wrong::default() }),
    ];
    for (asked, wrong) in of {
        assert!(!is_caught(asked, Wrong::default()));
        assert!(is_caught(asked, wrong), "{wrong:?}");
    }
}

/// A place that nothing needs and that is full: the step that would put one more token there is a fault, also in the smaller net.
#[test]
fn steps_that_leave_a_range_are_kept() {
    let place = |name: &str, initial| Place { name: name.to_owned(), initial, span: Span::NONE };
    let transition =
        |label: &str, inputs, changes| Transition { label: label.to_owned(), inputs, changes, span: Span::NONE };
    let mut net = Net::default();
    net.places.extend([place("goes", 1), place("waits", 0), place("full", i32::MAX - 1)]);
    net.transitions.extend([
        transition("go", vec![(0, 1)], vec![(0, -1), (1, 1), (2, 1)]),
        transition("again", vec![(1, 1)], vec![(0, 1), (1, -1)]),
    ]);
    let case = Case { model: pnml::process(&net, &[Some(1), Some(1), None]), net };
    let question = Question { deadlock: false, ..Question::default() };
    assert!(is_noticed(&case, &question, Wrong { ranges_forgotten: true, ..Wrong::default() }));
    assert!(!is_noticed(&case, &question, Wrong::default()));
    let report = check(&case.model, &question, &Plan { structural: true, ..plain() }, &mut ()).expect("a report");
    assert!(report.reductions.iter().any(checker::Reduction::is_applied), "{:?}", report.reductions);
    let answer = report.answers.iter().find(|answer| answer.kind == QueryKind::Error).expect("an answer");
    let run = answer.trace.as_ref().expect("a run");
    assert!(answer.verdict == Verdict::Violated && run.faults() && run.steps.len() == 3, "{run:?}");
}

/// A run shows that a condition is never met only where the condition has no value in its last marking.
#[test]
fn runs_show_no_absence_of_a_value() {
    let place = |name: &str, initial| Place { name: name.to_owned(), initial, span: Span::NONE };
    let transition =
        |label: &str, inputs, changes| Transition { label: label.to_owned(), inputs, changes, span: Span::NONE };
    let mut net = Net::default();
    net.places.extend([place("read", 1), place("other", 0), place("kept", 1)]);
    net.transitions.extend([
        transition("go", vec![(0, 1), (2, 1)], vec![(0, -1), (1, 1)]),
        transition("back", vec![(1, 1)], vec![(0, 1), (1, -1)]),
    ]);
    let model = pnml::process(&net, &[Some(1), Some(1), Some(1)]);
    let operation =
        |op, left: Expr, right: Expr| Expr::new(ExprKind::Binary(op, left.into(), right.into()), Span::NONE);
    let is_shown = |value: Expr, wrong: Wrong| {
        let never = quantified(Paths::Some, operation(BinaryOp::Greater, value, int(30)));
        let question = Question { properties: vec![property("f", never)], deadlock: false, ..Question::default() };
        let smaller = smaller(&model, &question, wrong).expect("a net").unwrap_or_else(|_| panic!("a smaller net"));
        let mut run = Trace::new(initial_states(&smaller.model).next().expect("a start"));
        run.take(step(&smaller.model, &run.start, SummandId::from_index(0), &[]).expect("a step"));
        (smaller.way)(Said { kind: QueryKind::Ctl, name: "f", is_violated: true }, &run).is_ok()
    };
    let tokens = || pnml::tokens_of(0..1);
    assert!(is_shown(operation(BinaryOp::Divide, int(10), tokens()), Wrong::default()));
    assert!(!is_shown(tokens(), Wrong::default()));
    assert!(is_shown(tokens(), Wrong { runs_show_absence: true, ..Wrong::default() }));
}
