//! Tokens of `.lpe`.
//!
//! White space and comments (`// ..` and `/* .. */`, not nested) separate tokens and are dropped. Characters that start
//! no token are reported, once per run of them, and dropped. A spelling of another language (`==`, `%`, ..) becomes the
//! intended token, and the parser reports it. Names of other languages, such as `P_0.x` or `sum`, stand in backquotes.
//!
//! Complexity: linear in the text.

use crate::diagnostics::{Code, Diagnostics, codes};
use crate::sequential::MAX_NESTING;
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
            /// A text in double quotes, on one line.
            Text,
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
                    TokenKind::Text => "a text",
                    TokenKind::End => "the end of the text",
                    $(TokenKind::$word => concat!("`", $word_text, "`"),)*
                    $(TokenKind::$symbol => concat!("`", $symbol_text, "`"),)*
                }
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

        /// The words that cannot be names.
        pub(super) const WORDS: &[&str] = &[$($word_text,)*];
    };
}

tokens! {
    words: [
    Const = "const", Type = "type", Proc = "proc", Sum = "sum", Init = "init", Prop = "prop", Assert = "assert",
    Ltl = "ltl", If = "if", Else = "else", Forall = "forall", Exists = "exists", Mod = "mod", Xor = "xor", Ite = "ite",
    PopCount = "popcount", True = "true", False = "false",
    ]
    symbols: [
    Assign = ":=", Implies = "=>", Arrow = "->", EqualEqual = "==", NotEqual = "!=", LessEqual = "<=",
    GreaterEqual = ">=", And = "&&", Or = "||", DotDot = "..", ParenOpen = "(", ParenClose = ")", BraceOpen = "{",
    BraceClose = "}", BracketOpen = "[", BracketClose = "]", Comma = ",", Semicolon = ";", Colon = ":", Dot = ".",
    Equal = "=", Less = "<", Greater = ">", Plus = "+", Minus = "-", Star = "*", Slash = "/", Not = "!",
    Percent = "%", Ampersand = "&", Bar = "|", Caret = "^",
    ]
}

impl Kind for TokenKind {
    const END: TokenKind = TokenKind::End;
    const COMMA: TokenKind = TokenKind::Comma;
    const TRAILING_COMMA: bool = false;
    const MAX_NESTING: usize = MAX_NESTING;
    const UNEXPECTED: Code = codes::LPE_UNEXPECTED;
    const TOO_DEEP: Code = codes::LPE_TOO_DEEP;
    const NAME_PARTS: &'static str = "name parts of it by `prop`, or write shorter conditions";
    type Mode = Mode;

    fn describe(self) -> &'static str {
        self.description()
    }

    fn is_shown(self) -> bool {
        matches!(self, TokenKind::Name | TokenKind::Number)
    }
}

/// The context of the parser.
#[derive(Default)]
pub(super) struct Mode {
    /// Whether temporal operators are part of the expression.
    pub(super) temporal: bool,
}

/// Whether a text is a name that is written without quotes: one token, and no word of the language.
pub(in crate::sequential) fn is_word(text: &str) -> bool {
    is_name(text) && !text.contains('.') && word(text) == TokenKind::Name
}

/// Whether a text is a name: words joined by dots, those of the language included. What is no [`is_word`] is written in
/// backquotes.
pub(in crate::sequential) fn is_name(text: &str) -> bool {
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    first && text.split('.').all(is_part)
}

/// Words that mean something at some places only.
const CONTEXTUAL: &[&str] = &["G", "F", "X", "U", "W", "R", "var", "for", "while", "fail", "fair"];

/// A name as it is written: in backquotes if it could be read as something else.
pub(in crate::sequential) fn written(name: &str) -> std::borrow::Cow<'_, str> {
    if is_word(name) && !CONTEXTUAL.contains(&name) { name.into() } else { format!("`{name}`").into() }
}

/// The name of a token.
pub(super) fn unquoted(text: &str) -> &str {
    text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(text)
}

/// The tokens of a text.
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token<TokenKind>> {
    let faults = Faults { open_comment: codes::LPE_OPEN_COMMENT, character: codes::LPE_CHARACTER };
    text::tokens(text, sink, faults, token)
}

/// The token at the start of a text and its length.
fn token(rest: &str) -> Option<(TokenKind, usize)> {
    let run = |fits: fn(char) -> bool| rest.find(|character| !fits(character)).unwrap_or(rest.len());
    let first = rest.chars().next()?;
    if first.is_ascii_digit() {
        return Some((TokenKind::Number, run(|character| character.is_ascii_digit())));
    }
    if first == '"' {
        let inner = rest[1..].find(['"', '\n'])?;
        return rest[1 + inner..].starts_with('"').then_some((TokenKind::Text, inner + 2));
    }
    if first == '`' {
        let len = rest[1..].find('`')?;
        return is_name(&rest[1..=len]).then_some((TokenKind::Name, len + 2));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let len = run(|character| character.is_ascii_alphanumeric() || character == '_');
        return Some((word(&rest[..len]), len));
    }
    SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)).map(|&(symbol, kind)| (kind, symbol.len()))
}
