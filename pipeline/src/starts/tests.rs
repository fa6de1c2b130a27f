//! Groups that move the starts, on random processes whose starts single out a cell: the verdicts are those of the processes without any
//! reduction, and violations are runs of the processes.

use battery::random::Rng;
use checker::{Control, Progress, Question, ReductionKind, Report, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::is_initial;
use frontend::sequential::trace::{Trace, replay};
use frontend::sequential::{Options, Sequential, parse};
use symmetry::Strategy;

use super::{Starts, Wrong, of_wider};
use crate::found::Found;
use crate::language::Language;
use crate::line::{Plan, check};
use crate::slice::Slicing;
use crate::task::Task;

struct Silent;

impl Control for Silent {
    fn progress(&mut self, _: &Progress) {}
}

fn process(text: &str) -> Sequential {
    let mut diagnostics = Diagnostics::new();
    parse(text, &Options::default(), &mut diagnostics).model.unwrap_or_else(|| panic!("{text}\n{:?}", diagnostics.list))
}

/// Cells that pass a token and change colours.
fn text(rng: &mut Rng) -> String {
    let count = 2 + rng.below(2);
    let guards =
        ["at = i", "on[i]", "!on[i]", "colour[i] = red", "colour[i] != blue", "at != i", "last = colour[i]", "1"];
    let effects = [
        "at := i;",
        "at := j;",
        "on[i] := !on[i];",
        "on[j] := on[i];",
        "colour[i] := blue;",
        "colour[j] := colour[i];",
        "last := colour[i];",
        "colour[i] := last;",
        "if (on[j] && colour[j] = blue) { fail \"both\"; }",
        "",
    ];
    let summand = |number: usize, rng: &mut Rng| {
        let (one, other) = (rng.pick(&guards), rng.pick(&guards));
        let (first, second) = (rng.pick(&effects), rng.pick(&effects));
        let order = if rng.below(8) == 0 { "i < j && " } else { "" };
        format!("sum i:P . sum j:P . [{order}{one} && {other}] step{number}(i) {{ {first} {second} }} -> M")
    };
    let summands: Vec<String> = (0..1 + rng.below(4)).map(|number| summand(number, rng)).collect();
    let on: Vec<String> = (0..count).map(|_| rng.below(2).to_string()).collect();
    let colour: Vec<&str> = (0..count).map(|_| *rng.pick(&["red", "blue", "green"])).collect();
    let properties = [
        "assert A = forall i:P . colour[i] != green || !on[i];",
        "assert B = exists i:P . at = i && on[i];",
        "assert C = !on[0];",
        "assert D = last = red || exists i:P . colour[i] = blue;",
        "prop warm = last = red; ltl E = G F warm;",
        "prop some = exists i:P . on[i]; prop cold = last = blue; ltl F1 = some U cold;",
        "prop first = on[0]; ltl G1 = F G !first;",
    ];
    let properties: Vec<&str> = (0..1 + rng.below(3)).map(|_| *rng.pick(&properties)).collect();
    let mut properties: Vec<&str> = properties;
    properties.sort_unstable();
    properties.dedup();
    format!(
        "type P : 0..{}; type K : {{ red, blue, green }};
        proc M(on : BOOL[P], colour : K[P], at : P, last : K) = {};
        init M(on = [{}], colour = [{}], at = {}, last = {});\n{}",
        count - 1,
        summands.join("\n + "),
        on.join(","),
        colour.join(","),
        rng.below(count),
        rng.pick(&["red", "blue"]),
        properties.join("\n")
    )
}

fn question(model: &Sequential, keep_going: bool) -> Question<Vec<frontend::sequential::Property>> {
    Question { deadlock: true, faults: true, properties: model.properties.clone(), keep_going, ..Question::default() }
}

fn answers<T>(report: &Report<T>) -> Vec<(&str, Verdict)> {
    report.answers.iter().map(|answer| (answer.name.as_str(), answer.verdict)).collect()
}

/// Whether a run is one of the process, by the reference semantics.
fn is_run(model: &Sequential, trace: &Trace) -> bool {
    let states: Vec<_> = trace.states().cloned().collect();
    is_initial(model, &trace.start) && replay(model, &states, None).is_ok()
}

#[test]
fn verdicts_are_those_of_processes_with_their_own_starts() {
    let (mut moved, mut violated) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let text = text(&mut rng);
        let model = process(&text);
        let question = question(&model, rng.below(2) == 0);
        let none = Plan { symmetry: None, slicing: Slicing::Off, partial_order: false, ..Plan::default() };
        let plain = check(&model, &question, &none, &mut Silent).expect("an answer");
        let plan = Plan { starts: Starts::Moved, partial_order: rng.below(2) == 0, ..Plan::default() };
        let report = check(&model, &question, &plan, &mut Silent).expect("an answer");
        let is_same = |(one, other): ((&str, Verdict), (&str, Verdict))| {
            one == other || !question.keep_going && (one.1 == Verdict::Inconclusive || other.1 == Verdict::Inconclusive)
        };
        assert!(answers(&plain).into_iter().zip(answers(&report)).all(is_same), "{text}\n{plain:?}\n{report:?}");
        assert_eq!(plain.verdict, report.verdict, "{text}");
        let is_moved = |list: &[checker::Reduction]| {
            list.iter().any(|one| one.kind == ReductionKind::MovedStarts && one.is_applied())
        };
        let runs = report.answers.iter().filter_map(|answer| answer.run.as_ref());
        let any = is_moved(&report.reductions) || runs.into_iter().any(|run| is_moved(&run.reductions));
        moved += usize::from(any);
        for trace in report.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
            violated += usize::from(any);
            assert!(is_run(&model, trace) || trace.faults(), "{text}\n{trace:?}");
        }
        let is_full = is_moved(&report.reductions) && report.full().is_some();
        assert!(!is_full, "orbits that move the starts have no full counts");
    }
    assert!(moved > 60 && violated > 60, "{moved} moved, {violated} violated");
}

/// A token that starts at the first cell and is passed on to any other one.
const TOKEN: &str = "type P : 0..3; proc M(on : BOOL[P], at : P) =
    sum i:P . sum j:P . [at = i && !on[i]] pass(i) { on[i] := 1; at := j; } -> M;
    init M(on = 0, at = 0); assert some = exists i:P . !on[i];";

#[test]
fn runs_of_other_starts_are_brought_back() {
    let model = process(TOKEN);
    let question = question(&model, true);
    let run = |wrong| {
        let wider = model.with_images_of_starts(&question.properties).expect("the token may be anywhere");
        assert_eq!(wider.starts.len(), 3);
        let plan = Plan { partial_order: false, starts: Starts::Moved, ..Plan::default() };
        let mut found = Found::whole();
        let task = Task { model: &model, question: &question, plan: &plan };
        let report = of_wider(task, &wider, (Strategy::Constraint, wrong), &mut found, &mut Silent);
        report.expect("an answer").map_err(|refusal| format!("{refusal:?}"))
    };
    let report = run(Wrong::default()).expect("a larger group");
    assert!(report.answers.iter().filter_map(|answer| answer.trace.as_ref()).all(|trace| is_run(&model, trace)));
    assert_eq!(report.group.expect("a group").order, "24");
}

#[test]
fn starts_that_no_symmetry_reaches_are_refused() {
    let model = process(TOKEN);
    let question = question(&model, true);
    let plan = Plan { partial_order: false, ..Plan::default() };
    let mut wider = model.with_images_of_starts(&question.properties).expect("the token may be anywhere");
    wider.starts.extend([vec![1, 1, 1, 1, 0], vec![1, 1, 1, 1, 1], vec![1, 1, 1, 1, 2], vec![1, 1, 1, 1, 3]]);
    let run = |wrong| {
        let task = Task { model: &model, question: &question, plan: &plan };
        of_wider(task, &wider, (Strategy::Constraint, wrong), &mut Found::whole(), &mut Silent).expect("an answer")
    };
    assert!(matches!(run(Wrong::default()), Err(None)), "the further starts are closed under the group, and no images");
    let wrong = run(Wrong { takes_any_start: true, keeps_runs: true });
    let report = wrong.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let depth = |report: &Report<Trace>| {
        report.answers.iter().filter_map(|one| one.trace.as_ref()).map(|one| one.steps.len()).min()
    };
    assert_eq!(depth(&report), Some(0), "a violation that the process does not have");
    assert!(report.answers.iter().filter_map(|answer| answer.trace.as_ref()).any(|trace| !is_run(&model, trace)));
}

#[test]
fn values_that_nothing_writes_stay() {
    let owner = "type P : 0..2; proc M(on : BOOL[P], owner : P) =
        sum i:P . [!on[i]] go(i) { if (i = owner) { fail \"owner\"; } on[i] := 1; } -> M; init M(on = 0, owner = 0);";
    assert!(process(owner).with_images_of_starts(&Vec::new()).is_none(), "no run leads from one owner to another");
    let passed = owner.replace("on[i] := 1;", "on[i] := 1; owner := i;");
    assert_eq!(process(&passed).with_images_of_starts(&Vec::new()).expect("images").starts.len(), 2);
}

/// Cells that pass something on, in the language of Murphi; the start leaves it at some cell.
fn murphi_text(rng: &mut Rng) -> String {
    let count = 2 + rng.below(2);
    let guards = [
        "at = i",
        "on[i]",
        "!on[i]",
        "colour[i] = red",
        "at != i",
        "last = colour[i]",
        "true",
        "isundefined(colour[i])",
    ];
    let effects = [
        "at := i;",
        "at := j;",
        "on[i] := !on[i];",
        "on[j] := on[i];",
        "colour[i] := blue;",
        "colour[j] := colour[i];",
        "last := colour[i];",
        "undefine colour[j];",
        "if on[j] then assert last = red \"both\"; end;",
        "for k: p do on[k] := false; end;",
        "for k: p do if on[k] then at := k; end; end;",
    ];
    let mut rule = |number: usize| {
        let (one, other) = (rng.pick(&guards), rng.pick(&guards));
        let (first, second) = (rng.pick(&effects), rng.pick(&effects));
        format!("ruleset i: p; j: p do rule \"r{number}\" {one} & {other} ==> begin {first} {second} end; end;\n")
    };
    let rules: String = (0..4).map(&mut rule).collect();
    let starts = [
        "for i: p do at := i; end;",
        "at := 1;",
        "at := 1; on[2] := true;",
        "colour[1] := green; at := 2;",
        "for i: p do on[i] := i = at; end;",
    ];
    let (start, first) = (rng.pick(&starts), rng.pick(&["red", "blue"]));
    let invariants = [
        "forall i: p do colour[i] = red | !on[i] end",
        "exists i: p do at = i & on[i] end",
        "!on[1]",
        "last = red | at = 2",
    ];
    format!(
        "type p: 1 .. {count}; k: enum {{ red, blue, green }};
         var on: array [p] of boolean; colour: array [p] of k; at: p; last: k;
         startstate begin for i: p do on[i] := false; colour[i] := {first}; at := i; end; last := {first}; {start} end;
         {rules} invariant \"a\" {}; invariant \"b\" {};",
        rng.pick(&invariants),
        rng.pick(&invariants)
    )
}

#[test]
fn verdicts_are_those_of_models_of_murphi_with_their_own_starts() {
    use frontend::murphi;
    let (mut moved, mut violated, mut fewer) = (0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let text = murphi_text(&mut rng);
        let mut diagnostics = Diagnostics::new();
        let program = murphi::parse(&text, &murphi::Options::default(), &mut diagnostics).program;
        let program = program.unwrap_or_else(|| panic!("{text}\n{:?}", diagnostics.list));
        let question = Question {
            properties: program.claims(),
            faults: rng.below(2) == 0,
            deadlock: rng.below(2) == 0,
            stuck: rng.below(2) == 0,
            keep_going: true,
            ..Question::default()
        };
        let none = Plan { symmetry: None, slicing: Slicing::Off, dead_values: false, ..Plan::default() };
        let plain = check(&program, &question, &none, &mut Silent).expect("an answer");
        let fixed = Plan { starts: Starts::Fixed, ..Plan::default() };
        let fixed = check(&program, &question, &fixed, &mut Silent).expect("an answer");
        let plan = Plan { starts: Starts::Moved, ..Plan::default() };
        let report = check(&program, &question, &plan, &mut Silent).expect("an answer");
        assert_eq!(answers(&plain), answers(&fixed), "{text}");
        assert_eq!(answers(&plain), answers(&report), "{text}");
        let is_moved = report.reductions.iter().any(|one| one.kind == ReductionKind::MovedStarts && one.is_applied());
        moved += usize::from(is_moved);
        fewer += usize::from(is_moved && report.states < fixed.states);
        for trace in report.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
            violated += usize::from(is_moved);
            let states: Vec<_> = trace.states().cloned().collect();
            assert!(murphi::trace::replay(&program, &states, None).is_ok(), "{text}\n{trace:?}");
        }
    }
    assert!(moved > 40 && violated > 40 && fewer > 20, "{moved} moved, {violated} violated, {fewer} with fewer states");
}

/// Further start states are no part of the text: the group without the claims, too, has to keep the list of them.
#[test]
fn further_starts_of_models_of_murphi_tell_values_apart() {
    use frontend::murphi;
    let text = "type p: 1 .. 3; var on: array [p] of boolean;
        startstate begin for i: p do on[i] := false; end; on[2] := true; end;
        ruleset i: p do rule \"r\" !on[i] ==> begin on[i] := true; end; end; invariant \"a\" !on[1];";
    let program = murphi::parse(text, &murphi::Options::default(), &mut Diagnostics::new()).program.expect("a model");
    let question = Question { properties: program.claims(), keep_going: true, ..Question::default() };
    let plan = Plan { starts: Starts::Moved, ..Plan::default() };
    let report = check(&program, &question, &plan, &mut Silent).expect("an answer");
    let none = Plan { symmetry: None, slicing: Slicing::Off, dead_values: false, ..Plan::default() };
    assert_eq!(answers(&check(&program, &question, &none, &mut Silent).expect("an answer")), answers(&report));
}
