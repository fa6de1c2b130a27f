//! Terms over the first values of elements, in a case: some of them are assumed to have values.
//!
//! Invariant: under the assumptions, a term has the value of the expression that it stands for in every state for which they
//! hold; equal terms have one number.
//!
//! Soundness: the range of a term has every value that it may have; the values that a split tells apart are all of a range.
//!
//! Complexity: constant for each term that is made.

use frontend::sequential::BinaryOp;
use frontend::sequential::interpret::arithmetic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::compare;
use super::possible::Possible;
use super::value_set::ValueSet;

/// The number of a term.
pub(super) type Term = u32;

/// A term, by those that it is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    Constant(i32),
    /// The value of an element before both instances.
    Initial(usize),
    Negate(Term),
    PopCount(Term),
    Binary(BinaryOp, Term, Term),
    /// Whether an operation faults.
    Faults(BinaryOp, Term, Term),
    /// Whether a value is below or above a range.
    Outside(Term, i32, i32),
}

/// Terms, each of which occurs once, with the least and the greatest value that it may have.
pub(super) struct Terms<'b> {
    /// The values that elements may have.
    pub(super) possible: &'b Possible,
    nodes: Vec<Node>,
    ranges: Vec<(i64, i64)>,
    numbers: FxHashMap<Node, Term>,
    /// The values of terms in the case at hand.
    assumed: FxHashMap<Term, i32>,
    /// The values to which assumptions restrict elements, in order.
    restricted: Vec<(Term, usize, ValueSet)>,
}

/// What ends an execution early.
pub(super) enum Stop {
    /// A fault, at the address of the code or action.
    Fault(usize),
    /// The value of a term is needed.
    Split(Term),
    /// Out of bounds, or not expressible.
    Unknown,
}

const WHOLE: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl<'b> Terms<'b> {
    /// No terms, of elements that may have some values.
    pub(super) fn new(possible: &'b Possible) -> Terms<'b> {
        Terms {
            possible,
            nodes: Vec::new(),
            ranges: Vec::new(),
            numbers: FxHashMap::default(),
            assumed: FxHashMap::default(),
            restricted: Vec::new(),
        }
    }

    /// Assumes that a term has a value, until it is released; false if no state has the values that are assumed.
    pub(super) fn assume(&mut self, term: Term, value: i32) -> bool {
        let before = self.assumed.insert(term, value);
        assert!(before.is_none(), "a term that is assumed has its value");
        let Some((element, set)) = self.restriction(term, value) else { return true };
        self.restricted.push((term, element, set));
        let own = self.left(element);
        let others = self.restricted.iter().filter(|of| of.1 != element);
        !own.is_empty()
            && others.into_iter().all(|&(_, other, values)| self.possible.meet((element, own), (other, values)))
    }

    /// Ends an assumption.
    pub(super) fn release(&mut self, term: Term) {
        let before = self.assumed.remove(&term);
        assert!(before.is_some(), "an assumption ends once");
        self.restricted.retain(|of| of.0 != term);
    }

    /// The element whose values an assumption restricts, and these values.
    fn restriction(&self, term: Term, value: i32) -> Option<(usize, ValueSet)> {
        let initial = |term: Term| match self.nodes[term as usize] {
            Node::Initial(element) => Some(element),
            _ => None,
        };
        let (element, only, is_equal) = match self.nodes[term as usize] {
            Node::Initial(_) => (initial(term)?, value, true),
            Node::Binary(BinaryOp::Equal, one, other) => match (initial(one), initial(other)) {
                (Some(element), None) => (element, self.constant(other)?, value != 0),
                (None, Some(element)) => (element, self.constant(one)?, value != 0),
                _ => return None,
            },
            _ => return None,
        };
        let values = self.possible.values(element);
        let set = if is_equal {
            values.intersection(ValueSet::of(only))
        } else {
            values.map(|value| (value != only).then_some(value))
        };
        Some((element, set))
    }

    /// Whether every value of a term is in a range.
    pub(super) fn is_within(&self, term: Term, (low, high): (i32, i32)) -> bool {
        let (least, most) = self.ranges[term as usize];
        least >= i64::from(low) && most <= i64::from(high)
    }

    /// The term whose values are told apart so that a term gets its value, and these values.
    pub(super) fn split(&self, mut term: Term) -> Option<(Term, Vec<i32>)> {
        while let Node::Binary(BinaryOp::Equal, one, other) = self.nodes[term as usize]
            && let Some(inner) = self.negated(one, other)
        {
            term = inner;
        }
        let mut elements = FxHashSet::default();
        self.elements(term, &mut elements);
        let is_truth = self.ranges[term as usize] == (0, 1) && !matches!(self.nodes[term as usize], Node::Initial(_));
        let is_test = match self.nodes[term as usize] {
            Node::Binary(BinaryOp::Equal, ..) => true,
            _ => elements.len() > 1,
        };
        if is_truth && is_test {
            return Some((term, vec![1, 0]));
        }
        let few = elements.into_iter().filter_map(|element| Some((element, self.possible.values(element).members()?)));
        match few.min_by_key(|&(element, _)| element) {
            Some((element, values)) => Some((self.numbers[&Node::Initial(element)], values.collect())),
            None => is_truth.then(|| (term, vec![1, 0])),
        }
    }

    /// The term whose negation is an equation of two terms, if it is one.
    fn negated(&self, one: Term, other: Term) -> Option<Term> {
        let is_zero = |term| self.constant(term) == Some(0);
        let inner = if is_zero(one) { other } else { Some(one).filter(|_| is_zero(other))? };
        (self.ranges[inner as usize] == (0, 1)).then_some(inner)
    }

    /// A term in the case at hand.
    pub(super) fn make(&mut self, node: Node) -> Term {
        let term = self.number(node);
        if let Some(&value) = self.assumed.get(&term) {
            return self.number(Node::Constant(value));
        }
        match node {
            Node::Initial(element) => self.only(element).map_or(term, |value| self.number(Node::Constant(value))),
            _ => term,
        }
    }

    /// The only value of an element that the assumptions leave.
    fn only(&self, element: usize) -> Option<i32> {
        let left = self.left(element);
        left.members()?.next().filter(|_| left.count() == Some(1))
    }

    /// The values of an element that the assumptions leave.
    fn left(&self, element: usize) -> ValueSet {
        let own = self.restricted.iter().filter(|of| of.1 == element);
        own.fold(self.possible.values(element), |all, of| all.intersection(of.2))
    }

    /// The value of a term that is a constant.
    pub(super) fn constant(&self, term: Term) -> Option<i32> {
        match self.nodes[term as usize] {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a term.
    ///
    /// # Errors
    /// The case does not decide it.
    pub(super) fn value(&self, term: Term) -> Result<i32, Stop> {
        self.constant(term).ok_or(Stop::Split(term))
    }

    /// The truth of a comparison.
    pub(super) fn comparison(&mut self, op: BinaryOp, left: Term, right: Term) -> Term {
        let truth = |terms: &mut Self, truth: bool| terms.make(Node::Constant(i32::from(truth)));
        if left == right {
            return truth(self, compare(op, 0, 0));
        }
        if let (Some(left), Some(right)) = (self.constant(left), self.constant(right)) {
            return truth(self, compare(op, left, right));
        }
        match op {
            BinaryOp::NotEqual => {
                let equal = self.comparison(BinaryOp::Equal, left, right);
                self.not(equal)
            }
            BinaryOp::GreaterEqual => {
                let less = self.comparison(BinaryOp::Less, left, right);
                self.not(less)
            }
            BinaryOp::Greater => self.comparison(BinaryOp::Less, right, left),
            BinaryOp::LessEqual => {
                let less = self.comparison(BinaryOp::Less, right, left);
                self.not(less)
            }
            _ => {
                let ((low, high), (least, most)) = (self.ranges[left as usize], self.ranges[right as usize]);
                let is_equal = op == BinaryOp::Equal;
                if high < least || low > most && is_equal {
                    return truth(self, !is_equal);
                }
                if low >= most && !is_equal {
                    return truth(self, false);
                }
                let (left, right) = if is_equal { (left.min(right), left.max(right)) } else { (left, right) };
                self.make(Node::Binary(op, left, right))
            }
        }
    }

    /// The negation of a condition.
    pub(super) fn not(&mut self, term: Term) -> Term {
        let zero = self.make(Node::Constant(0));
        if let Some(value) = self.constant(term) {
            return self.make(Node::Constant(i32::from(value == 0)));
        }
        self.make(Node::Binary(BinaryOp::Equal, term.min(zero), term.max(zero)))
    }

    /// Whether an operation faults for no operands that the terms may have.
    fn always_fits(&self, op: BinaryOp, left: Term, right: Term) -> bool {
        use BinaryOp::{Add, Divide, Modulo, Multiply, Power, Quotient, Remainder, Root, Subtract};
        match op {
            Add | Subtract | Multiply => {
                self.range(&Node::Binary(op, left, right)).is_some_and(|(low, high)| low >= WHOLE.0 && high <= WHOLE.1)
            }
            Divide | Modulo | Quotient | Remainder | Power | Root => false,
            _ => true,
        }
    }

    /// The value of an operation at a place.
    ///
    /// # Errors
    /// It faults, or the case does not decide whether it does.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: Term, right: Term, place: usize) -> Result<Term, Stop> {
        if let (Some(left), Some(right)) = (self.constant(left), self.constant(right)) {
            let value = arithmetic(op, left, right).map_err(|_| Stop::Fault(place))?;
            return Ok(self.make(Node::Constant(value)));
        }
        if !self.always_fits(op, left, right) {
            let faults = self.make(Node::Faults(op, left, right));
            if self.value(faults)? != 0 {
                return Err(Stop::Fault(place));
            }
        }
        Ok(self.make(Node::Binary(op, left, right)))
    }

    fn number(&mut self, node: Node) -> Term {
        if let Some(&known) = self.numbers.get(&node) {
            return known;
        }
        let number = Term::try_from(self.nodes.len()).expect("few evaluations");
        let (low, high) = self.range(&node).unwrap_or(WHOLE);
        debug_assert!(low <= high, "a term has a value");
        self.ranges.push((low.max(WHOLE.0), high.min(WHOLE.1)));
        self.nodes.push(node);
        self.numbers.insert(node, number);
        number
    }

    /// The least and the greatest value, not yet cut to those that there are.
    fn range(&self, node: &Node) -> Option<(i64, i64)> {
        let of = |term: Term| self.ranges[term as usize];
        Some(match *node {
            Node::Constant(value) => (value.into(), value.into()),
            Node::Initial(element) => {
                if let Some(mut values) = self.possible.values(element).members() {
                    let least = values.next()?;
                    (least.into(), values.last().unwrap_or(least).into())
                } else {
                    let (low, count) = self.possible.bounds(element);
                    (low.into(), i64::from(low) + i64::try_from(count).ok()? - 1)
                }
            }
            Node::Faults(..) | Node::Outside(..) => (0, 1),
            Node::PopCount(_) => (0, 32),
            Node::Negate(term) => (-of(term).1, -of(term).0),
            Node::Binary(op, left, right) => {
                let ((low, high), (least, most)) = (of(left), of(right));
                match op {
                    BinaryOp::Add => (low + least, high + most),
                    BinaryOp::Subtract => (low - most, high - least),
                    BinaryOp::Multiply => {
                        let all = [low * least, low * most, high * least, high * most];
                        (*all.iter().min()?, *all.iter().max()?)
                    }
                    BinaryOp::BitAnd if low >= 0 => (0, high),
                    BinaryOp::BitAnd if least >= 0 => (0, most),
                    op if op.is_comparison() => (0, 1),
                    _ => return None,
                }
            }
        })
    }

    /// The elements of which a term depends on the first values.
    fn elements(&self, term: Term, into: &mut FxHashSet<usize>) {
        match self.nodes[term as usize] {
            Node::Constant(_) => {}
            Node::Initial(element) => {
                into.insert(element);
            }
            Node::Negate(inner) | Node::PopCount(inner) | Node::Outside(inner, ..) => self.elements(inner, into),
            Node::Binary(_, left, right) | Node::Faults(_, left, right) => {
                self.elements(left, into);
                self.elements(right, into);
            }
        }
    }
}
