//! One model: each command as a process of this binary, with the limits of the model.
//!
//! Processes have three advantages over threads: a stack that overflows, memory that the system takes back, and an
//! abort end a whole process, and no thread can catch them; peak memory and times are those of one model; and a
//! command that hangs can be ended. Starting a process costs a few milliseconds.
//!
//! The command receives the limits, and stops by itself with a partial report. The batch kills a command that still
//! runs long after its time. Children have separate process groups, so that an interrupt from the terminal reaches
//! the batch only, which ends them.
//!
//! Invariant: a row whose work was cut short by a signal to the batch is not a result, and is never kept.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use serde_json::Value as Json;

use super::census::Census;
use super::jobs::Job;
use super::repeated;
use super::row::{Row, Status, check_row, detect_row};
use crate::args::{Cli, ModelLimitArgs};
use crate::commands::child::wait;
use crate::paint::clean;

frontend::named! {
    /// A command that is run on a model.
    pub(super) enum Step {
        /// `detect`.
        Detect = "detect",
        /// `check`.
        Check = "check",
        /// `compare`.
        Compare = "compare",
    }
}

/// Whether a command of this binary has an option.
pub(super) fn takes(command: &str, option: &str) -> bool {
    let cli = Cli::command();
    let command = cli.find_subcommand(command);
    command.is_some_and(|command| command.get_arguments().any(|known| known.get_long() == Some(option)))
}

/// The settings with which every row is run.
pub(super) struct Plan {
    /// This binary.
    pub(super) binary: PathBuf,
    /// The commands.
    pub(super) steps: Vec<Step>,
    /// The threads of each search; those of the command by default.
    pub(super) search_threads: Option<u32>,
    /// Whether searches put states on the disk when memory is short.
    pub(super) spills: bool,
    /// How often each row is run.
    pub(super) repeat: u32,
    /// Whether rows of larger values are left out where one of smaller values met a limit.
    pub(super) skip_larger: bool,
}

/// The end of a command.
pub(super) enum End {
    /// With an exit code.
    Code(i32),
    /// By a signal that the batch did not send.
    Signal,
    /// By the batch, because it was late.
    Killed,
}

/// The results of a command: its end, its report, and the first line that it printed.
pub(super) struct CommandResult {
    /// Its end.
    pub(super) end: End,
    /// Its report.
    pub(super) report: Option<Json>,
    /// The first line that it printed.
    pub(super) said: Option<String>,
    /// The processor time that it used, where the system reports it.
    pub(super) cpu: Option<Duration>,
}

/// Runs the row of a model, as often as it is repeated; nothing when the batch is stopped.
pub(super) fn run(plan: &Plan, job: &Job, stop: &AtomicBool) -> Option<Row> {
    if let Some(message) = &job.refused {
        let mut row = empty(job);
        row.end(Status::Refused, Some(message.clone()));
        return Some(row);
    }
    let mut rows = vec![once(plan, job, stop)?];
    while rows[0].status == Status::Done && rows.len() < plan.repeat as usize {
        rows.push(once(plan, job, stop)?);
    }
    Some(repeated::merged(rows))
}

/// The row of a model without results.
pub(super) fn empty(job: &Job) -> Row {
    let mut row = Row::new(job.name.clone(), job.fingerprint.clone());
    row.constants = job.assignment.iter().cloned().collect();
    row.options = job.head.clone();
    row
}

/// Runs the commands on a model; nothing when the batch is stopped.
fn once(plan: &Plan, job: &Job, stop: &AtomicBool) -> Option<Row> {
    let started = Instant::now();
    let mut row = empty(job);
    for &step in &plan.steps {
        if step == Step::Compare {
            super::compared::compare(plan, job, stop, &mut row)?;
            continue;
        }
        match command(plan, job, step, stop) {
            Ok(None) => return None,
            Ok(Some(ran)) => take(&mut row, step, ran),
            Err(error) => row.end(Status::Crashed, Some(format!("{} did not start: {error}", step.name()))),
        }
        if row.status == Status::Refused {
            break; // the other commands would refuse it too
        }
    }
    row.seconds = started.elapsed().as_secs_f64();
    Some(row)
}

/// Runs one command; nothing when the batch is stopped.
fn command(plan: &Plan, job: &Job, step: Step, stop: &AtomicBool) -> std::io::Result<Option<CommandResult>> {
    let page = job.page.as_ref().filter(|_| step == Step::Check);
    let mut options = job.given.words(&|long| takes(step.name(), long));
    if let Some(page) = page {
        // In one word: the path may begin with a hyphen.
        let mut report = OsString::from("--report=");
        report.push(page);
        options.extend([report, "--report-format=html".into()]);
    }
    launch(plan, job, step.name(), &options, stop)
}

/// Runs a command of this binary on a model with further options; nothing when the batch is stopped.
pub(super) fn launch(
    plan: &Plan,
    job: &Job,
    name: &str,
    options: &[OsString],
    stop: &AtomicBool,
) -> std::io::Result<Option<CommandResult>> {
    let folder = tempfile::tempdir()?;
    let (report, said) = (folder.path().join("report.json"), folder.path().join("said"));
    let mut command = Command::new(&plan.binary);
    command.args([name, "--json", "--quiet", "--format", "short", "--colour", "never"]);
    command.arg("-o").arg(&report).args(&job.reading).args(options);
    let ModelLimitArgs { max_states, timeout, max_memory } = job.limits;
    let limits = [
        ("timeout", timeout.map(|timeout| format!("{}ms", timeout.as_millis()))),
        ("max-memory", max_memory.map(|bytes| bytes.to_string())),
        ("max-states", max_states.map(|states| states.to_string())),
        ("threads", plan.search_threads.map(|threads| threads.to_string())),
    ];
    for (option, value) in limits {
        if let Some(value) = value.filter(|_| takes(name, option)) {
            command.arg(format!("--{option}={value}"));
        }
    }
    let spills = plan.spills || job.given.has("spill") || job.given.has("no-spill");
    if !spills && takes(name, "no-spill") {
        command.arg("--no-spill");
    }
    command.arg("--").arg(&job.path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&said)?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Twice the time, and a while to read and to write.
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout * 2 + Duration::from_secs(20)));
    let is_stopped = || stop.load(Ordering::Relaxed);
    let is_over = || is_stopped() || deadline.is_some_and(|deadline| Instant::now() > deadline);
    let (end, cpu) = match wait(&mut command.spawn()?, &is_over)? {
        Some((status, cpu)) => (status.code().map_or(End::Signal, End::Code), cpu),
        None if is_stopped() => return Ok(None),
        None => (End::Killed, None),
    };
    let report = std::fs::read(&report).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let said = first_line(&said, &job.name);
    Ok(Some(CommandResult { end, report, said, cpu }))
}

/// The first line of a file that is not empty, without the path of the model at its beginning.
fn first_line(path: &Path, model: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 64 << 10), &mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let wanted = text.lines().find(|line| !line.trim().is_empty())?;
    let wanted = wanted.strip_prefix(model).and_then(|rest| rest.strip_prefix(':')).unwrap_or(wanted).trim_start();
    Some(clean(wanted).chars().take(300).collect())
}

/// Puts the result of a command into the row.
pub(super) fn take(row: &mut Row, step: Step, ran: CommandResult) {
    let CommandResult { end, report, said, cpu } = ran;
    let name = step.name();
    row.add_cpu(cpu);
    let Some(report) = report else {
        let fallback = |text: &str| Some(said.clone().unwrap_or_else(|| format!("{name}: {text}")));
        return match end {
            // The text was accepted before: this command does not support such models.
            End::Code(2) if row.language.is_some() => row.end(Status::Inconclusive, fallback("not for this model")),
            End::Code(2) => row.end(Status::Refused, fallback("refused")),
            End::Code(3) => row.end(Status::Inconclusive, fallback("a limit was reached")),
            End::Code(code) => row.end(Status::Crashed, fallback(&format!("ended with exit code {code}"))),
            End::Signal => {
                row.end(Status::Crashed, Some(format!("{name}: ended by the system, perhaps for lack of memory")));
            }
            End::Killed => {
                row.end(Status::Killed, Some(format!("{name}: ended because it passed its time by far")));
            }
        };
    };
    row.describe(&report);
    match step {
        Step::Check => row.check = Some(check_row(&report)),
        Step::Detect => {
            row.census = Some(Census::of(&report));
            row.detect = Some(detect_row(&report));
        }
        Step::Compare => {} // several commands, not one
    }
    match end {
        End::Code(0 | 1) => {}
        End::Code(3) => {
            row.end(Status::Inconclusive, Some(why(&report).unwrap_or_else(|| format!("{name}: inconclusive"))));
        }
        _ => row.end(Status::Crashed, said.or_else(|| Some(format!("{name} did not end as it should")))),
    }
}

/// The reason that a report is inconclusive: its limit, or its first open answer.
fn why(report: &Json) -> Option<String> {
    if let Some(kind) = report["limit"]["kind"].as_str() {
        return Some(format!("limit of {kind} reached ({})", report["limit"]["value"]));
    }
    let open = report["properties"].as_array()?.iter().find(|property| property["verdict"] == "inconclusive")?;
    let (name, message) = (open["name"].as_str()?, open["message"].as_str()?);
    Some(clean(&format!("{name}: {message}")))
}

#[cfg(test)]
mod tests {
    use super::{CommandResult, End, Row, Status, Step, take};
    use serde_json::json;

    fn ended(end: End, report: Option<serde_json::Value>) -> Row {
        let mut row = Row::new("m".to_owned(), String::new());
        take(&mut row, Step::Check, CommandResult { end, report, said: None, cpu: None });
        row
    }

    #[test]
    fn every_end_has_its_row() {
        assert_eq!(ended(End::Code(0), Some(json!({ "verdict": "holds" }))).status, Status::Done);
        assert_eq!(ended(End::Code(1), Some(json!({ "verdict": "violated" }))).status, Status::Done);
        assert_eq!(ended(End::Code(3), Some(json!({ "limit": { "kind": "time" } }))).status, Status::Inconclusive);
        assert_eq!(ended(End::Code(2), None).status, Status::Refused);
        assert_eq!(ended(End::Code(4), None).status, Status::Crashed);
        assert_eq!(ended(End::Signal, None).status, Status::Crashed);
        assert_eq!(ended(End::Killed, None).status, Status::Killed);
        // An exit code that does not fit the report is a fault, not an answer.
        assert_eq!(ended(End::Code(4), Some(json!({ "verdict": "holds" }))).status, Status::Crashed);
        assert_eq!(ended(End::Signal, Some(json!({ "verdict": "holds" }))).status, Status::Crashed);
    }
}
