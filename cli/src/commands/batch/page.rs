//! The page of a batch: summary, plots, and a table that can be sorted, with links to the pages of the models.
//!
//! Pages of models are in the folder `FILE.pages` next to the page; their names are made of letters, digits, `-` and
//! `_` of the model's name and a hash of its path, so that no path leads outside that folder.
//!
//! Invariant: without scripts the page is whole; the scripts sort, filter, and write files of what is shown.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use minijinja::{Value, context};

use super::census::CensusSummary;
use super::growth;
use super::row::Row;
use super::sheet;
use super::summary::{self, DETECTORS, Summary};
use super::tables;
use crate::machine;
use crate::outcome::Failure;
use crate::paint::clean;
use crate::render::export::{html, uri};
use crate::render::plot::{self, Plot, Point};

/// The folder for the pages of models.
pub(super) fn folder(page: &Path) -> PathBuf {
    let mut name = page.file_name().unwrap_or_default().to_owned();
    name.push(".pages");
    page.with_file_name(name)
}

/// The name of a model's page.
pub(super) fn file_name(path: &str, hash: u64) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let safe = stem.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_').take(60);
    format!("{}-{hash:016x}.html", safe.collect::<String>())
}

/// The page; `link` gives the page of a model where there is one.
///
/// # Errors
/// Only faults of the tool.
pub(super) fn page(rows: &[Row], summary: &Summary, link: &dyn Fn(&Row) -> Option<String>) -> Result<String, Failure> {
    let columns = sheet::page_columns(rows);
    let head = |column: &sheet::Column| {
        let title = column.title.unwrap_or(column.name).replace('_', " ");
        context! { title, is_number => column.is_number }
    };
    let prefix = sheet::common_prefix(rows);
    let shown = |row: &Row| {
        let cell = |column: &sheet::Column| {
            let is_path = column.name == "path";
            let text = if is_path { clean(&row.path[prefix..]) } else { clean(&column.cell(row)) };
            // The key by which the cell is sorted, where it is not the text. The cell of a path also has what it opens to.
            let key = clean(&(column.value)(row).unwrap_or_default());
            let key = (is_path || key != text).then_some(key);
            let link = is_path.then(|| link(row)).flatten().map(|name| uri(&name));
            context! { text, key, class => class(column), link }
        };
        context! { cells => columns.iter().map(cell).collect::<Vec<_>>(), entry => entry(row) }
    };
    let troubled: Vec<(String, &str, String)> = rows
        .iter()
        .filter_map(|row| Some((clean(&row.key()), row.status.name(), clean(row.message.as_deref()?))))
        .collect();
    let context = context! {
        title => "Batch of models",
        summary => summary.text().lines().collect::<Vec<_>>(),
        badges => badges(rows),
        models => summary.models,
        produced => machine::line(),
        heads => columns.iter().map(head).collect::<Vec<_>>(),
        rows => rows.iter().map(shown).collect::<Vec<_>>(),
        census => summary.census.as_ref().map(totals).unwrap_or_default(),
        census_heads => tables::HEADS,
        versus => versus(rows),
        troubled => troubled,
        plots => plots(rows, summary),
    };
    html::page("batch.html", context).map_err(|error| Failure::Internal(format!("the page: {error}")))
}

/// The class of the cells of a column.
fn class(column: &sheet::Column) -> &'static str {
    match column.name {
        "verdict" => "badge",
        "path" => "mono",
        _ if column.is_number => "number",
        _ => "",
    }
}

/// What one row opens to.
fn entry(row: &Row) -> Value {
    let proof = |proof: &Option<String>| proof.as_deref().map_or_else(String::new, clean);
    let census = row.census.as_ref();
    let generators = census.iter().flat_map(|census| &census.generators);
    let generators: Vec<_> =
        generators.map(|one| (clean(&one.cycles), clean(&one.kind), proof(&one.proved_by))).collect();
    let all = row.detect.as_ref().filter(|_| census.is_some()).map_or(0, |detect| detect.generators);
    let near = census.iter().flat_map(|census| &census.near);
    let near = near.map(|one| (clean(&one.permutations), one.line, clean(&one.text), clean(&one.reason)));
    let phases = census.iter().flat_map(|census| &census.phases).map(|(stage, &seconds)| (clean(stage), seconds));
    let check = row.check.iter().map(|check| ("check".to_owned(), check.seconds));
    context! {
        name => clean(&row.key()),
        more => all.saturating_sub(generators.len() as u64),
        generators,
        near => near.collect::<Vec<_>>(),
        phases => phases.chain(check).collect::<Vec<_>>(),
        message => row.message.as_deref().map(clean),
    }
}

/// The lines of the census: all models, languages, families.
fn totals(census: &CensusSummary) -> Vec<Vec<String>> {
    let all = std::iter::once(tables::cells("all", &census.all));
    let groups = census.languages.iter().chain(&census.families);
    all.chain(groups.map(|(name, totals)| tables::cells(name, totals))).collect()
}

/// Each detector against each other one: models where its group is larger, as large, smaller, of those that both read.
fn versus(rows: &[Row]) -> Vec<(String, Vec<String>)> {
    let compared: Vec<_> = rows.iter().filter_map(|row| row.compare.as_ref()).collect();
    if compared.is_empty() {
        return Vec::new();
    }
    let against = |one: &str, other: &str| {
        let mut counts = [0usize; 3];
        for (a, b) in compared.iter().filter_map(|row| Some((row.order_of(one)?, row.order_of(other)?))) {
            counts[match summary::compare(a, b) {
                Ordering::Greater => 0,
                Ordering::Equal => 1,
                Ordering::Less => 2,
            }] += 1;
        }
        if one == other { "–".to_owned() } else { format!("{} / {} / {}", counts[0], counts[1], counts[2]) }
    };
    let line = |one: &&str| ((*one).to_owned(), DETECTORS.iter().map(|other| against(one, other)).collect());
    DETECTORS.iter().map(line).collect()
}

/// The number of models by result.
fn badges(rows: &[Row]) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for row in rows {
        *counts.entry(sheet::verdict(row)).or_default() += 1;
    }
    counts.into_iter().collect()
}

fn plots(rows: &[Row], summary: &Summary) -> Vec<Plot> {
    let mut plots = Vec::new();
    let orders = summary.orders();
    if !orders.is_empty() {
        let hint = "Models by the order of their largest known group; 1 means no symmetry but doing nothing.";
        plots.push(Plot::new("Number of symmetries", hint, plot::bars("models by group order", &orders)));
    }
    if let Some(census) = summary.census.as_ref().filter(|census| census.all.symmetric > 0) {
        let bars: Vec<(String, usize)> =
            tables::by_number(&census.all.shapes).into_iter().map(|(name, models)| (name.to_owned(), models)).collect();
        let hint =
            "Models by the class of their group: all permutations, rotations, products and wreath products of such.";
        plots.push(Plot::new("Structures", hint, plot::bars("models by structure", &bars)));
    }
    if !summary.detectors.is_empty() {
        let bars: Vec<(String, usize)> = summary
            .detectors
            .iter()
            .map(|detector| (format!("{}/{}", detector.name, detector.models), detector.found))
            .collect();
        let hint = "Models in which each detector finds a group of more than one element; behind its name, the models that it reads.";
        plots.push(Plot::new("Who finds symmetry", hint, plot::bars("models with symmetry by detector", &bars)));
    }
    // Rows have the numbers of their places on the page.
    let numbered = || (1..).zip(rows).map(|(number, row)| (format!("r{number}"), row));
    let points: Vec<Point> = numbered()
        .filter_map(|(id, row)| {
            let factor = row.factor()?;
            let label = format!("{}: factor {}", clean(&row.key()), sheet::factor(factor));
            Some(Point { x: row.seconds, y: factor, label, id })
        })
        .collect();
    if !points.is_empty() {
        let hint =
            "States without reduction divided by stored states, against the time for the model; both axes logarithmic.";
        plots.push(Plot::new(
            "What symmetry buys",
            hint,
            plot::points("reduction factor against time", ("time", " s"), ("reduction factor", ""), &points),
        ));
    }
    let sizes: Vec<Point> = numbered()
        .filter_map(|(id, row)| {
            let check = row.check.as_ref().filter(|check| check.states > 0)?;
            let label = format!("{}: {} states", clean(&row.key()), check.states);
            #[expect(clippy::cast_precision_loss)]
            Some(Point { x: check.states as f64, y: check.seconds, label, id })
        })
        .collect();
    if !sizes.is_empty() {
        let hint = "Each point is a model; both axes logarithmic.";
        plots.push(Plot::new(
            "Time of checks",
            hint,
            plot::points("time against states", ("stored states", ""), ("time", " s"), &sizes),
        ));
    }
    plots.extend(growth::plots(rows));
    plots
}

#[cfg(test)]
mod tests {
    use super::super::row::Row;
    use super::super::summary::Summary;
    use super::{file_name, folder, page};
    use std::path::Path;

    #[test]
    fn names_of_pages_stay_in_their_folder() {
        assert_eq!(file_name("../../etc/<script>\u{1b}.rebeca", 7), "script-0000000000000007.html");
        assert_eq!(file_name("..", 7), "-0000000000000007.html");
        assert_eq!(folder(Path::new("a/out.html")), Path::new("a/out.html.pages"));
    }

    #[test]
    fn names_are_text() {
        let rows = [Row::new("</td><script>alert(1)</script>.rebeca".to_owned(), String::new())];
        let text = page(&rows, &Summary::new(&rows), &|_| Some("a b.html".to_owned())).expect("a page");
        assert_eq!(text.matches("<script").count(), 2, "{text}"); // sorting, and filters
        assert!(text.contains("href=\"a%20b.html\""), "{text}");
    }
}
