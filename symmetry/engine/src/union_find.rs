//! Disjoint sets of `0..n`, by size with path halving.

use crate::graph::index;

/// Disjoint sets.
#[derive(Clone, Debug)]
pub(crate) struct UnionFind {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl UnionFind {
    /// `n` sets of one element.
    pub(crate) fn new(n: usize) -> Self {
        Self { parents: (0..index(n)).collect(), sizes: vec![1; n] }
    }

    /// The representative of the set of `element`.
    pub(crate) fn find(&mut self, mut element: u32) -> u32 {
        while self.parents[element as usize] != element {
            let grandparent = self.parents[self.parents[element as usize] as usize];
            self.parents[element as usize] = grandparent;
            element = grandparent;
        }
        element
    }

    /// Joins two sets; `false` when they were already one set.
    pub(crate) fn union(&mut self, a: u32, b: u32) -> bool {
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
    pub(crate) fn least_members(&mut self) -> Vec<u32> {
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
}
