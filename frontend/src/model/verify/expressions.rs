//! Rules 11, 12, 18, 23 and 24: the sorts of expressions and places.

use super::super::{
    Base, BinaryOp, Body, Class, ClassId, Dimension, Expr, ExprKind, LocalId, Place, ScalarSetId, Sort, UnaryOp, Width,
};
use super::{Verifier, rule};

const INT: Sort = Sort::Int(Width::Int);

/// The names that expressions of a body may use.
pub(super) struct Scope<'a> {
    pub(super) id: ClassId,
    pub(super) class: &'a Class,
    pub(super) body: &'a Body,
    /// The locals that are in scope.
    pub(super) visible: Vec<bool>,
}

/// Whether the sort is one of rebecs.
pub(super) fn is_rebec(sort: Sort) -> bool {
    matches!(sort, Sort::Rebec(_) | Sort::AnyRebec)
}

/// Whether a value of one sort may be compared with, or stored in, a place of the other, widths and classes ignored.
pub(super) fn agree(one: Sort, other: Sort) -> bool {
    match (one, other) {
        (Sort::Int(_), Sort::Int(_)) => true,
        _ => one == other || is_rebec(one) && is_rebec(other),
    }
}

impl Verifier<'_> {
    /// Checks an expression; without a scope it is an expression of a property.
    pub(super) fn expr(&mut self, scope: Option<&Scope<'_>>, expr: &Expr) {
        if let Some(sort) = self.sort_of(scope, expr) {
            self.check(sort == expr.sort, rule::SORTS, expr.span);
        }
    }

    /// Checks an expression that must have the given sort.
    pub(super) fn expr_of(&mut self, scope: Option<&Scope<'_>>, expr: &Expr, sort: Sort) {
        self.expr(scope, expr);
        self.check(expr.sort == sort, rule::SORTS, expr.span);
    }

    /// Checks an expression that must be a rebec.
    pub(super) fn rebec(&mut self, scope: Option<&Scope<'_>>, expr: &Expr) {
        self.expr(scope, expr);
        self.check(is_rebec(expr.sort), rule::SORTS, expr.span);
    }

    /// The sort that follows from the kind and the operands; `None` if that is reported already.
    fn sort_of(&mut self, scope: Option<&Scope<'_>>, expr: &Expr) -> Option<Sort> {
        let in_body = scope.is_some();
        match &expr.kind {
            ExprKind::Bool(_) => Some(Sort::Bool),
            ExprKind::Int(_) => Some(INT),
            ExprKind::Scalar(_) => self.check(false, rule::CHOICES, expr.span).then_some(expr.sort),
            ExprKind::Null => Some(Sort::AnyRebec),
            ExprKind::Rebec(rebec) => {
                self.check(!in_body, rule::CONTEXT, expr.span);
                let exists = self.check(rebec.index() < self.model.instances.len(), rule::IDS, expr.span);
                exists.then(|| Sort::Rebec(self.model.class_of(*rebec)))
            }
            ExprKind::SelfRef | ExprKind::Sender if !in_body => {
                self.check(false, rule::CONTEXT, expr.span).then_some(expr.sort)
            }
            ExprKind::SelfRef => scope.map(|scope| Sort::Rebec(scope.id)),
            ExprKind::Sender => Some(Sort::AnyRebec),
            ExprKind::Feature(feature) => {
                let exists = self.check(feature.index() < self.model.features.len(), rule::IDS, expr.span);
                exists.then_some(Sort::Bool)
            }
            ExprKind::Read(place) => match self.place(scope, place)? {
                Sort::Int(_) => Some(INT),
                sort => Some(sort),
            },
            ExprKind::Unary(op, operand) => {
                let sort = if *op == UnaryOp::Not { Sort::Bool } else { INT };
                self.expr_of(scope, operand, sort);
                Some(sort)
            }
            ExprKind::Binary(op, left, right) => Some(self.binary(scope, *op, left, right)),
            ExprKind::And(operands) | ExprKind::Or(operands) => {
                let same = |operand: &Expr| std::mem::discriminant(&operand.kind) == std::mem::discriminant(&expr.kind);
                let fits = operands.len() >= 2 && !operands.iter().any(same);
                self.check(fits, rule::JUNCTIONS, expr.span);
                operands.iter().for_each(|operand| self.expr_of(scope, operand, Sort::Bool));
                Some(Sort::Bool)
            }
            ExprKind::Ite(condition, then, otherwise) => {
                self.expr_of(scope, condition, Sort::Bool);
                self.expr(scope, then);
                self.expr(scope, otherwise);
                let fits = agree(then.sort, otherwise.sort) && agree(then.sort, expr.sort);
                self.check(fits, rule::SORTS, expr.span).then_some(expr.sort)
            }
            _ => self.conversion(scope, expr),
        }
    }

    fn conversion(&mut self, scope: Option<&Scope<'_>>, expr: &Expr) -> Option<Sort> {
        match &expr.kind {
            ExprKind::Narrow(_, operand) | ExprKind::SquareRoot(operand) => {
                self.expr_of(scope, operand, INT);
                Some(INT)
            }
            ExprKind::Cast(class, operand) => {
                self.rebec(scope, operand);
                self.check(self.has_class(*class), rule::IDS, expr.span).then_some(Sort::Rebec(*class))
            }
            ExprKind::InstanceOf(class, operand) => {
                self.rebec(scope, operand);
                self.check(self.has_class(*class), rule::IDS, expr.span).then_some(Sort::Bool)
            }
            ExprKind::Rotate(operand, amount) => {
                self.expr(scope, operand);
                self.expr_of(scope, amount, INT);
                self.check(matches!(operand.sort, Sort::Scalar(_)), rule::SORTS, expr.span).then_some(operand.sort)
            }
            _ => None,
        }
    }

    fn binary(&mut self, scope: Option<&Scope<'_>>, op: BinaryOp, left: &Expr, right: &Expr) -> Sort {
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => {
                self.expr(scope, left);
                self.expr(scope, right);
                self.check(agree(left.sort, right.sort), rule::SORTS, left.span.to(right.span));
                Sort::Bool
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let sort = if left.sort == Sort::Bool { Sort::Bool } else { INT };
                self.expr_of(scope, left, sort);
                self.expr_of(scope, right, sort);
                sort
            }
            _ => {
                self.expr_of(scope, left, INT);
                self.expr_of(scope, right, INT);
                let compares =
                    matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual);
                if compares { Sort::Bool } else { INT }
            }
        }
    }

    /// Checks a place and returns the sort of its elements.
    pub(super) fn place(&mut self, scope: Option<&Scope<'_>>, place: &Place) -> Option<Sort> {
        let (sort, dimensions) = self.shape(scope, place)?;
        self.check(place.indices.len() == dimensions.len(), rule::INDICES, place.span);
        for (index, dimension) in place.indices.iter().zip(dimensions) {
            let wanted = match dimension {
                Dimension::Array(_) => INT,
                Dimension::Scalar(set) => Sort::Scalar(set),
            };
            match index.kind {
                ExprKind::Scalar(value) if scope.is_none() => {
                    self.literal(index, value);
                }
                _ => self.expr(scope, index),
            }
            self.check(index.sort == wanted, rule::INDICES, index.span);
        }
        Some(sort)
    }

    fn shape(&mut self, scope: Option<&Scope<'_>>, place: &Place) -> Option<(Sort, Vec<Dimension>)> {
        let found = match (place.base, scope) {
            (Base::Variable(id), Some(scope)) => {
                scope.class.variables.get(id.index()).map(|variable| (variable.sort, variable.dimensions.clone()))
            }
            (Base::Local(id), Some(scope)) => {
                let visible = scope.visible.get(id.index()).copied();
                if let Some(visible) = visible {
                    self.check(visible, rule::LOCALS, place.span);
                }
                scope.body.locals.get(id.index()).map(|local| (local.sort, local.dimensions.clone()))
            }
            (Base::Remote(rebec, id), None) => {
                let instance = self.model.instances.get(rebec.index());
                let variable = instance.and_then(|instance| self.model.class(instance.class).variables.get(id.index()));
                variable.map(|variable| (variable.sort, variable.dimensions.clone()))
            }
            _ => {
                self.check(false, rule::CONTEXT, place.span);
                return None;
            }
        };
        self.check(found.is_some(), rule::IDS, place.span);
        found
    }

    /// Checks that a literal of a scalar set is allowed here, and returns the set.
    pub(super) fn literal(&mut self, expr: &Expr, value: i32) -> Option<ScalarSetId> {
        let set = match expr.sort {
            Sort::Scalar(set) if self.has_set(set) => set,
            _ => {
                self.check(false, rule::SORTS, expr.span);
                return None;
            }
        };
        let bounds = self.model.scalar_set(set);
        self.check((bounds.low..=bounds.high).contains(&value), rule::SORTS, expr.span).then_some(set)
    }
}

impl<'a> Scope<'a> {
    /// The scope at the start of a body: its parameters.
    pub(super) fn new(id: ClassId, class: &'a Class, body: &'a Body) -> Scope<'a> {
        let visible = (0..body.locals.len()).map(|local| local < body.parameters as usize).collect();
        Scope { id, class, body, visible }
    }

    pub(super) fn is_parameter(&self, local: LocalId) -> bool {
        local.index() < self.body.parameters as usize
    }
}
