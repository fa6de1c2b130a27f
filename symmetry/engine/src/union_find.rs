//! Disjoint sets of `0..n`, by size with path halving.

use crate::graph::index;
use crate::permutation::SparsePermutation;

/// Disjoint sets.
#[derive(Clone, Default, Debug)]
pub struct UnionFind {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl UnionFind {
    /// `n` sets of one element.
    ///
    /// # Panics
    ///
    /// When elements do not fit in 32 bits.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { parents: (0..index(n)).collect(), sizes: vec![1; n] }
    }

    /// The orbits of points under permutations.
    #[must_use]
    pub fn of_orbits(degree: usize, list: &[SparsePermutation]) -> Self {
        let mut sets = Self::new(degree);
        for &(point, image) in list.iter().flat_map(SparsePermutation::pairs) {
            sets.union(point, image);
        }
        sets
    }

    /// Adds a set of one element; returns it.
    pub fn add(&mut self) -> u32 {
        let element = index(self.parents.len());
        self.parents.push(element);
        self.sizes.push(1);
        element
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The representative of the set of `element`.
    pub fn find(&mut self, mut element: u32) -> u32 {
        while self.parents[element as usize] != element {
            let grandparent = self.parents[self.parents[element as usize] as usize];
            self.parents[element as usize] = grandparent;
            element = grandparent;
        }
        element
    }

    /// Joins two sets; `false` when they were already one set.
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (mut big, mut small) = (self.find(a), self.find(b));
        if big == small {
            return false;
        }
        if self.sizes[big as usize] < self.sizes[small as usize] {
            std::mem::swap(&mut big, &mut small);
        }
        self.parents[small as usize] = big;
        self.sizes[big as usize] += self.sizes[small as usize];
        debug_assert!(self.sizes[big as usize] as usize <= self.parents.len(), "a set has at most all elements");
        true
    }

    /// Number of elements in the set of `element`.
    pub(crate) fn size(&mut self, element: u32) -> u32 {
        let root = self.find(element);
        self.sizes[root as usize]
    }

    /// For every element the least element of its set.
    pub fn least_members(&mut self) -> Vec<u32> {
        let n = self.parents.len();
        let mut least = vec![u32::MAX; n];
        (0..index(n))
            .map(|element| {
                let root = self.find(element) as usize;
                least[root] = least[root].min(element);
                least[root]
            })
            .collect()
    }

    /// The sets, each ascending, by least element.
    pub(crate) fn classes(&mut self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.len()];
        for (element, least) in (0..).zip(self.least_members()) {
            members[least as usize].push(element);
        }
        members.retain(|class| !class.is_empty());
        members
    }
}
