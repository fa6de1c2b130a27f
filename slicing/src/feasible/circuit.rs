//! Gates over numbered literals, and the one question about them: whether there is a valuation.
//!
//! Constants are folded, and equal gates are shared. A required literal is a constant in every gate built after the
//! requirement. The solver has no interrupt: it writes a proof into a counter that fails past a bound, which ends the
//! search.
//!
//! Soundness: none is needed. A valuation is read as a run, which the reference replays. The absence of a valuation
//! only chooses the variables of a refinement.

use std::collections::{HashMap, HashSet};
use std::io;

use varisat::{CnfFormula, ExtendFormula, Lit as SolverLit, ProofFormat, Solver, Var};

/// The greatest number of literals of all clauses together.
const MAX_LITERALS: usize = 1 << 21;
/// The greatest size in bytes of the proof that a search may write.
const MAX_PROOF: usize = 1 << 23;

/// A literal: `2 * variable`, one more for the negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Lit(u32);

/// The literal that is always true.
pub(super) const TRUE: Lit = Lit(0);
/// The literal that is never true.
pub(super) const FALSE: Lit = Lit(1);

impl Lit {
    pub(super) fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<bool> for Lit {
    fn from(value: bool) -> Lit {
        if value { TRUE } else { FALSE }
    }
}

/// The answer of the solver.
pub(super) enum Found {
    /// The variables that are true.
    Model(Vec<bool>),
    /// There is no valuation.
    None,
    /// The search took too long.
    TooLong,
}

/// Clauses, and the gates they define.
pub(super) struct Circuit {
    variables: u32,
    clauses: Vec<Vec<Lit>>,
    literals: usize,
    gates: HashMap<(Lit, Lit), Lit>,
    required: HashSet<Lit>,
}

impl Circuit {
    pub(super) fn new() -> Circuit {
        let clauses = vec![vec![TRUE]];
        Circuit { variables: 1, clauses, literals: 1, gates: HashMap::new(), required: HashSet::from([TRUE]) }
    }

    /// Whether it is too large for the solver.
    pub(super) fn is_too_large(&self) -> bool {
        self.literals > MAX_LITERALS
    }

    /// A new variable.
    pub(super) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(2 * (self.variables - 1))
    }

    fn clause(&mut self, clause: &[Lit]) {
        self.literals += clause.len();
        if !self.is_too_large() {
            self.clauses.push(clause.to_vec());
        }
    }

    /// Requires that one of these literals holds in every valuation.
    pub(super) fn require_any(&mut self, clause: &[Lit]) {
        let open: Vec<Lit> = clause.iter().map(|&lit| self.known(lit)).filter(|&lit| lit != FALSE).collect();
        match open[..] {
            _ if open.contains(&TRUE) => {}
            [one] => {
                self.required.insert(one);
                self.clause(&[one]);
            }
            _ => self.clause(&open),
        }
    }

    /// Requires that this literal holds in every valuation.
    pub(super) fn require(&mut self, lit: Lit) {
        self.require_any(&[lit]);
    }

    /// The literal, or the constant that equals it by the requirements so far.
    fn known(&self, lit: Lit) -> Lit {
        match lit {
            _ if self.required.contains(&lit) => TRUE,
            _ if self.required.contains(&lit.not()) => FALSE,
            _ => lit,
        }
    }

    pub(super) fn and(&mut self, one: Lit, other: Lit) -> Lit {
        let (one, other) = (self.known(one), self.known(other));
        let (one, other) = (one.min(other), one.max(other));
        match (one, other) {
            (TRUE, lit) => lit,
            (FALSE, _) => FALSE,
            _ if one == other => one,
            _ if one == other.not() => FALSE,
            _ => {
                if let Some(&gate) = self.gates.get(&(one, other)) {
                    return gate;
                }
                let gate = self.fresh();
                self.clause(&[gate.not(), one]);
                self.clause(&[gate.not(), other]);
                self.clause(&[gate, one.not(), other.not()]);
                self.gates.insert((one, other), gate);
                gate
            }
        }
    }

    pub(super) fn or(&mut self, one: Lit, other: Lit) -> Lit {
        self.and(one.not(), other.not()).not()
    }

    /// The disjunction of the literals.
    pub(super) fn any(&mut self, list: &[Lit]) -> Lit {
        list.iter().fold(FALSE, |sum, &lit| self.or(sum, lit))
    }

    /// The given number of new variables, exactly one of which holds.
    pub(super) fn one_of(&mut self, count: usize) -> Vec<Lit> {
        if count == 1 {
            return vec![TRUE];
        }
        let list: Vec<Lit> = (0..count).map(|_| self.fresh()).collect();
        self.require_any(&list);
        for (place, &one) in list.iter().enumerate() {
            list[..place].iter().for_each(|&other| self.clause(&[one.not(), other.not()]));
        }
        list
    }

    /// A valuation under which these literals hold too; the solver searches for one until `is_over` holds.
    pub(super) fn solve(&self, assumed: &[Lit], is_over: &dyn Fn() -> bool) -> Found {
        if self.is_too_large() || is_over() {
            return Found::TooLong;
        }
        let mut formula = CnfFormula::new();
        formula.set_var_count(self.variables as usize);
        let literal = |lit: &Lit| SolverLit::from_var(Var::from_index((lit.0 / 2) as usize), lit.0 & 1 == 0);
        for clause in self.clauses.iter().map(Vec::as_slice).chain(assumed.iter().map(std::slice::from_ref)) {
            formula.add_clause(&clause.iter().map(literal).collect::<Vec<SolverLit>>());
        }
        let mut solver = Solver::new();
        solver.write_proof(Counter { left: MAX_PROOF, is_over }, ProofFormat::Varisat);
        solver.add_formula(&formula);
        match solver.solve() {
            Err(_) => Found::TooLong,
            Ok(false) => Found::None,
            Ok(true) => {
                let mut model = vec![false; self.variables as usize];
                for lit in solver.model().unwrap_or_default() {
                    if let Some(value) = model.get_mut(lit.index()) {
                        *value = lit.is_positive();
                    }
                }
                Found::Model(model)
            }
        }
    }
}

/// Whether a literal holds in a valuation.
pub(super) fn holds(model: &[bool], lit: Lit) -> bool {
    model[(lit.0 / 2) as usize] == (lit.0 & 1 == 0)
}

/// Accepts the given number of bytes and then fails; also fails when `is_over` holds.
struct Counter<'a> {
    left: usize,
    is_over: &'a dyn Fn() -> bool,
}

impl io::Write for Counter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len()).filter(|_| !(self.is_over)());
        self.left = left.ok_or_else(|| io::Error::other("the search took too long"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_what_they_say() {
        for bits in 0..4u8 {
            let mut circuit = Circuit::new();
            let (one, other) = (circuit.fresh(), circuit.fresh());
            let (both, some) = (circuit.and(one, other), circuit.or(one, other));
            let (first, second) = (bits & 1 == 1, bits & 2 == 2);
            let given = |lit: Lit, value: bool| if value { lit } else { lit.not() };
            let Found::Model(model) = circuit.solve(&[given(one, first), given(other, second)], &|| false) else {
                panic!("every input has a valuation")
            };
            assert_eq!((holds(&model, both), holds(&model, some)), (first && second, first || second));
        }
    }

    #[test]
    fn pigeons_end_at_the_bound() {
        let mut circuit = Circuit::new();
        let rows: Vec<Vec<Lit>> = (0..12).map(|_| circuit.one_of(11)).collect();
        for (place, row) in rows.iter().enumerate() {
            for other in &rows[..place] {
                row.iter().zip(other).for_each(|(one, other)| circuit.require_any(&[one.not(), other.not()]));
            }
        }
        assert!(!matches!(circuit.solve(&[], &|| false), Found::Model(_)));
    }
}
