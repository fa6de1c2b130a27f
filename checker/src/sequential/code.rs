//! Compiled expressions, which the search evaluates in place of the tree.
//!
//! Positions of elements are resolved, constants folded, parameters of ground instances inserted. Evaluation gives
//! the value, or nothing where it faults: the reference interpreter reports the fault.
//!
//! Invariant: evaluating a code gives the result of the reference interpreter for the expression it was compiled
//! from, in every state and for every value of the registers within their ranges.

use frontend::sequential::BinaryOp;
use frontend::sequential::interpret::arithmetic;

/// A compiled expression. Conditions are 0 or 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Code<'m> {
    /// A value.
    Constant(i32),
    /// A binder whose value is not known before evaluation.
    Register(usize),
    /// An element of the state.
    Element(usize),
    /// The comparison of an element with a value.
    Test(usize, BinaryOp, i32),
    /// An element of the state that depends on values.
    Read(Box<Offset<'m>>),
    /// An entry of a table that depends on values.
    Lookup(&'m [i32], Box<Offset<'m>>),
    /// `-e`
    Negate(Box<Code<'m>>),
    /// `!e`
    Not(Box<Code<'m>>),
    /// `popcount(e)`
    PopCount(Box<Code<'m>>),
    /// A binary operation.
    Binary(BinaryOp, Box<[Code<'m>; 2]>),
    /// The operands in order up to the first that is false; true if there is none.
    All(Box<[Code<'m>]>),
    /// The operands in order up to the first that is true; false if there is none.
    Any(Box<[Code<'m>]>),
    /// `ite(c, a, b)`
    Ite(Box<[Code<'m>; 3]>),
    /// A quantifier.
    Each(Box<Each<'m>>),
}

/// A row-major offset: a known part, and the unknown indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Offset<'m> {
    /// The known part.
    pub(super) base: usize,
    /// The others, in order.
    pub(super) dimensions: Box<[Dimension<'m>]>,
}

/// An unknown index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dimension<'m> {
    /// The index.
    pub(super) index: Code<'m>,
    /// Its least value.
    pub(super) low: i32,
    /// Its greatest value.
    pub(super) high: i32,
    /// The elements from one index to the next.
    pub(super) stride: usize,
}

/// A quantifier: the values of a register in ascending order, up to the first for which the truth of the body is `last`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Each<'m> {
    /// The register.
    pub(super) register: usize,
    /// Its least value.
    pub(super) low: i32,
    /// Its greatest value.
    pub(super) high: i32,
    /// True for `exists`, false for `forall`.
    pub(super) last: bool,
    /// The condition.
    pub(super) body: Code<'m>,
}

impl<'m> Code<'m> {
    /// The value in a state; `None` where it faults.
    pub(super) fn value(&self, state: &[i32], registers: &mut [i32]) -> Option<i32> {
        Some(match self {
            Code::Constant(value) => *value,
            Code::Register(register) => registers[*register],
            Code::Element(element) => state[*element],
            Code::Test(element, op, value) => i32::from(compare(*op, state[*element], *value)),
            Code::Read(offset) => state[offset.value(state, registers)?],
            Code::Lookup(table, offset) => table[offset.value(state, registers)?],
            Code::Negate(inner) => inner.value(state, registers)?.checked_neg()?,
            Code::Not(inner) => i32::from(inner.value(state, registers)? == 0),
            Code::PopCount(inner) => inner.value(state, registers)?.count_ones().cast_signed(),
            Code::Binary(op, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (left.value(state, registers)?, right.value(state, registers)?);
                if op.is_comparison() {
                    i32::from(compare(*op, left, right))
                } else {
                    arithmetic(*op, left, right).ok()?
                }
            }
            Code::All(list) => return until(list, false, state, registers),
            Code::Any(list) => return until(list, true, state, registers),
            Code::Ite(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if condition.value(state, registers)? == 0 { otherwise } else { then };
                return chosen.value(state, registers);
            }
            Code::Each(each) => return each.value(state, registers),
        })
    }

    /// The codes that it is made of, those of indices among them.
    pub(super) fn parts(&self) -> Vec<&Code<'m>> {
        match self {
            Code::Constant(_) | Code::Register(_) | Code::Element(_) | Code::Test(..) => Vec::new(),
            Code::Read(offset) | Code::Lookup(_, offset) => offset.indices().collect(),
            Code::Negate(inner) | Code::Not(inner) | Code::PopCount(inner) => vec![inner],
            Code::Binary(_, operands) => operands.iter().collect(),
            Code::All(list) | Code::Any(list) => list.iter().collect(),
            Code::Ite(parts) => parts.iter().collect(),
            Code::Each(each) => vec![&each.body],
        }
    }

    /// Whether it needs registers.
    pub(super) fn has_registers(&self) -> bool {
        matches!(self, Code::Register(_) | Code::Each(_)) || self.parts().into_iter().any(Code::has_registers)
    }

    /// The negation of a condition.
    pub(super) fn negated(self) -> Code<'m> {
        match self {
            Code::Constant(value) => Code::Constant(i32::from(value == 0)),
            Code::Test(element, op, value) => Code::Test(element, opposite(op), value),
            other => Code::Not(Box::new(other)),
        }
    }
}

impl<'m> Offset<'m> {
    /// The unknown indices, in order.
    pub(super) fn indices(&self) -> impl Iterator<Item = &Code<'m>> {
        self.dimensions.iter().map(|dimension| &dimension.index)
    }

    /// The offset; `None` where an index faults or is out of range.
    #[inline]
    pub(super) fn value(&self, state: &[i32], registers: &mut [i32]) -> Option<usize> {
        let mut offset = self.base;
        for dimension in &self.dimensions {
            let index = dimension.index.value(state, registers)?;
            if index < dimension.low || index > dimension.high {
                return None;
            }
            offset += steps(dimension.low, index) * dimension.stride;
        }
        Some(offset)
    }
}

impl Each<'_> {
    fn value(&self, state: &[i32], registers: &mut [i32]) -> Option<i32> {
        // Quantifiers of few values are written out.
        limits::work(1 + steps(self.low, self.high) as u64);
        for value in self.low..=self.high {
            registers[self.register] = value;
            if (self.body.value(state, registers)? != 0) == self.last {
                return Some(i32::from(self.last));
            }
        }
        Some(i32::from(!self.last))
    }
}

/// The steps from the least value of a sort to a value.
#[inline]
pub(super) fn steps(low: i32, value: i32) -> usize {
    value.wrapping_sub(low).cast_unsigned() as usize
}

fn until(list: &[Code<'_>], last: bool, state: &[i32], registers: &mut [i32]) -> Option<i32> {
    for operand in list {
        if (operand.value(state, registers)? != 0) == last {
            return Some(i32::from(last));
        }
    }
    Some(i32::from(!last))
}

/// Whether a comparison is true.
#[inline]
pub(super) fn compare(op: BinaryOp, left: i32, right: i32) -> bool {
    match op {
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        BinaryOp::Less => left < right,
        BinaryOp::LessEqual => left <= right,
        BinaryOp::Greater => left > right,
        _ => left >= right,
    }
}

/// The comparison that is true where another one is false.
fn opposite(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        _ => BinaryOp::Less,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPARISONS: [BinaryOp; 6] = [
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
    ];

    #[test]
    fn comparisons_agree_with_the_reference() {
        for op in COMPARISONS {
            for (left, right) in [(0, 0), (0, 1), (1, 0), (i32::MIN, i32::MAX), (i32::MAX, i32::MIN)] {
                let truth = compare(op, left, right);
                assert_eq!(arithmetic(op, left, right), Ok(i32::from(truth)));
                assert_eq!(compare(opposite(op), left, right), !truth);
                assert_eq!(compare(op.mirrored(), right, left), truth);
            }
        }
    }

    #[test]
    fn indices_out_of_range_and_overflows_have_no_value() {
        let read = |index| {
            let dimension = Dimension { index, low: -1, high: 1, stride: 1 };
            Code::Read(Box::new(Offset { base: 2, dimensions: Box::new([dimension]) }))
        };
        let state = [2, 0, 7, 8, 9];
        assert_eq!(read(Code::Constant(1)).value(&state, &mut []), Some(9));
        assert_eq!(read(Code::Element(0)).value(&state, &mut []), None);
        assert_eq!(read(Code::Register(0)).value(&state, &mut [-1]), Some(7));
        assert_eq!(Code::Negate(Box::new(Code::Constant(i32::MIN))).value(&state, &mut []), None);
        let sum = Code::Binary(BinaryOp::Add, Box::new([Code::Constant(i32::MAX), Code::Element(0)]));
        assert_eq!(sum.value(&state, &mut []), None);
    }

    #[test]
    fn skipped_operands_do_not_fault() {
        let fault = || Code::Binary(BinaryOp::Divide, Box::new([Code::Constant(1), Code::Constant(0)]));
        let list = |first| -> Box<[Code<'static>]> { Box::new([Code::Constant(first), fault()]) };
        let value = |code: Code<'_>| code.value(&[], &mut [0]);
        assert_eq!([value(Code::All(list(0))), value(Code::All(list(1)))], [Some(0), None]);
        assert_eq!([value(Code::Any(list(0))), value(Code::Any(list(1)))], [None, Some(1)]);
        let each = |last, body| Code::Each(Box::new(Each { register: 0, low: 0, high: 2, last, body }));
        let inverse = Code::Binary(BinaryOp::Divide, Box::new([Code::Constant(1), Code::Register(0)]));
        assert_eq!(value(each(true, inverse)), None);
        assert_eq!([value(each(true, Code::Register(0))), value(each(false, Code::Register(0)))], [Some(1), Some(0)]);
    }

    /// Nested quantifiers consult the limits once for each value of the outer one.
    #[test]
    fn quantifiers_consult_the_limits() {
        let over = |register, body| Code::Each(Box::new(Each { register, low: 0, high: 99_999, last: true, body }));
        let code = over(0, over(1, Code::Constant(0)));
        let found = limits::Watch::unlimited().at_most(1 << 20).run(|| code.value(&[], &mut [0, 0]));
        assert!(found.is_err());
    }
}
