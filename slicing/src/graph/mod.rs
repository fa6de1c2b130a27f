//! The Rebeca dependence graph: the dependences between the parts of a whole model.
//!
//! Nodes are classes, state variables, entries of members, their formal and actual parameters and their statements. An
//! edge leads from a node to a node that depends on it. A slice is the set of nodes that are reached backwards from the
//! criteria.
//!
//! Realizable paths: state variables are separate nodes. A definition leads to its variable only if it reaches the end
//! of its server, and a variable leads to a use only if no definition of the same server lies in between. So dependence
//! through a variable is never followed through a server that overwrites it first, and a body that runs once and first
//! (`initial`, constructors) depends on no definitions of other servers.
//!
//! Source: \[Sab10\] 4.2. Deviations: all reaching definitions instead of the last; target, sender, choice and assertion
//! edges; inheritance, creation and methods, which are kept whole or not at all.

mod build;
mod flows;
mod render;
mod summands;

pub use build::build;
pub use render::{dot, json};
pub(crate) use render::{kind, label};
pub use summands::{process_dot, process_json};

use std::collections::BTreeMap;

use frontend::model::{ClassId, Model, VariableId};
use frontend::source::Span;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};

pub use crate::analysis::bodies::{BodyRef, Member};
use crate::analysis::targets::Targets;

/// A node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind {
    /// A class.
    Class,
    /// A state variable or known rebec, as other servers see it; the class is the one that declares it.
    Variable(VariableId),
    /// The existence of a member.
    Entry(BodyRef),
    /// The effects of a member.
    Body(BodyRef),
    /// A parameter.
    Formal(BodyRef, usize),
    /// A statement; for a send, the activation.
    Statement(BodyRef, usize),
    /// An argument of a send.
    Actual(BodyRef, usize, usize),
}

/// A node with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The kind.
    pub kind: NodeKind,
    /// The class that contains it.
    pub class: ClassId,
    /// The text.
    pub span: Span,
}

frontend::named! {
    /// The reason why the target of an edge depends on its source.
    pub enum Dependence {
        /// The member is part of the class.
        Member = "member",
        /// The source decides whether the target runs.
        Control = "control",
        /// The source defines a value that the target uses.
        Data = "data",
        /// As data, from one server to another through a state variable.
        IntraRebec = "intra-rebec data",
        /// The source sends the message that activates the target.
        Activation = "activation",
        /// The source is the argument for the target.
        ParameterIn = "parameter-in",
        /// The source decides the receiver.
        Target = "target",
        /// The target uses `sender`, which the activation decides.
        Sender = "sender",
        /// The source chooses the value that the target uses.
        Choice = "choice",
        /// The source defines a value that an assertion reads.
        Assertion = "assertion",
        /// The source declares a name that the target uses.
        Declaration = "declaration",
        /// Both are one text, or one member of a family of classes.
        Inheritance = "inheritance",
    }
}

impl Dependence {
    /// Whether the source provides a value.
    pub(crate) fn is_of_data(self) -> bool {
        use Dependence::{Choice, Data, IntraRebec, ParameterIn};
        matches!(self, Data | IntraRebec | ParameterIn | Choice)
    }
}

/// The graph of a model.
pub struct DependenceGraph<'a> {
    /// The model.
    pub model: &'a Model,
    /// Nodes and edges.
    pub graph: DiGraph<Node, Dependence>,
    /// The number of each node.
    pub(crate) index: BTreeMap<Key, NodeIndex>,
    pub(crate) targets: Targets,
}

/// [`NodeKind`] with its class, ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Key {
    Class(ClassId),
    Variable(ClassId, VariableId),
    Entry(BodyRef),
    Body(BodyRef),
    Formal(BodyRef, usize),
    Statement(BodyRef, usize),
    Actual(BodyRef, usize, usize),
}

impl DependenceGraph<'_> {
    /// The node of a key, if there is one.
    pub(crate) fn node(&self, key: Key) -> Option<NodeIndex> {
        self.index.get(&key).copied()
    }

    /// The variable node of a variable of a class, which may be inherited.
    pub(crate) fn variable(&self, class: ClassId, id: VariableId) -> NodeIndex {
        self.index[&variable_key(self.model, class, id)]
    }

    /// All nodes that the criteria depend on, each with the edge by which it was first reached. Edges that `follow`
    /// refuses are not followed.
    ///
    /// # Complexity
    /// Linear in the graph.
    pub(crate) fn backward(
        &self,
        criteria: &[NodeIndex],
        follow: &dyn Fn(EdgeIndex) -> bool,
    ) -> (Vec<bool>, Vec<Option<EdgeIndex>>) {
        let mut reached = vec![false; self.graph.node_count()];
        let mut by = vec![None; self.graph.node_count()];
        let mut open: std::collections::VecDeque<NodeIndex> = criteria.iter().copied().collect();
        criteria.iter().for_each(|node| reached[node.index()] = true);
        while let Some(node) = open.pop_front() {
            let mut edges = self.graph.neighbors_directed(node, petgraph::Incoming).detach();
            while let Some((edge, source)) = edges.next(&self.graph) {
                if follow(edge) && !std::mem::replace(&mut reached[source.index()], true) {
                    by[source.index()] = Some(edge);
                    open.push_back(source);
                }
            }
        }
        let is_closed = |edge: EdgeIndex| {
            let (from, to) = self.graph.edge_endpoints(edge).expect("an edge of the graph");
            reached[from.index()] || !reached[to.index()] || !follow(edge)
        };
        debug_assert!(self.graph.edge_indices().all(is_closed), "what stays is closed under dependences");
        (reached, by)
    }
}

/// The key of a variable: that of its declaration.
pub(crate) fn variable_key(model: &Model, class: ClassId, id: VariableId) -> Key {
    let declared_in = model.class(class).variables[id.index()].declared_in;
    let of_declaration = model.class(declared_in).variables.get(id.index());
    debug_assert!(
        of_declaration.is_some_and(|variable| variable.declared_in == declared_in),
        "a variable has one number in its class and in the heirs of it"
    );
    Key::Variable(declared_in, id)
}
