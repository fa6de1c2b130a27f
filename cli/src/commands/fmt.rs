//! `quotient fmt`: formats models and property files, in place or to standard output.
//!
//! A file with errors is left as it is; the others are still formatted. With `--check` nothing is written.

use std::path::{Path, PathBuf};

use frontend::murphi;
use frontend::syntax::format;
use pipeline::LanguageName;

use crate::args::FmtArgs;
use crate::codes;
use crate::console::Console;
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::{io, load};

/// Formats each file.
pub(crate) fn run(args: &FmtArgs, console: &mut Console) -> Result<Outcome, Failure> {
    if args.output.is_some() && args.files.len() > 1 {
        return Err(Failure::contradiction("`-o` takes the text of one file, and several are given"));
    }
    refuse_overwriting(args.files.iter().map(|path| &**path), args.output.as_deref())?;
    let mut different = Vec::new();
    let mut failed = false;
    for path in &args.files {
        match file(path, args, console) {
            Ok(true) => different.push(io::display(path)),
            Ok(false) => {}
            Err(Failure::Usage(problem)) => {
                console.report_problem(&problem);
                failed = true;
            }
            Err(Failure::Reported) => failed = true,
            Err(other @ (Failure::Internal(_) | Failure::Stopped(_))) => return Err(other),
        }
    }
    if args.check {
        let list: String = different.iter().map(|name| format!("{name}\n")).collect();
        io::write(None, list.as_bytes())?;
    }
    match failed {
        true => Err(Failure::Reported),
        false if args.check && !different.is_empty() => Ok(Outcome::Refuted),
        false => Ok(Outcome::Done),
    }
}

/// Formats one file; returns whether it was not formatted before.
fn file(path: &PathBuf, args: &FmtArgs, console: &mut Console) -> Result<bool, Failure> {
    let source = load::read_source(path, console)?;
    let language = load::language(path, &source.text);
    if matches!(language, LanguageName::Lpe | LanguageName::Dve | LanguageName::Pnml | LanguageName::Promela) {
        let message = "sequential processes, nets and models of DVE and Promela are not formatted in this version";
        return Err(Failure::file(io::display(path), codes::NOT_AVAILABLE, message)
            .help("`quotient convert MODEL --to text` writes canonical text, without comments"));
    }
    let formatted = if language == LanguageName::Murphi { murphi::print::format } else { format };
    let formatted = formatted(&source.text).map_err(|diagnostics| {
        console.report(diagnostics, &source);
        Failure::Reported
    })?;
    let differs = formatted != source.text;
    if args.check {
        return Ok(differs);
    }
    match &args.output {
        Some(output) => io::write(Some(output), formatted.as_bytes())?,
        None if path == Path::new(io::STANDARD) => io::write(None, formatted.as_bytes())?,
        None if differs => io::write(Some(path), formatted.as_bytes())?,
        None => {}
    }
    Ok(differs)
}
