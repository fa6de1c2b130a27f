//! The live values of each element: initial ones, and those that some instance writes in a state of live values. A least
//! fixed point; all other values are left out of the graph.
//!
//! # Soundness
//!
//! The states whose elements all have live values contain the initial ones and are closed under steps: enabledness and
//! writes are judged from above (a condition counts as possible unless it is known to be never true). A symmetry of the
//! model on these states is one of everything reachable. This takes the place of the rule of \[Zha13\] IV-D, which also drops
//! values that are written but satisfy no guard and is unsound.
//!
//! # Complexity
//!
//! An instance is looked at again only when an element that it read has a new value. After [`MAX_ROUNDS`] rounds every
//! value is live.

use std::collections::BTreeSet;
use std::rc::Rc;

use frontend::sequential::{Initial, Sequential};
use rustc_hash::FxHashSet;

use super::{Candidate, TooLarge, ground};
use crate::condition::{Cond, Conditions, Normaliser};
use crate::ssa::SsaSummand;

/// The most rounds of the fixed point.
const MAX_ROUNDS: usize = 256;

/// What the fixed point gives.
pub(super) struct Live {
    /// For each element its live values, ascending.
    pub(super) values: Vec<Vec<i32>>,
    /// For each candidate whether it may be enabled or fault.
    pub(super) possible: Vec<bool>,
}

/// The live values.
pub(super) fn live(model: &Sequential, forms: &[SsaSummand], candidates: &[Candidate]) -> Result<Live, TooLarge> {
    let mut values = initial(model);
    let mut possible = vec![false; candidates.len()];
    let mut reads: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); candidates.len()];
    let mut changed: FxHashSet<usize> = FxHashSet::default();
    for round in 0..MAX_ROUNDS {
        let lists: Vec<Vec<i32>> = values.iter().map(|set| set.iter().copied().collect()).collect();
        let domains: Vec<Rc<[i32]>> = lists.iter().map(|list| list.clone().into()).collect();
        let mut normaliser = Normaliser::new(Conditions::new(domains.into()), &lists);
        let mut grown: FxHashSet<usize> = FxHashSet::default();
        for (place, candidate) in candidates.iter().enumerate() {
            if round > 0 && reads[place].is_disjoint(&changed) {
                continue;
            }
            let form = &forms[candidate.summand.index()];
            let ground = ground(model, form, candidate, normaliser.store());
            possible[place] = normaliser.is_possible(ground.enabled) || normaliser.is_possible(ground.fault);
            reads[place] = ground.read;
            for (element, value) in &ground.written {
                for &(result, when) in &value.cases {
                    let written = normaliser.store().both(ground.enabled, when);
                    if !values[*element].contains(&result) && written != Cond::FALSE && normaliser.is_possible(written)
                    {
                        values[*element].insert(result);
                        grown.insert(*element);
                    }
                }
            }
            if normaliser.store().exhausted() {
                return Err(TooLarge);
            }
        }
        if grown.is_empty() {
            return Ok(Live { values: lists, possible });
        }
        changed = grown;
    }
    let all = model.element_sorts().iter().map(|&sort| model.domain(sort).values().collect()).collect();
    Ok(Live { values: all, possible: vec![true; candidates.len()] })
}

/// The initial values of each element.
fn initial(model: &Sequential) -> Vec<BTreeSet<i32>> {
    let mut sets = Vec::with_capacity(model.state_len());
    for variable in &model.variables {
        match &variable.initial {
            Initial::Values(list) => sets.extend(list.iter().map(|&value| BTreeSet::from([value]))),
            Initial::Any => {
                let all: BTreeSet<i32> = model.domain(variable.sort).values().collect();
                sets.extend(std::iter::repeat_n(all, model.len_of(variable)));
            }
        }
    }
    sets
}
