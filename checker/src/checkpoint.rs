//! Saving a search and going on with it: the encoding, and what is encoded.
//!
//! A checkpoint is the visited set with the tables that its packed states refer to, the place where the search is, and what the
//! observer has found. Memos are left out: they fill again. Numbers are little endian; lists begin with their length. Who
//! calls decides where the bytes go, and must see that they come back whole and to the same model and question.
//!
//! Invariant: reading what was written gives a search that goes on exactly as the saved one: the same states, in the same
//! order, with the same numbers.
//!
//! Soundness: nothing is trusted that can be checked: lengths, numbers of states and fields are, so that a damaged text is an
//! error, never a panic. A text changed on purpose may give a wrong verdict; the checksum of the file is against accidents.

use std::io::{self, Write};

use frontend::interpret::Message;
use frontend::model::{RebecId, ServerId, Value};

/// What was read is not a checkpoint of this search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damaged;

/// Writes a checkpoint.
pub(crate) struct Writer<'w>(pub(crate) &'w mut dyn Write);

impl Writer<'_> {
    pub(crate) fn byte(&mut self, value: u8) -> io::Result<()> {
        self.0.write_all(&[value])
    }

    pub(crate) fn u32(&mut self, value: u32) -> io::Result<()> {
        self.0.write_all(&value.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, value: u64) -> io::Result<()> {
        self.0.write_all(&value.to_le_bytes())
    }

    pub(crate) fn len(&mut self, len: usize) -> io::Result<()> {
        self.u64(len as u64)
    }

    pub(crate) fn u32s(&mut self, values: &[u32]) -> io::Result<()> {
        self.len(values.len())?;
        values.iter().try_for_each(|&value| self.u32(value))
    }

    pub(crate) fn bools(&mut self, values: &[bool]) -> io::Result<()> {
        self.len(values.len())?;
        values.iter().try_for_each(|&value| self.byte(u8::from(value)))
    }

    pub(crate) fn values(&mut self, values: &[Value]) -> io::Result<()> {
        self.len(values.len())?;
        values.iter().try_for_each(|&value| self.value(value))
    }

    fn value(&mut self, value: Value) -> io::Result<()> {
        let (tag, payload) = match value {
            Value::Bool(value) => (0, u32::from(value)),
            Value::Int(value) => (1, value.cast_unsigned()),
            Value::Null => (2, 0),
            Value::Rebec(rebec) => (3, rebec.0),
            Value::Undefined => (4, 0),
            Value::Scalar(value) => (5, value.cast_unsigned()),
        };
        self.byte(tag)?;
        self.u32(payload)
    }

    pub(crate) fn message(&mut self, message: &Message) -> io::Result<()> {
        self.u32(message.server.0)?;
        self.u32(message.sender.0)?;
        self.values(&message.arguments)
    }
}

/// Reads a checkpoint.
pub(crate) struct Reader<'r>(pub(crate) &'r [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Damaged> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(crate) fn bool(&mut self) -> Result<bool, Damaged> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damaged),
        }
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damaged> {
        self.take().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damaged> {
        self.take().map(u64::from_le_bytes)
    }

    /// A length of things of at least so many bytes each: no more than there are.
    pub(crate) fn len(&mut self, bytes: usize) -> Result<usize, Damaged> {
        let len = usize::try_from(self.u64()?).map_err(|_| Damaged)?;
        if len.checked_mul(bytes).is_some_and(|bytes| bytes <= self.0.len()) { Ok(len) } else { Err(Damaged) }
    }

    pub(crate) fn u32s(&mut self) -> Result<Vec<u32>, Damaged> {
        let len = self.len(4)?;
        (0..len).map(|_| self.u32()).collect()
    }

    pub(crate) fn bools(&mut self) -> Result<Vec<bool>, Damaged> {
        let len = self.len(1)?;
        (0..len).map(|_| self.bool()).collect()
    }

    pub(crate) fn values(&mut self) -> Result<Vec<Value>, Damaged> {
        let len = self.len(5)?;
        (0..len).map(|_| self.value()).collect()
    }

    fn value(&mut self) -> Result<Value, Damaged> {
        let (tag, payload) = (self.byte()?, self.u32()?);
        Ok(match (tag, payload) {
            (0, 0) => Value::Bool(false),
            (0, 1) => Value::Bool(true),
            (1, _) => Value::Int(payload.cast_signed()),
            (2, 0) => Value::Null,
            (3, _) => Value::Rebec(RebecId(payload)),
            (4, 0) => Value::Undefined,
            (5, _) => Value::Scalar(payload.cast_signed()),
            _ => return Err(Damaged),
        })
    }

    pub(crate) fn message(&mut self) -> Result<Message, Damaged> {
        let (server, sender) = (ServerId(self.u32()?), RebecId(self.u32()?));
        Ok(Message { server, sender, arguments: self.values()? })
    }

    /// Nothing is left.
    pub(crate) fn end(&self) -> Result<(), Damaged> {
        if self.0.is_empty() { Ok(()) } else { Err(Damaged) }
    }
}

/// Something that holds part of a search.
pub(crate) trait Saved {
    /// Writes it.
    ///
    /// # Errors
    /// The bytes cannot be written.
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()>;

    /// Reads it into one that is new.
    ///
    /// # Errors
    /// The bytes are not what was written for this model.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let message = Message {
            server: ServerId(3),
            sender: RebecId(9),
            arguments: [Value::Int(-7), Value::Null, Value::Bool(true), Value::Scalar(2)].to_vec(),
        };
        let values = [Value::Undefined, Value::Rebec(RebecId(4)), Value::Bool(false)];
        let mut bytes = Vec::new();
        let mut to = Writer(&mut bytes);
        to.message(&message).expect("memory");
        to.values(&values).expect("memory");
        to.u32s(&[1, u32::MAX]).expect("memory");
        to.u64(u64::MAX).expect("memory");
        to.bools(&[true, false]).expect("memory");
        let mut from = Reader(&bytes);
        assert_eq!(from.message(), Ok(message));
        assert_eq!(from.values().as_deref(), Ok(&values[..]));
        assert_eq!((from.u32s(), from.u64()), (Ok(vec![1, u32::MAX]), Ok(u64::MAX)));
        assert_eq!(from.bools(), Ok(vec![true, false]));
        assert_eq!(from.end(), Ok(()));
        for cut in 0..bytes.len() {
            let mut from = Reader(&bytes[..cut]);
            let all = (|| {
                from.message()?;
                from.values()?;
                from.u32s()?;
                from.u64()?;
                from.bools()
            })();
            assert_eq!(all, Err(Damaged), "cut at {cut}");
        }
        assert_eq!(Reader(&[255; 8]).u32s(), Err(Damaged));
    }
}
