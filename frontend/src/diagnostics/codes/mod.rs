//! The registry of diagnostic codes: one constant and one explanation per code, grouped by the stage that finds them.
//!
//! `E0...` are errors, `W0...` warnings, `N0...` notices. A code is never reused for something else.

mod automata;
mod dve;
mod general;
mod murphi;
mod names;
mod pnml;
mod promela;
mod properties;
mod sequential;
mod syntax;
mod types;

pub use automata::*;
pub use dve::*;
pub use general::*;
pub use murphi::*;
pub use names::*;
pub use pnml::*;
pub use promela::*;
pub use properties::*;
pub use sequential::*;
pub use syntax::*;
pub use types::*;

use std::fmt;

/// A diagnostic code such as `E0101`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static str);

impl Code {
    /// The code of a text; [`codes!`](crate::codes) declares codes with their explanations.
    pub const fn new(code: &'static str) -> Code {
        Code(code)
    }

    /// The code as the user sees it.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The explanation of a code, in the words of the texts; the words of the command line are in `cli`.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// The fault in a few words.
    pub title: &'static str,
    /// The reason of the report.
    pub cause: &'static str,
    /// A small input that produces it.
    pub example: &'static str,
    /// The remedy.
    pub fix: &'static str,
}

/// Declares the codes of one stage: constants and the table of their explanations.
#[macro_export]
macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, cause: $cause:literal, example: $example:literal, fix: $fix:literal;)*) => {
        $(
            #[doc = concat!("`", $code, "`: ", $title, ".")]
            pub const $name: $crate::diagnostics::Code = $crate::diagnostics::Code::new($code);
        )*
        pub(super) const TABLE: &[$crate::diagnostics::Explanation] = &[$(
            $crate::diagnostics::Explanation { code: $name, title: $title, cause: $cause, example: $example, fix: $fix },
        )*];
    };
}
use crate::codes;

/// All explanations of faults of texts, ordered by code.
#[expect(unused_qualifications, reason = "each stage has a table of its own")]
pub fn of_texts() -> Vec<Explanation> {
    let tables = [
        general::TABLE,
        syntax::TABLE,
        names::TABLE,
        types::TABLE,
        properties::TABLE,
        sequential::TABLE,
        murphi::TABLE,
        promela::TABLE,
        automata::TABLE,
        dve::TABLE,
        pnml::TABLE,
    ];
    let mut all: Vec<Explanation> = tables.concat();
    all.sort_by_key(|explanation| explanation.code);
    assert!(all.is_sorted_by(|one, next| one.code < next.code), "every code is declared once");
    all
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_are_unique_and_explained() {
        let all = super::of_texts();
        for pair in all.windows(2) {
            assert_ne!(pair[0].code, pair[1].code, "declared twice");
        }
        for explanation in all {
            for text in [explanation.title, explanation.cause, explanation.example, explanation.fix] {
                assert!(!text.trim().is_empty(), "{} lacks a part of its explanation", explanation.code);
            }
        }
    }
}
