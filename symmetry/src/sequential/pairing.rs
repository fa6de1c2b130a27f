//! [`Pairing`]: one permutation of the labels and one of the processes for all instances.
//!
//! Instances of one kind differ at most by their labels and processes. A kind with only one instance determines the image of this
//! instance, and so the images of its labels and its process. Then kinds of several instances are paired. Pairs that agree with the known
//! images come first, and the pairing fixes labels and processes where it can.
//!
//! # Soundness
//!
//! A pairing is checked as it grows: no label and no process has two images or two originals. A failure proves nothing once a choice was
//! made; then the result is not certain.

use rustc_hash::FxHashMap;

use super::diagram::Dd;

/// An instance among those of one kind.
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

/// A partial injective map.
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
    /// Whether a pair agrees with the map; `None` if the map contains neither of the two.
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

/// The instances to be paired, and the maps so far.
#[derive(Default, Debug)]
pub(super) struct Pairing {
    labels: Partial<(String, Vec<i32>)>,
    processes: Partial<i32>,
    kinds: Vec<(String, Vec<Member>, Vec<Member>)>,
    chosen: bool,
}

/// The fit of two instances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// All pairs are known to agree.
    Known,
    /// No pair contradicts the maps, and the new pairs are fixed points.
    Same,
    /// No pair contradicts the maps.
    New,
}

impl Pairing {
    /// The instances of one kind, as many images as originals.
    pub(super) fn add(&mut self, event: &str, from: Vec<Member>, to: Vec<Member>) {
        self.kinds.push((event.to_owned(), from, to));
    }

    /// Pairs all instances; returns the processes of the instances with their images, ascending.
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
            // The pair that fits best: known pairs first, so that choices come late.
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
