//! Partial order reduction of models of Murphi: the facts about instances of rules by which stubborn sets are chosen
//! ([`stubborn`](crate::stubborn): the conditions and why they suffice).
//!
//! An instance is a rule with values of the rulesets at the beginning of its header; where a choice or a ruleset follows an alias, it is
//! a family of all instances inside. Elements are cells, their values the contents of the packing, so that `undefined` is one of them.
//! A cell is always defined if each cell of its orbit is defined in every start and no instance makes one undefined.
//!
//! Soundness: what an instance reads and writes is walked in its text (`footprint`), too much rather than too little; where assumptions exclude
//! steps, every instance reads what they read. A guard is known by its leading conjuncts on one cell (`guards`); whatever else it
//! depends on counts as read. Deadlock as a state all of whose steps stay requires the cycle proviso. With a quotient the ranks are those of orbits; multisets
//! have no rank, since they are sorted after an exchange. The quotient is one that is proved from the text alone: the order of loops is not
//! watched in states that are left out.
//!
//! Not done: formulas, `cover` and `liveness`, whose runs are whole; invariants at images of states.

mod footprint;
mod guards;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use engine::UnionFind;
use explore::memory::Footprint;
use explore::reductions::Reduction;
use frontend::murphi::interpret::starts;
use frontend::murphi::program::{BinderValues, Claim, ClaimKind, Header, Program, Rule, TypeId, TypeKind};
use frontend::murphi::syntax::ast::PropertyKind;
use rustc_hash::FxHashMap;

use self::footprint::{Effects, Values, Walk, returns};
use self::guards::{Sight, Test, conjuncts, test};
use super::code::UNDEFINED;
use super::packing::{Packing, value};
use super::symmetry::Symmetry;
use crate::stubborn::{
    self, Among, Asked, Condition, Facts, Independence, MOST_INSTANCES, MOST_VALUES, Orbits, Seen, Track,
};
pub(super) use crate::stubborn::{Choice, Wrong};

/// The part of the question that partial order depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'q> {
    /// The claims that the search answers.
    pub(super) claims: &'q [Claim],
    /// The quotient.
    pub(super) symmetry: Option<&'q Symmetry>,
    /// Whether the question contains more than states without steps.
    pub(super) more_than_deadlock: bool,
    /// Known-wrong variants.
    pub(super) wrong: Wrong,
}

/// The plan of partial order for a model and a question, and the number of its uses.
#[derive(Clone, Debug)]
pub(super) struct Ample {
    pub(super) sets: stubborn::Ample,
    /// By condition the contents of cells for which it may not be false.
    conditions: Vec<Vec<Among>>,
    /// By rule the numbers of its instances.
    numbers: Vec<Numbers>,
}

/// The instances of a rule, by the values of its first rulesets.
#[derive(Clone, Debug)]
struct Numbers {
    rulesets: usize,
    known: FxHashMap<Box<[i32]>, u32>,
}

/// An instance before it is related to others.
struct Instance {
    effects: Effects,
    /// The leading conjuncts of its guard that are tests.
    tests: Vec<Test>,
    is_family: bool,
}

/// What is known of the instances of a model.
struct Found {
    facts: Vec<Facts>,
    conditions: Vec<Condition>,
    numbers: Vec<Numbers>,
    /// The first start.
    first: Option<Vec<i64>>,
}

impl Found {
    /// Walks the text of all rules; nothing if there are too many instances. `orbits` has the orbit of each cell.
    fn new(program: &Program, packing: &Packing, early: &[bool], orbits: &[u32], wrong: Wrong) -> Option<Found> {
        let mut found = Vec::new();
        let mut numbers = Vec::with_capacity(program.rules.len());
        let mut visits = 0;
        for rule in &program.rules {
            numbers.push(instances(program, packing, &Text { rule, early }, &mut found, &mut visits)?);
        }
        let assumed = if wrong.assumptions_forgotten() { BTreeSet::new() } else { assumed(program, early) };
        found.iter_mut().for_each(|instance| instance.effects.reads.extend(assumed.iter().copied()));
        let first: Vec<Vec<i64>> = starts(program)
            .into_iter()
            .filter_map(|start| Some(start.result.ok()?.into_iter().map(value).collect()))
            .collect();
        let mut undefined = undefined(orbits, &found, &first);
        if wrong.undefined_forgotten() {
            undefined.fill(false);
        }
        let mut known = Conditions::default();
        let facts = found.into_iter().map(|instance| known.facts(packing, instance, &undefined)).collect();
        Some(Found { facts, conditions: known.list, numbers, first: first.into_iter().next() })
    }
}

impl Ample {
    /// Analyses a model; nothing if it has too many instances.
    pub(super) fn new(program: &Program, packing: &Packing, query: Query<'_>) -> Option<Ample> {
        let Query { claims, symmetry, more_than_deadlock, wrong } = query;
        let early: Vec<bool> = program.procedures.iter().map(|procedure| returns(&procedure.body)).collect();
        let closed = orbits(program, packing, symmetry);
        let Found { facts, conditions, numbers, first } =
            Found::new(program, packing, &early, &closed.elements, wrong)?;
        let count = facts.len();
        let independence = Independence::new(facts, &conditions, Vec::new(), program.cells(), wrong, &mut |_| false)?;
        let is_known = |of: &Numbers| of.known.values().all(|&number| (number as usize) < count);
        assert!(numbers.iter().all(is_known), "each choice of values has the facts of its instance");
        let mut sight = Sight { packing, seen: vec![Seen::Nothing; program.cells()] };
        for claim in claims {
            if let ClaimKind::Invariant(index) = claim.kind {
                let property = &program.properties[index];
                sight.property(&mut Walk::new(program, &property.frame, &early), property);
            }
        }
        let asked = Asked {
            seen: sight.seen,
            more_than_deadlock,
            orbits: if wrong.open_ranks() { orbits(program, packing, None) } else { closed },
            initial: (0..program.cells())
                .map(|at| first.as_ref().map(|first| packing.content(at, first[at]) as usize))
                .collect(),
            wrong,
        };
        let conditions = conditions.into_iter().map(|condition| match condition {
            Condition::Enters(list) => list,
            Condition::Reads(_) => Vec::new(),
        });
        Some(Ample { sets: stubborn::Ample::new(independence, asked), conditions: conditions.collect(), numbers })
    }

    /// The number of an instance that is enabled or faults, by its rule and the values of its header.
    ///
    /// # Panics
    /// If there is no such instance.
    #[inline]
    pub(super) fn number(&self, rule: usize, values: &[i32]) -> u32 {
        let Numbers { rulesets, known } = &self.numbers[rule];
        known[&values[..*rulesets]]
    }

    /// Whether an ample set is found that leaves out a step; [`Choice::keeps`] gives the kept ones.
    pub(super) fn choose(&self, packing: &Packing, current: &[u64], words: &[u64], choice: &mut Choice) -> bool {
        let steps = stubborn::Steps { layout: &packing.layout, current, words };
        let mut is_false = |at: u32| {
            let list = &self.conditions[at as usize];
            list.iter().all(|among| among.values >> packing.layout.get(current, among.element) & 1 == 0)
        };
        self.sets.choose(steps, choice, &mut is_false)
    }

    /// The description in a report.
    pub(super) fn describe(&self) -> Reduction {
        self.sets.describe()
    }

    /// Bytes held, approximately.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = self.sets.footprint();
        footprint.add(self.conditions.len() as u64 * 64);
        footprint
    }
}

/// A rule, and which procedures end early.
struct Text<'p> {
    rule: &'p Rule,
    early: &'p [bool],
}

/// Appends the instances of a rule; nothing if there are too many.
fn instances<'p>(
    program: &'p Program,
    packing: &Packing,
    Text { rule, early }: &Text<'p>,
    found: &mut Vec<Instance>,
    visits: &mut u64,
) -> Option<Numbers> {
    let mut known = FxHashMap::default();
    let lists: Vec<Vec<i32>> = rule.header.iter().map_while(|construct| ruleset(program, construct)).collect();
    let rest = &rule.header[lists.len()..];
    let is_family = rest.iter().any(|construct| !matches!(construct, Header::Alias(_)));
    let count = lists.iter().try_fold(1usize, |count, list| count.checked_mul(list.len()))?;
    if count > MOST_INSTANCES.checked_sub(found.len())? {
        return None;
    }
    let ends_early = returns(&rule.body);
    let mut digits = vec![0; lists.len()];
    for _ in 0..count {
        let values: Box<[i32]> = lists.iter().zip(&digits).map(|(list, &digit): (_, &usize)| list[digit]).collect();
        let mut walk = Walk::new(program, &rule.frame, early);
        walk.visits = *visits;
        for (construct, &value) in rule.header.iter().zip(&values) {
            if let Header::For(binder) = construct {
                walk.set(binder.local, Some(value));
            }
        }
        walk.header(rest);
        let mut tests = Vec::new();
        if let Some(guard) = &rule.guard {
            // An alias is found before the guard is evaluated.
            if !is_family && !walk.may_fault {
                tests.extend(conjuncts(guard).into_iter().map_while(|conjunct| test(&mut walk, packing, conjunct)));
            }
            walk.expr(guard);
        }
        walk.body(&rule.body, !ends_early);
        *visits = walk.visits;
        if Walk::is_over(*visits) {
            return None;
        }
        known.insert(values, u32::try_from(found.len()).expect("few instances"));
        found.push(Instance { effects: walk.effects, tests, is_family });
        for (digit, list) in digits.iter_mut().zip(&lists).rev() {
            *digit = (*digit + 1) % list.len();
            if *digit != 0 {
                break;
            }
        }
    }
    assert_eq!(known.len(), count, "each choice of values has its own instance");
    Some(Numbers { rulesets: lists.len(), known })
}

/// The values of a ruleset, if they are known.
fn ruleset(program: &Program, construct: &Header) -> Option<Vec<i32>> {
    let Header::For(binder) = construct else { return None };
    match &binder.values {
        BinderValues::Type(of) => Some(program.types.values(*of).into_iter().flatten().collect()),
        BinderValues::Steps(steps) => steps.constant_values(),
    }
}

/// The cells that the assumptions of a model read.
fn assumed(program: &Program, early: &[bool]) -> BTreeSet<usize> {
    let assumptions = program.properties.iter().filter(|property| property.kind == PropertyKind::Assume);
    let reads = assumptions.map(|property| {
        let mut walk = Walk::new(program, &property.frame, early);
        walk.header(&property.header);
        walk.expr(&property.condition);
        walk.effects.reads
    });
    reads.flatten().collect()
}

/// The cells that may be undefined, in a state or in an image of one: those of whole orbits.
fn undefined(orbits: &[u32], instances: &[Instance], starts: &[Vec<i64>]) -> Vec<bool> {
    let is_undefined = |at| starts.iter().any(|start| start[at] == UNDEFINED);
    let mut undefined: Vec<bool> = (0..orbits.len()).map(is_undefined).collect();
    for (&cell, written) in instances.iter().flat_map(|instance| &instance.effects.writes) {
        undefined[cell] |= match &written.values {
            Values::These(list) => list.contains(&UNDEFINED),
            Values::Defined => false,
            Values::Any => true,
        };
    }
    let moved: BTreeSet<u32> = orbits.iter().zip(&undefined).filter(|own| *own.1).map(|(&orbit, _)| orbit).collect();
    orbits.iter().map(|orbit| moved.contains(orbit)).collect()
}

/// The conditions of guards, each once.
#[derive(Default)]
struct Conditions {
    list: Vec<Condition>,
    numbers: FxHashMap<Condition, u32>,
}

impl Conditions {
    fn number(&mut self, condition: Condition) -> u32 {
        if let Some(&known) = self.numbers.get(&condition) {
            return known;
        }
        let number = u32::try_from(self.list.len()).expect("few conditions");
        self.list.push(condition.clone());
        self.numbers.insert(condition, number);
        number
    }

    /// The facts about an instance.
    fn facts(&mut self, packing: &Packing, instance: Instance, undefined: &[bool]) -> Facts {
        let Instance { effects: Effects { reads, writes }, tests, is_family } = instance;
        let mut allowed: Vec<Among> = Vec::new();
        let mut before: Vec<Among> = Vec::new();
        let mut conjuncts = Vec::with_capacity(tests.len());
        for Test { cell, truths, faults } in tests {
            let faults = if undefined[cell] { faults } else { 0 };
            let own = Among { element: cell, values: truths | faults };
            conjuncts.push(self.number(Condition::Enters([own].into_iter().chain(before.iter().copied()).collect())));
            if before.is_empty() {
                match allowed.iter_mut().find(|known| known.element == cell) {
                    Some(known) => known.values &= own.values,
                    None => allowed.push(own),
                }
            }
            if faults != 0 {
                before.push(Among { element: cell, values: faults });
            }
        }
        let few = writes.iter().filter(|&(&cell, _)| packing.contents(cell) <= MOST_VALUES);
        let tracks = few.map(|(&cell, written)| {
            let contents = packing.contents(cell);
            let all = u64::MAX >> (u64::BITS as usize - contents);
            let to = match &written.values {
                Values::These(list) => list
                    .iter()
                    .filter(|&&value| packing.holds(cell, value))
                    .fold(0, |set, &value| set | 1 << packing.content(cell, value)),
                Values::Defined => all & !1,
                Values::Any => all,
            };
            let from = allowed.iter().find(|among| among.element == cell).map_or(all, |among| among.values);
            let after = |content: usize| match (from >> content & 1 == 1, written.is_certain) {
                (false, _) => 0,
                (true, true) => to,
                (true, false) => to | 1 << content,
            };
            Track { element: cell, after: (0..contents).map(after).collect() }
        });
        let tracks: Vec<Track> = tracks.collect();
        let is_within = |track: &Track| {
            let contents = packing.contents(track.element);
            track.after.iter().all(|&after| after & !(u64::MAX >> (u64::BITS as usize - contents)) == 0)
        };
        debug_assert!(tracks.iter().all(is_within), "an instance leaves contents of a cell in it");
        let rest = self.number(Condition::Reads(reads.clone()));
        let writes = writes.into_keys().collect();
        Facts { reads, writes, tracks, allowed, conjuncts: conjuncts.into(), rest, is_family }
    }
}

/// The orbits of cells and of their contents, by which states are ranked; cells of multisets have no rank.
fn orbits(program: &Program, packing: &Packing, symmetry: Option<&Symmetry>) -> Orbits {
    let mut slots = Vec::with_capacity(program.cells());
    program.variables.iter().for_each(|variable| in_multisets(program, variable.of, false, &mut slots));
    let mut first = Vec::with_capacity(slots.len());
    let mut count = 0;
    for (at, &is_in) in slots.iter().enumerate() {
        first.push(u32::try_from(count).expect("few values"));
        let contents = packing.contents(at);
        count += if is_in || contents > MOST_VALUES { 0 } else { contents };
    }
    let ranked = |at: usize| !slots[at] && packing.contents(at) <= MOST_VALUES;
    let (mut literals, mut cells) = (UnionFind::new(count), UnionFind::new(slots.len()));
    if let Some(symmetry) = symmetry {
        for (generator, from) in symmetry.generators().iter().flat_map(|one| (0..slots.len()).map(move |at| (one, at)))
        {
            let (at, _) = symmetry.image(generator, from, 0);
            cells.union(u32::try_from(from).expect("few cells"), u32::try_from(at).expect("few cells"));
            assert_eq!(ranked(from), ranked(at), "the cells of an orbit have ranks, or none has");
            if ranked(from) && ranked(at) {
                for content in (0..).take(packing.contents(from)) {
                    let (_, to) = symmetry.image(generator, from, content);
                    literals.union(first[from] + content, first[at] + to);
                }
            }
        }
    }
    let least = literals.least_members();
    let of_cell = |at: usize| {
        let contents = if ranked(at) { packing.contents(at) } else { 0 };
        least[first[at] as usize..][..contents].to_vec()
    };
    Orbits { literals: (0..slots.len()).map(of_cell).collect(), elements: cells.least_members() }
}

/// Whether each cell of a type belongs to a multiset.
fn in_multisets(program: &Program, of: TypeId, is_in: bool, found: &mut Vec<bool>) {
    match program.types.kind(of) {
        TypeKind::Array { index, element } => {
            (0..program.types.count(*index)).for_each(|_| in_multisets(program, *element, is_in, found));
        }
        TypeKind::Record(fields) => fields.iter().for_each(|field| in_multisets(program, field.of, is_in, found)),
        TypeKind::Multiset { .. } => found.extend(std::iter::repeat_n(true, program.types.cells(of))),
        _ => found.push(is_in),
    }
}
