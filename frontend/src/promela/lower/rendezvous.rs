//! Rendezvous: one summand for a send and a receive statement of two processes.
//!
//! Where the sender is inside of an atomic sequence and the receiver goes on inside of one, the turn goes to the receiver;
//! otherwise it is over.
//!
//! A message that is offered is taken before anything else happens. Of what comes before a receive statement (an escape of an `unless`, an earlier option of a
//! `d_step`) only a receive statement that takes the same message holds it back: conditions and send statements do not.

use super::super::flow::Action;
use super::super::syntax::ast::{self, Argument};
use super::steps::{Head, Site};
use super::targets::{Access, Target};
use super::{Context, Lowering, Refused};
use crate::sequential::from_actors::build::{
    and, assign, binary, equal, fail, int, local, not, or, parameter, place as element, read,
};
use crate::sequential::{BinaryOp, Expr, Parameter, ParameterId};
use crate::source::Span;

/// The receiver of a handshake.
pub(super) struct Meeting {
    /// When it happens.
    conditions: Vec<Expr>,
    /// The arguments of the receive statement.
    arguments: Vec<Argument>,
}

/// The sender of a handshake.
pub(super) struct Offer<'a> {
    target: &'a Target,
    values: &'a [Expr],
    process: usize,
    pid: &'a Expr,
}

impl Lowering<'_> {
    /// The receive statements.
    pub(super) fn receivers(&self) -> Vec<Site> {
        let mut list = Vec::new();
        for (process, (_, _, members)) in self.controls.iter().enumerate() {
            for &point in members.keys() {
                for (edge, own) in self.flows[process].points[point].edges.iter().enumerate() {
                    if matches!(own.action, Action::Receive { .. }) {
                        list.push(Site { process, point, edge });
                    }
                }
            }
        }
        list
    }

    /// The conditions under which a process takes a message of a rendezvous channel from another process by a receive statement.
    pub(super) fn meets(
        &mut self,
        receiver: Site,
        offer: &Offer<'_>,
        context: &Context,
    ) -> Result<Option<Meeting>, Refused> {
        let Some(Meeting { conditions, arguments }) = self.accepts(receiver, offer, context)? else { return Ok(None) };
        let own = context.pid.clone().expect("a process has a number");
        let mut list = vec![self.is_at(receiver.process, own.clone(), receiver.point)];
        if receiver.process == offer.process {
            list.push(binary(BinaryOp::NotEqual, offer.pid.clone(), own));
        }
        list.extend(conditions);
        if self.wrong.escapes_hold_back_receivers() {
            list.extend(self.restraints(receiver, context)?);
            return Ok(Some(Meeting { conditions: list, arguments }));
        }
        list.extend(self.provided(receiver.process, context)?);
        for first in self.first(receiver) {
            if let Some(meeting) = self.accepts(first, offer, context)? {
                list.push(not(and(meeting.conditions)));
            }
        }
        Ok(Some(Meeting { conditions: list, arguments }))
    }

    /// The conditions under which a message fits a receive statement.
    fn accepts(&mut self, receiver: Site, offer: &Offer<'_>, context: &Context) -> Result<Option<Meeting>, Refused> {
        let Offer { target, values, .. } = *offer;
        limits::work(32 + values.len() as u64);
        let Action::Receive { channel, arguments, keeps: false, .. } = self.edge(receiver).action.clone() else {
            return Ok(None);
        };
        let arguments = self.received(&arguments, context);
        for other in self.channel(&channel, Access::Takes, context)?.list {
            if other.group != target.group {
                continue;
            }
            self.check_arguments(&other, arguments.len(), channel.span)?;
            let mut list: Vec<Expr> = other.condition.into_iter().collect();
            for (left, right) in target.indices.iter().zip(other.indices) {
                if *left != right {
                    list.push(equal(left.clone(), right));
                }
            }
            for (argument, value) in arguments.iter().zip(values) {
                if let Argument::Match(wanted) = argument {
                    list.push(equal(value.clone(), self.expression(wanted, context)?));
                }
            }
            return Ok(Some(Meeting { conditions: list, arguments }));
        }
        Ok(None)
    }

    /// The values that a receiver of a message gets.
    pub(super) fn message(
        &mut self,
        target: &Target,
        arguments: &[ast::Expr],
        context: &Context,
    ) -> Result<Vec<Expr>, Refused> {
        let values = self.sent(arguments, context)?;
        let types = self.groups[target.group].types.clone();
        assert!(values.len() <= types.len(), "a rendezvous has a field for each value that is offered");
        let zeros = std::iter::repeat_n(int(0), types.len() - values.len());
        let all: Vec<Expr> = values.into_iter().chain(zeros).collect();
        Ok(all.into_iter().zip(&types).map(|(value, of)| self.wrapped(of, value, context)).collect())
    }

    pub(super) fn has_receiver(
        &mut self,
        site: Site,
        target: &Target,
        arguments: &[ast::Expr],
        context: &Context,
    ) -> Result<Expr, Refused> {
        let values = self.message(target, arguments, context)?;
        let pid = context.pid.clone().expect("a process has a number");
        let mut list = Vec::new();
        for receiver in self.receivers() {
            let found = self.some_process(receiver.process, context, |lowering, inner| {
                let offer = Offer { target, values: &values, process: site.process, pid: &pid };
                let found = lowering.meets(receiver, &offer, inner)?;
                Ok(found.map_or_else(|| int(0), |meeting| and(meeting.conditions)))
            })?;
            list.push(found);
        }
        Ok(or(list))
    }

    /// The summand of a pair of a rendezvous.
    pub(super) fn handshake(
        &mut self,
        site: Site,
        receiver: Site,
        target: &Target,
        arguments: &[ast::Expr],
    ) -> Result<(), Refused> {
        let sender = self.own(site.process);
        let other =
            Parameter { name: self.parameters.1.clone(), sort: self.slots[receiver.process].sort, span: Span::NONE };
        let context = Context { scope: vec![sender.sort, other.sort], ..self.context(site.process) };
        let pid = context.pid.clone().expect("a process has a number");
        let own = parameter(ParameterId(1));
        let inner = Context { process: Some(receiver.process), pid: Some(own.clone()), ..context.clone() };
        let values = self.message(target, arguments, &context)?;
        let offer = Offer { target, values: &values, process: site.process, pid: &pid };
        let Some(Meeting { conditions, arguments: wanted }) = self.meets(receiver, &offer, &inner)? else {
            return Ok(());
        };
        let mut guards = self.guards(site, &context)?;
        guards.extend(target.condition.clone());
        guards.extend(conditions);
        let parameters = vec![sender, other];
        if let Some(fault) = self.misfit(target.group, wanted.len()) {
            return self.push(Head { site, receiver: Some(receiver), parameters }, guards, vec![fail(fault)]);
        }
        let mut body = Vec::new();
        let taken = wanted.iter().filter(|argument| matches!(argument, Argument::Place(_))).count();
        let mut kept = values;
        if taken > 1 {
            let types = self.groups[target.group].types.clone();
            for (value, of) in kept.iter_mut().zip(&types) {
                let (low, high) = self.bounds(of);
                let id = self.temporary(low, high);
                body.push(local(id, std::mem::replace(value, read(id, Vec::new()))));
            }
        }
        for (field, value) in kept.iter().enumerate() {
            if matches!(wanted.get(field), None | Some(Argument::Any)) {
                body.extend(self.evaluated(value.clone(), &context));
            }
        }
        body.extend(self.take(kept, &wanted, &inner)?);
        body.push(self.goto(site.process, &pid, self.edge(site).target));
        body.push(self.goto(receiver.process, &own, self.edge(receiver).target));
        if let Some(hold) = self.hold {
            let value = if self.edge(receiver).stays { own } else { int(-1) };
            body.push(assign(element(hold, Vec::new()), value));
        }
        self.push(Head { site, receiver: Some(receiver), parameters }, guards, body)
    }
}
