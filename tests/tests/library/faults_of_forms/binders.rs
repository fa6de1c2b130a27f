//! Conditions with quantifiers that stand for a name and are used below other binders: arguments and locals of functions, aliases around rules
//! and properties, indices of arrays that are compared.

use frontend::sequential::{ExprKind, ParameterId, Sequential};

use super::{Outcome, agree, compared, compared_with};

const HEAD: &str = "type P: 0 .. 1; row: array [P] of boolean;
    var flag: row; arr: row; bad: row; v: row; m: array [boolean] of row;
    function any(x: boolean): boolean; begin return exists i: P do arr[i] = x end; end;
    function deep(x: boolean): boolean; begin return forall i: P do any(x & flag[i]) end; end;
    function found(x: boolean): boolean; begin for i: P do if arr[i] = x then return true; end; end; return false; end;
    function kept(k: P; x: boolean): boolean; var some: boolean;
    begin some := x; return forall i: P do arr[i] | arr[k] -> some end; end;
    function merged(x: boolean): boolean; var some: boolean;
    begin some := false; if arr[0] then some := x; end; return forall i: P do arr[i] -> some end; end;
    startstate begin clear flag; clear arr; clear bad; clear m; v[0] := true; v[1] := true; end;
    ruleset i: P do rule begin flag[i] := !flag[i]; end; rule begin arr[i] := !arr[i]; end; end;
    ruleset i: P do rule begin m[i = 0][i] := !m[i = 0][i]; m[flag[i]][1] := true; end; end;
    invariant \"clean\" !bad[1];";

/// Conditions with quantifiers.
const CONDITIONS: &[&str] = &[
    "(exists j: P do flag[j] end)",
    "(forall j: P do flag[j] end)",
    "(exists j: P do forall k: P do flag[j] | arr[k] end end)",
    "any(exists j: P do flag[j] end)",
    "(exists j: P do any(flag[j]) end)",
    "found(forall j: P do flag[j] end)",
    "(m[exists j: P do flag[j] end] = v)",
    "(exists j := 0 to 1 do flag[j] end)",
];

/// Rules and properties with the place of a condition.
const PLACES: &[&str] = &[
    "rule any(E) ==> begin bad[1] := true; end;",
    "rule !deep(E) ==> begin bad[0] := true; end;",
    "rule found(E) ==> begin bad[1] := true; end;",
    "rule kept(1, E) ==> begin bad[0] := true; end;",
    "rule merged(E) ==> begin bad[1] := true; end;",
    "rule m[E] = v ==> begin bad[0] := true; end;",
    "rule exists p: P do m[E & flag[p]] = m[flag[p]] end ==> begin bad[1] := true; end;",
    "rule forall p: P do kept(p, E -> flag[p]) end ==> begin bad[0] := true; end;",
    "alias some: E do ruleset p: P do rule some ==> begin bad[p] := true; end; end; end;",
    "alias some: E do ruleset p: P do ruleset q: P do rule some & any(some) ==> begin bad[p] := flag[q]; end; end; end; end;",
    "ruleset p: P do alias some: flag[p] & E do ruleset q: P do rule some & arr[q] ==> begin bad[q] := true; end; end; end; end;",
    "alias one: m[E] do ruleset p: P do rule one[p] ==> begin bad[p] := true; end; end; end;",
    "alias some: E do invariant \"alias\" forall p: P do bad[p] -> some end; end;",
    "ruleset p: P do alias some: E do invariant \"both\" kept(p, some) | arr[0]; end; end;",
    "rule begin bad[0] := any(E); end;",
    "rule begin for p: P do bad[p] := kept(p, E); end; end;",
    "rule begin alias some: E do for p: P do bad[p] := some; end; end; end;",
    "rule begin if m[E] = v then bad[0] := true; end; end;",
    "rule begin m[E] := v; end;",
];

#[test]
fn conditions_keep_their_binders() {
    let texts: Vec<String> = CONDITIONS
        .iter()
        .flat_map(|condition| PLACES.iter().map(move |place| format!("{HEAD} {}", place.replace('E', condition))))
        .collect();
    agree(&texts, compared, [50, 50, 0]);
}

/// Models whose invariants do not hold: an argument, an alias, an index and a local, each with a quantifier and below another binder.
const VIOLATED: &[&str] = &[
    "type P: 0 .. 1; var arr: array [P] of boolean; flag: array [P] of boolean; bad: boolean;
    function g(x: boolean): boolean; begin return exists i: P do arr[i] = x end; end;
    startstate arr[0] := true; arr[1] := false; flag[0] := true; flag[1] := false; bad := false; end;
    rule flag[0] := !flag[0]; flag[1] := !flag[1]; end;
    rule !g(exists j: P do flag[j] end) ==> bad := true; end;
    rule arr[1] := true; arr[0] := true; flag[0] := false; flag[1] := false; end;
    invariant \"ok\" !bad; invariant \"both\" g(exists j: P do flag[j] end) | arr[0];",
    "type P: 0 .. 1; var flag: array [P] of boolean; bad: array [P] of boolean;
    startstate flag[0] := true; flag[1] := false; clear bad; end;
    alias some: exists j: P do flag[j] end do ruleset p: P do rule some ==> bad[p] := true; end; end; end;
    invariant \"ok\" !bad[1];",
    "type P: 0 .. 1; var m: array [boolean] of array [P] of boolean; flag: array [P] of boolean; v: array [P] of boolean; bad: boolean;
    startstate m[true][0] := true; m[true][1] := true; m[false][0] := false; m[false][1] := false;
    flag[0] := true; flag[1] := false; v[0] := true; v[1] := true; bad := false; end;
    rule m[exists j: P do flag[j] end] = v ==> bad := true; end;
    invariant \"ok\" !bad;",
    "type P: 0 .. 1; var flag: array [P] of boolean; bad: boolean; want: array [P] of boolean;
    function f(k: P): boolean; var some: boolean;
    begin some := exists j: P do flag[j] end; return forall i: P do want[i] -> some end; end;
    startstate flag[0] := true; flag[1] := false; want[0] := true; want[1] := true; bad := false; end;
    rule f(0) ==> bad := true; end;
    invariant \"ok\" !bad;",
];

#[test]
fn forms_of_violated_models_are_violated() {
    for text in VIOLATED {
        let outcome = compared(text);
        assert!(matches!(outcome, Outcome::Same(true)), "{outcome:?}\n{text}");
    }
}

/// A form all of whose guards read their outermost binder is noticed.
#[test]
fn forms_that_read_another_binder_are_caught() {
    let wrong = |form: &mut Sequential| {
        for summand in &mut form.summands {
            summand.guard.visit_mut(&mut |expr| {
                if let ExprKind::Parameter(id) = &mut expr.kind {
                    *id = ParameterId::from_index(0);
                }
            });
        }
    };
    assert!(matches!(compared_with(VIOLATED[1], wrong), Outcome::Different(_)));
}
