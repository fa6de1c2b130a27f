//! Serves one message: every branch of every choice, in order.
//!
//! A body is run once for each sequence of decisions, depth first and first option first. A run follows the given
//! decisions and takes the first option of every choice after them; the next run changes the last decision that has an
//! option left. The result depends only on the variables of the rebec and the message, and on the heap if the body may
//! create rebecs (see [`may_create`]): callers may cache it.
//!
//! Complexity: the sum of the lengths of all paths, at most [`Bounds::max_work`](super::Bounds::max_work) statements.

use super::run::{Entry, Run};
use super::trace::Choice;
use super::{Bounds, ExecutionLimit, Fault, FaultKind, Heap, Message, Stop};
use crate::model::{Block, Class, ClassId, Model, RebecId, Rvalue, ServerId, Stmt, Value};
use crate::parts::Mark;
use crate::source::Span;

/// The greatest number of choices, effects and values that all branches of one activation may hold together; past it
/// the activation ends in [`ExecutionLimit::Work`].
const MAX_STORED: usize = 1 << 22;

/// A message that is about to be served.
#[derive(Clone, Copy, Debug)]
pub struct Activation<'a> {
    /// The model.
    pub model: &'a Model,
    /// Bounds on the step.
    pub bounds: &'a Bounds,
    /// The values of the feature variables.
    pub features: &'a [bool],
    /// The serving rebec.
    pub rebec: RebecId,
    /// Its variables.
    pub values: &'a [Value],
    /// The numbers of rebecs created so far; read only if the server may create rebecs.
    pub heap: &'a Heap,
    /// The message, already taken from the queue.
    pub message: &'a Message,
}

/// An effect of a body on other rebecs, or on the queue of its own rebec.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Puts a message at the end of a queue.
    Send {
        /// The owner of the queue.
        receiver: RebecId,
        /// The message.
        message: Message,
        /// The statement that sends.
        span: Span,
    },
    /// A new rebec with an empty queue.
    Create {
        /// Its identity.
        rebec: RebecId,
        /// Its variables, after its constructor if it has one.
        values: Vec<Value>,
    },
}

/// One branch of an activation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The variables of the rebec afterwards.
    pub values: Vec<Value>,
    /// The effects on others, in order; with a stop, those before it.
    pub effects: Vec<Effect>,
    /// The choices that were made, in order.
    pub choices: Vec<Choice>,
    /// The reason why the branch has no successor, if it has none. An effect that overflows a queue comes before it.
    pub stop: Option<Stop>,
}

/// The branches of an activation, and what ran in any of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Served {
    /// The branches.
    pub outcomes: Vec<Outcome>,
    /// The ways that control took, each once.
    pub marks: Vec<Mark>,
}

/// Serves one message: all branches, in choice order, not deduplicated. A server that may exceed the step bound or the
/// bound on calls gives one outcome, which is [`FaultKind::Endless`] or [`FaultKind::TooDeep`]. A server with too many
/// branches gives one outcome, which is [`ExecutionLimit::Work`].
///
/// # Panics
/// If the model is not verified or the activation does not belong to it.
pub fn outcomes(activation: &Activation<'_>) -> Vec<Outcome> {
    serve(activation).outcomes
}

/// Serves one message, as [`outcomes`].
///
/// # Panics
/// As [`outcomes`].
pub fn serve(activation: &Activation<'_>) -> Served {
    let class = activation.model.class(activation.model.class_of(activation.rebec));
    debug_assert_eq!(activation.values.len(), class.elements(), "a rebec has every variable");
    let entry = Entry {
        model: activation.model,
        bounds: activation.bounds,
        features: activation.features,
        heap: activation.heap,
        rebec: activation.rebec,
        values: activation.values,
        body: &class.servers[activation.message.server.index()].body,
        sender: activation.message.sender,
        arguments: &activation.message.arguments,
    };
    let mut run = Run::new(&entry);
    let outcomes = all(&mut run);
    Served { outcomes, marks: run.marks }
}

/// All branches of a body.
pub(super) fn branches(entry: &Entry<'_>) -> Vec<Outcome> {
    all(&mut Run::new(entry))
}

fn all(run: &mut Run<'_>) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut stored = 0;
    loop {
        let outcome = run.path();
        stored += outcome.values.len() + outcome.choices.len() + 4 * outcome.effects.len();
        match outcome.stop {
            Some(Stop::Fault(Fault { kind: FaultKind::Endless | FaultKind::TooDeep, .. })) => return vec![outcome],
            Some(Stop::Limit(ExecutionLimit::Work)) => return vec![too_much_work(&run.entry)],
            _ if stored > MAX_STORED => return vec![too_much_work(&run.entry)],
            _ => outcomes.push(outcome),
        }
        if !run.advance() {
            return outcomes;
        }
    }
}

fn too_much_work(entry: &Entry<'_>) -> Outcome {
    let stop = Some(Stop::Limit(ExecutionLimit::Work));
    Outcome { values: entry.values.to_vec(), effects: Vec::new(), choices: Vec::new(), stop }
}

/// Whether a server contains `new`, itself or through the methods it calls: its outcomes depend on the heap then.
pub fn may_create(model: &Model, class: ClassId, server: ServerId) -> bool {
    let class = model.class(class);
    let mut seen = vec![false; class.methods.len()];
    block_creates(class, &class.servers[server.index()].body.block, &mut seen)
}

fn block_creates(class: &Class, block: &Block, seen: &mut [bool]) -> bool {
    let mut own = |stmt: &Stmt| stmt.value().is_some_and(|value| creates(class, value, seen));
    block.iter().any(|stmt| stmt.any(&mut own))
}

fn creates(class: &Class, value: &Rvalue, seen: &mut [bool]) -> bool {
    match value {
        Rvalue::New { .. } => true,
        Rvalue::Call { method, .. } if !std::mem::replace(&mut seen[method.index()], true) => {
            block_creates(class, &class.methods[method.index()].body.block, seen)
        }
        Rvalue::Call { .. } | Rvalue::Expr(_) | Rvalue::Choose(_) => false,
    }
}
