//! The state space of a process: packed states, and the steps of the program on them.
//!
//! Each successor is the packed state with the written elements patched. A search that takes states in the order of
//! their numbers computes the steps of later states ahead ([`Precomputed`]).

use crate::tuning::TUNING;
use std::io;
use std::sync::Arc;

use frontend::parts::Parts;
use frontend::sequential::interpret::State;
use frontend::sequential::{Property, Sequential, SummandId, Turn};
use symmetry::sequential::ValidatedGroup;

use super::code::Code;
use super::collect::{Collect, Owners};
use super::images::Images;
use super::inside::Inside;
use super::machine::Machine;
use super::packing::Packing;
use super::partial_order::{self, Ample, Choice};
use super::program::{Program, Tables};
use super::starts::{Generators, Starts};
use super::symmetry::representatives;
use super::trial::Trial;
use super::turns::is_inside;
use super::watched::compiled;
use explore::checkpoint::{Damaged, Reader, Saved, Writer};
use explore::executions::Executions;
use explore::memory::{Footprint, Halt, bytes_of};
use explore::quotient::Representatives;
use explore::reductions::{Reduction, Representative};
use explore::report::{Limit, LimitKind};
use explore::search::{self, Lookahead, Precomputed, StateSpace, Tally};
use explore::states::{NO_PARENT, Probes, Store};
use ltl::Bits;

/// The state space of a process.
#[derive(Clone, Debug)]
pub(super) struct Space<'m> {
    /// The process.
    pub(super) model: &'m Sequential,
    pub(super) packing: Packing,
    pub(super) program: Program<'m>,
    /// For each summand the parameter that is the process of weak fairness, and the least process.
    pub(super) owners: Vec<Owners>,
    pub(super) store: Store,
    pub(super) most_bytes: u64,
    /// With a quotient: the symmetries that find representatives.
    pub(super) symmetry: Option<Representatives>,
    /// With a quotient in which initial states of one orbit have one representative: the generators of its group.
    generators: Generators,
    /// With a quotient: the trial of the group.
    trial: Option<Trial<'m>>,
    /// With partial order: the choice of steps that may stand for all.
    pub(super) ample: Option<Ample<'m>>,
    /// The variable of the turn, if there is one.
    pub(super) turn: Option<Turn>,
    /// Whether there are turns, rests or a bound on processes.
    has_ends: bool,
    /// The condition under which a state without steps is no deadlock, and its registers.
    pub(super) ends: Option<(Code<'m>, usize)>,
    /// The conditions that are noted inside of steps.
    pub(super) inside: Vec<Inside<'m>>,
    /// The images at which invariants are checked that the group moves, by name.
    pub(super) images: Vec<(String, Arc<Images>)>,
    /// The steps of the next states.
    lookahead: Precomputed<Expansion>,
    /// How often each part was executed.
    pub(super) executions: Executions,
    /// Known to be wrong: steps for which there is no room are left out.
    #[cfg(test)]
    pub(super) forgets_missing: bool,
    /// Known to be wrong: a rendezvous is a step of its sender only.
    #[cfg(test)]
    pub(super) forgets_receivers: bool,
    /// Known to be wrong: what holds on the way through a step is forgotten where the step goes on.
    #[cfg(test)]
    pub(super) forgets_ways: bool,
}

impl<'m> Space<'m> {
    /// An empty space for at most so many states and bytes.
    pub(super) fn new(model: &'m Sequential, most_states: Option<u64>, most_bytes: Option<u64>) -> Space<'m> {
        let packing = Packing::new(model);
        let store = Store::new(packing.layout.bytes(), most_states.unwrap_or(u64::MAX), TUNING.search);
        let program = Program::new(model, &packing, Tables::ALL);
        let most_bytes = most_bytes.unwrap_or(u64::MAX);
        let lookahead = Precomputed::default();
        let ends = model.ends.as_ref().map(|ends| compiled(model, ends));
        Space {
            model,
            packing,
            program,
            owners: Vec::new(),
            store,
            most_bytes,
            symmetry: None,
            generators: Generators::default(),
            trial: None,
            ample: None,
            turn: model.turn(),
            has_ends: ends.is_some() || model.hold.is_some() || model.room.is_some(),
            ends,
            inside: Vec::new(),
            images: Vec::new(),
            lookahead,
            executions: Executions::new(Parts::inside_process(model).list.len()),
            #[cfg(test)]
            forgets_missing: false,
            #[cfg(test)]
            forgets_receivers: false,
            #[cfg(test)]
            forgets_ways: false,
        }
    }

    /// Notes the processes of steps from now on, for weak fairness.
    pub(super) fn note_processes(&mut self) {
        let summands = (0..self.model.summands.len()).map(SummandId::from_index);
        self.owners = summands.map(|summand| Owners::new(self.model, summand)).collect();
    }

    /// Stores one state per orbit from now on, of a group that keeps these properties; returns the name of the method that chooses
    /// representatives, or nothing if the group cannot be used. With `follows` the ways of processes of weak fairness are followed.
    pub(super) fn reduce(
        &mut self,
        group: &ValidatedGroup,
        kept: &[Property],
        method: Representative,
        follows: bool,
    ) -> Option<&'static str> {
        let processes = self.model.fair.filter(|_| follows).map(|sort| self.model.domain(sort).size());
        self.symmetry = representatives(group, method, &self.packing, processes);
        let is_exact = self.symmetry.is_some() && method == Representative::Auto && processes.is_none();
        let generators = if is_exact { group.generators() } else { &[] };
        self.generators = Generators::new(self.model, group.literals(), generators);
        self.trial = self.symmetry.is_some().then(|| Trial::new(self.model, group, kept, follows));
        self.symmetry.as_ref().map(Representatives::name)
    }

    /// Replaces each packed state of a buffer, successors of `parent` if there is one, by the state that is stored for it.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn canonicalise(&mut self, parent: Option<&[u64]>, words: &mut [u64]) -> Result<(), Halt> {
        self.symmetry.as_mut().map_or(Ok(()), |symmetry| symmetry.replace(parent, words))
    }

    /// Counts a state that is expanded by some of its steps.
    fn count(&mut self, choice: &Choice) {
        if let Some(ample) = self.ample.as_mut().filter(|_| choice.is_reduced) {
            ample.sets.singletons += 1;
        }
    }

    /// The state of a number.
    pub(super) fn state(&self, number: u32) -> State {
        let mut state = State::new();
        self.unpack(number, &mut state);
        state
    }

    /// Writes the state of a number into a buffer.
    pub(super) fn unpack(&self, number: u32, state: &mut Vec<i32>) {
        self.packing.unpack(&self.store.state(number), state);
    }
}

impl Saved for Space<'_> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.executions.save(to)?;
        self.store.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        self.executions.restore(from)?;
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.assume_cut_ties();
        }
        self.store.restore(from)?;
        let used = self.packing.layout.used();
        let is_state = |number| self.packing.is_state(&self.store.state(number), &used);
        if self.store.stride() == self.packing.layout.stride() && (0..self.store.len()).all(is_state) {
            Ok(())
        } else {
            Err(Damaged)
        }
    }
}

/// The steps of one state.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// The state itself.
    pub(super) current: Vec<u64>,
    pub(super) machine: Box<Machine>,
    /// Packed successors, one after the other.
    pub(super) words: Vec<u64>,
    pub(super) probes: Probes,
    /// The successors, in the order of the reference semantics.
    numbers: Vec<u32>,
    /// The process of each of them, if processes are noted.
    pub(super) movers: Vec<u32>,
    /// Their second processes until these have steps of their own, if processes are noted.
    pub(super) seconds: Vec<u32>,
    /// The processes that can move, if processes are noted.
    pub(super) able: Vec<u32>,
    /// The noted conditions that hold inside of the step to each of them, if conditions are noted and a step has states inside.
    pub(super) inside: Vec<Bits>,
    /// The way that each of them takes the processes, by number, if that is followed.
    pub(super) moves: Vec<u32>,
    /// The instances that fault, in the same order.
    pub(super) faults: Vec<(SummandId, Box<[i32]>)>,
    /// The summands of all instances that were executed, those inside of a step and those that fault included, each with the parts inside.
    pub(super) executed: Vec<u32>,
    /// With partial order: the instances of the steps, and those that are kept.
    pub(super) choice: Choice,
    /// Whether the state may rest without a step.
    pub(super) rests: bool,
    /// Whether a step was left out because the reading of the text has no room for its process.
    pub(super) lacks_room: bool,
}

impl Expansion {
    /// Computes the packed successors of a packed state, as they are to be stored, and stores nothing; returns their
    /// number.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn steps(&mut self, space: &mut Space<'_>, state: &[u64]) -> Result<u32, Halt> {
        self.current.clear();
        self.current.extend_from_slice(state);
        self.compute_within(space)?;
        space.count(&self.choice);
        space.canonicalise(Some(&self.current), &mut self.words)?;
        u32::try_from(self.movers.len()).map_err(|_| Halt::Memory)
    }

    /// As [`Expansion::steps`], for a stored state.
    ///
    /// # Errors
    /// As [`Expansion::steps`].
    pub(super) fn steps_of(&mut self, space: &mut Space<'_>, number: u32) -> Result<(), Halt> {
        self.current.clear();
        space.store.read(number, &mut self.current);
        space.store.is_whole()?;
        self.compute_within(space)?;
        self.moves.clear();
        match &mut space.symmetry {
            Some(symmetry) => symmetry.replace_following(&self.current, &mut self.words, &mut self.moves),
            None => Ok(()),
        }
    }

    /// Computes the packed successors and the faults of the current state, in the memory that the store leaves: states are moved to
    /// the disk for them.
    ///
    /// # Errors
    /// No room.
    fn compute_within(&mut self, space: &mut Space<'_>) -> Result<(), Halt> {
        loop {
            let (grown, lacks) = self.compute(space);
            space.store.charge(grown);
            #[cfg(test)]
            let lacks = lacks.filter(|_| !space.forgets_missing);
            let Some(bytes) = lacks else {
                let stride = space.packing.layout.stride();
                assert_eq!(self.words.len(), self.movers.len() * stride, "every successor has its mover");
                self.try_group(space);
                return Ok(());
            };
            space.store.request(bytes)?;
            if space.store.left() < bytes {
                return Err(Halt::Memory);
            }
        }
    }

    /// Tries the group of the quotient in the current state, if that is due.
    #[inline]
    fn try_group(&self, space: &mut Space<'_>) {
        if let Some(trial) = &mut space.trial
            && trial.is_due(self)
        {
            let mut state = State::new();
            space.packing.unpack(&self.current, &mut state);
            trial.run(&state);
        }
    }

    /// Computes the packed successors and the faults of the current state, as many as there is room for; returns the bytes by which the
    /// buffers have grown, and those that were missing.
    fn compute(&mut self, space: &Space<'_>) -> (u64, Option<u64>) {
        let Expansion { current, machine, words, numbers, movers, seconds, inside, faults, executed, choice, .. } =
            self;
        words.clear();
        numbers.clear();
        movers.clear();
        seconds.clear();
        inside.clear();
        faults.clear();
        executed.clear();
        choice.clear();
        let Space { packing, owners, .. } = space;
        let ample = space.ample.as_ref();
        let (store, grown, lacks) = (&space.store, 0, None);
        let mut collect = Collect {
            packing,
            current,
            owners,
            words,
            movers,
            seconds,
            faults,
            executed,
            ample,
            choice,
            store,
            grown,
            lacks,
        };
        space.program.run(machine, packing, current, &mut collect);
        collect.finish();
        let Collect { mut grown, mut lacks, .. } = collect;
        if !owners.is_empty() {
            self.note_able(space);
        }
        if space.has_ends {
            let more;
            (more, lacks) = self.finish(space, lacks);
            grown += more;
            // Inside of a step every way on is followed.
            if space.turn.is_some_and(|turn| is_inside(space, turn, &self.current)) {
                return (grown, lacks);
            }
        }
        let Expansion { current, machine, words, choice, .. } = self;
        if let (Some(ample), None) = (ample, lacks) {
            let (state, _) = machine.values(packing, current);
            let steps = partial_order::Steps { layout: &packing.layout, current, state, words };
            if ample.choose(&steps, choice) {
                self.cut(packing.layout.stride());
            }
        }
        (grown, lacks)
    }

    /// Keeps the chosen steps.
    fn cut(&mut self, stride: usize) {
        let Expansion { words, movers, choice, .. } = self;
        let mut kept = 0;
        for place in (0..movers.len()).filter(|&place| choice.keeps(place)) {
            movers[kept] = movers[place];
            words.copy_within(place * stride..(place + 1) * stride, kept * stride);
            kept += 1;
        }
        assert!(0 < kept && kept < movers.len(), "an ample set has a step, and leaves one out");
        movers.truncate(kept);
        words.truncate(kept * stride);
    }
}

impl search::Expansion for Expansion {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn successors(&self) -> impl Iterator<Item = u32> {
        self.numbers.iter().copied()
    }

    fn is_enabled(&self) -> bool {
        !self.words.is_empty() || !self.faults.is_empty() || self.lacks_room
    }

    fn is_deadlock(&self) -> bool {
        !search::Expansion::is_enabled(self) && !self.rests
    }

    fn clear(&mut self) {
        self.numbers.clear();
    }

    fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.current.capacity() + self.words.capacity())
            + self.probes.bytes()
            + bytes_of::<u32>(self.numbers.capacity() + self.movers.capacity() + self.moves.capacity())
            + bytes_of::<u32>(self.seconds.capacity() + self.able.capacity() + self.executed.capacity())
            + self.machine.bytes()
            + bytes_of::<Bits>(self.inside.capacity())
            + bytes_of::<(SummandId, Box<[i32]>)>(self.faults.capacity())
            + self.choice.bytes()
    }
}

impl Lookahead for Space<'_> {
    fn lookahead(&mut self) -> &mut Precomputed<Expansion> {
        &mut self.lookahead
    }

    #[inline]
    fn compute(&mut self, number: u32, own: &mut Expansion, last: &mut Expansion) -> Result<Option<usize>, Halt> {
        // One machine stores the steps of all states.
        std::mem::swap(&mut own.machine, &mut last.machine);
        let found = own.steps_of(self, number);
        std::mem::swap(&mut own.machine, &mut last.machine);
        found?;
        self.store.probe(&own.words, &mut own.probes);
        Ok(Some(own.movers.len()))
    }

    #[inline]
    fn touch(&self, own: &mut Expansion) {
        self.store.touch(&mut own.probes);
    }

    #[inline]
    fn exchange(last: &mut Expansion, own: &mut Expansion) {
        std::mem::swap(last, own);
        std::mem::swap(&mut last.machine, &mut own.machine);
    }
}

impl<'m> StateSpace for Space<'m> {
    type Initial = State;
    type FailedStart = std::convert::Infallible;
    type Starts = Starts<'m>;
    type Expansion = Expansion;

    fn store(&self) -> &Store {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    fn starts(&self) -> Self::Starts {
        Starts::new(self.model, &self.generators)
    }

    fn insert_initial(&mut self, state: &State) -> Result<(u32, bool), Halt> {
        let mut words = self.packing.pack(state);
        self.canonicalise(None, &mut words)?;
        self.store.insert(&words, NO_PARENT)
    }

    fn expand(&mut self, number: u32, expansion: &mut Expansion) -> Result<(), Halt> {
        if !self.take_precomputed(number, expansion)? {
            expansion.steps_of(self, number)?;
            self.store.probe(&expansion.words, &mut expansion.probes);
            Lookahead::touch(self, expansion);
        }
        self.count(&expansion.choice);
        let Expansion { words, probes, numbers, .. } = expansion;
        self.store.insert_probed(words, probes, |_| number, |_, successor, _| numbers.push(successor))
    }

    fn is_deadlock(&self, number: u32) -> bool {
        let mut expansion = Expansion::default();
        self.store.read(number, &mut expansion.current);
        // Where a step finds no room, there is a step.
        let (_, lacks) = expansion.compute(self);
        lacks.is_none() && !search::Expansion::is_enabled(&expansion)
    }

    fn bound_of(&self, expansion: &Expansion) -> Option<Limit> {
        let room = self.model.room.as_ref().filter(|_| expansion.lacks_room)?;
        Some(Limit { kind: LimitKind::Processes, value: u64::from(room.processes) })
    }

    fn has_cut_ties(&self) -> bool {
        self.symmetry.as_ref().is_some_and(Representatives::has_cut_ties)
    }

    fn executions(&self) -> Option<&Executions> {
        Some(&self.executions)
    }

    fn count_executions(&mut self, expansion: &Expansion) {
        self.executions.add(expansion.executed.iter().copied());
    }

    fn footprint(&self) -> Footprint {
        // The program does not grow, so it needs no room to be kept.
        let mut footprint = Footprint { total: self.program.bytes() + self.lookahead.bytes(), largest: 0 };
        if let Some(symmetry) = &self.symmetry {
            footprint.merge(symmetry.footprint());
        }
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
}
