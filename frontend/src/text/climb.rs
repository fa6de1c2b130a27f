//! Precedence climbing: operands with infix operators between them.
//!
//! [`Cursor::binary`] takes operators that bind at least as tightly as a level; a greater level binds tighter. The height of
//! every node is known when it is made, and limited: later stages may recurse.

use super::{Cursor, Kind, Parse, Tall};
use crate::source::{Span, Spanned};

/// The grouping of an operator with others of its level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grouping {
    /// To the left.
    Left,
    /// To the left, where a chain of the operator counts as one node.
    Flat,
    /// To the right.
    Right,
    /// A chain of the operator is one node.
    List,
    /// Two in a row need parentheses.
    NonAssociative,
}

/// An infix operator with its level and grouping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Infix<O> {
    pub(crate) op: O,
    pub(crate) level: u8,
    pub(crate) grouping: Grouping,
}

/// A language whose expressions have infix operators.
pub(crate) trait Operators: Kind {
    /// The infix operators.
    type Op: Copy + PartialEq;

    /// The infix operator at the current token.
    fn infix(cursor: &Cursor<'_, Self>) -> Option<Infix<Self::Op>>;

    /// An operand with the prefixes before it.
    fn operand(cursor: &mut Cursor<'_, Self>) -> Parse<Tall<Self::ExprKind>>;

    /// Two operands under an operator.
    fn join(op: Self::Op, left: Spanned<Self::ExprKind>, right: Spanned<Self::ExprKind>) -> Self::ExprKind;

    /// The operands of a chain under an operator of [`Grouping::List`].
    fn list(_: Self::Op, _: Vec<Spanned<Self::ExprKind>>) -> Self::ExprKind {
        unreachable!("no operator of the language makes lists")
    }

    /// Checks an operator before it is taken.
    fn check_operator(_: &mut Cursor<'_, Self>, _: Self::Op) {}

    /// Reports that an operator of [`Grouping::NonAssociative`] follows another of its level.
    fn report_chain(_: &mut Cursor<'_, Self>, _: Self::Op) {}

    /// Checks an operator behind another one of its level, with no parentheses around the first, before it is taken.
    fn check_mix(_: &mut Cursor<'_, Self>, _: Self::Op, _: Self::Op) {}

    /// Checks an operand of a chain.
    fn check_operand(_: &mut Cursor<'_, Self>, _: &Spanned<Self::ExprKind>) {}
}

impl<K: Operators> Cursor<'_, K> {
    /// An expression of operators that bind at least as tightly as a level.
    pub(crate) fn binary(&mut self, level: u8) -> Parse<Tall<K::ExprKind>> {
        self.levelled(|cursor| cursor.climb(level))
    }

    /// As [`Self::binary`], at the current depth.
    pub(crate) fn climb(&mut self, level: u8) -> Parse<Tall<K::ExprKind>> {
        let mut left = K::operand(self)?;
        let mut last: Option<Infix<K::Op>> = None;
        while let Some(infix) = K::infix(self).filter(|infix| infix.level >= level) {
            if infix.grouping == Grouping::NonAssociative && last.is_some_and(|last| last.level == infix.level) {
                K::report_chain(self, infix.op);
            }
            if let Some(last) = last.filter(|last| last.level == infix.level && last.op != infix.op) {
                K::check_mix(self, last.op, infix.op);
            }
            left = match infix.grouping {
                Grouping::List => self.operand_list(infix, left)?,
                _ => self.two_sided(infix, left, last == Some(infix))?,
            };
            last = Some(infix);
        }
        Ok(left)
    }

    fn take_operator(&mut self, op: K::Op) {
        K::check_operator(self, op);
        self.bump();
    }

    /// The operands of a chain of one operator.
    fn operand_list(&mut self, infix: Infix<K::Op>, first: Tall<K::ExprKind>) -> Parse<Tall<K::ExprKind>> {
        let mut height = first.height;
        K::check_operand(self, &first.expr);
        let mut list = vec![first.expr];
        while K::infix(self) == Some(infix) {
            self.take_operator(infix.op);
            let operand = self.binary(infix.level + 1)?;
            height = height.max(operand.height);
            K::check_operand(self, &operand.expr);
            list.push(operand.expr);
        }
        let span = list[0].span.to(list[list.len() - 1].span);
        debug_assert!(list.len() > 1, "a chain has two operands or more");
        self.node(K::list(infix.op, list), span, height)
    }

    fn two_sided(
        &mut self,
        infix: Infix<K::Op>,
        left: Tall<K::ExprKind>,
        is_repeated: bool,
    ) -> Parse<Tall<K::ExprKind>> {
        self.take_operator(infix.op);
        let right = match infix.grouping {
            Grouping::Right => self.nested(|cursor| cursor.binary(infix.level))?,
            _ => self.binary(infix.level + 1)?,
        };
        let is_continued = is_repeated && infix.grouping == Grouping::Flat;
        let below = right.height.max(left.height - usize::from(is_continued));
        let span = left.expr.span.to(right.expr.span);
        self.node(K::join(infix.op, left.expr, right.expr), span, below)
    }

    /// An operand of a prefix operator that was taken at `start`.
    pub(crate) fn prefixed_by(
        &mut self,
        start: Span,
        kind: impl FnOnce(Box<Spanned<K::ExprKind>>) -> K::ExprKind,
        operand: impl FnOnce(&mut Self) -> Parse<Tall<K::ExprKind>>,
    ) -> Parse<Tall<K::ExprKind>> {
        let inner = self.nested(operand)?;
        let span = start.to(inner.expr.span);
        self.node(kind(Box::new(inner.expr)), span, inner.height)
    }

    /// The part between two tokens; the span of an expression includes them.
    pub(crate) fn between(
        &mut self,
        [open, close]: [K; 2],
        inner: impl FnOnce(&mut Self) -> Parse<Tall<K::ExprKind>>,
    ) -> Parse<Tall<K::ExprKind>> {
        let start = self.expect(open)?;
        let inner = inner(self)?;
        self.expect(close)?;
        Ok(Tall { expr: Spanned { kind: inner.expr.kind, span: self.span_from(start) }, height: inner.height })
    }
}
