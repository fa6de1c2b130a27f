//! States of values that depend on literals: variables and queues, and the view of the slice on them.
//!
//! Invariants: of the entries of one place in a queue, at most one is present. A place is empty only if all places
//! after it are empty. A step may break the second invariant; [`Machine::settle`] restores it.

use frontend::interpret::{FaultClass, Message, Rebec, State};
use frontend::model::{RebecId, ServerId, Value};

use super::TooMuch;
use super::body::Machine;
use super::circuit::{FALSE, Lit, TRUE};
use super::value::Symbol;
use crate::lift::{ShownMessage, ShownRebec, View};
use crate::reduce::Slice;

/// A rebec.
#[derive(Clone)]
pub(super) struct SymbolicRebec {
    pub(super) values: Vec<Symbol>,
    pub(super) queue: Vec<Entry>,
}

/// The entries that one place of a queue may hold.
pub(super) type Entry = Vec<Queued>;

/// A message to one server, with the literal for its presence.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Queued {
    pub(super) server: ServerId,
    pub(super) present: Lit,
    pub(super) sender: Symbol,
    pub(super) arguments: Vec<Symbol>,
}

/// A state in the middle of the run, to be read from a valuation.
pub(super) struct Recorded {
    pub(super) features: Vec<Symbol>,
    pub(super) rebecs: Vec<SymbolicRebec>,
    /// The rebecs that may have moved, each with the literal for it.
    pub(super) movers: Vec<(RebecId, Lit)>,
}

impl<'a> Machine<'a> {
    /// Starts in one of these states.
    pub(super) fn start(&mut self, starts: &[State]) -> Result<(), TooMuch> {
        assert!(!starts.is_empty(), "a run begins in a state");
        let chosen = self.circuit.one_of(starts.len());
        let cases: Vec<(&State, Lit)> = starts.iter().zip(chosen).collect();
        for feature in 0..self.model.features.len() {
            let list = cases.iter().map(|(state, lit)| (Value::Bool(state.features[feature]), *lit));
            let symbol = self.circuit.gather(list.collect())?;
            self.features.push(symbol);
        }
        for index in 0..self.model.instances.len() {
            let id = RebecId::from_index(index);
            let all: Vec<(&Rebec, Lit)> =
                cases.iter().filter_map(|(state, lit)| Some((state.rebec(id)?, *lit))).collect();
            let elements = all.first().map_or(0, |(rebec, _)| rebec.values.len());
            let mut values = Vec::new();
            for element in 0..elements {
                let list = all.iter().map(|(rebec, lit)| (rebec.values[element], *lit));
                values.push(self.circuit.gather(list.collect())?);
            }
            let longest = all.iter().map(|(rebec, _)| rebec.queue.len()).max().unwrap_or(0);
            let mut queue = Vec::new();
            for place in 0..longest {
                let mut entry = Entry::new();
                for (rebec, lit) in &all {
                    if let Some(message) = rebec.queue.get(place) {
                        let queued = known(message, *lit);
                        self.merge(&mut entry, queued, TRUE)?;
                    }
                }
                queue.push(entry);
            }
            self.rebecs.push(SymbolicRebec { values, queue });
        }
        Ok(())
    }

    /// Adds a message to a place if the condition holds and the place has no other entry.
    fn merge(&mut self, entry: &mut Entry, more: Queued, condition: Lit) -> Result<(), TooMuch> {
        let present = self.circuit.and(more.present, condition);
        if present == FALSE {
            return Ok(());
        }
        match entry.iter_mut().find(|queued| queued.server == more.server) {
            None => entry.push(Queued { present, ..more }),
            Some(known) => {
                known.sender = self.circuit.select(present, &more.sender, &known.sender)?;
                debug_assert_eq!(known.arguments.len(), more.arguments.len(), "messages to one server are alike");
                for (known, more) in known.arguments.iter_mut().zip(&more.arguments) {
                    *known = self.circuit.select(present, more, known)?;
                }
                known.present = self.circuit.or(known.present, present);
            }
        }
        Ok(())
    }

    /// Removes the oldest message where the path is taken.
    pub(super) fn pop(&mut self, rebec: RebecId, path: Lit) -> Result<(), TooMuch> {
        let queue = std::mem::take(&mut self.rebecs[rebec.index()].queue);
        if path == TRUE {
            self.rebecs[rebec.index()].queue = queue[1..].to_vec();
            return Ok(());
        }
        let mut left = Vec::new();
        for place in 0..queue.len() {
            let mut entry = Entry::new();
            for queued in queue.get(place + 1).into_iter().flatten() {
                self.merge(&mut entry, queued.clone(), path)?;
            }
            for queued in &queue[place] {
                self.merge(&mut entry, queued.clone(), path.opposite())?;
            }
            left.push(entry);
        }
        self.rebecs[rebec.index()].queue = left;
        Ok(())
    }

    /// Puts a message at the end of a queue, where it is present; a full queue gives a fault.
    pub(super) fn append(&mut self, rebec: RebecId, entry: Entry) -> Result<(), TooMuch> {
        let bound = self.model.class(self.model.class_of(rebec)).queue_bound as usize;
        let here = self.present(&entry);
        if here == FALSE {
            return Ok(());
        }
        if self.rebecs[rebec.index()].queue.len() >= bound {
            self.settle(rebec)?;
        }
        let queue = &self.rebecs[rebec.index()].queue;
        if let Some(last) = queue.get(bound.wrapping_sub(1)).cloned() {
            let full = self.present(&last);
            self.fault(here, full, FaultClass::Overflow);
        } else if bound == 0 {
            self.fault(here, TRUE, FaultClass::Overflow);
        }
        self.rebecs[rebec.index()].queue.push(entry);
        Ok(())
    }

    pub(super) fn present(&mut self, entry: &Entry) -> Lit {
        let list: Vec<Lit> = entry.iter().map(|queued| queued.present).collect();
        self.circuit.any(&list)
    }

    /// Moves messages to the front, so that empty places come after all others; no entry remains after the bound.
    pub(super) fn settle(&mut self, rebec: RebecId) -> Result<(), TooMuch> {
        let bound = self.model.class(self.model.class_of(rebec)).queue_bound as usize;
        let queue = std::mem::take(&mut self.rebecs[rebec.index()].queue);
        let mut settled: Vec<Entry> = Vec::new();
        for entry in queue {
            if entry.is_empty() {
                continue;
            }
            let here = self.present(&entry);
            if here == TRUE && settled.last().is_none_or(|last| last.iter().any(|queued| queued.present == TRUE)) {
                settled.push(entry);
                continue;
            }
            // The message moves to the first empty place.
            settled.push(Entry::new());
            let mut before = TRUE;
            for target in &mut settled {
                let taken = self.present(target);
                let lands = self.circuit.and(before, taken.opposite());
                before = taken;
                if lands == FALSE {
                    continue;
                }
                for queued in &entry {
                    self.merge(target, queued.clone(), lands)?;
                }
            }
            while settled.last().is_some_and(Vec::is_empty) {
                settled.pop();
            }
        }
        debug_assert!(settled.iter().all(|entry| !entry.is_empty()), "messages move to the front");
        settled.truncate(bound);
        self.rebecs[rebec.index()].queue = settled;
        Ok(())
    }

    /// Requires that the slice shows this view of the state; values that it fixes are constants from here onwards.
    pub(super) fn require_view(&mut self, slice: &Slice, view: &View) -> Result<(), TooMuch> {
        let model = self.model;
        for index in 0..self.rebecs.len() {
            let id = RebecId::from_index(index);
            self.settle(id)?;
            let Some(new) = slice.image(model, id) else { continue };
            let Some(Some(ShownRebec { values, queue })) = view.rebecs.get(new.index()) else { continue };
            let class = model.class_of(id);
            debug_assert_eq!(slice.elements(model, class).count(), values.len(), "the slice shows what stays");
            for (element, wanted) in slice.elements(model, class).zip(values) {
                let mut symbol = std::mem::take(&mut self.rebecs[index].values[element]);
                self.pin(&mut symbol, slice, *wanted);
                self.rebecs[index].values[element] = symbol;
            }
            self.require_queue(slice, id, queue)?;
        }
        Ok(())
    }

    /// Requires that the slice shows this value.
    fn pin(&mut self, symbol: &mut Symbol, slice: &Slice, wanted: Value) {
        symbol.retain(|&(value, _)| slice.value(self.model, value) == wanted);
        let lits: Vec<Lit> = symbol.iter().map(|entry| entry.1).collect();
        self.circuit.require_any(&lits);
        if let [only] = &mut symbol[..] {
            only.1 = TRUE;
        }
    }

    /// Requires that the messages of the slice are these, in this order.
    fn require_queue(&mut self, slice: &Slice, rebec: RebecId, wanted: &[ShownMessage]) -> Result<(), TooMuch> {
        let class = self.model.class_of(rebec).index();
        let servers = slice.maps.servers[class].clone();
        let queue = self.rebecs[rebec.index()].queue.clone();
        // shown[n]: exactly n messages of the slice come before this place.
        let mut shown = vec![TRUE];
        let mut settled = Vec::new();
        for mut entry in queue {
            let mut next = vec![FALSE; shown.len() + 1];
            let mut visible = FALSE;
            for queued in &mut entry {
                let Some(server) = servers[queued.server.index()] else { continue };
                visible = self.circuit.or(visible, queued.present);
                for (place, &before) in shown.iter().enumerate() {
                    let here = self.circuit.and(before, queued.present);
                    let fits = match wanted.get(place) {
                        Some(wanted) if wanted.server == server.index() => self.same(slice, class, queued, wanted)?,
                        _ => FALSE,
                    };
                    self.circuit.require_any(&[here.opposite(), fits]);
                }
            }
            for (place, &before) in shown.iter().enumerate() {
                let (on, stays) = (self.circuit.and(before, visible), self.circuit.and(before, visible.opposite()));
                next[place + 1] = self.circuit.or(next[place + 1], on);
                next[place] = self.circuit.or(next[place], stays);
            }
            shown = next;
            settled.push(entry);
        }
        self.circuit.require(shown.get(wanted.len()).copied().unwrap_or(FALSE));
        if servers.iter().all(Option::is_some) {
            settled.truncate(wanted.len());
            for (entry, wanted) in settled.iter_mut().zip(wanted) {
                entry.retain(|queued| {
                    servers[queued.server.index()].is_some_and(|server| server.index() == wanted.server)
                });
                if let [only] = &mut entry[..] {
                    only.present = TRUE;
                    self.pin_message(slice, class, only, wanted);
                }
            }
        }
        self.rebecs[rebec.index()].queue = settled;
        Ok(())
    }

    /// The condition under which a message is shown as this one.
    fn same(&mut self, slice: &Slice, class: usize, queued: &Queued, wanted: &ShownMessage) -> Result<Lit, TooMuch> {
        let model = self.model;
        let shown = |value: Value| match value {
            Value::Rebec(rebec) => Value::Rebec(slice.image(model, rebec).unwrap_or(rebec)),
            other => other,
        };
        let mut lit = self.shows(&queued.sender, &shown, Value::Rebec(wanted.sender));
        let stays = &slice.maps.parameters[class][queued.server.index()];
        debug_assert_eq!(stays.len(), queued.arguments.len(), "every argument stays or is removed");
        debug_assert_eq!(stays.iter().filter(|one| **one).count(), wanted.arguments.len(), "what stays is shown");
        let own = queued.arguments.iter().zip(stays).filter(|(_, stays)| **stays);
        for ((argument, _), wanted) in own.zip(&wanted.arguments) {
            let one = self.shows(argument, &|value| slice.value(model, value), *wanted);
            lit = self.circuit.and(lit, one);
        }
        if self.circuit.is_too_large() { Err(TooMuch) } else { Ok(lit) }
    }

    fn shows(&mut self, symbol: &Symbol, shown: &dyn Fn(Value) -> Value, wanted: Value) -> Lit {
        let lits: Vec<Lit> = symbol.iter().filter(|entry| shown(entry.0) == wanted).map(|entry| entry.1).collect();
        self.circuit.any(&lits)
    }

    fn pin_message(&mut self, slice: &Slice, class: usize, queued: &mut Queued, wanted: &ShownMessage) {
        let stays = slice.maps.parameters[class][queued.server.index()].clone();
        let own = queued.arguments.iter_mut().zip(stays).filter(|(_, stays)| *stays);
        for ((argument, _), wanted) in own.zip(&wanted.arguments) {
            self.pin(argument, slice, *wanted);
        }
    }

    /// Records the current state and the rebecs that moved.
    pub(super) fn record(&self, movers: Vec<(RebecId, Lit)>) -> Recorded {
        Recorded { features: self.features.clone(), rebecs: self.rebecs.clone(), movers }
    }
}

fn known(message: &Message, present: Lit) -> Queued {
    let constant = |value: Value| vec![(value, TRUE)];
    Queued {
        server: message.server,
        present,
        sender: constant(Value::Rebec(message.sender)),
        arguments: message.arguments.iter().map(|&value| constant(value)).collect(),
    }
}

impl Recorded {
    /// The state in a valuation.
    pub(super) fn read(&self, model: &[bool]) -> Option<State> {
        let value = |symbol: &Symbol| symbol.iter().find(|entry| entry.1.holds(model)).map(|entry| entry.0);
        let features = self.features.iter().map(|symbol| value(symbol).map(|value| value == Value::Bool(true)));
        let rebecs = self.rebecs.iter().map(|rebec| {
            let values: Option<Vec<Value>> = rebec.values.iter().map(value).collect();
            let there = rebec.queue.iter().filter_map(|entry| entry.iter().find(|one| one.present.holds(model)));
            let messages = there.map(|queued| {
                let Value::Rebec(sender) = value(&queued.sender)? else { return None };
                let arguments: Option<Vec<Value>> = queued.arguments.iter().map(value).collect();
                Some(Message { server: queued.server, sender, arguments: arguments? })
            });
            let queue: Option<std::collections::VecDeque<Message>> = messages.collect();
            Some(Some(Rebec { values: values?, queue: queue? }))
        });
        Some(State { features: features.collect::<Option<_>>()?, rebecs: rebecs.collect::<Option<_>>()? })
    }

    /// The rebec that moved in a valuation.
    pub(super) fn mover(&self, model: &[bool]) -> Option<RebecId> {
        self.movers.iter().find(|entry| entry.1.holds(model)).map(|entry| entry.0)
    }
}
