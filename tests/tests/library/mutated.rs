//! Damaged fixtures through the whole line: nothing panics, and what is accepted is a model like any other.
//!
//! A mutant that the frontend accepts is well-formed, reads back from its printed and from its formatted text as the same
//! model, and a small check of it ends without an internal error. Property files are damaged too, next to their model.
//! `SEED` and `COUNT` choose the mutants; a failing one is printed with its seed, made small.

use std::collections::BTreeMap;
use std::path::PathBuf;

use battery::differential::BOUNDS;
use battery::harness::{check, files, messages, read_model, read_properties, root};
use battery::mutate::{mutate, shrink};
use battery::panics::caught;
use battery::parallel;
use battery::random::Rng;
use checker::{Limits, Question, SearchOrder};
use frontend::lower::LowerOptions;
use frontend::model::print::{print, print_properties};
use frontend::model::spans::{properties_without_spans, without_spans};
use frontend::model::{Model, PropertySet};
use frontend::syntax::format;

const COUNT: u64 = 20_000;

/// A check of a mutant stops at this many states.
const MAX_STATES: u64 = 200;

/// The most smaller texts that the shrinker tries.
const TRIES: usize = 2_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// The fixtures that are damaged.
struct Corpus {
    models: Vec<String>,
    /// Models that are refused as they are.
    refused: Vec<String>,
    /// A model and a property file for it.
    properties: Vec<(String, String)>,
}

fn corpus() -> Corpus {
    let text = |path: &PathBuf| std::fs::read_to_string(path).ok();
    let below = |folder: &str, extension: &str| files(&root().join("fixtures").join(folder), &[extension], true);
    let models = ["rebeca", "notice"].iter().flat_map(|folder| below(folder, "rebeca"));
    let models = models.filter_map(|path| text(&path)).collect();
    let refused = below("reject", "rebeca").iter().filter_map(text).collect();
    let with_model = below("rebeca", "property")
        .into_iter()
        .filter_map(|path| Some((text(&path.with_extension("rebeca"))?, text(&path)?)));
    let one = text(&root().join("fixtures/support/one.rebeca")).expect("the model of the rejected property files");
    let rejected = below("reject", "property").into_iter().filter_map(|path| Some((one.clone(), text(&path)?)));
    Corpus { models, refused, properties: with_model.chain(rejected).collect() }
}

/// A mutant: a model, and one in four times a damaged property file for a whole model.
fn mutant(corpus: &Corpus, seed: u64) -> (String, Option<String>) {
    let mut rng = Rng::new(seed);
    if rng.chance(75) {
        let models = if rng.chance(10) { &corpus.refused } else { &corpus.models };
        let others = if rng.chance(20) { &corpus.refused } else { &corpus.models };
        let (model, other) = (rng.pick(models), rng.pick(others));
        return (mutate(model, other, &mut rng), None);
    }
    let (model, property) = rng.pick(&corpus.properties);
    let other = &rng.pick(&corpus.properties).1;
    (model.clone(), Some(mutate(property, other, &mut rng)))
}

/// The last stage that a mutant reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MutantStage {
    Refused,
    Accepted,
}

fn survives(model: &str, property: Option<&str>) -> Result<MutantStage, String> {
    caught(|| all_is_well(model, property)).unwrap_or_else(|panic| Err(format!("panic: {panic}")))
}

fn all_is_well(text: &str, property: Option<&str>) -> Result<MutantStage, String> {
    let formatted = format(text);
    let (model, _) = read(text);
    let Some(model) = model else { return Ok(MutantStage::Refused) };
    same_model(&model, &print(&model), "printed")?;
    let formatted = formatted.map_err(|found| format!("accepted, but not formatted: {}", messages(&found)))?;
    same_model(&model, &formatted, "formatted")?;
    if format(&formatted).ok().as_deref() != Some(formatted.as_str()) {
        return Err(format!("formatting is not idempotent:\n{formatted}"));
    }
    let mut properties = PropertySet::default();
    if let Some(property) = property {
        let formatted = format(property);
        let Some(set) = read_properties(property.as_bytes(), &model).0 else { return Ok(MutantStage::Refused) };
        same_properties(&model, &set, &print_properties(&model, &set), "printed")?;
        let formatted = formatted.map_err(|found| format!("accepted, but not formatted: {}", messages(&found)))?;
        same_properties(&model, &set, &formatted, "formatted")?;
        properties = set;
    }
    let limits = Limits { max_states: Some(MAX_STATES), ..Limits::default() };
    let question = Question { limits, bounds: BOUNDS, properties, ..Question::default() };
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let report = check(&model, &question, order, true)?;
        if report.states > MAX_STATES {
            return Err(format!("{} states under a limit of {MAX_STATES}", report.states));
        }
    }
    Ok(MutantStage::Accepted)
}

fn read(text: &str) -> (Option<Model>, String) {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    if model.is_none() && !found.has_errors() {
        panic!("neither a model nor an error");
    }
    (model, messages(&found))
}

fn same_model(model: &Model, text: &str, what: &str) -> Result<(), String> {
    match read(text) {
        (None, found) => Err(format!("the {what} model is refused: {found}\n{text}")),
        (Some(again), _) if without_spans(&again) != without_spans(model) => {
            Err(format!("the {what} model is another one:\n{text}"))
        }
        _ => Ok(()),
    }
}

fn same_properties(model: &Model, set: &PropertySet, text: &str, what: &str) -> Result<(), String> {
    if set.properties.is_empty() && what == "printed" {
        return Ok(());
    }
    match read_properties(text.as_bytes(), model) {
        (None, found) => Err(format!("the {what} properties are refused: {}\n{text}", messages(&found))),
        (Some(again), _) if properties_without_spans(&again) != properties_without_spans(set) => {
            Err(format!("the {what} properties are others:\n{text}"))
        }
        _ => Ok(()),
    }
}

#[test]
fn whole_fixtures_print_and_format_as_themselves() {
    let corpus = corpus();
    let models = corpus.models.iter().map(|model| (model, None));
    let with_properties = corpus.properties.iter().map(|(model, property)| (model, Some(property.as_str())));
    let problems = models.chain(with_properties).filter_map(|(model, property)| all_is_well(model, property).err());
    let problems: Vec<String> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn mutated_fixtures_never_break_anything() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    println!("seeds {first} to {}", first + count.saturating_sub(1));
    let corpus = corpus();
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let (model, property) = mutant(&corpus, seed);
        survives(&model, property.as_deref()).map_err(|problem| (seed, problem))
    });
    let mut fates: BTreeMap<MutantStage, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(fate) => *fates.entry(fate).or_default() += 1,
            Err(failure) => failures.push(failure),
        }
    }
    let report = report(&corpus, &failures);
    assert!(failures.is_empty(), "{report}");
    println!("{fates:?}");
    let accepted = fates.get(&MutantStage::Accepted).copied().unwrap_or(0);
    assert!(count < COUNT || accepted * 16 > count, "too few mutants are accepted to prove anything: {fates:?}");
}

/// The first words of a problem: what kind it is.
fn sort(problem: &str) -> String {
    let line = problem.lines().next().unwrap_or_default();
    line.split_whitespace().take(5).collect::<Vec<&str>>().join(" ")
}

/// All failing seeds, and for the first of each kind the shrunk text.
fn report(corpus: &Corpus, failures: &[(u64, String)]) -> String {
    let seeds: Vec<String> = failures.iter().map(|(seed, problem)| format!("{seed} ({})", sort(problem))).collect();
    let mut text = format!("{} mutants fail: {}\n", failures.len(), seeds.join(", "));
    let mut reports: Vec<String> = Vec::new();
    for (seed, problem) in failures {
        let kind = sort(problem);
        if reports.contains(&kind) {
            continue;
        }
        reports.push(kind.clone());
        let (model, property) = mutant(corpus, *seed);
        let fails =
            |model: &str, property: Option<&str>| survives(model, property).is_err_and(|now| sort(&now) == kind);
        let model = shrink(&model, TRIES, |smaller| fails(smaller, property.as_deref()));
        let property = property.map(|property| shrink(&property, TRIES, |smaller| fails(&model, Some(smaller))));
        let problem = survives(&model, property.as_deref()).err().unwrap_or_default();
        text.push_str(&format!("\nseed {seed}: {problem}\n--- model:\n{model}\n"));
        text.push_str(&property.map_or_else(String::new, |property| format!("--- properties:\n{property}\n")));
    }
    text
}
