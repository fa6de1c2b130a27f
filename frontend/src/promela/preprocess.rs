//! The preprocessor: `#define`, `#undef`, `#if` and its kin, on tokens.
//!
//! The tokens of a macro keep the place where the macro is used, so that every span lies in the user's text. A macro is
//! not replaced inside its own replacement. `#include` was answered before (`include`): the included text follows the directive.
//!
//! Complexity: linear in the number of tokens after replacement, which is bounded by [`MAX_TOKENS`].

use std::collections::BTreeMap;
use std::rc::Rc;

use super::syntax::token::{Kind, Token};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;

/// The most tokens after all replacements.
pub(super) const MAX_TOKENS: usize = 1 << 20;

/// The deepest nesting of replacements.
const MAX_DEPTH: usize = 64;

/// A macro.
#[derive(Clone, Debug)]
struct Macro {
    /// The names of its parameters; `None` for a macro without a list.
    parameters: Option<Vec<Rc<str>>>,
    body: Vec<Token>,
}

pub(super) struct Preprocessor<'a> {
    macros: BTreeMap<Rc<str>, Macro>,
    out: Vec<Token>,
    sink: &'a mut Diagnostics,
    overridden: Vec<Rc<str>>,
    branches: Vec<Branch>,
    /// The names of all macros.
    defined: Vec<String>,
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

/// The tokens after the preprocessor, with constants that stand for macros of these names, and the names of all macros.
pub(super) fn preprocess(
    tokens: &[Token],
    constants: &[(String, i64)],
    sink: &mut Diagnostics,
) -> (Vec<Token>, Vec<String>) {
    let mut own = Preprocessor::new(constants, sink);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if is_directive(token) {
            let len = 1 + tokens[at + 1..].iter().take_while(|token| !token.starts_line).count();
            let is_answered = matches!(&tokens[at + len..], [sign, word, ..]
                if is_directive(sign) && matches!(&word.kind, Kind::Name(word) if &**word == "line"));
            own.directive(&tokens[at..at + len], is_answered);
            at += len;
        } else if own.is_active() {
            let used = own.replace(&tokens[at..], None, &mut Vec::new());
            at += used;
        } else {
            at += 1;
        }
        if own.out.len() > MAX_TOKENS {
            let message = "the text is too long after the preprocessor";
            own.sink.push(Diagnostic::error(codes::PROMELA_DIRECTIVE, token.span, message));
            break;
        }
    }
    for token in own.out.extract_if(.., |token| token.kind == Kind::Stray) {
        let message = "this character is no part of Promela";
        own.sink.push(Diagnostic::error(codes::PROMELA_CHARACTER, token.span, message));
    }
    if let Some(open) = own.branches.last() {
        own.sink.push(Diagnostic::error(codes::PROMELA_DIRECTIVE, open.span, "`#if` without `#endif`"));
    }
    (own.out, own.defined)
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
            out: Vec::new(),
            sink,
            overridden: Vec::new(),
            branches: Vec::new(),
            defined: Vec::new(),
        };
        for (name, value) in constants {
            let token =
                |kind| Token { kind, span: Span::NONE, starts_line: false, spaced: true, in_parentheses: false };
            let mut body = vec![token(Kind::Number(value.abs()))];
            if *value < 0 {
                let (open, minus, close) = (Kind::Symbol("("), Kind::Symbol("-"), Kind::Symbol(")"));
                body = vec![token(open), token(minus), body.remove(0), token(close)];
            }
            let name: Rc<str> = name.as_str().into();
            own.overridden.push(name.clone());
            own.macros.insert(name, Macro { parameters: None, body });
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

    fn fault(&mut self, span: Span, message: &str, help: &str) {
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
                self.define(name, &rest[1..]);
            }
            ("undef", Some(name)) => drop(self.macros.remove(&name)),
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

    fn define(&mut self, name: Rc<str>, rest: &[Token]) {
        if self.overridden.contains(&name) {
            return;
        }
        let has_list = rest.first().is_some_and(|token| token.kind == Kind::Symbol("(") && !token.spaced);
        let (parameters, body) = if has_list {
            let close = rest.iter().position(|token| token.kind == Kind::Symbol(")")).unwrap_or(rest.len() - 1);
            let names = rest[1..close].iter().filter_map(|token| match &token.kind {
                Kind::Name(name) => Some(name.clone()),
                _ => None,
            });
            (Some(names.collect()), &rest[close + 1..])
        } else {
            (None, rest)
        };
        self.macros.insert(name, Macro { parameters, body: body.to_vec() });
    }

    /// Writes the first of the tokens, or its replacement; returns the number of tokens read.
    fn replace(&mut self, tokens: &[Token], site: Option<Span>, inside: &mut Vec<Rc<str>>) -> usize {
        let token = &tokens[0];
        let span = site.unwrap_or(token.span);
        let Kind::Name(name) = &token.kind else {
            self.out.push(Token { span, ..token.clone() });
            return 1;
        };
        let found = self.macros.get(name).filter(|_| !inside.contains(name) && inside.len() < MAX_DEPTH).cloned();
        let Some(Macro { parameters, body }) = found else {
            self.out.push(Token { span, ..token.clone() });
            return 1;
        };
        let (arguments, used) = match &parameters {
            None => (Vec::new(), 1),
            Some(_) if tokens.get(1).is_none_or(|next| next.kind != Kind::Symbol("(")) => {
                self.out.push(Token { span, ..token.clone() });
                return 1;
            }
            Some(_) => {
                let (list, used) = arguments(&tokens[1..]);
                (list.into_iter().map(|argument| self.replaced(&argument, span, inside)).collect(), used)
            }
        };
        let mut body = body;
        if let Some(parameters) = parameters {
            body = body
                .into_iter()
                .flat_map(|token| {
                    let Kind::Name(name) = &token.kind else { return vec![token] };
                    match parameters.iter().position(|parameter| parameter == name) {
                        Some(number) => arguments.get(number).cloned().unwrap_or_default(),
                        None => vec![token],
                    }
                })
                .collect();
        }
        inside.push(name.clone());
        let (mut at, first) = (0, self.out.len());
        while at < body.len() && self.out.len() <= MAX_TOKENS {
            at += self.replace(&body[at..], Some(span), inside);
        }
        inside.pop();
        if let Some(first) = self.out.get_mut(first) {
            first.starts_line = token.starts_line;
        }
        used + usize::from(used > 1)
    }

    /// Some tokens after replacement.
    fn replaced(&mut self, tokens: &[Token], site: Span, inside: &mut Vec<Rc<str>>) -> Vec<Token> {
        let before = std::mem::take(&mut self.out);
        let mut at = 0;
        while at < tokens.len() && self.out.len() <= MAX_TOKENS {
            at += self.replace(&tokens[at..], Some(site), inside);
        }
        std::mem::replace(&mut self.out, before)
    }

    /// The value of the condition of `#if`.
    fn condition(&mut self, line: &[Token], span: Span) -> bool {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < line.len() {
            let is_defined = matches!(&line[at].kind, Kind::Name(name) if &**name == "defined");
            if is_defined {
                let open = usize::from(line.get(at + 1).is_some_and(|token| token.kind == Kind::Symbol("(")));
                let value = match line.get(at + 1 + open).map(|token| &token.kind) {
                    Some(Kind::Name(name)) => self.macros.contains_key(name),
                    _ => false,
                };
                tokens.push(Token { kind: Kind::Number(i64::from(value)), ..line[at].clone() });
                at += 2 + 2 * open;
                continue;
            }
            let before = std::mem::take(&mut self.out);
            at += self.replace(&line[at..], None, &mut Vec::new());
            tokens.extend(std::mem::replace(&mut self.out, before));
        }
        let mut evaluator = Evaluator { tokens: &tokens, at: 0 };
        let value = evaluator.value(0);
        if value.is_none() || evaluator.at != tokens.len() {
            self.fault(span, "the condition of `#if` has no value", "use numbers, macros, `defined(..)` and operators");
        }
        value.unwrap_or(0) != 0
    }
}

/// The arguments in parentheses at the start of some tokens, and the number of tokens that they take.
fn arguments(tokens: &[Token]) -> (Vec<Vec<Token>>, usize) {
    let mut list: Vec<Vec<Token>> = vec![Vec::new()];
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Symbol("(" | "[" | "{") => depth += 1,
            Kind::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return (list, at + 1);
        }
        if depth == 1 && token.kind == Kind::Symbol(",") {
            list.push(Vec::new());
        } else if at > 0 {
            list.last_mut().expect("there is one").push(token.clone());
        }
    }
    (list, tokens.len())
}

/// Evaluates the condition of `#if`; names that are no macros are 0.
struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Evaluator<'_> {
    fn value(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some(Token { kind: Kind::Symbol(symbol), .. }) = self.tokens.get(self.at) {
            let level = match *symbol {
                "||" => 1,
                "&&" => 2,
                "==" | "!=" => 3,
                "<" | "<=" | ">" | ">=" => 4,
                "+" | "-" => 5,
                "*" | "/" | "%" => 6,
                _ => return Some(left),
            };
            if level <= least {
                return Some(left);
            }
            self.at += 1;
            let right = self.value(level)?;
            left = match *symbol {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                "<=" => i64::from(left <= right),
                ">" => i64::from(left > right),
                ">=" => i64::from(left >= right),
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match &token.kind {
            Kind::Number(value) => Some(*value),
            Kind::Name(_) => Some(0),
            Kind::Symbol("!") => Some(i64::from(self.unary()? == 0)),
            Kind::Symbol("-") => self.unary()?.checked_neg(),
            Kind::Symbol("(") if self.at < 256 => {
                let value = self.value(0)?;
                let closed = self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::Symbol(")"));
                self.at += 1;
                closed.then_some(value)
            }
            _ => None,
        }
    }
}
