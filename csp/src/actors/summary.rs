//! [`Effect`]: the outcome of an instance on some of its paths, and `summary`, which joins the paths of one effect.
//!
//! An effect is a list of final values of the variables that change, with the messages for each receiver in order; or
//! it is a class of fault with the number of messages sent to each receiver before the fault. Created rebecs are listed
//! class by class, in the order that numbers them. An effect forgets the order of sends to different receivers and the
//! order of statements. A summary maps each effect to the condition under which some choice leads to it: an instance is
//! the relation of inputs and effects.
//!
//! Normal form (`saturate.rs`): a copy of an input that has only one value on the path is that value, and a variable
//! that is known to keep its value is not written. Each effect has all inputs on which some path has this outcome, and
//! effects that others subsume are left out. Conditions are prime cubes.
//!
//! Soundness: equal summaries, up to a renaming of elements and values, are equal relations up to this renaming.

use std::collections::BTreeMap;

use frontend::interpret::FaultClass;
use frontend::model::{RebecId, ServerId, Value};
use rustc_hash::FxHashMap;

use super::cube::{Cube, Key, Mask, includes, primes};
use super::saturate::saturated;
use super::space::{ElementId, InstanceId, Space, full};
use super::term::{Term, TermId, Terms};
use super::walk::{Path, Val, looked};

/// The most paths of servers that are checked in debug builds to cover all inputs.
const MOST_CHECKED: usize = 16;

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A constant.
    Value(Value),
    /// The value that an element with listed values had before the step.
    Copy(ElementId),
    /// A term.
    Term(TermId),
    /// The created rebec that runs, represented by the stand-in of its class.
    Own(RebecId),
    /// The rebec of this number among the rebecs of a class, represented by its stand-in, that the effect creates.
    New(RebecId, u32),
}

/// The receiver of messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Receiver {
    /// A rebec of `main`.
    Rebec(RebecId),
    /// The created rebec that runs, represented by the stand-in of its class.
    Own(RebecId),
    /// The created rebec that an element holds, and the stand-in of its class.
    Held(ElementId, RebecId),
    /// The rebec of this number among the rebecs of a class, represented by its stand-in, that the effect creates.
    New(RebecId, u32),
}

impl Receiver {
    /// The rebec of `main`, or the stand-in of the created one.
    pub fn rebec(self) -> RebecId {
        match self {
            Receiver::Rebec(rebec) | Receiver::Own(rebec) | Receiver::Held(_, rebec) | Receiver::New(rebec, _) => rebec,
        }
    }
}

/// A message that is sent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    /// The server of the receiver.
    pub server: ServerId,
    /// The rebec of the instance, or one whose constructor it runs.
    pub sender: Source,
    /// One value per parameter.
    pub arguments: Vec<Source>,
}

/// The outcome of an instance.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// It runs to its end.
    Runs {
        /// The variables that change, ascending.
        writes: Vec<(ElementId, Source)>,
        /// For each receiver, ascending, its messages in order. Receivers are different rebecs.
        sends: Vec<(Receiver, Vec<Message>)>,
        /// For each class of which it creates rebecs, given by its stand-in, ascending, the variables of these rebecs
        /// in order: the elements of the stand-in.
        makes: Vec<(RebecId, Vec<Vec<Source>>)>,
    },
    /// It faults.
    Faults {
        /// The class.
        class: FaultClass,
        /// The number of messages sent to each receiver before the fault, ascending by receiver.
        sent: Vec<(Receiver, u32)>,
        /// The number of rebecs of each class created before the fault, ascending by stand-in.
        made: Vec<(RebecId, u32)>,
    },
}

/// An effect with its condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The effect.
    pub effect: Effect,
    /// The condition: prime cubes, ascending.
    pub cubes: Vec<Cube>,
    /// Whether these are all prime cubes; otherwise they are some cubes that cover the condition.
    pub is_prime: bool,
}

/// Joins the paths of an instance by effect.
pub(super) fn summary(space: &Space<'_>, terms: &Terms, instance: InstanceId, paths: &[Path]) -> Vec<Case> {
    let (rebec, _) = space.meaning(instance);
    let mut joined: FxHashMap<Effect, Vec<Cube>> = FxHashMap::default();
    let mut order: Vec<Effect> = Vec::new();
    for path in paths {
        let effect = match path.fault {
            Some(class) => {
                let sent = counts(path.sent.iter().map(|sent| sent.receiver));
                Effect::Faults { class, sent, made: counts(path.made.iter().map(|made| made.rebec)) }
            }
            None => {
                let (sends, makes) = (sends(space, path), makes(space, path));
                Effect::Runs { writes: writes(space, terms, rebec, path), sends, makes }
            }
        };
        let cubes = joined.entry(effect.clone()).or_default();
        if cubes.is_empty() {
            order.push(effect);
        }
        cubes.push(cube(space, &path.cube));
    }
    let whole = |key: Key| all(space, key);
    let covers = || {
        let inputs: Vec<Cube> = joined.values().flatten().take(MOST_CHECKED + 1).cloned().collect();
        inputs.len() > MOST_CHECKED || includes(&inputs, &[Cube::new()], &whole) != Some(false)
    };
    debug_assert!(covers(), "the paths of a server cover all its inputs");
    let cases = order.into_iter().map(|effect| {
        let cubes = joined.remove(&effect).expect("each effect once");
        (effect, cubes)
    });
    let cases = saturated(space, cases.collect()).into_iter().map(|(effect, cubes)| {
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

/// The known values of the inputs, without keys that may have any value.
pub(super) fn cube(space: &Space<'_>, known: &BTreeMap<Key, Mask>) -> Cube {
    known.iter().map(|(&key, &mask)| (key, mask)).filter(|&(key, mask)| mask != all(space, key)).collect()
}

/// A value at the end of a path.
pub(super) fn source(space: &Space<'_>, path: &Path, value: Val) -> Source {
    match looked(space, &path.cube, value) {
        Val::Known(value) => Source::Value(value),
        Val::Term(term) => Source::Term(term),
        Val::Own(rebec) => Source::Own(rebec),
        Val::New(rebec, number) => Source::New(rebec, number),
        Val::Input(element) => Source::Copy(element),
    }
}

/// The variables that a path changes. A variable that keeps its known value is not changed.
fn writes(space: &Space<'_>, terms: &Terms, rebec: RebecId, path: &Path) -> Vec<(ElementId, Source)> {
    let written = path.values.iter().enumerate().filter_map(|(place, &value)| {
        let element = space.state(rebec, place);
        let value = source(space, path, value);
        let keeps = match value {
            Source::Copy(other) => other == element,
            Source::Value(known) => {
                space.constant(element) == Some(known) || source(space, path, Val::Input(element)) == value
            }
            Source::Term(term) => *terms.get(term) == Term::Input(element),
            Source::Own(_) | Source::New(..) => false,
        };
        (!keeps).then_some((element, value))
    });
    written.collect()
}

fn counts<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<(K, u32)> {
    let mut counts: BTreeMap<K, u32> = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts.into_iter().collect()
}

fn sends(space: &Space<'_>, path: &Path) -> Vec<(Receiver, Vec<Message>)> {
    let mut sends: BTreeMap<Receiver, Vec<Message>> = BTreeMap::new();
    for sent in &path.sent {
        let arguments = sent.arguments.iter().map(|&value| source(space, path, value)).collect();
        let message = Message { server: sent.server, sender: source(space, path, sent.sender), arguments };
        sends.entry(sent.receiver).or_default().push(message);
    }
    sends.into_iter().collect()
}

fn makes(space: &Space<'_>, path: &Path) -> Vec<(RebecId, Vec<Vec<Source>>)> {
    let mut makes: BTreeMap<RebecId, Vec<Vec<Source>>> = BTreeMap::new();
    for made in &path.made {
        let values = made.values.iter().map(|&value| source(space, path, value)).collect();
        makes.entry(made.rebec).or_default().push(values);
    }
    makes.into_iter().collect()
}
