//! Variables that grow in each of the last 1,000 levels of a search that a limit ended, in every language and format.

use serde_json::Value as Json;

use crate::binary::quotient;

/// A file name, a text, and the variable that grows within 3,000 states.
const GROWING: [(&str, &str, &str); 5] = [
    (
        "a.lpe",
        "type N : 0..1000000; proc P(sent : N, b : BOOL) = [true] count { sent := sent + 1; } -> P
         + [true] flip { b := 1 - b; } -> P; init P(sent = 0, b = 0);",
        "sent",
    ),
    (
        "a.rebeca",
        "reactiveclass Node(2) { statevars { int sent; byte turn; }
           msgsrv initial() { self.count(); }
           msgsrv count() { sent = sent + 1; if (turn < 9) { turn = (byte)(turn + 1); } self.count(); } }
         main { Node node():(); }",
        "node.sent",
    ),
    (
        "a.m",
        "var sent: array [0 .. 1] of 0 .. 1000000; startstate begin clear sent; end;
         rule true ==> begin sent[0] := sent[0] + 1; end;",
        "sent[]",
    ),
    (
        "a.dve",
        "process P { int sent; state a; init a; trans a -> a { effect sent = sent + 1; }; } system async;",
        "P.sent",
    ),
    ("a.pml", "int sent; active proctype P() { do :: sent++ od }", "sent"),
];

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn what_grows_is_reported_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    for (name, text, variable) in GROWING {
        std::fs::write(file(name), text).expect("a file");
        let (model, page, markdown) = (file(name), file("report.html"), file("report.md"));
        let arguments = ["check", &model, "--json", "--max-states", "3000", "--report", &page, "--report", &markdown];
        let run = quotient(&arguments);
        assert_eq!(run.code, Some(3), "{name}: {}", run.stderr);
        let growing = json(&run.stdout)["growing"].as_array().expect("variables").clone();
        assert_eq!(growing.len(), 1, "{name}: {growing:?}");
        assert_eq!(growing[0]["name"], variable);
        assert_eq!(growing[0]["levels"], 1000);
        assert!(growing[0]["from"].as_i64() < growing[0]["to"].as_i64());
        let text = quotient(&["check", &model, "--max-states", "3000"]).stdout;
        assert!(text.contains(&format!("`{variable}` grows in each of the last 1,000 levels")), "{text}");
        for file in [&page, &markdown] {
            let text = std::fs::read_to_string(file).expect("a report");
            assert!(text.contains("in each of the last 1,000 levels"), "{name}");
        }
        // Too few levels, another limit, and another order.
        let few = quotient(&["check", &model, "--json", "--max-states", "500"]);
        assert_eq!(json(&few.stdout)["growing"], Json::Array(Vec::new()));
        let deep = quotient(&["check", &model, "--json", "--max-states", "3000", "--search", "dfs"]);
        assert_eq!(json(&deep.stdout)["growing"], Json::Array(Vec::new()));
        let steps = quotient(&["check", &model, "--json", "--max-depth", "2200"]);
        assert_eq!(json(&steps.stdout)["growing"][0]["name"], variable, "{name}");
    }
}

/// In the quotient by an exchange of two variables, a representative may hold the greatest value in either.
#[test]
fn exchanged_variables_do_not_grow_in_the_quotient() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("two.lpe").to_string_lossy().into_owned();
    let text = "type N : 0..1000000; proc P(x : N, y : N, steps : N) =
           [x = y] one { x := x + 1; steps := steps + 1; } -> P
         + [x = y] one { y := y + 1; steps := steps + 1; } -> P
         + [x != y] both { x := x + 1; y := y + 1; steps := steps + 1; } -> P; init P(x = 0, y = 0, steps = 0);";
    std::fs::write(&model, text).expect("a file");
    let names = |arguments: &[&str]| {
        let report =
            json(&quotient(&[&["check", &model, "--json", "--max-states", "9000"], arguments].concat()).stdout);
        let growing = report["growing"].as_array().expect("variables").iter();
        let names = growing.map(|one| one["name"].as_str().expect("a name").to_owned()).collect::<Vec<String>>();
        (report["group"]["order"].clone(), names)
    };
    assert_eq!(names(&[]), (Json::from("2"), vec!["steps".to_owned()]));
    assert_eq!(names(&["--symmetry", "none"]).1, ["x", "y", "steps"]);
    // Elements of one variable count together.
    let text = "type PID : { p, q }; type N : 0..1000000; proc P(x : N[PID]) =
           sum i:PID . [forall j:PID . x[i] = x[j]] one(i) { x[i] := x[i] + 1; } -> P
         + [exists i:PID . exists j:PID . x[i] != x[j]] both { for i:PID { x[i] := x[i] + 1; } } -> P; init P(x = 0);";
    std::fs::write(&model, text).expect("a file");
    assert_eq!(names(&[]), (Json::from("2"), vec!["x".to_owned()]));
}

/// Enough starts for the search to be shared among workers, and then one state in each level.
#[test]
fn several_threads_see_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("wide.lpe").to_string_lossy().into_owned();
    let text = "type B : 0..8191; type N : 0..1000000; proc P(n : N, m : N, b : B) =
           [true] step { b := 0; n := n + 1; m := (m + 1) mod 77; } -> P; init P(n = 0, m = 0, b = *);";
    std::fs::write(&model, text).expect("a file");
    let run = |threads: &str| {
        let limits = ["--max-states", "11000", "--symmetry", "none", "--threads", threads];
        let report = json(&quotient(&[&["check", &model, "--json"], &limits[..]].concat()).stdout);
        (report["threads"].clone(), report["growing"].clone())
    };
    let (one, growing) = run("1");
    assert_eq!((one, growing.as_array().map(Vec::len), &growing[0]["name"]), (1.into(), Some(1), &Json::from("n")));
    for threads in ["2", "3"] {
        assert_eq!(run(threads), (threads.parse::<u64>().expect("a number").into(), growing.clone()));
    }
}
