//! Rules 25 and 26: property sets.

use super::super::{Formula, PropertyKind, PropertySet, Sort};
use super::{Verifier, distinct, rule};
use crate::source::Span;

impl Verifier<'_> {
    pub(super) fn properties(&mut self, properties: &PropertySet) {
        self.enter("the property set");
        let names = distinct(properties.definitions.iter().map(|definition| &definition.name))
            && distinct(properties.properties.iter().map(|property| &property.name));
        self.check(names, rule::PROPERTIES, Span::NONE);
        for definition in &properties.definitions {
            self.enter(format!("definition `{}`", definition.name));
            self.expr(None, &definition.value);
        }
        for property in &properties.properties {
            self.enter(format!("property `{}`", property.name));
            match &property.kind {
                PropertyKind::Invariant(expr) | PropertyKind::End(expr) => {
                    self.check(expr.sort == Sort::Bool, rule::PROPERTIES, property.span);
                    self.expr(None, expr);
                }
                PropertyKind::Ltl(formula) => self.formula(formula, property.span),
            }
        }
    }

    fn formula(&mut self, formula: &Formula, span: Span) {
        let is_atom = |formula: &Formula| matches!(formula, Formula::Atom(_));
        match formula {
            Formula::Atom(expr) => {
                self.check(expr.sort == Sort::Bool, rule::PROPERTIES, expr.span);
                self.expr(None, expr);
            }
            Formula::Not(inner) => {
                self.check(!is_atom(inner), rule::FORMULAS, span);
                self.formula(inner, span);
            }
            Formula::And(operands) | Formula::Or(operands) => {
                let same = |operand: &Formula| std::mem::discriminant(operand) == std::mem::discriminant(formula);
                let fits = operands.len() >= 2 && !operands.iter().any(same) && !operands.iter().all(is_atom);
                self.check(fits, rule::FORMULAS, span);
                operands.iter().for_each(|operand| self.formula(operand, span));
            }
            Formula::Accepted(_, propositions) => {
                self.check(propositions.iter().all(is_atom), rule::FORMULAS, span);
                propositions.iter().for_each(|proposition| self.formula(proposition, span));
            }
            Formula::Next(inner)
            | Formula::Finally(inner)
            | Formula::Globally(inner)
            | Formula::Quantified(_, inner) => self.formula(inner, span),
            Formula::Implies(left, right)
            | Formula::Until(left, right)
            | Formula::WeakUntil(left, right)
            | Formula::Release(left, right) => {
                self.formula(left, span);
                self.formula(right, span);
            }
        }
    }
}
