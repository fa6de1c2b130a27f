//! The reads and writes of codes and bodies by their text, whatever the values are.
//!
//! An index that depends on the state represents every element within its range, and both branches of a conditional count.
//!
//! Soundness: sets err on the side of too many elements. Locals are left out of what a state has.

use std::collections::BTreeSet;

use super::super::body::{Action, Instance};
use super::super::code::{Code, Offset};

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
pub(super) fn within(offset: &Offset<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    let mut found = vec![offset.base];
    for dimension in &offset.dimensions {
        let count = usize::try_from(i64::from(dimension.high) - i64::from(dimension.low) + 1).unwrap_or(0);
        found = found.iter().flat_map(|base| (0..count).map(move |step| base + step * dimension.stride)).collect();
    }
    into.extend(found.into_iter().filter(|&element| element < elements));
}

/// The elements that the indices of an offset read.
pub(super) fn indices(offset: &Offset<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    offset.dimensions.iter().for_each(|dimension| reads(&dimension.index, elements, into));
}

/// The elements that a body writes, into a set; those from `elements` on are locals.
pub(super) fn written(body: &[Action<'_>], elements: usize, into: &mut BTreeSet<usize>) {
    for action in body {
        match action {
            Action::Assign { target, .. } => within(target, elements, into),
            Action::If(_, then, otherwise) => [then, otherwise].iter().for_each(|body| written(body, elements, into)),
            Action::Fill { first, len, .. } => into.extend((*first..*first + *len).filter(|&at| at < elements)),
            Action::While(_, body) => written(body, elements, into),
            Action::Fail | Action::Note(_) => {}
        }
    }
}

/// Visits the codes of a body, and the offsets of its assignments.
fn visit<'i, 'm>(body: &'i [Action<'m>], code: &mut dyn FnMut(&'i Code<'m>), offset: &mut dyn FnMut(&'i Offset<'m>)) {
    for action in body {
        match action {
            Action::Assign { target, value, .. } => {
                offset(target);
                code(value);
            }
            Action::If(condition, then, otherwise) => {
                code(condition);
                [then, otherwise].into_iter().for_each(|body| visit(body, code, offset));
            }
            Action::Fill { value, .. } => code(value),
            Action::While(condition, body) => {
                code(condition);
                visit(body, code, offset);
            }
            Action::Fail | Action::Note(_) => {}
        }
    }
}

/// The elements that an instance may read, in its guard, its arguments or its body, and those that it may write.
pub(super) fn accesses(instance: &Instance<'_>, elements: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut read, mut all) = (BTreeSet::new(), BTreeSet::new());
    let guards = instance.shared.iter().chain([&instance.guard]).chain(&instance.arguments);
    guards.for_each(|code| reads(code, elements, &mut read));
    let mut of_targets = BTreeSet::new();
    let mut code = |code: &Code<'_>| reads(code, elements, &mut read);
    visit(&instance.body, &mut code, &mut |target| indices(target, elements, &mut of_targets));
    read.extend(of_targets);
    written(&instance.body, elements, &mut all);
    (read, all)
}

/// Visits the offsets by which a body reads and writes.
pub(super) fn each_offset<'i, 'm>(instance: &'i Instance<'m>, found: &mut dyn FnMut(&'i Offset<'m>)) {
    let (mut codes, mut targets) = (Vec::new(), Vec::new());
    visit(&instance.body, &mut |code| codes.push(code), &mut |target| targets.push(target));
    codes.extend(instance.shared.iter().chain([&instance.guard]));
    for target in targets {
        found(target);
        codes.extend(target.dimensions.iter().map(|dimension| &dimension.index));
    }
    while let Some(code) = codes.pop() {
        match code {
            Code::Constant(_) | Code::Register(_) | Code::Element(_) | Code::Test(..) => {}
            Code::Read(offset) => {
                found(offset);
                codes.extend(offset.dimensions.iter().map(|dimension| &dimension.index));
            }
            Code::Lookup(_, offset) => codes.extend(offset.dimensions.iter().map(|dimension| &dimension.index)),
            Code::Negate(inner) | Code::Not(inner) | Code::PopCount(inner) => codes.push(inner),
            Code::Binary(_, operands) => codes.extend(operands.iter()),
            Code::All(list) | Code::Any(list) => codes.extend(list.iter()),
            Code::Ite(parts) => codes.extend(parts.iter()),
            Code::Each(each) => codes.push(&each.body),
        }
    }
}

/// Whether a code needs registers.
pub(super) fn has_binders(code: &Code<'_>) -> bool {
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
