//! The parts of a parser that do not depend on the language: the scanner of characters, the kinds of tokens, the cursor over tokens, and
//! formulas of property files.
//!
//! The sequential language, DVE and Murphi share them. Rebeca's lexer shares the table of tokens; its parser has its own cursor, since it recovers by the nesting of brackets.

mod climb;
mod cursor;
mod formulas;
mod kinds;
mod scanner;

pub(crate) use self::climb::{Grouping, Infix, Operators};
pub(crate) use self::cursor::{Cursor, Kind, Parse, Reported, Tall};
pub(crate) use self::formulas::{Conditions, Join, Line, Lines, Marks, marks};
pub(crate) use self::kinds::{Words, is_in_order, name_len, plain_token, run, symbol, token_kinds};
pub(crate) use self::scanner::{Faults, Scanner, TOKEN, Token, tokens};
