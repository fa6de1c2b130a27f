//! Transitions that stand for runs of transitions.

use rustc_hash::FxHashMap;

/// The most transitions of a run that a transition stands for.
const LONGEST: usize = 4000;

/// A transition on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) inputs: Vec<(usize, i32)>,
    pub(super) changes: Vec<(usize, i32)>,
    pub(super) run: Vec<usize>,
}

/// The number of a place in an ascending list.
pub(super) fn at(list: &[(usize, i32)], place: usize) -> i32 {
    list.binary_search_by_key(&place, |&(place, _)| place).map_or(0, |at| list[at].1)
}

/// Whether each place is listed once, in ascending order.
fn is_listed(list: &[(usize, i32)]) -> bool {
    list.is_sorted_by(|one, next| one.0 < next.0)
}

impl Step {
    /// This step and then another one; nothing if numbers do not fit.
    pub(super) fn then(&self, other: &Step) -> Option<Step> {
        let mut inputs: FxHashMap<usize, i64> =
            self.inputs.iter().map(|&(place, number)| (place, i64::from(number))).collect();
        for &(place, number) in &other.inputs {
            let needed = i64::from(number) - i64::from(at(&self.changes, place));
            let own = inputs.entry(place).or_default();
            *own = needed.max(*own);
        }
        let mut changes: FxHashMap<usize, i64> = FxHashMap::default();
        for &(place, change) in self.changes.iter().chain(&other.changes) {
            *changes.entry(place).or_default() += i64::from(change);
        }
        let narrow = |list: FxHashMap<usize, i64>| {
            let kept = list.into_iter().filter(|&(_, number)| number != 0);
            let mut narrow = kept
                .map(|(place, number)| Some((place, i32::try_from(number).ok()?)))
                .collect::<Option<Vec<(usize, i32)>>>()?;
            narrow.sort_unstable();
            Some(narrow)
        };
        let run = [self.run.as_slice(), &other.run].concat();
        limits::work(run.len() as u64);
        (run.len() <= LONGEST).then_some(())?;
        let step = Step { inputs: narrow(inputs)?, changes: narrow(changes)?, run };
        debug_assert!(
            [&step.inputs, &step.changes].into_iter().all(|list| is_listed(list)),
            "each place is listed once, ascending"
        );
        Some(step)
    }
}
