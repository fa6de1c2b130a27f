//! The fast path against the naive one: counts, faults, graphs and verdicts on random models and known answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use frontend::interpret::{Bounds, FaultClass, Stop, successors};
use frontend::model::{BinaryOp, Expr, Model, Property, PropertyKind, PropertySet, RebecId, Sort};
use frontend::source::Span;

use super::build::INT;
use super::{Rng, and, binary, int, not, philosophers, random_model, remote};
use crate::actors::{Expansion, Space};
use crate::naive::{self, FaultEntry, NaiveCounts, fault_entry};
use crate::question::Report;
use crate::{Edge, Limits, Question, SearchOrder, check, explore_graph};
use explore::report::{Control, Limit, LimitKind, Progress, QueryKind, Verdict};
use explore::search::{Clock, Expansion as _, Observer, StateSpace as _, explore};

const SMALL: usize = 2_500;
const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 1_000, max_calls: 200, max_work: 100_000 };

/// Collects the faults of a search.
#[derive(Default)]
struct Faults(BTreeSet<FaultEntry>, u64);

impl Faults {
    fn add(&mut self, rebec: RebecId, stop: &Stop) -> ControlFlow<()> {
        if let Stop::Fault(fault) = stop {
            self.0.insert(fault_entry(rebec, &fault.kind));
        }
        ControlFlow::Continue(())
    }
}

impl<'m> Observer<Space<'m>> for Faults {
    fn start_failed(&mut self, _: &Space<'m>, (rebec, stop): &(RebecId, Stop)) -> ControlFlow<()> {
        self.add(*rebec, stop)
    }

    fn stored(&mut self, _: &Space<'m>, _: Range<u32>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, space: &Space<'m>, _: u32, expansion: &Expansion) -> ControlFlow<()> {
        self.1 += u64::from(!expansion.is_enabled());
        expansion.stopped.iter().try_for_each(|stopped| self.add(RebecId(stopped.slot), &stopped.stop(space)))
    }
}

fn fast(model: &Model, order: SearchOrder) -> NaiveCounts {
    let mut space = Space::new(model, &BOUNDS, None, None);
    let mut faults = Faults::default();
    let summary =
        explore(&mut space, &mut faults, Clock::new(&mut ()), &Limits::default(), order).expect("no checkpoint");
    NaiveCounts {
        states: u64::from(space.store.len()),
        transitions: summary.transitions,
        deadlocks: faults.1,
        depth: summary.depth,
        faults: faults.0,
        complete: summary.complete,
    }
}

/// Random models whose naive exploration ends within [`SMALL`] states.
fn small_models(seeds: Range<u64>) -> impl Iterator<Item = (u64, Model, NaiveCounts)> {
    seeds.filter_map(|seed| {
        let model = random_model(seed);
        let counts = naive::explore(&model, &BOUNDS, SMALL);
        (counts.states <= SMALL as u64).then_some((seed, model, counts))
    })
}

#[test]
fn looking_ahead_stores_the_same_states_in_the_same_order() {
    let mut late = 0;
    for seed in 0..150 {
        let model = random_model(seed);
        let space = || Space::new(&model, &BOUNDS, Some(500), None);
        let (mut ahead, mut plain) = (space(), space());
        let limits = Limits::default();
        explore(&mut ahead, &mut Faults::default(), Clock::new(&mut ()), &limits, SearchOrder::BreadthFirst)
            .expect("no checkpoint");
        for state in plain.starts().filter_map(Result::ok) {
            plain.insert_initial(&state).expect("room");
        }
        let (mut expansion, mut number) = (Expansion::default(), 0);
        while number < plain.store.len() && expansion.expand(&mut plain, number).is_ok() {
            number += 1;
        }
        assert_eq!(ahead.store.len(), plain.store.len(), "seed {seed}");
        for number in 0..plain.store.len() {
            let comparable = |space: &Space<'_>| (space.state(number), space.store.parent(number));
            assert_eq!(comparable(&ahead), comparable(&plain), "seed {seed}, state {number}");
        }
        late += u32::from(plain.widened > 3 && plain.store.len() > 100);
    }
    assert!(late > 20, "only {late} models are packed anew after a few states");
}

#[test]
fn both_searches_agree_with_the_naive_one() {
    let (mut checked, mut seen, mut created, mut incomplete) = (0, BTreeSet::new(), 0, 0);
    for (seed, model, counts) in small_models(0..400) {
        assert_eq!(fast(&model, SearchOrder::BreadthFirst), counts, "seed {seed}");
        let depth_first = fast(&model, SearchOrder::DepthFirst);
        assert!(depth_first.depth >= counts.depth, "seed {seed}");
        assert_eq!(NaiveCounts { depth: counts.depth, ..depth_first }, counts, "seed {seed}");
        checked += 1;
        created += u32::from(!model.creatable.is_empty() && counts.states > 50);
        incomplete += u32::from(!counts.complete);
        seen.extend(counts.faults.iter().map(|fault| fault.class));
    }
    assert!(checked > 150, "only {checked} of the random models are small");
    assert!(created > 5, "only {created} create");
    assert!(incomplete > 2, "only {incomplete} meet a bound");
    assert_eq!(seen.len(), 3, "faults of every class: {seen:?}");
}

#[test]
fn the_graph_is_the_graph_of_the_reference() {
    for (seed, model, counts) in small_models(1_000..1_080) {
        let mut edges: BTreeMap<u64, Vec<Edge>> = BTreeMap::new();
        let explored = explore_graph(&model, &BOUNDS, &Limits::default());
        let sizes = (explored.states.len() as u64, explored.edges.len() as u64);
        assert_eq!(sizes, (counts.states, counts.transitions), "seed {seed}");
        explored.edges.iter().for_each(|&edge| edges.entry(edge.from).or_default().push(edge));
        for (number, state) in (0..).zip(&explored.states) {
            let steps = successors(&model, &BOUNDS, state).into_iter();
            let expected: BTreeSet<_> =
                steps.filter_map(|step| Some((step.rebec, step.message.server, step.result.ok()?))).collect();
            let found = edges.remove(&number).unwrap_or_default();
            assert!(found.is_sorted() && found.len() == expected.len(), "seed {seed}, state {number}");
            let to = |edge: &Edge| explored.states[usize::try_from(edge.to).expect("small")].clone();
            let found: BTreeSet<_> = found.iter().map(|edge| (edge.rebec, edge.server, to(edge))).collect();
            assert_eq!(found, expected, "seed {seed}, state {number}");
        }
    }
}

fn verdict_of(report: &Report, kind: QueryKind) -> Verdict {
    report.answers.iter().find(|answer| answer.kind == kind).expect("an answer per property").verdict
}

#[test]
fn verdicts_agree_with_the_counts_and_traces_are_replayed() {
    for (seed, model, counts) in small_models(2_000..2_200) {
        for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
            let question = Question { keep_going: true, bounds: BOUNDS, order, ..Question::default() };
            let report = check(&model, &question, &mut ()).expect("confirmed counterexamples");
            assert_eq!((report.states, report.transitions), (counts.states, counts.transitions), "seed {seed}");
            assert_eq!(report.deadlock_states, counts.complete.then_some(counts.deadlocks), "seed {seed}");
            let has = |class| counts.faults.iter().any(|fault| fault.class == class);
            let expected = [
                (QueryKind::Deadlock, counts.deadlocks > 0),
                (QueryKind::Overflow, has(FaultClass::Overflow)),
                (QueryKind::Assertion, has(FaultClass::Assertion)),
                (QueryKind::Error, has(FaultClass::Error)),
            ];
            let otherwise = if counts.complete { Verdict::Holds } else { Verdict::Inconclusive };
            for (kind, violated) in expected {
                let verdict = if violated { Verdict::Violated } else { otherwise };
                assert_eq!(verdict_of(&report, kind), verdict, "seed {seed}, {kind:?}");
            }
            let stops = check(&model, &Question { keep_going: false, ..question }, &mut ()).expect("confirmed");
            assert_eq!(stops.verdict, report.verdict, "seed {seed}");
            assert!(stops.states <= report.states, "seed {seed}");
        }
    }
}

fn invariant(expr: Expr) -> PropertySet {
    let property = Property { name: "I".to_owned(), kind: PropertyKind::Invariant(expr), span: Span::NONE };
    PropertySet { definitions: Vec::new(), properties: vec![property] }
}

/// A conjunction of comparisons of the numbers of one or two rebecs; one may divide by a number.
fn random_invariant(rng: &mut Rng, model: &Model) -> Expr {
    let count = u32::try_from(model.instances.len()).expect("few");
    let conjuncts = (0..2 + rng.below(2)).map(|_| {
        let number = |rebec| remote(rebec, 2, INT);
        let constant = int(i32::try_from(rng.below(3)).expect("small"));
        let (left, right) = (number(rng.below(count)), number(rng.below(count)));
        not(match rng.below(4) {
            0 => binary(BinaryOp::Equal, left, constant),
            1 => binary(BinaryOp::Equal, binary(BinaryOp::Divide, constant, left), int(5)),
            _ => binary(BinaryOp::Equal, binary(BinaryOp::Add, left, right), constant),
        })
    });
    and(conjuncts.collect())
}

#[test]
fn invariants_are_violated_where_the_reference_says_so() {
    let (mut violated, mut held) = (0, 0);
    for (seed, model, counts) in small_models(3_000..3_200).filter(|(_, _, counts)| counts.complete) {
        let expr = random_invariant(&mut Rng::new(seed), &model);
        let explored = explore_graph(&model, &BOUNDS, &Limits::default());
        let holds = explored.states.iter().all(|state| {
            let value = frontend::interpret::evaluate_in_state(&model, state, &expr);
            value == Ok(frontend::model::Value::Bool(true))
        });
        let question =
            Question { keep_going: true, bounds: BOUNDS, properties: invariant(expr), ..Question::default() };
        let report = check(&model, &question, &mut ()).expect("confirmed");
        let expected = if holds { Verdict::Holds } else { Verdict::Violated };
        assert_eq!(verdict_of(&report, QueryKind::Invariant), expected, "seed {seed}");
        assert_eq!(report.states, counts.states, "seed {seed}");
        (violated, held) = (violated + u32::from(!holds), held + u32::from(holds));
    }
    assert!(violated > 10 && held > 10, "{violated} violated, {held} held");
}

#[test]
fn two_philosophers_have_the_published_counts() {
    let model = philosophers(2);
    let safe = not(and(vec![remote(0, 2, Sort::Bool), remote(1, 2, Sort::Bool)]));
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let question = Question { order, keep_going: true, properties: invariant(safe.clone()), ..Question::default() };
        let report = check(&model, &question, &mut ()).expect("nothing to confirm");
        assert_eq!((report.verdict, report.complete), (Verdict::Holds, true));
        assert_eq!((report.states, report.transitions, report.deadlock_states), (285, 650, Some(0)));
    }
}

#[test]
fn limits_are_never_answers() {
    let model = philosophers(2);
    let run = |limits| check(&model, &Question { limits, ..Question::default() }, &mut ()).expect("nothing to confirm");
    let limited = |limits, kind, value| {
        let report = run(limits);
        assert_eq!((report.verdict, report.complete), (Verdict::Inconclusive, false));
        let limit = report.limit.expect("a limit");
        assert_eq!((limit.kind, limit.value), (kind, value));
        report.states
    };
    let states = |most| Limits { max_states: Some(most), ..Limits::default() };
    assert_eq!(limited(states(100), LimitKind::States, 100), 100);
    assert_eq!(limited(states(284), LimitKind::States, 284), 284);
    assert_eq!(run(states(285)).verdict, Verdict::Holds);
    let depth = |most| Limits { max_depth: Some(most), ..Limits::default() };
    let full = run(Limits::default());
    assert!(limited(depth(full.depth - 1), LimitKind::Depth, full.depth - 1) < 285);
    assert_eq!(limited(depth(full.depth), LimitKind::Depth, full.depth), 285);
    assert_eq!(run(depth(full.depth + 1)).verdict, Verdict::Holds);
    limited(Limits { max_memory: Some(1), ..Limits::default() }, LimitKind::Memory, 1);
    let world = std::sync::Arc::new(limits::System::default());
    let watch = limits::Watch::new(world, Some(std::time::Duration::ZERO), None);
    watch.enter(|| limited(Limits::default(), LimitKind::Time, 0)).expect("a report");
}

#[test]
fn memory_stays_within_its_limit() {
    struct Peak(u64);
    impl Control for Peak {
        fn progress(&mut self, progress: &Progress) {
            self.0 = self.0.max(progress.memory);
        }
    }
    let limits = Limits { max_memory: Some(300_000), ..Limits::default() };
    let mut peak = Peak(0);
    let report = check(&philosophers(4), &Question { limits, ..Question::default() }, &mut peak).expect("no trace");
    assert_eq!(report.limit, Some(Limit { kind: LimitKind::Memory, value: 300_000 }));
    assert!(report.states > 2_000, "only {} states", report.states);
    assert!(peak.0 <= 300_000);
}
