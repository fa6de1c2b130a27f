//! Petri nets: every fixture below `fixtures/pnml` through the binary, in every order and with several threads, every counterexample
//! replayed; counts by the sizes of orbits; formulas of the contest.

use std::fmt::Write as _;

use battery::harness::{files, root};
use serde_json::Value as Json;

use crate::binary::quotient;
use crate::heads;

#[test]
fn every_fixture_is_as_its_head_says() {
    heads::hold("pnml", "pnml", 8);
}

/// The report of a check of a fixture.
fn report(name: &str, options: &[&str]) -> Json {
    let path = root().join("fixtures/pnml").join(name).to_string_lossy().into_owned();
    let run = quotient(&[&["check", &path, "--json"][..], options].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{path}: {}", run.stderr))
}

/// The states and transitions behind a quotient are those of the net, and so are those of the printed process.
#[test]
fn orbits_give_the_counts_of_the_net() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut quotients = 0;
    for (number, path) in files(&root().join("fixtures/pnml"), &["pnml"], true).iter().enumerate() {
        let model = path.to_string_lossy();
        let plain = report(&model, &["--plain", "--keep-going"]);
        let options = ["--keep-going", "--stats", "--por", "off", "--starts", "fixed"];
        let quotient_by_group = report(&model, &options);
        if !quotient_by_group["group"].is_null() {
            quotients += 1;
            assert_eq!(quotient_by_group["full_states"], Json::from(plain["states"].to_string()), "{model}");
            assert_eq!(quotient_by_group["full_transitions"], Json::from(plain["transitions"].to_string()), "{model}");
        }
        let printed = folder.path().join(format!("{number}.lpe")).to_string_lossy().into_owned();
        assert_eq!(quotient(&["convert", &model, "--to", "text", "-o", &printed]).code, Some(0), "{model}");
        let text = report(&printed, &["--plain", "--keep-going"]);
        for field in ["states", "transitions", "deadlock_states"] {
            assert_eq!(text[field], plain[field], "{field} of {model}");
        }
    }
    assert!(quotients >= 3, "only {quotients} nets have symmetries");
}

/// A condition without a value in a later marking violates `EF` too, and the run of the smaller net that leads there is one of the net.
#[test]
fn conditions_without_a_value_are_shown_in_the_net() {
    let place = |name: &str, tokens: u32| {
        format!("<place id=\"{name}\"><initialMarking><text>{tokens}</text></initialMarking></place>")
    };
    let arcs = ["c t", "k t", "t b", "t k", "b u", "u c"].map(|arc| {
        let (from, to) = arc.split_once(' ').expect("two names");
        format!(
            "<arc id=\"{from}{to}\" source=\"{from}\" target=\"{to}\"><inscription><text>1</text></inscription></arc>"
        )
    });
    let places = [place("c", 1), place("b", 0), place("k", 1)].concat();
    let transitions = "<transition id=\"t\"/><transition id=\"u\"/>";
    let net = "<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"p\">";
    let space = "http://www.pnml.org/version-2009/grammar/pnml";
    let text = format!("<pnml xmlns=\"{space}\">{net}{places}{transitions}{}</page></net></pnml>", arcs.concat());
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let (net, questions) = (file("net.pnml", &text), file("net.txt", "q: EF (10 / c > 30)\nr: EF (10 / k > 30)\n"));
    for structural in ["auto", "on", "off"] {
        let run = quotient(&["check", &net, "--questions", &questions, "--structural", structural, "--keep-going"]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.stdout.contains("division by zero (state at depth 1)"), "{}", run.stdout);
        assert!(run.stdout.contains("r           violated"), "{}", run.stdout);
    }
}

/// Places keep their ids with their colours, and steps are named by transitions with the values of their variables.
#[test]
fn traces_speak_of_places_and_transitions() {
    let path = root().join("fixtures/pnml/colours/table.pnml").to_string_lossy().into_owned();
    let run = quotient(&["check", &path, "--plain"]);
    for part in ["left(x=p1)", "fork(p1): 1 -> 0", "wait(p1,p1): 0 -> 1"] {
        assert!(run.stdout.contains(part), "{part} is not in\n{}", run.stdout);
    }
    assert_eq!(quotient(&["fmt", &path, "--check"]).code, Some(2));
    assert_eq!(quotient(&["check", &path, "-D", "N=3"]).code, Some(2));
    assert_eq!(quotient(&["simulate", &path, "--seed", "1"]).code, Some(0));
    assert_eq!(quotient(&["detect", &path]).code, Some(0));
    assert_eq!(quotient(&["check", &path, "--end", "`eat(p1)` = 1"]).code, Some(1));
}

/// Each formula of a file is a property with the name of its id; one that asks for a number is refused.
#[test]
fn formulas_of_the_contest_are_properties() {
    let file = root().join("fixtures/pnml/formulas/table.xml").to_string_lossy().into_owned();
    let found = report("colours/table.pnml", &["--property", &file, "--keep-going"]);
    let answers = found["properties"].as_array().expect("answers");
    let verdict = |name: &str| answers.iter().find(|answer| answer["name"] == name).map(|answer| &answer["verdict"]);
    for (name, wanted) in [
        ("neighbours-00", "holds"),
        ("somebody-eats-01", "holds"),
        ("all-eat-02", "violated"),
        ("ends-03", "holds"),
        ("always-again-04", "violated"),
        ("goes-on-05", "violated"),
    ] {
        assert_eq!(verdict(name), Some(&Json::from(wanted)), "{name}: {answers:?}");
    }
    let bounds = root().join("fixtures/pnml/formulas/bounds.xml").to_string_lossy().into_owned();
    let path = root().join("fixtures/pnml/colours/table.pnml").to_string_lossy().into_owned();
    let run = quotient(&["check", &path, "--property", &bounds]);
    assert!(run.code == Some(2) && run.stderr.contains("E0906"), "{}", run.stderr);
}

/// The answers of examinations, with and without reductions.
#[test]
fn examinations_of_the_contest_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let fixtures = root().join("fixtures/pnml");
    let copies = [
        ("colours/table.pnml", "model.pnml"),
        ("formulas/table.xml", "CTLFireability.xml"),
        ("formulas/bounds.xml", "UpperBounds.xml"),
    ];
    for (from, to) in copies {
        std::fs::copy(fixtures.join(from), folder.path().join(to)).expect("a copy");
    }
    let instance = folder.path().to_string_lossy().into_owned();
    let expected = [
        ("StateSpace", "STATES 14; TRANSITIONS 27; MAX_TOKEN_IN_PLACE 1; MAX_TOKEN_PER_MARKING 6"),
        ("ReachabilityDeadlock", "ReachabilityDeadlock TRUE"),
        ("OneSafe", "OneSafe FALSE"),
        ("StableMarking", "StableMarking FALSE"),
        ("QuasiLiveness", "QuasiLiveness TRUE"),
        ("Liveness", "Liveness FALSE"),
        ("UpperBounds", "most-00 3"),
        (
            "CTLFireability",
            "neighbours-00 TRUE; somebody-eats-01 TRUE; all-eat-02 FALSE; ends-03 TRUE; always-again-04 FALSE; goes-on-05 FALSE",
        ),
    ];
    for options in [&[][..], &["--plain"][..]] {
        for (examination, wanted) in expected {
            let run = quotient(&[&["mcc", &instance, examination][..], options].concat());
            let answers = run.stdout.lines().map(|line| line.split(' ').skip(1).take(2).collect::<Vec<_>>().join(" "));
            let mut answers: Vec<String> = answers.collect();
            if examination != "StateSpace" {
                answers.sort_by_key(|answer| answer.rsplit_once('-').map(|(_, number)| number.to_owned()));
            }
            assert_eq!(
                (answers.join("; ").as_str(), run.code),
                (wanted, Some(0)),
                "{examination} {options:?} {}",
                run.stderr
            );
        }
    }
    let run = quotient(&["mcc", &instance, "GlobalProperties"]);
    assert_eq!((run.stdout.as_str(), run.code), ("DO_NOT_COMPETE\n", Some(0)));
}

/// A coloured place is stable if the number of its tokens is, whatever their colours.
#[test]
fn a_place_whose_token_changes_its_colour_is_stable() {
    let colour = |name: &str| format!("<feconstant id=\"{name}\" name=\"{name}\"/>");
    let of = |count: u32, term: &str| {
        format!(
            "<hlinscription><structure><numberof><subterm><numberconstant value=\"{count}\"><positive/></numberconstant></subterm>\
             <subterm>{term}</subterm></numberof></structure></hlinscription>"
        )
    };
    let x = "<variable refvariable=\"x\"/>";
    let arc = |id: &str, from: &str, to: &str, count: u32, term: &str| {
        format!("<arc id=\"{id}\" source=\"{from}\" target=\"{to}\">{}</arc>", of(count, term))
    };
    let turn =
        arc("a0", "a", "t", 1, x) + &arc("a1", "t", "a", 1, &format!("<successor><subterm>{x}</subterm></successor>"));
    // Needs two tokens of one colour.
    let joins = "<transition id=\"u\"/>".to_owned() + &arc("a2", "a", "u", 2, x);
    let drops = "<transition id=\"u\"/>".to_owned() + &arc("a2", "a", "u", 1, x);
    let folder = tempfile::tempdir().expect("a folder");
    for (more, stable) in [("", "TRUE"), (&*joins, "TRUE"), (&*drops, "FALSE")] {
        let net = format!(
            "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
             type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><declaration><structure><declarations>\
             <namedsort id=\"c\" name=\"c\"><cyclicenumeration>{}{}{}</cyclicenumeration></namedsort>\
             <variabledecl id=\"x\" name=\"x\"><usersort declaration=\"c\"/></variabledecl></declarations></structure></declaration>\
             <page id=\"g\"><place id=\"a\"><type><structure><usersort declaration=\"c\"/></structure></type><hlinitialMarking><structure>\
             <useroperator declaration=\"c0\"/></structure></hlinitialMarking></place><transition id=\"t\"/>{turn}{more}</page></net></pnml>",
            colour("c0"),
            colour("c1"),
            colour("c2")
        );
        std::fs::write(folder.path().join("model.pnml"), net).expect("a file");
        for options in [&[][..], &["--plain"][..]] {
            let run = quotient(&[&["mcc", &folder.path().to_string_lossy(), "StableMarking"][..], options].concat());
            let answer = format!("FORMULA StableMarking {stable} ");
            assert!(run.stdout.starts_with(&answer), "{more} {options:?}: {} {}", run.stdout, run.stderr);
        }
    }
}

/// The reduction of a report, or of the run of a property, by name.
fn reduction<'r>(report: &'r Json, name: &str) -> Option<&'r Json> {
    let considered = report["reductions_considered"].as_array().expect("reductions");
    considered.iter().find(|reduction| reduction["name"] == name)
}

/// Questions about reachable markings, about a deadlock, and about runs.
fn questions(folder: &std::path::Path) -> String {
    let path = folder.join("questions.txt");
    let lines = [
        "Tools: `tool` <= 1 || `busy` = 0",
        "Reaches: EF (`done` = 3)",
        "Never: AG (`busy` <= 1)",
        "Later: AF (`done` = 3)",
    ];
    std::fs::write(&path, lines.join("\n")).expect("a file");
    path.to_string_lossy().into_owned()
}

/// Without a question of its own, a check counts the states of the net.
#[test]
fn plain_checks_count_the_states_of_the_net() {
    for path in files(&root().join("fixtures/pnml"), &["pnml"], true) {
        let model = path.to_string_lossy();
        for options in [
            &[][..],
            &["--keep-going"],
            &["--keep-going", "--stats"],
            &["--name", "deadlock", "--stats"],
            &["--name", "deadlock", "--keep-going"],
        ] {
            let found = report(&model, options);
            assert!(reduction(&found, "structural").is_none(), "{model} {options:?}");
            let off = report(&model, &[options, &["--structural", "off"]].concat());
            for field in ["states", "transitions", "full_states", "full_transitions", "deadlock_states", "verdict"] {
                assert_eq!(found[field], off[field], "{field} of {model} {options:?}");
            }
        }
        for options in [&["--name", "deadlock", "--plain"][..], &["--name", "deadlock", "--structural", "off"]] {
            assert!(reduction(&report(&model, options), "structural").is_none(), "{model} {options:?}");
        }
    }
}

/// A violation that a smaller net shows is a run of the net, which `replay` takes.
#[test]
fn smaller_nets_have_the_verdicts_and_runs_of_the_nets() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.json").to_string_lossy().into_owned();
    let (mut smaller, mut replayed) = (0, 0);
    for path in files(&root().join("fixtures/pnml"), &["pnml"], true) {
        let model = path.to_string_lossy();
        let plain = report(&model, &["--name", "deadlock", "--plain"]);
        for options in [&["--name", "deadlock"][..], &["--deadlock", "stuck"], &["--structural", "on", "--keep-going"]]
        {
            let run = quotient(&[&["check", &model, "--json", "-o", &file], options].concat());
            assert_eq!(
                run.code,
                Some(i32::from(plain["verdict"] == "violated")),
                "{model} {options:?}: {}",
                run.stderr
            );
            let found: Json =
                serde_json::from_str(&std::fs::read_to_string(&file).expect("a report")).expect("a report");
            smaller += u32::from(reduction(&found, "structural").is_some_and(|one| one["applied"] == true));
            assert!(
                found["states"].as_u64() <= report(&model, &["--plain", "--keep-going"])["states"].as_u64(),
                "{model}"
            );
            if plain["verdict"] == "violated" {
                let run = quotient(&["replay", &file]);
                assert_eq!(run.code, Some(0), "{model} {options:?}: {}{}", run.stdout, run.stderr);
                replayed += 1;
            }
        }
    }
    assert!(smaller > 10 && replayed >= 9, "{smaller} smaller nets, {replayed} runs");
}

/// The rules are named with their numbers; each question has a smaller net of its own, and one about runs has none.
#[test]
fn structural_reductions_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = questions(folder.path());
    let found = report("places/rules.pnml", &["--questions", &file]);
    let verdicts = |report: &Json| {
        let answers = report["properties"].as_array().expect("answers").iter();
        answers.map(|answer| (answer["name"].clone(), answer["verdict"].clone())).collect::<Vec<(Json, Json)>>()
    };
    assert_eq!(verdicts(&found), verdicts(&report("places/rules.pnml", &["--questions", &file, "--plain"])));
    let of = |name: &str| {
        let answers = found["properties"].as_array().expect("answers");
        let answer = answers.iter().find(|answer| answer["name"] == name).expect("an answer");
        reduction(&answer["run"], "structural").expect("a reduction").clone()
    };
    let rules = &of("Never")["structural"]["rules"];
    for (name, count) in [
        ("constant_places", 3),
        ("sink_places", 2),
        ("implied_places", 1),
        ("dead_transitions", 0),
        ("duplicate_transitions", 1),
        ("irrelevant_transitions", 2),
        ("agglomerated_places", 1),
    ] {
        assert_eq!(rules[name], count, "{name}: {rules}");
    }
    assert_eq!(of("Never")["structural"]["before"], serde_json::json!({ "places": 10, "transitions": 6 }));
    assert_eq!(of("Never")["structural"]["after"], serde_json::json!({ "places": 3, "transitions": 2 }));
    assert_eq!((&of("Reaches")["applied"], &of("Later")["applied"]), (&Json::from(true), &Json::from(false)));
    let model = root().join("fixtures/pnml/places/rules.pnml").to_string_lossy().into_owned();
    for (options, part) in [
        (&["--name", "deadlock", "--structural", "on", "--stats"][..], "the orbits of all states are counted"),
        (
            &["--name", "deadlock", "--checkpoint", &folder.path().join("kept").to_string_lossy()],
            "the search is kept in a checkpoint",
        ),
    ] {
        let run = quotient(&[&["check", &model, "--explain-reductions"], options].concat());
        let line = run.stdout.lines().find(|line| line.starts_with("  structural"));
        let is_refused = line.is_some_and(|line| line.contains("not applied") && line.contains(part));
        assert!(is_refused, "{options:?}: {}{}", run.stdout, run.stderr);
    }
}

/// A smaller net of which the structure has symmetries is searched in its quotient.
#[test]
fn smaller_nets_have_quotients() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("processors.pnml").to_string_lossy().into_owned();
    std::fs::write(&path, processors(6)).expect("a net");
    let question = folder.path().join("question.txt").to_string_lossy().into_owned();
    std::fs::write(&question, "Apart: `a0.1` + `a1.0` <= 1").expect("a file");
    let found = report(&path, &["--questions", &question]);
    let names = found["reductions"].as_array().expect("names").iter().filter_map(Json::as_str).collect::<Vec<&str>>();
    assert_eq!(names, ["structural", "symmetry"], "{found}");
    assert_eq!(found["verdict"], "holds");
}

/// A limit that ends the reading of the net, or the search behind it, leaves every question open, and each has its line.
#[test]
fn questions_are_open_where_a_limit_ends_the_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    let fixtures = root().join("fixtures/pnml");
    std::fs::copy(fixtures.join("formulas/table.xml"), folder.path().join("CTLFireability.xml")).expect("a copy");
    std::fs::write(folder.path().join("model.pnml"), processors(12)).expect("a net");
    let instance = folder.path().to_string_lossy().into_owned();
    for (examination, count) in [("StateSpace", 4), ("ReachabilityDeadlock", 1), ("CTLFireability", 6)] {
        let run = quotient(&["mcc", &instance, examination, "--timeout", "1ms"]);
        let open = run.stdout.lines().filter(|line| line.ends_with("CANNOT_COMPUTE"));
        assert_eq!((open.count(), run.code), (count, Some(3)), "{examination}: {}{}", run.stdout, run.stderr);
        let run = quotient(&["mcc", &instance, examination, "--max-memory", "1K"]);
        assert_eq!(run.stdout.lines().count(), count, "{examination}: {}{}", run.stdout, run.stderr);
    }
}

/// Processors of which two at a time exchange something.
fn processors(count: usize) -> String {
    let (mut nodes, mut arcs) = (String::new(), String::new());
    let mut arc = |source: String, target: String| {
        let _ = write!(arcs, r#"<arc id="{source}-{target}" source="{source}" target="{target}"/>"#);
    };
    for i in 0..count {
        let _ = write!(nodes, r#"<place id="p{i}"><initialMarking><text>1</text></initialMarking></place>"#);
        for j in (0..count).filter(|&j| j != i) {
            let _ = write!(nodes, r#"<place id="a{i}.{j}"/><transition id="s{i}.{j}"/><transition id="e{i}.{j}"/>"#);
            arc(format!("s{i}.{j}"), format!("a{i}.{j}"));
            arc(format!("a{i}.{j}"), format!("e{i}.{j}"));
            for end in [i, j] {
                arc(format!("p{end}"), format!("s{i}.{j}"));
                arc(format!("e{i}.{j}"), format!("p{end}"));
            }
        }
    }
    let net = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">"#;
    format!("{net}{nodes}{arcs}</page></net></pnml>")
}

/// A place that grows is an answer.
#[test]
fn nets_without_bound_are_examined() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("fixtures/reject/E0909_pnml_unbounded.pnml");
    std::fs::copy(from, folder.path().join("model.pnml")).expect("a copy");
    let instance = folder.path().to_string_lossy().into_owned();
    for (examination, wanted) in [("StateSpace", "STATE_SPACE STATES +inf"), ("OneSafe", "FORMULA OneSafe FALSE")] {
        let run = quotient(&["mcc", &instance, examination]);
        assert!(run.stdout.starts_with(wanted), "{}{}", run.stdout, run.stderr);
    }
}

/// The examination says whether `A X f` is about states that may follow, of which a dead marking has none; a formula that is refused has a line of its own.
#[test]
fn examinations_say_of_which_kind_formulas_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    let net = "<page id='p'><place id='a'/><place id='b'/><transition id='t'/><arc id='x' source='a' target='t'/>\
               <arc id='y' source='t' target='b'/></page>";
    write(
        "model.pnml",
        &format!(
            "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'>\
             <net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>{net}</net></pnml>"
        ),
    );
    let least =
        "<integer-le><integer-constant>2</integer-constant><tokens-count><place>b</place></tokens-count></integer-le>";
    let property = |id: &str, formula: &str| format!("<property><id>{id}</id><formula>{formula}</formula></property>");
    let next = property("next", &format!("<all-paths><next>{least}</next></all-paths>"));
    let mixed = property(
        "mixed",
        &format!(
            "<exists-path><conjunction><finally>{least}</finally><globally>{least}</globally></conjunction></exists-path>"
        ),
    );
    let examine = |examination: &str, properties: &str| {
        write(&format!("{examination}.xml"), &format!("<property-set>{properties}</property-set>"));
        let run = quotient(&["mcc", &folder.path().to_string_lossy(), examination]);
        (run.stdout, run.code)
    };
    let (lines, code) = examine("CTLCardinality", &next);
    assert!(lines.starts_with("FORMULA next TRUE") && code == Some(0), "{lines}");
    let (lines, code) = examine("LTLCardinality", &next);
    assert!(lines.starts_with("FORMULA next FALSE") && code == Some(0), "{lines}");
    let (lines, code) = examine("CTLFireability", &format!("{next}{mixed}"));
    assert!(lines.contains("FORMULA next TRUE") && lines.contains("FORMULA mixed CANNOT_COMPUTE"), "{lines}");
    assert_eq!(code, Some(2), "{lines}");
}

/// Sums in formulas have no limit: two places have more tokens together than 32 bits hold.
#[test]
fn sums_of_tokens_have_no_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let marked = |tokens: &str| format!("<initialMarking><text>{tokens}</text></initialMarking>");
    let (many, one) = (marked("2000000000"), marked("1"));
    let net = format!(
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>\
         <place id='a'>{many}</place><place id='b'>{many}</place><place id='c'>{one}</place><place id='d'/>\
         <transition id='t'/><arc id='1' source='c' target='t'/><arc id='2' source='t' target='d'/>\
         <arc id='3' source='a' target='t'/><arc id='4' source='t' target='a'/></page></net></pnml>"
    );
    std::fs::write(file("model.pnml"), net).expect("a net");
    let (five, sum) = ("<integer-constant>5</integer-constant>", "<place>a</place><place>b</place><place>d</place>");
    let more = format!("<integer-le>{five}<tokens-count>{sum}</tokens-count></integer-le>");
    let less = format!("<integer-gt>{five}<tokens-count>{sum}</tokens-count></integer-gt>");
    let done =
        "<integer-le><integer-constant>1</integer-constant><tokens-count><place>d</place></tokens-count></integer-le>";
    let both = format!("<conjunction>{more}{done}</conjunction>");
    let of = |id: &str, paths: &str, operator: &str, inner: &str| {
        format!(
            "<property><id>{id}</id><formula><{paths}><{operator}>{inner}</{operator}></{paths}></formula></property>"
        )
    };
    let formulas = [
        (of("more", "all-paths", "globally", &more), true),
        (of("less", "all-paths", "globally", &less), false),
        (of("some", "exists-path", "finally", &less), false),
        (of("both", "exists-path", "finally", &both), true),
        (of("late", "all-paths", "finally", &both), true),
    ];
    for (formula, holds) in &formulas {
        std::fs::write(file("asked.xml"), format!("<property-set>{formula}</property-set>")).expect("a file");
        for option in ["--quiet", "--plain"] {
            let (model, asked) = (file("model.pnml"), file("asked.xml"));
            let run = quotient(&["check", &model, "--property", &asked, "--no-deadlock", option]);
            assert_eq!(run.code, Some(i32::from(!holds)), "{formula}: {}{}", run.stdout, run.stderr);
            assert!(!run.stdout.contains("cannot be evaluated"), "{}", run.stdout);
        }
    }
    let all: String = formulas.iter().map(|(formula, _)| formula.as_str()).collect();
    std::fs::write(file("CTLCardinality.xml"), format!("<property-set>{all}</property-set>")).expect("a file");
    for option in ["--quiet", "--plain"] {
        let run = quotient(&["mcc", &folder.path().to_string_lossy(), "CTLCardinality", option]);
        for (name, value) in
            [("more", "TRUE"), ("less", "FALSE"), ("some", "FALSE"), ("both", "TRUE"), ("late", "TRUE")]
        {
            let line = format!("FORMULA {name} {value}");
            assert!(run.stdout.contains(&line), "{line} is not in\n{}{}", run.stdout, run.stderr);
        }
    }
}

/// The answer to the only formula that is asked counts, also where a limit ends the run of which nothing was asked.
#[test]
fn a_formula_holds_where_a_limit_ends_the_run_without_questions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (model, asked) = (file("model.pnml"), file("asked.xml"));
    std::fs::write(&model, processors(4)).expect("a net");
    let fires = "<is-fireable><transition>s0.1</transition></is-fireable>";
    let formula = format!("<formula><all-paths><finally>{fires}</finally></all-paths></formula>");
    let formulas = format!("<property-set><property><id>soon</id>{formula}</property></property-set>");
    std::fs::write(&asked, formulas).expect("a file");
    let options = ["--property", &asked, "--plain", "--max-states", "3"];
    let found = report(&model, &[&options[..], &["--name", "soon"]].concat());
    assert_eq!((&found["verdict"], &found["complete"]), (&Json::from("holds"), &Json::from(false)), "{found}");
    for (names, code) in [(&["soon"][..], 0), (&["soon", "deadlock"], 3)] {
        let names: Vec<&str> = names.iter().flat_map(|name| ["--name", *name]).collect();
        let run = quotient(&[&["check", &model][..], &options, &names].concat());
        assert_eq!(run.code, Some(code), "{names:?}: {}{}", run.stdout, run.stderr);
    }
}
