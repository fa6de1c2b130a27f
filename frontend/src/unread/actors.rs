//! Variables of Rebeca models that are never read.
//!
//! Classes inherit variables and bodies, so that one declaration is several variables: it is reported if none of them is read. Known rebecs are
//! not reported: they say who is connected. Nor is the variable of `forEachValueOf`. A parameter of a server, method or constructor is reported
//! if no class reads it in a body of this name with as many parameters: others are there for those who send the message.

use std::collections::BTreeMap;

use super::{Unread, UnreadKind, Uses, is_exempt};
use crate::model::{
    Base, Body, Class, Expr, ExprKind, Model, Property, PropertySet, Role, Rvalue, Sort, Stmt, StmtKind,
};
use crate::source::Span;

/// A declaration: of a variable or local by its place, of a parameter by the first place of its number in a body of this name.
type Key = Span;

/// The declarations of a class, and those of a body of it.
struct Scope {
    variables: Vec<Key>,
    locals: Vec<Key>,
}

/// What those who call a body or send its message know of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Signature<'m> {
    kind: BodyKind,
    name: &'m str,
    parameters: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BodyKind {
    Server,
    Method,
    Constructor,
}

/// The variables, locals and parameters that neither the model nor the properties read, in the order of the text.
pub fn of_actors(model: &Model, properties: &PropertySet) -> Vec<Unread> {
    let mut found: BTreeMap<Key, (UnreadKind, String)> = BTreeMap::new();
    let mut uses = Uses::new();
    let mut parameters: BTreeMap<(Signature<'_>, usize), Key> = BTreeMap::new();
    for class in &model.classes {
        for variable in class.variables.iter().filter(|variable| variable.role == Role::State) {
            let name = format!("{}.{}", model.class(variable.declared_in).name, variable.name);
            found.insert(variable.span, (UnreadKind::Variable, name));
        }
        for (signature, body) in bodies(class) {
            for (number, parameter) in body.parameters().iter().enumerate() {
                let key = *parameters.entry((signature, number)).or_insert(parameter.span);
                found.entry(key).or_insert_with(|| (UnreadKind::Parameter, parameter.name.clone()));
            }
        }
    }
    for class in &model.classes {
        let variables: Vec<Key> = class.variables.iter().map(|variable| variable.span).collect();
        for (signature, body) in bodies(class) {
            let parameter = |number: usize| parameters[&(signature, number)];
            let locals = body.locals.iter().enumerate();
            let is_parameter = |number: usize| number < body.parameters().len();
            let key = |(number, local): (usize, &crate::model::Local)| match is_parameter(number) {
                true => parameter(number),
                false => local.span,
            };
            let scope = Scope { variables: variables.clone(), locals: locals.map(key).collect() };
            for stmt in &body.block {
                stmt.visit(&mut |stmt| {
                    uses.stmt(stmt, &scope);
                    if let StmtKind::ForEach { local, .. } = &stmt.kind {
                        uses.read(scope.locals[local.index()]);
                    }
                });
            }
            let own = body.locals.iter().enumerate().filter(|(number, _)| !is_parameter(*number));
            for (_, local) in own {
                // A temporary has the place of its value.
                if local.span.length() == local.name.len() {
                    found.insert(local.span, (UnreadKind::Local, local.name.clone()));
                } else {
                    uses.read(local.span);
                }
            }
        }
    }
    // What is not reported is read.
    let known = model.classes.iter().flat_map(Class::known).map(|variable| variable.span);
    known.for_each(|span| uses.read(span));
    found.iter().filter(|(_, (_, name))| is_exempt(name)).for_each(|(&key, _)| uses.read(key));
    let defined = properties.definitions.iter().map(|definition| &definition.value);
    let conditions = defined.chain(properties.properties.iter().flat_map(Property::atoms));
    conditions.for_each(|condition| uses.read_by(condition, model));
    uses.close();
    let name = |key: Key| found.get(&key).map_or_else(String::new, |(_, name)| name.clone());
    let unread = |(&span, (kind, own)): (&Key, &(UnreadKind, String))| {
        let instead = uses.instead(span, name).filter(|_| !span.is_none())?;
        Some(Unread { span, kind: *kind, name: own.clone(), instead })
    };
    found.iter().filter_map(unread).collect()
}

/// The bodies of a class that its text has or inherits.
fn bodies(class: &Class) -> impl Iterator<Item = (Signature<'_>, &Body)> {
    fn of<'m>(kind: BodyKind, name: &'m str, body: &'m Body) -> (Signature<'m>, &'m Body) {
        (Signature { kind, name, parameters: body.parameters().len() }, body)
    }
    let servers = class.servers.iter().map(|server| of(BodyKind::Server, &server.name, &server.body));
    let methods = class.methods.iter().map(|method| of(BodyKind::Method, &method.name, &method.body));
    let constructors = class.constructor.iter().map(|own| of(BodyKind::Constructor, &class.name, &own.body));
    servers.chain(methods).chain(constructors)
}

impl Scope {
    fn key(&self, base: Base) -> Option<Key> {
        match base {
            Base::Variable(id) => Some(self.variables[id.index()]),
            Base::Local(id) => Some(self.locals[id.index()]),
            Base::Remote(..) => None,
        }
    }
}

impl Uses<Key> {
    fn reads(&mut self, expr: &Expr, scope: &Scope) {
        expr.visit(&mut |inner| {
            if let ExprKind::Read(place) = &inner.kind {
                scope.key(place.base).into_iter().for_each(|key| self.read(key));
            }
        });
    }

    /// The variables of rebecs that a condition of a property file reads.
    fn read_by(&mut self, expr: &Expr, model: &Model) {
        expr.visit(&mut |inner| {
            if let ExprKind::Read(place) = &inner.kind
                && let Base::Remote(rebec, id) = place.base
            {
                self.read(model.class(model.class_of(rebec)).variables[id.index()].span);
            }
        });
    }

    /// Reads and writes of a statement, without those inside of it.
    fn stmt(&mut self, stmt: &Stmt, scope: &Scope) {
        limits::work(1);
        let target = match &stmt.kind {
            StmtKind::Assign { place, .. } => {
                place.indices.iter().for_each(|index| self.reads(index, scope));
                scope.key(place.base)
            }
            StmtKind::Let { local, .. } => Some(scope.locals[local.index()]),
            _ => None,
        };
        let value = stmt.value();
        if let (Some(target), true) = (target, value.is_some()) {
            self.write(target);
        }
        match (target, value) {
            (Some(target), Some(Rvalue::Expr(value))) => self.flows(value, target, scope),
            (Some(target), Some(Rvalue::Choose(list))) => {
                list.iter().for_each(|value| self.flows(value, target, scope));
            }
            _ => stmt.expressions().into_iter().for_each(|expr| self.reads(expr, scope)),
        }
    }

    /// The reads of a value that is assigned. That of a scalar may fault.
    fn flows(&mut self, value: &Expr, target: Key, scope: &Scope) {
        if let ExprKind::Read(place) = &value.kind {
            place.indices.iter().for_each(|index| self.reads(index, scope));
            let may_fault = matches!(value.sort, Sort::Scalar(_));
            match scope.key(place.base) {
                Some(key) if may_fault => self.read(key),
                Some(key) => self.flow(key, target),
                None => {}
            }
            return;
        }
        value.operands().into_iter().for_each(|operand| self.flows(operand, target, scope));
    }
}
