//! The reads and writes of instances of summands, and the values to which an assignment can take one element.
//!
//! Reads and writes are sets of elements, declared from the compiled code: an index that depends on the state
//! represents every element within its range, and both branches of a conditional count. For an element of few values
//! there is the [`Track`] of an instance.
//!
//! Soundness: sets err on the side of too many elements and of too many values. Locals are no part of a state and are
//! left out; an expression that depends on one may have any value.

use std::collections::BTreeSet;

use super::super::body::{Action, Instance};
use super::super::code::{Code, Offset};
use crate::stubborn::{MOST_VALUES, Track, bits};

/// The elements that a code reads, into a set; those from `elements` on are locals.
pub(super) fn reads(code: &Code<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    match code {
        Code::Constant(_) | Code::Register(_) => {}
        Code::Element(element) | Code::Test(element, ..) => {
            if *element < elements {
                into.insert(*element);
            }
        }
        Code::Read(offset) => {
            within(offset, elements, into);
            indices(offset, elements, into);
        }
        Code::Lookup(_, offset) => indices(offset, elements, into),
        Code::Negate(inner) | Code::Not(inner) | Code::PopCount(inner) => reads(inner, elements, into),
        Code::Binary(_, operands) => operands.iter().for_each(|operand| reads(operand, elements, into)),
        Code::All(list) | Code::Any(list) => list.iter().for_each(|operand| reads(operand, elements, into)),
        Code::Ite(parts) => parts.iter().for_each(|part| reads(part, elements, into)),
        Code::Each(each) => reads(&each.body, elements, into),
    }
}

/// The elements that an offset may refer to.
fn within(offset: &Offset<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    let mut found = vec![offset.base];
    for dimension in &offset.dimensions {
        let count = usize::try_from(i64::from(dimension.high) - i64::from(dimension.low) + 1).unwrap_or(0);
        found = found.iter().flat_map(|base| (0..count).map(move |step| base + step * dimension.stride)).collect();
    }
    into.extend(found.into_iter().filter(|&element| element < elements));
}

/// The elements that the indices of an offset read.
fn indices(offset: &Offset<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    offset.dimensions.iter().for_each(|dimension| reads(&dimension.index, elements, into));
}

/// The elements that a body reads and writes.
fn of_body(body: &[Action<'_>], elements: usize, read: &mut BTreeSet<usize>, written: &mut BTreeSet<usize>) {
    for action in body {
        match action {
            Action::Assign { target, value, .. } => {
                within(target, elements, written);
                indices(target, elements, read);
                reads(value, elements, read);
            }
            Action::If(condition, then, otherwise) => {
                reads(condition, elements, read);
                of_body(then, elements, read, written);
                of_body(otherwise, elements, read, written);
            }
            Action::Fill { value, .. } => reads(value, elements, read),
            Action::While(condition, body) => {
                reads(condition, elements, read);
                of_body(body, elements, read, written);
            }
            Action::Fail | Action::Note(_) => {}
        }
    }
}

/// The elements that an instance reads, in its guard, its arguments or its body, and those that it may write.
pub(super) fn accesses(instance: &Instance<'_>, elements: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    let guards = instance.shared.iter().chain([&instance.guard]).chain(&instance.arguments);
    guards.for_each(|code| reads(code, elements, &mut read));
    of_body(&instance.body, elements, &mut read, &mut written);
    (read, written)
}

/// The values of one element.
pub(super) struct Values<'s> {
    /// The element.
    pub(super) element: usize,
    /// Its least value.
    pub(super) low: i32,
    /// The number of its values; at most [`MOST_VALUES`].
    pub(super) count: usize,
    /// A scratch state with locals: only the element itself is read.
    pub(super) state: &'s mut [i32],
}

impl Values<'_> {
    fn all(&self) -> u64 {
        u64::MAX >> (MOST_VALUES - self.count)
    }

    /// The set of values for which a condition that reads only the element is true; nothing if it reads more.
    pub(super) fn holds(&mut self, condition: &Code<'_>) -> Option<u64> {
        if !self.is_known(condition) {
            return None;
        }
        Some((0..self.count).filter(|&at| self.value(condition, at) != Some(0)).fold(0, |set, at| set | 1 << at))
    }

    /// The values to which an instance may take the element from the values of a set.
    pub(super) fn track(&mut self, body: &[Action<'_>], from: u64) -> Track {
        let count = self.count;
        let after = |at: usize| if from >> at & 1 == 0 { 0 } else { self.run(body, 1 << at) };
        let after: Vec<u64> = (0..count).map(after).collect();
        Track { element: self.element, after: after.into() }
    }

    /// The values after a body, from those of a set.
    fn run(&mut self, body: &[Action<'_>], from: u64) -> u64 {
        let mut now = from;
        for action in body {
            match action {
                Action::Assign { target, value, .. } => {
                    let mut places = BTreeSet::new();
                    within(target, usize::MAX, &mut places);
                    if !places.contains(&self.element) {
                        continue;
                    }
                    let kept = if places.len() == 1 { 0 } else { now };
                    now = bits(now).fold(kept, |set, at| set | self.assigned(value, at));
                }
                Action::If(condition, then, otherwise) => {
                    let known = self.is_known(condition);
                    let truth = |values: &mut Self, at| if known { values.value(condition, at) } else { None };
                    let (mut yes, mut no) = (0, 0);
                    for at in bits(now) {
                        match truth(self, at) {
                            Some(0) => no |= 1 << at,
                            Some(_) => yes |= 1 << at,
                            None => (yes, no) = (yes | 1 << at, no | 1 << at),
                        }
                    }
                    now = self.run(then, yes) | self.run(otherwise, no);
                }
                Action::While(_, body) => {
                    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
                    of_body(body, usize::MAX, &mut read, &mut written);
                    if written.contains(&self.element) && now != 0 {
                        now = self.all();
                    }
                }
                Action::Fill { .. } | Action::Note(_) => {}
                Action::Fail => now = 0,
            }
        }
        now
    }

    /// The values that a code may give while the element has a value.
    fn assigned(&mut self, code: &Code<'_>, at: usize) -> u64 {
        if self.is_known(code) {
            let (low, count) = (self.low, self.count);
            let place = |value: i32| usize::try_from(i64::from(value) - i64::from(low)).ok();
            let found = self.value(code, at).and_then(place).filter(|&place| place < count);
            return found.map_or(0, |place| 1 << place);
        }
        match code {
            Code::Ite(parts) => self.assigned(&parts[1], at) | self.assigned(&parts[2], at),
            _ => self.all(),
        }
    }

    fn value(&mut self, code: &Code<'_>, at: usize) -> Option<i32> {
        self.state[self.element] = self.low + i32::try_from(at).expect("few values");
        code.value(self.state, &mut [])
    }

    /// Whether a code reads only the element.
    fn is_known(&self, code: &Code<'_>) -> bool {
        let mut read = BTreeSet::new();
        reads(code, usize::MAX, &mut read);
        read.iter().all(|&element| element == self.element) && !has_binders(code)
    }
}

/// Whether a code needs registers.
fn has_binders(code: &Code<'_>) -> bool {
    match code {
        Code::Constant(_) | Code::Element(_) | Code::Test(..) => false,
        Code::Register(_) | Code::Each(_) => true,
        Code::Read(offset) | Code::Lookup(_, offset) => {
            offset.dimensions.iter().any(|dimension| has_binders(&dimension.index))
        }
        Code::Negate(inner) | Code::Not(inner) | Code::PopCount(inner) => has_binders(inner),
        Code::Binary(_, operands) => operands.iter().any(has_binders),
        Code::All(list) | Code::Any(list) => list.iter().any(has_binders),
        Code::Ite(parts) => parts.iter().any(has_binders),
    }
}
