//! What the runs of one question know of each other.

use std::sync::Arc;
use std::time::Duration;

use checker::{Limits, Outcome, Question, ReductionKind, Refusal, Report};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Options, Sequential, parse};
use limits::{Counting, Watch};
use ltl::Properties as _;

use super::{Plan, check};
use crate::found::Found;
use crate::payoff::Rule;
use crate::stack::Stack;
use crate::task::Task;

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
    assert!(found.is_asymmetric(&model) && !model.properties.formulas().is_empty());
}

/// 22 bits that rotations of all together move, and the report of a search that gives the quotient up under a rule.
fn rotated(rule: Rule) -> Report<Trace> {
    let text = "type P : 0..21;\nproc Bits(b : BOOL[P]) = sum p:P . [true] flip(p) { b[p] := !b[p]; b[(p + 1) mod 22] := !b[(p + 1) mod 22]; } -> Bits;\n\
                init Bits(b = 0);\n";
    let mut sink = Diagnostics::new();
    let model = parse(text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{:?}", sink.list));
    let limits = Limits { max_states: Some(60_000), ..Limits::default() };
    let question = Question { limits, ..Question::default() };
    let mut found: Found<Sequential> = Found::whole();
    let group = found.group(&model, &Vec::new(), Plan::default().symmetry.expect("a strategy"));
    let plan = Plan::default();
    let task = Task { model: &model, question: &question, plan: &plan };
    let stack = Stack::new(task, Some(group.map(Some))).given_up_by(rule);
    stack.search(&question, false, &mut ()).expect("a report")
}

#[test]
fn a_quotient_that_does_not_pay_is_given_up() {
    let refused = |report: &Report<Trace>| {
        let is_for_cost = |outcome: &Outcome| matches!(outcome, Outcome::Refused(Refusal::DoesNotPay { .. }));
        report.reductions.iter().any(|one| one.kind == ReductionKind::Symmetry && is_for_cost(&one.outcome))
    };
    let kept = rotated(Rule::default());
    assert!(kept.group.is_some() && !refused(&kept), "{:?}", kept.reductions);
    // A second passes at each look: how fast the machine is does not matter.
    let always = Rule { after: Duration::ZERO, trial: Duration::from_secs(1 << 30), percent: 0, most: u64::MAX };
    let watch = Watch::new(Arc::new(Counting::default()), None, None);
    let given_up = watch.enter(|| rotated(always)).expect("no limit");
    assert!(given_up.group.is_none() && refused(&given_up), "{:?}", given_up.reductions);
    assert_eq!((kept.states, given_up.states), (48_734, 60_000));
    assert!(given_up.limit.is_some_and(|limit| limit.kind == checker::LimitKind::States));
}

/// What is said of more values holds for formulas, too, which have runs of their own.
#[test]
fn formulas_count_where_more_values_of_a_sort_add_nothing() {
    let sorts = |property: &str| -> Vec<String> {
        let text = format!(
            "type V : 1..4;\nproc X(v : V) = sum x:V . [true] pick {{ v := x; }} -> X;\ninit X(v = *);\n{property}\n"
        );
        let mut sink = Diagnostics::new();
        let model = parse(&text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{:?}", sink.list));
        let question = Question { properties: model.properties.clone(), ..Question::default() };
        let report = check(&model, &question, &Plan::default(), &mut ()).expect("a report");
        report.data.into_iter().map(|data| data.sort).collect()
    };
    assert_eq!(sorts("ltl L = G(exists x:V . x = v);"), ["V"]);
    for property in ["assert A = v <= 4;", "ltl L = G(v <= 4);", "ltl L = EF(v > 3);", "ltl L = G(v + 1 <= 5);"] {
        assert!(sorts(property).is_empty(), "{property}");
    }
}
