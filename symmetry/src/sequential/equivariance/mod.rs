//! [`Equivariance`]: symmetries proved from the text of a process, whatever the number of its states and instances.
//!
//! Every expression, variable, index and binder has a *class*: the set of all places between which values flow, or are compared. If one
//! permutation of values per class satisfies the constraints that the text makes, every term commutes with it: the value of a term on
//! the image of a state is the image of its value, and it faults on both or on none. So the instances are permuted one to one, with
//! their guards, events, changes and faults. `uses` reads the constraints off the text, `images` reads the permutations of classes off a
//! candidate and checks them:
//!
//! 1. a class whose values are ordered or computed with does not move,
//! 2. values that the text names are fixed,
//! 3. every domain in the class is mapped to itself: bounds of assignments, indices and binders are proper parts of the class,
//! 4. functions of one value, such as `(i + 1) mod N` or `i < 3`, and tables commute with the permutations,
//! 5. a quantifier over values that move has a body that cannot fault, since it stops at the first decided value; where [`Order::Hidden`] is assumed of the
//!    properties, one that evaluates its body for all values has no such constraint,
//! 6. a loop over values that move has rounds that commute (`rounds`),
//! 7. initial states are mapped to initial states.
//!
//! A candidate that takes elements of one variable to another one is proved if it renames whole variables and the text says the same with
//! these names (`names`).
//!
//! Arguments of one event at one position are of one class in all summands, and so are the processes of weak fairness. Proved candidates
//! are also tried on pseudo-random states with the reference interpreter (`tries`): all of them unless they are many on large states.
//!
//! # Soundness
//!
//! By induction on terms and statements; each constraint is the condition under which one rule of the induction holds. The proof covers
//! all states, not only the reachable ones. A constraint without a proof here is not refuted: the functions of the instances decide.
//!
//! # Complexity
//!
//! The analysis is linear in the text, a candidate takes time linear in the number of literals that it moves, of variables and of entries of
//! tables whose indices or values move.
//!
//! # Source
//!
//! \[Ip96\] section 4 for scalar sets, where a declaration has the role of the analysis. Classes of uses, exact constraints on
//! permutations of them, and faults are ours.

mod data;
mod drawing;
mod family;
mod faults;
mod images;
mod live;
mod names;
mod near;
mod obstacles;
mod proposals;
mod rounds;
mod terms;
mod tries;
mod uses;
mod written;

use std::cell::{Cell, OnceCell};

use csp::Literals;
use csp::ground::Symmetry;
use engine::SparsePermutation;
use frontend::sequential::{Expr, Property, Sequential};

pub use data::{DataSort, WrongData, data, keeps_values_of, moves_as_one};
use live::Live;
use names::Texts;
pub use near::NearSymmetry;
pub use obstacles::{Obstacle, Obstruction};
use tries::Action;
pub(super) use uses::Wrong;
use uses::{Order, Permuted, Uses};

/// The most elements of states on which candidates of one process are tried.
const MOST_TRIED: usize = 1 << 24;

/// The most elementary steps of the trial of one candidate: loops may take many for each state.
const MOST_WORK: u64 = 1 << 22;

/// The proofs by text of one process and its properties.
pub(super) struct Equivariance<'m> {
    model: &'m Sequential,
    literals: Literals,
    live: Live,
    /// The constraints of the process, once a candidate is to be proved.
    uses: OnceCell<Uses>,
    /// The same of the process and all atoms of the properties.
    with_properties: OnceCell<Uses>,
    wrong: Wrong,
    /// Whether the order of values shows in the quantifiers of the properties.
    order: Order,
    atoms: Vec<&'m Expr>,
    /// The texts of the process, once a candidate takes an element to another variable.
    texts: OnceCell<Texts<'m>>,
    /// The elements of states on which candidates were tried.
    tried: Cell<usize>,
}

/// The proof of a candidate.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    /// The same permutation of live literals, which moves as few others as it can.
    pub(super) permutation: SparsePermutation,
    /// The processes of weak fairness that move, with their images.
    pub(super) processes: Vec<(i32, i32)>,
    /// Whether each atom of the properties is proved to be fixed.
    pub(super) keeps_properties: bool,
    /// Whether the image of a step is one of the same summand, and runs the same statements but for the order of rounds.
    pub(super) keeps_summands: bool,
}

impl<'m> Equivariance<'m> {
    /// The analysis of a verified process and these properties.
    pub(super) fn new(model: &'m Sequential, properties: &'m [Property]) -> Equivariance<'m> {
        Equivariance::with(model, properties, Wrong::default())
    }

    /// As `new`, with a known-wrong variant of the constraints.
    pub(super) fn with(model: &'m Sequential, properties: &'m [Property], wrong: Wrong) -> Equivariance<'m> {
        let atoms: Vec<&Expr> = properties.iter().flat_map(Property::atoms).collect();
        let (literals, live) = (Literals::new(model), Live::new(model));
        let (uses, with_properties, texts, tried) = (OnceCell::new(), OnceCell::new(), OnceCell::new(), Cell::new(0));
        let order = Order::Shows;
        Equivariance { model, literals, live, uses, with_properties, wrong, order, atoms, texts, tried }
    }

    /// The same for states in which the order does not show in which the quantifiers of the properties take their values.
    pub(super) fn in_any_order(self) -> Equivariance<'m> {
        Equivariance { order: Order::Hidden, with_properties: OnceCell::new(), ..self }
    }

    /// The proof that a permutation of literals is a symmetry of the process; `None` if the text does not prove it.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof.
    pub(super) fn prove(&self, permutation: &SparsePermutation) -> Option<Proof> {
        let (action, proof) = self.untried(permutation)?;
        if self.tried.get() < MOST_TRIED {
            let trial = limits::at_most(MOST_WORK, || tries::agree(self.model, &*action));
            // A trial that takes too much work counts as an eighth of all.
            let tried = trial.unwrap_or(Ok(MOST_TRIED / 8)).unwrap_or_else(|contradiction| {
                panic!("a symmetry was proved by text, and the reference interpreter contradicts it: {contradiction}")
            });
            self.tried.set(self.tried.get().saturating_add(tried));
        }
        Some(proof)
    }

    fn texts(&self) -> &Texts<'m> {
        self.texts.get_or_init(|| Texts::new(self.model, &self.atoms, self.wrong))
    }

    /// The constraints of the process.
    fn uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::new(self.model, &[], self.wrong))
    }

    /// The constraints of the process, and of the properties if there are any.
    fn all_uses(&self) -> &Uses {
        if self.atoms.is_empty() {
            return self.uses();
        }
        self.with_properties.get_or_init(|| Uses::with(self.model, (&self.atoms, self.order), self.wrong))
    }

    /// As `prove`, of what was proved and tried before.
    pub(super) fn again(&self, permutation: &SparsePermutation) -> Option<Proof> {
        self.untried(permutation).map(|(_, proof)| proof)
    }

    /// Those of these permutations that are proved, as in [`Equivariance::again`], with what they do to instances.
    pub(super) fn actions<'a>(
        &self,
        list: impl Iterator<Item = &'a SparsePermutation>,
    ) -> Vec<(Box<dyn Symmetry + '_>, SparsePermutation)> {
        let proved = list.filter_map(|permutation| self.untried(permutation));
        proved.map(|(action, proof)| (action as Box<dyn Symmetry + '_>, proof.permutation)).collect()
    }

    /// As `prove`, without the trial of what the symmetry does.
    fn untried(&self, permutation: &SparsePermutation) -> Option<(Box<dyn Action + '_>, Proof)> {
        let view = images::View { model: self.model, literals: &self.literals, live: &self.live };
        if view.leaves_a_variable(permutation)? {
            let texts = self.texts();
            let renaming = texts.prove(&view, permutation)?;
            let keeps_properties = self.wrong.renamed_properties_differ() || texts.keep(&renaming);
            let permutation = renaming.permutation(self.model, &self.literals);
            return Some((
                Box::new(renaming),
                Proof { permutation, processes: Vec::new(), keeps_properties, keeps_summands: false },
            ));
        }
        let uses = self.uses();
        let images = view.images(uses, permutation)?;
        if !uses.allow(self.model, &images) || !images.keep_initial(self.model) {
            return None;
        }
        let keeps = |all: &Uses| view.images(all, permutation).is_some_and(|images| all.allow(self.model, &images));
        let keeps_properties = self.atoms.is_empty() || keeps(self.all_uses());
        let permutation = images.permutation(&view);
        let processes = uses.processes(self.model, &images);
        let action = Permuted { uses, images };
        Some((Box::new(action), Proof { permutation, processes, keeps_properties, keeps_summands: true }))
    }

    /// As `prove`, without the trial, which would notice most known-wrong variants.
    #[cfg(test)]
    pub(super) fn accepts(&self, permutation: &SparsePermutation) -> bool {
        self.untried(permutation).is_some()
    }

    /// As `accepts`, and the properties are proved to be fixed too.
    #[cfg(test)]
    pub(super) fn accepts_properties(&self, permutation: &SparsePermutation) -> bool {
        self.untried(permutation).is_some_and(|(_, proof)| proof.keeps_properties)
    }

    /// For each element a superset of its values in reachable states, ascending; for a wide one its least value.
    pub(super) fn live(&self) -> Vec<Vec<i32>> {
        self.live.elements(self.model)
    }
}
