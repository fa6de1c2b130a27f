//! The representative of a state, exact for every group: a search along the chain of stabilisers.
//!
//! A node of depth `i` is an image of the state under a product of elements of the first `i` levels. Its children are
//! its images under the elements of level `i`. Each child has a key that is the same for all images of it under the
//! remaining levels: the sum over the slots of a hash of (orbit of the slot, value with all names replaced by their
//! orbits), with orbits under `Gi+1`. Of all children of a level only those with the least key are kept. At the end
//! the least of the remaining nodes is the representative. Keys of children are sums of rows of a table by slot and
//! value, so that a child costs one addition per slot.
//!
//! If a twin that fixes a node exchanges two of its candidates, only one of them is followed: the images below are
//! the same. Equal nodes of a level are merged.
//!
//! For a cyclic group this is the least rotation, for a symmetric group on processes a selection sort, and names in
//! queues and variables lead to a refinement that splits ties.
//!
//! States may also differ in a way that does not matter and that the group does not cover (identities of created
//! rebecs). If the renaming commutes with the group, each node stands for its class under the renaming: the same
//! search among classes.
//!
//! Invariants: the weight of a node is the number of elements of the group that lead to it or to a node that was left
//! out for it; so the weight of the representative is the order of the stabiliser of the state.
//!
//! Soundness: `key` is a function of the orbit of a child under the remaining stabiliser; the set of kept nodes of a
//! level is thus the same, up to that stabiliser, for all states of an orbit, whatever the hash. Hence
//! `canonical(g s) = canonical(s)`; collisions of the hash cost time. When more than [`MOST_NODES`] nodes are kept,
//! the search gives up with [`Halt::Work`]; on request it keeps the first [`Tuning::ties`] of each level instead, and
//! an orbit may have several representatives: the stored state is an image of the state all the same. If no level of
//! any state had more, nothing was cut, and there is one representative per orbit.
//!
//! Complexity: the sum of the orbit sizes of the levels times the slots, if ties are twins.
//!
//! Source: after \[Lin04\], with invariants instead of least points.

use std::ops::Range;

use engine::{Group, Structure};
use num_bigint::BigUint;

use super::action::Action;
use super::by_value::{ByValue, UNKNOWN};
use super::chain::{Chain, Shape};
use super::few::Few;
use super::images::{Images, entry};
use super::sorting::Sorting;
use crate::memory::{Footprint, Halt, bytes_of};
use crate::reductions::Representative;
use crate::tuning::Tuning;

/// The name of the search.
pub const ALONG_THE_CHAIN: &str = "refinement along the stabiliser chain";

/// The most nodes of one level.
pub const MOST_NODES: usize = 1 << 16;

/// One search of so many asserts its result; in debug builds each does.
const ASSERTED: u32 = 1 << 8;

/// Tables and buffers of the search.
#[derive(Clone, Debug)]
pub struct Canoniser {
    pub(super) chain: Chain,
    /// By level.
    keys: Vec<Keys>,
    pub(super) images: Images,
    nodes: Vec<u32>,
    weights: Vec<u128>,
    /// The product of elements that leads to each node: an entry of `trail`, or none.
    words: Vec<u32>,
    longer: Vec<u32>,
    /// An element, and the entry that it comes after.
    trail: Vec<(u32, u32)>,
    last: Last,
    /// Whether ties were cut for some state, so that an orbit may have several representatives.
    has_cut: bool,
    /// The faster method for the shape of the group.
    pub(super) fast: Fast,
    pub(super) next: Vec<u32>,
    chosen: Vec<Choice>,
    sums: Vec<u64>,
    /// The number of searches so far, modulo its range.
    searches: u32,
    tuning: &'static Tuning,
    /// Known to be wrong: follows one tie only.
    #[cfg(test)]
    pub(super) is_greedy: bool,
}

/// The number of nodes of a level that are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ties {
    /// All nodes; the search gives up if there are too many.
    All,
    /// The first [`Tuning::ties`].
    Few,
}

/// The methods that are faster than the search for groups of some shapes.
#[derive(Clone, Debug)]
pub(super) enum Fast {
    /// No such method.
    No,
    /// The least image under all elements.
    Few(Few),
    /// Sorting, where components do not name each other.
    Sorting(Sorting),
}

/// The way to the last representative.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// A product of elements: an entry of the trail, or none.
    Word(u32),
    /// One element.
    Element(usize),
    /// Sorting.
    Sorted,
}

/// A child that is kept.
#[derive(Clone, Copy, Debug)]
struct Choice {
    node: usize,
    candidate: usize,
    weight: u128,
}

/// Keys of one level: for each slot and value a row, with one entry per candidate.
#[derive(Clone, Debug, Default)]
struct Keys {
    rows: Vec<ByValue>,
    entries: Vec<u64>,
}

impl Keys {
    /// Adds the row of a slot and a value to the sums of the candidates.
    #[inline]
    fn add<A: Action>(&mut self, action: &A, chain: &Chain, depth: usize, slot: usize, value: u32, sums: &mut [u64]) {
        let known = self.rows.get(slot).map(|row| row.get(value));
        let first = match known {
            Some(first) if first != UNKNOWN => first as usize,
            _ => self.first(action, chain, depth, slot, value),
        };
        for (sum, key) in sums.iter_mut().zip(&self.entries[first..]) {
            *sum = sum.wrapping_add(*key);
        }
    }

    #[cold]
    fn first<A: Action>(&mut self, action: &A, chain: &Chain, depth: usize, slot: usize, value: u32) -> usize {
        let level = &chain.levels[depth];
        let first = self.entries.len();
        let elements = &chain.elements()[level.first..level.first + level.len];
        self.entries.extend(elements.iter().map(|element| action.key(element, &level.orbits, slot, value)));
        // If the table has more rows than numbers, the row is not stored: the result is right all the same.
        entry(&mut self.rows, slot).set(value, u32::try_from(first).unwrap_or(UNKNOWN));
        first
    }
}

impl Canoniser {
    /// A canoniser with the elements of a chain, given the places to which elements take the first slots; no element
    /// moves other slots.
    pub fn new(
        chain: Chain,
        slots: usize,
        target: &impl Fn(usize, usize) -> usize,
        tuning: &'static Tuning,
    ) -> Canoniser {
        let permutes = |element: usize| {
            let mut is_taken = vec![false; slots];
            (0..slots).all(|slot| {
                is_taken.get_mut(target(element, slot)).is_some_and(|taken| !std::mem::replace(taken, true))
            })
        };
        assert!((0..chain.elements().len()).all(permutes), "the elements of the chain permute the slots");
        let fast = match &chain.shape {
            Shape::Other => Fast::No,
            Shape::Few => Fast::Few(Few::new(chain.extra.clone())),
            Shape::Parts(parts) => Sorting::new(parts, slots, chain.elements(), target).map_or(Fast::No, Fast::Sorting),
        };
        let keys = (0..chain.levels.len()).map(|_| Keys::default()).collect();
        Canoniser {
            chain,
            keys,
            images: Images::default(),
            nodes: Vec::new(),
            weights: Vec::new(),
            words: Vec::new(),
            longer: Vec::new(),
            trail: Vec::new(),
            last: Last::Word(UNKNOWN),
            has_cut: false,
            fast,
            next: Vec::new(),
            chosen: Vec::new(),
            sums: Vec::new(),
            searches: 0,
            tuning,
            #[cfg(test)]
            is_greedy: false,
        }
    }

    /// Replaces a state by its representative; returns the order of its stabiliser, unless that has more than 127
    /// bits.
    ///
    /// # Errors
    /// No room, or too many nodes: the state is then unchanged.
    pub fn canonical<A: Action>(&mut self, action: &mut A, state: &mut [u32]) -> Result<u128, Halt> {
        self.by_shape(action, state, Ties::All)
    }

    fn by_shape<A: Action>(&mut self, action: &mut A, state: &mut [u32], ties: Ties) -> Result<u128, Halt> {
        match &mut self.fast {
            Fast::No => {}
            Fast::Few(few) => {
                let (weight, element) = few.canonical(action, state, &mut self.next)?;
                self.last = Last::Element(element);
                return Ok(weight);
            }
            Fast::Sorting(sorting) => {
                if let Some(weight) = sorting.canonical(action, &mut self.images, self.chain.elements(), state)? {
                    self.last = Last::Sorted;
                    return Ok(weight);
                }
            }
        }
        self.search(action, state, ties)
    }

    /// As [`Canoniser::canonical`], along the chain whatever the shape of the group, with each image normalised. The
    /// result is the representative of a class under the group and the normalisation of the action, and the number of
    /// elements that lead to a state of its class.
    ///
    /// # Errors
    /// As [`Canoniser::canonical`].
    pub fn searched<A: Action>(&mut self, action: &mut A, state: &mut [u32]) -> Result<u128, Halt> {
        self.search(action, state, Ties::All)
    }

    fn search<A: Action>(&mut self, action: &mut A, state: &mut [u32], ties: Ties) -> Result<u128, Halt> {
        self.nodes.clear();
        self.nodes.extend_from_slice(state);
        action.normalise(&mut self.nodes)?;
        self.weights.clear();
        self.weights.push(1);
        self.words.clear();
        self.words.push(UNKNOWN);
        self.trail.clear();
        for depth in 0..self.chain.levels.len() {
            self.choose(action, depth, state.len())?;
            #[cfg(test)]
            if self.is_greedy {
                self.chosen.truncate(1);
            }
            self.descend(action, depth, state.len())?;
            match ties {
                Ties::All if self.weights.len() > MOST_NODES => return Err(Halt::Work),
                Ties::Few => {
                    self.has_cut |= self.weights.len() > self.tuning.ties;
                    self.nodes.truncate(self.tuning.ties * state.len());
                    self.weights.truncate(self.tuning.ties);
                    self.words.truncate(self.tuning.ties);
                }
                Ties::All => {}
            }
        }
        let nodes = self.nodes.chunks_exact(state.len().max(1)).zip(self.weights.iter().zip(&self.words));
        let (least, (&weight, &word)) = nodes.min_by_key(|(node, _)| *node).unwrap_or((&[], (&1, &UNKNOWN)));
        self.last = Last::Word(word);
        // The border of the quotient: what is stored lies in the orbit of what was met.
        self.searches = self.searches.wrapping_add(1);
        if cfg!(debug_assertions) || self.searches.is_multiple_of(ASSERTED) {
            let elements = word_of(&self.trail, word);
            let is_led = self.images.lead(action, elements.into_iter().rev(), [state, least])?;
            assert!(is_led, "the elements that were applied take a state to its representative");
        }
        state.copy_from_slice(least);
        Ok(weight)
    }

    /// The targets of the first slots under an element that took the state last passed to [`Canoniser::canonical`] to
    /// its representative.
    pub fn last_targets<A: Action>(&self, action: &A, slots: usize) -> Vec<u32> {
        let mut elements = Vec::new();
        let at = match (self.last, &self.fast) {
            (Last::Word(at), _) => at,
            (Last::Element(element), _) => {
                elements.push(element);
                UNKNOWN
            }
            (Last::Sorted, Fast::Sorting(sorting)) => {
                elements.extend(sorting.last_word().iter().rev());
                UNKNOWN
            }
            (Last::Sorted, _) => unreachable!("sorted without an order"),
        };
        elements.extend(word_of(&self.trail, at));
        let target = |slot: usize| elements.iter().rev().fold(slot, |slot, &element| action.target(element, slot));
        (0..slots).map(|slot| u32::try_from(target(slot)).expect("slots have 32 bits")).collect()
    }

    /// Replaces a state by the one that a method stores for it.
    ///
    /// # Errors
    /// As [`Canoniser::canonical`].
    pub fn represent<A: Action>(
        &mut self,
        action: &mut A,
        method: Representative,
        state: &mut [u32],
    ) -> Result<(), Halt> {
        let extra = self.wanted();
        match method {
            Representative::Enumerate => self.least_image(action, extra, state),
            Representative::LocalSearch => self.descend_locally(action, extra, state),
            Representative::Several => self.by_shape(action, state, Ties::Few).map(|_| ()),
            Representative::Auto | Representative::OnTheFly => self.canonical(action, state).map(|_| ()),
        }
    }

    /// Whether ties were cut for some state.
    pub fn has_cut_ties(&self) -> bool {
        self.has_cut
    }

    /// Assumes that ties were cut: the representatives of an earlier search are not known.
    pub fn assume_cut_ties(&mut self) {
        self.has_cut = true;
    }

    /// Treats other slots as twins than those that are.
    #[cfg(any(test, feature = "mutants"))]
    pub fn mistake_twins(&mut self, wrong: super::twins::Wrong) {
        if let Fast::Sorting(sorting) = &mut self.fast {
            sorting.wrong_twins = Some(wrong);
        }
    }

    /// Uses no faster method.
    #[cfg(any(test, feature = "mutants"))]
    pub fn search_along_the_chain(&mut self) {
        self.fast = Fast::No;
    }

    /// The name of the method that chooses representatives for the shape of this group.
    pub fn name(&self, group: &Group) -> &'static str {
        match (&self.fast, group.structure()) {
            (Fast::Few(_), Structure::Cyclic(_) | Structure::Dihedral(_)) => "least rotation",
            (Fast::Few(_), _) => "least image",
            (Fast::Sorting(sorting), Structure::Product(_)) => match (sorting.has_nested, sorting.has_few) {
                (false, false) => "sorting factor by factor, with refinement",
                (true, false) => "blocks then sort, factor by factor, with refinement",
                (false, true) => "sorting and least images, factor by factor, with refinement",
                (true, true) => "blocks then sort and least images, factor by factor, with refinement",
            },
            (Fast::Sorting(sorting), _) if sorting.has_nested => "blocks then sort, with refinement",
            (Fast::Sorting(_), _) => "sorting with refinement",
            (Fast::No, _) => ALONG_THE_CHAIN,
        }
    }

    /// The elements that a method requested in addition to the chain.
    pub fn wanted(&self) -> Range<usize> {
        self.chain.extra.clone()
    }

    /// The number of elements of the group.
    pub fn order(&self) -> &BigUint {
        self.chain.order()
    }

    /// Chooses the children with the least key of all nodes.
    fn choose<A: Action>(&mut self, action: &mut A, depth: usize, width: usize) -> Result<(), Halt> {
        let Canoniser { chain, keys, images, nodes, weights, chosen, sums, .. } = self;
        let level = &chain.levels[depth];
        let mut best = u64::MAX;
        chosen.clear();
        for (number, (node, &weight)) in nodes.chunks_exact(width.max(1)).zip(&*weights).enumerate() {
            limits::work((level.len * node.len()) as u64);
            sums.clear();
            sums.resize(level.len, 0);
            for (slot, &value) in node.iter().enumerate() {
                keys[depth].add(action, chain, depth, slot, value, sums);
            }
            let least = sums.iter().copied().min().unwrap_or(0);
            if least > best {
                continue;
            }
            if least < best {
                best = least;
                chosen.clear();
            }
            let own = chosen.len();
            for candidate in (0..level.len).filter(|&candidate| sums[candidate] == least) {
                let mut twin = None;
                limits::work((chosen.len() - own) as u64);
                for (at, before) in chosen.iter().enumerate().skip(own) {
                    let known = level.twins.get(&(before.candidate, candidate)).map_or(&[][..], Vec::as_slice);
                    for &element in known {
                        if images.fixes(action, element, node)? {
                            twin = Some(at);
                            break;
                        }
                    }
                    if twin.is_some() {
                        break;
                    }
                }
                match twin {
                    Some(at) => chosen[at].weight = chosen[at].weight.saturating_add(weight),
                    None => chosen.push(Choice { node: number, candidate, weight }),
                }
            }
        }
        Ok(())
    }

    /// Makes the chosen children the nodes, merging equal ones.
    fn descend<A: Action>(&mut self, action: &mut A, depth: usize, width: usize) -> Result<(), Halt> {
        let Canoniser { chain, images, nodes, weights, words, longer, trail, next, chosen, .. } = self;
        let first = chain.levels[depth].first;
        next.clear();
        next.resize(chosen.len() * width, 0);
        weights.clear();
        longer.clear();
        for (choice, child) in chosen.iter().zip(next.chunks_exact_mut(width.max(1))) {
            let node = &nodes[choice.node * width..][..width];
            weights.push(choice.weight);
            if choice.candidate == 0 {
                longer.push(words[choice.node]);
                child.copy_from_slice(node);
                continue;
            }
            limits::work(4 * width as u64);
            images.apply(action, first + choice.candidate, node, child)?;
            action.normalise(child)?;
            let number = |number: usize| u32::try_from(number).expect("elements and choices have 32 bits");
            longer.push(number(trail.len()));
            trail.push((words[choice.node], number(first + choice.candidate)));
        }
        std::mem::swap(words, longer);
        std::mem::swap(nodes, next);
        if weights.len() > 1 {
            merge(nodes, weights, words, width);
        }
        Ok(())
    }

    /// Bytes held.
    pub fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add(self.images.bytes);
        for keys in &self.keys {
            footprint.add_vec(&keys.entries);
            keys.rows.iter().for_each(|row| footprint.add(row.bytes()));
        }
        footprint.add(bytes_of::<u32>(self.chain.elements().len() * self.chain.degree()));
        footprint.add_vec(&self.nodes);
        footprint.add_vec(&self.next);
        match &self.fast {
            Fast::No => {}
            Fast::Few(few) => footprint.merge(few.footprint()),
            Fast::Sorting(sorting) => footprint.merge(sorting.footprint()),
        }
        footprint
    }
}

/// The elements of a word, the last one first.
fn word_of(trail: &[(u32, u32)], word: u32) -> Vec<usize> {
    let last = trail.get(word as usize);
    std::iter::successors(last, |(before, _)| trail.get(*before as usize))
        .map(|&(_, element)| element as usize)
        .collect()
}

/// Merges equal nodes, with the sum of their weights.
fn merge(nodes: &mut Vec<u32>, weights: &mut Vec<u128>, words: &mut Vec<u32>, width: usize) {
    let node = |number: usize| -> Range<usize> { number * width..(number + 1) * width };
    let mut order: Vec<usize> = (0..weights.len()).collect();
    limits::work((order.len() * width) as u64);
    order.sort_by(|&a, &b| nodes[node(a)].cmp(&nodes[node(b)]));
    let mut merged: Vec<u32> = Vec::with_capacity(nodes.len());
    let mut sums: Vec<u128> = Vec::with_capacity(weights.len());
    let mut kept: Vec<u32> = Vec::with_capacity(weights.len());
    for number in order {
        let is_known = !sums.is_empty() && merged[node(sums.len() - 1)] == nodes[node(number)];
        match sums.last_mut().filter(|_| is_known) {
            Some(sum) => *sum = sum.saturating_add(weights[number]),
            None => {
                merged.extend_from_slice(&nodes[node(number)]);
                sums.push(weights[number]);
                kept.push(words[number]);
            }
        }
    }
    (*nodes, *weights, *words) = (merged, sums, kept);
}
