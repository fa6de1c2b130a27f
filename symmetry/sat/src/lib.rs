//! Satisfiability: the queries that decide cases where canonical forms are too large to be compared.
//!
//! A [`Formula`] is a list of clauses over numbered variables. [`Solver`] is the interface of a solver for other crates, and [`Checked`]
//! is the implementation in use. A [`Session`] answers many related questions, for detectors that propose candidates: its answers are not
//! checked.
//!
//! ```
//! use sat::{Answer, Checked, Formula, Solver};
//!
//! let mut formula = Formula::default();
//! let (a, b) = (formula.variable(), formula.variable());
//! formula.add(vec![a, b]);
//! formula.add(vec![a.opposite()]);
//! formula.add(vec![b.opposite()]);
//! assert!(matches!(Checked::default().solve(&formula), Answer::Unsatisfiable));
//! ```
//!
//! # Soundness
//!
//! The absence of a model may license a reduction. The solver therefore writes a proof while it runs, and a checker verifies the proof
//! step by step. A model is checked against all clauses. A formula that is too large, and a search whose proof has too many steps, are
//! not decided. Functions whose comparison is not decided count as different.
//!
//! # Source
//!
//! \[Zha13\] II-C for the questions; the solver is `varisat`.

#![forbid(unsafe_code)]

mod session;

pub use session::{Found, Session};

use varisat::checker::{CheckedProofStep, CheckerData, ProofProcessor};
use varisat::{CnfFormula, ExtendFormula, Lit, Var};

/// The most literals of all clauses of a formula.
const MAX_LITERALS: usize = 1 << 20;
/// The most clauses that a search may derive.
const MAX_DERIVED: usize = 1 << 16;

/// The cost of a step of a proof, in elementary steps of the watch.
const STEPS_PER_CLAUSE: u64 = 1 << 10;

/// A variable or its negation: `2 * number`, and one more for the negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal(u32);

impl Literal {
    /// The negation.
    pub fn opposite(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    /// The number of the variable.
    pub fn variable(self) -> usize {
        (self.0 / 2) as usize
    }

    /// Whether it is the variable itself.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

/// A list of clauses, each a list of literals of which at least one has to hold.
#[derive(Clone, Default, Debug)]
pub struct Formula {
    variables: u32,
    clauses: Vec<Vec<Literal>>,
    literals: usize,
}

impl Formula {
    /// A new variable.
    pub fn variable(&mut self) -> Literal {
        self.variables += 1;
        Literal(2 * (self.variables - 1))
    }

    /// Adds a clause: at least one of these literals holds.
    pub fn add(&mut self, clause: Vec<Literal>) {
        self.literals += clause.len();
        if !self.is_too_large() {
            self.clauses.push(clause);
        }
    }

    /// Adds clauses: exactly one of these literals holds.
    pub fn one_of(&mut self, list: &[Literal]) {
        self.add(list.to_vec());
        for (place, &one) in list.iter().enumerate() {
            for &other in &list[..place] {
                self.add(vec![one.opposite(), other.opposite()]);
            }
        }
    }

    /// Whether there are so many clauses that some were left out.
    pub fn is_too_large(&self) -> bool {
        self.literals > MAX_LITERALS || self.variables > 1 << 24
    }

    fn holds(&self, model: &[bool]) -> bool {
        let holds = |literal: &Literal| model[literal.variable()] == literal.is_positive();
        self.clauses.iter().all(|clause| clause.iter().any(holds))
    }
}

/// The result of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A value for each variable under which the formula is true.
    Model(Vec<bool>),
    /// There is no model, and the proof of this was checked.
    Unsatisfiable,
    /// The search took too long.
    NotDecided,
}

/// Decides formulas.
pub trait Solver {
    /// Whether a formula has a model.
    fn solve(&self, formula: &Formula) -> Answer;
}

/// The solver whose proofs and models are checked.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    derived: usize,
}

impl Default for Checked {
    fn default() -> Checked {
        Checked { derived: MAX_DERIVED }
    }
}

/// Ends a search after this number of derived clauses.
struct Limit(usize);

impl ProofProcessor for Limit {
    fn process_step(&mut self, step: &CheckedProofStep<'_>, _: CheckerData<'_, '_>) -> Result<(), anyhow::Error> {
        limits::poll(STEPS_PER_CLAUSE).map_err(|_| std::io::Error::other("stopped"))?;
        if let CheckedProofStep::AtClause { .. } = step {
            self.0 = self.0.checked_sub(1).ok_or_else(|| std::io::Error::other("too many derived clauses"))?;
        }
        Ok(())
    }
}

impl Solver for Checked {
    fn solve(&self, formula: &Formula) -> Answer {
        if formula.is_too_large() {
            return Answer::NotDecided;
        }
        let mut limit = Limit(self.derived);
        let mut solver = varisat::Solver::new();
        // Each step of the proof is checked before a proof processor receives it.
        solver.add_proof_processor(&mut limit);
        let mut list = CnfFormula::new();
        list.set_var_count(formula.variables as usize);
        for clause in &formula.clauses {
            let literals =
                clause.iter().map(|literal| Lit::from_var(Var::from_index(literal.variable()), literal.is_positive()));
            list.add_clause(&literals.collect::<Vec<Lit>>());
        }
        solver.add_formula(&list);
        match solver.solve() {
            Err(_) => {
                limits::check();
                Answer::NotDecided
            }
            // The last steps of the proof are checked when it is closed.
            Ok(false) if solver.close_proof().is_ok() => Answer::Unsatisfiable,
            Ok(false) => Answer::NotDecided,
            Ok(true) => {
                let mut model = vec![false; formula.variables as usize];
                for literal in solver.model().unwrap_or_default() {
                    if let Some(value) = model.get_mut(literal.index()) {
                        *value = literal.is_positive();
                    }
                }
                if formula.holds(&model) { Answer::Model(model) } else { Answer::NotDecided }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a formula of few variables has a model, by trying all assignments.
    fn tried(formula: &Formula) -> bool {
        (0..1u32 << formula.variables).any(|bits| {
            let model: Vec<bool> = (0..formula.variables).map(|at| bits >> at & 1 == 1).collect();
            formula.holds(&model)
        })
    }

    #[test]
    fn answers_are_those_of_trying() {
        let mut random = engine::RandomSource::new(3);
        let (mut with, mut without) = (0, 0);
        for _ in 0..400 {
            let mut formula = Formula::default();
            let variables: Vec<Literal> = (0..8).map(|_| formula.variable()).collect();
            for _ in 0..20 + random.below(25) {
                let clause = (0..3).map(|_| {
                    let literal = variables[random.below(8)];
                    if random.below(2) == 0 { literal } else { literal.opposite() }
                });
                let clause = clause.collect();
                formula.add(clause);
            }
            match Checked::default().solve(&formula) {
                Answer::Model(_) => with += usize::from(tried(&formula)),
                Answer::Unsatisfiable => without += usize::from(!tried(&formula)),
                Answer::NotDecided => panic!("small formulas are decided"),
            }
        }
        assert!(with + without == 400 && with > 50 && without > 50, "{with} with a model, {without} without");
    }

    /// Pigeons in too few holes: hard for resolution, so that the search ends undecided; few pigeons are decided.
    #[test]
    fn searches_end_at_their_limit() {
        let pigeons = |count: usize| {
            let mut formula = Formula::default();
            let rows: Vec<Vec<Literal>> =
                (0..count).map(|_| (1..count).map(|_| formula.variable()).collect()).collect();
            for (place, row) in rows.iter().enumerate() {
                formula.add(row.clone());
                for other in &rows[..place] {
                    for (one, other) in row.iter().zip(other) {
                        formula.add(vec![one.opposite(), other.opposite()]);
                    }
                }
            }
            formula
        };
        assert_eq!(Checked::default().solve(&pigeons(5)), Answer::Unsatisfiable);
        assert_eq!(Checked { derived: 50 }.solve(&pigeons(9)), Answer::NotDecided);
    }
}
