//! Properties of a model: invariants and linear-time formulas over propositions.
//!
//! Definitions are expanded where they are used and kept for printing and for naming what a trace shows.

use super::Expr;
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
    /// A boolean expression that holds in every reachable state.
    Invariant(Expr),
    /// A formula that holds on every run.
    Ltl(Formula),
}

/// A formula of linear temporal logic. Atoms are maximal boolean expressions without temporal operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// A boolean expression over one state.
    Atom(Expr),
    /// `!f`
    Not(Box<Formula>),
    /// `f && g && ..`
    And(Vec<Formula>),
    /// `f || g || ..`
    Or(Vec<Formula>),
    /// `f -> g`
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
