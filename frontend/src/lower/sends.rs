//! Calls, sends, creations and choices: the sources of the effects of expressions.

use super::body::{Builder, local_place};
use super::effects::{Effect, effect};
use super::expressions::INT;
use super::places::count;
use crate::diagnostics::{Diagnostic, codes, did_you_mean, every};
use crate::model::{
    BinaryOp, Block, ClassId, ClassKind, Expr, ExprKind, Local, MethodId, Rvalue, ScalarSetId, ServerId, Sort, Stmt,
    StmtKind,
};
use crate::source::Span;
use crate::syntax::ast;

impl Builder<'_, '_, '_> {
    /// The right side of an assignment to a place of a sort.
    pub(super) fn rvalue(&mut self, expr: &ast::Expr, sort: Sort) -> Option<Rvalue> {
        match &expr.kind {
            ast::ExprKind::Choose(options) => {
                let list = match self.choice(options, Some(sort), expr.span)?.0 {
                    Rvalue::Choose(list) => list,
                    Rvalue::Expr(value) => return self.coerce(value, sort).map(Rvalue::Expr),
                    other => return Some(other),
                };
                every(list.into_iter().map(|option| self.coerce(option, sort))).map(Rvalue::Choose)
            }
            ast::ExprKind::New { .. } => {
                let (value, class) = self.creation(expr)?;
                self.check_created(class, sort, expr.span)?;
                Some(value)
            }
            ast::ExprKind::Call { target, name, arguments } if self.calls_method(target.as_deref(), &name.text) => {
                let (value, result) = self.method_call(name, arguments)?;
                let Some(result) = result else {
                    return self.refuse(codes::NO_VALUE, expr.span, format!("`{}` returns nothing", name.text));
                };
                if self.fits(result, sort) {
                    return Some(value);
                }
                let (_, read) = self.temporary("result", result, Some(value), expr.span);
                self.coerce(read, sort).map(Rvalue::Expr)
            }
            _ => self.expression_of(expr, sort).map(Rvalue::Expr),
        }
    }

    /// Whether a result of one sort may be stored in another without a check at this place.
    fn fits(&self, given: Sort, wanted: Sort) -> bool {
        match (given, wanted) {
            (Sort::Int(_), Sort::Int(_)) => true,
            (Sort::Rebec(given), Sort::Rebec(wanted)) => self.model().conforms(given, wanted),
            _ => given == wanted,
        }
    }

    fn check_created(&mut self, class: ClassId, wanted: Sort, span: Span) -> Option<()> {
        if self.fits(Sort::Rebec(class), wanted) {
            return Some(());
        }
        let given = self.sort_name(Sort::Rebec(class));
        let message = format!("`{given}` is given, `{}` is expected", self.sort_name(wanted));
        self.refuse(codes::TYPE_MISMATCH, span, message)
    }

    /// A choice or creation inside an expression: a temporary holds its value.
    pub(super) fn hoisted(&mut self, expr: &ast::Expr, wanted: Option<Sort>, span: Span) -> Option<Expr> {
        match &expr.kind {
            ast::ExprKind::Choose(options) => {
                let (value, sort) = self.choice(options, wanted, span)?;
                if let Rvalue::Expr(read) = value {
                    return Some(read);
                }
                if sort == Sort::AnyRebec {
                    let message = "the class of this rebec is not known; cast the options";
                    return self.refuse(codes::MIXED_CHOICE, span, message);
                }
                Some(self.temporary("choice", sort, Some(value), span).1)
            }
            _ => {
                let (value, class) = self.creation(expr)?;
                Some(self.temporary("created", Sort::Rebec(class), Some(value), span).1)
            }
        }
    }

    /// `?(a, b, ..)` and the sort that its options share; `hint` decides the meaning of literals and mixed rebecs.
    fn choice(&mut self, options: &[ast::Expr], hint: Option<Sort>, span: Span) -> Option<(Rvalue, Sort)> {
        if let Some(Sort::Scalar(set)) = hint
            && options.iter().any(|option| literal(option).is_some())
        {
            return self.scalar_choice(options, set, span).map(|value| (value, Sort::Scalar(set)));
        }
        if options.iter().all(|option| effect(option) == Effect::None) {
            let lowered = every(options.iter().map(|option| self.expression(option, hint)))?;
            let sort = self.common_sort(&lowered.iter().collect::<Vec<_>>(), hint, span)?;
            return Some((Rvalue::Choose(lowered), sort));
        }
        self.effectful_choice(options, hint, span)
    }

    /// Options with effects: an index is chosen first, then only that option is evaluated, under an `if`.
    fn effectful_choice(&mut self, options: &[ast::Expr], hint: Option<Sort>, span: Span) -> Option<(Rvalue, Sort)> {
        let indices = (0i32..).take(options.len()).map(|value| Expr { kind: ExprKind::Int(value), sort: INT, span });
        let (_, index) = self.temporary("choice", INT, Some(Rvalue::Choose(indices.collect())), span);
        let mut branches: Vec<(Block, Option<Expr>)> = Vec::with_capacity(options.len());
        for option in options {
            let mut value = None;
            let block = self.block(|builder| value = builder.expression(option, hint));
            branches.push((block, value));
        }
        let values: Vec<&Expr> = branches.iter().filter_map(|(_, value)| value.as_ref()).collect();
        if values.len() < branches.len() {
            return None;
        }
        let sort = self.common_sort(&values, hint, span)?;
        let (id, read) = self.declared_temporary("value", sort, span)?;
        let mut chain: Block = Vec::new();
        for (number, (mut block, value)) in branches.into_iter().enumerate().rev() {
            let value = Rvalue::Expr(self.coerce(value?, sort)?);
            block.push(Stmt { kind: StmtKind::Assign { place: local_place(id, span), value }, span });
            if chain.is_empty() {
                chain = block;
                continue;
            }
            let number = i32::try_from(number).expect("options are bounded by the source");
            let number = Expr { kind: ExprKind::Int(number), sort: INT, span };
            let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(index.clone()), Box::new(number));
            let condition = Expr { kind, sort: Sort::Bool, span };
            chain = vec![Stmt { kind: StmtKind::If { condition, then: block, otherwise: chain }, span }];
        }
        self.blocks.last_mut().expect("a block is open").extend(chain);
        Some((Rvalue::Expr(read), sort))
    }

    /// `?(1, 2, .., n)` over a scalar set: all of its values, each once.
    fn scalar_choice(&mut self, options: &[ast::Expr], set: ScalarSetId, span: Span) -> Option<Rvalue> {
        let (low, high, name) = {
            let set = self.model().scalar_set(set);
            (set.low, set.high, set.name.clone())
        };
        let values: Option<Vec<i32>> = options.iter().map(literal).collect();
        let complete = values.clone().is_some_and(|mut values| {
            values.sort_unstable();
            values.into_iter().eq(low..=high)
        });
        if !complete {
            let message = format!("the choice is not over the whole scalar set `{name}`");
            let help = format!("its values are {low} to {high}: name each of them once");
            return self.reject(Diagnostic::error(codes::SCALAR_CONSTANT, span, message).help(help));
        }
        let scalar = |(option, value): (&ast::Expr, i32)| Expr {
            kind: ExprKind::Scalar(value),
            sort: Sort::Scalar(set),
            span: option.span,
        };
        Some(Rvalue::Choose(options.iter().zip(values?).map(scalar).collect()))
    }

    /// The method of a name in the running class, if the class whose text holds the body has it.
    fn method(&self, name: &str) -> Option<MethodId> {
        let declared = self.model().class(self.declaring).methods.iter().any(|method| method.name == name);
        let methods = &self.model().class(self.class).methods;
        methods.iter().position(|method| declared && method.name == name).map(MethodId::from_index)
    }

    /// Whether `f(..)` or `self.f(..)` calls a method of the class.
    fn calls_method(&self, target: Option<&ast::Expr>, name: &str) -> bool {
        let is_server = || self.model().class(self.declaring).server(name).is_some();
        self.method(name).is_some() && target.is_none_or(|target| self.is_self(target) && !is_server())
    }

    /// Whether `m(..)` sends a message to the rebec itself.
    fn is_own_server(&self, name: &ast::Name) -> bool {
        let is_built_in = matches!(name.text.as_str(), "pow" | "sqrt" | "assertion");
        !is_built_in && self.model().class(self.declaring).server(&name.text).is_some()
    }

    fn method_call(&mut self, name: &ast::Name, arguments: &[ast::Expr]) -> Option<(Rvalue, Option<Sort>)> {
        let id = self.method(&name.text)?;
        let method = &self.model().class(self.class).methods[id.index()];
        let (result, parameters) = (method.result, method.body.parameters().to_vec());
        let arguments = self.arguments(&name.text, name.span, arguments, &parameters)?;
        Some((Rvalue::Call { method: id, arguments }, result))
    }

    /// Lowers arguments against parameters.
    fn arguments(
        &mut self,
        what: &str,
        span: Span,
        arguments: &[ast::Expr],
        parameters: &[Local],
    ) -> Option<Vec<Expr>> {
        if arguments.len() != parameters.len() {
            let takes = count(parameters.len(), "argument");
            let message = format!("`{what}` takes {takes}, {} given", arguments.len());
            return self.refuse(codes::ARGUMENT_COUNT, span, message);
        }
        let list: Vec<(&ast::Expr, Option<Sort>)> =
            arguments.iter().zip(parameters).map(|(argument, parameter)| (argument, Some(parameter.sort))).collect();
        let lowered = self.operand_list(&list)?;
        every(lowered.into_iter().zip(parameters).map(|(value, parameter)| self.coerce(value, parameter.sort)))
    }

    /// `new C(known..):(arguments..)`.
    pub(super) fn creation(&mut self, expr: &ast::Expr) -> Option<(Rvalue, ClassId)> {
        let ast::ExprKind::New { class: name, known, arguments } = &expr.kind else { return None };
        let class = self.class_named(name)?;
        if self.model().class(class).kind != ClassKind::Reactive {
            return self.refuse(codes::ABSTRACT_INSTANCE, name.span, format!("`{}` cannot be instantiated", name.text));
        }
        let wanted: Vec<Sort> =
            self.model().class(class).known().flat_map(|variable| vec![variable.sort; variable.len()]).collect();
        if wanted.len() != known.len() {
            let message = format!("`{}` has {}, {} given", name.text, count(wanted.len(), "known rebec"), known.len());
            return self.refuse(codes::KNOWN_COUNT, expr.span, message);
        }
        let parameters = self.model().class(class).creation_parameters(self.model().dialect).to_vec();
        if parameters.len() != arguments.len() {
            let takes = count(parameters.len(), "argument");
            let message = format!("`{}` takes {takes}, {} given", name.text, arguments.len());
            return self.refuse(codes::ARGUMENT_COUNT, expr.span, message);
        }
        let sorts = wanted.into_iter().chain(parameters.iter().map(|parameter| parameter.sort));
        let list: Vec<(&ast::Expr, Option<Sort>)> =
            known.iter().chain(arguments).zip(sorts).map(|(expr, sort)| (expr, Some(sort))).collect();
        let lowered = self.operand_list(&list)?;
        let mut all = every(lowered.into_iter().zip(&list).map(|(value, (_, sort))| self.coerce(value, (*sort)?)))?;
        let arguments = all.split_off(known.len());
        debug_assert_eq!(arguments.len(), parameters.len(), "a new rebec takes every argument");
        self.context.model.creatable.push(class);
        Some((Rvalue::New { class, known: all, arguments }, class))
    }

    /// A call used for its value.
    pub(super) fn call_value(
        &mut self,
        expr: &ast::Expr,
        target: Option<&ast::Expr>,
        name: &ast::Name,
        arguments: &[ast::Expr],
    ) -> Option<Expr> {
        let calls_method = self.calls_method(target, &name.text);
        if (target.is_some() || self.is_own_server(name)) && !calls_method {
            let message = format!("sending `{}` has no value: messages are asynchronous", name.text);
            let help = "let the receiver answer by a message";
            return self.reject(Diagnostic::error(codes::NO_VALUE, expr.span, message).help(help));
        }
        if calls_method {
            let (value, result) = self.method_call(name, arguments)?;
            let Some(result) = result else {
                return self.refuse(codes::NO_VALUE, expr.span, format!("`{}` returns nothing", name.text));
            };
            return Some(self.temporary("result", result, Some(value), expr.span).1);
        }
        match name.text.as_str() {
            "pow" | "sqrt" => self.built_in(name, arguments, expr.span),
            "assertion" => self.refuse(codes::NO_VALUE, expr.span, "`assertion` has no value"),
            _ => self.unknown_method(name),
        }
    }

    fn built_in(&mut self, name: &ast::Name, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let wanted = if name.text == "pow" { 2 } else { 1 };
        if arguments.len() != wanted {
            let message = format!("`{}` takes {}, {} given", name.text, count(wanted, "argument"), arguments.len());
            return self.refuse(codes::ARGUMENT_COUNT, span, message);
        }
        let list: Vec<(&ast::Expr, Option<Sort>)> = arguments.iter().map(|argument| (argument, Some(INT))).collect();
        let lowered = self.operand_list(&list)?;
        let mut operands = every(lowered.into_iter().map(|value| self.coerce(value, INT)))?.into_iter();
        let first = Box::new(operands.next()?);
        let kind = match operands.next() {
            Some(second) => ExprKind::Binary(BinaryOp::Power, first, Box::new(second)),
            None => ExprKind::SquareRoot(first),
        };
        Some(Expr { kind, sort: INT, span })
    }

    fn unknown_method<T>(&mut self, name: &ast::Name) -> Option<T> {
        let class = self.model().class(self.declaring);
        let help = match name.text.as_str() {
            "super" => return self.refuse(codes::NO_SUPER, name.span, "`super` is not supported"),
            text => {
                let methods = class.methods.iter().map(|method| method.name.as_str());
                did_you_mean(text, methods.chain(["pow", "sqrt", "assertion"]))
            }
        };
        let message = format!("there is no method `{}`", name.text);
        self.reject(Diagnostic::error(codes::UNKNOWN_METHOD, name.span, message).help_opt(help))
    }

    /// A call or send used as a statement.
    pub(super) fn call_statement(
        &mut self,
        target: Option<&ast::Expr>,
        name: &ast::Name,
        arguments: &[ast::Expr],
        span: Span,
    ) {
        if self.calls_method(target, &name.text) {
            if let Some((value, _)) = self.method_call(name, arguments) {
                self.emit(StmtKind::Do(value), span);
            }
        } else if let Some(target) = target {
            if let Some(receiver) = self.expression(target, None) {
                self.send(receiver, name, arguments, span);
            }
        } else if self.is_own_server(name) {
            let receiver = Expr { kind: ExprKind::SelfRef, sort: Sort::Rebec(self.class), span: name.span };
            self.send(receiver, name, arguments, span);
        } else if name.text == "assertion" {
            self.assertion(arguments, span);
        } else if matches!(name.text.as_str(), "pow" | "sqrt") {
            self.error(codes::UNUSED_VALUE, span, "the result is not used");
        } else {
            self.unknown_method::<()>(name);
        }
    }

    fn assertion(&mut self, arguments: &[ast::Expr], span: Span) {
        let (condition, message) = match arguments {
            [condition] => (condition, None),
            [condition, ast::Expr { kind: ast::ExprKind::Text(text), .. }] => (condition, Some(text.clone())),
            [_, other] => {
                self.error(codes::TYPE_MISMATCH, other.span, "the second argument of `assertion` is a text");
                return;
            }
            _ => {
                let message = "`assertion` takes a condition and, if wanted, a text";
                self.error(codes::ARGUMENT_COUNT, span, message);
                return;
            }
        };
        if let Some(condition) = self.condition(condition) {
            self.emit(StmtKind::Assert { condition, message }, span);
        }
    }

    fn send(&mut self, receiver: Expr, name: &ast::Name, arguments: &[ast::Expr], span: Span) {
        let later = arguments.iter().map(effect).max().unwrap_or(Effect::None);
        let at = receiver.span;
        let receiver = self.protect(receiver, later);
        let arguments = match receiver.sort {
            Sort::Rebec(class) => self.typed_arguments(class, name, arguments),
            Sort::AnyRebec => self.untyped_arguments(name, arguments),
            sort => {
                let message = format!("messages are sent to rebecs, not to `{}`", self.sort_name(sort));
                self.refuse(codes::BAD_OPERAND, at, message)
            }
        };
        let Some(arguments) = arguments else { return };
        let targets = self.targets(&name.text, arguments.len());
        self.emit(StmtKind::Send { receiver, message: name.text.clone(), arguments, targets }, span);
    }

    fn targets(&self, message: &str, arity: usize) -> Vec<Option<ServerId>> {
        let takes = |class: &crate::model::Class| {
            class.server(message).filter(|id| class.servers[id.index()].body.parameters().len() == arity)
        };
        self.model().classes.iter().map(takes).collect()
    }

    fn typed_arguments(&mut self, class: ClassId, name: &ast::Name, arguments: &[ast::Expr]) -> Option<Vec<Expr>> {
        let receiver = self.model().class(class);
        let Some(server) = receiver.server(&name.text) else {
            let help = if receiver.methods.iter().any(|method| method.name == name.text) {
                Some(format!(
                    "`{0}` is a method: only its own rebec calls it, by `{0}(..)` or `self.{0}(..)`",
                    name.text
                ))
            } else {
                did_you_mean(&name.text, receiver.servers.iter().map(|server| server.name.as_str()))
            };
            let message = format!("`{}` has no message server `{}`", receiver.name, name.text);
            return self.reject(Diagnostic::error(codes::UNKNOWN_MESSAGE, name.span, message).help_opt(help));
        };
        let parameters = receiver.servers[server.index()].body.parameters().to_vec();
        self.arguments(&name.text, name.span, arguments, &parameters)
    }

    /// Arguments for a receiver of any class: they fit at least one class that takes the message.
    fn untyped_arguments(&mut self, name: &ast::Name, arguments: &[ast::Expr]) -> Option<Vec<Expr>> {
        let model = self.model();
        let takers: Vec<Vec<Local>> = model
            .classes
            .iter()
            .filter_map(|class| class.server(&name.text).map(|id| class.servers[id.index()].body.parameters().to_vec()))
            .collect();
        if takers.is_empty() {
            let servers = model.classes.iter().flat_map(|class| &class.servers).map(|server| server.name.as_str());
            let help = did_you_mean(&name.text, servers);
            let message = format!("no class has a message server `{}`", name.text);
            return self.reject(Diagnostic::error(codes::UNKNOWN_MESSAGE, name.span, message).help_opt(help));
        }
        let fitting: Vec<Vec<Local>> =
            takers.iter().filter(|parameters| parameters.len() == arguments.len()).cloned().collect();
        let sorts = |parameters: &[Local]| parameters.iter().map(|local| local.sort).collect::<Vec<Sort>>();
        match fitting.split_first() {
            None => self.arguments(&name.text, name.span, arguments, &takers[0]),
            Some((first, rest)) if rest.iter().all(|other| sorts(other) == sorts(first)) => {
                self.arguments(&name.text, name.span, arguments, first)
            }
            Some((first, _)) => {
                let list: Vec<(&ast::Expr, Option<Sort>)> =
                    arguments.iter().zip(first).map(|(argument, parameter)| (argument, Some(parameter.sort))).collect();
                let lowered = self.operand_list(&list)?;
                let given: Vec<Sort> = lowered.iter().map(|value| value.sort).collect();
                let compatible = |parameters: &Vec<Local>| {
                    given.iter().zip(parameters).all(|(&given, parameter)| self.loosely_fits(given, parameter.sort))
                };
                if fitting.iter().any(compatible) {
                    return Some(lowered);
                }
                let message = format!("no class takes `{}` with arguments of these types", name.text);
                self.refuse(codes::TYPE_MISMATCH, name.span, message)
            }
        }
    }

    fn loosely_fits(&self, given: Sort, wanted: Sort) -> bool {
        match (given, wanted) {
            (Sort::Int(_), Sort::Int(_)) | (Sort::AnyRebec, Sort::Rebec(_)) => true,
            (Sort::Rebec(given), Sort::Rebec(wanted)) => self.related(given, wanted),
            _ => given == wanted,
        }
    }
}

/// The value of an integer literal, with or without a sign.
fn literal(expr: &ast::Expr) -> Option<i32> {
    match &expr.kind {
        ast::ExprKind::Int(value) => i32::try_from(*value).ok(),
        ast::ExprKind::Unary(ast::UnaryOp::Minus, inner) => match inner.kind {
            ast::ExprKind::Int(value) => i64::try_from(value).ok().and_then(|value| i32::try_from(-value).ok()),
            _ => None,
        },
        _ => None,
    }
}
