//! Tests: the search against the reference semantics, covers and liveness, limits.

use std::collections::{BTreeMap, VecDeque};

use explore::finding::Finding;
use explore::question::Limits;
use explore::report::Verdict;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{is_deadlock, starts, successors};
use frontend::murphi::program::ClaimKind;
use frontend::murphi::{Options, parse};

use super::*;
use explore::question::Threads;
use explore::reductions::{Quotient, Representative};
use frontend::murphi::interpret::State;

fn program(text: &str) -> Program {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).program.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

fn report(program: &Program, question: &Question<Vec<Claim>>) -> Report<Trace> {
    check(program, question, &Reductions::default(), &mut ()).expect("confirmed")
}

fn whole(program: &Program) -> Question<Vec<Claim>> {
    Question { properties: program.claims(), keep_going: true, ..Question::default() }
}

/// The verdicts by name.
fn verdicts(text: &str) -> Vec<(String, Verdict)> {
    let program = program(text);
    let report = report(&program, &whole(&program));
    report.answers.into_iter().map(|answer| (answer.name, answer.verdict)).collect()
}

const TOKEN: &str = "type node: 0 .. 2; var at: node; seen: array [node] of boolean; m: multiset [2] of node;
    startstate begin at := 0; for i: node do seen[i] := false; end; end;
    rule \"pass\" begin at := (at + 1) % 3; cover \"wrap\" at = 0; end;
    ruleset i: node do rule \"see\" at = i & !seen[i] ==> begin seen[i] := true; end; end;
    ruleset i: node do rule \"add\" multisetcount(s: m, true) < 2 ==> begin multisetadd(i, m); end; end;
    choose s: m do rule \"drop\" m[s] = at ==> begin multisetremove(s, m); end; end;
    invariant \"range\" at < 3;
    cover \"all\" forall i: node do seen[i] end;
    cover \"never\" at = 2 & !seen[0] & seen[1] & multisetcount(s: m, true) > 2;
    ruleset i: node do liveness \"token\" at = i; end;
    liveness \"fresh\" !seen[0];";

#[test]
fn counts_are_those_of_the_reference_semantics() {
    let program = program(TOKEN);
    let mut known: BTreeMap<State, ()> = BTreeMap::new();
    let mut waiting: VecDeque<State> = starts(&program).into_iter().filter_map(|start| start.result.ok()).collect();
    let (mut transitions, mut deadlocks) = (0, 0);
    while let Some(state) = waiting.pop_front() {
        if known.insert(state.clone(), ()).is_some() {
            continue;
        }
        let steps = successors(&program, &state);
        deadlocks += u64::from(is_deadlock(&state, &steps, Deadlock::Stuttering));
        for next in steps.into_iter().filter_map(|step| step.result.ok()) {
            transitions += 1;
            waiting.push_back(next);
        }
    }
    for most in [1, 3] {
        let question = Question { threads: Threads { most, from: 2 }, ..whole(&program) };
        let found = report(&program, &question);
        assert_eq!((found.states, found.transitions), (known.len() as u64, transitions), "{most} threads");
        assert_eq!(found.deadlock_states, Some(deadlocks));
    }
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    assert_eq!(graph.states.len(), known.len());
    assert_eq!(graph.targets.iter().map(|targets| targets.len() as u64).sum::<u64>(), transitions);
}

#[test]
fn covers_and_liveness_are_answered_on_the_whole_graph() {
    let expected = [
        ("deadlock", Verdict::Holds),
        ("assertion", Verdict::Holds),
        ("error", Verdict::Holds),
        ("range", Verdict::Holds),
        ("all", Verdict::Holds),
        ("never", Verdict::Violated),
        ("token", Verdict::Holds),
        ("fresh", Verdict::Violated),
        ("wrap", Verdict::Holds),
    ];
    let found = verdicts(TOKEN);
    assert_eq!(found.iter().map(|(name, verdict)| (name.as_str(), *verdict)).collect::<Vec<_>>(), expected);
}

/// Many instances are followed 64 at a time, and the one that is not reached is named.
#[test]
fn every_instance_of_liveness_is_followed() {
    let text = |last: u32| {
        format!(
            "var x: 0 .. 150; startstate begin x := 0; end; rule x < {last} ==> begin x := x + 1; end; rule begin x := 0; end;
             ruleset i: 0 .. 150 do liveness \"back\" x = i; end;"
        )
    };
    assert_eq!(verdicts(&text(150)).last(), Some(&("back".to_owned(), Verdict::Holds)));
    let program = program(&text(149));
    let answer = report(&program, &whole(&program)).answers.pop().expect("an answer");
    assert_eq!(answer.verdict, Verdict::Violated);
    assert!(
        matches!(&answer.finding, Finding::Unreachable { instance, .. } if instance == &["i=150"]),
        "{:?}",
        answer.finding
    );
}

#[test]
fn faults_of_conditions_violate_them() {
    let text = "var x: 0 .. 2; y: 0 .. 2; startstate begin x := 0; end; rule begin x := (x + 1) % 3; end;
        cover \"c\" x = 1 & y = 0; liveness \"l\" x = 1 & y = 0; invariant \"i\" x < 2 | y = 0;";
    let found = verdicts(text);
    for name in ["c", "l", "i"] {
        assert!(found.contains(&(name.to_owned(), Verdict::Violated)), "{name}");
    }
}

/// A cover that is met and that faults elsewhere is violated, whether the state or the instance that meets it comes first or not.
#[test]
fn a_cover_faults_whatever_comes_first() {
    let text = |step: &str, cover: &str| {
        format!(
            "var x: 0 .. 2; y: 0 .. 2; a: array [0 .. 1] of boolean;
             startstate begin x := 1; a[1] := true; end; rule begin x := {step}; end; {cover}"
        )
    };
    for step in ["(x + 1) % 3", "(x + 2) % 3"] {
        for cover in ["cover \"c\" x = 0 | y = 0;", "cover \"c\" x != 2 | y = 0;"] {
            assert_eq!(
                verdicts(&text(step, cover)).last(),
                Some(&("c".to_owned(), Verdict::Violated)),
                "{step} {cover}"
            );
        }
    }
    for i in ["i", "1 - i"] {
        let cover = format!("ruleset i: 0 .. 1 do cover \"c\" a[{i}]; end;");
        assert_eq!(verdicts(&text("x", &cover)).last(), Some(&("c".to_owned(), Verdict::Violated)), "{i}");
    }
    let program = program(&text("(x + 2) % 3", "cover \"c\" x = 1 | y = 0;"));
    let question = Question { limits: Limits { max_states: Some(1), ..Limits::default() }, ..whole(&program) };
    let answer = report(&program, &question).answers.pop().expect("an answer");
    assert_eq!((answer.name.as_str(), answer.verdict), ("c", Verdict::Inconclusive));
}

/// Covers and recovery by compiled conditions are as by the reference interpreter, on random models.
#[test]
fn claims_about_graphs_are_as_the_interpreter_has_them() {
    let count = twins::count(1_000);
    let mut compared = 0;
    for text in twins::random_texts(count) {
        let more =
            "cover \"c\" x = 3 & f; ruleset i: pid do liveness \"l\" a[i].l = L2 | y < 2; end; liveness \"m\" q = L1;
            ruleset i: pid do cover \"d\" a[i].n = x; end;";
        let text = text + more;
        let Some(program) = parse(&text, &Options::default(), &mut Diagnostics::new()).program else { continue };
        let question = Question { limits: Limits { max_states: Some(500), ..Limits::default() }, ..whole(&program) };
        let claims: Vec<Claim> = program.claims().into_iter().filter(|claim| claim.kind.is_of_graph()).collect();
        let answers = |is_compiled: bool| {
            let mut space = space(&program, None, &question);
            assert!(space.code.is_some());
            space.code = space.code.filter(|_| is_compiled);
            let answers = graph_claims::answers(space, Wrong::default(), &claims, &question, &mut ());
            let of = |answer: Answer<Trace>| (answer.name, answer.verdict, answer.finding, answer.trace);
            answers.expect("confirmed").into_iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(answers(true), answers(false), "{text}");
        compared += 1;
    }
    assert!(compared > count / 2);
}

/// Faults of starts and steps are shown; assertions are a check of their own.
#[test]
fn faults_are_replayed() {
    let text = "var x: 0 .. 2; ruleset i: 0 .. 3 do startstate \"s\" begin x := i; end; end;
        rule \"r\" begin assert x != 1 \"no one\"; x := (x + 1) % 3; end;";
    let program = program(text);
    let found = report(&program, &whole(&program));
    let of = |name: &str| found.answers.iter().find(|answer| answer.name == name).expect("an answer");
    let fault = |text: &str, process: &str, step| Finding::Fault { text: text.into(), process: process.into(), step };
    assert_eq!(of("error").finding, fault("the value 3 is outside of `0 .. 2`", "s(i=3)", None));
    assert_eq!(of("assertion").finding, fault("an assertion does not hold: no one", "r", Some(1)));
    assert_eq!(of("assertion").trace.as_ref().map(|trace| trace.steps.len()), Some(1));
}

/// A deadlock is a state all of whose steps stay, unless only states without a step are asked for.
#[test]
fn deadlocks_are_of_two_kinds() {
    let text = "var x: 0 .. 2; startstate begin x := 0; end; rule x < 2 ==> begin x := x + 1; end; rule begin end;";
    let program = program(text);
    for (stuck, verdict) in [(false, Verdict::Violated), (true, Verdict::Holds)] {
        let question = Question { stuck, ..whole(&program) };
        assert_eq!(report(&program, &question).verdict, verdict);
    }
}

#[test]
fn a_limit_is_no_answer() {
    let program = program(TOKEN);
    let limits = [
        Limits { max_states: Some(5), ..Limits::default() },
        Limits { max_depth: Some(2), ..Limits::default() },
        Limits { max_memory: Some(1 << 10), ..Limits::default() },
    ];
    for limits in limits {
        let question = Question { limits, ..whole(&program) };
        let report = report(&program, &question);
        assert_eq!((report.verdict, report.complete), (Verdict::Inconclusive, false), "{limits:?}");
        for answer in &report.answers {
            let is_met = answer.kind == QueryKind::Cover && answer.verdict == Verdict::Holds;
            assert!(is_met || answer.verdict == Verdict::Inconclusive, "{}", answer.name);
        }
    }
    assert!(program.claims().iter().any(|claim| matches!(claim.kind, ClaimKind::Met(_))));
}

/// Known-wrong variants of what is said of the whole graph are caught.
#[test]
fn wrong_judges_of_the_graph_are_caught() {
    let program = program(
        "var x: 0 .. 3; startstate begin x := 0; end; rule x < 3 ==> begin x := x + 1; end; liveness \"l\" x = 0; cover \"c\" x = 3;",
    );
    let verdicts = |wrong: Wrong, most: Option<u64>| {
        let space = Space::new(&program, None, Deadlock::Stuttering, &Limits { max_states: most, ..Limits::default() });
        let question = Question { limits: Limits { max_states: most, ..Limits::default() }, ..whole(&program) };
        let answers = graph_claims::answers(space, wrong, &program.claims(), &question, &mut ()).expect("confirmed");
        answers.into_iter().map(|answer| answer.verdict).collect::<Vec<Verdict>>()
    };
    assert_eq!(verdicts(Wrong::default(), None), [Verdict::Violated, Verdict::Holds]);
    assert_eq!(verdicts(Wrong { spreads_forwards: true, ..Wrong::default() }, None), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(verdicts(Wrong::default(), Some(2)), [Verdict::Inconclusive; 2]);
    assert_eq!(verdicts(Wrong { judges_parts: true, ..Wrong::default() }, Some(2))[1], Verdict::Violated);
}

/// Peterson's idea for scalar sets, in short: who asked last waits for the other.
const TURNS: &str = "type pid: scalarset(3); step: enum { idle, wants, inside }; any: union { pid, enum { none } };
    var at: array [pid] of step; last: any; seen: array [pid] of array [pid] of boolean;
    startstate begin for p: pid do at[p] := idle; for q: pid do seen[p][q] := false; end; end; last := none; end;
    ruleset p: pid do rule \"ask\" at[p] = idle ==> begin at[p] := wants; last := p; end; end;
    ruleset p: pid do rule \"enter\" at[p] = wants & forall q: pid do at[q] != inside end ==> begin at[p] := inside; end; end;
    ruleset p: pid; q: pid do rule \"see\" at[p] = inside & last = q ==> begin seen[p][q] := true; at[p] := idle; end; end;
    invariant \"mutex\" forall p: pid; q: pid do p = q | !(at[p] = inside & at[q] = inside) end;";

fn reports(text: &str) -> [Report<Trace>; 2] {
    let program = program(text);
    let question = whole(&program);
    [false, true].map(|symmetry| {
        let group = ValidatedGroup::of(&program, &question.properties, false);
        let is_used = symmetry && !group.blocks().is_empty();
        let representative = Representative::Auto;
        let quotient = is_used.then_some(Quotient { group: &group, representative, counts_orbits: false });
        check(&program, &question, &Reductions { quotient, ..Reductions::default() }, &mut ()).expect("confirmed")
    })
}

/// The whole group of a program and its properties.
fn of(program: &Program) -> Symmetry {
    let group = ValidatedGroup::of(program, &program.claims(), false);
    Symmetry::new(program, &group, &BTreeSet::new()).expect("symmetric values")
}

/// The quotient has one state per orbit, whose sizes sum to the whole.
#[test]
fn orbits_are_those_of_the_whole_space() {
    let program = program(TURNS);
    let symmetry = of(&program);
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    let orbits: BTreeSet<State> = graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
    let [whole, quotient] = reports(TURNS);
    assert_eq!(whole.states, graph.states.len() as u64);
    assert_eq!(quotient.states, orbits.len() as u64);
    assert!(quotient.states < whole.states && quotient.verdict == whole.verdict);
    assert_eq!(quotient.group.map(|group| group.order), Some("6".to_owned()));
}

/// Signatures choose elements that give one image for each orbit: as many as the least of all images.
#[test]
fn signatures_keep_orbits_apart_and_together() {
    let text = "type pid: scalarset(4); key: scalarset(2); var met: array [pid] of array [pid] of boolean; n: 0 .. 3;
        at: union { pid, key };
        startstate begin for p: pid do for q: pid do met[p][q] := false; end; end; n := 0; end;
        ruleset p: pid; q: pid do rule n < 3 & !met[p][q] & (p = q | !met[q][p]) ==> begin met[p][q] := true; n := n + 1; end; end;
        ruleset p: pid do rule n > 1 & !met[p][p] ==> begin at := p; end; end;
        ruleset k: key do rule n > 1 ==> begin at := k; end; end;";
    let program = program(text);
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    let chosen = |by_signatures: bool, wrong: symmetry::Wrong| {
        let mut symmetry = of(&program);
        symmetry.choose(by_signatures);
        symmetry.wrong = wrong;
        symmetry
    };
    let images = |symmetry: &Symmetry| -> Vec<State> {
        graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect()
    };
    let (all, some) = (chosen(false, symmetry::Wrong::default()), chosen(true, symmetry::Wrong::default()));
    let expected = images(&all);
    let pairs = |found: &[State]| expected.iter().cloned().zip(found.iter().cloned()).collect::<BTreeSet<_>>();
    let orbits = expected.iter().collect::<BTreeSet<_>>().len();
    let found = images(&some);
    assert_eq!((pairs(&found).len(), found.iter().collect::<BTreeSet<_>>().len()), (orbits, orbits));
    assert!(orbits * 20 < graph.states.len());
    // An image is one of the state.
    for (image, least) in found.iter().zip(&expected) {
        assert_eq!(all.least_state(&program, image), *least);
        assert_eq!(some.least_state(&program, image), *image);
    }
    let wrong = images(&chosen(true, symmetry::Wrong { ignores_ties: true, ..Default::default() }));
    assert!(pairs(&wrong).len() > orbits, "a wrong choice is caught");
}

/// Counterexamples of the quotient are runs of the model.
#[test]
fn counterexamples_of_the_quotient_are_replayed() {
    let rest = "rule \"bad\" exists p: pid do exists q: pid do p != q & at[p] = wants & seen[q][p] end end
        ==> begin assert false \"met\"; end;
        invariant \"few\" !forall p: pid do at[p] = wants end;";
    let [whole, quotient] = reports(&format!("{TURNS}{rest}"));
    assert!(quotient.group.is_some());
    let found = |report: &Report<Trace>| {
        let answers = report.answers.iter();
        let violated = answers.filter(|answer| answer.verdict == Verdict::Violated);
        violated
            .map(|answer| (answer.name.clone(), answer.trace.as_ref().map(|trace| trace.steps.len())))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&whole), found(&quotient));
    assert_eq!(found(&whole).len(), 2);
}

/// Where the text or the order of members tells them apart, a declaration is not used.
/// One value at a time is in use: two are enough, with the quotient and without, on any number of threads.
#[test]
fn values_in_use_are_counted() {
    let text = |values: usize, guard: &str| {
        format!(
            "type value: 1 .. {values}; var mem: value; cache: array [1 .. 2] of value; ok: array [1 .. 2] of boolean;
            ruleset v: value do startstate mem := v; for i: 1 .. 2 do ok[i] := false; end; end; end;
            ruleset i: 1 .. 2 do
              rule \"read\" !ok[i] ==> begin cache[i] := mem; ok[i] := true; end;
              rule \"drop\" ok[i] ==> begin ok[i] := false; undefine cache[i]; end;
              ruleset v: value do rule \"write\" ok[i] & !ok[3 - i] & ({guard}) ==> begin cache[i] := v; mem := v; end; end;
            end;
            invariant \"coherent\" forall i: 1 .. 2 do ok[i] -> cache[i] = mem end;"
        )
    };
    let of = |text: &str| {
        let program = program(text);
        let group = ValidatedGroup::of(&program, &program.claims(), false);
        let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
        let mut found = Vec::new();
        for quotient in [None, Some(quotient)] {
            let reductions = Reductions { quotient, ..Reductions::default() };
            for most in [1, 3] {
                let question = Question { threads: Threads { most, from: 2 }, ..whole(&program) };
                let report = check(&program, &question, &reductions, &mut ()).expect("confirmed");
                found.push(report.data.iter().map(|data| (data.used, data.needed, data.enough())).collect::<Vec<_>>());
            }
        }
        found
    };
    assert_eq!(of(&text(4, "v != mem")), vec![vec![(1, 1, Some(2))]; 4]);
    // Values that are ordered are no data.
    assert_eq!(of(&text(4, "v < mem")), vec![Vec::new(); 4]);
    let quantified = of(&text(4, "exists w: value do w != v & w != mem end"));
    assert_eq!(quantified[2..], vec![vec![(1, 2, Some(3))]; 2]);
}

#[test]
fn declarations_that_do_not_hold_are_not_used() {
    let head = "type pid: scalarset(2); var x: array [pid] of 0 .. 3; y: array [pid] of 0 .. 3; o: pid; n: 0 .. 3;
        startstate begin for p: pid do x[p] := 0; end; n := 0; end;
        ruleset p: pid do rule \"up\" x[p] < 3 ==> begin x[p] := x[p] + 1; end; end;
        invariant \"tied\" isundefined(o) | x[o] <= 3;\n";
    for broken in [
        "rule begin for p: pid do o := p; end; end;",
        "rule begin for p: pid do x[p] := n; n := 3; end; end;",
        "rule n < 1 ==> begin for p: pid do n := x[p]; end; end;",
        "rule begin clear o; end;",
        "rule begin for p: pid do if x[p] = 2 then return; end; y[p] := 1; end; end;",
        "ruleset p: pid do rule begin y[p] := 1; end; end; rule exists p: pid do x[p] = 1 | y[p] = 0 end ==> begin n := 0; end;",
        "function f(): boolean; begin for p: pid do if x[p] = 1 then return true; end; end; return false; end;
         rule f() ==> begin n := 0; end;",
    ] {
        let [whole, quotient] = reports(&format!("{head}{broken}"));
        assert!(quotient.group.is_none(), "{broken}");
        assert_eq!((whole.states, whole.verdict), (quotient.states, quotient.verdict), "{broken}");
    }
    for sound in [
        "rule begin for p: pid do y[p] := x[p]; end; end;",
        "rule n < 3 ==> begin for p: pid do if x[p] = 2 then y[p] := n; end; end; n := n + 1; end;",
        "rule forall p: pid do x[p] > 1 end ==> begin for p: pid do undefine x[p]; x[p] := 0; end; end;",
    ] {
        let [whole, quotient] = reports(&format!("{head}{sound}"));
        assert!(quotient.group.is_some() && quotient.states < whole.states, "{sound}");
        assert_eq!(whole.verdict, quotient.verdict, "{sound}");
    }
}

/// Counts far before the order of a loop shows, so that a trial does not see it.
const LATE: &str =
    "type pid: scalarset(2); var x: array [pid] of boolean; o: pid; n: 0 .. 40; y: array [pid] of boolean;
    startstate begin for p: pid do x[p] := false; end; for p: pid do y[p] := false; end; n := 0; end;
    ruleset p: pid do rule !exists q: pid do x[q] end ==> begin x[p] := true; end; end;
    rule n < 40 ==> begin n := n + 1; end;
    ruleset p: pid do rule begin y[p] := !y[p]; end; end;
    rule n = 40 & exists q: pid do x[q] end ==> begin for p: pid do o := p; end; end;
    invariant \"same\" isundefined(o) | x[o];";

/// A quotient in which the order of members shows would miss a state.
#[test]
fn a_quotient_that_ignores_the_order_is_caught() {
    let program = program(LATE);
    let question = Question { deadlock: false, ..whole(&program) };
    let verdict = |wrong: symmetry::Wrong| {
        let mut symmetry = of(&program);
        symmetry.wrong = wrong;
        let symmetry = Arc::new(symmetry);
        let space = space(&program, Some(symmetry.clone()), &question);
        let report = reached(space, &question, symmetry.plan(), &mut ());
        (!symmetry.is_broken()).then(|| report.expect("confirmed").verdict)
    };
    assert_eq!(verdict(symmetry::Wrong { ignores_order: true, ..Default::default() }), Some(Verdict::Holds));
    assert_eq!(verdict(symmetry::Wrong::default()), None);
    assert!(reports(LATE).iter().all(|report| report.verdict == Verdict::Violated));
}

/// The values whose order shows in a search are left out, and the others stay.
#[test]
fn a_search_goes_on_without_the_values_whose_order_shows() {
    let [whole, quotient] = reports(LATE);
    // Nothing ties the indices of `y` to those of `x`.
    assert_eq!(quotient.group.map(|group| group.order), Some("2".to_owned()));
    assert!(quotient.states < whole.states);
}

/// Slots of multisets are sorted again in every image.
#[test]
fn multisets_are_sorted_in_images() {
    let text = "type pid: 1 .. 3; var net: multiset [3] of record dest: pid; end; at: array [pid] of boolean;
        startstate begin for p: pid do at[p] := false; end; end;
        ruleset p: pid do rule multisetcount(m: net, true) < 3 ==>
          var r: record dest: pid; end; begin r.dest := p; multisetadd(r, net); end; end;
        choose m: net do rule begin at[net[m].dest] := true; multisetremove(m, net); end; end;
        rule forall p: pid do at[p] end ==> begin for p: pid do at[p] := false; end; end;
        cover \"all\" forall p: pid do at[p] end; liveness \"again\" multisetcount(m: net, true) = 3;";
    let [whole, quotient] = reports(text);
    let program = program(text);
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    let orbits = |wrong: symmetry::Wrong| {
        let mut symmetry = of(&program);
        symmetry.wrong = wrong;
        let orbits: BTreeSet<State> = graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
        orbits.len() as u64
    };
    assert_eq!(whole.states, graph.states.len() as u64);
    assert_eq!(quotient.states, orbits(symmetry::Wrong::default()));
    assert_ne!(quotient.states, orbits(symmetry::Wrong { leaves_slots: true, ..Default::default() }));
    let verdicts = |report: &Report<Trace>| report.answers.iter().map(|answer| answer.verdict).collect::<Vec<_>>();
    assert_eq!(verdicts(&whole), verdicts(&quotient));
    assert_eq!(quotient.group.map(|group| group.order), Some("6".to_owned()));
}

/// On random models, declared or not, the quotient has the verdicts of the model and one state per orbit.
#[test]
fn quotients_of_random_models_have_their_verdicts() {
    let count = twins::count(200);
    let mut reduced = 0;
    for text in twins::random_texts(count) {
        for text in [text.clone(), text.replace("pid: scalarset(3)", "pid: enum { p1, p2, p3 }")] {
            let Some(program) = parse(&text, &Options::default(), &mut Diagnostics::new()).program else { continue };
            let limits = Limits { max_states: Some(2_000), ..Limits::default() };
            let Ok(graph) = explore_graph(&program, &limits) else { continue };
            let group = ValidatedGroup::of(&program, &program.claims(), false);
            let Some(symmetry) = Symmetry::new(&program, &group, &BTreeSet::new()) else { continue };
            let [whole, quotient] = reports(&text);
            let verdicts = |report: &Report<Trace>| {
                report.answers.iter().map(|one| (one.name.clone(), one.verdict)).collect::<Vec<_>>()
            };
            assert_eq!(verdicts(&whole), verdicts(&quotient), "{text}");
            assert_eq!(whole.states, graph.states.len() as u64, "{text}");
            let is_used = quotient.group.as_ref().is_some_and(|used| used.order == group.order().to_string());
            if is_used {
                let orbits: BTreeSet<State> =
                    graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
                assert_eq!(quotient.states, orbits.len() as u64, "{text}");
                reduced += usize::from(quotient.states < whole.states);
            }
        }
    }
    assert!(reduced > 0, "no model of {count} is symmetric");
}

/// Twin clusters: the quotient has one state per orbit under permutations of values and the exchange of names, counted by their generators.
#[test]
fn orbits_under_exchanges_of_names_are_those_of_the_whole_space() {
    let text = include_str!("../../../fixtures/murphi/symmetry/twins.m");
    let program = program(text);
    let symmetry = of(&program);
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    let orbits: BTreeSet<State> = graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
    let sizes: usize = orbits.iter().map(|state| symmetry.orbit_size(&program, state)).sum();
    let [whole, quotient] = reports(text);
    assert_eq!((whole.states, sizes), (graph.states.len() as u64, graph.states.len()));
    assert_eq!((quotient.states, quotient.verdict), (orbits.len() as u64, whole.verdict));
    assert_eq!(quotient.group.map(|group| group.order), Some("72".to_owned()));
    let group = ValidatedGroup::of(&program, &program.claims(), false);
    let [exchange] = group.exchanges() else { panic!("one exchange") };
    let moved = exchange.cells(&program).expect("it fits");
    assert!(graph.states.iter().all(|state| {
        symmetry.least_state(&program, &exchange.image(&moved, state)) == symmetry.least_state(&program, state)
    }));
}

/// Rings of places with tokens that are alike: the quotient has one state per orbit under rotations and exchanges of tokens.
#[test]
fn orbits_under_rotations_are_those_of_the_whole_space() {
    let text = "type place: 0 .. 3; token: 1 .. 3; var at: array [token] of place; full: array [place] of boolean;
        ruleset p: place do startstate begin for t: token do at[t] := p; end; for q: place do full[q] := false; end; end; end;
        ruleset t: token do rule !full[(at[t] + 1) % 4] ==> begin at[t] := (at[t] + 1) % 4; full[at[t]] := true; end; end;
        ruleset p: place do rule full[p] & !full[(p + 3) % 4] ==> begin full[p] := false; end; end;
        invariant \"some\" exists p: place do !full[p] end;";
    let program = program(text);
    let group = ValidatedGroup::of(&program, &program.claims(), false);
    assert_eq!(group.structure(), "S3 x C4");
    let symmetry = of(&program);
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    let orbits: BTreeSet<State> = graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
    let sizes: usize = orbits.iter().map(|state| symmetry.orbit_size(&program, state)).sum();
    let [whole, quotient] = reports(text);
    assert_eq!((whole.states, sizes), (graph.states.len() as u64, graph.states.len()));
    assert_eq!((quotient.states, quotient.verdict), (orbits.len() as u64, whole.verdict));
    assert_eq!(quotient.group.map(|group| group.order), Some("24".to_owned()));
    // The cells are those of `at`, and then those of `full`.
    let rotated = |state: &State| -> State {
        let next = |place: i32| if place == 3 { 0 } else { place + 1 };
        let at = state[..3].iter().map(|place| place.map(next));
        at.chain([state[6], state[3], state[4], state[5]]).collect()
    };
    let known: BTreeSet<&State> = graph.states.iter().collect();
    for state in &graph.states {
        assert!(known.contains(&rotated(state)));
        assert_eq!(symmetry.least_state(&program, &rotated(state)), symmetry.least_state(&program, state));
    }
    let exchanged = |state: &State| -> State {
        // Places 0 and 1 are neighbours in another order: no symmetry.
        let other = |place: i32| if place < 2 { 1 - place } else { place };
        let at = state[..3].iter().map(|place| place.map(other));
        at.chain([state[4], state[3], state[5], state[6]]).collect()
    };
    let is_kept =
        |state: &State| symmetry.least_state(&program, &exchanged(state)) == symmetry.least_state(&program, state);
    assert!(!graph.states.iter().all(is_kept), "places are not exchanged");
}

/// Two equal rings: rotations of each, and the exchange of both.
#[test]
fn equal_rings_change_places() {
    let ring = |name: &str| {
        format!(
            "ruleset p: {name}_place do rule \"take\" !{name}[p] & !{name}[(p + 1) % 3] & !busy ==>
               begin {name}[p] := true; busy := true; end; end;
             ruleset p: {name}_place do rule \"give\" {name}[p] ==> begin {name}[p] := false; {name}[(p + 1) % 3] := true; busy := false;
               end; end; "
        )
    };
    let text = format!(
        "type l_place: 0 .. 2; r_place: 0 .. 2; var l: array [l_place] of boolean; r: array [r_place] of boolean; busy: boolean;
        startstate begin for p: l_place do l[p] := false; end; for p: r_place do r[p] := false; end; busy := false; end; {}{}",
        ring("l"),
        ring("r")
    );
    let program = program(&text);
    let group = ValidatedGroup::of(&program, &program.claims(), false);
    assert_eq!(group.order().to_string(), "18");
    let symmetry = of(&program);
    let graph = explore_graph(&program, &Limits::default()).expect("complete");
    let orbits: BTreeSet<State> = graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
    let sizes: usize = orbits.iter().map(|state| symmetry.orbit_size(&program, state)).sum();
    let [whole, quotient] = reports(&text);
    assert_eq!((whole.states, sizes), (graph.states.len() as u64, graph.states.len()));
    assert_eq!((quotient.states, quotient.verdict), (orbits.len() as u64, whole.verdict));
}
