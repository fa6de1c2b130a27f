//! `quotient batch`: many models, each run by a separate process, and their results side by side.
//!
//! Rows come in the order in which models finish. They are kept in the journal at once, and printed in the order of
//! the models, so that the result is the same for any number of threads. Times differ from run to run; nothing else
//! does.
//!
//! Invariant: whatever happens to a model becomes its row; no model ends the batch.

mod census;
mod child;
mod compared;
pub(crate) mod find;
mod journal;
mod page;
mod row;
mod sheet;
mod summary;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use frontend::diagnostics::Diagnostic;
use frontend::source::Span;
use indicatif::{ProgressBar, ProgressStyle};
use limits::{Cause, Stopped, Watch};
use serde_json::{Value as Json, json};

use super::check::own_properties;
use crate::args::{BatchArgs, StepArgs};
use crate::checkpoint;
use crate::codes;
use crate::console::Console;
use crate::io;
use crate::outcome::{Failure, Outcome, reporting};
use crate::paint::{clean, escaped_json, time};
use crate::paths::refuse_overwriting;
use child::{Job, Plan, Step};
use journal::Journal;
use row::{Row, Status};
use summary::Summary;

/// A message of a worker.
enum Event {
    /// A model was begun.
    Begun(usize),
    /// A model has its row; none if the batch was stopped before.
    Ended(usize, Option<Box<Row>>),
}

/// Runs a batch.
pub(crate) fn run(args: &BatchArgs, console: &mut Console) -> Result<Outcome, Failure> {
    let outputs = [&args.report.csv, &args.report.markdown, &args.report.html, &args.report.output, &args.work.resume];
    for path in outputs.into_iter().flatten() {
        io::refuse_unwritable(Some(path))?;
    }
    let plan = plan(args)?;
    let jobs = jobs(args)?;
    let pages = jobs.iter().filter_map(|job| job.page.as_ref());
    let property_file: Vec<PathBuf> = jobs.iter().filter_map(|job| own_properties(&job.path)).collect();
    let reads = jobs.iter().map(|job| &job.path).chain(&property_file);
    let writes = outputs.into_iter().flatten().chain(pages);
    refuse_overwriting(reads.map(PathBuf::as_path), writes.map(PathBuf::as_path))?;
    let mut journal = match &args.work.resume {
        Some(path) => Some(Journal::open(path, &options(&plan)?, &mut |notice| console.remark(notice))?),
        None => None,
    };
    let mut rows: Vec<Option<Row>> =
        jobs.iter().map(|job| Some(journal.as_ref()?.row(&job.name, &job.fingerprint)?.clone())).collect();
    let mut batch = Batch { args, jobs: &jobs, printed: 0, lines: String::new(), journal: &mut journal };
    let signal = batch.work(&plan, &mut rows, console)?;
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    reporting(|| batch.finish(&rows, console))?;
    Ok(match signal {
        Some(signal) => Outcome::Interrupted(signal),
        None if rows.iter().all(|row| row.status == Status::Done) => Outcome::Done,
        None => Outcome::Inconclusive,
    })
}

/// The commands for every model.
fn plan(args: &BatchArgs) -> Result<Plan, Failure> {
    let StepArgs { detect, check, compare } = args.steps;
    let wanted = [(check, Step::Check), (detect, Step::Detect), (compare, Step::Compare)];
    let mut steps: Vec<Step> = wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, step)| step).collect();
    if steps.is_empty() {
        steps = vec![Step::Check, Step::Detect];
    }
    let binary = std::env::current_exe()
        .map_err(|error| Failure::Internal(format!("the path of this program is not known: {error}")))?;
    let limits = &args.limits;
    let (max_states, timeout, max_memory) = (limits.max_states, limits.timeout, limits.max_memory);
    Ok(Plan { binary, steps, reading: args.reading.words(), max_states, timeout, max_memory })
}

/// The options that rows depend on.
fn options(plan: &Plan) -> Result<Json, Failure> {
    let build = checkpoint::build()?;
    Ok(json!({
        "steps": plan.steps.iter().map(|step| step.name()).collect::<Vec<_>>(),
        "reading": plan.reading,
        "max_states": plan.max_states,
        "timeout_ms": plan.timeout.as_millis(),
        "max_memory_bytes": plan.max_memory,
        "version": env!("CARGO_PKG_VERSION"),
        "build": build,
    }))
}

/// The models of this shard.
fn jobs(args: &BatchArgs) -> Result<Vec<Job>, Failure> {
    let models = find::models(&args.paths)?;
    let (index, of) = args.work.shard.unwrap_or((1, 1));
    let pages = match &args.report.html {
        Some(html) => Some(make_folder(&page::folder(html))?),
        None => None,
    };
    let mine = models.into_iter().enumerate().filter(|(number, _)| number % of == index - 1).map(|(_, path)| path);
    let job = |path: PathBuf| {
        let name = path.to_string_lossy().into_owned();
        let page = pages.as_ref().map(|folder| folder.join(page::file_name(&name, hash([name.as_bytes()]))));
        Job { fingerprint: fingerprint(&path), name, page, path }
    };
    Ok(mine.map(job).collect())
}

fn make_folder(folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("`{}` cannot be made: {error}", io::display(folder));
        Failure::file(io::display(folder), Diagnostic::error(codes::UNWRITABLE, Span::NONE, message))
    })?;
    Ok(folder.to_owned())
}

/// The fingerprint of the text of a model and of the property file next to it.
fn fingerprint(path: &Path) -> String {
    let bytes = |path: &Path| std::fs::read(path).unwrap_or_default();
    let property = path.with_extension("property");
    let property_file = if property == path { Vec::new() } else { bytes(&property) };
    format!("{:016x}", hash([bytes(path).as_slice(), b"\0", property_file.as_slice()]))
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
        let watch = limits::watch();
        let mut progress = Progress::new(open.len(), console.shows_progress());
        let (stop, next) = (AtomicBool::new(false), AtomicUsize::new(0));
        let jobs = self.jobs;
        let result = std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let threads = open.len().min(self.args.work.threads as usize);
            for _ in 0..threads {
                let (sender, open, stop, next) = (sender.clone(), &open, &stop, &next);
                scope.spawn(move || worker(plan, jobs, open, next, stop, &sender));
            }
            drop(sender);
            let result = self.collect(&receiver, rows, &watch, &stop, &mut progress);
            stop.store(true, Ordering::Relaxed); // after a failure of ours nobody waits for the rest
            result
        });
        progress.end();
        result?;
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
                Ok(Event::Begun(index)) => progress.begun(&self.jobs[index].name),
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
    fn finish(&mut self, rows: &[Row], console: &Console) -> Result<(), Failure> {
        let summary = Summary::new(rows);
        let report = &self.args.report;
        if let Some(path) = &report.csv {
            io::write(Some(path), &sheet::csv(rows)?)?;
        }
        if let Some(path) = &report.markdown {
            io::write(Some(path), tables::tables(rows, summary.census.as_ref()).as_bytes())?;
        }
        if let Some(path) = &report.html {
            let text = page::page(rows, &summary, &|row| self.link(path, row))?;
            io::write(Some(path), text.as_bytes())?;
        }
        let output = report.output.as_deref();
        if report.json {
            let printed: std::collections::HashSet<&str> =
                self.jobs[..self.printed].iter().map(|job| job.name.as_str()).collect();
            // After a signal some rows stand behind a gap.
            for row in rows.iter().filter(|row| !printed.contains(row.path.as_str())) {
                self.line(&line_of(row)?)?;
            }
            let last = json!({ "schema_version": 1, "command": "batch", "complete": rows.len() == self.jobs.len(), "summary": summary });
            self.line(&escaped_json(&last.to_string()))?;
            return if output.is_some() { io::write(output, self.lines.as_bytes()) } else { Ok(()) };
        }
        let terminal = output.is_none().then(io::terminal_width).flatten();
        let mut text = if console.is_quiet() { String::new() } else { sheet::table(rows, terminal) };
        for row in rows.iter().filter(|row| !console.is_quiet() && row.status > Status::Inconclusive) {
            let message = row.message.as_deref().unwrap_or_default();
            text.push_str(&format!("\n{}: {}: {}", clean(&row.path), row.status.word(), clean(message)));
        }
        text.push_str(if text.is_empty() { "" } else { "\n" });
        if rows.len() < self.jobs.len() {
            text.push_str(&format!("stopped after {} of {} models\n", rows.len(), self.jobs.len()));
        }
        text.push_str(&summary.text());
        io::write(output, text.as_bytes())
    }

    /// The page of a model, relative to the page of the batch.
    fn link(&self, html: &Path, row: &Row) -> Option<String> {
        let folder = page::folder(html);
        let file = page::file_name(&row.path, hash([row.path.as_bytes()]));
        let exists = folder.join(&file).is_file() && row.check.is_some();
        exists.then(|| format!("{}/{file}", folder.file_name().unwrap_or_default().to_string_lossy()))
    }
}

fn worker(plan: &Plan, jobs: &[Job], open: &[usize], next: &AtomicUsize, stop: &AtomicBool, events: &Sender<Event>) {
    while let Some(&index) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
        if stop.load(Ordering::Relaxed) || events.send(Event::Begun(index)).is_err() {
            return;
        }
        let row = child::run(plan, &jobs[index], stop).map(Box::new);
        if events.send(Event::Ended(index, row)).is_err() {
            return;
        }
    }
}

/// Progress on a terminal: how many are done, which one runs, and how long the rest takes if it is like what is done.
struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    total: usize,
    done: usize,
    current: String,
}

impl Progress {
    fn new(total: usize, shows: bool) -> Progress {
        let bar = (shows && total > 0).then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("[{pos}/{len}] {wide_bar} {msg}").expect("the template is valid");
            bar.set_style(style);
            bar
        });
        Progress { bar, started: Instant::now(), total, done: 0, current: String::new() }
    }

    fn begun(&mut self, name: &str) {
        self.current = clean(name);
        self.show();
    }

    fn ended(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        self.show();
    }

    fn tick(&self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }

    /// An estimate needs some models, and is no promise: one model can take longer than all before it.
    fn show(&self) {
        let Some(bar) = &self.bar else { return };
        #[expect(clippy::cast_precision_loss)]
        let left = self.started.elapsed().as_secs_f64() / self.done.max(1) as f64 * (self.total - self.done) as f64;
        let estimate =
            if self.done >= 3 { format!("   about {} if the rest is alike", time(left)) } else { String::new() };
        let name = self.current.rsplit('/').next().unwrap_or_default();
        bar.set_message(format!("{name}{estimate}"));
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
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
