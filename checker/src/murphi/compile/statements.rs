//! Statements.

use frontend::murphi::interpret::FaultKind;
use frontend::murphi::program::{BinderValues, Binding, Bound, Expr, Place, Slots, Stmt, StmtKind, TypeId, TypeKind};
use frontend::parts::Way;
use frontend::source::Span;

use super::super::code::{self, BASE, Op, RESULT, ZERO};
use super::{Compiler, Known, Notes, Operand};

impl<'p> Compiler<'p> {
    /// Statements in order.
    pub(super) fn statements(&mut self, body: &'p [Stmt]) {
        for stmt in body {
            let next = self.body.next;
            self.statement(stmt);
            self.body.next = next;
        }
    }

    fn statement(&mut self, stmt: &'p Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(place, value) => self.assign(place, value, span),
            StmtKind::Undefine(place) => {
                let to = self.find(place);
                self.undefine(to, place.of);
            }
            StmtKind::Clear(place) => self.clear(place),
            StmtKind::If(branches, otherwise) => {
                let end = self.label();
                for (number, branch) in (0..).zip(branches) {
                    let next = self.label();
                    self.branch(&branch.condition, false, next);
                    self.mark(span, Way::Arm(number));
                    self.statements(&branch.body);
                    if number as usize + 1 < branches.len() || !otherwise.is_empty() {
                        self.emit(Op::Jump { target: end });
                    }
                    self.place(next);
                }
                self.mark(span, Way::Else);
                self.statements(otherwise);
                self.place(end);
            }
            StmtKind::Switch(..) => self.switch(stmt),
            StmtKind::For(binder, body) => match binder.values {
                BinderValues::Type(_) if self.watches(binder) => {
                    let notes = std::mem::replace(&mut self.body.notes, Notes::All);
                    self.body.rounds += 1;
                    self.emit(Op::Begin { frame: self.body.first, is_pure: false });
                    self.each(binder, span, &mut |compiler| compiler.statements(body));
                    self.emit(Op::EndRounds);
                    self.body.rounds -= 1;
                    self.body.notes = notes;
                }
                _ => self.each(binder, span, &mut |compiler| {
                    compiler.mark(span, Way::Round);
                    compiler.statements(body);
                }),
            },
            StmtKind::While(condition, body) => {
                let (again, end) = (self.label(), self.label());
                self.place(again);
                self.branch(condition, false, end);
                let site = self.fixed_site(FaultKind::Endless, span);
                self.emit(Op::Round { site });
                self.mark(span, Way::Round);
                self.statements(body);
                self.emit(Op::Jump { target: again });
                self.place(end);
            }
            StmtKind::Alias(bindings, body) => {
                bindings.iter().for_each(|binding| self.enter(binding));
                self.statements(body);
            }
            StmtKind::Call(id, arguments) => {
                self.call(*id, arguments, span);
                if self.program.procedure(*id).result.is_some() {
                    let site = self.fixed_site(FaultKind::NoResult, span);
                    self.emit(Op::Returned { site });
                }
            }
            StmtKind::Return(value) => self.result(value.as_ref()),
            StmtKind::Error(text) => self.fault(FaultKind::Error(text.clone()), span),
            StmtKind::Assert(condition, text) => {
                self.mark(span, Way::Check);
                let end = self.label();
                self.branch(condition, true, end);
                self.fault(FaultKind::Assertion(text.clone()), span);
                self.place(end);
            }
            StmtKind::Assume(condition) => {
                let end = self.label();
                self.branch(condition, true, end);
                self.emit(Op::Exclude);
                self.place(end);
            }
            StmtKind::Cover(cover, condition) => {
                let end = self.label();
                self.branch(condition, false, end);
                self.emit(Op::Cover { cover: *cover });
                self.place(end);
            }
            StmtKind::Put(value) => match Compiler::place_read(value) {
                Some(place) => drop(self.find(place)),
                None => drop(self.whole_place(value)),
            },
            StmtKind::MultisetAdd(value, multiset) => self.add(value, multiset, span),
            StmtKind::MultisetRemove(slot, multiset) => {
                let from = self.find(multiset);
                let slot = self.register(*slot);
                self.remove(from, multiset.of, slot, span);
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => self.remove_where(slots, condition, span),
        }
    }

    fn assign(&mut self, place: &'p Place, value: &'p Expr, span: Span) {
        let to = self.find(place);
        let count = self.cells(place.of);
        assert_eq!(count, self.cells(value.of), "both sides of an assignment have as many slots");
        if !self.types().is_simple(place.of) {
            let from = self.whole_place(value);
            self.written(to, place.of);
            return self.emit(Op::Copy { to, from, count });
        }
        let value_of = value.of;
        let value = self.value(value);
        self.store(to, value, [value_of, place.of], span);
    }

    /// Writes a simple value, which must be one of the type of the place.
    fn store(&mut self, to: code::Place, value: Operand, [of, needed]: [TypeId; 2], span: Span) {
        match (value, self.bounds(needed)) {
            (Operand::Known(known), _) if self.types().position(needed, known).is_some() => {
                self.written(to, needed);
                self.emit(Op::StoreConstant { to, value: known.into() });
            }
            (Operand::Held(from), Some(bounds)) if self.body.notes == Notes::Off => {
                let site = self.site(code::Reason::OutsideType { of, needed }, span);
                self.emit(Op::StoreWithin { to, from, bounds, site });
            }
            _ => {
                self.within(value, [of, needed], span);
                let from = self.held(value);
                self.written(to, needed);
                self.emit(Op::Store { to, from });
            }
        }
    }

    fn undefine(&mut self, to: code::Place, of: TypeId) {
        self.written(to, of);
        let count = self.cells(of);
        self.emit(Op::Undefine { to, count });
    }

    fn clear(&mut self, place: &'p Place) {
        let to = self.find(place);
        let mut values = Vec::new();
        self.least(place.of, &mut values);
        assert_eq!(values.len(), self.types().cells(place.of), "each slot of a place is cleared");
        self.written(to, place.of);
        let values = self.table(values);
        self.emit(Op::Fill { to, values });
    }

    /// The least values of the parts of a type.
    fn least(&mut self, of: TypeId, values: &mut Vec<i64>) {
        match self.types().kind(of) {
            TypeKind::Array { index, element } => {
                (0..self.types().count(*index)).for_each(|_| self.least(*element, values));
            }
            TypeKind::Record(fields) => fields.iter().for_each(|field| self.least(field.of, values)),
            TypeKind::Multiset { .. } => {
                values.resize(values.len() + self.types().cells(of), code::UNDEFINED);
            }
            _ => {
                values.push(self.types().least(of).into());
            }
        }
    }

    fn switch(&mut self, stmt: &'p Stmt) {
        let StmtKind::Switch(subject, cases, otherwise) = &stmt.kind else { panic!("a switch is needed") };
        let subject = self.value(subject);
        let subject = self.held(subject);
        let end = self.label();
        let bodies: Vec<code::Target> = cases.iter().map(|_| self.label()).collect();
        for (case, &body) in cases.iter().zip(&bodies) {
            for value in &case.values {
                let next = self.body.next;
                match self.value(value) {
                    Operand::Known(value) => self.emit(Op::JumpValue { from: subject, value, on: true, target: body }),
                    Operand::Held(right) => {
                        let op = frontend::murphi::program::BinaryOp::Equal;
                        self.emit(Op::JumpCompare { op, left: subject, right, on: true, target: body });
                    }
                }
                self.body.next = next;
            }
        }
        self.mark(stmt.span, Way::Else);
        self.statements(otherwise);
        for ((number, case), &body) in (0..).zip(cases).zip(&bodies) {
            self.emit(Op::Jump { target: end });
            self.place(body);
            self.mark(stmt.span, Way::Arm(number));
            self.statements(&case.body);
        }
        self.place(end);
    }

    /// Gives a local what it stands for.
    pub(super) fn enter(&mut self, binding: &'p Binding) {
        let next = self.body.next;
        let register = self.register(binding.local);
        match &binding.to {
            Bound::Place(place) => {
                let from = self.find(place);
                if from.register == ZERO || from.register == BASE {
                    self.know(binding.local, Known::Place(from));
                } else {
                    self.body.known[binding.local.index()] = None;
                    self.emit(Op::Address { to: register, from });
                }
            }
            Bound::Value(value) => self.whole(value, register),
        }
        self.body.next = next;
    }

    /// The end of a procedure; a simple result must be one of the type of the function.
    fn result(&mut self, value: Option<&'p Expr>) {
        if let Some(value) = value {
            match self.body.result {
                Some(needed) if self.types().is_simple(value.of) => {
                    let found = self.value(value);
                    self.within(found, [value.of, needed], value.span);
                    let from = self.held(found);
                    self.emit(Op::Move { to: RESULT, from });
                }
                Some(_) => self.whole(value, RESULT),
                None => self.is_refused = true,
            }
        }
        if self.body.rounds > 0 {
            // Another order ends elsewhere.
            self.emit(Op::Break);
        }
        self.emit(Op::Return { has_value: value.is_some() });
    }

    /// Adds an element in the first slot that is not used.
    fn add(&mut self, value: &'p Expr, multiset: &'p Place, span: Span) {
        let count = self.cells(value.of);
        let held = self.temporary(count);
        self.whole(value, held);
        let from = self.find(multiset);
        let (size, capacity) = self.multiset(multiset.of);
        let kind = FaultKind::MultisetFull(self.capacity(multiset.of));
        let (to, site) = (self.temporary(1), self.fixed_site(kind, span));
        self.emit(Op::Take { to, from, size, capacity, site });
        let TypeKind::Multiset { element, .. } = *self.types().kind(multiset.of) else {
            panic!("a multiset is needed");
        };
        if self.types().is_simple(element) {
            self.within(Operand::Held(held), [value.of, element], span);
        }
        let to = code::Place { register: to, distance: 0 };
        self.emit(Op::Copy { to, from: code::Place::of_frame(held), count });
    }

    fn capacity(&self, of: TypeId) -> usize {
        match *self.types().kind(of) {
            TypeKind::Multiset { capacity, .. } => capacity,
            _ => panic!("a multiset is needed"),
        }
    }

    /// Removes the element of the slot whose number a register holds.
    fn remove(&mut self, from: code::Place, of: TypeId, slot: code::Register, span: Span) {
        let (size, _) = self.multiset(of);
        let (to, site) = (self.temporary(1), self.fixed_site(FaultKind::UnusedSlot, span));
        let unused = Op::Slot { to, from, slot, size, site };
        self.emit(unused);
        // The first of its slots says that it is used.
        self.emit(Op::Add { to, from: to, value: -1, site });
        self.emit(Op::Undefine { to: code::Place { register: to, distance: 0 }, count: size });
    }

    fn remove_where(&mut self, slots: &'p Slots, condition: &'p Expr, span: Span) {
        let from = self.find(&slots.multiset);
        let found = self.temporary(1);
        self.emit(Op::Address { to: found, from });
        let from = code::Place { register: found, distance: 0 };
        let slot = self.register(slots.slot);
        self.used(slots, span, &mut |compiler| {
            let end = compiler.label();
            compiler.branch(condition, false, end);
            compiler.remove(from, slots.multiset.of, slot, span);
            compiler.place(end);
        });
    }
}
