//! The runs of one model: detections and explorations, each as often as it is repeated.
//!
//! A run that meets a limit is not repeated. Where a later repetition meets one, because less time is left to it, the finished ones count.
//!
//! Invariant: repetitions differ in times and memory only ([`Timed`]); where they do not, the command ends with a fault.

use std::time::Instant;

use checker::{GeneratorNames, GroupNames, Limit, Limits, Question, ReductionKind, Representative, limit_of_stop};
use pipeline::{Images, Plan, Slicing, Starts};
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use super::jobs::Job;
use super::time::Time;
use crate::commands::repeated::{self, Timed};
use crate::language::Presented;
use crate::outcome::Failure;
use crate::render::compare::{Found, Row, Spread};
use crate::render::progress::Watch;
use crate::room;
use crate::words::detail;
use crate::world::{cpu_seconds, default_memory, peak_memory};

/// The runs of a model.
pub(super) struct Runs<'a, L> {
    pub(super) model: &'a L,
    pub(super) job: &'a Job,
}

/// What a detector found.
pub(super) struct Detected<G> {
    pub(super) found: Found,
    pub(super) generators: Vec<GeneratorNames>,
    pub(super) group: G,
}

/// A detection without a group.
pub(super) struct NoGroup {
    pub(super) reason: String,
    /// The limit that ended it, if one did.
    pub(super) limit: Option<Limit>,
}

impl<L: Presented> Runs<'_, L> {
    /// The group of one detector.
    pub(super) fn detected(
        &self,
        strategy: Strategy,
        time: &mut Time,
    ) -> Result<Result<Detected<L::Group>, NoGroup>, Failure> {
        let Detected { found, generators, group } = match self.detected_once(strategy, time) {
            Ok(first) => first,
            Err(none) => {
                time.skip(self.job.repeat - 1);
                return Ok(Err(none));
            }
        };
        let again = |time: &mut Time| Ok(self.detected_once(strategy, time).ok().map(|again| again.found));
        let found = self.repeated(found, time, again)?;
        let merged = repeated::merged(&found).map_err(|_| differs("detection", strategy.name()))?;
        let found = Found { spread: spread(&found, |one| one.seconds, |one| one.cpu_seconds), ..merged };
        Ok(Ok(Detected { found, generators, group }))
    }

    fn detected_once(&self, strategy: Strategy, time: &mut Time) -> Result<Detected<L::Group>, NoGroup> {
        let (started, used) = (Instant::now(), cpu_seconds());
        let find = || {
            let found = pipeline::line::detect(self.model, &L::Properties::default(), strategy);
            let group = found.map_err(|reason| reason.to_string())?.group;
            let seconds = started.elapsed().as_secs_f64();
            let cpu_seconds = used_since(used);
            let GroupNames { structure, generators, .. } = self.model.names(&group);
            let order = L::engine_group(&group).order();
            let found = Found { order, structure, generators: generators.len(), seconds, cpu_seconds, spread: None };
            Ok(Detected { found, generators, group })
        };
        match time.next().run(find) {
            Ok(found) => found.map_err(|reason| NoGroup { reason, limit: None }),
            Err(stopped) => Err(NoGroup { reason: stopped.to_string(), limit: Some(limit_of_stop(stopped)) }),
        }
    }

    /// A result with its repetitions, until one meets a limit; the time of those that do not take place is left to other runs.
    fn repeated<T>(
        &self,
        first: T,
        time: &mut Time,
        mut again: impl FnMut(&mut Time) -> Result<Option<T>, Failure>,
    ) -> Result<Vec<T>, Failure> {
        assert!(self.job.repeat > 0, "a model that is run is run once at least");
        let mut results = vec![first];
        for left in (0..self.job.repeat - 1).rev() {
            let Some(result) = again(time)? else {
                time.skip(left);
                break;
            };
            results.push(result);
        }
        Ok(results)
    }

    /// The row of an exploration.
    pub(super) fn explored(
        &self,
        symmetry: Option<Strategy>,
        representative: Representative,
        time: &mut Time,
        watch: &mut Watch,
    ) -> Result<Row, Failure> {
        let first = self.explored_once(symmetry, representative, time, watch)?;
        if first.limited {
            time.skip(self.job.repeat - 1);
            return Ok(first);
        }
        let rows = self.repeated(first, time, |time| {
            let row = self.explored_once(symmetry, representative, time, watch)?;
            Ok((!row.limited).then_some(row))
        })?;
        let merged = repeated::merged(&rows).map_err(|row| differs("exploration", row.detector))?;
        Ok(Row { spread: spread(&rows, |one| one.seconds, |one| one.cpu_seconds), ..merged })
    }

    fn explored_once(
        &self,
        symmetry: Option<Strategy>,
        representative: Representative,
        time: &mut Time,
        watch: &mut Watch,
    ) -> Result<Row, Failure> {
        let asked = self.job.limits;
        let max_memory = room::most_memory(asked.max_memory.or_else(default_memory));
        let limits = Limits { max_states: asked.max_states, max_memory, ..Limits::default() };
        let question = Question { keep_going: true, limits, ..Question::default() };
        let plan = Plan {
            structural: false,
            gives_up: false,
            slicing: Slicing::Off,
            replace: Abstracted::new(),
            dead_values: false,
            proves_bounds: false,
            symmetry,
            starts: Starts::Fixed,
            images: Images::Off,
            heap_symmetry: symmetry.is_some(),
            representative,
            counts_orbits: false,
            partial_order: false,
            overflow_excluded: false,
        };
        let detector = symmetry.map_or("none", Strategy::name);
        reset_peak_memory();
        let used = cpu_seconds();
        let report = time.next().run(|| pipeline::check(self.model, &question, &plan, watch));
        let cpu_seconds = used_since(used);
        let report = match report {
            Ok(report) => report?,
            Err(stopped) => {
                let reason = Some(stopped.to_string());
                let limit = Some(limit_of_stop(stopped));
                return Ok(Row { detector, reason, limited: true, limit, ..Row::default() });
            }
        };
        let group = report.group.as_ref();
        let is_off = |one: &&checker::Reduction| one.kind == ReductionKind::Symmetry && !one.is_applied();
        let explanation = report.reductions.iter().find(is_off);
        Ok(Row {
            detector,
            reason: explanation.map(detail),
            group: None,
            representative: group.map(|group| group.representative.clone()),
            exact: group.is_none_or(|group| group.exact),
            states: report.states,
            transitions: report.transitions,
            complete: report.complete,
            limited: !report.complete,
            limit: report.limit,
            seconds: report.seconds,
            cpu_seconds,
            spread: None,
            memory: peak_memory(),
            reduction: None,
            saved: None,
        })
    }
}

/// Restarts the measurement of the peak, where the system can.
fn reset_peak_memory() {
    // Without it the peak is that of all runs so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The seconds of processors since an earlier reading.
fn used_since(earlier: Option<f64>) -> Option<f64> {
    Some(cpu_seconds()? - earlier?)
}

/// The fault of runs that should be alike.
fn differs(what: &str, detector: &str) -> Failure {
    Failure::Internal(format!("repetitions of the same {what} by `{detector}` give different results"))
}

/// The spread of the times of several results: wall-clock seconds and those of processors.
fn spread<T>(results: &[T], seconds: fn(&T) -> f64, cpu_seconds: fn(&T) -> Option<f64>) -> Option<Spread> {
    let runs = u32::try_from(results.len()).ok().filter(|&runs| runs > 1)?;
    let seconds = repeated::spread(results, |one| Some(seconds(one)))?;
    Some(Spread { runs, seconds, cpu_seconds: repeated::spread(results, cpu_seconds) })
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        std::iter::once(&mut self.seconds).chain(self.cpu_seconds.as_mut()).collect()
    }

    fn timeless(self) -> Row {
        Row { seconds: 0.0, cpu_seconds: None, memory: None, ..self }
    }
}

impl Timed for Found {
    fn times(&mut self) -> Vec<&mut f64> {
        std::iter::once(&mut self.seconds).chain(self.cpu_seconds.as_mut()).collect()
    }

    fn timeless(self) -> Found {
        Found { seconds: 0.0, cpu_seconds: None, ..self }
    }
}
