//! The reduced search against the whole one on random models, and known-wrong variants that this comparison has to catch.

use explore::reductions::{Outcome, Refusal};
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Bounds, FaultClass, State, Stop, evaluate_in_state};
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::{BinaryOp, Expr, Formula, Model, Property, PropertyKind, PropertySet, RebecId, ServerId, Value};
use frontend::source::Span;
use frontend::syntax::{parse_model, parse_properties};
use symmetry::{ModelPermutation, Strategy, ValidatedGroup};

use super::build::{INT, instance};
use super::{ENOUGH, Rng, binary, int, not, random_model, remote};
use crate::actors::{Expansion, Space, Symmetry};
use crate::naive::{FaultEntry, fault_entry};
use crate::partial_order::{Images, Overflow, PartialOrder, Wrong};
use crate::stacking::{Combination, images, plan, stack};
use crate::{
    Fairness, LimitKind, Limits, Question, Reductions, Representative, SearchOrder, Verdict, check, check_reduced,
};
use explore::search::{Clock, Expansion as _, Observer, explore};

const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 1_000, max_calls: 200, max_work: 100_000 };
const SMALL: u32 = 20_000;

/// The findings on which both searches must agree.
#[derive(PartialEq, Eq, Default, Debug)]
struct Found {
    deadlocks: BTreeSet<String>,
    faults: BTreeSet<FaultEntry>,
    /// For each invariant whether some state violates it.
    violated: Vec<bool>,
    is_limited: bool,
}

struct Collector<'q> {
    model: &'q Model,
    properties: &'q PropertySet,
    found: Found,
}

impl Collector<'_> {
    fn fault(&mut self, rebec: RebecId, stop: &Stop) {
        match stop {
            Stop::Fault(fault) => {
                self.found.faults.insert(fault_entry(rebec, &fault.kind));
            }
            Stop::Limit(_) => self.found.is_limited = true,
        }
    }

    fn look(&mut self, state: &State) {
        for (at, property) in self.properties.properties.iter().enumerate() {
            let PropertyKind::Invariant(expr) = &property.kind else { continue };
            self.found.violated[at] |= evaluate_in_state(self.model, state, expr) != Ok(Value::Bool(true));
        }
    }
}

impl<'m> Observer<Space<'m>> for Collector<'_> {
    fn start_failed(&mut self, _: &Space<'m>, (rebec, stop): &(RebecId, Stop)) -> ControlFlow<()> {
        self.fault(*rebec, stop);
        ControlFlow::Continue(())
    }

    fn stored(&mut self, space: &Space<'m>, numbers: Range<u32>) -> ControlFlow<()> {
        numbers.for_each(|number| self.look(&space.state(number)));
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, space: &Space<'m>, number: u32, expansion: &Expansion) -> ControlFlow<()> {
        if !expansion.is_enabled() {
            self.found.deadlocks.insert(format!("{:?}", space.state(number)));
        }
        expansion.stopped.iter().for_each(|stopped| self.fault(RebecId(stopped.slot), &stopped.stop(space)));
        ControlFlow::Continue(())
    }
}

/// The findings of a search and the number of its stored states; `None` if there are too many.
fn search(model: &Model, question: &Question, wrong: Option<Wrong>) -> Option<(Found, u32)> {
    search_in(model, question, wrong.map(|wrong| planned(model, question, &[], wrong)), None)
}

fn planned(model: &Model, question: &Question, symmetries: &[Images], wrong: Wrong) -> PartialOrder {
    let overflow = if question.overflow { Overflow::Kept } else { Overflow::Hidden };
    PartialOrder::new(model, &question.properties, overflow, symmetries, wrong).expect("small models")
}

/// The same with a plan and in a quotient.
fn search_in(
    model: &Model,
    question: &Question,
    plan: Option<PartialOrder>,
    group: Option<&ValidatedGroup>,
) -> Option<(Found, u32)> {
    let mut space = Space::new(model, &BOUNDS, question.limits.max_states.or(Some(u64::from(SMALL))), None);
    if let Some(group) = group {
        space
            .reduce(Symmetry::new(model, group, &PropertySet::default(), Representative::Auto).expect("a small group"));
    }
    space.reduce_by(plan);
    let violated = vec![false; question.properties.properties.len()];
    let mut collector =
        Collector { model, properties: &question.properties, found: Found { violated, ..Found::default() } };
    let summary = explore(&mut space, &mut collector, Clock::new(&mut ()), &Limits::default(), question.order)
        .expect("no checkpoint");
    let states = space.store.len();
    let is_whole = summary.complete
        || (collector.found.is_limited && summary.limit.is_some_and(|limit| limit.kind != LimitKind::States));
    is_whole.then_some((collector.found, states))
}

/// Some rebec's number never has a value, by itself or together with another one's.
fn invariants(rng: &mut Rng, model: &Model) -> PropertySet {
    let count = u32::try_from(model.instances.len()).expect("few");
    let mut invariant = |name: &str| {
        let mut equal = || {
            let value = i32::try_from(rng.below(3)).expect("small");
            binary(BinaryOp::Equal, remote(rng.below(count), 2, INT), int(value))
        };
        let expr: Expr = not(super::and(vec![equal(), equal()]));
        Property { name: name.to_owned(), kind: PropertyKind::Invariant(expr), span: Span::NONE }
    };
    PropertySet { definitions: Vec::new(), properties: vec![invariant("I"), invariant("J")] }
}

fn question(seed: u64, model: &Model) -> Question {
    let mut rng = Rng::new(seed ^ 0x7057);
    let order = if rng.below(3) == 0 { SearchOrder::DepthFirst } else { SearchOrder::BreadthFirst };
    let overflow = rng.below(2) == 0;
    let properties = if rng.below(4) == 0 { PropertySet::default() } else { invariants(&mut rng, model) };
    Question { overflow, properties, order, bounds: BOUNDS, keep_going: true, ..Question::default() }
}

/// The findings without faults outside the question: the reduction does not keep their presence.
fn restricted(mut found: Found, question: &Question) -> Found {
    found.faults.retain(|fault| fault.class != FaultClass::Overflow || question.overflow);
    found
}

#[test]
fn the_reduced_search_agrees_with_the_full_one() {
    let (mut whole, mut reduced, mut checked) = (0u64, 0u64, 0);
    for seed in 0..1_000 {
        let model = random_model(seed);
        let question = question(seed, &model);
        let Some((expected, states)) = search(&model, &question, None) else { continue };
        let (found, fewer) = search(&model, &question, Some(Wrong::default())).expect("no more states");
        assert!(fewer <= states, "seed {seed}");
        assert_eq!(restricted(found, &question), restricted(expected, &question), "seed {seed}");
        (whole, reduced, checked) = (whole + u64::from(states), reduced + u64::from(fewer), checked + 1);
    }
    println!("{checked} models: {whole} states, reduced {reduced}");
    assert!(checked > 600, "only {checked} of the models are small");
    assert!(reduced * 10 < whole * 9, "{whole} states, reduced {reduced}");
}

#[test]
fn verdicts_agree_and_traces_are_replayed() {
    let mut applied = 0;
    for seed in 5_000..5_300 {
        let model = random_model(seed);
        let mut question = question(seed, &model);
        question.limits.max_states = Some(3_000);
        let whole = check(&model, &question, &mut ()).expect("confirmed");
        if whole.limit.is_some() {
            continue;
        }
        for keep_going in [true, false] {
            let question = Question { keep_going, ..question.clone() };
            let reductions = Reductions { partial_order: true, ..Reductions::default() };
            let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
            assert_eq!(report.verdict, whole.verdict, "seed {seed}");
            if keep_going {
                let verdicts = |report: &crate::Report| -> Vec<(String, Verdict)> {
                    report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
                };
                assert_eq!(verdicts(&report), verdicts(&whole), "seed {seed}");
                assert_eq!(report.deadlock_states, whole.deadlock_states, "seed {seed}");
                applied += u32::from(report.reductions.iter().any(explore::reductions::Reduction::is_applied));
            }
        }
    }
    assert!(applied > 50, "applied to {applied} models only");
}

const WRONG: Wrong = Wrong {
    initial_is_invisible: false,
    nothing_is_visible: false,
    known_rebecs_only: false,
    no_proviso: false,
    open_sticky: false,
    faults_ignored: false,
    overflow_ignored: false,
    senders_ignored: false,
};

/// Variants that the random models show to be wrong.
const CAUGHT_AT_RANDOM: [(&str, Wrong); 6] = [
    ("nothing is visible", Wrong { nothing_is_visible: true, ..WRONG }),
    ("only known rebecs hold rebecs", Wrong { known_rebecs_only: true, ..WRONG }),
    ("no proviso", Wrong { no_proviso: true, ..WRONG }),
    ("faults ignored", Wrong { faults_ignored: true, ..WRONG }),
    ("overflow ignored", Wrong { overflow_ignored: true, ..WRONG }),
    ("senders ignored", Wrong { senders_ignored: true, ..WRONG }),
];

#[test]
fn known_wrong_variants_are_caught() {
    let mut caught = [0; CAUGHT_AT_RANDOM.len()];
    for seed in 0..600 {
        if caught.iter().all(|&times| times == ENOUGH) {
            break;
        }
        let model = random_model(seed);
        let question = question(seed, &model);
        let Some((expected, _)) = search(&model, &question, None) else { continue };
        let expected = restricted(expected, &question);
        for (times, (_, wrong)) in caught.iter_mut().zip(CAUGHT_AT_RANDOM).filter(|(times, _)| **times < ENOUGH) {
            let found = search(&model, &question, Some(wrong)).map(|(found, _)| restricted(found, &question));
            *times += u32::from(found.as_ref() != Some(&expected));
        }
    }
    for ((name, _), times) in CAUGHT_AT_RANDOM.iter().zip(caught) {
        println!("{times:>4}  {name}");
    }
    assert!(caught.iter().all(|&times| times > 0), "not caught: {caught:?}");
}

/// A fixture with its property file.
macro_rules! fixture {
    ($name:literal) => {
        fixture!("soundness/", $name)
    };
    ($folder:literal, $name:literal) => {
        (
            include_str!(concat!("../../../fixtures/rebeca/", $folder, $name, ".rebeca")),
            include_str!(concat!("../../../fixtures/rebeca/", $folder, $name, ".property")),
        )
    };
}

fn read((text, properties): (&str, &str)) -> (Model, Question) {
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(text, &mut diagnostics);
    let model = lower(&program, &LowerOptions::default(), &mut diagnostics).expect("a fixture");
    let file = parse_properties(properties, &mut diagnostics);
    let properties = lower_properties(&file, &model, &mut diagnostics).expect("a fixture");
    (model, Question { properties, keep_going: true, overflow: false, ..Question::default() })
}

#[test]
fn the_faults_of_the_papers_are_not_ours() {
    let models = [
        (fixture!("m01_initial_is_visible"), Wrong { initial_is_invisible: true, ..WRONG }),
        (fixture!("m03_sender_by_parameter"), Wrong { known_rebecs_only: true, ..WRONG }),
        (fixture!("m03b_sender_by_reply"), Wrong { known_rebecs_only: true, ..WRONG }),
        (fixture!("m04_ignoring"), Wrong { no_proviso: true, ..WRONG }),
        (fixture!("m06_proviso_on_representatives"), Wrong { no_proviso: true, ..WRONG }),
        (fixture!("m06b_proviso_closed_under_group"), Wrong { no_proviso: true, ..WRONG }),
    ];
    for (at, (fixture, wrong)) in models.into_iter().enumerate() {
        let (model, question) = read(fixture);
        let violates = |wrong| search(&model, &question, wrong).expect("a small model").0.violated == [true];
        assert!(violates(None) && violates(Some(WRONG)), "model {at} of the list");
        assert!(!violates(Some(wrong)), "model {at} of the list shows nothing");
    }
}

#[test]
fn room_that_a_step_makes_hides_no_overflow() {
    let text = include_str!("../../../fixtures/rebeca/soundness/m02_overflow_is_visible.rebeca");
    let (model, mut question) = read((text, "property { }"));
    question.overflow = true;
    let overflows = |wrong| !search(&model, &question, wrong).expect("a small model").0.faults.is_empty();
    assert!(overflows(None) && overflows(Some(WRONG)));
    let allowed = Reductions { partial_order: true, ..Reductions::default() };
    assert!(stack(&model, &question, allowed, true).refused[0].outcome == Outcome::Refused(Refusal::OverflowRequested));
    let excluded = Reductions { overflow_excluded: true, ..allowed };
    assert!(stack(&model, &question, excluded, true).partial_order.is_some());
    assert!(!overflows(Some(Wrong { overflow_ignored: true, ..WRONG })));
}

#[test]
fn unsound_reductions_are_refused_with_an_alternative() {
    let (model, question) = read(fixture!("m04_ignoring"));
    let formula = |formula: fn(Formula) -> Formula, fairness| {
        let atom = match &question.properties.properties[0].kind {
            PropertyKind::Invariant(expr) => Formula::Atom(expr.clone()),
            _ => unreachable!("an invariant"),
        };
        let property = Property { name: "L".to_owned(), kind: PropertyKind::Ltl(formula(atom)), span: Span::NONE };
        let properties = PropertySet { definitions: Vec::new(), properties: vec![property] };
        Question { properties, fairness, ..question.clone_without_properties() }
    };
    let globally: fn(Formula) -> Formula = |f| Formula::Globally(Box::new(f));
    let next: fn(Formula) -> Formula = |f| Formula::Globally(Box::new(Formula::Next(Box::new(f))));
    let quotient = || Combination { is_quotient: true, ..Combination::default() };
    let planned = |question: &Question, combination: &Combination| plan(&model, question, combination, WRONG);
    let refused = |question: &Question, combination: &Combination| planned(question, combination).expect_err("refused");
    assert_eq!(refused(&formula(next, Fairness::None), &Combination::default()), Refusal::Next("L".to_owned()));
    assert_eq!(refused(&formula(globally, Fairness::Weak), &quotient()), Refusal::FairQuotient);
    assert!(planned(&formula(globally, Fairness::None), &quotient()).is_ok());
    let fair = planned(&formula(globally, Fairness::Weak), &Combination::default()).expect("message driven");
    assert_eq!(fair.overflow, Overflow::Kept);
}

/// A ring of three rebecs of a random class with random servers, and a fourth one that knows itself only.
pub(super) fn random_ring(seed: u64) -> Model {
    let mut model = random_model(seed);
    let known = |at: u32| [(at + 1) % 3, (at + 2) % 3];
    model.instances = (0..3).map(|at| instance(&format!("n{at}"), 0, &known(at))).collect();
    model.instances.push(instance("w", 1, &[3, 3]));
    model
}

/// The group that rotations of the first three rebecs generate, as far as they are symmetries.
pub(super) fn rotations(model: &Model, question: &Question) -> ValidatedGroup {
    let images = [1, 2, 0].into_iter().chain(3..).take(model.instances.len()).map(RebecId).collect();
    let rotation = ModelPermutation::of_rebecs(model, images).expect("a permutation");
    ValidatedGroup::new(model, &question.properties, vec![rotation])
}

/// Without names of rebecs: a fault in a quotient is one of some rebec of the orbit.
fn up_to_names(found: Found) -> (bool, BTreeSet<FaultClass>, Vec<bool>) {
    (found.deadlocks.is_empty(), found.faults.into_iter().map(|fault| fault.class).collect(), found.violated)
}

#[test]
fn partial_order_and_symmetry_agree() {
    let (mut compared, mut caught, mut counts) = (0, 0, [0; 4]);
    for seed in 30_000..30_500 {
        let model = random_ring(seed);
        let value = i32::try_from(seed % 3).expect("small");
        let expr = not(binary(BinaryOp::Equal, remote(3, 2, INT), int(value)));
        let property = Property { name: "I".to_owned(), kind: PropertyKind::Invariant(expr), span: Span::NONE };
        let properties = PropertySet { definitions: Vec::new(), properties: vec![property] };
        let question =
            Question { overflow: false, properties, bounds: BOUNDS, keep_going: true, ..Question::default() };
        let group = rotations(&model, &question);
        if group.generators().is_empty() {
            continue;
        }
        let symmetries = images(&model, &group);
        let without_group = planned(&model, &question, &[], WRONG);
        let both = planned(&model, &question, &symmetries, WRONG);
        let Some((whole, states)) = search_in(&model, &question, None, None) else { continue };
        let expected = up_to_names(restricted(whole, &question));
        let runs = [(None, Some(&group)), (Some(without_group), None), (Some(both), Some(&group))];
        counts[0] += states;
        for ((plan, group), count) in runs.into_iter().zip(&mut counts[1..]) {
            let (found, fewer) = search_in(&model, &question, plan, group).expect("no more states");
            assert_eq!(up_to_names(restricted(found, &question)), expected, "seed {seed}");
            assert!(fewer <= states, "seed {seed}");
            *count += fewer;
        }
        let open = planned(&model, &question, &symmetries, Wrong { open_sticky: true, ..WRONG });
        let open =
            search_in(&model, &question, Some(open), Some(&group)).map(|(found, _)| restricted(found, &question));
        caught += u32::from(open.map(up_to_names) != Some(expected));
        compared += 1;
    }
    println!(
        "{compared} rings; states none, symmetry, partial order, both: {counts:?}; open sticky sets caught: {caught}"
    );
    assert!(compared > 200, "only {compared}");
    assert!(counts[3] < counts[1] && counts[3] < counts[2]);
}

#[test]
fn a_sticky_set_that_is_not_closed_is_caught() {
    let (model, question) = read(fixture!("m06b_proviso_closed_under_group"));
    let group = rotations(&model, &question);
    let symmetries = images(&model, &group);
    assert_eq!(symmetries.len(), 1, "a rotation of three");
    let violates = |wrong| {
        let plan = planned(&model, &question, &symmetries, wrong);
        search_in(&model, &question, Some(plan), Some(&group)).expect("a small model").0.violated == [true]
    };
    assert!(violates(WRONG));
    assert!(!violates(Wrong { open_sticky: true, ..WRONG }));
}

/// A rebec that serves one message for ever, by turns of three servers that a symmetry moves, and one that waits to be seen.
const TURNS: &str = "
    reactiveclass N(4) {
        N() { byte k = ?(ORDER); if (k == 0) { self.x(); } else { if (k == 1) { self.y(); } else { self.z(); } } }
        msgsrv x() { self.y(); }
        msgsrv y() { self.z(); }
        msgsrv z() { self.x(); }
    }
    reactiveclass W(3) { statevars { boolean y; } W() { self.k(); } msgsrv k() { y = true; } }
    main { N n():(); W w():(); }";

/// The sticky set has to be closed under what a group does to servers too: without that the one representative of the three turns may be
/// expanded as singleton ample sets for ever. Which of them it is depends on the order in which states are found.
#[test]
fn orbits_of_messages_follow_servers() {
    let mut missed = 0;
    for order in ["0, 1, 2", "0, 2, 1", "1, 0, 2", "1, 2, 0", "2, 0, 1", "2, 1, 0"] {
        let (model, question) = read((&TURNS.replace("ORDER", order), "property { Assertion { P: !w.y; } }"));
        let candidates = symmetry::detect::detect(&model, &question.properties, Strategy::Constraint).candidates;
        let group = ValidatedGroup::new(&model, &question.properties, candidates);
        assert_eq!(group.order(), 3u32.into(), "{order}");
        let symmetries = images(&model, &group);
        let still = |images: &Images| {
            let servers = images.servers.iter().map(|servers| (0..servers.len()).map(ServerId::from_index).collect());
            Images { rebecs: images.rebecs.clone(), servers: servers.collect() }
        };
        let still: Vec<Images> = symmetries.iter().map(still).collect();
        assert_ne!(still, symmetries, "servers move");
        let violates = |symmetries: &[Images]| {
            let plan = planned(&model, &question, symmetries, WRONG);
            search_in(&model, &question, Some(plan), Some(&group)).expect("a small model").0.violated == [true]
        };
        assert!(violates(&symmetries), "{order}");
        missed += usize::from(!violates(&still));
    }
    assert!(missed > 0, "orbits without servers are not caught");
}

/// States with what may be served as a singleton ample set cut to messages that a filter keeps.
fn states_with(model: &Model, question: &Question, keeps: &dyn Fn(&str) -> bool) -> u32 {
    let mut plan = planned(model, question, &[], WRONG);
    for (at, kind) in plan.flow.kinds.iter().enumerate() {
        let class = model.class(model.class_of(kind.receiver));
        if !keeps(&class.servers[kind.server.index()].name) {
            plan.free.set(at, false);
        }
    }
    let (_, states) = search_in(model, question, Some(plan), None).expect("a small model");
    states
}

#[test]
fn other_servers_than_initial_cut_the_states_too() {
    let models = [
        ("phil3_lib", fixture!("philosophers/", "phil3_lib")),
        ("phil4_lib", fixture!("philosophers/", "phil4_lib")),
        ("train4", fixture!("trains/", "train4")),
        ("worker_pool", fixture!("partial_order/", "worker_pool")),
    ];
    let load_balancer = include_str!("../../../fixtures/rebeca/load_balancer/lb4_2.rebeca");
    let texts = models.into_iter().map(|(name, (text, _))| (name, text)).chain([("lb4_2", load_balancer)]);
    for (name, text) in texts {
        let (model, mut question) = read((text, "property { }"));
        question.limits.max_states = Some(50_000);
        let (initial, all) =
            (states_with(&model, &question, &|server| server == "initial"), states_with(&model, &question, &|_| true));
        println!("{name}: initial only {initial}, all servers {all}");
        assert!(all < initial || name == "lb4_2" && all == initial, "{name}: {initial}, {all}");
    }
}
