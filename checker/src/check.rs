//! One run: a model and a question in, a report out.

use std::time::Instant;

use engine::Group;
use frontend::model::Model;
use num_bigint::BigUint;

use crate::actors::{Space, Symmetry};
use crate::question::Question;
use crate::quotient;
use crate::reductions::{GroupUsed, Quotient, Reduction, Reductions};
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
    reductions: Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    let limits = &question.limits;
    let mut told = Told::default();
    let mut symmetry = None;
    if let Some(Quotient { group, .. }) = reductions.quotient {
        assert!(group.is_for(model, &question.properties), "the group was validated for something else");
        symmetry = Symmetry::new(model, group);
        told = Told::quotient(group.group(), group.model_order(), symmetry.is_some());
        told.keeps_fault_classes = group.certificate().keeps_fault_classes;
    }
    let space = || {
        let mut space = Space::new(model, &question.bounds, limits.max_states, limits.max_memory);
        if let Some(symmetry) = symmetry {
            space.reduce(symmetry);
        }
        space
    };
    run(space, question, told, control)
}

/// What a run tells of its reductions.
#[derive(Debug)]
pub(crate) struct Told {
    /// The group of the quotient.
    pub(crate) group: Option<GroupUsed>,
    /// All reductions that were thought of.
    pub(crate) reductions: Vec<Reduction>,
    /// Whether a fault of one class in a state means one of the same class in every state of its orbit.
    pub(crate) keeps_fault_classes: bool,
}

impl Default for Told {
    fn default() -> Told {
        Told { group: None, reductions: Vec::new(), keeps_fault_classes: true }
    }
}

impl Told {
    /// The quotient by a group, if representatives can be found.
    pub(crate) fn quotient(group: &Group, model_order: &BigUint, is_used: bool) -> Told {
        let order = group.order();
        let reduction = |applied, detail| Reduction { name: "symmetry", applied, detail };
        if !is_used {
            let detail = format!("the group of order {order} has too many elements to hold one for each level");
            return Told { reductions: vec![reduction(false, detail)], ..Told::default() };
        }
        let representative = quotient::method(group).to_owned();
        let cut = if *model_order == order {
            String::new()
        } else {
            format!(", of {model_order} before it was cut to what is asked")
        };
        let detail =
            format!("one state an orbit of a group of order {order}{cut}; representatives by {representative}");
        let group = GroupUsed {
            order: order.to_string(),
            model_order: model_order.to_string(),
            detector: String::new(),
            representative,
            exact: true,
        };
        Told { group: Some(group), reductions: vec![reduction(true, detail)], ..Told::default() }
    }
}

/// Answers a question about the model of a state space.
///
/// # Errors
/// As [`check`].
pub(crate) fn run<S: Watched>(
    space: impl FnOnce() -> S,
    question: &Question<S::Properties>,
    told: Told,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let started = Instant::now();
    let limits = &question.limits;
    let mut space = space();
    let mut watch = Watch::new(&space, question);
    let pace = Pace::new(control, limits.timeout);
    let summary = explore(&mut space, &mut watch, pace, limits, question.order);
    let answers = watch.answers(&mut space, &summary, told.keeps_fault_classes)?;
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
        reductions: told.reductions,
        group: told.group,
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
