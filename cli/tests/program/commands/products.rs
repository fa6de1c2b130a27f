//! Products of a family: `-D` chooses one, and without it declarations that depend on it are refused.

use battery::harness::root;

use super::{Folder, answer, expect, report};

fn family(name: &str) -> String {
    root().join("fixtures/products").join(format!("{name}.rebeca")).to_string_lossy().into_owned()
}

/// A lamp, with a dimmer or without.
fn lamp() -> String {
    family("lamp")
}

#[test]
fn annotated_statements_need_no_choice() {
    let model = family("statements");
    let none: &[&str] = &[];
    for (options, states) in [(none, 4), (&["-D", "Fast=true"], 2), (&["-D", "Fast=false"], 2)] {
        for mode in [none, &["--plain"], &["--por", "on", "--no-overflow"]] {
            let arguments = [&["check", model.as_str(), "--keep-going"][..], options, mode].concat();
            let report = report(1, &arguments);
            assert_eq!(report["states"], states, "{arguments:?}: {report}");
            for name in ["assertion", "error"] {
                assert_eq!(answer(&report, name).expect("an answer")["verdict"], "holds", "{arguments:?}");
            }
        }
    }
}

#[test]
fn each_product_has_states_of_its_own() {
    for (value, states, chosen) in [("true", 4, "holds"), ("false", 2, "violated")] {
        let report = report(1, &["check", &lamp(), "-D", &format!("Dimmer={value}"), "--plain", "--keep-going"]);
        assert_eq!(report["states"], states, "{report}");
        assert_eq!(answer(&report, "Chosen").expect("an answer")["verdict"], chosen, "{report}");
    }
}

#[test]
fn the_canonical_text_is_the_product() {
    let folder = Folder::new();
    for value in ["true", "false"] {
        let text = expect(0, &["convert", &lamp(), "--to", "text", "-D", &format!("Dimmer={value}")]).stdout;
        assert!(text.contains(&format!("env boolean Dimmer = {value};")) && !text.contains('@'), "{text}");
        let path = folder.file("product.rebeca", &text);
        assert_eq!(expect(0, &["convert", &path, "--to", "text"]).stdout, text);
    }
}

#[test]
fn a_product_must_be_chosen() {
    let run = expect(2, &["check", &lamp()]);
    assert!(run.stderr.contains("[E0133]") && run.stderr.contains("choose a product: -D Dimmer=true"), "{run:?}");
    let run = expect(2, &["check", &lamp(), "-D", "Dimmer=2"]);
    assert!(run.stderr.contains("a boolean is expected"), "{run:?}");
    let run = expect(2, &["check", &lamp(), "-D", "Dimer=true"]);
    assert!(run.stderr.contains("[E0510]") && run.stderr.contains("did you mean `Dimmer`?"), "{run:?}");
}
