//! The effects of statements.

use super::machine::Machine;
use super::{Cell, Fault, FaultKind, Stop};
use crate::murphi::program::{Binding, Bound, Expr, ExprKind, Place, Slots, Stmt, StmtKind, TypeKind};
use crate::parts::Way;
use crate::source::Span;

/// The ends of statements.
pub(super) enum Flow {
    /// The next statement follows.
    Next,
    /// The procedure or rule ends, a function with its result.
    Return(Option<Vec<Cell>>),
}

impl<'a> Machine<'a> {
    /// Performs statements in order.
    pub(super) fn perform(&mut self, body: &'a [Stmt]) -> Result<Flow, Stop> {
        for stmt in body {
            limits::work(1);
            if let Flow::Return(result) = self.statement(stmt)? {
                return Ok(Flow::Return(result));
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Result<Flow, Stop> {
        let fault = |kind: FaultKind| Stop::from(Fault { kind, span: stmt.span });
        match &stmt.kind {
            StmtKind::Assign(place, value) => self.assign(place, value, stmt.span)?,
            StmtKind::Undefine(place) => {
                let at = self.find(place)?;
                self.undefine(at, place.of);
            }
            StmtKind::Clear(place) => {
                let at = self.find(place)?;
                self.clear(at, place.of);
            }
            StmtKind::If(branches, otherwise) => {
                for (number, branch) in (0..).zip(branches) {
                    if self.scalar(&branch.condition)? != 0 {
                        self.mark(stmt.span, Way::Arm(number));
                        return self.perform(&branch.body);
                    }
                }
                self.mark(stmt.span, Way::Else);
                return self.perform(otherwise);
            }
            StmtKind::Switch(..) => return self.switch(stmt),
            StmtKind::For(binder, body) if self.watches(binder) => return self.rounds(binder, body, stmt.span),
            StmtKind::For(binder, body) => {
                let ended = self.each(binder, stmt.span, &mut |machine| {
                    machine.mark(stmt.span, Way::Round);
                    match machine.perform(body)? {
                        Flow::Return(result) => Ok(Some(result)),
                        Flow::Next => Ok(None),
                    }
                })?;
                return Ok(ended.map_or(Flow::Next, Flow::Return));
            }
            StmtKind::While(condition, body) => {
                while self.scalar(condition)? != 0 {
                    self.round(stmt.span)?;
                    self.mark(stmt.span, Way::Round);
                    if let Flow::Return(result) = self.perform(body)? {
                        return Ok(Flow::Return(result));
                    }
                }
            }
            StmtKind::Alias(bindings, body) => {
                for binding in bindings {
                    self.enter(binding)?;
                }
                return self.perform(body);
            }
            StmtKind::Call(id, arguments) => {
                let result = self.call(*id, arguments, stmt.span)?;
                if self.program.procedure(*id).result.is_some() && result.is_none() {
                    return Err(fault(FaultKind::NoResult));
                }
            }
            StmtKind::Return(value) => return self.result(value.as_ref()),
            StmtKind::Error(text) => return Err(fault(FaultKind::Error(text.clone()))),
            StmtKind::Assert(condition, text) => {
                self.mark(stmt.span, Way::Check);
                if self.scalar(condition)? == 0 {
                    return Err(fault(FaultKind::Assertion(text.clone())));
                }
            }
            StmtKind::Assume(condition) => {
                if self.scalar(condition)? == 0 {
                    return Err(Stop::Excluded);
                }
            }
            StmtKind::Cover(id, condition) => {
                if self.scalar(condition)? != 0 {
                    if let Some(independence) = &mut self.independence {
                        independence.cover();
                    }
                    if !self.covers.contains(id) {
                        self.covers.push(*id);
                    }
                }
            }
            StmtKind::Put(value) => match &value.kind {
                ExprKind::Read(place) => drop(self.find(place)?),
                _ => drop(self.whole(value)?),
            },
            StmtKind::MultisetAdd(value, multiset) => self.add(value, multiset, stmt.span)?,
            StmtKind::MultisetRemove(slot, multiset) => {
                let at = self.find(multiset)?;
                let TypeKind::Multiset { element, .. } = *self.program.types.kind(multiset.of) else {
                    panic!("a multiset is needed");
                };
                let first = self.slot(at, element, *slot, stmt.span)?;
                self.writes(at, 1);
                self.memory[first - 1] = None;
                self.undefine(first, element);
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => self.remove_where(slots, condition, stmt.span)?,
        }
        Ok(Flow::Next)
    }

    fn assign(&mut self, place: &'a Place, value: &'a Expr, span: Span) -> Result<(), Stop> {
        let at = self.find(place)?;
        if self.program.types.is_simple(place.of) {
            let found = self.scalar(value)?;
            return self.store(at, place.of, found, value.of, span);
        }
        let cells = self.whole(value)?;
        debug_assert_eq!(cells.len(), self.cells_of(place.of), "a value has the cells of its place");
        self.writes(at, cells.len());
        self.memory[at..at + cells.len()].copy_from_slice(&cells);
        Ok(())
    }

    fn switch(&mut self, stmt: &'a Stmt) -> Result<Flow, Stop> {
        let StmtKind::Switch(subject, cases, otherwise) = &stmt.kind else { panic!("a switch is needed") };
        let subject = self.scalar(subject)?;
        for (number, case) in (0..).zip(cases) {
            for value in &case.values {
                if self.scalar(value)? == subject {
                    self.mark(stmt.span, Way::Arm(number));
                    return self.perform(&case.body);
                }
            }
        }
        self.mark(stmt.span, Way::Else);
        self.perform(otherwise)
    }

    /// Gives a local what it stands for.
    pub(super) fn enter(&mut self, binding: &'a Binding) -> Result<(), Stop> {
        match &binding.to {
            Bound::Place(place) => {
                let at = self.find(place)?;
                self.addresses[binding.local.index()] = at;
            }
            Bound::Value(value) => {
                let cells = self.whole(value)?;
                let at = self.address(binding.local);
                debug_assert_eq!(
                    cells.len(),
                    self.cells_of(self.frame.local(binding.local).of),
                    "an alias has the cells of its value"
                );
                self.memory[at..at + cells.len()].copy_from_slice(&cells);
            }
        }
        Ok(())
    }

    /// The end of a procedure; a simple result must be one of the type of the function.
    fn result(&mut self, value: Option<&'a Expr>) -> Result<Flow, Stop> {
        let Some(value) = value else { return Ok(Flow::Return(None)) };
        if !self.program.types.is_simple(value.of) {
            return Ok(Flow::Return(Some(self.whole(value)?)));
        }
        let found = self.scalar(value)?;
        if let Some(needed) = self.result
            && self.program.types.position(needed, found).is_none()
        {
            let kind = FaultKind::OutsideType { value: found, of: value.of, needed };
            return Err(Fault { kind, span: value.span }.into());
        }
        Ok(Flow::Return(Some(vec![Some(found)])))
    }

    /// Adds an element in the first slot that is not used.
    fn add(&mut self, value: &'a Expr, multiset: &'a Place, span: Span) -> Result<(), Stop> {
        let cells = self.whole(value)?;
        let at = self.find(multiset)?;
        let TypeKind::Multiset { capacity, element } = *self.program.types.kind(multiset.of) else {
            panic!("a multiset is needed");
        };
        let size = self.cells_of(element) + 1;
        debug_assert_eq!(cells.len() + 1, size, "an element has the cells of its slot");
        self.adds(at);
        let free = (0..capacity).map(|slot| at + slot * size).find(|&first| self.memory[first].is_none());
        let first = free.ok_or(Fault { kind: FaultKind::MultisetFull(capacity), span })?;
        self.memory[first] = Some(1);
        match cells[..] {
            [Some(found)] if self.program.types.is_simple(element) => {
                self.store(first + 1, element, found, value.of, span)?;
            }
            _ => self.memory[first + 1..first + size].copy_from_slice(&cells),
        }
        Ok(())
    }

    fn remove_where(&mut self, slots: &'a Slots, condition: &'a Expr, span: Span) -> Result<(), Stop> {
        let at = self.find(&slots.multiset)?;
        let TypeKind::Multiset { element, .. } = *self.program.types.kind(slots.multiset.of) else {
            panic!("a multiset is needed");
        };
        for number in self.used(slots)? {
            self.round(span)?;
            self.bind(slots.slot, number);
            if self.scalar(condition)? != 0 {
                let first = self.slot(at, element, slots.slot, span)?;
                self.writes(at, 1);
                self.memory[first - 1] = None;
                self.undefine(first, element);
            }
        }
        Ok(())
    }
}
