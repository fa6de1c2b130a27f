//! The steps of a process as one relation for each label, whatever instances they come from.
//!
//! A step changes some elements and keeps the others. For each label, and for each *change* (the elements that change, each with its value
//! after the step), the constraints have one instance: its guard is the condition under which some instance of the process makes this
//! change with this label. State and successor determine the change, so these guards are a canonical form of the relation. Instances that
//! repeat a step of others, that share it state by state, or that differ only by constants that they read, are no longer distinguished. For
//! each event one more instance has the condition under which some instance of the event faults.
//!
//! An argument of an event that is a parameter by which the summand indexes an array is the name of that element, and moves with it; any
//! other argument is data, and the values of all labels of an event are permuted as wholes. Elements with one live value are replaced by it,
//! and no process of weak fairness is drawn.
//!
//! # Soundness
//!
//! Nothing relies on it: the validator decides every candidate.
//!
//! # Not done
//!
//! There is no relation where a part is opaque, where a step writes a wide element or shows a value computed from one, and where there
//! are more than [`MAX_INSTANCES`] instances, [`MAX_OWN`] changes of one instance, or [`MAX_CHANGES`] in all. The bounds [`MAX_TRIED`] and
//! [`MAX_WORK`] keep it cheap next to the graph of the instances.

use std::collections::BTreeMap;
use std::rc::Rc;

use frontend::sequential::{ExprKind, Property, Sequential};
use rustc_hash::FxHashMap;

use super::indexing::{Indexing, indexed};
use super::orbits::Orbits;
use super::value::Value;
use super::{Builder, Candidate, Ground, Whole, candidates, elements, ground, live};
use crate::condition::{Bounds, Cond, ConditionId, Conditions, Datum, Normaliser, Primes};
use crate::csp::{Csp, Indexed, Instance, Label, Output};
use crate::ssa::SsaSummand;

/// The most combinations of summands and values for their parameters.
const MAX_INSTANCES: usize = 1 << 10;
/// The most changes of one instance.
const MAX_OWN: usize = 1 << 7;
/// The most changes of all labels.
const MAX_CHANGES: usize = 1 << 12;
/// The most pairs of a change and a value of one more element that are examined in all.
const MAX_TRIED: usize = 1 << 14;
/// The most operands of conditions that are examined in all.
const MAX_WORK: u64 = 1 << 19;

/// The elements that change with their values after the step, ascending.
type Change = Vec<(usize, i32)>;

/// The relation of each label, by change: the instance that it was met in first, and the conditions of all.
type Relation = BTreeMap<(usize, Change), (usize, Vec<Cond>)>;

/// The relations of a process as constraints, with the atoms of these properties; `None` where it has no such form.
pub fn relation(model: &Sequential, forms: &[SsaSummand], properties: &[&Property]) -> Option<Csp> {
    if forms.iter().any(|form| form.opaque) {
        return None;
    }
    let (mut list, mut opaque) = candidates(model);
    if !opaque.is_empty() || list.len() > MAX_INSTANCES {
        return None;
    }
    let live = live::live(model, forms, &list, &Orbits::new(&list, &[]), &mut opaque);
    assert_eq!(live.possible.len(), list.len(), "every instance was examined");
    if !opaque.is_empty() {
        return None;
    }
    let mut possible = live.possible.into_iter();
    list.retain(|_| possible.next().unwrap_or(true));
    let elements = elements(model, live.values);
    let whole = Whole { model, forms, candidates: list, elements };
    written_down(&whole, properties)
}

/// The constraints. Large conditions keep the form of their text.
fn written_down(whole: &Whole<'_>, properties: &[&Property]) -> Option<Csp> {
    let Whole { model, forms, candidates, elements, .. } = whole;
    let lists: Vec<Rc<[i32]>> = elements.iter().map(|element| element.values.clone().into()).collect();
    let store = Conditions::new(lists.as_slice().into()).over(&Bounds::of(model)).within(MAX_WORK);
    let normaliser = Normaliser::new(store, &lists, Primes::off());
    let mut builder = Builder { model, normaliser, lists: &lists, labels: Vec::new(), known: FxHashMap::default() };
    let mut relation = Relation::new();
    let mut left = MAX_TRIED;
    let mut names: Vec<Indexed> = Vec::new();
    let by_parameter: Vec<_> = model.summands.iter().map(|summand| indexed(model, summand)).collect();
    let mut faults: BTreeMap<&str, (usize, Vec<Cond>)> = BTreeMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let ground = ground(model, &forms[candidate.summand.index()], candidate, builder.normaliser.store());
        let event = model.summand(candidate.summand).event.as_str();
        if ground.fault != Cond::FALSE {
            faults.entry(event).or_insert((place, Vec::new())).1.push(ground.fault);
        }
        let labels = builder.changes(event, &ground, place, &mut left, &mut relation)?;
        for (number, argument) in model.summand(candidate.summand).arguments.iter().enumerate() {
            let ExprKind::Parameter(id) = argument.kind else { continue };
            let uses = by_parameter[candidate.summand.index()].iter().filter(|indexing| indexing.parameter == id);
            for &Indexing { variable, dimension, .. } in uses {
                for &label in &labels {
                    let Some(value) = builder.labels[label].arguments[number] else { continue };
                    let (low, high) = model.domain(model.variable(variable).indices[dimension]).bounds();
                    if low <= value && value <= high {
                        names.push(Indexed { label, variable, dimension, value });
                    }
                }
            }
        }
        if builder.normaliser.store().exhausted() || relation.len() > MAX_CHANGES {
            return None;
        }
    }
    names.sort_unstable();
    names.dedup();
    let mut instances = Vec::new();
    for ((label, change), (place, conditions)) in relation {
        let guard = builder.any(conditions);
        if guard != ConditionId::FALSE {
            let outputs = change.into_iter().map(|(element, value)| {
                let value = Datum::Value(value);
                Output { element, value, when: ConditionId::TRUE }
            });
            let labels = vec![(label, ConditionId::TRUE)];
            instances.push(instance(&candidates[place], guard, ConditionId::FALSE, labels, outputs.collect()));
        }
    }
    for (place, conditions) in faults.into_values() {
        let fault = builder.any(conditions);
        if fault != ConditionId::FALSE {
            instances.push(instance(&candidates[place], ConditionId::FALSE, fault, Vec::new(), Vec::new()));
        }
    }
    let (claims, unclear) = builder.claims(properties);
    if !unclear.is_empty() || builder.normaliser.store().exhausted() {
        return None;
    }
    let labels = builder.labels;
    let (conditions, terms) = builder.normaliser.into_parts();
    Some(Csp {
        starts: model.starts.clone(),
        conditions,
        terms: terms.list,
        atoms: terms.atoms,
        elements: elements.clone(),
        labels,
        indexed: names,
        instances,
        claims,
        opaque: Vec::new(),
        dead: Vec::new(),
        as_written: Vec::new(),
    })
}

/// An instance of the relation, in place of all instances of the process that make this change.
fn instance(
    first: &Candidate,
    guard: ConditionId,
    fault: ConditionId,
    labels: Vec<(usize, ConditionId)>,
    outputs: Vec<Output>,
) -> Instance {
    Instance {
        summand: first.summand,
        parameters: Vec::new(),
        guard,
        fault,
        label_terms: vec![Vec::new(); labels.len()],
        labels: Some(labels),
        process: None,
        outputs,
        constants: Vec::new(),
    }
}

impl Builder<'_> {
    /// Adds the changes of an instance, and returns its labels; `None` if it has too many changes, or changes what is not written down.
    fn changes(
        &mut self,
        event: &str,
        ground: &Ground,
        place: usize,
        left: &mut usize,
        relation: &mut Relation,
    ) -> Option<Vec<usize>> {
        let sound = self.normaliser.store().not(ground.fault);
        let runs = self.normaliser.store().both(ground.enabled, sound);
        if runs == Cond::FALSE {
            return Some(Vec::new());
        }
        let mut labels = Vec::new();
        let mut changes: Vec<(Change, Cond)> = vec![(Change::new(), runs)];
        for (element, value) in &ground.written {
            *left = left.checked_sub(self.lists[*element].len().saturating_mul(changes.len()))?;
            changes = self.longer(changes, *element, value)?;
        }
        for (arguments, when) in ground.labels.as_ref()? {
            if arguments.iter().any(|datum| matches!(datum, Datum::Term(_))) {
                return None;
            }
            let label = self.label(Label::of(event, arguments));
            labels.push(label);
            for (change, here) in &changes {
                let both = self.normaliser.store().both(*when, *here);
                if both != Cond::FALSE {
                    relation.entry((label, change.clone())).or_insert((place, Vec::new())).1.push(both);
                }
            }
        }
        Some(labels)
    }

    /// The changes together with those of one more element.
    fn longer(&mut self, changes: Vec<(Change, Cond)>, element: usize, value: &Value) -> Option<Vec<(Change, Cond)>> {
        let values = &self.lists[element];
        if values.is_empty() {
            return None;
        }
        let (mut kept, mut moved) = (Vec::new(), Vec::new());
        let is_later = |(change, _): &(Change, Cond)| change.last().is_none_or(|last| last.0 < element);
        debug_assert!(changes.iter().all(is_later), "changes are ascending");
        for &to in values.iter() {
            let (same, here) = (self.normaliser.store().test(element, &[to]), value.when(to));
            let other = self.normaliser.store().not(same);
            kept.push(self.normaliser.store().both(same, here));
            moved.push((to, self.normaliser.store().both(other, here)));
        }
        let kept = self.normaliser.store().or(kept);
        let mut longer = Vec::new();
        for (change, when) in changes {
            let cases = moved.iter().map(|&(to, here)| (Some((element, to)), here));
            for (more, here) in [(None, kept)].into_iter().chain(cases) {
                let both = self.normaliser.store().both(when, here);
                if both != Cond::FALSE && self.normaliser.normal(both) != ConditionId::FALSE {
                    longer.push((change.iter().copied().chain(more).collect(), both));
                }
            }
            if longer.len() > MAX_OWN {
                return None;
            }
        }
        Some(longer)
    }

    /// The normal form of a disjunction.
    fn any(&mut self, conditions: Vec<Cond>) -> ConditionId {
        let any = self.normaliser.store().or(conditions);
        self.normaliser.normal(any)
    }
}
