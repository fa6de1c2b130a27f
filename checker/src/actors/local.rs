//! Local states of one kind of rebec, interned: the varying values and the queue, as a dense number.
//!
//! Rebecs of `main` and created rebecs of a class are different kinds. The known rebecs of a rebec of `main` never
//! change and differ between instances; they are left out, so instances share local states. A created rebec keeps
//! them. Values and queues lie in two arenas; the index holds numbers only and compares whole local states.
//!
//! Invariant: `values.len() == positions.len() * ends.len()`; queue `n` is `queues[ends[n - 1]..ends[n]]`.

use std::hash::Hasher;
use std::io;

use frontend::model::{Class, ClassId, Model, Role, Sort, Value};
use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::messages::{Messages, is_value};
use crate::checkpoint::{code, read_values, write_values};
use explore::checkpoint::{Damaged, Reader, Writer};
use explore::memory::{Footprint, Halt};

/// The local states of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Locals {
    class: ClassId,
    created: bool,
    positions: Box<[u32]>,
    values: Vec<Value>,
    queues: Vec<u32>,
    ends: Vec<usize>,
    index: HashTable<u32>,
}

impl Locals {
    /// No local states of a class yet; of created rebecs or of those of `main`.
    pub(crate) fn new(id: ClassId, class: &Class, created: bool) -> Locals {
        let positions = class
            .variables
            .iter()
            .filter(|variable| created || variable.role == Role::State)
            .flat_map(|variable| variable.offset..variable.offset + u32::try_from(variable.len()).unwrap_or(u32::MAX))
            .collect();
        Locals {
            class: id,
            created,
            positions,
            values: Vec::new(),
            queues: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
        }
    }

    /// The class.
    pub(crate) fn class(&self) -> ClassId {
        self.class
    }

    /// Whether these are the local states of created rebecs.
    pub(crate) fn created(&self) -> bool {
        self.created
    }

    /// The elements of the value vector that a local state holds, ascending.
    pub(crate) fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// The varying values, one for each of [`positions`](Locals::positions).
    pub(crate) fn values(&self, local: u32) -> &[Value] {
        let width = self.positions.len();
        &self.values[local as usize * width..][..width]
    }

    /// The queue, as numbers of messages.
    pub(crate) fn queue(&self, local: u32) -> &[u32] {
        let local = local as usize;
        let start = if local == 0 { 0 } else { self.ends[local - 1] };
        &self.queues[start..self.ends[local]]
    }

    /// The number of a local state.
    ///
    /// # Errors
    /// The numbers are used up.
    pub(crate) fn intern(&mut self, values: &[Value], queue: &[u32]) -> Result<u32, Halt> {
        debug_assert_eq!(values.len(), self.positions.len(), "a local state has a value for each varying element");
        let hash = hash(values, queue);
        let found = self.index.find(hash, |&local| self.values(local) == values && self.queue(local) == queue);
        if let Some(&local) = found {
            return Ok(local);
        }
        let local = u32::try_from(self.ends.len()).map_err(|_| Halt::Memory)?;
        self.values.extend_from_slice(values);
        self.queues.extend_from_slice(queue);
        self.ends.push(self.queues.len());
        assert_eq!(self.values.len(), self.positions.len() * self.ends.len(), "a local state has its values");
        let mut index = std::mem::take(&mut self.index);
        index.insert_unique(hash, local, |&local| self::hash(self.values(local), self.queue(local)));
        self.index = index;
        assert_eq!(self.index.len(), self.ends.len(), "every local state is in the index once");
        Ok(local)
    }

    /// Bytes held.
    pub(crate) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.values);
        footprint.add_vec(&self.queues);
        footprint.add_vec(&self.ends);
        footprint.add_table::<u32>(self.index.capacity());
        footprint
    }
}

impl Locals {
    /// Writes all local states in the order of their numbers.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.ends.len())?;
        for local in 0..self.ends.len() {
            let local = u32::try_from(local).expect("numbers have 32 bits");
            write_values(to, self.values(local))?;
            to.u32s(self.queue(local))?;
        }
        Ok(())
    }

    /// Reads local states over such messages, where there are so many rebecs.
    ///
    /// # Errors
    /// They do not belong to the class, or are not all different.
    pub(crate) fn restore(
        &mut self,
        model: &Model,
        rebecs: usize,
        messages: &Messages,
        from: &mut Reader<'_>,
    ) -> Result<(), Damaged> {
        let class = model.class(self.class);
        let sorts: Vec<Sort> =
            class.variables.iter().flat_map(|variable| std::iter::repeat_n(variable.sort, variable.len())).collect();
        let is_held = |(&position, &value): (&u32, &Value)| match sorts[position as usize] {
            Sort::Scalar(_) if value == Value::Undefined => true,
            sort => is_value(model, rebecs, value, sort),
        };
        for number in 0..from.len(16)? {
            let (values, queue) = (read_values(from)?, from.u32s()?);
            let fits = values.len() == self.positions.len()
                && self.positions.iter().zip(&values).all(is_held)
                && queue.len() <= class.queue_bound as usize
                && queue.iter().all(|&message| messages.is_to(message, self.class));
            if !fits || self.intern(&values, &queue).ok().map(|given| given as usize) != Some(number) {
                return Err(Damaged);
            }
        }
        Ok(())
    }

    /// The number of local states.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
}

fn hash(values: &[Value], queue: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for &value in values {
        let (tag, payload) = code(value);
        hasher.write_u64(u64::from(tag) << 32 | u64::from(payload));
    }
    for &message in queue {
        hasher.write_u32(message);
    }
    hasher.write_usize(queue.len());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn equal_local_states_have_equal_numbers_and_others_do_not() {
        let mut locals = Locals {
            class: ClassId(0),
            created: false,
            positions: Box::new([0, 3]),
            values: Vec::new(),
            queues: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
        };
        let mut naive = HashMap::new();
        let mut seed = 1u64;
        for _ in 0..5_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = u32::try_from(seed >> 33).expect("31 bits");
            let values = vec![Value::Int((bits % 7).cast_signed() - 3), Value::Bool(bits & 8 == 0)];
            let queue: Vec<u32> = (0..bits >> 4 & 3).map(|at| bits >> (6 + at) & 3).collect();
            let next = u32::try_from(naive.len()).expect("small");
            let expected = *naive.entry((values.clone(), queue.clone())).or_insert(next);
            assert_eq!(locals.intern(&values, &queue), Ok(expected));
        }
        for ((values, queue), local) in naive {
            assert_eq!((locals.values(local), locals.queue(local)), (&values[..], &queue[..]));
        }
    }
}
