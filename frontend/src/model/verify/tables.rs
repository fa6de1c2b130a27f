//! Rules 1 to 5 for everything outside of statements: ids, offsets, sizes, initial values and names.

use super::super::{Body, Class, ClassId, Dimension, Instance, Role, ScalarSetId, Sort, Value, Variable};
use super::{MAX_ELEMENTS, Verifier, distinct, rule};
use crate::source::Span;

impl Verifier<'_> {
    /// Checks the tables. Each group of rules is checked only if the groups before it hold.
    pub(super) fn tables(&mut self) {
        let phases = [Verifier::table_ids, Verifier::sizes, Verifier::layout];
        for phase in phases {
            phase(self);
            if !self.violations.is_empty() {
                return;
            }
        }
    }

    fn table_ids(&mut self) {
        let model = self.model;
        for set in &model.scalar_sets {
            self.enter(format!("scalar set `{}`", set.name));
            self.check(self.has_class(set.class), rule::IDS, set.span);
        }
        for class in &model.classes {
            self.class_ids(class);
        }
        for instance in &model.instances {
            self.instance_ids(instance);
        }
        self.enter("the creatable classes");
        self.check(model.creatable.iter().all(|&class| self.has_class(class)), rule::IDS, Span::NONE);
    }

    fn class_ids(&mut self, class: &Class) {
        self.enter(format!("class `{}`", class.name));
        let mut ids = class.parent.iter().chain(&class.interfaces).chain(&class.ancestors);
        self.check(ids.all(|&id| self.has_class(id)), rule::IDS, class.span);
        for variable in &class.variables {
            let holds = self.has_sort(variable.sort)
                && variable.dimensions.iter().all(|&dimension| self.has_dimension(dimension))
                && self.has_class(variable.declared_in)
                && variable.initial.iter().all(|&value| self.has_value(value));
            self.check(holds, rule::IDS, variable.span);
        }
        for server in &class.servers {
            self.body_ids(&server.body, server.declared_in, server.span);
        }
        for method in &class.methods {
            let result = method.result.is_none_or(|sort| self.has_sort(sort));
            self.check(result, rule::IDS, method.span);
            self.body_ids(&method.body, method.declared_in, method.span);
        }
        if let Some(constructor) = &class.constructor {
            self.body_ids(&constructor.body, constructor.declared_in, constructor.span);
        }
    }

    fn body_ids(&mut self, body: &Body, declared_in: ClassId, span: Span) {
        let holds = self.has_class(declared_in) && body.parameters as usize <= body.locals.len();
        self.check(holds, rule::IDS, span);
        for local in &body.locals {
            let holds = self.has_sort(local.sort) && local.dimensions.iter().all(|&axis| self.has_dimension(axis));
            self.check(holds, rule::IDS, local.span);
        }
    }

    fn instance_ids(&mut self, instance: &Instance) {
        self.enter(format!("rebec `{}`", instance.name));
        let known = instance.known.iter().flatten().all(|rebec| rebec.index() < self.model.instances.len());
        let arguments = instance.arguments.iter().flatten().all(|&value| self.has_value(value));
        self.check(self.has_class(instance.class) && known && arguments, rule::IDS, instance.span);
    }

    pub(super) fn has_class(&self, id: ClassId) -> bool {
        id.index() < self.model.classes.len()
    }

    pub(super) fn has_set(&self, id: ScalarSetId) -> bool {
        id.index() < self.model.scalar_sets.len()
    }

    pub(super) fn has_sort(&self, sort: Sort) -> bool {
        match sort {
            Sort::Rebec(class) => self.has_class(class),
            Sort::Scalar(set) => self.has_set(set),
            Sort::Bool | Sort::Int(_) | Sort::AnyRebec => true,
        }
    }

    fn has_dimension(&self, dimension: Dimension) -> bool {
        match dimension {
            Dimension::Array(_) => true,
            Dimension::Scalar(set) => self.has_set(set),
        }
    }

    fn has_value(&self, value: Value) -> bool {
        match value {
            Value::Rebec(rebec) => rebec.index() < self.model.instances.len(),
            _ => true,
        }
    }

    fn sizes(&mut self) {
        let model = self.model;
        for set in &model.scalar_sets {
            self.enter(format!("scalar set `{}`", set.name));
            let size = i64::from(set.high) - i64::from(set.low) + 1;
            self.check(u64::try_from(size).is_ok_and(|size| (1..=MAX_ELEMENTS).contains(&size)), rule::SIZES, set.span);
        }
        if !self.violations.is_empty() {
            return;
        }
        for class in &model.classes {
            self.enter(format!("class `{}`", class.name));
            self.total(class.variables.iter().map(|variable| variable.dimensions.as_slice()), class.span);
            for server in &class.servers {
                self.total(server.body.locals.iter().map(|local| local.dimensions.as_slice()), server.span);
            }
            for method in &class.methods {
                self.total(method.body.locals.iter().map(|local| local.dimensions.as_slice()), method.span);
            }
            if let Some(constructor) = &class.constructor {
                self.total(constructor.body.locals.iter().map(|local| local.dimensions.as_slice()), constructor.span);
            }
        }
    }

    /// Checks that no part is empty and that all parts together are not too large.
    fn total<'d>(&mut self, parts: impl Iterator<Item = &'d [Dimension]>, span: Span) {
        let mut total = 0u64;
        let mut empty = false;
        for part in parts {
            let elements = self.elements(part);
            empty |= elements == 0;
            total = total.saturating_add(elements);
        }
        self.check(!empty && total <= MAX_ELEMENTS, rule::SIZES, span);
    }

    fn elements(&self, dimensions: &[Dimension]) -> u64 {
        dimensions.iter().fold(1, |total: u64, &axis| total.saturating_mul(u64::from(self.model.extent(axis))))
    }

    fn layout(&mut self) {
        let model = self.model;
        self.enter("the model");
        let features = model.features.iter().map(|feature| &feature.name);
        let features = features.chain(model.constants.iter().map(|(name, _)| name));
        let names = distinct(model.classes.iter().map(|class| &class.name))
            && distinct(features)
            && distinct(model.instances.iter().map(|instance| &instance.name))
            && distinct(model.scalar_sets.iter().map(|set| (set.class, &set.name)));
        self.check(names, rule::NAMES, Span::NONE);
        for class in &model.classes {
            self.enter(format!("class `{}`", class.name));
            let names = distinct(class.servers.iter().map(|server| &server.name))
                && distinct(class.methods.iter().map(|method| &method.name))
                && distinct(class.variables.iter().map(|variable| (variable.declared_in, &variable.name)));
            self.check(names, rule::NAMES, class.span);
            let mut offset = 0;
            for variable in &class.variables {
                self.check(u64::from(variable.offset) == offset, rule::OFFSETS, variable.span);
                offset += self.elements(&variable.dimensions);
                self.variable(variable);
            }
            let methods = class.methods.iter().map(|method| &method.body);
            let bodies = class.servers.iter().map(|server| &server.body).chain(methods);
            for body in bodies.chain(class.constructor.iter().map(|constructor| &constructor.body)) {
                self.locals(body);
            }
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let len = self.elements(&variable.dimensions);
        self.check(variable.initial.len() as u64 == len, rule::OFFSETS, variable.span);
        let fits = |value: &Value| match (variable.sort, *value) {
            (Sort::Bool, Value::Bool(_)) => true,
            (Sort::Int(width), Value::Int(value)) => width.range().contains(&value),
            (Sort::Rebec(_), Value::Null) | (Sort::Scalar(_), Value::Undefined) => true,
            _ => false,
        };
        let known = variable.role == Role::State || matches!(variable.sort, Sort::Rebec(_));
        self.check(known && variable.initial.iter().all(fits), rule::INITIAL, variable.span);
    }

    fn locals(&mut self, body: &Body) {
        let mut offset = 0;
        for local in &body.locals {
            let len = self.elements(&local.dimensions);
            let fits = (u64::from(local.offset), u64::from(local.len)) == (offset, len);
            self.check(fits, rule::OFFSETS, local.span);
            self.check(local.sort != Sort::AnyRebec, rule::INITIAL, local.span);
            offset += len;
        }
        for parameter in body.parameters() {
            self.check(parameter.dimensions.is_empty(), rule::OFFSETS, parameter.span);
        }
    }
}
