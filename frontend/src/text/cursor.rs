//! [`Cursor`]: the parser's place in the tokens of a text, with its reports, lists and nesting.
//!
//! There is one report per token. Nesting is counted, so that no text exhausts the stack.

use super::kinds::{Words, is_in_order};
use super::scanner::{TOKEN, Token};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::source::{Name, Span, Spanned};

/// The kinds of the tokens of a language.
pub(crate) trait Kind: Words {
    /// A name.
    const NAME: Self;
    /// A decimal number.
    const NUMBER: Self;
    /// The end of the text.
    const END: Self;
    /// The separator of lists.
    const COMMA: Self;
    /// Whether a comma may follow the last item of a list.
    const TRAILING_COMMA: bool;
    /// The greatest nesting of bodies and of expressions.
    const MAX_NESTING: usize;
    /// The code of a token that does not fit.
    const UNEXPECTED: Code;
    /// The code of a text that is nested too deeply.
    const TOO_DEEP: Code;
    /// The help for such a text.
    const NAME_PARTS: &'static str;
    /// The help for a word of the language in the place of a name.
    const WORD_AS_NAME: &'static str = "words of the language cannot be names: choose another name";
    /// The number of open levels of operators that one expression of the greatest height needs.
    const MAX_LEVELS: usize;
    /// The context of the parser.
    type Mode: Default;
    /// The kinds of expressions.
    type ExprKind;

    /// Whether a diagnostic shows the text of such a token.
    fn is_shown(self) -> bool {
        self == Self::NAME || self == Self::NUMBER
    }

    /// The name that is written as a text.
    fn name_of(text: &str) -> &str {
        text
    }
}

/// An expression and its height.
#[derive(Clone, Debug)]
pub(crate) struct Tall<E> {
    pub(crate) expr: Spanned<E>,
    pub(crate) height: usize,
}

/// A fault that was reported; the caller skips to a place where it can continue.
pub(crate) struct Reported;

/// A production.
pub(crate) type Parse<T> = Result<T, Reported>;

/// The place in the tokens of a text.
pub(crate) struct Cursor<'a, K: Kind> {
    text: &'a str,
    tokens: Vec<Token<K>>,
    at: usize,
    sink: &'a mut Diagnostics,
    depth: usize,
    bodies: usize,
    /// The number of open levels of infix operators.
    levels: usize,
    /// The context.
    pub(crate) mode: K::Mode,
    /// The token of the last report.
    reported: Option<usize>,
}

impl<'a, K: Kind> Cursor<'a, K> {
    /// A cursor at the first token of a text.
    pub(crate) fn new(text: &'a str, mut tokens: Vec<Token<K>>, sink: &'a mut Diagnostics) -> Cursor<'a, K> {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX - 1);
        debug_assert!(tokens.iter().all(|token| token.kind != K::END), "the end is added here");
        debug_assert!(
            tokens.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start),
            "tokens are in the order of the text"
        );
        debug_assert!(tokens.last().is_none_or(|last| last.span.end <= end), "tokens lie in the text");
        debug_assert!(is_in_order::<K>(), "symbols stand before their prefixes");
        tokens.push(Token { kind: K::END, span: Span::new(end, end) });
        Cursor { text, tokens, at: 0, sink, depth: 0, bodies: 0, levels: 0, mode: K::Mode::default(), reported: None }
    }

    /// The kind of the current token.
    pub(crate) fn kind(&self) -> K {
        self.tokens[self.at].kind
    }

    /// The kind of a later token.
    pub(crate) fn kind_at(&self, ahead: usize) -> K {
        self.tokens.get(self.at + ahead).map_or(K::END, |token| token.kind)
    }

    /// The place of the current token.
    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The place of the next token.
    pub(crate) fn next_span(&self) -> Span {
        self.tokens.get(self.at + 1).map_or(self.span(), |token| token.span)
    }

    /// The place of a later token.
    pub(crate) fn span_at(&self, ahead: usize) -> Span {
        self.tokens.get(self.at + ahead).map_or(self.span(), |token| token.span)
    }

    /// Whether the current token is the first of its line, without white space before it.
    pub(crate) fn starts_line(&self) -> bool {
        let start = (self.span().start as usize).min(self.text.len());
        self.text[..start].ends_with(['\n', '\r'])
    }

    /// The text of a place.
    pub(crate) fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.range(self.text.len())).unwrap_or("")
    }

    /// From `start` to the last token that was taken.
    pub(crate) fn span_from(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    /// Takes the current token.
    pub(crate) fn bump(&mut self) -> Token<K> {
        limits::work(TOKEN);
        let token = self.tokens[self.at];
        if token.kind != K::END {
            self.at += 1;
        }
        token
    }

    /// Takes a token of a kind, if it is the current one.
    pub(crate) fn eat(&mut self, kind: K) -> bool {
        let eaten = self.kind() == kind;
        if eaten {
            self.bump();
        }
        eaten
    }

    /// Reports at a place, once per token.
    pub(crate) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: Option<&str>,
    ) -> Reported {
        if self.reported != Some(self.at) {
            self.reported = Some(self.at);
            self.sink.push(Diagnostic::error(code, span, message).help_opt(help.map(String::from)));
        }
        Reported
    }

    /// Remarks on a place that is no fault.
    pub(crate) fn remark(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic);
    }

    fn found(&self) -> String {
        if !self.kind().is_shown() {
            return self.kind().describe().into();
        }
        let shown: String = self.text_of(self.span()).chars().take(40).collect();
        format!("`{shown}`")
    }

    /// Reports that another token was expected here.
    pub(crate) fn expected(&mut self, what: &str, help: Option<&str>) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        self.report(K::UNEXPECTED, self.span(), message, help)
    }

    /// Takes a name.
    pub(crate) fn name(&mut self, what: &str) -> Parse<Name> {
        if self.kind() == K::NAME {
            let span = self.bump().span;
            return Ok(Name { text: K::name_of(self.text_of(span)).into(), span });
        }
        let is_word = self.kind().is_word();
        Err(self.expected(what, is_word.then_some(K::WORD_AS_NAME)))
    }

    /// Takes a token of a kind.
    pub(crate) fn expect(&mut self, kind: K) -> Parse<Span> {
        if self.kind() == kind { Ok(self.bump().span) } else { Err(self.expected(kind.describe(), None)) }
    }

    /// Takes a decimal number behind a sign at `start`; its span, and its value if 32 bits hold it.
    pub(crate) fn decimal(&mut self, start: Span, is_negative: bool) -> (Span, Option<i32>) {
        debug_assert!(self.kind() == K::NUMBER, "a number follows the sign");
        let digits = self.bump().span;
        let magnitude = self.text_of(digits).parse::<i64>().ok();
        let value = magnitude.and_then(|value| i32::try_from(if is_negative { -value } else { value }).ok());
        (self.span_from(start), value)
    }

    /// Parses a production one level deeper; twice as many levels as a tree of the greatest height needs.
    pub(crate) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == 2 * K::MAX_NESTING {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Parses the operands of infix operators one level deeper.
    pub(crate) fn levelled<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.levels == K::MAX_LEVELS {
            return Err(self.too_deep());
        }
        self.levels += 1;
        let result = parse(self);
        self.levels -= 1;
        result
    }

    /// Makes an expression above operands of at most the height `below`.
    pub(crate) fn node(&mut self, kind: K::ExprKind, span: Span, below: usize) -> Parse<Tall<K::ExprKind>> {
        debug_assert!(span.start <= span.end, "operands stand in the order of the text");
        if below >= K::MAX_NESTING {
            return Err(self.too_deep());
        }
        Ok(Tall { expr: Spanned { kind, span }, height: below + 1 })
    }

    /// Reports that the text is nested too deeply here.
    pub(crate) fn too_deep(&mut self) -> Reported {
        self.report(K::TOO_DEEP, self.span(), "this is nested too deeply", Some(K::NAME_PARTS))
    }

    /// Parses a body one level deeper.
    pub(crate) fn enclosed<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.bodies == K::MAX_NESTING {
            return Err(self.too_deep());
        }
        self.bodies += 1;
        let result = self.nested(parse);
        self.bodies -= 1;
        result
    }

    /// Items separated by commas up to a closing token, which is taken.
    pub(crate) fn list<T>(&mut self, close: K, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        let mut follows_comma = false;
        loop {
            if (K::TRAILING_COMMA || !follows_comma) && self.eat(close) {
                return Ok(items);
            }
            items.push(item(self)?);
            follows_comma = self.eat(K::COMMA);
            if !follows_comma && self.kind() != close {
                return Err(self.expected(&format!("`,` or {}", close.describe()), None));
            }
        }
    }
}
