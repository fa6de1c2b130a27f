//! The choice of a product: what `@feature(condition)` annotates is kept or dropped before names are resolved.
//!
//! A condition is a boolean expression over constants and feature variables. It is evaluated for every choice of the
//! feature variables that have no value (`-D`), at most `2^10` choices. Where all choices agree, what follows is kept
//! or dropped. Where they differ, `@feature(c) s` becomes `if (c) s`; what follows is refused if it is a declaration,
//! because one name may be declared once per choice. Inside a statement that became an `if`, only the choices count for
//! which its condition holds.
//!
//! Soundness: a feature variable is fixed for a run, so that `if (c) s` runs `s` in exactly the products that have it. The
//! names of the condition must mean the same in the body: a condition with a name that the model also declares as
//! something else is not moved there, but requires the choice. A product that is chosen is an ordinary model.
//!
//! Invariant: the result holds no `StmtKind::Feature`, unless an error was reported.
//!
//! Complexity: `2^n` evaluations of a condition and those around it, for `n <= 10` variables without a value.

use rustc_hash::FxHashSet;

use super::LowerOptions;
use super::constants::{self, Constant};
use super::context::Context;
use super::effects::declared_names;
use crate::diagnostics::{Diagnostic, Diagnostics, codes, did_you_mean};
use crate::source::Span;
use crate::syntax::ast::{ClassForm, Expr, ExprKind, Field, MemberKind, Program, Stmt, StmtKind};

/// The greatest number of feature variables over which a condition is decided.
const MAX_OPEN: usize = 10;

/// The products that have what a condition annotates.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Products {
    /// All of them.
    All,
    /// None of them, or the condition is reported as wrong.
    None,
    /// Some of them, or unknown: the feature variables of the conditions.
    Some(Vec<String>),
}

mutants::mutants! {
    /// The known-wrong variants of a choice.
    pub(super) struct Wrong {
        /// The first choice of the open variables decides a condition.
        one_choice_decides,
        /// A condition is moved into a body where its names mean something else.
        names_are_captured,
        /// Declarations of some products stand in all of them.
        some_is_all,
    }
}

/// The tree of the chosen product; `None` when an error was reported.
pub(super) fn choose(program: &Program, options: &LowerOptions, diagnostics: &mut Diagnostics) -> Option<Program> {
    choose_with(program, options, Wrong::default(), diagnostics)
}

fn choose_with(
    program: &Program,
    options: &LowerOptions,
    wrong: Wrong,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    let before = diagnostics.errors;
    let mut context = Context::new(program, diagnostics);
    constants::declare(&mut context, options);
    if context.diagnostics.errors > before {
        return None;
    }
    let mut product = program.clone();
    let others = Program { environment: Vec::new(), features: Vec::new(), ..program.clone() };
    let mut chooser = Chooser { context, declared: declared_names(&others), path: Vec::new(), wrong };
    chooser.program(&mut product);
    assert!(chooser.path.is_empty(), "the path ends with its statements");
    product.is_annotated = false;
    (chooser.context.diagnostics.errors == before).then_some(product)
}

struct Chooser<'a, 'd> {
    /// The constants and feature variables.
    context: Context<'a, 'd>,
    /// Every name that is declared as something else.
    declared: FxHashSet<String>,
    /// The conditions of the statements around the current one that became an `if`.
    path: Vec<Expr>,
    wrong: Wrong,
}

impl<'a> Chooser<'a, '_> {
    fn program(&mut self, program: &mut Program) {
        program.classes.retain(|class| {
            let what = if class.form == ClassForm::Interface { "interface" } else { "class" };
            self.keeps(&class.conditions, what)
        });
        for class in &mut program.classes {
            class.known.retain(|field| self.keeps_field(field, "known rebec"));
            class.variables.retain(|field| self.keeps_field(field, "state variable"));
            class.members.retain(|member| {
                let what = match member.kind {
                    MemberKind::Constructor => "constructor",
                    MemberKind::Server => "message server",
                    MemberKind::Method(_) => "method",
                };
                self.keeps(&member.conditions, what)
            });
            for statement in class.members.iter_mut().flat_map(|member| &mut member.body).flatten() {
                self.statement(statement);
            }
        }
        if let Some(instances) = &mut program.main {
            instances.retain(|instance| self.keeps(&instance.conditions, "rebec"));
        }
    }

    fn keeps_field(&mut self, field: &Field, what: &str) -> bool {
        self.keeps(&field.conditions, what)
    }

    /// Whether a declaration is kept; reports that the product must be chosen.
    fn keeps(&mut self, conditions: &[Expr], what: &str) -> bool {
        if conditions.is_empty() {
            return true;
        }
        let products = self.products(conditions);
        if let Products::Some(open) = &products {
            self.refuse(conditions, what, open);
        }
        products != Products::None
    }

    fn refuse(&mut self, conditions: &[Expr], what: &str, open: &[String]) {
        let span = conditions[0].span.to(conditions[conditions.len() - 1].span);
        let names = open.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let plural = if open.len() == 1 { "" } else { "s" };
        let message = format!("this {what} depends on the feature variable{plural} {names}");
        let choices = open.iter().map(|name| format!("-D {name}=true")).collect::<Vec<_>>().join(" ");
        let diagnostic = Diagnostic::error(codes::FEATURE_DECLARATION, span, message);
        self.context.report(diagnostic.help(format!("choose a product: {choices}")));
    }

    fn statement(&mut self, statement: &mut Stmt) {
        match &mut statement.kind {
            StmtKind::Feature(..) => self.annotated(statement),
            StmtKind::If(_, then, otherwise) => {
                self.statement(then);
                otherwise.iter_mut().for_each(|otherwise| self.statement(otherwise));
            }
            StmtKind::While(_, body)
            | StmtKind::DoWhile(body, _)
            | StmtKind::ForEach(_, body)
            | StmtKind::For { body, .. } => self.statement(body),
            StmtKind::Switch(_, arms) => {
                arms.iter_mut().flat_map(|arm| &mut arm.body).for_each(|statement| self.statement(statement));
            }
            StmtKind::Block(block) => block.iter_mut().for_each(|statement| self.statement(statement)),
            StmtKind::Local(_)
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Empty => {}
        }
    }

    /// Replaces `@feature(c) .. s` by `s`, by `if (c) .. s`, or by nothing.
    fn annotated(&mut self, statement: &mut Stmt) {
        let span = statement.span;
        let mut conditions = Vec::new();
        let mut inner = std::mem::replace(statement, Stmt { kind: StmtKind::Empty, span });
        while let StmtKind::Feature(condition, body) = inner.kind {
            conditions.push(condition);
            inner = *body;
        }
        match self.products(&conditions) {
            Products::None => return,
            Products::All => self.statement(&mut inner),
            Products::Some(open) => {
                let shadowed = conditions.iter().flat_map(names).any(|(name, _)| self.declared.contains(name))
                    && !self.wrong.names_are_captured();
                if shadowed || matches!(inner.kind, StmtKind::Local(_)) {
                    let what = if shadowed { "statement" } else { "declaration" };
                    return self.refuse(&conditions, what, &open);
                }
                let outer = self.path.len();
                self.path.extend(conditions.iter().cloned());
                self.statement(&mut inner);
                self.path.truncate(outer);
                let kept = if self.wrong.some_is_all() { Vec::new() } else { conditions };
                for condition in kept.into_iter().rev() {
                    inner = Stmt { kind: StmtKind::If(condition, Box::new(inner), None), span };
                }
            }
        }
        *statement = inner;
    }

    /// The products in which all conditions hold, among those in which the path holds.
    fn products(&mut self, conditions: &[Expr]) -> Products {
        let path = std::mem::take(&mut self.path);
        let products = match (self.open_variables(conditions), self.open_variables(&path)) {
            (Some(own), Some(mut open)) => {
                open.extend(own.iter().filter(|name| !open.contains(name)).copied().collect::<Vec<_>>());
                match self.agreement(&path, conditions, &open) {
                    Some(true) => Products::All,
                    Some(false) => Products::None,
                    None => Products::Some(own.into_iter().map(str::to_owned).collect()),
                }
            }
            _ => Products::None,
        };
        self.path = path;
        products
    }

    /// The value that conditions have for every choice of the variables `open` for which the path holds; `None` where
    /// choices differ or are too many.
    fn agreement(&mut self, path: &[Expr], conditions: &[Expr], open: &[&'a str]) -> Option<bool> {
        if open.len() > MAX_OPEN {
            return None;
        }
        let mut agreed = None;
        let mut differs = false;
        for choice in 0..1u32 << open.len() {
            limits::work(16);
            let values = open.iter().enumerate().map(|(bit, &name)| (name, Constant::Bool((choice >> bit) & 1 == 1)));
            self.context.constants.extend(values);
            let holds = self.all_hold(path).and_then(|on_path| Ok((on_path, self.all_hold(conditions)?)));
            match holds {
                Ok((true, value)) => differs |= *agreed.get_or_insert(value) != value,
                Ok((false, _)) => {}
                Err(fault) => {
                    self.context.report(*fault);
                    (agreed, differs) = (Some(false), false);
                    break;
                }
            }
        }
        for name in open {
            self.context.constants.remove(name);
        }
        if differs && !self.wrong.one_choice_decides() { None } else { Some(agreed.unwrap_or(false)) }
    }

    fn all_hold(&self, conditions: &[Expr]) -> Result<bool, Box<Diagnostic>> {
        let mut all = true;
        for condition in conditions {
            match constants::compute(&self.context, condition)? {
                Constant::Bool(value) => all &= value,
                Constant::Int(_) => {
                    let message = "a condition over feature variables is a boolean";
                    return Err(Box::new(Diagnostic::error(codes::TYPE_MISMATCH, condition.span, message)));
                }
            }
        }
        Ok(all)
    }

    /// The feature variables without a value that conditions name; `None` when a name is unknown, which is reported.
    fn open_variables(&mut self, conditions: &[Expr]) -> Option<Vec<&'a str>> {
        let mut open = Vec::new();
        for (name, span) in conditions.iter().flat_map(names) {
            let is_constant = self.context.constants.contains_key(name) || self.context.tables.contains_key(name);
            match self.context.features.get_key_value(name).map(|(&key, _)| key) {
                Some(key) if !open.contains(&key) => open.push(key),
                None if !is_constant => {
                    let known = self.context.features.keys().chain(self.context.constants.keys()).copied();
                    let help = did_you_mean(name, known);
                    let message = format!("`{name}` is neither a feature variable nor a constant");
                    return self.context.reject(Diagnostic::error(codes::NOT_CONSTANT, span, message).help_opt(help));
                }
                _ => {}
            }
        }
        Some(open)
    }
}

/// The names in a condition, with their places. Other expressions than these have no constant value.
fn names(condition: &Expr) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    let mut pending = vec![condition];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Name(name) => found.push((name.as_str(), expr.span)),
            ExprKind::Unary(_, operand) => pending.push(operand),
            ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => pending.extend([&**right, &**left]),
            ExprKind::And(list) | ExprKind::Or(list) => pending.extend(list.iter().rev()),
            ExprKind::Ternary(condition, then, otherwise) => {
                pending.extend([&**otherwise, &**then, &**condition]);
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
