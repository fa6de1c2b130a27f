//! What compiled code reads of a state, whatever the state: the projection that decides what it does.
//!
//! An element at an index that is not known stands for all elements that the index may mean. Locals lie behind the elements
//! of the state and are filled before they are read, so they are no part of it.
//!
//! Soundness: too much is read rather than too little. Two states that agree on what an instance reads have its guard true,
//! false or at fault in both, and its body writes the same values to the same elements.

use super::body::{Action, Instance};
use super::code::{Code, Offset};

/// The elements that something reads, as far as they are gathered.
#[derive(Debug)]
pub(super) struct Reads {
    /// Elements from here on are locals.
    len: usize,
    /// More than so many, one by one, are too many.
    most: usize,
    elements: Vec<usize>,
    /// Parts of code that were looked at.
    weight: usize,
}

/// What something reads, ascending, and how many parts it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Projection {
    /// The elements.
    pub(super) elements: Vec<usize>,
    /// Parts of code.
    pub(super) weight: usize,
}

impl Reads {
    /// Nothing, of states of so many elements; more than `most` reads are too many.
    pub(super) fn new(len: usize, most: usize) -> Reads {
        Reads { len, most, elements: Vec::new(), weight: 0 }
    }

    /// What was gathered.
    pub(super) fn projection(mut self) -> Projection {
        self.elements.sort_unstable();
        self.elements.dedup();
        Projection { elements: self.elements, weight: self.weight }
    }

    /// Gathers all that an instance reads when it is tried, besides what was decided before; nothing if it is too much.
    pub(super) fn instance(&mut self, instance: &Instance<'_>) -> Option<()> {
        self.code(&instance.guard)?;
        instance.shared.iter().chain(&instance.arguments).try_for_each(|code| self.code(code))?;
        self.actions(&instance.body)
    }

    /// Gathers what a code reads.
    pub(super) fn code(&mut self, code: &Code<'_>) -> Option<()> {
        self.weight += 1;
        match code {
            Code::Constant(_) | Code::Register(_) => Some(()),
            Code::Element(element) | Code::Test(element, ..) => self.element(*element),
            Code::Read(offset) => {
                self.indices(offset)?;
                self.within(offset.base, offset, 0)
            }
            Code::Lookup(_, offset) => self.indices(offset),
            Code::Negate(inner) | Code::Not(inner) | Code::PopCount(inner) => self.code(inner),
            Code::Binary(_, operands) => operands.iter().try_for_each(|operand| self.code(operand)),
            Code::All(list) | Code::Any(list) => list.iter().try_for_each(|operand| self.code(operand)),
            Code::Ite(parts) => parts.iter().try_for_each(|part| self.code(part)),
            Code::Each(each) => {
                // It runs again for each value.
                let before = self.weight;
                self.code(&each.body)?;
                let values = usize::try_from(i64::from(each.high) - i64::from(each.low)).unwrap_or(0);
                self.weight = self.weight.saturating_add((self.weight - before).saturating_mul(values));
                Some(())
            }
        }
    }

    fn actions(&mut self, actions: &[Action<'_>]) -> Option<()> {
        for action in actions {
            self.weight += 2;
            match action {
                Action::Assign { target, value, .. } => {
                    self.indices(target)?;
                    self.code(value)?;
                }
                Action::If(condition, then, otherwise) => {
                    self.code(condition)?;
                    self.actions(then)?;
                    self.actions(otherwise)?;
                }
                Action::Fill { value, .. } => self.code(value)?,
                Action::While(condition, body) => {
                    self.code(condition)?;
                    self.actions(body)?;
                }
                Action::Fail => {}
            }
        }
        Some(())
    }

    fn indices(&mut self, offset: &Offset<'_>) -> Option<()> {
        offset.dimensions.iter().try_for_each(|dimension| self.code(&dimension.index))
    }

    /// Every element that an offset may mean, from a dimension on.
    fn within(&mut self, base: usize, offset: &Offset<'_>, at: usize) -> Option<()> {
        let Some(dimension) = offset.dimensions.get(at) else { return self.element(base) };
        let count = usize::try_from(i64::from(dimension.high) - i64::from(dimension.low)).ok()?;
        (0..=count).try_for_each(|index| self.within(base + index * dimension.stride, offset, at + 1))
    }

    fn element(&mut self, element: usize) -> Option<()> {
        if element < self.len {
            self.elements.push(element);
        }
        (self.elements.len() <= self.most).then_some(())
    }
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
