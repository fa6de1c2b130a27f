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

#[test]
fn only_plain_processes_are_written_down() {
    for body in
        ["var y : BOOL := x[p]; x[p] := y;", "for q:P { x[q] := 0; }", "while (x[p]) { x[p] := 0; }", "fail \"no\";"]
    {
        let text = format!("type P : 0..1; proc X(x : BOOL[P]) = sum p:P . [true] e {{ {body} }} -> X; init X(x = 0);");
        assert!(crate::detect_graph(&model(&text, &[]), &[]).is_err(), "{body}");
    }
    let text = |more: &str| {
        format!("type P : 0..1; proc X(x : BOOL[P]) = sum p:P . [true] e {{ x[p] := 1; }} -> X; init X(x = 0); {more}")
    };
    assert_eq!(crate::detect_graph(&model(&text(""), &[]), &[]).unwrap().order, 2u32.into());
    assert!(crate::detect_graph(&model(&text("init X(x = [0, 1]);"), &[]), &[]).is_err());
    let wide = text("").replace("type P", "type int : -2147483648..2147483647; type P").replace("BOOL[P]", "int[P]");
    assert_eq!(crate::detect_graph(&model(&wide, &[]), &[]).unwrap().order, 2u32.into());
}
