//! The file of an arena: chunks of states that memory has no room for, read back by position through a few blocks.
//!
//! Chunks are written whole, in order, each at its own position. Reads take whole blocks into a small cache, where a
//! block has only one place.
//!
//! Soundness: a chunk leaves memory only when it was written; where one cannot be read, [`Spill::is_lost`] reports so
//! from then on, zeros are read in its place, and the user of the arena must not trust the results. A write that
//! failed is not tried again.
//!
//! Complexity: a read of [`BLOCK`] bytes for a state that is in no block.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;

use crate::spill::{SpillFile, Spilled, Spilling};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 12;

/// The share of the memory that blocks take, and the bounds of their number.
const SHARE: u64 = 64;
const LEAST_BLOCKS: usize = 4;
const MOST_BLOCKS: usize = 1 << 12;

/// A block that is none.
const NONE: u64 = u64::MAX;

/// The part of an arena that is on the disk.
#[derive(Debug)]
pub(super) struct Spill {
    files: Arc<dyn Spilling>,
    /// The positions of the chunks, from the first on.
    chunks: Vec<u64>,
    end: u64,
    /// Bytes that were moved to the disk before.
    before: u64,
    failure: Option<String>,
    is_lost: Cell<bool>,
    reads: Cell<u64>,
    open: RefCell<Open>,
}

/// The file, and the blocks of it that are in memory.
#[derive(Debug, Default)]
struct Open {
    file: Option<Box<dyn SpillFile>>,
    tags: Vec<u64>,
    blocks: Vec<u8>,
}

/// A copy of an arena has its own file; only arenas that have all states in memory are copied.
impl Clone for Spill {
    fn clone(&self) -> Spill {
        assert!(self.chunks.is_empty(), "states in a file are not copied");
        Spill::new(Arc::clone(&self.files))
    }
}

impl Spill {
    /// An empty file.
    pub(super) fn new(files: Arc<dyn Spilling>) -> Spill {
        Spill {
            files,
            chunks: Vec::new(),
            end: 0,
            before: 0,
            failure: None,
            is_lost: Cell::new(false),
            reads: Cell::new(0),
            open: RefCell::default(),
        }
    }

    /// Another file, for the same states in another encoding.
    pub(super) fn another(&self) -> Spill {
        Spill {
            before: self.before + self.end,
            failure: self.failure.clone(),
            is_lost: self.is_lost.clone(),
            reads: self.reads.clone(),
            ..Spill::new(Arc::clone(&self.files))
        }
    }

    /// The giver of files.
    pub(super) fn files(&self) -> &Arc<dyn Spilling> {
        &self.files
    }

    /// The number of chunks in the file: the first ones.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Whether a read failed.
    #[inline]
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// Notes that a read failed.
    pub(super) fn lose(&self) {
        self.is_lost.set(true);
    }

    /// The number of reads of the file.
    pub(super) fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        let open = self.open.borrow();
        (open.blocks.len() + open.tags.len() * size_of::<u64>()) as u64
    }

    /// The bytes that were moved to the disk so far.
    pub(super) fn statistics(&self) -> Spilled {
        Spilled { bytes: self.before + self.end, failure: self.failure.clone(), compressed: false }
    }

    /// Writes the next chunk; returns whether it was written.
    pub(super) fn write(&mut self, chunk: &[u8], memory: u64) -> bool {
        if self.failure.is_some() || self.is_lost() {
            return false;
        }
        match self.try_to_write(chunk, memory) {
            Ok(()) => {
                self.chunks.push(self.end);
                self.end += chunk.len().next_multiple_of(BLOCK) as u64;
                true
            }
            Err(error) => {
                self.failure = Some(error.to_string());
                false
            }
        }
    }

    fn try_to_write(&self, chunk: &[u8], memory: u64) -> io::Result<()> {
        let mut open = self.open.borrow_mut();
        if open.file.is_none() {
            open.file = Some(self.files.file()?);
            let blocks = usize::try_from(memory / SHARE).unwrap_or(usize::MAX) / BLOCK;
            let blocks = blocks.clamp(LEAST_BLOCKS, MOST_BLOCKS);
            (open.tags, open.blocks) = (vec![NONE; blocks], vec![0; blocks * BLOCK]);
        }
        let Some(file) = &mut open.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.write_at(self.end, chunk)?;
        let padding = chunk.len().next_multiple_of(BLOCK) - chunk.len();
        file.write_at(self.end + chunk.len() as u64, &[0; BLOCK][..padding])
    }

    /// Reads the bytes at a place of a chunk; zeros if it is lost.
    #[cold]
    pub(super) fn read(&self, chunk: usize, start: usize, to: &mut [u8]) {
        let mut at = self.chunks[chunk] + start as u64;
        assert!(at + to.len() as u64 <= self.end, "only what was written is read");
        let mut open = self.open.borrow_mut();
        let mut rest = &mut to[..];
        while !rest.is_empty() {
            let (block, offset) = (at / BLOCK as u64, usize::try_from(at % BLOCK as u64).unwrap_or(0));
            let (now, later) = rest.split_at_mut(rest.len().min(BLOCK - offset));
            match open.block(block, &self.reads) {
                Ok(bytes) => now.copy_from_slice(&bytes[offset..][..now.len()]),
                Err(_) => {
                    self.lose();
                    now.fill(0);
                }
            }
            at += now.len() as u64;
            rest = later;
        }
    }
}

impl Open {
    fn block(&mut self, block: u64, reads: &Cell<u64>) -> io::Result<&[u8]> {
        let Open { file, tags, blocks } = self;
        let slot = usize::try_from(block % tags.len() as u64).unwrap_or(0);
        let bytes = &mut blocks[slot * BLOCK..][..BLOCK];
        if tags[slot] != block {
            tags[slot] = NONE;
            reads.set(reads.get() + 1);
            let Some(file) = file else { return Err(io::ErrorKind::NotFound.into()) };
            file.read_at(block * BLOCK as u64, bytes)?;
            tags[slot] = block;
        }
        Ok(bytes)
    }
}
