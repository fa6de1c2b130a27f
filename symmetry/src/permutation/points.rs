//! Model permutations as permutations of points, so that the engine's groups give order, orbits and membership.
//!
//! The points are the rebecs of `main`, then the values of each scalar set of each rebec whose state shows them: a state variable
//! or a parameter has the set as its sort or as an axis. Where only known rebecs are grouped by a set, the image of the rebecs
//! decides what the rotation does, so such sets get no points and the embedding is faithful on what happens to states.

use engine::{Permutation, SparsePermutation};
use frontend::model::{Class, Dimension, Model, RebecId, Role, ScalarSetId, Sort, Variable};

use super::{ModelPermutation, has_set, rebecs, sets};
use crate::topology;

/// The points that permutations of a model act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Points {
    rebecs: u32,
    /// `(rebec, set, first point, size)`, ascending by rebec, then by set.
    clusters: Vec<(RebecId, ScalarSetId, u32, u32)>,
    degree: usize,
}

/// Whether states of rebecs of a class show values or positions of a set, known rebecs aside.
fn is_shown(class: &Class, set: ScalarSetId) -> bool {
    let grouped = |variable: &Variable| variable.dimensions.contains(&Dimension::Scalar(set));
    let holds = |variable: &Variable| variable.sort == Sort::Scalar(set);
    let passed = class.servers.iter().flat_map(|server| server.body.parameters());
    class.variables.iter().any(|variable| variable.role == Role::State && (holds(variable) || grouped(variable)))
        || passed.into_iter().any(|parameter| parameter.sort == Sort::Scalar(set))
}

impl Points {
    /// The points of a model.
    pub fn new(model: &Model) -> Points {
        let count = u32::try_from(model.instances.len()).expect("the rebecs of `main` are bounded");
        let mut next = count;
        let mut clusters = Vec::new();
        for rebec in rebecs(model) {
            let class = model.class(model.class_of(rebec));
            for set in sets(model).filter(|&set| has_set(model, rebec, set) && is_shown(class, set)) {
                let size = model.scalar_set(set).size();
                clusters.push((rebec, set, next, size));
                next += size;
            }
        }
        Points { rebecs: count, clusters, degree: next as usize }
    }

    /// How many points there are.
    pub fn degree(&self) -> usize {
        self.degree
    }

    fn first(&self, rebec: RebecId, set: ScalarSetId) -> Option<u32> {
        let found = self.clusters.binary_search_by_key(&(rebec, set), |&(rebec, set, ..)| (rebec, set));
        found.ok().map(|at| self.clusters[at].2)
    }

    /// The point of a value of a scalar set of a rebec, by its place in the set; `None` if states do not show it.
    pub fn scalar(&self, rebec: RebecId, set: ScalarSetId, place: u32) -> Option<u32> {
        self.first(rebec, set).map(|first| first + place)
    }

    /// A permutation as it acts on the points.
    ///
    /// # Panics
    /// If the permutation is of another model.
    pub fn embed(&self, permutation: &ModelPermutation) -> SparsePermutation {
        let mut pairs: Vec<(u32, u32)> =
            (0..self.rebecs).map(|rebec| (rebec, permutation.image(RebecId(rebec)).0)).collect();
        for &(rebec, set, first, size) in &self.clusters {
            let target = self.first(permutation.image(rebec), set).expect("an image has the sets of its rebec");
            let amount = permutation.rotation(rebec, set);
            pairs.extend((0..size).map(|value| (first + value, target + super::add(value, amount, size))));
        }
        SparsePermutation::from_pairs(pairs).expect("a bijection of the points")
    }

    /// The permutation of the model that acts so on the points; `None` if there is none. Sets without points get the least
    /// rotations under which known rebecs fit.
    pub fn lift(&self, model: &Model, permutation: &Permutation) -> Option<ModelPermutation> {
        if permutation.degree() != self.degree {
            return None;
        }
        let images: Vec<RebecId> = (0..self.rebecs).map(|rebec| RebecId(permutation.image(rebec))).collect();
        if images.iter().any(|image| image.0 >= self.rebecs) {
            return None;
        }
        let mut rotations = vec![vec![0; model.scalar_sets.len()]; images.len()];
        for &(rebec, set, first, size) in &self.clusters {
            let target = self.first(images[rebec.index()], set)?;
            let amount = permutation.image(first).checked_sub(target).filter(|&amount| amount < size)?;
            rotations[rebec.index()][set.index()] = amount;
        }
        let mut lifted = ModelPermutation::new(model, images, rotations).ok()?;
        for rebec in rebecs(model) {
            let free = sets(model).filter(|&set| has_set(model, rebec, set) && self.first(rebec, set).is_none());
            topology::fit_rotations(model, &mut lifted, rebec, &free.collect::<Vec<_>>());
        }
        (self.embed(&lifted).to_dense(self.degree).ok()? == *permutation).then_some(lifted)
    }

    /// The name of a point: a rebec, or `rebec.set=value`.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn name(&self, model: &Model, point: u32) -> String {
        if point < self.rebecs {
            return model.rebec_name(RebecId(point));
        }
        let at = self.clusters.partition_point(|&(_, _, first, _)| first <= point) - 1;
        let (rebec, set, first, size) = self.clusters[at];
        assert!(point - first < size, "a point of the model");
        let set = model.scalar_set(set);
        format!("{}.{}={}", model.rebec_name(rebec), set.name, i64::from(set.low) + i64::from(point - first))
    }
}
