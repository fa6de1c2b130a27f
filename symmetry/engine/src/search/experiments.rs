//! Experimental paths: random descents that look for an image before a search refutes systematically.
//!
//! Where a cell holds several orbits, a survey of all its children finds the right one for certain, but costs as much as many descents. So
//! a search first descends a few times: at each level it tries the choice that keeps the support small, then random ones, until one has
//! the recorded words. A descent whose choices all fail starts again at the top. Experiments live on credit: images that they find refill
//! it, nodes that lead nowhere use it up, so that rigid graphs are surveyed at once.
//!
//! # Soundness
//!
//! A leaf counts only if its map is certified. An experiment refutes nothing but the first choice, by its own words.
//!
//! # Source
//!
//! [McKay14], section on Traces.

use super::images::Certify;
use super::{Budget, ImageSearch, Outcome};
use crate::group::RandomSource;

/// The credit of a search along a path, in nodes.
pub(crate) const CREDIT: u64 = 96;
/// The nodes of one experiment in addition to some per level.
const NODES: u64 = 16;
/// The most choices that a descent tries at one level.
const CHOICES: u32 = 6;

impl ImageSearch<'_> {
    /// Looks for an image by random descents. `None` when nothing is known afterwards; the partition is restored.
    pub(crate) fn experiment(
        &mut self,
        level: usize,
        choice: u32,
        budget: &mut Budget,
        certify: Certify<'_>,
    ) -> Option<Outcome> {
        let deeper = &self.path.levels[level + 1..];
        if self.credit == 0 || deeper.iter().all(|level| level.length == level.orbit) {
            return None;
        }
        let most = (NODES + 4 * deeper.len() as u64).min(self.credit);
        let root = self.partition.splits().len();
        if !budget.visit() {
            return Some(Outcome::Unknown);
        }
        if !self.follow(level, choice) {
            self.undo_to(root);
            return Some(Outcome::Absent);
        }
        let before = budget.nodes();
        let outcome = self.descend(root, level + 1, before + most, choice, budget, certify);
        self.undo_to(root);
        match outcome {
            Some(Outcome::Found(_)) => self.credit = CREDIT,
            _ => self.credit = self.credit.saturating_sub(budget.nodes() - before),
        }
        outcome
    }

    /// Descends again and again from the current node, whose children are at `level`, until the number of nodes is reached.
    fn descend(
        &mut self,
        root: usize,
        level: usize,
        last: u64,
        seed: u32,
        budget: &mut Budget,
        certify: Certify<'_>,
    ) -> Option<Outcome> {
        if let Some(pairs) = self.candidate(root).filter(|pairs| certify(pairs)) {
            return Some(Outcome::Found(pairs));
        }
        let top = self.partition.splits().len();
        let mut is_first = true;
        let mut random = RandomSource::new(u64::from(seed));
        loop {
            self.undo_to(top);
            for at in level..self.path.levels.len() {
                let mark = self.partition.splits().len();
                let next = self.path.levels[at];
                let choices = if next.length > next.orbit { CHOICES } else { 1 };
                let mut survived = false;
                for attempt in 0..choices {
                    if budget.nodes() >= last {
                        return None;
                    }
                    let first = self.first_choice(at).filter(|_| attempt == 0 && is_first);
                    let cell = self.cell(at);
                    let vertex = first.or_else(|| Some(*cell.get(random.below(cell.len().max(1)))?))?;
                    if !budget.visit() {
                        return Some(Outcome::Unknown);
                    }
                    survived = self.follow(at, vertex);
                    if survived {
                        break;
                    }
                    self.undo_to(mark);
                }
                if !survived {
                    break;
                }
                if let Some(pairs) = self.candidate(root).filter(|pairs| certify(pairs)) {
                    return Some(Outcome::Found(pairs));
                }
            }
            is_first = false;
        }
    }
}
