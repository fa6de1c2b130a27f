//! `quotient bounds`: the greatest length of each queue, by the flow of messages.

use std::fmt::Write;

use frontend::model::{Model, ServerId};
use serde_json::{Value as Json, json};
use slicing::bounds::{QueueBound, RebecBound, Shorter, bounds, shorter};

use crate::args::BoundsArgs;
use crate::console::Console;
use crate::load::{AnyLoaded, Loaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::render::json::{model as model_json, pretty};
use crate::{io, load};

/// Bounds the queues of a model.
pub(crate) fn run(args: &BoundsArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    refuse_overwriting([&*args.model.model], args.output.as_deref())?;
    let reading = args.model.reading.options();
    let AnyLoaded::Actors(loaded) = load::load(&args.model.model, &reading, console)? else {
        return Err(Failure::contradiction("only Rebeca models have queues")
            .help("other models declare the values of their variables, and `quotient check` searches within them"));
    };
    let found = bounds(&loaded.model);
    let text = if args.json {
        pretty(&report(&loaded, args, found.as_deref()))
    } else {
        human(&loaded.model, found.as_deref())
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    Ok(Outcome::Done)
}

fn servers(model: &Model, bound: &RebecBound, servers: &[ServerId]) -> Vec<String> {
    let class = model.class(model.class_of(bound.rebec));
    servers.iter().map(|server| class.servers[server.index()].name.clone()).collect()
}

fn human(model: &Model, found: Option<&[RebecBound]>) -> String {
    let Some(found) = found else {
        return "The model makes rebecs: their queues are not bounded by its text.\n".to_owned();
    };
    let mut out = String::new();
    let names: Vec<String> = found.iter().map(|bound| model.rebec_name(bound.rebec)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("queue".len());
    let _ = writeln!(out, "{:<width$}  {:>8}  bound", "queue", "declared");
    for (name, bound) in names.iter().zip(found) {
        let shown = match &bound.bound {
            QueueBound::AtMost(most) if bound.never_overflows() => format!("at most {most}: never overflows"),
            QueueBound::AtMost(most) => format!("at most {most}"),
            QueueBound::Unbounded(list) => {
                format!("not bounded by the message flow: {}", servers(model, bound, list).join(", "))
            }
            QueueBound::Unknown => "unknown".to_owned(),
        };
        let _ = writeln!(out, "{name:<width$}  {:>8}  {shown}", bound.declared);
    }
    let shorter = shorter(model, found);
    if !shorter.is_empty() {
        let _ = writeln!(out, "Long enough: {}.", lengths(model, &shorter));
    }
    let proved = found.iter().all(RebecBound::never_overflows);
    out.push_str(if proved { "No queue can overflow.\n" } else { "Overflow is not excluded by the message flow.\n" });
    out
}

/// The classes that need shorter queues than they declare, in words.
pub(super) fn lengths(model: &Model, shorter: &[Shorter]) -> String {
    let one = |shorter: &Shorter| {
        format!("{} {} (declared {})", model.class(shorter.class).name, shorter.enough, shorter.declared)
    };
    shorter.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn report(loaded: &Loaded<Model>, args: &BoundsArgs, found: Option<&[RebecBound]>) -> Json {
    let model = &loaded.model;
    let queues = found.unwrap_or_default().iter().map(|bound| {
        let (most, unbounded) = match &bound.bound {
            QueueBound::AtMost(most) => (Some(*most), Vec::new()),
            QueueBound::Unbounded(list) => (None, servers(model, bound, list)),
            QueueBound::Unknown => (None, Vec::new()),
        };
        json!({
            "rebec": model.rebec_name(bound.rebec),
            "declared": bound.declared,
            "at_most": most,
            "unbounded_by": unbounded,
            "never_overflows": bound.never_overflows(),
        })
    });
    let shorter = shorter(model, found.unwrap_or_default());
    let shorter = shorter
        .iter()
        .map(|one| json!({ "class": model.class(one.class).name, "declared": one.declared, "enough": one.enough }));
    json!({
        "schema_version": 1,
        "command": "bounds",
        "model": model_json(loaded, &args.model.reading.values()),
        "queues": queues.collect::<Vec<_>>(),
        "shorter": shorter.collect::<Vec<_>>(),
        "never_overflows": found.is_some_and(|all| all.iter().all(RebecBound::never_overflows)),
    })
}
