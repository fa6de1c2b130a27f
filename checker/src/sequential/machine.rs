//! The values that a program works on, and the receiver of the steps of a state.

use frontend::sequential::SummandId;

use super::body::{Instance, Parameters, Trail, run, undo};
use super::known::InstanceMemo;
use super::packing::Packing;
use crate::patch::Patch;

/// The elementary steps of trying an instance.
const INSTANCE: u64 = 8;

/// The values that one program works on.
#[derive(Debug, Default)]
pub(super) struct Machine {
    /// The values of the state, restored after each instance, if they were unpacked.
    values: Vec<i32>,
    is_unpacked: bool,
    /// The elements that the instance has written, with their old values, and the parts of the model that it executed.
    trail: Trail,
    registers: Vec<i32>,
    /// A buffer for keys of clusters.
    pub(super) keys: Vec<u32>,
    /// The stored steps of instances.
    pub(super) memos: Vec<InstanceMemo>,
}

/// A step of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken<'a> {
    /// The summand.
    pub(super) summand: SummandId,
    /// The values of its parameters.
    pub(super) parameters: &'a [i32],
    /// The parts of the model inside of the step that it executes.
    pub(super) inside: &'a [u32],
}

/// The receiver of the steps of a state.
pub(super) trait Steps {
    /// An instance has a successor: the state of the machine, which differs in the written elements only. The machine has noted the parts
    /// inside of the step.
    fn successor(&mut self, machine: &Machine, summand: SummandId, parameters: &[i32]);

    /// An instance has the successor that these patches of the packed state make.
    fn patched(&mut self, patch: &[Patch], step: Taken<'_>);

    /// Whether the parameters of steps are of no interest, so that [`Steps::replaced`] tells enough of one.
    fn needs_no_parameters(&self) -> bool {
        false
    }

    /// As `patched`, for a step of which only one word changes and that executes nothing inside.
    fn replaced(&mut self, patch: Patch, summand: SummandId) {
        self.patched(&[patch], Taken { summand, parameters: &[], inside: &[] });
    }

    /// An instance faults.
    fn fault(&mut self, step: Taken<'_>);
}

impl Machine {
    /// Prepares for another state.
    #[inline]
    pub(super) fn begin(&mut self, registers: usize) {
        self.is_unpacked = false;
        self.registers.resize(registers, 0);
    }

    /// Forgets the values of a state.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.is_unpacked = false;
    }

    /// The parts inside of the step that the instance executed.
    #[inline]
    pub(super) fn inside(&self) -> &[u32] {
        &self.trail.noted
    }

    /// The values of the packed state since [`Machine::begin`], and the registers.
    #[inline]
    pub(super) fn values(&mut self, packing: &Packing, packed: &[u64]) -> (&mut [i32], &mut [i32]) {
        if !self.is_unpacked {
            self.is_unpacked = true;
            packing.unpack_to_work(packed, &mut self.values);
        }
        (&mut self.values, &mut self.registers)
    }

    /// The elements of the state that an instance has written, with their new values; one may come more than once.
    #[inline]
    pub(super) fn written(&self, packing: &Packing) -> impl Iterator<Item = (usize, i32)> {
        let len = packing.lows.len();
        self.trail
            .written
            .iter()
            .filter(move |&&(element, _)| element < len)
            .map(|&(element, _)| (element, self.values[element]))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let values = self.values.capacity() + self.registers.capacity() + self.keys.capacity();
        explore::memory::bytes_of::<i32>(values)
            + explore::memory::bytes_of::<InstanceMemo>(self.memos.capacity())
            + self.memos.iter().map(InstanceMemo::bytes).sum::<u64>()
    }
}

impl Instance<'_> {
    /// Tries an instance, or all of them in turn.
    pub(super) fn attempt(&self, machine: &mut Machine, packing: &Packing, packed: &[u64], steps: &mut impl Steps) {
        machine.values(packing, packed);
        let ranges = match &self.parameters {
            Parameters::Values(values) => return self.try_one(machine, steps, values),
            Parameters::Ranges(ranges) => ranges,
        };
        let mut values: Vec<i32> = ranges.iter().map(|&(low, _)| low).collect();
        loop {
            limits::work(INSTANCE);
            machine.registers[..values.len()].copy_from_slice(&values);
            self.try_one(machine, steps, &values);
            let Some(next) = values.iter().zip(ranges).rposition(|(value, (_, high))| value < high) else { return };
            values[next] += 1;
            for (value, &(low, _)) in values.iter_mut().zip(ranges).skip(next + 1) {
                *value = low;
            }
        }
    }

    #[inline]
    fn try_one(&self, machine: &mut Machine, steps: &mut impl Steps, parameters: &[i32]) {
        let Machine { values, trail, registers, .. } = machine;
        debug_assert!(trail.written.is_empty(), "an instance begins with the values of the state");
        if !self.shared.iter().all(|conjunct| conjunct.value(values, registers) != Some(0)) {
            return;
        }
        let summand = self.summand;
        trail.noted.clear();
        match self.guard.value(values, registers) {
            Some(0) => return,
            Some(_) => {}
            None => return steps.fault(Taken { summand, parameters, inside: &[] }),
        }
        let mut arguments = self.arguments.iter();
        if arguments.all(|argument| argument.value(values, registers).is_some())
            && run(&self.body, values, registers, trail).is_some()
        {
            steps.successor(machine, summand, parameters);
        } else {
            steps.fault(Taken { summand, parameters, inside: &machine.trail.noted });
        }
        undo(&mut machine.values, &mut machine.trail);
    }
}
