//! [`Rejection`]: why a candidate is no symmetry, with a witness in the model's names.

use std::fmt;

/// Why a candidate is not in the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// It moves points that are no literals.
    NoLiteral,
    /// The values of one element do not go to all those of one other.
    Torn {
        /// A literal.
        literal: String,
        /// Its image.
        image: String,
    },
    /// An initial state goes to another one.
    Initial {
        /// An initial literal.
        literal: String,
        /// Its image.
        image: String,
        /// What is initial there.
        initial: String,
    },
    /// One of several initial states goes to a state that is none of them; counted from one, the first `init` last.
    Start(usize),
    /// Instances of one kind go to a kind that has another number of instances.
    Instance {
        /// The first of them.
        instance: String,
        /// How many there are that do the same.
        alike: usize,
        /// How many there are that do the image.
        found: usize,
    },
    /// A solver found a state in which no instance does the image of what one does.
    Refuted {
        /// The instance.
        instance: String,
        /// Values of the image of the state; in it the last instance that was compared differs.
        state: String,
    },
    /// No permutation of labels or of processes of fairness goes with it.
    Label {
        /// An instance without a partner.
        instance: String,
        /// What does not fit.
        what: &'static str,
    },
    /// It moves what this property asks.
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
            Rejection::Property(name) => write!(f, "it moves what `{name}` asks"),
            Rejection::NotDecided(why) => write!(f, "not decided: {why}"),
        }
    }
}
