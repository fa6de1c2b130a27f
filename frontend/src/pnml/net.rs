//! [`Net`]: a place/transition net, unfolded.
//!
//! Invariants: the lists of a transition are ascending, without a place twice and without zeros; names are distinct; the places and
//! transitions of one id follow each other.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;

/// A place/transition net.
#[derive(Clone, Default, Debug)]
pub struct Net {
    /// The places.
    pub places: Vec<Place>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// The places of each id of the document: one per colour.
    pub place_ids: FxHashMap<String, Range<usize>>,
    /// The transitions of each id of the document: one per binding that may fire.
    pub transition_ids: FxHashMap<String, Range<usize>>,
    /// Whether one transition stands for all bindings with its step that differ in an exchange of variables.
    pub is_folded: bool,
    /// The names of places.
    names: FxHashSet<String>,
}

/// A place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its name: the id, and the colour behind it.
    pub name: String,
    /// The initial number of tokens.
    pub initial: i32,
    /// Its element in the document.
    pub span: Span,
}

/// A transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Its id, and the binding behind it.
    pub label: String,
    /// The places with the tokens that have to be there.
    pub inputs: Vec<(usize, i32)>,
    /// The places whose number of tokens changes, with the difference.
    pub changes: Vec<(usize, i32)>,
    /// Its element in the document.
    pub span: Span,
}

/// A text whose characters all may stand in a name.
fn cleaned(text: &str) -> String {
    let fits = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    text.chars().map(|character| if fits(character) { character } else { '_' }).collect()
}

impl Net {
    /// Adds an empty place.
    pub(super) fn add_place(&mut self, id: &str, colour: Option<&[String]>, span: Span) {
        let parts: Vec<String> = id.split('.').filter(|part| !part.is_empty()).map(cleaned).collect();
        let id = if parts.is_empty() { "_".to_owned() } else { parts.join(".") };
        let colour = colour.map(|colour| colour.iter().map(|part| cleaned(part)).collect::<Vec<String>>().join(","));
        let written = |number: usize| {
            let number = if number == 0 { String::new() } else { format!("_{number}") };
            colour.as_ref().map_or_else(|| format!("{id}{number}"), |colour| format!("{id}{number}({colour})"))
        };
        // Ids that differ in characters that names do not have are told apart by numbers.
        let mut number = 0;
        while self.names.contains(&written(number)) {
            number += 1;
        }
        let name = written(number);
        self.names.insert(name.clone());
        self.places.push(Place { name, initial: 0, span });
        assert_eq!(self.names.len(), self.places.len(), "every place has a name of its own");
    }

    /// The initial marking.
    pub fn initial(&self) -> Vec<i32> {
        self.places.iter().map(|place| place.initial).collect()
    }

    /// Leaves out the transitions that could not fire even if no token were ever taken.
    pub(super) fn leave_out_dead(&mut self) {
        // The most tokens that a place can get; a producer that fires may fire again.
        let mut most: Vec<i32> = self.places.iter().map(|place| place.initial).collect();
        let mut is_dead = vec![true; self.transitions.len()];
        let mut waiting: Vec<usize> = (0..self.transitions.len()).collect();
        loop {
            limits::work(waiting.len() as u64);
            let fires = |&at: &usize| self.transitions[at].inputs.iter().all(|&(place, number)| most[place] >= number);
            let (fired, others): (Vec<usize>, Vec<usize>) = waiting.into_iter().partition(fires);
            waiting = others;
            if fired.is_empty() {
                break;
            }
            for at in fired {
                is_dead[at] = false;
                for &(place, _) in self.transitions[at].changes.iter().filter(|(_, change)| *change > 0) {
                    most[place] = i32::MAX;
                }
            }
        }
        let mut live_before = vec![0];
        live_before.extend(is_dead.iter().scan(0, |count, dead| {
            *count += usize::from(!dead);
            Some(*count)
        }));
        for range in self.transition_ids.values_mut() {
            *range = live_before[range.start]..live_before[range.end];
        }
        let mut dead = is_dead.iter();
        self.transitions.retain(|_| dead.next() == Some(&false));
        assert_eq!(live_before.last(), Some(&self.transitions.len()), "ids name the transitions that stay");
    }

    /// Whether arcs are at places, each once and in order, weights are positive, what is taken is needed, and ids name parts.
    pub(super) fn is_well_formed(&self) -> bool {
        let is_right = |transition: &Transition| {
            let (inputs, changes) = (&transition.inputs, &transition.changes);
            let is_listed = |list: &[(usize, i32)]| {
                list.is_sorted_by(|one, next| one.0 < next.0) && list.iter().all(|arc| arc.0 < self.places.len())
            };
            let needed = |place: usize| inputs.binary_search_by_key(&place, |arc| arc.0).map_or(0, |at| inputs[at].1);
            is_listed(inputs)
                && is_listed(changes)
                && inputs.iter().all(|arc| arc.1 > 0)
                && changes.iter().all(|&(place, change)| change != 0 && change >= -needed(place))
        };
        let ends = |ids: &FxHashMap<String, Range<usize>>| ids.values().map(|range| range.end).max().unwrap_or(0);
        self.transitions.iter().all(is_right)
            && ends(&self.place_ids) <= self.places.len()
            && ends(&self.transition_ids) <= self.transitions.len()
    }

    /// The marking after a transition that is enabled; nothing if it is not, or a number of tokens does not fit.
    pub fn fired(&self, transition: &Transition, marking: &[i32]) -> Option<Vec<i32>> {
        if !Net::is_enabled(transition, marking) {
            return None;
        }
        debug_assert_eq!(marking.len(), self.places.len(), "a marking has every place");
        let mut next = marking.to_vec();
        for &(place, change) in &transition.changes {
            next[place] = next[place].checked_add(change)?;
        }
        Some(next)
    }

    /// Whether a transition is enabled in a marking.
    pub fn is_enabled(transition: &Transition, marking: &[i32]) -> bool {
        transition.inputs.iter().all(|&(place, number)| marking[place] >= number)
    }
}
