//! `quotient convert`: a model as canonical text, its communication graph, its state space.

use std::collections::BTreeMap;
use std::fmt::Write;

use checker::{LimitKind, Limits, explore_graph};
use frontend::interpret::Bounds;
use frontend::model::print::print;
use frontend::model::{Model, RebecId, Role};

use super::state_space::{StateSpace, quoted};
use crate::args::{ConvertArgs, ConvertTo};
use crate::console::{Console, say};
use crate::outcome::{Failure, Outcome};
use crate::render::paint::{count, counted};
use crate::render::words;
use crate::{io, pipeline};

/// Converts a model.
pub(crate) fn run(args: &ConvertArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    let loaded = pipeline::load(&args.model.model, &args.model.reading.options(), console)?;
    let model = &loaded.model;
    let text = match args.to {
        ConvertTo::Text => print(model),
        ConvertTo::Communication => communication(model, &loaded.source.name),
        ConvertTo::Aut | ConvertTo::Dot => {
            let Some(space) = state_space(model, args.max_states) else { return Ok(Outcome::Inconclusive) };
            if args.to == ConvertTo::Aut { space.aut() } else { space.dot(&loaded.source.name) }
        }
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    Ok(Outcome::Done)
}

/// The rebecs of `main` as nodes, their known rebecs as edges; parallel edges become one with several labels.
fn communication(model: &Model, name: &str) -> String {
    let mut edges: BTreeMap<(usize, RebecId), Vec<String>> = BTreeMap::new();
    for (index, instance) in model.instances.iter().enumerate() {
        let elements = words::elements(model, instance.class).into_iter();
        let known = elements.filter(|element| element.role == Role::Known).zip(&instance.known);
        for (element, target) in known {
            if let &Some(target) = target {
                edges.entry((index, target)).or_default().push(element.name);
            }
        }
    }
    let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(name));
    for instance in &model.instances {
        let label = format!("{}: {}", instance.name, model.class(instance.class).name);
        let _ = writeln!(out, "  {} [label={}];", quoted(&instance.name), quoted(&label));
    }
    for ((from, to), labels) in edges {
        let (from, to) = (quoted(&model.instances[from].name), quoted(&model.rebec_name(to)));
        let _ = writeln!(out, "  {from} -> {to} [label={}];", quoted(&labels.join(", ")));
    }
    out.push_str("}\n");
    out
}

/// The whole state space; over the limit nothing, with a line that says so.
fn state_space(model: &Model, max_states: u64) -> Option<StateSpace> {
    let mut edges = Vec::new();
    let limits = Limits { max_states: Some(max_states), ..Limits::default() };
    let explored = explore_graph(model, &Bounds::default(), &limits, &mut (), &mut |edge| edges.push(edge));
    if explored.is_complete() {
        return Some(StateSpace::new(model, &explored, &edges));
    }
    say(&match explored.limit().map(|limit| (limit.kind, limit.value)) {
        Some((LimitKind::States, value)) => {
            let states = counted(value, "state");
            format!(
                "inconclusive: the state space has more than {states}; --max-states N raises the limit; nothing is written"
            )
        }
        Some((LimitKind::Rebecs, value)) => {
            let value = count(value);
            format!("inconclusive: `new` makes more than {value} rebecs of one class; nothing is written")
        }
        _ => "inconclusive: the state space was not explored to its end; nothing is written".to_owned(),
    });
    None
}
