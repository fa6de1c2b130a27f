//! Steps of several summands as single instances, in models with turns: an instance and those that may follow it inside of a step.
//!
//! The instance that begins the step stands for all of its ends: it reads and writes what each instance of the chain does, and is
//! enabled where the first one is, since a step that is blocked inside ends there.
//!
//! Invariant: an instance follows another one only if it may be enabled, or fault, in a state that the other one leaves inside
//! of a step. The turn is no element of a chain: outside of steps it has one value.
//!
//! Soundness: which ends a step has depends on the elements that the guards and bodies of its chain read, since no other process
//! moves inside. States inside of a step that are stored, for a fault or a sequence without end, count as faults of the
//! step ([`Follow`](super::super::turns)), and are expanded by all of their steps.
//!
//! Complexity: instances times chains.

use frontend::sequential::Turn;

use crate::stubborn::{Among, Facts, MOST_VALUES, Source, Track, bits};

/// The value of the turn outside of steps, counted from its least one.
const OVER: u64 = 1;

/// The instances that may follow each one inside of a step, itself where it is repeated; none without turns.
pub(super) fn followers(facts: &[Facts], turn: Option<Turn>) -> Vec<Vec<u32>> {
    let Some(Turn { element: turn, .. }) = turn else { return vec![Vec::new(); facts.len()] };
    let open: Vec<u64> = facts.iter().map(|facts| allowed(facts, turn) & !OVER).collect();
    let of = |first: &Facts| {
        // By instance the values of the turn with which it may be entered.
        let mut entered = vec![0; facts.len()];
        let mut work = vec![(first, OVER)];
        while let Some((from, values)) = work.pop() {
            let taken = after(from, turn, values) & !OVER;
            if taken == 0 {
                continue;
            }
            limits::work(facts.len() as u64);
            for (at, next) in facts.iter().enumerate() {
                let new = open[at] & taken & !entered[at];
                let mut conditions = next.allowed.iter().filter(|among| among.element != turn);
                let may_be =
                    |among: &Among| after(from, among.element, allowed(from, among.element)) & among.values != 0;
                if new != 0 && conditions.all(may_be) {
                    entered[at] |= new;
                    work.push((next, entered[at]));
                }
            }
        }
        (0..).zip(&entered).filter(|(_, values)| **values != 0).map(|(at, _)| at).collect()
    };
    facts.iter().map(of).collect()
}

/// The facts about the steps that begin with each instance.
pub(super) fn composed(facts: Vec<Facts>, followers: &[Vec<u32>], turn: Option<Turn>) -> Vec<Facts> {
    let Some(Turn { element: turn, .. }) = turn else { return facts };
    let whole = |(first, behind): (&Facts, &Vec<u32>)| {
        let chain: Vec<&Facts> = behind.iter().map(|&at| &facts[at as usize]).collect();
        let mut all = first.clone();
        for next in &chain {
            all.reads.extend(&next.reads);
            all.writes.extend(&next.writes);
        }
        all.reads.remove(&turn);
        all.writes.remove(&turn);
        all.allowed.retain(|among| among.element != turn);
        let is_tracked = |element: &usize| {
            let writers = chain.iter().copied().chain([first]).filter(|facts| facts.writes.contains(element));
            let mut tracks = writers.map(|facts| track(facts, *element));
            tracks.all(|track| track.is_some())
        };
        let tracks = all.writes.iter().filter(|element| is_tracked(element)).map(|&element| {
            let len = chain
                .iter()
                .copied()
                .chain([first])
                .find_map(|facts| track(facts, element))
                .map_or(0, |track| track.after.len());
            limits::work((len * (1 + chain.len())) as u64);
            let from = allowed(first, element);
            let ends = |value: usize| if from >> value & 1 == 0 { 0 } else { ends(first, &chain, element, 1 << value) };
            Track { element, after: (0..len).map(ends).collect() }
        });
        all.tracks = tracks.collect();
        all
    };
    assert_eq!(facts.len(), followers.len(), "every instance has its followers");
    facts.iter().zip(followers).map(whole).collect()
}

/// The values that an element may have after some instances of a chain, the first one at least.
fn ends(first: &Facts, chain: &[&Facts], element: usize, from: u64) -> u64 {
    let mut values = after(first, element, from);
    loop {
        let more = chain.iter().fold(values, |all, next| all | after(next, element, values));
        if more == values {
            return values;
        }
        values = more;
    }
}

/// The values of an element with which an instance may be enabled or fault.
fn allowed(facts: &Facts, element: usize) -> u64 {
    facts.allowed.iter().find(|among| among.element == element).map_or(u64::MAX, |among| among.values)
}

fn track(facts: &Facts, element: usize) -> Option<&Track> {
    facts.tracks.iter().find(|track| track.element == element)
}

/// The values that an element may have after an instance, from those of a set.
fn after(facts: &Facts, element: usize, from: u64) -> u64 {
    match track(facts, element) {
        Some(track) => bits(from).take_while(|&at| at < track.after.len()).fold(0, |set, at| set | track.after[at]),
        None if facts.writes.contains(&element) => u64::MAX,
        None => from,
    }
}

/// The sources of conditions where an instance stands for its chain.
pub(super) fn composed_sources(sources: Vec<Option<Source>>, followers: &[Vec<u32>]) -> Vec<Option<Source>> {
    let whole = |source: Source| {
        let creates = |at: u32| source.creators.binary_search(&at).is_ok();
        let chains = (0..).zip(followers).filter(|(at, behind)| creates(*at) || behind.iter().any(|&at| creates(at)));
        let creators = chains.map(|(at, _)| at).collect();
        Source { creators, ..source }
    };
    sources.into_iter().map(|source| source.map(whole)).collect()
}

const _: () = assert!(MOST_VALUES == 64, "sets of values are words");
