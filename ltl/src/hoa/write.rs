//! An automaton as text: labels on edges, acceptance on edges.

use std::fmt::Write;

use crate::automaton::{Automaton, Edge};

/// The text of an automaton over named propositions.
pub fn print(automaton: &Automaton, propositions: &[String], name: &str) -> String {
    assert!(automaton.is_closed(), "an automaton that is written has the states and sets that its edges name");
    assert!(automaton.reads_only(propositions.len()), "each proposition that an edge reads has a name");
    let sets = automaton.sets;
    let mut out = format!("HOA: v1\nname: {}\nStates: {}\n", quoted(name), automaton.edges.len());
    automaton.initial.iter().for_each(|state| {
        let _ = writeln!(out, "Start: {state}");
    });
    let names: String = propositions.iter().map(|name| format!(" {}", quoted(name))).collect();
    let _ = writeln!(out, "AP: {}{names}", propositions.len());
    let kind = match sets {
        0 => "all".to_owned(),
        1 => "Buchi".to_owned(),
        _ => format!("generalized-Buchi {sets}"),
    };
    let condition: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
    let condition = if sets == 0 { "t".to_owned() } else { condition.join("&") };
    let _ = writeln!(out, "acc-name: {kind}\nAcceptance: {sets} {condition}");
    out.push_str("properties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    for (state, edges) in automaton.edges.iter().enumerate() {
        let _ = writeln!(out, "State: {state}");
        for edge in edges {
            let marks: Vec<String> = bits(edge.marks).map(|set| set.to_string()).collect();
            let marks = if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(" ")) };
            let _ = writeln!(out, "  [{}] {}{marks}", label(edge), edge.to);
        }
    }
    out.push_str("--END--\n");
    out
}

fn label(edge: &Edge) -> String {
    let literals = bits(edge.label.positive | edge.label.negative).map(|bit| {
        let sign = if edge.label.negative >> bit & 1 == 1 { "!" } else { "" };
        format!("{sign}{bit}")
    });
    let literals: Vec<String> = literals.collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

fn bits(bits: u128) -> impl Iterator<Item = u32> {
    (0..u128::BITS).filter(move |bit| bits >> bit & 1 == 1)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
