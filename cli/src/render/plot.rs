//! Plots for pages: bars, and points on logarithmic axes.
//!
//! Invariant: every text is escaped; positions are rounded, so that the same rows give the same drawing.

use std::fmt::Write;

use serde::Serialize;

use super::export::xml;

/// A drawing with its caption and its explanation.
#[derive(Serialize)]
pub(crate) struct Plot {
    /// The caption.
    pub(crate) caption: String,
    /// What it shows.
    pub(crate) hint: String,
    /// The drawing.
    pub(crate) svg: String,
}

impl Plot {
    /// A drawing.
    pub(crate) fn new(caption: impl Into<String>, hint: impl Into<String>, svg: String) -> Plot {
        Plot { caption: caption.into(), hint: hint.into(), svg }
    }
}

/// Bars with their labels, from top to bottom.
#[expect(clippy::cast_precision_loss)]
pub(crate) fn bars(title: &str, bars: &[(String, usize)]) -> String {
    let most = bars.iter().map(|(_, number)| *number).max().unwrap_or(0).max(1);
    let height = bars.len() * 24 + 14;
    let mut out = open(title, 520, height);
    for (index, (label, number)) in bars.iter().enumerate() {
        let y = index * 24 + 8;
        let width = *number as f64 / most as f64 * 300.0;
        let _ = writeln!(
            out,
            "<text x=\"170\" y=\"{0}\" text-anchor=\"end\">{1}</text><rect class=\"bar\" x=\"178\" y=\"{y}\" width=\"{width:.1}\" height=\"16\" rx=\"2\"/><text x=\"{2:.1}\" y=\"{0}\">{number}</text>",
            y + 12,
            xml(label),
            184.0 + width
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A point of a plot.
pub(crate) struct Point {
    /// Along the horizontal axis.
    pub(crate) x: f64,
    /// Along the vertical axis.
    pub(crate) y: f64,
    /// Its label.
    pub(crate) label: String,
    /// The part of the page to which it leads.
    pub(crate) id: String,
}

/// The area of a plot of points, in pixels.
const AREA: [f64; 4] = [84.0, 12.0, 500.0, 270.0];

/// Points on logarithmic axes; points that are not positive lie at the edge.
pub(crate) fn points(title: &str, x: (&str, &str), y: (&str, &str), points: &[Point]) -> String {
    let frame = Frame::new(points.iter().map(|point| (point.x, point.y)));
    let mut out = frame.open(title, x, y);
    for point in points {
        let _ = writeln!(
            out,
            "<a href=\"#{}\"><circle class=\"point\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"><title>{}</title></circle></a>",
            xml(&point.id),
            frame.across.place(point.x),
            frame.down.place(point.y),
            xml(&point.label)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The axes of a plot of points, both logarithmic.
pub(crate) struct Frame {
    /// From left to right.
    pub(crate) across: Axis,
    /// From the bottom to the top.
    pub(crate) down: Axis,
}

impl Frame {
    /// Axes on which these points lie.
    pub(crate) fn new(points: impl Iterator<Item = (f64, f64)> + Clone) -> Frame {
        let [left, top, right, bottom] = AREA;
        let across = Axis::new(points.clone().map(|point| point.0), left, right);
        Frame { across, down: Axis::new(points.map(|point| point.1), bottom, top) }
    }

    /// The beginning of the drawing: grid, powers of ten, and the names of the axes with their units.
    pub(crate) fn open(&self, title: &str, x: (&str, &str), y: (&str, &str)) -> String {
        let [left, top, right, bottom] = AREA;
        let mut out = open(title, 536, 320);
        for power in self.across.powers() {
            let at = self.across.place(10f64.powi(power));
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\"/><text class=\"soft\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                decimal(power, x.1)
            );
        }
        for power in self.down.powers() {
            let at = self.down.place(10f64.powi(power));
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                at + 4.0,
                decimal(power, y.1)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text x=\"14\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {3:.1})\">{}</text>",
            (left + right) / 2.0,
            bottom + 38.0,
            xml(x.0),
            (top + bottom) / 2.0,
            xml(y.0)
        );
        out
    }
}

fn open(title: &str, width: usize, height: usize) -> String {
    format!("<svg class=\"plot\" role=\"img\" viewBox=\"0 0 {width} {height}\"><title>{}</title>\n", xml(title))
}

/// A power of ten with its unit.
fn decimal(power: i32, unit: &str) -> String {
    let number = match power {
        0..=3 => format!("{}", 10i64.pow(power.unsigned_abs())),
        -3..=-1 => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
        _ => format!("1e{power}"),
    };
    format!("{number}{}", xml(unit))
}

/// A logarithmic axis from one power of ten to another.
pub(crate) struct Axis {
    low: i32,
    high: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let powers: Vec<f64> = values.filter(|value| *value > 0.0).map(f64::log10).collect();
        let low = powers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = powers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if powers.is_empty() {
            return Axis { low: 0, high: 1, from, to };
        }
        #[expect(clippy::cast_possible_truncation)] // powers of finite numbers are within -330..310
        let (low, high) = (low.floor() as i32, high.ceil() as i32);
        Axis { low, high: high.max(low + 1), from, to }
    }

    /// The place of a value, in pixels.
    pub(crate) fn place(&self, value: f64) -> f64 {
        debug_assert!(self.low < self.high, "an axis has a length");
        let power = if value > 0.0 { value.log10() } else { f64::from(self.low) };
        let share = (power - f64::from(self.low)) / f64::from(self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The least and the greatest value.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.low, self.high].map(|power| 10f64.powi(power))
    }

    /// At most about eight powers.
    fn powers(&self) -> impl Iterator<Item = i32> + use<> {
        let every = ((self.high - self.low) / 8 + 1).unsigned_abs() as usize;
        (self.low..=self.high).step_by(every)
    }
}

#[cfg(test)]
mod tests {
    use super::{Point, bars, points};

    #[test]
    fn points_stand_on_logarithmic_axes() {
        let point = |x, y| Point { x, y, label: "a<b".to_owned(), id: "r1".to_owned() };
        let text =
            points("t", ("time", " s"), ("factor", ""), &[point(0.01, 1.0), point(1.0, 100.0), point(0.0, 10.0)]);
        assert!(text.contains("cx=\"84.0\" cy=\"270.0\"") && text.contains("cx=\"500.0\" cy=\"12.0\""), "{text}");
        assert!(
            text.contains("<a href=\"#r1\"><circle") && text.contains("a&lt;b") && text.contains(">0.01 s<"),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_a_plot_too() {
        assert!(points("t", ("x", ""), ("y", ""), &[]).ends_with("</svg>\n"));
        assert!(bars("t", &[("a".to_owned(), 0)]).contains("width=\"0.0\""));
    }
}
