//! A common form for effects that overlap: `x` is set to 1, or `x` keeps its value, which is known to be 1.
//!
//! The inputs on which two effects agree are a cube: an element that one effect sets to a constant and the other does
//! not change must have this value before. Saturation adds to the inputs of each effect those inputs of any other
//! effect on which both agree. It then leaves out an effect whose inputs all belong to another effect that agrees with
//! it there. Of two effects with the same inputs it keeps the one that writes less.
//!
//! Soundness: the relation of inputs and outcomes is the same before and after: an added input has this outcome
//! already, and another effect has the outcomes of a removed one.
//!
//! Complexity: quadratic in the number of effects; bodies with too many effects are not changed.

use super::cube::{Cube, Key, Mask, includes};
use super::space::{ElementId, Space};
use super::summary::{Effect, Source, all};

/// The most pairs of an effect and a cube that are compared.
const MAX_PAIRS: usize = 40_000;

/// Effects with all their inputs, without the effects that others subsume.
pub(super) fn saturated(space: &Space<'_>, cases: Vec<(Effect, Vec<Cube>)>) -> Vec<(Effect, Vec<Cube>)> {
    let cubes: usize = cases.iter().map(|(_, cubes)| cubes.len()).sum();
    if cases.len() < 2 || cases.len() * cubes > MAX_PAIRS {
        return cases;
    }
    let mut whole: Vec<Vec<Cube>> = Vec::new();
    for (effect, own) in &cases {
        let mut inputs = own.clone();
        for (other, cubes) in cases.iter().filter(|(other, _)| other != effect) {
            if let Some(limits) = agreement(space, other, effect) {
                inputs.extend(cubes.iter().filter_map(|cube| restricted(space, cube, &limits)));
            }
        }
        whole.push(inputs);
    }
    let full = |key: Key| all(space, key);
    // Whether the inputs of one effect all belong to another effect that agrees with it there.
    let within = |one: usize, other: usize| {
        agreement(space, &cases[one].0, &cases[other].0).is_some_and(|limits| {
            whole[one].iter().all(|cube| restricted(space, cube, &limits).as_ref() == Some(cube))
                && includes(&whole[other], &whole[one], &full) == Some(true)
        })
    };
    let is_left_out = |one: usize| {
        (0..cases.len()).any(|other| {
            one != other
                && within(one, other)
                && (!within(other, one) || writes(&cases[other].0) < writes(&cases[one].0))
        })
    };
    let left_out: Vec<bool> = (0..cases.len()).map(is_left_out).collect();
    debug_assert!(left_out.contains(&false), "some effect stays");
    let kept = cases.into_iter().zip(whole).zip(left_out).filter(|(_, left_out)| !left_out);
    kept.map(|(((effect, _), inputs), _)| (effect, inputs)).collect()
}

fn writes(effect: &Effect) -> usize {
    match effect {
        Effect::Runs { writes, .. } => writes.len(),
        Effect::Faults { .. } => 0,
    }
}

/// The part of a cube within some limits; `None` if there is none.
fn restricted(space: &Space<'_>, cube: &Cube, limits: &[(ElementId, Mask)]) -> Option<Cube> {
    let mut cube = cube.clone();
    for &(element, mask) in limits {
        let key = Key::Element(element);
        match cube.binary_search_by_key(&key, |&(key, _)| key) {
            Ok(at) if cube[at].1 & mask == 0 => return None,
            Ok(at) => cube[at].1 &= mask,
            Err(_) if mask == space.full(element) => {}
            Err(at) => cube.insert(at, (key, mask)),
        }
    }
    Some(cube)
}

/// The inputs on which two effects agree, as far as these form a cube; `None` if there are none.
fn agreement(space: &Space<'_>, one: &Effect, other: &Effect) -> Option<Vec<(ElementId, Mask)>> {
    let Effect::Runs { writes: here, sends, makes } = one else { return None };
    let Effect::Runs { writes: there, sends: others, makes: made } = other else { return None };
    if sends != others || makes != made {
        return None;
    }
    let is_value = |element: ElementId, source: Source| {
        let Source::Value(value) = source else { return None };
        let place = space.values(element).binary_search(&value).ok()?;
        Some((element, 1 << place))
    };
    let mut limits = Vec::new();
    let (mut left, mut right) = (here.iter().peekable(), there.iter().peekable());
    loop {
        let (element, limited) = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(&&(element, source)), None) => (element, (left.next(), source).1),
            (None, Some(&&(element, source))) => (element, (right.next(), source).1),
            (Some(&&(one, first)), Some(&&(other, second))) => {
                if one == other {
                    left.next();
                    right.next();
                    match (first, second) {
                        (first, second) if first == second => {}
                        (Source::Copy(from), value @ Source::Value(_))
                        | (value @ Source::Value(_), Source::Copy(from)) => {
                            limits.push(is_value(from, value)?);
                        }
                        _ => return None,
                    }
                    continue;
                }
                if one < other { (one, (left.next(), first).1) } else { (other, (right.next(), second).1) }
            }
        };
        limits.push(is_value(element, limited)?);
    }
    // One element may be limited twice.
    limits.sort_unstable();
    let mut merged: Vec<(ElementId, Mask)> = Vec::new();
    for (element, mask) in limits {
        match merged.last_mut() {
            Some((last, known)) if *last == element => *known &= mask,
            _ => merged.push((element, mask)),
        }
    }
    merged.iter().all(|&(_, mask)| mask != 0).then_some(merged)
}
