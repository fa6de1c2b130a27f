//! `compare`: one row a detector and choice of representatives.

use serde_json::Value as Json;

use super::{Folder, fixture};
use crate::binary::{quotient, quotient_with};

#[test]
fn detectors_stand_side_by_side() {
    let model = fixture("two_phase_commit/2pc2");
    let run = quotient(&["compare", &model, "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = report["models"][0]["rows"].as_array().expect("rows");
    let detectors: Vec<&str> = rows.iter().filter_map(|row| row["detector"].as_str()).collect();
    assert_eq!(detectors, ["none", "known-rebec", "scalar-set", "channel-diagram", "constraint"]);
    assert_eq!((&rows[0]["states"], &rows[0]["group"]), (&Json::from(324), &Json::Null));
    assert_eq!((&rows[1]["states"], &rows[1]["group"]["order"]), (&Json::from(166), &Json::from("2")));
    assert!(rows.iter().all(|row| row["complete"] == true));
}

#[test]
fn counts_that_a_limit_ends_are_lower_bounds() {
    let run = quotient(&["compare", &fixture("philosophers/phil2_fig2"), "--max-states", "100"]);
    assert!(run.code == Some(0) && run.stdout.contains("> 100"), "{run:?}");
    assert!(run.stdout.contains("  none: stopped at 100 states (--max-states)"), "{run:?}");
    let csv = quotient(&["compare", &fixture("philosophers/phil2_fig2"), "--max-states", "100", "--csv"]).stdout;
    assert!(csv.starts_with("model,detector,") && csv.contains(",none,,,,,,true,100,"), "{csv}");
    let limits: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').nth(17)).collect();
    assert_eq!(limits, ["states"; 5], "{csv}");
}

#[test]
fn the_limit_on_time_is_shared_by_all_runs() {
    let folder = Folder::new();
    let counters = "reactiveclass C(2) { statevars { int n; } msgsrv initial() { self.up(); } \
        msgsrv up() { n = (n + 1) % 100000; self.up(); } } main { C a():(); C b():(); }";
    let model = folder.file("counters.rebeca", counters);
    let run = quotient(&["compare", &model, "--json", "--timeout", "900ms"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = report["models"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows[0]["complete"], false, "{report}");
}

/// The pairs of a model, as detectors and relation.
fn pairs(model: &Json) -> Vec<(String, String, String)> {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let pairs = model["pairs"].as_array().expect("pairs").iter();
    pairs.map(|pair| (text(&pair["detectors"][0]), text(&pair["detectors"][1]), text(&pair["relation"]))).collect()
}

#[test]
fn conjugate_groups_are_told_apart_from_equal_ones() {
    let run = quotient(&["compare", &fixture("detectors/conjugate"), "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let model = &report["models"][0];
    let all = [
        ("known-rebec", "scalar-set", "subgroup"),
        ("known-rebec", "channel-diagram", "conjugate"),
        ("known-rebec", "constraint", "subgroup"),
        ("scalar-set", "channel-diagram", "supergroup"),
        ("scalar-set", "constraint", "equal"),
        ("channel-diagram", "constraint", "subgroup"),
    ];
    let all = all.map(|(one, other, relation)| (one.to_owned(), other.to_owned(), relation.to_owned()));
    assert_eq!(pairs(model), all);
    let conjugate = &model["pairs"][1];
    assert_eq!((&conjugate["conjugate"], &conjugate["index"]), (&Json::Bool(true), &Json::Null));
    assert_eq!(conjugate["only"][0], serde_json::json!([[["b", "d"]]]));
    assert_eq!((&model["pairs"][0]["index"], &model["ambient_order"]), (&Json::from("3"), &Json::from("6")));
    // Both groups have the same order and leave the same number of states: only the groups tell them apart.
    let rows = model["rows"].as_array().expect("rows");
    let of = |name: &str| rows.iter().find(|row| row["detector"] == name).expect("a row");
    let (known, channel) = (of("known-rebec"), of("channel-diagram"));
    assert_eq!((&known["group"]["order"], &known["states"]), (&channel["group"]["order"], &channel["states"]));
    let generator = &model["detectors"][0]["generators"][0];
    assert_eq!(generator["found_by"], serde_json::json!(["known-rebec", "scalar-set", "constraint"]));
    assert_eq!(generator["rules"], serde_json::json!(["inter-rebec", "intra-rebec", "channel-diagram"]));
    let text = quotient(&["compare", &fixture("detectors/conjugate")]).stdout;
    assert!(text.contains("known-rebec and channel-diagram: conjugate and different"), "{text}");
    assert!(text.contains("known-rebec in scalar-set: a subgroup of index 3"), "{text}");
    assert!(text.contains("process (b, d)   by known-rebec, scalar-set, constraint; not by channel-diagram"), "{text}");
}

#[test]
fn groups_of_murphi_models_are_compared_on_their_states() {
    let model = "type P: scalarset(3); Q: 0 .. 1; var at: array [P] of Q; flag: array [Q] of boolean;
        startstate begin for p: P do at[p] := 0; end; for q: Q do flag[q] := false; end; for p: P do undefine at[p]; end; end;
        ruleset p: P; q: Q do rule isundefined(at[p]) ==> begin at[p] := q; flag[q] := true; end; end;";
    let folder = Folder::new();
    let run = quotient(&["compare", &folder.file("places.m", model), "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let model = &report["models"][0];
    assert_eq!(pairs(model), [("scalar-set".to_owned(), "constraint".to_owned(), "subgroup".to_owned())]);
    assert_eq!(model["pairs"][0]["index"], "2", "{report}");
}

#[test]
fn folders_are_compared_with_a_summary_and_a_page() {
    let folder = Folder::new();
    let model = |name: &str| std::fs::read_to_string(fixture(name)).expect("a fixture");
    std::fs::create_dir(folder.path("models")).expect("a folder");
    folder.file("models/a.rebeca", model("two_phase_commit/2pc2"));
    folder.file("models/b.rebeca", model("detectors/conjugate"));
    folder.file("models/broken.rebeca", "reactiveclass {");
    let (models, page) = (folder.path("models"), folder.path("out.html"));
    let run = quotient(&["compare", &models, "--html", &page, "--max-states", "100000"]);
    // The broken model is refused, the others are compared.
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.stdout.contains("summary of 3 models, 1 refused") && run.stdout.contains("refused: its text has errors"),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("known-rebec against channel-diagram: fewer states on 0, more on 0, as many on 2"),
        "{run:?}"
    );
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("<polyline") && page.contains("Models finished within a time"), "a cactus plot");
    assert!(page.contains("class=\"even\"") && page.contains("conjugate and different"), "scatter plots, groups");
    let json = quotient(&["compare", &models, "--json"]).stdout;
    let report: Json = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["models"].as_array().map(Vec::len), Some(3));
    assert_eq!((&report["models"][2]["refused"], &report["summary"]["refused"]), (&Json::Bool(true), &Json::from(1)));
    let constraint = report["summary"]["detectors"].as_array().expect("detectors").last().expect("one");
    assert_eq!(
        (&constraint["detector"], &constraint["finished"], &constraint["fewest_states"]),
        (&"constraint".into(), &2.into(), &2.into())
    );
}

/// Puts a program of the shell into a folder.
#[cfg(unix)]
fn program(folder: &Folder, name: &str, body: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.file(name, format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

#[cfg(unix)]
#[test]
fn other_programs_agree_differ_or_are_missing() {
    let folder = Folder::new();
    program(&folder, "bliss", "read line < \"$1\"; case \"$line\" in 'p edge '*) echo '|Aut|:          2';; esac");
    program(&folder, "saucy", "echo 'group size = 3.000000e0'");
    program(&folder, "gap", "while :; do kill -STOP $$; done");
    let model = fixture("two_phase_commit/2pc2");
    let options = ["compare", &model, "--engines", "--json", "--timeout", "30s"];
    let run = battery::harness::run(crate::binary::command().args(options).env("PATH", folder.path("")), b"");
    assert_eq!(run.code, Some(0), "{run:?}");
    let missing = run.stderr.matches("not installed: nauty, Traces\n").count();
    assert_eq!((missing, run.stderr.matches("not installed").count()), (1, 1), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let graph = &report["models"][0]["graph"];
    let engines = graph["engines"].as_array().expect("engines");
    let found: Vec<_> = engines.iter().map(|one| (&one["engine"], &one["order"], &one["agreement"])).collect();
    let text = ["bliss", "2", "same", "saucy", "3.000000e0", "different"].map(Json::from);
    assert_eq!(graph["order"], "2");
    assert_eq!(found, [(&text[0], &text[1], &text[2]), (&text[3], &text[4], &text[5])]);
    // GAP came to no answer and was ended.
    assert!(report["models"][0]["detectors"][0]["small_group"].is_null());
    assert!(report["models"][0]["unnamed"].as_str().is_some_and(|reason| reason.starts_with("GAP was ended after ")));
}

#[test]
fn a_group_has_one_name() {
    let folder = Folder::new();
    let murphi = "type P: scalarset(2); Q: scalarset(2); var at: array [P] of array [Q] of boolean;
        startstate begin for p: P do for q: Q do at[p][q] := false; end; end; end;
        ruleset p: P; q: Q do rule !at[p][q] ==> begin at[p][q] := true; end; end;";
    let models = [fixture("two_phase_commit/2pc2"), fixture("trains/train3"), folder.file("grid.m", murphi)];
    let mut names = Vec::new();
    for model in &models {
        let json = |words: &[&str]| -> Json { serde_json::from_str(&quotient(words).stdout).expect("JSON") };
        let detected = json(&["detect", model, "--json"])["group"]["structure"].clone();
        let check = ["check", model, "--json", "--no-property", "--keep-going", "--por", "off", "--slice", "off"];
        let compared = json(&["compare", model, "--json"]);
        let compared = compared["models"][0]["detectors"].as_array().and_then(|list| list.last()).expect("a detector");
        let rows = quotient(&["batch", model, "--detect", "--json"]).stdout;
        let row: Json = serde_json::from_str(rows.lines().next().expect("a row")).expect("JSON");
        assert_eq!(json(&check)["group"]["structure"], detected, "{model}");
        assert_eq!(compared["structure"], detected, "{model}");
        assert_eq!(row["detect"]["structure"], detected, "{model}");
        names.push(detected);
    }
    assert_eq!(names, ["S2", "C3", "S2^2"]);
}

/// Whether a program is in `PATH`; a test that leaves a part out says so.
fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).any(|folder| folder.join(program).is_file());
    if !found {
        eprintln!("skipped: `{program}` is not installed");
    }
    found
}

#[test]
fn installed_programs_agree_on_every_graph() {
    let commands = [("nauty", "dreadnaut"), ("Traces", "dreadnaut"), ("bliss", "bliss"), ("saucy", "saucy")];
    let installed: Vec<&str> =
        commands.iter().filter(|(_, command)| is_installed(command)).map(|(name, _)| *name).collect();
    let sequential = fixture("x").replace("rebeca/x.rebeca", "lpe/locks/resalloc.lpe");
    let models =
        [fixture("two_phase_commit/2pc3"), fixture("detectors/conjugate"), fixture("trains/train4"), sequential];
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    let run = quotient(&[&["compare", "--engines", "--json", "--max-states", "500"], &models[..]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    for model in report["models"].as_array().expect("models") {
        let engines = model["graph"]["engines"].as_array().expect("engines");
        let names: Vec<&str> = engines.iter().filter_map(|engine| engine["engine"].as_str()).collect();
        assert_eq!(names, installed);
        for engine in engines {
            let agreement = engine["agreement"].as_str().expect("a word");
            assert!(["same", "same-rounded"].contains(&agreement) && engine["seconds"].is_f64(), "{model}");
        }
    }
    if is_installed("gap") {
        let detectors = &report["models"][1]["detectors"];
        let place = |at: usize| (detectors[at]["structure"].as_str(), detectors[at]["small_group"].clone());
        assert_eq!(place(0), (Some("S2"), serde_json::json!([2, 1])));
        assert_eq!(place(3), (Some("S3"), serde_json::json!([6, 1])));
    }
}

#[test]
fn rows_of_other_programs_are_in_the_table_of_commas() {
    let folder = Folder::new();
    let csv = folder.path("out.csv");
    let run = quotient(&["compare", &fixture("two_phase_commit/2pc2"), "--engines", "--csv", "-o", &csv]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let mut reader = csv::Reader::from_path(&csv).expect("a file");
    let records: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|record| record.expect("a record")).collect();
    assert!(records.len() >= 5 && records.iter().all(|record| record["command_line"].contains("--engines")));
    if is_installed("bliss") {
        let bliss = records.iter().find(|record| record["detector"] == "bliss").expect("a row");
        assert_eq!((bliss["order"].as_str(), bliss["reason"].as_str()), ("2", "same"));
        assert!(bliss["detection_seconds"].parse::<f64>().is_ok() && bliss["states"].is_empty());
    }
}

const RING: &str = "const N = 2; type P : 0..N-1;
proc Ring(up : BOOL[P]) = sum p:P . [up[p] = 0] rise(p) { up[p] := 1; } -> Ring;
init Ring(up = 0);";

#[test]
fn models_say_how_they_are_compared() {
    let folder = Folder::new();
    let head = "//@ quotient: --no-deadlock -D N=3 --max-states 5 --representative local-search";
    let ring = folder.file("ring.lpe", format!("{head}\n{RING}"));
    let wrong = folder.file("wrong.lpe", format!("// a\n//@ quotient: --output x\n{RING}"));
    let report = |options: &[&str]| -> Json {
        let run = quotient(&[&["compare", "--json"], options].concat());
        serde_json::from_str(&run.stdout).expect("JSON")
    };
    let model = &report(&[&ring])["models"][0];
    assert_eq!((&model["model"]["constants"]["N"], &model["model"]["options"]), (&3.into(), &head[14..].into()));
    let rows = model["rows"].as_array().expect("rows");
    let constraint = rows.last().expect("a row");
    assert_eq!((&rows[0]["complete"], &constraint["representative"]), (&false.into(), &"local-search".into()));
    // The command line wins, by constant, by limit and by choice; what it does not say is as in the head.
    let options = [ring.as_str(), "-D", "N=4..5", "--max-states", "100", "--representative", "auto"];
    let report = report(&options);
    let models = report["models"].as_array().expect("models");
    assert_eq!(models.len(), 2);
    for (model, states) in models.iter().zip([16, 32]) {
        let rows = model["rows"].as_array().expect("rows");
        assert_eq!((&rows[0]["states"], &rows[0]["complete"]), (&states.into(), &true.into()), "{model}");
        assert_ne!(rows.last().expect("a row")["representative"], "local-search");
    }
    // A wrong head refuses its model, with its place, and the others are compared.
    let run = quotient(&["compare", &wrong, &ring, "--format", "short"]);
    assert!(
        run.code == Some(2) && run.stderr.contains(":2:1: E0548: `--output` is no option of a head line"),
        "{run:?}"
    );
    assert!(run.stdout.contains("options    --no-deadlock -D N=3") && run.stdout.contains("1 refused"), "{run:?}");
    assert_eq!(quotient(&["compare", &wrong]).code, Some(2));
}

/// What is no regular file can be read once: it has no head.
#[test]
#[cfg(unix)]
fn a_model_from_a_pipe_is_read_once() {
    let run = quotient_with(&["compare", "/dev/stdin", "--language", "lpe", "--json"], RING.as_bytes());
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["models"][0]["rows"][0]["states"], 4, "{run:?}");
}

#[test]
fn repetitions_have_medians_and_spreads() {
    let folder = Folder::new();
    let model = fixture("two_phase_commit/2pc2");
    let run = quotient(&["compare", &model, "--repeat", "3", "--json"]);
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = report["models"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 5);
    for row in rows {
        let group = Some(&row["group"]).filter(|group| !group.is_null());
        for timed in std::iter::once(row).chain(group) {
            assert_eq!(timed["spread"]["runs"], 3, "{row}");
            let [least, greatest] = [0, 1].map(|at| timed["spread"]["seconds"][at].as_f64().expect("seconds"));
            let median = timed["seconds"].as_f64().expect("seconds");
            assert!(least <= median && median <= greatest, "{row}");
            assert!(timed["cpu_seconds"].as_f64().is_none_or(|seconds| seconds >= 0.0), "{row}");
        }
    }
    // A run that meets a limit is not repeated.
    let csv = folder.path("out.csv");
    quotient(&["compare", &model, "--repeat", "3", "--max-states", "200", "--csv", "-o", &csv]);
    let mut reader = csv::Reader::from_path(&csv).expect("a file");
    let records: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|record| record.expect("a record")).collect();
    let repeats = |name: &str| records.iter().find(|row| row["detector"] == name).expect("a row")["repeats"].clone();
    assert_eq!((repeats("none").as_str(), repeats("constraint").as_str()), ("", "3"));
    let page = folder.path("out.html");
    let text = quotient(&["compare", &model, "--repeat", "2", "--html", &page]).stdout;
    assert!(text.contains("  spread     none: ") && text.contains(" in 2 runs"), "{text}");
    assert!(std::fs::read_to_string(page).expect("a page").contains("How far the times of repetitions lie apart"));
}
