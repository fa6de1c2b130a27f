//! The parts of each class that stay: members, parameters, variables.
//!
//! A server stays if the graph reached its entry; `initial` stays wherever the dialect requires it. A variable stays if
//! a part that stays mentions it, or if a property does.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::{Base, ClassId, ClassKind, Dialect, Expr, ExprKind, Model, PropertySet, ServerId, VariableId};

use crate::analysis::bodies::{BodyRef, Member};
use crate::graph::{DependenceGraph, Key};

/// The nodes that the graph reached, by key.
pub(crate) struct Kept<'g, 'a> {
    pub(crate) graph: &'g DependenceGraph<'a>,
    pub(crate) reached: Vec<bool>,
    /// Assignments whose value is replaced by a choice.
    pub(crate) replaced: BTreeMap<(BodyRef, usize), Vec<Expr>>,
}

impl Kept<'_, '_> {
    pub(crate) fn has(&self, key: Key) -> bool {
        self.graph.node(key).is_some_and(|node| self.reached[node.index()])
    }

    pub(crate) fn statement(&self, body: BodyRef, number: usize) -> bool {
        self.has(Key::Statement(body, number))
    }

    /// Whether a member stays.
    pub(crate) fn member(&self, body: BodyRef) -> bool {
        let model = self.graph.model;
        let is_initial = match body.member {
            Member::Server(server) => {
                let class = model.class(body.class);
                class.servers[server.index()].name == "initial"
                    && model.dialect == Dialect::Rebeca20
                    && class.kind != ClassKind::Interface
            }
            _ => false,
        };
        is_initial || self.has(Key::Entry(body))
    }

    /// Whether the messages to a server stay.
    pub(crate) fn server(&self, class: ClassId, server: ServerId) -> bool {
        self.member(BodyRef { class, member: Member::Server(server) })
    }

    /// Whether a parameter stays.
    pub(crate) fn parameter(&self, body: BodyRef, index: usize) -> bool {
        self.has(Key::Formal(body, index))
    }

    /// Whether the value of a variable between steps is that of the original.
    pub(crate) fn is_exact(&self, class: ClassId, id: VariableId) -> bool {
        self.reached[self.graph.variable(class, id).index()]
    }
}

/// A variable by its declaration.
pub(crate) type Declared = (ClassId, VariableId);

/// The declaration of a variable of a class.
pub(crate) fn declared(model: &Model, class: ClassId, id: VariableId) -> Declared {
    (model.class(class).variables[id.index()].declared_in, id)
}

/// The variables that properties mention.
pub(crate) fn mentioned(model: &Model, properties: &PropertySet) -> BTreeSet<Declared> {
    fn collect(model: &Model, expr: &Expr, into: &mut BTreeSet<Declared>) {
        if let ExprKind::Read(place) = &expr.kind
            && let Base::Remote(rebec, id) = place.base
        {
            into.insert(declared(model, model.class_of(rebec), id));
        }
        expr.operands().into_iter().for_each(|operand| collect(model, operand, into));
    }
    let mut found = BTreeSet::new();
    for property in &properties.properties {
        property.kind.conditions().into_iter().for_each(|atom| collect(model, atom, &mut found));
    }
    found
}
