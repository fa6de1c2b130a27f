//! The parser of `.lpe`: tokens, recovery and declarations.
//!
//! Recursive descent. After a fault the parser continues after the next `;` of a body, with the next summand, or with
//! the next declaration, so that one text gives several diagnostics. Nesting is counted, so that no text exhausts the
//! stack.
//!
//! Complexity: linear in the text: recovery only moves forward.

use super::ast::{
    Binder, Claim, ClaimKind, ConstantValue, Definition, Expr, File, Index, Init, InitialValue, Name, Process, Variable,
};
use super::token::{TOKEN, Token, TokenKind, WORDS, tokens};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::sequential::MAX_NESTING;
use crate::source::Span;

/// Parses a text.
pub(in crate::sequential) fn parse(text: &str, sink: &mut Diagnostics) -> File {
    let tokens = tokens(text, sink);
    let mut parser =
        Parser { text, tokens, at: 0, sink, depth: 0, bodies: 0, levels: 0, temporal: false, reported: None };
    parser.file()
}

/// A fault that was reported; the caller skips to a place where it can continue.
pub(super) struct Reported;

pub(super) type Parse<T> = Result<T, Reported>;

/// The greatest nesting of brackets, prefixes and binders: more than an expression of the greatest height needs.
const MAX_DEPTH: usize = 2 * MAX_NESTING;

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    sink: &'a mut Diagnostics,
    depth: usize,
    /// The number of open bodies around the current place.
    pub(super) bodies: usize,
    /// The number of open levels of binary operators: see `expressions`.
    pub(super) levels: usize,
    /// Whether temporal operators are part of the expression.
    pub(super) temporal: bool,
    /// The token of the last report: there is one report per token.
    reported: Option<usize>,
}

impl<'a> Parser<'a> {
    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    pub(super) fn next_kind(&self) -> TokenKind {
        self.kind_at(1)
    }

    pub(super) fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn next_span(&self) -> Span {
        self.tokens.get(self.at + 1).map_or(self.span(), |token| token.span)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    pub(super) fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.range(self.text.len())).unwrap_or("")
    }

    /// From `start` to the last token that was taken.
    pub(super) fn span_from(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    pub(super) fn bump(&mut self) -> Token {
        limits::work(TOKEN);
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let eaten = self.kind() == kind;
        if eaten {
            self.bump();
        }
        eaten
    }

    /// Reports at a place, once per token.
    pub(super) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Reported {
        if self.reported != Some(self.at) {
            self.reported = Some(self.at);
            self.sink.push(Diagnostic::error(code, span, message).help_opt(help));
        }
        Reported
    }

    /// Remarks on a place that is no fault.
    pub(super) fn remark(&mut self, code: Code, span: Span, message: &str, help: &str) {
        self.sink.push(Diagnostic::warning(code, span, message).help(help));
    }

    fn found(&self) -> String {
        match self.kind() {
            TokenKind::Name | TokenKind::Number => {
                let shown: String = self.text_of(self.span()).chars().take(40).collect();
                format!("`{shown}`")
            }
            kind => kind.describe().into(),
        }
    }

    /// Reports that another token was expected here.
    pub(super) fn expected(&mut self, what: &str, help: Option<&str>) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        self.report(codes::LPE_UNEXPECTED, self.span(), message, help.map(String::from))
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Parse<Span> {
        if self.kind() == kind { Ok(self.bump().span) } else { Err(self.expected(kind.describe(), None)) }
    }

    pub(super) fn name(&mut self, what: &str) -> Parse<Name> {
        if self.kind() == TokenKind::Name {
            let span = self.bump().span;
            return Ok(Name { text: self.text_of(span).into(), span });
        }
        let word = WORDS.contains(&self.text_of(self.span()));
        Err(self.expected(what, word.then_some("words of the language cannot be names: choose another name")))
    }

    /// Parses a production one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn too_deep(&mut self) -> Reported {
        let help = "name parts of it by `prop`, or write shorter conditions";
        self.report(codes::LPE_TOO_DEEP, self.span(), "this is nested too deeply", Some(help.into()))
    }

    /// Reports too many binders in one list, as if they were nested.
    pub(super) fn check_length(&mut self, len: usize) -> Parse<()> {
        if len < MAX_NESTING { Ok(()) } else { Err(self.too_deep()) }
    }

    /// Items separated by commas up to a closing token, which is consumed.
    pub(super) fn list<T>(&mut self, close: TokenKind, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(TokenKind::Comma) {
                return Err(self.expected(&format!("`,` or {}", close.describe()), None));
            }
        }
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.kind() != TokenKind::End {
            if self.declaration(&mut file).is_err() {
                self.skip_to_declaration();
            }
        }
        file
    }

    fn declaration(&mut self, file: &mut File) -> Parse<()> {
        match self.kind() {
            TokenKind::Const => file.definitions.push(self.constant()?),
            TokenKind::Type => file.definitions.push(self.sort()?),
            TokenKind::Proc => return self.process(file),
            TokenKind::Init => file.inits.push(self.init()?),
            TokenKind::Prop => file.claims.push(self.claim(ClaimKind::Proposition)?),
            TokenKind::Assert => file.claims.push(self.claim(ClaimKind::Invariant)?),
            TokenKind::Ltl => file.claims.push(self.claim(ClaimKind::Ltl)?),
            _ => {
                let error =
                    self.expected("a declaration", Some("`const`, `type`, `proc`, `init`, `prop`, `assert` or `ltl`"));
                self.bump();
                return Err(error);
            }
        }
        self.expect(TokenKind::Semicolon).map(drop)
    }

    pub(super) fn at_declaration(&self) -> bool {
        use TokenKind::{Assert, Const, End, Init, Ltl, Proc, Prop, Type};
        matches!(self.kind(), Const | Type | Proc | Init | Prop | Assert | Ltl | End)
    }

    /// Skips past the next `;` outside braces, or to the next declaration.
    fn skip_to_declaration(&mut self) {
        let mut open = 0usize;
        while !self.at_declaration() {
            match self.bump().kind {
                TokenKind::BraceOpen => open += 1,
                TokenKind::BraceClose => open = open.saturating_sub(1),
                TokenKind::Semicolon if open == 0 => return,
                _ => {}
            }
        }
    }

    fn constant(&mut self) -> Parse<Definition> {
        self.bump();
        let name = self.name("the name of a constant")?;
        let mut indices = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            self.check_length(indices.len())?;
            let first = self.name("a type, or a name with its type")?;
            let index = if self.eat(TokenKind::Colon) {
                Index { binder: Some(first), sort: self.name("a type")? }
            } else {
                Index { binder: None, sort: first }
            };
            indices.push(index);
            self.expect(TokenKind::BracketClose)?;
        }
        self.expect(TokenKind::Equal)?;
        let value = self.constant_value()?;
        Ok(Definition::Constant { name, indices, value })
    }

    fn constant_value(&mut self) -> Parse<ConstantValue> {
        let start = self.span();
        if !self.eat(TokenKind::BracketOpen) {
            return Ok(ConstantValue::Single(self.expression()?));
        }
        let list = self.list(TokenKind::BracketClose, Parser::list_element)?;
        Ok(ConstantValue::List(list, self.span_from(start)))
    }

    fn list_element(&mut self) -> Parse<Expr> {
        if self.kind() == TokenKind::BracketOpen {
            return Err(self.expected("a value", Some("lists are flat: write the elements row by row")));
        }
        self.expression()
    }

    fn sort(&mut self) -> Parse<Definition> {
        self.bump();
        let name = self.name("the name of a type")?;
        self.expect(TokenKind::Colon)?;
        if self.eat(TokenKind::BraceOpen) {
            let members = self.list(TokenKind::BraceClose, |parser| parser.name("the name of a value"))?;
            return Ok(Definition::Enumeration { name, members });
        }
        let low = self.expression()?;
        self.expect(TokenKind::DotDot)?;
        let high = self.expression()?;
        Ok(Definition::Range { name, low, high })
    }

    fn process(&mut self, file: &mut File) -> Parse<()> {
        self.bump();
        let name = self.name("the name of the process")?;
        self.expect(TokenKind::ParenOpen)?;
        let variables = self.list(TokenKind::ParenClose, Parser::variable)?;
        let fair = if self.kind() == TokenKind::Name && self.text_of(self.span()) == "fair" {
            self.bump();
            Some(self.name("the type of the processes")?)
        } else {
            None
        };
        self.expect(TokenKind::Equal)?;
        let mut process = Process { name, variables, fair, summands: Vec::new() };
        loop {
            match self.summand() {
                Ok(summand) => process.summands.push(summand),
                Err(Reported) => self.skip_summand(),
            }
            if !self.eat(TokenKind::Plus) {
                break;
            }
        }
        file.processes.push(process);
        if self.eat(TokenKind::Semicolon) { Ok(()) } else { Err(self.expected("`+` or `;`", None)) }
    }

    pub(super) fn variable(&mut self) -> Parse<Variable> {
        let name = self.name("the name of a variable")?;
        self.expect(TokenKind::Colon)?;
        let sort = self.name("a type")?;
        let mut indices = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            indices.push(self.name("a type")?);
            self.expect(TokenKind::BracketClose)?;
        }
        Ok(Variable { name, sort, indices })
    }

    /// `name : sort .`
    pub(super) fn binder(&mut self) -> Parse<Binder> {
        let name = self.name("the name of a variable")?;
        self.expect(TokenKind::Colon)?;
        let sort = self.name("a type")?;
        self.expect(TokenKind::Dot)?;
        Ok(Binder { name, sort })
    }

    fn init(&mut self) -> Parse<Init> {
        let start = self.bump().span;
        let process = self.name("the name of the process")?;
        self.expect(TokenKind::ParenOpen)?;
        let values = if self.kind() == TokenKind::Star && self.next_kind() == TokenKind::ParenClose {
            self.bump();
            self.bump();
            None
        } else {
            Some(self.list(TokenKind::ParenClose, Parser::initial_value)?)
        };
        Ok(Init { process, values, span: self.span_from(start) })
    }

    fn initial_value(&mut self) -> Parse<(Name, InitialValue)> {
        let name = self.name("`variable = value`, or a single `*`")?;
        self.expect(TokenKind::Equal)?;
        if self.eat(TokenKind::Star) {
            return Ok((name, InitialValue::Any));
        }
        Ok((name, InitialValue::Given(self.constant_value()?)))
    }

    fn claim(&mut self, kind: ClaimKind) -> Parse<Claim> {
        self.bump();
        let name = self.name("a name")?;
        self.expect(TokenKind::Equal)?;
        self.temporal = kind == ClaimKind::Ltl;
        let value = self.expression();
        self.temporal = false;
        Ok(Claim { kind, name, value: value? })
    }
}
