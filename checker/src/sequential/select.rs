//! The instances that a state may enable, by look-ups in place of evaluation.
//!
//! Conjuncts of guards that read few bits of the packed state are gathered in clusters of elements (`clusters`):
//! `pc[i]` and `j[i]` of one process, for example. For each cluster a table gives, for every value of its bits, the
//! set of the alternatives whose conjuncts over the cluster are all true. A state's candidates are the intersection
//! over the clusters; the rest of a guard is evaluated for candidates only.
//!
//! Invariants: alternative `a` is bit `a % 64` of word `a / 64`; the alternatives of an instance follow each other; a
//! cluster without a conjunct in a word is no decider of it; each gathered conjunct is in one cluster.
//!
//! Soundness: only conjuncts that cannot fault are gathered, so that their order does not matter; rows for bits that
//! no state has are empty.
//!
//! Complexity: a state costs a look-up for each decider of each word; where that is more than [`MOST_LOOKUPS`], there is no
//! selection.

use std::collections::HashMap;

use super::clusters::{alternatives, clusters, holder, reads};
use super::code::Code;
use super::gather::Gather;
use super::packing::Packing;
use explore::memory::bytes_of;

/// The most look-ups for a state.
const MOST_LOOKUPS: usize = 256;

/// The least number of instances for which a selection pays.
const LEAST_INSTANCES: usize = 8;

/// The candidates of each state.
#[derive(Clone, Debug)]
pub(super) struct Selection<'m> {
    clusters: Vec<Gather>,
    /// For each word the existing alternatives.
    all: Vec<u64>,
    /// For each word the clusters that decide over it, and the places where their rows begin.
    deciders: Vec<Box<[(u32, u32)]>>,
    rows: Vec<u64>,
    /// For each alternative its instance.
    owners: Vec<u32>,
    /// For each alternative the conjuncts that remain to be evaluated.
    rests: Vec<Box<[Code<'m>]>>,
}

impl<'m> Selection<'m> {
    /// Gathers conjuncts of the guards, one list per instance. `None`: it would not pay.
    pub(super) fn new(guards: &[Vec<Code<'m>>], packing: &Packing) -> Option<Selection<'m>> {
        if guards.len() < LEAST_INSTANCES || guards.len().div_ceil(64) > MOST_LOOKUPS {
            return None;
        }
        let (mut owners, mut rests) = (Vec::new(), Vec::new());
        for (instance, guard) in (0..).zip(guards) {
            for alternative in alternatives(guard.clone(), packing) {
                owners.push(instance);
                rests.push(alternative);
            }
        }
        let follows = |pair: &[u32]| pair[0] == pair[1] || pair[0] + 1 == pair[1];
        assert!(owners.windows(2).all(follows), "every instance has an alternative, and they follow each other");
        let (sets, needs) = sets(&rests, packing);
        let known: Vec<Vec<usize>> = needs.iter().map(|needs| needs.iter().flatten().copied().collect()).collect();
        let elements = clusters(&sets, &known, packing);
        let words = owners.len().div_ceil(64);
        let mut own: Vec<Vec<(usize, Code<'m>)>> = elements.iter().map(|_| Vec::new()).collect();
        let holders: Vec<Option<usize>> = sets.iter().map(|set| holder(set, &elements)).collect();
        for (alternative, (rest, needs)) in rests.iter_mut().zip(&needs).enumerate() {
            let mut needs = needs.iter();
            rest.retain(|conjunct| {
                let at = needs.next().expect("one set a conjunct").and_then(|set| holders[set]);
                at.map(|at| own[at].push((alternative, conjunct.clone()))).is_none()
            });
        }
        let of_word = |word: usize| {
            let decides =
                move |own: &Vec<(usize, Code<'_>)>| own.iter().any(|(alternative, _)| alternative / 64 == word);
            own.iter().enumerate().filter(move |(_, own)| decides(own)).map(|(cluster, _)| cluster)
        };
        let lookups: usize = (0..words).map(|word| of_word(word).count()).sum();
        if elements.is_empty() || lookups > MOST_LOOKUPS {
            return None;
        }
        let tables: Vec<Vec<u64>> =
            elements.iter().zip(&own).map(|(elements, own)| table(elements, own, packing, words)).collect();
        let (mut rows, mut deciders) = (Vec::new(), Vec::new());
        for word in 0..words {
            let mut at_word = Vec::new();
            for cluster in of_word(word) {
                let first = u32::try_from(rows.len()).expect("few look-ups of few bits");
                at_word.push((u32::try_from(cluster).expect("few look-ups"), first));
                rows.extend(tables[cluster].iter().skip(word).step_by(words));
            }
            deciders.push(at_word.into());
        }
        let gathers: Vec<Gather> =
            elements.iter().map(|elements| Gather::new(elements, &packing.layout).expect("few bits")).collect();
        let has_bits = |(gather, own): (&Gather, &Vec<usize>)| gather.bits() == packing.bits(own);
        assert!(gathers.iter().zip(&elements).all(has_bits), "a row of a table has the number of its key");
        assert_eq!(deciders.len(), words, "every word of alternatives has its deciders");
        let left = |word: usize| u64::MAX >> (64 - (owners.len() - word * 64).min(64));
        let all = (0..words).map(left).collect();
        let rests = rests.into_iter().map(Vec::into_boxed_slice).collect();
        Some(Selection { clusters: gathers, all, deciders, rows, owners, rests })
    }

    /// Calls a function for each candidate of a packed state, in ascending order. `keys` is a buffer.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "keys of clusters have few bits")]
    pub(super) fn candidates(&self, state: &[u64], keys: &mut Vec<u32>, mut each: impl FnMut(usize)) {
        keys.clear();
        keys.extend(self.clusters.iter().map(|cluster| cluster.small_key(state) as u32));
        for (word, (deciders, &all)) in self.deciders.iter().zip(&self.all).enumerate() {
            let row = |&(cluster, first): &(u32, u32)| self.rows[(first + keys[cluster as usize]) as usize];
            let mut set = deciders.iter().map(row).fold(all, |set, row| set & row);
            while set != 0 {
                each(word * 64 + set.trailing_zeros() as usize);
                set &= set - 1;
            }
        }
    }

    /// The number of alternatives.
    pub(super) fn alternatives(&self) -> usize {
        self.owners.len()
    }

    /// The instance of an alternative.
    #[inline]
    pub(super) fn owner(&self, alternative: usize) -> usize {
        self.owners[alternative] as usize
    }

    /// The rest of an alternative, which remains to be evaluated.
    #[inline]
    pub(super) fn rest(&self, alternative: usize) -> &[Code<'m>] {
        &self.rests[alternative]
    }

    /// Returns the rest of their guards to instances with one alternative.
    pub(super) fn return_rests(&mut self, guards: &mut [Vec<Code<'m>>]) {
        let mut alternatives = vec![0u32; guards.len()];
        self.owners.iter().for_each(|&owner| alternatives[owner as usize] += 1);
        for (&owner, rest) in self.owners.iter().zip(&mut self.rests) {
            if alternatives[owner as usize] == 1 {
                guards[owner as usize] = std::mem::take(rest).into_vec();
            }
        }
    }

    /// Known to be wrong: leaves out the last alternative of each instance that has several.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        for (at, pair) in self.owners.windows(2).enumerate() {
            if pair[0] == pair[1] {
                self.all[(at + 1) / 64] &= !(1 << ((at + 1) % 64));
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.rows.len() + 4 * self.owners.len())
    }
}

/// The sets of elements that conjuncts read, and for each alternative the set of each conjunct, if it is to be looked
/// up.
fn sets(alternatives: &[Vec<Code<'_>>], packing: &Packing) -> (Vec<Vec<usize>>, Vec<Vec<Option<usize>>>) {
    let (mut sets, mut numbers): (Vec<Vec<usize>>, HashMap<Vec<usize>, usize>) = Default::default();
    let mut number = |conjunct: &Code<'_>| {
        let read = Some(reads(conjunct, packing)).filter(|read| !read.is_empty())?;
        let next = sets.len();
        Some(*numbers.entry(read).or_insert_with_key(|read| {
            sets.push(read.clone());
            next
        }))
    };
    let needs = alternatives.iter().map(|conjuncts| conjuncts.iter().map(&mut number).collect()).collect();
    (sets, needs)
}

/// The alternatives that conjuncts over a cluster leave, for each value of its bits.
fn table(elements: &[usize], own: &[(usize, Code<'_>)], packing: &Packing, words: usize) -> Vec<u64> {
    let mut table = vec![0; words << packing.bits(elements)];
    let mut state: Vec<i32> = packing.lows.to_vec();
    for (key, row) in table.chunks_exact_mut(words).enumerate() {
        let (mut left, mut is_state) = (key as u64, true);
        for &element in elements {
            let mask = packing.layout.place(element).mask;
            let value = i64::from(packing.lows[element]) + i64::try_from(left & mask).expect("few bits");
            is_state &= value <= i64::from(packing.highs[element]);
            state[element] = i32::try_from(value).unwrap_or(packing.lows[element]);
            left >>= mask.count_ones();
        }
        if !is_state {
            continue;
        }
        row.fill(!0);
        for (alternative, conjunct) in own {
            if conjunct.value(&state, &mut []) == Some(0) {
                row[alternative / 64] &= !(1 << (alternative % 64));
            }
        }
    }
    table
}
