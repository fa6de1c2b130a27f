//! The division of the memory among the workers of a search, and its end where even the disk does not help.
//!
//! Before each round the driver divides what its own tables leave; each worker keeps to its share, and moves its index to the
//! disk or shrinks its table there. So it is the workers who say that memory is short; where no index may move, the driver
//! adds up what they hold.
//!
//! The memory of the process outside the search is measured again during the search: the heap keeps some of what it is given back,
//! and that is nowhere counted.
//!
//! Invariant: the shares and twice the driver's tables, which may double, are together at most what the limit leaves.

use super::driver::Driver;
use crate::memory::Halt;
use crate::search::{End, Sharded};
use crate::watch::Watched;

/// The share of the memory that stays unused where more than expected is held next to the search.
const SPARE: u64 = 16;

/// The bytes of each of so many workers of a space, while others hold so many bytes.
pub(super) fn share<S: Sharded>(space: &S, held: u64, workers: usize) -> u64 {
    match space.most_bytes() {
        u64::MAX => u64::MAX,
        most => most.saturating_sub(space.bytes(0).saturating_mul(2)).saturating_sub(held) / workers.max(1) as u64,
    }
}

/// The bytes to set aside for what is nowhere counted, and how many of them nobody uses yet, where the process holds so many
/// bytes, and the search counts so many of them.
fn set_aside(resident: u64, counted: u64, most: u64) -> (u64, u64) {
    let uncounted = resident.saturating_sub(counted);
    let held = uncounted.saturating_add(most / SPARE).min(most / 2 + most / SPARE);
    (held, held.saturating_sub(uncounted))
}

impl<S: Watched + Sharded> Driver<'_, '_, S> {
    /// The limit that ends the search before a round.
    pub(super) fn reached_limit(&mut self) -> Option<End> {
        if let Some(limit) = self.clock.ended() {
            return Some(End::Limit(limit));
        }
        let bytes = self.space.bytes(self.bytes + self.totals.handover.held);
        if bytes > self.space.most_bytes() && !self.delays {
            return Some(End::Limit(self.limit_of(Halt::Memory)));
        }
        self.weigh(self.bytes);
        self.show();
        None
    }

    /// Measures the memory of the process outside the search, of which so many bytes are not in the driver's space.
    pub(super) fn weigh(&mut self, others: u64) {
        let (resident, most) = (self.clock.held(), self.space.most_bytes());
        if resident == 0 || most == u64::MAX {
            return;
        }
        let (held, kept) = set_aside(resident, self.space.bytes(others), most);
        let handover = &mut self.totals.handover;
        if held > handover.held {
            (handover.held, handover.kept) = (held, kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SPARE, set_aside};

    #[test]
    fn uncounted_memory_is_set_aside() {
        assert_eq!(set_aside(100, 90, 1_600), (110, 100));
        assert_eq!(set_aside(90, 100, 1_600), (100, 100));
        for (resident, counted) in [(6_000, 1), (u64::MAX, 0), (0, u64::MAX)] {
            let (held, kept) = set_aside(resident, counted, 6_400);
            assert!(held <= 3_200 + 6_400 / SPARE && kept <= held, "{resident} {counted}");
        }
    }
}
