//! A program of others as a child process with a limit on time.
//!
//! Its input is in a temporary folder, its output goes to a file there. It stays in the process group of this command, so that an interrupt from the
//! terminal reaches both; when the watch of this command stops, or the time is over, it is killed. Where there is a shell, a limit of the
//! system on processor time ends it even if this command itself is killed.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::commands::child::wait;

/// The most bytes of output that are read.
const MOST_OUTPUT: u64 = 64 << 20;

/// What to run.
pub(super) struct Job<'j> {
    /// The program.
    pub(super) command: &'j str,
    /// Its arguments; they may name the file of the input.
    pub(super) arguments: &'j dyn Fn(&Path) -> Vec<String>,
    /// The text of its input.
    pub(super) input: &'j str,
    /// Whether it reads the input from its standard input.
    pub(super) reads_input: bool,
    /// The most time.
    pub(super) most: Duration,
}

/// How a program ended.
pub(super) enum End {
    /// With success, and this output.
    Done(String),
    /// Without success.
    Failed,
    /// Killed, because its time was over or this command was stopped.
    Late,
}

/// Whether a program is in one of the folders of `PATH`.
pub(super) fn is_installed(command: &str) -> bool {
    path_of(command).is_some()
}

/// The first file of that name in the folders of `PATH`; the folder of the user's work is none of them.
fn path_of(command: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut files =
        std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).map(|folder| folder.join(command));
    files.find(|path| path.is_file())
}

/// Runs a program to its end, or to that of its time.
///
/// # Errors
/// When it does not start.
pub(super) fn run(job: &Job<'_>) -> std::io::Result<End> {
    let folder = tempfile::tempdir()?;
    let [input, output] = ["input", "output"].map(|name| folder.path().join(name));
    std::fs::write(&input, job.input)?;
    let program = path_of(job.command).ok_or(std::io::ErrorKind::NotFound)?;
    let mut command = limited(&program, job.most);
    command.args((job.arguments)(&input)).current_dir(folder.path());
    command.stdin(if job.reads_input { File::open(&input)?.into() } else { Stdio::null() });
    command.stdout(File::create(&output)?).stderr(Stdio::null());
    let deadline = Instant::now() + job.most;
    let is_over = || Instant::now() > deadline || limits::watch().consult().is_err();
    match wait(&mut command.spawn()?, &is_over)? {
        None => return Ok(End::Late),
        Some((status, _)) if !status.success() => return Ok(End::Failed),
        Some(_) => {}
    }
    let mut bytes = Vec::new();
    File::open(&output)?.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(End::Done(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The program under a limit of the system on its processor time.
fn limited(program: &Path, most: Duration) -> Command {
    let shell = Path::new("/bin/sh");
    if !shell.is_file() {
        return Command::new(program);
    }
    let mut command = Command::new(shell);
    let seconds = (most.as_secs() + 1).to_string();
    command.args(["-c", "ulimit -t \"$1\"; shift; exec \"$@\"", "sh", &seconds]).arg(program);
    command
}
