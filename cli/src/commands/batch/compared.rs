//! `--compare`: one model under every detector, and the states that each of them leaves.
//!
//! The whole state space is explored without any reduction, then `detect` is run with each strategy. Where it finds a
//! group, the quotient by that group is explored without other reductions. The question has no property, so that each
//! strategy may use its whole group.
//!
//! Invariant: only finished explorations are counted; a limit leaves the number out and makes the row inconclusive.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use serde_json::Value as Json;

use super::census::Census;
use super::child::{CommandResult, End, Plan, Step, launch, take, takes};
use super::jobs::Job;
use super::row::{CompareRow, DetectorRow, Row, Status, detect_row};
use super::summary::DETECTORS;

/// The strategies, by language.
fn strategies(language: Option<&str>) -> &'static [&'static str] {
    match language {
        Some("lpe") => &["constraint"], // the rules of the papers are about known rebecs
        Some("murphi") => &["scalar-set", "constraint"],
        _ => &["known-rebec", "scalar-set", "channel-diagram", "constraint"],
    }
}

/// Compares; nothing when the batch is stopped.
pub(super) fn compare(plan: &Plan, job: &Job, stop: &AtomicBool, row: &mut Row) -> Option<()> {
    let whole = explored(plan, job, stop, "none", row)?;
    let mut compare = CompareRow::default();
    match whole {
        Ok(report) => {
            row.describe(&report);
            (compare.states, compare.seconds) = finished(&report);
            if compare.states.is_none() {
                row.end(Status::Inconclusive, Some("compare: the whole state space passes the limits".to_owned()));
            }
        }
        Err(ran) => {
            take(row, Step::Compare, ran);
            return Some(());
        }
    }
    let strategies = strategies(row.language.as_deref());
    debug_assert!(strategies.iter().all(|name| DETECTORS.contains(name)), "the summary counts every detector");
    for &strategy in strategies {
        let entry = one(plan, job, stop, strategy, row)?;
        compare.detectors.extend(entry.map(|entry| match entry.order.as_deref() {
            // The identity is the only symmetry: the quotient is the whole state space.
            Some("1") => DetectorRow { states: compare.states, check_seconds: compare.seconds, ..entry },
            _ => entry,
        }));
    }
    row.compare = Some(compare);
    Some(())
}

/// One strategy; `None` inside where it gives no group. The row gives the reason for `constraint` only, which
/// supports every model.
fn one(plan: &Plan, job: &Job, stop: &AtomicBool, strategy: &str, row: &mut Row) -> Option<Option<DetectorRow>> {
    let found = match ran(plan, job, stop, Run { name: "detect", options: &["--strategy", strategy] }, row)? {
        Ok(report) => {
            if strategy == "constraint" {
                row.census.get_or_insert_with(|| Census::of(&report));
            }
            detect_row(&report)
        }
        Err(ran) => {
            let fails = !matches!(ran.end, End::Code(2 | 3));
            if fails || strategy == "constraint" {
                take(row, Step::Detect, ran);
            }
            return Some(None);
        }
    };
    let mut entry = DetectorRow {
        name: strategy.to_owned(),
        order: Some(found.order.clone()),
        detect_seconds: Some(found.seconds),
        ..DetectorRow::default()
    };
    if found.order != "1" {
        match explored(plan, job, stop, strategy, row)? {
            Ok(report) => {
                (entry.states, entry.check_seconds) = finished(&report);
                if entry.states.is_none() {
                    let message = format!("compare: the quotient by {strategy} passes the limits");
                    row.end(Status::Inconclusive, Some(message));
                }
            }
            Err(ran) => take(row, Step::Compare, ran),
        }
    }
    if strategy == "constraint" && row.detect.is_none() {
        row.detect = Some(found);
    }
    Some(Some(entry))
}

/// The options that a comparison sets itself, or that ask for something else.
const OWN: [&str; 20] = [
    "property",
    "buchi",
    "questions",
    "end",
    "name",
    "no-property",
    "no-deadlock",
    "deadlock",
    "no-overflow",
    "no-faults",
    "keep-going",
    "plain",
    "symmetry",
    "por",
    "slice",
    "abstract",
    "dead-values",
    "structural",
    "stats",
    "strategy",
];

/// Explores everything with the symmetries of one strategy, and no other reduction.
fn explored(
    plan: &Plan,
    job: &Job,
    stop: &AtomicBool,
    strategy: &str,
    row: &mut Row,
) -> Option<Result<Json, CommandResult>> {
    let options = ["--keep-going", "--no-property", "--symmetry", strategy, "--por", "off", "--slice", "off"];
    ran(plan, job, stop, Run { name: "check", options: &options }, row)
}

/// A command and its options.
#[derive(Clone, Copy)]
struct Run<'a> {
    name: &'static str,
    options: &'a [&'a str],
}

/// The report of a command, or its end without one; nothing when the batch is stopped.
fn ran(plan: &Plan, job: &Job, stop: &AtomicBool, run: Run<'_>, row: &mut Row) -> Option<Result<Json, CommandResult>> {
    let Run { name, options } = run;
    let mut words: Vec<OsString> = options.iter().map(OsString::from).collect();
    words.extend(job.given.without(&OWN).words(&|long| takes(name, long)));
    Some(match launch(plan, job, name, &words, stop) {
        Ok(None) => return None,
        Ok(Some(CommandResult { end: End::Code(0 | 1 | 3), report: Some(report), cpu, .. })) => {
            row.add_cpu(cpu);
            Ok(report)
        }
        Ok(Some(ran)) => Err(CommandResult { report: None, ..ran }),
        Err(error) => Err(CommandResult {
            end: End::Code(4),
            report: None,
            said: Some(format!("{name} did not start: {error}")),
            cpu: None,
        }),
    })
}

/// The states and the seconds of a finished exploration.
fn finished(report: &Json) -> (Option<u64>, Option<f64>) {
    match report["complete"] == true && report["exact"] == true {
        true => (report["states"].as_u64(), report["seconds"].as_f64()),
        false => (None, None),
    }
}
