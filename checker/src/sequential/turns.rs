//! Turns, rests and bounds on processes: what follows the steps of a state in models that have them (Promela).
//!
//! A step that takes the turn goes on, by the steps that may follow, until it gives the turn away: only its ends are states. The states on the
//! way are followed depth first, in the order of the reference semantics. An endless sequence is a cycle through a state of the turn, which
//! is stored as a state of its own, so that its run is not lost.
//!
//! Source: `docs/semantics.md` on `atomic` and `d_step`; `frontend::sequential::turn` is the slow twin.

use explore::temporal::NOBODY;
use frontend::sequential::interpret::{lacks_room, step};
use frontend::sequential::{SummandId, Turn};
use ltl::Bits;
use rustc_hash::FxHashSet;

use super::collect::{Collect, Room, has_room};
use super::space::{Expansion, Space};

impl Expansion {
    /// Ends an expansion where the model has turns, rests or a bound on processes; returns the bytes by which buffers have grown, and
    /// those that were missing. Out of line, where it takes no registers of other models.
    #[inline(never)]
    pub(super) fn finish(&mut self, space: &Space<'_>, lacks: Option<u64>) -> (u64, Option<u64>) {
        self.leave_out(space);
        if let (Some(turn), None) = (space.turn, lacks) {
            return self.complete(space, turn);
        }
        self.rest(space);
        if lacks.is_some() { (0, lacks) } else { self.share(space) }
    }

    /// Notes the processes that can move.
    pub(super) fn note_able(&mut self, space: &Space<'_>) {
        let Expansion { movers, seconds, able, faults, .. } = self;
        let faulting = faults.iter().flat_map(|(summand, parameters)| space.owners[summand.index()].of(parameters));
        able.clear();
        able.extend(movers.iter().chain(&*seconds).copied().chain(faulting).filter(|&process| process != NOBODY));
    }

    /// One more step for each second process; returns the bytes by which buffers have grown, and those that were missing.
    ///
    /// Soundness: a component of states is fair by the processes of its edges, and a run that takes an edge takes the equal one too.
    #[inline(never)]
    pub(super) fn share(&mut self, space: &Space<'_>) -> (u64, Option<u64>) {
        let Expansion { words, movers, seconds, .. } = self;
        let (stride, mut grown, mut lacks) = (space.packing.layout.stride(), 0, None);
        #[cfg(test)]
        if space.forgets_receivers {
            return (grown, lacks);
        }
        for (at, &second) in seconds.iter().enumerate().filter(|(_, second)| **second != NOBODY) {
            if has_room(words, stride, Room { store: &space.store, grown: &mut grown, lacks: &mut lacks }) {
                words.extend_from_within(at * stride..(at + 1) * stride);
                movers.push(second);
            }
        }
        (grown, lacks)
    }

    /// Takes steps that the reading of the text has no room for from the faults: the search is not complete then.
    fn leave_out(&mut self, space: &Space<'_>) {
        self.lacks_room = false;
        if space.model.room.is_none() || self.faults.is_empty() {
            return;
        }
        let state = self.machine.values(&space.packing, &self.current).0.to_vec();
        let is_of_model = |(summand, parameters): &(SummandId, Box<[i32]>)| {
            let step = step(space.model, &state, *summand, parameters);
            let fault = step.and_then(|step| step.result.err());
            !fault.is_some_and(|fault| lacks_room(space.model, &fault))
        };
        let found = self.faults.len();
        self.faults.retain(is_of_model);
        self.lacks_room = self.faults.len() < found;
    }

    /// Notes whether a state without steps may rest.
    fn rest(&mut self, space: &Space<'_>) {
        self.rests = false;
        let Some((code, registers)) = space.ends.as_ref().filter(|_| self.words.is_empty()) else { return };
        let (state, _) = self.machine.values(&space.packing, &self.current);
        self.rests = code.value(state, &mut vec![0; *registers]).is_some_and(|value| value != 0);
    }

    /// Follows the steps that give the turn away to their ends, depth first, as the reference semantics does; returns the
    /// bytes by which buffers have grown, and those that were missing.
    fn complete(&mut self, space: &Space<'_>, turn: Turn) -> (u64, Option<u64>) {
        self.rest(space);
        let stride = space.packing.layout.stride();
        if self.words.chunks_exact(stride).all(|words| !is_inside(space, turn, words)) {
            return self.share(space);
        }
        let (out, path, moved) = (Expansion::default(), FxHashSet::default(), Vec::new());
        let mut follow = Follow { space, turn, out, path, moved, begun: None, holds: 0, grown: 0, lacks: None };
        std::mem::swap(&mut follow.out.machine, &mut self.machine);
        std::mem::swap(&mut follow.out.executed, &mut self.executed);
        for (at, words) in self.words.chunks_exact(stride).enumerate() {
            follow.moved.clear();
            follow.note(&self.movers, &self.seconds, at);
            follow.begun = self.choice.taken.get(at).copied();
            follow.step(words);
        }
        let Follow { mut out, grown, lacks, .. } = follow;
        std::mem::swap(&mut out.machine, &mut self.machine);
        std::mem::swap(&mut out.executed, &mut self.executed);
        // Its values are those of a state on the way.
        self.machine.leave();
        debug_assert_eq!(out.words.len(), out.movers.len() * stride, "each end has a process");
        (self.words, self.movers, self.inside) = (out.words, out.movers, out.inside);
        self.choice.taken = out.choice.taken;
        self.choice.faulting.append(&mut out.choice.faulting);
        (grown, lacks)
    }
}

/// Whether a state is inside of a step.
pub(super) fn is_inside(space: &Space<'_>, turn: Turn, words: &[u64]) -> bool {
    space.packing.layout.get(words, turn.element) != 0
}

/// The elementary steps of expanding a state inside of a step, at least.
const INSIDE: u64 = 256;

/// A state on the way through a turn, and the states that follow it with the processes that take the steps to them, from
/// number `at` on still to be followed.
struct Level {
    state: Vec<u64>,
    next: Vec<u64>,
    movers: Vec<u32>,
    seconds: Vec<u32>,
    /// The noted conditions that hold in it or before it on the way.
    holds: Bits,
    at: usize,
}

/// The ends of steps that go through states of a turn.
struct Follow<'a, 'm> {
    space: &'a Space<'m>,
    turn: Turn,
    /// The successors so far, and the machine.
    out: Expansion,
    /// The states of the turn on the way.
    path: FxHashSet<Vec<u64>>,
    /// The processes that moved on the way, two for each instance, if processes are noted.
    moved: Vec<u32>,
    /// With partial order: the instance that began the step.
    begun: Option<u32>,
    /// The noted conditions that hold in states on the way.
    holds: Bits,
    grown: u64,
    lacks: Option<u64>,
}

impl Follow<'_, '_> {
    /// Notes the processes of the next instance on the way.
    fn note(&mut self, movers: &[u32], seconds: &[u32], at: usize) {
        if let Some(&second) = seconds.get(at) {
            self.moved.extend([movers[at], second]);
        }
    }

    /// Adds the end of a step, once for each process that moved on the way.
    fn end(&mut self, words: &[u64]) {
        let mut movers: Vec<u32> = self.moved.iter().copied().filter(|&mover| mover != NOBODY).collect();
        movers.sort_unstable();
        movers.dedup();
        // A state that is stored inside of a step is left by this step only.
        let ignores = self.space.ample.as_ref().is_some_and(|ample| ample.sets.wrong.stored_is_no_fault());
        let is_stored = is_inside(self.space, self.turn, words) && !ignores;
        self.out.choice.faulting.extend(self.begun.filter(|_| is_stored));
        for mover in if movers.is_empty() { vec![NOBODY] } else { movers } {
            let room = Room { store: &self.space.store, grown: &mut self.grown, lacks: &mut self.lacks };
            if has_room(&mut self.out.words, words.len(), room) {
                self.out.words.extend_from_slice(words);
                self.out.movers.push(mover);
                self.out.choice.taken.extend(self.begun);
                if !self.space.inside.is_empty() {
                    self.out.inside.push(self.holds);
                }
            }
        }
    }

    /// The noted conditions that hold in a state.
    fn noted(&self, words: &[u64]) -> Bits {
        let Space { packing, inside, .. } = self.space;
        if inside.is_empty() {
            return 0;
        }
        let mut state = Vec::new();
        packing.unpack(words, &mut state);
        let holding = inside.iter().enumerate().filter(|(_, condition)| condition.holds(&state));
        holding.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// Follows a step from the state after its first instance.
    fn step(&mut self, words: &[u64]) {
        let mut open: Vec<Level> = Vec::new();
        let mut current = words.to_vec();
        while self.lacks.is_none() {
            self.holds = open.last().map_or(0, |level| level.holds);
            if let Some(Expansion { words, movers, seconds, .. }) = self.inside(&current) {
                self.path.insert(current.clone());
                #[cfg(test)]
                if self.space.forgets_ways {
                    self.holds = 0;
                }
                debug_assert_eq!(words.len(), movers.len() * current.len(), "each state that follows has a process");
                let holds = self.holds | self.noted(&current);
                open.push(Level { state: current.clone(), next: words, movers, seconds, holds, at: 0 });
            }
            while let Some(level) = open.pop_if(|level| level.at == level.movers.len()) {
                self.path.remove(&level.state);
            }
            self.moved.truncate(2 * open.len());
            let Some(level) = open.last_mut() else { return };
            current.copy_from_slice(&level.next[level.at * words.len()..(level.at + 1) * words.len()]);
            level.at += 1;
            let (movers, seconds, at) =
                (std::mem::take(&mut level.movers), std::mem::take(&mut level.seconds), level.at - 1);
            self.note(&movers, &seconds, at);
            (level.movers, level.seconds) = (movers, seconds);
        }
        self.path.clear();
    }

    /// The states that follow one inside of a step; `None` where the step ends, there or behind it.
    fn inside(&mut self, words: &[u64]) -> Option<Expansion> {
        let space = self.space;
        let Space { packing, owners, store, .. } = space;
        // An endless sequence is a cycle through states like this one.
        if !is_inside(space, self.turn, words) || self.path.contains(words) {
            self.end(words);
            return None;
        }
        limits::work(INSIDE + words.len() as u64);
        let mut next = Expansion::default();
        let mut collect = Collect {
            packing,
            current: words,
            owners,
            words: &mut next.words,
            movers: &mut next.movers,
            seconds: &mut next.seconds,
            faults: &mut next.faults,
            executed: &mut self.out.executed,
            ample: None,
            choice: &mut next.choice,
            store,
            grown: self.grown,
            lacks: self.lacks,
        };
        space.program.run(&mut self.out.machine, packing, words, &mut collect);
        collect.finish();
        (self.grown, self.lacks) = (collect.grown, collect.lacks);
        if self.lacks.is_some() {
            return None;
        }
        if !next.faults.is_empty() {
            self.end(words);
            return None;
        }
        if next.words.is_empty() {
            let mut over = words.to_vec();
            packing.set(&mut over, self.turn.element, self.turn.over);
            self.end(&over);
            return None;
        }
        Some(next)
    }
}
