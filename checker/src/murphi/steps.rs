//! Steps and truths by compiled code: instances in the order of the reference interpreter, each on a machine that goes back to
//! the state afterwards, unless its outcome is known.

use explore::memory::bytes_of;
use frontend::murphi::interpret::{Fault, FaultKind};
use frontend::murphi::program::Program;

use super::candidates::{self, Candidates};
use super::code::{Action, Code, Instance, Instances, Rules, Target};
use super::decisions::{Decisions, Outcome, Step};
use super::machine::{Machine, Stop};
use super::packing::Packing;
use crate::patch;

/// The evaluation is not sure: the interpreter has to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsure;

/// An enabled instance.
#[derive(Debug)]
pub(super) struct Found<'v> {
    /// The number of the rule.
    pub(super) rule: usize,
    /// The values of its rulesets and the slots of its choices.
    pub(super) values: &'v [i32],
    pub(super) end: End<'v>,
}

/// What an enabled instance leads to.
#[derive(Debug)]
pub(super) enum End<'v> {
    /// The state that the machine is in.
    Written,
    /// A known step.
    Known(&'v Step),
    /// A fault.
    Fault(Box<Fault>),
}

/// Visits an instance with the header bound, or the reason why an alias or choice of the header has no value.
type Visit<'r, L> = dyn FnMut(&mut Machine, &[i32], Result<&L, Stop>) -> Result<(), Unsure> + 'r;

/// Takes what became of an enabled instance.
type Visitor<'r> = dyn FnMut(&Machine, Found<'_>) + 'r;

/// Takes the truth of an instance, or its fault.
type Judge<'r> = dyn FnMut(&[i32], Result<bool, Box<Fault>>) + 'r;

/// A compiled model with what the interpretation of its states needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps<'m> {
    pub(super) program: &'m Program,
    pub(super) code: &'m Code,
    pub(super) packing: &'m Packing,
}

/// What is known of the instances of a model: those that a state may enable, and their outcomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    candidates: Candidates,
    decisions: Decisions,
    /// A buffer.
    marks: Vec<u64>,
}

impl Knowledge {
    /// Nothing is known yet. Outcomes are not remembered where every step sorts multisets, or where the order of values is watched.
    pub(super) fn new(code: &Code, packing: &Packing) -> Knowledge {
        let remembered = if code.has_multisets || code.is_watched { 0 } else { code.instances.len() };
        Knowledge {
            candidates: Candidates::new(code, packing),
            decisions: Decisions::new(remembered),
            marks: Vec::new(),
        }
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.candidates.bytes() + self.decisions.bytes() + bytes_of::<u64>(self.marks.capacity())
    }
}

/// What is known of the truths of a property whose instances have conditions of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct TruthKnowledge {
    /// Of the instances; none where truths are not remembered.
    conditions: Vec<Target>,
    decisions: Decisions,
}

impl TruthKnowledge {
    /// Nothing is known yet of a property.
    pub(super) fn new(code: &Code, property: usize) -> TruthKnowledge {
        let mut conditions = Vec::new();
        if code.has_multisets || code.is_watched || !list(&code.properties[property], &mut conditions) {
            return TruthKnowledge::default();
        }
        TruthKnowledge { decisions: Decisions::new(conditions.len()), conditions }
    }

    /// Whether truths are remembered.
    pub(super) fn is_in_use(&self) -> bool {
        !self.conditions.is_empty()
    }
}

/// Lists the conditions of instances; false where some have no code of their own.
fn list(instances: &Instances<Target>, conditions: &mut Vec<Target>) -> bool {
    match instances {
        &Instances::One(condition) => {
            conditions.push(condition);
            true
        }
        Instances::Fixed(values) => values.iter().all(|(_, inner)| list(inner, conditions)),
        _ => false,
    }
}

impl<'m> Steps<'m> {
    /// The steps of a packed state. The machine is in that state afterwards where a step was not known.
    pub(super) fn successors(
        self,
        words: &[u64],
        knowledge: &mut Knowledge,
        machine: &mut Machine,
        visit: &mut Visitor<'_>,
    ) -> Result<(), Unsure> {
        limits::work(self.code.instances.len() as u64);
        machine.order.is_broken = false;
        let Knowledge { candidates, decisions, marks } = knowledge;
        candidates.mark(words, marks);
        for rules in &self.code.rules {
            match rules {
                &Rules::Instances { first, end } => {
                    let mut at = first;
                    while let Some(instance) = candidates::next(marks, at, end) {
                        self.instance(instance, words, decisions, (machine, visit))?;
                        at = instance + 1;
                    }
                }
                Rules::Tree { rule, instances } => {
                    machine.enter(self.code, self.packing, words);
                    let each = &mut |machine: &mut Machine, values: &[i32], action: Result<&Action, Stop>| {
                        limits::work(1);
                        machine.forget_executed();
                        let fired = action.and_then(|&action| self.guarded(action, machine));
                        self.fired((machine, visit), (*rule, values), fired)
                    };
                    self.inside(instances, machine, self.code.slots, &mut Vec::new(), each)?;
                }
            }
        }
        Ok(())
    }

    /// An instance whose values are fixed.
    fn instance(
        self,
        number: usize,
        words: &[u64],
        decisions: &mut Decisions,
        (machine, visit): (&mut Machine, &mut Visitor<'_>),
    ) -> Result<(), Unsure> {
        let Instance { rule, values, entry, .. } = &self.code.instances[number];
        match decisions.get(number, words) {
            Some(Outcome::Step(step)) => {
                visit(machine, Found { rule: *rule, values, end: End::Known(step) });
                return Ok(());
            }
            Some(_) => return Ok(()),
            None => {}
        }
        machine.enter(self.code, self.packing, words);
        let learns = decisions.learns(number);
        machine.record(learns);
        let fired = self.performed(*entry, machine);
        machine.record(false);
        let outcome = match fired {
            _ if !learns => None,
            Ok(true) => Some(Outcome::Step(self.step(*rule, machine))),
            Ok(false) | Err(Stop::Excluded) => Some(Outcome::Nothing),
            Err(_) => None,
        };
        if let Some(outcome) = outcome {
            decisions.learn(number, &machine.reads, (self.packing, words), outcome);
        }
        self.fired((machine, visit), (*rule, values), fired)
    }

    /// Runs the code of guard and body; false if the instance is not enabled.
    fn performed(self, entry: Target, machine: &mut Machine) -> Result<bool, Stop> {
        machine.has_begun = false;
        machine.covers.clear();
        machine.forget_executed();
        match machine.run(self.code, entry, self.code.slots) {
            Ok(_) if !machine.has_begun => Ok(false),
            Ok(_) => self.finish(machine).map(|()| true),
            Err(stop) => {
                if !machine.has_begun {
                    machine.covers.clear();
                    machine.forget_executed();
                }
                Err(stop)
            }
        }
    }

    /// The step that the machine has done.
    fn step(self, rule: usize, machine: &Machine) -> Step {
        let mut patches = Vec::new();
        for &at in &machine.written {
            let at = at as usize;
            debug_assert!(at < self.code.slots, "a step writes slots of the state");
            let content = self.packing.content(at, machine.memory[at]);
            patch::write(&mut patches, self.packing.layout.place(at), content);
        }
        let mut executed: Box<[u64]> = machine.executed.as_slice().into();
        if let Some(word) = executed.first_mut() {
            *word = rule as u64;
        }
        Step { patches: patches.into(), covers: machine.covers.as_slice().into(), executed }
    }

    /// Visits what became of an instance, if it was enabled, and goes back to the state.
    fn fired(
        self,
        (machine, visit): (&mut Machine, &mut Visitor<'_>),
        (rule, values): (usize, &[i32]),
        fired: Result<bool, Stop>,
    ) -> Result<(), Unsure> {
        let fault = match fired {
            Ok(true) => None,
            Ok(false) | Err(Stop::Excluded) => {
                machine.leave();
                return Ok(());
            }
            Err(Stop::Fault(fault)) => Some(fault),
            Err(Stop::Unsure) => return Err(Unsure),
        };
        note_rounds(self.code, machine, fault.as_deref());
        if let Some(word) = machine.executed.first_mut() {
            *word = rule as u64;
        }
        visit(machine, Found { rule, values, end: fault.map_or(End::Written, End::Fault) });
        machine.leave();
        Ok(())
    }

    /// Fires an instance whose header is bound; false if it is not enabled.
    fn guarded(self, action: Action, machine: &mut Machine) -> Result<bool, Stop> {
        machine.covers.clear();
        if let Some(guard) = action.guard {
            let truth = machine.run(self.code, guard, self.code.slots).inspect_err(|_| machine.covers.clear())?;
            if truth == 0 {
                return Ok(false);
            }
        }
        self.fire(action.body, machine).map(|()| true)
    }

    /// Performs a body.
    fn fire(self, body: Target, machine: &mut Machine) -> Result<(), Stop> {
        machine.run(self.code, body, self.code.slots)?;
        self.finish(machine)
    }

    /// What follows a body: multisets are sorted, and assumptions are looked at.
    fn finish(self, machine: &mut Machine) -> Result<(), Stop> {
        if self.code.has_multisets {
            machine.sort(self.program);
        }
        if !self.code.assumptions.is_empty() {
            let covers = std::mem::take(&mut machine.covers);
            let assumed = self.assumed(machine);
            machine.covers = covers;
            assumed?;
        }
        Ok(())
    }

    /// Whether the assumptions hold; the first instance that does not hold decides.
    fn assumed(self, machine: &mut Machine) -> Result<(), Stop> {
        for &index in &self.code.assumptions {
            let (mut first, mut stops, mut faults) = (Ok(()), false, false);
            self.truths(machine, index, &mut |_, holds| {
                let found = match holds {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(Stop::Excluded),
                    Err(fault) if fault.kind == FaultKind::Excluded => Err(Stop::Excluded),
                    Err(fault) => Err(Stop::Fault(fault)),
                };
                stops |= matches!(found, Err(Stop::Excluded));
                faults |= matches!(found, Err(Stop::Fault(_)));
                if first.is_ok() {
                    first = found;
                }
            })
            .map_err(|Unsure| Stop::Unsure)?;
            machine.order.is_broken |= self.code.is_watched && stops && faults;
            first?;
        }
        Ok(())
    }

    /// The truths of the instances of a property in a packed state, by what is known of them; nothing where one faults.
    pub(super) fn known_truths(
        self,
        words: &[u64],
        TruthKnowledge { conditions, decisions }: &mut TruthKnowledge,
        machine: &mut Machine,
        visit: &mut dyn FnMut(Option<bool>),
    ) {
        for (number, &condition) in conditions.iter().enumerate() {
            if let Some(&Outcome::Truth(truth)) = decisions.get(number, words) {
                visit(Some(truth));
                continue;
            }
            machine.enter(self.code, self.packing, words);
            let learns = decisions.learns(number);
            machine.record(learns);
            let truth = machine.run(self.code, condition, self.code.slots).map(|truth| truth != 0);
            machine.record(false);
            if let (true, &Ok(truth)) = (learns, &truth) {
                decisions.learn(number, &machine.reads, (self.packing, words), Outcome::Truth(truth));
            }
            machine.leave();
            visit(truth.ok());
        }
    }

    /// The truths of the instances of a property in the state that the machine is in.
    pub(super) fn truths(self, machine: &mut Machine, property: usize, visit: &mut Judge<'_>) -> Result<(), Unsure> {
        // Behind the frame of a step that this may belong to.
        let base = self.code.slots + self.code.frame;
        let instances = &self.code.properties[property];
        let span = self.program.properties[property].condition.span;
        self.inside(
            instances,
            machine,
            base,
            &mut Vec::new(),
            &mut |machine, values, condition: Result<&Target, Stop>| {
                let holds = match condition.and_then(|&condition| machine.run(self.code, condition, base)) {
                    Ok(truth) => Ok(truth != 0),
                    Err(Stop::Fault(fault)) => Err(fault),
                    Err(Stop::Excluded) => Err(Box::new(Fault { kind: FaultKind::Excluded, span })),
                    Err(Stop::Unsure) => return Err(Unsure),
                };
                note_rounds(self.code, machine, holds.as_ref().err().map(|fault| &**fault));
                visit(values, holds);
                Ok(())
            },
        )
    }

    /// Visits the instances of a header in order. Where an alias or choice has no value, one instance stands for all inside it.
    fn inside<L>(
        self,
        instances: &Instances<L>,
        machine: &mut Machine,
        base: usize,
        values: &mut Vec<i32>,
        visit: &mut Visit<'_, L>,
    ) -> Result<(), Unsure> {
        let entered = |machine: &mut Machine, entry: Target, visit: &mut Visit<'_, L>, values: &[i32]| match machine
            .run(self.code, entry, base)
        {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Unsure) => Err(Unsure),
            Err(stop) => visit(machine, values, Err(stop)).map(|()| None),
        };
        match instances {
            Instances::One(leaf) => visit(machine, values, Ok(leaf)),
            Instances::Fixed(list) => list.iter().try_for_each(|(value, inner)| {
                values.push(*value);
                let visited = self.inside(inner, machine, base, values, visit);
                values.pop();
                visited
            }),
            Instances::Values { to, values: list, inner } => list
                .iter()
                .try_for_each(|&value| self.bound(machine, Held { base, to: *to, value }, inner, values, visit)),
            Instances::Alias { entry, inner } => match entered(machine, *entry, visit, values)? {
                Some(_) => self.inside(inner, machine, base, values, visit),
                None => Ok(()),
            },
            Instances::Choose { entry, to, size, capacity, inner } => {
                let Some(first) = entered(machine, *entry, visit, values)? else { return Ok(()) };
                let used = machine.used(first, *size, *capacity).into_iter();
                used.into_iter()
                    .try_for_each(|slot| self.bound(machine, Held { base, to: *to, value: slot }, inner, values, visit))
            }
        }
    }

    /// The instances with a value in a register.
    fn bound<L>(
        self,
        machine: &mut Machine,
        Held { base, to, value }: Held,
        inner: &Instances<L>,
        values: &mut Vec<i32>,
        visit: &mut Visit<'_, L>,
    ) -> Result<(), Unsure> {
        values.push(value);
        machine.set(base, to, value.into());
        let visited = self.inside(inner, machine, base, values, visit);
        values.pop();
        visited
    }
}

/// A value in a register of a frame.
#[derive(Clone, Copy)]
struct Held {
    base: usize,
    to: u32,
    value: i32,
}

/// Where the order of values is watched, more rounds are evaluated than in a step of the interpreter.
fn note_rounds(code: &Code, machine: &mut Machine, fault: Option<&Fault>) {
    let is_endless = fault.is_some_and(|fault| fault.kind == FaultKind::Endless);
    machine.order.is_broken |= code.is_watched && is_endless;
}
