//! Groups of proved symmetries of a sequential model: the only groups that may be used to reduce it.
//!
//! Candidates are validated one by one, from the text of the process or on its functions; those that pass generate a group. It is cut to
//! the elements that fix each atom of the formulas and each invariant as a whole. The elements act on the functions of these atoms and invariants. The generators of the stabiliser are
//! Schreier's, one per image of the functions and generator, as long as there are few images. Otherwise only the generators that fix all
//! functions are kept, and the group reports that it may be too small.
//!
//! Invariants: every generator passed the validator, or is a product of such, and fixes the properties; the fingerprint is that of the
//! model and the properties.
//!
//! Source: Schreier's lemma.

use csp::Literals;
use engine::{Group, SparsePermutation};
use frontend::sequential::{Property, Sequential};
use limits::Stopped;
use num_bigint::BigUint;
use rustc_hash::FxHashSet;

use super::check::Validator;
use super::diagram::{Dd, Renaming};
use super::equivariance::{Equivariance, Proof};
use super::rejection::Rejection;
use crate::group::{Acting, Fingerprint, GRACE, Prepared, in_time};

/// The most processes of weak fairness on which the group acts.
const MOST_PROCESSES: usize = 1 << 16;

/// The structure that the elements of a group keep, next to the initial states and the properties.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Kept {
    /// They permute the instances of summands: the transitions with their multiplicity, the processes of weak fairness, and independence.
    #[default]
    Instances,
    /// They map the steps of each label, as a set, to those of a label of the same event: reachability, deadlocks, faults and runs. Several
    /// instances that make the same step may go to one, so numbers of transitions, weak fairness and partial order do not follow.
    Steps,
}

/// The requirements on candidates.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct How {
    pub(super) kept: Kept,
    /// Whether elements with one live value are left where they are.
    pub(super) still: bool,
}

/// A candidate that is not in the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// The candidate, on the points of the literals.
    pub permutation: SparsePermutation,
    /// The reason.
    pub reason: Rejection,
}

/// A permutation of literals that may be a symmetry, with the proof by the text of a process if there is one already.
#[derive(Clone, Debug)]
pub struct Candidate {
    permutation: SparsePermutation,
    /// The proof, and the process and properties that it is about.
    proof: Option<(Fingerprint, Proof)>,
}

impl From<SparsePermutation> for Candidate {
    fn from(permutation: SparsePermutation) -> Candidate {
        Candidate { permutation, proof: None }
    }
}

impl Candidate {
    /// The permutation.
    pub fn permutation(&self) -> &SparsePermutation {
        &self.permutation
    }

    /// Known wrong: the same proof, passed off as one of another process.
    #[cfg(test)]
    pub(super) fn passed_off(self, model: &Sequential) -> Candidate {
        let proof = self.proof.map(|(_, proof)| (Fingerprint::of(model, &[] as &[Property]), proof));
        Candidate { proof, ..self }
    }
}

/// The symmetries that the text of a process and of these properties suggests and proves, that fix each atom of the properties, and that
/// move states: not only elements that have one value in all of them.
pub fn proved_by_text(model: &Sequential, properties: &[Property]) -> Vec<Candidate> {
    let text = Equivariance::new(model, properties);
    let (literals, live) = (Literals::new(model), text.live());
    let varies = |point: u32| {
        let (element, _) = literals.literal(point);
        live[element].len() > 1 || literals.is_wide(element)
    };
    let moves_states = |proof: &Proof| proof.permutation.support().any(varies);
    let proofs = text.proposals().into_iter().filter_map(|one| text.prove(&one).map(|proof| (one, proof)));
    let kept: Vec<_> = proofs.filter(|(_, proof)| proof.keeps_properties && moves_states(proof)).collect();
    if kept.is_empty() {
        return Vec::new();
    }
    let of = Fingerprint::of(model, properties);
    kept.into_iter().map(|(permutation, proof)| Candidate { permutation, proof: Some((of, proof)) }).collect()
}

/// For each of these symmetries of a group whether the text proves it, and that it fixes each atom of the properties.
pub fn text_proves(model: &Sequential, properties: &[Property], list: &[SparsePermutation]) -> Vec<bool> {
    let text = Equivariance::new(model, properties);
    list.iter().map(|one| text.again(one).is_some_and(|proof| proof.keeps_properties)).collect()
}

/// As [`text_proves`], for states in which the order does not show in which the quantifiers of the properties take their values: no evaluation of a body for any
/// value faults.
pub fn text_proves_in_any_order(model: &Sequential, properties: &[Property], list: &[SparsePermutation]) -> Vec<bool> {
    let text = Equivariance::new(model, properties).in_any_order();
    list.iter().map(|one| text.again(one).is_some_and(|proof| proof.keeps_properties)).collect()
}

/// Whether the text proves that the image of a step under each of these permutations is a step of the same summand, which runs the same
/// statements but for the order of rounds.
pub fn text_keeps_summands(model: &Sequential, list: &[SparsePermutation]) -> bool {
    let text = Equivariance::new(model, &[]);
    list.iter().all(|one| text.again(one).is_some_and(|proof| proof.keeps_summands))
}

/// For each element a superset of its values in reachable states, ascending; for a wide one its least value.
pub fn live_values(model: &Sequential, properties: &[Property]) -> Vec<Vec<i32>> {
    Equivariance::new(model, properties).live()
}

/// A group of symmetries of one sequential model that fix one set of properties. It acts on the points of [`Literals`].
#[derive(Clone, Debug)]
pub struct ValidatedGroup {
    fingerprint: Fingerprint,
    literals: Literals,
    generators: Vec<SparsePermutation>,
    group: Group,
    with_processes: Option<Group>,
    rejected: Vec<Rejected>,
    model_order: BigUint,
    is_exact: bool,
    stopped: Option<Stopped>,
    /// The live values of each element; empty without candidates.
    live: Vec<Vec<i32>>,
    /// The value of each element that has one in all states; empty without candidates.
    constant: Vec<Option<i32>>,
    kept: Kept,
    /// If its elements keep steps only: the group of those known to permute instances.
    instances: Option<Box<ValidatedGroup>>,
}

impl ValidatedGroup {
    /// Validates candidates of a verified model and cuts the group that they generate to the properties.
    pub fn new(model: &Sequential, properties: &[Property], candidates: Vec<SparsePermutation>) -> ValidatedGroup {
        ValidatedGroup::of_candidates(model, properties, candidates.into_iter().map(Candidate::from).collect())
    }

    /// As `new`; what was proved of this model and these properties is not proved again.
    pub fn of_candidates(model: &Sequential, properties: &[Property], candidates: Vec<Candidate>) -> ValidatedGroup {
        ValidatedGroup::by(model, properties, candidates, How::default())
    }

    /// As `new`, keeping what `how` says.
    pub(super) fn by(
        model: &Sequential,
        properties: &[Property],
        candidates: Vec<Candidate>,
        how: How,
    ) -> ValidatedGroup {
        let (literals, fingerprint) = (Literals::new(model), Fingerprint::of(model, properties));
        let candidates: Vec<Candidate> =
            candidates.into_iter().filter(|candidate| !candidate.permutation.is_identity()).collect();
        let processes = model.fair.map_or(0, |sort| model.domain(sort).size());
        let processes = if processes <= MOST_PROCESSES { processes } else { 0 };
        let (degree, mut follows) = (literals.len() + processes, processes > 0 && how.kept == Kept::Instances);
        let (mut proved, mut rejected): (Vec<Proved>, Vec<Rejected>) = (Vec::new(), Vec::new());
        let mut functions: Option<Validator<'_>> = None;
        let (mut live, mut constant) = (Vec::new(), Vec::new());
        let is_empty = candidates.is_empty();
        // Each candidate counts once it is proved; the rest of the time is for the group.
        let prove = || {
            limits::phase("proving symmetries");
            let mut rest = Vec::new();
            if how.still {
                rest.extend(candidates.into_iter().map(|candidate| candidate.permutation).enumerate());
            } else {
                let text = Equivariance::new(model, properties);
                live = text.live();
                // A wide element has one value in this list, whatever its values.
                let only = |(element, live): (usize, &Vec<i32>)| {
                    live.first().copied().filter(|_| live.len() == 1 && !literals.is_wide(element))
                };
                constant = live.iter().enumerate().map(only).collect();
                for (place, Candidate { permutation, proof }) in candidates.into_iter().enumerate() {
                    let known = proof.filter(|(of, _)| *of == fingerprint).map(|(_, proof)| proof);
                    let Some(Proof { permutation: own, processes, keeps_properties, .. }) =
                        known.or_else(|| text.prove(&permutation))
                    else {
                        rest.push((place, permutation));
                        continue;
                    };
                    // A permutation that moves only literals that never hold is the identity on states.
                    if !own.is_identity() {
                        let processes = follows.then_some(processes);
                        proved.push(Proved { place, own, processes, renaming: None, keeps_properties });
                    }
                }
                if rest.is_empty() && proved.iter().all(|proved| proved.keeps_properties) {
                    return;
                }
            }
            let validator = functions.insert(Validator::new(model, properties));
            live = validator.live();
            constant = (0..literals.elements()).map(|element| validator.constant(element)).collect();
            // Functions of the state show better than the text which literals never hold.
            for proved in &mut proved {
                if let Ok(renaming) = validator.renaming(&proved.own) {
                    proved.own = validator.permutation(&renaming, how.still);
                    proved.renaming = Some(renaming);
                }
            }
            proved.retain(|proved| !proved.own.is_identity());
            for (place, permutation) in rest {
                let checked = match how.kept {
                    Kept::Instances => validator.check(&permutation),
                    Kept::Steps => validator.check_steps(&permutation),
                };
                match checked {
                    Ok(renaming) => {
                        let own = validator.permutation(&renaming, how.still);
                        if !own.is_identity() {
                            let processes = validator.processes().filter(|_| follows);
                            let renaming = Some(renaming);
                            proved.push(Proved { place, own, processes, renaming, keeps_properties: false });
                        }
                    }
                    Err(reason) => rejected.push(Rejected { permutation, reason }),
                }
            }
        };
        let stopped = if is_empty { None } else { limits::share(3, 4, prove).err() };
        let assemble = || {
            proved.sort_by_key(|proved| proved.place);
            // Candidates of the text and of the graph may be the same permutation.
            let mut seen = FxHashSet::default();
            proved.retain(|proved| seen.insert(proved.own.clone()));
            let list: Vec<SparsePermutation> = proved.iter().map(|proved| proved.own.clone()).collect();
            let Prepared { group: whole, generators: many, stopped: cut } = in_time(literals.len(), &list);
            let mut stopped = stopped.or(cut);
            proved.truncate(many);
            follows &= proved.iter().all(|proved| proved.processes.is_some());
            for proved in proved.iter_mut().filter(|_| follows) {
                proved.own = with_processes(model, &literals, proved);
            }
            // The functions of the validator are complete at every point where it can be stopped.
            let (mut followed, is_exact) = stabiliser(functions.as_mut(), degree, &proved, &mut rejected);
            for rejected in &mut rejected {
                rejected.permutation = on_literals(&rejected.permutation, &literals);
            }
            let is_cut = !followed.iter().eq(proved.iter().map(|proved| &proved.own));
            let mut generators: Vec<SparsePermutation> = Vec::new();
            followed.retain(|generator| {
                let own = on_literals(generator, &literals);
                let is_new = !own.is_identity();
                if is_new {
                    generators.push(own);
                }
                is_new || follows
            });
            let model_order = whole.order();
            let group = if is_cut {
                let Prepared { group, generators: many, stopped: cut } = in_time(literals.len(), &generators);
                generators.truncate(many);
                stopped = stopped.or(cut);
                group
            } else {
                whole
            };
            assert_eq!(group.degree(), literals.len(), "the group acts on the literals");
            debug_assert!(!follows || how.kept == Kept::Instances, "only permutations of instances permute processes");
            assert!(live.is_empty() || live.len() == literals.elements(), "every element has its live values");
            assert!(constant.is_empty() || constant.len() == literals.elements(), "every element may be constant");
            debug_assert_eq!(&model_order % group.order(), BigUint::ZERO, "the stabiliser is a subgroup");
            let is_exact = is_exact && stopped.is_none();
            let with_processes = (follows && stopped.is_none()).then(|| generated(degree, &followed));
            ValidatedGroup {
                fingerprint,
                live,
                constant,
                model_order,
                group,
                with_processes,
                literals,
                generators,
                rejected,
                is_exact,
                stopped,
                kept: how.kept,
                instances: None,
            }
        };
        limits::watch().or_afterwards(GRACE).run(assemble).unwrap_or_else(|stopped| stopped.throw())
    }

    /// The same group, which keeps steps only, with one whose elements permute instances.
    pub(super) fn with_instances(self, instances: ValidatedGroup) -> ValidatedGroup {
        assert!(instances.kept == Kept::Instances && instances.fingerprint == self.fingerprint, "of the same question");
        ValidatedGroup { instances: Some(Box::new(instances)), ..self }
    }

    /// The structure that its elements keep.
    pub fn kept(&self) -> Kept {
        self.kept
    }

    /// The group of the elements that are known to permute instances: itself, unless it keeps steps only.
    ///
    /// # Panics
    /// Never: a group that keeps steps only comes with one that permutes instances.
    pub fn of_instances(&self) -> &ValidatedGroup {
        match self.kept {
            Kept::Instances => self,
            Kept::Steps => self.instances.as_deref().expect("a group of steps comes with one of instances"),
        }
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
    pub fn is_for(&self, model: &Sequential, properties: &[Property]) -> bool {
        self.fingerprint == Fingerprint::of(model, properties)
    }

    /// The literals on which the group acts.
    pub fn literals(&self) -> &Literals {
        &self.literals
    }

    /// Generators, none of them the identity.
    pub fn generators(&self) -> &[SparsePermutation] {
        &self.generators
    }

    /// The group on the points of the literals.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The group with its action on the processes of weak fairness, whose points follow those of the literals, in the order of the values
    /// of their sort; `None` where there are none, or where the images of the processes are not known. It may have elements that move
    /// processes only.
    pub fn with_processes(&self) -> Option<&Group> {
        self.with_processes.as_ref()
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
        self.is_exact && !self.rejected.iter().any(|rejected| matches!(rejected.reason, Rejection::NotDecided(_)))
    }

    /// The candidates that are not in the group, with the reasons. Products of candidates that only a property rejects may be in the
    /// group.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// For each element a superset of its values in reachable states, ascending; empty without candidates.
    pub(super) fn live(&self) -> &[Vec<i32>] {
        &self.live
    }

    /// The value of an element that has one in all states; not known without candidates.
    pub(super) fn constant(&self, element: usize) -> Option<i32> {
        self.constant.get(element).copied().flatten()
    }

    /// The orbits of more than one literal, as points, ascending.
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        self.group.moved_orbits()
    }
}

/// A permutation without the points that follow those of the literals.
fn on_literals(permutation: &SparsePermutation, literals: &Literals) -> SparsePermutation {
    let pairs = permutation.pairs().iter().copied().filter(|&(point, _)| (point as usize) < literals.len());
    SparsePermutation::from_pairs(pairs.collect()).expect("literals go to literals")
}

fn generated(degree: usize, generators: &[SparsePermutation]) -> Group {
    Group::from_generators(degree, generators.to_vec()).expect("validated permutations move literals")
}

/// The functions of the properties, moved by an element.
type Keys = Vec<Option<Dd>>;

/// A candidate that passed.
struct Proved {
    /// Its place among the candidates.
    place: usize,
    own: SparsePermutation,
    /// Its action on the processes of weak fairness, where it is known.
    processes: Option<Vec<(i32, i32)>>,
    /// Its action on the functions of the validator.
    renaming: Option<Renaming>,
    /// Whether the text proves that it fixes each atom of the properties.
    keeps_properties: bool,
}

/// The permutation with its action on the processes of weak fairness, whose points follow those of the literals.
fn with_processes(model: &Sequential, literals: &Literals, proved: &Proved) -> SparsePermutation {
    let low = model.fair.map_or(0, |sort| model.domain(sort).bounds().0);
    let point = |process: i32| {
        let place = usize::try_from(i64::from(process) - i64::from(low)).expect("a process");
        u32::try_from(literals.len() + place).expect("processes are bounded")
    };
    let moved = proved.processes.iter().flatten().filter(|(from, to)| from != to);
    let moved = moved.map(|&(from, to)| (point(from), point(to)));
    let pairs = proved.own.pairs().iter().copied().chain(moved).collect();
    SparsePermutation::from_pairs(pairs).expect("processes are permuted")
}

/// The generators of the stabiliser of the properties, and whether they generate all of it.
fn stabiliser(
    validator: Option<&mut Validator<'_>>,
    degree: usize,
    proved: &[Proved],
    rejected: &mut Vec<Rejected>,
) -> (Vec<SparsePermutation>, bool) {
    let Some(validator) = validator else {
        let kept = proved.iter().filter(|proved| proved.keeps_properties).map(|proved| proved.own.clone());
        return (kept.collect(), proved.iter().all(|proved| proved.keeps_properties));
    };
    let own = validator.keys();
    let mut fixing = Vec::new();
    let mut known = true;
    for Proved { own: permutation, renaming, keeps_properties, .. } in proved {
        if *keeps_properties {
            fixing.push(permutation.clone());
            continue;
        }
        let reason = match renaming.as_ref().and_then(|renaming| validator.images(&own, renaming)) {
            Some(images) if images == own => {
                fixing.push(permutation.clone());
                continue;
            }
            Some(images) => Rejection::Property(validator.different(&images).unwrap_or_default().to_owned()),
            None => {
                known = false;
                Rejection::NotDecided("the functions of the properties are too large".to_owned())
            }
        };
        rejected.push(Rejected { permutation: permutation.clone(), reason });
    }
    if fixing.len() == proved.len() {
        return (fixing, true);
    }
    let generators: Vec<SparsePermutation> = proved.iter().map(|proved| proved.own.clone()).collect();
    let (identity, order) = (SparsePermutation::default(), generated(degree, &generators).order());
    let acting = Acting { generators: &generators, identity, degree, embed: &SparsePermutation::clone, order };
    let mut image =
        |keys: &Keys, _: &SparsePermutation, number: usize| validator.images(keys, proved[number].renaming.as_ref()?);
    known.then(|| acting.stabiliser(own, &mut image)).flatten().unwrap_or((fixing, false))
}
