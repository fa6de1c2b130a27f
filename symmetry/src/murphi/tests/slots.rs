//! Instances of assumptions and slots of multisets, whose order may show.

use super::*;

/// The first instance of an assumption decides that does not hold: a fault of an alias in its header shows the order of instances.
#[test]
fn faults_of_headers_show_the_order_of_instances() {
    let text = |rest: &str| {
        format!(
            "type pid: 1 .. 2; var p: array [pid] of 0 .. 9; q: array [pid] of boolean; arr: array [0 .. 8] of boolean; pick: array [pid] of boolean;
            startstate begin clear arr; for i: pid do p[i] := 0; q[i] := true; pick[i] := false; end; end;
            ruleset i: pid do rule forall j: pid do !pick[j] end ==> begin pick[i] := true; end;
            rule pick[i] & p[i] = 0 ==> begin p[i] := 9; for j: pid do if i != j then q[j] := false; end; end; end; end; {rest}"
        )
    };
    let cases = [
        "ruleset i: pid do alias a: arr[p[i]] do assume !isundefined(a) & q[i]; end; end;",
        "ruleset i: pid do alias a: 10 / (9 - p[i]) do assume q[i]; end; end;",
        "ruleset i: pid do ruleset k: 0 .. 10 / (9 - p[i]) do assume q[i]; end; end;",
    ];
    for rest in cases {
        let Some(program) = parse(&text(rest), &Options::default(), &mut Diagnostics::new()).program else {
            assert!(rest.contains(" .. "), "{rest}");
            continue;
        };
        let uses = uses(&program, &[]);
        let super::super::roles::Node::Array(class, _) = *uses.roles.node(uses.roles.variables[0]) else {
            panic!("an array")
        };
        let (block, order) = (Block { class, values: vec![1, 2], is_ring: false }, Order::new(&program));
        let watched = |wrong: Wrong| prove(&program, &uses.roles, &block, &[], &order, wrong).expect("a proof");
        let states = graph(&program, 10_000).expect("a small graph");
        assert!(!renamings(&block).iter().all(|one| is_symmetry(&program, &uses.roles, one, &states)), "{rest}");
        assert!(watched(Wrong { overlooks_headers: true, ..Wrong::default() }).is_empty(), "{rest}");
        assert_eq!(watched(Wrong::default()).len(), 1, "the instances are watched: {rest}");
    }
}

/// A slot that is looked at after another element may be in it tells slots apart.
#[test]
fn slots_that_show_are_refused() {
    let head = "type pid: 1 .. 2; var net: multiset [3] of pid; o: pid; n: 0 .. 3; has: array [pid] of boolean;
        startstate begin n := 0; for p: pid do has[p] := false; multisetadd(p, net); end; end;";
    let show = "choose a: net; b: net do rule n = 0 & net[a] = net[b] -> false ==> begin n := 1;
        multisetremove(a, net); multisetremove(b, net); for p: pid do if has[p] then multisetadd(p, net); end; end; end; end;";
    // The first of several added elements is in the slot that was emptied.
    let first = "choose a: net do rule n = 0 ==> begin n := 1; multisetremove(a, net);
        for p: pid do if has[p] then multisetadd(p, net); end; end; o := net[a]; end; end;";
    let last = "choose a: net do rule n = 0 ==> begin n := 1; o := net[a]; multisetremove(a, net);
        for p: pid do if has[p] then multisetadd(p, net); end; end; end; end;";
    let text = |rest: &str| format!("{head} ruleset p: pid do rule begin has[p] := true; o := p; end; end; {rest}");
    assert!(orbits(&text(show)).is_empty());
    assert!(orbits(&text(first)).is_empty());
    assert_eq!(orbits(&text(last)), ["pid_1 pid_2"]);
    // What an alias or a parameter stands for is one of the elements.
    let variables = "var net: multiset [3] of record s: pid; k: 0 .. 1; end; n: 0 .. 2; has: array [pid] of boolean; m: multiset [3] of pid; o: pid;";
    let rules = "startstate begin n := 0; clear net; clear m; for p: pid do has[p] := false; end; end;
        ruleset p: pid do rule n = 0 ==> var r: record s: pid; k: 0 .. 1; end; begin r.s := p; r.k := 1; multisetadd(r, net); n := 1; has[p] := false; end;
        rule n = 1 & multisetcount(x: net, net[x].s = p) = 0 ==> var r: record s: pid; k: 0 .. 1; end;
        begin r.s := p; r.k := 0; multisetadd(r, net); n := 2; end;
        rule n = 0 & multisetcount(x: m, true) = 0 ==> begin has[p] := true; multisetadd(p, m); n := 2; end; end;";
    let same =
        "procedure same(var e: record s: pid; k: 0 .. 1; end); begin multisetremovepred(x: net, net[x].k = e.k); end;";
    let fill = "procedure fill(var e: pid); begin for p: pid do multisetadd(p, m); end; o := e; end;";
    let by_alias = "choose j: net do alias e: net[j] do rule n = 2 & e.k = 1 ==> begin multisetremovepred(x: net, net[x].k = e.k); end; end; end;";
    let by_parameter = "choose j: net do rule n = 2 & net[j].k = 1 ==> begin same(net[j]); end; end;";
    let in_procedure =
        "choose j: m do alias e: m[j] do rule isundefined(o) ==> begin multisetremove(j, m); fill(e); end; end; end;
        invariant \"other\" isundefined(o) | !has[o];";
    let own = "choose j: net do rule n = 2 & net[j].k = 1 ==> var r: record s: pid; k: 0 .. 1; end; begin r := net[j];
        multisetremove(j, net); same(r); end; end;";
    // A function or a procedure that calls itself adds in a loop, too, before the element is looked at.
    let adding = "function fills(): boolean; begin for p: pid do multisetadd(p, m); end; return true; end;
        procedure again(q: pid; top: boolean); begin
            if top then for p: pid do again(p, false); end; else multisetadd(q, m); end;
        end;";
    let added = |body: &str| {
        format!(
            "choose j: m do rule isundefined(o) ==> var q: pid; begin q := m[j]; multisetremove(j, m); {body} end; end;
            invariant \"other\" isundefined(o) | !has[o];"
        )
    };
    let in_condition = added("if fills() then o := m[j]; end;");
    let in_choice = added("o := fills() ? m[j] : q;");
    let in_alias = added("alias z: fills() do o := m[j]; end;");
    let in_itself = added("again(q, true); o := m[j];");
    // The first instance of an assumption decides, and slots are in the order of their elements.
    let assumed = "choose j: m do assume has[m[j]]; end; rule n = 2 & multisetcount(x: m, true) = 1 ==> begin n := 1;
        for p: pid do if !has[p] then multisetadd(p, m); end; end; undefine_one(); end;";
    let assumes = "procedure undefine_one(); begin for p: pid do if has[p] then has[p] := false; else undefine has[p]; end; end; end;";
    let text_of = |rest: &str| format!("type pid: 1 .. 2; {variables} {same} {fill} {adding} {assumes} {rules} {rest}");
    assert_eq!(["", own].map(|rest| orbits(&text_of(rest)).len()), [1, 1]);
    // What is added holds a multiset of its own, whose slots are others.
    let nested = "type pid: 1 .. 3; inner: record ms: multiset [2] of pid; end; var net: multiset [2] of inner; r: inner; a: pid; c: pid;
        n: 0 .. 3; has: array [pid] of boolean; startstate begin n := 0; for p: pid do has[p] := false; end; end;
        ruleset i: pid; j: pid; k: pid do rule n = 0 & i != j & i != k & j != k ==> var x: inner; begin
            n := 1; a := i; c := k; has[i] := true; multisetadd(i, x.ms); multisetadd(k, x.ms); multisetadd(x, net);
            multisetadd(j, r.ms); multisetadd(k, r.ms); end; end;
        choose s: net do choose t: net[s].ms do rule n = 1 & net[s].ms[t] = a ==> begin n := 2;
            multisetremove(s, net); multisetadd(r, net); if net[s].ms[t] = c then n := 3; end; end; end; end;";
    // Without the rule the proof accepts what is no symmetry of the graph.
    let shown = [by_alias, by_parameter, in_procedure, &in_condition, &in_choice, &in_alias, &in_itself, assumed];
    let shown = shown.map(text_of).into_iter().chain([text(first), nested.to_owned()]);
    for text in shown {
        let text = &text;
        assert!(orbits(text).is_empty(), "{text}");
        let program = program(text);
        let uses = uses(&program, &[]);
        let class = uses.roles.variables.iter().find_map(|&node| match uses.roles.node(node) {
            super::super::roles::Node::Array(class, _) => Some(*class),
            _ => None,
        });
        let values = if text.starts_with("type pid: 1 .. 3") { vec![1, 2, 3] } else { vec![1, 2] };
        let block = Block { class: class.expect("an array"), values, is_ring: false };
        let order = Order::new(&program);
        let proof = |wrong: Wrong| prove(&program, &uses.roles, &block, &[], &order, wrong);
        let states = graph(&program, 10_000).expect("a small graph");
        assert!(!renamings(&block).iter().all(|one| is_symmetry(&program, &uses.roles, one, &states)), "{text}");
        assert!(proof(Wrong { ignores_slots: true, ..Wrong::default() }).is_ok(), "{text}");
        assert!(proof(Wrong::default()).is_err(), "{text}");
    }
    let sound = "choose a: net do rule begin has[net[a]] := true; o := net[a]; multisetremove(a, net); end; end;";
    assert_eq!(orbits(&format!("{head}{sound}")), ["pid_1 pid_2"]);
}
