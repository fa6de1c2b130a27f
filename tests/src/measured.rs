//! The printed text that differs from run to run: times and sizes of memory, in every form in which the binary prints
//! them.
//!
//! A time is `3 ms`, `0.25 s`, `1 min 8 s` or `2 h 5 min`; a size is `512 B` or `9.2 MiB`. Each is one measure,
//! whatever its form, so that a text is the same on a slow machine as on a fast one. Only this module knows the
//! forms: a test that compares a printed text uses it.

/// The kind of a measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A time.
    Time,
    /// A number of bytes.
    Size,
}

/// The units of a time, largest first: a smaller one may follow a larger one.
const TIMES: [&str; 4] = ["h", "min", "s", "ms"];
const SIZES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// A number, perhaps behind an opening bracket.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches('(');
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
}

/// The place of a unit in its list, and the text behind it: a colon, a comma, a bracket.
fn unit<'a>(word: &'a str, units: &[&str]) -> Option<(usize, &'a str)> {
    let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    let (name, rest) = word.split_at(end);
    let is_end = rest.chars().all(|c| ",;:.)".contains(c));
    units.iter().position(|unit| *unit == name).filter(|_| is_end).map(|at| (at, rest))
}

/// The measure that words begin with: its kind, the number of its words, and the text behind it.
fn measure<'a>(words: &[&'a str]) -> Option<(Kind, usize, &'a str)> {
    let [number, name, ..] = words else { return None };
    if !is_number(number) {
        return None;
    }
    if let Some((_, rest)) = unit(name, &SIZES) {
        return Some((Kind::Size, 2, rest));
    }
    let (at, rest) = unit(name, &TIMES)?;
    match words.get(2..4) {
        Some([number, name]) if rest.is_empty() && is_number(number) => match unit(name, &TIMES) {
            // Seconds have a fraction: milliseconds behind them are another measure.
            Some((smaller, rest)) if smaller == at + 1 && TIMES[smaller] != "ms" => Some((Kind::Time, 4, rest)),
            _ => Some((Kind::Time, 2, rest)),
        },
        _ => Some((Kind::Time, 2, rest)),
    }
}

/// The kind of a text that is exactly one measure.
pub fn kind(text: &str) -> Option<Kind> {
    let words: Vec<&str> = text.split_whitespace().collect();
    measure(&words).filter(|&(_, count, rest)| count == words.len() && rest.is_empty()).map(|(kind, ..)| kind)
}

/// A line without its measures, `#` in the place of each, and with one space in each gap: columns are as wide as
/// their texts.
pub fn plain(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (mut at, mut kept) = (0, Vec::new());
    while let Some(word) = words.get(at) {
        match measure(&words[at..]) {
            Some((_, count, rest)) => {
                let brackets: String = word.chars().take_while(|c| *c == '(').collect();
                kept.push(format!("{brackets}#{rest}"));
                at += count;
            }
            None => {
                kept.push((*word).to_owned());
                at += 1;
            }
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Kind, kind, plain};

    #[test]
    fn every_form_of_a_time_is_one_measure() {
        for time in [
            "0 ms",
            "94 ms",
            "0.25 s",
            "19.58 s",
            "59.999 s",
            "1,500.250 s",
            "1 min 8 s",
            "59 min 0 s",
            "1 h 1 min",
            "26 h 0 min",
        ] {
            assert_eq!(kind(time), Some(Kind::Time), "{time}");
            assert_eq!(plain(&format!("time: {time}")), "time: #", "{time}");
            assert_eq!(
                plain(&format!("  found  {time}: lower {time}, search ({time})")),
                "found #: lower #, search (#)"
            );
            assert_eq!(plain(&format!("5 states   {time}   11 MiB")), "5 states # #", "{time}");
        }
    }

    #[test]
    fn every_form_of_a_size_is_one_measure() {
        for size in ["0 B", "512 B", "7.9 MiB", "512 MiB", "1.5 GiB", "16777215.9 TiB", "3 KiB"] {
            assert_eq!(kind(size), Some(Kind::Size), "{size}");
            assert_eq!(plain(&format!("  3 ms   {size}")), "# #", "{size}");
        }
    }

    #[test]
    fn two_measures_are_not_one() {
        assert_eq!(plain("3 ms 4 ms"), "# #");
        assert_eq!(plain("0.42 s   31 ms"), "# #");
        assert_eq!(plain("1 s 8 min"), "# #");
        assert_eq!(plain("1 min, 8 s"), "#, #");
    }

    #[test]
    fn everything_else_stays() {
        for text in
            ["5 states", "12 steps", "depth 12", "S2 x S3", "1 minute", "min 8", "a 3 b", "3 sB", "version 1.2", "(s)"]
        {
            assert_eq!(plain(text), text);
            assert_eq!(kind(text), None, "{text}");
        }
        assert_ne!(plain("5 states"), plain("6 states"));
    }
}
