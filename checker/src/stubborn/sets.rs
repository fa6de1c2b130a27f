//! Rows of instances: words while a process has few instances, compressed bitmaps for more.
//!
//! A process of a thousand cells has thousands of instances, each of which depends on its neighbours: rows of words
//! take the square of the instances, compressed rows only their members. Below [`MOST_WORDS`] words per row words are
//! faster, whatever their members. The sets that a choice grows are always words: there are few of them.
//!
//! Invariants: every member is less than the number of instances; both forms have the same members.
//!
//! Complexity: a step of growing takes as long as a row has words, or members.
//!
//! Source: compressed bitmaps of Lemire and others, by `roaring`.

use roaring::RoaringBitmap;

/// The most words of a row; longer rows are compressed.
const MOST_WORDS: usize = 32;

/// Rows of instances.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// Each row has so many words.
    Words(usize, Vec<u64>),
    /// Each row has its members.
    Compressed(Vec<RoaringBitmap>),
}

impl Rows {
    /// No rows, of a process with so many instances.
    pub(crate) fn new(instances: usize) -> Rows {
        match words(instances) {
            words @ ..=MOST_WORDS => Rows::Words(words, Vec::new()),
            _ => Rows::Compressed(Vec::new()),
        }
    }

    /// The same rows, compressed.
    #[cfg(test)]
    pub(crate) fn compressed(&self) -> Rows {
        match self {
            Rows::Words(words, all) => {
                let members = |row: &[u64]| (0..).take(64 * words).filter(|&at| has(row, at as usize)).collect();
                Rows::Compressed(all.chunks_exact(*words).map(members).collect())
            }
            Rows::Compressed(_) => self.clone(),
        }
    }

    /// Adds a row; returns the bytes that it takes, approximately.
    pub(crate) fn push(&mut self, members: RoaringBitmap) -> u64 {
        match self {
            Rows::Words(words, all) => {
                let first = all.len();
                all.resize(first + *words, 0);
                assert!(members.max().is_none_or(|at| (at as usize) < 64 * *words), "members are instances");
                members.iter().for_each(|at| set(&mut all[first..], at as usize));
                *words as u64 * 8
            }
            Rows::Compressed(all) => {
                let bytes = members.serialized_size() as u64 + 48;
                all.push(members);
                bytes
            }
        }
    }

    /// The number of members of a row.
    pub(crate) fn count(&self, row: u32) -> u64 {
        match self {
            Rows::Words(words, all) => ones(slice(all, *words, row)) as u64,
            Rows::Compressed(all) => all[row as usize].len(),
        }
    }

    /// Whether a row has a member.
    pub(crate) fn has(&self, row: u32, at: usize) -> bool {
        match self {
            Rows::Words(words, all) => has(slice(all, *words, row), at),
            Rows::Compressed(all) => all[row as usize].contains(u32::try_from(at).expect("numbers have 32 bits")),
        }
    }

    /// The numbers of members of a row that a set does not have: those in each of two other sets, then all.
    pub(crate) fn missing(&self, row: u32, from: &[u64], among: [&[u64]; 2]) -> [u32; 3] {
        let [mut first, mut second, mut count] = [0; 3];
        match self {
            Rows::Words(words, all) => {
                for (at, row) in slice(all, *words, row).iter().enumerate() {
                    let missing = row & !from[at];
                    // Counting takes longer than looking.
                    if missing != 0 {
                        count += missing.count_ones();
                        if missing & (among[0][at] | among[1][at]) != 0 {
                            first += (missing & among[0][at]).count_ones();
                            second += (missing & among[1][at]).count_ones();
                        }
                    }
                }
            }
            Rows::Compressed(all) => {
                for at in all[row as usize].iter().map(|at| at as usize).filter(|&at| !has(from, at)) {
                    first += u32::from(has(among[0], at));
                    second += u32::from(has(among[1], at));
                    count += 1;
                }
            }
        }
        [first, second, count]
    }

    /// Adds the members of a row to a set, and the new ones to a list.
    pub(crate) fn add(&self, row: u32, to: &mut [u64], new: &mut Vec<u32>) {
        match self {
            Rows::Words(words, all) => {
                for (at, (row, to)) in slice(all, *words, row).iter().zip(to.iter_mut()).enumerate() {
                    let mut added = row & !*to;
                    *to |= row;
                    while added != 0 {
                        new.push(u32::try_from(at * 64).expect("numbers have 32 bits") + added.trailing_zeros());
                        added &= added - 1;
                    }
                }
            }
            Rows::Compressed(all) => {
                for at in &all[row as usize] {
                    if !has(to, at as usize) {
                        set(to, at as usize);
                        new.push(at);
                    }
                }
            }
        }
    }
}

/// The words of a set of instances.
pub(crate) fn words(instances: usize) -> usize {
    instances.div_ceil(64).max(1)
}

/// Adds a member to a set.
pub(crate) fn set(row: &mut [u64], at: usize) {
    row[at / 64] |= 1 << (at % 64);
}

/// Whether a set has a member.
pub(crate) fn has(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

/// The number of members of a set.
pub(crate) fn ones(row: &[u64]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

fn slice(all: &[u64], words: usize, row: u32) -> &[u64] {
    &all[row as usize * words..][..words]
}
