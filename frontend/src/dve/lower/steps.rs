//! The steps of an asynchronous system: transitions without synchronisation, and sends to and receives from buffers.
//!
//! A transition is enabled in its source where its guards hold, and, if some process is in a committed state, only from a
//! committed state. A step first moves messages, then performs the effects in order, then changes the control state. In a
//! rendezvous the receiver performs its effects and changes its state before the sender.

use super::expressions::conjunction;
use super::{Buffer, Lowering, Meaning};
use crate::diagnostics::{codes, every};
use crate::dve::syntax::ast::{Sync, Transition};
use crate::sequential::{BinaryOp, Expr, ExprKind, Place, Stmt, StmtKind, Summand, VariableId};
use crate::source::Span;

/// A transition, resolved.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    pub(super) process: usize,
    pub(super) tree: &'a Transition,
    /// The source and the guards.
    pub(super) enabled: Vec<Expr>,
    /// Whether the source is committed.
    pub(super) is_committed: bool,
    pub(super) sync: Option<Message>,
    /// The effects and the change of the control state.
    pub(super) changes: Vec<Stmt>,
}

/// A synchronisation, resolved.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) channel: usize,
    pub(super) sends: bool,
    /// The values that are sent.
    pub(super) values: Vec<Expr>,
    /// The variables that take what is received.
    pub(super) places: Vec<Place>,
    pub(super) span: Span,
}

impl<'a> Lowering<'a> {
    /// The transitions of all processes but the property, in order.
    pub(super) fn resolved(&mut self) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        for number in
            (0..self.processes.len()).filter(|&number| self.processes[number].control.is_some()).collect::<Vec<_>>()
        {
            let tree = self.processes[number].tree;
            for transition in &tree.transitions {
                steps.extend(self.step(transition, number));
            }
        }
        steps
    }

    /// The summands of an asynchronous system.
    pub(super) fn steps(&mut self) {
        let steps = self.resolved();
        let mut receivers: Vec<Vec<&Step<'_>>> = self.channels.iter().map(|_| Vec::new()).collect();
        for step in &steps {
            if let Some(message) = step.sync.as_ref().filter(|message| !message.sends) {
                receivers[message.channel].push(step);
            }
        }
        let mut pairs = 0;
        for step in &steps {
            match &step.sync {
                None => self.single(step, "step", Vec::new(), Vec::new()),
                Some(message) => match (self.channels[message.channel].buffer.clone(), message.sends) {
                    (Some(buffer), true) => self.send(step, message, &buffer),
                    (Some(buffer), false) => self.receive(step, message, &buffer),
                    (None, true) => self.rendezvous(step, &receivers[message.channel], &mut pairs),
                    (None, false) => {}
                },
            }
        }
    }

    fn step(&mut self, tree: &'a Transition, process: usize) -> Option<Step<'a>> {
        let (from, to) = (self.state(&tree.from, process), self.state(&tree.to, process));
        let guards = every(tree.guards.iter().map(|guard| self.condition(guard, Some(process))));
        let sync = tree.sync.as_ref().map(|sync| self.message(sync, process));
        let mut changes = Vec::new();
        for effect in &tree.effects {
            let (place, value) = (self.place(&effect.place, process), self.expression(&effect.value, Some(process)));
            let value = value.map(|value| if self.wrong.wraps() { modulo(value) } else { value });
            changes.extend(place.zip(value).map(|(place, value)| assign(place, value, effect.span)));
        }
        let sync = match sync {
            Some(None) => return None,
            Some(message) => message,
            None => None,
        };
        let (from, to) = from.zip(to)?;
        let mut enabled = vec![self.in_state(process, from, tree.from.span)?];
        enabled.extend(guards?);
        changes.extend(self.enter(process, to, tree.to.span));
        let is_committed = self.processes[process].committed.contains(&from) && !self.wrong.commits_nobody();
        Some(Step { process, tree, enabled, is_committed, sync, changes })
    }

    fn message(&mut self, sync: &Sync, process: usize) -> Option<Message> {
        let name = &sync.channel;
        let channel = match self.meaning(&name.text, Some(process)).or_else(|| self.unknown(name, Some(process)))? {
            Meaning::Channel(channel) => channel,
            Meaning::Broken => return None,
            _ => return self.misused(name, "a channel", "name a channel"),
        };
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for value in &sync.values {
            if sync.sends {
                values.push(self.expression(value, Some(process)));
            } else {
                places.push(self.place(value, process));
            }
        }
        let (values, places) = (values.into_iter().collect::<Option<_>>()?, places.into_iter().collect::<Option<_>>()?);
        let message = Message { channel, sends: sync.sends, values, places, span: sync.span };
        self.has_parts(&message, sync.values.len()).then_some(message)
    }

    /// Whether a message has as many parts as its channel; reports it otherwise.
    fn has_parts(&mut self, message: &Message, given: usize) -> bool {
        let channel = &self.channels[message.channel];
        let parts = match &channel.parts {
            Some(parts) => parts.len(),
            None if channel.buffer.is_some() => 0,
            None => return true,
        };
        let is_empty = given == 0 && (!message.sends || channel.buffer.is_none());
        if given == parts || is_empty {
            return true;
        }
        let text = format!("messages of `{}` have {parts} parts, given: {given}", channel.name);
        let help = "the types of the parts stand before the name: `channel {byte, int} c[2];`";
        self.error(codes::DVE_MESSAGE, message.span, text, help);
        false
    }

    /// The change of the control state, if it changes.
    fn enter(&self, process: usize, to: i32, span: Span) -> Option<Stmt> {
        let control = self.processes[process].control?;
        let place = Place { variable: control.variable, indices: Vec::new(), span };
        let value = Expr::new(ExprKind::Member(control.sort, to.cast_unsigned()), span);
        Some(assign(place, value, span))
    }

    /// The conditions that no process is in a committed state, but for those that a step moves; none if it leaves one.
    pub(super) fn uncommitted(&self, step: &Step<'_>, moving: &[usize]) -> Vec<Expr> {
        let mut list = Vec::new();
        if step.is_committed || self.wrong.commits_nobody() {
            return list;
        }
        let others = self.processes.iter().enumerate().filter(|(number, _)| !moving.contains(number));
        for (process, control) in others.filter_map(|(_, process)| Some((process, process.control?))) {
            let span = step.tree.span;
            for &state in &process.committed {
                let place = Place { variable: control.variable, indices: Vec::new(), span };
                let read = Expr::new(ExprKind::Read(place), span);
                let member = Expr::new(ExprKind::Member(control.sort, state.cast_unsigned()), span);
                let kind = ExprKind::Binary(BinaryOp::NotEqual, Box::new(read), Box::new(member));
                list.push(Expr::new(kind, span));
            }
        }
        list
    }

    /// The words for a transition: `P: a -> b`.
    pub(super) fn words(&self, step: &Step<'_>) -> String {
        let Transition { from, to, .. } = step.tree;
        format!("{}: {} -> {}", self.processes[step.process].tree.name.text, from.text, to.text)
    }

    /// Adds the summand of a step of one process, with conditions and changes before its own.
    fn single(&mut self, step: &Step<'_>, event: &str, conditions: Vec<Expr>, moved: Vec<Stmt>) {
        let mut guards = step.enabled.clone();
        guards.splice(1..1, self.uncommitted(step, &[step.process]).into_iter().chain(conditions));
        let body = moved.into_iter().chain(step.changes.iter().cloned()).collect();
        let mut label = self.words(step);
        if let Some(message) = &step.sync {
            label += &format!(", {}{}", self.channels[message.channel].name, if message.sends { "!" } else { "?" });
        }
        self.summand(event, guards, body, label, step.tree.span);
    }

    pub(super) fn summand(&mut self, event: &str, guards: Vec<Expr>, body: Vec<Stmt>, label: String, span: Span) {
        self.model.summands.push(Summand {
            parameters: Vec::new(),
            guard: conjunction(guards, span),
            event: event.into(),
            arguments: Vec::new(),
            body,
            label: Some(label),
            span,
        });
    }

    /// A send into a buffer that has room.
    fn send(&mut self, step: &Step<'_>, message: &Message, buffer: &Buffer) {
        let span = message.span;
        let length = || read(buffer.length, Vec::new(), span);
        let room = compare(BinaryOp::Less, length(), buffer.capacity);
        debug_assert_eq!(buffer.slots.len(), message.values.len(), "a value for each part of the message");
        let mut moved = Vec::new();
        for (&slot, value) in buffer.slots.iter().zip(&message.values) {
            let place = Place { variable: slot, indices: vec![length()], span };
            moved.push(assign(place, value.clone(), span));
        }
        moved.push(counted(buffer, BinaryOp::Add, span));
        self.single(step, "send", vec![room], moved);
    }

    /// A receive from a buffer that is not empty: the other messages move up.
    fn receive(&mut self, step: &Step<'_>, message: &Message, buffer: &Buffer) {
        let span = message.span;
        let some = compare(BinaryOp::Greater, read(buffer.length, Vec::new(), span), 0);
        let int = |value| Expr::new(ExprKind::Int(value), span);
        let is_whole = message.places.is_empty() || message.places.len() == buffer.slots.len();
        debug_assert!(is_whole, "a place for each part of the message, or none");
        let mut moved = Vec::new();
        for (&slot, place) in buffer.slots.iter().zip(&message.places) {
            moved.push(assign(place.clone(), read(slot, vec![int(0)], span), span));
        }
        for &slot in &buffer.slots {
            for index in 0..buffer.capacity {
                let next = index + 1;
                let value = if next == buffer.capacity { int(0) } else { read(slot, vec![int(next)], span) };
                let place = Place { variable: slot, indices: vec![int(index)], span };
                moved.push(assign(place, value, span));
            }
        }
        moved.push(counted(buffer, BinaryOp::Subtract, span));
        let conditions = if self.wrong.receives_nothing() { Vec::new() } else { vec![some] };
        self.single(step, "receive", conditions, moved);
    }
}

pub(super) fn read(variable: VariableId, indices: Vec<Expr>, span: Span) -> Expr {
    Expr::new(ExprKind::Read(Place { variable, indices, span }), span)
}

/// A value modulo 256, for a variant that is wrong.
fn modulo(value: Expr) -> Expr {
    compare(BinaryOp::Modulo, value, 256)
}

fn compare(op: BinaryOp, left: Expr, right: i32) -> Expr {
    let span = left.span;
    Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(Expr::new(ExprKind::Int(right), span))), span)
}

/// The change of the number of messages by one.
fn counted(buffer: &Buffer, op: BinaryOp, span: Span) -> Stmt {
    let place = Place { variable: buffer.length, indices: Vec::new(), span };
    assign(place, compare(op, read(buffer.length, Vec::new(), span), 1), span)
}

pub(super) fn assign(place: Place, value: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(place, value), span }
}
