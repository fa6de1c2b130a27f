//! Well-formedness of models and property sets: the rules that every stage may rely on after the lowering.
//!
//! A broken rule is a fault of this program, never of the user's text. The tables are checked first; statements and
//! expressions only if the tables are in order.
//!
//! 1. Ids are in range.
//! 2. Offsets and lengths of variables and locals follow from their axes; parameters are plain.
//! 3. Scalar sets and arrays are not empty; a class or a body holds at most [`MAX_ELEMENTS`] elements.
//! 4. Initial values fit the sorts of their variables: integers are in range, rebecs null, scalars undefined. No variable
//!    has the sort [`Sort::AnyRebec`](super::Sort::AnyRebec); known rebecs are rebecs.
//! 5. Names are unique: classes, features with constants, and rebecs in the model; scalar sets, variables, servers and methods among
//!    those of one class (a variable may hide an inherited one).
//! 6. Inheritance: parents are classes and interfaces are interfaces; ancestors are sorted and closed, without cycles;
//!    the variables of the parent come first, and every inherited server and method is there with equal parameters
//!    (`initial` may take others).
//! 7. Interfaces have abstract servers only and a bound of 0; reactive classes have no abstract members; abstract members
//!    have no statements; the class that declares a member or variable is an ancestor.
//! 8. `creatable` is sorted and holds exactly the classes that some `new` makes.
//! 9. The rebecs of `main` are of reactive classes, with as many known rebecs and arguments as the class requires, each
//!    of the right sort; arguments have at least one possibility, none twice.
//! 10. Dialect 2.0: reactive classes have `initial`, no class has a constructor.
//! 11. Every expression has the sort that its kind and its operands give it; scalars are only compared for equality,
//!     used as indices and rotated, not computed with.
//! 12. A place has one index per dimension: an integer for an array, a scalar of the same set for a grouped axis.
//! 13. Known rebecs and the locals of `forEachValueOf` are not assigned to.
//! 14. A local is declared at most once, outside of the parameters, and used in its scope only; only plain locals are
//!     declared with a value.
//! 15. The targets of a send are, for every class, its server of that name and number of arguments; a receiver of a
//!     known class understands the message.
//! 16. Calls and creations have as many operands as the callee has parameters, of the right sorts; created classes are
//!     reactive; only methods with a result are used as values; only calls and creations stand as statements.
//! 17. Values fit the sorts of their targets, widths and the classes of rebecs ignored: these are checked when they are
//!     stored.
//! 18. `&&` and `||` have at least two operands, none of them of the same operator.
//! 19. Updates of loops are assignments of expressions.
//! 20. `return` has a value exactly in methods with a result, of its sort.
//! 21. `break` stands in loops and `switch`, `continue` in loops.
//! 22. Labels of a `switch` are distinct, with at most one `default`.
//! 23. A choice has options. Literals of a scalar set stand only in choices over the whole set, and as indices in
//!     properties.
//! 24. Named rebecs and their variables stand in properties only; `self`, `sender`, variables and locals in bodies only.
//! 25. Names of definitions and of properties are unique; invariants and atoms are boolean.
//! 26. In formulas, `&&` and `||` have at least two operands, none of them of the same operator and not all of them
//!     atoms; the operand of `!` is not an atom.

mod bodies;
mod classes;
mod expressions;
mod properties;
mod tables;

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::hash::Hash;

use super::{ClassId, Model, PropertySet};
use crate::source::Span;

/// The greatest number of elements of the variables of a class together, or of the locals of a body together.
pub const MAX_ELEMENTS: u64 = 1 << 20;

/// The rules by number.
mod rule {
    pub(super) const IDS: u8 = 1;
    pub(super) const OFFSETS: u8 = 2;
    pub(super) const SIZES: u8 = 3;
    pub(super) const INITIAL: u8 = 4;
    pub(super) const NAMES: u8 = 5;
    pub(super) const INHERITANCE: u8 = 6;
    pub(super) const MEMBERS: u8 = 7;
    pub(super) const CREATABLE: u8 = 8;
    pub(super) const INSTANCES: u8 = 9;
    pub(super) const DIALECT: u8 = 10;
    pub(super) const SORTS: u8 = 11;
    pub(super) const INDICES: u8 = 12;
    pub(super) const ASSIGNED: u8 = 13;
    pub(super) const LOCALS: u8 = 14;
    pub(super) const TARGETS: u8 = 15;
    pub(super) const CALLS: u8 = 16;
    pub(super) const STORED: u8 = 17;
    pub(super) const JUNCTIONS: u8 = 18;
    pub(super) const UPDATES: u8 = 19;
    pub(super) const RETURNS: u8 = 20;
    pub(super) const LEAVING: u8 = 21;
    pub(super) const LABELS: u8 = 22;
    pub(super) const CHOICES: u8 = 23;
    pub(super) const CONTEXT: u8 = 24;
    pub(super) const PROPERTIES: u8 = 25;
    pub(super) const FORMULAS: u8 = 26;
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The number of the rule in the documentation of this module.
    pub rule: u8,
    /// The place in words.
    pub place: String,
    /// The text.
    pub span: Span,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} of well-formed models is broken in {} ({:?})", self.rule, self.place, self.span)
    }
}

/// All violations of the rules by a model; none for a well-formed model.
pub fn verify(model: &Model) -> Vec<Violation> {
    let mut verifier = Verifier::new(model);
    verifier.tables();
    if verifier.violations.is_empty() {
        verifier.classes();
        verifier.bodies();
    }
    verifier.violations
}

/// All violations of the rules by a property set of a verified model.
pub fn verify_properties(model: &Model, properties: &PropertySet) -> Vec<Violation> {
    let mut verifier = Verifier::new(model);
    verifier.properties(properties);
    verifier.violations
}

/// Walks through a model and collects violations.
struct Verifier<'a> {
    model: &'a Model,
    /// The current place, in words.
    place: String,
    /// The classes that some `new` creates.
    made: BTreeSet<ClassId>,
    violations: Vec<Violation>,
}

impl<'a> Verifier<'a> {
    fn new(model: &'a Model) -> Verifier<'a> {
        Verifier { model, place: String::new(), made: BTreeSet::new(), violations: Vec::new() }
    }

    fn enter(&mut self, place: impl Into<String>) {
        self.place = place.into();
    }

    /// Reports the rule unless it holds; returns whether it holds.
    fn check(&mut self, holds: bool, rule: u8, span: Span) -> bool {
        if !holds {
            self.violations.push(Violation { rule, place: self.place.clone(), span });
        }
        holds
    }
}

fn distinct<T: Eq + Hash>(items: impl IntoIterator<Item = T>) -> bool {
    let mut seen = HashSet::new();
    items.into_iter().all(|item| seen.insert(item))
}

#[cfg(test)]
mod tests;
