//! The validator: proves, from the model only, that a permutation commutes with every step and keeps the initial states.
//!
//! Theorem (after \[Jag10\] Theorem 1). Let `pi` keep classes and map initial states to initial states. If for every server, every local
//! state and every message, serving the image gives the images of the outcomes, up to the order of sends to different rebecs, then `pi`
//! is an automorphism: a step of `r` from `s` to `t` is a step of `pi(r)` from `pi(s)` to `pi(t)`.
//!
//! Without rotations that condition holds for every body of the language. Bodies cannot name a rebec: references come from `self`,
//! `sender`, known rebecs, variables, parameters and `new`, all of which `pi` maps. Their uses - sending, storing, passing on, `==`,
//! `instanceof`, casts - depend only on equality and class, and `pi` is injective and keeps classes. Integers never come from rebecs. So
//! `r` and `pi(r)` run in lockstep. Feature variables are constants of the run that `pi` fixes, so they change nothing. The class of a
//! created rebec and the number of earlier creations determine its identity; lockstep runs create in the same order, so `pi` fixes
//! created rebecs and every other argument remains valid.
//!
//! With rotations, scalar expressions are mapped as well, because `+%` and `==` commute with rotations and a literal occurs only in a
//! choice over its whole set. Two things remain. First, `forEachValueOf` runs in ascending order on both sides, so the image runs the
//! rounds in a rotated order: `rounds.rs` proves that any two rounds commute. Second, a scalar that travels to another rebec arrives
//! rotated by the sender's amount and is used with the receiver's: `bodies.rs` requires equal amounts then. In models that create rebecs,
//! rotations are proved on the behaviour of the servers, see below.
//!
//! Initial states: `start.rs`. Symmetries proved on the behaviour of the servers are also tried on states that are reached (`tries.rs`).
//!
//! Permutations that are not rotations are proved on the behaviour of the servers (`summaries.rs`): those of values, positions,
//! parameters and servers within a rebec, and those that change the order of known rebecs. So are rotations of bodies for which the
//! argument above fails, for example where a loop counts and stops early.
//!
//! Faults: a state has a faulting step exactly if its image has. Where the rounds of a loop may fault in different ways, their order may
//! determine the fault that ends the step; [`Certificate::keeps_fault_classes`] is true if that is excluded.
//!
//! Soundness: errs on the side of rejecting. A guarded jump or a fault may leave rounds out, so the image of a call may execute more or
//! fewer statements: rotations are refused where its body might reach the bound on statements.
//!
//! Source: \[Jag10\] Theorems 1 and 2, 3.3.2, Appendix A; docs/soundness on Fig. 6, Definition 14, M09 and M10.

mod access;
mod bodies;
mod rounds;
mod start;
mod summaries;
mod tries;

pub use tries::agree;

use std::fmt;

use frontend::model::{Dialect, Model, PropertySet, RebecId, ScalarSetId};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use crate::permutation::{ModelPermutation, NotAPermutation, has_set, rebecs, sets};
use crate::property::PropertyKeys;
use crate::topology;
use bodies::Traffic;
use summaries::{NOT_DECIDED, NOT_LOOKED_INTO};

mutants::mutants! {
    /// Known-wrong checks of the rounds of loops.
    pub(crate) struct Wrong {
        /// Rounds that are left out do not count for the bound on the statements of a call.
        forgets_length,
        /// A queue that overflows leaves out no rounds.
        forgets_overflow,
    }
}

/// The reason why a candidate is no symmetry, or could not be proved to be one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// It is not a permutation that keeps classes.
    NotAPermutation(NotAPermutation),
    /// The image of a rebec does not know the image of a known rebec of the rebec.
    KnownRebec {
        /// The image.
        rebec: RebecId,
        /// Its known rebec.
        element: String,
    },
    /// The arguments of a rebec and of its image do not correspond.
    Argument {
        /// The image.
        rebec: RebecId,
        /// The parameter.
        parameter: String,
    },
    /// The first value of a grouped variable is not the same at all positions.
    InitialValue {
        /// The rebec.
        rebec: RebecId,
        /// The element.
        element: String,
    },
    /// The constructors reach a state whose image they do not reach, or too many states to compare.
    InitialStates(String),
    /// A rotation is not kept by a body.
    Body {
        /// The rebec whose class has the body.
        rebec: RebecId,
        /// The server, method or constructor.
        body: String,
        /// The reason.
        reason: String,
        /// The statement.
        span: Span,
    },
    /// Scalars of the set travel between rebecs that it rotates by different amounts.
    Travelling {
        /// The set.
        set: ScalarSetId,
        /// Two rebecs with different amounts.
        rebecs: (RebecId, RebecId),
        /// A statement that sends one.
        span: Span,
    },
    /// A rotation in a model that creates rebecs.
    Creation,
    /// The behaviour, the values or the start of a rebec do not correspond to those of its image.
    Behaviour {
        /// The rebec and, if it is one, the server, in names of the model.
        part: String,
        /// The difference.
        reason: String,
    },
    /// It was proved, but the objects that it moves would coincide with those of the other symmetries: these form a group without it.
    FallsTogether,
    /// It does not fix an invariant or an atomic proposition.
    Property(String),
}

/// The proved guarantees of a permutation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Whether a step and its image also fault in the same classes. Otherwise both fault, but one may report an overflow where the other
    /// reports a failed assertion or an error of the same server.
    pub keeps_fault_classes: bool,
}

impl Rejection {
    /// The reason in the names of the model.
    pub fn witness(&self, model: &Model) -> String {
        match self {
            Self::NotAPermutation(error) => error.to_string(),
            Self::KnownRebec { rebec, element } => {
                format!("the known rebec `{}.{element}` is another one", model.rebec_name(*rebec))
            }
            Self::Argument { rebec, parameter } => {
                format!("the argument `{parameter}` of `{}` is another one", model.rebec_name(*rebec))
            }
            Self::InitialValue { rebec, element } => {
                format!("the first value of `{}.{element}` is another one", model.rebec_name(*rebec))
            }
            Self::InitialStates(reason) => reason.clone(),
            Self::Body { rebec, body, reason, .. } => {
                let class = &model.class(model.class_of(*rebec)).name;
                format!("`{class}.{body}` as run by `{}` is not kept: {reason}", model.rebec_name(*rebec))
            }
            Self::Travelling { set, rebecs: (one, other), .. } => format!(
                "scalars of `{}` are sent to other rebecs, but `{}` and `{}` rotate differently",
                model.scalar_set(*set).name,
                model.rebec_name(*one),
                model.rebec_name(*other)
            ),
            Self::Behaviour { part, reason } => format!("`{part}`: {reason}"),
            Self::Creation => "scalar sets are not rotated in models that create rebecs".to_owned(),
            Self::FallsTogether => {
                "it is proved, but left out: with the other symmetries, two values that it moves would coincide"
                    .to_owned()
            }
            Self::Property(text) => format!("the property `{text}` is not fixed"),
        }
    }

    /// Whether the candidate was neither proved nor refuted.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::Behaviour { reason, .. } if reason == NOT_DECIDED || reason == NOT_LOOKED_INTO)
    }

    /// The statement that causes the rejection, if there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Body { span, .. } | Self::Travelling { span, .. } => Some(*span),
            _ => None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

/// Checks permutations of one model with its properties.
pub struct Prover<'m> {
    model: &'m Model,
    properties: &'m PropertySet,
    validator: Validator<'m>,
    /// The keys of the properties as texts, for permutations of rebecs and rotations; and as conditions, for all others.
    keys: [Option<PropertyKeys<'m>>; 2],
}

impl<'m> Prover<'m> {
    /// A prover for a verified model.
    pub fn new(model: &'m Model, properties: &'m PropertySet) -> Prover<'m> {
        Prover { model, properties, validator: Validator::new(model), keys: [None, None] }
    }

    /// Checks that a permutation is an automorphism of the model that fixes its properties.
    ///
    /// # Errors
    /// The reason why it is no symmetry of the model, why the proof failed, or the property that it does not fix.
    pub fn check(&mut self, permutation: &ModelPermutation) -> Result<Certificate, Rejection> {
        let certificate = self.validator.check(permutation)?;
        self.moved_property(permutation).map_or(Ok(certificate), Err)
    }

    /// All that keeps a permutation from being such an automorphism; nothing if it is one. Each known rebec and argument in `main` that it
    /// does not keep, and the first property; if there are none of these, the first other reason.
    pub fn obstacles(&mut self, permutation: &ModelPermutation) -> Vec<Rejection> {
        let Err(rejection) = self.check(permutation) else { return Vec::new() };
        let mut found: Vec<Rejection> = differences(self.model, permutation).collect();
        found.extend(self.moved_property(permutation));
        if found.is_empty() {
            found.push(rejection);
        }
        found
    }

    /// The first property that a permutation does not fix.
    fn moved_property(&mut self, permutation: &ModelPermutation) -> Option<Rejection> {
        let (model, properties, exact) = (self.model, self.properties, !permutation.is_rotation());
        let keys = self.keys[usize::from(exact)].get_or_insert_with(|| PropertyKeys::new(model, properties, exact));
        keys.moved_by(permutation).map(|name| Rejection::Property(name.to_owned()))
    }
}

/// The known rebecs and arguments in `main` that a permutation does not keep.
fn differences(model: &Model, permutation: &ModelPermutation) -> impl Iterator<Item = Rejection> {
    let known = topology::moved_known(model, permutation);
    let arguments = topology::moved_arguments(model, permutation);
    let known = known.map(|(rebec, element)| Rejection::KnownRebec { rebec, element });
    known.chain(arguments.map(|(rebec, parameter)| Rejection::Argument { rebec, parameter }))
}

/// Checks permutations of one model, and keeps the results for bodies.
pub struct Validator<'m> {
    model: &'m Model,
    traffic: Traffic,
    start: start::Start<'m>,
    summaries: summaries::Summaries<'m>,
    tries: tries::Tries<'m>,
    /// The result of the check of the bodies, for a rebec and the sets that it rotates.
    proved: FxHashMap<(RebecId, Vec<ScalarSetId>), Result<Certificate, Rejection>>,
    wrong: Wrong,
}

impl<'m> Validator<'m> {
    /// A validator for a verified model.
    pub fn new(model: &'m Model) -> Validator<'m> {
        let traffic = Traffic::new(model);
        let (start, summaries) = (start::Start::new(model), summaries::Summaries::new(model));
        let (tries, proved) = (tries::Tries::new(model), FxHashMap::default());
        Validator { model, traffic, start, summaries, tries, proved, wrong: Wrong::default() }
    }

    /// Checks that a permutation is an automorphism of the model.
    ///
    /// # Errors
    /// The reason why it is none, or why the proof failed.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof.
    pub fn check(&mut self, permutation: &ModelPermutation) -> Result<Certificate, Rejection> {
        let model = self.model;
        permutation.check(model).map_err(Rejection::NotAPermutation)?;
        if !permutation.is_rotation() {
            return self.by_summaries(permutation);
        }
        match self.by_text(permutation) {
            // Arguments of constructors only matter through the state after the constructors.
            Err(rejection @ Rejection::Argument { .. }) if model.dialect == Dialect::Rebeca21 => {
                self.by_summaries(permutation).map_err(|_| rejection)
            }
            // Rounds that depend on each other may have the same effect in another order all the same.
            Err(rejection @ (Rejection::Body { .. } | Rejection::Creation)) => {
                self.by_summaries(permutation).map_err(|other| match other {
                    Rejection::Behaviour { ref reason, .. } if reason == NOT_DECIDED => other,
                    _ => rejection,
                })
            }
            decided => decided,
        }
    }

    /// Whether the text proves that a permutation is an automorphism of the model, without the behaviour of the servers.
    pub fn text_proves(&mut self, permutation: &ModelPermutation) -> bool {
        permutation.check(self.model).is_ok() && permutation.is_rotation() && self.by_text(permutation).is_ok()
    }

    /// Proves a permutation of rebecs with rotations by the text.
    fn by_text(&mut self, permutation: &ModelPermutation) -> Result<Certificate, Rejection> {
        debug_assert!(permutation.is_rotation(), "the text says nothing about local maps");
        let model = self.model;
        if let Some(rejection) = differences(model, permutation).next() {
            return Err(rejection);
        }
        if let Some((rebec, element)) = topology::moved_initial(model, permutation) {
            return Err(Rejection::InitialValue { rebec, element });
        }
        let certificate = match permutation.rotates() {
            true => self.rotations(permutation)?,
            false => Certificate { keeps_fault_classes: true },
        };
        self.start.check(permutation)?;
        Ok(certificate)
    }

    /// Proves a permutation on the behaviour of the servers, and tries it.
    fn by_summaries(&mut self, permutation: &ModelPermutation) -> Result<Certificate, Rejection> {
        let certificate = self.summaries.check(permutation)?;
        self.tries.agree(permutation, certificate);
        Ok(certificate)
    }

    /// As `new`, but conditions are not compared: those with different cubes are not decided.
    #[cfg(test)]
    pub(crate) fn without_comparisons(model: &'m Model) -> Validator<'m> {
        let mut validator = Validator::new(model);
        validator.summaries.give_up_comparing();
        validator
    }

    /// The same validator, with known-wrong checks.
    #[cfg(test)]
    pub(crate) fn mistaken(self, wrong: Wrong) -> Validator<'m> {
        Validator { wrong, ..self }
    }

    /// As `new`, with constraints that are not those of the model.
    #[cfg(test)]
    pub(crate) fn with_actors(model: &'m Model, actors: csp::actors::Actors<'m>) -> Validator<'m> {
        let mut validator = Validator::new(model);
        validator.summaries.assume(actors);
        validator
    }

    /// Whether the bodies keep a rotation, by their text only, without values.
    pub(crate) fn rotations(&mut self, permutation: &ModelPermutation) -> Result<Certificate, Rejection> {
        let model = self.model;
        if !model.creatable.is_empty() {
            return Err(Rejection::Creation);
        }
        for set in sets(model) {
            let Some(span) = self.traffic.sends(set) else { continue };
            let mut owners = rebecs(model).filter(|&rebec| has_set(model, rebec, set));
            let Some(first) = owners.next() else { continue };
            let amount = permutation.rotation(first, set);
            if let Some(other) = owners.find(|&other| permutation.rotation(other, set) != amount) {
                return Err(Rejection::Travelling { set, rebecs: (first, other), span });
            }
        }
        let mut keeps_fault_classes = true;
        for rebec in rebecs(model) {
            let rotated: Vec<ScalarSetId> = permutation.rotated(rebec).collect();
            if rotated.is_empty() {
                continue;
            }
            let key = (rebec, rotated);
            let proved = match self.proved.get(&key) {
                Some(proved) => proved.clone(),
                None => {
                    let proved = bodies::check(model, rebec, &key.1, self.wrong);
                    self.proved.insert(key, proved.clone());
                    proved
                }
            };
            keeps_fault_classes &= proved?.keeps_fault_classes;
        }
        Ok(Certificate { keeps_fault_classes })
    }
}
