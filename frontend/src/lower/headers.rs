//! Class headers: kinds, hierarchy, queue bounds, and the dialect.

use super::context::Context;
use super::{LowerOptions, MAX_CLASSES, MAX_QUEUE_BOUND, constants};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::model::{Class, ClassId, ClassKind, Dialect};
use crate::syntax::ast::{ClassDecl, ClassForm, MemberKind, Name};

/// Declares all classes with their kinds, parents, ancestors and bounds; decides the dialect.
pub(super) fn declare(context: &mut Context<'_, '_>, options: &LowerOptions) {
    let program = context.program;
    if let Some(decl) = program.classes.get(MAX_CLASSES) {
        let message = format!("{} classes; at most {MAX_CLASSES} are possible", program.classes.len());
        context.error(codes::TOO_MANY_DECLARATIONS, decl.name.span, message);
        return;
    }
    for (index, decl) in program.classes.iter().enumerate() {
        if let Some(&first) = context.classes.get(decl.name.text.as_str()) {
            let first = program.classes[first.index()].name.span;
            let message = format!("the class `{}` is declared twice", decl.name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_CLASS, decl.name.span, message);
            context.report(diagnostic.related(first, "first declared here"));
        } else {
            context.classes.insert(&decl.name.text, ClassId::from_index(index));
        }
        let kind = match decl.form {
            ClassForm::Reactive => ClassKind::Reactive,
            ClassForm::Abstract => ClassKind::Abstract,
            ClassForm::Interface => ClassKind::Interface,
        };
        context.model.classes.push(Class {
            name: decl.name.text.clone(),
            kind,
            parent: None,
            interfaces: Vec::new(),
            ancestors: Vec::new(),
            queue_bound: 0,
            variables: Vec::new(),
            servers: Vec::new(),
            methods: Vec::new(),
            constructor: None,
            span: decl.name.span,
        });
    }
    for (index, decl) in program.classes.iter().enumerate() {
        let id = ClassId::from_index(index);
        parents(context, id, decl);
        context.model.classes[index].queue_bound = queue_bound(context, decl);
    }
    order_classes(context);
    context.model.dialect = dialect(context, options);
    let is_whole = context.order.len() == program.classes.len();
    assert!(is_whole || context.diagnostics.has_errors(), "a class that inherits from no circle has its place");
}

/// Resolves `extends` and `implements`.
fn parents(context: &mut Context<'_, '_>, id: ClassId, decl: &ClassDecl) {
    let is_interface = decl.form == ClassForm::Interface;
    for (position, name) in decl.extends.iter().enumerate() {
        let Some(parent) = resolve_class(context, name) else { continue };
        let parent_is_interface = context.model.class(parent).kind == ClassKind::Interface;
        match (is_interface, parent_is_interface) {
            (true, true) => context.model.classes[id.index()].interfaces.push(parent),
            (false, false) if position == 0 => context.model.classes[id.index()].parent = Some(parent),
            (false, false) => {
                context.error(codes::BAD_PARENT, name.span, "a class extends at most one class");
            }
            (true, false) => {
                let message = format!("an interface cannot extend the class `{}`", name.text);
                context.error(codes::BAD_PARENT, name.span, message);
            }
            (false, true) => {
                let message = format!("`{}` is an interface", name.text);
                let help = format!("write `implements {}`", name.text);
                context.report(Diagnostic::error(codes::BAD_PARENT, name.span, message).help(help));
            }
        }
    }
    for name in &decl.implements {
        let Some(interface) = resolve_class(context, name) else { continue };
        if context.model.class(interface).kind == ClassKind::Interface {
            context.model.classes[id.index()].interfaces.push(interface);
        } else {
            let message = format!("`{}` is a class", name.text);
            let help = format!("write `extends {}`", name.text);
            context.report(Diagnostic::error(codes::BAD_PARENT, name.span, message).help(help));
        }
    }
}

/// The class of a name, or an error.
pub(super) fn resolve_class(context: &mut Context<'_, '_>, name: &Name) -> Option<ClassId> {
    let found = context.classes.get(name.text.as_str()).copied();
    if found.is_none() {
        let help = did_you_mean(&name.text, context.classes.keys().copied());
        let message = format!("there is no class `{}`", name.text);
        context.report(Diagnostic::error(codes::UNKNOWN_CLASS, name.span, message).help_opt(help));
    }
    found
}

fn queue_bound(context: &mut Context<'_, '_>, decl: &ClassDecl) -> u32 {
    let Some(expr) = &decl.queue_bound else {
        if decl.form == ClassForm::Reactive {
            let message = format!("the class `{}` states no queue bound", decl.name.text);
            let help = format!("write `reactiveclass {}(5)`", decl.name.text);
            context.report(Diagnostic::error(codes::BAD_QUEUE_BOUND, decl.name.span, message).help(help));
        }
        return 0;
    };
    let Some(bound) = constants::evaluate_int(context, expr) else { return 0 };
    if (1..=MAX_QUEUE_BOUND).contains(&bound) {
        return bound.unsigned_abs();
    }
    let message = format!("a queue bound of {bound}: from 1 to {MAX_QUEUE_BOUND} are possible");
    context.error(codes::BAD_QUEUE_BOUND, expr.span, message);
    0
}

/// Orders the classes, parents first, and computes the ancestors; reports cycles.
fn order_classes(context: &mut Context<'_, '_>) {
    let count = context.model.classes.len();
    // Repeatedly take every class whose parents are taken: a round per level of the hierarchy.
    let mut taken = vec![false; count];
    loop {
        let ready: Vec<usize> = (0..count)
            .filter(|&index| !taken[index] && supers(context, index).iter().all(|parent| taken[parent.index()]))
            .collect();
        if ready.is_empty() {
            break;
        }
        for index in ready {
            taken[index] = true;
            let mut ancestors = vec![ClassId::from_index(index)];
            for parent in supers(context, index) {
                ancestors.extend(&context.model.class(parent).ancestors);
            }
            ancestors.sort_unstable();
            ancestors.dedup();
            context.model.classes[index].ancestors = ancestors;
            context.order.push(ClassId::from_index(index));
        }
    }
    if let Some(index) = (0..count).find(|&index| !taken[index] && on_circle(context, index)) {
        let class = &context.model.classes[index];
        let message = format!("the class `{}` inherits from itself", class.name);
        context.error(codes::INHERITANCE_CYCLE, class.span, message);
    }
}

fn supers(context: &Context<'_, '_>, index: usize) -> Vec<ClassId> {
    let class = &context.model.classes[index];
    class.parent.iter().chain(&class.interfaces).copied().collect()
}

fn on_circle(context: &Context<'_, '_>, start: usize) -> bool {
    let mut seen = vec![false; context.model.classes.len()];
    let mut open = supers(context, start);
    while let Some(class) = open.pop() {
        if class.index() == start {
            return true;
        }
        if !std::mem::replace(&mut seen[class.index()], true) {
            open.extend(supers(context, class.index()));
        }
    }
    false
}

/// The dialect: the requested one, else by content.
fn dialect(context: &mut Context<'_, '_>, options: &LowerOptions) -> Dialect {
    let members = || context.program.classes.iter().flat_map(|class| &class.members);
    let initial = members()
        .find(|member| matches!(member.kind, MemberKind::Server) && member.name.text == "initial")
        .map(|member| member.name.span);
    let constructor =
        members().find(|member| matches!(member.kind, MemberKind::Constructor)).map(|member| member.name.span);
    match (options.dialect, initial, constructor) {
        (Some(Dialect::Rebeca20) | None, Some(initial), Some(constructor)) => {
            let message = "the model has both `msgsrv initial` and constructors";
            let diagnostic = Diagnostic::error(codes::MIXED_DIALECTS, initial, message);
            let diagnostic = diagnostic.related(constructor, "a constructor stands here");
            context.report(diagnostic.help("use one of them throughout"));
            Dialect::Rebeca20
        }
        (Some(Dialect::Rebeca20), None, Some(constructor)) => {
            let message = "constructors do not exist in Core Rebeca 2.0";
            let diagnostic = Diagnostic::error(codes::MIXED_DIALECTS, constructor, message);
            context.report(diagnostic.help("write `msgsrv initial(..)`"));
            Dialect::Rebeca20
        }
        (Some(Dialect::Rebeca21), Some(initial), _) => {
            let message = "nobody sends `initial` when a rebec is made: the dialect is 2.1 or later";
            context.report(Diagnostic::notice(codes::INITIAL_IS_ORDINARY, initial, message));
            Dialect::Rebeca21
        }
        (Some(dialect), _, _) => dialect,
        (None, Some(_), None) => Dialect::Rebeca20,
        (None, None, _) => Dialect::Rebeca21,
    }
}
