//! Texts that nobody writes: each ends in a diagnostic or a verdict, without a panic.

use std::fmt::Write;

use battery::harness::{Run, root};
use battery::parallel;

use super::{Folder, text};
use crate::binary::quotient;

/// The repetitions of the nested shapes.
const DEEP: usize = 100_000;

/// A text in the body of a server.
fn body(text: &str) -> String {
    format!("reactiveclass A(2) {{ statevars {{ int x; }} msgsrv initial() {{ {text} }} }} main {{ A a():(); }}")
}

/// Texts by name, and the exit codes that are right.
fn texts() -> Vec<(&'static str, Vec<u8>, &'static [i32])> {
    let nested = |open: &str, inner: &str, close: &str| {
        body(&format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP))).into_bytes()
    };
    let mut rebecs = String::from("reactiveclass A(2) { msgsrv initial() { } } main { ");
    (0..20_000).for_each(|number| write!(rebecs, "A a{number}():(); ").expect("a string"));
    rebecs.push('}');
    let mut chain = String::from("reactiveclass C0(2) { msgsrv initial() { } msgsrv m0() { } } ");
    for number in 1..200 {
        let above = number - 1;
        let class = format!(
            "reactiveclass C{number} extends C{above} (2) {{ statevars {{ int v{number}; }} msgsrv m{number}() {{ }} }} "
        );
        chain.push_str(&class);
    }
    chain.push_str("main { C199 c():(); }");
    let array = "reactiveclass A(2) { statevars { int[1000000000] x; } msgsrv initial() { } } main { A a():(); }";
    let windows = "\u{feff}".to_owned() + &body("x = 1;\nself.initial();").replace([' ', '\n'], "\r\n");
    let large = body(&"x = 1; ".repeat((5 << 20) / 7 + 1)).into_bytes();
    vec![
        ("parentheses", body(&format!("x = {}1{};", "(".repeat(DEEP), ")".repeat(DEEP))).into_bytes(), &[2]),
        ("open parentheses", format!("main {}", "(".repeat(DEEP)).into_bytes(), &[2]),
        ("closing braces", "}".repeat(DEEP).into_bytes(), &[2]),
        ("blocks", nested("{", "", "}"), &[2]),
        ("open blocks", body(&"{".repeat(DEEP)).into_bytes(), &[2]),
        ("unary", body(&format!("x = {}1;", "- ".repeat(DEEP))).into_bytes(), &[2]),
        ("not", body(&format!("if ({}true) x = 1;", "!".repeat(DEEP))).into_bytes(), &[2]),
        (
            "else if",
            body(&format!("if (x == 0) x = 1; {}", "else if (x == 1) x = 2; ".repeat(DEEP))).into_bytes(),
            &[2],
        ),
        ("if", nested("if (x == 0) ", ";", ""), &[2]),
        ("conditional", body(&format!("x = {}2;", "x == 0 ? 1 : ".repeat(DEEP))).into_bytes(), &[2]),
        ("sum", body(&format!("x = 1{};", " + 1".repeat(DEEP))).into_bytes(), &[0, 1, 2]),
        ("5 MB", large, &[0, 1, 2]),
        ("an array of 10^9", array.as_bytes().to_vec(), &[2]),
        ("a chain of 200 classes", chain.into_bytes(), &[1]),
        ("20,000 rebecs", rebecs.into_bytes(), &[2]),
        ("not UTF-8", b"main { \xff\xfe }".to_vec(), &[2]),
        ("UTF-16", b"\xff\xfem\0a\0i\0n\0".to_vec(), &[2]),
        ("NUL", b"main { \0 }".to_vec(), &[2]),
        ("BOM and CRLF", windows.into_bytes(), &[0]),
        ("empty", Vec::new(), &[2]),
        ("white space", b" \r\n\t\n".to_vec(), &[2]),
        ("no end", b"/* ".repeat(DEEP), &[2]),
        ("quotes", b"\"".repeat(DEEP), &[2]),
        ("control characters", (1..32).chain(127..128).collect(), &[2]),
        ("one long name", body(&format!("{} = 1;", "x".repeat(1 << 20))).into_bytes(), &[2]),
        ("many errors", body(&"y = z; ".repeat(50_000)).into_bytes(), &[2]),
    ]
}

#[test]
fn hostile_models_end() {
    let folder = Folder::new();
    let failures: Vec<String> = parallel::map(&texts(), |(name, bytes, codes)| {
        let path = folder.file(&format!("{}.rebeca", name.replace([' ', ',', '^'], "_")), bytes);
        ["check", "fmt"].into_iter().find_map(|command| {
            let run = match command {
                "check" => quotient(&["check", &path]),
                _ => quotient(&["fmt", "--check", &path]),
            };
            let codes = if command == "fmt" { &[0, 1, 2] } else { *codes };
            complaint(&run, codes).map(|problem| format!("{command}, {name}: {problem}"))
        })
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A lone carriage return ends a line in each language, for comments, reports and diagnostics.
#[test]
fn lines_may_end_in_carriage_returns() {
    let folder = Folder::new();
    for path in [
        "rebeca/philosophers/phil2_fig2.rebeca",
        "murphi/symmetry/apart.m",
        "dve/symmetry/mutex.dve",
        "promela/classics/barrier.pml",
        "lpe/language/formulas.lpe",
        "reject/E0203_unknown_name.rebeca",
        "reject/E0713_dve_empty_list.dve",
        "reject/E0603_several.lpe",
        "reject/E0803_several.m",
        "reject/E0854_unexpected.pml",
    ] {
        let text = text(root().join("fixtures").join(path));
        assert!(text.contains('\n') && !text.contains('\r'), "{path}");
        let commented = format!("// one\n/* two */\n{text}");
        let text = if path.ends_with(".m") { text } else { commented };
        let name = path.rsplit('/').next().expect("a name");
        let said = ["\n", "\r", "\r\n"].map(|end| {
            let file = folder.file(name, text.replace('\n', end));
            let run = quotient(&["check", &file, "--no-property", "--plain", "--json"]);
            let report = serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap_or_default();
            let counts = ["states", "transitions", "diagnostics"].map(|key| report[key].clone());
            (run.code, counts, run.stderr)
        });
        assert_eq!(said[0], said[1], "{path}");
        assert_eq!(said[0], said[2], "{path}");
    }
}

#[test]
fn hostile_property_files_end() {
    let folder = Folder::new();
    let model = folder.file("model.rebeca", body("self.initial();"));
    let parentheses = format!("property {{ Assertion {{ P: {}true{}; }} }}", "(".repeat(DEEP), ")".repeat(DEEP));
    let always = format!("property {{ LTL {{ P: {}true{}; }} }}", "G(".repeat(DEEP), ")".repeat(DEEP));
    let chain: String = (1..2_000).fold("property { define { d0 = a.x == 0; ".to_owned(), |mut text, number| {
        let _ = write!(text, "d{number} = d{0} && d{0}; ", number - 1);
        text
    });
    let chain = chain + "} Assertion { P: d1999; } }";
    for (name, text) in [("parentheses", parentheses), ("always", always), ("doubling definitions", chain)] {
        let path = folder.file("hostile.property", text);
        let run = quotient(&["check", &model, "--property", &path]);
        assert_eq!(complaint(&run, &[0, 1, 2]), None, "{name}");
    }
}

/// Commands on a model; `M` is its name, `T` that of a trace of it, and `G` that of a graph.
const COMMANDS: &[&str] = &[
    "check M --no-property",
    "check M --no-property --json",
    "check M --property M",
    "detect M",
    "compare M --max-states 100",
    "compare M --csv --max-states 100",
    "batch M",
    "simulate M --steps 3",
    "simulate M --steps 3 --json",
    "replay T M",
    "fmt --check M",
    "convert M --to dot",
    "convert M --to lpe",
    "slice M --name error",
    "bounds M",
    "graph G",
    "check missing/M",
    "check M --resume M",
];

#[cfg(unix)]
#[test]
fn file_names_that_nobody_gives_are_printed_as_text() {
    let folder = Folder::new();
    let text = "reactiveclass A(2) { knownrebecs {} statevars { int x; } msgsrv initial() { self.m(); } \
                msgsrv m() { x = 1 - x; self.m(); } } main { A a():(); }";
    for stem in ["-rf", "--help", "a\nb", "a\x1b[31mb", "a\"b'c", "=1+1", "a\rb", " ", "<b>&", "%s{}"] {
        let names = [format!("{stem}.rebeca"), format!("{stem}.json"), format!("{stem}.dimacs")];
        folder.file(&names[0], text);
        folder.file(&names[2], "p edge 3 2\ne 1 2\ne 2 3\n");
        let dashed = |name: &str| if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
        let run = |line: &str| {
            let words = line.split(' ').map(|word| match word {
                "M" => dashed(&names[0]),
                "T" => dashed(&names[1]),
                "G" => dashed(&names[2]),
                _ => word.replace('M', &names[0]),
            });
            battery::harness::run(crate::binary::command().current_dir(folder.path("")).args(words), b"")
        };
        let written = run("simulate M --steps 3 --json -o T");
        assert_eq!(complaint(&written, &[0]), None, "{stem:?}");
        for line in COMMANDS {
            let run = run(line);
            let is_right = match *line {
                "check missing/M" | "check M --resume M" | "check M --property M" => 2,
                "fmt --check M" => 1,
                _ => 0,
            };
            assert_eq!(complaint(&run, &[is_right]), None, "{line} of {stem:?}");
            let all = run.stdout + &run.stderr;
            assert!(!all.contains('\x1b') && !all.contains('\r'), "{line} of {stem:?}: {all:?}");
            assert!(!stem.contains('\n') || !all.contains(stem), "{line} of {stem:?}: {all:?}");
            let is_formula = line.contains("--csv") && all.lines().any(|line| line.starts_with('='));
            assert!(!is_formula, "{line} of {stem:?}: {all:?}");
        }
    }
}

/// The fault of a run.
fn complaint(run: &Run, codes: &[i32]) -> Option<String> {
    let stderr: String = run.stderr.chars().take(500).collect();
    if run.code.is_none_or(|code| !codes.contains(&code)) {
        return Some(format!("exit code {:?}\n{stderr}", run.code));
    }
    if run.stderr.contains("panicked") || run.stderr.contains("internal error") {
        return Some(stderr);
    }
    let has_diagnostic = run.code != Some(2) || run.stderr.contains("error[E");
    (!has_diagnostic).then(|| format!("no diagnostic\n{stderr}"))
}
