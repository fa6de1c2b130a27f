//! Statements: scopes, loops, `switch`, declarations; conditions with effects are hoisted into the loop.

use super::body::{Builder, Returns};
use super::classes::{array_dimensions, resolve_sort};
use super::constants;
use super::effects::{Effect, effect};
use super::expressions::{INT, negate};
use super::{MAX_ELEMENTS, MAX_VARIABLES};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::model::{Arm, Base, Block, Dimension, Expr, ExprKind, LocalId, Place, Rvalue, Sort, Stmt, StmtKind};
use crate::source::Span;
use crate::syntax::ast;

/// Lowers statements into the current block.
pub(super) fn lower_all(builder: &mut Builder<'_, '_, '_>, statements: &[ast::Stmt]) {
    for statement in statements {
        builder.statement(statement);
    }
}

impl Builder<'_, '_, '_> {
    fn statement(&mut self, statement: &ast::Stmt) {
        limits::work(16);
        let span = statement.span;
        match &statement.kind {
            ast::StmtKind::Local(field) => self.declaration(field),
            ast::StmtKind::Expr(expr) => self.effect_statement(expr, span),
            ast::StmtKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let then = self.block(|builder| builder.flat(then));
                let otherwise = otherwise.as_ref().map(|otherwise| self.block(|builder| builder.flat(otherwise)));
                if let Some(condition) = condition {
                    self.emit(StmtKind::If { condition, then, otherwise: otherwise.unwrap_or_default() }, span);
                }
            }
            ast::StmtKind::While(condition, body) => self.while_loop(Some(condition), body, span),
            ast::StmtKind::DoWhile(body, condition) => self.do_while(body, condition, span),
            ast::StmtKind::For { init, condition, update, body } => {
                if init.is_empty() {
                    self.for_loop(condition.as_ref(), update, body, span);
                } else {
                    let block = self.block(|builder| {
                        lower_all(builder, init);
                        builder.for_loop(condition.as_ref(), update, body, span);
                    });
                    self.emit(StmtKind::Block(block), span);
                }
            }
            ast::StmtKind::ForEach(set, body) => self.for_each(set, body, span),
            ast::StmtKind::Switch(value, arms) => self.switch(value, arms, span),
            ast::StmtKind::Block(statements) => {
                let block = self.block(|builder| lower_all(builder, statements));
                self.emit(StmtKind::Block(block), span);
            }
            ast::StmtKind::Break => self.jump(self.breakables > 0, StmtKind::Break, span),
            ast::StmtKind::Continue => self.jump(self.loops > 0, StmtKind::Continue, span),
            ast::StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            ast::StmtKind::Empty => {}
            ast::StmtKind::Feature(..) => unreachable!("`products` keeps or drops it"),
        }
    }

    /// A statement as the content of an open block: its own braces are dropped.
    fn flat(&mut self, statement: &ast::Stmt) {
        match &statement.kind {
            ast::StmtKind::Block(statements) => lower_all(self, statements),
            _ => self.statement(statement),
        }
    }

    fn jump(&mut self, legal: bool, kind: StmtKind, span: Span) {
        if legal {
            self.emit(kind, span);
        } else {
            let what =
                if kind == StmtKind::Break { "`break` outside loops and `switch`" } else { "`continue` outside loops" };
            self.error(codes::BAD_JUMP, span, what);
        }
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) {
        let value = match (self.returns, value) {
            (Returns::Nothing, None) => None,
            (Returns::Nothing, Some(value)) => {
                self.error(codes::BAD_RETURN, value.span, "nothing is returned here");
                return;
            }
            (Returns::Value(sort), None) => {
                let message = format!("a value of type `{}` is returned here", self.sort_name(sort));
                self.error(codes::BAD_RETURN, span, message);
                return;
            }
            (Returns::Value(sort), Some(value)) => {
                let Some(lowered) = self.expression_of(value, sort) else { return };
                Some(lowered)
            }
        };
        self.emit(StmtKind::Return(value), span);
    }

    fn declaration(&mut self, field: &ast::Field) {
        let sort = resolve_in_body(self, &field.ty.name);
        let array = array_dimensions(self.context, &field.ty);
        for declarator in &field.declarators {
            if let Some(group) = declarator.groups.first() {
                let span = match group {
                    ast::Group::Introduce { span, .. } => *span,
                    ast::Group::Use(expr) => expr.span,
                };
                let message = "brackets behind the name of a local";
                let help = format!("write `int[n] {}`", declarator.name.text);
                self.report(Diagnostic::error(codes::C_STYLE_ARRAY, span, message).help(help));
                continue;
            }
            let (Some(sort), Some(array)) = (sort, &array) else { continue };
            self.declare_local(sort, array, declarator);
        }
    }

    fn declare_local(&mut self, sort: Sort, dimensions: &[Dimension], declarator: &ast::Declarator) {
        let name = &declarator.name;
        if self.locals.len() >= MAX_VARIABLES {
            let message = format!("more than {MAX_VARIABLES} locals in one body");
            self.error(codes::TOO_MANY_DECLARATIONS, name.span, message);
            return;
        }
        let elements: u64 = dimensions.iter().map(|&dimension| u64::from(self.model().extent(dimension))).product();
        let used: u64 = self.locals.iter().map(|local| u64::from(local.len)).sum();
        let Some(len) = u32::try_from(elements).ok().filter(|_| used + elements <= u64::from(MAX_ELEMENTS)) else {
            let message = format!("more than {MAX_ELEMENTS} elements in the locals of one body");
            self.error(codes::TOO_MANY_ELEMENTS, name.span, message);
            return;
        };
        match (&declarator.initialiser, dimensions) {
            (None, _) => {
                self.check_local(name);
                let local = self.add_local(&name.text, sort, dimensions.to_vec(), len, name.span);
                self.emit(StmtKind::Let { local, value: None }, name.span);
            }
            (Some(ast::Initialiser::Expr(expr)), []) => {
                // The value is computed before the local is in scope.
                let value = self.rvalue(expr, sort);
                self.check_local(name);
                let local = self.add_local(&name.text, sort, Vec::new(), 1, name.span);
                if value.is_some() {
                    self.emit(StmtKind::Let { local, value }, name.span.to(expr.span));
                }
            }
            (Some(list), _) => {
                self.check_local(name);
                let local = self.add_local(&name.text, sort, dimensions.to_vec(), len, name.span);
                self.emit(StmtKind::Let { local, value: None }, name.span);
                self.fill_local(local, sort, dimensions, list, &mut Vec::new());
            }
        }
    }

    fn fill_local(
        &mut self,
        local: LocalId,
        sort: Sort,
        dimensions: &[Dimension],
        initialiser: &ast::Initialiser,
        indices: &mut Vec<i32>,
    ) {
        match (initialiser, dimensions) {
            (ast::Initialiser::Expr(expr), []) => {
                debug_assert_eq!(
                    indices.len(),
                    self.locals[local.index()].dimensions.len(),
                    "an index for each dimension"
                );
                let Some(value) = self.rvalue(expr, sort) else { return };
                let span = expr.span;
                let index = |&value: &i32| Expr { kind: ExprKind::Int(value), sort: INT, span };
                let place = Place { base: Base::Local(local), indices: indices.iter().map(index).collect(), span };
                self.emit(StmtKind::Assign { place, value }, span);
            }
            (ast::Initialiser::List(list, _), [dimension, rest @ ..])
                if list.len() == self.model().extent(*dimension) as usize =>
            {
                for (number, item) in (0i32..).zip(list) {
                    indices.push(number);
                    self.fill_local(local, sort, rest, item, indices);
                    indices.pop();
                }
            }
            (ast::Initialiser::List(_, span), _) => {
                self.error(codes::TYPE_MISMATCH, *span, "the list does not fit the dimensions of the array");
            }
            (ast::Initialiser::Expr(expr), _) => {
                self.error(codes::TYPE_MISMATCH, expr.span, "an array is initialised by a list of values");
            }
        }
    }

    fn effect_statement(&mut self, expr: &ast::Expr, span: Span) {
        match &expr.kind {
            ast::ExprKind::Assign(op, target, value) => {
                self.assignment(*op, target, value, span);
            }
            ast::ExprKind::Step { up, operand, .. } => {
                if let Some(place) = self.assignable_place(operand) {
                    let old = self.read(place.clone(), operand.span);
                    self.emit_step(place, old, *up, span);
                }
            }
            ast::ExprKind::Call { target, name, arguments } => {
                self.call_statement(target.as_deref(), name, arguments, span);
            }
            ast::ExprKind::New { .. } => {
                if let Some((value, _)) = self.creation(expr) {
                    self.emit(StmtKind::Do(value), span);
                }
            }
            _ if effect(expr) == Effect::Writes => {
                // Something inside has an effect; the value is dropped.
                self.expression(expr, None);
            }
            _ => {
                self.expression(expr, None);
                self.error(codes::UNUSED_VALUE, span, "this statement has no effect");
            }
        }
    }

    /// Runs `build` inside a loop body.
    fn loop_block(&mut self, build: impl FnOnce(&mut Self)) -> Block {
        self.loops += 1;
        self.breakables += 1;
        let block = self.block(build);
        self.loops -= 1;
        self.breakables -= 1;
        debug_assert!(self.breakables >= self.loops, "every loop may be left");
        block
    }

    fn always(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Bool(true), sort: Sort::Bool, span }
    }

    /// Leaves the loop unless the condition holds; serves conditions with effects, inside the loop.
    fn break_unless(&mut self, condition: &ast::Expr) {
        if let Some(condition) = self.condition(condition) {
            let span = condition.span;
            let then = vec![Stmt { kind: StmtKind::Break, span }];
            self.emit(StmtKind::If { condition: negate(condition), then, otherwise: Vec::new() }, span);
        }
    }

    fn while_loop(&mut self, condition: Option<&ast::Expr>, body: &ast::Stmt, span: Span) {
        let pure = condition.is_none_or(|condition| effect(condition) == Effect::None);
        let head = match condition {
            Some(condition) if pure => self.condition(condition),
            _ => Some(self.always(span)),
        };
        let body = self.loop_block(|builder| {
            if !pure && let Some(condition) = condition {
                builder.break_unless(condition);
            }
            builder.flat(body);
        });
        if let Some(condition) = head {
            self.emit(StmtKind::Loop { condition, body, update: Vec::new() }, span);
        }
    }

    fn for_loop(&mut self, condition: Option<&ast::Expr>, update: &[ast::Expr], body: &ast::Stmt, span: Span) {
        if update.is_empty() {
            return self.while_loop(condition, body, span);
        }
        let pure = condition.is_none_or(|condition| effect(condition) == Effect::None);
        if !pure || !update.iter().all(is_simple_update) {
            return self.general_for(condition, update, body, span);
        }
        let head = match condition {
            Some(condition) => self.condition(condition),
            None => Some(self.always(span)),
        };
        let body = self.loop_block(|builder| builder.flat(body));
        let update = self.block(|builder| {
            for expr in update {
                builder.effect_statement(expr, expr.span);
            }
        });
        if let Some(condition) = head {
            self.emit(StmtKind::Loop { condition, body, update }, span);
        }
    }

    /// `for` with effects in its head: a flag marks the first round, and the update runs at the start of each later
    /// one.
    fn general_for(&mut self, condition: Option<&ast::Expr>, update: &[ast::Expr], body: &ast::Stmt, span: Span) {
        let later = |builder: &mut Self| update.iter().for_each(|expr| builder.effect_statement(expr, expr.span));
        self.flagged_loop(span, later, |builder| {
            if let Some(condition) = condition {
                builder.break_unless(condition);
            }
            builder.flat(body);
        });
    }

    fn do_while(&mut self, body: &ast::Stmt, condition: &ast::Expr, span: Span) {
        self.flagged_loop(span, |builder| builder.break_unless(condition), |builder| builder.flat(body));
    }

    /// A loop with a flag that marks the first round; each later one begins with `later`.
    fn flagged_loop(&mut self, span: Span, later: impl FnOnce(&mut Self), round: impl FnOnce(&mut Self)) {
        let (first, read) = self.temporary("first", Sort::Bool, Some(boolean(true, span)), span);
        let body = self.loop_block(|builder| {
            let then = builder.block(|builder| builder.assign_local(first, boolean(false, span), span));
            let otherwise = builder.block(later);
            builder.emit(StmtKind::If { condition: read, then, otherwise }, span);
            round(builder);
        });
        let condition = self.always(span);
        self.emit(StmtKind::Loop { condition, body, update: Vec::new() }, span);
    }

    fn for_each(&mut self, set: &ast::Name, body: &ast::Stmt, span: Span) {
        let found = super::classes::scalar_set(self.context, self.class, &set.text);
        let Some(id) = found else {
            let sets = &self.context.scalar_sets[self.class.index()];
            let help = did_you_mean(&set.text, sets.iter().map(|(name, _)| name.as_str()));
            let message = format!("there is no scalar set `{}` in this class", set.text);
            self.report(Diagnostic::error(codes::UNKNOWN_SCALAR_SET, set.span, message).help_opt(help));
            return;
        };
        let mut local = None;
        let body = self.loop_block(|builder| {
            builder.check_local(set);
            let id = builder.add_local(&set.text, Sort::Scalar(id), Vec::new(), 1, set.span);
            builder.fixed.push(id);
            local = Some(id);
            builder.flat(body);
        });
        if let Some(local) = local {
            self.emit(StmtKind::ForEach { set: id, local, body }, span);
        }
    }

    fn switch(&mut self, value: &ast::Expr, arms: &[ast::SwitchArm], span: Span) {
        let value = self.expression_of(value, INT);
        self.breakables += 1;
        let mut lowered: Vec<Arm> = Vec::with_capacity(arms.len());
        let mut seen: Vec<Option<i32>> = Vec::new();
        for arm in arms {
            let mut labels = Vec::new();
            let mut is_default = false;
            for (label, span) in &arm.labels {
                let value = match label {
                    None => None,
                    Some(expr) => match constants::evaluate_int(self.context, expr) {
                        Some(value) => Some(value),
                        None => continue,
                    },
                };
                if seen.contains(&value) {
                    self.error(codes::DUPLICATE_LABEL, *span, "this label stands twice");
                    continue;
                }
                seen.push(value);
                match value {
                    Some(value) => labels.push(value),
                    None => is_default = true,
                }
            }
            let block = self.block(|builder| lower_all(builder, &arm.body));
            // An arm without statements falls through: its labels become labels of the next arm.
            match lowered.last_mut() {
                Some(Arm { labels: before, is_default: default_before, block: empty }) if empty.is_empty() => {
                    before.append(&mut labels);
                    *default_before |= is_default;
                    *empty = block;
                }
                _ => lowered.push(Arm { labels, is_default, block }),
            }
        }
        self.breakables -= 1;
        if let Some(value) = value {
            self.emit(StmtKind::Switch { value, arms: lowered }, span);
        }
    }
}

/// The sort of a type name in a body, as visible in the class whose text holds it.
fn resolve_in_body(builder: &mut Builder<'_, '_, '_>, name: &ast::Name) -> Option<Sort> {
    let class = builder.declaring;
    resolve_sort(builder.context, class, name)
}

fn boolean(value: bool, span: Span) -> Rvalue {
    Rvalue::Expr(Expr { kind: ExprKind::Bool(value), sort: Sort::Bool, span })
}

/// Whether an update of `for` is a plain assignment of a pure expression.
fn is_simple_update(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Assign(_, target, value) => effect(target) == Effect::None && effect(value) == Effect::None,
        ast::ExprKind::Step { operand, .. } => effect(operand) == Effect::None,
        _ => false,
    }
}
