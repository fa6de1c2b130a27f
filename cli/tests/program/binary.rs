//! The built binary, which Cargo builds before these tests and names to them.

use std::process::Command;

use battery::harness::{Run, run};

/// The binary as a command, without the variables of the environment that change what it prints.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the binary with nothing on its standard input.
pub(crate) fn quotient(arguments: &[&str]) -> Run {
    quotient_with(arguments, b"")
}

/// Runs the binary with a text on its standard input.
pub(crate) fn quotient_with(arguments: &[&str], input: &[u8]) -> Run {
    run(command().args(arguments), input)
}
