//! Constants of the command line with one value or several: `-D N=4`, `-D N=2..8`, `-D N=2,4,8`.
//!
//! A range contains both of its ends; a list may contain ranges. Where a constant has several values the command is a sweep: it is run
//! once for each assignment of one value to each constant. [`assignments`] gives them in the order of the options, the last constant
//! changing first.
//!
//! Invariants: values of a constant are distinct and in the order of the text; an assignment has each swept constant once.

use clap::Args;

use super::values;

/// The most values of one constant, and the most assignments of a sweep.
pub(crate) const MOST: usize = 10_000;

/// Runs for several values of constants.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Several values")]
pub(crate) struct SweepArgs {
    /// With several values for a constant, leave out the rows whose values are larger than those of a row that met a limit
    #[arg(long)]
    pub(crate) skip_larger: bool,
}

/// A constant and its values, of which there is at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Constant {
    /// Its name.
    pub(crate) name: String,
    /// Its values.
    pub(crate) values: Vec<i64>,
    /// Whether a range is part of its text: then its values are numbers, not truth values.
    pub(crate) has_range: bool,
}

/// One value for each of some constants.
pub(crate) type Assignment = Vec<(String, i64)>;

impl Constant {
    /// Reads `NAME=VALUE` with an integer, a truth value, a range or a list of these.
    ///
    /// # Errors
    /// The expected form, in one line.
    pub(crate) fn read(text: &str) -> Result<Constant, String> {
        let (name, list) = text.split_once('=').ok_or("expected NAME=VALUE, such as N=5, N=2..8 or N=2,4,8")?;
        let name = values::name(name)?;
        let mut constant = Constant { name: name.to_owned(), values: Vec::new(), has_range: false };
        for part in list.split(',') {
            let (low, high) = part.split_once("..").map_or((part, None), |(low, high)| (low, Some(high)));
            let low = values::value(low)?;
            let high = high.map(values::value).transpose()?;
            constant.has_range |= high.is_some();
            let high = high.unwrap_or(low);
            if high < low {
                return Err(format!("`{}` is empty: a range goes from its least value to its greatest", part.trim()));
            }
            if high.abs_diff(low) >= MOST as u64 || constant.values.len() >= MOST {
                return Err(format!("`{name}` has more than {MOST} values"));
            }
            constant.values.extend(low..=high);
        }
        let mut sorted = constant.values.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("{} stands twice among the values of `{name}`", pair[0])),
            None => Ok(constant),
        }
    }

    /// The constant with one of its values.
    pub(crate) fn only(&self, value: i64) -> Constant {
        Constant { values: vec![value], ..self.clone() }
    }

    /// A constant with one value, as a word of a command line that is read back as the same.
    pub(crate) fn word(&self) -> String {
        let value = |value: &i64| if self.has_range { format!("{value}..{value}") } else { value.to_string() };
        format!("-D{}={}", self.name, self.values.iter().map(value).collect::<Vec<_>>().join(","))
    }
}

/// Whether some constant has several values.
pub(crate) fn is_sweep(constants: &[Constant]) -> bool {
    constants.iter().any(|constant| constant.values.len() > 1)
}

/// All combinations of one value for each constant that has several; one empty assignment where none has.
///
/// # Errors
/// More than [`MOST`] combinations, or a constant of several values that stands twice.
pub(crate) fn assignments(constants: &[Constant]) -> Result<Vec<Assignment>, String> {
    let mut all = vec![Assignment::new()];
    for (at, constant) in constants.iter().enumerate() {
        let is_again = constants[..at].iter().any(|earlier| earlier.name == constant.name);
        if is_again && is_sweep(&constants[..=at]) {
            return Err(format!("`{}` has several values and stands twice", constant.name));
        }
        if constant.values.len() == 1 {
            continue;
        }
        if all.len() * constant.values.len() > MOST {
            return Err(format!("there are more than {MOST} combinations of values"));
        }
        let with = |assignment: &Assignment| {
            let assignment = assignment.clone();
            constant.values.iter().map(move |&value| {
                let mut longer = assignment.clone();
                longer.push((constant.name.clone(), value));
                longer
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    Ok(all)
}

/// The constants with the values that an assignment gives.
pub(crate) fn assigned(constants: &[Constant], assignment: &Assignment) -> Vec<Constant> {
    let value =
        |constant: &Constant| assignment.iter().find(|(name, _)| *name == constant.name).map(|(_, value)| *value);
    constants
        .iter()
        .map(|constant| value(constant).map_or_else(|| constant.clone(), |value| constant.only(value)))
        .collect()
}

/// `M=2 N=4`, by name.
pub(crate) fn written(assignment: &Assignment) -> String {
    let mut words: Vec<String> = assignment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.sort_unstable();
    words.join(" ")
}

/// A model with the values of its constants, for people: `ring.lpe M=2 N=4`.
pub(crate) fn named(path: &str, written: &str) -> String {
    if written.is_empty() { path.to_owned() } else { format!("{path} {written}") }
}

/// Whether every value is at least that of another assignment of the same constants, and some is greater.
pub(crate) fn is_larger(assignment: &Assignment, than: &Assignment) -> bool {
    let value = |name: &String| than.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    assignment != than
        && assignment.len() == than.len()
        && assignment.iter().all(|(name, own)| value(name).is_some_and(|other| *own >= other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<i64> {
        Constant::read(text).expect(text).values
    }

    #[test]
    fn one_value_or_several() {
        assert_eq!(values("N=5"), [5]);
        assert_eq!(values(" max_1 = -3 "), [-3]);
        assert_eq!(values("N=-1..2"), [-1, 0, 1, 2]);
        assert_eq!(values("N= 2, 4 ,8"), [2, 4, 8]);
        assert_eq!(values("N=8,2..4"), [8, 2, 3, 4]);
        assert_eq!(values("on=true,false"), [1, 0]);
        for text in
            ["N", "=5", "1N=5", "N=five", "N=", "a b=1", "N=2..", "N=..2", "N=4..2", "N=1,,2", "N=1,1", "N=1..3,2"]
        {
            assert!(Constant::read(text).is_err(), "{text}");
        }
        for text in ["N=0..10000", "N=-9223372036854775808..9223372036854775807", "N=1..9999,10000..10002,20000"] {
            assert!(Constant::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn words_are_read_back() {
        for text in ["N=5", "N=2..4", "N=2,4,8", "on=true"] {
            let constant = Constant::read(text).expect(text);
            for &value in &constant.values {
                let one = constant.only(value);
                assert_eq!(Constant::read(one.word().trim_start_matches("-D")), Ok(one));
            }
        }
    }

    #[test]
    fn assignments_are_all_combinations_once() {
        let constants = ["A=1..2", "B=7", "C=3,5"].map(|text| Constant::read(text).expect(text));
        let all: Vec<String> = assignments(&constants).expect("few").iter().map(written).collect();
        assert_eq!(all, ["A=1 C=3", "A=1 C=5", "A=2 C=3", "A=2 C=5"]);
        let first = &assignments(&constants).expect("few")[0];
        let words: Vec<String> = assigned(&constants, first).iter().map(Constant::word).collect();
        assert_eq!(words, ["-DA=1..1", "-DB=7", "-DC=3"]);
        assert_eq!(assignments(&[]), Ok(vec![Vec::new()]));
        let large = ["A=1..100", "B=1..101"].map(|text| Constant::read(text).expect(text));
        assert!(assignments(&large).is_err());
        for twice in [["A=1..2", "A=3"], ["A=3", "A=1..2"]] {
            assert!(assignments(&twice.map(|text| Constant::read(text).expect(text))).is_err());
        }
        let last_wins = ["A=1", "A=2"].map(|text| Constant::read(text).expect(text));
        assert_eq!(assignments(&last_wins), Ok(vec![Vec::new()]));
    }

    #[test]
    fn larger_is_larger_in_no_direction_smaller() {
        let of = |a: i64, b: i64| vec![("A".to_owned(), a), ("B".to_owned(), b)];
        assert!(is_larger(&of(2, 2), &of(1, 2)) && is_larger(&of(3, 3), &of(1, 2)));
        assert!(
            !is_larger(&of(2, 2), &of(2, 2)) && !is_larger(&of(3, 1), &of(1, 2)) && !is_larger(&of(1, 1), &of(1, 2))
        );
        assert!(!is_larger(&vec![("C".to_owned(), 9)], &vec![("A".to_owned(), 1)]));
    }
}
