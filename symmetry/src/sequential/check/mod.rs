//! [`Validator`]: the decision whether a permutation of literals is a symmetry of a process, without a graph.
//!
//! The validator applies the permutation to the functions of all instances, and compares the images with these functions; instances that are
//! too large for functions it compares as they are written ([`written`]). It is a symmetry if it
//!
//! 1. maps the live literals of each element to all those of one element,
//! 2. maps initial states to initial states: several `init` as a set, one with `*` among them to itself,
//! 3. permutes the instances: for each there is one of the same event whose guard, faults and changes of the state are the images of its
//!    own, and the two kinds have equally many instances,
//! 4. moves labels and processes of weak fairness along: one permutation of each for all instances. Arguments of events that are computed
//!    from wide elements keep their values, in every instance of the event.
//!
//! # Soundness
//!
//! By 1 it permutes the states of live values, by 3 their transitions, with multiplicity, and the faults; 4 keeps labels and
//! processes. Diagrams are canonical, so equal ids are equal functions, and different ids are different functions. When a budget is
//! spent, a solver decides whether the image is one of the functions, and its proofs are checked. When the solver gives up, or when
//! several instances differ by their labels only and the first pairing of them fails, the result is unknown: the candidate is rejected.
//!
//! # Complexity
//!
//! The sizes of the diagrams that the permutation moves, and of those with labels.
//!
//! # Source
//!
//! \[Zha13\] II-C for the definition of a symmetry; the method is ours.

mod kinds;
mod renaming;
mod written;

use std::collections::BTreeMap;

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::{Expr, ExprKind, Property, Sequential, SummandId};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::Checked;

use super::diagram::{Dd, Diagrams, Leaf, Renaming};
use super::instances::{Instance, Instances};
use super::labels::{simple, split, wide_arguments};
use super::pairing::{Label, Member, Pairing};
use super::rejection::Rejection;
use super::relation::{Relation, Wrong};
use super::solved::{Compared, compare};
use kinds::{Kind, Kinds};
use written::{Unmatched, Written};

/// The steps that one candidate may take.
const BUDGET: u64 = 1 << 24;
/// The steps that all candidates may take together.
const WHOLE_BUDGET: u64 = 1 << 26;
/// The most elements of a state that is printed.
const MAX_WITNESS: usize = 12;

/// Validates candidates of one process.
pub(super) struct Validator<'m> {
    model: &'m Sequential,
    literals: Literals,
    instances: Instances,
    /// The instances of each kind; an instance that never runs and never faults has no kind.
    kinds: Kinds,
    /// The instances of summands of which one is too large.
    written: Written,
    /// The elements whose literals must stay fixed, because instances name them that are too large to be compared as they are written.
    fixed: FxHashMap<usize, usize>,
    atoms: Vec<Atom>,
    /// For each event the arguments that some instance computes from wide elements: these keep their values.
    wide: FxHashMap<String, FxHashSet<usize>>,
    budget: u64,
    /// The steps that are left for all candidates together.
    left: u64,
    /// The images of the processes of weak fairness under the last accepted permutation.
    processes: Vec<(i32, i32)>,
    /// The steps of each label, once a candidate must keep them; nothing where they are too large.
    relation: Option<Option<Relation>>,
    wrong: Wrong,
}

/// A condition of a property on one state.
struct Atom {
    property: String,
    /// The function of the condition; `None` if it is too large: then the elements that it names stay fixed.
    truth: Option<Dd>,
    names: Vec<usize>,
}

impl<'m> Validator<'m> {
    /// A validator for a verified process and these properties.
    pub(super) fn new(model: &'m Sequential, properties: &[Property]) -> Validator<'m> {
        Validator::of(model, properties, Instances::new(model), Wrong::default())
    }

    fn of(model: &'m Sequential, properties: &[Property], mut instances: Instances, wrong: Wrong) -> Validator<'m> {
        let mut wide = wide_arguments(model, &instances);
        // The summands of which an instance is too large, and the first such instance of each.
        let mut opaque: BTreeMap<SummandId, usize> = BTreeMap::new();
        for (place, instance) in instances.list.iter().enumerate().filter(|(_, own)| own.behaviour.is_none()) {
            opaque.entry(instance.summand).or_insert(place);
        }
        for summand in opaque.keys().map(|&id| model.summand(id)) {
            let is_computed = |argument: &Expr| {
                !matches!(argument.kind, ExprKind::Int(_) | ExprKind::Member(..) | ExprKind::Parameter(_))
            };
            let computed = (0..).zip(&summand.arguments).filter(|(_, argument)| is_computed(argument));
            for (place, _) in computed {
                wide.entry(summand.event.clone()).or_default().insert(place);
            }
        }
        let (mut written, mut fixed) = (Written::new(instances.list.len(), wrong), FxHashMap::default());
        let none = FxHashSet::default();
        opaque.retain(|&id, &mut place| {
            let is_written = written.add(model, id, wide.get(&model.summand(id).event).unwrap_or(&none));
            if !is_written {
                let elements = model.elements_of(&model.summand(id).named());
                fixed.extend(elements.into_iter().map(|element| (element, place)));
            }
            is_written
        });
        let kind_of = |instance: &Instance| {
            if opaque.contains_key(&instance.summand) {
                return None;
            }
            let behaviour = instance.behaviour.as_ref().filter(|behaviour| behaviour.status != Diagrams::ZERO)?;
            let event = model.summand(instance.summand).event.clone();
            Some((event, behaviour.status, behaviour.outputs.clone()))
        };
        let kinds = Kinds::new(&instances.diagrams, &instances.list, kind_of);
        let atoms = atoms(model, properties, &mut instances);
        let (literals, processes) = (Literals::new(model), Vec::new());
        assert_eq!(instances.initial.len(), literals.elements(), "every element has a start");
        let (budget, left, relation) = (BUDGET, WHOLE_BUDGET, None);
        Validator {
            model,
            literals,
            instances,
            kinds,
            written,
            fixed,
            atoms,
            wide,
            budget,
            left,
            processes,
            relation,
            wrong,
        }
    }

    /// As `new`, with all instances compared as they are written.
    #[cfg(test)]
    pub(super) fn as_written(model: &'m Sequential, properties: &[Property], wrong: Wrong) -> Validator<'m> {
        Validator::of(model, properties, Instances::within(model, 0, csp::growth::Wrong::default()), wrong)
    }

    /// As `new`, with `budget` steps for the images of one candidate.
    #[cfg(test)]
    pub(super) fn with_budget(model: &'m Sequential, properties: &[Property], budget: u64) -> Validator<'m> {
        Validator { budget, ..Validator::new(model, properties) }
    }

    /// The action of a permutation on live literals, if it is a symmetry of the process, whatever the properties.
    pub(super) fn check(&mut self, permutation: &SparsePermutation) -> Result<Renaming, Rejection> {
        let renaming = self.renaming(permutation)?;
        self.check_initial(&renaming)?;
        if let Some((element, place)) = self.moved_name(&renaming) {
            let instance = self.name(&self.instances.list[place]);
            let element = self.model.element_name(element);
            return Err(Rejection::NotDecided(format!(
                "`{instance}` is too large to look into, and `{element}` moves"
            )));
        }
        self.check_instances(&renaming)?;
        Ok(renaming)
    }

    /// As `check`, for permutations that keep the steps of each label as a set, and need not permute instances.
    pub(super) fn check_steps(&mut self, permutation: &SparsePermutation) -> Result<Renaming, Rejection> {
        let renaming = self.renaming(permutation)?;
        self.check_initial(&renaming)?;
        let Validator { model, instances, relation, wrong, .. } = self;
        let relation = relation.get_or_insert_with(|| Relation::new(model, instances, *wrong));
        let Some(relation) = relation else {
            return Err(Rejection::NotDecided("the steps of the process are too large to look into".to_owned()));
        };
        relation.check(&mut instances.diagrams, &renaming)?;
        Ok(renaming)
    }

    /// The same validator with a known-wrong comparison of steps.
    #[cfg(test)]
    pub(super) fn mistaken(self, wrong: Wrong) -> Validator<'m> {
        Validator { wrong, ..self }
    }

    /// The live values of each element; for a wide one its least value, which represents all of them.
    pub(super) fn live(&self) -> Vec<Vec<i32>> {
        let elements = 0..self.literals.elements();
        let live = elements.map(|element| match self.literals.is_wide(element) {
            true => vec![self.literals.literal(self.point(element)).1],
            false => self.instances.diagrams.live(element).to_vec(),
        });
        live.collect()
    }

    /// The action of the last accepted permutation on the processes of weak fairness; `None` without such processes, and where an
    /// instance is too large to be examined.
    pub(super) fn processes(&self) -> Option<Vec<(i32, i32)>> {
        self.model.fair?;
        self.fixed.is_empty().then(|| self.processes.clone())
    }

    fn check_initial(&self, renaming: &Renaming) -> Result<(), Rejection> {
        let initial = &self.instances.initial;
        let Instances { starts, .. } = &self.instances;
        if !starts.is_empty() && initial.iter().all(Option::is_some) {
            let first: Vec<i32> = initial.iter().copied().flatten().collect();
            return self.check_starts(starts.iter().chain([&first]), renaming);
        }
        self.check_starts(starts.iter(), renaming)?;
        for (element, &target) in renaming.elements.iter().enumerate() {
            let value = initial[element].map(|value| renaming.image(element, value));
            if value != initial[target] {
                let say = |element: usize, value: Option<i32>| match value {
                    Some(value) => self.literal(element, value),
                    None => format!("{}=*", self.model.element_name(element)),
                };
                let (literal, image) = (say(element, initial[element]), say(target, value));
                return Err(Rejection::Initial { literal, image, initial: say(target, initial[target]) });
            }
        }
        Ok(())
    }

    /// Checks that a set of states is mapped to itself.
    fn check_starts<'s>(
        &self,
        starts: impl Iterator<Item = &'s Vec<i32>> + Clone,
        renaming: &Renaming,
    ) -> Result<(), Rejection> {
        let all: FxHashSet<&[i32]> = starts.clone().map(Vec::as_slice).collect();
        for (start, number) in starts.zip(1..) {
            let mut image = start.clone();
            assert_eq!(start.len(), renaming.elements.len(), "a start has every element");
            for (element, &value) in start.iter().enumerate() {
                let result = renaming.image(element, value);
                image[renaming.elements[element]] = result;
            }
            if !all.contains(image.as_slice()) {
                return Err(Rejection::Start(number));
            }
        }
        Ok(())
    }

    fn check_instances(&mut self, renaming: &Renaming) -> Result<(), Rejection> {
        let own = std::mem::take(&mut self.kinds);
        let budget = self.budget.min(self.left);
        self.instances.diagrams.begin(budget);
        let result = self.check_kinds(&own, renaming);
        self.left -= budget - self.instances.diagrams.left();
        self.kinds = own;
        result
    }

    fn check_kinds(&mut self, own: &Kinds, renaming: &Renaming) -> Result<(), Rejection> {
        let (mut pairing, mut memo) = (Pairing::default(), FxHashMap::default());
        let matched = self.written.matched(renaming).map_err(|unmatched| self.unmatched(&unmatched))?;
        for matched in matched {
            pairing.add(matched.event, matched.from, matched.to);
        }
        let moved = own.moved(renaming, self.wrong);
        for (number, (kind, members)) in own.list().iter().enumerate() {
            if !moved[number] && own.is_plain(number) {
                continue;
            }
            let instances = &mut self.instances;
            let image = image_of(&mut instances.diagrams, kind, renaming, &mut memo);
            let targets = own.members(&image);
            let mut members_of = |members: &[usize], moved: bool| -> Vec<Member> {
                let members = members.iter().map(|&place| {
                    let instance = &instances.list[place];
                    let behaviour = instance.behaviour.as_ref().expect("opaque instances are of no kind");
                    let labels = behaviour.labels.iter().map(|(arguments, when)| {
                        let diagrams = &mut instances.diagrams;
                        let (kept, free) = split(diagrams, arguments, *when, self.wide.get(&kind.0));
                        let kept = kept.into_iter();
                        let kept = kept.map(|dd| if moved { diagrams.rename(dd, renaming, &mut memo) } else { dd });
                        (kept.collect(), free)
                    });
                    let mut labels: Vec<Label> = labels.collect();
                    labels.sort_unstable();
                    Member { place, labels, process: instance.process }
                });
                members.collect()
            };
            let from = members_of(members, true);
            let to = members_of(targets.unwrap_or(&[]), false);
            if instances.diagrams.exhausted() {
                let to = self.solve_kind(kind, members, own.list(), renaming)?;
                pairing.add(&kind.0, simple(&self.instances, members, kind.1), simple(&self.instances, to, kind.1));
                self.instances.diagrams.exhaust();
                continue;
            }
            let first = &instances.list[members[0]];
            if targets.is_none_or(|targets| targets.len() != members.len()) {
                let found = targets.map_or(0, <[usize]>::len);
                if instances.diagrams.has_atoms() {
                    let name = name(self.model, first);
                    return Err(Rejection::NotDecided(format!(
                        "no instance is said to do what the image of `{name}` does"
                    )));
                }
                return Err(Rejection::Instance { instance: name(self.model, first), alike: members.len(), found });
            }
            pairing.add(&kind.0, from, to);
        }
        self.processes = pairing.solve().map_err(|unpaired| {
            let instance = self.instances.list.get(unpaired.place);
            let instance = self.name(instance.unwrap_or_else(|| self.written.instance(unpaired.place)));
            match unpaired.certain {
                true => Rejection::Label { instance, what: unpaired.what },
                false => {
                    Rejection::NotDecided(format!("no partner was found for `{instance}`, by its {}", unpaired.what))
                }
            }
        })?;
        Ok(())
    }

    /// The reason for a rejection by instances that are compared as they are written.
    fn unmatched(&self, unmatched: &Unmatched<'_>) -> Rejection {
        Rejection::NotDecided(match unmatched {
            Unmatched::Values(instance, element) => {
                let element = self.model.element_name(*element);
                format!("`{}` is too large to look into, and values of `{element}` change", self.name(instance))
            }
            Unmatched::Image(instance) => {
                format!("`{}` is too large to look into, and no other is written as its image", self.name(instance))
            }
        })
    }

    /// The instances that are the images of those of a kind, found by a solver: for images that are too large to be built.
    fn solve_kind<'k>(
        &mut self,
        kind: &Kind,
        members: &[usize],
        kinds: &'k [(Kind, Vec<usize>)],
        renaming: &Renaming,
    ) -> Result<&'k [usize], Rejection> {
        let first = name(self.model, &self.instances.list[members[0]]);
        if self.wide.contains_key(&kind.0) {
            return Err(Rejection::NotDecided(format!("the image of `{first}` is too large")));
        }
        let single = |place: &usize| {
            let behaviour = self.instances.list[*place].behaviour.as_ref();
            // The only label is the one that every run has.
            behaviour.is_some_and(|behaviour| behaviour.labels.len() == 1)
        };
        if !members.iter().all(single) {
            return Err(Rejection::NotDecided(format!("the image of `{first}` is too large")));
        }
        let mut elements: Vec<usize> = kind.2.iter().map(|&(element, _)| renaming.elements[element]).collect();
        elements.sort_unstable();
        let (mut known, mut undecided) = (None, false);
        for (other, targets) in kinds {
            let same = other.0 == kind.0
                && targets.len() == members.len()
                && other.2.iter().map(|output| output.0).eq(elements.iter().copied());
            if !same {
                continue;
            }
            let written = kind.2.iter().map(|&(element, dd)| {
                let target = renaming.elements[element];
                let place =
                    other.2.binary_search_by_key(&target, |output| output.0).expect("the elements are the same");
                (dd, Some(element), other.2[place].1)
            });
            let mut result = Compared::Same;
            for (from, element, to) in [(kind.1, None, other.1)].into_iter().chain(written) {
                result = compare(&mut self.instances.diagrams, renaming, from, element, to, &Checked::default());
                if result != Compared::Same {
                    break;
                }
            }
            match result {
                Compared::Same => return Ok(targets),
                Compared::NotDecided => undecided = true,
                Compared::Different(state) => known = Some(state),
            }
        }
        if undecided {
            return Err(Rejection::NotDecided(format!("the image of `{first}` is too large")));
        }
        let Some(state) = known else {
            return Err(Rejection::Instance { instance: first, alike: members.len(), found: 0 });
        };
        let state = state.into_iter().take(MAX_WITNESS);
        let values = state.map(|(element, place)| self.literal(element, self.instances.diagrams.live(element)[place]));
        Err(Rejection::Refuted { instance: first, state: values.collect::<Vec<String>>().join(", ") })
    }

    /// The functions of the properties: the keys on which a permutation acts.
    pub(super) fn keys(&self) -> Vec<Option<Dd>> {
        self.atoms.iter().map(|atom| atom.truth).collect()
    }

    /// The images of keys; `None` if they are too large.
    pub(super) fn images(&mut self, keys: &[Option<Dd>], renaming: &Renaming) -> Option<Vec<Option<Dd>>> {
        self.instances.diagrams.begin(BUDGET);
        let mut memo = FxHashMap::default();
        assert_eq!(keys.len(), self.atoms.len(), "every atom has a key");
        let mut images = Vec::with_capacity(keys.len());
        for (key, atom) in keys.iter().zip(&self.atoms) {
            images.push(match key {
                Some(dd) => Some(self.instances.diagrams.rename(*dd, renaming, &mut memo)),
                None if atom.names.iter().all(|&element| renaming.fixes(element)) => None,
                None => return None,
            });
        }
        (!self.instances.diagrams.exhausted()).then_some(images)
    }

    /// The property of the first key that differs.
    pub(super) fn different(&self, keys: &[Option<Dd>]) -> Option<&str> {
        assert_eq!(keys.len(), self.atoms.len(), "every atom has a key");
        let mut pairs = self.atoms.iter().zip(keys);
        pairs.find(|(atom, key)| atom.truth != **key).map(|(atom, _)| atom.property.as_str())
    }

    /// The number of kinds that count as not moved; nothing if one of them is not its own image.
    #[cfg(test)]
    pub(super) fn unmoved_kinds(&mut self, renaming: &Renaming) -> Option<usize> {
        let (own, mut memo) = (std::mem::take(&mut self.kinds), FxHashMap::default());
        let moved = own.moved(renaming, self.wrong);
        self.instances.diagrams.begin(BUDGET);
        let diagrams = &mut self.instances.diagrams;
        let unmoved = own.list().iter().zip(&moved).filter(|(_, moved)| !**moved);
        let are_kept: Vec<bool> =
            unmoved.map(|((kind, _), _)| image_of(diagrams, kind, renaming, &mut memo) == *kind).collect();
        self.kinds = own;
        are_kept.iter().all(|kept| *kept).then_some(are_kept.len())
    }

    fn literal(&self, element: usize, value: i32) -> String {
        format!("{}={}", self.model.element_name(element), self.model.element_value(element, value))
    }

    fn name(&self, instance: &Instance) -> String {
        name(self.model, instance)
    }
}

/// The kind of the images of instances.
fn image_of(diagrams: &mut Diagrams, kind: &Kind, renaming: &Renaming, memo: &mut FxHashMap<Dd, Dd>) -> Kind {
    let (event, status, outputs) = kind;
    let status = diagrams.rename(*status, renaming, memo);
    let mut images: Vec<(usize, Dd)> = outputs
        .iter()
        .map(|&(element, dd)| {
            let mut dd = diagrams.rename(dd, renaming, memo);
            if renaming.moves_values() {
                dd = diagrams.map(dd, &|leaf| match leaf {
                    Leaf::Value(value) => Leaf::Value(renaming.image(element, value)),
                    other => other,
                });
            }
            (renaming.elements[element], dd)
        })
        .collect();
    images.sort_unstable();
    debug_assert!(images.windows(2).all(|pair| pair[0].0 < pair[1].0), "two outputs have one image");
    (event.clone(), status, images)
}

fn atoms(model: &Sequential, properties: &[Property], instances: &mut Instances) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for property in properties {
        for expr in property.atoms() {
            let mut names = Default::default();
            expr.add_variables(&mut names);
            let names = model.elements_of(&names);
            atoms.push(Atom { property: property.name.clone(), truth: instances.truth(model, expr), names });
        }
    }
    atoms
}

/// An instance as readable text: `event(parameter=value, ..)`.
fn name(model: &Sequential, instance: &Instance) -> String {
    let summand = model.summand(instance.summand);
    let Some(values) = &instance.parameters else { return summand.event.clone() };
    let values: Vec<String> = summand
        .parameters
        .iter()
        .zip(values)
        .map(|(parameter, &value)| format!("{}={}", parameter.name, model.value_name(parameter.sort, value)))
        .collect();
    if values.is_empty() { summand.event.clone() } else { format!("{}({})", summand.event, values.join(", ")) }
}
