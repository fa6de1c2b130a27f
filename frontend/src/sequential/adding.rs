//! Parts that lowerings add to a process: each is put behind those of its kind, and has the next id.

use super::{Domain, Initial, Sequential, Sort, SortId, Table, TableId, ValueKind, Variable, VariableId};
use crate::source::Span;

impl Variable {
    /// A variable with any values, which has no place among the others yet.
    pub(crate) fn new(name: String, sort: SortId, indices: Vec<SortId>, span: Span) -> Variable {
        Variable { name, sort, indices, offset: 0, initial: Initial::Any, initial_span: span, is_uniform: true, span }
    }
}

impl Sequential {
    /// Adds a sort.
    pub(crate) fn add_sort(&mut self, name: String, domain: Domain, span: Span) -> SortId {
        self.sorts.push(Sort { name, domain, span });
        SortId::from_index(self.sorts.len() - 1)
    }

    /// Adds a table.
    pub(crate) fn add_table(
        &mut self,
        name: String,
        indices: Vec<SortId>,
        (kind, values): (ValueKind, Vec<i32>),
        span: Span,
    ) -> TableId {
        debug_assert_eq!(self.size_of(&indices), Some(values.len()), "a table has a value for each index");
        self.tables.push(Table { name, indices, kind, values, span });
        TableId::from_index(self.tables.len() - 1)
    }

    /// Adds a variable, behind the elements of the others.
    pub(crate) fn add_variable(&mut self, variable: Variable) -> VariableId {
        assert!(self.locals.is_empty(), "locals stand behind all variables");
        assert!(variable.sort.index() < self.sorts.len(), "the sort of a variable is declared before it");
        self.variables.push(Variable { offset: self.state_len(), ..variable });
        VariableId::from_index(self.variables.len() - 1)
    }

    /// Adds a local of a body, behind the elements of the variables and of other locals.
    pub(crate) fn add_local(&mut self, local: Variable) -> VariableId {
        assert!(local.sort.index() < self.sorts.len(), "the sort of a local is declared before it");
        self.locals.push(Variable { offset: self.working_len(), ..local });
        VariableId::from_index(self.variables.len() + self.locals.len() - 1)
    }
}
