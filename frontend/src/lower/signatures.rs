//! Signatures of message servers, methods and constructors, with inheritance flattened: a class's table starts as its
//! parent's; own members replace inherited ones in place or are appended.

use super::classes::{resolve_sort, warn_predefined};
use super::context::Context;
use crate::diagnostics::{Diagnostic, codes};
use crate::model::{Body, ClassId, ClassKind, Constructor, Dialect, Local, Method, Server, Sort};
use crate::source::Span;
use crate::syntax::ast::{Member, MemberKind, Parameter};

/// Declares the members of every class, bodies still empty.
pub(super) fn declare(context: &mut Context<'_, '_>) {
    for class in context.order.clone() {
        inherit(context, class);
        let decl = &context.program.classes[class.index()];
        for member in &decl.members {
            check_body(context, class, member);
            match &member.kind {
                MemberKind::Constructor => declare_constructor(context, class, member),
                MemberKind::Server => declare_server(context, class, member),
                MemberKind::Method(ty) => {
                    let result = match ty {
                        None => None,
                        Some(ty) if ty.dimensions.is_empty() => match resolve_sort(context, class, &ty.name) {
                            Some(sort) => Some(sort),
                            None => continue,
                        },
                        Some(ty) => {
                            context.error(codes::TYPE_MISMATCH, ty.span, "a method returns a single value");
                            continue;
                        }
                    };
                    declare_method(context, class, member, result);
                }
            }
        }
        inherit_interfaces(context, class);
        finish(context, class);
    }
}

fn inherit(context: &mut Context<'_, '_>, class: ClassId) {
    let Some(parent) = context.model.class(class).parent else { return };
    let mut before = context.order.iter().take_while(|&&other| other != class);
    debug_assert!(before.any(|&other| other == parent), "a class inherits members that are declared already");
    let (from, to) = (parent.index(), class.index());
    context.model.classes[to].servers = context.model.classes[from].servers.clone();
    context.model.classes[to].methods = context.model.classes[from].methods.clone();
    context.model.classes[to].constructor = context.model.classes[from].constructor.clone();
    context.server_members[to] = context.server_members[from].clone();
    context.method_members[to] = context.method_members[from].clone();
    context.constructor_members[to] = context.constructor_members[from];
}

/// Adds the servers and methods of the interfaces that a class names, as abstract members where the class has none.
fn inherit_interfaces(context: &mut Context<'_, '_>, class: ClassId) {
    for interface in context.model.class(class).interfaces.clone() {
        for server in context.model.class(interface).servers.clone() {
            let own = context.model.class(class).servers.iter().find(|own| own.name == server.name);
            match own {
                Some(own) if same_parameters(&own.body, &server.body) => {}
                Some(own) => {
                    let (span, name) = (own.span, own.name.clone());
                    mismatch(context, span, &name, server.span);
                }
                None => {
                    context.model.classes[class.index()].servers.push(server);
                    context.server_members[class.index()].push(None);
                }
            }
        }
        for method in context.model.class(interface).methods.clone() {
            let own = context.model.class(class).methods.iter().find(|own| own.name == method.name);
            match own {
                Some(own) if same_parameters(&own.body, &method.body) && own.result == method.result => {}
                Some(own) => {
                    let (span, name) = (own.span, own.name.clone());
                    mismatch(context, span, &name, method.span);
                }
                None => {
                    context.model.classes[class.index()].methods.push(method);
                    context.method_members[class.index()].push(None);
                }
            }
        }
    }
}

fn mismatch(context: &mut Context<'_, '_>, span: Span, name: &str, inherited: Span) {
    let message = format!("`{name}` differs from the member that it replaces");
    let diagnostic = Diagnostic::error(codes::OVERRIDE_MISMATCH, span, message);
    context.report(diagnostic.related(inherited, "replaces this one"));
}

/// A reactive class implements everything; with dialect 2.0 it has an `initial`.
fn finish(context: &mut Context<'_, '_>, class: ClassId) {
    let this = context.model.class(class);
    if this.kind != ClassKind::Reactive {
        return;
    }
    // A member that the class itself declares without a body is reported there.
    let servers = this.servers.iter().filter(|server| server.is_abstract && server.declared_in != class);
    let servers = servers.map(|server| (&server.name, server.span));
    let methods = this.methods.iter().filter(|method| method.is_abstract && method.declared_in != class);
    let methods = methods.map(|method| (&method.name, method.span));
    let missing: Vec<(String, Span)> = servers.chain(methods).map(|(name, span)| (name.clone(), span)).collect();
    let (name, span) = (this.name.clone(), this.span);
    for (member, declared) in missing {
        let message = format!("the class `{name}` does not implement `{member}`");
        let diagnostic = Diagnostic::error(codes::NOT_IMPLEMENTED, span, message);
        context.report(diagnostic.related(declared, "declared here"));
    }
    if context.model.dialect == Dialect::Rebeca20 && context.model.class(class).server("initial").is_none() {
        let body = Body { locals: Vec::new(), parameters: 0, block: Vec::new() };
        let server =
            Server { name: "initial".to_owned(), body, is_abstract: false, declared_in: class, span: Span::NONE };
        context.model.classes[class.index()].servers.push(server);
        context.server_members[class.index()].push(None);
    }
}

fn check_body(context: &mut Context<'_, '_>, class: ClassId, member: &Member) {
    let kind = context.model.class(class).kind;
    let constructor = matches!(member.kind, MemberKind::Constructor);
    let problem = match (kind, member.is_abstract, member.body.is_some()) {
        (ClassKind::Interface, _, true) => Some("members of an interface have no body"),
        (ClassKind::Interface, _, false) if constructor => Some("an interface has no constructor"),
        (ClassKind::Interface, _, false) | (ClassKind::Abstract, true, false) if !constructor => None,
        (_, true, true) => Some("an abstract member has no body"),
        (ClassKind::Reactive, true, false) => Some("abstract members are legal in abstract classes only"),
        (_, _, false) => Some("this member lacks a body"),
        (_, false, true) => None,
    };
    if let Some(problem) = problem {
        context.error(codes::MISPLACED_BODY, member.name.span, problem);
    }
}

fn parameters(context: &mut Context<'_, '_>, class: ClassId, list: &[Parameter]) -> Option<Body> {
    let mut locals: Vec<Local> = Vec::new();
    let mut complete = true;
    for parameter in list {
        if !parameter.ty.dimensions.is_empty() {
            context.error(codes::TYPE_MISMATCH, parameter.ty.span, "a parameter is a single value, not an array");
            complete = false;
            continue;
        }
        let sort = resolve_sort(context, class, &parameter.ty.name).unwrap_or(Sort::AnyRebec);
        if let Some(first) = locals.iter().find(|local| local.name == parameter.name.text) {
            let message = format!("the parameter `{}` is declared twice", parameter.name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_LOCAL, parameter.name.span, message);
            let diagnostic = diagnostic.related(first.span, "first declared here");
            context.report(diagnostic);
        }
        warn_predefined(context, &parameter.name);
        locals.push(Local {
            name: parameter.name.text.clone(),
            sort,
            dimensions: Vec::new(),
            offset: u32::try_from(locals.len()).expect("bounded by the source"),
            len: 1,
            span: parameter.name.span,
        });
    }
    let parameters = u32::try_from(locals.len()).expect("bounded by the source");
    complete.then_some(Body { locals, parameters, block: Vec::new() })
}

fn same_parameters(a: &Body, b: &Body) -> bool {
    let sorts = |body: &Body| body.parameters().iter().map(|local| local.sort).collect::<Vec<Sort>>();
    sorts(a) == sorts(b)
}

fn duplicate(context: &mut Context<'_, '_>, member: &Member, first: Span) {
    let message = format!("`{}` is declared twice", member.name.text);
    let diagnostic = Diagnostic::error(codes::DUPLICATE_MEMBER, member.name.span, message);
    context.report(diagnostic.related(first, "first declared here"));
}

fn declare_constructor<'a>(context: &mut Context<'a, '_>, class: ClassId, member: &'a Member) {
    let own = context.model.class(class).constructor.as_ref();
    if let Some(first) = own.filter(|own| own.declared_in == class).map(|own| own.span) {
        let message = format!("the class `{}` has more than one constructor", member.name.text);
        let diagnostic = Diagnostic::error(codes::SEVERAL_CONSTRUCTORS, member.name.span, message);
        context.report(diagnostic.related(first, "first constructor"));
        return;
    }
    let Some(body) = parameters(context, class, &member.parameters) else { return };
    let constructor = Constructor { body, declared_in: class, span: member.name.span };
    context.model.classes[class.index()].constructor = Some(constructor);
    context.constructor_members[class.index()] = Some(member);
}

fn declare_server<'a>(context: &mut Context<'a, '_>, class: ClassId, member: &'a Member) {
    let name = &member.name;
    let Some(body) = parameters(context, class, &member.parameters) else { return };
    if let Some(method) = context.model.class(class).methods.iter().find(|method| method.name == name.text) {
        let first = method.span;
        duplicate(context, member, first);
        return;
    }
    let server = Server {
        name: name.text.clone(),
        body,
        is_abstract: member.body.is_none(),
        declared_in: class,
        span: name.span,
    };
    let tree = Some(member);
    match context.model.class(class).server(&name.text) {
        None => {
            context.model.classes[class.index()].servers.push(server);
            context.server_members[class.index()].push(tree);
        }
        Some(id) => {
            let inherited = &context.model.class(class).servers[id.index()];
            let span = inherited.span;
            if inherited.declared_in == class {
                duplicate(context, member, span);
            } else if name.text != "initial" && !same_parameters(&inherited.body, &server.body) {
                mismatch(context, name.span, &name.text, span);
            }
            context.model.classes[class.index()].servers[id.index()] = server;
            context.server_members[class.index()][id.index()] = tree;
        }
    }
}

fn declare_method<'a>(context: &mut Context<'a, '_>, class: ClassId, member: &'a Member, result: Option<Sort>) {
    let name = &member.name;
    if name.text == "initial" && context.model.dialect == Dialect::Rebeca20 {
        context.error(codes::FIXED_NAME, name.span, "`initial` is a message server, not a method");
        return;
    }
    let Some(body) = parameters(context, class, &member.parameters) else { return };
    if let Some(id) = context.model.class(class).server(&name.text) {
        let first = context.model.class(class).servers[id.index()].span;
        duplicate(context, member, first);
        return;
    }
    let is_abstract = member.body.is_none();
    let method = Method { name: name.text.clone(), result, body, is_abstract, declared_in: class, span: name.span };
    let tree = Some(member);
    match context.model.class(class).methods.iter().position(|own| own.name == name.text) {
        None => {
            context.model.classes[class.index()].methods.push(method);
            context.method_members[class.index()].push(tree);
        }
        Some(index) => {
            let inherited = &context.model.class(class).methods[index];
            let span = inherited.span;
            if inherited.declared_in == class {
                duplicate(context, member, span);
            } else if inherited.result != result || !same_parameters(&inherited.body, &method.body) {
                mismatch(context, name.span, &name.text, span);
            }
            context.model.classes[class.index()].methods[index] = method;
            context.method_members[class.index()][index] = tree;
        }
    }
}
