//! Rules 6, 7, 9 and 10: inheritance, members, the rebecs of `main` and the dialect.

use std::collections::HashMap;

use super::super::{Body, Class, ClassId, ClassKind, Dialect, Instance, Local, Model, Sort, Value, Variable};
use super::{Verifier, distinct, rule};

impl Verifier<'_> {
    pub(super) fn classes(&mut self) {
        let model = self.model;
        for (index, class) in model.classes.iter().enumerate() {
            self.enter(format!("class `{}`", class.name));
            let id = ClassId::from_index(index);
            let inheritance = ancestors_fit(model, id, class) && inherits(model, class);
            self.check(inheritance, rule::INHERITANCE, class.span);
            self.check(members_fit(class), rule::MEMBERS, class.span);
            let initial = class.kind != ClassKind::Reactive || class.server("initial").is_some();
            let fits = model.dialect == Dialect::Rebeca21 || initial && class.constructor.is_none();
            self.check(fits, rule::DIALECT, class.span);
        }
        for instance in &model.instances {
            self.enter(format!("rebec `{}`", instance.name));
            self.check(instance_fits(model, instance), rule::INSTANCES, instance.span);
        }
    }
}

fn ancestors_fit(model: &Model, id: ClassId, class: &Class) -> bool {
    let is_interface = class.kind == ClassKind::Interface;
    let parent = class.parent.is_none_or(|parent| !is_interface && model.class(parent).kind != ClassKind::Interface);
    let interfaces = class.interfaces.iter().all(|&id| model.class(id).kind == ClassKind::Interface);
    let above = class.parent.iter().chain(&class.interfaces);
    let mut ancestors: Vec<ClassId> = above.flat_map(|&above| model.class(above).ancestors.iter().copied()).collect();
    let acyclic = !ancestors.contains(&id);
    ancestors.push(id);
    ancestors.sort_unstable();
    ancestors.dedup();
    parent && interfaces && acyclic && ancestors == class.ancestors
}

/// Whether the class has all members of its parent and its interfaces.
fn inherits(model: &Model, class: &Class) -> bool {
    let same = |one: &Variable, other: &Variable| {
        (&one.name, one.sort, &one.dimensions, one.role) == (&other.name, other.sort, &other.dimensions, other.role)
            && (one.declared_in, &one.initial) == (other.declared_in, &other.initial)
    };
    let variables = class.parent.is_none_or(|parent| {
        let inherited = &model.class(parent).variables;
        inherited.len() <= class.variables.len() && inherited.iter().zip(&class.variables).all(|(a, b)| same(a, b))
    });
    let mut servers: HashMap<&str, Vec<&Body>> = HashMap::new();
    class.servers.iter().for_each(|own| servers.entry(&own.name).or_default().push(&own.body));
    let mut methods: HashMap<(&str, Option<Sort>), &Body> = HashMap::new();
    class.methods.iter().rev().for_each(|own| _ = methods.insert((&own.name, own.result), &own.body));
    let mut above = class.parent.iter().chain(&class.interfaces).map(|&id| model.class(id));
    variables
        && above.all(|above| {
            limits::work((above.servers.len() + above.methods.len()) as u64);
            // `initial` has the role that a constructor has in dialect 2.1: an heir may take other arguments.
            let has_server = |name: &str, body: &Body| {
                let fits = |own: &&Body| name == "initial" || sorts(own).eq(sorts(body));
                servers.get(name).is_some_and(|all| all.iter().any(fits))
            };
            let has_method = |name: &str, result: Option<Sort>, body: &Body| {
                methods.get(&(name, result)).is_some_and(|own| sorts(own).eq(sorts(body)))
            };
            above.servers.iter().all(|server| has_server(&server.name, &server.body))
                && above.methods.iter().all(|method| has_method(&method.name, method.result, &method.body))
        })
}

fn sorts(body: &Body) -> impl Iterator<Item = Sort> + '_ {
    body.parameters().iter().map(|parameter| parameter.sort)
}

fn members_fit(class: &Class) -> bool {
    let servers = class.servers.iter().map(|server| (server.is_abstract, &server.body, server.declared_in));
    let methods = class.methods.iter().map(|method| (method.is_abstract, &method.body, method.declared_in));
    let mut members = servers.chain(methods);
    let kind = class.kind;
    let fits = members.all(|(is_abstract, body, declared_in)| {
        let allowed = match kind {
            ClassKind::Reactive => !is_abstract,
            ClassKind::Abstract => true,
            ClassKind::Interface => is_abstract,
        };
        allowed && (!is_abstract || body.block.is_empty()) && class.ancestors.contains(&declared_in)
    });
    let bare = class.variables.is_empty() && class.methods.is_empty() && class.constructor.is_none();
    fits && (kind != ClassKind::Interface || bare && class.queue_bound == 0)
        && class.variables.iter().all(|variable| class.ancestors.contains(&variable.declared_in))
        && class.constructor.iter().all(|constructor| class.ancestors.contains(&constructor.declared_in))
}

fn instance_fits(model: &Model, instance: &Instance) -> bool {
    let class = model.class(instance.class);
    let slots = class.known().flat_map(|variable| variable.initial.iter().map(|_| variable.sort));
    let known: Vec<(Sort, Value)> =
        slots.zip(instance.known.iter().map(|known| known.map_or(Value::Null, Value::Rebec))).collect();
    let parameters = class.creation_parameters(model.dialect);
    let argument = |(parameter, values): (&Local, &Vec<Value>)| {
        !values.is_empty() && distinct(values) && values.iter().all(|&value| value.has_sort(model, parameter.sort))
    };
    class.kind == ClassKind::Reactive
        && class.known().map(Variable::len).sum::<usize>() == instance.known.len()
        && known.into_iter().all(|(sort, value)| value.has_sort(model, sort))
        && parameters.len() == instance.arguments.len()
        && parameters.iter().zip(&instance.arguments).all(argument)
}
