//! Declarations: constants, types and variables.

use super::Lowering;
use super::scope::Meaning;
use crate::diagnostics::codes;
use crate::murphi::program::{
    Constant, Field, FieldPlace, Local, LocalId, LocalKind, SortId, TypeId, TypeKind, Types, Variable, VariableId,
};
use crate::murphi::syntax::ast::{self, Declaration, DeclarationKind, Name, TypeExpr, TypeExprKind};
use crate::murphi::{MAX_CELLS, MAX_NAMES};
use crate::source::Span;

impl Lowering<'_> {
    /// Declares names, of the whole model if `global`.
    pub(super) fn declaration(&mut self, declaration: &Declaration, global: bool) {
        match &declaration.kind {
            DeclarationKind::Constant(value) => {
                let value = self.constant(value);
                for name in &declaration.names {
                    let value = if global { self.overridden(name, value) } else { value };
                    let Some(value) = value else {
                        self.declare(name, Meaning::Faulty);
                        continue;
                    };
                    self.declare(name, Meaning::Constant(value.value, value.of));
                    if global {
                        let (text, span) = (name.text.clone(), name.span);
                        self.program.constants.push(Constant { name: text, of: value.of, value: value.value, span });
                    }
                }
            }
            DeclarationKind::Type(of) => {
                let of = self.type_expression(of);
                for name in &declaration.names {
                    if let Some(of) = of {
                        self.program.types.name(of, &name.text);
                    }
                    self.declare(name, of.map_or(Meaning::Faulty, Meaning::Type));
                }
            }
            DeclarationKind::Variable(of) => {
                let of = self.type_expression(of);
                for name in &declaration.names {
                    let meaning = match of {
                        None => Meaning::Faulty,
                        Some(of) if global => Meaning::Variable(self.variable(name, of)),
                        Some(of) => Meaning::Local(self.local(name, LocalKind::Variable, of)),
                    };
                    self.declare(name, meaning);
                }
            }
        }
    }

    fn variable(&mut self, name: &Name, of: TypeId) -> VariableId {
        let id = VariableId::from_index(self.program.variables.len());
        let offset = self.program.cells();
        if offset + self.program.types.cells(of) > MAX_CELLS {
            self.too_large::<()>(name.span, "the variables have too many cells");
        }
        if self.program.types.has_wide_cell(of) {
            self.too_large::<()>(name.span, "a range of a variable has almost all integers");
        }
        self.program.variables.push(Variable { name: name.text.clone(), of, offset, span: name.span });
        id
    }

    /// Adds a local to the current frame; it is not in scope yet.
    pub(super) fn local(&mut self, name: &Name, kind: LocalKind, of: TypeId) -> LocalId {
        let id = LocalId::from_index(self.frame.locals.len());
        let cells = match kind {
            kind if kind.is_reference() => 0,
            LocalKind::Slot => 1,
            _ => self.program.types.cells(of),
        };
        let offset = self.frame.cells;
        if offset + cells > MAX_CELLS {
            self.too_large::<()>(name.span, "the locals have too many cells");
        }
        self.frame.locals.push(Local { name: name.text.clone(), kind, of, offset, span: name.span });
        self.frame.cells += cells;
        id
    }

    pub(super) fn too_large<T>(&mut self, span: Span, message: &str) -> Option<T> {
        self.refuse(codes::MURPHI_TOO_LARGE, span, message, "check a smaller instance")
    }

    /// The type that is written.
    pub(super) fn type_expression(&mut self, of: &TypeExpr) -> Option<TypeId> {
        match &of.kind {
            TypeExprKind::Boolean => Some(Types::BOOLEAN),
            TypeExprKind::Named(name) => match self.lookup(&name.text, name.span)? {
                Meaning::Type(id) => Some(id),
                other => self.misused(&name.text, name.span, other, "a type"),
            },
            TypeExprKind::Range(low, high) => {
                let (low, high) = (self.integer(low), self.integer(high));
                self.range(low?, high?, of.span)
            }
            TypeExprKind::Enum(names) => self.enumeration(names, of.span),
            TypeExprKind::Scalarset(size) => {
                let size = self.integer(size)?;
                self.sort(None, size, of.span)
            }
            TypeExprKind::Union(members) => self.union(members, of.span),
            TypeExprKind::Array(index, element) => {
                let (index_type, element) = (self.simple_type(index), self.type_expression(element));
                let kind = TypeKind::Array { index: index_type?, element: element? };
                self.intern(kind, of.span)
            }
            TypeExprKind::Record(fields) => self.record(fields, of.span),
            TypeExprKind::Multiset(capacity, element) => {
                let (slots, element) = (self.integer(capacity), self.type_expression(element));
                let slots = slots?;
                match usize::try_from(slots).ok().filter(|&slots| slots > 0) {
                    Some(capacity) => self.intern(TypeKind::Multiset { capacity, element: element? }, of.span),
                    None => self.empty(of.span, format!("a multiset of at most {slots} elements holds nothing")),
                }
            }
        }
    }

    fn intern(&mut self, kind: TypeKind, span: Span) -> Option<TypeId> {
        self.program.types.intern(kind).or_else(|| self.too_large(span, "the type has too many cells"))
    }

    fn empty(&mut self, span: Span, message: String) -> Option<TypeId> {
        let help = "with `-D`, check that the types still fit the constants";
        self.refuse(codes::MURPHI_EMPTY_TYPE, span, message, help)
    }

    fn range(&mut self, low: i32, high: i32, span: Span) -> Option<TypeId> {
        if low > high {
            return self.empty(span, format!("the range `{low} .. {high}` has no values"));
        }
        self.intern(TypeKind::Range { low, high }, span)
    }

    /// A type whose values are simple and few enough to be an index or the values of a loop.
    pub(super) fn simple_type(&mut self, of: &TypeExpr) -> Option<TypeId> {
        let id = self.type_expression(of)?;
        let types = &self.program.types;
        if !types.is_simple(id) {
            let message = format!("{} has no simple values", types.text(id));
            let help = "use a range, an enumeration, a scalar set or a union";
            return self.refuse(codes::MURPHI_SIMPLE, of.span, message, help);
        }
        if types.count(id) > MAX_NAMES {
            return self.too_large(of.span, "the type has too many values for an index or a loop");
        }
        Some(id)
    }

    fn enumeration(&mut self, names: &[Name], span: Span) -> Option<TypeId> {
        let members = names.iter().map(|name| name.text.clone()).collect();
        let size = i32::try_from(names.len()).unwrap_or(i32::MAX);
        let id = self.sort(Some(members), size, span);
        let first = self.program.types.sorts.last().map_or(0, |sort| sort.first);
        for (name, value) in names.iter().zip(first..) {
            self.declare(name, id.map_or(Meaning::Faulty, |id| Meaning::Constant(value, id)));
        }
        id
    }

    fn sort(&mut self, members: Option<Vec<String>>, size: i32, span: Span) -> Option<TypeId> {
        if size < 1 {
            return self.empty(span, "the type has no values".into());
        }
        let before = self.program.types.sorts.last().map_or(0, |sort| sort.first + sort.size);
        if usize::try_from(i64::from(before) + i64::from(size)).is_ok_and(|sum| sum > MAX_NAMES) {
            return self.too_large(span, "the enumerations and scalar sets have too many members");
        }
        Some(self.program.types.declare(members, size, span))
    }

    fn union(&mut self, members: &[TypeExpr], span: Span) -> Option<TypeId> {
        let mut sorts: Vec<SortId> = Vec::new();
        let mut complete = !members.is_empty();
        if members.is_empty() {
            self.empty(span, "a union of nothing has no values".into());
        }
        for member in members {
            let Some(id) = self.type_expression(member) else {
                complete = false;
                continue;
            };
            let message = match self.program.types.kind(id) {
                TypeKind::Names(more) if more.iter().all(|sort| !sorts.contains(sort)) => {
                    sorts.extend(more);
                    continue;
                }
                TypeKind::Names(_) => "the members of a union have no value in common",
                _ => "the members of a union are enumerations, scalar sets and unions",
            };
            self.error(codes::MURPHI_UNION, member.span, message, "remove this member, or make it an enumeration");
            complete = false;
        }
        if complete { self.intern(TypeKind::Names(sorts), span) } else { None }
    }

    fn record(&mut self, fields: &[ast::Field], span: Span) -> Option<TypeId> {
        let mut list: Vec<Field> = Vec::new();
        let mut complete = true;
        let mut offset = 0usize;
        for field in fields {
            let of = self.type_expression(&field.of);
            complete &= of.is_some();
            for name in &field.names {
                if list.iter().any(|other| other.name == name.text) {
                    let message = format!("the record has two fields `{}`", name.text);
                    self.error(codes::MURPHI_DUPLICATE, name.span, message, "rename one of them");
                    complete = false;
                }
                if let Some(of) = of {
                    list.push(Field { name: name.text.clone(), of, offset });
                    offset = offset.saturating_add(self.program.types.cells(of));
                }
            }
        }
        let named: usize = fields.iter().map(|field| field.names.len()).sum();
        assert!(!complete || list.len() == named, "every name is a field");
        let record = if complete { self.intern(TypeKind::Record(list), span) } else { None }?;
        assert_eq!(self.program.types.cells(record), offset, "the fields of a record are all of its cells");
        let names = fields.iter().flat_map(|field| &field.names).enumerate();
        self.program.fields.extend(names.map(|(number, name)| FieldPlace { record, number, span: name.span }));
        Some(record)
    }
}
