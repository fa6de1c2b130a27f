//! Known-wrong answers about parts that no representative executes, on fixtures whose quotients do not execute all parts of the model.

use battery::harness::{messages, read_model, root};
use checker::{Question, Quotient, Reductions, Representative};
use frontend::diagnostics::Diagnostics;
use frontend::lower::LowerOptions;
use frontend::model::Model;
use frontend::sequential::{Options, Sequential, parse};
use symmetry::Strategy;

use super::{Kept, Wrong, coverage, known_by};
use crate::language::Language;
use crate::line::detect;

fn fixture(name: &str) -> String {
    std::fs::read_to_string(root().join("fixtures").join(name)).expect("a fixture")
}

fn rebeca(name: &str) -> Model {
    let (model, found) = read_model(fixture(name).as_bytes(), &LowerOptions::default());
    model.unwrap_or_else(|| panic!("{}", messages(&found)))
}

fn process(name: &str) -> Sequential {
    parse(&fixture(name), &Options::default(), &mut Diagnostics::new()).model.expect("a process")
}

/// Whether some part is said to be never executed in the quotient by the detected group that the model executes.
fn is_contradicted<L: Language>(model: &L, wrong: Wrong) -> bool {
    let question = || Question::<L::Properties> { keep_going: true, ..Question::default() };
    let plain = model.check(&question(), Reductions::default(), &mut ()).expect("a report").executed.expect("counts");
    let detected = detect(model, &L::Properties::default(), Strategy::Constraint);
    let group = detected.unwrap_or_else(|_| panic!("a group")).group;
    let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
    let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
    let report = model.check(&question(), reductions, &mut ()).expect("a report");
    let counts: Vec<u64> = report.executed.expect("counts").into_iter().flatten().collect();
    let kept = model.kept_parts(&group, &counts);
    assert!(counts.contains(&0) && kept > Kept::Nothing, "the quotient leaves out a part: {counts:?}, {kept:?}");
    let known = known_by(&model.parts(), counts, kept, wrong).expect("outer parts are known");
    known.iter().zip(plain).any(|(&known, plain)| known == Some(0) && plain > Some(0))
}

/// The names of the parts that no state executes: those of which this is said, and those that follow them or each other.
fn never(text: &str) -> (Vec<String>, Vec<String>) {
    let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a process");
    let report = model.check(&Question::default(), Reductions::default(), &mut ()).expect("a report");
    let covered = coverage(&model, &report).expect("counts");
    let names = |is_nested: bool| {
        let never = covered.iter().filter(|covered| covered.count == 0 && covered.is_nested == is_nested);
        never.map(|covered| covered.part.name.clone()).collect()
    };
    (names(false), names(true))
}

#[test]
fn what_follows_a_part_that_is_never_executed_is_nested() {
    let text = "\
type At : { idle, first, second, third, island, reef };
type N : 0..3;
proc P(at : At, n : N) =
    [at = idle && n < 3] count { n := n + 1; } -> P
  + [at = idle && n > 3] go { at := first; } -> P
  + [at = first] on { at := second; } -> P
  + [at = second] back { at := first; } -> P
  + [at = second && n > 2] out { at := third; } -> P
  + [at = third || n = 3] reset { n := 0; } -> P
  + [at = island] swim { at := reef; } -> P
  + [at = reef] sail { at := island; } -> P;
init P(at = idle, n = 0);
";
    let (first, nested) = never(text);
    assert_eq!(
        (first, nested),
        (vec!["go".into(), "swim".into()], vec!["on".into(), "back".into(), "out".into(), "sail".into()])
    );
    // `reset` is executed and may write any location: the others do not follow a part that is never executed.
    let text = text.replace("n := 0;", "n := 0; at := ite(n = 0, idle, third);");
    let (first, _) = never(&text);
    assert_eq!(first, ["go", "on", "back", "out", "swim", "sail"]);
}

#[test]
fn branches_that_a_group_exchanges_are_caught() {
    let hall = rebeca("rebeca/coverage/order_of_rounds.rebeca");
    assert!(!is_contradicted(&hall, Wrong::default()));
    assert!(is_contradicted(&hall, Wrong { keeps_branches: true }));
    let seats = process("lpe/coverage/order_of_rounds.lpe");
    assert!(!is_contradicted(&seats, Wrong::default()));
    assert!(is_contradicted(&seats, Wrong { keeps_branches: true }));
}
