//! Clusters: sets of elements whose values are looked up together, and the alternatives of guards that they decide.
//!
//! An alternative is a way for a guard to be true: a conjunction. A guard whose conjunct is a disjunction over many
//! elements, each operand of which reads few, has one alternative for each operand, so that all of it can be looked
//! up. Every set of elements that a conjunct reads begins as a cluster; clusters that mostly decide over the same
//! alternatives are joined.
//!
//! Soundness: only conjuncts that cannot fault and need no register are used here, so they may be tested in any
//! order. A guard is true if and only if one of its alternatives is.
//!
//! Complexity: alternatives times the square of the clusters that one of them needs, per round; few rounds.

use std::collections::BTreeMap;

use super::code::Code;
use super::packing::Packing;
use super::reads::Reads;

/// The most bits that a conjunct may read to be looked up.
pub(super) const MOST_BITS: u32 = 10;

/// The most bits of a cluster that was joined.
const JOINED_BITS: u32 = 8;

/// The most alternatives of one guard.
const MOST_ALTERNATIVES: usize = 4;

/// Rounds of joining.
const ROUNDS: usize = 6;

/// Sets of elements that are read together; where there are more, there are no clusters.
const MOST_SETS: usize = 512;

/// Pairs of clusters that are tried in a round; where there are more, nothing is joined.
const MOST_PAIRS: usize = 1 << 15;

/// The alternatives of a guard, from its conjuncts.
pub(super) fn alternatives<'m>(conjuncts: Vec<Code<'m>>, packing: &Packing) -> Vec<Vec<Code<'m>>> {
    let mut found: Vec<Vec<Code<'m>>> = vec![Vec::new()];
    for conjunct in conjuncts.into_iter().flat_map(flat) {
        match disjuncts(&conjunct, packing).filter(|list| list.len() * found.len() <= MOST_ALTERNATIVES) {
            Some(list) => {
                let with = |more: &Vec<Code<'m>>| {
                    let more = more.clone();
                    found.iter().map(move |own| own.iter().chain(&more).cloned().collect()).collect::<Vec<_>>()
                };
                found = list.iter().flat_map(with).collect();
            }
            None => found.iter_mut().for_each(|own| own.push(conjunct.clone())),
        }
    }
    found
}

/// A condition as conjuncts.
fn flat(code: Code<'_>) -> Vec<Code<'_>> {
    match code {
        Code::All(list) => list.into_iter().flat_map(flat).collect(),
        Code::Not(inner) => match *inner {
            Code::Any(list) => list.into_iter().map(Code::negated).flat_map(flat).collect(),
            Code::Not(inner) => flat(*inner),
            inner => vec![Code::Not(Box::new(inner))],
        },
        code => vec![code],
    }
}

/// The operands of a disjunction that is too large to be looked up, as conjuncts, if these are not.
fn disjuncts<'m>(code: &Code<'m>, packing: &Packing) -> Option<Vec<Vec<Code<'m>>>> {
    if !reads(code, packing).is_empty() {
        return None;
    }
    let list: Vec<Code<'m>> = match code {
        Code::Any(list) => list.to_vec(),
        Code::Not(inner) => match &**inner {
            Code::All(list) => list.iter().cloned().map(Code::negated).collect(),
            _ => return None,
        },
        _ => return None,
    };
    let list: Vec<Vec<Code<'m>>> = list.into_iter().map(flat).collect();
    let is_small = |conjunct: &Code<'_>| !reads(conjunct, packing).is_empty();
    list.iter().flatten().all(is_small).then_some(list)
}

/// The elements that a code reads, ascending; none where they are not known, or too many to be looked up.
pub(super) fn reads(code: &Code<'_>, packing: &Packing) -> Vec<usize> {
    if code.has_registers() {
        return Vec::new();
    }
    let mut reads = Reads::new(packing.lows.len(), 4 * MOST_BITS as usize);
    let known = reads.code(code).map(|()| reads.projection().elements);
    known.filter(|elements| packing.bits(elements) <= MOST_BITS).unwrap_or_default()
}

/// The clusters for sets of elements, of which each alternative needs some; none where there are too many.
pub(super) fn clusters(sets: &[Vec<usize>], needs: &[Vec<usize>], packing: &Packing) -> Vec<Vec<usize>> {
    if sets.len() > MOST_SETS {
        return Vec::new();
    }
    let mut sorted: Vec<&Vec<usize>> = sets.iter().collect();
    sorted.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for set in sorted {
        if holder(set, &clusters).is_none() {
            clusters.push(set.clone());
        }
    }
    for _ in 0..ROUNDS {
        if !join(&mut clusters, sets, needs, packing) {
            break;
        }
    }
    debug_assert!(sets.iter().all(|set| holder(set, &clusters).is_some()), "each set is in a cluster");
    clusters
}

/// Joins pairs of clusters that mostly decide over the same alternatives, each cluster once; returns whether there
/// were any.
fn join(clusters: &mut Vec<Vec<usize>>, sets: &[Vec<usize>], needs: &[Vec<usize>], packing: &Packing) -> bool {
    let holders: Vec<usize> = sets.iter().map(|set| holder(set, clusters).expect("each set is in a cluster")).collect();
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut decides = vec![0usize; clusters.len()];
    for needs in needs {
        let mut needed: Vec<usize> = needs.iter().map(|&set| holders[set]).collect();
        needed.sort_unstable();
        needed.dedup();
        for (at, &one) in needed.iter().enumerate() {
            decides[one] += 1;
            for &other in &needed[at + 1..] {
                *pairs.entry((one, other)).or_default() += 1;
            }
        }
        if pairs.len() > MOST_PAIRS {
            return false;
        }
    }
    let mut pairs: Vec<((usize, usize), usize)> = pairs.into_iter().collect();
    pairs.sort_unstable_by_key(|&(pair, count)| (std::cmp::Reverse(count), pair));
    let mut is_joined = vec![false; clusters.len()];
    let mut joined = Vec::new();
    for ((one, other), count) in pairs {
        let both = union(&clusters[one], &clusters[other]);
        let mostly = 2 * count >= decides[one].max(decides[other]);
        if mostly && !is_joined[one] && !is_joined[other] && packing.bits(&both) <= JOINED_BITS {
            (is_joined[one], is_joined[other]) = (true, true);
            joined.push(both);
        }
    }
    let mut is_joined = is_joined.into_iter();
    clusters.retain(|_| is_joined.next() == Some(false));
    let is_any = !joined.is_empty();
    clusters.append(&mut joined);
    is_any
}

/// The first cluster that holds a set of elements.
pub(super) fn holder(read: &[usize], clusters: &[Vec<usize>]) -> Option<usize> {
    clusters.iter().position(|cluster| is_within(read, cluster))
}

fn union(one: &[usize], other: &[usize]) -> Vec<usize> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether an ascending set is within another one.
fn is_within(read: &[usize], cluster: &[usize]) -> bool {
    read.iter().all(|element| cluster.binary_search(element).is_ok())
}
