//! The order of local states in which the heuristic of \[Jag10\] 5.1.1 sorts rebecs.
//!
//! Variables are compared first, in the order of the text, then queues: for a message whether another rebec sent it,
//! its arguments, its name. Rebecs among the arguments do not count.
//!
//! A variable that was never assigned is undefined, and comes after all values. Our states do not show this, since
//! variables have their defaults from the start (`docs/semantics.md`), so it is derived from the local state: all
//! variables are undefined as long as `initial` waits; later the variables to which `initial` assigns are defined,
//! and the others are undefined together, as long as all of them have their start values. In the two-phase commit of
//! the paper, where `initial` assigns nothing and the server that opens a transaction assigns everything, this
//! derivation is exact, and it gives the 208,608 states of the paper for three nodes.
//!
//! Soundness: any order is sound. The order chooses the permutation that is applied to a state, and each permutation
//! is in the group.
//!
//! Source: \[Jag10\] 5.1.1, the order of undefined values by its figures.

use frontend::interpret::{Message, Rebec};
use frontend::model::{Class, Dialect, Model, RebecId, Role, Value, Variable};

use crate::partial_order::assigns;

/// A value as numbers in the order of values.
type Code = (u8, i64);

/// A variable that was never assigned: after all values.
const UNDEFINED: Code = (4, 0);

/// A message in a queue: whether another rebec sent it, its arguments, its name.
type Queued = (bool, Vec<Code>, String);

/// The compared part of a local state: variables, then queue.
pub(super) type Rank = (Vec<Code>, Vec<Queued>);

/// The compared parts of rebecs, by class.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    kinds: Vec<Kind>,
}

/// The state variables of a class, element by element.
#[derive(Clone, Debug, Default)]
struct Kind {
    /// The place of each element, its start value, and whether nothing assigns to it while the rebec starts.
    elements: Vec<(usize, Value, bool)>,
}

impl Ranks {
    /// The variables of the classes of a model.
    pub(super) fn new(model: &Model) -> Ranks {
        Ranks { kinds: model.classes.iter().map(|class| Kind::new(class, model.dialect)).collect() }
    }

    /// The compared part of a local state of a rebec.
    pub(super) fn of(&self, model: &Model, owner: RebecId, rebec: &Rebec) -> Rank {
        let class = model.class_of(owner);
        let elements = &self.kinds[class.index()].elements;
        let class = model.class(class);
        debug_assert_eq!(rebec.values.len(), class.elements(), "a rebec has every variable");
        let name = |message: &Message| &class.servers[message.server.index()].name;
        let waits = model.dialect == Dialect::Rebeca20 && rebec.queue.iter().any(|message| name(message) == "initial");
        let has_start = |&(element, start, _): &(usize, Value, bool)| rebec.values[element] == start;
        let is_fresh = elements.iter().filter(|(_, _, is_open)| *is_open).all(has_start);
        let variable = |&(element, _, is_open): &(usize, Value, bool)| {
            if waits || is_open && is_fresh { UNDEFINED } else { code(rebec.values[element]) }
        };
        let message = |message: &Message| {
            let arguments = message.arguments.iter().map(|&argument| blank(code(argument)));
            (message.sender != owner, arguments.collect(), name(message).clone())
        };
        (elements.iter().map(variable).collect(), rebec.queue.iter().map(message).collect())
    }
}

impl Kind {
    fn new(class: &Class, dialect: Dialect) -> Kind {
        let first = match dialect {
            Dialect::Rebeca20 => class.server("initial").map(|server| &class.servers[server.index()].body),
            Dialect::Rebeca21 => class.constructor.as_ref().map(|constructor| &constructor.body),
        };
        let is_open = |variable: &Variable| first.is_none_or(|body| !assigns(class, &body.block, variable));
        let states = class.variables.iter().filter(|variable| variable.role == Role::State);
        let elements = states.flat_map(|variable| {
            let is_open = is_open(variable);
            assert_eq!(variable.elements().len(), variable.initial.len(), "each element has its first value");
            variable.elements().zip(&variable.initial).map(move |(element, &start)| (element, start, is_open))
        });
        Kind { elements: elements.collect() }
    }
}

/// A value as numbers in the order of values.
fn code(value: Value) -> Code {
    match value {
        Value::Undefined => UNDEFINED,
        Value::Null => (1, 0),
        Value::Bool(value) => (2, i64::from(value)),
        Value::Int(value) | Value::Scalar(value) => (2, i64::from(value)),
        Value::Rebec(rebec) => (3, i64::from(rebec.0)),
    }
}

/// Blanks a rebec.
fn blank(code: Code) -> Code {
    if code.0 == 3 { (3, 0) } else { code }
}
