//! The time of a comparison, which its runs share: each takes at most an equal part of what is left, and leaves to those after it what it
//! does not need.
//!
//! A model whose head gives it a time has that time for itself, unless the command line limits the whole command.

use std::time::Duration;

use limits::Watch;
use symmetry::Strategy;

use super::jobs::Job;
use crate::args::CompareArgs;

/// The time for each model and repetition without `--timeout`.
const PER_MODEL: Duration = Duration::from_secs(60);

/// The further time for each model when other programs are run.
const FOR_OTHERS: Duration = Duration::from_secs(40);

/// The runs as many as which other programs count: they start slowly.
pub(super) const OTHERS: u32 = 8;

/// The time of the command.
pub(super) struct Time {
    whole: Watch,
    /// The number of runs that have not begun.
    runs: u32,
    /// The watch of the model at work, if it has time of its own.
    own: Option<Watch>,
    /// The number of runs of the model at work that have not begun.
    own_runs: u32,
    /// The most memory of a run of this model.
    max_memory: Option<u64>,
}

/// The number of runs of a model: one without symmetry, for each detector the detection and one with each choice of representatives, all
/// of these as often as they are repeated; the comparison of the groups, and other programs.
pub(super) fn runs(representatives: usize, repeat: u32, has_others: bool) -> u32 {
    let explorations = u32::try_from(representatives).unwrap_or(u32::MAX);
    let detectors = u32::try_from(Strategy::ALL.len()).unwrap_or(u32::MAX);
    let repeated = explorations.saturating_add(1).saturating_mul(detectors).saturating_add(1).saturating_mul(repeat);
    repeated.saturating_add(1 + if has_others { OTHERS } else { 0 })
}

impl Time {
    pub(super) fn new(args: &CompareArgs, jobs: &[Job]) -> Time {
        let others = if args.engines { FOR_OTHERS } else { Duration::ZERO };
        let default = PER_MODEL.saturating_mul(args.repeat).saturating_add(others);
        let of = |job: &Job| job.own_timeout.unwrap_or(default);
        let all = jobs.iter().map(of).fold(Duration::ZERO, Duration::saturating_add);
        let whole = limits::watch().within(Some(args.timeout.unwrap_or(all)), None);
        let runs = jobs.iter().map(|job| job.runs).fold(0, u32::saturating_add);
        Time { whole, runs, own: None, own_runs: 0, max_memory: None }
    }

    /// Goes on to a model; the runs of the one before that did not take place leave their time to the others.
    pub(super) fn begin(&mut self, job: &Job) {
        self.skip(self.own_runs);
        self.own = job.own_timeout.map(|timeout| self.whole.within(Some(timeout), None));
        self.own_runs = job.runs;
        self.max_memory = job.limits.max_memory;
    }

    /// The watch of the whole command.
    pub(super) fn whole(&self) -> &Watch {
        &self.whole
    }

    /// The watch of the next run.
    pub(super) fn next(&mut self) -> Watch {
        self.part(1)
    }

    /// The watch of something that takes as long as some runs.
    pub(super) fn part(&mut self, runs: u32) -> Watch {
        let (watch, of) = match &self.own {
            Some(own) => (own, self.own_runs),
            None => (&self.whole, self.runs),
        };
        let watch = watch.share(runs, of.max(runs)).within(None, self.max_memory);
        self.skip(runs);
        watch
    }

    /// Leaves the time of runs that do not take place to the others.
    pub(super) fn skip(&mut self, runs: u32) {
        self.runs = self.runs.saturating_sub(runs);
        self.own_runs = self.own_runs.saturating_sub(runs);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use clap::Parser;
    use limits::{System, Watch};

    use super::super::jobs::Job;
    use super::{Time, runs};
    use crate::args::{Cli, Command};

    fn time(line: &[&str], jobs: &[Job]) -> Time {
        let cli = Cli::parse_from(line);
        let Command::Compare(args) = &cli.command else { panic!("compare") };
        Watch::new(Arc::new(System::default()), None, None).enter(|| Time::new(args, jobs)).expect("no limit")
    }

    fn job(hours: Option<u64>) -> Job {
        Job {
            runs: runs(1, 1, false),
            own_timeout: hours.map(|hours| Duration::from_secs(hours * 3600)),
            ..Job::default()
        }
    }

    fn hours(watch: &Watch) -> u64 {
        watch.left().expect("a limit").as_secs().div_ceil(3600)
    }

    #[test]
    fn runs_share_the_time_of_the_command() {
        let jobs = [job(None), job(None)];
        let mut time = time(&["quotient", "compare", "a.rebeca", "b.rebeca", "--timeout", "20h"], &jobs);
        assert_eq!(time.runs, 20);
        time.begin(&jobs[0]);
        assert_eq!(hours(&time.next()), 1);
        time.begin(&jobs[1]);
        assert_eq!((hours(&time.next()), time.runs), (2, 9));
        time.skip(8);
        assert_eq!(hours(&time.next()), 20);
        assert_eq!(time.next().left().map(|left| left > Duration::ZERO), Some(true), "no division by no runs");
    }

    #[test]
    fn a_model_may_have_time_of_its_own() {
        let jobs = [job(Some(10)), job(Some(40))];
        let mut time = time(&["quotient", "compare", "a.rebeca", "b.rebeca"], &jobs);
        assert_eq!(hours(time.whole()), 50);
        time.begin(&jobs[0]);
        assert_eq!(hours(&time.next()), 1);
        time.begin(&jobs[1]);
        assert_eq!(hours(&time.next()), 4);
        time.skip(8);
        assert_eq!(hours(&time.next()), 40);
    }

    #[test]
    fn repetitions_are_runs() {
        assert_eq!([runs(1, 1, false), runs(2, 1, false), runs(1, 5, false), runs(1, 1, true)], [10, 14, 46, 18]);
    }
}
