//! Heap symmetry beside a static group: stored states are classes of the unreduced ones under both, by brute force.

use std::collections::HashSet;

use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Bounds, State};
use frontend::lower::{LowerOptions, lower};
use frontend::model::{Model, PropertySet};
use frontend::syntax::parse_model;
use symmetry::{Detector, KnownRebec, ValidatedGroup};

use super::Rng;
use super::heap::class_of;
use crate::report::Verdict;
use crate::{Limits, Question, Quotient, Reductions, Representative, check, check_reduced, explore_graph};

const BOUNDS: Bounds = Bounds { max_rebecs: 4, max_statements: 1_000, max_work: 100_000 };
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

/// Two or three nodes in a ring that make items, keep them, use them and hand them on.
fn random(seed: u64) -> Model {
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
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(&text, &mut diagnostics);
    lower(&program, &LowerOptions::default(), &mut diagnostics).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn stored_states_are_classes_under_the_group_and_renumbering() {
    let (mut checked, mut violated, mut whole, mut reduced) = (0, 0, 0, 0);
    for seed in 0..1_500 {
        let model = random(seed);
        if model.creatable.is_empty() {
            continue;
        }
        let group = ValidatedGroup::new(&model, &PropertySet::default(), KnownRebec.candidates(&model));
        let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
        let question = Question { keep_going: true, bounds: BOUNDS, limits, ..Question::default() };
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if group.order() <= 1u32.into() || !plain.complete {
            continue;
        }
        let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
        let reductions = Reductions { quotient: Some(quotient), heap_symmetry: true, ..Reductions::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        assert!(report.reductions.iter().filter(|told| told.applied).count() == 2, "{:?}", report.reductions);
        for (one, other) in plain.answers.iter().zip(&report.answers) {
            assert_eq!((one.kind, one.verdict), (other.kind, other.verdict), "seed {seed}");
            violated += u32::from(one.verdict == Verdict::Violated);
        }
        let beside = Reductions { partial_order: true, ..reductions };
        let asked = Question { overflow: false, ..question };
        for other in check_reduced(&model, &asked, beside, &mut ()).expect("confirmed").answers {
            let one = plain.answers.iter().find(|one| one.kind == other.kind).expect("asked");
            assert_eq!(one.verdict, other.verdict, "seed {seed}, {:?}", one.kind);
        }
        let elements: Vec<_> =
            group.group().elements().map(|element| group.points().lift(&model, &element).expect("lifts")).collect();
        let limits = Limits::default();
        let explored = explore_graph(&model, &BOUNDS, &limits, &mut (), &mut |_| ());
        let least = |state: State| {
            let images = elements.iter().map(|element| class_of(&model, &element.apply(&model, &state)));
            images.collect::<Option<Vec<_>>>().and_then(|images| images.into_iter().min())
        };
        let Some(classes) =
            (0..explored.states()).map(|number| least(explored.state(number))).collect::<Option<HashSet<State>>>()
        else {
            continue;
        };
        assert_eq!(report.states, classes.len() as u64, "seed {seed}");
        (checked, whole, reduced) = (checked + 1, whole + plain.states, reduced + report.states);
    }
    println!("{checked} models, {violated} violated, {whole} states, {reduced} classes");
    assert!(checked > 100 && violated > 100 && reduced * 2 < whole, "{checked} {violated} {whole} {reduced}");
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
    for (representative, counts_orbits) in
        [(Representative::OnTheFly, false), (Representative::LocalSearch, false), (Representative::Auto, true)]
    {
        let quotient = Some(Quotient { group: &group, representative, counts_orbits });
        let reductions = Reductions { quotient, heap_symmetry: true, ..Reductions::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        let told = report.reductions.iter().find(|told| told.name == "heap-symmetry").expect("told");
        assert!(!told.applied, "{representative:?} {counts_orbits}: {told:?}");
    }
}
