//! Group orders as products collected factor by factor.
//!
//! Factors are kept with multiplicities and multiplied only at the end, as a balanced product of prime powers: orders of a hundred
//! thousand digits come from groups such as a wreath product of twenty thousand copies.

use std::collections::BTreeMap;

use num_bigint::BigUint;

/// A product of powers of positive numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    exponents: BTreeMap<u32, u64>,
}

impl Order {
    /// Multiplies by `factor` to the power `times`.
    pub(crate) fn multiply(&mut self, factor: u32, times: u64) {
        if factor > 1 && times > 0 {
            *self.exponents.entry(factor).or_default() += times;
        }
    }

    /// Multiplies by the factorial of `n` to the power `times`.
    pub(crate) fn multiply_factorial(&mut self, n: u32, times: u64) {
        for factor in 2..=n {
            self.multiply(factor, times);
        }
    }

    /// The product.
    pub(crate) fn value(&self) -> BigUint {
        let mut primes: BTreeMap<u32, u64> = BTreeMap::new();
        for (&factor, &times) in &self.exponents {
            let mut rest = factor;
            let mut divisor = 2;
            while divisor * divisor <= rest {
                while rest.is_multiple_of(divisor) {
                    *primes.entry(divisor).or_default() += times;
                    rest /= divisor;
                }
                divisor += 1;
            }
            if rest > 1 {
                *primes.entry(rest).or_default() += times;
            }
            debug_assert!(factor > 1 && times > 0, "factors of one are left out");
        }
        let mut powers: Vec<BigUint> = primes
            .into_iter()
            .map(|(prime, times)| BigUint::from(prime).pow(u32::try_from(times).expect("exponents fit in 32 bits")))
            .collect();
        powers.sort_unstable();
        while powers.len() > 1 {
            powers = powers.chunks(2).map(|pair| pair.iter().product()).collect();
        }
        powers.pop().unwrap_or_else(|| BigUint::from(1_u32))
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::Order;

    #[test]
    fn products_of_factorials_and_powers() {
        let mut order = Order::default();
        assert_eq!(order.value(), BigUint::from(1_u32));
        order.multiply(1, 5);
        order.multiply(12, 2);
        order.multiply_factorial(5, 1);
        order.multiply(49, 1);
        assert_eq!(order.value(), BigUint::from(144_u32 * 120 * 49));
    }
}
