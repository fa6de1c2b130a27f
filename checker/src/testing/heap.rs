//! Heap symmetry against isomorphism by brute force: stored states are classes of the unreduced ones, verdicts are the same, and
//! known-wrong variants are caught.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use frontend::interpret::{Bounds, State};
use frontend::model::{Model, RebecId, Value};

use super::random_model;
use crate::actors::{HeapSymmetry, HeapWrong, Space};
use crate::report::{AskedKind, Report, Verdict};
use crate::search::{Observer, Pace, explore};
use crate::{Limits, Question, Reductions, SearchOrder, check, check_reduced, explore_graph};

const BOUNDS: Bounds = Bounds { max_rebecs: 4, max_statements: 1_000, max_work: 100_000 };
const SMALL: u64 = 3_000;

/// Created rebecs of one class that are renamed in all ways.
const MOST_ALIKE: usize = 6;

fn names(state: &State, id: RebecId) -> Vec<RebecId> {
    let Some(rebec) = state.rebec(id) else { return Vec::new() };
    let arguments = rebec.queue.iter().flat_map(|message| &message.arguments);
    let of = |value: &Value| if let Value::Rebec(id) = value { Some(*id) } else { None };
    let senders = rebec.queue.iter().map(|message| message.sender);
    rebec.values.iter().chain(arguments).filter_map(of).chain(senders).collect()
}

/// The rebecs of `main`, those with messages, and all that these name, however indirectly.
fn live(model: &Model, state: &State) -> BTreeSet<RebecId> {
    let is_root =
        |id: &RebecId| model.ordinal(*id).is_none() || state.rebec(*id).is_some_and(|rebec| !rebec.queue.is_empty());
    let mut live: BTreeSet<RebecId> = state.identities().filter(is_root).collect();
    loop {
        let named: BTreeSet<RebecId> = live.iter().flat_map(|&id| names(state, id)).collect();
        if named.is_subset(&live) {
            return live;
        }
        live.extend(named);
    }
}

fn renamed(state: &State, map: &BTreeMap<RebecId, RebecId>) -> State {
    let mut result = State { features: state.features.clone(), rebecs: Vec::new() };
    let rename = |value: &mut Value| {
        if let Value::Rebec(id) = value {
            *id = map[id];
        }
    };
    for (from, &to) in map {
        let mut rebec = state.rebec(*from).expect("live").clone();
        rebec.values.iter_mut().for_each(rename);
        for message in &mut rebec.queue {
            message.sender = map[&message.sender];
            message.arguments.iter_mut().for_each(rename);
        }
        result.insert(to, rebec);
    }
    result
}

fn orders(items: &[RebecId]) -> Vec<Vec<RebecId>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

/// The least of all renumberings of what is live; nothing if there are too many.
pub(crate) fn class_of(model: &Model, state: &State) -> Option<State> {
    let live = live(model, state);
    let mut maps: Vec<BTreeMap<RebecId, RebecId>> =
        vec![live.iter().filter(|id| model.ordinal(**id).is_none()).map(|&id| (id, id)).collect()];
    for &class in &model.creatable {
        let created = |id: &&RebecId| model.ordinal(**id).is_some() && model.class_of(**id) == class;
        let alike: Vec<RebecId> = live.iter().filter(created).copied().collect();
        if alike.len() > MOST_ALIKE {
            return None;
        }
        let mut next = Vec::new();
        for map in &maps {
            for order in orders(&alike) {
                let mut map = map.clone();
                map.extend(order.into_iter().enumerate().map(|(number, id)| (id, model.created(class, number))));
                next.push(map);
            }
        }
        maps = next;
    }
    maps.iter().map(|map| renamed(state, map)).min()
}

/// Watches nothing.
struct Idle;

impl<'m> Observer<Space<'m>> for Idle {
    fn start_failed(&mut self, _: &Space<'m>, _: &(RebecId, frontend::interpret::Stop)) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }

    fn stored(&mut self, _: &Space<'m>, _: std::ops::Range<u32>) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }

    fn expanded(&mut self, _: &Space<'m>, _: u32, _: &crate::actors::Expansion) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

/// The states that are stored with a variant of heap symmetry; nothing if a bound or limit was met.
fn stored(model: &Model, wrong: HeapWrong) -> Option<Vec<State>> {
    let mut space = Space::new(model, &BOUNDS, Some(SMALL), None);
    space.renumber(HeapSymmetry::wrong(wrong));
    let mut control = ();
    let (pace, limits) = (Pace::new(&mut control, None), Limits::default());
    let summary = explore(&mut space, &mut Idle, pace, &limits, SearchOrder::BreadthFirst).expect("no checkpoint");
    summary.complete.then(|| (0..space.store.len()).map(|number| space.state(number)).collect())
}

/// The classes of the unreduced states; nothing if there are too many.
fn classes(model: &Model) -> Option<(u64, HashSet<State>)> {
    let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
    let explored = explore_graph(model, &BOUNDS, &limits, &mut (), &mut |_| ());
    if !explored.is_complete() {
        return None;
    }
    let all = (0..explored.states()).map(|number| class_of(model, &explored.state(number)));
    Some((explored.states(), all.collect::<Option<_>>()?))
}

fn creating(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Model)> {
    seeds.map(|seed| (seed, random_model(seed))).filter(|(_, model)| !model.creatable.is_empty())
}

#[test]
fn stored_states_are_classes_of_isomorphic_states() {
    let (mut checked, mut whole, mut reduced) = (0, 0, 0);
    for (seed, model) in creating(50_000..53_000) {
        let Some((states, classes)) = classes(&model) else { continue };
        let stored = stored(&model, HeapWrong::default()).unwrap_or_else(|| panic!("seed {seed}: not finished"));
        let found: HashSet<State> = stored.iter().filter_map(|state| class_of(&model, state)).collect();
        assert_eq!(found, classes, "seed {seed}");
        assert_eq!(stored.len(), classes.len(), "seed {seed}");
        (checked, whole, reduced) = (checked + 1, whole + states, reduced + stored.len() as u64);
    }
    println!("{checked} models, {whole} states, {reduced} classes");
    assert!(checked > 100 && reduced < whole, "{checked} {whole} {reduced}");
}

fn question(seed: u64) -> Question {
    let order = if seed.is_multiple_of(2) { SearchOrder::BreadthFirst } else { SearchOrder::DepthFirst };
    let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
    Question { keep_going: true, bounds: BOUNDS, order, limits, ..Question::default() }
}

fn verdicts(report: &Report) -> Vec<(AskedKind, Verdict)> {
    report.answers.iter().map(|answer| (answer.kind, answer.verdict)).collect()
}

#[test]
fn verdicts_are_those_of_the_unreduced_run() {
    let (mut checked, mut violated, mut gained, mut alone) = (0, 0, 0, 0);
    for (seed, model) in creating(60_000..64_000) {
        let question = question(seed);
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        for partial_order in [false, true] {
            let reductions = Reductions { heap_symmetry: true, partial_order, ..Reductions::default() };
            let question = Question { overflow: !partial_order, ..question.clone() };
            let report = check_reduced(&model, &question, reductions, &mut ());
            let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            let heap = &report.reductions[0];
            assert!(heap.name == "heap-symmetry" && heap.applied, "seed {seed}");
            for (kind, verdict) in verdicts(&report) {
                let expected = plain.answers.iter().find(|answer| answer.kind == kind).expect("asked").verdict;
                // Fewer rebecs at the same time than in all: the bound may be met without the reduction only.
                if expected == Verdict::Inconclusive || plain.limit.is_some() && verdict == Verdict::Violated {
                    gained += u32::from(verdict != expected);
                    continue;
                }
                assert_eq!(verdict, expected, "seed {seed}, {kind:?}, partial order {partial_order}");
                (checked, violated) = (checked + 1, violated + u32::from(verdict == Verdict::Violated));
            }
            let is_alone = report.reductions.iter().any(|told| told.name == "partial-order" && told.applied);
            alone += u32::from(is_alone);
        }
    }
    println!("{checked} verdicts, {violated} violated, {gained} gained; partial order in {alone} runs");
    assert!(checked > 1_000 && violated > 300 && gained > 50 && alone > 50, "{checked} {violated} {gained} {alone}");
}

#[test]
fn wrong_variants_are_caught() {
    let right = HeapWrong::default();
    let variants = [
        ("nothing collected", HeapWrong { nothing_collected: true, ..right }),
        ("order of creation", HeapWrong { order_of_creation: true, ..right }),
        ("roots ignored", HeapWrong { roots_ignored: true, ..right }),
        ("first order of roots", HeapWrong { first_order: true, ..right }),
    ];
    let mut caught = [0; 4];
    for (_, model) in creating(50_000..53_000) {
        let Some((_, classes)) = classes(&model) else { continue };
        for (times, (_, wrong)) in caught.iter_mut().zip(variants) {
            let is_right = stored(&model, wrong).is_some_and(|stored| {
                let found: HashSet<State> = stored.iter().filter_map(|state| class_of(&model, state)).collect();
                stored.len() == classes.len() && found == classes
            });
            *times += u32::from(!is_right);
        }
    }
    variants.iter().zip(caught).for_each(|((name, _), times)| println!("{times:>4}  {name}"));
    assert!(caught.iter().all(|&times| times > 0), "not caught: {caught:?}");
}
