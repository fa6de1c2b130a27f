//! The receivers of the messages of a round, and the conditions that hold in one round at most: both depend on the known rebecs of the
//! current rebec.

use frontend::model::{Base, BinaryOp, Dimension, Expr, ExprKind, Place, RebecId, Role, Sort, UnaryOp, VariableId};

use super::Round;
use crate::topology::known;
use crate::validate::access::{Guard, Holder, Receiver, Subject};

impl<'m> Round<'m> {
    /// The rotation of the round's value by a constant that an expression denotes.
    pub(super) fn offset(&self, index: &Expr) -> Option<u32> {
        match &index.kind {
            ExprKind::Read(Place { base: Base::Local(id), .. }) if *id == self.task.local => Some(0),
            ExprKind::Rotate(inner, by) if inner.sort == Sort::Scalar(self.task.set) => {
                let by = match &by.kind {
                    ExprKind::Int(by) => i64::from(*by),
                    ExprKind::Unary(UnaryOp::Negate, by) => match by.kind {
                        ExprKind::Int(by) => -i64::from(by),
                        _ => return None,
                    },
                    _ => return None,
                };
                let sum = (i64::from(self.offset(inner)?) + by).rem_euclid(i64::from(self.size));
                u32::try_from(sum).ok()
            }
            _ => None,
        }
    }

    pub(super) fn receiver(&self, receiver: &Expr) -> Receiver {
        match &receiver.kind {
            ExprKind::SelfRef => Receiver::Fixed(Some(self.task.rebec)),
            ExprKind::Read(Place { base: Base::Variable(id), indices, .. }) => match (self.group(*id), &indices[..]) {
                (Some(list), []) => Receiver::Fixed(list[0]),
                (Some(list), [index]) if self.ring(*id) => match self.offset(index) {
                    Some(offset) => {
                        let mut list = list.to_vec();
                        debug_assert_eq!(list.len(), self.size as usize, "a receiver for each round");
                        list.rotate_left(offset as usize);
                        Receiver::Rounds(list)
                    }
                    None => Receiver::Unknown,
                },
                _ => Receiver::Unknown,
            },
            _ => Receiver::Unknown,
        }
    }

    /// The elements of a known-rebec variable.
    fn group(&self, id: VariableId) -> Option<&'m [Option<RebecId>]> {
        let wanted = &self.class.variables[id.index()];
        let mut all = known(self.task.model, self.task.rebec);
        all.find(|(variable, _)| variable.role == Role::Known && variable.offset == wanted.offset).map(|(_, list)| list)
    }

    /// Whether a variable is grouped by the set of the loop and no other.
    fn ring(&self, id: VariableId) -> bool {
        self.class.variables[id.index()].dimensions == [Dimension::Scalar(self.task.set)]
    }

    /// Runs the statements under a condition.
    pub(super) fn guarded(&mut self, condition: &Expr, holds: bool, run: impl FnOnce(&mut Self)) {
        let before = self.guards.len();
        self.enter(condition, holds);
        run(self);
        self.guards.truncate(before);
    }

    /// Adds the guards that a condition with the given value implies.
    pub(super) fn enter(&mut self, condition: &Expr, holds: bool) {
        match &condition.kind {
            ExprKind::And(operands) if holds => operands.iter().for_each(|operand| self.enter(operand, true)),
            ExprKind::Or(operands) if !holds => operands.iter().for_each(|operand| self.enter(operand, false)),
            ExprKind::Unary(UnaryOp::Not, operand) => self.enter(operand, !holds),
            ExprKind::Binary(op, one, other) if *op == if holds { BinaryOp::Equal } else { BinaryOp::NotEqual } => {
                let found = self.guard(one, other).or_else(|| self.guard(other, one));
                if let Some(guard) = found {
                    let place = self.known_guards.iter().position(|known| *known == guard);
                    let place = place.unwrap_or_else(|| {
                        self.known_guards.push(guard);
                        self.known_guards.len() - 1
                    });
                    self.guards.push(place);
                }
            }
            _ => {}
        }
    }

    /// The guard `subject == element`.
    fn guard(&self, subject: &Expr, element: &Expr) -> Option<Guard> {
        let subject = match &subject.kind {
            ExprKind::Sender => Subject::Sender,
            ExprKind::SelfRef => Subject::SelfRef,
            ExprKind::Read(Place { base, indices, .. }) if indices.is_empty() => match base {
                Base::Local(id) if self.private[id.index()] || *id == self.task.local => return None,
                Base::Local(id) => Subject::Holder(Holder::Local(*id)),
                Base::Variable(id) => Subject::Holder(Holder::Variable(*id)),
                Base::Remote(..) => return None,
            },
            _ => return None,
        };
        if let Some(offset) = self.offset(element) {
            return Some(Guard { subject, group: None, offset });
        }
        let ExprKind::Read(Place { base: Base::Variable(id), indices, .. }) = &element.kind else { return None };
        let [index] = &indices[..] else { return None };
        let offset = self.offset(index)?;
        let mut members = self.group(*id).filter(|_| self.ring(*id))?.to_vec();
        members.sort_unstable();
        let distinct = members.windows(2).all(|pair| pair[0] != pair[1]);
        distinct.then_some(Guard { subject, group: Some(*id), offset })
    }
}
