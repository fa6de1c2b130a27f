//! Propositions, assertions and formulas.

use rustc_hash::FxHashMap;

use super::resolve::height;
use super::{ExpectedKind, Lowering, Meaning};
use crate::diagnostics::{codes, every};
use crate::sequential::syntax::ast::{self, Claim, ClaimKind, File};
use crate::sequential::{Expr, Formula, Initial, MAX_NESTING, Property, PropertyKind, Proposition};
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn claims(&mut self, claims: &[Claim]) {
        self.constant = false;
        let mut properties: FxHashMap<&str, Span> = FxHashMap::default();
        for claim in claims {
            let (name, span) = (claim.name.text.clone(), claim.name.span);
            if claim.kind != ClaimKind::Proposition {
                match properties.get(claim.name.text.as_str()) {
                    Some(&first) => self.duplicate(&claim.name, first),
                    None => drop(properties.insert(&claim.name.text, span)),
                }
            }
            match claim.kind {
                ClaimKind::Proposition => {
                    let value = self.state_condition(&claim.value);
                    let meaning = if value.is_some() {
                        Meaning::Proposition(self.model.propositions.len())
                    } else {
                        Meaning::Broken
                    };
                    self.model.propositions.extend(value.map(|value| Proposition { name, value, span }));
                    self.declare(&claim.name, meaning);
                }
                ClaimKind::Invariant => {
                    let kind = self.state_condition(&claim.value).map(PropertyKind::Invariant);
                    self.model.properties.extend(kind.map(|kind| Property { name, kind, span }));
                }
                ClaimKind::Ltl => {
                    let formula = self.formula(&claim.value);
                    let formula = formula.filter(|formula| self.fits(formula_height(formula), claim.value.span));
                    let property = formula.map(|formula| Property { name, kind: PropertyKind::Ltl(formula), span });
                    self.model.properties.extend(property);
                }
            }
        }
    }

    /// `hold variable;`, `inside formula;` and `ends condition;`
    pub(super) fn rests(&mut self, file: &File) {
        for ends in &file.ends {
            self.model.ends = self.state_condition(ends);
        }
        for name in &file.holds {
            let Some(&(Meaning::Variable(id), _)) = self.names.get(&name.text) else {
                self.unknown::<()>(name);
                continue;
            };
            let variable = self.model.variable(id);
            let least = self.model.domain(variable.sort).bounds().0;
            let element = variable.offset;
            let begins = variable.initial == Initial::Values(vec![least])
                && self.model.starts.iter().all(|start| start.get(element) == Some(&least));
            if !variable.indices.is_empty() || !begins {
                let message = format!("`{}` is no variable of the turn", name.text);
                let help = "it is no array, and has the least value of its type in every initial state";
                self.error(codes::LPE_HOLD, name.span, message, help);
                continue;
            }
            self.model.hold = Some(id);
        }
        for name in &file.inside {
            let is_formula =
                |property: &Property| property.name == name.text && matches!(property.kind, PropertyKind::Ltl(_));
            if self.model.hold.is_none() || !self.model.properties.iter().any(is_formula) {
                let message = format!("`{}` is no formula that can count inside of steps", name.text);
                let help = "`hold` says which states are inside of steps, and `ltl` states the formula";
                self.error(codes::LPE_INSIDE, name.span, message, help);
                continue;
            }
            self.model.inside = Some(name.text.clone());
        }
        if let Some(name) = file.inside.get(1) {
            self.error(codes::LPE_REPEATED, name.span, "a second `inside`", "name one formula");
        }
        if let Some(name) = file.holds.get(1) {
            self.error(codes::LPE_REPEATED, name.span, "a second `hold`", "there is one turn");
        }
        if let Some(second) = file.ends.get(1) {
            self.error(codes::LPE_REPEATED, second.span, "a second `ends`", "write one condition");
        }
    }

    /// A condition over one state.
    pub(super) fn state_condition(&mut self, tree: &ast::Expr) -> Option<Expr> {
        let expr = self.resolve(tree)?;
        if !self.fits(height(&expr), tree.span) {
            return None;
        }
        self.check(&expr, ExpectedKind::Condition).map(|_| expr)
    }

    /// Whether the height of a tree is within bounds; reports it otherwise.
    fn fits(&mut self, height: usize, span: Span) -> bool {
        if height > MAX_NESTING {
            let message = "this is nested too deeply once its propositions are expanded";
            self.error(codes::LPE_EXPANSION, span, message, "use smaller properties");
        }
        height <= MAX_NESTING
    }

    /// A formula; maximal parts without temporal operators become atoms.
    fn formula(&mut self, tree: &ast::Expr) -> Option<Formula> {
        if tree.temporal().is_none() {
            return self.state_condition(tree).map(Formula::Atom);
        }
        match &tree.kind {
            ast::ExprKind::Not(inner) => self.boxed(inner).map(Formula::Not),
            ast::ExprKind::And(list) => self.formulas(list).map(Formula::And),
            ast::ExprKind::Or(list) => self.formulas(list).map(Formula::Or),
            ast::ExprKind::Implies(left, right) => {
                let (left, right) = (self.boxed(left), self.boxed(right));
                Some(Formula::Implies(left?, right?))
            }
            ast::ExprKind::Temporal1(op, inner) => self.boxed(inner).map(|inner| op.on(inner)),
            ast::ExprKind::Temporal2(op, left, right) => {
                let (left, right) = (self.boxed(left), self.boxed(right));
                Some(op.on(left?, right?))
            }
            // Reports the temporal operator inside.
            _ => self.resolve(tree).map(Formula::Atom),
        }
    }

    fn boxed(&mut self, tree: &ast::Expr) -> Option<Box<Formula>> {
        self.formula(tree).map(Box::new)
    }

    fn formulas(&mut self, list: &[ast::Expr]) -> Option<Vec<Formula>> {
        every(list.iter().map(|tree| self.formula(tree)))
    }
}

fn formula_height(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(expr) => height(expr),
        _ => 1 + formula.operands().into_iter().map(formula_height).max().unwrap_or(0),
    }
}
