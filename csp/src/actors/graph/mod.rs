//! [`ActorGraph`]: the graph whose automorphisms are symmetries of a Rebeca model, and the meaning of each vertex.
//!
//! Edges join rebecs to their elements and instances, instances to the elements of their message, and elements to one
//! literal per value that they may have; a literal whose value is a rebec is joined to that rebec. Constants are not
//! drawn: summaries contain known rebecs, and variables with one value, directly. An instance is joined to one vertex
//! per effect. An effect is joined to its cubes, its writes and its receivers. Its cubes are joined to literals, and to
//! atoms that are true or false. Its writes are joined to the literal that becomes true, to a copy, or to a term. There
//! is one vertex per receiver, joined to the rebec and to its messages, which are coloured by their place in the order.
//! A copy joins two elements, the source and the target in different colours, and the literals of equal values. A term
//! is joined to its operands, through one vertex per operand place where the order of the operands matters. Initial
//! states, and the atoms of properties (each with its own colour), are joined to the vertices that they name.
//!
//! The stand-ins of created rebecs have colours of their own, and so have their servers, positions and values: every
//! automorphism fixes them. A rebec that an effect creates has a vertex, coloured by class and number, joined to one
//! vertex per variable. A receiver that an element holds is joined to the element and to its stand-in.
//!
//! An opaque instance is joined, through one vertex per position, to every element and known rebec of its rebec. These
//! elements, and the messages that the instance may send, have colours of their own that distinguish positions, values
//! and servers.
//!
//! # Soundness
//!
//! By construction an automorphism maps summaries to summaries, initial states to initial states and each atom to
//! itself; see the module page. The neighbours of a vertex determine it, unless it is a literal, an element, an
//! instance or a rebec.
//!
//! # Invariants
//!
//! No two vertices have the same meaning; edges join vertices that exist ([`Drawn::verify`]).

mod draw;
mod effects;

use frontend::model::RebecId;

use super::Actors;
use super::space::{ElementId, InstanceId};
use super::term::TermId;
use crate::drawing::Drawn;
use draw::Drawing;

/// The meaning of a vertex. Each number counts within the object that precedes it in the variant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vertex {
    /// `null`.
    Null,
    /// A rebec of `main`, or the stand-in of created ones.
    Rebec(RebecId),
    /// A rebec that exists in the initial states and is not one of `main`.
    StartRebec(RebecId),
    /// An element that has several values or is wide.
    Element(ElementId),
    /// The fact that an element has the value of this number.
    Literal(ElementId, u32),
    /// A rebec with a server that something sends to.
    Instance(InstanceId),
    /// An effect of an instance.
    Effect(InstanceId, u32),
    /// A cube of the condition of an effect.
    Cube(InstanceId, u32, u32),
    /// A variable that an effect changes.
    Write(InstanceId, u32, u32),
    /// The messages of an effect to one receiver.
    Sends(InstanceId, u32, u32),
    /// One of these messages.
    Message(InstanceId, u32, u32, u32),
    /// An argument of such a message.
    Argument(InstanceId, u32, u32, u32, u32),
    /// The rebec of this number among the rebecs of a class that an effect creates.
    New(InstanceId, u32, RebecId, u32),
    /// A variable of such a rebec.
    Made(InstanceId, u32, RebecId, u32, u32),
    /// The write of the value of one element to another.
    Copy(ElementId, ElementId),
    /// The element that is copied.
    Copied(ElementId, ElementId),
    /// A value of the copied element.
    Same(ElementId, ElementId, u32),
    /// A term.
    Term(TermId),
    /// A place for an operand of a term.
    Operand(TermId, u32),
    /// The truth of an atom.
    Truth(TermId, bool),
    /// A position that an opaque instance sees.
    Slot(InstanceId, u32),
    /// The local start of a rebec: one of its possible first contents.
    Start(RebecId, u32),
    /// A first value of a wide element, or a message in a first queue.
    StartItem(RebecId, u32, u32),
    /// An argument of such a message.
    StartArgument(RebecId, u32, u32, u32),
    /// An initial state, if the initial states are not a product.
    State(u32),
    /// An invariant or atom.
    Claim(u32),
    /// A cube of the condition under which a claim holds, or under which it faults.
    ClaimCube(u32, bool, u32),
}

mutants::mutants! {
    /// The parts that the graph leaves out: known-wrong variants for tests.
    pub struct Switches {
        /// Leaves out tests of the sender.
        ignores_senders,
        /// Leaves out faults.
        ignores_faults,
        /// Leaves out the order of the messages to one receiver.
        ignores_order,
        /// Attaches conditions to the instance, not to the effect.
        shares_conditions,
        /// Leaves out the first values of new rebecs.
        ignores_creation,
    }
}

/// The graph of a Rebeca model.
pub type ActorGraph = Drawn<Vertex>;

impl ActorGraph {
    /// Draws a model given as constraints.
    pub fn new(actors: &Actors<'_>) -> ActorGraph {
        ActorGraph::with(actors, Switches::default())
    }

    /// As [`ActorGraph::new`], without the parts that the switches name.
    pub fn with(actors: &Actors<'_>, switches: Switches) -> ActorGraph {
        let mut drawing = Drawing::new(actors, switches);
        drawing.state();
        for instance in actors.space.all_instances() {
            drawing.instance(instance);
        }
        drawing.starts();
        drawing.claims();
        let graph = drawing.canvas.finish();
        debug_assert_eq!(graph.verify(actors), Vec::<String>::new(), "the graph is well formed");
        graph
    }

    /// Lists the broken invariants; an empty list means that the graph is valid.
    pub fn verify(&self, actors: &Actors<'_>) -> Vec<String> {
        self.problems(|meaning| match meaning {
            Vertex::Literal(element, _) => Some(Vertex::Element(element)),
            Vertex::Instance(instance) => Some(Vertex::Rebec(actors.space.meaning(instance).0)),
            Vertex::Effect(instance, _) => Some(Vertex::Instance(instance)),
            _ => None,
        })
    }
}
