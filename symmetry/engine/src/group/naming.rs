//! Recognises what a chain of stabilisers stands for.
//!
//! By order and degree (alternating groups), by an element of large order (cyclic and dihedral groups), by orbits (direct
//! products), by blocks (wreath products). Every rule is a proof; what none applies to is reported by its order.

use num_bigint::BigUint;

use super::Group;
use super::action::{Action, factorial, sparse};
use super::blocks::{classes, congruence};
use super::chain::{Images, StabiliserChain, inverse, is_identity, product};
use super::orbits::orbits;
use super::random::RandomSource;
use super::structure::Structure;
use crate::graph::index;
use crate::permutation::SparsePermutation;

/// Random elements looked at for one of large order.
const SAMPLES: usize = 100;
/// Largest degree at which all block systems are tried.
const MAX_BLOCK_DEGREE: usize = 256;

/// The name of an action.
pub(crate) fn name(action: &Action) -> Structure {
    match action {
        Action::Symmetric(degree) => Structure::Symmetric(*degree),
        Action::Wreath(wreath) => {
            Structure::Wreath(Box::new(wreath.inner.structure()), Box::new(wreath.top.structure()))
        }
        Action::Chain(chain) => name_chain(chain),
    }
}

fn name_chain(chain: &StabiliserChain) -> Structure {
    let order = chain.order();
    let generators: Vec<SparsePermutation> =
        chain.stabiliser_generators(0).iter().map(|images| sparse(images)).collect();
    let orbits = orbits(chain.degree(), &generators);
    if orbits.len() > 1 {
        if let Some(structure) = by_orbits(chain.degree(), &generators, &orbits, &order) {
            return structure;
        }
    } else if chain.degree() > 3 && &order * 2_u32 == factorial(chain.degree()) {
        return Structure::Alternating(chain.degree());
    }
    by_element_orders(chain, &order)
        .or_else(|| if orbits.len() == 1 { by_blocks(chain, &generators, &order) } else { None })
        .unwrap_or(Structure::Unknown(order))
}

/// A direct product of the actions on orbits, or the action on one orbit when it is faithful.
fn by_orbits(
    degree: usize,
    generators: &[SparsePermutation],
    orbits: &[Vec<u32>],
    order: &BigUint,
) -> Option<Structure> {
    let restricted = |orbit: &Vec<u32>| {
        let keep = |generator: &SparsePermutation| {
            let pairs = generator.pairs().iter().filter(|pair| orbit.binary_search(&pair.0).is_ok());
            SparsePermutation::trusted(pairs.copied().collect())
        };
        Group::from_generators(degree, generators.iter().map(keep).collect()).expect("the same points")
    };
    let groups: Vec<Group> = orbits.iter().map(restricted).collect();
    if groups.iter().map(Group::order).product::<BigUint>() == *order {
        return Some(Structure::product(groups.iter().map(Group::structure).collect()));
    }
    groups.iter().find(|group| group.order() == *order).map(Group::structure)
}

/// Order of a permutation as a group element, if it fits.
fn element_order(images: &[u32]) -> Option<u64> {
    let mut order = 1_u64;
    let mut seen = vec![false; images.len()];
    for start in 0..images.len() {
        let mut length = 0_u64;
        let mut at = start;
        while !std::mem::replace(&mut seen[at], true) {
            length += 1;
            at = images[at] as usize;
        }
        if length > 1 {
            order = order.checked_mul(length / gcd(order, length))?;
        }
    }
    Some(order)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Cyclic, dihedral and elementary abelian groups.
fn by_element_orders(chain: &StabiliserChain, order: &BigUint) -> Option<Structure> {
    let size = u64::try_from(order).ok()?;
    let generators = chain.stabiliser_generators(0);
    let mut random = RandomSource::new(size);
    let samples = (0..SAMPLES).map(|_| chain.random_element(&mut random));
    for element in generators.iter().cloned().chain(samples) {
        let element_order = element_order(&element)?;
        if element_order == size {
            return Some(cyclic(size));
        }
        if size > 4 && 2 * element_order == size && is_dihedral(&generators, &element) {
            let half = usize::try_from(element_order).ok()?;
            return Some(if half == 3 { Structure::Symmetric(3) } else { Structure::Dihedral(half) });
        }
    }
    elementary_abelian(&generators, size)
}

fn cyclic(order: u64) -> Structure {
    let order = usize::try_from(order).expect("orders of elements of small groups");
    if order == 2 { Structure::Symmetric(2) } else { Structure::Cyclic(order) }
}

/// Whether some generator is an involution that inverts `turn`, an element of index two.
fn is_dihedral(generators: &[Images], turn: &[u32]) -> bool {
    let back = inverse(turn);
    generators.iter().any(|generator| {
        is_identity(&product(generator, generator)) && product(&product(generator, turn), generator) == back
    })
}

/// A power of a cyclic group of prime order.
fn elementary_abelian(generators: &[Images], size: u64) -> Option<Structure> {
    let prime = element_order(generators.first()?)?;
    let is_prime = prime > 1 && (2..prime).take_while(|d| d * d <= prime).all(|d| prime % d != 0);
    let commute = generators
        .iter()
        .all(|a| element_order(a) == Some(prime) && generators.iter().all(|b| product(a, b) == product(b, a)));
    if !is_prime || !commute {
        return None;
    }
    let mut rest = size;
    let mut factors = Vec::new();
    while rest > 1 {
        rest /= prime;
        factors.push(cyclic(prime));
    }
    Some(Structure::product(factors))
}

/// A wreath product of the action inside a block and the action on blocks, when the orders multiply up.
fn by_blocks(chain: &StabiliserChain, generators: &[SparsePermutation], order: &BigUint) -> Option<Structure> {
    let degree = chain.degree();
    if degree > MAX_BLOCK_DEGREE {
        return None;
    }
    let dense = chain.stabiliser_generators(0);
    let chain = StabiliserChain::new(degree, &dense, &[0], Some(order));
    for point in 1..index(degree) {
        let blocks = classes(&mut congruence(degree, generators, &[0, point]), degree);
        if blocks.len() < 2 {
            continue;
        }
        let inner = block_action(&chain, &blocks[0]);
        let top = action_on_blocks(degree, generators, &blocks);
        if inner.order().pow(index(blocks.len())) * top.order() == *order {
            return Some(Structure::Wreath(Box::new(inner.structure()), Box::new(top.structure())));
        }
    }
    None
}

/// The action of the setwise stabiliser of a block that contains the first base point, on that block.
fn block_action(chain: &StabiliserChain, block: &[u32]) -> Group {
    let mut stabilisers = chain.stabiliser_generators(1);
    let size = chain.orbit_sizes().next().unwrap_or(1);
    for place in 0..size {
        let representative = chain.representative(0, place);
        if block.binary_search(&representative[0]).is_ok() {
            stabilisers.push(representative);
        }
    }
    let local = |images: &Images| {
        let place = |point: u32| block.binary_search(&point).map(index).expect("the block is kept");
        SparsePermutation::trusted(block.iter().map(|&p| (place(p), place(images[p as usize]))).collect())
    };
    Group::from_generators(block.len(), stabilisers.iter().map(local).collect()).expect("places")
}

fn action_on_blocks(degree: usize, generators: &[SparsePermutation], blocks: &[Vec<u32>]) -> Group {
    let mut block_of = vec![0; degree];
    for (number, block) in (0..).zip(blocks) {
        for &point in block {
            block_of[point as usize] = number;
        }
    }
    let on_blocks = |generator: &SparsePermutation| {
        let targets = blocks.iter().map(|block| block_of[generator.image(block[0]) as usize]);
        SparsePermutation::trusted((0..).zip(targets).collect())
    };
    Group::from_generators(blocks.len(), generators.iter().map(on_blocks).collect()).expect("blocks")
}
