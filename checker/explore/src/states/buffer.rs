//! A list of words with a fixed room, whose memory goes back to the system when it is dropped.
//!
//! The heap keeps what is given back to it, and a smaller list leaves the rest of its place unused. Where lists take turns that
//! fill most of the memory that there is, that rest is too much.
//!
//! Invariant: the first `len` words of the pages are those of the list.

use std::ops::{Deref, DerefMut};

use super::pages::Pages;
use crate::memory::Halt;

/// The list.
#[derive(Debug)]
pub(super) struct Buffer {
    pages: Pages,
    len: usize,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer { pages: Pages::Heap(Vec::new()), len: 0 }
    }
}

impl Buffer {
    /// An empty list with room for so many words.
    ///
    /// # Errors
    /// The system has no such room.
    pub(super) fn with_room(words: usize) -> Result<Buffer, Halt> {
        let bytes = words.checked_mul(size_of::<u64>()).ok_or(Halt::Memory)?;
        Ok(Buffer { pages: Pages::exact(bytes).ok_or(Halt::Memory)?, len: 0 })
    }

    /// Appends words; there is room.
    #[inline]
    pub(super) fn extend_from_slice(&mut self, words: &[u64]) {
        let end = self.len + words.len();
        self.pages.words_mut()[self.len..end].copy_from_slice(words);
        self.len = end;
    }

    /// Appends a word; there is room.
    #[inline]
    pub(super) fn push(&mut self, word: u64) {
        self.extend_from_slice(&[word]);
    }

    /// Forgets all words from one on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

impl Deref for Buffer {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.pages.words()[..self.len]
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.pages.words_mut()[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for room in [1, 100, 20_000] {
            let mut buffer = Buffer::with_room(room).expect("little");
            (0..room as u64).for_each(|word| buffer.push(word * 5));
            assert!(buffer.iter().copied().eq((0..room as u64).map(|word| word * 5)));
            buffer.truncate(room / 2);
            assert_eq!(buffer.len(), room / 2);
            buffer.clear();
            buffer.extend_from_slice(&[3; 1]);
            assert_eq!(&*buffer, [3]);
        }
        assert_eq!(Buffer::with_room(usize::MAX / 8).err(), Some(Halt::Memory));
        assert!(Buffer::default().is_empty());
    }
}
