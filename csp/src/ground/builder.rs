//! [`Builder`]: from the functions of an instance, and of the atoms of properties, to their normal forms.
//!
//! Conditions that read little are joined with the condition under which the instance runs, so that two ways to write the same update have one form. An element that is
//! certain to keep its value has no output.

use std::collections::BTreeSet;
use std::rc::Rc;

use frontend::sequential::{Expr, Property, Sequential, SummandId};
use rustc_hash::FxHashMap;

use super::body::Versions;
use super::orbits::Made;
use super::value::Value;
use super::{Candidate, Ground, Whole, evaluate, ground};
use crate::condition::{Cond, ConditionId, Datum, Normaliser, Term};
use crate::csp::{Claim, Instance, Label, Opaque, Output, Part};
use crate::ssa::SsaSummand;

/// Makes the constraints of one process.
pub(super) struct Builder<'a> {
    pub(super) model: &'a Sequential,
    pub(super) normaliser: Normaliser<'a>,
    /// The live values of each element.
    pub(super) lists: &'a [Rc<[i32]>],
    pub(super) labels: Vec<Label>,
    pub(super) known: FxHashMap<Label, usize>,
}

impl Builder<'_> {
    /// What the evaluation of a combination gives; a summand that is too large becomes opaque.
    pub(super) fn evaluated(&mut self, whole: &Whole<'_>, place: usize, opaque: &mut BTreeSet<SummandId>) -> Made {
        let candidate = &whole.candidates[place];
        if opaque.contains(&candidate.summand) {
            return Made::Nothing;
        }
        let mark = self.normaliser.store().mark();
        let form = &whole.forms[candidate.summand.index()];
        let ground = ground(whole.model, form, candidate, self.normaliser.store());
        let instance = self.instance(candidate, &ground);
        if self.normaliser.store().exhausted() {
            self.normaliser.rewind(mark);
            opaque.insert(candidate.summand);
            return Made::Nothing;
        }
        instance.map_or(Made::Never, Made::Instance)
    }

    /// The instance, unless it is never enabled and never faults.
    pub(super) fn instance(&mut self, candidate: &Candidate, ground: &Ground) -> Option<Instance> {
        let guard = self.normaliser.normal(ground.enabled);
        let fault = self.normaliser.normal(ground.fault);
        if guard == ConditionId::FALSE && fault == ConditionId::FALSE {
            return None;
        }
        let sound = self.normaliser.store().not(ground.fault);
        let runs = self.normaliser.store().both(ground.enabled, sound);
        // An instance that always faults has no effect and no label.
        let never = runs == Cond::FALSE;
        let mut outputs = Vec::new();
        for (element, value) in ground.written.iter().filter(|_| !never) {
            outputs.extend(self.outputs(runs, *element, value));
        }
        let summand = self.model.summand(candidate.summand);
        let mut label_terms = Vec::new();
        let labels = ground.labels.as_ref().map(|list| {
            let list = list.iter().filter(|_| !never).filter_map(|(arguments, when)| {
                let when = self.under(runs, *when);
                if when == ConditionId::FALSE {
                    return None;
                }
                let term = |&datum: &Datum| if let Datum::Term(id) = datum { Some(id) } else { None };
                label_terms.push(arguments.iter().filter_map(term).collect());
                Some((self.label(Label::of(&summand.event, arguments)), when))
            });
            list.collect()
        });
        let mut constants: Vec<usize> =
            ground.read.iter().copied().filter(|&element| self.lists[element].len() == 1).collect();
        constants.sort_unstable();
        Some(Instance {
            summand: candidate.summand,
            parameters: candidate.parameters.clone(),
            guard,
            fault,
            labels,
            label_terms,
            process: self.process(candidate),
            outputs,
            constants,
        })
    }

    /// The process of weak fairness to which a combination belongs.
    pub(super) fn process(&self, candidate: &Candidate) -> Option<i32> {
        let mut parameters = self.model.summand(candidate.summand).parameters.iter();
        let place = parameters.position(|parameter| Some(parameter.sort) == self.model.fair);
        place.map(|place| candidate.parameters[place])
    }

    /// The outputs of an instance for an element; none if the element is sure to keep its value.
    pub(super) fn outputs(&mut self, runs: Cond, element: usize, value: &Value) -> Vec<Output> {
        if self.lists[element].is_empty() {
            return self.wide_outputs(runs, element, value);
        }
        let forced = self.normaliser.store().forced(runs);
        let forced = forced.iter().find(|&&(other, _)| other == element).map(|&(_, value)| value);
        let mut keeps = true;
        let mut outputs = Vec::new();
        for &result in self.lists[element].iter() {
            let when = self.under(runs, value.when(result));
            let same = match forced {
                Some(forced) if forced == result => Cond::TRUE,
                Some(_) => Cond::FALSE,
                None => self.normaliser.store().test(element, &[result]),
            };
            keeps &= self.under(runs, same) == when;
            if when != ConditionId::FALSE {
                outputs.push(Output { element, value: Datum::Value(result), when });
            }
        }
        if keeps { Vec::new() } else { outputs }
    }

    /// The outputs of an instance for a wide element; none if the element is sure to keep its value.
    fn wide_outputs(&mut self, runs: Cond, element: usize, value: &Value) -> Vec<Output> {
        let own = self.normaliser.store().terms.intern(Term::Element(element)).map(Datum::Term);
        let mut outputs = Vec::new();
        for &(result, when) in &value.cases {
            let when = self.under(runs, when);
            if when != ConditionId::FALSE {
                outputs.push(Output { element, value: result, when });
            }
        }
        if outputs.iter().all(|output| Some(output.value) == own) { Vec::new() } else { outputs }
    }

    /// A condition that matters only where `runs` holds: the conjunction of both if they read little.
    pub(super) fn under(&mut self, runs: Cond, cond: Cond) -> ConditionId {
        if cond == Cond::TRUE || cond == Cond::FALSE {
            return self.normaliser.normal(cond);
        }
        let both = self.normaliser.store().both(runs, cond);
        if !self.normaliser.is_small(both) || !self.normaliser.is_small(runs) {
            return self.normaliser.normal(cond);
        }
        let both = self.normaliser.normal(both);
        if both == self.normaliser.normal(runs) { ConditionId::TRUE } else { both }
    }

    pub(super) fn label(&mut self, label: Label) -> usize {
        let next = self.labels.len();
        let known = *self.known.entry(label.clone()).or_insert(next);
        if known == next {
            self.labels.push(label);
        }
        known
    }

    /// The atoms of properties, and those that are too large.
    pub(super) fn claims(&mut self, properties: &[&Property]) -> (Vec<Claim>, Vec<Opaque>) {
        let (mut claims, mut unclear) = (Vec::new(), Vec::new());
        for property in properties {
            for (atom, expr) in property.atoms().into_iter().enumerate() {
                let mark = self.normaliser.store().mark();
                let (holds, faults) = self.claim(expr);
                if self.normaliser.store().exhausted() {
                    self.normaliser.rewind(mark);
                    let mut names = BTreeSet::new();
                    expr.add_variables(&mut names);
                    let part = Part::Atom(property.name.clone(), atom);
                    unclear.push(Opaque { part, elements: self.model.elements_of(&names) });
                } else {
                    claims.push(Claim { property: property.name.clone(), atom, holds, faults });
                }
            }
        }
        (claims, unclear)
    }

    /// The conditions under which an atom holds, and under which it faults.
    fn claim(&mut self, expr: &Expr) -> (ConditionId, ConditionId) {
        let unchanged = SsaSummand::without_steps(self.model);
        let versions = Versions::new(self.model, &unchanged);
        let value = evaluate(self.model, self.normaliser.store(), &versions, &[], expr);
        let value = value.decided(self.normaliser.store());
        let holds = value.holds(self.normaliser.store());
        (self.normaliser.normal(holds), self.normaliser.normal(value.fault))
    }
}
