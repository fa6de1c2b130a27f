//! Files and standard streams: reading bytes, writing whole files, and a standard output that may close early.
//!
//! A file is written to a temporary file in the same folder and renamed over the old one, so that readers see the old
//! content or the new and never a part. A reader that closes our standard output early (`quotient .. | head`) has the
//! part that it wanted: the rest is dropped and the exit code stays that of the verdict.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::codes;
use crate::outcome::Failure;
use crate::paint::clean;

/// The time between two looks at the watch while nothing can be read.
const LOOK: Duration = Duration::from_millis(20);

/// The path that stands for standard input or output.
pub(crate) const STANDARD: &str = "-";

/// The name of a path in all output: no character of it moves the cursor or reorders text.
pub(crate) fn display(path: &Path) -> String {
    if path == Path::new(STANDARD) { "<stdin>".to_owned() } else { clean(&path.to_string_lossy()) }
}

/// As [`display`], of a path to which is written.
pub(crate) fn display_output(path: &Path) -> String {
    if path == Path::new(STANDARD) { "<stdout>".to_owned() } else { display(path) }
}

/// Reads at most `limit` bytes of a file, or of standard input for `-`.
///
/// # Errors
/// A problem with the file.
pub(crate) fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let name = display(path);
    let bytes = if path == Path::new(STANDARD) {
        watched(move || read_at_most(io::stdin().lock(), limit))
    } else {
        if path.is_dir() {
            return Err(Failure::file(&*name, codes::NOT_A_FILE, format!("`{name}` is a folder, not a file")));
        }
        let owned = path.to_owned();
        let read = move || File::open(owned).and_then(|file| read_at_most(file, limit));
        if path.is_file() { read() } else { watched(read) }
    };
    bytes.map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            let help = near(path).map(|other| format!("there is `{}`", display(&other)));
            return Failure::file(&*name, codes::FILE_NOT_FOUND, format!("there is no file `{name}`")).help_opt(help);
        }
        Failure::file(&*name, codes::UNREADABLE, format!("`{name}` cannot be read: {}", plain(&error)))
    })
}

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// The reason in words. A pipe or a device is refused without opening it.
pub(crate) fn read_regular(path: &Path, most: usize) -> Result<Vec<u8>, String> {
    let in_words = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => {
            let help = near(path).map(|other| format!("; there is `{}`", display(&other))).unwrap_or_default();
            format!("there is no file `{}`{help}", display(path))
        }
        _ => format!("`{}` cannot be read: {}", display(path), plain(&error)),
    };
    let metadata = std::fs::metadata(path).map_err(in_words)?;
    if !metadata.is_file() {
        return Err(format!("`{}` is no regular file", display(path)));
    }
    let bytes = File::open(path).and_then(|file| read_at_most(file, most + 1)).map_err(in_words)?;
    if bytes.len() > most {
        return Err(format!("`{}` has more than {} MiB", display(path), most >> 20));
    }
    Ok(bytes)
}

/// Reads what may never come, as from a pipe that nobody writes to, on a thread that is left behind when the watch stops.
fn watched(read: impl FnOnce() -> io::Result<Vec<u8>> + Send + 'static) -> io::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    // Nobody receives what comes after the watch has stopped.
    std::thread::spawn(move || drop(sender.send(read())));
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(bytes) => return bytes,
            Err(RecvTimeoutError::Timeout) => limits::check(),
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the input cannot be read")),
        }
    }
}

/// The entries of a folder.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn entries(folder: &Path) -> Result<Vec<std::fs::DirEntry>, Failure> {
    let listed = std::fs::read_dir(folder).and_then(Iterator::collect);
    listed.map_err(|error: io::Error| {
        let name = display(folder);
        Failure::file(&*name, codes::UNREADABLE, format!("the folder `{name}` cannot be listed: {}", plain(&error)))
            .help("let it be read, or name the models in other folders")
    })
}

fn read_at_most(mut from: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.by_ref().take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file in the same folder whose name is close to that of a missing one.
fn near(path: &Path) -> Option<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .take(10_000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let found = frontend::diagnostics::closest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(parent.map_or_else(|| PathBuf::from(found), |parent| parent.join(found)))
}

/// An error of the system without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// Refuses an output that could not be written, before the work is done for nothing.
///
/// # Errors
/// The path is a folder, or the folder it is in does not exist.
pub(crate) fn refuse_unwritable(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| *path != Path::new(STANDARD)) else { return Ok(()) };
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        Err(unwritable(&display(path), "it is a folder"))
    } else if folder.is_dir() {
        Ok(())
    } else {
        Err(unwritable(&display(path), &format!("there is no folder `{}`", display(folder))))
    }
}

fn unwritable(name: &str, why: &str) -> Failure {
    Failure::file(name, codes::UNWRITABLE, format!("`{name}` cannot be written: {why}"))
}

/// Writes a result to a file, or to standard output for `-` and `None`.
///
/// # Errors
/// The output cannot be written; a closed standard output is no error.
pub(crate) fn write(path: Option<&Path>, content: &[u8]) -> Result<(), Failure> {
    let path = path.filter(|path| *path != Path::new(STANDARD));
    let result = match path {
        None => to_stdout(content),
        Some(path) => write_whole(path, content),
    };
    result.map_err(|error| {
        let name = path.map_or_else(|| "<stdout>".to_owned(), display);
        unwritable(&name, &plain(&error))
    })
}

/// The width of the terminal behind standard output.
pub(crate) fn terminal_width() -> Option<u16> {
    let terminal = ::console::Term::stdout();
    terminal.features().is_attended().then(|| terminal.size().1)
}

fn to_stdout(content: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(content).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes a file whole or not at all. A pipe, a terminal or another irregular file is written to directly; a symbolic
/// link keeps its target; an existing file keeps its permissions.
fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let existing = std::fs::metadata(&target).ok();
    if let Some(metadata) = existing.as_ref().filter(|metadata| !metadata.is_file()) {
        if metadata.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
        }
        return File::options().write(true).open(&target)?.write_all(content);
    }
    let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".quotient-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // the umask applies, as for any new file
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(content)?;
    if let Some(metadata) = existing {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{read, refuse_unwritable, write};
    use std::fs;

    #[test]
    fn writing_replaces_the_whole_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.json");
        write(Some(&path), b"a long first content").expect("writes");
        write(Some(&path), b"second").expect("writes");
        assert_eq!(fs::read(&path).expect("reads"), b"second");
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn writing_keeps_permissions_and_follows_links() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "old").expect("writes");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("sets");
        std::os::unix::fs::symlink(&path, &link).expect("links");
        write(Some(&link), b"new").expect("writes");
        assert_eq!(fs::read(&path).expect("reads"), b"new");
        assert_eq!(fs::metadata(&path).expect("is there").permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).expect("is there").is_symlink());
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(write(Some(&folder.path().join("no/such/file")), b"x").is_err());
        assert!(write(Some(folder.path()), b"x").is_err());
        assert!(refuse_unwritable(Some(&folder.path().join("no/such/file"))).is_err());
        assert!(refuse_unwritable(Some(folder.path())).is_err());
        assert!(refuse_unwritable(Some(&folder.path().join("file"))).is_ok());
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model");
        fs::write(&path, "0123456789").expect("writes");
        assert_eq!(read(&path, 4).expect("reads"), b"0123");
        assert!(read(folder.path(), 4).is_err());
        assert!(read(&folder.path().join("absent"), 4).is_err());
    }
}
