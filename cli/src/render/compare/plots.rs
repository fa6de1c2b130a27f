//! The drawings on the page of `compare`: each detector against the search without symmetry, in states and in time, and how many models each
//! finishes within a time (a cactus plot); with several values for constants, the growth of each model.
//!
//! Invariant: every text is escaped.

use std::fmt::Write;

use super::summary::{NONE, Summary, finished};
use super::{Row, Table};
use crate::paint::{count, time};
use crate::render::export::xml;
use crate::render::growth::{self, Magnitude, Measure, Measured, Value};
use crate::render::plot::{Frame, Plot};

/// One detector's points.
struct Series {
    name: &'static str,
    points: Vec<(f64, f64, String)>,
}

/// All drawings for which there are points.
pub(super) fn all(tables: &[Table], summary: &Summary) -> Vec<Plot> {
    #[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
    let states = |row: &Row| row.states as f64;
    let states_text = |row: &Row| format!("{} states", count(row.states));
    let seconds_text = |row: &Row| time(row.total_seconds());
    let mut plots = Vec::new();
    let by_states = scatter(tables, summary, &states, &states_text);
    if by_states.iter().any(|series| !series.points.is_empty()) {
        let svg = draw(
            "states with symmetry against states without",
            ["states without symmetry", "states"],
            ["", ""],
            &by_states,
            true,
        );
        let hint = "Each point is a model and a detector; below the broken line a detector stores fewer states. Both axes logarithmic.";
        plots.push(Plot::new("States", hint, svg));
        let by_time = scatter(tables, summary, &Row::total_seconds, &seconds_text);
        let svg = draw(
            "time with symmetry against time without",
            ["time without symmetry", "time"],
            [" s", " s"],
            &by_time,
            true,
        );
        let hint = "The time of a detector is that of the detection and of the search; below the broken line it pays. Both axes logarithmic.";
        plots.push(Plot::new("Time", hint, svg));
    }
    let cactus = cactus(summary);
    if cactus.iter().any(|series| series.points.len() > 1) {
        let svg = draw("models finished within a time", ["models finished", "time"], ["", " s"], &cactus, false);
        let hint = "How many models each finishes if each of them may take the time on the vertical axis: further right and lower is better.";
        plots.push(Plot::new("Models finished within a time", hint, svg));
    }
    let runs: Vec<Measured> = tables
        .iter()
        .filter(|table| !table.subject.constants.is_empty())
        .map(|table| measured(table, summary))
        .collect();
    plots.extend(growth::plots(&runs));
    plots
}

/// The order, the states and the time of each detector, for the growth with a constant; only finished searches have states and times.
fn measured(table: &Table, summary: &Summary) -> Measured {
    let mut values = Vec::new();
    for name in summary.detectors.iter().map(|one| one.name) {
        let mut add = |measure, magnitude| values.push(Value { measure, line: name.to_owned(), magnitude });
        let detector = table.detectors.iter().find(|one| one.name == name);
        let order = detector.and_then(|one| Magnitude::of_digits(&one.found.order.to_string()));
        if let Some(order) = order {
            add(Measure::Orders, order);
        }
        if let Some(row) = finished(table, name) {
            #[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
            let states = row.states as f64;
            add(Measure::States, Magnitude::of(states));
            add(Measure::Seconds, Magnitude::of(row.total_seconds()));
        }
    }
    Measured { path: table.subject.path.clone(), constants: table.subject.constants.iter().cloned().collect(), values }
}

/// Each detector against the search without symmetry.
fn scatter(
    tables: &[Table],
    summary: &Summary,
    value: &dyn Fn(&Row) -> f64,
    text: &dyn Fn(&Row) -> String,
) -> Vec<Series> {
    let names = summary.detectors.iter().map(|one| one.name).filter(|name| *name != NONE);
    let of = |name: &'static str| {
        let point = |table: &Table| {
            let (whole, own) = (finished(table, NONE)?, finished(table, name)?);
            let label = format!("{}: {name} {}, without {}", table.subject.name(), text(own), text(whole));
            Some((value(whole), value(own), label))
        };
        Series { name, points: tables.iter().filter_map(point).collect() }
    };
    names.map(of).collect()
}

/// The times of the finished models, ascending, against their number.
fn cactus(summary: &Summary) -> Vec<Series> {
    #[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
    let point = |(at, &seconds): (usize, &f64)| {
        ((at + 1) as f64, seconds, format!("{} within {}", count(at as u64 + 1), time(seconds)))
    };
    let of = |one: &super::summary::Reached| {
        debug_assert!(one.seconds.is_sorted(), "the times of finished models are ascending");
        Series { name: one.name, points: one.seconds.iter().enumerate().map(point).collect() }
    };
    summary.detectors.iter().map(of).collect()
}

/// Points in the colours of their series, with a key; points are joined unless they are compared with the diagonal.
fn draw(title: &str, names: [&str; 2], units: [&str; 2], list: &[Series], is_compared: bool) -> String {
    let points = list.iter().flat_map(|series| series.points.iter().map(|point| (point.0, point.1)));
    // Where both axes show the same, they have the same scale.
    let mirrored = points.clone().filter(|_| is_compared).map(|(x, y)| (y, x));
    let frame = Frame::new(points.chain(mirrored));
    let mut out = frame.open(title, (names[0], units[0]), (names[1], units[1]));
    if is_compared {
        let [low, high] = frame.across.ends();
        let (x, y) = ([low, high].map(|at| frame.across.place(at)), [low, high].map(|at| frame.down.place(at)));
        let _ = writeln!(
            out,
            "<line class=\"even\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            x[0], y[0], x[1], y[1]
        );
    }
    for (number, series) in list.iter().enumerate() {
        let colour = number % 8;
        let place = |point: &(f64, f64, String)| (frame.across.place(point.0), frame.down.place(point.1));
        if !is_compared {
            let line: Vec<String> = series.points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(out, "<polyline class=\"series c{colour}\" points=\"{}\"/>", line.join(" "));
        }
        for point in &series.points {
            let (x, y) = place(point);
            let _ = writeln!(
                out,
                "<circle class=\"dotted c{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
                xml(&point.2)
            );
        }
        let y = 24 + 16 * number;
        let _ = writeln!(
            out,
            "<circle class=\"dotted c{colour}\" cx=\"98\" cy=\"{}\" r=\"4\"/><text x=\"108\" y=\"{y}\">{}</text>",
            y - 4,
            xml(series.name)
        );
    }
    out.push_str("</svg>\n");
    out
}
