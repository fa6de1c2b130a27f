//! The steps of instances, stored by the projection of the state on the elements that an instance reads.
//!
//! The first trial of an instance in a projection records its steps: for each the parameters, and the patch of the
//! packed state that its writes make, or a fault. Later trials look them up. An instance whose code is short is tried
//! again each time, and so is one that reads more than 128 bits or whose projections do not repeat (`memo`).
//!
//! Soundness: the steps of an instance and its writes depend only on the elements that it reads (`reads`); whole
//! projections are compared. The event is given by the summand and the parameters; its arguments are evaluated for
//! faults.
//!
//! Complexity: a look-up costs a shift and a mask for each piece of the projection.

use crate::patch::{self, Patch};
use crate::tuning::TUNING;
use frontend::sequential::SummandId;

use super::body::{Instance, Parameters};
use super::code::Code;
use super::gather::Gather;
use super::machine::{Machine, Steps, Taken};
use super::memo::{Held, Memo};
use super::packing::Packing;
use super::program::Tables;
#[cfg(test)]
use super::program::Wrong;
use super::reads::{Projection, Reads};
use explore::memory::bytes_of;

/// The steps of an instance in a projection.
pub(super) type Known = Box<[Step]>;

/// The stored steps of an instance.
pub(super) type InstanceMemo = Memo<Known>;

/// A step of an instance.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The parameters, where the instance represents all of them.
    parameters: Box<[i32]>,
    /// The change of the state; a fault if there is none.
    patch: Option<Box<[Patch]>>,
    /// The parts of the model inside of the step that it executes.
    inside: Box<[u32]>,
}

impl Held for Known {
    fn held(&self) -> u64 {
        let of_step = |step: &Step| {
            let patches = step.patch.as_ref().map_or(0, |patch| patch.len());
            bytes_of::<i32>(step.parameters.len()) + bytes_of::<Patch>(patches) + bytes_of::<u32>(step.inside.len())
        };
        bytes_of::<Step>(self.len()) + self.iter().map(of_step).sum::<u64>()
    }
}

/// Places of all memos of a machine together: two to the power of so many.
const ALL_PLACES: u32 = 18;

/// Places of a memo: two to the power of so many at least, and at most.
const PLACES: (u32, u32) = (4, 12);

/// The most steps that are stored together.
const MOST_STEPS: usize = 256;

/// The most elements of a projection, each read counted: larger ones are not examined.
const MOST_ELEMENTS: usize = 1 << 10;

/// The most elements that a condition reads, each read counted.
const MOST_READS: usize = 1 << 20;

/// The projection of an instance, if it pays to store its steps there.
pub(super) fn of_instance(instance: &Instance<'_>, packing: &Packing, tables: Tables) -> Option<Gather> {
    if !tables.memos {
        return None;
    }
    let mut reads = Reads::new(packing.lows.len(), MOST_ELEMENTS);
    #[cfg(test)]
    {
        reads.joins_sides = tables.wrong == Some(Wrong::JoinsSides);
    }
    reads.instance(instance)?;
    let tries = match &instance.parameters {
        Parameters::Values(_) => 1,
        Parameters::Ranges(ranges) => ranges.iter().fold(1usize, |tries, &(low, high)| {
            let values = usize::try_from(i64::from(high) - i64::from(low) + 1).unwrap_or(usize::MAX);
            tries.saturating_mul(values)
        }),
    };
    gather_if_cheaper(&reads.projection(), tries, packing)
}

/// The gathering of what a condition reads, if it pays to store its values.
pub(super) fn of_condition(read: &Projection, packing: &Packing) -> Option<Gather> {
    gather_if_cheaper(read, 1, packing)
}

/// What a condition reads; all elements where these are too many to tell.
pub(super) fn read_by(condition: &Code<'_>, packing: &Packing) -> Projection {
    let len = packing.lows.len();
    let mut reads = Reads::new(len, MOST_READS);
    let is_known = reads.code(condition).is_some();
    let read = reads.projection();
    if is_known { read } else { Projection { elements: (0..len).collect(), ..read } }
}

/// The gathering of a projection, if it has few bits and takes less time than the code that is evaluated so many
/// times.
fn gather_if_cheaper(read: &Projection, times: usize, packing: &Packing) -> Option<Gather> {
    let gather = Gather::new(&read.elements, &packing.layout)?;
    let is_cheaper = read.weight.saturating_mul(times) > TUNING.look_up.0 + TUNING.look_up.1 * gather.pieces();
    is_cheaper.then_some(gather)
}

/// An empty memo for an instance that is one of so many with memos.
pub(super) fn memo(projection: &Gather, memos: usize) -> InstanceMemo {
    let share = ALL_PLACES.saturating_sub(usize::BITS - memos.leading_zeros());
    Memo::new(projection.bits(), share.clamp(PLACES.0, PLACES.1))
}

/// Records the steps of an instance while it is tried.
struct Recording<'a, S> {
    steps: &'a mut S,
    packing: &'a Packing,
    /// Whether the recording keeps the parameters.
    keeps_parameters: bool,
    recorded: Vec<Step>,
}

impl<S: Steps> Recording<'_, S> {
    fn record(&mut self, parameters: &[i32], patch: Option<Box<[Patch]>>, inside: &[u32]) {
        let parameters = if self.keeps_parameters { parameters.into() } else { Box::default() };
        self.recorded.push(Step { parameters, patch, inside: inside.into() });
    }
}

impl<S: Steps> Steps for Recording<'_, S> {
    fn successor(&mut self, machine: &Machine, summand: SummandId, parameters: &[i32]) {
        let mut patches: Vec<Patch> = Vec::new();
        for (element, value) in machine.written(self.packing) {
            write(&mut patches, self.packing, element, value);
        }
        self.record(parameters, Some(patches.into()), machine.inside());
        self.steps.successor(machine, summand, parameters);
    }

    fn patched(&mut self, patch: &[Patch], step: Taken<'_>) {
        self.record(step.parameters, Some(patch.into()), step.inside);
        self.steps.patched(patch, step);
    }

    fn fault(&mut self, step: Taken<'_>) {
        self.record(step.parameters, None, step.inside);
        self.steps.fault(step);
    }
}

/// Adds a write to patches.
pub(super) fn write(patches: &mut Vec<Patch>, packing: &Packing, element: usize, value: i32) {
    debug_assert!(packing.lows[element] <= value && value <= packing.highs[element], "a value is in its domain");
    let content = value.wrapping_sub(packing.lows[element]).cast_unsigned();
    patch::write(patches, packing.layout.place(element), content);
}

/// An instance that has a memo.
#[derive(Clone, Copy)]
pub(super) struct Remembered<'a> {
    /// The instance.
    pub instance: &'a Instance<'a>,
    /// The part of a state that the instance reads.
    pub projection: &'a Gather,
    /// The number of the memo.
    pub memo: usize,
}

/// Tries an instance that has a memo.
#[inline]
pub(super) fn attempt(
    known: Remembered<'_>,
    machine: &mut Machine,
    packing: &Packing,
    packed: &[u64],
    steps: &mut impl Steps,
) {
    let Remembered { instance, projection, memo } = known;
    let key = projection.key(packed);
    if let Some(known) = machine.memos[memo].get(key) {
        for step in known {
            let parameters = match &instance.parameters {
                Parameters::Values(values) => values,
                Parameters::Ranges(_) => &step.parameters,
            };
            let taken = Taken { summand: instance.summand, parameters, inside: &step.inside };
            match &step.patch {
                Some(patch) => steps.patched(patch, taken),
                None => steps.fault(taken),
            }
        }
        return;
    }
    if !machine.memos[memo].is_learning() {
        return instance.attempt(machine, packing, packed, steps);
    }
    let keeps_parameters = matches!(instance.parameters, Parameters::Ranges(_));
    let mut recording = Recording { steps, packing, keeps_parameters, recorded: Vec::new() };
    instance.attempt(machine, packing, packed, &mut recording);
    let recorded = recording.recorded;
    if recorded.len() <= MOST_STEPS {
        machine.memos[memo].put(key, recorded.into());
    }
}
