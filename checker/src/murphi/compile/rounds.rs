//! The rounds of loops and quantifiers that the code of a rule or property may make.
//!
//! Where they are few whatever the state, the step cannot fault for its rounds, and they are not counted. Tests of the same slot in
//! several rounds then follow each other, so that one of them does.

use frontend::murphi::program::{Binder, BinderValues, Child, ExprKind, Header, Property, Rule, Stmt, StmtKind};

use super::Compiler;

/// The most rounds that need not be counted: far fewer than a step may make, and than pass between two looks at the clock.
const FEW: usize = 1 << 12;

impl<'p> Compiler<'p> {
    /// Whether the rounds of a rule are counted.
    pub(super) fn counts_rule(&self, rule: &'p Rule) -> bool {
        let guard = rule.guard.as_ref().map_or(Some(0), |guard| self.rounds_of(Child::Expr(guard)));
        let body = self.rounds_of(Child::Body(&rule.body));
        self.counts(&rule.header, guard.zip(body).map(|(guard, body)| guard.saturating_add(body)))
    }

    /// Whether the rounds of a property are counted.
    pub(super) fn counts_property(&self, property: &'p Property) -> bool {
        self.counts(&property.header, self.rounds_of(Child::Expr(&property.condition)))
    }

    fn counts(&self, header: &'p [Header], inside: Option<usize>) -> bool {
        if self.wrong.counts_no_rounds() {
            return false;
        }
        // Code that counts rounds is not made for headers.
        let has_header = header.iter().filter_map(Header::child).any(|child| self.rounds_of(child) != Some(0));
        has_header || inside.is_none_or(|rounds| rounds > FEW)
    }

    /// The most rounds of a part; `None` if they are not known. Procedures are not looked into.
    fn rounds_of(&self, part: Child<'p>) -> Option<usize> {
        limits::work(1);
        match part {
            Child::Place(place) => self.sum(place.indices().map(Child::Expr)),
            Child::Expr(expr) => {
                let inside = self.sum(expr.children())?;
                match &expr.kind {
                    ExprKind::Call(..) => None,
                    ExprKind::Quantified(_, binder, _) => Some(times(self.values_of(binder)?, inside)),
                    ExprKind::Count(slots, _) => Some(times(self.slots_of(slots.multiset.of), inside)),
                    _ => Some(inside),
                }
            }
            Child::Body(body) => {
                let statements = body.iter().map(|stmt| self.rounds_of_statement(stmt));
                statements.into_iter().try_fold(0usize, |sum, rounds| Some(sum.saturating_add(rounds?)))
            }
        }
    }

    fn rounds_of_statement(&self, stmt: &'p Stmt) -> Option<usize> {
        let inside = self.sum(stmt.children())?;
        match &stmt.kind {
            StmtKind::While(..) | StmtKind::Call(..) => None,
            StmtKind::For(binder, _) => Some(times(self.values_of(binder)?, inside)),
            StmtKind::MultisetRemoveWhere(slots, _) => Some(times(self.slots_of(slots.multiset.of), inside)),
            _ => Some(inside),
        }
    }

    fn sum(&self, parts: impl IntoIterator<Item = Child<'p>>) -> Option<usize> {
        parts.into_iter().try_fold(0usize, |sum, part| Some(sum.saturating_add(self.rounds_of(part)?)))
    }

    fn slots_of(&self, of: frontend::murphi::program::TypeId) -> usize {
        self.multiset(of).1 as usize
    }

    fn values_of(&self, binder: &Binder) -> Option<usize> {
        match &binder.values {
            BinderValues::Type(of) => Some(self.types().count(*of)),
            BinderValues::Steps(steps) => steps.constant_rounds(),
        }
    }
}

/// The rounds of a loop: its own, and those inside of each.
fn times(count: usize, inside: usize) -> usize {
    count.saturating_mul(inside.saturating_add(1))
}
