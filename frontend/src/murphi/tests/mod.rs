//! Tests of Murphi: fixtures with known numbers, rejected texts, round trips, mutated texts.

mod formulas;
mod printing;
mod robustness;

use std::path::{Path, PathBuf};

use super::syntax::ast::File;
use super::syntax::parse;
use crate::diagnostics::Diagnostics;

/// The `.m` files below a folder of the fixtures, in order.
pub(super) fn files(folder: &str) -> Vec<PathBuf> {
    let mut list = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder), &mut list);
    list.sort();
    assert!(!list.is_empty(), "no files in {folder}");
    list
}

fn collect(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, list);
        } else if path.extension().is_some_and(|extension| extension == "m") {
            list.push(path);
        }
    }
}

/// The tree of a text without errors.
fn tree(text: &str) -> File {
    let mut sink = Diagnostics::new();
    let parsed = parse(text, &mut sink);
    assert!(!sink.has_errors(), "{:?}\n{text}", sink.list);
    parsed.file
}

/// A tree as text without its places.
fn without_spans(file: &File) -> String {
    let text = format!("{file:?}");
    let mut parts = text.split("span: ");
    let first = parts.next().unwrap_or_default().to_owned();
    let digits = |character: char| character.is_ascii_digit() || character == '.' || character == '-';
    parts.fold(first, |kept, part| kept + part.trim_start_matches(digits))
}
