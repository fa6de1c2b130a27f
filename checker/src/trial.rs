//! The choice of the states of a search in which a proved group is tried by a reference interpreter.
//!
//! When a group is proved it is tried on states near the starts. A step that is first possible after many others is not met there, but a search meets it.
//! So a search in a quotient tries the group again in the first states in which a part of the model or none is executed, and in others at growing
//! distances: the steps of the image of a state are the images of its steps, and what is claimed has the same truth.
//!
//! # Soundness
//!
//! No proof relies on a trial: a contradiction is an error of this program, which ends without a verdict.
//!
//! # Complexity
//!
//! As many trials as there are parts, those of [`FIRST`], and one for every [`PER_TRIAL`] visits. Elements that the interpreter looks at are counted: all
//! trials look at [`ALWAYS`] of them, and at one for every [`PER_ELEMENT`] that the search looks at. Loops of a step may take much longer than that: a trial that
//! takes more than [`MOST_WORK`] is given up, and counts as many elements as a quarter of those that trials may always look at.

/// Trials that are always made.
const FIRST: u64 = 8;
/// Visits for each further trial.
const PER_TRIAL: u64 = 1 << 12;
/// Elements that trials may always look at.
const ALWAYS: u64 = 1 << 21;
/// Elements of the search for each further one of trials.
const PER_ELEMENT: u64 = 1 << 8;
/// Elementary steps of one trial.
const MOST_WORK: u64 = 1 << 22;
/// Generators that are tried in one state.
const GENERATORS: usize = 2;

/// The choice of states.
#[derive(Clone, Default, Debug)]
pub(crate) struct Schedule {
    /// How often no part was executed, and how often each.
    executed: Vec<u32>,
    /// Whether a part is executed in the state that is visited.
    is_enabled: bool,
    visits: u64,
    trials: u64,
    /// The elements that the search and the trials have looked at.
    searched: u64,
    tried: u64,
    /// Whether a part is executed for the first time, or again after many times, in the state that is visited.
    is_new: bool,
    is_again: bool,
}

impl Schedule {
    /// Notes that a part is executed in the state that is visited.
    #[inline]
    pub(crate) fn executed(&mut self, part: usize) {
        self.is_enabled = true;
        self.count(part + 1);
    }

    #[inline]
    fn count(&mut self, at: usize) {
        if at >= self.executed.len() {
            self.executed.resize(at + 1, 0);
        }
        let count = &mut self.executed[at];
        *count = count.saturating_add(1);
        self.is_new |= *count == 1;
        self.is_again |= count.is_power_of_two();
    }

    /// Whether the group is to be tried in the state that was visited, whose successors have so many elements; the interpreter looks at `more` besides.
    #[inline]
    pub(crate) fn is_due(&mut self, elements: usize, more: u64) -> bool {
        self.visits += 1;
        self.searched = self.searched.saturating_add(elements as u64);
        if !std::mem::take(&mut self.is_enabled) {
            self.count(0);
        }
        let is_again = std::mem::take(&mut self.is_again) || self.visits.is_power_of_two();
        let is_wanted = std::mem::take(&mut self.is_new)
            || is_again && (self.trials < FIRST || self.trials * PER_TRIAL < self.visits);
        is_wanted && self.is_affordable(elements as u64, more)
    }

    #[cold]
    fn is_affordable(&mut self, elements: u64, more: u64) -> bool {
        let tried = self.tried.saturating_add(elements).saturating_add(more);
        let is_affordable = tried <= ALWAYS.saturating_add(self.searched / PER_ELEMENT);
        if is_affordable {
            self.tried = tried;
            self.trials += 1;
        }
        is_affordable
    }

    /// Notes that a trial was given up.
    #[cold]
    pub(crate) fn give_up(&mut self) {
        self.tried = self.tried.saturating_add(ALWAYS / 4);
    }

    /// The numbers of the generators, of so many, that are tried in this state.
    pub(crate) fn generators(&self, count: usize) -> impl Iterator<Item = usize> + use<> {
        let first = usize::try_from(self.trials).unwrap_or(0) * GENERATORS;
        (first..first + GENERATORS.min(count)).map(move |number| number % count)
    }
}

/// Runs a trial; returns whether it took no more work than one may.
pub(crate) fn is_finished(trial: impl FnOnce()) -> bool {
    limits::at_most(MOST_WORK, trial).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_that_take_much_work_are_given_up() {
        let watch = limits::Watch::unlimited();
        let mut schedule = Schedule::default();
        let mut trials = 0;
        let given_up = watch.run(|| {
            for part in 0..100 {
                schedule.executed(part);
                if schedule.is_due(1, 0) {
                    trials += 1;
                    if !is_finished(|| (0..MOST_WORK).for_each(|_| limits::work(2))) {
                        schedule.give_up();
                    }
                }
            }
        });
        assert_eq!((given_up, trials), (Ok(()), 4));
        assert!(watch.run(|| is_finished(|| limits::work(1))).expect("little work"));
        let stopped = watch.at_most(MOST_WORK / 2).run(|| is_finished(|| (0..MOST_WORK).for_each(|_| limits::work(2))));
        assert!(stopped.is_err(), "the limit of the search stops the search");
    }

    #[test]
    fn trials_follow_new_parts_and_grow_apart() {
        let mut schedule = Schedule::default();
        let mut due = |part| {
            schedule.executed(part);
            schedule.is_due(4, 0)
        };
        assert!(due(0) && due(0) && due(7));
        let later = (0..10_000).filter(|_| due(0)).count();
        assert!((1..=8).contains(&later), "{later} trials");
        assert!(schedule.is_due(4, 0), "no part is executed for the first time");
        assert_eq!(schedule.generators(3).count(), 2);
        assert_eq!(schedule.generators(1).count(), 1);
        assert_eq!(schedule.generators(0).count(), 0);
    }

    #[test]
    fn large_states_are_tried_as_far_as_the_search_pays_for_them() {
        let mut schedule = Schedule::default();
        let large = usize::try_from(ALWAYS / 2).expect("it fits");
        let is_due = |schedule: &mut Schedule, part| {
            schedule.executed(part);
            schedule.is_due(large, 0)
        };
        assert!(is_due(&mut schedule, 0) && is_due(&mut schedule, 1));
        assert!(!is_due(&mut schedule, 2));
        for part in 3..300 {
            is_due(&mut schedule, part);
        }
        assert!(schedule.trials <= 3, "{} trials", schedule.trials);
    }
}
