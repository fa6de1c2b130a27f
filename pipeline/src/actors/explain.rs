//! The obstacles to a larger group of a Rebeca model, in the names of the model.

use std::collections::BTreeMap;

use engine::{Group, SparsePermutation};
use frontend::model::{Model, PropertySet, RebecId};
use frontend::source::Span;
use symmetry::{ModelPermutation, Prover, Rejection, ValidatedGroup, Validator};

use crate::explain::{Answer, Cycles, NearSymmetry, Place, ProvedBy, Why};

/// The most places that break a permutation which is still called near.
const MOST_PLACES: usize = 3;

/// The most exchanges of rebecs that are looked at.
const MOST_EXCHANGES: usize = 1 << 10;

/// The proof of each generator.
pub(super) fn proofs(model: &Model, group: &ValidatedGroup) -> Vec<ProvedBy> {
    let mut validator = Validator::new(model);
    group.generators().iter().map(|generator| proof(&mut validator, generator)).collect()
}

/// The proof of a symmetry.
fn proof(validator: &mut Validator<'_>, symmetry: &ModelPermutation) -> ProvedBy {
    if validator.text_proves(symmetry) { ProvedBy::Text } else { ProvedBy::Tables }
}

/// Exchanges of the rebecs of a class that only few places of the text break, and that the group does not have.
pub(super) fn near(model: &Model, properties: &PropertySet, group: &ValidatedGroup) -> Vec<NearSymmetry> {
    let mut classes: BTreeMap<usize, Vec<RebecId>> = BTreeMap::new();
    for (index, instance) in model.instances.iter().enumerate() {
        classes.entry(instance.class.index()).or_default().push(RebecId::from_index(index));
    }
    let mut prover = Prover::new(model, properties);
    let found =
        classes.into_values().filter(|rebecs| (2..MOST_EXCHANGES).contains(&rebecs.len())).filter_map(|rebecs| {
            let on_rebecs = on_rebecs(model, group, &rebecs);
            let broken = broken_by_few(&rebecs, |one, other| {
                let pairs = [(one, other), (other, one)];
                if on_rebecs.contains_sparse(&points(&pairs)) {
                    return Some(Obstacles::new());
                }
                let obstacles = prover.obstacles(&exchange(model, &pairs).ok()?).into_iter();
                obstacles.rev().map(|rejection| Some((in_main(&rejection)?, rejection))).collect()
            })?;
            let place = |rejection: Rejection| {
                let reason = rejection.witness(model);
                place_of(model, &rejection).map(|span| Place { span, reason })
            };
            let mut broken_by = broken.into_values().map(place).collect::<Option<Vec<Place>>>()?;
            broken_by.sort_by_key(|place| place.span);
            let class = &model.class(model.class_of(rebecs[0])).name;
            let near = NearSymmetry { permutations: format!("S{} on {class}", rebecs.len()), broken_by };
            (!near.broken_by.is_empty()).then_some(near)
        });
    found.collect()
}

/// Rebecs of `main` that are in the way of an exchange, each with the first reason.
type Obstacles = BTreeMap<RebecId, Rejection>;

/// The rebecs of `main` that would have to be others for all rebecs of a class to be exchanged; `None` if they are many, or if an exchange
/// fails for another reason.
///
/// A rebec that does not take part in an exchange and is in its way is one of them. Each rebec has two neighbours, if the last and the first are
/// neighbours too, and is exchanged with both: this finds every rebec that knows another one of the class. Those that remain are compared
/// with each other: the most that are alike may stay.
fn broken_by_few(
    rebecs: &[RebecId],
    mut obstacles: impl FnMut(RebecId, RebecId) -> Option<Obstacles>,
) -> Option<Obstacles> {
    let mut broken = Obstacles::new();
    for (&one, &other) in rebecs.iter().zip(rebecs.iter().cycle().skip(1)) {
        let of_others = obstacles(one, other)?.into_iter().filter(|&(rebec, _)| rebec != one && rebec != other);
        broken.extend(of_others);
        if broken.len() > MOST_PLACES {
            return None;
        }
    }
    let mut alike: Vec<Vec<RebecId>> = Vec::new();
    for &rebec in rebecs.iter().filter(|rebec| !broken.contains_key(rebec)) {
        let mut place = None;
        for (index, others) in alike.iter().enumerate() {
            let found = obstacles(others[0], rebec)?;
            if !found.contains_key(&others[0]) && !found.contains_key(&rebec) {
                place = Some(index);
                break;
            }
        }
        match place {
            Some(index) => alike[index].push(rebec),
            None if broken.len() + alike.len() > MOST_PLACES => return None,
            None => alike.push(vec![rebec]),
        }
    }
    let largest = (0..alike.len()).rev().max_by_key(|&index| alike[index].len())?;
    let kept = alike.swap_remove(largest)[0];
    for rebec in alike.into_iter().flatten() {
        broken.extend(obstacles(kept, rebec)?.remove_entry(&rebec));
    }
    (broken.len() <= MOST_PLACES).then_some(broken)
}

/// The answer about one permutation of rebecs.
///
/// # Errors
/// A message about a name.
pub(super) fn why(
    model: &Model,
    properties: &PropertySet,
    group: &ValidatedGroup,
    cycles: &Cycles,
) -> Result<Why, String> {
    let mut pairs = Vec::new();
    for cycle in cycles {
        for (from, to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            pairs.push((rebec(model, from)?, rebec(model, to)?));
        }
    }
    let mut moved: Vec<RebecId> = pairs.iter().map(|&(from, _)| from).collect();
    moved.sort_unstable();
    if moved.windows(2).any(|two| two[0] == two[1]) {
        return Err("a rebec stands twice".to_owned());
    }
    let not =
        |broken_by: Vec<Place>, witness: String| Answer::Not { is_open: false, broken_by, witness: Some(witness) };
    let answer = match exchange(model, &pairs) {
        Err(reason) => not(Vec::new(), reason),
        Ok(exchange) => match Prover::new(model, properties).check(&exchange) {
            Ok(_) => Answer::Symmetry(proof(&mut Validator::new(model), &exchange)),
            Err(_) if group.contains(&exchange) => Answer::Symmetry(ProvedBy::Tables),
            Err(_) if on_rebecs(model, group, &all(model)).contains_sparse(&points(&pairs)) => {
                not(Vec::new(), "it is one together with changes of values inside rebecs".to_owned())
            }
            Err(rejection) => {
                let place = place_of(model, &rejection);
                let reason = rejection.witness(model);
                let places = place.map(|span| Place { span, reason: reason.clone() });
                let broken_by = places.into_iter().collect();
                Answer::Not { is_open: rejection.is_undecided(), broken_by, witness: Some(reason) }
            }
        },
    };
    Ok(Why { cycles: cycles.clone(), answer })
}

/// All rebecs of `main`.
fn all(model: &Model) -> Vec<RebecId> {
    (0..model.instances.len()).map(RebecId::from_index).collect()
}

/// The action of a group on rebecs that it maps among themselves, on their numbers in `main`.
fn on_rebecs(model: &Model, group: &ValidatedGroup, rebecs: &[RebecId]) -> Group {
    let image = |generator: &ModelPermutation, id: RebecId| (id, generator.image(id));
    let of = |generator| points(&rebecs.iter().map(|&id| image(generator, id)).collect::<Vec<_>>());
    let generators = group.generators().iter().map(of).collect();
    Group::from_generators(model.instances.len(), generators).expect("rebecs go to rebecs")
}

/// A permutation of rebecs on their numbers.
fn points(pairs: &[(RebecId, RebecId)]) -> SparsePermutation {
    let moved = pairs.iter().filter(|(from, to)| from != to).map(|&(from, to)| (from.0, to.0));
    SparsePermutation::from_pairs(moved.collect()).expect("a permutation of rebecs")
}

/// The permutation of rebecs with these images.
fn exchange(model: &Model, pairs: &[(RebecId, RebecId)]) -> Result<ModelPermutation, String> {
    let mut images = all(model);
    pairs.iter().for_each(|&(from, to)| images[from.index()] = to);
    ModelPermutation::of_rebecs(model, images).map_err(|error| Rejection::NotAPermutation(error).witness(model))
}

/// The rebec of `main` with a name.
fn rebec(model: &Model, name: &str) -> Result<RebecId, String> {
    let place = model.instances.iter().position(|instance| instance.name == name);
    place
        .map(RebecId::from_index)
        .ok_or_else(|| format!("`main` has no rebec `{name}`: give rebecs, as in `(phil0, phil1)`"))
}

/// The rebec of `main` that a rejection is about.
fn in_main(rejection: &Rejection) -> Option<RebecId> {
    match rejection {
        Rejection::KnownRebec { rebec, .. }
        | Rejection::Argument { rebec, .. }
        | Rejection::InitialValue { rebec, .. } => Some(*rebec),
        _ => None,
    }
}

/// The place in the text of the model that a rejection is about.
fn place_of(model: &Model, rejection: &Rejection) -> Option<Span> {
    let of_rebec = |rebec: RebecId| model.instances.get(rebec.index()).map(|instance| instance.span);
    // Properties stand in a file of their own.
    let span = in_main(rejection).map_or_else(|| rejection.span(), of_rebec);
    span.filter(|span| !span.is_none())
}
