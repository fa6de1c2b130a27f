//! `--repeat`: several runs of the same work as one result, with the median of each time.
//!
//! Invariant: everything but times and memory is the same in all runs. Where it is not, there is no result: either the tool or the machine
//! is at fault.

/// A result with times.
pub(super) trait Timed: Clone + PartialEq {
    /// Its times, in a fixed order, and as many for equal results.
    fn times(&mut self) -> Vec<&mut f64>;

    /// The result without what differs from run to run.
    fn timeless(self) -> Self;
}

/// The first of some results, of which there is at least one, with the median of each time.
///
/// # Errors
/// The first result that is another one.
pub(super) fn merged<T: Timed>(results: &[T]) -> Result<T, T> {
    let first = results[0].clone().timeless();
    if let Some(other) = results.iter().find(|result| (*result).clone().timeless() != first) {
        return Err(other.clone());
    }
    let mut results = results.to_vec();
    let mut merged = results[0].clone();
    let times = merged.times().len();
    debug_assert!(
        results.iter_mut().all(|result| result.times().len() == times),
        "equal results have equally many times"
    );
    for (at, slot) in merged.times().into_iter().enumerate() {
        let values = results.iter_mut().filter_map(|result| result.times().into_iter().nth(at).map(|time| *time));
        *slot = median(values.collect());
    }
    Ok(merged)
}

/// The least and the greatest of some values, if each result has one and there is a result.
pub(super) fn spread<T>(results: &[T], value: impl Fn(&T) -> Option<f64>) -> Option<[f64; 2]> {
    let values: Vec<f64> = results.iter().map(value).collect::<Option<_>>()?;
    let least = values.iter().copied().reduce(f64::min)?;
    let greatest = values.into_iter().reduce(f64::max)?;
    debug_assert!(least <= greatest, "times are numbers");
    Some([least, greatest])
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        even if even % 2 == 0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::{Timed, median, merged, spread};

    #[derive(Clone, PartialEq, Debug)]
    struct Run(u64, f64);

    impl Timed for Run {
        fn times(&mut self) -> Vec<&mut f64> {
            vec![&mut self.1]
        }

        fn timeless(self) -> Run {
            Run(self.0, 0.0)
        }
    }

    #[test]
    fn results_have_the_median_of_their_times() {
        let runs = [Run(5, 4.0), Run(5, 1.0), Run(5, 2.0)];
        assert_eq!(merged(&runs), Ok(Run(5, 2.0)));
        assert_eq!(spread(&runs, |run| Some(run.1)), Some([1.0, 4.0]));
        assert_eq!(spread(&runs, |run| (run.1 > 1.0).then_some(run.1)), None);
        assert_eq!(merged(&[Run(5, 1.0), Run(5, 1.0), Run(6, 1.0)]), Err(Run(6, 1.0)));
        assert!((median(vec![4.0, 1.0]) - 2.5).abs() < 1e-9);
    }
}
