//! The editor folder: its JSON parses, its grammars know exactly the words of the languages, its snippets are models, and
//! its problem matcher reads what `--format short` prints.

use std::collections::BTreeSet;

use battery::harness::{read_model, root};
use frontend::diagnostics::Diagnostics;
use frontend::lower::LowerOptions;
use serde_json::Value as Json;

use crate::binary::quotient;

fn json(path: &str) -> Json {
    let text = std::fs::read_to_string(root().join("editors/vscode").join(path)).expect(path);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All patterns of a grammar.
fn patterns(json: &Json, found: &mut Vec<String>) {
    match json {
        Json::Object(fields) => {
            for (key, value) in fields {
                match value.as_str().filter(|_| ["match", "begin", "end"].contains(&key.as_str())) {
                    Some(pattern) => found.push(pattern.to_owned()),
                    None => patterns(value, found),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| patterns(item, found)),
        _ => {}
    }
}

/// The words of a grammar: the alternatives of patterns `\b(a|b|c)\b`.
fn words(grammar: &str) -> BTreeSet<String> {
    let mut found = Vec::new();
    patterns(&json(grammar), &mut found);
    assert!(found.len() > 5, "{grammar}");
    let lists = found.iter().filter_map(|pattern| pattern.strip_prefix("\\b(")?.split_once(")\\b"));
    let words: Vec<&str> = lists.flat_map(|(list, _)| list.split('|')).collect();
    assert!(words.iter().all(|word| word.chars().all(char::is_alphanumeric)) || grammar.contains("rebeca"));
    words.into_iter().filter(|word| word.chars().all(char::is_alphanumeric)).map(str::to_owned).collect()
}

/// The words in quotation marks of a part of a source file.
fn quoted(path: &str, from: &str, to: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(path)).expect(path);
    let part = text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).expect("the list of words").0;
    let words: BTreeSet<String> = part.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(words.len() > 10, "{words:?}");
    words
}

fn same(grammar: &str, keywords: BTreeSet<String>, names: &[&str]) {
    let expected: BTreeSet<String> = keywords.into_iter().chain(names.iter().map(|&name| name.to_owned())).collect();
    assert_eq!(words(grammar), expected, "{grammar}");
}

#[test]
fn grammars_know_the_words_of_the_languages() {
    let rebeca = quoted("frontend/src/syntax/token.rs", "\n    words: [", "]");
    same("syntaxes/rebeca.tmLanguage.json", rebeca, &["self", "sender", "assertion", "pow", "sqrt"]);
    let lpe = quoted("frontend/src/sequential/syntax/token.rs", "\n    words: [", "]");
    same("syntaxes/lpe.tmLanguage.json", lpe, &["BOOL", "BIT"]);
    let property = ["property", "define", "Assertion", "LTL", "G", "F", "X", "U", "W", "R", "true", "false", "null"];
    same("syntaxes/property.tmLanguage.json", BTreeSet::new(), &property);
}

#[test]
fn files_that_the_manifest_names_exist() {
    let manifest = json("package.json");
    let mut paths = Vec::new();
    for kind in ["grammars", "snippets"] {
        paths.extend(manifest["contributes"][kind].as_array().expect(kind).iter().map(|entry| &entry["path"]));
    }
    let languages = manifest["contributes"]["languages"].as_array().expect("languages");
    paths.extend(languages.iter().map(|entry| &entry["configuration"]));
    assert_eq!(paths.len(), 9);
    for path in paths {
        assert!(json(path.as_str().expect("a path")).is_object());
    }
}

/// A snippet with its default texts.
fn expanded(snippet: &Json) -> String {
    let lines: Vec<&str> = snippet["body"].as_array().expect("a body").iter().filter_map(Json::as_str).collect();
    let mut rest = lines.join("\n").replace("$0", "");
    let mut out = String::new();
    while let Some((before, behind)) = rest.split_once("${") {
        let (place, after) = behind.split_once('}').expect("a closed place");
        out.push_str(before);
        out.push_str(place.split_once(':').map_or("", |(_, text)| text));
        rest = after.to_owned();
    }
    out + &rest
}

#[test]
fn snippets_are_models() {
    let model = expanded(&json("snippets/rebeca.json")["Model"]);
    let (read, diagnostics) = read_model(model.as_bytes(), &LowerOptions::default());
    assert!(read.is_some() && diagnostics.list.is_empty(), "{model}\n{:?}", diagnostics.list);
    let mut diagnostics = Diagnostics::new();
    let process = expanded(&json("snippets/lpe.json")["Process"]);
    let parsed = frontend::sequential::parse(&process, &frontend::sequential::Options::default(), &mut diagnostics);
    assert!(parsed.model.is_some() && !diagnostics.has_errors(), "{process}\n{:?}", diagnostics.list);
    frontend::syntax::parse_properties(&expanded(&json("snippets/property.json")["Properties"]), &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{:?}", diagnostics.list);
}

#[test]
fn the_problem_matcher_reads_short_diagnostics() {
    let matcher = &json("package.json")["contributes"]["problemMatchers"][0]["pattern"];
    // Five groups: a path, two numbers, a code of a letter and four digits, the rest.
    assert_eq!(matcher["regexp"], r"^(.+):(\d+):(\d+): ([EWN]\d{4}): (.*)$");
    let model = root().join("fixtures/reject/E0203_unknown_name.rebeca");
    let run = quotient(&["check", &model.to_string_lossy(), "--format", "short"]);
    let line = run.stderr.lines().next().expect("a diagnostic");
    let rest = line.strip_prefix(model.to_string_lossy().as_ref()).expect("the path comes first");
    let parts: Vec<&str> = rest.splitn(5, ':').collect();
    let [_, row, column, code, message] = parts.as_slice() else { panic!("{line}") };
    assert!(row.parse::<u32>().is_ok() && column.parse::<u32>().is_ok(), "{line}");
    assert_eq!((code.trim(), message.starts_with(' ')), ("E0203", true), "{line}");
}
