//! The names that statements, variables and properties mention: these must stay together with them.

use std::collections::BTreeSet;

use frontend::model::mutate::{self, Mutator};
use frontend::model::{
    Base, Class, ClassId, Dimension, Expr, ExprKind, FeatureId, LocalId, Model, Place, Property, PropertySet, Role,
    Rvalue, ScalarSetId, ServerId, Sort, Stmt, StmtKind, VariableId,
};

use super::keep::{Declared, Kept, declared};
use crate::analysis::bodies::BodyRef;

/// The names that the statements that stay mention.
#[derive(Default)]
pub(crate) struct Mentioned {
    pub(super) variables: BTreeSet<VariableId>,
    pub(super) locals: BTreeSet<LocalId>,
    pub(super) classes: BTreeSet<ClassId>,
    pub(super) sets: BTreeSet<ScalarSetId>,
    pub(super) features: BTreeSet<FeatureId>,
    /// The targets of sends whose receiver may be of any class.
    pub(super) open_sends: Vec<Vec<Option<ServerId>>>,
}

impl Mentioned {
    pub(super) fn sort(&mut self, sort: Sort) {
        match sort {
            Sort::Rebec(class) => self.classes.extend([class]),
            Sort::Scalar(set) => self.sets.extend([set]),
            Sort::Bool | Sort::Int(_) | Sort::AnyRebec => {}
        }
    }

    pub(super) fn shape(&mut self, sort: Sort, dimensions: &[Dimension]) {
        self.sort(sort);
        for dimension in dimensions {
            if let Dimension::Scalar(set) = dimension {
                self.sets.insert(*set);
            }
        }
    }
}

impl Mutator for Mentioned {
    fn statement(&mut self, statement: &mut Stmt) {
        match &statement.kind {
            StmtKind::Let { local, .. } => self.locals.extend([*local]),
            StmtKind::ForEach { local, set, .. } => {
                self.locals.insert(*local);
                self.sets.insert(*set);
            }
            _ => {}
        }
        if let Some(Rvalue::New { class, .. }) = statement.value() {
            self.classes.insert(*class);
        }
        if let StmtKind::Send { receiver, targets, .. } = &statement.kind
            && receiver.sort == Sort::AnyRebec
        {
            self.open_sends.push(targets.clone());
        }
    }

    fn expression(&mut self, expression: &mut Expr) {
        self.sort(expression.sort);
        match &expression.kind {
            ExprKind::Cast(class, _) | ExprKind::InstanceOf(class, _) => self.classes.extend([*class]),
            ExprKind::Feature(feature) => self.features.extend([*feature]),
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        match place.base {
            Base::Variable(id) => self.variables.extend([id]),
            Base::Local(id) => self.locals.extend([id]),
            Base::Remote(..) => {}
        }
    }
}

/// The bodies of a class that stay.
pub(crate) fn kept_bodies(kept: &Kept<'_, '_>, id: ClassId, class: &Class) -> Vec<BodyRef> {
    crate::analysis::bodies::bodies_of(id, class).into_iter().filter(|&body| kept.member(body)).collect()
}

/// The variables that stay, by declaration: those that pruned bodies mention, those that properties mention, and all
/// that a `new` binds.
pub(crate) fn variables(
    kept: &Kept<'_, '_>,
    pruned: &Model,
    mentioned_names: &BTreeSet<Declared>,
) -> BTreeSet<Declared> {
    let mut found = mentioned_names.clone();
    for (index, class) in pruned.classes.iter().enumerate() {
        let id = ClassId::from_index(index);
        for body in kept_bodies(kept, id, class) {
            let mentioned = mentioned(pruned, body);
            found.extend(mentioned.variables.iter().map(|&variable| declared(pruned, id, variable)));
        }
        if pruned.creatable.contains(&id) {
            let known = class.variables.iter().enumerate().filter(|(_, variable)| variable.role == Role::Known);
            found.extend(known.map(|(index, _)| declared(pruned, id, VariableId::from_index(index))));
        }
    }
    introducing(kept, pruned, &mut found);
    found
}

/// Adds the known rebecs whose declarations introduce the scalar sets that are used.
fn introducing(kept: &Kept<'_, '_>, pruned: &Model, found: &mut BTreeSet<Declared>) {
    let mut used = Mentioned::default();
    for (index, class) in pruned.classes.iter().enumerate() {
        for body in kept_bodies(kept, ClassId::from_index(index), class) {
            let own = mentioned(pruned, body);
            used.sets.extend(own.sets);
            body.of(pruned).locals.iter().for_each(|local| used.shape(local.sort, &local.dimensions));
        }
    }
    loop {
        let before = found.len();
        for &(class, id) in found.iter() {
            let variable = &pruned.class(class).variables[id.index()];
            used.shape(variable.sort, &variable.dimensions);
        }
        for &set in &used.sets {
            let class = pruned.scalar_set(set).class;
            let introduces = |variable: &frontend::model::Variable| {
                variable.role == Role::Known
                    && variable.declared_in == class
                    && variable.dimensions.contains(&Dimension::Scalar(set))
            };
            let first = pruned.class(class).variables.iter().position(introduces);
            found.extend(first.map(|index| (class, VariableId::from_index(index))));
        }
        if found.len() == before {
            return;
        }
    }
}

pub(super) fn mentioned(model: &Model, body: BodyRef) -> Mentioned {
    let mut found = Mentioned::default();
    mutate::block(&mut body.of(model).block.clone(), &mut found);
    found
}

pub(super) fn properties_mention(properties: &PropertySet, into: &mut Mentioned) {
    for condition in properties.properties.iter().flat_map(Property::atoms) {
        mutate::expression(&mut condition.clone(), into);
    }
}
