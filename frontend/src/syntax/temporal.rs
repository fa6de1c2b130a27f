//! Temporal operators, which both languages write alike.

use ltl::{Formula, Paths};

/// Temporal operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal1 {
    /// `X`
    Next,
    /// `F`, `<>`
    Finally,
    /// `G`, `[]`
    Globally,
    /// `AX`, `EX`
    QuantifiedNext(Paths),
    /// `AF`, `EF`
    QuantifiedFinally(Paths),
    /// `AG`, `EG`
    QuantifiedGlobally(Paths),
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
    /// `AU`, `EU`
    QuantifiedUntil(Paths),
    /// `->`
    Implies,
}

impl Temporal1 {
    /// The operator that a word denotes.
    #[must_use]
    pub fn of(word: &str) -> Option<Temporal1> {
        Some(match word {
            "G" | "[]" => Temporal1::Globally,
            "F" | "<>" => Temporal1::Finally,
            "X" => Temporal1::Next,
            "AX" => Temporal1::QuantifiedNext(Paths::All),
            "AF" => Temporal1::QuantifiedFinally(Paths::All),
            "AG" => Temporal1::QuantifiedGlobally(Paths::All),
            "EX" => Temporal1::QuantifiedNext(Paths::Some),
            "EF" => Temporal1::QuantifiedFinally(Paths::Some),
            "EG" => Temporal1::QuantifiedGlobally(Paths::Some),
            _ => return None,
        })
    }

    /// The operator as a symbol.
    pub(crate) fn symbol(self) -> &'static str {
        if self == Temporal1::Globally { "[]" } else { "<>" }
    }

    /// The operator on a formula.
    #[must_use]
    pub fn on<A>(self, inner: Box<Formula<A>>) -> Formula<A> {
        match self {
            Temporal1::Next => Formula::Next(inner),
            Temporal1::Finally => Formula::Finally(inner),
            Temporal1::Globally => Formula::Globally(inner),
            Temporal1::QuantifiedNext(paths) => Formula::Quantified(paths, Formula::Next(inner).into()),
            Temporal1::QuantifiedFinally(paths) => Formula::Quantified(paths, Formula::Finally(inner).into()),
            Temporal1::QuantifiedGlobally(paths) => Formula::Quantified(paths, Formula::Globally(inner).into()),
        }
    }
}

impl Temporal2 {
    /// The operator that a word denotes.
    #[must_use]
    pub fn of(word: &str) -> Option<Temporal2> {
        Some(match word {
            "U" => Temporal2::Until,
            "W" => Temporal2::WeakUntil,
            "R" => Temporal2::Release,
            "AU" => Temporal2::QuantifiedUntil(Paths::All),
            "EU" => Temporal2::QuantifiedUntil(Paths::Some),
            _ => return None,
        })
    }

    /// The operator on two formulas.
    #[must_use]
    pub fn on<A>(self, left: Box<Formula<A>>, right: Box<Formula<A>>) -> Formula<A> {
        match self {
            Temporal2::Until => Formula::Until(left, right),
            Temporal2::WeakUntil => Formula::WeakUntil(left, right),
            Temporal2::Release => Formula::Release(left, right),
            Temporal2::QuantifiedUntil(paths) => Formula::Quantified(paths, Formula::Until(left, right).into()),
            Temporal2::Implies => Formula::Implies(left, right),
        }
    }
}

/// The remark on `U W R` without parentheses next to `&&` or `||`, which used to bind more tightly: message and help.
pub(crate) const TIGHT: [&str; 2] = [
    "`U`, `W` and `R` bind tighter than `&&` and `||`",
    "this part is read as one operand; parentheses show the intended grouping",
];
