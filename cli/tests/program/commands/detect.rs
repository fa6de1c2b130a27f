//! `detect`, and the stages that `convert` writes: the contract, options, and that the stages fit together.

use battery::harness::root;
use serde_json::Value as Json;

use super::{Folder, expect, fixture};
use crate::binary::{quotient, quotient_with};

fn process(name: &str) -> String {
    root().join("fixtures/lpe").join(format!("{name}.lpe")).to_string_lossy().into_owned()
}

fn detected(arguments: &[&str]) -> Json {
    let run = quotient(&[&["detect"], arguments, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn the_contract_is_kept() {
    let sequential = detected(&[&process("puzzles/hanoi")]);
    let actors = detected(&[&fixture("philosophers/phil4_fig2")]);
    for found in [&sequential, &actors] {
        assert!(found["schema_version"] == 1 && found["command"] == "detect" && found["strategy"] == "constraint");
        assert!(found["model"]["path"].is_string() && found["model"]["language"].is_string());
        let group = &found["group"];
        assert_eq!(group["order"], "2");
        for generator in group["generators"].as_array().expect("a list") {
            assert!(generator["cycles"][0][0].is_string() && generator["rules"].is_array());
            assert!(["text", "tables"].iter().any(|proof| generator["proved_by"] == *proof), "{generator}");
            assert!(["process", "data", "mixed"].iter().any(|kind| generator["kind"] == *kind));
        }
        assert!(group["orbits"][0][0].is_string() && group["structure"] == "S2");
        let graph = &found["graph"];
        assert!(graph["vertices"].is_u64() && graph["edges"].is_u64() && graph["order"].is_string());
        assert!(found["rejected"].is_array() && found["near"].is_array() && found["undecided"].is_array());
        assert_eq!(found["exact"], true);
        assert!(["lower", "graph", "search", "validate"].iter().all(|stage| found["seconds"][stage].is_number()));
    }
    assert_eq!(sequential["group"]["generators"][0]["cycles"], serde_json::json!([["PEG 1", "PEG 2"]]));
    assert_eq!(sequential["group"]["generators"][0]["kind"], "data");
}

/// A group is not called exact where a part of the model may hide symmetries: one that is kept as written, or that the graph does not show.
#[test]
fn what_is_left_undecided_is_not_exact() {
    for (name, order) in [("quorum/seats", "12"), ("faults/endless", "1")] {
        let found = detected(&[&fixture(name)]);
        assert!(!found["undecided"].as_array().expect("a list").is_empty(), "{name}");
        assert_eq!((&found["exact"], &found["group"]["order"]), (&false.into(), &order.into()), "{name}");
    }
}

#[test]
fn names_cut_the_group() {
    let path = process("soundness/csp_p10_property");
    assert_eq!(detected(&[&path])["group"]["order"], "2", "no property is checked");
    let cut = detected(&[&path, "--name", "NotX"]);
    assert_eq!(cut["group"]["order"], "1");
    let run = quotient(&["detect", &path, "--name", "Nothing"]);
    assert!(run.code == Some(2) && run.stderr.contains("[E0504]"), "{run:?}");
}

/// The properties of a file are kept where the language has such files: all of a named one, without those of the text, or those that are named.
#[test]
fn properties_of_files_cut_the_group() {
    let folder = Folder::new();
    let text = "var at: array [1 .. 3] of boolean; startstate for i: 1 .. 3 do at[i] := false; end; end;
        ruleset i: 1 .. 3 do rule \"go\" begin at[i] := !at[i]; end; end; invariant \"two\" at[1] | at[2] | !at[2];";
    let model = folder.file("model.m", text);
    let order = |options: &[&str]| detected(&[&[&*model], options].concat())["group"]["order"].clone();
    let own = folder.file("model.property", "one: G F at[1]\nall: G F (forall p: 1 .. 3 do at[p] end)\n");
    assert_eq!(order(&[]), "6");
    assert_eq!(order(&["--name", "one"]), "2");
    assert_eq!(order(&["--name", "all"]), "6");
    assert_eq!(order(&["--property", &own]), "2");
    let other = folder.file("other", "any: G F (exists p: 1 .. 3 do at[p] end)\n");
    assert_eq!(order(&["--property", &other]), "6");
    assert_eq!(order(&["--property", &other, "--name", "two"]), "1");
    let process = root().join("fixtures/dve/properties/turns.dve").to_string_lossy().into_owned();
    assert_eq!(detected(&[&process, "--name", "never"])["group"]["order"], "1");
    let slice = expect(0, &["slice", &process, "--name", "never"]).stdout;
    assert!(slice.contains("ltl never") && !slice.contains("served"), "{slice}");
}

#[test]
fn strategies_are_those_of_the_language() {
    let path = fixture("two_phase_commit/2pc3");
    assert_eq!(detected(&[&path, "--strategy", "known-rebec"])["group"]["order"], "3");
    assert_eq!(detected(&[&path, "--strategy", "scalar-set"])["group"]["order"], "6");
    let run = quotient(&["detect", &process("puzzles/hanoi"), "--strategy", "known-rebec"]);
    assert!(run.code == Some(2) && run.stderr.contains("[E0506]"), "{run:?}");
}

#[test]
fn the_graph_that_is_written_has_the_group() {
    let folder = Folder::new();
    let (map, group) = (folder.path("map"), folder.path("group.g"));
    let path = process("locks/filter");
    let run = quotient(&["convert", &path, "-D", "N=4", "--to", "graph", "--map", &map]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let graph = quotient_with(&["graph", "-", "--json"], run.stdout.as_bytes());
    let graph: Json = serde_json::from_str(&graph.stdout).expect("JSON");
    let found = detected(&[&path, "-D", "N=4", "--gap", &group]);
    assert_eq!(graph["order"], found["graph"]["order"]);
    assert_eq!(graph["vertices"], found["graph"]["vertices"]);
    let lines = std::fs::read_to_string(&map).expect("the map").lines().count() as u64;
    assert_eq!(found["graph"]["vertices"], lines);
    assert!(std::fs::read_to_string(&group).expect("the group").contains("Group("));
}

#[test]
fn stages_are_written() {
    let path = process("locks/readers_writers");
    for (stage, part) in [("ssa", "phi("), ("csp", "instance ")] {
        let run = quotient(&["convert", &path, "--to", stage]);
        assert!(run.code == Some(0) && (run.stdout.contains(part) || run.stdout.contains("' = ")), "{run:?}");
    }
    let run = quotient(&["convert", &fixture("philosophers/phil4_fig2"), "--to", "csp"]);
    assert!(run.code == Some(0) && run.stdout.contains("instance phil0.arrive"), "{run:?}");
}

#[test]
fn parts_that_are_too_large_are_named() {
    let text = "type T : 0..2000; type P : 0..2; proc X(x : T, a : BIT[P]) = sum a1:T . sum b:T . [x = a1] large { x := b; } \
                -> X + sum i:P . [a[i] = 0] set { a[i] := 1; } -> X; init X(x = 0, a = 0);";
    let folder = Folder::new();
    let found = detected(&[&folder.file("large.lpe", text)]);
    assert_eq!(found["group"]["order"], "6");
    assert_eq!(found["not_represented"], serde_json::json!(["summand 0 `large`"]));
}

/// In the report for people, as JSON, on a page, as findings, and as notices for editors: `N0533`.
#[test]
fn places_that_break_a_symmetry_are_shown() {
    let folder = Folder::new();
    let text = "type CELL : 1..3;\nproc P(full : BOOL[CELL], last : CELL) =\n    sum c:CELL . [!full[c]] fill(c) { full[c] := 1; last := c; } -> P;\n\
        init P(full = 0, last = 1);\n";
    let model = folder.file("cells.lpe", text);
    let found = detected(&[&model, "--why", "(CELL 2, CELL 3)", "--why", "(CELL 1, CELL 2)"]);
    let place = serde_json::json!({
        "file": model, "line": 4, "column": 18, "text": "last = 1", "reason": found["near"][0]["broken_by"]["reason"],
    });
    assert_eq!((&found["near"][0]["permutations"], &found["near"][0]["broken_by"]), (&"S3 on CELL".into(), &place));
    assert_eq!((&found["why"][0]["symmetry"], &found["why"][0]["proved_by"]), (&true.into(), &"text".into()));
    assert_eq!((&found["why"][1]["symmetry"], &found["why"][1]["broken_by"]), (&false.into(), &place));
    let unknown = quotient(&["detect", &model, "--why", "(CELL 1, CELL 4)"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("E0544"), "{unknown:?}");
    let people = quotient(&["detect", &model]).stdout;
    assert!(people.contains("S3 on CELL, but for `last = 1` (line 4)"), "{people}");
    let (page, findings) = (folder.path("cells.html"), folder.path("cells.sarif"));
    let files = ["--why", "(CELL 1, CELL 2)", "--report", &page, "--report", &findings];
    let run = quotient(&[&["detect", &model, "--format", "short"], &files[..]].concat());
    assert!(run.stderr.contains("cells.lpe:4:18: notice N0533: S3 on CELL, but for this place"), "{}", run.stderr);
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("Near symmetries") && page.contains("Single permutations"), "{page}");
    assert_eq!(page.matches("line 4: last = 1").count(), 2, "{page}");
    let findings: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(findings).expect("findings")).expect("JSON");
    let result = &findings["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["kind"]), (&"N0533".into(), &"informational".into()));
    let region = serde_json::json!({ "startLine": 4, "startColumn": 18 });
    assert_eq!(result["locations"][0]["physicalLocation"]["region"], region);
}

#[test]
fn families_of_other_languages_are_not_claimed() {
    let folder = Folder::new();
    let murphi = "const N: 2; type T: scalarset(N); var a: array[T] of boolean;\nruleset i: T do rule \"set\" !a[i] ==> a[i] := true; end; end;\n\
        startstate for i: T do a[i] := false; end; end;\n";
    for model in [folder.file("cells.m", murphi), fixture("philosophers/phil2_fig2")] {
        let found = detected(&[&model, "--family"]);
        assert_eq!(found["family"], serde_json::json!({ "reason": "not offered for this language" }));
        let people = quotient(&["detect", &model, "--family"]).stdout;
        assert!(people.contains("family       not offered for this language"), "{people}");
    }
    assert_eq!(detected(&[&process("locks/filter"), "--family"])["family"]["constants"], serde_json::json!(["N"]));
}

/// A question that a limit leaves open has an answer that says so.
#[test]
fn questions_that_a_limit_leaves_open_are_answered() {
    let model = fixture("philosophers/phil2_fig2");
    let asked = ["detect", &model, "--why", "(phil0, phil1)", "--why", "(fork0, fork1)", "--family", "--timeout", "0"];
    let people = quotient(&asked);
    assert_eq!(people.stdout.matches("neither proved nor refuted").count(), 2, "{people:?}");
    let found: Json = serde_json::from_str(&quotient(&[&asked[..], &["--json"]].concat()).stdout).expect("JSON");
    for why in found["why"].as_array().expect("a list") {
        assert!(why["symmetry"].is_null() && why["witness"].as_str().is_some_and(|text| text.contains("left open")));
    }
    assert_eq!(found["why"][1]["cycles"], serde_json::json!([["fork0", "fork1"]]));
    assert!(found["family"]["reason"].as_str().is_some_and(|text| text.contains("left open")), "{found}");
}

/// The text does not show that arguments make no difference, and the behaviour of the rebecs does.
#[test]
fn proofs_on_the_behaviour_of_rebecs_are_said_to_be_such() {
    let text = "reactiveclass A(2) { knownrebecs { A o; } statevars { boolean x; } A(int k) { self.m(); }\n\
        msgsrv m() { x = !x; o.n(); } msgsrv n() { } }\nmain { A a(b):(1); A b(a):(2); }\n";
    let folder = Folder::new();
    let found = detected(&[&folder.file("pair.rebeca", text), "--why", "(a, b)"]);
    assert_eq!((&found["why"][0]["symmetry"], &found["why"][0]["proved_by"]), (&true.into(), &"tables".into()));
    assert_eq!(found["group"]["generators"][0]["proved_by"], "tables");
}

#[test]
fn known_rebecs_that_break_a_symmetry_are_shown() {
    let model = fixture("load_balancer/lb4_2");
    let found = detected(&[&model, "--why", "(c1, c2)", "--why", "(c2, c3)", "--why", "(s1, s2)"]);
    assert_eq!(found["near"][0]["permutations"], "S4 on Client");
    assert_eq!(found["why"][0]["symmetry"], true);
    assert!(found["why"][1]["broken_by"]["line"].is_u64(), "{}", found["why"][1]);
    // The servers are exchanged only together with the values by which load balancers number them.
    assert!(
        found["why"][2]["witness"].as_str().is_some_and(|text| text.contains("inside rebecs")),
        "{}",
        found["why"][2]
    );
    assert_eq!(found["near"].as_array().map(Vec::len), Some(1), "{}", found["near"]);
}

/// All places that would have to be others are told, or none.
#[test]
fn near_symmetries_of_rebecs_name_all_places() {
    let folder = Folder::new();
    let near = |name: &str, rebecs: &str| {
        let text = format!(
            "reactiveclass Node(3) {{ knownrebecs {{ Node next; }} statevars {{ boolean token; }}
             msgsrv initial() {{ next.ping(); }} msgsrv ping() {{ token = !token; }} }}\nmain {{\n{rebecs}\n}}\n"
        );
        let found = detected(&[&folder.file(name, &text)]);
        let line = |place: &serde_json::Value| place["line"].as_u64();
        let places = |near: &serde_json::Value| {
            let others = near["also_broken_by"].as_array().expect("a list");
            std::iter::once(&near["broken_by"]).chain(others).map(line).collect::<Vec<_>>()
        };
        found["near"].as_array().expect("a list").iter().flat_map(places).flatten().collect::<Vec<u64>>()
    };
    // Five of the six would have to know themselves.
    let ring = "Node a(a):();\nNode b(c):();\nNode c(d):();\nNode d(e):();\nNode e(f):();\nNode f(a):();";
    assert_eq!(near("ring.rebeca", ring), [0_u64; 0]);
    let two = "Node a(a):();\nNode b(b):();\nNode c(d):();\nNode d(a):();\nNode e(e):();";
    assert_eq!(near("two.rebeca", two), [6, 7]);
}
