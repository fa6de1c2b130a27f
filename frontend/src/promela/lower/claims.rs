//! Formulas, and the states in which processes may rest.

use super::super::syntax::ast::{Binary, Expr, ExprKind, File, Unary};
use super::{Context, Lowering, Refused};
use crate::sequential::from_actors::build::{and, int, member, or, parameter, read};
use crate::sequential::{self as seq, Formula, ParameterId, Property, PropertyKind, Quantified};
use crate::source::Span;

const GLOBAL: Context = Context { process: None, pid: None, scope: Vec::new(), in_timeout: false };

impl Lowering<'_> {
    pub(super) fn claims(&mut self, file: &File) -> Result<(), Refused> {
        self.ends();
        for claim in &file.formulas {
            let kind = match self.formula(&claim.formula)? {
                Formula::Atom(condition) => PropertyKind::Ltl(Formula::Atom(condition)),
                formula => PropertyKind::Ltl(formula),
            };
            let (name, span) = (claim.name.text.clone(), claim.name.span);
            self.model.properties.push(Property { name, kind, span });
        }
        Ok(())
    }

    fn formula(&mut self, expr: &Expr) -> Result<Formula, Refused> {
        if !expr.is_temporal() {
            return Ok(Formula::Atom(self.condition(expr, &GLOBAL)?));
        }
        match &expr.kind {
            ExprKind::Unary(op, inner) => {
                let inner = Box::new(self.formula(inner)?);
                Ok(match op {
                    Unary::Always => Formula::Globally(inner),
                    Unary::Eventually => Formula::Finally(inner),
                    Unary::Next => Formula::Next(inner),
                    Unary::Not | Unary::Negate | Unary::Complement => Formula::Not(inner),
                })
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let pair = |left: Formula, right: Formula| (Box::new(left), Box::new(right));
                let implies = |left: Formula, right: Formula| {
                    let (left, right) = pair(left, right);
                    Formula::Implies(left, right)
                };
                Ok(match op {
                    Binary::And => flat(vec![left, right], true),
                    Binary::Or => flat(vec![left, right], false),
                    Binary::Equivalent => {
                        let back = implies(right.clone(), left.clone());
                        Formula::And(vec![implies(left, right), back])
                    }
                    Binary::Until => {
                        let (left, right) = pair(left, right);
                        Formula::Until(left, right)
                    }
                    Binary::WeakUntil => {
                        let (left, right) = pair(left, right);
                        Formula::WeakUntil(left, right)
                    }
                    Binary::Release => {
                        let (left, right) = pair(left, right);
                        Formula::Release(left, right)
                    }
                    _ => implies(left, right),
                })
            }
            _ => Ok(Formula::Atom(self.condition(expr, &GLOBAL)?)),
        }
    }

    /// The states without steps that are no deadlocks: every process is at its closing brace or at a label that begins
    /// with `end`.
    fn ends(&mut self) {
        let mut all = Vec::new();
        for process in 0..self.processes.len() {
            let (variable, sort, members) = self.controls[process].clone();
            let flow = &self.flows[process];
            let labelled = flow.labels.iter().filter(|(name, _)| name.starts_with("end")).map(|(_, &point)| point);
            let mut points: Vec<i32> =
                labelled.chain([flow.end]).filter_map(|point| members.get(&point).copied()).chain([0]).collect();
            points.sort_unstable();
            points.dedup();
            if points.len() > members.len() {
                continue;
            }
            let slots = self.slots[process].sort;
            let (low, high) = self.model.domain(slots).bounds();
            let pid = if low == high { int(low) } else { parameter(ParameterId(0)) };
            let at = |index: i32| {
                let own = read(variable, vec![pid.clone()]);
                crate::sequential::from_actors::build::equal(own, member(sort, index))
            };
            let body = or(points.into_iter().map(at).collect());
            if low == high {
                all.push(body);
            } else {
                let name = self.parameters.0.clone();
                let quantified = Quantified { name, sort: slots, body };
                all.push(seq::Expr::new(seq::ExprKind::Forall(Box::new(quantified)), Span::NONE));
            }
        }
        self.model.ends = Some(and(all));
    }
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
