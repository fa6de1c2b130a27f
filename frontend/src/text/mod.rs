//! The parts of a parser that do not depend on the language: the scanner of characters and the cursor over tokens.
//!
//! The sequential language and Murphi share them. Rebeca's parser has its own: it recovers by the nesting of brackets.

mod cursor;
mod scanner;

pub(crate) use self::cursor::{Cursor, Kind, Parse, Reported};
pub(crate) use self::scanner::{Faults, Scanner, Token, tokens};
