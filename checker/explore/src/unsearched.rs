//! The report of a run that was stopped before its search began: while the space or its reductions were prepared.
//!
//! Soundness: every answer is inconclusive.

use limits::Stopped;
use ltl::{Properties as _, Property as _};

use crate::finding::{Finding, Open};
use crate::question::{Fairness, Question};
use crate::report::{Answer, InternalError, QueryKind, Report, Run, Verdict};
use crate::run::{of_runs, unwatched};
use crate::search::{GRACE, limit_of_stop};
use crate::watch::Watched;

/// Answers a question; where it is stopped before the search, every answer is inconclusive.
///
/// # Errors
/// As `check`.
pub fn unless_stopped<S: Watched, B: Copy>(
    question: &Question<S::Properties, B>,
    check: impl FnOnce() -> Result<Report<S::Trace>, InternalError>,
) -> Result<Report<S::Trace>, InternalError> {
    limits::watch().or_afterwards(GRACE).run(check).unwrap_or_else(|stopped| {
        let built_in = S::BUILT_IN.iter().filter(|&&kind| question.includes(kind));
        let mut answers: Vec<_> = built_in.map(|&kind| unanswered(kind.name(), kind, stopped)).collect();
        let asked = question.properties.list().iter().filter_map(|one| Some((one.name(), QueryKind::of(one)?)));
        answers.extend(asked.map(|(name, kind)| unanswered(name, kind, stopped)));
        Ok(Report { unwatched: unwatched::<S, B>(question), ..stopped_report(answers, stopped) })
    })
}

/// The report of a run with these answers that was stopped before its search.
pub fn stopped_report<T>(answers: Vec<Answer<T>>, stopped: Stopped) -> Report<T> {
    Report { complete: false, limit: Some(limit_of_stop(stopped)), ..of_runs(answers) }
}

/// The answer to one question.
pub fn unanswered<T>(name: &str, kind: QueryKind, stopped: Stopped) -> Answer<T> {
    let run = Run { fairness: Fairness::None, limit: Some(limit_of_stop(stopped)), ..Run::default() };
    Answer {
        name: name.to_owned(),
        kind,
        verdict: Verdict::Inconclusive,
        finding: Finding::Open(Open::Unsearched(stopped)),
        trace: None,
        explanation: None,
        run: kind.has_own_run().then_some(run),
    }
}
