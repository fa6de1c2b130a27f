//! All summands of a process as one list of operations, run once for each state.
//!
//! Instances follow each other in the order of the reference semantics. Conjuncts that begin the guards of neighbouring
//! instances are evaluated once for all of them: when one is false, the operations go on behind the last of these
//! instances. Only conjuncts that cannot fault are shared.
//!
//! Where tables pay, [`Selection`] takes the place of the shared conjuncts. A body that only assigns constants to known
//! elements is a patch of the packed state.
//!
//! Invariant: an instance is tried if and only if the shared conjuncts of its guard are true; what is left of its guard then
//! has the truth, or the fault, of the whole.

use frontend::sequential::{Sequential, SummandId};

use super::body::{Action, Instance, Parameters, Trail, run, undo};
use super::code::Code;
use super::compile::Compiler;
use super::ground::instances;
use super::select::{Packed, Selection};

/// The parts that are compiled for one process before writing out ends.
const BUDGET: u64 = 1 << 20;

/// An operation.
#[derive(Clone, Debug)]
enum Operation<'m> {
    /// Goes on at another operation unless a condition is true.
    Require(Code<'m>, usize),
    /// Tries an instance.
    Try(usize),
}

/// The summands of a process.
#[derive(Clone, Debug)]
pub(super) struct Program<'m> {
    selection: Option<Selection>,
    /// Without a selection.
    operations: Vec<Operation<'m>>,
    instances: Vec<Instance<'m>>,
    /// For each instance what its body does to a packed state, if that is always the same.
    patches: Vec<Option<Box<[Patch]>>>,
    registers: usize,
    bytes: u64,
}

/// The values that a program works on.
#[derive(Debug, Default)]
pub(super) struct Machine {
    /// The state, restored after each instance.
    pub(super) state: Vec<i32>,
    /// The elements that the instance has written, with their old values.
    pub(super) trail: Trail,
    registers: Vec<i32>,
}

/// A change of one word of a packed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Patch {
    /// The word.
    pub(super) word: usize,
    /// The bits that stay.
    pub(super) keep: u64,
    /// The bits that are set.
    pub(super) set: u64,
}

/// Who is told of the steps of a state.
pub(super) trait Steps {
    /// An instance has a successor: the state of the machine; it differs in the elements on the trail only.
    fn successor(&mut self, machine: &Machine, summand: SummandId, parameters: &[i32]);

    /// An instance has the successor that these patches of the packed state make.
    fn patched(&mut self, patch: &[Patch], summand: SummandId, parameters: &[i32]);

    /// An instance faults.
    fn fault(&mut self, summand: SummandId, parameters: &[i32]);
}

impl<'m> Program<'m> {
    /// Compiles a process.
    pub(super) fn new(model: &'m Sequential, packed: &Packed<'_>) -> Program<'m> {
        let (mut all, Compiler { budget, registers, .. }) = compiled(model);
        // A part takes up to about this much with its boxes.
        let bytes = (BUDGET - budget) * 48;
        let patches = all.iter().map(|instance| patch(instance, packed)).collect();
        let mut guards: Vec<Vec<Code<'m>>> =
            all.iter_mut().map(|instance| std::mem::take(&mut instance.shared)).collect();
        let selection = Selection::new(&mut guards, packed);
        let mut program = Program { selection, operations: Vec::new(), instances: all, patches, registers, bytes };
        if program.selection.is_some() {
            for (instance, rest) in program.instances.iter_mut().zip(guards) {
                instance.shared = rest;
            }
        } else {
            program.share(&guards, 0, 0);
        }
        program
    }

    /// Appends the operations of consecutive instances from `first` on whose first `depth` shared conjuncts are done.
    fn share(&mut self, guards: &[Vec<Code<'m>>], first: usize, depth: usize) {
        let mut at = 0;
        while at < guards.len() {
            let Some(conjunct) = guards[at].get(depth) else {
                self.operations.push(Operation::Try(first + at));
                at += 1;
                continue;
            };
            let same = guards[at..].iter().take_while(|guard| guard.get(depth) == Some(conjunct)).count();
            let place = self.operations.len();
            self.operations.push(Operation::Require(conjunct.clone(), 0));
            self.share(&guards[at..at + same], first + at, depth + 1);
            let behind = self.operations.len();
            if let Operation::Require(_, otherwise) = &mut self.operations[place] {
                *otherwise = behind;
            }
            at += same;
        }
    }

    /// Tells of the steps of the state in the machine, in the order of the reference semantics.
    /// The state is there packed, too.
    pub(super) fn run(&self, machine: &mut Machine, packed: &[u64], steps: &mut impl Steps) {
        machine.registers.resize(self.registers, 0);
        if let Some(selection) = &self.selection {
            selection.candidates(packed, |instance| {
                let Machine { state, registers, .. } = &mut *machine;
                let mut rest = self.instances[instance].shared.iter();
                if rest.all(|conjunct| conjunct.value(state, registers) != Some(0)) {
                    self.attempt(instance, machine, steps);
                }
            });
            return;
        }
        let mut at = 0;
        while let Some(operation) = self.operations.get(at) {
            at += 1;
            match operation {
                Operation::Require(condition, otherwise) => {
                    if condition.value(&machine.state, &mut machine.registers) == Some(0) {
                        at = *otherwise;
                    }
                }
                Operation::Try(instance) => self.attempt(*instance, machine, steps),
            }
        }
    }

    /// Tries an instance, or all of them in turn.
    #[inline]
    fn attempt(&self, instance: usize, machine: &mut Machine, steps: &mut impl Steps) {
        let Some(patch) = &self.patches[instance] else { return self.instances[instance].attempt(machine, steps) };
        let instance = &self.instances[instance];
        let Parameters::Values(values) = &instance.parameters else { unreachable!("patches are of single instances") };
        match instance.guard.value(&machine.state, &mut machine.registers) {
            Some(0) => {}
            Some(_) => steps.patched(patch, instance.summand, values),
            None => steps.fault(instance.summand, values),
        }
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes + self.selection.as_ref().map_or(0, Selection::bytes)
    }
}

/// The instances of all summands, in the order of the reference semantics, and what compiled them.
pub(super) fn compiled(model: &Sequential) -> (Vec<Instance<'_>>, Compiler<'_>) {
    let mut compiler = Compiler::new(model, BUDGET);
    let mut all = Vec::new();
    for index in 0..model.summands.len() {
        all.extend(instances(&mut compiler, SummandId::from_index(index)));
    }
    (all, compiler)
}

/// What the body of an instance does to a packed state, if that is always the same and cannot fault.
fn patch(instance: &Instance<'_>, packed: &Packed<'_>) -> Option<Box<[Patch]>> {
    if !matches!(instance.parameters, Parameters::Values(_)) || !instance.arguments.is_empty() {
        return None;
    }
    let mut patches: Vec<Patch> = Vec::new();
    for action in &instance.body {
        let Action::Assign { target, value: Code::Constant(value), low, high } = action else { return None };
        if !target.dimensions.is_empty() || value < low || value > high {
            return None;
        }
        let (word, shift, mask) = packed.layout.place(target.base);
        let bits = u64::from(value.wrapping_sub(packed.lows[target.base]).cast_unsigned()) << shift;
        match patches.iter_mut().find(|patch| patch.word == word) {
            Some(patch) => {
                patch.keep &= !(mask << shift);
                patch.set = patch.set & !(mask << shift) | bits;
            }
            None => patches.push(Patch { word, keep: !(mask << shift), set: bits }),
        }
    }
    Some(patches.into())
}

impl Instance<'_> {
    /// Tries an instance, or all of them in turn.
    fn attempt(&self, machine: &mut Machine, steps: &mut impl Steps) {
        let ranges = match &self.parameters {
            Parameters::Values(values) => return self.try_one(machine, steps, values),
            Parameters::Ranges(ranges) => ranges,
        };
        let mut values: Vec<i32> = ranges.iter().map(|&(low, _)| low).collect();
        loop {
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
        let Machine { state, trail, registers } = machine;
        match self.guard.value(state, registers) {
            Some(0) => return,
            Some(_) => {}
            None => return steps.fault(self.summand, parameters),
        }
        let mut arguments = self.arguments.iter();
        if arguments.all(|argument| argument.value(state, registers).is_some())
            && run(&self.body, state, registers, trail).is_some()
        {
            steps.successor(machine, self.summand, parameters);
        } else {
            steps.fault(self.summand, parameters);
        }
        undo(&mut machine.state, &mut machine.trail);
    }
}
