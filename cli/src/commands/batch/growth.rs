//! Growth plots: how the results of a model grow with one of its constants.
//!
//! For each model, and each choice of its other constants, there are two plots over the constant that has the most values: numbers
//! (the order of the group, states with and without reduction), and times. An axis is logarithmic where its values are positive and the
//! greatest is at least ten times the least, and linear otherwise; both axes say what they show. Orders of groups have any number of
//! digits, so the numbers of a logarithmic axis are kept by their logarithms.
//!
//! Invariant: only finished runs are points. Every text is escaped; positions are rounded, so that the same rows give the same drawing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::row::{Row, Status};
use crate::paint::{clean, count};
use crate::render::export::xml;

/// The most drawings of a page.
const MOST: usize = 40;

/// The area of the points, in pixels.
const AREA: [f64; 4] = [84.0, 12.0, 500.0, 250.0];

/// A drawing with its title and its explanation.
pub(super) struct Growth {
    /// The model and its other constants.
    pub(super) title: String,
    /// What it shows.
    pub(super) hint: String,
    /// The drawing.
    pub(super) svg: String,
}

/// A number that is not negative, and its logarithm to the base ten if it is not zero.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Magnitude {
    power: Option<f64>,
    value: f64,
}

impl Magnitude {
    fn of(value: f64) -> Magnitude {
        Magnitude { power: (value > 0.0).then(|| value.log10()), value }
    }

    /// Of decimal digits.
    fn of_digits(digits: &str) -> Option<Magnitude> {
        let lead = digits.get(..digits.len().min(15))?.parse::<f64>().ok()?;
        #[expect(clippy::cast_precision_loss, reason = "a position in a drawing")]
        let further = digits.len().saturating_sub(15) as f64;
        let power = (lead > 0.0).then(|| lead.log10() + further);
        // Infinite where no number of the machine is as large: then the axis is logarithmic, or has one value.
        Some(Magnitude { power, value: lead * 10f64.powf(further) })
    }
}

/// One line of a plot.
struct Series {
    name: &'static str,
    points: Vec<(i64, Magnitude)>,
}

/// The growth plots of all models with several values of a constant.
pub(super) fn plots(rows: &[Row]) -> Vec<Growth> {
    let mut groups: BTreeMap<(String, String, String), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let Some(name) = varied(rows, row) else { continue };
        let others = row.constants.iter().filter(|(other, _)| **other != name);
        let others: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        groups.entry((row.path.clone(), name, others.join(" "))).or_default().push(row);
    }
    let mut drawn = Vec::new();
    for ((path, name, others), rows) in groups {
        let title = clean(&if others.is_empty() { path } else { format!("{path}, {others}") });
        let numbers = numbers(&rows, &name);
        let times = times(&rows, &name);
        for (label, hint, series) in [("number", "Symmetries and states", numbers), ("seconds", "Time", times)] {
            if series.iter().any(|series| series.points.len() > 1) && drawn.len() < MOST {
                let (svg, axes) = drawing(&title, &name, label, &series);
                drawn.push(Growth {
                    title: title.clone(),
                    hint: format!("{hint} over {}; {axes}.", clean(&name)),
                    svg,
                });
            }
        }
    }
    drawn
}

/// The constant that has the most values among the rows of a model, if it has several; the first by name of these.
fn varied(rows: &[Row], row: &Row) -> Option<String> {
    let of_model = || rows.iter().filter(|other| other.path == row.path);
    let values =
        |name: &String| of_model().filter_map(|other| other.constants.get(name)).collect::<BTreeSet<_>>().len();
    let counted = row.constants.keys().map(|name| (values(name), std::cmp::Reverse(name)));
    counted.max().filter(|(values, _)| *values > 1).map(|(_, name)| name.0.clone())
}

/// Lines of values of rows that have them.
fn series(rows: &[&Row], name: &str, lines: &[(&'static str, &dyn Fn(&Row) -> Option<Magnitude>)]) -> Vec<Series> {
    let line = |&(label, value): &(&'static str, &dyn Fn(&Row) -> Option<Magnitude>)| {
        let points = rows.iter().filter_map(|row| Some((*row.constants.get(name)?, value(row)?)));
        let mut points: Vec<(i64, Magnitude)> = points.collect();
        points.sort_by_key(|(at, _)| *at);
        Series { name: label, points }
    };
    lines.iter().map(line).filter(|series| !series.points.is_empty()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "positions in a drawing")]
fn numbers(rows: &[&Row], name: &str) -> Vec<Series> {
    let order = |row: &Row| {
        let is_whole = row.detect.as_ref().is_none_or(|detect| detect.limit.is_none());
        row.order().filter(|_| is_whole).and_then(Magnitude::of_digits)
    };
    // A violation ends a search early: its states say nothing about growth.
    let stored = |row: &Row| {
        let check = row.check.as_ref().filter(|check| check.complete).map(|check| check.states);
        check.or_else(|| row.reduction().map(|(_, least)| least)).map(|states| Magnitude::of(states as f64))
    };
    let full = |row: &Row| {
        let compared = row.compare.as_ref().and_then(|compare| compare.states);
        let counted = row.check.as_ref().filter(|check| check.complete).and_then(|check| check.full_states.clone());
        compared.map(|states| Magnitude::of(states as f64)).or_else(|| Magnitude::of_digits(&counted?))
    };
    series(
        rows,
        name,
        &[("group order", &order), ("states without reduction", &full), ("states with reduction", &stored)],
    )
}

fn times(rows: &[&Row], name: &str) -> Vec<Series> {
    let is_done = |row: &Row| row.status == Status::Done;
    let wall = |row: &Row| is_done(row).then(|| Magnitude::of(row.seconds));
    let cpu = |row: &Row| row.cpu_seconds.filter(|_| is_done(row)).map(Magnitude::of);
    series(rows, name, &[("time", &wall), ("processor time", &cpu)])
}

/// An axis from its least to its greatest value.
struct Axis {
    is_logarithmic: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: &[Magnitude], from: f64, to: f64) -> Axis {
        let powers: Vec<f64> = values.iter().filter_map(|value| value.power).collect();
        let bounds = |values: &[f64]| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let (least, greatest) = bounds(&powers);
        let is_logarithmic = powers.len() == values.len() && greatest - least >= 1.0;
        if is_logarithmic {
            return Axis { is_logarithmic, low: least.floor(), high: greatest.ceil(), from, to };
        }
        let (low, high) = bounds(&values.iter().map(|value| value.value).collect::<Vec<f64>>());
        if !low.is_finite() || !high.is_finite() {
            return Axis { is_logarithmic, low: 0.0, high: 1.0, from, to };
        }
        // Equal values stand above zero, or below it.
        let (low, high) = if high > low { (low, high) } else { (low.min(0.0), high.max(0.0)) };
        let step = step(high - low);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Axis { is_logarithmic, low, high: if high > low { high } else { low + step }, from, to }
    }

    fn place(&self, value: Magnitude) -> f64 {
        let along = if self.is_logarithmic { value.power.unwrap_or(self.low) } else { value.value };
        self.from + ((along - self.low) / (self.high - self.low)).clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The marks with their labels, at most about ten.
    fn marks(&self) -> Vec<(f64, String)> {
        let step = if self.is_logarithmic {
            ((self.high - self.low) / 8.0).ceil().max(1.0)
        } else {
            step(self.high - self.low)
        };
        let mut marks = Vec::new();
        let mut at = self.low;
        while at <= self.high + step / 1000.0 && marks.len() < 20 {
            let label = if self.is_logarithmic { power(at) } else { number(at, step) };
            let share = (at - self.low) / (self.high - self.low);
            marks.push((self.from + share * (self.to - self.from), label));
            at += step;
        }
        marks
    }

    fn kind(&self) -> &'static str {
        if self.is_logarithmic { "logarithmic" } else { "linear" }
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides a length into at most about eight.
fn step(length: f64) -> f64 {
    let least = (length / 8.0).max(1e-9);
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999).unwrap_or(power)
}

/// A power of ten as a label.
#[expect(clippy::cast_possible_truncation, reason = "powers of numbers in files")]
fn power(at: f64) -> String {
    match at.round() as i32 {
        power @ 0..=6 => count(10u64.pow(power.unsigned_abs())),
        power @ -3..=-1 => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
        power => format!("1e{power}"),
    }
}

/// A number as a label, with the decimals of its step.
fn number(at: f64, step: f64) -> String {
    let decimals = if step < 1.0 { (-step.log10()).ceil().clamp(0.0, 9.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
    let decimals = decimals as usize;
    let text = format!("{at:.decimals$}");
    if text.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text }
}

/// The drawing of some lines, and what its axes are.
fn drawing(title: &str, across: &str, down: &str, lines: &[Series]) -> (String, String) {
    let [left, top, right, bottom] = AREA;
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut order: Vec<i64> = points().map(|(at, _)| *at).collect();
    order.sort_unstable();
    order.dedup();
    // Negative values have no logarithm: then distances from the least are shown.
    let shift = order.first().map_or(0, |least| *least.min(&0));
    #[expect(clippy::cast_precision_loss, reason = "positions in a drawing")]
    let place_of = |value: i64| Magnitude::of(value.saturating_sub(shift) as f64);
    let horizontal = Axis::new(&order.iter().map(|value| place_of(*value)).collect::<Vec<_>>(), left, right);
    let vertical = Axis::new(&points().map(|(_, value)| *value).collect::<Vec<_>>(), bottom, top);
    let height = 310 + 18 * lines.len();
    let mut out =
        format!("<svg class=\"plot\" role=\"img\" viewBox=\"0 0 520 {height}\"><title>{}</title>\n", xml(title));
    let every = order.len() / 12 + 1;
    for value in order.iter().step_by(every) {
        let x = horizontal.place(place_of(*value));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/><text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            bottom + 16.0
        );
    }
    for (y, label) in vertical.marks() {
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y + 4.0,
            xml(&label)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} ({})</text><text x=\"14\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {4:.1})\">{} ({})</text>",
        (left + right) / 2.0,
        bottom + 38.0,
        xml(across),
        horizontal.kind(),
        (top + bottom) / 2.0,
        xml(down),
        vertical.kind()
    );
    for (number, line) in (0u8..).zip(lines) {
        let places: Vec<(f64, f64)> =
            line.points.iter().map(|(at, value)| (horizontal.place(place_of(*at)), vertical.place(*value))).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dashes = ["", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""][usize::from(number) % 3];
        let _ = writeln!(out, "<polyline class=\"growth\" fill=\"none\" points=\"{}\"{dashes}/>", path.join(" "));
        for ((x, y), (at, value)) in places.iter().zip(&line.points) {
            let label = format!("{across}={at}: {} {}", line.name, approximate(*value));
            let _ = writeln!(
                out,
                "<circle class=\"point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
                xml(&label)
            );
        }
        let y = bottom + 58.0 + 18.0 * f64::from(number);
        let _ = writeln!(
            out,
            "<line class=\"growth\" x1=\"{left}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"{dashes}/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            y - 4.0,
            left + 34.0,
            y - 4.0,
            left + 42.0,
            line.name
        );
    }
    out.push_str("</svg>\n");
    (out, format!("{} {}, {} {}", xml(across), horizontal.kind(), down, vertical.kind()))
}

/// A value for people.
fn approximate(value: Magnitude) -> String {
    match value.power {
        None => "0".to_owned(),
        Some(power) if power >= 15.0 => format!("about 1e{:.0}", power.floor()),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1e15")]
        Some(power) if power >= 2.0 => count(value.value.round() as u64),
        Some(_) => format!("{:.3}", value.value).trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::{Row, check_row};
    use super::{Axis, Magnitude, plots, step};
    use serde_json::json;

    fn row(path: &str, constants: &[(&str, i64)], states: u64, order: &str) -> Row {
        let report = json!({ "verdict": "holds", "states": states, "complete": true, "group": { "order": order } });
        Row {
            check: Some(check_row(&report)),
            constants: constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            seconds: 0.5,
            ..Row::new(path.to_owned(), String::new())
        }
    }

    #[test]
    fn axes_are_logarithmic_where_values_span_decades() {
        let of =
            |values: &[f64]| Axis::new(&values.iter().map(|value| Magnitude::of(*value)).collect::<Vec<_>>(), 0.0, 1.0);
        assert!(of(&[2.0, 20.0]).is_logarithmic && of(&[0.001, 5.0]).is_logarithmic);
        assert!(!of(&[2.0, 8.0]).is_logarithmic && !of(&[0.0, 1000.0]).is_logarithmic && !of(&[3.0]).is_logarithmic);
        assert_eq!(of(&[2.0, 20.0]).marks().len(), 3);
        assert!(of(&[]).marks().len() > 1 && of(&[7.0, 7.0]).marks().len() > 1);
        assert!((step(8.0) - 1.0).abs() < 1e-9 && (step(90.0) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn models_with_several_values_have_plots() {
        let rows = [
            row("a", &[("N", 2)], 10, "2"),
            row("a", &[("N", 3)], 1000, "6"),
            row("a", &[("N", 4)], 100_000, &"9".repeat(40)),
            row("b", &[], 5, "1"),
        ];
        let plots = plots(&rows);
        assert_eq!(plots.len(), 2);
        let svg = &plots[0].svg;
        assert!(svg.contains("number (logarithmic)") && svg.contains("N (linear)"), "{svg}");
        assert!(svg.contains("group order") && svg.contains("states with reduction"), "{svg}");
        assert!(!svg.contains("states without reduction"), "nothing is known of it");
        assert!(plots[1].svg.contains("seconds (linear)"), "{}", plots[1].svg);
    }

    #[test]
    fn further_constants_have_plots_of_their_own() {
        let rows: Vec<Row> = [(1, 2), (1, 3), (2, 2), (2, 3)]
            .map(|(m, n)| row("<a>", &[("M", m), ("N", n)], 10, "2"))
            .into_iter()
            .collect();
        let plots = plots(&rows);
        let titles: Vec<&str> = plots.iter().map(|plot| plot.title.as_str()).collect();
        assert_eq!(titles, ["<a>, N=2", "<a>, N=2", "<a>, N=3", "<a>, N=3"]);
        assert!(plots.iter().all(|plot| !plot.svg.contains("<a>")), "names are escaped");
    }

    #[test]
    fn negative_values_have_a_place() {
        let rows = [row("a", &[("N", -5)], 10, "2"), row("a", &[("N", 5)], 20, "2")];
        assert_eq!(plots(&rows).len(), 2);
    }
}
