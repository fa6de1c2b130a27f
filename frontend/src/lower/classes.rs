//! Variables of classes: inherited ones first, then known rebecs, then state variables; scalar sets; initial values.

use super::context::Context;
use super::{MAX_ELEMENTS, MAX_VARIABLES, constants};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::model::{ClassId, Dimension, Role, ScalarSet, ScalarSetId, Sort, Value, Variable, Width};
use crate::source::Span;
use crate::syntax::ast::{Declarator, Expr, ExprKind, Field, Group, Initialiser, Name, Type};

/// Declares the variables of every class.
pub(super) fn declare_variables(context: &mut Context<'_, '_>) {
    for class in context.order.clone() {
        if let Some(parent) = context.model.class(class).parent {
            context.model.classes[class.index()].variables = context.model.class(parent).variables.clone();
            context.scalar_sets[class.index()] = context.scalar_sets[parent.index()].clone();
        }
        let decl = &context.program.classes[class.index()];
        for field in &decl.known {
            declare_field(context, class, field, Role::Known);
        }
        for field in &decl.variables {
            declare_field(context, class, field, Role::State);
        }
    }
}

fn declare_field(context: &mut Context<'_, '_>, class: ClassId, field: &Field, role: Role) {
    let sort = resolve_sort(context, class, &field.ty.name).unwrap_or(Sort::AnyRebec);
    let Some(array) = array_dimensions(context, &field.ty) else { return };
    for declarator in &field.declarators {
        let Some(mut dimensions) = group_dimensions(context, class, declarator, role) else { continue };
        dimensions.extend(&array);
        let name = &declarator.name;
        if role == Role::Known && !matches!(sort, Sort::Rebec(_) | Sort::AnyRebec) {
            let message = format!("the known rebec `{}` is not of a class", name.text);
            context.error(codes::TYPE_MISMATCH, field.ty.span, message);
            continue;
        }
        check_name(context, class, name);
        let offset = context.model.class(class).elements();
        if context.model.class(class).variables.len() >= MAX_VARIABLES {
            let message = format!("more than {MAX_VARIABLES} variables in one class");
            context.error(codes::TOO_MANY_DECLARATIONS, name.span, message);
            return;
        }
        let Some(len) = total(context, &dimensions, offset, name.span) else { continue };
        let mut initial = vec![sort.initial(); len];
        if let Some(initialiser) = &declarator.initialiser {
            let extents: Vec<u32> = dimensions.iter().map(|&dimension| context.model.extent(dimension)).collect();
            fill(context, sort, &extents, initialiser, &mut initial);
        }
        let offset = u32::try_from(offset).expect("bounded by MAX_ELEMENTS");
        let variable = Variable {
            name: name.text.clone(),
            sort,
            dimensions,
            role,
            declared_in: class,
            offset,
            initial,
            span: name.span,
        };
        context.model.classes[class.index()].variables.push(variable);
    }
}

fn check_name(context: &mut Context<'_, '_>, class: ClassId, name: &Name) {
    let own = context.model.class(class).variables.iter().rfind(|other| other.name == name.text);
    if let Some((first, owner)) = own.map(|other| (other.span, other.declared_in)) {
        let diagnostic = if owner == class {
            let message = format!("the variable `{}` is declared twice", name.text);
            Diagnostic::error(codes::DUPLICATE_VARIABLE, name.span, message).related(first, "first declared here")
        } else {
            let message = format!("`{}` hides the inherited variable of the same name", name.text);
            Diagnostic::notice(codes::HIDDEN_VARIABLE, name.span, message).related(first, "declared here")
        };
        context.report(diagnostic);
    }
    let taken = context.constants.contains_key(name.text.as_str()) || context.tables.contains_key(name.text.as_str());
    if taken || context.features.contains_key(name.text.as_str()) {
        let message = format!("`{}` is a constant of the model already", name.text);
        context.error(codes::DUPLICATE_VARIABLE, name.span, message);
    }
    warn_predefined(context, name);
}

/// Notices a declaration that hides `self` or `sender`.
pub(super) fn warn_predefined(context: &mut Context<'_, '_>, name: &Name) {
    if matches!(name.text.as_str(), "self" | "sender") {
        let message = format!("`{}` hides the predefined name of the same spelling", name.text);
        context.report(Diagnostic::notice(codes::SHADOWED_PREDEFINED, name.span, message));
    }
}

/// The sort of a type name in a class.
pub(super) fn resolve_sort(context: &mut Context<'_, '_>, class: ClassId, name: &Name) -> Option<Sort> {
    let sort = match name.text.as_str() {
        "boolean" => Sort::Bool,
        "byte" => Sort::Int(Width::Byte),
        "short" => Sort::Int(Width::Short),
        "int" => Sort::Int(Width::Int),
        text => {
            if let Some(set) = scalar_set(context, class, text) {
                Sort::Scalar(set)
            } else if let Some(&class) = context.classes.get(text) {
                Sort::Rebec(class)
            } else {
                unknown_type(context, class, name);
                return None;
            }
        }
    };
    Some(sort)
}

fn unknown_type(context: &mut Context<'_, '_>, class: ClassId, name: &Name) {
    let help = match name.text.as_str() {
        "bool" | "Boolean" => Some("write `boolean`".to_owned()),
        "integer" | "Integer" | "long" | "unsigned" => Some("write `int`: integers have 32 bits".to_owned()),
        "float" | "double" => Some("numbers are integers: `byte`, `short` or `int`".to_owned()),
        text => {
            let sets = context.scalar_sets[class.index()].iter().map(|(name, _)| name.as_str());
            let known = ["boolean", "byte", "short", "int"].into_iter().chain(context.classes.keys().copied());
            did_you_mean(text, known.chain(sets))
        }
    };
    let message = format!("there is no type `{}`", name.text);
    context.report(Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message).help_opt(help));
}

/// The scalar set of a name in a class.
pub(super) fn scalar_set(context: &Context<'_, '_>, class: ClassId, name: &str) -> Option<ScalarSetId> {
    context.scalar_sets[class.index()].iter().find(|(known, _)| known == name).map(|&(_, set)| set)
}

/// The array dimensions of a type.
pub(super) fn array_dimensions(context: &mut Context<'_, '_>, ty: &Type) -> Option<Vec<Dimension>> {
    let mut dimensions = Vec::new();
    for expr in &ty.dimensions {
        let size = constants::evaluate_int(context, expr)?;
        match u32::try_from(size) {
            Ok(size) if (1..=MAX_ELEMENTS).contains(&size) => dimensions.push(Dimension::Array(size)),
            Ok(0) | Err(_) => {
                return context.refuse(codes::TOO_MANY_ELEMENTS, expr.span, "an array has at least one element");
            }
            Ok(_) => {
                let message = format!("an array of {size} elements: at most {MAX_ELEMENTS} are possible");
                return context.refuse(codes::TOO_MANY_ELEMENTS, expr.span, message);
            }
        }
    }
    Some(dimensions)
}

/// The number of elements of the dimensions, if the total stays within bounds.
pub(super) fn total(
    context: &mut Context<'_, '_>,
    dimensions: &[Dimension],
    offset: usize,
    span: Span,
) -> Option<usize> {
    let len = dimensions.iter().try_fold(1usize, |len, &dimension| {
        len.checked_mul(context.model.extent(dimension) as usize).filter(|&len| len <= MAX_ELEMENTS as usize)
    });
    let within = len.filter(|len| offset + len <= MAX_ELEMENTS as usize);
    if within.is_none() {
        let message = format!("more than {MAX_ELEMENTS} elements in the variables of one class or body");
        context.error(codes::TOO_MANY_ELEMENTS, span, message);
    }
    within
}

fn group_dimensions(
    context: &mut Context<'_, '_>,
    class: ClassId,
    declarator: &Declarator,
    role: Role,
) -> Option<Vec<Dimension>> {
    let mut dimensions = Vec::new();
    for group in &declarator.groups {
        let set = match group {
            Group::Introduce { name, low, high, span } => introduce(context, class, role, name, *span, low, high)?,
            Group::Use(Expr { kind: ExprKind::Name(name), span }) => {
                let Some(set) = scalar_set(context, class, name) else {
                    let help =
                        did_you_mean(name, context.scalar_sets[class.index()].iter().map(|(name, _)| name.as_str()));
                    let message = format!("there is no scalar set `{name}` in this class");
                    return context.reject(Diagnostic::error(codes::UNKNOWN_SCALAR_SET, *span, message).help_opt(help));
                };
                set
            }
            Group::Use(expr) => {
                let message = "array dimensions stand behind the type";
                let help = format!("write `int[n] {}`", declarator.name.text);
                return context.reject(Diagnostic::error(codes::C_STYLE_ARRAY, expr.span, message).help(help));
            }
        };
        dimensions.push(Dimension::Scalar(set));
    }
    Some(dimensions)
}

fn introduce(
    context: &mut Context<'_, '_>,
    class: ClassId,
    role: Role,
    name: &Name,
    span: Span,
    low: &Expr,
    high: &Expr,
) -> Option<ScalarSetId> {
    if role != Role::Known {
        let message = format!("the scalar set `{}` is introduced outside `knownrebecs`", name.text);
        return context.refuse(codes::SCALAR_SET_IN_STATE, span, message);
    }
    if let Some(first) = scalar_set(context, class, &name.text) {
        let message = format!("the scalar set `{}` is introduced twice", name.text);
        let first = context.model.scalar_set(first).span;
        let diagnostic = Diagnostic::error(codes::DUPLICATE_SCALAR_SET, name.span, message);
        let help = format!("write `[{}]` without bounds", name.text);
        return context.reject(diagnostic.related(first, "first introduced here").help(help));
    }
    let (low, high) = (constants::evaluate_int(context, low)?, constants::evaluate_int(context, high)?);
    if low > high || high.abs_diff(low) >= MAX_ELEMENTS {
        let message = format!("the scalar set `{}` has bounds {low}..{high}", name.text);
        return context.refuse(codes::EMPTY_RANGE, span, message);
    }
    let id = ScalarSetId::from_index(context.model.scalar_sets.len());
    context.model.scalar_sets.push(ScalarSet { name: name.text.clone(), class, low, high, span: name.span });
    context.scalar_sets[class.index()].push((name.text.clone(), id));
    Some(id)
}

/// Writes an initialiser into the elements of a variable; a single value for an array fills all of it.
fn fill(context: &mut Context<'_, '_>, sort: Sort, extents: &[u32], initialiser: &Initialiser, elements: &mut [Value]) {
    match (initialiser, extents) {
        _ if sort == Sort::AnyRebec => {}
        (Initialiser::Expr(expr), []) => {
            if let Some(value) = initial_value(context, sort, expr) {
                elements.fill(value);
            }
        }
        (Initialiser::List(list, span), [extent, rest @ ..]) => {
            if list.len() != *extent as usize {
                let message = format!("{} values for {extent} elements", list.len());
                context.error(codes::TYPE_MISMATCH, *span, message);
                return;
            }
            assert_eq!(elements.len() % list.len(), 0, "the rows of an array are equally long");
            let chunk = elements.len() / list.len();
            for (item, part) in list.iter().zip(elements.chunks_mut(chunk)) {
                fill(context, sort, rest, item, part);
            }
        }
        (Initialiser::List(_, span), []) => {
            context.error(codes::TYPE_MISMATCH, *span, "a list of values for a single element");
        }
        (Initialiser::Expr(expr), [_, ..]) => {
            let help = "write `{a, b, ..}`";
            let message = "an array is initialised by a list of values";
            context.report(Diagnostic::error(codes::TYPE_MISMATCH, expr.span, message).help(help));
        }
    }
}

fn initial_value(context: &mut Context<'_, '_>, sort: Sort, expr: &Expr) -> Option<Value> {
    if matches!((sort, &expr.kind), (Sort::Rebec(_), ExprKind::Null)) {
        return Some(Value::Null);
    }
    if let Sort::Scalar(_) = sort {
        let message = "a scalar variable starts undefined";
        let help = "assign it a choice over the whole set in `initial` or the constructor";
        return context.reject(Diagnostic::error(codes::SCALAR_CONSTANT, expr.span, message).help(help));
    }
    let constant = constants::evaluate(context, expr)?;
    constant_value(context, sort, constant, expr.span)
}

/// A constant as a value of a sort, or an error.
pub(super) fn constant_value(
    context: &mut Context<'_, '_>,
    sort: Sort,
    constant: constants::Constant,
    span: Span,
) -> Option<Value> {
    match (sort, constant) {
        (Sort::Bool, constants::Constant::Bool(value)) => Some(Value::Bool(value)),
        (Sort::Int(width), constants::Constant::Int(value)) if width.range().contains(&value) => {
            Some(Value::Int(value))
        }
        (Sort::Int(width), constants::Constant::Int(value)) => {
            let message = format!("{value} does not fit into `{}`", width.keyword());
            context.refuse(codes::CONSTANT_RANGE, span, message)
        }
        _ => {
            let wanted = context.sort_name(sort);
            context.refuse(codes::TYPE_MISMATCH, span, format!("a value of type `{wanted}` is expected"))
        }
    }
}
