//! The rebec that may be expanded for all: the conditions of [`partial_order`](crate::partial_order) on packed
//! states.
//!
//! Facts that depend on one local state are stored by its number: the kinds of the messages in its queue, and for the
//! step of its oldest message whether it may be a singleton ample set and which rebecs receive its sends. The rest is
//! read from the queues of the other rebecs. If a full queue refuses a step of a rebec, the rebec is not expanded by
//! itself; its successors are dropped and the next rebec is tried.
//!
//! Invariants: the messages and sends met are among those of the analysis (asserted).

use frontend::interpret::Message;
use frontend::model::RebecId;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::expand::Expansion;
use super::slot::pair;
use super::space::Space;
use super::tables::Tables;
use crate::partial_order::flow::{Kind, stand_in};
use crate::partial_order::{Overflow, PartialOrder};
use explore::memory::{Footprint, Halt, bytes_of};
use explore::reductions::{Outcome, Reduction, ReductionKind};

/// A step that is never an ample set.
const NEVER: u32 = u32::MAX;

/// A plan with the facts about local states.
#[derive(Clone, Debug)]
pub(crate) struct Ample {
    plan: PartialOrder,
    /// By offset of a record: [`NEVER`], or the place where the set of its receivers begins.
    steps: HashMap<u32, u32, FxBuildHasher>,
    receivers: Vec<u64>,
    /// By (slot, local state): the place where the kinds of its queue begin, their number first.
    queues: HashMap<u64, u32, FxBuildHasher>,
    kinds: Vec<u32>,
    /// States that were expanded by one rebec.
    pub(super) singletons: u64,
}

impl Ample {
    /// No facts yet.
    pub(crate) fn new(plan: PartialOrder) -> Ample {
        Ample {
            plan,
            steps: HashMap::default(),
            receivers: Vec::new(),
            queues: HashMap::default(),
            kinds: Vec::new(),
            singletons: 0,
        }
    }

    /// The description in a report.
    pub(super) fn describe(&self) -> Reduction {
        let (free, kinds) = (self.plan.free.count_ones(), self.plan.flow.kinds.len());
        let keeps_overflow = self.plan.overflow != Overflow::Hidden;
        let outcome = Outcome::Servers { expansions: self.singletons, free, kinds, keeps_overflow };
        Reduction { kind: ReductionKind::PartialOrder, outcome }
    }

    /// Bytes held.
    pub(crate) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_table::<(u32, u32)>(self.steps.capacity());
        footprint.add_table::<(u64, u32)>(self.queues.capacity());
        footprint.add_vec(&self.kinds);
        footprint.add(bytes_of::<u64>(self.receivers.capacity()));
        footprint
    }

    /// Whether the step of a rebec may be the ample set of a state, unless a queue refuses one of its sends.
    fn may_be_singleton(&mut self, space: &Space<'_>, words: &[u64], slot: usize, record: u32) -> bool {
        let local = space.get(words, slot);
        let receivers = match self.steps.get(&record) {
            Some(&known) => known,
            None => {
                let found = self.learn_step(&space.tables, slot, local, record);
                self.steps.insert(record, found);
                found
            }
        };
        if receivers == NEVER {
            return false;
        }
        let receivers = receivers as usize..receivers as usize + self.plan.between.words();
        if self.plan.wrong.senders_ignored() || self.receivers[receivers.clone()].iter().all(|&word| word == 0) {
            return true;
        }
        let rebec = RebecId::from_index(slot);
        (0..space.slots()).filter(|&other| other != slot).all(|other| {
            let local = space.get(words, other);
            if !space.tables.has_messages(other, local) {
                return true;
            }
            let at = self.queue(&space.tables, other, local);
            let (sends, receivers) = (&self.plan.between, &self.receivers[receivers.clone()]);
            let kinds = &self.kinds[at + 1..][..self.kinds[at] as usize];
            !kinds.iter().any(|&kind| sends.reaches(rebec, kind, receivers))
        })
    }

    /// The place of the kinds of the messages of a local state.
    fn queue(&mut self, tables: &Tables<'_>, slot: usize, local: u32) -> usize {
        if let Some(&known) = self.queues.get(&pair(index32(slot), local)) {
            return known as usize;
        }
        let at = index32(self.kinds.len());
        let mut kinds: Vec<u32> =
            tables.queue(slot, local).filter_map(|message| self.kind(tables, slot, message)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        self.kinds.push(index32(kinds.len()));
        self.kinds.append(&mut kinds);
        self.queues.insert(pair(index32(slot), local), at);
        at as usize
    }

    /// The kind of a message to a slot; none only under a known-wrong variant.
    fn kind(&self, tables: &Tables<'_>, slot: usize, message: &Message) -> Option<u32> {
        let model = tables.model;
        let kind = Kind {
            receiver: stand_in(model, RebecId::from_index(slot)),
            server: message.server,
            sender: stand_in(model, message.sender),
        };
        let number = self.plan.flow.number(kind);
        assert!(number.is_some() || self.plan.wrong.known_rebecs_only(), "the analysis misses the message {kind:?}");
        number
    }

    /// Conditions 1, 2, 3 and 5 on a step; returns the place of its receivers.
    fn learn_step(&mut self, tables: &Tables<'_>, slot: usize, local: u32, record: u32) -> u32 {
        let message = tables.oldest(slot, local).expect("a step serves a message");
        let served = self.kind(tables, slot, message);
        let class = tables.model.class(tables.model.class_of(RebecId::from_index(slot)));
        let is_initial = class.servers[message.server.index()].name == "initial";
        let (outcomes, mut at) = tables.record(record);
        let mut receivers = vec![0u64; self.plan.between.words()];
        let mut add = |rebec: RebecId| receivers[rebec.index() / 64] |= 1 << (rebec.index() % 64);
        let this = stand_in(tables.model, RebecId::from_index(slot));
        let mut may_be_singleton = served.is_none_or(|served| self.plan.free[served as usize]);
        if self.plan.overflow != Overflow::Hidden {
            add(this);
        }
        let before = tables.queue(slot, local).count();
        for _ in 0..outcomes {
            let outcome = tables.outcome(at);
            at = outcome.next();
            for send in 0..outcome.sends {
                let send = tables.send(&outcome, send);
                let sent = self.kind(tables, send.slot, tables.messages.message(send.message));
                self.covers(served, sent);
                add(stand_in(tables.model, RebecId::from_index(send.slot)));
            }
            if outcome.stop.is_some() {
                may_be_singleton &= self.plan.wrong.faults_ignored();
                continue;
            }
            may_be_singleton &= outcome.created == 0 || self.plan.renumbers;
            if tables.queue(slot, outcome.local).count() >= before {
                add(this);
            }
            for sent in tables.queue(slot, outcome.local).skip(before - 1) {
                self.covers(served, self.kind(tables, slot, sent));
            }
            may_be_singleton &= (is_initial && self.plan.wrong.initial_is_invisible())
                || !self.shows(tables, slot, local, outcome.local);
        }
        if !may_be_singleton {
            return NEVER;
        }
        let at = index32(self.receivers.len());
        self.receivers.append(&mut receivers);
        at
    }

    /// Asserts that the analysis knows an arrow.
    fn covers(&self, from: Option<u32>, to: Option<u32>) {
        let (Some(from), Some(to)) = (from, to) else { return };
        assert!(
            self.plan.wrong.known_rebecs_only() || self.plan.flow.leads(from, to),
            "the analysis misses a send: {:?} to {:?}",
            self.plan.flow.kinds[from as usize],
            self.plan.flow.kinds[to as usize]
        );
    }

    /// Whether two local states of a rebec differ in an element that a property reads.
    fn shows(&self, tables: &Tables<'_>, slot: usize, before: u32, after: u32) -> bool {
        let elements = self.plan.visible.get(slot).map_or(&[][..], Vec::as_slice);
        let differs = |&element: &usize| tables.element(slot, before, element) != tables.element(slot, after, element);
        !self.plan.wrong.nothing_is_visible() && elements.iter().any(differs)
    }
}

fn index32(index: usize) -> u32 {
    u32::try_from(index).expect("bounded by the numbers of local states")
}

impl Expansion {
    /// Takes the steps of one rebec if they may stand for all; returns whether it did.
    ///
    /// # Errors
    /// No room.
    pub(super) fn expand_singleton(&mut self, space: &mut Space<'_>) -> Result<bool, Halt> {
        let Some(mut ample) = space.ample.take() else { return Ok(false) };
        let found = self.find(space, &mut ample);
        if let Ok(true) = found {
            ample.singletons += 1;
        }
        space.ample = Some(ample);
        found
    }

    fn find(&mut self, space: &mut Space<'_>, ample: &mut Ample) -> Result<bool, Halt> {
        for slot in 0..space.slots() {
            let Some(record) = space.record(&self.current, slot)? else { continue };
            if !ample.may_be_singleton(space, &self.current, slot, record) {
                continue;
            }
            self.step(space, slot, record)?;
            assert!(!self.movers.is_empty() || !self.stopped.is_empty(), "an ample set has an enabled step");
            if self.stopped.is_empty() || ample.plan.wrong.faults_ignored() {
                return Ok(true);
            }
            self.words.clear();
            self.hashes.clear();
            self.movers.clear();
            self.stopped.clear();
        }
        Ok(false)
    }
}
