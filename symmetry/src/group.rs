//! Groups of proved symmetries: the only groups that may be used for a reduction.
//!
//! Candidates are validated one by one; those that pass generate a group, since automorphisms are closed under composition (\[Jag10\]
//! Theorem 2). The group is then cut to the stabiliser of every invariant and atomic proposition of the properties. The elements act on
//! the keys of the properties (`property.rs`). The generators of the stabiliser of the keys are Schreier's, one per key in the orbit and
//! generator, as long as the orbit is small. Otherwise only the generators that fix all keys are kept, and the group reports that it may
//! be too small.
//!
//! If a limit or a signal stops the proofs, the group is that of the generators proved until then. If it stops the computation of
//! the order, the group is that of fewer of them. In both cases it reports that it may be too small.
//!
//! Invariants: every generator passed the validator, or is a product of such, and fixes the properties. The fingerprint is that of the
//! model and the properties.
//!
//! Source: Schreier's lemma; \[Jag10\] Theorem 2.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use engine::{Budget, Group, SparsePermutation, Structure};
use frontend::model::{Model, PropertySet};
use limits::Stopped;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::permutation::{ModelPermutation, Points};
use crate::property::PropertyKeys;
use crate::validate::{Certificate, Rejection, Validator};

/// The most images of the properties in an exact computation of the stabiliser.
pub const MAX_PROPERTY_IMAGES: usize = 20_000;

/// The bytes of a model that are hashed at once.
const PIECE: usize = 1 << 12;

/// The identification of the model and the properties for which a group was validated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// The fingerprint of a model and its properties.
    pub fn new(model: &Model, properties: &PropertySet) -> Fingerprint {
        Fingerprint::of(model, properties)
    }

    /// The fingerprint of two values.
    pub(crate) fn of(model: &(impl Hash + ?Sized), properties: &(impl Hash + ?Sized)) -> Fingerprint {
        let mut hasher = Fingerprinting::default();
        (model, properties).hash(&mut hasher);
        hasher.pass_on();
        Fingerprint(hasher.hashers.map(|hasher| hasher.finish()))
    }
}

/// Passes what is hashed on to two hashers in large pieces: a model is a great many small ones.
struct Fingerprinting {
    bytes: Vec<u8>,
    hashers: [DefaultHasher; 2],
}

impl Default for Fingerprinting {
    fn default() -> Fingerprinting {
        let hashers = [0, 1].map(|seed: u64| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            hasher
        });
        Fingerprinting { bytes: Vec::with_capacity(PIECE), hashers }
    }
}

impl Fingerprinting {
    fn pass_on(&mut self) {
        self.hashers.iter_mut().for_each(|hasher| hasher.write(&self.bytes));
        self.bytes.clear();
    }
}

impl Hasher for Fingerprinting {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        if self.bytes.len() + bytes.len() > PIECE {
            self.pass_on();
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// That of what was passed on.
    fn finish(&self) -> u64 {
        self.hashers[0].finish()
    }
}

/// The time for the construction of a group after a signal or a limit ended the search for more generators.
pub(crate) const GRACE: Duration = Duration::from_millis(250);

/// The name of a group for reports. If naming takes longer than an eighth of the time that is left, the name is the order.
pub fn name(group: &Group) -> Structure {
    limits::share(1, 8, || group.name()).unwrap_or_else(|_| Structure::Unknown(group.order()))
}

/// A group that is prepared for questions about its elements.
pub(crate) struct Prepared {
    /// The group.
    pub group: Group,
    /// The number of the given generators that it uses.
    pub generators: usize,
    /// The stop because of which it does not use all of them.
    pub stopped: Option<Stopped>,
}

/// The group of the generators. If the preparation takes longer than half of the time that is left, the group uses the first half of the
/// generators, or the first quarter, and so on.
///
/// Soundness: a smaller group is a group of symmetries as well.
pub(crate) fn in_time(degree: usize, generators: &[SparsePermutation]) -> Prepared {
    let mut cut = None;
    let mut many = generators.len();
    loop {
        let group = Group::from_generators(degree, generators[..many].to_vec()).expect("generators move the points");
        let prepare = || {
            limits::phase("computing the order of the group");
            group.prepare(&mut Budget::unlimited())
        };
        match limits::share(1, 2, prepare) {
            Err(stopped) if many > 0 => cut = Some(stopped),
            _ => return Prepared { group, generators: many, stopped: cut },
        }
        many /= 2;
    }
}

/// A candidate that is not in the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// The candidate.
    pub permutation: ModelPermutation,
    /// The reason.
    pub reason: Rejection,
}

/// A group of symmetries of one model that fix one set of properties.
#[derive(Clone, Debug)]
pub struct ValidatedGroup {
    fingerprint: Fingerprint,
    points: Points,
    generators: Vec<ModelPermutation>,
    group: Group,
    certificate: Certificate,
    rejected: Vec<Rejected>,
    model_order: BigUint,
    is_exact: bool,
    stopped: Option<Stopped>,
}

impl ValidatedGroup {
    /// Validates candidates of a verified model and cuts the group that they generate to the properties.
    pub fn new(model: &Model, properties: &PropertySet, candidates: Vec<ModelPermutation>) -> ValidatedGroup {
        limits::phase("proving symmetries");
        let mut certificate = Certificate { keeps_fault_classes: true };
        let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
        // Each candidate counts once it is proved; the rest of the time is for the group.
        let stopped = limits::share(3, 4, || {
            let mut validator = Validator::new(model);
            for permutation in candidates {
                match validator.check(&permutation) {
                    Ok(proved) => {
                        certificate.keeps_fault_classes &= proved.keeps_fault_classes;
                        accepted.push(permutation.simplified(model));
                    }
                    Err(reason) => rejected.push(Rejected { permutation, reason }),
                }
            }
        });
        let stopped = stopped.err();
        let assemble = || ValidatedGroup::of_proved(model, properties, accepted, certificate, rejected, stopped);
        limits::watch().or_afterwards(GRACE).run(assemble).unwrap_or_else(|stopped| stopped.throw())
    }

    /// The group of proved permutations, cut to the properties.
    fn of_proved(
        model: &Model,
        properties: &PropertySet,
        mut accepted: Vec<ModelPermutation>,
        certificate: Certificate,
        mut rejected: Vec<Rejected>,
        stopped: Option<Stopped>,
    ) -> ValidatedGroup {
        let points = Points::covering(model, &accepted);
        let mut all_fit = true;
        accepted.retain(|permutation| match points.embedded(permutation) {
            Some(image) => !image.is_identity(),
            // Its values would coincide with those of another one: the other candidates form a group without it.
            None => {
                all_fit = false;
                rejected.push(Rejected { permutation: permutation.clone(), reason: Rejection::FallsTogether });
                false
            }
        });
        let is_decided = !rejected.iter().any(|rejected| rejected.reason.is_undecided());
        let Prepared { group: whole, generators: many, stopped: cut } = generated_in_time(&points, &accepted);
        let mut stopped = stopped.or(cut);
        accepted.truncate(many);
        let property_keys =
            PropertyKeys::new(model, properties, accepted.iter().any(|permutation| !permutation.is_rotation()));
        let mut is_cut = false;
        for permutation in &accepted {
            if let Some(name) = property_keys.moved_by(permutation) {
                is_cut = true;
                let reason = Rejection::Property(name.to_owned());
                rejected.push(Rejected { permutation: permutation.clone(), reason });
            }
        }
        let (mut generators, is_exact) = stabiliser(&points, &property_keys, accepted, &whole);
        let model_order = whole.order();
        let group = if is_cut {
            let Prepared { group, generators: many, stopped: cut } = generated_in_time(&points, &generators);
            generators.truncate(many);
            stopped = stopped.or(cut);
            group
        } else {
            whole
        };
        assert!(generators.iter().all(|one| property_keys.moved_by(one).is_none()), "a symmetry fixes the properties");
        assert!(group.degree() == points.degree(), "the group acts on the points");
        debug_assert!(generators.iter().all(|one| one.check(model).is_ok()), "a symmetry permutes the model");
        debug_assert_eq!(&model_order % group.order(), BigUint::ZERO, "the stabiliser is a subgroup");
        let is_exact = is_exact && all_fit && is_decided && stopped.is_none();
        let fingerprint = Fingerprint::new(model, properties);
        ValidatedGroup { fingerprint, group, points, generators, certificate, rejected, model_order, is_exact, stopped }
    }

    /// The limit or signal that stopped the proofs before all candidates were examined, or the computation of the order of all proved
    /// candidates.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// The identification of the model and the properties for which the group was validated.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Whether the group was validated for this model and these properties.
    pub fn is_for(&self, model: &Model, properties: &PropertySet) -> bool {
        self.fingerprint == Fingerprint::new(model, properties)
    }

    /// Generators, none of them the identity.
    pub fn generators(&self) -> &[ModelPermutation] {
        &self.generators
    }

    /// Whether some generator moves more than rebecs and rotations (which keep known rebecs in order): values, places of variables,
    /// parameters or servers within rebecs. Code that refers to these has to map them with [`ModelPermutation::expanded`].
    pub fn has_local_maps(&self) -> bool {
        self.generators.iter().any(|generator| !generator.is_rotation())
    }

    /// The group on the [`points`](ValidatedGroup::points).
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The meanings of the points of the group.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The number of elements.
    pub fn order(&self) -> BigUint {
        self.group.order()
    }

    /// The number of elements before the group was cut to the properties.
    pub fn model_order(&self) -> &BigUint {
        &self.model_order
    }

    /// Whether the group contains every element that the accepted candidates generate and that fixes the properties.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The guarantees that hold for every element.
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }

    /// The candidates that are not in the group, with the reasons. Products of candidates that only a property rejects may be in the
    /// group.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// The element that acts on the points as a permutation does. Variables that never change have no points, so that the two may differ in
    /// their values: only the element is proved.
    pub fn element(&self, model: &Model, permutation: &ModelPermutation) -> Option<ModelPermutation> {
        let embedded = self.points.embedded(permutation).filter(|embedded| self.group.contains_sparse(embedded))?;
        self.points.lift(model, &embedded.to_dense(self.points.degree()).ok()?)
    }

    /// Whether an element acts on the points as a permutation does.
    pub fn contains(&self, permutation: &ModelPermutation) -> bool {
        self.points.embedded(permutation).is_some_and(|embedded| self.group.contains_sparse(&embedded))
    }

    /// The orbits of more than one point, by name, each in the order of `main`.
    pub fn orbits(&self, model: &Model) -> Vec<Vec<String>> {
        let names = |orbit: Vec<u32>| orbit.into_iter().map(|point| self.points.name(model, point)).collect();
        self.group.moved_orbits().into_iter().map(names).collect()
    }
}

fn generated_in_time(points: &Points, generators: &[ModelPermutation]) -> Prepared {
    let embedded: Vec<SparsePermutation> = generators.iter().map(|generator| points.embed(generator)).collect();
    in_time(points.degree(), &embedded)
}

/// Generators of the stabiliser of the properties, and whether they generate all of it.
fn stabiliser(
    points: &Points,
    property_keys: &PropertyKeys<'_>,
    generators: Vec<ModelPermutation>,
    whole: &Group,
) -> (Vec<ModelPermutation>, bool) {
    let fixes = |one: &ModelPermutation| property_keys.moved_by(one).is_none();
    let Some(first) = generators.first().filter(|_| !generators.iter().all(fixes)) else { return (generators, true) };
    let identity = first.then(&first.inverse());
    let own = property_keys.keys(&identity);
    let embed = |one: &ModelPermutation| points.embed(one);
    debug_assert!(embed(&identity).is_identity(), "a permutation and its inverse cancel");
    let acting =
        Acting { generators: &generators, identity, degree: points.degree(), embed: &embed, order: whole.order() };
    match acting.stabiliser(own, &mut |_, moved, _| Some(property_keys.keys(moved))) {
        Some((found, is_exact)) => {
            let is_exact = is_exact && found.iter().all(fixes);
            (found.into_iter().filter(fixes).collect(), is_exact)
        }
        None => (generators.into_iter().filter(fixes).collect(), false),
    }
}

/// A symmetry that is composed with others.
pub(crate) trait Composed: Clone {
    /// The product: first this one, then the next.
    fn then(&self, next: &Self) -> Self;
    /// The inverse.
    fn inverse(&self) -> Self;
}

impl Composed for ModelPermutation {
    fn then(&self, next: &Self) -> Self {
        ModelPermutation::then(self, next)
    }

    fn inverse(&self) -> Self {
        ModelPermutation::inverse(self)
    }
}

impl Composed for SparsePermutation {
    fn then(&self, next: &Self) -> Self {
        let mut points: Vec<u32> = self.support().chain(next.support()).collect();
        points.sort_unstable();
        points.dedup();
        let pairs = points.into_iter().map(|point| (point, next.image(self.image(point)))).collect();
        SparsePermutation::from_pairs(pairs).expect("a product of permutations is one")
    }

    fn inverse(&self) -> Self {
        SparsePermutation::inverse(self)
    }
}

/// The generators of a group that acts on the keys of properties.
pub(crate) struct Acting<'a, E> {
    pub(crate) generators: &'a [E],
    pub(crate) identity: E,
    /// The number of points.
    pub(crate) degree: usize,
    /// The action on points.
    pub(crate) embed: &'a dyn Fn(&E) -> SparsePermutation,
    /// The order of the group.
    pub(crate) order: BigUint,
}

impl<E: Composed> Acting<'_, E> {
    /// Generators of the stabiliser of a key, and whether they generate all of it; `None` if the key has too many images, or one is not
    /// known. `image` gives the image of a key under a generator by the product that maps the first key to it, and by the number of the
    /// generator.
    pub(crate) fn stabiliser<K: Clone + Eq + Hash>(
        &self,
        own: K,
        image: &mut dyn FnMut(&K, &E, usize) -> Option<K>,
    ) -> Option<(Vec<E>, bool)> {
        let mut places: FxHashMap<K, usize> = FxHashMap::from_iter([(own.clone(), 0)]);
        let (mut keys, mut elements) = (vec![own], vec![self.identity.clone()]);
        let mut steps: Vec<Vec<usize>> = Vec::new();
        while let Some(key) = keys.get(steps.len()).cloned() {
            let mut row = Vec::with_capacity(self.generators.len());
            for (number, generator) in self.generators.iter().enumerate() {
                let product = elements[steps.len()].then(generator);
                let moved = image(&key, &product, number)?;
                let next = keys.len();
                let place = *places.entry(moved.clone()).or_insert(next);
                if place == next {
                    if next == MAX_PROPERTY_IMAGES {
                        return None;
                    }
                    elements.push(product);
                    keys.push(moved);
                }
                row.push(place);
            }
            steps.push(row);
        }
        Some(self.schreier(&elements, &steps))
    }

    /// Schreier's generators of the stabiliser of the first key: one element per key, and the number of its image under each generator.
    fn schreier(&self, elements: &[E], steps: &[Vec<usize>]) -> (Vec<E>, bool) {
        assert_eq!(elements.len(), steps.len(), "every image has its steps");
        debug_assert!(steps.iter().all(|row| row.len() == self.generators.len()), "every generator makes a step");
        let generated = |list: &[E]| {
            let embedded = list.iter().map(|one| (self.embed)(one)).collect();
            Group::from_generators(self.degree, embedded).expect("points are within the degree")
        };
        let wanted = &self.order / BigUint::from(elements.len());
        let mut found: Vec<E> = Vec::new();
        let mut group = generated(&found);
        for (element, row) in elements.iter().zip(steps) {
            for (generator, &target) in self.generators.iter().zip(row) {
                if group.order() == wanted {
                    return (found, true);
                }
                let fixing = element.then(generator).then(&elements[target].inverse());
                if !group.contains_sparse(&(self.embed)(&fixing)) {
                    found.push(fixing);
                    group = generated(&found);
                }
            }
        }
        (found, group.order() == wanted)
    }
}
