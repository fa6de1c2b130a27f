//! Places, calls and what they may change.

use super::Lowering;
use super::scope::Meaning;
use crate::diagnostics::{codes, did_you_mean, every};
use crate::murphi::program::{
    Argument, Base, Expr, ExprKind, LocalId, LocalKind, Place, ProcedureId, Step, TypeId, TypeKind,
};
use crate::murphi::syntax::ast::{self, Name};
use crate::source::Span;

impl Lowering<'_> {
    /// A variable or a part of one.
    pub(super) fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        match &expr.kind {
            ast::ExprKind::Name(name) => self.variable_place(name, expr.span),
            ast::ExprKind::Field(base, field) => {
                let place = self.place(base)?;
                self.field(place, field, expr.span)
            }
            ast::ExprKind::Index(base, index) => {
                let place = self.place(base)?;
                self.element(place, index, expr.span)
            }
            ast::ExprKind::Missing => None,
            _ => {
                let message = "this is no variable";
                self.refuse(codes::MURPHI_NOT_VARIABLE, expr.span, message, "name a variable, or a part of one")
            }
        }
    }

    fn variable_place(&mut self, name: &str, span: Span) -> Option<Place> {
        let (base, of) = match self.lookup(name, span)? {
            Meaning::Variable(id) => (Base::Variable(id), self.program.variable(id).of),
            Meaning::Local(id) => {
                let local = self.frame.local(id);
                if local.kind == LocalKind::Slot {
                    let message = format!("`{name}` is a slot of a multiset: it has no value of its own");
                    let help = "write the element as `multiset[slot]`, or remove it by `multisetremove`";
                    return self.refuse(codes::MURPHI_MULTISET, span, message, help);
                }
                (Base::Local(id), local.of)
            }
            Meaning::Constant(..) => {
                let message = format!("`{name}` is a constant, no variable");
                return self.refuse(codes::MURPHI_NOT_VARIABLE, span, message, "name a variable, or a part of one");
            }
            other => {
                return self.misused(name, span, other, "a variable");
            }
        };
        Some(Place { base, steps: Vec::new(), of, span })
    }

    fn field(&mut self, mut place: Place, name: &Name, span: Span) -> Option<Place> {
        let TypeKind::Record(fields) = self.program.types.kind(place.of) else {
            let message = format!("{} has no fields", self.text(place.of));
            return self.refuse(codes::MURPHI_FIELD, name.span, message, "only records have fields");
        };
        let Some(found) = fields.iter().position(|field| field.name == name.text) else {
            let known = did_you_mean(&name.text, fields.iter().map(|field| field.name.as_str()));
            let help = known.unwrap_or_else(|| "name one of its fields".into());
            let message = format!("{} has no field `{}`", self.text(place.of), name.text);
            return self.refuse(codes::MURPHI_FIELD, name.span, message, &help);
        };
        place.of = fields[found].of;
        place.steps.push(Step::Field(found));
        place.span = span;
        Some(place)
    }

    fn element(&mut self, mut place: Place, index: &ast::Expr, span: Span) -> Option<Place> {
        match *self.program.types.kind(place.of) {
            TypeKind::Array { index: index_type, element } => {
                let index = self.expression(index)?;
                self.mixed(index_type, index.of, index.span)?;
                place.steps.push(Step::Index(index));
                place.of = element;
            }
            TypeKind::Multiset { element, .. } => {
                let slot = self.slot(index, place.of)?;
                place.steps.push(Step::Slot(slot));
                place.of = element;
            }
            _ => {
                let message = format!("{} has no elements", self.text(place.of));
                let help = "only arrays and multisets have elements";
                return self.refuse(codes::MURPHI_INDEX, index.span, message, help);
            }
        }
        place.span = span;
        Some(place)
    }

    /// The local that stands for a slot of a multiset of a type.
    pub(super) fn slot(&mut self, expr: &ast::Expr, of: TypeId) -> Option<LocalId> {
        if let ast::ExprKind::Name(name) = &expr.kind
            && let Some(Meaning::Local(id)) = self.meaning(name)
            && self.frame.local(id).kind == LocalKind::Slot
            && self.frame.local(id).of == of
        {
            return Some(id);
        }
        let message = "a multiset is accessed by a slot of it";
        let help = "name the slot of a `choose`, `multisetcount` or `multisetremovepred` over this multiset";
        self.refuse(codes::MURPHI_MULTISET, expr.span, message, help)
    }

    /// A multiset.
    pub(super) fn multiset(&mut self, expr: &ast::Expr) -> Option<Place> {
        let place = self.place(expr)?;
        if !matches!(self.program.types.kind(place.of), TypeKind::Multiset { .. }) {
            let message = format!("a multiset is needed, and this is {}", self.text(place.of));
            let help = "name a variable of type `multiset [..] of ..`";
            return self.refuse(codes::MURPHI_MULTISET, expr.span, message, help);
        }
        Some(place)
    }

    /// The kind of local that a place is as a whole, for other names of it.
    pub(super) fn kind_of(&self, place: &Place) -> LocalKind {
        match place.base {
            Base::Variable(_) => LocalKind::State,
            Base::Local(id) => match self.frame.local(id).kind {
                LocalKind::Variable | LocalKind::Inner => LocalKind::Inner,
                LocalKind::Binder | LocalKind::Value | LocalKind::Slot | LocalKind::Fixed => LocalKind::Fixed,
                LocalKind::Outer => LocalKind::Outer,
                LocalKind::State => LocalKind::State,
            },
        }
    }

    /// Notes that a place is written; reports one that cannot be.
    pub(super) fn written(&mut self, place: &Place) -> Option<()> {
        match self.kind_of(place) {
            LocalKind::State => self.changes.state = true,
            LocalKind::Outer => self.changes.parameters = true,
            LocalKind::Fixed => {
                let message = "this cannot be changed";
                let help = "values of loops and rulesets, parameters without `var` and aliases of values are fixed";
                return self.refuse(codes::MURPHI_NOT_VARIABLE, place.span, message, help);
            }
            LocalKind::Variable | LocalKind::Binder | LocalKind::Value | LocalKind::Inner | LocalKind::Slot => {}
        }
        Some(())
    }

    /// The type of the result of a function; `None` for a procedure.
    pub(super) fn result_of(&self, id: ProcedureId) -> Option<TypeId> {
        self.headings[id.index()].result
    }

    /// A call of a function or procedure.
    pub(super) fn call(&mut self, name: &Name, arguments: &[ast::Expr]) -> Option<(ProcedureId, Vec<Argument>)> {
        let id = match self.lookup(&name.text, name.span)? {
            Meaning::Procedure(id) => id,
            other => {
                return self.misused(&name.text, name.span, other, "a function or procedure");
            }
        };
        let heading = self.headings[id.index()].clone();
        if heading.parameters.len() != arguments.len() {
            let message = format!(
                "`{}` has {} parameters, and {} arguments are given",
                name.text,
                heading.parameters.len(),
                arguments.len()
            );
            return self.refuse(codes::MURPHI_ARGUMENTS, name.span, message, "give one argument for each parameter");
        }
        // The changes of a procedure that calls itself are those that its other statements make.
        let changes = self.program.procedures.get(id.index()).map(|procedure| procedure.changes);
        let is_open = id.index() + 1 == self.headings.len();
        assert!(changes.is_some() || is_open, "only the procedure that is read has no statements yet");
        self.changes.state |= changes.is_some_and(|changes| changes.state);
        let writes = changes.is_none_or(|changes| changes.parameters);
        let list =
            every(heading.parameters.iter().zip(arguments).map(|(parameter, argument)| match parameter.by_reference {
                true => self.reference(argument, parameter.of, writes),
                false => self.argument(argument, parameter.of),
            }));
        Some((id, list?))
    }

    fn reference(&mut self, argument: &ast::Expr, of: TypeId, writes: bool) -> Option<Argument> {
        let place = self.place(argument)?;
        let before = self.changes;
        self.written(&place)?;
        if !writes {
            self.changes = before;
        }
        if place.of != of {
            let message =
                format!("a variable of type {} is needed, and this is {}", self.text(of), self.text(place.of));
            let help = "a `var` parameter takes variables of its own type";
            return self.refuse(codes::MURPHI_ARGUMENTS, argument.span, message, help);
        }
        Some(Argument::Reference(place))
    }

    fn argument(&mut self, argument: &ast::Expr, of: TypeId) -> Option<Argument> {
        if argument.kind == ast::ExprKind::Undefined {
            return Some(Argument::Value(Expr { kind: ExprKind::Undefined, of, span: argument.span }));
        }
        let value = self.expression(argument)?;
        self.mixed(of, value.of, value.span)?;
        Some(Argument::Value(value))
    }
}
