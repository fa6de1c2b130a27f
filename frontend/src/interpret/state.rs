//! Global states: per rebec its variables and its queue of (message, sender, arguments).

use std::collections::VecDeque;

use crate::model::{ClassId, Model, RebecId, ServerId, Value};

/// A queued message.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Message {
    /// The server that takes it, in the receiver's class.
    pub server: ServerId,
    /// The rebec that sent it.
    pub sender: RebecId,
    /// One per parameter of the server.
    pub arguments: Vec<Value>,
}

/// The local state of one rebec.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Rebec {
    /// The elements of all variables of its class, known rebecs included.
    pub values: Vec<Value>,
    /// The queue, oldest message first; never longer than the bound of the class.
    pub queue: VecDeque<Message>,
}

/// A global state.
///
/// Invariants: `features.len() == model.features.len()`; the rebecs of `main` are all there; the last entry of `rebecs` is
/// not `None`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State {
    /// The values of the feature variables.
    pub features: Vec<bool>,
    /// The rebecs by identity; `None` for an identity that no rebec has (yet).
    pub rebecs: Vec<Option<Rebec>>,
}

/// The number of rebecs of each creatable class created so far; it decides the identity of the next one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Heap {
    /// One per class of [`Model::creatable`], in its order.
    pub created: Vec<u32>,
}

impl Heap {
    /// The identity that the next `new` of the class gives.
    pub fn next(&self, model: &Model, class: ClassId) -> RebecId {
        let column = model.creatable.binary_search(&class).expect("a class that some `new` makes");
        model.created(class, self.created[column] as usize)
    }
}

impl State {
    /// Whether the state has the shape of a model: a value for each variable, and queues within their bounds.
    pub(super) fn is_of(&self, model: &Model) -> bool {
        let fits = |(index, rebec): (usize, &Option<Rebec>)| {
            rebec.as_ref().is_none_or(|rebec| {
                let class = model.class(model.class_of(RebecId::from_index(index)));
                rebec.values.len() == class.elements() && rebec.queue.len() <= class.queue_bound as usize
            })
        };
        let is_whole = self.features.len() == model.features.len() && self.rebecs.len() >= model.instances.len();
        is_whole && self.rebecs.iter().enumerate().all(fits)
    }

    /// The rebec of an identity.
    pub fn rebec(&self, id: RebecId) -> Option<&Rebec> {
        self.rebecs.get(id.index()).and_then(Option::as_ref)
    }

    /// The identities of the existing rebecs, ascending.
    pub fn identities(&self) -> impl Iterator<Item = RebecId> + '_ {
        self.rebecs.iter().enumerate().filter(|(_, rebec)| rebec.is_some()).map(|(index, _)| RebecId::from_index(index))
    }

    /// The rebecs with a message in the queue, ascending.
    pub fn enabled(&self) -> impl Iterator<Item = RebecId> + '_ {
        self.identities().filter(|&id| self.rebec(id).is_some_and(|rebec| !rebec.queue.is_empty()))
    }

    /// Whether no rebec has a message.
    pub fn is_deadlock(&self) -> bool {
        self.enabled().next().is_none()
    }

    /// The number of created rebecs of each creatable class.
    pub fn heap(&self, model: &Model) -> Heap {
        let mut created = vec![0; model.creatable.len()];
        for id in self.identities() {
            if model.ordinal(id).is_some() {
                let column = model.creatable.binary_search(&model.class_of(id)).expect("created rebecs are creatable");
                created[column] += 1;
            }
        }
        Heap { created }
    }

    /// Puts a rebec in its place.
    pub fn insert(&mut self, id: RebecId, rebec: Rebec) {
        if self.rebecs.len() <= id.index() {
            self.rebecs.resize(id.index() + 1, None);
        }
        self.rebecs[id.index()] = Some(rebec);
    }
}
