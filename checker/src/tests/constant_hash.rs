//! Whole searches in which every state has the same hash: slow, but equally right.

use std::path::Path;

use frontend::diagnostics::Diagnostics;
use frontend::lower::{LowerOptions, lower};
use frontend::model::Model;
use frontend::sequential;
use frontend::syntax::parse_model;

use super::philosophers;
use super::random_model;
use crate::{Limits, Question, Reductions, Report, SearchOrder, check_reduced};
use explore::states::CONSTANT;

/// Compares the report of a search under the hash in use with that under a constant one.
fn compare<T: std::fmt::Debug + Clone>(name: &str, run: impl Fn() -> Report<T>) -> u64 {
    let comparable = |report: &Report<T>| format!("{:?}", Report { seconds: 0.0, ..report.clone() });
    let spread = run();
    CONSTANT.set(true);
    let constant = run();
    CONSTANT.set(false);
    assert_eq!(comparable(&constant), comparable(&spread), "{name}");
    spread.states
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name);
    std::fs::read_to_string(path).expect("a fixture")
}

fn actors(name: &str) -> Model {
    let sink = &mut Diagnostics::new();
    lower(&parse_model(&fixture(name), sink), &LowerOptions::default(), sink).expect("a model")
}

#[test]
fn whole_searches_under_a_constant_hash() {
    let mut states = 0;
    let limits = Limits { max_states: Some(1_200), ..Limits::default() };
    let names = [
        "philosophers/phil2_fig2.rebeca",
        "two_phase_commit/2pc2.rebeca",
        "trains/train3.rebeca",
        "quorum/seats.rebeca",
    ];
    let mut models: Vec<(String, Model)> =
        names.map(|name| (name.to_owned(), actors(&format!("rebeca/{name}")))).into();
    models.push(("three philosophers".to_owned(), philosophers(3)));
    models.extend((0..20).map(|seed| (format!("seed {seed}"), random_model(seed))));
    for (name, model) in models {
        for (order, keep_going) in [(SearchOrder::BreadthFirst, true), (SearchOrder::DepthFirst, false)] {
            let question = Question { limits, order, keep_going, ..Question::default() };
            states +=
                compare(&name, || check_reduced(&model, &question, Reductions::default(), &mut ()).expect("confirmed"));
        }
    }
    for name in ["locks/peterson.lpe", "locks/milner.lpe", "protocols/token.lpe", "puzzles/hanoi.lpe"] {
        let sink = &mut Diagnostics::new();
        let text = fixture(&format!("lpe/{name}"));
        let model = sequential::parse(&text, &sequential::Options::default(), sink).model.expect("a model");
        let properties = model.properties.clone();
        let question = Question { limits, properties, keep_going: true, ..Question::default() };
        states += compare(name, || crate::sequential::check(&model, &question, &mut ()).expect("confirmed"));
    }
    assert!(states > 8_000, "only {states}");
}
