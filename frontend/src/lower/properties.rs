//! Property files bound to a model: definitions expanded, names resolved, types checked.

use rustc_hash::FxHashMap;

use super::constants::too_large;
use super::context::sort_name;
use super::expressions::{INT, connect, negate};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes, did_you_mean, every};
use crate::model::spans::expression_without_spans;
use crate::model::{
    Base, BinaryOp, Definition, Dimension, Expr, ExprKind, FeatureId, Formula, Model, Place, Property, PropertyKind,
    PropertySet, RebecId, Sort, UnaryOp,
};
use crate::source::Span;
use crate::syntax::ast::{self, Name, PropertyFile};
use crate::syntax::parse_properties;
use crate::syntax::temporal::Temporal2;

/// Lowers a property file without syntax errors; `None` when an error was reported.
pub fn lower_properties(file: &PropertyFile, model: &Model, diagnostics: &mut Diagnostics) -> Option<PropertySet> {
    let before = diagnostics.errors;
    let rebecs = model.instances.iter().enumerate();
    let rebecs = rebecs.map(|(index, instance)| (instance.name.as_str(), RebecId::from_index(index))).collect();
    let mut binder = Binder { model, rebecs, definitions: FxHashMap::default(), budget: MAX_SIZE, diagnostics };
    let mut set = PropertySet::default();
    for (name, expr) in &file.definitions {
        binder.budget = MAX_SIZE;
        let value = binder.expression(expr).and_then(|value| binder.measured(value, name.span));
        if binder.definitions.contains_key(name.text.as_str()) {
            binder.error(codes::DUPLICATE_PROPERTY, name.span, format!("`{}` is defined twice", name.text));
            continue;
        }
        // A broken definition is recorded, so that its uses are not reported again.
        binder.definitions.insert(&name.text, value.clone());
        if let Some((value, ..)) = value {
            set.definitions.push(Definition { name: name.text.clone(), value, span: name.span });
        }
    }
    for &(is_ltl, index) in &file.order {
        let (name, expr) = if is_ltl { &file.formulas[index] } else { &file.assertions[index] };
        if set.properties.iter().any(|property| property.name == name.text) {
            binder.error(codes::DUPLICATE_PROPERTY, name.span, format!("the property `{}` stands twice", name.text));
        }
        binder.budget = MAX_SIZE;
        let kind = if is_ltl {
            binder.formula(expr).map(PropertyKind::Ltl)
        } else {
            binder.boolean(expr).map(PropertyKind::Invariant)
        };
        if let Some(kind) = kind {
            set.properties.push(Property { name: name.text.clone(), kind, span: name.span });
        }
    }
    assert!(file.order.len() == file.assertions.len() + file.formulas.len(), "every property has its place");
    let end = binder.end(&file.ends, &set);
    set.properties.extend(end);
    let is_right = || crate::model::verify::verify_properties(model, &set).is_empty();
    debug_assert!(diagnostics.errors > before || is_right(), "lowered properties are well formed");
    (diagnostics.errors == before).then_some(set)
}

/// The condition that a text means next to definitions: the name of a definition, or a boolean expression.
///
/// # Errors
/// The reason why it means none, in one line.
pub fn lower_condition(text: &str, model: &Model, definitions: &[Definition]) -> Result<Expr, String> {
    let mut own = Diagnostics::new();
    let file = parse_properties(&format!("property {{ Assertion {{ A: ({text}); }} }}"), &mut own);
    let lowered = match (&file.assertions[..], &file.definitions[..], &file.formulas[..]) {
        ([(_, condition)], [], []) if !own.has_errors() => {
            let rebecs = model.instances.iter().enumerate();
            let rebecs = rebecs.map(|(index, instance)| (instance.name.as_str(), RebecId::from_index(index))).collect();
            let known = definitions.iter().map(|definition| {
                let (size, depth) = measure(&definition.value);
                (definition.name.as_str(), Some((definition.value.clone(), size, depth)))
            });
            let definitions = known.collect();
            let mut binder = Binder { model, rebecs, definitions, budget: MAX_SIZE, diagnostics: &mut own };
            let lowered = binder.boolean(condition);
            lowered.map(|lowered| expression_without_spans(&lowered))
        }
        _ => None,
    };
    let first_message =
        || own.list.first().map_or_else(|| "it is no condition".to_owned(), |first| first.message.clone());
    lowered.filter(|_| !own.has_errors()).ok_or_else(first_message)
}

/// The greatest number of operators of an expanded property.
const MAX_SIZE: usize = 100_000;

/// The deepest nesting of an expanded definition.
const MAX_DEPTH: usize = 1_000;

/// A definition with the size and depth of its expansion; `None` when it was broken.
type Expanded = Option<(Expr, usize, usize)>;

struct Binder<'m, 'd> {
    model: &'m Model,
    rebecs: FxHashMap<&'m str, RebecId>,
    definitions: FxHashMap<&'m str, Expanded>,
    /// The size by which the current property may still grow through the expansion of definitions.
    budget: usize,
    diagnostics: &'d mut Diagnostics,
}

/// The number of nodes and the depth of an expression.
fn measure(expr: &Expr) -> (usize, usize) {
    let mut size = 1;
    let mut depth = 0;
    for operand in expr.operands() {
        let (inner, below) = measure(operand);
        size += inner;
        depth = depth.max(below);
    }
    (size, depth + 1)
}

impl<'m> Binder<'m, '_> {
    /// The states that may end, under the first name: those of any entry.
    fn end(&mut self, entries: &'m [(Name, ast::Expr)], set: &PropertySet) -> Option<Property> {
        let (first, _) = entries.first()?;
        let mut conditions = Vec::with_capacity(entries.len());
        for (at, (name, expr)) in entries.iter().enumerate() {
            let mut others = set.properties.iter().map(|property| &property.name);
            if others.any(|other| *other == name.text) || entries[..at].iter().any(|(other, _)| other.text == name.text)
            {
                self.error(codes::DUPLICATE_PROPERTY, name.span, format!("the property `{}` stands twice", name.text));
            }
            self.budget = MAX_SIZE;
            conditions.push(self.boolean(expr)?);
        }
        let kind = PropertyKind::End(connect(conditions, false, first.span));
        Some(Property { name: first.text.clone(), kind, span: first.span })
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// Reports a fault, in the place of what was to be made.
    fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Option<T> {
        self.error(code, span, message);
        None
    }

    fn measured(&mut self, value: Expr, span: Span) -> Expanded {
        let (size, depth) = measure(&value);
        if depth > MAX_DEPTH {
            let message = "the definition is nested too deeply with others expanded";
            return self.refuse(codes::PROPERTY_TOO_LARGE, span, message);
        }
        Some((value, size, depth))
    }

    /// A formula; maximal parts without temporal operators become atoms.
    fn formula(&mut self, expr: &'m ast::Expr) -> Option<Formula> {
        if !is_temporal(expr) {
            return self.boolean(expr).map(Formula::Atom);
        }
        let boxed = |formula: Formula| Box::new(formula);
        Some(match &expr.kind {
            ast::ExprKind::Temporal1(op, inner) => op.on(boxed(self.formula(inner)?)),
            ast::ExprKind::Temporal2(op, a, b) => {
                let (a, b) = (self.formula(a), self.formula(b));
                op.on(boxed(a?), boxed(b?))
            }
            ast::ExprKind::Unary(ast::UnaryOp::Not, inner) => Formula::Not(boxed(self.formula(inner)?)),
            ast::ExprKind::And(list) | ast::ExprKind::Or(list) => {
                let parts = every(list.iter().map(|part| self.formula(part)))?;
                if matches!(expr.kind, ast::ExprKind::And(_)) { Formula::And(parts) } else { Formula::Or(parts) }
            }
            _ => {
                let message = "temporal operators are combined by `!`, `&&`, `||` and `->` only";
                return self.refuse(codes::PROPERTY_NOT_BOOLEAN, expr.span, message);
            }
        })
    }

    fn boolean(&mut self, expr: &'m ast::Expr) -> Option<Expr> {
        let value = self.expression(expr)?;
        if value.sort == Sort::Bool {
            return Some(value);
        }
        let message = format!("a boolean is needed, not `{}`", sort_name(self.model, value.sort));
        self.refuse(codes::PROPERTY_NOT_BOOLEAN, expr.span, message)
    }

    fn expression(&mut self, expr: &'m ast::Expr) -> Option<Expr> {
        let span = expr.span;
        let simple = |kind, sort| Some(Expr { kind, sort, span });
        match &expr.kind {
            ast::ExprKind::Int(value) => match i32::try_from(*value) {
                Ok(value) => simple(ExprKind::Int(value), INT),
                Err(_) => {
                    self.diagnostics.push(*too_large(*value, span));
                    None
                }
            },
            ast::ExprKind::Bool(value) => simple(ExprKind::Bool(*value), Sort::Bool),
            ast::ExprKind::Null => simple(ExprKind::Null, Sort::AnyRebec),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Field(..) | ast::ExprKind::Index(..) => self.remote(expr),
            ast::ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expression(a), self.expression(b));
                self.binary(*op, a?, b?, span)
            }
            ast::ExprKind::And(list) | ast::ExprKind::Or(list) => {
                let parts = every(list.iter().map(|part| self.boolean(part)))?;
                Some(connect(parts, matches!(expr.kind, ast::ExprKind::And(_)), span))
            }
            ast::ExprKind::Ternary(condition, a, b) => {
                let condition = self.boolean(condition);
                let (a, b) = (self.expression(a), self.expression(b));
                let (condition, a, b) = (condition?, a?, b?);
                if a.sort != b.sort {
                    return self.refuse(codes::TYPE_MISMATCH, span, "the branches are of different types");
                }
                let sort = a.sort;
                simple(ExprKind::Ite(Box::new(condition), Box::new(a), Box::new(b)), sort)
            }
            ast::ExprKind::Temporal2(Temporal2::Implies, a, b) => {
                let (a, b) = (self.boolean(a), self.boolean(b));
                Some(connect(vec![negate(a?), b?], false, span))
            }
            ast::ExprKind::Temporal1(..) | ast::ExprKind::Temporal2(..) => {
                self.refuse(codes::TEMPORAL_DEFINITION, span, "a temporal operator outside a formula")
            }
            ast::ExprKind::Call { target: None, name, arguments } if matches!(name.text.as_str(), "pow" | "sqrt") => {
                self.built_in(name, arguments, span)
            }
            _ => self.refuse(codes::NOT_IN_PROPERTIES, span, "this is not allowed in a property"),
        }
    }

    fn name(&mut self, name: &'m str, span: Span) -> Option<Expr> {
        if let Some(definition) = self.definitions.get(name) {
            let (value, size, _) = definition.as_ref()?;
            let Some(rest) = self.budget.checked_sub(*size) else {
                let message = "the property is too large with its definitions expanded";
                return self.refuse(codes::PROPERTY_TOO_LARGE, span, message);
            };
            self.budget = rest;
            return Some(Expr { span, ..value.clone() });
        }
        if let Some(&rebec) = self.rebecs.get(name) {
            let sort = Sort::Rebec(self.model.class_of(rebec));
            return Some(Expr { kind: ExprKind::Rebec(rebec), sort, span });
        }
        if let Some(index) = self.model.features.iter().position(|feature| feature.name == name) {
            return Some(Expr { kind: ExprKind::Feature(FeatureId::from_index(index)), sort: Sort::Bool, span });
        }
        if let Some(&(_, value)) = self.model.constants.iter().find(|(constant, _)| constant == name) {
            return Some(Expr { kind: ExprKind::Bool(value), sort: Sort::Bool, span });
        }
        if matches!(name, "self" | "sender") {
            return self.refuse(codes::NOT_IN_PROPERTIES, span, format!("`{name}` means nothing in a property"));
        }
        let known = self.definitions.keys().chain(self.rebecs.keys()).copied();
        let help = did_you_mean(name, known);
        let message = format!("`{name}` is neither defined nor a rebec of `main`");
        self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_PROPOSITION, span, message).help_opt(help));
        None
    }

    /// `rebec.variable[i]`.
    fn remote(&mut self, expr: &'m ast::Expr) -> Option<Expr> {
        let (base, indices) = expr.base_and_indices();
        let ast::ExprKind::Field(target, variable) = &base.kind else {
            let message = "only variables of rebecs, `rebec.variable`, are read";
            return self.refuse(codes::NOT_IN_PROPERTIES, base.span, message);
        };
        let ast::ExprKind::Name(rebec) = &target.kind else {
            let message = "a property reads variables of the rebecs of `main`, one dot at a time";
            return self.refuse(codes::NOT_IN_PROPERTIES, target.span, message);
        };
        let Some(&rebec) = self.rebecs.get(rebec.as_str()) else {
            let help = did_you_mean(rebec, self.rebecs.keys().copied());
            let message = format!("there is no rebec `{rebec}` in `main`");
            self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_PROPOSITION, target.span, message).help_opt(help));
            return None;
        };
        let class = self.model.class(self.model.class_of(rebec));
        let Some(id) = class.variable(&variable.text) else {
            return self.unknown_variable(class, variable);
        };
        let variable = &class.variables[id.index()];
        if variable.dimensions.len() != indices.len() {
            let wanted = super::places::count(variable.dimensions.len(), "dimension");
            let message = format!("`{}` has {wanted}, {} given", variable.name, indices.len());
            return self.refuse(codes::BAD_INDEXING, expr.span, message);
        }
        let indices = every(
            indices.into_iter().zip(&variable.dimensions).map(|(index, &dimension)| self.index(index, dimension)),
        )?;
        let sort = super::body::value_sort(variable.sort);
        let place = Place { base: Base::Remote(rebec, id), indices, span: expr.span };
        Some(Expr { kind: ExprKind::Read(place), sort, span: expr.span })
    }

    fn unknown_variable<T>(&mut self, class: &crate::model::Class, name: &Name) -> Option<T> {
        let help = did_you_mean(&name.text, class.variables.iter().map(|variable| variable.name.as_str()));
        let message = format!("`{}` has no variable `{}`", class.name, name.text);
        self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_REMOTE_VARIABLE, name.span, message).help_opt(help));
        None
    }

    /// A constant index within the bounds.
    fn index(&mut self, index: &'m ast::Expr, dimension: Dimension) -> Option<Expr> {
        let value = self.expression(index)?;
        let span = index.span;
        let ExprKind::Int(number) = value.kind else {
            return self.refuse(codes::PROPERTY_INDEX, span, "the index is a constant here");
        };
        let (low, high) = match dimension {
            Dimension::Array(len) => (0, i64::from(len) - 1),
            Dimension::Scalar(set) => {
                let set = self.model.scalar_set(set);
                (i64::from(set.low), i64::from(set.high))
            }
        };
        if !(low..=high).contains(&i64::from(number)) {
            let message = format!("the index {number} is outside {low}..{high}");
            return self.refuse(codes::PROPERTY_INDEX, span, message);
        }
        Some(match dimension {
            Dimension::Array(_) => value,
            Dimension::Scalar(set) => Expr { kind: ExprKind::Scalar(number), sort: Sort::Scalar(set), span },
        })
    }

    fn unary(&mut self, op: ast::UnaryOp, inner: &'m ast::Expr, span: Span) -> Option<Expr> {
        if let (ast::UnaryOp::Minus, &ast::ExprKind::Int(value)) = (op, &inner.kind) {
            let negated = i64::try_from(value).ok().and_then(|value| i32::try_from(-value).ok());
            if negated.is_none() {
                self.diagnostics.push(*too_large(value, span));
            }
            return negated.map(|value| Expr { kind: ExprKind::Int(value), sort: INT, span });
        }
        let value = self.expression(inner)?;
        let wrap = |op, value: Expr, sort| Some(Expr { kind: ExprKind::Unary(op, Box::new(value)), sort, span });
        match (op, value.sort) {
            (ast::UnaryOp::Not, Sort::Bool) => wrap(UnaryOp::Not, value, Sort::Bool),
            (ast::UnaryOp::Plus, Sort::Int(_)) => Some(value),
            (ast::UnaryOp::Minus, Sort::Int(_)) => wrap(UnaryOp::Negate, value, INT),
            (ast::UnaryOp::Complement, Sort::Int(_)) => wrap(UnaryOp::Complement, value, INT),
            (_, sort) => {
                let message = format!("the operator does not take `{}`", sort_name(self.model, sort));
                self.refuse(codes::BAD_OPERAND, span, message)
            }
        }
    }

    fn binary(&mut self, op: ast::BinaryOp, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        let is_rebec = |sort| matches!(sort, Sort::Rebec(_) | Sort::AnyRebec);
        let integers = matches!((a.sort, b.sort), (Sort::Int(_), Sort::Int(_)));
        let booleans = a.sort == Sort::Bool && b.sort == Sort::Bool;
        let equal = integers
            || booleans
            || is_rebec(a.sort) && is_rebec(b.sort)
            || matches!((a.sort, b.sort), (Sort::Scalar(a), Sort::Scalar(b)) if a == b);
        let ast::BinaryOp::On(operator) = op else {
            let message = "`+%` is for the servers of a model: properties compare scalars as they are";
            let help = "keep the rotated scalar in a variable of the model, and name that";
            self.diagnostics.push(Diagnostic::error(codes::BAD_OPERAND, span, message).help(help));
            return None;
        };
        let sort = match operator {
            BinaryOp::Equal | BinaryOp::NotEqual if equal => Some(Sort::Bool),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual if integers => {
                Some(Sort::Bool)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor if booleans => Some(Sort::Bool),
            BinaryOp::Equal | BinaryOp::NotEqual => None,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => None,
            _ if integers => Some(INT),
            _ => None,
        };
        let Some(sort) = sort else {
            let (a, b) = (sort_name(self.model, a.sort), sort_name(self.model, b.sort));
            return self.refuse(codes::BAD_OPERAND, span, format!("the operator does not take `{a}` and `{b}`"));
        };
        Some(Expr { kind: ExprKind::Binary(operator, Box::new(a), Box::new(b)), sort, span })
    }

    fn built_in(&mut self, name: &Name, arguments: &'m [ast::Expr], span: Span) -> Option<Expr> {
        let mut lowered = every(arguments.iter().map(|argument| self.expression(argument)))?;
        let fits = lowered.len() == if name.text == "pow" { 2 } else { 1 };
        if !fits || !lowered.iter().all(|value| value.sort == INT) {
            return self.refuse(codes::BAD_OPERAND, span, format!("`{}` takes integers", name.text));
        }
        let last = Box::new(lowered.pop()?);
        let kind = match lowered.pop() {
            Some(first) => ExprKind::Binary(BinaryOp::Power, Box::new(first), last),
            None => ExprKind::SquareRoot(last),
        };
        Some(Expr { kind, sort: INT, span })
    }
}

fn is_temporal(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Temporal1(..) | ast::ExprKind::Temporal2(..) => true,
        ast::ExprKind::Unary(_, inner) => is_temporal(inner),
        ast::ExprKind::And(list) | ast::ExprKind::Or(list) => list.iter().any(is_temporal),
        ast::ExprKind::Binary(_, a, b) => is_temporal(a) || is_temporal(b),
        ast::ExprKind::Ternary(a, b, c) => is_temporal(a) || is_temporal(b) || is_temporal(c),
        _ => false,
    }
}
