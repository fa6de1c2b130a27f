//! The summary of a batch: the number of models by result, the findings of the detectors, and the gains of the
//! reductions.
//!
//! Orders of groups are compared as decimal texts and distributed by their number of digits: they can have hundreds.
//!
//! Invariant: every share names its whole; models without data about a question are not counted in it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Serialize;

use super::census::CensusSummary;
use super::row::{CompareRow, Row};
use super::sheet;
use crate::paint::{count, counted, time};

/// The detectors of the papers, and ours.
pub(super) const DETECTORS: [&str; 4] = ["known-rebec", "scalar-set", "channel-diagram", "constraint"];

/// A summary.
#[derive(Clone, Serialize, Default, Debug)]
pub(super) struct Summary {
    /// Models.
    pub(super) models: usize,
    /// Rows: one for each model, or for each of its values of constants.
    pub(super) rows: usize,
    /// The number of rows by result.
    pub(super) ends: BTreeMap<String, usize>,
    /// The number of rows by verdict.
    pub(super) verdicts: BTreeMap<String, usize>,
    /// The findings of each detector.
    pub(super) detectors: Vec<DetectorSummary>,
    /// The comparison of the constraint groups with the largest group of the papers' rules.
    pub(super) constraint: Option<ConstraintSummary>,
    /// Models by the number of digits of their group's order; 0 means the group of one element.
    pub(super) digits: BTreeMap<usize, usize>,
    /// Least, middle and greatest reduction factor.
    pub(super) factors: Option<[f64; 3]>,
    /// Models where finding the group took longer than it saved, of those with both times.
    pub(super) costly: Option<(usize, usize)>,
    /// What the symmetries of the models are like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) census: Option<CensusSummary>,
    /// Seconds of all models.
    pub(super) seconds: f64,
    /// Seconds of processors of all models.
    pub(super) cpu_seconds: Option<f64>,
}

/// The findings of one detector.
#[derive(Clone, Serialize, Debug)]
pub(super) struct DetectorSummary {
    /// Its name.
    pub(super) name: String,
    /// Models that it was run on.
    pub(super) models: usize,
    /// Models with a group of more than one element.
    pub(super) found: usize,
}

/// The comparison of constraint groups.
#[derive(Clone, Serialize, Debug)]
pub(super) struct ConstraintSummary {
    /// Models with both.
    pub(super) models: usize,
    /// Models where the constraint group is larger.
    pub(super) larger: usize,
    /// Models where it has the same order.
    pub(super) equal: usize,
    /// Models where it is smaller.
    pub(super) smaller: usize,
    /// The most digits by which the order is longer.
    pub(super) most_digits: usize,
    /// The model of that difference.
    pub(super) most_path: Option<String>,
}

/// Compares two decimal numbers without leading zeros.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl Summary {
    /// The summary of rows.
    pub(super) fn new(rows: &[Row]) -> Summary {
        let models: BTreeSet<&str> = rows.iter().map(|row| row.path.as_str()).collect();
        let mut summary = Summary { models: models.len(), rows: rows.len(), ..Summary::default() };
        for row in rows {
            *summary.ends.entry(row.status.name().to_owned()).or_default() += 1;
            if let Some(check) = &row.check {
                *summary.verdicts.entry(check.verdict.clone()).or_default() += 1;
            }
            if let Some(order) = row.order() {
                *summary.digits.entry(if order == "1" { 0 } else { order.len() }).or_default() += 1;
            }
            summary.seconds += row.seconds;
            if let Some(seconds) = row.cpu_seconds {
                summary.cpu_seconds = Some(summary.cpu_seconds.unwrap_or(0.0) + seconds);
            }
        }
        assert_eq!(summary.ends.values().sum::<usize>(), rows.len(), "every row ends in one way");
        let compared: Vec<(&str, &CompareRow)> =
            rows.iter().filter_map(|row| Some((row.path.as_str(), row.compare.as_ref()?))).collect();
        summary.detectors = detectors(rows, &compared);
        summary.constraint = constraint(&compared);
        summary.factors = factors(rows);
        summary.census = CensusSummary::of(rows);
        summary.costly = costly(&compared);
        summary
    }

    /// The summary in words.
    pub(super) fn text(&self) -> String {
        let list = |counts: &BTreeMap<String, usize>| {
            counts.iter().map(|(word, number)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
        };
        let models = counted(self.models as u64, "model");
        // With several values for constants rows are counted, not models.
        let (noun, what) = match self.rows == self.models {
            true => ("model", models),
            false => ("row", format!("{} of {models}", counted(self.rows as u64, "row"))),
        };
        let colon = if self.ends.is_empty() { "" } else { ": " };
        let mut out = format!("{what}{colon}{}\n", list(&self.ends));
        if !self.verdicts.is_empty() {
            let _ = writeln!(out, "verdicts: {}", list(&self.verdicts));
        }
        for detector in &self.detectors {
            let DetectorSummary { name, models, found } = detector;
            let _ = writeln!(out, "{name}: symmetry in {found} of {}", counted(*models as u64, noun));
        }
        if let Some(constraint) = &self.constraint {
            let ConstraintSummary { models, larger, equal, smaller, .. } = constraint;
            let _ = writeln!(
                out,
                "constraint groups against the largest of the papers' rules, {}: {larger} larger, {equal} equal, {smaller} smaller",
                counted(*models as u64, noun)
            );
            if let Some(path) = constraint.most_path.as_ref().filter(|_| constraint.most_digits > 0) {
                let digits = counted(constraint.most_digits as u64, "digit");
                let _ = writeln!(out, "  the widest gap: an order longer by {digits} in {path}");
            }
        }
        if let Some([least, middle, most]) = self.factors {
            let [least, middle, most] = [least, middle, most].map(sheet::factor);
            let _ = writeln!(out, "reduction factors: from {least} to {most}, half of them above {middle}");
        }
        if let Some((costly, of)) = self.costly {
            let _ = writeln!(out, "detection took longer than it saved in {costly} of {}", counted(of as u64, noun));
        }
        if let Some(census) = &self.census {
            census.describe(&mut out, noun);
        }
        let cpu = self.cpu_seconds.map(|seconds| format!(", of processors {}", time(seconds))).unwrap_or_default();
        let _ = writeln!(out, "time: {}{cpu}", time(self.seconds));
        out
    }

    /// The distribution of orders, as pairs of a label and a number.
    pub(super) fn orders(&self) -> Vec<(String, usize)> {
        let Some(&most) = self.digits.keys().last() else { return Vec::new() };
        let label = |digits: usize| match digits {
            0 => "1 (none)".to_owned(),
            1 => "2 to 9".to_owned(),
            2..=6 => {
                let least = (1..digits).fold(1u64, |power, _| power * 10);
                format!("{} to {}", count(least), count(least * 10 - 1))
            }
            _ => format!("{digits} digits"),
        };
        // Long tails are cut into at most some bars.
        let known = |digits: usize| self.digits.get(&digits).copied().unwrap_or(0);
        if most <= 14 {
            return (0..=most).map(|digits| (label(digits), known(digits))).collect();
        }
        let mut bars: Vec<(String, usize)> = (0..=12).map(|digits| (label(digits), known(digits))).collect();
        bars.push(("more".to_owned(), self.digits.range(13..).map(|(_, number)| number).sum()));
        let counted: usize = bars.iter().map(|(_, number)| number).sum();
        assert_eq!(counted, self.digits.values().sum::<usize>(), "every order is in one bar");
        bars
    }
}

fn detectors(rows: &[Row], compared: &[(&str, &CompareRow)]) -> Vec<DetectorSummary> {
    let found = |name: &str| {
        let orders: Vec<&str> = compared.iter().filter_map(|(_, compare)| compare.order_of(name)).collect();
        let found = orders.iter().filter(|order| **order != "1").count();
        DetectorSummary { name: name.to_owned(), models: orders.len(), found }
    };
    let mut listed: Vec<DetectorSummary> =
        DETECTORS.map(found).into_iter().filter(|listed| listed.models > 0).collect();
    if listed.is_empty() {
        let orders: Vec<&str> = rows.iter().filter_map(|row| row.detect.as_ref().map(|d| d.order.as_str())).collect();
        if !orders.is_empty() {
            let found = orders.iter().filter(|order| **order != "1").count();
            listed.push(DetectorSummary { name: "constraint".to_owned(), models: orders.len(), found });
        }
    }
    listed
}

fn constraint(compared: &[(&str, &CompareRow)]) -> Option<ConstraintSummary> {
    let mut summary = ConstraintSummary { models: 0, larger: 0, equal: 0, smaller: 0, most_digits: 0, most_path: None };
    for (path, compare_row) in compared {
        let rules = DETECTORS[..3].iter().filter_map(|name| compare_row.order_of(name));
        let (Some(ours), Some(theirs)) = (compare_row.order_of("constraint"), rules.max_by(|a, b| compare(a, b)))
        else {
            continue;
        };
        summary.models += 1;
        match compare(ours, theirs) {
            Ordering::Greater => summary.larger += 1,
            Ordering::Equal => summary.equal += 1,
            Ordering::Less => summary.smaller += 1,
        }
        let digits = ours.len().saturating_sub(theirs.len());
        if digits > summary.most_digits {
            (summary.most_digits, summary.most_path) = (digits, Some((*path).to_owned()));
        }
    }
    assert_eq!(summary.larger + summary.equal + summary.smaller, summary.models, "every pair is compared");
    (summary.models > 0).then_some(summary)
}

fn factors(rows: &[Row]) -> Option<[f64; 3]> {
    let mut factors: Vec<f64> = rows.iter().filter_map(Row::factor).collect();
    factors.sort_by(f64::total_cmp);
    Some([*factors.first()?, factors[factors.len() / 2], *factors.last()?])
}

/// Models where `constraint` found a group, and finding it took longer than exploring the quotient saved.
fn costly(compared: &[(&str, &CompareRow)]) -> Option<(usize, usize)> {
    let listed: Vec<bool> = compared
        .iter()
        .filter_map(|(_, compare)| {
            let ours = compare.detector("constraint").filter(|ours| ours.order.as_deref() != Some("1"))?;
            Some(ours.detect_seconds? + ours.check_seconds? > compare.seconds?)
        })
        .collect();
    (!listed.is_empty()).then(|| (listed.iter().filter(|costly| **costly).count(), listed.len()))
}

#[cfg(test)]
mod tests {
    use super::super::row::{CompareRow, DetectorRow, Row};
    use super::Summary;

    fn row(path: &str, orders: [&str; 2], states: [u64; 2], seconds: [f64; 3]) -> Row {
        let detector = |name: &str, order: &str, states| DetectorRow {
            name: name.to_owned(),
            order: Some(order.to_owned()),
            states,
            detect_seconds: Some(seconds[1]),
            check_seconds: Some(seconds[2]),
        };
        let detectors =
            vec![detector("known-rebec", orders[0], None), detector("constraint", orders[1], Some(states[1]))];
        let compare = CompareRow { states: Some(states[0]), seconds: Some(seconds[0]), detectors };
        Row { compare: Some(compare), ..Row::new(path.to_owned(), String::new()) }
    }

    #[test]
    fn detectors_and_factors_are_counted() {
        let rows = [
            row("a", ["1", "12"], [100, 10], [2.0, 0.5, 0.5]),
            row("b", ["6", "6"], [60, 30], [0.1, 0.5, 0.05]),
            row("c", ["1", "1"], [5, 5], [0.1, 0.1, 0.1]),
        ];
        let summary = Summary::new(&rows);
        assert_eq!(
            summary.detectors.iter().map(|listed| (listed.found, listed.models)).collect::<Vec<_>>(),
            [(1, 3), (2, 3)]
        );
        let constraint = summary.constraint.as_ref().expect("compared");
        assert_eq!((constraint.larger, constraint.equal, constraint.smaller), (1, 2, 0));
        assert_eq!(summary.factors, Some([1.0, 2.0, 10.0]));
        assert_eq!(summary.costly, Some((1, 2)));
        assert_eq!(summary.orders().iter().map(|(_, number)| *number).collect::<Vec<_>>(), [1, 1, 1]);
        let text = summary.text();
        assert!(text.contains("constraint: symmetry in 2 of 3 models"), "{text}");
        assert_eq!(Summary::new(&[]).text().lines().next(), Some("0 models"));
    }
}
