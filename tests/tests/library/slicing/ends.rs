//! Models in which a statement that may end a step matters to a slice, each with a variant of the rules that is known to be wrong.

use std::collections::BTreeSet;

use battery::differential::{BOUNDS, MAX_STATES};
use battery::generate::{self, render};
use battery::harness::root;
use battery::parallel;
use checker::{Limits, Question, Verdict};
use frontend::interpret::{Bounds, most_statements};
use frontend::model::{Model, PropertySet};
use slicing::Switches;
use slicing::reduce::{Method, Query, slice_with};

use super::read;

fn fixture(name: &str) -> (Model, PropertySet) {
    let path = root().join(format!("fixtures/rebeca/soundness/{name}.rebeca"));
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let properties = std::fs::read_to_string(path.with_extension("property")).ok();
    read(&text, properties.as_deref())
}

/// The verdict, with the bounds on steps that users have.
fn verdict(model: &Model, query: &Query) -> Verdict {
    let Query { properties, deadlock, overflow, assertions, faults, .. } = query.clone();
    let question = Question { properties, deadlock, overflow, assertions, faults, ..Question::default() };
    checker::check(model, &question, &mut ()).expect("confirmed by the reference").verdict
}

/// A fixture is violated, and so is its slice, but for a wrong variant of the rules.
fn kept_and_lost(name: &str, method: Method, query: &Query, wrong: Switches) {
    let (model, _) = fixture(name);
    assert_eq!(verdict(&model, query), Verdict::Violated, "{name}");
    let sliced = |switches| {
        let slice = slice_with(&model, query, method, &BTreeSet::new(), switches).expect("applies");
        verdict(&slice.model, &Query { properties: slice.properties, ..query.clone() })
    };
    assert_eq!((sliced(Switches::default()), sliced(wrong)), (Verdict::Violated, Verdict::Holds), "{name}");
}

/// A server of the name of the message with as many parameters may be one that does not take the arguments.
#[test]
fn a_message_that_the_sender_does_not_understand_is_kept() {
    let query = Query { faults: true, ..Query::default() };
    let wrong = Switches { passes_all: true, ..Switches::default() };
    kept_and_lost("slice_unequal_sorts", Method::Static, &query, wrong);
}

/// A call that executes too many statements faults; with some of them dropped it does not.
#[test]
fn statements_that_pass_the_bound_of_a_call_are_kept() {
    let query = Query { faults: true, ..Query::default() };
    let wrong = Switches { forgets_length: true, ..Switches::default() };
    for name in ["slice_rounds_at_the_bound", "slice_count_to_the_bound"] {
        kept_and_lost(name, Method::Static, &query, wrong);
    }
}

/// Bounds on the statements of calls that are read off the text: no call has more, and some have as many.
#[test]
fn no_call_is_longer_than_its_text_allows() {
    let seeds: Vec<u64> = (1..=2000).collect();
    let compared = parallel::map(&seeds, |&seed| {
        let (model, _) = read(&render::model(&generate::model(seed)), None);
        let servers = model.classes.iter().flat_map(|class| class.servers.iter().map(|server| &server.body));
        let methods = model.classes.iter().flat_map(|class| class.methods.iter().map(|method| &method.body));
        let made = model.classes.iter().filter_map(|class| class.constructor.as_ref().map(|made| &made.body));
        let all = servers.chain(methods).chain(made).map(|body| most_statements(&model, body, &|_| true));
        let most = all.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        let explored = |most: u64| {
            let limits = Limits { max_states: Some(MAX_STATES as u64), ..Limits::default() };
            let bounds = Bounds { max_statements: u32::try_from(most).expect("few statements"), ..BOUNDS };
            let question = Question { keep_going: true, bounds, limits, ..Question::default() };
            let report = checker::check(&model, &question, &mut ()).expect("confirmed by the reference");
            let verdicts: Vec<Verdict> = report.answers.iter().map(|answer| answer.verdict).collect();
            (report.states, report.transitions, verdicts)
        };
        let found = explored(most);
        assert_eq!(found, explored(u64::from(BOUNDS.max_statements)), "seed {seed}: {most}");
        Some(most > 0 && explored(most - 1) != found)
    });
    let tight = compared.iter().filter(|one| **one == Some(true)).count();
    let bounded = compared.iter().flatten().count();
    println!("{bounded} models have bounds, {tight} reach them");
    assert!(bounded >= 800 && tight >= 60, "{bounded} models have bounds, {tight} reach them");
}
