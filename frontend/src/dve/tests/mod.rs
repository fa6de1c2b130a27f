//! Random models against a direct interpreter of them, which shares nothing with the lowering, and what the lowering must not
//! do.
//!
//! `DVE_MODELS` sets the number of models, `DVE_SEED` the first seed.

mod generate;
mod slow;

use std::collections::HashSet;

use super::lower::{Wrong, lower_wrong};
use super::syntax;
use crate::diagnostics::Diagnostics;
use crate::sequential::interpret::{initial_states, successors};
use crate::sequential::print::print;
use crate::sequential::spans::without_spans;
use crate::sequential::verify::verify;
use crate::sequential::{self, Sequential};
use generate::model;
use slow::{Counts, MOST_STATES};

/// The process of a text, lowered with a variant.
fn lowered(text: &str, wrong: Wrong) -> Sequential {
    let mut sink = Diagnostics::new();
    let file = syntax::parse(text, &mut sink);
    let model = lower_wrong(&file, &sequential::Options::default(), wrong, &mut sink);
    let messages: Vec<&str> = sink.list.iter().map(|found| found.message.as_str()).collect();
    model.unwrap_or_else(|| panic!("{}\n{text}", messages.join("\n")))
}

/// The counts of a process by the reference semantics; `None` if there are too many states.
fn counted(model: &Sequential) -> Option<Counts> {
    let mut queue: Vec<_> = initial_states(model).collect();
    let mut seen: HashSet<_> = queue.iter().cloned().collect();
    let mut counts = Counts { states: 0, edges: 0, faults: 0, deadlocks: 0 };
    while let Some(state) = queue.pop() {
        counts.states += 1;
        let steps = successors(model, &state);
        counts.deadlocks += usize::from(steps.is_empty());
        for step in steps {
            match step.result {
                Err(_) => counts.faults += 1,
                Ok(next) => {
                    counts.edges += 1;
                    if seen.insert(next.clone()) {
                        queue.push(next);
                    }
                }
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(counts)
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_models_have_the_states_of_the_direct_interpreter() {
    let (first, count) = (number("DVE_SEED", 1), number("DVE_MODELS", 200));
    let mut compared = 0;
    for seed in first..first + count {
        let made = model(seed);
        let text = made.text();
        let process = lowered(&text, Wrong::default());
        assert_eq!(verify(&process), [], "seed {seed}\n{text}");
        let Some(expected) = made.counts() else { continue };
        compared += 1;
        assert_eq!(counted(&process), Some(expected), "seed {seed}\n{text}");
        let printed = print(&process);
        let again = sequential::parse(&printed, &sequential::Options::default(), &mut Diagnostics::new()).model;
        assert_eq!(again.map(without_spans), Some(without_spans(process)), "seed {seed}\n{printed}");
    }
    assert!(compared * 4 >= count * 3, "only {compared} of {count} models are small");
}

#[test]
fn wrong_lowerings_are_noticed() {
    let variants = [
        Wrong { commits_nobody: true, ..Wrong::default() },
        Wrong { receives_nothing: true, ..Wrong::default() },
        Wrong { wraps: true, ..Wrong::default() },
        Wrong { sender_first: true, ..Wrong::default() },
        Wrong { meets_itself: true, ..Wrong::default() },
    ];
    for wrong in variants {
        let noticed = (1..=4000).any(|seed| {
            let made = model(seed);
            made.counts().is_some_and(|expected| counted(&lowered(&made.text(), wrong)) != Some(expected))
        });
        assert!(noticed, "{wrong:?}");
    }
}

/// What is computed without being taken, and what is not computed behind an operand that decides.
#[test]
fn values_that_are_not_taken_and_operands_that_decide_are_noticed() {
    let sends = |channel: &str, value: &str| {
        format!(
            "byte none; {channel} process S {{ state s, t; init s; trans s -> t {{ sync c!{value}; }}; }} \
             process R {{ state s; init s; trans s -> s {{ sync c?; }}; }} system async;"
        )
    };
    let faults = |text: &str, wrong: Wrong| {
        let process = lowered(text, wrong);
        assert_eq!(verify(&process), [], "{text}");
        let start = initial_states(&process).next().expect("a start");
        successors(&process, &start).iter().any(|step| step.result.is_err())
    };
    for (channel, value) in
        [("channel {byte} c;", "300"), ("channel {byte} c;", "1 / none"), ("channel c;", "1 / none")]
    {
        let text = sends(channel, value);
        assert!(faults(&text, Wrong::default()) && !faults(&text, Wrong { drops_values: true, ..Wrong::default() }));
    }
    assert!(!faults(&sends("channel {byte} c;", "7"), Wrong::default()));
    let text = "byte x; process A { state s; init s; trans s -> s { effect x = 1; }; } process W { state q; init q; \
                accept q; trans q -> q { guard x != 0 and 10 / x > 3; }; } system async property W;";
    let conditions = |wrong: Wrong| match &lowered(text, wrong).properties[0].kind {
        sequential::PropertyKind::Ltl(formula) => formula
            .atoms()
            .into_iter()
            .filter(|atom| sequential::interpret::evaluate(&lowered(text, wrong), atom, &[0, 0], &[]).is_err())
            .count(),
        _ => unreachable!("an automaton is a formula"),
    };
    assert_eq!([Wrong::default(), Wrong { splits_guards: true, ..Wrong::default() }].map(conditions), [0, 1]);
}

/// The guards of a receiver are looked at only where the sender is ready.
#[test]
fn receivers_asked_first_are_noticed() {
    let faults = |[sender, receiver]: [&str; 2], wrong: Wrong| {
        let text = format!(
            "byte z; channel d; process S {{ state s, t; init s; trans s -> t {{ guard {sender}; sync d!; }}; }} \
             process R {{ state s, t; init s; trans s -> t {{ guard {receiver}; sync d?; }}; }} system async;"
        );
        let process = lowered(&text, wrong);
        let start = initial_states(&process).next().expect("a start");
        successors(&process, &start).iter().any(|step| step.result.is_err())
    };
    let wrong = Wrong { receiver_asked_first: true, ..Wrong::default() };
    for (guards, wanted) in [(["z == 1", "1 / z"], false), (["1 / z", "z == 1"], true)] {
        assert_eq!(faults(guards, Wrong::default()), wanted, "{guards:?}");
        assert_eq!(faults(guards, wrong), !wanted, "{guards:?}");
    }
}

/// The first fault says the type of the variable, whatever values it can have.
#[test]
fn faults_name_the_types_of_variables() {
    for (effect, wanted) in [
        ("x = 300", "the value 300 for `x` is outside of `BYTE` (0 to 255)"),
        ("x = x - 1", "the value -1 for `x` is outside of `BYTE` (0 to 255)"),
        ("y = 3; y = y * 20000", "the value 60000 for `y` is outside of `INT` (-32768 to 32767)"),
    ] {
        let effects = effect.replace("; ", ", ");
        let text = format!(
            "byte x; int y; process P {{ state s; init s; trans s -> s {{ effect {effects}; }}; }} system async;"
        );
        let model = lowered(&text, Wrong::default());
        let start = initial_states(&model).next().expect("a start");
        let fault = successors(&model, &start).into_iter().find_map(|step| step.result.err()).expect("a fault");
        assert_eq!(model.fault_text(&fault.kind), wanted);
    }
}

/// Formulas of a property file, and what is wrong with others.
#[test]
fn formulas_are_read_over_the_names_of_the_model() {
    let model =
        "byte n; process P { byte x; state s, t; init s; trans s -> t { effect n = 2; }, t -> s {}; } system async;";
    let read = |text: &str| {
        let mut sink = Diagnostics::new();
        let found = super::parse_formulas(model, &sequential::Options::default(), text, &mut sink);
        (found, sink.list.iter().map(|found| found.code.as_str()).collect::<Vec<_>>())
    };
    let (found, codes) = read("a: G (P.s -> P.t)\nb: not (P->x == 1 -> (P.s -> P.t)) and (P->x) > 0");
    assert_eq!((found.len(), codes), (2, Vec::new()));
    let (found, codes) =
        read("a: G (P.s -> F P.t)\nb: [] <> (n == 0 and P->x < 3) U not P.s;\n// end\nc: n\n  imply P.s");
    let formulas: Vec<String> = found
        .iter()
        .map(|property| match &property.kind {
            sequential::PropertyKind::Ltl(formula) => {
                sequential::print::print_formula(&lowered(model, Wrong::default()), formula)
            }
            sequential::PropertyKind::Invariant(_) | sequential::PropertyKind::End(_) => String::new(),
        })
        .collect();
    assert_eq!(codes, [""; 0]);
    // In formulas, too, `and` and `or` have one level.
    let (mixed, codes) = read("a: F n == 1 or F n == 2 and G n == 3\nb: (F n == 1 or F n == 2) and G n == 3");
    assert_eq!((&mixed[0].kind, codes), (&mixed[1].kind, vec!["W0712"]));
    assert_eq!(formulas[0], "G((`P.state` = s) => F(`P.state` = t))");
    assert_eq!(formulas[2], "n != 0 => `P.state` = s");
    for (text, wanted) in [
        ("a: G Q.s", "E0716"),
        ("a: G P.u", "E0716"),
        ("deadlock: G n", "E0405"),
        ("a: n == \nb: n", "E0713"),
        ("a: n b: n", "E0713"),
        ("a: G n\na: F n", "E0405"),
    ] {
        let (_, codes) = read(text);
        assert_eq!(codes, [wanted], "{text}");
    }
}

/// `and` and `or` have one level, and so have `&`, `|` and `^`; only a mix without parentheses is remarked on.
#[test]
fn operators_of_one_level_are_read_from_left_to_right() {
    let read = |condition: &str| {
        let text = format!(
            "byte zero; byte one = 1; process P {{ state s, t; init s; assert t: false; trans s -> t {{ guard {condition}; }}; }} system async;"
        );
        let mut sink = Diagnostics::new();
        let parsed = super::parse(&text, &sequential::Options::default(), &mut sink);
        let model = parsed.model.expect(condition);
        let start = initial_states(&model).next().expect("a start");
        let codes: Vec<&str> = sink.list.iter().map(|found| found.code.as_str()).collect();
        (!successors(&model, &start).is_empty(), codes)
    };
    for (condition, wanted, codes) in [
        ("one or one and zero", false, &["W0712"][..]),
        ("one or (one and zero)", true, &[]),
        ("(one or one) and zero", false, &[]),
        ("zero and zero or one", true, &["W0712"]),
        ("one || zero or zero", true, &[]),
        ("zero and one imply zero or zero", true, &[]),
        ("1 | 1 & zero", false, &["W0712"]),
        ("(1 ^ one | 2) == 3 - one", true, &["W0712"]),
        ("(1 & one | 2 ^ 2) == 1", true, &["W0712", "W0712"]),
        ("one | one == one", true, &[]),
        ("2 + one << one == 6", true, &[]),
    ] {
        assert_eq!(read(condition), (wanted, codes.to_vec()), "{condition}");
    }
}
