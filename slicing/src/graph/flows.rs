//! Data edges: within a body, and from body to body through state variables.

use frontend::model::{Dialect, LocalId, Role, Rvalue, StmtKind, VariableId};

use super::build::Builder;
use super::{BodyRef, Dependence, Key, Member, variable_key};
use crate::analysis::bodies::{all, bodies};
use crate::analysis::flow::{Definition, PurposeKey, Reached, Switches, flow};
use crate::analysis::reads::{Name, assigned, called, operands, reads, touched};

/// Adds the data edges of a body.
pub(super) fn add(builder: &mut Builder<'_>, body: BodyRef, switches: Switches) {
    let model = builder.out.model;
    let class = model.class(body.class);
    let whole = body.of(model);
    let touched = touched(class);
    let mut entry = Reached::new();
    for local in 0..whole.parameters().len() {
        entry.entry(Name::Local(LocalId::from_index(local))).or_default().insert(Definition::Entry);
    }
    // A body that runs once and first sees initial values only: no other server has run.
    if !runs_first(builder, body) {
        for (index, variable) in class.variables.iter().enumerate() {
            if variable.role == Role::State {
                entry.entry(Name::Variable(VariableId::from_index(index))).or_default().insert(Definition::Entry);
            }
        }
    }
    let found = flow(&whole.block, entry, &touched, switches);
    let chosen = choices(body, builder);
    for one in &found.uses {
        let from = match (one.definition, one.name) {
            (Definition::Statement(number), _) => Key::Statement(body, number),
            (Definition::Entry, Name::Local(local)) => Key::Formal(body, local.index()),
            (Definition::Entry, Name::Variable(id)) => variable_key(model, body.class, id),
        };
        let dependence = match (one.purpose, one.definition, one.name) {
            (PurposeKey::Receiver, ..) => Dependence::Target,
            (PurposeKey::Assertion, ..) => Dependence::Assertion,
            (_, Definition::Entry, Name::Variable(_)) => Dependence::IntraRebec,
            (_, Definition::Statement(number), _) if chosen.contains(&number) => Dependence::Choice,
            _ => Dependence::Data,
        };
        let to = match one.purpose {
            PurposeKey::Argument(index) => Key::Actual(body, one.statement, index),
            _ => Key::Statement(body, one.statement),
        };
        builder.edge(from, to, dependence);
    }
    if body.is_method() {
        return whole_method(builder, body);
    }
    for (name, definitions) in &found.exit {
        let Name::Variable(id) = name else { continue };
        for definition in definitions {
            if let Definition::Statement(number) = definition {
                let to = variable_key(model, body.class, *id);
                builder.edge(Key::Statement(body, *number), to, Dependence::IntraRebec);
            }
        }
    }
}

/// Whether a body runs at most once in each rebec, before all others of it.
fn runs_first(builder: &Builder<'_>, body: BodyRef) -> bool {
    let model = builder.out.model;
    match body.member {
        Member::Constructor => true,
        Member::Method(_) => false,
        Member::Server(server) => {
            let is_initial = model.class(body.class).servers[server.index()].name == "initial";
            is_initial && model.dialect == Dialect::Rebeca20 && !sends_initial(builder)
        }
    }
}

fn sends_initial(builder: &Builder<'_>) -> bool {
    let model = builder.out.model;
    bodies(model).into_iter().any(|body| {
        let mut found = false;
        all(0, &body.of(model).block, &mut |_, statement| {
            found |= matches!(&statement.kind, StmtKind::Send { message, .. } if message == "initial");
        });
        found
    })
}

/// The statements whose value is chosen.
fn choices(body: BodyRef, builder: &Builder<'_>) -> Vec<usize> {
    let mut chosen = Vec::new();
    all(0, &body.of(builder.out.model).block, &mut |number, statement| {
        if matches!(statement.value(), Some(Rvalue::Choose(_))) {
            chosen.push(number);
        }
    });
    chosen
}

/// A method depends on every state variable that it mentions; the caller has the definitions in between.
fn whole_method(builder: &mut Builder<'_>, body: BodyRef) {
    let model = builder.out.model;
    all(0, &body.of(model).block, &mut |number, statement| {
        let mut names = Vec::new();
        operands(statement).into_iter().for_each(|(expr, _)| reads(expr, &mut names));
        for name in names {
            if let Name::Variable(id) = name {
                let from = variable_key(model, body.class, id);
                builder.edge(from, Key::Statement(body, number), Dependence::IntraRebec);
            }
        }
        if let Some((Name::Variable(id), _)) = assigned(statement) {
            builder.edge(Key::Statement(body, number), variable_key(model, body.class, id), Dependence::IntraRebec);
        }
        debug_assert!(called(statement).is_none_or(|method| method.index() < model.class(body.class).methods.len()));
    });
}
