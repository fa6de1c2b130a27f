//! Zeroed words for large tables, on huge pages where the system gives them.
//!
//! A table that is read at random costs a miss of the address cache a look-up on pages of 4 KiB. Large ones are mapped with
//! the advice to use huge pages; small ones, and all where mapping fails, lie on the heap.
//!
//! Invariant: all words are 0 at first.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// From so many bytes on words are mapped.
const MAPPED_BYTES: usize = 4 << 20;

/// A fixed number of words.
#[derive(Debug)]
pub(crate) enum Words {
    /// On the heap.
    Heap(Vec<u64>),
    /// Mapped.
    Mapped(MmapMut),
}

impl Words {
    /// So many zeros.
    pub(crate) fn zeroed(len: usize) -> Words {
        let bytes = len.saturating_mul(size_of::<u64>());
        if bytes >= MAPPED_BYTES
            && let Ok(map) = MmapMut::map_anon(bytes)
        {
            // Without huge pages everything is as right, only slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            return Words::Mapped(map);
        }
        Words::Heap(vec![0; len])
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Words::Heap(words) => words,
            Words::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Words::Heap(words) => words,
            Words::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }
}

impl Clone for Words {
    fn clone(&self) -> Words {
        let mut copy = Words::zeroed(self.len());
        copy.copy_from_slice(self);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_words_are_words() {
        for len in [8, MAPPED_BYTES / 8, MAPPED_BYTES / 4] {
            let mut words = Words::zeroed(len);
            assert!(words.len() == len && words.iter().all(|&word| word == 0));
            words[len - 1] = u64::MAX;
            words[0] = 7;
            let copy = words.clone();
            assert_eq!((copy[0], copy[1], copy[len - 1]), (7, 0, u64::MAX));
        }
    }
}
