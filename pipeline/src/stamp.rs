//! The stamp of a checkpoint, which records the model and the reductions of the search.
//!
//! A limit on time may end the search for symmetries, so the same question may be searched with a group and without;
//! and a slice may depend on limits as well. A store that was filled under two groups belongs to neither quotient, and
//! two rankings of partial order may together omit all steps of a cycle. So a checkpoint begins with a stamp of the
//! model that was searched and of the reductions.
//!
//! Soundness: a search is resumed only from a checkpoint with the same stamp.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::sync::Arc;

use checker::{Control, Progress, Spilling};

/// The model, the question or the reductions that a checkpoint was made for.
pub type Fingerprint = [u8; 16];

/// The fingerprint of a text that contains all of it.
pub fn fingerprint(text: &str) -> Fingerprint {
    let hash = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, text).hash(&mut hasher);
        hasher.finish()
    };
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&hash(0).to_le_bytes());
    bytes[8..].copy_from_slice(&hash(1).to_le_bytes());
    bytes
}

/// A hash of all bytes, and their number.
///
/// # Errors
/// The bytes cannot be read.
pub fn hash(from: &mut dyn Read) -> io::Result<(u64, u64)> {
    let (mut hasher, mut block, mut bytes) = (DefaultHasher::new(), vec![0; 1 << 16], 0);
    loop {
        let read = from.read(&mut block)?;
        if read == 0 {
            return Ok((hasher.finish(), bytes));
        }
        hasher.write(&block[..read]);
        bytes += read as u64;
    }
}

/// A control whose checkpoints begin with a stamp.
pub(crate) struct StampedControl<'c> {
    control: &'c mut dyn Control,
    text: &'c dyn Fn() -> String,
    stamp: OnceCell<Fingerprint>,
    resumed: Option<Vec<u8>>,
}

impl<'c> StampedControl<'c> {
    /// Stamps the checkpoints of a control by a text that contains model and reductions; continues from a checkpoint
    /// that had such a stamp.
    pub(crate) fn new(
        control: &'c mut dyn Control,
        resumed: Option<Vec<u8>>,
        text: &'c dyn Fn() -> String,
    ) -> StampedControl<'c> {
        StampedControl { control, text, stamp: OnceCell::new(), resumed }
    }
}

/// The stamp of a checkpoint, and the remaining bytes; `None` if it is too short.
pub(crate) fn split(mut saved: Vec<u8>) -> Option<(Fingerprint, Vec<u8>)> {
    let stamp = *saved.first_chunk()?;
    saved.drain(..stamp.len());
    Some((stamp, saved))
}

impl Control for StampedControl<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.control.progress(progress);
    }

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        self.control.spilling()
    }

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.resumed.take()
    }

    fn is_saved(&self) -> bool {
        self.resumed.is_some() || self.control.is_saved()
    }

    fn is_checkpoint_due(&mut self, last: bool) -> bool {
        self.control.is_checkpoint_due(last)
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let stamp = *self.stamp.get_or_init(|| fingerprint(&(self.text)()));
        self.control.checkpoint(&mut |to| {
            to.write_all(&stamp)?;
            write(to)
        });
    }
}
