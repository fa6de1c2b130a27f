//! Emptiness by nested depth-first search, without fairness.
//!
//! The first search looks for accepting nodes; when it leaves one, a second search looks from there for a node on the
//! stack of the first. Nodes of the first stack are cyan, nodes that it has left blue, nodes of a second search red:
//! all second searches together visit a node once, which is right because a red node reaches no cyan node that a
//! later search would have to find. An edge between nodes of the first stack one of which accepts closes a cycle at
//! once.
//!
//! This search refuses fairness: with it, a node that fails as the start of a second search may still lie on a fair
//! cycle, and nodes marked then would be missed later.
//!
//! Complexity: linear in the product; each node is expanded at most twice.
//!
//! Source: \[CVWY92\]; \[SE05\] for the colours.

use super::product::{Product, Steps, Stop};
use super::runs::Runs;
use crate::memory::bytes_of;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colour {
    Cyan,
    Blue,
    Red,
}

struct Frame {
    node: u32,
    steps: Steps,
}

struct Nested<'p, 'a, 's, S: Runs> {
    product: &'p mut Product<'a, 's, S>,
    /// By state of the automaton.
    accepting: &'p [bool],
    colours: Vec<Colour>,
    first: Vec<Frame>,
    second: Vec<Frame>,
}

/// Searches the product with an automaton that is not generalised for an accepting node on a cycle.
///
/// # Errors
/// The search ends early.
pub(super) fn accepting<S: Runs>(product: &mut Product<'_, '_, S>, accepting: &[bool]) -> Result<Option<u32>, Stop> {
    assert_eq!(accepting.len(), product.automaton.len(), "every state of the automaton accepts or does not");
    product.search.start()?;
    let initial = product.search.space.store().len();
    let mut nested = Nested { product, accepting, colours: Vec::new(), first: Vec::new(), second: Vec::new() };
    for state in 0..initial {
        for place in nested.product.starts() {
            let (node, is_new) = nested.product.node(state, place);
            if is_new && let Some(found) = nested.search(node)? {
                return Ok(Some(found));
            }
        }
    }
    assert_eq!(nested.colours.len(), nested.product.len(), "every node is visited");
    debug_assert!(!nested.colours.contains(&Colour::Cyan), "the first search leaves every node");
    Ok(None)
}

impl<S: Runs> Nested<'_, '_, '_, S> {
    fn accepts(&self, node: u32) -> bool {
        self.accepting[self.product.automaton_state(node)]
    }

    /// Visits a new node.
    fn push(&mut self, node: u32) -> Result<(), Stop> {
        self.product.others = self.bytes();
        let steps = self.product.visit(node, self.first.len() as u64)?;
        assert_eq!(self.colours.len(), node as usize, "nodes are visited in the order of their numbers");
        self.colours.push(Colour::Cyan);
        self.first.push(Frame { node, steps });
        Ok(())
    }

    /// The first search from a new node.
    fn search(&mut self, root: u32) -> Result<Option<u32>, Stop> {
        self.push(root)?;
        while let Some(frame) = self.first.last_mut() {
            let from = frame.node;
            if let Some(step) = self.product.step(&mut frame.steps) {
                let (to, is_new) = self.product.node(step.state, step.place);
                if is_new {
                    self.push(to)?;
                } else if self.colours[to as usize] == Colour::Cyan && (self.accepts(from) || self.accepts(to)) {
                    return Ok(Some(if self.accepts(from) { from } else { to }));
                }
                continue;
            }
            let steps = frame.steps;
            self.product.leave(&steps);
            if self.accepts(from) {
                if self.closes(from)? {
                    return Ok(Some(from));
                }
                self.colours[from as usize] = Colour::Red;
            } else {
                self.colours[from as usize] = Colour::Blue;
            }
            self.first.pop();
        }
        Ok(None)
    }

    /// Whether a second search from an accepting node reaches the stack of the first.
    fn closes(&mut self, seed: u32) -> Result<bool, Stop> {
        assert_eq!(self.colours[seed as usize], Colour::Cyan, "a second search starts on the stack of the first");
        assert!(self.second.is_empty(), "one second search at a time");
        let steps = self.product.visit(seed, self.first.len() as u64)?;
        self.second.push(Frame { node: seed, steps });
        while let Some(frame) = self.second.last_mut() {
            let Some(step) = self.product.step(&mut frame.steps) else {
                let steps = frame.steps;
                self.product.leave(&steps);
                self.second.pop();
                continue;
            };
            // A node that is not known lies behind a limit.
            let Some(to) = self.product.known(step.state, step.place) else { continue };
            match self.colours.get(to as usize) {
                Some(Colour::Cyan) => return Ok(true),
                Some(Colour::Blue) => {
                    self.colours[to as usize] = Colour::Red;
                    let depth = (self.first.len() + self.second.len()) as u64;
                    let steps = self.product.visit(to, depth)?;
                    self.second.push(Frame { node: to, steps });
                }
                Some(Colour::Red) | None => {}
            }
        }
        Ok(false)
    }

    fn bytes(&self) -> u64 {
        bytes_of::<Frame>(self.first.capacity() + self.second.capacity()) + bytes_of::<Colour>(self.colours.capacity())
    }
}
