//! The check that a permutation maps initial states to initial states.
//!
//! With dialect 2.0 an initial state is a choice of arguments; a permutation that keeps known rebecs, arguments and first values (see
//! `topology.rs`) keeps the initial states. With dialect 2.1 the constructors run in the order of `main`. If none of them sends to
//! another rebec or creates one, each changes only its own rebec and their order does not matter: they are bodies like any other.
//! Otherwise the order shows in the queues, and the check lists and compares all initial states.
//!
//! An injection of a finite set into itself is a bijection. Starts that fault are no states; every exploration examines all starts, so no
//! reduction can hide them.
//!
//! Complexity: at most [`MAX_STARTS_COMPARED`] starts are listed, once per model.

use frontend::interpret::{Bounds, State, Stop, starts};
use frontend::model::{Dialect, ExprKind, Model, Rvalue, StmtKind};
use rustc_hash::FxHashSet;

use super::Rejection;
use super::bodies::{any_statement, bodies};
use crate::permutation::ModelPermutation;

/// The most starts that are compared. The check gives up on a model with more starts whose constructors send.
pub(super) const MAX_STARTS_COMPARED: usize = 20_000;

/// The initial states of a model, as far as they have to be compared.
pub(super) struct Start<'m> {
    model: &'m Model,
    /// Whether the constructors have to be run.
    ordered: bool,
    states: Option<Result<FxHashSet<State>, Rejection>>,
}

impl<'m> Start<'m> {
    pub(super) fn new(model: &'m Model) -> Start<'m> {
        Start { model, ordered: is_ordered(model), states: None }
    }

    pub(super) fn check(&mut self, permutation: &ModelPermutation) -> Result<(), Rejection> {
        if !self.ordered {
            return Ok(());
        }
        let model = self.model;
        let states = match self.states.get_or_insert_with(|| list(model)) {
            Ok(states) => states,
            Err(rejection) => return Err(rejection.clone()),
        };
        if states.iter().all(|state| states.contains(&permutation.apply(model, state))) {
            return Ok(());
        }
        Err(Rejection::InitialStates("the constructors leave a state whose image is no initial state".to_owned()))
    }
}

/// Whether the order of the constructors may show.
fn is_ordered(model: &Model) -> bool {
    if model.dialect == Dialect::Rebeca20 {
        return false;
    }
    let constructed = model.instances.iter().map(|instance| model.class(instance.class));
    constructed.filter(|class| class.constructor.is_some()).any(|class| {
        let calls = class.constructor.iter().any(|constructor| {
            any_statement(&constructor.body.block, &mut |statement| {
                statement.value().is_some_and(|value| matches!(value, Rvalue::Call { .. }))
            })
        });
        let run = bodies(class).filter(|body| body.is_constructor || (calls && body.is_method));
        let mut run = run.map(|body| &body.body.block);
        run.any(|block| {
            any_statement(block, &mut |statement| match &statement.kind {
                StmtKind::Send { receiver, .. } => receiver.kind != ExprKind::SelfRef,
                _ => statement.value().is_some_and(|value| matches!(value, Rvalue::New { .. })),
            })
        })
    })
}

fn list(model: &Model) -> Result<FxHashSet<State>, Rejection> {
    let mut states = FxHashSet::default();
    for (count, start) in starts(model, &Bounds::default()).enumerate() {
        if count == MAX_STARTS_COMPARED {
            let reason = format!("more than {MAX_STARTS_COMPARED} ways to start, with constructors that send");
            return Err(Rejection::InitialStates(reason));
        }
        match start.result {
            Ok(state) => {
                states.insert(state);
            }
            Err((_, Stop::Fault(_))) => {}
            Err((_, Stop::Limit(_))) => {
                return Err(Rejection::InitialStates("a constructor met a limit".to_owned()));
            }
        }
    }
    Ok(states)
}
