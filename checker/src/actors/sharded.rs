//! Forks of the space of an actor model: one space numbers local states, and the others learn the numbers.
//!
//! A fork looks local states up and gives up with [`Halt::Deferred`] where one has no number, or where a number does not
//! fit its field. The space that it was forked from then takes the step, and passes to all forks the new numbers and
//! the current packing of states. Messages, records and other memos are private and never leave a fork.
//!
//! Invariant: a slot of a fork numbers local states as the space does, as far as the fork has learnt them.

use crate::tuning::TUNING;
use frontend::interpret::Rebec;

use super::expand::Expansion;
use super::space::Space;
use explore::memory::Halt;
use explore::search::Sharded;
use explore::states::{Layout, Store};

/// The local states of each slot, and the layout.
#[derive(Debug)]
pub(crate) struct Mark {
    numbers: Vec<usize>,
    layout: Layout,
}

/// Local states in the order of their numbers in each slot, and the layout.
#[derive(Debug)]
pub(crate) struct Learnt {
    slots: usize,
    locals: Vec<(usize, u32, Rebec)>,
    layout: Layout,
}

impl Sharded for Space<'_> {
    type Mark = Mark;
    type Learnt = Learnt;
    type Packing = Layout;

    fn fork(&self, most_bytes: u64) -> Self {
        let mut fork = self.clone();
        fork.tables.is_fork = true;
        fork.store = Store::new(self.layout.bytes(), u64::MAX, TUNING.search);
        fork.most_bytes = most_bytes;
        fork.tables.executions = self.tables.executions.emptied();
        fork
    }

    fn limit(&mut self, most_bytes: u64) {
        self.most_bytes = most_bytes;
    }

    fn part(&mut self) {
        self.tables.is_fork = false;
    }

    fn steps(&mut self, state: &[u64], expansion: &mut Expansion) -> Result<u32, Halt> {
        expansion.steps(self, state)
    }

    fn packed(expansion: &Expansion) -> &[u64] {
        &expansion.words
    }

    fn leaves_out(expansion: &Expansion) -> bool {
        expansion.is_singleton
    }

    fn shard_hash(&self, state: &[u64]) -> u64 {
        self.layout.hash(state)
    }

    fn shard_hashes(&self, expansion: &Expansion, mut each: impl FnMut(usize, &[u64], u64)) {
        let (mut rest, stride) = (&expansion.words[..], self.stride());
        for (place, &hash) in expansion.hashes.iter().enumerate() {
            let state;
            (state, rest) = rest.split_at(stride);
            debug_assert_eq!(hash, self.layout.hash(state), "a hash follows the fields");
            each(place, state, hash);
        }
        assert!(rest.is_empty(), "every successor has its hash");
    }

    fn hold_elsewhere(&mut self, states: u32) {
        self.elsewhere = states;
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn mark(&self) -> Mark {
        Mark { numbers: self.tables.slots.iter().map(super::slot::Slot::len).collect(), layout: self.layout.clone() }
    }

    fn learnt(&self, since: &Mark) -> Option<Learnt> {
        let mut locals = Vec::new();
        for slot in 0..self.tables.len() {
            // New slots belong to created rebecs; their number 0 is no local state.
            let known = since.numbers.get(slot).copied().unwrap_or(1);
            for number in known..self.tables.slots[slot].len() {
                let number = u32::try_from(number).expect("numbers have 32 bits");
                locals.push((slot, number, self.tables.decode(slot, number).expect("a local state")));
            }
        }
        let is_new = !locals.is_empty() || since.numbers.len() < self.tables.len() || since.layout != self.layout;
        is_new.then(|| Learnt { slots: self.tables.len(), locals, layout: self.layout.clone() })
    }

    fn learn(&mut self, learnt: &Learnt) -> Result<(), Halt> {
        self.tables.grow(learnt.slots);
        self.tables.is_fork = false;
        let mut numbered = learnt.locals.iter().map(|(slot, number, rebec)| {
            let given = self.tables.intern(*slot, &rebec.values, &rebec.queue)?;
            assert_eq!(given, *number, "a fork numbers as the space that it was forked from");
            Ok::<_, Halt>(())
        });
        let found = numbered.find(Result::is_err);
        drop(numbered);
        self.tables.is_fork = true;
        found.unwrap_or(Ok(()))?;
        if learnt.layout == self.layout {
            return Ok(());
        }
        let (old, new) = (&self.layout, &learnt.layout);
        let conversion = old.conversion(new);
        self.store.rewrite(new.bytes(), |from, to| conversion.convert(from, to))?;
        self.layout = learnt.layout.clone();
        Ok(())
    }

    fn packing(&self) -> Layout {
        self.layout.clone()
    }

    fn repack<'b>(&self, from: &Layout, buffers: impl Iterator<Item = &'b mut Vec<u64>>) {
        if *from == self.layout {
            return;
        }
        let (old, new) = (from, &self.layout);
        let conversion = old.conversion(new);
        for buffer in buffers {
            assert!(buffer.len().is_multiple_of(old.stride()), "a buffer has whole states");
            let mut words = vec![0; buffer.len() / old.stride() * new.stride()];
            let states = buffer.chunks_exact(old.stride()).zip(words.chunks_exact_mut(new.stride()));
            states.for_each(|(from, to)| conversion.convert(from, to));
            *buffer = words;
        }
    }
}
