//! Representatives by sorting, for groups that permute blocks of slots in all ways, and for blocks within blocks.
//!
//! The group is a product of parts (`parts`). A part has blocks of slots, all alike, and for each block but the first
//! the element that exchanges it with the first one and keeps the others; within each block the same inner parts act,
//! so that the part is a wreath product, or the symmetric group if there are none. A part of few elements takes the
//! least image under them. The value of a slot in a block is *plain* if it is kept by all elements that keep the
//! block and its contents in place, including the elements of the other parts; the value of a slot in no block is
//! plain if every element keeps it. In a state of plain values each block is moved as a whole: the contents of the
//! blocks are canonised first, then the blocks of each part are sorted, each written as it would be in the first
//! place. A state with other values (one component names another) goes to the search along the chain.
//!
//! Invariants: the exchanging elements of a part take the slots of a block to those of the first block in order, and
//! move no other slots; inner parts move slots of their block only. Slots of the key vector have their values as they
//! would be in the first place of each part around them; the jobs within a block come before the job of the block.
//!
//! Soundness: an element that takes one block to another is, but for the exchanges of both with the first, an element
//! of the inner group of the first block and one that keeps this block in place, which keeps plain values. So the
//! orbit of a state of plain values consists of all arrangements of its blocks up to the inner group, each block on
//! its own, and sorting canonical blocks finds the same arrangement for all states of the orbit:
//! `canonical(g s) = canonical(s)`. Whether all values are plain is the same for them too. The stabiliser permutes
//! blocks that are equal up to the inner group, and fixes each: the orders are multiplied.
//!
//! Complexity: one look-up per slot and level, and sorting.
//!
//! Source: \[Jag10\] 5.1.1, sorting; \[Ios02\] 4 has the condition that components do not refer to each other.

mod blocks;
mod nodes;

use std::ops::Range;

use engine::Permutation;

use self::blocks::{arrange, each_keeps, least, product_keeps, sort};
use self::nodes::{Kind, Node, nodes};
use super::action::Action;
use super::by_value::{ByValue, UNKNOWN};
use super::images::{Images, entry};
use super::parts::Part;
use super::refine::View;
use super::twins::Alike;
use crate::memory::{Footprint, Halt};

/// The value is not plain.
const NAMES: u32 = UNKNOWN - 1;

/// A part in one of its places.
#[derive(Clone, Debug)]
struct Job {
    /// The elements that take it to the first place, in order.
    path: Vec<usize>,
    work: Work,
}

/// The work of a job.
#[derive(Clone, Debug)]
enum Work {
    /// Blocks are sorted; the exchanges with the first one.
    Sort { blocks: Vec<Vec<usize>>, swaps: Vec<usize> },
    /// The least image is taken: the slots, and for each element and slot the slot whose value moves there.
    Least { slots: Vec<usize>, first: Vec<usize>, elements: Range<usize>, sources: Vec<usize> },
}

/// The parts of a group.
#[derive(Clone, Debug)]
pub(super) struct Sorting {
    nodes: Vec<Node>,
    jobs: Vec<Job>,
    /// By slot: the elements that take it to the first place, in order, and the slot there.
    paths: Vec<(Vec<usize>, usize)>,
    /// By slot and value: the value in the first place, or [`NAMES`].
    keys: Vec<ByValue>,
    current: Vec<u32>,
    next: Vec<u32>,
    /// By job, one after the other: the blocks in order, or the element.
    order: Vec<u32>,
    /// The elements that are still candidates.
    left: Vec<usize>,
    /// By job: the views of a state from its blocks, where components name each other; empty if there are parts
    /// within blocks.
    pub(super) views: Vec<View>,
    /// Buffer: the blocks that are alike in a state.
    pub(super) alike: Alike,
    pub(super) has_nested: bool,
    pub(super) has_few: bool,
    /// Known to be wrong: treats every value as plain.
    #[cfg(test)]
    pub(super) is_blind: bool,
    /// Known to be wrong: treats all ties as twins.
    #[cfg(test)]
    pub(super) has_twins_only: bool,
    /// Known to be wrong: the slots that are treated as twins.
    #[cfg(any(test, feature = "mutants"))]
    pub(super) wrong_twins: Option<super::twins::Wrong>,
}

impl Sorting {
    /// The parts of a group, if they permute blocks of slots.
    pub(super) fn new(
        parts: &[Part],
        slots: usize,
        elements: &[Permutation],
        target: &impl Fn(usize, usize) -> usize,
    ) -> Option<Sorting> {
        let all: Vec<usize> = (0..slots).collect();
        let nodes = nodes(parts, &all, slots, target)?;
        let mut sorting = Sorting {
            jobs: Vec::new(),
            paths: all.iter().map(|&slot| (Vec::new(), slot)).collect(),
            keys: Vec::new(),
            current: Vec::new(),
            next: Vec::new(),
            order: Vec::new(),
            left: Vec::new(),
            views: Vec::new(),
            alike: Alike::new(),
            has_nested: parts.iter().any(Part::is_nested),
            has_few: parts.iter().any(|part| matches!(part, Part::Few(_))),
            nodes: Vec::new(),
            #[cfg(test)]
            is_blind: false,
            #[cfg(test)]
            has_twins_only: false,
            #[cfg(any(test, feature = "mutants"))]
            wrong_twins: None,
        };
        sorting.lay_out(&nodes, &all, &[], target);
        assert!(sorting.paths.iter().all(|(_, first)| *first < slots), "the first places are slots");
        sorting.nodes = nodes;
        let swaps: Option<Vec<&[usize]>> = parts.iter().map(Part::plain_swaps).collect();
        if let Some(swaps) = swaps {
            sorting.views = (0..swaps.len()).map(|own| View::new(&swaps, own, elements)).collect();
            assert_eq!(sorting.views.len(), sorting.jobs.len(), "each job has its view where no part lies in a block");
        }
        Some(sorting)
    }

    /// Adds the jobs of parts in one place: the slots of that place, and the elements that take them to the first
    /// place.
    fn lay_out(&mut self, nodes: &[Node], place: &[usize], path: &[usize], target: &impl Fn(usize, usize) -> usize) {
        let here = |slots: &[usize]| -> Vec<usize> { slots.iter().map(|&slot| place[slot]).collect() };
        for node in nodes {
            let work = match &node.kind {
                Kind::Blocks { blocks, swaps } => {
                    for (block, slots) in blocks.iter().enumerate() {
                        let (mut place, mut path) = (place.to_vec(), path.to_vec());
                        if let Some(swap) = block.checked_sub(1) {
                            path.push(swaps[swap]);
                            place = (0..place.len()).map(|slot| place[target(swaps[swap], slot)]).collect();
                        }
                        for (&slot, &first) in slots.iter().zip(&blocks[0]) {
                            let own = here(&[slot])[0];
                            self.paths[own] = (path.clone(), first);
                        }
                        self.lay_out(&node.inner, &place, &path, target);
                    }
                    Work::Sort { blocks: blocks.iter().map(|slots| here(slots)).collect(), swaps: swaps.clone() }
                }
                Kind::Few { slots, elements } => {
                    let count = slots.len();
                    let mut sources = vec![0; elements.len() * count];
                    for (number, element) in elements.clone().enumerate() {
                        for (from, &slot) in slots.iter().enumerate() {
                            let to = target(element, slot);
                            let to = slots.iter().position(|&other| other == to).expect("its slots stay among them");
                            sources[number * count + to] = from;
                        }
                        let own = &sources[number * count..];
                        assert!(
                            (0..count).all(|from| own[..count].contains(&from)),
                            "an element permutes the slots of its part"
                        );
                    }
                    Work::Least { slots: here(slots), first: slots.clone(), elements: elements.clone(), sources }
                }
            };
            self.jobs.push(Job { path: path.to_vec(), work });
        }
    }

    /// Replaces a state by its representative; returns the order of its stabiliser. Nothing for a state with names,
    /// which goes to the search.
    ///
    /// # Errors
    /// No room: the state is then unchanged.
    pub(super) fn canonical<A: Action>(
        &mut self,
        action: &mut A,
        images: &mut Images,
        elements: &[Permutation],
        state: &mut [u32],
    ) -> Result<Option<u128>, Halt> {
        if !self.read(action, images, state)? {
            return if self.views.is_empty() { Ok(None) } else { self.refined(action, images, elements, state) };
        }
        let stabiliser = self.work(action, images)?;
        self.write(action, images, state)?;
        Ok(Some(stabiliser))
    }

    /// Looks up the keys of a state; returns whether all values are plain. Where only plain values can be sorted, it
    /// ends at the first other one.
    ///
    /// # Errors
    /// No room.
    pub(super) fn read<A: Action>(&mut self, action: &mut A, images: &mut Images, state: &[u32]) -> Result<bool, Halt> {
        self.current.clear();
        let mut is_plain = true;
        for (slot, &value) in state.iter().enumerate() {
            let known = self.keys.get(slot).map(|keys| keys.get(value));
            let key = match known {
                Some(key) if key != UNKNOWN => key,
                _ => self.first_key(action, images, slot, value)?,
            };
            is_plain &= key != NAMES;
            self.current.push(key);
            if !is_plain && self.views.is_empty() {
                break;
            }
        }
        Ok(is_plain)
    }

    /// The key of a slot in the state that was read.
    pub(super) fn key_of(&self, slot: usize) -> u32 {
        self.current[slot]
    }

    /// Whether a slot of the state that was read has a plain value.
    pub(super) fn is_plain(&self, slot: usize) -> bool {
        self.current[slot] != NAMES
    }

    /// The blocks that a job sorts.
    pub(super) fn blocks(&self, job: usize) -> Option<&[Vec<usize>]> {
        match &self.jobs[job].work {
            Work::Sort { blocks, .. } => Some(blocks),
            Work::Least { .. } => None,
        }
    }

    /// As [`Sorting::canonical`], for a state with values that are not plain.
    fn refined<A: Action>(
        &mut self,
        action: &mut A,
        images: &mut Images,
        elements: &[Permutation],
        state: &mut [u32],
    ) -> Result<Option<u128>, Halt> {
        let mut stabiliser = 1u128;
        self.order.clear();
        for number in 0..self.jobs.len() {
            self.views[number].look(action, elements, state);
            let sums = &self.views[number].sums;
            let first = self.order.len();
            self.order.extend(0..u32::try_from(sums.len()).expect("slots have 32 bits"));
            self.order[first..].sort_by_key(|&block| sums[block as usize]);
            let mut equal = 1u128;
            for at in first + 1..self.order.len() {
                let (a, b) = (self.order[at - 1] as usize, self.order[at] as usize);
                let is_tied = self.views[number].sums[a] == self.views[number].sums[b];
                if is_tied && !self.are_twins(action, number, a, b, state)? {
                    return Ok(None);
                }
                equal = if is_tied { equal + 1 } else { 1 };
                stabiliser = stabiliser.saturating_mul(equal);
            }
        }
        let word = self.last_word();
        let Sorting { jobs, current, next, order, .. } = self;
        next.clear();
        next.extend_from_slice(state);
        for (slot, &value) in state.iter().enumerate() {
            if current[slot] == NAMES {
                let target = word.iter().fold(slot, |slot, &element| action.target(element, slot));
                next[target] = action.carry(&word, slot, value)?;
            }
        }
        let mut first = 0;
        for job in &*jobs {
            let Work::Sort { blocks, swaps } = &job.work else { continue };
            let order = &order[first..first + blocks.len()];
            first += blocks.len();
            for (block, &from) in order.iter().enumerate() {
                for (place, &slot) in blocks[block].iter().enumerate() {
                    let key = current[blocks[from as usize][place]];
                    if key != NAMES {
                        next[slot] = match block.checked_sub(1) {
                            None => key,
                            Some(swap) => images.get(action, swaps[swap], blocks[0][place], key)?,
                        };
                    }
                }
            }
        }
        state.copy_from_slice(next);
        Ok(Some(stabiliser))
    }

    /// Whether exchanging two blocks changes nothing in the current state.
    fn are_twins<A: Action>(
        &self,
        action: &mut A,
        number: usize,
        a: usize,
        b: usize,
        state: &[u32],
    ) -> Result<bool, Halt> {
        #[cfg(test)]
        if self.has_twins_only {
            return Ok(true);
        }
        let Work::Sort { blocks, .. } = &self.jobs[number].work else { return Ok(false) };
        let word = self.views[number].exchange(a, b);
        let current = &self.current;
        for (&slot, &other) in blocks[a].iter().zip(&blocks[b]) {
            let is_same = match (current[slot], current[other]) {
                (NAMES, NAMES) => action.carry(&word, slot, state[slot])? == state[other],
                (own, other) => own == other,
            };
            if !is_same {
                return Ok(false);
            }
        }
        for (slot, &value) in state.iter().enumerate().filter(|&(slot, _)| current[slot] == NAMES) {
            let is_moved = blocks[a].contains(&slot) || blocks[b].contains(&slot);
            if !is_moved && action.carry(&word, slot, value)? != value {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does all jobs on the keys; returns the order of the stabiliser.
    fn work<A: Action>(&mut self, action: &mut A, images: &mut Images) -> Result<u128, Halt> {
        let Sorting { jobs, current, next, order, left, .. } = self;
        let mut stabiliser = 1u128;
        order.clear();
        for job in jobs {
            let fixing = match &job.work {
                Work::Sort { blocks, .. } => sort(blocks, &mut *current, &mut *next, order),
                Work::Least { slots, first, elements, sources } => {
                    let mut image = |element: usize, from: usize, key: u32| {
                        images.get(action, elements.start + element, first[from], key)
                    };
                    left.clear();
                    left.extend(0..elements.len());
                    least(slots, sources, left, &mut *current, &mut *next, &mut image)?;
                    order.push(u32::try_from(left[0]).expect("a small group"));
                    left.len() as u128
                }
            };
            stabiliser = stabiliser.saturating_mul(fixing);
        }
        Ok(stabiliser)
    }

    /// Writes the values of the keys to their places. Images come first: where there is no room for one, the state
    /// stays as it is.
    fn write<A: Action>(&mut self, action: &mut A, images: &mut Images, state: &mut [u32]) -> Result<(), Halt> {
        let Sorting { paths, current, next, .. } = self;
        next.clear();
        for (slot, &key) in current.iter().enumerate() {
            let mut value = key;
            if let Some((path, first)) = paths.get(slot) {
                let mut at = *first;
                for &swap in path.iter().rev() {
                    value = images.get(action, swap, at, value)?;
                    at = action.target(swap, at);
                }
            }
            next.push(value);
        }
        state.copy_from_slice(next);
        Ok(())
    }

    /// Elements whose product took the last state of plain values to its representative, the first one first.
    pub(super) fn last_word(&self) -> Vec<usize> {
        let mut word = Vec::new();
        let mut at = 0;
        for Job { path, work } in &self.jobs {
            word.extend(path);
            match work {
                Work::Sort { blocks, swaps } => {
                    let order = &self.order[at..at + blocks.len()];
                    at += blocks.len();
                    arrange(order, |block| word.push(swaps[block - 1]));
                }
                Work::Least { elements, .. } => {
                    word.push(elements.start + self.order[at] as usize);
                    at += 1;
                }
            }
            word.extend(path.iter().rev());
        }
        debug_assert_eq!(at, self.order.len(), "each job has its order");
        word
    }

    #[cold]
    fn first_key<A: Action>(
        &mut self,
        action: &mut A,
        images: &mut Images,
        slot: usize,
        value: u32,
    ) -> Result<u32, Halt> {
        let key = self.key(action, images, slot, value)?;
        entry(&mut self.keys, slot).set(value, key);
        Ok(key)
    }

    /// The value in the first place, if it is plain.
    fn key<A: Action>(&self, action: &mut A, images: &mut Images, slot: usize, value: u32) -> Result<u32, Halt> {
        #[cfg(test)]
        let is_blind = self.is_blind;
        #[cfg(not(test))]
        let is_blind = false;
        let (mut nodes, mut slot, mut key) = (&self.nodes, slot, value);
        loop {
            let own = nodes.iter().position(|node| node.contains(slot));
            for (number, node) in nodes.iter().enumerate() {
                if Some(number) != own && !is_blind && !each_keeps(action, images, &node.generators, slot, key)? {
                    return Ok(NAMES);
                }
            }
            let Some(Node { kind: Kind::Blocks { blocks, swaps }, inner, .. }) = own.map(|own| &nodes[own]) else {
                return Ok(key);
            };
            let block = blocks.iter().position(|block| block.contains(&slot)).expect("a slot of the part");
            if let Some(swap) = block.checked_sub(1) {
                key = images.get(action, swaps[swap], slot, key)?;
                slot = action.target(swaps[swap], slot);
            }
            // The exchanges of neighbours among the other blocks and the inner elements of the second block generate
            // the pointwise stabiliser of the first block.
            for pair in swaps.windows(2) {
                if !is_blind && !product_keeps(action, images, [pair[0], pair[1], pair[0]], slot, key)? {
                    return Ok(NAMES);
                }
            }
            for generator in inner.iter().flat_map(|node| &node.generators) {
                if !is_blind && !product_keeps(action, images, [swaps[0], *generator, swaps[0]], slot, key)? {
                    return Ok(NAMES);
                }
            }
            nodes = inner;
        }
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        self.keys.iter().for_each(|keys| footprint.add(keys.bytes()));
        self.views.iter().for_each(|view| footprint.merge(view.footprint()));
        footprint
    }

    /// Known to be wrong: sorts blocks before their contents.
    #[cfg(test)]
    pub(super) fn sort_blocks_first(&mut self) {
        self.jobs.reverse();
    }
}
