//! The comparison of two unions of cubes: by decision diagrams ([`diagram`]), and by a solver where these grow too large.
//!
//! The clauses for the solver have one variable per value of each key that some cube names; exactly one value of each key holds. They
//! state that some cube of one union holds, and no cube of the other.

mod diagram;

use std::collections::BTreeMap;

use csp::actors::cube::{Cube, Key, Mask};

use diagram::{Diagrams, Wrong};
use sat::{Answer, Checked, Formula, Literal, Solver};

/// The result of a comparison of two unions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Compared {
    /// They allow the same points.
    Same,
    /// Only one of them allows this point: each key that matters with the place of its value.
    Different(Vec<(Key, u32)>),
    /// The comparison took too long.
    NotDecided,
}

/// The means of comparisons.
pub(crate) struct Comparison {
    /// The most rests of cubes that the diagrams of a comparison look at.
    pub(crate) most_work: usize,
    /// Decides where that is not enough.
    pub(crate) solver: Box<dyn Solver>,
}

impl Default for Comparison {
    fn default() -> Self {
        Comparison { most_work: 1 << 20, solver: Box::new(Checked::default()) }
    }
}

impl Comparison {
    /// Compares two unions of cubes, whose keys have these values.
    pub(crate) fn compare(&self, one: &[Cube], other: &[Cube], full: &dyn Fn(Key) -> Mask) -> Compared {
        let found = by_diagrams([one, other], full, self.most_work, Wrong::default());
        found.unwrap_or_else(|| by_solver(one, other, full, &*self.solver))
    }
}

/// Compares two unions of cubes by their diagrams; nothing if these take more work.
fn by_diagrams(
    [one, other]: [&[Cube]; 2],
    full: &dyn Fn(Key) -> Mask,
    most_work: usize,
    wrong: Wrong,
) -> Option<Compared> {
    let mut diagrams = Diagrams::new(one.iter().chain(other), full, most_work, wrong)?;
    let (here, there) = (diagrams.union(one)?, diagrams.union(other)?);
    Some(diagrams.difference(here, there).map_or(Compared::Same, Compared::Different))
}

/// Compares two unions of cubes by a solver.
fn by_solver(one: &[Cube], other: &[Cube], full: &dyn Fn(Key) -> Mask, solver: &dyn Solver) -> Compared {
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

    /// A cube over some keys, each with the values that it allows of so many.
    fn cube(keys: u32, full: Mask, random: &mut engine::RandomSource) -> Cube {
        let full_of = usize::try_from(full).expect("few values");
        let masks = (0..keys).map(|at| (Key::Element(ElementId(at)), 1 + random.below(full_of) as Mask));
        masks.filter(|&(_, mask)| mask != full).collect()
    }

    /// Whether a union allows a point; keys that it does not name have their first value.
    fn allows(union: &[Cube], point: &[(Key, u32)]) -> bool {
        let at = |key: Key| point.iter().find(|pair| pair.0 == key).map_or(0, |pair| pair.1);
        union.iter().any(|cube| cube.iter().all(|&(key, mask)| mask >> at(key) & 1 == 1))
    }

    #[test]
    fn diagrams_and_the_solver_agree_with_subtracting_cubes() {
        let mut random = engine::RandomSource::new(9);
        let full = |_| 7;
        let (mut same, mut different) = (0, 0);
        for round in 0..300 {
            let mut union = || -> Vec<Cube> { (0..6).map(|_| cube(4, 7, &mut random)).collect() };
            let one = union();
            let other = match round % 3 {
                0 => csp::actors::cube::primes(one.clone(), &full).0,
                1 => one[1..].to_vec(),
                _ => union(),
            };
            let by_diagrams = by_diagrams([&one, &other], &full, 1 << 20, Wrong::default()).expect("few cubes");
            for compared in [by_diagrams, by_solver(&one, &other, &full, &Checked::default())] {
                assert_eq!(equivalent(&one, &other, &full), Some(compared == Compared::Same));
                if let Compared::Different(point) = &compared {
                    assert_ne!(allows(&one, point), allows(&other, point));
                    different += 1;
                } else {
                    same += 1;
                }
            }
        }
        assert!(same > 40 && different > 40, "{same} the same, {different} different");
    }

    /// Compares pairs of unions with all points of eight keys; returns the pairs that are the same, and those that are judged wrongly.
    fn against_all_points(wrong: Wrong) -> [usize; 2] {
        let (mut random, full) = (engine::RandomSource::new(4), |_| 3);
        let points = |union: &[Cube]| -> Vec<bool> {
            let point = |code: u32| (0..8).map(|at| (Key::Element(ElementId(at)), code >> at & 1)).collect::<Vec<_>>();
            (0..1 << 8).map(|code| allows(union, &point(code))).collect()
        };
        let (mut same, mut misjudged) = (0, 0);
        for round in 0..400 {
            let one: Vec<Cube> = (0..3 + round % 9).map(|_| cube(8, 3, &mut random)).collect();
            // Each cube in two halves, by one of its keys.
            let halves =
                |cube: &Cube| [1, 2].map(|half| [vec![(Key::Element(ElementId(round % 8)), half)], cube.clone()]);
            let mut other: Vec<Cube> = Vec::new();
            for [half, cube] in one.iter().flat_map(halves) {
                let mut both: BTreeMap<Key, Mask> = cube.into_iter().collect();
                half.iter().for_each(|&(key, mask)| *both.entry(key).or_insert(3) &= mask);
                if both.values().all(|&mask| mask != 0) {
                    other.push(both.into_iter().collect());
                }
            }
            match round % 4 {
                1 => drop(other.swap_remove(random.below(other.len()))),
                // The image under an exchange of two values.
                3 => other
                    .iter_mut()
                    .flatten()
                    .filter(|(key, _)| *key == Key::Element(ElementId(round % 8)))
                    .for_each(|(_, mask)| *mask = [0, 2, 1, 3][*mask as usize]),
                _ => {}
            }
            let mut diagrams = Diagrams::new(one.iter().chain(&other), &full, 1 << 20, wrong).expect("few keys");
            let is_same = diagrams.union(&one).expect("few cubes") == diagrams.union(&other).expect("few cubes");
            misjudged += usize::from(is_same != (points(&one) == points(&other)));
            same += usize::from(is_same);
        }
        [same, misjudged]
    }

    #[test]
    fn diagrams_of_equal_unions_are_one() {
        let [same, misjudged] = against_all_points(Wrong::default());
        assert_eq!(misjudged, 0);
        assert!((200..390).contains(&same), "{same} the same");
    }

    #[test]
    fn diagrams_that_are_known_to_be_wrong_are_caught() {
        for wrong in [
            Wrong { values_are_one: true, ..Wrong::default() },
            Wrong { unnamed_keys_are_narrow: true, ..Wrong::default() },
            Wrong { values_do_not_matter: true, ..Wrong::default() },
        ] {
            let [_, misjudged] = against_all_points(wrong);
            assert!(misjudged > 4, "{wrong:?}: {misjudged}");
        }
    }

    /// An address in front of what it chooses, whatever the order of the keys.
    #[test]
    fn diagrams_of_a_choice_are_small() {
        let full = |key| if key == Key::Element(ElementId(60)) { (1 << 60) - 1 } else { 3 };
        let chosen =
            |at: u32, value: Mask| vec![(Key::Element(ElementId(at)), value), (Key::Element(ElementId(60)), 1 << at)];
        let union: Vec<Cube> = (0..60).map(|at| chosen(at, 2)).collect();
        let reversed: Vec<Cube> = union.iter().rev().cloned().collect();
        assert_eq!(by_diagrams([&union, &reversed], &full, 1 << 14, Wrong::default()), Some(Compared::Same));
        let mut changed = union.clone();
        changed[7] = chosen(7, 1);
        let point = vec![(Key::Element(ElementId(60)), 7), (Key::Element(ElementId(7)), 0)];
        assert_eq!(by_diagrams([&union, &changed], &full, 1 << 14, Wrong::default()), Some(Compared::Different(point)));
    }

    /// The absence of a model without a checked proof proves nothing.
    #[test]
    fn an_unchecked_solver_proves_no_equality() {
        let unchecked = sat::Unchecked { most_proof: 1 << 20, is_over: &|| false };
        let (cube, full) = (vec![vec![(Key::Element(ElementId(0)), 3)]], |_| 7);
        assert_eq!(by_diagrams([&cube, &cube], &full, 0, Wrong::default()), None);
        assert_eq!(by_solver(&cube, &cube, &full, &Checked::default()), Compared::Same);
        assert_eq!(by_solver(&cube, &cube, &full, &unchecked), Compared::NotDecided);
    }
}
