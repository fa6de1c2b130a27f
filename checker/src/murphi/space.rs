//! The state space of a model of Murphi: packed states, and their steps by compiled code, or by the reference interpreter where
//! code does not do. A search that takes states in the order of their numbers computes the steps of later states ahead
//! ([`Precomputed`]), but in a quotient, where a step that a search would not have taken could cost a part of the group.

use std::io;
use std::sync::Arc;

use explore::branching::Edges;
use explore::checkpoint::{Damaged, Reader, Saved, Writer};
use explore::executions::Executions;
use explore::memory::{Footprint, Halt};
use explore::question::Limits;
use explore::quotient::Representatives;
use explore::reductions::Reduction;
use explore::search::{Lookahead, Precomputed, Sharded, StateSpace, Tally};
use explore::states::{Layout, NO_PARENT, Store};
use frontend::murphi::interpret::{
    Deadlock, State, Step, Watched, starts, starts_in_any_order, successors, successors_in_any_order,
};
use frontend::murphi::program::Program;
use frontend::murphi::trace::Faulting;
use frontend::parts::Parts;

use super::code::Code;
use super::compile::{Wrong, compile};
use super::expansion::{Expansion, is_deadlock};
use super::images::Image;
use super::packing::Packing;
use super::partial_order::Ample;
use super::steps::Knowledge;
use super::symmetry::Symmetry;
use crate::trial::Schedule;
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
    /// The search for representatives.
    pub(super) representatives: Option<Representatives>,
    /// The trial of the exchanges, and the properties that they keep.
    pub(super) trial: Schedule,
    pub(super) claimed: Vec<usize>,
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
            representatives: symmetry.as_ref().map(|symmetry| symmetry.representatives()),
            symmetry,
            trial: Schedule::default(),
            claimed: Vec::new(),
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
    pub(super) fn steps_from(&self, state: Option<&State>) -> Vec<Step> {
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

    /// Replaces each packed state of a buffer, successors of `parent` if there is one, by the representative of its orbit.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn represent(&mut self, parent: Option<&[u64]>, words: &mut [u64]) -> Result<(), Halt> {
        self.representatives.as_mut().map_or(Ok(()), |representatives| representatives.replace(parent, words))
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
        if let Some(representatives) = &mut self.representatives {
            representatives.assume_cut_ties();
        }
        self.store.restore(from)?;
        let used = self.packing.layout.used();
        let is_state = |number| self.packing.is_state(&self.store.state(number), &used);
        let is_whole = self.store.stride() == self.packing.layout.stride() && (0..self.store.len()).all(is_state);
        if is_whole { Ok(()) } else { Err(Damaged) }
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
        let mut words = self.packing.packed(state);
        self.represent(None, &mut words)?;
        self.store.insert(&words, NO_PARENT)
    }

    fn expand(&mut self, number: u32, expansion: &mut Expansion) -> Result<(), Halt> {
        if self.symmetry.is_some() || !self.take_precomputed(number, expansion)? {
            expansion.compute_stored(self, number)?;
            self.store.probe(&expansion.words, &mut expansion.probes);
            Lookahead::touch(self, expansion);
        }
        if let Some(ample) = self.ample.as_mut().filter(|_| expansion.choice.is_reduced) {
            ample.sets.singletons += 1;
        }
        let Expansion { words, probes, numbers, .. } = expansion;
        numbers.clear();
        self.store.insert_probed(words, probes, |_| number, |_, successor, _| numbers.push(successor))?;
        if let Some(edges) = &mut self.edges {
            let bytes = edges.growth(number, numbers.len());
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
        if let Some(representatives) = &self.representatives {
            footprint.merge(representatives.footprint());
        }
        if let Some(ample) = &self.ample {
            footprint.merge(ample.footprint());
        }
        footprint
    }

    fn has_cut_ties(&self) -> bool {
        self.representatives.as_ref().is_some_and(Representatives::has_cut_ties)
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

    fn count_executions(&mut self, expansion: &Expansion) {
        self.executions.add(expansion.executed.iter().copied());
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
