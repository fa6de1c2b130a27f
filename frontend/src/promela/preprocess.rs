//! The preprocessor: `#define`, `#undef`, `#if` and its kin, on tokens.
//!
//! The tokens of a macro (`macros`) keep the place where the macro is used, so that every span lies in the user's text.
//! `#include` was answered before (`include`): the included text follows the directive.
//!
//! Complexity: linear in the number of tokens before and after replacement, which is bounded by [`MAX_TOKENS`].

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::conditions;
use super::macros::{Macro, Reading};
use super::syntax::token::{Kind, Token, promela_number};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;

/// The most tokens after all replacements.
pub(super) const MAX_TOKENS: usize = 1 << 20;

pub(super) struct Preprocessor<'a> {
    pub macros: BTreeMap<Rc<str>, Macro>,
    sink: &'a mut Diagnostics,
    overridden: Vec<Rc<str>>,
    branches: Vec<Branch>,
    /// The names of all macros.
    defined: Vec<String>,
    /// The macros whose replacements are being read.
    pub inside: BTreeSet<Rc<str>>,
    /// The place and line of the token of the text that is read, or that is being replaced.
    pub site: Span,
    pub site_line: u32,
    /// The line of the text that was written last.
    pub line: u32,
    /// Whether the next token begins a line.
    pub begins_line: bool,
    /// Whether a replacement began or ended behind the last token.
    pub is_padded: bool,
    /// The number of tokens of replacements so far.
    pub read: usize,
    /// The nesting of arguments.
    pub nested: usize,
    /// Whether the text is too long or too deep.
    pub is_over: bool,
    pub wrong: Wrong,
}

mutants::mutants! {
    /// Known-wrong variants.
    pub(super) struct Wrong {
        /// What follows a comment or the arguments of a macro stays on the line.
        joins_lines,
        /// Names inside of their own replacement are replaced again as parts of arguments.
        paints_nothing,
    }
}

/// A branch of `#if` that is open.
struct Branch {
    /// Whether the lines are read.
    is_active: bool,
    /// Whether one of the alternatives was read.
    is_taken: bool,
    /// Whether the lines around it are read.
    outer: bool,
    span: Span,
}

/// The tokens after the preprocessor, with constants that stand for macros of these names, and the names of all macros. There are no tokens
/// where the text is too long: what is left of it says nothing.
pub(super) fn preprocess(
    tokens: &[Token],
    constants: &[(String, i64)],
    sink: &mut Diagnostics,
) -> (Option<Vec<Token>>, Vec<String>) {
    preprocess_with(tokens, constants, sink, Wrong::default())
}

pub(super) fn preprocess_with(
    tokens: &[Token],
    constants: &[(String, i64)],
    sink: &mut Diagnostics,
    wrong: Wrong,
) -> (Option<Vec<Token>>, Vec<String>) {
    let mut own = Preprocessor { wrong, ..Preprocessor::new(constants, sink) };
    let mut out = Vec::new();
    let mut reading = Reading::new(tokens);
    while !own.is_over {
        if own.is_outside(&mut reading) {
            let at = reading.at;
            let Some(token) = tokens.get(at) else { break };
            if is_directive(token) {
                let len = 1 + tokens[at + 1..].iter().take_while(|token| !token.starts_line).count();
                let is_answered = matches!(&tokens[at + len..], [sign, word, ..]
                    if is_directive(sign) && matches!(&word.kind, Kind::Name(word) if &**word == "line"));
                own.directive(&tokens[at..at + len], is_answered);
                reading.at += len;
                continue;
            }
            if !own.is_active() {
                reading.at += 1;
                continue;
            }
            if token.starts_line {
                (own.begins_line, own.line) = (true, token.line);
            }
        }
        own.step(&mut reading, &mut out);
        if out.len() > MAX_TOKENS {
            let message = "the text is too long after the preprocessor";
            own.sink.push(Diagnostic::error(codes::PROMELA_DIRECTIVE, own.site, message));
            own.is_over = true;
        }
    }
    if own.is_over {
        return (None, own.defined);
    }
    debug_assert!(own.inside.is_empty(), "every replacement ends in the text");
    out.retain_mut(|token| own.is_promela(token));
    if let Some(open) = own.branches.last() {
        own.sink.push(Diagnostic::error(codes::PROMELA_DIRECTIVE, open.span, "`#if` without `#endif`"));
    }
    (Some(out), own.defined)
}

/// Whether a token begins a line of the preprocessor.
pub(super) fn is_directive(token: &Token) -> bool {
    token.kind == Kind::Symbol("#") && token.starts_line
}

impl<'a> Preprocessor<'a> {
    /// A preprocessor that has read nothing; constants are macros that no line changes.
    pub(super) fn new(constants: &[(String, i64)], sink: &'a mut Diagnostics) -> Preprocessor<'a> {
        let mut own = Preprocessor {
            macros: BTreeMap::new(),
            sink,
            overridden: Vec::new(),
            branches: Vec::new(),
            defined: Vec::new(),
            inside: BTreeSet::new(),
            site: Span::NONE,
            site_line: 0,
            line: 0,
            begins_line: false,
            is_padded: false,
            read: 0,
            nested: 0,
            is_over: false,
            wrong: Wrong::default(),
        };
        for (name, value) in constants {
            let token = |kind| Token { spaced: true, ..Token::new(kind, Span::NONE) };
            let mut body = vec![token(Kind::Number(value.abs()))];
            if *value < 0 {
                let (open, minus, close) = (Kind::Symbol("("), Kind::Symbol("-"), Kind::Symbol(")"));
                body = vec![token(open), token(minus), body.remove(0), token(close)];
            }
            let name: Rc<str> = name.as_str().into();
            own.overridden.push(name.clone());
            own.macros.insert(name, Macro { parameters: None, body: body.into() });
        }
        own
    }

    /// Whether lines are read here.
    pub(super) fn is_active(&self) -> bool {
        self.branches.last().is_none_or(|branch| branch.is_active)
    }

    /// The number of conditions that are open.
    pub(super) fn open(&self) -> usize {
        self.branches.len()
    }

    pub(super) fn fault(&mut self, span: Span, message: &str, help: &str) {
        self.sink.push(Diagnostic::error(codes::PROMELA_DIRECTIVE, span, message).help(help));
    }

    /// Reads a line of the preprocessor; the text of an `#include` that was answered follows it.
    pub(super) fn directive(&mut self, line: &[Token], is_answered: bool) {
        let span = line[0].span;
        let is_active = self.is_active();
        let Some(Token { kind: Kind::Name(word), .. }) = line.get(1) else { return };
        let rest = &line[2..];
        let name = match rest.first() {
            Some(Token { kind: Kind::Name(name), .. }) => Some(name.clone()),
            _ => None,
        };
        let open = |value: bool| Branch { is_active: is_active && value, is_taken: value, outer: is_active, span };
        match (&**word, name) {
            ("ifdef" | "ifndef", _) if !is_active => self.branches.push(open(false)),
            ("ifdef", Some(name)) => self.branches.push(open(self.macros.contains_key(&name))),
            ("ifndef", Some(name)) => self.branches.push(open(!self.macros.contains_key(&name))),
            ("if", _) => {
                let value = is_active && self.condition(rest, span);
                self.branches.push(open(value));
            }
            ("elif", _) => {
                let value = self.branches.last().is_some_and(|branch| branch.outer && !branch.is_taken);
                let value = value && self.condition(rest, span);
                match self.branches.last_mut() {
                    Some(branch) => {
                        branch.is_active = value;
                        branch.is_taken |= value;
                    }
                    None => self.fault(span, "`#elif` without `#if`", "remove the line"),
                }
            }
            ("else", _) => match self.branches.last_mut() {
                Some(branch) => {
                    branch.is_active = branch.outer && !branch.is_taken;
                    branch.is_taken = true;
                }
                None => self.fault(span, "`#else` without `#if`", "remove the line"),
            },
            ("endif", _) => {
                if self.branches.pop().is_none() {
                    self.fault(span, "`#endif` without `#if`", "remove the line");
                }
            }
            _ if !is_active => {}
            ("define", Some(name)) => {
                self.defined.push(name.to_string());
                self.define(name, &rest[1..], span);
            }
            // Also a constant, which a later line may define again, as in SPIN.
            ("undef", Some(name)) => {
                self.overridden.retain(|own| *own != name);
                self.macros.remove(&name);
            }
            ("include", _) if is_answered => {}
            ("include", _) => {
                let help = "a text is included where a model is read from a file or from standard input";
                let message = "there is no other text to include here";
                self.sink.push(Diagnostic::error(codes::PROMELA_INCLUDE, span, message).help(help));
            }
            ("pragma" | "line", _) => {}
            _ => {
                let help = "write `#define`, `#undef`, `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else` or `#endif`";
                self.fault(span, "an unknown or incomplete directive", help);
            }
        }
    }

    fn define(&mut self, name: Rc<str>, rest: &[Token], span: Span) {
        if self.overridden.contains(&name) {
            return;
        }
        let has_list = rest.first().is_some_and(|token| token.kind == Kind::Symbol("(") && !token.spaced);
        let (parameters, body) = if has_list {
            let close = rest.iter().position(|token| token.kind == Kind::Symbol(")"));
            let names = close.and_then(|close| names(&rest[1..close]));
            let (Some(close), Some(names)) = (close, names) else {
                let help = "write the names of the parameters with commas between them, then `)`";
                return self.fault(span, "the parameters of the macro cannot be read", help);
            };
            (Some(names), &rest[close + 1..])
        } else {
            (None, rest)
        };
        self.macros.insert(name, Macro { parameters, body: body.into() });
    }

    /// The value of the condition of `#if`.
    fn condition(&mut self, line: &[Token], span: Span) -> bool {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < line.len() {
            let is_defined = matches!(&line[at].kind, Kind::Name(name) if &**name == "defined");
            if !is_defined {
                tokens.push(line[at].clone());
                at += 1;
                continue;
            }
            let is_symbol = |at: usize, symbol| line.get(at).is_some_and(|token| token.kind == Kind::Symbol(symbol));
            let open = usize::from(is_symbol(at + 1, "("));
            let Some(Kind::Name(name)) = line.get(at + 1 + open).map(|token| &token.kind) else { break };
            if open == 1 && !is_symbol(at + 3, ")") {
                break;
            }
            let value = i64::from(self.macros.contains_key(name));
            tokens.push(Token { kind: Kind::Number(value), ..line[at].clone() });
            at += 2 + 2 * open;
        }
        let is_read = at >= line.len();
        let mut out = Vec::new();
        let mut reading = Reading::new(&tokens);
        while !self.is_over && self.step(&mut reading, &mut out) {}
        let value = if is_read { conditions::condition(&out) } else { None };
        if value.is_none() {
            self.fault(span, "the condition of `#if` has no value", "use numbers, macros, `defined(..)` and operators");
        }
        value.unwrap_or(false)
    }

    /// Whether a token is one of Promela; numbers get the value that they have there.
    fn is_promela(&mut self, token: &mut Token) -> bool {
        match &token.kind {
            Kind::Stray => {
                let message = "this character is no part of Promela";
                self.sink.push(Diagnostic::error(codes::PROMELA_CHARACTER, token.span, message));
                false
            }
            Kind::Unclosed => {
                self.sink.push(Diagnostic::error(codes::PROMELA_OPEN, token.span, "the text is never closed"));
                true
            }
            Kind::Numeral(text) => {
                let value = promela_number(text);
                if value.is_none() {
                    let message = format!("`{text}` is no number of 32 bits");
                    self.sink.push(Diagnostic::error(codes::PROMELA_NUMBER, token.span, message));
                }
                token.kind = Kind::Number(value.unwrap_or(0));
                true
            }
            _ => true,
        }
    }
}

/// The names of a list with commas between them.
fn names(list: &[Token]) -> Option<Rc<[Rc<str>]>> {
    let name = |part: &[Token]| match part {
        [Token { kind: Kind::Name(name), .. }] => Some(name.clone()),
        _ => None,
    };
    if list.is_empty() {
        return Some(Rc::from([]));
    }
    list.split(|token| token.kind == Kind::Symbol(",")).map(name).collect()
}
