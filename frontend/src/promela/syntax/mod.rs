//! The text of Promela: tokens, tree, parser.

pub(super) mod ast;
mod expressions;
pub(super) mod parser;
mod statements;
pub(super) mod token;
