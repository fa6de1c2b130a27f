//! Places: variables, locals and their elements; and assignments to them.

use super::body::Builder;
use super::effects::{effect, effect_before_assignment};
use super::expressions::INT;
use crate::diagnostics::{Diagnostic, codes};
use crate::model::{Base, BinaryOp, Dimension, Expr, Place, Role, Rvalue, Sort, StmtKind};
use crate::source::Span;
use crate::syntax::ast;

impl Builder<'_, '_, '_> {
    /// The sort of the elements of a place.
    pub(super) fn place_sort(&self, place: &Place) -> Sort {
        match place.base {
            Base::Local(id) => self.locals[id.index()].sort,
            Base::Variable(id) => self.model().class(self.class).variables[id.index()].sort,
            Base::Remote(..) => unreachable!("bodies have no remote places"),
        }
    }

    /// Lowers `x`, `self.x`, `x[i][j]`.
    pub(super) fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        let (base, indices) = expr.base_and_indices();
        match &base.kind {
            ast::ExprKind::Name(name) => self.named_place(name, &indices, expr.span),
            ast::ExprKind::Field(target, name) => self.field_place(target, name, &indices, expr.span),
            _ => self.refuse(codes::BAD_OPERAND, base.span, "only variables have elements"),
        }
    }

    /// The place of a name with indices.
    pub(super) fn named_place(&mut self, name: &str, indices: &[&ast::Expr], span: Span) -> Option<Place> {
        let base = match (self.local(name), self.variable(name)) {
            (Some(id), _) => Base::Local(id),
            (None, Some(id)) => Base::Variable(id),
            (None, None) => {
                if let Some(id) = self.table(name, span) {
                    return self.indexed(Base::Local(id), name, indices, span);
                }
                if self.context.constants.contains_key(name) || self.context.features.contains_key(name) {
                    return self.refuse(codes::BAD_INDEXING, span, format!("`{name}` is a single constant"));
                }
                return self.unknown_name(name, span);
            }
        };
        self.indexed(base, name, indices, span)
    }

    /// Whether an expression is the predefined `self`.
    pub(super) fn is_self(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, ast::ExprKind::Name(text) if text == "self")
            && self.local("self").is_none()
            && self.variable("self").is_none()
    }

    fn field_place(
        &mut self,
        target: &ast::Expr,
        name: &ast::Name,
        indices: &[&ast::Expr],
        span: Span,
    ) -> Option<Place> {
        if !self.is_self(target) {
            let message = "variables of another rebec are not visible";
            let help = "ask by message and keep the answer";
            return self.reject(Diagnostic::error(codes::FOREIGN_VARIABLE, span, message).help(help));
        }
        let Some(id) = self.variable(&name.text) else {
            return self.unknown_name(&name.text, name.span);
        };
        self.indexed(Base::Variable(id), &name.text, indices, span)
    }

    fn indexed(&mut self, base: Base, name: &str, indices: &[&ast::Expr], span: Span) -> Option<Place> {
        let dimensions = match base {
            Base::Local(id) => self.locals[id.index()].dimensions.clone(),
            Base::Variable(id) => self.model().class(self.class).variables[id.index()].dimensions.clone(),
            Base::Remote(..) => Vec::new(),
        };
        if dimensions.len() != indices.len() {
            let message = format!("`{name}` has {}, {} given", count(dimensions.len(), "dimension"), indices.len());
            return self.refuse(codes::BAD_INDEXING, span, message);
        }
        let wanted = |dimension: &Dimension| match dimension {
            Dimension::Array(_) => INT,
            Dimension::Scalar(set) => Sort::Scalar(*set),
        };
        let list: Vec<(&ast::Expr, Option<Sort>)> =
            indices.iter().zip(&dimensions).map(|(&index, dimension)| (index, Some(wanted(dimension)))).collect();
        let lowered = self.operand_list(&list)?;
        for (index, dimension) in lowered.iter().zip(&dimensions) {
            self.check_index(index, *dimension)?;
        }
        debug_assert_eq!(lowered.len(), dimensions.len(), "an index for each dimension");
        Some(Place { base, indices: lowered, span })
    }

    fn check_index(&mut self, index: &Expr, dimension: Dimension) -> Option<()> {
        match (dimension, index.sort) {
            (Dimension::Array(_), Sort::Int(_)) => Some(()),
            (Dimension::Scalar(set), Sort::Scalar(given)) if set == given => Some(()),
            (Dimension::Array(_), Sort::Scalar(_)) => {
                self.refuse(codes::SCALAR_RESTRICTION, index.span, "a scalar indexes grouped variables of its set only")
            }
            (Dimension::Array(_), sort) => {
                let message = format!("an index is an integer, not `{}`", self.sort_name(sort));
                self.refuse(codes::BAD_INDEX, index.span, message)
            }
            (Dimension::Scalar(set), sort) => {
                let wanted = self.model().scalar_set(set).name.clone();
                let message = format!("the index is a scalar of `{wanted}`, not `{}`", self.sort_name(sort));
                let help = format!("use a variable of type `{wanted}`, or `forEachValueOf({wanted})`");
                self.reject(Diagnostic::error(codes::BAD_INDEX, index.span, message).help(help))
            }
        }
    }

    /// Lowers a place that may be assigned; its indices are protected from later effects.
    pub(super) fn assignable_place(&mut self, expr: &ast::Expr) -> Option<Place> {
        if let ast::ExprKind::Name(name) = &expr.kind
            && self.local(name).is_none()
            && self.variable(name).is_none()
            && (self.context.constants.contains_key(name.as_str()) || self.context.features.contains_key(name.as_str()))
        {
            return self.refuse(codes::FIXED_PLACE, expr.span, format!("`{name}` is a constant"));
        }
        if !matches!(expr.kind, ast::ExprKind::Name(_) | ast::ExprKind::Index(..) | ast::ExprKind::Field(..)) {
            return self.refuse(codes::FIXED_PLACE, expr.span, "only variables are assigned");
        }
        if matches!(&expr.kind, ast::ExprKind::Name(name) if matches!(name.as_str(), "self" | "sender")
            && self.local(name).is_none() && self.variable(name).is_none())
        {
            return self.refuse(codes::FIXED_PLACE, expr.span, "`self` and `sender` are fixed");
        }
        let place = self.place(expr)?;
        if self.is_fixed(place.base) {
            let is_table = matches!(place.base, Base::Local(id) if self.is_table(id));
            let what = if is_table { "a constant" } else { "the value of `forEachValueOf`" };
            return self.refuse(codes::FIXED_PLACE, expr.span, format!("{what} is not assigned"));
        }
        if let Base::Variable(id) = place.base {
            let variable = &self.model().class(self.class).variables[id.index()];
            if variable.role == Role::Known {
                let message = format!("the known rebec `{}` is fixed", variable.name);
                let help = "keep changing rebecs in a state variable";
                return self.reject(Diagnostic::error(codes::FIXED_PLACE, expr.span, message).help(help));
            }
        }
        Some(place)
    }

    /// `target = value`, `target op= value`: emits the assignment and returns the place.
    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Place> {
        let Some(mut place) = self.assignable_place(target) else {
            self.expression(value, None);
            return None;
        };
        let later = if op.is_none() { effect_before_assignment(value) } else { effect(value) };
        place.indices = place.indices.into_iter().map(|index| self.protect(index, later)).collect();
        let sort = self.place_sort(&place);
        let rvalue = match op {
            None => self.rvalue(value, sort)?,
            Some(op) => {
                let old = self.read(place.clone(), target.span);
                let old = self.protect(old, later);
                let right = self.expression(value, None)?;
                let combined = self.combine(ast::BinaryOp::On(op), old, right, span)?;
                Rvalue::Expr(self.coerce(combined, sort)?)
            }
        };
        self.emit(StmtKind::Assign { place: place.clone(), value: rvalue }, span);
        Some(place)
    }
}

/// `1 dimension`, `2 dimensions`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
