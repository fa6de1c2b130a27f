//! Fixtures: the counts, verdicts and faults in their heads, and the rejected texts.

use super::explore::explore;
use super::{Head, Options, files, read};
use crate::diagnostics::{Code, Diagnostics, codes};
use crate::sequential::{Parsed, PropertyKind, parse, print, spans, verify};

#[test]
fn every_model_is_as_its_head_says() {
    for path in files("lpe") {
        let text = std::fs::read_to_string(&path).unwrap();
        let head = Head::of(&text);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let model = read(&text, &head.options).unwrap_or_else(|messages| panic!("{name}: {messages}"));
        let found = explore(&model);
        assert_eq!(head.states.unwrap_or(found.states), found.states, "{name}: states");
        assert_eq!(head.transitions.unwrap_or(found.transitions), found.transitions, "{name}: transitions");
        assert_eq!(head.deadlocks.unwrap_or(found.deadlocks), found.deadlocks, "{name}: deadlocks");
        assert_eq!(head.fault.as_ref(), found.faults.first(), "{name}: faults");
        for (check, verdict) in &head.checks {
            let violated = match check.as_str() {
                "deadlock" => found.deadlocks > 0,
                "error" => !found.faults.is_empty(),
                property => {
                    let property = model.properties.iter().find(|other| other.name == property);
                    let property = property.unwrap_or_else(|| panic!("{name}: there is no {check}"));
                    match property.kind {
                        PropertyKind::Invariant(_) => found.violated.contains(check),
                        PropertyKind::Ltl(_) | PropertyKind::End(_) => continue,
                    }
                }
            };
            assert_eq!(violated, verdict == "violated", "{name}: {check}");
        }
        for property in &model.properties {
            assert!(head.checks.iter().any(|(check, _)| *check == property.name), "{name}: {}", property.name);
        }
    }
}

#[test]
fn every_model_is_verified_and_printed_back() {
    for path in files("lpe") {
        let text = std::fs::read_to_string(&path).unwrap();
        for options in [Head::of(&text).options, Options::default()] {
            let model = read(&text, &options).unwrap();
            assert_eq!(verify::verify(&model), [], "{}", path.display());
            let printed = print::print(&model);
            let again = read(&printed, &Options::default()).unwrap_or_else(|messages| panic!("{messages}\n{printed}"));
            assert_eq!(spans::without_spans(again), spans::without_spans(model), "{printed}");
        }
    }
}

#[test]
fn rejected_texts_get_their_diagnostics() {
    let mut produced: Vec<Code> = Vec::new();
    for path in files("reject") {
        let text = std::fs::read_to_string(&path).unwrap();
        let head = Head::of(&text);
        let mut sink = Diagnostics::new();
        let Parsed { model, unused, .. } = parse(&text, &head.options, &mut sink);
        assert!(model.is_none() && unused.is_empty());
        let found: Vec<&str> = sink.list.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        let messages: Vec<String> =
            sink.list.iter().map(|found| format!("{} {:?} {}", found.code, found.span, found.message)).collect();
        assert_eq!(head.reject.as_deref(), Some(found.join(", ").as_str()), "{}\n{messages:#?}", path.display());
        assert!(
            sink.list.iter().all(|diagnostic| diagnostic.help.is_some() || diagnostic.code == codes::LPE_UNEXPECTED)
        );
        produced.extend(sink.list.iter().map(|diagnostic| diagnostic.code));
    }
    for explanation in codes::of_texts() {
        // This code is about models of other languages: every text of the sequential language has a sequential form.
        if explanation.code.as_str().starts_with("E06") && explanation.code != codes::LPE_NO_FORM {
            assert!(produced.contains(&explanation.code), "no text produces {}", explanation.code);
        }
    }
}
