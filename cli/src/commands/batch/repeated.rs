//! `--repeat`: several runs of one row as one row with the median of each time and its spread.
//!
//! Invariant: everything but times and memory is the same in all runs. Where it is not, the row says so and is no result: either the tool
//! or the machine is at fault.

use super::row::{Row, Spread, Status};

/// One row for several runs of it, of which there is at least one.
pub(super) fn merged(mut rows: Vec<Row>) -> Row {
    let first = timeless(rows[0].clone());
    if let Some(other) = rows.iter().map(|row| timeless(row.clone())).find(|row| *row != first) {
        let mut row = rows.swap_remove(0);
        let message = match (first.status, other.status) {
            (own, status) if own != status => {
                format!("repetitions differ: {}, then {}", own.word(), status.word())
            }
            _ => "repetitions of the same command give different results".to_owned(),
        };
        row.end(other.status.max(Status::Crashed), Some(message));
        return row;
    }
    if rows.len() == 1 {
        return rows.swap_remove(0);
    }
    let mut row = rows[0].clone();
    for (at, slot) in times(&mut row).into_iter().enumerate() {
        let values = rows.iter_mut().filter_map(|other| times(other).into_iter().nth(at).map(|time| *time));
        *slot = median(values.collect());
    }
    let spread = |value: &dyn Fn(&Row) -> Option<f64>| {
        let values: Option<Vec<f64>> = rows.iter().map(value).collect();
        let values = values?;
        let least = values.iter().copied().reduce(f64::min)?;
        Some([least, values.into_iter().reduce(f64::max)?])
    };
    row.spread = Some(Spread {
        runs: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        seconds: spread(&|row| Some(row.seconds)).unwrap_or_default(),
        cpu_seconds: spread(&|row| row.cpu_seconds),
        check_seconds: spread(&|row| row.check.as_ref().map(|check| check.seconds)),
        detect_seconds: spread(&|row| row.detect.as_ref().map(|detect| detect.seconds)),
    });
    row
}

/// The times of a row, in a fixed order.
fn times(row: &mut Row) -> Vec<&mut f64> {
    let mut times = vec![&mut row.seconds];
    times.extend(row.cpu_seconds.as_mut());
    times.extend(row.check.as_mut().map(|check| &mut check.seconds));
    times.extend(row.detect.as_mut().map(|detect| &mut detect.seconds));
    times.extend(row.census.iter_mut().flat_map(|census| census.phases.values_mut()));
    if let Some(compare) = &mut row.compare {
        times.extend(compare.seconds.as_mut());
        for detector in &mut compare.detectors {
            times.extend(detector.detect_seconds.as_mut());
            times.extend(detector.check_seconds.as_mut());
        }
    }
    times
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        even if even % 2 == 0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

/// A row without times and memory.
fn timeless(mut row: Row) -> Row {
    for time in times(&mut row) {
        *time = 0.0;
    }
    if let Some(check) = &mut row.check {
        check.memory = None;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::super::census::Census;
    use super::super::row::{Row, Status, check_row};
    use super::{median, merged};
    use serde_json::json;

    fn row(states: u64, seconds: f64) -> Row {
        let report =
            json!({ "verdict": "holds", "states": states, "seconds": seconds / 2.0, "peak_memory_bytes": states });
        Row {
            check: Some(check_row(&report)),
            seconds,
            cpu_seconds: Some(seconds / 4.0),
            ..Row::new("m".to_owned(), String::new())
        }
    }

    #[test]
    fn times_of_repetitions_have_a_median_and_a_spread() {
        let merged = merged(vec![row(5, 4.0), row(5, 1.0), row(5, 2.0)]);
        let spread = merged.spread.as_ref().expect("a spread");
        assert_eq!(
            (merged.status, spread.runs, merged.check.as_ref().map(|check| check.states)),
            (Status::Done, 3, Some(5))
        );
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(merged.seconds, 2.0) && close(merged.check.as_ref().expect("checked").seconds, 1.0));
        assert!(close(spread.seconds[0], 1.0) && close(spread.seconds[1], 4.0));
        assert!(spread.cpu_seconds.is_some_and(|[least, most]| close(least, 0.25) && close(most, 1.0)));
        assert!(close(median(vec![4.0, 1.0]), 2.5));
    }

    #[test]
    fn stages_of_detections_are_times() {
        let with = |seconds: f64| {
            let report = json!({ "group": { "order": "2" }, "seconds": { "lower": seconds } });
            Row { census: Some(Census::of(&report)), ..row(5, 1.0) }
        };
        let merged = merged(vec![with(1.0), with(3.0)]);
        assert_eq!((merged.status, merged.census.expect("an entry").phases["lower"]), (Status::Done, 2.0));
    }

    #[test]
    fn repetitions_that_differ_are_no_result() {
        assert_eq!(merged(vec![row(5, 1.0), row(6, 1.0)]).status, Status::Crashed);
        assert_eq!(merged(vec![row(5, 1.0)]), row(5, 1.0));
    }
}
