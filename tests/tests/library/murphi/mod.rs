//! Random models of Murphi: what the project says of them is what an interpreter of their tree says, which was written from
//! `docs/semantics.md` and shares nothing with the lowering and the interpreters of the typed program.
//!
//! `SEED` is the first seed, `COUNT` how many. A campaign, which is run by its name only, compares with `rumur` where that is installed.

mod arithmetic;
mod generate;
mod machine;
mod perform;
mod phrases;
mod rumur;
mod scope;
mod search;
mod value;

use std::collections::BTreeMap;

use battery::parallel;
use checker::{QueryKind, Question, Report, SearchOrder, Threads, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::murphi::syntax::ast::File;
use frontend::murphi::trace::Trace;
use frontend::murphi::{self, Options, syntax};
use frontend::sequential::from_murphi;
use pipeline::{Plan, Slicing, Starts};

use self::generate::{Dialect, model};
use self::machine::Wrong;
use self::rumur::Said;
use self::search::{Found, explore};

const COUNT: u64 = 1_000;

/// What is to stand in many models.
const WORDS: &[&str] = &[
    "scalarset",
    "enum",
    "union",
    "multiset [",
    "record",
    "array",
    "ruleset",
    "alias",
    "choose",
    "startstate",
    "invariant",
    "assume",
    "assert",
    "cover",
    "liveness",
    "function",
    "procedure",
    "var q",
    "return",
    "for ",
    "while",
    "switch",
    "if ",
    "elsif",
    "else",
    "undefine ",
    "clear",
    "isundefined",
    "ismember",
    "multisetadd",
    "multisetremove(",
    "multisetremovepred",
    "multisetcount",
    "put",
    "error",
    "forall",
    "exists",
    " ? ",
    "->",
    "<<",
    " / ",
    " % ",
    " by ",
    " to ",
    "(undefined",
];

/// What is violated in some.
const ANSWERS: &[&str] = &["deadlock", "stuck", "assertion", "error", "property"];

/// The most states of a model that is compared.
const STATES: usize = 300;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// A model and what its tree says.
struct Case {
    text: String,
    file: File,
    found: Found,
}

/// The text of a random model whose runs have so many steps.
pub(crate) fn text(seed: u64, fuel: u32) -> String {
    model(seed, Dialect { is_whole: true, fuel: Some(fuel) })
}

/// The model of a seed, with fuel if it needs some; nothing if it is refused.
fn case(seed: u64, is_whole: bool) -> Option<Case> {
    for fuel in [None, Some(3), Some(2), Some(1)] {
        let text = model(seed, Dialect { is_whole, fuel });
        murphi::parse(&text, &Options::default(), &mut Diagnostics::new()).program?;
        let file = syntax::parse(&text, &mut Diagnostics::new()).file;
        if let Some(found) = explore(&file, STATES, None) {
            return Some(Case { text, file, found });
        }
    }
    None
}

/// A way of checking.
struct Mode {
    name: &'static str,
    plan: Plan,
    question: Question<()>,
    /// Whether the numbers are those of all states.
    counts: bool,
    /// Whether counterexamples are shortest.
    is_shortest: bool,
}

fn modes() -> Vec<Mode> {
    let all = || Question { keep_going: true, ..Question::default() };
    let first = Question::default;
    let plain = || Plan {
        slicing: Slicing::Off,
        dead_values: false,
        symmetry: None,
        starts: Starts::Fixed,
        partial_order: false,
        ..Plan::default()
    };
    let ordered = |plan| Plan { partial_order: true, proves_bounds: true, ..plan };
    let mode = |name, plan, question| Mode { name, plan, question, counts: false, is_shortest: true };
    let shared = Threads { most: 2, from: 1 };
    vec![
        Mode { counts: true, ..mode("plain", plain(), all()) },
        Mode { counts: true, ..mode("plain on two threads", plain(), Question { threads: shared, ..all() }) },
        mode("plain up to the first violation", plain(), first()),
        Mode {
            is_shortest: false,
            ..mode("depth-first", plain(), Question { order: SearchOrder::DepthFirst, ..first() })
        },
        mode("default", Plan::default(), first()),
        mode("default, all", Plan::default(), all()),
        mode("default on two threads", Plan::default(), Question { threads: shared, ..first() }),
        mode("dead values off", Plan { dead_values: false, ..Plan::default() }, Question { stuck: true, ..first() }),
        mode("stuck", Plan::default(), Question { stuck: true, ..first() }),
        mode("symmetry off", Plan { symmetry: None, ..Plan::default() }, Question { deadlock: false, ..first() }),
        // With partial order a counterexample need not be shortest.
        Mode {
            is_shortest: false,
            ..mode(
                "neither deadlock nor faults",
                Plan::default(),
                Question { deadlock: false, faults: false, assertions: false, ..first() },
            )
        },
        Mode { is_shortest: false, ..mode("partial order of everything", ordered(Plan::default()), all()) },
        Mode { is_shortest: false, ..mode("partial order alone", ordered(plain()), Question { stuck: true, ..all() }) },
        Mode {
            is_shortest: false,
            ..mode(
                "partial order alone, no faults, on two threads",
                ordered(plain()),
                Question { faults: false, assertions: false, threads: shared, ..all() },
            )
        },
    ]
}

/// The first difference between what is found and what a report says.
fn difference(found: &Found, report: &Report<Trace>, mode: &Mode) -> Result<(), String> {
    let mode_text = mode.name;
    if mode.counts {
        let counts = (report.states, report.transitions, report.deadlock_states);
        let expected = (found.states, found.transitions, Some(found.deadlocks));
        if counts != expected {
            return Err(format!("{mode_text}: states, transitions and deadlocks {counts:?}, not {expected:?}"));
        }
    }
    let mut is_violated = false;
    for (name, finding) in &found.answers {
        let asked = match name.as_str() {
            "deadlock" => mode.question.deadlock && !mode.question.stuck,
            "stuck" => mode.question.deadlock && mode.question.stuck,
            "assertion" => mode.question.assertions,
            "error" => mode.question.faults,
            _ => true,
        };
        is_violated |= asked && finding.is_violated;
    }
    for answer in &report.answers {
        if answer.kind == QueryKind::Overflow {
            continue;
        }
        let name = match answer.kind {
            QueryKind::Deadlock if mode.question.stuck => "stuck",
            _ => &answer.name,
        };
        let finding = found.answers[name];
        let expected = if finding.is_violated { Verdict::Violated } else { Verdict::Holds };
        let steps = answer.trace.as_ref().map(|trace| trace.steps.len() as u64);
        if answer.verdict != expected && (mode.question.keep_going || answer.verdict != Verdict::Inconclusive) {
            return Err(format!("{mode_text}: `{name}` {:?}, not {finding:?}", answer.verdict));
        }
        let is_of_run = finding.is_violated && finding.steps.is_some();
        if is_of_run && answer.verdict == Verdict::Violated && mode.is_shortest && steps != finding.steps {
            return Err(format!("{mode_text}: `{name}` after {steps:?} steps, not {finding:?}"));
        }
    }
    let expected = if is_violated { Verdict::Violated } else { Verdict::Holds };
    if report.verdict != expected {
        return Err(format!("{mode_text}: {:?}, not {expected:?}", report.verdict));
    }
    Ok(())
}

/// The first difference of a model in any mode.
fn compare(text: &str, found: &Found, modes: &[Mode]) -> Result<(), String> {
    let program = murphi::parse(text, &Options::default(), &mut Diagnostics::new()).program.expect("a model");
    for mode in modes {
        let question = Question { properties: program.claims(), ..mode.question.clone_without_properties() };
        let report = pipeline::check(&program, &question, &mode.plan, &mut ());
        let report = report.map_err(|error| format!("{}: {error:?}", mode.name))?;
        difference(found, &report, mode)?;
    }
    Ok(())
}

#[test]
fn models_mean_what_their_trees_say() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let modes = modes();
    let results = parallel::map(&seeds, |&seed| {
        let case = case(seed, seed % 4 != 0)?;
        Some((seed, compare(&case.text, &case.found, &modes), case))
    });
    let compared: Vec<_> = results.into_iter().flatten().collect();
    let wrong: Vec<String> = compared
        .iter()
        .filter_map(|(seed, result, case)| Some(format!("seed {seed}: {}\n{}", result.as_ref().err()?, case.text)))
        .collect();
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, _, case) in &compared {
        for &word in WORDS {
            *met.entry(word).or_default() += usize::from(case.text.to_lowercase().contains(word));
        }
        let wide = ["of one state", "of 2 to 9 states", "of 10 to 49 states", "of 50 states and more"];
        let size = usize::from(case.found.states > 1)
            + usize::from(case.found.states > 9)
            + usize::from(case.found.states > 49);
        *met.entry(wide[size]).or_default() += 1;
        for (name, finding) in &case.found.answers {
            let name = name.split(' ').next().unwrap_or_default();
            if let Some(&known) = ANSWERS.iter().find(|&&known| known == name) {
                *met.entry(known).or_default() += usize::from(finding.is_violated);
            }
        }
    }
    println!("{} of {count} models compared, {} differ: {met:?}", compared.len(), wrong.len());
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
    let rare: Vec<_> = WORDS.iter().filter(|word| met[*word] * 200 < compared.len()).collect();
    assert!(rare.is_empty() || count < COUNT, "met too rarely: {rare:?}");
    assert!(compared.len() as u64 * 10 > count * 8, "most texts are models that are compared");
}

/// `convert --to murphi` and `--to lpe`: a model that is printed back is the same, and its sequential form has its states and steps.
#[test]
fn converted_models_have_the_states_of_their_trees() {
    let seeds: Vec<u64> = (1..300).collect();
    let plain = &modes()[..1];
    let results = parallel::map(&seeds, |&seed| {
        let case = case(seed, seed % 3 != 0)?;
        let printed = murphi::print::print(&case.file);
        compare(&printed, &case.found, plain).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{printed}"));
        let program = murphi::parse(&case.text, &Options::default(), &mut Diagnostics::new()).program?;
        let Some(form) = from_murphi(&program, &mut Diagnostics::new()) else { return Some(false) };
        let properties = form.properties.clone();
        let question = Question { properties, keep_going: true, ..Question::default() };
        let report = pipeline::check(&form, &question, &plain[0].plan, &mut ()).expect("a report");
        let counts = (report.states, report.transitions);
        assert_eq!(counts, (case.found.states, case.found.transitions), "seed {seed}: {}", case.text);
        let is_violated = |name: &str| case.found.answers.get(name).is_some_and(|finding| finding.is_violated);
        let mut answers = report.answers.iter().filter(|answer| answer.kind == QueryKind::Error);
        let faults = answers.any(|answer| answer.verdict == Verdict::Violated);
        assert_eq!(faults, is_violated("error") || is_violated("assertion"), "seed {seed}: {}", case.text);
        Some(true)
    });
    let forms = results.iter().filter(|result| **result == Some(true)).count();
    println!("{forms} of {} models have a sequential form", seeds.len());
    assert!(forms > 20);
}

/// Known-wrong interpreters of the tree: each is noticed by some model.
#[test]
fn wrong_interpreters_are_noticed() {
    use Wrong::{
        ClearsLocals, CopiesAliases, CopiesReferences, EvaluatesAll, GoesDown, IgnoresAssumptions, IgnoresRanges,
        IsStuck, KeepsSlots, MergesEqual, TakesUndefined,
    };
    let cases: Vec<Case> = (1..1_000).filter_map(|seed| case(seed, true)).collect();
    for wrong in [
        ClearsLocals,
        CopiesAliases,
        CopiesReferences,
        EvaluatesAll,
        GoesDown,
        IgnoresAssumptions,
        IgnoresRanges,
        IsStuck,
        KeepsSlots,
        MergesEqual,
        TakesUndefined,
    ] {
        let is_other = |case: &Case| explore(&case.file, STATES, Some(wrong)).as_ref() != Some(&case.found);
        assert!(cases.iter().any(is_other), "{wrong:?}");
    }
}

/// The nightly campaign: 20,000 models, of which `rumur` takes nearly all.
#[test]
#[ignore = "runs a compiler for every model: half a second each"]
fn rumur_says_the_same() {
    if !rumur::is_installed() {
        println!("SKIPPED: `rumur` or `cc` is not installed");
        return;
    }
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(20_000));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let case = case(seed, false)?;
        let folder = tempfile::tempdir().expect("a folder");
        let said = rumur::ask(folder.path(), &case.text);
        let wrong = rumur::difference(&case.found, said).map(|wrong| format!("seed {seed}: {wrong}\n{}", case.text));
        Some((said, wrong, compare(&case.text, &case.found, &modes()[..1]).err()))
    });
    let results: Vec<_> = results.into_iter().flatten().collect();
    let count_of = |is: &dyn Fn(&Said) -> bool| results.iter().filter(|(said, ..)| is(said)).count();
    println!(
        "{} models: {} without error, {} with one, {} refused",
        results.len(),
        count_of(&|said| matches!(said, Said::Holds(_))),
        count_of(&|said| *said == Said::Violated),
        count_of(&|said| *said == Said::Refused)
    );
    let wrong: Vec<&String> = results.iter().flat_map(|(_, one, other)| [one, other]).flatten().collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[0]);
}
