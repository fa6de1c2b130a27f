//! `never` claims: automata over the states of the model.
//!
//! The points of a claim are the states of the automaton, its conditions the labels of the edges. A run violates the claim if the automaton
//! passes a point whose label begins with `accept` infinitely often, or comes to the closing brace or to a point whose label begins with `end`:
//! these are states that accept everything. A failed `assert` leads there too.
//!
//! Source: the behaviour of SPIN 6.5.2. A run that ends is extended by its last state, as for formulas.

use std::collections::BTreeSet;

use super::super::flow::{Action, Flow, Point, flow};
use super::super::labels::labels;
use super::super::syntax::ast::{Expr, ExprKind, Name, Never};
use super::claims::GLOBAL;
use super::{Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::{self as seq, Formula, Property, PropertyKind};
use crate::source::Span;
use ltl::{Automaton, Cube, MOST_BITS};

/// The most statements behind others in the atomic sequences of a claim, along all of their paths.
const MOST_INSIDE: usize = 4_096;

/// The points of a claim, and what is known of its automaton.
struct Claim {
    flow: Flow,
    /// The points at which it is violated, whatever follows.
    finals: BTreeSet<Point>,
    /// The propositions.
    atoms: Vec<seq::Expr>,
    /// The number of statements that may still be put behind others.
    left: usize,
}

/// A statement of a claim by its place.
#[derive(Clone, Copy)]
struct Statement {
    point: Point,
    number: usize,
    /// Whether it begins a step.
    is_first: bool,
}

/// A step of a claim.
#[derive(Clone, Copy)]
struct Move {
    label: Cube,
    to: Point,
}

impl Lowering<'_> {
    /// The properties that no run is accepted by a claim.
    pub(super) fn never(&mut self, claims: &[Never]) -> Result<(), Refused> {
        for claim in claims {
            let mut body = claim.body.clone();
            labels(&mut body, self.wrong, self.sink);
            let flow = flow(&body, claim.end, &|_| None, BTreeSet::new(), self.wrong, self.sink);
            if self.sink.has_errors() {
                return Err(Refused);
            }
            let accepted = self.automaton(flow, claim.name.span)?;
            let kind = PropertyKind::Ltl(Formula::Not(Box::new(accepted)));
            self.property(&claim.name, kind)?;
        }
        Ok(())
    }

    /// Adds a property, unless there is one of its name.
    pub(super) fn property(&mut self, name: &Name, kind: PropertyKind) -> Result<(), Refused> {
        if self.model.properties.iter().any(|known| known.name == name.text) {
            let message = format!("there are two claims of the name `{}`", name.text);
            return self.refuse(codes::PROMELA_DUPLICATE, name.span, &message);
        }
        self.model.properties.push(Property { name: name.text.clone(), kind, span: name.span });
        Ok(())
    }

    fn automaton(&mut self, flow: Flow, span: Span) -> Result<Formula, Refused> {
        let mut edges = vec![Vec::new(); flow.points.len()];
        let (start, end) = (flow.start, flow.end);
        let at = |prefix: &'static str| flow.labels.iter().filter(move |(name, _)| name.starts_with(prefix));
        let accepting: BTreeSet<Point> = at("accept").map(|(_, &point)| point).collect();
        let finals = at("end").map(|(_, &point)| point).chain([end]);
        let finals: BTreeSet<Point> = finals.filter(|_| !self.wrong.forgets_ends_of_claims()).collect();
        let mut claim = Claim { flow, finals, atoms: Vec::new(), left: MOST_INSIDE };
        for (point, edges) in edges.iter_mut().enumerate() {
            limits::work(1);
            if claim.finals.contains(&point) {
                edges.push(ltl::Edge { to: point, label: Cube::TRUE, marks: 1 });
                continue;
            }
            let marks = u128::from(accepting.contains(&point));
            for number in 0..claim.flow.points[point].edges.len() {
                let moves = self.moves(&mut claim, Statement { point, number, is_first: true })?;
                edges.extend(moves.iter().map(|step| ltl::Edge { to: step.to, label: step.label, marks }));
            }
        }
        if claim.atoms.len() > MOST_BITS {
            let message = format!("the claim has more than {MOST_BITS} conditions");
            return self.refuse(codes::PROMELA_SIZE, span, &message);
        }
        let states = edges.len();
        let mut targets = edges.iter().flatten().map(|edge| edge.to);
        debug_assert!(targets.all(|to| to < states), "every edge of the automaton leads to a state of it");
        let automaton = Automaton { sets: 1, initial: vec![start], edges };
        Ok(Formula::Accepted(Box::new(automaton), claim.atoms.into_iter().map(Formula::Atom).collect()))
    }

    /// The steps that begin with a statement: it and those that follow it in an atomic sequence read one state.
    fn moves(&mut self, claim: &mut Claim, at: Statement) -> Result<Vec<Move>, Refused> {
        let edge = claim.flow.points[at.point].edges[at.number].clone();
        if !edge.escapes.is_empty() {
            return self.no_claim(edge.span, "`unless`");
        }
        let own = match &edge.action {
            Action::Expr(condition) if at.is_first || is_true(condition) => self.label(claim, condition, true)?,
            Action::Else if at.is_first => self.otherwise(claim, at)?,
            Action::Skip | Action::Print(_) => Some(Cube::TRUE),
            Action::Assert(condition) => self.label(claim, condition, true)?,
            Action::Expr(_) | Action::Else => {
                return self.no_claim(edge.span, "a condition behind another statement of one atomic sequence");
            }
            _ => return self.no_claim(edge.span, "a statement that changes the state"),
        };
        let mut moves = Vec::new();
        if let Action::Assert(condition) = &edge.action {
            let failed = self.label(claim, condition, false)?;
            moves.extend(failed.map(|label| Move { label, to: claim.flow.end }));
        }
        let Some(label) = own else { return Ok(moves) };
        if !edge.stays || claim.finals.contains(&edge.target) {
            moves.push(Move { label, to: edge.target });
            return Ok(moves);
        }
        for number in 0..claim.flow.points[edge.target].edges.len() {
            if claim.left == 0 {
                return self.no_claim(edge.span, "an atomic sequence of so many statements");
            }
            claim.left -= 1;
            let next = Statement { point: edge.target, number, is_first: false };
            let both = |step: Move| Some(Move { label: label.and(step.label)?, ..step });
            moves.extend(self.moves(claim, next)?.into_iter().filter_map(both));
        }
        Ok(moves)
    }

    /// The label that a condition, or its negation, holds; `None` if it never does.
    fn label(&mut self, claim: &mut Claim, condition: &Expr, holds: bool) -> Result<Option<Cube>, Refused> {
        let condition = self.condition(condition, &GLOBAL)?;
        if let seq::ExprKind::Int(value) = condition.kind {
            return Ok(((value != 0) == holds).then_some(Cube::TRUE));
        }
        if claim.atoms.len() > MOST_BITS {
            // The claim is refused when it has been read.
            return Ok(Some(Cube::TRUE));
        }
        let known = claim.atoms.iter().position(|atom| *atom == condition);
        let number = known.unwrap_or_else(|| {
            claim.atoms.push(condition);
            claim.atoms.len() - 1
        });
        Ok(Some(if number < MOST_BITS { Cube::literal(number, holds) } else { Cube::TRUE }))
    }

    /// The label of `else`: no statement before it at its point can be executed.
    fn otherwise(&mut self, claim: &mut Claim, at: Statement) -> Result<Option<Cube>, Refused> {
        let mut label = Cube::TRUE;
        let before: Vec<Action> =
            claim.flow.points[at.point].edges[..at.number].iter().map(|edge| edge.action.clone()).collect();
        for action in &before {
            let lacks = match action {
                Action::Else => continue,
                Action::Expr(condition) => self.label(claim, condition, false)?,
                _ => None,
            };
            match lacks.and_then(|lacks| label.and(lacks)) {
                Some(both) => label = both,
                None => return Ok(None),
            }
        }
        Ok(Some(label))
    }

    fn no_claim<T>(&mut self, span: Span, construct: &str) -> Result<T, Refused> {
        let message = format!("{construct} is not supported in a `never` claim");
        let help = Some("write conditions, `else`, `assert`, `goto` and labels that begin with `accept`".to_owned());
        self.refuse_with(codes::PROMELA_UNSUPPORTED, span, &message, help)
    }
}

fn is_true(condition: &Expr) -> bool {
    matches!(condition.kind, ExprKind::Int(value) if value != 0)
}
