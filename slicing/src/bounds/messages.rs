//! The messages of a model without creation, one per rebec and server, and the possible receivers of each send, rebec
//! by rebec.
//!
//! As in `analysis/targets.rs`, but for rebecs instead of classes: a least fixed point over the possible values of
//! `sender`.
//!
//! Soundness: more receivers than those that are possible give a higher bound, or none.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::{Base, Dialect, Expr, ExprKind, Model, RebecId, Role, ServerId, Sort, StmtKind};

use crate::analysis::bodies::{BodyRef, Member, all, bodies_of};
use crate::analysis::targets::slots;

/// The messages, numbered.
pub(crate) struct Messages {
    first: Vec<usize>,
    count: usize,
    /// By rebec, body and statement: the messages that may be sent.
    sends: BTreeMap<(RebecId, BodyRef, usize), Vec<usize>>,
}

impl Messages {
    /// Finds the messages and their possible receivers.
    pub(crate) fn new(model: &Model) -> Messages {
        let mut first = Vec::new();
        let mut count = 0;
        for instance in &model.instances {
            first.push(count);
            count += model.class(instance.class).servers.len();
        }
        let mut messages = Messages { first, count, sends: BTreeMap::new() };
        let mut senders: Vec<BTreeSet<RebecId>> = vec![BTreeSet::new(); count];
        for rebec in rebecs(model) {
            let initial = model.class(model.class_of(rebec)).server("initial");
            if let (Dialect::Rebeca20, Some(server)) = (model.dialect, initial) {
                senders[messages.number(rebec, server)].insert(rebec);
            }
        }
        loop {
            let mut grew = false;
            for rebec in rebecs(model) {
                grew |= messages.look(model, rebec, &mut senders);
            }
            if !grew {
                return messages;
            }
        }
    }

    /// Examines all sends of a rebec; returns whether some server has a new sender.
    fn look(&mut self, model: &Model, rebec: RebecId, senders: &mut [BTreeSet<RebecId>]) -> bool {
        let class = model.class_of(rebec);
        let mut grew = false;
        for body in bodies_of(class, model.class(class)) {
            all(0, &body.of(model).block, &mut |number, statement| {
                let StmtKind::Send { receiver, targets, .. } = &statement.kind else { return };
                let receivers = self.receivers(model, rebec, body, receiver, senders);
                let found = receivers
                    .into_iter()
                    .filter_map(|to| targets[model.class_of(to).index()].map(|server| self.number(to, server)));
                let found: Vec<usize> = found.collect();
                found.iter().for_each(|&message| grew |= senders[message].insert(rebec));
                self.sends.insert((rebec, body, number), found);
            });
        }
        grew
    }

    fn receivers(
        &self,
        model: &Model,
        rebec: RebecId,
        body: BodyRef,
        receiver: &Expr,
        senders: &[BTreeSet<RebecId>],
    ) -> BTreeSet<RebecId> {
        let conforms = |to: &RebecId, class| model.conforms(model.class_of(*to), class);
        match &receiver.kind {
            ExprKind::Null => BTreeSet::new(),
            ExprKind::SelfRef => BTreeSet::from([rebec]),
            ExprKind::Sender => match body.member {
                Member::Server(server) => senders[self.number(rebec, server)].clone(),
                Member::Constructor => BTreeSet::from([rebec]),
                Member::Method(_) => {
                    self.of(rebec).flat_map(|message| senders[message].iter().copied()).chain([rebec]).collect()
                }
            },
            ExprKind::Cast(class, inner) => {
                let inner = self.receivers(model, rebec, body, inner, senders);
                inner.into_iter().filter(|to| conforms(to, *class)).collect()
            }
            ExprKind::Ite(_, one, other) => {
                let mut both = self.receivers(model, rebec, body, one, senders);
                both.extend(self.receivers(model, rebec, body, other, senders));
                both
            }
            ExprKind::Read(place) if is_known(model, body, place.base) => known(model, rebec, body, place.base),
            _ => match receiver.sort {
                Sort::Rebec(class) => rebecs(model).filter(|to| conforms(to, class)).collect(),
                _ => rebecs(model).collect(),
            },
        }
    }

    /// The number of a message.
    pub(crate) fn number(&self, rebec: RebecId, server: ServerId) -> usize {
        let number = self.first[rebec.index()] + server.index();
        debug_assert!(self.of(rebec).contains(&number), "a message of the rebec");
        number
    }

    /// The messages for a rebec.
    pub(crate) fn of(&self, rebec: RebecId) -> std::ops::Range<usize> {
        self.first[rebec.index()]..self.first.get(rebec.index() + 1).copied().unwrap_or(self.count)
    }

    /// The server that takes a message.
    pub(crate) fn server(&self, message: usize) -> ServerId {
        assert!(message < self.count, "messages are numbered");
        let first = self.first.iter().rev().find(|first| **first <= message).copied().unwrap_or(0);
        ServerId::from_index(message - first)
    }

    /// The number of messages.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The messages that a statement of a rebec may send.
    pub(crate) fn sent(&self, rebec: RebecId, body: BodyRef, statement: usize) -> Vec<usize> {
        self.sends.get(&(rebec, body, statement)).cloned().unwrap_or_default()
    }
}

fn rebecs(model: &Model) -> impl Iterator<Item = RebecId> {
    (0..model.instances.len()).map(RebecId::from_index)
}

fn is_known(model: &Model, body: BodyRef, base: Base) -> bool {
    matches!(base, Base::Variable(id) if model.class(body.class).variables[id.index()].role == Role::Known)
}

fn known(model: &Model, rebec: RebecId, body: BodyRef, base: Base) -> BTreeSet<RebecId> {
    let Base::Variable(id) = base else { return BTreeSet::new() };
    let slots = slots(model.class(body.class), id);
    let bound = &model.instances[rebec.index()].known[slots];
    bound.iter().flatten().copied().collect()
}
