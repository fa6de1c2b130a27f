//! Expressions and types as text, with the parentheses that they need.

use crate::murphi::syntax::ast::{Alias, Binder, BinderValues, Expr, ExprKind, Name, TypeExpr, TypeExprKind, UnaryOp};
use crate::murphi::syntax::level;

/// An expression.
pub(in crate::murphi) fn expression(expr: &Expr) -> String {
    let mut text = String::new();
    write(expr, level::CONDITIONAL, &mut text);
    text
}

/// An expression as an operand of an operator that needs operands of a level.
pub(super) fn operand(expr: &Expr, needed: u8) -> String {
    let mut text = String::new();
    write(expr, needed, &mut text);
    text
}

/// The level of the outermost operator.
fn level_of(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Conditional(..) => level::CONDITIONAL,
        ExprKind::Or(_) => level::OR,
        ExprKind::And(_) => level::AND,
        ExprKind::Binary(op, ..) => op.level(),
        ExprKind::Unary(UnaryOp::Not, _) => level::NOT,
        ExprKind::Unary(UnaryOp::Negate, _) => level::PRODUCT,
        ExprKind::Unary(UnaryOp::Complement, _) => level::COMPLEMENT,
        _ => level::OPERAND,
    }
}

fn write(expr: &Expr, needed: u8, out: &mut String) {
    if level_of(expr) < needed {
        out.push('(');
        bare(expr, out);
        out.push(')');
    } else {
        bare(expr, out);
    }
}

fn bare(expr: &Expr, out: &mut String) {
    match &expr.kind {
        ExprKind::Integer(value) => out.push_str(&value.to_string()),
        ExprKind::Boolean(value) => out.push_str(&value.to_string()),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Field(base, field) => {
            write(base, level::OPERAND, out);
            out.push('.');
            out.push_str(&field.text);
        }
        ExprKind::Index(base, index) => {
            write(base, level::OPERAND, out);
            out.push('[');
            write(index, level::CONDITIONAL, out);
            out.push(']');
        }
        ExprKind::Call(name, arguments) => call(name, arguments, out),
        ExprKind::Unary(op, inner) => {
            out.push_str(op.symbol());
            // `-1` is a literal and `--` a comment.
            let literal = *op == UnaryOp::Negate && matches!(inner.kind, ExprKind::Integer(_));
            let needed = if *op == UnaryOp::Not { level::NOT } else { op.operand() };
            if literal {
                out.push_str(&format!("({})", expression(inner)));
            } else {
                write(inner, needed, out);
            }
        }
        ExprKind::Binary(op, left, right) => {
            let (above, level) = (op.level() + 1, op.level());
            write(left, if op.is_chained() { level } else { above }, out);
            out.push_str(&format!(" {} ", op.symbol()));
            write(right, above, out);
        }
        ExprKind::And(list) => chain(list, " & ", level::AND, out),
        ExprKind::Or(list) => chain(list, " | ", level::OR, out),
        ExprKind::Conditional(condition, then, otherwise) => {
            // Other readers of the language take no `?:` behind `:` without parentheses.
            write(condition, level::IMPLIES, out);
            out.push_str(" ? ");
            write(then, level::IMPLIES, out);
            out.push_str(" : ");
            write(otherwise, level::IMPLIES, out);
        }
        ExprKind::Quantified(forall, list, body) => {
            let word = if *forall { "forall" } else { "exists" };
            out.push_str(&format!("{word} {} do ", binders(list)));
            write(body, level::CONDITIONAL, out);
            out.push_str(" end");
        }
        ExprKind::IsUndefined(place) => out.push_str(&format!("isundefined({})", expression(place))),
        ExprKind::IsMember(value, of) => {
            out.push_str(&format!("ismember({}, {})", expression(value), type_expression(of)));
        }
        ExprKind::MultisetCount(slot, condition) => {
            out.push_str(&format!("multisetcount({}, {})", alias(slot), expression(condition)));
        }
        ExprKind::Undefined => out.push_str("undefined"),
        ExprKind::Missing => out.push_str("(missing)"),
    }
}

fn chain(list: &[Expr], symbol: &str, level: u8, out: &mut String) {
    for (index, operand) in list.iter().enumerate() {
        if index > 0 {
            out.push_str(symbol);
        }
        write(operand, level + 1, out);
    }
}

fn call(name: &Name, arguments: &[Expr], out: &mut String) {
    out.push_str(&name.text);
    let arguments: Vec<String> = arguments.iter().map(expression).collect();
    out.push_str(&format!("({})", arguments.join(", ")));
}

/// `name(a, b)`
pub(super) fn called(name: &Name, arguments: &[Expr]) -> String {
    let mut text = String::new();
    call(name, arguments, &mut text);
    text
}

/// `name : value`
pub(super) fn alias(alias: &Alias) -> String {
    format!("{}: {}", alias.name.text, expression(&alias.value))
}

/// `a : A; b := 1 to 2`
pub(super) fn binders(list: &[Binder]) -> String {
    let texts: Vec<String> = list.iter().map(binder).collect();
    texts.join("; ")
}

fn binder(binder: &Binder) -> String {
    let name = &binder.name.text;
    match &binder.values {
        BinderValues::Type(of) => format!("{name}: {}", type_expression(of)),
        BinderValues::Steps { from, to, by } => {
            let step = by.as_ref().map_or(String::new(), |by| format!(" by {}", expression(by)));
            format!("{name} := {} to {}{step}", expression(from), expression(to))
        }
    }
}

/// A type on one line.
pub(super) fn type_expression(of: &TypeExpr) -> String {
    match &of.kind {
        TypeExprKind::Boolean => "boolean".into(),
        TypeExprKind::Named(name) => name.text.clone(),
        TypeExprKind::Range(low, high) => format!("{} .. {}", expression(low), expression(high)),
        TypeExprKind::Enum(names) => {
            let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
            format!("enum {{ {} }}", names.join(", "))
        }
        TypeExprKind::Scalarset(size) => format!("scalarset({})", expression(size)),
        TypeExprKind::Union(members) => {
            let members: Vec<String> = members.iter().map(type_expression).collect();
            format!("union {{ {} }}", members.join(", "))
        }
        TypeExprKind::Array(index, element) => {
            format!("array [{}] of {}", type_expression(index), type_expression(element))
        }
        TypeExprKind::Record(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| {
                    let names: Vec<&str> = field.names.iter().map(|name| name.text.as_str()).collect();
                    format!("{}: {}; ", names.join(", "), type_expression(&field.of))
                })
                .collect();
            format!("record {}end", fields.concat())
        }
        TypeExprKind::Multiset(capacity, element) => {
            format!("multiset [{}] of {}", expression(capacity), type_expression(element))
        }
    }
}
