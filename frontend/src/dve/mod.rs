//! DVE: the language of DiVinE and of the BEEM benchmark, `.dve`.
//!
//! [`parse`] reads a text and brings it into the sequential form: the control state of a process is a variable of an
//! enumeration, a transition one summand, a rendezvous one summand for each pair of transitions. The process that is named as
//! the property becomes a formula over an automaton. There is no noun of its own: all later stages are those of
//! [`sequential`](crate::sequential).
//!
//! Source: the language guide of DiVinE, and the sizes that are published with BEEM. Where versions of DiVinE differ,
//! `docs/semantics.md` says which is followed.

mod lower;
mod syntax;
#[cfg(test)]
mod tests;

use crate::diagnostics::Diagnostics;
use crate::sequential::{Expr, Options, Parsed, Property};

/// The deepest nesting of an expression. Additions of the lowering stay within the bound of the sequential form.
pub const MAX_NESTING: usize = 200;
/// The greatest number of pairs of transitions of all rendezvous, and of combinations of transitions of a synchronous system.
pub const MAX_COMBINATIONS: usize = 1 << 16;
/// The greatest number of messages that a channel holds.
pub const MAX_CAPACITY: usize = 1 << 10;

/// Reads a text. Diagnostics go to the sink; there is a model if and only if none of them is an error.
pub fn parse(text: &str, options: &Options, sink: &mut Diagnostics) -> Parsed {
    let mut own = Diagnostics::new();
    let file = syntax::parse(text, &mut own);
    let constants = lower::constants(&file);
    let known = |name: &String| constants.contains(name);
    let unused = options.constants.iter().map(|(name, _)| name).filter(|name| !known(name)).cloned().collect();
    let model = if own.has_errors() { None } else { lower::lower(&file, options, &mut own) };
    assert_eq!(model.is_some(), !own.has_errors(), "there is a model if there is no error");
    own.sort();
    sink.append(own);
    Parsed { model, unused, constants }
}

/// The conditions that texts mean next to a text without errors, such as `P_0.CS && P_0->x > 1`; for each text that means
/// none, the reason.
pub fn conditions(text: &str, options: &Options, wanted: &[&str]) -> Vec<Result<Expr, String>> {
    let file = syntax::parse(text, &mut Diagnostics::new());
    lower::conditions(&file, options, wanted)
}

/// The properties of a file of formulas for a model that was read from a text without errors. Faults of the formulas go to the sink.
pub fn parse_formulas(model: &str, options: &Options, formulas: &str, sink: &mut Diagnostics) -> Vec<Property> {
    let before = sink.errors;
    let lines = syntax::parse_lines(formulas, sink);
    if sink.errors > before {
        return Vec::new();
    }
    let file = syntax::parse(model, &mut Diagnostics::new());
    lower::formulas(&file, &lines, options, sink)
}
