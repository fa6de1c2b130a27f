//! Memoised steps: (slot, local state) to the effects of serving the oldest message, as a flat record.
//!
//! A miss calls [`frontend::interpret::serve`]. The message is removed, the values are written back, and effects
//! inside the step are applied at once: sends to the own queue and to rebecs created in the step. The sends to others
//! remain, in order. A refused send to the own queue cuts the outcome there: it ends in that overflow unless an
//! earlier send to another rebec is refused first. Equal outcomes are kept once.
//!
//! A record is `[set, outcomes, outcome ..]`, where the set is that of the parts of the model that the step executes, an outcome `[stop + 1 or 0, local state, sends, created, send .., created ..]`, a
//! send `[slot, message, start of span, end of span]`, a created rebec `[slot, local state]`.

use std::collections::VecDeque;

use frontend::interpret::{Activation, Effect, Fault, Heap, Message, Outcome, Rebec, Served, Stop, deliver, serve};
use frontend::model::{RebecId, Value};
use frontend::source::Span;
use rustc_hash::FxHashSet;

use super::slot::{CONTEXT, UNKNOWN, pair};
use super::tables::Tables;
use explore::memory::Halt;

/// The context of a step: its inputs in addition to the local state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Context {
    /// The values of the feature variables.
    pub(crate) features: Vec<bool>,
    /// The number of created rebecs.
    pub(crate) heap: Heap,
}

/// A memoised outcome.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutcomeView {
    /// The stop at its end, as an index.
    pub(crate) stop: Option<u32>,
    /// The local state of the rebec that served, its sends to itself included; meaningless with a stop.
    pub(crate) local: u32,
    /// The number of messages that it sends to others.
    pub(crate) sends: usize,
    /// The number of rebecs that it creates; meaningless with a stop.
    pub(crate) created: usize,
    at: usize,
}

/// A memoised send to another rebec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Send {
    /// The receiver.
    pub(crate) slot: usize,
    /// The message.
    pub(crate) message: u32,
    /// The statement.
    pub(crate) span: Span,
}

const HEAD_WORDS: usize = 2;
const OUTCOME_WORDS: usize = 4;
const SEND_WORDS: usize = 4;
const CREATED_WORDS: usize = 2;

impl OutcomeView {
    /// The place where the next outcome of the record begins.
    pub(crate) fn next(&self) -> usize {
        self.at + OUTCOME_WORDS + SEND_WORDS * self.sends + CREATED_WORDS * self.created
    }
}

impl Tables<'_> {
    /// The number of outcomes of the record at an offset, and the place of the first.
    #[inline]
    pub(crate) fn record(&self, offset: u32) -> (u32, usize) {
        (self.records[offset as usize + 1], offset as usize + HEAD_WORDS)
    }

    /// The number of the set of parts that the step of the record at an offset executes.
    #[inline]
    pub(crate) fn executed(&self, offset: u32) -> u32 {
        self.records[offset as usize]
    }

    /// The outcome at a place of a record.
    #[inline]
    pub(crate) fn outcome(&self, at: usize) -> OutcomeView {
        let words = &self.records[at..at + OUTCOME_WORDS];
        OutcomeView {
            stop: words[0].checked_sub(1),
            local: words[1],
            sends: words[2] as usize,
            created: words[3] as usize,
            at,
        }
    }

    /// A send of an outcome.
    #[inline]
    pub(crate) fn send(&self, outcome: &OutcomeView, index: usize) -> Send {
        let words = &self.records[outcome.at + OUTCOME_WORDS + SEND_WORDS * index..][..SEND_WORDS];
        Send { slot: words[0] as usize, message: words[1], span: Span { start: words[2], end: words[3] } }
    }

    /// A rebec that an outcome creates: its slot and local state.
    pub(crate) fn created(&self, outcome: &OutcomeView, index: usize) -> (usize, u32) {
        let at = outcome.at + OUTCOME_WORDS + SEND_WORDS * outcome.sends + CREATED_WORDS * index;
        (self.records[at] as usize, self.records[at + 1])
    }

    /// The stop of an outcome.
    pub(crate) fn stop(&self, stop: u32) -> &Stop {
        &self.stops[stop as usize]
    }

    /// The record of a step that depends on the local state only.
    ///
    /// # Errors
    /// No room.
    pub(crate) fn compute(&mut self, slot: usize, local: u32) -> Result<u32, Halt> {
        assert_eq!(self.slots[slot].steps[local as usize], UNKNOWN, "a step is computed once");
        let offset = self.new_record(slot, local, &Context::default())?;
        self.slots[slot].steps[local as usize] = offset;
        Ok(offset)
    }

    /// The record of a step in a context, which has this number.
    ///
    /// # Errors
    /// No room.
    pub(crate) fn compute_in(&mut self, slot: usize, local: u32, number: u32, context: &Context) -> Result<u32, Halt> {
        if let Some(&offset) = self.slots[slot].contextual.get(&pair(local, number)) {
            return Ok(offset);
        }
        assert!(self.slots[slot].steps[local as usize] >= CONTEXT, "a step depends on its context, or is not known");
        let offset = self.new_record(slot, local, context)?;
        self.slots[slot].steps[local as usize] = CONTEXT;
        self.slots[slot].contextual.insert(pair(local, number), offset);
        Ok(offset)
    }

    fn new_record(&mut self, slot: usize, local: u32, context: &Context) -> Result<u32, Halt> {
        self.miss();
        let mut rebec = self.decode(slot, local).expect("a rebec that has a message");
        let message = rebec.queue.pop_front().expect("a rebec that has a message");
        let Served { outcomes, marks } = serve(&Activation {
            model: self.model,
            bounds: &self.bounds,
            features: &context.features,
            rebec: RebecId::from_index(slot),
            values: &rebec.values,
            heap: &context.heap,
            message: &message,
        });
        let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut executed = vec![self.number_of_server(slot, message.server)];
        executed.extend(self.parts.numbers(&marks));
        let mut record = vec![self.executions.set(executed), 0];
        for outcome in outcomes {
            let words = self.encode(slot, rebec.queue.clone(), outcome)?;
            if !seen.contains(&words) {
                record.extend_from_slice(&words);
                record[1] += 1;
                seen.insert(words);
            }
        }
        debug_assert!(record[1] > 0, "a message server has an outcome");
        let offset = u32::try_from(self.records.len()).ok().filter(|&offset| offset < CONTEXT).ok_or(Halt::Memory)?;
        self.records.append(&mut record);
        Ok(offset)
    }

    /// The words of one outcome. `own` is the queue behind the served message.
    fn encode(&mut self, slot: usize, own: VecDeque<Message>, outcome: Outcome) -> Result<Vec<u32>, Halt> {
        let mut step = Step { slot, own, created: Vec::new(), sends: Vec::new() };
        let stop = step.apply(self, outcome.effects)?.or(outcome.stop);
        debug_assert_eq!(step.sends.len() % SEND_WORDS, 0, "sends are whole");
        let mut words = vec![0; OUTCOME_WORDS];
        words[2] = u32::try_from(step.sends.len() / SEND_WORDS).map_err(|_| Halt::Memory)?;
        words.append(&mut step.sends);
        if let Some(stop) = stop {
            words[0] = self.intern_stop(stop)? + 1;
            return Ok(words);
        }
        words[1] = self.intern(slot, &outcome.values, &step.own)?;
        words[3] = u32::try_from(step.created.len()).map_err(|_| Halt::Memory)?;
        for (id, rebec) in &step.created {
            self.grow(id.index() + 1);
            words.extend([id.0, self.intern(id.index(), &rebec.values, &rebec.queue)?]);
        }
        Ok(words)
    }

    fn intern_stop(&mut self, stop: Stop) -> Result<u32, Halt> {
        let (index, _) = self.stops.insert_full(stop);
        u32::try_from(index).ok().filter(|&index| index < u32::MAX).ok_or(Halt::Memory)
    }
}

/// An outcome while its effects are applied.
struct Step {
    slot: usize,
    own: VecDeque<Message>,
    created: Vec<(RebecId, Rebec)>,
    sends: Vec<u32>,
}

impl Step {
    /// Applies effects in order up to a refused send inside the step, which is the result.
    fn apply(&mut self, tables: &mut Tables<'_>, effects: Vec<Effect>) -> Result<Option<Stop>, Halt> {
        let model = tables.model;
        for effect in effects {
            let (receiver, message, span) = match effect {
                Effect::Create { rebec, values } => {
                    self.create(rebec, values);
                    continue;
                }
                Effect::Send { receiver, message, span } => (receiver, message, span),
            };
            let created = self.created.iter_mut().find(|(id, _)| *id == receiver);
            let queue = match created {
                Some((_, rebec)) => &mut rebec.queue,
                None if receiver.index() == self.slot => &mut self.own,
                None => {
                    let number = tables.messages.intern(model.class_of(receiver), &message)?;
                    self.sends.extend([receiver.0, number, span.start, span.end]);
                    continue;
                }
            };
            if let Err(kind) = deliver(model, receiver, queue, message) {
                return Ok(Some(Stop::Fault(Fault { kind, span })));
            }
        }
        Ok(None)
    }

    fn create(&mut self, rebec: RebecId, values: Vec<Value>) {
        self.created.push((rebec, Rebec { values, queue: VecDeque::new() }));
    }
}
