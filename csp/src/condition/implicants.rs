//! All prime cubes of a function that has too many rows to remove them one by one and whose products of cubes grow too long, by all-SAT.
//!
//! The variables of the finder describe the values that a cube allows. Its clauses exclude the known primes with all their subcubes, and
//! the cubes that meet a cube known to lie outside the function. The next cube that the finder returns is either widened to a new prime,
//! or has a point outside the function, which is widened to a prime of the complement. When the finder returns nothing, the list of
//! primes is complete. Widening adds values to the cube, one after the other, as long as the [`Oracle`] finds no point of it on the other
//! side.
//!
//! The set of all primes depends neither on the text of the function nor on the order of any step here.
//!
//! # Complexity
//!
//! The finder answers one question per prime and one per cube outside that the search needs; each of these cubes costs at most one
//! question per value to the oracle. A function with more than [`MAX_PRIMES`] primes on one side has no list of primes on that side: the
//! other side may have fewer. More than [`MAX_OUTSIDE`] cubes, and questions that take too long, end the search.
//!
//! # Source
//!
//! \[Zha13\] IV-B requires the allowed assignments; \[Prev15\] finds primes and their counterparts against each other. Deviation:
//! variables have several values.

use rustc_hash::FxHashMap;
use sat::{Found, Literal, Session};

use super::cover::{Cube, full, meet};

/// The most prime cubes of a function that has a form by primes.
pub(crate) const MAX_PRIMES: usize = 256;
/// The most cubes of the other side during one search.
const MAX_OUTSIDE: usize = 1 << 10;

/// The cost of one clause of the finder, in nodes of a tree that the oracle examines.
const CLAUSE: usize = 8;

/// A question took too long, or there were too many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooHard;

/// Decides whether a cube has a point inside a function, or outside it.
pub(super) trait Oracle {
    /// The number of values of each dimension.
    fn sizes(&self) -> &[usize];

    /// A point of the cube at which the function is `side`.
    fn point(&mut self, cube: &Cube, side: bool) -> Result<Option<Cube>, TooHard>;

    /// Counts work that was done outside the oracle.
    fn spend(&mut self, work: usize) -> Result<(), TooHard>;

    /// The work that may still be spent.
    fn left(&self) -> usize;
}

/// The primes of a function and those of its complement, each ascending; `None` on a side with more than [`MAX_PRIMES`].
pub(super) fn both_sides(oracle: &mut dyn Oracle) -> Result<[Option<Vec<Cube>>; 2], TooHard> {
    if let Some(positive) = primes(oracle, true)? {
        let negative = complement(oracle, &positive)?;
        return Ok([Some(positive), negative]);
    }
    Ok([None, primes(oracle, false)?])
}

/// All primes of a function, or of its complement, in ascending order; `None` if there are more than [`MAX_PRIMES`].
pub(super) fn primes(oracle: &mut dyn Oracle, side: bool) -> Result<Option<Vec<Cube>>, TooHard> {
    let mut finder = Finder::new(oracle.sizes());
    let mut primes = Vec::new();
    let mut outside = Vec::new();
    while let Some(cube) = finder.next()? {
        oracle.spend(CLAUSE * (primes.len() + outside.len()))?;
        if let Some(point) = oracle.point(&cube, !side)? {
            let wide = widened(oracle, point, !side, &primes)?;
            finder.leave_out(&wide);
            outside.push(wide);
        } else {
            let prime = widened(oracle, cube, side, &outside)?;
            finder.leave_inside(&prime);
            primes.push(prime);
        }
        if primes.len() > MAX_PRIMES {
            return Ok(None);
        }
        if outside.len() > MAX_OUTSIDE {
            return Err(TooHard);
        }
    }
    primes.sort_unstable();
    Ok(Some(primes))
}

/// All primes of the complement of a complete list of primes, ascending; `None` if there are more than [`MAX_PRIMES`].
pub(super) fn complement(oracle: &mut dyn Oracle, primes: &[Cube]) -> Result<Option<Vec<Cube>>, TooHard> {
    let sizes = oracle.sizes().to_vec();
    let mut finder = Finder::new(&sizes);
    primes.iter().for_each(|prime| finder.leave_out(prime));
    let mut found = Vec::new();
    while let Some(mut cube) = finder.next()? {
        oracle.spend(CLAUSE * (primes.len() + found.len()) + sizes.iter().sum::<usize>() * primes.len())?;
        for (dimension, &size) in sizes.iter().enumerate() {
            for value in 0..size {
                let narrow = cube[dimension];
                cube[dimension] |= 1 << value;
                if primes.iter().any(|prime| meet(prime, &cube)) {
                    cube[dimension] = narrow;
                }
            }
        }
        finder.leave_inside(&cube);
        found.push(cube);
        if found.len() > MAX_PRIMES {
            return Ok(None);
        }
    }
    found.sort_unstable();
    Ok(Some(found))
}

/// A maximal cube around one on this side; a cube that meets one of `others` is not on it.
fn widened(oracle: &mut dyn Oracle, mut cube: Cube, side: bool, others: &[Cube]) -> Result<Cube, TooHard> {
    for dimension in 0..cube.len() {
        for value in 0..oracle.sizes()[dimension] {
            if cube[dimension] >> value & 1 == 1 {
                continue;
            }
            let mut wider = cube.clone();
            wider[dimension] |= 1 << value;
            oracle.spend(others.len())?;
            if !others.iter().any(|other| meet(other, &wider)) && oracle.point(&wider, !side)?.is_none() {
                cube = wider;
            }
        }
    }
    Ok(cube)
}

/// Finds new cubes.
struct Finder {
    session: Session,
    /// For each dimension and value whether the cube allows it.
    allows: Vec<Vec<Literal>>,
    /// For a dimension and a set of its values, whether the cube allows none of them.
    allows_none: FxHashMap<(usize, u64), Literal>,
}

impl Finder {
    fn new(sizes: &[usize]) -> Finder {
        let mut session = Session::default();
        let allows: Vec<Vec<Literal>> =
            sizes.iter().map(|&size| (0..size).map(|_| session.variable()).collect()).collect();
        allows.iter().for_each(|list| session.add(list));
        Finder { session, allows, allows_none: FxHashMap::default() }
    }

    fn next(&mut self) -> Result<Option<Cube>, TooHard> {
        match self.session.solve(&[]) {
            Found::NotDecided => Err(TooHard),
            Found::Nothing => Ok(None),
            Found::Model(model) => {
                let allowed = |list: &Vec<Literal>| {
                    let values = list.iter().enumerate().filter(|(_, literal)| model[literal.variable()]);
                    values.fold(0, |set, (value, _)| set | 1 << value)
                };
                Ok(Some(self.allows.iter().map(allowed).collect()))
            }
        }
    }

    /// Excludes all cubes inside this one.
    fn leave_inside(&mut self, cube: &Cube) {
        let mut clause = Vec::new();
        for (list, set) in self.allows.iter().zip(cube) {
            clause.extend(
                list.iter().enumerate().filter(|(value, _)| set >> value & 1 == 0).map(|(_, &literal)| literal),
            );
        }
        self.session.add(&clause);
    }

    /// Excludes all cubes that have a point in common with this one.
    fn leave_out(&mut self, cube: &Cube) {
        let mut clause = Vec::new();
        for (dimension, &set) in cube.iter().enumerate() {
            if set != full(self.allows[dimension].len()) {
                clause.push(self.none(dimension, set));
            }
        }
        self.session.add(&clause);
    }

    /// Whether the cube allows none of a set of values.
    fn none(&mut self, dimension: usize, set: u64) -> Literal {
        let list = &self.allows[dimension];
        let values: Vec<Literal> =
            list.iter().enumerate().filter(|(value, _)| set >> value & 1 == 1).map(|(_, &literal)| literal).collect();
        if let [only] = values[..] {
            return only.opposite();
        }
        let session = &mut self.session;
        *self.allows_none.entry((dimension, set)).or_insert_with(|| {
            let none = session.variable();
            values.iter().for_each(|value| session.add(&[none.opposite(), value.opposite()]));
            none
        })
    }
}

/// The parts of a union of cubes that share no dimension, each with its dimensions, ascending.
pub(super) fn components(sizes: &[usize], cubes: &[Cube]) -> Vec<Vec<Cube>> {
    let restricts = |cube: &Cube, dimension: usize| cube[dimension] != full(sizes[dimension]);
    let mut rest: Vec<Cube> = cubes.to_vec();
    let mut parts = Vec::new();
    while let Some(first) = rest.pop() {
        let mut part = vec![first];
        let mut next = 0;
        while let Some(cube) = part.get(next).cloned() {
            let shared = |other: &Cube| (0..sizes.len()).any(|at| restricts(&cube, at) && restricts(other, at));
            let (more, others): (Vec<Cube>, Vec<Cube>) = rest.into_iter().partition(shared);
            part.extend(more);
            rest = others;
            next += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::super::cover::{self, inside};
    use super::*;

    /// A function given by all of its rows.
    struct Table {
        sizes: Vec<usize>,
        rows: Vec<bool>,
    }

    impl Table {
        fn points(&self) -> impl Iterator<Item = (Cube, bool)> + '_ {
            self.rows.iter().enumerate().map(|(row, &holds)| (cover::point(&self.sizes, row), holds))
        }
    }

    impl Oracle for Table {
        fn sizes(&self) -> &[usize] {
            &self.sizes
        }

        fn point(&mut self, cube: &Cube, side: bool) -> Result<Option<Cube>, TooHard> {
            Ok(self.points().find(|(point, holds)| *holds == side && inside(point, cube)).map(|(point, _)| point))
        }

        fn spend(&mut self, _: usize) -> Result<(), TooHard> {
            Ok(())
        }

        fn left(&self) -> usize {
            usize::MAX
        }
    }

    #[test]
    fn primes_are_those_of_direct_enumeration() {
        let mut random = engine::RandomSource::new(5);
        for sizes in [vec![2, 3, 2], vec![4, 3, 2, 2], vec![2; 5], vec![8, 7]] {
            let count: usize = sizes.iter().product();
            for density in 1..8 {
                let bits = (0..count).fold(0u64, |bits, row| bits | u64::from(random.below(8) < density) << row);
                let rows = (0..count).map(|row| bits >> row & 1 == 1).collect();
                let mut table = Table { sizes: sizes.clone(), rows };
                let known = cover::primes(&sizes, bits);
                let found = primes(&mut table, true).unwrap();
                let other = cover::primes(&sizes, !bits);
                assert!(known.len().max(other.len()) <= MAX_PRIMES);
                assert_eq!(found.as_ref(), Some(&known), "{sizes:?} {bits:b}");
                assert_eq!(primes(&mut table, false).unwrap().as_ref(), Some(&other));
                assert_eq!(complement(&mut table, &known).unwrap(), Some(other));
            }
        }
    }

    #[test]
    fn components_share_nothing() {
        let cubes = vec![vec![1, 3, 3, 7], vec![3, 1, 2, 7], vec![3, 3, 1, 7], vec![2, 3, 3, 7]];
        let parts = components(&[2, 2, 2, 3], &cubes);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 4);
    }
}
