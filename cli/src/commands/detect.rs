//! `quotient detect`: the symmetries of a model, found and proved.

use std::path::Path;

use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::murphi::program::Program;
use frontend::sequential::Sequential;
use ltl::Properties as _;

use super::check::{names_of, own_properties};
use super::requested::refuse_unknown;
use crate::args::DetectArgs;
use crate::codes;
use crate::console::{Console, say};
use crate::io;
use crate::language::Presented;
use crate::load::{self, AnyLoaded, Loaded};
use crate::outcome::{Failure, Outcome, reporting};
use crate::paint::{Paint, clean};
use crate::paths::{refuse_overwriting, refuse_two_on_standard_output};
use crate::render::detect as render;
use crate::render::export::{Additions, Targets};
use pipeline::detection::{Detection, Undetected};

/// Finds the symmetries of a model and writes them.
pub(crate) fn run(args: &DetectArgs, console: &mut Console) -> Result<Outcome, Failure> {
    if args.model.reading.is_sweep() {
        return super::sweep::detect(args, console);
    }
    super::sweep::refuse_alone(&args.sweep)?;
    io::refuse_unwritable(args.output.as_deref())?;
    io::refuse_unwritable(args.gap.as_deref())?;
    Targets::of_symmetries(&args.files)?;
    let own = own_properties(&args.model.model);
    let reads = [Some(&*args.model.model), args.property.as_deref(), own.as_deref()];
    let reports = args.files.report.iter().map(|path| &**path);
    refuse_two_on_standard_output(args.output.as_deref(), args.gap.as_deref().into_iter().chain(reports.clone()))?;
    let writes = [args.output.as_deref(), args.gap.as_deref()].into_iter().flatten().chain(reports);
    refuse_overwriting(reads.into_iter().flatten(), writes)?;
    let reading = args.model.reading.options();
    let mut loaded = load::load(&args.model.model, &reading, console)?;
    let in_text = match &loaded {
        AnyLoaded::Actors(_) => Vec::new(),
        AnyLoaded::Process(loaded) => names_of::<Sequential>(&loaded.model.properties),
        AnyLoaded::Murphi(loaded) => names_of::<Program>(&loaded.model.claims()),
    };
    let own = own.filter(|_| !args.names.is_empty());
    let set = load::add_properties(&mut loaded, args.property.as_deref(), own.as_deref(), &reading, console)?.set;
    match loaded {
        AnyLoaded::Actors(loaded) => detect(args, &loaded, set, &in_text, console),
        AnyLoaded::Process(loaded) => detect(args, &loaded, loaded.model.properties.clone(), &in_text, console),
        AnyLoaded::Murphi(loaded) => detect(args, &loaded, loaded.model.claims(), &in_text, console),
    }
}

/// Finds the symmetries that keep the named properties; without names those of the property file, and not those in the text of the model.
fn detect<L: Presented>(
    args: &DetectArgs,
    loaded: &Loaded<L>,
    mut properties: L::Properties,
    in_text: &[String],
    console: &mut Console,
) -> Result<Outcome, Failure> {
    let none = "no properties are declared; deadlocks and faults are kept by every symmetry";
    refuse_unknown(&args.names, L::declared(&properties).iter().map(|&(name, _)| name), none)?;
    let has = |names: &[String], wanted: &str| names.iter().any(|name| name == wanted);
    let is_kept = |name: &str| if args.names.is_empty() { !has(in_text, name) } else { has(&args.names, name) };
    properties.keep(&is_kept, false);
    let requested = names_of::<L>(&properties);
    let found = match pipeline::detection::detect(&loaded.model, &properties, args.strategy.get(), &args.why) {
        Ok(found) => found,
        Err(refused @ Undetected::NotApplicable(_)) => {
            return Err(Failure::contradiction(refused.to_string())
                .help("leave `--strategy` out: `constraint` is for every language"));
        }
        Err(Undetected::NoPermutation(message)) => {
            return Err(Failure::usage(codes::NO_PERMUTATION, format!("`--why`: {message}")));
        }
        Err(large @ Undetected::TooLarge(_)) => {
            say(&format!("inconclusive: {large}; nothing is written"));
            return Ok(Outcome::Inconclusive);
        }
    };
    if console.is_for_editors() {
        console.report(near(&found), &loaded.source);
    }
    reporting(|| report(args, loaded, &found, &properties, &requested, console))
}

/// A notice at each place that keeps permutations out of the group.
fn near(found: &Detection) -> Diagnostics {
    let mut notices = Diagnostics::new();
    for near in &found.near {
        for place in &near.broken_by {
            let message = format!("{}, but for this place: {}", clean(&near.permutations), clean(&place.reason));
            notices.push(Diagnostic::notice(codes::NEAR_SYMMETRY, place.span, message));
        }
    }
    notices
}

/// Writes the report, also of a detection that was stopped.
fn report<L: Presented>(
    args: &DetectArgs,
    loaded: &Loaded<L>,
    found: &Detection,
    properties: &L::Properties,
    requested: &[String],
    console: &Console,
) -> Result<Outcome, Failure> {
    let text = if args.json {
        render::as_json(loaded, found, args, requested)
    } else {
        let to_stdout = args.output.as_deref().is_none_or(|path| path == Path::new(io::STANDARD));
        let paint = Paint { on: to_stdout && console.colours_stdout() };
        render::for_people(&loaded.source, found, args, requested, paint)
    };
    if let Some(path) = &args.gap {
        io::write(Some(path), found.proof.gap.as_bytes())?;
    }
    io::write(args.output.as_deref(), text.as_bytes())?;
    let files = Targets::of_symmetries(&args.files)?;
    if !files.is_empty() {
        let document = serde_json::from_str(&render::as_json(loaded, found, args, requested)).unwrap_or_default();
        let is_read = args.strategy.get() == symmetry::Strategy::Constraint;
        let coloured = || limits::share(1, 2, || loaded.model.coloured(properties)).ok().flatten();
        let coloured = if is_read { coloured() } else { None };
        files.write(document, &Additions { topology: loaded.model.topology(), coloured, ..Additions::default() })?;
    }
    Ok(found.proof.stopped.map_or(Outcome::Done, Outcome::stopped))
}
