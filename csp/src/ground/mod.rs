//! From static single assignment form to [`Csp`]: grounding replaces the parameters of each summand by values, and turns the guard and
//! the effect of an instance into a few functions of the state before the step.
//!
//! The first stage finds the live values of all elements. The second evaluates each instance that may be enabled: its guard, its faults,
//! its label, and for each element that it may change and each value the condition under which the element has the value afterwards.
//! Elements that the guard forces are constants in the body; an element that is certain to keep its value is not changed. Conditions that
//! read little are joined with the guard, so that two ways to write the same update have one form.
//!
//! An element with only one live value is read all the same, not replaced by its value: it keeps arrays with constant entries together.
//! For the same reason an instance names the elements of this kind that it reads.
//!
//! A summand is *opaque* if it has a `while` loop that may not end after a few rounds, too many combinations, or a condition that is too
//! large: all its instances, and the variables that it names, are mapped to themselves. The rest of the model keeps its symmetry.
//!
//! # Complexity
//!
//! At most [`MAX_CANDIDATES`] combinations of a summand and values for its parameters are tried. The evaluation of the guard runs from
//! left to right and stops where a constant decides, so that meaningless combinations cost little.

mod body;
mod builder;
mod evaluate;
mod indexing;
mod live;
mod orbits;
mod relation;
mod value;
mod wide;

use std::collections::BTreeSet;
use std::rc::Rc;

use frontend::sequential::{Domain, Expr, Initial, Property, Sequential, SortId, SummandId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::condition::{Bounds, Cond, ConditionId, Conditions, Datum, Images, Normaliser, Primes};
use crate::csp::{Claim, Csp, Element, Instance, Opaque, Part};
use crate::project::{Literals, is_wide};
use crate::ssa::SsaSummand;
use body::Versions;
use builder::Builder;
use evaluate::{Evaluator, Reader};
pub use orbits::{Known, Symmetry};
use orbits::{Made, Member, Orbits};
pub use relation::relation;
use value::Value;

/// The most combinations of summands and values for their parameters.
pub const MAX_CANDIDATES: usize = 1 << 20;
/// The most labels that one instance may have.
const MAX_LABELS: usize = 256;
/// A constant element of a larger sort is replaced by its value.
const MAX_CONSTANT_SORT: usize = 256;
/// The most values that all elements have together.
const MAX_LITERALS: usize = 1 << 22;

/// The variables of the model have too many values together: there are no constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the variables have more than {MAX_LITERALS} values together")
    }
}

impl std::error::Error for TooLarge {}

/// A summand with values for its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Candidate {
    summand: SummandId,
    parameters: Vec<i32>,
}

/// The guard and the effect of an instance.
struct Ground {
    enabled: Cond,
    fault: Cond,
    /// The labels with their conditions; `None` if there are too many.
    labels: Option<Vec<(Vec<Datum>, Cond)>>,
    written: Vec<(usize, Rc<Value>)>,
    /// The elements it read.
    read: FxHashSet<usize>,
}

/// The constraints of a process, with the atoms of these properties.
///
/// # Errors
/// When a limit is hit.
pub fn constraints(model: &Sequential, forms: &[SsaSummand], properties: &[&Property]) -> Result<Csp, TooLarge> {
    grounded(model, forms, properties, &[], Primes::default())
}

/// As [`constraints`], where combinations that known symmetries map to each other are evaluated once.
///
/// # Errors
/// As for [`constraints`].
pub fn constraints_of_orbits(
    model: &Sequential,
    forms: &[SsaSummand],
    properties: &[&Property],
    known: &[Known<'_>],
) -> Result<Csp, TooLarge> {
    grounded(model, forms, properties, known, Primes::default())
}

/// As [`constraints`], but large conditions keep the form of their text: the same functions, distinguished by their texts.
///
/// # Errors
/// As for [`constraints`].
pub fn constraints_as_written(
    model: &Sequential,
    forms: &[SsaSummand],
    properties: &[&Property],
) -> Result<Csp, TooLarge> {
    grounded(model, forms, properties, &[], Primes::off())
}

fn grounded(
    model: &Sequential,
    forms: &[SsaSummand],
    properties: &[&Property],
    known: &[Known<'_>],
    mut primes: Primes,
) -> Result<Csp, TooLarge> {
    assert_eq!(forms.len(), model.summands.len(), "every summand has its form");
    limits::phase("writing the model as constraints");
    let sizes = model.element_sorts().into_iter().map(|sort| model.domain(sort));
    let literals: usize = sizes.filter(|domain| !is_wide(domain)).map(Domain::size).sum();
    if literals > MAX_LITERALS {
        return Err(TooLarge);
    }
    let (candidates, mut opaque) = candidates(model);
    opaque.extend((0..).zip(forms).filter(|(_, form)| form.opaque).map(|(place, _)| SummandId(place)));
    let orbits = Orbits::new(&candidates, known);
    let live = live::live(model, forms, &candidates, &orbits, &mut opaque);
    assert_eq!(live.possible.len(), candidates.len(), "every instance was examined");
    let orbits = orbits.filtered(&live.possible);
    let whole = Whole { model, forms, candidates, elements: elements(model, live.values) };
    loop {
        let found = written_down(&whole, properties, &orbits, opaque.clone(), &mut primes);
        if !primes.begin_again() {
            return Ok(found);
        }
    }
}

/// The input of the construction.
struct Whole<'a> {
    model: &'a Sequential,
    forms: &'a [SsaSummand],
    candidates: Vec<Candidate>,
    elements: Vec<Element>,
}

/// The constraints, in the forms that the primes known so far allow.
fn written_down(
    whole: &Whole<'_>,
    properties: &[&Property],
    orbits: &Orbits<'_>,
    mut opaque: BTreeSet<SummandId>,
    primes: &mut Primes,
) -> Csp {
    let Whole { model, candidates, elements, .. } = whole;
    let (literals, known) = (Literals::new(model), orbits.known);
    let mut images: Vec<Images> = known.iter().map(|known| known.images(&literals)).collect();
    let lists: Vec<Rc<[i32]>> = elements.iter().map(|element| element.values.clone().into()).collect();
    let store = Conditions::new(domains(model, &lists).into()).over(&Bounds::of(model));
    let normaliser = Normaliser::new(store, &lists, std::mem::take(primes));
    let mut builder = Builder { model, normaliser, lists: &lists, labels: Vec::new(), known: FxHashMap::default() };
    let mut made = vec![Made::Nothing; candidates.len()];
    for orbit in orbits.each() {
        for &member in orbit {
            let image = builder.imaged(member, &made, whole, known, &mut images);
            made[member.place] = match image {
                Made::Nothing => builder.evaluated(whole, member.place, &mut opaque),
                image => image,
            };
        }
        // What is read and written of elements with one value depends on the order of values: then images disagree.
        if orbit.len() > 1 && !builder.agree(orbit, &made, whole, known, &mut images) {
            for &Member { place, .. } in orbit {
                made[place] = builder.evaluated(whole, place, &mut opaque);
            }
        }
    }
    let instances = made.into_iter().filter_map(|made| match made {
        Made::Instance(instance) if !opaque.contains(&instance.summand) => Some(instance),
        _ => None,
    });
    let instances: Vec<Instance> = instances.collect();
    let (claims, unclear) = builder.claims(properties);
    let as_written = as_written(&builder.normaliser.as_written(), &instances, &claims);
    let labels = builder.labels;
    let ids = (0..model.summands.len()).map(SummandId::from_index);
    let alive: FxHashSet<SummandId> = instances.iter().map(|instance| instance.summand).collect();
    let dead = ids.filter(|id| !alive.contains(id) && !opaque.contains(id)).collect();
    let summands = opaque
        .into_iter()
        .map(|id| Opaque { part: Part::Summand(id), elements: model.elements_of(&model.summand(id).named()) });
    let opaque = summands.chain(unclear).collect();
    *primes = std::mem::take(builder.normaliser.primes());
    let (conditions, terms) = builder.normaliser.into_parts();
    let (terms, atoms) = (terms.list, terms.atoms);
    let starts = model.starts.clone();
    assert!(starts.iter().all(|start| start.len() == elements.len()), "a start has a value for each element");
    let is_known = |instance: &Instance| instance.outputs.iter().all(|output| output.element < elements.len());
    assert!(instances.iter().all(is_known), "an instance changes elements of the state");
    let is_labelled = |&(label, _): &(usize, ConditionId)| label < labels.len();
    assert!(instances.iter().flat_map(|one| one.labels.iter().flatten()).all(is_labelled), "labels are in the list");
    Csp {
        starts,
        conditions,
        terms,
        atoms,
        elements: elements.clone(),
        labels,
        indexed: Vec::new(),
        instances,
        claims,
        opaque,
        dead,
        as_written,
    }
}

/// The parts that refer to a condition with the form of its text.
fn as_written(written: &[bool], instances: &[Instance], claims: &[Claim]) -> Vec<Part> {
    let is_written = |id: ConditionId| written[id.index()];
    let mut summands = BTreeSet::new();
    for instance in instances {
        let outputs = instance.outputs.iter().map(|output| output.when);
        let labels = instance.labels.iter().flatten().map(|&(_, when)| when);
        if outputs.chain(labels).chain([instance.guard, instance.fault]).any(is_written) {
            summands.insert(instance.summand);
        }
    }
    let atoms = claims.iter().filter(|claim| is_written(claim.holds) || is_written(claim.faults));
    let atoms = atoms.map(|claim| Part::Atom(claim.property.clone(), claim.atom));
    summands.into_iter().map(Part::Summand).chain(atoms).collect()
}

/// The values that conditions distinguish: the live ones; for an element with only one live value, all values of its sort, if these are
/// few.
fn domains(model: &Sequential, live: &[Rc<[i32]>]) -> Vec<Rc<[i32]>> {
    let domain = |sort: SortId, list: &Rc<[i32]>| {
        let domain = model.domain(sort);
        let constant = list.len() == 1 && domain.size() <= MAX_CONSTANT_SORT;
        if constant { domain.values().collect() } else { Rc::clone(list) }
    };
    model.element_sorts().into_iter().zip(live).map(|(sort, list)| domain(sort, list)).collect()
}

/// All combinations of summands and values for their parameters, and the summands that have too many.
fn candidates(model: &Sequential) -> (Vec<Candidate>, BTreeSet<SummandId>) {
    let mut list = Vec::new();
    let mut opaque = BTreeSet::new();
    for (index, summand) in model.summands.iter().enumerate() {
        let summand_id = SummandId::from_index(index);
        let domains: Vec<&Domain> = summand.parameters.iter().map(|parameter| model.domain(parameter.sort)).collect();
        let count = domains.iter().try_fold(1usize, |count, domain| count.checked_mul(domain.size()));
        if count.is_none_or(|count| count > MAX_CANDIDATES - list.len()) {
            opaque.insert(summand_id);
            continue;
        }
        let mut combinations: Vec<Vec<i32>> = vec![Vec::new()];
        for domain in domains {
            let extended = combinations.iter().flat_map(|prefix| {
                domain.values().map(|value| prefix.iter().copied().chain([value]).collect::<Vec<i32>>())
            });
            combinations = extended.collect();
        }
        debug_assert_eq!(Some(combinations.len()), count, "every combination of parameters is an instance");
        list.extend(combinations.into_iter().map(|parameters| Candidate { summand: summand_id, parameters }));
    }
    (list, opaque)
}

fn elements(model: &Sequential, live: Vec<Rc<[i32]>>) -> Vec<Element> {
    let mut elements = Vec::with_capacity(live.len());
    let mut live = live.into_iter();
    for variable in &model.variables {
        let domain = model.domain(variable.sort);
        let size = domain.size();
        let wide = is_wide(domain).then(|| domain.bounds());
        for (offset, values) in live.by_ref().take(model.len_of(variable)).enumerate() {
            let initial = match &variable.initial {
                Initial::Any => None,
                Initial::Values(list) => Some(list[offset]),
            };
            elements.push(Element { size, values: values.to_vec(), initial, wide });
        }
    }
    assert!(live.next().is_none(), "every list of live values belongs to an element");
    assert_eq!(elements.len(), model.state_len(), "every element has its live values");
    elements
}

/// Evaluates an instance.
fn ground(model: &Sequential, form: &SsaSummand, candidate: &Candidate, store: &mut Conditions) -> Ground {
    limits::work(64);
    let summand = model.summand(candidate.summand);
    let mut versions = Versions::new(model, form);
    let guard = evaluate(model, store, &versions, &candidate.parameters, &summand.guard).decided(store);
    let enabled = guard.holds(store);
    if enabled == Cond::FALSE {
        let (labels, written) = (Some(Vec::new()), Vec::new());
        return Ground { enabled, fault: guard.fault, labels, written, read: versions.into_read() };
    }
    versions.force(store.forced(enabled));
    let arguments: Vec<Value> = summand
        .arguments
        .iter()
        .map(|argument| evaluate(model, store, &versions, &candidate.parameters, argument))
        .collect();
    let effect = body::effect(model, store, form, &mut versions, &candidate.parameters);
    let wrong = store.or(arguments.iter().map(|argument| argument.fault).chain([effect.fault]));
    let wrong = store.both(enabled, wrong);
    let fault = store.or([guard.fault, wrong]);
    let labels = labels(store, &arguments);
    Ground { enabled, fault, labels, written: effect.written, read: versions.into_read() }
}

fn evaluate<R: Reader>(
    model: &Sequential,
    store: &mut Conditions,
    reader: &R,
    parameters: &[i32],
    expr: &Expr,
) -> Value {
    Evaluator { model, store, reader, scope: parameters.to_vec() }.value(expr)
}

/// The combinations of values of the arguments with their conditions.
fn labels(store: &mut Conditions, arguments: &[Value]) -> Option<Vec<(Vec<Datum>, Cond)>> {
    let mut labels = vec![(Vec::new(), Cond::TRUE)];
    for argument in arguments {
        let mut longer = Vec::new();
        for (prefix, before) in &labels {
            for &(value, when) in &argument.cases {
                let when = store.both(*before, when);
                if when != Cond::FALSE {
                    longer.push((prefix.iter().copied().chain([value]).collect(), when));
                }
            }
        }
        if longer.len() > MAX_LABELS {
            return None;
        }
        labels = longer;
    }
    Some(labels)
}
