//! The check that a permutation maps the behaviour of each server onto the behaviour of the server at the image.
//!
//! Theorem. Let a permutation map rebecs, elements with their values, and messages, such that it maps the possible values of each element
//! to those of its image; for each rebec and live server, the relation of inputs and effects to that of the image; and initial states
//! onto initial states. Then it is an automorphism: for each step of the rebec on a message in a state, the image has the image of this
//! step on the image of the message in the image of the state, and conversely, as the relations are equal. Queues are sequences of
//! messages and overflow by their length, which does not change. The effects keep the order of messages to one receiver, and of faults
//! the class and the number of messages sent before, so a step and its image fault alike and in the same class.
//!
//! Relations are equal if for each effect the image of its condition is the condition of the image of the effect. Conditions are compared
//! as sets of prime cubes, and as functions where these differ: by decision diagrams, and where these are too large by a solver whose
//! proofs are checked. Conditions that it does not decide count as different.
//!
//! Created rebecs stay fixed, with their numbers, and so do places and values within them: a step and its image create the same rebecs,
//! as effects list the created rebecs class by class in order. The summary of the stand-in of a class holds for each of its rebecs; an
//! atom states that two names denote one rebec, and is true in a state if its image is true in the image.
//!
//! Servers that have no summary are opaque. For these the permutation must keep the place of everything in the rebec and in the messages
//! that the server names, including constructors of the classes that it creates, keep the known rebecs in order, and act by the images
//! of rebecs only; then both run in lockstep, see the module page.
//!
//! The check uses neither the graph of the detector nor its vertices.
//!
//! Source: SOUNDNESS of \[Zha13\]: ground summands as events with cubes.

use csp::actors::cube::{Cube, Key, Mask};
use csp::actors::{
    Actors, Case, Effect, InstanceId, LocalStart, Message, QueuedMessage, Receiver, Source, Space, StartState, Summary,
    named, summary,
};
use frontend::model::{Model, RebecId};
use rustc_hash::FxHashMap;

use super::{Certificate, Rejection};
use crate::cubes::{Compared, Comparison};
use crate::ground::Mapping;
use crate::permutation::ModelPermutation;

/// The most values of a witness.
const MAX_WITNESS: usize = 12;
/// The reason where neither diagrams nor a solver decide.
pub(super) const NOT_DECIDED: &str = "whether its image does the like under the same condition is not decided";

/// The reason where a server is too large.
pub(super) const NOT_LOOKED_INTO: &str = "it is not looked into, and something in it moves";

/// The constraints of a model, made when they are first needed.
pub(super) struct Summaries<'m> {
    model: &'m Model,
    actors: Option<Result<Box<Actors<'m>>, &'static str>>,
    comparison: Comparison,
}

impl<'m> Summaries<'m> {
    pub(super) fn new(model: &'m Model) -> Summaries<'m> {
        Summaries { model, actors: None, comparison: Comparison::default() }
    }

    /// Stops comparisons of conditions from here on: those with different cubes are not decided.
    #[cfg(test)]
    pub(super) fn give_up_comparing(&mut self) {
        struct Never;
        impl sat::Solver for Never {
            fn solve(&self, _: &sat::Formula, _: &[sat::Literal]) -> sat::Answer {
                sat::Answer::NotDecided
            }
        }
        self.comparison = Comparison { most_work: 0, solver: Box::new(Never) };
    }

    /// Takes these for the constraints of the model.
    #[cfg(test)]
    pub(super) fn assume(&mut self, actors: Actors<'m>) {
        self.actors = Some(Ok(Box::new(actors)));
    }

    pub(super) fn check(&mut self, permutation: &ModelPermutation) -> Result<Certificate, Rejection> {
        let model = self.model;
        let actors = self.actors.get_or_insert_with(|| {
            Actors::new(model, &frontend::model::PropertySet::default()).map(Box::new).map_err(|error| error.0)
        });
        let actors = match actors {
            Ok(actors) => actors,
            Err(reason) => return Err(differs("main", reason)),
        };
        let Actors { space, terms, summaries, start, .. } = &mut **actors;
        let mapping = Mapping::new(space, terms, permutation)?;
        for instance in space.all_instances() {
            instances(&mapping, summaries, instance, &self.comparison)?;
        }
        starts(&mapping, start)?;
        Ok(Certificate { keeps_fault_classes: true })
    }
}

fn differs(part: impl Into<String>, reason: &str) -> Rejection {
    Rejection::Behaviour { part: part.into(), reason: reason.to_owned() }
}

fn instances(
    mapping: &Mapping<'_, '_>,
    summaries: &[Summary],
    instance: InstanceId,
    comparison: &Comparison,
) -> Result<(), Rejection> {
    let (space, image) = (mapping.space, mapping.instance(instance));
    let name = || space.instance_name(instance);
    match (&summaries[instance.index()], &summaries[image.index()]) {
        (Summary::Dead, Summary::Dead) => Ok(()),
        (Summary::Opaque(_), Summary::Opaque(_)) => opaque(mapping, instance),
        (Summary::Cases(here), Summary::Cases(there)) => {
            if here.len() != there.len() {
                return Err(differs(name(), "its image does something else"));
            }
            let effects: FxHashMap<&Effect, &Case> = there.iter().map(|case| (&case.effect, case)).collect();
            assert_eq!(effects.len(), there.len(), "the cases of a server have different effects");
            for case in here {
                limits::work(16);
                let Some(effect) = mapped(mapping, &case.effect) else {
                    return Err(differs(name(), "it copies a value between elements whose values move differently"));
                };
                let Some(other) = effects.get(&effect) else {
                    return Err(differs(name(), "its image does not do the like"));
                };
                let cubes = mapping.cubes(&case.cubes);
                let full = |key| summary::all(space, key);
                if cubes != other.cubes
                    && let Some(reason) = different(space, [&cubes, &other.cubes], &full, comparison)
                {
                    return Err(differs(name(), &reason));
                }
            }
            Ok(())
        }
        _ => Err(differs(name(), "its image is not sent the like")),
    }
}

/// The reason why two conditions differ; `None` if they are equal.
fn different(
    space: &Space<'_>,
    [one, other]: [&[Cube]; 2],
    full: &dyn Fn(Key) -> Mask,
    comparison: &Comparison,
) -> Option<String> {
    match comparison.compare(one, other, full) {
        Compared::Same => None,
        Compared::NotDecided => Some(NOT_DECIDED.to_owned()),
        Compared::Different(witness) => {
            let values = witness.iter().filter_map(|&(key, place)| match key {
                Key::Element(id) => {
                    let value = space.value_name(*space.values(id).get(place as usize)?);
                    Some(format!("{}={value}", space.name(id)))
                }
                Key::Atom(_) => None,
            });
            let values: Vec<String> = values.take(MAX_WITNESS).collect();
            let plain = "its image does the like under another condition".to_owned();
            Some(if values.is_empty() { plain } else { format!("{plain}, as for {}", values.join(", ")) })
        }
    }
}

/// Checks that a permutation keeps the place of everything that an opaque server may read or send: elements, servers and parameters.
fn opaque(mapping: &Mapping<'_, '_>, instance: InstanceId) -> Result<(), Rejection> {
    let space = mapping.space;
    let images = |rebec| mapping.permutation.image(rebec);
    let plain = |rebec: RebecId| mapping.locals[rebec.index()].is_plain(&images);
    let seen = named(space, instance).into_iter().chain([instance]);
    let own = space.meaning(instance).0;
    let stays = plain(own)
        && seen.into_iter().all(|target| {
            let (rebec, server) = space.meaning(target);
            let moved = &mapping.locals[rebec.index()].servers[server.index()];
            let mut parameters = (0..).zip(&moved.parameters);
            moved.target == server && parameters.all(|(place, moved)| moved.target == place && moved.values.is_empty())
        });
    if stays { Ok(()) } else { Err(differs(space.instance_name(instance), NOT_LOOKED_INTO)) }
}

/// The image of an effect; `None` if it copies between elements whose values move differently.
fn mapped(mapping: &Mapping<'_, '_>, effect: &Effect) -> Option<Effect> {
    let space = mapping.space;
    match effect {
        Effect::Runs { writes, sends, makes } => {
            let writes = writes.iter();
            let writes =
                writes.map(|&(element, from)| Some((mapping.target(element), source(mapping, element, from)?)));
            let mut writes = writes.collect::<Option<Vec<_>>>()?;
            writes.sort_unstable_by_key(|&(element, _)| element);
            debug_assert!(writes.is_sorted_by(|one, next| one.0 < next.0), "elements have different images");
            let sends = sends.iter().map(|(receiver, messages)| {
                let messages = messages.iter().map(|message| sent(mapping, space, *receiver, message));
                Some((receiver_image(mapping, *receiver), messages.collect::<Option<Vec<_>>>()?))
            });
            let mut sends = sends.collect::<Option<Vec<_>>>()?;
            sends.sort_unstable_by_key(|&(receiver, _)| receiver);
            let makes = makes.iter().map(|(rebec, made)| {
                let values = |values: &Vec<Source>| {
                    let elements = values.iter().enumerate();
                    elements.map(|(place, &from)| source(mapping, space.state(*rebec, place), from)).collect()
                };
                Some((*rebec, made.iter().map(values).collect::<Option<Vec<_>>>()?))
            });
            Some(Effect::Runs { writes, sends, makes: makes.collect::<Option<Vec<_>>>()? })
        }
        Effect::Faults { class, sent, made } => {
            let mut sent: Vec<(Receiver, u32)> =
                sent.iter().map(|&(receiver, count)| (receiver_image(mapping, receiver), count)).collect();
            sent.sort_unstable();
            Some(Effect::Faults { class: *class, sent, made: made.clone() })
        }
    }
}

/// The image of a receiver. Created rebecs stay fixed, whatever name represents them.
fn receiver_image(mapping: &Mapping<'_, '_>, receiver: Receiver) -> Receiver {
    match receiver {
        Receiver::Rebec(rebec) => Receiver::Rebec(mapping.permutation.image(rebec)),
        Receiver::Held(element, rebec) => Receiver::Held(mapping.target(element), rebec),
        Receiver::Own(_) | Receiver::New(..) => receiver,
    }
}

fn sent(mapping: &Mapping<'_, '_>, space: &Space<'_>, receiver: Receiver, message: &Message) -> Option<Message> {
    let moved = &mapping.local(receiver.rebec()).servers[message.server.index()];
    let instance = space.instance(receiver.rebec(), message.server);
    debug_assert_eq!(moved.parameters.len(), message.arguments.len(), "a message has every argument");
    let mut arguments = message.arguments.clone();
    for (place, &from) in message.arguments.iter().enumerate() {
        let target = moved.parameters[place].target as usize;
        arguments[target] = source(mapping, space.parameter(instance, place), from)?;
    }
    let sender = source(mapping, space.sender(instance), message.sender)?;
    Some(Message { server: moved.target, sender, arguments })
}

/// The image of the source of the value of an element.
fn source(mapping: &Mapping<'_, '_>, element: csp::actors::ElementId, from: Source) -> Option<Source> {
    match from {
        Source::Value(value) => Some(Source::Value(mapping.value(element, value))),
        Source::Term(term) => Some(Source::Term(mapping.term(term))),
        Source::Own(_) | Source::New(..) => Some(from),
        Source::Copy(other) => {
            let values = mapping.space.values(other);
            let alike = values.iter().all(|&value| mapping.value(other, value) == mapping.value(element, value));
            alike.then(|| Source::Copy(mapping.target(other)))
        }
    }
}

fn starts(mapping: &Mapping<'_, '_>, start: &csp::actors::Start) -> Result<(), Rejection> {
    let model = mapping.space.model;
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    let all: Vec<RebecId> = start.locals.iter().flat_map(|list| list.first()).map(|local| local.rebec).collect();
    let number = |rebec: RebecId| all.binary_search(&rebec).ok();
    assert_eq!(all.len(), start.locals.len(), "every rebec has a way to start");
    debug_assert!(all.is_sorted(), "starts are in the order of rebecs, for the search in them");
    for (list, &rebec) in start.locals.iter().zip(&all) {
        let image = mapping.permutation.image(rebec);
        let Some(there) = number(image).map(|at| &start.locals[at]) else {
            return Err(differs(model.rebec_name(rebec), "its image is not there at start"));
        };
        let places: FxHashMap<&LocalStart, usize> = there.iter().zip(0..).collect();
        let moved = list.iter().map(|local| places.get(&local_start(mapping, local)).copied());
        let Some(moved) = moved.collect::<Option<Vec<usize>>>() else {
            return Err(differs(model.rebec_name(rebec), "its image does not start with the like"));
        };
        if there.len() != list.len() {
            return Err(differs(model.rebec_name(rebec), "its image may start in other ways"));
        }
        numbers.push(moved);
    }
    let Some(states) = &start.states else { return Ok(()) };
    let known: std::collections::BTreeSet<&StartState> = states.iter().collect();
    for (features, locals) in states {
        let mut images = locals.clone();
        for ((&rebec, &local), numbers) in all.iter().zip(locals).zip(&numbers) {
            let place = number(mapping.permutation.image(rebec)).expect("found before");
            images[place] = local.map(|local| numbers[local]);
        }
        if !known.contains(&(features.clone(), images)) {
            return Err(differs("main", "the image of an initial state is none"));
        }
    }
    Ok(())
}

fn local_start(mapping: &Mapping<'_, '_>, local: &LocalStart) -> LocalStart {
    let (space, rebec) = (mapping.space, local.rebec);
    let image = mapping.permutation.image(rebec);
    let map = mapping.local(rebec);
    debug_assert_eq!(map.elements.len(), local.values.len(), "a local map has every element");
    let mut values = local.values.clone();
    for (place, moved) in map.elements.iter().enumerate() {
        if let Some(moved) = moved {
            values[moved.target as usize] = mapping.value(space.state(rebec, place), local.values[place]);
        }
    }
    map.image.iter().for_each(|&(place, value)| values[place as usize] = value);
    let queue = local.queue.iter().map(|message| {
        let moved = &map.servers[message.server.index()];
        let instance = space.instance(rebec, message.server);
        let mut arguments = message.arguments.clone();
        for (place, &value) in message.arguments.iter().enumerate() {
            let target = moved.parameters[place].target as usize;
            arguments[target] = mapping.value(space.parameter(instance, place), value);
        }
        QueuedMessage { server: moved.target, sender: mapping.permutation.image(message.sender), arguments }
    });
    LocalStart { rebec: image, values, queue: queue.collect() }
}
