//! Tables over local states: decoding, interning and memoised deliveries.
//!
//! A miss calls the reference interpreter ([`frontend::interpret::deliver`]); there is no second semantics here.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use frontend::interpret::{Bounds, FaultKind, Message, Rebec, Stop, deliver, may_create};
use frontend::model::{Class, ClassId, Model, RebecId, ServerId, Value};
use frontend::parts::Parts;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::heap::index32;
use super::local::Locals;
use super::messages::Messages;
use super::slot::{IDLE, REFUSED, Slot, pair};
use explore::checkpoint::{Damaged, Reader, Writer};
use explore::executions::Executions;
use explore::memory::{Footprint, Halt, bytes_of};

/// All tables of one model.
#[derive(Clone, Debug)]
pub(crate) struct Tables<'m> {
    pub(super) model: &'m Model,
    pub(super) bounds: Bounds,
    pub(super) messages: Messages,
    kinds: Vec<Locals>,
    pub(super) slots: Vec<Slot>,
    /// Memoised steps; see [`steps`](super::steps).
    pub(super) records: Vec<u32>,
    /// The stops that records refer to.
    pub(super) stops: IndexSet<Stop, FxBuildHasher>,
    /// By class and server: whether a step depends on the heap.
    creates: Vec<Vec<bool>>,
    /// By class: the number of servers of the classes before it.
    first_servers: Vec<u32>,
    /// The parts of the model.
    pub(super) parts: Arc<Parts>,
    /// How often they were executed.
    pub(super) executions: Executions,
    /// The number of calls of the interpreter.
    misses: u64,
    /// Whether local states get no numbers here: another space numbers them.
    pub(super) is_fork: bool,
}

/// The delivery of a message to a local state of a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Delivery {
    pub slot: usize,
    pub local: u32,
    pub message: u32,
}

impl<'m> Tables<'m> {
    /// Empty tables with a slot for each rebec of `main`.
    pub(crate) fn new(model: &'m Model, bounds: &Bounds) -> Tables<'m> {
        let creates = (0..model.classes.len())
            .map(ClassId::from_index)
            .map(|class| {
                let servers = (0..model.class(class).servers.len()).map(ServerId::from_index);
                servers.map(|server| !model.creatable.is_empty() && may_create(model, class, server)).collect()
            })
            .collect();
        let mut servers = 0;
        let first = |class: &Class| {
            servers += index32(class.servers.len());
            servers - index32(class.servers.len())
        };
        let first_servers = model.classes.iter().map(first).collect();
        let parts = Arc::new(Parts::of_actors(model));
        let mut tables = Tables {
            model,
            bounds: *bounds,
            messages: Messages::default(),
            kinds: Vec::new(),
            slots: Vec::new(),
            records: Vec::new(),
            stops: IndexSet::default(),
            creates,
            first_servers,
            executions: Executions::new(parts.list.len()),
            parts,
            misses: 0,
            is_fork: false,
        };
        tables.grow(model.instances.len());
        assert_eq!(tables.len(), model.instances.len(), "every rebec of `main` has its slot");
        tables
    }

    /// Makes slots for all rebecs below `len`.
    pub(super) fn grow(&mut self, len: usize) {
        while self.slots.len() < len {
            let rebec = RebecId::from_index(self.slots.len());
            let (class, created) = (self.model.class_of(rebec), self.model.ordinal(rebec).is_some());
            let same = |kind: &Locals| kind.class() == class && kind.created() == created;
            let kind = self.kinds.iter().position(same).unwrap_or_else(|| {
                self.kinds.push(Locals::new(class, self.model.class(class), created));
                self.kinds.len() - 1
            });
            let base = match self.model.instances.get(rebec.index()) {
                Some(instance) => self.model.class(class).initial_values(&instance.known),
                None => vec![Value::Null; self.model.class(class).elements()],
            };
            self.slots.push(Slot::new(kind, base, created));
        }
    }

    /// The number of slots.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The greatest number of a slot.
    pub(crate) fn greatest(&self, slot: usize) -> u32 {
        self.slots[slot].greatest()
    }

    /// Whether a slot has a local state of such a number.
    pub(crate) fn has(&self, slot: usize, local: u32) -> bool {
        (local as usize) < self.slots[slot].steps.len()
    }

    /// The entry of a local state in the step table.
    #[inline]
    pub(crate) fn step(&self, slot: usize, local: u32) -> u32 {
        self.slots[slot].steps[local as usize]
    }

    /// The number of a message server of the class of a slot, counted over all classes.
    pub(super) fn number_of_server(&self, slot: usize, server: ServerId) -> u32 {
        self.first_servers[self.locals(slot).class().index()] + server.0
    }

    /// The number of calls of the interpreter so far.
    #[inline]
    pub(crate) fn misses(&self) -> u64 {
        self.misses
    }

    pub(super) fn miss(&mut self) {
        self.misses += 1;
    }

    fn locals(&self, slot: usize) -> &Locals {
        &self.kinds[self.slots[slot].kind]
    }

    /// An element of the value vector of an existing rebec.
    pub(crate) fn element(&self, slot: usize, number: u32, element: usize) -> Value {
        let locals = self.locals(slot);
        let local = self.slots[slot].local(number);
        let position = u32::try_from(element).ok().and_then(|at| locals.positions().binary_search(&at).ok());
        match (local, position) {
            (Some(local), Some(position)) => locals.values(local)[position],
            _ => self.slots[slot].base[element],
        }
    }

    /// The oldest message of a local state.
    pub(crate) fn oldest(&self, slot: usize, number: u32) -> Option<&Message> {
        let local = self.slots[slot].local(number)?;
        self.locals(slot).queue(local).first().map(|&message| self.messages.message(message))
    }

    /// The messages of a local state, oldest first.
    pub(crate) fn queue(&self, slot: usize, number: u32) -> impl Iterator<Item = &Message> {
        let queue = self.slots[slot].local(number).map_or(&[][..], |local| self.locals(slot).queue(local));
        queue.iter().map(|&message| self.messages.message(message))
    }

    /// Whether a local state has messages.
    #[inline]
    pub(crate) fn has_messages(&self, slot: usize, number: u32) -> bool {
        self.step(slot, number) != IDLE
    }

    /// The rebec that a number stands for.
    pub(crate) fn decode(&self, slot: usize, number: u32) -> Option<Rebec> {
        let local = self.slots[slot].local(number)?;
        let locals = self.locals(slot);
        let mut values = self.slots[slot].base.clone();
        for (&position, &value) in locals.positions().iter().zip(locals.values(local)) {
            values[position as usize] = value;
        }
        let queue = locals.queue(local).iter().map(|&message| self.messages.message(message).clone()).collect();
        Some(Rebec { values, queue })
    }

    /// The value of an element that varies, in a local state of a slot.
    pub(crate) fn value(&self, slot: usize, number: u32, position: usize) -> Option<Value> {
        let (local, locals) = (self.slots[slot].local(number)?, self.locals(slot));
        let place = locals.positions().iter().position(|&own| own as usize == position)?;
        Some(locals.values(local)[place])
    }

    /// The number of a rebec with such values and such a queue.
    pub(crate) fn intern(&mut self, slot: usize, values: &[Value], queue: &VecDeque<Message>) -> Result<u32, Halt> {
        let kind = self.slots[slot].kind;
        let class = self.kinds[kind].class();
        let messages: Vec<u32> =
            queue.iter().map(|message| self.messages.intern(class, message)).collect::<Result<_, _>>()?;
        let varying: Vec<Value> =
            self.kinds[kind].positions().iter().map(|&position| values[position as usize]).collect();
        let local = self.kinds[kind].intern(&varying, &messages)?;
        if self.is_fork {
            return self.slots[slot].known(local).ok_or(Halt::Deferred);
        }
        let number = self.slots[slot].number(local, messages.is_empty())?;
        debug_assert!(
            self.decode(slot, number).is_some_and(|rebec| rebec.values == values),
            "known rebecs are constant"
        );
        Ok(number)
    }

    /// The local state of a slot after a delivery, or [`REFUSED`].
    #[inline]
    pub(crate) fn deliver(&mut self, slot: usize, local: u32, message: u32) -> Result<u32, Halt> {
        match self.slots[slot].deliveries.get(&pair(local, message)) {
            Some(&after) => Ok(after),
            None => self.deliver_first(slot, local, message),
        }
    }

    /// The known deliveries, ascending.
    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        let of_slot = |(slot, known): (usize, &Slot)| {
            let pairs: Vec<u64> = known.deliveries.keys().copied().collect();
            pairs.into_iter().map(move |key| {
                let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).expect("32 bits");
                Delivery { slot, local: half(key >> 32), message: half(key) }
            })
        };
        let mut known: Vec<Delivery> = self.slots.iter().enumerate().flat_map(of_slot).collect();
        known.sort_unstable();
        known
    }

    fn deliver_first(&mut self, slot: usize, local: u32, message: u32) -> Result<u32, Halt> {
        self.misses += 1;
        let after = match self.delivered(slot, local, message) {
            Ok(rebec) => self.intern(slot, &rebec.values, &rebec.queue)?,
            Err(_) => REFUSED,
        };
        self.slots[slot].deliveries.insert(pair(local, message), after);
        Ok(after)
    }

    /// The rebec after a delivery by the reference interpreter.
    ///
    /// # Panics
    /// If there is no such rebec: receivers exist.
    pub(crate) fn delivered(&self, slot: usize, local: u32, message: u32) -> Result<Rebec, FaultKind> {
        let mut rebec = self.decode(slot, local).expect("receivers exist");
        let message = self.messages.message(message).clone();
        deliver(self.model, RebecId::from_index(slot), &mut rebec.queue, message)?;
        Ok(rebec)
    }

    /// Whether the next step of a local state depends on the features or on the number of created rebecs.
    pub(crate) fn depends_on_context(&self, slot: usize, local: u32) -> bool {
        let class = self.locals(slot).class();
        let creates = |message: &Message| self.creates[class.index()][message.server.index()];
        !self.model.features.is_empty() || self.oldest(slot, local).is_some_and(creates)
    }

    /// Writes the tables that packed states refer to.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.slots.len())?;
        self.messages.save(to)?;
        self.kinds.iter().try_for_each(|kind| kind.save(to))?;
        self.slots.iter().try_for_each(|slot| to.u32s(slot.numbered()))
    }

    /// Reads saved tables into new ones.
    ///
    /// # Errors
    /// They were written for another model.
    pub(crate) fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        // A slot takes eight bytes at least, so that the length of the text bounds their number.
        let (model, rebecs) = (self.model, from.len(8)?);
        if rebecs < model.instances.len() || rebecs > model.instances.len() && model.creatable.is_empty() {
            return Err(Damaged);
        }
        self.grow(rebecs);
        self.messages.restore(model, rebecs, from)?;
        let messages = &self.messages;
        self.kinds.iter_mut().try_for_each(|kind| kind.restore(model, rebecs, messages, from))?;
        for slot in &mut self.slots {
            let kind = &self.kinds[slot.kind];
            for local in from.u32s()? {
                let next = slot.len();
                let is_known = (local as usize) < kind.len();
                if !is_known || slot.number(local, kind.queue(local).is_empty()) != Ok(index32(next)) {
                    return Err(Damaged);
                }
            }
        }
        Ok(())
    }

    /// Bytes held.
    pub(crate) fn footprint(&self) -> Footprint {
        let mut footprint = self.messages.footprint();
        self.kinds.iter().for_each(|kind| footprint.merge(kind.footprint()));
        self.slots.iter().for_each(|slot| footprint.merge(slot.footprint()));
        footprint.add(bytes_of::<Slot>(self.slots.capacity()));
        footprint.add_vec(&self.records);
        footprint.add_table::<(Stop, u64)>(self.stops.capacity());
        footprint.add(self.executions.bytes());
        footprint
    }
}
