//! The memory of a store: what it may allocate, and what moves to the disk where that is short.

use super::Store;
use crate::memory::Halt;
use crate::states::hash::StateHash;

/// Bytes between two checks of the allowance.
const STEP: usize = 1 << 16;

impl<H: StateHash> Store<H> {
    /// Sets the number of bytes that the store may allocate from now on, including those it has.
    pub fn allow(&mut self, bytes: u64) {
        self.allowance = bytes;
        self.granted = 0;
        self.arena.fit(bytes);
    }

    /// Moves states to the disk until at most so many bytes are left.
    ///
    /// # Errors
    /// More bytes are left.
    pub fn shrink(&mut self, to: u64) -> Result<(), Halt> {
        self.room = to;
        if self.bytes() <= to {
            return Ok(());
        }
        if self.is_delayed() {
            return self.shrink_table();
        }
        self.compress();
        while self.bytes() > to {
            if self.may_delay || !self.arena.move_to_disk(self.allowance) {
                return Err(Halt::Memory);
            }
        }
        Ok(())
    }

    /// Makes room for one more state in the arena, and for its parent.
    #[inline]
    pub(super) fn reserve(&mut self) -> Result<(), Halt> {
        if self.arena.len() < self.granted { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Halt> {
        let step = (STEP / self.size()).max(1);
        self.reserve_parents(step)?;
        if self.arena.has_room() {
            self.request(self.arena.bytes_with(step) - self.arena.bytes())?;
        } else {
            self.request(self.arena.growth())?;
            self.arena.grow();
        }
        self.granted = self.arena.capacity().min(self.arena.len() + step);
        Ok(())
    }

    /// Makes room for the parents of so many more states.
    fn reserve_parents(&mut self, more: usize) -> Result<(), Halt> {
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let bytes = self.parents.more_bytes(more);
        if bytes > 0 {
            self.request(bytes)?;
            self.parents.reserve(more)?;
        }
        Ok(())
    }

    /// Stores states as pairs of halves where that is smaller.
    #[cold]
    fn compress(&mut self) {
        if self.arena.compress(self.allowance) {
            self.granted = 0;
        }
    }

    /// The bytes that the store may still take.
    pub fn left(&self) -> u64 {
        self.allowance.saturating_sub(self.bytes())
    }

    /// Leaves so many bytes to others, which they take within a visit; the next [`Store::allow`] counts them among theirs.
    #[inline]
    pub fn charge(&mut self, bytes: u64) {
        // Most visits take nothing more, and what was granted stays granted.
        if bytes > 0 {
            self.allowance = self.allowance.saturating_sub(bytes);
            self.granted = 0;
        }
    }

    /// Makes room for so many bytes.
    ///
    /// # Errors
    /// They would pass the allowance, and no state can be moved to the disk.
    pub fn request(&mut self, bytes: u64) -> Result<(), Halt> {
        if self.bytes().saturating_add(bytes) <= self.allowance {
            return Ok(());
        }
        let room = self.allowance.checked_sub(bytes).ok_or(Halt::Memory)?;
        self.shrink(room)
    }
}
