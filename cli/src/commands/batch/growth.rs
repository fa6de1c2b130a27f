//! The growth of the rows of a batch: the order of the group, the states with and without reduction, and the time, for each value of a
//! constant.
//!
//! Invariant: only finished runs are points.

use super::row::{Row, Status};
use crate::render::growth::{self, Magnitude, Measure, Measured, Value};
use crate::render::plot::Plot;

/// The growth plots of all models with several values of a constant.
pub(super) fn plots(rows: &[Row]) -> Vec<Plot> {
    let runs: Vec<Measured> = rows.iter().filter(|row| !row.constants.is_empty()).map(measured).collect();
    growth::plots(&runs)
}

fn measured(row: &Row) -> Measured {
    let is_done = row.status == Status::Done;
    let lines = [
        (Measure::Numbers, "group order", order(row)),
        (Measure::Numbers, "states without reduction", full(row)),
        (Measure::Numbers, "states with reduction", stored(row)),
        (Measure::Seconds, "time", is_done.then(|| Magnitude::of(row.seconds))),
        (Measure::Seconds, "processor time", row.cpu_seconds.filter(|_| is_done).map(Magnitude::of)),
    ];
    let value = |(measure, line, magnitude): (Measure, &str, Option<Magnitude>)| {
        Some(Value { measure, line: line.to_owned(), magnitude: magnitude? })
    };
    let values = lines.into_iter().filter_map(value).collect();
    Measured { path: row.path.clone(), constants: row.constants.clone(), values }
}

#[expect(clippy::cast_precision_loss, reason = "a position in a drawing")]
fn states(states: u64) -> Magnitude {
    Magnitude::of(states as f64)
}

/// The order of the whole group: where a limit ended the detection it may be larger.
fn order(row: &Row) -> Option<Magnitude> {
    let is_whole = row.detect.as_ref().is_none_or(|detect| detect.limit.is_none());
    row.order().filter(|_| is_whole).and_then(Magnitude::of_digits)
}

/// The states of a whole search. A violation ends a search early: its states say nothing about growth.
fn stored(row: &Row) -> Option<Magnitude> {
    let check = row.check.as_ref().filter(|check| check.complete).map(|check| check.states);
    check.or_else(|| row.reduction().map(|(_, least)| least)).map(states)
}

fn full(row: &Row) -> Option<Magnitude> {
    let compared = row.compare.as_ref().and_then(|compare| compare.states);
    let counted = row.check.as_ref().filter(|check| check.complete).and_then(|check| check.full_states.as_deref());
    compared.map(states).or_else(|| Magnitude::of_digits(counted?))
}

#[cfg(test)]
mod tests {
    use super::super::row::{Row, Status, check_row};
    use super::plots;
    use serde_json::json;

    fn row(value: i64, states: u64, order: &str) -> Row {
        let report = json!({ "verdict": "holds", "states": states, "complete": true, "group": { "order": order } });
        Row {
            check: Some(check_row(&report)),
            constants: [("N".to_owned(), value)].into(),
            seconds: 0.5,
            ..Row::new("a".to_owned(), String::new())
        }
    }

    #[test]
    fn finished_rows_are_points_of_a_line() {
        let rows = [row(2, 10, "2"), row(3, 1000, "6"), row(4, 100_000, &"9".repeat(40))];
        let drawn = plots(&rows);
        assert_eq!(drawn.len(), 2);
        assert!(drawn[0].svg.contains("group order") && drawn[0].svg.contains("states with reduction"));
        assert!(!drawn[0].svg.contains("states without reduction"), "nothing is known of it");
        let mut ended = rows;
        for row in &mut ended {
            row.status = Status::Inconclusive;
            row.check.as_mut().expect("checked").complete = false;
        }
        let drawn = plots(&ended);
        assert!(drawn.iter().all(|plot| !plot.svg.contains("states") && !plot.svg.contains("time")), "no points");
    }
}
