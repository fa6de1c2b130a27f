//! An instance executed on sets of values: the values that elements may have behind it, and the elements that it reads and writes.
//!
//! Soundness: for every state whose elements have values of their sets, the values behind the step are in the sets behind it, and
//! the elements that are read and written are among those that are noted. An execution that certainly faults ends. Sets of
//! different elements are independent of each other; what one element says about another one is given by the sets
//! before ([`Before`]).
//!
//! Complexity: the size of the instance, times the values of an element for each condition that restricts it; loops are left after
//! one round, behind which nothing is known of what they write.

use std::collections::BTreeSet;

use frontend::sequential::BinaryOp;
use frontend::sequential::interpret::arithmetic;
use rustc_hash::FxHashMap;

use super::super::body::{Action, Instance};
use super::super::code::{Code, Offset, compare, steps};
use super::access::written;
use super::value_set::ValueSet;

/// The most pairs of values of an operation.
const MOST_PAIRS: u32 = 1 << 8;

/// The values before a step.
pub(super) trait Before {
    /// The number of elements of a state; those from there on are locals.
    fn elements(&self) -> usize;

    /// The values of an element of the state.
    fn values(&self, element: usize) -> ValueSet;

    /// The least and the greatest value of its sort.
    fn bounds(&self, element: usize) -> (i32, i32);
}

/// The elements that are read and written.
#[derive(Clone, Default, Debug)]
pub(super) struct Touched {
    pub(super) reads: BTreeSet<usize>,
    pub(super) writes: BTreeSet<usize>,
}

/// The values of elements and locals that differ from those before a step, and how they were changed; kept from one execution to the
/// next one.
#[derive(Debug)]
pub(super) struct Scratch {
    now: Vec<Option<ValueSet>>,
    /// What was overwritten, in order.
    log: Vec<(usize, Option<ValueSet>)>,
}

impl Scratch {
    /// For so many elements and locals.
    pub(super) fn new(working: usize) -> Scratch {
        Scratch { now: vec![None; working], log: Vec::new() }
    }

    /// The number of elements and locals.
    pub(super) fn len(&self) -> usize {
        self.now.len()
    }

    fn set(&mut self, place: usize, values: ValueSet) {
        self.log.push((place, self.now[place]));
        self.now[place] = Some(values);
    }

    /// Takes back all changes but so many.
    fn undo(&mut self, mark: usize) {
        debug_assert!(mark <= self.log.len(), "only changes that were made are taken back");
        for (place, before) in self.log.drain(mark..).rev() {
            self.now[place] = before;
        }
    }

    /// The places that were changed since there were so many changes, with what they had before.
    fn since(&self, mark: usize) -> FxHashMap<usize, Option<ValueSet>> {
        let mut first = FxHashMap::default();
        for &(place, before) in &self.log[mark..] {
            first.entry(place).or_insert(before);
        }
        first
    }
}

/// An execution.
pub(super) struct Effects<'b, B> {
    before: &'b B,
    scratch: &'b mut Scratch,
    registers: FxHashMap<usize, ValueSet>,
    /// What it touches, if that is asked for.
    pub(super) touched: Option<Touched>,
    /// Evaluations so far.
    pub(super) spent: u64,
}

impl<B> Drop for Effects<'_, B> {
    fn drop(&mut self) {
        self.scratch.undo(0);
    }
}

impl<'b, B: Before> Effects<'b, B> {
    /// An execution that has not begun.
    pub(super) fn new(before: &'b B, scratch: &'b mut Scratch) -> Effects<'b, B> {
        debug_assert!(scratch.log.is_empty(), "an execution begins without changes");
        Effects { before, scratch, registers: FxHashMap::default(), touched: None, spent: 0 }
    }

    /// Restricts an element, before the execution begins.
    pub(super) fn restrict(&mut self, element: usize, values: ValueSet) {
        self.scratch.set(element, values);
    }

    /// Executes an instance; false where it is not enabled, or faults, whatever the values are.
    pub(super) fn step(&mut self, instance: &Instance<'_>) -> bool {
        instance.shared.iter().chain([&instance.guard]).all(|conjunct| self.assume(conjunct, true))
            && instance.arguments.iter().all(|argument| !self.eval(argument).is_empty())
            && self.body(&instance.body)
    }

    /// The values of an element or a local now.
    pub(super) fn values(&self, element: usize) -> ValueSet {
        match self.scratch.now[element] {
            Some(values) => values,
            None => self.given(element),
        }
    }

    /// Executes statements; false where they fault, whatever the values are.
    fn body(&mut self, body: &[Action<'_>]) -> bool {
        body.iter().all(|action| self.action(action))
    }

    fn action(&mut self, action: &Action<'_>) -> bool {
        match action {
            Action::Assign { target, value, low, high } => {
                let places = self.places(target);
                let values = self.eval(value).within((*low, *high));
                if places.is_empty() || values.is_empty() {
                    return false;
                }
                for &place in &places {
                    let kept = if places.len() == 1 { ValueSet::Empty } else { self.values(place) };
                    self.write(place, kept.union(values));
                }
                true
            }
            Action::If(condition, then, otherwise) => {
                self.branch(condition, |effects| effects.body(then), |effects| effects.body(otherwise))
            }
            Action::Fill { first, len, value, low, high } => {
                let values = self.eval(value).within((*low, *high));
                (*first..*first + *len).for_each(|local| self.scratch.set(local, values));
                !values.is_empty()
            }
            Action::While(condition, body) => {
                let mut all = BTreeSet::new();
                written(body, usize::MAX, &mut all);
                for element in all {
                    self.write(element, ValueSet::Any);
                }
                let mark = self.scratch.log.len();
                if self.assume(condition, true) {
                    self.body(body);
                }
                self.scratch.undo(mark);
                self.assume(condition, false)
            }
            Action::Fail => false,
            Action::Note(_) => true,
        }
    }

    /// Two continuations, by a condition; false where neither ends.
    fn branch(
        &mut self,
        condition: &Code<'_>,
        then: impl FnOnce(&mut Self) -> bool,
        otherwise: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let mark = self.scratch.log.len();
        let first = self.assume(condition, true) && then(self);
        let after: Vec<(usize, ValueSet)> =
            if first { self.scratch.since(mark).keys().map(|&at| (at, self.values(at))).collect() } else { Vec::new() };
        self.scratch.undo(mark);
        let second = self.assume(condition, false) && otherwise(self);
        if !first {
            return second;
        }
        if !second {
            self.scratch.undo(mark);
            after.into_iter().for_each(|(at, values)| self.scratch.set(at, values));
            return true;
        }
        let mut of_second = self.scratch.since(mark);
        for (at, values) in after {
            of_second.remove(&at);
            let joined = values.union(self.values(at));
            self.scratch.set(at, joined);
        }
        for (at, before) in of_second {
            let now = self.values(at);
            let before = before.unwrap_or_else(|| self.given(at));
            self.scratch.set(at, before.union(now));
        }
        true
    }

    /// The values of an element before the execution; any value of a local.
    fn given(&self, element: usize) -> ValueSet {
        if element < self.before.elements() { self.before.values(element) } else { ValueSet::Any }
    }

    fn write(&mut self, place: usize, values: ValueSet) {
        let is_state = place < self.before.elements();
        if let Some(touched) = self.touched.as_mut().filter(|_| is_state) {
            touched.writes.insert(place);
        }
        let values = if is_state { values.within(self.before.bounds(place)) } else { values };
        self.scratch.set(place, values);
    }

    fn read(&mut self, place: usize) -> ValueSet {
        if let Some(touched) = self.touched.as_mut().filter(|_| place < self.before.elements()) {
            touched.reads.insert(place);
        }
        self.values(place)
    }

    /// Restricts the values to those for which a condition has a truth; false where there are none.
    pub(super) fn assume(&mut self, condition: &Code<'_>, truth: bool) -> bool {
        match condition {
            Code::All(list) if truth => list.iter().all(|operand| self.assume(operand, true)),
            Code::Any(list) if !truth => list.iter().all(|operand| self.assume(operand, false)),
            Code::Not(inner) => self.assume(inner, !truth),
            _ => {
                if !self.eval(condition).may_be(truth) {
                    return false;
                }
                let touched = self.touched.take();
                let mut places = BTreeSet::new();
                self.known_places(condition, &mut places);
                for place in places {
                    let now = self.values(place);
                    let Some(members) = now.members().filter(|_| now.count() > Some(1)) else { continue };
                    let mut kept = ValueSet::Empty;
                    let mark = self.scratch.log.len();
                    for value in members {
                        self.scratch.set(place, ValueSet::of(value));
                        if self.eval(condition).may_be(truth) {
                            kept = kept.union(ValueSet::of(value));
                        }
                    }
                    self.scratch.undo(mark);
                    self.scratch.set(place, kept);
                }
                self.touched = touched;
                true
            }
        }
    }

    /// The elements and locals that a code reads wherever it is evaluated.
    fn known_places(&mut self, code: &Code<'_>, into: &mut BTreeSet<usize>) {
        match code {
            Code::Element(element) | Code::Test(element, ..) => {
                into.insert(*element);
            }
            Code::Read(offset) => {
                if let [place] = self.places(offset)[..] {
                    into.insert(place);
                }
            }
            Code::All(_) | Code::Any(_) | Code::Ite(_) | Code::Each(_) => return,
            _ => {}
        }
        code.parts().into_iter().for_each(|part| self.known_places(part, into));
    }

    /// The places that an offset may refer to; none where it faults, whatever the values are.
    fn places(&mut self, offset: &Offset<'_>) -> Vec<usize> {
        let mut found = vec![offset.base];
        for dimension in &offset.dimensions {
            let range = (dimension.low, dimension.high);
            let index = self.eval(&dimension.index).within(range);
            let all: Vec<i32> = match index.members() {
                Some(members) => members.collect(),
                None => (dimension.low..=dimension.high).collect(),
            };
            self.spent += (found.len() * all.len()) as u64;
            let places = |base: &usize| {
                let base = *base;
                all.iter().map(move |&value| base + steps(dimension.low, value) * dimension.stride)
            };
            found = found.iter().flat_map(places).collect();
        }
        found
    }

    /// The values of an expression; none where it faults, whatever the values are.
    pub(super) fn eval(&mut self, code: &Code<'_>) -> ValueSet {
        self.spent += 1;
        match code {
            Code::Constant(value) => ValueSet::of(*value),
            Code::Register(register) => self.registers.get(register).copied().unwrap_or(ValueSet::Any),
            Code::Element(element) => self.read(*element),
            Code::Test(element, op, value) => match self.read(*element) {
                ValueSet::Any => ValueSet::TRUTHS,
                values => values.map(|left| Some(i32::from(compare(*op, left, *value)))),
            },
            Code::Read(offset) => {
                let places = self.places(offset);
                places.into_iter().fold(ValueSet::Empty, |set, place| set.union(self.read(place)))
            }
            Code::Lookup(table, offset) => {
                let places = self.places(offset);
                places.into_iter().fold(ValueSet::Empty, |set, place| set.union(ValueSet::of(table[place])))
            }
            Code::Negate(inner) => self.eval(inner).map(i32::checked_neg),
            Code::Not(inner) => match self.eval(inner) {
                ValueSet::Any => ValueSet::TRUTHS,
                values => values.map(|value| Some(i32::from(value == 0))),
            },
            Code::PopCount(inner) => match self.eval(inner) {
                ValueSet::Any => ValueSet::range(0, 32),
                values => values.map(|value| Some(value.count_ones().cast_signed())),
            },
            Code::Binary(op, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (self.eval(left), self.eval(right));
                self.binary(*op, left, right)
            }
            Code::All(list) => self.until(list, false),
            Code::Any(list) => self.until(list, true),
            Code::Ite(parts) => {
                let [condition, then, otherwise] = &**parts;
                let mark = self.scratch.log.len();
                let mut found = ValueSet::Empty;
                for (truth, chosen) in [(true, then), (false, otherwise)] {
                    if self.assume(condition, truth) {
                        found = found.union(self.eval(chosen));
                    }
                    self.scratch.undo(mark);
                }
                found
            }
            Code::Each(each) => {
                let values = ValueSet::range(each.low, each.high);
                let mut found = ValueSet::Empty;
                let members: Vec<ValueSet> = match values.members() {
                    Some(members) => members.map(ValueSet::of).collect(),
                    // All of them together: whether one of them is the last is not known.
                    None => vec![ValueSet::Any],
                };
                let is_exact = values != ValueSet::Any;
                for value in members {
                    let before = self.registers.insert(each.register, value);
                    let truth = self.eval(&each.body);
                    match before {
                        Some(before) => self.registers.insert(each.register, before),
                        None => self.registers.remove(&each.register),
                    };
                    if truth.may_be(each.last) {
                        found = found.union(ValueSet::of(i32::from(each.last)));
                    }
                    if is_exact && !truth.may_be(!each.last) {
                        return found;
                    }
                }
                found.union(ValueSet::of(i32::from(!each.last)))
            }
        }
    }

    /// The truth of operands up to the first that has a truth.
    fn until(&mut self, list: &[Code<'_>], last: bool) -> ValueSet {
        let mut found = ValueSet::Empty;
        for operand in list {
            let truth = self.eval(operand);
            if truth.may_be(last) {
                found = found.union(ValueSet::of(i32::from(last)));
            }
            if !truth.may_be(!last) {
                return found;
            }
        }
        found.union(ValueSet::of(i32::from(!last)))
    }

    fn binary(&mut self, op: BinaryOp, left: ValueSet, right: ValueSet) -> ValueSet {
        if left.is_empty() || right.is_empty() {
            return ValueSet::Empty;
        }
        let unknown = if op.is_comparison() { ValueSet::TRUTHS } else { ValueSet::Any };
        let (Some(lefts), Some(rights)) = (left.members(), right.members()) else { return unknown };
        let pairs = left.count().unwrap_or(0) * right.count().unwrap_or(0);
        self.spent += u64::from(pairs.min(MOST_PAIRS));
        if pairs > MOST_PAIRS {
            return unknown;
        }
        let mut found = ValueSet::Empty;
        for (left, right) in lefts.flat_map(|left| rights.clone().map(move |right| (left, right))) {
            let value = if op.is_comparison() {
                Some(i32::from(compare(op, left, right)))
            } else {
                arithmetic(op, left, right).ok()
            };
            found = value.map_or(found, |value| found.union(ValueSet::of(value)));
        }
        found
    }
}
