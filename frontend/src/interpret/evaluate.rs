//! Evaluation of expressions: pure, left to right; an expression without a value gives a fault.
//!
//! The evaluator is generic over a `Scope`, which locates variables, locals and features. Running bodies implement it
//! in `run.rs`. Properties have a separate scope, which reads variables of named rebecs through a function of the
//! caller, so that any representation of states can be used.

use super::arithmetic::{binary, rotate, square_root, unary};
use super::{Fault, FaultKind, State};
use crate::model::{Base, Dimension, Expr, ExprKind, FeatureId, Model, Place, RebecId, Sort, Value, VariableId};
use crate::source::Span;

/// The source of the values of an expression.
pub(super) trait Scope<'m> {
    /// The model.
    fn model(&self) -> &'m Model;
    /// The value of a feature variable.
    fn feature(&self, feature: FeatureId) -> bool;
    /// The offset of a variable in the vector that holds it, and its axes.
    fn shape(&self, base: Base) -> (usize, &'m [Dimension]);
    /// The value of an element of the vector that holds the base.
    fn read(&mut self, base: Base, element: usize) -> Value;
    /// `self`
    fn this(&self) -> RebecId;
    /// `sender`
    fn sender(&self) -> RebecId;
}

/// The value of an expression.
pub(super) fn evaluate<'m, S: Scope<'m>>(scope: &mut S, expr: &Expr) -> Result<Value, Fault> {
    let value = match &expr.kind {
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::Int(*value),
        ExprKind::Scalar(value) => Value::Scalar(*value),
        ExprKind::Null => Value::Null,
        ExprKind::Rebec(rebec) => Value::Rebec(*rebec),
        ExprKind::SelfRef => Value::Rebec(scope.this()),
        ExprKind::Sender => Value::Rebec(scope.sender()),
        ExprKind::Feature(feature) => Value::Bool(scope.feature(*feature)),
        ExprKind::Read(place) => {
            let element = locate(scope, place)?;
            match scope.read(place.base, element) {
                Value::Undefined => return fault(FaultKind::UndefinedScalar, place.span),
                value => value,
            }
        }
        ExprKind::Unary(op, operand) => {
            let operand = evaluate(scope, operand)?;
            at(expr.span, unary(*op, operand))?
        }
        ExprKind::Binary(op, left, right) => {
            let left = evaluate(scope, left)?;
            let right = evaluate(scope, right)?;
            at(expr.span, binary(*op, left, right))?
        }
        ExprKind::And(operands) => Value::Bool(holds_up_to(scope, operands, false)?),
        ExprKind::Or(operands) => Value::Bool(holds_up_to(scope, operands, true)?),
        ExprKind::Ite(condition, then, otherwise) => {
            let branch = if boolean(evaluate(scope, condition)?) { then } else { otherwise };
            evaluate(scope, branch)?
        }
        _ => conversion(scope, expr)?,
    };
    Ok(value)
}

/// Casts, tests and the operators on scalars.
fn conversion<'m, S: Scope<'m>>(scope: &mut S, expr: &Expr) -> Result<Value, Fault> {
    match &expr.kind {
        ExprKind::Narrow(width, operand) => {
            let value = evaluate(scope, operand)?;
            convert(scope.model(), value, Sort::Int(*width), expr.span)
        }
        ExprKind::Cast(class, operand) => {
            let value = evaluate(scope, operand)?;
            convert(scope.model(), value, Sort::Rebec(*class), expr.span)
        }
        ExprKind::InstanceOf(class, operand) => {
            let value = evaluate(scope, operand)?;
            let model = scope.model();
            Ok(Value::Bool(matches!(value, Value::Rebec(rebec) if model.conforms(model.class_of(rebec), *class))))
        }
        ExprKind::Rotate(operand, amount) => {
            let value = evaluate(scope, operand)?;
            let amount = integer(evaluate(scope, amount)?);
            match (value, expr.sort) {
                (Value::Scalar(value), Sort::Scalar(set)) => Ok(rotate(scope.model().scalar_set(set), value, amount)),
                _ => panic!("`+%` on {value:?}: the model is not well-typed"),
            }
        }
        ExprKind::SquareRoot(operand) => {
            let value = integer(evaluate(scope, operand)?);
            at(expr.span, square_root(value))
        }
        other => panic!("{other:?} is not a conversion"),
    }
}

/// Evaluates operands until one gives `end`. The value is `end` if one does, and its opposite otherwise.
fn holds_up_to<'m, S: Scope<'m>>(scope: &mut S, operands: &[Expr], end: bool) -> Result<bool, Fault> {
    for operand in operands {
        if boolean(evaluate(scope, operand)?) == end {
            return Ok(end);
        }
    }
    Ok(!end)
}

/// The element of a place in the vector that holds its base. The indices are evaluated and checked left to right.
pub(super) fn locate<'m, S: Scope<'m>>(scope: &mut S, place: &Place) -> Result<usize, Fault> {
    let (offset, dimensions) = scope.shape(place.base);
    debug_assert_eq!(place.indices.len(), dimensions.len(), "an index for each dimension");
    let mut element = 0;
    for (index, &dimension) in place.indices.iter().zip(dimensions) {
        let model = scope.model();
        let (low, len) = (model.lowest(dimension), model.extent(dimension));
        let value = match evaluate(scope, index)? {
            Value::Int(value) | Value::Scalar(value) => value,
            other => panic!("index {other:?}: the model is not well-typed"),
        };
        match u32::try_from(i64::from(value) - i64::from(low)) {
            Ok(position) if position < len => element = element * len as usize + position as usize,
            _ => return fault(FaultKind::IndexOutOfRange { index: value, len }, index.span),
        }
    }
    Ok(offset + element)
}

/// The value as it is stored in a place of the given sort: integers must fit its width, rebecs must conform to its class.
pub(super) fn convert(model: &Model, value: Value, sort: Sort, span: Span) -> Result<Value, Fault> {
    match (value, sort) {
        (Value::Int(number), Sort::Int(width)) if !width.range().contains(&number) => {
            fault(FaultKind::Narrowing { value: number, width }, span)
        }
        (Value::Rebec(rebec), Sort::Rebec(class)) if !model.conforms(model.class_of(rebec), class) => {
            fault(FaultKind::WrongClass { rebec, class }, span)
        }
        _ => {
            debug_assert!(is_of_sort(model, value, sort), "{value:?} is no value of {sort:?}");
            Ok(value)
        }
    }
}

/// Whether a value is one of a sort, the classes of rebecs ignored.
fn is_of_sort(model: &Model, value: Value, sort: Sort) -> bool {
    match (value, sort) {
        (Value::Int(number), Sort::Int(width)) => width.range().contains(&number),
        (Value::Scalar(number), Sort::Scalar(set)) => {
            (model.scalar_set(set).low..=model.scalar_set(set).high).contains(&number)
        }
        (Value::Bool(_), Sort::Bool) => true,
        (Value::Null | Value::Rebec(_), Sort::Rebec(_) | Sort::AnyRebec) => true,
        _ => false,
    }
}

/// The boolean in a value.
pub(super) fn boolean(value: Value) -> bool {
    match value {
        Value::Bool(value) => value,
        other => panic!("{other:?} is not a boolean: the model is not well-typed"),
    }
}

/// The integer in a value.
pub(super) fn integer(value: Value) -> i32 {
    match value {
        Value::Int(value) => value,
        other => panic!("{other:?} is not an integer: the model is not well-typed"),
    }
}

fn at<T>(span: Span, result: Result<T, FaultKind>) -> Result<T, Fault> {
    result.map_err(|kind| Fault { kind, span })
}

/// A fault at a span.
pub(super) fn fault<T>(kind: FaultKind, span: Span) -> Result<T, Fault> {
    Err(Fault { kind, span })
}

/// The scope of properties: variables of named rebecs and features.
struct Remote<'m, 'r> {
    model: &'m Model,
    features: &'r [bool],
    read: &'r mut dyn FnMut(RebecId, usize) -> Value,
}

impl<'m> Scope<'m> for Remote<'m, '_> {
    fn model(&self) -> &'m Model {
        self.model
    }

    fn feature(&self, feature: FeatureId) -> bool {
        self.features[feature.index()]
    }

    fn shape(&self, base: Base) -> (usize, &'m [Dimension]) {
        let (rebec, variable) = remote(base);
        let variable = &self.model.class(self.model.class_of(rebec)).variables[variable.index()];
        (variable.offset as usize, &variable.dimensions)
    }

    fn read(&mut self, base: Base, element: usize) -> Value {
        (self.read)(remote(base).0, element)
    }

    fn this(&self) -> RebecId {
        panic!("`self` in a property")
    }

    fn sender(&self) -> RebecId {
        panic!("`sender` in a property")
    }
}

fn remote(base: Base) -> (RebecId, VariableId) {
    match base {
        Base::Remote(rebec, variable) => (rebec, variable),
        other => panic!("{other:?} in a property"),
    }
}

/// The value of an expression of a property. `read` gives an element of the value vector of a rebec of `main`.
///
/// # Errors
/// The fault of the expression in this state.
///
/// # Panics
/// If the expression is not a verified expression of a property.
pub fn evaluate_remote(
    model: &Model,
    expr: &Expr,
    features: &[bool],
    read: &mut dyn FnMut(RebecId, usize) -> Value,
) -> Result<Value, Fault> {
    evaluate(&mut Remote { model, features, read }, expr)
}

/// The value of an expression of a property in a state.
///
/// # Errors
/// The fault of the expression in this state.
///
/// # Panics
/// If the expression is not a verified expression of a property.
pub fn evaluate_in_state(model: &Model, state: &State, expr: &Expr) -> Result<Value, Fault> {
    let mut read = |rebec: RebecId, element: usize| {
        state.rebec(rebec).expect("the rebecs of `main` are in every state").values[element]
    };
    evaluate_remote(model, expr, &state.features, &mut read)
}
