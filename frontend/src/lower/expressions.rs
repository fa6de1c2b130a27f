//! Expressions: typed and pure. Choices, calls, creations and assignments inside them become statements before them.
//!
//! The evaluation order is Java's, left to right. An operand whose value a later effect could change is stored in a
//! temporary ([`Builder::protect`]). Operands of `&&`, `||` and `?:` with effects move under an `if`.

use super::body::Builder;
use super::constants::{Constant, too_large};
use super::effects::{Effect, effect};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::model::{Base, ClassId, Expr, ExprKind, Place, Rvalue, Sort, StmtKind, UnaryOp, Width};
use crate::source::Span;
use crate::syntax::ast;

/// The sort of integer expressions.
pub(super) const INT: Sort = Sort::Int(Width::Int);

impl Builder<'_, '_, '_> {
    /// Lowers an expression; `wanted` guides choices of scalars and of rebecs, and is not checked here.
    pub(super) fn expression(&mut self, expr: &ast::Expr, wanted: Option<Sort>) -> Option<Expr> {
        let span = expr.span;
        let simple = |kind, sort| Some(Expr { kind, sort, span });
        match &expr.kind {
            ast::ExprKind::Int(value) => match i32::try_from(*value) {
                Ok(value) => simple(ExprKind::Int(value), INT),
                Err(_) => self.reject(*too_large(*value, span)),
            },
            ast::ExprKind::Bool(value) => simple(ExprKind::Bool(*value), Sort::Bool),
            ast::ExprKind::Null => simple(ExprKind::Null, Sort::AnyRebec),
            ast::ExprKind::Text(_) => self.refuse(codes::TEXT_VALUE, span, "a text is not a value"),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Index(..) | ast::ExprKind::Field(..) => {
                let place = self.place(expr)?;
                Some(self.read(place, span))
            }
            ast::ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::And(list) => self.short_circuit(list, true, span),
            ast::ExprKind::Or(list) => self.short_circuit(list, false, span),
            ast::ExprKind::Ternary(condition, a, b) => self.ternary(condition, a, b, wanted, span),
            ast::ExprKind::Cast(ty, inner) => self.cast(ty, inner, span),
            ast::ExprKind::InstanceOf(inner, class) => self.instance_of(inner, class, span),
            ast::ExprKind::Choose(_) | ast::ExprKind::New { .. } => self.hoisted(expr, wanted, span),
            ast::ExprKind::Call { target, name, arguments } => {
                self.call_value(expr, target.as_deref(), name, arguments)
            }
            ast::ExprKind::Assign(op, target, value) => {
                let place = self.assignment(*op, target, value, span)?;
                Some(self.read(place, span))
            }
            ast::ExprKind::Step { up, prefix, operand } => self.step(*up, *prefix, operand, span),
            ast::ExprKind::Temporal1(..) | ast::ExprKind::Temporal2(..) => {
                self.refuse(codes::BAD_OPERAND, span, "temporal operators belong into property files")
            }
        }
    }

    /// Lowers an expression and checks that it fits `wanted`; rebecs of unknown class get a checked cast.
    pub(super) fn expression_of(&mut self, expr: &ast::Expr, wanted: Sort) -> Option<Expr> {
        let lowered = self.expression(expr, Some(wanted))?;
        self.coerce(lowered, wanted)
    }

    /// Lowers a condition.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let lowered = self.expression(expr, Some(Sort::Bool))?;
        if lowered.sort == Sort::Bool {
            return Some(lowered);
        }
        let message = format!("a condition of type `{}`", self.sort_name(lowered.sort));
        let help = (lowered.sort == INT).then(|| "compare it: `.. != 0`".to_owned());
        self.reject(Diagnostic::error(codes::NOT_A_CONDITION, expr.span, message).help_opt(help))
    }

    /// Checks that an expression fits a sort.
    pub(super) fn coerce(&mut self, expr: Expr, wanted: Sort) -> Option<Expr> {
        match (expr.sort, wanted) {
            (Sort::Int(_), Sort::Int(_)) => return Some(expr),
            (given, wanted) if given == wanted => return Some(expr),
            (Sort::AnyRebec, Sort::Rebec(class)) => {
                if expr.kind == ExprKind::Null {
                    return Some(expr);
                }
                let span = expr.span;
                return Some(Expr { kind: ExprKind::Cast(class, Box::new(expr)), sort: wanted, span });
            }
            (Sort::Rebec(_), Sort::AnyRebec) => return Some(expr),
            (Sort::Rebec(given), Sort::Rebec(class)) if self.model().conforms(given, class) => return Some(expr),
            (Sort::Rebec(given), Sort::Rebec(class)) if self.related(given, class) => {
                let name = self.model().class(class).name.clone();
                let message = format!("a rebec of `{}` may not be a `{name}`", self.model().class(given).name);
                let help = format!("cast it: `({name}) ..`");
                return self.reject(Diagnostic::error(codes::NEEDS_CAST, expr.span, message).help(help));
            }
            (_, Sort::Scalar(set)) if expr.sort == INT => {
                let set = self.model().scalar_set(set);
                let message = format!("a number is not a scalar of `{}`", set.name);
                let all: Vec<String> = (set.low..=set.high).take(4).map(|value| value.to_string()).collect();
                let dots = if set.size() > 4 { ", .." } else { "" };
                let help = format!("choose over the whole set: `?({}{dots})`", all.join(", "));
                return self.reject(Diagnostic::error(codes::SCALAR_CONSTANT, expr.span, message).help(help));
            }
            (Sort::Scalar(_), _) => {
                let message = format!("a {} is compared and indexed only", self.sort_name(expr.sort));
                return self.refuse(codes::SCALAR_RESTRICTION, expr.span, message);
            }
            _ => {}
        }
        let message = format!("`{}` is given, `{}` is expected", self.sort_name(expr.sort), self.sort_name(wanted));
        self.refuse(codes::TYPE_MISMATCH, expr.span, message)
    }

    /// Whether a rebec may be of both classes: one conforms to the other, or one is an interface.
    pub(super) fn related(&self, a: ClassId, b: ClassId) -> bool {
        let model = self.model();
        let is_interface = |class: ClassId| model.class(class).kind == crate::model::ClassKind::Interface;
        model.conforms(a, b) || model.conforms(b, a) || is_interface(a) || is_interface(b)
    }

    /// Reads a place.
    pub(super) fn read(&self, place: Place, span: Span) -> Expr {
        let sort = super::body::value_sort(self.place_sort(&place));
        Expr { kind: ExprKind::Read(place), sort, span }
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Expr> {
        if self.local(name).is_some() || self.variable(name).is_some() || self.context.tables.contains_key(name) {
            let place = self.named_place(name, &[], span)?;
            return Some(self.read(place, span));
        }
        if let Some(&constant) = self.context.constants.get(name) {
            return Some(match constant {
                Constant::Bool(value) => Expr { kind: ExprKind::Bool(value), sort: Sort::Bool, span },
                Constant::Int(value) => Expr { kind: ExprKind::Int(value), sort: INT, span },
            });
        }
        if let Some(&feature) = self.context.features.get(name) {
            return Some(Expr { kind: ExprKind::Feature(feature), sort: Sort::Bool, span });
        }
        match name {
            "self" => Some(Expr { kind: ExprKind::SelfRef, sort: Sort::Rebec(self.class), span }),
            "sender" => Some(Expr { kind: ExprKind::Sender, sort: Sort::AnyRebec, span }),
            "super" => self.refuse(codes::NO_SUPER, span, "`super` is not supported"),
            _ => self.unknown_name(name, span),
        }
    }

    /// Lowers operands left to right, and protects early ones from later effects.
    pub(super) fn operand_list(&mut self, list: &[(&ast::Expr, Option<Sort>)]) -> Option<Vec<Expr>> {
        let mut lowered = Vec::with_capacity(list.len());
        let mut failed = false;
        for (index, &(expr, wanted)) in list.iter().enumerate() {
            let later = list[index + 1..].iter().map(|(expr, _)| effect(expr)).max().unwrap_or(Effect::None);
            match self.expression(expr, wanted) {
                Some(value) => lowered.push(self.protect(value, later)),
                None => failed = true,
            }
        }
        debug_assert!(failed || lowered.len() == list.len(), "an operand for each expression");
        (!failed).then_some(lowered)
    }

    fn short_circuit(&mut self, list: &[ast::Expr], is_and: bool, span: Span) -> Option<Expr> {
        let first_effect =
            list.iter().skip(1).position(|operand| effect(operand) > Effect::None).map(|index| index + 1);
        let pure = &list[..first_effect.unwrap_or(list.len())];
        let mut operands = Vec::with_capacity(pure.len());
        for operand in pure {
            operands.push(self.condition(operand));
        }
        let head = operands.into_iter().collect::<Option<Vec<Expr>>>().map(|list| connect(list, is_and, span));
        let Some(split) = first_effect else { return head };
        debug_assert!(0 < split && split < list.len(), "operands stand before the first effect, and behind it");
        // head; if (head) head = rest   (for ||: if (!head))
        let (id, read) = self.temporary("condition", Sort::Bool, Some(Rvalue::Expr(head?)), span);
        let condition = if is_and { read.clone() } else { negate(read.clone()) };
        let mut complete = true;
        let then = self.block(|builder| {
            let rest = if list.len() - split == 1 {
                builder.condition(&list[split])
            } else {
                builder.short_circuit(&list[split..], is_and, span)
            };
            match rest {
                Some(rest) => builder.assign_local(id, Rvalue::Expr(rest), span),
                None => complete = false,
            }
        });
        self.emit(StmtKind::If { condition, then, otherwise: Vec::new() }, span);
        complete.then_some(read)
    }

    fn ternary(
        &mut self,
        condition: &ast::Expr,
        a: &ast::Expr,
        b: &ast::Expr,
        wanted: Option<Sort>,
        span: Span,
    ) -> Option<Expr> {
        let condition = self.condition(condition);
        if effect(a).max(effect(b)) == Effect::None {
            let (a, b) = (self.expression(a, wanted), self.expression(b, wanted));
            let (condition, a, b) = (condition?, a?, b?);
            let sort = self.common_sort(&[&a, &b], wanted, span)?;
            let kind = ExprKind::Ite(Box::new(condition), Box::new(a), Box::new(b));
            return Some(Expr { kind, sort, span });
        }
        let condition = condition?;
        let mut branch = |expr: &ast::Expr| {
            let mut value = None;
            let block = self.block(|builder| value = builder.expression(expr, wanted));
            (block, value)
        };
        let ((mut then, a), (mut otherwise, b)) = (branch(a), branch(b));
        let (a, b) = (a?, b?);
        let sort = self.common_sort(&[&a, &b], wanted, span)?;
        let (id, read) = self.declared_temporary("value", sort, span)?;
        let place = super::body::local_place(id, span);
        let assign = |value: Expr| crate::model::Stmt {
            kind: StmtKind::Assign { place: place.clone(), value: Rvalue::Expr(value) },
            span,
        };
        then.push(assign(self.coerce(a, sort)?));
        otherwise.push(assign(self.coerce(b, sort)?));
        self.emit(StmtKind::If { condition, then, otherwise }, span);
        Some(read)
    }

    /// A temporary without a value. Refuses the sort of `sender`, because no variable has it.
    pub(super) fn declared_temporary(
        &mut self,
        base: &str,
        sort: Sort,
        span: Span,
    ) -> Option<(crate::model::LocalId, Expr)> {
        if sort == Sort::AnyRebec {
            return self.refuse(codes::MIXED_CHOICE, span, "the class of this rebec is not known; cast the options");
        }
        Some(self.temporary(base, sort, None, span))
    }

    /// The sort that all options share.
    pub(super) fn common_sort(&mut self, options: &[&Expr], wanted: Option<Sort>, span: Span) -> Option<Sort> {
        let sorts: Vec<Sort> =
            options.iter().filter(|option| option.kind != ExprKind::Null).map(|option| option.sort).collect();
        let rebecs = sorts.iter().all(|sort| matches!(sort, Sort::Rebec(_) | Sort::AnyRebec));
        if sorts.len() < options.len() && !rebecs {
            return self.refuse(codes::MIXED_CHOICE, span, "`null` stands among values that are no rebecs");
        }
        match (sorts.split_first(), wanted) {
            (None, Some(wanted @ Sort::Rebec(_))) => Some(wanted),
            (None, _) => Some(Sort::AnyRebec),
            (Some((&first, rest)), _) if rest.iter().all(|&sort| sort == first) => Some(first),
            (_, Some(wanted @ Sort::Rebec(_))) if rebecs => Some(wanted),
            _ if rebecs => Some(self.common_class(&sorts)),
            _ => self.refuse(codes::MIXED_CHOICE, span, "the options are of different types"),
        }
    }

    /// The least class that all rebec sorts conform to, if one declared first conforms to every other common one.
    fn common_class(&self, sorts: &[Sort]) -> Sort {
        let model = self.model();
        let mut common: Option<Vec<ClassId>> = None;
        for sort in sorts {
            let Sort::Rebec(class) = *sort else { return Sort::AnyRebec };
            let ancestors = &model.class(class).ancestors;
            common = Some(match common {
                None => ancestors.clone(),
                Some(list) => list.into_iter().filter(|class| ancestors.contains(class)).collect(),
            });
        }
        let common = common.unwrap_or_default();
        let least = common.iter().find(|&&class| common.iter().all(|&other| model.conforms(class, other)));
        least.map_or(Sort::AnyRebec, |&class| Sort::Rebec(class))
    }

    fn cast(&mut self, ty: &ast::Name, inner: &ast::Expr, span: Span) -> Option<Expr> {
        let width = match ty.text.as_str() {
            "byte" => Some(Width::Byte),
            "short" => Some(Width::Short),
            "int" => Some(Width::Int),
            "boolean" => return self.expression_of(inner, Sort::Bool),
            _ => None,
        };
        if let Some(width) = width {
            let value = self.expression_of(inner, INT)?;
            if width == Width::Int {
                return Some(Expr { span, ..value });
            }
            return Some(Expr { kind: ExprKind::Narrow(width, Box::new(value)), sort: INT, span });
        }
        let class = self.class_named(ty)?;
        let value = self.expression(inner, Some(Sort::Rebec(class)))?;
        match value.sort {
            Sort::AnyRebec => {}
            Sort::Rebec(given) if self.related(given, class) => {}
            sort => {
                let message = format!("`{}` is never a `{}`", self.sort_name(sort), ty.text);
                return self.refuse(codes::TYPE_MISMATCH, span, message);
            }
        }
        Some(Expr { kind: ExprKind::Cast(class, Box::new(value)), sort: Sort::Rebec(class), span })
    }

    /// The class of a name.
    pub(super) fn class_named(&mut self, name: &ast::Name) -> Option<ClassId> {
        if let Some(&class) = self.context.classes.get(name.text.as_str()) {
            return Some(class);
        }
        let help = did_you_mean(&name.text, self.context.classes.keys().copied());
        let message = format!("there is no class `{}`", name.text);
        self.reject(Diagnostic::error(codes::UNKNOWN_CLASS, name.span, message).help_opt(help))
    }

    fn instance_of(&mut self, inner: &ast::Expr, class: &ast::Name, span: Span) -> Option<Expr> {
        let value = self.expression(inner, None);
        let class = self.class_named(class)?;
        let value = value?;
        if !matches!(value.sort, Sort::Rebec(_) | Sort::AnyRebec) {
            let message = format!("`instanceof` takes a rebec, not `{}`", self.sort_name(value.sort));
            return self.refuse(codes::BAD_OPERAND, inner.span, message);
        }
        Some(Expr { kind: ExprKind::InstanceOf(class, Box::new(value)), sort: Sort::Bool, span })
    }

    /// `++` and `--` used for their value.
    fn step(&mut self, up: bool, prefix: bool, operand: &ast::Expr, span: Span) -> Option<Expr> {
        let place = self.assignable_place(operand)?;
        let old = self.read(place.clone(), operand.span);
        let old = if prefix { old } else { self.temporary("value", INT, Some(Rvalue::Expr(old)), span).1 };
        self.emit_step(place.clone(), old.clone(), up, span)?;
        Some(if prefix { self.read(place, span) } else { old })
    }

    /// Emits `place = old + 1` or `place = old - 1`.
    pub(super) fn emit_step(&mut self, place: Place, old: Expr, up: bool, span: Span) -> Option<()> {
        if !matches!(old.sort, Sort::Int(_)) {
            let message =
                format!("`{}` counts integers, not `{}`", if up { "++" } else { "--" }, self.sort_name(old.sort));
            return self.refuse(codes::BAD_OPERAND, span, message);
        }
        let op = if up { crate::model::BinaryOp::Add } else { crate::model::BinaryOp::Subtract };
        let one = Expr { kind: ExprKind::Int(1), sort: INT, span };
        let value = Expr { kind: ExprKind::Binary(op, Box::new(old), Box::new(one)), sort: INT, span };
        self.emit(StmtKind::Assign { place, value: Rvalue::Expr(value) }, span);
        Some(())
    }

    /// Whether an expression is the plain name of the value of a `forEachValueOf`.
    pub(super) fn is_fixed(&self, base: Base) -> bool {
        matches!(base, Base::Local(id) if self.fixed.contains(&id))
    }
}

/// `a && b && ..` or `a || b || ..`, flattened; a single operand stays itself.
pub(super) fn connect(list: Vec<Expr>, is_and: bool, span: Span) -> Expr {
    let mut flat = Vec::with_capacity(list.len());
    for operand in list {
        match operand.kind {
            ExprKind::And(inner) if is_and => flat.extend(inner),
            ExprKind::Or(inner) if !is_and => flat.extend(inner),
            kind => flat.push(Expr { kind, ..operand }),
        }
    }
    if flat.len() == 1 {
        return flat.pop().expect("one operand");
    }
    Expr { kind: if is_and { ExprKind::And(flat) } else { ExprKind::Or(flat) }, sort: Sort::Bool, span }
}

/// `!e`.
pub(super) fn negate(expr: Expr) -> Expr {
    let span = expr.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr)), sort: Sort::Bool, span }
}
