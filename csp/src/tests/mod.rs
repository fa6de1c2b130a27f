//! Tests of the whole line: known orders and sizes, and every generator against the explicit state space.

mod orders;
mod states;

use std::path::Path;

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Parsed, Sequential, parse};

/// The text of a fixture of the sequential language.
fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/lpe").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The model of a text with these constants.
fn model(text: &str, defines: &[(&str, i64)]) -> Sequential {
    let constants = defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let mut sink = Diagnostics::new();
    let Parsed { model, .. } = parse(text, &Options { constants }, &mut sink);
    let messages: Vec<&str> = sink.list.iter().map(|found| found.message.as_str()).collect();
    model.unwrap_or_else(|| panic!("{}\n{text}", messages.join("\n")))
}
