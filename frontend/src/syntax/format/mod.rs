//! The formatter: one statement per line, two spaces per brace, every token and comment kept.
//!
//! It works on tokens, comments included, not on the tree. `shapes` decides for each token the white space on either
//! side; this file turns these decisions into gaps, places the comments, and indents. A comment stays on the line of
//! the token before it if it was written there, and otherwise on a separate line. One blank line between statements is
//! kept. A line break inside a statement is kept only after column [`LONG`], or where a comment needs it.
//!
//! Invariants: lexing the result gives the tokens of the input (checked on each result: if they differed, the input
//! would be returned unchanged), and formatting the result gives the result.

mod shapes;

use self::shapes::{Shape, Side, shapes};
use super::token::{Token, TokenKind};
use super::{lex_with_comments, parse_model, parse_properties};
use crate::diagnostics::Diagnostics;

/// From this column on, line breaks within a statement are kept.
const LONG: usize = 80;

/// Formats a model or a property file.
///
/// # Errors
/// The diagnostics of a text with lexical or syntax errors: such a text is not changed.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let tokens = lex_with_comments(text, &mut Diagnostics::new());
    let property_file = is_property_file(text, &tokens);
    if property_file {
        parse_properties(text, &mut diagnostics);
    } else {
        parse_model(text, &mut diagnostics);
    }
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let shapes = shapes(text, &tokens, property_file);
    let formatted = Layout::new(text, &tokens, &shapes).run();
    let again = lex_with_comments(&formatted, &mut Diagnostics::new());
    let same = same_tokens(Text { text, tokens: &tokens }, Text { text: &formatted, tokens: &again });
    Ok(if same { formatted } else { text.to_string() })
}

/// Whether a text starts as property files do: `property {`.
fn is_property_file(text: &str, tokens: &[Token]) -> bool {
    let mut significant = tokens.iter().filter(|token| !token.kind.is_comment());
    let mut next = || significant.next().map_or("", |token| &text[token.span.range(text.len())]);
    (next(), next()) == ("property", "{")
}

/// A text with its tokens.
#[derive(Clone, Copy)]
struct Text<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl<'t> Text<'t> {
    fn word(self, token: &Token) -> &'t str {
        &self.text[token.span.range(self.text.len())]
    }
}

/// Whether two texts have the same tokens, kind by kind and text by text.
fn same_tokens(left: Text<'_>, right: Text<'_>) -> bool {
    let mut both = left.tokens.iter().zip(right.tokens);
    left.tokens.len() == right.tokens.len() && both.all(|(a, b)| a.kind == b.kind && left.word(a) == right.word(b))
}

/// The gap between two tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Gap {
    None,
    Space,
    /// A new line.
    Line,
    /// A new line within a statement, indented further.
    Continued,
}

/// The gap that two neighbouring tokens require when no comment is between them.
fn natural(before: &Shape, after: &Shape, comments_between: bool) -> Gap {
    if before.opens_block && after.closes_block {
        return if comments_between { Gap::Line } else { Gap::Space };
    }
    if before.joins(after) {
        return if after.before == Side::Tight { Gap::None } else { Gap::Space };
    }
    match (before.after, after.before) {
        (Side::Line, _) | (_, Side::Line) => Gap::Line,
        (Side::Tight, _) | (_, Side::Tight) if !before.merges_with(after) => Gap::None,
        _ => Gap::Space,
    }
}

struct Layout<'a> {
    text: &'a str,
    tokens: &'a [Token],
    shapes: &'a [Shape],
    out: String,
    /// The start of the current line in `out`.
    line: usize,
}

impl<'a> Layout<'a> {
    fn new(text: &'a str, tokens: &'a [Token], shapes: &'a [Shape]) -> Layout<'a> {
        assert_eq!(tokens.len(), shapes.len(), "every token has its shape");
        Layout { text, tokens, shapes, out: String::with_capacity(text.len()), line: 0 }
    }

    fn run(mut self) -> String {
        let mut previous = None; // the last token that is no comment
        let mut next = 0; // the next token that is no comment, never behind `index`
        for index in 0..self.tokens.len() {
            let token = self.tokens[index];
            if token.kind == TokenKind::End {
                break;
            }
            next = (next.max(index)..).find(|&at| !self.tokens[at].kind.is_comment()).unwrap_or(index);
            if index > 0 {
                let gap = self.gap(index, previous, next);
                self.write_gap(gap, index, next);
            }
            self.out.push_str(&self.text[token.span.range(self.text.len())]);
            if !token.kind.is_comment() {
                previous = Some(index);
            }
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    /// The number of line breaks before a token in the source.
    fn breaks(&self, index: usize) -> usize {
        let start = self.tokens[index - 1].span.end as usize;
        let end = self.tokens[index].span.start as usize;
        self.text[start..end].matches('\n').count()
    }

    /// The gap before the token `index`, which lies between two tokens that are not comments.
    fn gap(&self, index: usize, previous: Option<usize>, next: usize) -> Gap {
        let before = index - 1;
        let breaks = self.breaks(index);
        let Some(previous) = previous else { return self.gap_at_start(index, breaks) };
        let (left, right) = (&self.shapes[previous], &self.shapes[next]);
        let natural = self.natural_in_source(previous, next);
        let new_line = if natural == Gap::Line { Gap::Line } else { Gap::Continued };
        let token = self.tokens[index];
        if token.kind.is_comment() {
            return match (breaks, token.kind) {
                (0, TokenKind::LineComment) => Gap::Space,
                (0, _) if self.tokens[before].kind.is_comment() => Gap::Space,
                (0, _) if natural == Gap::Line && !self.comment_trails(index, next) => Gap::Line,
                (0, _) if natural != Gap::Line && left.after == Side::Tight => Gap::None,
                (0, _) => Gap::Space,
                _ => new_line,
            };
        }
        match self.tokens[before].kind {
            TokenKind::LineComment => new_line,
            TokenKind::BlockComment if breaks > 0 || right.before == Side::Line => new_line,
            TokenKind::BlockComment if right.before == Side::Tight => Gap::None,
            TokenKind::BlockComment => Gap::Space,
            _ if natural == Gap::Space && breaks > 0 && self.column() >= LONG && left.breaks_with(right) => {
                Gap::Continued
            }
            _ => natural,
        }
    }

    /// The natural gap, together with the line breaks that are kept after annotations.
    fn natural_in_source(&self, previous: usize, next: usize) -> Gap {
        let (left, right) = (&self.shapes[previous], &self.shapes[next]);
        let natural = natural(left, right, next > previous + 1);
        let broken = || self.breaks(previous + 1) > 0 || self.breaks(next) > 0;
        if left.ends_annotation && natural == Gap::Space && broken() { Gap::Line } else { natural }
    }

    /// The gap among the comments before the first token, and after them.
    fn gap_at_start(&self, index: usize, breaks: usize) -> Gap {
        let after_line = self.tokens[index - 1].kind == TokenKind::LineComment;
        if breaks > 0 || after_line { Gap::Line } else { Gap::Space }
    }

    /// Whether a block comment on the line of the token before it ends that line.
    fn comment_trails(&self, index: usize, next: usize) -> bool {
        let ends_line =
            (index..next).any(|at| self.tokens[at].kind == TokenKind::LineComment || self.breaks(at + 1) > 0);
        ends_line || matches!(self.tokens[next].kind, TokenKind::BraceClose | TokenKind::End)
    }

    fn column(&self) -> usize {
        self.out[self.line..].chars().count()
    }

    fn write_gap(&mut self, gap: Gap, index: usize, next: usize) {
        match gap {
            Gap::None => {}
            Gap::Space => self.out.push(' '),
            Gap::Line | Gap::Continued => {
                let opened = self.shapes[index - 1].opens_block;
                let closes = index == next && self.shapes[next].closes_block;
                if gap == Gap::Line && self.breaks(index) > 1 && !opened && !closes {
                    self.out.push('\n');
                }
                self.out.push('\n');
                self.line = self.out.len();
                let shape = &self.shapes[next];
                let comment_in_block = index != next && shape.closes_block;
                let own_line = shape.opens_block || shape.closes_block || shape.kind == TokenKind::Else;
                let continued = gap == Gap::Continued && !own_line;
                let level = shape.level + usize::from(comment_in_block) + if continued { 2 } else { 0 };
                self.out.extend(std::iter::repeat_n("  ", level));
            }
        }
    }
}

#[cfg(test)]
mod tests;
