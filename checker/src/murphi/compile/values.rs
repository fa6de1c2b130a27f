//! Expressions: values in registers, and whole values in places.

use frontend::murphi::interpret::{FaultKind, binary, unary};
use frontend::murphi::program::{Base, BinaryOp, Expr, ExprKind, Slots, Step, TypeId, TypeKind};

use super::super::code::{Op, Place, Reason, Register};
use super::{Compiler, Known, Operand, narrow};

impl<'p> Compiler<'p> {
    /// The register of a value.
    pub(super) fn held(&mut self, value: Operand) -> Register {
        match value {
            Operand::Held(register) => register,
            Operand::Known(value) => {
                let to = self.temporary(1);
                self.emit(Op::Constant { to, value: value.into() });
                to
            }
        }
    }

    /// The value of an expression if it is one without code.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Value(value) => Some(*value),
            ExprKind::Read(place) if place.steps.is_empty() => match place.base {
                Base::Local(id) => match self.known(id) {
                    Some(Known::Value(value)) => Some(value),
                    _ => None,
                },
                Base::Variable(_) => None,
            },
            _ => None,
        }
    }

    /// The value of a simple expression.
    pub(super) fn value(&mut self, expr: &'p Expr) -> Operand {
        if let Some(value) = self.constant(expr) {
            return Operand::Known(value);
        }
        match &expr.kind {
            ExprKind::Read(place) => {
                if let (Base::Local(id), []) = (place.base, &place.steps[..])
                    && let Some(Known::Bound) = self.known(id)
                {
                    return Operand::Held(self.register(id));
                }
                let from = self.find(place);
                self.read(place, from);
                let (to, site) = (self.temporary(1), self.fixed_site(FaultKind::Undefined, expr.span));
                self.emit(Op::Load { to, from, site });
                Operand::Held(to)
            }
            ExprKind::Unary(op, inner) => match self.value(inner) {
                Operand::Known(value) => self.folded(unary(*op, value), expr),
                Operand::Held(from) => {
                    // A negation alone may fault, and by an overflow.
                    let (to, site) = (self.temporary(1), self.fixed_site(FaultKind::ArithmeticOverflow, expr.span));
                    self.emit(Op::Unary { op: *op, to, from, site });
                    Operand::Held(to)
                }
            },
            ExprKind::Binary(op, left, right) if self.types().is_simple(left.of) => {
                let operands = [left, right].map(|side| self.value(side));
                self.operation(*op, operands, expr)
            }
            ExprKind::Binary(op, left, right) => {
                let to = self.same(left, right);
                if *op == BinaryOp::NotEqual {
                    let site = self.fixed_site(FaultKind::ArithmeticOverflow, expr.span);
                    self.emit(Op::Unary { op: frontend::murphi::syntax::ast::UnaryOp::Not, to, from: to, site });
                }
                Operand::Held(to)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let to = self.temporary(1);
                self.chosen(condition, [then, otherwise], &mut |compiler, chosen| {
                    let value = compiler.value(chosen);
                    compiler.settle(value, to);
                });
                Operand::Held(to)
            }
            ExprKind::Count(slots, condition) => self.count(slots, condition, expr),
            ExprKind::Call(id, arguments) => {
                let shift = self.call(*id, arguments, expr.span);
                let (to, site) = (self.temporary(1), self.fixed_site(FaultKind::NoResult, expr.span));
                self.emit(Op::Returned { site });
                self.emit(Op::Move { to, from: shift + super::super::code::RESULT });
                Operand::Held(to)
            }
            ExprKind::IsMember(value, of) => {
                let value = self.value(value);
                let (from, values) = (self.held(value), self.parts(*of));
                let to = self.temporary(1);
                self.emit(Op::IsMember { to, from, values });
                Operand::Held(to)
            }
            ExprKind::Undefined => {
                self.fault(FaultKind::Undefined, expr.span);
                Operand::Known(0)
            }
            _ => self.truth(expr),
        }
    }

    /// Moves a value to a register.
    fn settle(&mut self, value: Operand, to: Register) {
        self.emit(match value {
            Operand::Known(value) => Op::Constant { to, value: value.into() },
            Operand::Held(from) => Op::Move { to, from },
        });
    }

    /// The value of a condition as 0 or 1.
    fn truth(&mut self, expr: &'p Expr) -> Operand {
        let (to, end) = (self.temporary(1), self.label());
        self.emit(Op::Constant { to, value: 0 });
        self.branch(expr, false, end);
        self.emit(Op::Constant { to, value: 1 });
        self.place(end);
        Operand::Held(to)
    }

    fn folded(&mut self, result: Result<i32, FaultKind>, expr: &Expr) -> Operand {
        Operand::Known(result.unwrap_or_else(|kind| {
            self.fault(kind, expr.span);
            0
        }))
    }

    fn operation(&mut self, op: BinaryOp, operands: [Operand; 2], expr: &Expr) -> Operand {
        if let [Operand::Known(left), Operand::Known(right)] = operands {
            return self.folded(binary(op, left, right), expr);
        }
        let site = self.fixed_site(FaultKind::ArithmeticOverflow, expr.span);
        let added = match (op, operands) {
            (BinaryOp::Add, [Operand::Held(from), Operand::Known(value)]) => Some((from, value)),
            (BinaryOp::Subtract, [Operand::Held(from), Operand::Known(value)]) => {
                value.checked_neg().map(|value| (from, value))
            }
            _ => None,
        };
        if let Some((from, value)) = added {
            let to = self.temporary(1);
            self.emit(Op::Add { to, from, value, site });
            return Operand::Held(to);
        }
        let [left, right] = operands.map(|operand| self.held(operand));
        let to = self.temporary(1);
        self.emit(Op::Binary { op, to, left, right, site });
        Operand::Held(to)
    }

    /// Whether two whole values are equal.
    pub(super) fn same(&mut self, left: &'p Expr, right: &'p Expr) -> Register {
        let count = self.cells(left.of);
        assert_eq!(count, self.cells(right.of), "whole values that are compared have as many slots");
        let places = [left, right].map(Compiler::place_read);
        let (left, right) = if let [Some(one), Some(other)] = places {
            let found = self.find(one);
            self.read(one, found);
            // A function in an index of the other side might change this one.
            let has_index = other.steps.iter().any(|step| matches!(step, Step::Index(_)));
            let found = if has_index { self.copied(found, count) } else { found };
            let second = self.find(other);
            self.read(other, second);
            (found, second)
        } else {
            let to = [left, right].map(|side| {
                let to = self.temporary(count);
                self.whole(side, to);
                Place::of_frame(to)
            });
            (to[0], to[1])
        };
        let to = self.temporary(1);
        self.emit(Op::IsSame { to, left, right, count });
        to
    }

    fn copied(&mut self, from: Place, count: u32) -> Place {
        let to = Place::of_frame(self.temporary(count));
        self.emit(Op::Copy { to, from, count });
        to
    }

    /// The slots of an expression, from a register on: of a whole value with what is undefined in it, of a variable even if it
    /// is undefined.
    pub(super) fn whole(&mut self, expr: &'p Expr, to: Register) {
        let count = self.cells(expr.of);
        let place = Place::of_frame(to);
        match &expr.kind {
            ExprKind::Read(from) if self.constant(expr).is_none() => {
                let found = self.find(from);
                self.read(from, found);
                self.emit(Op::Copy { to: place, from: found, count });
            }
            ExprKind::Undefined => self.emit(Op::Undefine { to: place, count }),
            _ if self.types().is_simple(expr.of) => {
                let value = self.value(expr);
                self.settle(value, to);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.chosen(condition, [then, otherwise], &mut |compiler, chosen| compiler.whole(chosen, to));
            }
            ExprKind::Call(id, arguments) => {
                let shift = self.call(*id, arguments, expr.span);
                let site = self.fixed_site(FaultKind::NoResult, expr.span);
                self.emit(Op::Returned { site });
                let from = Place::of_frame(shift + super::super::code::RESULT);
                self.emit(Op::Copy { to: place, from, count });
            }
            _ => panic!("no expression of a whole value"),
        }
    }

    /// The slots of an expression as a place.
    pub(super) fn whole_place(&mut self, expr: &'p Expr) -> Place {
        if let Some(place) = Compiler::place_read(expr)
            && self.constant(expr).is_none()
        {
            let found = self.find(place);
            self.read(place, found);
            return found;
        }
        let to = self.temporary(self.cells(expr.of));
        self.whole(expr, to);
        Place::of_frame(to)
    }

    /// One of two expressions.
    fn chosen(
        &mut self,
        condition: &'p Expr,
        [then, otherwise]: [&'p Expr; 2],
        make: &mut dyn FnMut(&mut Self, &'p Expr),
    ) {
        let (other, end) = (self.label(), self.label());
        self.branch(condition, false, other);
        make(self, then);
        self.emit(Op::Jump { target: end });
        self.place(other);
        make(self, otherwise);
        self.place(end);
    }

    /// The size of a slot of a multiset, and the number of slots.
    pub(super) fn multiset(&self, of: TypeId) -> (u32, u32) {
        let TypeKind::Multiset { capacity, element } = *self.types().kind(of) else {
            panic!("a multiset is needed");
        };
        (self.cells(element) + 1, narrow(capacity))
    }

    fn count(&mut self, slots: &'p Slots, condition: &'p Expr, expr: &Expr) -> Operand {
        let to = self.temporary(1);
        self.emit(Op::Constant { to, value: 0 });
        self.used(slots, expr.span, &mut |compiler| {
            let value = compiler.value(condition);
            let right = compiler.held(value);
            let site = compiler.fixed_site(FaultKind::ArithmeticOverflow, expr.span);
            compiler.emit(Op::Binary { op: BinaryOp::Add, to, left: to, right, site });
        });
        Operand::Held(to)
    }

    /// A check that a value is one of a type, unless that is known.
    pub(super) fn within(&mut self, value: Operand, [of, needed]: [TypeId; 2], span: frontend::source::Span) {
        if matches!(value, Operand::Known(value) if self.types().position(needed, value).is_some())
            || needed == frontend::murphi::program::Types::INTEGER
        {
            return;
        }
        let site = self.site(Reason::OutsideType { of, needed }, span);
        let from = self.held(value);
        match self.bounds(needed) {
            Some(bounds) => self.emit(Op::Within { from, bounds, site }),
            None => {
                let values = self.parts(needed);
                self.emit(Op::WithinTable { from, values, site });
            }
        }
    }
}
