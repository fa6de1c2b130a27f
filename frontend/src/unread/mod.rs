//! Variables that are never read: what a text stores and nothing depends on.
//!
//! A read counts if it decides something: in a condition, an index, an argument, a result, an assertion, a property, or the value of a variable
//! that is read itself. A read in an assignment to the same variable does not count, nor does one in an assignment to a variable that
//! is never read: `n := n + 1` alone is not a read, even where the sum may leave the range of `n`. A read that may itself fault counts: of a scalar of Rebeca that may be
//! undefined, and of a variable of Murphi that may be. What depends on what is found without running the model: a read in a
//! part that is never executed counts.
//!
//! Not reported: names that begin with `_`, and variables that the idioms of a language ask for (see each language). Reads of variables into
//! these count. A variable that is not reported may be useless all the same; one that is reported has no read that counts.
//!
//! Complexity: linear in the text, and for the variables that are only stored in others linear in these assignments.

mod actors;
mod murphi;
mod process;

use std::collections::{BTreeMap, BTreeSet};

pub use actors::of_actors;
pub use murphi::of_murphi;
pub use process::of_process;

use crate::source::Span;

/// The kind of what is never read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UnreadKind {
    /// A variable of the state.
    Variable,
    /// A local variable.
    Local,
    /// A parameter.
    Parameter,
    /// A field of a record.
    Field,
}

/// What happens to it instead.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Instead {
    /// Nothing.
    Nothing,
    /// It is assigned.
    Written,
    /// It is assigned, and read for that only.
    ReadForItself,
    /// It is read for assignments to variables that are never read, this one among them.
    ReadFor(String),
}

/// A variable that is never read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unread {
    /// The place of its declaration.
    pub span: Span,
    /// Its kind.
    pub kind: UnreadKind,
    /// Its name.
    pub name: String,
    /// What happens to it.
    pub instead: Instead,
}

/// Whether a name says that its variable is not read. The names of parts are behind dots.
pub(crate) fn is_exempt(name: &str) -> bool {
    name.rsplit('.').next().unwrap_or(name).starts_with('_')
}

/// The reads and writes of variables `K`.
#[derive(Clone, Debug)]
pub(crate) struct Uses<K> {
    read: BTreeSet<K>,
    written: BTreeSet<K>,
    /// For each variable the ones that are assigned what it holds.
    into: BTreeMap<K, BTreeSet<K>>,
}

impl<K: Copy + Ord> Uses<K> {
    pub(crate) fn new() -> Uses<K> {
        Uses { read: BTreeSet::new(), written: BTreeSet::new(), into: BTreeMap::new() }
    }

    /// A read that counts.
    pub(crate) fn read(&mut self, variable: K) {
        self.read.insert(variable);
    }

    /// An assignment.
    pub(crate) fn write(&mut self, variable: K) {
        self.written.insert(variable);
    }

    /// A read in the value that is assigned to a variable.
    pub(crate) fn flow(&mut self, from: K, to: K) {
        self.into.entry(from).or_default().insert(to);
    }

    /// Counts the reads into variables that are read.
    pub(crate) fn close(&mut self) {
        let mut from: BTreeMap<K, Vec<K>> = BTreeMap::new();
        for (&source, targets) in &self.into {
            targets.iter().for_each(|&target| from.entry(target).or_default().push(source));
        }
        let mut open: Vec<K> = self.read.iter().copied().collect();
        while let Some(next) = open.pop() {
            limits::work(1);
            for &source in from.get(&next).into_iter().flatten() {
                if self.read.insert(source) {
                    open.push(source);
                }
            }
        }
        let is_closed =
            |(source, targets): (&K, &BTreeSet<K>)| self.read.contains(source) || targets.is_disjoint(&self.read);
        debug_assert!(self.into.iter().all(is_closed), "what a read variable is assigned is read");
    }

    /// What happens to a variable that is never read, by the names of the others; `None` if it is read.
    pub(crate) fn instead(&self, variable: K, name: impl Fn(K) -> String) -> Option<Instead> {
        if self.read.contains(&variable) {
            return None;
        }
        let into = || self.into.get(&variable).into_iter().flatten();
        // References have no name: nothing is read through them.
        let mut others = into().filter(|&&target| target != variable).map(|&target| name(target));
        Some(match others.find(|name| !name.is_empty()) {
            Some(other) => Instead::ReadFor(other),
            None if into().any(|&target| target == variable) => Instead::ReadForItself,
            None if self.written.contains(&variable) => Instead::Written,
            None => Instead::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Instead, Uses};

    #[test]
    fn reads_are_followed_through_assignments() {
        let mut uses = Uses::new();
        // 0 -> 1 -> 2, and 2 is read; 3 -> 4 -> 3 are not; 5 reads itself; 6 is written; 7 is not named.
        [(0, 1), (1, 2), (3, 4), (4, 3), (5, 5)].into_iter().for_each(|(from, to)| uses.flow(from, to));
        uses.read(2);
        (1..=6).for_each(|variable| uses.write(variable));
        uses.close();
        let found: Vec<Option<Instead>> = (0..8).map(|variable| uses.instead(variable, |of| of.to_string())).collect();
        let into = |name: &str| Some(Instead::ReadFor(name.to_owned()));
        let (itself, written, nothing) = (Instead::ReadForItself, Instead::Written, Instead::Nothing);
        assert_eq!(found, [None, None, None, into("4"), into("3"), Some(itself), Some(written), Some(nothing)]);
    }
}
