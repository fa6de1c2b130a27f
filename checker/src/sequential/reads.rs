//! The elements that compiled code reads, whatever the state: the projection that decides its effect.
//!
//! An element at an unknown index represents all elements that the index may refer to. Locals lie behind the elements
//! of the state and are filled before they are read, so they are no part of it; neither is an element where the body has written it on
//! every way to the read.
//!
//! Soundness: the set errs on the side of too many elements. If two states agree on the elements that an instance
//! reads, its guard is true, false or at fault in both, and its body writes the same values to the same elements: a read behind a write gives what
//! the body wrote, there or later, by induction a function of the elements that were read.

use rustc_hash::FxHashSet;

use super::body::{Action, Instance};
use super::code::{Code, Offset};

/// The gathered elements of some code.
#[derive(Debug)]
pub(super) struct Reads {
    /// Elements from here on are locals.
    len: usize,
    /// The number of elements above which a projection has too many.
    most: usize,
    elements: Vec<usize>,
    /// Elements that the body has written on every way to this place.
    written: FxHashSet<usize>,
    /// Known to be wrong: what one side of a choice writes counts as written behind both.
    #[cfg(test)]
    pub(super) joins_sides: bool,
    /// The number of examined parts of code.
    weight: usize,
}

/// The elements that some code reads, ascending, and the number of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Projection {
    /// The elements.
    pub(super) elements: Vec<usize>,
    /// Parts of code.
    pub(super) weight: usize,
}

impl Reads {
    /// An empty set, for states of so many elements; more than `most` reads are too many.
    pub(super) fn new(len: usize, most: usize) -> Reads {
        Reads {
            len,
            most,
            elements: Vec::new(),
            written: FxHashSet::default(),
            #[cfg(test)]
            joins_sides: false,
            weight: 0,
        }
    }

    /// The gathered elements.
    pub(super) fn projection(mut self) -> Projection {
        self.elements.sort_unstable();
        self.elements.dedup();
        Projection { elements: self.elements, weight: self.weight }
    }

    /// Gathers all elements that a trial of an instance reads, without those that were decided before; nothing if
    /// there are too many.
    pub(super) fn instance(&mut self, instance: &Instance<'_>) -> Option<()> {
        self.code(&instance.guard)?;
        instance.shared.iter().chain(&instance.arguments).try_for_each(|code| self.code(code))?;
        self.actions(&instance.body).map(|_| ())
    }

    /// Gathers the elements that a code reads.
    pub(super) fn code(&mut self, code: &Code<'_>) -> Option<()> {
        self.weight += 1;
        let before = self.weight;
        code.parts().into_iter().try_for_each(|part| self.code(part))?;
        match code {
            Code::Element(element) | Code::Test(element, ..) => self.element(*element),
            Code::Read(offset) => self.within(offset.base, offset, 0),
            Code::Each(each) => {
                // It runs again for each value.
                let values = usize::try_from(i64::from(each.high) - i64::from(each.low)).unwrap_or(0);
                self.weight = self.weight.saturating_add((self.weight - before).saturating_mul(values));
                Some(())
            }
            _ => Some(()),
        }
    }

    /// Gathers the elements that actions read which may be executed or not; returns those that they write.
    fn side(&mut self, actions: &[Action<'_>]) -> Option<Vec<usize>> {
        let wrote = self.actions(actions)?;
        wrote.iter().for_each(|element| {
            self.written.remove(element);
        });
        Some(wrote)
    }

    fn joins_sides(&self) -> bool {
        #[cfg(test)]
        return self.joins_sides;
        #[cfg(not(test))]
        false
    }

    /// Gathers the elements that actions read; returns those that they write on every way, and that were not written before.
    fn actions(&mut self, actions: &[Action<'_>]) -> Option<Vec<usize>> {
        let mut wrote = Vec::new();
        for action in actions {
            self.weight += if matches!(action, Action::Note(_)) { 0 } else { 2 };
            match action {
                Action::Assign { target, value, .. } => {
                    target.indices().try_for_each(|index| self.code(index))?;
                    self.code(value)?;
                    if target.dimensions.is_empty() && !self.written.contains(&target.base) {
                        self.written.insert(target.base);
                        wrote.push(target.base);
                    }
                }
                Action::If(condition, then, otherwise) => {
                    self.code(condition)?;
                    let behind = match [self.side(then)?, self.side(otherwise)?] {
                        [_, wrote] if fails(then) => wrote,
                        [wrote, _] if fails(otherwise) || self.joins_sides() => wrote,
                        [first, second] => {
                            let second: FxHashSet<usize> = second.into_iter().collect();
                            first.into_iter().filter(|element| second.contains(element)).collect()
                        }
                    };
                    self.written.extend(&behind);
                    wrote.extend(behind);
                }
                Action::Fill { value, .. } => self.code(value)?,
                Action::While(condition, body) => {
                    self.code(condition)?;
                    self.side(body)?;
                }
                Action::Fail | Action::Note(_) => {}
            }
        }
        Some(wrote)
    }

    /// Every element that an offset may refer to, from a dimension on.
    fn within(&mut self, base: usize, offset: &Offset<'_>, at: usize) -> Option<()> {
        let Some(dimension) = offset.dimensions.get(at) else { return self.element(base) };
        let count = usize::try_from(i64::from(dimension.high) - i64::from(dimension.low)).ok()?;
        (0..=count).try_for_each(|index| self.within(base + index * dimension.stride, offset, at + 1))
    }

    fn element(&mut self, element: usize) -> Option<()> {
        if element < self.len && !self.written.contains(&element) {
            self.elements.push(element);
        }
        (self.elements.len() <= self.most).then_some(())
    }
}

/// Whether nothing is executed behind actions.
fn fails(actions: &[Action<'_>]) -> bool {
    matches!(actions.last(), Some(Action::Fail))
}

#[cfg(test)]
mod tests {
    use super::super::code::Dimension;
    use super::*;
    use frontend::sequential::BinaryOp;

    fn read(code: &Code<'_>, most: usize) -> Option<Vec<usize>> {
        let mut reads = Reads::new(20, most);
        reads.code(code)?;
        Some(reads.projection().elements)
    }

    #[test]
    fn elements_that_are_written_first_are_not_read() {
        let assign = |element, value| Action::Assign {
            target: Offset { base: element, dimensions: Box::default() },
            value,
            low: 0,
            high: 9,
        };
        let copy = |to, from| assign(to, Code::Element(from));
        let either = |then: &[Action<'static>], otherwise: &[Action<'static>]| {
            Action::If(Code::Element(0), then.into(), otherwise.into())
        };
        let read = |actions: &[Action<'_>]| {
            let mut reads = Reads::new(20, 99);
            reads.actions(actions).expect("few elements");
            reads.projection().elements
        };
        assert_eq!(read(&[copy(1, 2), copy(3, 1)]), [2]);
        assert_eq!(read(&[copy(3, 1), copy(1, 2)]), [1, 2]);
        assert_eq!(read(&[either(&[copy(1, 2)], &[copy(1, 3)]), copy(4, 1)]), [0, 2, 3]);
        assert_eq!(read(&[either(&[copy(1, 2)], &[]), copy(4, 1)]), [0, 1, 2]);
        assert_eq!(read(&[either(&[copy(1, 2)], &[Action::Fail]), copy(4, 1)]), [0, 2]);
        assert_eq!(read(&[either(&[Action::Fail], &[copy(1, 2)]), copy(4, 1)]), [0, 2]);
        assert_eq!(read(&[Action::While(Code::Element(5), [copy(1, 2)].into()), copy(4, 1)]), [1, 2, 5]);
        assert_eq!(read(&[copy(1, 2), either(&[copy(1, 3)], &[]), copy(4, 1)]), [0, 2, 3]);
    }

    #[test]
    fn unknown_indices_stand_for_all_elements_and_locals_for_none() {
        let dimension = |index, high, stride| Dimension { index, low: 0, high, stride };
        let offset = Offset {
            base: 1,
            dimensions: Box::new([dimension(Code::Element(0), 1, 5), dimension(Code::Register(0), 2, 1)]),
        };
        let square = Code::Read(Box::new(offset.clone()));
        assert_eq!(read(&square, 9), Some(vec![0, 1, 2, 3, 6, 7, 8]));
        assert_eq!(read(&square, 6), None);
        assert_eq!(read(&Code::Lookup(&[0; 10], Box::new(offset)), 9), Some(vec![0]));
        let sum = Code::Binary(BinaryOp::Add, Box::new([Code::Element(3), Code::Element(20)]));
        assert_eq!(read(&sum, 9), Some(vec![3]));
    }
}
