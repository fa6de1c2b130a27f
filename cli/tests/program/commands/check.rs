//! `check`: exit codes, the question, and how options and property files change it.

use super::{Folder, HOLDS, LARGE, PHILOSOPHERS, VIOLATED, answer, expect, fixture, report, text};

#[test]
fn exit_codes_give_the_verdict() {
    expect(0, &["check", &fixture(HOLDS)]);
    expect(1, &["check", &fixture(VIOLATED)]);
    expect(2, &["check", &fixture("no/such")]);
    expect(3, &["check", &fixture(LARGE), "--max-states", "5"]);
}

#[test]
fn wrong_usage_ends_in_two() {
    let model = fixture(HOLDS);
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["check"],
        &["check", &model, "--frobnicate"],
        &["check", &model, "--max-states", "0"],
        &["check", &model, "--max-states", "many"],
        &["check", &model, "--max-memory", "5 apples"],
        &["check", &model, "--timeout", "soon"],
        &["check", &model, "-D", "5=N"],
        &["check", &model, "--core", "9.9"],
        &["check", &model, "--property", "p", "--no-property"],
        &["check", &model, "--name", "deadlock", "--no-deadlock"],
        &["convert", &model],
    ] {
        let run = expect(2, arguments);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_name_requests_that_property_only() {
    let model = fixture(VIOLATED);
    let only = report(0, &["check", &model, "--name", "deadlock"]);
    assert!(answer(&only, "deadlock").is_some() && answer(&only, "P").is_none(), "{only:#}");
    let not_asked = only["not_asked"].as_array().expect("a list");
    assert!(not_asked.iter().any(|name| name == "P"), "{only:#}");
    let both = report(1, &["check", &model, "--name", "P", "--name", "deadlock"]);
    assert!(answer(&both, "deadlock").is_some() && answer(&both, "P").is_some(), "{both:#}");
    assert!(answer(&both, "overflow").is_none(), "{both:#}");
}

/// A slice without the assertion divides by zero, and no run of the model does: the answer is the fault of the run that is shown.
#[test]
fn a_violation_of_a_slice_is_told_as_that_of_the_model() {
    let model = "reactiveclass A(4) {
            statevars { byte x; byte z; }
            A() { self.div(); }
            msgsrv div() { assertion(z != 0); x = 1 / z; }
        }
        reactiveclass B(4) {
            statevars { byte k; byte[2] t; }
            B() { self.idx(); }
            msgsrv idx() { k = 7; t[k] = 1; }
        }
        main { A a():(); B b():(); }";
    let folder = Folder::new();
    let path = folder.file("model.rebeca", model);
    let report = report(1, &["check", &path, "--name", "error"]);
    let message = &answer(&report, "error").expect("an answer")["message"];
    assert_eq!(message, "index 7 is outside 0..1 (`b`, step 1)", "{report:#}");
}

#[test]
fn an_unknown_name_is_refused_with_the_closest() {
    let run = expect(2, &["check", &fixture(PHILOSOPHERS), "--name", "NobodyEat"]);
    assert!(run.stderr.contains("[E0504]") && run.stderr.contains("did you mean `NobodyEats`?"), "{}", run.stderr);
    let run = expect(2, &["check", &fixture(PHILOSOPHERS), "--name", "deadlok"]);
    assert!(run.stderr.contains("did you mean `deadlock`?"), "{}", run.stderr);
}

#[test]
fn properties_that_are_not_requested_are_listed_and_not_answered() {
    let model = fixture("faults/queue_overflow");
    let options = [("--no-deadlock", "deadlock"), ("--no-overflow", "overflow"), ("--no-faults", "error")];
    for (option, name) in options {
        let run = crate::binary::quotient(&["check", &model, option, "--json"]);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert!(answer(&report, name).is_none(), "{option}: {report:#}");
        assert!(
            report["not_asked"].as_array().is_some_and(|names| names.iter().any(|other| other == name)),
            "{option}"
        );
        assert!(answer(&report, "assertion").is_some(), "{option}");
    }
    assert_eq!(report(1, &["check", &model])["properties"][1]["verdict"], "violated");
    // An overflowing step outside the question is dropped, and what was explored is not everything that can happen.
    let dropped = report(0, &["check", &model, "--no-overflow", "--no-deadlock"]);
    assert_eq!(dropped["verdict"], "holds");
    let human = expect(0, &["check", &model, "--no-overflow", "--no-deadlock"]);
    assert!(human.stdout.contains("not checked: deadlock, overflow"), "{}", human.stdout);
}

#[test]
fn the_property_file_next_to_the_model_is_read_with_a_notice() {
    let folder = Folder::new();
    let model = folder.file("model.rebeca", text(fixture(VIOLATED)));
    let without_properties = expect(0, &["check", &model]);
    assert!(!without_properties.stderr.contains("N0501"), "{}", without_properties.stderr);
    let property = folder.file("model.property", "property { Assertion { Own: !v.y; } }");
    let own = expect(1, &["check", &model]);
    assert!(own.stderr.contains("notice[N0501]") && own.stderr.contains("model.property"), "{}", own.stderr);
    let notices = report(1, &["check", &model]);
    assert_eq!(notices["notices"][0]["code"], "N0501");
    let quiet = expect(1, &["check", &model, "--quiet"]);
    assert!(quiet.stderr.is_empty(), "{}", quiet.stderr);
    expect(0, &["check", &model, "--no-property"]);
    let other = folder.file("other.property", "property { Assertion { Other: true; } }");
    let named = report(0, &["check", &model, "--property", &other]);
    assert!(answer(&named, "Other").is_some() && answer(&named, "Own").is_none(), "{named:#}");
    std::fs::write(&property, "property { Assertion { Own: v.z; } }").expect("writes");
    let wrong = expect(2, &["check", &model]);
    assert!(wrong.stderr.contains("model.property:1:"), "{}", wrong.stderr);
    expect(2, &["check", &model, "--property", &folder.path("absent.property")]);
}

/// Requests that mean nothing for the model, or next to another option, are refused; what is written is named as output.
#[test]
fn requests_that_mean_nothing_are_refused() {
    let folder = Folder::new();
    let rebeca = fixture(HOLDS);
    let process = folder.file("m.lpe", "proc P(x : BOOL) = [true] a { x := !x; } -> P; init P(x = false);");
    for (model, options) in [
        (&rebeca, "--images on"),
        (&rebeca, "--structural on"),
        (&process, "--structural on"),
        (&process, "--skip-larger"),
        (&process, "--symmetry none --images on"),
        (&process, "--plain --representative several"),
        (&process, "--no-deadlock --deadlock stuck"),
        (&process, "--report -"),
    ] {
        let arguments: Vec<&str> = ["check", model].into_iter().chain(options.split(' ')).collect();
        let run = expect(2, &arguments);
        assert!(run.stderr.contains("[E0506]") && !run.stderr.contains("<stdin>"), "{options}: {}", run.stderr);
    }
}

/// A text whose name says nothing is read as Rebeca, and its first fault says so.
#[test]
fn a_text_that_is_read_as_rebeca_for_want_of_a_name_says_so() {
    let folder = Folder::new();
    let text = "proc P(x : BOOL) = [true] a { x := !x; } -> P; init P(x = false);";
    for (name, is_guessed) in [("m.txt", true), ("m", true), ("m.rebeca", false)] {
        let run = expect(2, &["check", &folder.file(name, text)]);
        assert_eq!(run.stderr.matches("read as Rebeca").count(), usize::from(is_guessed), "{name}: {}", run.stderr);
    }
    expect(0, &["check", &folder.file("m.txt", text), "--language", "lpe"]);
}

/// What `--quiet` does not print is not counted either.
#[test]
fn quiet_runs_count_what_they_print() {
    let folder = Folder::new();
    let model = folder.file(
        "m.rebeca",
        "reactiveclass A(2) { statevars { boolean x, y; } A() { if (x = y) { z = true; } } } main { A a():(); }",
    );
    let run = expect(2, &["check", &model, "--quiet"]);
    assert!(run.stderr.contains("error") && !run.stderr.contains("warning"), "{}", run.stderr);
}

#[test]
fn every_search_order_and_keep_going_agree() {
    let model = fixture(PHILOSOPHERS);
    let whole = report(1, &["check", &model, "--keep-going"]);
    let depth_first = report(1, &["check", &model, "--keep-going", "--search", "dfs"]);
    for key in ["states", "transitions", "deadlock_states", "verdict", "complete"] {
        assert_eq!(whole[key], depth_first[key], "{key}");
    }
    assert_eq!((&whole["states"], &whole["complete"]), (&285.into(), &true.into()));
    assert!(whole["deadlock_states"].is_u64());
    let first = report(1, &["check", &model]);
    assert!(first["states"].as_u64() < whole["states"].as_u64());
}

#[test]
fn quiet_prints_the_verdict_only() {
    let run = expect(1, &["check", &fixture(PHILOSOPHERS), "--quiet"]);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains(": violated: NobodyEats"), "{}", run.stdout);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn reductions_are_taken_by_name_and_turned_off() {
    let model = fixture(HOLDS);
    for detector in ["constraint", "known-rebec", "scalar-set", "channel-diagram", "none"] {
        expect(0, &["check", &model, "--symmetry", detector]);
    }
    expect(0, &["check", &model, "--symmetry", "auto", "--por", "auto", "--slice", "auto", "--representative", "auto"]);
    expect(0, &["check", &model, "--plain"]);
}

#[test]
fn constants_of_the_command_line_replace_those_of_the_text() {
    let folder = Folder::new();
    let model = folder.file(
        "model.rebeca",
        "env int N = 2; reactiveclass A(2) { statevars { int x; } A() { self.m(); } \
         msgsrv m() { assertion(x < N); x++; if (x < 3) self.m(); } } main { A a():(); }",
    );
    let requested = ["check", &model, "--name", "assertion"];
    assert_eq!(report(1, &requested)["verdict"], "violated");
    assert_eq!(report(0, &[&requested[..], &["-D", "N=3"]].concat())["model"]["constants"]["N"], 3);
    let wrong = expect(2, &["check", &model, "-D", "M=3"]);
    assert!(wrong.stderr.contains("[E0510]"), "{}", wrong.stderr);
}
