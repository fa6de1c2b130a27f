//! The ample set of a state: stubborn sets grown from each enabled instance, and the conditions on their steps.
//!
//! All steps of a state are made first; the set only selects those that are kept. From each enabled instance whose
//! steps are invisible and lower the rank a set is grown; it is given up as soon as it receives an instance that is
//! enabled and may not be in it, or one that faults. Of the sets with the fewest enabled instances the first one is
//! taken. For a disabled instance the conjunct is chosen that brings in the fewest new instances, the first of
//! several.
//!
//! Invariant: the choice is a function of the values of the state.
//!
//! Complexity: enabled instances times instances of a set, in words of sets.

use std::collections::BTreeSet;

use frontend::sequential::{Formula, Initial, PropertyKind, Sequential, SummandId};
use rustc_hash::FxHashMap;
use symmetry::sequential::ValidatedGroup;

use super::super::body::Parameters;
use super::super::program::compiled;
use super::super::watched::compiled as condition_code;
use super::access::{MOST_VALUES, reads};
use super::independence::{Elements, Independence};
use super::ranking::{NO_LEVEL, Orbits, Ranking};
use super::sets::{has, ones, set};
use super::{Query, Wrong};
use explore::memory::{Footprint, bytes_of};
use explore::reductions::{Outcome, Reduction, ReductionKind};
use explore::states::Layout;

/// The plan of partial order for a process and a question, and the number of its uses.
#[derive(Clone, Debug)]
pub(in super::super) struct Ample<'m> {
    independence: Independence<'m>,
    ranking: Ranking,
    /// By summand the numbers of its instances.
    numbers: Vec<Numbers>,
    /// By instance the elements that it may write and a property reads.
    visible: Vec<Box<[usize]>>,
    registers: usize,
    more_than_deadlock: bool,
    wrong: Wrong,
    /// States that were expanded by some of their steps.
    pub(in super::super) singletons: u64,
    /// Instances that may be in an ample set, by their ranks.
    free: usize,
}

/// The instances of a summand.
#[derive(Clone, Debug)]
enum Numbers {
    /// One for all choices of parameters.
    Family(u32),
    /// By the values of the parameters.
    Each(FxHashMap<Box<[i32]>, u32>),
}

/// Buffers for the choice of an ample set.
#[derive(Debug, Default)]
pub(in super::super) struct Choice {
    /// The instance of each successor.
    pub(in super::super) taken: Vec<u32>,
    /// The instances that fault.
    pub(in super::super) faulting: Vec<u32>,
    /// Whether the state is expanded by some of its steps.
    pub(in super::super) is_reduced: bool,
    enabled: Vec<u64>,
    faults: Vec<u64>,
    fit: Vec<u64>,
    grown: Vec<u64>,
    best: Vec<u64>,
    work: Vec<u32>,
    registers: Vec<i32>,
}

/// A state with its steps.
pub(in super::super) struct Steps<'a> {
    /// The packing of states.
    pub(in super::super) layout: &'a Layout,
    /// The packed state.
    pub(in super::super) current: &'a [u64],
    /// Its values.
    pub(in super::super) state: &'a [i32],
    /// Its packed successors.
    pub(in super::super) words: &'a [u64],
}

impl<'m> Ample<'m> {
    /// Analyses a verified process; nothing if it has too many instances. With a group ranks are those of orbits.
    pub(in super::super) fn new(
        model: &'m Sequential,
        query: Query<'_>,
        group: Option<&ValidatedGroup>,
    ) -> Option<Ample<'m>> {
        let Query { properties, at_images, more_than_deadlock, wrong } = query;
        let bounds: Vec<(i32, usize)> = model
            .element_sorts()
            .into_iter()
            .map(|sort| (model.domain(sort).bounds().0, model.domain(sort).size()))
            .collect();
        let (instances, compiler) = compiled(model);
        let elements = Elements { bounds: &bounds, working: model.working_len() };
        let independence = Independence::new(&instances, elements, wrong)?;
        let mut read = BTreeSet::new();
        properties.iter().for_each(|property| visible(model, &property.kind, bounds.len(), &mut read));
        if at_images.is_some() {
            let elements = orbits(&bounds, at_images).elements;
            let moved: BTreeSet<u32> = read.iter().map(|&element| elements[element]).collect();
            read.extend((0..bounds.len()).filter(|&element| moved.contains(&elements[element])));
        }
        if wrong.nothing_is_visible() {
            read.clear();
        }
        let visible: Vec<Box<[usize]>> = independence
            .parts
            .iter()
            .map(|part| part.writes.iter().copied().filter(|element| read.contains(element)).collect())
            .collect();
        let uses: Vec<u64> = (0..)
            .zip(&visible)
            .map(|(at, visible)| if visible.is_empty() { 1 + 256 / (1 + independence.dependent.count(at)) } else { 0 })
            .collect();
        let orbits = orbits(&bounds, group.filter(|_| !wrong.open_ranks()));
        let ranking = Ranking::new(&independence, &orbits, &first_values(model, &bounds), &uses);
        let mut numbers: Vec<Numbers> =
            (0..model.summands.len()).map(|_| Numbers::Each(FxHashMap::default())).collect();
        for (number, instance) in (0..).zip(&instances) {
            let place = &mut numbers[instance.summand.index()];
            match (&instance.parameters, place) {
                (Parameters::Values(values), Numbers::Each(known)) => {
                    known.insert(values.clone(), number);
                }
                (_, place) => *place = Numbers::Family(number),
            }
        }
        let free =
            ranking.written.iter().zip(&uses).filter(|(written, uses)| !written.is_empty() && **uses > 0).count();
        assert_eq!(independence.parts.len(), instances.len(), "every instance has its part");
        assert_eq!(ranking.written.len(), instances.len(), "every instance has its effect on the rank");
        let registers = compiler.registers;
        Some(Ample {
            independence,
            ranking,
            numbers,
            visible,
            registers,
            more_than_deadlock,
            wrong,
            singletons: 0,
            free,
        })
    }

    /// Whether no instance can ever be in an ample set.
    pub(in super::super) fn is_idle(&self) -> bool {
        self.more_than_deadlock && self.free == 0
    }

    /// The number of an instance that is enabled or faults.
    ///
    /// # Panics
    /// If there is no such instance.
    #[inline]
    pub(in super::super) fn number(&self, summand: SummandId, parameters: &[i32]) -> u32 {
        match &self.numbers[summand.index()] {
            Numbers::Family(number) => *number,
            Numbers::Each(known) => known[parameters],
        }
    }

    /// Whether an ample set is found that leaves out a step; [`Choice::keeps`] gives the kept ones.
    pub(in super::super) fn choose(&self, steps: &Steps<'_>, choice: &mut Choice) -> bool {
        choice.is_reduced = false;
        if choice.taken.len() < 2 {
            return false;
        }
        let words = self.independence.words;
        debug_assert!(words * 64 >= self.independence.parts.len(), "a row has a bit for each instance");
        for row in [&mut choice.enabled, &mut choice.faults, &mut choice.fit] {
            row.clear();
            row.resize(words, 0);
        }
        choice.taken.iter().for_each(|&at| set(&mut choice.enabled, at as usize));
        choice.faulting.iter().for_each(|&at| set(&mut choice.faults, at as usize));
        choice.fit.copy_from_slice(&choice.enabled);
        let stride = steps.layout.stride();
        for (&at, successor) in choice.taken.iter().zip(steps.words.chunks_exact(stride)) {
            if !self.is_fit(steps, at as usize, successor) {
                choice.fit[at as usize / 64] &= !(1 << (at % 64));
            }
        }
        choice.registers.resize(self.registers, 0);
        let mut least = ones(&choice.enabled);
        let mut before = None;
        for seed in 0..choice.taken.len() {
            let at = choice.taken[seed];
            if before.replace(at) == Some(at) || !has(&choice.fit, at as usize) {
                continue;
            }
            if let Some(enabled) = self.grow(steps, at, choice, least) {
                least = enabled;
                std::mem::swap(&mut choice.best, &mut choice.grown);
                choice.is_reduced = true;
                if least == 1 {
                    break;
                }
            }
        }
        let keeps_some = |choice: &Choice| (0..choice.taken.len()).any(|place| choice.keeps(place));
        assert!(!choice.is_reduced || keeps_some(choice), "an ample set has an enabled step");
        choice.is_reduced
    }

    /// Conditions 3 and 4 on one step.
    fn is_fit(&self, steps: &Steps<'_>, at: usize, successor: &[u64]) -> bool {
        let get = |words: &[u64], element: usize| steps.layout.get(words, element);
        let changes = |&element: &usize| get(steps.current, element) != get(successor, element);
        if !self.more_than_deadlock {
            return true;
        }
        !self.visible[at].iter().any(changes) && (self.wrong.no_proviso() || self.lowers(steps, at, successor))
    }

    /// Whether a step lowers the rank.
    fn lowers(&self, steps: &Steps<'_>, at: usize, successor: &[u64]) -> bool {
        let get = |words: &[u64], element: usize| steps.layout.get(words, element) as usize;
        let (mut level, mut change) = (NO_LEVEL, 0i64);
        for &(own, element) in &self.ranking.written[at] {
            if own != level && change != 0 {
                break;
            }
            level = own;
            change += self.ranking.change(element, get(steps.current, element), get(successor, element));
        }
        change < 0
    }

    /// Grows a stubborn set from an instance; returns the number of its enabled instances, if they are fewer than
    /// `most` and may stand for all.
    fn grow(&self, steps: &Steps<'_>, seed: u32, choice: &mut Choice, most: usize) -> Option<usize> {
        let Choice { grown, work, enabled, faults, fit, registers, .. } = choice;
        let all = &self.independence;
        grown.clear();
        grown.resize(all.words, 0);
        set(grown, seed as usize);
        work.clear();
        work.push(seed);
        let mut found = 0;
        while let Some(at) = work.pop() {
            let (row, at, part) = (at, at as usize, &all.parts[at as usize]);
            let is_enabled = has(enabled, at);
            if has(faults, at) && !self.wrong.faults_ignored() || is_enabled && !has(fit, at) {
                return None;
            }
            if is_enabled {
                found += 1;
                if found >= most {
                    return None;
                }
                all.dependent.add(row, grown, work);
            }
            if part.is_family {
                all.enabling.add(part.rest, grown, work);
            } else if !is_enabled && !self.wrong.enabling_forgotten() && !has(faults, at) {
                let mut is_false =
                    |condition: &&u32| all.conditions[**condition as usize].value(steps.state, registers) == Some(0);
                let closed = part.conjuncts.iter().filter(&mut is_false);
                let new = |&condition: &u32| all.enabling.missing(condition, grown);
                let chosen = closed.copied().min_by_key(new).unwrap_or(part.rest);
                all.enabling.add(chosen, grown, work);
            }
        }
        Some(found)
    }

    /// The description in a report.
    pub(in super::super) fn describe(&self) -> Reduction {
        let instances = self.independence.parts.len();
        let free = if self.more_than_deadlock { self.free } else { instances };
        let outcome = Outcome::Instances { expansions: self.singletons, free, instances };
        Reduction { kind: ReductionKind::PartialOrder, outcome }
    }

    /// Bytes held, approximately.
    pub(in super::super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add(self.independence.bytes());
        footprint.add(bytes_of::<i32>(self.independence.parts.len() * 16));
        footprint
    }
}

impl Choice {
    /// Removes the steps.
    pub(in super::super) fn clear(&mut self) {
        self.taken.clear();
        self.faulting.clear();
        self.is_reduced = false;
    }

    /// Whether the successor of a place is kept.
    pub(in super::super) fn keeps(&self, place: usize) -> bool {
        has(&self.best, self.taken[place] as usize)
    }

    /// Bytes held.
    pub(in super::super) fn bytes(&self) -> u64 {
        let rows = [&self.enabled, &self.faults, &self.fit, &self.grown, &self.best];
        let rows = rows.into_iter().map(Vec::capacity).sum();
        bytes_of::<u64>(rows) + bytes_of::<u32>(self.taken.capacity() + self.faulting.capacity() + self.work.capacity())
    }
}

/// The elements that a property reads, into a set.
fn visible(model: &Sequential, kind: &PropertyKind, elements: usize, read: &mut BTreeSet<usize>) {
    let conditions = match kind {
        PropertyKind::Invariant(expr) => vec![expr],
        PropertyKind::Ltl(formula) => Formula::atoms(formula),
        // Every deadlock is kept as a whole state, in which the condition is read.
        PropertyKind::End(_) => Vec::new(),
    };
    conditions.into_iter().for_each(|condition| reads(&condition_code(model, condition).0, elements, read));
}

/// The orbits of literals and elements under a group.
fn orbits(bounds: &[(i32, usize)], group: Option<&ValidatedGroup>) -> Orbits {
    let few = |count: usize| if count <= MOST_VALUES { count } else { 0 };
    let Some(group) = group else {
        let mut next = 0u32;
        let mut fresh = |_| {
            next += 1;
            next
        };
        let literals = bounds.iter().map(|&(_, count)| (0..few(count)).map(&mut fresh).collect()).collect();
        return Orbits { literals, elements: (0..).take(bounds.len()).collect() };
    };
    let (points, least) = (group.literals(), group.group().orbits());
    let literals = bounds.iter().enumerate().map(|(element, &(low, count))| {
        let values = (0..few(count)).map(|at| low + i32::try_from(at).expect("few values"));
        values.map(|value| least[points.point(element, value) as usize]).collect()
    });
    let mut elements: Vec<u32> = (0..).take(bounds.len()).collect();
    let first = |element: usize| points.point(element, bounds[element].0);
    let images: Vec<(usize, usize)> = group
        .generators()
        .iter()
        .flat_map(|generator| {
            (0..bounds.len()).map(|element| (element, points.literal(generator.image(first(element))).0))
        })
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for &(a, b) in &images {
            let low = elements[a].min(elements[b]);
            changed |= elements[a] != low || elements[b] != low;
            (elements[a], elements[b]) = (low, low);
        }
    }
    Orbits { literals: literals.collect(), elements }
}

/// The first value of each element, counted from the least, where there is one.
fn first_values(model: &Sequential, bounds: &[(i32, usize)]) -> Vec<Option<usize>> {
    let mut first = Vec::with_capacity(bounds.len());
    for variable in &model.variables {
        match &variable.initial {
            Initial::Any => first.extend(std::iter::repeat_n(None, model.len_of(variable))),
            Initial::Values(values) => {
                let low = i64::from(bounds[first.len()].0);
                first.extend(values.iter().map(|&value| usize::try_from(i64::from(value) - low).ok()));
            }
        }
    }
    first
}
