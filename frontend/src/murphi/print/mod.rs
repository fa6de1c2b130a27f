//! Canonical text of a tree, and the formatter: a tree printed with the comments of its text.
//!
//! Two spaces per level, one declaration or statement per line, operators as CMurphi writes them, parentheses where the
//! tree needs them. A comment stays on the line of the item before it if it was written there; otherwise it gets a line
//! before the item that it stands in or before. Single blank lines between items are kept.
//!
//! Invariants: parsing printed text gives the tree; [`format()`] keeps every comment, and formatting its result changes
//! nothing.

mod constants;
mod expressions;
mod rules;
mod statements;

use super::syntax::ast::{Declaration, DeclarationKind, Expr, File, Item, TypeExpr, TypeExprKind};
use super::syntax::{Parsed, parse};
use crate::diagnostics::Diagnostics;
use crate::source::Span;

pub use self::constants::print_with;
pub(in crate::murphi) use self::expressions::expression;
use self::expressions::type_expression;

/// Conditions of rules and properties are broken at their outermost chain from this column on.
const LONG: usize = 100;

/// The canonical text of a tree, without comments.
pub fn print(file: &File) -> String {
    let mut printer = Printer { text: "", comments: &[], out: String::new(), indent: 0, last_end: None };
    printer.file(file);
    assert_eq!(printer.indent, 0, "every block that was opened is closed");
    printer.out
}

/// The canonical text of a model with its comments.
///
/// # Errors
/// The diagnostics of a text with lexical or syntax errors.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Parsed { file, comments } = parse(text, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let mut printer = Printer { text, comments: &comments, out: String::new(), indent: 0, last_end: None };
    printer.file(&file);
    printer.comments_before(u32::MAX);
    assert!(printer.comments.is_empty(), "every comment is printed");
    let again = parse(&printer.out, &mut Diagnostics::new());
    let same = print(&again.file) == print(&file) && again.comments.len() == comments.len();
    Ok(if same { printer.out } else { text.to_string() })
}

struct Printer<'a> {
    /// The text that the comments are part of; empty if there are none.
    text: &'a str,
    /// The comments that are not printed yet.
    comments: &'a [Span],
    out: String,
    indent: usize,
    /// The end in the text of the last printed item; `None` at the start of a block.
    last_end: Option<u32>,
}

impl Printer<'_> {
    fn slice(&self, span: Span) -> &str {
        self.text.get(span.range(self.text.len())).unwrap_or("")
    }

    /// Prints one line.
    fn line(&mut self, content: &str) {
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(content);
        self.out.push('\n');
    }

    /// Prints a blank line if the text has one between the last item and this place.
    fn gap(&mut self, start: u32) {
        if let Some(end) = self.last_end
            && self.text.get(end as usize..start as usize).is_some_and(|gap| gap.matches('\n').count() > 1)
        {
            self.blank();
        }
    }

    /// Prints a blank line unless there is one or the text starts here.
    fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Prints the comments that start before a place.
    fn comments_before(&mut self, place: u32) {
        while let Some((&comment, rest)) = self.comments.split_first()
            && comment.start < place
        {
            self.comments = rest;
            let content = self.slice(comment).to_string();
            if self.is_on_line(comment) && self.out.ends_with('\n') && !self.ends_in_comment() {
                self.out.pop();
                self.out.push_str("  ");
                self.out.push_str(&content);
                self.out.push('\n');
            } else {
                self.gap(comment.start);
                self.line(&content);
            }
            self.last_end = Some(comment.end);
        }
    }

    /// Whether a comment follows the last item on its line, with nothing but the words that open a block between.
    fn is_on_line(&self, comment: Span) -> bool {
        let gap = self.last_end.and_then(|end| self.text.get(end as usize..comment.start as usize));
        let opens = |word: &str| {
            word.is_empty()
                || ["begin", "do", "then", "else", "record"].iter().any(|open| word.eq_ignore_ascii_case(open))
        };
        gap.is_some_and(|gap| !gap.contains('\n') && gap.split(|c: char| !c.is_alphanumeric()).all(opens))
    }

    /// Whether the last line ends in a comment that goes on to its end.
    fn ends_in_comment(&self) -> bool {
        self.out.trim_end_matches('\n').rsplit('\n').next().is_some_and(|line| line.contains("--"))
    }

    /// Starts an item without a block: the comments before and in it come first.
    fn leaf(&mut self, span: Span) {
        self.comments_before(span.end);
        self.gap(span.start);
        self.last_end = Some(span.end);
    }

    /// Starts an item with a block.
    fn start(&mut self, span: Span) {
        self.comments_before(span.start);
        self.gap(span.start);
    }

    /// Ends an item with a block; `close` closes it.
    fn close(&mut self, close: &str, span: Span) {
        self.line(close);
        self.last_end = Some(span.end);
    }

    /// Prints the content of a block one level deeper; `header_end` is the end of the text before the content, `end` that of
    /// the text around it.
    fn block(&mut self, header_end: u32, end: u32, content: impl FnOnce(&mut Self)) {
        self.indent += 1;
        let at = self.out.len();
        self.last_end = Some(header_end);
        self.comments_on_line(end);
        if self.out.len() == at {
            self.last_end = None;
        }
        content(self);
        self.comments_before(end);
        self.indent -= 1;
    }

    /// Prints the comments on the line of the last item.
    fn comments_on_line(&mut self, end: u32) {
        if let Some(&comment) = self.comments.first()
            && self.is_on_line(comment)
        {
            self.comments_before((comment.start + 1).min(end));
        }
    }

    fn file(&mut self, file: &File) {
        let mut section = None;
        for item in &file.items {
            match item {
                Item::Declaration(declaration) => {
                    section = Some(self.declaration(declaration, section.take(), false));
                    continue;
                }
                Item::Procedure(procedure) => {
                    self.comments_before(procedure.span.start);
                    self.blank_unless_comment(procedure.span.start);
                    self.procedure(procedure);
                }
                Item::Rule(rule) => {
                    self.comments_before(rule.span.start);
                    self.blank_unless_comment(rule.span.start);
                    self.rule(rule);
                }
            }
            section = None;
        }
    }

    /// Prints a blank line unless a comment stands on the line above.
    fn blank_unless_comment(&mut self, start: u32) {
        let above = self.last_end.and_then(|end| self.text.get(end as usize..start as usize));
        let comment = self.out.trim_end().lines().next_back().is_some_and(|line| {
            let line = line.trim_start();
            line.starts_with("--") || line.ends_with("*/")
        });
        if !comment || above.is_some_and(|gap| gap.matches('\n').count() > 1) {
            self.blank();
        }
    }

    /// Prints declarations of a body.
    fn declarations(&mut self, list: &[Declaration]) {
        let mut section = None;
        for declaration in list {
            section = Some(self.declaration(declaration, section.take(), true));
        }
    }

    /// Prints a declaration; returns the word of its section, which is printed unless it is `open`.
    fn declaration(&mut self, declaration: &Declaration, open: Option<&'static str>, in_body: bool) -> &'static str {
        let (word, value) = match &declaration.kind {
            DeclarationKind::Constant(value) => ("const", Value::Expr(value)),
            DeclarationKind::Type(value) => ("type", Value::Type(value)),
            DeclarationKind::Variable(value) => ("var", Value::Type(value)),
        };
        if open != Some(word) {
            self.comments_before(declaration.span.start);
            if self.indent == 0 && !in_body {
                self.blank_unless_comment(declaration.span.start);
            }
            self.line(word);
            self.last_end = None;
        }
        self.indent += 1;
        let names: Vec<&str> = declaration.names.iter().map(|name| name.text.as_str()).collect();
        let names = names.join(", ");
        match value {
            Value::Expr(value) => {
                self.leaf(declaration.span);
                self.line(&format!("{names}: {};", expression(value)));
            }
            Value::Type(value) => self.typed(&names, value, declaration.span),
        }
        self.indent -= 1;
        word
    }

    /// `names : type;`, where the fields of a record have lines of their own.
    fn typed(&mut self, names: &str, of: &TypeExpr, span: Span) {
        let TypeExprKind::Record(fields) = &of.kind else {
            self.leaf(span);
            self.line(&format!("{names}: {};", type_expression(of)));
            return;
        };
        self.start(span);
        self.line(&format!("{names}: record"));
        self.block(of.span.start, of.span.end, |printer| {
            for field in fields {
                let names: Vec<&str> = field.names.iter().map(|name| name.text.as_str()).collect();
                let start = field.names.first().map_or(field.of.span, |name| name.span);
                printer.typed(&names.join(", "), &field.of, start.to(field.of.span));
            }
        });
        self.close("end;", span);
    }
}

/// The meaning that a declaration gives to its names.
enum Value<'a> {
    Expr(&'a Expr),
    Type(&'a TypeExpr),
}
