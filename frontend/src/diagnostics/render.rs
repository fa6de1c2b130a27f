//! Renders diagnostics as text: with an excerpt of the source, or as one line; also the line that counts them.
//!
//! The rendering crate receives only the lines that labels point at, as separate snippets with their line numbers.
//! Lines above [`MAX_LINE`] characters are clipped around the label. So the cost depends on the diagnostic, not on the
//! file. A label that spans several lines is shown on the first of them.
//!
//! Control characters (and the invisible ones that reorder text) in names, messages and excerpts become U+FFFD: a model
//! cannot send commands to the terminal.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{Source, Span};

/// Longer lines, in bytes, are clipped around the label.
const MAX_LINE: usize = 400;

/// The number of bytes kept on either side of a label in a clipped line.
const CLIP_MARGIN: usize = 120;

/// The options of the rendering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenderStyle {
    /// Whether ANSI colours are written.
    pub colour: bool,
    /// The width of the terminal in columns.
    pub width: usize,
}

impl Default for RenderStyle {
    fn default() -> RenderStyle {
        RenderStyle { colour: false, width: 100 }
    }
}

/// A diagnostic with its excerpt, without a line break at its end.
pub fn render(diagnostic: &Diagnostic, source: &Source, style: &RenderStyle) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Notice => Level::NOTE.with_name("notice"),
    };
    let title = level.primary_title(sanitise(&diagnostic.message)).id(diagnostic.code.as_str());
    let name = sanitise(&source.name);
    let mut group = Group::with_title(title);
    let excerpts = excerpts(diagnostic, source);
    for excerpt in &excerpts {
        let snippet = Snippet::source(excerpt.line.as_str()).line_start(excerpt.number).path(excerpt.name.as_str());
        group = group.element(snippet.annotations(excerpt.labels.iter().map(|(place, label, kind)| {
            let annotation = kind.span(place.clone());
            if label.is_empty() { annotation } else { annotation.label(label.as_str()) }
        })));
    }
    if excerpts.is_empty() && !name.is_empty() {
        group = group.element(Origin::path(name.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(sanitise(help)));
    }
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    let mut rendered = renderer.term_width(style.width.max(40)).render(&[group]);
    if excerpts.is_empty() && name.is_empty() {
        // The message is followed directly by the help line: there is no place and no excerpt.
        rendered = rendered.replacen("\n |\n", "\n", 1);
    }
    excerpts
        .iter()
        .filter_map(Excerpt::shown_and_true_place)
        .fold(rendered, |text, (shown, place)| text.replacen(&shown, &place, 1))
}

/// A line of the source with the labels in it.
struct Excerpt {
    /// The line, sanitised and clipped.
    line: String,
    /// The name of the text that it comes from.
    name: String,
    number: usize,
    labels: Vec<(Range<usize>, String, AnnotationKind)>,
    /// The column of the first label, if the line is clipped before it.
    true_column: Option<usize>,
}

impl Excerpt {
    fn new(source: &Source, span: Span, label: &str, kind: AnnotationKind) -> Excerpt {
        let position = source.position(span.start);
        let Line { text, place, is_clipped } = line_of(&source.text, span);
        let labels = vec![(place, sanitise(label), kind)];
        let name = sanitise(source.name_at(span.start));
        Excerpt { line: text, name, number: position.line, labels, true_column: is_clipped.then_some(position.column) }
    }

    /// For a clipped line, the place as the rendering crate writes it, and the place in the file.
    fn shown_and_true_place(&self) -> Option<(String, String)> {
        let shown = self.line[..self.labels[0].0.start].chars().count() + 1;
        let place = |column: usize| format!("{}:{}:{column}", self.name, self.number);
        self.true_column.map(|column| (place(shown), place(column)))
    }
}

/// The lines that the labels of a diagnostic point at, the main one first; labels in one line share an excerpt.
fn excerpts(diagnostic: &Diagnostic, source: &Source) -> Vec<Excerpt> {
    let mut excerpts: Vec<Excerpt> = Vec::new();
    let main = (diagnostic.span, &diagnostic.label, AnnotationKind::Primary);
    let related = diagnostic.related.iter().map(|label| (label.span, &label.text, AnnotationKind::Context));
    for (span, label, kind) in std::iter::once(main).chain(related).filter(|(span, ..)| !span.is_none()) {
        let new = Excerpt::new(source, span, label, kind);
        let same_line = |old: &&mut Excerpt| old.number == new.number && old.line == new.line && old.name == new.name;
        match excerpts.iter_mut().find(same_line) {
            Some(old) => old.labels.extend(new.labels),
            None => excerpts.push(new),
        }
    }
    let lies_inside = |excerpt: &Excerpt| excerpt.labels.iter().all(|(place, ..)| place.end <= excerpt.line.len());
    assert!(excerpts.iter().all(lies_inside), "labels lie in their line");
    excerpts
}

/// A line of the source for people.
struct Line {
    /// The line, sanitised and clipped.
    text: String,
    /// The part of a span in it.
    place: Range<usize>,
    /// Whether its start is cut off.
    is_clipped: bool,
}

/// The line that a span starts in.
fn line_of(text: &str, span: Span) -> Line {
    let Range { start, end } = span.range(text.len());
    let (start, end) = (floor_boundary(text, start), floor_boundary(text, end));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = end.clamp(start, line_end);
    let (mut from, mut to) = (line_start, line_end);
    if line_end - line_start > MAX_LINE {
        from = floor_boundary(text, start.saturating_sub(CLIP_MARGIN).max(line_start));
        to = floor_boundary(text, (end.min(start + MAX_LINE) + CLIP_MARGIN).min(line_end));
    }
    let end = end.min(to);
    assert!(line_start <= from && from <= start, "a line is cut before its label only");
    assert!(end <= to && to <= line_end, "a line is cut behind its label only");
    let clipped = from > line_start;
    let mut line = if clipped { "..".to_string() } else { String::new() };
    line.push_str(&sanitise(&text[from..start]));
    let place_start = line.len();
    line.push_str(&sanitise(&text[start..end]));
    let place_end = line.len();
    line.push_str(&sanitise(text[end..to].trim_end_matches('\r')));
    if to < line_end {
        line.push_str("..");
    }
    Line { text: line, place: place_start..place_end, is_clipped: clipped }
}

/// The last character boundary at or before an offset.
fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text with everything that a terminal could take as a command replaced.
fn sanitise(text: &str) -> String {
    let harmful = |character: char| {
        let reorders = matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        (character.is_control() && !matches!(character, '\n' | '\t')) || reorders
    };
    text.chars().map(|character| if harmful(character) { '\u{FFFD}' } else { character }).collect()
}

/// A diagnostic on one line: `file:line:col: E0123: message`; a source without a name represents the command line.
pub fn render_short(diagnostic: &Diagnostic, source: &Source) -> String {
    let mut line = sanitise(&source.name);
    if !diagnostic.span.is_none() {
        line = sanitise(source.name_at(diagnostic.span.start));
        let position = source.position(diagnostic.span.start);
        let _ = write!(line, ":{}:{}", position.line, position.column);
    }
    let severity = match diagnostic.severity {
        Severity::Error => "",
        Severity::Warning => "warning ",
        Severity::Notice => "notice ",
    };
    if !line.is_empty() {
        line.push_str(": ");
    }
    let _ = write!(line, "{severity}{}: {}", diagnostic.code, sanitise(&diagnostic.message));
    line.replace('\n', " ")
}

/// The line that ends a listing, such as `2 errors, 1 warning (3 more not shown)`; `None` when there is nothing to count.
pub fn summary_line(diagnostics: &Diagnostics) -> Option<String> {
    let counts = [(diagnostics.errors, "error"), (diagnostics.warnings, "warning"), (diagnostics.notices, "notice")];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{count} {noun}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let total: usize = counts.iter().map(|(count, _)| count).sum();
    let hidden = total.saturating_sub(diagnostics.list.len());
    let rest = if hidden > 0 { format!(" ({hidden} more not shown)") } else { String::new() };
    Some(parts.join(", ") + &rest)
}

#[cfg(test)]
mod tests {
    use super::{RenderStyle, render, render_short, summary_line};
    use crate::diagnostics::{Diagnostic, Diagnostics, codes};
    use crate::source::{Source, Span};

    fn plain(diagnostic: &Diagnostic, source: &Source) -> String {
        render(diagnostic, source, &RenderStyle::default())
    }

    #[test]
    fn an_excerpt_with_label_related_place_and_help() {
        let source = Source::new("fork.rebeca", "reactiveclass Fork(3) {\n\tFrok() { }\r\n}\n");
        let diagnostic =
            Diagnostic::error(codes::CONSTRUCTOR_NAME, Span::new(25, 29), "the constructor has another name")
                .label("here")
                .related(Span::new(14, 18), "the class")
                .help("did you mean `Fork`?");
        let expected = "\
error[E0114]: the constructor has another name
 --> fork.rebeca:2:2
  |
2 |     Frok() { }
  |     ^^^^ here
  |
 ::: fork.rebeca:1:15
  |
1 | reactiveclass Fork(3) {
  |               ---- the class
  |
  = help: did you mean `Fork`?";
        assert_eq!(plain(&diagnostic, &source), expected);
        assert_eq!(render_short(&diagnostic, &source), "fork.rebeca:2:2: E0114: the constructor has another name");
    }

    #[test]
    fn places_at_the_end_of_the_file_and_nowhere() {
        for text in ["", "main {", "main {\n"] {
            let source = Source::new("m", text);
            let end = u32::try_from(text.len()).unwrap();
            for span in [Span::new(end, end), Span::new(end, end + 1), Span::new(end + 7, end + 9)] {
                let shown = plain(&Diagnostic::error(codes::UNEXPECTED_TOKEN, span, "expected `}`"), &source);
                assert!(shown.starts_with("error[E0110]: expected `}`"), "{shown}");
                assert!(shown.contains("--> m:"), "{shown}");
            }
        }
        let nowhere = Diagnostic::warning(codes::UNEXPECTED_TOKEN, Span::NONE, "no `main`");
        let source = Source::new("m", "text");
        assert_eq!(plain(&nowhere, &source), "warning[E0110]: no `main`\n--> m");
        assert_eq!(render_short(&nowhere, &source), "m: warning E0110: no `main`");
        let unnamed = Source::new("", "");
        assert_eq!(plain(&nowhere, &unnamed), "warning[E0110]: no `main`");
        assert_eq!(render_short(&nowhere, &unnamed), "warning E0110: no `main`");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let source = Source::new("a\u{1b}[2J", "x \u{1b}[31m\u{9b}2J\u{202e} y");
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_CHARACTER, Span::new(2, 3), "bad \u{7}").label("\u{1b}c").help("\u{8}");
        let shown = plain(&diagnostic, &source) + &render_short(&diagnostic, &source);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
    }

    #[test]
    fn long_lines_are_clipped_around_the_place() {
        let text = "é".repeat(2_000_000) + "WRONG" + &"x".repeat(2_000_000);
        let source = Source::new("m", text);
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, Span::new(4_000_000, 4_000_005), "here");
        let shown = plain(&diagnostic, &source);
        assert!(shown.contains("WRONG") && shown.contains("^^^^^"), "{shown}");
        assert!(shown.contains("m:1:2000001"), "{shown}");
        assert!(shown.len() < 2000);
    }

    #[test]
    fn colour_is_requested() {
        let source = Source::new("m", "x");
        let diagnostic = Diagnostic::notice(codes::ANNOTATION_IGNORED, Span::new(0, 1), "ignored");
        assert!(render(&diagnostic, &source, &RenderStyle { colour: true, width: 80 }).contains('\u{1b}'));
        assert!(plain(&diagnostic, &source).starts_with("notice[N0101]: ignored"));
    }

    #[test]
    fn the_summary_counts() {
        let mut diagnostics = Diagnostics::new();
        assert_eq!(summary_line(&diagnostics), None);
        for _ in 0..2 {
            diagnostics.push(Diagnostic::error(codes::UNEXPECTED_TOKEN, Span::NONE, "e"));
        }
        diagnostics.push(Diagnostic::warning(codes::ASSIGNMENT_AS_CONDITION, Span::NONE, "w"));
        assert_eq!(summary_line(&diagnostics).unwrap(), "2 errors, 1 warning");
        diagnostics.errors += 3;
        assert_eq!(summary_line(&diagnostics).unwrap(), "5 errors, 1 warning (3 more not shown)");
    }
}
