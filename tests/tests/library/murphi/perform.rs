//! Statements on the tree of a model.

use frontend::murphi::syntax::ast::{Expr, PropertyKind, Stmt, StmtKind};

use super::machine::{Checked, Machine, Place, Stop, Wrong};
use super::value::{Type, Value};

/// Something if the body is left, with the result of a function.
type Left = Option<Option<Value>>;

impl<'t> Machine<'t> {
    /// Performs statements in order.
    pub(super) fn perform(&mut self, list: &'t [Stmt]) -> Checked<Left> {
        for stmt in list {
            let left = self.statement(stmt)?;
            if left.is_some() {
                return Ok(left);
            }
        }
        Ok(None)
    }

    fn statement(&mut self, stmt: &'t Stmt) -> Checked<Left> {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let place = self.place(place)?;
                let (value, _) = self.whole(value)?;
                self.assign(&place, value)?;
            }
            StmtKind::Undefine(place) => {
                let place = self.place(place)?;
                *self.at(&place) = place.of.filled(false);
            }
            StmtKind::Clear(place) => {
                let place = self.place(place)?;
                *self.at(&place) = place.of.filled(true);
            }
            StmtKind::If(branches, otherwise) => {
                for branch in branches {
                    if self.truth(&branch.condition)? {
                        return self.perform(&branch.body);
                    }
                }
                return self.perform(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let subject = self.simple(subject)?;
                for case in cases {
                    for value in &case.values {
                        if self.simple(value)? == subject {
                            return self.perform(&case.body);
                        }
                    }
                }
                return self.perform(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::For(binders, body) => return self.each(binders, &mut |machine| machine.perform(body)),
            StmtKind::While(condition, body) => {
                while self.truth(condition)? {
                    self.round()?;
                    let left = self.perform(body)?;
                    if left.is_some() {
                        return Ok(left);
                    }
                }
            }
            StmtKind::Alias(aliases, body) => {
                let mark = self.mark();
                for alias in aliases {
                    self.alias(alias)?;
                }
                let left = self.perform(body)?;
                self.leave(mark);
                return Ok(left);
            }
            StmtKind::Call(name, arguments) => drop(self.call(&name.text, arguments)?),
            StmtKind::Return(None) => return Ok(Some(None)),
            StmtKind::Return(Some(value)) => {
                let (value, _) = self.whole(value)?;
                return if value == Value::Undefined { Err(Stop::Error) } else { Ok(Some(Some(value))) };
            }
            StmtKind::Error(_) => return Err(Stop::Error),
            StmtKind::Property(property) => {
                let holds = self.truth(&property.condition)?;
                match property.kind {
                    PropertyKind::Cover if holds => {
                        self.covers.insert(property.name.as_ref().map_or("", |name| &name.text));
                    }
                    PropertyKind::Assert | PropertyKind::Invariant if !holds => return Err(Stop::Assertion),
                    PropertyKind::Assume if !holds && !self.is(Wrong::IgnoresAssumptions) => {
                        return Err(Stop::Excluded);
                    }
                    _ => {}
                }
            }
            StmtKind::PutText(_) => {}
            StmtKind::Put(value) => drop(self.whole(value)?),
            StmtKind::MultisetAdd(value, multiset) => {
                let (value, _) = self.whole(value)?;
                let multiset = self.place(multiset)?;
                self.add(value, &multiset)?;
            }
            StmtKind::MultisetRemove(slot, multiset) => {
                let multiset = self.place(multiset)?;
                let slot = self.slot(&multiset, slot)?;
                self.remove(&multiset, slot);
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                self.slots(slots, &mut |machine, multiset, slot| {
                    machine.round()?;
                    if machine.truth(condition)? {
                        machine.is_used(multiset, slot)?;
                        machine.remove(multiset, slot);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(None)
    }

    fn assign(&mut self, place: &Place, value: Value) -> Checked<()> {
        match value {
            Value::Undefined if !self.is(Wrong::TakesUndefined) => return Err(Stop::Error),
            Value::Simple(simple) if !place.of.holds(simple) && !self.is(Wrong::IgnoresRanges) => {
                return Err(Stop::Error);
            }
            _ => {}
        }
        *self.at(place) = value;
        Ok(())
    }

    /// Puts an element into the first slot that is not used.
    fn add(&mut self, value: Value, multiset: &Place) -> Checked<()> {
        let Type::Multiset(capacity, element) = &*multiset.of else { panic!("a multiset") };
        if matches!(value, Value::Simple(simple) if !element.holds(simple)) {
            return Err(Stop::Error);
        }
        let Value::Slots(slots) = self.at(multiset) else { panic!("a multiset") };
        if let Some(free) = slots.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(value);
        } else if slots.len() < *capacity {
            slots.push(Some(value));
        } else {
            return Err(Stop::Error);
        }
        Ok(())
    }

    fn is_used(&mut self, multiset: &Place, slot: usize) -> Checked<()> {
        if self.used(multiset).contains(&slot) { Ok(()) } else { Err(Stop::Error) }
    }

    fn remove(&mut self, multiset: &Place, slot: usize) {
        let Value::Slots(slots) = self.at(multiset) else { panic!("a multiset") };
        slots[slot] = None;
    }

    /// The truth of a condition that may be missing.
    pub(super) fn is_met(&mut self, guard: Option<&'t Expr>) -> Checked<bool> {
        guard.map_or(Ok(true), |guard| self.truth(guard))
    }
}
