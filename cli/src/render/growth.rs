//! Growth plots: how the results of a model grow with one of its constants.
//!
//! For each model, and each choice of its other constants, there is a plot of each measure over the constant that has the most values. An
//! axis is logarithmic where its values are positive and the greatest is at least ten times the least, and linear otherwise; both axes say
//! what they show. Orders of groups have any number of digits, so the numbers of a logarithmic axis are kept by their logarithms.
//!
//! Invariant: every text is escaped; positions are rounded, so that the same runs give the same drawing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::export::xml;
use super::plot::Plot;
use crate::paint::{clean, count};

/// The most drawings of a page.
const MOST: usize = 40;

/// The area of the points, in pixels.
const AREA: [f64; 4] = [84.0, 12.0, 500.0, 250.0];

/// The colours of lines in the style sheet.
const COLOURS: usize = 8;

/// A run with one value for each constant, and what it measured.
pub(crate) struct Measured {
    /// The model.
    pub(crate) path: String,
    /// The values of its constants.
    pub(crate) constants: BTreeMap<String, i64>,
    /// Its points.
    pub(crate) values: Vec<Value>,
}

/// A point of a line.
pub(crate) struct Value {
    /// The plot that it belongs to.
    pub(crate) measure: Measure,
    /// The name of its line.
    pub(crate) line: String,
    /// The value.
    pub(crate) magnitude: Magnitude,
}

/// What a plot shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// Orders of groups and states.
    Numbers,
    /// Orders of groups.
    Orders,
    /// States.
    States,
    /// Times.
    Seconds,
}

impl Measure {
    const ALL: [Measure; 4] = [Measure::Numbers, Measure::Orders, Measure::States, Measure::Seconds];

    /// The name of the vertical axis.
    fn axis(self) -> &'static str {
        match self {
            Measure::Numbers => "number",
            Measure::Orders => "group order",
            Measure::States => "states",
            Measure::Seconds => "seconds",
        }
    }

    /// What the plot shows.
    fn hint(self) -> &'static str {
        match self {
            Measure::Numbers => "Symmetries and states",
            Measure::Orders => "Symmetries",
            Measure::States => "States",
            Measure::Seconds => "Time",
        }
    }
}

/// A number that is not negative, and its logarithm to the base ten if it is not zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Magnitude {
    power: Option<f64>,
    value: f64,
}

impl Magnitude {
    /// Of a number.
    pub(crate) fn of(value: f64) -> Magnitude {
        Magnitude { power: (value > 0.0).then(|| value.log10()), value }
    }

    /// Of decimal digits.
    pub(crate) fn of_digits(digits: &str) -> Option<Magnitude> {
        let lead = digits.get(..digits.len().min(15))?.parse::<f64>().ok()?;
        #[expect(clippy::cast_precision_loss, reason = "a position in a drawing")]
        let further = digits.len().saturating_sub(15) as f64;
        let power = (lead > 0.0).then(|| lead.log10() + further);
        // Infinite where no number of the machine is as large: then the axis is logarithmic, or has one value.
        Some(Magnitude { power, value: lead * 10f64.powf(further) })
    }
}

/// One line of a plot.
struct Series<'r> {
    name: &'r str,
    points: Vec<Point>,
}

/// A point: the value of the constant, the measured one, and the name of the run.
struct Point {
    at: i64,
    value: Magnitude,
    of: String,
}

/// The growth plots of all models with several values of a constant.
pub(crate) fn plots(runs: &[Measured]) -> Vec<Plot> {
    let mut models: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for run in runs {
        models.entry(&run.path).or_default().push(run);
    }
    let mut drawn = Vec::new();
    for (path, runs) in models {
        let Some(name) = varied(&runs) else { continue };
        let mut groups: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
        for &run in runs.iter().filter(|run| run.constants.contains_key(name)) {
            groups.entry(written(run, Some(name))).or_default().push(run);
        }
        for (others, runs) in groups {
            let title = clean(&if others.is_empty() { path.to_owned() } else { format!("{path}, {others}") });
            for measure in Measure::ALL {
                let lines = series(&runs, name, measure);
                if drawn.len() < MOST && lines.iter().any(|line| line.points.len() > 1) {
                    let (svg, axes) = drawing(&title, name, measure, &lines);
                    let hint = format!("{} over {}; {axes}.", measure.hint(), clean(name));
                    drawn.push(Plot::new(title.as_str(), hint, svg));
                }
            }
        }
    }
    drawn
}

/// The constant that has the most values among the runs of a model, if it has several; the first by name of these.
fn varied<'r>(runs: &[&'r Measured]) -> Option<&'r str> {
    let mut values: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for (name, value) in runs.iter().flat_map(|run| &run.constants) {
        values.entry(name).or_default().insert(*value);
    }
    let counted = values.into_iter().map(|(name, values)| (values.len(), std::cmp::Reverse(name)));
    counted.max().filter(|(values, _)| *values > 1).map(|(_, name)| name.0)
}

/// The constants of a run but one: `M=2 N=4`.
fn written(run: &Measured, without: Option<&str>) -> String {
    let others = run.constants.iter().filter(|(name, _)| Some(name.as_str()) != without);
    others.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The lines of one measure, in the order in which the runs name them.
fn series<'r>(runs: &[&'r Measured], name: &str, measure: Measure) -> Vec<Series<'r>> {
    let mut lines: Vec<Series<'r>> = Vec::new();
    for run in runs {
        for value in run.values.iter().filter(|value| value.measure == measure) {
            let Some(&at) = run.constants.get(name) else { continue };
            let of = clean(&format!("{} {}", run.path, written(run, None)));
            let point = Point { at, value: value.magnitude, of };
            match lines.iter_mut().find(|line| line.name == value.line) {
                Some(line) => line.points.push(point),
                None => lines.push(Series { name: &value.line, points: vec![point] }),
            }
        }
    }
    for line in &mut lines {
        line.points.sort_by_key(|point| point.at);
    }
    lines
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
fn drawing(title: &str, across: &str, measure: Measure, lines: &[Series<'_>]) -> (String, String) {
    let (down, [left, top, right, bottom]) = (measure.axis(), AREA);
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut order: Vec<i64> = points().map(|point| point.at).collect();
    order.sort_unstable();
    order.dedup();
    assert!(!order.is_empty(), "a drawing has points");
    // Negative values have no logarithm: then distances from the least are shown.
    let shift = order.first().map_or(0, |least| *least.min(&0));
    #[expect(clippy::cast_precision_loss, reason = "positions in a drawing")]
    let place_of = |value: i64| Magnitude::of(value.saturating_sub(shift) as f64);
    let horizontal = Axis::new(&order.iter().map(|value| place_of(*value)).collect::<Vec<_>>(), left, right);
    let vertical = Axis::new(&points().map(|point| point.value).collect::<Vec<_>>(), bottom, top);
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
        f64::midpoint(left, right),
        bottom + 38.0,
        xml(across),
        horizontal.kind(),
        f64::midpoint(top, bottom),
        xml(down),
        vertical.kind()
    );
    for (number, line) in lines.iter().enumerate() {
        let places =
            line.points.iter().map(|point| (horizontal.place(place_of(point.at)), vertical.place(point.value)));
        let places: Vec<(f64, f64)> = places.collect();
        draw_line(&mut out, number, line, &places);
    }
    out.push_str("</svg>\n");
    (out, format!("{} {}, {} {}", xml(across), horizontal.kind(), down, vertical.kind()))
}

/// A line with its points, and its name below the drawing.
fn draw_line(out: &mut String, number: usize, line: &Series<'_>, places: &[(f64, f64)]) {
    debug_assert!(line.points.is_sorted_by_key(|point| point.at), "a line goes from left to right");
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dashes = ["", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""][number % 3];
    let colour = number % COLOURS;
    let _ = writeln!(out, "<polyline class=\"series c{colour}\" points=\"{}\"{dashes}/>", path.join(" "));
    for ((x, y), point) in places.iter().zip(&line.points) {
        let label = format!("{}: {} {}", point.of, line.name, approximate(point.value));
        let _ = writeln!(
            out,
            "<circle class=\"point dotted c{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
            xml(&label)
        );
    }
    let [left, _, _, bottom] = AREA;
    #[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
    let y = bottom + 58.0 + 18.0 * number as f64;
    let _ = writeln!(
        out,
        "<line class=\"series c{colour}\" x1=\"{left}\" y1=\"{0:.1}\" x2=\"{1:.1}\" y2=\"{0:.1}\"{dashes}/><text x=\"{2:.1}\" y=\"{y:.1}\">{3}</text>",
        y - 4.0,
        left + 34.0,
        left + 42.0,
        xml(line.name)
    );
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
    use super::{Axis, Magnitude, Measure, Measured, Value, plots, step};

    fn run(path: &str, constants: &[(&str, i64)], numbers: &[(&str, &str)]) -> Measured {
        let value = |measure, line: &str, digits: &str| {
            let magnitude = Magnitude::of_digits(digits).expect("digits");
            Value { measure, line: line.to_owned(), magnitude }
        };
        let mut values: Vec<Value> =
            numbers.iter().map(|(line, digits)| value(Measure::Numbers, line, digits)).collect();
        values.push(value(Measure::Seconds, "time", "1"));
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Measured { path: path.to_owned(), constants, values }
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
        let long = "9".repeat(40);
        let runs = [
            run("a", &[("N", 2)], &[("group order", "2"), ("states", "10")]),
            run("a", &[("N", 3)], &[("group order", "6"), ("states", "1000")]),
            run("a", &[("N", 4)], &[("group order", &long), ("states", "100000")]),
            run("b", &[], &[("group order", "1")]),
        ];
        let plots = plots(&runs);
        assert_eq!(plots.len(), 2);
        let svg = &plots[0].svg;
        assert!(svg.contains("number (logarithmic)") && svg.contains("N (linear)"), "{svg}");
        assert!(svg.contains("<title>a N=3: group order 6</title>") && svg.contains(">states</text>"), "{svg}");
        assert!(plots[1].svg.contains("seconds (linear)"), "{}", plots[1].svg);
    }

    #[test]
    fn further_constants_have_plots_of_their_own() {
        let runs = [(1, 2), (1, 3), (2, 2), (2, 3)].map(|(m, n)| run("<a>", &[("M", m), ("N", n)], &[("order", "2")]));
        let plots = plots(&runs);
        let titles: Vec<&str> = plots.iter().map(|plot| plot.caption.as_str()).collect();
        assert_eq!(titles, ["<a>, N=2", "<a>, N=2", "<a>, N=3", "<a>, N=3"]);
        assert!(plots.iter().all(|plot| !plot.svg.contains("<a>")), "names are escaped");
    }

    #[test]
    fn negative_values_have_a_place() {
        let runs = [-5, 5].map(|value| run("a", &[("N", value)], &[("order", "2")]));
        assert_eq!(plots(&runs).len(), 2);
    }
}
