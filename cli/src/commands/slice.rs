//! `quotient slice`: the reduced model as text, the dependence graph, or the reason that a line stays.
//!
//! Step-wise slicing runs checks while it slices, with the limits of a plain `check`; the other methods only cut.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use checker::Question;
use frontend::diagnostics::{Diagnostics, closest};
use frontend::model::print::{print, print_properties};
use frontend::model::{ClassId, Model, PropertySet, Role, VariableId};
use frontend::murphi::print::print_with;
use frontend::murphi::program::{Claim, ClaimKind, Program};
use frontend::murphi::syntax;
use frontend::sequential::{Sequential, print as print_process};
use frontend::source::Source;
use serde_json::{Value as Json, json};
use slicing::Switches;
use slicing::reduce::{Abstracted, Method, Query, Removed, applicable, slice};
use slicing::refine::{Decided, Refined, names};

use crate::args::{DependenceFormat, SliceArgs, SliceMethod};
use crate::codes;
use crate::commands::check::own_properties;
use crate::console::{Console, say};
use crate::language::Presented;
use crate::load::{AnyLoaded, Loaded, Properties};
use crate::outcome::{Failure, Outcome};
use crate::paint::{clean, counted};
use crate::paths::refuse_overwriting;
use crate::render::json::{model as model_json, pretty};
use crate::render::progress::Watch;
use crate::words::{removed as removed_words, there_are};
use crate::{io, load};
use pipeline::slice::{counts, refined};
use pipeline::{LanguageName, listed};

/// Slices a model.
pub(crate) fn run(args: &SliceArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    let own = own_properties(&args.model.model);
    let reads = [Some(&*args.model.model), args.property.as_deref(), own.as_deref()];
    refuse_overwriting(reads.into_iter().flatten(), args.output.as_deref())?;
    let reading = args.model.reading.options();
    let mut loaded = load::load(&args.model.model, &reading, console)?;
    let own = own.filter(|_| args.graph.is_none());
    let set = load::add_properties(&mut loaded, args.property.as_deref(), own.as_deref(), &reading, console)?;
    let text = match loaded {
        AnyLoaded::Actors(loaded) => actors(args, &loaded, set, &mut Watch::new(console.shows_progress()), console)?,
        AnyLoaded::Process(loaded) => process(args, &loaded, console)?,
        AnyLoaded::Murphi(loaded) => murphi(args, &loaded, console)?,
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    // A slice that a limit kept from being refined is still a slice.
    Ok(limits::watch().consult().map_or_else(Outcome::stopped, |()| Outcome::Done))
}

fn actors(
    args: &SliceArgs,
    loaded: &Loaded<Model>,
    properties: Properties,
    watch: &mut Watch,
    console: &mut Console,
) -> Result<String, Failure> {
    let model = &loaded.model;
    if let Some(format) = args.graph {
        let graph = slicing::graph::build(model, Switches::default());
        let only = args.class.as_deref().map(|name| class(model, name)).transpose()?;
        return Ok(match format {
            DependenceFormat::Dot => slicing::graph::dot(&graph, &loaded.source, only),
            DependenceFormat::Json => slicing::graph::json(&graph, &loaded.source, only),
        });
    }
    let Properties { source, set } = properties;
    let query = question(args, set)?;
    let replace = replaced(&args.replace, model)?;
    let not_preserved = |refused| Failure::not_preserved(&refused, Some(&loaded.source), source.as_ref());
    let method = applicable(&query, args.method.map(SliceMethod::get)).map_err(not_preserved)?;
    let (slice, refined) = if method == Method::StepWise {
        let refined = refined(model, &query, &Question::default(), watch).map_err(not_preserved)?;
        let Refined { ended, slice, rounds } = refined;
        (slice, Some((ended, rounds)))
    } else {
        (slice(model, &query, method, &replace).map_err(not_preserved)?, None)
    };
    if let Some(line) = args.why {
        let detail = slicing::explain::why(model, &loaded.source, &slice, line);
        return Ok(match &detail[..] {
            [] => format!("nothing of the graph stands on line {line}\n"),
            lines => lines.join("\n") + "\n",
        });
    }
    if let Some((_, rounds)) = &refined
        && !console.is_quiet()
    {
        for (number, round) in rounds.iter().enumerate() {
            let cores: Vec<String> = round.cores.iter().map(|core| names(model, core).join(", ")).collect();
            let core = cores.join(" and because of ");
            let kept = names(model, &round.kept).join(", ");
            let end = match round.decided {
                None => String::new(),
                Some(by) if core.is_empty() => format!("; its run is one of the model, says the {}", by.name()),
                Some(Decided::Neither) => format!("; not decided, next without {core}"),
                Some(by) => format!("; spurious because of {core}, says the {}", by.name()),
            };
            let kept = if kept.is_empty() { String::new() } else { format!(", kept {kept}") };
            say(&format!("round {number}: {} replaced{kept}{end}", counted(round.replaced as u64, "variable")));
        }
    }
    let text = print(&slice.model);
    if args.json {
        let rounds = refined.iter().flat_map(|(_, rounds)| rounds).map(|round| {
            json!({
                "replaced": round.replaced,
                "kept": names(model, &round.kept),
                "core": names(model, &round.core),
                "cores": round.cores.iter().map(|core| names(model, core)).collect::<Vec<_>>(),
                "decided": round.decided.map(Decided::name),
                "followed": round.followed,
            })
        });
        let preserves = json!({
            "holds": slice.preserves.holds,
            "violated": slice.preserves.violated,
            "deadlock": slice.preserves.deadlock,
            "assertions": slice.preserves.assertions,
            "faults": slice.preserves.faults,
            "overflow": false,
        });
        return Ok(pretty(&json!({
            "schema_version": 1,
            "command": "slice",
            "model": model_json(loaded, &args.model.reading.values()),
            "method": slice.method.name(),
            "asked": slicing::explain::describe_query(&query),
            "preserves": preserves,
            "removed": removed_json(&slice.removed, &loaded.source),
            "abstracted": names(model, &slice.replaced),
            "rounds": rounds.collect::<Vec<_>>(),
            "text": text,
            "properties": print_properties(&slice.model, &slice.properties),
        })));
    }
    Ok(finish(args, console, &slice.removed, &loaded.source, text))
}

/// The text with the removed parts as a comment before it, or their numbers on standard error.
fn finish(args: &SliceArgs, console: &Console, removed: &[Removed], source: &Source, text: String) -> String {
    if args.comments {
        let is_murphi = load::language(&args.model.model, &source.text) == LanguageName::Murphi;
        let (mark, mut out) = (if is_murphi { "--" } else { "//" }, String::new());
        for one in removed {
            let place = if one.span.is_none() {
                String::new()
            } else {
                format!(", line {}", source.position(one.span.start).line)
            };
            let _ = writeln!(out, "{mark} {} {}{place}: {}", one.kind.name(), clean(&one.name), one.reason);
        }
        return out + &text;
    }
    if !console.is_quiet() {
        say(&format!("removed: {}", removed_words(&counts(removed)).unwrap_or_else(|| "nothing".to_owned())));
    }
    text
}

/// Refuses the options that are for actors.
fn refuse_unfit(args: &SliceArgs, model: &str) -> Result<(), Failure> {
    let unfit = [
        (args.class.is_some(), "--class"),
        (args.why.is_some(), "--why"),
        (!args.replace.is_empty(), "--abstract"),
        (args.method.is_some_and(|method| method != SliceMethod::Static), "--method"),
    ];
    let Some((_, option)) = unfit.iter().find(|(given, _)| *given) else { return Ok(()) };
    Err(Failure::contradiction(format!("`{option}` slices actors, and the model is {model}")))
}

fn murphi(args: &SliceArgs, loaded: &Loaded<Program>, console: &Console) -> Result<String, Failure> {
    refuse_unfit(args, "one of Murphi")?;
    if args.graph.is_some() {
        return Err(load::not_for_murphi("the dependence graph"));
    }
    let claims = loaded.model.claims();
    let declared: Vec<&str> = claims.iter().map(|claim| claim.name.as_str()).collect();
    refuse_unknown(&args.names, &declared, &[])?;
    let is_wanted = |claim: &Claim| match args.names.is_empty() {
        true => matches!(claim.kind, ClaimKind::Invariant(_)),
        false => args.names.contains(&claim.name),
    };
    let requested: Vec<Claim> = claims.iter().filter(|claim| is_wanted(claim)).cloned().collect();
    if requested.is_empty() {
        return Err(no_criterion());
    }
    let slice = slicing::murphi::slice(&loaded.model, &requested, slicing::murphi::Wrong::default())
        .map_err(|refused| Failure::not_preserved(&refused, Some(&loaded.source), Some(&loaded.source)))?;
    let written = syntax::parse(&loaded.source.text, &mut Diagnostics::new()).file;
    let given: Vec<String> = args.model.reading.constants.iter().map(|constant| constant.name.clone()).collect();
    let text = print_with(slice.tree(written), &loaded.model, &given);
    Ok(printed(args, console, loaded, &slice.removed, text))
}

fn process(args: &SliceArgs, loaded: &Loaded<Sequential>, console: &Console) -> Result<String, Failure> {
    refuse_unfit(args, "a sequential process")?;
    match args.graph {
        Some(DependenceFormat::Dot) => return Ok(slicing::graph::process_dot(&loaded.model)),
        Some(DependenceFormat::Json) => return Ok(slicing::graph::process_json(&loaded.model, &loaded.source)),
        None => {}
    }
    let declared: Vec<&str> = loaded.model.properties.iter().map(|property| property.name.as_str()).collect();
    refuse_unknown(&args.names, &declared, &["error"])?;
    let wanted = |name: &str| args.names.is_empty() || args.names.iter().any(|requested| requested == name);
    let requested: Vec<_> = loaded.model.properties.iter().filter(|property| wanted(&property.name)).cloned().collect();
    let faults = args.names.iter().any(|name| name == "error");
    if requested.is_empty() && !faults {
        return Err(no_criterion());
    }
    let slice = slicing::sequential::slice(&loaded.model, &requested, faults)
        .map_err(|refused| Failure::not_preserved(&refused, Some(&loaded.source), Some(&loaded.source)))?;
    let text = print_process::print(&slice.model);
    Ok(printed(args, console, loaded, &slice.removed, text))
}

/// A slice as text, or in a report.
fn printed<L: Presented>(
    args: &SliceArgs,
    console: &Console,
    loaded: &Loaded<L>,
    removed: &[Removed],
    text: String,
) -> String {
    if args.json {
        return pretty(&json!({
            "schema_version": 1,
            "command": "slice",
            "model": model_json(loaded, &args.model.reading.values()),
            "method": Method::Static.name(),
            "removed": removed_json(removed, &loaded.source),
            "text": text,
        }));
    }
    finish(args, console, removed, &loaded.source, text)
}

fn removed_json(removed: &[Removed], source: &Source) -> Vec<Json> {
    let one = |removed: &Removed| {
        let line = (!removed.span.is_none()).then(|| source.position(removed.span.start).line);
        json!({ "kind": removed.kind.name(), "name": removed.name, "line": line, "reason": removed.reason })
    };
    removed.iter().map(one).collect()
}

/// The question: all that properties read, or the named variables.
fn question(args: &SliceArgs, mut properties: PropertySet) -> Result<Query, Failure> {
    let declared: Vec<&str> = properties.properties.iter().map(|property| property.name.as_str()).collect();
    refuse_unknown(&args.names, &declared, &["deadlock", "assertion", "error", "overflow"])?;
    let named = |name: &str| args.names.iter().any(|requested| requested == name);
    properties.properties.retain(|property| args.names.is_empty() || named(&property.name));
    let only_deadlock = args.method == Some(SliceMethod::Deadlock) && args.names.is_empty();
    let query = Query {
        deadlock: named("deadlock") || only_deadlock,
        overflow: named("overflow"),
        assertions: named("assertion"),
        faults: named("error"),
        fair: false,
        properties,
    };
    let nothing = !(query.deadlock || query.overflow || query.assertions || query.faults);
    if nothing && query.properties.properties.is_empty() { Err(no_criterion()) } else { Ok(query) }
}

fn no_criterion() -> Failure {
    Failure::usage(codes::NO_CRITERION, "there is nothing to slice for: no property is checked")
        .help("name a property file with `--property`, or use `--name deadlock`, `assertion` or `error`")
}

fn refuse_unknown(requested: &[String], declared: &[&str], built_in: &[&str]) -> Result<(), Failure> {
    let known = || declared.iter().chain(built_in).copied();
    let Some(name) = requested.iter().find(|name| known().all(|known| known != name.as_str())) else { return Ok(()) };
    let is_built_in = matches!(name.as_str(), "deadlock" | "overflow" | "assertion" | "error");
    let message = match is_built_in && built_in.is_empty() {
        true => format!("models of this language are sliced for invariants, not for `{name}`"),
        false => format!("there is no property `{}`", clean(name)),
    };
    let help = match known().next() {
        Some(_) => there_are(name, known()),
        None => "write an invariant into the model".to_owned(),
    };
    Err(Failure::usage(codes::UNKNOWN_PROPERTY, message).help(help))
}

/// The class of a name.
fn class(model: &Model, name: &str) -> Result<ClassId, Failure> {
    if let Some(index) = model.classes.iter().position(|class| class.name == name) {
        return Ok(ClassId::from_index(index));
    }
    let known = || model.classes.iter().map(|class| class.name.as_str());
    let message = format!("`--class {}` names no class of the model", clean(name));
    Err(Failure::usage(codes::NO_SUCH_CLASS, message).help(there_are(name, known())))
}

/// The variables that `--abstract` names.
pub(crate) fn replaced(given: &[String], model: &Model) -> Result<Abstracted, Failure> {
    if given.is_empty() {
        return Ok(Abstracted::new());
    }
    let mut known: Vec<(String, BTreeSet<(ClassId, VariableId)>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (index, class) in model.classes.iter().enumerate() {
        let rebecs = model.instances.iter().filter(|instance| instance.class.index() == index);
        let owners: Vec<&str> =
            std::iter::once(class.name.as_str()).chain(rebecs.map(|rebec| rebec.name.as_str())).collect();
        for (id, variable) in class.variables.iter().enumerate().filter(|(_, one)| one.role == Role::State) {
            let own = (variable.declared_in, VariableId::from_index(id));
            let names = owners.iter().map(|owner| format!("{owner}.{}", variable.name));
            for name in names.chain([variable.name.clone()]) {
                let place = *places.entry(name).or_insert_with_key(|name| {
                    known.push((name.clone(), BTreeSet::new()));
                    known.len() - 1
                });
                known[place].1.insert(own);
            }
        }
    }
    let mut found = Abstracted::new();
    for name in given {
        let Some((_, variables)) = known.iter().find(|(known, _)| known == name) else {
            let names = || known.iter().map(|(name, _)| name.as_str()).filter(|name| name.contains('.'));
            let near = closest(name, known.iter().map(|(name, _)| name.as_str()));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let message = format!("`--abstract {}` names no state variable of the model", clean(name));
            return Err(
                Failure::usage(codes::NO_SUCH_VARIABLE, message).help(format!("{near}there are {}", listed(names())))
            );
        };
        found.extend(variables);
    }
    Ok(found)
}
