//! States elsewhere than in plain chunks: as pairs of halves, in a file, and rewritten for another layout.

use std::sync::Arc;

use limits::Stopped;

use super::super::pages::Pages;
use super::super::spill::Spill;
use super::super::store::STEPS;
use super::super::tree::Tree;
use super::{Arena, WORD, most_shift};
use crate::memory::work_on;
use crate::spill::{Spilled, Spilling};

/// States of a chunk where a file is used as soon as possible, as a power of two.
const EAGER_SHIFT: u32 = 4;

/// The approximate number of chunks in the available memory, and the approximate bytes of a state.
const CHUNKS: u64 = 64;
const ABOUT: u64 = 16;

/// The share of the memory of states that halves may take.
const HALVES: u64 = 8;

impl Arena {
    /// Stores states as pairs of halves from now on, if they are wide and that takes at most three quarters of the
    /// bytes; returns whether it does. `most` bytes are available for them.
    pub(in crate::states) fn compress(&mut self, most: u64) -> bool {
        let is_eager = self.spill().is_some_and(|spill| spill.files().compresses());
        let is_possible = self.size > WORD && self.tree.is_none() && !self.is_spilled() && !self.is_lost();
        if !is_possible || self.len < self.tried && !(is_eager && self.len > 0) {
            return false;
        }
        self.tried = self.len * 2;
        let enough = self.tuning.enough_for_halves;
        let mut tree = Tree::new(self.size, self);
        let mut state = vec![0; self.stride()];
        let plain = self.len as u64 * self.size as u64;
        // Many small states, or few that are wide: between two checks halves take bounded memory.
        let between = (enough * WORD / self.size).max(1);
        for number in 0..self.len {
            self.copy(u32::try_from(number).expect("numbers have 32 bits"), &mut state);
            tree.learn(&state);
            work_on(state.len());
            if number % between == 0 && tree.bytes_of_halves() > plain / HALVES + enough as u64 && !is_eager {
                return false;
            }
        }
        tree.fit();
        if tree.bytes_of_halves() + (self.len * tree.size()) as u64 > plain / 4 * 3 && !is_eager {
            return false;
        }
        for number in 0..self.len {
            self.copy(u32::try_from(number).expect("numbers have 32 bits"), &mut state);
            if !tree.roots.has_room() {
                self.release(number);
            }
            tree.push(&state, most);
        }
        assert_eq!(tree.roots.len(), self.len, "each state has one pair of halves");
        (self.chunks, self.spill, self.capacity) = (Vec::new(), None, self.len);
        self.tree = Some(Box::new(tree));
        true
    }

    /// Frees the chunks that end before a state.
    pub(super) fn release(&mut self, number: usize) {
        match &mut self.tree {
            Some(tree) => tree.roots.release(number),
            None => {
                let done = number >> self.shift;
                self.chunks[..done].iter_mut().for_each(|chunk| *chunk = Pages::Heap(Vec::new()));
            }
        }
    }

    /// Whether states are stored as pairs of halves.
    pub(in crate::states) fn is_compressed(&self) -> bool {
        self.tree.is_some()
    }

    /// Chooses the size of chunks for so many bytes of memory; nothing is stored.
    pub(in crate::states) fn fit(&mut self, memory: u64) {
        if self.capacity > 0 {
            return;
        }
        let states = (memory / CHUNKS / ABOUT.max(self.size as u64)).max(1);
        let is_eager = self.spill().is_some_and(|spill| spill.files().is_eager() || spill.files().compresses());
        self.shift = if is_eager {
            EAGER_SHIFT
        } else {
            let (least, most) = self.tuning.chunk_shift;
            states.ilog2().clamp(least, most).min(most_shift(self.size))
        };
    }

    /// Allows states to be moved to the disk.
    pub(in crate::states) fn spill_to(&mut self, files: Option<Arc<dyn Spilling>>) {
        self.spill = files.map(|files| Box::new(Spill::new(files)));
    }

    /// The states on the disk.
    pub(in crate::states) fn spill(&self) -> Option<&Spill> {
        match &self.tree {
            Some(tree) => tree.roots.spill(),
            None => self.spill.as_deref(),
        }
    }

    /// The bytes that were moved to the disk so far.
    pub(in crate::states) fn spilled(&self) -> Spilled {
        Spilled { compressed: self.is_compressed(), ..self.spill().map_or_else(Spilled::default, Spill::statistics) }
    }

    /// Whether some states are on the disk.
    #[inline]
    pub(in crate::states) fn is_spilled(&self) -> bool {
        self.spill().is_some_and(|spill| spill.len() > 0)
    }

    /// Whether a state could not be read: its bytes, and all results from them, are wrong.
    #[inline]
    pub(in crate::states) fn is_lost(&self) -> bool {
        self.spill().is_some_and(Spill::is_lost)
    }

    /// Moves the first chunk in memory to the disk, unless it is the last one; returns whether it did. `memory` is
    /// the available memory.
    pub(in crate::states) fn move_to_disk(&mut self, memory: u64) -> bool {
        if let Some(tree) = &mut self.tree {
            return tree.roots.move_to_disk(memory);
        }
        let Some(spill) = &mut self.spill else { return false };
        let chunk = spill.len();
        if chunk + 1 >= self.chunks.len()
            || !spill.write(&self.chunks[chunk].bytes()[..self.size << self.shift], memory)
        {
            return false;
        }
        self.chunks[chunk] = Pages::Heap(Vec::new());
        true
    }

    /// Moves all possible chunks to the disk, where that is wanted whatever memory there is.
    pub(in crate::states) fn move_all_to_disk(&mut self) {
        if self.spill().is_some_and(|spill| spill.files().compresses()) {
            self.compress(u64::MAX);
        }
        if self.spill().is_some_and(|spill| spill.files().is_eager()) {
            while self.move_to_disk(0) {}
        }
    }

    /// Rewrites every state by `convert` to one of `size` bytes. At no time more than one chunk is there twice, and what passes
    /// `most` bytes is put elsewhere, if it can be.
    pub(in crate::states) fn rewrite(&mut self, size: usize, most: u64, convert: impl FnMut(&[u64], &mut [u64])) {
        let new = self.rewritten(size, most, convert, |old, number| {
            // What was read whole is not read again.
            old.release(number);
            Ok(())
        });
        if let Ok(Some(new)) = new {
            *self = new;
        }
    }

    /// The same where all chunks are in the file but the last one, which may take long.
    ///
    /// # Errors
    /// The watch stopped: nothing is rewritten.
    pub(in crate::states) fn rewrite_elsewhere(
        &mut self,
        size: usize,
        most: u64,
        convert: impl FnMut(&[u64], &mut [u64]),
    ) -> Result<(), Stopped> {
        let mut looked_at = 0;
        let new = self.rewritten(size, most, convert, |_, number| {
            let steps = STEPS * (number - std::mem::replace(&mut looked_at, number)) as u64;
            limits::poll(steps)
        });
        if let Some(new) = new? {
            *self = new;
        }
        Ok(())
    }

    /// The states rewritten; nothing where each has its place here. `behind` is called with the states that were read whenever
    /// there is no room for more.
    fn rewritten(
        &mut self,
        size: usize,
        most: u64,
        mut convert: impl FnMut(&[u64], &mut [u64]),
        mut behind: impl FnMut(&mut Arena, usize) -> Result<(), Stopped>,
    ) -> Result<Option<Arena>, Stopped> {
        let mut new = self.renewed(size);
        let (mut from, mut to) = (Vec::with_capacity(self.stride()), vec![0; new.stride()]);
        if self.is_compressed() && new.size > WORD {
            new.tree = Some(Box::new(Tree::new(new.size, &new)));
            new.spill = None;
        }
        let is_same = new.size == self.size && !self.is_spilled() && !self.is_compressed();
        for number in 0..self.len {
            from.clear();
            let at = u32::try_from(number).expect("numbers have 32 bits");
            self.read(at, &mut from);
            convert(&from, &mut to);
            if is_same {
                self.set(at, &to);
                continue;
            }
            if !new.has_room() {
                behind(self, number)?;
                new.grow();
                while self.bytes() + new.bytes() > most && new.move_to_disk(most) {}
            }
            new.push(&to);
        }
        if is_same {
            return Ok(None);
        }
        if self.is_lost()
            && let Some(spill) = new.spill()
        {
            spill.lose();
        }
        Ok(Some(new))
    }
}
