//! Formulas to automata: normal form ([`formula`], [`simplify`]), translation ([`translate`]), reduction ([`reduce`]).
//!
//! An automaton has generalised Buchi acceptance on its edges: a run is accepted if it passes edges of every set
//! infinitely often. An edge reads the conditions of one state: a cube, a conjunction of literals.

mod degeneralise;
mod formula;
mod given;
mod reduce;
mod shape;
mod simplify;
#[cfg(test)]
mod tests;
mod translate;

use crate::automaton::{Automaton, Bits, Cube, Edge, MOST_BITS};
use crate::formula::Formula;

pub use degeneralise::degeneralise;
use formula::Formulas;
pub use shape::Shape;

/// A formula whose automaton would be too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// An automaton of the words that satisfy a formula, or of those that do not.
///
/// # Errors
/// More than [`MOST_BITS`] atoms, or too many states or edges.
pub fn automaton<A>(
    formula: &Formula<A>,
    positive: bool,
    atom: &mut dyn FnMut(&A) -> (usize, bool),
) -> Result<Automaton, TooLarge> {
    match (formula, positive) {
        (Formula::Accepted(given, propositions), true) => return given::automaton(given, propositions, atom),
        (Formula::Not(inner), _) if matches!(**inner, Formula::Accepted(..)) => {
            return automaton(inner, !positive, atom);
        }
        // No function here complements automata.
        _ if formula.has_automaton() => return Err(TooLarge),
        _ => {}
    }
    let mut formulas = Formulas::new();
    let normal = formulas.normal(formula, positive, atom);
    let raw = translate::translate(&mut formulas, normal)?;
    Ok(reduce::reduce(raw))
}
