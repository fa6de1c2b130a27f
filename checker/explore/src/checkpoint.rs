//! Saved searches: the encoding of a search as a checkpoint, and its continuation.
//!
//! A checkpoint holds the visited set with the tables that its packed states refer to, the position of the search,
//! and the findings of the observer. Memos are left out: they fill again. Numbers are little endian; lists begin with
//! their length. The caller decides where the bytes go, and must ensure that they come back whole and to the same
//! model and question.
//!
//! Invariant: a restored search continues exactly as the saved one: the same states, in the same order, with the same
//! numbers.
//!
//! Soundness: everything that can be checked is checked (lengths, numbers of states, fields), so that a damaged text
//! is an error, never a panic. A text changed on purpose may give a wrong verdict; the checksum of the file is
//! against accidents.

use std::io::{self, Write};

/// The text is not a checkpoint of this search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damaged;

/// Writes a checkpoint.
pub struct Writer<'w>(pub &'w mut dyn Write);

impl Writer<'_> {
    /// Writes a byte.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn byte(&mut self, value: u8) -> io::Result<()> {
        self.0.write_all(&[value])
    }

    /// Writes 32 bits.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn u32(&mut self, value: u32) -> io::Result<()> {
        self.0.write_all(&value.to_le_bytes())
    }

    /// Writes 64 bits.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn u64(&mut self, value: u64) -> io::Result<()> {
        self.0.write_all(&value.to_le_bytes())
    }

    /// Writes a length.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn len(&mut self, len: usize) -> io::Result<()> {
        self.u64(len as u64)
    }

    /// Writes a list of 32 bits each, after its length.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn u32s(&mut self, values: &[u32]) -> io::Result<()> {
        self.len(values.len())?;
        values.iter().try_for_each(|&value| self.u32(value))
    }

    /// Writes a list of truth values, after its length.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn bools(&mut self, values: &[bool]) -> io::Result<()> {
        self.len(values.len())?;
        values.iter().try_for_each(|&value| self.byte(u8::from(value)))
    }
}

/// Reads a checkpoint.
pub struct Reader<'r>(pub &'r [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads a byte.
    ///
    /// # Errors
    /// The bytes are missing.
    pub fn byte(&mut self) -> Result<u8, Damaged> {
        self.take::<1>().map(|[byte]| byte)
    }

    /// Reads a truth value.
    ///
    /// # Errors
    /// The bytes are missing.
    pub fn bool(&mut self) -> Result<bool, Damaged> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damaged),
        }
    }

    /// Reads 32 bits.
    ///
    /// # Errors
    /// The bytes are missing.
    pub fn u32(&mut self) -> Result<u32, Damaged> {
        self.take().map(u32::from_le_bytes)
    }

    /// Reads 64 bits.
    ///
    /// # Errors
    /// The bytes are missing.
    pub fn u64(&mut self) -> Result<u64, Damaged> {
        self.take().map(u64::from_le_bytes)
    }

    /// Reads the length of a list whose elements take at least so many bytes each: no more than the text has left.
    pub fn len(&mut self, bytes: usize) -> Result<usize, Damaged> {
        let len = usize::try_from(self.u64()?).map_err(|_| Damaged)?;
        if len.checked_mul(bytes).is_some_and(|bytes| bytes <= self.0.len()) { Ok(len) } else { Err(Damaged) }
    }

    /// Reads a list of 32 bits each, after its length.
    ///
    /// # Errors
    /// The bytes are missing.
    pub fn u32s(&mut self) -> Result<Vec<u32>, Damaged> {
        let len = self.len(4)?;
        (0..len).map(|_| self.u32()).collect()
    }

    /// Reads a list of truth values, after its length.
    ///
    /// # Errors
    /// The bytes are missing.
    pub fn bools(&mut self) -> Result<Vec<bool>, Damaged> {
        let len = self.len(1)?;
        (0..len).map(|_| self.bool()).collect()
    }

    /// Checks that nothing is left.
    pub fn end(&self) -> Result<(), Damaged> {
        if self.0.is_empty() { Ok(()) } else { Err(Damaged) }
    }
}

/// A part of a search that can be saved.
pub trait Saved {
    /// Writes the part.
    ///
    /// # Errors
    /// The bytes cannot be written.
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()>;

    /// Reads the part into a new one.
    ///
    /// # Errors
    /// The bytes were not written for this model.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_read_as_written_and_nothing_else_is_read() {
        let mut bytes = Vec::new();
        let mut to = Writer(&mut bytes);
        to.u32s(&[1, u32::MAX]).expect("memory");
        to.u64(u64::MAX).expect("memory");
        to.bools(&[true, false]).expect("memory");
        let all = |from: &mut Reader<'_>| {
            let read = (from.u32s()?, from.u64()?, from.bools()?);
            from.end().map(|()| read)
        };
        assert_eq!(all(&mut Reader(&bytes)), Ok((vec![1, u32::MAX], u64::MAX, vec![true, false])));
        for cut in 0..bytes.len() {
            assert_eq!(all(&mut Reader(&bytes[..cut])), Err(Damaged), "cut at {cut}");
        }
        assert_eq!(Reader(&[255; 8]).u32s(), Err(Damaged));
    }
}
