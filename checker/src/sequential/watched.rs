//! A process under watch: its own invariants, compiled, and executions of the reference semantics.

use std::collections::BTreeSet;
use std::sync::Arc;

use frontend::sequential::interpret::{evaluate, step};
use frontend::sequential::trace::{Faulting, Trace, replay};
use frontend::sequential::{Expr, Property, Sequential};
use num_bigint::BigUint;

use super::code::Code;
use super::compile::Compiler;
use super::gather::Gather;
use super::images::{Image, Images, Unpacked, for_all_values};
use super::known;
use super::memo::{Held, Memo};
use super::packing::Packing;
use super::space::{Expansion, Space};
use super::symmetry::{Execution, FaultingStep};
use crate::confirmed::unconfirmed;
use explore::report::{InternalError, QueryKind};
use explore::watch::{FaultText, Replayed, Watched};

/// The parts that are compiled for one invariant before writing out ends.
const BUDGET: u64 = 1 << 14;

/// Places in which values of one invariant are stored: two to the power of so many.
const PLACES: u32 = 14;

/// An invariant.
#[derive(Debug)]
pub(super) struct Invariant<'m> {
    expr: Expr,
    code: Code<'m>,
    /// Its values by the elements that it reads, if that pays.
    known: Option<(Gather, Memo<Option<bool>>)>,
    /// The images of a state at which it is checked, in place of the state; none where it is checked at the state.
    images: Arc<Images>,
    /// What it reads of the state and of its images.
    unpacked: Unpacked,
    /// The parts of the images that it reads: the state itself where there are none.
    at: Vec<Image>,
    /// The condition for all values of its quantifiers, with the images that suffice if that does not fault.
    in_any_order: Option<(Code<'m>, Vec<Image>)>,
    registers: Vec<i32>,
}

impl Held for Option<bool> {
    fn held(&self) -> u64 {
        0
    }
}

impl<'m> Invariant<'m> {
    /// Compiles a condition that is checked at images of states, if there are any.
    pub(super) fn new(model: &'m Sequential, packing: &Packing, expr: &Expr, images: Arc<Images>) -> Invariant<'m> {
        let (code, mut registers) = compiled(model, expr);
        let read = known::read_by(&code, packing);
        let known = if images.all.is_empty() { known::of_condition(&read, packing) } else { None };
        let known = known.map(|gather| {
            let memo = Memo::new(gather.bits(), PLACES);
            (gather, memo)
        });
        let mut reads: BTreeSet<usize> = read.elements.into_iter().collect();
        let for_all = (!images.in_any_order.is_empty()).then(|| {
            let (code, more) = compiled(model, &for_all_values(expr));
            registers = registers.max(more);
            reads.extend(known::read_by(&code, packing).elements);
            code
        });
        let state = [Image::default()];
        let all = if images.all.is_empty() { &state[..] } else { &images.all };
        let (unpacked, [at, fewer]) = Unpacked::new(&reads, [all, &images.in_any_order], packing.lows.len());
        let in_any_order = for_all.map(|code| (code, fewer));
        Invariant { expr: expr.clone(), code, known, images, unpacked, at, in_any_order, registers: vec![0; registers] }
    }

    /// Its value in a stored state; nothing where its evaluation faults.
    pub(super) fn value(&mut self, space: &Space<'m>, number: u32) -> Option<bool> {
        let Invariant { code, known, unpacked, at, in_any_order, registers, .. } = self;
        let words = space.store.state(number);
        let mut evaluated = || {
            unpacked.unpack(&space.packing, &words);
            let mut value = |code: &Code<'m>, image: &Image| {
                unpacked.at(image, |state| code.value(state, registers).map(|value| value != 0))
            };
            if let Some((code, images)) = in_any_order {
                let values = images.iter().map(|image| value(code, image));
                if let Some(values) = values.collect::<Option<Vec<bool>>>() {
                    return Some(values.into_iter().all(|holds| holds));
                }
            }
            at.iter().map(|image| value(code, image)).find(|&value| value != Some(true)).unwrap_or(Some(true))
        };
        let Some((gather, memo)) = known else { return evaluated() };
        let key = gather.key(&words);
        if let Some(&value) = memo.get(key) {
            debug_assert!(!number.is_multiple_of(64) || evaluated() == value, "a condition has its remembered value");
            return value;
        }
        let value = evaluated();
        if memo.is_learning() {
            memo.put(key, value);
        }
        value
    }
}

/// The code of a condition on states, and the registers that it needs.
pub(super) fn compiled<'m>(model: &'m Sequential, expr: &Expr) -> (Code<'m>, usize) {
    let mut compiler = Compiler::new(model, BUDGET);
    let (code, _) = compiler.expression(expr);
    (code, compiler.registers)
}

impl<'m> Watched for Space<'m> {
    type Condition = Expr;
    type Properties = Vec<Property>;
    type Invariant = Invariant<'m>;
    type Fault = FaultingStep;
    type Trace = Trace;

    const BUILT_IN: &'static [QueryKind] = &[QueryKind::Deadlock, QueryKind::Error];
    const DEADLOCK: &'static str = "no step is possible";

    fn prepared(&self, condition: &Expr) -> Invariant<'m> {
        Invariant::new(self.model, &self.packing, condition, Arc::default())
    }

    /// Checked at its images, or where there are none at the stored state.
    fn invariant(&self, name: &str, condition: &Expr) -> Invariant<'m> {
        let own = self.images.iter().find(|(own, _)| own == name);
        let images = own.map(|(_, images)| Arc::clone(images)).unwrap_or_default();
        Invariant::new(self.model, &self.packing, condition, images)
    }

    fn holds(&self, invariant: &mut Invariant<'m>, number: u32) -> bool {
        invariant.value(self, number) == Some(true)
    }

    fn fault_of_invariant(&self, invariant: &Invariant<'m>, number: u32) -> Option<String> {
        let fault = |state: &[i32]| {
            let value = evaluate(self.model, &invariant.expr, state, &[]);
            value.map(|holds| holds == 0).map_or_else(|fault| Some(Some(fault)), |fails| fails.then_some(None))
        };
        let (state, mut image) = (self.state(number), Vec::new());
        let mut of_image = |one: &Image| {
            one.write(&state, &mut image);
            fault(&image)
        };
        let first = if invariant.images.all.is_empty() {
            fault(&state)
        } else {
            invariant.images.all.iter().find_map(&mut of_image)
        };
        first?.map(|fault| self.model.fault_text(&fault.kind))
    }

    fn fault_of_start(&self, failed: &std::convert::Infallible) -> Option<(QueryKind, FaultingStep)> {
        match *failed {}
    }

    fn stopped(&self, expansion: &Expansion) -> usize {
        expansion.faults.len()
    }

    fn kind_of_fault(&self, _: &Expansion, _: usize) -> Option<QueryKind> {
        Some(QueryKind::Error)
    }

    fn fault(&self, number: u32, expansion: &Expansion, at: usize) -> FaultingStep {
        let (summand, parameters) = &expansion.faults[at];
        let instance = Faulting { summand: *summand, parameters: parameters.to_vec() };
        FaultingStep { state: self.state(number), instance }
    }

    fn describe(&self, FaultingStep { state, instance }: &FaultingStep) -> FaultText {
        let step = step(self.model, state, instance.summand, &instance.parameters);
        let step = step.expect("a replayed counterexample ends in this step");
        let fault = step.result.as_ref().expect_err("a replayed counterexample ends in a fault");
        FaultText { text: self.model.fault_text(&fault.kind), process: self.model.step_label(&step) }
    }

    fn values_of(&self, number: u32, elements: &[usize], values: &mut Vec<i32>) {
        let state = self.store.state(number);
        values.extend(elements.iter().map(|&element| self.packing.value(&state, element)));
    }

    fn orbit_size(&mut self, number: u32) -> Option<BigUint> {
        Space::orbit_size(self, number)
    }

    fn replayed(
        &mut self,
        path: &[u32],
        last: Option<&FaultingStep>,
    ) -> Result<Replayed<Trace, FaultingStep>, InternalError> {
        let Execution { states, fault: last } = self.execution(path, last)?;
        replay(self.model, &states, last.as_ref().map(|last| &last.instance))
            .map(|trace| Replayed { trace, fault: last.clone() })
            .map_err(unconfirmed)
    }
}
