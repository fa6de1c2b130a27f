//! One run: a model and a question in, a report out.

use std::time::Instant;

use frontend::model::Model;

use crate::question::Question;
use crate::report::{Control, InternalError, Report, Unwatched, Verdict};
use crate::search::{Pace, explore};
use crate::states::Space;
use crate::watch::Watch;

/// Answers a question about a verified model.
///
/// # Errors
/// A counterexample that the reference interpreter does not confirm: a fault of the checker.
pub fn check(model: &Model, question: &Question, control: &mut dyn Control) -> Result<Report, InternalError> {
    let started = Instant::now();
    let limits = &question.limits;
    let mut space = Space::new(model, &question.bounds, limits.max_states, limits.max_memory);
    let mut watch = Watch::new(question);
    let pace = Pace::new(control, limits.timeout);
    let summary = explore(&mut space, &mut watch, pace, limits, question.order);
    let answers = watch.answers(&space, &summary)?;
    let any = |verdict| answers.iter().any(|answer| answer.verdict == verdict);
    let verdict = if any(Verdict::Violated) {
        Verdict::Violated
    } else if any(Verdict::Inconclusive) || !summary.complete {
        Verdict::Inconclusive
    } else {
        Verdict::Holds
    };
    Ok(Report {
        verdict,
        complete: summary.complete,
        exact: true,
        answers,
        unwatched: unwatched(question),
        states: u64::from(space.store.len()),
        transitions: summary.transitions,
        depth: summary.depth,
        deadlock_states: (question.keep_going && summary.complete).then(|| watch.deadlocks()),
        limit: summary.limit,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// What was not asked.
fn unwatched(question: &Question) -> Vec<Unwatched> {
    let asked = [
        (question.deadlock, Unwatched::Deadlock),
        (question.overflow, Unwatched::Overflow),
        (question.assertions, Unwatched::Assertion),
        (question.faults, Unwatched::Error),
    ];
    asked.into_iter().filter(|&(asked, _)| !asked).map(|(_, kind)| kind).collect()
}
