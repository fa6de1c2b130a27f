//! Permutations given by the points that they move.
//!
//! # Invariants
//!
//! `pairs` is sorted by its first components, no pair is fixed, and the images are exactly the points: established by
//! [`SparsePermutation::from_pairs`].

use std::fmt;

use super::{Permutation, PermutationError, write_cycles};

/// A permutation that moves finitely many points.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct SparsePermutation {
    pairs: Vec<(u32, u32)>,
}

impl SparsePermutation {
    /// The permutation with these `(point, image)` pairs; fixed points may be listed.
    ///
    /// # Errors
    ///
    /// When a point or an image repeats, or an image is not itself one of the points.
    pub fn from_pairs(mut pairs: Vec<(u32, u32)>) -> Result<Self, PermutationError> {
        limits::work(8 * pairs.len() as u64);
        limits::reserve(size_of_val(&pairs[..]) as u64);
        pairs.sort_unstable();
        if let Some(window) = pairs.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(PermutationError::Repeated(window[0].0));
        }
        let mut images: Vec<u32> = pairs.iter().map(|&(_, image)| image).collect();
        images.sort_unstable();
        if let Some(window) = images.windows(2).find(|w| w[0] == w[1]) {
            return Err(PermutationError::Repeated(window[0]));
        }
        if let Some((_, &image)) = pairs.iter().zip(&images).find(|(pair, image)| pair.0 != **image) {
            return Err(PermutationError::OutOfRange(image));
        }
        Ok(Self { pairs: moving(pairs) })
    }

    /// Wraps pairs known to be a bijection; fixed points may be listed.
    pub(crate) fn trusted(pairs: Vec<(u32, u32)>) -> Self {
        let mut pairs = moving(pairs);
        pairs.sort_unstable();
        debug_assert!(Self::from_pairs(pairs.clone()).is_ok(), "a bijection");
        Self { pairs }
    }

    /// The permutation with these cycles.
    ///
    /// # Errors
    ///
    /// When a point occurs twice.
    pub fn from_cycles(cycles: &[&[u32]]) -> Result<Self, PermutationError> {
        let mut pairs = Vec::new();
        for cycle in cycles {
            for (place, &point) in cycle.iter().enumerate() {
                pairs.push((point, cycle[(place + 1) % cycle.len()]));
            }
        }
        Self::from_pairs(pairs)
    }

    /// `(point, image)` for every point moved, ascending by point.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Points moved, ascending.
    pub fn support(&self) -> impl Iterator<Item = u32> + '_ {
        self.pairs.iter().map(|&(point, _)| point)
    }

    /// Whether this is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Image of a point.
    #[must_use]
    pub fn image(&self, point: u32) -> u32 {
        self.pairs.binary_search_by_key(&point, |pair| pair.0).map_or(point, |at| self.pairs[at].1)
    }

    /// The inverse permutation.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut pairs: Vec<(u32, u32)> = self.pairs.iter().map(|&(point, image)| (image, point)).collect();
        pairs.sort_unstable();
        debug_assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0), "images are distinct");
        Self { pairs }
    }

    /// The same permutation on `0..degree`.
    ///
    /// # Errors
    ///
    /// When it moves a point outside `0..degree`.
    pub fn to_dense(&self, degree: usize) -> Result<Permutation, PermutationError> {
        let mut images: Vec<u32> = (0..crate::graph::index(degree)).collect();
        for &(point, image) in &self.pairs {
            *images.get_mut(point as usize).ok_or(PermutationError::OutOfRange(point))? = image;
        }
        Permutation::from_images(images)
    }

    /// Cycles of length two and more, each from its least point, ascending.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let place = |point: u32| self.pairs.binary_search_by_key(&point, |pair| pair.0).expect("images are points");
        super::cycles(self.pairs.len(), |at| place(self.pairs[at].1), |at| self.pairs[at].0)
    }

    /// Cycle notation of GAP, points counted from one.
    #[must_use]
    pub fn to_gap(&self) -> String {
        let mut text = String::new();
        write_cycles(&mut text, self.cycles().into_iter(), 1).expect("writing to a string");
        text
    }
}

/// The pairs that are not fixed, without room for others: lists of generators are kept for long.
fn moving(mut pairs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    pairs.retain(|&(point, image)| point != image);
    if pairs.len() < pairs.capacity() / 2 {
        pairs.shrink_to_fit();
    }
    pairs
}

impl fmt::Display for SparsePermutation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cycles(out, self.cycles().into_iter(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::SparsePermutation;
    use crate::permutation::PermutationError;

    #[test]
    fn cycles_print_and_invert() {
        let turn = SparsePermutation::from_cycles(&[&[4, 7, 2], &[9, 8]]).expect("distinct points");
        assert_eq!(turn.to_string(), "(2,4,7)(8,9)");
        assert_eq!(turn.inverse().to_string(), "(2,7,4)(8,9)");
        assert_eq!(turn.image(7), 2);
        assert_eq!(turn.image(100), 100);
        assert_eq!(turn.to_dense(10).expect("fits").to_sparse(), turn);
        assert_eq!(turn.to_dense(9), Err(PermutationError::OutOfRange(9)));
    }

    #[test]
    fn maps_that_are_no_bijections_are_refused() {
        let error = |pairs: &[(u32, u32)]| SparsePermutation::from_pairs(pairs.to_vec()).expect_err("no bijection");
        assert_eq!(error(&[(0, 1)]), PermutationError::OutOfRange(1));
        assert_eq!(error(&[(0, 1), (0, 2)]), PermutationError::Repeated(0));
        assert_eq!(error(&[(0, 1), (2, 1)]), PermutationError::Repeated(1));
        assert!(SparsePermutation::from_pairs(vec![(3, 3)]).expect("fixed points").is_identity());
    }
}
