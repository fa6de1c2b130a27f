//! How often the parts of a model were executed: one count per summand, rule or message server, in the order of the language.
//!
//! An expansion notes the part of each step that it computes. Its space adds them once the expansion is part of the search, so that steps
//! that were computed ahead, deferred or repeated for want of memory count once. A fork begins at zero; the counts of a search are the
//! sums over its spaces.
//!
//! Soundness: a part without a count was executed by no expanded state. That it is never executed follows for a complete search whose
//! reductions leave out no step (`docs/soundness.md`, coverage).

use std::io;

use crate::checkpoint::{Damaged, Reader, Writer};

/// The counts of one space.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Executions(Vec<u64>);

impl Executions {
    /// No executions of so many parts.
    pub fn new(parts: usize) -> Executions {
        Executions(vec![0; parts])
    }

    /// No executions of as many parts.
    #[must_use]
    pub fn emptied(&self) -> Executions {
        Executions::new(self.0.len())
    }

    /// Adds an execution of each of these parts.
    #[inline]
    pub fn add(&mut self, parts: impl IntoIterator<Item = u32>) {
        for part in parts {
            self.0[part as usize] += 1;
        }
    }

    /// Writes the counts.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.0.len())?;
        self.0.iter().try_for_each(|&count| to.u64(count))
    }

    /// Reads saved counts of as many parts.
    ///
    /// # Errors
    /// They were written for another model.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        if from.len(size_of::<u64>())? != self.0.len() {
            return Err(Damaged);
        }
        self.0.iter_mut().try_for_each(|count| from.u64().map(|saved| *count = saved))
    }
}

/// The sums of the counts of several spaces of one model; `None` where one of them does not count.
pub(crate) fn sum<'a>(spaces: impl Iterator<Item = Option<&'a Executions>>) -> Option<Vec<u64>> {
    let mut sums = Vec::new();
    for space in spaces {
        let Executions(counts) = space?;
        sums.resize(counts.len(), 0);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::{Executions, sum};

    #[test]
    fn counts_of_spaces_are_added() {
        let mut one = Executions::new(3);
        one.add([0, 2, 2]);
        let mut other = one.emptied();
        other.add([2]);
        assert_eq!(sum([Some(&one), Some(&other)].into_iter()), Some(vec![1, 0, 3]));
        assert_eq!(sum([Some(&one), None].into_iter()), None);
    }

    #[test]
    fn counts_are_those_that_were_saved() {
        let mut saved = Executions::new(2);
        saved.add([1]);
        let mut bytes = Vec::new();
        saved.save(&mut crate::checkpoint::Writer(&mut bytes)).expect("memory");
        let mut restored = saved.emptied();
        assert!(restored.restore(&mut crate::checkpoint::Reader(&bytes)).is_ok());
        assert_eq!(restored, saved);
        assert!(Executions::new(3).restore(&mut crate::checkpoint::Reader(&bytes)).is_err());
    }
}
