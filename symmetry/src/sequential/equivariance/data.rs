//! Data: sorts whose values are copied, compared for equality and chosen, and never counted, ordered, named or used as an index.
//!
//! The values that a state holds tell all about such a sort: a state of the process with more values is one of the process with fewer, up to
//! exchanging values, as long as some values stay unused. A step may need more than the state holds: those that its parameters choose, and
//! one for each quantifier around a condition, which sees that there is a value that is none of those. [`DataSort::needed`] is that number.
//!
//! # Soundness
//!
//! Let every reachable state of a process with `k` values leave `needed` of them unused. By induction on the length of a run, each reachable state
//! of a process with `K` values, whatever `K` is from `used + needed` on, is the image of a reachable state of the first under a map that is injective on the values in
//! use. Starts: a list of values, which is the same for all `K`, or a choice for each element; what they hold is counted as any state. Steps: the parameters
//! choose at most as many new values as are unused, so the map extends to them. Conditions: they compare values by equality, so one with `q` nested
//! quantifiers over the sort has one truth in both where `q` values are left (Ehrenfeucht-Fraïssé games). No assignment faults, since every place of a class has the
//! same domain, and no body of a quantifier may (`never_faults`).
//!
//! # Source
//!
//! Data independence: Wolper, "Expressing interesting properties of programs in propositional temporal logic", 1986; the count of quantifiers, and
//! the proof from the states that were explored, are ours.

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
    }
}

/// A sort of data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSort {
    /// The sort.
    pub sort: SortId,
    /// The elements of the state that hold values of it.
    pub elements: Vec<usize>,
    /// The number of values that each reachable state has to leave unused; at least 1.
    pub needed: usize,
}

/// The sorts of data of a process, for questions with these properties.
pub fn data(model: &Sequential, properties: &[Property], wrong: WrongData) -> Vec<DataSort> {
    let candidates: Vec<SortId> = sorts(model).filter(|&sort| may_be_data(model, sort, wrong)).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let atoms: Vec<&Expr> = properties.iter().flat_map(Property::atoms).collect();
    let uses = Uses::new(model, &atoms, Wrong::default());
    let is_free = |&sort: &SortId| uses.is_free(sort);
    let needed = |sort: SortId| needed(model, &atoms, sort, wrong).max(1);
    let of = |sort| DataSort { sort, elements: elements(model, sort), needed: needed(sort) };
    candidates.into_iter().filter(is_free).map(of).collect()
}

/// Whether a group maps the values of a sort in one way, whatever the element that holds them, so that a state and its representative hold
/// equally many.
pub fn moves_as_one(group: &ValidatedGroup, data: &DataSort) -> bool {
    let literals = group.literals();
    group.generators().iter().all(|generator| {
        let mut images = std::collections::BTreeMap::new();
        let is_one = data.elements.iter().all(|&element| {
            literals.points(element).all(|point| {
                let ((_, value), (target, image)) = (literals.literal(point), literals.literal(generator.image(point)));
                data.elements.binary_search(&target).is_ok() && *images.entry(value).or_insert(image) == image
            })
        });
        is_one
    })
}

fn sorts(model: &Sequential) -> impl Iterator<Item = SortId> {
    // The first two are those of truth values and bits.
    (2..model.sorts.len()).map(SortId::from_index)
}

/// Whether the declarations leave it open that a sort is one of data.
fn may_be_data(model: &Sequential, sort: SortId, wrong: WrongData) -> bool {
    let is_index = |list: &[SortId]| list.contains(&sort) && !wrong.indices_are_data();
    let has_part = model.sorts.iter().any(|other| matches!(other.domain, Domain::Part { of, .. } if of == sort));
    let is_whole = !matches!(model.domain(sort), Domain::Part { .. } | Domain::Numbers { .. });
    let places = || model.variables.iter().chain(&model.locals);
    // A step of a model with turns is many summands, each with choices of its own.
    is_whole
        && model.turn().is_none()
        && !has_part
        && model.fair != Some(sort)
        && places().any(|place| place.sort == sort)
        && !places().any(|place| is_index(&place.indices))
        && !model.tables.iter().any(|table| is_index(&table.indices))
        && !model.summands.iter().any(|summand| has_loop(&summand.body, sort))
}

fn has_loop(body: &[Stmt], sort: SortId) -> bool {
    body.iter().any(|stmt| {
        let is_own = matches!(&stmt.kind, StmtKind::For(parameter, _) if parameter.sort == sort);
        is_own || stmt.blocks().into_iter().any(|block| has_loop(block, sort))
    })
}

fn elements(model: &Sequential, sort: SortId) -> Vec<usize> {
    let sorts = model.element_sorts();
    sorts.into_iter().enumerate().filter(|&(_, own)| own == sort).map(|(element, _)| element).collect()
}

/// The values that a step or a property needs beside those of the state.
fn needed(model: &Sequential, atoms: &[&Expr], sort: SortId, wrong: WrongData) -> usize {
    let of_summands = model.summands.iter().map(|summand| {
        let is_own = |parameter: &&Parameter| parameter.sort == sort && !wrong.choices_are_free();
        let chosen = summand.parameters.iter().filter(is_own).count();
        let expressions = [&summand.guard].into_iter().chain(&summand.arguments);
        let nested = expressions.map(|expr| depth(expr, sort)).max().unwrap_or(0);
        let nested = nested.max(depth_of_body(&summand.body, sort));
        chosen + if wrong.quantifiers_are_free() { 0 } else { nested }
    });
    let of_atoms = atoms.iter().map(|atom| if wrong.quantifiers_are_free() { 0 } else { depth(atom, sort) });
    of_summands.chain(of_atoms).max().unwrap_or(0)
}

/// The most quantifiers over a sort within each other.
fn depth(expr: &Expr, sort: SortId) -> usize {
    let (own, operands) = match &expr.kind {
        ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
            (usize::from(quantified.sort == sort), vec![&*quantified.body])
        }
        _ => (0, expr.operands().into_iter().collect()),
    };
    own + operands.into_iter().map(|operand| depth(operand, sort)).max().unwrap_or(0)
}

fn depth_of_body(body: &[Stmt], sort: SortId) -> usize {
    let of = |stmt: &Stmt| {
        let own = stmt.expressions().into_iter().map(|expr| depth(expr, sort)).max().unwrap_or(0);
        own.max(stmt.blocks().into_iter().map(|block| depth_of_body(block, sort)).max().unwrap_or(0))
    };
    body.iter().map(of).max().unwrap_or(0)
}
