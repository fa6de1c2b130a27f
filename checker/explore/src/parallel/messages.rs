//! What the driver and the workers send each other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use super::merge::Outbox;
use crate::memory::{Halt, bytes_of};
use crate::report::Limit;
use crate::search::Sharded;
use crate::watch::{TimedViolation, Watched};

/// A worker has ended early.
#[derive(Debug)]
pub(super) struct WorkerEnded;

/// The ends of the channels to and from a worker.
pub(super) struct Link<S: Watched + Sharded> {
    pub(super) to: Sender<Command<S::Learnt>>,
    pub(super) from: Receiver<Reply<S::Fault>>,
}

/// The new states of a round.
#[derive(Clone, Debug)]
pub(super) struct Fresh {
    /// Their keys, by worker.
    pub(super) keys: Vec<Arc<Vec<u64>>>,
    /// The number of the first of them.
    pub(super) first: u32,
}

/// The states to expand, and the numbers that the worker receives before.
#[derive(Debug)]
pub(super) struct Round {
    /// The numbers of the states.
    pub(super) from: u32,
    pub(super) to: u32,
    /// The bytes that the worker may take.
    pub(super) most_bytes: u64,
    /// The depth of the first of them, and the first that is one deeper.
    pub(super) depth: u64,
    pub(super) level_end: u32,
    /// The new states that have numbers by now.
    pub(super) fresh: Vec<Fresh>,
    /// A buffer.
    pub(super) done: Vec<Done>,
    /// Whether every state is deferred at once.
    pub(super) is_direct: bool,
}

/// An order to a worker.
pub(super) enum Command<L> {
    Expand(Round),
    /// Boxes packed as they were when they were filled, and the last box packed as after the new values.
    Store {
        boxes: Vec<Outbox>,
        last: Outbox,
        learnt: Option<Arc<L>>,
        /// A buffer.
        keys: Vec<u64>,
        /// The number of states that all workers together may soon have.
        states: u32,
    },
    /// Store the successors that wait to be looked up on the disk; with a buffer.
    Resolve(Vec<u64>),
}

/// A state that was expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) number: u32,
    pub(super) transitions: u32,
    pub(super) leaves_out: bool,
}

/// A state that a worker could not expand.
#[derive(Debug)]
pub(super) struct Deferred {
    pub(super) number: u32,
    /// Its number in the store of the worker.
    pub(super) local: u32,
    pub(super) fields: Vec<u32>,
    /// Whether a run may end there, which only its worker can say.
    pub(super) may_end: bool,
}

/// The result of one half of a round.
pub(super) struct Reply<F> {
    /// By owner.
    pub(super) boxes: Vec<Outbox>,
    pub(super) deferred: Vec<Deferred>,
    pub(super) done: Vec<Done>,
    /// The keys of new states.
    pub(super) keys: Vec<u64>,
    pub(super) found: Vec<TimedViolation<F>>,
    pub(super) deadlocks: u64,
    pub(super) faults: bool,
    /// The first bound that left out a successor in the expansion of a state.
    pub(super) skipped: Option<(u32, Limit)>,
    /// The reason that kept the worker from continuing, and the key of the successor that it could not store.
    pub(super) failed: Option<(u64, Halt)>,
    /// The event that stopped the worker within a step.
    pub(super) stopped: Option<limits::Stopped>,
    /// Whether successors may wait, and for how many there is room.
    pub(super) waits: bool,
    pub(super) room: usize,
    /// Whether the waiting successors should be stored.
    pub(super) is_due: bool,
    pub(super) bytes: u64,
}

impl<F> Reply<F> {
    /// Nothing yet, with empty boxes.
    pub(super) fn new(boxes: Vec<Outbox>) -> Reply<F> {
        Reply {
            boxes,
            deferred: Vec::new(),
            done: Vec::new(),
            keys: Vec::new(),
            found: Vec::new(),
            deadlocks: 0,
            faults: false,
            skipped: None,
            failed: None,
            stopped: None,
            waits: false,
            room: 0,
            is_due: false,
            bytes: 0,
        }
    }

    /// Bytes allocated.
    pub(super) fn held(&self) -> u64 {
        let lists = bytes_of::<Done>(self.done.capacity()) + bytes_of::<u64>(self.keys.capacity());
        let deferred = |state: &Deferred| size_of::<Deferred>() as u64 + bytes_of::<u32>(state.fields.capacity());
        lists + self.boxes.iter().map(Outbox::bytes).sum::<u64>() + self.deferred.iter().map(deferred).sum::<u64>()
    }
}
