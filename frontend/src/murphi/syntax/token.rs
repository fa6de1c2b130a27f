//! Tokens of Murphi.
//!
//! White space separates tokens and is dropped; comments (`-- ..` and `/* .. */`, not nested) are kept in a list of their
//! own, for the printer. Keywords are read without regard to case, names with it. Characters that start no token are
//! reported, once per run of them, and dropped.
//!
//! Complexity: linear in the text.

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;

/// The elementary steps of reading a token and of what is made of it.
pub(super) const TOKEN: u64 = 64;

macro_rules! tokens {
    (words: [$($word:ident = $word_text:literal,)*] symbols: [$($symbol:ident = $($symbol_text:literal)|+,)*]) => {
        /// The kind of a token.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum TokenKind {
            /// A name.
            Name,
            /// An integer, decimal, octal or hexadecimal.
            Number,
            /// A number with a fraction.
            Fraction,
            /// A text in quotes.
            Text,
            /// The end of the text.
            EndOfText,
            $(#[doc = $word_text] $word,)*
            $(#[doc = concat!($("`", $symbol_text, "` "),+)] $symbol,)*
        }

        impl TokenKind {
            /// The token as a diagnostic names it.
            pub(super) fn describe(self) -> &'static str {
                match self {
                    TokenKind::Name => "a name",
                    TokenKind::Number | TokenKind::Fraction => "a number",
                    TokenKind::Text => "a text",
                    TokenKind::EndOfText => "the end of the text",
                    $(TokenKind::$word => concat!("`", $word_text, "`"),)*
                    $(TokenKind::$symbol => first(&[$(concat!("`", $symbol_text, "`")),+]),)*
                }
            }

            /// Whether the token is a word of the language.
            pub(super) fn is_word(self) -> bool {
                matches!(self, $(TokenKind::$word)|*)
            }
        }

        fn word(text: &str) -> TokenKind {
            match text.to_ascii_lowercase().as_str() {
                $($word_text => TokenKind::$word,)*
                _ => TokenKind::Name,
            }
        }

        /// The symbols, longer ones before their prefixes.
        const SYMBOLS: &[(&str, TokenKind)] = &[$($(($symbol_text, TokenKind::$symbol),)+)*];
    };
}

const fn first(spellings: &[&'static str]) -> &'static str {
    spellings[0]
}

tokens! {
    words: [
    Alias = "alias", Array = "array", Assert = "assert", Assume = "assume", Begin = "begin", Boolean = "boolean", By = "by",
    Case = "case", Choose = "choose", Clear = "clear", Const = "const", Cover = "cover", Do = "do", Else = "else",
    Elsif = "elsif", End = "end", EndAlias = "endalias", EndChoose = "endchoose", EndExists = "endexists",
    EndFor = "endfor", EndForall = "endforall", EndFunction = "endfunction", EndIf = "endif",
    EndProcedure = "endprocedure", EndRecord = "endrecord", EndRule = "endrule", EndRuleset = "endruleset",
    EndStartstate = "endstartstate", EndSwitch = "endswitch", EndWhile = "endwhile", Enum = "enum", Error = "error",
    Exists = "exists", ExternFunction = "externfun", ExternProcedure = "externproc", False = "false", For = "for",
    Forall = "forall", Function = "function", If = "if", Invariant = "invariant", IsMember = "ismember",
    IsUndefined = "isundefined", Liveness = "liveness", Multiset = "multiset", MultisetAdd = "multisetadd",
    MultisetCount = "multisetcount", MultisetRemove = "multisetremove", MultisetRemovePred = "multisetremovepred",
    Of = "of", Pctl = "pctl", Procedure = "procedure", Put = "put", Real = "real", Record = "record", Return = "return",
    Rule = "rule", Ruleset = "ruleset", Scalarset = "scalarset", Startstate = "startstate", Switch = "switch",
    Then = "then", To = "to", True = "true", Type = "type", Undefine = "undefine", Undefined = "undefined",
    Union = "union", Var = "var", While = "while",
    ]
    symbols: [
    Arrow = "==>" | "⇒", EqualEqual = "==", Assign = ":=" | "≔", Implies = "->" | "→", DotDot = "..",
    LessEqual = "<=" | "≤", GreaterEqual = ">=" | "≥", NotEqual = "!=" | "≠", ShiftLeft = "<<", ShiftRight = ">>",
    And = "&&" | "∧", Or = "||" | "∨", ParenOpen = "(", ParenClose = ")", BraceOpen = "{", BraceClose = "}",
    BracketOpen = "[", BracketClose = "]", Comma = ",", Semicolon = ";", Colon = ":", Dot = ".", Equal = "=",
    Less = "<", Greater = ">", Plus = "+", Minus = "-" | "−", Star = "*" | "×", Slash = "/" | "÷" | "∕",
    Percent = "%", Not = "!" | "¬", Tilde = "~", Ampersand = "&", Bar = "|", Caret = "^", Question = "?",
    ForallSign = "∀", ExistsSign = "∃",
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

/// The tokens of a text and its comments.
pub(super) struct Tokens {
    /// The tokens; the last one is [`TokenKind::EndOfText`].
    pub(super) list: Vec<Token>,
    /// The comments, in order.
    pub(super) comments: Vec<Span>,
}

/// Splits a text.
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Tokens {
    let mut lexer = Lexer { text, at: 0, sink, comments: Vec::new() };
    let mut list = Vec::new();
    while let Some(token) = lexer.next() {
        list.push(token);
    }
    list.push(Token { kind: TokenKind::EndOfText, span: lexer.span(text.len(), text.len()) });
    Tokens { list, comments: lexer.comments }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    sink: &'a mut Diagnostics,
    comments: Vec<Span>,
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
            if self.rest().is_empty() {
                return None;
            }
            if self.rest().starts_with("--") || self.rest().starts_with("/*") {
                self.comment();
            } else if let Some((kind, len)) = self.token() {
                let start = self.at;
                self.at += len;
                return Some(Token { kind, span: self.span(start, self.at) });
            } else {
                self.unexpected();
            }
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        if self.rest().starts_with("--") {
            self.at += self.run(|character| character != '\n');
        } else if let Some(len) = self.rest()[2..].find("*/") {
            self.at += len + 4;
        } else {
            self.at = self.text.len();
            self.open(start, "the comment is never closed", "close it by `*/`, or use `--` for one line");
        }
        let len = self.text[start..self.at].trim_end().len();
        self.comments.push(self.span(start, start + len));
    }

    fn open(&mut self, start: usize, message: &str, help: &str) {
        let len = self.text[start..].chars().next().map_or(0, char::len_utf8);
        let diagnostic = Diagnostic::error(codes::MURPHI_OPEN, self.span(start, start + len), message);
        self.sink.push(diagnostic.help(help));
    }

    /// The token at the current place and its length.
    fn token(&mut self) -> Option<(TokenKind, usize)> {
        let first = self.rest().chars().next()?;
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if first == '"' || first == '“' {
            return Some((TokenKind::Text, self.quoted(first)));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let len = self.run(|character| character.is_ascii_alphanumeric() || character == '_');
            return Some((word(&self.rest()[..len]), len));
        }
        SYMBOLS.iter().find(|(symbol, _)| self.rest().starts_with(symbol)).map(|&(symbol, kind)| (kind, symbol.len()))
    }

    fn number(&self) -> (TokenKind, usize) {
        let rest = self.rest();
        if rest.starts_with("0x") || rest.starts_with("0X") {
            let digits = rest[2..].find(|character: char| !character.is_ascii_hexdigit()).unwrap_or(rest.len() - 2);
            return (TokenKind::Number, 2 + digits);
        }
        let len = self.run(|character| character.is_ascii_digit());
        let fraction = rest[len..]
            .strip_prefix('.')
            .map_or(0, |after| after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len()));
        if fraction > 0 { (TokenKind::Fraction, len + 1 + fraction) } else { (TokenKind::Number, len) }
    }

    /// The length of a text in quotes; a backslash takes the next character with it.
    fn quoted(&mut self, opener: char) -> usize {
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => drop(characters.next()),
                '"' | '”' => return at + character.len_utf8(),
                _ => {}
            }
        }
        self.open(self.at, "the text is never closed", "close it by `\"`; within a text a quote is written `\\\"`");
        self.rest().find('\n').map_or(self.rest().len(), |line| line.max(opener.len_utf8()))
    }

    /// Whether a token starts at an offset.
    fn starts_token(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        rest.starts_with(|first: char| first.is_ascii_alphanumeric() || matches!(first, '_' | '"' | '“'))
            || SYMBOLS.iter().any(|(symbol, _)| rest.starts_with(symbol))
    }

    /// Reports and skips characters that start no token.
    fn unexpected(&mut self) {
        let start = self.at;
        while let Some(character) = self.rest().chars().next()
            && !character.is_whitespace()
            && !self.starts_token(self.at)
        {
            self.at += character.len_utf8();
        }
        let shown: String = self.text[start..self.at].chars().take(20).collect();
        let message = format!("`{}` is no part of the language", shown.escape_debug());
        let diagnostic = Diagnostic::error(codes::MURPHI_CHARACTER, self.span(start, self.at), message);
        self.sink.push(diagnostic.help("names are made of the letters a to z and A to Z, digits and `_`"));
    }
}
