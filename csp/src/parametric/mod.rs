//! The parametric form of summands: one instance for all values of the parameters, which are variables of that instance.
//!
//! A summand with more than [`MAX_GROUND`] combinations of values for its parameters is not replaced by its instances. Its parameters
//! follow the elements of the state as *pseudo-elements*, each with the values of its sort. Its guard, its faults, its updates and its
//! arguments are functions of both. The write `a[p] := v` becomes, for each element `k` of `a` and each value, the condition
//! `p = k && v is it || p != k && a[k] is it`: the write with its frame family, one member per element. Conditions that read parameters
//! keep the shape of their text, conjunct by conjunct. They therefore grow with the sum of the elements that they read, not with the
//! product of the parameters.
//!
//! # Soundness
//!
//! An automorphism maps the pseudo-elements of an instance to those of its image, value by value: a bijection of the combinations of one
//! summand to those of the other. The image of an instance has the image of its guard and of its effect (see [`crate::graph`]), so each
//! combination has an image, and no two combinations have the same one. Parameters of two instances are never the same pseudo-element. A
//! [`Move`] passes the action of an automorphism on parameters to the validator, which proves it independently.
//!
//! # Complexity
//!
//! The vertices are the literals of parameters, and for each read of an array at a parameter as many as the array has literals.
//!
//! # Source
//!
//! \[Zha13\] IV-B, where parameters are variables of the constraints of a summand. Deviation: the frame family is part of the value after
//! the step, a condition for each literal, and not a conjunction of equations.

mod moves;

use frontend::sequential::{Sequential, SortId, SummandId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::csp::Label;
use crate::project::is_wide;

pub use moves::{BoundValue, Move, Moves};

/// The most instances of a summand that is replaced by its instances, unless the caller gives another bound.
pub const MAX_GROUND: usize = 1 << 12;

/// A parameter of a summand in parametric form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The summand.
    pub summand: SummandId,
    /// Its place among the parameters of the summand.
    pub place: usize,
    /// Its sort.
    pub sort: SortId,
    /// The values of the sort, ascending.
    pub values: Vec<i32>,
    /// Whether its value is the process of weak fairness that an instance belongs to.
    pub is_process: bool,
}

impl Parameter {
    /// A readable name.
    pub(crate) fn name(&self, model: &Sequential) -> String {
        let summand = model.summand(self.summand);
        format!("{}#{} {}", summand.event, self.summand.0, summand.parameters[self.place].name)
    }

    /// The test whether it has one of these values.
    pub(crate) fn print_test(&self, model: &Sequential, values: &[i32]) -> String {
        let name = |value: i32| model.value_name(self.sort, value);
        let is_other = |value: &&i32| values.binary_search(value).is_err();
        let (sign, values): (&str, Vec<String>) = match values.len() * 2 > self.values.len() {
            true => ("!=", self.values.iter().filter(is_other).map(|&value| name(value)).collect()),
            false => ("=", values.iter().map(|&value| name(value)).collect()),
        };
        format!("{}{sign}{}", self.name(model), values.join("|"))
    }
}

/// A value of an argument of an event that some summand in parametric form has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Argument {
    /// The event.
    pub event: String,
    /// The place of the argument in the event.
    pub place: usize,
    /// The value.
    pub value: i32,
}

/// A growing list of values of arguments.
#[derive(Default, Debug)]
pub(crate) struct Arguments {
    list: Vec<Argument>,
    known: FxHashMap<Argument, usize>,
}

impl Arguments {
    /// The number of a value.
    pub(crate) fn number(&mut self, argument: Argument) -> usize {
        let next = self.list.len();
        let number = *self.known.entry(argument.clone()).or_insert(next);
        if number == next {
            self.list.push(argument);
        }
        number
    }

    /// The list, with the arguments of all labels whose event is one of its own.
    pub(crate) fn with_labels(mut self, labels: &[Label]) -> Vec<Argument> {
        let events: FxHashSet<String> = self.list.iter().map(|argument| argument.event.clone()).collect();
        for label in labels.iter().filter(|label| events.contains(&label.event)) {
            for (place, &value) in label.arguments.iter().enumerate() {
                if let Some(value) = value {
                    self.number(Argument { event: label.event.clone(), place, value });
                }
            }
        }
        self.list
    }
}

/// The number of combinations of values for the parameters of a summand; `None` if they cannot be counted.
pub(crate) fn combinations(model: &Sequential, id: SummandId) -> Option<usize> {
    let sizes = model.summand(id).parameters.iter().map(|parameter| model.domain(parameter.sort).size());
    sizes.into_iter().try_fold(1, usize::checked_mul)
}

/// The summands with more than `most` instances whose parameters all have sorts with distinguished values, without the refused ones.
pub(crate) fn chosen(model: &Sequential, most: usize, refused: &FxHashSet<SummandId>) -> FxHashSet<SummandId> {
    let ids = (0..model.summands.len()).map(SummandId::from_index).filter(|id| !refused.contains(id));
    let is_many = |id: &SummandId| combinations(model, *id).is_none_or(|count| count > most);
    let is_narrow = |id: &SummandId| {
        let parameters = &model.summand(*id).parameters;
        parameters.iter().all(|parameter| !is_wide(model.domain(parameter.sort)))
    };
    ids.filter(|id| is_many(id) && is_narrow(id)).collect()
}

/// The parameters of these summands, one summand after the other.
pub(crate) fn parameters(model: &Sequential, chosen: &FxHashSet<SummandId>) -> Vec<Parameter> {
    let mut list = Vec::new();
    for id in (0..model.summands.len()).map(SummandId::from_index).filter(|id| chosen.contains(id)) {
        let summand = model.summand(id);
        let process = summand.parameters.iter().position(|parameter| Some(parameter.sort) == model.fair);
        list.extend(summand.parameters.iter().enumerate().map(|(place, parameter)| Parameter {
            summand: id,
            place,
            sort: parameter.sort,
            values: model.domain(parameter.sort).values().collect(),
            is_process: process == Some(place),
        }));
    }
    list
}
