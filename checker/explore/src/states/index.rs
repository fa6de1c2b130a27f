//! The places of states, by hash: open addressing over numbers, where the spare bits of an entry hold bits of the
//! hash.
//!
//! An entry is 32 bits: the number of a state plus one in the low bits, bits of its hash above. An entry whose bits
//! of the hash differ is no candidate; for a candidate the owner compares the whole state. The first bits of the hash
//! cut the table into segments. A full segment is rebuilt from the states, half as large again: only this segment
//! exists twice in memory meanwhile, and the pause is that of one segment. Segments begin with different sizes, so
//! they grow at different times and the memory grows in small steps.
//!
//! A state that is stored between a scan and its use takes the free entry that the scan found, or lies behind it:
//! scans of equal hashes end at the same entry. So a scan stays valid until a segment is rebuilt.
//!
//! Invariants: every number has one entry, behind its place without a gap; an entry is 0 if and only if it is free;
//! each segment is at most 27/32 full.
//!
//! Soundness: a hash never decides equality: where two states have the same hash, both are compared.
//!
//! Complexity: expected O(1) per look-up; 4 bytes per entry, 6 per number on average.

use super::pages::Pages;
use crate::memory::Halt;
use crate::tuning::Tuning;

/// The number of segments.
pub(super) const SEGMENTS: usize = 8;

/// The bits of the hash that choose a segment.
const SEGMENT_BITS: u32 = SEGMENTS.trailing_zeros();

/// Entries of the first segment at first.
const FIRST: usize = 1 << 7;

/// Numbers that are hashed side by side when a segment is rebuilt.
const BATCH: usize = 32;

/// The index.
#[derive(Clone, Debug)]
pub(super) struct Index {
    segments: [Segment; SEGMENTS],
    /// Smaller segments are doubled.
    large: usize,
    bytes: u64,
    made: u64,
}

/// Numbers whose hashes begin alike.
#[derive(Clone, Debug)]
struct Segment {
    pages: Pages,
    len: usize,
    used: usize,
    /// The bits of an entry that hold the number.
    mask: u32,
}

/// A free entry in the segment of the hash for which it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free(usize);

/// The first relevant entry for a hash.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scan {
    /// An entry whose number may be the one.
    Candidate(usize, u32),
    /// A free entry: there is no candidate before it.
    Free(usize),
}

/// The states that the numbers stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct States<F, H> {
    /// Lets the processor fetch a state, without waiting for it.
    pub(super) fetch: F,
    /// The hash of a state.
    pub(super) hash: H,
}

const CANDIDATE: u64 = 1 << 63;

impl Scan {
    /// As one word.
    #[inline]
    pub(super) fn pack(self) -> u64 {
        match self {
            Scan::Candidate(at, number) => {
                debug_assert!(at < 1 << 31, "a segment has fewer than 2^31 entries");
                CANDIDATE | (at as u64) << 32 | u64::from(number)
            }
            Scan::Free(at) => at as u64,
        }
    }

    /// From one word.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the parts are wanted")]
    pub(super) fn unpack(word: u64) -> Scan {
        if word & CANDIDATE == 0 {
            Scan::Free(word as usize)
        } else {
            Scan::Candidate(((word ^ CANDIDATE) >> 32) as usize, word as u32)
        }
    }
}

impl Segment {
    fn new(len: usize, mask: u32) -> Segment {
        let mut pages = Pages::zeroed(len * size_of::<u32>());
        pages.populate();
        let len = pages.entries().len();
        Segment { pages, len, used: 0, mask }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the length of the segment")]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << SEGMENT_BITS) * self.len as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.len { 0 } else { at + 1 }
    }

    #[inline]
    fn entry(&self, hash: u64, number: u32) -> u32 {
        low(hash) & !self.mask | (number + 1)
    }

    #[inline(always)]
    fn place(&mut self, hash: u64, number: u32) {
        assert!(number < self.mask, "numbers fit into their bits");
        let (mut at, entry) = (self.home(hash), self.entry(hash, number));
        while self.pages.entries()[at] != 0 {
            at = self.after(at);
        }
        self.pages.entries_mut()[at] = entry;
        self.used += 1;
    }

    fn is_full(&self) -> bool {
        self.is_full_with(self.used)
    }

    /// Whether the segment is too small for one number more than so many.
    fn is_full_with(&self, used: usize) -> bool {
        (used + 1) * 32 > self.len * 27
    }

    fn bytes(&self) -> u64 {
        self.pages.held(self.len * size_of::<u32>())
    }

    /// The number of entries of the segment when it is rebuilt, with room for one more than so many.
    fn len_anew(&self, used: usize, large: usize) -> usize {
        match self.len {
            len if !self.is_full_with(used) => len,
            len if len < large => len * 2,
            len => len + len / 2,
        }
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn low(hash: u64) -> u32 {
    hash as u32
}

#[inline]
fn segment_of(hash: u64) -> usize {
    (hash >> (u64::BITS - SEGMENT_BITS)) as usize
}

/// The bits that hold numbers until there are twice as many.
fn mask_for(number: u32) -> u32 {
    let bits = (u32::BITS - (number | 0xff).leading_zeros() + 1).min(u32::BITS);
    u32::MAX >> (u32::BITS - bits)
}

impl Index {
    /// An empty index.
    pub(super) fn new(tuning: &Tuning) -> Index {
        // From one to one and a half, evenly by factors.
        let factors = [256, 269, 283, 298, 314, 330, 347, 365];
        Index::with_lens(factors.map(|factor| FIRST * factor / 256), mask_for(0), tuning)
    }

    /// An empty index that has room for so many numbers, if their hashes are evenly spread.
    pub(super) fn with_room(count: u32, tuning: &Tuning) -> Index {
        let mean = count as usize / SEGMENTS;
        Index::with_lens([((mean + 4 * mean.isqrt()) * 32 / 27).max(FIRST); SEGMENTS], mask_for(count), tuning)
    }

    fn with_lens(lens: [usize; SEGMENTS], mask: u32, tuning: &Tuning) -> Index {
        let segments = lens.map(|len| Segment::new(len, mask));
        Index { bytes: segments.iter().map(Segment::bytes).sum(), large: tuning.large_segment, segments, made: 0 }
    }

    /// Removes all numbers, and keeps the room.
    pub(super) fn clear(&mut self) {
        for segment in &mut self.segments {
            segment.pages.entries_mut().fill(0);
            segment.used = 0;
        }
        self.made += 1;
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Lets the processor fetch the entry where the search for a hash begins, without waiting for it.
    #[inline]
    pub(super) fn fetch(&self, hash: u64) {
        let segment = &self.segments[segment_of(hash)];
        segment.pages.fetch(segment.home(hash) * size_of::<u32>());
    }

    /// Scans the entries of a hash.
    #[inline]
    pub(super) fn scan(&self, hash: u64) -> Scan {
        let segment = &self.segments[segment_of(hash)];
        self.scan_from(hash, segment.home(hash))
    }

    #[inline]
    fn scan_from(&self, hash: u64, mut at: usize) -> Scan {
        let segment = &self.segments[segment_of(hash)];
        let entries = &segment.pages.entries()[..segment.len];
        loop {
            let entry = entries[at];
            if entry == 0 {
                return Scan::Free(at);
            }
            if (entry ^ low(hash)) & !segment.mask == 0 {
                return Scan::Candidate(at, (entry & segment.mask) - 1);
            }
            at = segment.after(at);
        }
    }

    /// The number with this hash whose state is the same; else the entry where it belongs.
    #[inline(always)]
    pub(super) fn find(&self, hash: u64, is_same: impl FnMut(u32) -> bool) -> Result<u32, Free> {
        self.find_behind(hash, self.scan(hash), is_same)
    }

    /// As `find`, from the result of an earlier scan, since which no segment was rebuilt.
    #[inline(always)]
    pub(super) fn find_scanned(&self, hash: u64, scan: Scan, is_same: impl FnMut(u32) -> bool) -> Result<u32, Free> {
        let scan = match scan {
            // Another state was stored there since; an equal one would be there or behind.
            Scan::Free(at) if self.segments[segment_of(hash)].pages.entries()[at] != 0 => self.scan_from(hash, at),
            scan => scan,
        };
        self.find_behind(hash, scan, is_same)
    }

    #[inline(always)]
    fn find_behind(&self, hash: u64, mut scan: Scan, mut is_same: impl FnMut(u32) -> bool) -> Result<u32, Free> {
        loop {
            match scan {
                Scan::Candidate(_, number) if is_same(number) => return Ok(number),
                Scan::Candidate(at, _) => {
                    scan = self.scan_from(hash, self.segments[segment_of(hash)].after(at));
                }
                Scan::Free(at) => return Err(Free(at)),
            }
        }
    }

    /// The number of rebuilt segments.
    #[inline]
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// Counts the rebuilt segments of an index that this one replaces, and the replacement.
    pub(super) fn made_before(&mut self, made: u64) {
        self.made += made + 1;
    }

    /// Notes an absent number at its free entry.
    ///
    /// # Errors
    /// A segment would have to grow, and `request` refuses the bytes.
    #[inline]
    pub(super) fn insert(
        &mut self,
        Free(at): Free,
        hash: u64,
        number: u32,
        states: States<impl Fn(u32) + Copy, impl Fn(u32) -> u64 + Copy>,
        request: impl FnOnce(u64) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let segment = &mut self.segments[segment_of(hash)];
        if segment.is_full() || number >= segment.mask {
            return self.grow(hash, number, states, request);
        }
        debug_assert_eq!(segment.pages.entries()[at], 0, "a number takes a free entry");
        let entry = segment.entry(hash, number);
        segment.pages.entries_mut()[at] = entry;
        segment.used += 1;
        Ok(())
    }

    /// The entries of all segments: for [`Index::of`].
    pub(super) fn lens(&self) -> [usize; SEGMENTS] {
        std::array::from_fn(|segment| self.segments[segment].len)
    }

    /// An index of all numbers below `count`, with segments of at least such lengths.
    pub(super) fn of(
        count: u32,
        tuning: &Tuning,
        lens: [usize; SEGMENTS],
        hash_of: impl Fn(u32) -> u64 + Copy,
    ) -> Index {
        let mut index = Index::with_lens(lens, mask_for(count), tuning);
        let (mut fetched, mut next) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        for number in 0..count {
            if next.len() == BATCH {
                index.append_all(&mut fetched, hash_of);
                std::mem::swap(&mut fetched, &mut next);
            }
            let hash = hash_of(number);
            index.fetch(hash);
            next.push((hash, number));
        }
        index.append_all(&mut fetched, hash_of);
        index.append_all(&mut next, hash_of);
        let used: usize = index.segments.iter().map(|segment| segment.used).sum();
        assert_eq!(used, count as usize, "every number is in the index once");
        index
    }

    fn append_all(&mut self, hashes: &mut Vec<(u64, u32)>, hash_of: impl Fn(u32) -> u64 + Copy) {
        for (hash, number) in hashes.drain(..) {
            let segment = &mut self.segments[segment_of(hash)];
            if segment.is_full() || number >= segment.mask {
                // The hashes are less evenly spread than expected.
                let states = States { fetch: |_| {}, hash: hash_of };
                let _: Result<(), Halt> = self.grow(hash, number, states, |_| Ok(()));
            } else {
                segment.place(hash, number);
            }
        }
    }
}

impl Index {
    /// Rebuilds the segment of a hash with one more number, larger unless there is room.
    #[cold]
    fn grow(
        &mut self,
        hash: u64,
        number: u32,
        states: States<impl Fn(u32) + Copy, impl Fn(u32) -> u64 + Copy>,
        request: impl FnOnce(u64) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let at = segment_of(hash);
        let used = self.segments[at].used;
        self.make_anew(at, used, number, states, request)?;
        self.segments[at].place(hash, number);
        Ok(())
    }

    /// Rebuilds large segments that so many numbers each would fill, of which `number` is the greatest, as long as
    /// the index has at most so many bytes meanwhile. Spaces that do so at the same time do not wait for each other.
    pub(super) fn expect(
        &mut self,
        each: usize,
        number: u32,
        states: States<impl Fn(u32) + Copy, impl Fn(u32) -> u64 + Copy>,
        most_bytes: u64,
    ) {
        for at in 0..SEGMENTS {
            let segment = &self.segments[at];
            if segment.len < self.large || segment.used > each || !segment.is_full_with(each) {
                continue;
            }
            let held = self.bytes;
            let request = |bytes| if held.saturating_add(bytes) <= most_bytes { Ok(()) } else { Err(Halt::Memory) };
            if self.make_anew(at, each, number, states, request).is_err() {
                return;
            }
        }
    }

    /// Rebuilds a segment, larger if so many numbers fill it.
    fn make_anew(
        &mut self,
        at: usize,
        used: usize,
        number: u32,
        states: States<impl Fn(u32) + Copy, impl Fn(u32) -> u64 + Copy>,
        request: impl FnOnce(u64) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let old = &self.segments[at];
        let len = old.len_anew(used, self.large);
        // What the new segment takes, not what it needs: up to a huge page more.
        request(Pages::taken(len * size_of::<u32>()) as u64)?;
        let mut new = Segment::new(len, old.mask.max(mask_for(number)));
        let entries = &old.pages.entries()[..old.len];
        let mut ahead = entries.chunks(BATCH).skip(2);
        let fetch = |group: &[u32]| {
            group.iter().filter(|&&entry| entry != 0).for_each(|&entry| (states.fetch)((entry & old.mask) - 1));
        };
        entries.chunks(BATCH).take(2).for_each(fetch);
        for group in entries.chunks(BATCH) {
            ahead.next().into_iter().for_each(fetch);
            for &entry in group.iter().filter(|&&entry| entry != 0) {
                let number = (entry & old.mask) - 1;
                new.place((states.hash)(number), number);
            }
        }
        assert!(new.used == old.used && !new.is_full(), "a rebuilt segment has all its numbers, and room for more");
        self.replace(at, new);
        Ok(())
    }

    /// As [`grow`](Index::grow), from the hashes of all numbers in their order, for states that are read best in this
    /// order; returns whether all hashes came, unless `is_lost`: nothing has changed otherwise.
    pub(super) fn grow_in_order(
        &mut self,
        hash: u64,
        number: u32,
        hashes: impl Iterator<Item = (u64, u32)>,
        is_lost: impl FnOnce() -> bool,
    ) -> bool {
        let old = &self.segments[segment_of(hash)];
        let mut new = Segment::new(old.len_anew(old.used, self.large), old.mask.max(mask_for(number)));
        for (other, number) in hashes.filter(|&(other, _)| segment_of(other) == segment_of(hash)) {
            if new.is_full() {
                return false;
            }
            new.place(other, number);
        }
        if new.used != old.used || is_lost() {
            return false;
        }
        new.place(hash, number);
        self.replace(segment_of(hash), new);
        true
    }

    fn replace(&mut self, at: usize, new: Segment) {
        let old = &mut self.segments[at];
        self.bytes = self.bytes - old.bytes() + new.bytes();
        self.made += 1;
        *old = new;
    }
}

#[cfg(test)]
mod tests;
