//! The report of `compare` as JSON: one document, its models an array. Fields may be added, never renamed.

use checker::Limit;
use num_bigint::BigUint;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::summary::Summary;
use super::{Absent, Detector, Subject, Table, groups};
use crate::machine;
use crate::render::json::{limit, pretty};
use pipeline::comparison::{Pair, Relation};

/// The document.
pub(super) fn document(tables: &[Table], summary: &Summary) -> String {
    let models: Vec<Json> = tables.iter().map(table).collect();
    pretty(&json!({
        "schema_version": 1,
        "command": "compare",
        "models": models,
        "summary": summary.as_json(),
        "run": machine::json(),
    }))
}

fn table(table: &Table) -> Json {
    let Subject { path, given, options, .. } = &table.subject;
    let constants: serde_json::Map<String, Json> =
        given.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let left_out = match &table.absent {
        Some(Absent::LeftOut(reason)) => Some(reason),
        _ => None,
    };
    json!({
        "model": { "path": path, "language": table.language, "constants": constants, "options": options },
        "refused": table.is_refused(),
        "left_out": left_out,
        "rows": table.rows,
        "detectors": (0..).zip(&table.detectors).map(|(place, one)| detector(table, place, one)).collect::<Vec<Json>>(),
        "pairs": table.comparison.pairs.iter().map(|one| pair(table, one)).collect::<Vec<Json>>(),
        "ambient_order": table.comparison.ambient_order,
        "unnamed": table.unnamed,
        "graph": table.graph,
    })
}

/// A limit as other reports have it.
pub(super) fn limit_of<S: Serializer>(one: &Option<Limit>, to: S) -> Result<S::Ok, S::Error> {
    one.map(limit).serialize(to)
}

/// A large number as a text of its digits.
pub(super) fn digits<S: Serializer>(number: &BigUint, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

/// A detector with the generators of its group.
fn detector(table: &Table, place: usize, detector: &Detector) -> Json {
    let name = |place: usize| table.detectors[place].name;
    let holders = table.comparison.found_by.get(place);
    let generators = detector.generators.iter().enumerate().map(|(at, generator)| {
        let found_by = holders.and_then(|list| list.get(at));
        json!({
            "cycles": generator.cycles,
            "kind": generator.kind,
            "rules": generator.rules,
            "found_by": found_by.map(|list| list.iter().copied().map(name).collect::<Vec<&str>>()),
        })
    });
    json!({
        "detector": detector.name,
        "order": detector.found.order.to_string(),
        "structure": detector.found.structure,
        "small_group": detector.small_group,
        "seconds": detector.found.seconds,
        "generators": generators.collect::<Vec<Json>>(),
    })
}

fn pair(table: &Table, pair: &Pair) -> Json {
    let index = match &pair.relation {
        Relation::Subgroup(index) | Relation::Supergroup(index) => Some(index),
        _ => None,
    };
    let conjugate = match &pair.relation {
        Relation::Equal | Relation::Conjugate => Some(true),
        Relation::Subgroup(_) | Relation::Supergroup(_) | Relation::Incomparable => Some(false),
        Relation::Undecided | Relation::Unknown => None,
    };
    let only = |side: usize| -> Vec<&Vec<Vec<String>>> {
        let generators = &table.detectors[pair.of[side]].generators;
        pair.outside[side].iter().filter_map(|&at| Some(&generators.get(at)?.cycles)).collect()
    };
    json!({
        "detectors": pair.of.map(|place| table.detectors[place].name),
        "relation": groups::word(&pair.relation),
        "index": index,
        "conjugate": conjugate,
        "only": [only(0), only(1)],
    })
}
