//! The cells of a state that its steps read and write.
//!
//! A cell that a step reads before it writes it is read; a cell that it writes in any way is written. The guards and properties
//! of a state only read. Multisets are followed as far as their used slots are read.

use super::instances::Instance;
use super::machine::Machine;
use super::{State, Stop, multisets};
use crate::murphi::program::{Program, Rule};
use crate::murphi::syntax::ast::PropertyKind;

/// A set of cells of a state.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Cells(Vec<u64>);

impl Cells {
    /// No cells of a state with so many.
    pub fn none(cells: usize) -> Cells {
        Cells(vec![0; cells.div_ceil(64)])
    }

    /// Whether a cell is in the set.
    pub fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 != 0
    }

    /// Adds a cell.
    pub fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    /// Adds the cells of another set but those of a third one; whether that changes the set.
    pub fn add_without(&mut self, more: &Cells, without: &Cells) -> bool {
        debug_assert!(self.0.len() == more.0.len() && self.0.len() == without.0.len(), "cells of one program");
        let mut is_new = false;
        for ((own, more), without) in self.0.iter_mut().zip(&more.0).zip(&without.0) {
            let joined = *own | (more & !without);
            is_new |= joined != *own;
            *own = joined;
        }
        is_new
    }

    /// Adds the cells of another set.
    fn add(&mut self, more: &Cells) {
        debug_assert_eq!(self.0.len(), more.0.len(), "cells of one program");
        self.0.iter_mut().zip(&more.0).for_each(|(own, more)| *own |= more);
    }
}

/// The cells that an evaluation reads before it writes them, and those that it writes.
#[derive(Debug)]
pub(super) struct Footprint {
    cells: usize,
    reads: Cells,
    writes: Cells,
}

impl Footprint {
    fn new(cells: usize) -> Footprint {
        Footprint { cells, reads: Cells::none(cells), writes: Cells::none(cells) }
    }

    /// That of another evaluation.
    pub(super) fn again(&self) -> Footprint {
        Footprint::new(self.cells)
    }

    pub(super) fn read(&mut self, cells: std::ops::Range<usize>) {
        for at in cells.start..cells.end.min(self.cells) {
            if !self.writes.contains(at) {
                self.reads.insert(at);
            }
        }
    }

    pub(super) fn write(&mut self, cells: std::ops::Range<usize>) {
        (cells.start..cells.end.min(self.cells)).for_each(|at| self.writes.insert(at));
    }
}

/// The steps of a state, or the starts, with the cells that they access.
#[derive(Debug)]
pub struct Observed {
    /// The states afterwards, each with the cells that its step writes.
    pub steps: Vec<(State, Cells)>,
    /// The cells that guards, steps and properties read.
    pub reads: Cells,
    /// The number of instances whose guards were evaluated.
    pub instances: usize,
}

/// Observes the steps and the properties of a state; without one, the starts.
///
/// # Panics
/// If the program is not one that [`parse`](crate::murphi::parse) gave, or the state is not one of its states.
pub fn observe(program: &Program, state: Option<&State>) -> Observed {
    let cells = program.cells();
    let mut found = Observed { steps: Vec::new(), reads: Cells::none(cells), instances: 0 };
    let undefined = vec![None; cells];
    let rules = if state.is_some() { &program.rules } else { &program.starts };
    for rule in rules {
        let mut machine = Machine::new(program, &rule.frame, state.unwrap_or(&undefined));
        machine.footprint = Some(Footprint::new(cells));
        machine.instances(&rule.header, &mut |Instance { machine, stop, .. }| {
            found.instances += usize::from(!matches!(stop, Some(Stop::Excluded)));
            if stop.is_none() {
                found.fire(machine, rule);
            }
        });
        found.note(&machine);
    }
    if let Some(state) = state {
        found.properties(program, state);
    }
    found
}

impl Observed {
    fn note(&mut self, machine: &Machine<'_>) {
        let footprint = machine.footprint.as_ref().expect("the cells are noted");
        self.reads.add(&footprint.reads);
    }

    fn fire<'a>(&mut self, bound: &mut Machine<'a>, rule: &'a Rule) {
        bound.renew();
        if rule.guard.as_ref().is_some_and(|guard| !matches!(bound.scalar(guard), Ok(1..))) {
            return;
        }
        let mut machine = bound.copy();
        let performed = machine.perform(&rule.body);
        self.note(&machine);
        let writes = machine.footprint.take().map_or_else(Cells::default, |footprint| footprint.writes);
        if performed.is_ok() {
            let (program, mut state) = (machine.program, machine.memory);
            state.truncate(program.cells());
            multisets::sort(program, &mut state, None);
            let assumed = program.properties.iter().filter(|property| property.kind == PropertyKind::Assume);
            let mut truths = assumed.flat_map(|property| super::evaluate(program, property, &state));
            if truths.all(|truth| truth.holds == Ok(true)) {
                self.steps.push((state, writes));
            }
        }
    }

    fn properties(&mut self, program: &Program, state: &State) {
        for property in &program.properties {
            let mut machine = Machine::new(program, &property.frame, state);
            machine.footprint = Some(Footprint::new(program.cells()));
            machine.instances(&property.header, &mut |Instance { machine, stop, .. }| {
                if stop.is_none() {
                    machine.renew();
                    drop(machine.scalar(&property.condition));
                }
            });
            self.note(&machine);
        }
    }
}
