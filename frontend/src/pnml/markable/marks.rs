//! [`Marks`]: the tokens that may lie in a place, in the order in which they were found.

use rustc_hash::{FxHashMap, FxHashSet};

/// A tuple of basic values.
pub(in crate::pnml) type Colour = Vec<i32>;

/// The tokens of earlier rounds, those that the last round found, or both.
#[derive(Clone, Copy)]
pub(super) enum When {
    Old,
    New,
    Any,
}

/// The tokens of a place.
#[derive(Default)]
pub(super) struct Marks {
    list: Vec<Colour>,
    known: FxHashSet<Colour>,
    /// The number of tokens that were matched in earlier rounds.
    old: usize,
    /// The number of tokens that this round matches.
    now: usize,
    /// For each set of parts, as bits, the tokens by these parts.
    indices: FxHashMap<u32, Index>,
}

/// The first tokens of a place by some of their parts.
#[derive(Default)]
struct Index {
    count: usize,
    tokens: FxHashMap<Colour, Vec<usize>>,
}

impl Marks {
    /// Adds a token.
    pub(super) fn add(&mut self, colour: &[i32]) {
        if !self.has(colour) {
            self.known.insert(colour.to_vec());
            self.list.push(colour.to_vec());
        }
    }

    /// Whether a token was found.
    pub(super) fn has(&self, colour: &[i32]) -> bool {
        self.known.contains(colour)
    }

    /// The token of a number.
    pub(super) fn colour(&self, number: usize) -> &Colour {
        &self.list[number]
    }

    /// All tokens, ascending.
    pub(super) fn into_colours(self) -> Vec<Colour> {
        debug_assert_eq!(self.list.len(), self.known.len(), "a colour is listed once");
        let mut colours = self.list;
        colours.sort_unstable();
        colours
    }

    /// Begins a round, which matches the tokens that were found until now.
    pub(super) fn begin_round(&mut self) {
        (self.old, self.now) = (self.now, self.list.len());
    }

    /// Whether this round matches tokens for the first time.
    pub(super) fn has_new(&self) -> bool {
        self.old < self.now
    }

    /// Whether tokens were found in this round.
    pub(super) fn grew(&self) -> bool {
        self.now < self.list.len()
    }

    /// The numbers of the tokens with these parts.
    pub(super) fn matching(&mut self, parts: u32, key: &Colour, when: When) -> Vec<usize> {
        let index = self.indices.entry(parts).or_default();
        debug_assert!(index.count <= self.now, "an index has tokens of earlier rounds only");
        for (number, token) in self.list.iter().enumerate().take(self.now).skip(index.count) {
            let parts = (0..).zip(token).filter(|(part, _)| parts >> part & 1 == 1);
            let found = index.tokens.entry(parts.map(|(_, &value)| value).collect()).or_default();
            debug_assert!(
                found.last().is_none_or(|&last| last < number),
                "numbers of tokens are ascending, for the search in them"
            );
            found.push(number);
        }
        index.count = self.now;
        let found = index.tokens.get(key).map_or(&[][..], Vec::as_slice);
        let old = found.partition_point(|&number| number < self.old);
        match when {
            When::Old => found[..old].to_vec(),
            When::New => found[old..].to_vec(),
            When::Any => found.to_vec(),
        }
    }
}
