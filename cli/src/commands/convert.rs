//! `quotient convert`: a model as canonical text, its communication graph, its state space, the stages of detection.

use std::fmt::Write;

use checker::{Limit, LimitKind};
use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::model::{Model, PropertySet};
use frontend::murphi::program::Program;
use frontend::murphi::syntax;
use frontend::sequential::print::print;
use frontend::sequential::{PropertyKind, from_actors, from_murphi};
use frontend::source::Span;
use slicing::bounds::sized;

use super::bounds::lengths;
use super::check::own_properties;
use super::stages;
use crate::args::{ConvertArgs, ConvertTo};
use crate::automata;
use crate::codes;
use crate::console::{Console, say};
use crate::language::Presented;
use crate::language::pictures::Topology;
use crate::language::state_space::{StateSpace, quoted};
use crate::load::{AnyLoaded, Loaded};
use crate::outcome::{Failure, Outcome};
use crate::paint::{count, counted};
use crate::paths::{refuse_overwriting, refuse_two_on_standard_output};
use crate::render::human;
use crate::{io, load};

/// Converts a model.
pub(crate) fn run(args: &ConvertArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    if args.name.is_some() && args.to != ConvertTo::Hoa {
        return Err(Failure::contradiction("`--name` belongs to `--to hoa`: no other format is that of one formula"));
    }
    if args.property.is_some() && !matches!(args.to, ConvertTo::Lpe | ConvertTo::Hoa) {
        let message = "`--property` belongs to `--to lpe` and `--to hoa`: no other format has properties";
        return Err(Failure::contradiction(message));
    }
    io::refuse_unwritable(args.map.as_deref())?;
    refuse_two_on_standard_output(args.output.as_deref(), args.map.as_deref())?;
    let own = own_properties(&args.model.model);
    let reads = [Some(&*args.model.model), args.property.as_deref(), own.as_deref()];
    refuse_overwriting(reads.into_iter().flatten(), args.output.as_deref().into_iter().chain(args.map.as_deref()))?;
    let reading = args.model.reading.options();
    let mut loaded = load::load(&args.model.model, &reading, console)?;
    let own = own.filter(|_| !args.no_property && matches!(args.to, ConvertTo::Lpe | ConvertTo::Hoa));
    let properties =
        load::add_properties(&mut loaded, args.property.as_deref(), own.as_deref(), &reading, console)?.set;
    let text = match (loaded, args.to) {
        (AnyLoaded::Actors(loaded), ConvertTo::Communication) => {
            Some(communication(&loaded.model, &loaded.source.name))
        }
        (AnyLoaded::Process(_) | AnyLoaded::Murphi(_), ConvertTo::Communication) => {
            return Err(Failure::contradiction("only Rebeca models have a communication graph")
                .help("`--to dot` draws the states of the model"));
        }
        (AnyLoaded::Actors(loaded), ConvertTo::Lpe) => Some(sequential_form(&loaded, &properties, console)?),
        (AnyLoaded::Actors(loaded), ConvertTo::Hoa) => {
            Some(automata::text(&loaded.model, &properties, args.name.as_deref())?)
        }
        (AnyLoaded::Process(loaded), ConvertTo::Hoa) => {
            Some(automata::text(&loaded.model, &loaded.model.properties, args.name.as_deref())?)
        }
        (AnyLoaded::Actors(loaded), ConvertTo::Ssa | ConvertTo::Csp | ConvertTo::Graph) => {
            stages::stage_of_actors(&loaded.model, args)?
        }
        (AnyLoaded::Process(loaded), ConvertTo::Ssa | ConvertTo::Csp | ConvertTo::Graph) => {
            stages::stage(&loaded.model, args)?
        }
        (AnyLoaded::Murphi(loaded), ConvertTo::Aut | ConvertTo::Dot) => convert(&loaded, args),
        (AnyLoaded::Murphi(loaded), ConvertTo::Text | ConvertTo::Murphi) => {
            let file = syntax::parse(&loaded.source.text, &mut Diagnostics::new()).file;
            let given = args.model.reading.constants.iter().map(|constant| constant.name.clone()).collect::<Vec<_>>();
            Some(frontend::murphi::print::print_with(file, &loaded.model, &given))
        }
        (AnyLoaded::Actors(_) | AnyLoaded::Process(_), ConvertTo::Murphi) => {
            return Err(Failure::contradiction("`--to murphi` prints models of Murphi, and this is none")
                .help("`--to text` prints a model in its own language"));
        }
        (AnyLoaded::Murphi(loaded), ConvertTo::Lpe) => Some(murphi_form(&loaded, console)?),
        (AnyLoaded::Murphi(_), _) => return Err(load::not_for_murphi("this format")),
        (AnyLoaded::Actors(loaded), _) => convert(&loaded, args),
        (AnyLoaded::Process(loaded), to) => {
            let written = if matches!(to, ConvertTo::Aut | ConvertTo::Dot) { &[] } else { &*loaded.model.properties };
            let automata = |kind: &PropertyKind| matches!(kind, PropertyKind::Ltl(formula) if formula.has_automaton());
            for property in written.iter().filter(|property| automata(&property.kind)) {
                let message = format!("`{}` is an automaton, and is left out of the text", property.name);
                console.remark(Diagnostic::notice(codes::PROPERTY_LEFT_OUT, Span::NONE, message));
            }
            convert(&loaded, args)
        }
    };
    let Some(text) = text else {
        return Ok(limits::watch().consult().map_or_else(Outcome::stopped, |()| Outcome::Inconclusive));
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    Ok(Outcome::Done)
}

/// A model as text or as its state space; nothing over the limit.
fn convert<L: Presented>(loaded: &Loaded<L>, args: &ConvertArgs) -> Option<String> {
    match args.to {
        ConvertTo::Aut => state_space(&loaded.model, args.max_states).map(|space| space.aut()),
        ConvertTo::Dot => state_space(&loaded.model, args.max_states).map(|space| space.dot(&loaded.source.name)),
        // The module `stages` writes the other stages.
        _ => Some(loaded.model.text()),
    }
}

/// A Rebeca model with its properties as a sequential process, whose queues have as many slots as they need.
fn sequential_form(loaded: &Loaded<Model>, properties: &PropertySet, console: &mut Console) -> Result<String, Failure> {
    let mut diagnostics = Diagnostics::new();
    let sized = sized(&loaded.model);
    if let Some((_, shorter)) = sized.as_ref().filter(|_| !console.is_quiet()) {
        say(&format!("queues by the message flow: {}", lengths(&loaded.model, shorter)));
    }
    let model = sized.as_ref().map_or(&loaded.model, |(sized, _)| sized);
    let process = from_actors(model, properties, &mut diagnostics);
    console.report(diagnostics, &loaded.source);
    process.map(|process| print(&process)).ok_or(Failure::Reported)
}

/// A model of Murphi as a sequential process.
fn murphi_form(loaded: &Loaded<Program>, console: &mut Console) -> Result<String, Failure> {
    let mut diagnostics = Diagnostics::new();
    let process = from_murphi(&loaded.model, &mut diagnostics);
    console.report(diagnostics, &loaded.source);
    process.map(|process| print(&process)).ok_or(Failure::Reported)
}

/// The communication graph for Graphviz.
fn communication(model: &Model, name: &str) -> String {
    let Topology { nodes, edges } = model.topology().unwrap_or_default();
    let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(name));
    for (rebec, class) in &nodes {
        let _ = writeln!(out, "  {} [label={}];", quoted(rebec), quoted(&format!("{rebec}: {class}")));
    }
    for (from, to, labels) in edges {
        let (from, to) = (quoted(&nodes[from].0), quoted(&nodes[to].0));
        let _ = writeln!(out, "  {from} -> {to} [label={}];", quoted(&labels.join(", ")));
    }
    out.push_str("}\n");
    out
}

/// The whole state space; above the limit nothing, with a line that reports it.
fn state_space<L: Presented>(model: &L, max_states: u64) -> Option<StateSpace> {
    let limit = match model.state_space(max_states) {
        Ok(space) => return Some(space),
        Err(limit) => limit,
    };
    say(&match limit.map(|limit| (limit.kind, limit.value)) {
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
        Some((kind, value)) => {
            let stopped = human::stopped(&Limit { kind, value });
            format!("inconclusive: the state space was not explored to its end, {stopped}; nothing is written")
        }
        None => "inconclusive: the state space was not explored to its end; nothing is written".to_owned(),
    });
    None
}
