//! Formulas of the Model Checking Contest: XML to properties of the process of a net.
//!
//! `AG f` over a condition becomes an invariant; every other formula keeps its form. A formula with one quantifier in front and path
//! operators without quantifiers behind it is one of linear time.
//!
//! # Soundness
//!
//! A run that ends repeats its last state in the checker. The contest's runs end there: `EX f` is false and `AX f` true in a marking without
//! enabled transitions, so each `X` behind a quantifier says whether the marking is one. No other operator sees the difference, and in
//! linear time the last marking is repeated in the contest too. Of the forms that both kinds of formulas share only `A X f` tells them apart: where
//! nobody says of which kind a file is, it is of branching time where a formula of the same file has a quantifier inside of another, or `E`.

use super::lower::{all, any, binary, enabled, tokens};
use super::net::Net;
use super::xml::{self, Element};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes, did_you_mean, sorted};
use crate::sequential::{BinaryOp, Expr, ExprKind, Formula, Property, PropertyKind};
use crate::source::Span;
use ltl::Paths;

/// A question of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Whether a formula is true.
    Property(Property),
    /// The greatest number of tokens that these places have together.
    Bound {
        /// The id of the question.
        name: String,
        /// The places.
        places: Vec<usize>,
    },
}

impl Asked {
    /// The id of the question.
    pub fn name(&self) -> &str {
        match self {
            Asked::Property(property) => &property.name,
            Asked::Bound { name, .. } => name,
        }
    }
}

/// The kind of time of the formulas of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// Formulas about runs.
    Linear,
    /// Formulas about the states that may follow.
    Branching,
}

mutants::mutants! {
    /// Faults of the reading of formulas, for tests that must notice them.
    pub(super) struct Wrong {
        /// A marking without enabled transitions has itself as its successor.
        repeats_ends,
        /// Runs end in files of linear time, too, where quantifiers stand inside of operators.
        ends_in_linear_time,
    }
}

/// The questions of a text about a net, of a kind of time if it is known. Faults go to the sink.
pub(super) fn read(text: &str, net: &Net, time: Option<Time>, wrong: Wrong, sink: &mut Diagnostics) -> Vec<Asked> {
    let Some(root) = xml::read(text, sink) else { return Vec::new() };
    let is_branching = time.map_or_else(|| is_branching(&root, false), |time| time == Time::Branching);
    let mut reader = Reader { net, sink, wrong, is_branching };
    let mut asked: Vec<Asked> = Vec::new();
    if root.name != "property-set" {
        let message = format!("the outermost element is `{}`, not `property-set`", root.name);
        reader.error(codes::PNML_MALFORMED, root.span, message, "give a file of formulas of the contest");
    }
    for property in root.all("property") {
        let Some(name) = property.child("id").map(|id| id.text().to_owned()).filter(|id| !id.is_empty()) else {
            reader.error(codes::PNML_MALFORMED, property.span, "the property has no `id`", "add an element `id`");
            continue;
        };
        if asked.iter().any(|known| known.name() == name) {
            let message = format!("there already is a property `{name}`");
            reader.error(codes::DUPLICATE_PROPERTY, property.span, message, "choose another name");
            continue;
        }
        asked.extend(reader.property(property, name));
    }
    asked
}

/// The ids of the formulas of a text, as far as it can be read.
pub(super) fn ids(text: &str) -> Vec<String> {
    let root = xml::read(text, &mut Diagnostics::new());
    let properties = root.iter().flat_map(|root| root.all("property"));
    properties
        .filter_map(|property| Some(property.child("id")?.text().to_owned()))
        .filter(|id| !id.is_empty())
        .collect()
}

/// Whether an element has a quantifier for some runs, or a quantifier inside of another.
fn is_branching(element: &Element, is_inside: bool) -> bool {
    let is_quantifier = matches!(element.name.as_str(), "all-paths" | "exists-path");
    element.name == "exists-path"
        || is_quantifier && is_inside
        || element.children.iter().any(|child| is_branching(child, is_inside || is_quantifier))
}

struct Reader<'a> {
    net: &'a Net,
    sink: &'a mut Diagnostics,
    wrong: Wrong,
    /// Whether the formulas are of branching time, as far as they show.
    is_branching: bool,
}

impl Reader<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports a fault, in the place of what was to be made.
    fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.error(code, span, message, help);
        None
    }

    fn property(&mut self, property: &Element, name: String) -> Option<Asked> {
        let formulas: Vec<&Element> = property.all("formula").flat_map(|formula| &formula.children).collect();
        if let [_, second, ..] = formulas.as_slice() {
            return self.refuse(
                codes::PNML_MALFORMED,
                second.span,
                "the property has two formulas",
                "keep one of them",
            );
        }
        let Some(&formula) = formulas.first() else {
            let message = "the property has no formula";
            return self.refuse(codes::PNML_MALFORMED, property.span, message, "add an element `formula`");
        };
        if formula.name == "place-bound" {
            let places = self.places(formula)?;
            return Some(Asked::Bound { name, places });
        }
        let made = self.formula(formula)?;
        let kind = match made {
            Formula::Quantified(Paths::All, inner) => match *inner {
                Formula::Globally(inner) if matches!(*inner, Formula::Atom(_)) => match *inner {
                    Formula::Atom(condition) => PropertyKind::Invariant(condition),
                    other => PropertyKind::Ltl(Formula::Globally(Box::new(other))),
                },
                // All that is behind one quantifier is of linear time where it is not of CTL.
                inner if !(inner.is_branching() || self.is_branching && matches!(inner, Formula::Next(_))) => {
                    PropertyKind::Ltl(inner)
                }
                inner => PropertyKind::Ltl(self.branching(Formula::Quantified(Paths::All, Box::new(inner)))),
            },
            other => PropertyKind::Ltl(self.branching(other)),
        };
        let is_read = match &kind {
            PropertyKind::Ltl(formula) => !formula.is_branching() || formula.is_ctl(),
            _ => true,
        };
        if !is_read {
            let message = "the formula mixes linear and branching time";
            let help = "put a quantifier in front of each path operator, or one in front of all";
            return self.refuse(codes::PNML_UNSUPPORTED, formula.span, message, help);
        }
        Some(Asked::Property(Property { name, kind, span: Span::NONE }))
    }

    /// A formula with quantifiers: one of branching time, in which runs end where no transition is enabled, or operators of linear time over formulas
    /// behind quantifiers, in which the last marking is repeated.
    fn branching(&self, formula: Formula) -> Formula {
        if !self.is_branching && !self.wrong.ends_in_linear_time() {
            return formula;
        }
        let mut formula = formula;
        for operand in formula.operands_mut() {
            let inner = std::mem::replace(operand, Formula::And(Vec::new()));
            *operand = self.branching(inner);
        }
        if self.wrong.repeats_ends() {
            return formula;
        }
        let is_next = matches!(&formula, Formula::Quantified(_, path) if matches!(**path, Formula::Next(_)));
        match formula {
            Formula::Quantified(Paths::All, _) if is_next => Formula::Or(vec![Formula::Atom(self.dead()), formula]),
            Formula::Quantified(Paths::Some, _) if is_next => {
                let live = Expr::new(ExprKind::Not(Box::new(self.dead())), Span::NONE);
                Formula::And(vec![Formula::Atom(live), formula])
            }
            other => other,
        }
    }

    /// The condition that no transition is enabled.
    fn dead(&self) -> Expr {
        dead(self.net)
    }

    fn formula(&mut self, element: &Element) -> Option<Formula> {
        limits::work(1);
        let list = &element.children;
        let unary = |list: &[Element]| if let [inner] = list { Some(inner.clone()) } else { None };
        match element.name.as_str() {
            "all-paths" | "exists-path" => {
                let Some(inner) = unary(list) else { return self.operands(element) };
                let paths = if element.name == "all-paths" { Paths::All } else { Paths::Some };
                let inner = self.formula(&inner)?;
                // A condition on states needs no run.
                let is_state = |formula: &Formula| matches!(formula, Formula::Atom(_) | Formula::Quantified(..));
                Some(if is_state(&inner) { inner } else { Formula::Quantified(paths, Box::new(inner)) })
            }
            "next" | "finally" | "globally" => {
                let Some(inner) = unary(list) else { return self.operands(element) };
                let inner = Box::new(self.formula(&inner)?);
                Some(match element.name.as_str() {
                    "next" => Formula::Next(inner),
                    "finally" => Formula::Finally(inner),
                    _ => Formula::Globally(inner),
                })
            }
            "until" => {
                let part = |name: &str| element.child(name).and_then(|part| unary(&part.children));
                let (Some(before), Some(reach)) = (part("before"), part("reach")) else {
                    return self.operands(element);
                };
                let before = self.formula(&before)?;
                Some(Formula::Until(Box::new(before), Box::new(self.formula(&reach)?)))
            }
            "negation" => {
                let Some(inner) = unary(list) else { return self.operands(element) };
                Some(match self.formula(&inner)? {
                    Formula::Atom(condition) => {
                        Formula::Atom(Expr::new(ExprKind::Not(Box::new(condition)), Span::NONE))
                    }
                    inner => Formula::Not(Box::new(inner)),
                })
            }
            "conjunction" | "disjunction" => {
                let list = list.iter().map(|part| self.formula(part)).collect::<Option<Vec<Formula>>>()?;
                if list.is_empty() {
                    return self.operands(element);
                }
                Some(junction(list, element.name == "conjunction"))
            }
            _ => self.condition(element).map(Formula::Atom),
        }
    }

    fn operands(&mut self, element: &Element) -> Option<Formula> {
        let message = format!("`{}` has another number of operands than it needs", element.name);
        self.refuse(codes::PNML_MALFORMED, element.span, message, "add or remove operands")
    }

    fn condition(&mut self, element: &Element) -> Option<Expr> {
        let op = match element.name.as_str() {
            "true" => return Some(Expr::new(ExprKind::Int(1), Span::NONE)),
            "false" => return Some(Expr::new(ExprKind::Int(0), Span::NONE)),
            "deadlock" => return Some(self.dead()),
            "is-fireable" => {
                let mut list = Vec::new();
                self.only(element, "transition")?;
                for transition in element.all("transition") {
                    let Some(range) = self.net.transition_ids.get(transition.text()).cloned() else {
                        return self.unknown("transition", transition, sorted(self.net.transition_ids.keys()));
                    };
                    let net = self.net;
                    list.extend(net.transitions[range].iter().map(|transition| enabled(transition, Span::NONE)));
                }
                return Some(flat(list, false));
            }
            "integer-le" => BinaryOp::LessEqual,
            "integer-lt" => BinaryOp::Less,
            "integer-ge" => BinaryOp::GreaterEqual,
            "integer-gt" => BinaryOp::Greater,
            "integer-eq" => BinaryOp::Equal,
            "integer-ne" => BinaryOp::NotEqual,
            other => {
                let message = format!("`{other}` is not supported in formulas");
                let help = "formulas are made of path operators, `negation`, `conjunction`, `disjunction`, `is-fireable` and comparisons";
                return self.refuse(codes::PNML_UNSUPPORTED, element.span, message, help);
            }
        };
        let [left, right] = element.children.as_slice() else {
            self.operands(element);
            return None;
        };
        let (left, right) = (self.number(left), self.number(right));
        Some(binary(op, left?, right?))
    }

    fn number(&mut self, element: &Element) -> Option<Expr> {
        match element.name.as_str() {
            "integer-constant" => match element.text().parse::<i32>() {
                Ok(value) => Some(Expr::new(ExprKind::Int(value), Span::NONE)),
                Err(_) => {
                    let message = format!("`{}` is no integer of 32 bits", element.text());
                    self.refuse(codes::PNML_MALFORMED, element.span, message, "use a smaller number")
                }
            },
            "tokens-count" => {
                let places = self.places(element)?;
                limits::work(places.len() as u64);
                Some(sum(places.into_iter().map(|place| tokens(place, Span::NONE)).collect()))
            }
            "integer-sum" => {
                let parts = element.children.iter().map(|part| self.number(part)).collect::<Option<Vec<Expr>>>()?;
                Some(sum(parts))
            }
            "integer-difference" => {
                let [left, right] = element.children.as_slice() else {
                    self.operands(element);
                    return None;
                };
                let (left, right) = (self.number(left), self.number(right));
                Some(binary(BinaryOp::Subtract, left?, right?))
            }
            other => {
                let message = format!("`{other}` is no number");
                let help = "numbers are `integer-constant`, `tokens-count`, `integer-sum` and `integer-difference`";
                self.refuse(codes::PNML_UNSUPPORTED, element.span, message, help)
            }
        }
    }

    /// Reports an element inside of another that has no such parts.
    fn only(&mut self, element: &Element, name: &str) -> Option<()> {
        let Some(other) = element.children.iter().find(|child| child.name != name) else { return Some(()) };
        let message = format!("`{}` does not belong into `{}`", other.name, element.name);
        self.refuse(codes::PNML_MALFORMED, other.span, message, format!("name each one by an element `{name}`"))
    }

    /// The places that an element names: of coloured places those of all colours.
    fn places(&mut self, element: &Element) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        self.only(element, "place")?;
        for place in element.all("place") {
            let Some(range) = self.net.place_ids.get(place.text()).cloned() else {
                return self.unknown("place", place, sorted(self.net.place_ids.keys()));
            };
            places.extend(range);
        }
        Some(places)
    }

    fn unknown<T>(&mut self, what: &str, element: &Element, known: Vec<&str>) -> Option<T> {
        let message = format!("there is no {what} `{}`", element.text());
        let help = did_you_mean(element.text(), known).unwrap_or_else(|| format!("name a {what} of the net"));
        self.refuse(codes::PNML_UNKNOWN_NAME, element.span, message, help)
    }
}

/// The condition that no transition of a net is enabled.
pub(super) fn dead(net: &Net) -> Expr {
    let live = net.transitions.iter().map(|transition| enabled(transition, Span::NONE)).collect();
    Expr::new(ExprKind::Not(Box::new(flat(live, false))), Span::NONE)
}

/// A conjunction or disjunction of conditions, without one of its kind inside.
pub(super) fn flat(list: Vec<Expr>, is_conjunction: bool) -> Expr {
    let parts = list.into_iter().flat_map(|part| match part.kind {
        ExprKind::And(list) if is_conjunction => list,
        ExprKind::Or(list) if !is_conjunction => list,
        _ => vec![part],
    });
    let parts = parts.collect();
    if is_conjunction { all(parts, Span::NONE) } else { any(parts, Span::NONE) }
}

/// A conjunction or disjunction of formulas; conditions without temporal operators are joined to one.
fn junction(list: Vec<Formula>, is_conjunction: bool) -> Formula {
    let mut conditions = Vec::new();
    let mut others = Vec::new();
    for part in list {
        match part {
            Formula::Atom(condition) => conditions.push(condition),
            Formula::And(list) if is_conjunction => others.extend(list),
            Formula::Or(list) if !is_conjunction => others.extend(list),
            other => others.push(other),
        }
    }
    if !conditions.is_empty() {
        others.insert(0, Formula::Atom(flat(conditions, is_conjunction)));
    }
    match (others.len(), is_conjunction) {
        (1, _) => others.remove(0),
        (_, true) => Formula::And(others),
        (_, false) => Formula::Or(others),
    }
}

/// A sum, as a tree that is as low as possible.
pub(super) fn sum(mut list: Vec<Expr>) -> Expr {
    match list.len() {
        0 => Expr::new(ExprKind::Int(0), Span::NONE),
        1 => list.remove(0),
        more => {
            let right = list.split_off(more / 2);
            binary(BinaryOp::Add, sum(list), sum(right))
        }
    }
}
