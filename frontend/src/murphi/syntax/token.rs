//! Tokens of Murphi.
//!
//! White space separates tokens and is dropped; comments (`-- ..` and `/* .. */`, not nested) are kept in a list of their
//! own, for the printer. Keywords are read without regard to case, names with it. Characters that start no token are
//! reported, once per run of them, and dropped.
//!
//! Complexity: linear in the text.

use super::ast::ExprKind;
use crate::diagnostics::{Code, Diagnostics, codes};
use crate::murphi::MAX_NESTING;
use crate::source::Span;
use crate::text::{Kind, Scanner, Token, Words, name_len, run, symbol, token_kinds};

token_kinds! {
    other: [
    Name = "a name", Number = "a number", Fraction = "a number", Text = "a text", EndOfText = "the end of the text",
    ]
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

impl Kind for TokenKind {
    const NAME: TokenKind = TokenKind::Name;
    const NUMBER: TokenKind = TokenKind::Number;
    const END: TokenKind = TokenKind::EndOfText;
    const COMMA: TokenKind = TokenKind::Comma;
    const TRAILING_COMMA: bool = true;
    const MAX_NESTING: usize = MAX_NESTING;
    const UNEXPECTED: Code = codes::MURPHI_UNEXPECTED;
    const TOO_DEEP: Code = codes::MURPHI_TOO_DEEP;
    const NAME_PARTS: &'static str = "name parts of it by functions or aliases, or write shorter conditions";
    const WORD_AS_NAME: &'static str =
        "words of the language, in upper or lower case, cannot be names: choose another name";
    const MAX_LEVELS: usize = 5 * MAX_NESTING / 2;
    type Mode = ();
    type ExprKind = ExprKind;

    fn is_shown(self) -> bool {
        matches!(self, TokenKind::Name | TokenKind::Number | TokenKind::Fraction)
    }
}

/// The tokens of a text and its comments.
pub(super) struct Tokens {
    /// The tokens.
    pub(super) list: Vec<Token<TokenKind>>,
    /// The comments, in order.
    pub(super) comments: Vec<Span>,
}

/// Splits a text.
pub(super) fn tokens(text: &str, sink: &mut Diagnostics) -> Tokens {
    let mut lexer = Lexer { scanner: Scanner::new(text, sink), comments: Vec::new() };
    let list = std::iter::from_fn(|| lexer.next()).collect();
    assert!(lexer.scanner.rest().is_empty(), "the tokens cover the text");
    debug_assert!(
        lexer.comments.windows(2).all(|pair| pair[0].end <= pair[1].start),
        "comments are in the order of the text, for the printer"
    );
    Tokens { list, comments: lexer.comments }
}

struct Lexer<'a> {
    scanner: Scanner<'a>,
    comments: Vec<Span>,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<Token<TokenKind>> {
        loop {
            self.scanner.skip(self.scanner.run(char::is_whitespace));
            let rest = self.scanner.rest();
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with("--") || rest.starts_with("/*") {
                self.comment();
            } else if let Some((kind, len)) = self.token() {
                return Some(self.scanner.take(kind, len));
            } else {
                self.scanner.unexpected(codes::MURPHI_CHARACTER, starts_token);
            }
        }
    }

    fn comment(&mut self) {
        let start = self.scanner.at();
        if self.scanner.rest().starts_with("--") {
            self.scanner.skip(self.scanner.run(|character| character != '\n'));
        } else if !self.scanner.skip_block_comment() {
            self.open(start, 1, "the comment is never closed", "close it by `*/`, or use `--` for one line");
        }
        let len = self.scanner.text_from(start).trim_end().len();
        self.comments.push(self.scanner.span(start, start + len));
    }

    fn open(&mut self, start: usize, len: usize, message: &str, help: &str) {
        self.scanner.report(codes::MURPHI_OPEN, self.scanner.span(start, start + len), message, help);
    }

    /// The token at the current place and its length.
    fn token(&mut self) -> Option<(TokenKind, usize)> {
        let first = self.scanner.rest().chars().next()?;
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if first == '"' || first == '“' {
            return Some((TokenKind::Text, self.quoted(first)));
        }
        let rest = self.scanner.rest();
        if let Some(len) = name_len(rest) {
            return Some((TokenKind::word(&rest[..len].to_ascii_lowercase()).unwrap_or(TokenKind::Name), len));
        }
        symbol(rest)
    }

    fn number(&self) -> (TokenKind, usize) {
        let rest = self.scanner.rest();
        if rest.starts_with("0x") || rest.starts_with("0X") {
            let digits = run(&rest[2..], |character| character.is_ascii_hexdigit());
            return (TokenKind::Number, 2 + digits);
        }
        let len = self.scanner.run(|character| character.is_ascii_digit());
        let fraction =
            rest[len..].strip_prefix('.').map_or(0, |after| run(after, |character| character.is_ascii_digit()));
        if fraction > 0 { (TokenKind::Fraction, len + 1 + fraction) } else { (TokenKind::Number, len) }
    }

    /// The length of a text in quotes; a backslash takes the next character with it.
    fn quoted(&mut self, opener: char) -> usize {
        let mut characters = self.scanner.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => drop(characters.next()),
                '"' | '”' => return at + character.len_utf8(),
                _ => {}
            }
        }
        self.open(
            self.scanner.at(),
            opener.len_utf8(),
            "the text is never closed",
            "close it by `\"`; within a text a quote is written `\\\"`",
        );
        self.scanner.rest().find('\n').map_or(self.scanner.rest().len(), |line| line.max(opener.len_utf8()))
    }
}

/// Whether a token starts a text.
fn starts_token(rest: &str) -> bool {
    rest.starts_with(|first: char| first.is_ascii_alphanumeric() || matches!(first, '_' | '"' | '“'))
        || symbol::<TokenKind>(rest).is_some()
}
