//! Collapses twins: vertices with equal open neighbourhoods, or with equal closed neighbourhoods.
//!
//! Twins of one colour may be permuted arbitrarily, independently of all other vertices, so each class of `m` contributes a factor `m!`
//! and becomes one vertex. Twins of different colours collapse as well: the new vertex represents all of them, and its colour is the list
//! of their colours. Leaves at one parent are twins, and so are vertices without neighbours.
//!
//! # Complexity
//!
//! Linear: neighbourhoods are compared by hash first and then in full.

use rustc_hash::FxHashMap;

use super::Context;
use super::working::{Working, ranks};
use crate::graph::{Graph, index};
use crate::partition::mix;

/// Collapses open twins, or closed twins where there are no open ones. Returns whether anything changed.
pub(crate) fn collapse(working: &mut Working, context: &mut Context<'_, '_>, times: u64) -> bool {
    let graph = &working.graph;
    let mut leaders = classes(graph, false);
    if leaders.iter().enumerate().all(|(v, &leader)| v == leader as usize) {
        leaders = classes(graph, true);
    }
    if leaders.iter().enumerate().all(|(v, &leader)| v == leader as usize) {
        return false;
    }
    let mut group_of = vec![u32::MAX; graph.len()];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for v in graph.vertices() {
        let leader = leaders[v as usize] as usize;
        if group_of[leader] == u32::MAX {
            group_of[leader] = index(groups.len());
            groups.push(Vec::new());
        }
        group_of[v as usize] = group_of[leader];
        groups[group_of[leader] as usize].push(v);
    }
    assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), graph.len(), "groups partition the vertices");
    for group in &mut groups {
        group.sort_by_key(|&v| (graph.colour(v), v));
        exchange_members(working, group, context, times);
    }
    *working = regroup(working, &leaders, &groups, &group_of);
    true
}

/// Emits the exchanges of neighbouring members of one colour, their order and base points.
fn exchange_members(working: &Working, group: &[u32], context: &mut Context<'_, '_>, times: u64) {
    for members in group.chunk_by(|&a, &b| working.graph.colour(a) == working.graph.colour(b)) {
        context.order.multiply_factorial(index(members.len()), times);
        for pair in members.windows(2) {
            context.emitter.emit(working.lift(&[(pair[0], pair[1]), (pair[1], pair[0])]));
            context.emitter.emit_base(working.block(pair[0])[0]);
        }
    }
}

/// The graph with one vertex per group.
fn regroup(working: &Working, leaders: &[u32], groups: &[Vec<u32>], group_of: &[u32]) -> Working {
    let graph = &working.graph;
    let compositions: Vec<Vec<(u32, u32)>> = groups
        .iter()
        .map(|group| {
            let runs = group.chunk_by(|&a, &b| graph.colour(a) == graph.colour(b));
            runs.map(|run| (graph.colour(run[0]), index(run.len()))).collect()
        })
        .collect();
    let colours = ranks(&compositions);
    assert_eq!(colours.len(), groups.len(), "one colour per group");
    let is_equitable = working.is_equitable && is_uniform(&compositions, &colours);
    let first: Vec<u32> = graph.vertices().filter(|&v| leaders[v as usize] == v).collect();
    assert_eq!(first.len(), groups.len(), "one leader per group");
    let mut result = working.filtered(groups, &first, group_of, colours, |_, u| leaders[u as usize] == u);
    result.is_equitable = is_equitable;
    result
}

/// Whether each old colour occurs in one composition only.
fn is_uniform(compositions: &[Vec<(u32, u32)>], colours: &[u32]) -> bool {
    let mut home: FxHashMap<u32, u32> = FxHashMap::default();
    compositions
        .iter()
        .zip(colours)
        .all(|(composition, &colour)| composition.iter().all(|&(old, _)| *home.entry(old).or_insert(colour) == colour))
}

/// For every vertex the least vertex with the same neighbourhood, including the vertex itself when `closed`.
fn classes(graph: &Graph, closed: bool) -> Vec<u32> {
    let n = graph.len();
    let capacity = (2 * n + 1).next_power_of_two();
    let mut table = vec![u32::MAX; capacity];
    let mut hashes = vec![0_u64; n];
    let mut leaders = vec![0; n];
    for v in graph.vertices() {
        limits::work(graph.neighbours(v).len() as u64);
        let mut hash = if closed { mix(u64::from(v)) } else { 0 };
        for &u in graph.neighbours(v) {
            hash = hash.wrapping_add(mix(u64::from(u)));
        }
        hashes[v as usize] = hash;
        let mut slot = usize::try_from(mix(hash) >> 32).expect("32 bits") & (capacity - 1);
        leaders[v as usize] = loop {
            let other = table[slot];
            if other == u32::MAX {
                table[slot] = v;
                break v;
            }
            if hashes[other as usize] == hash && are_twins(graph, other, v, closed) {
                break other;
            }
            slot = (slot + 1) & (capacity - 1);
        };
    }
    leaders
}

fn are_twins(graph: &Graph, a: u32, b: u32, closed: bool) -> bool {
    let (left, right) = (graph.neighbours(a), graph.neighbours(b));
    if !closed {
        return left == right;
    }
    left.len() == right.len() && left.iter().filter(|&&u| u != b).eq(right.iter().filter(|&&u| u != a))
}
