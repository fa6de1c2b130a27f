//! How often the parts of a model were executed: numbered sets of parts, and one count per set.
//!
//! A step executes a set of parts: its summand, rule or message server, and the branches, assertions and alternatives inside. Sets are
//! numbered, each part by itself first, so that a step notes one number, whatever it executes. An expansion notes the sets of the steps that
//! it computes. They are added once the expansion is part of the search, so that steps that were computed ahead, deferred, or taken back
//! for want of room and repeated count once. A fork begins at zero; the counts of a search are the sums over its spaces.
//!
//! Invariants: a set keeps its number in a space and in the forks that are made later; set `n` below the number of parts is `{n}`; one set
//! has one number.
//!
//! Soundness: a part without a count was executed by no expanded state. That it is never executed follows for a complete search whose
//! reductions leave out no step (`docs/soundness.md`, coverage).

use std::io;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::checkpoint::{Damaged, Reader, Writer};
use crate::memory::bytes_of;

/// The counts of one space.
#[derive(Clone, Default, Debug)]
pub struct Executions {
    /// The parts of each set, ascending.
    sets: IndexSet<Box<[u32]>, FxBuildHasher>,
    /// The steps that executed each set.
    steps: Vec<u64>,
    /// Earlier steps that executed each part.
    earlier: Vec<u64>,
    /// The number of each set that was noted by bits.
    by_bits: FxHashMap<Box<[u64]>, u32>,
    /// For each part around others the last set that was noted by bits: steps of one part often execute the same.
    last: Vec<Option<(Box<[u64]>, u32)>>,
    /// Bytes of the sets that were numbered after the parts.
    held: u64,
}

/// The most sets that are numbered when they are noted by bits: others are noted part by part.
const MOST_SETS: usize = 1 << 16;

/// The parts that a step executes.
#[derive(Clone, Copy, Debug)]
pub struct Noted<'a> {
    /// The part around the others, then bits of those.
    pub words: &'a [u64],
    /// The part of the first bit.
    pub first: u32,
}

impl Executions {
    /// No executions of so many parts.
    pub fn new(parts: usize) -> Executions {
        let number = |part| u32::try_from(part).expect("parts are bounded by the text");
        let sets = (0..parts).map(|part| Box::from([number(part)])).collect();
        Executions {
            sets,
            steps: vec![0; parts],
            earlier: vec![0; parts],
            by_bits: FxHashMap::default(),
            last: Vec::new(),
            held: 0,
        }
    }

    /// No executions of the same parts, with the same numbers of sets.
    #[must_use]
    pub fn emptied(&self) -> Executions {
        let (steps, earlier) = (vec![0; self.steps.len()], vec![0; self.earlier.len()]);
        Executions {
            sets: self.sets.clone(),
            steps,
            earlier,
            by_bits: self.by_bits.clone(),
            last: Vec::new(),
            held: self.held,
        }
    }

    /// The number of a set of parts.
    pub fn set(&mut self, mut parts: Vec<u32>) -> u32 {
        parts.sort_unstable();
        parts.dedup();
        let bytes = bytes_of::<u32>(parts.len()) + bytes_of::<Box<[u32]>>(2);
        let (number, is_new) = self.sets.insert_full(parts.into());
        if is_new {
            self.held += bytes;
            self.steps.push(0);
        }
        assert_eq!(self.steps.len(), self.sets.len(), "each set has its count");
        u32::try_from(number).expect("sets are bounded by the steps that are remembered")
    }

    /// Adds the numbers of sets to a list that make up the parts of a step.
    ///
    /// # Panics
    /// If there is no word.
    #[inline]
    pub fn note(&mut self, noted: Noted<'_>, list: &mut Vec<u32>) {
        if noted.words[1..].iter().all(|&bits| bits == 0) {
            return list.push(part(noted.words[0]));
        }
        let outer = part(noted.words[0]) as usize;
        match self.last.get(outer) {
            Some(Some((words, set))) if **words == *noted.words => list.push(*set),
            _ => self.note_other(noted, outer, list),
        }
    }

    /// As `note`, where the last set of the part around the others is another one.
    #[inline(never)]
    fn note_other(&mut self, noted: Noted<'_>, outer: usize, list: &mut Vec<u32>) {
        let Some(&set) = self.by_bits.get(noted.words) else { return self.note_first(noted, list) };
        list.push(set);
        if self.last.len() <= outer {
            self.last.resize(outer + 1, None);
        }
        match &mut self.last[outer] {
            Some((words, last)) => {
                words.copy_from_slice(noted.words);
                *last = set;
            }
            none => *none = Some((noted.words.into(), set)),
        }
    }

    /// As `note`, for a set without a number.
    #[inline(never)]
    fn note_first(&mut self, noted: Noted<'_>, list: &mut Vec<u32>) {
        let before = list.len();
        list.push(part(noted.words[0]));
        for (at, &word) in (0u32..).zip(&noted.words[1..]) {
            let mut bits = word;
            while bits != 0 {
                list.push(noted.first + 64 * at + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        if self.by_bits.len() >= MOST_SETS {
            // Each part is a set by itself.
            return;
        }
        let parts = list.split_off(before);
        let set = self.set(parts);
        self.by_bits.insert(noted.words.into(), set);
        self.held += bytes_of::<u64>(noted.words.len()) + bytes_of::<(Box<[u64]>, u32)>(2);
        list.push(set);
    }

    /// Adds a step that executes each of these sets.
    #[inline]
    pub fn add(&mut self, sets: impl IntoIterator<Item = u32>) {
        for set in sets {
            self.steps[set as usize] += 1;
        }
    }

    /// Bytes that the sets hold, but for those of single parts.
    pub fn bytes(&self) -> u64 {
        self.held
    }

    /// The steps that executed each part.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = self.earlier.clone();
        for (set, steps) in self.sets.iter().zip(&self.steps) {
            set.iter().for_each(|&part| counts[part as usize] += steps);
        }
        counts
    }

    /// Writes the counts.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let counts = self.counts();
        to.len(counts.len())?;
        counts.into_iter().try_for_each(|count| to.u64(count))
    }

    /// Reads saved counts of as many parts.
    ///
    /// # Errors
    /// They were written for another model.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        if from.len(size_of::<u64>())? != self.earlier.len() {
            return Err(Damaged);
        }
        self.steps.fill(0);
        self.earlier.iter_mut().try_for_each(|count| from.u64().map(|saved| *count = saved))
    }
}

fn part(word: u64) -> u32 {
    u32::try_from(word).expect("a part")
}

/// The sums of the counts of several spaces of one model; `None` where one of them does not count.
pub(crate) fn sum<'a>(spaces: impl Iterator<Item = Option<&'a Executions>>) -> Option<Vec<u64>> {
    let mut sums = Vec::new();
    for space in spaces {
        let counts = space?.counts();
        sums.resize(counts.len(), 0);
        sums.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::{Executions, Noted, sum};

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
    fn a_step_executes_each_part_of_its_set() {
        let mut one = Executions::new(4);
        let set = one.set(vec![3, 1, 3]);
        assert_eq!((set, one.set(vec![1, 3]), one.set(vec![2])), (4, 4, 2));
        one.add([set, 1]);
        let mut other = one.emptied();
        other.add([set]);
        assert_eq!((one.counts(), other.counts()), (vec![0, 2, 0, 1], vec![0, 1, 0, 1]));
    }

    #[test]
    fn parts_are_noted_by_bits() {
        let mut one = Executions::new(200);
        let mut list = Vec::new();
        for words in [[3, 0, 0], [3, 1 << 5, 1], [3, 1 << 5, 1]] {
            one.note(Noted { words: &words, first: 10 }, &mut list);
        }
        assert_eq!(list, [3, 200, 200]);
        one.add(list);
        let counts = one.counts();
        assert_eq!([counts[3], counts[15], counts[74]], [3, 2, 2]);
        assert_eq!(counts.iter().sum::<u64>(), 7);
        // More sets than are numbered.
        let mut all = vec![0; 200];
        for bits in 0..2 * super::MOST_SETS as u64 {
            let mut list = Vec::new();
            one.note(Noted { words: &[4, bits, 7], first: 10 }, &mut list);
            one.add(list);
            (0..64).for_each(|bit| all[10 + bit] += bits >> bit & 1);
        }
        let counts: Vec<u64> = one.counts().iter().zip(counts).map(|(now, before)| now - before).collect();
        assert_eq!(counts[10..74], all[10..74]);
        assert_eq!([counts[4], counts[74]], [2 * super::MOST_SETS as u64; 2]);
        assert!(one.sets.len() <= 200 + 1 + super::MOST_SETS);
        assert!(one.bytes() > 64 * super::MOST_SETS as u64, "{} bytes", one.bytes());
    }

    #[test]
    fn counts_are_those_that_were_saved() {
        let mut saved = Executions::new(2);
        saved.add([1]);
        let both = saved.set(vec![0, 1]);
        saved.add([both]);
        let mut bytes = Vec::new();
        saved.save(&mut crate::checkpoint::Writer(&mut bytes)).expect("memory");
        let mut restored = Executions::new(2);
        assert!(restored.restore(&mut crate::checkpoint::Reader(&bytes)).is_ok());
        assert_eq!(restored.counts(), saved.counts());
        assert!(Executions::new(3).restore(&mut crate::checkpoint::Reader(&bytes)).is_err());
    }
}
