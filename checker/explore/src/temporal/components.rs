//! Emptiness by strongly connected components: is there a reachable cycle that passes every acceptance set and is fair?
//!
//! Depth-first search keeps a stack of unfinished components. Each component has *debts*: the acceptance sets that
//! none of its edges has, and the processes that have a step in all its states and take none of its edges. An edge
//! back into the stack merges components; a debt of the whole is a debt of each part that the edges between do not
//! pay. A component with a cycle and without debts is a violating run; the search ends there and then.
//!
//! Fairness is acceptance here: a run that visits all of a component for ever is fair to a process exactly if the
//! component has a state where the process has no step, or an edge that the process takes. Nodes of runs that have
//! ended owe nothing to processes.
//!
//! Nodes of states of the automaton that lie on no accepting cycle are visited, and belong to no component.
//!
//! Invariants: components on the stack have ascending roots; the live nodes from a root up to the next root are its nodes; a
//! node that is neither live nor new is dead.
//!
//! Complexity: linear in the product, times the words of a set of processes.
//!
//! Source: \[Cou99\] 4, with \[EL87\] for fairness as acceptance. Ours: sets of debts, which need no bound on the number of
//! processes.

use bitvec::vec::BitVec;

use super::product::{Product, Stop};
use super::runs::{NOBODY, Runs};
use crate::memory::bytes_of;
use ltl::Bits;

use super::product::Steps;
use super::threads;

/// The notion of fairness in the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fair {
    /// No fairness.
    No,
    /// By the processes of states.
    Processes,
    /// By threads: states are representatives, and steps map processes to others.
    Threads,
}

/// A strongly connected set of nodes without debts.
#[derive(Debug)]
pub(super) struct Component {
    /// Its nodes.
    pub nodes: Vec<u32>,
}

/// An edge of the product.
#[derive(Clone, Copy)]
struct Edge {
    /// The acceptance sets that it is in.
    marks: Bits,
    /// The process that moves, or [`NOBODY`].
    mover: u32,
}

/// A component on the stack.
struct Root {
    node: u32,
    /// The acceptance sets that it owes.
    unmet: Bits,
    /// The edge that leads to its root from the component before.
    via: Edge,
}

struct Frame {
    node: u32,
    steps: Steps,
}

/// The state of the search.
struct Stack {
    frames: Vec<Frame>,
    roots: Vec<Root>,
    /// The processes that each component owes: `width` words each.
    starved: Vec<u64>,
    width: usize,
    live: Vec<u32>,
    dead: BitVec<u64>,
    /// Whether whole components are judged by threads.
    by_threads: bool,
}

/// Searches for an accepting component that is fair in this way.
///
/// # Errors
/// The search ends early.
pub(super) fn accepting<S: Runs>(product: &mut Product<'_, '_, S>, fair: Fair) -> Result<Option<Component>, Stop> {
    let mut stack = Stack {
        frames: Vec::new(),
        roots: Vec::new(),
        starved: Vec::new(),
        width: usize::from(fair == Fair::Processes),
        live: Vec::new(),
        dead: BitVec::new(),
        by_threads: fair == Fair::Threads,
    };
    product.search.start()?;
    let initial = product.search.space.store().len();
    for state in 0..initial {
        for place in product.starts() {
            let (node, is_new) = product.node(state, place);
            if is_new {
                stack.push(product, node, Edge { marks: 0, mover: NOBODY })?;
                if let Some(found) = stack.run(product)? {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

impl Stack {
    /// Visits every node that the nodes on the stack reach.
    fn run<S: Runs>(&mut self, product: &mut Product<'_, '_, S>) -> Result<Option<Component>, Stop> {
        while let Some(frame) = self.frames.last_mut() {
            let Some(step) = product.step(&mut frame.steps) else {
                let node = frame.node;
                product.leave(&frame.steps);
                self.frames.pop();
                if self.by_threads
                    && self.roots.last().is_some_and(|root| root.node == node && root.unmet == 0)
                    && threads::are_fair(product, &self.found().nodes)?
                {
                    return Ok(Some(self.found()));
                }
                self.finish(node);
                continue;
            };
            let (node, is_new) = product.node(step.state, step.place);
            let edge = Edge { marks: step.marks, mover: step.mover };
            if is_new {
                self.push(product, node, edge)?;
            } else if product.accepts(node)
                && !self.dead.get(node as usize).is_some_and(|dead| *dead)
                && self.merge(node, edge)
                && !self.by_threads
            {
                return Ok(Some(self.found()));
            }
        }
        assert!(self.roots.is_empty() && self.live.is_empty(), "every component is finished");
        Ok(None)
    }

    /// Visits a new node, reached by an edge: a separate component.
    fn push<S: Runs>(&mut self, product: &mut Product<'_, '_, S>, node: u32, via: Edge) -> Result<(), Stop> {
        product.others = self.bytes();
        let steps = product.visit(node, self.frames.len() as u64)?;
        self.frames.push(Frame { node, steps });
        if !product.accepts(node) {
            return Ok(());
        }
        assert!(self.roots.last().is_none_or(|root| root.node < node), "roots ascend");
        assert!(self.live.last().is_none_or(|&last| last < node), "live nodes ascend");
        self.live.push(node);
        if self.width > 0 {
            if product.enabled.len() > self.width {
                self.widen(product.enabled.len());
            }
            self.starved.extend_from_slice(&product.enabled);
            self.starved.resize((self.roots.len() + 1) * self.width, 0);
        }
        self.roots.push(Root { node, unmet: product.automaton.all(), via });
        Ok(())
    }

    /// Makes room for more processes.
    #[cold]
    fn widen(&mut self, width: usize) {
        let mut wide = vec![0; self.roots.len() * width];
        for (old, new) in self.starved.chunks_exact(self.width).zip(wide.chunks_exact_mut(width)) {
            new[..self.width].copy_from_slice(old);
        }
        assert!(width > self.width, "debts are widened");
        (self.starved, self.width) = (wide, width);
    }

    /// Merges all components from that of a live node on, by an edge back to it; returns whether the result owes
    /// nothing.
    fn merge(&mut self, node: u32, edge: Edge) -> bool {
        assert_eq!(self.starved.len(), self.roots.len() * self.width, "each component has its debts");
        debug_assert!(self.live.binary_search(&node).is_ok(), "an edge back leads to a live node");
        while let [.., before, last] = &mut self.roots[..] {
            if last.node <= node {
                break;
            }
            before.unmet &= last.unmet & !last.via.marks;
            let mover = last.via.mover;
            self.roots.pop();
            let at = self.roots.len() * self.width;
            let (kept, merged) = self.starved.split_at_mut(at);
            let kept = &mut kept[at - self.width..];
            kept.iter_mut().zip(merged.iter()).for_each(|(kept, merged)| *kept &= *merged);
            self.starved.truncate(at);
            self.pay(mover);
        }
        let last = self.roots.last_mut().expect("a live node belongs to a component");
        last.unmet &= !edge.marks;
        let has_unmet_sets = last.unmet != 0;
        self.pay(edge.mover);
        let at = self.starved.len() - self.width;
        !has_unmet_sets && self.starved[at..].iter().all(|&word| word == 0)
    }

    /// Notes an edge of the last component that a process takes.
    #[inline]
    fn pay(&mut self, mover: u32) {
        let (word, bit) = (mover as usize / 64, mover % 64);
        // A process outside the width has a step in no state, except its own step.
        if mover != NOBODY && word < self.width {
            let at = self.starved.len() - self.width + word;
            self.starved[at] &= !(1 << bit);
        }
    }

    /// Leaves a node; if it is the root of a component, the component is dead.
    fn finish(&mut self, node: u32) {
        if self.roots.last().is_none_or(|root| root.node != node) {
            return;
        }
        self.roots.pop();
        debug_assert!(self.live.binary_search(&node).is_ok(), "the root of a component is one of its nodes");
        self.starved.truncate(self.roots.len() * self.width);
        while let Some(&member) = self.live.last().filter(|&&member| member >= node) {
            self.live.pop();
            if self.dead.len() <= member as usize {
                self.dead.resize((member as usize + 1).max(2 * self.dead.len()), false);
            }
            self.dead.set(member as usize, true);
        }
    }

    /// The nodes of the last component.
    fn found(&self) -> Component {
        let root = self.roots.last().map_or(0, |root| root.node);
        let nodes: Vec<u32> = self.live.iter().copied().filter(|&node| node >= root).collect();
        assert_eq!(nodes.first(), Some(&root), "a component begins with its root");
        Component { nodes }
    }

    fn bytes(&self) -> u64 {
        bytes_of::<Frame>(self.frames.capacity())
            + bytes_of::<Root>(self.roots.capacity())
            + bytes_of::<u64>(self.starved.capacity())
            + bytes_of::<u32>(self.live.capacity())
            + bytes_of::<u8>(self.dead.capacity() / 8)
    }
}
