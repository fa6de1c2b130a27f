//! How two permutation groups on the same points stand to each other: which contains the other, and whether an element of a third group
//! conjugates one to the other.
//!
//! Containment is decided by sifting the generators of one through the other. Conjugacy is a breadth-first search over the conjugates of
//! the first group: each is kept as an element that conjugates the first group to it, and its images under the generators of the ambient
//! group are the next ones. Conjugates are looked up by their orbits and told apart by sifting.
//!
//! # Soundness
//!
//! A conjugating element is checked before it is returned. `NotConjugate` is said where an invariant differs, or where the search closed: then
//! every conjugate under the ambient group was compared with the second group. A search that its bounds cut off is `Undecided`.
//!
//! # Complexity
//!
//! A conjugate costs the degree times the numbers of generators, and as many sifts as there are conjugates with its orbits.

use std::collections::HashMap;

use super::Group;
use crate::graph::index;
use crate::permutation::{Permutation, SparsePermutation};
use crate::search::{Budget, BudgetExhausted};
use crate::union_find::UnionFind;

/// Which of two groups contains the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// They have the same elements.
    Equal,
    /// The first is a proper subgroup of the second.
    Subgroup,
    /// The second is a proper subgroup of the first.
    Supergroup,
    /// Neither contains the other.
    Incomparable,
}

/// Whether an element of an ambient group conjugates one group to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conjugacy {
    /// This element does: it takes the first group to the second.
    Conjugate(Permutation),
    /// No element does.
    NotConjugate,
    /// The bounds of the search were met first.
    Undecided,
}

impl Group {
    /// Which of two groups on the same points contains the other.
    ///
    /// # Errors
    ///
    /// When the budget is exhausted.
    ///
    /// # Panics
    ///
    /// When the degrees differ.
    pub fn containment_within(&self, other: &Self, budget: &mut Budget) -> Result<Containment, BudgetExhausted> {
        let is_inside = self.outside_within(other, budget)?.is_empty();
        let has_other = other.outside_within(self, budget)?.is_empty();
        Ok(match (is_inside, has_other) {
            (true, true) => Containment::Equal,
            (true, false) => Containment::Subgroup,
            (false, true) => Containment::Supergroup,
            (false, false) => Containment::Incomparable,
        })
    }

    /// The places of the generators of this group that are not elements of the other one.
    ///
    /// # Errors
    ///
    /// When the budget is exhausted.
    ///
    /// # Panics
    ///
    /// When the degrees differ.
    pub fn outside_within(&self, other: &Self, budget: &mut Budget) -> Result<Vec<usize>, BudgetExhausted> {
        assert_eq!(self.degree, other.degree, "groups on the same points");
        let mut outside = Vec::new();
        for (place, generator) in self.generators.iter().enumerate() {
            if !other.contains_within(generator, budget)? {
                outside.push(place);
            }
        }
        Ok(outside)
    }

    /// Whether an element of `ambient` conjugates this group to the other one. At most `most` conjugates are kept.
    ///
    /// # Panics
    ///
    /// When the degrees differ.
    #[must_use]
    pub fn conjugacy_within(&self, other: &Self, ambient: &Self, most: usize, budget: &mut Budget) -> Conjugacy {
        assert!(self.degree == other.degree && self.degree == ambient.degree, "groups on the same points");
        let found = Search { one: self, other, ambient, most }.run(budget).unwrap_or(Conjugacy::Undecided);
        if let Conjugacy::Conjugate(element) = &found {
            let is_right = self.generators.iter().all(|own| other.contains_sparse(&conjugate(own, element)));
            assert!(is_right && ambient.contains(element), "the element conjugates one group to the other");
        }
        found
    }
}

/// The image of a permutation under conjugation: `by` inverse, then the permutation, then `by`.
fn conjugate(permutation: &SparsePermutation, by: &Permutation) -> SparsePermutation {
    let pairs = permutation.pairs().iter().map(|&(from, to)| (by.image(from), by.image(to)));
    SparsePermutation::trusted(pairs.collect())
}

struct Search<'g> {
    one: &'g Group,
    other: &'g Group,
    ambient: &'g Group,
    most: usize,
}

impl Search<'_> {
    fn run(&self, budget: &mut Budget) -> Result<Conjugacy, BudgetExhausted> {
        let degree = self.one.degree;
        if self.one.order_within(budget)? != self.other.order_within(budget)?
            || self.shape(self.one) != self.shape(self.other)
        {
            return Ok(Conjugacy::NotConjugate);
        }
        let goal = self.other.orbits();
        let steps: Vec<Permutation> = self
            .ambient
            .generators
            .iter()
            .map(|step| step.to_dense(degree).expect("a permutation of the points"))
            .collect();
        // Each conjugate as an element that leads to it, and its inverse.
        let mut found: Vec<(Permutation, Permutation)> = Vec::new();
        let mut by_orbits: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        let mut waiting = vec![Permutation::identity(degree)];
        let mut at = 0;
        loop {
            for element in std::mem::take(&mut waiting) {
                budget.spend(4 * degree + self.moved())?;
                let own: Vec<SparsePermutation> =
                    self.one.generators.iter().map(|generator| conjugate(generator, &element)).collect();
                let orbits = UnionFind::of_orbits(degree, &own).least_members();
                if orbits == goal && is_inside(&own, self.other, budget)? {
                    return Ok(Conjugacy::Conjugate(element));
                }
                let known = by_orbits.entry(orbits).or_default();
                let mut is_known = false;
                for &place in known.iter() {
                    let back = &found[place].1;
                    let returned: Vec<SparsePermutation> = own.iter().map(|one| conjugate(one, back)).collect();
                    budget.spend(self.moved())?;
                    if is_inside(&returned, self.one, budget)? {
                        is_known = true;
                        break;
                    }
                }
                if is_known {
                    continue;
                }
                if found.len() == self.most {
                    return Ok(Conjugacy::Undecided);
                }
                known.push(found.len());
                let inverse = element.inverse();
                found.push((element, inverse));
            }
            let Some((element, _)) = found.get(at) else { return Ok(Conjugacy::NotConjugate) };
            at += 1;
            waiting.extend(steps.iter().map(|step| element.then(step)));
        }
    }

    /// The number of pairs of the generators of the first group.
    fn moved(&self) -> usize {
        self.one.generators.iter().map(|generator| generator.pairs().len()).sum()
    }

    /// An invariant under conjugation: for each orbit of the ambient group the sizes of the orbits within it.
    fn shape(&self, group: &Group) -> Vec<(u32, usize)> {
        let mut sizes = vec![0usize; group.degree];
        let least = group.orbits();
        for &member in &least {
            sizes[member as usize] += 1;
        }
        let ambient = self.ambient.orbits();
        let mut shape: Vec<(u32, usize)> = (0..index(group.degree))
            .filter(|&point| least[point as usize] == point)
            .map(|point| (ambient[point as usize], sizes[point as usize]))
            .collect();
        shape.sort_unstable();
        shape
    }
}

fn is_inside(list: &[SparsePermutation], group: &Group, budget: &mut Budget) -> Result<bool, BudgetExhausted> {
    for one in list {
        if !group.contains_within(one, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}
