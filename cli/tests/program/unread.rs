//! Variables that are never read: a warning with its place in every language and format.

use battery::harness::root;
use serde_json::Value as Json;

use crate::binary::quotient;

/// A fixture, and the line and message of each warning.
const UNREAD: [(&str, &[(u64, &str)]); 5] = [
    (
        "rebeca/unread/counted.rebeca",
        &[
            (10, "variable `Node.sent` is read only to change itself"),
            (11, "variable `Node.last` is read only to set `Node.copy`, which is never read"),
            (12, "variable `Node.copy` is never read"),
            (16, "parameter `why` is never used"),
            (17, "local variable `spare` is never read"),
        ],
    ),
    (
        "murphi/unread/counted.m",
        &[
            (7, "field `message.from` is never read"),
            (11, "variable `sent` is read only to change itself"),
            (12, "variable `spare` is never used"),
            (15, "parameter `why` is never used"),
            (30, "local variable `copy` is never read"),
        ],
    ),
    (
        "lpe/unread/counted.lpe",
        &[
            (7, "variable `sent` is read only to change itself"),
            (7, "variable `last` is read only to set `copy`, which is never read"),
            (7, "variable `copy` is never read"),
            (9, "local variable `spare` is never read"),
        ],
    ),
    (
        "dve/unread/counted.dve",
        &[(6, "variable `sent` is read only to change itself"), (11, "variable `P.last` is never read")],
    ),
    (
        "promela/unread/counted.pml",
        &[
            (8, "variable `sent` is read only to change itself"),
            (9, "variable `last` is never read"),
            (13, "local variable `P.spare` is never used"),
        ],
    ),
];

fn path(name: &str) -> String {
    root().join("fixtures").join(name).to_string_lossy().into_owned()
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

fn noticed(report: &Json) -> Vec<(u64, String)> {
    let all = report["notices"].as_array().expect("notices").iter();
    let unread = all.filter(|notice| notice["code"] == "W0561");
    let line = |notice: &Json| notice["line"].as_u64().expect("a line");
    unread.map(|notice| (line(notice), notice["message"].as_str().expect("a message").to_owned())).collect()
}

#[test]
fn what_is_never_read_is_reported_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, expected) in UNREAD {
        let sarif = folder.path().join("report.sarif").to_string_lossy().into_owned();
        let page = folder.path().join("report.html").to_string_lossy().into_owned();
        let run = quotient(&["check", &path(name), "--json", "--report", &sarif, "--report", &page]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        let found = noticed(&json(&run.stdout));
        let found: Vec<(u64, &str)> = found.iter().map(|(line, message)| (*line, message.as_str())).collect();
        assert_eq!(found, expected, "{name}");
        let [sarif, page] = [&sarif, &page].map(|file| std::fs::read_to_string(file).expect("a report"));
        let results = json(&sarif)["runs"][0]["results"].as_array().expect("results").clone();
        let warned = results.iter().filter(|result| result["ruleId"] == "W0561" && result["level"] == "warning");
        assert_eq!(warned.count(), expected.len(), "{name}");
        assert!(page.contains("W0561"), "{name}");
        for (line, message) in expected {
            assert!(run.stderr.contains(message) && run.stderr.contains(&format!(":{line}:")), "{}", run.stderr);
        }
    }
}

#[test]
fn conditions_of_other_files_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let names = |arguments: &[&str]| {
        let run = quotient(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        let found = noticed(&json(&run.stdout));
        found.iter().filter_map(|(_, message)| message.split('`').nth(1).map(str::to_owned)).collect::<Vec<String>>()
    };
    // A question, a property file and an end condition.
    let asked = file("asked.txt", "few: copy < 3\n");
    assert_eq!(names(&["check", &path("lpe/unread/counted.lpe"), "--json", "--questions", &asked]), ["sent", "spare"]);
    assert_eq!(
        names(&["check", &path("lpe/unread/counted.lpe"), "--json", "--end", "sent < 3"]),
        ["last", "copy", "spare"]
    );
    let asked = file("asked.property", "property { define { few = node.copy < 3; } Assertion { P: few; } }");
    let rebeca = path("rebeca/unread/counted.rebeca");
    assert_eq!(names(&["check", &rebeca, "--json", "--property", &asked]), ["Node.sent", "why", "spare"]);
    let asked = file("asked.formulas", "few: [] (isundefined(spare) | spare < 3)\n");
    let murphi = path("murphi/unread/counted.m");
    let read = names(&["check", &murphi, "--json", "--property", &asked]);
    assert_eq!(read, ["message.from", "sent", "why", "copy"]);
}

/// What the property file of a model reads is not known where it is not read.
#[test]
fn nothing_is_said_without_the_property_file_of_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("counted.rebeca");
    std::fs::copy(path("rebeca/unread/counted.rebeca"), &model).expect("a copy");
    let text = "property { define { few = node.copy < 3; } Assertion { P: few; } }";
    std::fs::write(folder.path().join("counted.property"), text).expect("a file");
    let model = model.to_string_lossy().into_owned();
    assert_eq!(noticed(&json(&quotient(&["check", &model, "--json"]).stdout)).len(), 3);
    assert!(noticed(&json(&quotient(&["check", &model, "--json", "--no-property"]).stdout)).is_empty());
}
