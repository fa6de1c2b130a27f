//! The shrinker of failing models: tries smaller models one by one and keeps each that still fails.
//!
//! Greedy to a fixed point: passes over rebecs, classes, members, variables, statements and expressions, from coarse
//! to fine, until a whole round changes nothing or the tries are used up. A part that names a dropped part is dropped
//! too, so most candidates stay well-typed; the caller's predicate decides about the others.
//!
//! Complexity: at most `tries` calls of the predicate.

mod removal;

use super::render;
use super::spec::{Expr, ModelSpec, Node, Sort, Stmt};
use removal::{
    drop_class, drop_constant, drop_known, drop_member, drop_parameter, drop_rebec, drop_set, drop_variable,
};

/// The smallest model found that still fails; `fails` receives the text of the model and of its property file.
pub fn shrink(spec: &ModelSpec, tries: usize, mut fails: impl FnMut(&str, Option<&str>) -> bool) -> ModelSpec {
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

/// Removes every statement and property that uses a name.
fn purge(spec: &mut ModelSpec, name: &str) {
    each_block(spec, &mut |block| block.retain(|stmt| !render::words(stmt).iter().any(|word| word == name)));
    drop_properties_about(spec, name);
}

fn drop_properties_about(spec: &mut ModelSpec, name: &str) {
    let is_about = |value: &Expr, name: &str| render::expression_words(value).iter().any(|word| word == name);
    let removed: Vec<String> =
        spec.definitions.iter().filter(|(_, value)| is_about(value, name)).map(|(own, _)| own.clone()).collect();
    spec.definitions.retain(|(own, _)| !removed.contains(own));
    spec.invariants.retain(|(_, value)| !is_about(value, name) && !removed.iter().any(|own| is_about(value, own)));
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
    fn shrinks_to_the_least_input_of_the_predicate() {
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
