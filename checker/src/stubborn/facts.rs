//! The facts about the instances of a model that stubborn sets need, whatever the language.
//!
//! Elements are the fields of a packed state, and values the contents of the fields. Reads and writes are sets of elements.
//! For an element of few values the [`Track`] of an instance is more precise: it has the values from which the instance
//! starts, and the values that it may leave behind.
//!
//! Soundness: a language declares too many elements and values rather than too few. Whether an instance is enabled, whether it
//! faults and the values that it writes depend only on the elements that it reads.

use std::collections::BTreeSet;

/// The most values of an element that is followed value by value.
pub(crate) const MOST_VALUES: usize = 64;

/// The facts about an instance.
#[derive(Clone, Default, Debug)]
pub(crate) struct Facts {
    /// The elements that it reads.
    pub(crate) reads: BTreeSet<usize>,
    /// The elements that it may write.
    pub(crate) writes: BTreeSet<usize>,
    /// The changes that it may make to elements of few values.
    pub(crate) tracks: Vec<Track>,
    /// The only values of elements for which it may be enabled or fault.
    pub(crate) allowed: Vec<Among>,
    /// The conjuncts at the beginning of its guard, by number: while one of them is false it is neither enabled nor faults.
    pub(crate) conjuncts: Box<[u32]>,
    /// What else it depends on, by number.
    pub(crate) rest: u32,
    /// Whether it represents several instances that are not told apart.
    pub(crate) is_family: bool,
}

/// An element of few values, and a set of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Among {
    pub(crate) element: usize,
    pub(crate) values: u64,
}

/// A condition of a guard, by what may make it true, or fault, while it is false.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Condition {
    /// A write to one of these elements.
    Reads(BTreeSet<usize>),
    /// A change of one of these elements to one of these values from another one.
    Enters(Vec<Among>),
}

/// Where the values come from that make a condition true: as long as no element of a set has one of them, the first step after which one
/// does is of these instances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// The elements, those on which the condition depends among them.
    pub(crate) elements: Box<[usize]>,
    /// The values.
    pub(crate) values: u64,
    /// The instances, ascending.
    pub(crate) creators: Box<[u32]>,
}

/// The changes that an instance may make to one element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Track {
    /// The element.
    pub(crate) element: usize,
    /// By value: the set of values that it may have after the step; empty where the instance is not enabled.
    pub(crate) after: Box<[u64]>,
}

/// The members of a set, ascending.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let at = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            at
        })
    })
}
