//! Permutations of `0..degree` as a list of images.

use std::fmt;

use super::{PermutationError, SparsePermutation, write_cycles};
use crate::graph::index;

/// A permutation of `0..degree`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    images: Vec<u32>,
}

impl Permutation {
    /// The permutation that maps `x` to `images[x]`.
    ///
    /// # Errors
    ///
    /// When an image repeats or is not below the degree.
    pub fn from_images(images: Vec<u32>) -> Result<Self, PermutationError> {
        let mut seen = vec![false; images.len()];
        for &image in &images {
            let mark = seen.get_mut(image as usize).ok_or(PermutationError::OutOfRange(image))?;
            if std::mem::replace(mark, true) {
                return Err(PermutationError::Repeated(image));
            }
        }
        Ok(Self { images })
    }

    /// Wraps images known to be a bijection.
    pub(crate) fn trusted(images: Vec<u32>) -> Self {
        debug_assert!(Self::from_images(images.clone()).is_ok(), "a bijection");
        Self { images }
    }

    /// The identity on `0..degree`.
    #[must_use]
    pub fn identity(degree: usize) -> Self {
        Self { images: (0..index(degree)).collect() }
    }

    /// Number of points on which the permutation acts.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.images.len()
    }

    /// Image of every point.
    #[must_use]
    pub fn images(&self) -> &[u32] {
        &self.images
    }

    /// Image of every point.
    pub(crate) fn into_images(self) -> Vec<u32> {
        self.images
    }

    /// Image of a point.
    ///
    /// # Panics
    ///
    /// When the point is not below the degree.
    #[must_use]
    pub fn image(&self, point: u32) -> u32 {
        self.images[point as usize]
    }

    /// Whether this is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.images.iter().enumerate().all(|(point, &image)| point == image as usize)
    }

    /// The product: first this permutation, then `next`.
    ///
    /// # Panics
    ///
    /// When the degrees differ.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        assert_eq!(self.degree(), next.degree(), "permutations of one degree");
        Self { images: self.images.iter().map(|&image| next.images[image as usize]).collect() }
    }

    /// The inverse permutation.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut images = vec![0; self.images.len()];
        for (point, &image) in (0..).zip(&self.images) {
            images[image as usize] = point;
        }
        debug_assert!(Self::from_images(images.clone()).is_ok(), "the inverse is a bijection");
        Self { images }
    }

    /// The sparse form, which lists the moved points only.
    #[must_use]
    pub fn to_sparse(&self) -> SparsePermutation {
        let pairs = (0..).zip(self.images.iter().copied()).filter(|(point, image)| point != image).collect();
        SparsePermutation::from_pairs(pairs).expect("a bijection")
    }

    /// Cycles of length two and more, each from its least point, ascending.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        super::cycles(self.images.len(), |at| self.images[at] as usize, index)
    }

    /// Whether the permutation is a product of an even number of transpositions.
    #[must_use]
    pub fn is_even(&self) -> bool {
        self.cycles().iter().map(|cycle| cycle.len() - 1).sum::<usize>() % 2 == 0
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cycles(out, self.cycles().into_iter(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Permutation;
    use crate::permutation::PermutationError;

    #[test]
    fn products_apply_the_left_factor_first() {
        let a = Permutation::from_images(vec![1, 0, 2]).expect("a bijection");
        let b = Permutation::from_images(vec![0, 2, 1]).expect("a bijection");
        assert_eq!(a.then(&b).to_string(), "(0,2,1)");
        assert!(a.then(&a.inverse()).is_identity());
        assert!(a.then(&b).is_even() && !a.is_even());
    }

    #[test]
    fn maps_that_are_no_bijections_are_refused() {
        assert_eq!(Permutation::from_images(vec![0, 0]), Err(PermutationError::Repeated(0)));
        assert_eq!(Permutation::from_images(vec![0, 2]), Err(PermutationError::OutOfRange(2)));
    }
}
