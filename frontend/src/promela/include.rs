//! `#include "file"`: a model and the texts that it includes, as one text.
//!
//! An included text stands behind its directive, between two `#line` directives: `#line 1 "name"` before it and
//! `#line n "name"` behind it, where the empty name is that of the model. Everything behind reads the one text: a directive that such a
//! line follows has been answered. Texts come from a reader of the caller, since libraries touch no files.
//!
//! Invariant: every part of the result is a copy of a text or a `#line` directive, and [`Part`] says which line of which text begins there.
//! Directives inside of conditions that do not hold are left alone.
//!
//! Complexity: linear in the result, which is bounded in length, texts and depth.

use super::preprocess::{Preprocessor, is_directive};
use super::syntax::token::{Kind, Token, tokens};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::{MAX_SOURCE_BYTES, Part, Span};

/// The deepest nesting of texts.
const MOST_DEPTH: usize = 32;

/// The most texts.
const MOST_TEXTS: usize = 1_024;

/// A text that another one includes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Included {
    /// Its name, from which names in it are looked up.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The reader of included texts: from the name of the including text and the name in the directive to the text, or to the reason why there is none.
pub type Reader<'a> = &'a mut dyn FnMut(&str, &str) -> Result<Included, String>;

/// A text with all that it includes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// The text.
    pub text: String,
    /// The lines of it that come from other places, by the place where they begin.
    pub parts: Vec<Part>,
}

/// The text of a model of this name with the texts that it includes; nothing where it includes none. Constants are macros.
pub fn include(
    name: &str,
    text: &str,
    constants: &[(String, i64)],
    read: Reader<'_>,
    sink: &mut Diagnostics,
) -> Option<Joined> {
    if !text.contains("include") {
        return None;
    }
    let joined = Joined { text: String::new(), parts: Vec::new() };
    let mut joiner = Joiner { joined, names: vec![name.to_owned()], texts: 0, read, sink };
    // Faults of other directives are those of the text that is read later.
    let mut scratch = Diagnostics::new();
    let list = tokens(text, &mut scratch);
    let mut preprocessor = Preprocessor::new(constants, &mut scratch);
    joiner.copy(text, &list, &mut preprocessor);
    (joiner.texts > 0 || joiner.sink.has_errors()).then_some(joiner.joined)
}

struct Joiner<'a> {
    joined: Joined,
    /// The texts that are being read, the model first.
    names: Vec<String>,
    /// The number of included texts.
    texts: usize,
    read: Reader<'a>,
    sink: &'a mut Diagnostics,
}

impl Joiner<'_> {
    /// Copies a text with those that it includes.
    fn copy(&mut self, text: &str, list: &[Token], preprocessor: &mut Preprocessor<'_>) {
        let (mut at, mut copied) = (0, 0);
        while let Some(token) = list.get(at) {
            if !is_directive(token) {
                at += 1;
                continue;
            }
            limits::work(1);
            let len = 1 + list[at + 1..].iter().take_while(|token| !token.starts_line).count();
            let line = &list[at..at + len];
            at += len;
            let is_include = matches!(line.get(1), Some(Token { kind: Kind::Name(word), .. }) if &**word == "include");
            if !is_include {
                preprocessor.directive(line, false);
                continue;
            }
            if !preprocessor.is_active() {
                continue;
            }
            let (start, end) = (line[0].span.start as usize, line[len - 1].span.end as usize);
            self.joined.text.push_str(&text[copied..start]);
            let from = self.joined.text.len();
            self.joined.text.push_str(&text[start..end]);
            copied = end;
            let span = Span::new(offset(from), offset(self.joined.text.len()));
            if let Err(message) = self.directive(&line[2..], preprocessor, span) {
                let help = "write `#include \"file\"`; the name is relative to the folder of the text that includes it";
                self.sink.push(Diagnostic::error(codes::PROMELA_INCLUDE, span, message).help(help));
                continue;
            }
            let next = 1 + text[..end].matches('\n').count();
            let name = if self.names.len() == 1 {
                String::new()
            } else {
                quoted(self.names.last().map_or("", String::as_str))
            };
            self.joined.text.push_str(&format!("\n#line {next} \"{name}\"\n"));
            self.part(next);
        }
        self.joined.text.push_str(&text[copied..]);
    }

    /// Copies the text of a directive.
    fn directive(&mut self, rest: &[Token], preprocessor: &mut Preprocessor<'_>, span: Span) -> Result<(), String> {
        let [Token { kind: Kind::Text(wanted), .. }] = rest else {
            return Err("`#include` without the name of a file in double quotes".to_owned());
        };
        let from = self.names.last().expect("the model has a name").clone();
        let Included { name, text } =
            (self.read)(&from, wanted).map_err(|reason| format!("`{wanted}` cannot be included: {reason}"))?;
        if self.names.len() > MOST_DEPTH {
            let is_circle = self.names.contains(&name);
            return Err(match is_circle {
                true => format!("`{wanted}` includes itself without end"),
                false => format!("texts are included more than {MOST_DEPTH} levels deep"),
            });
        }
        self.texts += 1;
        if self.texts > MOST_TEXTS || self.joined.text.len() + text.len() > MAX_SOURCE_BYTES {
            return Err(format!("more than {MOST_TEXTS} texts or {} MiB are included", MAX_SOURCE_BYTES >> 20));
        }
        self.joined.text.push_str(&format!("\n#line 1 \"{}\"\n", quoted(&name)));
        self.names.push(name);
        self.part(1);
        let open = preprocessor.open();
        let mut faults = Diagnostics::new();
        let list = tokens(&text, &mut faults);
        let base = offset(self.joined.text.len());
        if faults.has_errors() {
            // A comment that is not closed would swallow what follows.
            for mut fault in faults.list {
                fault.span = Span::new(fault.span.start + base, fault.span.end + base);
                self.sink.push(fault);
            }
            self.joined.text.push_str(&text);
        } else {
            self.copy(&text, &list, preprocessor);
        }
        self.names.pop();
        if preprocessor.open() != open {
            let message = format!("`#if` and `#endif` do not match in `{wanted}`");
            self.sink.push(Diagnostic::error(codes::PROMELA_INCLUDE, span, message));
        }
        Ok(())
    }

    /// Notes that what follows are the lines of the current text from one on.
    fn part(&mut self, line: usize) {
        let name = self.names.last().expect("the model has a name").clone();
        self.joined.parts.push(Part { at: offset(self.joined.text.len()), name, line });
    }
}

/// A name as it stands in a `#line` directive.
fn quoted(name: &str) -> String {
    name.chars()
        .map(|character| if matches!(character, '"' | '\\') || character.is_control() { '_' } else { character })
        .collect()
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX - 1)
}

/// A `#line` directive in a text: the lines behind it are those of another text, from this line on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// The end of its line.
    pub end: usize,
    pub line: usize,
    /// The name; empty for the model.
    pub name: String,
}

/// The `#line` directives of a text as [`include`] writes them.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let mark = |(at, _): (usize, &str)| {
        let (own, _) = text[at..].split_once('\n')?;
        let (line, name) = own.strip_prefix("#line ")?.split_once(' ')?;
        let name = name.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(Mark { end: at + own.len() + 1, line: line.parse().ok()?, name })
    };
    let marks: Vec<Mark> = text
        .match_indices("#line ")
        .filter(|&(at, _)| at == 0 || text.as_bytes()[at - 1] == b'\n')
        .filter_map(mark)
        .collect();
    debug_assert!(marks.is_sorted_by_key(|mark| mark.end), "marks are ascending, for the search in them");
    marks
}
