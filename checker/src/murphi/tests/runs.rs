//! Tests of formulas: against paths of the explored graph, with and without a quotient.

use explore::question::Limits;
use explore::reductions::{Quotient, Representative};
use explore::report::Verdict;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{State, evaluate, starts, successors};
use frontend::murphi::program::ClaimKind;
use frontend::murphi::{Options, parse, parse_formulas};

use super::super::*;
use super::twins;

/// The model of a text with formulas.
fn program(text: &str, formulas: &str) -> Option<Program> {
    parse(text, &Options::default(), &mut Diagnostics::new()).program?;
    let mut sink = Diagnostics::new();
    let read = parse_formulas(text, &Options::default(), formulas, &mut sink);
    assert!(read.is_some(), "{:?}\n{formulas}", sink.list);
    read
}

/// The verdicts of the formulas of a model, plain or in the quotient; whether a group was used.
fn verdicts(program: &Program, symmetry: bool) -> (Vec<Verdict>, bool) {
    let formulas = program.claims().into_iter().filter(|claim| matches!(claim.kind, ClaimKind::Ltl(_)));
    let answers = formulas.map(|claim| {
        let question = Question { deadlock: false, overflow: false, ..Question::default() };
        let question = Question { assertions: false, faults: false, properties: vec![claim], ..question };
        let group = ValidatedGroup::of(program, &question.properties, false);
        let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
        let quotient = Some(quotient).filter(|_| symmetry && !group.blocks().is_empty());
        let reductions = Reductions { quotient, ..Reductions::default() };
        let report = check(program, &question, &reductions, &mut ()).expect("confirmed");
        let [answer] = &report.answers[..] else { panic!("one answer") };
        let run = answer.run.as_ref().expect("a run of its own");
        assert_eq!(answer.trace.is_some(), answer.verdict == Verdict::Violated);
        (answer.verdict, run.group.is_some())
    });
    let (verdicts, used): (Vec<Verdict>, Vec<bool>) = answers.unzip();
    (verdicts, used.contains(&true))
}

/// An explored graph with the truths of two conditions: the twin.
struct Paths {
    initial: usize,
    targets: Vec<Vec<usize>>,
    /// Whether a run may end in each state.
    ends: Vec<bool>,
    p: Vec<bool>,
    q: Vec<bool>,
}

impl Paths {
    /// The graph of a model whose first two formulas have the conditions as atoms; nothing where one of them faults.
    fn new(program: &Program) -> Option<Paths> {
        let graph = explore_graph(program, &Limits { max_states: Some(1_000), ..Limits::default() });
        if !graph.complete {
            return None;
        }
        let number = |number: u64| usize::try_from(number).expect("small");
        let mut targets = vec![Vec::new(); graph.states.len()];
        graph.edges.iter().for_each(|edge| targets[number(edge.from)].push(number(edge.to)));
        let truths = |formula: usize| -> Option<Vec<bool>> {
            let property = &program.properties[*program.formulas[formula].formula.atoms()[0]];
            let truth = |state: &State| evaluate(program, property, state)[0].holds.clone().ok();
            graph.states.iter().map(truth).collect()
        };
        let ends = |state: &State| {
            let steps = successors(program, state);
            steps.is_empty() || steps.iter().any(|step| step.result.is_err())
        };
        Some(Paths {
            initial: number(graph.initial),
            targets,
            ends: graph.states.iter().map(ends).collect(),
            p: truths(0)?,
            q: truths(1)?,
        })
    }

    /// The states from which a run stays for ever where a condition does not hold.
    fn avoids(&self, condition: &[bool]) -> Vec<bool> {
        let mut found: Vec<bool> = condition.iter().map(|holds| !holds).collect();
        loop {
            let stays = |at: usize| found[at] && (self.ends[at] || self.targets[at].iter().any(|&to| found[to]));
            let next: Vec<bool> = (0..found.len()).map(stays).collect();
            if next == found {
                return found;
            }
            found = next;
        }
    }

    /// Whether a state of some is reached through states of others.
    fn reaches(&self, through: &[bool], some: &[bool]) -> bool {
        let mut waiting: Vec<usize> = (0..self.initial).collect();
        let mut seen = vec![false; self.p.len()];
        while let Some(at) = waiting.pop() {
            if some[at] {
                return true;
            }
            if through[at] && !std::mem::replace(&mut seen[at], true) {
                waiting.extend(&self.targets[at]);
            }
        }
        false
    }

    /// Whether each of [`SHAPES`] is violated.
    fn violated(&self) -> Vec<bool> {
        let all = vec![true; self.p.len()];
        let both = |one: &[bool], other: &[bool]| one.iter().zip(other).map(|(&a, &b)| a && b).collect::<Vec<bool>>();
        let not = |one: &[bool]| one.iter().map(|a| !a).collect::<Vec<bool>>();
        let (never_q, not_q) = (self.avoids(&self.q), not(&self.q));
        let next_fails = |at: usize| {
            let fails = self.targets[at].iter().any(|&to| !self.q[to]) || self.ends[at] && !self.q[at];
            self.p[at] && fails
        };
        let next: Vec<bool> = (0..self.p.len()).map(next_fails).collect();
        vec![
            self.reaches(&all, &not(&self.p)),
            never_q[..self.initial].contains(&true),
            self.reaches(&all, &both(&self.p, &never_q)),
            self.reaches(&all, &never_q),
            self.reaches(&all, &next),
            never_q[..self.initial].contains(&true) || self.reaches(&not_q, &both(&not_q, &not(&self.p))),
            self.reaches(&not_q, &both(&not_q, &not(&self.p))),
        ]
    }
}

/// Formulas about two conditions.
const SHAPES: &str = "always: [] (P)\nsoon: <> (Q)\nanswer: G ((P) -> F (Q))\nagain: G F (Q)\nnext: G ((P) -> X (Q))\nuntil: (P) U (Q)\nweak: (P) W (Q)\n";

/// Conditions without named members, so that groups stay.
const CONDITIONS: [[&str; 2]; 4] = [
    ["x < 2", "y = 2"],
    ["f", "exists i: pid do a[i].l = L2 end"],
    ["forall i: pid do a[i].l != L0 end", "x = 1"],
    ["!isundefined(q) -> q = L1", "f | x = 3"],
];

fn formulas([p, q]: [&str; 2]) -> String {
    SHAPES.replace("(P)", &format!("({p})")).replace("(Q)", &format!("({q})"))
}

#[test]
fn formulas_are_as_paths_of_the_graph_are() {
    let count = twins::count(100);
    let (mut compared, mut violated, mut grouped) = (0, 0, 0);
    for (number, text) in twins::random_texts(count).into_iter().enumerate() {
        let Some(program) = program(&text, &formulas(CONDITIONS[number % CONDITIONS.len()])) else { continue };
        if starts(&program).iter().any(|start| start.result.is_err()) {
            continue;
        }
        let Some(paths) = Paths::new(&program) else { continue };
        let expected: Vec<Verdict> =
            paths.violated().into_iter().map(|no| if no { Verdict::Violated } else { Verdict::Holds }).collect();
        for symmetry in [false, true] {
            let (found, is_used) = verdicts(&program, symmetry);
            assert_eq!(found, expected, "symmetry {symmetry}\n{text}");
            grouped += usize::from(is_used);
        }
        compared += expected.len();
        violated += expected.iter().filter(|&&verdict| verdict == Verdict::Violated).count();
    }
    println!("{compared} formulas, {violated} violated, {grouped} models in a quotient");
    assert!(compared > count && violated > count / 4 && violated < compared && grouped > 0);
}

/// A state all of whose steps stay has a run, and so has one without steps.
#[test]
fn runs_stay_where_nothing_changes() {
    let text = "var x: 0 .. 2; startstate begin x := 0; end; rule x = 0 ==> begin x := 1; end; rule x = 1 ==> begin x := 1; end;";
    let formulas = "a: F G x = 1\nb: G F x = 0\nc: G X x = 1\nd: F x = 2";
    let program = program(text, formulas).expect("a model");
    let expected = [Verdict::Holds, Verdict::Violated, Verdict::Holds, Verdict::Violated];
    assert_eq!(verdicts(&program, false).0, expected);
}

/// A condition that an exchange moves takes the exchange out of the group.
#[test]
fn conditions_cut_the_group() {
    let text =
        "type pid: 1 .. 3; var on: array [pid] of boolean; startstate begin for i: pid do on[i] := false; end; end;
        ruleset i: pid do rule begin on[i] := !on[i]; end; end;";
    let orders = |formula: &str| {
        let program = program(text, formula).expect("a model");
        ValidatedGroup::of(&program, &program.claims(), false).order().to_string()
    };
    assert_eq!(orders("a: G (exists i: pid do on[i] end -> F forall i: pid do !on[i] end)"), "6");
    assert_eq!(orders("a: G (on[1] -> F !on[1])"), "2");
    assert_eq!(orders("a: G F (on[1] | on[2] | on[3])"), "1");
}

#[test]
fn faults_of_conditions_violate_formulas() {
    let text = "var x: 0 .. 2; y: 0 .. 2; startstate begin x := 0; end; rule begin x := (x + 1) % 3; end;";
    let formulas = "a: G F y = 0\nb: G (isundefined(y) | y = 0)\nc: G F (isundefined(y) | y = 0)";
    let program = program(text, formulas).expect("a model");
    assert_eq!(verdicts(&program, false).0, [Verdict::Violated, Verdict::Holds, Verdict::Holds]);
}

/// Where the order of values shows in a condition, what the quotient found is dropped, and so is what it could not confirm.
#[test]
fn formulas_go_on_without_the_values_whose_order_shows() {
    let text = "type pid: scalarset(2); var x: array [pid] of 0 .. 1; y: array [pid] of 0 .. 1; n: 0 .. 1;
        startstate begin for p: pid do x[p] := 0; end; n := 0; end;
        ruleset p: pid do rule n = 0 ==> begin x[p] := 1; n := 1; end; end;";
    let formulas = "a: F exists p: pid do x[p] = 1 | n = 1 & y[p] = 0 end
b: G F exists p: pid do x[p] = 1 | n = 1 & y[p] = 0 end\nc: G !(exists p: pid do x[p] = 1 | n = 1 & y[p] = 0 end)";
    let program = program(text, formulas).expect("a model");
    assert_eq!(verdicts(&program, true).0, verdicts(&program, false).0);
    assert_eq!(verdicts(&program, true).0, [Verdict::Violated; 3]);
}

/// A report without a search has the kinds of the claims, as one with a search.
#[test]
fn a_check_that_is_stopped_before_its_search_keeps_the_kinds_of_claims() {
    let text = "var x: 0 .. 2; startstate begin x := 0; end; rule x < 2 ==> begin x := x + 1; end; rule x = 2 ==> begin x := 0; end;
        invariant \"small\" x < 3; cover \"two\" x = 2; liveness \"zero\" x = 0;";
    let program = program(text, "\"again\": G F x = 0\n\"branching\": AG EF x = 0").expect("a model");
    let question = Question { properties: program.claims(), ..Question::default() };
    let reductions = Reductions::default();
    let whole = check(&program, &question, &reductions, &mut ()).expect("confirmed");
    let stop = || {
        let never = limits::watch().at_most(0).run(|| {
            loop {
                limits::work(1 << 20);
            }
        });
        never.unwrap_or_else(|stopped| stopped.throw())
    };
    let stopped = unless_stopped::<Space<'_>, _>(&question, stop).expect("a report");
    let kinds = |report: &Report<Trace>| -> Vec<(String, QueryKind, bool)> {
        let mut list: Vec<_> =
            report.answers.iter().map(|answer| (answer.name.clone(), answer.kind, answer.run.is_some())).collect();
        list.sort_by(|one, other| one.0.cmp(&other.0));
        list
    };
    assert!(stopped.answers.iter().all(|answer| answer.verdict == Verdict::Inconclusive));
    assert_eq!(kinds(&stopped), kinds(&whole));
}
