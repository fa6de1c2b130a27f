//! Syntax tree to [`Model`]: resolves names, checks types, flattens inheritance and hoists effects out of expressions.
//!
//! Passes, in order: the choice of a product, constants, class headers and hierarchy, variables, signatures, the rebecs of `main`, bodies. A
//! pass reports all problems it finds. It runs unless a pass that it builds on found an error, so that one mistake is
//! reported once. A variable or parameter of an unknown type is declared with the sort of any rebec, which nothing else
//! has, and is not examined again.
//!
//! Invariant: the resulting model passes [`verify`].

mod body;
mod classes;
mod constants;
mod context;
mod effects;
mod expressions;
mod headers;
mod independence;
mod instances;
mod operators;
mod places;
mod products;
mod properties;
mod sends;
mod signatures;
mod statements;

pub use properties::{lower_condition, lower_properties};

use crate::diagnostics::Diagnostics;
use crate::model::verify::verify;
use crate::model::{Dialect, Model};
use crate::syntax::ast;
use context::Context;

/// The greatest number of elements in the variables of a class, of all rebecs of `main` together, or in the locals of a body.
pub const MAX_ELEMENTS: u32 = 65_536;

/// The greatest number of rebecs in `main`.
pub const MAX_REBECS: usize = 10_000;

/// The greatest number of classes.
pub const MAX_CLASSES: usize = 2_048;

/// The greatest number of variables of a class, and of locals of a body.
pub const MAX_VARIABLES: usize = 4_096;

/// The greatest queue bound.
pub const MAX_QUEUE_BOUND: i32 = 65_535;

/// The choices that the command line makes for a model.
#[derive(Clone, Default, Debug)]
pub struct LowerOptions {
    /// The dialect; by content if absent.
    pub dialect: Option<Dialect>,
    /// Values for `env` constants, replacing those of the text, and for feature variables.
    pub constants: Vec<(String, i64)>,
}

/// Lowers a tree without errors to a model; `None` when an error was reported.
pub fn lower(program: &ast::Program, options: &LowerOptions, diagnostics: &mut Diagnostics) -> Option<Model> {
    let before = diagnostics.errors;
    let chosen;
    let program = if program.is_annotated {
        chosen = products::choose(program, options, diagnostics)?;
        &chosen
    } else {
        program
    };
    let mut context = Context::new(program, diagnostics);
    constants::declare(&mut context, options);
    headers::declare(&mut context, options);
    if context.diagnostics.errors > before {
        return None;
    }
    classes::declare_variables(&mut context);
    signatures::declare(&mut context);
    let declared = context.diagnostics.errors == before;
    instances::declare(&mut context);
    if declared {
        body::lower_bodies(&mut context);
    }
    if context.diagnostics.errors > before {
        return None;
    }
    let declared = program.main.iter().map(Vec::len).sum::<usize>();
    assert_eq!(context.model.instances.len(), declared, "a rebec has the number of its place in `main`");
    instances::warn_aliased_groups(&mut context);
    debug_assert!(verify(&context.model).is_empty(), "a lowered model is well formed");
    Some(context.model)
}
