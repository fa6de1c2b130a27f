//! Tokens of DVE.
//!
//! White space and comments (`// ..` and `/* .. */`, not nested) separate tokens and are dropped. Characters that start no
//! token are reported, once per run of them, and dropped.
//!
//! Complexity: linear in the text.

use crate::diagnostics::{Code, Diagnostics, codes};
use crate::dve::MAX_NESTING;
use crate::text::{self, Faults, Kind, Token};

macro_rules! tokens {
    (words: [$($word:ident = $word_text:literal,)*] symbols: [$($symbol:ident = $symbol_text:literal,)*]) => {
        /// The kind of a token.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum TokenKind {
            /// A name.
            Name,
            /// A decimal number.
            Number,
            /// The end of the text.
            End,
            $(#[doc = $word_text] $word,)*
            $(#[doc = $symbol_text] $symbol,)*
        }

        impl TokenKind {
            fn description(self) -> &'static str {
                match self {
                    TokenKind::Name => "a name",
                    TokenKind::Number => "a number",
                    TokenKind::End => "the end of the text",
                    $(TokenKind::$word => concat!("`", $word_text, "`"),)*
                    $(TokenKind::$symbol => concat!("`", $symbol_text, "`"),)*
                }
            }

            /// Whether the token is a word of the language.
            pub(super) fn is_word(self) -> bool {
                matches!(self, $(TokenKind::$word)|*)
            }
        }

        fn word(text: &str) -> TokenKind {
            match text {
                $($word_text => TokenKind::$word,)*
                _ => TokenKind::Name,
            }
        }

        /// The symbols, longer ones before their prefixes.
        const SYMBOLS: &[(&str, TokenKind)] = &[$(($symbol_text, TokenKind::$symbol),)*];
    };
}

tokens! {
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
    const END: TokenKind = TokenKind::End;
    const COMMA: TokenKind = TokenKind::Comma;
    const TRAILING_COMMA: bool = true;
    const MAX_NESTING: usize = MAX_NESTING;
    const UNEXPECTED: Code = codes::DVE_UNEXPECTED;
    const TOO_DEEP: Code = codes::DVE_TOO_DEEP;
    const NAME_PARTS: &'static str = "write shorter conditions, or keep parts of it in variables";
    type Mode = ();

    fn describe(self) -> &'static str {
        self.description()
    }

    fn is_shown(self) -> bool {
        matches!(self, TokenKind::Name | TokenKind::Number)
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token<TokenKind>> {
    let faults = Faults { open_comment: codes::DVE_OPEN_COMMENT, character: codes::DVE_CHARACTER };
    text::tokens(text, sink, faults, token)
}

/// The token at the start of a text and its length.
fn token(rest: &str) -> Option<(TokenKind, usize)> {
    let run = |fits: fn(char) -> bool| rest.find(|character| !fits(character)).unwrap_or(rest.len());
    let first = rest.chars().next()?;
    if first.is_ascii_digit() {
        return Some((TokenKind::Number, run(|character| character.is_ascii_digit())));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let len = run(|character| character.is_ascii_alphanumeric() || character == '_');
        return Some((word(&rest[..len]), len));
    }
    SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)).map(|&(symbol, kind)| (kind, symbol.len()))
}
