//! Symmetries that only few places of the text break, and permutations of literals that permutations of values mean.
//!
//! For each class of values that are indices or parameters, the exchanges of neighbours are compared with the constraints of the text,
//! and if many places stand against them, the rotation. If the places are few, they are what keeps the group from being larger.
//!
//! # Soundness
//!
//! Nothing relies on these: they are no symmetries, and no reduction uses them.
//!
//! # Complexity
//!
//! For each class and value one pass over the elements with such values or indices.

use std::collections::{BTreeMap, BTreeSet};

use engine::SparsePermutation;
use frontend::sequential::{SortId, Variable, VariableId};
use frontend::source::Span;

use super::Equivariance;
use super::images::View;
use super::live::Live;
use super::obstacles::{Obstacle, Obstruction};
use super::uses::{Class, Uses};

/// The most places that break a permutation which is still called near.
const MOST_OBSTACLES: usize = 3;

/// The most values of a class for which the permutations are looked at.
const MOST_VALUES: usize = 1 << 10;

/// Permutations of values.
pub(super) type Values = BTreeMap<i32, i32>;

/// All permutations of some values, or their rotations, would be symmetries but for some places.
#[derive(Clone, Debug)]
pub struct NearSymmetry {
    /// The sorts that have these values.
    pub sorts: Vec<SortId>,
    /// The values, ascending.
    pub values: Vec<i32>,
    /// Whether only rotations would be.
    pub is_rotation: bool,
    /// The places, in the order of the text; at least one.
    pub obstacles: Vec<Obstacle>,
    /// Generators of the permutations, on literals.
    pub generators: Vec<SparsePermutation>,
}

impl Equivariance<'_> {
    /// The places that a permutation of literals does not keep, in the order of the text; `None` if it is not made of permutations of the
    /// values of each class.
    pub(in crate::sequential) fn obstacles(&self, permutation: &SparsePermutation) -> Option<Vec<Obstacle>> {
        let uses = self.all_uses();
        let images = |live: &Live| View { model: self.model, literals: &self.literals, live }.images(uses, permutation);
        // A live value may go to one that is not: values that never occur are those of the permutation, too.
        let images = images(&self.live).or_else(|| images(&Live::whole(self.model)))?;
        let mut found = images.initial_obstacles(self.model);
        found.extend(uses.obstacles(self.model, &images));
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// The symmetries that only few places break.
    pub(in crate::sequential) fn near(&self) -> Vec<NearSymmetry> {
        let uses = self.all_uses();
        let found = self.bound(uses).into_iter().filter_map(|class| {
            let values = self.values_of(uses, class)?;
            let exchange = |pair: &[i32]| Values::from([(pair[0], pair[1]), (pair[1], pair[0])]);
            let exchanges: Vec<Values> = values.windows(2).map(exchange).collect();
            let next = values.iter().copied().cycle().skip(1);
            let rotation: Values = values.iter().copied().zip(next).collect();
            let all = self.broken_by_few(uses, class, &exchanges);
            let is_rotation = all.is_none();
            let (obstacles, generators) = all.or_else(|| self.broken_by_few(uses, class, &[rotation]))?;
            let sorts = uses.classes[class as usize].domains.keys().copied().collect::<BTreeSet<_>>();
            let sorts =
                sorts.into_iter().filter(|&sort| values.iter().all(|&value| self.model.domain(sort).contains(value)));
            let near = NearSymmetry { sorts: sorts.collect(), values, is_rotation, obstacles, generators };
            (!near.obstacles.is_empty()).then_some(near)
        });
        let mut found: Vec<NearSymmetry> = found.collect();
        found.sort_by(|one, other| one.obstacles.cmp(&other.obstacles));
        found
    }

    /// The permutation of literals that permutations of the values of sorts mean: the values move wherever the text has values of these sorts.
    ///
    /// # Errors
    /// A variable that has only some of the values, or whose values are never exchanged.
    pub(in crate::sequential) fn of_values(
        &self,
        images: &BTreeMap<SortId, Values>,
    ) -> Result<SparsePermutation, Obstacle> {
        let uses = self.all_uses();
        let maps = (0..).zip(&uses.classes).filter_map(|(class, constraints)| {
            let maps = images.iter().filter(|(sort, _)| constraints.domains.contains_key(sort));
            let map: Values = maps.flat_map(|(_, map)| map.clone()).collect();
            (!map.is_empty()).then_some((class, map))
        });
        let maps: BTreeMap<Class, Values> = maps.collect();
        let is_wide = |variable: &Variable| csp::is_wide(self.model.domain(variable.sort));
        let mut moved = self.model.variables.iter().zip(&uses.values).filter(|(_, class)| maps.contains_key(class));
        match moved.find(|(variable, _)| is_wide(variable)) {
            Some((variable, _)) => Err(Obstacle { span: variable.span, reason: Obstruction::Wide }),
            None => self.induced(uses, &maps),
        }
    }

    /// The classes of indices of variables, of parameters, and of the variables of quantifiers and loops.
    pub(super) fn bound(&self, uses: &Uses) -> BTreeSet<Class> {
        let indices = uses.indices[..self.model.variables.len()].iter().flatten();
        indices.chain(uses.parameters.iter().flatten()).chain(&uses.binders).copied().collect()
    }

    /// The values of a class that lie in all its domains, ascending; `None` if they are too few or too many.
    fn values_of(&self, uses: &Uses, class: Class) -> Option<Vec<i32>> {
        let mut domains = uses.classes[class as usize].domains.keys().map(|&sort| self.model.domain(sort));
        let first = domains.next().filter(|domain| domain.size() <= MOST_VALUES)?;
        let others: Vec<_> = domains.collect();
        let values: Vec<i32> =
            first.values().filter(|&value| others.iter().all(|domain| domain.contains(value))).collect();
        (values.len() > 1).then_some(values)
    }

    /// The places that break permutations of a class, with the permutations; `None` if there are many places.
    fn broken_by_few(
        &self,
        uses: &Uses,
        class: Class,
        maps: &[Values],
    ) -> Option<(Vec<Obstacle>, Vec<SparsePermutation>)> {
        let (mut places, mut generators) = (BTreeSet::new(), Vec::new());
        for map in maps {
            let generator = self.induced(uses, &BTreeMap::from([(class, map.clone())])).ok()?;
            if generator.is_identity() {
                continue;
            }
            places.extend(self.obstacles(&generator)?);
            if places.len() > MOST_OBSTACLES || places.iter().any(|place| place.span == Span::NONE) {
                return None;
            }
            generators.push(generator);
        }
        Some((places.into_iter().collect(), generators))
    }

    /// The permutation of literals that permutations of the values of classes induce.
    pub(super) fn induced(&self, uses: &Uses, maps: &BTreeMap<Class, Values>) -> Result<SparsePermutation, Obstacle> {
        let image =
            |class: Class, value: i32| maps.get(&class).and_then(|map| map.get(&value)).copied().unwrap_or(value);
        let mut pairs = Vec::new();
        let users: BTreeSet<usize> = maps.keys().flat_map(|&class| uses.users(class).iter().copied()).collect();
        for number in users.into_iter().take_while(|&number| number < self.model.variables.len()) {
            let variable = &self.model.variables[number];
            let (class, dimensions) = (uses.values[number], &uses.indices[number]);
            let torn = Obstacle { span: variable.span, reason: Obstruction::Part };
            let domain = self.model.domain(variable.sort);
            let len = self.model.len_of(variable);
            limits::work(len as u64);
            for element in variable.offset..variable.offset + len {
                let (id, indices) = self.model.element(element);
                debug_assert_eq!(id, VariableId::from_index(number));
                let moved: Vec<i32> =
                    dimensions.iter().zip(&indices).map(|(&class, &index)| image(class, index)).collect();
                let target = self.model.element_at(id, &moved).ok_or(torn)?;
                if target == element && !maps.contains_key(&class) {
                    continue;
                }
                if self.literals.is_wide(element) {
                    let least = domain.bounds().0;
                    pairs.push((self.literals.point(element, least), self.literals.point(target, least)));
                    continue;
                }
                for value in domain.values() {
                    let to = image(class, value);
                    if !domain.contains(to) {
                        return Err(torn);
                    }
                    pairs.push((self.literals.point(element, value), self.literals.point(target, to)));
                }
            }
        }
        pairs.retain(|(from, to)| from != to);
        let torn = Obstacle { span: self.model.span, reason: Obstruction::Part };
        SparsePermutation::from_pairs(pairs).map_err(|_| torn)
    }
}
