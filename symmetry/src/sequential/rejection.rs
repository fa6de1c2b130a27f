//! [`Rejection`]: the reason why a candidate is no symmetry, with a witness in the model's names.

use std::fmt;

/// The reason why a candidate is not in the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// It moves points that are no literals.
    NoLiteral,
    /// The values of one element are not mapped to all those of one other.
    Torn {
        /// A literal.
        literal: String,
        /// Its image.
        image: String,
    },
    /// An initial state is mapped to another state.
    Initial {
        /// An initial literal.
        literal: String,
        /// Its image.
        image: String,
        /// The initial literal at this place.
        initial: String,
    },
    /// One of several initial states is mapped to a state that is not initial; counted from one, the first `init` last.
    Start(usize),
    /// Instances of one kind are mapped to a kind that has another number of instances.
    Instance {
        /// The first of them.
        instance: String,
        /// The number of instances of the same kind.
        alike: usize,
        /// The number of instances of the image of the kind.
        found: usize,
    },
    /// A solver found a state in which no instance is the image of this one.
    Refuted {
        /// The instance.
        instance: String,
        /// Values of the image of the state, in which the last compared instance differs.
        state: String,
    },
    /// No permutation of labels or of processes of fairness accompanies it.
    Label {
        /// An instance without a partner.
        instance: String,
        /// The part that does not fit.
        what: &'static str,
    },
    /// The steps of a label of this event, or the states in which the event faults, are mapped to others.
    Steps {
        /// The event.
        event: String,
        /// Steps or faults.
        what: &'static str,
    },
    /// It moves an atom of this property.
    Property(String),
    /// Neither proved nor refuted.
    NotDecided(String),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::NoLiteral => f.write_str("it moves points that are no literals"),
            Rejection::Torn { literal, image } => {
                write!(f, "`{literal}` goes to `{image}`, and not every value with it")
            }
            Rejection::Initial { literal, image, initial } => {
                write!(f, "the initial `{literal}` goes to `{image}`, where `{initial}` is initial")
            }
            Rejection::Start(number) => {
                write!(f, "initial state {number} goes to a state that is not initial")
            }
            Rejection::Instance { instance, found: 0, .. } => {
                write!(f, "no instance does what the image of `{instance}` does")
            }
            Rejection::Instance { instance, alike, found } => {
                write!(f, "{alike} instances do what `{instance}` does, and {found} do the image of that")
            }
            Rejection::Refuted { instance, state } => {
                write!(f, "no instance does what the image of `{instance}` does, as for {state}")
            }
            Rejection::Label { instance, what } => write!(f, "`{instance}` has no partner that fits by its {what}"),
            Rejection::Steps { event, what } => write!(f, "the {what} of `{event}` go to others"),
            Rejection::Property(name) => write!(f, "it moves the property `{name}`"),
            Rejection::NotDecided(why) => write!(f, "not decided: {why}"),
        }
    }
}
