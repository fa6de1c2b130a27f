//! Tokens to syntax tree, by recursive descent with recovery.
//!
//! [`parse_model`] reads a model, [`parse_properties`] a property file. Both always return a tree, which is complete
//! only when no error was reported. A production that cannot continue reports one diagnostic and returns [`Failed`].
//! Lists (statements, members, fields, classes) catch it, skip to a possible start of their next item, and continue. A
//! second fault at the token of the last one is not reported, so that one mistake is reported once.
//!
//! Invariants: every loop consumes a token or ends. `depth` counts the tree nodes and parentheses around the current
//! place, and `depth + height` of every tree built is at most [`MAX_NESTING`]; so neither this parser nor any walk over
//! the tree (dropping it included) needs more stack than that many levels. Past the limit the whole member, field or
//! property is skipped.
//!
//! Complexity: linear in the number of tokens, with lookahead bounded by a constant or by the statement.

mod classes;
mod declarations;
mod dialects;
mod expressions;
mod operands;
mod operators;
mod properties;
mod recovery;
mod statements;

use rustc_hash::FxHashSet;

use super::ast::{Name, Program, PropertyFile};
use super::lexer::lex;
use super::token::{Token, TokenKind};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::text::{TOKEN, Words, is_in_order};

/// The greatest depth of the syntax tree: parentheses, blocks, operators, `else if`, subscripts and calls count one
/// level each.
pub const MAX_NESTING: usize = 256;

/// Parses a model file. Problems go to `diagnostics`; the tree is complete when there were no errors.
pub fn parse_model(text: &str, diagnostics: &mut Diagnostics) -> Program {
    let tokens = lex(text, diagnostics);
    let mut parser = Parser::new(text, tokens, Mode::Model, diagnostics);
    let program = parser.program();
    parser.report_undeclared_words();
    assert!(parser.depth == 0, "every level that was entered is left");
    program
}

/// Parses a property file. Problems go to `diagnostics`; the tree is complete when there were no errors.
pub fn parse_properties(text: &str, diagnostics: &mut Diagnostics) -> PropertyFile {
    let tokens = lex(text, diagnostics);
    let mut parser = Parser::new(text, tokens, Mode::State, diagnostics);
    let file = parser.property_file();
    assert!(parser.depth == 0, "every level of a property that was entered is left");
    file
}

/// The expressions that are legal at the current place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// A model: everything but temporal operators.
    Model,
    /// `define` and `Assertion`: expressions over one state, and `->`.
    State,
    /// `LTL`: temporal operators too.
    Ltl,
}

/// A production failed; its diagnostic is already reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Failed {
    /// The list around it skips to its next item.
    Syntax,
    /// The tree would be too deep: the member, field or property around it is skipped as a whole.
    TooDeep,
}

type Parse<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The token that opens the body of the current member.
    body_at: usize,
    mode: Mode,
    diagnostics: &'a mut Diagnostics,
    /// The token of the last fault.
    last_fault: Option<usize>,
    /// The keys of the diagnostics that are reported once per file and were reported.
    reported: FxHashSet<String>,
    /// Words of other dialects that the model may still declare, with their first use.
    words: Vec<(&'static str, Span)>,
    /// Those words that the model declares.
    declared: FxHashSet<&'static str>,
    /// Whether `@feature(..)` was read.
    is_annotated: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token>, mode: Mode, diagnostics: &'a mut Diagnostics) -> Parser<'a> {
        debug_assert_eq!(tokens.last().map(|token| token.kind), Some(TokenKind::End));
        debug_assert!(tokens.iter().all(|token| !token.kind.is_comment()), "comments are left out");
        debug_assert!(is_in_order::<TokenKind>(), "symbols stand before their prefixes");
        Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            body_at: 0,
            mode,
            diagnostics,
            last_fault: None,
            reported: FxHashSet::default(),
            words: Vec::new(),
            declared: FxHashSet::default(),
            is_annotated: false,
        }
    }

    fn token_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token_at(0).kind
    }

    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.token_at(ahead).kind
    }

    fn span(&self) -> Span {
        self.token_at(0).span
    }

    fn text_of(&self, span: Span) -> &'a str {
        &self.text[span.range(self.text.len())]
    }

    /// Whether the token `ahead` is the name `word`.
    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        let token = self.token_at(ahead);
        token.kind == TokenKind::Identifier && self.text_of(token.span) == word
    }

    /// The end of the last consumed token.
    fn previous_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |previous| self.tokens[previous].span.end)
    }

    /// From `start` to the end of the last consumed token.
    fn span_from(&self, start: Span) -> Span {
        Span::new(start.start, self.previous_end().max(start.start))
    }

    /// Whether a line break precedes the current token.
    fn on_new_line(&self) -> bool {
        let gap = Span::new(self.previous_end(), self.span().start);
        self.kind() == TokenKind::End || self.text_of(gap).contains('\n')
    }

    /// Consumes the current token; `End` stays.
    fn bump(&mut self) -> Token {
        limits::work(TOKEN);
        let token = self.token_at(0);
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        if self.kind() == kind { Ok(self.bump()) } else { Err(self.fault(kind.describe())) }
    }

    /// Consumes the bracket that closes the one at `open`.
    fn close(&mut self, kind: TokenKind, open: Span) -> Parse<Token> {
        if self.kind() == kind {
            return Ok(self.bump());
        }
        if self.kind() != TokenKind::End && !self.starts_section() {
            return Err(self.fault_at_open(kind.describe(), open));
        }
        if self.is_new_fault() {
            let message = format!("this `{}` is never closed", self.text_of(open));
            let diagnostic = Diagnostic::error(codes::UNCLOSED_BRACKET, open, message);
            let here = format!("{} is missing before this", kind.describe());
            self.diagnostics.push(diagnostic.related(self.span(), here));
        }
        Err(Failed::Syntax)
    }

    /// Consumes the `)` of a list, after one of its items.
    fn close_list(&mut self, open: Span) -> Parse<Token> {
        if matches!(self.kind(), TokenKind::ParenClose | TokenKind::End) || self.starts_section() {
            return self.close(TokenKind::ParenClose, open);
        }
        Err(self.fault_at_open("`,` or `)`", open))
    }

    /// Consumes a name. A keyword is reported and taken as the name, unless it starts another construct.
    fn name(&mut self, what: &str) -> Parse<Name> {
        let kind = self.kind();
        if kind == TokenKind::Identifier {
            return Ok(self.bump_name());
        }
        if !kind.is_word() || self.starts_section() || kind == TokenKind::Void {
            return Err(self.fault(what));
        }
        if self.is_new_fault() {
            let word = self.text_of(self.span());
            let message = format!("`{word}` is a keyword and cannot be {what}");
            let help = format!("choose another name, for example `{word}_`");
            self.diagnostics.push(Diagnostic::error(codes::KEYWORD_AS_NAME, self.span(), message).help(help));
        }
        Ok(self.bump_name())
    }

    /// Consumes a name where no keyword can stand, so that keywords are names too: after `msgsrv` and `.`.
    fn free_name(&mut self, what: &str) -> Parse<Name> {
        if self.kind() == TokenKind::Identifier || self.kind().is_word() {
            Ok(self.bump_name())
        } else {
            Err(self.fault(what))
        }
    }

    /// Takes the current token as a name.
    fn bump_name(&mut self) -> Name {
        let span = self.bump().span;
        Name { text: self.text_of(span).to_string(), span }
    }

    /// Runs a production one level deeper.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Parser<'a>) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        let message = format!("nested more than {MAX_NESTING} levels deep");
        let diagnostic = Diagnostic::error(codes::NESTED_TOO_DEEPLY, Span::new(span.start, span.start), message)
            .help("split the expression or the statement: name parts of it by variables or methods");
        self.once("nesting", diagnostic);
        self.last_fault = Some(self.at);
        Failed::TooDeep
    }

    /// Pushes a diagnostic unless one with the same key was pushed in this file.
    fn once(&mut self, key: &str, diagnostic: Diagnostic) {
        if !self.reported.contains(key) {
            self.reported.insert(key.to_string());
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether a fault at the current token is the first one there; records it.
    ///
    /// Unknown characters are reported by the lexer.
    fn is_new_fault(&mut self) -> bool {
        let new = self.last_fault != Some(self.at) && self.kind() != TokenKind::Unknown;
        self.last_fault = Some(self.at);
        new
    }

    /// Reports that another token was expected here.
    fn fault(&mut self, expected: &str) -> Failed {
        let diagnostic = self.unexpected(expected);
        if self.is_new_fault() {
            self.diagnostics.push(diagnostic);
        }
        Failed::Syntax
    }

    /// The same, pointing at the bracket that is still open.
    fn fault_at_open(&mut self, expected: &str, open: Span) -> Failed {
        let diagnostic = self.unexpected(expected).related(open, "opened here");
        if self.is_new_fault() {
            self.diagnostics.push(diagnostic);
        }
        Failed::Syntax
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = self.describe_current();
        let message = format!("expected {expected}, found {found}");
        let behind = Span::new(self.previous_end(), self.previous_end());
        let missing = expected == "`;`" && self.on_new_line();
        let place = if missing { behind } else { self.span() };
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, place, message);
        let help = match self.kind() {
            _ if missing => "add `;` here",
            TokenKind::Arrow if self.mode == Mode::Model => "in models, `a -> b` is written `!a || b`",
            TokenKind::FatArrow if self.mode == Mode::Model => "greater or equal is written `>=`",
            kind if kind.is_primitive() && self.kind_at(1) == TokenKind::ParenOpen => "a cast is written `(int) value`",
            _ => return diagnostic,
        };
        diagnostic.help(help)
    }

    /// The current token for messages.
    fn describe_current(&self) -> String {
        let kind = self.kind();
        if kind.fixed_text().is_some() || kind == TokenKind::End {
            return kind.describe().to_owned();
        }
        let text = self.text_of(self.span());
        let shown: String = text.chars().take(32).collect();
        let dots = if shown.len() < text.len() { ".." } else { "" };
        format!("`{shown}{dots}`")
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }
}

#[cfg(test)]
mod robustness;
#[cfg(test)]
mod tests;
