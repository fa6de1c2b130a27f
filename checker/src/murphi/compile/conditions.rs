//! Conditions: code that jumps where they have a given truth, and goes on where not.

use frontend::murphi::interpret::FaultKind;
use frontend::murphi::program::{BinaryOp, Binder, BinderValues, Expr, ExprKind};
use frontend::murphi::syntax::ast::UnaryOp;
use frontend::source::Span;

use super::super::code::{Op, Target, ZERO};
use super::{Compiler, Notes, Operand};

/// A jump to a label if a truth is `on`.
#[derive(Clone, Copy)]
struct Jump {
    on: bool,
    label: Target,
}

impl<'p> Compiler<'p> {
    /// Jumps to a label if the truth of a condition is `on`.
    pub(super) fn branch(&mut self, expr: &'p Expr, on: bool, label: Target) {
        let next = self.body.next;
        self.jump(expr, on, label);
        self.body.next = next;
    }

    fn jump(&mut self, expr: &'p Expr, on: bool, label: Target) {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.branch(inner, !on, label),
            ExprKind::And(list) => self.until(list, false, Jump { on, label }),
            ExprKind::Or(list) => self.until(list, true, Jump { on, label }),
            ExprKind::Implies(left, right) => {
                let end = self.label();
                self.branch(left, false, if on { label } else { end });
                self.branch(right, on, label);
                self.place(end);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let (other, end) = (self.label(), self.label());
                self.branch(condition, false, other);
                self.branch(then, on, label);
                self.emit(Op::Jump { target: end });
                self.place(other);
                self.branch(otherwise, on, label);
                self.place(end);
            }
            ExprKind::Quantified(forall, ..) => self.quantified(!forall, expr, Jump { on, label }),
            ExprKind::IsUndefined(place) => {
                let from = self.find(place);
                self.read(place, from);
                self.emit(Op::JumpUndefined { from, on, target: label });
            }
            ExprKind::Binary(op, left, right) if self.types().is_simple(left.of) => match op {
                BinaryOp::Equal => self.equal(left, right, Jump { on, label }),
                BinaryOp::NotEqual => self.equal(left, right, Jump { on: !on, label }),
                BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                    let left = self.value(left);
                    let right = self.value(right);
                    let (left, right) = (self.held(left), self.held(right));
                    self.emit(Op::JumpCompare { op: *op, left, right, on, target: label });
                }
                _ => self.jump_if(expr, on, label),
            },
            _ if self.slot_equals(expr, 0, Jump { on: !on, label }) => {}
            _ => self.jump_if(expr, on, label),
        }
    }

    /// Operands up to the first whose truth is `last`, which is then the truth of all.
    fn until(&mut self, list: &'p [Expr], last: bool, Jump { on, label }: Jump) {
        let end = self.label();
        if self.wrong.evaluates_all() {
            for operand in list {
                self.value(operand);
            }
        }
        for operand in list {
            self.branch(operand, last, if on == last { label } else { end });
        }
        if on != last {
            self.emit(Op::Jump { target: label });
        }
        self.place(end);
    }

    fn jump_if(&mut self, expr: &'p Expr, on: bool, label: Target) {
        match self.value(expr) {
            Operand::Known(value) if (value != 0) == on => self.emit(Op::Jump { target: label }),
            Operand::Known(_) => {}
            Operand::Held(from) => self.emit(Op::JumpIf { from, on, target: label }),
        }
    }

    fn equal(&mut self, left: &'p Expr, right: &'p Expr, Jump { on, label }: Jump) {
        for (one, other) in [(left, right), (right, left)] {
            if let Some(value) = self.constant(other)
                && Compiler::place_read(one).is_some()
                && self.slot_equals(one, value, Jump { on, label })
            {
                return;
            }
        }
        let left = self.value(left);
        let right = self.value(right);
        match (left, right) {
            (Operand::Known(left), Operand::Known(right)) => {
                if (left == right) == on {
                    self.emit(Op::Jump { target: label });
                }
            }
            (Operand::Held(from), Operand::Known(value)) | (Operand::Known(value), Operand::Held(from)) => {
                self.emit(Op::JumpValue { from, value, on, target: label });
            }
            (Operand::Held(left), Operand::Held(right)) => {
                self.emit(Op::JumpCompare { op: BinaryOp::Equal, left, right, on, target: label });
            }
        }
    }

    /// One instruction for the equality of a slot of the state and a constant, if it is that.
    fn slot_equals(&mut self, expr: &'p Expr, value: i32, Jump { on, label: target }: Jump) -> bool {
        let Some(place) = Compiler::place_read(expr) else { return false };
        if self.constant(expr).is_some() || !self.is_fixed_in_state(place) {
            return false;
        }
        let from = self.find(place);
        assert_eq!(from.register, ZERO, "a slot of the state");
        self.read(place, from);
        if self.wrong.compares_undefined() {
            let end = self.label();
            self.emit(Op::JumpUndefined { from, on: true, target: if on { end } else { target } });
            let site = self.fixed_site(FaultKind::Undefined, expr.span);
            self.emit(Op::JumpSlot { slot: from.distance, value, on, target, site });
            self.place(end);
            return true;
        }
        let site = self.fixed_site(FaultKind::Undefined, expr.span);
        self.emit(Op::JumpSlot { slot: from.distance, value, on, target, site });
        true
    }

    /// A quantifier that has the truth `last` as soon as its body does.
    fn quantified(&mut self, last: bool, expr: &'p Expr, Jump { on, label }: Jump) {
        let ExprKind::Quantified(_, binder, body) = &expr.kind else { unreachable!("a quantifier") };
        if matches!(binder.values, BinderValues::Type(_)) && self.watches(binder) {
            return self.in_any_order(last, binder, body, expr.span, Jump { on, label });
        }
        let end = self.label();
        let decided = if on == last { label } else { end };
        self.each(binder, expr.span, &mut |compiler| compiler.branch(body, last, decided));
        if on != last {
            self.emit(Op::Jump { target: label });
        }
        self.place(end);
    }

    /// A quantifier all of whose rounds are evaluated.
    fn in_any_order(&mut self, last: bool, binder: &'p Binder, body: &'p Expr, span: Span, Jump { on, label }: Jump) {
        let decided = self.temporary(1);
        self.emit(Op::Constant { to: decided, value: 0 });
        let notes = self.body.notes;
        self.body.notes = notes.max(Notes::Writes);
        self.emit(Op::Begin { frame: self.body.first, is_pure: true });
        self.each(binder, span, &mut |compiler| {
            let end = compiler.label();
            compiler.branch(body, !last, end);
            compiler.emit(Op::Constant { to: decided, value: 1 });
            compiler.place(end);
        });
        self.emit(Op::EndRounds);
        self.body.notes = notes;
        self.emit(Op::JumpIf { from: decided, on: on == last, target: label });
    }
}
