//! Small processes, each of which shows one rule, and what its known-wrong variant misses.

use engine::SparsePermutation;
use symmetry::sequential::ValidatedGroup;

use super::super::super::program::compiled;
use super::super::commuting::{Context, Prover};
use super::super::effects::Scratch;
use super::super::split::{Parts, split};
use super::super::{Query, Wrong};
use super::{model, possible, run};
use crate::{Question, Verdict};

/// The verdict on the last property of a process, whole or reduced by a plan.
fn verdict(text: &str, plan: Option<Wrong>) -> Option<Verdict> {
    let model = model(text);
    let question = Question { properties: model.properties.clone(), keep_going: true, ..Question::default() };
    let report = run(&model, &question, plan, None).expect("confirmed");
    report.answers.last().map(|answer| answer.verdict)
}

/// The last property of a process is violated, whole and reduced.
fn is_found(text: &str) {
    let found = [None, Some(Wrong::default())].map(|plan| verdict(text, plan));
    assert_eq!(found, [Some(Verdict::Violated); 2]);
}

/// The same, and a wrong reduction misses it.
fn is_missed_by(text: &str, wrong: Wrong) {
    is_found(text);
    assert_eq!(verdict(text, Some(wrong)), Some(Verdict::Holds));
}

/// A fault of a process is found, whole and reduced; a wrong reduction misses it.
fn fault_is_missed_by(text: &str, wrong: Wrong) {
    let model = model(text);
    let question = Question { deadlock: false, ..Question::default() };
    let verdict = |plan| run(&model, &question, plan, None).expect("confirmed").verdict;
    let expected = [Verdict::Violated, Verdict::Violated, Verdict::Holds];
    assert_eq!([None, Some(Wrong::default()), Some(wrong)].map(verdict), expected);
}

#[test]
fn an_instance_that_faults_is_in_no_ample_set() {
    let text = "proc P(w : BIT, x : BIT, b : BIT) = [w = 0] leave { w := 1; } -> P + [x = 0] mend { x := 1; } -> P
         + [w = 0] use { if (1 / x = 1) { b := 1; } } -> P; init P(w = 0, x = 0, b = 0); assert A = !(b = 1);";
    is_missed_by(text, Wrong { faults_ignored: true, ..Wrong::default() });
}

/// The second summand of a step disables another process, which its first one does not touch.
#[test]
fn a_step_is_all_summands_of_its_turn() {
    let text = "type T : -1..0; type PC : { a, b, c }; proc P(pc : PC, x : BIT, y : BIT, turn : T) =
           [pc = a && (turn = -1 || turn = 0)] begin { pc := b; turn := 0; } -> P
         + [pc = b && (turn = -1 || turn = 0)] end { pc := c; x := 1; turn := -1; } -> P
         + [turn = -1 && x = 0 && y = 0] go { y := 1; } -> P;
         init P(pc = a, x = 0, y = 0, turn = -1); hold turn; assert A = !(y = 1);";
    is_missed_by(text, Wrong { chains_forgotten: true, ..Wrong::default() });
}

/// Where no step is taken yet, the turn is free: `bad` waits for `x` alone.
#[test]
fn conditions_are_those_before_the_step() {
    let text = "type T : -1..1; type PC : { a, b, c }; proc P(pc : PC, qc : PC, x : BIT, z : BIT, turn : T) =
           [qc = a && (turn = -1 || turn = 1)] go { qc := b; } -> P
         + [qc = a && (turn = -1 || turn = 1) && x = 1] bad { qc := c; z := 1; } -> P
         + [pc = a && (turn = -1 || turn = 0)] begin { pc := b; turn := 0; } -> P
         + [pc = b && (turn = -1 || turn = 0)] end { pc := c; x := 1; turn := -1; } -> P;
         init P(pc = a, qc = a, x = 0, z = 0, turn = -1); hold turn; assert A = !(z = 1);";
    is_found(text);
}

/// The second summand of a step faults, so that the state before it is stored; the other process moves before the step only.
#[test]
fn a_state_that_is_stored_inside_of_a_step_is_a_fault() {
    let text = "type T : -1..0; type PC : { a, b, c }; proc P(pc : PC, x : BIT, y : BIT, turn : T) =
           [pc = a && (turn = -1 || turn = 0)] begin { pc := b; turn := 0; } -> P
         + [pc = b && (turn = -1 || turn = 0)] end { x := 1 / x; pc := c; turn := -1; } -> P
         + [turn = -1 && y = 0] go { y := 1; } -> P;
         init P(pc = a, x = 0, y = 0, turn = -1); hold turn; assert A = !(y = 1);";
    is_missed_by(text, Wrong { stored_is_no_fault: true, ..Wrong::default() });
}

/// Both orders end in one state, but the value that `copy` writes is another one after `exchange`.
#[test]
fn values_that_a_property_reads_do_not_commute() {
    let text = "type V : 0..2; proc P(x : V, y : V, d : V, e : BIT) =
           [d = 0] exchange { d := 1; if (y < 2) { y := 1 - y; } if (x < 2) { x := 1 - x; } } -> P
         + [d = 1] rest { d := 2; } -> P
         + [e = 0] copy { e := 1; x := y; } -> P;
         init P(x = 2, y = 0, d = 0, e = 0); assert A = !(x = 0);";
    is_missed_by(text, Wrong { seen_commute: true, ..Wrong::default() });
}

/// Exchanging the values of `c` is a symmetry: in the quotient, turning it is a step from a state to itself.
#[test]
fn ranks_that_are_not_those_of_orbits_are_caught() {
    let text = "proc P(c : BIT, b : BIT) = sum v:BIT . [c = v] turn { c := 1 - v; } -> P + [b = 0] go { b := 1; } -> P;
         init P(c = *, b = 0); assert A = !(b = 1);";
    let model = model(text);
    let swap = SparsePermutation::from_cycles(&[&[0, 1]]).expect("a cycle");
    let group = ValidatedGroup::new(&model, &model.properties, vec![swap]);
    assert_eq!(group.generators().len(), 1, "{:?}", group.rejected());
    let question = Question { properties: model.properties.clone(), keep_going: true, ..Question::default() };
    let violated = |(plan, group)| {
        let report = run(&model, &question, plan, group).expect("confirmed");
        report.answers.last().map(|answer| answer.verdict)
    };
    let (right, open) = (Wrong::default(), Wrong { open_ranks: true, ..Wrong::default() });
    let runs = [(None, None), (Some(right), None), (Some(right), Some(&group)), (Some(open), Some(&group))];
    let expected = [Verdict::Violated, Verdict::Violated, Verdict::Violated, Verdict::Holds].map(Some);
    assert_eq!(runs.map(violated), expected);
}

/// A message that is received early makes room for the one that would find the queue full.
#[test]
fn a_fault_of_a_full_queue_is_kept() {
    let text = "type L : 0..2; type S : 0..1; proc P(n : L, q : BIT[S], a : BIT, b : BIT, r : BIT) =
           [a = 0] one { q[n] := 1; n := n + 1; a := 1; } -> P
         + [b = 0] two { q[n] := 1; n := n + 1; b := 1; } -> P
         + [r = 0 && n > 0] take { q[0] := q[1]; q[1] := 0; n := n - 1; r := 1; } -> P;
         init P(n = 1, q = 0, a = 0, b = 0, r = 0);";
    fault_is_missed_by(text, Wrong { faults_vanish: true, ..Wrong::default() });
}

/// Both ends of a queue commute where neither blocks; a test of its length depends on both.
#[test]
fn both_ends_of_a_queue_commute() {
    let text = "type L : 0..2; type S : 0..1; type V : 0..200; proc P(n : L, q : V[S], x : V, v : V) =
           [n < 2] send { q[n] := v; n := n + 1; } -> P
         + [n > 0] receive { x := q[0]; q[0] := q[1]; q[1] := 0; n := n - 1; } -> P
         + [n = 0] empty { v := 0; } -> P;
         init P(n = 1, q = 0, x = 0, v = 0);";
    let model = model(text);
    let (instances, _) = compiled(&model, None);
    let mut scratch = Scratch::new(model.working_len());
    let (wrong, possible) = (Wrong::default(), possible(&model, &instances, Wrong::default()));
    let query = Query { properties: &[], at_images: None, faults: true, more_than_deadlock: true, wrong };
    // With turns instances have one part each.
    let parts = split(instances, &possible, query, true, &mut scratch);
    let context = Context { followers: &[], turn: None, faults: true, possible: &possible, wrong };
    let mut prover = Prover::new(&parts, context, &mut scratch);
    assert_eq!([[0, 1], [0, 2], [1, 2]].map(|pair| prover.commute(pair)), [true, false, true]);
}

/// `set` commutes with `use`, and exchanges the part that stands for it: after it `use` is another part.
#[test]
fn parts_that_are_exchanged_do_not_commute() {
    let text = "proc P(a : BIT, b : BIT, e : BIT) = [a = 0 && e = 0] use { a := 1; } -> P + [a = 0 && e = 1] use { a := 1; } -> P
         + [b = 0] set { b := 1; e := 1; } -> P + [a = 0] use { a := 1; } -> P; init P(a = 0, b = 0, e = 0);";
    let model = model(text);
    let (mut parts, _) = compiled(&model, None);
    let possible = possible(&model, &parts, Wrong::default());
    let wholes = parts.split_off(3);
    let by = [vec![2], vec![2], Vec::new()].map(Into::into).into();
    let parts = Parts { parts, wholes, whole: vec![3, 3, 2], by, splits: Vec::new() };
    let commute = |wrong| {
        let context = Context { followers: &[], turn: None, faults: true, possible: &possible, wrong };
        let mut scratch = Scratch::new(model.working_len());
        Prover::new(&parts, context, &mut scratch).commute([0, 2])
    };
    assert_eq!([Wrong::default(), Wrong { parts_stay: true, ..Wrong::default() }].map(commute), [false, true]);
}

/// The deadlock of a process is found, whole and reduced; a wrong reduction misses it.
fn deadlock_is_missed_by(text: &str, wrong: Wrong) {
    let model = model(text);
    let question = Question { faults: false, keep_going: true, ..Question::default() };
    let deadlocks = |plan| run(&model, &question, plan, None).expect("confirmed").deadlock_states;
    assert_eq!([None, Some(Wrong::default()), Some(wrong)].map(deadlocks), [Some(1), Some(1), Some(0)]);
}

/// All instances of `f` are one family, whose body does different things by `e`.
#[test]
fn families_have_no_parts() {
    let text = "type P : 0..1499; type E : 0..2;
         proc M(e : E, a : BIT, b : BIT, go : BIT, x : BIT, y : BIT, s : P, t : P) =
           sum p:P . sum q:P . [go = 1 && p = s && q = t]
             f(p, q) { if (e = 0) { e := 1; a := 1; } else { if (e = 1) { e := 2; b := 1; } } } -> M
         + [x = 0] xx { x := 1; y := b; } -> M
         + [go = 1 && x = 1] stop { go := 0; } -> M
         + [go = 0 && x = 1 && y = 0] loop { } -> M;
         init M(e = 0, a = 0, b = 0, go = 1, x = 0, y = 0, s = 0, t = 0);";
    deadlock_is_missed_by(text, Wrong { families_split: true, ..Wrong::default() });
}

/// The first loop makes more rounds after `b`, so that the second one makes too many.
#[test]
fn rounds_of_loops_are_counted_together() {
    let text = "type N : 0..100000; type X : 0..100; proc M(x : X, p : BIT, r : BIT) =
           [p = 0] a { p := 1; var i : N := 0; while (i < x) { i := i + 1; } var j : N := 0; while (j < 99980) { j := j + 1; } } -> M
         + [r = 0] b { r := 1; x := 30; } -> M
         + [p = 1 && r = 1] c { p := 0; r := 0; x := 5; } -> M;
         init M(x = 5, p = 0, r = 0);";
    fault_is_missed_by(text, Wrong { loops_left_out: true, ..Wrong::default() });
}

/// A step that is blocked inside gives the turn back without an instance, so the turn is the key of no list.
#[test]
fn the_turn_chooses_from_no_list() {
    let text =
        "type T : -1..1; type PC : { a, b, c }; proc P(pc : PC, qc : PC, arr : BIT[T], x : BIT, z : BIT, turn : T) =
           [pc = a && (turn = -1 || turn = 0)] begin { arr[-1] := 1; pc := b; turn := 0; } -> P
         + [pc = b && x = 1 && (turn = -1 || turn = 0)] end { pc := c; arr[-1] := 0; turn := -1; } -> P
         + [qc = a && turn = -1] go { qc := b; x := 1; } -> P
         + [qc = b && turn = -1 && z = 0] read { z := arr[turn]; qc := c; } -> P;
         init P(pc = a, qc = a, arr = 0, x = 0, z = 0, turn = -1); hold turn; assert A = z = 0;";
    is_found(text);
}

/// Only the last of the steps of `a` reads what `b` writes: its condition is about a value that it has assigned itself.
#[test]
fn conditions_split_instances() {
    let text = "type N : 0..40; proc M(p : N, n : N, b : N, last : N) =
           [p < 20] a { p := p + 1; n := n + 1; if (n = 20) { last := b; } } -> M + [b < 20] b { b := b + 1; } -> M;
         init M(p = 0, n = 0, b = 0, last = 0);";
    let model = model(text);
    let question = Question { faults: false, keep_going: true, ..Question::default() };
    let states = |plan| run(&model, &question, plan, None).expect("confirmed").states;
    assert_eq!([None, Some(Wrong::default())].map(states), [651, 271]);
}

/// `a` sets `y`, because `x` is 1 when it is asked; before the step it is not.
#[test]
fn conditions_are_about_assigned_values() {
    let text = "type X : 0..40; proc M(x : X, p : BIT, q : BIT, y : BIT, z : BIT) =
           [p = 0] a { p := 1; x := x + 1; if (x = 1) { y := 1; } } -> M
         + [q = 0] b { q := 1; z := y; } -> M
         + [p = 1 && q = 1 && z = 1] loop { } -> M;
         init M(x = 0, p = 0, q = 0, y = 0, z = 0);";
    deadlock_is_missed_by(text, Wrong { assignments_forgotten: true, ..Wrong::default() });
}

/// The places of one array pass values on to each other, not to those of another array with as many values.
#[test]
fn the_places_of_a_queue_are_those_of_one_variable() {
    let text = "type L : 0..3; type S : 0..2; type T : 0..1; type V : 0..3; proc M(length : L, message : V[S], sender : V[S]) =
           [length < 3] put { message[length] := 1; sender[length] := 2; length := length + 1; } -> M
         + [length > 0] get { for s:T { message[s] := message[s + 1]; sender[s] := sender[s + 1]; }
             message[2] := 0; sender[2] := 0; length := length - 1; } -> M;
         init M(length = 0, message = 0, sender = 0);";
    let model = model(text);
    let (instances, _) = compiled(&model, None);
    let possible = possible(&model, &instances, Wrong::default());
    assert_eq!([1, 5].map(|element| possible.alike(element)), [vec![1, 2, 3], vec![4, 5, 6]]);
}
