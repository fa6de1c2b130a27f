//! Automata that users give, and automata to be given to users.
//!
//! Soundness: an edge whose label contradicts itself once propositions that are the same condition are one reads nothing and
//! is dropped. Reduction keeps the language.

use frontend::model::{self, AutomatonEdge, Formula};

use super::{Automaton, Cube, Edge, MOST_BITS, TooLarge, reduce};

/// The automaton of a user, over numbered atoms.
pub(super) fn automaton<A>(
    given: &model::Automaton,
    propositions: &[Formula<A>],
    atom: &mut dyn FnMut(&A) -> (usize, bool),
) -> Result<Automaton, TooLarge> {
    let literals: Vec<(usize, bool)> = propositions.iter().flat_map(Formula::atoms).map(atom).collect();
    if given.sets > MOST_BITS || literals.iter().any(|&(number, _)| number >= MOST_BITS) {
        return Err(TooLarge);
    }
    let cube = |edge: &AutomatonEdge| {
        let mut cube = Cube::TRUE;
        for (at, &(number, plain)) in literals.iter().enumerate() {
            for (bits, holds) in [(edge.positive, plain), (edge.negative, !plain)] {
                if bits >> at & 1 == 1 {
                    let bit = 1 << number;
                    let literal =
                        if holds { Cube { positive: bit, negative: 0 } } else { Cube { positive: 0, negative: bit } };
                    cube = cube.and(literal)?;
                }
            }
        }
        Some(cube)
    };
    let edge = |edge: &AutomatonEdge| cube(edge).map(|label| Edge { to: edge.to, label, marks: edge.marks });
    let edges = given.edges.iter().map(|edges| edges.iter().filter_map(edge).collect()).collect();
    Ok(reduce::reduce(Automaton { sets: given.sets, initial: given.initial.clone(), edges }))
}

impl Automaton {
    /// As users get it.
    pub(crate) fn to_model(&self) -> model::Automaton {
        let edge = |edge: &Edge| AutomatonEdge {
            to: edge.to,
            positive: edge.label.positive,
            negative: edge.label.negative,
            marks: edge.marks,
        };
        model::Automaton {
            sets: self.sets,
            initial: self.initial.clone(),
            edges: self.edges.iter().map(|edges| edges.iter().map(edge).collect()).collect(),
        }
    }
}
