//! What is seen of a model whatever its language, and whether more values of a sort of data change it.

/// The states up to exchanging data, the verdicts, and the most data in use.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Seen {
    pub(crate) classes: usize,
    pub(crate) has_deadlock: bool,
    pub(crate) is_violated: bool,
    pub(crate) has_fault: bool,
    pub(crate) used: usize,
}

/// Whether a model with more values differs from one with enough of them; nothing where 5 are not known to be enough. `of` gives, for a number of values,
/// what is seen and the number of values that are needed.
pub(crate) fn differs(of: impl Fn(usize) -> Option<(Seen, usize)>) -> Option<bool> {
    let (small, needed) = of(5)?;
    let least = small.used + needed;
    let same = |values: usize| of(values).is_some_and(|(found, _)| found == small);
    (least <= 5).then(|| !(least.max(2)..=7).all(same))
}
