//! The rows to come: each model with each assignment of its constants, and the options that apply to it.
//!
//! Options of the command line win over those of the model's head line ([`head`]). A head line that is wrong makes a row that says so.
//!
//! Invariant: rows of one model stand next to each other, in the order of the assignments; no two rows have the same identity.

use std::path::{Path, PathBuf};

use frontend::diagnostics::render_short;

use super::{DEFAULTS, Kind, find, page};
use crate::args::sweep::{self, Assignment};
use crate::args::{BatchArgs, Given, ModelLimitArgs};
use crate::codes;
use crate::commands::head::{self, Settings};
use crate::console::Console;
use crate::io;
use crate::outcome::Failure;

/// A row to come.
#[derive(Default)]
pub(super) struct Job {
    /// The model's path.
    pub(super) path: PathBuf,
    /// Its path in rows.
    pub(super) name: String,
    /// The fingerprint of its texts.
    pub(super) fingerprint: String,
    /// The file of its page.
    pub(super) page: Option<PathBuf>,
    /// The values of the constants that have several.
    pub(super) assignment: Assignment,
    /// The options for reading it, as words.
    pub(super) reading: Vec<String>,
    /// Its limits.
    pub(super) limits: ModelLimitArgs,
    /// The options of `check` and `detect`.
    pub(super) given: Given,
    /// The options of its head line.
    pub(super) head: Option<String>,
    /// The reason that it is not run.
    pub(super) refused: Option<String>,
}

impl Job {
    /// Its name for people: the path, and the values of constants.
    pub(super) fn key(&self) -> String {
        sweep::named(&self.name, &sweep::written(&self.assignment))
    }

    /// What tells it from every other row.
    pub(super) fn identity(&self) -> String {
        identity(&self.name, &sweep::written(&self.assignment))
    }
}

/// What tells a row from every other: no path contains the character between the two parts.
pub(super) fn identity(path: &str, constants: &str) -> String {
    format!("{path}\0{constants}")
}

/// The rows of this shard, in which each model is whole. Head lines are options of `batch` only.
pub(super) fn jobs(kind: Kind, args: &BatchArgs, console: &mut Console) -> Result<Vec<Job>, Failure> {
    let models = find::models(&args.paths)?;
    let (index, of) = args.work.shard.unwrap_or((1, 1));
    assert!((1..=of).contains(&index), "a shard is one of all");
    let pages = match &args.report.html {
        Some(html) if html != Path::new(io::STANDARD) => Some(super::make_folder(&page::folder(html))?),
        _ => None,
    };
    let mine = models.into_iter().enumerate().filter(|(number, _)| number % of == index - 1).map(|(_, path)| path);
    let mut jobs = Vec::new();
    for path in mine {
        of_model(kind, args, path, console, &mut jobs)?;
    }
    for job in &mut jobs {
        let name = page::file_name(&job.key(), super::hash([job.identity().as_bytes()]));
        job.page = pages.as_ref().map(|folder| folder.join(name));
    }
    Ok(jobs)
}

/// The rows of one model.
fn of_model(
    kind: Kind,
    args: &BatchArgs,
    path: PathBuf,
    console: &mut Console,
    jobs: &mut Vec<Job>,
) -> Result<(), Failure> {
    let bytes = super::content(&path);
    let name = path.to_string_lossy().into_owned();
    let fingerprint = super::fingerprint(&path, &bytes);
    let plain = Job { path, name, fingerprint, ..Job::default() };
    let own = Settings { reading: args.reading.clone(), limits: args.limits, given: args.passed.0.clone(), text: None };
    let (defaults, settings) = match kind {
        Kind::Batch => (DEFAULTS, head::settings(&plain.path, &bytes, &own)),
        Kind::Sweep(..) => (ModelLimitArgs::default(), Ok(own)),
    };
    let Settings { reading, limits, given, text } = match settings {
        Ok(settings) => settings,
        Err(wrong) => {
            let (diagnostic, source) = *wrong;
            let short = render_short(&diagnostic, &source);
            let message = short.strip_prefix(&format!("{}:", source.name)).unwrap_or(&short).to_owned();
            console.report_one(diagnostic, &source);
            jobs.push(Job { refused: Some(message), ..plain });
            return Ok(());
        }
    };
    let limits = limits.or(defaults);
    let assignments = sweep::assignments(&reading.constants).map_err(|message| too_many(&plain.path, message))?;
    for assignment in assignments {
        jobs.push(Job {
            path: plain.path.clone(),
            name: plain.name.clone(),
            fingerprint: plain.fingerprint.clone(),
            reading: reading.assigned(&assignment).words(),
            assignment,
            limits,
            given: given.clone(),
            head: text.clone(),
            ..Job::default()
        });
    }
    Ok(())
}

/// The failure of values for constants that make too many rows.
pub(crate) fn too_many(path: &Path, message: String) -> Failure {
    Failure::file(io::display(path), codes::CONTRADICTION, message).help("give fewer values, or each constant once")
}
