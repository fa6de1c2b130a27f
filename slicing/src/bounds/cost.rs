//! The greatest weight of the messages that serving a message sends, as a small expression over weights; and the check
//! of weights in integers.

use std::cell::Cell;

use frontend::model::{Block, Dialect, Model, RebecId, ServerId, Stmt, StmtKind};

use super::messages::Messages;
use crate::analysis::bodies::{BodyRef, Member, inner, numbered};
use crate::analysis::reads::called;

/// The largest denominator of weights.
const MOST_PARTS: u64 = 60;

/// The depth to which calls are followed; deeper calls may send only messages of weight 0.
const MAX_CALLS: usize = 8;

/// The most statements of methods that are written out where they are called; beyond them calls count as deeper ones.
const MOST_CALLED: u32 = 1 << 14;

/// The amount of messages that are sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cost {
    /// One of these messages.
    Message(usize),
    /// All of these.
    Sum(Vec<Cost>),
    /// The heaviest of these.
    Most(Vec<Cost>),
    /// The given number of times.
    Times(u64, Box<Cost>),
    /// Any number of times: it must have weight 0.
    Often(Box<Cost>),
}

impl Cost {
    /// The cost for given weights; `None` if messages of positive weight may be sent without end, or if the sum is too
    /// large.
    pub fn at(&self, weights: &[u64]) -> Option<u64> {
        match self {
            Cost::Message(message) => Some(weights[*message]),
            Cost::Sum(parts) => parts.iter().try_fold(0u64, |sum, part| sum.checked_add(part.at(weights)?)),
            Cost::Most(parts) => parts.iter().try_fold(0, |most: u64, part| Some(most.max(part.at(weights)?))),
            Cost::Times(times, part) => part.at(weights)?.checked_mul(*times),
            Cost::Often(part) => (part.at(weights)? == 0).then_some(0),
        }
    }

    fn is_nothing(&self) -> bool {
        match self {
            Cost::Message(_) => false,
            Cost::Sum(parts) | Cost::Most(parts) => parts.iter().all(Cost::is_nothing),
            Cost::Times(_, part) | Cost::Often(part) => part.is_nothing(),
        }
    }
}

/// For each message, the cost of serving it.
pub(crate) fn rules(model: &Model, messages: &Messages) -> Vec<(usize, Cost)> {
    let (mut rules, left) = (Vec::new(), Cell::new(MOST_CALLED));
    for rebec in (0..model.instances.len()).map(RebecId::from_index) {
        let class = model.class_of(rebec);
        for server in (0..model.class(class).servers.len()).map(ServerId::from_index) {
            let body = BodyRef { class, member: Member::Server(server) };
            rules.push((messages.number(rebec, server), Of { model, messages, rebec, left: &left }.body(body, 0)));
        }
    }
    assert_eq!(rules.len(), messages.len(), "every message has the cost of serving it");
    rules
}

/// The messages at the start.
pub(crate) fn start(model: &Model, messages: &Messages) -> Cost {
    let left = Cell::new(MOST_CALLED);
    let parts = (0..model.instances.len()).map(RebecId::from_index).map(|rebec| {
        let class = model.class_of(rebec);
        match model.dialect {
            Dialect::Rebeca20 => {
                let initial = model.class(class).server("initial");
                Cost::Sum(initial.map(|server| Cost::Message(messages.number(rebec, server))).into_iter().collect())
            }
            Dialect::Rebeca21 => match model.class(class).constructor {
                Some(_) => {
                    let of = Of { model, messages, rebec, left: &left };
                    of.body(BodyRef { class, member: Member::Constructor }, 0)
                }
                None => Cost::Sum(Vec::new()),
            },
        }
    });
    Cost::Sum(parts.collect())
}

struct Of<'a> {
    model: &'a Model,
    messages: &'a Messages,
    rebec: RebecId,
    /// The statements of called methods that may still be written out.
    left: &'a Cell<u32>,
}

impl Of<'_> {
    fn body(&self, body: BodyRef, calls: usize) -> Cost {
        self.block(body, 0, &body.of(self.model).block, calls)
    }

    fn block(&self, body: BodyRef, first: usize, block: &Block, calls: usize) -> Cost {
        let parts = numbered(first, block).map(|(number, statement)| self.statement(body, number, statement, calls));
        Cost::Sum(parts.filter(|part| !part.is_nothing()).collect())
    }

    fn statement(&self, body: BodyRef, number: usize, statement: &Stmt, calls: usize) -> Cost {
        limits::work(1);
        if calls > 0 {
            self.left.set(self.left.get().saturating_sub(1));
        }
        let parts: Vec<Cost> =
            inner(number, statement).map(|(first, block)| self.block(body, first, block, calls)).collect();
        match &statement.kind {
            StmtKind::Send { .. } => {
                Cost::Most(self.messages.sent(self.rebec, body, number).into_iter().map(Cost::Message).collect())
            }
            StmtKind::If { .. } => Cost::Most(parts),
            StmtKind::Loop { .. } => Cost::Often(Box::new(Cost::Sum(parts))),
            StmtKind::ForEach { set, .. } => {
                Cost::Times(u64::from(self.model.scalar_set(*set).size()), Box::new(Cost::Sum(parts)))
            }
            // An arm may fall through, so several arms may run.
            StmtKind::Switch { .. } | StmtKind::Block(_) => Cost::Sum(parts),
            _ => match called(statement) {
                Some(method) => {
                    let callee = BodyRef { class: body.class, member: Member::Method(method) };
                    if calls < MAX_CALLS && self.left.get() > 0 {
                        self.body(callee, calls + 1)
                    } else {
                        Cost::Often(Box::new(self.flat(callee)))
                    }
                }
                None => Cost::Sum(Vec::new()),
            },
        }
    }

    /// The messages that the methods of the class may send, once each.
    fn flat(&self, body: BodyRef) -> Cost {
        limits::work(self.messages.len() as u64);
        let mut parts = Vec::new();
        for other in crate::analysis::bodies::bodies_of(body.class, self.model.class(body.class)) {
            if other.is_method() {
                crate::analysis::bodies::all(0, &other.of(self.model).block, &mut |number, _| {
                    parts.extend(self.messages.sent(self.rebec, other, number).into_iter().map(Cost::Message));
                });
            }
        }
        Cost::Sum(parts)
    }
}

/// The bound that weights prove for the messages of one queue, with every inequality checked in integers; `None` if they
/// prove nothing.
pub fn verified(weights: &[f64], rules: &[(usize, Cost)], start: &Cost, own: &[usize]) -> Option<u64> {
    debug_assert!(rules.iter().all(|(message, _)| *message < weights.len()), "every message has a weight");
    (1..=MOST_PARTS).find_map(|parts| {
        let scaled: Option<Vec<u64>> = weights.iter().map(|&weight| rounded(weight, parts)).collect();
        let scaled = scaled?;
        let heavy = own.iter().all(|&message| scaled[message] >= parts);
        let falls = |(message, cost): &(usize, Cost)| cost.at(&scaled).is_some_and(|cost| cost <= scaled[*message]);
        (heavy && rules.iter().all(falls)).then(|| start.at(&scaled)).flatten().map(|total| total / parts)
    })
}

/// The nearest multiple of `1 / parts`, as a number of parts.
fn rounded(weight: f64, parts: u64) -> Option<u64> {
    let scaled = weight * f64::from(u32::try_from(parts).ok()?);
    if !(-0.5..1e12).contains(&scaled) {
        return None;
    }
    // Exact: checked against the range above, and whole after rounding.
    format!("{:.0}", scaled.max(0.0)).parse().ok()
}
