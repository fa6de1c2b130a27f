//! The tables of a batch as Markdown: the census by language and family, and the rows.
//!
//! Invariant: every text of a model is escaped.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::census::Totals;
use super::row::Row;
use super::sheet;
use super::summary::Summary;
use crate::machine;
use crate::paint::{clean, count};
use crate::render::export::markdown;

/// The heads of the table of totals.
pub(super) const HEADS: [&str; 10] = [
    "",
    "models",
    "limited",
    "with symmetry",
    "structures",
    "transitive",
    "generators p/d/m",
    "by text/tables",
    "near",
    "factor: half above, most",
];

/// The tables of some rows, behind a line that says what produced them.
pub(super) fn tables(rows: &[Row], summary: &Summary) -> String {
    let mut out = format!("{}\n\n", markdown(&machine::line()));
    if let Some(census) = &summary.census {
        totals(&mut out, "Language", &census.languages, &census.all);
        totals(&mut out, "Family", &census.families, &census.all);
        if !census.all.reasons.is_empty() {
            out.push_str("| what breaks near symmetries | models |\n|---|---:|\n");
            for (reason, models) in by_number(&census.all.reasons) {
                let _ = writeln!(out, "| {} | {models} |", markdown(reason));
            }
            out.push('\n');
        }
    }
    out.push_str(&sheet_table(rows));
    out
}

/// Entries by number, greatest first.
pub(super) fn by_number(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut list: Vec<(&str, usize)> = counts.iter().map(|(name, &number)| (name.as_str(), number)).collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    list
}

/// The cells of a line of totals.
pub(super) fn cells(name: &str, totals: &Totals) -> Vec<String> {
    let shapes = by_number(&totals.shapes).into_iter().filter(|(name, _)| *name != "trivial");
    let shapes: Vec<String> = shapes.map(|(name, number)| format!("{number} {name}")).collect();
    let factors = totals.factors.map(|[middle, most]| format!("{}, {}", sheet::factor(middle), sheet::factor(most)));
    vec![
        name.to_owned(),
        count(totals.models as u64),
        count(totals.limited as u64),
        count(totals.symmetric as u64),
        shapes.join(", "),
        count(totals.transitive as u64),
        format!("{}/{}/{}", totals.process, totals.data, totals.mixed),
        format!("{}/{}", totals.by_text, totals.by_tables),
        count(totals.near as u64),
        factors.unwrap_or_default(),
    ]
}

fn totals(out: &mut String, title: &str, groups: &BTreeMap<String, Totals>, all: &Totals) {
    let heads: Vec<&str> = std::iter::once(title).chain(HEADS[1..].iter().copied()).collect();
    let _ = writeln!(out, "| {} |\n|---|---:|---:|---:|---|---:|---:|---:|---:|---:|", heads.join(" | "));
    let lines = groups.iter().map(|(name, totals)| cells(name, totals)).chain([cells("all", all)]);
    for line in lines {
        let escaped: Vec<String> = line.iter().map(|cell| markdown(cell)).collect();
        assert!(escaped.len() == heads.len(), "a row has a cell for each column");
        let _ = writeln!(out, "| {} |", escaped.join(" | "));
    }
    out.push('\n');
}

/// The rows with the columns for people.
fn sheet_table(rows: &[Row]) -> String {
    let columns = sheet::filled_columns(rows);
    let prefix = sheet::common_prefix(rows);
    let mut out = String::new();
    let heads: Vec<&str> = columns.iter().map(|column| column.title.unwrap_or(column.name)).collect();
    let ruler: Vec<&str> = columns.iter().map(|column| if column.is_number { "---:" } else { "---" }).collect();
    let _ = writeln!(out, "| {} |\n|{}|", heads.join(" | "), ruler.join("|"));
    for row in rows {
        let cell = |column: &sheet::Column| match column.name {
            "path" => markdown(&clean(&row.path[prefix..])),
            _ => markdown(&clean(&column.cell(row))),
        };
        let _ = writeln!(out, "| {} |", columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::census::tests::row;
    use super::super::summary::Summary;
    use super::tables;

    #[test]
    fn totals_and_rows_are_tables() {
        let rows = [row("x/a|b/1.lpe", "S3", "6"), row("x/c/2.lpe", "C4", "4")];
        let text = tables(&rows, &Summary::new(&rows));
        assert!(text.contains("| lpe/a&#124;b | 1 | 0 | 1 | 1 symmetric | 0 | 1/1/0 | 1/1 | 1 |  |"), "{text}");
        assert!(text.contains("| all | 2 | 0 | 2 | 1 cyclic, 1 symmetric |"), "{text}");
        let widths: Vec<usize> =
            text.lines().filter(|line| line.starts_with("| all")).map(|l| l.matches('|').count()).collect();
        assert_eq!(widths, [11, 11]);
    }
}
