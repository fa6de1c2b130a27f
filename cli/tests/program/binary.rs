//! The built binary, which Cargo builds before these tests and names to them.

use std::process::{Child, Command};

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

/// Waits until a condition is true, however long that takes; false if the process ends before.
pub(crate) fn until(child: &mut Child, mut condition: impl FnMut() -> bool) -> bool {
    loop {
        if condition() {
            return true;
        }
        if child.try_wait().expect("a process").is_some() {
            return false;
        }
        std::thread::yield_now();
    }
}

/// The most starts of a run that ends by itself before it can be disturbed, on a machine that has no time for the test.
const ATTEMPTS: usize = 20;

/// Runs something again until it was disturbed, which it shows by giving a result.
///
/// # Panics
/// If it never is.
pub(crate) fn disturbed<T>(mut run: impl FnMut() -> Option<T>) -> T {
    (0..ATTEMPTS).find_map(|_| run()).expect("a run that is disturbed before it ends")
}
