//! Properties of a model: invariants and linear-time formulas over propositions.
//!
//! Definitions are expanded where they are used and kept for printing and for naming what a trace shows.

use super::{Automaton, Expr};
use crate::source::Span;

/// The properties of one property file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PropertySet {
    /// `define { name = expression; }`, in order.
    pub definitions: Vec<Definition>,
    /// `Assertion` and `LTL` entries, in order; names are unique.
    pub properties: Vec<Property>,
}

/// A named expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The expression over the variables of named rebecs; of any sort.
    pub value: Expr,
    /// The name in the text.
    pub span: Span,
}

/// A property with its name, over conditions `A`: expressions of a model, or of a sequential process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property<A = Expr> {
    /// Its name.
    pub name: String,
    /// What it asks.
    pub kind: PropertyKind<A>,
    /// The name in the text.
    pub span: Span,
}

/// What a property asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyKind<A = Expr> {
    /// A boolean expression that holds in every reachable state.
    Invariant(A),
    /// A formula that holds on every run.
    Ltl(Formula<A>),
}

/// A formula of linear temporal logic. Atoms are maximal boolean expressions without temporal operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula<A = Expr> {
    /// A boolean expression over one state.
    Atom(A),
    /// `!f`
    Not(Box<Formula<A>>),
    /// `f && g && ..`
    And(Vec<Formula<A>>),
    /// `f || g || ..`
    Or(Vec<Formula<A>>),
    /// `f -> g`
    Implies(Box<Formula<A>>, Box<Formula<A>>),
    /// `X f`
    Next(Box<Formula<A>>),
    /// `F f`
    Finally(Box<Formula<A>>),
    /// `G f`
    Globally(Box<Formula<A>>),
    /// `f U g`
    Until(Box<Formula<A>>, Box<Formula<A>>),
    /// `f W g`: `(f U g) || G f`
    WeakUntil(Box<Formula<A>>, Box<Formula<A>>),
    /// `f R g`: `!(!f U !g)`
    Release(Box<Formula<A>>, Box<Formula<A>>),
    /// The run is accepted by an automaton over these propositions, atoms all of them. The languages do not write it; a property
    /// is it or its negation, as a whole.
    Accepted(Box<Automaton>, Vec<Formula<A>>),
}

impl<A> Formula<A> {
    /// The direct operands; none for an atom.
    pub fn operands(&self) -> Vec<&Formula<A>> {
        match self {
            Formula::Atom(_) => Vec::new(),
            Formula::Not(f) | Formula::Next(f) | Formula::Finally(f) | Formula::Globally(f) => vec![f],
            Formula::And(list) | Formula::Or(list) | Formula::Accepted(_, list) => list.iter().collect(),
            Formula::Implies(f, g) | Formula::Until(f, g) | Formula::WeakUntil(f, g) | Formula::Release(f, g) => {
                vec![f, g]
            }
        }
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Formula<A>> {
        match self {
            Formula::Atom(_) => Vec::new(),
            Formula::Not(f) | Formula::Next(f) | Formula::Finally(f) | Formula::Globally(f) => vec![f],
            Formula::And(list) | Formula::Or(list) | Formula::Accepted(_, list) => list.iter_mut().collect(),
            Formula::Implies(f, g) | Formula::Until(f, g) | Formula::WeakUntil(f, g) | Formula::Release(f, g) => {
                vec![f, g]
            }
        }
    }

    /// The atoms, from left to right.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Formula::Atom(atom) => vec![atom],
            _ => self.operands().into_iter().flat_map(Formula::atoms).collect(),
        }
    }

    /// Whether it contains an automaton.
    pub fn has_automaton(&self) -> bool {
        matches!(self, Formula::Accepted(..)) || self.operands().into_iter().any(Formula::has_automaton)
    }

    /// Whether the truth of the formula may depend on the very next state: it contains `X` or an automaton.
    pub fn has_next(&self) -> bool {
        matches!(self, Formula::Next(_)) || self.has_automaton() || self.operands().into_iter().any(Formula::has_next)
    }
}
