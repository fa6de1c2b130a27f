//! Group orders as products collected factor by factor.
//!
//! Factors are kept with multiplicities and multiplied only at the end, as a balanced product of prime powers: orders of a hundred
//! thousand digits come from groups such as a wreath product of twenty thousand copies. Factorials are kept as such, and the exponents of their
//! primes follow from Legendre's formula. Large numbers are multiplied in parts (Karatsuba), so that the watch can stop the product.

use std::collections::BTreeMap;

use num_bigint::BigUint;

/// The bits of numbers that are multiplied at once: some milliseconds.
const PART: u64 = 1 << 19;

/// A product of powers of positive numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    exponents: BTreeMap<u32, u64>,
    factorials: BTreeMap<u32, u64>,
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
        if n > 1 && times > 0 {
            *self.factorials.entry(n).or_default() += times;
        }
    }

    /// The product. The watch of the thread may stop it.
    pub(crate) fn value(&self) -> BigUint {
        let mut powers: BTreeMap<u32, u64> = BTreeMap::new();
        for (&factor, &times) in &self.exponents {
            debug_assert!(factor > 1 && times > 0, "factors of one are left out");
            let mut rest = factor;
            let mut divisor = 2;
            while divisor * divisor <= rest {
                while rest.is_multiple_of(divisor) {
                    *powers.entry(divisor).or_default() += times;
                    rest /= divisor;
                }
                divisor += 1;
            }
            if rest > 1 {
                *powers.entry(rest).or_default() += times;
            }
        }
        for prime in primes(self.factorials.keys().next_back().copied().unwrap_or(0)) {
            let times: u64 = self.factorials.iter().map(|(&n, &times)| times * exponent(n, prime)).sum();
            *powers.entry(prime).or_default() += times;
        }
        let power = |(prime, times): (u32, u64)| {
            limits::work(1);
            BigUint::from(prime).pow(u32::try_from(times).expect("exponents fit in 32 bits"))
        };
        let mut powers: Vec<BigUint> = powers.into_iter().map(power).collect();
        powers.sort_unstable();
        while powers.len() > 1 {
            let of = |pair: &[BigUint]| if let [a, b] = pair { product(a, b) } else { pair[0].clone() };
            powers = powers.chunks(2).map(of).collect();
        }
        powers.pop().unwrap_or_else(|| BigUint::from(1_u32))
    }
}

/// The primes up to a number, by the sieve of Eratosthenes.
fn primes(most: u32) -> Vec<u32> {
    let mut is_composite = vec![false; most as usize + 1];
    let mut primes = Vec::new();
    for number in 2..=most as usize {
        limits::work(1);
        if !is_composite[number] {
            limits::work(u64::from(most) / number as u64);
            primes.push(u32::try_from(number).expect("at most a number of 32 bits"));
            (number * number..=most as usize).step_by(number).for_each(|multiple| is_composite[multiple] = true);
        }
    }
    primes
}

/// The exponent of a prime in the factorial of `n`.
fn exponent(n: u32, prime: u32) -> u64 {
    let (mut rest, mut sum) = (n, 0);
    while rest > 0 {
        rest /= prime;
        sum += u64::from(rest);
    }
    sum
}

/// `a * b`, in parts between which the watch is consulted.
fn product(a: &BigUint, b: &BigUint) -> BigUint {
    let (bits, fewest) = (a.bits().max(b.bits()), a.bits().min(b.bits()));
    limits::work(1 + fewest / 64);
    if bits <= PART || fewest == 0 {
        return a * b;
    }
    let half = bits / 2;
    let mask = (BigUint::from(1_u32) << half) - 1_u32;
    let [(high_a, low_a), (high_b, low_b)] = [a, b].map(|number| (number >> half, number & &mask));
    let (high, low) = (product(&high_a, &high_b), product(&low_a, &low_b));
    let middle = product(&(high_a + low_a), &(high_b + low_b)) - &high - &low;
    (high << (2 * half)) + (middle << half) + low
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::{Order, PART, product};

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

    #[test]
    fn factorials_are_products_of_their_factors() {
        for (n, times) in [(1, 3), (2, 1), (10, 2), (97, 1), (1000, 3)] {
            let mut order = Order::default();
            order.multiply_factorial(n, times);
            order.multiply(6, 1);
            let factorial: BigUint = (1..=n).map(BigUint::from).product();
            assert_eq!(order.value(), factorial.pow(u32::try_from(times).expect("small")) * 6_u32, "{n}!^{times}");
        }
    }

    #[test]
    fn products_in_parts_are_products() {
        let number = |bits: u64, low: u32| (BigUint::from(1_u32) << bits) / 7_u32 + low;
        for (a, b) in [(PART * 3, PART * 2), (PART * 5, 40), (PART + 1, PART + 1), (10, 10)] {
            let (a, b) = (number(a, 5), number(b, 3));
            assert_eq!(product(&a, &b), &a * &b);
        }
    }
}
