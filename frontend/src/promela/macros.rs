//! Macros: their replacement, and the line ends of the text after it.
//!
//! As `gcc -E` does it, which SPIN runs. The text of a replacement is read again together with what follows it (C 6.10.3.4). A name that stands
//! inside of the replacement of its own macro is marked ([`Token::painted`]) and never replaced again.
//!
//! `gcc -E` breaks the line before a token in two cases: the token or the macro that it comes from begins a line, outside of the arguments
//! of a macro; or its line is not that of the text before, and there is white space before it or an end of a replacement. The line of a
//! token of a replacement is that of the name of the outermost macro.
//!
//! Complexity: linear in the number of tokens that replacements read, which [`MAX_READ`] bounds.

use std::rc::Rc;

use super::preprocess::{Preprocessor, is_directive};
use super::syntax::token::{Kind, Token};

/// The most tokens of replacements that are read.
const MAX_READ: usize = 1 << 22;

/// The deepest nesting of arguments in arguments.
const MAX_NESTED: usize = 200;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// The names of its parameters; `None` for a macro without a list.
    pub parameters: Option<Rc<[Rc<str>]>>,
    pub body: Rc<[Token]>,
}

/// A text that is being read: some tokens, and the replacements that stand before the rest of them.
pub(super) struct Reading<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    contexts: Vec<Context>,
    /// Whether the tokens are those of an argument.
    is_argument: bool,
}

/// A replacement that is being read.
struct Context {
    name: Rc<str>,
    tokens: Rc<[Token]>,
    at: usize,
}

/// A token, and whether it comes from a replacement.
struct Read {
    token: Token,
    is_replacement: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Reading<'a> {
        Reading { tokens, at: 0, contexts: Vec::new(), is_argument: false }
    }
}

impl Preprocessor<'_> {
    /// Ends the replacements that are read to their end; returns whether the next token is none of a replacement.
    pub(super) fn is_outside(&mut self, reading: &mut Reading<'_>) -> bool {
        while let Some(context) = reading.contexts.last() {
            if context.at < context.tokens.len() {
                return false;
            }
            self.inside.remove(&context.name);
            reading.contexts.pop();
            self.is_padded = true;
        }
        true
    }

    fn next(&mut self, reading: &mut Reading<'_>) -> Option<Read> {
        limits::work(1);
        let is_replacement = !self.is_outside(reading);
        let mut token = match reading.contexts.last_mut() {
            Some(context) => {
                context.at += 1;
                context.tokens[context.at - 1].clone()
            }
            None => {
                let token = reading.tokens.get(reading.at)?.clone();
                reading.at += 1;
                token
            }
        };
        if let Kind::Name(name) = &token.kind {
            token.painted |= self.inside.contains(name) && !self.wrong.paints_nothing();
        }
        Some(Read { token, is_replacement })
    }

    /// Takes back the token that was read last.
    fn take_back(reading: &mut Reading<'_>) {
        match reading.contexts.last_mut() {
            Some(context) => context.at -= 1,
            None => reading.at -= 1,
        }
    }

    /// Reads a token: writes it, or puts the replacement of a macro before what follows. Returns whether there was one.
    pub(super) fn step(&mut self, reading: &mut Reading<'_>, out: &mut Vec<Token>) -> bool {
        let Some(Read { token, is_replacement }) = self.next(reading) else { return false };
        if !is_replacement && !reading.is_argument {
            (self.site, self.site_line) = (token.span, token.line);
        }
        let found = match &token.kind {
            Kind::Name(name) if !token.painted => self.macros.get(name).cloned().map(|found| (name.clone(), found)),
            _ => None,
        };
        let Some((name, found)) = found else {
            self.write(token, reading, out);
            return true;
        };
        let tokens = match &found.parameters {
            None => found.body,
            Some(parameters) => {
                // The parenthesis may follow the replacement that ends in the name.
                let is_padded = std::mem::take(&mut self.is_padded);
                match self.next(reading) {
                    Some(next) if next.token.kind == Kind::Symbol("(") => {}
                    next => {
                        if next.is_some() {
                            Self::take_back(reading);
                        }
                        let is_padded = std::mem::replace(&mut self.is_padded, is_padded);
                        self.write(token, reading, out);
                        self.is_padded |= is_padded;
                        return true;
                    }
                }
                let Some(arguments) = self.arguments(&name, reading) else { return true };
                let is_empty = parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty();
                if arguments.len() != parameters.len() && !is_empty {
                    let message =
                        format!("the macro `{name}` takes {} arguments, not {}", parameters.len(), arguments.len());
                    self.fault(self.site, &message, "give one argument for each parameter");
                    return true;
                }
                self.filled(&found.body, parameters, &arguments)
            }
        };
        self.read += tokens.len();
        if self.read > MAX_READ {
            self.ends();
        }
        self.is_padded = true;
        self.inside.insert(name.clone());
        reading.contexts.push(Context { name, tokens, at: 0 });
        true
    }

    /// Ends a text whose replacements are too long.
    fn ends(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.fault(self.site, "the text is too long after the preprocessor", "use shorter macros");
        }
    }

    /// The arguments of a macro, behind the opening parenthesis.
    fn arguments(&mut self, name: &str, reading: &mut Reading<'_>) -> Option<Vec<Vec<Token>>> {
        let mut list: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let next = self.next(reading);
            let is_end = |read: &Read| !read.is_replacement && is_directive(&read.token);
            let Some(Read { token, .. }) = next.filter(|read| !is_end(read)) else {
                let help = "close the parenthesis; a line of the preprocessor cannot stand between";
                self.fault(self.site, &format!("the arguments of the macro `{name}` are never closed"), help);
                if reading.at > 0 && reading.tokens.get(reading.at - 1).is_some_and(is_directive) {
                    Self::take_back(reading);
                }
                return None;
            };
            match token.kind {
                Kind::Symbol("(") => depth += 1,
                Kind::Symbol(")") if depth == 0 => return Some(list),
                Kind::Symbol(")") => depth -= 1,
                Kind::Symbol(",") if depth == 0 => {
                    list.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            put(list.last_mut().expect("there is one"), std::slice::from_ref(&token));
        }
    }

    /// The text of a macro with the arguments, after their own replacement, in the place of the parameters.
    fn filled(&mut self, body: &[Token], parameters: &[Rc<str>], arguments: &[Vec<Token>]) -> Rc<[Token]> {
        let mut replaced: Vec<Option<Vec<Token>>> = vec![None; parameters.len()];
        let mut tokens = Vec::new();
        for token in body {
            let number = match &token.kind {
                Kind::Name(name) => parameters.iter().position(|parameter| parameter == name),
                _ => None,
            };
            let Some(number) = number else {
                put(&mut tokens, std::slice::from_ref(token));
                continue;
            };
            if replaced[number].is_none() {
                replaced[number] = Some(self.replaced(&arguments[number]));
            }
            put(&mut tokens, replaced[number].as_deref().unwrap_or_default());
            if self.read + tokens.len() > MAX_READ {
                self.ends();
                break;
            }
        }
        limits::reserve(bytes(tokens.len()));
        tokens.into()
    }

    /// The tokens of an argument after replacement.
    fn replaced(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut out = Vec::new();
        self.nested += 1;
        if self.nested > MAX_NESTED {
            if !std::mem::replace(&mut self.is_over, true) {
                let message = format!("arguments of macros are nested more than {MAX_NESTED} levels deep");
                self.fault(self.site, &message, "use fewer levels");
            }
        } else {
            let mut reading = Reading { is_argument: true, ..Reading::new(tokens) };
            while !self.is_over && self.step(&mut reading, &mut out) {}
        }
        self.nested -= 1;
        out
    }

    /// Writes a token that is not replaced.
    fn write(&mut self, mut token: Token, reading: &Reading<'_>, out: &mut Vec<Token>) {
        if !reading.is_argument {
            (token.span, token.line) = (self.site, self.site_line);
            let is_apart = (token.spaced || self.is_padded) && token.line != self.line;
            token.starts_line = std::mem::take(&mut self.begins_line) || is_apart && !self.wrong.joins_lines();
            if is_apart {
                self.line = token.line;
            }
            self.is_padded = false;
        }
        put(out, std::slice::from_ref(&token));
    }
}

/// Adds tokens to a list.
fn put(out: &mut Vec<Token>, tokens: &[Token]) {
    limits::work(tokens.len() as u64);
    if out.capacity() - out.len() < tokens.len() {
        limits::reserve(bytes((2 * out.len()).max(out.len() + tokens.len())));
    }
    out.extend_from_slice(tokens);
}

/// The bytes of so many tokens.
fn bytes(tokens: usize) -> u64 {
    (tokens * size_of::<Token>()) as u64
}
