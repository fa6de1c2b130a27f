//! From the text of a summand to its [`Form`], with pseudo-elements in place of its parameters.
//!
//! The guard is split at `&&`, `forall` and the negations of their duals, in the order of evaluation. Statements, expressions and faults
//! are those of `symbolic`; reads and writes proceed dimension by dimension, and name the values that depend on a parameter.

use std::ops::Range;

use frontend::sequential::{Expr, ExprKind, Place, Sequential, SummandId, Variable};
use rustc_hash::FxHashMap;

use super::super::diagram::{Dd, Diagrams, Leaf, Op};
use super::super::symbolic::Symbolic;
use super::{Definitions, Form, Free};

/// The most elements of one array that a place may denote.
const MAX_PLACES: usize = 1 << 16;

impl Form {
    /// The form of a summand, and the elements that its instances read. Meaningless if the store is exhausted.
    pub(in super::super) fn new(
        model: &Sequential,
        diagrams: &mut Diagrams,
        definitions: &mut Definitions,
        id: SummandId,
        first: usize,
    ) -> (Form, rustc_hash::FxHashSet<usize>) {
        let summand = model.summand(id);
        let count = summand.parameters.len();
        let mut symbolic = Symbolic::new(model, diagrams, &vec![0; count]);
        let (state, forced) = (model.state_len(), FxHashMap::default());
        symbolic.free = Some(Free { first, count, state, definitions, forced });
        let form = symbolic.form(id, first);
        (form, symbolic.read)
    }
}

impl Symbolic<'_> {
    fn form(&mut self, id: SummandId, first: usize) -> Form {
        let summand = self.model.summand(id);
        let mut conjuncts = Vec::new();
        self.conjuncts(&summand.guard, true, &mut conjuncts);
        let mut form = self.guard(id, first, &conjuncts);
        if form.enabled.first() == Some(&Diagrams::ZERO) {
            return form;
        }
        self.force(&form.enabled);
        form.arguments = summand.arguments.iter().map(|argument| self.value(argument)).collect();
        let mut ends = form.arguments.clone();
        for stmt in &summand.body {
            ends.push(self.body(std::slice::from_ref(stmt)));
            if self.diagrams.exhausted() {
                return form;
            }
        }
        form.faults = ends.into_iter().map(|end| self.is_fault(end)).filter(|&fault| fault != Diagrams::ZERO).collect();
        sort(&mut form.faults);
        if form.faults.contains(&Diagrams::ONE) {
            // An instance that always faults has no effect and no label.
            form.faults = vec![Diagrams::ONE];
            form.arguments = Vec::new();
            return form;
        }
        let mut outputs: Vec<(usize, Dd)> = Vec::new();
        let changed: Vec<(usize, Dd)> = self.changed.iter().map(|(&element, &value)| (element, value)).collect();
        for (element, value) in changed.into_iter().filter(|&(element, _)| element < self.model.state_len()) {
            if value != self.diagrams.element(element) {
                outputs.push((element, value));
            }
        }
        outputs.sort_unstable();
        form.outputs = outputs;
        form
    }

    /// The conjuncts of a condition or of its negation, in the order of evaluation.
    fn conjuncts(&mut self, expr: &Expr, positive: bool, list: &mut Vec<Dd>) {
        match (&expr.kind, positive) {
            (ExprKind::Not(inner), _) => self.conjuncts(inner, !positive, list),
            (ExprKind::And(operands), true) | (ExprKind::Or(operands), false) => {
                operands.iter().for_each(|operand| self.conjuncts(operand, positive, list));
            }
            (ExprKind::Implies(left, right), false) => {
                self.conjuncts(left, true, list);
                self.conjuncts(right, false, list);
            }
            (ExprKind::Forall(quantified), true) | (ExprKind::Exists(quantified), false) => {
                let model = self.model;
                for value in model.domain(quantified.sort).values() {
                    self.scope.push(value);
                    self.conjuncts(&quantified.body, positive, list);
                    self.scope.pop();
                }
            }
            _ => {
                let truth = self.truth(expr);
                list.push(match positive {
                    true => truth,
                    false => self.diagrams.map(truth, &|leaf| match leaf {
                        Leaf::Value(value) => Leaf::Value(1 - value),
                        other => other,
                    }),
                });
            }
        }
    }

    /// The form with only the guard of these conjuncts: the conditions under which it holds and faults.
    fn guard(&mut self, summand: SummandId, first: usize, conjuncts: &[Dd]) -> Form {
        let (mut enabled, mut guard_faults) = (Vec::new(), Vec::new());
        for &conjunct in conjuncts {
            let fault = self.is_fault(conjunct);
            if fault != Diagrams::ZERO {
                guard_faults.push((enabled.clone(), fault));
            }
            let holds = self.diagrams.map(conjunct, &|leaf| Leaf::Value(i32::from(leaf == Leaf::Value(1))));
            if holds == Diagrams::ZERO {
                // The conjuncts after it are never evaluated.
                enabled = vec![holds];
                break;
            }
            if holds != Diagrams::ONE {
                enabled.push(holds);
                sort(&mut enabled);
            }
        }
        guard_faults.sort_unstable();
        guard_faults.dedup();
        let (faults, arguments, outputs) = (Vec::new(), Vec::new(), Vec::new());
        Form { summand, first, enabled, guard_faults, faults, arguments, outputs }
    }

    /// Records the pseudo-elements that have only one value where all of these conditions hold.
    fn force(&mut self, enabled: &[Dd]) {
        for &holds in enabled {
            let (element, children) = self.diagrams.node_of(holds);
            let mut left = (0..children.len()).filter(|&place| children[place] != Diagrams::ZERO);
            let (Some(place), None) = (left.next(), left.next()) else { continue };
            let Some(free) = self.free.as_mut().filter(|_| children[place] == Diagrams::ONE) else { continue };
            if element < free.state || self.diagrams.atom_number(element).is_some() {
                continue;
            }
            let named = free.definitions.list.iter().find(|definition| definition.element == element);
            let leaf = match named {
                Some(definition) => definition.outcomes[place],
                None => Leaf::Value(self.diagrams.live(element)[place]),
            };
            free.forced.insert(element, leaf);
        }
    }

    /// The value of a parameter.
    pub(in super::super) fn pseudo(&mut self, element: usize) -> Dd {
        match self.free.as_ref().and_then(|free| free.forced.get(&element)) {
            Some(&leaf) => self.diagrams.leaf(leaf),
            None => self.diagrams.element(element),
        }
    }

    fn is_fault(&mut self, dd: Dd) -> Dd {
        self.diagrams.map(dd, &|leaf| Leaf::Value(i32::from(leaf == Leaf::Fault)))
    }

    /// A name for a value that depends on parameters. In a ground instance, and for a value that does not depend on them, it is the value
    /// itself.
    pub(in super::super) fn named(&mut self, dd: Dd, source: Option<Range<usize>>) -> Dd {
        let Some(free) = self.free.as_mut() else { return dd };
        if self.diagrams.as_leaf(dd).is_some() || self.diagrams.exhausted() {
            return dd;
        }
        let support = self.diagrams.support([dd]);
        if support.iter().all(|&element| element < free.state) || support.len() == 1 {
            return dd;
        }
        let Some(place) = free.definitions.name(self.diagrams, dd, source) else { return dd };
        let definition = &free.definitions.list[place];
        if let Some(&leaf) = free.forced.get(&definition.element) {
            return self.diagrams.leaf(leaf);
        }
        let children = definition.outcomes.iter().map(|&leaf| self.diagrams.leaf(leaf)).collect();
        self.diagrams.split(definition.element, children)
    }

    /// The elements of a variable.
    fn whole(&self, variable: &Variable) -> Range<usize> {
        variable.offset..variable.offset + self.model.len_of(variable)
    }

    /// The indices of a place.
    fn indices(&mut self, place: &Place) -> Vec<Dd> {
        let model = self.model;
        let sorts = &model.variable(place.variable).indices;
        let indices = place.indices.iter().zip(sorts).map(|(index, &sort)| {
            let value = self.value(index);
            let (low, high) = model.domain(sort).bounds();
            self.diagrams.concrete(value, low, high)
        });
        indices.collect()
    }

    /// The value at a place.
    pub(in super::super) fn read_at(&mut self, place: &Place) -> Dd {
        let variable = self.model.variable(place.variable);
        let indices = self.indices(place);
        let value = self.read_from(place, &indices, 0);
        let is_free = indices.iter().any(|&index| self.diagrams.as_leaf(index).is_none());
        let is_kept = variable.offset < self.model.state_len();
        if is_free { self.named(value, is_kept.then(|| self.whole(variable))) } else { value }
    }

    /// The value at the remaining indices of a place, from this offset on.
    fn read_from(&mut self, place: &Place, indices: &[Dd], offset: usize) -> Dd {
        let variable = self.model.variable(place.variable);
        let [.., _] = indices else { return self.read(variable.offset + offset) };
        let (index, rest) = (indices[0], &indices[1..]);
        let domain = self.model.domain(variable.indices[variable.indices.len() - indices.len()]);
        let mut by = FxHashMap::default();
        for leaf in self.diagrams.leaves(index) {
            let part = match leaf {
                Leaf::Value(value) if domain.contains(value) => {
                    let step = usize::try_from(i64::from(value) - i64::from(domain.bounds().0)).unwrap_or_default();
                    self.read_from(place, rest, offset * domain.size() + step)
                }
                _ => Diagrams::FAULT,
            };
            by.insert(leaf, part);
            if self.diagrams.exhausted() {
                return Diagrams::FAULT;
            }
        }
        self.diagrams.compose(index, &by)
    }

    /// Writes to a place; 1 where the write ends, a fault where it faults.
    pub(in super::super) fn assign_at(&mut self, place: &Place, value: &Expr) -> Dd {
        let variable = self.model.variable(place.variable);
        let indices = self.indices(place);
        let value = self.value(value);
        let value = self.fitting(variable.sort, value);
        let is_kept = variable.offset < self.model.state_len();
        let is_fixed = indices.iter().all(|&index| self.diagrams.as_leaf(index).is_some());
        let shared = if is_fixed { value } else { self.named(value, is_kept.then(|| self.whole(variable))) };
        let mut offsets = vec![(0usize, Diagrams::ONE)];
        let mut ends = self.diagrams.map(value, &|leaf| if leaf == Leaf::Fault { leaf } else { Leaf::Value(1) });
        for (&index, &sort) in indices.iter().zip(&variable.indices) {
            let domain = self.model.domain(sort);
            let inside = self.diagrams.map(index, &|leaf| match leaf {
                Leaf::Value(value) if domain.contains(value) => Leaf::Value(1),
                _ => Leaf::Fault,
            });
            ends = self.diagrams.apply(Op::Then, inside, ends);
            let mut longer = Vec::new();
            for leaf in self.diagrams.leaves(index) {
                let Leaf::Value(step) = leaf else { continue };
                if !domain.contains(step) {
                    continue;
                }
                let here = self.diagrams.map(index, &|other| Leaf::Value(i32::from(other == leaf)));
                let step = usize::try_from(i64::from(step) - i64::from(domain.bounds().0)).unwrap_or_default();
                for &(offset, when) in &offsets {
                    longer.push((offset * domain.size() + step, self.diagrams.apply(Op::And, when, here)));
                }
                if longer.len() > MAX_PLACES || self.diagrams.exhausted() {
                    self.diagrams.exhaust();
                    return Diagrams::FAULT;
                }
            }
            offsets = longer;
        }
        for (offset, when) in offsets {
            let element = variable.offset + offset;
            let new = if when == Diagrams::ONE {
                shared
            } else {
                let old = self.read(element);
                let new = self.join(when, shared, old);
                self.named(new, is_kept.then_some(element..element + 1))
            };
            self.changed.insert(element, new);
            if self.diagrams.exhausted() {
                return Diagrams::FAULT;
            }
        }
        ends
    }
}

fn sort(list: &mut Vec<Dd>) {
    list.sort_unstable();
    list.dedup();
}
