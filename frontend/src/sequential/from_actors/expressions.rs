//! Expressions of actors as expressions of the sequential form.
//!
//! Values keep their meaning, and faults stay faults. A read of an undefined scalar goes through a table that has no
//! entry for it, a rebec of the wrong class goes through one that has no entry for rebecs, and a number that does not
//! fit becomes a division by zero. The kind of the fault may differ; its presence never does.

use super::build::{self, and, binary, equal, int, ite, lookup, member, negate, not, or, parameter, read};
use super::layout::{Home, Layout};
use crate::model::{self, Base, ClassId, ExprKind, LocalId, Place, ScalarSetId, UnaryOp, VariableId};
use crate::sequential::{BinaryOp, Expr, ExprKind as Kind, ParameterId};

/// A construct without a counterpart, by its name for people.
pub(super) struct Missing(pub(super) &'static str);

/// The counterpart of a local.
#[derive(Clone)]
pub(super) enum Binding {
    /// A local of the sequential form; the flag is true for a scalar that may be undefined.
    Local(crate::sequential::VariableId, bool),
    /// A value that does not change.
    Value(Expr),
}

/// The meaning of the names of a body.
pub(super) struct Scope {
    /// The running class; `None` in properties.
    pub(super) class: Option<ClassId>,
    /// `sender`
    pub(super) sender: Option<Expr>,
    /// One per local, from its declaration onwards.
    pub(super) locals: Vec<Option<Binding>>,
}

impl Scope {
    /// The scope of properties.
    pub(super) fn of_properties() -> Scope {
        Scope { class: None, sender: None, locals: Vec::new() }
    }
}

/// `self`
pub(super) fn this() -> Expr {
    parameter(ParameterId(0))
}

type Translated = Result<Expr, Missing>;

impl Layout<'_> {
    /// An expression.
    pub(super) fn expression(&mut self, scope: &Scope, expr: &model::Expr) -> Translated {
        let found = self.of_any_size(scope, expr)?;
        if build::is_too_long(&found) {
            return Err(Missing("an expression that becomes this long"));
        }
        Ok(found)
    }

    fn of_any_size(&mut self, scope: &Scope, expr: &model::Expr) -> Translated {
        Ok(match &expr.kind {
            ExprKind::Bool(value) => int(i32::from(*value)),
            ExprKind::Int(value) | ExprKind::Scalar(value) => int(*value),
            ExprKind::Null => member(self.rebec, 0),
            ExprKind::Rebec(rebec) => member(self.rebec, self.member(*rebec)),
            ExprKind::SelfRef => this(),
            ExprKind::Sender => scope.sender.clone().ok_or(Missing("`sender` in a property"))?,
            ExprKind::Feature(feature) => read(self.features[feature.index()], Vec::new()),
            ExprKind::Read(place) => match (self.raw(scope, place)?, expr.sort) {
                ((value, true), model::Sort::Scalar(set)) => lookup(self.defined(set), vec![value]),
                ((value, _), _) => value,
            },
            ExprKind::Unary(op, inner) => {
                let inner = self.expression(scope, inner)?;
                match op {
                    UnaryOp::Not => not(inner),
                    UnaryOp::Negate => negate(inner),
                    UnaryOp::Complement => binary(BinaryOp::Xor, inner, int(-1)),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let truth = left.sort == model::Sort::Bool;
                let (left, right) = (self.expression(scope, left)?, self.expression(scope, right)?);
                if truth { self.truths(*op, left, right) } else { binary(op.on_numbers(), left, right) }
            }
            ExprKind::And(list) => and(self.expressions(scope, list)?),
            ExprKind::Or(list) => or(self.expressions(scope, list)?),
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.expression(scope, condition)?;
                ite(condition, self.expression(scope, then)?, self.expression(scope, otherwise)?)
            }
            ExprKind::Narrow(width, inner) => {
                let inner = self.expression(scope, inner)?;
                let range = width.range();
                let below = binary(BinaryOp::Less, inner.clone(), int(*range.start()));
                let above = binary(BinaryOp::Greater, inner.clone(), int(*range.end()));
                ite(or(vec![below, above]), binary(BinaryOp::Divide, int(1), int(0)), inner)
            }
            ExprKind::Cast(class, inner) => {
                let value = self.expression(scope, inner)?;
                self.of_class(value, inner.sort, *class)
            }
            ExprKind::InstanceOf(class, inner) => {
                let value = self.expression(scope, inner)?;
                lookup(self.is_conforming(*class), vec![value])
            }
            ExprKind::Rotate(value, amount) => {
                let model::Sort::Scalar(set) = expr.sort else { return Err(Missing("this use of `+%`")) };
                let (value, amount) = (self.expression(scope, value)?, self.expression(scope, amount)?);
                self.rotated(set, value, amount)
            }
            ExprKind::SquareRoot(inner) => binary(BinaryOp::Root, self.expression(scope, inner)?, int(2)),
        })
    }

    /// Several expressions.
    pub(super) fn expressions(&mut self, scope: &Scope, list: &[model::Expr]) -> Result<Vec<Expr>, Missing> {
        list.iter().map(|expr| self.expression(scope, expr)).collect()
    }

    /// The element of a place as it is stored, and whether it may be an undefined scalar.
    fn raw(&mut self, scope: &Scope, place: &Place) -> Result<(Expr, bool), Missing> {
        let indices = self.indices(scope, &place.indices)?;
        match place.base {
            Base::Local(id) => Ok(match binding(scope, id)? {
                Binding::Local(local, undefined) => (read(local, indices), undefined),
                Binding::Value(value) => (value, false),
            }),
            Base::Variable(id) => {
                let class = scope.class.ok_or(Missing("a variable of `self` in a property"))?;
                Ok(self.element(class, id, this(), indices))
            }
            Base::Remote(rebec, id) => {
                let owner = member(self.rebec, self.member(rebec));
                Ok(self.element(self.model.class_of(rebec), id, owner, indices))
            }
        }
    }

    fn element(&mut self, class: ClassId, id: VariableId, owner: Expr, indices: Vec<Expr>) -> (Expr, bool) {
        let sort = self.model.class(class).variables[id.index()].sort;
        let indices: Vec<Expr> = [owner].into_iter().chain(indices).collect();
        let home = self.classes[class.index()].as_ref().expect("a class with rebecs").variables[id.index()];
        match home {
            Home::Constant(table) => (lookup(table, indices), false),
            Home::Variable(variable) => (read(variable, indices), matches!(sort, model::Sort::Scalar(_))),
        }
    }

    /// Indices. An undefined scalar needs no table here: it is outside every index sort.
    pub(super) fn indices(&mut self, scope: &Scope, list: &[model::Expr]) -> Result<Vec<Expr>, Missing> {
        let index = |expr: &model::Expr| match &expr.kind {
            ExprKind::Read(place) => self.raw(scope, place).map(|(value, _)| value),
            _ => self.expression(scope, expr),
        };
        list.iter().map(index).collect()
    }

    /// A value of one sort in a place that requires a rebec of a class, or `null`.
    pub(super) fn of_class(&mut self, value: Expr, sort: model::Sort, class: ClassId) -> Expr {
        let given = match sort {
            model::Sort::Rebec(given) => self.conforming_classes(Some(given)),
            _ => self.conforming_classes(None),
        };
        let is_null = matches!(value.kind, Kind::Member(_, 0));
        if is_null || given.iter().all(|&given| self.model.conforms(given, class)) {
            return value;
        }
        let (conforms, nobody) = (self.is_conforming(class), self.nobody());
        ite(lookup(conforms, vec![value.clone()]), value.clone(), lookup(nobody, vec![value]))
    }

    /// A value as it is stored in a place of a sort; the width of integers is checked by the place itself.
    pub(super) fn stored(&mut self, value: Expr, from: model::Sort, to: model::Sort) -> Expr {
        match to {
            model::Sort::Rebec(class) => self.of_class(value, from, class),
            _ => value,
        }
    }

    /// Operators on truth values; both operands are evaluated.
    fn truths(&self, op: model::BinaryOp, left: Expr, right: Expr) -> Expr {
        match op {
            model::BinaryOp::BitAnd if self.is_safe(&right) => and(vec![left, right]),
            model::BinaryOp::BitOr if self.is_safe(&right) => or(vec![left, right]),
            model::BinaryOp::BitAnd => equal(binary(BinaryOp::Multiply, left, right), int(1)),
            model::BinaryOp::BitOr => equal(binary(BinaryOp::Multiply, not(left), not(right)), int(0)),
            model::BinaryOp::Equal => equal(left, right),
            _ => binary(BinaryOp::NotEqual, left, right),
        }
    }

    /// Whether the evaluation of an expression certainly has no fault. `self` and members that stand for rebecs fit the arrays and tables that
    /// they index, but for the table that has no entry for rebecs. Errs towards no.
    pub(super) fn is_safe(&self, expr: &Expr) -> bool {
        let is_plain = |index: &Expr| index == &this() || matches!(index.kind, Kind::Member(..));
        let exists = |expr: &Expr| match &expr.kind {
            Kind::Read(place) => place.indices.iter().all(is_plain),
            Kind::Lookup(table, indices) => !self.is_nobody(*table) && indices.iter().all(is_plain),
            _ => false,
        };
        build::is_safe(expr, &exists)
    }

    fn rotated(&mut self, set: ScalarSetId, value: Expr, amount: Expr) -> Expr {
        let set = self.model.scalar_set(set);
        let size = i32::try_from(set.size()).unwrap_or(i32::MAX);
        // The amount is reduced first, so that the sum stays small.
        let amount = match amount.kind {
            Kind::Int(amount) => int(amount.rem_euclid(size)),
            _ => binary(BinaryOp::Modulo, amount, int(size)),
        };
        if set.low == 0 {
            return binary(BinaryOp::Modulo, binary(BinaryOp::Add, value, amount), int(size));
        }
        let place = binary(BinaryOp::Subtract, value, int(set.low));
        let rotated = binary(BinaryOp::Modulo, binary(BinaryOp::Add, place, amount), int(size));
        binary(BinaryOp::Add, rotated, int(set.low))
    }
}

/// The counterpart of a local.
pub(super) fn binding(scope: &Scope, id: LocalId) -> Result<Binding, Missing> {
    scope.locals.get(id.index()).cloned().flatten().ok_or(Missing("a local before its declaration"))
}
