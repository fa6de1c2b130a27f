//! Decides with a SAT solver whether the original can follow a run of a slice.
//!
//! The rebecs of the slice serve in the order of the run; between two of its steps there is room for some steps that
//! the slice does not show. So control is fixed and data is free: every variable is the list of its possible values,
//! each with a literal, and a body runs under the literal of its path. Values that the slice shows are constants in the
//! steps in which it shows them.
//!
//! Assignments that the slice replaced by choices may be freed again, one variable at a time. A *core* is a least set
//! of variables such that the run can be followed once they are free: every refinement that excludes the run keeps the
//! assignments of one of them. The smallest set that hits all cores found in this way excludes the run (implicit
//! hitting sets).
//!
//! Soundness: a run is returned only after the reference replayed it on the original. The answer that there is no run
//! holds only within the bounds of this module, and only chooses the variables to refine.
//!
//! Source: \[Sab10\] 5.3 leaves the feasibility of abstract runs to the user.

mod body;
mod circuit;
mod evaluate;
mod state;
mod value;

use std::collections::BTreeSet;

use frontend::interpret::trace::{Trace, replay_moves};
use frontend::interpret::{Bounds, FaultClass, State, starts};
use frontend::model::{Model, RebecId};

use crate::bounds::sized;
use crate::lift::{View, fault_at};
use crate::reduce::{Abstracted, Slice};
use crate::refine::Original;
use body::Machine;
use circuit::{Circuit, Lit, TRUE};
use sat::Answer;
use state::Recorded;

/// The numbers of hidden steps that may come before each step of the slice; tried in this order.
const HIDDEN: [usize; 3] = [0, 1, 3];
/// The greatest number of steps of a run, shown or hidden.
const MAX_STEPS: usize = 400;
/// The greatest number of initial states that are distinguished.
const MAX_STARTS: usize = 64;

/// The circuit exceeded its bounds.
pub(crate) struct TooMuch;

/// The condition that the run must show at its end, in addition to the view of the slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// None: the slice shows the violation.
    Shown,
    /// No message anywhere.
    Deadlock,
    /// A fault of this class in one more step.
    Fault(FaultClass),
}

/// The answer.
pub enum Feasible {
    /// The original has the run, which the reference replayed.
    Run(Box<Trace>),
    /// The original has no such run within the bounds. The cores; none if even freeing all variables does not help.
    Not(Vec<Abstracted>),
    /// The question is too large or takes too long.
    Unknown,
}

/// Decides whether the original can follow a run of the slice. `hitting` gives the least set that hits every core.
pub fn feasible(
    original: &Original<'_>,
    slice: &Slice,
    trace: &Trace,
    end: End,
    hitting: &dyn Fn(&[Abstracted]) -> Abstracted,
) -> Feasible {
    let &Original { model, bounds, is_over, .. } = original;
    let views: Vec<View> = trace.states().map(|state| slice.seen(state)).collect();
    if views.is_empty() || trace.cycle_from.is_some() || !model.creatable.is_empty() {
        return Feasible::Unknown;
    }
    // A core belongs to the run of the slice; the rebecs that move in this run are the same in the original.
    let movers: Option<Vec<RebecId>> = trace.steps.iter().map(|step| slice.original(step.rebec)).collect();
    let Some(movers) = movers else { return Feasible::Unknown };
    let leads_nowhere = usize::from(matches!(end, End::Fault(_)));
    assert!(views.len() + leads_nowhere > movers.len(), "each step leads to a state, but one that faults");
    let first = starts(model, bounds).take(10_000).filter_map(|start| start.result.ok());
    let mut first: Vec<State> = first.filter(|state| slice.view(model, state) == views[0]).collect();
    first.dedup();
    first.truncate(MAX_STARTS);
    if first.is_empty() {
        return Feasible::Unknown;
    }
    // Queues of their greatest length keep the circuit small; runs are replayed on the unchanged model.
    let sized = sized(model).map(|(sized, _)| sized);
    let run =
        Unrolled { model, sized: sized.as_ref().unwrap_or(model), bounds, is_over, slice, views, movers, first, end };
    let mut last = Feasible::Unknown;
    for hidden in HIDDEN {
        if (run.movers.len() + 1) * (hidden + 1) > MAX_STEPS || is_over() {
            break;
        }
        match run.query(hidden, hitting) {
            Feasible::Unknown => break,
            Feasible::Not(cores) if cores.is_empty() && !matches!(last, Feasible::Unknown) => {}
            found @ Feasible::Run(_) => return found,
            found @ Feasible::Not(_) => last = found,
        }
    }
    last
}

/// A run of the slice that the original shall follow.
struct Unrolled<'a> {
    model: &'a Model,
    /// The same model with shorter queues.
    sized: &'a Model,
    bounds: &'a Bounds,
    is_over: &'a dyn Fn() -> bool,
    slice: &'a Slice,
    views: Vec<View>,
    /// The rebec that moves in each step of the slice.
    movers: Vec<RebecId>,
    first: Vec<State>,
    end: End,
}

impl<'a> Unrolled<'a> {
    fn query(&self, hidden: usize, hitting: &dyn Fn(&[Abstracted]) -> Abstracted) -> Feasible {
        let variables: Vec<_> = self.slice.replaced.iter().copied().collect();
        let mut circuit = Circuit::new();
        let exact: Vec<Lit> = variables.iter().map(|_| circuit.fresh()).collect();
        let literal = |variable| variables.iter().position(|one| *one == variable).map_or(TRUE, |place| exact[place]);
        let replaced = self.slice.replaced_at.iter().map(|one| (one, literal(one.variable))).collect();
        let mut machine = Machine {
            model: self.sized,
            circuit,
            features: Vec::new(),
            rebecs: Vec::new(),
            replaced,
            faults: None,
            statements: 0,
            calls: 0,
        };
        let Ok(states) = self.unroll(&mut machine, hidden) else { return Feasible::Unknown };
        let circuit = &machine.circuit;
        match circuit.solve(&exact, self.is_over) {
            Answer::NotDecided => return Feasible::Unknown,
            Answer::Model(valuation) => {
                return self.confirmed(&states, &valuation).map_or(Feasible::Unknown, Feasible::Run);
            }
            Answer::Unproved | Answer::Unsatisfiable => {}
        }
        // Whether the run is feasible with these variables free.
        let follows = |free: &Abstracted| {
            let assumed = variables.iter().zip(&exact);
            let assumed: Vec<Lit> =
                assumed.map(|(variable, lit)| if free.contains(variable) { lit.opposite() } else { *lit }).collect();
            matches!(circuit.solve(&assumed, self.is_over), Answer::Model(_))
        };
        let all: Abstracted = variables.iter().copied().collect();
        let mut cores: Vec<Abstracted> = Vec::new();
        loop {
            let kept = hitting(&cores);
            let mut free: Abstracted = all.difference(&kept).copied().collect();
            if free.is_empty() || !follows(&free) {
                // A question that is not decided in time has no answer.
                return if (self.is_over)() { Feasible::Unknown } else { Feasible::Not(cores) };
            }
            for variable in free.clone() {
                let without: BTreeSet<_> = free.iter().copied().filter(|one| *one != variable).collect();
                if follows(&without) {
                    free = without;
                }
            }
            debug_assert!(!free.is_empty(), "a core has variables");
            cores.push(free);
        }
    }

    /// Unrolls the steps one after the other; returns the states to be read from a valuation.
    fn unroll(&self, machine: &mut Machine<'a>, hidden: usize) -> Result<Vec<Recorded>, TooMuch> {
        machine.start(&self.first)?;
        let mut states = vec![machine.record(Vec::new())];
        let shown = if matches!(self.end, End::Fault(_)) { self.views.len() - 1 } else { self.movers.len() };
        for index in 0..=shown {
            for _ in 0..hidden {
                self.hidden(machine, &mut states, index)?;
            }
            if index < shown {
                self.step(machine, &mut states, &[(self.movers[index], TRUE)], index + 1)?;
            }
        }
        match self.end {
            End::Shown => {}
            End::Deadlock => {
                for index in 0..machine.rebecs.len() {
                    for entry in machine.rebecs[index].queue.clone() {
                        let present = machine.present(&entry);
                        machine.circuit.require(present.opposite());
                    }
                }
            }
            End::Fault(class) => self.fault(machine, class)?,
        }
        if machine.circuit.is_too_large() { Err(TooMuch) } else { Ok(states) }
    }

    /// A step that the slice does not show, or no step.
    fn hidden(&self, machine: &mut Machine<'a>, states: &mut Vec<Recorded>, index: usize) -> Result<(), TooMuch> {
        let able: Vec<RebecId> = (0..machine.rebecs.len())
            .filter(|&index| !machine.rebecs[index].queue.is_empty())
            .map(RebecId::from_index)
            .collect();
        let chosen = machine.circuit.one_of(able.len() + 1);
        let movers: Vec<(RebecId, Lit)> = able.into_iter().zip(chosen).collect();
        self.step(machine, states, &movers, index)
    }

    fn step(
        &self,
        machine: &mut Machine<'a>,
        states: &mut Vec<Recorded>,
        movers: &[(RebecId, Lit)],
        view: usize,
    ) -> Result<(), TooMuch> {
        machine.statements = 0;
        for &(rebec, path) in movers {
            machine.serve(rebec, path)?;
        }
        machine.require_view(self.slice, &self.views[view])?;
        states.push(machine.record(movers.to_vec()));
        if machine.circuit.is_too_large() || (self.is_over)() { Err(TooMuch) } else { Ok(()) }
    }

    /// One more step that faults.
    fn fault(&self, machine: &mut Machine<'a>, class: FaultClass) -> Result<(), TooMuch> {
        let able: Vec<RebecId> = (0..machine.rebecs.len()).map(RebecId::from_index).collect();
        let chosen = machine.circuit.one_of(able.len());
        machine.faults = Some(Vec::new());
        machine.statements = 0;
        for (rebec, path) in able.into_iter().zip(chosen) {
            machine.serve(rebec, path)?;
        }
        let faults = machine.faults.take().unwrap_or_default();
        let faults: Vec<Lit> = faults.into_iter().filter(|fault| fault.0 == class).map(|fault| fault.1).collect();
        let some = machine.circuit.any(&faults);
        machine.circuit.require(some);
        Ok(())
    }

    /// The run of a valuation, if the reference gives it.
    fn confirmed(&self, states: &[Recorded], valuation: &[bool]) -> Option<Box<Trace>> {
        let mut run = vec![states.first()?.read(valuation)?];
        let mut movers = Vec::new();
        for recorded in &states[1..] {
            if let Some(mover) = recorded.mover(valuation) {
                movers.push(mover);
                run.push(recorded.read(valuation)?);
            }
        }
        let last = match self.end {
            End::Fault(class) => Some(fault_at(self.model, self.bounds, run.last()?, class)?),
            End::Deadlock if !run.last()?.is_deadlock() => return None,
            End::Shown | End::Deadlock => None,
        };
        let last = last.as_ref().map(|(rebec, fault)| (*rebec, fault));
        replay_moves(self.model, self.bounds, &run, &movers, last).ok().map(Box::new)
    }
}
