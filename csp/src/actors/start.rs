//! [`Start`]: the initial states, split into the starts of single rebecs where they are a product.
//!
//! With dialect 2.0 a rebec starts with its first values and `initial` in its queue, for each choice of arguments. With
//! dialect 2.1 the reference interpreter lists the initial states. If these are all combinations of the starts of
//! single rebecs and features, only the single starts are kept. Rebecs that constructors create bear the identities
//! that the constructors give them.

use std::collections::BTreeSet;

use frontend::interpret::{Bounds, State, Stop, starts};
use frontend::model::{Dialect, Model, RebecId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::rebecs;

/// The most initial states, or combinations of arguments of one rebec.
const MAX_STARTS: usize = 20_000;

/// The most initial states that are not a product.
const MAX_STATES: usize = 256;

/// A model, or an indispensable part of it, cannot be represented, for this reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge(pub &'static str);

/// A queued message.
pub use frontend::interpret::Message;

/// One possible start of a rebec.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalStart {
    /// The rebec.
    pub rebec: RebecId,
    /// Its variables.
    pub values: Vec<Value>,
    /// Its queue.
    pub queue: Vec<Message>,
}

/// An initial state: the features, and for each rebec that exists the number of its start.
pub type StartState = (Vec<bool>, Vec<Option<usize>>);

/// The initial states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// For each rebec its possible starts: the rebecs of `main`, then those that constructors create.
    pub locals: Vec<Vec<LocalStart>>,
    /// The initial states, if they are not all combinations of the local starts.
    pub states: Option<Vec<StartState>>,
}

/// The initial states of a model.
pub(super) fn start(model: &Model) -> Result<Start, TooLarge> {
    match model.dialect {
        Dialect::Rebeca20 => queued(model),
        Dialect::Rebeca21 => constructed(model),
    }
}

fn queued(model: &Model) -> Result<Start, TooLarge> {
    let mut locals = Vec::new();
    for rebec in rebecs(model) {
        let instance = &model.instances[rebec.index()];
        let class = model.class(instance.class);
        let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
        for values in &instance.arguments {
            let longer =
                lists.iter().flat_map(|list| values.iter().map(|&value| list.iter().copied().chain([value]).collect()));
            lists = longer.collect();
            if lists.len() > MAX_STARTS {
                return Err(TooLarge("there are too many initial states"));
            }
        }
        let values = class.initial_values(&instance.known);
        assert!(!lists.is_empty() && values.len() == class.elements(), "a rebec starts with every variable");
        let local = |arguments| LocalStart {
            rebec,
            values: values.clone(),
            queue: class
                .server("initial")
                .map(|server| Message { server, sender: rebec, arguments })
                .into_iter()
                .collect(),
        };
        locals.push(lists.into_iter().map(local).collect());
    }
    Ok(Start { locals, states: None })
}

fn constructed(model: &Model) -> Result<Start, TooLarge> {
    let mut found: FxHashSet<State> = FxHashSet::default();
    let mut states = Vec::new();
    for (count, start) in starts(model, &Bounds::default()).enumerate() {
        if count == MAX_STARTS {
            return Err(TooLarge("there are too many initial states"));
        }
        match start.result {
            Ok(state) => {
                if found.insert(state.clone()) {
                    states.push(state);
                }
            }
            Err((_, Stop::Fault(_))) => {}
            Err((_, Stop::Limit(_))) => return Err(TooLarge("a constructor meets a limit")),
        }
    }
    let all: BTreeSet<RebecId> = states.iter().flat_map(State::identities).collect();
    let mut locals: Vec<Vec<LocalStart>> = vec![Vec::new(); all.len()];
    let mut numbers: FxHashMap<LocalStart, usize> = FxHashMap::default();
    let mut listed = Vec::new();
    for state in states {
        let mut own = Vec::new();
        for (list, &rebec) in locals.iter_mut().zip(&all) {
            let Some(held) = state.rebec(rebec) else {
                own.push(None);
                continue;
            };
            let (values, queue) = (held.values.clone(), held.queue.iter().cloned().collect());
            let local = LocalStart { rebec, values, queue };
            let number = *numbers.entry(local.clone()).or_insert(list.len());
            if number == list.len() {
                list.push(local);
            }
            own.push(Some(number));
        }
        listed.push((state.features, own));
    }
    if listed.is_empty() {
        return Err(TooLarge("there is no initial state"));
    }
    let features = 1usize.checked_shl(u32::try_from(model.features.len()).unwrap_or(u32::MAX));
    assert!(locals.iter().all(|list| !list.is_empty()), "every rebec has a way to start");
    let product = locals.iter().try_fold(features.unwrap_or(usize::MAX), |count, list| count.checked_mul(list.len()));
    let is_everywhere = listed.iter().all(|(_, own)| own.iter().all(Option::is_some));
    if is_everywhere && product == Some(listed.len()) {
        return Ok(Start { locals, states: None });
    }
    if listed.len() > MAX_STATES {
        return Err(TooLarge("there are too many initial states that depend on each other"));
    }
    Ok(Start { locals, states: Some(listed) })
}
