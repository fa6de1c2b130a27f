//! Property sets as text.
//!
//! Atoms are printed expanded. Operands of `U W R ->` are put in parentheses unless they bind like an operand of a
//! unary operator, so that the text does not depend on how tightly these operators bind.

use super::super::{Expr, Formula, Model, PropertyKind, PropertySet};
use super::Printer;
use super::expressions::{Names, level};

/// The canonical text of a property set.
///
/// # Panics
/// If the model or the property set is not verified.
pub fn print_properties(model: &Model, properties: &PropertySet) -> String {
    let names = Names { model, scope: None };
    let mut printer = Printer::new(model);
    printer.braces("property", |printer| {
        if !properties.definitions.is_empty() {
            printer.braces("define", |printer| {
                for definition in &properties.definitions {
                    printer.line(&format!("{} = {};", definition.name, names.expr(&definition.value)));
                }
            });
        }
        let section = |kind: &PropertyKind| match kind {
            PropertyKind::Invariant(_) => "Assertion",
            PropertyKind::Ltl(_) => "LTL",
            PropertyKind::End(_) => "End",
        };
        for group in properties.properties.chunk_by(|one, next| section(&one.kind) == section(&next.kind)) {
            printer.braces(section(&group[0].kind), |printer| {
                for property in group {
                    let text = match &property.kind {
                        PropertyKind::Invariant(expr) | PropertyKind::End(expr) => names.expr(expr),
                        PropertyKind::Ltl(formula) => levelled(names, formula).0,
                    };
                    printer.line(&format!("{}: {text};", property.name));
                }
            });
        }
    });
    assert_eq!(printer.level, 0, "every section is closed");
    printer.out
}

/// The text of a condition over the variables of named rebecs.
///
/// # Panics
/// If it is not verified.
pub fn print_condition(model: &Model, condition: &Expr) -> String {
    Names { model, scope: None }.expr(condition)
}

/// The level of `U W R ->`: looser than every operator of expressions.
const TEMPORAL: u8 = level::TERNARY;

fn levelled(names: Names<'_>, formula: &Formula) -> (String, u8) {
    match formula {
        Formula::Atom(expr) => names.levelled(expr),
        Formula::Not(inner) => (format!("!{}", at(names, inner, level::UNARY)), level::UNARY),
        Formula::And(operands) => (junction(names, operands, " && ", level::AND), level::AND),
        Formula::Or(operands) => (junction(names, operands, " || ", level::OR), level::OR),
        Formula::Implies(left, right) => (infix(names, left, "->", right), TEMPORAL),
        Formula::Next(inner) => (prefix(names, "X", inner), level::UNARY),
        Formula::Finally(inner) => (prefix(names, "F", inner), level::UNARY),
        Formula::Globally(inner) => (prefix(names, "G", inner), level::UNARY),
        Formula::Until(left, right) => (infix(names, left, "U", right), TEMPORAL),
        Formula::WeakUntil(left, right) => (infix(names, left, "W", right), TEMPORAL),
        Formula::Release(left, right) => (infix(names, left, "R", right), TEMPORAL),
        Formula::Quantified(paths, inner) => match &**inner {
            Formula::Until(left, right) => (infix(names, left, &format!("{}U", paths.letter()), right), TEMPORAL),
            inner => {
                let (text, level) = levelled(names, inner);
                (format!("{}{text}", paths.letter()), level)
            }
        },
        // No text parses to it; this one is for people.
        Formula::Accepted(_, propositions) => {
            let operands: Vec<String> = propositions.iter().map(|operand| levelled(names, operand).0).collect();
            (format!("accepted({})", operands.join(", ")), level::UNARY)
        }
    }
}

fn at(names: Names<'_>, formula: &Formula, least: u8) -> String {
    let (text, level) = levelled(names, formula);
    if level < least { format!("({text})") } else { text }
}

fn junction(names: Names<'_>, operands: &[Formula], operator: &str, level: u8) -> String {
    operands.iter().map(|operand| at(names, operand, level + 1)).collect::<Vec<_>>().join(operator)
}

fn prefix(names: Names<'_>, operator: &str, inner: &Formula) -> String {
    format!("{operator}({})", levelled(names, inner).0)
}

fn infix(names: Names<'_>, left: &Formula, operator: &str, right: &Formula) -> String {
    format!("{} {operator} {}", at(names, left, level::UNARY), at(names, right, level::UNARY))
}
