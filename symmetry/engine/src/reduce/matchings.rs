//! Contracts perfect matchings between cells.
//!
//! When every vertex of cell `A` has exactly one neighbour in cell `B` and conversely, an automorphism that moves a vertex of `A` moves
//! its partner along, so the partners may become one vertex. No information is lost as long as no third cell has neighbours in both: then
//! each new edge still determines the cell from which it came.
//!
//! Chains of coloured vertices, the shape of most gadgets, contract to their ends in this way.
//!
//! # Complexity
//!
//! Linear in the graph; linear times a logarithm in the number of joined pairs of cells.

use rustc_hash::FxHashSet;

use super::working::{Cells, Working};
use crate::graph::{Graph, index};
use crate::union_find::UnionFind;

/// Pairs of joined cells, in both orders, and the groups that cells were merged into.
struct Quotient {
    groups: UnionFind,
    /// Joined groups, by group.
    joined: Vec<Vec<u32>>,
    pairs: FxHashSet<(u32, u32)>,
    /// Matchings contracted.
    contracted: Vec<(u32, u32)>,
}

/// Contracts matchings where possible. Returns whether anything changed.
pub(crate) fn contract(working: &mut Working) -> bool {
    let cells = working.cells();
    let quotient = merge_cells(&working.graph, &cells);
    if quotient.contracted.is_empty() {
        return false;
    }
    let leaders = follow_matchings(&working.graph, &cells, &quotient.contracted);
    debug_assert!(leaders.iter().all(|&leader| leaders[leader as usize] == leader), "a leader leads itself");
    *working = regroup(working, &cells, &leaders);
    true
}

/// Decides which matchings to contract.
fn merge_cells(graph: &Graph, cells: &Cells) -> Quotient {
    let count = index(cells.len());
    let degrees: Vec<Vec<(u32, u32)>> =
        (0..count).map(|cell| cells.neighbour_cells(graph, cells.cell(cell)[0])).collect();
    let joined: Vec<Vec<u32>> = degrees.iter().map(|row| row.iter().map(|&(other, _)| other).collect()).collect();
    let mut pairs = FxHashSet::default();
    for cell in 0..count {
        pairs.extend(joined[cell as usize].iter().map(|&other| (cell, other)));
    }
    let mut quotient = Quotient { groups: UnionFind::new(cells.len()), joined, pairs, contracted: Vec::new() };
    for cell in 0..count {
        for &(other, neighbours) in &degrees[cell as usize] {
            // Equal sizes and one neighbour each way is a perfect matching.
            if neighbours == 1 && cell < other && cells.cell(cell).len() == cells.cell(other).len() {
                quotient.try_merge(cell, other);
            }
        }
    }
    quotient
}

impl Quotient {
    /// Merges the groups of two matched cells unless a third one is joined to both.
    fn try_merge(&mut self, cell: u32, other: u32) {
        let (a, b) = (self.groups.find(cell), self.groups.find(other));
        if a == b || (self.pairs.contains(&(a, a)) && self.pairs.contains(&(b, b))) {
            return;
        }
        let (few, many) = if self.joined[a as usize].len() <= self.joined[b as usize].len() { (a, b) } else { (b, a) };
        let neighbours: Vec<u32> = self.joined[few as usize].iter().map(|&cell| self.groups.find(cell)).collect();
        if neighbours.iter().any(|&third| third != a && third != b && self.pairs.contains(&(many, third))) {
            return;
        }
        self.groups.union(a, b);
        let root = self.groups.find(a);
        debug_assert!(root == a || root == b, "one of the two leads both");
        let (kept, removed) = if root == a { (a, b) } else { (b, a) };
        self.rename(kept, removed);
        self.contracted.push((cell, other));
    }

    /// Gives `kept` all joins of `removed`.
    fn rename(&mut self, kept: u32, removed: u32) {
        self.pairs.remove(&(kept, removed));
        self.pairs.remove(&(removed, kept));
        let list = std::mem::take(&mut self.joined[removed as usize]);
        for &cell in &list {
            let third = self.groups.find(cell);
            if third != removed && self.pairs.remove(&(removed, third)) {
                self.pairs.remove(&(third, removed));
                self.pairs.insert((kept, third));
                self.pairs.insert((third, kept));
            }
        }
        if self.pairs.remove(&(removed, removed)) {
            self.pairs.insert((kept, kept));
        }
        self.joined[kept as usize].extend(list);
    }
}

/// For every vertex the vertex into which it is contracted: the one of the first cell of its group.
fn follow_matchings(graph: &Graph, cells: &Cells, contracted: &[(u32, u32)]) -> Vec<u32> {
    let mut tree: Vec<Vec<u32>> = vec![Vec::new(); cells.len()];
    for &(a, b) in contracted {
        tree[a as usize].push(b);
        tree[b as usize].push(a);
    }
    let mut leaders: Vec<u32> = graph.vertices().collect();
    let mut is_done = vec![false; cells.len()];
    for root in 0..index(cells.len()) {
        if std::mem::replace(&mut is_done[root as usize], true) {
            continue;
        }
        let mut stack = vec![root];
        while let Some(from) = stack.pop() {
            for &to in &tree[from as usize] {
                if !std::mem::replace(&mut is_done[to as usize], true) {
                    follow_matching(graph, cells, from, to, &mut leaders);
                    stack.push(to);
                }
            }
        }
    }
    leaders
}

/// Gives the vertices of the second cell the leaders of their partners in the first.
fn follow_matching(graph: &Graph, cells: &Cells, from: u32, to: u32, leaders: &mut [u32]) {
    let degree = |cell: u32| graph.degree(cells.cell(cell)[0]);
    let (scanned, sought) = if degree(from) < degree(to) { (from, to) } else { (to, from) };
    for &v in cells.cell(scanned) {
        let partner = graph.neighbours(v).iter().copied().find(|&u| cells.cell_of(u) == sought).expect("a matching");
        let (known, unknown) = if scanned == from { (v, partner) } else { (partner, v) };
        leaders[unknown as usize] = leaders[known as usize];
    }
}

/// The graph with one vertex per leader; blocks list the contracted vertices in the order of their cells.
fn regroup(working: &Working, cells: &Cells, leaders: &[u32]) -> Working {
    let graph = &working.graph;
    let mut number = vec![u32::MAX; graph.len()];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut colours = Vec::new();
    for v in graph.vertices() {
        if leaders[v as usize] == v {
            number[v as usize] = index(groups.len());
            groups.push(vec![v]);
            colours.push(graph.colour(v));
        }
    }
    assert!(groups.len() < graph.len(), "a matching is contracted");
    for cell in 0..index(cells.len()) {
        for &v in cells.cell(cell) {
            let leader = leaders[v as usize];
            if leader != v {
                groups[number[leader as usize] as usize].push(v);
            }
        }
    }
    let edges = graph
        .edges()
        .map(|(u, v)| (number[leaders[u as usize] as usize], number[leaders[v as usize] as usize]))
        .filter(|(u, v)| u != v)
        .collect();
    working.regrouped(&groups, colours, edges)
}
