//! The report of a run that was stopped before its search began: while the space or its reductions were prepared.
//!
//! Soundness: every answer is inconclusive.

use limits::Stopped;

use crate::question::{Fairness, Question};
use crate::report::{Answer, QueryKind, Report, Run, Unwatched, Verdict};
use crate::search::limit_of_stop;
use crate::spill::Spilled;

/// The report on these built-in questions and properties.
pub fn unsearched<P, B: Copy, T>(
    question: &Question<P, B>,
    built_in: &[QueryKind],
    properties: impl Iterator<Item = (String, bool)>,
    unwatched: Vec<Unwatched>,
    stopped: Stopped,
) -> Report<T> {
    let built_in = built_in.iter().filter(|&&kind| question.includes(kind));
    let mut answers: Vec<Answer<T>> = built_in.map(|&kind| unanswered(kind.name(), kind, stopped)).collect();
    answers.extend(properties.map(|(name, is_formula)| {
        let kind = if is_formula { QueryKind::Ltl } else { QueryKind::Invariant };
        unanswered(&name, kind, stopped)
    }));
    Report {
        verdict: Verdict::Inconclusive,
        complete: false,
        exact: true,
        answers,
        unwatched,
        states: 0,
        transitions: 0,
        depth: 0,
        deadlock_states: None,
        limit: Some(limit_of_stop(stopped)),
        reductions: Vec::new(),
        group: None,
        threads: 1,
        fault: None,
        spilled: Spilled::default(),
        seconds: 0.0,
    }
}

/// The answer to one question.
pub fn unanswered<T>(name: &str, kind: QueryKind, stopped: Stopped) -> Answer<T> {
    let run = Run {
        states: 0,
        transitions: 0,
        system_states: 0,
        complete: false,
        fairness: Fairness::None,
        reductions: Vec::new(),
        group: None,
        limit: Some(limit_of_stop(stopped)),
        seconds: 0.0,
    };
    Answer {
        name: name.to_owned(),
        kind,
        verdict: Verdict::Inconclusive,
        message: format!("{stopped}, before the search"),
        trace: None,
        run: (kind == QueryKind::Ltl).then_some(run),
    }
}
