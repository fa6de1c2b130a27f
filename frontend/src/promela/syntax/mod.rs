//! The text of Promela: tokens, tree, parser.

pub(super) mod ast;
mod children;
mod expressions;
pub(super) mod parser;
mod statements;
pub(super) mod token;

pub(super) use self::children::Child;
