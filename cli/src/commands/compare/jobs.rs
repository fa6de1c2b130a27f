//! What is compared: each model with each combination of several values of constants, and the options that apply to it.
//!
//! Options of the command line win over those of the model's head ([`head`]). Of the latter a comparison takes how the model is read, its
//! limits and its choice of representatives: it asks for no property and uses no other reduction.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use pipeline::Reading;

use super::time;
use crate::args::sweep;
use crate::args::{CompareArgs, Given, ModelLimitArgs, Representative};
use crate::commands::batch::too_many;
use crate::commands::head::{self, Settings};
use crate::console::Console;
use crate::io;
use crate::outcome::Failure;
use crate::render::compare::Subject;

/// A model to compare.
#[derive(Default)]
pub(super) struct Job {
    pub(super) path: PathBuf,
    pub(super) subject: Subject,
    /// How it is read; none if its head is wrong.
    pub(super) reading: Option<Reading>,
    pub(super) limits: ModelLimitArgs,
    /// The time that its head gives it, where the command line gives none.
    pub(super) own_timeout: Option<Duration>,
    pub(super) representatives: Vec<Representative>,
    /// How often each run is repeated.
    pub(super) repeat: u32,
    /// The number of its runs.
    pub(super) runs: u32,
}

/// The models with their values, in the order of the command line. Heads that are wrong are reported.
pub(super) fn jobs(args: &CompareArgs, models: &[PathBuf], console: &mut Console) -> Result<Vec<Job>, Failure> {
    let limits = ModelLimitArgs { max_states: args.max_states, timeout: args.timeout, max_memory: args.max_memory };
    let own = Settings { reading: args.reading.clone(), limits, given: Given::default(), text: None };
    let mut jobs = Vec::new();
    for path in models {
        match head::settings(path, &head::beginning(path), &own) {
            Ok(settings) => of_model(args, path, &settings, &mut jobs)?,
            Err(wrong) => {
                let (diagnostic, source) = *wrong;
                console.report_one(diagnostic, &source);
                let subject = Subject { path: io::display(path), ..Subject::default() };
                jobs.push(Job { path: path.clone(), subject, ..Job::default() });
            }
        }
    }
    Ok(jobs)
}

/// One model with each combination of values.
fn of_model(args: &CompareArgs, path: &Path, settings: &Settings, jobs: &mut Vec<Job>) -> Result<(), Failure> {
    let Settings { reading, limits, given, text } = settings;
    let of_head = || given.value("representative").and_then(named).unwrap_or(Representative::Auto);
    let representatives = if args.representatives.is_empty() { vec![of_head()] } else { args.representatives.clone() };
    for constants in sweep::assignments(&reading.constants).map_err(|message| too_many(path, message))? {
        let reading = reading.assigned(&constants);
        let subject = Subject { path: io::display(path), constants, given: reading.values(), options: text.clone() };
        jobs.push(Job {
            path: path.to_owned(),
            subject,
            reading: Some(reading.options()),
            limits: *limits,
            own_timeout: limits.timeout.filter(|_| args.timeout.is_none()),
            runs: time::runs(representatives.len(), args.repeat, args.engines),
            representatives: representatives.clone(),
            repeat: args.repeat,
        });
    }
    Ok(())
}

/// The choice of representatives of this name.
fn named(word: &OsString) -> Option<Representative> {
    Representative::from_str(word.to_str()?, false).ok()
}
