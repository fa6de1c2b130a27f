//! Expressions. Where functions have no form as expressions, their calls become statements before the expression, and what
//! is evaluated before them is kept in locals.

use super::build::{and, assign, binary, equal, int, is_too_long, ite, negate, not, or, place as element, when};
use super::lower::{Lower, Meaning, Result};
use crate::murphi::program::{
    Base, BinaryOp as Of, Binder, BinderValues, Class, Expr as Source, ExprKind as Kind, Place, TypeId, Types,
};
use crate::murphi::syntax::ast::UnaryOp;
use crate::sequential::{BinaryOp, Expr, ExprKind, Quantified, Sequential, SortId, VariableId};
use crate::source::Span;

/// Values that a binder goes through: a sort, and where these are some of its values only, one of them and the distance.
pub(super) type Run = (SortId, Option<(i32, i32)>);

impl<'p> Lower<'p> {
    /// A defined simple value.
    pub(super) fn scalar(&mut self, expr: &'p Source) -> Result<Expr> {
        let (value, is_partial) = self.raw(expr)?;
        self.settle(value, expr.of, is_partial)
    }

    /// A defined value from one that may be undefined.
    pub(super) fn settle(&mut self, value: Expr, of: TypeId, is_partial: bool) -> Result<Expr> {
        match (is_partial, self.program.types.class(of)) {
            (true, _) => self.checked(value, of),
            (false, Class::Boolean) if self.is_wide(&value) => Ok(equal(value, int(1))),
            (false, _) => Ok(value),
        }
    }

    /// Whether an expression reads a condition from a variable that has a value for `undefined`.
    fn is_wide(&self, value: &Expr) -> bool {
        matches!(&value.kind, ExprKind::Read(place) if self.out.variable(place.variable).sort != Sequential::BOOL)
    }

    /// A simple value as it is stored, and whether it may be undefined.
    pub(super) fn raw(&mut self, expr: &'p Source) -> Result<(Expr, bool)> {
        let (found, is_partial) = self.of_any_size(expr)?;
        if is_too_long(&found) {
            return self.refuse("an expression that becomes this long", expr.span);
        }
        Ok((found, is_partial))
    }

    fn of_any_size(&mut self, expr: &'p Source) -> Result<(Expr, bool)> {
        match &expr.kind {
            Kind::Read(place) => {
                if let (Base::Local(id), []) = (place.base, &place.steps[..])
                    && let Meaning::Value(value, is_partial) = &self.frame.locals[id.index()]
                {
                    return Ok((value.clone(), *is_partial));
                }
                let at = self.place(place)?;
                Ok(self.read_leaf(&at))
            }
            Kind::Undefined => Ok((self.undefined(expr.of)?, true)),
            Kind::Call(id, arguments) => match self.call_value(*id, arguments, expr)? {
                Meaning::Value(value, is_partial) => Ok((value, is_partial)),
                _ => panic!("a simple result"),
            },
            _ => self.operation(expr).map(|value| (value, false)),
        }
    }

    fn operation(&mut self, expr: &'p Source) -> Result<Expr> {
        match &expr.kind {
            Kind::Value(value) => {
                let code = self.sorts.code(self.program, expr.of, *value);
                Ok(self.literal(expr.of, code))
            }
            Kind::Unary(op, inner) => {
                let inner = self.scalar(inner)?;
                Ok(match op {
                    UnaryOp::Negate => negate(inner),
                    UnaryOp::Not => not(inner),
                    UnaryOp::Complement => binary(BinaryOp::Xor, inner, int(-1)),
                })
            }
            Kind::Binary(op, left, right) if self.program.types.is_simple(left.of) => {
                let a = self.scalar(left)?;
                let a = if right.has_call() { self.save(a, left.of)? } else { a };
                let b = self.scalar(right)?;
                self.apply(*op, a, b)
            }
            Kind::Binary(op, left, right) => {
                let equality = self.same(left, right)?;
                Ok(if *op == Of::Equal { equality } else { not(equality) })
            }
            Kind::And(_) | Kind::Or(_) | Kind::Implies(..) | Kind::Conditional(..) | Kind::Quantified(..) => {
                self.in_order(expr)
            }
            Kind::IsUndefined(place) => self.is_undefined(place),
            Kind::IsMember(value, of) => {
                let found = self.scalar(value)?;
                let saved = self.save(found, value.of)?;
                let member = self.is_in(&saved, *of);
                let touched = self.touched(&saved);
                self.after(touched, member, Types::BOOLEAN)
            }
            Kind::Count(..) => self.refuse("a count of a multiset", expr.span),
            Kind::Read(_) | Kind::Undefined | Kind::Call(..) => panic!("no operation"),
        }
    }

    fn is_undefined(&mut self, place: &'p Place) -> Result<Expr> {
        let (value, is_partial) = match (place.base, &place.steps[..]) {
            (Base::Local(id), []) if matches!(self.frame.locals[id.index()], Meaning::Value(..)) => {
                let Meaning::Value(value, is_partial) = self.frame.locals[id.index()].clone() else { unreachable!() };
                (value, is_partial)
            }
            _ => {
                let at = self.place(place)?;
                self.read_leaf(&at)
            }
        };
        if is_partial {
            return Ok(equal(value, self.undefined(place.of)?));
        }
        Ok(self.touched(&value).map_or_else(|| int(0), not))
    }

    fn apply(&mut self, op: Of, a: Expr, b: Expr) -> Result<Expr> {
        let op = match op {
            Of::Equal => BinaryOp::Equal,
            Of::ShiftLeft => return self.shifted(a, b, true),
            Of::ShiftRight => return self.shifted(a, b, false),
            op => BinaryOp::written(op.symbol()).expect("an operator as in C"),
        };
        Ok(binary(op, a, b))
    }

    /// A shift: a negative distance goes the other way, bits that leave the word are lost.
    fn shifted(&mut self, value: Expr, distance: Expr, to_left: bool) -> Result<Expr> {
        let value = self.save(value, Types::INTEGER)?;
        let distance = self.save(distance, Types::INTEGER)?;
        let below = |limit: i32| binary(BinaryOp::Less, distance.clone(), int(limit));
        let left = |by: Expr| binary(BinaryOp::ShiftLeft, value.clone(), by);
        let right = |by: Expr| binary(BinaryOp::ShiftRight, value.clone(), by);
        let gone = right(int(31));
        let touched = binary(BinaryOp::BitAnd, value.clone(), int(0));
        let back = || negate(distance.clone());
        let by = distance.clone();
        let result = if to_left {
            ite(below(-31), gone, ite(below(0), right(back()), ite(below(32), left(by), touched)))
        } else {
            ite(below(-31), touched, ite(below(0), left(back()), ite(below(32), right(by), gone)))
        };
        // The value comes before the distance.
        let first = self.touched(&value);
        self.after(first, result, Types::INTEGER)
    }

    /// Operators that evaluate only what they need.
    fn in_order(&mut self, expr: &'p Source) -> Result<Expr> {
        let found = self.purely(|lower| lower.connective(expr));
        if found.is_ok() || self.is_pure || !expr.has_call() {
            return found;
        }
        self.by_statements(expr)
    }

    fn connective(&mut self, expr: &'p Source) -> Result<Expr> {
        match &expr.kind {
            Kind::And(list) => Ok(and(list.iter().map(|operand| self.scalar(operand)).collect::<Result<_>>()?)),
            Kind::Or(list) => Ok(or(list.iter().map(|operand| self.scalar(operand)).collect::<Result<_>>()?)),
            Kind::Implies(a, b) => {
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                Ok(Expr::new(ExprKind::Implies(Box::new(a), Box::new(b)), Span::NONE))
            }
            Kind::Conditional(condition, then, otherwise) => {
                let condition = self.scalar(condition)?;
                Ok(ite(condition, self.scalar(then)?, self.scalar(otherwise)?))
            }
            Kind::Quantified(forall, binder, body) => {
                let mut parts = Vec::new();
                for (sort, condition) in self.binder_sorts(binder, expr.span)? {
                    parts.push(self.quantified(*forall, binder, sort, condition, body)?);
                }
                Ok(if *forall { and(parts) } else { or(parts) })
            }
            _ => panic!("no connective"),
        }
    }

    /// The sorts that a binder goes through, one after the other, and the step between the values if it is not 1.
    pub(super) fn binder_sorts(&mut self, binder: &'p Binder, span: Span) -> Result<Vec<Run>> {
        match &binder.values {
            BinderValues::Type(of) => {
                let hull = self.hull(*of);
                let runs = self.sorts.runs(self.program, *of);
                Ok(runs
                    .into_iter()
                    .map(|(low, high)| (self.interval(super::sorts::Hull { low, high, ..hull }), None))
                    .collect())
            }
            BinderValues::Steps(steps) => {
                let constant = |part: &Source| if let Kind::Value(value) = part.kind { Some(value) } else { None };
                let values = (constant(&steps.from), constant(&steps.to), constant(&steps.by));
                let (Some(from), Some(to), Some(by @ 1..)) = values else {
                    return self.refuse("a loop whose bounds are no constants, or that counts down,", span);
                };
                if from > to {
                    return Ok(Vec::new());
                }
                let sort = self.interval(super::sorts::Hull { of: None, low: from, high: to, exact: true });
                Ok(vec![(sort, (by > 1).then_some((from, by)))])
            }
        }
    }

    /// Whether the innermost parameter is one of the values by steps.
    pub(super) fn on_step(value: Expr, step: Option<(i32, i32)>) -> Option<Expr> {
        let (from, by) = step?;
        // Floored remainders do not overflow where the difference might.
        let rest = |of: Expr| binary(BinaryOp::Modulo, of, int(by));
        Some(equal(rest(value), rest(int(from))))
    }

    fn quantified(
        &mut self,
        forall: bool,
        binder: &'p Binder,
        sort: SortId,
        step: Option<(i32, i32)>,
        body: &'p Source,
    ) -> Result<Expr> {
        let (name, value) = self.bound_local(binder.local);
        let body = self.scalar(body)?;
        let body = match (Self::on_step(value, step), body) {
            (None, body) => body,
            (Some(condition), body) if forall => or(vec![not(condition), body]),
            (Some(condition), body) => and(vec![condition, body]),
        };
        let quantified = Box::new(Quantified { name, sort, body });
        let kind = if forall { ExprKind::Forall(quantified) } else { ExprKind::Exists(quantified) };
        Ok(Expr::new(kind, Span::NONE))
    }

    /// A new local for the value of an expression.
    fn result(&mut self, of: TypeId, value: Expr) -> Result<(VariableId, Expr)> {
        let value = self.fitted(value, of, of)?;
        let sort = self.wide(of)?;
        let id = self.declare("value", sort, Vec::new(), value);
        self.defined.insert(id);
        Ok((VariableId::from_index(id), self.scalar_read(id)))
    }

    /// An operator that evaluates only what it needs, as statements that set a local.
    fn by_statements(&mut self, expr: &'p Source) -> Result<Expr> {
        match &expr.kind {
            Kind::And(list) => self.chain(&list.iter().collect::<Vec<_>>(), true),
            Kind::Or(list) => self.chain(&list.iter().collect::<Vec<_>>(), false),
            Kind::Implies(a, b) => {
                let first = self.scalar(a)?;
                let (id, read) = self.result(Types::BOOLEAN, not(first))?;
                let then = self.inner(|lower| lower.set(id, b))?;
                self.block.push(when(not(read.clone()), then, Vec::new()));
                Ok(read)
            }
            Kind::Conditional(condition, a, b) => {
                let condition = self.scalar(condition)?;
                let least = self.literal(expr.of, self.hull(expr.of).low);
                let condition = self.save(condition, Types::BOOLEAN)?;
                let (id, read) = self.result(expr.of, least)?;
                let then = self.inner(|lower| lower.set(id, a))?;
                let otherwise = self.inner(|lower| lower.set(id, b))?;
                self.block.push(when(condition, then, otherwise));
                Ok(read)
            }
            Kind::Quantified(forall, binder, body) => {
                let (id, read) = self.result(Types::BOOLEAN, int(i32::from(*forall)))?;
                let go_on = if *forall { read.clone() } else { not(read.clone()) };
                self.each(binder, expr.span, &mut |lower| {
                    let inside = lower.inner(|lower| lower.set(id, body))?;
                    lower.block.push(when(go_on.clone(), inside, Vec::new()));
                    Ok(())
                })?;
                Ok(read)
            }
            _ => panic!("no connective"),
        }
    }

    fn chain(&mut self, list: &[&'p Source], go_on: bool) -> Result<Expr> {
        let first = self.scalar(list[0])?;
        let (id, read) = self.result(Types::BOOLEAN, first)?;
        for operand in &list[1..] {
            let then = self.inner(|lower| lower.set(id, operand))?;
            let condition = if go_on { read.clone() } else { not(read.clone()) };
            self.block.push(when(condition, then, Vec::new()));
        }
        Ok(read)
    }

    fn set(&mut self, id: VariableId, value: &'p Source) -> Result<()> {
        let value = self.scalar(value)?;
        self.block.push(assign(element(id, Vec::new()), value));
        Ok(())
    }
}
