//! Expressions: names, operators and their types.

use super::Lowering;
use super::constants::known;
use super::scope::Meaning;
use crate::diagnostics::{codes, every};
use crate::murphi::program::{
    BinaryOp, Binder, BinderValues, Class, Expr, ExprKind, LocalKind, Slots, Steps, TypeId, TypeKind, Types,
};
use crate::murphi::syntax::ast::{self, UnaryOp};
use crate::source::Span;

impl Lowering<'_> {
    /// An expression, or nothing after a fault that was reported.
    pub(super) fn expression(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let span = expr.span;
        let boolean = |kind: ExprKind| Some(Expr { kind, of: Types::BOOLEAN, span });
        match &expr.kind {
            ast::ExprKind::Integer(value) => Some(Expr { kind: ExprKind::Value(*value), of: Types::INTEGER, span }),
            ast::ExprKind::Boolean(value) => boolean(ExprKind::Value(i32::from(*value))),
            ast::ExprKind::Name(name) => self.named(name, expr),
            ast::ExprKind::Field(..) | ast::ExprKind::Index(..) => self.read(expr),
            ast::ExprKind::Call(name, arguments) => {
                let call = self.call(name, arguments);
                let (id, arguments) = call?;
                let Some(of) = self.result_of(id) else {
                    let message = format!("`{}` is a procedure: it gives no value", name.text);
                    return self.refuse(codes::MURPHI_WRONG_NAME, name.span, message, "call a function");
                };
                Some(Expr { kind: ExprKind::Call(id, arguments), of, span })
            }
            ast::ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::And(list) => self.chain(list, BinaryOp::BitAnd, span),
            ast::ExprKind::Or(list) => self.chain(list, BinaryOp::BitOr, span),
            ast::ExprKind::Conditional(condition, then, otherwise) => self.choice(condition, then, otherwise, span),
            ast::ExprKind::Quantified(forall, binders, body) => self.quantified(*forall, binders, body, span),
            ast::ExprKind::IsUndefined(inner) => {
                let place = self.place(inner)?;
                if !self.program.types.is_simple(place.of) {
                    let message = format!("`isundefined` asks for a simple value, not for {}", self.text(place.of));
                    return self.refuse(codes::MURPHI_SIMPLE, inner.span, message, "ask for one of its parts");
                }
                boolean(ExprKind::IsUndefined(place))
            }
            ast::ExprKind::IsMember(value, of) => {
                let (value, of) = (self.expression(value), self.type_expression(of));
                let (value, of) = (value?, of?);
                let types = &self.program.types;
                let (TypeKind::Names(_), TypeKind::Names(_)) = (types.kind(value.of), types.kind(of)) else {
                    let message = "`ismember` asks for members of enumerations and scalar sets";
                    return self.refuse(codes::MURPHI_TYPE, span, message, "compare integers by `<=`");
                };
                boolean(ExprKind::IsMember(Box::new(value), of))
            }
            ast::ExprKind::MultisetCount(slots, condition) => self.scoped(|lowering| {
                let slots = lowering.slots(slots);
                let condition = lowering.condition(condition);
                let kind = ExprKind::Count(Box::new(slots?), Box::new(condition?));
                Some(Expr { kind, of: Types::INTEGER, span })
            }),
            ast::ExprKind::Undefined => {
                let message = "`undefined` is assigned to a variable or passed as an argument, and is no operand";
                self.refuse(codes::MURPHI_TYPE, span, message, "ask by `isundefined(x)`")
            }
            ast::ExprKind::Missing => None,
        }
    }

    /// A type as a message names it.
    pub(super) fn text(&self, of: TypeId) -> String {
        self.program.types.text(of)
    }

    fn named(&mut self, name: &str, expr: &ast::Expr) -> Option<Expr> {
        match self.lookup(name, expr.span)? {
            Meaning::Constant(value, of) => Some(Expr { kind: ExprKind::Value(value), of, span: expr.span }),
            Meaning::Variable(_) | Meaning::Local(_) => self.read(expr),
            other => self.misused(name, expr.span, other, "a value"),
        }
    }

    fn read(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = self.place(expr)?;
        Some(Expr { of: place.of, kind: ExprKind::Read(place), span: expr.span })
    }

    /// Reports an expression whose class is not that of a type.
    pub(super) fn needs(&mut self, expr: &Expr, of: TypeId) -> Option<()> {
        if self.program.types.class(expr.of) == self.program.types.class(of) {
            return Some(());
        }
        let (found, needed) =
            (self.text(expr.of), if of == Types::BOOLEAN { "a condition".into() } else { self.text(of) });
        let (code, help) = match of == Types::BOOLEAN {
            true => (codes::MURPHI_CONDITION, "compare: `x != 0`"),
            false => (codes::MURPHI_TYPE, "integers, conditions and members of enumerations do not mix"),
        };
        self.refuse(code, expr.span, format!("{needed} is needed, and this is {found}"), help)
    }

    /// Reports two types whose values do not mix.
    pub(super) fn mixed(&mut self, one: TypeId, other: TypeId, span: Span) -> Option<()> {
        if self.program.types.mix(one, other) {
            return Some(());
        }
        let message = format!("{} and {} do not mix", self.text(one), self.text(other));
        let help = "values of a union mix with those of its members; arrays and records of the same structure mix";
        self.refuse(codes::MURPHI_TYPE, span, message, help)
    }

    /// A condition.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let lowered = self.expression(expr)?;
        self.needs(&lowered, Types::BOOLEAN)?;
        Some(lowered)
    }

    fn unary(&mut self, op: UnaryOp, inner: &ast::Expr, span: Span) -> Option<Expr> {
        let inner = self.expression(inner)?;
        let of = if op == UnaryOp::Not { Types::BOOLEAN } else { Types::INTEGER };
        self.needs(&inner, of)?;
        Some(Expr { kind: ExprKind::Unary(op, Box::new(inner)), of, span })
    }

    fn binary(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Option<Expr> {
        let (left, right) = (self.expression(left), self.expression(right));
        let (left, right) = (left?, right?);
        if op == ast::BinaryOp::Implies {
            let (one, other) = (self.needs(&left, Types::BOOLEAN), self.needs(&right, Types::BOOLEAN));
            one.and(other)?;
            return Some(Expr { kind: ExprKind::Implies(left.into(), right.into()), of: Types::BOOLEAN, span });
        }
        let (op, of) = resolved(op);
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            self.mixed(left.of, right.of, span)?;
            if self.program.types.has_multiset(left.of) {
                let message = "multisets are not compared: the order of their slots has no meaning";
                return self.refuse(codes::MURPHI_MULTISET, span, message, "count elements by `multisetcount`");
            }
        } else {
            let (one, other) = (self.needs(&left, Types::INTEGER), self.needs(&right, Types::INTEGER));
            one.and(other)?;
        }
        Some(Expr { kind: ExprKind::Binary(op, left.into(), right.into()), of, span })
    }

    /// A chain of `&` or `|`: of conditions, or of integers, bit by bit.
    fn chain(&mut self, list: &[ast::Expr], bits: BinaryOp, span: Span) -> Option<Expr> {
        let operands = every(list.iter().map(|operand| self.expression(operand)))?;
        debug_assert!(operands.len() > 1, "a chain has two operands or more");
        let is_bits = self.program.types.class(operands[0].of) == Class::Integer;
        let of = if is_bits { Types::INTEGER } else { Types::BOOLEAN };
        every(operands.iter().map(|operand| self.needs(operand, of)))?;
        if is_bits {
            let join = |left: Expr, right: Expr| {
                let span = left.span.to(right.span);
                Expr { kind: ExprKind::Binary(bits, left.into(), right.into()), of, span }
            };
            return operands.into_iter().reduce(join);
        }
        let kind = if bits == BinaryOp::BitAnd { ExprKind::And(operands) } else { ExprKind::Or(operands) };
        Some(Expr { kind, of, span })
    }

    fn choice(&mut self, condition: &ast::Expr, then: &ast::Expr, otherwise: &ast::Expr, span: Span) -> Option<Expr> {
        let condition = self.condition(condition);
        let (then, otherwise) = (self.expression(then), self.expression(otherwise));
        let (then, otherwise) = (then?, otherwise?);
        self.mixed(then.of, otherwise.of, span)?;
        let types = &self.program.types;
        let of = match types.class(then.of) {
            Class::Integer => Types::INTEGER,
            _ if types.is_simple(then.of) && types.count(then.of) < types.count(otherwise.of) => otherwise.of,
            _ => then.of,
        };
        let kind = ExprKind::Conditional(condition?.into(), then.into(), otherwise.into());
        Some(Expr { kind, of, span })
    }

    fn quantified(&mut self, forall: bool, list: &[ast::Binder], body: &ast::Expr, span: Span) -> Option<Expr> {
        let Some((first, rest)) = list.split_first() else { return self.condition(body) };
        self.scoped(|lowering| {
            let binder = lowering.binder(first, false);
            let body = lowering.quantified(forall, rest, body, span);
            let kind = ExprKind::Quantified(forall, Box::new(binder?), Box::new(body?));
            Some(Expr { kind, of: Types::BOOLEAN, span })
        })
    }

    /// A binder, which is in scope from here on; its values are constants if `fixed`.
    pub(super) fn binder(&mut self, binder: &ast::Binder, fixed: bool) -> Option<Binder> {
        let name = &binder.name;
        let lowered = match &binder.values {
            ast::BinderValues::Type(of) => self.simple_type(of).map(|of| (of, BinderValues::Type(of))),
            ast::BinderValues::Steps { from, to, by } => {
                let values = self.steps(from, to, by.as_deref(), fixed, name.span);
                values.map(|values| (Types::INTEGER, values))
            }
        };
        let Some((of, values)) = lowered else {
            self.declare(name, Meaning::Faulty);
            return None;
        };
        let local = self.local(name, LocalKind::Binder, of);
        self.declare(name, Meaning::Local(local));
        Some(Binder { local, values })
    }

    fn steps(
        &mut self,
        from: &ast::Expr,
        to: &ast::Expr,
        by: Option<&ast::Expr>,
        fixed: bool,
        span: Span,
    ) -> Option<BinderValues> {
        let one = ast::Expr { kind: ast::ExprKind::Integer(1), span };
        let parts = [from, to, by.unwrap_or(&one)].map(|part| {
            let part = self.expression(part)?;
            self.needs(&part, Types::INTEGER)?;
            let value = if fixed { Some(self.folded(&part)?) } else { known(&part) };
            Some(value.map_or(part.clone(), |value| Expr { kind: ExprKind::Value(value), ..part }))
        });
        let [from, to, step] = parts;
        let (from, to, step) = (from?, to?, step?);
        let wrong = match (known(&from), known(&to), known(&step)) {
            (_, _, Some(0)) => true,
            (Some(from), Some(to), Some(step)) => by.is_some() && from != to && (from < to) != (step > 0),
            _ => false,
        };
        if wrong {
            let message = "the steps of the loop do not lead to its bound";
            let help = "a loop from above to below has a negative step";
            return self.refuse(codes::MURPHI_STEP, step.span, message, help);
        }
        Some(BinderValues::Steps(Box::new(Steps { from, to, by: step })))
    }

    /// The slots of a multiset, in scope from here on.
    pub(super) fn slots(&mut self, slots: &ast::Alias) -> Option<Slots> {
        let multiset = self.multiset(&slots.value);
        let Some(multiset) = multiset else {
            self.declare(&slots.name, Meaning::Faulty);
            return None;
        };
        let slot = self.local(&slots.name, LocalKind::Slot, multiset.of);
        self.declare(&slots.name, Meaning::Local(slot));
        Some(Slots { slot, multiset })
    }
}

/// The typed form of an operator and the type of its result.
fn resolved(op: ast::BinaryOp) -> (BinaryOp, TypeId) {
    let op = BinaryOp::of(op.symbol()).expect("an implication is evaluated in part");
    (op, if op.is_comparison() { Types::BOOLEAN } else { Types::INTEGER })
}
