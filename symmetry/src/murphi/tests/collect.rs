//! Loops whose rounds collect something: which are proved, and known-wrong rules.

use frontend::murphi::interpret::starts;

use super::super::collect::Wrong;
use super::super::equivariance::{self, prove};
use super::super::order::Order;
use super::super::roles::Node;
use super::super::uses::{Block, uses};
use super::{graph, is_symmetry, program, renamings};

/// Names with a value that moves, and one that may be undefined or negative.
fn text(rest: &str) -> String {
    format!(
        "type id: 1 .. 3; var f: array [id] of 0 .. 2; u: array [id] of -1 .. 1; k: 0 .. 4; n: array [0 .. 1] of 0 .. 4; b: boolean;
        function count(): 0 .. 4; var c: 0 .. 4; begin c := 0; for j: id do if f[j] = 1 then c := c + 1; end; end; return c; end;
        procedure more(); begin k := k + 1; end;
        startstate begin for i: id do f[i] := 0; end; k := 1; b := false; n[0] := 0; n[1] := 0; end;
        ruleset i: id do
          rule f[i] < 2 ==> begin f[i] := f[i] + 1; end;
          rule isundefined(u[i]) & f[i] = 2 ==> begin u[i] := 1; end;
          rule f[i] = 1 ==> begin u[i] := -1; end;
        end;
        {rest}"
    )
}

/// Whether the order of a loop is proved not to show, and whether it does not show in any state.
fn proved(rest: &str, wrong: Wrong) -> (bool, bool) {
    let program = program(&text(rest));
    let uses = uses(&program, &[]);
    let states = graph(&program, 20_000).expect("a small graph");
    let Node::Array(class, _) = uses.roles.node(uses.roles.variables[0]) else { panic!("an array") };
    let block = Block { class: *class, values: vec![1, 2, 3], is_ring: false };
    let order = Order::with(&program, wrong);
    let proof = prove(&program, &uses.roles, &block, &[], &order, equivariance::Wrong::default());
    let is_sound = renamings(&block).iter().all(|one| is_symmetry(&program, &uses.roles, one, &states));
    (proof.is_ok_and(|watched| watched.is_empty()), is_sound)
}

#[test]
fn what_rounds_collect_is_proved() {
    for (body, is_proved) in [
        ("k := 0; for j: id do if f[j] = 1 then k := k + 1; end; end;", true),
        ("k := 4; for j: id do if f[j] = 1 then k := k - 2; end; end;", true),
        ("for j: id do k := f[j] + k; end;", true),
        ("for j: id do n[k % 2] := n[k % 2] + 1; end;", true),
        ("for j: id do n[0] := n[0] + f[j]; n[1] := n[1] + 1; end;", true),
        ("k := count();", true),
        ("for j: id do if f[j] = 2 then more(); end; end;", true),
        ("b := false; for j: id do if f[j] = 1 then b := true; end; end;", true),
        ("for j: id do b := b | f[j] = 1; end;", true),
        ("for j: id do b := b & f[j] = 1 & f[j] != 2; end;", true),
        ("for j: id do if f[j] = 1 then b := !b; end; end;", true),
        ("for j: id do f[j] := 0; k := 0; end;", true),
        ("k := 0; for j: id do if f[j] > k then k := f[j]; end; end;", true),
        ("for j: id do if k >= f[j] then k := f[j]; end; end;", true),
        ("for j: id do if f[j] > k then k := f[j]; else k := 0; end; end;", false),
        ("for j: id do if f[j] > k then k := f[j]; end; if f[j] < k then k := f[j]; end; end;", false),
        // One kind of change to one variable, and no other access.
        ("for j: id do if f[j] = 1 then k := k + 1; else k := 0; end; end;", false),
        ("for j: id do if f[j] = 1 then b := true; else b := false; end; end;", false),
        ("for j: id do if k < 2 & f[j] = 1 then k := k + 1; end; end;", false),
        ("for j: id do k := f[j] - k; end;", false),
        ("for j: id do b := f[j] = 1 | b; end;", false),
        ("for j: id do b := b | u[j] = 1; end;", false),
        ("for j: id do k := k + u[j]; end;", false),
    ] {
        let (proof, is_sound) = proved(&format!("rule begin {body} end;"), Wrong::default());
        assert_eq!(proof, is_proved, "{body}");
        assert!(is_sound || !proof, "{body}");
    }
}

#[test]
fn wrong_rules_of_what_is_collected_are_noticed() {
    for (body, wrong) in [
        (
            "for j: id do if !isundefined(u[j]) then k := k + u[j]; end; end;",
            Wrong { any_sign: true, ..Wrong::default() },
        ),
        ("for j: id do b := b | u[j] = 1; end;", Wrong { faults_behind: true, ..Wrong::default() }),
        (
            "for j: id do if f[j] = 1 then k := 1; elsif f[j] = 2 then k := 2; end; end;",
            Wrong { any_constant: true, ..Wrong::default() },
        ),
        (
            "for j: id do if f[j] > k then k := f[j]; end; if f[j] < k then k := f[j]; end; end;",
            Wrong { any_extreme: true, ..Wrong::default() },
        ),
        (
            "for j: id do if f[j] = 1 then k := k + 1; else k := 0; end; end;",
            Wrong { mixes_kinds: true, ..Wrong::default() },
        ),
        (
            "for j: id do if k = 1 & f[j] = 2 then b := true; end; if f[j] = 1 then k := k + 1; end; end;",
            Wrong { is_read: true, ..Wrong::default() },
        ),
    ] {
        let rest = format!("rule begin {body} end;");
        assert_eq!(proved(&rest, wrong), (true, false), "{body}");
        assert_eq!(proved(&rest, Wrong::default()), (false, false), "{body}");
    }
}

/// While a start state is made everything may be undefined, in functions that it calls, too: there the order of a quantifier shows.
#[test]
fn start_states_read_what_is_undefined() {
    let called = "function some(): boolean; begin return exists i: id do f[i] end; end;";
    for (declared, condition) in [("", "exists i: id do f[i] end"), (called, "some()")] {
        let program = program(&format!(
            "type id: 1 .. 3; var f: array [id] of boolean; {declared}
             ruleset p: id do startstate begin f[p] := true; if {condition} then for i: id do f[i] := i = p; end; end; end; end;
             rule begin end;"
        ));
        let uses = uses(&program, &[]);
        let Node::Array(class, _) = uses.roles.node(uses.roles.variables[0]) else { panic!("an array") };
        let block = Block { class: *class, values: vec![1, 2, 3], is_ring: false };
        let is_free = |wrong: Wrong| {
            let order = Order::with(&program, wrong);
            let proof = prove(&program, &uses.roles, &block, &[], &order, equivariance::Wrong::default());
            proof.is_ok_and(|watched| watched.is_empty())
        };
        assert!(!is_free(Wrong::default()), "{condition}");
        assert!(is_free(Wrong { ignores_starts: true, ..Wrong::default() }), "{condition}");
        let starts = starts(&program);
        assert_eq!(starts.iter().filter(|start| start.result.is_ok()).count(), 1, "one value is not like the others");
    }
}

/// A parameter may be undefined, wherever the text has a binder: there the order of a quantifier shows.
#[test]
fn parameters_may_be_undefined() {
    let rest = "var x: id; function same(v: id): boolean; begin return exists j: id do f[j] != 1 | v = j end; end;
        rule same(x) ==> begin k := 1; end;";
    assert_eq!(proved(rest, Wrong { trusts_values: true, ..Wrong::default() }), (true, false));
    assert_eq!(proved(rest, Wrong::default()), (false, false));
}
