//! Checkpoints as files: `--checkpoint DIR` and `--resume DIR`.
//!
//! The file `search.checkpoint` of the folder is `QUOTIENT`, the version of the format, the fingerprint of the tool, the model and
//! the question, the length of the content, the content, and its checksum (CRC-32 of everything before). It is written under
//! another name, brought to the disk, and renamed, so that the old one stays until the new one is complete. A
//! checkpoint that cannot be written is told and the search goes on.
//!
//! Soundness: what is resumed has the checksum and the fingerprint of this very question; limits may differ.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use frontend::diagnostics::{Diagnostic, codes};
use frontend::source::Span;

use crate::outcome::Failure;
use pipeline::stamp::Fingerprint;

const NAME: &str = "search.checkpoint";
/// How the names of checkpoints begin that are not complete.
const HALF: &str = ".checkpoint-";
const MAGIC: &[u8; 8] = b"QUOTIENT";
const VERSION: u32 = 3;
const HEAD: usize = 8 + 4 + 16 + 8;

/// Where checkpoints are kept, and when.
pub(crate) struct Keeper {
    folder: PathBuf,
    every: Duration,
    last: Instant,
    fingerprint: Fingerprint,
    /// Why the last one could not be written.
    pub(crate) failure: Option<String>,
    /// How many were written.
    pub(crate) written: u64,
}

impl Keeper {
    /// Keeps checkpoints in a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// There can be no such folder.
    pub(crate) fn new(folder: &Path, every: Duration, fingerprint: Fingerprint) -> Result<Keeper, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| unusable(folder, &format!("cannot be made: {error}")))?;
        forget_halves(folder);
        let folder = folder.to_owned();
        Ok(Keeper { folder, every, last: Instant::now(), fingerprint, failure: None, written: 0 })
    }

    /// Whether one is due; at the end always.
    pub(crate) fn is_due(&self, last: bool) -> bool {
        last || self.last.elapsed() >= self.every
    }

    /// Writes one, whole or not at all.
    pub(crate) fn keep(&mut self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        match self.write(content) {
            Ok(()) => self.written += 1,
            Err(error) => self.failure = Some(error.to_string()),
        }
        self.last = Instant::now();
    }

    fn write(&self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut measure = Measured { to: io::sink(), bytes: 0, sum: crc32fast::Hasher::new() };
        content(&mut measure)?;
        let mut temporary = tempfile::Builder::new().prefix(HALF).tempfile_in(&self.folder)?;
        let to = BufWriter::with_capacity(1 << 20, temporary.as_file_mut());
        let mut to = Measured { to, bytes: 0, sum: crc32fast::Hasher::new() };
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        to.write_all(&self.fingerprint)?;
        to.write_all(&measure.bytes.to_le_bytes())?;
        content(&mut to)?;
        let sum = to.sum.clone().finalize();
        to.write_all(&sum.to_le_bytes())?;
        to.flush()?;
        drop(to);
        temporary.as_file().sync_all()?;
        temporary.persist(self.folder.join(NAME))?;
        Ok(())
    }
}

/// Removes what a process that was killed while it wrote has left behind.
fn forget_halves(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(HALF)) {
        // One that stays does no harm.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Counts and sums up what it passes on.
struct Measured<W> {
    to: W,
    bytes: u64,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Measured<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
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
/// There is none, it is damaged, or it is of another model, question or version.
pub(crate) fn resume(folder: &Path, fingerprint: Fingerprint) -> Result<Vec<u8>, Failure> {
    let path = folder.join(NAME);
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|mut file| io::Read::read_to_end(&mut file, &mut bytes));
    read.map_err(|error| unusable(&path, &format!("cannot be read: {error}")))?;
    let content = content(&bytes, fingerprint).map_err(|why| unusable(&path, why))?;
    bytes.truncate(content.end);
    bytes.drain(..content.start);
    Ok(bytes)
}

fn content(bytes: &[u8], fingerprint: Fingerprint) -> Result<std::ops::Range<usize>, &'static str> {
    if !bytes.starts_with(MAGIC) || bytes.len() < HEAD + 4 {
        return Err("is no checkpoint, or not a whole one");
    }
    if bytes[8..12] != VERSION.to_le_bytes() {
        return Err("was written by another version of the tool");
    }
    let (all, sum) = bytes.split_at(bytes.len() - 4);
    if crc32fast::hash(all).to_le_bytes() != sum || bytes[28..36] != ((all.len() - HEAD) as u64).to_le_bytes() {
        return Err("is damaged: its checksum is wrong");
    }
    if bytes[12..28] != fingerprint {
        return Err("is of another model, other properties, other options or another version of the tool");
    }
    Ok(HEAD..all.len())
}

fn unusable(path: &Path, why: &str) -> Failure {
    let name = path.display().to_string();
    let message = format!("the checkpoint `{name}` {why}");
    Failure::file(&name, Diagnostic::error(codes::UNUSABLE_CHECKPOINT, Span::NONE, message))
}

#[cfg(test)]
mod tests {
    use pipeline::stamp::fingerprint;

    use super::*;

    fn kept(folder: &Path, text: &[u8]) -> Keeper {
        let mut keeper = Keeper::new(folder, Duration::ZERO, fingerprint("model")).expect("a folder");
        keeper.keep(&mut |to| to.write_all(text));
        keeper
    }

    #[test]
    fn what_was_kept_is_resumed_and_nothing_else() {
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
    fn every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        kept(folder.path(), b"some content");
        let path = folder.path().join(NAME);
        let whole = std::fs::read(&path).expect("reads");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(content(&damaged, fingerprint("model")).is_err(), "byte {at}");
            assert!(content(&whole[..at], fingerprint("model")).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_checkpoint_that_cannot_be_written_leaves_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keeper = kept(folder.path(), b"old");
        let mut calls = 0;
        keeper.keep(&mut |to| {
            calls += 1;
            to.write_all(b"half")?;
            if calls == 2 { Err(io::Error::other("disk full")) } else { Ok(()) }
        });
        assert!(keeper.failure.is_some() && keeper.written == 1);
        assert_eq!(resume(folder.path(), fingerprint("model")).expect("resumes"), b"old");
    }
}
