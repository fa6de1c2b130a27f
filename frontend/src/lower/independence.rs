//! Whether the rounds of `forEachValueOf` are independent, by the two sufficient conditions of [Jag10] 3.3.2.
//!
//! A round may write only the elements of grouped variables at one fixed rotation of its own value, and no other round
//! may read them there. Each group of known rebecs may receive messages at one fixed rotation only. Every other write,
//! send, call or jump inside the loop is reported. The check is one-sided: a warning does not mean that the order
//! matters, and nothing relies on its absence (detected symmetries are validated one by one).
//!
//! Source: [Jag10] 3.3.2.

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::model::{
    Base, Class, ClassId, Expr, ExprKind, Local, LocalId, Model, Place, Role, Rvalue, Sort, Stmt, StmtKind, VariableId,
};
use crate::source::Span;

/// Warns once for each `forEachValueOf` whose rounds are not proved independent.
pub(super) fn warn(model: &Model, class: ClassId, locals: &[Local], block: &[Stmt], diagnostics: &mut Diagnostics) {
    let mut check = |statement: &Stmt| {
        let StmtKind::ForEach { local, body, .. } = &statement.kind else { return };
        let mut round = Round {
            class: model.class(class),
            value: *local,
            inner: declared(body, locals),
            writes: Vec::new(),
            reads: Vec::new(),
            receivers: Vec::new(),
            problem: None,
        };
        round.block(body, false);
        round.compare();
        if let Some((span, problem)) = round.problem {
            let name = &locals[local.index()].name;
            let message = format!("the rounds of `forEachValueOf({name})` are not proved independent: {problem}");
            diagnostics.push(Diagnostic::warning(codes::DEPENDENT_ITERATIONS, span, message));
        }
    };
    block.iter().for_each(|statement| statement.visit(&mut check));
}

/// The locals that a block declares: private to a round.
fn declared(block: &[Stmt], locals: &[Local]) -> Vec<bool> {
    let mut inner = vec![false; locals.len()];
    let mut add = |statement: &Stmt| {
        if let StmtKind::Let { local, .. } | StmtKind::ForEach { local, .. } = statement.kind {
            inner[local.index()] = true;
        }
    };
    block.iter().for_each(|statement| statement.visit(&mut add));
    inner
}

/// The accesses of one round to variables shared by all rounds. Offsets are rotations of the value of the round.
struct Round<'m> {
    class: &'m Class,
    value: LocalId,
    inner: Vec<bool>,
    writes: Vec<(VariableId, Option<i32>, Span)>,
    reads: Vec<(VariableId, Option<i32>, Span)>,
    receivers: Vec<(VariableId, i32)>,
    problem: Option<(Span, String)>,
}

impl Round<'_> {
    fn problem(&mut self, span: Span, problem: impl Into<String>) {
        if self.problem.is_none() {
            self.problem = Some((span, problem.into()));
        }
    }

    /// `catches` says whether a `break` in the block ends an inner statement, and not the loop.
    fn block(&mut self, block: &[Stmt], catches: bool) {
        for statement in block {
            self.statement(statement, catches);
            let ends =
                matches!(statement.kind, StmtKind::Switch { .. } | StmtKind::Loop { .. } | StmtKind::ForEach { .. });
            statement.blocks().into_iter().for_each(|inner| self.block(inner, catches || ends));
        }
    }

    fn statement(&mut self, statement: &Stmt, catches: bool) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Let { value, .. } => {
                if let Some(value) = value {
                    self.rvalue(value, span);
                }
            }
            StmtKind::Assign { place, value } => {
                self.rvalue(value, span);
                self.write(place);
            }
            StmtKind::Do(value) => self.rvalue(value, span),
            StmtKind::Send { receiver, arguments, .. } => {
                arguments.iter().for_each(|argument| self.expression(argument));
                self.send(receiver, span);
            }
            StmtKind::Assert { condition, .. }
            | StmtKind::If { condition, .. }
            | StmtKind::Loop { condition, .. }
            | StmtKind::Switch { value: condition, .. } => self.expression(condition),
            StmtKind::Return(_) => self.problem(span, "a round may end the whole loop"),
            StmtKind::Break if !catches => self.problem(span, "a round may end the whole loop"),
            StmtKind::Break | StmtKind::ForEach { .. } | StmtKind::Block(_) | StmtKind::Continue => {}
        }
    }

    fn rvalue(&mut self, value: &Rvalue, span: Span) {
        match value {
            Rvalue::Expr(expr) => self.expression(expr),
            Rvalue::Choose(options) => options.iter().for_each(|option| self.expression(option)),
            Rvalue::Call { .. } => self.problem(span, "a round calls a method"),
            Rvalue::New { .. } => self.problem(span, "a round creates a rebec"),
        }
    }

    fn send(&mut self, receiver: &Expr, span: Span) {
        if let ExprKind::Read(Place { base: Base::Variable(id), indices, .. }) = &receiver.kind
            && self.class.variables[id.index()].role == Role::Known
            && let [index] = indices.as_slice()
            && let Some(offset) = self.offset(index)
        {
            let name = self.class.variables[id.index()].name.clone();
            if self.receivers.iter().any(|&(other, at)| other == *id && at != offset) {
                self.problem(span, format!("two rounds may send to one rebec of `{name}`"));
            }
            self.receivers.push((*id, offset));
            return;
        }
        self.problem(span, "two rounds may send to one rebec");
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(place) => {
                if let Base::Variable(id) = place.base
                    && self.class.variables[id.index()].role == Role::State
                {
                    let offset = self.place_offset(place);
                    self.reads.push((id, offset, expr.span));
                }
                place.indices.iter().for_each(|index| self.expression(index));
            }
            _ => expr.operands().into_iter().for_each(|operand| self.expression(operand)),
        }
    }

    fn write(&mut self, place: &Place) {
        match place.base {
            Base::Local(id) if self.inner[id.index()] => {}
            Base::Local(_) => self.problem(place.span, "a round writes a local of the server"),
            Base::Variable(id) => {
                let offset = self.place_offset(place);
                self.writes.push((id, offset, place.span));
            }
            Base::Remote(..) => {}
        }
    }

    fn place_offset(&self, place: &Place) -> Option<i32> {
        match place.indices.as_slice() {
            [index] => self.offset(index),
            _ => None,
        }
    }

    /// The rotation of the round's value by which an index is given, if it is a rotation by a constant.
    fn offset(&self, index: &Expr) -> Option<i32> {
        match &index.kind {
            ExprKind::Read(Place { base: Base::Local(id), indices, .. }) if indices.is_empty() && *id == self.value => {
                Some(0)
            }
            ExprKind::Rotate(inner, by) => match (self.offset(inner), &by.kind) {
                (Some(offset), ExprKind::Int(by)) if matches!(inner.sort, Sort::Scalar(_)) => offset.checked_add(*by),
                _ => None,
            },
            _ => None,
        }
    }

    fn compare(&mut self) {
        let writes = std::mem::take(&mut self.writes);
        let reads = std::mem::take(&mut self.reads);
        for &(id, offset, span) in &writes {
            let name = self.class.variables[id.index()].name.clone();
            if offset.is_none() {
                self.problem(span, format!("every round writes `{name}`"));
            }
            let others = writes.iter().chain(&reads);
            if others.into_iter().any(|&(other, at, _)| other == id && at != offset) {
                self.problem(span, format!("a round writes an element of `{name}` that another one uses"));
            }
        }
    }
}
