//! Constants: `env` and feature variables, and the evaluation of constant expressions (bounds, sizes, initial values,
//! labels, arguments of `main`).
//!
//! Arithmetic is that of the model: 32 bits, checked.

use super::LowerOptions;
use super::classes;
use super::context::Context;
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::interpret::{FaultKind, arithmetic};
use crate::model::{self, Feature, FeatureId, Sort, Value, Width};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Declarator, Expr, ExprKind, Field, Initialiser, Name, UnaryOp};

/// A constant value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i32),
}

/// An array of constants, row by row.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The sort of its elements.
    pub(super) sort: Sort,
    /// The lengths of its axes.
    pub(super) extents: Vec<u32>,
    /// Its elements.
    pub(super) values: Vec<Constant>,
}

impl Table {
    /// The indices of the element of a number.
    pub(super) fn indices(&self, number: usize) -> Vec<i32> {
        let mut rest = u32::try_from(number).expect("bounded by MAX_ELEMENTS");
        debug_assert!(number < self.values.len(), "an element of the table");
        let mut found: Vec<i32> = Vec::with_capacity(self.extents.len());
        for extent in self.extents.iter().rev() {
            found.push(i32::try_from(rest % extent).expect("bounded by MAX_ELEMENTS"));
            rest /= extent;
        }
        found.reverse();
        found
    }

    /// The element at indices, if there is one.
    fn at(&self, indices: &[i32]) -> Option<Constant> {
        let mut number = 0;
        for (&index, &extent) in indices.iter().zip(&self.extents) {
            let index = u32::try_from(index).ok().filter(|&index| index < extent)?;
            number = number * extent as usize + index as usize;
        }
        self.values.get(number).copied().filter(|_| indices.len() == self.extents.len())
    }
}

/// Declares an `env` array.
fn declare_table<'a>(context: &mut Context<'a, '_>, field: &'a Field, declarator: &'a Declarator, overridden: bool) {
    let name = &declarator.name;
    if overridden || !declarator.groups.is_empty() {
        let message = format!("`{}` is an array of constants: it is written in the model", name.text);
        return context.error(codes::NOT_CONSTANT, name.span, message);
    }
    let Some(Initialiser::List(..)) = &declarator.initialiser else {
        let message = format!("the array `{}` has no list of values", name.text);
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, name.span, message);
        return context.report(diagnostic.help("write `= {a, b, ..}`"));
    };
    let Some(dimensions) = classes::array_dimensions(context, &field.ty) else { return };
    if classes::total(context, &dimensions, 0, name.span).is_none() {
        return;
    }
    let extents: Vec<u32> = dimensions.iter().map(|&dimension| context.model.extent(dimension)).collect();
    let sort = match field.ty.name.text.as_str() {
        "boolean" => Sort::Bool,
        "byte" => Sort::Int(Width::Byte),
        "short" => Sort::Int(Width::Short),
        _ => Sort::Int(Width::Int),
    };
    let mut values = Vec::new();
    if let Some(initialiser) = &declarator.initialiser
        && fill(context, &field.ty.name, &extents, initialiser, &mut values).is_some()
    {
        assert!(values.len() == extents.iter().product::<u32>() as usize, "a table has a value for each index");
        context.tables.insert(&name.text, Table { sort, extents, values });
    }
}

/// Appends the elements of an initialiser, which has the given axes.
fn fill(
    context: &mut Context<'_, '_>,
    ty: &Name,
    extents: &[u32],
    initialiser: &Initialiser,
    values: &mut Vec<Constant>,
) -> Option<()> {
    match (initialiser, extents) {
        (Initialiser::Expr(expr), []) => {
            let constant = evaluate(context, expr)?;
            values.push(fit(context, ty, constant, expr.span)?);
            Some(())
        }
        (Initialiser::List(list, _), [extent, rest @ ..]) if list.len() == *extent as usize => {
            list.iter().try_for_each(|item| fill(context, ty, rest, item, values))
        }
        (Initialiser::List(list, span), [extent, ..]) => {
            context.refuse(codes::TYPE_MISMATCH, *span, format!("{} values for {extent} elements", list.len()))
        }
        (Initialiser::List(_, span), []) => {
            context.refuse(codes::TYPE_MISMATCH, *span, "a list of values for a single element")
        }
        (Initialiser::Expr(expr), [_, ..]) => {
            let message = "an array is initialised by a list of values";
            context.refuse(codes::TYPE_MISMATCH, expr.span, message)
        }
    }
}

/// Declares `env` and feature variables; a feature variable with a chosen value is a constant.
pub(super) fn declare(context: &mut Context<'_, '_>, options: &LowerOptions) {
    let program = context.program;
    for field in &program.environment {
        for declarator in &field.declarators {
            let name = &declarator.name;
            if context.constants.contains_key(name.text.as_str()) || context.tables.contains_key(name.text.as_str()) {
                duplicate(context, name);
                continue;
            }
            let overridden = options.constants.iter().rev().find(|(wanted, _)| *wanted == name.text);
            if !field.ty.dimensions.is_empty() {
                declare_table(context, field, declarator, overridden.is_some());
                continue;
            }
            let constant = match (&declarator.initialiser, overridden) {
                (_, Some(&(_, value))) => override_value(context, name, value),
                (Some(Initialiser::Expr(expr)), None) => evaluate(context, expr),
                (Some(Initialiser::List(_, span)), None) => {
                    context.refuse(codes::NOT_CONSTANT, *span, "an `env` constant is a single value")
                }
                (None, None) => {
                    let message = format!("the constant `{}` has no value", name.text);
                    let help = format!("write `= value`, or give one with `-D {}=value`", name.text);
                    context.reject(Diagnostic::error(codes::NOT_CONSTANT, name.span, message).help(help))
                }
            };
            if let Some(constant) = constant.and_then(|constant| fit(context, &field.ty.name, constant, name.span)) {
                declare_constant(context, name, constant);
            }
        }
    }
    for name in &program.features {
        let taken =
            context.constants.contains_key(name.text.as_str()) || context.tables.contains_key(name.text.as_str());
        if taken || context.features.contains_key(name.text.as_str()) {
            duplicate(context, name);
            continue;
        }
        if let Some(&(_, value)) = options.constants.iter().rev().find(|(wanted, _)| *wanted == name.text) {
            let boolean = Name { text: "boolean".to_owned(), span: name.span };
            let constant = override_value(context, name, value);
            if let Some(constant) = constant.and_then(|constant| fit(context, &boolean, constant, name.span)) {
                declare_constant(context, name, constant);
            }
            continue;
        }
        let id = FeatureId::from_index(context.model.features.len());
        context.features.insert(&name.text, id);
        context.model.features.push(Feature { name: name.text.clone(), span: name.span });
    }
    if context.model.features.len() > 16 {
        let span = context.model.features[16].span;
        context.error(codes::TOO_MANY_ELEMENTS, span, "more than 16 feature variables");
    }
}

fn declare_constant<'a>(context: &mut Context<'a, '_>, name: &'a Name, constant: Constant) {
    context.constants.insert(&name.text, constant);
    if let Constant::Bool(value) = constant {
        context.model.constants.push((name.text.clone(), value));
    }
}

fn duplicate(context: &mut Context<'_, '_>, name: &Name) {
    context.error(codes::DUPLICATE_CONSTANT, name.span, format!("`{}` is declared twice", name.text));
}

fn override_value(context: &mut Context<'_, '_>, name: &Name, value: i64) -> Option<Constant> {
    let narrow = i32::try_from(value).ok();
    if narrow.is_none() {
        let message = format!("the value {value} given for `{}` does not fit into 32 bits", name.text);
        context.error(codes::LITERAL_TOO_LARGE, name.span, message);
    }
    narrow.map(Constant::Int)
}

/// Checks a constant against the type it is declared with.
fn fit(context: &mut Context<'_, '_>, ty: &Name, constant: Constant, span: Span) -> Option<Constant> {
    let width = match ty.text.as_str() {
        "byte" => Width::Byte,
        "short" => Width::Short,
        "int" => Width::Int,
        "boolean" => {
            return match constant {
                Constant::Bool(_) => Some(constant),
                Constant::Int(value @ (0 | 1)) => Some(Constant::Bool(value == 1)),
                Constant::Int(_) => context.refuse(codes::TYPE_MISMATCH, span, "a boolean is expected"),
            };
        }
        other => {
            let help = did_you_mean(other, ["boolean", "byte", "short", "int"]);
            let message = format!("`{other}` is not a type for constants");
            return context.reject(Diagnostic::error(codes::UNKNOWN_TYPE, ty.span, message).help_opt(help));
        }
    };
    match constant {
        Constant::Int(value) if width.range().contains(&value) => Some(constant),
        Constant::Int(value) => {
            let message = format!("{value} does not fit into `{}`", width.keyword());
            context.refuse(codes::CONSTANT_RANGE, span, message)
        }
        Constant::Bool(_) => context.refuse(codes::TYPE_MISMATCH, span, "an integer is expected"),
    }
}

/// Evaluates a constant expression; reports the reason if it has no value.
pub(super) fn evaluate(context: &mut Context<'_, '_>, expr: &Expr) -> Option<Constant> {
    match compute(context, expr) {
        Ok(constant) => Some(constant),
        Err(diagnostic) => context.reject(*diagnostic),
    }
}

/// Evaluates a constant integer.
pub(super) fn evaluate_int(context: &mut Context<'_, '_>, expr: &Expr) -> Option<i32> {
    match evaluate(context, expr)? {
        Constant::Int(value) => Some(value),
        Constant::Bool(_) => context.refuse(codes::TYPE_MISMATCH, expr.span, "an integer is expected"),
    }
}

/// A value, or the reason why there is none.
pub(super) type Computed = Result<Constant, Box<Diagnostic>>;

fn fault(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(codes::CONSTANT_FAULT, span, format!("this constant {what}")))
}

pub(super) fn compute(context: &Context<'_, '_>, expr: &Expr) -> Computed {
    let mismatch = || Box::new(Diagnostic::error(codes::BAD_OPERAND, expr.span, "operands of the wrong type"));
    let overflow = || fault(expr.span, "leaves 32 bits");
    Ok(match &expr.kind {
        ExprKind::Bool(value) => Constant::Bool(*value),
        ExprKind::Int(value) => Constant::Int(i32::try_from(*value).map_err(|_| too_large(*value, expr.span))?),
        ExprKind::Unary(UnaryOp::Minus, inner) if matches!(inner.kind, ExprKind::Int(_)) => {
            let ExprKind::Int(value) = inner.kind else { return Err(mismatch()) };
            let negated = i64::try_from(value).ok().and_then(|value| i32::try_from(-value).ok());
            Constant::Int(negated.ok_or_else(|| too_large(value, expr.span))?)
        }
        ExprKind::Unary(op, inner) => match (op, compute(context, inner)?) {
            (UnaryOp::Not, Constant::Bool(value)) => Constant::Bool(!value),
            (UnaryOp::Plus, Constant::Int(value)) => Constant::Int(value),
            (UnaryOp::Minus, Constant::Int(value)) => Constant::Int(value.checked_neg().ok_or_else(overflow)?),
            (UnaryOp::Complement, Constant::Int(value)) => Constant::Int(!value),
            _ => return Err(mismatch()),
        },
        ExprKind::Binary(op, a, b) => binary(*op, compute(context, a)?, compute(context, b)?, expr.span)?,
        ExprKind::And(list) | ExprKind::Or(list) => {
            let stop = matches!(expr.kind, ExprKind::Or(_));
            for operand in list {
                match compute(context, operand)? {
                    Constant::Bool(value) if value == stop => return Ok(Constant::Bool(stop)),
                    Constant::Bool(_) => {}
                    Constant::Int(_) => return Err(mismatch()),
                }
            }
            Constant::Bool(!stop)
        }
        ExprKind::Ternary(condition, a, b) => match compute(context, condition)? {
            Constant::Bool(true) => compute(context, a)?,
            Constant::Bool(false) => compute(context, b)?,
            Constant::Int(_) => return Err(mismatch()),
        },
        ExprKind::Name(name) => match context.constants.get(name.as_str()) {
            Some(&constant) => constant,
            None => return Err(not_constant(context, expr, name)),
        },
        ExprKind::Index(..) => element(context, expr)?,
        _ => return Err(Box::new(Diagnostic::error(codes::NOT_CONSTANT, expr.span, "a constant is needed here"))),
    })
}

/// An element of an `env` array.
fn element(context: &Context<'_, '_>, expr: &Expr) -> Computed {
    let mut indices = Vec::new();
    let mut base = expr;
    while let ExprKind::Index(inner, index) = &base.kind {
        match compute(context, index)? {
            Constant::Int(index) => indices.push(index),
            Constant::Bool(_) => {
                return Err(Box::new(Diagnostic::error(codes::BAD_OPERAND, index.span, "operands of the wrong type")));
            }
        }
        base = inner;
    }
    indices.reverse();
    let ExprKind::Name(name) = &base.kind else {
        return Err(Box::new(Diagnostic::error(codes::NOT_CONSTANT, expr.span, "a constant is needed here")));
    };
    let Some(table) = context.tables.get(name.as_str()) else { return Err(not_constant(context, base, name)) };
    table.at(&indices).ok_or_else(|| fault(expr.span, "is outside of its array"))
}

fn not_constant(context: &Context<'_, '_>, expr: &Expr, name: &str) -> Box<Diagnostic> {
    let help = did_you_mean(name, context.constants.keys().copied());
    let message = format!("`{name}` is not a constant");
    Box::new(Diagnostic::error(codes::NOT_CONSTANT, expr.span, message).help_opt(help))
}

/// The diagnostic for a literal above 32 bits.
pub(super) fn too_large(value: u64, span: Span) -> Box<Diagnostic> {
    let message = format!("{value} does not fit into 32 bits");
    Box::new(Diagnostic::error(codes::LITERAL_TOO_LARGE, span, message))
}

fn binary(op: BinaryOp, a: Constant, b: Constant, span: Span) -> Computed {
    use model::BinaryOp::{BitAnd, BitOr, BitXor, Equal, NotEqual};
    let mismatch = |message| Box::new(Diagnostic::error(codes::BAD_OPERAND, span, message));
    let wrong = || mismatch("operands of the wrong type");
    let (op, a, b) = match (op, a, b) {
        (BinaryOp::Rotate, Constant::Int(_), Constant::Int(_)) => {
            return Err(mismatch("`+%` takes a scalar of a reactive class"));
        }
        (BinaryOp::On(op), Constant::Int(a), Constant::Int(b)) => (op, Value::Int(a), Value::Int(b)),
        (BinaryOp::On(op @ (Equal | NotEqual | BitAnd | BitOr | BitXor)), Constant::Bool(a), Constant::Bool(b)) => {
            (op, Value::Bool(a), Value::Bool(b))
        }
        _ => return Err(wrong()),
    };
    match arithmetic::binary(op, a, b) {
        Ok(Value::Int(value)) => Ok(Constant::Int(value)),
        Ok(Value::Bool(value)) => Ok(Constant::Bool(value)),
        Ok(_) => Err(wrong()),
        Err(FaultKind::DivisionByZero) => Err(fault(span, "divides by zero")),
        Err(_) => Err(fault(span, "leaves 32 bits")),
    }
}
