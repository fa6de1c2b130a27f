//! The thresholds of the checker: sizes and counts that cost speed or memory, and never change the findings.
//!
//! Unit tests of this crate run with the values of [`Tuning::small`], so that every path occurs in small models; all other
//! programs, those of the integration tests among them, with the shipped ones.

/// Sizes and counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// The thresholds of the search.
    pub(crate) search: &'static explore::tuning::Tuning,
    /// Segments of numberings of created rebecs that are tried before ties are cut.
    pub(crate) numberings: usize,
    /// Local states whose invariant is stored.
    pub(crate) invariants: usize,
    /// The number of states from which the fields of a packed state have no spare bits.
    pub(crate) tight_from: u32,
    /// Combinations of choices of a summand that are compiled one by one.
    pub(crate) choices: u64,
    /// Steps between two checks whether storing them pays.
    pub(crate) memo_trial: u32,
    /// The weight of a condition from which its value is stored: for each, and for each piece of the elements that it
    /// reads.
    pub(crate) look_up: (usize, usize),
    /// Evaluations of an instance of Murphi whose outcome was not known, between two checks whether remembering pays.
    pub(crate) decision_trial: u32,
    /// The greatest content of a slot by which outcomes are remembered.
    pub(crate) decision_contents: u64,
    /// The steps of the first turn of a formula of branching time about a net.
    pub(crate) first_turn: u64,
}

impl Tuning {
    /// The values that the tool uses.
    #[cfg_attr(test, expect(dead_code, reason = "unit tests use the small values"))]
    const fn shipped() -> Tuning {
        Tuning {
            search: &explore::tuning::SHIPPED,
            numberings: 20_000,
            invariants: 1 << 14,
            tight_from: 1 << 20,
            choices: 1 << 22,
            memo_trial: 32,
            look_up: (6, 2),
            decision_trial: 1 << 8,
            decision_contents: 255,
            first_turn: 1 << 12,
        }
    }

    /// Every path occurs in small models.
    #[cfg(test)]
    const fn small() -> Tuning {
        Tuning {
            search: &explore::tuning::SMALL,
            numberings: 400,
            invariants: 4,
            tight_from: 300,
            choices: 1 << 13,
            memo_trial: 2,
            look_up: (0, 0),
            decision_trial: 30,
            decision_contents: 7,
            first_turn: 3,
        }
    }
}

/// The values in use.
#[cfg(not(test))]
pub(crate) const TUNING: Tuning = Tuning::shipped();

/// The values in use.
#[cfg(test)]
pub(crate) const TUNING: Tuning = Tuning::small();
