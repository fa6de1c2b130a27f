//! The order of created rebecs that can act though no other rebec can reach them.
//!
//! Visiting one of them, and the rebecs that it reaches, gives a *segment*: the new slots and new local states of the
//! visited rebecs. Segments do not depend on old numbers. The order with the least list of segments is taken: at each
//! place the candidates with the least segment are tried, and where several have it, the later segments decide.
//!
//! Two candidates with equal segments can be exchanged if the rebecs visited from the one and from the other, in
//! order, form the same set, or differ in rebecs that the other did not visit, and no other remaining rebec names the
//! differing ones: mapping one list to the other, and back, is then a symmetry of the state that keeps the rebecs
//! visited before. So one of them represents both.
//!
//! Invariant: without a budget the result is the same for all renumberings of a state.
//!
//! Complexity: with `n` roots `n^2` segments if ties can be exchanged; up to `n!` otherwise, cut at
//! [`Tuning::numberings`](crate::tuning::Tuning) segments: then the first candidate is taken, a class may have
//! several representatives, and the state is counted as inexact.
//!
//! Source: ours; \[Ios02\] orders processes by their numbers, which rebecs do not have.

use super::heap::{HeapSymmetry, Numbering};
use super::tables::Tables;
use crate::tuning::TUNING;
use explore::memory::Halt;

/// The rebecs visited from one root: new slots with new local states.
type Segment = Vec<(u32, u32)>;

/// The search for the order of one state.
struct Ordering<'a, 'h, 'm> {
    heap: &'h mut HeapSymmetry,
    tables: &'a mut Tables<'m>,
    state: &'a [u32],
    tried: usize,
    is_exact: bool,
}

/// Visits all roots in an order that does not depend on their numbers.
///
/// # Errors
/// No room.
pub(super) fn ordered(
    heap: &mut HeapSymmetry,
    tables: &mut Tables<'_>,
    state: &[u32],
    mut numbering: Numbering,
    waiting: Vec<usize>,
) -> Result<Numbering, Halt> {
    if waiting.len() == 1 || heap.wrong.first_order() {
        waiting.into_iter().for_each(|root| heap.reach(tables, state, root, &mut numbering));
        return Ok(numbering);
    }
    let mut ordering = Ordering { heap, tables, state, tried: 0, is_exact: true };
    let (_, numbering) = ordering.least(numbering, waiting)?;
    if !ordering.is_exact {
        ordering.heap.inexact += 1;
    }
    Ok(numbering)
}

impl Ordering<'_, '_, '_> {
    /// The least list of segments, and the numbering after it.
    fn least(&mut self, mut numbering: Numbering, mut waiting: Vec<usize>) -> Result<(Vec<Segment>, Numbering), Halt> {
        let mut segments = Vec::new();
        loop {
            waiting.retain(|&root| !numbering.has(root));
            if waiting.is_empty() {
                return Ok((segments, numbering));
            }
            let mut tied = self.tied(&numbering, &waiting)?;
            if tied.len() == 1 || self.tried > TUNING.numberings {
                self.is_exact &= tied.len() == 1;
                let (segment, next) = tied.swap_remove(0);
                segments.push(segment);
                numbering = next;
                continue;
            }
            let mut best: Option<(Vec<Segment>, Numbering)> = None;
            for (segment, next) in tied {
                let (mut rest, last) = self.least(next, waiting.clone())?;
                rest.insert(0, segment);
                if best.as_ref().is_none_or(|(known, _)| rest < *known) {
                    best = Some((rest, last));
                }
            }
            let (rest, last) = best.expect("a tie has candidates");
            segments.extend(rest);
            return Ok((segments, last));
        }
    }

    /// The candidates with the least segment; of those that can be exchanged, the first.
    fn tied(&mut self, numbering: &Numbering, waiting: &[usize]) -> Result<Vec<(Segment, Numbering)>, Halt> {
        let mut tied: Vec<(Segment, Numbering)> = Vec::new();
        for &root in waiting {
            let (segment, next) = self.segment(numbering, root)?;
            match tied.first().map(|(least, _)| segment.cmp(least)) {
                Some(std::cmp::Ordering::Greater) => {}
                Some(std::cmp::Ordering::Equal) => tied.push((segment, next)),
                Some(std::cmp::Ordering::Less) | None => tied = vec![(segment, next)],
            }
        }
        if tied.len() > 1 {
            let (left, from) = (self.left(numbering, waiting), numbering.visited.len());
            let mut kept: Vec<(Segment, Numbering)> = Vec::new();
            for (segment, next) in tied {
                let mut before = kept.iter().map(|(_, before)| &before.visited[from..]);
                if !before.any(|before| self.can_be_exchanged(before, &next.visited[from..], &left)) {
                    kept.push((segment, next));
                }
            }
            return Ok(kept);
        }
        Ok(tied)
    }

    fn segment(&mut self, numbering: &Numbering, root: usize) -> Result<(Segment, Numbering), Halt> {
        self.tried += 1;
        let mut next = numbering.clone();
        self.heap.reach(self.tables, self.state, root, &mut next);
        let mut segment = Vec::new();
        for &slot in &next.visited[numbering.visited.len()..] {
            let slot = slot as usize;
            segment.push((next.image(slot), self.heap.image(self.tables, slot, self.state[slot], &next)?));
        }
        Ok((segment, next))
    }

    /// All rebecs that are still to be visited.
    fn left(&mut self, numbering: &Numbering, waiting: &[usize]) -> Vec<usize> {
        let mut all = numbering.clone();
        waiting.iter().for_each(|&root| self.heap.reach(self.tables, self.state, root, &mut all));
        all.visited[numbering.visited.len()..].iter().map(|&slot| slot as usize).collect()
    }

    /// Whether a symmetry of the remaining rebecs takes one candidate to another: the rebecs visited from both, in
    /// order, have equal segments.
    fn can_be_exchanged(&mut self, one: &[u32], other: &[u32], left: &[usize]) -> bool {
        assert_eq!(one.len(), other.len(), "candidates that tie visit as many rebecs");
        let is_same = one.iter().all(|slot| other.contains(slot));
        let mut moved = Vec::new();
        for (from, to) in one.iter().zip(other) {
            if from != to && !is_same && (other.contains(from) || one.contains(to)) {
                return false;
            }
            if from != to {
                moved.extend([*from, *to]);
            }
        }
        let (heap, tables) = (&mut *self.heap, &*self.tables);
        let is_outside = |slot: usize| !one.iter().chain(other).any(|&visited| visited as usize == slot);
        let mut outside = left.iter().filter(|&&slot| is_outside(slot));
        !outside.any(|&slot| heap.named(tables, slot, self.state[slot]).iter().any(|named| moved.contains(named)))
    }
}
