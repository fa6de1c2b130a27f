//! Formulas of linear temporal logic in negation normal form, each stored once and simplified when it is made.
//!
//! Operators are conjunction, disjunction, `X`, `U` and its dual `R`; `F f` is `true U f`, `G f` is `false R f`. Only
//! atoms are negated. Equal formulas have equal numbers, so sets of formulas are sets of numbers.
//!
//! Invariants: operands of `And` and `Or` are sorted, distinct, at least two, and none is of the same operator or constant.

use crate::formula::Formula;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::simplify;

/// A formula: its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Ltl(u32);

impl Ltl {
    /// The formula that always holds.
    pub(super) const TRUE: Ltl = Ltl(0);
    /// The formula that never holds.
    pub(super) const FALSE: Ltl = Ltl(1);
}

/// The outermost operator of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// `true`
    True,
    /// `false`
    False,
    /// An atom or its negation.
    Literal {
        /// The number of the atom.
        atom: usize,
        /// Whether it is not negated.
        positive: bool,
    },
    /// `f && g && ..`
    And(Vec<Ltl>),
    /// `f || g || ..`
    Or(Vec<Ltl>),
    /// `X f`
    Next(Ltl),
    /// `f U g`
    Until(Ltl, Ltl),
    /// `f R g`
    Release(Ltl, Ltl),
}

/// All formulas that were made.
#[derive(Debug)]
pub(super) struct Formulas {
    nodes: IndexSet<Node, FxBuildHasher>,
    negations: FxHashMap<Ltl, Ltl>,
    /// The known implications; see [`simplify`].
    pub(super) implications: FxHashMap<(Ltl, Ltl), bool>,
}

impl Formulas {
    /// The constants.
    pub(super) fn new() -> Formulas {
        let nodes = [Node::True, Node::False].into_iter().collect();
        Formulas { nodes, negations: FxHashMap::default(), implications: FxHashMap::default() }
    }

    /// The outermost operator.
    pub(super) fn node(&self, f: Ltl) -> &Node {
        &self.nodes[f.0 as usize]
    }

    /// The number of a formula, without simplification.
    pub(super) fn intern(&mut self, node: Node) -> Ltl {
        let (number, _) = self.nodes.insert_full(node);
        Ltl(u32::try_from(number).expect("bounded by the size of the formula"))
    }

    /// An atom or its negation.
    pub(super) fn literal(&mut self, atom: usize, positive: bool) -> Ltl {
        self.intern(Node::Literal { atom, positive })
    }

    /// A conjunction.
    pub(super) fn and(&mut self, list: Vec<Ltl>) -> Ltl {
        simplify::and(self, list)
    }

    /// A disjunction.
    pub(super) fn or(&mut self, list: Vec<Ltl>) -> Ltl {
        simplify::or(self, list)
    }

    /// `X f`
    pub(super) fn next(&mut self, f: Ltl) -> Ltl {
        simplify::next(self, f)
    }

    /// `a U b`
    pub(super) fn until(&mut self, a: Ltl, b: Ltl) -> Ltl {
        simplify::until(self, a, b)
    }

    /// `a R b`
    pub(super) fn release(&mut self, a: Ltl, b: Ltl) -> Ltl {
        simplify::release(self, a, b)
    }

    /// The negation.
    pub(super) fn not(&mut self, f: Ltl) -> Ltl {
        if let Some(&known) = self.negations.get(&f) {
            return known;
        }
        let negation = match self.node(f).clone() {
            Node::True => Ltl::FALSE,
            Node::False => Ltl::TRUE,
            Node::Literal { atom, positive } => self.literal(atom, !positive),
            Node::And(list) => {
                let list = list.into_iter().map(|g| self.not(g)).collect();
                self.or(list)
            }
            Node::Or(list) => {
                let list = list.into_iter().map(|g| self.not(g)).collect();
                self.and(list)
            }
            Node::Next(g) => {
                let g = self.not(g);
                self.next(g)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.not(a), self.not(b));
                self.release(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.not(a), self.not(b));
                self.until(a, b)
            }
        };
        debug_assert_ne!(negation, f, "no formula is its own negation");
        self.negations.insert(f, negation);
        self.negations.entry(negation).or_insert(f);
        negation
    }

    /// The normal form of a formula, or of its negation. `atom` numbers the atoms and returns whether one is not
    /// negated.
    pub(super) fn normal<A>(
        &mut self,
        formula: &Formula<A>,
        positive: bool,
        atom: &mut dyn FnMut(&A) -> (usize, bool),
    ) -> Ltl {
        let mut list = |formulas: &mut Formulas, list: &[Formula<A>]| -> Vec<Ltl> {
            list.iter().map(|part| formulas.normal(part, positive, atom)).collect()
        };
        match formula {
            Formula::Atom(condition) => {
                let (number, plain) = atom(condition);
                self.literal(number, plain == positive)
            }
            Formula::Not(f) => self.normal(f, !positive, atom),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = list(self, parts);
                if matches!(formula, Formula::And(_)) == positive { self.and(parts) } else { self.or(parts) }
            }
            Formula::Implies(f, g) => {
                let (f, g) = (self.normal(f, !positive, atom), self.normal(g, positive, atom));
                if positive { self.or(vec![f, g]) } else { self.and(vec![f, g]) }
            }
            Formula::Next(f) => {
                let f = self.normal(f, positive, atom);
                self.next(f)
            }
            Formula::Finally(f) => {
                let f = self.normal(f, positive, atom);
                if positive { self.until(Ltl::TRUE, f) } else { self.release(Ltl::FALSE, f) }
            }
            Formula::Globally(f) => {
                let f = self.normal(f, positive, atom);
                if positive { self.release(Ltl::FALSE, f) } else { self.until(Ltl::TRUE, f) }
            }
            Formula::Until(f, g) => {
                let (f, g) = (self.normal(f, positive, atom), self.normal(g, positive, atom));
                if positive { self.until(f, g) } else { self.release(f, g) }
            }
            Formula::Release(f, g) => {
                let (f, g) = (self.normal(f, positive, atom), self.normal(g, positive, atom));
                if positive { self.release(f, g) } else { self.until(f, g) }
            }
            Formula::Accepted(..) | Formula::Quantified(..) => unreachable!("it is no part of a linear formula"),
            // f W g is g R (f || g).
            Formula::WeakUntil(f, g) => {
                let (f, g) = (self.normal(f, positive, atom), self.normal(g, positive, atom));
                if positive {
                    let either = self.or(vec![f, g]);
                    self.release(g, either)
                } else {
                    let both = self.and(vec![f, g]);
                    self.until(g, both)
                }
            }
        }
    }
}
