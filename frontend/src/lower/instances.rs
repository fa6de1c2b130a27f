//! The rebecs of `main`: classes, known rebecs, arguments.

use rustc_hash::FxHashMap;

use super::classes::constant_value;
use super::constants;
use super::context::Context;
use super::headers::resolve_class;
use super::places::count;
use super::{MAX_ELEMENTS, MAX_REBECS};
use crate::diagnostics::{Diagnostic, codes, did_you_mean, every};
use crate::model::{ClassId, ClassKind, Dimension, Instance, RebecId, Sort, Stmt, StmtKind, Value};
use crate::syntax::ast::{Expr, ExprKind, InstanceDecl};

type Rebecs<'a> = FxHashMap<&'a str, (RebecId, Option<ClassId>)>;

/// Declares the rebecs of `main`.
pub(super) fn declare(context: &mut Context<'_, '_>) {
    let Some(main) = &context.program.main else {
        let span = context.program.classes.last().map_or(crate::source::Span::NONE, |class| class.name.span);
        let message = "the model has no `main`";
        context.report(Diagnostic::error(codes::NO_MAIN, span, message).help("add `main { C name():(); }`"));
        return;
    };
    if main.is_empty() {
        let span = context.program.classes.last().map_or(crate::source::Span::NONE, |class| class.name.span);
        context.error(codes::EMPTY_MAIN, span, "`main` declares no rebec");
        return;
    }
    if main.len() > MAX_REBECS {
        let message = format!("{} rebecs; at most {MAX_REBECS} are possible", main.len());
        context.error(codes::TOO_MANY_REBECS, main[MAX_REBECS].name.span, message);
        return;
    }
    let mut rebecs: Rebecs<'_> = FxHashMap::default();
    let mut classes = Vec::with_capacity(main.len());
    for (index, decl) in main.iter().enumerate() {
        let class = resolve_class(context, &decl.class);
        classes.push(class);
        if let Some(&(first, _)) = rebecs.get(decl.name.text.as_str()) {
            let message = format!("the rebec `{}` is declared twice", decl.name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_REBEC, decl.name.span, message);
            context.report(diagnostic.related(main[first.index()].name.span, "first declared here"));
        } else {
            rebecs.insert(&decl.name.text, (RebecId::from_index(index), class));
        }
    }
    let mut elements = 0;
    for (decl, class) in main.iter().zip(classes) {
        let Some(class) = class else { continue };
        elements += context.model.class(class).elements();
        if elements > MAX_ELEMENTS as usize {
            let message = format!("the rebecs up to `{}` have more than {MAX_ELEMENTS} elements", decl.name.text);
            context.error(codes::STATE_TOO_LARGE, decl.name.span, message);
            return;
        }
        if context.model.class(class).kind != ClassKind::Reactive {
            let message = format!("`{}` cannot be instantiated", decl.class.text);
            context.error(codes::ABSTRACT_INSTANCE, decl.class.span, message);
            continue;
        }
        let known = known_rebecs(context, decl, class, &rebecs);
        let arguments = arguments(context, decl, class, &rebecs);
        if let (Some(known), Some(arguments)) = (known, arguments) {
            let name = decl.name.text.clone();
            context.model.instances.push(Instance { name, class, known, arguments, span: decl.name.span });
        }
    }
}

fn known_rebecs(
    context: &mut Context<'_, '_>,
    decl: &InstanceDecl,
    class: ClassId,
    rebecs: &Rebecs<'_>,
) -> Option<Vec<Option<RebecId>>> {
    let sorts: Vec<(Sort, String)> = context
        .model
        .class(class)
        .known()
        .flat_map(|variable| vec![(variable.sort, variable.name.clone()); variable.len()])
        .collect();
    if sorts.len() != decl.known.len() {
        let wanted = count(sorts.len(), "known rebec");
        let message = format!("`{}` has {wanted}, {} given", decl.class.text, decl.known.len());
        return context.refuse(codes::KNOWN_COUNT, decl.span, message);
    }
    every(decl.known.iter().zip(sorts).map(|(expr, (sort, name))| bind(context, expr, sort, &name, rebecs)))
}

fn bind(
    context: &mut Context<'_, '_>,
    expr: &Expr,
    sort: Sort,
    known: &str,
    rebecs: &Rebecs<'_>,
) -> Option<Option<RebecId>> {
    match &expr.kind {
        ExprKind::Null => Some(None),
        ExprKind::Name(name) => {
            let Some(&(rebec, class)) = rebecs.get(name.as_str()) else {
                let help = did_you_mean(name, rebecs.keys().copied());
                let message = format!("there is no rebec `{name}` in `main`");
                return context.reject(Diagnostic::error(codes::UNKNOWN_REBEC, expr.span, message).help_opt(help));
            };
            let class = class?;
            if let Sort::Rebec(wanted) = sort
                && !context.model.conforms(class, wanted)
            {
                let wanted = &context.model.class(wanted).name;
                let message = format!("`{name}` is a `{}`, `{known}` is a `{wanted}`", context.model.class(class).name);
                return context.refuse(codes::TYPE_MISMATCH, expr.span, message);
            }
            Some(Some(rebec))
        }
        _ if sort == Sort::AnyRebec => None,
        _ => context.refuse(codes::UNKNOWN_REBEC, expr.span, "a rebec of `main`, or `null`, is needed here"),
    }
}

fn arguments(
    context: &mut Context<'_, '_>,
    decl: &InstanceDecl,
    class: ClassId,
    rebecs: &Rebecs<'_>,
) -> Option<Vec<Vec<Value>>> {
    let parameters: Vec<(Sort, String)> = context
        .model
        .class(class)
        .creation_parameters(context.model.dialect)
        .iter()
        .map(|local| (local.sort, local.name.clone()))
        .collect();
    if parameters.len() != decl.arguments.len() {
        let wanted = count(parameters.len(), "argument");
        let message = format!("`{}` takes {wanted}, {} given", decl.class.text, decl.arguments.len());
        return context.refuse(codes::ARGUMENT_COUNT, decl.span, message);
    }
    every(
        decl.arguments.iter().zip(parameters).map(|(expr, (sort, name))| argument(context, expr, sort, &name, rebecs)),
    )
}

/// The possible values of one argument.
fn argument(
    context: &mut Context<'_, '_>,
    expr: &Expr,
    sort: Sort,
    name: &str,
    rebecs: &Rebecs<'_>,
) -> Option<Vec<Value>> {
    let options = match &expr.kind {
        ExprKind::Choose(options) => options.iter().collect(),
        _ => vec![expr],
    };
    let mut values = Vec::with_capacity(options.len());
    for option in options {
        let value = match sort {
            Sort::Rebec(_) | Sort::AnyRebec => {
                bind(context, option, sort, name, rebecs)?.map_or(Value::Null, Value::Rebec)
            }
            Sort::Scalar(_) => Value::Scalar(constants::evaluate_int(context, option)?),
            _ => {
                let constant = constants::evaluate(context, option)?;
                constant_value(context, sort, constant, option.span)?
            }
        };
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if let Sort::Scalar(set) = sort {
        let set = context.model.scalar_set(set);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq((set.low..=set.high).map(Value::Scalar)) {
            let message = format!("the argument names single values of the scalar set `{}`", set.name);
            let help = format!("choose over all of it, {} to {}", set.low, set.high);
            return context.reject(Diagnostic::error(codes::SCALAR_CONSTANT, expr.span, message).help(help));
        }
    }
    Some(values)
}

/// Warns of rebecs that occur twice in a group over which their class iterates.
pub(super) fn warn_aliased_groups(context: &mut Context<'_, '_>) {
    let mut warnings = Vec::new();
    for (index, instance) in context.model.instances.iter().enumerate() {
        let class = context.model.class(instance.class);
        let slots: usize = class.known().map(crate::model::Variable::len).sum();
        assert!(instance.known.len() == slots, "every known rebec is bound");
        let mut start = 0;
        for variable in class.known() {
            let bound = &instance.known[start..start + variable.len()];
            start += variable.len();
            let grouped = variable.dimensions.iter().any(|dimension| match dimension {
                Dimension::Scalar(set) => iterates(class, *set),
                Dimension::Array(_) => false,
            });
            let twice = (1..bound.len()).find(|&at| bound[at].is_some() && bound[..at].contains(&bound[at]));
            if let (true, Some(at)) = (grouped, twice) {
                let span = context.program.main.as_ref().map_or(instance.span, |main| main[index].span);
                let name = bound[at].map_or_else(String::new, |rebec| context.model.rebec_name(rebec));
                let message = format!("`{name}` stands twice in the group `{}`", variable.name);
                warnings.push(Diagnostic::warning(codes::ALIASED_GROUP, span, message));
            }
        }
    }
    for warning in warnings {
        context.report(warning);
    }
}

fn iterates(class: &crate::model::Class, set: crate::model::ScalarSetId) -> bool {
    let servers = class.servers.iter().map(|server| &server.body.block);
    let methods = class.methods.iter().map(|method| &method.body.block);
    let constructor = class.constructor.iter().map(|constructor| &constructor.body.block);
    let mut found = false;
    for block in servers.chain(methods).chain(constructor) {
        let mut is_one = |stmt: &Stmt| matches!(stmt.kind, StmtKind::ForEach { set: own, .. } if own == set);
        found |= block.iter().any(|stmt| stmt.any(&mut is_one));
    }
    found
}
