//! A `d_step` as one body against the same `d_step` as steps of the turn, and variables with the ranges of their values against those of their
//! types, on random models.
//!
//! `PROMELA_MODELS` sets the number of models, `PROMELA_SEED` the first seed.

mod channels;
mod faults;
mod macros;
mod reference;
mod sizes;
mod turns;
mod values;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::lower::{Wrong, lower_wrong};
use super::{preprocess, syntax};
use crate::diagnostics::{Diagnostics, codes};
use crate::sequential::interpret::{SeqStep, evaluate, initial_states, successors};
use crate::sequential::verify::verify;
use crate::sequential::{Formula, PropertyKind, Sequential};

/// The most states of a model that is compared.
const MOST_STATES: usize = 1_000;

/// The process of a text, lowered with a variant.
pub(super) fn lowered(text: &str, wrong: Wrong) -> Sequential {
    let mut sink = Diagnostics::new();
    let tokens = syntax::token::tokens(text, &mut sink);
    let (tokens, _) = preprocess::preprocess(&tokens, &[], &mut sink);
    let file = syntax::parser::parse(tokens.expect("it is not too long"), &mut sink);
    let model = lower_wrong(&file, text, wrong, &mut sink);
    let messages: Vec<&str> = sink.list.iter().map(|found| found.message.as_str()).collect();
    let model = model.unwrap_or_else(|| panic!("{}\n{text}", messages.join("\n")));
    assert_eq!(verify(&model), [], "{text}");
    model
}

/// The common part of two lowerings of a text: states and transitions, and how many states have each content of the globals.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub(super) states: usize,
    pub(super) transitions: usize,
    deadlocks: usize,
    contents: HashMap<Vec<i32>, usize>,
}

/// The states that the reference semantics reaches; `None` with a fault or too many states.
pub(super) fn seen(model: &Sequential) -> Option<Seen> {
    let shared = ["x", "y", "z", "a", "q_len", "q_data1"];
    let shared = model.variables.iter().filter(|variable| shared.contains(&variable.name.as_str()));
    let shared: Vec<usize> =
        shared.flat_map(|variable| variable.offset..variable.offset + model.len_of(variable)).collect();
    let mut queue: Vec<_> = initial_states(model).collect();
    let mut known: HashSet<_> = queue.iter().cloned().collect();
    let mut found = Seen { states: 0, transitions: 0, deadlocks: 0, contents: HashMap::new() };
    while let Some(state) = queue.pop() {
        found.states += 1;
        *found.contents.entry(shared.iter().map(|&at| state[at]).collect()).or_default() += 1;
        let steps = successors(model, &state);
        found.deadlocks += usize::from(steps.is_empty());
        for step in steps {
            let next = step.result.ok()?;
            found.transitions += 1;
            if known.insert(next.clone()) {
                queue.push(next);
            }
        }
        if known.len() > MOST_STATES {
            return None;
        }
    }
    Some(found)
}

/// Texts of two processes with random `d_step` sequences over three bytes, an array and a channel.
struct Texts(u64);

impl Texts {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn variable(&mut self) -> String {
        match self.below(8) {
            0 => "x".into(),
            1 => "y".into(),
            2 => "z".into(),
            3 => "i".into(),
            4 | 5 => format!("a[{}]", self.below(2)),
            _ => format!("a[{} % 2]", ["x", "i", "_pid"][usize::try_from(self.below(3)).unwrap_or(0)]),
        }
    }

    fn value(&mut self) -> String {
        match self.below(5) {
            0 | 1 => self.variable(),
            2 => format!("({} + 1) % 3", self.variable()),
            _ => self.below(3).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let op = ["==", "!=", "<", ">="][usize::try_from(self.below(4)).unwrap_or(0)];
        format!("{} {op} {}", self.variable(), self.below(3))
    }

    /// A statement that never blocks.
    fn statement(&mut self, depth: u64, out: &mut String) {
        let choices = if depth == 0 { 3 } else { 7 };
        let _ = match self.below(choices) {
            0..3 => write!(out, "{} = {}; ", self.variable(), self.value()),
            3 => {
                let _ = write!(out, "if :: {} -> ", self.condition());
                self.block(depth - 1, out);
                if self.below(2) == 0 {
                    let _ = write!(out, "skip :: {} -> ", self.condition());
                    self.block(depth - 1, out);
                }
                out.push_str("skip :: else -> ");
                self.block(depth - 1, out);
                write!(out, "skip fi; ")
            }
            4 => {
                let _ = write!(out, "j = 0; do :: j < {} -> ", self.below(3));
                self.block(0, out);
                write!(out, "j++ :: else -> break od; j = 0; ")
            }
            5 => write!(out, "if :: q!{} :: else fi; ", self.value()),
            _ => write!(out, "if :: q?{} :: else -> skip fi; ", self.variable()),
        };
    }

    fn block(&mut self, depth: u64, out: &mut String) {
        for _ in 0..1 + self.below(2) {
            self.statement(depth, out);
        }
    }

    fn text(&mut self) -> String {
        let mut out = "byte x, y, z; byte a[2]; chan q = [2] of { byte };\n".to_owned();
        for name in ["P", "Q"] {
            let _ = writeln!(out, "active proctype {name}() {{ byte i, j; do");
            for _ in 0..1 + self.below(2) {
                let _ = write!(out, ":: d_step {{ {} -> ", self.condition());
                self.block(2, &mut out);
                out.push_str("skip }\n");
            }
            let _ = write!(out, ":: z = {}\nod }}\n", self.value());
        }
        out
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn bodies_of_d_steps_do_what_their_steps_do() {
    let (first, count) = (number("PROMELA_SEED", 1), number("PROMELA_MODELS", 100));
    let (mut compared, mut merged) = (0, 0);
    for seed in first..first + count {
        let text = Texts(seed).text();
        let apart = lowered(&text, Wrong { steps_apart: true, keeps_types: true, ..Wrong::default() });
        let whole = lowered(&text, Wrong::default());
        let Some(expected) = seen(&apart) else { continue };
        compared += 1;
        merged += u64::from(whole.hold.is_none());
        assert_eq!(seen(&whole), Some(expected), "seed {seed}\n{text}");
    }
    assert!(
        compared * 4 >= count && merged * 2 >= compared,
        "{compared} of {count} are small, {merged} of them merged"
    );
}

#[test]
fn wrong_bodies_of_d_steps_are_noticed() {
    let within = |step: &str| {
        format!("byte x, y, z; byte a[2]; active proctype P() {{ do :: x = 1 - x :: d_step {{ {step} }} od }}")
    };
    let index = within("a[0] = 1; a[x] = 0; if :: x == 0 && a[0] == 1 -> z = 1 :: else fi; a[0] = 0; a[1] = 0");
    let sides = within("y = 0; if :: x == 1 -> y = 1 :: else fi; if :: y == 0 && x == 1 -> z = 1 :: else fi");
    // The process is at its first point with other values than its first ones.
    let again =
        "byte x, z; active proctype P() { byte i; do :: d_step { i < 2 -> i++; z = i } :: x = 1 - x od }".to_owned();
    let variants = [
        (again, Wrong { never_comes_back: true, ..Wrong::default() }),
        (index, Wrong { keeps_known: true, ..Wrong::default() }),
        (sides, Wrong { keeps_sides: true, ..Wrong::default() }),
    ];
    for (text, wrong) in variants {
        let apart = seen(&lowered(&text, Wrong { steps_apart: true, ..Wrong::default() }));
        assert!(apart.is_some());
        assert_eq!(seen(&lowered(&text, Wrong::default())), apart);
        assert_ne!(seen(&lowered(&text, wrong)), apart, "{wrong:?}");
    }
}

#[test]
fn a_d_step_that_cannot_go_on_faults() {
    let text = "byte x, y; active proctype P() { d_step { x = 1; if :: y == 5 -> x = 2 :: y == 6 fi; x = 3 } }";
    assert_eq!(seen(&lowered(text, Wrong::default())), None);
    assert!(seen(&lowered(text, Wrong { last_is_sure: true, ..Wrong::default() })).is_some());
}

/// Statements that a body cannot contain stay steps of the turn; points that nothing reaches have no summands.
#[test]
fn a_d_step_that_one_body_cannot_say_keeps_the_turn() {
    let model = |text: &str| lowered(text, Wrong::default());
    let whole =
        model("byte x; active proctype P() { d_step { x = 1; if :: x == 1 -> x = 2 :: else -> x = 3 fi; x = 4 } }");
    assert!(whole.hold.is_none());
    assert_eq!(whole.summands.len(), 2, "the step and the end of the process");
    let asserts = model("byte x; active proctype P() { d_step { x = 1; assert(x == 1); x = 2 } }");
    assert!(asserts.hold.is_some());
    let endless =
        model("byte x, y; active proctype P() { d_step { x = y; do :: x < 5 -> x++ :: else -> break od; y = 7 } }");
    assert!(endless.hold.is_some());
    let stuck = model("byte x; active proctype P() { do :: x = 1 - x :: x == 2 -> false; x = 0; x = 1 od }");
    assert_eq!(stuck.summands.len(), 2, "what is behind `false` is left out");
    model("active proctype P() { false; skip }");
}

#[test]
fn claims_that_change_the_state_are_refused() {
    let refused = |claim: &str| {
        let text = format!("byte x; active proctype P() {{ do :: x = 1 - x od }} {claim}");
        let mut sink = Diagnostics::new();
        let model = super::parse(&text, &Default::default(), &mut sink).model;
        assert_eq!(model.is_none(), sink.has_errors());
        model.is_none()
    };
    let claims = [
        "never { x = 1 }",
        "never { atomic { x == 1; x == 2 } }",
        "never { do :: atomic { x == 1 -> x = 2 } :: else od }",
        "never { { x == 1 } unless { x == 0 } }",
        "never { goto nowhere }",
        "never a { x == 1 } never a { x == 0 }",
        "ltl never { <> x == 1 } never { x == 1 }",
        "never { atomic { again: skip; goto again } }",
        "never { atomic { do :: skip :: skip :: assert(x == 1) od } }",
    ];
    for claim in claims {
        assert!(refused(claim), "{claim}");
    }
    assert!(!refused(
        "never { do :: x == 1 -> break :: atomic { x == 0 -> assert(x == 0); skip } :: else od; accept: skip }"
    ));
}

#[test]
fn claims_that_end_are_violated() {
    let model = "byte x; active proctype P() { do :: x = 1 - x od }";
    for claim in [
        "do :: x == 1 -> break :: else od",
        "do :: x == 1 -> break :: else od; end_a: do :: x == 1 od",
        "do :: atomic { x == 1; end_a: skip; assert(true) }; false :: else od",
    ] {
        let text = format!("{model} never {{ {claim} }}");
        let accepts = |wrong: Wrong| {
            let property = lowered(&text, wrong).properties.remove(0);
            let PropertyKind::Ltl(Formula::Not(inner)) = property.kind else { panic!("a claim is a formula") };
            let Formula::Accepted(automaton, _) = *inner else { panic!("a claim is an automaton") };
            // Whether `x == 1` holds, which is each condition: never, then once.
            [automaton.accepts(&[0], 0)[0], automaton.accepts(&[0, u128::MAX, 0], 2)[0]]
        };
        assert_eq!(accepts(Wrong::default()), [false, true], "{claim}");
        assert_eq!(accepts(Wrong { forgets_ends_of_claims: true, ..Wrong::default() }), [false, false], "{claim}");
    }
}

/// The counts are those of SPIN 6.5.2.
#[test]
fn a_process_that_leaves_its_sequence_with_a_rendezvous_is_noticed() {
    let text = "byte x; chan r = [0] of { byte }; active proctype P() { atomic { if :: r!x :: x == 7 -> skip fi } }
        active proctype Q() { byte v; r?v; x++ }";
    let found = seen(&lowered(text, Wrong::default())).expect("no fault");
    assert_eq!((found.states, found.transitions), (8, 9));
    assert_ne!(seen(&lowered(text, Wrong { leaves_with_meetings: true, ..Wrong::default() })), Some(found));
}

/// The counts are those of SPIN 6.5.2: an escape leaves an `atomic` sequence, and with it the turn, and it does not leave a `d_step`.
#[test]
fn escapes_leave_sequences() {
    let of_step = "{ d_step { skip; x = 2; y = 0 }; (x < 2) } unless { (x >= 2); (x >= 0) }";
    let of_sequence = "{ atomic { skip; x = 2; y = 1; y = 2 }; (x < 2) } unless { (x >= 2); (x >= 0) }";
    let states = |body: &str, wrong: Wrong| {
        let text = format!("byte x, y; active proctype P() {{ {body} }}");
        seen(&lowered(&text, wrong)).expect("no fault").states
    };
    let steps_apart = Wrong { steps_apart: true, ..Wrong::default() };
    assert_eq!([of_step, of_sequence].map(|body| states(body, Wrong::default())), [5, 4]);
    assert_eq!(states(of_step, steps_apart), 5);
    assert_ne!(states(of_step, Wrong { escapes_from_steps: true, ..Wrong::default() }), 5);
    assert_ne!(states(of_sequence, Wrong { keeps_turns: true, ..Wrong::default() }), 4);
}

/// A sorted send that is never reached has a local, which is declared all the same.
#[test]
fn statements_that_are_never_reached_keep_their_locals() {
    let text = "chan q = [2] of { byte }; proctype R() { q!!1 } active proctype P() { skip; false; q!!2 }";
    assert_eq!(seen(&lowered(text, Wrong::default())).expect("no fault").states, 2);
    let escaped = "byte x; chan q = [2] of { byte }; active proctype P() { x = 1; { q!!0; x = 2 } unless { x = 3 } }";
    assert_eq!(seen(&lowered(escaped, Wrong::default())).expect("no fault").states, 4);
}

/// The counts are those of SPIN 6.5.2: a process that begins a loop in braces is elsewhere than one that comes back to the loop.
#[test]
fn braces_begin_at_points_of_their_own() {
    let texts = [
        ("{ do :: x = 1; x = 2 :: x = 0 od }; x = 2", (4, 7), (3, 5)),
        ("x = 2; { { do :: x = 1; x = 2 :: x = 0 od } unless { x == 7 } }; x = 2", (5, 8), (4, 6)),
        ("x = 2; { L: do :: x = 1; x = 2 :: x = 0 od }; x = 2", (5, 8), (4, 6)),
        ("x = 2; { do :: x = 1; x = 2 :: x = 0 od } unless { x == 7 }; x = 2", (4, 6), (4, 6)),
    ];
    for (body, wanted, shared) in texts {
        let text = format!("byte x; active proctype P() {{ {body} }}");
        let found = |wrong: Wrong| seen(&lowered(&text, wrong)).map(|seen| (seen.states, seen.transitions));
        assert_eq!(found(Wrong::default()), Some(wanted), "{body}");
        assert_eq!(found(Wrong { shares_points: true, ..Wrong::default() }), Some(shared), "{body}");
    }
}

/// The counts are those of SPIN 6.5.2, which evaluates no operand behind one that decides.
#[test]
fn a_process_is_made_where_its_number_is_evaluated() {
    let states = |value: &str, wrong: Wrong| {
        let text = format!("byte x; proctype C(byte n) {{ x = n }} init {{ {value} }}");
        seen(&lowered(&text, wrong)).expect("no fault").states
    };
    let never = ["x = (x == 1 -> run C(1) : 4)", "x = (x == 1 && run C(1))", "x = (x == 0 || run C(1))"];
    let always = ["x = !(run C(1))", "x = (x == 0 -> run C(1) : 4)", "x = (x == 0 && run C(1))", "assert(run C(1))"];
    for value in never {
        assert_eq!(states(value, Wrong::default()), 3, "{value}");
        assert_eq!(states(value, Wrong { always_makes: true, ..Wrong::default() }), 5, "{value}");
    }
    for value in always {
        assert_eq!(states(value, Wrong::default()), 5, "{value}");
    }
}

/// Whether the formula of accept labels is violated, by the reference semantics: a step that passes a label, in the state before it or inside of it,
/// leads back to that state.
fn passes_for_ever(model: &Sequential) -> bool {
    let accept = model.properties.iter().find(|property| property.name == "accept").expect("accept labels");
    let PropertyKind::Ltl(formula) = &accept.kind else { panic!("a formula") };
    let label = formula.atoms()[0].clone();
    let is_at = |state: &Vec<i32>| evaluate(model, &label, state, &[]) == Ok(1);
    let counts_inside = model.inside.as_deref() == Some("accept");
    let mut queue: Vec<_> = initial_states(model).collect();
    let mut edges = HashMap::new();
    while let Some(state) = queue.pop() {
        if edges.contains_key(&state) {
            continue;
        }
        let steps: Vec<_> = successors(model, &state).into_iter().filter(|step| step.result.is_ok()).collect();
        let marked = |step: &SeqStep| {
            let inner = &step.parts[..step.parts.len().saturating_sub(1)];
            let is_inside = inner.iter().any(|part| part.result.as_ref().is_ok_and(&is_at));
            (step.result.clone().expect("a successor"), is_at(&state) || counts_inside && is_inside)
        };
        let marked: Vec<_> = steps.iter().map(marked).collect();
        queue.extend(marked.iter().map(|(next, _)| next.clone()));
        edges.insert(state, marked);
    }
    edges.iter().any(|(state, steps)| {
        let stays = steps.is_empty() && is_at(state);
        stays || steps.iter().filter(|(_, is_marked)| *is_marked).any(|(next, _)| reaches(&edges, next, state))
    })
}

fn reaches(edges: &HashMap<Vec<i32>, Vec<(Vec<i32>, bool)>>, from: &Vec<i32>, to: &Vec<i32>) -> bool {
    let mut known = HashSet::from([from]);
    let mut queue = vec![from];
    while let Some(state) = queue.pop() {
        if state == to {
            return true;
        }
        queue.extend(edges[state].iter().map(|(next, _)| next).filter(|next| known.insert(next)));
    }
    false
}

/// SPIN 6.5.2 finds the cycle of the first one, and does not look inside of the sequence of the second.
#[test]
fn accept_labels_inside_of_sequences_are_seen() {
    let last = "byte x; active proctype P() { do :: atomic { x = 1; x = 2; accept: x = 0 } od }";
    let middle = "byte x; active proctype P() { do :: atomic { x = 1; accept: x = 2; x = 0 } od }";
    let once = "byte x; active proctype P() { atomic { x = 1; accept: x = 2; x = 0 }; do :: x = 1 - x od }";
    let found = |text: &str, wrong: Wrong| passes_for_ever(&lowered(text, wrong));
    assert_eq!([last, middle, once].map(|text| found(text, Wrong::default())), [true, true, false]);
    let forgets = Wrong { forgets_labels_inside: true, ..Wrong::default() };
    assert_eq!([last, middle, once].map(|text| found(text, forgets)), [false; 3]);
    // A `d_step` is one step, and a sequence that never takes the turn has no states inside.
    let of_step = "byte x; active proctype P() { do :: d_step { x = 1; accept: x = 2; x = 0 } od }";
    assert!(lowered(of_step, Wrong::default()).properties.is_empty());
    assert!(lowered(last, Wrong::default()).inside.is_some() && lowered(once, forgets).inside.is_none());
}

#[test]
fn labels_at_choices_are_refused() {
    let is_refused = |body: &str| {
        let text = format!("byte x; active proctype P() {{ {body} }}");
        let mut sink = Diagnostics::new();
        super::parse(&text, &Default::default(), &mut sink);
        sink.list.iter().any(|found| found.code == codes::PROMELA_PLACE)
    };
    let refused = [
        "do :: accept: x = 1 od",
        "if :: end: x == 1 fi",
        "do :: atomic { progress: x = 1; x = 2 } od",
        "do :: { accept: if :: x = 1 fi }; x = 2 od",
        "do :: accept: goto again od; again: skip",
        "x = 1 unless { accept: x == 2 }",
        "x = 1; atomic { accept: x = 1; x = 2 }",
    ];
    for body in refused {
        assert!(is_refused(body), "{body}");
    }
    let allowed = [
        "accept: do :: x = 1 od",
        "do :: x = 1; accept: x = 2 od",
        "do :: again: x = 1 od",
        "x = 1; accept: atomic { x = 1; x = 2 }",
        "x = 1; { accept: do :: x = 1 od }",
        "accept: { x = 1 } unless { x == 2 }",
    ];
    for body in allowed {
        assert!(!is_refused(body), "{body}");
    }
}

#[test]
fn a_process_without_executable_statements_is_well_formed() {
    for body in ["do :: (n == 2) od", "(false)", "end: (n == 2); x = 1"] {
        let model = lowered(&format!("byte x; active proctype P() {{ byte n = 1; {body} }}"), Wrong::default());
        let start = initial_states(&model).next().expect("a state");
        assert!(successors(&model, &start).is_empty(), "{body}");
    }
}

/// The states and transitions of a text without atomic sequences.
fn counted(text: &str, wrong: Wrong) -> (usize, usize) {
    let model = lowered(text, wrong);
    let mut open: Vec<_> = initial_states(&model).collect();
    let (mut seen, mut transitions) = (HashSet::new(), 0);
    while let Some(state) = open.pop() {
        if seen.insert(state.clone()) {
            let steps = successors(&model, &state);
            transitions += steps.len();
            open.extend(steps.into_iter().filter_map(|step| step.result.ok()));
        }
    }
    (seen.len(), transitions)
}

/// The numbers are those of SPIN 6.5.2 (`-o1 -o2 -o3`, `-DNOREDUCE`), which tries the options of a point in their order.
#[test]
fn else_is_the_negation_of_the_options_before_it() {
    let inner = "if :: (x > 5) -> x = 1 :: else -> y = 1 fi";
    let first = inner.replace(":: (x > 5) -> x = 1 :: else -> y = 1", ":: else -> y = 1 :: (x > 5) -> x = 1");
    let braces = "{ do :: (x > 5) -> x = 1 :: else -> y = 1; break od }";
    let (up, down) = ("(b == 0) -> b = 1", "(b == 1) -> b = 0");
    let all = Wrong { else_is_of_all_options: true, ..Wrong::default() };
    let mut caught = 0;
    for (options, expected) in [
        (format!("{inner} :: {up} :: {down}"), (12, 16)),
        (format!("{up} :: {inner} :: {down}"), (10, 12)),
        (format!("{up} :: {down} :: {inner}"), (4, 4)),
        (format!("{first} :: {up} :: {down}"), (12, 16)),
        (format!("{braces} :: {up} :: {down}"), (12, 16)),
        (format!("{inner} :: b = 1 - b"), (8, 12)),
    ] {
        let text = format!("byte x, y; bit b; active proctype P() {{ do :: {options} od }}");
        assert_eq!(counted(&text, Wrong::default()), expected, "{text}");
        caught += usize::from(counted(&text, all) != expected);
    }
    assert_eq!(caught, 5, "all but the one where the choice comes last");
}

/// Lines that the preprocessor skips may have characters that are no part of Promela.
#[test]
fn skipped_lines_may_have_any_character() {
    let faults = |text: &str| {
        let mut sink = Diagnostics::new();
        let _ = super::parse(text, &super::Options::default(), &mut sink);
        sink.list.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    let text = |condition: &str| {
        format!("#if {condition}\nThis isn't read: `$`\n#else\nbyte x;\n#endif\nactive proctype P() {{ skip }}")
    };
    assert_eq!(faults(&text("0")), []);
    assert!(faults(&text("1")).contains(&codes::PROMELA_CHARACTER));
}
