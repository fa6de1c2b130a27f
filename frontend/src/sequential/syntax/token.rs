//! Tokens of `.lpe`.
//!
//! White space and comments (`// ..` and `/* .. */`, not nested) separate tokens and are dropped. Characters that start
//! no token are reported, once per run of them, and dropped. A spelling of another language (`==`, `%`, ..) becomes the
//! intended token, and the parser reports it.
//!
//! Complexity: linear in the text.

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;

/// The elementary steps of reading a token and of what is made of it.
pub(super) const TOKEN: u64 = 64;

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
            /// The token as a diagnostic names it.
            pub(super) fn describe(self) -> &'static str {
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

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    /// The kind.
    pub(super) kind: TokenKind,
    /// The place.
    pub(super) span: Span,
}

/// Whether a text is a name: one token, and no word of the language.
pub(in crate::sequential) fn is_name(text: &str) -> bool {
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let rest = text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    first && rest && word(text) == TokenKind::Name
}

/// The tokens of a text; the last one is [`TokenKind::End`].
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, sink };
    let mut list = Vec::new();
    while let Some(token) = lexer.next() {
        list.push(token);
    }
    list.push(Token { kind: TokenKind::End, span: lexer.span(text.len(), text.len()) });
    list
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    sink: &'a mut Diagnostics,
}

impl Lexer<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        let offset = |at: usize| u32::try_from(at.min(self.text.len())).unwrap_or(u32::MAX - 1);
        Span::new(offset(start), offset(end))
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The length of the longest prefix of the rest whose characters fit.
    fn run(&self, fits: impl Fn(char) -> bool) -> usize {
        self.rest().find(|character| !fits(character)).unwrap_or(self.rest().len())
    }

    fn next(&mut self) -> Option<Token> {
        limits::work(TOKEN);
        loop {
            self.at += self.run(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.at += self.run(|character| character != '\n');
            } else if self.rest().starts_with("/*") {
                self.block_comment();
            } else if self.rest().is_empty() {
                return None;
            } else if let Some((kind, len)) = self.token() {
                let start = self.at;
                self.at += len;
                return Some(Token { kind, span: self.span(start, self.at) });
            } else {
                self.unexpected();
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        if let Some(len) = self.rest()[2..].find("*/") {
            self.at += len + 4;
            return;
        }
        self.at = self.text.len();
        let message = "the comment is never closed";
        let diagnostic = Diagnostic::error(codes::LPE_OPEN_COMMENT, self.span(start, start + 2), message);
        self.sink.push(diagnostic.help("close it by `*/`"));
    }

    /// The token at the current place and its length.
    fn token(&self) -> Option<(TokenKind, usize)> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if first.is_ascii_digit() {
            return Some((TokenKind::Number, self.run(|character| character.is_ascii_digit())));
        }
        if first == '"' {
            let inner = rest[1..].find(['"', '\n'])?;
            return rest[1 + inner..].starts_with('"').then_some((TokenKind::Text, inner + 2));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let len = self.run(|character| character.is_ascii_alphanumeric() || character == '_');
            return Some((word(&rest[..len]), len));
        }
        SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)).map(|&(symbol, kind)| (kind, symbol.len()))
    }

    /// Reports and skips characters that start no token.
    fn unexpected(&mut self) {
        let start = self.at;
        while let Some(character) = self.rest().chars().next()
            && !character.is_whitespace()
            && self.token().is_none()
        {
            self.at += character.len_utf8();
        }
        let shown: String = self.text[start..self.at].chars().take(20).collect();
        let message = format!("`{}` is no part of the language", shown.escape_debug());
        let diagnostic = Diagnostic::error(codes::LPE_CHARACTER, self.span(start, self.at), message);
        self.sink.push(diagnostic.help("names are made of the letters a to z and A to Z, digits and `_`"));
    }
}
