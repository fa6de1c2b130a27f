//! Properties of a process: invariants and linear-time formulas over conditions.

use super::Expr;
use crate::source::Span;

/// A property with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it asks.
    pub kind: PropertyKind,
    /// The name in the text.
    pub span: Span,
}

/// What a property asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// `assert`: a condition that holds in every reachable state.
    Invariant(Expr),
    /// `ltl`: a formula that holds on every run.
    Ltl(Formula),
}

/// A formula of linear temporal logic. Atoms are maximal: only temporal operators and what joins them have other forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// A condition over one state.
    Atom(Expr),
    /// `!f`
    Not(Box<Formula>),
    /// `f && g && ..`
    And(Vec<Formula>),
    /// `f || g || ..`
    Or(Vec<Formula>),
    /// `f => g`
    Implies(Box<Formula>, Box<Formula>),
    /// `X f`
    Next(Box<Formula>),
    /// `F f`
    Finally(Box<Formula>),
    /// `G f`
    Globally(Box<Formula>),
    /// `f U g`
    Until(Box<Formula>, Box<Formula>),
    /// `f W g`: `(f U g) || G f`
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `f R g`: `!(!f U !g)`
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The direct operands; none for an atom.
    pub fn operands(&self) -> Vec<&Formula> {
        match self {
            Formula::Atom(_) => Vec::new(),
            Formula::Not(f) | Formula::Next(f) | Formula::Finally(f) | Formula::Globally(f) => vec![f],
            Formula::And(list) | Formula::Or(list) => list.iter().collect(),
            Formula::Implies(f, g) | Formula::Until(f, g) | Formula::WeakUntil(f, g) | Formula::Release(f, g) => {
                vec![f, g]
            }
        }
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Formula> {
        match self {
            Formula::Atom(_) => Vec::new(),
            Formula::Not(f) | Formula::Next(f) | Formula::Finally(f) | Formula::Globally(f) => vec![f],
            Formula::And(list) | Formula::Or(list) => list.iter_mut().collect(),
            Formula::Implies(f, g) | Formula::Until(f, g) | Formula::WeakUntil(f, g) | Formula::Release(f, g) => {
                vec![f, g]
            }
        }
    }

    /// The atoms, from left to right.
    pub fn atoms(&self) -> Vec<&Expr> {
        match self {
            Formula::Atom(expr) => vec![expr],
            _ => self.operands().into_iter().flat_map(Formula::atoms).collect(),
        }
    }

    /// Whether the truth of the formula depends on the very next state: it contains `X`.
    pub fn has_next(&self) -> bool {
        matches!(self, Formula::Next(_)) || self.operands().into_iter().any(Formula::has_next)
    }
}
