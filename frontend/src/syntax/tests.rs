//! Every code of the text side has a fixture, and every such fixture reports exactly the codes in its head.

use std::fs;
use std::path::Path;

use super::{parse_model, parse_properties};
use crate::diagnostics::{Diagnostics, RenderStyle, codes, render, render_short};
use crate::lower::{LowerOptions, lower};
use crate::source::Source;

fn is_of_the_text_side(code: &str) -> bool {
    ["E01", "W01", "N01"].iter().any(|family| code.starts_with(family))
}

/// The name, the text and the declared codes of the fixtures of the text side.
fn fixtures() -> Vec<(String, String, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut fixtures = Vec::new();
    for (folder, directive) in [("reject", "//@ reject:"), ("notice", "//@ reports:")] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let Some(declared) = text.lines().next().and_then(|line| line.strip_prefix(directive)) else { continue };
            let declared: Vec<String> = declared.split(',').map(|code| code.trim().to_string()).collect();
            if declared.iter().all(|code| is_of_the_text_side(code)) {
                fixtures.push((name, text, declared));
            }
        }
    }
    fixtures
}

#[test]
fn fixtures_report_their_declared_codes() {
    for (name, text, declared) in fixtures() {
        let mut diagnostics = Diagnostics::new();
        if name.ends_with(".property") {
            parse_properties(&text, &mut diagnostics);
        } else {
            let program = parse_model(&text, &mut diagnostics);
            if program.is_annotated && !diagnostics.has_errors() {
                lower(&program, &LowerOptions::default(), &mut diagnostics);
            }
        }
        diagnostics.sort();
        let found: Vec<&str> = diagnostics.list.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(found, declared, "{name}");
        let source = Source::new(name.as_str(), text);
        for diagnostic in &diagnostics.list {
            assert!(render(diagnostic, &source, &RenderStyle::default()).contains(&format!("--> {name}:")));
            assert!(render_short(diagnostic, &source).contains(diagnostic.code.as_str()));
        }
    }
}

#[test]
fn every_code_has_a_fixture() {
    let fixtures = fixtures();
    for explanation in codes::of_texts().iter().filter(|explanation| is_of_the_text_side(explanation.code.as_str())) {
        let code = explanation.code.as_str();
        assert!(fixtures.iter().any(|(_, _, declared)| declared.iter().any(|found| found == code)), "{code}");
    }
}
