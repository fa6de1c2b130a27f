//! A small reproducible generator of random numbers: the same seed gives the same numbers on every platform.
//!
//! xoshiro256** seeded by splitmix64. It is not meant for cryptography.
//!
//! Source: David Blackman and Sebastiano Vigna, "Scrambled linear pseudorandom number generators", 2018 (public
//! domain algorithms, rewritten).

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut mixed = seed;
        let mut next = || {
            mixed = mixed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = mixed;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        Rng { state: [next(), next(), next(), next()] }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, which is at least 1. The bias is below `bound / 2^32`.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a number below 0 was requested");
        let high = self.next_u64() >> 32;
        usize::try_from((high * bound as u64) >> 32).expect("below a usize")
    }

    /// A number of `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// True in `thousandths` of 1000 cases.
    pub fn rare(&mut self, thousandths: usize) -> bool {
        self.below(1000) < thousandths
    }

    /// One of the items; `items` is not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// An index, each with the probability of its weight.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_of_a_seed_is_fixed() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.next_u64(), 0x99EC_5F36_CB75_F2B4);
        assert_eq!(rng.next_u64(), 0xBF6E_1F78_4956_452A);
    }

    #[test]
    fn numbers_keep_their_bounds() {
        let mut rng = Rng::new(7);
        for _ in 0..1000 {
            assert!(rng.below(3) < 3);
            assert!((2..=4).contains(&rng.between(2, 4)));
            assert_ne!(rng.weighted(&[1, 0, 2]), 1);
        }
    }
}
