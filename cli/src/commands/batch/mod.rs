//! `quotient batch`: many models, each run by a separate process, and their results side by side.
//!
//! A row is a model, or a model with one value for each constant that has several ([`jobs`]). Rows come in the order in which they finish.
//! They are kept in the journal at once, and printed in the order of the models, so that the result is the same for any number of threads.
//! Times differ from run to run; nothing else does.
//!
//! Invariant: whatever happens to a model becomes its row; no model ends the batch.

mod census;
mod child;
mod compared;
mod expect;
pub(crate) mod find;
mod growth;
mod jobs;
mod journal;
mod page;
mod progress;
mod repeated;
mod row;
mod sheet;
mod summary;
mod tables;

pub(crate) use jobs::too_many;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use frontend::source::MAX_SOURCE_BYTES;
use limits::{Cause, Stopped, Watch};
use serde_json::{Value as Json, json};

use super::check::own_properties;
use crate::args::{BaselineArgs, BatchArgs, BatchReportArgs, ModelLimitArgs, StepArgs, WorkArgs, sweep};
use crate::checkpoint;
use crate::codes;
use crate::console::Console;
use crate::io;
use crate::machine;
use crate::outcome::{Failure, Outcome, reporting};
use crate::paint::{clean, escaped_json};
use crate::paths::{refuse_overwriting, refuse_two_on_standard_output};
use child::{Plan, Step};
use expect::{Baseline, Comparison};
use jobs::Job;
use journal::Journal;
use progress::Progress;
use row::{Row, Status};
use summary::Summary;

/// A message of a worker.
enum Event {
    /// A model was begun.
    Begun(usize),
    /// A model has its row; none if the batch was stopped before.
    Ended(usize, Option<Box<Row>>),
}

/// Whose rows they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Those of `batch`.
    Batch,
    /// Those of one command for several values of constants, with the most threads of each search.
    Sweep(&'static str, Option<u32>),
}

/// The limits of each row without options.
const DEFAULTS: ModelLimitArgs =
    ModelLimitArgs { max_states: None, timeout: Some(Duration::from_secs(60)), max_memory: Some(2 << 30) };

/// Runs a batch.
pub(crate) fn run(args: &BatchArgs, console: &mut Console) -> Result<Outcome, Failure> {
    run_as(Kind::Batch, args, console)
}

/// Runs rows, of a batch or of a sweep.
pub(crate) fn run_as(kind: Kind, args: &BatchArgs, console: &mut Console) -> Result<Outcome, Failure> {
    let outputs = [&args.report.csv, &args.report.markdown, &args.report.html, &args.report.output, &args.work.resume];
    for path in outputs.into_iter().flatten() {
        io::refuse_unwritable(Some(path))?;
    }
    let BatchReportArgs { csv, markdown, html, output, .. } = &args.report;
    let tables = [csv, markdown, html].into_iter().flatten().map(PathBuf::as_path);
    refuse_two_on_standard_output(output.as_deref(), tables)?;
    let plan = plan(kind, args)?;
    let jobs = jobs::jobs(kind, args, console)?;
    let pages = jobs.iter().filter_map(|job| job.page.as_ref());
    let property_file: Vec<PathBuf> = jobs.iter().filter_map(|job| own_properties(&job.path)).collect();
    let named: Vec<PathBuf> = args.passed.0.files().map(PathBuf::from).collect();
    let BaselineArgs { expect, update_expect } = &args.baseline;
    let reads = jobs.iter().map(|job| &job.path).chain(&property_file).chain(&named);
    let reads = reads.chain(expect.iter().filter(|_| !*update_expect));
    let writes = outputs.into_iter().flatten().chain(pages).chain(expect.iter().filter(|_| *update_expect));
    refuse_overwriting(reads.map(PathBuf::as_path), writes.map(PathBuf::as_path))?;
    let baseline = match expect {
        Some(path) if path.exists() || !update_expect => Some(Baseline::read(path)?),
        _ => None,
    };
    let mut journal = match &args.work.resume {
        Some(path) => Some(Journal::open(path, &options(&plan, args)?, &mut |notice| console.remark(notice))?),
        None => None,
    };
    let mut rows: Vec<Option<Row>> =
        jobs.iter().map(|job| Some(journal.as_ref()?.row(&job.identity(), &job.fingerprint)?.clone())).collect();
    let mut batch = Batch { kind, args, jobs: &jobs, printed: 0, lines: String::new(), journal: &mut journal };
    let signal = batch.work(&plan, &mut rows, console)?;
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let comparison = baseline.filter(|_| signal.is_none());
    let comparison = comparison.map(|baseline| baseline.compare(&rows, args.work.shard.is_some()));
    reporting(|| batch.finish(&rows, comparison.as_ref(), console))?;
    if let (Some(path), true, None) = (expect, update_expect, signal) {
        io::write(Some(path), expect::written(&rows)?.as_bytes())?;
    }
    match (signal, comparison) {
        (Some(signal), _) => Ok(Outcome::Interrupted(signal)),
        (None, Some(comparison)) => Ok(if comparison.moved.is_empty() { Outcome::Done } else { Outcome::Refuted }),
        (None, None) if kind == Kind::Batch => {
            let is_done = rows.iter().all(|row| row.status == Status::Done);
            Ok(if is_done { Outcome::Done } else { Outcome::Inconclusive })
        }
        (None, None) => worst(&rows),
    }
}

/// The outcome of a sweep: that of its worst row, in the order internal error, refused, violated, inconclusive, holds.
fn worst(rows: &[Row]) -> Result<Outcome, Failure> {
    let is_any = |status: Status| rows.iter().any(|row| row.status == status);
    let is_violated = rows.iter().any(|row| row.check.as_ref().is_some_and(|check| check.verdict == "violated"));
    if is_any(Status::Crashed) {
        Ok(Outcome::Failed)
    } else if is_any(Status::Refused) {
        Err(Failure::Reported)
    } else if is_violated {
        Ok(Outcome::Refuted)
    } else if rows.iter().any(|row| row.status != Status::Done) {
        Ok(Outcome::Inconclusive)
    } else {
        Ok(Outcome::Done)
    }
}

/// The commands for every row.
fn plan(kind: Kind, args: &BatchArgs) -> Result<Plan, Failure> {
    let StepArgs { detect, check, compare } = args.steps;
    let wanted = [(check, Step::Check), (detect, Step::Detect), (compare, Step::Compare)];
    let mut steps: Vec<Step> = wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, step)| step).collect();
    if steps.is_empty() {
        steps = vec![Step::Check, Step::Detect];
    }
    let binary = std::env::current_exe()
        .map_err(|error| Failure::Internal(format!("the path of this program is not known: {error}")))?;
    // In a batch as many models run side by side as there should be threads, and a model whose memory is short has its answer: the disk is
    // slow, and shared with the others.
    let (search_threads, spills) = match kind {
        Kind::Batch => (Some(1), false),
        Kind::Sweep(_, threads) => (threads, true),
    };
    let WorkArgs { repeat, skip_larger, .. } = args.work;
    Ok(Plan { binary, steps, search_threads, spills, repeat, skip_larger })
}

/// The options that rows depend on. Head lines are part of the texts of models.
fn options(plan: &Plan, args: &BatchArgs) -> Result<Json, Failure> {
    let build = checkpoint::build()?;
    let limits = args.limits.or(DEFAULTS);
    let words = args.passed.0.words(&|_| true);
    let files = args.passed.0.files().map(|file| content(Path::new(file)));
    let files: Vec<u8> = files.flatten().collect();
    Ok(json!({
        "steps": plan.steps.iter().map(|step| step.name()).collect::<Vec<_>>(),
        "reading": args.reading.words(),
        "given": words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>(),
        "files": format!("{:016x}", hash([files.as_slice()])),
        "repeat": plan.repeat,
        "skip_larger": plan.skip_larger,
        "max_states": limits.max_states,
        "timeout_ms": limits.timeout.map(|timeout| timeout.as_millis()),
        "max_memory_bytes": limits.max_memory,
        "version": machine::VERSION,
        "build": build,
    }))
}

fn make_folder(folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("`{}` cannot be made: {error}", io::display(folder));
        Failure::file(io::display(folder), codes::UNWRITABLE, message)
    })?;
    Ok(folder.to_owned())
}

/// The content of a text that a command will read; nothing of what is no regular file or too long: the command says what is wrong with it.
fn content(path: &Path) -> Vec<u8> {
    limits::check();
    io::read_regular(path, MAX_SOURCE_BYTES).unwrap_or_default()
}

/// The fingerprint of the text of a model and of the property file next to it.
fn fingerprint(path: &Path, text: &[u8]) -> String {
    let property = path.with_extension("property");
    let property_file = if property == path { Vec::new() } else { content(&property) };
    format!("{:016x}", hash([text, b"\0", property_file.as_slice()]))
}

/// FNV-1a, which stays the same from version to version.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let bytes = parts.into_iter().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The signal that arrived, if one did.
fn signal(watch: &Watch) -> Option<i32> {
    match watch.consult() {
        Err(Stopped { cause: Cause::Signal(signal), .. }) => Some(signal),
        _ => None,
    }
}

/// A row as a line of JSON.
fn line_of(row: &Row) -> Result<String, Failure> {
    let line = serde_json::to_string(row).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(escaped_json(&line))
}

/// A batch at work.
struct Batch<'a> {
    kind: Kind,
    args: &'a BatchArgs,
    jobs: &'a [Job],
    /// The number of printed rows.
    printed: usize,
    /// Lines of JSON for a file.
    lines: String,
    journal: &'a mut Option<Journal>,
}

impl Batch<'_> {
    /// Runs the models that have no row yet; returns the signal that stopped it.
    fn work(&mut self, plan: &Plan, rows: &mut [Option<Row>], console: &Console) -> Result<Option<i32>, Failure> {
        let open: Vec<usize> = (0..rows.len()).filter(|&index| rows[index].is_none()).collect();
        let kept: Vec<Option<Row>> = rows.to_vec();
        let watch = limits::watch();
        let mut progress = Progress::new(open.len(), console.shows_progress());
        let (stop, next) = (AtomicBool::new(false), AtomicUsize::new(0));
        let jobs = self.jobs;
        let portions = portions(plan, jobs, &open);
        let result = std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let threads = open.len().min(self.args.work.threads as usize);
            for _ in 0..threads {
                let sender = sender.clone();
                let todo = Todo { plan, jobs, portions: &portions, next: &next, kept: &kept, stop: &stop };
                scope.spawn(move || worker(&todo, &sender));
            }
            drop(sender);
            let result = self.collect(&receiver, rows, &watch, &stop, &mut progress);
            stop.store(true, Ordering::Relaxed); // after a failure of ours nobody waits for the rest
            result
        });
        progress.end();
        result?;
        let is_whole = rows.iter().all(Option::is_some);
        debug_assert!(is_whole || signal(&watch).is_some(), "every job has its row");
        Ok(signal(&watch))
    }

    /// Collects rows as they come.
    fn collect(
        &mut self,
        receiver: &Receiver<Event>,
        rows: &mut [Option<Row>],
        watch: &Watch,
        stop: &AtomicBool,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        self.print_rows(rows)?;
        loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(Event::Begun(index)) => progress.begun(&self.jobs[index].key()),
                Ok(Event::Ended(index, Some(row))) => {
                    if let Some(journal) = self.journal.as_mut() {
                        journal.keep(&row)?;
                    }
                    rows[index] = Some(*row);
                    progress.ended();
                    self.print_rows(rows)?;
                }
                Ok(Event::Ended(_, None)) => {}
                Err(RecvTimeoutError::Timeout) => progress.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if signal(watch).is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Prints the rows that have no gap before them.
    fn print_rows(&mut self, rows: &[Option<Row>]) -> Result<(), Failure> {
        if !self.args.report.json {
            return Ok(());
        }
        while let Some(Some(row)) = rows.get(self.printed) {
            self.line(&line_of(row)?)?;
            self.printed += 1;
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        match &self.args.report.output {
            None => io::write(None, format!("{line}\n").as_bytes()),
            Some(_) => {
                self.lines.push_str(line);
                self.lines.push('\n');
                Ok(())
            }
        }
    }

    /// Writes everything.
    fn finish(&mut self, rows: &[Row], comparison: Option<&Comparison>, console: &Console) -> Result<(), Failure> {
        let summary = Summary::new(rows);
        let report = &self.args.report;
        if let Some(path) = &report.csv {
            io::write(Some(path), &sheet::csv(rows)?)?;
        }
        if let Some(path) = &report.markdown {
            io::write(Some(path), tables::tables(rows, &summary).as_bytes())?;
        }
        if let Some(path) = &report.html {
            let text = page::page(rows, &summary, &|row| self.link(path, row))?;
            io::write(Some(path), text.as_bytes())?;
        }
        let output = report.output.as_deref();
        if report.json {
            let printed: std::collections::HashSet<String> =
                self.jobs[..self.printed].iter().map(Job::identity).collect();
            // After a signal some rows stand behind a gap.
            for row in rows.iter().filter(|row| !printed.contains(&row.identity())) {
                self.line(&line_of(row)?)?;
            }
            let command = match self.kind {
                Kind::Batch => "batch",
                Kind::Sweep(command, _) => command,
            };
            let mut last = json!({
                "schema_version": 1,
                "command": command,
                "complete": rows.len() == self.jobs.len(),
                "summary": summary,
                "run": machine::json(),
            });
            if let Some(comparison) = comparison {
                last["expect"] = json!(comparison);
            }
            self.line(&escaped_json(&last.to_string()))?;
            return if output.is_some() { io::write(output, self.lines.as_bytes()) } else { Ok(()) };
        }
        let terminal = output.is_none().then(io::terminal_width).flatten();
        let is_file = output.is_some_and(|path| path != Path::new(io::STANDARD));
        let mut text = if is_file { format!("{}\n", machine::line()) } else { String::new() };
        text.push_str(&if console.is_quiet() { String::new() } else { sheet::table(rows, terminal) });
        for row in rows.iter().filter(|row| !console.is_quiet() && row.status > Status::Inconclusive) {
            let message = row.message.as_deref().unwrap_or_default();
            text.push_str(&format!("\n{}: {}: {}", clean(&row.key()), row.status.name(), clean(message)));
        }
        text.push_str(if text.is_empty() { "" } else { "\n" });
        if rows.len() < self.jobs.len() {
            let what = if self.jobs.iter().all(|job| job.assignment.is_empty()) { "models" } else { "rows" };
            text.push_str(&format!("stopped after {} of {} {what}\n", rows.len(), self.jobs.len()));
        }
        text.push_str(&summary.text());
        text.push_str(&comparison.map(Comparison::text).unwrap_or_default());
        io::write(output, text.as_bytes())
    }

    /// The page of a model, relative to the page of the batch.
    fn link(&self, html: &Path, row: &Row) -> Option<String> {
        let folder = page::folder(html);
        let file = page::file_name(&row.key(), hash([row.identity().as_bytes()]));
        let exists = folder.join(&file).is_file() && row.check.is_some();
        exists.then(|| format!("{}/{file}", folder.file_name().unwrap_or_default().to_string_lossy()))
    }
}

/// The rows to run, in portions that one worker runs one after the other.
fn portions(plan: &Plan, jobs: &[Job], open: &[usize]) -> Vec<Vec<usize>> {
    let mut portions: Vec<Vec<usize>> = Vec::new();
    for &index in open {
        match portions.last_mut() {
            // Whether a row is left out depends on the rows of the same model before it.
            Some(portion) if plan.skip_larger && jobs[portion[0]].path == jobs[index].path => portion.push(index),
            _ => portions.push(vec![index]),
        }
    }
    portions
}

/// What workers share.
struct Todo<'a> {
    plan: &'a Plan,
    jobs: &'a [Job],
    portions: &'a [Vec<usize>],
    /// The portion that is begun next.
    next: &'a AtomicUsize,
    /// The rows that are there from an earlier run.
    kept: &'a [Option<Row>],
    stop: &'a AtomicBool,
}

fn worker(todo: &Todo<'_>, events: &Sender<Event>) {
    let Todo { plan, jobs, portions, next, kept, stop } = todo;
    while let Some(portion) = portions.get(next.fetch_add(1, Ordering::Relaxed)) {
        let mut ended: Vec<(usize, bool)> = Vec::new();
        for &index in portion {
            if stop.load(Ordering::Relaxed) || events.send(Event::Begun(index)).is_err() {
                return;
            }
            let limited = plan.skip_larger.then(|| limited_before(jobs, kept, &ended, index)).flatten();
            let row = match limited {
                Some(smaller) => Some(skipped(&jobs[index], &jobs[smaller])),
                None => child::run(plan, &jobs[index], stop),
            };
            ended.push((index, row.as_ref().is_some_and(Row::met_limit)));
            if events.send(Event::Ended(index, row.map(Box::new))).is_err() {
                return;
            }
        }
    }
}

/// The row of the same model and smaller values that met a limit: of this run, or of an earlier one.
fn limited_before(jobs: &[Job], kept: &[Option<Row>], ended: &[(usize, bool)], index: usize) -> Option<usize> {
    let before = (0..index).rev().take_while(|&before| jobs[before].path == jobs[index].path);
    let is_limited = |before: usize| match &kept[before] {
        Some(row) => row.met_limit(),
        None => ended.contains(&(before, true)),
    };
    let smaller = |before: usize| sweep::is_larger(&jobs[index].assignment, &jobs[before].assignment);
    before.filter(|&before| smaller(before) && is_limited(before)).last()
}

/// The row that is left out because of one of smaller values.
fn skipped(job: &Job, smaller: &Job) -> Row {
    let mut row = child::empty(job);
    row.end(Status::Skipped, Some(format!("left out: {} met a limit", sweep::written(&smaller.assignment))));
    row
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn fingerprints_stay_the_same() {
        assert_eq!(hash([b"a".as_slice()]), 0xaf63_dc4c_8601_ec8c);
        assert_ne!(hash([b"ab".as_slice(), b"\0", b""]), hash([b"a".as_slice(), b"\0", b"b"]));
    }
}
