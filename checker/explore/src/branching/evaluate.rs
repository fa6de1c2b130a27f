//! Truth of CTL in all states of a finite graph, subformula by subformula.
//!
//! `EX`, `EU` and `EG` are computed, and every other operator is written with them: `EF f` is `true EU f`, `AX f` is `!EX !f`, `AF f` is
//! `!EG !f`, `AG f` is `!EF !f`, and `f AU g` is `!(!g EU (!f && !g)) && !EG !g`. `EU` walks the steps backwards from its goal. `EG` removes
//! states of which no step leads to a state that is left, by counting their steps. That is for steps that are kept; where they do not fit
//! into memory, `sweeps` computes the same.
//!
//! A state in which a run may end is followed by itself, as in linear formulas: a run that ends repeats its last state.
//!
//! Complexity: linear in the steps for each operator; a bit for each state and part of the formula.
//!
//! Source: Clarke, Emerson, Sistla 1986.

use bitvec::vec::BitVec;
use ltl::{Formula, Paths};

use super::Edges;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// A state in which a run ends has no next state.
        ends_without_next,
        /// `EG` does not look at the number of steps that are left.
        keeps_cut_states,
        /// A run that shows a formula may leave the set in which it has to stay.
        strays,
    }
}

/// The states in which a formula is true, by number.
pub type Truth = BitVec;

/// A finite graph: the steps of each state, and whether a run may end in it.
pub struct Graph {
    /// The steps.
    pub steps: Edges,
    /// The steps from their targets.
    pub back: Edges,
    /// The states in which a run may end.
    pub ends: BitVec,
}

/// The steps of a finite graph, as the operators of CTL need them.
pub trait Relation {
    /// The number of states.
    fn len(&self) -> usize;

    /// Whether there is no state.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The states before some state of a set.
    fn next(&mut self, set: &Truth, wrong: Wrong) -> Truth;

    /// The states from which a goal is reached through a set.
    fn until(&mut self, through: &Truth, goal: Truth) -> Truth;

    /// The states from which some run stays in a set.
    fn always(&mut self, set: Truth, wrong: Wrong) -> Truth;

    /// The targets of the steps of a state.
    fn targets(&mut self, state: u32) -> Vec<u32>;

    /// Whether a run may end in a state.
    fn may_end(&self, state: u32) -> bool;
}

/// The states in which a formula is true, and those of its operands; of a quantified one those of the operands of its path.
pub struct Truths {
    /// The states in which it is true.
    pub own: Truth,
    /// Its operands, from left to right.
    pub operands: Vec<Truths>,
}

/// The states in which a formula of CTL and each of its parts are true.
///
/// # Panics
/// If it is no formula of CTL.
pub fn truths<R: Relation, A>(
    relation: &mut R,
    formula: &Formula<A>,
    atom: &mut dyn FnMut(&A) -> Truth,
    wrong: Wrong,
) -> Truths {
    let all = Truth::repeat(true, relation.len());
    let parts = match formula {
        Formula::Quantified(_, path) => path.operands(),
        formula => formula.operands(),
    };
    let operands: Vec<Truths> = parts.into_iter().map(|part| truths(relation, part, atom, wrong)).collect();
    let of = |at: usize| operands[at].own.clone();
    let each = || operands.iter().map(|operand| operand.own.clone());
    let own = match formula {
        Formula::Atom(own) => atom(own),
        Formula::Not(_) => !of(0),
        Formula::And(_) => each().reduce(|all, one| all & one).unwrap_or(all),
        Formula::Or(_) => each().reduce(|all, one| all | one).unwrap_or_else(|| !all),
        Formula::Implies(..) => !of(0) | of(1),
        Formula::Quantified(paths, path) => match (paths, &**path) {
            (Paths::Some, Formula::Next(_)) => relation.next(&of(0), wrong),
            (Paths::All, Formula::Next(_)) => !relation.next(&!of(0), wrong),
            (Paths::Some, Formula::Finally(_)) => relation.until(&all, of(0)),
            (Paths::All, Formula::Globally(_)) => !relation.until(&all, !of(0)),
            (Paths::Some, Formula::Globally(_)) => relation.always(of(0), wrong),
            (Paths::All, Formula::Finally(_)) => !relation.always(!of(0), wrong),
            (Paths::Some, Formula::Until(..)) => relation.until(&of(0), of(1)),
            (Paths::All, Formula::Until(..)) => {
                let misses = relation.until(&!of(1), !of(0) & !of(1));
                !misses & !relation.always(!of(1), wrong)
            }
            _ => unreachable!("a quantifier stands in front of X, F, G or U"),
        },
        _ => unreachable!("a temporal operator stands behind a quantifier"),
    };
    assert_eq!(own.len(), relation.len(), "a formula is true or false in each state");
    Truths { own, operands }
}

impl Relation for Graph {
    fn len(&self) -> usize {
        self.steps.states()
    }

    fn next(&mut self, set: &Truth, wrong: Wrong) -> Truth {
        let leads = |state: usize| {
            limits::work(1);
            let stays = self.ends[state] && set[state] && !wrong.ends_without_next();
            stays || self.steps.of(state).iter().any(|&to| set[to as usize])
        };
        (0..self.len()).map(leads).collect()
    }

    fn until(&mut self, through: &Truth, goal: Truth) -> Truth {
        let mut found = goal;
        let mut waiting: Vec<usize> = found.iter_ones().collect();
        while let Some(state) = waiting.pop() {
            limits::work(1);
            for &from in self.back.of(state) {
                let from = from as usize;
                if through[from] && !found.replace(from, true) {
                    waiting.push(from);
                }
            }
        }
        found
    }

    fn always(&mut self, set: Truth, wrong: Wrong) -> Truth {
        let mut left = set;
        let inside = |state: usize, left: &Truth| {
            let steps = self.steps.of(state).iter().filter(|&&to| left[to as usize]).count();
            steps + usize::from(self.ends[state] && !wrong.ends_without_next())
        };
        let mut counts: Vec<usize> = (0..self.len()).map(|state| inside(state, &left)).collect();
        let mut cut: Vec<usize> = left.iter_ones().filter(|&state| counts[state] == 0).collect();
        while let Some(state) = cut.pop() {
            limits::work(1);
            left.set(state, false);
            for &from in self.back.of(state) {
                let from = from as usize;
                counts[from] -= 1;
                if counts[from] == 0 && left[from] && !wrong.keeps_cut_states() {
                    cut.push(from);
                }
            }
        }
        let stays = |state: usize| inside(state, &left) > 0 || wrong.keeps_cut_states();
        debug_assert!(left.iter_ones().all(stays), "a state from which a run stays has a step that does, or is an end");
        left
    }

    fn targets(&mut self, state: u32) -> Vec<u32> {
        self.steps.of(state as usize).to_vec()
    }

    fn may_end(&self, state: u32) -> bool {
        self.ends[state as usize]
    }
}
