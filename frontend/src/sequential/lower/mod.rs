//! Tree to [`Sequential`]: names are resolved, constants evaluated, types checked.
//!
//! Definitions come first, in the order of the text, then the process, its initial values, and its claims. A faulty
//! definition is recorded as broken, so that its uses are not reported too. A text with a syntax error is not lowered.
//!
//! Binders that would hide a variable, a table, a value of an enumeration or another binder are renamed to `name_1`,
//! ..: no name in the result has two meanings in one place.

mod claims;
mod definitions;
mod process;
mod resolve;

use rustc_hash::FxHashMap;

use super::spans::expression_without_spans;
use super::syntax::{self, ast};
use super::verify::is_well_formed;
use super::{Expr, Sequential, SortId, TableId, TypeFault, Typing, ValueKind, Values, VariableId};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes, did_you_mean};
use crate::source::Span;

/// The options for reading a text.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Values for constants that replace those of the text; of several values for one name the last counts.
    pub constants: Vec<(String, i64)>,
}

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The process; `None` after an error.
    pub model: Option<Sequential>,
    /// The names in [`Options::constants`] that the text does not declare.
    pub unused: Vec<String>,
    /// The names of the constants of the text, for suggestions; tables are not among them.
    pub constants: Vec<String>,
}

/// Reads a text. Diagnostics go to the sink; there is a model if and only if none of them is an error.
pub fn parse(text: &str, options: &Options, sink: &mut Diagnostics) -> Parsed {
    let mut own = Diagnostics::new();
    let file = syntax::parse(text, &mut own);
    let mut constants: FxHashMap<&str, Span> = FxHashMap::default();
    let mut names = Vec::new();
    for definition in &file.definitions {
        if let ast::Definition::Constant { name, indices, .. } = definition {
            constants.insert(&name.text, name.span);
            if indices.is_empty() {
                names.push(name.text.clone());
            }
        }
    }
    let known = |name: &String| constants.contains_key(name.as_str());
    let unused = options.constants.iter().map(|(name, _)| name).filter(|name| !known(name)).cloned().collect();
    let mut model = None;
    if !own.has_errors() {
        let mut lowering = Lowering::new(options, constants, &mut own);
        lowering.file(&file);
        let lowered = lowering.model;
        debug_assert!(own.has_errors() || is_well_formed(&lowered), "a lowered model is well formed");
        model = (!own.has_errors()).then_some(lowered);
    }
    assert_eq!(model.is_some(), !own.has_errors(), "there is a model if there is no error");
    own.sort();
    sink.append(own);
    Parsed { model, unused, constants: names }
}

/// The conditions that texts mean next to a text without errors: names of its propositions, or conditions over its
/// variables; for each text that means none, the reason.
pub fn conditions(text: &str, options: &Options, wanted: &[&str]) -> Vec<Result<Expr, String>> {
    let mut own = Diagnostics::new();
    let file = syntax::parse(text, &mut own);
    let mut lowering = Lowering::new(options, FxHashMap::default(), &mut own);
    lowering.file(&file);
    let meant = |text: &&str| {
        let mut sink = Diagnostics::new();
        let file = syntax::parse(&format!("assert A = ({text});"), &mut sink);
        let first_message = |sink: &Diagnostics| {
            let first = sink.list.first();
            first.map_or_else(|| "it is no condition".to_owned(), |first| first.message.clone())
        };
        let [claim] = &file.claims[..] else { return Err(first_message(&sink)) };
        if sink.has_errors() || !file.definitions.is_empty() || !file.processes.is_empty() || !file.inits.is_empty() {
            return Err(first_message(&sink));
        }
        let before = lowering.sink.errors;
        let condition = lowering.state_condition(&claim.value);
        match condition.filter(|_| lowering.sink.errors == before) {
            Some(condition) => Ok(expression_without_spans(&condition)),
            None => Err(lowering.sink.list.last().map_or_else(|| first_message(&sink), |last| last.message.clone())),
        }
    };
    wanted.iter().map(meant).collect()
}

/// The meaning of a name in the value name space.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// A constant: its kind and value.
    Constant(ValueKind, i32),
    Table(TableId),
    /// A value of an enumeration.
    Member(SortId, u32),
    Variable(VariableId),
    /// Index into [`Sequential::propositions`].
    Proposition(usize),
    /// An object whose declaration has an error.
    Broken,
}

/// A binder in scope.
#[derive(Clone, Debug)]
struct Bound {
    /// The name in the text.
    source: String,
    /// The name in the result.
    name: String,
    /// Its sort; `None` if that is broken.
    sort: Option<SortId>,
}

/// A local in scope.
#[derive(Clone, Debug)]
struct Local {
    name: String,
    /// `None` if its declaration has an error.
    id: Option<VariableId>,
    /// The number of binders in scope where it was declared: later binders of its name hide it.
    depth: usize,
    span: Span,
}

/// The kind of values that an expression must have.
#[derive(Clone, Copy, Debug)]
enum ExpectedKind {
    Anything,
    Condition,
    Kind(ValueKind),
}

/// The greatest number of evaluations of expressions for all constants of a file together.
const MAX_WORK: u64 = 1 << 26;
/// The greatest number of parts that the expansion of propositions may add to the properties of a file.
const MAX_EXPANSION: usize = 1 << 20;

struct Lowering<'a> {
    model: Sequential,
    sink: &'a mut Diagnostics,
    overrides: FxHashMap<&'a str, i64>,
    /// The places where the constants and tables of the file are declared.
    constants: FxHashMap<&'a str, Span>,
    names: FxHashMap<String, (Meaning, Span)>,
    sorts: FxHashMap<String, (Option<SortId>, Span)>,
    scope: Vec<Bound>,
    /// The locals in scope.
    locals: Vec<Local>,
    /// The product of the rounds of the `for` loops around the place.
    rounds: usize,
    /// Whether only constants may be named.
    constant: bool,
    work: u64,
    expanded: usize,
}

impl<'a> Lowering<'a> {
    fn new(options: &'a Options, constants: FxHashMap<&'a str, Span>, sink: &'a mut Diagnostics) -> Lowering<'a> {
        let model = Sequential::empty("");
        let sorts = [Sequential::BOOL, Sequential::BIT]
            .map(|sort| (model.sort(sort).name.clone(), (Some(sort), Span::NONE)))
            .into_iter()
            .collect();
        Lowering {
            model,
            sink,
            overrides: options.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
            constants,
            names: FxHashMap::default(),
            sorts,
            scope: Vec::new(),
            locals: Vec::new(),
            rounds: 1,
            constant: true,
            work: MAX_WORK,
            expanded: 0,
        }
    }

    fn file(&mut self, file: &ast::File) {
        self.definitions(&file.definitions);
        for (number, process) in file.processes.iter().enumerate() {
            if number == 0 {
                self.process(process);
            } else {
                let first = file.processes[0].name.span;
                self.repeated(process.name.span, first);
            }
        }
        for (number, init) in file.inits.iter().enumerate() {
            match file.processes.first() {
                Some(process) if number == 0 => self.init(init, process),
                Some(process) => self.further_init(init, process),
                None => {}
            }
        }
        if file.processes.is_empty() {
            let diagnostic = Diagnostic::error(codes::LPE_MISSING, Span::NONE, "the model has no process");
            self.sink.push(diagnostic.help("write `proc P(x : BOOL) = [guard] event { .. } -> P;`"));
        } else if file.inits.is_empty() {
            let span = file.processes[0].name.span;
            let diagnostic = Diagnostic::error(codes::LPE_MISSING, span, "the process has no `init`");
            let name = &file.processes[0].name.text;
            self.sink.push(diagnostic.help(format!("write `init {name}(..);`, or `init {name}(*);` for any state")));
        }
        if !file.processes.is_empty() {
            self.claims(&file.claims);
            self.rests(file);
        }
        assert!(self.scope.is_empty() && self.locals.is_empty(), "every binder and every local ends in the text");
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports a fault, in the place of what was to be made.
    fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.error(code, span, message, help);
        None
    }

    fn repeated(&mut self, span: Span, first: Span) {
        let diagnostic = Diagnostic::error(codes::LPE_REPEATED, span, "a second process");
        let diagnostic = diagnostic.related(first, "the first one is here");
        self.sink.push(diagnostic.help("write concurrent processes as one process with arrays over their identities"));
    }

    fn duplicate(&mut self, name: &ast::Name, first: Span) {
        let message = format!("`{}` is declared twice", name.text);
        let mut diagnostic = Diagnostic::error(codes::LPE_DUPLICATE, name.span, message).help("rename one of them");
        if first.is_none() {
            diagnostic = diagnostic.help("it is predefined: choose another name");
        } else {
            diagnostic = diagnostic.related(first, "the first one is here");
        }
        self.sink.push(diagnostic);
    }

    /// Gives a meaning to a name of the value name space.
    fn declare(&mut self, name: &ast::Name, meaning: Meaning) {
        if let Some(&(_, first)) = self.names.get(&name.text) {
            self.duplicate(name, first);
        } else {
            self.names.insert(name.text.clone(), (meaning, name.span));
        }
    }

    /// The sort of a name; reports an unknown one.
    fn sort(&mut self, name: &ast::Name) -> Option<SortId> {
        if let Some(&(sort, _)) = self.sorts.get(&name.text) {
            return sort;
        }
        let predefined = ["BOOL", "BIT"].into_iter();
        let own = self.model.sorts.iter().map(|sort| sort.name.as_str());
        let hint = if self.suggests() { did_you_mean(&name.text, predefined.chain(own)) } else { None };
        let message = format!("there is no type `{}`", name.text);
        let hint = hint.unwrap_or_else(|| "types are declared above: `type T : 0..3;` or `type T : { a, b };`".into());
        self.refuse(codes::LPE_UNKNOWN_TYPE, name.span, message, hint)
    }

    /// Types an expression with the binders in scope; returns its values if they are of the wanted kind.
    fn check(&mut self, expr: &Expr, want: ExpectedKind) -> Option<Values> {
        let scope = self.scope.iter().map(|bound| bound.sort).collect::<Option<Vec<SortId>>>()?;
        let mut typing = Typing::new(&self.model, scope);
        let values = typing.values(expr);
        if let Some(values) = values {
            typing.wanted(expr.span, values, want);
        }
        let errors = typing.errors;
        let fine = errors.is_empty();
        for error in errors {
            self.type_error(error.span, &error.fault);
        }
        values.filter(|_| fine)
    }

    fn type_error(&mut self, span: Span, fault: &TypeFault) {
        match fault {
            TypeFault::Kind { expected, found } => {
                let (wanted, got) = (self.describe(*expected), self.describe(*found));
                let message = format!("{wanted} is needed here, this is {got}");
                let help = "integers of all ranges mix, values of an enumeration meet only each other";
                self.error(codes::LPE_KIND, span, message, help);
            }
            TypeFault::Condition(Values::Range { low, high }) => {
                let message = format!("a condition is 0 or 1, this is between {low} and {high}");
                self.error(codes::LPE_CONDITION, span, message, "compare it, for example with `!= 0`");
            }
            TypeFault::Condition(Values::Members(sort)) => {
                let message =
                    format!("a condition is needed here, this is a value of `{}`", self.model.sort(*sort).name);
                self.error(codes::LPE_CONDITION, span, message, "compare it with one of the values by `=`");
            }
            TypeFault::IndexCount { name, expected, found } => {
                let plural = if *expected == 1 { "index" } else { "indices" };
                let message = format!("`{name}` takes {expected} {plural}, given: {found}");
                self.error(codes::LPE_INDEXING, span, message, "give one index in brackets for each dimension");
            }
            TypeFault::Combinations => {
                let message = "the sums and quantifiers here have too many combinations of values";
                self.error(codes::LPE_TOO_LARGE, span, message, "check a smaller instance");
            }
        }
    }

    fn describe(&self, kind: ValueKind) -> String {
        match kind {
            ValueKind::Integer => "an integer".into(),
            ValueKind::Member(sort) => format!("a value of `{}`", self.model.sort(sort).name),
        }
    }
}

impl Typing<'_> {
    fn wanted(&mut self, span: Span, values: Values, want: ExpectedKind) {
        let found = values.kind();
        let fault = match want {
            ExpectedKind::Condition if !values.is_condition() => TypeFault::Condition(values),
            ExpectedKind::Kind(expected) if expected != found => TypeFault::Kind { expected, found },
            _ => return,
        };
        self.errors.push(super::TypeError { span, fault });
    }
}
