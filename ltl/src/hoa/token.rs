//! The tokens of the HOA format. Comments `/* .. */` nest.

use super::Place;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A word followed by a colon.
    Header(String),
    /// A word.
    Word(String),
    /// `@` and a word.
    Alias(String),
    /// A number.
    Number(usize),
    /// A text in quotation marks, without them.
    Text(String),
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// A single sign: one of `!&|(){}[]`.
    Sign(char),
    /// The end, after the last token.
    Nothing,
}

/// The tokens of a text with their places, the last one [`Token::Nothing`].
///
/// # Errors
/// The first place that is no token, and the fault.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, (Place, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at = blank(text, at)?;
        let Some(first) = text[at..].chars().next() else {
            found.push((Token::Nothing, span(at, at)));
            return Ok(found);
        };
        let (token, end) = token(text, at, first)?;
        debug_assert!(at < end && text.is_char_boundary(end), "a token takes whole characters of the text");
        found.push((token, span(at, end)));
        at = end;
    }
}

fn span(start: usize, end: usize) -> Place {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX - 1);
    Place { start: number(start), end: number(end) }
}

/// The position after blanks and comments.
fn blank(text: &str, mut at: usize) -> Result<usize, (Place, String)> {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        if !text[at..].starts_with("/*") {
            return Ok(at);
        }
        let (start, mut depth) = (at, 0usize);
        loop {
            let rest = &text[at..];
            if rest.starts_with("/*") {
                (depth, at) = (depth + 1, at + 2);
            } else if rest.starts_with("*/") {
                (depth, at) = (depth - 1, at + 2);
            } else if let Some(other) = rest.chars().next() {
                at += other.len_utf8();
            } else {
                return Err((span(start, start + 2), "the comment does not end".to_owned()));
            }
            if depth == 0 {
                break;
            }
        }
    }
}

fn token(text: &str, at: usize, first: char) -> Result<(Token, usize), (Place, String)> {
    let rest = &text[at..];
    for (word, token) in [("--BODY--", Token::Body), ("--END--", Token::End)] {
        if rest.starts_with(word) {
            return Ok((token, at + word.len()));
        }
    }
    let word = |from: usize| {
        let is_part = |part: char| part.is_ascii_alphanumeric() || matches!(part, '_' | '-' | '.');
        from + text[from..].find(|part| !is_part(part)).unwrap_or(text.len() - from)
    };
    match first {
        '"' => quoted(text, at),
        '!' | '&' | '|' | '(' | ')' | '{' | '}' | '[' | ']' => Ok((Token::Sign(first), at + 1)),
        '0'..='9' => {
            let end = at + rest.find(|part: char| !part.is_ascii_digit()).unwrap_or(rest.len());
            match text[at..end].parse() {
                Ok(number) => Ok((Token::Number(number), end)),
                Err(_) => Err((span(at, end), "the number is too large".to_owned())),
            }
        }
        '@' if word(at + 1) > at + 1 => Ok((Token::Alias(text[at + 1..word(at + 1)].to_owned()), word(at + 1))),
        'a'..='z' | 'A'..='Z' | '_' => {
            let end = word(at);
            let name = text[at..end].to_owned();
            Ok(if text[end..].starts_with(':') { (Token::Header(name), end + 1) } else { (Token::Word(name), end) })
        }
        _ => Err((span(at, at + first.len_utf8()), "this starts nothing of the format".to_owned())),
    }
}

/// A text in quotation marks; `\` takes the following character literally.
fn quoted(text: &str, at: usize) -> Result<(Token, usize), (Place, String)> {
    let mut value = String::new();
    let mut parts = text[at + 1..].char_indices();
    while let Some((index, part)) = parts.next() {
        match part {
            '"' => return Ok((Token::Text(value), at + index + 2)),
            '\\' => value.extend(parts.next().map(|(_, part)| part)),
            _ => value.push(part),
        }
    }
    Err((span(at, at + 1), "the text in quotation marks does not end".to_owned()))
}
