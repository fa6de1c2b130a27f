//! Linear temporal logic: formulas, automata over infinite words, the translation of one into the other, and the HOA format.
//!
//! A leaf crate: conditions are a type parameter, so nothing here depends on a language or a model. [`automaton`]
//! translates a [`Formula`] into a generalised Buchi [`Automaton`]; [`holds`] evaluates a formula on an ultimately
//! periodic word directly, without automata, and judges counterexamples; [`hoa`] reads and writes automata.
//!
//! ```
//! use ltl::{Formula, automaton, holds};
//!
//! // G F p, over conditions that are named by letters.
//! let recurrence = Formula::Globally(Box::new(Formula::Finally(Box::new(Formula::Atom('p')))));
//! let violating = automaton(&recurrence, false, &mut |_| (0, true)).expect("a small automaton");
//! assert_eq!(violating.len(), 2);
//! // On the word p, not p, p, not p, .. it holds.
//! assert_eq!(holds(&recurrence, 2, 0, &mut |_, at| Some(at == 0)), Some(true));
//! ```

#![forbid(unsafe_code)]

mod automaton;
mod evaluate;
mod formula;
pub mod hoa;
mod print;
mod properties;
#[cfg(test)]
mod testing;
mod translation;

pub use automaton::{Automaton, Bits, Cube, Edge, MOST_BITS};
pub use evaluate::holds;
pub use formula::{Formula, Paths};
pub use properties::{Properties, Property, Says};
pub use translation::{Shape, TooLarge, automaton, degeneralise};
