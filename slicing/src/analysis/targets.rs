//! The possible receivers of messages: for each send, the servers that may take the message.
//!
//! A least fixed point over classes. `self` has the class itself; `sender` has any class that may send the message
//! being served; a known rebec has one of the classes that `main` binds to it; every other expression has any class
//! that conforms to the sort. A method runs for any server of its class, so its senders are those of all these servers.
//!
//! Soundness: more receivers than those that are possible give a larger slice.
//!
//! Complexity: sends times classes, times the length of the longest chain of senders.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::{
    Base, Class, ClassId, ClassKind, Dialect, Expr, ExprKind, Model, Role, ServerId, Sort, StmtKind, Variable,
    VariableId,
};

use super::bodies::{BodyRef, Member, all, bodies_of};

/// A server of a class.
pub(crate) type Target = (ClassId, ServerId);

/// The possible receivers of every send.
pub(crate) struct Targets {
    /// By body and number of the statement.
    sends: BTreeMap<(BodyRef, usize), BTreeSet<Target>>,
}

impl Targets {
    /// The servers that may take the message of a statement; none if the statement is no send or is never run.
    pub(crate) fn of(&self, body: BodyRef, statement: usize) -> impl Iterator<Item = Target> + '_ {
        self.sends.get(&(body, statement)).into_iter().flatten().copied()
    }
}

/// A send of the model.
struct Send<'a> {
    body: BodyRef,
    statement: usize,
    receiver: &'a Expr,
    targets: &'a [Option<ServerId>],
}

/// Finds the possible receivers of every send.
pub(crate) fn targets(model: &Model) -> Targets {
    let live = live(model);
    let sends: Vec<Send<'_>> = live.iter().flat_map(|&class| sends_of(model, class)).collect();
    let mut points = Points { model, live, senders: BTreeMap::new() };
    points.start();
    let mut found = BTreeMap::new();
    loop {
        let mut grew = false;
        for send in &sends {
            let receivers = points.receivers(send.body, send.receiver);
            let servers = receivers.into_iter().filter_map(|class| Some((class, send.targets[class.index()]?)));
            let servers: BTreeSet<Target> = servers.collect();
            for &target in &servers {
                grew |= points.senders.entry(target).or_default().insert(send.body.class);
            }
            found.insert((send.body, send.statement), servers);
        }
        if !grew {
            let may_exist = |(class, _): &Target| points.live.contains(class);
            debug_assert!(found.values().flatten().all(may_exist), "a receiver is of a class that may have rebecs");
            return Targets { sends: found };
        }
    }
}

/// The classes of which there may be rebecs.
pub(crate) fn live(model: &Model) -> BTreeSet<ClassId> {
    model.instances.iter().map(|instance| instance.class).chain(model.creatable.iter().copied()).collect()
}

fn sends_of(model: &Model, class: ClassId) -> Vec<Send<'_>> {
    let mut sends = Vec::new();
    for body in bodies_of(class, model.class(class)) {
        all(0, &body.of(model).block, &mut |statement, stmt| {
            if let StmtKind::Send { receiver, targets, .. } = &stmt.kind {
                sends.push(Send { body, statement, receiver, targets });
            }
        });
    }
    sends
}

struct Points<'a> {
    model: &'a Model,
    live: BTreeSet<ClassId>,
    senders: BTreeMap<Target, BTreeSet<ClassId>>,
}

impl Points<'_> {
    /// The servers that start without a send: `initial`, sent by the rebec itself or by its creator.
    fn start(&mut self) {
        if self.model.dialect != Dialect::Rebeca20 {
            return;
        }
        for &class in &self.live {
            let Some(server) = self.model.class(class).server("initial") else { continue };
            let senders = self.senders.entry((class, server)).or_default();
            senders.insert(class);
            if self.model.creatable.contains(&class) {
                senders.extend(&self.live);
            }
        }
    }

    fn receivers(&self, body: BodyRef, receiver: &Expr) -> BTreeSet<ClassId> {
        let conforming = |class: ClassId| move |id: &ClassId| self.model.conforms(*id, class);
        match &receiver.kind {
            ExprKind::SelfRef => BTreeSet::from([body.class]),
            ExprKind::Sender => self.senders(body),
            ExprKind::Cast(class, inner) => {
                self.receivers(body, inner).into_iter().filter(conforming(*class)).collect()
            }
            ExprKind::Ite(_, one, other) => {
                self.receivers(body, one).union(&self.receivers(body, other)).copied().collect()
            }
            ExprKind::Null => BTreeSet::new(),
            ExprKind::Read(place) if self.is_bound(body.class, place.base) => self.bound(body.class, place.base),
            _ => match receiver.sort {
                Sort::Rebec(class) => self.live.iter().copied().filter(conforming(class)).collect(),
                _ => self.live.clone(),
            },
        }
    }

    /// Whether a place holds known rebecs that only `main` binds.
    fn is_bound(&self, class: ClassId, base: Base) -> bool {
        let Base::Variable(id) = base else { return false };
        self.model.class(class).variables[id.index()].role == Role::Known && !self.model.creatable.contains(&class)
    }

    fn bound(&self, class: ClassId, base: Base) -> BTreeSet<ClassId> {
        let Base::Variable(id) = base else { return BTreeSet::new() };
        let slots = slots(self.model.class(class), id);
        let own = self.model.instances.iter().filter(|instance| instance.class == class);
        let known = own.flat_map(|instance| &instance.known[slots.clone()]);
        known.flatten().map(|&rebec| self.model.class_of(rebec)).collect()
    }

    fn senders(&self, body: BodyRef) -> BTreeSet<ClassId> {
        match body.member {
            Member::Constructor => BTreeSet::from([body.class]),
            Member::Server(server) => self.senders.get(&(body.class, server)).cloned().unwrap_or_default(),
            Member::Method(_) => {
                let own = self.senders.iter().filter(|((class, _), _)| *class == body.class);
                own.flat_map(|(_, senders)| senders.iter().copied()).chain([body.class]).collect()
            }
        }
    }
}

/// Whether a class can have rebecs of its own.
pub(crate) fn is_reactive(model: &Model, class: ClassId) -> bool {
    model.class(class).kind == ClassKind::Reactive
}

/// The positions of a known rebec among all known rebecs of the class.
pub(crate) fn slots(class: &Class, id: VariableId) -> std::ops::Range<usize> {
    debug_assert!(class.variables[id.index()].role == Role::Known, "a known rebec");
    let before = class.variables[..id.index()].iter().filter(|one| one.role == Role::Known);
    let first: usize = before.map(Variable::len).sum();
    first..first + class.variables[id.index()].len()
}
