//! `batch`: every model becomes a row whatever happens to it, and stopping, dividing and threading change nothing.

use std::process::Stdio;

use serde_json::Value as Json;

use super::{Folder, expect, fixture, text};
use crate::binary::{command, disturbed, quotient, until};

/// A model with a deadlock.
const DEAD: &str = "reactiveclass A(1) { msgsrv initial() { } } main { A a():(); }";
/// A model that never ends by itself.
const LARGE: &str = "reactiveclass C(2) { statevars { int n; } msgsrv initial() { self.up(); } \
    msgsrv up() { n = (n + 1) % 100000; self.up(); } } main { C a():(); C b():(); }";

/// A folder with models of every fate.
fn models() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("models")).expect("a folder");
    folder.file("models/dead.rebeca", DEAD);
    folder.file("models/broken.rebeca", "reactiveclass A(1) { msgsrv initial() { x = 1; } } main { A a():(); }");
    folder.file("models/large.rebeca", LARGE);
    folder.file(
        "models/toggle.lpe",
        "proc P(x : BIT) = [x = 0] up { x := 1; } -> P + [x = 1] down { x := 0; } -> P; init P(x = 0);",
    );
    folder.file("models/with.rebeca", text(fixture("soundness/m04_ignoring")));
    folder.file("models/with.property", text(fixture("soundness/m04_ignoring").replace(".rebeca", ".property")));
    folder
}

const LIMITS: [&str; 3] = ["--check", "--max-states", "500"];

/// The columns of what is measured, and of the command line.
const MEASURED: [&str; 6] =
    ["check_seconds", "detect_seconds", "seconds", "cpu_seconds", "peak_memory_bytes", "command_line"];

/// The rows of a CSV file without what is measured.
fn rows(path: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a file");
    let heads = reader.headers().expect("a head").clone();
    let kept: Vec<usize> = (0..heads.len()).filter(|&at| !MEASURED.contains(&&heads[at])).collect();
    let record = |record: csv::Result<csv::StringRecord>| {
        let record = record.expect("a record");
        kept.iter().map(|&at| record[at].to_owned()).collect()
    };
    reader.records().map(record).collect()
}

#[test]
fn every_model_becomes_a_row() {
    let folder = models();
    let (models, csv) = (folder.path("models"), folder.path("out.csv"));
    let html = folder.path("out.html");
    let run = expect(3, &[&["batch", &models, "--csv", &csv, "--html", &html, "--json"], &LIMITS[..]].concat());
    let lines: Vec<Json> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let listed: Vec<(&str, &str, Option<&str>)> = lines[..5]
        .iter()
        .map(|row| {
            let name = row["path"].as_str().and_then(|path| path.rsplit('/').next()).expect("a path");
            (name, row["status"].as_str().expect("a status"), row["check"]["verdict"].as_str())
        })
        .collect();
    let expected = [
        ("broken.rebeca", "refused", None),
        ("dead.rebeca", "done", Some("violated")),
        ("large.rebeca", "inconclusive", Some("inconclusive")),
        ("toggle.lpe", "done", Some("holds")),
        ("with.rebeca", "done", Some("violated")),
    ];
    assert_eq!(listed, expected);
    assert!(lines[0]["message"].as_str().is_some_and(|message| message.contains("E0203")), "{}", lines[0]);
    assert!(lines[2]["message"].as_str().is_some_and(|message| message.contains("limit of states")), "{}", lines[2]);
    assert_eq!(lines[4]["check"]["violated"][0], "P"); // its property file was checked
    assert_eq!(lines[5]["summary"]["models"], 5);
    assert_eq!(rows(&csv).len(), 5);
    let page = text(&html).replace("&#x2f;", "/");
    let links = page.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
    let links: Vec<&str> = links.filter(|link| !link.starts_with('#')).collect();
    assert_eq!(links.len(), 4, "{links:?}");
    for link in links {
        assert!(text(folder.path(link)).contains("<h2>What was asked</h2>"), "{link}");
    }
}

#[test]
fn the_table_fits_and_names_failures() {
    let folder = models();
    let run = expect(3, &[&["batch", &folder.path("models")], &LIMITS[..]].concat());
    assert!(run.stdout.contains("broken.rebeca: refused: "), "{}", run.stdout);
    assert!(run.stdout.contains("5 models: 3 done, 1 inconclusive, 1 refused"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    let quiet = expect(3, &[&["batch", &folder.path("models"), "--quiet"], &LIMITS[..]].concat());
    assert!(!quiet.stdout.contains("dead.rebeca") && quiet.stdout.contains("5 models"), "{}", quiet.stdout);
}

#[test]
fn going_on_gives_the_same_rows() {
    let folder = models();
    let models = folder.path("models");
    let batch = |options: &[&str]| expect(3, &[&["batch", &models], &LIMITS[..], options].concat());
    let (whole, journal) = (folder.path("whole.csv"), folder.path("rows.jsonl"));
    batch(&["--csv", &whole, "--resume", &journal]);
    // As a kill in the middle of a line leaves it, with a mark in a row that is kept.
    let lines = text(&journal);
    let kept: Vec<&str> = lines.lines().take(4).collect();
    let marked = kept.join("\n").replacen("\"variables\":0", "\"variables\":77", 1);
    let summed = |line: &str| match line.rsplit_once(",\"checksum\"") {
        Some((fields, _)) => {
            format!("{fields},\"checksum\":\"{:08x}\"}}", super::checkpoints::checksum(fields.as_bytes()))
        }
        None => line.to_owned(),
    };
    let marked: Vec<String> = marked.lines().map(summed).collect();
    let marked = marked.join("\n");
    folder.file("rows.jsonl", format!("{marked}\n{{\"path\":\"/half"));
    let again = folder.path("again.csv");
    batch(&["--csv", &again, "--resume", &journal]);
    let differ = rows(&whole).iter().zip(&rows(&again)).filter(|(a, b)| a != b).count();
    assert_eq!((rows(&again).len(), differ), (5, 1), "only the marked row was not run again");
    assert_eq!(text(&journal).lines().count(), 6);
    // A changed model is run again, whatever is kept of it.
    folder.file("models/toggle.lpe", "proc P(x : BIT) = [x = 0] up { x := 1; } -> P; init P(x = 0);");
    batch(&["--csv", &again, "--resume", &journal]);
    assert!(rows(&again)[3].contains(&"violated".to_owned()), "{:?}", rows(&again)[3]);
    // Rows that other options made are not mixed in.
    let other = quotient(&["batch", &models, "--check", "--max-states", "501", "--resume", &journal]);
    assert!(other.code == Some(2) && other.stderr.contains("other options"), "{other:?}");
}

/// A pipe beside a model is no property file, and nothing waits for it.
#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_left_to_the_command() {
    let folder = Folder::new();
    let (model, pipe) = (folder.file("a.rebeca", DEAD), folder.path("a.property"));
    if !std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: there is no mkfifo");
        return;
    }
    expect(0, &["batch", &model, "--check", "--timeout", "1s"]);
}

/// Pages whose name is no file or begins like an option, and two results on standard output.
#[test]
fn pages_have_any_name() {
    let folder = Folder::new();
    folder.file("dead.rebeca", DEAD);
    let run = |options: &[&str]| {
        let mut batch = command();
        batch.current_dir(folder.path("")).args(["batch", "dead.rebeca", "--check"]).args(options);
        let output = batch.output().expect("runs");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, text) = run(&["--html=-x.html"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(std::fs::read_dir(folder.path("-x.html.pages")).expect("a folder").count(), 1);
    let (code, text) = run(&["--html", "-", "-o", "table"]);
    assert!(code == Some(0) && text.starts_with("<!"), "{code:?}: {text}");
    assert!(!folder.names().iter().any(|name| name.starts_with("-.pages")));
    for options in [&["--html", "-"][..], &["--csv", "-", "--json"], &["-o", "table", "--csv", "-", "--markdown", "-"]]
    {
        let (code, text) = run(options);
        assert!(code == Some(2) && text.contains("E0506"), "{options:?}: {text}");
    }
}

#[test]
fn shards_and_threads_change_nothing() {
    let folder = models();
    let models = folder.path("models");
    let whole = folder.path("whole.csv");
    expect(3, &[&["batch", &models, "--csv", &whole, "--threads", "3"], &LIMITS[..]].concat());
    let mut all = String::new();
    for shard in ["1/2", "2/2"] {
        let journal = folder.path(&format!("{}.jsonl", shard.replace('/', "of")));
        let run = quotient(&[&["batch", &models, "--shard", shard, "--resume", &journal], &LIMITS[..]].concat());
        assert!(matches!(run.code, Some(0 | 3)), "{run:?}");
        all.push_str(&text(&journal));
    }
    let (journal, together) = (folder.file("all.jsonl", &all), folder.path("together.csv"));
    expect(3, &[&["batch", &models, "--csv", &together, "--resume", &journal], &LIMITS[..]].concat());
    assert_eq!(rows(&whole), rows(&together));
    assert_eq!(text(&journal), all, "nothing was run again");
}

#[test]
fn a_killed_batch_continues() {
    let folder = models();
    folder.file("models/zz_endless.rebeca", LARGE.replace("100000", "1000000"));
    let (models, journal) = (folder.path("models"), folder.path("rows.jsonl"));
    let options = ["batch", &models, "--check", "--timeout", "10h", "--max-states", "20000", "--resume", &journal];
    let mut child = command().args(options).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    until(&mut child, || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) >= 3);
    let _ = child.kill(); // it may have ended
    child.wait().expect("ended");
    let (resumed, whole) = (folder.path("resumed.csv"), folder.path("whole.csv"));
    expect(3, &[&options[..], &["--csv", &resumed]].concat());
    expect(3, &[&options[..7], &["--csv", &whole]].concat());
    assert_eq!(rows(&resumed), rows(&whole));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_it_after_the_rows_so_far() {
    let folder = models();
    folder.file("models/zz_endless.rebeca", LARGE.replace("100000", "1000000"));
    let (models, journal) = (folder.path("models"), folder.path("rows.jsonl"));
    let options = ["batch", &models, "--check", "--timeout", "10h", "--max-states", "4000000000", "--resume", &journal];
    let stdout = disturbed(|| {
        let _ = std::fs::remove_file(&journal);
        let mut command = command();
        let mut child = command.args(options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        // The header and two rows: the third model, which ends by its limit on memory only, is at work.
        let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        assert!(until(&mut child, || lines() >= 3), "it ends by itself");
        let words = format!("kill -TERM {}", child.id());
        assert!(std::process::Command::new("sh").args(["-c", &words]).status().expect("a shell").success());
        let output = child.wait_with_output().expect("ends");
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(143), "{stdout}");
        (lines() == 3).then_some(stdout)
    });
    assert!(stdout.contains("stopped after 2 of 6 models"), "{stdout}");
    assert_eq!(text(&journal).lines().count(), 3, "a row that was cut short is not kept");
}

#[test]
fn names_of_files_stay_names() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("models")).expect("a folder");
    let hostile = "<img src=x onerror=alert(1)>\"'{{7*7}}\u{1b}[31m,=1+1.rebeca";
    folder.file(&format!("models/{hostile}"), DEAD);
    folder.file("models/-o.rebeca", DEAD);
    let (html, csv) = (folder.path("out.html"), folder.path("out.csv"));
    let folder_of_models = folder.path("models");
    let up = folder.path("models/../models");
    for path in [&folder_of_models, &up] {
        let run = expect(0, &["batch", path, "--check", "--html", &html, "--csv", &csv]);
        assert!(!run.stdout.contains('\u{1b}') && !text(&csv).contains('\u{1b}'), "{}", run.stdout);
        let page = text(&html);
        assert!(!page.contains("<img") && !page.contains('\u{1b}') && page.contains("&lt;img"), "{page}");
        assert!(page.contains("{{7*7}}"));
    }
    assert_eq!(folder.names(), ["models", "out.csv", "out.html", "out.html.pages"].map(std::path::PathBuf::from));
    let pages = std::fs::read_dir(folder.path("out.html.pages")).expect("a folder");
    for page in pages.map(|page| page.expect("a page").path()) {
        let name = page.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{name}");
        assert!(!text(&page).contains("<img"), "{name}");
    }
}

#[test]
fn paths_without_models_are_refused() {
    let folder = Folder::new();
    for (path, listed) in [(folder.path("none"), "there is no file"), (folder.path("*.lpe"), "nothing matches")] {
        let run = expect(2, &["batch", &path]);
        assert!(run.stderr.contains(listed), "{}", run.stderr);
    }
    let run = expect(2, &["batch", &folder.path(".")]);
    assert!(run.stderr.contains("there is no model"), "{}", run.stderr);
    let run = quotient(&["batch", "x", "--shard", "3/2"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn detectors_are_compared() {
    let folder = Folder::new();
    let csv = folder.path("out.csv");
    let (trains, commit) = (fixture("trains/train3"), fixture("two_phase_commit/2pc2"));
    let run = expect(0, &["batch", &trains, &commit, "--compare", "--detect", "--csv", &csv, "--json"]);
    let rows: Vec<Json> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let listed = |row: &Json, detector: &str| {
        let detectors = row["compare"]["detectors"].as_array().expect("detectors");
        let found = detectors.iter().find(|known| known["name"] == detector).expect(detector);
        (found["order"].as_str().expect("an order").to_owned(), found["states"].as_u64())
    };
    // The orders and orbits of docs: inter-rebec symmetry does not move trains, rotations do.
    assert_eq!(rows[0]["compare"]["states"], 376);
    assert_eq!(listed(&rows[0], "known-rebec"), ("1".to_owned(), Some(376)));
    assert_eq!(listed(&rows[0], "scalar-set"), ("3".to_owned(), Some(128)));
    assert_eq!(rows[1]["compare"]["states"], 324);
    assert_eq!(listed(&rows[1], "known-rebec"), ("2".to_owned(), Some(166)));
    let summary = &rows[2]["summary"];
    assert_eq!(summary["detectors"][1]["name"], "scalar-set");
    assert_eq!(summary["detectors"][1]["found"], 2);
    assert!(text(&csv).lines().next().is_some_and(|heads| heads.contains("known_rebec_order")));
}

#[test]
fn a_limit_is_no_reduction() {
    let folder = Folder::new();
    let large = folder.file("large.rebeca", LARGE);
    let run = expect(3, &["batch", &large, "--compare", "--max-states", "300", "--json"]);
    let row: Json = serde_json::from_str(run.stdout.lines().next().expect("a row")).expect("JSON");
    assert_eq!((&row["status"], &row["compare"]["states"]), (&"inconclusive".into(), &Json::Null));
    assert!(row["message"].as_str().is_some_and(|message| message.contains("limits")), "{row}");
}

#[test]
fn options_for_reading_reach_every_model() {
    let folder = Folder::new();
    let proc = "const N = 2; type P : 0..N-1; proc P(up : BOOL[P]) = sum p:P . [up[p] = 0] rise(p) { up[p] := 1; } -> P; init P(up = 0);";
    folder.file("flags.lpe", proc);
    let run = expect(0, &["batch", &folder.path("flags.lpe"), "--detect", "--json", "-D", "N=4", "--language", "lpe"]);
    let row: Json = serde_json::from_str(run.stdout.lines().next().expect("a row")).expect("JSON");
    assert_eq!(row["detect"]["order"], "24", "{row}");
}

#[test]
fn the_time_of_a_model_ends_it() {
    let folder = models();
    let run = expect(3, &["batch", &folder.path("models/large.rebeca"), "--check", "--timeout", "50ms", "--json"]);
    let row: Json = serde_json::from_str(run.stdout.lines().next().expect("a row")).expect("JSON");
    assert_eq!((&row["status"], &row["check"]["verdict"]), (&"inconclusive".into(), &"inconclusive".into()), "{row}");
    assert!(row["message"].as_str().is_some_and(|message| message.contains("limit of time")), "{row}");
}

#[test]
fn the_census_counts_symmetries_by_language_and_family() {
    use battery::harness::root;
    let folder = Folder::new();
    let path = |name: &str| root().join("fixtures").join(name).to_string_lossy().into_owned();
    let (csv, markdown, html) = (folder.path("c.csv"), folder.path("c.md"), folder.path("c.html"));
    let models = [path("lpe/locks/philosophers.lpe"), path("lpe/locks/resalloc.lpe"), path("murphi/symmetry/ring.m")];
    let models = models.each_ref().map(String::as_str);
    let files = ["--detect", "--json", "--csv", &csv, "--markdown", &markdown, "--html", &html];
    let run = expect(0, &[&["batch"], &models[..], &files[..]].concat());
    let lines: Vec<Json> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (summary, rows) = lines.split_last().expect("lines");
    let shapes: Vec<&Json> = rows.iter().map(|row| &row["census"]["shape"]).collect();
    assert_eq!(shapes[..2], ["cyclic", "product"], "{rows:#?}");
    assert_eq!((&rows[0]["census"]["degree"], &rows[0]["census"]["transitive"]), (&10.into(), &true.into()));
    assert_eq!(rows[0]["census"]["near"][0]["permutations"], "S10 on SEAT");
    let census = &summary["summary"]["census"];
    assert_eq!((&census["all"]["models"], &census["families"]["lpe/locks"]["models"]), (&3.into(), &2.into()));
    let heads = text(&csv).lines().next().expect("a head").to_owned();
    for column in ["family", "shape", "degree", "transitive", "orbit_sizes", "proved_by_text", "near_reasons"] {
        assert!(heads.split(',').any(|head| head == column), "{column}: {heads}");
    }
    assert!(text(&markdown).contains("| lpe/locks | 2 | 0 | 2 | 1 cyclic, 1 product |"), "{}", text(&markdown));
    let page = text(&html);
    for part in ["data-name=", "S10 on SEAT", "by text", "Structures", "id=\"filter\""] {
        assert!(page.contains(part), "{part}");
    }
    let told = expect(0, &[&["batch"], &models[..], &["--detect"]].concat()).stdout;
    assert!(told.contains("structures: ") && told.contains("generators: "), "{told}");
}
