//! Blocks of imprimitivity, and the recognition of wreath products from generators.
//!
//! A generator whose support is small spans a block: the finest invariant partition with its support in one class. The generators carry
//! coordinates from the first block to the others. Suppose that every generator acts between blocks by elements of the group `H` that the
//! generators inside single blocks generate. Then the group lies in `H wr K`, where `K` is the action on blocks; and it contains one `H`
//! per block, by conjugation. So it is `H wr K`, without a search.

use rustc_hash::FxHashSet;

use super::Group;
use super::orbits::Moves;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};
use crate::union_find::UnionFind;

/// A group that is a wreath product in its action on `blocks[j][i]`, the `i`-th coordinate of the `j`-th block.
#[derive(Clone, Debug)]
pub(crate) struct WreathAction {
    pub(crate) blocks: Vec<Vec<u32>>,
    /// Block and coordinate of every point.
    pub(crate) places: Vec<(u32, u32)>,
    /// The group inside a block.
    pub(crate) inner: Group,
    /// The group on blocks.
    pub(crate) top: Group,
}

/// The finest partition of a group's points that is invariant and has these points in one class.
pub(crate) fn congruence(
    degree: usize,
    generators: &[SparsePermutation],
    together: &[u32],
    budget: &mut Budget,
) -> Result<UnionFind, BudgetExhausted> {
    let pairs = together.windows(2).map(|pair| (pair[0], pair[1])).collect();
    congruence_of_pairs(degree, generators, pairs, budget)
}

/// The finest partition of a group's points that is invariant and has the points of each of these pairs in one class.
pub(crate) fn congruence_of_pairs(
    degree: usize,
    generators: &[SparsePermutation],
    mut queue: Vec<(u32, u32)>,
    budget: &mut Budget,
) -> Result<UnionFind, BudgetExhausted> {
    budget.spend(degree + support_size(generators))?;
    let moves = Moves::new(degree, generators);
    let mut classes = UnionFind::new(degree);
    while let Some((a, b)) = queue.pop() {
        if !classes.union(a, b) {
            continue;
        }
        budget.spend(moves.of(a).len() + moves.of(b).len())?;
        let (mut left, mut right) = (moves.of(a).iter().peekable(), moves.of(b).iter().peekable());
        while left.peek().is_some() || right.peek().is_some() {
            let key = |next: Option<&&(u32, u32)>| next.map_or(u32::MAX, |&&(generator, _)| generator);
            let generator = key(left.peek()).min(key(right.peek()));
            let x = left.next_if(|&&(g, _)| g == generator).map_or(a, |&(_, image)| image);
            let y = right.next_if(|&&(g, _)| g == generator).map_or(b, |&(_, image)| image);
            queue.push((x, y));
        }
    }
    Ok(classes)
}

/// Number of points that generators move, counted once per generator.
pub(crate) fn support_size(generators: &[SparsePermutation]) -> usize {
    generators.iter().map(|generator| generator.pairs().len()).sum()
}

/// Recognises a wreath product in a transitive action; sound, but finds only products that its generators show.
pub(crate) fn wreath(
    degree: usize,
    generators: &[SparsePermutation],
    budget: &mut Budget,
) -> Result<Option<WreathAction>, BudgetExhausted> {
    let Some(smallest) = generators.iter().min_by_key(|generator| generator.pairs().len()) else { return Ok(None) };
    let support: Vec<u32> = smallest.support().collect();
    let mut blocks = congruence(degree, generators, &support, budget)?.classes();
    if blocks.len() < 2 || blocks[0].len() < 2 {
        return Ok(None);
    }
    budget.spend(degree + 2 * support_size(generators))?;
    let Some(places) = carry_coordinates(degree, generators, &mut blocks) else { return Ok(None) };
    assert!(blocks.iter().all(|block| block.len() == blocks[0].len()), "blocks have one size");
    assert_eq!(blocks.len() * blocks[0].len(), degree, "blocks partition the points");
    let inside = |generator: &SparsePermutation| {
        let block = places[generator.pairs()[0].0 as usize].0;
        generator.support().all(|point| places[point as usize].0 == block)
    };
    let mut seen = FxHashSet::default();
    let mut inner = Vec::new();
    for generator in generators.iter().filter(|generator| inside(generator)) {
        let pairs = generator.pairs().iter().map(|&(a, b)| (places[a as usize].1, places[b as usize].1)).collect();
        let local = SparsePermutation::from_pairs(pairs).expect("inside one block");
        if seen.insert(local.clone()) {
            inner.push(local);
        }
    }
    let inner = Group::from_generators(blocks[0].len(), inner).expect("coordinates are in range");
    let mut top = Vec::new();
    let mut seen = FxHashSet::default();
    for generator in generators {
        let Some(pairs) = acts_by(generator, &blocks, &places, &inner, budget)? else { return Ok(None) };
        let on_blocks = SparsePermutation::from_pairs(pairs).expect("blocks go to blocks");
        if !on_blocks.is_identity() && seen.insert(on_blocks.clone()) {
            top.push(on_blocks);
        }
    }
    let top = Group::from_generators(blocks.len(), top).expect("blocks are in range");
    Ok(Some(WreathAction { blocks, places, inner, top }))
}

/// Orders every block by carrying the order of the first along generators; returns the places of all points.
fn carry_coordinates(
    degree: usize,
    generators: &[SparsePermutation],
    blocks: &mut [Vec<u32>],
) -> Option<Vec<(u32, u32)>> {
    let moves = Moves::new(degree, generators);
    let mut places = vec![(0, 0); degree];
    for (block, points) in (0..).zip(blocks.iter()) {
        for (coordinate, &point) in (0..).zip(points) {
            places[point as usize] = (block, coordinate);
        }
    }
    let mut is_done = vec![false; blocks.len()];
    is_done[0] = true;
    let mut queue = vec![0_u32];
    let mut done = 1;
    while let Some(block) = queue.pop() {
        let first = blocks[block as usize][0];
        for &(generator, image) in moves.of(first) {
            let other = places[image as usize].0;
            if std::mem::replace(&mut is_done[other as usize], true) {
                continue;
            }
            let generator = &generators[generator as usize];
            let carried: Vec<u32> = blocks[block as usize].iter().map(|&point| generator.image(point)).collect();
            for (coordinate, &point) in (0..).zip(&carried) {
                places[point as usize] = (other, coordinate);
            }
            blocks[other as usize] = carried;
            queue.push(other);
            done += 1;
        }
    }
    (done == blocks.len()).then_some(places)
}

/// The action of a generator on blocks, if it acts between them by elements of `inner`.
fn acts_by(
    generator: &SparsePermutation,
    blocks: &[Vec<u32>],
    places: &[(u32, u32)],
    inner: &Group,
    budget: &mut Budget,
) -> Result<Option<Vec<(u32, u32)>>, BudgetExhausted> {
    inner.prepare(budget)?;
    let mut touched: Vec<u32> = generator.support().map(|point| places[point as usize].0).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut pairs = Vec::new();
    for block in touched {
        let points = &blocks[block as usize];
        budget.spend(points.len())?;
        let target = places[generator.image(points[0]) as usize].0;
        let local: Vec<(u32, u32)> = (0..)
            .zip(points)
            .map(|(coordinate, &point)| (coordinate, places[generator.image(point) as usize].1))
            .collect();
        let local = SparsePermutation::from_pairs(local).expect("blocks go to blocks");
        if !local.is_identity() && !inner.contains_within(&local, budget)? {
            return Ok(None);
        }
        pairs.push((block, target));
    }
    Ok(Some(pairs))
}
