//! Runs of a slice mapped back to the original: the search fills in the steps of the removed parts.
//!
//! The view of the slice on a state of the original consists of the rebecs that stay, the variables whose values are
//! exact, and the messages to servers that stay with the arguments that stay. The search looks for a run of the
//! original whose view is the run of the slice; steps that do not change the view may occur anywhere. For exact slices
//! the first attempt serves only messages that block the next step. If this attempt fails, and always for runs of
//! over-approximations, the search is breadth-first.
//!
//! Soundness: only runs of the reference semantics on the original are returned, and the goal is checked on the last
//! state of the original. `Spurious` is returned only after a complete search.
//!
//! Complexity: at most `budget` states of the original are expanded.

use std::collections::{HashMap, VecDeque};

use frontend::interpret::trace::{Trace, replay};
use frontend::interpret::{Bounds, Fault, FaultClass, State, Stop, starts, step_results};
use frontend::model::{ClassId, Model, RebecId, Value};

use crate::reduce::Slice;
use crate::refine::Original;

/// The goal of a run at its end.
pub enum Goal<'a> {
    /// A state of the original for which the function returns true.
    State(&'a dyn Fn(&State) -> bool),
    /// A deadlock.
    Deadlock,
    /// A step that ends in a fault of this class.
    Fault(FaultClass),
}

/// The result of lifting a run of the slice.
#[derive(Debug)]
pub enum Lifted {
    /// A run of the original, replayed by the reference semantics.
    Run(Box<Trace>),
    /// The original has no such run.
    Spurious {
        /// The number of steps of the slice's run that the original can follow.
        followed: usize,
    },
    /// The budget or the time ended first.
    Unknown,
}

/// The view of the slice on a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct View {
    features: Vec<bool>,
    pub(crate) rebecs: Vec<Option<ShownRebec>>,
}

/// A rebec as the slice has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ShownRebec {
    pub(crate) values: Vec<Value>,
    pub(crate) queue: Vec<ShownMessage>,
}

/// A message as the slice has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ShownMessage {
    pub(crate) server: usize,
    pub(crate) sender: RebecId,
    pub(crate) arguments: Vec<Value>,
}

/// A node of the search: a state of the original that shows the first `index` states of the run.
struct Found {
    state: State,
    index: usize,
    from: Option<usize>,
}

/// Searches for a run of the original whose view is `trace` and that reaches the goal at its end.
pub fn lift(original: &Original<'_>, slice: &Slice, trace: &Trace, goal: &Goal<'_>) -> Lifted {
    let &Original { model, bounds, budget, is_over, .. } = original;
    let views: Vec<View> = trace.states().map(|state| slice.seen(state)).collect();
    if views.is_empty() || trace.cycle_from.is_some() {
        return Lifted::Unknown;
    }
    let mut search =
        Search { model, bounds, slice, views, found: Vec::new(), seen: HashMap::new(), open: VecDeque::new() };
    search.start();
    let mut followed = 0;
    let mut expanded = 0;
    while let Some(number) = search.open.pop_front() {
        followed = followed.max(search.found[number].index);
        if let Some(trace) = search.reaches(number, goal) {
            return Lifted::Run(Box::new(trace));
        }
        expanded += 1;
        if expanded > budget || is_over() {
            return Lifted::Unknown;
        }
        search.expand(number);
    }
    Lifted::Spurious { followed }
}

struct Search<'a> {
    model: &'a Model,
    bounds: &'a Bounds,
    slice: &'a Slice,
    views: Vec<View>,
    found: Vec<Found>,
    seen: HashMap<(State, usize), ()>,
    open: VecDeque<usize>,
}

impl Search<'_> {
    fn start(&mut self) {
        let model = self.model;
        for start in starts(model, self.bounds).take(10_000) {
            if let Ok(state) = start.result
                && self.slice.view(model, &state) == self.views[0]
            {
                self.add(state, 0, None);
            }
        }
    }

    fn add(&mut self, state: State, index: usize, from: Option<usize>) {
        if self.seen.insert((state.clone(), index), ()).is_none() {
            let number = self.found.len();
            self.found.push(Found { state, index, from });
            // Nodes that follow the run are examined first; the others only if these are exhausted.
            match from {
                Some(from) if self.found[from].index < index => self.open.push_front(number),
                Some(_) if index + 1 == self.views.len() => self.open.push_front(number),
                _ => self.open.push_back(number),
            }
        }
    }

    fn expand(&mut self, number: usize) {
        let Found { state, index, .. } = &self.found[number];
        let (state, index) = (state.clone(), *index);
        for rebec in state.enabled() {
            for step in step_results(self.model, self.bounds, &state, rebec) {
                let Ok(next) = step.result else { continue };
                let view = self.slice.view(self.model, &next);
                if view == self.views[index] {
                    self.add(next.clone(), index, Some(number));
                }
                if self.views.get(index + 1) == Some(&view) {
                    self.add(next, index + 1, Some(number));
                }
            }
        }
    }

    /// The run to a node, if it reaches the goal.
    fn reaches(&self, number: usize, goal: &Goal<'_>) -> Option<Trace> {
        let Found { state, index, .. } = &self.found[number];
        if index + 1 != self.views.len() {
            return None;
        }
        let last = match goal {
            Goal::State(shows) if shows(state) => None,
            Goal::Deadlock if state.is_deadlock() => None,
            Goal::Fault(class) => Some(fault_at(self.model, self.bounds, state, *class)?),
            _ => return None,
        };
        let mut states = vec![state.clone()];
        let mut at = number;
        while let Some(from) = self.found[at].from {
            states.push(self.found[from].state.clone());
            at = from;
        }
        states.reverse();
        assert!(self.slice.view(self.model, &states[0]) == self.views[0], "a run begins where that of the slice does");
        assert!(
            self.found[at].index == 0 && states.len() >= self.views.len(),
            "it shows every state of the slice's run"
        );
        replay(self.model, self.bounds, &states, last.as_ref().map(|(rebec, fault)| (*rebec, fault))).ok()
    }
}

/// A fault of a class in a step from a state, and the rebec that takes the step.
pub(crate) fn fault_at(model: &Model, bounds: &Bounds, state: &State, class: FaultClass) -> Option<(RebecId, Fault)> {
    state.enabled().find_map(|rebec| {
        step_results(model, bounds, state, rebec).into_iter().find_map(|step| match step.result {
            Err(Stop::Fault(fault)) if fault.kind.class() == class => Some((rebec, fault)),
            _ => None,
        })
    })
}

impl Slice {
    /// The view of the slice on a state of the original.
    pub(crate) fn view(&self, model: &Model, state: &State) -> View {
        debug_assert_eq!(state.features.len(), self.maps.features.len(), "every feature stays or is removed");
        let features = state.features.iter().zip(&self.maps.features).filter(|(_, map)| map.is_some());
        let mut rebecs = Vec::new();
        for id in state.identities() {
            let Some(new) = self.image(model, id) else { continue };
            if rebecs.len() <= new.index() {
                rebecs.resize(new.index() + 1, None);
            }
            rebecs[new.index()] = state.rebec(id).map(|rebec| {
                let class = model.class_of(id);
                let exact = self.elements(model, class);
                let values = exact.map(|element| self.value(model, rebec.values[element])).collect();
                let queue = rebec.queue.iter().filter_map(|message| {
                    let server = self.maps.servers[class.index()][message.server.index()]?;
                    let stays = &self.maps.parameters[class.index()][message.server.index()];
                    debug_assert_eq!(stays.len(), message.arguments.len(), "every argument stays or is removed");
                    let arguments = message.arguments.iter().zip(stays).filter(|(_, stays)| **stays);
                    let arguments = arguments.map(|(value, _)| self.value(model, *value)).collect();
                    let sender = self.image(model, message.sender).unwrap_or(message.sender);
                    Some(ShownMessage { server: server.index(), sender, arguments })
                });
                ShownRebec { values, queue: queue.collect() }
            });
        }
        View { features: features.map(|(value, _)| *value).collect(), rebecs }
    }

    /// The elements of a rebec of the original that the slice keeps with the same values.
    pub(crate) fn elements(&self, model: &Model, class: ClassId) -> impl Iterator<Item = usize> {
        let variables = model.class(class).variables.iter().enumerate();
        let stays = variables.filter(move |&(index, _)| self.is_seen(class, index));
        stays.flat_map(|(_, variable)| variable.elements()).collect::<Vec<_>>().into_iter()
    }

    fn is_seen(&self, class: ClassId, variable: usize) -> bool {
        self.exact[class.index()][variable] && self.maps.variables[class.index()][variable].is_some()
    }

    /// A state of the slice, as a view.
    pub(crate) fn seen(&self, state: &State) -> View {
        let rebecs = state.rebecs.iter().enumerate().map(|(index, rebec)| {
            let rebec = rebec.as_ref()?;
            let class = self.model.class_of(RebecId::from_index(index));
            let original = self.maps.classes.iter().position(|map| *map == Some(class))?;
            let stays: Vec<usize> = (0..self.exact[original].len())
                .filter(|&variable| self.is_seen(ClassId::from_index(original), variable))
                .filter_map(|variable| self.maps.variables[original][variable])
                .flat_map(|id| self.model.class(class).variables[id.index()].elements())
                .collect();
            let values = stays.into_iter().map(|element| rebec.values[element]).collect();
            let queue = rebec.queue.iter().map(|message| ShownMessage {
                server: message.server.index(),
                sender: message.sender,
                arguments: message.arguments.clone(),
            });
            Some(ShownRebec { values, queue: queue.collect() })
        });
        View { features: state.features.clone(), rebecs: rebecs.collect() }
    }

    /// The rebec of `main` of the original that corresponds to a rebec of the slice.
    pub(crate) fn original(&self, rebec: RebecId) -> Option<RebecId> {
        self.maps.rebecs.iter().position(|map| *map == Some(rebec)).map(RebecId::from_index)
    }

    /// The rebec of the slice that corresponds to a rebec of the original.
    pub(crate) fn image(&self, model: &Model, rebec: RebecId) -> Option<RebecId> {
        match model.ordinal(rebec) {
            None => self.maps.rebecs[rebec.index()],
            Some(ordinal) => {
                let class = self.maps.classes[model.class_of(rebec).index()]?;
                self.model.creatable.contains(&class).then(|| self.model.created(class, ordinal))
            }
        }
    }

    pub(crate) fn value(&self, model: &Model, value: Value) -> Value {
        match value {
            // The identity of a removed rebec is irrelevant: no part that stays refers to it.
            Value::Rebec(rebec) => self.image(model, rebec).map_or(value, Value::Rebec),
            other => other,
        }
    }
}
