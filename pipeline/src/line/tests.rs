//! What the runs of one question know of each other.

use checker::{Outcome, Question, ReductionKind, Refusal, Report};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Options, Sequential, parse};

use super::{Plan, check};
use crate::found::Found;
use crate::language::Language as _;

/// Places that are filled and drained, with a formula about all of them; the condition of filling may tell them apart.
fn ring(guard: &str) -> (Sequential, Report<Trace>) {
    let text = format!(
        "type P : 0..2;\nproc Ring(full : BOOL[P]) = sum p:P . [!full[p]{guard}] fill {{ full[p] := 1; }} -> Ring\n\
         + sum p:P . [full[p]] drain {{ full[p] := 0; }} -> Ring;\n\
         init Ring(full = 0);\nprop some = exists p:P . full[p];\nltl again = G F some;\n"
    );
    let mut sink = Diagnostics::new();
    let model = parse(&text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{:?}", sink.list));
    let question = Question { properties: model.properties.clone(), ..Question::default() };
    let report = check(&model, &question, &Plan::default(), &mut ()).expect("a report");
    (model, report)
}

/// The symmetry of the run of the only formula: whether it was used, and whether none was found.
fn of_formula(report: &Report<Trace>) -> (bool, bool) {
    let run = report.answers.iter().find_map(|answer| answer.run.as_ref()).expect("the run of the formula");
    let none = |outcome: &Outcome| matches!(outcome, Outcome::Refused(Refusal::NoSymmetry(_)));
    let refused = run.reductions.iter().any(|one| one.kind == ReductionKind::Symmetry && none(&one.outcome));
    (run.group.is_some(), refused)
}

#[test]
fn formulas_of_a_model_without_symmetries_look_for_none() {
    let (_, symmetric) = ring("");
    assert_eq!(of_formula(&symmetric), (true, false));
    let (model, report) = ring(" && p != 0 && (p = 1 || full[1])");
    assert_eq!(of_formula(&report), (false, true));
    assert_eq!(report.answers.len(), symmetric.answers.len());
    let mut found: Found<Sequential> = Found::whole();
    assert!(!found.is_asymmetric(&model));
    found.group(&model, &Vec::new(), Plan::default().symmetry.expect("a strategy")).expect("a group");
    assert!(found.is_asymmetric(&model) && !Sequential::formulas(&model.properties).is_empty());
}
