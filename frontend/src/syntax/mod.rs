//! Text to syntax tree.

pub mod ast;
mod format;
mod lexer;
mod parser;
pub mod temporal;
mod token;

pub use format::format;
pub use lexer::{lex, lex_with_comments};
pub use parser::{MAX_NESTING, parse_model, parse_properties};
pub use token::{Token, TokenKind};

#[cfg(test)]
mod tests;
