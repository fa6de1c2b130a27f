//! Constants, variables and channels.

use super::{Buffer, Channel, Lowering, Meaning};
use crate::diagnostics::{Diagnostic, codes, every};
use crate::dve::MAX_CAPACITY;
use crate::dve::syntax::ast::{self, Declaration, Declared};
use crate::sequential::interpret::{SeqFault, evaluate_within};
use crate::sequential::{Constant, Initial, MAX_ELEMENTS, SortId, ValueKind, Variable, VariableId};
use crate::source::Span;

/// A variable to declare.
pub(super) struct Wanted {
    /// Its name.
    pub(super) name: String,
    /// The sort of its elements.
    pub(super) sort: SortId,
    /// The sort of its index.
    pub(super) index: Option<SortId>,
    /// The initial values of its elements.
    pub(super) values: Vec<i32>,
    /// The name in the text.
    pub(super) span: Span,
    /// The initial value in the text.
    pub(super) initial_span: Span,
}

impl Lowering<'_> {
    /// Declares the objects of a process, or the global ones.
    pub(super) fn declarations(&mut self, list: &[Declaration], process: Option<usize>) {
        for declaration in list {
            let meaning = match &declaration.kind {
                Declared::Channel(_) if process.is_some() => {
                    let help = "declare it above the processes";
                    self.refuse(codes::DVE_WRONG_NAME, declaration.name.span, "a channel inside a process", help)
                }
                Declared::Channel(types) => self.channel(declaration, types.as_deref()),
                Declared::Data { constant: true, of, initial } => {
                    self.constant(declaration, *of, initial.as_ref(), process)
                }
                Declared::Data { constant: false, of, initial } => {
                    self.data(declaration, *of, initial.as_ref(), process)
                }
            };
            self.declare(&declaration.name, meaning.unwrap_or(Meaning::Broken), process);
        }
    }

    /// Adds a variable.
    pub(super) fn variable(&mut self, wanted: Wanted) -> VariableId {
        let elements = wanted.index.map_or(1, |index| self.model.domain(index).size());
        assert_eq!(wanted.values.len(), elements, "a variable has an initial value for each element");
        self.model.add_variable(Variable {
            is_uniform: wanted.values.windows(2).all(|pair| pair[0] == pair[1]),
            initial: Initial::Values(wanted.values),
            initial_span: wanted.initial_span,
            ..Variable::new(wanted.name, wanted.sort, wanted.index.into_iter().collect(), wanted.span)
        })
    }

    /// The name in the result of an object of a process.
    pub(super) fn full_name(&self, name: &str, process: Option<usize>) -> String {
        process.map_or_else(|| name.to_owned(), |process| format!("{}.{name}", self.processes[process].tree.name.text))
    }

    fn data(
        &mut self,
        declaration: &Declaration,
        of: ast::Type,
        initial: Option<&ast::Initial>,
        process: Option<usize>,
    ) -> Option<Meaning> {
        let name = &declaration.name;
        let size = self.size(declaration, MAX_ELEMENTS, process)?;
        let sort = self.sort_of(of);
        let values = self.initial_values(name, size, initial, process)?;
        self.are_held(name, of, &values, "initial value")?;
        if self.model.state_len() + values.len() > MAX_ELEMENTS {
            self.too_large(name.span, &format!("the variables have more than {MAX_ELEMENTS} elements"));
            return None;
        }
        let index = size.map(|size| self.range(0, size - 1));
        let initial_span = match initial {
            Some(ast::Initial::Single(expr)) => expr.span,
            Some(ast::Initial::List(_, span)) => *span,
            None => name.span,
        };
        let name_of = self.full_name(&name.text, process);
        let wanted = Wanted { name: name_of, sort, index, values, span: name.span, initial_span };
        Some(Meaning::Variable(self.variable(wanted)))
    }

    /// Reports a value that a type does not hold.
    fn are_held(&mut self, name: &ast::Name, of: ast::Type, values: &[i32], kind: &str) -> Option<()> {
        let (low, high) = of.bounds();
        let Some(value) = values.iter().find(|&&value| value < low || value > high) else { return Some(()) };
        let message = format!("the {kind} {value} of `{}` is not between {low} and {high}", name.text);
        self.refuse(codes::DVE_INITIAL, name.span, message, "use `int`, or a smaller value")
    }

    fn constant(
        &mut self,
        declaration: &Declaration,
        of: ast::Type,
        initial: Option<&ast::Initial>,
        process: Option<usize>,
    ) -> Option<Meaning> {
        let name = &declaration.name;
        let size = self.size(declaration, MAX_ELEMENTS, process)?;
        if initial.is_none() {
            return self.refuse(codes::DVE_INITIAL, name.span, "a constant without a value", "write `= value`");
        }
        let mut values = self.initial_values(name, size, initial, process)?;
        self.are_held(name, of, &values, "value")?;
        let given = self.overrides.get(name.text.as_str()).copied();
        if let (Some(size), full) = (size, self.full_name(&name.text, process)) {
            if given.is_some() {
                let message = format!("`{}` is an array and cannot be overridden", name.text);
                self.error(codes::DVE_OVERRIDE, name.span, message, "override a constant without an index");
            }
            let indices = vec![self.range(0, size - 1)];
            let table = self.model.add_table(full, indices, (ValueKind::Integer, values), name.span);
            return Some(Meaning::Table(table));
        }
        if let Some(given) = given {
            let Ok(given) = i32::try_from(given) else {
                let message = format!("{given} for `{}` does not fit into 32 bits", name.text);
                return self.refuse(codes::DVE_OVERRIDE, name.span, message, "use a smaller number");
            };
            values = vec![given];
            self.are_held(name, of, &values, "value")?;
        }
        let (value, full) = (values[0], self.full_name(&name.text, process));
        self.model.constants.push(Constant { name: full, kind: ValueKind::Integer, value, span: name.span });
        Some(Meaning::Constant(value))
    }

    fn channel(&mut self, declaration: &Declaration, types: Option<&[ast::Type]>) -> Option<Meaning> {
        let name = &declaration.name;
        let capacity = self.capacity(declaration)?;
        let parts: Option<Vec<SortId>> = types.map(|types| types.iter().map(|&of| self.sort_of(of)).collect());
        let buffer = (capacity > 0).then(|| {
            let index = Some(self.range(0, capacity - 1));
            let several = parts.as_ref().is_some_and(|parts| parts.len() > 1);
            let mut slots = Vec::new();
            for (number, &sort) in parts.iter().flatten().enumerate() {
                let part = if several { format!("{}.{number}", name.text) } else { name.text.clone() };
                let values = vec![0; usize::try_from(capacity).unwrap_or(0)];
                let (span, initial_span) = (name.span, name.span);
                slots.push(self.variable(Wanted { name: part, sort, index, values, span, initial_span }));
            }
            let sort = self.range(0, capacity);
            let wanted = Wanted {
                name: format!("{}.len", name.text),
                sort,
                index: None,
                values: vec![0],
                span: name.span,
                initial_span: name.span,
            };
            Buffer { capacity, length: self.variable(wanted), slots }
        });
        if self.model.state_len() > MAX_ELEMENTS {
            self.too_large(name.span, &format!("the variables have more than {MAX_ELEMENTS} elements"));
            return None;
        }
        self.channels.push(Channel { name: name.text.clone(), parts, buffer });
        Some(Meaning::Channel(self.channels.len() - 1))
    }

    /// The number of messages that a channel holds.
    fn capacity(&mut self, declaration: &Declaration) -> Option<i32> {
        let Some(size) = &declaration.size else { return Some(0) };
        let capacity = self.value(size, None)?;
        if capacity < 0 || usize::try_from(capacity).is_ok_and(|capacity| capacity > MAX_CAPACITY) {
            self.too_large(size.span, &format!("a channel holds 0 to {MAX_CAPACITY} messages, not {capacity}"));
            return None;
        }
        Some(capacity)
    }

    /// The number of elements of an array; the inner `None` is that of a scalar.
    #[expect(clippy::option_option, reason = "the outer one is a fault")]
    fn size(&mut self, declaration: &Declaration, most: usize, process: Option<usize>) -> Option<Option<i32>> {
        let Some(size) = &declaration.size else { return Some(None) };
        let count = self.value(size, process)?;
        if count < 1 || usize::try_from(count).is_ok_and(|count| count > most) {
            self.too_large(size.span, &format!("an array has 1 to {most} elements, not {count}"));
            return None;
        }
        Some(Some(count))
    }

    pub(super) fn too_large(&mut self, span: Span, message: &str) {
        self.error(codes::DVE_TOO_LARGE, span, message, "check a smaller instance");
    }

    /// The initial values: 0 for what is not given. Of a list that is too long the rest is ignored.
    fn initial_values(
        &mut self,
        name: &ast::Name,
        size: Option<i32>,
        initial: Option<&ast::Initial>,
        process: Option<usize>,
    ) -> Option<Vec<i32>> {
        let count = size.map_or(1, |size| usize::try_from(size).unwrap_or(0));
        let mut values = match (initial, size) {
            (None, _) => Vec::new(),
            (Some(ast::Initial::Single(expr)), None) => vec![self.value(expr, process)?],
            (Some(ast::Initial::List(list, _)), Some(_)) => {
                let values = every(list.iter().map(|expr| self.value(expr, process)));
                values?
            }
            (Some(ast::Initial::Single(expr)), Some(_)) => {
                let help = "write `= {a, b, ..}`";
                let message = format!("`{}` is an array and needs a list", name.text);
                return self.refuse(codes::DVE_INITIAL, expr.span, message, help);
            }
            (Some(ast::Initial::List(_, span)), None) => {
                let message = format!("`{}` has no elements and takes no list", name.text);
                return self.refuse(codes::DVE_INITIAL, *span, message, "write `= value`");
            }
        };
        if let Some(ast::Initial::List(_, span)) = initial.filter(|_| values.len() > count) {
            let message = format!("`{}` has {count} elements, and {} are given", name.text, values.len());
            let help = "the rest of the list is ignored";
            self.sink.push(Diagnostic::warning(codes::DVE_EXCESS_INITIAL, *span, message).help(help));
        }
        values.resize(count, 0);
        Some(values)
    }

    /// The value of a constant expression.
    pub(super) fn value(&mut self, tree: &ast::Expr, process: Option<usize>) -> Option<i32> {
        let expr = self.expression(tree, process)?;
        if reads(&expr) {
            let help = "use literals and constants: this is computed before the processes run";
            return self.refuse(codes::DVE_NOT_CONSTANT, tree.span, "this is not a constant", help);
        }
        match evaluate_within(&self.model, &expr, &[], &mut self.work) {
            Ok(value) => Some(value),
            Err(SeqFault { kind, span }) => {
                let message = format!("the constant cannot be computed: {}", self.model.fault_text(&kind));
                self.refuse(codes::DVE_CONSTANT_FAULT, span, message, "correct the expression")
            }
        }
    }
}

/// Whether an expression reads a variable.
fn reads(expr: &crate::sequential::Expr) -> bool {
    matches!(expr.kind, crate::sequential::ExprKind::Read(_)) || expr.operands().into_iter().any(reads)
}
