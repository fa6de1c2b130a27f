//! [`Terms`]: expressions over machine integers that are not enumerated, as a shared graph.
//!
//! Equal terms have equal ids. Operands of commutative operators are ordered by id, which does not depend on their
//! order in the text; `x - c` is `x + (-c)`. An atom is a term whose value is true or false. It states a comparison,
//! that an operation faults, that a value does not fit, or that two elements hold the same created rebec. Comparisons
//! use `==` and `<` only, with constants on the right.
//!
//! Soundness: each rewriting keeps values and faults. Bounds contain all values of a term that does not fault.

use frontend::model::{BinaryOp, RebecId, UnaryOp, Width};
use rustc_hash::FxHashMap;

use super::space::ElementId;

/// Index of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

/// The operation that a term applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `-` or `~`.
    Unary(UnaryOp),
    /// An operator on two integers; as an atom, `==` or `<`.
    Binary(BinaryOp),
    /// `sqrt`.
    SquareRoot,
    /// Atom: evaluating the operation faults although the evaluation of its operands does not.
    Faults,
    /// Atom: the operand does not fit the width.
    Exceeds(Width),
    /// Atom: the operands are the same rebec, both being created ones of one class.
    Same,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant.
    Constant(i32),
    /// The value of an element before the step.
    Input(ElementId),
    /// The created rebec that runs, represented by the stand-in of its class.
    Own(RebecId),
    /// An operation.
    Apply(Operator, Vec<TermId>),
}

/// All terms of a model.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    list: Vec<Term>,
    bounds: Vec<(i64, i64)>,
    index: FxHashMap<Term, TermId>,
}

/// The bounds of any machine integer.
const ANY: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl Operator {
    /// Whether the operator is commutative.
    pub fn commutes(self) -> bool {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Equal, Multiply};
        matches!(self, Operator::Same | Operator::Binary(Add | Multiply | BitAnd | BitOr | BitXor | Equal))
    }
}

impl Terms {
    /// The term of an id.
    pub fn get(&self, id: TermId) -> &Term {
        &self.list[id.0 as usize]
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The least and the greatest value that a term may have.
    pub fn bounds(&self, id: TermId) -> (i64, i64) {
        self.bounds[id.0 as usize]
    }

    /// A constant.
    pub fn constant(&mut self, value: i32) -> TermId {
        self.intern(Term::Constant(value), (i64::from(value), i64::from(value)))
    }

    /// The value of an element of the given width before the step.
    pub fn input(&mut self, element: ElementId, width: Width) -> TermId {
        let range = width.range();
        self.intern(Term::Input(element), (i64::from(*range.start()), i64::from(*range.end())))
    }

    /// An element that holds a rebec, or the created rebec that runs.
    pub fn reference(&mut self, term: Term) -> TermId {
        self.intern(term, ANY)
    }

    /// An operation; commutative operators accept their operands in any order.
    pub fn apply(&mut self, operator: Operator, mut operands: Vec<TermId>) -> TermId {
        if let (Operator::Binary(BinaryOp::Subtract), Term::Constant(value)) =
            (operator, self.get(operands[operands.len() - 1]))
            && let Some(negated) = value.checked_neg()
        {
            operands[1] = self.constant(negated);
            return self.apply(Operator::Binary(BinaryOp::Add), operands);
        }
        if operator.commutes() {
            operands.sort_unstable();
        }
        let bounds = self.result(operator, &operands);
        let bounds = (bounds.0.clamp(ANY.0, ANY.1), bounds.1.clamp(ANY.0, ANY.1));
        self.intern(Term::Apply(operator, operands), bounds)
    }

    /// Whether an operation on these operands may fault.
    pub fn may_fault(&self, operator: Operator, operands: &[TermId]) -> bool {
        let outside = |(low, high): (i64, i64)| low < ANY.0 || high > ANY.1;
        match operator {
            Operator::Unary(UnaryOp::Negate)
            | Operator::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply) => {
                outside(self.result(operator, operands))
            }
            Operator::Binary(BinaryOp::Divide | BinaryOp::Remainder) => {
                let (low, high) = self.bounds(operands[1]);
                low <= 0 && high >= -1
            }
            Operator::Binary(BinaryOp::Power) => true,
            Operator::SquareRoot => self.bounds(operands[0]).0 < 0,
            _ => false,
        }
    }

    /// The bounds of a result, not truncated to 32 bits.
    fn result(&self, operator: Operator, operands: &[TermId]) -> (i64, i64) {
        let bounds: Vec<(i64, i64)> = operands.iter().map(|&operand| self.bounds(operand)).collect();
        match (operator, &bounds[..]) {
            (Operator::Unary(UnaryOp::Negate), &[(low, high)]) => (-high, -low),
            (Operator::Binary(BinaryOp::Add), &[a, b]) => (a.0 + b.0, a.1 + b.1),
            (Operator::Binary(BinaryOp::Subtract), &[a, b]) => (a.0 - b.1, a.1 - b.0),
            (Operator::Binary(BinaryOp::Multiply), &[a, b]) => {
                let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                (*products.iter().min().expect("four"), *products.iter().max().expect("four"))
            }
            _ => ANY,
        }
    }

    fn intern(&mut self, term: Term, bounds: (i64, i64)) -> TermId {
        if let Some(&known) = self.index.get(&term) {
            return known;
        }
        let id = TermId(u32::try_from(self.list.len()).expect("the number of terms is bounded"));
        let operands = if let Term::Apply(_, operands) = &term { &operands[..] } else { &[] };
        debug_assert!(operands.iter().all(|operand| *operand < id), "a term follows its operands");
        debug_assert!(bounds.0 <= bounds.1, "a term has a value");
        self.list.push(term.clone());
        self.bounds.push(bounds);
        self.index.insert(term, id);
        id
    }

    /// For each term the term with every element replaced.
    pub fn images(&mut self, image: &dyn Fn(ElementId) -> ElementId) -> Vec<TermId> {
        let mut images: Vec<TermId> = Vec::with_capacity(self.list.len());
        for place in 0..self.list.len() {
            let bounds = self.bounds[place];
            let moved = match self.list[place].clone() {
                term @ (Term::Constant(_) | Term::Own(_)) => self.intern(term, bounds),
                Term::Input(element) => self.intern(Term::Input(image(element)), bounds),
                Term::Apply(operator, operands) => {
                    let operands = operands.into_iter().map(|operand| images[operand.0 as usize]).collect();
                    self.apply(operator, operands)
                }
            };
            debug_assert_eq!(self.bounds(moved), bounds, "the image of a term has its bounds");
            images.push(moved);
        }
        images
    }
}
