//! Upper bounds for queues from the message-flow state equation.
//!
//! Serving a message consumes it and sends others. Suppose that each message has a weight, and that no server sends
//! more weight than the message that activates it has. Then the total weight never exceeds the total at the start. If
//! every message for one queue weighs at least 1, that total bounds the queue. The least total is a linear program: the
//! dual of maximising the queue under the state equation. Data is ignored, so the bound may be far too high; branches
//! count by the heaviest one, and loops may only send messages of weight 0.
//!
//! Soundness: the answer of the solver is only a proposal. Weights are rounded to fractions of small denominator, and
//! every inequality is checked again in integers ([`verified`]); a proposal that fails is dropped. The bound also holds
//! within a step, because a prefix of its sends weighs no more than all of them.
//!
//! Source: place invariants of Petri nets, for the message flow of \[Sab10\] 4.2 (activation edges).

mod cost;
mod equation;
mod messages;
mod sized;
#[cfg(test)]
mod tests;

pub use cost::verified;
pub use sized::{Shorter, shorter, sized};

use frontend::model::{Model, RebecId, ServerId};

use cost::Cost;
use messages::Messages;

/// The knowledge about the length of a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueueBound {
    /// It never holds more messages than this.
    AtMost(u64),
    /// In the message flow without data, the queue grows without end, through these messages.
    Unbounded(Vec<ServerId>),
    /// No bound was found, and none was refuted.
    Unknown,
}

/// The bound of the queue of a rebec of `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RebecBound {
    /// The rebec.
    pub rebec: RebecId,
    /// Its bound in the text.
    pub declared: u32,
    /// The bound, if one was found.
    pub bound: QueueBound,
}

impl RebecBound {
    /// Whether the queue is proved never to overflow.
    pub fn never_overflows(&self) -> bool {
        matches!(self.bound, QueueBound::AtMost(most) if most <= u64::from(self.declared))
    }
}

/// Bounds for the queues of all rebecs of `main`; `None` for a model that creates rebecs, because their queues are not
/// known.
///
/// # Complexity
/// One linear program per rebec, with one variable per message and per branch.
pub fn bounds(model: &Model) -> Option<Vec<RebecBound>> {
    if !model.creatable.is_empty() {
        return None;
    }
    let messages = Messages::new(model);
    let rules = cost::rules(model, &messages);
    let start = cost::start(model, &messages);
    let all = (0..model.instances.len()).map(RebecId::from_index);
    Some(all.map(|rebec| one(model, &messages, &rules, &start, rebec)).collect())
}

/// Whether it is proved that no queue ever overflows.
pub fn never_overflows(model: &Model) -> bool {
    bounds(model).is_some_and(|all| all.iter().all(RebecBound::never_overflows))
}

fn one(model: &Model, messages: &Messages, rules: &[(usize, Cost)], start: &Cost, rebec: RebecId) -> RebecBound {
    let declared = model.class(model.class_of(rebec)).queue_bound;
    let own: Vec<usize> = messages.of(rebec).collect();
    let bound = match equation::least(messages.len(), rules, start, &own) {
        equation::Solved::Weights(weights) => match verified(&weights, rules, start, &own) {
            Some(most) => QueueBound::AtMost(most),
            None => QueueBound::Unknown,
        },
        equation::Solved::Infeasible => {
            let grows = |message: &usize| {
                matches!(equation::least(messages.len(), rules, start, &[*message]), equation::Solved::Infeasible)
            };
            let all: Vec<usize> = own.into_iter().filter(grows).collect();
            if all.is_empty() {
                QueueBound::Unknown
            } else {
                QueueBound::Unbounded(all.into_iter().map(|message| messages.server(message)).collect())
            }
        }
        equation::Solved::Failed => QueueBound::Unknown,
    };
    RebecBound { rebec, declared, bound }
}
