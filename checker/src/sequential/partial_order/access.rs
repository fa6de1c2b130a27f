//! The reads and writes of codes and bodies by their text, whatever the values are.
//!
//! An index that depends on the state represents every element within its range, and both branches of a conditional count.
//!
//! Soundness: sets err on the side of too many elements. Locals are elements from the number of those of a state on.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::body::{Action, Instance};
use super::super::code::{Code, Offset};

/// The elements that a code reads, into a set; those from `elements` on are locals.
pub(super) fn reads(code: &Code<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    match code {
        Code::Element(element) | Code::Test(element, ..) if *element < elements => _ = into.insert(*element),
        Code::Read(offset) => within(offset, elements, into),
        _ => {}
    }
    code.parts().into_iter().for_each(|part| reads(part, elements, into));
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
    offset.indices().for_each(|index| reads(index, elements, into));
}

/// What a body uses.
enum Used<'i, 'm> {
    /// A condition or a value.
    Code(&'i Code<'m>),
    /// The element that is assigned.
    Target(&'i Offset<'m>),
    /// Locals that begin.
    Locals(Range<usize>),
}

/// Visits what a body uses.
fn visit<'i, 'm>(body: &'i [Action<'m>], used: &mut dyn FnMut(Used<'i, 'm>)) {
    for action in body {
        match action {
            Action::Assign { target, value, .. } => {
                used(Used::Target(target));
                used(Used::Code(value));
            }
            Action::If(condition, then, otherwise) => {
                used(Used::Code(condition));
                [then, otherwise].into_iter().for_each(|body| visit(body, used));
            }
            Action::Fill { first, len, value, .. } => {
                used(Used::Code(value));
                used(Used::Locals(*first..*first + *len));
            }
            Action::While(condition, body) => {
                used(Used::Code(condition));
                visit(body, used);
            }
            Action::Fail | Action::Note(_) => {}
        }
    }
}

/// The elements that a body writes, into a set; those from `elements` on are locals.
pub(super) fn written(body: &[Action<'_>], elements: usize, into: &mut BTreeSet<usize>) {
    visit(body, &mut |used| match used {
        Used::Code(_) => {}
        Used::Target(target) => within(target, elements, into),
        Used::Locals(locals) => into.extend(locals.filter(|&at| at < elements)),
    });
}

/// The conditions and arguments that come before the body of an instance.
fn head<'i, 'm>(instance: &'i Instance<'m>) -> impl Iterator<Item = &'i Code<'m>> {
    instance.shared.iter().chain([&instance.guard]).chain(&instance.arguments)
}

/// The elements that the guard and the arguments of an instance read, into a set.
pub(super) fn head_reads(instance: &Instance<'_>, elements: usize, into: &mut BTreeSet<usize>) {
    head(instance).for_each(|code| reads(code, elements, into));
}

/// The elements that an instance may read, in its guard, its arguments or its body, and those that it may write.
pub(super) fn accesses(instance: &Instance<'_>, elements: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut read, all) = accesses_of(&instance.body, elements);
    head_reads(instance, elements, &mut read);
    (read, all)
}

/// The elements that a body may read, and those that it may write.
pub(super) fn accesses_of(body: &[Action<'_>], elements: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut read, mut all) = (BTreeSet::new(), BTreeSet::new());
    visit(body, &mut |used| match used {
        Used::Code(code) => reads(code, elements, &mut read),
        Used::Target(target) => indices(target, elements, &mut read),
        Used::Locals(_) => {}
    });
    written(body, elements, &mut all);
    (read, all)
}

/// Visits the offsets by which an instance reads and writes.
pub(super) fn each_offset<'i, 'm>(instance: &'i Instance<'m>, found: &mut dyn FnMut(&'i Offset<'m>)) {
    let mut codes: Vec<&Code<'_>> = head(instance).collect();
    visit(&instance.body, &mut |used| match used {
        Used::Code(code) => codes.push(code),
        Used::Target(target) => {
            found(target);
            codes.extend(target.indices());
        }
        Used::Locals(_) => {}
    });
    while let Some(code) = codes.pop() {
        if let Code::Read(offset) = code {
            found(offset);
        }
        codes.extend(code.parts());
    }
}
