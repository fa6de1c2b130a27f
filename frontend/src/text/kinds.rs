//! The kinds of the tokens of a language: a table of words and symbols, and the token at the start of a text.

use super::Kind;

/// Declares the kinds of tokens of a language: `TokenKind`, with the trait [`Words`] for its table. Symbols stand before their prefixes;
/// of several spellings the first one is named in diagnostics.
macro_rules! token_kinds {
    (other: $($rest:tt)*) => {
        $crate::text::token_kinds! { pub(super) kinds, other: $($rest)* }
    };
    (
        $vis:vis kinds,
        other: [$($other:ident = $other_text:literal,)*]
        words: [$($word:ident = $word_text:literal,)*]
        symbols: [$($symbol:ident = $($symbol_text:literal)|+,)*]
    ) => {
        /// The kind of a token.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum TokenKind {
            $(#[doc = $other_text] $other,)*
            $(#[doc = concat!("`", $word_text, "`")] $word,)*
            $(#[doc = concat!($("`", $symbol_text, "` "),+)] $symbol,)*
        }

        impl $crate::text::Words for TokenKind {
            const SYMBOLS: &'static [(&'static str, TokenKind)] = &[$($(($symbol_text, TokenKind::$symbol),)+)*];

            fn word(text: &str) -> Option<TokenKind> {
                match text {
                    $($word_text => Some(TokenKind::$word),)*
                    _ => None,
                }
            }

            fn is_word(self) -> bool {
                matches!(self, $(TokenKind::$word)|*)
            }

            fn fixed_text(self) -> Option<&'static str> {
                match self {
                    $(TokenKind::$word => Some($word_text),)*
                    $(TokenKind::$symbol => Some([$($symbol_text),+][0]),)*
                    _ => None,
                }
            }

            fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$other => $other_text,)*
                    $(TokenKind::$word => concat!("`", $word_text, "`"),)*
                    $(TokenKind::$symbol => [$(concat!("`", $symbol_text, "`")),+][0],)*
                }
            }
        }
    };
}

pub(crate) use token_kinds;

/// The table of a language.
pub(crate) trait Words: Copy + Eq + 'static {
    /// The symbols, longer ones before their prefixes.
    const SYMBOLS: &'static [(&'static str, Self)];

    /// The word that a text is.
    fn word(text: &str) -> Option<Self>;

    /// Whether the token is a word of the language.
    fn is_word(self) -> bool;

    /// The text of a word or symbol, in its first spelling.
    fn fixed_text(self) -> Option<&'static str>;

    /// The kind as a diagnostic names it.
    fn describe(self) -> &'static str;
}

/// Whether no symbol stands behind a prefix of it, where it would never be found.
pub(crate) fn is_in_order<K: Words>() -> bool {
    let follows_no_prefix =
        |(at, (text, _)): (usize, &(&str, K))| K::SYMBOLS[..at].iter().all(|(earlier, _)| !text.starts_with(earlier));
    K::SYMBOLS.iter().enumerate().all(follows_no_prefix)
}

/// The length of the longest prefix of characters that fit.
pub(crate) fn run(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|character| !fits(character)).unwrap_or(text.len())
}

/// The length of the name or word at the start of a text, if there is one.
pub(crate) fn name_len(text: &str) -> Option<usize> {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts.then(|| run(text, |character| character.is_ascii_alphanumeric() || character == '_'))
}

/// The symbol at the start of a text, and its length.
pub(crate) fn symbol<K: Words>(text: &str) -> Option<(K, usize)> {
    K::SYMBOLS.iter().find(|(symbol, _)| text.starts_with(symbol)).map(|&(symbol, kind)| (kind, symbol.len()))
}

/// The decimal number, name, word or symbol at the start of a text, and its length.
pub(crate) fn plain_token<K: Kind>(text: &str) -> Option<(K, usize)> {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return Some((K::NUMBER, run(text, |character| character.is_ascii_digit())));
    }
    if let Some(len) = name_len(text) {
        return Some((K::word(&text[..len]).unwrap_or(K::NAME), len));
    }
    symbol(text)
}
