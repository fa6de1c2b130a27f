//! The ground summands of a process: each instance with its behaviour, on the states of live values.
//!
//! The live values of an element are its initial ones, and those that some instance writes to it in a state of live values: a fixed
//! point. Every reachable state has live values only, and no step leaves these states, so a symmetry on them is one on all reachable
//! states.
//!
//! Wide elements have no live values: they may have any value within their bounds, and are terms.
//!
//! An instance that is too large for its diagrams is *opaque*: it may change the variables that its summand names in any way.
//!
//! # Invariants
//!
//! Every value that an instance writes in a state of live values is live: each is evaluated again after the fixed point, and this is asserted.

use std::rc::Rc;

use csp::growth::{Growth, Piece, Reads, Round, Wrong};
use frontend::sequential::{Expr, Sequential, SortId, SummandId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::diagram::{Dd, Diagrams, Leaf};
use super::symbolic::{Behaviour, Symbolic};

/// The most instances; a summand that would exceed it becomes one opaque instance that represents all its instances.
const MAX_INSTANCES: usize = 1 << 18;
/// The most rounds of the fixed point; after them every value is live.
const MAX_ROUNDS: usize = 1 << 12;
/// The steps that one instance may take.
const BUDGET: u64 = 1 << 22;
/// The steps that all instances may take together, in all rounds of the fixed point, and again when it is reached.
const WHOLE_BUDGET: u64 = 1 << 25;
/// The most budgets of that size for evaluations after the fixed point, each of which may show that more instances are opaque.
const MAX_WHOLE: u64 = 4;

/// A summand with values for its parameters.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) summand: SummandId,
    /// The values of the parameters; `None` represents all of them.
    pub(super) parameters: Option<Vec<i32>>,
    /// The process of weak fairness that it belongs to.
    pub(super) process: Option<i32>,
    /// Its behaviour; `None` if it is opaque.
    pub(super) behaviour: Option<Behaviour>,
}

/// All instances.
pub(super) struct Instances {
    pub(super) diagrams: Diagrams,
    pub(super) list: Vec<Instance>,
    /// The initial value of each element; `None` for any value.
    pub(super) initial: Vec<Option<i32>>,
    /// Further initial states.
    pub(super) starts: Vec<Vec<i32>>,
}

impl Instances {
    /// Grounds a verified process.
    pub(super) fn new(model: &Sequential) -> Instances {
        Instances::within(model, WHOLE_BUDGET, Wrong::default())
    }

    /// As `new`, with these steps for all instances together, and in known-wrong ways.
    pub(super) fn within(model: &Sequential, steps: u64, wrong: Wrong) -> Instances {
        let mut list = instances(model);
        let initial = model.initial_values();
        assert_eq!(initial.len(), model.state_len(), "every element has an initial value or any");
        let rank = rank(model);
        let sorts = model.element_sorts();
        let bounds: Rc<[(i32, i32)]> = sorts.iter().map(|&sort| model.domain(sort).bounds()).collect();
        let wide: Vec<bool> = sorts.iter().map(|&sort| csp::is_wide(model.domain(sort))).collect();
        let whole = |element: usize| {
            let is_narrow = !wide[element];
            model.domain(sorts[element]).values().take_while(move |_| is_narrow)
        };
        let mut live = Growth::new(sorts.len());
        for (element, value) in initial.iter().enumerate() {
            match value {
                Some(value) if !wide[element] => live.insert(element, *value),
                Some(_) => {}
                None => whole(element).for_each(|value| live.insert(element, value)),
            }
        }
        for (element, &value) in model.starts.iter().flat_map(|start| start.iter().enumerate()) {
            if !wide[element] {
                live.insert(element, value);
            }
        }
        let mut reads: Vec<Reads> = vec![Reads::default(); list.len()];
        // The summands of opaque instances: all that they may write is live.
        let mut opaque: FxHashSet<SummandId> = FxHashSet::default();
        let mut budget = steps;
        // For the evaluations of whole states, of which there may be several.
        let mut last_budget = MAX_WHOLE.saturating_mul(steps);
        let (mut round, mut rounds) = (live.round(&Round::default()), 0);
        let diagrams = loop {
            limits::work((list.len() + round.elements()) as u64);
            let values: Rc<[Rc<[i32]>]> = live.at_round().into();
            let store = || Diagrams::new(Rc::clone(&values), Rc::clone(&rank), Rc::clone(&bounds));
            // One store for the instances that are examined in the same states.
            let mut stores: FxHashMap<Piece, Diagrams> = FxHashMap::default();
            let add = |written: Vec<(usize, Vec<i32>)>, live: &mut Growth| {
                for (element, values) in written.into_iter().filter(|&(element, _)| !wide[element]) {
                    limits::work(values.len() as u64);
                    values.into_iter().for_each(|value| live.insert(element, value));
                }
            };
            for (instance, own) in list.iter_mut().zip(&mut reads) {
                let mut read: FxHashSet<usize> = FxHashSet::default();
                let pieces = own.pieces(&round, wrong);
                if pieces.is_empty() {
                    continue;
                }
                for piece in pieces {
                    let diagrams = stores.entry(piece).or_insert_with_key(|piece| match piece {
                        Piece::All => store(),
                        Piece::With(element, places) => {
                            store().narrowed(*element, live.range(*element, places.clone()))
                        }
                    });
                    read.extend(evaluate(model, diagrams, instance, &mut budget));
                    let Some(behaviour) = &instance.behaviour else { break };
                    add(written(diagrams, behaviour), &mut live);
                }
                own.examined(read, &round);
                if instance.behaviour.is_none() {
                    *own = Reads::done();
                    if opaque.insert(instance.summand) {
                        add(anything(model, instance.summand, &sorts), &mut live);
                    }
                }
            }
            rounds += 1;
            if rounds == MAX_ROUNDS {
                (0..sorts.len()).for_each(|element| whole(element).for_each(|value| live.insert(element, value)));
            }
            let next = live.round(&round);
            if !next.has_nothing_new() {
                round = next;
                continue;
            }
            // Whole states may exceed a budget that their pieces did not: such an instance is opaque from now on.
            let (mut diagrams, own) = (store(), steps.min(last_budget));
            let mut left = own;
            for instance in &mut list {
                evaluate(model, &mut diagrams, instance, &mut left);
                if instance.behaviour.is_none() && !wrong.forgets_wholes() && opaque.insert(instance.summand) {
                    add(anything(model, instance.summand, &sorts), &mut live);
                }
            }
            last_budget -= own - left;
            round = live.round(&round);
            if round.has_nothing_new() {
                break diagrams;
            }
        };
        let is_live = |(element, values): (usize, Vec<i32>)| {
            wide[element] || values.iter().all(|&value| live.contains(element, value))
        };
        let closed = |instance: &Instance| match &instance.behaviour {
            Some(behaviour) => written(&diagrams, behaviour).into_iter().all(is_live),
            None => opaque.contains(&instance.summand),
        };
        assert!(list.iter().all(closed), "steps write live values");
        let writes_live = |&summand: &SummandId| anything(model, summand, &sorts).into_iter().all(is_live);
        assert!(opaque.iter().all(writes_live), "opaque summands write live values");
        Instances { diagrams, list, initial, starts: model.starts.clone() }
    }

    /// The truth of a condition on one state, 0, 1 or a fault; `None` if its function is too large.
    pub(super) fn truth(&mut self, model: &Sequential, expr: &Expr) -> Option<Dd> {
        self.diagrams.begin(BUDGET);
        let truth = Symbolic::new(model, &mut self.diagrams, &[]).truth(expr);
        (!self.diagrams.exhausted()).then_some(truth)
    }
}

/// Evaluates the behaviour of an instance; returns the elements that it reads. An instance that was opaque stays so.
fn evaluate(
    model: &Sequential,
    diagrams: &mut Diagrams,
    instance: &mut Instance,
    budget: &mut u64,
) -> FxHashSet<usize> {
    let summand = model.summand(instance.summand);
    instance.behaviour = None;
    let Some(parameters) = &instance.parameters else { return FxHashSet::default() };
    let own = BUDGET.min(*budget);
    diagrams.begin(own);
    let mut symbolic = Symbolic::new(model, diagrams, parameters);
    let behaviour = symbolic.behaviour(summand);
    let read = symbolic.read;
    *budget -= own - diagrams.left();
    match diagrams.exhausted() {
        false => instance.behaviour = Some(behaviour),
        // From now on it represents all instances of its summand.
        true => instance.parameters = None,
    }
    read
}

/// The values that an instance writes, by element.
fn written(diagrams: &Diagrams, behaviour: &Behaviour) -> Vec<(usize, Vec<i32>)> {
    let values = |dd: Dd| {
        let leaves = diagrams.leaves(dd).into_iter();
        leaves.filter_map(|leaf| if let Leaf::Value(value) = leaf { Some(value) } else { None }).collect()
    };
    behaviour.outputs.iter().map(|&(element, dd)| (element, values(dd))).collect()
}

/// All values of the narrow elements that a summand may assign.
fn anything(model: &Sequential, summand: SummandId, sorts: &[SortId]) -> Vec<(usize, Vec<i32>)> {
    let elements = model.elements_of(&model.summand(summand).assigned());
    let narrow = elements.into_iter().filter(|&element| !csp::is_wide(model.domain(sorts[element])));
    narrow.map(|element| (element, model.domain(sorts[element]).values().collect())).collect()
}

/// The place of each element in the order of the tests: by the greatest index, so that elements of the same processes are neighbours, and
/// a matrix is tested together with the vectors that its indices share.
fn rank(model: &Sequential) -> Rc<[u32]> {
    let mut keys = Vec::new();
    for (place, variable) in model.variables.iter().enumerate() {
        let sizes: Vec<usize> = variable.indices.iter().map(|&sort| model.domain(sort).size()).collect();
        keys.extend((0..model.len_of(variable)).map(|offset| {
            let mut rest = offset;
            let mut greatest = 0;
            for size in sizes.iter().rev() {
                greatest = greatest.max(1 + rest % size);
                rest /= size;
            }
            (greatest, place, offset)
        }));
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    assert_eq!(keys.len(), model.state_len(), "every element has a place in the order");
    order.sort_unstable_by_key(|&element| keys[element]);
    let mut rank = vec![0; keys.len()];
    for (place, element) in (0..).zip(order) {
        rank[element] = place;
    }
    rank.into()
}

/// All combinations of summands and values for their parameters.
fn instances(model: &Sequential) -> Vec<Instance> {
    let mut list = Vec::new();
    for index in 0..model.summands.len() {
        let summand = SummandId::from_index(index);
        match of_summand(model, summand, MAX_INSTANCES.saturating_sub(list.len())) {
            Some(instances) => list.extend(instances),
            None => list.push(Instance { summand, parameters: None, process: None, behaviour: None }),
        }
    }
    list
}

/// A summand with all combinations of values for its parameters; nothing if they are more than so many.
pub(super) fn of_summand(model: &Sequential, id: SummandId, most: usize) -> Option<Vec<Instance>> {
    let summand = model.summand(id);
    let domains = summand.parameters.iter().map(|parameter| model.domain(parameter.sort));
    let count = domains.clone().try_fold(1usize, |count, domain| count.checked_mul(domain.size()));
    count.filter(|&count| count <= most)?;
    let fair = summand.parameters.iter().position(|parameter| Some(parameter.sort) == model.fair);
    let mut combinations: Vec<Vec<i32>> = vec![Vec::new()];
    for domain in domains {
        limits::work(8 * combinations.len() as u64 * domain.size() as u64);
        let longer = combinations.iter().flat_map(|prefix| {
            domain.values().map(|value| prefix.iter().copied().chain([value]).collect::<Vec<i32>>())
        });
        combinations = longer.collect();
    }
    let instance = |parameters: Vec<i32>| Instance {
        summand: id,
        process: fair.map(|place| parameters[place]),
        parameters: Some(parameters),
        behaviour: None,
    };
    debug_assert_eq!(Some(combinations.len()), count, "every combination of parameters is an instance");
    Some(combinations.into_iter().map(instance).collect())
}
