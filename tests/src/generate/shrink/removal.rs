//! Removal of declarations: rebecs, classes, members, variables, known rebecs, parameters, constants.
//!
//! A part that names a removed declaration is removed too: statements and properties are dropped, arguments and known
//! rebecs cut from their lists.

use super::{drop_properties_about, each_block, each_expr, nth, purge, replace_name};
use crate::generate::spec::{Axis, ClassSpec, Expr, MemberKind, ModelSpec, Node, Sort, Stmt};

pub(super) fn drop_rebec(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let removed_parts = spec.rebecs.get(at)?;
    let mut smaller = spec.clone();
    smaller.rebecs.remove(at);
    let heir = smaller.rebecs.iter().find(|rebec| rebec.class == removed_parts.class).map(|rebec| rebec.name.clone());
    let heir = Expr::atom(Sort::AnyRebec, heir.unwrap_or_else(|| "null".to_owned()));
    replace_name(&mut smaller, &removed_parts.name, &heir);
    drop_properties_about(&mut smaller, &removed_parts.name);
    Some(smaller)
}

pub(super) fn drop_class(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let name = spec.classes.get(at)?.name.clone();
    let mut smaller = spec.clone();
    smaller.classes.remove(at);
    for rebec in spec.rebecs.iter().filter(|rebec| rebec.class == name) {
        smaller.rebecs.retain(|other| other.name != rebec.name);
        replace_name(&mut smaller, &rebec.name, &Expr::atom(Sort::AnyRebec, "null"));
        drop_properties_about(&mut smaller, &rebec.name);
    }
    for class in &mut smaller.classes {
        class.extends = class.extends.take().filter(|parent| *parent != name);
        class.implements = class.implements.take().filter(|interface| *interface != name);
    }
    purge(&mut smaller, &name);
    let sort = Sort::Rebec(name.clone());
    while let Some((class, known)) = position(&smaller, |class| class.known.iter().position(|k| k.class == name)) {
        remove_known(&mut smaller, class, known);
    }
    while let Some((class, at)) = position(&smaller, |class| class.variables.iter().position(|v| v.sort == sort)) {
        remove_variable(&mut smaller, class, at);
    }
    while let Some((class, member, parameter)) = parameter_position(&smaller, |other| *other == sort) {
        remove_parameter(&mut smaller, class, member, parameter);
    }
    Some(smaller)
}

fn position(spec: &ModelSpec, find: impl Fn(&ClassSpec) -> Option<usize>) -> Option<(usize, usize)> {
    spec.classes.iter().enumerate().find_map(|(at, class)| Some((at, find(class)?)))
}

fn parameter_position(spec: &ModelSpec, wanted: impl Fn(&Sort) -> bool) -> Option<(usize, usize, usize)> {
    for (c, class) in spec.classes.iter().enumerate() {
        for (m, member) in class.members.iter().enumerate() {
            if let Some(p) = member.parameters.iter().position(|(_, sort)| wanted(sort)) {
                return Some((c, m, p));
            }
        }
    }
    None
}

pub(super) fn drop_member(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, member) = nth(spec.classes.iter().map(|class| class.members.len()), at)?;
    let mut smaller = spec.clone();
    let removed_parts = smaller.classes[class].members.remove(member);
    let remains = smaller.classes.iter().flat_map(|class| &class.members).any(|other| other.name == removed_parts.name);
    if removed_parts.kind == MemberKind::Start {
        let name = smaller.classes[class].name.clone();
        // Without parameters the rebecs of the class need no arguments either.
        for rebec in &mut smaller.rebecs {
            if rebec.class == name {
                rebec.arguments.clear();
            }
        }
        each_expr(&mut smaller, &mut |expr| {
            if let Node::New(made, _, arguments) = &mut expr.node
                && *made == name
            {
                arguments.clear();
            }
        });
    } else if !remains {
        purge(&mut smaller, &removed_parts.name);
    }
    Some(smaller)
}

pub(super) fn drop_variable(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, variable) = nth(spec.classes.iter().map(|class| class.variables.len()), at)?;
    let mut smaller = spec.clone();
    remove_variable(&mut smaller, class, variable);
    Some(smaller)
}

fn remove_variable(spec: &mut ModelSpec, class: usize, at: usize) {
    let name = spec.classes[class].variables.remove(at).name;
    purge(spec, &name);
}

pub(super) fn drop_known(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, known) = nth(spec.classes.iter().map(|class| class.known.len()), at)?;
    let mut smaller = spec.clone();
    remove_known(&mut smaller, class, known);
    Some(smaller)
}

/// Removes a known rebec with its slots, and a set without a group.
fn remove_known(spec: &mut ModelSpec, class: usize, at: usize) {
    let before = spec.clone();
    let owner = spec.classes[class].clone();
    let known = spec.classes[class].known.remove(at);
    let width = |is_grouped: bool| match &owner.set {
        Some(set) if is_grouped => set.size,
        _ => 1,
    };
    let inside: usize = owner.known[..at].iter().map(|earlier| width(earlier.is_grouped)).sum();
    let cut = |of: &str, slots: &mut Vec<Expr>| {
        let line = before.lineage(of);
        let Some(level) = line.iter().position(|ancestor| ancestor.name == owner.name) else { return };
        let inherited: usize = if level == 0 { 0 } else { before.slots(&line[level - 1].name).len() };
        let from = (inherited + inside).min(slots.len());
        let to = (from + width(known.is_grouped)).min(slots.len());
        slots.drain(from..to);
    };
    for rebec in &mut spec.rebecs {
        cut(&rebec.class, &mut rebec.known);
    }
    each_expr(spec, &mut |expr| {
        if let Node::New(made, known, _) = &mut expr.node {
            cut(made, known);
        }
    });
    purge(spec, &known.name);
    if !spec.classes[class].known.iter().any(|known| known.is_grouped) {
        remove_set(spec, class);
    }
}

pub(super) fn drop_set(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, set) = nth(spec.classes.iter().map(|class| class.set.as_ref().map_or(0, |set| set.size)), at)?;
    let mut smaller = spec.clone();
    let size = smaller.classes[class].set.as_ref().map_or(0, |set| set.size);
    if set == 0 || size <= 1 || smaller.classes[class].known.iter().filter(|known| known.is_grouped).count() != 1 {
        return Some(smaller);
    }
    // One value less: the last element of the group is removed from every list of known rebecs.
    let name = smaller.classes[class].name.clone();
    let group = smaller.classes[class].known.iter().position(|known| known.is_grouped).unwrap_or(0);
    let cut = |of: &str, slots: &mut Vec<Expr>| {
        if of == name && group + size <= slots.len() {
            slots.remove(group + size - 1);
        }
    };
    for rebec in &mut smaller.rebecs {
        cut(&rebec.class, &mut rebec.known);
    }
    each_expr(&mut smaller, &mut |expr| {
        if let Node::New(made, known, _) = &mut expr.node {
            cut(made, known);
        }
        if let Node::Choose(options) = &mut expr.node
            && matches!(expr.sort, Sort::Scalar(_))
            && options.len() == size
        {
            options.pop();
        }
    });
    if let Some(set) = &mut smaller.classes[class].set {
        set.size -= 1;
    }
    Some(smaller)
}

fn remove_set(spec: &mut ModelSpec, class: usize) {
    let Some(set) = spec.classes[class].set.take() else { return };
    let over = |axes: &[Axis], sort: &Sort| {
        axes.contains(&Axis::Set(set.name.clone())) || *sort == Sort::Scalar(set.name.clone())
    };
    while let Some((class, at)) =
        position(spec, |class| class.variables.iter().position(|variable| over(&variable.axes, &variable.sort)))
    {
        remove_variable(spec, class, at);
    }
    purge(spec, &set.name);
}

pub(super) fn drop_parameter(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let members = spec.classes.iter().flat_map(|class| &class.members);
    let (index, parameter) = nth(members.map(|member| member.parameters.len()), at)?;
    let (class, member) = nth(spec.classes.iter().map(|class| class.members.len()), index)?;
    let mut smaller = spec.clone();
    remove_parameter(&mut smaller, class, member, parameter);
    Some(smaller)
}

fn remove_parameter(spec: &mut ModelSpec, class: usize, member: usize, at: usize) {
    let removed = spec.classes[class].members[member].clone();
    let class_name = spec.classes[class].name.clone();
    let is_start = removed.kind == MemberKind::Start;
    let mut removed_parts = Vec::new();
    for (index, other) in spec.classes.iter_mut().enumerate() {
        for same in &mut other.members {
            let matches =
                if is_start { same.kind == MemberKind::Start && index == class } else { same.name == removed.name };
            if matches && at < same.parameters.len() {
                removed_parts.push(same.parameters.remove(at).0);
            }
        }
    }
    let cut = |arguments: &mut Vec<Expr>| {
        if at < arguments.len() {
            arguments.remove(at);
        }
    };
    for rebec in spec.rebecs.iter_mut().filter(|rebec| is_start && rebec.class == class_name) {
        cut(&mut rebec.arguments);
    }
    each_expr(spec, &mut |expr| match &mut expr.node {
        Node::New(made, _, arguments) if is_start && *made == class_name => cut(arguments),
        Node::Call(name, arguments) if *name == removed.name => cut(arguments),
        _ => {}
    });
    each_block(spec, &mut |block| {
        for stmt in block {
            if let Stmt::Send(_, message, arguments) = stmt
                && *message == removed.name
            {
                cut(arguments);
            }
        }
    });
    for name in removed_parts {
        purge(spec, &name);
    }
}

pub(super) fn drop_constant(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let mut smaller = spec.clone();
    if at < spec.environment.len() {
        let (name, value) = smaller.environment.remove(at);
        replace_name(&mut smaller, &name, &Expr::int(value));
    } else if at - spec.environment.len() < spec.features.len() {
        let name = smaller.features.remove(at - spec.environment.len());
        replace_name(&mut smaller, &name, &Expr::bool(true));
    } else {
        return None;
    }
    Some(smaller)
}
