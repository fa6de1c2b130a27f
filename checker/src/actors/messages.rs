//! Messages, interned: (class of the receiver, server, sender, arguments) as a dense number.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::io;

use frontend::interpret::Message;
use frontend::model::{ClassId, Model, RebecId, Sort, Value};
use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::checkpoint::{read_message, write_message};
use explore::checkpoint::{Damaged, Reader, Writer};
use explore::memory::{Footprint, Halt, bytes_of};

/// All messages seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    messages: Vec<(ClassId, Message)>,
    index: HashTable<u32>,
    arguments: usize,
}

fn hash(class: ClassId, message: &Message) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one((class, message))
}

impl Messages {
    /// The number of a message to a rebec of a class.
    ///
    /// # Errors
    /// The numbers are used up.
    pub(crate) fn intern(&mut self, class: ClassId, message: &Message) -> Result<u32, Halt> {
        let hash = hash(class, message);
        let same = |&number: &u32| {
            let (of, known) = &self.messages[number as usize];
            *of == class && known == message
        };
        if let Some(&number) = self.index.find(hash, same) {
            return Ok(number);
        }
        let number = u32::try_from(self.messages.len()).map_err(|_| Halt::Memory)?;
        self.arguments += message.arguments.len();
        self.messages.push((class, message.clone()));
        let messages = &self.messages;
        self.index.insert_unique(hash, number, |&number| {
            let (class, message) = &messages[number as usize];
            self::hash(*class, message)
        });
        assert_eq!(self.index.len(), self.messages.len(), "every message is in the index once");
        Ok(number)
    }

    /// Whether there is a message of such a number to a rebec of a class.
    pub(crate) fn is_to(&self, number: u32, class: ClassId) -> bool {
        self.messages.get(number as usize).is_some_and(|&(of, _)| of == class)
    }

    /// The message of a number.
    pub(crate) fn message(&self, number: u32) -> &Message {
        &self.messages[number as usize].1
    }

    /// Bytes held.
    pub(crate) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.messages);
        footprint.add(bytes_of::<Value>(self.arguments));
        footprint.add_table::<u32>(self.index.capacity());
        footprint
    }
}

/// Whether a sort has a value where there are so many rebecs.
pub(super) fn is_value(model: &Model, rebecs: usize, value: Value, sort: Sort) -> bool {
    let is_rebec = |rebec: RebecId| rebec.index() < rebecs;
    !matches!(value, Value::Rebec(rebec) if !is_rebec(rebec)) && value.has_sort(model, sort)
}

impl Messages {
    /// Writes all messages in the order of their numbers.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.messages.len())?;
        self.messages.iter().try_for_each(|(class, message)| {
            to.u32(class.0)?;
            write_message(to, message)
        })
    }

    /// Reads messages of a model with so many rebecs.
    ///
    /// # Errors
    /// They do not belong to the model, or are not all different.
    pub(crate) fn restore(&mut self, model: &Model, rebecs: usize, from: &mut Reader<'_>) -> Result<(), Damaged> {
        for number in 0..from.len(12)? {
            let (class, message) = (ClassId(from.u32()?), read_message(from)?);
            let servers = model.classes.get(class.index()).map(|class| &class.servers).ok_or(Damaged)?;
            let server = servers.get(message.server.index()).ok_or(Damaged)?;
            let parameters = server.body.parameters();
            let mut arguments = parameters.iter().zip(&message.arguments);
            let fits = parameters.len() == message.arguments.len()
                && message.sender.index() < rebecs
                && arguments.all(|(parameter, &value)| is_value(model, rebecs, value, parameter.sort));
            if !fits || self.intern(class, &message).ok().map(|given| given as usize) != Some(number) {
                return Err(Damaged);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use frontend::model::ServerId;

    use super::*;

    #[test]
    fn messages_differ_by_all_four_parts() {
        let message = |server, sender, arguments: &[i32]| Message {
            server: ServerId(server),
            sender: RebecId(sender),
            arguments: arguments.iter().map(|&argument| Value::Int(argument)).collect(),
        };
        let mut messages = Messages::default();
        let first = messages.intern(ClassId(0), &message(0, 0, &[1]));
        assert_eq!(first, Ok(0));
        assert_eq!(messages.intern(ClassId(1), &message(0, 0, &[1])), Ok(1));
        assert_eq!(messages.intern(ClassId(0), &message(1, 0, &[1])), Ok(2));
        assert_eq!(messages.intern(ClassId(0), &message(0, 1, &[1])), Ok(3));
        assert_eq!(messages.intern(ClassId(0), &message(0, 0, &[1, 1])), Ok(4));
        assert_eq!(messages.intern(ClassId(0), &message(0, 0, &[1])), Ok(0));
        assert_eq!(messages.message(3), &message(0, 1, &[1]));
    }
}
