//! A small deterministic source of numbers: randomised algorithms here repeat exactly.

/// A splitmix generator.
#[derive(Clone, Debug)]
pub struct RandomSource {
    state: u64,
}

impl RandomSource {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next word.
    pub fn next_word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        crate::partition::mix(self.state)
    }

    /// A number below `bound`, close to uniform.
    ///
    /// # Panics
    ///
    /// When `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a number below zero");
        let wide = u128::from(self.next_word()) * (bound as u128);
        usize::try_from(wide >> 64).expect("below the bound")
    }
}
