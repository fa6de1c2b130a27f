//! The report of `detect`.
//!
//! ```text
//! philosophers.lpe
//!   group        order 10, C10
//!   generators   1
//!     data       (SEAT 0, SEAT 9, SEAT 8, ..)
//!   orbits       1
//!     {SEAT 0, SEAT 1, ..}
//!   graph        286 vertices, 570 edges, order 10
//!
//!   constraint   8 ms: lower 3 ms, graph 1 ms, search 1 ms, validate 3 ms
//! ```

use std::fmt::Write;

use checker::limit_of_stop;
use serde_json::{Value as Json, json};

use super::coverage::is_inside;
use super::{human, json};
use crate::args::DetectArgs;
use crate::language::Presented;
use crate::load::Loaded;
use crate::paint::{Paint, clean, count, counted, cycles, order as rounded, structure, time, vertices, whole_order};
use frontend::source::{Source, Span};
use pipeline::detection::{Detection, Rejected};
use pipeline::explain::{Answer, Family, NearSymmetry, Place, Why};
use pipeline::listed;

/// Generators, orbits and candidates that the report for people prints at most.
const SHOWN: usize = 20;
/// Names of one line of the report for people.
const SHOWN_NAMES: usize = 24;

/// The remark on candidates of the graph whose proofs used up their steps.
const OPEN: &str = "the proofs of candidates of the graph ended at their bound: there may be more symmetries";

/// The remark on a group that was proved without a graph.
const NO_GRAPH: &str = "none: the text proves this group, and there may be more symmetries";

/// The remark on a loop or quantifier whose order is not proved to be hidden.
const WATCHED: &str = "the order of its values is watched by each search";

/// As JSON.
pub(crate) fn as_json<L: Presented>(
    loaded: &Loaded<L>,
    found: &Detection,
    args: &DetectArgs,
    requested: &[String],
) -> String {
    debug_assert!(found.proofs.len() <= found.names.generators.len(), "a proof is one of a generator");
    let proofs = found.proofs.iter().map(|proof| Some(proof.name())).chain(std::iter::repeat(None));
    let generators = found.names.generators.iter().zip(proofs).map(|(generator, proof)| {
        json!({ "cycles": generator.cycles, "kind": generator.kind, "rules": generator.rules, "proved_by": proof })
    });
    let rejected =
        found.proof.rejected.iter().map(|rejected| json!({ "cycles": rejected.cycles, "witness": rejected.witness }));
    let graph = found.coverage.graph.clone().unwrap_or_default();
    json::pretty(&json!({
        "schema_version": 1,
        "command": "detect",
        "model": json::model(loaded, &args.model.reading.values()),
        "strategy": args.strategy.get().name(),
        "properties": requested,
        "group": {
            "order": found.order,
            "structure": found.names.structure,
            "generators": generators.collect::<Vec<Json>>(),
            "orbits": found.names.orbits,
            "model_order": found.proof.model_order,
            "exact": found.proof.exact,
            "keeps": if found.proof.keeps_instances { "instances" } else { "steps" },
        },
        "graph": { "vertices": graph.vertices, "edges": graph.edges, "order": graph.order },
        "rejected": rejected.collect::<Vec<Json>>(),
        "limit": found.proof.stopped.map(limit_of_stop).map(json::limit),
        "near": found.near.iter().map(|near| near_as_json(&loaded.source, near)).collect::<Vec<Json>>(),
        "why": found.why.iter().map(|why| why_as_json(&loaded.source, why)).collect::<Vec<Json>>(),
        "family": args.family.then(|| match &found.family {
            Ok(family) => json!({ "constants": family.constants, "sorts": family.sorts }),
            Err(reason) => json!({ "reason": reason }),
        }),
        "exact": found.proof.exact,
        "undecided": undecided(found, &loaded.source),
        "not_represented": found.coverage.opaque,
        "as_written": found.coverage.as_written,
        "seconds": {
            "lower": found.seconds.lower,
            "graph": found.seconds.graph,
            "search": found.seconds.search,
            "validate": found.seconds.validate,
        },
    }))
}

/// The parts of the model that may hide a symmetry, and the candidates without a proof or a refutation.
fn undecided(found: &Detection, source: &Source) -> Vec<Json> {
    let parts = [
        (&found.coverage.opaque, "not represented in the graph, and mapped to itself"),
        (&found.coverage.as_written, "kept as written, which may hide a symmetry"),
    ];
    let parts = parts.into_iter().flat_map(|(list, reason)| list.iter().map(move |part| (Some(part), reason)));
    let open = found.proof.rejected.iter().filter(|rejected| rejected.is_open);
    let open = open.map(|rejected| (None, rejected.witness.as_str()));
    let watched = found.coverage.watched.iter().map(|&span| {
        let line = source.position(span.start).line;
        json!({ "summand": format!("{} (line {line})", quoted(source, span)), "reason": WATCHED })
    });
    let bound = found.coverage.undecided.then_some((None, OPEN));
    parts
        .chain(open)
        .chain(bound)
        .map(|(part, reason)| json!({ "summand": part, "reason": reason }))
        .chain(watched)
        .collect()
}

/// A near symmetry, with the first place that breaks it and the others.
pub(crate) fn near_as_json(source: &Source, near: &NearSymmetry) -> Json {
    let mut places = near.broken_by.iter().map(|place| place_as_json(source, place));
    json!({ "permutations": near.permutations, "broken_by": places.next(), "also_broken_by": places.collect::<Vec<Json>>() })
}

/// An answer about one permutation; `symmetry` is null where it was neither proved nor refuted.
fn why_as_json(source: &Source, why: &Why) -> Json {
    match &why.answer {
        Answer::Symmetry(proof) => json!({ "cycles": why.cycles, "symmetry": true, "proved_by": proof.name() }),
        Answer::Not { is_open, broken_by, witness } => {
            let mut places = broken_by.iter().map(|place| place_as_json(source, place));
            json!({
                "cycles": why.cycles,
                "symmetry": if *is_open { Json::Null } else { false.into() },
                "broken_by": places.next(),
                "also_broken_by": places.collect::<Vec<Json>>(),
                "witness": witness,
            })
        }
    }
}

fn place_as_json(source: &Source, place: &Place) -> Json {
    let position = source.position(place.span.start);
    debug_assert!(is_inside(place.span, source), "a place lies in the text");
    json!({
        "file": clean(&source.name),
        "line": position.line,
        "column": position.column,
        "text": quoted(source, place.span),
        "reason": place.reason,
    })
}

/// The text of a place in one line, cut to a line of a report.
fn quoted(source: &Source, span: Span) -> String {
    const MOST: usize = 60;
    let text: Vec<&str> = source.slice(span).split_whitespace().collect();
    let text = clean(&text.join(" "));
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST - 3).collect::<String>() + " .." }
}

/// `for i : NODE do CurPtr := i` (line 12): the rounds of the loop do not commute
fn place_for_people(source: &Source, place: &Place) -> String {
    let line = source.position(place.span.start).line;
    format!("`{}` (line {line}): {}", quoted(source, place.span), clean(&place.reason))
}

/// The answers about single permutations, and near symmetries.
fn explained(out: &mut String, source: &Source, found: &Detection, paint: Paint) {
    for Why { cycles: moved, answer } in &found.why {
        let _ = writeln!(out, "  why          {}", cycles(moved));
        let (headline, broken_by, witness) = match answer {
            Answer::Symmetry(proof) => {
                let _ = writeln!(out, "    {}", paint.good(&format!("a symmetry, proved by its {}", proof.name())));
                continue;
            }
            Answer::Not { is_open: true, broken_by, witness } => ("neither proved nor refuted", broken_by, witness),
            Answer::Not { is_open: false, broken_by, witness } => ("no symmetry", broken_by, witness),
        };
        let _ = writeln!(out, "    {}", paint.open(headline));
        for place in broken_by.iter().take(SHOWN) {
            let _ = writeln!(out, "    {}", place_for_people(source, place));
        }
        if let Some(witness) = witness.as_ref().filter(|_| broken_by.is_empty()) {
            let _ = writeln!(out, "    {}", clean(witness));
        }
    }
    if !found.near.is_empty() {
        let _ = writeln!(out, "  near         {}", count(found.near.len() as u64));
    }
    for near in found.near.iter().take(SHOWN) {
        for (number, place) in near.broken_by.iter().enumerate() {
            let head = if number == 0 { format!("{}, but for", near.permutations) } else { "and".to_owned() };
            let _ = writeln!(out, "    {head} {}", place_for_people(source, place));
        }
    }
}

/// For people.
pub(crate) fn for_people(
    source: &Source,
    found: &Detection,
    args: &DetectArgs,
    requested: &[String],
    paint: Paint,
) -> String {
    let mut out = format!("{}\n", paint.bold(&clean(&source.name)));
    let order = paint.good(&whole_order(&found.order));
    let _ = writeln!(out, "  group        order {order}, {}", structure(&found.names.structure));
    if !requested.is_empty() {
        let part = if found.proof.exact { "" } else { ", perhaps not the whole of it" };
        let _ = writeln!(
            out,
            "  keeps        {}, of order {}{part}",
            requested.join(", "),
            whole_order(&found.proof.model_order)
        );
    }
    if !found.proof.keeps_instances {
        let _ = writeln!(out, "  keeps        steps as sets: not used with partial order or under weak fairness");
    }
    let _ = writeln!(out, "  generators   {}", count(found.names.generators.len() as u64));
    for generator in found.names.generators.iter().take(SHOWN) {
        let rules = match generator.rules[..] {
            [] => String::new(),
            _ => paint.faint(&format!("   also by {}", generator.rules.join(", "))),
        };
        let _ = writeln!(out, "    {:<8} {}{rules}", generator.kind, cycles(&generator.cycles));
    }
    more(&mut out, found.names.generators.len(), "generator");
    let _ = writeln!(out, "  orbits       {}", count(found.names.orbits.len() as u64));
    for orbit in found.names.orbits.iter().take(SHOWN) {
        let shown: Vec<&str> = orbit.iter().take(SHOWN_NAMES).map(String::as_str).collect();
        let dots = if orbit.len() > SHOWN_NAMES { ", .." } else { "" };
        let _ = writeln!(out, "    {{{}{dots}}}", shown.join(", "));
    }
    more(&mut out, found.names.orbits.len(), "orbit");
    if !found.coverage.watched.is_empty() {
        let _ = writeln!(out, "  watched      {}", count(found.coverage.watched.len() as u64));
        for &span in found.coverage.watched.iter().take(SHOWN) {
            let _ = writeln!(out, "    {}", place_for_people(source, &Place { span, reason: WATCHED.to_owned() }));
        }
    }
    if let Some(graph) = &found.coverage.graph {
        let (vertices, edges) = (vertices(graph.vertices), counted(graph.edges as u64, "edge"));
        let _ = writeln!(out, "  graph        {vertices}, {edges}, order {}", rounded(&graph.order));
    } else if found.proof.stopped.is_none() {
        let _ = writeln!(out, "  graph        {NO_GRAPH}");
    }
    if found.coverage.undecided {
        let _ = writeln!(out, "  undecided    {}", paint.open(OPEN));
    }
    rejected(&mut out, &found.proof.rejected, paint);
    let parts = [
        ("not represented, and mapped to itself", &found.coverage.opaque),
        ("kept as written, which may hide a symmetry", &found.coverage.as_written),
    ];
    for (headline, parts) in parts.into_iter().filter(|(_, parts)| !parts.is_empty()) {
        let _ = writeln!(out, "  {headline}\n    {}", parts.join("\n    "));
    }
    if args.family {
        let answer = found.family.as_ref().map_or_else(|&reason| reason.to_owned(), family);
        let _ = writeln!(out, "  family       {answer}");
    }
    explained(&mut out, source, found, paint);
    if let Some(stopped) = found.proof.stopped {
        let detail = human::stopped(&limit_of_stop(stopped));
        let _ = writeln!(out, "  {}", paint.open(&format!("{detail}: incomplete, there may be more symmetries")));
    }
    let seconds = &found.seconds;
    let whole = seconds.lower + seconds.graph + seconds.search + seconds.validate;
    let _ = writeln!(
        out,
        "\n  {}   {}: lower {}, graph {}, search {}, validate {}",
        args.strategy.get(),
        time(whole),
        time(seconds.lower),
        time(seconds.graph),
        time(seconds.search),
        time(seconds.validate),
    );
    out
}

/// ``for every `N`: all permutations of `P` ``
fn family(family: &Family) -> String {
    let constants = match &family.constants[..] {
        [] => "without constants".to_owned(),
        names => format!("for every {}", listed(names.iter().map(String::as_str))),
    };
    let permutations = match &family.sorts[..] {
        [] => "nothing is proved".to_owned(),
        sorts => format!("all permutations of {}", listed(sorts.iter().map(String::as_str))),
    };
    format!("{constants}: {permutations}")
}

fn rejected(out: &mut String, list: &[Rejected], paint: Paint) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(out, "  rejected     {}", count(list.len() as u64));
    for candidate in list.iter().take(SHOWN) {
        let _ = writeln!(out, "    {}\n      {}", cycles(&candidate.cycles), paint.faint(&candidate.witness));
    }
    more(out, list.len(), "candidates");
}

fn more(out: &mut String, total: usize, what: &str) {
    if total > SHOWN {
        let left = (total - SHOWN) as u64;
        let plural = if left == 1 { "" } else { "s" };
        let _ = writeln!(out, "    .. and {} more {what}{plural} (--json shows all)", count(left));
    }
}
