//! Instances split by what decides which elements they touch: the value of an element, such as the sender of the message that is
//! answered, or the condition of an `if`, such as whether all answers have come. In a state one of the parts stands for the instance.
//!
//! Soundness: a part is the instance with one conjunct more in its guard for each decision. Those of an element are true for one value each, and there
//! is one for every possible value for which the conjuncts of the instance may be true; those of a condition are the condition on
//! the state before the step ([`conditions`](super::conditions)) and its negation, and neither faults for possible values. So
//! exactly one part is enabled, or faults, where the instance is or does. Families of instances are not split.
//!
//! Complexity: an execution for each instance, each element that it reads and each value of this, and a walk through both branches of each
//! condition, with the instances that touch what they touch, as far as [`MOST_SPENT`] evaluations allow.

use std::collections::BTreeSet;

use frontend::sequential::BinaryOp;
use roaring::RoaringBitmap;

use super::super::body::{Action, Instance, Parameters};
use super::super::code::Code;
use super::Query;
use super::access::{accesses_of, reads};
use super::conditions::{Deciding, conditions};
use super::effects::{Effects, Scratch, Touched};
use super::possible::Possible;
use super::value_set::ValueSet;
use crate::stubborn::Wrong;

/// The most parts of all instances together.
const MOST_PARTS: usize = 1 << 11;

/// The most parts of an instance.
const MOST_OF_INSTANCE: usize = 64;

/// The most values of an element that splits.
const MOST_OF_ELEMENT: usize = 16;

/// The share of what an instance writes and not each of its parts does, in sixteenths, that the parts may write on average.
const ENOUGH: u64 = 11;

/// The most evaluations.
const MOST_SPENT: u64 = 1 << 21;

/// The parts of an instance: a tree of decisions.
#[derive(Clone, Debug)]
pub(super) enum Split<'m> {
    /// One part, by its number.
    Part(u32),
    /// An element, its values, ascending, and the parts for each of them.
    By(usize, Box<[i32]>, Box<[Split<'m>]>),
    /// A condition, and the parts where it is true and where it is false.
    When(Code<'m>, Box<[Split<'m>]>),
}

impl Split<'_> {
    /// The number of one of the parts.
    pub(super) fn first(&self) -> u32 {
        match self {
            Split::Part(part) => *part,
            Split::By(_, _, parts) | Split::When(_, parts) => parts[0].first(),
        }
    }

    /// The number of the part for a state in which the instance is enabled or faults.
    #[inline]
    pub(super) fn part(&self, state: &[i32]) -> u32 {
        let mut split = self;
        loop {
            split = match split {
                Split::Part(part) => return *part,
                Split::By(element, values, parts) => {
                    let at = values.partition_point(|&value| value < state[*element]);
                    debug_assert_eq!(
                        values.get(at),
                        Some(&state[*element]),
                        "with other values the instance is disabled"
                    );
                    &parts[at.min(parts.len() - 1)]
                }
                Split::When(condition, parts) => {
                    let truth = condition.value(state, &mut []);
                    debug_assert!(truth.is_some(), "the condition never faults");
                    &parts[usize::from(truth == Some(0))]
                }
            };
        }
    }
}

/// The parts of the instances of a process.
pub(super) struct Parts<'m> {
    /// In the order of the instances.
    pub(super) parts: Vec<Instance<'m>>,
    /// The instances that have several parts.
    pub(super) wholes: Vec<Instance<'m>>,
    /// By part the number of its instance: its own, or that behind all parts in the order of `wholes`.
    pub(super) whole: Vec<u32>,
    /// By part the elements that tell it from the other parts of its instance.
    pub(super) by: Vec<Box<[usize]>>,
    /// By instance how it is split.
    pub(super) splits: Vec<Split<'m>>,
}

/// The splitting of instances.
struct Splitting<'p> {
    possible: &'p Possible,
    /// By element the instances that touch it, and those that write it.
    touchers: Vec<RoaringBitmap>,
    writers: Vec<RoaringBitmap>,
    /// By instance the values that its conjuncts leave of the elements that they read.
    allowed: Vec<Vec<(usize, ValueSet)>>,
    /// Whether faults matter.
    faults: bool,
    wrong: Wrong,
    scratch: &'p mut Scratch,
    spent: u64,
}

/// Splits the instances of a process; into themselves where steps have several summands.
pub(super) fn split<'m>(
    instances: Vec<Instance<'m>>,
    possible: &Possible,
    query: Query<'_>,
    has_turns: bool,
    scratch: &mut Scratch,
) -> Parts<'m> {
    let elements = possible.elements();
    let [touchers, writers] = [(), ()].map(|()| vec![RoaringBitmap::new(); elements]);
    let mut splitting = Splitting {
        possible,
        touchers,
        writers,
        allowed: Vec::new(),
        faults: query.faults,
        wrong: query.wrong,
        scratch,
        spent: 0,
    };
    for (at, instance) in (0..).zip(&instances) {
        let touched = splitting.run(instance, None).1;
        touched.reads.union(&touched.writes).for_each(|&element| _ = splitting.touchers[element].insert(at));
        touched.writes.iter().for_each(|&element| _ = splitting.writers[element].insert(at));
        let mut read = BTreeSet::new();
        instance.shared.iter().for_each(|conjunct| reads(conjunct, elements, &mut read));
        splitting.allowed.push(guarded(instance, read, possible, splitting.scratch));
    }
    let mut room = if has_turns { 0 } else { MOST_PARTS.saturating_sub(instances.len()) };
    let mut all =
        Parts { parts: Vec::new(), wholes: Vec::new(), whole: Vec::new(), by: Vec::new(), splits: Vec::new() };
    let mut of_whole = Vec::new();
    for (number, instance) in instances.into_iter().enumerate() {
        let first = all.parts.len();
        // A family is disabled as a whole: `grow` asks its rest only, and not what tells parts apart.
        let is_family = matches!(instance.parameters, Parameters::Ranges(_)) && !query.wrong.families_split();
        let mut left = if is_family { 0 } else { room.min(MOST_OF_INSTANCE - 1) };
        let before = left;
        let whole = instance.clone();
        let split = splitting.tree(number, instance, &mut Vec::new(), &mut left, &mut all);
        room -= before - left;
        let parts = all.parts.len() - first;
        of_whole.extend(std::iter::repeat_n((parts > 1).then_some(all.wholes.len()), parts));
        all.wholes.extend(Some(whole).filter(|_| parts > 1));
        all.splits.push(split);
    }
    let count = all.parts.len();
    let number = |number: usize| u32::try_from(number).expect("bounded by the compiler");
    all.whole =
        of_whole.iter().enumerate().map(|(at, whole)| number(whole.map_or(at, |whole| count + whole))).collect();
    assert!(all.whole.len() == count && all.by.len() == count, "every part has its instance");
    assert!(all.splits.is_sorted_by_key(Split::first), "the parts of instances follow each other");
    all
}

impl Splitting<'_> {
    /// Splits an instance, or a part of it that some elements tell from the others, into so many more at most, which are added to
    /// all.
    fn tree<'m>(
        &mut self,
        number: usize,
        instance: Instance<'m>,
        by: &mut Vec<usize>,
        left: &mut usize,
        all: &mut Parts<'m>,
    ) -> Split<'m> {
        let has_room = |count: usize| count <= *left + 1;
        if *left > 0 && self.spent < MOST_SPENT {
            if let Some((element, values)) = self.element(number, &instance, by).filter(|of| has_room(of.1.len())) {
                let part = |&value: &i32| {
                    let mut part = instance.clone();
                    part.shared.push(Code::Test(element, BinaryOp::Equal, value));
                    part
                };
                let parts: Vec<Instance<'m>> = values.iter().map(part).collect();
                return Split::By(element, values, self.trees(number, parts, ([element], by), left, all));
            }
            if let Some(deciding) = self.condition(number, &instance) {
                let parts = deciding.parts(&instance).into();
                let parts = self.trees(number, parts, (deciding.elements, by), left, all);
                return Split::When(deciding.condition, parts);
            }
        }
        all.parts.push(instance);
        all.by.push(by.as_slice().into());
        Split::Part(u32::try_from(all.parts.len() - 1).expect("bounded by the compiler"))
    }

    /// Splits parts of an instance, which these elements tell apart in addition to those before.
    fn trees<'m>(
        &mut self,
        number: usize,
        parts: Vec<Instance<'m>>,
        (elements, by): (impl IntoIterator<Item = usize>, &mut Vec<usize>),
        left: &mut usize,
        all: &mut Parts<'m>,
    ) -> Box<[Split<'m>]> {
        *left -= parts.len() - 1;
        let before = by.len();
        by.extend(elements);
        let parts = parts.into_iter().map(|part| self.tree(number, part, by, left, all)).collect();
        by.truncate(before);
        parts
    }

    /// Whether an instance may end where an element has a value, and what it touches then.
    fn run(&mut self, instance: &Instance<'_>, restricted: Option<(usize, i32)>) -> (bool, Touched) {
        let before = self.possible.before();
        let mut effects = Effects::new(&before, self.scratch);
        effects.touched = Some(Touched::default());
        if let Some((element, value)) = restricted {
            effects.restrict(element, ValueSet::of(value));
        }
        let ends = effects.step(instance);
        self.spent += effects.spent;
        limits::work(effects.spent);
        (ends, effects.touched.take().unwrap_or_default())
    }

    /// What others have to do with what is written.
    fn cost(&self, written: &Touched) -> u64 {
        written.writes.iter().map(|&element| self.touchers[element].len().saturating_sub(1)).sum()
    }

    /// Whether others hardly change an element while an instance is enabled: it is chosen by a key, or those that write it are never
    /// enabled together with the instance. Where others change it, the parts depend on what the instance commutes with.
    fn stays(&self, number: usize, element: usize) -> bool {
        !self.possible.is_key(element)
            && (self.possible.is_member(element)
                || self.writers[element].iter().all(|other| self.is_exclusive(number, other as usize)))
    }

    /// Whether an instance is the same one, or is never enabled together with it.
    fn is_exclusive(&self, number: usize, other: usize) -> bool {
        other == number
            || self.allowed[number].iter().any(|(element, values)| {
                let theirs = self.allowed[other].iter().filter(|of| of.0 == *element);
                theirs.into_iter().any(|of| of.1.intersection(*values).is_empty())
            })
    }

    /// The element whose values tell most about what an instance writes, if they tell enough, and these values.
    fn element(&mut self, number: usize, instance: &Instance<'_>, by: &[usize]) -> Option<(usize, Box<[i32]>)> {
        let (ends, whole) = self.run(instance, None);
        let cost = self.cost(&whole);
        if !ends || cost == 0 {
            return None;
        }
        let is_new = |element: &usize| !by.contains(element) && self.stays(number, *element);
        let mut best: Option<(u64, usize, Box<[i32]>)> = None;
        let candidates: BTreeSet<usize> = whole.reads.iter().copied().filter(is_new).collect();
        for (element, values) in guarded(instance, candidates, self.possible, self.scratch) {
            // Conjuncts cannot fault: with other values the instance is neither enabled, nor does it fault.
            let Some(values) = values.members().map(Iterator::collect::<Box<[i32]>>) else { continue };
            let count = values.len();
            if !(2..=MOST_OF_ELEMENT).contains(&count) {
                continue;
            }
            let mut of_value = |value: i32| match self.run(instance, Some((element, value))) {
                (true, all) => self.cost(&all),
                // A part that always faults tells nothing where faults matter, and touches nothing otherwise.
                (false, _) if self.faults => cost,
                (false, _) => 0,
            };
            let costs: Vec<u64> = values.iter().map(|&value| of_value(value)).collect();
            let common = costs.iter().copied().min().unwrap_or(0);
            if common >= cost {
                continue;
            }
            let share = costs.iter().map(|cost| cost - common).sum::<u64>() * 16 / (count as u64 * (cost - common));
            if best.as_ref().is_none_or(|&(least, _, _)| share < least) {
                best = Some((share, element, values));
            }
        }
        best.filter(|(share, _, _)| *share <= ENOUGH).map(|(_, element, values)| (element, values))
    }

    /// The condition in the body of an instance of which one branch has to do with most instances and the other one with none, if its
    /// conjuncts do not decide it.
    fn condition<'m>(&mut self, number: usize, instance: &Instance<'m>) -> Option<Deciding<'m>> {
        let mut best: Option<(u64, Deciding<'m>)> = None;
        for condition in conditions(instance, self.possible, self.wrong) {
            let [one, other] = condition.branches(instance).map(|branch| self.contested(number, branch));
            let told = if one == 0 || other == 0 { one + other } else { 0 };
            if told > best.as_ref().map_or(0, |of| of.0)
                && condition.elements.iter().all(|&element| self.stays(number, element))
                && self.is_open(instance, &condition.condition)
            {
                best = Some((told, condition));
            }
        }
        best.map(|(_, condition)| condition)
    }

    /// Whether a condition may be true and may be false where the conjuncts of an instance are true.
    fn is_open(&mut self, instance: &Instance<'_>, condition: &Code<'_>) -> bool {
        let before = self.possible.before();
        let mut guard = Effects::new(&before, self.scratch);
        instance.shared.iter().all(|conjunct| guard.assume(conjunct, true));
        let truth = guard.eval(condition);
        let spent = guard.spent;
        self.spent += spent;
        limits::work(spent);
        truth.may_be(true) && truth.may_be(false)
    }

    /// The number of instances that may be enabled together with one and have to do with a branch of its body.
    fn contested(&mut self, number: usize, branch: &[Action<'_>]) -> u64 {
        let (read, written) = accesses_of(branch, self.possible.elements());
        let mut all = RoaringBitmap::new();
        written.iter().for_each(|&at| all |= &self.touchers[at]);
        read.iter().for_each(|&at| all |= &self.writers[at]);
        let spent = (read.len() + written.len()) as u64 + all.len();
        self.spent += spent;
        limits::work(spent);
        all.iter().filter(|&other| !self.is_exclusive(number, other as usize)).count() as u64
    }
}

/// The values that the conjuncts of an instance leave of elements.
fn guarded(
    instance: &Instance<'_>,
    elements: BTreeSet<usize>,
    possible: &Possible,
    scratch: &mut Scratch,
) -> Vec<(usize, ValueSet)> {
    let before = possible.before();
    let mut guard = Effects::new(&before, scratch);
    instance.shared.iter().all(|conjunct| guard.assume(conjunct, true));
    elements.into_iter().map(|element| (element, guard.values(element))).collect()
}
