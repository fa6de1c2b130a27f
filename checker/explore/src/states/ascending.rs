//! Ascending numbers in two or three bits each.
//!
//! Each number is written as its distance from the one before: as many zeros as the distance holds units, a one, and
//! the rest of the distance in a fixed number of bits. The place of every [`BLOCK`]th number is noted, with the
//! number before it.
//!
//! Complexity: `1 + s` bits per number and one for each `2^s` up to the greatest; constant time to append and to read
//! on, O([`BLOCK`]) to read at a place.
//!
//! Source: the code of \[Rice71\].

use crate::memory::{Halt, bytes_of, reserve};

/// Numbers between two that are noted.
const BLOCK: u32 = 128;

/// Numbers that never descend.
#[derive(Clone, Debug, Default)]
pub struct Ascending {
    /// Bits of a distance that are written as they are.
    rest: u32,
    bits: Vec<u64>,
    end: u64,
    last: u32,
    len: u32,
    blocks: Vec<(u64, u32)>,
}

/// A place between two numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// The number that comes next.
    pub at: u32,
    bit: u64,
    before: u32,
}

/// The elements by which a vector grows that is to take so many in all: at least half of what it has, or none.
fn by<T>(elements: &Vec<T>, all: usize) -> usize {
    let missing = all.saturating_sub(elements.capacity());
    if missing == 0 { 0 } else { missing.max(elements.capacity() / 2) }
}

/// Grows a vector by so many elements.
fn grow<T>(elements: &mut Vec<T>, by: usize) -> Result<(), Halt> {
    if by == 0 { Ok(()) } else { reserve(elements, elements.capacity() - elements.len() + by) }
}

#[inline]
fn place(bit: u64) -> (usize, u32) {
    ((bit / 64) as usize, (bit % 64) as u32)
}

impl Ascending {
    /// An empty list, for numbers about `2^rest` apart.
    pub fn new(rest: u32) -> Ascending {
        Ascending { rest, ..Ascending::default() }
    }

    /// The number of entries.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The last number; 0 if there is none.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.bits.capacity()) + bytes_of::<(u64, u32)>(self.blocks.capacity())
    }

    /// The words and blocks by which the list grows before it takes so many more numbers, if these lie about `2^rest` apart.
    fn growth(&self, more: u32) -> (usize, usize) {
        let all = u64::from(self.len) + u64::from(more);
        let zeros = all.saturating_sub(u64::from(self.last) >> self.rest);
        let bits = self.end + u64::from(more) * u64::from(self.rest + 1) + zeros;
        let blocks = usize::try_from(all.div_ceil(BLOCK.into())).expect("blocks of numbers of 32 bits");
        (by(&self.bits, place(bits).0 + 1), by(&self.blocks, blocks))
    }

    /// The bytes by which the list grows before it takes so many more numbers.
    pub(super) fn more_bytes(&self, more: u32) -> u64 {
        let (words, blocks) = self.growth(more);
        bytes_of::<u64>(words) + bytes_of::<(u64, u32)>(blocks)
    }

    /// Makes room for so many more numbers.
    ///
    /// # Errors
    /// The system has none.
    pub(super) fn reserve(&mut self, more: u32) -> Result<(), Halt> {
        let (words, blocks) = self.growth(more);
        grow(&mut self.bits, words)?;
        grow(&mut self.blocks, blocks)
    }

    /// Appends a number that is not below the last one.
    pub fn push(&mut self, number: u32) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push((self.end, self.last));
        }
        assert!(number >= self.last, "the numbers never descend");
        let distance = u64::from(number - self.last);
        self.end += distance >> self.rest;
        let rest = distance & ((1 << self.rest) - 1);
        self.write(rest << 1 | 1, self.rest + 1);
        (self.last, self.len) = (number, self.len + 1);
    }

    /// Appends some bits, few; those that were skipped before are zeros.
    fn write(&mut self, value: u64, count: u32) {
        let (word, shift) = place(self.end);
        self.end += u64::from(count);
        let words = place(self.end).0 + 1;
        if self.bits.len() < words {
            self.bits.resize(words, 0);
        }
        self.bits[word] |= value << shift;
        if shift + count > 64 {
            self.bits[word + 1] |= value >> (64 - shift);
        }
    }

    /// The number behind a place, which is advanced; nothing at the end.
    #[inline]
    pub fn next(&self, cursor: &mut Cursor) -> Option<u32> {
        if cursor.at >= self.len {
            return None;
        }
        let (mut word, shift) = place(cursor.bit);
        let mut rest = self.bits[word] >> shift;
        let mut zeros = 0;
        if rest == 0 {
            zeros = u64::from(64 - shift);
            word += 1;
            while self.bits[word] == 0 {
                zeros += 64;
                word += 1;
            }
            rest = self.bits[word];
        }
        zeros += u64::from(rest.trailing_zeros());
        let bit = cursor.bit + zeros + 1;
        let distance = zeros << self.rest | self.read(bit, self.rest);
        let number = cursor.before + u32::try_from(distance).expect("numbers have 32 bits");
        debug_assert!(number <= self.last, "a number is read that was not written");
        *cursor = Cursor { at: cursor.at + 1, bit: bit + u64::from(self.rest), before: number };
        Some(number)
    }

    fn read(&self, bit: u64, count: u32) -> u64 {
        if count == 0 {
            return 0;
        }
        let (word, shift) = place(bit);
        let mut value = self.bits[word] >> shift;
        if shift + count > 64 {
            value |= self.bits[word + 1] << (64 - shift);
        }
        value & ((1 << count) - 1)
    }

    /// The place before the number with an index, or the end.
    pub fn cursor(&self, index: u32) -> Cursor {
        let block = (index.min(self.len.saturating_sub(1)) / BLOCK) as usize;
        let Some(&(bit, before)) = self.blocks.get(block) else { return Cursor::default() };
        let mut cursor = Cursor { at: u32::try_from(block).unwrap_or(0) * BLOCK, bit, before };
        while cursor.at < index.min(self.len) {
            self.next(&mut cursor);
        }
        cursor
    }

    /// The number with an index.
    pub fn get(&self, index: u32) -> Option<u32> {
        self.next(&mut self.cursor(index))
    }

    /// The number of entries below a bound.
    pub fn below(&self, bound: u32) -> u32 {
        let block = self.blocks.partition_point(|&(_, before)| before < bound).saturating_sub(1);
        let mut cursor = self.cursor(u32::try_from(block).unwrap_or(0) * BLOCK);
        loop {
            let index = cursor.at;
            if self.next(&mut cursor).is_none_or(|number| number >= bound) {
                return index;
            }
        }
    }

    /// The first index of a number.
    pub fn find(&self, number: u32) -> Option<u32> {
        let index = self.below(number);
        self.get(index).filter(|&found| found == number).map(|_| index)
    }

    /// All numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let mut cursor = Cursor::default();
        std::iter::from_fn(move || self.next(&mut cursor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_sorted_list() {
        let mut seed = 3u64;
        for rest in [0, 1, 5] {
            for most in [1, 2, 7, 300, 20_000] {
                let (mut ascending, mut naive) = (Ascending::new(rest), Vec::new());
                let mut number = 0;
                for _ in 0..1_500 {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    number += u32::try_from(seed >> 33).expect("31 bits") % most;
                    ascending.push(number);
                    naive.push(number);
                }
                assert_eq!(ascending.iter().collect::<Vec<_>>(), naive);
                for (index, &number) in (0u32..).zip(&naive) {
                    assert_eq!(ascending.get(index), Some(number));
                    let below = naive.partition_point(|&other| other < number);
                    assert_eq!(ascending.below(number) as usize, below);
                    assert_eq!(ascending.find(number).map(|index| index as usize), Some(below));
                    assert_eq!(ascending.find(number + 1).is_some(), naive.binary_search(&(number + 1)).is_ok());
                }
                assert_eq!((ascending.get(1_500), ascending.below(u32::MAX)), (None, 1_500));
                assert_eq!((ascending.len(), ascending.last()), (1_500, number));
            }
        }
        assert_eq!((Ascending::new(2).get(0), Ascending::new(2).below(7)), (None, 0));
    }

    #[test]
    fn there_is_room_for_what_was_reserved() {
        // Parents: none is above its child, some states have many children, and many have none.
        for (rest, apart) in [(0, 1), (0, 40), (2, 4)] {
            let mut list = Ascending::new(rest);
            for number in 0..20_000u32 {
                if number.is_multiple_of(500) {
                    let expected = list.bytes() + list.more_bytes(500);
                    list.reserve(500).expect("the system has room");
                    assert!(list.bytes() >= expected);
                }
                let held = list.bytes();
                list.push((number / apart * apart) << rest);
                assert_eq!(list.bytes(), held, "{number} of {rest}, {apart}");
            }
        }
    }
}
