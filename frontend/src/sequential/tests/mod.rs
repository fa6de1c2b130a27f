//! Tests of the sequential language: fixtures with known numbers, rejected texts, round trips, mutated texts.

mod automaton_sizes;
mod explore;
mod fixtures;
mod meaning;
mod robustness;

use std::path::{Path, PathBuf};

use super::{Options, Parsed, Sequential, parse};
use crate::diagnostics::Diagnostics;

/// The model of a text without errors.
fn model(text: &str) -> Sequential {
    read(text, &Options::default()).unwrap_or_else(|messages| panic!("{messages}\n{text}"))
}

/// The model of a text, or its diagnostics.
fn read(text: &str, options: &Options) -> Result<Sequential, String> {
    let mut sink = Diagnostics::new();
    let Parsed { model, .. } = parse(text, options, &mut sink);
    assert_eq!(model.is_none(), sink.has_errors(), "a model exactly without errors\n{text}");
    let messages = sink.list.iter().map(|found| format!("{} {:?}: {}", found.code, found.span, found.message));
    model.ok_or_else(|| messages.collect::<Vec<String>>().join("\n"))
}

/// The `.lpe` files below a folder of the fixtures, in order.
fn files(folder: &str) -> Vec<PathBuf> {
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
        } else if path.extension().is_some_and(|extension| extension == "lpe") {
            list.push(path);
        }
    }
}

/// The expectations in the head of a fixture.
#[derive(Default, Debug)]
struct Head {
    options: Options,
    states: Option<usize>,
    transitions: Option<usize>,
    deadlocks: Option<usize>,
    checks: Vec<(String, String)>,
    fault: Option<String>,
    reject: Option<String>,
}

impl Head {
    fn of(text: &str) -> Head {
        let mut head = Head::default();
        for line in text.lines().map_while(|line| line.strip_prefix("//@ ")) {
            let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("no value: {line}"));
            let full = || value.split(", ").find_map(|part| part.strip_prefix("full ")).map(|n| n.parse().unwrap());
            match key {
                "define" => {
                    let (name, value) = value.split_once('=').unwrap();
                    head.options.constants.push((name.to_owned(), value.parse().unwrap()));
                }
                "states" => head.states = full(),
                "transitions" => head.transitions = full(),
                "deadlocks" => head.deadlocks = Some(value.parse().unwrap()),
                "check" => {
                    let (name, verdict) = value.split_once(" => ").unwrap();
                    head.checks.push((name.to_owned(), verdict.to_owned()));
                }
                "fault" => head.fault = Some(value.to_owned()),
                "reject" => head.reject = Some(value.to_owned()),
                "group" => assert!(value.starts_with("order ")),
                _ => panic!("unknown key: {line}"),
            }
        }
        head
    }
}
