//! The table of `compare`: for people, as comma-separated values, as JSON.

use serde_json::{Value as Json, json};

use crate::args::CompareArgs;
use crate::commands::compare::{Row, Table};
use crate::paint::{cell, clean, count, size, time};

/// The table in the form that was asked for.
pub(crate) fn table(tables: &[Table], args: &CompareArgs) -> String {
    if args.json {
        return as_json(tables);
    }
    if args.csv { as_csv(tables) } else { for_people(tables) }
}

const HEADS: [&str; 12] = [
    "detector",
    "order",
    "structure",
    "generators",
    "detection",
    "representative",
    "exact",
    "states",
    "transitions",
    "time",
    "memory",
    "reduction",
];

fn for_people(tables: &[Table]) -> String {
    let mut out = String::new();
    for (number, table) in tables.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(&format!("{}\n", clean(&table.path)));
        let mut lines: Vec<Vec<String>> = vec![HEADS.iter().map(|&head| head.to_owned()).collect()];
        lines.extend(table.rows.iter().map(cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
        for line in &lines {
            let padded = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
                0 | 2 | 5 | 6 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            out.push_str(&format!("  {}\n", padded.collect::<Vec<_>>().join("  ").trim_end()));
        }
        for row in table.rows.iter().filter(|row| row.representative.is_none()) {
            if let Some(reason) = &row.reason {
                out.push_str(&format!("  {}: {}\n", row.detector, clean(reason)));
            }
        }
    }
    out
}

fn cells(row: &Row) -> Vec<String> {
    let dash = || "-".to_owned();
    let group = row.group.as_ref();
    let was_run = row.states > 0 || row.reason.is_none();
    let run = |text: String| if was_run { text } else { dash() };
    let more = if row.complete { "" } else { "> " };
    vec![
        row.detector.to_owned(),
        group.map_or_else(dash, |group| group.order.to_string()),
        group.map_or_else(dash, |group| group.structure.clone()),
        group.map_or_else(dash, |group| group.generators.to_string()),
        group.map_or_else(dash, |group| time(group.seconds)),
        row.representative.clone().unwrap_or_else(dash),
        if row.representative.is_none() { dash() } else { if row.exact { "yes" } else { "no" }.to_owned() },
        run(format!("{more}{}", count(row.states))),
        run(format!("{more}{}", count(row.transitions))),
        run(format!("{more}{}", time(row.seconds))),
        row.memory.map_or_else(dash, size),
        row.reduction.map_or_else(dash, |factor| format!("{factor:.1}")),
    ]
}

fn as_csv(tables: &[Table]) -> String {
    let mut out =
        "model,detector,order,structure,generators,detection_seconds,representative,exact,states,transitions,\
                   complete,seconds,memory_bytes,reduction,reason\n"
            .to_owned();
    for table in tables {
        for row in &table.rows {
            let group = row.group.as_ref();
            let fields = [
                table.path.clone(),
                row.detector.to_owned(),
                group.map_or_else(String::new, |group| group.order.to_string()),
                group.map_or_else(String::new, |group| group.structure.clone()),
                group.map_or_else(String::new, |group| group.generators.to_string()),
                group.map_or_else(String::new, |group| format!("{:.6}", group.seconds)),
                row.representative.clone().unwrap_or_default(),
                row.exact.to_string(),
                row.states.to_string(),
                row.transitions.to_string(),
                row.complete.to_string(),
                format!("{:.6}", row.seconds),
                row.memory.map_or_else(String::new, |bytes| bytes.to_string()),
                row.reduction.map_or_else(String::new, |factor| format!("{factor:.3}")),
                row.reason.clone().unwrap_or_default(),
            ];
            let quoted: Vec<String> = fields.iter().map(|field| quoted(&cell(field))).collect();
            out.push_str(&quoted.join(","));
            out.push('\n');
        }
    }
    out
}

/// A field of a line of comma-separated values.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn as_json(tables: &[Table]) -> String {
    let row = |row: &Row| -> Json {
        let group = row.group.as_ref().map(|group| {
            json!({
                "order": group.order.to_string(),
                "structure": group.structure,
                "generators": group.generators,
                "seconds": group.seconds,
            })
        });
        json!({
            "detector": row.detector,
            "reason": row.reason,
            "group": group,
            "representative": row.representative,
            "exact": row.exact,
            "states": row.states,
            "transitions": row.transitions,
            "complete": row.complete,
            "seconds": row.seconds,
            "peak_memory_bytes": row.memory,
            "reduction": row.reduction,
        })
    };
    let models: Vec<Json> = tables
        .iter()
        .map(|table| {
            let rows: Vec<Json> = table.rows.iter().map(row).collect();
            json!({ "model": { "path": table.path, "language": table.language }, "rows": rows })
        })
        .collect();
    super::json::pretty(&json!({ "schema_version": 1, "command": "compare", "models": models }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_are_quoted() {
        assert_eq!(quoted("S2 wr S2"), "S2 wr S2");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
