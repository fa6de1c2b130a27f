//! `check --questions`: invariants of a file of their own, decided in one run.

use battery::harness::root;

use super::{Folder, answer, expect, report};

fn model(path: &str) -> String {
    root().join("fixtures").join(path).to_string_lossy().into_owned()
}

/// The verdicts of questions, and the same by a run per question without reductions that explores everything.
fn agree(model: &str, text: &str, expected: &[(&str, &str)]) {
    let folder = Folder::new();
    let questions = folder.file("questions.txt", text);
    for threads in ["1", "2"] {
        let together = report(1, &["check", model, "--questions", &questions, "--threads", threads]);
        assert_eq!(together["properties"].as_array().expect("a list").len(), expected.len(), "{together}");
        for &(name, verdict) in expected {
            let answer = answer(&together, name).expect("an answer");
            assert_eq!((&answer["verdict"], &answer["kind"]), (&verdict.into(), &"invariant".into()), "{name}");
            assert_eq!(answer["trace"].is_null(), verdict == "holds", "{name}");
        }
    }
    for &(name, verdict) in expected {
        let code = i32::from(verdict == "violated");
        let arguments = ["check", model, "--questions", &questions, "--name", name, "--plain", "--keep-going"];
        assert_eq!(answer(&report(code, &arguments), name).expect("an answer")["verdict"], verdict, "{name}");
    }
}

const OF_MURPHI: &str = "-- The nodes one by one.\n\
    invariant \"first\" !at[1];\ninvariant \"third\" !at[3];\n\
    ruleset n : node do invariant \"on\" !on[n]; end;\ninvariant \"last\" isundefined(last) | last = 3;\n";

#[test]
fn questions_to_a_model_of_murphi() {
    let model = model("murphi/symmetry/apart.m");
    agree(&model, OF_MURPHI, &[("first", "violated"), ("third", "holds"), ("on", "violated"), ("last", "holds")]);
    let lines = "first: !at[1]\nthird: !at[3]\n  & !at[3]\non: forall n : node do !on[n] end\n";
    agree(&model, lines, &[("first", "violated"), ("third", "holds"), ("on", "violated")]);
}

#[test]
fn questions_to_a_process() {
    let model = model("lpe/locks/peterson.lpe");
    let lines = "// Who is inside?\none: pc[1] != inside\ntwo: !(pc[1] = inside && pc[2] = inside)\n\nyields: yields[1] != 2;\n";
    let folder = Folder::new();
    let own = folder.file("three.lpe", std::fs::read_to_string(&model).expect("a model").replace("N = 9", "N = 3"));
    agree(&own, lines, &[("one", "violated"), ("two", "holds"), ("yields", "violated")]);
    agree(&own, "assert one = pc[1] != inside;\n", &[("one", "violated")]);
}

#[test]
fn questions_to_rebecs() {
    let model = model("rebeca/philosophers/phil2_fig2.rebeca");
    agree(
        &model,
        "eats: !phil0.eating\nboth: !(phil0.eating && phil1.eating)\n",
        &[("eats", "violated"), ("both", "holds")],
    );
}

/// Formulas of linear and branching time next to invariants, in every language, with and without reductions.
#[test]
fn questions_may_be_formulas() {
    let lpe =
        "pc: !(x[0] = 1)\nreset: AG EF x[0] = 0\nonce: AG (x[0] = 1 -> x[0] = 1 && AF x[0] = 0)\nagain: G F x[0] = 0\n";
    let text = "type P : 0..1; proc M(x : BOOL[P]) = sum p:P . [true] flip(p) { x[p] := !x[p]; } -> M; init M(x = 0);";
    let promela = "byte x; active proctype a() { do :: x = 1 :: x = 0 :: atomic { x == 1; break } od }";
    let dve = "byte x; process A { state s, t; init s; trans s -> s { effect x = 1 - x; }, s -> t { guard x == 1; }; } system async;";
    let murphi = "var x: 0..1; d: boolean; startstate x := 0; d := false; end; rule !d ==> x := 1 - x; end; rule x = 1 ==> d := true; end;";
    let flips = "one: x != 1\nreset: AG EF (x == 0)\nleaves: EF (x == 1 && EG (x == 1))\nsome: F G (x == 1)\n";
    let cases = [
        ("lpe", text, lpe.to_owned(), ["violated", "holds", "violated", "violated"]),
        ("pml", promela, flips.to_owned(), ["violated", "violated", "holds", "violated"]),
        ("dve", dve, flips.to_owned(), ["violated", "violated", "holds", "violated"]),
        ("m", murphi, flips.replace("==", "="), ["violated", "violated", "holds", "violated"]),
    ];
    let folder = Folder::new();
    for (extension, model, lines, expected) in cases {
        let model = folder.file(&format!("model.{extension}"), model);
        let lines = lines.replace("&&", if extension == "m" { "&" } else { "&&" });
        let questions = folder.file("questions.txt", &lines);
        for reductions in [&[][..], &["--plain"], &["--images", "on"]] {
            let run = [&["check", &model, "--questions", &questions, "--fairness", "none"], reductions].concat();
            let found = report(1, &run);
            let list = found["properties"].as_array().expect("a list");
            let verdicts: Vec<_> = list.iter().map(|one| one["verdict"].as_str().expect("a word")).collect();
            assert_eq!(verdicts, expected, "{extension} {reductions:?}: {found}");
            let kinds: Vec<_> = list.iter().map(|one| one["kind"].as_str().expect("a word")).collect();
            assert_eq!(kinds, ["invariant", "ctl", "ctl", "ltl"], "{found}");
        }
    }
}

/// What exists is shown by runs: a witness, a counterexample, and the runs that branch off, each of which replays.
#[test]
fn formulas_of_branching_time_have_trees_of_runs() {
    let folder = Folder::new();
    let models = [
        (
            "lpe",
            "type P : 0..1; proc M(x : BOOL[P]) = sum p:P . [true] flip(p) { x[p] := !x[p]; } -> M; init M(x = 0);",
        ),
        (
            "m",
            "var x: array [0 .. 1] of 0 .. 1; startstate for i: 0 .. 1 do x[i] := 0; end; end; ruleset p: 0 .. 1 do rule true ==> x[p] := 1 - x[p]; end; end;",
        ),
        ("pml", "byte x[2]; active [2] proctype a() { do :: d_step { x[_pid] = 1 - x[_pid] } od }"),
    ];
    let lines = "stays: EF (x[0] = 1 && EG x[0] = 1 && EX x[1] = 1)\nfalls: AG (x[0] = 1 -> x[1] = 1 || AF x[0] = 0)\n";
    for (extension, text) in models {
        let model = folder.file(&format!("model.{extension}"), text);
        let lines = match extension {
            "m" => lines.replace("&&", "&").replace("||", "|"),
            "pml" => lines.replace(" = ", " == "),
            _ => lines.to_owned(),
        };
        let questions = folder.file("questions.txt", &lines);
        for symmetry in ["auto", "none"] {
            let run = ["check", &model, "--questions", &questions, "--no-deadlock", "--symmetry", symmetry];
            let found = report(1, &run);
            let stays = &answer(&found, "stays").expect("an answer")["explanation"];
            assert!(stays["witness"].is_object() && stays["cut"] == false, "{extension} {symmetry}: {stays:#}");
            let branches = stays["branches"].as_array().expect("a list");
            assert!(!branches.is_empty() && branches.iter().all(|one| one["trace"].is_object()), "{stays:#}");
            let falls = answer(&found, "falls").expect("an answer");
            assert!(falls["trace"]["cycle_from"].is_number(), "{extension} {symmetry}: {falls:#}");
            assert!(falls["explanation"]["witness"].is_null() && falls["explanation"]["shows"].is_array(), "{falls:#}");
            let recorded = folder.file("report.json", found.to_string());
            for name in ["stays", "falls"] {
                let text = expect(0, &["replay", &recorded, &model, "--property", name]).stdout;
                assert!(text.contains("replayed"), "{text}");
                assert_eq!(text.contains(" branch"), name == "stays", "{text}");
            }
            let mut broken = found.clone();
            broken["properties"][0]["explanation"]["branches"][0]["trace"]["steps"][0]["event"] = "nothing".into();
            broken["properties"][0]["explanation"]["branches"][0]["trace"]["steps"][0]["changes"] =
                serde_json::json!([]);
            broken["properties"][0]["explanation"]["branches"][0]["trace"]["steps"][0]["state"] = serde_json::json!({});
            let broken = folder.file("broken.json", broken.to_string());
            let text = expect(1, &["replay", &broken, &model, "--property", "stays"]).stdout;
            assert!(text.contains("branch 1"), "{text}");
        }
        let page = folder.path("page.html");
        expect(1, &["check", &model, "--questions", &questions, "--no-deadlock", "--report", &page]);
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("Witness of") && page.contains("Branch 1, from step"), "{extension}");
    }
}

/// What an invariant is about that is checked at images has no part in the runs that answer other claims.
#[test]
fn covers_and_formulas_stand_beside_invariants_at_images() {
    let folder = Folder::new();
    let text = "var at: array [1 .. 3] of boolean; startstate for i: 1 .. 3 do at[i] := false; end; end;
        ruleset i: 1 .. 3 do rule \"go\" begin at[i] := !at[i]; end; end;
        cover \"met\" exists p: 1 .. 3 do at[p] end; invariant \"one\" at[1];";
    let model = folder.file("model.m", text);
    folder.file("model.property", "again: G (forall p: 1 .. 3 do at[p] end -> F exists p: 1 .. 3 do !at[p] end)\n");
    for reductions in [&[][..], &["--plain"], &["--images", "on"]] {
        let found = report(1, &[&["check", &model, "--keep-going"], reductions].concat());
        let verdict = |name: &str| answer(&found, name).expect("an answer")["verdict"].clone();
        assert_eq!(["met", "one", "again"].map(verdict), ["holds", "violated", "holds"], "{reductions:?}");
    }
}

/// A limit of time in a run at images is no fault of the tool.
#[test]
fn a_run_at_images_that_is_stopped_is_inconclusive() {
    let folder = Folder::new();
    let text = "type p: 1 .. 8; q: 0 .. 19; var x: array [p] of q; startstate for i: p do x[i] := 0; end; end;
        ruleset i: p do rule x[i] < 19 ==> x[i] := x[i] + 1; end; end;
        ruleset i: p; j: p do rule x[i] > x[j] ==> x[j] := x[i]; end; end;";
    let model = folder.file("long.m", text);
    let questions =
        folder.file("questions.txt", "one: x[1] != 1\ntwo: x[1] != 9 | x[2] != 0 | x[3] != 9 | x[4] <= 19\n");
    let arguments = ["--images", "on", "--timeout", "5s", "--keep-going", "--threads", "1"];
    let run = [&["check", &model, "--questions", &questions][..], &arguments].concat();
    let found = report(1, &run);
    assert_eq!(answer(&found, "one").expect("an answer")["verdict"], "violated", "{found}");
    assert_eq!(answer(&found, "two").expect("an answer")["verdict"], "inconclusive", "{found}");
}

#[test]
fn a_run_ends_when_all_questions_are_decided() {
    let folder = Folder::new();
    let model = model("murphi/symmetry/apart.m");
    let questions = folder.file("questions.txt", "one: !on[1]\ntwo: !on[2]\n");
    for threads in ["1", "2"] {
        let decided = report(1, &["check", &model, "--questions", &questions, "--threads", threads]);
        assert_eq!((&decided["complete"], &decided["limit"]), (&false.into(), &serde_json::Value::Null), "{decided}");
    }
    let whole = report(1, &["check", &model, "--questions", &questions, "--keep-going"]);
    assert_eq!(whole["complete"], true, "{whole}");
    let text = expect(1, &["check", &model, "--questions", &questions]).stdout;
    assert!(text.contains("stopped when everything was decided"), "{text}");
}

#[test]
fn bad_questions_are_refused_with_their_place() {
    let folder = Folder::new();
    let (murphi, process) = (model("murphi/symmetry/apart.m"), model("lpe/locks/peterson.lpe"));
    let cases = [
        (&murphi, "one: G !att[1]\n", "E08", ":1:9"),
        (&murphi, "one: !at[1]\none: !at[2]\n", "E0405", ""),
        (&murphi, "one: !att[1]\n", "E08", ":1:7"),
        (&murphi, "invariant \"a\" true;\nvar x : boolean;\n", "E0833", ""),
        (&murphi, "invariant true;\n", "E0833", ":1:1"),
        (&process, "one: pc[1] = nowhere\n", "E0545", ":1:1"),
        (&process, "one: pc[1] = inside\nno question\n", "E0545", ":2:1"),
        (&process, "one: G pc[1] = nowhere\n", "E0545", ":1:1"),
        (&process, "one: F G\n", "E0545", ":1:1"),
        (&process, "one: forall i:P . F pc[i] = inside\n", "E0545", ":1:1"),
        (&process, "one: pc[1] = inside\none: pc[2] = inside\n", "E0545", ":2:1"),
        (&process, "\none:\n", "the question `one` has no condition", ":2:1"),
    ];
    for (model, text, code, place) in cases {
        let questions = folder.file("bad.txt", text);
        let run = expect(2, &["check", model, "--questions", &questions]);
        assert!(run.stderr.contains(code) && run.stderr.contains(&format!("bad.txt{place}")), "{text}\n{}", run.stderr);
    }
    expect(2, &["check", &murphi, "--questions", &folder.path("none.txt")]);
    expect(2, &["check", &murphi, "--questions", "a", "--property", "b"]);
}

/// `--end` says where a model of any language may end; a condition that is no symmetric one cuts the group.
#[test]
fn states_may_end() {
    let cases = [
        ("rebeca/language/ends.rebeca", "a.stopped && b.stopped", "a.won || !b.won"),
        ("lpe/locks/philosophers.lpe", "true", "false"),
        ("murphi/formulas/ends.m", "forall p: pid do done[p] end", "exists p: pid do !done[p] end"),
        ("dve/properties/ends.dve", "A.stop && B.stop", "A.run || B.run"),
    ];
    for (path, met, missed) in cases {
        let model = model(path);
        for reductions in [&[][..], &["--plain"], &["--threads", "2"]] {
            let check = |code, end: &[&str]| {
                let run = [&["check", &model, "--no-property", "--name", "deadlock"], reductions, end].concat();
                answer(&report(code, &run), "deadlock").expect("an answer")["verdict"].clone()
            };
            assert_eq!(check(1, &[]), "violated", "{path}");
            assert_eq!(check(0, &["--end", met]), "holds", "{path} {reductions:?}");
            assert_eq!(check(1, &["--end", missed]), "violated", "{path} {reductions:?}");
        }
        assert!(expect(2, &["check", &model, "--end", "nothing at all"]).stderr.contains("error["), "{path}");
        for empty in ["", " \n"] {
            let said = expect(2, &["check", &model, "--end", empty]).stderr;
            assert!(said.contains("the condition is empty: write one"), "{path}: {said}");
        }
    }
}

/// A formula that holds for want of a trigger says so, and only then.
#[test]
fn antecedents_that_are_never_true_are_named() {
    let folder = Folder::new();
    let text = "type C : 0..3; proc M(x : C) = [x < 2] up { x := x + 1; } -> M + [x = 2] back { x := 0; } -> M; init M(x = 0);";
    let model = folder.file("model.lpe", text);
    let lines = "never: G (x = 3 -> F x = 1)\nonce: G (x = 2 -> F x = 1)\nat: AG (x = 3 -> AF x = 1)\nat2: AG (x = 2 -> AF x = 1)\n\
        start: x = 3 -> F x = 2\n";
    let questions = folder.file("questions.txt", lines);
    for reductions in [&[][..], &["--plain"]] {
        let found = report(0, &[&["check", &model, "--questions", &questions], reductions].concat());
        for (name, is_vacuous) in [("never", true), ("once", false), ("at", true), ("at2", false), ("start", false)] {
            let message = answer(&found, name).expect("an answer")["message"].as_str().expect("a text").to_owned();
            assert_eq!(message.contains("`x = 3` is true in no reachable state"), is_vacuous, "{name}: {message}");
        }
    }
}

/// Values that are only compared and copied: a run says from which number of them on its verdicts are the same.
#[test]
fn values_that_are_enough_are_named() {
    let folder = Folder::new();
    let text = "const N = 3; type D : 1..N; proc M(x : D, y : D) = sum d:D . [true] set(d) { x := d; } -> M + [x != y] copy { y := x; } -> M; \
        init M(x = 1, y = 1); assert same = x = x;";
    let model = folder.file("copies.lpe", text);
    let found = report(0, &["check", &model, "--slice", "off"]);
    let data = &found["data"][0];
    assert_eq!(
        [&data["sort"], &data["values"], &data["used"], &data["needed"], &data["enough"]].map(ToString::to_string),
        ["\"D\"", "3", "2", "1", "3"],
        "{found}"
    );
    let found = report(0, &["check", &model, "--slice", "off", "-D", "N=2"]);
    assert!(found["data"][0]["enough"].is_null(), "{found}");
}

/// The body of a quantifier reaches as far as it can; boxes and diamonds are operators; explanations have the texts of conditions.
#[test]
fn formulas_are_read_as_the_languages_say() {
    let folder = Folder::new();
    let process = folder.file(
        "model.lpe",
        "type P : 0..1; type B : 0..1; proc M(a : B[P], b : B) = sum p:P . [a[p] = 0] on(p) { a[p] := 1; } -> M; \
         init M(a = 0, b = 0);",
    );
    let questions = folder.file("far.txt", "far: forall q:P . a[q] = 0 => G b = 1\n");
    let run = expect(2, &["check", &process, "--questions", &questions]);
    assert!(run.stderr.contains("E0545") && run.stderr.contains("put a quantifier"), "{}", run.stderr);
    let questions = folder.file("boxes.txt", "often: [] <> (b = 0)\n");
    assert_eq!(report(0, &["check", &process, "--no-deadlock", "--questions", &questions])["verdict"], "holds");
    let murphi =
        folder.file("model.m", "var x: 0..2; startstate begin x := 0; end; rule x < 2 ==> begin x := x + 1; end;");
    folder.file("model.property", "C: AG (x = 0 -> EX x = 2)\n");
    let run = expect(1, &["check", &murphi, "--deadlock", "off"]);
    assert!(run.stdout.contains("AG ((x = 0) -> EX (x = 2))"), "{}", run.stdout);
}
