//! The parts of models of Murphi: rules, and what is inside of their bodies and of the procedures that these call.
//!
//! A loop is a part where it may make no round. What guards, headers, properties and start states call runs elsewhere than in steps, too, and
//! is excluded.

use rustc_hash::FxHashSet;

use super::{Branch, Builder, Context, Mark, Met, Part, PartKind, Parts, Way};
use crate::murphi::program::{
    Binder, BinderValues, Child, Expr, ExprKind, Header, Owner, ProcedureId, Program, Rule, Slots, Stmt, StmtKind,
};

impl Parts {
    /// The parts of a model.
    pub fn of_murphi(program: &Program) -> Parts {
        let part = |rule: &Rule| Part::outer(PartKind::Rule, rule.name.clone(), rule.span);
        let rules = program.rules.iter().map(|rule| Some(part(rule)).filter(|part| !part.span.is_none()));
        let mut builder = Builder::new(rules.collect(), elsewhere(program));
        for (number, rule) in (0..).zip(&program.rules) {
            body(&mut builder, &rule.body, Context::of(number));
        }
        for (number, procedure) in program.procedures.iter().enumerate() {
            body(&mut builder, &procedure.body, Context::body(number));
        }
        builder.finish()
    }
}

/// The marks of what does not run in steps alone.
fn elsewhere(program: &Program) -> FxHashSet<Mark> {
    let mut builder = Builder::default();
    let context = Context::body(program.procedures.len());
    for text in program.texts() {
        headers(&mut builder, text.header, context);
        text.condition.iter().for_each(|condition| child(&mut builder, Child::Expr(condition), context));
        if let Owner::Start(_) = text.owner {
            body(&mut builder, text.body, context);
        }
    }
    let mut open: Vec<usize> = builder.calls.keys().copied().collect();
    let mut seen: FxHashSet<usize> = open.iter().copied().collect();
    while let Some(number) = open.pop() {
        body(&mut builder, &program.procedures[number].body, Context::body(number));
        open.extend(builder.calls.keys().copied().filter(|&called| seen.insert(called)));
    }
    builder.parts.numbers.into_keys().collect()
}

fn headers(builder: &mut Builder, header: &[Header], context: Context) {
    for construct in header {
        match construct {
            Header::For(binder) => bounds(builder, binder, context),
            Header::Alias(binding) => child(builder, binding.child(), context),
            Header::Choose(slots) => child(builder, Child::Place(&slots.multiset), context),
        }
    }
}

fn bounds(builder: &mut Builder, binder: &Binder, context: Context) {
    if let BinderValues::Steps(steps) = &binder.values {
        [&steps.from, &steps.to, &steps.by].into_iter().for_each(|part| child(builder, Child::Expr(part), context));
    }
}

fn child(builder: &mut Builder, part: Child<'_>, context: Context) {
    match part {
        Child::Expr(expr) => expression(builder, expr, context),
        Child::Place(place) => place.indices().for_each(|index| expression(builder, index, context)),
        Child::Body(inner) => body(builder, inner, context),
    }
}

/// The calls of an expression.
fn expression(builder: &mut Builder, expr: &Expr, context: Context) {
    let inner = match &expr.kind {
        ExprKind::Quantified(..) | ExprKind::Count(..) => context.in_rounds(),
        ExprKind::Call(procedure, _) => {
            call(builder, *procedure, context);
            context
        }
        _ => context,
    };
    expr.children().into_iter().for_each(|part| child(builder, part, inner));
}

fn call(builder: &mut Builder, procedure: ProcedureId, context: Context) {
    builder.call(procedure.index(), context);
}

fn body(builder: &mut Builder, body: &[Stmt], context: Context) {
    body.iter().for_each(|stmt| statement(builder, stmt, context));
}

fn statement(builder: &mut Builder, stmt: &Stmt, context: Context) {
    let span = stmt.span;
    let at = |way, name: &str| Branch { span, way, name: name.to_owned() };
    match &stmt.kind {
        StmtKind::If(branches, otherwise) => {
            for (number, one) in (0..).zip(branches) {
                expression(builder, &one.condition, context);
                let name = if number == 0 { "if" } else { "elsif" };
                branch(builder, &one.body, at(Way::Arm(number), name), context);
            }
            branch(builder, otherwise, at(Way::Else, "else"), context);
        }
        StmtKind::Switch(subject, cases, otherwise) => {
            expression(builder, subject, context);
            for (number, case) in (0..).zip(cases) {
                case.values.iter().for_each(|value| expression(builder, value, context));
                branch(builder, &case.body, at(Way::Arm(number), "case"), context);
            }
            branch(builder, otherwise, at(Way::Else, "else"), context);
        }
        StmtKind::For(binder, inner) => {
            bounds(builder, binder, context);
            match &binder.values {
                BinderValues::Type(_) => body(builder, inner, context.in_rounds()),
                BinderValues::Steps(steps) if steps.constant_rounds().is_some_and(|rounds| rounds > 0) => {
                    body(builder, inner, context);
                }
                BinderValues::Steps(_) => branch(builder, inner, at(Way::Round, "loop"), context),
            }
        }
        StmtKind::While(condition, inner) => {
            expression(builder, condition, context);
            branch(builder, inner, at(Way::Round, "loop"), context);
        }
        StmtKind::Assert(condition, _) => {
            let mark = Mark { span, way: Way::Check };
            builder.meet(Met { kind: PartKind::Assertion, name: String::new(), mark, place: span }, context);
            expression(builder, condition, context);
        }
        StmtKind::MultisetRemoveWhere(Slots { multiset, .. }, condition) => {
            child(builder, Child::Place(multiset), context);
            expression(builder, condition, context.in_rounds());
        }
        kind => {
            if let StmtKind::Call(procedure, _) = kind {
                call(builder, *procedure, context);
            }
            stmt.children().into_iter().for_each(|part| child(builder, part, context));
        }
    }
}

/// Statements that control reaches by a way.
fn branch(builder: &mut Builder, inner: &[Stmt], branch: Branch, context: Context) {
    let inside = builder.branch(branch, inner.iter().map(|stmt| stmt.span), context);
    body(builder, inner, inside);
}
