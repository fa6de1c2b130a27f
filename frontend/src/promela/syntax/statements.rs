//! Statements of Promela.

use std::rc::Rc;

use super::ast::{Binary, Expr, ExprKind, Label, Place, Result, Run, Stmt, StmtKind};
use super::parser::{Inline, Parse, Parser, Reported};
use super::token::{Kind, Token, mark_parentheses};
use crate::diagnostics::{Diagnostic, codes};
use crate::promela::preprocess::MAX_TOKENS;
use crate::sequential::BinaryOp;
use crate::source::Span;

/// The most values but one of a `select` that is one step.
const MOST_AT_ONCE: i64 = 32;

impl Parser<'_> {
    /// A sequence in braces, and the closing brace.
    pub(crate) fn braced(&mut self) -> Parse<(Vec<Stmt>, Span)> {
        self.expect("{")?;
        self.braces.1 += 1;
        self.braces.0.push(self.braces.1);
        let body = self.sequence()?;
        self.braces.0.pop();
        let end = self.expect("}")?;
        Ok((body, end))
    }

    /// A label, or the target of a jump.
    fn label(&mut self) -> Parse<Label> {
        let name = self.name("a label")?;
        Ok(Label { name, braces: self.braces.0.clone(), inline: self.inline.clone() })
    }

    /// Statements up to `}`, `::`, `fi` or `od`.
    fn sequence(&mut self) -> Parse<Vec<Stmt>> {
        self.enter()?;
        let outer = std::mem::take(&mut self.before);
        let mut list = Vec::new();
        loop {
            while self.eat(";") || self.eat("->") {}
            if self.is("}") || self.is("::") || matches!(self.word(), "fi" | "od") || *self.kind() == Kind::End {
                self.before = outer;
                self.depth -= 1;
                return Ok(list);
            }
            let stmt = self.statement()?;
            list.append(&mut self.before);
            let is_block = matches!(
                stmt.kind,
                StmtKind::If(_)
                    | StmtKind::Do(_)
                    | StmtKind::Atomic(_)
                    | StmtKind::DStep(_)
                    | StmtKind::Block(_)
                    | StmtKind::For { .. }
                    | StmtKind::ForIn { .. }
                    | StmtKind::Unless(..)
                    | StmtKind::Declare(_)
                    | StmtKind::Label(..)
                    | StmtKind::Else
            );
            list.push(stmt);
            let closes = self.is("}") || self.is("::") || matches!(self.word(), "fi" | "od");
            if !(self.is(";") || self.is("->") || closes || is_block) {
                // A line may end a statement, as in SPIN.
                let starts = self.tokens.get(self.at).is_none_or(|token| token.starts_line);
                if !starts {
                    let diagnostic = self.unexpected("`;`");
                    let help = self.at.checked_sub(1).and_then(|before| self.suggested_type(before));
                    self.sink.push(diagnostic.help_opt(help));
                    return Err(Reported);
                }
            }
        }
    }

    fn statement(&mut self) -> Parse<Stmt> {
        self.enter()?;
        let stmt = self.basic()?;
        self.depth -= 1;
        if self.is_word("unless") {
            self.at += 1;
            let escape = self.statement()?;
            let open = |stmt: Stmt| match stmt.kind {
                StmtKind::Block(list) => list,
                _ => vec![stmt],
            };
            let span = stmt.span.to(escape.span);
            return Ok(Stmt { kind: StmtKind::Unless(open(stmt), open(escape)), span });
        }
        Ok(stmt)
    }

    fn basic(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = self.kind_of_statement(start)?;
        Ok(Stmt { kind, span: self.span_from(start) })
    }

    fn kind_of_statement(&mut self, start: Span) -> Parse<StmtKind> {
        if self.is("{") {
            return Ok(StmtKind::Block(self.braced()?.0));
        }
        let word = self.word().to_owned();
        match word.as_str() {
            "if" => Ok(StmtKind::If(self.options("if", "fi")?)),
            "do" => Ok(StmtKind::Do(self.options("do", "od")?)),
            "atomic" => self.block_of(StmtKind::Atomic),
            "d_step" => self.block_of(StmtKind::DStep),
            "goto" => {
                self.at += 1;
                Ok(StmtKind::Goto(self.label()?))
            }
            "return" => {
                self.at += 1;
                let value = self.expression()?;
                match self.result.clone() {
                    // What follows is executed, as by SPIN.
                    Some(place) => Ok(StmtKind::Assign(place, value)),
                    None => self.unsupported(start, "`return` without a place for the value", "write `x = f(..)`"),
                }
            }
            "break" => self.plain(StmtKind::Break),
            "else" => self.plain(StmtKind::Else),
            "assert" => {
                self.at += 1;
                let (value, made) = self.making()?;
                match made {
                    None => Ok(StmtKind::Assert(value)),
                    // The number of a new process is never 0.
                    Some(run) if value.kind == ExprKind::Made => Ok(StmtKind::Run(run, None)),
                    Some(_) => self.unsupported(start, "`run` inside a condition", "write `x = run P()`, then use `x`"),
                }
            }
            "printf" => {
                self.at += 1;
                self.expect("(")?;
                if !matches!(self.kind(), Kind::Text(_)) {
                    return self.fault("a text");
                }
                self.at += 1;
                let mut arguments = Vec::new();
                while self.eat(",") {
                    arguments.push(self.expression()?);
                }
                self.expect(")")?;
                Ok(StmtKind::Print(arguments))
            }
            "printm" => {
                self.at += 1;
                self.expect("(")?;
                Ok(StmtKind::Print(self.list()?))
            }
            "for" => self.for_loop(),
            "select" if self.is_at(1, "(") => {
                let begin = self.at;
                self.at += 2;
                let variable = self.place()?;
                self.expect(":")?;
                let (low, high) = self.range()?;
                self.expect(")")?;
                // SPIN's scanner looks for this one form, on a line.
                let is_one_line = self.tokens[begin + 1..self.at].iter().all(|token| !token.starts_line);
                let is_plain = self.at == begin + 8 && !variable.parts[0].name.text.contains('_');
                let at_once = match (&low.kind, &high.kind) {
                    (ExprKind::Int(low), ExprKind::Int(high)) => {
                        is_one_line && is_plain && self.inline.is_none() && high - low <= MOST_AT_ONCE
                    }
                    _ => false,
                };
                if !at_once {
                    self.begin(&variable, &low);
                }
                Ok(StmtKind::Select { variable, low, high, at_once })
            }
            "run" => Ok(StmtKind::Run(self.run()?, None)),
            // Who uses a channel matters to SPIN's partial order reduction alone.
            "xr" | "xs" if matches!(self.kind_at(1), Kind::Name(_)) => {
                self.at += 1;
                self.place()?;
                while self.eat(",") {
                    self.place()?;
                }
                Ok(StmtKind::Declare(Vec::new()))
            }
            "c_code" | "c_expr" => self.unsupported(start, "embedded C code", "write it in Promela"),
            "set_priority" => self.unsupported(start, "a priority", "remove it"),
            _ if self.is_type() => Ok(StmtKind::Declare(self.declaration()?)),
            _ => self.named_statement(),
        }
    }

    fn plain(&mut self, kind: StmtKind) -> Parse<StmtKind> {
        self.at += 1;
        Ok(kind)
    }

    fn block_of(&mut self, make: fn(Vec<Stmt>) -> StmtKind) -> Parse<StmtKind> {
        self.at += 1;
        Ok(make(self.braced()?.0))
    }

    fn options(&mut self, start: &str, end: &str) -> Parse<Vec<Vec<Stmt>>> {
        let open = self.span();
        self.at += 1;
        let mut options = Vec::new();
        while self.eat("::") {
            options.push(self.sequence()?);
        }
        if options.is_empty() {
            return self.fault("`::`");
        }
        if !self.eat_word(end) {
            let diagnostic = self.unexpected(&format!("`{end}`"));
            self.sink.push(diagnostic.related(open, format!("this `{start}` is never closed")));
            return Err(Reported);
        }
        Ok(options)
    }

    fn range(&mut self) -> Parse<(Expr, Expr)> {
        let low = self.expression()?;
        self.expect("..")?;
        Ok((low, self.expression()?))
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let variable = self.place()?;
        if self.eat_word("in") {
            let list = self.place()?;
            self.expect(")")?;
            return Ok(StmtKind::ForIn { variable, list, counter: String::new(), body: self.braced()?.0 });
        }
        self.expect(":")?;
        let (low, high) = self.range()?;
        self.expect(")")?;
        while self.eat(";") {}
        let body = self.braced()?.0;
        self.begin(&variable, &low);
        Ok(StmtKind::For { variable, high, body })
    }

    /// The first assignment of a loop stands before the statement with its labels and escapes, as in SPIN.
    fn begin(&mut self, variable: &Place, low: &Expr) {
        let kind = StmtKind::Assign(variable.clone(), low.clone());
        self.before.push(Stmt { kind, span: variable.span.to(low.span) });
    }

    pub(crate) fn run(&mut self) -> Parse<Run> {
        self.at += 1;
        let name = self.name("the name of a proctype")?;
        self.expect("(")?;
        let outer = self.made.take();
        let arguments = self.list();
        self.made = outer;
        let arguments = arguments?;
        self.no_priority()?;
        Ok(Run { name, arguments })
    }

    /// A statement that begins with a name or an expression.
    fn named_statement(&mut self) -> Parse<StmtKind> {
        if let Kind::Name(word) = self.kind().clone() {
            // A proctype is no label, but the first part of `P:variable`.
            if self.is_at(1, ":") && !self.proctypes.contains(&*word) {
                let label = self.label()?;
                self.at += 1;
                // A label of no statement is one of `skip`.
                let is_last = self.is("}") || self.is("::") || matches!(self.word(), "fi" | "od");
                let stmt = if is_last || self.is(";") || self.is("->") {
                    Stmt {
                        kind: StmtKind::Expr(Expr { kind: ExprKind::Int(1), span: label.name.span }),
                        span: label.name.span,
                    }
                } else {
                    // A label binds more closely than `unless`.
                    self.enter()?;
                    let stmt = self.basic()?;
                    self.depth -= 1;
                    stmt
                };
                return Ok(StmtKind::Label(label, Box::new(stmt)));
            }
            if self.is_at(1, "(")
                && let Some(inline) = self.inlines.get(&word).cloned()
            {
                return self.used(&word, &inline, None);
            }
            let begin = self.at;
            let is_reserved = matches!(&*word, "len" | "empty" | "full" | "nempty" | "nfull" | "enabled" | "timeout");
            if !is_reserved {
                let place = self.place()?;
                if let Some(kind) = self.after_place(place)? {
                    return Ok(kind);
                }
                self.at = begin;
            }
        }
        let start = self.span();
        let (value, made) = self.making()?;
        match made {
            None => Ok(StmtKind::Expr(value)),
            // The number of a new process is never 0.
            Some(run) if value.kind == ExprKind::Made => Ok(StmtKind::Run(run, None)),
            Some(_) => self.unsupported(start, "`run` inside a condition", "write `x = run P()`, then use `x`"),
        }
    }

    /// An expression that may make a process.
    fn making(&mut self) -> Parse<(Expr, Option<Run>)> {
        let outer = self.made.replace(None);
        let value = self.expression();
        let made = std::mem::replace(&mut self.made, outer).flatten();
        Ok((value?, made))
    }

    /// The rest of an assignment or of a statement on a channel.
    fn after_place(&mut self, place: Place) -> Parse<Option<StmtKind>> {
        let step = |op, place: Place| {
            let span = place.span;
            let one = Expr { kind: ExprKind::Int(1), span };
            let value = Expr { kind: ExprKind::Place(place.clone()), span };
            let kind = ExprKind::Binary(Binary::On(op), Box::new(value), Box::new(one));
            StmtKind::Assign(place, Expr { kind, span })
        };
        if self.eat("=") {
            if let Kind::Name(word) = self.kind().clone()
                && self.is_at(1, "(")
                && let Some(inline) = self.inlines.get(&word).cloned()
            {
                return self.used(&word, &inline, Some(place)).map(Some);
            }
            let (value, made) = self.making()?;
            return Ok(Some(match made {
                Some(run) => StmtKind::Run(run, Some(Result { place, value })),
                None => StmtKind::Assign(place, value),
            }));
        }
        if self.eat("++") {
            return Ok(Some(step(BinaryOp::Add, place)));
        }
        if self.eat("--") {
            return Ok(Some(step(BinaryOp::Subtract, place)));
        }
        if (self.is("!") || self.is("!!")) && self.goes_on() {
            let sorted = self.is("!!");
            self.at += 1;
            let mut arguments = self.expressions()?;
            if arguments.len() == 1 && self.is("(") && self.goes_on() {
                self.at += 1;
                arguments.extend(self.list()?);
            }
            return Ok(Some(StmtKind::Send { channel: place, arguments, sorted }));
        }
        if (self.is("?") || self.is("??")) && !self.is_at(1, "[") {
            let random = self.is("??");
            self.at += 1;
            let keeps = self.eat("<");
            let arguments = self.receive_arguments(if keeps { ">" } else { "" })?;
            return Ok(Some(StmtKind::Receive { channel: place, arguments, random, keeps }));
        }
        Ok(None)
    }

    /// A use of an `inline` text: its statements, with the arguments in the place of the parameters.
    fn used(&mut self, name: &Rc<str>, inline: &Inline, result: Option<Place>) -> Parse<StmtKind> {
        let start = self.span();
        self.at += 1;
        let arguments = self.raw_arguments()?;
        if arguments.len() != inline.parameters.len() {
            let (wanted, found) = (inline.parameters.len(), arguments.len());
            let message = format!("this text takes {wanted} arguments, not {found}");
            self.sink.push(Diagnostic::error(codes::PROMELA_ARGUMENTS, start, message));
            return Err(Reported);
        }
        let mut tokens: Vec<Token> = Vec::new();
        // Line ends in the arguments say nothing; one before an argument holds for what is written next.
        let mut begins_line = false;
        for token in inline.body.iter() {
            let parameter = match &token.kind {
                Kind::Name(name) => inline.parameters.iter().position(|parameter| parameter == name),
                _ => None,
            };
            begins_line |= token.starts_line;
            let single = std::slice::from_ref(token);
            for part in parameter.map_or(single, |number| &arguments[number]) {
                // A statement lies in the `inline` text, its arguments included.
                let starts_line = std::mem::take(&mut begins_line);
                tokens.push(Token { span: token.span, starts_line, ..part.clone() });
            }
        }
        mark_parentheses(&mut tokens);
        self.uses += tokens.len();
        if self.uses > MAX_TOKENS {
            let message = "the uses of `inline` texts make the text too long";
            self.sink.push(Diagnostic::error(codes::PROMELA_NESTING, start, message));
            return Err(Reported);
        }
        let outer = (std::mem::replace(&mut self.tokens, Rc::from(tokens)), std::mem::take(&mut self.at));
        let around = (self.inline.replace(name.clone()), std::mem::replace(&mut self.result, result));
        let body = self.enter().and_then(|()| self.braced());
        (self.inline, self.result) = around;
        (self.tokens, self.at) = outer;
        self.depth = self.depth.saturating_sub(1);
        Ok(StmtKind::Block(body?.0))
    }

    /// The tokens of the arguments in parentheses.
    fn raw_arguments(&mut self) -> Parse<Vec<Vec<Token>>> {
        self.expect("(")?;
        let mut list: Vec<Vec<Token>> = Vec::new();
        let mut depth = 0usize;
        loop {
            let Some(token) = self.tokens.get(self.at).cloned() else { return self.fault("`)`") };
            self.at += 1;
            match token.kind {
                Kind::Symbol(")") if depth == 0 => return Ok(list),
                Kind::Symbol(",") if depth == 0 => {
                    list.push(Vec::new());
                    continue;
                }
                Kind::Symbol("(" | "[" | "{") => depth += 1,
                Kind::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if list.is_empty() {
                list.push(Vec::new());
            }
            list.last_mut().expect("there is one").push(token);
        }
    }
}
