//! The action of a factor on its essential points: the symmetric group, a wreath product, the symmetric group within classes, a group that
//! few points or blocks show, or one that only a chain describes.

use num_bigint::BigUint;

use super::blocks::{self, WreathAction, congruence};
use super::chain::{Images, StabiliserChain, dense, identity};
use super::classes::ClassAction;
use super::determined::DeterminedAction;
use super::random::RandomSource;
use crate::graph::index;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};

/// A permutation group on `0..degree` without fixed points.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// All permutations of this number of points.
    Symmetric(usize),
    /// A wreath product in its imprimitive action.
    Wreath(Box<WreathAction>),
    /// All permutations within classes of points, and some group on the classes.
    Classes(Box<ClassAction>),
    /// A group whose action on few points or blocks determines all others.
    Determined(Box<DeterminedAction>),
    /// Any group, by its chain of stabilisers.
    Chain(Box<StabiliserChain>),
}

impl Action {
    /// The group of these generators, if it is recognised without a chain.
    pub(crate) fn recognise(
        degree: usize,
        generators: &[SparsePermutation],
        is_transitive: bool,
        budget: &mut Budget,
    ) -> Result<Option<Self>, BudgetExhausted> {
        if !is_transitive {
            if let Some(classes) = ClassAction::recognise(degree, generators, budget)? {
                return Ok(Some(Self::Classes(Box::new(classes))));
            }
        } else if is_symmetric(degree, generators, budget)? {
            return Ok(Some(Self::Symmetric(degree)));
        } else if let Some(wreath) = blocks::wreath(degree, generators, budget)? {
            return Ok(Some(Self::Wreath(Box::new(wreath))));
        }
        let determined = DeterminedAction::recognise(degree, generators, budget)?;
        Ok(determined.map(|determined| Self::Determined(Box::new(determined))))
    }

    /// The group of these generators by its chain.
    pub(crate) fn search(
        degree: usize,
        generators: &[SparsePermutation],
        is_transitive: bool,
        order: Option<&BigUint>,
        budget: &mut Budget,
    ) -> Result<Self, BudgetExhausted> {
        let chain = StabiliserChain::new(degree, dense(degree, generators), &[], order, budget)?;
        debug_assert!(order.is_none_or(|order| chain.order() == *order), "the chain has the known order");
        if is_transitive && chain.order() == factorial(degree) {
            return Ok(Self::Symmetric(degree));
        }
        Ok(Self::Chain(Box::new(chain)))
    }

    /// Computes the chains that the other methods need.
    pub(crate) fn prepare(&self, budget: &mut Budget) -> Result<(), BudgetExhausted> {
        match self {
            Self::Wreath(wreath) => {
                wreath.inner.prepare(budget)?;
                wreath.top.prepare(budget)
            }
            Self::Classes(classes) => classes.top.prepare(budget),
            Self::Determined(determined) => determined.top.prepare(budget),
            Self::Symmetric(_) | Self::Chain(_) => Ok(()),
        }
    }

    /// Number of elements.
    pub(crate) fn order(&self) -> BigUint {
        match self {
            Self::Symmetric(degree) => factorial(*degree),
            Self::Wreath(wreath) => wreath.inner.order().pow(index(wreath.blocks.len())) * wreath.top.order(),
            Self::Classes(classes) => classes.order(),
            Self::Determined(determined) => determined.top.order(),
            Self::Chain(chain) => chain.order(),
        }
    }

    /// Whether a permutation of the points is an element.
    pub(crate) fn contains(&self, images: &[u32], budget: &mut Budget) -> Result<bool, BudgetExhausted> {
        debug_assert!(images.iter().all(|&image| (image as usize) < images.len()), "images are points");
        match self {
            Self::Symmetric(_) => Ok(true),
            Self::Wreath(wreath) => wreath_contains(wreath, images, budget),
            Self::Classes(classes) => classes.contains(images, budget),
            Self::Determined(determined) => determined.contains(images, budget),
            Self::Chain(chain) => Ok(chain.sift_within(images.to_vec(), 0, budget)?.is_none()),
        }
    }

    /// Generators of the stabiliser of a point.
    pub(crate) fn stabiliser(
        &self,
        point: u32,
        budget: &mut Budget,
    ) -> Result<Vec<SparsePermutation>, BudgetExhausted> {
        Ok(match self {
            Self::Symmetric(degree) => {
                let others: Vec<u32> = (0..index(*degree)).filter(|&other| other != point).collect();
                others.windows(2).map(|pair| swap(pair[0], pair[1])).collect()
            }
            Self::Wreath(wreath) => wreath_stabiliser(wreath, point, budget)?,
            Self::Classes(classes) => classes.stabiliser(point, budget)?,
            Self::Determined(determined) => {
                determined.stabiliser(point, budget)?.iter().map(|images| sparse(images)).collect()
            }
            Self::Chain(chain) => {
                let generators = chain.stabiliser_generators(0);
                let order = chain.order();
                let chain = StabiliserChain::new(chain.degree(), generators, &[point], Some(&order), budget)?;
                chain.stabiliser_generators(1).iter().map(|images| sparse(images)).collect()
            }
        })
    }

    /// A uniformly random element.
    pub(crate) fn random_element(&self, random: &mut RandomSource) -> Images {
        match self {
            Self::Symmetric(degree) => {
                let mut images = identity(*degree);
                for place in (1..*degree).rev() {
                    images.swap(place, random.below(place + 1));
                }
                images
            }
            Self::Wreath(wreath) => {
                let top = wreath.top.random_element(random);
                let mut images = identity(wreath.places.len());
                for (block, points) in (0..).zip(&wreath.blocks) {
                    let inner = wreath.inner.random_element(random);
                    let target = &wreath.blocks[top.image(block) as usize];
                    for (coordinate, &point) in (0..).zip(points) {
                        images[point as usize] = target[inner.image(coordinate) as usize];
                    }
                }
                images
            }
            Self::Classes(classes) => classes.random_element(random),
            Self::Determined(determined) => determined.random_element(random),
            Self::Chain(chain) => chain.random_element(random),
        }
    }
}

/// The factorial as a balanced product.
pub(crate) fn factorial(n: usize) -> BigUint {
    let mut order = crate::automorphisms::Order::default();
    order.multiply_factorial(index(n), 1);
    order.value()
}

pub(crate) fn swap(a: u32, b: u32) -> SparsePermutation {
    SparsePermutation::trusted(vec![(a, b), (b, a)])
}

/// The sparse permutation with these dense images.
pub(crate) fn sparse(images: &[u32]) -> SparsePermutation {
    SparsePermutation::trusted((0..).zip(images.iter().copied()).collect())
}

/// Whether a transposition among the generators proves that the group is symmetric. The points that some element exchanges form the
/// classes of an invariant partition. So if the finest invariant partition that joins the transposed points has one class, all
/// transpositions are elements.
fn is_symmetric(degree: usize, generators: &[SparsePermutation], budget: &mut Budget) -> Result<bool, BudgetExhausted> {
    let transposition = generators.iter().find(|generator| generator.pairs().len() == 2);
    let Some(transposition) = transposition else { return Ok(false) };
    let support: Vec<u32> = transposition.support().collect();
    Ok(congruence(degree, generators, &support, budget)?.size(support[0]) as usize == degree)
}

fn wreath_contains(wreath: &WreathAction, images: &[u32], budget: &mut Budget) -> Result<bool, BudgetExhausted> {
    let mut top = Vec::with_capacity(wreath.blocks.len());
    for points in &wreath.blocks {
        let target = wreath.places[images[points[0] as usize] as usize].0;
        let mut local = Vec::with_capacity(points.len());
        for (coordinate, &point) in (0..).zip(points) {
            let (block, image) = wreath.places[images[point as usize] as usize];
            if block != target {
                return Ok(false);
            }
            local.push((coordinate, image));
        }
        if !wreath.inner.contains_within(&SparsePermutation::trusted(local), budget)? {
            return Ok(false);
        }
        top.push(target);
    }
    wreath.top.contains_within(&sparse(&top), budget)
}

fn wreath_stabiliser(
    wreath: &WreathAction,
    point: u32,
    budget: &mut Budget,
) -> Result<Vec<SparsePermutation>, BudgetExhausted> {
    let (home, coordinate) = wreath.places[point as usize];
    let mut generators = Vec::new();
    let fixing = wreath.inner.stabiliser_within(coordinate, budget)?;
    for (block, points) in (0..).zip(&wreath.blocks) {
        let inner = if block == home { fixing.generators() } else { wreath.inner.generators() };
        for local in inner {
            let pairs = local.pairs().iter().map(|&(a, b)| (points[a as usize], points[b as usize])).collect();
            generators.push(SparsePermutation::trusted(pairs));
        }
    }
    for top in wreath.top.stabiliser_within(home, budget)?.generators() {
        let mut pairs = Vec::new();
        for &(from, to) in top.pairs() {
            let (from, to) = (&wreath.blocks[from as usize], &wreath.blocks[to as usize]);
            pairs.extend(from.iter().copied().zip(to.iter().copied()));
        }
        generators.push(SparsePermutation::trusted(pairs));
    }
    Ok(generators)
}
