//! Syntax tree to [`Model`]: resolves names, checks types, flattens inheritance and hoists effects out of expressions.
//!
//! Passes, in order: constants, class headers and hierarchy, variables, signatures, bodies, the rebecs of `main`. All
//! problems of one pass are reported before the next begins; a pass runs only when those before it found no error, so that
//! one mistake is told once.
//!
//! Invariant: a model that comes out passes [`verify`](crate::model::verify::verify).

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
mod properties;
mod sends;
mod signatures;
mod statements;

pub use properties::lower_properties;

use crate::diagnostics::Diagnostics;
use crate::model::{Dialect, Model};
use crate::syntax::ast;
use context::Context;

/// The greatest number of elements in the variables of a class, or in the locals of a body.
pub const MAX_ELEMENTS: u32 = 65_536;

/// The greatest number of rebecs in `main`.
pub const MAX_REBECS: usize = 65_536;

/// The greatest number of classes.
pub const MAX_CLASSES: usize = 2_048;

/// The greatest number of variables of a class, and of locals of a body.
pub const MAX_VARIABLES: usize = 4_096;

/// The greatest queue bound.
pub const MAX_QUEUE_BOUND: i32 = 65_535;

/// What the command line fixes about a model.
#[derive(Clone, Default, Debug)]
pub struct LowerOptions {
    /// The dialect; by content if absent.
    pub dialect: Option<Dialect>,
    /// Values for `env` constants, replacing those of the text.
    pub constants: Vec<(String, i64)>,
}

/// Lowers a tree without errors to a model; `None` when an error was reported.
pub fn lower(program: &ast::Program, options: &LowerOptions, diagnostics: &mut Diagnostics) -> Option<Model> {
    let before = diagnostics.errors;
    let mut context = Context::new(program, diagnostics);
    let passes: [fn(&mut Context<'_, '_>, &LowerOptions); 5] =
        [constants::declare, headers::declare, classes::declare_variables, signatures::declare, instances::declare];
    for pass in passes {
        pass(&mut context, options);
        if context.diagnostics.errors > before {
            return None;
        }
    }
    body::lower_bodies(&mut context);
    if context.diagnostics.errors > before {
        return None;
    }
    instances::warn_aliased_groups(&mut context);
    Some(context.model)
}
