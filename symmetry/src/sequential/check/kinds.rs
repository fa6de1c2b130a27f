//! [`Kinds`]: the instances of a process by what they do, and the kinds that a permutation may move.
//!
//! A kind whose functions read no element that a permutation moves, and that changes none, is its own image: renaming such a function
//! changes nothing. So a candidate costs what it moves, not the size of the process.
//!
//! # Invariants
//!
//! Kinds are in the order of their first instances. A kind whose functions have terms or atoms over wide elements, or more than [`MOST`]
//! nodes, counts as moved by every permutation.

use rustc_hash::FxHashMap;

use crate::sequential::diagram::{Dd, Diagrams, Renaming};
use crate::sequential::instances::Instance;
use crate::sequential::relation::Wrong;

/// The most nodes of a kind that are looked at for the elements that they test.
const MOST: usize = 1 << 12;

/// The properties that instances of one kind share: event, status, outputs.
pub(super) type Kind = (String, Dd, Vec<(usize, Dd)>);

/// The kinds of a process.
#[derive(Default)]
pub(super) struct Kinds {
    list: Vec<(Kind, Vec<usize>)>,
    index: FxHashMap<Kind, usize>,
    /// For each element the kinds that read it.
    readers: FxHashMap<usize, Vec<usize>>,
    /// For each element the kinds that change it.
    writers: FxHashMap<usize, Vec<usize>>,
    /// The kinds that count as moved always.
    open: Vec<usize>,
    /// For each kind whether its instances have the same single label without arguments, and no process.
    is_plain: Vec<bool>,
}

impl Kinds {
    /// The kinds of instances, by their numbers.
    pub(super) fn new(diagrams: &Diagrams, list: &[Instance], kind_of: impl Fn(&Instance) -> Option<Kind>) -> Kinds {
        let mut kinds = Kinds::default();
        for (place, instance) in list.iter().enumerate() {
            let Some(kind) = kind_of(instance) else { continue };
            debug_assert!(kind.2.windows(2).all(|pair| pair[0].0 < pair[1].0), "one output for each element");
            let next = kinds.list.len();
            let number = *kinds.index.entry(kind.clone()).or_insert(next);
            if number == next {
                kinds.list.push((kind, Vec::new()));
                kinds.is_plain.push(true);
            }
            kinds.list[number].1.push(place);
            let labels = instance.behaviour.iter().flat_map(|behaviour| &behaviour.labels);
            let is_plain = instance.process.is_none() && labels.map(|label| label.0.len()).eq([0]);
            kinds.is_plain[number] &= is_plain;
        }
        for number in 0..kinds.list.len() {
            match kinds.read(diagrams, list, number) {
                Some(read) => read.into_iter().for_each(|at| kinds.readers.entry(at).or_default().push(number)),
                None => kinds.open.push(number),
            }
            let Kinds { list, writers, .. } = &mut kinds;
            let (_, _, outputs) = &list[number].0;
            outputs.iter().for_each(|&(at, _)| writers.entry(at).or_default().push(number));
        }
        kinds
    }

    /// The elements that a kind reads; nothing if it has to count as moved.
    fn read(&self, diagrams: &Diagrams, list: &[Instance], number: usize) -> Option<Vec<usize>> {
        let ((_, status, outputs), instances) = &self.list[number];
        let labels = instances.iter().flat_map(|&place| &list[place].behaviour.as_ref().expect("it has a kind").labels);
        let labels: Vec<Dd> = labels.map(|(_, when)| *when).collect();
        let functions = [*status].into_iter().chain(outputs.iter().map(|output| output.1)).chain(labels);
        diagrams.tested(functions, MOST)
    }

    /// The kinds with their instances.
    pub(super) fn list(&self) -> &[(Kind, Vec<usize>)] {
        &self.list
    }

    /// The instances of a kind; none if there is no such kind.
    pub(super) fn members(&self, kind: &Kind) -> Option<&[usize]> {
        self.index.get(kind).map(|&number| self.list[number].1.as_slice())
    }

    /// Whether pairing the instances of a kind with themselves says nothing about labels and processes.
    pub(super) fn is_plain(&self, number: usize) -> bool {
        self.is_plain[number]
    }

    /// For each kind whether a permutation may move it.
    pub(super) fn moved(&self, renaming: &Renaming, wrong: Wrong) -> Vec<bool> {
        limits::work(self.list.len() as u64);
        debug_assert_eq!(renaming.elements.len(), renaming.places.len(), "a renaming has every element");
        let by_element = if wrong.forgets_changes() { vec![&self.readers] } else { vec![&self.readers, &self.writers] };
        let mut moved = vec![false; self.list.len()];
        self.open.iter().for_each(|&number| moved[number] = true);
        for element in (0..renaming.elements.len()).filter(|&element| !renaming.fixes(element)) {
            let kinds = by_element.iter().filter_map(|kinds| kinds.get(&element)).flatten();
            kinds.for_each(|&number| moved[number] = true);
        }
        moved
    }
}
