//! Tokens of `.lpe`.
//!
//! White space and comments (`// ..` and `/* .. */`, not nested) separate tokens and are dropped. Characters that start
//! no token are reported, once per run of them, and dropped. A spelling of another language (`==`, `%`, ..) becomes the
//! intended token, and the parser reports it. Names of other languages, such as `P_0.x` or `sum`, stand in backquotes.
//!
//! Complexity: linear in the text.

use super::ast::ExprKind;
use crate::diagnostics::{Code, Diagnostics, codes};
use crate::sequential::MAX_NESTING;
use crate::text::{self, Faults, Kind, Token, Words, plain_token, token_kinds};

token_kinds! {
    other: [Name = "a name", Number = "a number", Text = "a text", End = "the end of the text",]
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
    const NAME: TokenKind = TokenKind::Name;
    const NUMBER: TokenKind = TokenKind::Number;
    const END: TokenKind = TokenKind::End;
    const COMMA: TokenKind = TokenKind::Comma;
    const TRAILING_COMMA: bool = false;
    const MAX_NESTING: usize = MAX_NESTING;
    const UNEXPECTED: Code = codes::LPE_UNEXPECTED;
    const TOO_DEEP: Code = codes::LPE_TOO_DEEP;
    const NAME_PARTS: &'static str = "name parts of it by `prop`, or write shorter conditions";
    const MAX_LEVELS: usize = 5 * MAX_NESTING / 2;
    type Mode = Mode;
    type ExprKind = ExprKind;

    fn name_of(text: &str) -> &str {
        text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(text)
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
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    first && text.chars().all(is_plain) && TokenKind::word(text).is_none()
}

/// Whether a text is a name: words joined by dots, those of the language included, in which digits may come first and hyphens stand, and
/// a list of such words in parentheses behind them. What is no [`is_word`] is written in backquotes.
pub(in crate::sequential) fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        let fits = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
        !part.is_empty() && part.chars().all(fits)
    };
    let (name, list) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => (name, Some(rest.strip_suffix(')').unwrap_or_default())),
    };
    name.split('.').all(is_part) && list.is_none_or(|list| list.split(',').all(is_part))
}

/// Words that mean something at some places only.
const CONTEXTUAL: &[&str] = &["G", "F", "X", "U", "W", "R", "var", "for", "while", "fail", "fair"];

/// A name as it is written: in backquotes if it could be read as something else.
pub(in crate::sequential) fn written(name: &str) -> std::borrow::Cow<'_, str> {
    if is_word(name) && !CONTEXTUAL.contains(&name) { name.into() } else { format!("`{name}`").into() }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token<TokenKind>> {
    let faults = Faults { open_comment: codes::LPE_OPEN_COMMENT, character: codes::LPE_CHARACTER };
    text::tokens(text, sink, faults, token)
}

/// The token at the start of a text and its length.
fn token(rest: &str) -> Option<(TokenKind, usize)> {
    let first = rest.chars().next()?;
    if first == '"' {
        let inner = rest[1..].find(['"', '\n'])?;
        return rest[1 + inner..].starts_with('"').then_some((TokenKind::Text, inner + 2));
    }
    if first == '`' {
        let len = rest[1..].find('`')?;
        return is_name(&rest[1..=len]).then_some((TokenKind::Name, len + 2));
    }
    plain_token(rest)
}
