//! Expressions whose evaluation never faults.
//!
//! # Soundness
//!
//! Errs towards faults. The bound on the rounds of a step is left to the caller.

use frontend::murphi::program::{
    Base, BinaryOp, BinderValues, Expr, ExprKind, Frame, LocalKind, Place, Program, Step, TypeId, TypeKind,
};
use frontend::murphi::syntax::ast::UnaryOp;

use super::collect::Wrong;
use super::defined::Defined;

/// What is known of faults in a program.
pub(super) struct Faults<'p> {
    program: &'p Program,
    /// The variables that are never undefined.
    defined: Defined,
    wrong: Wrong,
}

impl<'p> Faults<'p> {
    /// Of a program.
    pub(super) fn new(program: &'p Program, wrong: Wrong) -> Faults<'p> {
        Faults { program, defined: Defined::new(program, wrong.ignores_starts()), wrong }
    }

    /// Whether no evaluation of an expression faults.
    pub(super) fn never(&self, frame: &Frame, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Value(_) => true,
            ExprKind::Read(place) => self.is_found(frame, place) && self.is_defined(frame, place),
            ExprKind::IsUndefined(place) => self.is_found(frame, place),
            ExprKind::Unary(UnaryOp::Not, inner) | ExprKind::IsMember(inner, _) => self.never(frame, inner),
            ExprKind::Binary(op, left, right) => {
                use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
                matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
                    && self.program.types.is_simple(left.of)
                    && [left, right].into_iter().all(|operand| self.never(frame, operand))
            }
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().all(|operand| self.never(frame, operand)),
            ExprKind::Implies(left, right) => [left, right].into_iter().all(|part| self.never(frame, part)),
            ExprKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().all(|part| self.never(frame, part))
            }
            ExprKind::Quantified(_, binder, body) => {
                matches!(binder.values, BinderValues::Type(_)) && self.never(frame, body)
            }
            ExprKind::Unary(..) | ExprKind::Undefined | ExprKind::Call(..) | ExprKind::Count(..) => false,
        }
    }

    /// Whether the way to a place never faults.
    fn is_found(&self, frame: &Frame, place: &Place) -> bool {
        let mut of = match place.base {
            Base::Variable(id) => self.program.variable(id).of,
            Base::Local(id) => frame.local(id).of,
        };
        for step in &place.steps {
            match (step, self.program.types.kind(of)) {
                (Step::Field(field), TypeKind::Record(fields)) => of = fields[*field].of,
                (Step::Index(value), TypeKind::Array { index, element }) => {
                    if !self.never(frame, value) || !self.is_within(frame, value, *index) {
                        return false;
                    }
                    of = *element;
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether all values of an expression are of a type.
    fn is_within(&self, frame: &Frame, value: &Expr, of: TypeId) -> bool {
        let types = &self.program.types;
        match &value.kind {
            ExprKind::Value(value) => types.position(of, *value).is_some(),
            ExprKind::Read(place) => {
                let own = if place.steps.is_empty()
                    && let Base::Local(local) = place.base
                {
                    frame.local(local).of
                } else {
                    place.of
                };
                own == of
                    || types.values(own).iter().all(|range| {
                        let mut others = types.values(of).into_iter();
                        others.any(|other| other.contains(range.start()) && other.contains(range.end()))
                    })
            }
            _ => false,
        }
    }

    /// Whether a simple value is never undefined where it is read.
    fn is_defined(&self, frame: &Frame, place: &Place) -> bool {
        match place.base {
            Base::Variable(_) => self.defined.is_always(self.program, place),
            Base::Local(local) => {
                let kind = frame.local(local).kind;
                // Parameters and aliases may be undefined.
                let is_defined = kind == LocalKind::Binder || self.wrong.trusts_values() && kind.is_value();
                is_defined && place.steps.is_empty()
            }
        }
    }
}
