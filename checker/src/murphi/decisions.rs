//! Outcomes of evaluations, remembered by what these read: one decision tree per instance of a rule or property.
//!
//! An evaluation is deterministic: the slots of the state that it has read so far, with their contents, decide which one it reads next, and
//! at last its outcome. A vertex of a tree is a slot, with a branch per content; an outcome is a leaf. A tree grows by one path
//! per evaluation whose outcome is not known, and is given up where outcomes are rarely met again.
//!
//! Invariant: the branch of a state leads to the slot that the evaluation reads next in that state, or to its outcome; nothing is known
//! of other branches. [`Decisions::learn`] checks the slots against each recording.
//!
//! Soundness: [`Machine::read`](super::machine::Machine::read) is the one way to a slot of the state, so that a recording has all reads. Faults are not
//! remembered.
//!
//! Complexity: a look-up is one step per slot that the evaluation reads.

use explore::memory::bytes_of;
use explore::states::Field;
use frontend::murphi::program::CoverId;

use super::packing::Packing;
use crate::patch::Patch;
use crate::tuning::TUNING;

/// The most slots that a remembered evaluation reads.
const MOST_READS: usize = 64;

/// The most branches of all trees: 4 MiB.
const MOST_BRANCHES: usize = 1 << 20;

/// The most outcomes of all trees.
const MOST_OUTCOMES: usize = 1 << 16;

/// The outcome of an evaluation.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// An instance that is not enabled, or is excluded by an assumption.
    Nothing,
    /// A step.
    Step(Step),
    /// The truth of a property.
    Truth(bool),
}

/// A step, from every state that agrees on what it reads.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The change of the packed state.
    pub(super) patches: Box<[Patch]>,
    /// The covers that are met.
    pub(super) covers: Box<[CoverId]>,
    /// What is executed, as [`Machine::executed`](super::machine::Machine::executed).
    pub(super) executed: Box<[u64]>,
}

/// The trees of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    trees: Vec<Tree>,
    vertices: Vec<Vertex>,
    /// The branches of all vertices.
    branches: Vec<Branch>,
    outcomes: Vec<Outcome>,
    held: u64,
}

/// The tree of an instance.
#[derive(Clone, Copy, Debug, Default)]
struct Tree {
    root: Branch,
    lookups: u32,
    misses: u32,
    is_given_up: bool,
}

/// A slot that is read.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    field: Field,
    slot: u32,
    /// The branch of content 0.
    first: u32,
}

/// What follows: nothing is known (0), a vertex (its number and one), or an outcome ([`OUTCOME`] and its number).
type Branch = u32;

/// The bit of branches to outcomes.
const OUTCOME: Branch = 1 << 31;

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("trees are bounded")
}

impl Decisions {
    /// Empty trees for so many instances.
    pub(super) fn new(instances: usize) -> Decisions {
        Decisions { trees: vec![Tree::default(); instances], ..Decisions::default() }
    }

    /// The outcome of an instance in a packed state, if it is known.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a slot of a vertex has few contents")]
    pub(super) fn get(&mut self, instance: usize, words: &[u64]) -> Option<&Outcome> {
        let tree = self.trees.get_mut(instance)?;
        let mut branch = tree.root;
        tree.lookups = tree.lookups.wrapping_add(1);
        while branch & OUTCOME == 0 {
            let vertex = self.vertices.get((branch as usize).wrapping_sub(1))?;
            let content = words[vertex.field.word as usize] >> vertex.field.shift & vertex.field.mask;
            branch = self.branches[vertex.first as usize + content as usize];
        }
        Some(&self.outcomes[(branch & !OUTCOME) as usize])
    }

    /// Whether the outcome of an instance is to be learnt.
    pub(super) fn learns(&self, instance: usize) -> bool {
        let has_room = self.branches.len() < MOST_BRANCHES && self.outcomes.len() < MOST_OUTCOMES;
        has_room && self.trees.get(instance).is_some_and(|tree| !tree.is_given_up)
    }

    /// Learns the outcome of an instance in a packed state, where it read these slots in this order.
    pub(super) fn learn(
        &mut self,
        instance: usize,
        reads: &[u32],
        (packing, words): (&Packing, &[u64]),
        outcome: Outcome,
    ) {
        let tree = &mut self.trees[instance];
        tree.misses += 1;
        if tree.misses.is_multiple_of(TUNING.decision_trial) {
            tree.is_given_up = tree.misses > tree.lookups / 2;
            (tree.misses, tree.lookups) = (0, 0);
        }
        let is_wide = |&slot: &u32| packing.layout.place(slot as usize).mask > TUNING.decision_contents;
        if reads.len() > MOST_READS || reads.iter().any(is_wide) {
            tree.is_given_up = true;
        }
        if tree.is_given_up {
            return;
        }
        let mut at: Option<usize> = None;
        for &slot in reads {
            let field = packing.layout.place(slot as usize);
            let branch = at.map_or(self.trees[instance].root, |at| self.branches[at]);
            let vertex = if branch == 0 {
                let first = narrow(self.branches.len());
                let contents = usize::try_from(field.mask + 1).expect("few contents");
                limits::reserve(bytes_of::<Branch>(contents) + bytes_of::<Vertex>(1));
                self.branches.resize(self.branches.len() + contents, 0);
                self.vertices.push(Vertex { field, slot, first });
                self.set(instance, at, narrow(self.vertices.len()));
                self.vertices[self.vertices.len() - 1]
            } else {
                assert_eq!(branch & OUTCOME, 0, "an evaluation goes on where it went on before");
                self.vertices[branch as usize - 1]
            };
            assert_eq!(vertex.slot, slot, "what was read decides what is read next");
            let content = words[field.word as usize] >> field.shift & field.mask;
            at = Some(vertex.first as usize + usize::try_from(content).expect("few contents"));
        }
        let number = match outcome {
            Outcome::Step(step) => {
                self.held += bytes_of::<Patch>(step.patches.len())
                    + bytes_of::<CoverId>(step.covers.len())
                    + bytes_of::<u64>(step.executed.len());
                self.outcome(Outcome::Step(step))
            }
            // Two or three of them are enough.
            other => {
                let is_same = |known: &Outcome| match (known, &other) {
                    (Outcome::Truth(one), Outcome::Truth(other)) => one == other,
                    (Outcome::Nothing, Outcome::Nothing) => true,
                    _ => false,
                };
                let known = self.outcomes.iter().take(3).position(is_same);
                known.map(narrow).unwrap_or_else(|| self.outcome(other))
            }
        };
        self.set(instance, at, OUTCOME | number);
    }

    fn outcome(&mut self, outcome: Outcome) -> u32 {
        self.outcomes.push(outcome);
        narrow(self.outcomes.len() - 1)
    }

    /// Makes a branch of which nothing is known, the root or another one, lead somewhere.
    fn set(&mut self, instance: usize, at: Option<usize>, to: Branch) {
        let branch = match at {
            Some(at) => &mut self.branches[at],
            None => &mut self.trees[instance].root,
        };
        assert_eq!(*branch, 0, "an outcome is learnt once");
        *branch = to;
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<Tree>(self.trees.capacity())
            + bytes_of::<Vertex>(self.vertices.capacity())
            + bytes_of::<Branch>(self.branches.capacity())
            + bytes_of::<Outcome>(self.outcomes.capacity())
            + self.held
    }
}
