//! [`Obstacle`]: a place in the text that a permutation of values does not keep.

use std::fmt;

use frontend::source::Span;

/// The place of a constraint that a permutation does not satisfy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Obstacle {
    /// The place.
    pub span: Span,
    /// The reason.
    pub reason: Obstruction,
}

/// The reason why a text does not keep a permutation of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Obstruction {
    /// Values are ordered, or computed with.
    Computed,
    /// A value that moves is named.
    Named,
    /// Some values that move are values here, and others are not.
    Part,
    /// A table whose entries do not move with its indices.
    Table,
    /// A quantifier whose body may fault stops at the first value that decides it.
    Quantifier,
    /// A loop whose rounds do not commute.
    Loop,
    /// A variable of a wide type, which keeps its values.
    Wide,
    /// Initial values of a variable.
    Initial,
    /// One of several initial states goes to a state that is not initial.
    Start,
}

impl fmt::Display for Obstruction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Obstruction::Computed => "it orders these values, or computes with them",
            Obstruction::Named => "it names one of these values",
            Obstruction::Part => "not all of these values belong to it",
            Obstruction::Table => "the entries of the table do not move with its indices",
            Obstruction::Quantifier => "its body may fault, and it stops at the first value that decides it",
            Obstruction::Loop => "the rounds of the loop do not commute",
            Obstruction::Wide => "values of wide types are never exchanged",
            Obstruction::Initial => "the initial values are others after the exchange",
            Obstruction::Start => "an initial state goes to a state that is not initial",
        })
    }
}
