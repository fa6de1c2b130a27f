//! Stores whose states all come anew: in another layout, or from a checkpoint.

use std::io;

use super::{MOST_STATES, NO_PARENT, Store, hash_of};
use crate::checkpoint::{Damaged, Reader, Saved, Writer};
use crate::memory::Halt;
use crate::states::arena::Arena;
use crate::states::hash::StateHash;
use crate::states::index::{Index, SEGMENTS};
use crate::states::parents::Parents;

impl<H: StateHash> Store<H> {
    /// Rewrites every state by `convert`, from the old words to new ones of `bytes` bytes in all, and indexes all
    /// again. `convert` is injective; numbers and parents stay.
    ///
    /// # Errors
    /// There is no room: the store is then unchanged; or a state could not be read, and the store cannot be used any
    /// more.
    ///
    /// # Complexity
    /// O(states * conversion).
    pub fn rewrite(&mut self, bytes: usize, convert: impl FnMut(&[u64], &mut [u64])) -> Result<(), Halt> {
        if self.is_delayed() {
            return self.rewrite_delayed(bytes, convert);
        }
        let more = |arena: &Arena| (bytes.saturating_sub(arena.size()) * arena.held()) as u64;
        while self.bytes().saturating_add(more(&self.arena)) > self.allowance {
            if self.may_delay || !self.arena.move_to_disk(self.allowance) {
                return Err(Halt::Memory);
            }
        }
        // The index is rebuilt anyway: its room serves meanwhile.
        let empty = Index::new(self.tuning());
        let old = std::mem::replace(&mut self.index, empty);
        let (lens, made) = (old.lens(), old.made());
        drop(old);
        // Where there is no room, this does not come back.
        let was_lost = std::mem::replace(&mut self.is_lost, true);
        self.arena.rewrite(bytes, self.allowance, convert);
        self.is_lost = was_lost;
        self.granted = 0;
        self.index_again(lens);
        self.index.made_before(made);
        assert_eq!(self.parents.len(), self.arena.len(), "every state has its parent");
        self.is_whole()
    }

    /// Indexes all states, where there is no index.
    fn index_again(&mut self, lens: [usize; SEGMENTS]) {
        let arena = &self.arena;
        self.index = Index::of(self.len(), self.tuning(), lens, |number| hash_of::<H>(arena, number));
    }
}

impl<H: StateHash> Saved for Store<H> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.stride())?;
        to.len(self.arena.len())?;
        self.parents.iter().try_for_each(|parent| to.u32(parent))?;
        to.len(self.arena.len() * self.stride())?;
        (0..self.len()).try_for_each(|number| self.state(number).iter().try_for_each(|&word| to.u64(word)))?;
        self.is_whole().map_err(|_| io::Error::other("states could not be read from the disk"))
    }

    /// The store is an empty one for states of the size of the saved ones, which are all different.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        let stride = usize::try_from(from.u64()?).ok().filter(|&stride| stride == self.stride()).ok_or(Damaged)?;
        let parents = from.u32s()?;
        // A parent is stored before its children, except by a depth-first search; this check keeps paths finite here.
        if parents.iter().enumerate().any(|(number, &parent)| parent != NO_PARENT && parent as usize >= number) {
            return Err(Damaged);
        }
        let words = from.len(size_of::<u64>())?;
        if parents.len() >= MOST_STATES as usize || parents.len().checked_mul(stride) != Some(words) {
            return Err(Damaged);
        }
        let mut arena = self.arena.renewed(self.size());
        let mut state = vec![0; stride];
        for _ in 0..parents.len() {
            for word in &mut state {
                *word = from.u64()?;
            }
            if !arena.fits(&state) {
                return Err(Damaged);
            }
            if !arena.has_room() {
                arena.grow();
                while arena.bytes() > self.allowance / 2 && arena.move_to_disk(self.allowance) {}
            }
            arena.push(&state);
        }
        (self.arena, self.parents, self.granted) = (arena, Parents::given(&parents), 0);
        self.index_again(Index::new(self.tuning()).lens());
        let is_first = |number| {
            let (state, arena) = (self.state(number), &self.arena);
            let hash = H::hash(&state);
            self.index.find(hash, |other| arena.holds(other, &state)).ok() == Some(number)
        };
        if !(0..self.len()).all(is_first) {
            return Err(Damaged);
        }
        self.is_whole().map_err(|_| Damaged)
    }
}
