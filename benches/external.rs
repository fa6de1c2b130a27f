//! Runs models that are not part of the project: every `.rebeca` file below the folders given, as a table.
//!
//! ```text
//! cargo bench -p quotient-benches --bench external -- FOLDER..
//! ```
//!
//! Each model is explored whole, up to [`MAX_STATES`] states and [`TIMEOUT`], with the property file of the same stem if
//! there is one. The last column is the first violated answer, the limit that was reached, or the first diagnostic of a text
//! that is refused. A model on which the tool itself fails is reported as `internal error` and ends the run in exit code 1.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use battery::harness::{check, files, read_model, read_properties};
use checker::{Limits, Question, Report, SearchOrder, Verdict};
use frontend::diagnostics::{Diagnostics, Severity};
use frontend::lower::LowerOptions;
use frontend::model::Dialect;
use frontend::source::Source;

const MAX_STATES: u64 = 2_000_000;

const TIMEOUT: Duration = Duration::from_secs(600);

/// The stack that parsing and lowering may use.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let folders: Vec<PathBuf> =
        std::env::args_os().skip(1).filter(|word| word != "--bench").map(PathBuf::from).collect();
    if folders.is_empty() || !folders.iter().all(|folder| folder.exists()) {
        eprintln!("usage: external FOLDER..  (folders or files that exist)");
        return ExitCode::from(2);
    }
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || table(&folders));
    let failed = worker.expect("a thread starts").join().unwrap_or(true);
    ExitCode::from(u8::from(failed))
}

/// Prints the table; whether the tool failed on some model.
fn table(folders: &[PathBuf]) -> bool {
    let mut paths = Vec::new();
    for folder in folders {
        if folder.is_dir() {
            paths.extend(files(folder, &["rebeca"], true));
        } else {
            paths.push(folder.clone());
        }
    }
    let width = paths.iter().map(|path| path.display().to_string().chars().count()).max().unwrap_or(0).max(5);
    let head = ["dialect", "verdict", "states", "transitions", "deadlocks", "seconds"].map(str::to_owned);
    line(width, "model", &head, "first violated answer, limit or diagnostic");
    std::panic::set_hook(Box::new(|_| {})); // a panic is a row of the table
    let mut failed = false;
    for path in &paths {
        let start = Instant::now();
        let row = catch_unwind(AssertUnwindSafe(|| model(path))).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text");
            Row::failed(message)
        });
        failed |= row.verdict == INTERNAL;
        let [states, transitions, deadlocks] =
            row.counts.map(|count| count.map_or("-".to_owned(), |count| count.to_string()));
        let seconds = format!("{:.2}", start.elapsed().as_secs_f64());
        let columns = [row.dialect.to_owned(), row.verdict.to_owned(), states, transitions, deadlocks, seconds];
        line(width, &path.display().to_string(), &columns, row.remark.lines().next().unwrap_or_default());
    }
    failed
}

fn line(width: usize, path: &str, columns: &[String; 6], remark: &str) {
    let [dialect, verdict, states, transitions, deadlocks, seconds] = columns;
    let text = format!(
        "{path:<width$}  {dialect:<7}  {verdict:<14}  {states:>9}  {transitions:>11}  {deadlocks:>9}  {seconds:>7}  {remark}"
    );
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end()); // a reader that went away has what it wanted
}

const INTERNAL: &str = "internal error";

/// The report on one model.
struct Row {
    dialect: &'static str,
    verdict: &'static str,
    /// States, transitions, deadlocks.
    counts: [Option<u64>; 3],
    remark: String,
}

impl Row {
    fn failed(message: &str) -> Row {
        Row { dialect: "-", verdict: INTERNAL, counts: [None; 3], remark: message.to_owned() }
    }

    fn refused(dialect: &'static str, path: &Path, text: &[u8], found: &Diagnostics) -> Row {
        let mut found = found.clone();
        found.sort();
        let first = found.list.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        let Some(first) = first else { return Row::failed("neither a model nor an error") };
        let source = Source::new(path.display().to_string(), String::from_utf8_lossy(text));
        let line = if first.span.is_none() { 0 } else { source.position(first.span.start).line };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let remark = format!("{}: {} ({name}:{line})", first.code, first.message);
        Row { dialect, verdict: "refused", counts: [None; 3], remark }
    }
}

fn model(path: &Path) -> Row {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Row { verdict: "unreadable", ..Row::failed(&error.to_string()) },
    };
    let (model, found) = read_model(&bytes, &LowerOptions::default());
    let Some(model) = model else { return Row::refused("-", path, &bytes, &found) };
    let dialect = match model.dialect {
        Dialect::Rebeca20 => "2.0",
        Dialect::Rebeca21 => "2.1",
    };
    let limits = Limits { max_states: Some(MAX_STATES), ..Limits::default() };
    let mut question = Question { limits, ..Question::default() };
    let properties = path.with_extension("property");
    if let Ok(bytes) = std::fs::read(&properties) {
        let (set, found) = read_properties(&bytes, &model);
        let Some(set) = set else { return Row::refused(dialect, &properties, &bytes, &found) };
        question.properties = set;
    }
    let watch = limits::Watch::new(Arc::new(limits::System::default()), Some(TIMEOUT), None);
    let run = || check(&model, &question, SearchOrder::BreadthFirst, true);
    match watch.enter(run).unwrap_or_else(|stopped| Err(stopped.to_string())) {
        Err(error) => Row::failed(&error),
        Ok(report) => Row {
            dialect,
            verdict: match report.verdict {
                Verdict::Holds => "holds",
                Verdict::Violated => "violated",
                Verdict::Inconclusive => "inconclusive",
            },
            counts: [Some(report.states), Some(report.transitions), report.deadlock_states],
            remark: remark(&report),
        },
    }
}

/// Why a report does not say `holds`.
fn remark(report: &Report) -> String {
    let with = |verdict| report.answers.iter().find(move |answer| answer.verdict == verdict);
    if let Some(answer) = with(Verdict::Violated) {
        return format!("{}: {:?}", answer.name, answer.finding);
    }
    match (report.limit, with(Verdict::Inconclusive)) {
        (Some(limit), _) => format!("limit: {:?} {}", limit.kind, limit.value),
        (None, Some(answer)) => format!("{}: {:?}", answer.name, answer.finding),
        (None, None) => String::new(),
    }
}
