//! [`Obstacle`]: a place of the text that keeps values apart.

use std::fmt;

use frontend::source::Span;

/// A place of the text, and what it does to the values of a class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Obstacle {
    /// The place.
    pub span: Span,
    /// Its effect.
    pub reason: Reason,
}

/// The effect of a place on the values of a class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// It names a value.
    Named,
    /// It makes a value the least of its type.
    Least,
    /// It compares by order.
    Ordered,
    /// It computes with values.
    Computed,
    /// It counts values up or down.
    Counted,
    /// It takes values that are moved for values that are not.
    Mixed,
    /// Its type has only some of the values.
    Part,
    /// The order of its rounds shows.
    Rounds,
    /// The order of the slots of a multiset may show.
    Slots,
    /// It speaks of each value by itself.
    Each,
    /// It is another text after an exchange of names.
    Renamed,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Named => "a value is named",
            Reason::Least => "the value becomes the least one",
            Reason::Ordered => "values are compared by order",
            Reason::Computed => "values are computed with",
            Reason::Counted => "values are counted from a bound to another",
            Reason::Mixed => "values that are exchanged mix with values that are not",
            Reason::Part => "only some of the values belong here",
            Reason::Rounds => "the rounds do not commute",
            Reason::Slots => "the order of the slots of a multiset may show",
            Reason::Each => "the claim is about each value by itself",
            Reason::Renamed => "no text is this one after the exchange of names",
        })
    }
}
