//! Models in which a statement that may end a step matters to a slice, each with a variant of the rules that is known to be wrong.

use std::collections::BTreeSet;

use battery::differential::{BOUNDS, MAX_STATES};
use battery::generate::endless::with_ended_loops;
use battery::generate::{self, render};
use battery::harness::root;
use battery::parallel;
use checker::{Limits, Question, Verdict};
use frontend::interpret::{Bounds, most_statements};
use frontend::model::{Model, PropertySet};
use slicing::Switches;
use slicing::reduce::{Method, Query, slice_with};

use super::{Seen, Wrong, read, run_of};

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

/// A branch that ends by a fault must not run on for ever in the slice: the other branch is lost with it.
#[test]
fn what_ends_a_step_before_a_part_without_end_is_kept() {
    let wrong = Switches { forgets_hidden_loops: true, ..Switches::default() };
    for name in ["slice_fault_before_a_loop", "slice_fault_in_a_loop"] {
        let query = Query { properties: fixture(name).1, ..Query::default() };
        kept_and_lost(name, Method::Static, &query, wrong);
    }
    let query = Query { deadlock: true, ..Query::default() };
    kept_and_lost("slice_fault_before_a_call", Method::Deadlock, &query, wrong);
}

/// Loops of random models that only a fault ends, in them or before them.
#[test]
fn slices_of_models_with_loops_that_a_fault_ends_give_their_verdicts() {
    let (good, failures) = run_of(with_ended_loops, Wrong::default(), 400);
    assert!(failures.is_empty(), "{} models disagree: {:?}", failures.len(), failures.first());
    assert!(good.iter().any(|seen| seen.contains(&Seen::Smaller)));
    let (_, failures) = run_of(with_ended_loops, Wrong { hidden_loops: true, ..Wrong::default() }, 200);
    println!("caught on {} models", failures.len());
    assert!(!failures.is_empty(), "a slice that loses what ends its loops is not caught");
}

/// Nothing more stays where the loop counts, where it goes, and where nothing comes after the statement.
#[test]
fn what_ends_a_step_goes_where_all_loops_end() {
    let removed = |body: &str| {
        let text = format!(
            "reactiveclass A(3) {{ statevars {{ int n; boolean x; boolean y; }} A() {{ self.go(); }} \
             msgsrv go() {{ int k = ?(0, 1); {body} }} }} main {{ A a():(); }}"
        );
        let (model, properties) = read(&text, Some("property { Assertion { P: !a.x; } }"));
        let query = Query { properties, ..Query::default() };
        let slice = slice_with(&model, &query, Method::Static, &BTreeSet::new(), Switches::default()).expect("applies");
        let assertion = text.find("assertion").expect("an assertion");
        slice.removed.iter().any(|one| one.span.start as usize == assertion)
    };
    assert!(removed("assertion(k == 0); for (int i = 0; i < 3; i++) { x = k == 1; }"));
    assert!(removed("assertion(k == 0); while (k == 1) { y = true; } x = false;"));
    assert!(removed("while (k == n) { x = true; } assertion(k == 0);"));
    assert!(!removed("assertion(k == 0); while (k == n) { x = true; }"));
    assert!(!removed("while (k == n) { x = true; } assertion(k == 0); if (k == n) { x = false; }"));
}
