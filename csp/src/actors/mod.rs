//! Rebeca models as constraints, and the graph whose automorphisms are their symmetries.
//!
//! The stages are [`Start`] (initial states) -> the values of all elements, as a fixed point, and all paths through all
//! instances ([`space`], `walk.rs`, `analysis.rs`) -> one relation of inputs and effects per instance ([`summary`]) ->
//! [`graph::ActorGraph`]. [`Actors::new`] runs all stages except the graph.
//!
//! A queue is a sequence of messages and is never unrolled: a message is a triple (instance, sender, arguments), and a
//! map of messages maps queues. The graph therefore grows with the text, the number of rebecs and the values that flow,
//! not with the queues.
//!
//! One stand-in per class represents all rebecs that `new` creates. The analysis summarises its servers once, with
//! `self` as a symbol, over all values that such rebecs may hold. The identity of a created rebec in a variable is
//! never known; atoms compare two such names. `new` is part of an effect, with the values that the constructor leaves
//! in the new rebec and the messages that it sends.
//!
//! [`Actors::opaque`] names the parts that cannot be represented: servers with too many paths or with loops that are
//! too long. Such an instance is related by position to all variables and known rebecs of its rebec, which keeps the
//! symmetries that preserve the order of known rebecs.
//!
//! # Soundness
//!
//! The values of elements contain all reachable values, with created rebecs replaced by their stand-ins. A permutation
//! of rebecs, elements, values and instances that maps the summaries, initial states and known rebecs of opaque parts
//! onto each other is an automorphism of the transition system on these values. Soundness does not rest on the graph: a
//! validator compares the summaries.
//!
//! # Source
//!
//! \[Zha13\] IV for the stages; \[Jag10\] 3 for the symmetries that opaque parts keep.

mod analysis;
mod evaluate;
mod perform;
mod saturate;
mod start;
mod walk;

pub mod cube;
pub mod graph;
pub mod print;
pub mod space;
pub mod summary;
pub mod term;

use frontend::model::{Expr, Model, PropertySet, Sort};

pub use analysis::named;
pub use cube::{Cube, Key, Mask};
pub use graph::{ActorGraph, Switches};
pub use space::{Domain, Element, ElementId, Holder, InstanceId, Space};
pub use start::{LocalStart, Message as QueuedMessage, Start, StartState, TooLarge};
pub use summary::{Case, Effect, Message, Receiver, Source};
pub use term::{Operator, Term, TermId, Terms};

use walk::{Path, Walk};

/// The numbers of values that a machine integer may have before it becomes wide. The second is tried if the first leads
/// to too many paths.
const INTEGERS: [usize; 2] = [4, 1];

/// The behaviour of an instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Summary {
    /// Its message is never sent.
    Dead,
    /// It cannot be represented, for this reason.
    Opaque(&'static str),
    /// Its effects with their conditions.
    Cases(Vec<Case>),
}

/// The meaning of an invariant or an atomic proposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The name of the property.
    pub property: String,
    /// The number of the atom in the property, from left to right; 0 for an invariant.
    pub atom: usize,
    /// The condition under which it holds, and the one under which its evaluation faults; or, if it cannot be
    /// represented, the elements that it may read.
    pub says: Result<[Vec<Cube>; 2], Vec<ElementId>>,
    /// Whether the cubes are all prime cubes.
    pub is_prime: bool,
}

/// A model as constraints.
#[derive(Clone, Debug)]
pub struct Actors<'m> {
    /// Elements and instances.
    pub space: Space<'m>,
    /// The terms that summaries and claims use.
    pub terms: Terms,
    /// One summary per instance.
    pub summaries: Vec<Summary>,
    /// The initial states.
    pub start: Start,
    /// One claim per invariant or atom.
    pub claims: Vec<Claim>,
    /// The paths that the summaries were made of, for printing.
    paths: Vec<Vec<Path>>,
}

impl<'m> Actors<'m> {
    /// The constraints of a verified model, with the claims of these properties.
    ///
    /// # Errors
    /// When the model as a whole cannot be represented.
    pub fn new(model: &'m Model, properties: &PropertySet) -> Result<Actors<'m>, TooLarge> {
        let start = start::start(model)?;
        let mut analysis = analysis::analyse(model, &start, INTEGERS[0])?;
        let has_listed = |element: &Element| match &element.domain {
            Domain::Values(values) => matches!(element.sort, Sort::Int(_)) && values.len() > 1,
            Domain::Wide(_) => false,
        };
        let is_opaque = analysis.paths.iter().flatten().any(Result::is_err);
        if is_opaque && analysis.space.elements.iter().any(has_listed) {
            analysis = analysis::analyse(model, &start, INTEGERS[1])?;
        }
        let analysis::Analysis { space, terms, paths } = analysis;
        let summaries = space.all_instances().map(|instance| match &paths[instance.index()] {
            None => Summary::Dead,
            Some(Err(reason)) => Summary::Opaque(reason),
            Some(Ok(paths)) => Summary::Cases(summary::summary(&space, &terms, instance, paths)),
        });
        let summaries = summaries.collect();
        let paths = paths.into_iter().map(|paths| paths.and_then(Result::ok).unwrap_or_default()).collect();
        let mut actors = Actors { space, terms, summaries, start, claims: Vec::new(), paths };
        actors.claims = actors.claims_of(properties);
        debug_assert_eq!(actors.verify(), Vec::<String>::new(), "the constraints are well formed");
        Ok(actors)
    }

    /// The parts that cannot be represented, in names of the model, with reasons.
    pub fn opaque(&self) -> Vec<String> {
        let instances = self.space.all_instances().filter_map(|instance| match self.summaries[instance.index()] {
            Summary::Opaque(reason) => Some(format!("{}: {reason}", self.space.instance_name(instance))),
            _ => None,
        });
        let claims = self.claims.iter().filter(|claim| claim.says.is_err());
        instances.chain(claims.map(|claim| format!("property {}: too many cases", claim.property))).collect()
    }

    /// The parts with conditions that have too many prime cubes: the text of such a condition may hide a symmetry.
    pub fn as_written(&self) -> Vec<String> {
        let instances = self.space.all_instances().filter(|instance| match &self.summaries[instance.index()] {
            Summary::Cases(cases) => cases.iter().any(|case| !case.is_prime),
            Summary::Dead | Summary::Opaque(_) => false,
        });
        let claims = self.claims.iter().filter(|claim| claim.says.is_ok() && !claim.is_prime);
        let claims = claims.map(|claim| format!("property {}", claim.property));
        instances.map(|instance| self.space.instance_name(instance)).chain(claims).collect()
    }

    /// The claims of these properties.
    pub fn claims_of(&mut self, properties: &PropertySet) -> Vec<Claim> {
        let mut claims = Vec::new();
        for property in &properties.properties {
            for (atom, expr) in property.atoms().into_iter().enumerate() {
                let says = self.says(expr);
                let is_prime = says.as_ref().is_ok_and(|says| says.iter().all(|(_, is_prime)| *is_prime));
                let says = says.map(|says| says.map(|(cubes, _)| cubes));
                claims.push(Claim { property: property.name.clone(), atom, says, is_prime });
            }
        }
        claims
    }

    fn says(&mut self, expr: &Expr) -> Result<[(Vec<Cube>, bool); 2], Vec<ElementId>> {
        let Ok(paths) = Walk::new(&self.space, &mut self.terms).values_of(expr) else {
            return Err(self.reads(expr));
        };
        let union = |wanted: Option<bool>| {
            let chosen = paths.iter().filter(|(_, value)| *value == wanted);
            let cubes = chosen.map(|(known, _)| summary::cube(&self.space, known)).collect();
            cube::primes(cubes, &|key| summary::all(&self.space, key))
        };
        Ok([union(Some(true)), union(None)])
    }

    /// The elements that an expression of a property may read.
    fn reads(&self, expr: &Expr) -> Vec<ElementId> {
        let mut found = Vec::new();
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            if let frontend::model::ExprKind::Read(place) = &expr.kind
                && let frontend::model::Base::Remote(rebec, id) = place.base
            {
                let variable = &self.space.class(rebec).variables[id.index()];
                found.extend(variable.elements().map(|element| self.space.state(rebec, element)));
            }
            pending.extend(expr.operands());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
