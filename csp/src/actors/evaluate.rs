//! The evaluation of expressions along a path: to constants, copies of inputs, or terms.
//!
//! Operators on values are those of `frontend::interpret::arithmetic`. The path splits an input into its values where
//! an operator needs the value, and into two sets of values where a test compares the input with a constant.

use frontend::interpret::arithmetic;
use frontend::model::{Base, BinaryOp, Expr, ExprKind, RebecId, Sort, UnaryOp, Value};

use super::cube::Key;
use super::space::ElementId;
use super::summary::Receiver;
use super::term::{Operator, TermId};
use super::walk::{ERROR, Frame, Stop, Val, Walk};

impl Walk<'_, '_> {
    /// Whether a condition holds.
    pub(super) fn condition(&mut self, frame: &Frame<'_>, expr: &Expr) -> Result<bool, Stop> {
        let value = self.evaluate(frame, expr)?;
        match self.known(value)? {
            Value::Bool(value) => Ok(value),
            _ => Err(Stop::Opaque("a condition that is no boolean")),
        }
    }

    /// The value of an expression.
    pub(super) fn evaluate(&mut self, frame: &Frame<'_>, expr: &Expr) -> Result<Val, Stop> {
        let known = |value| Ok(Val::Known(value));
        match &expr.kind {
            ExprKind::Bool(value) => known(Value::Bool(*value)),
            ExprKind::Int(value) => known(Value::Int(*value)),
            ExprKind::Scalar(value) => known(Value::Scalar(*value)),
            ExprKind::Null => known(Value::Null),
            ExprKind::Rebec(rebec) => known(Value::Rebec(*rebec)),
            ExprKind::SelfRef => Ok(self.own),
            ExprKind::Sender => Ok(self.sender),
            ExprKind::Feature(feature) => {
                let element = self.space.feature(feature.index());
                Ok(self.input(element))
            }
            ExprKind::Read(place) => {
                let element = self.locate(frame, place)?;
                let value = match place.base {
                    Base::Variable(_) => self.values[element],
                    Base::Local(_) => frame.locals[element],
                    Base::Remote(rebec, _) => {
                        let element = self.space.state(rebec, element);
                        self.input(element)
                    }
                };
                self.defined(value)
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.evaluate(frame, operand)?;
                match operand {
                    Val::Term(term) => self.operation(Operator::Unary(*op), vec![term]),
                    _ => {
                        let operand = self.known(operand)?;
                        arithmetic::unary(*op, operand).map(Val::Known).map_err(|_| ERROR)
                    }
                }
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.evaluate(frame, left)?;
                let right = self.evaluate(frame, right)?;
                self.binary(*op, left, right)
            }
            ExprKind::And(operands) => self.up_to(frame, operands, false),
            ExprKind::Or(operands) => self.up_to(frame, operands, true),
            ExprKind::Ite(condition, then, otherwise) => {
                let branch = if self.condition(frame, condition)? { then } else { otherwise };
                self.evaluate(frame, branch)
            }
            ExprKind::Narrow(width, operand) => {
                let value = self.evaluate(frame, operand)?;
                self.convert(value, Sort::Int(*width))
            }
            ExprKind::Cast(class, operand) => {
                let value = self.evaluate(frame, operand)?;
                self.convert(value, Sort::Rebec(*class))
            }
            ExprKind::InstanceOf(class, operand) => {
                let value = self.evaluate(frame, operand)?;
                let model = self.model();
                let is = |value| matches!(value, Value::Rebec(rebec) if model.conforms(model.class_of(rebec), *class));
                known(Value::Bool(self.satisfies(value, is)?))
            }
            ExprKind::Rotate(operand, amount) => {
                let value = self.evaluate(frame, operand)?;
                let amount = self.evaluate(frame, amount)?;
                match (self.known(value)?, self.known(amount)?, expr.sort) {
                    (Value::Scalar(value), Value::Int(amount), Sort::Scalar(set)) => {
                        known(arithmetic::rotate(self.model().scalar_set(set), value, amount))
                    }
                    _ => Err(Stop::Opaque("a rotation of something else than a scalar")),
                }
            }
            ExprKind::SquareRoot(operand) => match self.evaluate(frame, operand)? {
                Val::Term(term) => self.operation(Operator::SquareRoot, vec![term]),
                value => match self.known(value)? {
                    Value::Int(value) => arithmetic::square_root(value).map(Val::Known).map_err(|_| ERROR),
                    _ => Err(Stop::Opaque("the root of something else than an integer")),
                },
            },
        }
    }

    /// The conjunction or disjunction of operands, evaluated up to the first that gives `end`.
    fn up_to(&mut self, frame: &Frame<'_>, operands: &[Expr], end: bool) -> Result<Val, Stop> {
        for operand in operands {
            if self.condition(frame, operand)? == end {
                return Ok(Val::Known(Value::Bool(end)));
            }
        }
        Ok(Val::Known(Value::Bool(!end)))
    }

    /// The value itself; reading an undefined scalar faults.
    fn defined(&mut self, value: Val) -> Result<Val, Stop> {
        if self.satisfies(value, |value| value == Value::Undefined)? { Err(ERROR) } else { Ok(value) }
    }

    /// Whether a value satisfies a test on constants; terms never do.
    fn satisfies(&mut self, value: Val, test: impl Fn(Value) -> bool) -> Result<bool, Stop> {
        match value {
            Val::Known(value) => Ok(test(value)),
            Val::Input(element) => Ok(self.test(element, test)),
            Val::Own(rebec) | Val::New(rebec, _) => Ok(test(Value::Rebec(rebec))),
            Val::Term(_) => Ok(false),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Val, right: Val) -> Result<Val, Stop> {
        let known = |holds: bool| Ok(Val::Known(Value::Bool(holds)));
        match op {
            BinaryOp::Equal => known(self.equal(left, right)?),
            BinaryOp::NotEqual => known(!self.equal(left, right)?),
            BinaryOp::Less => known(self.less(left, right)?),
            BinaryOp::GreaterEqual => known(!self.less(left, right)?),
            BinaryOp::Greater => known(self.less(right, left)?),
            BinaryOp::LessEqual => known(!self.less(right, left)?),
            _ => match (left, right) {
                (Val::Term(_), _) | (_, Val::Term(_)) => {
                    let operands = vec![self.term(left)?, self.term(right)?];
                    self.operation(Operator::Binary(op), operands)
                }
                _ => {
                    let (left, right) = (self.known(left)?, self.known(right)?);
                    arithmetic::binary(op, left, right).map(Val::Known).map_err(|_| ERROR)
                }
            },
        }
    }

    /// Whether two values are equal.
    pub(super) fn equal(&mut self, left: Val, right: Val) -> Result<bool, Stop> {
        match (self.look(left), self.look(right)) {
            (Val::Known(left), Val::Known(right)) => Ok(left == right),
            (Val::Input(element), Val::Known(value)) | (Val::Known(value), Val::Input(element)) => {
                Ok(self.test(element, |other| other == value))
            }
            (Val::Input(one), Val::Input(other)) if one == other => Ok(true),
            (Val::Input(one), Val::Input(other)) => {
                let swap = self.space.values(other).len() < self.space.values(one).len();
                let (few, many) = if swap { (other, one) } else { (one, other) };
                match self.as_constant(Val::Input(few)) {
                    Val::Known(value) => Ok(self.test(many, |other| other == value)),
                    _ => {
                        let rebec = self.created_in(few);
                        Ok(self.test(many, |other| other == Value::Rebec(rebec))
                            && self.same(Receiver::Held(few, rebec), Receiver::Held(many, rebec)))
                    }
                }
            }
            (Val::Own(_) | Val::New(..), Val::Own(_) | Val::New(..)) => Ok(left == right),
            (Val::Input(element), Val::Own(rebec)) | (Val::Own(rebec), Val::Input(element)) => Ok(self
                .test(element, |other| other == Value::Rebec(rebec))
                && self.same(Receiver::Held(element, rebec), Receiver::Own(rebec))),
            (Val::New(..) | Val::Own(_), _) | (_, Val::New(..) | Val::Own(_)) => Ok(false),
            (left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                let ((low, high), (least, most)) = (self.terms.bounds(left), self.terms.bounds(right));
                if left == right || high < least || most < low {
                    return Ok(left == right);
                }
                let atom = self.terms.apply(Operator::Binary(BinaryOp::Equal), vec![left, right]);
                Ok(self.atom(atom))
            }
        }
    }

    /// The stand-in of the created rebec that an element holds.
    pub(super) fn created_in(&self, element: ElementId) -> RebecId {
        let mask = self.cube.get(&Key::Element(element)).copied().unwrap_or_else(|| self.space.full(element));
        debug_assert_eq!(mask.count_ones(), 1, "only the identity of the created rebec is open");
        match self.space.values(element)[mask.trailing_zeros() as usize] {
            Value::Rebec(rebec) => rebec,
            _ => unreachable!("only a created rebec stays open"),
        }
    }

    /// Whether one integer is less than another.
    fn less(&mut self, left: Val, right: Val) -> Result<bool, Stop> {
        let below = |one: Value, other: Value| matches!((one, other), (Value::Int(a), Value::Int(b)) if a < b);
        match (self.look(left), self.look(right)) {
            (Val::Known(left), Val::Known(right)) => Ok(below(left, right)),
            (Val::Input(element), Val::Known(value)) => Ok(self.test(element, |other| below(other, value))),
            (Val::Known(value), Val::Input(element)) => Ok(self.test(element, |other| below(value, other))),
            (Val::Input(one), Val::Input(other)) if one == other => Ok(false),
            (Val::Input(one), right @ Val::Input(_)) => {
                let value = self.known(Val::Input(one))?;
                self.less(Val::Known(value), right)
            }
            // `c < t` is `!(t < c + 1)`.
            (Val::Known(Value::Int(value)), right) if value < i32::MAX => {
                Ok(!self.less(right, Val::Known(Value::Int(value + 1)))?)
            }
            (left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                let ((low, high), (least, most)) = (self.terms.bounds(left), self.terms.bounds(right));
                if high < least || most <= low || left == right {
                    return Ok(high < least);
                }
                let atom = self.terms.apply(Operator::Binary(BinaryOp::Less), vec![left, right]);
                Ok(self.atom(atom))
            }
        }
    }

    /// An integer as a term.
    fn term(&mut self, value: Val) -> Result<TermId, Stop> {
        match value {
            Val::Term(term) => Ok(term),
            value => match self.known(value)? {
                Value::Int(value) => Ok(self.terms.constant(value)),
                _ => Err(Stop::Opaque("an integer operator on something else")),
            },
        }
    }

    /// An operation on terms; the path splits where the operation may fault.
    fn operation(&mut self, operator: Operator, operands: Vec<TermId>) -> Result<Val, Stop> {
        if let Operator::Unary(UnaryOp::Not) = operator {
            return Err(Stop::Opaque("a boolean operator on integers"));
        }
        let may_fault = self.terms.may_fault(operator, &operands);
        let term = self.terms.apply(operator, operands);
        if may_fault {
            let atom = self.terms.apply(Operator::Faults, vec![term]);
            if self.atom(atom) {
                return Err(ERROR);
            }
        }
        Ok(Val::Term(term))
    }

    /// The value as it is stored in a variable of a sort: integers must fit its width, rebecs must conform to its
    /// class.
    pub(super) fn convert(&mut self, value: Val, sort: Sort) -> Result<Val, Stop> {
        let model = self.model();
        let fits = |value: Value| match (value, sort) {
            (Value::Int(number), Sort::Int(width)) => width.range().contains(&number),
            (Value::Rebec(rebec), Sort::Rebec(class)) => model.conforms(model.class_of(rebec), class),
            _ => true,
        };
        match (value, sort) {
            (Val::Term(term), Sort::Int(width)) => {
                let (low, high) = self.terms.bounds(term);
                let range = width.range();
                if low >= i64::from(*range.start()) && high <= i64::from(*range.end()) {
                    return Ok(value);
                }
                let atom = self.terms.apply(Operator::Exceeds(width), vec![term]);
                if self.atom(atom) { Err(ERROR) } else { Ok(value) }
            }
            _ => {
                if self.satisfies(value, |value| !fits(value))? {
                    Err(ERROR)
                } else {
                    Ok(value)
                }
            }
        }
    }
}
