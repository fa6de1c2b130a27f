//! Coverage: how often the explored states executed each part of a model, and which parts no run executes.
//!
//! What the parts of a model are, says [`frontend::parts`]. A count is that of steps, the faulting ones included: with a quotient, of steps of
//! representatives. A step counts once for a part, however often it executes it.
//!
//! # Soundness
//!
//! "Never" is said of a complete run in which each state had all of its steps, of the model as it is written. Counts are taken away
//! where a slice or a model with further starts was searched, and by the search itself where it was incomplete or left out a step. Values of
//! dead variables that are forgotten change no step. In a quotient, a step of a state is the image of one of its representative: where the
//! group renames values, rebecs or processes, an outer part is mapped to itself, and one member of an orbit stands for all. The image of a step
//! runs the same statements where the text itself shows that, but rounds over the values of a type come in another order. [`Kept`] says which
//! parts the group of a language keeps; of others that no representative executes nothing is said, unless all that they lie within is never
//! executed.
//!
//! Source: `docs/soundness.md`, coverage.

use std::collections::BTreeMap;

use checker::Report;
use frontend::parts::{Part, PartKind, Parts};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::Language;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// A group that keeps outer parts keeps all parts.
        keeps_branches,
    }
}

/// The parts that the elements of a group map to themselves, step by step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kept {
    /// It may exchange any two.
    Nothing,
    /// Outer parts; inside of steps it may exchange any two.
    Outer,
    /// All but those in rounds over the values of a type.
    OutsideRounds,
    /// All.
    All,
}

/// A part and the number of its executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// The part.
    pub part: Part,
    /// The number of steps that execute it; 0: no run executes it.
    pub count: u64,
    /// Whether no run executes it because of others: it lies within parts that no run executes or no step calls, or can only follow such.
    pub is_nested: bool,
}

/// The counts of the search of a model in the quotient by a group; `None` of a part of which they say nothing, and in all where they say nothing of
/// outer parts.
pub(crate) fn known<L: Language>(
    model: &L,
    group: Option<&L::Group>,
    executed: Vec<Option<u64>>,
) -> Option<Vec<Option<u64>>> {
    let Some(group) = group.filter(|_| executed.contains(&Some(0))) else { return Some(executed) };
    let counts: Vec<u64> = executed.iter().map(|count| count.unwrap_or(0)).collect();
    known_by(&model.parts(), counts.clone(), model.kept_parts(group, &counts), Wrong::default())
}

fn known_by(parts: &Parts, counts: Vec<u64>, kept: Kept, wrong: Wrong) -> Option<Vec<Option<u64>>> {
    assert_eq!(parts.list.len(), counts.len(), "each part is counted");
    if kept == Kept::Nothing {
        return None;
    }
    let is_kept = |part: &Part| match kept {
        Kept::All => true,
        _ if wrong.keeps_branches() => true,
        Kept::OutsideRounds => !part.is_in_rounds,
        Kept::Outer | Kept::Nothing => !part.kind.is_inside(),
    };
    let executed =
        |part: &Option<Part>, count| if count > 0 || part.as_ref().is_none_or(is_kept) { Some(count) } else { None };
    let mut known: Vec<Option<u64>> =
        parts.list.iter().zip(counts).map(|(part, count)| executed(part, count)).collect();
    // What lies within parts that are never executed is not executed either.
    loop {
        let mut is_over = true;
        for (number, part) in parts.list.iter().enumerate() {
            limits::work(1);
            let is_open = known[number].is_none();
            if is_open
                && part.as_ref().is_some_and(|part| part.within.iter().all(|&outer| known[outer as usize] == Some(0)))
            {
                known[number] = Some(0);
                is_over = false;
            }
        }
        if is_over {
            return Some(known);
        }
    }
}

/// The counts of the parts of a model by those of another one that has further statements; `None` of a part that the other one lacks.
pub(crate) fn transferred<L: Language>(other: &L, counts: &[Option<u64>], model: &L) -> Vec<Option<u64>> {
    let (theirs, own) = (other.parts(), model.parts());
    assert_eq!(theirs.list.len(), counts.len(), "each part is counted");
    let of = |(number, part): (usize, &Option<Part>)| match part.as_ref().and_then(|part| part.mark) {
        Some(mark) => theirs.number(mark).and_then(|number| counts[number as usize]),
        None => counts.get(number).copied().flatten(),
    };
    own.list.iter().enumerate().map(of).collect()
}

/// The parts of a model in the order of the text, with their counts, but for those of which nothing is known; `None` where the report has none.
pub fn coverage<L: Language, T>(model: &L, report: &Report<T>) -> Option<Vec<Covered>> {
    let executed = report.executed.as_ref()?;
    let parts = model.parts();
    assert_eq!(parts.list.len(), executed.len(), "each part is counted");
    let place = |part: &Part| (part.span.start, part.span.end, part.kind);
    // Several parts of one place are one for a reader.
    let mut counts: BTreeMap<(u32, u32, PartKind), Option<u64>> = BTreeMap::new();
    for (part, &count) in parts.list.iter().zip(executed) {
        let Some(part) = part else { continue };
        let sum = counts.entry(place(part)).or_insert(Some(0));
        *sum = sum.zip(count).map(|(sum, count)| sum + count);
    }
    let is_never = |&number: &u32| {
        let part = parts.list[number as usize].as_ref();
        part.map_or(executed[number as usize] == Some(0), |part| counts[&place(part)] == Some(0))
    };
    let following = following(&parts, &is_never);
    let mut found: BTreeMap<(u32, u32, PartKind), Covered> = BTreeMap::new();
    for (number, part) in (0..).zip(&parts.list) {
        let Some(part) = part else { continue };
        let Some(count) = counts[&place(part)] else { continue };
        let is_nested =
            if part.kind.is_inside() { part.within.iter().all(is_never) } else { following.contains(&number) };
        let covered = found.entry(place(part)).or_insert_with(|| Covered { part: part.clone(), count, is_nested });
        covered.is_nested &= is_nested;
    }
    Some(found.into_values().collect())
}

/// The parts that are never executed because they can only follow others that are never executed. A part waits if all parts that may bring about
/// one of its conditions are never executed. From the parts that do not wait, the conditions lead to those that follow. Where parts
/// wait for each other in a circle that no other part leads to, the first of them in the text does not follow.
fn following(parts: &Parts, is_never: &impl Fn(&u32) -> bool) -> FxHashSet<u32> {
    let mut led_to: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (number, part) in (0..).zip(&parts.list) {
        if !is_never(&number) {
            continue;
        }
        let conditions = part.iter().flat_map(|part| &part.follows);
        let mut waits = false;
        for before in conditions.filter(|before| !before.is_empty() && before.iter().all(is_never)) {
            waits = true;
            for &before in before {
                limits::work(1);
                led_to.entry(before).or_default().push(number);
            }
        }
        if waits { others.push(number) } else { first.push(number) }
    }
    let start = |number: u32| parts.list[number as usize].as_ref().map_or(u32::MAX, |part| part.span.start);
    others.sort_by_key(|&number| (start(number), number));
    let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
    for root in first.into_iter().chain(others) {
        let mut open = vec![root];
        while let Some(part) = open.pop() {
            if seen.insert(part) {
                let next = led_to.remove(&part).unwrap_or_default();
                found.extend(next.iter().filter(|next| !seen.contains(next)));
                open.extend(next);
            }
        }
    }
    debug_assert!(found.iter().all(is_never), "a part that only follows others is never executed");
    found
}

#[cfg(test)]
mod tests;
