//! `--report`: reports in other formats, from `check` and from `replay`; what is said of a model is escaped in each.

use serde_json::Value as Json;

use super::{Folder, HOLDS, expect, fixture, text};

/// The names of the files of a test, one a format.
const FILES: [&str; 7] = ["r.html", "r.svg", "r.mmd", "r.itf.json", "r.junit.xml", "r.sarif", "r.md"];

/// A model whose assertion says what no report should say unescaped.
const HOSTILE: &str = "reactiveclass A(2) { statevars { int x; } msgsrv initial() { x = x + 1; self.initial(); \
    assertion(x < 3, \"</title><script>alert('x')</script> & \\\"]]>{{1}} #; end\"); } } main { A a():(); }";

/// Writes all formats of a report.
fn written(code: i32, folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let paths: Vec<String> = FILES.iter().map(|name| folder.path(name)).collect();
    let reports = paths.iter().flat_map(|path| ["--report", path.as_str()]);
    let all: Vec<&str> = arguments.iter().copied().chain(reports).collect();
    expect(code, &all);
    paths.iter().map(text).collect()
}

/// Whether every tag is closed in order, and every attribute quoted.
fn is_balanced(markup: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for part in markup.split('<').skip(1) {
        let Some((tag, _)) = part.split_once('>') else { return false };
        if tag.matches('"').count() % 2 == 1 {
            return false;
        }
        let name = tag.split([' ', '/', '\n']).next().unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name.trim()) {
                return false;
            }
        } else if !tag.starts_with(['?', '!']) && !tag.ends_with('/') && !["meta", "br"].contains(&name) {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn every_format_is_well_formed() {
    let folder = Folder::new();
    let hostile = folder.file("hostile.rebeca", HOSTILE);
    let deadlock = fixture("philosophers/table_for_two");
    let fault = fixture("faults/division_by_zero");
    for (code, model) in [(1, &hostile), (1, &deadlock), (1, &fault), (0, &fixture(HOLDS))] {
        let files = written(code, &folder, &["check", model]);
        let [html, svg, mermaid, itf, junit, sarif, markdown] = files.as_slice() else { panic!("seven files") };
        assert!(is_balanced(html), "{model}\n{html}");
        assert!(is_balanced(svg) && svg.contains("<svg xmlns"), "{model}\n{svg}");
        assert!(is_balanced(junit) && junit.contains("<testsuites"), "{model}\n{junit}");
        assert!(mermaid.starts_with("sequenceDiagram\n"), "{model}\n{mermaid}");
        assert!(
            markdown.starts_with("## ") && markdown.contains("| property | kind | verdict |"),
            "{model}\n{markdown}"
        );
        assert_eq!(markdown.contains("### Counterexample to"), code == 1, "{model}\n{markdown}");
        assert_eq!(
            markdown.matches("<details>").count(),
            markdown.matches("</details>").count(),
            "{model}\n{markdown}"
        );
        assert_eq!(html.contains("taken\"><td"), code == 1, "{model}");
        let itf: Json = serde_json::from_str(itf).expect("JSON");
        assert_eq!(itf["#meta"]["format"], "ITF");
        let sarif: Json = serde_json::from_str(sarif).expect("JSON");
        assert_eq!(sarif["version"], "2.1.0");
        let failed = sarif["runs"][0]["results"].as_array().into_iter().flatten().filter(|r| r["level"] == "error");
        assert_eq!(failed.count() > 0, code == 1, "{model}");
        assert_eq!(junit.contains("<failure"), code == 1, "{model}");
    }
}

#[test]
fn texts_of_a_model_are_escaped() {
    let folder = Folder::new();
    let hostile = folder.file("hostile <script>.rebeca", HOSTILE);
    let files = written(1, &folder, &["check", &hostile]);
    for (name, text) in FILES.iter().zip(&files).filter(|(name, _)| !name.contains("json") && **name != "r.sarif") {
        assert!(!text.contains("<script"), "{name}\n{text}");
    }
}

#[test]
fn all_states_of_a_trace_are_written() {
    let folder = Folder::new();
    let model = fixture("philosophers/table_for_two");
    let itf = folder.path("trace.itf.json");
    let report = folder.path("report.json");
    expect(1, &["check", &model, "--plain", "--json", "-o", &report, "--report", &itf]);
    let document: Json = serde_json::from_str(&text(&itf)).expect("JSON");
    assert_eq!(document["states"].as_array().map(Vec::len), Some(13));
    assert_eq!(document["states"][2]["ada"]["variables"]["hungry"], true);
    // A replayed trace gives the same chart.
    let (checked, replayed) = (folder.path("a.mmd"), folder.path("b.mmd"));
    expect(1, &["check", &model, "--plain", "--report", &checked]);
    expect(0, &["replay", &report, "--report", &replayed]);
    assert_eq!(text(&checked), text(&replayed));
}

#[test]
fn sequential_traces_are_written_too() {
    let folder = Folder::new();
    let model = folder.file("m.lpe", "proc P(x : BIT) = [x = 0] up { x := 1; } -> P; init P(x = 0);");
    let files = written(1, &folder, &["check", &model]);
    assert!(files[0].contains("up()") && files[2].contains("1 up()"), "{}", files[2]);
    let itf: Json = serde_json::from_str(&files[3]).expect("JSON");
    assert_eq!((&itf["states"][1]["x"]["#bigint"], &itf["states"][1]["step"]), (&"1".into(), &"up()".into()));
}

#[test]
fn formats_are_recognised_by_name_or_by_option() {
    let folder = Folder::new();
    let model = fixture(HOLDS);
    let run = expect(2, &["check", &model, "--report", &folder.path("r.txt")]);
    assert!(run.stderr.contains("--report-format"), "{}", run.stderr);
    expect(0, &["check", &model, "--report", &folder.path("r.txt"), "--report-format", "html"]);
    assert!(text(folder.path("r.txt")).starts_with("<!doctype html>"));
    let piped = expect(0, &["check", &model, "-o", &folder.path("x"), "--report", "-", "--report-format", "junit"]);
    assert!(piped.stdout.starts_with("<?xml"), "{}", piped.stdout);
    expect(2, &["check", &model, "--report", &folder.path("none/r.html")]);
}
