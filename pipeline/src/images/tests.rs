//! Invariants about single processes on random models: the verdicts are those without any reduction, and violations are runs.

use battery::random::Rng;
use checker::{Control, Progress, Question, ReductionKind, Report, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::murphi;
use frontend::murphi::program::Program;
use frontend::sequential::interpret::is_initial;
use frontend::sequential::trace::replay;
use frontend::sequential::{Options, Property, Sequential, parse};
use symmetry::Strategy;

use super::{Images, Moved, Wrong, find, run};
use crate::detection::Effort;
use crate::found::Found;
use crate::language::Language;
use crate::line::{Plan, check, detect_by};
use crate::slice::Slicing;
use crate::task::Task;

struct Silent;

impl Control for Silent {
    fn progress(&mut self, _: &Progress) {}
}

fn answers<T>(report: &Report<T>) -> Vec<(&str, Verdict)> {
    report.answers.iter().map(|answer| (answer.name.as_str(), answer.verdict)).collect()
}

fn is_at_images<T>(report: &Report<T>) -> bool {
    report.reductions.iter().any(|one| one.kind == ReductionKind::Images && one.is_applied())
}

fn plain() -> Plan {
    Plan { symmetry: None, slicing: Slicing::Off, dead_values: false, partial_order: false, ..Plan::default() }
}

fn process(text: &str) -> Sequential {
    let mut diagnostics = Diagnostics::new();
    parse(text, &Options::default(), &mut diagnostics).model.unwrap_or_else(|| panic!("{text}\n{:?}", diagnostics.list))
}

/// Cells that pass a token and change colours, and questions about single cells.
fn process_text(rng: &mut Rng) -> String {
    let count = 2 + rng.below(3);
    let guards = ["at = i", "on[i]", "!on[i]", "colour[i] = red", "colour[i] != blue", "at != i", "!taken"];
    let effects = [
        "at := i;",
        "at := j;",
        "on[i] := !on[i];",
        "on[j] := on[i];",
        "colour[i] := blue;",
        "taken := 1;",
        "next[i] := j;",
        "next[i] := -1;",
        "",
    ];
    let summand = |number: usize, rng: &mut Rng| {
        let (one, other) = (rng.pick(&guards), rng.pick(&guards));
        let (first, second) = (rng.pick(&effects), rng.pick(&effects));
        let order = if rng.below(10) == 0 { "i <= j && " } else { "" };
        format!("sum i:P . sum j:P . [{order}{one} && {other}] step{number}(i) {{ {first} {second} }} -> M")
    };
    let summands: Vec<String> = (0..1 + rng.below(4)).map(|number| summand(number, rng)).collect();
    let properties = [
        "assert A = !on[0];",
        "assert B = at != 1;",
        "assert C = !(on[0] && on[1]);",
        "assert D = forall i:P . i = 1 || !(on[1] && on[i]);",
        "assert E = colour[1] = red || on[0];",
        "assert F = forall i:P . !on[i] || colour[i] = blue;",
        "assert G = !(at = 0 && on[1]);",
        // The body may fault, and the first value that decides comes before or behind that.
        "assert H = exists i:P . at = i || on[next[i]];",
        "assert I = !taken || exists i:P . colour[i] = red || !on[next[i]];",
        "assert J = !on[at] || !(forall i:P . !on[i] && next[next[i]] != i);",
    ];
    let mut properties: Vec<&str> = (0..1 + rng.below(4)).map(|_| *rng.pick(&properties)).collect();
    properties.sort_unstable();
    properties.dedup();
    let starts: Vec<String> = (0..count)
        .map(|at| format!("init M(on = 0, colour = red, at = {at}, taken = 0, next = -1);"))
        .take(if rng.below(4) == 0 { 1 } else { count })
        .collect();
    format!(
        "type P : 0..{}; type N : -1..{}; type K : {{ red, blue }};\nproc M(on : BOOL[P], colour : K[P], at : P, taken : BOOL, next : N[P]) = {};\n{}\n{}",
        count - 1,
        count - 1,
        summands.join("\n + "),
        starts.join("\n"),
        properties.join("\n")
    )
}

#[test]
fn verdicts_are_those_of_processes_without_reductions() {
    let (mut used, mut violated, mut fewer, mut caught, mut of_order) = (0, 0, 0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let text = process_text(&mut rng);
        let model = process(&text);
        let question: Question<Vec<Property>> = Question {
            deadlock: rng.below(2) == 0,
            faults: false,
            properties: model.properties.clone(),
            keep_going: true,
            ..Question::default()
        };
        let whole = check(&model, &question, &plain(), &mut Silent).expect("an answer");
        let plan = Plan { images: Images::On, partial_order: rng.below(2) == 0, ..Plan::default() };
        let report = check(&model, &question, &plan, &mut Silent).expect("an answer");
        assert_eq!(answers(&whole), answers(&report), "{text}");
        let cut = Plan { images: Images::Off, ..plan.clone() };
        let cut = check(&model, &question, &cut, &mut Silent).expect("an answer");
        let any = is_at_images(&report);
        used += usize::from(any);
        fewer += usize::from(any && report.states < cut.states);
        for (answer, trace) in report.answers.iter().filter_map(|answer| Some((answer, answer.trace.as_ref()?))) {
            violated += usize::from(any);
            let states: Vec<_> = trace.states().cloned().collect();
            assert!(is_initial(&model, &trace.start) && replay(&model, &states, None).is_ok(), "{text}\n{answer:?}");
        }
        let is_caught = |wrong| any && is_caught(&model, &question, &plan, wrong, &answers(&whole));
        caught += usize::from(is_caught(Wrong { looks_once: true, ..Wrong::default() }));
        of_order += usize::from(is_caught(Wrong { ignores_the_order: true, ..Wrong::default() }));
    }
    let counts =
        format!("{used} at images, {violated} violated, {fewer} with fewer states, {caught} and {of_order} caught");
    assert!(used > 60 && violated > 60 && fewer > 40 && caught > 10 && of_order > 0, "{counts}");
}

/// Where the body faults for a value of a quantifier, images differ; elsewhere one state stands for all of them.
#[test]
fn the_order_of_values_shows_where_a_body_faults() {
    let verdicts = |property: &str| {
        let model = process(&format!(
            "type P : 0..3; type N : -1..3; proc M(at : N, next : N[P], on : BOOL[P]) = sum i:P . sum j:P . [at = -1] take(i) {{ at := i; next[i] := j; on[j] := 0; }} -> M;
             init M(at = -1, next = -1, on = 1); assert A = {property};"
        ));
        let question: Question<Vec<Property>> =
            Question { deadlock: false, properties: model.properties.clone(), ..Question::default() };
        let plan = Plan { images: Images::On, ..Plan::default() };
        let whole = check(&model, &question, &plain(), &mut Silent).expect("an answer");
        let report = check(&model, &question, &plan, &mut Silent).expect("an answer");
        assert!(is_at_images(&report) && report.states <= 3, "{property}");
        assert_eq!(answers(&whole), answers(&report), "{property}");
        let (wrong, mut found) = (Wrong { ignores_the_order: true, ..Wrong::default() }, Found::whole());
        let task = Task { model: &model, question: &question, plan: &plan };
        let moved = find(task, Strategy::Constraint, &mut found).expect("the group moves the invariant");
        let (all, in_any_order) = (moved.list[0].elements.len(), moved.list[0].in_any_order.len());
        assert!(all > 1 && in_any_order == 1, "{property}");
        let wrong = run(task, (Strategy::Constraint, wrong), &moved, &mut found, &mut Silent).expect("an answer");
        let caught = answers(&wrong.expect("a report")) != answers(&whole);
        (report.verdict, caught)
    };
    // The fault comes before the value that decides in all states but one of the orbit.
    assert_eq!(verdicts("at = -1 || exists i:P . at = i || on[next[i]]"), (Verdict::Violated, true));
    // The text does not know it, but the body faults in no reachable state.
    assert_eq!(verdicts("at = -1 || exists i:P . at != i || on[next[i]]"), (Verdict::Holds, false));
}

/// The text proves a group with too many images, which moves an invariant; the graph of the group that keeps it takes more than a brief detection may.
#[test]
fn invariants_with_too_many_images_have_the_group_that_keeps_them() {
    let model = process(
        "type CELL : 1..18; type LAST : 0..18; type KIND : { free, red, blue }; proc P(holds : KIND[CELL], last : LAST) =
             sum c:CELL . [holds[c] = free] fill(c) { holds[c] := red; } -> P
           + sum c:CELL . [holds[c] = free] paint(c) { holds[c] := blue; } -> P
           + sum c:CELL . [holds[c] = blue] clear(c) { holds[c] := free; } -> P
           + sum c:CELL . sum d:CELL . sum e:CELL . [holds[c] != free && holds[d] = free && holds[e] = free] pass(c, d, e) { holds[d] := holds[c]; holds[c] := free; last := d; } -> P;
         init P(holds = free, last = 0);
         assert A = last = 0 || exists c:CELL . last = c && holds[last] != free || last != c && holds[last] = red && holds[c] = red || holds[c] = holds[last];",
    );
    let own = |effort| detect_by(&model, &model.properties, Strategy::Constraint, effort).ok().expect("an answer");
    let brief = own(Effort::Brief);
    assert!(
        brief.is_cut_short && Sequential::engine_group(&brief.group).is_trivial(),
        "the graph takes too many steps"
    );
    let question: Question<Vec<Property>> =
        Question { deadlock: false, properties: model.properties.clone(), ..Question::default() };
    let report = check(&model, &question, &Plan { images: Images::On, ..Plan::default() }, &mut Silent);
    let report = report.expect("an answer");
    assert!(!is_at_images(&report), "the group has more elements than there are images");
    // Three kinds of cells, and whether and on which kind of cell the last one stands.
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 703));
}

/// An exchange of the values of `next[1]` keeps the invariant, which never looks at them, and the exchange of the two cells keeps it where no body faults. Neither is so of
/// both one after the other.
#[test]
fn symmetries_of_both_kinds_are_not_joined() {
    let model = process(
        "type P : 0..1; type N : 0..1; type Z : 0..0; proc M(at : P, next : N[P], ok : BOOL[Z]) = sum i:P . [true] go(i) { at := i; } -> M
           + sum i:P . [true] turn(i) { if (next[i] = 0) { next[i] := 1; } else { next[i] := 0; } } -> M;
         init M(at = *, next = *, ok = 1); assert A = exists i:P . at = i || ok[next[i]];",
    );
    let question: Question<Vec<Property>> =
        Question { deadlock: false, properties: model.properties.clone(), ..Question::default() };
    let plan = Plan { images: Images::On, ..Plan::default() };
    let task = Task { model: &model, question: &question, plan: &plan };
    let mut found = Found::whole();
    let mut moved = find(task, Strategy::Constraint, &mut found).expect("the group moves the invariant");
    let mut run = |moved: &Moved<_>| {
        let report = run(task, (Strategy::Constraint, Wrong::default()), moved, &mut found, &mut Silent);
        report.expect("an answer").expect("a report").verdict
    };
    assert_eq!(run(&moved), Verdict::Violated);
    moved.list[0].in_any_order = moved.list[0].elements[..1].to_vec();
    assert_eq!(run(&moved), Verdict::Holds, "one image for both kinds together is too few");
}

/// Whether the verdicts are wrong in a wrong variant.
fn is_caught<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    wrong: Wrong,
    right: &[(&str, Verdict)],
) -> bool {
    let mut found = Found::whole();
    let task = Task { model, question, plan };
    let Some(moved) = find(task, Strategy::Constraint, &mut found) else { return false };
    let report = run(task, (Strategy::Constraint, wrong), &moved, &mut found, &mut Silent).expect("an answer");
    report.is_ok_and(|report| {
        let verdict = |name: &str| report.answers.iter().find(|answer| answer.name == name).map(|one| one.verdict);
        right.iter().any(|&(name, is)| verdict(name) == Some(Verdict::Holds) && is == Verdict::Violated)
    })
}

fn program(text: &str) -> Program {
    let mut diagnostics = Diagnostics::new();
    let parsed = murphi::parse(text, &murphi::Options::default(), &mut diagnostics).program;
    parsed.unwrap_or_else(|| panic!("{text}\n{:?}", diagnostics.list))
}

/// Cells that pass something on, in the language of Murphi.
fn murphi_text(rng: &mut Rng) -> String {
    let count = 2 + rng.below(3);
    let guards = ["at = i", "on[i]", "!on[i]", "colour[i] = red", "at != i", "true", "isundefined(colour[i])"];
    let effects = [
        "at := i;",
        "at := j;",
        "on[i] := !on[i];",
        "on[j] := on[i];",
        "colour[i] := blue;",
        "colour[j] := colour[i];",
        "undefine colour[j];",
        "undefine at;",
        "for k: p do on[k] := false; end;",
        "if multisetcount(m: net, net[m] = i) = 0 & j != i then multisetadd(i, net); end;",
    ];
    let mut rule = |number: usize| {
        let (one, other) = (rng.pick(&guards), rng.pick(&guards));
        let (first, second) = (rng.pick(&effects), rng.pick(&effects));
        format!("ruleset i: p; j: p do rule \"r{number}\" {one} & {other} ==> begin {first} {second} end; end;\n")
    };
    let rules: String = (0..3).map(&mut rule).collect();
    let start = rng.pick(&["undefine at;", "undefine at;", "at := 1;"]);
    let invariants = [
        "!on[1]",
        "isundefined(at) | at != 2",
        "!(on[1] & on[2])",
        "forall i: p do i = 1 | !(on[1] & on[i]) end",
        "isundefined(colour[2]) | colour[2] = red",
        "colour[1] = red",
        "multisetcount(m: net, net[m] = 1) = 0",
        "forall i: p do !on[i] | isundefined(at) end",
    ];
    let invariant = |name: &str, rng: &mut Rng| format!("invariant \"{name}\" {};\n", rng.pick(&invariants));
    let invariants: String = ["a", "b", "c"].iter().map(|name| invariant(name, rng)).collect();
    format!(
        "type p: 1 .. {count}; k: enum {{ red, blue }};
         var on: array [p] of boolean; colour: array [p] of k; at: p; net: multiset [{count}] of p;
         startstate begin for i: p do on[i] := false; colour[i] := red; end; {start} end;
         {rules} {invariants}"
    )
}

#[test]
fn verdicts_are_those_of_models_of_murphi_without_reductions() {
    let (mut used, mut violated, mut fewer, mut caught) = (0, 0, 0, 0);
    for seed in 0..800 {
        let mut rng = Rng::new(seed);
        let text = murphi_text(&mut rng);
        let program = program(&text);
        let question = Question {
            properties: program.claims(),
            faults: rng.below(2) == 0,
            deadlock: rng.below(2) == 0,
            stuck: rng.below(2) == 0,
            keep_going: true,
            ..Question::default()
        };
        let whole = check(&program, &question, &plain(), &mut Silent).expect("an answer");
        let plan = Plan { images: Images::On, ..Plan::default() };
        let report = check(&program, &question, &plan, &mut Silent).expect("an answer");
        assert_eq!(answers(&whole), answers(&report), "{text}");
        let cut = Plan { images: Images::Off, ..plan.clone() };
        let cut = check(&program, &question, &cut, &mut Silent).expect("an answer");
        let any = is_at_images(&report);
        used += usize::from(any);
        fewer += usize::from(any && report.states < cut.states);
        for trace in report.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
            violated += usize::from(any);
            let states: Vec<_> = trace.states().cloned().collect();
            assert!(murphi::trace::replay(&program, &states, None).is_ok(), "{text}\n{trace:?}");
        }
        let looks_once = Wrong { looks_once: true, ..Wrong::default() };
        caught += usize::from(any && is_caught(&program, &question, &plan, looks_once, &answers(&whole)));
    }
    let counts = format!("{used} at images, {violated} violated, {fewer} with fewer states, {caught} caught");
    assert!(used > 60 && violated > 60 && fewer > 20 && caught > 10, "{counts}");
}

/// A start that singles out a process leaves the others alike: questions about those share one run.
#[test]
fn questions_share_the_group_that_keeps_the_start() {
    let model = process(
        "type P : 0..3; proc M(on : BOOL[P], first : P) =
         sum i:P . [!on[i] && on[first]] set(i) { on[i] := 1; } -> M + [!on[first]] begin { on[first] := 1; } -> M;
         init M(on = 0, first = 0); assert A = !on[2]; assert B = !on[0]; assert C = !(on[1] && on[3]);",
    );
    let question = Question { properties: model.properties.clone(), keep_going: true, ..Question::default() };
    let plan = Plan { images: Images::On, partial_order: false, ..Plan::default() };
    let report = check(&model, &question, &plan, &mut Silent).expect("an answer");
    assert!(is_at_images(&report), "{report:?}");
    assert_eq!(report.group.as_ref().expect("a group").order, "6");
    // The first cell off, or on with none to three of the others.
    assert_eq!(report.states, 5);
    assert!(report.answers.iter().filter(|one| one.name.len() == 1).all(|one| one.verdict == Verdict::Violated));
}
