//! The page of a batch: summary, plots, and a table that can be sorted, with links to the pages of the models.
//!
//! Pages of models are in the folder `FILE.pages` next to the page; their names are made of letters, digits, `-` and
//! `_` of the model's name and a hash of its path, so that no path leads outside that folder.
//!
//! Invariant: without scripts the page is whole; the script only sorts.

use std::path::{Path, PathBuf};

use minijinja::context;
use serde::Serialize;

use super::plot::{self, Point};
use super::row::Row;
use super::sheet;
use super::summary::Summary;
use crate::outcome::Failure;
use crate::paint::clean;
use crate::render::export::{html, uri};

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

#[derive(Serialize)]
struct Head {
    title: &'static str,
    is_number: bool,
}

#[derive(Serialize)]
struct Cell {
    text: String,
    /// The key by which the cell is sorted.
    key: String,
    class: &'static str,
    link: Option<String>,
}

/// The page; `link` gives the page of a model where there is one.
///
/// # Errors
/// Only faults of the tool.
pub(super) fn page(rows: &[Row], summary: &Summary, link: &dyn Fn(&Row) -> Option<String>) -> Result<String, Failure> {
    let columns = sheet::filled_columns(rows);
    let heads: Vec<Head> = columns
        .iter()
        .map(|column| Head { title: column.title.unwrap_or(column.name), is_number: column.is_number })
        .collect();
    let prefix = sheet::common_prefix(rows);
    let body: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let cell = |column: &sheet::Column| Cell {
                text: if column.name == "path" { clean(&row.path[prefix..]) } else { clean(&column.cell(row)) },
                key: clean(&(column.value)(row).unwrap_or_default()),
                class: match column.name {
                    "verdict" => "badge",
                    "path" => "mono",
                    _ if column.is_number => "number",
                    _ => "",
                },
                link: (column.name == "path").then(|| link(row)).flatten().map(|name| uri(&name)),
            };
            columns.iter().map(cell).collect()
        })
        .collect();
    let troubled: Vec<(String, &str, String)> = rows
        .iter()
        .filter_map(|row| Some((clean(&row.path), row.status.word(), clean(row.message.as_deref()?))))
        .collect();
    let context = context! {
        title => "Batch of models",
        summary => summary.text().lines().collect::<Vec<_>>(),
        badges => badges(rows),
        models => summary.models,
        heads => heads,
        rows => body,
        troubled => troubled,
        plots => plots(rows, summary),
    };
    html::page("batch.html", context).map_err(|error| Failure::Internal(format!("the page: {error}")))
}

/// The number of models by result.
fn badges(rows: &[Row]) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for row in rows {
        *counts.entry(sheet::verdict(row)).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// A plot with its caption.
#[derive(Serialize)]
struct Plot {
    caption: &'static str,
    hint: &'static str,
    svg: String,
}

fn plots(rows: &[Row], summary: &Summary) -> Vec<Plot> {
    let mut plots = Vec::new();
    let orders = summary.orders();
    if !orders.is_empty() {
        plots.push(Plot {
            caption: "Number of symmetries",
            hint: "Models by the order of their largest known group; 1 means no symmetry but doing nothing.",
            svg: plot::bars("models by group order", &orders),
        });
    }
    if !summary.detectors.is_empty() {
        let bars: Vec<(String, usize)> = summary
            .detectors
            .iter()
            .map(|detector| (format!("{}/{}", detector.name, detector.models), detector.found))
            .collect();
        plots.push(Plot {
            caption: "Who finds symmetry",
            hint: "Models in which each detector finds a group of more than one element; behind its name, the models that it reads.",
            svg: plot::bars("models with symmetry by detector", &bars),
        });
    }
    let points: Vec<Point> = rows
        .iter()
        .filter_map(|row| {
            let factor = row.factor()?;
            let label = format!("{}: factor {}", clean(&row.path), sheet::factor(factor));
            Some(Point { x: row.seconds, y: factor, label })
        })
        .collect();
    if !points.is_empty() {
        plots.push(Plot {
            caption: "What symmetry buys",
            hint: "States without reduction divided by stored states, against the time for the model; both axes logarithmic.",
            svg: plot::points("reduction factor against time", ("time", " s"), ("reduction factor", ""), &points),
        });
    }
    let sizes: Vec<Point> = rows
        .iter()
        .filter_map(|row| {
            let check = row.check.as_ref().filter(|check| check.states > 0)?;
            let label = format!("{}: {} states", clean(&row.path), check.states);
            #[expect(clippy::cast_precision_loss)]
            Some(Point { x: check.states as f64, y: check.seconds, label })
        })
        .collect();
    if !sizes.is_empty() {
        plots.push(Plot {
            caption: "Time of checks",
            hint: "Each point is a model; both axes logarithmic.",
            svg: plot::points("time against states", ("stored states", ""), ("time", " s"), &sizes),
        });
    }
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
        assert_eq!(text.matches("<script").count(), 1, "{text}"); // the one that sorts
        assert!(text.contains("href=\"a%20b.html\""), "{text}");
    }
}
