//! Exchanges of names: which are found, and known-wrong proofs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use frontend::murphi::interpret::{FaultKind, State, starts, successors};
use frontend::murphi::program::Program;

use super::super::exchange::{Exchange, Wrong, contradiction, propose, proves};
use super::super::order::Order;
use super::super::{Finding, Reason, why};
use super::{group, program};

/// Two clusters of caches take turns on a bus.
const TWINS: &str = include_str!("../../../../fixtures/murphi/symmetry/twins.m");

#[test]
fn twin_clusters_change_places() {
    let group = group(TWINS);
    assert_eq!((group.order().to_string(), group.structure()), ("72".to_owned(), "S3 wr S2".to_owned()));
    let program = program(TWINS);
    let cycles = group.cycles_of_exchanges(&program);
    let names: BTreeSet<&str> = cycles[0].iter().flatten().map(String::as_str).collect();
    assert!(["left", "right", "bus"].map(|name| names.contains(name)) == [true, true, false], "{cycles:?}");
}

/// A permutation is asked for as groups are printed, with variables and members by name.
#[test]
fn exchanges_of_names_are_asked_for() {
    let (program, group) = (program(TWINS), group(TWINS));
    let ask = |cycles: &[Vec<String>]| why(&program, &program.claims(), &group, cycles);
    let printed = group.cycles_of_exchanges(&program).remove(0);
    assert!(matches!(ask(&printed), Ok(Finding::Symmetry)));
    let named =
        |cycles: &[[&str; 2]]| ask(&cycles.iter().map(|cycle| cycle.map(str::to_owned).to_vec()).collect::<Vec<_>>());
    let whole = [
        ["left_line", "right_line"],
        ["left_owner", "right_owner"],
        ["empty", "vacant"],
        ["waits", "asks"],
        ["valid", "filled"],
        ["left", "right"],
    ];
    assert!(matches!(named(&whole), Ok(Finding::Symmetry)), "{:?}", named(&whole));
    let broken = |cycles: &[[&str; 2]]| {
        let Ok(Finding::Broken(places)) = named(cycles) else { panic!("{:?}", named(cycles)) };
        (&TWINS[places[0].span.start as usize..places[0].span.end as usize], places[0].reason)
    };
    assert_eq!(broken(&whole[..1]), ("left_line", Reason::Mixed));
    assert_eq!(broken(&whole[2..3]), ("left_line", Reason::Mixed));
    assert_eq!(broken(&whole[5..]), ("left", Reason::Named));
    assert!(named(&[["left_line", "left"]]).is_err() && named(&[["left_line", "nothing"]]).is_err());
    let head = "var a: boolean; b: boolean; rule a ==> begin a := false; end;";
    let same = "rule b ==> begin b := false; end; startstate begin a := true; b := true; end;";
    let starts = "rule b ==> begin b := false; end; startstate begin a := true; b := false; end;";
    let rules = "startstate begin a := true; b := true; end; rule b ==> begin end;";
    for (rest, expected) in [(same, None), (starts, Some(1)), (rules, Some(2))] {
        let text = format!("{head} {rest}");
        let (program, group) = (super::program(&text), super::group(&text));
        let answer = why(&program, &[], &group, &[vec!["a".to_owned(), "b".to_owned()]]).expect("names");
        let places = match answer {
            Finding::Broken(places) => places,
            _ => Vec::new(),
        };
        let found = places.iter().map(|place| (place.span, place.reason)).collect::<Vec<_>>();
        let rules: Vec<_> = program.rules.iter().map(|rule| (rule.span, Reason::Renamed)).collect();
        let expected = match expected {
            None => Vec::new(),
            Some(1) => vec![(program.starts[0].span, Reason::Renamed)],
            Some(_) => rules,
        };
        assert_eq!(found, expected, "{rest}");
    }
}

/// Texts with an exchange that is none, and the proof that takes it for one.
fn wrong_proofs() -> [(&'static str, Wrong); 8] {
    [
    // The second operand faults where the first is false.
    (
        "var a: boolean; b: boolean; n: 0 .. 3; startstate begin a := false; n := 0; end; startstate begin b := false; n := 0; end;
        rule a & b ==> begin n := 1; end; rule n = 0 ==> begin n := 2; end;",
        Wrong { sorts_faults: true, ..Wrong::default() },
    ),
    // The last round wins.
    (
        "type side: enum { left, right }; var at: array [side] of boolean; last: side;
        startstate begin at[left] := false; at[right] := false; undefine last; end;
        rule \"l\" begin at[left] := !at[left]; end; rule \"r\" begin at[right] := !at[right]; end;
        rule \"all\" begin for s: side do if at[s] then last := s; end; end; end;",
        Wrong { forgets_order: true, ..Wrong::default() },
    ),
    (
        "var a: boolean; b: boolean; startstate begin a := false; b := true; end;
        rule a ==> begin a := false; end; rule b ==> begin b := false; end;",
        Wrong { forgets_starts: true, ..Wrong::default() },
    ),
    (
        "var a: boolean; b: boolean; startstate begin a := false; b := false; end;
        rule a := !a; end; rule b := !b; end; invariant !a;",
        Wrong { forgets_claims: true, ..Wrong::default() },
    ),
    // Only one of the sides is left again.
    (
        "var at: enum { none, left, right }; startstate begin at := none; end;
        rule at = none ==> begin at := left; end; rule at = none ==> begin at := right; end; rule at = left ==> begin at := none; end;",
        Wrong { keeps_members: true, ..Wrong::default() },
    ),
    // After one of the rules the first instance excludes the step, after the other one it faults.
    (
        "type lab: enum { a, b }; var v: array [lab] of 0 .. 1; turn: lab; startstate begin clear v; v[a] := 1; v[b] := 1; turn := a; end;
        startstate begin v[a] := 1; v[b] := 1; turn := b; end; rule turn = a ==> begin v[a] := 0; undefine v[b]; end;
        rule turn = b ==> begin v[b] := 0; undefine v[a]; end; ruleset l: lab do assume v[l] = 1; end;",
        Wrong { assumes_in_any_order: true, ..Wrong::default() },
    ),
    // The same of two assumptions.
    (
        "var a: 0 .. 2; b: 0 .. 2; startstate begin a := 2; b := 1; end; startstate begin a := 1; b := 2; end;
        rule a = 2 ==> begin a := 0; undefine b; end; rule b = 2 ==> begin b := 0; undefine a; end; assume a > 0; assume b > 0;",
        Wrong { assumes_in_any_order: true, ..Wrong::default() },
    ),
    // The same of a cover: no fault is found where the first instance is met.
    (
        "type lab: enum { a, b }; var v: array [lab] of 0 .. 1; turn: lab; startstate begin v[a] := 1; v[b] := 1; turn := a; end;
        startstate begin v[a] := 1; v[b] := 1; turn := b; end; rule turn = a ==> begin undefine v[b]; end;
        rule turn = b ==> begin undefine v[a]; end; ruleset l: lab do cover \"one\" v[l] = 1; end;",
        Wrong { assumes_in_any_order: true, ..Wrong::default() },
    ),
    ]
}

fn variables(one: usize, other: usize) -> Exchange {
    Exchange { variables: BTreeMap::from([(one, other), (other, one)]), members: BTreeMap::new() }
}

#[test]
fn known_wrong_proofs_of_exchanges_are_caught() {
    for (number, (text, wrong)) in wrong_proofs().into_iter().enumerate() {
        let program = program(text);
        let (claims, order) = (program.claims(), Order::new(&program));
        let members = |one: i32, other: i32| BTreeMap::from([(one, other), (other, one)]);
        let exchange = match number {
            1 => Exchange { variables: BTreeMap::new(), members: members(0, 1) },
            4 => Exchange { variables: BTreeMap::new(), members: members(1, 2) },
            5 | 7 => Exchange { variables: BTreeMap::new(), members: members(0, 1) },
            _ => variables(0, 1),
        };
        assert!(!proves(&program, &claims, &exchange, &order, Wrong::default()), "{text}");
        assert!(proves(&program, &claims, &exchange, &order, wrong), "{text}");
        assert!(!is_symmetry(&program, &exchange) || !claims.is_empty(), "{text}");
        assert!(contradiction(&program, &claims, &exchange).is_some() || [2, 7].contains(&number), "{text}");
    }
}

/// Whether an exchange keeps the reachable states with their steps.
fn is_symmetry(program: &Program, exchange: &Exchange) -> bool {
    let moved = exchange.cells(program).expect("it fits");
    let results = |steps: Vec<frontend::murphi::interpret::Step>| {
        let results = steps.into_iter();
        let results = results.map(|step| step.result.map_err(|fault| matches!(fault.kind, FaultKind::Assertion(_))));
        results.collect::<Vec<Result<State, bool>>>()
    };
    let image = |state: &State| exchange.image(&moved, state);
    let sorted = |mut list: Vec<Result<State, bool>>| {
        list.sort_unstable();
        list
    };
    let images = |list: &[Result<State, bool>]| list.iter().map(|one| one.clone().map(|state| image(&state))).collect();
    let first = results(starts(program));
    if sorted(images(&first)) != sorted(first.clone()) {
        return false;
    }
    let mut queue: VecDeque<State> = first.into_iter().flatten().collect();
    let mut seen: BTreeSet<State> = queue.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        let next = results(successors(program, &state));
        if sorted(images(&next)) != sorted(results(successors(program, &image(&state)))) {
            return false;
        }
        queue.extend(next.into_iter().flatten().filter(|state| seen.insert(state.clone())));
    }
    true
}

/// Proved exchanges in random programs of two or three variables with equal and almost equal rules is a symmetry of their graphs.
#[test]
fn proved_exchanges_of_random_programs_keep_every_step() {
    let (mut proved, mut refused) = (0, 0);
    for seed in 0..3_000 {
        let mut random = engine::RandomSource::new(seed);
        let names = ["a", "b", "c"];
        let guards =
            ["$ = none", "none = $ & # != left", "# != $", "# = left & $ = none", "true", "isundefined(w) | $ = left"];
        let bodies =
            ["$ := left;", "$ := #;", "$ := none; w := left;", "if # = right then $ := right; end;", "undefine w;"];
        let mut rules = String::new();
        for _ in 0..=random.below(3) {
            let (guard, body) = (guards[random.below(guards.len())], bodies[random.below(bodies.len())]);
            for one in 0..names.len() {
                let other = names[(one + 1 + random.below(2)) % names.len()];
                let own = |text: &str| text.replace('$', names[one]).replace('#', other);
                let own = |text: &str| match random_side(&own(text), one, seed) {
                    Some(text) => text,
                    None => own(text),
                };
                if random.below(8) > 0 {
                    rules.push_str(&format!("rule {} ==> begin {} end;\n", own(guard), own(body)));
                }
            }
        }
        let assumptions = [
            "",
            "",
            "assume $ != left;",
            "assume $ != right; assume # != left;",
            "ruleset s: side do assume $ != s | s != w; end;",
        ];
        for one in 0..random.below(names.len()) {
            let assumption = assumptions[random.below(assumptions.len())];
            rules.push_str(&assumption.replace('$', names[one]).replace('#', names[(one + 1) % names.len()]));
        }
        let text = format!(
            "type side: enum {{ none, left, right }}; var a: side; b: side; c: side; w: side;
            startstate begin a := none; b := none; c := none; w := none; end; rule begin a := a; end;\n{rules}"
        );
        let program = program(&text);
        let order = Order::new(&program);
        let mut list = propose(&program);
        let pairs = [(0, 1), (1, 2), (0, 2)];
        list.extend(pairs.map(|(one, other)| variables(one, other)));
        for exchange in list {
            match proves(&program, &[], &exchange, &order, Wrong::default()) {
                true => assert!(is_symmetry(&program, &exchange), "seed {seed}: {exchange:?}\n{text}"),
                false => refused += 1,
            }
            proved += usize::from(proves(&program, &[], &exchange, &order, Wrong::default()));
        }
    }
    assert!(proved > 300 && refused > 300, "{proved} {refused}");
}

/// The text for one of the variables with `left` and `right` exchanged, for some seeds.
fn random_side(text: &str, one: usize, seed: u64) -> Option<String> {
    let is_turned = seed.is_multiple_of(3) && one == 1;
    is_turned.then(|| text.replace("left", "?").replace("right", "left").replace('?', "right"))
}
