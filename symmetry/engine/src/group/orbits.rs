//! Orbits of sparse generators, and orbits that only shadow another one.
//!
//! An orbit is a shadow of another one when some map between them commutes with every generator: then the other orbit determines the
//! action on it, and a group may be studied without it. Chains of gadget vertices that move along with a process are shadows of the
//! process; servers are shadows of their clients.

use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};
use crate::union_find::UnionFind;

/// Images of points under sparse generators, by point: `(generator, image)` for the generators that move it.
pub(crate) struct Moves {
    rows: Vec<Vec<(u32, u32)>>,
}

impl Moves {
    /// The moves of generators on `0..degree`.
    pub(crate) fn new(degree: usize, generators: &[SparsePermutation]) -> Self {
        let mut rows = vec![Vec::new(); degree];
        for (number, generator) in (0..).zip(generators) {
            for &(point, image) in generator.pairs() {
                rows[point as usize].push((number, image));
            }
        }
        Self { rows }
    }

    /// The generators that move a point, ascending, with its images.
    pub(crate) fn of(&self, point: u32) -> &[(u32, u32)] {
        &self.rows[point as usize]
    }
}

/// The orbits of more than one point, longest first, then by least point; points ascending.
pub(crate) fn orbits(degree: usize, generators: &[SparsePermutation]) -> Vec<Vec<u32>> {
    let mut orbits = UnionFind::of_orbits(degree, generators).classes();
    orbits.retain(|orbit| orbit.len() > 1);
    orbits.sort_by_key(|orbit| (usize::MAX - orbit.len(), orbit[0]));
    orbits
}

/// A map of `orbit` onto `shadow` that commutes with every generator, in the order of `orbit`, if there is one.
///
/// # Complexity
///
/// One attempt per point of `shadow`; an attempt stops at the first contradiction.
pub(crate) fn shadow_map(
    moves: &Moves,
    scratch: &mut [u32],
    orbit: &[u32],
    shadow: &[u32],
    budget: &mut Budget,
) -> Result<Option<Vec<u32>>, BudgetExhausted> {
    if !orbit.len().is_multiple_of(shadow.len()) {
        return Ok(None);
    }
    for &target in shadow {
        let mut reached = vec![orbit[0]];
        scratch[orbit[0] as usize] = target;
        let fits = extend(moves, scratch, &mut reached, budget)?;
        let map = fits.then(|| orbit.iter().map(|&point| scratch[point as usize]).collect());
        for point in reached {
            scratch[point as usize] = u32::MAX;
        }
        if map.is_some() {
            return Ok(map);
        }
    }
    Ok(None)
}

/// Carries the map of the first reached point along the generators; `false` at a contradiction.
fn extend(
    moves: &Moves,
    map: &mut [u32],
    reached: &mut Vec<u32>,
    budget: &mut Budget,
) -> Result<bool, BudgetExhausted> {
    let mut next = 0;
    while next < reached.len() {
        let point = reached[next];
        next += 1;
        budget.spend(1 + moves.of(point).len())?;
        let image = map[point as usize];
        let mut theirs = moves.of(image).iter().copied().peekable();
        for &(generator, to) in moves.of(point) {
            // A generator that moves only the image would have to fix it.
            if theirs.peek().is_some_and(|&(other, _)| other < generator) {
                return Ok(false);
            }
            let target = theirs.next_if(|&(other, _)| other == generator).map_or(image, |(_, target)| target);
            let place = &mut map[to as usize];
            if *place == u32::MAX {
                *place = target;
                reached.push(to);
            } else if *place != target {
                return Ok(false);
            }
        }
        if theirs.next().is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
