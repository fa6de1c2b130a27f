//! Places: what is fixed of them is added up, the rest is computed into a register.

use frontend::murphi::interpret::FaultKind;
use frontend::murphi::program::{self, Base, Expr, ExprKind, LocalKind, Step, TypeId, TypeKind};

use super::super::code::{Op, Place, Reason, ZERO};
use super::{Compiler, Known, Notes, Operand, narrow};

impl<'p> Compiler<'p> {
    /// Code that finds a place.
    pub(super) fn find(&mut self, place: &'p program::Place) -> Place {
        let (mut at, mut of) = match place.base {
            Base::Variable(id) => {
                let variable = self.program.variable(id);
                (Place::of_state(narrow(variable.offset)), variable.of)
            }
            Base::Local(id) => (self.local(id), self.body.frame.local(id).of),
        };
        for step in &place.steps {
            match (step, self.types().kind(of)) {
                (Step::Field(field), TypeKind::Record(fields)) => {
                    at.distance += narrow(fields[*field].offset);
                    of = fields[*field].of;
                }
                (Step::Index(index), &TypeKind::Array { index: needed, element }) => {
                    at = self.element(at, index, needed, element);
                    of = element;
                }
                (Step::Slot(slot), &TypeKind::Multiset { element, .. }) => {
                    let (slot, size) = (self.register(*slot), self.cells(element) + 1);
                    let site = self.fixed_site(FaultKind::UnusedSlot, place.span);
                    let to = self.temporary(1);
                    self.emit(Op::Slot { to, from: at, slot, size, site });
                    at = Place { register: to, distance: 0 };
                    of = element;
                }
                _ => panic!("a step that does not fit its type"),
            }
        }
        let end = at.distance + self.cells(of);
        let slots = narrow(self.program.cells());
        assert!(at.register != ZERO || end <= slots, "a place that is fixed in the state is a part of it");
        at
    }

    /// The place of a local, or of what it stands for.
    fn local(&mut self, id: program::LocalId) -> Place {
        let register = self.register(id);
        match self.known(id) {
            Some(Known::Place(place)) => place,
            Some(Known::Value(value)) => {
                // Only its value was needed so far.
                self.emit(Op::Constant { to: register, value: value.into() });
                Place::of_frame(register)
            }
            _ if self.body.frame.local(id).kind.is_reference() => Place { register, distance: 0 },
            _ => Place::of_frame(register),
        }
    }

    /// The element of the array at a place at an index.
    fn element(&mut self, from: Place, index: &'p Expr, needed: TypeId, element: TypeId) -> Place {
        let stride = self.cells(element);
        let reason = Reason::IndexOutside { of: index.of, needed };
        let value = self.value(index);
        if let Operand::Known(value) = value
            && let Some(position) = self.types().position(needed, value)
        {
            return Place { distance: from.distance + narrow(position) * stride, ..from };
        }
        let index_register = self.held(value);
        let site = self.site(reason, index.span);
        let to = self.temporary(1);
        let op = match (self.bounds(needed), u16::try_from(stride)) {
            (Some(bounds), Ok(stride)) => Op::Index { to, from, index: index_register, bounds, stride, site },
            _ => {
                let values = self.parts(needed);
                Op::Lookup { to, from, index: index_register, values, stride, site }
            }
        };
        self.emit(op);
        Place { register: to, distance: 0 }
    }

    /// Whether a place is one slot of the state whatever the state.
    pub(super) fn is_fixed_in_state(&self, place: &program::Place) -> bool {
        let (is_state, mut of) = match place.base {
            Base::Variable(id) => (true, self.program.variable(id).of),
            Base::Local(id) => {
                let is_state = matches!(self.known(id), Some(Known::Place(at)) if at.register == ZERO);
                (is_state, self.body.frame.local(id).of)
            }
        };
        is_state
            && place.steps.iter().all(|step| match (step, self.types().kind(of)) {
                (Step::Field(field), TypeKind::Record(fields)) => {
                    of = fields[*field].of;
                    true
                }
                (Step::Index(at), &TypeKind::Array { index, element }) => {
                    of = element;
                    self.constant(at).is_some_and(|value| self.types().position(index, value).is_some())
                }
                _ => false,
            })
    }

    /// Notes that a place is read, if reads are noted. Values of a frame are never written.
    pub(super) fn read(&mut self, place: &program::Place, from: Place) {
        let is_value = |kind: LocalKind| kind.is_value() || matches!(kind, LocalKind::Slot | LocalKind::Fixed);
        let is_value = matches!(place.base, Base::Local(id) if is_value(self.body.frame.local(id).kind));
        if self.body.notes == Notes::All && !is_value {
            let count = self.cells(place.of);
            self.emit(Op::NoteRead { from, count });
        }
    }

    /// Notes that a place is written, if writes are noted.
    pub(super) fn written(&mut self, to: Place, of: TypeId) {
        if self.body.notes >= Notes::Writes && !self.wrong.forgets_writes() {
            let count = self.cells(of);
            self.emit(Op::NoteWrite { to, count });
        }
    }

    /// The place of a variable or part that an expression reads, if it reads one.
    pub(super) fn place_read(expr: &'p Expr) -> Option<&'p program::Place> {
        match &expr.kind {
            ExprKind::Read(place) => Some(place),
            _ => None,
        }
    }
}
