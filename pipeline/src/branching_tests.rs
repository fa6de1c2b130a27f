//! Formulas of branching time on random processes: the line gives, with and without a group, the verdicts of plain fixed points on
//! the whole graph of the reference semantics.

use std::collections::HashMap;

use battery::random::Rng;
use checker::{Branch, Fairness, Note, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::model::PropertyKind;
use frontend::sequential::interpret::{State, evaluate, initial_states, is_initial, successors};
use frontend::sequential::trace::replay;
use frontend::sequential::{Formula, Sequential};
use ltl::{Formula as Of, Paths};

use crate::read::{AnyModel, Reading, read};
use crate::{Plan, Trace, check};

/// Three clients that move each other, with conditions that name one of them or none.
fn text(rng: &mut Rng) -> String {
    let guards =
        ["x[p] = 0", "x[p] = 1", "x[p] != 2", "forall q:P . x[q] != 2", "exists q:P . x[q] = 1 && q != p", "y = 0"];
    let bodies =
        ["x[p] := 1;", "x[p] := 2;", "x[p] := 0;", "y := 1 - y;", "x[p] := 1; y := 0;", "for q:P { x[q] := 0; }"];
    let summands: Vec<String> = (0..1 + rng.below(4))
        .map(|at| {
            let (first, second) = (*rng.pick(&guards), *rng.pick(&guards));
            format!("sum p:P . [{first} && {second}] s{at}(p) {{ {} }} -> X", rng.pick(&bodies))
        })
        .collect();
    let formula = formula(rng, 3);
    format!(
        "type P : 0..2;\ntype V : 0..2;\nproc X(x : V[P], y : BIT) = {};\ninit X(x = 0, y = 0);\nltl Asked = {formula};\n",
        summands.join("\n  + ")
    )
}

fn formula(rng: &mut Rng, depth: usize) -> String {
    let atoms = [
        "exists p:P . x[p] = 1",
        "forall p:P . x[p] = 0",
        "exists p:P . x[p] = 2",
        "y = 1",
        "x[0] = 1",
        "x[1] = 2 && y = 0",
    ];
    if depth == 0 {
        return format!("({})", rng.pick(&atoms));
    }
    let (one, other) = (formula(rng, depth - 1), formula(rng, depth - 1));
    match rng.below(10) {
        0 => format!("!{one}"),
        1 => format!("({one} && {other})"),
        2 => format!("({one} || {other})"),
        3 => format!("({one} {} {other})", rng.pick(&["AU", "EU"])),
        _ => format!("{}({one})", rng.pick(&["AX", "EX", "AF", "EF", "AG", "EG"])),
    }
}

/// The states of a process, those at the start first, with the states that follow each; the last state of a run follows itself.
fn graph(model: &Sequential) -> (Vec<State>, Vec<Vec<usize>>, usize) {
    let mut states: Vec<State> = initial_states(model).collect();
    let initial = states.len();
    let mut numbers: HashMap<State, usize> = states.iter().cloned().zip(0..).collect();
    let mut next = Vec::new();
    while next.len() < states.len() {
        let at = next.len();
        let steps = successors(model, &states[at]);
        let mut targets = Vec::new();
        for step in steps {
            let state = step.result.expect("no step faults");
            let number = *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            });
            targets.push(number);
        }
        if targets.is_empty() {
            targets.push(at);
        }
        next.push(targets);
    }
    (states, next, initial)
}

fn truth(model: &Sequential, formula: &Formula, (states, next): (&[State], &[Vec<usize>])) -> Vec<bool> {
    let each = |of: &dyn Fn(usize) -> bool| (0..states.len()).map(of).collect::<Vec<bool>>();
    let part = |formula: &Formula| truth(model, formula, (states, next));
    match formula {
        Of::Atom(condition) => each(&|at| evaluate(model, condition, &states[at], &[]) == Ok(1)),
        Of::Not(inner) => part(inner).into_iter().map(|holds| !holds).collect(),
        Of::And(list) => list.iter().map(part).reduce(|a, b| each(&|at| a[at] && b[at])).expect("operands"),
        Of::Or(list) => list.iter().map(part).reduce(|a, b| each(&|at| a[at] || b[at])).expect("operands"),
        Of::Quantified(paths, path) => {
            let after = |set: &[bool], at: usize| match paths {
                Paths::All => next[at].iter().all(|&to| set[to]),
                Paths::Some => next[at].iter().any(|&to| set[to]),
            };
            let own: Vec<Vec<bool>> = path.operands().into_iter().map(part).collect();
            let mut set = vec![matches!(**path, Of::Globally(_)); states.len()];
            loop {
                let more = each(&|at| match **path {
                    Of::Next(_) => after(&own[0], at),
                    Of::Finally(_) => own[0][at] || after(&set, at),
                    Of::Globally(_) => own[0][at] && after(&set, at),
                    _ => own[1][at] || own[0][at] && after(&set, at),
                });
                if more == set {
                    return set;
                }
                set = more;
            }
        }
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn formulas_of_branching_time_have_the_truth_of_the_whole_graph() {
    let (mut reduced, mut violated, mut explained, mut branches) = (0, 0, 0, 0);
    for seed in 0..1_500 {
        let text = text(&mut Rng::new(seed));
        let mut sink = Diagnostics::new();
        let Ok(AnyModel::Process(model)) = read("x.lpe", &text, &Reading::default(), &mut sink) else {
            panic!("{text}\n{:?}", sink.list)
        };
        let PropertyKind::Ltl(formula) = &model.properties[0].kind else { panic!("{text}") };
        if !formula.is_branching() {
            continue;
        }
        let (states, next, initial) = graph(&model);
        let expected = truth(&model, formula, (&states, &next))[..initial].iter().all(|&holds| holds);
        for plan in [Plan::default(), Plan { symmetry: None, partial_order: false, ..Plan::default() }] {
            let question = checker::Question {
                deadlock: false,
                fairness: Fairness::Weak,
                properties: model.properties.clone(),
                ..checker::Question::default()
            };
            let report = check(&model, &question, &plan, &mut ()).expect("a report");
            let answer = report.answers.iter().find(|answer| answer.name == "Asked").expect("an answer");
            let verdict = if expected { Verdict::Holds } else { Verdict::Violated };
            assert_eq!(answer.verdict, verdict, "{seed}: {text}");
            if let Some(explanation) = &answer.explanation {
                let main = explanation.witness.as_ref().or(answer.trace.as_ref()).expect("a main run");
                assert_eq!(explanation.witness.is_some(), expected, "{seed}: {text}");
                let mut shown = Shown { model: &model, formula, states: &states, next: &next, branches: 0 };
                shown.all(main, &explanation.notes, &explanation.branches);
                explained += 1;
                branches += shown.branches;
            }
            let run = answer.run.as_ref().expect("a run");
            reduced += usize::from(run.states < states.len() as u64);
            violated += usize::from(!expected);
        }
    }
    assert!(reduced > 100 && violated > 300, "{reduced} quotients, {violated} violations");
    assert!(explained > 500 && branches > 100, "{explained} explained, {branches} branches");
}

/// What judges the tree of runs of an answer.
struct Shown<'m> {
    model: &'m Sequential,
    formula: &'m Formula,
    states: &'m [State],
    next: &'m [Vec<usize>],
    branches: usize,
}

impl Shown<'_> {
    /// The run is one of the model, its notes are true, and the runs that branch off share its states.
    fn all(&mut self, run: &Trace<Sequential>, notes: &[Note], branches: &[Branch<Trace<Sequential>>]) {
        let states: Vec<&State> = run.states().collect();
        assert!(
            is_initial(self.model, states[0])
                && replay(self.model, &run.states().cloned().collect::<Vec<_>>(), None).is_ok()
        );
        for note in notes {
            let truth = truth(self.model, self.formula.part(&note.part), (self.states, self.next));
            let at = self.states.iter().position(|state| state == states[note.at]).expect("a reachable state");
            assert_eq!((truth[at], note.text.is_empty()), (note.holds, false), "{note:?}");
        }
        for branch in branches {
            self.branches += 1;
            assert!((0..=branch.from).all(|at| branch.trace.state(at) == run.state(at)));
            self.all(&branch.trace, &branch.notes, &branch.branches);
        }
    }
}

/// Wherever a limit ends the run, a violation that was found has a counterexample, and nothing that was not decided is said.
#[test]
fn a_limit_takes_no_answer_back() {
    let text = "type P : 0..11; proc M(x : BOOL[P]) = sum p:P . [true] flip(p) { x[p] := !x[p]; } -> M; init M(x = 0); \
        ltl Asked = AG(EF(x[0] = 1) && AF(x[1] = 1));";
    let mut sink = Diagnostics::new();
    let Ok(AnyModel::Process(model)) = read("x.lpe", text, &Reading::default(), &mut sink) else {
        panic!("{:?}", sink.list)
    };
    let properties = model.properties.clone();
    let question = checker::Question { deadlock: false, properties, ..checker::Question::default() };
    let plan = Plan { symmetry: None, ..Plan::default() };
    let (mut open, mut shown) = (0, 0);
    for work in (0..60).map(|part| part * 20_000) {
        let report = limits::watch().at_most(work).enter(|| check(&model, &question, &plan, &mut ()));
        let Ok(Ok(report)) = report else {
            open += 1;
            continue;
        };
        let answer = report.answers.iter().find(|answer| answer.name == "Asked").expect("an answer");
        assert_eq!(answer.verdict == Verdict::Violated, answer.trace.is_some(), "{work}: {:?}", answer.finding);
        assert_ne!(answer.verdict, Verdict::Holds, "{work}");
        open += usize::from(answer.verdict == Verdict::Inconclusive);
        shown += usize::from(answer.verdict == Verdict::Violated);
    }
    assert!(open > 0 && shown > 0, "{open} open, {shown} shown");
}

/// Many steps from few states: where they do not fit into the limit they are computed again, with the same verdicts.
#[test]
fn steps_that_do_not_fit_are_computed_again() {
    let text = |formula: &str| {
        format!(
            "type N : 0..63; type Q : 0..2999; proc M(x : N) = sum q:Q . [x < 62] up(q) {{ x := x + 1; }} -> M + [x = 40] fall {{ x := 63; }} -> M; \
             init M(x = 0); ltl Asked = {formula};"
        )
    };
    let mut swept = 0;
    for (formula, expected) in [
        ("AG(EF(x = 0))", Verdict::Violated),
        ("AF(x = 62 || x = 63)", Verdict::Holds),
        ("EG(x != 63)", Verdict::Holds),
        ("AG(x != 40 || EX(x = 63))", Verdict::Holds),
    ] {
        let mut sink = Diagnostics::new();
        let Ok(AnyModel::Process(model)) = read("x.lpe", &text(formula), &Reading::default(), &mut sink) else {
            panic!("{:?}", sink.list)
        };
        for most in [300_000, 1_000_000, 2_000_000, u64::MAX] {
            let limits = checker::Limits { max_memory: Some(most), ..checker::Limits::default() };
            let properties = model.properties.clone();
            let question = checker::Question { deadlock: false, limits, properties, ..checker::Question::default() };
            let report =
                check(&model, &question, &Plan { symmetry: None, ..Plan::default() }, &mut ()).expect("a report");
            let answer = report.answers.iter().find(|answer| answer.name == "Asked").expect("an answer");
            let sweeps = answer.run.as_ref().expect("a run").sweeps;
            assert!(
                answer.verdict == expected || answer.verdict == Verdict::Inconclusive && most < u64::MAX,
                "{formula} {most}"
            );
            assert!(most < u64::MAX || sweeps == 0);
            swept += usize::from(sweeps > 0 && answer.verdict == expected);
        }
    }
    assert!(swept >= 4, "{swept} in sweeps");
}
