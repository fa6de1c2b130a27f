//! Expressions over values that depend on literals, evaluated as in `frontend::interpret`: left to right,
//! short-circuit, with a fault for an expression without a value.

use frontend::interpret::FaultClass;
use frontend::interpret::arithmetic::{binary, rotate, square_root, unary};
use frontend::model::{Base, Dimension, Expr, ExprKind, Place, Sort, Value};

use super::TooMuch;
use super::body::{Frame, Machine};
use super::circuit::{FALSE, Lit};
use super::value::{Symbol, constant, is};

impl Machine<'_> {
    /// The value of an expression where the path is taken.
    pub(super) fn evaluate(&mut self, frame: &Frame<'_>, path: Lit, expr: &Expr) -> Result<Symbol, TooMuch> {
        let model = self.model;
        match &expr.kind {
            ExprKind::Bool(value) => Ok(constant(Value::Bool(*value))),
            ExprKind::Int(value) => Ok(constant(Value::Int(*value))),
            ExprKind::Scalar(value) => Ok(constant(Value::Scalar(*value))),
            ExprKind::Null => Ok(constant(Value::Null)),
            ExprKind::Rebec(rebec) => Ok(constant(Value::Rebec(*rebec))),
            ExprKind::SelfRef => Ok(constant(Value::Rebec(frame.rebec))),
            ExprKind::Sender => Ok(frame.sender.clone()),
            ExprKind::Feature(feature) => Ok(self.features[feature.index()].clone()),
            ExprKind::Read(place) => self.read(frame, path, place),
            ExprKind::Unary(op, inner) => {
                let inner = self.evaluate(frame, path, inner)?;
                self.apply(path, &inner, &|value| unary(*op, value).ok())
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.evaluate(frame, path, left)?;
                let right = self.evaluate(frame, path, right)?;
                let (value, none) = self.circuit.map_both(&left, &right, &|a, b| binary(*op, a, b).ok())?;
                self.fault(path, none, FaultClass::Error);
                Ok(value)
            }
            ExprKind::And(operands) => self.up_to(frame, path, operands, false),
            ExprKind::Or(operands) => self.up_to(frame, path, operands, true),
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.condition(frame, path, condition)?;
                let (yes, no) = (self.circuit.and(path, condition), self.circuit.and(path, condition.opposite()));
                let then = if yes == FALSE { Vec::new() } else { self.evaluate(frame, yes, then)? };
                let otherwise = if no == FALSE { Vec::new() } else { self.evaluate(frame, no, otherwise)? };
                self.circuit.select(condition, &then, &otherwise)
            }
            ExprKind::Narrow(width, inner) => {
                let inner = self.evaluate(frame, path, inner)?;
                self.convert(path, &inner, Sort::Int(*width))
            }
            ExprKind::Cast(class, inner) => {
                let inner = self.evaluate(frame, path, inner)?;
                self.convert(path, &inner, Sort::Rebec(*class))
            }
            ExprKind::InstanceOf(class, inner) => {
                let inner = self.evaluate(frame, path, inner)?;
                let conforms =
                    |value| matches!(value, Value::Rebec(rebec) if model.conforms(model.class_of(rebec), *class));
                self.apply(path, &inner, &|value| Some(Value::Bool(conforms(value))))
            }
            ExprKind::Rotate(inner, amount) => {
                let inner = self.evaluate(frame, path, inner)?;
                let amount = self.evaluate(frame, path, amount)?;
                let sort = expr.sort;
                let turned = |value, amount| match (value, amount, sort) {
                    (Value::Scalar(value), Value::Int(amount), Sort::Scalar(set)) => {
                        Some(rotate(model.scalar_set(set), value, amount))
                    }
                    _ => None,
                };
                let (value, none) = self.circuit.map_both(&inner, &amount, &turned)?;
                self.fault(path, none, FaultClass::Error);
                Ok(value)
            }
            ExprKind::SquareRoot(inner) => {
                let inner = self.evaluate(frame, path, inner)?;
                let root = |value| if let Value::Int(value) = value { square_root(value).ok() } else { None };
                self.apply(path, &inner, &root)
            }
        }
    }

    /// The literal of a condition.
    pub(super) fn condition(&mut self, frame: &Frame<'_>, path: Lit, expr: &Expr) -> Result<Lit, TooMuch> {
        Ok(is(&self.evaluate(frame, path, expr)?, Value::Bool(true)))
    }

    fn apply(&mut self, path: Lit, one: &Symbol, apply: &dyn Fn(Value) -> Option<Value>) -> Result<Symbol, TooMuch> {
        let (value, none) = self.circuit.map(one, apply)?;
        self.fault(path, none, FaultClass::Error);
        Ok(value)
    }

    /// Evaluates operands until one gives `end`.
    fn up_to(&mut self, frame: &Frame<'_>, path: Lit, operands: &[Expr], end: bool) -> Result<Symbol, TooMuch> {
        let (mut path, mut ended) = (path, FALSE);
        for operand in operands {
            let value = is(&self.evaluate(frame, path, operand)?, Value::Bool(end));
            let here = self.circuit.and(path, value);
            ended = self.circuit.or(ended, here);
            path = self.circuit.and(path, value.opposite());
            if path == FALSE {
                break;
            }
        }
        let list = vec![(Value::Bool(end), ended), (Value::Bool(!end), ended.opposite())];
        self.circuit.gather(list)
    }

    /// The value as it is stored in a place of the sort.
    pub(super) fn convert(&mut self, path: Lit, value: &Symbol, sort: Sort) -> Result<Symbol, TooMuch> {
        let model = self.model;
        let fits = |value| match (value, sort) {
            (Value::Int(number), Sort::Int(width)) => width.range().contains(&number),
            (Value::Rebec(rebec), Sort::Rebec(class)) => model.conforms(model.class_of(rebec), class),
            _ => true,
        };
        self.apply(path, value, &|value| fits(value).then_some(value))
    }

    fn read(&mut self, frame: &Frame<'_>, path: Lit, place: &Place) -> Result<Symbol, TooMuch> {
        let mut list = Vec::new();
        for (element, here) in self.locate(frame, path, place)? {
            let values = match place.base {
                Base::Local(_) => &frame.locals[element],
                _ => &self.rebecs[frame.rebec.index()].values[element],
            };
            for (value, lit) in values.clone() {
                list.push((value, self.circuit.and(here, lit)));
            }
        }
        let value = self.circuit.gather(list)?;
        self.apply(path, &value, &|value| (value != Value::Undefined).then_some(value))
    }

    /// The elements that a place may denote, each with the literal for it.
    pub(super) fn locate(&mut self, frame: &Frame<'_>, path: Lit, place: &Place) -> Result<Vec<(usize, Lit)>, TooMuch> {
        let (offset, dimensions): (u32, &[Dimension]) = match place.base {
            Base::Variable(id) => {
                let variable = &self.model.class(frame.class).variables[id.index()];
                (variable.offset, &variable.dimensions)
            }
            Base::Local(id) => {
                let local = &frame.body.locals[id.index()];
                (local.offset, &local.dimensions)
            }
            Base::Remote(..) => return Err(TooMuch),
        };
        let mut found = vec![(0usize, super::circuit::TRUE)];
        for (index, &dimension) in place.indices.iter().zip(dimensions) {
            let (low, len) = (self.model.lowest(dimension), self.model.extent(dimension) as usize);
            let index = self.evaluate(frame, path, index)?;
            let mut next = Vec::new();
            let mut outside = FALSE;
            for &(value, lit) in &index {
                let (Value::Int(number) | Value::Scalar(number)) = value else { return Err(TooMuch) };
                match usize::try_from(i64::from(number) - i64::from(low)) {
                    Ok(position) if position < len => {
                        for &(element, here) in &found {
                            next.push((element * len + position, self.circuit.and(here, lit)));
                        }
                    }
                    _ => outside = self.circuit.or(outside, lit),
                }
            }
            self.fault(path, outside, FaultClass::Error);
            found = next;
            if found.len() > 4096 {
                return Err(TooMuch);
            }
        }
        let len: usize = dimensions.iter().map(|&dimension| self.model.extent(dimension) as usize).product();
        debug_assert!(found.iter().all(|&(element, _)| element < len), "a place is an element of its variable");
        Ok(found.into_iter().map(|(element, here)| (element + offset as usize, here)).collect())
    }
}
