//! The action of a permutation on reference states.
//!
//! Variables of `r` are mapped to the same variables of `pi(r)`, and elements of grouped variables to the rotated positions. Values that
//! are rebecs are mapped; scalars are rotated by the rotation of the rebec that holds them, and undefined scalars stay undefined. A
//! message in the queue of `r` is mapped to the queue of `pi(r)`: its sender and the rebecs among its arguments are mapped, and the
//! scalars among them are rotated by the rotation of the *receiver*, which is the rebec that will use them. Feature variables and created
//! rebecs stay fixed. The local map of a rebec replaces its rotations.

use frontend::interpret::{Message, Rebec, State};
use frontend::model::{Dimension, Model, RebecId, ScalarSetId, Sort, Value, Variable};

use super::{ModelPermutation, add};

impl ModelPermutation {
    /// The image of a state.
    ///
    /// # Panics
    /// If the permutation or the state is not one of the model.
    pub fn apply(&self, model: &Model, state: &State) -> State {
        let mut rebecs = vec![None; state.rebecs.len()];
        for (index, rebec) in state.rebecs.iter().enumerate() {
            let id = RebecId::from_index(index);
            rebecs[self.image(id).index()] = rebec.as_ref().map(|rebec| self.apply_local(model, id, rebec));
        }
        let count = |rebecs: &[Option<Rebec>]| rebecs.iter().flatten().count();
        debug_assert_eq!(count(&rebecs), count(&state.rebecs), "no rebec is lost");
        State { features: state.features.clone(), rebecs }
    }

    /// The local state that the image of `owner` gets from the local state of `owner`.
    pub fn apply_local(&self, model: &Model, owner: RebecId, rebec: &Rebec) -> Rebec {
        let queue = rebec.queue.iter().map(|message| self.apply_message(model, owner, message)).collect();
        let mut values = rebec.values.clone();
        if let Some(local) = self.local(owner) {
            debug_assert_eq!(local.elements.len(), rebec.values.len(), "a local map has every element");
            for (moved, &value) in local.elements.iter().zip(&rebec.values) {
                if let Some(moved) = moved {
                    values[moved.target as usize] = moved.value(value, &|rebec| self.image(rebec));
                }
            }
            local.image.iter().for_each(|&(place, value)| values[place as usize] = value);
            return Rebec { values, queue };
        }
        let class = model.class(model.class_of(owner));
        for variable in &class.variables {
            for (position, element) in variable.elements().enumerate() {
                let target = variable.offset as usize + self.position(model, owner, variable, position);
                values[target] = self.value(model, owner, variable.sort, rebec.values[element]);
            }
        }
        Rebec { values, queue }
    }

    /// The message that the image of `receiver` gets for a message of `receiver`.
    pub fn apply_message(&self, model: &Model, receiver: RebecId, message: &Message) -> Message {
        if let Some(local) = self.local(receiver) {
            let server = &local.servers[message.server.index()];
            debug_assert_eq!(server.parameters.len(), message.arguments.len(), "a local map has every argument");
            let mut arguments = message.arguments.clone();
            for (moved, &value) in server.parameters.iter().zip(&message.arguments) {
                arguments[moved.target as usize] = moved.value(value, &|rebec| self.image(rebec));
            }
            return Message { server: server.target, sender: self.image(message.sender), arguments };
        }
        let class = model.class(model.class_of(receiver));
        let parameters = class.servers[message.server.index()].body.parameters();
        debug_assert_eq!(parameters.len(), message.arguments.len(), "a message has every argument");
        let arguments = parameters
            .iter()
            .zip(&message.arguments)
            .map(|(parameter, &value)| self.value(model, receiver, parameter.sort, value))
            .collect();
        Message { server: message.server, sender: self.image(message.sender), arguments }
    }

    /// The value that the image of `owner` holds where `owner` holds `value`.
    pub(crate) fn value(&self, model: &Model, owner: RebecId, sort: Sort, value: Value) -> Value {
        match (value, sort) {
            (Value::Rebec(rebec), _) => Value::Rebec(self.image(rebec)),
            (Value::Scalar(number), Sort::Scalar(set)) => Value::Scalar(self.scalar(model, owner, set, number)),
            _ => value,
        }
    }

    /// The scalar that the image of `owner` holds where `owner` holds `number`.
    pub(crate) fn scalar(&self, model: &Model, owner: RebecId, set: ScalarSetId, number: i32) -> i32 {
        let bounds = model.scalar_set(set);
        debug_assert!((bounds.low..=bounds.high).contains(&number), "a scalar lies in its set");
        let position = add(number.abs_diff(bounds.low), self.rotation(owner, set), bounds.size());
        i32::try_from(i64::from(bounds.low) + i64::from(position)).expect("between the bounds of the set")
    }

    /// The position to which an element of a variable of `owner` moves, in the same variable of the image of `owner`.
    pub(crate) fn position(&self, model: &Model, owner: RebecId, variable: &Variable, position: usize) -> usize {
        let grouped = |dimension: &Dimension| match dimension {
            Dimension::Scalar(set) => self.rotation(owner, *set) != 0,
            Dimension::Array(_) => false,
        };
        if !variable.dimensions.iter().any(grouped) {
            return position;
        }
        let (mut rest, mut stride, mut target) = (position, 1, 0);
        for &dimension in variable.dimensions.iter().rev() {
            let len = model.extent(dimension) as usize;
            let index = rest % len;
            rest /= len;
            let moved = match dimension {
                Dimension::Array(_) => index,
                Dimension::Scalar(set) => (index + self.rotation(owner, set) as usize) % len,
            };
            target += moved * stride;
            stride *= len;
        }
        debug_assert_eq!(rest, 0, "a position lies in its variable");
        target
    }
}
