//! Renumbers the parts that stay, so that the result is a well-formed model.
//!
//! A class stays if a rebec of it stays, if an heir stays, or if a part that stays names it.
//!
//! Invariant: variables declared by one class are kept or removed together in all heirs, so inherited variables still
//! come first.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::mutate::{self, Mutator};
use frontend::model::{
    Body, Class, ClassId, Dialect, FeatureId, Instance, LocalId, MethodId, Model, PropertySet, RebecId, Role, Rvalue,
    ScalarSetId, ServerId, Stmt, StmtKind, VariableId,
};

use super::keep::{Declared, Kept, declared};
use super::maps::{Maps, Renumber};
use super::mention::{Mentioned, kept_bodies, mentioned, properties_mention};
use crate::analysis::bodies::{BodyRef, Member};

/// Ascending new ids for the parts that stay.
fn map<T: Copy>(stays: impl Iterator<Item = bool>, id: impl Fn(usize) -> T) -> Vec<Option<T>> {
    let mut next = 0;
    stays
        .map(|stays| {
            stays.then(|| {
                next += 1;
                id(next - 1)
            })
        })
        .collect()
}

/// The decision about the parts that stay.
pub(crate) struct Plan<'k, 'g, 'a> {
    pub(crate) kept: &'k Kept<'g, 'a>,
    pub(crate) pruned: Model,
    pub(crate) variables: BTreeSet<Declared>,
    pub(crate) rebecs: BTreeSet<RebecId>,
}

impl Plan<'_, '_, '_> {
    fn stays(&self, class: ClassId, variable: VariableId) -> bool {
        self.variables.contains(&declared(&self.pruned, class, variable))
    }

    fn parameter(&self, body: BodyRef, index: usize) -> bool {
        body.is_method() || self.kept.parameter(body, index)
    }

    /// Everything that parts that stay mention: classes, sets and features, to a fixed point over classes.
    fn reachable(&self, properties: &PropertySet) -> Mentioned {
        let model = &self.pruned;
        let mut all = Mentioned::default();
        properties_mention(properties, &mut all);
        let mut open: Vec<ClassId> = self.rebecs.iter().map(|&rebec| model.class_of(rebec)).collect();
        open.extend(all.classes.iter().copied());
        let mut done = BTreeSet::new();
        while let Some(id) = open.pop().or_else(|| self.understanding(&all.open_sends, &done)) {
            if !done.insert(id) {
                continue;
            }
            let class = model.class(id);
            let mut found = Mentioned::default();
            for (index, variable) in class.variables.iter().enumerate() {
                if self.stays(id, VariableId::from_index(index)) {
                    found.shape(variable.sort, &variable.dimensions);
                }
            }
            for body in kept_bodies(self.kept, id, class) {
                let own = mentioned(model, body);
                let whole = body.of(model);
                for (index, local) in whole.locals.iter().enumerate() {
                    let is_parameter = index < whole.parameters as usize && self.parameter(body, index);
                    if is_parameter || own.locals.contains(&LocalId::from_index(index)) {
                        found.shape(local.sort, &local.dimensions);
                    }
                }
                found.classes.extend(own.classes);
                found.sets.extend(own.sets);
                found.features.extend(own.features);
                found.open_sends.extend(own.open_sends);
                if let Member::Method(method) = body.member {
                    class.methods[method.index()].result.into_iter().for_each(|sort| found.sort(sort));
                }
                found.classes.insert(body.declared_in(model));
            }
            found.classes.extend(found.sets.iter().map(|set| model.scalar_set(*set).class).collect::<Vec<_>>());
            found.classes.extend(class.ancestors.iter().copied());
            open.extend(found.classes.iter().copied());
            all.sets.extend(found.sets);
            all.features.extend(found.features);
            all.open_sends.extend(found.open_sends);
        }
        all.classes = done;
        all
    }

    /// A class that stays only because of a message which no class in the set understands: the text needs one that
    /// does.
    fn understanding(&self, sends: &[Vec<Option<ServerId>>], done: &BTreeSet<ClassId>) -> Option<ClassId> {
        sends.iter().find_map(|targets| {
            let classes = targets.iter().enumerate().filter_map(|(index, server)| {
                let id = ClassId::from_index(index);
                server.filter(|&server| self.kept.server(id, server)).map(|_| id)
            });
            let classes: Vec<ClassId> = classes.collect();
            if classes.iter().any(|class| done.contains(class)) { None } else { classes.first().copied() }
        })
    }

    /// The maps of ids.
    fn maps(&self, all: &Mentioned) -> Maps {
        let model = &self.pruned;
        let classes = || (0..model.classes.len()).map(ClassId::from_index);
        let member = |class, member| BodyRef { class, member };
        Maps {
            classes: map(classes().map(|id| all.classes.contains(&id)), ClassId::from_index),
            rebecs: map(
                (0..model.instances.len()).map(|index| self.rebecs.contains(&RebecId::from_index(index))),
                RebecId::from_index,
            ),
            features: map(
                (0..model.features.len()).map(|index| all.features.contains(&FeatureId::from_index(index))),
                FeatureId::from_index,
            ),
            sets: map(
                (0..model.scalar_sets.len()).map(|index| all.sets.contains(&ScalarSetId::from_index(index))),
                ScalarSetId::from_index,
            ),
            variables: classes()
                .map(|id| {
                    let ids = (0..model.class(id).variables.len()).map(VariableId::from_index);
                    map(ids.map(|variable| self.stays(id, variable)), VariableId::from_index)
                })
                .collect(),
            servers: classes()
                .map(|id| {
                    let ids = (0..model.class(id).servers.len()).map(ServerId::from_index);
                    map(ids.map(|server| self.kept.server(id, server)), ServerId::from_index)
                })
                .collect(),
            methods: classes()
                .map(|id| {
                    let ids = (0..model.class(id).methods.len()).map(MethodId::from_index);
                    let stays = |method| self.kept.member(member(id, Member::Method(method)));
                    map(ids.map(stays), MethodId::from_index)
                })
                .collect(),
            parameters: classes()
                .map(|id| {
                    let ids = (0..model.class(id).servers.len()).map(ServerId::from_index);
                    ids.map(|server| {
                        let body = member(id, Member::Server(server));
                        (0..body.of(model).parameters().len()).map(|index| self.parameter(body, index)).collect()
                    })
                    .collect()
                })
                .collect(),
        }
    }

    /// The smaller model, and the maps of ids.
    pub(crate) fn compact(&self, properties: &PropertySet) -> (Model, Maps) {
        let all = self.reachable(properties);
        let maps = self.maps(&all);
        let from = &self.pruned;
        let mut model = Model {
            dialect: from.dialect,
            features: kept_of(&from.features, &maps.features),
            constants: from.constants.clone(),
            scalar_sets: kept_of(&from.scalar_sets, &maps.sets),
            classes: Vec::new(),
            instances: Vec::new(),
            creatable: Vec::new(),
        };
        for set in &mut model.scalar_sets {
            set.class = maps.class(set.class);
        }
        for (index, class) in from.classes.iter().enumerate() {
            if maps.classes[index].is_some() {
                model.classes.push(self.class(&maps, ClassId::from_index(index), class));
            }
        }
        for (index, instance) in from.instances.iter().enumerate() {
            if maps.rebecs[index].is_some() {
                model.instances.push(self.instance(&maps, instance));
            }
        }
        targets(&mut model);
        model.creatable = made(&mut model);
        let stays = |stays: &mut dyn Iterator<Item = bool>| stays.filter(|stays| *stays).count();
        assert_eq!(model.classes.len(), stays(&mut maps.classes.iter().map(Option::is_some)), "each class that stays");
        assert_eq!(model.instances.len(), stays(&mut maps.rebecs.iter().map(Option::is_some)), "each rebec that stays");
        (model, maps)
    }

    fn class(&self, maps: &Maps, id: ClassId, class: &Class) -> Class {
        let mut new = class.clone();
        new.parent = class.parent.map(|parent| maps.class(parent));
        new.interfaces = class.interfaces.iter().map(|&id| maps.class(id)).collect();
        new.ancestors = class.ancestors.iter().map(|&id| maps.class(id)).collect();
        new.variables = kept_of(&class.variables, &maps.variables[id.index()]);
        let mut offset = 0;
        for variable in &mut new.variables {
            variable.offset = offset;
            offset += u32::try_from(variable.len()).expect("bounded by the verifier");
            variable.sort = maps.sort(variable.sort);
            variable.dimensions = maps.dimensions(&variable.dimensions);
            variable.declared_in = maps.class(variable.declared_in);
        }
        new.servers = kept_of(&class.servers, &maps.servers[id.index()]);
        new.methods = kept_of(&class.methods, &maps.methods[id.index()]);
        for server in &mut new.servers {
            let original = class.server(&server.name).expect("it was there");
            let body = BodyRef { class: id, member: Member::Server(original) };
            server.body = self.body(maps, body);
            server.declared_in = maps.class(server.declared_in);
        }
        for method in &mut new.methods {
            let original = class.methods.iter().position(|other| other.name == method.name).expect("it was there");
            let member = Member::Method(MethodId::from_index(original));
            method.body = self.body(maps, BodyRef { class: id, member });
            method.declared_in = maps.class(method.declared_in);
            method.result = method.result.map(|sort| maps.sort(sort));
        }
        let own = BodyRef { class: id, member: Member::Constructor };
        new.constructor = new.constructor.filter(|_| self.kept.member(own));
        if let Some(constructor) = &mut new.constructor {
            constructor.body = self.body(maps, own);
            constructor.declared_in = maps.class(constructor.declared_in);
        }
        new
    }

    fn body(&self, maps: &Maps, at: BodyRef) -> Body {
        let from = at.of(&self.pruned);
        let used = mentioned(&self.pruned, at).locals;
        let stays = (0..from.locals.len()).map(|index| {
            if index < from.parameters as usize {
                self.parameter(at, index)
            } else {
                used.contains(&LocalId::from_index(index))
            }
        });
        let locals: Vec<Option<LocalId>> = map(stays, LocalId::from_index);
        let parameters = locals[..from.parameters as usize].iter().flatten().count();
        let mut body = Body {
            locals: kept_of(&from.locals, &locals),
            parameters: u32::try_from(parameters).expect("fewer than before"),
            block: from.block.clone(),
        };
        let mut offset = 0;
        for local in &mut body.locals {
            local.offset = offset;
            offset += local.len;
            local.sort = maps.sort(local.sort);
            local.dimensions = maps.dimensions(&local.dimensions);
        }
        mutate::block(&mut body.block, &mut Renumber { maps, class: Some(at.class), locals: &locals });
        body
    }

    fn instance(&self, maps: &Maps, instance: &Instance) -> Instance {
        let class = self.pruned.class(instance.class);
        let mut known = instance.known.iter();
        let mut bound = Vec::new();
        for (index, variable) in class.variables.iter().enumerate().filter(|(_, one)| one.role == Role::Known) {
            let own: Vec<_> = known.by_ref().take(variable.len()).collect();
            if self.stays(instance.class, VariableId::from_index(index)) {
                bound.extend(own.into_iter().map(|known| known.map(|rebec| maps.rebec(rebec))));
            }
        }
        assert!(known.next().is_none(), "every binding is of a known rebec");
        let member = match self.pruned.dialect {
            Dialect::Rebeca20 => class.server("initial").map(Member::Server),
            Dialect::Rebeca21 => class.constructor.as_ref().map(|_| Member::Constructor),
        };
        let body = member.map(|member| BodyRef { class: instance.class, member });
        let body = body.filter(|&body| self.kept.member(body));
        let arguments = instance
            .arguments
            .iter()
            .enumerate()
            .filter(|&(index, _)| body.is_some_and(|body| self.parameter(body, index)));
        let arguments = arguments.map(|(_, values)| values.iter().map(|&value| maps.value(value)).collect()).collect();
        Instance { class: maps.class(instance.class), known: bound, arguments, ..instance.clone() }
    }
}

fn kept_of<T: Clone, I>(from: &[T], stays: &[Option<I>]) -> Vec<T> {
    assert_eq!(from.len(), stays.len(), "every part stays or is removed");
    from.iter().zip(stays).filter(|(_, stays)| stays.is_some()).map(|(one, _)| one.clone()).collect()
}

/// The classes that some `new` creates, ascending.
fn made(model: &mut Model) -> Vec<ClassId> {
    struct Made(BTreeSet<ClassId>);
    impl Mutator for Made {
        fn statement(&mut self, statement: &mut Stmt) {
            if let Some(Rvalue::New { class, .. }) = statement.value() {
                self.0.insert(*class);
            }
        }
    }
    let mut made = Made(BTreeSet::new());
    bodies_mut(model).for_each(|body| mutate::block(&mut body.block, &mut made));
    made.0.into_iter().collect()
}

fn bodies_mut(model: &mut Model) -> impl Iterator<Item = &mut Body> {
    model.classes.iter_mut().flat_map(|class| {
        let servers = class.servers.iter_mut().map(|server| &mut server.body);
        let methods = class.methods.iter_mut().map(|method| &mut method.body);
        servers.chain(methods).chain(class.constructor.iter_mut().map(|constructor| &mut constructor.body))
    })
}

/// Finds the targets of all sends again.
fn targets(model: &mut Model) {
    struct Sends(BTreeMap<String, Vec<(Option<ServerId>, usize)>>, usize);
    impl Mutator for Sends {
        fn statement(&mut self, statement: &mut Stmt) {
            if let StmtKind::Send { message, arguments, targets, .. } = &mut statement.kind {
                let found = self.0.get(message).cloned().unwrap_or_else(|| vec![(None, 0); self.1]);
                let fits = |(server, count): (Option<ServerId>, usize)| server.filter(|_| count == arguments.len());
                *targets = found.into_iter().map(fits).collect();
            }
        }
    }
    let mut table: BTreeMap<String, Vec<(Option<ServerId>, usize)>> = BTreeMap::new();
    for (index, class) in model.classes.iter().enumerate() {
        for (server, found) in class.servers.iter().enumerate() {
            let row = table.entry(found.name.clone()).or_insert_with(|| vec![(None, 0); model.classes.len()]);
            row[index] = (Some(ServerId::from_index(server)), found.body.parameters as usize);
        }
    }
    let mut sends = Sends(table, model.classes.len());
    bodies_mut(model).for_each(|body| mutate::block(&mut body.block, &mut sends));
}
