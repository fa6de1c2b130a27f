//! A state in which a condition holds, by cases: most conditions of which a table is asked whether they ever hold do so.
//!
//! # Soundness
//!
//! A state that is found is one in which the condition holds. That none is found says nothing: the search ends after [`MOST_STEPS`] conditions. Live values are
//! approximated from above, so that an answer which were wrong would add some and lose none.
//!
//! # Complexity
//!
//! Each step takes a time linear in the elements and choices so far, which are no more than the steps. Lists that are longer than the steps that are left are not
//! looked into.

use std::rc::Rc;

use super::{Cond, Conditions, Node, WORK_OF_OPERAND};

/// The most conditions that one search examines.
const MOST_STEPS: usize = 1 << 7;

/// The values that elements may still have; others may have any value.
type Allowed = Vec<(usize, Rc<[i32]>)>;

impl Conditions {
    /// Whether a short search finds a state in which a condition holds.
    pub(super) fn has_witness(&self, cond: Cond) -> bool {
        let mut steps = MOST_STEPS;
        self.all_hold(vec![cond], Allowed::new(), &mut steps)
    }

    /// Whether the steps that are left find a state with allowed values in which all of these hold.
    fn all_hold(&self, mut pending: Vec<Cond>, mut allowed: Allowed, steps: &mut usize) -> bool {
        let mut choices = Vec::new();
        while let Some(cond) = pending.pop() {
            let Some(left) = steps.checked_sub(1) else { return false };
            *steps = left;
            limits::work(WORK_OF_OPERAND);
            match self.node(cond) {
                Node::True => {}
                Node::False => return false,
                Node::And(list) if list.len() > left => return false,
                Node::And(list) => pending.extend(list.iter()),
                Node::Or(_) => choices.push(cond),
                Node::Test(element, values) => match allowed.iter_mut().find(|(known, _)| known == element) {
                    None => allowed.push((*element, Rc::clone(values))),
                    Some((_, own)) => {
                        *own = own.iter().copied().filter(|value| values.binary_search(value).is_ok()).collect();
                        if own.is_empty() {
                            return false;
                        }
                    }
                },
            }
        }
        let Some(Node::Or(list)) = choices.pop().map(|cond| self.node(cond)) else { return true };
        // Each operand takes a step.
        let most = *steps;
        list.iter().take(most).any(|&operand| {
            let pending = choices.iter().copied().chain([operand]).collect();
            self.all_hold(pending, allowed.clone(), steps)
        })
    }
}
