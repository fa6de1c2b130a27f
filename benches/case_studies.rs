//! The case studies of `fixtures/slicing`, sliced in every way, as a table.
//!
//! ```text
//! cargo bench -p quotient-benches --bench case_studies
//! ```
//!
//! A row is a property: the states of the whole model, of its static slice, of the last model of step-wise slicing, and of
//! the slice in which every variable that no property names may have any of its values (bounded), each explored to its end
//! and without any other reduction, and the seconds that making and exploring it took. A model with more than
//! [`MAX_STATES`] states ends there. The last column is the verdict; `over` stands where an over-approximation does not
//! tell. `slicing` is making only the static slice. The table of `docs/slicing.md` is this one.
//!
//! Below the table are the five slices that took longest to make, of every fixture for each of its properties, for assertions
//! and for deadlock.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use battery::harness::{files, read_model, read_properties, root};
use checker::{Limits, QueryKind, Question, Verdict};
use frontend::lower::LowerOptions;
use frontend::model::{ClassId, Model, Property, PropertyKind, PropertySet, Role, VariableId};
use slicing::reduce::{Abstracted, Method, Query, applicable, is_safe, slice};
use slicing::refine::{Checked, Ended, Original, Violation, step_wise};

const MAX_STATES: u64 = 1_000_000;

fn main() {
    let head = ["complete", "s", "static", "s", "step-wise", "s", "rounds", "bounded", "s", "verdict", "slicing, ms"];
    println!("| model | property | {} |", head.join(" | "));
    println!("|---|---|{}", "---|".repeat(head.len()));
    for path in files(&root().join("fixtures/slicing"), &["rebeca"], true) {
        study(&path);
    }
    slowest();
}

/// Slices every fixture for each single question, and prints the slowest.
fn slowest() {
    let mut times: Vec<(f64, String)> = Vec::new();
    for path in files(&root().join("fixtures"), &["rebeca"], true) {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        let Ok(text) = std::fs::read(&path) else { continue };
        let Some(model) = read_model(&text, &LowerOptions::default()).0 else { continue };
        let own = std::fs::read(path.with_extension("property")).ok();
        let set = own.and_then(|text| read_properties(&text, &model).0).unwrap_or_default();
        let query_of = |property: &Property| {
            let properties = PropertySet { definitions: Vec::new(), properties: vec![property.clone()] };
            (property.name.clone(), Query { properties, ..Query::default() })
        };
        let built_in = [
            ("assertion".to_owned(), Query { assertions: true, ..Query::default() }),
            ("error".to_owned(), Query { faults: true, ..Query::default() }),
            ("deadlock".to_owned(), Query { deadlock: true, ..Query::default() }),
        ];
        for (property, query) in set.properties.iter().map(query_of).chain(built_in) {
            let Ok(method) = applicable(&query, None) else { continue };
            if let Some(seconds) = slicing(&model, &query, method) {
                times.push((seconds, format!("{name}, {property}")));
            }
        }
    }
    times.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("\nslowest of {} slices of fixtures:", times.len());
    for (seconds, what) in times.iter().take(5) {
        println!("{:>8.2} ms  {what}", seconds * 1000.0);
    }
}

/// States, whether all, seconds and verdict of one model.
struct Explored {
    states: u64,
    is_whole: bool,
    seconds: f64,
    verdict: Verdict,
}

impl Explored {
    fn cells(&self) -> String {
        let more = if self.is_whole { "" } else { "> " };
        format!("{more}{} | {:.2}", self.states, self.seconds)
    }
}

fn explored(model: &Model, properties: &PropertySet) -> Explored {
    let started = Instant::now();
    let question = Question {
        deadlock: false,
        overflow: false,
        assertions: false,
        faults: false,
        properties: properties.clone(),
        keep_going: true,
        limits: Limits { max_states: Some(MAX_STATES), ..Limits::default() },
        ..Question::default()
    };
    let report = checker::check(model, &question, &mut ()).expect("confirmed by the reference");
    let seconds = started.elapsed().as_secs_f64();
    Explored { states: report.states, is_whole: report.complete, seconds, verdict: report.verdict }
}

fn study(path: &Path) {
    let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
    let text = std::fs::read(path).expect("a fixture");
    let (model, _) = read_model(&text, &LowerOptions::default());
    let model = model.expect("a fixture is a model");
    let properties = std::fs::read(path.with_extension("property")).expect("its properties");
    let (set, _) = read_properties(&properties, &model);
    let set = set.expect("its properties fit");
    for property in set.properties.iter().filter(|property| is_safe(&property.kind)) {
        if matches!(property.kind, PropertyKind::Ltl(_)) {
            continue;
        }
        let own = PropertySet { definitions: Vec::new(), properties: vec![property.clone()] };
        let query = Query { properties: own.clone(), ..Query::default() };
        let complete = explored(&model, &own);
        let exact = cut(&model, &query, Method::Static, &Abstracted::new());
        let (refined, rounds) = refined(&model, &query);
        let bounded = cut(&model, &query, Method::Bounded, &others(&model, &own));
        let verdict = match (complete.verdict, refined.verdict) {
            (Verdict::Inconclusive, verdict) | (verdict, _) => format!("{verdict:?}").to_lowercase(),
        };
        let over = if bounded.verdict == Verdict::Violated && verdict == "holds" { " over" } else { "" };
        println!(
            "| {name} | {} | {} | {} | {} | {rounds} | {}{over} | {verdict} | {:.1} |",
            property.name,
            complete.cells(),
            exact.cells(),
            refined.cells(),
            bounded.cells(),
            slicing(&model, &query, Method::Static).expect("it is preserved") * 1000.0
        );
    }
}

/// The seconds that a slice takes, the least of three; nothing if it is refused.
fn slicing(model: &Model, query: &Query, method: Method) -> Option<f64> {
    let once = || {
        let started = Instant::now();
        slice(model, query, method, &Abstracted::new()).ok()?;
        Some(started.elapsed().as_secs_f64())
    };
    (0..3).map(|_| once()).reduce(|one, other| Some(one?.min(other?))).flatten()
}

fn cut(model: &Model, query: &Query, method: Method, replace: &Abstracted) -> Explored {
    let started = Instant::now();
    let made = slice(model, query, method, replace)
        .or_else(|_| slice(model, query, Method::Static, &Abstracted::new()))
        .unwrap_or_else(|refused| panic!("{}", refused.reason));
    let found = explored(&made.model, &made.properties);
    Explored { seconds: started.elapsed().as_secs_f64(), ..found }
}

/// Every state variable that no property names.
fn others(model: &Model, properties: &PropertySet) -> Abstracted {
    let mut found = BTreeSet::new();
    for (index, class) in model.classes.iter().enumerate() {
        for (id, variable) in class.variables.iter().enumerate().filter(|(_, one)| one.role == Role::State) {
            if variable.declared_in == ClassId::from_index(index) {
                found.insert((variable.declared_in, VariableId::from_index(id)));
            }
        }
    }
    let named = slicing::refine::mentioned_variables(model, properties);
    found.difference(&named).copied().collect()
}

fn refined(model: &Model, query: &Query) -> (Explored, usize) {
    let started = Instant::now();
    let mut check = |slice: &slicing::reduce::Slice| {
        let question = Question {
            deadlock: false,
            overflow: false,
            assertions: false,
            faults: false,
            properties: slice.properties.clone(),
            limits: Limits { max_states: Some(MAX_STATES), ..Limits::default() },
            ..Question::default()
        };
        let report = checker::check(&slice.model, &question, &mut ()).expect("confirmed by the reference");
        match report.verdict {
            Verdict::Holds => Checked::Holds,
            Verdict::Inconclusive => Checked::Unknown,
            Verdict::Violated => {
                let found = report.answers.into_iter().find(|answer| answer.verdict == Verdict::Violated);
                let answer = found.expect("something is violated");
                assert_eq!(answer.kind, QueryKind::Invariant);
                Checked::Violated(Violation::Property(answer.name), Box::new(answer.trace.expect("it has a run")))
            }
        }
    };
    let bounds = frontend::interpret::Bounds::default();
    let original = Original { model, query, bounds: &bounds, budget: 10_000, is_over: &|| false };
    let refined = step_wise(&original, &mut check).unwrap_or_else(|refused| panic!("{}", refused.reason));
    let found = explored(&refined.slice.model, &refined.slice.properties);
    let verdict = match refined.ended {
        Ended::Holds => Verdict::Holds,
        Ended::Violated(..) => Verdict::Violated,
        Ended::Static => found.verdict,
        Ended::Unknown => Verdict::Inconclusive,
    };
    (Explored { seconds: started.elapsed().as_secs_f64(), verdict, ..found }, refined.rounds.len())
}
