//! The ample set of a state: stubborn sets grown from each enabled instance, and the conditions on their steps.
//!
//! All steps of a state are made first; the set only selects those that are kept. From each enabled instance whose
//! steps are invisible and lower the rank a set is grown; it is given up as soon as it receives an instance that is
//! enabled and may not be in it, or one that faults. Of the sets with the fewest enabled instances the first one is
//! taken. For a disabled instance the conjunct is chosen that brings in the fewest new instances that end the set, then the
//! fewest that are enabled, then the fewest of all, the first of several: what is disabled costs nothing by itself.
//!
//! Invariant: the choice is a function of the values of the state.
//!
//! Complexity: enabled instances times instances of a set, in words of sets.

use super::Wrong;
use super::facts::bits;
use super::independence::{Independence, Part};
use super::ranking::{NO_LEVEL, Orbits, Ranking};
use super::sets::{has, ones, set};
use explore::memory::{Footprint, bytes_of};
use explore::reductions::{Outcome, Reduction, ReductionKind};
use explore::states::Layout;

/// What the properties of a question read of an element.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Seen {
    /// Nothing.
    #[default]
    Nothing,
    /// Whether its value is in some sets: by value, the number of what is seen.
    Classes(Box<[u32]>),
    /// Its value.
    Value,
}

impl Seen {
    /// Whether a change from one value to another one is seen.
    fn shows(&self, from: usize, to: usize) -> bool {
        match self {
            Seen::Nothing => false,
            Seen::Classes(classes) => classes[from] != classes[to],
            Seen::Value => from != to,
        }
    }
}

/// The part of the question that the choice depends on.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// By element what the properties read.
    pub(crate) seen: Vec<Seen>,
    /// Whether the question contains more than deadlock.
    pub(crate) more_than_deadlock: bool,
    /// The orbits by which states are ranked.
    pub(crate) orbits: Orbits,
    /// The first value of each element, where there is one.
    pub(crate) initial: Vec<Option<usize>>,
    /// Known-wrong variants.
    pub(crate) wrong: Wrong,
}

/// The plan of partial order for a model and a question, and the number of its uses.
#[derive(Clone, Debug)]
pub(crate) struct Ample {
    independence: Independence,
    ranking: Ranking,
    /// By element what the properties read.
    seen: Vec<Seen>,
    /// By instance the elements that it may write so that a property sees it.
    visible: Vec<Box<[usize]>>,
    more_than_deadlock: bool,
    /// Known-wrong variants.
    pub(crate) wrong: Wrong,
    /// States that were expanded by some of their steps.
    pub(crate) singletons: u64,
    /// Instances that may be in an ample set, by their ranks.
    free: usize,
}

/// Buffers for the choice of an ample set.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The instance of each successor.
    pub(crate) taken: Vec<u32>,
    /// The instances that fault.
    pub(crate) faulting: Vec<u32>,
    /// Whether the state is expanded by some of its steps.
    pub(crate) is_reduced: bool,
    enabled: Vec<u64>,
    faults: Vec<u64>,
    /// Those that end the growth of a set.
    refused: Vec<u64>,
    grown: Vec<u64>,
    best: Vec<u64>,
    work: Vec<u32>,
    /// Room for the evaluation of conditions.
    pub(crate) registers: Vec<i32>,
}

/// A state with its steps.
#[derive(Clone, Copy)]
pub(crate) struct Steps<'a> {
    /// The packing of states.
    pub(crate) layout: &'a Layout,
    /// The packed state.
    pub(crate) current: &'a [u64],
    /// Its packed successors, each as the step leaves it.
    pub(crate) words: &'a [u64],
}

/// Whether a part may write an element so that it is seen.
fn may_show(part: &Part, element: usize, seen: &Seen) -> bool {
    let track = part.tracks.iter().find(|track| track.element == element);
    match (seen, track) {
        (Seen::Nothing, _) => false,
        (Seen::Classes(_), Some(track)) => {
            let pairs = track.after.iter().enumerate();
            pairs
                .flat_map(|(from, &after)| bits(after).map(move |to| (from, to)))
                .any(|(from, to)| seen.shows(from, to))
        }
        _ => true,
    }
}

impl Ample {
    /// The plan for the instances of a model.
    pub(crate) fn new(independence: Independence, asked: Asked) -> Ample {
        let Asked { mut seen, more_than_deadlock, orbits, initial, wrong } = asked;
        assert_eq!(seen.len(), orbits.elements.len(), "something is known of every element");
        if wrong.nothing_is_visible() {
            seen.fill(Seen::Nothing);
        }
        let parts = &independence.parts;
        let shown = |part: &Part| part.writes.iter().copied().filter(|&at| may_show(part, at, &seen[at])).collect();
        let visible: Vec<Box<[usize]>> = parts.iter().map(shown).collect();
        let uses: Vec<u64> = (0..)
            .zip(&visible)
            .map(|(at, visible)| if visible.is_empty() { 1 + 256 / (1 + independence.dependent.count(at)) } else { 0 })
            .collect();
        let ranking = Ranking::new(&independence, &orbits, &initial, &uses);
        let free =
            ranking.written.iter().zip(&uses).filter(|(written, uses)| !written.is_empty() && **uses > 0).count();
        assert_eq!(ranking.written.len(), independence.parts.len(), "every instance has its effect on the rank");
        Ample { independence, ranking, seen, visible, more_than_deadlock, wrong, singletons: 0, free }
    }

    /// Whether no instance can ever be in an ample set.
    pub(crate) fn is_idle(&self) -> bool {
        self.more_than_deadlock && self.free == 0
    }

    /// Whether an ample set is found that leaves out a step; [`Choice::keeps`] gives the kept ones. `is_false` says whether a
    /// condition is false in the state, and does not fault.
    pub(crate) fn choose(&self, steps: Steps<'_>, choice: &mut Choice, is_false: &mut impl FnMut(u32) -> bool) -> bool {
        choice.is_reduced = false;
        let stride = steps.layout.stride();
        assert_eq!(steps.words.len(), choice.taken.len() * stride, "every step has its instance");
        if choice.taken.len() < 2 {
            return false;
        }
        let words = self.independence.words;
        debug_assert!(words * 64 >= self.independence.parts.len(), "a row has a bit for each instance");
        for row in [&mut choice.enabled, &mut choice.faults, &mut choice.refused] {
            row.clear();
            row.resize(words, 0);
        }
        choice.taken.iter().for_each(|&at| set(&mut choice.enabled, at as usize));
        choice.faulting.iter().for_each(|&at| set(&mut choice.faults, at as usize));
        if !self.wrong.faults_ignored() {
            choice.refused.copy_from_slice(&choice.faults);
        }
        debug_assert!(self.is_declared(&steps, choice, is_false), "a step is as its instance is declared");
        for (&at, successor) in choice.taken.iter().zip(steps.words.chunks_exact(stride)) {
            if !self.is_fit(&steps, at as usize, successor) {
                set(&mut choice.refused, at as usize);
            }
        }
        let mut least = ones(&choice.enabled);
        let mut before = None;
        for seed in 0..choice.taken.len() {
            let at = choice.taken[seed];
            if before.replace(at) == Some(at) || has(&choice.refused, at as usize) {
                continue;
            }
            if let Some(enabled) = self.grow(at, &steps, choice, least, is_false) {
                least = enabled;
                std::mem::swap(&mut choice.best, &mut choice.grown);
                choice.is_reduced = true;
                if least == 1 {
                    break;
                }
            }
        }
        let keeps_some = |choice: &Choice| (0..choice.taken.len()).any(|place| choice.keeps(place));
        assert!(!choice.is_reduced || keeps_some(choice), "an ample set has an enabled step");
        choice.is_reduced
    }

    /// Whether the first step is as its instance is declared: no conjunct of the guard is false, and only what the instance writes changes.
    fn is_declared(&self, steps: &Steps<'_>, choice: &Choice, is_false: &mut impl FnMut(u32) -> bool) -> bool {
        let at = choice.taken[0] as usize;
        let (part, layout) = (&self.independence.parts[at], steps.layout);
        let stays = |element| layout.get(steps.current, element) == layout.get(steps.words, element);
        let writes = |element| part.writes.binary_search(&element).is_ok();
        // A step that is stored inside changes the turn, too.
        self.wrong != Wrong::default()
            || !part.conjuncts.iter().any(|&condition| is_false(condition))
                && (has(&choice.faults, at) || (0..layout.len()).all(|element| stays(element) || writes(element)))
    }

    /// Conditions 3 and 4 on one step.
    fn is_fit(&self, steps: &Steps<'_>, at: usize, successor: &[u64]) -> bool {
        if !self.more_than_deadlock {
            return true;
        }
        let get = |words: &[u64], element: usize| steps.layout.get(words, element) as usize;
        let shows = |&element: &usize| self.seen[element].shows(get(steps.current, element), get(successor, element));
        !self.visible[at].iter().any(shows) && (self.wrong.no_proviso() || self.lowers(steps, at, successor))
    }

    /// Whether a step lowers the rank.
    fn lowers(&self, steps: &Steps<'_>, at: usize, successor: &[u64]) -> bool {
        let get = |words: &[u64], element: usize| steps.layout.get(words, element) as usize;
        let (mut level, mut change) = (NO_LEVEL, 0i64);
        for &(own, element) in &self.ranking.written[at] {
            if own != level && change != 0 {
                break;
            }
            level = own;
            change += self.ranking.change(element, get(steps.current, element), get(successor, element));
        }
        change < 0
    }

    /// The rank of a state, level by level.
    #[cfg(test)]
    pub(crate) fn rank(&self, layout: &Layout, state: &[u64]) -> std::collections::BTreeMap<u32, i64> {
        let mut rank = std::collections::BTreeMap::new();
        for (element, &level) in self.ranking.levels.iter().enumerate().filter(|own| *own.1 != NO_LEVEL) {
            *rank.entry(level).or_default() += self.ranking.change(element, 0, layout.get(state, element) as usize);
        }
        rank
    }

    /// Grows a stubborn set from an instance; returns the number of its enabled instances, if they are fewer than
    /// `most` and may stand for all.
    fn grow(
        &self,
        seed: u32,
        steps: &Steps<'_>,
        choice: &mut Choice,
        most: usize,
        is_false: &mut impl FnMut(u32) -> bool,
    ) -> Option<usize> {
        let Choice { grown, work, enabled, faults, refused, .. } = choice;
        let all = &self.independence;
        grown.clear();
        grown.resize(all.words, 0);
        set(grown, seed as usize);
        work.clear();
        work.push(seed);
        let mut found = 0;
        while let Some(at) = work.pop() {
            let (row, at, part) = (at, at as usize, &all.parts[at as usize]);
            let is_enabled = has(enabled, at);
            if has(refused, at) {
                return None;
            }
            if is_enabled {
                found += 1;
                if found >= most {
                    return None;
                }
                all.dependent.add(row, grown, work);
            }
            if part.is_family {
                all.enabling.add(part.rest, grown, work);
            } else if !is_enabled && !self.wrong.enabling_forgotten() && !has(faults, at) {
                let value = |element: usize| steps.layout.get(steps.current, element) as usize;
                let closed = part.conjuncts.iter().copied().filter(|&condition| is_false(condition));
                let mut best: Option<([u32; 3], u32)> = None;
                for row in closed.flat_map(|condition| all.rows(condition, value)) {
                    let missing = all.enabling.missing(row, grown, [refused, enabled]);
                    if best.is_none_or(|(least, _)| missing < least) {
                        best = Some((missing, row));
                    }
                    // Nothing is better than a row that adds nothing: further conditions need no value.
                    if missing == [0; 3] {
                        break;
                    }
                }
                let chosen = best.map_or(part.rest, |(_, row)| row);
                all.enabling.add(chosen, grown, work);
            }
        }
        Some(found)
    }

    /// The description in a report.
    pub(crate) fn describe(&self) -> Reduction {
        let instances = self.independence.parts.len();
        let free = if self.more_than_deadlock { self.free } else { instances };
        let outcome = Outcome::Instances { expansions: self.singletons, free, instances };
        Reduction { kind: ReductionKind::PartialOrder, outcome }
    }

    /// Bytes held, approximately.
    pub(crate) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add(self.independence.bytes());
        footprint.add(bytes_of::<i32>(self.independence.parts.len() * 16));
        footprint
    }
}

impl Choice {
    /// Removes the steps.
    pub(crate) fn clear(&mut self) {
        self.taken.clear();
        self.faulting.clear();
        self.is_reduced = false;
    }

    /// Whether the successor of a place is kept.
    pub(crate) fn keeps(&self, place: usize) -> bool {
        has(&self.best, self.taken[place] as usize)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let rows = [&self.enabled, &self.faults, &self.refused, &self.grown, &self.best];
        let rows = rows.into_iter().map(Vec::capacity).sum();
        bytes_of::<u64>(rows) + bytes_of::<u32>(self.taken.capacity() + self.faulting.capacity() + self.work.capacity())
    }
}
