//! Source text: decoding bytes, spans, and the line and column of an offset.
//!
//! Every stage refers to the user's text by [`Span`], a half-open byte range of one file. Byte order marks are dropped
//! while decoding, and a carriage return that no line feed follows, the end of a line of old systems, becomes a line feed. Other carriage
//! returns stay in the text (the lexers treat them as white space), so offsets are those of the decoded text.

use std::borrow::Cow;
use std::fmt;

use crate::diagnostics::{Code, Diagnostic, codes};

/// The largest file that is read, in bytes.
pub const MAX_SOURCE_BYTES: usize = 32 << 20;

/// A text in which each line ends in a line feed: carriage returns that stand alone become line feeds. Offsets stay.
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let stands_alone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !text.match_indices('\r').any(|(at, _)| stands_alone(at)) {
        return Cow::Borrowed(text);
    }
    let fed = |(at, letter)| if letter == '\r' && stands_alone(at) { '\n' } else { letter };
    Cow::Owned(text.char_indices().map(fed).collect())
}

/// A half-open byte range `start..end` of one source text. [`Span::NONE`] marks objects without a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span of objects that the user did not write.
    pub const NONE: Span = Span { start: u32::MAX, end: u32::MAX };

    /// The span `start..end`.
    pub fn new(start: u32, end: u32) -> Span {
        debug_assert!(start <= end, "a span is in the order of the text");
        Span { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        if self == Span::NONE {
            return other;
        }
        if other == Span::NONE {
            return self;
        }
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The number of its bytes.
    pub fn length(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self == Span::NONE
    }

    /// The byte range, clipped to a text of `len` bytes.
    pub fn range(self, len: usize) -> std::ops::Range<usize> {
        let start = (self.start as usize).min(len);
        start..(self.end as usize).clamp(start, len)
    }
}

/// A name at a place.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// A part of a tree at a place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Spanned<K> {
    /// Its kind, with its parts.
    pub kind: K,
    /// The text.
    pub span: Span,
}

impl Default for Span {
    fn default() -> Span {
        Span::NONE
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("-") } else { write!(f, "{}..{}", self.start, self.end) }
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Lines of a text that come from another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Where they begin, at the start of a line.
    pub at: u32,
    /// The name of the text that they come from.
    pub name: String,
    /// The number of the first of them there, from 1.
    pub line: usize,
}

/// A decoded source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name shown in diagnostics (usually the path as the user gave it).
    pub name: String,
    /// The decoded text.
    pub text: String,
    line_starts: Vec<u32>,
    /// The lines that come from other texts, in order; those before the first are its own.
    parts: Vec<Part>,
}

impl Source {
    /// Wraps text that is already decoded.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().zip(1u32..).filter(|&(byte, _)| byte == b'\n').map(|(_, next)| next))
            .collect();
        Source { name: name.into(), text, line_starts, parts: Vec::new() }
    }

    /// Wraps a text of which parts come from others.
    pub fn joined(name: impl Into<String>, text: impl Into<String>, parts: Vec<Part>) -> Source {
        debug_assert!(parts.is_sorted_by_key(|part| part.at), "parts are ascending, for the search in them");
        let source = Source { parts, ..Source::new(name, text) };
        let begins_line = |part: &Part| source.line_starts.binary_search(&part.at).is_ok();
        debug_assert!(source.parts.iter().all(begins_line), "a part begins at the start of a line");
        source
    }

    /// Whether parts of it come from other texts, so that lines have numbers of their own there.
    pub fn is_joined(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The part that an offset lies in, if it is not in the lines before the first.
    fn part(&self, offset: u32) -> Option<&Part> {
        self.parts[..self.parts.partition_point(|part| part.at <= offset)].last()
    }

    /// The name of the text that an offset lies in.
    pub fn name_at(&self, offset: u32) -> &str {
        self.part(offset).map_or(&self.name, |part| &part.name)
    }

    /// Decodes the bytes of a file: UTF-8 with an optional byte order mark, no NUL bytes, at most
    /// [`MAX_SOURCE_BYTES`].
    ///
    /// # Errors
    /// The diagnostic (codes `E0001` to `E0003`) and a source to render it against.
    pub fn decode(name: &str, bytes: &[u8]) -> Result<Source, (Box<Diagnostic>, Source)> {
        Source::decode_within(name, bytes, MAX_SOURCE_BYTES)
    }

    /// Like [`Source::decode`], with another limit on the size; below 4 GiB.
    ///
    /// # Errors
    /// As for [`Source::decode`].
    pub fn decode_within(name: &str, bytes: &[u8], most: usize) -> Result<Source, (Box<Diagnostic>, Source)> {
        assert!(u32::try_from(most).is_ok(), "offsets have 32 bits");
        let reject = |code: Code, message: String, text: String, at: usize| {
            let source = Source::new(name, text);
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            (Box::new(Diagnostic::error(code, Span::new(at, at + 1), message)), source)
        };
        if bytes.len() > most {
            let message = format!("the file has more than {} MiB", most >> 20);
            let diagnostic = Diagnostic::error(codes::FILE_TOO_LARGE, Span::NONE, message);
            return Err((Box::new(diagnostic), Source::new(name, "")));
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = error.valid_up_to();
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(valid + 80)]).into_owned();
            // The marks with which texts of 16-bit characters begin.
            let message = match bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
                true => "the file is not UTF-8 but UTF-16: save it as UTF-8".to_owned(),
                false => format!("the file is not UTF-8: invalid byte at offset {valid}"),
            };
            reject(codes::NOT_UTF8, message, shown, valid)
        })?;
        let text = with_line_feeds(text);
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            let shown = text.replace('\0', "\u{FFFD}");
            let at_shown = at; // every byte before the first NUL is unchanged
            return Err(reject(codes::NUL_BYTE, format!("NUL byte at offset {at}"), shown, at_shown));
        }
        Ok(Source::new(name, text))
    }

    /// The position of a byte offset.
    ///
    /// # Complexity
    /// O(log lines + length of the line).
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        debug_assert!(start <= self.text.len(), "a line begins in the text");
        let end = (offset as usize).clamp(start, self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |text| text.chars().count()) + 1;
        let line = self.part(offset).map_or(line, |part| {
            let first = self.line_starts.partition_point(|&start| start <= part.at);
            part.line + line.saturating_sub(first)
        });
        Position { line, column }
    }

    /// The text of a span; empty for [`Span::NONE`].
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range(self.text.len())).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, Source};

    /// A carriage return ends a line, alone or together with a line feed, and offsets are those of the bytes.
    #[test]
    fn lines_end_in_carriage_returns_too() {
        for (bytes, text, line) in [
            ("a\rb\rc", "a\nb\nc", 3),
            ("a\r\nb\r\nc", "a\r\nb\r\nc", 3),
            ("a\r\r\nb\nc", "a\n\r\nb\nc", 4),
            ("\u{feff}a // \u{e9}\rc", "a // \u{e9}\nc", 2),
            ("c\r", "c\n", 1),
        ] {
            let source = Source::decode("m", bytes.as_bytes()).expect("a text");
            assert_eq!(source.text, text);
            let at = u32::try_from(text.find('c').expect("a letter")).expect("a short text");
            assert_eq!(source.position(at), Position { line, column: 1 }, "{bytes:?}");
        }
        let (_, shown) = Source::decode("m", b"a\rb\0").expect_err("no text");
        assert_eq!(shown.position(3), Position { line: 2, column: 2 });
    }
}
