//! The steps of one state of a model of Murphi: by compiled code, or by the reference interpreter where code does not do.

use explore::executions::Noted;
use explore::memory::{Halt, bytes_of, growth, reserve};
use explore::report::QueryKind;
use explore::search;
use explore::states::{Probes, Store};
use frontend::murphi::interpret::{Deadlock, Fault, FaultKind, State, Step};
use frontend::murphi::program::{CoverId, RuleId};
use frontend::murphi::trace::Faulting;

use super::machine::Machine;
use super::packing::value;
use super::partial_order::Choice;
use super::space::Space;
use super::steps::{End, Steps, Unsure};
use super::trial;
use crate::patch::apply;

/// The steps of one state.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// The state itself.
    pub(super) current: Vec<u64>,
    /// Packed successors, one after the other.
    pub(super) words: Vec<u64>,
    pub(super) probes: Probes,
    /// The successors, in the order of the reference semantics.
    pub(super) numbers: Vec<u32>,
    /// The instances that fault, in the same order.
    pub(super) faults: Vec<Faulting>,
    /// The check that each of them violates.
    pub(super) kinds: Vec<QueryKind>,
    /// The `cover` statements that are met.
    pub(super) covers: Vec<CoverId>,
    /// The sets of parts that all instances executed, faulting ones included.
    pub(super) executed: Vec<u32>,
    /// Whether the state is no deadlock.
    is_enabled: bool,
    pub(super) choice: Choice,
    pub(super) working: Box<Working>,
}

/// What the steps of all states are computed by.
#[derive(Debug, Default)]
pub(super) struct Working {
    machine: Machine,
}

impl Expansion {
    /// Computes the packed successors of the current state; returns their number.
    ///
    /// # Errors
    /// No room.
    pub(super) fn compute(&mut self, space: &mut Space<'_>) -> Result<usize, Halt> {
        self.forget();
        let computed = self.perform(space);
        if let Some(symmetry) = &space.symmetry {
            if self.working.machine.order.is_broken {
                // The interpreter tells the binders.
                let state = space.packing.unpack(&self.current);
                drop(space.steps_from(Some(&state)));
                if symmetry.broken().is_empty() {
                    symmetry.note_all();
                }
            }
            if symmetry.is_broken() {
                // The search is repeated without the quotient.
                return Err(Halt::Work);
            }
        }
        let count = match computed? {
            Ok(count) => count,
            Err(Unsure) => {
                self.forget();
                self.interpret(space)?
            }
        };
        assert_eq!(self.words.len(), count * space.packing.layout.stride(), "the successors are whole states");
        assert_eq!(self.faults.len(), self.kinds.len(), "each fault is of one kind");
        space.represent(Some(&self.current), &mut self.words)?;
        let elements = (count + 1) * space.packing.layout.len();
        if let Some(symmetry) = space.symmetry.as_ref().filter(|_| space.trial.is_due(elements, 0)) {
            let is_finished = trial::run(space, symmetry, &space.packing.unpack(&self.current));
            if !is_finished {
                space.trial.give_up();
            }
        }
        Ok(count)
    }

    fn forget(&mut self) {
        self.words.clear();
        self.faults.clear();
        self.kinds.clear();
        self.covers.clear();
        self.executed.clear();
        self.choice.clear();
        self.is_enabled = false;
    }

    /// Computes by compiled code, if there is any.
    fn perform(&mut self, space: &mut Space<'_>) -> Result<Result<usize, Unsure>, Halt> {
        let Expansion { current, words, faults, kinds, covers, executed, is_enabled, choice, working, .. } = self;
        let Space { program, packing, store, ample, deadlock, code, knowledge, executions, symmetry, trial, .. } =
            space;
        let first = RuleId::from_index(program.rules.len()).0;
        let Some(code) = code else { return Ok(Err(Unsure)) };
        let (mut count, mut halt) = (0, None);
        let steps = Steps { program, code, packing };
        let performed = steps.successors(current, knowledge, &mut working.machine, &mut |machine, found| {
            let (met, parts) = match &found.end {
                End::Known(step) => (&*step.covers, &*step.executed),
                End::Written | End::Fault(_) => (&*machine.covers, &*machine.executed),
            };
            covers.extend_from_slice(met);
            if symmetry.is_some() {
                trial.executed(found.rule);
            }
            if parts.is_empty() {
                executed.push(RuleId::from_index(found.rule).0);
            } else {
                executions.note(Noted { words: parts, first }, executed);
            }
            if let Some(ample) = ample {
                let is_fault = matches!(found.end, End::Fault(_));
                let list = if is_fault { &mut choice.faulting } else { &mut choice.taken };
                list.push(ample.number(found.rule, found.values));
            }
            if let End::Fault(fault) = &found.end {
                *is_enabled = true;
                kinds.push(kind_of(fault));
                faults.push(Faulting { rule: RuleId::from_index(found.rule), values: found.values.to_vec() });
                return;
            }
            if let Err(reason) = room(words, packing.layout.stride(), store) {
                halt = Some(reason);
                return;
            }
            count += 1;
            let first = words.len();
            words.extend_from_slice(current);
            if let End::Known(step) = found.end {
                apply(&step.patches, &mut words[first..]);
            } else {
                for &at in &machine.written {
                    let at = at as usize;
                    packing.set(&mut words[first..], at, machine.memory[at]);
                }
            }
            *is_enabled = *is_enabled || *deadlock == Deadlock::Stuck || words[first..] != **current;
        });
        if let Some(reason) = halt {
            return Err(reason);
        }
        if performed.is_err() || space.ample.is_none() {
            return Ok(performed.map(|()| count));
        }
        Ok(Ok(self.keep(space)))
    }

    /// Keeps the steps of an ample set, or all; returns their number.
    fn keep(&mut self, space: &Space<'_>) -> usize {
        let Expansion { current, words, choice, .. } = self;
        let Space { packing, ample, .. } = space;
        let stride = packing.layout.stride();
        let all = words.len() / stride;
        let mut count = all;
        if let Some(ample) = ample
            && ample.choose(packing, current, words, choice)
        {
            count = 0;
            for place in (0..all).filter(|&place| choice.keeps(place)) {
                words.copy_within(place * stride..(place + 1) * stride, count * stride);
                count += 1;
            }
            assert!(0 < count && count < all, "an ample set has a step, and leaves one out");
            words.truncate(count * stride);
        }
        count
    }

    /// Computes by the reference interpreter.
    fn interpret(&mut self, space: &mut Space<'_>) -> Result<usize, Halt> {
        let Expansion { current, words, faults, kinds, covers, executed, is_enabled, .. } = self;
        let state = space.packing.unpack(current);
        let steps = space.steps_from(Some(&state));
        if space.symmetry.as_ref().is_some_and(|symmetry| symmetry.is_broken()) {
            // The search is repeated without the quotient.
            return Err(Halt::Work);
        }
        *is_enabled = !is_deadlock(space.deadlock, &state, &steps);
        room(words, steps.len() * space.packing.layout.stride(), &mut space.store)?;
        let mut count = 0;
        for step in steps {
            covers.extend(step.covers);
            space.trial.executed(step.rule.index());
            executed.push(step.rule.0);
            executed.extend(space.parts.numbers(&step.marks));
            match step.result {
                Ok(next) => {
                    space.packing.pack(next.into_iter().map(value), words);
                    count += 1;
                }
                Err(fault) => {
                    kinds.push(kind_of(&fault));
                    faults.push(Faulting { rule: step.rule, values: step.values });
                }
            }
        }
        Ok(count)
    }

    pub(super) fn compute_stored(&mut self, space: &mut Space<'_>, number: u32) -> Result<usize, Halt> {
        self.current.clear();
        space.store.read(number, &mut self.current);
        space.store.is_whole()?;
        self.compute(space)
    }
}

/// Makes room for more words of successors.
fn room(words: &mut Vec<u64>, more: usize, store: &mut Store) -> Result<(), Halt> {
    let missing = (words.len() + more).saturating_sub(words.capacity());
    if missing > 0 {
        let (more, bytes) = growth(words, missing);
        store.request(bytes)?;
        reserve(words, more)?;
        store.charge(bytes);
    }
    Ok(())
}

/// The check that a fault violates.
pub(super) fn kind_of(fault: &Fault) -> QueryKind {
    if matches!(fault.kind, FaultKind::Assertion(_)) { QueryKind::Assertion } else { QueryKind::Error }
}

/// Whether a state with these steps is a deadlock: it is judged on the state itself and its own steps.
pub(super) fn is_deadlock(kind: Deadlock, state: &State, steps: &[Step]) -> bool {
    frontend::murphi::interpret::is_deadlock(state, steps, kind)
}

impl search::Expansion for Expansion {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn successors(&self) -> impl Iterator<Item = u32> {
        self.numbers.iter().copied()
    }

    fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    fn clear(&mut self) {
        self.numbers.clear();
    }

    fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.current.capacity() + self.words.capacity())
            + self.probes.bytes()
            + bytes_of::<u32>(self.numbers.capacity() + self.executed.capacity())
            + bytes_of::<Faulting>(self.faults.capacity())
            + bytes_of::<Working>(1)
            + self.choice.bytes()
            + self.working.machine.bytes()
    }
}
