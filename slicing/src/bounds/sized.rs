//! Queues of their greatest length: the model with each queue declared no longer than its proved bound.
//!
//! Soundness: a queue that never holds more messages than its bound never refuses one, whether its declared length
//! equals the bound or is greater; so both models have the same states and the same steps. A queue without a proved
//! bound, or with a declared length below it, stays unchanged.

use frontend::model::{ClassId, Model};

use super::{QueueBound, RebecBound, bounds};

/// A class whose queues are declared longer than necessary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shorter {
    /// The class.
    pub class: ClassId,
    /// The declared length.
    pub declared: u32,
    /// The greatest number of messages that a queue of the class holds; at least 1.
    pub enough: u32,
}

/// The classes whose queues are declared longer than these bounds.
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

/// The model with shortened queues, and the classes whose queues are shorter; `None` if no queue is shortened.
pub fn sized(model: &Model) -> Option<(Model, Vec<Shorter>)> {
    let shorter = shorter(model, &bounds(model)?);
    if shorter.is_empty() {
        return None;
    }
    let mut sized = model.clone();
    for one in &shorter {
        assert!(0 < one.enough && one.enough < one.declared, "a queue becomes shorter and holds a message");
        sized.classes[one.class.index()].queue_bound = one.enough;
    }
    Some((sized, shorter))
}
