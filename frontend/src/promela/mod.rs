//! Promela, the language of SPIN: text to a process in sequential form.
//!
//! [`include()`] puts the texts that a model includes into it. [`parse`] runs the stages: tokens, `preprocess`, the parser, names of locals (`scope`) and labels (`labels`), control points (`flow`)
//! and `lower`. Everything behind is that of the sequential form. Embedded C code and priorities are
//! refused with a diagnostic.
//!
//! Source: the behaviour of SPIN 6.5.2 with `-o1 -o2 -o3 -DNOREDUCE`; `docs/semantics.md` lists it.

mod conditions;
mod flow;
mod include;
mod labels;
mod lower;
mod macros;
mod preprocess;
mod scope;
mod syntax;
#[cfg(test)]
mod tests;
mod unread;

pub use include::{Included, Joined, Reader, include};
pub use unread::unread;

use crate::diagnostics::Diagnostics;
use syntax::token::Kind;

use crate::sequential::{Expr, Formula, Options, Parsed, PropertyKind, Sequential};

/// The event of the steps in which an assertion fails. These steps end no run, other faults do: no symmetry maps the ones to the others, since it keeps events.
pub const FAILED_ASSERTION: &str = "failed_assertion";

/// The conditions over one state that texts mean behind the text of a model; for each that means none, the reason.
pub fn conditions(text: &str, options: &Options, wanted: &[&str]) -> Vec<Result<Expr, String>> {
    // A local that a condition reads may have other values in the model without it.
    let alone = parse(text, options, &mut Diagnostics::new()).model;
    let condition = |wanted: &&str| {
        let mut sink = Diagnostics::new();
        let with = format!("{text}\nltl wanted_condition {{ {wanted} }}\n");
        let model = parse(&with, options, &mut sink).model;
        let both = alone.as_ref().zip(model.as_ref());
        let is_same = |same: fn(&Sequential, &Sequential) -> bool| both.is_none_or(|(alone, model)| same(alone, model));
        // A label that it names may be a control point of its own, and a channel in it a table.
        if !is_same(|alone, model| alone.sorts == model.sorts && alone.tables == model.tables) {
            return Err("the model with it is another one: state it as `ltl` in the model".to_owned());
        }
        if !is_same(|alone, model| alone.variables == model.variables) {
            return Err("the value of a local is not kept for it: state it as `ltl` in the model".to_owned());
        }
        if !is_same(|alone, model| alone.summands == model.summands) {
            return Err("the steps of the model with it are other ones: state it as `ltl` in the model".to_owned());
        }
        let own = model.and_then(|model| model.properties.into_iter().find(|own| own.name == "wanted_condition"));
        match own.map(|property| property.kind) {
            Some(PropertyKind::Ltl(Formula::Atom(condition))) => Ok(condition),
            Some(_) => Err("this is a formula, not a condition over one state".to_owned()),
            None => Err(sink.list.first().map_or_else(String::new, |first| first.message.clone())),
        }
    };
    wanted.iter().map(condition).collect()
}

/// Reads a text; the constants are macros, which `#define` lines do not change where the options have a value.
pub fn parse(text: &str, options: &Options, sink: &mut Diagnostics) -> Parsed {
    let tokens = syntax::token::tokens(text, sink);
    // A name without `#define` may be that of a condition or size, as for SPIN's `-D`.
    let is_absent = |name: &String| !tokens.iter().any(|token| token.kind == Kind::Name(name.as_str().into()));
    let unused = options.constants.iter().map(|(name, _)| name.clone()).filter(is_absent).collect();
    let (tokens, constants) = preprocess::preprocess(&tokens, &options.constants, sink);
    let Some(tokens) = tokens else { return Parsed { model: None, constants, unused } };
    let file = syntax::parser::parse(tokens, sink);
    let model = if sink.has_errors() { None } else { lower::lower(&file, text, sink) };
    assert_eq!(model.is_some(), !sink.has_errors(), "there is a model if there is no error");
    Parsed { model, constants, unused }
}
