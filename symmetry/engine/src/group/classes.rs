//! Classes of points within each of which a group contains all permutations: the classes are collapsed, and a smaller group remains.
//!
//! Two points are exchangeable if the group has their transposition. This is an equivalence, and elements map classes to classes. The
//! transpositions among the generators show classes, those of the finest invariant partition that joins them (`blocks`), and the group
//! contains all permutations within each. Its action on the classes, as points, and on the other points is a group too, the *top*.
//!
//! # Soundness
//!
//! Let `N` be the product of the symmetric groups of the classes, which the group contains. An element that keeps every class and every
//! other point permutes within classes only, so it is in `N`: `N` is the kernel of the map onto the top. So the order is that of `N`
//! times that of the top. A permutation that maps classes to classes is an element if and only if its action on them is one of the top,
//! however it maps the points of a class to those of its image.
//!
//! # Complexity
//!
//! The supports of the generators, and the cost of the top.

use num_bigint::BigUint;

use super::Group;
use super::action::{factorial, swap};
use super::blocks::congruence_of_pairs;
use super::random::RandomSource;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};

/// A group with its classes of exchangeable points, some of one point.
#[derive(Clone, Debug)]
pub(crate) struct ClassAction {
    /// Each ascending, by least point.
    classes: Vec<Vec<u32>>,
    class_of: Vec<u32>,
    /// The group on classes.
    pub(crate) top: Group,
}

impl ClassAction {
    /// Recognises classes by the transpositions among the generators of a group on `0..degree`; `None` without transpositions.
    pub(crate) fn recognise(
        degree: usize,
        generators: &[SparsePermutation],
        budget: &mut Budget,
    ) -> Result<Option<Self>, BudgetExhausted> {
        let transpositions = generators.iter().filter(|generator| generator.pairs().len() == 2);
        let transposed: Vec<(u32, u32)> = transpositions.map(|generator| generator.pairs()[0]).collect();
        if transposed.is_empty() {
            return Ok(None);
        }
        let mut exchangeable = congruence_of_pairs(degree, generators, transposed, budget)?;
        let classes = exchangeable.classes();
        assert_eq!(classes.iter().map(Vec::len).sum::<usize>(), degree, "classes partition the points");
        let mut class_of = vec![0; degree];
        for (number, class) in (0..).zip(&classes) {
            class.iter().for_each(|&point| class_of[point as usize] = number);
        }
        let on_classes = |generator: &SparsePermutation| {
            let pairs =
                generator.pairs().iter().filter(|pair| classes[class_of[pair.0 as usize] as usize][0] == pair.0);
            // A generator may fix the least point of a class and move others within the class, but then it fixes the class.
            let pairs = pairs.map(|&(from, to)| (class_of[from as usize], class_of[to as usize]));
            SparsePermutation::trusted(pairs.collect())
        };
        let top = Group::from_generators(classes.len(), generators.iter().map(on_classes).collect());
        Ok(Some(Self { top: top.expect("classes are in range"), classes, class_of }))
    }

    /// Number of elements.
    pub(crate) fn order(&self) -> BigUint {
        let within: BigUint = self.classes.iter().map(|class| factorial(class.len())).product();
        within * self.top.order()
    }

    /// Whether a permutation of the points is an element.
    pub(crate) fn contains(&self, images: &[u32], budget: &mut Budget) -> Result<bool, BudgetExhausted> {
        let mut top = Vec::with_capacity(self.classes.len());
        for (class, points) in (0..).zip(&self.classes) {
            let target = self.class_of[images[points[0] as usize] as usize];
            if points.iter().any(|&point| self.class_of[images[point as usize] as usize] != target)
                || self.classes[target as usize].len() != points.len()
            {
                return Ok(false);
            }
            top.push((class, target));
        }
        self.top.contains_within(&SparsePermutation::trusted(top), budget)
    }

    /// Generators of the stabiliser of a point.
    pub(crate) fn stabiliser(
        &self,
        point: u32,
        budget: &mut Budget,
    ) -> Result<Vec<SparsePermutation>, BudgetExhausted> {
        let mut generators = Vec::new();
        for class in &self.classes {
            let others: Vec<u32> = class.iter().copied().filter(|&other| other != point).collect();
            generators.extend(others.windows(2).map(|pair| swap(pair[0], pair[1])));
        }
        let home = self.class_of[point as usize];
        for top in self.top.stabiliser_within(home, budget)?.generators() {
            let pairs = top.pairs().iter().flat_map(|&(from, to)| {
                let (from, to) = (&self.classes[from as usize], &self.classes[to as usize]);
                from.iter().copied().zip(to.iter().copied())
            });
            generators.push(SparsePermutation::trusted(pairs.collect()));
        }
        Ok(generators)
    }

    /// A uniformly random element.
    pub(crate) fn random_element(&self, random: &mut RandomSource) -> Vec<u32> {
        let top = self.top.random_element(random);
        let mut images = vec![0; self.class_of.len()];
        for (class, points) in (0..).zip(&self.classes) {
            let mut targets = self.classes[top.image(class) as usize].clone();
            for place in (1..targets.len()).rev() {
                targets.swap(place, random.below(place + 1));
            }
            for (&point, target) in points.iter().zip(targets) {
                images[point as usize] = target;
            }
        }
        images
    }
}
