//! The statements that may end their step: a conservative test, statement by statement.
//!
//! Overflow of queues and failed assertions are distinguished from all other faults, because they are checked
//! separately. A call faults that executes too many statements, wherever the last one is: in a body that may be so long each statement
//! counts for it, with those of its loops ([`is_long`]).
//!
//! Soundness: a statement that this module clears never faults; a statement that it does not clear may fault or not.

use std::collections::BTreeSet;

use frontend::interpret::{Bounds, most_statements, passes};
use frontend::model::{
    Base, BinaryOp, Body, Class, Dimension, Expr, ExprKind, Model, Place, Role, Rvalue, Sort, Stmt, StmtKind, UnaryOp,
    Width,
};

use super::bodies::{BodyRef, Member};
use super::flow::Switches;
use super::reads::operands;
use super::targets::{Targets, live, slots};
use super::values::{Set, Values};

/// Whether a call of a body may execute more statements than the default bound allows.
pub(crate) fn is_long(model: &Model, body: BodyRef, stays: &dyn Fn(usize) -> bool) -> bool {
    let bound = u64::from(Bounds::default().max_statements);
    most_statements(model, body.of(model), stays).is_none_or(|most| most > bound)
}

/// The context of a body.
pub(crate) struct Faults<'a> {
    pub(crate) model: &'a Model,
    pub(crate) values: &'a Values<'a>,
    pub(crate) targets: &'a Targets,
    pub(crate) body: BodyRef,
    pub(crate) switches: Switches,
}

impl Faults<'_> {
    /// Whether the statement itself, without those inside it, may fault otherwise than by overflow, assertion or the number of
    /// statements of the body.
    pub(crate) fn may_fault(&self, number: usize, statement: &Stmt) -> bool {
        self.may_stop(number, statement)
            || matches!(statement.value(), Some(Rvalue::Call { .. } | Rvalue::New { .. }))
            || self.switches.forgets_length() && matches!(statement.kind, StmtKind::Loop { .. })
    }

    /// As [`Faults::may_fault`], but for faults in the bodies that the statement calls.
    pub(crate) fn may_stop(&self, number: usize, statement: &Stmt) -> bool {
        let own = operands(statement).into_iter().any(|(expr, _)| expr.any(&mut |part| self.expression(part)));
        own || match &statement.kind {
            StmtKind::Let { local, value: Some(value) } => self.stores(value, self.scope().locals[local.index()].sort),
            StmtKind::Assign { place, value } => self.place(place) || self.stores(value, self.sort_of(place.base)),
            StmtKind::Send { receiver, arguments, .. } => self.send(number, receiver, arguments),
            StmtKind::Do(Rvalue::Call { method, arguments }) => {
                let method = &self.class().methods[method.index()];
                let mut passed = arguments.iter().zip(method.body.parameters());
                passed.any(|(argument, parameter)| !self.fits(argument, parameter.sort))
                    || !matches!(method.result, None | Some(Sort::Bool | Sort::Int(Width::Int)))
            }
            StmtKind::Do(value) => matches!(value, Rvalue::New { .. }),
            _ => false,
        }
    }

    fn scope(&self) -> &Body {
        self.body.of(self.model)
    }

    fn class(&self) -> &Class {
        self.model.class(self.body.class)
    }

    fn sort_of(&self, base: Base) -> Sort {
        match base {
            Base::Variable(id) => self.class().variables[id.index()].sort,
            Base::Local(id) => self.scope().locals[id.index()].sort,
            Base::Remote(..) => Sort::AnyRebec,
        }
    }

    fn stores(&self, value: &Rvalue, into: Sort) -> bool {
        match value {
            Rvalue::Expr(expr) => !self.fits(expr, into),
            Rvalue::Choose(options) => options.iter().any(|option| !self.fits(option, into)),
            Rvalue::Call { .. } | Rvalue::New { .. } => true,
        }
    }

    /// Whether a value, which may be stored as the sort, always belongs to it.
    fn fits(&self, expr: &Expr, into: Sort) -> bool {
        match (expr.sort, into) {
            (Sort::Int(_), Sort::Int(Width::Int)) | (Sort::Bool, _) | (Sort::Scalar(_), _) => true,
            (Sort::Int(_), Sort::Int(width)) => match self.of(expr) {
                Set::Some(values) => {
                    values.iter().all(|value| i32::try_from(*value).is_ok_and(|value| width.range().contains(&value)))
                }
                Set::Any => self.width(expr).is_some_and(|from| from <= width),
            },
            (Sort::Rebec(from), Sort::Rebec(class)) => self.model.conforms(from, class),
            (Sort::AnyRebec, _) => matches!(expr.kind, ExprKind::Null),
            _ => false,
        }
    }

    /// The width of a plain read.
    fn width(&self, expr: &Expr) -> Option<Width> {
        let ExprKind::Read(place) = &expr.kind else { return None };
        match self.sort_of(place.base) {
            Sort::Int(width) => Some(width),
            _ => None,
        }
    }

    fn send(&self, number: usize, receiver: &Expr, arguments: &[Expr]) -> bool {
        if !self.is_bound(receiver) {
            return true;
        }
        let targets: BTreeSet<_> = self.targets.of(self.body, number).collect();
        let understood = match receiver.sort {
            Sort::Rebec(class) => {
                live(self.model)
                    .iter()
                    .filter(|&&id| self.model.conforms(id, class))
                    .all(|id| targets.iter().any(|(target, _)| target == id))
                    || self.is_known(receiver)
            }
            // Any class may be the class of `sender`: only if all classes understand the message, it is never refused.
            _ => live(self.model).iter().all(|id| targets.iter().any(|(class, _)| class == id)),
        };
        !understood
            || targets.iter().any(|&(class, server)| {
                let target = BodyRef { class, member: Member::Server(server) };
                let parameters = target.of(self.model).parameters();
                arguments.iter().zip(parameters).any(|(argument, parameter)| {
                    let is_passed = passes(argument.sort, parameter.sort) || self.switches.passes_all();
                    !is_passed || !self.fits(argument, parameter.sort)
                })
            })
    }

    /// Whether a receiver is never `null`.
    fn is_bound(&self, receiver: &Expr) -> bool {
        matches!(receiver.kind, ExprKind::SelfRef | ExprKind::Sender) || self.is_known(receiver)
    }

    /// Whether a receiver is a plain known rebec that `main` binds to a rebec.
    fn is_known(&self, receiver: &Expr) -> bool {
        let ExprKind::Read(Place { base: Base::Variable(id), .. }) = &receiver.kind else {
            return matches!(receiver.kind, ExprKind::SelfRef);
        };
        let variables = &self.class().variables;
        if variables[id.index()].role != Role::Known || self.model.creatable.contains(&self.body.class) {
            return false;
        }
        let slots = slots(self.class(), *id);
        let own = self.model.instances.iter().filter(|instance| instance.class == self.body.class);
        own.flat_map(|instance| &instance.known[slots.clone()]).all(Option::is_some)
    }

    /// Whether the indices of a place may be out of range.
    fn place(&self, place: &Place) -> bool {
        let dimensions: &[Dimension] = match place.base {
            Base::Variable(id) => &self.class().variables[id.index()].dimensions,
            Base::Local(id) => &self.scope().locals[id.index()].dimensions,
            Base::Remote(..) => return true,
        };
        place.indices.iter().zip(dimensions).any(|(index, dimension)| match dimension {
            Dimension::Scalar(_) => false,
            Dimension::Array(length) => match self.of(index) {
                Set::Some(values) => values.iter().any(|value| !(0..i64::from(*length)).contains(value)),
                Set::Any => true,
            },
        })
    }

    /// Whether an expression may fault, its operands ignored.
    fn expression(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Read(place) => matches!(expr.sort, Sort::Scalar(_)) && !self.is_round(place) || self.place(place),
            ExprKind::Unary(UnaryOp::Negate, inner) => {
                Self::leaves(&self.of(inner), &Set::Some(vec![0]), |value, _| value.checked_neg())
            }
            ExprKind::Binary(op, left, right) => self.operation(*op, left, right),
            ExprKind::Narrow(width, inner) => !self.fits(inner, Sort::Int(*width)),
            ExprKind::Cast(class, inner) => match inner.sort {
                Sort::Rebec(from) => !self.model.conforms(from, *class),
                _ => true,
            },
            ExprKind::SquareRoot(inner) => match self.of(inner) {
                Set::Some(values) => values.iter().any(|value| *value < 0),
                Set::Any => true,
            },
            _ => false,
        }
    }

    /// Whether a place is the local of a `forEachValueOf`, which is never undefined. Any other local of that sort may
    /// be undefined.
    fn is_round(&self, place: &Place) -> bool {
        let Base::Local(id) = place.base else { return false };
        let mut found = false;
        super::bodies::all(0, &self.scope().block, &mut |_, statement| {
            found |= matches!(&statement.kind, StmtKind::ForEach { local, .. } if *local == id);
        });
        found
    }

    fn operation(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        match op {
            BinaryOp::Add => Self::leaves(&self.of(left), &self.of(right), i64::checked_add),
            BinaryOp::Subtract => Self::leaves(&self.of(left), &self.of(right), i64::checked_sub),
            BinaryOp::Multiply => Self::leaves(&self.of(left), &self.of(right), i64::checked_mul),
            BinaryOp::Divide | BinaryOp::Remainder => match self.of(right) {
                Set::Some(values) => values.contains(&0) || values.contains(&-1),
                Set::Any => true,
            },
            BinaryOp::Power => true,
            _ => false,
        }
    }

    /// Whether some pair of operands has no 32-bit result.
    fn leaves(left: &Set, right: &Set, result: impl Fn(i64, i64) -> Option<i64>) -> bool {
        let (Set::Some(left), Set::Some(right)) = (left, right) else { return true };
        let mut pairs = left.iter().flat_map(|&one| right.iter().map(move |&other| (one, other)));
        pairs.any(|(one, other)| result(one, other).is_none_or(|value| i32::try_from(value).is_err()))
    }

    fn of(&self, expr: &Expr) -> Set {
        self.values.of(self.body, expr)
    }
}
