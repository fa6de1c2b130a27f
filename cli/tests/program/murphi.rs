//! Models of Murphi: every fixture below `fixtures/murphi` through the binary, in every order and with several threads, every
//! counterexample replayed; the options that belong to the language.

use battery::coherence::Coherence;
use battery::harness::{files, root};
use battery::parallel;
use serde_json::Value as Json;

use crate::binary::quotient;
use crate::heads;

#[test]
fn every_fixture_is_as_its_head_says() {
    heads::hold("murphi", "m", 24);
}

/// With `--stats` the sizes of the orbits sum up to the states of the whole model, and so do the transitions.
#[test]
fn orbits_sum_up_to_the_whole() {
    let fixtures = files(&root().join("fixtures/murphi"), &["m"], true);
    let groups: Vec<bool> = parallel::map(&fixtures, |path| {
        let report = |option: &str| -> Json {
            let run = quotient(&["check", &path.to_string_lossy(), "--json", "--keep-going", option]);
            serde_json::from_str(&run.stdout).expect("a report")
        };
        let (plain, stats) = (report("--plain"), report("--stats"));
        for (full, name) in [("full_states", "states"), ("full_transitions", "transitions")] {
            let wanted = Json::from(plain[name].to_string());
            assert_eq!((&plain[full], &stats[full]), (&wanted, &wanted), "{full} {}", path.display());
        }
        !stats["orbits"].is_null()
    });
    assert!(groups.iter().filter(|&&is_counted| is_counted).count() > 4, "few groups are used");
}

/// Which states are deadlocks, other constants, steps that are simulated and replayed, formatting, the state graph.
#[test]
fn commands_read_the_language() {
    let fixture = |name: &str| root().join("fixtures/murphi").join(name).to_string_lossy().into_owned();
    let code = |words: &[&str]| quotient(words).code;
    let deadlocks = fixture("faults/deadlocks.m");
    assert_eq!(code(&["check", &deadlocks]), Some(1));
    assert_eq!(code(&["check", &deadlocks, "--deadlock", "stuck"]), Some(0));
    let questions = fixture("properties/questions.m");
    let run = quotient(&["check", &questions, "-D", "N=3", "--keep-going", "--json"]);
    let report: Json = serde_json::from_str(&run.stdout).expect("a report");
    assert_eq!(report["states"], 24);
    assert_eq!(code(&["check", &questions, "-D", "M=3"]), Some(2));
    assert_eq!(code(&["check", &questions, "--name", "never five"]), Some(1));
    assert_eq!(code(&["check", &questions, "--name", "both on"]), Some(0));
    // The slice for it has three states.
    let few = ["check", &questions, "--max-states", "3", "--name", "bounded"];
    assert_eq!((code(&few), code(&[&few[..], &["--slice", "off"]].concat())), (Some(0), Some(3)));
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.json").to_string_lossy().into_owned();
    let network = fixture("multisets/network.m");
    for seed in ["1", "2", "3"] {
        assert_eq!(code(&["simulate", &network, "--seed", seed, "--json", "-o", &trace]), Some(0));
        assert_eq!(code(&["replay", &trace]), Some(0));
    }
    assert_eq!(code(&["fmt", "--check", &network]), Some(0));
    let aut = quotient(&["convert", &deadlocks, "--to", "aut"]).stdout;
    assert!(aut.starts_with("des (0, 5, 3)\n(0,\"up\",1)\n(0,\"stay\",0)\n"), "{aut}");
    let text = quotient(&["convert", &questions, "--to", "text"]).stdout;
    let printed = folder.path().join("printed.m").to_string_lossy().into_owned();
    std::fs::write(&printed, text).expect("a file");
    assert_eq!(code(&["check", &printed, "--name", "bounded"]), Some(0));
    let slice_graph = ["slice", &questions, "--graph", "dot"];
    for words in [&slice_graph[..], &["convert", &questions, "--to", "csp"]] {
        let run = quotient(words);
        assert!(run.code == Some(2) && run.stderr.contains("[E0505]"), "{words:?}: {run:?}");
    }
}

/// `slice` prints the text without the rules, statements and variables that the invariants do not depend on.
#[test]
fn slices_are_printed() {
    let questions = root().join("fixtures/murphi/properties/questions.m").to_string_lossy().into_owned();
    let folder = tempfile::tempdir().expect("a folder");
    let small = folder.path().join("small.m").to_string_lossy().into_owned();
    let run = quotient(&["slice", &questions, "--name", "bounded", "-o", &small]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("removed: 1 variable, 1 rule, 2 statements"), "{run:?}");
    let text = std::fs::read_to_string(&small).expect("a file");
    assert!(text.contains("assume \"small\"") && !text.contains("switch") && !text.contains("lamp do"), "{text}");
    let run = quotient(&["check", &small, "--name", "bounded", "--slice", "off", "--json"]);
    let report: Json = serde_json::from_str(&run.stdout).expect("a report");
    assert_eq!((run.code, &report["states"]), (Some(0), &serde_json::json!(3)));
    let run = quotient(&["slice", &questions, "--json"]);
    let report: Json = serde_json::from_str(&run.stdout).expect("a report");
    assert_eq!(report["removed"][1]["name"], "switch");
    let comments = quotient(&["slice", &questions, "--comments"]).stdout;
    assert!(comments.starts_with("-- variable on, line "), "{comments}");
    // What only faults stays in the procedures that an invariant calls.
    let faults = root().join("fixtures/murphi/faults/function_of_invariant.m").to_string_lossy().into_owned();
    for slicing in ["auto", "static", "off"] {
        let run = quotient(&["check", &faults, "--name", "looked", "--slice", slicing]);
        assert_eq!(run.code, Some(1), "{slicing}: {run:?}");
    }
    for (name, code) in [("both on", "[E0542]"), ("nobody", "[E0504]")] {
        let run = quotient(&["slice", &questions, "--name", name]);
        assert!(run.code == Some(2) && run.stderr.contains(code), "{name}: {run:?}");
    }
}

/// Symmetries are found whether they are declared or not, with the place that breaks them where they do not hold.
#[test]
fn symmetries_are_found_in_the_text() {
    let fixture = |name: &str| root().join("fixtures/murphi/symmetry").join(name).to_string_lossy().into_owned();
    let report = |words: &[&str]| {
        let run = quotient(&[words, &["--json"]].concat());
        serde_json::from_str::<Json>(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
    };
    let orbits =
        |name: &str, more: &[&str]| report(&[&["detect", &fixture(name)], more].concat())["group"]["orbits"].clone();
    let pids = serde_json::json!([["pid_1", "pid_2", "pid_3"]]);
    assert_eq!(orbits("declared.m", &[]), pids);
    assert_eq!(orbits("declared.m", &["--strategy", "scalar-set"]), pids);
    assert_eq!(orbits("range.m", &[]), pids);
    assert_eq!(orbits("range.m", &["--strategy", "scalar-set"]), serde_json::json!([]));
    assert_eq!(orbits("members.m", &[]), serde_json::json!([["one", "two", "three"]]));
    let apart = report(&["detect", &fixture("apart.m"), "--why", "(on[1], on[2])", "--why", "(at[2], at[3])"]);
    assert_eq!(apart["why"][0]["symmetry"], true, "{apart}");
    assert_ne!(apart["why"][1]["symmetry"], true, "{apart}");
    let compared = quotient(&["compare", &fixture("declared.m")]);
    assert!(compared.code == Some(0) && compared.stdout.contains("scalar-set"), "{compared:?}");
    let check = report(&["check", &fixture("range.m"), "--symmetry", "scalar-set"]);
    assert!(check["group"].is_null(), "{check}");
}

/// A search that a limit ends is continued from its checkpoint, and ends as one without a limit.
#[test]
fn a_search_is_resumed() {
    let model = root().join("fixtures/murphi/multisets/network.m").to_string_lossy().into_owned();
    let whole = quotient(&["check", &model, "--json"]);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_string_lossy().into_owned();
    assert_eq!(quotient(&["check", &model, "--max-states", "5", "--checkpoint", &folder]).code, Some(3));
    let resumed = quotient(&["check", &model, "--json", "--resume", &folder]);
    let [whole, resumed] = [whole, resumed].map(|run| serde_json::from_str::<Json>(&run.stdout).expect("a report"));
    for field in ["verdict", "states", "transitions"] {
        assert_eq!(whole[field], resumed[field], "{field}");
    }
}

/// Texts of thousands of lines, and what `convert` prints of them, have the same states and the symmetries of their caches, declared or
/// not; two clusters take twice the text.
#[test]
fn generated_protocols_are_read_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let lengths = [1, 2].map(|clusters| {
        let protocol = Coherence { clusters, caches: 3, kinds: 40, states: 14, is_declared: true };
        let (text, path) = (protocol.text(), folder.path().join(format!("{clusters}.m")));
        std::fs::write(&path, &text).expect("a file");
        let printed = folder.path().join(format!("{clusters}.printed.m"));
        let [path, printed] = [path, printed].map(|path| path.to_string_lossy().into_owned());
        let run = quotient(&["convert", &path, "--language", "murphi", "--to", "murphi", "-o", &printed]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let counts = [path.clone(), printed].map(|path| {
            let limits = ["--max-states", "3000", "--max-memory", "500M", "--threads", "1", "--json"];
            let run = quotient(&[&["check", &path, "--language", "murphi"][..], &limits[..]].concat());
            assert_eq!(run.code, Some(3), "{}", run.stderr);
            let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
            assert_eq!(report["limit"]["kind"], "states");
            (report["states"].clone(), report["transitions"].clone())
        });
        assert_eq!(counts[0], counts[1]);
        for is_declared in [false, true] {
            std::fs::write(&path, Coherence { is_declared, ..protocol }.text()).expect("a file");
            let run = quotient(&["detect", &path, "--language", "murphi", "--max-memory", "500M", "--json"]);
            let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
            assert_eq!(report["group"]["order"], 6_u32.pow(u32::try_from(clusters).expect("small")).to_string());
        }
        text.lines().count()
    });
    assert!(lengths[0] > 5_000 && lengths[1] < 2 * lengths[0], "{lengths:?}");
}

/// Deadlocks of each kind, and none; the words of other languages are refused.
#[test]
fn deadlocks_are_of_the_kind_that_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stays.m").to_string_lossy().into_owned();
    let text = "var x: 0..1; startstate begin x := 0; end; rule true ==> x := 1; end; rule x = 1 ==> x := 1; end;";
    std::fs::write(&path, text).expect("a file");
    let check = |options: &[&str]| quotient(&[&["check", &path, "--language", "murphi"], options].concat());
    for (kind, code) in [("stuttering", 1), ("stuck", 0), ("off", 0)] {
        let run = check(&["--deadlock", kind, "--dead-values", "off"]);
        assert_eq!(run.code, Some(code), "{kind}: {}{}", run.stdout, run.stderr);
    }
    assert!(check(&["--deadlock", "off"]).stdout.contains("not checked: deadlock"));
    let refused = check(&["--deadlock", "off", "--name", "deadlock"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("[E0506]"), "{refused:?}");
    let process = root().join("fixtures/lpe/locks/peterson.lpe").to_string_lossy().into_owned();
    for (kind, code) in [("stuttering", 2), ("stuck", 0), ("off", 0)] {
        let run = quotient(&["check", &process, "-D", "N=2", "--deadlock", kind, "--dead-values", "auto"]);
        assert_eq!(run.code, Some(code), "{kind}: {}{}", run.stdout, run.stderr);
    }
}

/// A model is printed with the constants with which it was read.
#[test]
fn printed_models_have_the_given_constants() {
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        "const N, M: 2; B: false; var x: 0..N+M; startstate begin x := 0; end; rule B | x < M ==> x := x + 1; end;";
    let path = folder.path().join("constants.m").to_string_lossy().into_owned();
    std::fs::write(&path, text).expect("a file");
    let run = quotient(&["convert", &path, "--language", "murphi", "--to", "murphi", "-D", "M=3", "-D", "B=1"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("const\n  N: 2;\n  M: 3;\n  B: true;\n"), "{}", run.stdout);
    let form = folder.path().join("constants.lpe").to_string_lossy().into_owned();
    let run = quotient(&["convert", &path, "--language", "murphi", "--to", "lpe", "-D", "M=3", "-o", &form]);
    assert!(run.code == Some(0) && run.stderr.contains("[N0802]"), "{run:?}");
    let report: Json =
        serde_json::from_str(&quotient(&["check", &form, "--keep-going", "--json"]).stdout).expect("a report");
    assert_eq!((&report["states"], &report["deadlock_states"]), (&Json::from(4), &Json::from(1)));
    let run = quotient(&["convert", &path, "--language", "murphi", "--to", "csp"]);
    assert!(run.code == Some(2) && run.stderr.contains("[E0505]"), "{run:?}");
}

/// Values are forgotten where the question allows it, unless that is turned off; the report says which, or why none.
#[test]
fn values_of_dead_variables_are_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("desks.m").to_string_lossy().into_owned();
    let text = "var busy: boolean; job: 0..3; startstate begin busy := false; job := 0; end;
        ruleset j: 0..3 do rule !busy ==> begin busy := true; job := j; end; end;
        rule \"serve\" busy & job < 4 ==> begin busy := false; end; invariant \"small\" busy -> job < 3;";
    std::fs::write(&path, text).expect("a file");
    let report = |more: &[&str]| {
        let run = quotient(&[&["check", &path, "--language", "murphi", "--json", "--keep-going"], more].concat());
        serde_json::from_str::<Json>(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
    };
    let considered = |report: &Json| {
        let list = report["reductions_considered"].as_array().cloned().unwrap_or_default();
        let detail = |one: &Json| one["detail"].as_str().map(str::to_owned);
        list.iter().find(|one| one["name"] == "dead-values").and_then(detail).unwrap_or_default()
    };
    let less = report(&["--deadlock", "stuck"]);
    assert_eq!((&less["states"], &less["verdict"]), (&Json::from(5), &Json::from("violated")));
    assert!(considered(&less).contains("job while busy is false"), "{less}");
    assert!(less["full_states"].is_null(), "{less}");
    assert_eq!(less["properties"].as_array().map(Vec::len), report(&[])["properties"].as_array().map(Vec::len));
    for (options, words) in [
        (&["--deadlock", "stuck", "--dead-values", "off"][..], ""),
        (&["--deadlock", "stuck", "--plain"], ""),
        (&[], "all of whose steps stay"),
        (&["--no-deadlock", "--no-faults"], "faults are not checked"),
        (&["--deadlock", "stuck", "--stats"], "orbits of all states are counted"),
    ] {
        let whole = report(options);
        assert_eq!((&whole["states"], &whole["verdict"]), (&Json::from(8), &Json::from("violated")), "{options:?}");
        assert!(considered(&whole).contains(words) && considered(&whole).is_empty() == words.is_empty(), "{whole}");
    }
}
