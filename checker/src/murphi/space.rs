//! The state space of a model of Murphi: packed states, and their steps by compiled code, or by the reference interpreter where
//! code does not do. A search that takes states in the order of their numbers computes the steps of later states ahead
//! ([`Precomputed`]), but in a quotient, where a step that a search would not have taken could cost a part of the group.

use std::io;
use std::sync::Arc;

use explore::branching::Edges;
use explore::checkpoint::{Damaged, Reader, Saved, Writer};
use explore::executions::{Executions, Noted};
use explore::memory::{Footprint, Halt, bytes_of, growth, reserve};
use explore::question::Limits;
use explore::reductions::Reduction;
use explore::report::QueryKind;
use explore::search::{self, Lookahead, Precomputed, Sharded, StateSpace, Tally};
use explore::states::{Layout, NO_PARENT, Probes, Store};
use frontend::murphi::interpret::{
    Deadlock, Fault, FaultKind, State, Step, Watched, starts, starts_in_any_order, successors, successors_in_any_order,
};
use frontend::murphi::program::{CoverId, Program, RuleId};
use frontend::murphi::trace::Faulting;
use frontend::parts::Parts;

use super::code::Code;
use super::compile::{Wrong, compile};
use super::images::Image;
use super::machine::Machine;
use super::memo::Memo;
use super::nearby::{Known, Successor};
use super::packing::{Packing, value};
use super::partial_order::{Ample, Choice};
use super::signature::Scratch;
use super::steps::{End, Knowledge, Steps, Unsure};
use super::symmetry::Symmetry;
use crate::patch::apply;
use crate::tuning::TUNING;

/// The state space of a model.
#[derive(Clone, Debug)]
pub(super) struct Space<'m> {
    /// The model.
    pub(super) program: &'m Program,
    pub(super) packing: Packing,
    pub(super) store: Store,
    pub(super) most_bytes: u64,
    /// Which states are deadlocks.
    pub(super) deadlock: Deadlock,
    /// With a quotient: the exchanges of values.
    pub(super) symmetry: Option<Arc<Symmetry>>,
    /// With partial order: the choice of steps that may stand for all.
    pub(super) ample: Option<Ample>,
    /// The compiled model, unless the interpreter has to do.
    pub(super) code: Option<Code>,
    /// What is known of its instances.
    pub(super) knowledge: Knowledge,
    /// The images at which invariants are checked that the group moves, by name.
    pub(super) images: Vec<(String, Vec<Image>)>,
    /// The steps between stored states, if they are kept.
    pub(super) edges: Option<Edges>,
    pub(super) lookahead: Precomputed<Expansion>,
    /// The parts of the model.
    pub(super) parts: Arc<Parts>,
    /// How often they were executed.
    pub(super) executions: Executions,
}

impl<'m> Space<'m> {
    /// An empty space for at most so many states and bytes; with symmetries that of the quotient.
    pub(super) fn new(
        program: &'m Program,
        symmetry: Option<Arc<Symmetry>>,
        deadlock: Deadlock,
        limits: &Limits,
    ) -> Space<'m> {
        let none = Watched::default();
        let watched = symmetry.as_ref().map_or(&none, |symmetry| &symmetry.watched);
        let parts = Arc::new(Parts::of_murphi(program));
        let code = compile(program, &parts, watched, Wrong::default());
        let packing = Packing::new(program);
        let knowledge = code.as_ref().map_or_else(Knowledge::default, |code| Knowledge::new(code, &packing));
        let store = Store::new(packing.layout.bytes(), limits.max_states.unwrap_or(u64::MAX), TUNING.search);
        Space {
            program,
            packing,
            store,
            most_bytes: limits.max_memory.unwrap_or(u64::MAX),
            deadlock,
            symmetry,
            ample: None,
            code,
            knowledge,
            images: Vec::new(),
            edges: None,
            lookahead: Precomputed::default(),
            executions: Executions::new(parts.list.len()),
            parts,
        }
    }

    /// The start states, or the steps of a state.
    fn steps_from(&self, state: Option<&State>) -> Vec<Step> {
        let Some(symmetry) = self.symmetry.as_ref().filter(|symmetry| !symmetry.watched.is_empty()) else {
            return state.map_or_else(|| starts(self.program), |state| successors(self.program, state));
        };
        let (steps, broken) = match state {
            Some(state) => successors_in_any_order(self.program, state, &symmetry.watched),
            None => starts_in_any_order(self.program, &symmetry.watched),
        };
        symmetry.note(broken);
        steps
    }

    /// The state that is stored for a state.
    pub(super) fn stored_for(&self, state: State) -> State {
        match &self.symmetry {
            Some(symmetry) => symmetry.least_state(self.program, &state),
            None => state,
        }
    }

    /// The state of a number.
    pub(super) fn state(&self, number: u32) -> State {
        self.packing.unpack(&self.store.state(number))
    }
}

impl Saved for Space<'_> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.executions.save(to)?;
        self.store.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        self.executions.restore(from)?;
        self.store.restore(from)?;
        let used = self.packing.layout.used();
        let is_state = |number| self.packing.is_state(&self.store.state(number), &used);
        let is_whole = self.store.stride() == self.packing.layout.stride() && (0..self.store.len()).all(is_state);
        if is_whole { Ok(()) } else { Err(Damaged) }
    }
}

/// The steps of one state.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// The state itself.
    current: Vec<u64>,
    /// Packed successors, one after the other.
    words: Vec<u64>,
    probes: Probes,
    /// The successors, in the order of the reference semantics.
    numbers: Vec<u32>,
    /// The instances that fault, in the same order.
    pub(super) faults: Vec<Faulting>,
    /// The check that each of them violates.
    pub(super) kinds: Vec<QueryKind>,
    /// The `cover` statements that are met.
    pub(super) covers: Vec<CoverId>,
    /// The sets of parts that all instances executed, faulting ones included.
    executed: Vec<u32>,
    /// Whether the state is no deadlock.
    is_enabled: bool,
    choice: Choice,
    working: Box<Working>,
}

/// What the steps of all states are computed by.
#[derive(Debug, Default)]
struct Working {
    machine: Machine,
    representatives: Representatives,
}

/// The search for the representatives of successors.
#[derive(Debug, Default)]
struct Representatives {
    memo: Memo,
    scratch: Scratch,
    least: Vec<i64>,
    packed: Vec<u64>,
    /// What is known of the images of the current state.
    known: Known,
    /// The cells of a successor.
    next: Vec<i64>,
    /// The cells by which it differs from the current state.
    changed: Vec<usize>,
}

/// The symmetries of a program on its packed states.
#[derive(Clone, Copy)]
struct Acting<'a> {
    symmetry: &'a Symmetry,
    packing: &'a Packing,
    program: &'a Program,
}

impl Representatives {
    /// Replaces a packed successor of the current state, whose cells are given, by its representative.
    fn represent(&mut self, acting: Acting<'_>, from: &[i64], current: &[u64], words: &mut [u64]) {
        let (
            Acting { symmetry, packing, program },
            Representatives { memo, scratch, least, packed, known, next, changed },
        ) = (acting, self);
        if let Some(representative) = memo.get(words) {
            return words.copy_from_slice(representative);
        }
        next.clear();
        next.extend_from_slice(from);
        changed.clear();
        packing.differences(current, words, |at, value| {
            next[at] = value;
            changed.push(at);
        });
        packed.clear();
        if let Some(nearby) = symmetry.nearby() {
            packed.extend_from_slice(words);
            let successor = Successor { from, state: next, changed: changed.iter().copied() };
            if let Some(element) = nearby.least(successor, known, symmetry.wrong) {
                nearby.differences(element, next, |at, value| packing.set(packed, at, value));
            }
        } else {
            symmetry.least(program, next, scratch, least);
            packing.pack(least.iter().copied(), packed);
        }
        memo.put(words, packed);
        words.copy_from_slice(packed);
    }
}

impl Expansion {
    /// Computes the packed successors of the current state; returns their number.
    ///
    /// # Errors
    /// No room.
    fn compute(&mut self, space: &mut Space<'_>) -> Result<usize, Halt> {
        self.forget();
        let computed = self.perform(space);
        if let Some(symmetry) = &space.symmetry {
            if self.working.machine.order.is_broken {
                // The interpreter tells the binders.
                let state = space.packing.unpack(&self.current);
                drop(space.steps_from(Some(&state)));
                if symmetry.broken().is_empty() {
                    symmetry.note_all();
                }
            }
            if symmetry.is_broken() {
                // The search is repeated without the quotient.
                return Err(Halt::Work);
            }
        }
        match computed? {
            Ok(count) => Ok(count),
            Err(Unsure) => {
                self.forget();
                self.interpret(space)
            }
        }
    }

    fn forget(&mut self) {
        self.words.clear();
        self.faults.clear();
        self.kinds.clear();
        self.covers.clear();
        self.executed.clear();
        self.choice.clear();
        self.working.representatives.known.forget();
        self.is_enabled = false;
    }

    /// Computes by compiled code, if there is any.
    fn perform(&mut self, space: &mut Space<'_>) -> Result<Result<usize, Unsure>, Halt> {
        let Expansion { current, words, faults, kinds, covers, executed, is_enabled, choice, working, .. } = self;
        let Space { program, packing, store, ample, deadlock, code, knowledge, executions, .. } = space;
        let first = RuleId::from_index(program.rules.len()).0;
        let Some(code) = code else { return Ok(Err(Unsure)) };
        let (mut count, mut halt) = (0, None);
        let steps = Steps { program, code, packing };
        let performed = steps.successors(current, knowledge, &mut working.machine, &mut |machine, found| {
            let (met, parts) = match &found.end {
                End::Known(step) => (&*step.covers, &*step.executed),
                End::Written | End::Fault(_) => (&*machine.covers, &*machine.executed),
            };
            covers.extend_from_slice(met);
            if parts.is_empty() {
                executed.push(RuleId::from_index(found.rule).0);
            } else {
                executions.note(Noted { words: parts, first }, executed);
            }
            if let Some(ample) = ample {
                let is_fault = matches!(found.end, End::Fault(_));
                let list = if is_fault { &mut choice.faulting } else { &mut choice.taken };
                list.push(ample.number(found.rule, found.values));
            }
            if let End::Fault(fault) = &found.end {
                *is_enabled = true;
                kinds.push(kind_of(fault));
                faults.push(Faulting { rule: RuleId::from_index(found.rule), values: found.values.to_vec() });
                return;
            }
            if let Err(reason) = room(words, packing.layout.stride(), store) {
                halt = Some(reason);
                return;
            }
            count += 1;
            let first = words.len();
            words.extend_from_slice(current);
            if let End::Known(step) = found.end {
                apply(&step.patches, &mut words[first..]);
            } else {
                for &at in &machine.written {
                    let at = at as usize;
                    packing.set(&mut words[first..], at, machine.memory[at]);
                }
            }
            *is_enabled = *is_enabled || *deadlock == Deadlock::Stuck || words[first..] != **current;
        });
        if let Some(reason) = halt {
            return Err(reason);
        }
        if performed.is_err() || (space.ample.is_none() && space.symmetry.is_none()) {
            return Ok(performed.map(|()| count));
        }
        Ok(Ok(self.keep(space)))
    }

    /// Keeps the steps of an ample set, or all, and replaces them by their representatives; returns their number.
    fn keep(&mut self, space: &Space<'_>) -> usize {
        let Expansion { current, words, choice, working, .. } = self;
        let Space { program, packing, symmetry, ample, code, .. } = space;
        let stride = packing.layout.stride();
        let all = words.len() / stride;
        let mut count = all;
        if let Some(ample) = ample
            && ample.choose(packing, current, words, choice)
        {
            count = 0;
            for place in (0..all).filter(|&place| choice.keeps(place)) {
                words.copy_within(place * stride..(place + 1) * stride, count * stride);
                count += 1;
            }
            words.truncate(count * stride);
        }
        if let (Some(symmetry), Some(code)) = (symmetry, code) {
            let Working { machine, representatives } = &mut **working;
            machine.enter(code, packing, current);
            let acting = Acting { symmetry, packing, program };
            words
                .chunks_exact_mut(stride)
                .for_each(|words| representatives.represent(acting, &machine.origin, current, words));
        }
        count
    }

    /// Computes by the reference interpreter.
    fn interpret(&mut self, space: &mut Space<'_>) -> Result<usize, Halt> {
        let Expansion { current, words, faults, kinds, covers, executed, is_enabled, .. } = self;
        let state = space.packing.unpack(current);
        let steps = space.steps_from(Some(&state));
        if space.symmetry.as_ref().is_some_and(|symmetry| symmetry.is_broken()) {
            // The search is repeated without the quotient.
            return Err(Halt::Work);
        }
        *is_enabled = !is_deadlock(space.deadlock, &state, &steps);
        room(words, steps.len() * space.packing.layout.stride(), &mut space.store)?;
        let mut count = 0;
        for step in steps {
            covers.extend(step.covers);
            executed.push(step.rule.0);
            executed.extend(space.parts.numbers(&step.marks));
            match step.result {
                Ok(next) => {
                    let stored = space.stored_for(next).into_iter().map(value);
                    space.packing.pack(stored, words);
                    count += 1;
                }
                Err(fault) => {
                    kinds.push(kind_of(&fault));
                    faults.push(Faulting { rule: step.rule, values: step.values });
                }
            }
        }
        Ok(count)
    }

    fn compute_stored(&mut self, space: &mut Space<'_>, number: u32) -> Result<usize, Halt> {
        self.current.clear();
        space.store.read(number, &mut self.current);
        space.store.is_whole()?;
        self.compute(space)
    }
}

/// Makes room for more words of successors.
fn room(words: &mut Vec<u64>, more: usize, store: &mut Store) -> Result<(), Halt> {
    let missing = (words.len() + more).saturating_sub(words.capacity());
    if missing > 0 {
        let (more, bytes) = growth(words, missing);
        store.request(bytes)?;
        reserve(words, more)?;
        store.charge(bytes);
    }
    Ok(())
}

/// The check that a fault violates.
pub(super) fn kind_of(fault: &Fault) -> QueryKind {
    if matches!(fault.kind, FaultKind::Assertion(_)) { QueryKind::Assertion } else { QueryKind::Error }
}

/// Whether a state with these steps is a deadlock: it is judged on the state itself and its own steps.
fn is_deadlock(kind: Deadlock, state: &State, steps: &[Step]) -> bool {
    frontend::murphi::interpret::is_deadlock(state, steps, kind)
}

impl search::Expansion for Expansion {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn successors(&self) -> impl Iterator<Item = u32> {
        self.numbers.iter().copied()
    }

    fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    fn clear(&mut self) {
        self.numbers.clear();
    }

    fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.current.capacity() + self.words.capacity())
            + self.probes.bytes()
            + bytes_of::<u32>(self.numbers.capacity() + self.executed.capacity())
            + bytes_of::<Faulting>(self.faults.capacity())
            + bytes_of::<Working>(1)
            + self.choice.bytes()
            + self.working.machine.bytes()
            + self.working.representatives.memo.bytes()
            + self.working.representatives.known.bytes()
    }
}

impl Lookahead for Space<'_> {
    fn lookahead(&mut self) -> &mut Precomputed<Expansion> {
        &mut self.lookahead
    }

    #[inline]
    fn compute(&mut self, number: u32, own: &mut Expansion, last: &mut Expansion) -> Result<Option<usize>, Halt> {
        // One machine goes from state to state.
        std::mem::swap(&mut own.working, &mut last.working);
        let found = own.compute_stored(self, number);
        std::mem::swap(&mut own.working, &mut last.working);
        let count = found?;
        self.store.probe(&own.words, &mut own.probes);
        Ok(Some(count))
    }

    #[inline]
    fn touch(&self, own: &mut Expansion) {
        self.store.touch(&mut own.probes);
    }

    #[inline]
    fn exchange(last: &mut Expansion, own: &mut Expansion) {
        std::mem::swap(last, own);
        std::mem::swap(&mut last.working, &mut own.working);
    }
}

impl<'m> StateSpace for Space<'m> {
    type Initial = State;
    type FailedStart = Faulting;
    type Starts = std::vec::IntoIter<Result<State, Faulting>>;
    type Expansion = Expansion;

    fn store(&self) -> &Store {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    fn starts(&self) -> Self::Starts {
        let result = |start: Step| start.result.map_err(|_| Faulting { rule: start.rule, values: start.values });
        let list: Vec<Result<State, Faulting>> = self.steps_from(None).into_iter().map(result).collect();
        list.into_iter()
    }

    fn insert_initial(&mut self, state: &State) -> Result<(u32, bool), Halt> {
        let mut words = Vec::new();
        self.packing.pack(self.stored_for(state.clone()).into_iter().map(value), &mut words);
        self.store.insert(&words, NO_PARENT)
    }

    fn expand(&mut self, number: u32, expansion: &mut Expansion) -> Result<(), Halt> {
        if self.symmetry.is_some() || !self.take_precomputed(number, expansion)? {
            expansion.compute_stored(self, number)?;
            self.store.probe(&expansion.words, &mut expansion.probes);
            Lookahead::touch(self, expansion);
        }
        self.executions.add(expansion.executed.iter().copied());
        if let Some(ample) = self.ample.as_mut().filter(|_| expansion.choice.is_reduced) {
            ample.sets.singletons += 1;
        }
        let Expansion { words, probes, numbers, .. } = expansion;
        numbers.clear();
        self.store.insert_probed(words, probes, |_| number, |_, successor, _| numbers.push(successor))?;
        if let Some(edges) = &mut self.edges {
            let bytes = edges.growth(numbers.len());
            self.store.request(bytes)?;
            self.store.charge(bytes);
            edges.push(number, numbers)?;
        }
        Ok(())
    }

    fn is_deadlock(&self, number: u32) -> bool {
        let state = self.state(number);
        is_deadlock(self.deadlock, &state, &successors(self.program, &state))
    }

    fn growth(&self) -> u64 {
        self.edges.as_ref().map_or(0, Edges::bytes)
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add(self.edges.as_ref().map_or(0, Edges::bytes));
        footprint.add(self.executions.bytes());
        // The buffers of the lookahead are no copy of anything.
        footprint.total += self.lookahead.bytes();
        footprint.add(self.knowledge.bytes());
        footprint.add(self.symmetry.as_ref().map_or(0, |symmetry| symmetry.bytes()));
        if let Some(ample) = &self.ample {
            footprint.merge(ample.footprint());
        }
        footprint
    }

    fn tally(&self) -> Tally {
        Tally { left_out: self.ample.as_ref().map_or(0, |ample| ample.sets.singletons), inexact: 0 }
    }

    fn set_tally(&mut self, tally: Tally) {
        if let Some(ample) = &mut self.ample {
            ample.sets.singletons = tally.left_out;
        }
    }

    fn reductions(&self) -> Vec<Reduction> {
        self.ample.iter().map(Ample::describe).collect()
    }

    fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    fn executions(&self) -> Option<&Executions> {
        Some(&self.executions)
    }

    fn executions_mut(&mut self) -> Option<&mut Executions> {
        Some(&mut self.executions)
    }
}

/// Values mean the same in all forks, and the layout never changes.
impl Sharded for Space<'_> {
    type Mark = ();
    type Learnt = ();
    type Packing = ();

    fn fork(&self, most_bytes: u64) -> Self {
        let mut fork = self.clone();
        fork.store = Store::new(self.packing.layout.bytes(), u64::MAX, TUNING.search);
        fork.most_bytes = most_bytes;
        fork.executions = self.executions.emptied();
        fork
    }

    fn limit(&mut self, most_bytes: u64) {
        self.most_bytes = most_bytes;
    }

    fn steps(&mut self, state: &[u64], expansion: &mut Expansion) -> Result<u32, Halt> {
        expansion.current.clear();
        expansion.current.extend_from_slice(state);
        let count = expansion.compute(self)?;
        self.executions.add(expansion.executed.iter().copied());
        u32::try_from(count).map_err(|_| Halt::Memory)
    }

    fn packed(expansion: &Expansion) -> &[u64] {
        &expansion.words
    }

    fn leaves_out(expansion: &Expansion) -> bool {
        expansion.choice.is_reduced
    }

    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    fn mark(&self) {}

    fn packing(&self) {}
}
