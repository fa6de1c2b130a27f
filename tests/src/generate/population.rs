//! The rebecs of `main`, and their properties.

use super::skeleton::{Names, Shape};
use super::spec::{Axis, Expr, Form, MemberKind, ModelSpec, Node, RebecSpec, Sort, VariableSpec};
use crate::random::Rng;

/// Makes servers of abstract classes abstract where every child has its own.
pub(super) fn abstract_some(rng: &mut Rng, spec: &mut ModelSpec) {
    let whole = spec.clone();
    for class in spec.classes.iter_mut().filter(|class| class.form == Form::Abstract) {
        let children: Vec<_> =
            whole.classes.iter().filter(|child| child.extends.as_ref() == Some(&class.name)).collect();
        for member in class.members.iter_mut().filter(|member| member.kind != MemberKind::Start) {
            let is_overridden = children.iter().all(|child| child.members.iter().any(|own| own.name == member.name));
            if is_overridden && rng.chance(60) {
                member.body = None;
            }
        }
    }
}

/// Makes the rebecs and binds their known rebecs.
pub(super) fn populate(rng: &mut Rng, names: &mut Names, spec: &mut ModelSpec, shape: Shape) {
    let concrete: Vec<String> =
        spec.classes.iter().filter(|class| class.form == Form::Reactive).map(|class| class.name.clone()).collect();
    let mut classes = Vec::new();
    for (at, class) in concrete.iter().enumerate() {
        let few = 1 + rng.weighted(&[4, 4, 1]);
        let count = match (shape, at) {
            (Shape::Ring, 0) => rng.between(2, 3),
            (Shape::Star, 1) => 2 + usize::from(rng.chance(30)),
            (Shape::Tree, 0) => 2 + rng.weighted(&[3, 1]),
            _ => few,
        };
        classes.extend(std::iter::repeat_n(class.clone(), count));
    }
    classes.truncate(5);
    if rng.chance(25) {
        classes.reverse(); // rebecs are known before and after their declaration
    }
    let rebecs: Vec<(String, String)> = classes.into_iter().map(|class| (names.fresh("r"), class)).collect();
    for (at, (name, class)) in rebecs.iter().enumerate() {
        let known = bind(rng, spec, shape, &rebecs, at);
        let parameters = spec.start(class).map(|start| start.parameters.clone()).unwrap_or_default();
        let arguments = parameters.iter().map(|(_, sort)| argument(rng, spec, &rebecs, sort)).collect();
        spec.rebecs.push(RebecSpec { name: name.clone(), class: class.clone(), known, arguments });
    }
}

fn bind(rng: &mut Rng, spec: &ModelSpec, shape: Shape, rebecs: &[(String, String)], at: usize) -> Vec<Expr> {
    let own = &rebecs[at].1;
    let mut known = Vec::new();
    for (position, slot) in spec.slots(own).iter().enumerate() {
        let fitting: Vec<usize> = (0..rebecs.len()).filter(|&other| spec.conforms(&rebecs[other].1, slot)).collect();
        let sort = Sort::Rebec(slot.clone());
        if fitting.is_empty() || rng.chance(if shape == Shape::Tree { 12 } else { 2 }) {
            known.push(Expr::atom(sort, "null"));
            continue;
        }
        // Rings and groups are circular, everything else is random.
        let goes_round = shape != Shape::Random || rng.chance(50);
        let chosen = if goes_round {
            let before = fitting.iter().filter(|&&other| other <= at).count();
            let start = if slot == own { before } else { 0 };
            fitting[(start + position) % fitting.len()]
        } else {
            *rng.pick(&fitting)
        };
        known.push(Expr::atom(sort, rebecs[chosen].0.clone()));
    }
    known
}

fn argument(rng: &mut Rng, spec: &ModelSpec, rebecs: &[(String, String)], sort: &Sort) -> Expr {
    match sort {
        Sort::Rebec(class) => {
            let fitting: Vec<&(String, String)> =
                rebecs.iter().filter(|(_, other)| spec.conforms(other, class)).collect();
            let name = if fitting.is_empty() || rng.chance(5) { "null" } else { rng.pick(&fitting).0.as_str() };
            Expr::atom(sort.clone(), name)
        }
        Sort::Bool if rng.chance(12) => {
            Expr { sort: Sort::Bool, node: Node::Choose(vec![Expr::bool(true), Expr::bool(false)]) }
        }
        Sort::Bool => Expr::bool(rng.chance(50)),
        _ if rng.chance(12) => Expr { sort: Sort::Int, node: Node::Choose(vec![Expr::int(0), Expr::int(2)]) },
        _ => Expr::int(i32::from(rng.chance(50)) + i32::from(rng.chance(30)) - i32::from(rng.chance(10))),
    }
}

/// Draws definitions and invariants over the variables of rebecs.
pub(super) fn add_properties(rng: &mut Rng, spec: &mut ModelSpec) {
    if rng.chance(30) {
        return;
    }
    let mut definitions: Vec<(String, Expr)> = Vec::new();
    for _ in 0..rng.between(1, 3) {
        if let Some(atom) = atom(rng, spec) {
            definitions.push((format!("d{}", definitions.len()), atom));
        }
    }
    let mut invariants = Vec::new();
    for _ in 0..rng.between(1, 3) {
        let Some(left) = atom(rng, spec) else { continue };
        let right = match definitions.is_empty() {
            true => Expr::bool(false),
            false => Expr::atom(Sort::Bool, rng.pick(&definitions).0.clone()),
        };
        let right =
            if rng.chance(40) { Expr { sort: Sort::Bool, node: Node::Unary("!", Box::new(right)) } } else { right };
        let operator = *rng.pick(&["||", "||", "&&", "->"]);
        let value = if operator == "->" {
            // The generator's expressions have no implication: `a -> b` is `!a || b`.
            let negated = Expr { sort: Sort::Bool, node: Node::Unary("!", Box::new(left)) };
            Expr::binary(Sort::Bool, "||", negated, right)
        } else {
            Expr::binary(Sort::Bool, operator, left, right)
        };
        invariants.push((format!("P{}", invariants.len()), value));
    }
    (spec.definitions, spec.invariants) = (definitions, invariants);
}

/// A comparison of one variable of one rebec.
fn atom(rng: &mut Rng, spec: &ModelSpec) -> Option<Expr> {
    let rebec = rng.pick(&spec.rebecs);
    let line = spec.lineage(&rebec.class);
    let variables: Vec<&VariableSpec> = line
        .iter()
        .flat_map(|class| &class.variables)
        .filter(|variable| !matches!(variable.sort, Sort::Scalar(_)))
        .collect();
    if variables.is_empty() {
        return None;
    }
    let variable = *rng.pick(&variables);
    let mut indices = Vec::new();
    for axis in &variable.axes {
        indices.push(match axis {
            Axis::Array(length) => Expr::int(i32::try_from(rng.below(*length)).expect("arrays are small")),
            Axis::Set(name) => {
                let set = spec.set(name)?;
                Expr::int(set.low + i32::try_from(rng.below(set.size)).expect("sets are small"))
            }
        });
    }
    let name = format!("{}.{}", rebec.name, variable.name);
    let read = if indices.is_empty() {
        Expr::atom(variable.sort.clone(), name)
    } else {
        Expr { sort: variable.sort.clone(), node: Node::Index(name, indices) }
    };
    Some(match &variable.sort {
        Sort::Bool if rng.chance(50) => read,
        Sort::Bool => Expr { sort: Sort::Bool, node: Node::Unary("!", Box::new(read)) },
        Sort::Rebec(class) => {
            let fitting: Vec<&RebecSpec> =
                spec.rebecs.iter().filter(|other| spec.conforms(&other.class, class)).collect();
            let other = if fitting.is_empty() { "null" } else { rng.pick(&fitting).name.as_str() };
            let operator = *rng.pick(&["==", "!="]);
            Expr::binary(Sort::Bool, operator, read, Expr::atom(Sort::AnyRebec, other))
        }
        _ => {
            let operator = *rng.pick(&["<", "<=", "==", "!=", ">="]);
            let bound = Expr::int(i32::try_from(rng.below(4)).expect("a small number"));
            Expr::binary(Sort::Bool, operator, read, bound)
        }
    })
}
