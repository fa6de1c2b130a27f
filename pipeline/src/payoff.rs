//! Whether a quotient is worth its cost, measured while it is searched.
//!
//! An orbit has at most as many states as the group has elements. So where the search of the quotient stores `c` classes per second, and a
//! plain search of the same model stores `s` states per second, the quotient is the slower way if `c` times the order is less than `s`. [`Payoff`]
//! measures both once, when the search of the quotient has run for some seconds: the plain search for a small part of that time. Where the
//! quotient is slower by a clear factor, or the plain search ends within its part, the quotient is given up and the model is searched plainly.
//!
//! Invariant: at most one measurement per search, and none where the product is above what any plain search reaches.
//!
//! Soundness: the plain search decides the question by itself; only counts and times differ.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use checker::{Control, Progress, Refusal, Spilling};
use limits::Watch;

/// The conditions under which a quotient is measured and given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// The time after which the quotient is measured.
    pub(crate) after: Duration,
    /// The time of the plain search.
    pub(crate) trial: Duration,
    /// How fast the plain search must be, in percent of what the quotient can be.
    pub(crate) percent: u64,
    /// The states per second that no plain search reaches.
    pub(crate) most: u64,
}

impl Default for Rule {
    fn default() -> Rule {
        Rule { after: Duration::from_secs(3), trial: Duration::from_millis(150), percent: 150, most: 10_000_000 }
    }
}

/// The result of a plain search of part of the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// The states that it stored per second.
    pub(crate) rate: u64,
    /// Whether it answered the question.
    pub(crate) is_complete: bool,
}

/// Follows the search of a quotient, and ends it where it does not pay.
pub(crate) struct Payoff<'c> {
    control: &'c mut dyn Control,
    /// The watch of the search of the quotient.
    watch: Watch,
    rule: Rule,
    /// The order of the group.
    order: u64,
    /// The plain search; taken when it is run.
    trial: Option<&'c mut dyn FnMut(Duration) -> Option<Trial>>,
    given_up: Option<Refusal>,
}

impl<'c> Payoff<'c> {
    /// Follows a search under a watch, by a group of this order; `trial` searches plainly for at most the time that it is given.
    pub(crate) fn new(
        control: &'c mut dyn Control,
        watch: Watch,
        rule: Rule,
        order: u64,
        trial: &'c mut dyn FnMut(Duration) -> Option<Trial>,
    ) -> Payoff<'c> {
        Payoff { control, watch, rule, order, trial: Some(trial), given_up: None }
    }

    /// The two rates, if the quotient was given up for them.
    pub(crate) fn given_up(self) -> Option<Refusal> {
        self.given_up
    }

    fn measure(&mut self, progress: &Progress) {
        if progress.seconds < self.rule.after.as_secs_f64() {
            return;
        }
        let Some(trial) = self.trial.take() else { return };
        let classes = per_second(progress.states, progress.seconds);
        let most = classes.saturating_mul(self.order);
        if most > self.rule.most {
            return;
        }
        let Some(Trial { rate, is_complete }) = trial(self.rule.trial) else { return };
        if is_complete || rate > most.saturating_mul(self.rule.percent) / 100 {
            self.given_up = Some(Refusal::DoesNotPay { classes, states: rate });
            self.watch.stop();
        }
    }
}

/// The number of states per second.
pub(crate) fn per_second(states: u64, seconds: f64) -> u64 {
    let milliseconds = Duration::try_from_secs_f64(seconds).map_or(u128::MAX, |time| time.as_millis());
    u64::try_from(u128::from(states) * 1000 / milliseconds.max(1)).unwrap_or(u64::MAX)
}

impl Control for Payoff<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.control.progress(progress);
        self.measure(progress);
    }

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        self.control.spilling()
    }

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.control.resumed()
    }

    fn is_saved(&self) -> bool {
        self.control.is_saved()
    }

    fn is_checkpoint_due(&mut self, last: bool) -> bool {
        self.given_up.is_none() && self.control.is_checkpoint_due(last)
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        self.control.checkpoint(write);
    }
}

#[cfg(test)]
mod tests;
