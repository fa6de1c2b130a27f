//! Labels: boolean expressions over propositions, as disjunctions of cubes.
//!
//! Complexity: the cubes of a label can be exponential in its text; past a budget the automaton is refused.

use crate::automaton::{Cube, MOST_BITS};

/// A label.
#[derive(Clone, Debug)]
pub(super) enum Label {
    /// `t`
    True,
    /// A proposition.
    Proposition(usize),
    /// An alias, by its number.
    Alias(usize),
    /// `!e`
    Not(Box<Label>),
    /// `e & e`
    And(Vec<Label>),
    /// `e | e`
    Or(Vec<Label>),
}

/// The budget of a file is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent;

/// The cubes of a label, or of its negation. An alias refers to aliases before it.
pub(super) fn cubes(label: &Label, positive: bool, aliases: &[Label], budget: &mut usize) -> Result<Vec<Cube>, Spent> {
    *budget = budget.checked_sub(1).ok_or(Spent)?;
    match label {
        Label::True => Ok(if positive { vec![Cube::TRUE] } else { Vec::new() }),
        Label::Proposition(number) => {
            debug_assert!(*number < MOST_BITS);
            Ok(vec![Cube::literal(*number, positive)])
        }
        Label::Alias(number) => cubes(&aliases[*number], positive, aliases, budget),
        Label::Not(inner) => cubes(inner, !positive, aliases, budget),
        Label::And(list) | Label::Or(list) => {
            let is_and = matches!(label, Label::And(_)) == positive;
            let mut all: Vec<Cube> = if is_and { vec![Cube::TRUE] } else { Vec::new() };
            for part in list {
                let part = cubes(part, positive, aliases, budget)?;
                if !is_and {
                    all.extend(part);
                    continue;
                }
                *budget = budget.checked_sub(all.len() * part.len()).ok_or(Spent)?;
                all = all.iter().flat_map(|a| part.iter().filter_map(|b| a.and(*b))).collect();
                all.sort_unstable();
                all.dedup();
            }
            Ok(all)
        }
    }
}
