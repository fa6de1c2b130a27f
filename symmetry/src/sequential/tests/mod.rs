//! Tests of groups of sequential models.

mod data;
mod equivariance;
mod family;
mod instances;
mod loops;
mod lowered;
pub(super) mod names;
mod orders;
mod pairs;
mod planted;
mod relation;
mod solved;
mod soundness;
mod twin;
mod why;
mod wide;
mod writer;

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Property, Sequential, parse};

use super::ValidatedGroup;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/lpe")
}

/// The text of a fixture.
fn fixture(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("the fixture exists")
}

/// All fixtures, with the constants of their heads.
fn fixtures() -> Vec<(String, Vec<(String, i64)>)> {
    let mut list = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the folder exists") {
        let entry = entry.expect("readable").path();
        for file in std::fs::read_dir(&entry).expect("a folder of models") {
            let file = file.expect("readable").path();
            let name =
                file.strip_prefix(folder()).expect("below the folder").to_str().expect("a plain name").to_owned();
            let text = fixture(&name);
            let defines = text.lines().filter_map(|line| line.strip_prefix("//@ define: ")?.split_once('='));
            let defines: Vec<(String, i64)> =
                defines.map(|(name, value)| (name.to_owned(), value.parse().expect("a number"))).collect();
            list.push((name, defines));
        }
    }
    list.sort();
    list
}

/// The process of a text.
fn model(text: &str, constants: &[(&str, i64)]) -> Sequential {
    let constants = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let mut sink = Diagnostics::new();
    let model = parse(text, &Options { constants }, &mut sink).model;
    assert!(!sink.has_errors(), "{:?}\n{text}", sink.list);
    model.expect("a text without errors has a model")
}

/// The validated group of the candidates of the graph of a model.
fn validated(model: &Sequential, properties: &[Property]) -> ValidatedGroup {
    let found = csp::detect_graph(model, &[]).expect("the model is small enough");
    ValidatedGroup::new(model, properties, found.generators)
}
