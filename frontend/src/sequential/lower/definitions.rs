//! Types, constants and tables, in the order of the text.

use super::{ExpectedKind, Lowering, Meaning};
use crate::diagnostics::{codes, every};
use crate::sequential::interpret::{SeqFault, SeqFaultKind, evaluate_within};
use crate::sequential::syntax::ast::{self, ConstantValue, Definition, Name};
use crate::sequential::{Constant, Domain, Expr, MAX_TABLE_SIZE, MAX_TYPE_SIZE, SortId, TableId, ValueKind};
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn definitions(&mut self, definitions: &[Definition]) {
        self.constant = true;
        for definition in definitions {
            match definition {
                Definition::Range { name, low, high } => self.range(name, low, high),
                Definition::Enumeration { name, members } => self.enumeration(name, members),
                Definition::Constant { name, indices, value } if indices.is_empty() => self.scalar(name, value),
                Definition::Constant { name, indices, value } => {
                    if self.overrides.contains_key(name.text.as_str()) {
                        let message = format!("`{}` is a table and cannot be overridden", name.text);
                        let help = "override an integer constant that it is computed from";
                        self.error(codes::LPE_OVERRIDE, name.span, message, help);
                    }
                    let meaning = self.table(name, indices, value).map_or(Meaning::Broken, Meaning::Table);
                    self.declare(name, meaning);
                }
            }
        }
    }

    /// Declares a type under its name; `None` for a broken one.
    fn declare_sort(&mut self, name: &Name, domain: Option<Domain>) -> Option<SortId> {
        if let Some(&(_, first)) = self.sorts.get(&name.text) {
            self.duplicate(name, first);
            return None;
        }
        let sort = domain.map(|domain| self.model.add_sort(name.text.clone(), domain, name.span));
        self.sorts.insert(name.text.clone(), (sort, name.span));
        sort
    }

    fn range(&mut self, name: &Name, low: &ast::Expr, high: &ast::Expr) {
        let low = self.constant(low, ExpectedKind::Anything);
        let high = self.constant(high, low.map_or(ExpectedKind::Anything, |(kind, _)| ExpectedKind::Kind(kind)));
        let mut domain = None;
        if let (Some((kind, low)), Some((_, high))) = (low, high) {
            if low > high {
                let (low, high) = (self.model.kind_value_name(kind, low), self.model.kind_value_name(kind, high));
                let message = format!("`{}` has no values: {low} is above {high}", name.text);
                self.error(codes::LPE_EMPTY_TYPE, name.span, message, "write the lower bound first");
            } else {
                domain = Some(match kind {
                    ValueKind::Integer => Domain::Range { low, high },
                    ValueKind::Member(of) => Domain::Part { of, low, high },
                });
            }
        }
        self.declare_sort(name, domain);
    }

    fn enumeration(&mut self, name: &Name, members: &[Name]) {
        if members.is_empty() {
            let message = format!("`{}` has no values", name.text);
            self.error(codes::LPE_EMPTY_TYPE, name.span, message, "name at least one value");
        }
        let fits = !members.is_empty() && members.len() <= MAX_TYPE_SIZE;
        if members.len() > MAX_TYPE_SIZE {
            let message = format!("`{}` has more than {MAX_TYPE_SIZE} values", name.text);
            self.error(codes::LPE_TOO_LARGE, name.span, message, "use a range");
        }
        let names = members.iter().map(|member| member.text.clone()).collect();
        let sort = self.declare_sort(name, fits.then_some(Domain::Members(names)));
        for (index, member) in (0u32..).zip(members) {
            self.declare(member, sort.map_or(Meaning::Broken, |sort| Meaning::Member(sort, index)));
        }
    }

    fn scalar(&mut self, name: &Name, value: &ConstantValue) {
        let found = match (self.overrides.get(name.text.as_str()).copied(), value) {
            (_, ConstantValue::List(_, span)) => {
                let message = format!("`{}` has no index and holds one value, not a list", name.text);
                self.refuse(codes::LPE_LENGTH, *span, message, "a table is written `const name[T] = [..];`")
            }
            (Some(given), ConstantValue::Single(value)) => self.overridden(name, value, given),
            (None, ConstantValue::Single(value)) => self.constant(value, ExpectedKind::Anything),
        };
        if let Some((kind, value)) = found {
            self.model.constants.push(Constant { name: name.text.clone(), kind, value, span: name.span });
        }
        self.declare(name, found.map_or(Meaning::Broken, |(kind, value)| Meaning::Constant(kind, value)));
    }

    /// The value given from outside, for a constant whose own value has the right kind.
    fn overridden(&mut self, name: &Name, value: &ast::Expr, given: i64) -> Option<(ValueKind, i32)> {
        let expr = self.resolve(value)?;
        let kind = self.check(&expr, ExpectedKind::Anything)?.kind();
        let Ok(given) = i32::try_from(given) else {
            let message = format!("{given} for `{}` does not fit into 32 bits", name.text);
            return self.refuse(codes::LPE_OVERRIDE, name.span, message, "use a smaller number");
        };
        if let ValueKind::Member(_) = kind {
            let message = format!("`{}` is a value of an enumeration and cannot be overridden", name.text);
            return self.refuse(codes::LPE_OVERRIDE, name.span, message, "override integer constants only");
        }
        Some((kind, given))
    }

    fn table(&mut self, name: &Name, indices: &[ast::Index], value: &ConstantValue) -> Option<TableId> {
        let sorts = every(indices.iter().map(|index| self.sort(&index.sort)))?;
        let size = self.model.size_of(&sorts).filter(|&size| size <= MAX_TABLE_SIZE);
        let Some(size) = size else {
            let message = format!("`{}` has more than {MAX_TABLE_SIZE} entries", name.text);
            return self.refuse(codes::LPE_TOO_LARGE, name.span, message, "check a smaller instance");
        };
        let (kind, values) = match value {
            ConstantValue::List(list, span) => self.constant_list(list, *span, size, None)?,
            ConstantValue::Single(value) => self.computed(indices, &sorts, value)?,
        };
        Some(self.model.add_table(name.text.clone(), sorts, (kind, values), name.span))
    }

    /// A table given by an expression over its indices.
    fn computed(
        &mut self,
        indices: &[ast::Index],
        sorts: &[SortId],
        value: &ast::Expr,
    ) -> Option<(ValueKind, Vec<i32>)> {
        debug_assert!(self.scope.is_empty(), "tables stand outside of all binders");
        for (index, &sort) in indices.iter().zip(sorts) {
            match &index.binder {
                Some(binder) => self.bind_distinct(binder, Some(sort)),
                None => self.bind("", Some(sort)),
            }
        }
        let expr = self.resolve(value);
        let values = expr.as_ref().and_then(|expr| self.check(expr, ExpectedKind::Anything));
        self.scope.clear();
        let (expr, kind) = (expr?, values?.kind());
        let mut entries = Vec::new();
        let mut scope: Vec<i32> = sorts.iter().map(|&sort| self.model.domain(sort).bounds().0).collect();
        loop {
            entries.push(self.evaluate(&expr, &scope)?);
            let mut place = sorts.len();
            loop {
                if place == 0 {
                    return Some((kind, entries));
                }
                place -= 1;
                let (low, high) = self.model.domain(sorts[place]).bounds();
                if scope[place] < high {
                    scope[place] += 1;
                    break;
                }
                scope[place] = low;
            }
        }
    }

    /// A list of constants of one kind; the kind of the first if none is given.
    pub(super) fn constant_list(
        &mut self,
        list: &[ast::Expr],
        span: Span,
        size: usize,
        kind: Option<ValueKind>,
    ) -> Option<(ValueKind, Vec<i32>)> {
        if list.len() != size {
            let message = format!("the list has {} values, {size} are needed", list.len());
            return self.refuse(codes::LPE_LENGTH, span, message, "give one value for each element, row by row");
        }
        let mut kind = kind;
        let mut values = Vec::with_capacity(list.len());
        for element in list {
            let want = kind.map_or(ExpectedKind::Anything, ExpectedKind::Kind);
            if let Some((found, value)) = self.constant(element, want) {
                kind = kind.or(Some(found));
                values.push(value);
            }
        }
        (values.len() == size).then_some((kind?, values))
    }

    /// The kind and value of a constant expression.
    pub(super) fn constant(&mut self, value: &ast::Expr, want: ExpectedKind) -> Option<(ValueKind, i32)> {
        let expr = self.resolve(value)?;
        let kind = self.check(&expr, want)?.kind();
        Some((kind, self.evaluate(&expr, &[])?))
    }

    fn evaluate(&mut self, expr: &Expr, scope: &[i32]) -> Option<i32> {
        match evaluate_within(&self.model, expr, scope, &mut self.work) {
            Ok(value) => Some(value),
            Err(SeqFault { kind, span }) => {
                let message = match kind {
                    SeqFaultKind::WorkExhausted => "computing the constants takes too long".into(),
                    kind => format!("the constant cannot be computed: {}", self.model.fault_text(&kind)),
                };
                self.refuse(codes::LPE_CONSTANT_FAULT, span, message, "correct the expression")
            }
        }
    }
}
