//! The initial states of a process, and combinations of values.

use super::State;
use crate::sequential::{Domain, Initial, Sequential};

/// The first combination of values.
pub(super) fn first(domains: &[&Domain]) -> Vec<i32> {
    domains.iter().map(|domain| domain.bounds().0).collect()
}

/// Advances to the next combination in lexicographic order; returns whether there is one.
pub(super) fn advance(domains: &[&Domain], values: &mut [i32]) -> bool {
    for (value, domain) in values.iter_mut().zip(domains).rev() {
        let (low, high) = domain.bounds();
        if *value < high {
            *value += 1;
            return true;
        }
        *value = low;
    }
    false
}

/// The initial states, one by one, in lexicographic order.
#[derive(Clone, Debug)]
pub struct InitialStates<'a> {
    /// The elements that may have any value: position and domain.
    free: Vec<(usize, &'a Domain)>,
    next: Option<State>,
    /// The states that follow the product.
    further: std::slice::Iter<'a, State>,
}

/// The initial states: the product of the values of all elements that are `*`, then the further ones. There may be very
/// many: compare with [`initial_count`], and take only as many as can be kept.
pub fn initial_states(model: &Sequential) -> InitialStates<'_> {
    let mut state = Vec::with_capacity(model.state_len());
    let mut free = Vec::new();
    for variable in &model.variables {
        match &variable.initial {
            Initial::Values(values) => state.extend(values),
            Initial::Any => {
                let domain = model.domain(variable.sort);
                for _ in 0..model.len_of(variable) {
                    free.push((state.len(), domain));
                    state.push(domain.bounds().0);
                }
            }
        }
    }
    assert_eq!(state.len(), model.state_len(), "a start has every element");
    InitialStates { free, next: Some(state), further: model.starts.iter() }
}

/// Whether a state is initial.
pub fn is_initial(model: &Sequential, state: &[i32]) -> bool {
    if model.starts.iter().any(|start| start == state) {
        return true;
    }
    let mut rest = state;
    for variable in &model.variables {
        let Some((own, others)) = rest.split_at_checked(model.len_of(variable)) else { return false };
        let fits = match &variable.initial {
            Initial::Values(values) => values == own,
            Initial::Any => own.iter().all(|&value| model.domain(variable.sort).contains(value)),
        };
        if !fits {
            return false;
        }
        rest = others;
    }
    rest.is_empty()
}

/// The number of initial states; `None` if it does not fit.
pub fn initial_count(model: &Sequential) -> Option<u128> {
    let free = initial_states(model).free;
    let product =
        free.iter().try_fold(1u128, |count, (_, domain)| count.checked_mul(u128::try_from(domain.size()).ok()?));
    product?.checked_add(model.starts.len() as u128)
}

impl Iterator for InitialStates<'_> {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let Some(state) = self.next.take() else { return self.further.next().cloned() };
        limits::work(4 * state.len() as u64);
        let mut following = state.clone();
        for &(element, domain) in self.free.iter().rev() {
            let (low, high) = domain.bounds();
            if following[element] < high {
                following[element] += 1;
                self.next = Some(following);
                break;
            }
            following[element] = low;
        }
        Some(state)
    }
}
