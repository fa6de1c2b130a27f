//! Colour, and numbers for people.

use frontend::source::Position;
use num_bigint::BigUint;

/// Wraps text in colour if it is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether colour is wanted.
    pub(crate) on: bool,
}

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Text for a good result.
    pub(crate) fn good(self, text: &str) -> String {
        self.with("1;32", text)
    }

    /// Text for a bad result.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Text for an undecided result.
    pub(crate) fn open(self, text: &str) -> String {
        self.with("1;33", text)
    }

    /// Important text.
    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// Unimportant text.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }
}

/// Writes control characters and marks of writing direction as escapes, so that no name or text of a model moves the
/// cursor or looks like another.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let moves = is_hidden(character);
            let escaped = moves.then(|| character.escape_default());
            let plain = (!moves).then_some(character);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// Whether a character moves the cursor, breaks the line, or changes the direction of the text behind it.
pub(crate) fn is_hidden(character: char) -> bool {
    let is_direction =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || is_direction || matches!(character, '\u{2028}' | '\u{2029}')
}

/// JSON with such characters in texts as escapes: it has the same content, and can be shown on a terminal.
pub(crate) fn escaped_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Between the values; line ends in texts are escapes already.
            '\n' => out.push('\n'),
            character if is_hidden(character) => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            character => out.push(character),
        }
    }
    out
}

/// A cell of comma-separated values, not yet in quotation marks. Spreadsheets take a text that begins with `= + - @`
/// for a formula, so such a text gets an apostrophe in front. Numbers stay.
pub(crate) fn cell(text: &str) -> String {
    let text = clean(text);
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}

/// A number in groups of three digits.
pub(crate) fn count(number: u64) -> String {
    digits(&number.to_string())
}

/// Decimal digits with separators.
pub(crate) fn digits(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The most digits of a group order that a cell of a table shows.
const ORDER_DIGITS: usize = 20;

/// The digits of an order of which three are shown.
const LEAD: usize = 15;

/// A number with these first digits and so many others, as a power of ten.
fn rounded(lead: u64, others: usize) -> String {
    let rounded = format!("{lead:.2e}");
    let (factor, exponent) = rounded.split_once('e').expect("an exponent");
    format!("about {factor}e{}", exponent.parse::<usize>().expect("a small number") + others)
}

/// A group order in a cell of a table: about a power of ten if it has too many digits.
pub(crate) fn order(text: &str) -> String {
    match text.get(..LEAD).and_then(|lead| lead.parse::<u64>().ok()) {
        Some(lead) if text.len() > ORDER_DIGITS => rounded(lead, text.len() - LEAD),
        _ => digits(text),
    }
}

/// The most digits of a group order in a report.
const LINE_DIGITS: usize = 80;

/// A group order in a report: all of its digits, unless they are more than a line holds.
pub(crate) fn whole_order(text: &str) -> String {
    if text.len() > LINE_DIGITS { order(text) } else { digits(text) }
}

/// The bits of an order from which on its digits are not computed: those of a million vertices would take minutes.
const MANY_BITS: u64 = 1 << 16;

/// A group order of any size in a report.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "three digits are shown"
)]
pub(crate) fn large_order(order: &BigUint) -> String {
    let bits = order.bits();
    if bits < MANY_BITS {
        return whole_order(&order.to_string());
    }
    let behind = bits - u64::from(u64::BITS);
    let first = u64::try_from(order >> behind).unwrap_or(u64::MAX);
    let power = (first as f64).log10() + behind as f64 * 2f64.log10();
    let others = power as usize - (LEAD - 1);
    rounded(10f64.powf(power - others as f64) as u64, others)
}

/// The structure of a group for people: orders in it that have too many digits are rounded.
pub(crate) fn structure(text: &str) -> String {
    let is_boundary = |left: char, right: char| left.is_ascii_digit() != right.is_ascii_digit();
    let mut parts = vec![String::new()];
    let mut before = None;
    for character in text.chars() {
        if before.is_some_and(|before| is_boundary(before, character)) {
            parts.push(String::new());
        }
        parts.last_mut().expect("one part").push(character);
        before = Some(character);
    }
    let is_long = |part: &String| part.len() > ORDER_DIGITS && part.starts_with(|first: char| first.is_ascii_digit());
    parts.into_iter().map(|part| if is_long(&part) { order(&part) } else { part }).collect()
}

/// A number with its noun.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", count(number)) }
}

/// A number of vertices.
pub(crate) fn vertices(number: usize) -> String {
    if number == 1 { "1 vertex".to_owned() } else { format!("{} vertices", count(number as u64)) }
}

/// The beginning of a text of more characters than these, with a mark behind it.
pub(crate) fn cut(text: &str, most: usize, mark: &str) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} {mark}", &text[..at]),
        None => text.to_owned(),
    }
}

/// The most names of cycles in one line.
const MOST_NAMES: usize = 24;

/// Cycles of names in one line, without those behind the first few: `(pc[0], pc[1])(x=0, x=1)`.
pub(crate) fn cycles(cycles: &[Vec<String>]) -> String {
    let (mut text, mut names) = (String::new(), 0);
    for cycle in cycles {
        if names >= MOST_NAMES {
            return text + " ..";
        }
        names += cycle.len();
        let shown: Vec<String> = cycle.iter().take(MOST_NAMES).map(|name| clean(name)).collect();
        let dots = if cycle.len() > MOST_NAMES { ", .." } else { "" };
        text.push_str(&format!("({}{dots})", shown.join(", ")));
    }
    if text.is_empty() { "()".to_owned() } else { text }
}

/// A size in the largest binary unit of which there is at least one, with one decimal.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let Some(unit) = (1..=units.len()).rev().find(|&unit| bytes >> (10 * unit) > 0) else {
        return format!("{bytes} B");
    };
    let tenths = (u128::from(bytes) * 10) >> (10 * unit);
    if tenths % 10 == 0 {
        format!("{} {}", tenths / 10, units[unit - 1])
    } else {
        format!("{}.{} {}", tenths / 10, tenths % 10, units[unit - 1])
    }
}

/// A time in milliseconds, seconds, minutes or hours.
pub(crate) fn time(seconds: f64) -> String {
    if seconds < 0.1 {
        return format!("{:.0} ms", (seconds * 1000.0).ceil());
    }
    if seconds < 60.0 {
        return format!("{seconds:.2} s");
    }
    let minutes = (seconds / 60.0).floor();
    if minutes < 60.0 {
        return format!("{minutes:.0} min {:.0} s", (seconds - minutes * 60.0).floor());
    }
    let hours = (minutes / 60.0).floor();
    format!("{hours:.0} h {:.0} min", minutes - hours * 60.0)
}

/// `file:line:column`
pub(crate) fn place(file: &str, position: Position) -> String {
    format!("{}:{}:{}", clean(file), position.line, position.column)
}

#[cfg(test)]
mod tests {
    use super::{clean, count, counted, order, size, structure, time};

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(374_075), "374,075");
        assert_eq!(count(50_074_857), "50,074,857");
        assert_eq!(counted(1, "state"), "1 state");
        assert_eq!(counted(1000, "state"), "1,000 states");
    }

    #[test]
    fn long_orders_in_structures_are_rounded() {
        assert_eq!(structure("S2 x S3 x D9"), "S2 x S3 x D9");
        assert_eq!(structure(&format!("S2 x G({})", "9".repeat(2_568))), "S2 x G(about 1.00e2568)");
        assert_eq!(structure(""), "");
    }

    #[test]
    fn orders_wider_than_a_cell_are_shortened() {
        assert_eq!(order("1"), "1");
        assert_eq!(order("3840"), "3,840");
        assert_eq!(order("99999999999999999999"), "99,999,999,999,999,999,999");
        assert_eq!(order("100000000000000000000"), "about 1.00e20");
        assert_eq!(order("15511210043330985984000000"), "about 1.55e25");
        assert_eq!(order(&"9".repeat(2_568)), "about 1.00e2568");
        assert_eq!(order(&format!("40238726{}", "7".repeat(2_560))), "about 4.02e2567");
    }

    #[test]
    fn sizes_and_times_are_short() {
        assert_eq!(size(512), "512 B");
        assert_eq!(size(512 << 20), "512 MiB");
        assert_eq!(size((9 << 20) + (205 << 10)), "9.2 MiB");
        assert_eq!(size(u64::MAX), "16777215.9 TiB");
        assert_eq!(time(0.0021), "3 ms");
        assert_eq!(time(0.314), "0.31 s");
        assert_eq!(time(75.9), "1 min 15 s");
        assert_eq!(time(3700.0), "1 h 1 min");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(clean("plain über"), "plain über");
        assert_eq!(clean("a\x1b[31mb\r\n\u{9b}"), "a\\u{1b}[31mb\\r\\n\\u{9b}");
    }
}
