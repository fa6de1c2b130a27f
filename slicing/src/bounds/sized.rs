//! Queues as long as they get: the model with each queue declared no longer than its proved bound.
//!
//! Soundness: a queue that never holds more than its bound never refuses a message, whether it is declared that long or longer; so
//! both models have the same states and the same steps. A queue without a proved bound, or with one that is too short, stays as it is.

use frontend::model::{ClassId, Model};

use super::{QueueBound, RebecBound, bounds};

/// A class whose queues are declared longer than they get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shorter {
    /// The class.
    pub class: ClassId,
    /// What the text declares.
    pub declared: u32,
    /// The most messages that a queue of the class holds; at least 1.
    pub enough: u32,
}

/// The classes whose queues are declared longer than these bounds say that they get.
pub fn shorter(model: &Model, bounds: &[RebecBound]) -> Vec<Shorter> {
    let of_class = |index: usize| {
        let class = ClassId::from_index(index);
        let mut own = bounds.iter().filter(|bound| model.class_of(bound.rebec) == class).peekable();
        own.peek()?;
        let most = own.map(|bound| match bound.bound {
            QueueBound::AtMost(most) => u32::try_from(most).ok(),
            QueueBound::Unbounded(_) | QueueBound::Unknown => None,
        });
        let enough = most.collect::<Option<Vec<u32>>>()?.into_iter().max()?.max(1);
        let declared = model.class(class).queue_bound;
        (enough < declared).then_some(Shorter { class, declared, enough })
    };
    (0..model.classes.len()).filter_map(of_class).collect()
}

/// The model with queues as long as they get, and what is shorter; nothing if nothing is.
pub fn sized(model: &Model) -> Option<(Model, Vec<Shorter>)> {
    let shorter = shorter(model, &bounds(model)?);
    if shorter.is_empty() {
        return None;
    }
    let mut sized = model.clone();
    for one in &shorter {
        sized.classes[one.class.index()].queue_bound = one.enough;
    }
    Some((sized, shorter))
}
