//! Where states are, by hash: open addressing over numbers, with what room is left for bits of the hash.
//!
//! An entry is 32 bits: the number of a state plus one in the low bits, bits of its hash above. An entry whose bits of the
//! hash differ is no candidate; of a candidate the owner compares the whole state. The table is cut into segments by the first
//! bits of the hash. A segment that is full is made anew, half as large again, from the states: it alone stands twice in
//! memory meanwhile, and the pause is that of one segment. Segments begin with different sizes, so they grow at
//! different times and the memory grows in small steps.
//!
//! A state that is stored between a scan and its use takes the free entry that the scan found, or lies behind it: scans of
//! equal hashes end at the same entry. So a scan stays good until a segment is made anew.
//!
//! Invariants: every number is there once, behind its place without a gap; an entry is 0 if and only if it is free; each
//! segment is at most 27/32 full.
//!
//! Soundness: nothing is told by hashes: where two states have the same, both are compared.
//!
//! Complexity: expected O(1) a look-up; 4 bytes an entry, 6 a number in the mean.

use super::pages::Pages;
use crate::memory::Full;

/// Segments.
pub(super) const SEGMENTS: usize = 8;

/// The bits of the hash that choose a segment.
const SEGMENT_BITS: u32 = SEGMENTS.trailing_zeros();

/// Entries of the first segment at first.
const FIRST: usize = 1 << 7;

/// Smaller segments are doubled.
const SMALL: usize = 1 << 18;

/// Numbers that are hashed side by side when a segment is made anew.
const BATCH: usize = 32;

/// The index.
#[derive(Clone, Debug)]
pub(super) struct Index {
    segments: [Segment; SEGMENTS],
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

/// The first entry of interest for a hash.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scan {
    /// An entry whose number may be the one.
    Candidate(usize, u32),
    /// A free entry: there is no candidate before it.
    Free(usize),
}

const CANDIDATE: u64 = 1 << 63;

impl Scan {
    /// As one word.
    #[inline]
    pub(super) fn pack(self) -> u64 {
        match self {
            // A segment has fewer than 2^31 entries.
            Scan::Candidate(at, number) => CANDIDATE | (at as u64) << 32 | u64::from(number),
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
        let pages = Pages::zeroed(len * size_of::<u32>());
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
        (self.used + 1) * 32 > self.len * 27
    }

    fn bytes(&self) -> u64 {
        self.pages.held(self.len * size_of::<u32>())
    }

    /// How many entries it has when it is made anew, with room for one more.
    fn len_anew(&self) -> usize {
        match self.len {
            len if !self.is_full() => len,
            len if len < SMALL => len * 2,
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
    pub(super) fn new() -> Index {
        // From one to one and a half, evenly by factors.
        let factors = [256, 269, 283, 298, 314, 330, 347, 365];
        Index::with_lens(factors.map(|factor| FIRST * factor / 256), mask_for(0))
    }

    fn with_lens(lens: [usize; SEGMENTS], mask: u32) -> Index {
        let segments = lens.map(|len| Segment::new(len, mask));
        Index { bytes: segments.iter().map(Segment::bytes).sum(), segments, made: 0 }
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The entry where the search for a hash begins.
    #[inline]
    pub(super) fn peek(&self, hash: u64) -> u32 {
        let segment = &self.segments[segment_of(hash)];
        segment.pages.entries()[segment.home(hash)]
    }

    /// Looks along the entries of a hash.
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

    /// The number with this hash that is the same; else the entry where it belongs. `scan` is what was found before, since
    /// when no segment was made anew.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut scan: Scan, mut is_same: impl FnMut(u32) -> bool) -> Result<u32, Free> {
        loop {
            match scan {
                Scan::Candidate(_, number) if is_same(number) => return Ok(number),
                Scan::Candidate(at, _) => {
                    scan = self.scan_from(hash, self.segments[segment_of(hash)].after(at));
                }
                Scan::Free(at) if self.segments[segment_of(hash)].pages.entries()[at] == 0 => return Err(Free(at)),
                // Something was stored there since; what is the same would be there or behind.
                Scan::Free(at) => scan = self.scan_from(hash, at),
            }
        }
    }

    /// How often a segment was made anew.
    #[inline]
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// Notes a number that is not there at its free entry.
    ///
    /// # Errors
    /// A segment would have to grow, and `ask` refuses the bytes.
    #[inline]
    pub(super) fn insert(
        &mut self,
        Free(at): Free,
        hash: u64,
        number: u32,
        hash_of: impl FnMut(u32) -> u64,
        ask: impl FnOnce(u64) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let segment = &mut self.segments[segment_of(hash)];
        if segment.is_full() || number >= segment.mask {
            return self.grow((hash, number), hash_of, ask);
        }
        let entry = segment.entry(hash, number);
        segment.pages.entries_mut()[at] = entry;
        segment.used += 1;
        Ok(())
    }

    /// The entries of all segments: for [`Index::of`].
    pub(super) fn lens(&self) -> [usize; SEGMENTS] {
        std::array::from_fn(|segment| self.segments[segment].len)
    }

    /// An index of all numbers below `count`, with segments of such lengths at least.
    pub(super) fn of(count: u32, lens: [usize; SEGMENTS], hash_of: impl Fn(u32) -> u64 + Copy) -> Index {
        let mut index = Index::with_lens(lens, mask_for(count));
        let mut hashes = Vec::with_capacity(BATCH);
        for number in 0..count {
            if hashes.len() == BATCH {
                index.append_all(&mut hashes, hash_of);
            }
            hashes.push((hash_of(number), number));
        }
        index.append_all(&mut hashes, hash_of);
        index
    }

    fn append_all(&mut self, hashes: &mut Vec<(u64, u32)>, hash_of: impl Fn(u32) -> u64 + Copy) {
        for (hash, number) in hashes.drain(..) {
            let segment = &mut self.segments[segment_of(hash)];
            if segment.is_full() || number >= segment.mask {
                // Hashes are not as evenly spread as was thought.
                let _: Result<(), Full> = self.grow((hash, number), hash_of, |_| Ok(()));
            } else {
                segment.place(hash, number);
            }
        }
    }
}

impl Index {
    /// Makes the segment of a hash anew with one more number, larger unless there is room.
    #[cold]
    fn grow(
        &mut self,
        (hash, number): (u64, u32),
        mut hash_of: impl FnMut(u32) -> u64,
        ask: impl FnOnce(u64) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let old = &self.segments[segment_of(hash)];
        let len = old.len_anew();
        ask((len * size_of::<u32>()) as u64)?;
        let mut new = Segment::new(len, old.mask.max(mask_for(number)));
        let mut batch = Vec::with_capacity(BATCH);
        for group in old.pages.entries()[..old.len].chunks(BATCH) {
            batch.clear();
            batch.extend(group.iter().filter(|&&entry| entry != 0).map(|&entry| {
                let number = (entry & old.mask) - 1;
                (hash_of(number), number)
            }));
            batch.iter().for_each(|&(hash, number)| new.place(hash, number));
        }
        new.place(hash, number);
        self.replace(hash, new);
        Ok(())
    }

    /// As [`grow`](Index::grow), from the hashes of all numbers in their order, for states that are read best in this order;
    /// whether all came, unless `is_lost`: nothing has changed otherwise.
    pub(super) fn grow_in_order(
        &mut self,
        (hash, number): (u64, u32),
        hashes: impl Iterator<Item = (u64, u32)>,
        is_lost: impl FnOnce() -> bool,
    ) -> bool {
        let old = &self.segments[segment_of(hash)];
        let mut new = Segment::new(old.len_anew(), old.mask.max(mask_for(number)));
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
        self.replace(hash, new);
        true
    }

    fn replace(&mut self, hash: u64, new: Segment) {
        let old = &mut self.segments[segment_of(hash)];
        self.bytes = self.bytes - old.bytes() + new.bytes();
        self.made += 1;
        *old = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(number: u32) -> u64 {
        u64::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn all_are_found(index: &Index, count: u32, hash_of: impl Fn(u32) -> u64) {
        for number in 0..count {
            let hash = hash_of(number);
            assert_eq!(index.find(hash, index.scan(hash), |other| other == number).ok(), Some(number));
            assert!(index.find(hash, index.scan(hash), |_| false).is_err());
        }
    }

    /// Numbers one by one, then all again from segments that are too short and from long ones.
    fn numbers_stay(count: u32, hash_of: impl Fn(u32) -> u64 + Copy) {
        let mut index = Index::new();
        for number in 0..count {
            let hash = hash_of(number);
            let free = index.find(hash, index.scan(hash), |_| false).expect_err("it is new");
            index.insert(free, hash, number, hash_of, |_| Ok(())).expect("room");
        }
        all_are_found(&index, count, hash_of);
        let mut in_order = index.clone();
        let all = || (0..count).map(|number| (hash_of(number), number));
        assert!(!in_order.grow_in_order((hash_of(count), count), all().skip(1).filter(|&(other, _)| segment_of(other) == segment_of(hash_of(0))), || false) || segment_of(hash_of(0)) != segment_of(hash_of(count)));
        let mut in_order = index.clone();
        assert!(!in_order.grow_in_order((hash_of(count), count), all(), || true));
        assert!(in_order.grow_in_order((hash_of(count), count), all(), || false));
        all_are_found(&in_order, count + 1, hash_of);
        let bytes: u64 = index.segments.iter().map(Segment::bytes).sum();
        assert_eq!(index.bytes(), bytes);
        all_are_found(&Index::of(count, Index::new().lens(), hash_of), count, hash_of);
        all_are_found(&Index::of(count, index.lens(), hash_of), count, hash_of);
    }

    #[test]
    fn every_number_is_found() {
        numbers_stay(20_000, spread);
        numbers_stay(1_000, |_| u64::MAX);
        numbers_stay(1_000, |_| 0);
        numbers_stay(3_000, |number| u64::from(number) << 40);
    }

    #[test]
    fn scans_survive_their_words() {
        for scan in [Scan::Free(0), Scan::Free(7 << 20), Scan::Candidate(9, 3), Scan::Candidate(1 << 30, u32::MAX - 2)]
        {
            assert_eq!(format!("{:?}", Scan::unpack(scan.pack())), format!("{scan:?}"));
        }
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut index = Index::new();
        let mut stored = 0;
        let refused = (0..5_000).find(|&number| {
            let hash = spread(number);
            let free = index.find(hash, index.scan(hash), |_| false).expect_err("it is new");
            let inserted = index.insert(free, hash, number, spread, |_| Err(Full::Memory));
            stored += u32::from(inserted.is_ok());
            inserted.is_err()
        });
        assert_eq!(refused, Some(stored));
        all_are_found(&index, stored, spread);
    }
}
