//! Tree to [`Sequential`]: names are resolved, constants evaluated, and the steps of processes become summands.
//!
//! The passes, in order: global declarations, processes with their states and local declarations, steps, assertions, and
//! the process that is the property. A faulty declaration is recorded as broken, so that its uses are not reported too.
//!
//! Local variables are named `P.x`, control states are the variables `P.state`, the parts of the messages of a buffered
//! channel `c` or `c.0`, `c.1`, .., and their number `c.len`. Processes with the same list of states share one enumeration,
//! so that an exchange of the processes is one of variables alone.

mod declarations;
mod expressions;
mod formulas;
mod processes;
mod property;
mod ranges;
mod rendezvous;
mod steps;
mod synchronous;

use rustc_hash::FxHashMap;

use super::syntax::{ast, parse_expression};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::sequential::spans::expression_without_spans;
use crate::sequential::verify::is_well_formed;
use crate::sequential::{Domain, Expr, Origin, Sequential, SortId, Summand, TableId, VariableId};
use crate::source::Span;
use crate::text::Lines;

use crate::sequential::Options;

/// The greatest number of evaluations of expressions for all constants of a text together.
const MAX_WORK: u64 = 1 << 24;

/// The names of the scalar constants of a text.
pub(super) fn constants(file: &ast::File) -> Vec<String> {
    let local = file.processes.iter().flat_map(|process| &process.declarations);
    let scalar = |declaration: &&ast::Declaration| {
        declaration.size.is_none() && matches!(declaration.kind, ast::Declared::Data { constant: true, .. })
    };
    file.declarations.iter().chain(local).filter(scalar).map(|declaration| declaration.name.text.clone()).collect()
}

mutants::mutants! {
    /// Faults of a lowering, for tests that must notice them.
    pub(super) struct Wrong {
        /// Committed states are states like others.
        commits_nobody,
        /// Empty buffers give messages.
        receives_nothing,
        /// Values that a byte does not hold are taken modulo 256.
        wraps,
        /// The sender of a rendezvous makes its effects first.
        sender_first,
        /// The guards of the receiver of a rendezvous are looked at first.
        receiver_asked_first,
        /// A process meets itself.
        meets_itself,
        /// Values that the receiver does not take are not computed.
        drops_values,
        /// Every operand of a guard of the property is evaluated.
        splits_guards,
    }
}

/// The process that a text means; `None` after an error.
pub(super) fn lower(file: &ast::File, options: &Options, sink: &mut Diagnostics) -> Option<Sequential> {
    lower_wrong(file, options, Wrong::default(), sink)
}

/// As [`lower`], by a variant.
pub(super) fn lower_wrong(
    file: &ast::File,
    options: &Options,
    wrong: Wrong,
    sink: &mut Diagnostics,
) -> Option<Sequential> {
    let mut lowering = Lowering::new(file, options, sink);
    lowering.wrong = wrong;
    lowering.file();
    let watching = lowering.processes.iter().filter(|process| process.control.is_none()).count();
    assert!(watching <= 1 || lowering.sink.has_errors(), "every process but the property has a control state");
    let Lowering { model, sink, .. } = lowering;
    debug_assert!(sink.has_errors() || is_well_formed(&model), "a lowered model is well formed");
    (!sink.has_errors()).then_some(model)
}

/// The conditions that texts mean next to a text.
pub(super) fn conditions(file: &ast::File, options: &Options, wanted: &[&str]) -> Vec<Result<Expr, String>> {
    let mut own = Diagnostics::new();
    let mut lowering = Lowering::new(file, options, &mut own);
    lowering.file();
    let meant = |text: &&str| {
        let mut sink = Diagnostics::new();
        let tree = parse_expression(text, &mut sink);
        let no_condition = || "it is no condition".to_owned();
        let Some(tree) = tree.filter(|_| !sink.has_errors()) else {
            return Err(sink.list.first().map_or_else(no_condition, |first| first.message.clone()));
        };
        match lowering.condition(&tree, None) {
            Some(condition) => Ok(expression_without_spans(&condition)),
            None => Err(lowering.sink.list.last().map_or_else(no_condition, |last| last.message.clone())),
        }
    };
    wanted.iter().map(meant).collect()
}

/// The properties that the formulas of a property file mean next to a text without errors.
pub(super) fn formulas(
    file: &ast::File,
    lines: &Lines<ast::ExprKind>,
    options: &Options,
    sink: &mut Diagnostics,
) -> Vec<crate::sequential::Property> {
    let mut own = Diagnostics::new();
    let mut lowering = Lowering::new(file, options, &mut own);
    lowering.file();
    let before = lowering.sink.list.len();
    let properties = lowering.formulas(lines);
    // What is said of the model's text has been said where it was read.
    own.list.drain(..before).for_each(drop);
    own.list.into_iter().for_each(|diagnostic| sink.push(diagnostic));
    properties
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// A scalar constant with its value.
    Constant(i32),
    /// An array of constants.
    Table(TableId),
    /// A variable.
    Variable(VariableId),
    /// Index into [`Lowering::channels`].
    Channel(usize),
    /// Index into [`Lowering::processes`].
    Process(usize),
    /// A state of the process, by its number.
    State(i32),
    /// An object whose declaration has an error.
    Broken,
}

/// A meaning and the place of the declaration.
#[derive(Clone, Copy, Debug)]
struct Known {
    meaning: Meaning,
    span: Span,
}

/// The names of a scope.
type Scope = FxHashMap<String, Known>;

/// A process that was declared.
#[derive(Debug)]
struct Process<'a> {
    tree: &'a ast::Process,
    names: Scope,
    /// The variable of its control state, and the sort of that; `None` for the property.
    control: Option<Control>,
    /// The committed states.
    committed: Vec<i32>,
}

/// The control state of a process.
#[derive(Clone, Copy, Debug)]
struct Control {
    variable: VariableId,
    sort: SortId,
}

/// A channel.
#[derive(Debug)]
struct Channel {
    name: String,
    /// The sorts of the parts of its messages where they are given.
    parts: Option<Vec<SortId>>,
    /// The variables of a buffer; `None` for a rendezvous.
    buffer: Option<Buffer>,
}

/// The variables of a buffered channel: the oldest message is at index 0, and unused places hold 0.
#[derive(Clone, Debug)]
struct Buffer {
    capacity: i32,
    length: VariableId,
    /// One array for each part of a message.
    slots: Vec<VariableId>,
}

struct Lowering<'a> {
    file: &'a ast::File,
    model: Sequential,
    sink: &'a mut Diagnostics,
    overrides: FxHashMap<&'a str, i64>,
    globals: Scope,
    processes: Vec<Process<'a>>,
    channels: Vec<Channel>,
    /// Integer ranges by their bounds.
    ranges: FxHashMap<(i32, i32), SortId>,
    work: u64,
    wrong: Wrong,
}

impl<'a> Lowering<'a> {
    fn new(file: &'a ast::File, options: &'a Options, sink: &'a mut Diagnostics) -> Lowering<'a> {
        Lowering {
            file,
            model: Sequential { origin: Origin::Dve, ..Sequential::empty("System") },
            sink,
            overrides: options.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
            globals: Scope::default(),
            processes: Vec::new(),
            channels: Vec::new(),
            ranges: FxHashMap::default(),
            work: MAX_WORK,
            wrong: Wrong::default(),
        }
    }

    fn file(&mut self) {
        let file = self.file;
        let Some(system) = &file.system else {
            let diagnostic = Diagnostic::error(codes::DVE_MISSING, Span::NONE, "the text says nothing of its system");
            self.sink.push(diagnostic.help("write `system async;` at the end"));
            return;
        };
        self.declarations(&file.declarations, None);
        self.declare_processes(system);
        if system.is_synchronous {
            self.synchronous_steps(system);
        } else {
            self.steps();
        }
        self.assertions();
        self.property(system);
        self.narrow();
        if self.model.summands.is_empty() {
            self.model.summands.push(Summand::never_enabled("step", system.span));
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports a fault, in the place of what was to be made.
    fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.error(code, span, message, help);
        None
    }

    /// The names of the globals, or of a process.
    fn scope(&mut self, process: Option<usize>) -> &mut Scope {
        match process {
            Some(process) => &mut self.processes[process].names,
            None => &mut self.globals,
        }
    }

    /// Gives a meaning to a name.
    fn declare(&mut self, name: &ast::Name, meaning: Meaning, process: Option<usize>) {
        let known = Known { meaning, span: name.span };
        match self.scope(process).get(&name.text).copied() {
            None => drop(self.scope(process).insert(name.text.clone(), known)),
            Some(first) => {
                let message = format!("`{}` is declared twice", name.text);
                let diagnostic = Diagnostic::error(codes::DVE_DUPLICATE, name.span, message).help("rename one of them");
                self.sink.push(diagnostic.related(first.span, "the first one is here"));
            }
        }
    }

    /// The meaning of a name in a process, or outside of processes.
    fn meaning(&self, name: &str, process: Option<usize>) -> Option<Meaning> {
        let local = process.and_then(|process| self.processes[process].names.get(name));
        Some(local.or_else(|| self.globals.get(name))?.meaning)
    }

    /// The sort of the integers between two bounds.
    fn range(&mut self, low: i32, high: i32) -> SortId {
        assert!(low <= high, "a range has values");
        if let Some(&sort) = self.ranges.get(&(low, high)) {
            return sort;
        }
        let name = match (low, high) {
            (0, 255) => "BYTE".to_owned(),
            (-32768, 32767) => "INT".to_owned(),
            (0, _) => format!("TO_{high}"),
            _ => format!("FROM_{low}_TO_{high}").replace('-', "MINUS_"),
        };
        let sort = self.sort(name, Domain::Range { low, high }, Span::NONE);
        self.ranges.insert((low, high), sort);
        sort
    }

    fn sort(&mut self, name: String, domain: Domain, span: Span) -> SortId {
        self.model.add_sort(name, domain, span)
    }

    fn sort_of(&mut self, of: ast::Type) -> SortId {
        let (low, high) = of.bounds();
        self.range(low, high)
    }
}
