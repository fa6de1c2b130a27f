//! Murphi: the language of CMurphi and rumur, `.m`.
//!
//! [`syntax`] makes a tree of a text, [`print`](mod@print) writes a tree, [`parse`] resolves names and types and gives a
//! [`program`], [`interpret`] defines the meaning of a program, [`trace`] replays executions.

mod lower;

pub mod interpret;
pub mod print;
pub mod program;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod trace;

use self::program::Program;
use crate::diagnostics::Diagnostics;

/// The deepest nesting of an expression, statement, rule or type.
pub const MAX_NESTING: usize = 256;
/// The greatest number of cells of a state, of a type, and of the locals of a body.
pub const MAX_CELLS: usize = 1 << 16;
/// The greatest number of members of all enumerations and scalar sets, and of the values of a loop over a type.
pub const MAX_NAMES: usize = 1 << 20;
/// The greatest number of instances that the rulesets around a rule or property give.
pub const MAX_INSTANCES: usize = 1 << 20;
/// The greatest number of rounds of loops, quantifiers and counts in one step; past it the step faults.
pub const MAX_ROUNDS: u32 = 1_000_000;
/// The greatest sum of the heights of the bodies of calls in progress; past it the step faults.
pub const MAX_OPEN: usize = 2_000;

/// Options for reading a model.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Other values for constants: integers, and conditions as 0 and 1.
    pub constants: Vec<(String, i32)>,
}

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program, if there are no errors.
    pub program: Option<Program>,
    /// The overridden constants that the model does not have.
    pub unused: Vec<String>,
}

/// Reads a model; faults go to the sink.
pub fn parse(text: &str, options: &Options, sink: &mut Diagnostics) -> Parsed {
    let before = sink.errors;
    let unread = Parsed { program: None, unused: Vec::new() };
    let file = syntax::parse(text, sink).file;
    if sink.errors > before {
        // What follows from a part that is missing is not reported.
        return unread;
    }
    let lower::Lowered { program, unused } = lower::lower(&file, options, sink);
    // What is unused is known of whole models only.
    if sink.errors > before { unread } else { Parsed { program: Some(program), unused } }
}

/// Reads the formulas of a property file for a model that was read from a text: the program with them. Faults of the formulas go to the
/// sink.
pub fn parse_formulas(model: &str, options: &Options, formulas: &str, sink: &mut Diagnostics) -> Option<Program> {
    let before = sink.errors;
    let lines = syntax::parse_lines(formulas, sink);
    let file = syntax::parse(model, &mut Diagnostics::new()).file;
    let program = lower::lower_with(&file, &lines, options, sink);
    (sink.errors == before).then_some(program)
}

/// Reads questions for a model that was read from a text: the program with them in place of its own properties, assumptions excepted.
/// A question is an invariant: a declaration of the language, in rulesets if need be, or a line `name: condition` or `name: formula`. Faults of the questions go to the
/// sink.
pub fn parse_questions(model: &str, options: &Options, questions: &str, sink: &mut Diagnostics) -> Option<Program> {
    let before = sink.errors;
    let (questions, formulas) = syntax::parse_questions(questions, sink);
    if sink.errors > before {
        return None;
    }
    let file = syntax::parse(model, &mut Diagnostics::new()).file;
    let program = lower::lower_questions(&file, (&questions, &formulas), options, sink);
    (sink.errors == before).then_some(program)
}
