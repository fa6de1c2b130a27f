//! Checkpoints as files: `--checkpoint DIR` and `--resume DIR`.
//!
//! The file `search.checkpoint` of the folder is `QUOTIENT`, the version of the format, the fingerprint of the tool,
//! the model and the question, the length of the content, the content, and its checksum (CRC-32 of everything
//! before). It is written under another name, flushed to the disk, and renamed, so that the old one stays until the
//! new one is complete. The search reports a checkpoint that cannot be written and continues.
//!
//! A process that writes checkpoints holds a lock on the folder, which ends with the process. A search that does not
//! continue from an existing checkpoint does not replace it, unless that is requested.
//!
//! Soundness: a resumed checkpoint has the checksum and the fingerprint of this very question and of this very
//! program; limits may differ.

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::codes;
use crate::outcome::Failure;
use pipeline::stamp::{self, Fingerprint};

const NAME: &str = "search.checkpoint";
/// The prefix of the names of incomplete checkpoints.
const HALF: &str = ".checkpoint-";
const MAGIC: &[u8; 8] = b"QUOTIENT";
const VERSION: u32 = 4;
const HEAD: usize = 8 + 4 + 16 + 8;
/// The bytes that are written at once, and read between two looks at the watch.
const BLOCK: usize = 1 << 20;

/// The file of the checkpoint in a folder.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// The fingerprint of this program: a hash of its file, so that a program built from other sources has another one.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn build() -> Result<String, Failure> {
    hash_of_program().map_err(|error| Failure::Internal(format!("the file of this program cannot be read: {error}")))
}

fn hash_of_program() -> io::Result<String> {
    // On Linux the running file, also if another one has replaced it since.
    let running = Path::new("/proc/self/exe");
    let mut file = File::open(running).or_else(|_| File::open(std::env::current_exe()?))?;
    let (hash, bytes) = stamp::hash(&mut file)?;
    Ok(format!("{hash:016x}-{bytes}"))
}

/// The place and the time of checkpoints.
pub(crate) struct CheckpointWriter {
    folder: PathBuf,
    /// Held as long as checkpoints may be written.
    _lock: File,
    every: Duration,
    last: Instant,
    fingerprint: Fingerprint,
    /// The reason that the last one could not be written.
    pub(crate) failure: Option<String>,
    /// The number of written checkpoints.
    pub(crate) written: u64,
}

impl CheckpointWriter {
    /// Keeps checkpoints in a folder, which is made if it does not exist. With `replaces`, an existing one may be
    /// replaced.
    ///
    /// # Errors
    /// There can be no such folder, another process uses it, or it has a checkpoint that must not be replaced.
    pub(crate) fn new(
        folder: &Path,
        every: Duration,
        fingerprint: Fingerprint,
        replaces: bool,
    ) -> Result<CheckpointWriter, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| unusable(folder, &format!("cannot be made: {error}")))?;
        let lock = lock(folder)?;
        if !replaces && folder.join(NAME).exists() {
            return Err(kept_already(folder));
        }
        forget_halves(folder);
        let folder = folder.to_owned();
        Ok(CheckpointWriter {
            folder,
            _lock: lock,
            every,
            last: Instant::now(),
            fingerprint,
            failure: None,
            written: 0,
        })
    }

    /// Whether a checkpoint is due; at the end always.
    pub(crate) fn is_due(&self, last: bool) -> bool {
        last || self.last.elapsed() >= self.every
    }

    /// Writes a checkpoint, whole or not at all.
    pub(crate) fn keep(&mut self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        match self.write(content) {
            Ok(()) => self.written += 1,
            Err(error) => self.failure = Some(error.to_string()),
        }
        self.last = Instant::now();
    }

    fn write(&self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut length = Length(0);
        content(&mut length)?;
        let mut temporary = tempfile::Builder::new().prefix(HALF).tempfile_in(&self.folder)?;
        let summed = Summed { to: temporary.as_file_mut(), sum: crc32fast::Hasher::new() };
        let mut to = BufWriter::with_capacity(BLOCK, summed);
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        to.write_all(&self.fingerprint)?;
        to.write_all(&length.0.to_le_bytes())?;
        content(&mut to)?;
        to.flush()?;
        let sum = to.get_ref().sum.clone().finalize();
        to.write_all(&sum.to_le_bytes())?;
        to.flush()?;
        drop(to);
        temporary.as_file().sync_all()?;
        temporary.persist(self.folder.join(NAME))?;
        Ok(())
    }
}

/// Locks a folder for this process. The system ends the lock with the process, however that ends.
fn lock(folder: &Path) -> Result<File, Failure> {
    // Where a folder cannot be opened as a file, a file in it is locked.
    let file = File::open(folder).or_else(|_| File::create(folder.join(".lock")));
    let file = file.map_err(|error| unusable(folder, &format!("cannot be locked: {error}")))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let name = crate::io::display(folder);
            let message = format!("the folder `{name}` of checkpoints is used by another process");
            Err(Failure::file(&name, codes::UNUSABLE_CHECKPOINT, message)
                .help("wait until it ends, or keep the checkpoints of this search in another folder"))
        }
        Err(TryLockError::Error(error)) => Err(unusable(folder, &format!("cannot be locked: {error}"))),
    }
}

fn kept_already(folder: &Path) -> Failure {
    let name = crate::io::display(folder);
    let message = format!("the folder `{name}` has a checkpoint, which this search would replace");
    Failure::file(&name, codes::UNUSABLE_CHECKPOINT, message)
        .help("continue from it with `--resume`, replace it with `--overwrite`, or name another folder")
}

/// Whether two paths lead to one folder.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Removes the files that a process left behind when it was killed while it wrote.
fn forget_halves(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(HALF)) {
        // A file that stays does no harm.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Counts bytes.
struct Length(u64);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sums up the bytes that it passes on; it is given large blocks.
struct Summed<W> {
    to: W,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The content of the checkpoint in a folder.
///
/// # Errors
/// There is none, it is damaged, or it belongs to another model, question or version.
pub(crate) fn resume(folder: &Path, fingerprint: Fingerprint) -> Result<Vec<u8>, Failure> {
    let path = folder.join(NAME);
    let metadata = std::fs::metadata(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let message = format!("there is no checkpoint in the folder `{}`", crate::io::display(folder));
            Failure::usage(codes::UNUSABLE_CHECKPOINT, message)
                .help("leave `--resume` out to begin a search; `--checkpoint` of that search writes one")
        }
        _ => unusable(&path, &format!("cannot be read: {error}")),
    })?;
    if !metadata.is_file() {
        return Err(unusable(&path, "is no regular file"));
    }
    let unreadable = |error: io::Error| unusable(&path, &format!("cannot be read: {error}"));
    let content = File::open(&path).and_then(|file| content(file, metadata.len(), fingerprint)).map_err(unreadable)?;
    content.map_err(|why| unusable(&path, why))
}

/// The content of a checkpoint of so many bytes, whose head is read before room is taken for the rest; inside, why it is none.
fn content(mut from: impl Read, len: u64, fingerprint: Fingerprint) -> io::Result<Result<Vec<u8>, &'static str>> {
    let mut head = [0; HEAD];
    let Some(wanted) = len.checked_sub(HEAD as u64 + 4) else { return Ok(Err("is no checkpoint, or not a whole one")) };
    from.read_exact(&mut head)?;
    if !head.starts_with(MAGIC) {
        return Ok(Err("is no checkpoint, or not a whole one"));
    }
    if head[8..12] != VERSION.to_le_bytes() {
        return Ok(Err("was written by another version of the tool"));
    }
    if head[12..28] != fingerprint {
        return Ok(Err("is of another model, other properties, other options or another build of the tool"));
    }
    if head[28..36] != wanted.to_le_bytes() {
        return Ok(Err("is damaged: its length is wrong"));
    }
    // Whether a small checkpoint can be continued is said even where a limit is met at once.
    if wanted > BLOCK as u64 {
        limits::reserve(wanted);
    }
    let mut bytes = Vec::new();
    if usize::try_from(wanted).map_or(true, |wanted| bytes.try_reserve_exact(wanted).is_err()) {
        limits::refused(wanted);
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&head);
    let mut block = vec![0; BLOCK];
    let mut rest = wanted;
    while rest > 0 {
        let read = &mut block[..BLOCK.min(usize::try_from(rest).unwrap_or(BLOCK))];
        from.read_exact(read)?;
        sum.update(read);
        bytes.extend_from_slice(read);
        rest -= read.len() as u64;
        if rest > 0 {
            limits::check();
        }
    }
    assert_eq!(bytes.len() as u64, wanted, "the content is as long as its head says");
    let mut end = [0; 4];
    from.read_exact(&mut end)?;
    let is_whole = sum.finalize().to_le_bytes() == end;
    Ok(if is_whole { Ok(bytes) } else { Err("is damaged: its checksum is wrong") })
}

fn unusable(path: &Path, why: &str) -> Failure {
    let name = crate::io::display(path);
    Failure::file(&name, codes::UNUSABLE_CHECKPOINT, format!("the checkpoint `{name}` {why}"))
        .help("search anew, into another folder or with `--overwrite`")
}

#[cfg(test)]
mod tests {
    use pipeline::stamp::fingerprint;

    use super::*;

    fn kept(folder: &Path, text: &[u8]) -> CheckpointWriter {
        let mut checkpoint_writer =
            CheckpointWriter::new(folder, Duration::ZERO, fingerprint("model"), true).expect("a folder");
        checkpoint_writer.keep(&mut |to| to.write_all(text));
        checkpoint_writer
    }

    #[test]
    fn kept_states_are_resumed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("made");
        assert_eq!(kept(&inner, b"first").written, 1);
        assert!(kept(&inner, b"second").failure.is_none());
        assert_eq!(resume(&inner, fingerprint("model")).expect("resumes"), b"second");
        assert!(resume(&inner, fingerprint("other")).is_err());
        assert!(resume(folder.path(), fingerprint("model")).is_err());
        assert_eq!(std::fs::read_dir(&inner).expect("lists").count(), 1);
    }

    #[test]
    fn halves_of_a_killed_process_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(".checkpoint-x1"), b"half").expect("writes");
        kept(folder.path(), b"whole");
        assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 1);
    }

    #[test]
    fn a_folder_is_used_once_at_a_time_and_its_checkpoint_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let new = |replaces| CheckpointWriter::new(folder.path(), Duration::ZERO, fingerprint("model"), replaces);
        let checkpoint_writer = kept(folder.path(), b"old");
        assert!(new(true).is_err());
        drop(checkpoint_writer);
        assert!(new(false).is_err());
        assert!(new(true).is_ok());
        assert_eq!(resume(folder.path(), fingerprint("model")).expect("resumes"), b"old");
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        kept(folder.path(), b"some content");
        let path = folder.path().join(NAME);
        let whole = std::fs::read(&path).expect("reads");
        let is_refused =
            |bytes: &[u8]| !content(bytes, bytes.len() as u64, fingerprint("model")).is_ok_and(|found| found.is_ok());
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(is_refused(&damaged), "byte {at}");
            assert!(is_refused(&whole[..at]), "cut at {at}");
        }
        assert!(!is_refused(&whole));
    }

    /// The head says what the file is before anything else of it is read, or room is taken for it.
    #[test]
    fn the_rest_of_what_is_no_checkpoint_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        kept(folder.path(), b"some content");
        let path = folder.path().join(NAME);
        let mut bytes = std::fs::read(&path).expect("reads");
        let long = u64::MAX / 2;
        for (len, fingerprint) in [(long, fingerprint("model")), (long, fingerprint("other"))] {
            assert!(content(bytes.as_slice(), len, fingerprint).expect("the head is read").is_err());
        }
        bytes[28..36].copy_from_slice(&(long - 40).to_le_bytes());
        let stopped = limits::Watch::unlimited().run(|| content(bytes.as_slice(), long, fingerprint("model")).is_ok());
        assert!(stopped.is_err_and(|stopped| matches!(stopped.cause, limits::Cause::Memory(_))));
        std::fs::remove_file(&path).expect("removes");
        std::fs::create_dir(&path).expect("a folder");
        assert!(resume(folder.path(), fingerprint("model")).is_err());
    }

    #[test]
    fn a_checkpoint_that_cannot_be_written_leaves_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut checkpoint_writer = kept(folder.path(), b"old");
        let mut calls = 0;
        checkpoint_writer.keep(&mut |to| {
            calls += 1;
            to.write_all(b"half")?;
            if calls == 2 { Err(io::Error::other("disk full")) } else { Ok(()) }
        });
        assert!(checkpoint_writer.failure.is_some() && checkpoint_writer.written == 1);
        assert_eq!(resume(folder.path(), fingerprint("model")).expect("resumes"), b"old");
    }
}
