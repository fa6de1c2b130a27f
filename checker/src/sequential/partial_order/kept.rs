//! The statements of an instance that matter to another one: the rest does the same before and after it.
//!
//! A statement is left out if what it writes is touched by neither the other instance nor a statement that stays, and if neither it
//! nor a condition that decides about it depends on what the other instance writes.
//!
//! Soundness: a statement that is left out has the same effect, or the same fault at the same place, whether the other instance comes
//! before or after it; the guard comes before it in both orders. So if what stays commutes with the other instance, the whole does: elements that are left out end equal in
//! both orders, and a fault that is left out is met in both. Loops stay, since their rounds are bounded all together.
//!
//! Complexity: the size of the body for each round, of which there are at most as many as elements and locals.

use std::collections::BTreeSet;

use super::super::body::{Action, Instance};
use super::access::{indices, reads, within};
use super::effects::Touched;
use crate::stubborn::Wrong;

/// The elements and locals that each statement of a body reads and writes, in the order of the text, conditions before what they
/// decide about.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    statements: Vec<Statement>,
}

/// The elements and locals that a statement reads, as its condition, its value or an index, and those that it writes.
#[derive(Clone, Debug)]
struct Statement {
    reads: Box<[usize]>,
    writes: Box<[usize]>,
}

/// What is known of the statements of an instance.
struct Kept<'t> {
    /// What the other instance reads and writes.
    other: &'t Touched,
    sketch: &'t Sketch,
    wrong: Wrong,
    /// The number of the next statement.
    next: usize,
    /// Elements and locals that may have another value after the other instance.
    dirty: BTreeSet<usize>,
    /// Elements and locals that statements that stay read.
    needed: BTreeSet<usize>,
}

impl Sketch {
    /// The sketch of an instance.
    pub(super) fn new(instance: &Instance<'_>) -> Sketch {
        let mut sketch = Sketch { statements: Vec::new() };
        sketch.add(&instance.body);
        sketch
    }

    fn add(&mut self, body: &[Action<'_>]) {
        for action in body {
            let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
            match action {
                Action::Assign { target, value, .. } => {
                    reads(value, usize::MAX, &mut read);
                    indices(target, usize::MAX, &mut read);
                    within(target, usize::MAX, &mut written);
                }
                Action::Fill { first, len, value, .. } => {
                    reads(value, usize::MAX, &mut read);
                    written.extend(*first..*first + *len);
                }
                Action::If(condition, ..) | Action::While(condition, _) => reads(condition, usize::MAX, &mut read),
                Action::Fail | Action::Note(_) => {}
            }
            self.statements
                .push(Statement { reads: read.into_iter().collect(), writes: written.into_iter().collect() });
            match action {
                Action::If(_, then, otherwise) => [then, otherwise].into_iter().for_each(|body| self.add(body)),
                Action::While(_, body) => self.add(body),
                _ => {}
            }
        }
    }

    /// The number of statements.
    pub(super) fn len(&self) -> u64 {
        self.statements.len() as u64
    }
}

/// The body of an instance with this sketch, with the statements that matter to another one that touches these elements.
pub(super) fn kept<'m>(instance: &Instance<'m>, sketch: &Sketch, other: &Touched, wrong: Wrong) -> Box<[Action<'m>]> {
    let dirty = if wrong.statements_left_out() { BTreeSet::new() } else { other.writes.clone() };
    let mut kept = Kept { other, sketch, next: 0, dirty, needed: BTreeSet::new(), wrong };
    loop {
        let before = (kept.dirty.len(), kept.needed.len());
        kept.next = 0;
        limits::work(sketch.len());
        let body = kept.body(&instance.body, false);
        assert_eq!(kept.next, sketch.statements.len(), "every statement has its sketch");
        if before == (kept.dirty.len(), kept.needed.len()) {
            return body.into();
        }
    }
}

impl Kept<'_> {
    /// The statements that stay; `decides` is whether a condition that the other instance may change decides about them.
    fn body<'m>(&mut self, body: &[Action<'m>], decides: bool) -> Vec<Action<'m>> {
        body.iter().filter_map(|action| self.action(action, decides)).collect()
    }

    fn action<'m>(&mut self, action: &Action<'m>, decides: bool) -> Option<Action<'m>> {
        let Statement { reads: read, writes: written } = &self.sketch.statements[self.next];
        self.next += 1;
        let is_dirty = decides || read.iter().any(|at| self.dirty.contains(at));
        let (stays, action) = match action {
            Action::Assign { .. } | Action::Fill { .. } => {
                let Touched { reads, writes } = self.other;
                let is_touched = |at: &usize| self.needed.contains(at) || reads.contains(at) || writes.contains(at);
                let stays = is_dirty || written.iter().any(is_touched);
                if is_dirty {
                    self.dirty.extend(written);
                }
                (stays, action.clone())
            }
            Action::If(condition, then, otherwise) => {
                let [then, otherwise] = [then, otherwise].map(|body| self.body(body, is_dirty));
                let stays = is_dirty || !then.is_empty() || !otherwise.is_empty();
                (stays, Action::If(condition.clone(), then.into(), otherwise.into()))
            }
            // The rounds of all loops of a step are counted together, so that each of them may decide whether another one faults.
            Action::While(condition, body) => {
                let body = self.body(body, is_dirty);
                let stays = !self.wrong.loops_left_out() || is_dirty || !body.is_empty();
                (stays, Action::While(condition.clone(), body.into()))
            }
            Action::Fail => (decides, action.clone()),
            Action::Note(_) => (false, action.clone()),
        };
        if stays {
            self.needed.extend(read);
        }
        stays.then_some(action)
    }
}
