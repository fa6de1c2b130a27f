//! Known-wrong answers about parts that no representative executes, on fixtures whose quotients do not execute all parts of the model.

use battery::harness::{messages, read_model, root};
use checker::{Question, Quotient, Reductions, Representative};
use frontend::diagnostics::Diagnostics;
use frontend::lower::LowerOptions;
use frontend::model::Model;
use frontend::sequential::{Options, Sequential, parse};
use symmetry::Strategy;

use super::{Kept, Wrong, known_by};
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

#[test]
fn branches_that_a_group_exchanges_are_caught() {
    let hall = rebeca("rebeca/coverage/order_of_rounds.rebeca");
    assert!(!is_contradicted(&hall, Wrong::default()));
    assert!(is_contradicted(&hall, Wrong { keeps_branches: true }));
    let seats = process("lpe/coverage/order_of_rounds.lpe");
    assert!(!is_contradicted(&seats, Wrong::default()));
    assert!(is_contradicted(&seats, Wrong { keeps_branches: true }));
}
