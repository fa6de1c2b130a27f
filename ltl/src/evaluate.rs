//! Direct evaluation of formulas on ultimately periodic words: the judge of counterexamples.
//!
//! A word is a list of positions and the position to which the last one returns. The truth of each subformula at each
//! position is computed from the truths of its operands: least fixed points for `U` and `F`, greatest ones for `R`, `W`
//! and `G`, by iteration. Nothing here uses automata or normal forms.
//!
//! Complexity: O(subformulas * positions^2) at worst.

use crate::automaton::MOST_BITS;
use crate::formula::Formula;

/// Whether a formula holds on the word `0, 1, .., len - 1, cycle_from, ..`; `None` if an atom has no value at some
/// position.
///
/// # Panics
/// If `cycle_from` is no position.
pub fn holds<A>(
    formula: &Formula<A>,
    len: usize,
    cycle_from: usize,
    value: &mut dyn FnMut(&A, usize) -> Option<bool>,
) -> Option<bool> {
    assert!(cycle_from < len, "the word goes back to one of its positions");
    Some(truths(formula, &Word { len, cycle_from }, value)?[0])
}

struct Word {
    len: usize,
    cycle_from: usize,
}

impl Word {
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.len { self.cycle_from } else { at + 1 }
    }

    /// The fixed point of `at -> step(at, truth at the next position)` from a constant.
    fn fixed_point(&self, from: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut truth = vec![from; self.len];
        loop {
            let mut changed = false;
            for at in (0..self.len).rev() {
                let new = step(at, truth[self.next(at)]);
                changed |= new != truth[at];
                truth[at] = new;
            }
            if !changed {
                return truth;
            }
        }
    }
}

/// The truth of a formula at each position.
fn truths<A>(formula: &Formula<A>, word: &Word, value: &mut dyn FnMut(&A, usize) -> Option<bool>) -> Option<Vec<bool>> {
    let positions = 0..word.len;
    if let Formula::Atom(atom) = formula {
        return positions.map(|at| value(atom, at)).collect();
    }
    let parts: Vec<Vec<bool>> =
        formula.operands().into_iter().map(|part| truths(part, word, value)).collect::<Option<_>>()?;
    Some(match formula {
        Formula::Atom(_) | Formula::Quantified(..) => unreachable!("an atom has no operand, and a run no others"),
        Formula::Not(_) => positions.map(|at| !parts[0][at]).collect(),
        Formula::And(_) => positions.map(|at| parts.iter().all(|part| part[at])).collect(),
        Formula::Or(_) => positions.map(|at| parts.iter().any(|part| part[at])).collect(),
        Formula::Implies(..) => positions.map(|at| !parts[0][at] || parts[1][at]).collect(),
        Formula::Next(_) => positions.map(|at| parts[0][word.next(at)]).collect(),
        Formula::Finally(_) => word.fixed_point(false, |at, next| parts[0][at] || next),
        Formula::Globally(_) => word.fixed_point(true, |at, next| parts[0][at] && next),
        Formula::Until(..) => word.fixed_point(false, |at, next| parts[1][at] || parts[0][at] && next),
        Formula::WeakUntil(..) => word.fixed_point(true, |at, next| parts[1][at] || parts[0][at] && next),
        Formula::Accepted(automaton, _) => {
            assert!(parts.len() <= MOST_BITS, "a letter has room for its propositions");
            let bits = |at: usize| parts.iter().enumerate().map(move |(bit, part)| u128::from(part[at]) << bit).sum();
            let letters: Vec<u128> = positions.clone().map(bits).collect();
            automaton.accepts(&letters, word.cycle_from)
        }
        Formula::Release(..) => word.fixed_point(true, |at, next| parts[1][at] && (parts[0][at] || next)),
    })
}
