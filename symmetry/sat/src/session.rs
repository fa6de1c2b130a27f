//! [`Session`]: one formula and many questions. Between questions clauses are added, and each question assumes other literals.
//!
//! A question ends undecided once the solver has written too much of its proof, for all questions so far, because the growth of the proof is the
//! only sign of progress. No checker reads that proof. So the answers may be used for proposals, but no verdict may rest on them.

use std::cell::Cell;
use std::rc::Rc;

use varisat::{ExtendFormula, Lit, ProofFormat};

use crate::unchecked::{ByteCounter, spend};
use crate::{Literal, found};

/// The most bytes of proof that all questions of a session may write.
const MAX_PROOF: usize = 1 << 18;

/// The cost of a byte of a proof, in elementary steps of the watch.
const STEPS_PER_BYTE: u64 = 64;

/// The result of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A value for each variable that makes all clauses and assumptions true.
    Model(Vec<bool>),
    /// There is none.
    Nothing,
    /// The search took too long; the session accepts no further questions.
    NotDecided,
}

/// A solver with its clauses.
pub struct Session {
    solver: varisat::Solver<'static>,
    variables: u32,
    is_over: bool,
}

impl Default for Session {
    fn default() -> Session {
        let mut solver = varisat::Solver::new();
        let budget = Rc::new(Cell::new(MAX_PROOF));
        let meter = move |bytes| limits::poll(STEPS_PER_BYTE * bytes as u64).is_ok() && spend(&budget, bytes);
        solver.write_proof(ByteCounter(meter), ProofFormat::Varisat);
        Session { solver, variables: 0, is_over: false }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("variables", &self.variables).field("is_over", &self.is_over).finish()
    }
}

impl Session {
    /// A new variable.
    pub fn variable(&mut self) -> Literal {
        let literal = Literal::of(self.variables);
        self.variables += 1;
        literal
    }

    /// Whether all literals are of variables that were made for this session.
    fn has(&self, literals: &[Literal]) -> bool {
        literals.iter().all(|literal| literal.variable() < self.variables as usize)
    }

    /// Adds a clause: at least one of these literals holds.
    pub fn add(&mut self, clause: &[Literal]) {
        debug_assert!(self.has(clause), "a clause is about variables of its session");
        let clause: Vec<Lit> = clause.iter().map(|literal| literal.of_solver()).collect();
        self.solver.add_clause(&clause);
    }

    /// Adds clauses: exactly one of these literals holds.
    pub fn one_of(&mut self, list: &[Literal]) {
        self.add(list);
        for (place, &one) in list.iter().enumerate() {
            for &other in &list[..place] {
                self.add(&[one.opposite(), other.opposite()]);
            }
        }
    }

    /// Adds clauses: `literal` holds if and only if at least one of these does.
    pub fn either(&mut self, literal: Literal, list: &[Literal]) {
        let clause: Vec<Literal> = list.iter().copied().chain([literal.opposite()]).collect();
        self.add(&clause);
        for &one in list {
            self.add(&[one.opposite(), literal]);
        }
    }

    /// Searches for a model in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Literal]) -> Found {
        if self.is_over {
            return Found::NotDecided;
        }
        assert!(self.has(assumptions), "what is assumed is about variables of the session");
        let assumed: Vec<Lit> = assumptions.iter().map(|literal| literal.of_solver()).collect();
        self.solver.assume(&assumed);
        match self.solver.solve() {
            Err(_) => {
                self.is_over = true;
                limits::check();
                Found::NotDecided
            }
            Ok(false) => Found::Nothing,
            Ok(true) => Found::Model(found(&self.solver, self.variables)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_models_are_met_once_they_are_excluded() {
        let mut session = Session::default();
        let list: Vec<Literal> = (0..6).map(|_| session.variable()).collect();
        session.one_of(&list[..4]);
        let either = session.variable();
        session.either(either, &list[4..]);
        let mut count = 0;
        while let Found::Model(model) = session.solve(&[either]) {
            assert_eq!(model[..4].iter().filter(|&&value| value).count(), 1);
            let other =
                list.iter().map(|&literal| if model[literal.variable()] { literal.opposite() } else { literal });
            session.add(&other.collect::<Vec<Literal>>());
            count += 1;
        }
        assert_eq!(count, 4 * 3);
        assert!(matches!(session.solve(&[either.opposite()]), Found::Model(_)), "the rest is still there");
        assert_eq!(session.solve(&[either, list[4].opposite(), list[5].opposite()]), Found::Nothing);
    }

    #[test]
    fn hard_questions_end() {
        let mut session = Session::default();
        let rows: Vec<Vec<Literal>> = (0..12).map(|_| (0..11).map(|_| session.variable()).collect()).collect();
        for (place, row) in rows.iter().enumerate() {
            session.add(row);
            for other in &rows[..place] {
                for (one, other) in row.iter().zip(other) {
                    session.add(&[one.opposite(), other.opposite()]);
                }
            }
        }
        assert_eq!(session.solve(&[]), Found::NotDecided);
        assert_eq!(session.solve(&[]), Found::NotDecided, "and no query is answered any more");
    }
}
