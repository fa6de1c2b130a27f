//! Quotients by values that are exchanged: orbits and verdicts against plain searches, and known-wrong variants.

use explore::reductions::Outcome;

use super::super::packing::Packing;
use super::*;

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
        let is_used = symmetry && !(group.blocks().is_empty() && group.exchanges().is_empty());
        let representative = Representative::Auto;
        let quotient = is_used.then_some(Quotient { group: &group, representative, counts_orbits: false });
        check(&program, &question, &Reductions { quotient, ..Reductions::default() }, &mut ()).expect("confirmed")
    })
}

/// The whole group of a program and its properties.
fn of(program: &Program) -> Symmetry {
    wrong_of(program, symmetry::Wrong::default())
}

/// The same, or a known-wrong variant.
fn wrong_of(program: &Program, wrong: symmetry::Wrong) -> Symmetry {
    let group = ValidatedGroup::of(program, &program.claims(), false);
    Symmetry::with(program, &group, &BTreeSet::new(), Representative::Auto, wrong).expect("symmetric values")
}

/// The representatives of states, as searches store them.
fn stored_for(program: &Program, symmetry: &Symmetry, states: &[State]) -> Vec<State> {
    let (packing, mut representatives) = (Packing::new(program), symmetry.representatives());
    let stored = |state: &State| {
        let mut words = packing.packed(state);
        representatives.replace(None, &mut words).expect("there is room");
        packing.unpack(&words)
    };
    states.iter().map(stored).collect()
}

/// The least of the images of a state under all elements, found by its generators: the slow twin of all methods; and the number of images.
fn least_image(program: &Program, symmetry: &Symmetry, state: &State) -> (State, usize) {
    let packing = Packing::new(program);
    let mut images = BTreeSet::from([state.clone()]);
    let mut open = vec![state.clone()];
    while let Some(next) = open.pop() {
        for generator in symmetry.generators() {
            let image = symmetry.image_of(program, &packing, generator, &next);
            if images.insert(image.clone()) {
                open.push(image);
            }
        }
    }
    (images.first().cloned().expect("the state itself"), images.len())
}

/// The quotient has one state per orbit, whose sizes sum to the whole.
#[test]
fn orbits_are_those_of_the_whole_space() {
    let program = program(TURNS);
    let symmetry = of(&program);
    let graph = explore_graph(&program, &Limits::default());
    let orbits: BTreeSet<State> = stored_for(&program, &symmetry, &graph.states).into_iter().collect();
    let [whole, quotient] = reports(TURNS);
    assert_eq!(whole.states, graph.states.len() as u64);
    assert_eq!(quotient.states, orbits.len() as u64);
    assert!(quotient.states < whole.states && quotient.verdict == whole.verdict);
    assert_eq!(quotient.group.map(|group| group.order), Some("6".to_owned()));
}

/// All rounds of a watched quantifier are evaluated, and a cover behind the one that decides is met in no order.
#[test]
fn covers_behind_the_deciding_round_are_not_met() {
    for more in ["", "m: multiset [2] of id;"] {
        let text = format!(
            "type id: scalarset(3); var n: 0 .. 72; x: array [id] of 0 .. 3; {more}
            function f(i: id; j: id): boolean; begin cover \"both\" n = 71 & x[i] = 2 & x[j] = 3; return i = j; end;
            startstate begin n := 0; for i: id do x[i] := 0; end; end; rule n < 70 ==> begin n := n + 1; end;
            ruleset i: id; j: id do rule n = 70 & i != j ==> begin n := 71; x[i] := 2; x[j] := 3; end; end;
            rule n = 71 ==> begin if exists i: id do exists j: id do f(i, j) end end then n := 72; end; end;"
        );
        let of = |report: &Report<Trace>| {
            report.answers.iter().find(|answer| answer.name == "both").map(|answer| answer.verdict)
        };
        let [whole, quotient] = reports(&text);
        assert_eq!([of(&whole), of(&quotient)], [Some(Verdict::Violated); 2], "{more}");
        // Where it does not count that the order shows, the cover is met.
        let program = program(&text);
        let mut symmetry = self::of(&program);
        symmetry.wrong = symmetry::Wrong { ignores_order: true, ..Default::default() };
        let symmetry = Arc::new(symmetry);
        let space = space(&program, Some(symmetry.clone()), &self::whole(&program));
        let found = graph_claims::answers(space, Wrong::default(), &program.claims(), &self::whole(&program), &mut ());
        let of = |answers: &[Answer<Trace>]| answers.iter().find(|one| one.name == "both").map(|one| one.verdict);
        assert_eq!(of(&found.expect("confirmed")), Some(Verdict::Holds), "{more}");
    }
}

/// Representatives are images of their states, one for each orbit, whose size is that of all images, on random models and with multisets.
#[test]
fn representatives_keep_orbits_apart_and_together() {
    let met = "type pid: scalarset(4); key: scalarset(2); var met: array [pid] of array [pid] of boolean; n: 0 .. 3;
        at: union { pid, key };
        startstate begin for p: pid do for q: pid do met[p][q] := false; end; end; n := 0; end;
        ruleset p: pid; q: pid do rule n < 3 & !met[p][q] & (p = q | !met[q][p]) ==> begin met[p][q] := true; n := n + 1; end; end;
        ruleset p: pid do rule n > 1 & !met[p][p] ==> begin at := p; end; end;
        ruleset k: key do rule n > 1 ==> begin at := k; end; end;";
    let (mut compared, mut orbits) = (0, 0);
    let texts = twins::random_texts(twins::count(60)).into_iter();
    for text in texts.chain([met.to_owned(), NET.to_owned(), TURNS.to_owned(), CLUSTERS.to_owned()]) {
        let Some(program) = parse(&text, &Options::default(), &mut Diagnostics::new()).program else { continue };
        let graph = explore_graph(&program, &Limits { max_states: Some(5_000), ..Limits::default() });
        let group = ValidatedGroup::of(&program, &program.claims(), false);
        let Some(symmetry) = Symmetry::new(&program, &group, &BTreeSet::new(), Representative::Auto) else { continue };
        let some: Vec<State> = graph.states.iter().step_by(1 + graph.states.len() / 300).cloned().collect();
        let least: Vec<_> = some.iter().map(|state| least_image(&program, &symmetry, state)).collect();
        let stored = stored_for(&program, &symmetry, &some);
        let least_of_stored: Vec<_> = stored.iter().map(|state| least_image(&program, &symmetry, state)).collect();
        assert_eq!(least, least_of_stored, "a representative is an image of its state\n{text}");
        let pairs: BTreeSet<_> = stored.iter().zip(&least).collect();
        let own = least.iter().collect::<BTreeSet<_>>().len();
        assert_eq!(pairs.len(), own, "an orbit has one representative\n{text}");
        let (packing, mut representatives) = (Packing::new(&program), symmetry.representatives());
        for (state, (_, size)) in some.iter().zip(&least) {
            let counted = representatives.orbit_size(&mut packing.packed(state)).expect("there is room");
            assert_eq!(counted, (*size).into(), "{text}");
        }
        compared += some.len();
        orbits += own;
    }
    assert!(compared > 1_000 && 3 * orbits < 2 * compared, "{compared} {orbits}");
}

/// Members that point to each other, with a violation behind states that a local search takes for several.
const POINTERS: &str = "type pid: scalarset(4); var k: array [pid] of 0 .. 2; r: array [pid] of pid;
    startstate begin for p: pid do k[p] := 0; r[p] := p; end; end;
    ruleset p: pid; q: pid do rule p != q ==> begin r[p] := r[q]; k[q] := 1; end; end;
    invariant \"few\" !forall p: pid do k[p] = 1 end;";

/// The methods of the papers have the verdicts of the model, and the one that tries all elements has one state per orbit. Whichever image of a
/// state is stored, the counterexamples are runs of the model.
#[test]
fn methods_keep_the_verdicts() {
    for text in [TURNS, NET, CLUSTERS, POINTERS] {
        let program = program(text);
        let [plain, auto] = reports(text);
        let group = ValidatedGroup::of(&program, &program.claims(), false);
        let of = |representative| {
            let quotient = Some(Quotient { group: &group, representative, counts_orbits: false });
            let reductions = Reductions { quotient, partial_order: true, ..Reductions::default() };
            check(&program, &whole(&program), &reductions, &mut ()).expect("confirmed")
        };
        use Representative::{Enumerate, LocalSearch, OnTheFly, Several};
        for method in [Enumerate, LocalSearch, Several, OnTheFly] {
            let report = of(method);
            assert_eq!(report.verdict, plain.verdict, "{method:?}");
            assert_eq!(report.group.is_none(), method == OnTheFly);
            let has_refused = |refusal: &Refusal| {
                report.reductions.iter().any(|one| matches!(&one.outcome, Outcome::Refused(own) if own == refusal))
            };
            assert_eq!(has_refused(&Refusal::NoKnownRebecs), method == OnTheFly);
            if method == Enumerate {
                assert!(report.states <= auto.states, "partial order leaves states out");
                assert!(report.group.is_some_and(|group| group.exact));
            }
        }
    }
}

/// Groups of any order are used whole.
#[test]
fn large_groups_are_used_whole() {
    let text = "type pid: scalarset(12); var at: array [pid] of 0 .. 1; last: pid; met: array [pid] of pid; n: 0 .. 3;
        startstate begin for p: pid do at[p] := 0; end; n := 0; end;
        ruleset p: pid; q: pid do rule n < 3 & at[p] = 0 ==> begin at[p] := 1; met[p] := q; last := q; n := n + 1; end; end;";
    let program = program(text);
    let group = ValidatedGroup::of(&program, &program.claims(), false);
    let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: true };
    let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
    let report = check(&program, &whole(&program), &reductions, &mut ()).expect("confirmed");
    let used = report.group.expect("a quotient");
    assert_eq!((used.order.as_str(), used.exact), ("229442532802560000", true));
    let states = explore_graph(&program, &Limits::default()).states.len();
    assert_eq!(used.orbits.map(|orbits| orbits.sum.to_string()), Some(states.to_string()));
    assert!(report.states < 40, "{}", report.states);
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
    rule n = 40 & isundefined(o) & exists q: pid do x[q] end ==> begin for p: pid do o := p; end; end;
    invariant \"same\" isundefined(o) | x[o];";

/// A quotient in which the order of members shows would miss a state.
#[test]
fn a_quotient_that_ignores_the_order_is_caught() {
    let all = [
        " y: array [pid] of boolean;",
        " for p: pid do y[p] := false; end;",
        "ruleset p: pid do rule begin y[p] := !y[p]; end; end;",
    ];
    let late = all.iter().fold(LATE.to_owned(), |text, part| text.replace(part, ""));
    // Some run ends with `x` at the last value of the loop and some does not: the representative before the loop has one of them.
    let other = late.replace("isundefined(o) | x[o]", "isundefined(o) | !x[o]");
    let verdict = |text: &str, wrong: symmetry::Wrong| {
        let program = program(text);
        let question = Question { deadlock: false, ..whole(&program) };
        let mut symmetry = of(&program);
        symmetry.wrong = wrong;
        let symmetry = Arc::new(symmetry);
        let space = space(&program, Some(symmetry.clone()), &question);
        let report = reached(space, &question, symmetry.plan(), &mut ());
        if symmetry.is_broken() { None } else { report.ok().map(|report| report.verdict) }
    };
    let ignores_order = || symmetry::Wrong { ignores_order: true, ..Default::default() };
    let wrong = [&late, &other].map(|text| verdict(text, ignores_order()));
    assert!(wrong.contains(&Some(Verdict::Holds)), "{wrong:?}");
    for text in [&late, &other] {
        assert_eq!(verdict(text, symmetry::Wrong::default()), None);
        assert!(reports(text).iter().all(|report| report.verdict == Verdict::Violated));
    }
}

/// The values whose order shows in a search are left out, and the others stay.
#[test]
fn a_search_goes_on_without_the_values_whose_order_shows() {
    let [whole, quotient] = reports(LATE);
    // Nothing ties the indices of `y` to those of `x`.
    assert_eq!(quotient.group.map(|group| group.order), Some("2".to_owned()));
    assert!(quotient.states < whole.states);
}

/// Messages without an order.
const NET: &str = "type pid: 1 .. 3; var net: multiset [3] of record dest: pid; end; at: array [pid] of boolean;
    startstate begin for p: pid do at[p] := false; end; end;
    ruleset p: pid do rule multisetcount(m: net, true) < 3 ==>
      var r: record dest: pid; end; begin r.dest := p; multisetadd(r, net); end; end;
    choose m: net do rule begin at[net[m].dest] := true; multisetremove(m, net); end; end;
    rule forall p: pid do at[p] end ==> begin for p: pid do at[p] := false; end; end;
    cover \"all\" forall p: pid do at[p] end; liveness \"again\" multisetcount(m: net, true) = 3;";

/// Two equal clusters of three caches.
const CLUSTERS: &str = include_str!("../../../../fixtures/murphi/symmetry/twins.m");

/// Slots of multisets are sorted again in every image.
#[test]
fn multisets_are_sorted_in_images() {
    let [whole, quotient] = reports(NET);
    let program = program(NET);
    let graph = explore_graph(&program, &Limits::default());
    let orbits = |wrong: symmetry::Wrong| {
        let stored = stored_for(&program, &wrong_of(&program, wrong), &graph.states);
        stored.into_iter().collect::<BTreeSet<State>>().len() as u64
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
            let graph = explore_graph(&program, &limits);
            if !graph.complete {
                continue;
            }
            let group = ValidatedGroup::of(&program, &program.claims(), false);
            let Some(symmetry) = Symmetry::new(&program, &group, &BTreeSet::new(), Representative::Auto) else {
                continue;
            };
            let [whole, quotient] = reports(&text);
            let verdicts = |report: &Report<Trace>| {
                report.answers.iter().map(|one| (one.name.clone(), one.verdict)).collect::<Vec<_>>()
            };
            assert_eq!(verdicts(&whole), verdicts(&quotient), "{text}");
            assert_eq!(whole.states, graph.states.len() as u64, "{text}");
            let is_used = quotient.group.as_ref().is_some_and(|used| used.order == group.order().to_string());
            if is_used {
                let orbits: BTreeSet<State> = stored_for(&program, &symmetry, &graph.states).into_iter().collect();
                assert_eq!(quotient.states, orbits.len() as u64, "{text}");
                reduced += usize::from(quotient.states < whole.states);
            }
        }
    }
    assert!(reduced > 0, "no model of {count} is symmetric");
}

/// The states of a model, whose quotient by a group of this order has one for each orbit, of the sizes that add up, and the same verdict.
fn states_of_orbits(text: &str, program: &Program, symmetry: &Symmetry, order: &str) -> Vec<State> {
    let states = explore_graph(program, &Limits::default()).states;
    let orbits: BTreeSet<State> = stored_for(program, symmetry, &states).into_iter().collect();
    let sizes: usize = orbits.iter().map(|state| least_image(program, symmetry, state).1).sum();
    let [whole, quotient] = reports(text);
    assert_eq!((whole.states, sizes), (states.len() as u64, states.len()));
    assert_eq!((quotient.states, quotient.verdict), (orbits.len() as u64, whole.verdict));
    assert_eq!(quotient.group.map(|group| group.order).as_deref(), Some(order));
    states
}

/// Twin clusters: the quotient has one state per orbit under permutations of values and the exchange of names, counted by their generators.
#[test]
fn orbits_under_exchanges_of_names_are_those_of_the_whole_space() {
    let text = CLUSTERS;
    let program = program(text);
    let symmetry = of(&program);
    let states = states_of_orbits(text, &program, &symmetry, "72");
    let group = ValidatedGroup::of(&program, &program.claims(), false);
    let [exchange] = group.exchanges() else { panic!("one exchange") };
    let moved = exchange.cells(&program).expect("it fits");
    let images: Vec<State> = states.iter().map(|state| exchange.image(&moved, state)).collect();
    assert_eq!(stored_for(&program, &symmetry, &images), stored_for(&program, &symmetry, &states));
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
    let states = states_of_orbits(text, &program, &symmetry, "24");
    // The cells are those of `at`, and then those of `full`.
    let rotated = |state: &State| -> State {
        let next = |place: i32| if place == 3 { 0 } else { place + 1 };
        let at = state[..3].iter().map(|place| place.map(next));
        at.chain([state[6], state[3], state[4], state[5]]).collect()
    };
    let known: BTreeSet<&State> = states.iter().collect();
    let images: Vec<State> = states.iter().map(rotated).collect();
    assert!(images.iter().all(|image| known.contains(image)));
    assert_eq!(stored_for(&program, &symmetry, &images), stored_for(&program, &symmetry, &states));
    let exchanged = |state: &State| -> State {
        // Places 0 and 1 are neighbours in another order: no symmetry.
        let other = |place: i32| if place < 2 { 1 - place } else { place };
        let at = state[..3].iter().map(|place| place.map(other));
        at.chain([state[4], state[3], state[5], state[6]]).collect()
    };
    let images: Vec<State> = states.iter().map(exchanged).collect();
    let is_kept = stored_for(&program, &symmetry, &images) == stored_for(&program, &symmetry, &states);
    assert!(!is_kept, "places are not exchanged");
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
    states_of_orbits(&text, &program, &symmetry, "18");
}

/// In a representative the rule of another cluster may fault than in the state of the run.
#[test]
fn faults_of_random_twin_clusters_are_replayed() {
    let guards = ["$ < 2", "$ = 2 & # = 1", "$ = #", "x$ = 1 | # = 2", "isundefined(u$)", "x$ = 0"];
    let bodies = [
        "$ := $ + 1;",
        "$ := 0;",
        "x$ := x$ + 1;",
        "x$ := 1 - x$;",
        "undefine u$;",
        "u$ := #;",
        "assert x# = 0;",
        "if u$ > 0 then $ := 0; end;",
    ];
    let (mut violated, mut used) = (0, 0);
    for seed in 0..400 {
        let mut random = engine::RandomSource::new(seed);
        let mut rules = String::new();
        for _ in 0..2 + random.below(4) {
            let (guard, body) = (guards[random.below(guards.len())], bodies[random.below(bodies.len())]);
            for (own, other) in [("a", "b"), ("b", "a")] {
                let rule = format!("rule {guard} ==> begin {body} end;\n");
                rules.push_str(&rule.replace('$', own).replace('#', other));
            }
        }
        let text = format!(
            "var a: 0 .. 2; b: 0 .. 2; xa: 0 .. 1; xb: 0 .. 1; ua: 0 .. 2; ub: 0 .. 2;
            startstate begin a := 0; b := 0; xa := 0; xb := 0; end;\n{rules}"
        );
        let [whole, quotient] = reports(&text);
        let found = |report: &Report<Trace>| {
            let one = |answer: &Answer<Trace>| {
                (answer.name.clone(), answer.verdict, answer.trace.as_ref().map(|trace| trace.steps.len()))
            };
            report.answers.iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(found(&whole), found(&quotient), "seed {seed}\n{text}");
        used += usize::from(quotient.group.is_some());
        violated += usize::from(quotient.group.is_some() && quotient.verdict == Verdict::Violated);
    }
    assert!(used > 100 && violated > 100, "{used} {violated}");
}
