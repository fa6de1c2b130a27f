//! Satisfiability: the queries that decide cases where canonical forms are too large to be compared.
//!
//! A [`Formula`] is a list of clauses over numbered variables. [`Solver`] is the interface of a solver for other crates. [`Checked`] is the
//! implementation for queries that a reduction rests on, [`Unchecked`] the one for queries that only guide a search. A [`Session`] answers
//! many related questions, for detectors that propose candidates: its answers are not checked.
//!
//! ```
//! use sat::{Answer, Checked, Formula, Solver};
//!
//! let mut formula = Formula::default();
//! let (a, b) = (formula.variable(), formula.variable());
//! formula.add(vec![a, b]);
//! formula.add(vec![a.opposite()]);
//! formula.add(vec![b.opposite()]);
//! assert!(matches!(Checked::default().solve(&formula, &[]), Answer::Unsatisfiable));
//! ```
//!
//! # Soundness
//!
//! The absence of a model may license a reduction. The solver therefore writes a proof while it runs, and a checker verifies the proof
//! step by step. A model is checked against all clauses. Without a checked proof the absence of a model is [`Answer::Unproved`], which decides
//! nothing. A formula that is too large, and a search whose proof has too many steps, are
//! not decided. Functions whose comparison is not decided count as different.
//!
//! # Source
//!
//! \[Zha13\] II-C for the questions; the solver is `varisat`.

#![forbid(unsafe_code)]

mod session;
mod unchecked;

pub use session::{Found, Session};
pub use unchecked::Unchecked;

use varisat::checker::{CheckedProofStep, CheckerData, ProofProcessor};
use varisat::{ExtendFormula, Lit, Var};

/// The most literals of all clauses of a formula, unless it is made for more.
const MAX_LITERALS: usize = 1 << 20;
/// The most clauses that a search may derive.
const MAX_DERIVED: usize = 1 << 16;

/// The cost of a step of a proof, in elementary steps of the watch.
const STEPS_PER_CLAUSE: u64 = 1 << 10;

/// A variable or its negation: `2 * number`, and one more for the negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal(u32);

impl Literal {
    /// The variable of this number, itself.
    pub const fn of(variable: u32) -> Literal {
        Literal(2 * variable)
    }

    /// The negation.
    #[must_use]
    pub const fn opposite(self) -> Literal {
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

    /// Whether it is true under these values of the variables.
    pub fn holds(self, model: &[bool]) -> bool {
        model[self.variable()] == self.is_positive()
    }

    fn of_solver(self) -> Lit {
        Lit::from_var(Var::from_index(self.variable()), self.is_positive())
    }
}

/// A list of clauses, each a list of literals of which at least one has to hold.
#[derive(Clone, Debug)]
pub struct Formula {
    variables: u32,
    clauses: Vec<Vec<Literal>>,
    literals: usize,
    most_literals: usize,
}

impl Default for Formula {
    fn default() -> Formula {
        Formula::with_room(MAX_LITERALS)
    }
}

impl Formula {
    /// A formula without clauses, which may have this number of literals in all its clauses together.
    pub fn with_room(most_literals: usize) -> Formula {
        Formula { variables: 0, clauses: Vec::new(), literals: 0, most_literals }
    }

    /// A new variable.
    pub fn variable(&mut self) -> Literal {
        self.variables += 1;
        Literal::of(self.variables - 1)
    }

    /// Adds a clause: at least one of these literals holds.
    pub fn add(&mut self, clause: Vec<Literal>) {
        debug_assert!(self.has(&clause), "a clause is about variables of its formula");
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
        self.literals > self.most_literals || self.variables > 1 << 24
    }

    /// Whether all literals are of variables that were made for this formula.
    fn has(&self, literals: &[Literal]) -> bool {
        literals.iter().all(|literal| literal.variable() < self.variables as usize)
    }

    fn holds(&self, model: &[bool]) -> bool {
        self.clauses.iter().all(|clause| clause.iter().any(|literal| literal.holds(model)))
    }

    /// Gives all clauses to a solver, and each assumption as a clause of its own.
    fn load(&self, assumed: &[Literal], solver: &mut varisat::Solver<'_>) {
        assert!(self.has(assumed), "what is assumed is about variables of the formula");
        for clause in self.clauses.iter().map(Vec::as_slice).chain(assumed.iter().map(std::slice::from_ref)) {
            solver.add_clause(&clause.iter().map(|literal| literal.of_solver()).collect::<Vec<Lit>>());
        }
    }
}

/// The result of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A value for each variable under which the formula is true.
    Model(Vec<bool>),
    /// There is no model, and the proof of this was checked.
    Unsatisfiable,
    /// There is no model by a search whose proof nobody checked.
    Unproved,
    /// The search took too long.
    NotDecided,
}

/// Decides formulas.
pub trait Solver {
    /// Whether a formula has a model in which these literals hold too.
    fn solve(&self, formula: &Formula, assumed: &[Literal]) -> Answer;
}

/// The values of the variables in the model that a solver has found; a variable of no clause is false.
fn found(solver: &varisat::Solver<'_>, variables: u32) -> Vec<bool> {
    let mut model = vec![false; variables as usize];
    for literal in solver.model().unwrap_or_default() {
        if let Some(value) = model.get_mut(literal.index()) {
            *value = literal.is_positive();
        }
    }
    model
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
    fn solve(&self, formula: &Formula, assumed: &[Literal]) -> Answer {
        if formula.is_too_large() {
            return Answer::NotDecided;
        }
        let mut limit = Limit(self.derived);
        let mut solver = varisat::Solver::new();
        // Each step of the proof is checked before a proof processor receives it.
        solver.add_proof_processor(&mut limit);
        formula.load(assumed, &mut solver);
        match solver.solve() {
            Err(_) => {
                limits::check();
                Answer::NotDecided
            }
            // The last steps of the proof are checked when it is closed.
            Ok(false) if solver.close_proof().is_ok() => Answer::Unsatisfiable,
            Ok(false) => Answer::NotDecided,
            Ok(true) => {
                let model = found(&solver, formula.variables);
                let holds = formula.holds(&model) && assumed.iter().all(|literal| literal.holds(&model));
                if holds { Answer::Model(model) } else { Answer::NotDecided }
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
            match Checked::default().solve(&formula, &[]) {
                Answer::Model(_) => with += usize::from(tried(&formula)),
                Answer::Unsatisfiable => without += usize::from(!tried(&formula)),
                Answer::Unproved | Answer::NotDecided => panic!("small formulas are decided"),
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
        assert_eq!(Checked::default().solve(&pigeons(5), &[]), Answer::Unsatisfiable);
        assert_eq!(Checked { derived: 50 }.solve(&pigeons(9), &[]), Answer::NotDecided);
    }
}
