//! Random models: a slice gives the verdicts of its model, for everything that it preserves.
//!
//! `SEED` is the first seed, `COUNT` how many. `holds` on the slice is `holds` on the model, always. A violation on the
//! slice is brought back to the model; where that fails the model must hold, and where the model has no faults it must not
//! fail. The printed slice reads back as the same model. Variants that are known to be wrong have to be caught.

mod ends;
mod refinement;
mod sequential;

use std::collections::BTreeSet;

use battery::differential::{BOUNDS, MAX_STATES};
use battery::directives::Expectations;
use battery::generate::spec::ModelSpec;
use battery::generate::{model, render, with_unreachable_code};
use battery::harness::{files, messages, read_model, read_properties, root};
use battery::{panics, parallel};
use checker::{Fairness, Limits, Question, Reductions, Report, Verdict};
use frontend::interpret::{FaultClass, State, evaluate_in_state};
use frontend::lower::LowerOptions;
use frontend::model::print::{print, print_properties};
use frontend::model::spans::{properties_without_spans, without_spans};
use frontend::model::{Expr, ExprKind, Formula, Model, PropertyKind, PropertySet, UnaryOp, Value};
use slicing::Switches;
use slicing::lift::{Goal, Lifted, lift};
use slicing::reduce::{Method, Query, RemovedKind, Slice, applicable, slice, slice_with};
use slicing::refine::{Checked, Decided, Ended, Original, Violation, names, search, step_wise};

const COUNT: u64 = 1_500;
const BUDGET: usize = 2_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// A deviation from what is right, for tests that must see it caught.
#[derive(Clone, Copy, Default)]
struct Wrong {
    last_only: bool,
    property_slice_for_deadlock: bool,
    overflow: bool,
    /// What ends a step before a loop without end is removed.
    hidden_loops: bool,
    /// Liveness is checked on runs that are not fair.
    unfair: bool,
}

impl Wrong {
    fn is_other(self) -> bool {
        self.last_only || self.property_slice_for_deadlock || self.overflow || self.hidden_loops
    }

    fn is_any(self) -> bool {
        self.is_other() || self.unfair
    }
}

/// The counts of comparisons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Seen {
    Holds,
    Violated,
    Lifted,
    Spurious,
    Smaller,
    MuchSmaller,
    RebecLost,
    Abstracted,
    Refined,
    Bounded,
    /// Queues as long as their bounds.
    Sized,
    /// The same, and one slot less is caught.
    TooShort,
    Live,
}

fn question(query: &Query) -> Question {
    Question {
        deadlock: query.deadlock,
        overflow: query.overflow,
        assertions: query.assertions,
        faults: query.faults,
        properties: query.properties.clone(),
        limits: Limits { max_states: Some(4 * MAX_STATES as u64), ..Limits::default() },
        bounds: BOUNDS,
        ..Question::default()
    }
}

/// The slice, with all the time that it takes.
fn original<'a>(model: &'a Model, query: &'a Query) -> Original<'a> {
    Original { model, query, bounds: &BOUNDS, budget: BUDGET, is_over: &|| false }
}

fn check(model: &Model, query: &Query) -> Report {
    checker::check(model, &question(query), &mut ()).expect("confirmed by the reference")
}

fn read(text: &str, properties: Option<&str>) -> (Model, PropertySet) {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.unwrap_or_else(|| panic!("refused: {}\n{text}", messages(&found)));
    let Some(properties) = properties else { return (model, PropertySet::default()) };
    let (set, found) = read_properties(properties.as_bytes(), &model);
    let set = set.unwrap_or_else(|| panic!("refused: {}\n{properties}", messages(&found)));
    (model, set)
}

/// The questions about a model: each property, then everything built in that slices preserve, then all at once.
fn questions(properties: &PropertySet) -> Vec<Query> {
    let one = |property: &frontend::model::Property| Query {
        properties: PropertySet { definitions: Vec::new(), properties: vec![property.clone()] },
        ..Query::default()
    };
    let mut queries: Vec<Query> = properties.properties.iter().map(one).collect();
    queries.push(Query { assertions: true, ..Query::default() });
    queries.push(Query { faults: true, ..Query::default() });
    queries.push(Query { deadlock: true, ..Query::default() });
    queries.push(Query {
        properties: properties.clone(),
        deadlock: true,
        assertions: true,
        faults: true,
        ..Query::default()
    });
    queries
}

/// The text with a rebec that nothing depends on and that never rests.
fn with_spin(text: &str) -> String {
    let starts = if text.contains("msgsrv initial") { "msgsrv initial()" } else { "Spin()" };
    let class = format!(
        "reactiveclass Spin(2) {{ knownrebecs {{ }} statevars {{ }} {starts} {{ self.spin(); }} \
         msgsrv spin() {{ self.spin(); }} }}\nmain {{\n  Spin spin():();"
    );
    text.replacen("main {", &class, 1)
}

/// Formulas over the conditions of invariants that hold on every run or every fair run of a slice hold on the model.
fn fair(model: &Model, properties: &PropertySet, fairness: Fairness, seen: &mut BTreeSet<Seen>) -> Result<(), String> {
    for property in &properties.properties {
        let PropertyKind::Invariant(expr) = &property.kind else { continue };
        let atom = || Formula::Atom(expr.clone());
        let negated = ExprKind::Unary(UnaryOp::Not, Box::new(expr.clone()));
        let not = || Formula::Atom(Expr { kind: negated.clone(), ..expr.clone() });
        let finally = |inner| Formula::Finally(Box::new(inner));
        let again = |inner| Formula::Globally(Box::new(Formula::Finally(Box::new(inner))));
        let leads = Formula::Globally(Box::new(Formula::Implies(Box::new(atom()), Box::new(finally(not())))));
        for formula in [finally(not()), again(atom()), again(not()), leads] {
            let kind = PropertyKind::Ltl(formula);
            let properties = vec![frontend::model::Property { kind, ..property.clone() }];
            let set = PropertySet { definitions: Vec::new(), properties };
            let query = Query { properties: set, assertions: true, faults: true, fair: true, ..Query::default() };
            assert_eq!(applicable(&query, Some(Method::Static)), Ok(Method::Static));
            assert!(applicable(&query, None).is_err() && applicable(&query, Some(Method::Bounded)).is_err());
            let cut = slice(model, &query, Method::Static, &BTreeSet::new()).map_err(|refused| refused.reason)?;
            if cut.removed.is_empty() {
                continue;
            }
            let verdict = |model: &Model, properties: &PropertySet| {
                let query = Query { properties: properties.clone(), ..Query::default() };
                checker::check(model, &Question { fairness, ..question(&query) }, &mut ()).expect("confirmed").verdict
            };
            let (full, small) = (verdict(model, &query.properties), verdict(&cut.model, &cut.properties));
            if (full, small) == (Verdict::Violated, Verdict::Holds) {
                return Err(format!("{query:?} is lost: {}\nslice:\n{}", print(model), print(&cut.model)));
            }
            if small == Verdict::Holds {
                seen.insert(Seen::Live);
            }
        }
    }
    Ok(())
}

fn compare(text: &str, properties: Option<&str>, wrong: Wrong) -> Result<BTreeSet<Seen>, String> {
    let (model, set) = read(text, properties);
    let mut seen = BTreeSet::new();
    let everything = checker::check(
        &model,
        &Question {
            keep_going: true,
            bounds: BOUNDS,
            limits: Limits { max_states: Some(MAX_STATES as u64), ..Limits::default() },
            ..Question::default()
        },
        &mut (),
    );
    let everything = everything.expect("confirmed by the reference");
    if !everything.complete {
        return Ok(seen);
    }
    let clean = everything
        .answers
        .iter()
        .all(|answer| answer.kind == checker::QueryKind::Deadlock || answer.verdict == Verdict::Holds);
    if bounded(&model, &everything)? {
        seen.insert(Seen::Bounded);
    }
    if let Some(is_tight) = sized(&model, &everything)? {
        seen.insert(if is_tight { Seen::TooShort } else { Seen::Sized });
    }
    if model.creatable.is_empty() && slicing::bounds::never_overflows(&model) && !wrong.is_other() {
        let (spinning, set) = read(&with_spin(text), properties);
        fair(&spinning, &set, if wrong.unfair { Fairness::None } else { Fairness::Weak }, &mut seen)?;
    }
    if wrong.unfair {
        return Ok(seen);
    }
    let mut queries = questions(&set);
    if wrong.overflow {
        queries = vec![Query { overflow: true, ..Query::default() }];
    }
    for query in queries {
        let sliced =
            Query { deadlock: query.deadlock && !wrong.property_slice_for_deadlock, overflow: false, ..query.clone() };
        let switches = Switches {
            last_definition_only: wrong.last_only,
            forgets_hidden_loops: wrong.hidden_loops,
            ..Switches::default()
        };
        let Ok(slice) = slice_with(&model, &sliced, Method::Static, &BTreeSet::new(), switches) else { continue };
        prints(&slice)?;
        let full = check(&model, &query);
        compare_one(&model, &query, &full, &slice, clean, &mut seen)?;
        if !wrong.is_any() {
            assert_eq!(sliced, query, "nothing is left out of the question");
            refined(&model, &query, full.verdict, &mut seen)?;
        }
    }
    Ok(seen)
}

/// Queues that are as long as their bounds give the same states, and the same answers; whether there are shorter ones, and whether
/// one slot less is noticed.
fn sized(model: &Model, everything: &Report) -> Result<Option<bool>, String> {
    let Some((sized, shorter)) = slicing::bounds::sized(model) else { return Ok(None) };
    let explored = |model: &Model| {
        let limits = Limits { max_states: Some(MAX_STATES as u64), ..Limits::default() };
        let question = Question { keep_going: true, bounds: BOUNDS, limits, ..Question::default() };
        let report = checker::check(model, &question, &mut ()).expect("confirmed by the reference");
        let verdicts: Vec<Verdict> = report.answers.iter().map(|answer| answer.verdict).collect();
        (report.states, report.transitions, report.deadlock_states, verdicts)
    };
    let verdicts: Vec<Verdict> = everything.answers.iter().map(|answer| answer.verdict).collect();
    let expected = (everything.states, everything.transitions, everything.deadlock_states, verdicts);
    if explored(&sized) != expected {
        return Err(format!("other states with shorter queues, {shorter:?}: {}", print(model)));
    }
    let mut short = sized.clone();
    shorter.iter().for_each(|one| short.classes[one.class.index()].queue_bound -= u32::from(one.enough > 1));
    Ok(Some(explored(&short) != expected))
}

/// Queues that are proved not to overflow do not, and partial order with that proof gives the same verdicts.
fn bounded(model: &Model, everything: &Report) -> Result<bool, String> {
    let overflows = everything
        .answers
        .iter()
        .any(|answer| answer.kind == checker::QueryKind::Overflow && answer.verdict == Verdict::Violated);
    if !slicing::bounds::never_overflows(model) {
        return Ok(false);
    }
    let context = || format!("{:?}\n{}", slicing::bounds::bounds(model), print(model));
    if overflows {
        return Err(format!("an overflow is proved away: {}", context()));
    }
    let reductions = Reductions { partial_order: true, overflow_excluded: true, ..Reductions::default() };
    let question = Question { keep_going: true, bounds: BOUNDS, ..Question::default() };
    let reduced = checker::check_reduced(model, &question, reductions, &mut ()).expect("confirmed by the reference");
    for (one, other) in everything.answers.iter().zip(&reduced.answers) {
        if one.verdict != other.verdict {
            return Err(format!("with partial order {} is {:?}: {}", one.name, other.verdict, context()));
        }
    }
    Ok(reduced.states < everything.states)
}

/// Step-wise slicing answers as the model does.
fn refined(model: &Model, query: &Query, full: Verdict, seen: &mut BTreeSet<Seen>) -> Result<(), String> {
    if query.deadlock {
        return Ok(());
    }
    let mut checked = |slice: &Slice| {
        let report = check(&slice.model, &Query { properties: slice.properties.clone(), ..query.clone() });
        let violated = report.answers.into_iter().find(|answer| answer.verdict == Verdict::Violated);
        match (report.verdict, violated) {
            (Verdict::Holds, _) => Checked::Holds,
            (_, Some(answer)) => {
                let violation = match answer.kind {
                    checker::QueryKind::Assertion => Violation::Fault(FaultClass::Assertion),
                    checker::QueryKind::Error => Violation::Fault(FaultClass::Error),
                    _ => Violation::Property(answer.name),
                };
                Checked::Violated(violation, Box::new(answer.trace.expect("a violation has a run")))
            }
            _ => Checked::Unknown,
        }
    };
    let Ok(refined) = step_wise(&original(model, query), &mut checked) else { return Ok(()) };
    let context = || format!("{query:?}\n{}\nslice:\n{}", print(model), print(&refined.slice.model));
    prints(&refined.slice)?;
    match refined.ended {
        Ended::Holds if full == Verdict::Violated => Err(format!("a violation is abstracted away: {}", context())),
        Ended::Violated(..) if full == Verdict::Holds => {
            Err(format!("a violation is refined into being: {}", context()))
        }
        Ended::Holds if !refined.slice.preserves.violated => {
            seen.insert(Seen::Abstracted);
            Ok(())
        }
        _ => {
            if refined.rounds.len() > 1 {
                seen.insert(Seen::Refined);
            }
            Ok(())
        }
    }
}

fn prints(slice: &Slice) -> Result<(), String> {
    let printed = print(&slice.model);
    let (again, found) = read_model(printed.as_bytes(), &LowerOptions::default());
    let again = again.ok_or_else(|| format!("the slice is refused: {}\n{printed}", messages(&found)))?;
    if without_spans(&again) != without_spans(&slice.model) {
        let (own, other) = (format!("{:?}", without_spans(&slice.model)), format!("{:?}", without_spans(&again)));
        let line = own.lines().zip(other.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let near = |text: &str| text.lines().skip(line.saturating_sub(12)).take(16).collect::<Vec<_>>().join("\n");
        return Err(format!("the printed slice is another model:\n{printed}\n{}\n\n{}", near(&own), near(&other)));
    }
    if slice.properties.properties.is_empty() {
        return Ok(());
    }
    let printed = print_properties(&slice.model, &slice.properties);
    let (again, found) = read_properties(printed.as_bytes(), &slice.model);
    let again = again.ok_or_else(|| format!("the properties are refused: {}\n{printed}", messages(&found)))?;
    if properties_without_spans(&again) != properties_without_spans(&slice.properties) {
        return Err(format!("the printed properties are others:\n{printed}"));
    }
    Ok(())
}

fn compare_one(
    model: &Model,
    query: &Query,
    full: &Report,
    slice: &Slice,
    clean: bool,
    seen: &mut BTreeSet<Seen>,
) -> Result<(), String> {
    let small_query = Query { properties: slice.properties.clone(), ..query.clone() };
    let small = check(&slice.model, &small_query);
    if (full.verdict, small.verdict) == (Verdict::Holds, Verdict::Inconclusive) && slice.is_finite {
        return Err(format!("the slice does not end: {query:?}\n{}\nslice:\n{}", print(model), print(&slice.model)));
    }
    if full.verdict == Verdict::Inconclusive || small.verdict == Verdict::Inconclusive {
        return Ok(());
    }
    let context = || format!("{query:?}\n{}\nslice:\n{}", print(model), print(&slice.model));
    if slice.model.instances.len() < model.instances.len() {
        seen.insert(Seen::RebecLost);
    }
    match (full.verdict, small.verdict) {
        (Verdict::Holds, Verdict::Holds) => {
            seen.insert(Seen::Holds);
            if clean && slice.is_exact() && small.states > full.states {
                return Err(format!("the slice has {} states, the model {}: {}", small.states, full.states, context()));
            }
            if small.states < full.states {
                seen.insert(Seen::Smaller);
            }
            if 10 * small.states <= full.states {
                seen.insert(Seen::MuchSmaller);
            }
            return Ok(());
        }
        (Verdict::Violated, Verdict::Holds) => return Err(format!("a violation is missed: {}", context())),
        (Verdict::Holds, Verdict::Violated) if clean => return Err(format!("a violation is invented: {}", context())),
        _ => {}
    }
    for answer in small.answers.iter().filter(|answer| answer.verdict == Verdict::Violated) {
        let Some(trace) = &answer.trace else { continue };
        let invariant = query.properties.properties.iter().find(|property| property.name == answer.name);
        let shows = |state: &State| match invariant.map(|property| &property.kind) {
            Some(PropertyKind::Invariant(expr)) => evaluate_in_state(model, state, expr) != Ok(Value::Bool(true)),
            _ => false,
        };
        let goal = match answer.kind {
            checker::QueryKind::Deadlock => Goal::Deadlock,
            checker::QueryKind::Overflow => Goal::Fault(FaultClass::Overflow),
            checker::QueryKind::Assertion => Goal::Fault(FaultClass::Assertion),
            checker::QueryKind::Error => Goal::Fault(FaultClass::Error),
            checker::QueryKind::Invariant => Goal::State(&shows),
            checker::QueryKind::Ltl
            | checker::QueryKind::Ctl
            | checker::QueryKind::Cover
            | checker::QueryKind::Recovery => continue,
        };
        match lift(&original(model, query), slice, trace, &goal) {
            Lifted::Run(_) => seen.insert(Seen::Lifted),
            Lifted::Spurious { .. } if clean => {
                return Err(format!("{} is not a run of the model: {}", answer.name, context()));
            }
            Lifted::Spurious { .. } => seen.insert(Seen::Spurious),
            Lifted::Unknown if trace.state(0).is_none() => false,
            Lifted::Unknown => false,
        };
    }
    seen.insert(Seen::Violated);
    Ok(())
}

fn run(wrong: Wrong, count: u64) -> (Vec<BTreeSet<Seen>>, Vec<(u64, String)>) {
    run_of(model, wrong, count)
}

fn run_of(model: fn(u64) -> ModelSpec, wrong: Wrong, count: u64) -> (Vec<BTreeSet<Seen>>, Vec<(u64, String)>) {
    run_on(model, wrong, &seeds(count))
}

fn seeds(count: u64) -> Vec<u64> {
    let first = number("SEED").unwrap_or(1);
    (first..first + count).collect()
}

fn run_on(model: fn(u64) -> ModelSpec, wrong: Wrong, seeds: &[u64]) -> (Vec<BTreeSet<Seen>>, Vec<(u64, String)>) {
    let results = parallel::map(seeds, |&seed| {
        let spec = model(seed);
        let (text, properties) = (render::model(&spec), render::properties(&spec));
        let compared = panics::caught(|| compare(&text, properties.as_deref(), wrong));
        let compared = compared.unwrap_or_else(|panic| Err(panic + "\n" + &text));
        compared.map_err(|message| (seed, message))
    });
    let mut failures = Vec::new();
    let mut good = Vec::new();
    for result in results {
        match result {
            Ok(seen) => good.push(seen),
            Err(failure) => failures.push(failure),
        }
    }
    (good, failures)
}

#[test]
fn slices_give_the_verdicts_of_their_models() {
    let count = number("COUNT").unwrap_or(COUNT);
    let (good, failures) = run(Wrong::default(), count);
    if let Some((seed, message)) = failures.first() {
        let seeds: Vec<u64> = failures.iter().map(|(seed, _)| *seed).collect();
        let others: Vec<&str> = failures.iter().filter_map(|(_, message)| message.lines().next()).collect();
        let others: Vec<String> = others.into_iter().map(|line| line.chars().take(160).collect()).collect();
        panic!("{} models disagree: {seeds:?}\n{}\nseed {seed}: {message}", failures.len(), others.join("\n"));
    }
    for seen in [
        Seen::Holds,
        Seen::Violated,
        Seen::Lifted,
        Seen::Spurious,
        Seen::Smaller,
        Seen::MuchSmaller,
        Seen::RebecLost,
        Seen::Abstracted,
        Seen::Refined,
        Seen::Bounded,
        Seen::Sized,
        Seen::TooShort,
        Seen::Live,
    ] {
        let times = good.iter().filter(|one| one.contains(&seen)).count();
        println!("{times:>6}  {seen:?}");
        assert!(count < COUNT || times >= 10, "{seen:?} was met {times} times: too rarely to prove anything");
    }
}

/// Every jump under a condition becomes one without, so that what follows it is never reached.
#[test]
fn slices_of_models_with_unreachable_code_give_their_verdicts() {
    let (good, failures) = run_of(with_unreachable_code, Wrong::default(), number("COUNT").unwrap_or(COUNT / 3));
    assert!(failures.is_empty(), "{} models disagree: {:?}", failures.len(), failures.first());
    assert!(good.iter().any(|seen| seen.contains(&Seen::Smaller)));
}

/// A fault hides a `new`: the model has one state, a slice without the fault has no end.
#[test]
fn a_slice_is_finite_where_its_model_is() {
    let path = root().join("fixtures/rebeca/creation/new_behind_a_fault.rebeca");
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let properties = std::fs::read_to_string(path.with_extension("property")).expect("its properties");
    let (model, properties) = read(&text, Some(&properties));
    let query = Query { properties, ..Query::default() };
    let verdict = |switches| {
        let slice = slice_with(&model, &query, Method::Static, &BTreeSet::new(), switches).expect("applies");
        compare_one(&model, &query, &check(&model, &query), &slice, false, &mut BTreeSet::new())
    };
    assert_eq!(verdict(Switches::default()), Ok(()));
    let wrong = Switches { forgets_ends: true, ..Switches::default() };
    assert!(verdict(wrong).is_err_and(|error| error.starts_with("the slice does not end")));
}

#[test]
fn wrong_variants_are_caught() {
    let wrong = [
        ("last definition only", Wrong { last_only: true, ..Wrong::default() }),
        ("a property slice for deadlock", Wrong { property_slice_for_deadlock: true, ..Wrong::default() }),
        ("slicing with overflow checked", Wrong { overflow: true, ..Wrong::default() }),
        ("liveness without fairness", Wrong { unfair: true, ..Wrong::default() }),
    ];
    for (name, wrong) in wrong {
        let seeds = seeds(number("COUNT").unwrap_or(COUNT / 3));
        let caught = seeds.chunks(10).find_map(|some| run_on(model, wrong, some).1.into_iter().next());
        let (seed, _) = caught.unwrap_or_else(|| panic!("{name} is not caught"));
        println!("{name}: caught with seed {seed}");
    }
}

/// The case studies: the verdicts of their heads on the model, on every static slice, on the deadlock slice and step by
/// step; and how much smaller the slices are at least.
#[test]
fn case_studies_keep_their_verdicts() {
    let fixtures = files(&root().join("fixtures/slicing"), &["rebeca"], true);
    assert!(fixtures.len() >= 9, "the case studies are there");
    let least = |name: &str| match name {
        "sender_receiver" | "pipeline" | "alarm" => 10,
        _ => 1,
    };
    println!("{:<16} {:>9} {:>9} {:>9} {:>9}", "model", "complete", "static", "deadlock", "step-wise");
    for path in fixtures {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let properties = std::fs::read_to_string(path.with_extension("property")).expect("its properties");
        let expected = Expectations::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if expected.is_slow {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let (model, set) = read(&text, Some(&properties));
        let everything = Question { keep_going: true, properties: set.clone(), ..Question::default() };
        let full = checker::check(&model, &everything, &mut ()).expect("confirmed by the reference");
        for (checked_name, verdict) in &expected.checks {
            let answer = full.answers.iter().find(|answer| answer.name == *checked_name);
            assert_eq!(answer.map(|answer| answer.verdict), Some(*verdict), "{name}: {checked_name}");
        }
        let (mut largest, mut seen) = (0, BTreeSet::new());
        for property in &set.properties {
            let properties = PropertySet { definitions: Vec::new(), properties: vec![property.clone()] };
            let query = Query { properties, ..Query::default() };
            let cut = slice(&model, &query, Method::Static, &BTreeSet::new()).expect("applies");
            let whole = check(&model, &query);
            compare_one(&model, &query, &whole, &cut, true, &mut seen)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            refined(&model, &query, whole.verdict, &mut seen).unwrap_or_else(|error| panic!("{name}: {error}"));
            largest = largest.max(count(&cut.model));
        }
        let query = Query { deadlock: true, ..Query::default() };
        let dead = slice(&model, &query, Method::Deadlock, &BTreeSet::new()).expect("applies");
        let whole = check(&model, &query);
        compare_one(&model, &query, &whole, &dead, true, &mut seen).unwrap_or_else(|error| panic!("{name}: {error}"));
        let abstracted = if seen.contains(&Seen::Abstracted) { "smaller" } else { "as static" };
        println!("{name:<16} {:>9} {largest:>9} {:>9} {abstracted:>9}", full.states, count(&dead.model));
        assert!(least(name) * largest <= full.states, "{name}: {largest} of {} states", full.states);
    }
}

/// All states of a model.
fn count(model: &Model) -> u64 {
    let question = Question { keep_going: true, ..Question::default() };
    checker::check(model, &question, &mut ()).expect("confirmed by the reference").states
}
