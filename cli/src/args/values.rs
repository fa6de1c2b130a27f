//! Values of options: sizes, durations, conditions, names and values of constants, each read by one function that describes the expected form in
//! its error.
//!
//! Sizes are in bytes; `K`, `M`, `G`, `T` are powers of 1024, with an optional `B` or `iB` behind them. Durations are in
//! seconds unless they end in `ms`, `s`, `m` or `h`; both accept a decimal point.

use std::time::Duration;

/// Reads a size such as `512M`, `8G` or `1000000`, in bytes; at least 1.
///
/// # Errors
/// The expected form, in one line.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_lowercase();
    let shift = match unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit) {
        "" if unit != "ib" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("expected a number of bytes with an optional K, M, G or T, such as 512M".to_owned()),
    };
    let bytes =
        scaled(number, 1 << shift).ok_or_else(|| unfit(number, "expected a size such as 512M, 8G or 1000000"))?;
    if bytes == 0 { Err("the size must be at least one byte".to_owned()) } else { Ok(bytes) }
}

/// Reads a duration such as `30`, `30s`, `10m`, `2h` or `500ms`.
///
/// # Errors
/// The expected form, in one line.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let unit = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err("expected seconds, or a number with ms, s, m or h, such as 10m".to_owned()),
    };
    let millis = scaled(number, unit).ok_or_else(|| unfit(number, "expected a duration such as 30, 30s or 10m"))?;
    Ok(Duration::from_millis(millis))
}

/// Takes a condition, whose text the language of the model reads.
///
/// # Errors
/// The text is empty.
pub(crate) fn condition(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("the condition is empty: write one in the syntax of the model, such as 'x == 1'".to_owned());
    }
    Ok(text.to_owned())
}

/// Reads the name of a constant.
///
/// # Errors
/// The text is no name.
pub(crate) fn name(text: &str) -> Result<&str, String> {
    let name = text.trim();
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !starts_well || !name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_') {
        return Err(format!("`{}` is not a name", name.escape_debug()));
    }
    Ok(name)
}

/// Reads the value of a constant: an integer, or a truth value as 1 or 0.
///
/// # Errors
/// The text is neither.
pub(crate) fn value(text: &str) -> Result<i64, String> {
    match text.trim() {
        "true" => Ok(1),
        "false" => Ok(0),
        value => value.parse().map_err(|_| format!("`{}` is not an integer", value.escape_debug())),
    }
}

/// The reason that a number cannot be scaled: it is too large, or it is none.
fn unfit(number: &str, expected: &str) -> String {
    let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
    if is_number { "the number is too large".to_owned() } else { expected.to_owned() }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// `number * unit` for a number with at most nine decimals, rounded down; `None` when it is no number or too large.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let denominator = 10u128.pow(u32::try_from(fraction.len()).ok()?);
    let numerator = u128::from(whole.parse::<u64>().ok()?) * denominator + u128::from(fraction.parse::<u64>().ok()?);
    u64::try_from(numerator * u128::from(unit) / denominator).ok()
}

#[cfg(test)]
mod tests {
    use super::{condition, duration, size};
    use std::time::Duration;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("8g"), Ok(8 << 30));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("4kB"), Ok(4096));
        assert_eq!(size("100B"), Ok(100));
    }

    #[test]
    fn bad_sizes_are_refused() {
        for text in
            ["", "M", "-1", "1.2.3M", "5 apples", "0", "iB", "3iB", "99999999999999999999", "18446744073709551615T"]
        {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn empty_conditions_are_refused() {
        assert_eq!(condition(" x == 1"), Ok(" x == 1".to_owned()));
        for text in ["", " ", "\t\n"] {
            assert!(condition(text).is_err_and(|why| why.contains("is empty: write")), "{text:?}");
        }
    }

    #[test]
    fn durations_default_to_seconds() {
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
    }

    #[test]
    fn bad_durations_are_refused() {
        for text in ["", "s", "-3", "1d", "1..2", ".", "1.", "99999999999999999999"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
