//! [`Moves`]: the action of automorphisms of the graph on the parameters of summands in parametric form, and on arguments of events.

use engine::SparsePermutation;
use frontend::sequential::SummandId;

use crate::csp::Csp;
use crate::graph::{ColouredGraph, Vertex};

/// A value of a parameter of a summand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BoundValue {
    /// The summand.
    pub summand: SummandId,
    /// The place of the parameter.
    pub parameter: usize,
    /// The value.
    pub value: i32,
}

/// An argument of an event, place and value.
type Argument = (usize, i32);

/// The action of one automorphism. Objects that are not listed are fixed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Move {
    /// Summands in parametric form, each with its image, ascending.
    pub summands: Vec<(SummandId, SummandId)>,
    /// Values of parameters, each with its image, ascending.
    pub parameters: Vec<(BoundValue, BoundValue)>,
    /// Arguments of events, place and value, each with its image, which is of the same event, ascending.
    pub arguments: Vec<(String, Argument, Argument)>,
}

/// The summands in parametric form, and the move that accompanies each permutation of literals.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Moves {
    /// The summands, ascending.
    pub summands: Vec<SummandId>,
    /// One for each permutation.
    pub list: Vec<Move>,
}

impl Move {
    /// The action of an automorphism of the graph.
    pub fn new(csp: &Csp, graph: &ColouredGraph, automorphism: &SparsePermutation) -> Move {
        let mut found = Move::default();
        let bound = |parameter: usize, value: i32| {
            let parameter = &csp.parameters[parameter];
            BoundValue { summand: parameter.summand, parameter: parameter.place, value }
        };
        for (vertex, image) in automorphism.pairs() {
            match (graph.vertices[*vertex as usize], graph.vertices[*image as usize]) {
                (
                    Vertex::ParameterValue { parameter, value },
                    Vertex::ParameterValue { parameter: target, value: result },
                ) => found.parameters.push((bound(parameter, value), bound(target, result))),
                (Vertex::Instance(from), Vertex::Instance(to)) if csp.instances[from].free.is_some() => {
                    found.summands.push((csp.instances[from].summand, csp.instances[to].summand));
                }
                (Vertex::ArgumentValue(from), Vertex::ArgumentValue(to)) => {
                    let (from, to) = (&csp.arguments[from], &csp.arguments[to]);
                    found.arguments.push((from.event.clone(), (from.place, from.value), (to.place, to.value)));
                }
                _ => {}
            }
        }
        found.summands.sort_unstable();
        found.parameters.sort_unstable();
        found.arguments.sort_unstable();
        found
    }
}
