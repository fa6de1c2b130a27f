//! Names of groups that are given by a chain of stabilisers.
//!
//! The rules recognise alternating groups by order and degree, cyclic and dihedral groups by an element of large order, direct products
//! by orbits, and wreath products by blocks. Every rule is a proof; a group to which no rule applies is reported by its order.

use num_bigint::BigUint;

use super::Group;
use super::action::{Action, factorial, sparse};
use super::blocks::congruence;
use super::chain::{Images, StabiliserChain, inverse, is_identity, product};
use super::orbits::orbits;
use super::random::RandomSource;
use super::structure::Structure;
use crate::graph::index;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};

/// The most random elements examined in the search for one of large order.
const SAMPLES: usize = 100;
/// The approximate cost of a random element, in steps per point.
const ELEMENT_COST: usize = 16;
/// Largest degree at which all block systems are tried.
const MAX_BLOCK_DEGREE: usize = 256;

/// The name of an action.
pub(crate) fn name(action: &Action, budget: &mut Budget) -> Result<Structure, BudgetExhausted> {
    Ok(match action {
        Action::Symmetric(degree) => Structure::Symmetric(*degree),
        Action::Wreath(wreath) => {
            let (inner, top) = (wreath.inner.structure_within(budget)?, wreath.top.structure_within(budget)?);
            Structure::Wreath(Box::new(inner), Box::new(top))
        }
        Action::Determined(determined) => determined.top.structure_within(budget)?,
        Action::Chain(chain) => name_chain(chain, budget)?,
        Action::Classes(_) => Structure::Unknown(action.order()),
    })
}

/// The name of an action with classes of exchangeable points, in several orbits, by its generators.
pub(crate) fn name_classes(
    action: &Action,
    degree: usize,
    generators: &[SparsePermutation],
    budget: &mut Budget,
) -> Result<Structure, BudgetExhausted> {
    let order = action.order();
    let structure = by_orbits(degree, generators, &orbits(degree, generators), &order, budget)?;
    Ok(structure.unwrap_or(Structure::Unknown(order)))
}

fn name_chain(chain: &StabiliserChain, budget: &mut Budget) -> Result<Structure, BudgetExhausted> {
    let order = chain.order();
    let generators: Vec<SparsePermutation> =
        chain.stabiliser_generators(0).iter().map(|images| sparse(images)).collect();
    let orbits = orbits(chain.degree(), &generators);
    if orbits.len() > 1 {
        if let Some(structure) = by_orbits(chain.degree(), &generators, &orbits, &order, budget)? {
            return Ok(structure);
        }
    } else if chain.degree() > 3 && &order * 2_u32 == factorial(chain.degree()) {
        return Ok(Structure::Alternating(chain.degree()));
    }
    if let Some(structure) = by_element_orders(chain, &order, budget)? {
        return Ok(structure);
    }
    let structure = if orbits.len() == 1 { by_blocks(chain, &generators, &order, budget)? } else { None };
    Ok(structure.unwrap_or(Structure::Unknown(order)))
}

/// A direct product of the actions on orbits, or the action on one orbit when it is faithful.
fn by_orbits(
    degree: usize,
    generators: &[SparsePermutation],
    orbits: &[Vec<u32>],
    order: &BigUint,
    budget: &mut Budget,
) -> Result<Option<Structure>, BudgetExhausted> {
    let restricted = |orbit: &Vec<u32>| {
        let keep = |generator: &SparsePermutation| {
            let pairs = generator.pairs().iter().filter(|pair| orbit.binary_search(&pair.0).is_ok());
            SparsePermutation::trusted(pairs.copied().collect())
        };
        Group::from_generators(degree, generators.iter().map(keep).collect()).expect("the same points")
    };
    let groups: Vec<Group> = orbits.iter().map(restricted).collect();
    let orders: Vec<BigUint> = groups.iter().map(|group| group.order_within(budget)).collect::<Result<_, _>>()?;
    if orders.iter().product::<BigUint>() == *order {
        let names: Result<_, _> = groups.iter().map(|group| group.structure_within(budget)).collect();
        return names.map(|names| Some(Structure::product(names)));
    }
    let faithful = groups.iter().zip(&orders).find(|(_, own)| *own == order);
    faithful.map(|(group, _)| group.structure_within(budget)).transpose()
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
fn by_element_orders(
    chain: &StabiliserChain,
    order: &BigUint,
    budget: &mut Budget,
) -> Result<Option<Structure>, BudgetExhausted> {
    let Ok(size) = u64::try_from(order) else { return Ok(None) };
    let generators = chain.stabiliser_generators(0);
    let mut random = RandomSource::new(size);
    let samples = (0..SAMPLES).map(|_| chain.random_element(&mut random));
    for element in generators.iter().cloned().chain(samples) {
        budget.spend(ELEMENT_COST * chain.degree())?;
        let Some(element_order) = element_order(&element) else { return Ok(None) };
        if element_order == size {
            return Ok(Some(cyclic(size)));
        }
        if size > 4 && 2 * element_order == size && is_dihedral(&generators, &element) {
            let Ok(half) = usize::try_from(element_order) else { return Ok(None) };
            return Ok(Some(if half == 3 { Structure::Symmetric(3) } else { Structure::Dihedral(half) }));
        }
    }
    budget.spend(generators.len() * chain.degree())?;
    elementary_abelian(&generators, size, budget)
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
fn elementary_abelian(
    generators: &[Images],
    size: u64,
    budget: &mut Budget,
) -> Result<Option<Structure>, BudgetExhausted> {
    let Some(prime) = generators.first().and_then(|first| element_order(first)) else { return Ok(None) };
    let is_prime = prime > 1 && (2..prime).take_while(|d| d * d <= prime).all(|d| prime % d != 0);
    if !is_prime || generators.iter().any(|a| element_order(a) != Some(prime)) {
        return Ok(None);
    }
    for (place, a) in generators.iter().enumerate() {
        for b in &generators[..place] {
            budget.spend(2 * a.len())?;
            if product(a, b) != product(b, a) {
                return Ok(None);
            }
        }
    }
    let mut rest = size;
    let mut factors = Vec::new();
    while rest > 1 {
        rest /= prime;
        factors.push(cyclic(prime));
    }
    Ok(Some(Structure::product(factors)))
}

/// A wreath product of the action inside a block and the action on blocks, if the product of the orders is that of the group.
fn by_blocks(
    chain: &StabiliserChain,
    generators: &[SparsePermutation],
    order: &BigUint,
    budget: &mut Budget,
) -> Result<Option<Structure>, BudgetExhausted> {
    let degree = chain.degree();
    if degree > MAX_BLOCK_DEGREE {
        return Ok(None);
    }
    let chain = StabiliserChain::new(degree, chain.stabiliser_generators(0), &[0], Some(order), budget)?;
    for point in 1..index(degree) {
        let blocks = congruence(degree, generators, &[0, point], budget)?.classes();
        if blocks.len() < 2 {
            continue;
        }
        let inner = block_action(&chain, &blocks[0]);
        let top = action_on_blocks(degree, generators, &blocks);
        if inner.order_within(budget)?.pow(index(blocks.len())) * top.order_within(budget)? == *order {
            let (inner, top) = (inner.structure_within(budget)?, top.structure_within(budget)?);
            return Ok(Some(Structure::Wreath(Box::new(inner), Box::new(top))));
        }
    }
    Ok(None)
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
