//! Several values of constants, head lines of models, baselines and repetitions.

use std::process::Stdio;

use serde_json::Value as Json;

use super::{Folder, expect, fixture, text};
use crate::binary::{command, quotient, until};

/// `N` flags that rise once, in any order: 2^N states, N + 1 up to symmetry, and N! symmetries.
const FLAGS: &str = "const N = 2; const M = 1; type P : 0..N-1; proc P(up : BOOL[P]) = \
    sum p:P . [up[p] = 0] rise(p) { up[p] := 1; } -> P; init P(up = 0);";

/// The rows of JSON lines, without the last line.
fn rows(stdout: &str) -> Vec<Json> {
    let mut lines: Vec<Json> = stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.pop().is_some_and(|last| last["summary"].is_object()));
    lines
}

/// A CSV file as records by the names of its columns.
fn records(path: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("a file");
    reader.deserialize().map(|record| record.expect("a record")).collect()
}

#[test]
fn each_value_has_the_row_of_a_run_of_its_own() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let csv = folder.path("out.csv");
    let swept = expect(0, &["check", &model, "-D", "N=2..4", "--no-deadlock", "--json", "--report", &csv]);
    let swept = rows(&swept.stdout);
    assert_eq!(swept.len(), 3);
    for (row, n) in swept.iter().zip(2..) {
        assert_eq!((&row["constants"]["N"], &row["check"]["states"]), (&Json::from(n), &Json::from(n + 1)), "{row}");
        let one = expect(0, &["check", &model, "-D", &format!("N={n}"), "--no-deadlock", "--json"]);
        let one: Json = serde_json::from_str(&one.stdout).expect("JSON");
        for (of_row, of_report) in [
            (&row["check"]["states"], &one["states"]),
            (&row["check"]["transitions"], &one["transitions"]),
            (&row["check"]["verdict"], &one["verdict"]),
            (&row["check"]["order"], &one["group"]["order"]),
        ] {
            assert_eq!(of_row, of_report);
        }
    }
    let records = records(&csv);
    assert_eq!(records.iter().map(|record| record["D_N"].as_str()).collect::<Vec<_>>(), ["2", "3", "4"]);
    assert!(records.iter().all(|record| record["command_line"].contains("N=2..4") && !record["machine"].is_empty()));
    let table = expect(0, &["check", &model, "-D", "N=2..4", "--no-deadlock"]).stdout;
    assert!(table.contains("N=3") && table.contains("3 rows of 1 model: 3 done"), "{table}");
}

#[test]
fn several_constants_give_all_combinations() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let html = folder.path("out.html");
    let run = expect(0, &["detect", &model, "-D", "N=6,4,2", "-D", "M=1..2", "--json", "--report", &html]);
    let rows = rows(&run.stdout);
    let found: Vec<(i64, i64, &str)> = rows
        .iter()
        .map(|row| {
            let constant = |name: &str| row["constants"][name].as_i64().expect("a value");
            (constant("N"), constant("M"), row["detect"]["order"].as_str().expect("an order"))
        })
        .collect();
    let expected = [(6, 1, "720"), (6, 2, "720"), (4, 1, "24"), (4, 2, "24"), (2, 1, "2"), (2, 2, "2")];
    assert_eq!(found, expected);
    let page = text(&html);
    assert!(page.contains("number (logarithmic)") && page.contains("group order"), "{page}");
}

#[test]
fn larger_values_than_those_that_meet_a_limit_are_left_out() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let options = ["check", &model, "-D", "N=3..7", "--no-deadlock", "--symmetry=none", "--max-states=20", "--json"];
    let statuses = |run: &str| -> Vec<String> {
        rows(run).iter().map(|row| row["status"].as_str().expect("a status").to_owned()).collect()
    };
    let all = expect(3, &options);
    assert_eq!(statuses(&all.stdout), ["done", "done", "inconclusive", "inconclusive", "inconclusive"]);
    let limit = &rows(&all.stdout)[2];
    assert_eq!(limit["check"]["limit"], "states", "{limit}");
    let expected = ["done", "done", "inconclusive", "skipped", "skipped"];
    let some = expect(3, &[&options[..], &["--skip-larger"]].concat());
    assert_eq!(statuses(&some.stdout), expected);
    assert_eq!(rows(&some.stdout)[4]["message"], "left out: N=5 met a limit");
    // The same in a batch on several threads, and where rows are there from before.
    let journal = folder.path("rows.jsonl");
    let batch = ["batch", &model, "--check", "--skip-larger", "--threads", "3", "--resume", &journal];
    for _ in 0..2 {
        assert_eq!(statuses(&expect(3, &[&batch[..], &options[2..]].concat()).stdout), expected);
    }
}

#[test]
fn the_exit_code_is_that_of_the_worst_row() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    expect(0, &["check", &model, "-D", "N=1..2", "--no-deadlock"]);
    // All flags up is a deadlock.
    expect(1, &["check", &model, "-D", "N=1..2"]);
    expect(1, &["check", &model, "-D", "N=1,9", "--symmetry=none", "--max-states=20"]);
    expect(3, &["check", &model, "-D", "N=1,9", "--symmetry=none", "--max-states=20", "--no-deadlock"]);
    // No flag at all is no model.
    let run = expect(2, &["check", &model, "-D", "N=1,0"]);
    assert!(run.stdout.contains("N=0: refused: "), "{}", run.stdout);
}

#[test]
fn what_cannot_have_several_values_is_refused() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let lamp = fixture("x").replace("rebeca/x.rebeca", "products/lamp.rebeca");
    for (words, expected) in [
        (&["check", &model, "-D", "K=2..3"][..], "[E0510]"),
        (&["check", &lamp, "-D", "Dimmer=0..1"], "[E0547]"),
        (&["detect", &lamp, "-D", "Dimmer=1..1"], "[E0547]"),
        (&["simulate", &model, "-D", "N=2..3"], "this command takes one model"),
        (&["compare", &model, "-D", "N=2..3", "-D", "N=4"], "stands twice"),
        (&["convert", &model, "--to", "text", "-D", "N=2,3"], "this command takes one model"),
        (&["check", "-", "--language", "lpe", "-D", "N=2..3"], "standard input"),
        (&["check", &model, "-D", "N=2..3", "--explain-reductions"], "--explain-reductions"),
        (&["check", &model, "-D", "N=2..3", "--report", "x.sarif"], "name it .csv or .html"),
        (&["detect", &model, "-D", "N=2..3", "--family"], "--family"),
        (&["check", &model, "-D", "N=2..3", "-D", "N=4"], "stands twice"),
        (&["check", &model, "-D", "N=3..2"], "`3..2` is empty"),
        (&["check", &model, "-D", "N=0..99999"], "more than 10000 values"),
    ] {
        let run = quotient(words);
        assert!(run.code == Some(2) && run.stderr.contains(expected), "{words:?}: {run:?}");
    }
}

#[test]
fn one_value_is_no_sweep() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    for command in ["check", "detect"] {
        let report = |value: &str| {
            let run = quotient(&[command, &model, "-D", value, "--json"]);
            let mut report: Json = serde_json::from_str(&run.stdout).expect("one report");
            for measured in ["seconds", "peak_memory_bytes", "command_line"] {
                report.as_object_mut().expect("an object").remove(measured);
            }
            (run.code, report)
        };
        assert_eq!(report("N=3"), report("N=3..3"));
    }
}

#[test]
fn detectors_are_compared_for_each_value() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let page = folder.path("out.html");
    let options = ["compare", &model, "-D", "N=2..6", "--max-states", "20", "--skip-larger"];
    let json = expect(0, &[&options[..], &["--json", "--html", &page]].concat());
    let report: Json = serde_json::from_str(&json.stdout).expect("JSON");
    let models = report["models"].as_array().expect("models");
    assert_eq!(
        models.iter().map(|one| one["model"]["constants"]["N"].as_i64()).collect::<Vec<_>>(),
        (2..7).map(Some).collect::<Vec<_>>()
    );
    let order =
        |at: usize| models[at]["detectors"].as_array().and_then(|list| list.last()).map(|one| one["order"].clone());
    assert_eq!([0, 1, 2].map(order), ["2", "6", "24"].map(|order| Some(Json::from(order))));
    // 2^5 states are more than 20, and N=6 would have more.
    assert_eq!((&models[3]["rows"][0]["limited"], &models[3]["left_out"]), (&Json::Bool(true), &Json::Null));
    assert_eq!(models[4]["left_out"], "left out: N=5 met a limit");
    assert_eq!((&report["summary"]["left_out"], &report["summary"]["refused"]), (&1.into(), &0.into()));
    assert!(report["run"]["machine"].is_string());
    let page = text(&page);
    for part in
        ["flags.lpe N=3", "group order (logarithmic)", "states (linear)", "seconds", "left out: N=5 met a limit"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let table = expect(0, &options).stdout;
    assert!(
        table.contains("flags.lpe N=2\n") && table.contains("summary of 5 choices of 1 model, 1 left out"),
        "{table}"
    );
    let csv = folder.path("out.csv");
    expect(0, &[&options[..], &["--csv", "-o", &csv]].concat());
    let records = records(&csv);
    let of = |constants: &str| records.iter().filter(|record| record["constants"] == constants).count();
    assert_eq!((of("N=2"), of("N=5"), of("N=6")), (of("N=3"), of("N=4"), 1));
    assert!(records.iter().all(|record| record["command_line"].contains("N=2..6") && !record["version"].is_empty()));
    // The rows of a value are those of a comparison of this value alone.
    let one = expect(0, &["compare", &model, "-D", "N=4", "--max-states", "20", "--json"]);
    let one: Json = serde_json::from_str(&one.stdout).expect("JSON");
    let plain = |rows: &Json| -> Vec<(Json, Json, Json)> {
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| (row["detector"].clone(), row["states"].clone(), row["group"]["order"].clone())).collect()
    };
    assert_eq!(plain(&one["models"][0]["rows"]), plain(&models[2]["rows"]));
}

#[test]
fn every_file_says_what_produced_it() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let [table, markdown, html, lines] = ["t.txt", "t.md", "t.html", "t.jsonl"].map(|name| folder.path(name));
    let options = ["batch", &model, "-D", "N=2..4", "--detect"];
    let run = expect(0, &[&options[..], &["-o", &table, "--markdown", &markdown, "--html", &html]].concat());
    assert!(run.stdout.is_empty(), "{run:?}");
    expect(0, &[&options[..], &["--json", "-o", &lines]].concat());
    let version = env!("CARGO_PKG_VERSION");
    for (path, dot) in [(&table, "."), (&html, "."), (&markdown, ".")] {
        let text = text(path);
        let first = format!("quotient {version}; quotient batch ");
        assert!(text.contains(&first) && text.contains(&format!("-D N=2{dot}{dot}4 --detect")), "{path}: {text}");
    }
    let last = text(&lines);
    let last: Json = serde_json::from_str(last.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["run"]["version"], &last["run"]["command_line"][0]), (&version.into(), &"batch".into()));
    // Rows are counted where a model has several.
    let table = text(&table);
    assert!(table.contains("symmetry in 3 of 3 rows") && table.contains("structures: 3 symmetric"), "{table}");
    // Points of growth plots have the names of rows, so that they lead to these.
    let page = text(&html);
    assert!(page.contains("data-name=\"") && page.contains("flags.lpe N=3: group order 6</title>"), "{page}");
}

#[test]
fn models_say_how_they_are_run() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("models")).expect("a folder");
    let dead = "reactiveclass A(1) { msgsrv initial() { } } main { A a():(); }";
    folder.file("models/a.rebeca", format!("//@ quotient: --no-deadlock\n{dead}"));
    folder.file("models/b.lpe", format!("//@ quotient: --no-deadlock -D N=3\n{FLAGS}"));
    let murphi = "var x: boolean; startstate begin x := false; end; rule !x ==> begin x := true; end;";
    folder.file("models/c.m", format!("--@ quotient: --no-deadlock\n{murphi}"));
    folder.file("models/d.pml", "//@ quotient: --no-deadlock\nactive proctype P() { false }\n");
    let dve = "byte x; process P { state a, b; init a; trans a -> b { effect x = 1; }; } system async;";
    folder.file("models/e.dve", format!("//@ quotient: --no-deadlock\n{dve}"));
    let net = text(fixture("x").replace("rebeca/x.rebeca", "pnml/places/stop.pnml"));
    folder.file("models/f.pnml", format!("<!--@ quotient: --no-deadlock -->\n{net}"));
    let models = folder.path("models");
    let listed = |run: &str| -> Vec<(String, Option<u64>)> {
        let row = |row: &Json| {
            (row["check"]["verdict"].as_str().unwrap_or_default().to_owned(), row["check"]["states"].as_u64())
        };
        rows(run).iter().map(row).collect()
    };
    let run = expect(0, &["batch", &models, "--check", "--json"]);
    assert!(listed(&run.stdout).iter().all(|(verdict, _)| verdict == "holds"), "{}", run.stdout);
    assert_eq!(rows(&run.stdout)[1]["options"], "--no-deadlock -D N=3");
    assert_eq!(listed(&run.stdout)[1].1, Some(4));
    // The command line wins, also over the constants of a head line.
    let own = folder.path("models/b.lpe");
    let run = expect(0, &["batch", &own, "--check", "--json", "-D", "N=5..6", "--symmetry", "none"]);
    assert_eq!(listed(&run.stdout).iter().map(|(_, states)| *states).collect::<Vec<_>>(), [Some(32), Some(64)]);
    // Without head lines these are violations, except where the options of the batch say so.
    let bare = folder.file("bare.rebeca", dead);
    assert_eq!(listed(&expect(0, &["batch", &bare, "--check", "--json"]).stdout)[0].0, "violated");
    assert_eq!(listed(&expect(0, &["batch", &bare, "--check", "--json", "--no-deadlock"]).stdout)[0].0, "holds");
}

#[test]
fn wrong_head_lines_are_refused_with_their_place() {
    let folder = Folder::new();
    let fine = folder.file("fine.lpe", FLAGS);
    let wrong = folder.file("wrong.lpe", format!("// flags\n//@ quotient: --frobnicate\n{FLAGS}"));
    let writes = folder.file("zwrites.lpe", format!("//@ quotient: --report stolen.html\n{FLAGS}"));
    let run = expect(3, &["batch", &fine, &wrong, &writes, "--check", "--json"]);
    let rows = rows(&run.stdout);
    let message = |at: usize| rows[at]["message"].as_str().unwrap_or_default();
    assert_eq!(rows[0]["status"], "done");
    assert!(message(1).starts_with("2:1: E0548: unexpected argument '--frobnicate' found"), "{}", message(1));
    assert!(message(2).starts_with("1:1: E0548: `--report` is no option of a head line"), "{}", message(2));
    assert!(run.stderr.contains("wrong.lpe:2:1"), "{}", run.stderr);
    assert_eq!(folder.names().len(), 3);
}

#[test]
fn baselines_say_what_moved() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("models")).expect("a folder");
    folder.file("models/a.lpe", FLAGS);
    folder.file("models/b.lpe", FLAGS.replace(":= 1;", ":= 0;"));
    folder.file("models/c.lpe", FLAGS);
    let (models, baseline) = (folder.path("models"), folder.path("baseline.jsonl"));
    let options = ["batch", &models, "--check", "--detect", "-D", "N=2..3", "--expect", &baseline];
    let missing = expect(2, &options);
    assert!(missing.stderr.contains("[E0500]"), "{}", missing.stderr);
    expect(0, &[&options[..], &["--update-expect"]].concat());
    let kept = text(&baseline);
    assert!(kept.lines().count() == 7 && !kept.contains("seconds"), "{kept}");
    let same = expect(0, &options);
    assert!(same.stdout.contains("6 rows as in ") && same.stdout.contains(", 0 moved"), "{}", same.stdout);
    // One model changes, one is new, one is gone.
    folder.file("models/a.lpe", FLAGS.replace(":= 1;", ":= 0;"));
    folder.file("models/d.lpe", FLAGS);
    std::fs::remove_file(folder.path("models/c.lpe")).expect("a file");
    let moved = expect(1, &options);
    for part in [
        "/a.lpe N=2: verdict was violated, is holds\n",
        "new: ",
        "/d.lpe N=3: violated\n",
        "gone: ",
        "/c.lpe N=3: violated\n",
    ] {
        assert!(moved.stdout.contains(part), "{part}: {}", moved.stdout);
    }
    let json = expect(1, &[&options[..], &["--json"]].concat());
    let last: Json = serde_json::from_str(json.stdout.lines().last().expect("a line")).expect("JSON");
    assert!(last["expect"]["moved"].as_array().is_some_and(|moved| moved.len() > 4), "{last}");
    expect(1, &[&options[..], &["--update-expect"]].concat());
    expect(0, &options);
    folder.file("baseline.jsonl", "nonsense\n");
    let wrong = expect(2, &options);
    assert!(wrong.stderr.contains("[E0549]"), "{}", wrong.stderr);
}

#[test]
fn repetitions_have_a_median_and_a_spread() {
    let folder = Folder::new();
    let model = folder.file("flags.lpe", FLAGS);
    let csv = folder.path("out.csv");
    expect(0, &["batch", &model, "--repeat", "3", "--compare", "--check", "--csv", &csv]);
    let record = &records(&csv)[0];
    let number = |name: &str| record[name].parse::<f64>().unwrap_or_else(|_| panic!("{name}: {record:?}"));
    assert_eq!(record["repeats"], "3");
    assert!(number("seconds_least") <= number("seconds") && number("seconds") <= number("seconds_greatest"));
    assert!(number("check_seconds_least") <= number("check_seconds_greatest"));
    if cfg!(target_os = "linux") {
        assert!(number("cpu_seconds") > 0.0 && number("cpu_seconds") <= number("cpu_seconds_greatest"));
    }
}

/// What is measured, and what names the run.
const MEASURED: [&str; 6] =
    ["seconds", "check_seconds", "detect_seconds", "cpu_seconds", "peak_memory_bytes", "command_line"];

/// Models of all languages, with a constant `N` but for two of them.
fn of_all_languages() -> Vec<(&'static str, String)> {
    let counters = "env int N = 2; reactiveclass C(2) { statevars { int n; } msgsrv initial() { self.up(); } \
        msgsrv up() { n = (n + 1) % N; self.up(); } } main { C a():(); C b():(); }";
    let net = "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\
        <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"page\">\
        <place id=\"a\"><initialMarking><text>2</text></initialMarking></place><transition id=\"t\"/>\
        <arc id=\"x\" source=\"a\" target=\"t\"/></page></net></pnml>";
    let murphi = |rule: &str| {
        format!(
            "const N: 2; type P: 0 .. N - 1; var up: array [P] of boolean; \
            startstate begin for p: P do up[p] := false; end; end; ruleset p: P do {rule} end;"
        )
    };
    let process = |name: &str| {
        format!("process {name} {{ byte n; state s; init s; trans s -> s {{ guard n < N; effect n = n + 1; }}; }}")
    };
    let promela =
        |step: &str| format!("#define N 2\nbyte n;\nactive [N] proctype P() {{ do :: n < N -> {step} od }}\n");
    vec![
        ("a.lpe", FLAGS.to_owned()),
        ("b.lpe", format!("//@ quotient: --no-deadlock --max-states 9\n{FLAGS}")),
        ("c.rebeca", text(fixture("two_phase_commit/2pc2"))), // no `N`: refused for each value
        ("d.lpe", format!("//@ quotient: --keep-going\n{FLAGS}")),
        ("e.rebeca", counters.to_owned()),
        ("f.m", murphi("rule !up[p] ==> begin up[p] := true; end;")),
        ("g.m", format!("--@ quotient: --no-deadlock\n{}", murphi("rule up[p] := !up[p]; end;"))),
        ("h.dve", format!("const byte N = 2; {} {} system async;", process("A"), process("B"))),
        ("i.dve", format!("//@ quotient: --no-deadlock\nconst byte N = 2; {} system async;", process("A"))),
        ("j.pml", promela("n++")),
        ("k.pml", format!("//@ quotient: --no-deadlock\n{}", promela("n = (n + 1) % N"))),
        ("l.pnml", net.to_owned()), // no `N` either
    ]
}

#[test]
fn a_sweep_that_is_killed_twice_gives_the_same_table() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("models")).expect("a folder");
    for (name, text) in of_all_languages() {
        folder.file(&format!("models/{name}"), text);
    }
    let (models, journal) = (folder.path("models"), folder.path("rows.jsonl"));
    let options = ["batch", &models, "-D", "N=2..5", "--symmetry", "none", "--skip-larger", "--resume", &journal];
    for lines in [9, 25] {
        let mut child = command().args(options).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        until(&mut child, || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) >= lines);
        let _ = child.kill(); // it may have ended
        child.wait().expect("ended");
    }
    let (resumed, whole) = (folder.path("resumed.csv"), folder.path("whole.csv"));
    expect(3, &[&options[..], &["--csv", &resumed]].concat());
    expect(3, &[&options[..7], &["--csv", &whole]].concat());
    let plain = |path: &str| {
        let mut records = records(path);
        for record in &mut records {
            record.retain(|name, _| !MEASURED.contains(&name.as_str()));
        }
        records
    };
    let (resumed, whole) = (plain(&resumed), plain(&whole));
    assert_eq!(resumed.len(), 48);
    assert_eq!(resumed, whole);
    let of = |status: &str| whole.iter().filter(|record| record["status"] == status).count();
    assert_eq!((of("done"), of("refused")), (38, 8), "{whole:?}");
    assert_eq!((of("inconclusive"), of("skipped")), (1, 1));
}
