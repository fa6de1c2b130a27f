//! Rules 8, 13 to 17 and 19 to 23: statements.

use super::super::{
    Arm, Base, Block, Body, Class, ClassId, ClassKind, Expr, ExprKind, LocalId, Place, Role, Rvalue, ServerId, Sort,
    Stmt, StmtKind, Width,
};
use super::expressions::{Scope, agree};
use super::{Verifier, distinct, rule};
use crate::source::Span;

/// A body with the context of its statements.
struct Context<'a> {
    scope: Scope<'a>,
    /// The sort of the value that `return` gives.
    result: Option<Sort>,
    /// The locals declared so far, in scope or not.
    declared: Vec<bool>,
    /// The locals of the running `forEachValueOf` statements.
    fixed: Vec<LocalId>,
    loops: usize,
    /// Loops and `switch` statements.
    breakable: usize,
}

impl Verifier<'_> {
    pub(super) fn bodies(&mut self) {
        let model = self.model;
        for (index, class) in model.classes.iter().enumerate() {
            let id = ClassId::from_index(index);
            for server in &class.servers {
                self.enter(format!("server `{}` of `{}`", server.name, class.name));
                self.body(id, class, &server.body, None);
            }
            for method in &class.methods {
                self.enter(format!("method `{}` of `{}`", method.name, class.name));
                self.body(id, class, &method.body, method.result);
            }
            if let Some(constructor) = &class.constructor {
                self.enter(format!("the constructor of `{}`", class.name));
                self.body(id, class, &constructor.body, None);
            }
        }
        self.enter("the creatable classes");
        let exact = self.made.iter().eq(&model.creatable);
        self.check(exact, rule::CREATABLE, Span::NONE);
    }

    fn body(&mut self, id: ClassId, class: &Class, body: &Body, result: Option<Sort>) {
        let scope = Scope::new(id, class, body);
        let declared = vec![false; body.locals.len()];
        let mut context = Context { scope, result, declared, fixed: Vec::new(), loops: 0, breakable: 0 };
        self.block(&mut context, &body.block);
        let is_left = context.loops == 0 && context.breakable == 0 && context.fixed.is_empty();
        assert!(is_left, "every loop that was entered is left");
    }

    fn block(&mut self, context: &mut Context<'_>, block: &Block) {
        let mut opened = Vec::new();
        for stmt in block {
            self.statement(context, stmt);
            if let StmtKind::Let { local, .. } = stmt.kind
                && let Some(visible) = context.scope.visible.get_mut(local.index())
            {
                *visible = true;
                opened.push(local);
            }
        }
        for local in opened {
            context.scope.visible[local.index()] = false;
        }
    }

    fn statement(&mut self, context: &mut Context<'_>, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Let { local, value } => self.declaration(context, *local, value.as_ref(), span),
            StmtKind::Assign { place, value } => self.assignment(context, place, value, span),
            StmtKind::Do(value) => {
                let fits = matches!(value, Rvalue::Call { .. } | Rvalue::New { .. });
                self.check(fits, rule::CALLS, span);
                self.rvalue(context, value, None, span);
            }
            StmtKind::Send { receiver, message, arguments, targets } => {
                self.rebec(Some(&context.scope), receiver);
                arguments.iter().for_each(|argument| self.expr(Some(&context.scope), argument));
                self.targets(receiver, message, arguments, targets, span);
            }
            StmtKind::Assert { condition, .. } => self.expr_of(Some(&context.scope), condition, Sort::Bool),
            StmtKind::If { condition, then, otherwise } => {
                self.expr_of(Some(&context.scope), condition, Sort::Bool);
                self.block(context, then);
                self.block(context, otherwise);
            }
            StmtKind::Loop { condition, body, update } => {
                self.expr_of(Some(&context.scope), condition, Sort::Bool);
                self.inside(context, 1, body);
                let plain = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign { value: Rvalue::Expr(_), .. });
                self.check(update.iter().all(plain), rule::UPDATES, span);
                self.block(context, update);
            }
            StmtKind::ForEach { set, local, body } => {
                if self.check(self.has_set(*set), rule::IDS, span) && self.declares(context, *local, span) {
                    let declared = &context.scope.body.locals[local.index()];
                    let fits = declared.sort == Sort::Scalar(*set) && declared.dimensions.is_empty();
                    self.check(fits, rule::STORED, span);
                    context.scope.visible[local.index()] = true;
                    context.fixed.push(*local);
                    self.inside(context, 1, body);
                    context.fixed.pop();
                    context.scope.visible[local.index()] = false;
                }
            }
            StmtKind::Switch { value, arms } => {
                self.expr_of(Some(&context.scope), value, Sort::Int(Width::Int));
                self.arms(context, arms, span);
            }
            StmtKind::Block(block) => self.block(context, block),
            StmtKind::Break => {
                self.check(context.breakable > 0, rule::LEAVING, span);
            }
            StmtKind::Continue => {
                self.check(context.loops > 0, rule::LEAVING, span);
            }
            StmtKind::Return(value) => self.result(context, value.as_ref(), span),
        }
    }

    /// The body of a loop (`loops` is 1) or an arm (0).
    fn inside(&mut self, context: &mut Context<'_>, loops: usize, block: &Block) {
        context.loops += loops;
        context.breakable += 1;
        self.block(context, block);
        context.breakable -= 1;
        context.loops -= loops;
    }

    fn arms(&mut self, context: &mut Context<'_>, arms: &[Arm], span: Span) {
        let labels = distinct(arms.iter().flat_map(|arm| &arm.labels));
        let defaults = arms.iter().filter(|arm| arm.is_default).count();
        self.check(labels && defaults <= 1, rule::LABELS, span);
        for arm in arms {
            self.inside(context, 0, &arm.block);
        }
    }

    fn result(&mut self, context: &Context<'_>, value: Option<&Expr>, span: Span) {
        let fits = match (value, context.result) {
            (None, None) => true,
            (Some(value), Some(sort)) => agree(value.sort, sort),
            _ => false,
        };
        self.check(fits, rule::RETURNS, span);
        if let Some(value) = value {
            self.expr(Some(&context.scope), value);
        }
    }

    /// Whether the local may be declared here.
    fn declares(&mut self, context: &mut Context<'_>, local: LocalId, span: Span) -> bool {
        let Some(declared) = context.declared.get_mut(local.index()) else {
            return self.check(false, rule::IDS, span);
        };
        let first = !std::mem::replace(declared, true) && !context.scope.is_parameter(local);
        self.check(first, rule::LOCALS, span)
    }

    fn declaration(&mut self, context: &mut Context<'_>, local: LocalId, value: Option<&Rvalue>, span: Span) {
        if self.declares(context, local, span)
            && let Some(value) = value
        {
            let declared = &context.scope.body.locals[local.index()];
            self.check(declared.dimensions.is_empty(), rule::LOCALS, span);
            self.rvalue(context, value, Some(declared.sort), span);
        }
    }

    fn assignment(&mut self, context: &Context<'_>, place: &Place, value: &Rvalue, span: Span) {
        let sort = self.place(Some(&context.scope), place);
        let assignable = match place.base {
            Base::Variable(id) => {
                context.scope.class.variables.get(id.index()).is_none_or(|variable| variable.role == Role::State)
            }
            Base::Local(id) => !context.fixed.contains(&id),
            Base::Remote(..) => false,
        };
        self.check(assignable, rule::ASSIGNED, span);
        if let Some(sort) = sort {
            self.rvalue(context, value, Some(sort), span);
        }
    }

    /// Checks a value that is stored in something of the sort, or dropped.
    fn rvalue(&mut self, context: &Context<'_>, value: &Rvalue, target: Option<Sort>, span: Span) {
        let stored = |sort: Sort| target.is_none_or(|target| agree(sort, target));
        match value {
            Rvalue::Expr(expr) => {
                self.expr(Some(&context.scope), expr);
                self.check(stored(expr.sort), rule::STORED, span);
            }
            Rvalue::Choose(options) => {
                self.options(context, options, span);
                self.check(options.iter().all(|option| stored(option.sort)), rule::STORED, span);
            }
            Rvalue::Call { method, arguments } => {
                let Some(method) = context.scope.class.methods.get(method.index()) else {
                    self.check(false, rule::IDS, span);
                    return;
                };
                let used = match (target, method.result) {
                    (None, _) => true,
                    (Some(target), Some(result)) => agree(result, target),
                    (Some(_), None) => false,
                };
                self.check(used, rule::CALLS, span);
                let parameters = method.body.parameters().iter().map(|parameter| parameter.sort);
                self.operands(context, arguments, parameters, span);
            }
            Rvalue::New { class: id, known, arguments } => {
                if !self.check(self.has_class(*id), rule::IDS, span) {
                    return;
                }
                self.made.insert(*id);
                let class = self.model.class(*id);
                self.check(class.kind == ClassKind::Reactive, rule::CALLS, span);
                self.check(stored(Sort::Rebec(*id)), rule::STORED, span);
                let slots = class.known().flat_map(|variable| variable.initial.iter().map(|_| variable.sort));
                self.operands(context, known, slots, span);
                let parameters = class.creation_parameters(self.model.dialect).iter();
                self.operands(context, arguments, parameters.map(|parameter| parameter.sort), span);
            }
        }
    }

    /// Checks the values bound to parameters or known rebecs.
    fn operands(&mut self, context: &Context<'_>, exprs: &[Expr], sorts: impl Iterator<Item = Sort>, span: Span) {
        let sorts: Vec<Sort> = sorts.collect();
        exprs.iter().for_each(|expr| self.expr(Some(&context.scope), expr));
        let fits = exprs.len() == sorts.len() && exprs.iter().zip(sorts).all(|(expr, sort)| agree(expr.sort, sort));
        self.check(fits, rule::CALLS, span);
    }

    /// Checks the options of a choice: literals of a scalar set must be all of its values.
    fn options(&mut self, context: &Context<'_>, options: &[Expr], span: Span) {
        self.check(!options.is_empty(), rule::CHOICES, span);
        let mut literals = Vec::new();
        for option in options {
            match option.kind {
                ExprKind::Scalar(value) => literals.extend(self.literal(option, value).map(|set| (set, value))),
                _ => self.expr(Some(&context.scope), option),
            }
        }
        if let Some(&(set, _)) = literals.first() {
            let whole = distinct(&literals) && literals.len() == self.model.scalar_set(set).size() as usize;
            self.check(whole && literals.len() == options.len(), rule::CHOICES, span);
        }
    }

    fn targets(
        &mut self,
        receiver: &Expr,
        message: &str,
        arguments: &[Expr],
        targets: &[Option<ServerId>],
        span: Span,
    ) {
        let parameters = |class: &'_ Class, server: ServerId| -> Vec<Sort> {
            class.servers[server.index()].body.parameters().iter().map(|parameter| parameter.sort).collect()
        };
        let classes = &self.model.classes;
        let wanted = classes
            .iter()
            .map(|class| class.server(message).filter(|&server| parameters(class, server).len() == arguments.len()));
        if !self.check(wanted.eq(targets.iter().copied()), rule::TARGETS, span) {
            return;
        }
        if let Sort::Rebec(id) = receiver.sort
            && self.has_class(id)
        {
            let class = self.model.class(id);
            let understands = targets[id.index()].is_some_and(|server| {
                arguments.iter().zip(parameters(class, server)).all(|(argument, sort)| agree(argument.sort, sort))
            });
            self.check(understands, rule::TARGETS, span);
        }
    }
}
