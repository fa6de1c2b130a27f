//! The comparison of two unions of cubes by a solver.
//!
//! The clauses have one variable per value of each key that some cube names; exactly one value of each key holds. They state that some
//! cube of one union holds, and no cube of the other.

use std::collections::BTreeMap;

use csp::actors::cube::{Cube, Key, Mask};

use sat::{Answer, Formula, Literal, Solver};

/// The result of a comparison of two unions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Compared {
    /// They allow the same points.
    Same,
    /// Only one of them allows this point: each key with the place of its value.
    Different(Vec<(Key, u32)>),
    /// The comparison took too long.
    NotDecided,
}

/// Compares two unions of cubes.
pub(crate) fn compare(one: &[Cube], other: &[Cube], full: &dyn Fn(Key) -> Mask, solver: &dyn Solver) -> Compared {
    match outside(one, other, full, solver) {
        Compared::Same => outside(other, one, full, solver),
        found => found,
    }
}

/// Searches for a point of one union outside the other.
fn outside(inner: &[Cube], outer: &[Cube], full: &dyn Fn(Key) -> Mask, solver: &dyn Solver) -> Compared {
    let mut formula = Formula::default();
    let mut values: BTreeMap<Key, Vec<(u32, Literal)>> = BTreeMap::new();
    let is_known = |&(key, mask): &(Key, Mask)| mask & !full(key) == 0;
    debug_assert!(inner.iter().chain(outer).flatten().all(is_known), "a cube allows only values that its key has");
    for &(key, _) in inner.iter().chain(outer).flatten() {
        values.entry(key).or_insert_with(|| {
            let places = (0..Mask::BITS).filter(|&place| full(key) >> place & 1 == 1);
            let list: Vec<(u32, Literal)> = places.map(|place| (place, formula.variable())).collect();
            formula.one_of(&list.iter().map(|value| value.1).collect::<Vec<Literal>>());
            list
        });
    }
    let allowed = |key: Key, mask: Mask, wanted: bool| {
        let list = values[&key].iter();
        list.filter(move |(place, _)| (mask >> place & 1 == 1) == wanted).map(|value| value.1)
    };
    let mut chosen = Vec::new();
    for cube in inner {
        let choice = formula.variable();
        chosen.push(choice);
        for &(key, mask) in cube {
            formula.add([choice.opposite()].into_iter().chain(allowed(key, mask, true)).collect());
        }
    }
    formula.add(chosen);
    for cube in outer {
        formula.add(cube.iter().flat_map(|&(key, mask)| allowed(key, mask, false)).collect());
    }
    match solver.solve(&formula, &[]) {
        Answer::Unsatisfiable => Compared::Same,
        Answer::Unproved | Answer::NotDecided => Compared::NotDecided,
        Answer::Model(model) => {
            let chosen = |list: &[(u32, Literal)]| list.iter().filter(|(_, literal)| model[literal.variable()]).count();
            assert!(values.values().all(|list| chosen(list) == 1), "a point has one value of each key");
            let holding = |list: &[(u32, Literal)]| {
                let found = list.iter().find(|(_, literal)| model[literal.variable()]);
                found.map_or(0, |&(place, _)| place)
            };
            Compared::Different(values.iter().map(|(&key, list)| (key, holding(list))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use csp::actors::ElementId;
    use csp::actors::cube::equivalent;

    use super::*;
    use sat::Checked;

    #[test]
    fn the_solver_agrees_with_subtracting_cubes() {
        let mut random = engine::RandomSource::new(9);
        let full = |_| 7;
        let (mut same, mut different) = (0, 0);
        for round in 0..300 {
            let mut union = || -> Vec<Cube> {
                let mut cube = || -> Cube {
                    let keys = (0..4).map(|at| (Key::Element(ElementId(at)), 1 + random.below(7) as Mask));
                    keys.filter(|&(_, mask)| mask != 7).collect()
                };
                (0..6).map(|_| cube()).collect()
            };
            let one = union();
            let other = match round % 3 {
                0 => csp::actors::cube::primes(one.clone(), &full).0,
                1 => one[1..].to_vec(),
                _ => union(),
            };
            let compared = compare(&one, &other, &full, &Checked::default());
            assert_eq!(equivalent(&one, &other, &full), Some(compared == Compared::Same));
            if let Compared::Different(witness) = &compared {
                let allows = |union: &[Cube]| {
                    let at = |key: Key| witness.iter().find(|pair| pair.0 == key).map_or(0, |pair| pair.1);
                    union.iter().any(|cube| cube.iter().all(|&(key, mask)| mask >> at(key) & 1 == 1))
                };
                assert_ne!(allows(&one), allows(&other));
                different += 1;
            } else {
                same += 1;
            }
        }
        assert!(same > 20 && different > 20, "{same} the same, {different} different");
    }

    /// The absence of a model without a checked proof proves nothing.
    #[test]
    fn an_unchecked_solver_proves_no_equality() {
        let unchecked = sat::Unchecked { most_proof: 1 << 20, is_over: &|| false };
        let (cube, full) = (vec![vec![(Key::Element(ElementId(0)), 3)]], |_| 7);
        assert_eq!(compare(&cube, &cube, &full, &Checked::default()), Compared::Same);
        assert_eq!(compare(&cube, &cube, &full, &unchecked), Compared::NotDecided);
    }
}
