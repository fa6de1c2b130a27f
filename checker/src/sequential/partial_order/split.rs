//! Instances split by the values of an element that decides what they touch, such as the sender of the message that is answered: in a
//! state one of the parts stands for the instance.
//!
//! Soundness: a part is the instance with one conjunct more in its guard for each element that splits it. These conjuncts are true
//! for one value each, and there is one for every possible value for which the conjuncts of the instance may be true, so that
//! exactly one part is enabled, or faults, where the instance is or does. Families of instances are not split.
//!
//! Complexity: an execution for each instance, each element that it reads and each value of this, as far as [`MOST_SPENT`]
//! evaluations allow.

use std::collections::BTreeSet;

use frontend::sequential::BinaryOp;

use super::super::body::{Instance, Parameters};
use super::super::code::Code;
use super::Query;
use super::access::reads;
use super::effects::{Effects, Scratch, Touched};
use super::possible::Possible;
use super::value_set::ValueSet;

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
pub(super) enum Split {
    /// One part, by its number.
    Part(u32),
    /// An element, the distances of its values from the least one, ascending, and the parts for each of them.
    By(usize, Box<[u32]>, Box<[Split]>),
}

impl Split {
    /// The number of one of the parts.
    pub(super) fn first(&self) -> u32 {
        match self {
            Split::Part(part) => *part,
            Split::By(_, _, parts) => parts[0].first(),
        }
    }

    /// The part for a state in which the instance is enabled or faults, by the distance of the value of an element from its least one.
    #[inline]
    pub(super) fn part(&self, distance: impl Fn(usize) -> u32) -> u32 {
        let mut split = self;
        loop {
            match split {
                Split::Part(part) => return *part,
                Split::By(element, values, parts) => {
                    let distance = distance(*element);
                    let at = values.partition_point(|&at| at < distance);
                    debug_assert_eq!(values.get(at), Some(&distance), "with other values the instance is disabled");
                    split = &parts[at.min(parts.len() - 1)];
                }
            }
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
    pub(super) splits: Vec<Split>,
}

/// The splitting of instances.
struct Splitting<'p> {
    possible: &'p Possible,
    /// By element the number of instances that touch it, and those that write it.
    users: Vec<u32>,
    writers: Vec<Vec<usize>>,
    /// By instance the values that its conjuncts leave of the elements that they read.
    allowed: Vec<Vec<(usize, ValueSet)>>,
    /// Whether faults matter.
    faults: bool,
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
    let (users, writers) = (vec![0; elements], vec![Vec::new(); elements]);
    let mut splitting =
        Splitting { possible, users, writers, allowed: Vec::new(), faults: query.faults, scratch, spent: 0 };
    for (at, instance) in instances.iter().enumerate() {
        let touched = splitting.run(instance, None).1;
        touched.reads.union(&touched.writes).for_each(|&element| splitting.users[element] += 1);
        touched.writes.iter().for_each(|&element| splitting.writers[element].push(at));
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
    ) -> Split {
        let deciding = if *left == 0 || self.spent >= MOST_SPENT { None } else { self.deciding(number, &instance, by) };
        let Some((element, values)) = deciding.filter(|(_, values)| values.len() <= *left + 1) else {
            all.parts.push(instance);
            all.by.push(by.as_slice().into());
            return Split::Part(u32::try_from(all.parts.len() - 1).expect("bounded by the compiler"));
        };
        *left -= values.len() - 1;
        by.push(element);
        let mut part = |&value: &i32| {
            let mut part = instance.clone();
            part.shared.push(Code::Test(element, BinaryOp::Equal, value));
            self.tree(number, part, by, left, all)
        };
        let parts = values.iter().map(&mut part).collect();
        by.pop();
        let low = self.possible.bounds(element).0;
        Split::By(element, values.iter().map(|value| value.abs_diff(low)).collect(), parts)
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
        written.writes.iter().map(|&element| u64::from(self.users[element].saturating_sub(1))).sum()
    }

    /// Whether others hardly change an element while an instance is enabled: it is chosen by a key, or those that write it are never
    /// enabled together with the instance. Where others change it, the parts depend on what the instance commutes with.
    fn stays(&self, number: usize, element: usize) -> bool {
        let is_exclusive = |&other: &usize| {
            other == number
                || self.allowed[number].iter().any(|(element, values)| {
                    let theirs = self.allowed[other].iter().filter(|of| of.0 == *element);
                    theirs.into_iter().any(|of| of.1.intersection(*values).is_empty())
                })
        };
        !self.possible.is_key(element)
            && (self.possible.is_member(element) || self.writers[element].iter().all(is_exclusive))
    }

    /// The element whose values tell most about what an instance writes, if they tell enough, and these values.
    fn deciding(&mut self, number: usize, instance: &Instance<'_>, by: &[usize]) -> Option<(usize, Vec<i32>)> {
        let (ends, whole) = self.run(instance, None);
        let cost = self.cost(&whole);
        if !ends || cost == 0 {
            return None;
        }
        let is_new = |element: &usize| !by.contains(element) && self.stays(number, *element);
        let mut best: Option<(u64, usize, Vec<i32>)> = None;
        let candidates: BTreeSet<usize> = whole.reads.iter().copied().filter(is_new).collect();
        for (element, values) in guarded(instance, candidates, self.possible, self.scratch) {
            // Conjuncts cannot fault: with other values the instance is neither enabled, nor does it fault.
            let Some(values) = values.members().map(Iterator::collect::<Vec<i32>>) else { continue };
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
