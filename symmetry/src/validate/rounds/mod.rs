//! The check that the rounds of a `forEachValueOf` may run in any order, for one rebec of `main`.
//!
//! Any two rounds have to commute. The check collects the effects of a round as records (`access.rs`), then compares all pairs of records
//! in different rounds. An element that one round changes must not be used by another one, except for changes that commute (all raise,
//! all lower, or all set the same literal); and two messages must have different receivers or be equal. The known rebecs of the current
//! rebec are constants, so aliased groups show (M10).
//!
//! A condition `x == known[v]`, with a group whose members are distinct and an `x` that no round changes, holds in one round at most; so
//! does `x == v` for a scalar `x`. No two rounds execute the statements under one such guard. Jumps out of the loop, inner `while` loops,
//! calls and returns are allowed only where one guard covers all effects of all rounds.
//!
//! Faults: a path that faults in one order faults in every order, because no round changes an element that another one reads.
//!
//! Soundness: errs on the side of rejecting; this is the exact form of the two conditions of \[Jag10\] 3.3.2, which are neither necessary
//! (its own bridge controller breaks them) nor, with aliased groups, sufficient.
//!
//! Complexity: quadratic in the number of statements of the loop; sends are compared in O(n log n) for a set of n values unless members
//! are aliased.

mod guards;

use frontend::interpret::FaultClass;
use frontend::model::{
    Base, BinaryOp, Body, Class, Dimension, Expr, ExprKind, LocalId, Model, Place, RebecId, Role, Rvalue, ScalarSetId,
    Sort, Stmt, StmtKind, UnaryOp, Width,
};
use frontend::source::Span;

use super::Wrong;
use super::access::{
    Access, Guard, Guards, Holder, Literal, PossibleFault, Receiver, Restricted, Send, Subject, Use, excluded,
};
use super::bodies::any_statement;

/// A loop to check.
pub(super) struct Loop<'m> {
    pub(super) model: &'m Model,
    /// The rebec that runs it.
    pub(super) rebec: RebecId,
    /// The body that contains it.
    pub(super) body: &'m Body,
    pub(super) set: ScalarSetId,
    /// The value of the round.
    pub(super) local: LocalId,
}

/// The proved guarantees of rounds that commute.
pub(super) struct Verdict {
    /// Whether the class of a fault does not depend on the order either.
    pub(super) keeps_fault_classes: bool,
    /// Whether a round may end the step before its last statement, in more than one round.
    pub(super) stops: bool,
    /// Whether a round may leave out statements of later ones, so that the number of all statements may depend on the order.
    pub(super) is_uneven: bool,
}

/// Proves that the rounds of a loop commute.
///
/// # Errors
/// The reason and the statement where the proof failed.
pub(super) fn rounds(task: &Loop<'_>, block: &[Stmt], wrong: Wrong) -> Result<Verdict, (String, Span)> {
    let mut round = Round::new(task, block);
    round.block(block, Depth::default());
    round.judge(wrong)
}

/// The number of enclosing statements that catch jumps, inside the loop.
#[derive(Clone, Copy, Default)]
struct Depth {
    breaks: u32,
}

struct Round<'m> {
    task: &'m Loop<'m>,
    class: &'m Class,
    size: u32,
    /// Locals that belong to a round, and those that are loop values: never undefined.
    private: Vec<bool>,
    values: Vec<bool>,
    known_guards: Vec<Guard>,
    guards: Guards,
    accesses: Vec<Access>,
    sends: Vec<Send>,
    faults: Vec<PossibleFault>,
    restricted: Vec<Restricted>,
}

impl<'m> Round<'m> {
    fn new(task: &'m Loop<'m>, block: &[Stmt]) -> Round<'m> {
        let mut private = vec![false; task.body.locals.len()];
        let mut values = vec![false; task.body.locals.len()];
        any_statement(block, &mut |statement| {
            if let StmtKind::Let { local, .. } | StmtKind::ForEach { local, .. } = statement.kind {
                private[local.index()] = true;
            }
            false
        });
        any_statement(&task.body.block, &mut |statement| {
            if let StmtKind::ForEach { local, .. } = statement.kind {
                values[local.index()] = true;
            }
            false
        });
        Round {
            task,
            class: task.model.class(task.model.class_of(task.rebec)),
            size: task.model.scalar_set(task.set).size(),
            private,
            values,
            known_guards: Vec::new(),
            guards: Guards::new(),
            accesses: Vec::new(),
            sends: Vec::new(),
            faults: Vec::new(),
            restricted: Vec::new(),
        }
    }

    fn judge(&self, wrong: Wrong) -> Result<Verdict, (String, Span)> {
        assert!(self.guards.is_empty(), "every guard ends in its block");
        let guards = self.accesses.iter().flat_map(|access| &access.guards);
        debug_assert!(guards.into_iter().all(|&guard| guard < self.known_guards.len()), "accesses have known guards");
        self.jumps()?;
        for (index, access) in self.accesses.iter().enumerate() {
            if self.accesses[index..].iter().any(|other| !access.commutes(other)) {
                let name = match access.holder {
                    Holder::Variable(id) => &self.class.variables[id.index()].name,
                    Holder::Local(id) => &self.task.body.locals[id.index()].name,
                };
                return Err((format!("two rounds may use one element of `{name}`"), access.span));
            }
        }
        for (index, send) in self.sends.iter().enumerate() {
            if self.sends[index..].iter().any(|other| !send.commutes(other)) {
                return Err(("two rounds may send to one rebec".to_owned(), send.span));
            }
        }
        let mixed = |(index, fault): (usize, &PossibleFault)| {
            let later = self.faults[index..].iter();
            later.into_iter().any(|other| other.class != fault.class && !excluded(&other.guards, &fault.guards))
        };
        let sudden = || self.faults.iter().filter(|fault| fault.class != FaultClass::Overflow);
        let is_guarded_alike =
            (0..self.known_guards.len()).any(|guard| sudden().all(|fault| fault.guards.contains(&guard)));
        // A queue that overflows ends the step like any other fault.
        let leaves_out = if wrong.forgets_overflow() { sudden().next().is_some() } else { !self.faults.is_empty() };
        Ok(Verdict {
            keeps_fault_classes: !self.faults.iter().enumerate().any(mixed),
            is_uneven: !self.restricted.is_empty() || leaves_out,
            stops: sudden().next().is_some() && !is_guarded_alike,
        })
    }

    /// Checks jumps, inner loops and calls: they are allowed only under a guard that covers all effects.
    fn jumps(&self) -> Result<(), (String, Span)> {
        let Some(first) = self.restricted.first() else { return Ok(()) };
        let opaque = self.restricted.iter().any(|one| one.is_opaque);
        let changes = self.accesses.iter().filter(|access| access.how != Use::Read).map(|access| &access.guards);
        let sends = self.sends.iter().map(|send| &send.guards);
        let faults = self.faults.iter().map(|fault| &fault.guards);
        let acts: Vec<&Guards> =
            changes.chain(sends).chain(faults).chain(self.restricted.iter().map(|one| &one.guards)).collect();
        let holds = |(guard, what): (usize, &Guard)| {
            let stable = !matches!(what.subject, Subject::Holder(Holder::Variable(_)));
            (stable || !opaque) && acts.iter().all(|guards| guards.contains(&guard))
        };
        if self.known_guards.iter().enumerate().any(holds) {
            return Ok(());
        }
        Err((first.reason.to_owned(), first.span))
    }

    fn block(&mut self, block: &[Stmt], depth: Depth) {
        block.iter().for_each(|statement| self.statement(statement, depth));
    }

    fn statement(&mut self, statement: &Stmt, depth: Depth) {
        let span = statement.span;
        let deeper = Depth { breaks: depth.breaks + 1 };
        match &statement.kind {
            StmtKind::Let { local, value } => {
                if let Some(value) = value {
                    self.rvalue(value, self.task.body.locals[local.index()].sort, span);
                }
            }
            StmtKind::Assign { place, value } => self.assign(place, value, span),
            StmtKind::Do(value) => self.rvalue(value, Sort::AnyRebec, span),
            StmtKind::Send { receiver, message, arguments, .. } => self.send(receiver, message, arguments, span),
            StmtKind::Assert { condition, .. } => {
                self.expression(condition);
                self.record_fault(FaultClass::Assertion);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.guarded(condition, true, |round| round.block(then, depth));
                self.guarded(condition, false, |round| round.block(otherwise, depth));
            }
            StmtKind::Loop { condition, .. } => {
                self.restrict("a round contains a loop", false, span);
                self.record_fault(FaultClass::Error);
                self.expression(condition);
                statement.blocks().into_iter().for_each(|block| self.block(block, deeper));
            }
            StmtKind::ForEach { body, .. } => self.block(body, deeper),
            StmtKind::Switch { value, .. } => {
                self.expression(value);
                statement.blocks().into_iter().for_each(|block| self.block(block, deeper));
            }
            StmtKind::Block(block) => self.block(block, depth),
            StmtKind::Break if depth.breaks == 0 => self.restrict("a round may end the whole loop", false, span),
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expression(value));
                self.restrict("a round may end the whole loop", false, span);
                self.record_fault(FaultClass::Error);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn restrict(&mut self, reason: &'static str, is_opaque: bool, span: Span) {
        self.restricted.push(Restricted { reason, is_opaque, guards: self.guards.clone(), span });
    }

    fn record_fault(&mut self, class: FaultClass) {
        self.faults.push(PossibleFault { class, guards: self.guards.clone() });
    }

    fn access(&mut self, place: &Place, how: Use) {
        let holder = match place.base {
            Base::Local(id) if self.private[id.index()] || id == self.task.local => return,
            Base::Local(id) => Holder::Local(id),
            Base::Variable(id) if self.class.variables[id.index()].role == Role::Known => return,
            Base::Variable(id) => Holder::Variable(id),
            Base::Remote(..) => return,
        };
        let offsets = place.indices.iter().map(|index| self.offset(index)).collect();
        self.accesses.push(Access { holder, offsets, how, guards: self.guards.clone(), span: place.span });
    }

    fn expression(&mut self, expr: &Expr) {
        let before = self.guards.len();
        match &expr.kind {
            ExprKind::And(operands) => {
                for operand in operands {
                    self.expression(operand);
                    self.enter(operand, true);
                }
            }
            _ => expr.operands().into_iter().for_each(|operand| self.expression(operand)),
        }
        self.guards.truncate(before);
        if let ExprKind::Read(place) = &expr.kind {
            self.access(place, Use::Read);
        }
        if self.may_fault(expr) {
            self.record_fault(FaultClass::Error);
        }
    }

    /// Whether the outermost operation of an expression may fault.
    fn may_fault(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Read(place) => {
                let plain = |index: &Expr| matches!(index.sort, Sort::Scalar(_));
                let value = matches!(place.base, Base::Local(id) if self.values[id.index()]);
                !place.indices.iter().all(plain) || (matches!(expr.sort, Sort::Scalar(_)) && !value)
            }
            ExprKind::Unary(UnaryOp::Negate, _)
            | ExprKind::Narrow(..)
            | ExprKind::Cast(..)
            | ExprKind::SquareRoot(_) => true,
            ExprKind::Binary(op, ..) => op.may_fault(),
            _ => false,
        }
    }

    /// Whether a value may not fit the place where it is stored.
    fn may_not_fit(&self, value: &Expr, sort: Sort) -> bool {
        match (sort, value.sort, &value.kind) {
            (Sort::Int(Width::Int), ..) | (Sort::Bool | Sort::Scalar(_) | Sort::AnyRebec, ..) => false,
            (_, _, ExprKind::Null) => false,
            (Sort::Int(width), _, ExprKind::Int(value)) => !width.range().contains(value),
            (Sort::Rebec(wanted), Sort::Rebec(class), _) => !self.task.model.conforms(class, wanted),
            _ => true,
        }
    }

    fn rvalue(&mut self, value: &Rvalue, sort: Sort, span: Span) {
        let operands: &[Expr] = match value {
            Rvalue::Expr(expr) => std::slice::from_ref(expr),
            Rvalue::Choose(options) => options,
            Rvalue::Call { arguments, .. } | Rvalue::New { arguments, .. } => {
                self.restrict("a round calls a method", true, span);
                self.record_fault(FaultClass::Error);
                self.record_fault(FaultClass::Assertion);
                self.record_fault(FaultClass::Overflow);
                arguments
            }
        };
        for operand in operands {
            self.expression(operand);
            if self.may_not_fit(operand, sort) {
                self.record_fault(FaultClass::Error);
            }
        }
    }

    fn assign(&mut self, place: &Place, value: &Rvalue, span: Span) {
        let (sort, grouped) = match place.base {
            Base::Variable(id) => {
                let variable = &self.class.variables[id.index()];
                (variable.sort, &variable.dimensions)
            }
            Base::Local(id) => {
                let local = &self.task.body.locals[id.index()];
                (local.sort, &local.dimensions)
            }
            Base::Remote(..) => return,
        };
        if grouped.iter().any(|dimension| matches!(dimension, Dimension::Array(_))) {
            self.record_fault(FaultClass::Error);
        }
        place.indices.iter().for_each(|index| self.expression(index));
        match value {
            Rvalue::Expr(expr) => {
                if let Some(how) = step(place, expr) {
                    self.record_fault(FaultClass::Error);
                    return self.access(place, how);
                }
                self.rvalue(value, sort, span);
                self.access(place, Literal::of(expr).map_or(Use::Write, Use::Set));
            }
            _ => {
                self.rvalue(value, sort, span);
                self.access(place, Use::Write);
            }
        }
    }

    fn send(&mut self, receiver: &Expr, message: &str, arguments: &[Expr], span: Span) {
        self.expression(receiver);
        arguments.iter().for_each(|argument| self.expression(argument));
        let to = self.receiver(receiver);
        let certain = match &to {
            Receiver::Rounds(list) => list.iter().all(Option::is_some),
            Receiver::Fixed(rebec) => rebec.is_some(),
            Receiver::Unknown => false,
        };
        let literals: Option<Vec<(Literal, Sort)>> =
            arguments.iter().map(|argument| Some((Literal::of(argument)?, argument.sort))).collect();
        let plain = arguments.iter().all(|argument| matches!(argument.sort, Sort::Bool | Sort::Scalar(_)));
        if !certain || !plain {
            self.record_fault(FaultClass::Error);
        }
        self.record_fault(FaultClass::Overflow);
        let message = literals.map(|literals| (message.to_owned(), literals));
        self.sends.push(Send { receiver: to, message, guards: self.guards.clone(), span });
    }
}

/// Whether an assignment only raises or lowers its plain integer by a literal.
fn step(place: &Place, value: &Expr) -> Option<Use> {
    let ExprKind::Binary(op, left, right) = &value.kind else { return None };
    let same = |expr: &Expr| {
        matches!(&expr.kind, ExprKind::Read(read) if read.base == place.base && read.indices.is_empty())
            && place.indices.is_empty()
    };
    let literal = |expr: &Expr| if let ExprKind::Int(value) = expr.kind { Some(value) } else { None };
    let amount = match op {
        BinaryOp::Add if same(left) => i64::from(literal(right)?),
        BinaryOp::Add if same(right) => i64::from(literal(left)?),
        BinaryOp::Subtract if same(left) => -i64::from(literal(right)?),
        _ => return None,
    };
    Some(if amount >= 0 { Use::Raise } else { Use::Lower })
}
