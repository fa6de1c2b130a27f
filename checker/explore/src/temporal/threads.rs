//! Weak fairness of a component of the quotient: by threads.
//!
//! An edge of the quotient leads to a successor, and from there by an element of the group to its representative; a
//! process of the first state continues as its image under the element. A thread is a process of a node; its edges
//! follow the elements. A component is fair if and only if each component of its threads has a node in whose state
//! the process has no step, or an edge on which the process moves.
//!
//! Soundness: a run of the model is a path of the quotient together with a bijection of processes and threads,
//! whichever element each edge has. The threads of a strongly connected set fall apart into strongly connected sets,
//! because elements can be repeated until they are undone; so joining the ends of each edge finds them. In a
//! component where each set of threads has such a node or edge, a closed walk serves one thread after the other and
//! is repeated until its permutation is the identity. Conversely a fair run stays in a strongly connected set of
//! edges, and all threads of its nodes are those of processes. Indices of representatives do not identify processes
//! along a run: counting those invents fair runs and misses others (M20, M21).
//!
//! Complexity: edges of the component times processes.
//!
//! Source: \[ES97\]; \[GS99\].

use rustc_hash::FxHashMap;

use super::product::{Product, Stop};
use super::runs::{NOBODY, Runs};

/// Sets of threads, joined.
struct Threads {
    parents: Vec<usize>,
}

impl Threads {
    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one] = other;
    }
}

/// Whether some run that stays in a component, and takes each of its edges infinitely often, is fair; false if there
/// is no edge.
///
/// # Errors
/// The search ends.
pub(super) fn are_fair<S: Runs>(product: &mut Product<'_, '_, S>, nodes: &[u32]) -> Result<bool, Stop> {
    let processes = product.search.space.processes();
    let places: FxHashMap<u32, usize> = nodes.iter().copied().zip(0..).collect();
    assert_eq!(places.len(), nodes.len(), "the nodes of a component are distinct");
    let mut threads = Threads { parents: (0..nodes.len() * processes).collect() };
    let mut good = vec![false; threads.parents.len()];
    let mut has_edge = false;
    let transitions = product.transitions;
    for (place, &node) in nodes.iter().enumerate() {
        let mut steps = product.visit(node, 0)?;
        let is_enabled = |process: usize| {
            let word = product.enabled.get(process / 64).copied().unwrap_or(0);
            word >> (process % 64) & 1 == 1
        };
        for process in 0..processes {
            good[place * processes + process] |= !is_enabled(process);
        }
        while let Some(step) = product.step(&mut steps) {
            let to = product.known(step.state, step.place);
            let Some(&to) = to.and_then(|to| places.get(&to)) else { continue };
            has_edge = true;
            for process in 0..processes {
                let name = u32::try_from(process).expect("processes have 32 bits");
                let moved = product.search.space.moved(step.moves, name) as usize;
                assert!(moved < processes, "a step takes processes to processes");
                let thread = place * processes + process;
                threads.join(thread, to * processes + moved);
                good[thread] |= step.mover == name && step.mover != NOBODY;
            }
        }
        product.leave(&steps);
    }
    // They are counted once.
    product.transitions = transitions;
    let mut is_good = vec![false; good.len()];
    for (thread, &good) in good.iter().enumerate() {
        let root = threads.root(thread);
        is_good[root] |= good;
    }
    Ok(has_edge && (0..good.len()).all(|thread| is_good[threads.root(thread)]))
}
