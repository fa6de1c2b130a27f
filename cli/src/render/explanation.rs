//! The tree of runs that shows the answer to a formula of branching time: for people, and as JSON.
//!
//! A branch is printed from the state in which it leaves the run before it; as JSON it is a whole run, so that it can be replayed.

use std::fmt::Write as _;

use checker::{Answer, Branch, Explanation, Note};
use serde_json::{Value as Json, json};

use crate::language::{self, Presented, TraceStyle};
use crate::load::Loaded;
use crate::paint::{clean, counted};
use pipeline::Trace;

/// The runs that show that a formula holds: a title, and the witness as it is printed, with its branches.
pub(crate) fn witness<L: Presented>(
    style: &TraceStyle<'_, L>,
    answer: &Answer<Trace<L>>,
) -> Option<(String, String, String)> {
    let explanation = answer.explanation.as_ref()?;
    let run = explanation.witness.as_ref()?;
    let title = format!("witness of formula {}, {}", clean(&answer.name), counted(run.steps.len() as u64, "step"));
    Some((format!("\n{}\n", style.paint.bold(&title)), style.trace(run), branches(style, explanation)))
}

/// The parts of the formula that the main run shows, and its branches.
pub(crate) fn branches<L: Presented>(style: &TraceStyle<'_, L>, explanation: &Explanation<Trace<L>>) -> String {
    let mut out = notes(&explanation.notes);
    of_run(style, &explanation.branches, "", &mut out);
    if explanation.is_cut {
        out.push_str("       further runs are left out\n");
    }
    out
}

fn of_run<L: Presented>(style: &TraceStyle<'_, L>, list: &[Branch<Trace<L>>], before: &str, out: &mut String) {
    for (index, branch) in list.iter().enumerate() {
        let number = format!("{before}{}", index + 1);
        let more = counted((branch.trace.steps.len() - branch.from) as u64, "step");
        let title = format!("branch {number}, {}: {more}", place(branch.from));
        let _ = write!(out, "\n{}\n{}", style.paint.bold(&title), style.trace_from(&branch.trace, branch.from));
        out.push_str(&notes(&branch.notes));
        of_run(style, &branch.branches, &format!("{number}."), out);
    }
}

fn place(at: usize) -> String {
    if at == 0 { "at the start".to_owned() } else { format!("after step {at}") }
}

fn notes(notes: &[Note]) -> String {
    let line = |Note { at, holds, text, .. }: &Note| {
        let value = if *holds { "true" } else { "false" };
        format!("       `{}` is {value} {}\n", clean(text), place(*at))
    };
    notes.iter().map(line).collect()
}

/// The explanation as JSON.
pub(crate) fn json<L: Presented>(loaded: &Loaded<L>, explanation: &Explanation<Trace<L>>) -> Json {
    let Explanation { witness, notes, branches, is_cut } = explanation;
    json!({
        "witness": witness.as_ref().map(|run| language::json::trace(&loaded.model, &loaded.source, run)),
        "shows": notes.iter().map(note).collect::<Vec<Json>>(),
        "branches": branches.iter().map(|one| branch(loaded, one)).collect::<Vec<Json>>(),
        "cut": is_cut,
    })
}

fn branch<L: Presented>(loaded: &Loaded<L>, Branch { from, notes, trace, branches }: &Branch<Trace<L>>) -> Json {
    json!({
        "from": from,
        "shows": notes.iter().map(note).collect::<Vec<Json>>(),
        "trace": language::json::trace(&loaded.model, &loaded.source, trace),
        "branches": branches.iter().map(|one| branch(loaded, one)).collect::<Vec<Json>>(),
    })
}

fn note(Note { at, holds, text, .. }: &Note) -> Json {
    json!({ "at": at, "formula": text, "value": holds })
}
