//! Stubborn sets of processes: the facts about instances of summands, and the conditions of their guards at a state.
//!
//! Soundness: declared sets ([`access`](super::access)) are too large rather than too small. Only conjuncts that cannot
//! fault, at the beginning of a guard, restrict it: as long as one of them is false the guard is false and does not fault.

use std::collections::BTreeSet;

use engine::UnionFind;
use explore::memory::Footprint;
use explore::reductions::Reduction;
use explore::states::Layout;
use frontend::sequential::{Initial, Property, Sequential, SummandId};
use ltl::Property as _;
use rustc_hash::FxHashMap;
use symmetry::sequential::ValidatedGroup;

use super::super::body::Parameters;
use super::super::code::Code;
use super::super::program::compiled;
use super::super::watched::compiled as condition_code;
use super::Query;
use super::access::reads;
use super::chains::{composed, composed_sources, followers};
use super::commuting::{Context, Prover};
use super::effects::Scratch;
use super::facts::{Found, facts};
use super::possible::{Elements, Possible};
use super::split::{Split, split};
use super::value_set::ValueSet;
use crate::stubborn::{self, Asked, Choice, Independence, MOST_INSTANCES, MOST_VALUES, Orbits, Pair, Seen};

/// The plan of partial order for a process and a question, and the number of its uses.
#[derive(Clone, Debug)]
pub(in super::super) struct Ample<'m> {
    pub(in super::super) sets: stubborn::Ample,
    /// The conditions that guards are made of.
    conditions: Vec<Code<'m>>,
    /// By summand the numbers of its instances: those of their first parts.
    numbers: Vec<Numbers>,
    /// By the first part of an instance how it is split, if it has several.
    splits: FxHashMap<u32, Split<'m>>,
    registers: usize,
    /// The values that the facts about instances take for granted.
    possible: Possible,
}

/// The instances of a summand.
#[derive(Clone, Debug)]
enum Numbers {
    /// One for all choices of parameters.
    Family(u32),
    /// By the values of the parameters.
    Each(FxHashMap<Box<[i32]>, u32>),
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
        let Query { properties, at_images, faults, more_than_deadlock, wrong } = query;
        let first = elements(model);
        let bounds = &first.bounds;
        let (instances, compiler) = compiled(model, None);
        if instances.len() > MOST_INSTANCES {
            return None;
        }
        let mut scratch = Scratch::new(model.working_len());
        let possible = Possible::new(&first, &instances, model.turn(), &mut scratch, wrong);
        let parts = split(instances, &possible, query, model.turn().is_some(), &mut scratch);
        let instances = &parts.parts;
        let Found { facts, conditions, kinds, sources } = facts(instances, &possible, &mut scratch)?;
        let mut read = BTreeSet::new();
        properties.iter().for_each(|property| visible(model, property, bounds.len(), &mut read));
        if at_images.is_some() {
            let elements = orbits(bounds, at_images).elements;
            let moved: BTreeSet<u32> = read.iter().map(|&element| elements[element]).collect();
            read.extend((0..bounds.len()).filter(|&element| moved.contains(&elements[element])));
        }
        let followers =
            if wrong.chains_forgotten() { vec![Vec::new(); facts.len()] } else { followers(&facts, model.turn()) };
        let context = Context { followers: &followers, turn: model.turn(), faults, possible: &possible, wrong };
        let mut prover = Prover::new(&parts, context, &mut scratch);
        let mut commute = |pair: Pair<'_>| {
            let may_be_seen = more_than_deadlock && !wrong.seen_commute();
            prover.has_room()
                && !(may_be_seen && pair.shared().any(|element| read.contains(&element)))
                && prover.commute(pair.numbers)
        };
        let facts = composed(facts, &followers, model.turn());
        let sources = composed_sources(sources, &followers);
        let independence = Independence::new(facts, &kinds, sources, bounds.len(), wrong, &mut commute)?;
        let seen = |element| if read.contains(&element) { Seen::Value } else { Seen::Nothing };
        let asked = Asked {
            seen: (0..bounds.len()).map(seen).collect(),
            more_than_deadlock,
            orbits: orbits(bounds, group.filter(|_| !wrong.open_ranks())),
            initial: first_values(model, bounds),
            wrong,
        };
        let mut numbers: Vec<Numbers> =
            (0..model.summands.len()).map(|_| Numbers::Each(FxHashMap::default())).collect();
        for split in &parts.splits {
            let first = split.first();
            let instance = &instances[first as usize];
            let place = &mut numbers[instance.summand.index()];
            match (&instance.parameters, place) {
                (Parameters::Values(values), Numbers::Each(known)) => {
                    known.insert(values.clone(), first);
                }
                (_, place) => *place = Numbers::Family(first),
            }
        }
        assert_eq!(independence.parts.len(), instances.len(), "every instance has its part");
        let sets = stubborn::Ample::new(independence, asked);
        let splits = parts.splits.into_iter().filter(|split| !matches!(split, Split::Part(_)));
        let splits = splits.map(|split| (split.first(), split)).collect();
        Some(Ample { sets, conditions, numbers, splits, registers: compiler.registers, possible })
    }

    /// The number of an instance: that of its first part, until [`Ample::choose`] tells which part stands for it.
    ///
    /// # Panics
    /// If there is no such instance.
    #[inline]
    pub(in super::super) fn number(&self, summand: SummandId, parameters: &[i32]) -> u32 {
        match &self.numbers[summand.index()] {
            Numbers::Family(first) => *first,
            Numbers::Each(known) => known[parameters],
        }
    }

    /// Whether an ample set is found that leaves out a step; [`Choice::keeps`] gives the kept ones.
    pub(in super::super) fn choose(&self, steps: &Steps<'_>, choice: &mut Choice) -> bool {
        let &Steps { layout, current, state, words } = steps;
        assert!(self.possible.has(state), "a stored state has possible values");
        debug_assert!(
            (0..self.possible.elements())
                .all(|at| layout.get(current, at) == state[at].abs_diff(self.possible.bounds(at).0)),
            "the values are those of the packed state"
        );
        if !self.splits.is_empty() {
            for at in choice.taken.iter_mut().chain(&mut choice.faulting) {
                *at = self.splits.get(at).map_or(*at, |split| split.part(state));
            }
        }
        let mut registers = std::mem::take(&mut choice.registers);
        registers.resize(self.registers, 0);
        let mut is_false = |at: u32| self.conditions[at as usize].value(state, &mut registers) == Some(0);
        let is_reduced = self.sets.choose(stubborn::Steps { layout, current, words }, choice, &mut is_false);
        choice.registers = registers;
        is_reduced
    }

    /// The description in a report.
    pub(in super::super) fn describe(&self) -> Reduction {
        self.sets.describe()
    }

    /// Bytes held, approximately.
    pub(in super::super) fn footprint(&self) -> Footprint {
        let mut footprint = self.sets.footprint();
        footprint.add(self.conditions.len() as u64 * 64);
        footprint.add(self.possible.bytes());
        footprint
    }
}

/// By element the least value and the number of values.
pub(super) fn bounds(model: &Sequential) -> Vec<(i32, usize)> {
    let sorts = model.element_sorts();
    sorts.iter().map(|&sort| (model.domain(sort).bounds().0, model.domain(sort).size())).collect()
}

/// The elements that a property reads, into a set.
fn visible(model: &Sequential, property: &Property, elements: usize, read: &mut BTreeSet<usize>) {
    // Every deadlock is kept as a whole state, in which the condition of an end is read.
    let conditions = if property.is_end() { Vec::new() } else { property.atoms() };
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
    let mut elements = UnionFind::new(bounds.len());
    for generator in group.generators() {
        for (element, (at, &(low, _))) in (0..).zip(bounds.iter().enumerate()) {
            let (image, _) = points.literal(generator.image(points.point(at, low)));
            elements.union(element, u32::try_from(image).expect("elements have 32 bits"));
        }
    }
    Orbits { literals: literals.collect(), elements: elements.least_members() }
}

/// The elements of a process, with their values in the first states.
pub(super) fn elements(model: &Sequential) -> Elements {
    let bounds = bounds(model);
    let (mut first, mut variables) = (Vec::with_capacity(bounds.len()), Vec::with_capacity(bounds.len()));
    for (number, variable) in (0..).zip(&model.variables) {
        variables.extend(std::iter::repeat_n(number, model.len_of(variable)));
        let range = model.domain(variable.sort).bounds();
        match &variable.initial {
            Initial::Any => {
                let any = ValueSet::Any.within(range);
                first.extend(std::iter::repeat_n(any, model.len_of(variable)));
            }
            Initial::Values(values) => first.extend(values.iter().map(|&value| ValueSet::of(value))),
        }
    }
    for start in &model.starts {
        first.iter_mut().zip(start).for_each(|(set, &value)| *set = set.union(ValueSet::of(value)));
    }
    Elements { bounds, variables, first }
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
