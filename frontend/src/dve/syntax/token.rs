//! Tokens of DVE.
//!
//! White space and comments (`// ..` and `/* .. */`, not nested) separate tokens and are dropped. Characters that start no
//! token are reported, once per run of them, and dropped.
//!
//! Complexity: linear in the text.

use super::ast::ExprKind;
use crate::diagnostics::{Code, Diagnostics, codes};
use crate::dve::MAX_NESTING;
use crate::text::{self, Faults, Kind, Token, plain_token, token_kinds};

token_kinds! {
    other: [Name = "a name", Number = "a number", End = "the end of the text",]
    words: [
    Accept = "accept", And = "and", Assert = "assert", Async = "async", Byte = "byte", Channel = "channel",
    Commit = "commit", Const = "const", Effect = "effect", False = "false", Guard = "guard", Imply = "imply",
    Init = "init", Int = "int", Not = "not", Or = "or", Process = "process", Property = "property", State = "state",
    Sync = "sync", System = "system", Trans = "trans", True = "true",
    ]
    symbols: [
    Arrow = "->", ShiftLeft = "<<", ShiftRight = ">>", EqualEqual = "==", NotEqual = "!=", LessEqual = "<=",
    GreaterEqual = ">=", DoubleAnd = "&&", DoubleBar = "||", ParenOpen = "(", ParenClose = ")", BraceOpen = "{",
    BraceClose = "}", BracketOpen = "[", BracketClose = "]", Comma = ",", Semicolon = ";", Colon = ":", Dot = ".",
    Assign = "=", Less = "<", Greater = ">", Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%",
    Exclamation = "!", Question = "?", Tilde = "~", Ampersand = "&", Bar = "|", Caret = "^",
    ]
}

impl Kind for TokenKind {
    const NAME: TokenKind = TokenKind::Name;
    const NUMBER: TokenKind = TokenKind::Number;
    const END: TokenKind = TokenKind::End;
    const COMMA: TokenKind = TokenKind::Comma;
    const TRAILING_COMMA: bool = true;
    const MAX_NESTING: usize = MAX_NESTING;
    const UNEXPECTED: Code = codes::DVE_UNEXPECTED;
    const TOO_DEEP: Code = codes::DVE_TOO_DEEP;
    const NAME_PARTS: &'static str = "write shorter conditions, or keep parts of it in variables";
    const MAX_LEVELS: usize = 3 * MAX_NESTING;
    type Mode = ();
    type ExprKind = ExprKind;
}

/// The tokens of a text.
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token<TokenKind>> {
    let faults = Faults { open_comment: codes::DVE_OPEN_COMMENT, character: codes::DVE_CHARACTER };
    text::tokens(text, sink, faults, plain_token)
}
