//! The live values of each element: its initial values, and those that some instance writes in a state of live values. They are a least
//! fixed point; the graph leaves out all other values. Wide elements have no live values: they are terms.
//!
//! # Soundness
//!
//! The states whose elements all have live values contain the initial ones and are closed under steps: enabledness and writes are
//! approximated from above (a condition counts as possible unless it is known to be never true). A symmetry of the model on these states
//! is a symmetry of all reachable states. This rule replaces that of \[Zha13\] IV-D, which also drops values that are written but satisfy
//! no guard, and which is unsound.
//!
//! # Complexity
//!
//! An instance is examined again only when an element that it read has a new value, and not before instances that cost much less have
//! nothing to add: the fixed point is the same in any order. A counter gets one value in each round, and what compares it is not examined in all of these.
//! An instance is not examined again once it may be enabled and writes the same values in every state, all of them live. After
//! [`MAX_ROUNDS`] rounds every value is live. Each round consults the limits, by the live values and the instances.

use std::collections::BTreeSet;
use std::rc::Rc;

use frontend::sequential::{Domain, Initial, Sequential, Stmt, StmtKind, SummandId};
use rustc_hash::FxHashSet;

use super::value::Value;
use super::{Candidate, ground};
use crate::condition::{Cond, Conditions, Datum, Normaliser, Primes};
use crate::project::is_wide;
use crate::ssa::SsaSummand;

/// The most rounds of the fixed point: several times the values of a narrow element, since instances wait for each other.
const MAX_ROUNDS: usize = 1024;

/// An instance waits while another costs less than one of so many parts of it.
const MUCH_LESS: u64 = 8;

/// The result of the fixed point.
pub(super) struct Live {
    /// For each element its live values, ascending.
    pub(super) values: Vec<Vec<i32>>,
    /// For each candidate whether it may be enabled or fault.
    pub(super) possible: Vec<bool>,
}

/// The live values.
pub(super) fn live(
    model: &Sequential,
    forms: &[SsaSummand],
    candidates: &[Candidate],
    opaque: &mut BTreeSet<SummandId>,
) -> Live {
    fixed_point(model, forms, candidates, opaque, MUCH_LESS)
}

/// The same in an order: an instance waits while another costs less than one of so many parts of it.
fn fixed_point(
    model: &Sequential,
    forms: &[SsaSummand],
    candidates: &[Candidate],
    opaque: &mut BTreeSet<SummandId>,
    much_less: u64,
) -> Live {
    let mut values = initial(model);
    let wide: Vec<bool> = model.element_sorts().iter().map(|&sort| is_wide(model.domain(sort))).collect();
    for start in &model.starts {
        let narrow = start.iter().enumerate().filter(|&(element, _)| !wide[element]);
        for (element, &value) in narrow {
            values[element].insert(value);
        }
    }
    for &summand in opaque.iter() {
        anything(model, summand, &mut values);
    }
    let mut possible = vec![false; candidates.len()];
    let mut reads: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); candidates.len()];
    // The work of the last examination, and whether there must be another.
    let mut costs = vec![0; candidates.len()];
    let mut is_waiting = vec![true; candidates.len()];
    let mut spent = 0;
    let is_plain: Vec<bool> = model.summands.iter().map(|summand| writes_plainly(&summand.body)).collect();
    let mut is_done = vec![false; candidates.len()];
    for _ in 0..MAX_ROUNDS {
        limits::work((candidates.len() + values.iter().map(BTreeSet::len).sum::<usize>()) as u64);
        let lists: Vec<Vec<i32>> = values.iter().map(|set| set.iter().copied().collect()).collect();
        let domains: Vec<Rc<[i32]>> = lists.iter().map(|list| list.clone().into()).collect();
        let store = Conditions::new(domains.into()).over(model).after(spent);
        let mut normaliser = Normaliser::new(store, &lists, Primes::off());
        let mut grown: FxHashSet<usize> = FxHashSet::default();
        let waiting = || (0..candidates.len()).filter(|&place| is_waiting[place]);
        let least = waiting().map(|place| costs[place]).min().unwrap_or(0);
        let chosen: Vec<usize> = waiting().filter(|&place| costs[place] / much_less <= least).collect();
        for place in chosen {
            let candidate = &candidates[place];
            is_waiting[place] = false;
            if opaque.contains(&candidate.summand) {
                possible[place] = true;
                continue;
            }
            let mark = normaliser.store().mark();
            let before = normaliser.store().spent();
            let form = &forms[candidate.summand.index()];
            let ground = ground(model, form, candidate, normaliser.store());
            possible[place] = normaliser.is_possible(ground.enabled) || normaliser.is_possible(ground.fault);
            reads[place] = ground.read;
            for (element, value) in &ground.written {
                for &(result, when) in &value.cases {
                    let Datum::Value(result) = result else { continue };
                    if wide[*element] {
                        continue;
                    }
                    let written = normaliser.store().both(ground.enabled, when);
                    if !values[*element].contains(&result) && written != Cond::FALSE && normaliser.is_possible(written)
                    {
                        values[*element].insert(result);
                        grown.insert(*element);
                    }
                }
            }
            costs[place] = normaliser.store().spent() - before;
            if normaliser.store().exhausted() {
                normaliser.rewind(mark);
                opaque.insert(candidate.summand);
                grown.extend(anything(model, candidate.summand, &mut values));
                continue;
            }
            let is_live = |(element, value): &(usize, Rc<Value>)| {
                wide[*element]
                    || value.cases.iter().all(|(result, _)| match result {
                        Datum::Value(result) => values[*element].contains(result),
                        _ => true,
                    })
            };
            is_done[place] =
                possible[place] && is_plain[candidate.summand.index()] && ground.written.iter().all(is_live);
        }
        spent = normaliser.store().spent();
        for place in (0..candidates.len()).filter(|&place| !is_done[place]) {
            is_waiting[place] |= !reads[place].is_disjoint(&grown);
        }
        if !is_waiting.contains(&true) {
            assert!(values.iter().zip(&wide).all(|(set, &wide)| set.is_empty() == wide), "narrow elements have values");
            let values = values.into_iter().map(|set| set.into_iter().collect()).collect();
            return Live { values, possible };
        }
    }
    let all = model.element_sorts().iter().map(|&sort| narrow(model.domain(sort)).collect()).collect();
    Live { values: all, possible: vec![true; candidates.len()] }
}

/// Whether a body is a list of assignments that do not read the state: then its writes and their places depend on the parameters only.
fn writes_plainly(body: &[Stmt]) -> bool {
    let mut read = BTreeSet::new();
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign(..) => {
            stmt.expressions().into_iter().for_each(|expr| expr.add_variables(&mut read));
            read.is_empty()
        }
        _ => false,
    })
}

/// Makes all values that a summand may write live; returns the elements.
fn anything(model: &Sequential, summand: SummandId, values: &mut [BTreeSet<i32>]) -> Vec<usize> {
    let elements = model.elements_of(&model.summand(summand).assigned());
    let sorts = model.element_sorts();
    for &element in &elements {
        values[element].extend(narrow(model.domain(sorts[element])));
    }
    elements
}

/// The values of a sort that are distinguished: none of a wide one.
fn narrow(domain: &Domain) -> impl Iterator<Item = i32> {
    let values = (!is_wide(domain)).then(|| domain.values());
    values.into_iter().flatten()
}

/// The initial values of each element; none of wide ones.
fn initial(model: &Sequential) -> Vec<BTreeSet<i32>> {
    let mut sets = Vec::with_capacity(model.state_len());
    for variable in &model.variables {
        match &variable.initial {
            _ if is_wide(model.domain(variable.sort)) => {
                sets.extend(std::iter::repeat_n(BTreeSet::new(), model.len_of(variable)));
            }
            Initial::Values(list) => sets.extend(list.iter().map(|&value| BTreeSet::from([value]))),
            Initial::Any => {
                let all: BTreeSet<i32> = model.domain(variable.sort).values().collect();
                sets.extend(std::iter::repeat_n(all, model.len_of(variable)));
            }
        }
    }
    assert_eq!(sets.len(), model.state_len(), "every element has its start");
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms;
    use crate::ground::candidates;
    use crate::tests::{model, random_texts};

    /// Counters, whose values come one by one, beside instances that compare, add and copy them.
    const COUNTERS: [&str; 4] = [
        "[x < 30] up { x := x + 1; } -> X + [true] compare { y := bitand(x >= x, 1); } -> X",
        "[x < 40] up { x := x + 1; } -> X + [y < x] add { y := y + 1; } -> X + [x * y = 35] both { z := x - y; } -> X",
        "[x < 24] up { x := x + 3; } -> X + [x + y < 30] total { z := x + y; } -> X + [z > 15] copy { y := z - 15; } -> X",
        "[x < 30 && y != 7] up { x := x + 1; } -> X + [x = 29] once { y := 7; } -> X + [x > y && z < 9] z { z := z + 1; } -> X",
    ];

    /// Waiting changes no result: the twin examines every instance in each round.
    #[test]
    fn the_order_of_instances_does_not_matter() {
        let counters = COUNTERS.map(|summands| {
            let init = "init X(x = 0, y = 0, z = 0)";
            format!("type byte : 0..255; proc X(x : byte, y : byte, z : byte) = {summands}; {init};")
        });
        for text in random_texts(100).chain(counters) {
            let model = model(&text, &[]);
            let forms = forms(&model);
            let (candidates, opaque) = candidates(&model);
            let in_order = |much_less: u64| {
                let mut opaque = opaque.clone();
                let live = fixed_point(&model, &forms, &candidates, &mut opaque, much_less);
                (live.values, live.possible, opaque)
            };
            let expected = in_order(u64::MAX);
            for much_less in [1, MUCH_LESS] {
                assert_eq!(in_order(much_less), expected, "{text}");
            }
        }
    }
}
