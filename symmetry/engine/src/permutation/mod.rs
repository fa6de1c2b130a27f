//! Permutations: dense (an image for every point) and sparse (only the points moved).
//!
//! A dense permutation acts on `0..degree`; products apply the left factor first, so `a.then(&b)` maps `x` to
//! `b(a(x))`. A sparse permutation has no degree: it fixes everything outside its support.

mod dense;
mod sparse;

use std::fmt;

pub use dense::Permutation;
pub use sparse::SparsePermutation;

/// The reason why a list of images or pairs is not a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermutationError {
    /// Two points have the same image, or a point is mapped twice.
    Repeated(u32),
    /// An image that no point of the support has, or an image outside the degree.
    OutOfRange(u32),
}

impl fmt::Display for PermutationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repeated(point) => write!(out, "point {point} occurs twice"),
            Self::OutOfRange(point) => write!(out, "point {point} is outside the support"),
        }
    }
}

impl std::error::Error for PermutationError {}

/// Cycles of length two and more of the permutation of `0..count` with these images, each from its least number, ascending; `point` is what a
/// number stands for.
pub fn cycles<T>(count: usize, image: impl Fn(usize) -> usize, point: impl Fn(usize) -> T) -> Vec<Vec<T>> {
    let mut seen = vec![false; count];
    let mut cycles = Vec::new();
    for start in 0..count {
        let mut cycle = Vec::new();
        let mut at = start;
        while !std::mem::replace(&mut seen[at], true) {
            cycle.push(point(at));
            at = image(at);
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Writes cycles such as `(1,2,3)(4,5)`, adding `shift` to every point; the identity is `()`.
pub(crate) fn write_cycles(
    out: &mut impl fmt::Write,
    cycles: impl Iterator<Item = Vec<u32>>,
    shift: u64,
) -> fmt::Result {
    let mut empty = true;
    for cycle in cycles {
        empty = false;
        for (place, &point) in cycle.iter().enumerate() {
            write!(out, "{}{}", if place == 0 { '(' } else { ',' }, u64::from(point) + shift)?;
        }
        write!(out, ")")?;
    }
    if empty { write!(out, "()") } else { Ok(()) }
}
