//! The parser of Promela: tokens to a tree; units, declarations and the texts of `inline`.
//!
//! Recursive descent. A use of an `inline` text is parsed where it stands, with its arguments in the place of the
//! parameters. After a fault the parser continues with the next unit. Nesting is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::ast::{
    Channel, Claim, Expr, File, Initial, Name, Never, Place, Process, Record, Run, Symbols, Type, Variable,
};
use super::token::{Kind, Token, mark_parentheses};
use crate::diagnostics::{Diagnostic, Diagnostics, closest, codes};
use crate::source::Span;

/// The deepest nesting of statements and expressions.
pub(super) const MAX_NESTING: usize = 200;

/// A fault was reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Parse<T> = Result<T, Reported>;

/// An `inline` text.
#[derive(Clone, Debug)]
pub(super) struct Inline {
    pub parameters: Vec<Rc<str>>,
    pub body: Rc<[Token]>,
}

/// The parser.
pub(super) struct Parser<'a> {
    pub tokens: Rc<[Token]>,
    pub at: usize,
    pub end: Span,
    pub sink: &'a mut Diagnostics,
    pub inlines: Rc<BTreeMap<Rc<str>, Inline>>,
    pub records: Rc<BTreeSet<String>>,
    /// The proctypes so far.
    pub proctypes: BTreeSet<String>,
    pub depth: usize,
    /// Whether an expression is being read.
    pub in_expression: bool,
    /// The binary operators of the outermost expression so far.
    pub operators: usize,
    /// Whether temporal operators are part of expressions.
    pub temporal: bool,
    /// The formulas without a name so far.
    pub unnamed: usize,
    /// The statements that uses of `inline` texts have made.
    pub uses: usize,
    /// The `run` of a value, where one may stand.
    pub made: Option<Option<Run>>,
    /// The open braces of statements, and the number of all so far.
    pub braces: (Vec<u32>, u32),
    /// The `inline` text that is being used.
    pub inline: Option<Rc<str>>,
    /// The place that takes its value.
    pub result: Option<Place>,
    /// Statements that come before the one that is read.
    pub before: Vec<super::ast::Stmt>,
}

/// Parses a text after the preprocessor.
pub(crate) fn parse(mut tokens: Vec<Token>, sink: &mut Diagnostics) -> File {
    debug_assert!(tokens.iter().all(|token| token.kind != Kind::End), "the end of the text is no token");
    mark_parentheses(&mut tokens);
    let end = tokens.last().map_or(Span::NONE, |token| token.span);
    let mut parser = Parser {
        tokens: tokens.into(),
        at: 0,
        end,
        sink,
        inlines: Rc::default(),
        records: Rc::default(),
        proctypes: BTreeSet::new(),
        depth: 0,
        in_expression: false,
        operators: 0,
        temporal: false,
        unnamed: 0,
        uses: 0,
        made: None,
        braces: (Vec::new(), 0),
        inline: None,
        result: None,
        before: Vec::new(),
    };
    let mut file = File::default();
    while !matches!(parser.kind(), Kind::End) {
        let begin = parser.at;
        let unit = parser.unit(&mut file);
        assert!(parser.at >= begin, "the parser goes forward only");
        if unit.is_ok() {
            assert!(parser.at > begin, "a unit has tokens");
            assert!(parser.depth == 0 && parser.braces.0.is_empty(), "every level that a unit enters is left in it");
            assert!(parser.before.is_empty() && parser.inline.is_none(), "every statement stands in its sequence");
        } else {
            parser.temporal = false;
            parser.made = None;
            parser.braces.0.clear();
            parser.inline = None;
            parser.before.clear();
            parser.depth = 0;
            parser.skip_to_unit();
        }
    }
    file
}

/// The words that name types.
const TYPES: &[&str] = &["bit", "bool", "byte", "short", "int", "pid", "mtype", "chan", "unsigned"];

/// The words that begin units.
const UNITS: &[&str] = &["proctype", "active", "init", "ltl", "never", "typedef", "inline", "mtype", "D_proctype"];

impl Parser<'_> {
    pub(crate) fn kind(&self) -> &Kind {
        self.kind_at(0)
    }

    pub(crate) fn kind_at(&self, ahead: usize) -> &Kind {
        self.tokens.get(self.at + ahead).map_or(&Kind::End, |token| &token.kind)
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    pub(crate) fn span_from(&self, start: Span) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(start, |token| start.to(token.span))
    }

    pub(crate) fn is(&self, symbol: &str) -> bool {
        self.is_at(0, symbol)
    }

    pub(crate) fn is_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.kind_at(ahead), Kind::Symbol(found) if *found == symbol)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Name(found) if &**found == word)
    }

    pub(crate) fn word(&self) -> &str {
        match self.kind() {
            Kind::Name(name) => name,
            _ => "",
        }
    }

    pub(crate) fn eat(&mut self, symbol: &str) -> bool {
        let eaten = self.is(symbol);
        self.at += usize::from(eaten);
        eaten
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let eaten = self.is_word(word);
        self.at += usize::from(eaten);
        eaten
    }

    pub(crate) fn fault<T>(&mut self, wanted: &str) -> Parse<T> {
        let diagnostic = self.unexpected(wanted);
        self.sink.push(diagnostic);
        Err(Reported)
    }

    /// What stands here, where something else is wanted.
    pub(crate) fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.kind() {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Number(value) => format!("`{value}`"),
            Kind::Numeral(text) => format!("`{text}`"),
            Kind::Text(_) | Kind::Unclosed => "a text".into(),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::Stray => "a character that is no part of Promela".into(),
            Kind::End => "the end of the text".into(),
        };
        Diagnostic::error(codes::PROMELA_UNEXPECTED, self.span(), format!("expected {wanted}, found {found}"))
    }

    /// Reports a construct that is left out.
    pub(crate) fn unsupported<T>(&mut self, span: Span, construct: &str, help: &str) -> Parse<T> {
        let message = format!("{construct} is not supported");
        self.sink.push(Diagnostic::error(codes::PROMELA_UNSUPPORTED, span, message).help(help));
        Err(Reported)
    }

    pub(crate) fn expect(&mut self, symbol: &str) -> Parse<Span> {
        let span = self.span();
        if self.eat(symbol) { Ok(span) } else { self.fault(&format!("`{symbol}`")) }
    }

    pub(crate) fn name(&mut self, wanted: &str) -> Parse<Name> {
        let span = self.span();
        let Kind::Name(text) = self.kind() else { return self.fault(wanted) };
        let text = text.to_string();
        self.at += 1;
        Ok(Name { text, span })
    }

    /// Enters a deeper level.
    pub(crate) fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth <= MAX_NESTING {
            return Ok(());
        }
        let message = "statements and expressions are nested too deeply";
        self.sink.push(Diagnostic::error(codes::PROMELA_NESTING, self.span(), message));
        Err(Reported)
    }

    fn skip_to_unit(&mut self) {
        loop {
            self.at += 1;
            let starts = self.tokens.get(self.at).is_none_or(|token| token.starts_line);
            if matches!(self.kind(), Kind::End) || (starts && UNITS.contains(&self.word())) {
                return;
            }
        }
    }

    fn unit(&mut self, file: &mut File) -> Parse<()> {
        let span = self.span();
        if self.eat(";") {
            return Ok(());
        }
        match self.word() {
            "mtype" if self.is_at(1, "=") || self.is_at(1, "{") || self.is_at(1, ":") => self.symbols(file)?,
            "typedef" => {
                self.at += 1;
                let name = self.name("the name of the type")?;
                self.expect("{")?;
                let fields = self.declarations("}")?;
                Rc::make_mut(&mut self.records).insert(name.text.clone());
                file.records.push(Record { name, fields });
            }
            "inline" => self.inline()?,
            "proctype" | "active" | "D_proctype" => file.processes.push(self.process()?),
            "init" => {
                self.at += 1;
                let name = Name { text: "init".into(), span };
                self.no_priority()?;
                let (body, end) = self.braced()?;
                file.processes.push(Process {
                    name,
                    active: Some(None),
                    parameters: Vec::new(),
                    provided: None,
                    body,
                    end,
                });
            }
            "ltl" => {
                self.at += 1;
                let name = match self.kind() {
                    Kind::Name(_) => self.name("a name")?,
                    _ => {
                        self.unnamed += 1;
                        Name { text: format!("ltl_{}", self.unnamed - 1), span }
                    }
                };
                self.expect("{")?;
                self.temporal = true;
                let formula = self.expression();
                self.temporal = false;
                let formula = formula?;
                self.expect("}")?;
                file.formulas.push(Claim { name, formula });
            }
            "never" => {
                self.at += 1;
                let name = match self.kind() {
                    Kind::Name(_) => self.name("a name")?,
                    _ => Name { text: "never".into(), span },
                };
                let (body, end) = self.braced()?;
                file.never.push(Never { name, body, end });
            }
            "trace" | "notrace" => return self.unsupported(span, "a trace claim", "write a `never` claim or `ltl`"),
            "c_code" | "c_decl" | "c_state" | "c_track" | "c_expr" => {
                return self.unsupported(span, "embedded C code", "write it in Promela");
            }
            _ if self.is_type() => file.globals.extend(self.declaration()?),
            _ => {
                let diagnostic = self.unexpected("a declaration, `proctype`, `init`, `ltl` or `never`");
                self.sink.push(diagnostic.help_opt(self.suggested_type(self.at)));
                return Err(Reported);
            }
        }
        Ok(())
    }

    fn symbols(&mut self, file: &mut File) -> Parse<()> {
        self.at += 1;
        let set = match self.eat(":") {
            true => self.name("the name of the set of symbols")?.text,
            false => String::new(),
        };
        if !self.is("=") && !self.is("{") {
            // `mtype:set x;`
            let variables = self.variables(&Type::Mtype)?;
            file.globals.extend(variables);
            return Ok(());
        }
        self.eat("=");
        self.expect("{")?;
        let mut names = Vec::new();
        // SPIN reads lists with and without commas.
        while !self.eat("}") {
            names.push(self.name("a symbol")?);
            self.eat(",");
        }
        file.symbols.push(Symbols { set, names });
        Ok(())
    }

    fn inline(&mut self) -> Parse<()> {
        self.at += 1;
        let name = self.name("the name of the text")?;
        self.expect("(")?;
        let mut parameters: Vec<Rc<str>> = Vec::new();
        while !self.eat(")") {
            parameters.push(self.name("a parameter")?.text.into());
            self.eat(",");
        }
        let open = self.at;
        self.expect("{")?;
        let mut depth = 1usize;
        while depth > 0 {
            match self.kind() {
                Kind::Symbol("{") => depth += 1,
                Kind::Symbol("}") => depth -= 1,
                Kind::End => return self.fault("`}`"),
                _ => {}
            }
            self.at += 1;
        }
        let body: Rc<[Token]> = self.tokens[open..self.at].into();
        Rc::make_mut(&mut self.inlines).insert(name.text.into(), Inline { parameters, body });
        Ok(())
    }

    pub(crate) fn no_priority(&mut self) -> Parse<()> {
        if self.is_word("priority") {
            let help = "remove it: every process that can move is tried";
            return self.unsupported(self.span(), "a priority", help);
        }
        Ok(())
    }

    fn process(&mut self) -> Parse<Process> {
        let active = if self.eat_word("active") { Some(self.in_brackets()?) } else { None };
        self.at += 1;
        let name = self.name("the name of the proctype")?;
        self.proctypes.insert(name.text.clone());
        self.expect("(")?;
        let parameters = self.declarations(")")?;
        self.no_priority()?;
        let provided = if self.eat_word("provided") { Some(self.enclosed("(", ")")?) } else { None };
        self.no_priority()?;
        let (body, end) = self.braced()?;
        Ok(Process { name, active, parameters, provided, body, end })
    }

    /// Whether a declaration of variables begins here.
    pub(crate) fn is_type(&self) -> bool {
        let word = self.word();
        TYPES.contains(&word) || ["hidden", "show", "local"].contains(&word) || self.records.contains(word)
    }

    /// The suggestion of a type for a word that another one follows, as in a declaration.
    pub(crate) fn suggested_type(&self, at: usize) -> Option<String> {
        let word = |at: usize| match &self.tokens.get(at)?.kind {
            Kind::Name(word) => Some(&**word),
            _ => None,
        };
        let types = TYPES.iter().copied().chain(self.records.iter().map(String::as_str));
        let suggested = closest(word(at).filter(|_| word(at + 1).is_some())?, types)?;
        Some(format!("did you mean `{suggested}`?"))
    }

    /// The type of a variable or field.
    pub(crate) fn of_type(&mut self) -> Parse<Type> {
        let name = self.name("a type")?;
        Ok(match name.text.as_str() {
            "bit" => Type::Bit,
            "bool" => Type::Bool,
            "byte" => Type::Byte,
            "short" => Type::Short,
            "int" => Type::Int,
            "pid" => Type::Pid,
            "chan" => Type::Chan,
            "unsigned" => Type::Unsigned(0),
            "mtype" => {
                if self.is(":") {
                    self.at += 2;
                }
                Type::Mtype
            }
            other if self.records.contains(other) => Type::Record(name.text),
            other => {
                let message = format!("there is no type `{other}`");
                let help = self.suggested_type(self.at - 1);
                self.sink.push(Diagnostic::error(codes::PROMELA_UNKNOWN, name.span, message).help_opt(help));
                return Err(Reported);
            }
        })
    }

    /// The declarations up to a closing symbol.
    fn declarations(&mut self, close: &str) -> Parse<Vec<Variable>> {
        let mut list = Vec::new();
        while !self.eat(close) {
            list.extend(self.declaration()?);
            while self.eat(";") || self.eat(",") {}
        }
        Ok(list)
    }

    /// Variables of one type.
    pub(crate) fn declaration(&mut self) -> Parse<Vec<Variable>> {
        let mut is_hidden = false;
        while matches!(self.word(), "show" | "local" | "hidden") {
            is_hidden |= self.is_word("hidden");
            self.at += 1;
        }
        let of = self.of_type()?;
        let mut variables = self.variables(&of)?;
        variables.iter_mut().for_each(|variable| variable.is_hidden = is_hidden);
        Ok(variables)
    }

    fn variables(&mut self, of: &Type) -> Parse<Vec<Variable>> {
        let mut list = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            let mut of = of.clone();
            if matches!(of, Type::Unsigned(_)) && self.eat(":") {
                let bits = self.kind().clone();
                self.at += 1;
                of = match bits {
                    Kind::Number(bits @ 1..=31) => Type::Unsigned(u32::try_from(bits).expect("it is small")),
                    _ => return self.fault("the number of bits, 1 to 31"),
                };
            }
            let size = self.in_brackets()?;
            if self.is("[") {
                let help = "put the inner array into a `typedef`";
                return self.unsupported(self.span(), "an array of arrays", help);
            }
            let initial = if self.eat("=") { Some(self.initial()?) } else { None };
            list.push(Variable { name, of, size, initial, is_hidden: false });
            // A comma may also separate the parameters of a proctype, whose types follow.
            let next = self.tokens.get(self.at + 1);
            let is_type = next.is_some_and(|token| {
                matches!(&token.kind, Kind::Name(name) if self.records.contains(&**name) || TYPES.contains(&&**name))
            });
            if !self.is(",") || is_type {
                return Ok(list);
            }
            self.at += 1;
        }
    }

    fn initial(&mut self) -> Parse<Initial> {
        let start = self.span();
        if let Some(capacity) = self.in_brackets()? {
            if !self.eat_word("of") {
                return self.fault("`of`");
            }
            self.expect("{")?;
            let mut fields = vec![self.of_type()?];
            while self.eat(",") {
                fields.push(self.of_type()?);
            }
            self.expect("}")?;
            return Ok(Initial::Channel(Channel { capacity, fields, span: self.span_from(start) }));
        }
        if self.eat("{") {
            let list = self.expressions()?;
            self.expect("}")?;
            return Ok(Initial::List(list));
        }
        Ok(Initial::Value(self.expression()?))
    }

    /// Expressions with commas between them, at least one.
    pub(crate) fn expressions(&mut self) -> Parse<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.eat(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// The arguments behind an opening parenthesis.
    pub(crate) fn list(&mut self) -> Parse<Vec<Expr>> {
        if self.eat(")") {
            return Ok(Vec::new());
        }
        let list = self.expressions()?;
        self.expect(")")?;
        Ok(list)
    }

    /// An expression between two symbols.
    pub(crate) fn enclosed(&mut self, open: &str, close: &str) -> Parse<Expr> {
        self.expect(open)?;
        let inner = self.expression()?;
        self.expect(close)?;
        Ok(inner)
    }

    /// The expression in brackets, where an opening one follows.
    fn in_brackets(&mut self) -> Parse<Option<Expr>> {
        if self.is("[") { self.enclosed("[", "]").map(Some) } else { Ok(None) }
    }
}
