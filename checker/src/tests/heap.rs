//! Heap symmetry against isomorphism by brute force: stored states are classes of the unreduced ones, verdicts are the same, and
//! known-wrong variants are caught.

use explore::reductions::{Outcome, ReductionKind};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Bounds, State};
use frontend::lower::{LowerOptions, lower};
use frontend::model::{Formula, Model, Property, PropertyKind, PropertySet, RebecId, Value};
use frontend::source::Span;
use frontend::syntax::parse_model;

use super::build::flag;
use super::{ENOUGH, random_model};
use crate::actors::{HeapSymmetry, HeapWrong, Space};
use crate::question::Report;
use crate::{Limits, Question, Reductions, SearchOrder, check, check_reduced, explore_graph};
use explore::reductions::Reduction;
use explore::report::{LimitKind, QueryKind, Verdict};
use explore::search::{Clock, Observer, explore};

const BOUNDS: Bounds = Bounds { max_rebecs: 4, max_statements: 1_000, max_calls: 200, max_work: 100_000 };
const SMALL: u64 = 4_000;

/// Created rebecs of one class that are renamed in all ways.
const MOST_ALIKE: usize = 6;

fn names(state: &State, id: RebecId) -> Vec<RebecId> {
    let Some(rebec) = state.rebec(id) else { return Vec::new() };
    let arguments = rebec.queue.iter().flat_map(|message| &message.arguments);
    let of = |value: &Value| if let Value::Rebec(id) = value { Some(*id) } else { None };
    let senders = rebec.queue.iter().map(|message| message.sender);
    rebec.values.iter().chain(arguments).filter_map(of).chain(senders).collect()
}

/// The rebecs of `main`, those with messages, and all that these name directly or indirectly.
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

/// The least of all renumberings of the live rebecs; nothing if there are too many.
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

/// Observes nothing.
struct NoObserver;

impl<'m> Observer<Space<'m>> for NoObserver {
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
fn stored(model: &Model, bounds: &Bounds, wrong: HeapWrong) -> Option<Vec<State>> {
    let mut space = Space::new(model, bounds, Some(SMALL), None);
    space.renumber(HeapSymmetry::wrong(wrong));
    let mut control = ();
    let (clock, limits) = (Clock::new(&mut control), Limits::default());
    let summary =
        explore(&mut space, &mut NoObserver, clock, &limits, SearchOrder::BreadthFirst).expect("no checkpoint");
    summary.complete.then(|| (0..space.store.len()).map(|number| space.state(number)).collect())
}

/// The classes of the unreduced states; nothing if there are too many.
fn classes(model: &Model, bounds: &Bounds) -> Option<(u64, HashSet<State>)> {
    let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
    let explored = explore_graph(model, bounds, &limits);
    if !explored.complete {
        return None;
    }
    let all = explored.states.iter().map(|state| class_of(model, state));
    Some((explored.states.len() as u64, all.collect::<Option<_>>()?))
}

fn creating(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Model)> {
    seeds.map(|seed| (seed, random_model(seed))).filter(|(_, model)| !model.creatable.is_empty())
}

#[test]
fn stored_states_are_classes_of_isomorphic_states() {
    let (mut checked, mut whole, mut reduced) = (0, 0, 0);
    for (seed, model) in creating(50_000..53_000) {
        let Some((states, classes)) = classes(&model, &BOUNDS) else { continue };
        let stored =
            stored(&model, &BOUNDS, HeapWrong::default()).unwrap_or_else(|| panic!("seed {seed}: not finished"));
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

fn verdicts(report: &Report) -> Vec<(QueryKind, Verdict)> {
    report.answers.iter().map(|answer| (answer.kind, answer.verdict)).collect()
}

#[test]
fn verdicts_are_those_of_the_unreduced_run() {
    let (mut checked, mut violated, mut gained, mut reduced_runs) = (0, 0, 0, 0);
    for (seed, model) in creating(60_000..64_000) {
        let question = question(seed);
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        for partial_order in [false, true] {
            let reductions = Reductions { heap_symmetry: true, partial_order, ..Reductions::default() };
            let question = Question { overflow: !partial_order, ..question.clone() };
            let report = check_reduced(&model, &question, reductions, &mut ());
            let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            let heap = &report.reductions[0];
            assert!(heap.kind == ReductionKind::HeapSymmetry && heap.is_applied(), "seed {seed}");
            for (kind, verdict) in verdicts(&report) {
                let expected =
                    plain.answers.iter().find(|answer| answer.kind == kind).expect("an answer per property").verdict;
                // Fewer rebecs at the same time than in all: the bound may be met without the reduction only.
                let is_cut = report.limit.is_some_and(|limit| limit.kind == LimitKind::States);
                if expected == Verdict::Inconclusive || verdict == Verdict::Inconclusive && is_cut {
                    gained += u32::from(verdict != expected);
                    continue;
                }
                assert_eq!(verdict, expected, "seed {seed}, {kind:?}, partial order {partial_order}");
                (checked, violated) = (checked + 1, violated + u32::from(verdict == Verdict::Violated));
            }
            let is_reduced = report
                .reductions
                .iter()
                .any(|reduction| reduction.kind == ReductionKind::PartialOrder && reduction.is_applied());
            reduced_runs += u32::from(is_reduced);
        }
    }
    println!("{checked} verdicts, {violated} violated, {gained} gained; partial order in {reduced_runs} runs");
    assert!(
        checked > 1_000 && violated > 300 && gained > 50 && reduced_runs > 50,
        "{checked} {violated} {gained} {reduced_runs}"
    );
}

/// A maker that makes hubs and workers, each with a message, and drops them; workers share hubs.
fn workers(hubs: usize, workers: usize) -> Model {
    let one = "hub = new Hub():(); ";
    let made = |_| format!("{one}{}", "new Worker(hub):(); ".repeat(workers));
    let text = format!(
        "reactiveclass Maker(2) {{ statevars {{ Hub hub; }} msgsrv initial() {{ {} hub = null; }} }}
         reactiveclass Hub(9) {{ statevars {{ byte n; }} msgsrv initial() {{ }} msgsrv add() {{ n = (n + 1) % 2; }} }}
         reactiveclass Worker(2) {{ knownrebecs {{ Hub hub; }} msgsrv initial() {{ hub.add(); }} }}
         main {{ Maker maker():(); }}",
        (0..hubs).map(made).collect::<String>()
    );
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(&text, &mut diagnostics);
    lower(&program, &LowerOptions::default(), &mut diagnostics).expect("a model")
}

#[test]
fn rebecs_that_nobody_reaches_are_ordered() {
    let bounds = Bounds { max_rebecs: 40, ..BOUNDS };
    for (hubs, each, is_few) in [(1, 4, true), (2, 2, true), (1, 30, false), (7, 2, false)] {
        let model = workers(hubs, each);
        if is_few {
            let (_, classes) = classes(&model, &bounds).expect("finished");
            assert_eq!(stored(&model, &bounds, HeapWrong::default()).expect("finished").len(), classes.len());
        }
        let limits = Limits { max_states: Some(if is_few { SMALL } else { 20 }), ..Limits::default() };
        let question = Question { keep_going: true, bounds, limits, ..Question::default() };
        let reductions = Reductions { heap_symmetry: true, ..Reductions::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        // Workers of one hub can be exchanged; hubs with workers can be, but not one rebec at a time.
        let is_exact = report.reductions[0].outcome == Outcome::Renumbered { inexact: 0 };
        assert_eq!(is_exact, hubs < 7, "{hubs} {each}: {:?}", report.reductions);
    }
}

#[test]
fn formulas_under_weak_fairness_are_checked_without_heap_symmetry() {
    let (model, always) = (workers(1, 1), Formula::Globally(Box::new(Formula::Atom(flag(true)))));
    let property = Property { name: "L".to_owned(), kind: PropertyKind::Ltl(always), span: Span::NONE };
    let properties = PropertySet { definitions: Vec::new(), properties: vec![property] };
    let question = Question { properties, ..Question::default() };
    let reductions = Reductions { heap_symmetry: true, ..Reductions::default() };
    let report = check_reduced(&model, &question, reductions, &mut ()).expect("nothing to confirm");
    let run = report.answers.iter().find_map(|answer| answer.run.as_ref()).expect("a run of its own");
    let applied = |reductions: &[Reduction]| {
        reductions.iter().map(|reduction| (reduction.kind.name(), reduction.is_applied())).collect::<Vec<_>>()
    };
    assert_eq!(applied(&run.reductions), [("heap-symmetry", false)]);
    assert_eq!(applied(&report.reductions), [("heap-symmetry", true)]);
}

/// A model of the fixtures with a value for a constant.
fn fixture(name: &str, defines: &[(&str, i64)]) -> Model {
    let path = format!("{}/../fixtures/rebeca/creation/{name}.rebeca", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a fixture");
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(&text, &mut diagnostics);
    let constants = defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let options = LowerOptions { constants, ..LowerOptions::default() };
    lower(&program, &options, &mut diagnostics).expect("a fixture without errors")
}

#[test]
fn the_list_and_the_tree_are_stored_once_a_class() {
    let bounds = Bounds { max_rebecs: 12, ..BOUNDS };
    let models = [
        ("ordered_list", 1, 60, 60),
        ("ordered_list", 2, 343, 202),
        ("ordered_list", 3, 954, 374),
        ("ordered_list", 4, 3_375, 700),
        ("b_tree", 0, 2_142, 1_315),
    ];
    for (name, length, whole, reduced) in models {
        let defines = [("LENGTH", length)];
        let model = fixture(name, if length > 0 { &defines } else { &[] });
        let (states, classes) = classes(&model, &bounds).expect("finished");
        let stored = stored(&model, &bounds, HeapWrong::default()).expect("finished");
        assert_eq!((states, stored.len()), (whole, reduced), "{name} {length}");
        assert_eq!(classes.len(), reduced, "{name} {length}");
    }
}

/// Servers that create are ample sets only where their created rebecs are renumbered.
#[test]
fn creations_commute_up_to_numbers() {
    let bounds = Bounds { max_rebecs: 12, ..BOUNDS };
    for (name, length) in [("ordered_list", 3), ("ordered_list", 4), ("b_tree", 0)] {
        let defines = [("LENGTH", length)];
        let model = fixture(name, if length > 0 { &defines } else { &[] });
        let question = Question { keep_going: true, overflow: false, bounds, ..Question::default() };
        let states = |heap_symmetry, partial_order| {
            let reductions = Reductions { heap_symmetry, partial_order, ..Reductions::default() };
            let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
            assert!(report.complete);
            (report.states, verdicts(&report))
        };
        let runs =
            [(false, false), (false, true), (true, false), (true, true)].map(|(heap, order)| states(heap, order));
        assert!(runs.iter().all(|run| run.1 == runs[0].1), "{name}: {runs:?}");
        let [none, order, heap, both] = runs.map(|run| run.0);
        println!("{name} {length}: none {none}, partial order {order}, heap symmetry {heap}, both {both}");
        assert!(heap < none && both <= heap && both <= order, "{name} {length}");
    }
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
        if caught.iter().all(|&times| times == ENOUGH) {
            break;
        }
        let Some((_, classes)) = classes(&model, &BOUNDS) else { continue };
        for (times, (_, wrong)) in caught.iter_mut().zip(variants).filter(|(times, _)| **times < ENOUGH) {
            let is_right = stored(&model, &BOUNDS, wrong).is_some_and(|stored| {
                let found: HashSet<State> = stored.iter().filter_map(|state| class_of(&model, state)).collect();
                stored.len() == classes.len() && found == classes
            });
            *times += u32::from(!is_right);
        }
    }
    variants.iter().zip(caught).for_each(|((name, _), times)| println!("{times:>4}  {name}"));
    assert!(caught.iter().all(|&times| times > 0), "not caught: {caught:?}");
}
