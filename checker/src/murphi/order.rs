//! Whether an evaluation depends on the order of the values of scalar sets: the rules of the reference interpreter
//! (`independence`), on what compiled code notes.
//!
//! Every round of a loop has a number of its own, so that nothing is cleared between loops: a mark that is older than the loop
//! is none.

/// The watched loops and quantifiers in progress.
#[derive(Debug, Default)]
pub(super) struct Order {
    loops: Vec<Rounds>,
    /// The marks of slots, by the depth of their loop.
    marks: Vec<Vec<Mark>>,
    /// The number of the last round.
    last: u64,
    /// Whether the order may show.
    pub(super) is_broken: bool,
}

/// The rounds of one loop.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    /// Marks before this round are not of this loop.
    first: u64,
    round: u64,
    /// Slots from here on belong to calls inside of a round.
    limit: usize,
    /// Whether nothing may be written: all rounds of a quantifier are evaluated here, and in steps only some.
    is_pure: bool,
}

/// The rounds that read and wrote a slot last.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    read: u64,
    /// The last round in which the slot had been read by an earlier one.
    shared: u64,
    written: u64,
}

impl Order {
    /// Begins another evaluation.
    pub(super) fn clear(&mut self) {
        self.loops.clear();
    }

    /// Whether a loop is in progress.
    pub(super) fn is_inside(&self) -> bool {
        !self.loops.is_empty()
    }

    pub(super) fn begin(&mut self, limit: usize, is_pure: bool) {
        self.last += 1;
        let depth = self.loops.len();
        self.loops.push(Rounds { first: self.last, round: self.last, limit, is_pure });
        if self.marks.len() <= depth {
            self.marks.push(Vec::new());
        }
        if self.marks[depth].len() < limit {
            self.marks[depth].resize(limit, Mark::default());
        }
    }

    pub(super) fn next(&mut self) {
        debug_assert!(self.is_inside(), "a round is one of a loop");
        self.last += 1;
        if let Some(rounds) = self.loops.last_mut() {
            rounds.round = self.last;
        }
    }

    pub(super) fn end(&mut self) {
        let ended = self.loops.pop();
        debug_assert!(ended.is_some(), "a loop ends that began");
    }

    pub(super) fn read(&mut self, at: usize, count: usize) {
        for (rounds, marks) in self.loops.iter().zip(&mut self.marks) {
            let end = (at + count).min(rounds.limit);
            for mark in &mut marks[at.min(end)..end] {
                self.is_broken |= mark.written >= rounds.first && mark.written != rounds.round;
                if mark.read >= rounds.first && mark.read != rounds.round {
                    mark.shared = rounds.round;
                }
                mark.read = rounds.round;
            }
        }
    }

    /// A cover is met: in steps only some rounds of a quantifier are evaluated.
    pub(super) fn cover(&mut self) {
        self.is_broken |= self.loops.iter().any(|rounds| rounds.is_pure);
    }

    pub(super) fn write(&mut self, at: usize, count: usize) {
        for (rounds, marks) in self.loops.iter().zip(&mut self.marks) {
            let end = (at + count).min(rounds.limit);
            for mark in &mut marks[at.min(end)..end] {
                self.is_broken |= rounds.is_pure;
                self.is_broken |= mark.read >= rounds.first && mark.read != rounds.round;
                self.is_broken |= mark.shared >= rounds.first;
                self.is_broken |= mark.written >= rounds.first && mark.written != rounds.round;
                mark.written = rounds.round;
            }
        }
    }
}
