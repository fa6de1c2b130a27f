//! Zeroed memory for large tables, on huge pages where the system gives them.
//!
//! Each look-up in a table that is read at random misses the address cache on pages of 4 KiB. Large tables are mapped
//! with the advice to use huge pages; small ones, and all where mapping fails, lie on the heap. Either way the system
//! gives a page when it is first written. Mapped memory returns to the system when it is dropped, and leaves no hole
//! in the heap that is too small for the next, larger table.
//!
//! Invariant: all bytes are 0 at first.

use memmap2::MmapMut;

/// The size of a huge page: from so many bytes on memory is mapped, in multiples of it.
pub(super) const HUGE: usize = 2 << 20;

/// The number of bytes from which memory is mapped at all.
const LARGE: usize = 64 << 10;

/// From so many huge pages on it matters little whether the last one is used.
const MANY: usize = 16;

/// A page.
const PAGE: usize = 4 << 10;

/// A fixed number of bytes.
#[derive(Debug)]
pub(super) enum Pages {
    /// On the heap.
    Heap(Vec<u64>),
    /// Mapped.
    Mapped(MmapMut),
}

impl Pages {
    /// The bytes that [`Pages::zeroed`] takes for so many zeros.
    pub(super) const fn taken(bytes: usize) -> usize {
        match bytes {
            HUGE.. => bytes.next_multiple_of(HUGE),
            LARGE.. => bytes.next_multiple_of(PAGE),
            _ => bytes.next_multiple_of(size_of::<u64>()),
        }
    }

    /// At least so many zeros. Where the system has no room, that stops the search as its limit on memory does.
    pub(super) fn zeroed(bytes: usize) -> Pages {
        if bytes >= HUGE
            && let Ok(map) = MmapMut::map_anon(Pages::taken(bytes))
        {
            // Without huge pages the results are the same, only slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            return Pages::Mapped(map);
        }
        if (LARGE..HUGE).contains(&bytes)
            && let Ok(map) = MmapMut::map_anon(Pages::taken(bytes))
        {
            return Pages::Mapped(map);
        }
        Pages::exact(bytes).unwrap_or_else(|| limits::refused(bytes as u64))
    }

    /// So many zeros, which take no more than a page more; nothing where the system has no room.
    pub(super) fn exact(bytes: usize) -> Option<Pages> {
        if bytes >= LARGE
            && let Ok(map) = MmapMut::map_anon(bytes.checked_next_multiple_of(PAGE)?)
        {
            #[cfg(target_os = "linux")]
            if bytes >= MANY * HUGE {
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            return Some(Pages::Mapped(map));
        }
        let (mut words, count) = (Vec::new(), bytes.div_ceil(size_of::<u64>()));
        words.try_reserve_exact(count).ok()?;
        words.resize(count, 0);
        Some(Pages::Heap(words))
    }

    /// Lets the system give all pages now, which takes less time than one by one.
    pub(super) fn populate(&mut self) {
        #[cfg(target_os = "linux")]
        if let Pages::Mapped(map) = self
            && map.advise(memmap2::Advice::PopulateWrite).is_ok()
        {
            return;
        }
        // A page that is read first is given twice, and halts all threads for a moment.
        self.bytes_mut().iter_mut().step_by(PAGE).for_each(|byte| *byte = 0);
    }

    /// The bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Pages::Heap(words) => bytemuck::cast_slice(words),
            Pages::Mapped(map) => map,
        }
    }

    /// The bytes, to be changed.
    #[inline]
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Pages::Heap(words) => bytemuck::cast_slice_mut(words),
            Pages::Mapped(map) => map,
        }
    }

    /// The bytes eight by eight.
    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        match self {
            Pages::Heap(words) => words,
            Pages::Mapped(map) => bytemuck::cast_slice(map),
        }
    }

    /// The bytes eight by eight, to be changed.
    #[inline]
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Pages::Heap(words) => words,
            Pages::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }

    /// The bytes four by four.
    #[inline]
    pub(super) fn entries(&self) -> &[u32] {
        bytemuck::cast_slice(self.bytes())
    }

    /// The bytes four by four, to be changed.
    #[inline]
    pub(super) fn entries_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(self.bytes_mut())
    }

    /// Lets the processor fetch the line of a byte, without waiting for it.
    #[inline]
    pub(super) fn fetch(&self, byte: usize) {
        prefetch_index::prefetch_index(self.bytes(), byte);
    }

    /// The number of bytes that are taken from the system when the first `used` were written.
    pub(super) fn held(&self, used: usize) -> u64 {
        match self {
            Pages::Heap(words) => (words.len() * size_of::<u64>()) as u64,
            Pages::Mapped(map) => used.next_multiple_of(HUGE).min(map.len()) as u64,
        }
    }
}

impl Clone for Pages {
    fn clone(&self) -> Pages {
        let mut copy = Pages::zeroed(self.bytes().len());
        copy.bytes_mut()[..self.bytes().len()].copy_from_slice(self.bytes());
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_bytes_are_bytes() {
        for len in [8, 100, LARGE, LARGE + 1, HUGE, HUGE + 1, 2 * HUGE] {
            let mut pages = Pages::zeroed(len);
            assert_eq!(pages.bytes().len(), Pages::taken(len));
            assert!(pages.bytes().len() >= len && pages.bytes().iter().all(|&byte| byte == 0));
            pages.bytes_mut()[len - 1] = 255;
            pages.entries_mut()[0] = 7;
            let copy = pages.clone();
            assert_eq!((copy.bytes()[0], copy.bytes()[4], copy.bytes()[len - 1]), (7, 0, 255));
            assert!(pages.held(1) <= pages.held(len) && pages.held(len) >= len as u64);
        }
    }
}
