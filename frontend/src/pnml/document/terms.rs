//! The terms of a symmetric net: multisets of colours on arcs and in markings, and the conditions of transitions.
//!
//! A term is typed where it is read. Any term is a multiset: a single value is one that has this value once. A part of a partition stands for
//! the sum of its constants, as `all` does for those of a whole sort.

use super::sorts::{Base, Domain};
use super::{Document, Reader};
use crate::diagnostics::{codes, sorted};
use crate::pnml::xml::Element;
use crate::source::{Span, Spanned};

/// A multiset.
pub(in crate::pnml) type Term = Spanned<TermKind>;

/// The operation of a term, with its operands.
#[derive(Clone, Debug)]
pub(in crate::pnml) enum TermKind {
    /// Each of these values of a basic sort, once.
    Values(Vec<i32>),
    /// The value of a variable, by its number.
    Variable(usize),
    /// All values of a sort, each once.
    All(Domain),
    /// The value so many places behind the operand, among this number of values in a cycle.
    Shift(Box<Term>, i32, i32),
    /// Tuples of values.
    Tuple(Vec<Term>),
    /// The operand, so many times.
    Times(i32, Box<Term>),
    /// The sum of the operands.
    Sum(Vec<Term>),
    /// The first operand without the others.
    Difference(Vec<Term>),
}

impl Term {
    /// So many tokens without colour.
    pub(super) fn dots(number: i32, span: Span) -> Term {
        let dot = Term { kind: TermKind::Values(vec![0]), span };
        Term { kind: TermKind::Times(number, Box::new(dot)), span }
    }

    /// The direct operands.
    pub(in crate::pnml) fn operands(&self) -> &[Term] {
        match &self.kind {
            TermKind::Values(_) | TermKind::Variable(_) | TermKind::All(_) => &[],
            TermKind::Shift(inner, ..) | TermKind::Times(_, inner) => std::slice::from_ref(inner),
            TermKind::Tuple(list) | TermKind::Sum(list) | TermKind::Difference(list) => list,
        }
    }

    /// Adds the variables in it to a list.
    pub(in crate::pnml) fn variables(&self, found: &mut Vec<usize>) {
        if let TermKind::Variable(variable) = self.kind {
            found.push(variable);
        }
        self.operands().iter().for_each(|operand| operand.variables(found));
    }

    /// Whether it always is one value.
    fn is_single(&self) -> bool {
        match &self.kind {
            TermKind::Values(values) => values.len() == 1,
            TermKind::Variable(_) => true,
            TermKind::Shift(..) | TermKind::Tuple(_) => self.operands().iter().all(Term::is_single),
            _ => false,
        }
    }
}

/// A condition on the values of variables.
#[derive(Clone, Debug)]
pub(in crate::pnml) enum Guard {
    /// All of these; none for `true`.
    All(Vec<Guard>),
    /// At least one of these.
    Any(Vec<Guard>),
    /// Not this one.
    Not(Box<Guard>),
    /// A comparison of single values.
    Compare(Comparison, Box<Term>, Box<Term>),
}

impl Guard {
    /// Adds the variables in it to a list.
    pub(in crate::pnml) fn variables(&self, found: &mut Vec<usize>) {
        match self {
            Guard::All(list) | Guard::Any(list) => list.iter().for_each(|guard| guard.variables(found)),
            Guard::Not(inner) => inner.variables(found),
            Guard::Compare(_, left, right) => [left, right].into_iter().for_each(|term| term.variables(found)),
        }
    }
}

/// The comparisons of values; constants of an enumeration are ordered as they are declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pnml) enum Comparison {
    /// `equality`
    Equal,
    /// `inequality`
    NotEqual,
    /// `lessthan`
    Less,
    /// `lessthanorequal`
    LessEqual,
    /// `greaterthan`
    Greater,
    /// `greaterthanorequal`
    GreaterEqual,
}

/// The operands of an operator; the element `subterm` around one says nothing. One around none or several stays, and is no term.
fn operands(element: &Element) -> Vec<&Element> {
    let inner = |child: &'_ Element| child.name == "subterm" && child.children.len() == 1;
    element.children.iter().map(|child| if inner(child) { &child.children[0] } else { child }).collect()
}

/// Whether a value of one sort may stand where another is needed; integers are compared with the range where they arrive.
fn fits(found: &Domain, needed: &Domain) -> bool {
    let part = |(a, b): (&Base, &Base)| a == b || matches!((a, b), (Base::Range(..), Base::Range(..)));
    found.len() == needed.len() && found.iter().zip(needed).all(part)
}

impl Reader<'_> {
    /// A multiset over a sort.
    pub(super) fn multiset(&mut self, element: &Element, sort: &Domain) -> Option<Term> {
        let (term, found) = self.term(element)?;
        if found.is_some_and(|found| !fits(&found, sort)) {
            let message = "the term has another sort than the place";
            let help = "use values of the sort of the place, in its order";
            return self.refuse(codes::PNML_SORT, element.span, message, help);
        }
        Some(term)
    }

    /// A term with its sort; nothing is known of the sort of an empty multiset.
    fn term(&mut self, element: &Element) -> Option<(Term, Option<Domain>)> {
        limits::work(1);
        let span = element.span;
        let made = |kind, sort| Some((Term { kind, span }, Some(sort)));
        match element.name.as_str() {
            "dotconstant" => made(TermKind::Values(vec![0]), vec![Base::Dot]),
            "useroperator" => {
                let id = self.attribute(element, "declaration")?;
                let Some(constants) = self.document.sorts.constants.get(&id).cloned() else {
                    let known: Vec<String> = self.document.sorts.constants.keys().cloned().collect();
                    return self.unknown("constant", &id, span, &sorted(&known));
                };
                made(TermKind::Values(constants.values), vec![Base::Enumeration(constants.of)])
            }
            "finiteintrangeconstant" => {
                let value = self.attribute(element, "value")?;
                let value = self.integer(&value, span)?;
                let range = self.child(element, "finiteintrange")?;
                let (low, high) = self.range(range)?;
                if !(low..=high).contains(&value) {
                    let message = format!("{value} is not in the range {low} to {high}");
                    return self.refuse(codes::PNML_SORT, span, message, "use a value of the range");
                }
                made(TermKind::Values(vec![value]), vec![Base::Range(low, high)])
            }
            "variable" => {
                let id = self.attribute(element, "refvariable")?;
                let Some(&variable) = self.variables.get(&id) else {
                    let known: Vec<String> = self.variables.keys().cloned().collect();
                    return self.unknown("variable", &id, span, &sorted(&known));
                };
                let sort = self.document.variables[variable].sort.clone();
                made(TermKind::Variable(variable), sort)
            }
            "all" => {
                let Some(sort) = element.children.first() else {
                    return self.missing(element, "sort");
                };
                let sort = self.sort(sort)?;
                made(TermKind::All(sort.clone()), sort)
            }
            "empty" => Some((Term { kind: TermKind::Sum(Vec::new()), span }, None)),
            "successor" | "predecessor" => self.shifted(element),
            "tuple" => {
                let parts = operands(element).into_iter().map(|part| self.term(part)).collect::<Option<Vec<_>>>()?;
                let sort = parts.iter().map(|(_, sort)| sort.clone().unwrap_or_default()).collect::<Vec<_>>().concat();
                made(TermKind::Tuple(parts.into_iter().map(|(part, _)| part).collect()), sort)
            }
            "numberof" | "scalarproduct" => {
                let list = operands(element);
                let [number, term] = list.as_slice() else {
                    return self.missing(element, "number and term");
                };
                if number.name != "numberconstant" {
                    let message = format!("`{}` is no number", number.name);
                    return self.refuse(codes::PNML_UNSUPPORTED, number.span, message, "use `numberconstant`");
                }
                let value = self.attribute(number, "value")?;
                let value = self.number(&value, number.span)?;
                let (term, sort) = self.term(term)?;
                Some((Term { kind: TermKind::Times(value, Box::new(term)), span }, sort))
            }
            "add" | "subtract" => self.chain(element),
            other => {
                let message = format!("the operator `{other}` is not supported here");
                let help = "terms of symmetric nets are made of constants, variables, `all`, `tuple`, `successor`, `predecessor`, \
                            `numberof`, `add` and `subtract`";
                self.refuse(codes::PNML_UNSUPPORTED, span, message, help)
            }
        }
    }

    /// A sum or a difference.
    fn chain(&mut self, element: &Element) -> Option<(Term, Option<Domain>)> {
        let list = operands(element).into_iter().map(|part| self.term(part)).collect::<Option<Vec<_>>>()?;
        if list.is_empty() {
            return self.missing(element, "operand");
        }
        let sort = list.iter().find_map(|(_, sort)| sort.clone());
        let differ = |found: &Option<Domain>| found.iter().any(|found| sort.iter().any(|sort| !fits(found, sort)));
        if list.iter().any(|(_, found)| differ(found)) {
            let help = "use multisets of one sort";
            return self.refuse(codes::PNML_SORT, element.span, "the operands have different sorts", help);
        }
        let terms = list.into_iter().map(|(term, _)| term).collect();
        let kind = if element.name == "add" { TermKind::Sum(terms) } else { TermKind::Difference(terms) };
        Some((Term { kind, span: element.span }, sort))
    }

    /// A successor or predecessor.
    fn shifted(&mut self, element: &Element) -> Option<(Term, Option<Domain>)> {
        let list = operands(element);
        let [inner] = list.as_slice() else {
            return self.missing(element, "single operand");
        };
        let (term, sort) = self.term(inner)?;
        let cycle = match sort.as_deref() {
            Some(&[Base::Enumeration(of)]) if self.document.sorts.enumerations[of].is_cyclic => {
                i32::try_from(self.document.sorts.enumerations[of].names.len()).ok()
            }
            _ => None,
        };
        let Some(cycle) = cycle else {
            let message =
                format!("the {} of a value that is not of a cyclic enumeration is not supported", element.name);
            let help = "declare the sort as `cyclicenumeration`";
            return self.refuse(codes::PNML_UNSUPPORTED, element.span, message, help);
        };
        let by = if element.name == "successor" { 1 } else { -1 };
        Some((Term { kind: TermKind::Shift(Box::new(term), by, cycle), span: element.span }, sort))
    }

    /// A condition.
    pub(super) fn condition(&mut self, element: &Element) -> Option<Guard> {
        limits::work(1);
        let comparison = match element.name.as_str() {
            "and" | "or" => {
                let list =
                    operands(element).into_iter().map(|part| self.condition(part)).collect::<Option<Vec<_>>>()?;
                return Some(if element.name == "and" { Guard::All(list) } else { Guard::Any(list) });
            }
            "not" | "imply" => {
                let list =
                    operands(element).into_iter().map(|part| self.condition(part)).collect::<Option<Vec<_>>>()?;
                let mut list = list.into_iter();
                return match (element.name.as_str(), list.next(), list.next(), list.next()) {
                    ("not", Some(inner), None, None) => Some(Guard::Not(Box::new(inner))),
                    ("imply", Some(left), Some(right), None) => {
                        Some(Guard::Any(vec![Guard::Not(Box::new(left)), right]))
                    }
                    _ => self.missing(element, "operand"),
                };
            }
            "booleanconstant" => {
                let value = self.attribute(element, "value")?;
                return match value.as_str() {
                    "true" => Some(Guard::All(Vec::new())),
                    "false" => Some(Guard::Any(Vec::new())),
                    _ => {
                        let message = format!("`{value}` is no truth value");
                        self.refuse(codes::PNML_MALFORMED, element.span, message, "use `true` or `false`")
                    }
                };
            }
            "equality" => Comparison::Equal,
            "inequality" => Comparison::NotEqual,
            "lessthan" => Comparison::Less,
            "lessthanorequal" => Comparison::LessEqual,
            "greaterthan" => Comparison::Greater,
            "greaterthanorequal" => Comparison::GreaterEqual,
            other => {
                let message = format!("the condition `{other}` is not supported");
                let help = "conditions are made of comparisons, `and`, `or`, `not` and `imply`";
                return self.refuse(codes::PNML_UNSUPPORTED, element.span, message, help);
            }
        };
        let list = operands(element);
        let [left, right] = list.as_slice() else {
            return self.missing(element, "pair of operands");
        };
        let (left, right) = (self.term(left), self.term(right));
        let ((left, a), (right, b)) = (left?, right?);
        let are_alike = a.iter().zip(&b).next().is_some_and(|(a, b)| fits(a, b));
        let is_unordered = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if !are_alike {
            let message = "the compared terms have different sorts";
            return self.refuse(codes::PNML_SORT, element.span, message, "compare values of one sort");
        }
        if !left.is_single() || !right.is_single() || !(is_unordered || a.is_some_and(|a| a.len() == 1)) {
            let message = "this comparison is not supported";
            let help = "compare single values, and tuples by `equality` and `inequality` only";
            return self.refuse(codes::PNML_UNSUPPORTED, element.span, message, help);
        }
        Some(Guard::Compare(comparison, Box::new(left), Box::new(right)))
    }
}

/// The values with the sums of their numbers, ascending.
pub(in crate::pnml) fn joined(mut values: Vec<(Vec<i32>, i64)>) -> Vec<(Vec<i32>, i64)> {
    values.sort_unstable();
    values.dedup_by(|(value, times), (kept, sum)| {
        let is_same = value == kept;
        if is_same {
            *sum = sum.saturating_add(*times);
        }
        is_same
    });
    values
}

impl Document {
    /// The values of a term for values of the variables, each with its number; equal ones may be listed more than once.
    pub(in crate::pnml) fn evaluate(&self, term: &Term, binding: &[Vec<i32>]) -> Vec<(Vec<i32>, i64)> {
        limits::work(1);
        match &term.kind {
            TermKind::Values(values) => values.iter().map(|&value| (vec![value], 1)).collect(),
            TermKind::Variable(variable) => vec![(binding[*variable].clone(), 1)],
            TermKind::All(sort) => self.colours(sort).into_iter().map(|colour| (colour, 1)).collect(),
            TermKind::Shift(inner, by, cycle) => {
                let mut values = self.evaluate(inner, binding);
                values.iter_mut().for_each(|(value, _)| value[0] = (value[0] + by).rem_euclid(*cycle));
                values
            }
            TermKind::Tuple(parts) => {
                let mut whole = vec![(Vec::new(), 1i64)];
                for part in parts {
                    let values = self.evaluate(part, binding);
                    let extended = whole.iter().flat_map(|(first, times)| {
                        values
                            .iter()
                            .map(move |(rest, more)| ([first.as_slice(), rest].concat(), times.saturating_mul(*more)))
                    });
                    whole = joined(extended.collect());
                    limits::work(whole.len() as u64);
                }
                whole
            }
            TermKind::Times(number, inner) => {
                let mut values = self.evaluate(inner, binding);
                values.iter_mut().for_each(|(_, times)| *times = times.saturating_mul(i64::from(*number)));
                values
            }
            TermKind::Sum(list) => list.iter().flat_map(|part| self.evaluate(part, binding)).collect(),
            TermKind::Difference(list) => {
                let mut values = Vec::new();
                for (place, part) in list.iter().enumerate() {
                    let sign = if place == 0 { 1 } else { -1 };
                    let part = self.evaluate(part, binding).into_iter();
                    values.extend(part.map(|(value, times)| (value, times.saturating_mul(sign))));
                }
                let mut values = joined(values);
                // A multiset from which more is taken than it has is none, whatever is added behind.
                values.iter_mut().filter(|(_, times)| *times < 0).for_each(|(_, times)| *times = i64::MIN);
                values
            }
        }
    }

    /// All values of a sort, in lexicographic order.
    pub(in crate::pnml) fn colours(&self, sort: &Domain) -> Vec<Vec<i32>> {
        let mut colours = vec![Vec::new()];
        for &base in sort {
            let extended = colours.iter().flat_map(|first: &Vec<i32>| {
                self.sorts.values(base).map(move |value| [first.as_slice(), &[value]].concat())
            });
            colours = extended.collect();
            limits::work(colours.len() as u64);
        }
        colours
    }

    /// Whether a condition is true for values of its variables.
    pub(in crate::pnml) fn is_true(&self, guard: &Guard, binding: &[Vec<i32>]) -> bool {
        match guard {
            Guard::All(list) => list.iter().all(|guard| self.is_true(guard, binding)),
            Guard::Any(list) => list.iter().any(|guard| self.is_true(guard, binding)),
            Guard::Not(inner) => !self.is_true(inner, binding),
            Guard::Compare(comparison, left, right) => {
                let value = |term| self.evaluate(term, binding).into_iter().map(|(value, _)| value).next();
                let (left, right) = (value(left), value(right));
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::NotEqual => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessEqual => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::GreaterEqual => left >= right,
                }
            }
        }
    }
}
