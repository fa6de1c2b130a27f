//! The typed model: the central type of this crate, and the only form of a Rebeca text that later stages see.
//!
//! A model is a set of reactive classes and the rebecs that exist at the start. Names are resolved to dense ids. Types
//! are checked. Inheritance is flattened: a class holds its inherited variables and servers, lowered again for the
//! class itself. Every expression is pure: nondeterministic choice, method calls and creation are separate statements.
//! Spans are kept, so that diagnostics, traces and slices point into the user's text.
//!
//! Invariants: listed and checked by [`verify`](crate::model::verify::verify).
//!
//! Source: \[Jag10\] 2 and 3.3, with the semantics pinned in `docs/semantics.md`.

mod expression;
mod property;
#[cfg(test)]
pub(crate) mod samples;
mod statement;
mod value;

pub mod display;
pub mod mutate;
pub mod print;
pub mod spans;
pub mod verify;

pub use expression::{Base, BinaryOp, Expr, ExprKind, Place, Sort, UnaryOp, Width};
pub use property::{Definition, Formula, Property, PropertyKind, PropertySet};
pub use statement::{Arm, Block, Rvalue, Stmt, StmtKind};
pub use value::Value;

use crate::source::Span;

use crate::ids::ids;

ids! {
    /// Index into [`Model::classes`].
    ClassId;
    /// Index into [`Model::scalar_sets`].
    ScalarSetId;
    /// Index into [`Model::features`].
    FeatureId;
    /// Index into [`Class::variables`].
    VariableId;
    /// Index into [`Class::servers`].
    ServerId;
    /// Index into [`Class::methods`].
    MethodId;
    /// Index into [`Body::locals`].
    LocalId;
    /// The identity of a rebec: below `instances.len()` the rebecs of `main`, above it created ones (see
    /// [`Model::class_of`]).
    RebecId;
}

/// The semantics of start and creation of a model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Dialect {
    /// The papers and Core Rebeca 2.0: every new rebec finds `initial` in its queue.
    Rebeca20,
    /// Core Rebeca 2.1 and later: constructors run atomically when a rebec is made.
    #[default]
    Rebeca21,
}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Model {
    /// Semantics of start and creation.
    pub dialect: Dialect,
    /// Boolean constants of a product line: any value, chosen before the first state, fixed for the run.
    pub features: Vec<Feature>,
    /// Boolean constants, which properties may name: those of `env`, and feature variables with a chosen value.
    pub constants: Vec<(String, bool)>,
    /// The scalar sets of all classes.
    pub scalar_sets: Vec<ScalarSet>,
    /// Reactive classes, abstract classes and interfaces, in the order of the text.
    pub classes: Vec<Class>,
    /// The rebecs of `main`, in order; [`RebecId`] `i` is `instances[i]`.
    pub instances: Vec<Instance>,
    /// The classes that some `new` makes, ascending. Determines the identities of created rebecs.
    pub creatable: Vec<ClassId>,
}

/// A feature variable (`featurevar f;`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub span: Span,
}

/// A scalar set `i:low..high`, local to the class that introduces it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ScalarSet {
    /// Its name.
    pub name: String,
    /// The class that declares it; subclasses share it.
    pub class: ClassId,
    /// The least value.
    pub low: i32,
    /// The greatest value; at least `low`.
    pub high: i32,
    /// Its declaration.
    pub span: Span,
}

impl ScalarSet {
    /// The number of values of the set; at least 1.
    pub fn size(&self) -> u32 {
        self.high.abs_diff(self.low) + 1
    }
}

/// The kind of a class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClassKind {
    /// A reactive class that can be instantiated.
    Reactive,
    /// An abstract reactive class.
    Abstract,
    /// An interface: server signatures only.
    Interface,
}

/// A reactive class, with all inherited members.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The kind of the class.
    pub kind: ClassKind,
    /// The class it extends.
    pub parent: Option<ClassId>,
    /// The interfaces that the class itself names.
    pub interfaces: Vec<ClassId>,
    /// All classes and interfaces that a rebec of this class conforms to, itself included, ascending.
    pub ancestors: Vec<ClassId>,
    /// The bound of the queue; 0 for interfaces.
    pub queue_bound: u32,
    /// Inherited variables first, then known rebecs, then state variables, each in the order of the text.
    pub variables: Vec<Variable>,
    /// Inherited servers (overridden ones replaced in place) first, then own ones. With dialect 2.0 a class that declares
    /// no `initial` has an empty one.
    pub servers: Vec<Server>,
    /// Synchronous methods, ordered like servers.
    pub methods: Vec<Method>,
    /// The constructor, which runs when a rebec is created; dialect 2.1 only. Without one nothing runs.
    pub constructor: Option<Constructor>,
    /// The name in the declaration.
    pub span: Span,
}

/// Known rebec or state variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Bound when the rebec is created, never assigned.
    Known,
    /// An ordinary variable.
    State,
}

/// One axis of a grouped variable or array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dimension {
    /// `T[n] x`, indexed `0..n-1`.
    Array(u32),
    /// `T x[i]`, indexed by the values of a scalar set.
    Scalar(ScalarSetId),
}

/// A variable of a class: one or more elements in the rebec's value vector.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The sort of each element.
    pub sort: Sort,
    /// The axes, outermost first; empty for a plain variable.
    pub dimensions: Vec<Dimension>,
    /// Known rebec or state variable.
    pub role: Role,
    /// The class whose text declares it.
    pub declared_in: ClassId,
    /// Index of its first element in the value vector: the sum of the `initial.len()` before it.
    pub offset: u32,
    /// The values of its elements when a rebec is created, row-major; known rebecs are bound after that.
    pub initial: Vec<Value>,
    /// The name in the declaration.
    pub span: Span,
}

/// A message server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Server {
    /// Its name; unique in the class.
    pub name: String,
    /// Parameters, locals and statements. An abstract server has an empty block.
    pub body: Body,
    /// Whether it lacks a body (interfaces and abstract classes).
    pub is_abstract: bool,
    /// The class whose text holds the body.
    pub declared_in: ClassId,
    /// The name in the declaration; [`Span::NONE`] for an `initial` that the text does not declare.
    pub span: Span,
}

/// A synchronous method.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Method {
    /// Its name; unique in the class.
    pub name: String,
    /// The sort of its result; `None` for `void`.
    pub result: Option<Sort>,
    /// Parameters, locals and statements.
    pub body: Body,
    /// Whether it lacks a body.
    pub is_abstract: bool,
    /// The class whose text holds the body.
    pub declared_in: ClassId,
    /// The name in the declaration.
    pub span: Span,
}

/// A constructor (dialect 2.1).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constructor {
    /// Parameters, locals and statements.
    pub body: Body,
    /// The class whose text holds it: a class without its own constructor inherits that of its parent.
    pub declared_in: ClassId,
    /// The name in the declaration.
    pub span: Span,
}

/// Parameters, locals and statements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Body {
    /// Parameters first, then the locals in the order of their declarations.
    pub locals: Vec<Local>,
    /// The number of locals that are parameters.
    pub parameters: u32,
    /// The statements.
    pub block: Block,
}

impl Body {
    /// The parameters.
    pub fn parameters(&self) -> &[Local] {
        &self.locals[..self.parameters as usize]
    }

    /// The number of elements of all locals together.
    pub fn elements(&self) -> usize {
        self.locals.last().map_or(0, |local| (local.offset + local.len) as usize)
    }
}

/// A parameter or local variable. Parameters are plain (no dimensions).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// Its name; a shadowed name occurs twice.
    pub name: String,
    /// The sort of each element.
    pub sort: Sort,
    /// The axes; empty for a plain local.
    pub dimensions: Vec<Dimension>,
    /// Index of its first element among the elements of all locals.
    pub offset: u32,
    /// The number of its elements.
    pub len: u32,
    /// The name in the declaration.
    pub span: Span,
}

/// A rebec of `main`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Its class; never abstract.
    pub class: ClassId,
    /// The known rebecs, one per element of the class's known-rebec variables in order; `None` for `null`.
    pub known: Vec<Option<RebecId>>,
    /// The arguments of `initial` or of the constructor: for each parameter the possible values, at least one, without
    /// repetition. `?(..)` gives several, each of which gives separate initial states.
    pub arguments: Vec<Vec<Value>>,
    /// The name in the declaration.
    pub span: Span,
}

impl Variable {
    /// The number of elements of the variable.
    pub fn len(&self) -> usize {
        self.initial.len()
    }

    /// Whether it has no elements: never in a verified model.
    pub fn is_empty(&self) -> bool {
        self.initial.is_empty()
    }

    /// The range of its elements in the value vector.
    pub fn elements(&self) -> std::ops::Range<usize> {
        self.offset as usize..self.offset as usize + self.len()
    }
}

impl Class {
    /// The number of elements in the value vector of a rebec of this class.
    pub fn elements(&self) -> usize {
        self.variables.last().map_or(0, |variable| variable.elements().end)
    }

    /// The server of a name.
    pub fn server(&self, name: &str) -> Option<ServerId> {
        self.servers.iter().position(|server| server.name == name).map(ServerId::from_index)
    }

    /// The variable of a name; of two with the same name, the one declared last hides the other.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().rposition(|variable| variable.name == name).map(VariableId::from_index)
    }

    /// The known-rebec variables, in order.
    pub fn known(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(|variable| variable.role == Role::Known)
    }

    /// The value vector of a new rebec with the given known rebecs (in the order of [`Instance::known`]).
    pub fn initial_values(&self, known: &[Option<RebecId>]) -> Vec<Value> {
        limits::reserve((self.elements() * size_of::<Value>()) as u64);
        let mut values: Vec<Value> =
            self.variables.iter().flat_map(|variable| variable.initial.iter().copied()).collect();
        let slots = self.known().flat_map(Variable::elements).collect::<Vec<_>>();
        debug_assert!(known.is_empty() || known.len() == slots.len(), "every known rebec is bound");
        for (slot, rebec) in slots.into_iter().zip(known) {
            values[slot] = rebec.map_or(Value::Null, Value::Rebec);
        }
        debug_assert_eq!(values.len(), self.elements(), "a rebec has a value for each element");
        values
    }

    /// The parameters of a new rebec: those of the constructor, or of `initial`.
    pub fn creation_parameters(&self, dialect: Dialect) -> &[Local] {
        match dialect {
            Dialect::Rebeca20 => self.server("initial").map_or(&[], |id| self.servers[id.index()].body.parameters()),
            Dialect::Rebeca21 => self.constructor.as_ref().map_or(&[], |constructor| constructor.body.parameters()),
        }
    }
}

impl Model {
    /// The class of an id.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// The scalar set of an id.
    pub fn scalar_set(&self, id: ScalarSetId) -> &ScalarSet {
        &self.scalar_sets[id.index()]
    }

    /// The class of a rebec. The `k`-th created rebec of `creatable[j]` has identity
    /// `instances.len() + k * creatable.len() + j`, so that identities of one class do not depend on creations of another.
    ///
    /// # Panics
    /// For an identity above `instances.len()` in a model without `new`.
    pub fn class_of(&self, rebec: RebecId) -> ClassId {
        debug_assert!(
            rebec.index() < self.instances.len() || !self.creatable.is_empty(),
            "a rebec of `main` or a created one"
        );
        match self.instances.get(rebec.index()) {
            Some(instance) => instance.class,
            None => self.creatable[(rebec.index() - self.instances.len()) % self.creatable.len()],
        }
    }

    /// The identity of the `ordinal`-th created rebec of a creatable class (see [`Model::class_of`]).
    ///
    /// # Panics
    /// If no `new` makes the class.
    pub fn created(&self, class: ClassId, ordinal: usize) -> RebecId {
        let column = self.creatable.binary_search(&class).expect("a class that some `new` makes");
        debug_assert!(self.creatable.is_sorted(), "classes are ascending, for the search in them");
        RebecId::from_index(self.instances.len() + ordinal * self.creatable.len() + column)
    }

    /// The number of the creation of its class that created the rebec, from 0; `None` for the rebecs of `main`.
    pub fn ordinal(&self, rebec: RebecId) -> Option<usize> {
        let created = rebec.index().checked_sub(self.instances.len())?;
        Some(created / self.creatable.len().max(1))
    }

    /// The name of a rebec: its name in `main`, or `Class#k` for the `k`-th created one, from 1.
    pub fn rebec_name(&self, rebec: RebecId) -> String {
        match self.ordinal(rebec) {
            None => self.instances[rebec.index()].name.clone(),
            Some(ordinal) => format!("{}#{}", self.class(self.class_of(rebec)).name, ordinal + 1),
        }
    }

    /// Whether a rebec of `class` may be used where `wanted` is required.
    pub fn conforms(&self, class: ClassId, wanted: ClassId) -> bool {
        self.class(class).ancestors.binary_search(&wanted).is_ok()
    }

    /// The index of the first element along an axis.
    pub fn lowest(&self, dimension: Dimension) -> i32 {
        match dimension {
            Dimension::Array(_) => 0,
            Dimension::Scalar(set) => self.scalar_set(set).low,
        }
    }

    /// The size of one axis.
    pub fn extent(&self, dimension: Dimension) -> u32 {
        match dimension {
            Dimension::Array(len) => len,
            Dimension::Scalar(set) => self.scalar_set(set).size(),
        }
    }
}
