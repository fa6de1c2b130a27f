//! Rendezvous: one summand for each pair of a sender and a receiver of different processes.

use super::Lowering;
use super::expressions::may_fault;
use super::steps::{Message, Step, assign, read};
use crate::diagnostics::codes;
use crate::dve::MAX_COMBINATIONS;
use crate::sequential::from_actors::build::{binary, int};
use crate::sequential::{BinaryOp, Expr, Sequential, SortId, Stmt, StmtKind, Variable, VariableId};
use crate::source::Span;

impl Lowering<'_> {
    /// Adds the summands of a sender; `pairs` counts those of all senders.
    pub(super) fn rendezvous(&mut self, sender: &Step<'_>, receivers: &[&Step<'_>], pairs: &mut usize) {
        let Some(sent) = &sender.sync else { return };
        let is_other = |receiver: &&&Step<'_>| receiver.process != sender.process || self.wrong.meets_itself();
        for receiver in receivers.iter().filter(is_other).collect::<Vec<_>>() {
            // Where some process is committed, both must be.
            if sender.is_committed != receiver.is_committed {
                continue;
            }
            *pairs += 1;
            if *pairs > MAX_COMBINATIONS {
                if *pairs == MAX_COMBINATIONS + 1 {
                    self.too_large(sent.span, &format!("there are more than {MAX_COMBINATIONS} pairs of transitions"));
                }
                return;
            }
            self.pair(sender, receiver);
        }
    }

    fn pair(&mut self, sender: &Step<'_>, receiver: &Step<'_>) {
        let (Some(sent), Some(received)) = (&sender.sync, &receiver.sync) else { return };
        assert_eq!(sent.channel, received.channel, "sender and receiver meet at one channel");
        let counts = (sent.values.len(), received.places.len());
        if counts.0 != counts.1 && counts.0 != 0 && counts.1 != 0 {
            let message = format!("{} values are received, and {} are sent", counts.1, counts.0);
            self.error(codes::DVE_MESSAGE, received.span, message, "receive as many values as are sent");
            return;
        }
        let mut guards = vec![sender.enabled[0].clone(), receiver.enabled[0].clone()];
        guards.extend(self.uncommitted(sender, &[sender.process, receiver.process]));
        let (asked, then) = if self.wrong.receiver_asked_first() { (receiver, sender) } else { (sender, receiver) };
        guards.extend(asked.enabled[1..].iter().chain(&then.enabled[1..]).cloned());
        let mut body = self.transfer(sent, received);
        let (first, second) = if self.wrong.sender_first() { (sender, receiver) } else { (receiver, sender) };
        body.extend(first.changes.iter().chain(&second.changes).cloned());
        let channel = &self.channels[sent.channel].name;
        let label = format!("{}, {channel}!, {}", self.words(sender), self.words(receiver));
        self.summand("sync", guards, body, label, sender.tree.span);
    }

    /// The assignments of what is sent to the variables of the receiver. All values are those of the state before, and
    /// within the types of the channel, those that the receiver does not take as well.
    fn transfer(&mut self, sent: &Message, received: &Message) -> Vec<Stmt> {
        let parts = self.channels[sent.channel].parts.clone();
        let is_one = received.places.len() == 1;
        let (mut body, mut moved) = (Vec::new(), Vec::new());
        for (number, (value, place)) in sent.values.iter().zip(&received.places).enumerate() {
            let sort = parts.as_ref().map_or_else(|| self.model.variable(place.variable).sort, |parts| parts[number]);
            let value = if is_one && (parts.is_none() || self.fits(value, sort)) {
                value.clone()
            } else {
                let local = self.local(format!("message.{number}"), sort, Vec::new());
                body.push(Stmt { kind: StmtKind::Var(local, value.clone()), span: sent.span });
                read(local, Vec::new(), sent.span)
            };
            moved.push(assign(place.clone(), value, received.span));
        }
        body.extend(moved);
        let is_taken = !received.places.is_empty() || self.wrong.drops_values();
        for (number, value) in sent.values.iter().enumerate().filter(|_| !is_taken) {
            let sort = parts.as_ref().map(|parts| parts[number]);
            if !may_fault(value) && sort.is_none_or(|sort| self.fits(value, sort)) {
                continue;
            }
            // Without types any number is a value.
            let computed = if sort.is_some() { value.clone() } else { is_not_zero(value) };
            let local = self.local(format!("message.{number}"), sort.unwrap_or(Sequential::BOOL), Vec::new());
            let kind = StmtKind::Var(local, computed);
            body.push(Stmt { kind, span: sent.span });
        }
        body
    }

    /// Declares a local of a body.
    pub(super) fn local(&mut self, name: String, sort: SortId, indices: Vec<SortId>) -> VariableId {
        self.model.add_local(Variable::new(name, sort, indices, Span::NONE))
    }
}

/// A condition that computes a value.
fn is_not_zero(value: &Expr) -> Expr {
    Expr { span: value.span, ..binary(BinaryOp::NotEqual, value.clone(), int(0)) }
}
