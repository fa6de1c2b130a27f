//! `quotient mcc`: an examination of the Model Checking Contest, in the lines that its rules ask for.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use checker::Limits;
use frontend::diagnostics::Diagnostics;
use frontend::pnml;
use limits::Stopped;
use pipeline::contest::{Answered, Examination, Means, Request, Value, examine, open};
use pipeline::{Plan, Slicing};

use crate::args::MccArgs;
use crate::console::Console;
use crate::outcome::{Failure, Outcome, reporting};
use crate::render::progress::Watch;
use crate::{io, load, room};

/// The net of a folder.
const NET: &str = "model.pnml";
/// The line for examinations that are not known.
const NOT_COMPETING: &str = "DO_NOT_COMPETE";
/// The word for questions without an answer.
const OPEN: &str = "CANNOT_COMPUTE";

/// Answers an examination about the net of a folder.
pub(crate) fn run(args: &MccArgs, console: &mut Console) -> Result<Outcome, Failure> {
    let Some(examination) = Examination::named(&args.examination) else {
        io::write(None, format!("{NOT_COMPETING}\n").as_bytes())?;
        return Ok(Outcome::Done);
    };
    let read = limits::watch().run(|| read(args, examination, console));
    let Read { loaded, asked, is_read } = match read {
        Ok(read) => read?,
        Err(stopped) => {
            reporting(|| write_open(args, examination, &[], console))?;
            return Ok(Outcome::stopped(stopped));
        }
    };
    let max_memory = room::most_memory(args.limits.max_memory.or_else(crate::world::default_memory));
    let request = Request { limits: Limits { max_memory, ..Limits::default() }, plan: plan(args) };
    let mut is_open = false;
    let mut watch = Watch::new(console.shows_progress());
    let mut failed = None;
    let mut told: Vec<String> = Vec::new();
    let mut tell = |answer: Answered| {
        told.push(answer.name.clone());
        is_open |= answer.value == Value::Open;
        if let Err(failure) = io::write(None, line(examination, &answer).as_bytes()) {
            failed.get_or_insert(failure);
        }
    };
    // What a limit outside of a search leaves without an answer is open.
    let whole = limits::watch().enter(|| examine(&loaded, examination, asked, &request, &mut watch, &mut tell));
    is_open |= whole.is_err();
    if !is_read || whole.is_err() {
        reporting(|| write_open(args, examination, &told, console))?;
    }
    match failed {
        Some(failure) => Err(failure),
        None => outcome(is_read, is_open, limits::watch().consult().err()),
    }
}

/// The outcome after all answers.
fn outcome(is_read: bool, is_open: bool, stopped: Option<Stopped>) -> Result<Outcome, Failure> {
    match stopped.filter(|_| is_open).map(Outcome::stopped) {
        Some(interrupted @ Outcome::Interrupted(_)) => Ok(interrupted),
        // Those that are read are answered.
        _ if !is_read => Err(Failure::Reported),
        Some(stopped) => Ok(stopped),
        None => Ok(if is_open { Outcome::Inconclusive } else { Outcome::Done }),
    }
}

/// A net with the questions about it.
struct Read {
    loaded: pnml::Loaded,
    asked: Vec<pnml::Asked>,
    /// Whether all questions are read.
    is_read: bool,
}

/// Reads the net of a folder and the questions of an examination.
fn read(args: &MccArgs, examination: Examination, console: &mut Console) -> Result<Read, Failure> {
    let source = load::read_source(&args.folder.join(NET), console)?;
    let mut diagnostics = Diagnostics::new();
    let loaded = pnml::read(&source.text, &mut diagnostics);
    let refused = diagnostics.has_errors();
    console.report(diagnostics, &source);
    let Some(loaded) = loaded.filter(|_| !refused) else {
        io::write(None, format!("{OPEN}\n").as_bytes())?;
        return Err(Failure::Reported);
    };
    let (asked, is_read) = match examination.has_file() {
        true => questions(&file(args, examination), examination.time(), &loaded.net, console)?,
        false => (Vec::new(), true),
    };
    Ok(Read { loaded, asked, is_read })
}

/// The file of the questions of an examination.
fn file(args: &MccArgs, examination: Examination) -> PathBuf {
    args.folder.join(format!("{}.xml", examination.name()))
}

/// Says of each question but those that were answered that it is open: after a limit or a signal while the net was read, or where a formula is
/// refused.
fn write_open(
    args: &MccArgs,
    examination: Examination,
    answered: &[String],
    console: &mut Console,
) -> Result<(), Failure> {
    let mut ids = match examination.has_file() {
        true => pnml::ids_of_questions(&load::read_source(&file(args, examination), console)?.text),
        false => Vec::new(),
    };
    ids.retain(|id| !answered.contains(id));
    let open = open(examination, &ids).into_iter().filter(|answer| !answered.contains(&answer.name));
    open.into_iter().try_for_each(|answer| io::write(None, line(examination, &answer).as_bytes()))
}

/// The reductions that are allowed.
fn plan(args: &MccArgs) -> Plan {
    match args.plain {
        false => Plan { symmetry: args.symmetry.get(), ..Plan::default() },
        true => Plan {
            slicing: Slicing::Off,
            dead_values: false,
            symmetry: None,
            heap_symmetry: false,
            partial_order: false,
            ..Plan::default()
        },
    }
}

/// The questions of a file, and whether all of them are read.
fn questions(
    path: &Path,
    time: Option<pnml::Time>,
    net: &pnml::Net,
    console: &mut Console,
) -> Result<(Vec<pnml::Asked>, bool), Failure> {
    let source = load::read_source(path, console)?;
    let mut diagnostics = Diagnostics::new();
    let asked = pnml::questions(net, &source.text, time, &mut diagnostics);
    let is_read = !diagnostics.has_errors();
    console.report(diagnostics, &source);
    Ok((asked, is_read))
}

/// An answer as a line.
fn line(examination: Examination, answer: &Answered) -> String {
    let mut line = String::new();
    let value = match &answer.value {
        Value::Truth(true) => "TRUE".to_owned(),
        Value::Truth(false) => "FALSE".to_owned(),
        Value::Number(number) => number.clone(),
        Value::Infinite => "+inf".to_owned(),
        Value::Open => OPEN.to_owned(),
    };
    let word = if examination == Examination::StateSpace { "STATE_SPACE" } else { "FORMULA" };
    let _ = write!(line, "{word} {} {value}", answer.name);
    if answer.value != Value::Open {
        let means = match answer.means {
            Means::Explicit => "EXPLICIT",
            Means::Symmetries => "EXPLICIT SYMMETRIES",
            Means::Structural => "STRUCTURAL_REDUCTION",
        };
        let _ = write!(line, " TECHNIQUES {means}");
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::{Failure, Outcome, outcome};
    use limits::{Cause, Stopped};

    #[test]
    fn a_signal_is_the_outcome_whatever_was_refused() {
        let by = |cause| Some(Stopped { cause, phase: "", is_share: false });
        let (signal, time) = (Cause::Signal(15), Cause::Time(std::time::Duration::ZERO));
        for is_read in [false, true] {
            assert!(matches!(outcome(is_read, true, by(signal)), Ok(Outcome::Interrupted(15))));
        }
        assert!(matches!(outcome(false, true, by(time)), Err(Failure::Reported)));
        assert!(matches!(outcome(true, true, by(time)), Ok(Outcome::Inconclusive)));
        assert!(matches!(outcome(true, false, by(signal)), Ok(Outcome::Done)));
        assert!(matches!(outcome(false, false, None), Err(Failure::Reported)));
    }
}
