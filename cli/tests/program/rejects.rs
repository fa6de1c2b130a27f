//! Texts that are refused or remarked upon: exactly the diagnostics of their head, through the library and the binary, and
//! at least one such text for every diagnostic code.

use std::collections::BTreeSet;
use std::path::Path;

use battery::directives::Expectations;
use battery::harness::{self, codes, files, messages, root};
use battery::parallel;
use frontend::diagnostics::{Diagnostics, Severity};
use frontend::sequential::{Options, Parsed};

use crate::binary::quotient;

const FOLDERS: [&str; 2] = ["fixtures/reject", "fixtures/notice"];

/// The extensions of texts that are refused or remarked upon.
const TEXTS: [&str; 7] = ["rebeca", "property", "lpe", "m", "dve", "pnml", "pml"];

#[test]
fn every_text_gets_its_diagnostics() {
    let mut texts = Vec::new();
    for folder in FOLDERS {
        texts.extend(files(&root().join(folder), &TEXTS, false));
    }
    let failures: Vec<String> = parallel::map(&texts, |path| {
        let problem = text(path).err()?;
        Some(format!("{}:\n{problem}\n", path.strip_prefix(root()).unwrap_or(path).display()))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{} of {} texts fail\n{}", failures.len(), texts.len(), failures.join("\n"));
}

/// The diagnostics of a text.
fn diagnostics(path: &Path, expected: &Expectations) -> Result<Diagnostics, String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let parse_process = match path.extension().and_then(|extension| extension.to_str()) {
        Some("lpe") => Some(frontend::sequential::parse as fn(&str, &Options, &mut Diagnostics) -> Parsed),
        Some("dve") => Some(frontend::dve::parse as _),
        Some("pnml") => Some(frontend::pnml::parse as _),
        Some("pml") => Some(frontend::promela::parse as _),
        _ => None,
    };
    if let Some(parse) = parse_process {
        let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut found = Diagnostics::new();
        parse(&source, &Options { constants: expected.defines.clone() }, &mut found);
        found.sort();
        return Ok(found);
    }
    if is_murphi(path) {
        let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut found = Diagnostics::new();
        let fits = |(name, value): &(String, i64)| Some((name.clone(), i32::try_from(*value).ok()?));
        let options = frontend::murphi::Options { constants: expected.defines.iter().filter_map(fits).collect() };
        frontend::murphi::parse(&source, &options, &mut found);
        found.sort();
        return Ok(found);
    }
    let (lowering, _) = harness::options(&expected.run)?;
    if path.extension().is_some_and(|extension| extension == "rebeca") {
        return Ok(harness::read_model(&read(path)?, &lowering).1);
    }
    let (model, found) = harness::read_model(&read(&model_path(path, expected))?, &lowering);
    let model = model.ok_or_else(|| messages(&found))?;
    Ok(harness::read_properties(&read(path)?, &model).1)
}

fn is_murphi(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "m")
}

/// The model that a property file is bound to.
fn model_path(path: &Path, expected: &Expectations) -> std::path::PathBuf {
    let name = expected.model.as_deref().unwrap_or("../support/one.rebeca");
    path.parent().expect("a file in a folder").join(name)
}

fn text(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let expected = Expectations::read(&String::from_utf8_lossy(&bytes))?;
    let found = diagnostics(path, &expected)?;
    let errors = codes(&found, |severity| severity == Severity::Error);
    let remarks = codes(&found, |severity| severity != Severity::Error);
    if errors != expected.reject.clone().unwrap_or_default() {
        return Err(format!("errors: found {errors:?}\n{}", messages(&found)));
    }
    // A refused text need not list its notices as well.
    if (expected.reports.is_some() || expected.reject.is_none()) && expected.reports.as_ref() != Some(&remarks) {
        return Err(format!("remarks: found {remarks:?}\n{}", messages(&found)));
    }
    binary(path, &expected)
}

fn binary(path: &Path, expected: &Expectations) -> Result<(), String> {
    let own = path.to_string_lossy();
    let model = model_path(path, expected);
    let model = model.to_string_lossy();
    let mut arguments = if own.ends_with(".property") {
        vec!["check", model.as_ref(), "--property", own.as_ref()]
    } else {
        vec!["check", own.as_ref(), "--no-property"]
    };
    arguments.extend(expected.run.iter().map(String::as_str));
    let defines: Vec<String> = expected.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
    arguments.extend(defines.iter().map(String::as_str));
    let run = quotient(&arguments);
    if expected.reject.is_some() != (run.code == Some(2)) {
        return Err(format!("the binary ends with {:?}\n{}", run.code, run.stderr));
    }
    let listed = expected.reject.iter().chain(&expected.reports).flatten();
    match listed.into_iter().find(|code| !run.stderr.contains(&format!("[{code}]"))) {
        Some(code) => Err(format!("the binary does not show {code}:\n{}", run.stderr)),
        None => Ok(()),
    }
}

/// Codes that no text produces, with what does.
fn others() -> Vec<(&'static str, Vec<String>)> {
    let fixture = |name: &str| root().join("fixtures").join(name).to_string_lossy().into_owned();
    let model = fixture("rebeca/soundness/m04_ignoring.rebeca");
    let line = |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.to_owned()).collect() };
    vec![
        ("E0500", line(&["check", "there/is/no/such.rebeca"])),
        ("E0501", line(&["check", &fixture("rebeca")])),
        ("E0503", line(&["check", &model, "-o", "there/is/no/such/folder/report"])),
        ("E0504", line(&["check", &model, "--name", "Nothing"])),
        ("E0505", line(&["fmt", "--check", &fixture("lpe/locks/peterson.lpe")])),
        ("E0506", line(&["check", &model, "--name", "deadlock", "--no-deadlock"])),
        ("E0507", line(&["explain", "E9999"])),
        ("E0508", line(&["replay", &model])),
        ("E0510", line(&["check", &model, "-D", "Size=4"])),
        ("E0547", line(&["check", &fixture("products/lamp.rebeca"), "-D", "Dimmer=0..1"])),
        ("E0548", line(&["batch", &fixture("support/wrong_head.lpe"), "--check"])),
        ("E0549", line(&["batch", &model, "--expect", &model])),
        ("E0511", line(&["graph", &model])),
        ("E0512", line(&["check", &model, "-o", &model])),
        ("N0532", line(&["batch", &model, "--resume", &fixture("support/damaged_journal.jsonl")])),
        ("E0520", line(&["check", &fixture("lpe/language/formulas.lpe"), "--fairness", "weak"])),
        ("E0530", line(&["check", &model, "--resume", "there/is/no/such/folder"])),
        ("E0640", line(&["convert", &fixture("rebeca/creation/chain_21.rebeca"), "--to", "lpe"])),
        ("N0535", line(&["convert", &fixture("promela/claims/never.pml"), "--to", "lpe"])),
        ("N0641", line(&["convert", &fixture("rebeca/temporal/ends_in_fault.rebeca"), "--to", "lpe"])),
        ("E0540", line(&["slice", &fixture("rebeca/soundness/m02_overflow_is_visible.rebeca")])),
        ("E0541", line(&["slice", &model, "--method", "bounded", "--name", "deadlock", "--abstract", "nothing"])),
        ("E0541", line(&["check", &model, "--slice", "bounded", "--name", "error", "--abstract", "nothing"])),
        ("E0543", line(&["slice", &model, "--graph", "dot", "--class", "Nothing"])),
        ("E0544", line(&["detect", &model, "--why", "(nobody, no one)"])),
        ("E0545", line(&["check", &model, "--questions", &fixture("support/no_condition.questions")])),
        (
            "E0833",
            line(&[
                "check",
                &fixture("murphi/symmetry/twins.m"),
                "--questions",
                &fixture("support/no_invariant.questions"),
            ]),
        ),
        ("E0542", line(&["slice", &model, "--method", "static", "--name", "deadlock"])),
        ("E0701", line(&["check", &model, "--buchi", &fixture("automata/syntax.hoa")])),
        ("E0702", line(&["check", &model, "--buchi", &fixture("automata/unsupported.hoa")])),
        ("E0703", line(&["check", &model, "--buchi", &fixture("automata/proposition.hoa")])),
        ("N0501", line(&["check", &model])),
        (
            "N0530",
            line(&["check", &fixture("rebeca/two_phase_commit/2pc2.rebeca"), "--checkpoint", "/proc", "--every", "0"]),
        ),
        (
            "N0531",
            line(&[
                "check",
                &fixture("rebeca/philosophers/phil4_fig2.rebeca"),
                "--plain",
                "--no-property",
                "--max-memory",
                "8M",
                "--spill",
                "/proc",
            ]),
        ),
        ("E0832", line(&["convert", &fixture("murphi/multisets/bag.m"), "--to", "lpe"])),
        ("N0802", line(&["convert", &fixture("murphi/symmetry/twins.m"), "--to", "lpe"])),
        ("N0801", line(&["check", &fixture("murphi/symmetry/last_wins.m")])),
        ("E0546", line(&["check", &fixture("support/mixed.lpe")])),
        ("W0561", line(&["check", &fixture("lpe/unread/counted.lpe")])),
        ("W0560", line(&["check", &fixture("rebeca/coverage/nobody_calls.rebeca")])),
        ("N0502", line(&["check", &model, "--search", "dfs", "--threads", "8"])),
        ("N0503", line(&["check", &fixture("lpe/locks/milner.lpe"), "--no-deadlock", "--no-faults", "--no-property"])),
    ]
}

#[test]
fn codes_that_no_text_produces_are_produced_by_usage() {
    for (code, words) in others() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = quotient(&arguments);
        assert!(run.stderr.contains(&format!("[{code}]")), "{code}: {words:?}\n{}", run.stderr);
        // The journal is of another build as well, and refused for that.
        // A wrong head line makes a row of a batch, which goes on.
        let is_refused = code.starts_with('E') && code != "E0548" || code == "N0532";
        assert_eq!(run.code == Some(2), is_refused, "{code}: {:?}", run.code);
    }
}

/// A report without a counterexample cannot be replayed: `E0509`.
#[test]
fn a_report_that_holds_has_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json").to_string_lossy().into_owned();
    let model = root().join("fixtures/rebeca/soundness/m15_slice_deadlock.rebeca").to_string_lossy().into_owned();
    assert_eq!(quotient(&["check", &model, "--json", "-o", &report]).code, Some(0));
    let run = quotient(&["replay", &report]);
    assert!(run.code == Some(2) && run.stderr.contains("[E0509]"), "{run:?}");
}

/// A file without read permission: `E0502`; the superuser may read it all the same.
#[cfg(unix)]
#[test]
fn an_unreadable_file_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("secret.rebeca");
    std::fs::write(&path, "main { }").expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("permissions");
    let run = quotient(&["check", &path.to_string_lossy()]);
    let is_superuser = std::fs::read(&path).is_ok();
    assert!(run.code == Some(2) && (is_superuser || run.stderr.contains("[E0502]")), "{run:?}");
}

/// Bytes that are no text: `E0001` to `E0003`.
#[test]
fn bytes_that_are_no_text_are_refused() {
    let large = vec![b' '; frontend::source::MAX_SOURCE_BYTES + 1];
    for (bytes, code) in [(&b"main \xff"[..], "E0001"), (b"main \0", "E0002"), (&large, "E0003")] {
        let (model, found) = harness::read_model(bytes, &Default::default());
        assert!(model.is_none());
        assert_eq!(codes(&found, |_| true), [code]);
    }
}

/// Texts too large to be kept: `E0312` and `E0326`.
#[test]
fn too_much_is_refused() {
    let rebecs: String = (0..=frontend::lower::MAX_REBECS).map(|number| format!("A a{number}():();\n")).collect();
    let classes: String =
        (0..=frontend::lower::MAX_CLASSES).map(|number| format!("reactiveclass C{number}(1) {{ }}\n")).collect();
    let texts = [
        (format!("reactiveclass A(1) {{ }} main {{ {rebecs} }}"), "E0312"),
        (format!("{classes} main {{ C0 c():(); }}"), "E0326"),
    ];
    for (text, code) in texts {
        assert_eq!(codes(&harness::read_model(text.as_bytes(), &Default::default()).1, |_| true), [code]);
    }
}

#[test]
fn every_code_is_produced() {
    let tested = ["E0001", "E0002", "E0003", "E0312", "E0326", "E0502", "E0509", "N0533", "N0534"];
    let mut produced: BTreeSet<String> = tested.into_iter().map(str::to_owned).collect();
    produced.extend(others().into_iter().map(|(code, _)| code.to_owned()));
    let mut texts = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    for folder in FOLDERS {
        texts.extend(files(&root().join(folder), &TEXTS, false));
    }
    for path in texts {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let Ok(expected) = Expectations::read(&text) else { continue };
        produced.extend(expected.reject.into_iter().chain(expected.reports).flatten());
    }
    let list = quotient(&["explain"]).stdout;
    let known: BTreeSet<String> =
        list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    let missing: Vec<&String> = known.difference(&produced).collect();
    let unknown: Vec<&String> = produced.difference(&known).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "without a fixture: {missing:?}; unknown: {unknown:?}");
}
