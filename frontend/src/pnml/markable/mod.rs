//! The colours with which places may be marked, and the bindings under which transitions may fire.
//!
//! A net is unfolded only as far as tokens can get: bindings are found by matching the tuples on the arcs into a transition with tokens that
//! may lie there, as a join of relations, and the tokens that they put are matched in the next round. Variables on no such arc take all of
//! their values. A binding whose other input tokens (of `all`, of differences and the like) are not there yet waits.
//!
//! # Soundness
//!
//! No token is ever taken, and the numbers of tokens are left out: so every binding that fires in some run is found, by induction on the
//! run. What is found may be more than can happen.
//!
//! # Complexity
//!
//! A round matches new tokens with all tokens (semi-naive evaluation), so that each binding is found once; it visits the places that have new
//! tokens and the transitions that take from them or wait. The tokens of a place are indexed
//! by the parts that are known when they are matched. At most [`MAX_TRIED`] tokens and values are tried. Where there are more than
//! [`Most::each`] bindings, one stands for all with the same step that differ in an exchange of variables; of these there are at most [`MAX_BINDINGS`].

mod exchange;
mod join;
mod marks;

use super::document::Document;
use super::unfold::{Fault, tokens};
use join::{Join, StepKind};
use marks::{Marks, When};

pub(super) use join::{Arcs, Slots, of as slots_and_arcs};
pub(super) use marks::Colour;

/// How far bindings are looked for one by one.
#[derive(Clone, Copy)]
pub(super) struct Most {
    /// The most bindings of which each one is kept.
    pub(super) each: usize,
    /// The most tuples on the arcs into a transition that are matched with tokens whatever they are.
    pub(super) matched: usize,
}

impl Default for Most {
    fn default() -> Most {
        Most { each: 1 << 18, matched: 256 }
    }
}

/// The most bindings of a net.
const MAX_BINDINGS: usize = 1 << 21;

/// The most tokens and values of variables that are tried for all transitions.
const MAX_TRIED: usize = 1 << 26;

mutants::mutants! {
    /// Known faults of the search for bindings, for tests that must notice them.
    pub(super) struct Wrong {
        /// All tuples on the arcs into a transition are matched with tokens of the same round.
        matches_one_round,
        /// Bindings some of whose tokens are not there yet do not wait.
        forgets_waiting,
        /// Any variables of one sort are exchanged.
        exchanges_any,
    }
}

/// The values of all slots of a transition.
pub(super) type Values = Vec<i32>;

/// What may happen in a net.
pub(super) struct Markable {
    /// For each place the colours of tokens that may lie there, ascending.
    pub(super) colours: Vec<Vec<Colour>>,
    /// For each transition the values of its [`Slots`], ascending.
    pub(super) bindings: Vec<Vec<Values>>,
    /// Whether one of these stands for all with its step that differ in an exchange of variables.
    pub(super) is_folded: bool,
}

/// The colours and bindings of a document; each of them, or from so many on one for each step.
///
/// # Errors
/// An initial marking or an arc that may be used is faulty, or too much is tried.
pub(super) fn markable(document: &Document, most: Most, wrong: Wrong) -> Result<Markable, Fault> {
    let none = vec![Vec::new(); document.transitions.len()];
    match bindings(document, &none, most, wrong) {
        Err(fault) if fault.is_large() => {
            let exchanged = |transition| exchange::exchanged(document, transition, wrong.exchanges_any());
            let pairs: Vec<_> = document.transitions.iter().map(exchanged).collect();
            bindings(document, &pairs, Most { each: MAX_BINDINGS, ..most }, wrong)
        }
        other => other,
    }
}

/// At most so many bindings, in which the values of these pairs of variables ascend.
fn bindings(
    document: &Document,
    ascending: &[Vec<(usize, usize)>],
    most: Most,
    wrong: Wrong,
) -> Result<Markable, Fault> {
    let mut marks: Vec<Marks> = Vec::new();
    assert_eq!(ascending.len(), document.transitions.len(), "every transition has its pairs");
    for place in &document.places {
        let mut here = Marks::default();
        if let Some(initial) = &place.initial {
            tokens(document, initial, &place.sort, &[])?.iter().for_each(|(colour, _)| here.add(colour));
        }
        marks.push(here);
    }
    let binding = vec![Vec::new(); document.variables.len()];
    let mut search = Search { document, marks, binding, tried: 0, bindings: 0, most: most.each, wrong };
    let is_folded = ascending.iter().any(|pairs| !pairs.is_empty());
    let mut joins: Vec<Join<'_>> = document
        .transitions
        .iter()
        .zip(ascending)
        .map(|(transition, ascending)| Join::new(document, transition, ascending, most.matched))
        .collect();
    let mut found: Vec<Found> = joins.iter().map(|_| Found::default()).collect();
    // For each place the transitions that match its new tokens first.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); search.marks.len()];
    for (number, join) in joins.iter().enumerate() {
        for pattern in join.orders.iter().filter_map(|order| order.begin) {
            users[join.patterns[pattern].place].push(number);
        }
    }
    // The places whose new tokens become old or that have new ones, and the transitions that match one or have a binding that waits.
    let (mut places, mut firing): (Vec<usize>, Vec<usize>) = ((0..users.len()).collect(), (0..joins.len()).collect());
    let mut is_first = true;
    loop {
        limits::work((places.len() + firing.len()) as u64);
        places.iter().for_each(|&place| search.marks[place].begin_round());
        for &number in &firing {
            search.fire(&mut joins[number], is_first, &mut found[number])?;
        }
        is_first = false;
        let outputs = firing.iter().flat_map(|&number| joins[number].arcs.outputs.iter().map(|arc| arc.place));
        let grown = distinct(outputs.filter(|&place| search.marks[place].grew()));
        if grown.is_empty() {
            break;
        }
        let waiting = firing.into_iter().filter(|&number| !found[number].waiting.is_empty());
        firing = distinct(waiting.chain(grown.iter().flat_map(|&place| users[place].iter().copied())));
        let aging = places.into_iter().filter(|&place| search.marks[place].has_new());
        places = distinct(aging.chain(grown));
    }
    debug_assert!(!search.marks.iter().any(Marks::grew), "tokens of the last round are in no place");
    let sorted = |mut bindings: Vec<Values>| {
        bindings.sort_unstable();
        let is_once = wrong.matches_one_round() || bindings.is_sorted_by(|one, next| one < next);
        debug_assert!(is_once, "a binding is found once");
        bindings
    };
    Ok(Markable {
        colours: search.marks.into_iter().map(Marks::into_colours).collect(),
        bindings: found.into_iter().map(|found| sorted(found.whole)).collect(),
        is_folded,
    })
}

/// The numbers, ascending, each once.
fn distinct(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut list: Vec<usize> = numbers.collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The bindings of a transition.
#[derive(Default)]
struct Found {
    /// Those that may fire.
    whole: Vec<Values>,
    /// Those some of whose input tokens were not there when they were found.
    waiting: Vec<Values>,
}

struct Search<'d> {
    document: &'d Document,
    marks: Vec<Marks>,
    /// The values of all variables of the document; those of the transition at hand are up to date.
    binding: Vec<Colour>,
    tried: usize,
    /// The bindings that may fire, and those that wait.
    bindings: usize,
    /// The most of them.
    most: usize,
    wrong: Wrong,
}

impl Search<'_> {
    /// Finds the bindings with a new token, and those that waited for one.
    fn fire(&mut self, join: &mut Join<'_>, is_first: bool, found: &mut Found) -> Result<(), Fault> {
        self.bindings -= found.waiting.len();
        let waiting = std::mem::take(&mut found.waiting);
        let waiting = if self.wrong.forgets_waiting() { Vec::new() } else { waiting };
        for values in waiting {
            self.whole(join, values, found)?;
        }
        for order in 0..join.orders.len() {
            let begin = join.orders[order].begin;
            let has_new = begin.map_or(is_first, |pattern| self.marks[join.patterns[pattern].place].has_new());
            if has_new {
                self.step(join, order, 0, found)?;
                debug_assert!(join.values.iter().all(Option::is_none), "a search leaves no value behind");
            }
        }
        Ok(())
    }

    /// Takes a step of an order, and those behind it, in every way.
    fn step(&mut self, join: &mut Join<'_>, order: usize, at: usize, found: &mut Found) -> Result<(), Fault> {
        let Some(step) = join.orders[order].steps.get(at) else {
            let values = join.values.iter().map(|value| value.expect("every slot has a value")).collect();
            return self.whole(join, values, found);
        };
        match step.kind {
            StepKind::Begin => self.complete(join, order, at, found),
            StepKind::Match { pattern, known } => {
                let (place, items) = (join.patterns[pattern].place, join.patterns[pattern].items.clone());
                let key = (0..).zip(&items).filter(|(part, _)| known >> part & 1 == 1);
                let key = key.map(|(_, item)| item.value(&join.values).expect("it is known")).collect();
                let when = match join.orders[order].begin.map(|begin| pattern.cmp(&begin)) {
                    Some(std::cmp::Ordering::Less | std::cmp::Ordering::Greater) if self.wrong.matches_one_round() => {
                        When::New
                    }
                    Some(std::cmp::Ordering::Less) => When::Old,
                    Some(std::cmp::Ordering::Equal) => When::New,
                    _ => When::Any,
                };
                for token in self.marks[place].matching(known, &key, when) {
                    self.tries(join)?;
                    let token = self.marks[place].colour(token).clone();
                    let before = join.values.clone();
                    if items.iter().zip(&token).all(|(item, &value)| item.take(value, &mut join.values)) {
                        self.complete(join, order, at, found)?;
                    }
                    join.values = before;
                }
                Ok(())
            }
            StepKind::Choose { variable } => {
                let slots = join.slots.of(variable);
                for value in self.document.colours(&self.document.variables[variable].sort) {
                    self.tries(join)?;
                    for (slot, value) in slots.clone().zip(value) {
                        join.values[slot] = Some(value);
                    }
                    self.complete(join, order, at, found)?;
                }
                join.values[slots].fill(None);
                Ok(())
            }
        }
    }

    fn tries(&mut self, join: &Join<'_>) -> Result<(), Fault> {
        limits::work(1);
        self.tried += 1;
        if self.tried > MAX_TRIED {
            let message = format!("more than {MAX_TRIED} bindings of variables were tried");
            return Err(Fault::large(join.transition.id.span, message));
        }
        Ok(())
    }

    /// Goes on behind a step if the conditions hold that can be evaluated now.
    fn complete(&mut self, join: &mut Join<'_>, order: usize, at: usize, found: &mut Found) -> Result<(), Fault> {
        let step = &join.orders[order].steps[at];
        for &variable in &step.complete {
            let sort = &self.document.variables[variable].sort;
            let parts = join.values[join.slots.of(variable)].iter();
            let value: Colour = parts.map(|value| value.expect("the variable is complete")).collect();
            if !sort.iter().zip(&value).all(|(&base, value)| self.document.sorts.values(base).contains(value)) {
                // Ranges on an arc may be wider than that of the variable.
                return Ok(());
            }
            self.binding[variable] = value;
        }
        if step.ascending.iter().any(|&(low, high)| self.binding[low] > self.binding[high]) {
            return Ok(());
        }
        if step.due.iter().all(|guard| self.document.is_true(guard, &self.binding)) {
            self.step(join, order, at + 1, found)?;
        }
        Ok(())
    }

    /// Puts the tokens of a whole binding if those that it takes may be there.
    fn whole(&mut self, join: &Join<'_>, values: Values, found: &mut Found) -> Result<(), Fault> {
        self.bindings += 1;
        if self.bindings > self.most {
            let message = format!("the net has more than {} transitions", self.most);
            return Err(Fault::large(join.transition.id.span, message));
        }
        for arc in &join.arcs.inputs {
            let marks = &self.marks[arc.place];
            if !arc.tokens(self.document, &join.slots, &values, &mut |colour, _| marks.has(colour))? {
                found.waiting.push(values);
                return Ok(());
            }
        }
        for arc in &join.arcs.outputs {
            let marks = &mut self.marks[arc.place];
            let mut add = |colour: &[i32], _| {
                marks.add(colour);
                true
            };
            arc.tokens(self.document, &join.slots, &values, &mut add)?;
        }
        found.whole.push(values);
        Ok(())
    }
}
