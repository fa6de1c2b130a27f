//! One place of the global state: the local states that one rebec takes, numbered densely, with their memos.
//!
//! A kind shares its local states between rebecs; a slot renumbers those that its rebec takes, so that a field of the
//! packed state has as few bits as that rebec needs. The slot of a created rebec has number 0 for an absent rebec.
//!
//! Invariant: `locals.len() == steps.len()`; `numbers` is the inverse of `locals`.

use frontend::model::Value;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use explore::memory::{Footprint, Halt};

/// The step of a local state is not computed yet.
pub(crate) const UNKNOWN: u32 = u32::MAX;
/// The local state has no message.
pub(crate) const IDLE: u32 = u32::MAX - 1;
/// The step depends on more than the local state.
pub(crate) const CONTEXT: u32 = u32::MAX - 2;
/// A delivery that the queue refuses.
pub(crate) const REFUSED: u32 = u32::MAX;

/// The kind-wide number that stands for an absent rebec.
const NOBODY: u32 = u32::MAX;

/// A memo from two numbers to one.
pub(super) type Memo = HashMap<u64, u32, FxBuildHasher>;

/// The key of a memo.
#[inline]
pub(super) fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// One place of the global state.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The kind of its rebec.
    pub(super) kind: usize,
    /// The value vector with the known rebecs in place.
    pub(super) base: Vec<Value>,
    locals: Vec<u32>,
    numbers: HashMap<u32, u32, FxBuildHasher>,
    /// By local state: [`UNKNOWN`], [`IDLE`], [`CONTEXT`], or the offset of a record.
    pub(super) steps: Vec<u32>,
    /// (local state, context) to the offset of a record.
    pub(super) contextual: Memo,
    /// (local state, message) to the local state after the delivery, or [`REFUSED`].
    pub(super) deliveries: Memo,
}

impl Slot {
    /// A slot without local states.
    pub(super) fn new(kind: usize, base: Vec<Value>, created: bool) -> Slot {
        let mut slot = Slot {
            kind,
            base,
            locals: Vec::new(),
            numbers: HashMap::default(),
            steps: Vec::new(),
            contextual: Memo::default(),
            deliveries: Memo::default(),
        };
        if created {
            slot.locals.push(NOBODY);
            slot.steps.push(IDLE);
        }
        slot
    }

    /// The kind-wide number of a local state; `None` for an absent rebec.
    pub(super) fn local(&self, number: u32) -> Option<u32> {
        Some(self.locals[number as usize]).filter(|&local| local != NOBODY)
    }

    /// The number in this slot of a local state of the kind, if it has one.
    pub(super) fn known(&self, local: u32) -> Option<u32> {
        self.numbers.get(&local).copied()
    }

    /// The number of numbers in use.
    pub(super) fn len(&self) -> usize {
        self.locals.len()
    }

    /// The number in this slot of a local state of the kind.
    pub(super) fn number(&mut self, local: u32, is_idle: bool) -> Result<u32, Halt> {
        if let Some(&number) = self.numbers.get(&local) {
            return Ok(number);
        }
        let number = u32::try_from(self.locals.len()).ok().filter(|&number| number < CONTEXT).ok_or(Halt::Memory)?;
        self.locals.push(local);
        self.steps.push(if is_idle { IDLE } else { UNKNOWN });
        self.numbers.insert(local, number);
        debug_assert_eq!(self.locals.len(), self.steps.len(), "every local state has its step");
        Ok(number)
    }

    /// The greatest number given; 0 if none.
    pub(super) fn greatest(&self) -> u32 {
        u32::try_from(self.locals.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The kind-wide numbers in the order of the numbers in this slot, without the mark of an absent rebec.
    pub(super) fn numbered(&self) -> &[u32] {
        let first = usize::from(self.locals.first() == Some(&NOBODY));
        &self.locals[first..]
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.base);
        footprint.add_vec(&self.locals);
        footprint.add_vec(&self.steps);
        footprint.add_table::<(u32, u32)>(self.numbers.capacity());
        footprint.add_table::<(u64, u32)>(self.contextual.capacity());
        footprint.add_table::<(u64, u32)>(self.deliveries.capacity());
        footprint
    }
}
