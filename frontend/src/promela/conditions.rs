//! The conditions of `#if`: numbers and operators of C, in 64 bits with and without a sign.
//!
//! As in C, a name that is no macro is 0, what does not decide is not evaluated, and an operand without a sign makes the other one be such.

use super::syntax::token::{Kind, Token};

/// The deepest nesting.
const MAX_NESTING: usize = 200;

/// A value of C's preprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    bits: i64,
    is_unsigned: bool,
}

impl Value {
    const fn signed(bits: i64) -> Value {
        Value { bits, is_unsigned: false }
    }

    const fn unsigned(self) -> u64 {
        self.bits.cast_unsigned()
    }
}

/// Whether the condition of `#if` holds; `None` where it has no value.
pub(super) fn condition(tokens: &[Token]) -> Option<bool> {
    let mut evaluator = Evaluator { tokens, at: 0, depth: 0, skips: 0 };
    let value = evaluator.choice()?;
    (evaluator.at == tokens.len()).then_some(value.bits != 0)
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    /// The number of operands around that are not evaluated.
    skips: usize,
}

impl Evaluator<'_> {
    fn symbol(&self) -> &'static str {
        match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Symbol(symbol), .. }) => symbol,
            _ => "",
        }
    }

    /// `a ? b : c`, or an expression of operators.
    fn choice(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return None;
        }
        let mut value = self.operators(0)?;
        if self.symbol() == "?" {
            self.at += 1;
            let first = self.skipped(value.bits == 0, Self::choice)?;
            if self.symbol() != ":" {
                return None;
            }
            self.at += 1;
            let second = self.skipped(value.bits != 0, Self::choice)?;
            let is_unsigned = first.is_unsigned || second.is_unsigned;
            value = Value { bits: if value.bits != 0 { first.bits } else { second.bits }, is_unsigned };
        }
        self.depth -= 1;
        Some(value)
    }

    /// An operand that may not be evaluated.
    fn skipped(&mut self, skips: bool, read: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        self.skips += usize::from(skips);
        let value = read(self);
        self.skips -= usize::from(skips);
        value
    }

    fn operators(&mut self, least: u8) -> Option<Value> {
        let mut left = self.unary()?;
        loop {
            let symbol = self.symbol();
            let level = match symbol {
                "||" => 1,
                "&&" => 2,
                "|" => 3,
                "^" => 4,
                "&" => 5,
                "==" | "!=" => 6,
                "<" | "<=" | ">" | ">=" => 7,
                "<<" | ">>" => 8,
                "+" | "-" => 9,
                "*" | "/" | "%" => 10,
                _ => return Some(left),
            };
            if level <= least {
                return Some(left);
            }
            self.at += 1;
            let decides = symbol == "||" && left.bits != 0 || symbol == "&&" && left.bits == 0;
            let right = self.skipped(decides, |own| own.operators(level))?;
            left = self.binary(symbol, left, right)?;
        }
    }

    fn binary(&self, symbol: &str, left: Value, right: Value) -> Option<Value> {
        let truth = |value: bool| Some(Value::signed(i64::from(value)));
        let is_unsigned = left.is_unsigned || right.is_unsigned;
        let order = if is_unsigned { left.unsigned().cmp(&right.unsigned()) } else { left.bits.cmp(&right.bits) };
        let bits = match symbol {
            "||" => return truth(left.bits != 0 || right.bits != 0),
            "&&" => return truth(left.bits != 0 && right.bits != 0),
            "==" => return truth(order.is_eq()),
            "!=" => return truth(order.is_ne()),
            "<" => return truth(order.is_lt()),
            "<=" => return truth(order.is_le()),
            ">" => return truth(order.is_gt()),
            ">=" => return truth(order.is_ge()),
            "<<" | ">>" => {
                let is_back = !right.is_unsigned && right.bits < 0;
                let bits = shifted(left, (symbol == "<<") != is_back, right.bits.unsigned_abs());
                return Some(Value { bits, ..left });
            }
            "|" => left.bits | right.bits,
            "^" => left.bits ^ right.bits,
            "&" => left.bits & right.bits,
            "+" => left.bits.wrapping_add(right.bits),
            "-" => left.bits.wrapping_sub(right.bits),
            "*" => left.bits.wrapping_mul(right.bits),
            // Not evaluated, it has any value.
            _ if right.bits == 0 => {
                return (self.skips > 0).then_some(Value { bits: 0, is_unsigned });
            }
            "/" if is_unsigned => (left.unsigned() / right.unsigned()).cast_signed(),
            "/" => left.bits.wrapping_div(right.bits),
            _ if is_unsigned => (left.unsigned() % right.unsigned()).cast_signed(),
            _ => left.bits.wrapping_rem(right.bits),
        };
        Some(Value { bits, is_unsigned })
    }

    fn unary(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return None;
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        let value = match &token.kind {
            Kind::Number(value) => Value::signed(*value),
            Kind::Numeral(text) => number(text)?,
            // The compiler's own names, which are no macros here.
            Kind::Name(name) if name.starts_with("__") => return None,
            Kind::Name(_) => Value::signed(0),
            Kind::Symbol("!") => Value::signed(i64::from(self.unary()?.bits == 0)),
            Kind::Symbol("~") => {
                let value = self.unary()?;
                Value { bits: !value.bits, ..value }
            }
            Kind::Symbol("+") => self.unary()?,
            Kind::Symbol("-") => {
                let value = self.unary()?;
                Value { bits: value.bits.wrapping_neg(), ..value }
            }
            Kind::Symbol("(") => {
                let value = self.choice()?;
                if self.symbol() != ")" {
                    return None;
                }
                self.at += 1;
                value
            }
            _ => return None,
        };
        self.depth -= 1;
        Some(value)
    }
}

/// A value that is shifted; to the right, the sign is kept where there is one.
fn shifted(value: Value, is_left: bool, by: u64) -> i64 {
    match (is_left, value.is_unsigned) {
        (true, _) if by > 63 => 0,
        (true, _) => value.bits << by,
        (false, true) if by > 63 => 0,
        (false, true) => (value.unsigned() >> by).cast_signed(),
        (false, false) => value.bits >> by.min(63),
    }
}

/// A number of C: decimal, octal or hexadecimal, with the suffixes `u` and `l`.
fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (radix, rest) = match lower.strip_prefix("0x") {
        Some(rest) => (16, rest),
        None if lower.starts_with('0') => (8, lower.as_str()),
        None => (10, lower.as_str()),
    };
    let digits = rest.trim_end_matches(['u', 'l']);
    let has_sign = match &rest[digits.len()..] {
        "" | "l" | "ll" => true,
        "u" | "ul" | "ull" | "lu" | "llu" => false,
        _ => return None,
    };
    let bits = u64::from_str_radix(digits, radix).ok()?;
    Some(Value { bits: bits.cast_signed(), is_unsigned: !has_sign || i64::try_from(bits).is_err() })
}

#[cfg(test)]
mod tests {
    use super::condition;
    use crate::diagnostics::Diagnostics;
    use crate::promela::syntax::token::tokens;

    #[test]
    fn conditions_have_the_values_of_c() {
        let read = |text: &str| condition(&tokens(text, &mut Diagnostics::new()));
        for text in [
            "010 == 8",
            "0x1F == 31",
            "10u == 10 && 10L == 10 && 10uLL == 10",
            "1 ? 2 : 0",
            "0 ? 0 : 1 ? 1 : 0",
            "(6 & 3) == 2 && (6 | 1) == 7 && (6 ^ 3) == 5 && ~0 == -1",
            "1 | 0 & 0",
            "1 << 3 == 8 && -8 >> 1 == -4",
            "+3 == 3",
            "1 || 1 / 0",
            "!(0 && 1 % 0)",
            "-1 > 0u",
            "9223372036854775807 + 1 < 0",
            "18446744073709551615 == -1",
            "0xFFFFFFFFFFFFFFFF > 0",
            "-9 / 2 == -4 && -9 % 2 == -1",
            "name == 0",
            "2147483648 == 2147483647 + 1",
        ] {
            assert_eq!(read(text), Some(true), "{text}");
        }
        for text in ["08 == 8", "1 / 0", "1 1", "", "10x", "1 ? 2", "(1", "1.5", "'\\0' == 0", "__LINE__ == 1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
