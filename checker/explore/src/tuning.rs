//! When a search changes how it works: sizes and counts that cost speed or memory, never what is found.
//!
//! [`SHIPPED`] is what the tool uses. [`SMALL`] makes every path of the code occur in searches of a few states: tests use it beside the
//! shipped values, and what is found is the same with both, but for [`Tuning::ties`], which says how many representatives
//! `several` may keep.

/// Sizes and counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Images of a state that are followed where they cannot be told apart and several representatives are allowed.
    pub ties: usize,
    /// States in a row before the search looks ahead.
    pub in_a_row: u32,
    /// Visits between two looks at the clock.
    pub visits: u32,
    /// Entries of a segment of the index from which it grows by half instead of doubling.
    pub large_segment: usize,
    /// The least and the most states of a chunk, as powers of two.
    pub chunk_shift: (u32, u32),
    /// States that are enough to see whether halves repeat.
    pub enough_for_halves: usize,
    /// States whose pairs of halves must have room before they are stored.
    pub pairs_ahead: usize,
    /// Bytes of a page of states that are sorted on the disk, where a state has no more.
    pub page: usize,
    /// The fewest states that may wait to be looked up there.
    pub least_waiting: usize,
    /// Starts and states of a restored search that are computed again.
    pub computed_again: u32,
}

/// What the tool uses.
pub static SHIPPED: Tuning = Tuning {
    ties: 16,
    in_a_row: 16,
    visits: 2048,
    large_segment: 1 << 18,
    chunk_shift: (10, 22),
    enough_for_halves: 1 << 14,
    pairs_ahead: 256,
    page: 1 << 12,
    least_waiting: 1 << 10,
    computed_again: 1 << 10,
};

/// Every path occurs in small searches.
pub static SMALL: Tuning = Tuning {
    ties: 1,
    in_a_row: 2,
    visits: 16,
    large_segment: 1 << 7,
    chunk_shift: (6, 12),
    enough_for_halves: 64,
    pairs_ahead: 4,
    page: 64,
    least_waiting: 8,
    computed_again: 1 << 6,
};
