//! Tests of groups of sequential models.

mod orders;

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Property, Sequential, parse};

use super::ValidatedGroup;

/// The text of a fixture.
fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/lpe").join(name);
    std::fs::read_to_string(path).expect("the fixture exists")
}

/// The process of a text.
fn model(text: &str, constants: &[(&str, i64)]) -> Sequential {
    let constants = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let mut sink = Diagnostics::new();
    let model = parse(text, &Options { constants }, &mut sink).model;
    assert!(!sink.has_errors(), "{:?}", sink.list);
    model.expect("a text without errors has a model")
}

/// The group of what the graph of a model shows.
fn validated(model: &Sequential, properties: &[Property]) -> ValidatedGroup {
    let found = csp::detect_graph(model, &[]).expect("the model is small enough");
    ValidatedGroup::new(model, properties, found.generators)
}
