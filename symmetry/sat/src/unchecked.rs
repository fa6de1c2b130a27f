//! [`Unchecked`]: the solver for queries on whose answers no verdict rests.
//!
//! The solver has no interrupt. It writes its proof into a [`ByteCounter`], whose refusal of more bytes ends the search; the growth of the proof
//! is the only sign of progress.
//!
//! # Soundness
//!
//! Nobody reads the proof, so that the absence of a model is [`Answer::Unproved`]. A model is checked against all clauses by those who read it.

use std::cell::Cell;
use std::io::{Error, Write};

use varisat::ProofFormat;

use crate::{Answer, Formula, Literal, Solver, found};

/// Accepts bytes while a function of their number agrees.
pub(crate) struct ByteCounter<F>(pub(crate) F);

impl<F: Fn(usize) -> bool> Write for ByteCounter<F> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        if (self.0)(bytes.len()) { Ok(bytes.len()) } else { Err(Error::other("the search took too long")) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// Takes so many bytes from those that are left, if there are as many.
pub(crate) fn spend(left: &Cell<usize>, bytes: usize) -> bool {
    let rest = left.get().checked_sub(bytes);
    rest.inspect(|&rest| left.set(rest)).is_some()
}

/// The solver without a check of its proofs, with the bounds of a search.
#[derive(Clone, Copy)]
pub struct Unchecked<'a> {
    /// The most bytes of proof that a search may write.
    pub most_proof: usize,
    /// Whether a search shall end without an answer.
    pub is_over: &'a dyn Fn() -> bool,
}

impl Solver for Unchecked<'_> {
    fn solve(&self, formula: &Formula, assumed: &[Literal]) -> Answer {
        if formula.is_too_large() || (self.is_over)() {
            return Answer::NotDecided;
        }
        let left = Cell::new(self.most_proof);
        let mut solver = varisat::Solver::new();
        let meter = ByteCounter(|bytes| spend(&left, bytes) && !(self.is_over)());
        solver.write_proof(meter, ProofFormat::Varisat);
        formula.load(assumed, &mut solver);
        match solver.solve() {
            Err(_) => Answer::NotDecided,
            Ok(false) => Answer::Unproved,
            Ok(true) => Answer::Model(found(&solver, formula.variables)),
        }
    }
}
