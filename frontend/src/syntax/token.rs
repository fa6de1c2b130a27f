//! Tokens of Rebeca models and property files.
//!
//! A token is its kind and its span. The text is taken from the source by the span, so that a token costs 12 bytes.
//! Words that only one construct uses (`define`, `after`, `G`, ..) are identifiers here and get their meaning from the
//! parser: published models use them as names in other places.

use crate::text::{self, token_kinds};

/// A token: its kind and its place.
pub type Token = text::Token<TokenKind>;

token_kinds! {
    pub kinds,
    other: [
    End = "the end of the file", Identifier = "a name", Integer = "a number", Float = "a number", Text = "a string",
    Character = "a character literal", LineComment = "a comment", BlockComment = "a comment", Unknown = "an unknown character",
    ]
    words: [
    Abstract = "abstract", Boolean = "boolean", Break = "break", Byte = "byte", Case = "case", Continue = "continue",
    Default = "default", Do = "do", Else = "else", Env = "env", Extends = "extends", False = "false",
    FeatureVar = "featurevar", For = "for", ForEachValueOf = "forEachValueOf", If = "if", Implements = "implements",
    InstanceOf = "instanceof", Int = "int", Interface = "interface", KnownRebecs = "knownrebecs", Main = "main",
    MsgSrv = "msgsrv", New = "new", Null = "null", Private = "private", Protected = "protected", Public = "public",
    ReactiveClass = "reactiveclass", Return = "return", Short = "short", StateVars = "statevars", Switch = "switch",
    This = "this", True = "true", Void = "void", While = "while",
    ]
    symbols: [
    ShiftRightUnsignedAssign = ">>>=", ShiftRightUnsigned = ">>>", ShiftRightAssign = ">>=", ShiftRight = ">>",
    ShiftLeftAssign = "<<=", ShiftLeft = "<<", Arrow = "->", FatArrow = "=>", EqualEqual = "==", Assign = "=",
    DotDot = "..", Dot = ".", PlusPercent = "+%", PlusPlus = "++", PlusAssign = "+=", Plus = "+", MinusMinus = "--",
    MinusAssign = "-=", Minus = "-", StarAssign = "*=", Star = "*", SlashAssign = "/=", Slash = "/",
    PercentAssign = "%=", Percent = "%", NotEqual = "!=", Not = "!", Tilde = "~", AmpAmp = "&&", AmpAssign = "&=",
    Amp = "&", PipePipe = "||", PipeAssign = "|=", Pipe = "|", CaretAssign = "^=", Caret = "^", LessEqual = "<=",
    Less = "<", GreaterEqual = ">=", Greater = ">", ParenOpen = "(", ParenClose = ")", BracketOpen = "[",
    BracketClose = "]", BraceOpen = "{", BraceClose = "}", Semicolon = ";", Comma = ",", Colon = ":", Question = "?",
    At = "@", Prime = "'",
    ]
}

impl TokenKind {
    /// Whether the token is a comment.
    pub fn is_comment(self) -> bool {
        matches!(self, TokenKind::LineComment | TokenKind::BlockComment)
    }

    /// Whether the token is the name of a primitive type.
    pub fn is_primitive(self) -> bool {
        matches!(self, TokenKind::Boolean | TokenKind::Byte | TokenKind::Short | TokenKind::Int)
    }

    /// Whether the token is an access modifier of Java.
    pub fn is_modifier(self) -> bool {
        matches!(self, TokenKind::Public | TokenKind::Private | TokenKind::Protected)
    }
}

/// The value of an integer literal: decimal, `0x` hexadecimal, `0b` binary or octal with a leading `0`, with underscores
/// between digits.
///
/// # Errors
/// The fault of the literal.
pub(super) fn integer_value(text: &str) -> Result<u64, IntegerFault> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, &text[1..]),
        _ => (10, text),
    };
    let digits = if radix == 8 { digits.trim_start_matches('_') } else { digits };
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') {
        return Err(IntegerFault::Malformed);
    }
    let mut value = Some(0u64);
    for digit in digits.chars().filter(|&digit| digit != '_') {
        let digit = digit.to_digit(radix).ok_or(IntegerFault::Malformed)?;
        value = value.and_then(|value| value.checked_mul(u64::from(radix))?.checked_add(u64::from(digit)));
    }
    value.filter(|&value| value <= u64::from(u32::MAX)).ok_or(IntegerFault::TooLarge)
}

/// The fault of an integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IntegerFault {
    /// A digit that the radix does not have, no digits, or a misplaced underscore.
    Malformed,
    /// Above 32 bits, read without a sign.
    TooLarge,
}

#[cfg(test)]
mod tests {
    use super::{IntegerFault, Token, integer_value};

    #[test]
    fn tokens_are_small() {
        assert!(size_of::<Token>() <= 16);
    }

    #[test]
    fn integers_of_all_radices() {
        for (text, value) in [("0", 0), ("42", 42), ("1_000", 1000), ("017", 15), ("0_17", 15), ("0x1F", 31)] {
            assert_eq!(integer_value(text), Ok(value), "{text}");
        }
        assert_eq!(integer_value("0b101"), Ok(5));
        assert_eq!(integer_value("4294967295"), Ok(4_294_967_295));
        assert_eq!(integer_value("4294967296"), Err(IntegerFault::TooLarge));
        assert_eq!(integer_value("99999999999999999999999"), Err(IntegerFault::TooLarge));
        for text in ["08", "0x", "0b2", "1_", "0xG", "12ab"] {
            assert_eq!(integer_value(text), Err(IntegerFault::Malformed), "{text}");
        }
    }
}
