//! Conditions as sets of cubes, and their prime cubes: a form that does not depend on the text of a condition.
//!
//! A cube allows each of some keys a set of values, as bits; keys that it does not name may have any value. A condition
//! is a union of cubes. [`primes`] is the set of all maximal cubes inside a condition, computed by iterated consensus:
//! the consensus of two cubes on one key is the cube that allows this key the union of both sets, and every other key
//! their intersection. The set is unique, and permutations of keys and values commute with it. Where there are too many
//! primes, the condition keeps its cubes, without those that another cube contains.
//!
//! Complexity: quadratic in the number of cubes per round, at most [`MAX_PRIMES`] cubes and a bounded number of
//! comparisons.
//!
//! Source: Blake's canonical form, for several values per key.

use super::space::ElementId;
use super::term::TermId;

/// The most prime cubes of a condition in prime form. A condition with more keeps its original cubes.
pub const MAX_PRIMES: usize = 200;

/// The most comparisons of cubes on the way to prime cubes.
const MAX_COMPARISONS: usize = 400_000;

/// The most comparisons when two conditions are compared as functions.
const MAX_SHARPS: usize = 200_000;

/// The most pairs of a cube and a prime cube of conditions whose primes are checked in debug builds.
const MOST_CHECKED: usize = 64;

/// The input that a cube restricts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    /// An element with listed values: bit `k` stands for the `k`-th.
    Element(ElementId),
    /// An atom: bit 0 stands for false, bit 1 for true.
    Atom(TermId),
}

/// A set of values, as bits.
pub type Mask = u128;

/// The allowed values of each key, ascending by key; keys that may have any value are left out.
pub type Cube = Vec<(Key, Mask)>;

/// Whether `outer` contains every point of `inner`.
pub fn contains(outer: &Cube, inner: &Cube) -> bool {
    let mut left = inner.iter();
    let narrows = |&(key, mask): &(Key, Mask)| {
        let own = left.find(|&&(own, _)| own >= key);
        own.is_some_and(|&(own, allowed)| own == key && allowed & !mask == 0)
    };
    outer.len() <= inner.len() && outer.iter().all(narrows)
}

/// The values that a cube allows a key; `None` for any value.
pub fn allowed(cube: &Cube, key: Key) -> Option<Mask> {
    cube.binary_search_by_key(&key, |&(key, _)| key).ok().map(|at| cube[at].1)
}

/// The consensus of two cubes on a key; `None` if it is empty or if the set of one cube for the key contains that of the other.
fn consensus(one: &Cube, other: &Cube, key: Key, full: &dyn Fn(Key) -> Mask) -> Option<Cube> {
    let (here, there) = (allowed(one, key)?, allowed(other, key)?);
    let joined = here | there;
    if joined == here || joined == there {
        return None;
    }
    let meets = |&(met, mask): &(Key, Mask)| met == key || allowed(one, met).is_none_or(|known| known & mask != 0);
    if !other.iter().all(meets) {
        return None;
    }
    let mut cube = one.clone();
    for &(met, mask) in other {
        let both = if met == key { joined } else { allowed(one, met).map_or(mask, |known| known & mask) };
        restrict(&mut cube, met, both);
    }
    if joined == full(key) {
        cube.retain(|&(met, _)| met != key);
    }
    Some(cube)
}

fn absorb(cubes: &mut Vec<Cube>, cube: Cube) -> bool {
    if cubes.iter().any(|known| contains(known, &cube)) {
        return false;
    }
    cubes.retain(|known| !contains(&cube, known));
    cubes.push(cube);
    true
}

/// The prime cubes of a union of cubes, ascending, and `true`; beyond the limits the cubes themselves, and `false`.
pub fn primes(cubes: Vec<Cube>, full: &dyn Fn(Key) -> Mask) -> (Vec<Cube>, bool) {
    debug_assert!(cubes.iter().all(|cube| cube.is_sorted_by(|one, next| one.0 < next.0)), "keys ascend");
    let is_known = |&(key, mask): &(Key, Mask)| mask != 0 && mask & !full(key) == 0;
    debug_assert!(cubes.iter().flatten().all(is_known), "a cube allows some values that its keys have");
    let mut plain: Vec<Cube> = Vec::new();
    for cube in cubes {
        absorb(&mut plain, cube);
    }
    plain.sort_unstable();
    let mut list = plain.clone();
    let mut pending = plain.clone();
    let mut comparisons = 0;
    while let Some(one) = pending.pop() {
        if !list.contains(&one) {
            continue;
        }
        for other in list.clone() {
            for &(key, _) in &one {
                let Some(cube) = consensus(&one, &other, key, full) else { continue };
                comparisons += list.len();
                if absorb(&mut list, cube.clone()) {
                    if list.len() > MAX_PRIMES || comparisons > MAX_COMPARISONS {
                        return (plain, false);
                    }
                    pending.push(cube);
                }
            }
        }
    }
    list.sort_unstable();
    let is_same = || list.len() * plain.len() > MOST_CHECKED || equivalent(&list, &plain, full) != Some(false);
    debug_assert!(is_same(), "the prime cubes of a condition allow the same points");
    (list, true)
}

/// Whether two unions of cubes allow the same points; `None` if the comparison takes too long.
pub fn equivalent(one: &[Cube], other: &[Cube], full: &dyn Fn(Key) -> Mask) -> Option<bool> {
    Some(includes(one, other, full)? && includes(other, one, full)?)
}

/// Whether each cube of `inner` lies in the union `outer`; `None` if the comparison takes too long.
pub fn includes(outer: &[Cube], inner: &[Cube], full: &dyn Fn(Key) -> Mask) -> Option<bool> {
    let mut budget = MAX_SHARPS;
    for cube in inner {
        if !covered(cube, outer, full, &mut budget)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether a cube lies in a union of cubes.
fn covered(cube: &Cube, others: &[Cube], full: &dyn Fn(Key) -> Mask, budget: &mut usize) -> Option<bool> {
    let mut rest = vec![cube.clone()];
    for other in others {
        limits::work(1 + rest.len() as u64);
        let mut left = Vec::new();
        for cube in rest {
            *budget = budget.checked_sub(1)?;
            sharp(cube, other, full, &mut left);
        }
        rest = left;
    }
    Some(rest.is_empty())
}

/// The part of a cube that lies outside another cube, as disjoint cubes.
fn sharp(cube: Cube, other: &Cube, full: &dyn Fn(Key) -> Mask, left: &mut Vec<Cube>) {
    let here = |cube: &Cube, key| allowed(cube, key).unwrap_or_else(|| full(key));
    if other.iter().any(|&(key, mask)| here(&cube, key) & mask == 0) {
        left.push(cube);
        return;
    }
    let mut inside = cube;
    for &(key, mask) in other {
        let here = here(&inside, key);
        if here & !mask != 0 {
            let mut outside = inside.clone();
            restrict(&mut outside, key, here & !mask);
            left.push(outside);
        }
        restrict(&mut inside, key, here & mask);
    }
}

/// Sets the values that a cube allows a key.
fn restrict(cube: &mut Cube, key: Key, mask: Mask) {
    match cube.binary_search_by_key(&key, |&(key, _)| key) {
        Ok(at) => cube[at].1 = mask,
        Err(at) => cube.insert(at, (key, mask)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32) -> Key {
        Key::Element(ElementId(number))
    }

    /// All points of three keys with three values that a union of cubes allows, as bits.
    fn table(cubes: &[Cube]) -> u32 {
        (0..27u32)
            .filter(|row| {
                let digits = [row / 9, row / 3 % 3, row % 3];
                let holds = |cube: &Cube| {
                    cube.iter().all(|&(at, mask)| {
                        let Key::Element(id) = at else { return false };
                        mask >> digits[id.0 as usize] & 1 == 1
                    })
                };
                cubes.iter().any(holds)
            })
            .fold(0, |bits, row| bits | 1 << row)
    }

    /// All maximal cubes of a function, by trying every cube.
    fn naive(table_of: u32) -> Vec<Cube> {
        let mut inside: Vec<Cube> = Vec::new();
        for code in 0..343u32 {
            let masks = [code / 49 + 1, code / 7 % 7 + 1, code % 7 + 1].map(Mask::from);
            let cube: Cube = (0..3).map(|at| (key(at), masks[at as usize])).filter(|&(_, mask)| mask != 7).collect();
            if table(std::slice::from_ref(&cube)) & !table_of == 0 {
                inside.push(cube);
            }
        }
        let maximal = |cube: &Cube| !inside.iter().any(|other| other != cube && contains(other, cube));
        let mut list: Vec<Cube> = inside.iter().filter(|cube| maximal(cube)).cloned().collect();
        list.sort_unstable();
        list
    }

    #[test]
    fn primes_are_the_maximal_cubes() {
        let mut seed = 7u32;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for _ in 0..200 {
            let cubes: Vec<Cube> = (0..1 + next(5))
                .map(|_| (0..3).map(|at| (key(at), Mask::from(next(7) + 1))).filter(|&(_, mask)| mask != 7).collect())
                .collect();
            let full = |_| 7;
            let (found, exact) = primes(cubes.clone(), &full);
            assert!(exact);
            assert_eq!(found, naive(table(&cubes)));
            assert_eq!(equivalent(&cubes, &found, &full), Some(true));
            let cut = &found[1..];
            assert_eq!(equivalent(cut, &found, &full), Some(table(cut) == table(&found)));
            assert_eq!(equivalent(&found, cut, &full), Some(table(cut) == table(&found)));
        }
    }
}
