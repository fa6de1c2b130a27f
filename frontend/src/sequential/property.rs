//! Properties of a process: those of every language, over conditions of the process.

use super::Expr;

/// A property with its name; `assert` lines are invariants.
pub type Property = crate::model::Property<Expr>;

/// The condition or formula of a property.
pub type PropertyKind = crate::model::PropertyKind<Expr>;

/// A formula of linear temporal logic over conditions of a process.
pub type Formula = crate::model::Formula<Expr>;
