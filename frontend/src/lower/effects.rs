//! The effects of expressions in addition to their values, and the names that a program declares: two walks over the
//! tree.

use rustc_hash::FxHashSet;

use crate::syntax::ast::{Expr, ExprKind, Program, Stmt, StmtKind};

/// The effect of evaluating an expression, in addition to its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// Branches, but writes nothing.
    Chooses,
    /// May write, send or create.
    Writes,
}

/// The operands of an expression, in the order of evaluation.
pub(super) fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::Null | ExprKind::Name(_) => Vec::new(),
        ExprKind::Field(inner, _)
        | ExprKind::Cast(_, inner)
        | ExprKind::InstanceOf(inner, _)
        | ExprKind::Unary(_, inner)
        | ExprKind::Step { operand: inner, .. }
        | ExprKind::Temporal1(_, inner) => vec![inner],
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Temporal2(_, a, b) => vec![a, b],
        ExprKind::Ternary(a, b, c) => vec![a, b, c],
        ExprKind::And(list) | ExprKind::Or(list) | ExprKind::Choose(list) => list.iter().collect(),
        ExprKind::Call { target, arguments, .. } => target.iter().map(|target| &**target).chain(arguments).collect(),
        ExprKind::New { known, arguments, .. } => known.iter().chain(arguments).collect(),
    }
}

/// The strongest effect of an expression.
pub(super) fn effect(expr: &Expr) -> Effect {
    let own = match &expr.kind {
        ExprKind::Choose(_) => Effect::Chooses,
        ExprKind::Call { target: None, name, .. } if matches!(name.text.as_str(), "pow" | "sqrt") => Effect::None,
        ExprKind::Call { .. } | ExprKind::New { .. } | ExprKind::Assign(..) | ExprKind::Step { .. } => Effect::Writes,
        _ => Effect::None,
    };
    operands(expr).into_iter().map(effect).fold(own, Effect::max)
}

/// The strongest effect before the assignment itself runs. A choice, call or creation that is the whole right side runs
/// as part of the assignment, after the indices of the place.
pub(super) fn effect_before_assignment(value: &Expr) -> Effect {
    match &value.kind {
        ExprKind::Choose(_) | ExprKind::New { .. } | ExprKind::Call { target: None, .. } => {
            operands(value).into_iter().map(effect).fold(Effect::None, Effect::max)
        }
        _ => effect(value),
    }
}

/// Every name that a program declares or uses.
pub(super) fn declared_names(program: &Program) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    let fields = program.environment.iter();
    for class in &program.classes {
        names.insert(class.name.text.clone());
        for field in class.known.iter().chain(&class.variables) {
            for declarator in &field.declarators {
                names.insert(declarator.name.text.clone());
                for group in &declarator.groups {
                    if let crate::syntax::ast::Group::Introduce { name, .. } = group {
                        names.insert(name.text.clone());
                    }
                }
            }
        }
        for member in &class.members {
            names.insert(member.name.text.clone());
            names.extend(member.parameters.iter().map(|parameter| parameter.name.text.clone()));
            for statement in member.body.iter().flatten() {
                statement_names(statement, &mut names);
            }
        }
    }
    names.extend(fields.flat_map(|field| &field.declarators).map(|declarator| declarator.name.text.clone()));
    names.extend(program.features.iter().map(|name| name.text.clone()));
    names
}

fn statement_names(statement: &Stmt, names: &mut FxHashSet<String>) {
    match &statement.kind {
        StmtKind::Local(field) => names.extend(field.declarators.iter().map(|declarator| declarator.name.text.clone())),
        StmtKind::If(_, then, otherwise) => {
            statement_names(then, names);
            if let Some(otherwise) = otherwise {
                statement_names(otherwise, names);
            }
        }
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::ForEach(_, body)
        | StmtKind::Feature(_, body) => {
            statement_names(body, names);
        }
        StmtKind::For { init, body, .. } => {
            init.iter().for_each(|statement| statement_names(statement, names));
            statement_names(body, names);
        }
        StmtKind::Switch(_, arms) => {
            arms.iter().flat_map(|arm| &arm.body).for_each(|statement| statement_names(statement, names));
        }
        StmtKind::Block(block) => block.iter().for_each(|statement| statement_names(statement, names)),
        StmtKind::Expr(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Empty => {}
    }
}
