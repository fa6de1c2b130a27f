//! Makes a failing model small: tries smaller models one by one and keeps each that still fails.
//!
//! Greedy to a fixed point: passes over rebecs, classes, members, variables, statements and expressions, from coarse to
//! fine, until a whole round changes nothing or the tries are used up. What names something that is dropped goes with it,
//! so most candidates stay well-typed; the caller's predicate decides about the others.
//!
//! Complexity: at most `tries` calls of the predicate.

use super::render;
use super::spec::{Axis, Expr, MemberKind, ModelSpec, Node, Sort, Stmt};

/// The smallest model found that still fails; `fails` is told the text of the model and of its property file.
pub fn shrink(
    spec: &ModelSpec,
    tries: usize,
    mut fails: impl FnMut(&str, Option<&str>) -> bool,
) -> ModelSpec {
    let mut best = spec.clone();
    let mut left = tries;
    loop {
        let before = (render::model(&best), render::properties(&best));
        for pass in PASSES {
            let mut at = 0;
            while left > 0 {
                let Some(candidate) = pass(&best, at) else { break };
                left -= 1;
                let texts = (render::model(&candidate), render::properties(&candidate));
                let changed = texts != (render::model(&best), render::properties(&best));
                if changed && fails(&texts.0, texts.1.as_deref()) {
                    best = candidate; // the same position now holds what came next
                } else {
                    at += 1;
                }
            }
        }
        if left == 0 || before == (render::model(&best), render::properties(&best)) {
            return best;
        }
    }
}

/// A pass gives its `at`-th smaller model, or `None` when it has no more.
type Pass = fn(&ModelSpec, usize) -> Option<ModelSpec>;

const PASSES: &[Pass] = &[
    drop_property,
    drop_rebec,
    drop_class,
    drop_member,
    drop_statement,
    unwrap_statement,
    drop_variable,
    drop_known,
    drop_parameter,
    drop_set,
    drop_constant,
    simplify_expression,
    lower_bound,
];

fn drop_property(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let mut smaller = spec.clone();
    if at < spec.invariants.len() {
        smaller.invariants.remove(at);
    } else {
        let (name, value) = spec.definitions.get(at - spec.invariants.len())?;
        smaller.definitions.remove(at - spec.invariants.len());
        replace_name(&mut smaller, name, value);
    }
    Some(smaller)
}

fn drop_rebec(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let gone = spec.rebecs.get(at)?;
    let mut smaller = spec.clone();
    smaller.rebecs.remove(at);
    let heir = smaller.rebecs.iter().find(|rebec| rebec.class == gone.class).map(|rebec| rebec.name.clone());
    let heir = Expr::atom(Sort::AnyRebec, heir.unwrap_or_else(|| "null".to_owned()));
    replace_name(&mut smaller, &gone.name, &heir);
    drop_properties_about(&mut smaller, &gone.name);
    Some(smaller)
}

fn drop_class(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
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

fn position(
    spec: &ModelSpec,
    find: impl Fn(&super::spec::ClassSpec) -> Option<usize>,
) -> Option<(usize, usize)> {
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

fn drop_member(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, member) = nth(spec.classes.iter().map(|class| class.members.len()), at)?;
    let mut smaller = spec.clone();
    let gone = smaller.classes[class].members.remove(member);
    let remains = smaller.classes.iter().flat_map(|class| &class.members).any(|other| other.name == gone.name);
    if gone.kind == MemberKind::Start {
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
        purge(&mut smaller, &gone.name);
    }
    Some(smaller)
}

fn drop_variable(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, variable) = nth(spec.classes.iter().map(|class| class.variables.len()), at)?;
    let mut smaller = spec.clone();
    remove_variable(&mut smaller, class, variable);
    Some(smaller)
}

fn remove_variable(spec: &mut ModelSpec, class: usize, at: usize) {
    let name = spec.classes[class].variables.remove(at).name;
    purge(spec, &name);
}

fn drop_known(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, known) = nth(spec.classes.iter().map(|class| class.known.len()), at)?;
    let mut smaller = spec.clone();
    remove_known(&mut smaller, class, known);
    Some(smaller)
}

/// Removes a known rebec with its slots; a set without a group goes too.
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

fn drop_set(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let (class, set) = nth(spec.classes.iter().map(|class| class.set.as_ref().map_or(0, |set| set.size)), at)?;
    let mut smaller = spec.clone();
    let size = smaller.classes[class].set.as_ref().map_or(0, |set| set.size);
    if set == 0 || size <= 1 || smaller.classes[class].known.iter().filter(|known| known.is_grouped).count() != 1 {
        return Some(smaller);
    }
    // One value less: the last element of the group goes from every list of known rebecs.
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

fn drop_parameter(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
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
    let mut gone = Vec::new();
    for (index, other) in spec.classes.iter_mut().enumerate() {
        for same in &mut other.members {
            let matches = if is_start { same.kind == MemberKind::Start && index == class } else { same.name == removed.name };
            if matches && at < same.parameters.len() {
                gone.push(same.parameters.remove(at).0);
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
    for name in gone {
        purge(spec, &name);
    }
}

fn drop_constant(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
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

fn drop_statement(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    edit_statement(spec, at, |block, index| {
        block.remove(index);
    })
}

/// Replaces a statement by the statements inside it.
fn unwrap_statement(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    edit_statement(spec, at, |block, index| {
        let mut stmt = block[index].clone();
        let blocks = stmt.blocks_mut();
        if !blocks.is_empty() {
            let inner: Vec<Stmt> = blocks.into_iter().flat_map(std::mem::take).collect();
            block.splice(index..=index, inner);
        }
    })
}

fn edit_statement(spec: &ModelSpec, at: usize, edit: impl Fn(&mut Vec<Stmt>, usize)) -> Option<ModelSpec> {
    let mut smaller = spec.clone();
    let (mut seen, mut done) = (0, false);
    each_block(&mut smaller, &mut |block| {
        if !done && at < seen + block.len() {
            edit(block, at - seen);
            done = true;
        }
        seen += block.len();
    });
    done.then_some(smaller)
}

/// Replaces an expression by a literal or by one of its operands.
fn simplify_expression(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let mut smaller = spec.clone();
    let (mut seen, mut done) = (0, false);
    each_expr(&mut smaller, &mut |expr| {
        let choices = simpler(expr);
        if !done && at < seen + choices.len() {
            *expr = choices[at - seen].clone();
            done = true;
        }
        seen += choices.len();
    });
    done.then_some(smaller)
}

fn simpler(expr: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    let literal = match &expr.sort {
        Sort::Bool => Some(Expr::bool(false)),
        sort if sort.is_integer() => Some(Expr::int(0)),
        _ => None,
    };
    let is_literal = |e: &Expr| matches!(&e.node, Node::Atom(text) if text == "false" || text == "0");
    found.extend(literal.filter(|literal| literal != expr && !is_literal(expr)));
    let alike = |e: &Expr| e.sort == expr.sort || e.sort.is_integer() && expr.sort.is_integer();
    found.extend(expr.operands().into_iter().filter(|operand| alike(operand)).cloned());
    if let Node::Choose(options) = &expr.node
        && options.len() > 2
        && !matches!(expr.sort, Sort::Scalar(_))
    {
        found.push(Expr { sort: expr.sort.clone(), node: Node::Choose(options[1..].to_vec()) });
    }
    found
}

fn lower_bound(spec: &ModelSpec, at: usize) -> Option<ModelSpec> {
    let mut smaller = spec.clone();
    let class = smaller.classes.get_mut(at)?;
    class.bound = class.bound.max(2) - 1;
    Some(smaller)
}

/// Splits an index over groups of the given sizes.
fn nth(sizes: impl Iterator<Item = usize>, at: usize) -> Option<(usize, usize)> {
    let mut left = at;
    for (group, size) in sizes.enumerate() {
        if left < size {
            return Some((group, left));
        }
        left -= size;
    }
    None
}

/// Removes every statement and property that names something.
fn purge(spec: &mut ModelSpec, name: &str) {
    each_block(spec, &mut |block| block.retain(|stmt| !render::words(stmt).iter().any(|word| word == name)));
    drop_properties_about(spec, name);
}

fn drop_properties_about(spec: &mut ModelSpec, name: &str) {
    let is_about = |value: &Expr, name: &str| render::expression_words(value).iter().any(|word| word == name);
    let gone: Vec<String> =
        spec.definitions.iter().filter(|(_, value)| is_about(value, name)).map(|(own, _)| own.clone()).collect();
    spec.definitions.retain(|(own, _)| !gone.contains(own));
    spec.invariants.retain(|(_, value)| !is_about(value, name) && !gone.iter().any(|own| is_about(value, own)));
}

fn replace_name(spec: &mut ModelSpec, name: &str, by: &Expr) {
    each_expr(spec, &mut |expr| {
        if matches!(&expr.node, Node::Atom(text) if text == name) {
            *expr = Expr { sort: expr.sort.clone(), node: by.node.clone() };
        }
    });
}

fn each_block(spec: &mut ModelSpec, visit: &mut dyn FnMut(&mut Vec<Stmt>)) {
    fn inside(block: &mut Vec<Stmt>, visit: &mut dyn FnMut(&mut Vec<Stmt>)) {
        visit(block);
        for stmt in block {
            for inner in stmt.blocks_mut() {
                inside(inner, visit);
            }
        }
    }
    for member in spec.classes.iter_mut().flat_map(|class| &mut class.members) {
        if let Some(body) = &mut member.body {
            inside(body, visit);
        }
    }
}

fn each_expr(spec: &mut ModelSpec, visit: &mut dyn FnMut(&mut Expr)) {
    fn inside(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
        visit(expr);
        for operand in expr.operands_mut() {
            inside(operand, visit);
        }
    }
    each_block(spec, &mut |block| {
        for expr in block.iter_mut().flat_map(Stmt::expressions_mut) {
            inside(expr, visit);
        }
    });
    for expr in spec.rebecs.iter_mut().flat_map(|rebec| rebec.known.iter_mut().chain(&mut rebec.arguments)) {
        inside(expr, visit);
    }
    for (_, expr) in spec.definitions.iter_mut().chain(&mut spec.invariants) {
        inside(expr, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{model, render};
    use super::shrink;

    #[test]
    fn shrinks_to_what_the_predicate_needs() {
        let mut shrunk = 0;
        for seed in 0..200 {
            let spec = model(seed);
            if !render::model(&spec).contains("switch") {
                continue;
            }
            let small = render::model(&shrink(&spec, 4000, |text, _| text.contains("switch")));
            assert!(small.contains("switch") && small.lines().count() < 20, "{small}");
            shrunk += 1;
        }
        assert!(shrunk > 5);
    }

    #[test]
    fn stops_after_the_tries() {
        let mut calls = 0;
        shrink(&model(1), 10, |_, _| {
            calls += 1;
            true
        });
        assert!(calls <= 10);
    }
}
