//! Gates over numbered literals, and the one question about them: whether there is a valuation.
//!
//! Constants are folded, and equal gates are shared. A required literal is a constant in every gate built after the
//! requirement.
//!
//! Soundness: none is needed. A valuation is read as a run, which the reference replays. The absence of a valuation
//! only chooses the variables of a refinement.

use std::collections::{HashMap, HashSet};

use sat::{Answer, Formula, Solver, Unchecked};

/// The greatest number of literals of all clauses together.
const MAX_LITERALS: usize = 1 << 21;
/// The greatest size in bytes of the proof that a search may write.
const MAX_PROOF: usize = 1 << 23;

/// A variable or its negation.
pub(super) type Lit = sat::Literal;

/// The literal that is always true.
pub(super) const TRUE: Lit = Lit::of(0);
/// The literal that is never true.
pub(super) const FALSE: Lit = TRUE.opposite();

/// Clauses, and the gates they define.
pub(super) struct Circuit {
    formula: Formula,
    gates: HashMap<(Lit, Lit), Lit>,
    required: HashSet<Lit>,
}

impl Circuit {
    pub(super) fn new() -> Circuit {
        let mut formula = Formula::with_room(MAX_LITERALS);
        assert_eq!(formula.variable(), TRUE, "the first variable is the constant");
        formula.add(vec![TRUE]);
        Circuit { formula, gates: HashMap::new(), required: HashSet::from([TRUE]) }
    }

    /// Whether it is too large for the solver.
    pub(super) fn is_too_large(&self) -> bool {
        self.formula.is_too_large()
    }

    /// A new variable.
    pub(super) fn fresh(&mut self) -> Lit {
        self.formula.variable()
    }

    /// Requires that one of these literals holds in every valuation.
    pub(super) fn require_any(&mut self, clause: &[Lit]) {
        let open: Vec<Lit> = clause.iter().map(|&lit| self.known(lit)).filter(|&lit| lit != FALSE).collect();
        match open[..] {
            _ if open.contains(&TRUE) => {}
            [one] => {
                self.required.insert(one);
                self.formula.add(vec![one]);
            }
            _ => self.formula.add(open),
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
            _ if self.required.contains(&lit.opposite()) => FALSE,
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
            _ if one == other.opposite() => FALSE,
            _ => {
                if let Some(&gate) = self.gates.get(&(one, other)) {
                    return gate;
                }
                let gate = self.fresh();
                self.formula.add(vec![gate.opposite(), one]);
                self.formula.add(vec![gate.opposite(), other]);
                self.formula.add(vec![gate, one.opposite(), other.opposite()]);
                self.gates.insert((one, other), gate);
                gate
            }
        }
    }

    pub(super) fn or(&mut self, one: Lit, other: Lit) -> Lit {
        self.and(one.opposite(), other.opposite()).opposite()
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
            list[..place].iter().for_each(|&other| self.formula.add(vec![one.opposite(), other.opposite()]));
        }
        list
    }

    /// A valuation under which these literals hold too; the solver searches for one until `is_over` holds.
    pub(super) fn solve(&self, assumed: &[Lit], is_over: &dyn Fn() -> bool) -> Answer {
        Unchecked { most_proof: MAX_PROOF, is_over }.solve(&self.formula, assumed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_compute_their_functions() {
        for bits in 0..4u8 {
            let mut circuit = Circuit::new();
            let (one, other) = (circuit.fresh(), circuit.fresh());
            let (both, some) = (circuit.and(one, other), circuit.or(one, other));
            let (first, second) = (bits & 1 == 1, bits & 2 == 2);
            let given = |lit: Lit, value: bool| if value { lit } else { lit.opposite() };
            let Answer::Model(model) = circuit.solve(&[given(one, first), given(other, second)], &|| false) else {
                panic!("every input has a valuation")
            };
            assert_eq!((both.holds(&model), some.holds(&model)), (first && second, first || second));
        }
    }

    #[test]
    fn pigeons_end_at_the_bound() {
        let mut circuit = Circuit::new();
        let rows: Vec<Vec<Lit>> = (0..12).map(|_| circuit.one_of(11)).collect();
        for (place, row) in rows.iter().enumerate() {
            for other in &rows[..place] {
                row.iter().zip(other).for_each(|(one, other)| circuit.require_any(&[one.opposite(), other.opposite()]));
            }
        }
        assert!(!matches!(circuit.solve(&[], &|| false), Answer::Model(_)));
    }
}
