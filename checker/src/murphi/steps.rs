//! Steps and truths by compiled code: instances in the order of the reference interpreter, each on a machine that goes back to
//! the state afterwards.

use frontend::murphi::interpret::{Fault, FaultKind};
use frontend::murphi::program::Program;

use super::code::{Action, Code, Instances, Rules, Target};
use super::machine::{Machine, Stop};

/// The evaluation is not sure: the interpreter has to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsure;

/// The outcome of an enabled instance; where it has a successor, the machine is there.
#[derive(Debug)]
pub(super) struct Found<'v> {
    /// The number of the rule.
    pub(super) rule: usize,
    /// The values of its rulesets and the slots of its choices.
    pub(super) values: &'v [i32],
    pub(super) fault: Option<Box<Fault>>,
}

/// Visits an instance with the header bound, or the fault of an alias or choice of the header.
type Visit<'r, L> = dyn FnMut(&mut Machine, &[i32], Result<&L, Box<Fault>>) -> Result<(), Unsure> + 'r;

/// Takes what became of an enabled instance.
type Visitor<'r> = dyn FnMut(&Machine, Found<'_>) + 'r;

/// Takes the truth of an instance, or its fault.
type Judge<'r> = dyn FnMut(&[i32], Result<bool, Box<Fault>>) + 'r;

/// A compiled model with what the interpretation of its states needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps<'m> {
    pub(super) program: &'m Program,
    pub(super) code: &'m Code,
}

impl<'m> Steps<'m> {
    pub(super) fn new(program: &'m Program, code: &'m Code) -> Steps<'m> {
        Steps { program, code }
    }

    /// The steps of the state that the machine is in.
    pub(super) fn successors(self, machine: &mut Machine, visit: &mut Visitor<'_>) -> Result<(), Unsure> {
        limits::work(self.code.instances.len() as u64);
        for rules in &self.code.rules {
            match rules {
                Rules::Scan { entry } => self.scan(*entry, machine, visit)?,
                Rules::Tree { rule, instances } => {
                    let each = &mut |machine: &mut Machine, values: &[i32], action: Result<&Action, Box<Fault>>| {
                        limits::work(1);
                        machine.forget_executed();
                        let fired = action.map_err(Stop::Fault).and_then(|&action| self.guarded(action, machine));
                        self.fired((machine, visit), (*rule, values), fired)
                    };
                    self.inside(instances, machine, self.code.slots, &mut Vec::new(), each)?;
                }
            }
        }
        Ok(())
    }

    /// The instances of a scan.
    fn scan(self, mut entry: Target, machine: &mut Machine, visit: &mut Visitor<'_>) -> Result<(), Unsure> {
        loop {
            machine.has_begun = false;
            let ran = machine.run(self.code, entry, self.code.slots);
            let fired = match (ran, machine.has_begun) {
                (Ok(_), false) => return Ok(()),
                (Ok(_), true) => self.finish(machine).map(|()| true),
                (Err(stop), has_begun) => {
                    if !has_begun {
                        machine.covers.clear();
                        machine.forget_executed();
                    }
                    Err(stop)
                }
            };
            let instance = &self.code.instances[machine.instance];
            self.fired((machine, visit), (instance.rule, &instance.values), fired)?;
            entry = instance.next;
        }
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
        visit(machine, Found { rule, values, fault });
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
                stops |= matches!(holds, Ok(false));
                faults |= holds.is_err();
                if first.is_ok() {
                    first = match holds {
                        Ok(true) => Ok(()),
                        Ok(false) => Err(Stop::Excluded),
                        Err(fault) => Err(Stop::Fault(fault)),
                    };
                }
            })
            .map_err(|Unsure| Stop::Unsure)?;
            machine.order.is_broken |= self.code.is_watched && stops && faults;
            first?;
        }
        Ok(())
    }

    /// The truths of the instances of a property in the state that the machine is in.
    pub(super) fn truths(self, machine: &mut Machine, property: usize, visit: &mut Judge<'_>) -> Result<(), Unsure> {
        // Behind the frame of a step that this may belong to.
        let base = self.code.slots + self.code.frame;
        let instances = &self.code.properties[property];
        self.inside(instances, machine, base, &mut Vec::new(), &mut |machine, values, condition: Result<&Target, _>| {
            let holds = match condition.map(|&condition| machine.run(self.code, condition, base)) {
                Err(fault) => Err(fault),
                Ok(Ok(truth)) => Ok(truth != 0),
                Ok(Err(Stop::Fault(fault))) => Err(fault),
                Ok(Err(Stop::Excluded)) => return Ok(()),
                Ok(Err(Stop::Unsure)) => return Err(Unsure),
            };
            note_rounds(self.code, machine, holds.as_ref().err().map(|fault| &**fault));
            visit(values, holds);
            Ok(())
        })
    }

    /// Visits the instances of a header in order. Where an alias or choice faults, one instance stands for all inside it.
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
            Err(Stop::Fault(fault)) => visit(machine, values, Err(fault)).map(|()| None),
            Err(Stop::Excluded) => Ok(None),
            Err(Stop::Unsure) => Err(Unsure),
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
