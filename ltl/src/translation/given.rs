//! Automata that users give.
//!
//! Soundness: propositions with the same condition are identified. An edge whose label is then contradictory reads no
//! letter and is dropped. Reduction keeps the language.

use crate::formula::Formula;

use super::{Automaton, Cube, Edge, MOST_BITS, TooLarge, reduce};

/// The automaton of a user, over numbered atoms.
pub(super) fn automaton<A>(
    given: &Automaton,
    propositions: &[Formula<A>],
    atom: &mut dyn FnMut(&A) -> (usize, bool),
) -> Result<Automaton, TooLarge> {
    let literals: Vec<(usize, bool)> = propositions.iter().flat_map(Formula::atoms).map(atom).collect();
    if given.sets > MOST_BITS || literals.iter().any(|&(number, _)| number >= MOST_BITS) {
        return Err(TooLarge);
    }
    assert!(given.is_closed(), "edges of a given automaton lead to states");
    assert!(given.reads_only(literals.len()), "each proposition that an edge reads has a condition");
    let cube = |edge: &Edge| {
        let mut cube = Cube::TRUE;
        for (at, &(number, plain)) in literals.iter().enumerate() {
            for (bits, holds) in [(edge.label.positive, plain), (edge.label.negative, !plain)] {
                if bits >> at & 1 == 1 {
                    cube = cube.and(Cube::literal(number, holds))?;
                }
            }
        }
        Some(cube)
    };
    let edge = |edge: &Edge| cube(edge).map(|label| Edge { to: edge.to, label, marks: edge.marks });
    let edges = given.edges.iter().map(|edges| edges.iter().filter_map(edge).collect()).collect();
    Ok(reduce::reduce(Automaton { sets: given.sets, initial: given.initial.clone(), edges }))
}
