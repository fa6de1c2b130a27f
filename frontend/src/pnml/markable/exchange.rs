//! Variables of a transition that may be exchanged, as those of two tokens that are taken from one place and put into another.
//!
//! # Soundness
//!
//! An exchange of two variables of one sort that leaves the condition and the arcs of a transition as they are maps each binding to one with
//! the same step. Such exchanges generate all permutations of the variables that are joined by them, and each binding is mapped by one of
//! these to one whose values ascend: that one may stand for all. Terms are compared as they are written, up to the order of operands where it
//! says nothing: what is not seen to be equal is not exchanged.

use crate::pnml::document::{Comparison, Document, Guard, Term, TermKind, Transition};

use super::join::variables;

/// Texts in an order of their own, so that their order says nothing.
fn unordered(texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<String> = texts.collect();
    texts.sort_unstable();
    texts.join(",")
}

/// The text of a term in which variables are renamed.
fn term(term: &Term, renamed: &dyn Fn(usize) -> usize) -> String {
    let inner = |inner: &Term| self::term(inner, renamed);
    match &term.kind {
        TermKind::Values(values) => format!("{values:?}"),
        TermKind::Variable(variable) => format!("v{}", renamed(*variable)),
        TermKind::All(sort) => format!("all{sort:?}"),
        TermKind::Shift(of, by, cycle) => format!("({}>{by}/{cycle})", inner(of)),
        TermKind::Tuple(parts) => format!("<{}>", parts.iter().map(inner).collect::<Vec<String>>().join(",")),
        TermKind::Times(number, of) => format!("{number}*{}", inner(of)),
        TermKind::Sum(parts) => format!("({})", unordered(parts.iter().map(inner))),
        TermKind::Difference(parts) => {
            let (first, others) = parts.split_at(parts.len().min(1));
            format!("({}-{})", unordered(first.iter().map(inner)), unordered(others.iter().map(inner)))
        }
    }
}

/// The text of a condition in which variables are renamed.
fn guard(condition: &Guard, renamed: &dyn Fn(usize) -> usize) -> String {
    let inner = |inner: &Guard| guard(inner, renamed);
    match condition {
        Guard::All(list) => format!("&({})", unordered(list.iter().map(inner))),
        Guard::Any(list) => format!("|({})", unordered(list.iter().map(inner))),
        Guard::Not(of) => format!("!{}", inner(of)),
        Guard::Compare(comparison, left, right) => {
            let sides = [left, right].map(|side| term(side, renamed));
            let sides = match comparison {
                Comparison::Equal | Comparison::NotEqual => unordered(sides.into_iter()),
                _ => sides.join(","),
            };
            format!("{comparison:?}({sides})")
        }
    }
}

/// The text of a transition in which variables are renamed.
fn text(transition: &Transition, renamed: &dyn Fn(usize) -> usize) -> String {
    let arcs =
        |arcs: &[(usize, Term)]| unordered(arcs.iter().map(|(place, of)| format!("{place}:{}", term(of, renamed))));
    [guard(&transition.guard, renamed), arcs(&transition.inputs), arcs(&transition.outputs)].join(";")
}

/// Pairs of variables that may be exchanged: those of each class in a chain, ascending.
pub(super) fn exchanged(document: &Document, transition: &Transition, any: bool) -> Vec<(usize, usize)> {
    let own = text(transition, &|variable| variable);
    let mut pairs = Vec::new();
    // The last variable of each class.
    let mut classes: Vec<usize> = Vec::new();
    for variable in variables(transition) {
        let is_alike = |&last: &usize| {
            limits::work(own.len() as u64);
            let swapped = |of: usize| match of {
                of if of == last => variable,
                of if of == variable => last,
                of => of,
            };
            document.variables[last].sort == document.variables[variable].sort
                && (any || text(transition, &swapped) == own)
        };
        match classes.iter().position(is_alike) {
            Some(class) => pairs.push((std::mem::replace(&mut classes[class], variable), variable)),
            None => classes.push(variable),
        }
    }
    pairs
}
