//! Tests: which values are exchanged, wrong proofs, and random models against their whole graphs.

use std::collections::{BTreeSet, VecDeque};

use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{self, FaultKind, State, evaluate, successors};
use frontend::murphi::program::{ClaimKind, Program};
use frontend::murphi::{Options, parse};

use super::action::{Renaming, cells, image};
use super::equivariance::{Wrong, prove};
use super::order::Order;
use super::roles::Roles;
use super::starts;
use super::uses::{Block, uses};
use super::{Finding, Reason, ValidatedGroup, near, why};

fn program(text: &str) -> Program {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).program.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

fn group(text: &str) -> ValidatedGroup {
    let program = program(text);
    ValidatedGroup::of(&program, &program.claims(), false)
}

/// The values of the blocks, in the names of the model.
fn orbits(text: &str) -> Vec<String> {
    let group = group(text);
    let names = |block: &Block| -> Vec<String> {
        block.values.iter().map(|&value| group.names().value(block.class, value)).collect()
    };
    group.blocks().iter().map(|proved| names(&proved.block).join(" ")).collect()
}

/// Processes ask for a token, whatever their type.
fn token(of: &str) -> String {
    format!(
        "type pid: {of}; step: enum {{ idle, wants, inside }}; var at: array [pid] of step; owner: pid; free: boolean;
        startstate begin for p: pid do at[p] := idle; end; free := true; end;
        ruleset p: pid do
          rule \"ask\" at[p] = idle ==> begin at[p] := wants; end;
          rule \"enter\" at[p] = wants & free ==> begin at[p] := inside; owner := p; free := false; end;
          rule \"leave\" at[p] = inside & owner = p ==> begin at[p] := idle; undefine owner; free := true; end;
        end;
        invariant \"mutex\" forall p: pid do forall q: pid do p = q | !(at[p] = inside & at[q] = inside) end end;"
    )
}

#[test]
fn declared_or_not_the_values_are_the_same() {
    assert_eq!(orbits(&token("scalarset(3)")), ["pid_1 pid_2 pid_3"]);
    assert_eq!(orbits(&token("1 .. 3")), ["pid_1 pid_2 pid_3"]);
    assert_eq!(orbits(&token("enum { a, b, c }")), ["a b c"]);
    let program = program(&token("1 .. 3"));
    assert!(ValidatedGroup::of(&program, &[], true).blocks().is_empty(), "nothing is declared");
}

/// Equal ranges whose uses never meet are apart: one is a name, and one a number.
#[test]
fn ranges_are_split_by_use() {
    let text = "type t: 0 .. 3; var count: t; has: array [t] of boolean;
        startstate begin count := 0; for i: t do has[i] := false; end; end;
        ruleset i: t do rule count < 3 & !has[i] ==> begin count := count + 1; has[i] := true; end; end;";
    assert_eq!(orbits(text), ["t_0 t_1 t_2 t_3"]);
}

/// Named values stay, and so do values that are outside of some type.
#[test]
fn values_are_told_apart_by_names_and_types() {
    let head = "type t: 0 .. 4; var at: t; has: array [t] of boolean;
        startstate begin for i: t do has[i] := false; end; at := 0; end;
        ruleset i: t do rule !has[i] ==> begin has[i] := true; at := i; end; end;";
    assert_eq!(orbits(head), ["t_1 t_2 t_3 t_4"]);
    let part = "ruleset i: 1 .. 2 do rule begin has[i] := false; end; end;";
    assert_eq!(orbits(&format!("{head}{part}")), ["t_1 t_2", "t_3 t_4"]);
    let torn = format!("{head}{part}");
    let answer = why(&program(&torn), &[], &group(&torn), &[vec!["t_2".to_owned(), "t_3".to_owned()]]).expect("names");
    let Finding::Broken(places) = answer else { panic!("{answer:?}") };
    assert_eq!(places.iter().map(|place| place.reason).collect::<Vec<_>>(), [Reason::Part]);
    let property = "invariant \"p\" !has[3] | at != 3;";
    assert_eq!(orbits(&format!("{head}{property}")), ["t_1 t_2 t_4"]);
    let group = group(&format!("{head}{property}"));
    assert_eq!((group.order().to_string(), group.model_order().to_string()), ("6".to_owned(), "24".to_owned()));
}

/// Values that nothing takes, or that are in no state, are no symmetries.
#[test]
fn values_without_use_are_left_alone() {
    let text = "var x: enum { a, b, c, d }; startstate begin x := a; end; rule begin x := b; end;
        ruleset i: 1 .. 3 do rule begin x := a; end; end;";
    assert!(orbits(text).is_empty());
}

/// Functions, aliases, records, unions and multisets pass values on.
#[test]
fn values_are_followed_everywhere() {
    let text = "type pid: 1 .. 3; message: record from: pid; dest: pid; end;
        var net: multiset [2] of message; last: pid; has: array [pid] of boolean;
        function other(p: pid): pid; begin return p; end;
        procedure send(var m: message; p: pid); begin m.from := p; m.dest := other(p); multisetadd(m, net); end;
        startstate begin for p: pid do has[p] := false; end; end;
        ruleset p: pid do rule multisetcount(s: net, true) < 2 ==> var m: message; begin send(m, p); end; end;
        choose s: net do alias d: net[s].dest do rule begin has[d] := true; last := d; multisetremove(s, net); end; end; end;";
    assert_eq!(orbits(text), ["pid_1 pid_2 pid_3"]);
    let last = |rest: &str| orbits(&format!("{text}{rest}")).join(";");
    assert_eq!(last("invariant \"i\" isundefined(last) | last < 3;"), "");
    assert_eq!(last("invariant \"i\" forall p: pid do has[p] | last != p | last = 2 end;"), "pid_1 pid_3");
}

/// The obstacle to a declaration is shown with its place.
#[test]
fn near_symmetries_have_places() {
    let text = |rest: &str| {
        format!(
            "type pid: scalarset(3); var x: array [pid] of 0 .. 3; o: pid;
            startstate begin for p: pid do x[p] := 0; end; end;
            ruleset p: pid do rule x[p] < 3 ==> begin x[p] := x[p] + 1; end; end;
            invariant \"tied\" isundefined(o) | x[o] < 4; {rest}"
        )
    };
    for (rest, place, reason) in [
        ("rule begin for p: pid do o := p; end; end;", "p", Reason::Rounds),
        ("rule begin clear o; end;", "clear o", Reason::Least),
    ] {
        let text = text(rest);
        let program = program(&text);
        for is_declared in [false, true] {
            let group = ValidatedGroup::of(&program, &program.claims(), is_declared);
            let found = near(&program, &group);
            let nearest = found.iter().find(|near| near.permutations.ends_with("on pid")).expect("pid is near");
            let obstacle = nearest.obstacles[0];
            let span = &text[obstacle.span.start as usize..obstacle.span.end as usize];
            assert_eq!((span, obstacle.reason), (place, reason), "{rest}");
            let answer = why(&program, &program.claims(), &group, &[vec!["pid_1".to_owned(), "pid_2".to_owned()]])
                .expect("names");
            assert!(matches!(answer, Finding::Broken(ref places) if places.contains(&obstacle)), "{answer:?}");
        }
    }
    let program = program(&text(""));
    let group = ValidatedGroup::of(&program, &[], false);
    assert!(matches!(
        why(&program, &program.claims(), &group, &[vec!["pid_1".to_owned(), "pid_3".to_owned()]]),
        Ok(Finding::Symmetry)
    ));
    assert!(why(&program, &program.claims(), &group, &[vec!["pid_1".to_owned(), "pid_9".to_owned()]]).is_err());
}

/// The states that can be reached, with what their steps are.
fn graph(program: &Program, most: usize) -> Option<BTreeSet<State>> {
    let mut known: BTreeSet<State> =
        interpret::starts(program).into_iter().filter_map(|start| start.result.ok()).collect();
    let mut waiting: VecDeque<State> = known.iter().cloned().collect();
    while let Some(state) = waiting.pop_front() {
        for next in successors(program, &state).into_iter().filter_map(|step| step.result.ok()) {
            if known.len() > most {
                return None;
            }
            if known.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    Some(known)
}

/// The steps of a state: rules with their results, of faults whether they fail an assertion.
fn outcomes(program: &Program, state: &State, map: &dyn Fn(&State) -> State) -> Vec<(u32, Result<State, bool>)> {
    let result = |result: &Result<State, interpret::Fault>| {
        result.as_ref().map(map).map_err(|fault| matches!(fault.kind, FaultKind::Assertion(_)))
    };
    let mut list: Vec<_> = successors(program, state).iter().map(|step| (step.rule.0, result(&step.result))).collect();
    list.sort_unstable();
    list
}

/// Whether a renaming is a symmetry of the whole graph and of the invariants.
fn is_symmetry(program: &Program, roles: &Roles, renaming: &Renaming, states: &BTreeSet<State>) -> bool {
    let cells = cells(program, roles, renaming);
    let map = |state: &State| image(program, &cells, renaming, state);
    let truths = |state: &State| -> Vec<bool> {
        let invariants = program.claims().into_iter().filter_map(|claim| match claim.kind {
            ClaimKind::Invariant(number) => Some(number),
            _ => None,
        });
        let holds = |number: usize| {
            evaluate(program, &program.properties[number], state).iter().all(|truth| truth.holds == Ok(true))
        };
        invariants.map(holds).collect()
    };
    states.iter().all(|state| {
        let other = map(state);
        states.contains(&other)
            && outcomes(program, state, &map) == outcomes(program, &other, &State::clone)
            && truths(state) == truths(&other)
    })
}

fn renamings(block: &Block) -> Vec<Renaming> {
    block.generators().into_iter().map(|images| Renaming::from([(block.class, images)])).collect()
}

/// Proofs without a rule accept what is no symmetry of the graph; with all rules they refuse it.
#[test]
fn wrong_proofs_are_caught() {
    let head = "type pid: 1 .. 3; var x: array [pid] of boolean; o: pid; y: boolean;
        startstate begin for p: pid do x[p] := false; end; y := false; end;
        ruleset p: pid do rule !x[p] ==> begin x[p] := true; o := p; end; end;";
    let cases = [
        (
            "ruleset p: pid do rule x[p] & p > 2 ==> begin y := true; end; end;",
            Wrong { compares_order: true, ..Wrong::default() },
        ),
        (
            "ruleset p: pid do rule x[p] & p % 2 = 0 ==> begin y := true; end; end;",
            Wrong { computes: true, ..Wrong::default() },
        ),
        ("rule x[2] ==> begin y := true; end;", Wrong { names_values: true, ..Wrong::default() }),
        ("rule begin clear o; end;", Wrong { names_values: true, ..Wrong::default() }),
        (
            "ruleset p: 1 .. 2 do rule x[p] ==> begin y := true; end; end;",
            Wrong { tears_types: true, ..Wrong::default() },
        ),
        ("rule begin for p: pid do o := p; end; end;", Wrong { ignores_rounds: true, ..Wrong::default() }),
    ];
    for (rest, wrong) in cases {
        let program = program(&format!("{head}{rest}"));
        let uses = uses(&program, &[]);
        let states = graph(&program, 10_000).expect("a small graph");
        let class = match uses.roles.node(uses.roles.variables[0]) {
            super::roles::Node::Array(class, _) => *class,
            other => panic!("{other:?}"),
        };
        let block = Block { class, values: vec![1, 2, 3], is_ring: false };
        let order = Order::new(&program);
        let proof = |wrong: Wrong| prove(&program, &uses.roles, &block, &[], &order, wrong);
        let is_sound = renamings(&block).iter().all(|one| is_symmetry(&program, &uses.roles, one, &states));
        assert!(!is_sound, "{rest}");
        assert!(proof(wrong).is_ok_and(|watched| watched.is_empty()), "{rest}");
        assert!(proof(Wrong::default()).map_or(true, |watched| !watched.is_empty()), "{rest}");
    }
}

/// A ring of four names, with some rules.
fn ring(rest: &str) -> String {
    format!(
        "type pid: 0 .. 3; var x: array [pid] of boolean; o: pid; y: boolean;
        startstate begin for p: pid do x[p] := false; end; y := false; end;
        ruleset p: pid do rule !x[p] ==> begin x[p] := true; o := (p + 1) % 4; end; end; {rest}"
    )
}

/// Steps around the ring commute with rotations; naming, ordering and counting do not.
#[test]
fn names_around_a_ring_rotate() {
    let order = |rest: &str| group(&ring(rest)).order().to_string();
    let rules = [
        ("rule !isundefined(o) ==> begin x[(o + 4 - 1) % 4] := false; end;", "4"),
        ("ruleset p: pid do rule x[((1 + p) % 4 + 1) % 4] ==> begin x[p] := false; end; end;", "4"),
        ("invariant \"tied\" forall p: pid do x[p] | !x[(p + 2) % 4] end;", "4"),
        ("ruleset p: pid; q: pid do rule x[p] & q = (p + 1) % 4 ==> begin x[q] := false; end; end;", "4"),
        ("ruleset p: pid do rule x[p = 3 ? 0 : p + 1] ==> begin x[p < 1 ? 3 : p - 1] := false; end; end;", "4"),
        ("rule !isundefined(o) ==> begin if o = 3 then o := 0; else o := o + 1; end; end;", "4"),
        (
            "ruleset p: pid do rule begin if p < 2 then o := p + 2; elsif p = 2 then o := 0; else o := 1; end; end; end;",
            "4",
        ),
        (
            "function next(p: pid): pid; begin if p = 3 then return 0; end; return p + 1; end;
        ruleset p: pid do rule x[next(p)] ==> begin x[next(next(p))] := false; end; end;",
            "4",
        ),
        (
            "function other(p: pid): pid; begin return p > 1 ? p - 2 : 2 + p; end;
        ruleset p: pid do rule x[(other(p) + 1) % 4] ==> begin x[other(o)] := false; end; end;",
            "4",
        ),
        ("rule x[(2 + 1) % 4] ==> begin y := true; end;", "1"),
        ("ruleset p: pid do rule x[p = 3 ? 0 : p] ==> begin y := true; end; end;", "1"),
        ("ruleset p: pid do rule begin if p = 3 then o := 0; else y := true; end; end; end;", "1"),
        ("ruleset p: pid do rule begin if p = 3 then o := 0; elsif p < 2 then o := p + 1; end; end; end;", "1"),
        (
            "function next(p: pid): pid; begin if p < 3 then return p + 1; end; end;
        ruleset p: pid do rule x[next(p)] ==> begin y := true; end; end;",
            "1",
        ),
        (
            "function next(p: pid): pid; begin if p = 0 then return 3; end; return p - 1; end;
        ruleset p: pid do rule begin o := next(p + 1); end; end;",
            "1",
        ),
        (
            "function next(p: pid): pid; begin y := !y; return p = 3 ? 0 : p + 1; end;
        ruleset p: pid do rule begin o := next(p); end; end;",
            "4",
        ),
        ("ruleset p: pid do rule x[p] ==> begin o := (p - 1) % 4; end; end;", "1"),
        ("ruleset p: pid do rule x[p] ==> begin o := (p + 1) % 3; end; end;", "1"),
        ("ruleset p: pid; q: pid do rule x[p] ==> begin o := (p + q) % 4; end; end;", "1"),
        ("ruleset p: pid do rule x[p] & p < (p + 1) % 4 ==> begin y := true; end; end;", "1"),
        ("ruleset p: pid do rule begin y := y ? p != 7 : x[(y ? p : 7) % 4]; end; end;", "1"),
        ("startstate begin o := 0; end;", "1"),
        ("invariant \"first\" x[0] | !x[1];", "1"),
    ];
    for (rest, expected) in rules {
        assert_eq!(order(rest), expected, "{rest}");
    }
    let text = ring("");
    let (program, group) = (program(&text), group(&text));
    let ask = |names: &[&str]| {
        why(&program, &program.claims(), &group, &[names.iter().map(|name| (*name).to_owned()).collect()])
            .expect("names of the model")
    };
    assert!(matches!(ask(&["pid_0", "pid_3", "pid_2", "pid_1"]), Finding::Symmetry));
    assert!(matches!(ask(&["pid_0", "pid_1"]), Finding::Broken(_)));
    let named = "type pid: 0 .. 3; var x: array [pid] of boolean; o: pid;
        startstate begin for p: pid do x[p] := false; end; o := 0; end;
        ruleset p: pid do rule o = p ==> begin o := (p + 1) % 4; x[p] := true; end; end;";
    let program = self::program(named);
    let near = near(&program, &ValidatedGroup::of(&program, &[], false));
    let found: Vec<_> = near.iter().map(|near| (near.permutations.as_str(), near.obstacles[0].reason)).collect();
    assert_eq!(found, [("C4 on pid", Reason::Named)]);
}

/// Proofs of rotations without a rule accept what is none of the graph; with all rules they refuse it.
#[test]
fn wrong_proofs_of_rotations_are_caught() {
    let cases = [
        (
            "ruleset p: pid do rule x[p] ==> begin o := (p + 1) % 2; end; end;",
            Wrong { turns_by_first_name: true, ..Wrong::default() },
        ),
        (
            "ruleset p: pid do rule x[p] ==> begin if p = 3 then o := 1; else o := p + 1; end; end; end;",
            Wrong { turns_by_first_name: true, ..Wrong::default() },
        ),
        (
            "ruleset p: pid do rule x[p] & p > (p + 1) % 4 ==> begin y := true; end; end;",
            Wrong { compares_order: true, ..Wrong::default() },
        ),
        ("rule x[2] ==> begin y := true; end;", Wrong { names_values: true, ..Wrong::default() }),
        ("startstate begin for p: pid do x[p] := p = 0; end; end;", Wrong { names_values: true, ..Wrong::default() }),
        (
            "ruleset q: 0 .. 4 do rule begin x[(q + 1) % 4] := true; if q < 4 then o := q; end; end; end;",
            Wrong { tears_types: true, compares_order: true, ..Wrong::default() },
        ),
        ("rule begin for p: pid do o := p; end; end;", Wrong { ignores_rounds: true, ..Wrong::default() }),
    ];
    for (rest, wrong) in cases {
        let program = program(&ring(rest));
        let uses = uses(&program, &[]);
        let states = graph(&program, 10_000).expect("a small graph");
        let super::roles::Node::Array(class, _) = *uses.roles.node(uses.roles.variables[0]) else { panic!("an array") };
        let (block, order) = (Block { class, values: vec![0, 1, 2, 3], is_ring: true }, Order::new(&program));
        let proof = |wrong: Wrong| prove(&program, &uses.roles, &block, &[], &order, wrong);
        let is_sound = renamings(&block).iter().all(|one| is_symmetry(&program, &uses.roles, one, &states));
        assert!(!is_sound, "{rest}");
        assert!(proof(wrong).is_ok_and(|watched| watched.is_empty()), "{rest}");
        assert!(proof(Wrong::default()).map_or(true, |watched| !watched.is_empty()), "{rest}");
    }
}

/// A formula fixes each of its conditions: `on[1] | on[2]` as a whole does not suffice. A symmetry fixes the states that may end, too.
#[test]
fn conditions_of_formulas_are_fixed() {
    let text =
        "type pid: 1 .. 2; var on: array [pid] of boolean; startstate begin for p: pid do on[p] := false; end; end;
        ruleset p: pid do rule begin on[p] := !on[p]; end; end;";
    let formulas =
        "both: G (on[1] -> F !on[1]) & G (on[2] -> F !on[2])\nany: G F exists p: pid do on[p] end\nends: on[1]";
    let read = frontend::murphi::parse_formulas(text, &Options::default(), formulas, &mut Diagnostics::new());
    let program = read.expect("a model");
    let claims = program.claims();
    let uses = uses(&program, &claims);
    let class = match uses.roles.node(uses.roles.variables[0]) {
        super::roles::Node::Array(class, _) => *class,
        other => panic!("{other:?}"),
    };
    let (block, order) = (Block { class, values: vec![1, 2], is_ring: false }, Order::new(&program));
    let of = |name: &str| claims.iter().position(|claim| claim.name == name).expect("a claim");
    let proof = |name: &str, wrong: Wrong| {
        let claim = of(name);
        prove(&program, &uses.roles, &block, &claims[claim..=claim], &order, wrong).is_ok()
    };
    for moved in ["both", "ends"] {
        assert!(proof(moved, Wrong { forgets_formulas: true, ..Wrong::default() }), "the wrong proof accepts {moved}");
        assert!(!proof(moved, Wrong::default()), "{moved}");
    }
    assert!(proof("any", Wrong::default()));
}

mod collect;
mod data;
mod exchanges;
mod keeping;
mod random;
mod slots;

/// A loop leaves the last node somewhere, which its text does not tell from the others.
#[test]
fn the_list_of_start_states_tells_apart_what_starts_are() {
    let text = |start: &str| {
        format!(
            "type node: 1 .. 4; var owner: node; on: array [node] of boolean;
            startstate begin for n: node do on[n] := false; owner := n; end; {start} end;
            ruleset n: node do rule !on[n] ==> begin on[n] := true; end; rule on[n] ==> begin owner := n; on[n] := false; end; end;"
        )
    };
    assert_eq!(orbits(&text("")), ["node_1 node_2 node_3"]);
    assert_eq!(orbits(&text("on[2] := true;")), ["node_1 node_3"]);
    assert_eq!(orbits(&text("owner := 1; on[1] := true;")), ["node_2 node_3 node_4"]);
    assert_eq!(orbits(&text("undefine owner;")), ["node_1 node_2 node_3 node_4"]);
    let program = program(&text(""));
    let group = ValidatedGroup::of(&program, &[], false);
    let near: Vec<String> = near(&program, &group).into_iter().map(|near| near.permutations).collect();
    assert_eq!(near, ["S4 on node"]);
    let (steps, list) = (starts::without(&program), starts::listed(&program).expect("one start"));
    let uses = uses(&steps, &[]);
    let block = uses.blocks(&program.types).remove(0);
    let split = |wrong| starts::split(&program, &uses.roles, &block, &list, wrong);
    assert_eq!(split(starts::Wrong::default()).len(), 1);
    let wrong = split(starts::Wrong { forgets_list: true }).remove(0);
    assert_eq!(wrong.values, [1, 2, 3, 4], "the known-wrong variant takes all nodes");
    let images = Renaming::from([(wrong.class, wrong.generators().remove(2))]);
    let moved = image(&program, &cells(&program, &uses.roles, &images), &images, list.first().expect("a start"));
    assert!(!list.contains(&moved), "which moves the start");
}
