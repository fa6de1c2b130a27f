//! `quotient`: the only crate that reads files and prints.
//!
//! Everything but the workers of a large search runs on one thread with a large stack, because trees are walked by
//! recursion. A panic there or in a worker ends in exit code 4 with a message, never in a verdict; so does memory that the system
//! refuses, in exit code 3.
//!
//! Invariant: only this file chooses an exit code, from an [`Outcome`] or a [`Failure`].
//!
//! Order: a module uses only modules before it in this list, which a test reads: `world`, `paint`, `command_line`, `machine`, `room`,
//! `codes`, `args`, `words`, `outcome`, `console`, `io`, `paths`, `load`, `trace_file`, `language`, `automata`, `questions`, `spill`, `checkpoint`, `render`,
//! `commands`.

#![forbid(unsafe_code)]

mod args;
mod automata;
mod checkpoint;
mod codes;
mod command_line;
mod commands;
mod console;
mod io;
mod language;
mod load;
mod machine;
mod outcome;
mod paint;
mod paths;
mod questions;
mod render;
mod room;
mod spill;
#[cfg(test)]
mod stopping_tests;
mod trace_file;
mod words;
mod world;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;

use args::{Cli, Command, ReadingArgs};
use console::Console;
use outcome::{Failure, Outcome};

fn main() -> ExitCode {
    if !room::is_there() {
        eprintln!("error: the system has no memory for a command to begin with");
        return ExitCode::from(Outcome::Inconclusive.exit_code());
    }
    world::end_aborts_with(Outcome::Inconclusive.exit_code());
    let cli = Arc::new(Cli::parse());
    std::panic::set_hook(Box::new(|panic| {
        console::internal_error(&panic.to_string());
    }));
    let of_thread = Arc::clone(&cli);
    let thread = room::stack().map(|size| std::thread::Builder::new().name("quotient".to_owned()).stack_size(size));
    let worker = thread.and_then(|thread| thread.spawn(move || run(&of_thread)).ok());
    match worker.map(std::thread::JoinHandle::join) {
        Some(Ok(code)) => ExitCode::from(code),
        Some(Err(_)) => ExitCode::from(outcome::INTERNAL_ERROR), // the hook has reported the panic
        // The system has no room for its stack.
        None => ExitCode::from(run(&cli)),
    }
}

fn run(cli: &Cli) -> u8 {
    let (timeout, max_memory) = cli.command.limits();
    let world = Arc::new(world::Process::install());
    // Code and stacks are there whatever the limit. A search keeps an account of its own; the rest is left a few times as much.
    let least = limits::World::held(&*world).saturating_mul(4);
    let max_memory = room::most_memory(max_memory.or_else(world::default_memory)).map(|most| most.max(least));
    within(cli, &limits::Watch::new(world, timeout, max_memory))
}

/// Runs a command under the only watch of the process.
fn within(cli: &Cli, watch: &limits::Watch) -> u8 {
    let mut console = Console::new(cli.console);
    let result = watch.enter(|| dispatch(&cli.command, &mut console));
    let result = result.unwrap_or_else(|stopped| Err(Failure::Stopped(stopped)));
    if let Err(Failure::Stopped(stopped)) = &result {
        console::say(&format!("inconclusive: {stopped}; nothing is written"));
    }
    if let Err(Failure::Usage(problem)) = &result {
        console.report_problem(problem);
    }
    console.summary();
    if let Err(Failure::Internal(message)) = &result {
        console::internal_error(message);
    }
    let code = result.map_or_else(|failure| failure.exit_code(), Outcome::exit_code);
    assert!(code <= outcome::INTERNAL_ERROR || code > 128, "{code} is an exit code that is documented");
    code
}

fn dispatch(command: &Command, console: &mut Console) -> Result<Outcome, Failure> {
    if command.reading_of_one().is_some_and(ReadingArgs::is_sweep) {
        return Err(outcome::sweep_refused());
    }
    match command {
        Command::Check(args) => commands::check::run(args, console),
        Command::Compare(args) => commands::compare::run(args, console),
        Command::Detect(args) => commands::detect::run(args, console),
        Command::Batch(args) => commands::batch::run(args, console),
        Command::Simulate(args) => commands::simulate::run(args, console),
        Command::Replay(args) => commands::replay::run(args, console),
        Command::Fmt(args) => commands::fmt::run(args, console),
        Command::Convert(args) => commands::convert::run(args, console),
        Command::Slice(args) => commands::slice::run(args, console),
        Command::Bounds(args) => commands::bounds::run(args, console),
        Command::Mcc(args) => commands::mcc::run(args, console),
        Command::Graph(args) => commands::graph::run(args, console),
        Command::Explain(args) => commands::explain::run(args, console),
        Command::Completions(args) => commands::manual::completions(args),
        Command::Man => commands::manual::man(),
    }
}
