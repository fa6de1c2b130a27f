//! Expressions of Promela by precedence climbing; in `ltl` with the temporal operators.
//!
//! Precedence, loosest first: `->` and `<->` (in `ltl`), `||`, `&&`, `U` `W` `V`, then the operators of C; `[]`, `<>` and `X` bind as tightly as
//! `!`. SPIN's grammar has the same order. A line end outside of parentheses ends what could end there: a `-` that begins a line is a sign.

use super::ast::{Argument, Binary, Expr, ExprKind, Measure, Name, Part, Place, Unary};
use super::parser::{Parse, Parser, Reported};
use super::token::{Kind, Token};
use crate::diagnostics::{Diagnostic, codes};
use crate::sequential::BinaryOp;
use crate::source::Span;
use crate::syntax::temporal::{Temporal1, Temporal2};

/// The most binary operators of one expression.
const MAX_OPERATORS: usize = 1 << 16;

/// The level of `U` and its kin.
const UNTIL: u8 = 4;

/// A binary operator in the text.
struct Infix {
    op: Binary,
    level: u8,
    /// The number of its tokens.
    tokens: usize,
}

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Parse<Expr> {
        self.enter()?;
        let is_outermost = !std::mem::replace(&mut self.in_expression, true);
        if is_outermost {
            self.operators = 0;
        }
        let result = self.binary(0);
        self.in_expression &= !is_outermost;
        self.depth -= 1;
        result
    }

    /// Counts a binary operator: a chain of them is as high as it is long, and later stages walk it by recursion.
    fn count_operator(&mut self) -> Parse<()> {
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let message = format!("the expression has more than {MAX_OPERATORS} binary operators");
        self.sink.push(Diagnostic::error(codes::PROMELA_NESTING, self.span(), message));
        Err(Reported)
    }

    /// The binary operator here.
    fn operator(&self) -> Option<Infix> {
        use Binary::*;
        let found = match self.kind() {
            Kind::Symbol(symbol) => match *symbol {
                "->" if self.temporal => (Implies, 1),
                "<" if self.temporal && self.is_at(1, "->") => {
                    return Some(Infix { op: Equivalent, level: 1, tokens: 2 });
                }
                "||" => (Or, 2),
                "&&" => (And, 3),
                "-" if !self.goes_on() => return None,
                symbol => {
                    let op = BinaryOp::written(symbol)?;
                    (On(op), UNTIL + 1 + op.level())
                }
            },
            Kind::Name(name) if self.temporal => match &**name {
                "U" | "until" | "stronguntil" => (Temporal(Temporal2::Until), UNTIL),
                "W" | "weakuntil" => (Temporal(Temporal2::WeakUntil), UNTIL),
                "V" | "release" => (Temporal(Temporal2::Release), UNTIL),
                "implies" => (Implies, 1),
                "equivalent" => (Equivalent, 1),
                _ => return None,
            },
            _ => return None,
        };
        let (op, level) = found;
        Some(Infix { op, level, tokens: 1 })
    }

    fn binary(&mut self, least: u8) -> Parse<Expr> {
        self.enter()?;
        let mut left = self.unary()?;
        while let Some(Infix { op, level, tokens }) = self.operator() {
            if level <= least {
                break;
            }
            self.count_operator()?;
            self.at += tokens;
            let right = self.binary(level)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn prefix(&self) -> Option<(Unary, usize)> {
        Some(match self.kind() {
            Kind::Symbol("!") => (Unary::Not, 1),
            Kind::Symbol("-") => (Unary::Negate, 1),
            Kind::Symbol("~") => (Unary::Complement, 1),
            Kind::Symbol("[") if self.temporal && self.is_at(1, "]") => (Unary::Temporal(Temporal1::Globally), 2),
            Kind::Symbol("<") if self.temporal && self.is_at(1, ">") => (Unary::Temporal(Temporal1::Finally), 2),
            Kind::Name(name) if self.temporal => match &**name {
                "always" => (Unary::Temporal(Temporal1::Globally), 1),
                "eventually" => (Unary::Temporal(Temporal1::Finally), 1),
                "X" | "next" => (Unary::Temporal(Temporal1::Next), 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.span();
        if self.is("!!") {
            self.at += 1;
            self.enter()?;
            let inner = self.unary()?;
            self.depth -= 1;
            let not = |inner: Expr| Expr { span: inner.span, kind: ExprKind::Unary(Unary::Not, Box::new(inner)) };
            return Ok(not(not(inner)));
        }
        let Some((op, tokens)) = self.prefix() else { return self.primary() };
        self.at += tokens;
        self.enter()?;
        let inner = self.unary()?;
        self.depth -= 1;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(inner)), span: self.span_from(start) })
    }

    fn primary(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.kind().clone() {
            Kind::Number(value) => {
                self.at += 1;
                ExprKind::Int(value)
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let inner = self.expression()?;
                let kind = if self.eat("->") {
                    let then = self.expression()?;
                    self.expect(":")?;
                    let otherwise = self.expression()?;
                    ExprKind::Choice(Box::new(inner), Box::new(then), Box::new(otherwise))
                } else {
                    inner.kind
                };
                self.expect(")")?;
                kind
            }
            Kind::Name(word) => self.word_expression(&word)?,
            _ => return self.fault("an expression"),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    fn word_expression(&mut self, word: &str) -> Parse<ExprKind> {
        let start = self.span();
        let measure = match word {
            "len" => Some(Measure::Len),
            "empty" => Some(Measure::Empty),
            "nempty" => Some(Measure::NotEmpty),
            "full" => Some(Measure::Full),
            "nfull" => Some(Measure::NotFull),
            _ => None,
        };
        if let Some(measure) = measure.filter(|_| self.is_at(1, "(")) {
            self.at += 2;
            let place = self.place()?;
            self.expect(")")?;
            return Ok(ExprKind::Measure(measure, place));
        }
        match word {
            "true" | "skip" => self.constant(1),
            "false" => self.constant(0),
            "timeout" => self.single(ExprKind::Timeout),
            "_nr_pr" => self.single(ExprKind::ProcessCount),
            "_pid" => self.single(ExprKind::Pid),
            "enabled" if self.is_at(1, "(") => {
                self.at += 1;
                Ok(ExprKind::Enabled(Box::new(self.enclosed("(", ")")?)))
            }
            "np_" => self.single(ExprKind::NoProgress),
            "_last" => self.single(ExprKind::Last),
            "_priority" | "pc_value" | "get_priority" | "set_priority" => {
                self.unsupported(start, &format!("`{word}`"), "use a variable or a label instead")
            }
            "c_expr" => self.unsupported(start, "embedded C code", "write it in Promela"),
            "run" if self.made == Some(None) => {
                let run = self.run()?;
                self.made = Some(Some(run));
                Ok(ExprKind::Made)
            }
            "run" => self.unsupported(start, "`run` at this place", "write `x = run P()`, then use `x`"),
            _ => self.place_expression(start),
        }
    }

    fn constant(&mut self, value: i64) -> Parse<ExprKind> {
        self.single(ExprKind::Int(value))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it ends a list of alternatives that may fail")]
    fn single(&mut self, kind: ExprKind) -> Parse<ExprKind> {
        self.at += 1;
        Ok(kind)
    }

    /// A place, a poll of a channel, or a reference to a process.
    fn place_expression(&mut self, start: Span) -> Parse<ExprKind> {
        let place = self.place()?;
        let random = self.is("??");
        if (random || self.is("?")) && self.is_at(1, "[") {
            self.at += 2;
            let arguments = self.receive_arguments("]")?;
            return Ok(ExprKind::Poll { channel: place, arguments, random });
        }
        let remote = |place: &Place| match place.parts.as_slice() {
            [Part { name, index }] => Some((name.clone(), index.clone())),
            _ => None,
        };
        if self.is("@")
            && let Some((process, pid)) = remote(&place)
        {
            self.at += 1;
            let label = self.name("a label")?;
            return Ok(ExprKind::At { process, pid, label });
        }
        if self.is(":")
            && matches!(self.kind_at(1), Kind::Name(_))
            && let Some((process, pid)) = remote(&place)
            && (self.temporal && pid.is_none()
                || self.proctypes.contains(process.text.as_str())
                || pid.is_some() && self.tokens.get(self.at + 1).is_some_and(|token| !token.spaced))
        {
            self.at += 1;
            let place = self.place()?;
            return Ok(ExprKind::Of { process, pid, place });
        }
        let _ = start;
        Ok(ExprKind::Place(place))
    }

    /// A variable, an element or a field.
    pub(crate) fn place(&mut self) -> Parse<Place> {
        let start = self.span();
        let mut parts = Vec::new();
        loop {
            let name: Name = self.name("a name")?;
            let index = if self.is("[") && !(self.temporal && self.is_at(1, "]")) {
                let temporal = std::mem::take(&mut self.temporal);
                let index = self.enclosed("[", "]");
                self.temporal = temporal;
                Some(Box::new(index?))
            } else {
                None
            };
            parts.push(Part { name, index });
            if !self.eat(".") {
                return Ok(Place { parts, span: self.span_from(start) });
            }
        }
    }

    /// Whether the next token is on the line of the last one, or in parentheses, where line ends say nothing.
    pub(crate) fn goes_on(&self) -> bool {
        let ends = |token: &Token| token.starts_line && !token.in_parentheses;
        self.temporal || !self.tokens.get(self.at).is_some_and(ends)
    }

    /// The arguments of a receive statement or poll, up to a closing symbol.
    pub(crate) fn receive_arguments(&mut self, close: &str) -> Parse<Vec<Argument>> {
        let mut list = Vec::new();
        self.receive_list(&mut list)?;
        if !close.is_empty() {
            self.expect(close)?;
        }
        Ok(list)
    }

    /// Arguments with commas between them, where those behind one, or all, may stand in parentheses.
    fn receive_list(&mut self, list: &mut Vec<Argument>) -> Parse<()> {
        self.enter()?;
        let is_open = |own: &Self| own.is("(") && own.goes_on();
        loop {
            if !is_open(self) {
                list.push(self.receive_argument()?);
            }
            if is_open(self) {
                self.at += 1;
                self.receive_list(list)?;
                self.expect(")")?;
                break;
            }
            if !self.eat(",") {
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn receive_argument(&mut self) -> Parse<Argument> {
        if self.is_word("eval") {
            self.at += 1;
            return Ok(Argument::Match(self.enclosed("(", ")")?));
        }
        if self.eat_word("_") {
            return Ok(Argument::Any);
        }
        match self.kind() {
            Kind::Name(word) if !matches!(&**word, "true" | "false") => Ok(Argument::Place(self.place()?)),
            _ => {
                // Constants only: a `>` closes the arguments of `?<..>`.
                let value = self.unary()?;
                Ok(Argument::Match(value))
            }
        }
    }
}
