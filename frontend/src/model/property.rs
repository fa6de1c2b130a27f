//! Properties of a model: invariants and linear-time formulas over propositions.
//!
//! Definitions are expanded where they are used. They are kept for printing, and for the names that a trace shows.

use std::fmt::Debug;

use ltl::Says;

use super::Expr;
use crate::source::Span;

/// The properties of one property file.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct PropertySet {
    /// `define { name = expression; }`, in order.
    pub definitions: Vec<Definition>,
    /// `Assertion` and `LTL` entries, in order; names are unique.
    pub properties: Vec<Property>,
}

/// A named expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The expression over the variables of named rebecs; of any sort.
    pub value: Expr,
    /// The name in the text.
    pub span: Span,
}

/// A property with its name, over conditions `A`: expressions of a model, or of a sequential process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Property<A = Expr> {
    /// Its name.
    pub name: String,
    /// The condition or formula.
    pub kind: PropertyKind<A>,
    /// The name in the text.
    pub span: Span,
}

impl<A: Clone + Debug + Send + 'static> ltl::Property for Property<A> {
    type Condition = A;
    type Place = Span;

    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self) -> Span {
        self.span
    }

    fn says(&self) -> Says<'_, A> {
        match &self.kind {
            PropertyKind::Invariant(condition) => Says::Invariant(condition),
            PropertyKind::Ltl(formula) => Says::Formula(formula),
            PropertyKind::End(condition) => Says::End(condition),
        }
    }
}

impl ltl::Properties for PropertySet {
    type Condition = Expr;
    type Property = Property;

    fn list(&self) -> &[Property] {
        &self.properties
    }

    fn list_mut(&mut self) -> &mut Vec<Property> {
        &mut self.properties
    }
}

impl<A> Property<A> {
    /// The condition of an invariant, or the atoms of a formula from left to right.
    pub fn atoms(&self) -> Vec<&A> {
        self.kind.conditions()
    }
}

/// The condition or formula of a property.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind<A = Expr> {
    /// A boolean expression that holds in every reachable state.
    Invariant(A),
    /// A formula that holds on every run.
    Ltl(Formula<A>),
    /// A boolean expression that says which states without steps are no deadlocks. It asks nothing itself.
    End(A),
}

impl<A> PropertyKind<A> {
    /// The conditions over one state that it consists of.
    pub fn conditions(&self) -> Vec<&A> {
        match self {
            PropertyKind::Invariant(condition) | PropertyKind::End(condition) => vec![condition],
            PropertyKind::Ltl(formula) => formula.atoms(),
        }
    }

    /// These conditions, to be changed.
    pub fn conditions_mut(&mut self) -> Vec<&mut A> {
        match self {
            PropertyKind::Invariant(condition) | PropertyKind::End(condition) => vec![condition],
            PropertyKind::Ltl(formula) => formula.atoms_mut(),
        }
    }
}

/// A formula over conditions of a model; see [`ltl::Formula`].
pub type Formula<A = Expr> = ltl::Formula<A>;
