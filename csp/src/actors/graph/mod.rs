//! [`ActorGraph`]: the graph whose automorphisms are symmetries of a Rebeca model, and what each vertex stands for.
//!
//! Rebecs are joined to their elements and instances, instances to the elements of their message, elements to one literal for each
//! value they may have; a literal that is a rebec is joined to the rebec. What never changes is not drawn: known rebecs, and
//! variables with one value, stand in the summaries as what they are. An instance is joined to one vertex for each effect;
//! an effect to its cubes, and these to literals and to atoms that are true or false; to its writes, and these to
//! the literal that becomes true, to a copy, or to a term; and to one vertex for each receiver, which is joined to the rebec and
//! to its messages, coloured by their place in the order. A copy joins two elements, told apart, and the literals of one value.
//! A term is joined to its operands, through vertices for the places where these matter. Starts, and atoms of properties by colour, are
//! joined to what they name.
//!
//! The stand-ins of created rebecs have colours of their own, and so have their servers, positions and values: they stay where they
//! are. What an effect makes has a vertex, coloured by class and number, joined to one for each variable. A receiver that an
//! element holds is joined to the element and to its stand-in.
//!
//! An opaque instance is joined through one vertex a position to every element and known rebec of its rebec. These elements,
//! and the messages it may send, have colours of their own that tell positions, values and servers.
//!
//! # Soundness
//!
//! By construction an automorphism maps summaries to summaries, starts to starts and each atom to itself; see the module page.
//! Everything but literals, elements, instances and rebecs is determined by its neighbours.
//!
//! # Invariants
//!
//! Every vertex stands for something else; edges join vertices that exist ([`ActorGraph::verify`]).

mod draw;
mod effects;

use engine::Graph;
use frontend::model::RebecId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Actors;
use super::space::{ElementId, InstanceId};
use super::term::TermId;
use draw::Drawing;

/// What a vertex stands for. Numbers count within what stands before them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vertex {
    /// `null`.
    Null,
    /// A rebec of `main`, or the stand-in of created ones.
    Rebec(RebecId),
    /// A rebec that is there at start and not of `main`.
    StartRebec(RebecId),
    /// An element that has several values or is wide.
    Element(ElementId),
    /// An element has the value of this number.
    Literal(ElementId, u32),
    /// A rebec with a server that something sends to.
    Instance(InstanceId),
    /// An effect of an instance.
    Effect(InstanceId, u32),
    /// A cube of the condition of an effect.
    Cube(InstanceId, u32, u32),
    /// A variable that an effect changes.
    Write(InstanceId, u32, u32),
    /// What an effect sends to one receiver.
    Sends(InstanceId, u32, u32),
    /// One of these messages.
    Message(InstanceId, u32, u32, u32),
    /// An argument of it.
    Argument(InstanceId, u32, u32, u32, u32),
    /// Of the rebecs of a class that an effect makes, the one of this number.
    New(InstanceId, u32, RebecId, u32),
    /// A variable of it.
    Made(InstanceId, u32, RebecId, u32, u32),
    /// Something takes over the value of an element.
    Copy(ElementId, ElementId),
    /// The element that is copied.
    Copied(ElementId, ElementId),
    /// A value of it.
    Same(ElementId, ElementId, u32),
    /// A term.
    Term(TermId),
    /// A place for an operand.
    Operand(TermId, u32),
    /// The truth of an atom.
    Truth(TermId, bool),
    /// A position that an opaque instance sees.
    Slot(InstanceId, u32),
    /// What a rebec may start with.
    Start(RebecId, u32),
    /// A first value of a wide element, or a message in a first queue.
    StartItem(RebecId, u32, u32),
    /// An argument of such a message.
    StartArgument(RebecId, u32, u32, u32),
    /// An initial state, if these are no product.
    State(u32),
    /// An invariant or atom.
    Claim(u32),
    /// A cube of where it holds, or where it faults.
    ClaimCube(u32, bool, u32),
}

mutants::mutants! {
    /// What the graph leaves out: known-wrong variants for tests.
    pub struct Switches {
        /// Tests of the sender are left out.
        ignores_senders,
        /// Faults are left out.
        ignores_faults,
        /// Messages to one receiver have no order.
        ignores_order,
        /// Conditions hang on the instance, not on the effect.
        shares_conditions,
        /// What new rebecs start with is left out.
        ignores_creation,
    }
}

/// A graph with what its vertices stand for.
#[derive(Clone, Debug)]
pub struct ActorGraph {
    /// The graph.
    pub graph: Graph,
    /// What each vertex stands for.
    pub vertices: Vec<Vertex>,
    index: FxHashMap<Vertex, u32>,
}

impl ActorGraph {
    /// Draws a model given as constraints.
    pub fn new(actors: &Actors<'_>) -> ActorGraph {
        ActorGraph::with(actors, Switches::default())
    }

    /// As [`ActorGraph::new`], leaving out what the switches say.
    pub fn with(actors: &Actors<'_>, switches: Switches) -> ActorGraph {
        let mut drawing = Drawing::new(actors, switches);
        drawing.state();
        for instance in actors.space.all_instances() {
            drawing.instance(instance);
        }
        drawing.starts();
        drawing.claims();
        let graph = drawing.builder.build().expect("edges join different vertices that exist");
        ActorGraph { graph, vertices: drawing.vertices, index: drawing.index }
    }

    /// The vertex that stands for something, if there is one.
    pub fn vertex(&self, vertex: Vertex) -> Option<u32> {
        self.index.get(&vertex).copied()
    }

    /// Lists what is broken; nothing is right.
    pub fn verify(&self, actors: &Actors<'_>) -> Vec<String> {
        let mut problems = Vec::new();
        if self.graph.len() != self.vertices.len() {
            problems.push(format!("{} vertices, {} of them known", self.graph.len(), self.vertices.len()));
        }
        let different: FxHashSet<Vertex> = self.vertices.iter().copied().collect();
        if different.len() != self.vertices.len() {
            problems.push("two vertices stand for the same".into());
        }
        for (vertex, &meaning) in (0..).zip(&self.vertices) {
            let owner = match meaning {
                Vertex::Literal(element, _) => Vertex::Element(element),
                Vertex::Instance(instance) => Vertex::Rebec(actors.space.meaning(instance).0),
                Vertex::Effect(instance, _) => Vertex::Instance(instance),
                _ => continue,
            };
            if self.vertex(owner).is_none_or(|owner| !self.graph.has_edge(owner, vertex)) {
                problems.push(format!("{meaning:?} has no owner"));
            }
        }
        problems
    }
}
