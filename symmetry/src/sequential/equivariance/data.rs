//! Data: values that are copied, compared for equality and chosen, and never counted, ordered or used as an index.
//!
//! Sorts are joined where values flow between them; the values that the text names, such as one for "none", are set apart, and what is left is
//! the data. The data that a state holds tell all about them: a state of the process with more data is one of the process with fewer, up to
//! exchanging them, as long as some stay unused. A step may need more than the state holds: those that its parameters choose, and
//! one for each quantifier around a condition, which sees that there is a value that is none of those. [`DataSort::needed`] is that number.
//!
//! # Soundness
//!
//! Let every reachable state of a process with `k` data leave `needed` of them unused. By induction on the length of a run, each reachable state of a
//! process with `K` data, whatever `K` is from `used + needed` on, is the image of a reachable state of the first under a map that is injective on the data in
//! use. Starts: a list of values, which is the same for all `K`, or a choice for each element; what they hold is counted as any state. Steps: the parameters
//! choose at most as many new values as are unused, so the map extends to them. Conditions: they compare by equality, also with named values, so one with `q`
//! nested quantifiers has one truth in both where `q` values are left (Ehrenfeucht-Fraïssé games). An assignment faults in both or in none: each domain has all data or
//! none. No body of a quantifier faults, whatever the number of data: they are no index and no operand of arithmetic. Deadlocks: the condition under which
//! processes may rest is one of those conditions. A range of which the text names values above its greatest has no data: a larger range would have these.
//!
//! # Source
//!
//! Data independence: Wolper, "Expressing interesting properties of programs in propositional temporal logic", 1986; the count of quantifiers, and
//! the proof from the states that were explored, are ours.

use std::collections::{BTreeMap, BTreeSet};

use frontend::sequential::{Domain, Expr, ExprKind, Parameter, Property, Sequential, SortId, Stmt, StmtKind};

use super::uses::{Uses, Wrong};
use crate::sequential::ValidatedGroup;

mutants::mutants! {
    /// Known-wrong variants of the numbers of values that are needed.
    pub struct WrongData {
        /// Parameters choose no value.
        choices_are_free,
        /// Quantifiers need no value.
        quantifiers_are_free,
        /// Sorts of indices are data.
        indices_are_data,
        /// Values that the text names are data.
        named_values_are_data,
        /// A group may move the data of each element in a way of its own.
        elements_move_apart,
        /// The condition under which processes may rest needs no value and names none.
        rests_are_free,
        /// More values do not reach those that the text names above the greatest.
        named_values_stay_beyond,
    }
}

/// Data, and the sorts that have them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSort {
    /// These sorts, ascending by size: where one has more data, each of them has.
    pub sorts: Vec<SortId>,
    /// The data, ascending.
    pub values: Vec<i32>,
    /// The elements of the state that may hold some, ascending.
    pub elements: Vec<usize>,
    /// The number of them that each reachable state has to leave unused; at least 1.
    pub needed: usize,
}

/// The data of a process, for questions with these properties.
pub fn data(model: &Sequential, properties: &[Property], wrong: WrongData) -> Vec<DataSort> {
    // A step of a model with turns is many summands, each with choices of its own.
    let is_held = |sort: SortId| model.variables.iter().any(|variable| variable.sort == sort);
    let is_candidate = |&sort: &SortId| is_held(sort) && may_be_data(model, sort, wrong);
    if model.turn().is_some() || !sorts(model).any(|sort| is_candidate(&sort)) {
        return Vec::new();
    }
    let rests = model.ends.iter().filter(|_| !wrong.rests_are_free());
    let atoms: Vec<&Expr> = properties.iter().flat_map(Property::atoms).chain(rests).collect();
    let uses = Uses::new(model, &atoms, Wrong::default());
    let joined = uses.compared_sorts().into_iter().filter(|(sorts, _)| sorts.iter().any(|&sort| is_held(sort)));
    joined.filter_map(|(sorts, named)| of_sorts(model, &atoms, &sorts, &named, wrong)).collect()
}

/// The data of some sorts whose values meet each other only, and are named as given.
fn of_sorts(
    model: &Sequential,
    atoms: &[&Expr],
    sorts: &BTreeSet<SortId>,
    named: &BTreeSet<i32>,
    wrong: WrongData,
) -> Option<DataSort> {
    let is_named = |value: &i32| named.contains(value) && !wrong.named_values_are_data();
    let of = |sort: SortId| model.domain(sort).values().filter(|value| !is_named(value));
    let mut all: Vec<i32> = sorts.iter().flat_map(|&sort| of(sort)).collect();
    all.sort_unstable();
    all.dedup();
    let is_whole = |&sort: &SortId| {
        let own = of(sort).count();
        own == 0 || own == all.len()
    };
    let is_data = |&sort: &SortId| may_be_data(model, sort, wrong);
    if all.is_empty() || !sorts.iter().all(is_whole) || !sorts.iter().all(is_data) {
        return None;
    }
    let mut having: Vec<SortId> = sorts.iter().copied().filter(|&sort| of(sort).next().is_some()).collect();
    having.sort_by_key(|&sort| model.domain(sort).size());
    // A range of more values would have those that the text names above it.
    let names_more = |&sort: &SortId| {
        let is_range = matches!(model.domain(sort), Domain::Range { .. });
        is_range && named.iter().any(|&value| value > model.domain(sort).bounds().1)
    };
    if having.iter().any(names_more) && !wrong.named_values_stay_beyond() {
        return None;
    }
    let elements = model.element_sorts().into_iter().enumerate().filter(|(_, own)| sorts.contains(own));
    let elements = elements.map(|(element, _)| element).collect();
    Some(DataSort { sorts: having, values: all, elements, needed: needed(model, atoms, sorts, wrong).max(1) })
}

/// Whether a group maps the data in one way, whatever the element that holds them, so that a state and its representative hold
/// equally many.
pub fn moves_as_one(group: &ValidatedGroup, data: &DataSort, wrong: WrongData) -> bool {
    if wrong.elements_move_apart() {
        return true;
    }
    let literals = group.literals();
    let is_data = |value: i32| data.values.binary_search(&value).is_ok();
    debug_assert!(data.values.is_sorted() && data.elements.is_sorted(), "data are ascending, for the search in them");
    group.generators().iter().all(|generator| {
        let mut images = BTreeMap::new();
        data.elements.iter().all(|&element| {
            limits::work(literals.points(element).len() as u64);
            literals.points(element).all(|point| {
                let ((_, value), (target, image)) = (literals.literal(point), literals.literal(generator.image(point)));
                let is_one = !is_data(value) || *images.entry(value).or_insert(image) == image;
                is_one && is_data(value) == is_data(image) && data.elements.binary_search(&target).is_ok()
            })
        })
    })
}

/// Whether a group moves these elements among each other and keeps their values, so that the greatest value of them is the same in
/// a state and in its representative.
pub fn keeps_values_of(group: &ValidatedGroup, elements: &[usize]) -> bool {
    debug_assert!(elements.is_sorted(), "elements are ascending, for the search in them");
    let literals = group.literals();
    group.generators().iter().all(|generator| {
        elements.iter().all(|&element| {
            limits::work(literals.points(element).len() as u64);
            literals.points(element).all(|point| {
                let ((_, value), (target, image)) = (literals.literal(point), literals.literal(generator.image(point)));
                value == image && elements.binary_search(&target).is_ok()
            })
        })
    })
}

fn sorts(model: &Sequential) -> impl Iterator<Item = SortId> {
    // The first two are those of truth values and bits.
    (2..model.sorts.len()).map(SortId::from_index)
}

/// Whether the declarations leave it open that a sort is one of data.
fn may_be_data(model: &Sequential, sort: SortId, wrong: WrongData) -> bool {
    let is_index = |list: &[SortId]| list.contains(&sort) && !wrong.indices_are_data();
    sort.index() >= 2
        && !matches!(model.domain(sort), Domain::Numbers { .. })
        && model.fair != Some(sort)
        && !model.variables.iter().chain(&model.locals).any(|place| is_index(&place.indices))
        && !model.tables.iter().any(|table| is_index(&table.indices))
        && !model.summands.iter().any(|summand| has_loop(&summand.body, sort))
}

fn has_loop(body: &[Stmt], sort: SortId) -> bool {
    body.iter().any(|stmt| {
        let is_own = matches!(&stmt.kind, StmtKind::For(parameter, _) if parameter.sort == sort);
        is_own || stmt.blocks().into_iter().any(|block| has_loop(block, sort))
    })
}

/// The values that a step or a property needs beside those of the state.
fn needed(model: &Sequential, atoms: &[&Expr], sorts: &BTreeSet<SortId>, wrong: WrongData) -> usize {
    let of_summands = model.summands.iter().map(|summand| {
        let is_own = |parameter: &&Parameter| sorts.contains(&parameter.sort) && !wrong.choices_are_free();
        let chosen = summand.parameters.iter().filter(is_own).count();
        let expressions = [&summand.guard].into_iter().chain(&summand.arguments);
        let nested = expressions.map(|expr| depth(expr, sorts)).max().unwrap_or(0);
        let nested = nested.max(depth_of_body(&summand.body, sorts));
        chosen + if wrong.quantifiers_are_free() { 0 } else { nested }
    });
    let of_atoms = atoms.iter().map(|atom| if wrong.quantifiers_are_free() { 0 } else { depth(atom, sorts) });
    of_summands.chain(of_atoms).max().unwrap_or(0)
}

/// The most quantifiers over some sorts within each other.
fn depth(expr: &Expr, sorts: &BTreeSet<SortId>) -> usize {
    let (own, operands) = match &expr.kind {
        ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
            (usize::from(sorts.contains(&quantified.sort)), vec![&quantified.body])
        }
        _ => (0, expr.operands().into_iter().collect()),
    };
    own + operands.into_iter().map(|operand| depth(operand, sorts)).max().unwrap_or(0)
}

fn depth_of_body(body: &[Stmt], sorts: &BTreeSet<SortId>) -> usize {
    let of = |stmt: &Stmt| {
        let own = stmt.expressions().into_iter().map(|expr| depth(expr, sorts)).max().unwrap_or(0);
        own.max(stmt.blocks().into_iter().map(|block| depth_of_body(block, sorts)).max().unwrap_or(0))
    };
    body.iter().map(of).max().unwrap_or(0)
}
