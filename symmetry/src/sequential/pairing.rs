//! [`Pairing`]: one permutation of the labels and one of the processes for all instances.
//!
//! Instances that do the same differ at most by their labels and processes. Where there is only one of a kind its image is
//! known, and so are the images of its labels and its process; then kinds of several instances are paired, those first that agree
//! with what is known, and what stays is kept as it is where it may be.
//!
//! # Soundness
//!
//! A pairing that is found is checked as it grows: no label and no process has two images or two originals. That none is found
//! proves nothing once a choice was made; then the result is not certain.

use rustc_hash::{FxHashMap, FxHashSet};

use super::diagram::Dd;

/// An instance among those that do the same.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) place: usize,
    /// Its labels, by their conditions and by arguments that are the same in every image.
    pub(super) labels: Vec<(Vec<Dd>, Vec<i32>)>,
    pub(super) process: Option<i32>,
}

/// An instance without a partner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unpaired {
    pub(super) place: usize,
    pub(super) what: &'static str,
    /// Whether there was no choice.
    pub(super) certain: bool,
}

/// An injective map as far as it is known.
#[derive(Debug)]
struct Partial<T> {
    images: FxHashMap<T, T>,
    originals: FxHashMap<T, T>,
}

impl<T> Default for Partial<T> {
    fn default() -> Self {
        Partial { images: FxHashMap::default(), originals: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Partial<T> {
    /// Whether a pair agrees with what is known; nothing if nothing is known of it.
    fn agrees(&self, from: &T, to: &T) -> Option<bool> {
        match (self.images.get(from), self.originals.get(to)) {
            (None, None) => None,
            (image, original) => Some(image == Some(to) && original == Some(from)),
        }
    }

    fn add(&mut self, from: T, to: T) {
        self.images.insert(from.clone(), to.clone());
        self.originals.insert(to, from);
    }
}

/// An argument, place and value, with its image.
type ArgumentPair = ((usize, i32), (usize, i32));

/// What is to be paired, and the maps so far.
#[derive(Default, Debug)]
pub(super) struct Pairing {
    labels: Partial<(String, Vec<i32>)>,
    processes: Partial<i32>,
    /// Events whose arguments are permuted one by one, and where each of their arguments goes.
    one_by_one: FxHashSet<String>,
    arguments: Partial<(String, usize, i32)>,
    places: Partial<(String, usize)>,
    kinds: Vec<(String, Vec<Member>, Vec<Member>)>,
    chosen: bool,
}

/// How two instances fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// All is known to agree.
    Known,
    /// Nothing is known against it, and what is new stays as it is.
    Same,
    /// Nothing is known against it.
    New,
}

impl Pairing {
    /// The instances of one kind, as many images as originals.
    pub(super) fn add(&mut self, event: &str, from: Vec<Member>, to: Vec<Member>) {
        self.kinds.push((event.to_owned(), from, to));
    }

    /// Arguments of this event are permuted one by one.
    pub(super) fn one_by_one(&mut self, event: &str) {
        self.one_by_one.insert(event.to_owned());
    }

    /// Adds where an argument goes as a whole; whether this agrees with what is known.
    pub(super) fn place(&mut self, event: &str, from: usize, to: usize) -> bool {
        let [from, to] = [from, to].map(|place| (event.to_owned(), place));
        let agrees = self.places.agrees(&from, &to);
        if agrees.is_none() {
            self.places.add(from, to);
        }
        agrees != Some(false)
    }

    /// Adds where a value of an argument goes; whether this agrees with what is known.
    pub(super) fn argument(&mut self, event: &str, from: (usize, i32), to: (usize, i32)) -> bool {
        let [from, to] = [from, to].map(|(place, value)| (event.to_owned(), place, value));
        let agrees = self.arguments.agrees(&from, &to);
        if agrees.is_none() {
            self.arguments.add(from, to);
        }
        agrees != Some(false)
    }

    /// Adds where a process goes; whether this agrees with what is known.
    pub(super) fn process(&mut self, from: i32, to: i32) -> bool {
        let agrees = self.processes.agrees(&from, &to);
        if agrees.is_none() {
            self.processes.add(from, to);
        }
        agrees != Some(false)
    }

    /// Whether the arguments of two instances go to each other one by one, and what is new about it; nothing if they do not.
    fn argument_pairs(&self, event: &str, from: &Member, to: &Member) -> Option<Vec<ArgumentPair>> {
        let mut new: Vec<ArgumentPair> = Vec::new();
        for ((_, from), (_, to)) in from.labels.iter().zip(&to.labels) {
            if from.len() != to.len() {
                return None;
            }
            for (place, &value) in from.iter().enumerate() {
                // Those of an event whose arguments go one by one are known.
                let target = self.places.images.get(&(event.to_owned(), place))?.1;
                let (from, to) = ((place, value), (target, *to.get(target)?));
                let [own, other] = [from, to].map(|(place, value)| (event.to_owned(), place, value));
                let is_against = |pair: &ArgumentPair| (pair.0 == from) != (pair.1 == to);
                match self.arguments.agrees(&own, &other) {
                    Some(true) => {}
                    None if !new.iter().any(is_against) => new.push((from, to)),
                    _ => return None,
                }
            }
        }
        Some(new)
    }

    /// Pairs everything; where the processes that instances belong to go, each with its image, ascending.
    pub(super) fn solve(mut self) -> Result<Vec<(i32, i32)>, Unpaired> {
        let mut kinds = std::mem::take(&mut self.kinds);
        kinds.sort_by_key(|(_, from, _)| from.len());
        for (event, from, to) in kinds {
            self.pair(&event, &from, to)?;
        }
        let mut processes: Vec<(i32, i32)> = self.processes.images.into_iter().collect();
        processes.sort_unstable();
        Ok(processes)
    }

    fn pair(&mut self, event: &str, from: &[Member], mut to: Vec<Member>) -> Result<(), Unpaired> {
        let mut waiting: Vec<&Member> = from.iter().collect();
        while !waiting.is_empty() {
            // The pair that fits best: known ones first, so that choices come late.
            let mut best: Option<(Fit, usize, usize)> = None;
            let mut what = "event arguments";
            for (place, member) in waiting.iter().enumerate() {
                for (other, target) in to.iter().enumerate() {
                    match self.fit(event, member, target) {
                        Ok(fit) if best.is_none_or(|(least, ..)| fit < least) => best = Some((fit, place, other)),
                        Ok(_) => {}
                        Err(why) => what = why,
                    }
                }
                if best.is_some_and(|(fit, ..)| fit == Fit::Known) {
                    break;
                }
            }
            let Some((fit, place, other)) = best else {
                return Err(Unpaired { place: waiting[0].place, what, certain: !self.chosen });
            };
            self.chosen |= fit != Fit::Known && waiting.len() > 1;
            let (member, target) = (waiting.swap_remove(place), to.swap_remove(other));
            if self.one_by_one.contains(event) {
                for (from, to) in self.argument_pairs(event, member, &target).unwrap_or_default() {
                    self.argument(event, from, to);
                }
            }
            for ((_, from), (_, to)) in member.labels.iter().zip(&target.labels) {
                self.labels.add((event.to_owned(), from.clone()), (event.to_owned(), to.clone()));
            }
            if let (Some(from), Some(to)) = (member.process, target.process) {
                self.processes.add(from, to);
            }
        }
        Ok(())
    }

    fn fit(&self, event: &str, from: &Member, to: &Member) -> Result<Fit, &'static str> {
        let mut fit = Fit::Known;
        let mut take = |agrees: Option<bool>, same: bool| match agrees {
            Some(false) => false,
            Some(true) => true,
            None => {
                fit = fit.max(if same { Fit::Same } else { Fit::New });
                true
            }
        };
        if from.labels.len() != to.labels.len() {
            return Err("event arguments");
        }
        if self.one_by_one.contains(event) {
            let Some(new) = self.argument_pairs(event, from, to) else { return Err("event arguments") };
            let is_same = new.iter().all(|(from, to)| from == to);
            take(if new.is_empty() { Some(true) } else { None }, is_same);
        }
        for ((when, from), (other, to)) in from.labels.iter().zip(&to.labels) {
            let known = self.labels.agrees(&(event.to_owned(), from.clone()), &(event.to_owned(), to.clone()));
            if when != other || !take(known, from == to) {
                return Err("event arguments");
            }
        }
        match (from.process, to.process) {
            (None, None) => {}
            (Some(from), Some(to)) if take(self.processes.agrees(&from, &to), from == to) => {}
            _ => return Err("process of weak fairness"),
        }
        Ok(fit)
    }
}
