//! Random models: a slice gives the verdicts of its model, for everything that it preserves.
//!
//! `SEED` is the first seed, `COUNT` how many. `holds` on the slice is `holds` on the model, always. A violation on the
//! slice is brought back to the model; where that fails the model must hold, and where the model has no faults it must not
//! fail. The printed slice reads back as the same model. Variants that are known to be wrong have to be caught.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use battery::differential::{BOUNDS, MAX_STATES};
use battery::generate::{model, render};
use battery::harness::{messages, read_model, read_properties};
use battery::parallel;
use checker::{Limits, Question, Report, Verdict};
use frontend::interpret::{FaultClass, State, evaluate_in_state};
use frontend::lower::LowerOptions;
use frontend::model::print::{print, print_properties};
use frontend::model::spans::{properties_without_spans, without_spans};
use frontend::model::{Model, PropertyKind, PropertySet, Value};
use slicing::lift::{Goal, Lifted, lift};
use slicing::reduce::{Ask, Method, Slice, Switches, slice_with};
use slicing::Reaching;

const COUNT: u64 = 1_000;
const BUDGET: usize = 20_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// A deviation from what is right, for tests that must see it caught.
#[derive(Clone, Copy, Default)]
struct Wrong {
    last_only: bool,
    property_slice_for_deadlock: bool,
    overflow: bool,
}

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Seen {
    Holds,
    Violated,
    Lifted,
    Spurious,
    Smaller,
    MuchSmaller,
    RebecGone,
}

fn question(ask: &Ask) -> Question {
    Question {
        deadlock: ask.deadlock,
        overflow: ask.overflow,
        assertions: ask.assertions,
        faults: ask.faults,
        properties: ask.properties.clone(),
        limits: Limits { max_states: Some(4 * MAX_STATES as u64), ..Limits::default() },
        bounds: BOUNDS,
        ..Question::default()
    }
}

fn check(model: &Model, ask: &Ask) -> Report {
    checker::check(model, &question(ask), &mut ()).expect("confirmed by the reference")
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
fn questions(properties: &PropertySet) -> Vec<Ask> {
    let one = |property: &frontend::model::Property| Ask {
        properties: PropertySet { definitions: Vec::new(), properties: vec![property.clone()] },
        ..Ask::default()
    };
    let mut asks: Vec<Ask> = properties.properties.iter().map(one).collect();
    asks.push(Ask { assertions: true, ..Ask::default() });
    asks.push(Ask { faults: true, ..Ask::default() });
    asks.push(Ask { deadlock: true, ..Ask::default() });
    asks.push(Ask { properties: properties.clone(), deadlock: true, assertions: true, faults: true, overflow: false });
    asks
}

fn compare(text: &str, properties: Option<&str>, wrong: Wrong) -> Result<BTreeSet<Seen>, String> {
    let (model, set) = read(text, properties);
    let mut seen = BTreeSet::new();
    let everything = checker::check(&model, &Question { keep_going: true, bounds: BOUNDS, limits: Limits { max_states: Some(MAX_STATES as u64), ..Limits::default() }, ..Question::default() }, &mut ());
    let everything = everything.expect("confirmed by the reference");
    if !everything.complete {
        return Ok(seen);
    }
    let clean = everything.answers.iter().all(|answer| answer.kind == checker::AskedKind::Deadlock || answer.verdict == Verdict::Holds);
    let mut asks = questions(&set);
    if wrong.overflow {
        asks = vec![Ask { overflow: true, ..Ask::default() }];
    }
    for ask in asks {
        let sliced = Ask {
            deadlock: ask.deadlock && !wrong.property_slice_for_deadlock,
            overflow: false,
            ..ask.clone()
        };
        let switches = Switches { reaching: if wrong.last_only { Reaching::LastOnly } else { Reaching::All } };
        let Ok(slice) = slice_with(&model, &sliced, Method::Static, &BTreeSet::new(), switches) else { continue };
        prints(&slice)?;
        compare_one(&model, &ask, &slice, clean, &mut seen)?;
    }
    Ok(seen)
}

fn prints(slice: &Slice) -> Result<(), String> {
    let printed = print(&slice.model);
    let (again, found) = read_model(printed.as_bytes(), &LowerOptions::default());
    let again = again.ok_or_else(|| format!("the slice is refused: {}\n{printed}", messages(&found)))?;
    if without_spans(&again) != without_spans(&slice.model) {
        let (own, other) = (format!("{:#?}", without_spans(&slice.model)), format!("{:#?}", without_spans(&again)));
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

fn compare_one(model: &Model, ask: &Ask, slice: &Slice, clean: bool, seen: &mut BTreeSet<Seen>) -> Result<(), String> {
    let full = check(model, ask);
    let small_ask = Ask { properties: slice.properties.clone(), ..ask.clone() };
    let small = check(&slice.model, &small_ask);
    if full.verdict == Verdict::Inconclusive || small.verdict == Verdict::Inconclusive {
        return Ok(());
    }
    let told = || format!("{ask:?}\n{}\nslice:\n{}", print(model), print(&slice.model));
    if slice.model.instances.len() < model.instances.len() {
        seen.insert(Seen::RebecGone);
    }
    match (full.verdict, small.verdict) {
        (Verdict::Holds, Verdict::Holds) => {
            seen.insert(Seen::Holds);
            if clean && slice.is_exact() && small.states > full.states {
                return Err(format!("the slice has {} states, the model {}: {}", small.states, full.states, told()));
            }
            if small.states < full.states {
                seen.insert(Seen::Smaller);
            }
            if 10 * small.states <= full.states {
                seen.insert(Seen::MuchSmaller);
            }
            return Ok(());
        }
        (Verdict::Violated, Verdict::Holds) => return Err(format!("a violation is missed: {}", told())),
        (Verdict::Holds, Verdict::Violated) if clean => return Err(format!("a violation is invented: {}", told())),
        _ => {}
    }
    for answer in small.answers.iter().filter(|answer| answer.verdict == Verdict::Violated) {
        let Some(trace) = &answer.trace else { continue };
        let invariant = ask.properties.properties.iter().find(|property| property.name == answer.name);
        let shows = |state: &State| match invariant.map(|property| &property.kind) {
            Some(PropertyKind::Invariant(expr)) => evaluate_in_state(model, state, expr) != Ok(Value::Bool(true)),
            _ => false,
        };
        let goal = match answer.kind {
            checker::AskedKind::Deadlock => Goal::Deadlock,
            checker::AskedKind::Overflow => Goal::Fault(FaultClass::Overflow),
            checker::AskedKind::Assertion => Goal::Fault(FaultClass::Assertion),
            checker::AskedKind::Error => Goal::Fault(FaultClass::Error),
            checker::AskedKind::Invariant => Goal::State(&shows),
            checker::AskedKind::Ltl => continue,
        };
        match lift(model, &BOUNDS, slice, trace, &goal, BUDGET) {
            Lifted::Run(_) => seen.insert(Seen::Lifted),
            Lifted::Spurious { .. } if clean => return Err(format!("{} is not a run of the model: {}", answer.name, told())),
            Lifted::Spurious { .. } => seen.insert(Seen::Spurious),
            Lifted::Unknown if trace.state(0).is_none() => false,
            Lifted::Unknown => false,
        };
    }
    seen.insert(Seen::Violated);
    Ok(())
}

fn run(wrong: Wrong, count: u64) -> (Vec<BTreeSet<Seen>>, Vec<(u64, String)>) {
    let first = number("SEED").unwrap_or(1);
    let seeds: Vec<u64> = (first..first + count).collect();
    std::panic::set_hook(Box::new(|_| {})); // panics are results here
    let results = parallel::map(&seeds, |&seed| {
        let spec = model(seed);
        let (text, properties) = (render::model(&spec), render::properties(&spec));
        let compared = catch_unwind(|| compare(&text, properties.as_deref(), wrong)).unwrap_or_else(|panic| {
            Err(panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned()) + "\n" + &text)
        });
        compared.map_err(|message| (seed, message))
    });
    let _ = std::panic::take_hook();
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
    for seen in [Seen::Holds, Seen::Violated, Seen::Lifted, Seen::Spurious, Seen::Smaller, Seen::MuchSmaller, Seen::RebecGone] {
        let times = good.iter().filter(|one| one.contains(&seen)).count();
        println!("{times:>6}  {seen:?}");
        assert!(count < COUNT || times >= 10, "{seen:?} was met {times} times: too rarely to prove anything");
    }
}

#[test]
fn wrong_variants_are_caught() {
    let wrong = [
        ("last definition only", Wrong { last_only: true, ..Wrong::default() }),
        ("a property slice for deadlock", Wrong { property_slice_for_deadlock: true, ..Wrong::default() }),
        ("slicing with overflow asked", Wrong { overflow: true, ..Wrong::default() }),
    ];
    for (name, wrong) in wrong {
        let (_, failures) = run(wrong, number("COUNT").unwrap_or(COUNT / 2));
        println!("{name}: caught on {} models", failures.len());
        assert!(!failures.is_empty(), "{name} is not caught");
    }
}
