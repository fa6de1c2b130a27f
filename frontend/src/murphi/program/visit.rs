//! A visitor of all statements, expressions and places of a part, and the texts of a program one by one.

use crate::source::Span;

use super::{Argument, Child, Expr, ExprKind, Frame, Header, Place, ProcedureId, Program, Rule, Stmt, StmtKind};

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub enum Part<'p> {
    /// A statement.
    Stmt(&'p Stmt),
    /// An expression.
    Expr(&'p Expr),
    /// A place, read or written.
    Place(&'p Place),
}

impl<'p> Part<'p> {
    /// The procedure that it calls itself, and the arguments.
    pub fn call(self) -> Option<(ProcedureId, &'p [Argument])> {
        match self {
            Part::Stmt(Stmt { kind: StmtKind::Call(id, arguments), .. })
            | Part::Expr(Expr { kind: ExprKind::Call(id, arguments), .. }) => Some((*id, arguments)),
            _ => None,
        }
    }

    /// The procedure that it calls itself.
    pub fn called(self) -> Option<ProcedureId> {
        self.call().map(|(procedure, _)| procedure)
    }
}

/// Visits parts, wholes first.
pub type Visit<'v, 'p> = dyn FnMut(Part<'p>) + 'v;

impl<'p> Child<'p> {
    /// Visits the part and all parts of it.
    pub fn visit(self, visit: &mut Visit<'_, 'p>) {
        match self {
            Child::Expr(expr) => {
                limits::work(1);
                visit(Part::Expr(expr));
                expr.children().into_iter().for_each(|child| child.visit(visit));
            }
            Child::Place(place) => {
                visit(Part::Place(place));
                place.indices().for_each(|index| Child::Expr(index).visit(visit));
            }
            Child::Body(body) => {
                for stmt in body {
                    limits::work(1);
                    visit(Part::Stmt(stmt));
                    stmt.children().into_iter().for_each(|child| child.visit(visit));
                }
            }
        }
    }

    /// Whether it calls a procedure that passes a test.
    pub fn calls(self, test: impl Fn(ProcedureId) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |part| found = found || part.called().is_some_and(&test));
        found
    }
}

impl Expr {
    /// Whether it calls a function.
    pub fn has_call(&self) -> bool {
        Child::Expr(self).calls(|_| true)
    }
}

/// A frame: of a procedure, start state, rule or property, each by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// Of a procedure.
    Procedure(usize),
    /// Of a start state.
    Start(usize),
    /// Of a rule.
    Rule(usize),
    /// Of a property.
    Property(usize),
}

/// A text with a frame of its own.
#[derive(Clone, Copy, Debug)]
pub struct Text<'p> {
    /// The name of its frame.
    pub owner: Owner,
    /// Its frame.
    pub frame: &'p Frame,
    /// The constructs around it, outermost first.
    pub header: &'p [Header],
    /// The guard of a rule, or the condition of a property.
    pub condition: Option<&'p Expr>,
    /// The statements.
    pub body: &'p [Stmt],
    /// The text.
    pub span: Span,
}

impl<'p> Text<'p> {
    fn of_rule(owner: Owner, rule: &'p Rule) -> Text<'p> {
        let Rule { frame, header, guard, body, span, .. } = rule;
        Text { owner, frame, header, condition: guard.as_ref(), body, span: *span }
    }

    /// Its parts but for the bounds of rulesets, in the order of the text.
    pub fn children(&self) -> impl Iterator<Item = Child<'p>> + use<'p> {
        let header = self.header.iter().filter_map(Header::child);
        header.chain(self.condition.map(Child::Expr)).chain([Child::Body(self.body)])
    }
}

impl Program {
    /// All texts: of procedures, start states, rules, then properties.
    pub fn texts(&self) -> impl Iterator<Item = Text<'_>> {
        let procedures = self.procedures.iter().enumerate().map(|(number, own)| Text {
            owner: Owner::Procedure(number),
            frame: &own.frame,
            header: &[],
            condition: None,
            body: &own.body,
            span: own.span,
        });
        let starts = self.starts.iter().enumerate().map(|(number, own)| Text::of_rule(Owner::Start(number), own));
        let rules = self.rules.iter().enumerate().map(|(number, own)| Text::of_rule(Owner::Rule(number), own));
        let properties = self.properties.iter().enumerate().map(|(number, own)| Text {
            owner: Owner::Property(number),
            frame: &own.frame,
            header: &own.header,
            condition: Some(&own.condition),
            body: &[],
            span: own.span,
        });
        procedures.chain(starts).chain(rules).chain(properties)
    }
}
