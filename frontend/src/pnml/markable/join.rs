//! [`Join`]: the tuples on the arcs into a transition, and the orders in which they are matched with tokens.
//!
//! There is one order for each tuple, which comes first in it: it is the one that takes a token of the last round. Behind it comes each time
//! the tuple with the fewest parts that are not known yet, then the variables on no tuple. A condition is evaluated once its variables have
//! values. Of many tuples those without variables are in no order: a whole binding waits until they have tokens.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::marks::Colour;
use crate::pnml::document::{Document, Guard, Term, TermKind, Transition};
use crate::pnml::unfold::{Fault, tokens};

/// The variables of a transition, ascending.
pub(in crate::pnml) fn variables(transition: &Transition) -> Vec<usize> {
    let mut variables = Vec::new();
    transition.guard.variables(&mut variables);
    transition.inputs.iter().chain(&transition.outputs).for_each(|(_, term)| term.variables(&mut variables));
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// The slots of variables: one for each basic part of their values.
pub(in crate::pnml) struct Slots {
    /// The variables, ascending.
    pub(in crate::pnml) variables: Vec<usize>,
    ranges: FxHashMap<usize, Range<usize>>,
    count: usize,
}

impl Slots {
    fn new(document: &Document, variables: Vec<usize>) -> Slots {
        let (mut ranges, mut count) = (FxHashMap::default(), 0);
        for &variable in &variables {
            let next = count + document.variables[variable].sort.len();
            ranges.insert(variable, count..next);
            count = next;
        }
        debug_assert_eq!(ranges.len(), variables.len(), "a variable has its slots once");
        Slots { variables, ranges, count }
    }

    /// Gives the variables of a document the values of their slots.
    pub(in crate::pnml) fn bind(&self, values: &[i32], binding: &mut [Colour]) {
        for &variable in &self.variables {
            binding[variable].clear();
            binding[variable].extend_from_slice(&values[self.of(variable)]);
        }
    }

    /// The slots of a variable.
    pub(super) fn of(&self, variable: usize) -> Range<usize> {
        self.ranges[&variable].clone()
    }
}

/// A part of a tuple on an arc.
#[derive(Clone, Copy)]
pub(super) enum Item {
    /// A constant.
    Value(i32),
    /// The value of a slot.
    Slot(usize),
    /// The value so many places behind that of a slot, in a cycle of so many values.
    Shifted { slot: usize, by: i32, cycle: i32 },
}

impl Item {
    fn slot(self) -> Option<usize> {
        match self {
            Item::Value(_) => None,
            Item::Slot(slot) | Item::Shifted { slot, .. } => Some(slot),
        }
    }

    fn is_known(self, known: &FxHashSet<usize>) -> bool {
        self.slot().is_none_or(|slot| known.contains(&slot))
    }

    /// The value, if it is known.
    pub(super) fn value(self, values: &[Option<i32>]) -> Option<i32> {
        match self {
            Item::Value(value) => Some(value),
            Item::Slot(slot) => values[slot],
            Item::Shifted { slot, by, cycle } => Some((values[slot]? + by).rem_euclid(cycle)),
        }
    }

    /// Gives the slot the value with which the part has this one; whether that is possible.
    pub(super) fn take(self, value: i32, values: &mut [Option<i32>]) -> bool {
        match (self.value(values), self) {
            (Some(known), _) => known == value,
            (None, Item::Shifted { slot, by, cycle }) => {
                values[slot] = Some((value - by).rem_euclid(cycle));
                true
            }
            (None, Item::Slot(slot)) => {
                values[slot] = Some(value);
                true
            }
            (None, Item::Value(_)) => unreachable!("a constant has a value"),
        }
    }

    /// The value, where all slots have values.
    fn at(self, values: &[i32]) -> i32 {
        match self {
            Item::Value(value) => value,
            Item::Slot(slot) => values[slot],
            Item::Shifted { slot, by, cycle } => (values[slot] + by).rem_euclid(cycle),
        }
    }

    fn shifted(self, by: i32, cycle: i32) -> Item {
        match self {
            Item::Value(value) => Item::Value((value + by).rem_euclid(cycle)),
            Item::Slot(slot) => Item::Shifted { slot, by, cycle },
            Item::Shifted { slot, by: before, .. } => Item::Shifted { slot, by: by + before, cycle },
        }
    }
}

/// The tokens of an arc as tuples of slots with their numbers: the fast path of [`tokens`].
type Tuples = Vec<(Vec<Item>, i32)>;

/// The tuples of a term that is a sum of them; nothing for one with `all` or differences, and where numbers are not positive or large.
fn tuples(term: &Term, slots: &Slots, times: i32, found: &mut Tuples) -> Option<()> {
    match &term.kind {
        TermKind::Sum(list) => list.iter().try_for_each(|part| tuples(part, slots, times, found))?,
        TermKind::Times(number, inner) => {
            let times = times.checked_mul(*number).filter(|times| (1..1 << 16).contains(times))?;
            tuples(inner, slots, times, found)?;
        }
        _ => found.push((flattened(term, slots)?, times)),
    }
    (found.len() < 1 << 8).then_some(())
}

/// An arc.
pub(in crate::pnml) struct Arc<'d> {
    /// The place.
    pub(in crate::pnml) place: usize,
    term: &'d Term,
    tuples: Option<Tuples>,
}

impl<'d> Arc<'d> {
    fn new(&(place, ref term): &'d (usize, Term), slots: &Slots) -> Arc<'d> {
        let mut found = Vec::new();
        let is_sum = tuples(term, slots, 1, &mut found).is_some();
        Arc { place, term, tuples: is_sum.then_some(found) }
    }

    /// Passes on the tokens of the arc with their numbers, a colour perhaps in several parts, until one is not wanted; whether all were.
    ///
    /// # Errors
    /// A value lies outside of the sort of the place, or occurs a negative number of times.
    pub(in crate::pnml) fn tokens(
        &self,
        document: &Document,
        slots: &Slots,
        values: &[i32],
        wanted: &mut dyn FnMut(&[i32], i32) -> bool,
    ) -> Result<bool, Fault> {
        let sort = &document.places[self.place].sort;
        if let Some(tuples) = &self.tuples {
            let is_within = |colour: &[i32]| {
                colour.len() == sort.len()
                    && sort.iter().zip(colour).all(|(&base, value)| document.sorts.values(base).contains(value))
            };
            let mut colour = Vec::with_capacity(sort.len());
            let mut are_within = true;
            for (items, number) in tuples {
                colour.clear();
                colour.extend(items.iter().map(|item| item.at(values)));
                are_within &= is_within(&colour);
                if are_within && !wanted(&colour, *number) {
                    return Ok(false);
                }
            }
            if are_within {
                return Ok(true);
            }
        }
        let mut binding = vec![Vec::new(); document.variables.len()];
        slots.bind(values, &mut binding);
        let tokens = tokens(document, self.term, sort, &binding)?;
        Ok(tokens.iter().all(|(colour, number)| wanted(colour, *number)))
    }
}

/// A tuple that has to lie in a place.
pub(super) struct Pattern {
    /// The place.
    pub(super) place: usize,
    /// The parts of the tuple.
    pub(super) items: Vec<Item>,
}

/// A step towards a binding.
pub(super) struct Step<'d> {
    /// What gets values.
    pub(super) kind: StepKind,
    /// The variables that have values from then on.
    pub(super) complete: Vec<usize>,
    /// The conditions that can be evaluated from then on.
    pub(super) due: Vec<&'d Guard>,
    /// The pairs of variables whose values must ascend, that can be compared from then on.
    pub(super) ascending: Vec<(usize, usize)>,
}

/// What a step gives values to.
#[derive(Clone, Copy)]
pub(super) enum StepKind {
    /// Nothing: conditions without variables are evaluated.
    Begin,
    /// The variables of a pattern, by a token; the bits are the parts that are known before.
    Match { pattern: usize, known: u32 },
    /// A variable on no pattern.
    Choose { variable: usize },
}

/// An order of steps.
pub(super) struct Order<'d> {
    /// The pattern that is first, if there is one: it matches new tokens, those before it old ones.
    pub(super) begin: Option<usize>,
    /// The steps.
    pub(super) steps: Vec<Step<'d>>,
}

/// The arcs into a transition and out of it.
pub(in crate::pnml) struct Arcs<'d> {
    pub(in crate::pnml) inputs: Vec<Arc<'d>>,
    pub(in crate::pnml) outputs: Vec<Arc<'d>>,
}

impl<'d> Arcs<'d> {
    fn new(transition: &'d Transition, slots: &Slots) -> Arcs<'d> {
        let of = |list: &'d [(usize, Term)]| list.iter().map(|arc| Arc::new(arc, slots)).collect();
        Arcs { inputs: of(&transition.inputs), outputs: of(&transition.outputs) }
    }
}

/// The slots of the variables of a transition, and its arcs.
pub(in crate::pnml) fn of<'d>(document: &Document, transition: &'d Transition) -> (Slots, Arcs<'d>) {
    let slots = Slots::new(document, variables(transition));
    let arcs = Arcs::new(transition, &slots);
    (slots, arcs)
}

/// The search for the bindings of a transition.
pub(super) struct Join<'d> {
    /// The transition.
    pub(super) transition: &'d Transition,
    /// The slots of its variables.
    pub(super) slots: Slots,
    /// The arcs into it and out of it.
    pub(super) arcs: Arcs<'d>,
    /// The tuples on the arcs into it that are matched.
    pub(super) patterns: Vec<Pattern>,
    /// One order for each pattern, or one if there are none.
    pub(super) orders: Vec<Order<'d>>,
    /// The values of the slots.
    pub(super) values: Vec<Option<i32>>,
}

impl<'d> Join<'d> {
    /// The search for the bindings of a transition of a document in which the values of these pairs of variables ascend. Of more than so many
    /// patterns those with variables only are matched.
    pub(super) fn new(
        document: &Document,
        transition: &'d Transition,
        ascending: &[(usize, usize)],
        matched: usize,
    ) -> Join<'d> {
        let (slots, arcs) = of(document, transition);
        let mut patterns = Vec::new();
        for (place, term) in &transition.inputs {
            addends(term, &mut |term| {
                let items = flattened(term, &slots);
                let items = items.filter(|items| items.len() == document.places[*place].sort.len());
                patterns.extend(items.map(|items| Pattern { place: *place, items }));
            });
        }
        if patterns.len() > matched {
            // Constants give no value to a variable: a whole binding waits for their tokens.
            patterns.retain(|pattern: &Pattern| pattern.items.iter().any(|item| item.slot().is_some()));
        }
        let values = vec![None; slots.count];
        let mut join = Join { transition, slots, arcs, patterns, orders: Vec::new(), values };
        let begins = match join.patterns.len() {
            0 => vec![None],
            count => (0..count).map(Some).collect(),
        };
        let order = |begin| Order { begin, steps: join.steps(begin, ascending.to_vec()) };
        join.orders = begins.into_iter().map(order).collect();
        join
    }

    fn steps(&self, begin: Option<usize>, mut pairs: Vec<(usize, usize)>) -> Vec<Step<'d>> {
        let mut conjuncts: Vec<&'d Guard> = match &self.transition.guard {
            Guard::All(list) => list.iter().collect(),
            other => vec![other],
        };
        let mut known: FxHashSet<usize> = FxHashSet::default();
        let mut open = self.slots.variables.clone();
        let mut steps = Vec::new();
        for kind in self.kinds(begin) {
            known.extend(self.given(kind));
            let is_open = |&variable: &usize| !self.slots.of(variable).all(|slot| known.contains(&slot));
            let complete = open.iter().copied().filter(|variable| !is_open(variable)).collect();
            open.retain(is_open);
            let is_open = |guard: &&Guard| {
                let mut used = Vec::new();
                guard.variables(&mut used);
                used.iter().any(|used| open.contains(used))
            };
            let due = conjuncts.iter().copied().filter(|guard| !is_open(guard)).collect();
            conjuncts.retain(is_open);
            let is_open = |&(low, high): &(usize, usize)| open.contains(&low) || open.contains(&high);
            let ascending = pairs.iter().copied().filter(|pair| !is_open(pair)).collect();
            pairs.retain(is_open);
            steps.push(Step { kind, complete, due, ascending });
        }
        assert!(conjuncts.is_empty() && open.is_empty(), "every variable has a value at the end");
        assert!(pairs.is_empty(), "every pair is compared");
        steps
    }

    fn kinds(&self, begin: Option<usize>) -> Vec<StepKind> {
        let mut known: FxHashSet<usize> = FxHashSet::default();
        let mut left: Vec<usize> = (0..self.patterns.len()).collect();
        let mut kinds = vec![StepKind::Begin];
        let mut next = begin;
        while let Some(pattern) = next {
            left.retain(|&other| other != pattern);
            limits::work(1 + left.len() as u64);
            debug_assert!(self.patterns[pattern].items.len() <= 32, "a mask has a bit for each part");
            let parts = (0..).zip(&self.patterns[pattern].items);
            let parts = parts.filter(|(_, item)| item.is_known(&known)).fold(0, |bits, (part, _)| bits | 1 << part);
            let kind = StepKind::Match { pattern, known: parts };
            kinds.push(kind);
            known.extend(self.given(kind));
            let open = |&other: &usize| self.patterns[other].items.iter().filter(|item| !item.is_known(&known)).count();
            next = left.iter().copied().min_by_key(open);
        }
        assert!(left.is_empty(), "every tuple is matched");
        let on_none = |&variable: &usize| !self.slots.of(variable).all(|slot| known.contains(&slot));
        let variables = self.slots.variables.iter().copied().filter(on_none);
        kinds.extend(variables.map(|variable| StepKind::Choose { variable }));
        kinds
    }

    /// The slots that have values after a step.
    fn given(&self, kind: StepKind) -> Vec<usize> {
        match kind {
            StepKind::Begin => Vec::new(),
            StepKind::Match { pattern, .. } => {
                self.patterns[pattern].items.iter().filter_map(|item| item.slot()).collect()
            }
            StepKind::Choose { variable } => self.slots.of(variable).collect(),
        }
    }
}

/// The terms of a sum.
fn addends<'t>(term: &'t Term, found: &mut dyn FnMut(&'t Term)) {
    match &term.kind {
        TermKind::Sum(list) => list.iter().for_each(|part| addends(part, found)),
        TermKind::Times(number, inner) if *number > 0 => addends(inner, found),
        TermKind::Times(..) => {}
        _ => found(term),
    }
}

/// The parts of a term that always is one value.
fn flattened(term: &Term, slots: &Slots) -> Option<Vec<Item>> {
    match &term.kind {
        TermKind::Values(values) => match values[..] {
            [value] => Some(vec![Item::Value(value)]),
            _ => None,
        },
        TermKind::Variable(variable) => Some(slots.of(*variable).map(Item::Slot).collect()),
        TermKind::Shift(inner, by, cycle) => match flattened(inner, slots)?[..] {
            [item] => Some(vec![item.shifted(*by, *cycle)]),
            _ => None,
        },
        TermKind::Tuple(parts) => {
            let parts = parts.iter().map(|part| flattened(part, slots)).collect::<Option<Vec<_>>>()?;
            Some(parts.concat())
        }
        TermKind::All(_) | TermKind::Times(..) | TermKind::Sum(_) | TermKind::Difference(_) => None,
    }
}
