//! Sorted runs of states on the disk, which find the states among many that were stored before by reading in one
//! direction.
//!
//! States are ordered by the first half of their hash; states that agree in it come in any order, and are compared
//! whole. A run is written once, page after page, and the first half of the hash of the first state of each page
//! stays in memory: 4 bytes per page. A look-up of many sorted states goes through each run once, and skips the pages
//! that can hold none of them. Runs that are not larger than those behind them are merged with these.
//!
//! Invariants: each run ascends; a run is larger than all behind it together; no state is in two runs or twice in
//! one.
//!
//! Soundness: whole states are compared, never hashes alone. After a failed read or write nothing more is looked up.
//!
//! Complexity: a look-up reads each run once at most, and at most two pages of it for each state; `n` states that
//! come in portions of `m` are written O(log(n/m)) times.
//!
//! Source: \[SD98\] and \[Korf04\], with runs that are merged as in a log-structured tree in place of one file.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use super::hash::StateHash;
use crate::memory::{Halt, bytes_of};
use crate::spill::{SpillFile, Spilling};

/// The most pages that are read at once, where they follow each other, and that are written at once.
const AHEAD: usize = 16;

/// Steps of the watch that a state of a run costs.
const STEPS: u64 = 4;

/// The first half of a hash.
#[inline]
pub(super) fn prefix(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A state that is looked up: the first half of its hash, and a number for it.
#[inline]
pub(super) fn entry(hash: u64, number: u32) -> u64 {
    u64::from(prefix(hash)) << 32 | u64::from(number)
}

/// The number of an [`entry`].
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
pub(super) fn number_of(entry: u64) -> u32 {
    entry as u32
}

/// The order of an [`entry`].
#[inline]
fn prefix_of(entry: u64) -> u32 {
    prefix(entry)
}

/// All runs.
#[derive(Debug)]
pub(super) struct Runs<H> {
    files: Arc<dyn Spilling>,
    runs: Vec<Run>,
    /// Bytes of a state.
    size: usize,
    /// Bytes of a page, unless a state has more.
    page: usize,
    /// Bytes written, by removed runs too.
    written: u64,
    /// The reason that a write failed.
    failure: Option<String>,
    is_lost: bool,
    hash: PhantomData<H>,
}

/// One run.
#[derive(Debug)]
struct Run {
    file: Box<dyn SpillFile>,
    /// The number of its states.
    len: u64,
    /// By page.
    firsts: Vec<u32>,
}

/// States of a run, from one on.
struct Reader<'r, H> {
    file: &'r mut dyn SpillFile,
    firsts: &'r [u32],
    len: u64,
    size: usize,
    /// States of a page, and the most pages that are read at once.
    per_page: usize,
    ahead: usize,
    /// The next state.
    at: u64,
    /// Its words, and the first half of its hash, if it was read.
    state: Vec<u64>,
    prefix: Option<u32>,
    /// The first page in the buffer, and the number of pages there.
    page: usize,
    pages: usize,
    buffer: Vec<u8>,
    hash: PhantomData<H>,
}

/// Why a pass over runs ended early.
enum Failure {
    Read,
    Write(io::Error),
    Stopped,
}

impl From<limits::Stopped> for Failure {
    fn from(_: limits::Stopped) -> Failure {
        Failure::Stopped
    }
}

/// A number of states of a run, or of bytes of them.
fn to_usize(number: u64) -> Result<usize, Failure> {
    usize::try_from(number).map_err(|_| Failure::Read)
}

/// The number of states of a size on a page.
fn per_page(page: usize, size: usize) -> usize {
    (page / size).max(1)
}

/// Converts the words of a state to the bytes that they have in a file, or the other way round.
fn to_bytes(words: &mut [u64]) -> &mut [u8] {
    words.iter_mut().for_each(|word| *word = word.to_le());
    bytemuck::cast_slice_mut(words)
}

impl<'r, H: StateHash> Reader<'r, H> {
    fn new(run: &'r mut Run, page: usize, size: usize) -> Reader<'r, H> {
        Reader {
            file: &mut *run.file,
            firsts: &run.firsts,
            len: run.len,
            size,
            per_page: per_page(page, size),
            ahead: (AHEAD * page / (per_page(page, size) * size)).max(1),
            at: 0,
            state: vec![0; size.div_ceil(size_of::<u64>())],
            prefix: None,
            page: 0,
            pages: 0,
            buffer: Vec::new(),
            hash: PhantomData,
        }
    }

    /// The order of the next state; nothing at the end.
    #[inline]
    fn next(&mut self) -> Result<Option<u32>, Failure> {
        if self.prefix.is_none() && self.at < self.len {
            let at = to_usize(self.at)?;
            let (page, place) = (at / self.per_page, at % self.per_page);
            if page < self.page || page >= self.page + self.pages {
                self.load(page)?;
            }
            let start = ((page - self.page) * self.per_page + place) * self.size;
            limits::poll(STEPS)?;
            let words = to_bytes(&mut self.state);
            words[..self.size].copy_from_slice(&self.buffer[start..start + self.size]);
            words[self.size..].fill(0);
            self.state.iter_mut().for_each(|word| *word = u64::from_le(*word));
            self.prefix = Some(prefix(H::hash(&self.state)));
        }
        Ok(self.prefix)
    }

    /// Continues to the state behind the next one.
    #[inline]
    fn skip(&mut self) {
        self.prefix = None;
        self.at += 1;
    }

    /// Reads a page, and further pages where it follows the last one.
    #[cold]
    fn load(&mut self, page: usize) -> Result<(), Failure> {
        let follows = self.pages > 0 && page == self.page + self.pages;
        let most = if follows { (self.pages * 2).min(self.ahead) } else { 1 };
        let pages = most.min(self.firsts.len() - page);
        let first = (page * self.per_page) as u64;
        let states = (self.len - first).min((pages * self.per_page) as u64);
        self.pages = 0;
        self.buffer.resize(to_usize(states)? * self.size, 0);
        self.file.read_at(first * self.size as u64, &mut self.buffer).map_err(|_| Failure::Read)?;
        (self.page, self.pages) = (page, pages);
        Ok(())
    }

    /// Continues to the first state that does not come before an order.
    #[inline]
    fn seek(&mut self, prefix: u32) -> Result<Option<u32>, Failure> {
        let page = to_usize(self.at)? / self.per_page;
        if self.firsts.get(page + 1).is_some_and(|&first| first < prefix) {
            // The states of an order may begin in the page before the first one that begins with it.
            let ahead = self.firsts[page + 1..].partition_point(|&first| first < prefix);
            (self.at, self.prefix) = (((page + ahead) * self.per_page) as u64, None);
        }
        loop {
            match self.next()? {
                Some(next) if next < prefix => self.skip(),
                next => return Ok(next),
            }
        }
    }
}

/// A run that is being written.
struct Writer {
    file: Box<dyn SpillFile>,
    size: usize,
    per_page: u64,
    /// Bytes that are written at once.
    ahead: usize,
    end: u64,
    len: u64,
    firsts: Vec<u32>,
    buffer: Vec<u8>,
    state: Vec<u64>,
}

impl Writer {
    fn new(files: &dyn Spilling, page: usize, size: usize) -> Result<Writer, Failure> {
        let (state, per_page) = (vec![0; size.div_ceil(size_of::<u64>())], per_page(page, size) as u64);
        let (firsts, buffer, ahead) = (Vec::new(), Vec::new(), AHEAD * page);
        let file = files.file().map_err(Failure::Write)?;
        Ok(Writer { file, size, per_page, ahead, end: 0, len: 0, firsts, buffer, state })
    }

    fn push(&mut self, prefix: u32, state: &[u64]) -> Result<(), Failure> {
        limits::poll(STEPS)?;
        assert!(self.firsts.last().is_none_or(|&first| first <= prefix), "a run ascends");
        if self.len.is_multiple_of(self.per_page) {
            self.firsts.push(prefix);
        }
        self.state.copy_from_slice(state);
        self.buffer.extend_from_slice(&to_bytes(&mut self.state)[..self.size]);
        self.len += 1;
        if self.buffer.len() >= self.ahead { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.file.write_at(self.end, &self.buffer).map_err(Failure::Write)?;
        self.end += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Run, Failure> {
        self.flush()?;
        assert_eq!(self.end, self.len * self.size as u64, "a run has the bytes of its states");
        self.firsts.shrink_to_fit();
        Ok(Run { file: self.file, len: self.len, firsts: self.firsts })
    }
}

impl<H: StateHash> Runs<H> {
    /// No runs, of states of so many bytes.
    pub(super) fn new(files: Arc<dyn Spilling>, page: usize, size: usize) -> Runs<H> {
        Runs { files, runs: Vec::new(), page, size, written: 0, failure: None, is_lost: false, hash: PhantomData }
    }

    /// The number of runs.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// The number of states in all runs.
    pub(super) fn states(&self) -> u64 {
        self.runs.iter().map(|run| run.len).sum()
    }

    /// Removes all runs; states have so many bytes from now on.
    pub(super) fn clear(&mut self, size: usize) {
        self.runs.clear();
        self.size = size;
    }

    /// Bytes in memory, those of a look-up included.
    pub(super) fn bytes(&self) -> u64 {
        let firsts: usize = self.runs.iter().map(|run| run.firsts.capacity()).sum();
        let buffers = (self.runs.len() + 2) * (AHEAD * self.page).max(2 * self.size);
        // The first halves of a merged run exist together with those of its parts.
        bytes_of::<u32>(firsts) * 2 + buffers as u64
    }

    /// Bytes that were written so far.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// The reason that a write failed.
    pub(super) fn failure(&self) -> Option<&String> {
        self.failure.as_ref()
    }

    /// Whether a read failed.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn failed(&mut self, failure: &Failure) -> Halt {
        match failure {
            Failure::Read => {
                self.is_lost = true;
                Halt::Disk
            }
            Failure::Write(error) => {
                self.failure.get_or_insert(error.to_string());
                Halt::Memory
            }
            Failure::Stopped => Halt::Stopped,
        }
    }

    /// Hands out the numbers of the states that are in a run, of entries in ascending order, and moves the other entries to the front;
    /// how many these are.
    ///
    /// # Errors
    /// Something cannot be read, or the watch stopped.
    pub(super) fn look_up<'s>(
        &mut self,
        sorted: &mut [u64],
        state: impl Fn(u32) -> &'s [u64],
        mut found: impl FnMut(u32),
    ) -> Result<usize, Halt> {
        debug_assert!(sorted.is_sorted(), "states are looked up in the order of a run");
        let mut kept = sorted.len();
        for run in 0..self.runs.len() {
            let looked_up = self.look_up_in(run, &mut sorted[..kept], &state, &mut found);
            kept = looked_up.map_err(|failure| self.failed(&failure))?;
        }
        Ok(kept)
    }

    fn look_up_in<'s>(
        &mut self,
        run: usize,
        sorted: &mut [u64],
        state: &impl Fn(u32) -> &'s [u64],
        found: &mut impl FnMut(u32),
    ) -> Result<usize, Failure> {
        let mut reader = Reader::<H>::new(&mut self.runs[run], self.page, self.size);
        let (mut kept, mut at) = (0, 0);
        while at < sorted.len() {
            let prefix = prefix_of(sorted[at]);
            let alike = sorted[at..].iter().take_while(|&&entry| prefix_of(entry) == prefix).count();
            let (first, mut left) = (kept, alike);
            sorted.copy_within(at..at + alike, first);
            limits::poll(alike as u64)?;
            let mut next = reader.seek(prefix)?;
            while next == Some(prefix) {
                let group = &mut sorted[first..first + left];
                if let Some(same) = group.iter().position(|&entry| *state(number_of(entry)) == *reader.state) {
                    found(number_of(group[same]));
                    group.swap(same, left - 1);
                    left -= 1;
                }
                reader.skip();
                next = reader.next()?;
            }
            kept += left;
            at += alike;
        }
        Ok(kept)
    }

    /// Adds a run of states that are in none, given as entries in ascending order, and merges runs.
    ///
    /// # Errors
    /// A write or a read fails, or a signal came.
    pub(super) fn add<'s>(&mut self, sorted: &[u64], state: impl Fn(u32) -> &'s [u64]) -> Result<(), Halt> {
        if sorted.is_empty() {
            return Ok(());
        }
        let write = || {
            let mut writer = Writer::new(&*self.files, self.page, self.size)?;
            sorted.iter().try_for_each(|&entry| writer.push(prefix_of(entry), state(number_of(entry))))?;
            writer.finish()
        };
        let run = write().map_err(|failure| self.failed(&failure))?;
        self.written += run.len * self.size as u64;
        self.runs.push(run);
        let (mut from, mut behind) = (self.runs.len() - 1, 0);
        for (at, run) in self.runs.iter().enumerate().rev() {
            from = if run.len <= behind { at } else { from };
            behind += run.len;
        }
        if from + 1 < self.runs.len() {
            self.merge(from)?;
        }
        debug_assert!(
            self.runs.is_sorted_by(|run, behind| run.len > behind.len),
            "a run is larger than those behind it"
        );
        Ok(())
    }

    /// Merges all runs from one on.
    fn merge(&mut self, from: usize) -> Result<(), Halt> {
        let mut parts = self.runs.split_off(from);
        let run = self.merged(&mut parts).map_err(|failure| self.failed(&failure))?;
        assert_eq!(run.len, parts.iter().map(|part| part.len).sum::<u64>(), "a merged run has the states of its parts");
        self.written += run.len * self.size as u64;
        self.runs.push(run);
        Ok(())
    }

    fn merged(&self, parts: &mut [Run]) -> Result<Run, Failure> {
        let mut writer = Writer::new(&*self.files, self.page, self.size)?;
        let mut readers: Vec<Reader<'_, H>> =
            parts.iter_mut().map(|run| Reader::new(run, self.page, self.size)).collect();
        loop {
            let mut least: Option<(u32, usize)> = None;
            for (at, reader) in readers.iter_mut().enumerate() {
                if let Some(next) = reader.next()?.filter(|&next| least.is_none_or(|(least, _)| next < least)) {
                    least = Some((next, at));
                }
            }
            let Some((prefix, at)) = least else { return writer.finish() };
            writer.push(prefix, &readers[at].state)?;
            readers[at].skip();
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
