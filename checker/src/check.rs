//! One run: a model and a question in, a report out.

use std::time::Instant;

use frontend::model::Model;

use crate::actors::Space;
use crate::question::Question;
use crate::reductions::Reductions;
use crate::report::{AskedKind, Control, InternalError, Report, Unwatched, Verdict};
use crate::search::{Pace, explore};
use crate::watch::{Watch, Watched};

/// Answers a question about a verified model.
///
/// # Errors
/// A counterexample that the reference interpreter does not confirm: a fault of the checker.
pub fn check(model: &Model, question: &Question, control: &mut dyn Control) -> Result<Report, InternalError> {
    check_reduced(model, question, Reductions::default(), control)
}

/// As [`check`], leaving out what the reductions allow.
///
/// # Errors
/// As there.
pub fn check_reduced(
    model: &Model,
    question: &Question,
    _reductions: Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    let limits = &question.limits;
    run(|| Space::new(model, &question.bounds, limits.max_states, limits.max_memory), question, control)
}

/// Answers a question about the model of a state space.
///
/// # Errors
/// As [`check`].
pub(crate) fn run<S: Watched>(
    space: impl FnOnce() -> S,
    question: &Question<S::Properties>,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let started = Instant::now();
    let limits = &question.limits;
    let mut space = space();
    let mut watch = Watch::new(&space, question);
    let pace = Pace::new(control, limits.timeout);
    let summary = explore(&mut space, &mut watch, pace, limits, question.order)?;
    let answers = watch.answers(&space, &summary)?;
    let mut report = Report {
        verdict: Verdict::Inconclusive,
        complete: summary.complete,
        exact: true,
        answers,
        unwatched: unwatched::<S>(question),
        states: u64::from(space.store().len()),
        transitions: summary.transitions,
        depth: summary.depth,
        deadlock_states: (question.keep_going && summary.complete).then(|| watch.deadlocks()),
        limit: summary.limit,
        reductions: Vec::new(),
        group: None,
        seconds: started.elapsed().as_secs_f64(),
    };
    report.verdict = report.verdict_of_answers();
    Ok(report)
}

/// What was not asked.
fn unwatched<S: Watched>(question: &Question<S::Properties>) -> Vec<Unwatched> {
    let unasked = S::BUILT_IN.iter().filter(|&&kind| !question.asks(kind));
    let unwatched = unasked.filter_map(|kind| match kind {
        AskedKind::Deadlock => Some(Unwatched::Deadlock),
        AskedKind::Overflow => Some(Unwatched::Overflow),
        AskedKind::Error => Some(Unwatched::Error),
        AskedKind::Assertion => Some(Unwatched::Assertion),
        AskedKind::Invariant | AskedKind::Ltl => None,
    });
    unwatched.collect()
}
