//! The net effect of a body in static single assignment form: for each element that a step may change, its value afterwards as a function
//! of the state before, and the condition under which the body faults.
//!
//! Each version maps the offsets that differ from version 0 to functions. A value outside the sort of the variable is a fault; a step
//! faults only where its path is taken.

use std::cell::RefCell;
use std::rc::Rc;

use frontend::sequential::{Expr, Sequential, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluate::{Evaluator, Reader};
use super::value::Value;
use crate::condition::{Cond, Conditions};
use crate::ssa::{SsaSummand, StepKind};

/// The elements of a version that may differ from version 0.
type Changed = FxHashMap<usize, Rc<Value>>;

/// Reads versions; version 0 is the state before the step.
pub(super) struct Versions<'a> {
    model: &'a Sequential,
    form: &'a SsaSummand,
    /// By version that a step makes, in order.
    changed: Vec<Changed>,
    /// The elements to which the guard leaves only one value.
    forced: FxHashMap<usize, i32>,
    /// The elements read at version 0.
    read: RefCell<FxHashSet<usize>>,
}

impl<'a> Versions<'a> {
    pub(super) fn new(model: &'a Sequential, form: &'a SsaSummand) -> Versions<'a> {
        let changed = vec![Changed::default(); form.made.len()];
        Versions { model, form, changed, forced: FxHashMap::default(), read: RefCell::default() }
    }

    /// The elements of a version that may differ from version 0; nothing for version 0.
    fn changed(&self, version: VariableId) -> Option<&Changed> {
        Some(&self.changed[version.index().checked_sub(self.form.originals)?])
    }

    /// Fixes these elements to these values from now on.
    pub(super) fn force(&mut self, forced: Vec<(usize, i32)>) {
        self.forced = forced.into_iter().collect();
    }

    /// The elements read so far.
    pub(super) fn into_read(self) -> FxHashSet<usize> {
        self.read.into_inner()
    }
}

impl Reader for Versions<'_> {
    fn read(&self, store: &mut Conditions, version: VariableId, offset: usize) -> Value {
        if let Some(value) = self.changed(version).and_then(|changed| changed.get(&offset)) {
            return (**value).clone();
        }
        let variable = self.variable(version);
        if variable.index() >= self.model.variables.len() {
            // A local is written where it is declared, so only paths that are never taken get here.
            return Value::fault();
        }
        let element = self.model.variable(variable).offset + offset;
        debug_assert!(offset < self.model.len_of(self.model.variable(variable)), "an element of the variable");
        self.read.borrow_mut().insert(element);
        match self.forced.get(&element) {
            Some(&value) => Value::constant(value),
            None => Value::element(store, element),
        }
    }

    fn variable(&self, version: VariableId) -> VariableId {
        self.form.version(version).expect("a version of the form").variable
    }
}

/// The effect of a body.
pub(super) struct Effect {
    /// The elements that may change with their values afterwards, ascending.
    pub(super) written: Vec<(usize, Rc<Value>)>,
    /// The condition under which it faults.
    pub(super) fault: Cond,
}

/// The effect of a body with these parameters.
pub(super) fn effect(
    model: &Sequential,
    store: &mut Conditions,
    ssa: &SsaSummand,
    versions: &mut Versions<'_>,
    parameters: &[i32],
) -> Effect {
    let mut body = Body { model, store, versions, parameters, decisions: Vec::new(), faults: Vec::new() };
    for step in &ssa.steps {
        let path: Vec<Cond> = step.path.iter().map(|&(decision, side)| body.side(decision, side)).collect();
        let path = body.store.and(path);
        match &step.kind {
            StepKind::Decide(condition) => body.decide(condition, path),
            StepKind::Write { target, base, indices, value } => body.write(*target, *base, indices, value, path),
            StepKind::Fail => body.fault(path, Cond::TRUE),
            StepKind::Continues if path == Cond::FALSE => {}
            // The rounds after this step are not represented.
            StepKind::Continues => body.store.exhaust(),
            StepKind::Phi { target, decision, then, otherwise } => body.join(*target, *decision, *then, *otherwise),
        }
    }
    let faults = std::mem::take(&mut body.faults);
    let fault = store.or(faults);
    let mut written = Vec::new();
    for &(variable, latest) in ssa.latest.iter().filter(|(variable, _)| variable.index() < model.variables.len()) {
        let variable = model.variable(variable);
        let Some(changed) = versions.changed(latest) else { continue };
        written.extend(changed.iter().map(|(offset, value)| (variable.offset + offset, Rc::clone(value))));
    }
    written.sort_unstable_by_key(|&(element, _)| element);
    debug_assert!(written.windows(2).all(|pair| pair[0].0 < pair[1].0), "an element is written once");
    Effect { written, fault }
}

struct Body<'a, 'v> {
    model: &'a Sequential,
    store: &'a mut Conditions,
    versions: &'a mut Versions<'v>,
    parameters: &'a [i32],
    /// For each decision when it is true and when it is false.
    decisions: Vec<(Cond, Cond)>,
    faults: Vec<Cond>,
}

impl Body<'_, '_> {
    fn side(&self, decision: usize, side: bool) -> Cond {
        let (holds, fails) = self.decisions[decision];
        if side { holds } else { fails }
    }

    fn evaluator(&mut self) -> Evaluator<'_, Versions<'_>> {
        Evaluator { model: self.model, store: self.store, reader: self.versions, scope: self.parameters.to_vec() }
    }

    fn put(&mut self, target: VariableId, changed: Changed) {
        self.versions.changed[target.index() - self.versions.form.originals] = changed;
    }

    fn fault(&mut self, path: Cond, fault: Cond) {
        let reached = self.store.both(path, fault);
        self.faults.push(reached);
    }

    fn decide(&mut self, condition: &Expr, path: Cond) {
        if path == Cond::FALSE {
            self.decisions.push((Cond::FALSE, Cond::FALSE));
            return;
        }
        let value = self.evaluator().truth(condition);
        self.fault(path, value.fault);
        let holds = value.holds(self.store);
        self.decisions.push((holds, value.fails()));
    }

    fn write(&mut self, target: VariableId, base: VariableId, indices: &[Expr], value: &Expr, path: Cond) {
        let mut changed = self.versions.changed(base).cloned().unwrap_or_default();
        if path != Cond::FALSE {
            let variable = self.model.variable(self.versions.variable(base));
            let (offsets, outside) = match indices {
                [] => ((0..self.model.len_of(variable)).map(|offset| (offset, Cond::TRUE)).collect(), Cond::FALSE),
                _ => self.evaluator().offsets(&variable.indices, indices),
            };
            let value = self.evaluator().value(value);
            self.fault(path, outside);
            self.fault(path, value.fault);
            let (value, unfit) = value.fitted(self.store, self.model.domain(variable.sort));
            self.fault(path, unfit);
            for (offset, when) in offsets {
                let new = if when == Cond::TRUE {
                    value.clone()
                } else {
                    let old = self.versions.read(self.store, base, offset);
                    let kept = self.store.not(when);
                    Value::select(self.store, &[(when, &value), (kept, &old)], Cond::FALSE)
                };
                changed.insert(offset, Rc::new(new));
            }
        }
        self.put(target, changed);
    }

    fn join(&mut self, target: VariableId, decision: usize, then: VariableId, otherwise: VariableId) {
        let (holds, fails) = self.decisions[decision];
        let mut offsets: Vec<usize> = [then, otherwise]
            .iter()
            .filter_map(|version| self.versions.changed(*version))
            .flat_map(|changed| changed.keys().copied())
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        let mut changed = Changed::default();
        for offset in offsets {
            let left = self.versions.read(self.store, then, offset);
            let right = self.versions.read(self.store, otherwise, offset);
            let value = Value::select(self.store, &[(holds, &left), (fails, &right)], Cond::FALSE);
            changed.insert(offset, Rc::new(value));
        }
        self.put(target, changed);
    }
}
