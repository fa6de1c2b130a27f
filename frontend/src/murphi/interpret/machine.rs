//! The memory of a step, and the places in it.
//!
//! Memory is one list of cells: the state, then the frames of the calls in progress, the current one last. A place is the
//! number of its first cell, so that references need no other form.

use super::footprint::Footprint;
use super::independence::Independence;
use super::{Cell, Fault, FaultKind, Stop};
use crate::murphi::program::{
    Base, Binder, BinderValues, CoverId, Frame, LocalId, Place, Program, Slots, Step, TypeId, TypeKind,
};
use crate::murphi::{MAX_OPEN, MAX_ROUNDS};
use crate::parts::{Mark, Way};
use crate::source::Span;

/// The evaluation of a rule, property or procedure in progress.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) memory: Vec<Cell>,
    /// The locals of the current frame.
    pub(super) frame: &'a Frame,
    /// The first cell of each local.
    pub(super) addresses: Vec<usize>,
    /// The rounds of loops that are still allowed.
    rounds: u32,
    /// The levels of bodies that calls may still open.
    pub(super) levels: usize,
    /// The type of the result of the current function.
    pub(super) result: Option<TypeId>,
    /// Notes whether the order of values shows, if that is wanted.
    pub(super) independence: Option<Independence<'a>>,
    /// Notes the cells that are accessed, if that is wanted.
    pub(super) footprint: Option<Footprint>,
    /// The covers that were met.
    pub(super) covers: Vec<CoverId>,
    /// The ways that control took, each once.
    pub(super) marks: Vec<Mark>,
}

impl<'a> Machine<'a> {
    /// A machine in a state, with all locals undefined.
    pub(super) fn new(program: &'a Program, frame: &'a Frame, state: &[Cell]) -> Machine<'a> {
        assert_eq!(state.len(), program.cells(), "a state of the program");
        let mut memory = state.to_vec();
        debug_assert!(frame.locals.iter().all(|local| local.offset <= frame.cells), "locals lie in their frame");
        limits::reserve(size_of::<Cell>() as u64 * (memory.len() + frame.cells) as u64);
        memory.resize(memory.len() + frame.cells, None);
        let addresses = frame.locals.iter().map(|local| state.len() + local.offset).collect();
        Machine {
            program,
            memory,
            frame,
            addresses,
            rounds: MAX_ROUNDS,
            levels: MAX_OPEN,
            result: None,
            independence: None,
            footprint: None,
            covers: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Notes a way that control takes.
    pub(super) fn mark(&mut self, span: Span, way: Way) {
        Mark::note(&mut self.marks, span, way);
    }

    /// The same machine at the start of another evaluation.
    pub(super) fn copy(&self) -> Machine<'a> {
        limits::reserve(size_of::<Cell>() as u64 * self.memory.len() as u64);
        Machine {
            memory: self.memory.clone(),
            addresses: self.addresses.clone(),
            rounds: MAX_ROUNDS,
            covers: Vec::new(),
            marks: Vec::new(),
            independence: self.independence.as_ref().map(Independence::again),
            footprint: self.footprint.as_ref().map(Footprint::again),
            ..*self
        }
    }

    /// Notes that cells are read.
    pub(super) fn reads(&mut self, at: usize, count: usize) {
        if let Some(independence) = &mut self.independence {
            independence.read(at..at + count);
        }
        if let Some(footprint) = &mut self.footprint {
            footprint.read(at..at + count);
        }
    }

    /// Notes that cells are written.
    pub(super) fn writes(&mut self, at: usize, count: usize) {
        if let Some(independence) = &mut self.independence {
            independence.write(at..at + count);
        }
        if let Some(footprint) = &mut self.footprint {
            footprint.write(at..at + count);
        }
    }

    /// Notes that an element is added to the multiset at an address.
    pub(super) fn adds(&mut self, at: usize) {
        if let Some(independence) = &mut self.independence {
            independence.add(at);
        }
    }

    /// Whether the order of the values of a binder is watched.
    pub(super) fn watches(&self, binder: &Binder) -> bool {
        let is_typed = matches!(binder.values, BinderValues::Type(_));
        let name = self.frame.local(binder.local).span;
        is_typed && self.independence.as_ref().is_some_and(|independence| independence.is_over(name))
    }

    /// Begins another evaluation: the rounds of the last one do not count.
    pub(super) fn renew(&mut self) {
        self.rounds = MAX_ROUNDS;
    }

    pub(super) fn cells_of(&self, of: TypeId) -> usize {
        self.program.types.cells(of)
    }

    pub(super) fn address(&self, local: LocalId) -> usize {
        self.addresses[local.index()]
    }

    /// Counts a round of a loop.
    pub(super) fn round(&mut self, span: Span) -> Result<(), Stop> {
        limits::work(1);
        self.rounds = self.rounds.checked_sub(1).ok_or(Fault { kind: FaultKind::Endless, span })?;
        Ok(())
    }

    /// The first cell of a place.
    pub(super) fn find(&mut self, place: &'a Place) -> Result<usize, Stop> {
        let (mut at, mut of) = match place.base {
            Base::Variable(id) => (self.program.variable(id).offset, self.program.variable(id).of),
            Base::Local(id) => (self.address(id), self.frame.local(id).of),
        };
        for step in &place.steps {
            match (step, self.program.types.kind(of)) {
                (Step::Field(field), TypeKind::Record(fields)) => {
                    at += fields[*field].offset;
                    of = fields[*field].of;
                }
                (Step::Index(index), TypeKind::Array { index: needed, element }) => {
                    let value = self.scalar(index)?;
                    let Some(position) = self.program.types.position(*needed, value) else {
                        let kind = FaultKind::IndexOutside { value, of: index.of, needed: *needed };
                        return Err(Fault { kind, span: index.span }.into());
                    };
                    at += position * self.cells_of(*element);
                    of = *element;
                }
                (Step::Slot(slot), TypeKind::Multiset { element, .. }) => {
                    self.reads(at, 1);
                    at = self.slot(at, *element, *slot, place.span)?;
                    of = *element;
                }
                _ => panic!("a step that does not fit its type"),
            }
        }
        debug_assert!(at + self.cells_of(of) <= self.memory.len(), "a place lies in the memory");
        Ok(at)
    }

    /// The first cell of the element in a slot of the multiset at an address.
    pub(super) fn slot(&self, at: usize, element: TypeId, slot: LocalId, span: Span) -> Result<usize, Stop> {
        let number = self.memory[self.address(slot)].expect("the slot is bound");
        let number = usize::try_from(number).expect("slots are counted from 0");
        let first = at + number * (self.cells_of(element) + 1);
        debug_assert!(first + self.cells_of(element) < self.memory.len(), "a slot lies in the memory");
        match self.memory[first] {
            Some(_) => Ok(first + 1),
            None => Err(Fault { kind: FaultKind::UnusedSlot, span }.into()),
        }
    }

    /// The numbers of the used slots of a multiset.
    pub(super) fn used(&mut self, slots: &'a Slots) -> Result<Vec<i32>, Stop> {
        let at = self.find(&slots.multiset)?;
        let TypeKind::Multiset { capacity, element } = *self.program.types.kind(slots.multiset.of) else {
            panic!("a multiset is needed");
        };
        let size = self.cells_of(element) + 1;
        self.reads(at, 1);
        let used = (0i32..).zip(0..capacity).filter(|&(_, slot)| self.memory[at + slot * size].is_some());
        Ok(used.map(|(number, _)| number).collect())
    }

    /// Gives a local its only cell.
    pub(super) fn bind(&mut self, local: LocalId, value: i32) {
        let at = self.address(local);
        debug_assert!(at >= self.program.cells(), "no value of a loop is a part of the state");
        self.memory[at] = Some(value);
    }

    /// Writes a simple value, which must be one of the type of the place.
    pub(super) fn store(&mut self, at: usize, needed: TypeId, value: i32, of: TypeId, span: Span) -> Result<(), Stop> {
        if self.program.types.position(needed, value).is_none() {
            return Err(Fault { kind: FaultKind::OutsideType { value, of, needed }, span }.into());
        }
        self.writes(at, 1);
        self.memory[at] = Some(value);
        Ok(())
    }

    /// The cells of a place.
    pub(super) fn cells(&self, at: usize, of: TypeId) -> &[Cell] {
        &self.memory[at..at + self.cells_of(of)]
    }

    /// Makes a place undefined.
    pub(super) fn undefine(&mut self, at: usize, of: TypeId) {
        let end = at + self.cells_of(of);
        self.writes(at, end - at);
        self.memory[at..end].fill(None);
    }

    /// Gives a place the least values.
    pub(super) fn clear(&mut self, at: usize, of: TypeId) {
        let program = self.program;
        match program.types.kind(of) {
            TypeKind::Array { element, .. } => {
                let size = self.cells_of(*element).max(1);
                for at in (at..at + self.cells_of(of)).step_by(size) {
                    self.clear(at, *element);
                }
            }
            TypeKind::Record(fields) => {
                for field in fields {
                    self.clear(at + field.offset, field.of);
                }
            }
            TypeKind::Multiset { .. } => self.undefine(at, of),
            _ => {
                self.writes(at, 1);
                self.memory[at] = Some(program.types.least(of));
            }
        }
    }
}
