//! Temporal operators, which both languages write alike.

use ltl::Formula;

/// Temporal operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal1 {
    /// `X`
    Next,
    /// `F`, `<>`
    Finally,
    /// `G`, `[]`
    Globally,
}

/// Operators of formulas with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal2 {
    /// `U`
    Until,
    /// `W`
    WeakUntil,
    /// `R`
    Release,
    /// `->`
    Implies,
}

impl Temporal1 {
    /// The operator that a word denotes.
    pub(crate) fn of(word: &str) -> Option<Temporal1> {
        Some(match word {
            "G" => Temporal1::Globally,
            "F" => Temporal1::Finally,
            "X" => Temporal1::Next,
            _ => return None,
        })
    }

    /// The operator as a symbol.
    pub(crate) fn symbol(self) -> &'static str {
        if self == Temporal1::Globally { "[]" } else { "<>" }
    }

    /// The operator on a formula.
    pub(crate) fn on<A>(self, inner: Box<Formula<A>>) -> Formula<A> {
        match self {
            Temporal1::Next => Formula::Next(inner),
            Temporal1::Finally => Formula::Finally(inner),
            Temporal1::Globally => Formula::Globally(inner),
        }
    }
}

impl Temporal2 {
    /// The operator that a word denotes.
    pub(crate) fn of(word: &str) -> Option<Temporal2> {
        Some(match word {
            "U" => Temporal2::Until,
            "W" => Temporal2::WeakUntil,
            "R" => Temporal2::Release,
            _ => return None,
        })
    }

    /// The operator on two formulas.
    pub(crate) fn on<A>(self, left: Box<Formula<A>>, right: Box<Formula<A>>) -> Formula<A> {
        match self {
            Temporal2::Until => Formula::Until(left, right),
            Temporal2::WeakUntil => Formula::WeakUntil(left, right),
            Temporal2::Release => Formula::Release(left, right),
            Temporal2::Implies => Formula::Implies(left, right),
        }
    }
}

/// The remark on `U W R` without parentheses next to `&&` or `||`, which used to bind more tightly: message and help.
pub(crate) const TIGHT: [&str; 2] = [
    "`U`, `W` and `R` bind tighter than `&&` and `||`",
    "this part is read as one operand; parentheses show the intended grouping",
];
