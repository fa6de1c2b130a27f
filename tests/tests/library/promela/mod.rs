//! Random models of Promela: what the checker says of accept labels is what the reference semantics shows, and a campaign, which is run by its name
//! only, compares with SPIN where that is installed.
//!
//! `SEED` is the first seed, `COUNT` how many.

mod generate;
mod modes;
mod spin;

use std::collections::{BTreeMap, HashMap, HashSet};

use battery::parallel;
use checker::{Fairness, Limits, Question, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{SeqStep, State, evaluate, initial_states, successors};
use frontend::sequential::verify::verify;
use frontend::sequential::{PropertyKind, Sequential};

use self::generate::{Model, model};
use self::spin::Said;

/// The models of a run without a compiler.
const COUNT: u64 = 400;

/// Models with more states are left out.
const MOST_STATES: u64 = 20_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

fn seeds(first: u64, count: u64) -> Vec<u64> {
    let (first, count) = (number("SEED").unwrap_or(first), number("COUNT").unwrap_or(count));
    (first..first + count).collect()
}

fn read(text: &str) -> Sequential {
    let mut sink = Diagnostics::new();
    let model = frontend::promela::parse(text, &Default::default(), &mut sink).model;
    let model = model.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list));
    assert_eq!(verify(&model), [], "{text}");
    model
}

/// States, transitions and verdicts.
struct Found {
    states: u64,
    transitions: u64,
    verdicts: BTreeMap<String, Verdict>,
}

/// What is found; nothing where the states are too many.
fn checked(model: &Sequential, fairness: Fairness) -> Option<Found> {
    let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
    let properties = model.properties.clone();
    let question = Question { properties, limits, fairness, faults: true, keep_going: true, ..Question::default() };
    let report = checker::sequential::check(model, &question, &mut ()).expect("a confirmed report");
    let verdicts = report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect();
    report.complete.then_some(Found { states: report.states, transitions: report.transitions, verdicts })
}

/// What is found, with the verdicts on fair runs under names of their own where no run ends: SPIN
/// misses that such runs are fair, and sees labels at the ends of some that no process is at.
fn checked_with_fairness(model: &Sequential) -> Option<Found> {
    let mut found = checked(model, Fairness::None)?;
    let endless = Sequential { ends: None, ..model.clone() };
    let all = checked(&endless, Fairness::Weak)?;
    let has_ends = all.verdicts["deadlock"] == Verdict::Violated;
    for (name, verdict) in all.verdicts.into_iter().filter(|(name, _)| !["deadlock", "error"].contains(&name.as_str()))
    {
        if !has_ends {
            found.verdicts.insert(format!("fair {name}"), verdict);
        }
    }
    Some(found)
}

/// Whether the reference semantics has a run that passes accept labels for ever, in states or inside of steps: the slow twin.
fn passes_for_ever(model: &Sequential) -> Option<bool> {
    let accept = model.properties.iter().find(|property| property.name == "accept")?;
    let PropertyKind::Ltl(formula) = &accept.kind else { panic!("a formula") };
    let label = formula.atoms()[0].clone();
    let is_at = |state: &State| evaluate(model, &label, state, &[]) == Ok(1);
    let mut edges: HashMap<State, Vec<(State, bool)>> = HashMap::new();
    let mut queue: Vec<State> = initial_states(model).collect();
    while let Some(state) = queue.pop() {
        if edges.contains_key(&state) {
            continue;
        }
        let marked = |step: SeqStep| {
            let inner = &step.parts[..step.parts.len().saturating_sub(1)];
            let is_inside = inner.iter().any(|part| part.result.as_ref().is_ok_and(&is_at));
            let next = step.result.ok()?;
            Some((next, is_at(&state) || model.inside.is_some() && is_inside))
        };
        let marked: Vec<(State, bool)> = successors(model, &state).into_iter().filter_map(marked).collect();
        queue.extend(marked.iter().map(|(next, _)| next.clone()));
        edges.insert(state, marked);
    }
    let reaches = |from: &State, to: &State| {
        let (mut known, mut queue) = (HashSet::from([from]), vec![from]);
        while let Some(state) = queue.pop() {
            if state == to {
                return true;
            }
            queue.extend(edges[state].iter().map(|(next, _)| next).filter(|next| known.insert(next)));
        }
        false
    };
    Some(edges.iter().any(|(state, steps)| {
        let stays = steps.is_empty() && is_at(state);
        stays || steps.iter().any(|(next, is_marked)| *is_marked && reaches(next, state))
    }))
}

#[test]
fn accept_labels_are_those_of_the_reference_semantics() {
    let results = parallel::map(&seeds(1, COUNT), |&seed| {
        let text = model(seed).text;
        let model = text.contains("accept").then(|| read(&text))?;
        let Found { states, verdicts, .. } = checked(&model, Fairness::None)?;
        let wanted = (states <= 400).then(|| passes_for_ever(&model)).flatten()?;
        let is_violated = verdicts["accept"] == Verdict::Violated;
        assert_eq!(is_violated, wanted, "seed {seed}: {:?}\n{text}", verdicts["accept"]);
        Some((is_violated, model.inside.is_some()))
    });
    let count_of = |wanted: (bool, bool)| results.iter().filter(|result| **result == Some(wanted)).count();
    let counts = [(true, true), (false, true), (true, false), (false, false)].map(count_of);
    println!("violated and not, with labels inside and without: {counts:?}");
    assert!(number("COUNT").is_some() || counts.iter().all(|&count| count > 0), "{counts:?}");
}

/// The differences between what SPIN says and what is found. An accept label inside of a sequence is seen, which SPIN does not always do.
fn differences(found: &Found, said: &Said, model: &Model, counts_inside: bool) -> Vec<String> {
    let mut list = Vec::new();
    let Said::Found { states, transitions, violated } = said else {
        if *said == Said::Faults && found.verdicts["error"] != Verdict::Violated {
            list.push("error: a fault for SPIN, none here".to_owned());
        }
        return list;
    };
    let (own, other) = ((found.states, found.transitions), (*states, *transitions));
    if own != other && !model.counts_otherwise {
        list.push(format!("{states} states and {transitions} transitions for SPIN, {} and {} here", own.0, own.1));
    }
    for (&name, &is_violated) in violated {
        let own = found.verdicts.get(name).copied();
        let fits = own == Some(if is_violated { Verdict::Violated } else { Verdict::Holds });
        let sees_more = name.ends_with("accept") && counts_inside && !is_violated && own == Some(Verdict::Violated);
        let is_left_out = name.starts_with("fair") && own.is_none();
        // SPIN does not count a process that `provided` holds back as one that cannot move, so that it misses fair runs.
        let is_held_back = name.starts_with("fair") && model.text.contains("provided") && !is_violated;
        if !fits && !sees_more && !is_left_out && !is_held_back {
            list.push(format!("{name}: violated is {is_violated} for SPIN, {own:?} here"));
        }
    }
    list
}

/// Models are read for a well-formed process, however little of them can be executed.
#[test]
fn random_texts_are_well_formed_processes() {
    parallel::map(&seeds(100_000, 300), |&seed| read(&model(seed).text));
}

/// The nightly campaign: 1,000 models.
#[test]
#[ignore = "runs SPIN and a compiler for every model: some seconds each"]
fn spin_says_the_same() {
    if !spin::is_installed() {
        println!("SKIPPED: `spin`, `gcc` or `timeout` is not installed");
        return;
    }
    let results = parallel::map(&seeds(1, 1_000), |&seed| {
        let model = model(seed);
        let process = read(&model.text);
        let Some(found) = checked_with_fairness(&process) else {
            return (Said::Refused("too many states".to_owned()), None);
        };
        let folder = tempfile::tempdir().expect("a folder");
        let said = spin::ask(folder.path(), &model.text);
        let counts_inside = model.has_labels_inside && process.inside.is_some();
        let wrong = differences(&found, &said, &model, counts_inside);
        let wrong = (!wrong.is_empty()).then(|| format!("seed {seed}: {}\n{}", wrong.join("; "), model.text));
        wrong.iter().for_each(|wrong| println!("{wrong}"));
        (said, wrong)
    });
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for (said, _) in &results {
        if let Said::Refused(reason) = said {
            *refused.entry(reason.chars().take(60).collect()).or_default() += 1;
        }
    }
    let wrong: Vec<&String> = results.iter().filter_map(|(_, wrong)| wrong.as_ref()).collect();
    let compared = results.len() - refused.values().sum::<usize>();
    let faults = results.iter().filter(|(said, _)| *said == Said::Faults).count();
    let (all, differ) = (results.len(), wrong.len());
    println!("{all} models: {compared} compared, {faults} of them with faults, {differ} differ, left out: {refused:?}");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[0]);
}

#[test]
#[ignore = "prints the models of the seeds"]
fn prints_models() {
    seeds(1, 1).into_iter().for_each(|seed| println!("{}", model(seed).text));
}
