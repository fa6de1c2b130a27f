//! Heap symmetry together with a static group: stored states are classes of the unreduced ones under both, by brute
//! force.

use explore::reductions::ReductionKind;
use std::collections::HashSet;
use std::time::Duration;

use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Bounds, State};
use frontend::lower::{LowerOptions, lower};
use frontend::model::{Model, PropertyKind, PropertySet};
use frontend::syntax::parse_model;
use symmetry::{
    Strategy::{self, Constraint, KnownRebec},
    ValidatedGroup,
};

use super::Rng;
use super::fair_threads::read;
use super::heap::class_of;
use crate::actors::{HeapSymmetry, HeapWrong, Space};
use crate::{Fairness, Limits, Question, Quotient, Reductions, Representative, check, check_reduced, explore_graph};
use explore::plan::Plan;
use explore::report::Verdict;
use explore::temporal;

const BOUNDS: Bounds = Bounds { max_rebecs: 4, max_statements: 1_000, max_calls: 200, max_work: 100_000 };
const SMALL: u64 = 1_500;

fn statement(rng: &mut Rng, depth: u32) -> String {
    let conditions = ["flag", "n > 0", "item == null", "sender == self", "sender == other", "n == 2"];
    match rng.below(if depth == 0 { 9 } else { 11 }) {
        0 => "flag = !flag;".to_owned(),
        1 => "n = (n + 1) % 3;".to_owned(),
        2 => "other.tick();".to_owned(),
        3 => "if (n < 2) { n++; item = new Item(self):(); }".to_owned(),
        4 => "if (n < 2) { n++; new Item(other):(); }".to_owned(),
        5 => "if (item != null) { item.use(); }".to_owned(),
        6 => "item = null;".to_owned(),
        7 => "other.take(item);".to_owned(),
        8 => "flag = ?(true, false);".to_owned(),
        _ => {
            let at = rng.below(6) as usize;
            format!("if ({}) {{ {} }}", conditions[at], statement(rng, depth - 1))
        }
    }
}

fn block(rng: &mut Rng) -> String {
    (0..=rng.below(2)).map(|_| statement(rng, 1)).collect::<Vec<_>>().join(" ")
}

/// Two or three nodes in a ring that make items, keep them, use them and pass them on.
fn random(seed: u64) -> Model {
    read_model(&random_text(seed))
}

/// The group of the rules of the papers, or the one that the constraints show, which may move values and messages too.
fn group_of(model: &Model, properties: &PropertySet, seed: u64) -> ValidatedGroup {
    let strategy: Strategy = if seed.is_multiple_of(3) { KnownRebec } else { Constraint };
    ValidatedGroup::new(model, properties, strategy.candidates(model))
}

fn read_model(text: &str) -> Model {
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(text, &mut diagnostics);
    lower(&program, &LowerOptions::default(), &mut diagnostics).unwrap_or_else(|| panic!("{text}"))
}

fn random_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let count = 2 + rng.below(2);
    let (initial, tick, take) = (block(&mut rng), block(&mut rng), block(&mut rng));
    let used = ["node.tick();", "node.take(self);", "seen = (Node)sender;", "if (seen != node) { seen = node; }"];
    let (made, used) = (used[rng.below(4) as usize], used[rng.below(4) as usize]);
    let mut text = format!(
        "reactiveclass Node(3) {{ knownrebecs {{ Node other; }} statevars {{ boolean flag; byte n; Item item; }}
           msgsrv initial() {{ {initial} }} msgsrv tick() {{ {tick} }} msgsrv take(Item given) {{ item = given; {take} }} }}
         reactiveclass Item(3) {{ knownrebecs {{ Node node; }} statevars {{ Node seen; }}
           msgsrv initial() {{ {made} }} msgsrv use() {{ {used} }} }}
         main {{ "
    );
    for at in 0..count {
        text.push_str(&format!("Node a{at}(a{}):(); ", (at + 1) % count));
    }
    text.push('}');
    text
}

#[test]
fn stored_states_are_classes_under_the_group_and_renumbering() {
    let (mut checked, mut violated, mut whole, mut reduced, mut local) = (0, 0, 0, 0, 0);
    for seed in 0..1_500 {
        let model = random(seed);
        if model.creatable.is_empty() {
            continue;
        }
        let group = group_of(&model, &PropertySet::default(), seed);
        let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
        let question = Question { keep_going: true, bounds: BOUNDS, limits, ..Question::default() };
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if group.order() <= 1u32.into() || !plain.complete {
            continue;
        }
        let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: true };
        let reductions = Reductions { quotient: Some(quotient), heap_symmetry: true, ..Reductions::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        let heap_only = Reductions { quotient: None, ..reductions };
        let renumbered = check_reduced(&model, &question, heap_only, &mut ()).expect("confirmed");
        let orbits = report.group.as_ref().and_then(|group| group.orbits.as_ref()).expect("counted");
        assert_eq!(orbits.sum, renumbered.states.to_string(), "seed {seed}");
        let every = Quotient { representative: Representative::Enumerate, ..quotient };
        let every = Reductions { quotient: Some(every), ..reductions };
        let enumerated = check_reduced(&model, &question, every, &mut ()).expect("confirmed");
        assert_eq!((enumerated.states, enumerated.transitions), (report.states, report.transitions), "seed {seed}");
        let enumerated = enumerated.group.and_then(|group| group.orbits).expect("counted");
        assert_eq!(enumerated, *orbits, "seed {seed}");
        assert!(
            report.reductions.iter().filter(|reduction| reduction.is_applied()).count() == 2,
            "{:?}",
            report.reductions
        );
        for (one, other) in plain.answers.iter().zip(&report.answers) {
            assert_eq!((one.kind, one.verdict), (other.kind, other.verdict), "seed {seed}");
            violated += u32::from(one.verdict == Verdict::Violated);
        }
        let quotient = Some(Quotient { counts_orbits: false, ..quotient });
        let with_partial_order = Reductions { quotient, partial_order: true, ..reductions };
        let posed = Question { overflow: false, ..question };
        for other in check_reduced(&model, &posed, with_partial_order, &mut ()).expect("confirmed").answers {
            let one = plain.answers.iter().find(|one| one.kind == other.kind).expect("an answer per property");
            assert_eq!(one.verdict, other.verdict, "seed {seed}, {:?}", one.kind);
        }
        let elements: Vec<_> =
            group.group().elements().map(|element| group.points().lift(&model, &element).expect("lifts")).collect();
        let explored = explore_graph(&model, &BOUNDS, &Limits::default());
        let least = |state: &State| {
            let images = elements.iter().map(|element| class_of(&model, &element.apply(&model, state)));
            images.collect::<Option<Vec<_>>>().and_then(|images| images.into_iter().min())
        };
        let Some(classes) = explored.states.iter().map(least).collect::<Option<HashSet<State>>>() else {
            continue;
        };
        assert_eq!(report.states, classes.len() as u64, "seed {seed}");
        local += u32::from(group.has_local_maps());
        (checked, whole, reduced) = (checked + 1, whole + plain.states, reduced + report.states);
    }
    println!(
        "{checked} models, {violated} violated, {whole} states, {reduced} classes; {local} with more than rotations"
    );
    assert!(checked > 100 && violated > 100 && reduced * 2 < whole, "{checked} {violated} {whole} {reduced}");
    assert!(local > 10, "{local}");
}

#[test]
fn combinations_that_are_not_looked_into_are_refused() {
    let model = random(3);
    let group = ValidatedGroup::new(&model, &PropertySet::default(), KnownRebec.candidates(&model));
    let question = Question {
        bounds: BOUNDS,
        limits: Limits { max_states: Some(10), ..Limits::default() },
        ..Question::default()
    };
    for representative in [Representative::Several, Representative::OnTheFly, Representative::LocalSearch] {
        let quotient = Some(Quotient { group: &group, representative, counts_orbits: false });
        let reductions = Reductions { quotient, heap_symmetry: true, ..Reductions::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        let reduction = report
            .reductions
            .iter()
            .find(|reduction| reduction.kind == ReductionKind::HeapSymmetry)
            .expect("the reduction is reported");
        assert!(!reduction.is_applied(), "{representative:?}: {reduction:?}");
    }
}

/// Makers that make an item each, and use it: all of them can be exchanged.
fn makers(count: usize) -> String {
    let makers: String = (0..count).map(|at| format!("Maker m{at}():(); ")).collect();
    format!(
        "reactiveclass Maker(2) {{ statevars {{ Item item; boolean used; }}
           msgsrv initial() {{ item = new Item(self):(); }} msgsrv done() {{ used = true; item = null; }} }}
         reactiveclass Item(2) {{ knownrebecs {{ Maker maker; }} msgsrv initial() {{ maker.done(); }} }}
         main {{ {makers} }}"
    )
}

#[test]
fn a_group_of_40320_elements_with_renumbering() {
    let model = read_model(&makers(8));
    let group = ValidatedGroup::new(&model, &PropertySet::default(), KnownRebec.candidates(&model));
    assert_eq!(group.order(), 40_320u32.into());
    let bounds = Bounds { max_rebecs: 20, ..BOUNDS };
    let question = Question { keep_going: true, bounds, ..Question::default() };
    let quotient = Some(Quotient { group: &group, representative: Representative::Auto, counts_orbits: true });
    let reductions = Reductions { quotient, heap_symmetry: true, ..Reductions::default() };
    let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
    // Each maker has made nothing, waits for its item, was answered, or is done: the state counts the makers of each
    // kind.
    assert_eq!(report.states, 165);
    let orbits = report.group.and_then(|group| group.orbits).expect("counted");
    assert_eq!(orbits.sum, 4u64.pow(8).to_string());
}

/// Formulas without fairness: verdicts with renumbering, also together with a group or partial order, are those of
/// the model.
#[test]
fn formulas_have_the_verdicts_of_the_model() {
    let formulas = [
        "G(F(a0.flag))",
        "F(G(a0.flag || a1.flag))",
        "G(a0.flag -> F(!a0.flag))",
        "F(a0.n == 1 && a1.n == 1)",
        "G(a0.n == 0 || X(a0.n == 0) || a1.flag)",
        "G(F(a0.n == 0 && a1.n == 0))",
        "F(G(a0.n == 2))",
    ];
    let (mut held, mut violated, mut gained, mut caught) = (0, 0, 0, 0);
    for seed in 0..900 {
        let formula = formulas[(seed % 7) as usize];
        let properties = format!("property {{ LTL {{ L: {formula}; }} }}");
        let (model, posed) = read(&random_text(seed), &properties);
        if model.creatable.is_empty() {
            continue;
        }
        let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
        let question = Question { bounds: BOUNDS, limits, fairness: Fairness::None, ..posed };
        let plain = check(&model, &question, &mut ()).expect("confirmed").answers[0].verdict;
        let group = group_of(&model, &question.properties, seed);
        let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
        let quotient = Some(quotient).filter(|_| group.order() > 1u32.into());
        for (quotient, partial_order) in [(None, false), (quotient, false), (None, true), (quotient, true)] {
            let reductions = Reductions { quotient, heap_symmetry: true, partial_order, ..Reductions::default() };
            let report = check_reduced(&model, &question, reductions, &mut ());
            let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            let reduction = &report.answers[0].run.as_ref().expect("a run of its own").reductions;
            let is_followed = reduction
                .iter()
                .any(|reduction| reduction.kind == ReductionKind::HeapSymmetry && reduction.is_applied());
            let found = report.answers[0].verdict;
            if plain == Verdict::Inconclusive || found == Verdict::Inconclusive {
                gained += u32::from(found != Verdict::Inconclusive);
                // Where no run closes, the model itself was searched.
                assert!(
                    plain == Verdict::Inconclusive
                        || is_followed
                        || reduction.iter().any(|reduction| !reduction.is_applied())
                );
                continue;
            }
            assert_eq!(found, plain, "seed {seed}: {formula}\n{}", random_text(seed));
            held += u32::from(found == Verdict::Holds);
            violated += u32::from(found == Verdict::Violated);
        }
        let wrong = HeapSymmetry::wrong(HeapWrong { roots_ignored: true, ..HeapWrong::default() });
        let mut space = Space::new(&model, &question.bounds, question.limits.max_states, None);
        space.renumber(wrong);
        let PropertyKind::Ltl(posed) = &question.properties.properties[0].kind else { panic!("a formula") };
        let wrong = temporal::answer(space, Plan::default(), "L", posed, &question, Duration::ZERO, &mut ());
        let wrong = wrong.ok().and_then(temporal::Answered::settled).map(|answer| answer.verdict);
        caught += u32::from(plain == Verdict::Violated && wrong == Some(Verdict::Holds));
        caught += u32::from(plain == Verdict::Holds && wrong.is_none());
    }
    println!("{held} hold, {violated} violated, {gained} gained; roots ignored: {caught} caught");
    assert!(held > 50 && violated > 300 && gained > 0 && caught > 0, "{held} {violated} {gained} {caught}");
}
