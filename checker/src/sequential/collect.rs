//! The receiver of the steps of a state: packs successors, and notes processes, faults and instances, as far as memory has room.

use frontend::sequential::{Sequential, SummandId};

use super::machine::{Machine, Steps, Taken};
use super::packing::Packing;
use super::partial_order::{Ample, Choice};
use crate::patch::{Patch, apply};
use explore::memory::{growth, reserve, work_on};
use explore::states::Store;
use explore::temporal::NOBODY;

/// Packs successors and notes faults.
pub(super) struct Collect<'a> {
    pub(super) packing: &'a Packing,
    pub(super) current: &'a [u64],
    pub(super) owners: &'a [Owners],
    pub(super) words: &'a mut Vec<u64>,
    pub(super) movers: &'a mut Vec<u32>,
    pub(super) seconds: &'a mut Vec<u32>,
    pub(super) faults: &'a mut Vec<(SummandId, Box<[i32]>)>,
    pub(super) executed: &'a mut Vec<u32>,
    pub(super) ample: Option<&'a Ample<'a>>,
    pub(super) choice: &'a mut Choice,
    pub(super) store: &'a Store,
    /// The bytes by which the buffers have grown.
    pub(super) grown: u64,
    /// The bytes by which a buffer could not grow, if there was one: the steps behind are left out.
    pub(super) lacks: Option<u64>,
}

/// The room of the buffers of successors.
pub(super) struct Room<'a> {
    pub(super) store: &'a Store,
    /// The bytes by which the buffers have grown.
    pub(super) grown: &'a mut u64,
    /// The bytes by which a buffer could not grow.
    pub(super) lacks: &'a mut Option<u64>,
}

/// Makes room in a buffer for `least` more elements; returns whether there is.
#[inline]
pub(super) fn has_room<T>(buffer: &mut Vec<T>, least: usize, room: Room<'_>) -> bool {
    buffer.capacity() - buffer.len() >= least || grow(buffer, least, room)
}

#[cold]
fn grow<T>(buffer: &mut Vec<T>, least: usize, Room { store, grown, lacks }: Room<'_>) -> bool {
    let (more, bytes) = growth(buffer, least);
    if lacks.is_none() && store.left() < grown.saturating_add(bytes) {
        *lacks = Some(bytes);
    }
    // More than there can ever be.
    if lacks.is_none() && reserve(buffer, more).is_err() {
        *lacks = Some(u64::MAX);
    }
    *grown += if lacks.is_none() { bytes } else { 0 };
    lacks.is_none()
}

impl Collect<'_> {
    /// Whether there is room for one more successor of so many words.
    #[inline]
    fn has_room(&mut self, stride: usize) -> bool {
        work_on(stride);
        let Collect { words, store, grown, lacks, .. } = self;
        has_room(words, stride, Room { store, grown, lacks })
    }

    #[inline]
    fn take(&mut self, Taken { summand, parameters, inside }: Taken<'_>) {
        self.executed.push(summand.0);
        self.executed.extend_from_slice(inside);
        if let Some(owners) = self.owners.get(summand.index()) {
            self.note(owners, parameters);
        }
        if let Some(ample) = self.ample {
            self.choose(ample, summand, parameters);
        }
    }

    /// Completes the movers behind the last step, where no processes are noted.
    #[inline]
    pub(super) fn finish(&mut self) {
        if self.owners.is_empty() {
            let (words, stride) = (self.words.len(), self.current.len());
            self.movers.resize(if stride == 1 { words } else { words / stride }, NOBODY);
        }
    }

    /// Out of line, where it takes no registers of searches without fairness.
    #[inline(never)]
    fn note(&mut self, owners: &Owners, parameters: &[i32]) {
        let [mover, second] = owners.of(parameters);
        self.movers.push(mover);
        self.seconds.push(second);
    }

    /// Out of line, where it takes no registers of searches without partial order.
    #[inline(never)]
    fn choose(&mut self, ample: &Ample<'_>, summand: SummandId, parameters: &[i32]) {
        self.choice.taken.push(ample.number(summand, parameters));
    }
}

impl Steps for Collect<'_> {
    #[inline]
    fn successor(&mut self, machine: &Machine, summand: SummandId, parameters: &[i32]) {
        if !self.has_room(self.current.len()) {
            return;
        }
        self.take(Taken { summand, parameters, inside: machine.inside() });
        let first = self.words.len();
        self.words.extend_from_slice(self.current);
        for (element, value) in machine.written(self.packing) {
            self.packing.set(&mut self.words[first..], element, value);
        }
    }

    #[inline]
    fn patched(&mut self, patch: &[Patch], step: Taken<'_>) {
        if let (&[current], &[Patch { keep, set, .. }]) = (self.current, patch) {
            if self.has_room(1) {
                self.words.push(current & keep | set);
                self.take(step);
            }
            return;
        }
        if !self.has_room(self.current.len()) {
            return;
        }
        self.take(step);
        let first = self.words.len();
        self.words.extend_from_slice(self.current);
        apply(patch, &mut self.words[first..]);
    }

    #[inline]
    fn needs_no_parameters(&self) -> bool {
        self.owners.is_empty() && self.ample.is_none()
    }

    #[inline]
    fn replaced(&mut self, patch: Patch, summand: SummandId) {
        if !self.has_room(self.current.len()) {
            return;
        }
        self.executed.push(summand.0);
        if let &[current] = self.current {
            self.words.push(current & patch.keep | patch.set);
            return;
        }
        let first = self.words.len();
        self.words.extend_from_slice(self.current);
        apply(&[patch], &mut self.words[first..]);
    }

    fn fault(&mut self, Taken { summand, parameters, inside }: Taken<'_>) {
        let Collect { faults, store, grown, lacks, .. } = self;
        if !has_room(faults, 1, Room { store, grown, lacks }) {
            return;
        }
        faults.push((summand, parameters.into()));
        self.executed.push(summand.0);
        self.executed.extend_from_slice(inside);
        if let Some(ample) = self.ample {
            self.choice.faulting.push(ample.number(summand, parameters));
        }
    }
}

/// The processes of the instances of a summand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Owners {
    /// The places of their parameters, at most two.
    places: std::ops::Range<usize>,
    /// The value of the first process.
    first: i32,
}

impl Owners {
    /// The processes of the instances of a summand of a process.
    pub(super) fn new(model: &Sequential, summand: SummandId) -> Owners {
        let owners = Owners { places: model.fair_parameters(summand), first: model.first_process() };
        assert!(owners.places.len() <= 2, "a step is one of one process or a rendezvous");
        owners
    }

    /// The processes of an instance; [`NOBODY`] for none.
    pub(super) fn of(&self, parameters: &[i32]) -> [u32; 2] {
        let of = |&value: &i32| value.wrapping_sub(self.first).cast_unsigned();
        let mut processes = parameters[self.places.clone()].iter().map(of);
        [processes.next().unwrap_or(NOBODY), processes.next().unwrap_or(NOBODY)]
    }
}
