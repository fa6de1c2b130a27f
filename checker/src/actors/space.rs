//! The state space under exploration: the visited set, the layout of its states and the tables over local states.
//!
//! Field 0 of a packed state is the valuation of the features, field `i + 1` the local state of rebec `i`. When a
//! number does not fit its field, [`Space::widen`] makes a wider layout and rewrites the store and the caller's
//! buffers; the user of a space keeps numbers of states, never packed ones, across steps.

use crate::tuning::TUNING;
use std::io;

use frontend::interpret::{Bounds, Fault, Heap, State, Stop};
use frontend::model::{Model, RebecId, Value};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::ample::Ample;
use super::expand::Expansion;
use super::heap::{HeapSymmetry, mentioned};
use super::slot::{CONTEXT, IDLE, UNKNOWN};
use super::steps::{Context, Send};
use super::symmetry::Symmetry;
use super::tables::Tables;
use crate::partial_order::PartialOrder;
use explore::checkpoint::{Damaged, Reader, Saved, Writer};
use explore::memory::Halt;
use explore::search::Precomputed;
use explore::states::{Layout, Store};

/// The field of the features.
pub(super) const FEATURES: usize = 0;

/// The field of a slot.
#[inline]
pub(crate) fn field_of(slot: usize) -> usize {
    slot + 1
}

/// A state space.
#[derive(Clone, Debug)]
pub(crate) struct Space<'m> {
    /// Tables over local states.
    pub(crate) tables: Tables<'m>,
    /// The visited set.
    pub(crate) store: Store,
    pub(super) layout: Layout,
    /// The number of times that the layout was widened.
    pub(crate) widened: u64,
    /// States that forks hold.
    pub(super) elsewhere: u32,
    pub(super) features: IndexSet<Vec<bool>, FxBuildHasher>,
    pub(super) contexts: IndexSet<Context, FxBuildHasher>,
    pub(super) most_bytes: u64,
    /// With a quotient: the symmetries that find representatives.
    pub(super) symmetry: Option<Symmetry>,
    /// With heap symmetry: the renumbering of created rebecs.
    pub(super) heap: Option<HeapSymmetry>,
    /// The rebecs that may be expanded by themselves; absent: none.
    pub(super) ample: Option<Box<Ample>>,
    /// The local states of the state that is being replaced.
    pub(super) scratch: Vec<u32>,
    /// The steps of the next states.
    pub(super) lookahead: Precomputed<Expansion>,
}

impl Saved for Space<'_> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.tables.executions.save(to)?;
        self.tables.save(to)?;
        to.len(self.features.len())?;
        self.features.iter().try_for_each(|features| to.bools(features))?;
        to.u32s(self.layout.widths())?;
        self.store.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        self.tables.executions.restore(from)?;
        self.tables.restore(from)?;
        for _ in 0..from.len(8)? {
            let features = from.bools()?;
            if features.len() != self.model().features.len() || !self.features.insert(features) {
                return Err(Damaged);
            }
        }
        let widths = from.u32s()?;
        let fields = field_of(self.model().instances.len())..=field_of(self.tables.len());
        if !fields.contains(&widths.len()) || widths.iter().any(|&width| width > u32::BITS) {
            return Err(Damaged);
        }
        self.layout = Layout::new(widths);
        self.store = self.store.emptied(self.layout.bytes());
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.assume_cut_ties();
        }
        self.store.restore(from)?;
        let (named, used) = (self.created_by_name(), self.layout.used());
        let is_state = |number| {
            let words = self.store.state(number);
            words.iter().zip(&used).all(|(word, used)| word & !used == 0)
                && (self.get_field(&words, FEATURES) as usize) < self.features.len()
                && (0..self.slots()).all(|slot| self.tables.has(slot, self.get(&words, slot)))
                && (self.model().creatable.is_empty() || self.is_closed(&words, &named))
        };
        if self.store.stride() == self.layout.stride() && (0..self.store.len()).all(is_state) {
            Ok(())
        } else {
            Err(Damaged)
        }
    }
}

impl Space<'_> {
    /// For each local state of each slot the slots of the created rebecs that it names; nothing where none are created.
    fn created_by_name(&self) -> Vec<Vec<Vec<usize>>> {
        let slots = if self.model().creatable.is_empty() { 0 } else { self.tables.len() };
        let named = |slot, local| {
            let rebec = self.tables.decode(slot, local);
            let ids = rebec.iter().flat_map(mentioned).filter(|&id| self.model().ordinal(id).is_some());
            ids.map(RebecId::index).collect()
        };
        (0..slots).map(|slot| (0..=self.tables.greatest(slot)).map(|local| named(slot, local)).collect()).collect()
    }

    /// Whether the created rebecs of a state are the first ones of their classes, and all named rebecs exist.
    fn is_closed(&self, words: &[u64], named: &[Vec<Vec<usize>>]) -> bool {
        let (main, classes) = (self.model().instances.len(), self.model().creatable.len());
        let is_there = |slot: usize| slot < self.slots() && (slot < main || self.get(words, slot) != 0);
        (0..self.slots()).filter(|&slot| is_there(slot)).all(|slot| {
            (slot < main + classes || is_there(slot - classes))
                && named[slot][self.get(words, slot) as usize].iter().all(|&other| is_there(other))
        })
    }
}

impl<'m> Space<'m> {
    /// An empty space for at most so many states and bytes.
    pub(crate) fn new(
        model: &'m Model,
        bounds: &Bounds,
        most_states: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Space<'m> {
        let tables = Tables::new(model, bounds);
        let layout = Layout::new(vec![0; field_of(tables.len())]);
        let store = Store::new(layout.bytes(), most_states.unwrap_or(u64::MAX), TUNING.search);
        let most_bytes = most_bytes.unwrap_or(u64::MAX);
        let (features, contexts) = (IndexSet::default(), IndexSet::default());
        Space {
            tables,
            store,
            layout,
            widened: 0,
            elsewhere: 0,
            features,
            contexts,
            most_bytes,
            symmetry: None,
            heap: None,
            ample: None,
            scratch: Vec::new(),
            lookahead: Precomputed::default(),
        }
    }

    /// Expands states by one rebec where a plan of partial order allows it.
    pub(crate) fn reduce_by(&mut self, plan: Option<PartialOrder>) {
        self.ample = plan.map(|plan| Box::new(Ample::new(plan)));
    }

    /// Stores one state per orbit from now on.
    pub(crate) fn reduce(&mut self, symmetry: Symmetry) {
        self.symmetry = Some(symmetry);
    }

    /// Follows from now on the ways that symmetries take rebecs.
    pub(crate) fn follow(&mut self) {
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.follow();
        }
    }

    /// The model.
    pub(crate) fn model(&self) -> &'m Model {
        self.tables.model
    }

    /// The bounds on each step.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.tables.bounds
    }

    /// The present number of slots of a packed state.
    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.layout.len() - 1
    }

    /// The present number of words of a packed state.
    #[inline]
    pub(crate) fn stride(&self) -> usize {
        self.layout.stride()
    }

    /// The local state of a slot.
    #[inline]
    pub(crate) fn get(&self, words: &[u64], slot: usize) -> u32 {
        self.layout.get(words, field_of(slot))
    }

    /// The local state of a slot; 0 for a slot that packed states do not have yet.
    pub(crate) fn get_field(&self, words: &[u64], field: usize) -> u32 {
        self.layout.get(words, field)
    }

    /// Sets the local state of a slot in the `index`-th state of a buffer, widening the layout if need be; then the
    /// buffers are rewritten, as is the store.
    ///
    /// # Errors
    /// No room to widen.
    #[inline(always)]
    pub(crate) fn set(
        &mut self,
        buffers: [&mut Vec<u64>; 2],
        index: usize,
        slot: usize,
        local: u32,
    ) -> Result<(), Halt> {
        let [other, words] = buffers;
        if !self.layout.fits(field_of(slot), local) {
            if self.tables.is_fork {
                return Err(Halt::Deferred);
            }
            self.widen(field_of(slot), local, [&mut *other, &mut *words])?;
        }
        debug_assert!(self.tables.has(slot, local), "a field of a slot has the number of a local state");
        let stride = self.layout.stride();
        self.layout.set(&mut words[index * stride..][..stride], field_of(slot), local);
        Ok(())
    }

    /// The difference in the hash of the fields of a state when the local state of a rebec is set.
    #[inline]
    pub(crate) fn change(&self, words: &[u64], slot: usize, local: u32) -> u64 {
        match field_of(slot) {
            // A field that does not exist yet is 0 before.
            field if field < self.layout.len() => self.layout.change(words, field, local),
            _ => 0,
        }
    }

    /// Widens the layout until a field holds a value, and rewrites the store and the buffers.
    #[cold]
    pub(super) fn widen(&mut self, field: usize, value: u32, buffers: [&mut Vec<u64>; 2]) -> Result<(), Halt> {
        let mut greatest = vec![u32::try_from(self.features.len().saturating_sub(1)).unwrap_or(u32::MAX)];
        greatest.extend((0..self.tables.len()).map(|slot| self.tables.greatest(slot)));
        let is_tight = self.store.len().max(self.elsewhere) > TUNING.tight_from;
        let wide = self.layout.widened(field, value, &greatest, is_tight);
        let conversion = self.layout.conversion(&wide);
        self.store.rewrite(wide.bytes(), |old, new| conversion.convert(old, new))?;
        for buffer in buffers {
            assert!(buffer.len().is_multiple_of(self.layout.stride()), "a buffer has whole states");
            let mut words = vec![0; buffer.len() / self.layout.stride() * wide.stride()];
            let states = buffer.chunks_exact(self.layout.stride()).zip(words.chunks_exact_mut(wide.stride()));
            states.for_each(|(old, new)| conversion.convert(old, new));
            *buffer = words;
        }
        self.layout = wide;
        assert!(self.layout.fits(field, value), "the widened layout holds the value");
        self.widened += 1;
        Ok(())
    }

    /// The state of a number, for the reference interpreter.
    pub(crate) fn state(&self, number: u32) -> State {
        self.unpacked(&self.store.state(number))
    }

    /// The state of a packed one.
    pub(super) fn unpacked(&self, words: &[u64]) -> State {
        let rebecs: Vec<_> = (0..self.slots()).map(|slot| self.tables.decode(slot, self.get(words, slot))).collect();
        let len = rebecs.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        State { features: self.features_of(words).to_vec(), rebecs: rebecs.into_iter().take(len).collect() }
    }

    /// The values of the feature variables in a packed state.
    pub(crate) fn features_of(&self, words: &[u64]) -> &[bool] {
        &self.features[self.layout.get(words, FEATURES) as usize]
    }

    /// An element of the value vector of a rebec in a packed state.
    pub(crate) fn element(&self, words: &[u64], rebec: RebecId, element: usize) -> Value {
        self.tables.element(rebec.index(), self.get(words, rebec.index()), element)
    }

    /// The record of the step of a slot in a packed state; `None` if it has no message.
    ///
    /// # Errors
    /// No room.
    #[inline(always)]
    pub(crate) fn record(&mut self, words: &[u64], slot: usize) -> Result<Option<u32>, Halt> {
        match self.tables.step(slot, self.get(words, slot)) {
            IDLE => Ok(None),
            offset if offset < CONTEXT => Ok(Some(offset)),
            _ => self.first_record(words, slot).map(Some),
        }
    }

    #[cold]
    #[inline(never)]
    fn first_record(&mut self, words: &[u64], slot: usize) -> Result<u32, Halt> {
        let local = self.get(words, slot);
        if self.tables.step(slot, local) == UNKNOWN && !self.tables.depends_on_context(slot, local) {
            return self.tables.compute(slot, local);
        }
        let context = Context { features: self.features_of(words).to_vec(), heap: self.created(words) };
        let (number, _) = self.contexts.insert_full(context);
        let number32 = u32::try_from(number).map_err(|_| Halt::Memory)?;
        self.tables.compute_in(slot, local, number32, &self.contexts[number])
    }

    /// The number of created rebecs of a packed state.
    fn created(&self, words: &[u64]) -> Heap {
        let model = self.model();
        let mut created = vec![0; model.creatable.len()];
        for slot in model.instances.len()..self.slots() {
            if self.get(words, slot) != 0 {
                created[(slot - model.instances.len()) % model.creatable.len()] += 1;
            }
        }
        Heap { created }
    }

    /// The fault of a refused delivery, by the reference interpreter.
    ///
    /// # Panics
    /// If the delivery is not refused.
    pub(crate) fn refusal(&self, send: Send, local: u32) -> Stop {
        let kind = self.tables.delivered(send.slot, local, send.message).expect_err("a refused delivery");
        Stop::Fault(Fault { kind, span: send.span })
    }
}
