//! Random models: the frontend accepts them, printing keeps them, and the fast path agrees with the reference.
//!
//! `SEED` is the first seed, `COUNT` how many. A failure prints the seed and the shrunk model. At the end stands how often
//! each feature was met; a run of the default size has to meet each of them.

use std::collections::BTreeMap;

use battery::differential::{Compared, Disagreement, compare};
use battery::generate::{model, render, shrink::shrink};
use battery::parallel;
use checker::Verdict;
use frontend::interpret::FaultClass;
use frontend::model::Dialect;

const COUNT: u64 = 1_000;

/// The most smaller models that the shrinker tries.
const TRIES: usize = 3_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

#[test]
fn random_models_agree() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let is_default = (first, count) == (1, COUNT);
    println!("seeds {first} to {}", first + count.saturating_sub(1));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let spec = model(seed);
        let text = render::model(&spec);
        let compared = compare(&text, render::properties(&spec).as_deref());
        compared.map(|compared| features(&text, &compared)).map_err(|(kind, message)| Failure { seed, kind, message })
    });
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(features) => features.into_iter().for_each(|feature| *met.entry(feature).or_default() += 1),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{}", report(&failures));
    println!("{count} models agree");
    let mut rare = Vec::new();
    for &(feature, least) in FEATURES {
        let times = met.get(feature).copied().unwrap_or(0);
        println!("{times:>6}  {feature}");
        if is_default && times < least {
            rare.push(feature);
        }
    }
    assert!(rare.is_empty(), "met too rarely to prove anything: {rare:?}");
}

/// A model about which something disagrees.
struct Failure {
    seed: u64,
    kind: Disagreement,
    message: String,
}

/// All failing seeds, and for the first of each kind the shrunk model and what differs.
fn report(failures: &[Failure]) -> String {
    let seeds: Vec<String> = failures.iter().map(|failure| format!("{} {:?}", failure.seed, failure.kind)).collect();
    let mut text = format!("{} models disagree: {}\n", failures.len(), seeds.join(", "));
    let mut messages = Vec::new();
    for Failure { seed, kind, message } in failures {
        if messages.contains(kind) {
            continue;
        }
        messages.push(*kind);
        let fails =
            |text: &str, properties: Option<&str>| compare(text, properties).is_err_and(|found| found.0 == *kind);
        let small = shrink(&model(*seed), TRIES, fails);
        let (model, properties) = (render::model(&small), render::properties(&small));
        let shrunk = compare(&model, properties.as_deref()).err().map_or(String::new(), |found| found.1);
        text.push_str(&format!("\nseed {seed}, {kind:?}: {message}\nshrunk: {shrunk}\n{model}"));
        text.push_str(&properties.unwrap_or_default());
    }
    text
}

/// The events that a run of the default size has to meet, and their least numbers.
const FEATURES: &[(&str, usize)] = &[
    ("compared as a whole", 800),
    ("more than 100 states", 100),
    ("more than 1000 states", 20),
    ("no fault and no limit", 100),
    ("dialect 2.0", 300),
    ("dialect 2.1", 300),
    ("several initial states by choice", 20),
    ("deadlock", 100),
    ("no deadlock", 100),
    ("QueueOverflow", 50),
    ("AssertionFailed", 20),
    ("DivisionByZero", 5),
    ("ArithmeticOverflow", 3),
    ("Narrowing", 5),
    ("IndexOutOfRange", 5),
    ("NullReceiver", 20),
    ("NotUnderstood", 10),
    ("WrongClass", 20),
    ("UndefinedScalar", 5),
    ("NegativeRoot", 2),
    ("MissingResult", 2),
    ("Endless", 2),
    ("ends at a bound", 3),
    ("creation", 30),
    ("scalar set", 100),
    ("+%", 30),
    ("forEachValueOf", 50),
    ("?(", 200),
    ("switch", 50),
    ("while", 50),
    ("do {", 30),
    ("for (", 100),
    ("continue", 10),
    ("extends", 50),
    ("abstract", 5),
    ("interface", 10),
    ("instanceof", 50),
    ("featurevar", 10),
    ("env ", 20),
    ("invariant holds", 100),
    ("invariant violated", 100),
];

/// The features that a compared model shows.
fn features(text: &str, compared: &Compared) -> Vec<&'static str> {
    let (counts, model) = (&compared.counts, &compared.model);
    let kinds: Vec<&str> =
        counts.faults.iter().map(|fault| fault.description.split([' ', '(', '{']).next().unwrap_or_default()).collect();
    let is_whole = compared.is_whole;
    let has = |feature: &str| match feature {
        "compared as a whole" => is_whole,
        "more than 100 states" => is_whole && counts.states > 100,
        "more than 1000 states" => is_whole && counts.states > 1000,
        "no fault and no limit" => is_whole && counts.complete && counts.faults.is_empty(),
        "dialect 2.0" => model.dialect == Dialect::Rebeca20,
        "dialect 2.1" => model.dialect == Dialect::Rebeca21,
        "several initial states by choice" => {
            is_whole && model.instances.iter().any(|rebec| rebec.arguments.iter().any(|all| all.len() > 1))
        }
        "deadlock" => is_whole && counts.deadlocks > 0,
        "no deadlock" => is_whole && counts.deadlocks == 0,
        "ends at a bound" => is_whole && !counts.complete,
        "creation" => is_whole && !model.creatable.is_empty(),
        "scalar set" => is_whole && !model.scalar_sets.is_empty(),
        "invariant holds" => compared.invariants.contains(&Verdict::Holds),
        "invariant violated" => compared.invariants.contains(&Verdict::Violated),
        kind if kind.starts_with(|c: char| c.is_ascii_uppercase()) => is_whole && kinds.contains(&kind),
        token => is_whole && text.contains(token),
    };
    debug_assert!(
        counts
            .faults
            .iter()
            .all(|fault| fault.class != FaultClass::Assertion || fault.description.starts_with("Assert"))
    );
    FEATURES.iter().map(|(feature, _)| *feature).filter(|feature| has(feature)).collect()
}
