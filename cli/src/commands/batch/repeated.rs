//! `--repeat`: several runs of one row as one row with the median of each time and its spread.
//!
//! Invariant: rows whose runs differ say so and are no result ([`Timed`]).

use super::row::{Row, Spread, Status};
use crate::commands::repeated::{self, Timed};

/// One row for several runs of it, of which there is at least one.
pub(super) fn merged(mut rows: Vec<Row>) -> Row {
    assert!(!rows.is_empty(), "a row is of some run");
    let mut row = match repeated::merged(&rows) {
        Ok(row) => row,
        Err(other) => {
            let mut row = rows.swap_remove(0);
            let message = match (row.status, other.status) {
                (own, status) if own != status => format!("repetitions differ: {}, then {}", own.name(), status.name()),
                _ => "repetitions of the same command give different results".to_owned(),
            };
            row.end(other.status.max(Status::Crashed), Some(message));
            return row;
        }
    };
    if rows.len() == 1 {
        return row;
    }
    row.spread = Some(Spread {
        runs: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        seconds: repeated::spread(&rows, |row| Some(row.seconds)).unwrap_or_default(),
        cpu_seconds: repeated::spread(&rows, |row| row.cpu_seconds),
        check_seconds: repeated::spread(&rows, |row| row.check.as_ref().map(|check| check.seconds)),
        detect_seconds: repeated::spread(&rows, |row| row.detect.as_ref().map(|detect| detect.seconds)),
    });
    row
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        let mut times = vec![&mut self.seconds];
        times.extend(self.cpu_seconds.as_mut());
        times.extend(self.check.as_mut().map(|check| &mut check.seconds));
        times.extend(self.detect.as_mut().map(|detect| &mut detect.seconds));
        times.extend(self.census.iter_mut().flat_map(|census| census.phases.values_mut()));
        if let Some(compare) = &mut self.compare {
            times.extend(compare.seconds.as_mut());
            for detector in &mut compare.detectors {
                times.extend(detector.detect_seconds.as_mut());
                times.extend(detector.check_seconds.as_mut());
            }
        }
        times
    }

    fn timeless(mut self) -> Row {
        for time in self.times() {
            *time = 0.0;
        }
        if let Some(check) = &mut self.check {
            check.memory = None;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::census::Census;
    use super::super::row::{Row, Status, check_row};
    use super::merged;
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
