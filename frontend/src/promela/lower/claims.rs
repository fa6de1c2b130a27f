//! Formulas, and the states in which processes may rest.

use std::collections::BTreeMap;

use super::super::flow::Point;
use super::super::labels::plain;
use super::super::syntax::ast::{self, Binary, Expr, File, Unary};
use super::{Context, Lowering, Refused};
use crate::diagnostics::{Diagnostic, codes};
use crate::sequential::from_actors::build::{and, equal, int, member, not, or, parameter, read};
use crate::sequential::{self as seq, ExprKind, Formula, ParameterId, Property, PropertyKind, Quantified};
use crate::source::Span;

/// How a process passes a label inside of an atomic sequence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Passes {
    /// In a state inside of a step.
    Seen,
    /// Within a `d_step`, which may be one summand.
    Unseen,
}

/// Outside of all processes.
pub(super) const GLOBAL: Context = Context { process: None, pid: None, scope: Vec::new(), in_timeout: false };

impl Lowering<'_> {
    pub(super) fn claims(&mut self, file: &File) -> Result<(), Refused> {
        self.ends();
        for claim in &file.formulas {
            let formula = self.formula(&claim.formula)?;
            self.property(&claim.name, PropertyKind::Ltl(formula))?;
        }
        self.never(&file.never)?;
        self.cycles()
    }

    /// The properties of labels in proctypes: no run passes an accept label infinitely often, and every run that does not end passes
    /// progress labels infinitely often.
    ///
    /// Soundness: inside of `atomic` sequences accept labels count and progress labels do not, so that `holds` is right whether one takes
    /// these labels for passed or, as SPIN mostly does, for invisible.
    fn cycles(&mut self) -> Result<(), Refused> {
        let is_used = |prefix: &str| {
            let names = self.flows.iter().flat_map(|flow| flow.labels.keys());
            { names }.any(|name| name.starts_with(prefix))
        };
        let (accepts, progresses) = (is_used("accept"), is_used("progress"));
        let passes = self.passes_inside();
        if accepts && passes != Some(Passes::Unseen) {
            let passed = always(eventually(Formula::Atom(self.labelled("accept"))));
            let name = self.label_property("accept", Formula::Not(Box::new(passed)));
            let has_inside = passes.is_some() && self.hold.is_some() && !self.wrong.forgets_labels_inside();
            self.model.inside = Some(name).filter(|_| has_inside);
        }
        if progresses {
            let mut able = Vec::new();
            for process in 0..self.processes.len() {
                let can_move = |lowering: &mut Self, inner: &Context| lowering.can_move(process, inner);
                able.push(self.some_process(process, &GLOBAL, can_move)?);
            }
            let passes = or(vec![self.labelled("progress"), not(or(able))]);
            self.label_property("progress", always(eventually(Formula::Atom(passes))));
        }
        Ok(())
    }

    /// How processes pass accept labels inside of atomic sequences, if they do. Warns of labels that are not seen there: those in a `d_step`,
    /// which is one step, and all progress labels.
    fn passes_inside(&mut self) -> Option<Passes> {
        let mut accepts = None;
        for (process, flow) in self.flows.iter().enumerate() {
            let edges = self.controls[process].2.keys().flat_map(|&point| &flow.points[point].edges);
            let mut passed: BTreeMap<Point, Passes> = BTreeMap::new();
            for edge in edges.filter(|edge| edge.stays) {
                let is_one_step = edge.step.is_some() && flow.points[edge.target].step == edge.step;
                let own = if is_one_step { Passes::Unseen } else { Passes::Seen };
                let known = passed.entry(edge.target).or_insert(own);
                *known = own.max(*known);
            }
            let passed_labels =
                flow.labels.iter().filter_map(|(name, point)| Some((name, *point, *passed.get(point)?)));
            for (name, point, own) in passed_labels {
                let is_accept = name.starts_with("accept");
                if is_accept {
                    accepts = accepts.max(Some(own));
                }
                if is_accept && own == Passes::Unseen || name.starts_with("progress") {
                    let (place, help) = match is_accept {
                        true => ("a `d_step`", "the property `accept` is left out"),
                        false => ("an atomic sequence", "`progress` may fail for it"),
                    };
                    let message = format!("the label `{}` is inside of {place}, and not seen there", plain(name));
                    let span = flow.points[point].span.unwrap_or(Span::NONE);
                    let warning = Diagnostic::warning(codes::PROMELA_INSIDE, span, message);
                    self.sink.push(warning.help_opt(Some(help.to_owned())));
                }
            }
        }
        accepts
    }

    /// A property of labels, under a name that no claim has, which is returned.
    fn label_property(&mut self, name: &str, formula: Formula) -> String {
        let is_taken = |name: &String| self.model.properties.iter().any(|known| known.name == *name);
        let names = std::iter::successors(Some(name.to_owned()), |name| Some(format!("{name}_")));
        let name = { names }.find(|name| !is_taken(name)).expect("there are few claims");
        let property = Property { name: name.clone(), kind: PropertyKind::Ltl(formula), span: Span::NONE };
        self.model.properties.push(property);
        name
    }

    /// Whether some process is at a label that begins so.
    pub(super) fn labelled(&self, prefix: &str) -> seq::Expr {
        let at = |process: usize| {
            let labels = self.flows[process].labels.iter().filter(|(name, _)| name.starts_with(prefix));
            let members = &self.controls[process].2;
            let points: Vec<i32> = labels.filter_map(|(_, point)| members.get(point).copied()).collect();
            self.at_points(process, points, ExprKind::Exists)
        };
        or((0..self.processes.len()).map(at).collect())
    }

    /// Whether a process can make a step.
    pub(super) fn enabled(&mut self, pid: &seq::Expr, context: &Context) -> Result<seq::Expr, Refused> {
        let mut able = Vec::new();
        for process in 0..self.processes.len() {
            let found = self.some_process(process, context, |lowering, inner| {
                let own = inner.pid.clone().expect("a process has a number");
                Ok(and(vec![equal(own, pid.clone()), lowering.can_move(process, inner)?]))
            })?;
            able.push(found);
        }
        Ok(or(able))
    }

    /// Whether one or each process of a proctype is at one of these points.
    fn at_points(&self, process: usize, points: Vec<i32>, quantifier: fn(Box<Quantified>) -> ExprKind) -> seq::Expr {
        let (variable, sort, _) = self.controls[process];
        debug_assert!(
            points.iter().all(|&point| self.model.domain(sort).contains(point)),
            "a proctype is at points of its own"
        );
        let slots = self.slots[process].sort;
        let (low, high) = self.model.domain(slots).bounds();
        let pid = if low == high { int(low) } else { parameter(ParameterId(0)) };
        let at = |index: i32| equal(read(variable, vec![pid.clone()]), member(sort, index));
        let body = or(points.into_iter().map(at).collect());
        if low == high || matches!(body.kind, ExprKind::Int(_)) {
            return body;
        }
        let name = self.parameters.0.clone();
        seq::Expr::new(quantifier(Box::new(Quantified { name, sort: slots, body })), Span::NONE)
    }

    fn formula(&mut self, expr: &Expr) -> Result<Formula, Refused> {
        if !expr.is_temporal() {
            return Ok(Formula::Atom(self.condition(expr, &GLOBAL)?));
        }
        match &expr.kind {
            ast::ExprKind::Unary(op, inner) => {
                let inner = Box::new(self.formula(inner)?);
                Ok(match op {
                    Unary::Temporal(op) => op.on(inner),
                    Unary::Not => Formula::Not(inner),
                    Unary::Negate | Unary::Complement => return self.refuse_operator(expr),
                })
            }
            ast::ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let implies = |left: Formula, right: Formula| Formula::Implies(Box::new(left), Box::new(right));
                Ok(match op {
                    Binary::And => flat(vec![left, right], true),
                    Binary::Or => flat(vec![left, right], false),
                    Binary::Equivalent => {
                        let back = implies(right.clone(), left.clone());
                        Formula::And(vec![implies(left, right), back])
                    }
                    Binary::Temporal(op) => op.on(Box::new(left), Box::new(right)),
                    Binary::Implies => implies(left, right),
                    Binary::On(_) => return self.refuse_operator(expr),
                })
            }
            _ => Ok(Formula::Atom(self.condition(expr, &GLOBAL)?)),
        }
    }

    /// An operator on values whose operand is a formula: `[] x < 2` is `([] x) < 2`.
    fn refuse_operator<T>(&mut self, expr: &Expr) -> Result<T, Refused> {
        let message = "an operator on values has a formula as its operand";
        let help = "`[]`, `<>` and `X` bind as tightly as `!`: write parentheses, as in `[] (x < 2)`";
        self.refuse_with(codes::PROMELA_TYPE, expr.span, message, Some(help.to_owned()))
    }

    /// The states without steps that are no deadlocks: every process is at its closing brace or at a label that begins
    /// with `end`.
    fn ends(&mut self) {
        let mut all = Vec::new();
        for process in 0..self.processes.len() {
            let members = &self.controls[process].2;
            let flow = &self.flows[process];
            let labelled = flow.labels.iter().filter(|(name, _)| name.starts_with("end")).map(|(_, &point)| point);
            let mut points: Vec<i32> =
                labelled.chain([flow.end]).filter_map(|point| members.get(&point).copied()).chain([0]).collect();
            points.sort_unstable();
            points.dedup();
            if points.len() > members.len() {
                continue;
            }
            all.push(self.at_points(process, points, ExprKind::Forall));
        }
        self.model.ends = Some(and(all));
    }
}

fn always(inner: Formula) -> Formula {
    Formula::Globally(Box::new(inner))
}

fn eventually(inner: Formula) -> Formula {
    Formula::Finally(Box::new(inner))
}

/// A chain without chains of the same operator in it.
fn flat(list: Vec<Formula>, is_and: bool) -> Formula {
    let mut operands = Vec::new();
    for formula in list {
        match formula {
            Formula::And(inner) if is_and => operands.extend(inner),
            Formula::Or(inner) if !is_and => operands.extend(inner),
            other => operands.push(other),
        }
    }
    if is_and { Formula::And(operands) } else { Formula::Or(operands) }
}
