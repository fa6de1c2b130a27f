//! The values and messages of actors in a checkpoint.
//!
//! Invariant: reading written values gives the same values; other bytes are an error, never a panic. The table that
//! receives a value checks whether the value is in range for the model.

use std::io;

use explore::checkpoint::{Damaged, Reader, Writer};
use frontend::interpret::Message;
use frontend::model::{RebecId, ServerId, Value};

/// Writes values, after their number.
pub(crate) fn write_values(to: &mut Writer<'_>, values: &[Value]) -> io::Result<()> {
    to.len(values.len())?;
    values.iter().try_for_each(|&value| write_value(to, value))
}

fn write_value(to: &mut Writer<'_>, value: Value) -> io::Result<()> {
    let (tag, payload) = code(value);
    to.byte(tag)?;
    to.u32(payload)
}

/// A value as numbers; different values have different ones.
#[inline]
pub(crate) fn code(value: Value) -> (u8, u32) {
    match value {
        Value::Bool(value) => (0, u32::from(value)),
        Value::Int(value) => (1, value.cast_unsigned()),
        Value::Null => (2, 0),
        Value::Rebec(rebec) => (3, rebec.0),
        Value::Undefined => (4, 0),
        Value::Scalar(value) => (5, value.cast_unsigned()),
    }
}

/// Writes a message.
pub(crate) fn write_message(to: &mut Writer<'_>, message: &Message) -> io::Result<()> {
    to.u32(message.server.0)?;
    to.u32(message.sender.0)?;
    write_values(to, &message.arguments)
}

/// Reads values.
pub(crate) fn read_values(from: &mut Reader<'_>) -> Result<Vec<Value>, Damaged> {
    let len = from.len(5)?;
    (0..len).map(|_| read_value(from)).collect()
}

fn read_value(from: &mut Reader<'_>) -> Result<Value, Damaged> {
    let (tag, payload) = (from.byte()?, from.u32()?);
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

/// Reads a message.
pub(crate) fn read_message(from: &mut Reader<'_>) -> Result<Message, Damaged> {
    let (server, sender) = (ServerId(from.u32()?), RebecId(from.u32()?));
    Ok(Message { server, sender, arguments: read_values(from)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_read_as_written_and_nothing_else_is_read() {
        let message = Message {
            server: ServerId(3),
            sender: RebecId(9),
            arguments: [Value::Int(-7), Value::Null, Value::Bool(true), Value::Scalar(2)].to_vec(),
        };
        let values = [Value::Undefined, Value::Rebec(RebecId(4)), Value::Bool(false)];
        let mut bytes = Vec::new();
        let mut to = Writer(&mut bytes);
        write_message(&mut to, &message).expect("memory");
        write_values(&mut to, &values).expect("memory");
        let all = |from: &mut Reader<'_>| {
            let read = (read_message(from)?, read_values(from)?);
            from.end().map(|()| read)
        };
        assert_eq!(all(&mut Reader(&bytes)), Ok((message, values.to_vec())));
        for cut in 0..bytes.len() {
            assert_eq!(all(&mut Reader(&bytes[..cut])), Err(Damaged), "cut at {cut}");
        }
    }
}
