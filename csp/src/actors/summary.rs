//! [`Effect`]: what an instance does on some of its paths, and [`summary`], which joins paths of one effect.
//!
//! An effect is final values of variables that change, messages for each receiver in order, or a class of fault with the number of
//! messages sent before to each receiver. The order of sends to different receivers and that of statements is gone. A summary maps
//! each effect to the condition under which some choice leads to it: an instance is the relation of inputs and effects.
//!
//! Normal form: a copy of an input of which the path leaves one value is that value. A variable that changes on some path is given
//! its value on all of them where that is known. Conditions are prime cubes.
//!
//! Soundness: equal summaries, up to a renaming of elements and values, are equal relations up to this renaming.

use std::collections::{BTreeMap, BTreeSet};

use frontend::interpret::FaultClass;
use frontend::model::{RebecId, ServerId, Value};
use rustc_hash::FxHashMap;

use super::cube::{Cube, Key, Mask, primes};
use super::space::{ElementId, InstanceId, Space, full};
use super::term::{Term, TermId, Terms};
use super::walk::{Path, Val};

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A constant.
    Value(Value),
    /// What an element with listed values had before the step.
    Copy(ElementId),
    /// A term.
    Term(TermId),
}

/// A message that is sent; its sender is the rebec of the instance.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    /// The server of the receiver.
    pub server: ServerId,
    /// One a parameter.
    pub arguments: Vec<Source>,
}

/// What an instance does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// It runs to its end.
    Runs {
        /// The variables that change, ascending.
        writes: Vec<(ElementId, Source)>,
        /// For each receiver, ascending, its messages in order.
        sends: Vec<(RebecId, Vec<Message>)>,
    },
    /// It faults.
    Faults {
        /// The class.
        class: FaultClass,
        /// How many messages each receiver was sent before, ascending.
        sent: Vec<(RebecId, u32)>,
    },
}

/// An effect with its condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The effect.
    pub effect: Effect,
    /// The condition: prime cubes, ascending.
    pub cubes: Vec<Cube>,
    /// Whether they are all prime cubes, else they are some that cover the condition.
    pub is_prime: bool,
}

/// Joins the paths of an instance by effect.
pub(super) fn summary(space: &Space<'_>, terms: &Terms, instance: InstanceId, paths: &[Path]) -> Vec<Case> {
    let (rebec, _) = space.meaning(instance);
    let sources: Vec<Vec<Source>> = paths.iter().map(|path| finals(space, path)).collect();
    let keeps = |element: ElementId, value: Source| match value {
        Source::Copy(other) => other == element,
        Source::Value(value) => space.constant(element) == Some(value),
        Source::Term(term) => *terms.get(term) == Term::Input(element),
    };
    let changed = changed(space, rebec, paths, &sources, &keeps);
    let mut joined: FxHashMap<Effect, Vec<Cube>> = FxHashMap::default();
    let mut order: Vec<Effect> = Vec::new();
    for (path, finals) in paths.iter().zip(&sources) {
        let effect = match path.fault {
            Some(class) => Effect::Faults { class, sent: counts(path) },
            None => {
                let written = changed.iter().map(|&element| (space.state(rebec, element), finals[element]));
                let writes = written.filter(|&(element, source)| !keeps(element, source)).collect();
                Effect::Runs { writes, sends: sends(space, path) }
            }
        };
        let cubes = joined.entry(effect.clone()).or_default();
        if cubes.is_empty() {
            order.push(effect);
        }
        cubes.push(cube(space, &path.cube));
    }
    let whole = |key: Key| all(space, key);
    let cases = order.into_iter().map(|effect| {
        let cubes = joined.remove(&effect).expect("each effect once");
        let (cubes, is_prime) = primes(cubes, &whole);
        Case { effect, cubes, is_prime }
    });
    cases.collect()
}

/// All values of a key.
pub fn all(space: &Space<'_>, key: Key) -> Mask {
    match key {
        Key::Element(element) => space.full(element),
        Key::Atom(_) => full(2),
    }
}

/// What is known of the inputs, without keys that may be anything.
pub(super) fn cube(space: &Space<'_>, known: &BTreeMap<Key, Mask>) -> Cube {
    known.iter().map(|(&key, &mask)| (key, mask)).filter(|&(key, mask)| mask != all(space, key)).collect()
}

/// A value at the end of a path.
pub(super) fn source(space: &Space<'_>, path: &Path, value: Val) -> Source {
    match value {
        Val::Known(value) => Source::Value(value),
        Val::Term(term) => Source::Term(term),
        Val::Input(element) => match path.cube.get(&Key::Element(element)) {
            Some(mask) if mask.count_ones() == 1 => {
                Source::Value(space.values(element)[mask.trailing_zeros() as usize])
            }
            _ => Source::Copy(element),
        },
    }
}

fn finals(space: &Space<'_>, path: &Path) -> Vec<Source> {
    path.values.iter().map(|&value| source(space, path, value)).collect()
}

/// The elements that some path changes.
fn changed(
    space: &Space<'_>,
    rebec: RebecId,
    paths: &[Path],
    finals: &[Vec<Source>],
    keeps: &dyn Fn(ElementId, Source) -> bool,
) -> Vec<usize> {
    let mut changed = BTreeSet::new();
    for (path, finals) in paths.iter().zip(finals).filter(|(path, _)| path.fault.is_none()) {
        for (place, &value) in finals.iter().enumerate() {
            let element = space.state(rebec, place);
            // What the path knows of the element before the step may be what it has afterwards.
            let known = |value| space.constant(element).is_some() || source(space, path, Val::Input(element)) == value;
            if !keeps(element, value) && !known(value) {
                changed.insert(place);
            }
        }
    }
    changed.into_iter().collect()
}

fn counts(path: &Path) -> Vec<(RebecId, u32)> {
    let mut counts: BTreeMap<RebecId, u32> = BTreeMap::new();
    for sent in &path.sent {
        *counts.entry(sent.receiver).or_default() += 1;
    }
    counts.into_iter().collect()
}

fn sends(space: &Space<'_>, path: &Path) -> Vec<(RebecId, Vec<Message>)> {
    let mut sends: BTreeMap<RebecId, Vec<Message>> = BTreeMap::new();
    for sent in &path.sent {
        let arguments = sent.arguments.iter().map(|&value| source(space, path, value)).collect();
        sends.entry(sent.receiver).or_default().push(Message { server: sent.server, arguments });
    }
    sends.into_iter().collect()
}
