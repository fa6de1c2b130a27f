//! The conditions that decide in the body of an instance, as functions of the state before the step.
//!
//! A condition of an `if` outside of other statements, whose elements and locals have values that the statements before it leave as they
//! are or assign from such values, has the same truth as one on the state before the step: assigned values are written in their place.
//!
//! Soundness: wherever the instance comes to the `if`, the condition has the truth that the result has before the step. Only conditions
//! of which intervals show that they never fault are given.
//!
//! Complexity: the size of the body, times [`MOST_NODES`].

use std::collections::BTreeSet;

use frontend::sequential::Interval;
use rustc_hash::FxHashMap;

use super::super::body::{Action, Instance};
use super::super::code::Code;
use super::access::{reads, within, written};
use super::possible::Possible;
use crate::stubborn::Wrong;

/// The most nodes of a condition on the state before the step.
const MOST_NODES: usize = 64;

/// A condition on the state before the step that decides in the body of an instance.
pub(super) struct Deciding<'m> {
    /// The place of the `if` in the body.
    place: usize,
    pub(super) condition: Code<'m>,
    /// The elements that it reads.
    pub(super) elements: BTreeSet<usize>,
}

/// The conditions that decide in the body of an instance.
pub(super) fn conditions<'m>(instance: &Instance<'m>, possible: &Possible, wrong: Wrong) -> Vec<Deciding<'m>> {
    let mut found = Vec::new();
    let mut before = Assigned { values: FxHashMap::default(), wrong };
    for (place, action) in instance.body.iter().enumerate() {
        limits::work(1);
        match action {
            Action::Assign { target, value, .. } if target.dimensions.is_empty() => {
                let value = before.written(value);
                before.values.insert(target.base, value);
            }
            Action::Assign { target, .. } => {
                let mut changed = BTreeSet::new();
                within(target, usize::MAX, &mut changed);
                before.forget(changed);
            }
            Action::Fill { first, len, value, .. } => {
                let value = before.written(value);
                before.values.extend((*first..*first + *len).map(|local| (local, value.clone())));
            }
            Action::If(condition, then, otherwise) => {
                let condition = before.written(condition).filter(|code| interval(code, possible).is_some());
                found.extend(condition.map(|condition| Deciding::new(place, condition)));
                let mut changed = BTreeSet::new();
                [then, otherwise].into_iter().for_each(|body| written(body, usize::MAX, &mut changed));
                before.forget(changed);
            }
            // What a loop leaves behind is not known, and nothing comes behind a fault.
            Action::While(..) | Action::Fail => return found,
            Action::Note(_) => {}
        }
    }
    found
}

/// The values of a code between the least and the greatest one, where elements have possible values; nothing if it may fault or reads
/// locals.
fn interval(code: &Code<'_>, possible: &Possible) -> Option<Interval> {
    let of_element = |element: usize| {
        let element = Some(element).filter(|&element| element < possible.elements())?;
        if let Some(values) = possible.values(element).members() {
            return Some(Interval::new(values.clone().min()?, values.max()?));
        }
        let (low, count) = possible.bounds(element);
        let high = i64::from(low) + i64::try_from(count).ok()? - 1;
        Some(Interval::new(low, i32::try_from(high).ok()?))
    };
    let all = |list: &[Code<'_>]| list.iter().all(|operand| interval(operand, possible).is_some());
    let truth = Interval::new(0, 1);
    match code {
        Code::Constant(value) => Some(Interval::new(*value, *value)),
        Code::Element(element) => of_element(*element),
        Code::Test(element, ..) => of_element(*element).map(|_| truth),
        Code::Not(inner) => interval(inner, possible).map(|_| truth),
        Code::Binary(op, operands) => {
            let [left, right] = &**operands;
            let found = interval(left, possible)?.operate(*op, interval(right, possible)?);
            (!found.faults).then(|| Interval::new(found.low, found.high))
        }
        Code::All(list) | Code::Any(list) => all(list).then_some(truth),
        _ => None,
    }
}

impl<'m> Deciding<'m> {
    fn new(place: usize, condition: Code<'m>) -> Deciding<'m> {
        let mut elements = BTreeSet::new();
        reads(&condition, usize::MAX, &mut elements);
        Deciding { place, condition, elements }
    }

    /// The statements where the condition is true, and those where it is false.
    pub(super) fn branches<'i>(&self, instance: &'i Instance<'m>) -> [&'i [Action<'m>]; 2] {
        let Action::If(_, then, otherwise) = &instance.body[self.place] else {
            panic!("the condition is one of an `if` of the body");
        };
        [then, otherwise]
    }

    /// The instance where the condition is true, and where it is false, each without the `if`.
    pub(super) fn parts(&self, instance: &Instance<'m>) -> [Instance<'m>; 2] {
        let [then, otherwise] = self.branches(instance);
        let part = |branch: &[Action<'m>], conjunct: Code<'m>| {
            let mut part = instance.clone();
            let (head, rest) = instance.body.split_at(self.place);
            part.body = [head, branch, &rest[1..]].concat().into();
            part.shared.push(conjunct);
            part
        };
        [part(then, self.condition.clone()), part(otherwise, self.condition.clone().negated())]
    }
}

/// The values that elements and locals have at a place of a body, as functions of the state before it.
struct Assigned<'m> {
    /// Those that were assigned; nothing where the value is not known.
    values: FxHashMap<usize, Option<Code<'m>>>,
    wrong: Wrong,
}

impl<'m> Assigned<'m> {
    /// The values of elements are not known any more.
    fn forget(&mut self, elements: BTreeSet<usize>) {
        self.values.extend(elements.into_iter().map(|element| (element, None)));
    }

    /// A code as a function of the state before the body.
    fn written(&self, code: &Code<'m>) -> Option<Code<'m>> {
        let written = self.replaced(code)?;
        (nodes(&written) <= MOST_NODES).then_some(written)
    }

    fn replaced(&self, code: &Code<'m>) -> Option<Code<'m>> {
        let all = |list: &[Code<'m>]| list.iter().map(|operand| self.replaced(operand)).collect::<Option<Box<[_]>>>();
        Some(match code {
            Code::Constant(_) => code.clone(),
            Code::Element(element) => match self.values.get(element) {
                Some(value) if !self.wrong.assignments_forgotten() => value.clone()?,
                _ => code.clone(),
            },
            Code::Test(element, op, value) => match self.values.get(element) {
                Some(assigned) if !self.wrong.assignments_forgotten() => {
                    Code::Binary(*op, Box::new([assigned.clone()?, Code::Constant(*value)]))
                }
                _ => code.clone(),
            },
            Code::Not(inner) => Code::Not(Box::new(self.replaced(inner)?)),
            Code::Binary(op, operands) => {
                let [left, right] = &**operands;
                Code::Binary(*op, Box::new([self.replaced(left)?, self.replaced(right)?]))
            }
            Code::All(list) => Code::All(all(list)?),
            Code::Any(list) => Code::Any(all(list)?),
            Code::Register(_)
            | Code::Read(_)
            | Code::Lookup(..)
            | Code::Negate(_)
            | Code::PopCount(_)
            | Code::Ite(_)
            | Code::Each(_) => return None,
        })
    }
}

/// The number of nodes of a code.
fn nodes(code: &Code<'_>) -> usize {
    1 + code.parts().into_iter().map(nodes).sum::<usize>()
}
