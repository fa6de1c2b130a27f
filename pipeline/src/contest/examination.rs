//! The examinations of the contest, by name, and their answers.

use frontend::pnml::Time;

/// An examination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Examination {
    /// The size of the state space, and the greatest numbers of tokens.
    StateSpace,
    /// Whether a deadlock is reachable.
    ReachabilityDeadlock,
    /// Whether no place ever has two tokens.
    OneSafe,
    /// Whether some place always has its initial tokens.
    StableMarking,
    /// Whether each transition can fire.
    QuasiLiveness,
    /// Whether each transition can fire again from every marking.
    Liveness,
    /// The greatest numbers of tokens of places.
    UpperBounds,
    /// Formulas of a file.
    Formulas(&'static str),
}

impl Examination {
    /// All examinations by their names in the contest.
    pub const ALL: [(&'static str, Examination); 13] = [
        ("StateSpace", Examination::StateSpace),
        ("ReachabilityDeadlock", Examination::ReachabilityDeadlock),
        ("OneSafe", Examination::OneSafe),
        ("StableMarking", Examination::StableMarking),
        ("QuasiLiveness", Examination::QuasiLiveness),
        ("Liveness", Examination::Liveness),
        ("UpperBounds", Examination::UpperBounds),
        ("ReachabilityCardinality", Examination::Formulas("ReachabilityCardinality")),
        ("ReachabilityFireability", Examination::Formulas("ReachabilityFireability")),
        ("CTLCardinality", Examination::Formulas("CTLCardinality")),
        ("CTLFireability", Examination::Formulas("CTLFireability")),
        ("LTLCardinality", Examination::Formulas("LTLCardinality")),
        ("LTLFireability", Examination::Formulas("LTLFireability")),
    ];

    /// The examination of a name.
    pub fn named(name: &str) -> Option<Examination> {
        Examination::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, examination)| examination)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Examination::ALL.into_iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The kind of time of its formulas, where it has such.
    pub fn time(self) -> Option<Time> {
        match self {
            Examination::Formulas(name) if name.starts_with("CTL") => Some(Time::Branching),
            Examination::Formulas(name) if name.starts_with("LTL") => Some(Time::Linear),
            _ => None,
        }
    }

    /// Whether its questions stand in a file next to the net.
    pub fn has_file(self) -> bool {
        matches!(self, Examination::UpperBounds | Examination::Formulas(_))
    }
}

/// The value of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A verdict.
    Truth(bool),
    /// A number, in decimal digits.
    Number(String),
    /// A number without bound.
    Infinite,
    /// Nothing is known.
    Open,
}

/// The means by which an answer was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// Explicit search.
    Explicit,
    /// Explicit search of a quotient.
    Symmetries,
    /// The structure of the net.
    Structural,
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// The question: the id of a formula, the name of the examination, or the part of the state space.
    pub name: String,
    /// The value.
    pub value: Value,
    /// How it was found.
    pub means: Means,
}

impl Answered {
    pub(super) fn new(name: &str, value: Value, means: Means) -> Answered {
        Answered { name: name.to_owned(), value, means }
    }
}
