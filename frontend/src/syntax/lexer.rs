//! Text to tokens.
//!
//! One pass over the bytes, longest match first. The lexer never fails: a run of characters that start no token becomes
//! one `Unknown` token, so that the parser sees its place. Every malformed token is diagnosed here and keeps the
//! intended kind. [`lex_with_comments`] keeps comments as separate tokens, for the formatter.
//!
//! Invariants: tokens are ordered and do not overlap; the last one is `End`, empty, at the end of the text; every
//! boundary is a character boundary.
//!
//! Complexity: linear in the length of the text.

use super::token::{IntegerFault, Token, TokenKind, integer_value};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::text::{self, TOKEN, Words};

/// The tokens of a text, without comments; ends with an `End` token.
pub fn lex(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    run(text, false, diagnostics)
}

/// The tokens of a text, comments included; ends with an `End` token.
pub fn lex_with_comments(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    run(text, true, diagnostics)
}

fn run(text: &str, keep_comments: bool, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, diagnostics };
    let mut tokens = Vec::with_capacity(text.len() / 8 + 1);
    loop {
        let token = lexer.next();
        if keep_comments || !token.kind.is_comment() {
            tokens.push(token);
        }
        if token.kind == TokenKind::End {
            tokens.shrink_to_fit();
            assert_eq!(lexer.at, text.len(), "the tokens cover the text");
            debug_assert!(
                tokens.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start),
                "tokens do not overlap"
            );
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    diagnostics: &'a mut Diagnostics,
}

/// A span of two byte offsets; texts are at most 32 MiB long, and larger offsets are clipped.
fn span(start: usize, end: usize) -> Span {
    let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX - 1);
    Span::new(clip(start), clip(end))
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && accept(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn next(&mut self) -> Token {
        limits::work(TOKEN);
        self.skip_while(is_space);
        let start = self.at;
        let kind = self.kind();
        debug_assert!(kind == TokenKind::End || start < self.at, "a token has text");
        debug_assert!(self.text.is_char_boundary(self.at), "a token ends between characters");
        let end = if kind == TokenKind::LineComment {
            start + self.text[start..self.at].trim_end_matches([' ', '\t', '\r', '\u{B}', '\u{C}']).len()
        } else {
            self.at
        };
        Token { kind, span: span(start, end) }
    }

    /// Consumes one token at the current place.
    fn kind(&mut self) -> TokenKind {
        if self.at >= self.bytes.len() {
            return TokenKind::End;
        }
        let byte = self.bytes[self.at];
        match byte {
            b'/' if self.peek(1) == b'/' => {
                self.skip_while(|byte| byte != b'\n');
                TokenKind::LineComment
            }
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' => self.string(),
            b'\'' => self.character(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            _ if is_word_start(byte) => {
                let start = self.at;
                self.skip_while(is_word);
                TokenKind::word(&self.text[start..self.at]).unwrap_or(TokenKind::Identifier)
            }
            _ => self.symbol(),
        }
    }

    fn symbol(&mut self) -> TokenKind {
        match text::symbol(&self.text[self.at..]) {
            Some((kind, len)) => {
                self.at += len;
                kind
            }
            None => self.unknown(),
        }
    }

    /// Consumes a run of characters that start no token.
    fn unknown(&mut self) -> TokenKind {
        let start = self.at;
        let first = self.text[start..].chars().next().unwrap_or('\u{FFFD}');
        self.skip_while(|byte| {
            let quote_or_symbol = b"\"'()[]{};,.:?@=+-*/%!~&|^<>".contains(&byte);
            !(is_word(byte) || is_space(byte) || quote_or_symbol)
        });
        let run = &self.text[start..self.at];
        let message = match run.chars().count() {
            1 => format!("unknown character `{first}` (U+{:04X})", u32::from(first)),
            count => format!("{count} unknown characters, the first is `{first}` (U+{:04X})", u32::from(first)),
        };
        let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, span(start, self.at), message);
        self.diagnostics.push(diagnostic.help_opt(substitute(first).map(String::from)));
        TokenKind::Unknown
    }

    fn block_comment(&mut self) -> TokenKind {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(len) => self.at = start + 2 + len + 2,
            None => {
                self.at = self.bytes.len();
                let diagnostic = Diagnostic::error(
                    codes::UNTERMINATED_COMMENT,
                    span(start, start + 2),
                    "this comment is never closed",
                );
                self.diagnostics.push(diagnostic.help("close it with `*/`"));
            }
        }
        TokenKind::BlockComment
    }

    fn string(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        loop {
            self.skip_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n'));
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return TokenKind::Text;
                }
                b'\\' => self.escape(),
                _ => {
                    let diagnostic = Diagnostic::error(
                        codes::UNTERMINATED_STRING,
                        span(start, self.at),
                        "this string is not closed on its line",
                    );
                    self.diagnostics.push(diagnostic.help("close it with `\"`; a line break is written `\\n`"));
                    return TokenKind::Text;
                }
            }
        }
    }

    /// Consumes an escape of a string, diagnosing unknown ones.
    fn escape(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        match unescape_one(rest) {
            Some((_, len)) => self.at += len,
            None => {
                let next = rest[1..].chars().next();
                self.at += 1 + next.filter(|&next| next != '\n').map_or(0, char::len_utf8);
                if next.is_some_and(|next| next != '\n') {
                    let message = format!("unknown escape `{}`", &self.text[start..self.at]);
                    let diagnostic = Diagnostic::error(codes::UNKNOWN_ESCAPE, span(start, self.at), message);
                    let help =
                        "the escapes are \\n \\t \\r \\b \\f \\0 \\\" \\' \\\\ and \\u with four hexadecimal digits";
                    self.diagnostics.push(diagnostic.help(help));
                }
            }
        }
    }

    /// A character literal, or a prime on its own.
    fn character(&mut self) -> TokenKind {
        let start = self.at;
        let mut rest = self.text[start + 1..].chars();
        let escaped = rest.as_str().starts_with('\\');
        if escaped {
            rest.next();
        }
        let body = rest.next().filter(|&body| body != '\n' && (escaped || body != '\''));
        if body.is_none() || rest.next() != Some('\'') {
            self.at += 1;
            return TokenKind::Prime;
        }
        self.at = self.text.len() - rest.as_str().len();
        let message = "character literals are not part of Rebeca";
        let diagnostic = Diagnostic::error(codes::CHARACTER_LITERAL, span(start, self.at), message);
        self.diagnostics.push(diagnostic.help("use a number, or an `env` variable that names it"));
        TokenKind::Character
    }

    /// An integer or floating-point literal, with all characters attached to it.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        self.skip_while(|byte| byte.is_ascii_digit() || byte == b'_');
        let mut float = false;
        if !hexadecimal && self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            float = true;
            self.at += 1;
            self.skip_while(|byte| byte.is_ascii_digit() || byte == b'_');
        }
        float |= !hexadecimal && self.exponent();
        if !hexadecimal && matches!(self.peek(0), b'f' | b'F' | b'd' | b'D') && !is_word(self.peek(1)) {
            float = true;
            self.at += 1;
        }
        self.skip_while(is_word);
        if float {
            return TokenKind::Float;
        }
        let text = &self.text[start..self.at];
        let place = span(start, self.at);
        match integer_value(text) {
            Ok(_) => {}
            Err(IntegerFault::TooLarge) => {
                let message = format!("the number `{}` does not fit into 32 bits", shorten(text));
                let help = "integers reach from -2147483648 to 2147483647";
                self.diagnostics.push(Diagnostic::error(codes::INTEGER_TOO_LARGE, place, message).help(help));
            }
            Err(IntegerFault::Malformed) => {
                let message = format!("`{}` is not a number", shorten(text));
                let diagnostic = Diagnostic::error(codes::MALFORMED_NUMBER, place, message);
                self.diagnostics.push(diagnostic.help(number_help(text)));
            }
        }
        TokenKind::Integer
    }

    /// Consumes `e5`, `E-3` after the digits of a number.
    fn exponent(&mut self) -> bool {
        if !matches!(self.peek(0), b'e' | b'E') {
            return false;
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if !self.peek(1 + sign).is_ascii_digit() {
            return false;
        }
        self.at += 2 + sign;
        self.skip_while(|byte| byte.is_ascii_digit());
        true
    }
}

fn number_help(text: &str) -> &'static str {
    match text.as_bytes() {
        [b'0', b'0'..=b'9', ..] => "a leading `0` makes a number octal: drop it for a decimal number",
        [.., b'l' | b'L'] => "numbers have no suffix: leave out the `L`",
        _ => {
            "numbers are decimal, 0x hexadecimal, 0b binary or octal with a leading 0; a name may not start with a digit"
        }
    }
}

/// The first characters of a long literal.
fn shorten(text: &str) -> String {
    if text.len() > 40 { format!("{}..", &text[..32]) } else { text.to_string() }
}

/// The replacement for a character that comes from typesetting.
fn substitute(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{A0}' | '\u{2007}' | '\u{202F}' | '\u{200B}' | '\u{FEFF}' => {
            "this is a special space: write an ordinary one"
        }
        '\u{201C}' | '\u{201D}' | '\u{201E}' => "write the straight quote `\"`",
        '\u{2018}' | '\u{2019}' => "write the straight quote `'`",
        '\u{2013}' | '\u{2014}' | '\u{2212}' => "write the minus sign `-`",
        '\u{2264}' => "write `<=`",
        '\u{2265}' => "write `>=`",
        '\u{2260}' => "write `!=`",
        '\u{2227}' => "write `&&`",
        '\u{2228}' => "write `||`",
        '\u{AC}' => "write `!`",
        '\u{2192}' | '\u{21D2}' => "write `->`",
        '\u{D7}' => "write `*`",
        '#' => "there is no preprocessor: constants are declared with `env`",
        _ if character.is_alphabetic() => "names are made of the letters a-z and A-Z, digits and `_`",
        _ => return None,
    })
}

/// Decodes the escape that `text` starts with: the character and the length of the escape.
fn unescape_one(text: &str) -> Option<(char, usize)> {
    let plain = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'0' => '\0',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'u' => {
            let digits = text.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, 6));
        }
        _ => return None,
    };
    Some((plain, 2))
}

/// The value of a string literal, quotes included in `literal`; unknown escapes stay as written.
pub(super) fn unescape(literal: &str) -> String {
    let body = literal.strip_prefix('"').unwrap_or(literal);
    let mut value = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(character) = rest.chars().next() {
        match (character, unescape_one(rest)) {
            ('"', _) => break,
            ('\\', Some((decoded, len))) => {
                value.push(decoded);
                rest = &rest[len..];
            }
            _ => {
                value.push(character);
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::token::TokenKind::{self, *};
    use super::{Words, lex, lex_with_comments, unescape};
    use crate::diagnostics::Diagnostics;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut diagnostics = Diagnostics::new();
        let mut kinds: Vec<_> = lex(text, &mut diagnostics).into_iter().map(|token| token.kind).collect();
        assert!(!diagnostics.has_errors(), "{text}: {:?}", diagnostics.list);
        assert_eq!(kinds.pop(), Some(End));
        kinds
    }

    fn faults(text: &str) -> Vec<(&'static str, String)> {
        let mut diagnostics = Diagnostics::new();
        lex(text, &mut diagnostics);
        diagnostics
            .list
            .iter()
            .map(|diagnostic| (diagnostic.code.as_str(), text[diagnostic.span.range(text.len())].to_string()))
            .collect()
    }

    #[test]
    fn longest_symbols_win() {
        assert_eq!(kinds("a>>>=b"), [Identifier, ShiftRightUnsignedAssign, Identifier]);
        assert_eq!(
            kinds(">>> >>= <<= >> << >="),
            [ShiftRightUnsigned, ShiftRightAssign, ShiftLeftAssign, ShiftRight, ShiftLeft, GreaterEqual]
        );
        assert_eq!(kinds("i+%1"), [Identifier, PlusPercent, Integer]);
        assert_eq!(kinds("i++ + j"), [Identifier, PlusPlus, Plus, Identifier]);
        assert_eq!(kinds("i-->0"), [Identifier, MinusMinus, Greater, Integer]);
        assert_eq!(kinds("a->b => c"), [Identifier, Arrow, Identifier, FatArrow, Identifier]);
    }

    #[test]
    fn ranges_are_no_floats() {
        assert_eq!(kinds("1..2"), [Integer, DotDot, Integer]);
        assert_eq!(kinds("[t:1 .. N]"), [BracketOpen, Identifier, Colon, Integer, DotDot, Identifier, BracketClose]);
        assert_eq!(kinds("1.5 1e3 2.5e-1 1f .5"), [Float; 5]);
    }

    #[test]
    fn every_symbol_lexes_to_itself() {
        for &(text, kind) in TokenKind::SYMBOLS {
            assert_eq!(kinds(text), [kind]);
        }
    }

    #[test]
    fn comments_are_dropped_or_kept() {
        let text = "a // one  \r\n/* two\n */ b /**/";
        assert_eq!(kinds(text), [Identifier, Identifier]);
        let tokens = lex_with_comments(text, &mut Diagnostics::new());
        let texts: Vec<&str> = tokens.iter().map(|token| &text[token.span.range(text.len())]).collect();
        assert_eq!(texts, ["a", "// one", "/* two\n */", "b", "/**/", ""]);
    }

    #[test]
    fn one_diagnostic_a_run_of_unknown_characters() {
        assert_eq!(faults("a ### b §"), [("E0101", "###".to_string()), ("E0101", "§".to_string())]);
    }

    #[test]
    fn malformed_literals() {
        assert_eq!(faults("x = 08;"), [("E0105", "08".to_string())]);
        assert_eq!(faults("12ab"), [("E0105", "12ab".to_string())]);
        assert_eq!(faults("4294967296"), [("E0104", "4294967296".to_string())]);
        assert_eq!(faults("'a'"), [("E0107", "'a'".to_string())]);
        assert_eq!(faults("'\\n'"), [("E0107", "'\\n'".to_string())]);
        assert_eq!(faults("\"a\\qb\""), [("E0108", "\\q".to_string())]);
        assert_eq!(faults("\"a\nb"), [("E0103", "\"a".to_string())]);
        assert_eq!(faults("\"a\\"), [("E0103", "\"a\\".to_string())]);
        assert_eq!(faults("a /* b"), [("E0102", "/*".to_string())]);
    }

    #[test]
    fn a_prime_is_no_character() {
        assert_eq!(kinds("x' = 1"), [Identifier, Prime, Assign, Integer]);
    }

    #[test]
    fn strings_are_unescaped() {
        assert_eq!(unescape(r#""a\n\"\\\u0041""#), "a\n\"\\A");
        assert_eq!(unescape("\"open"), "open");
    }
}
