//! Checks a slice instead of its model, and lifts violations to the model.
//!
//! `auto` slices if a question excludes overflow, requests no counts, and all of it is preserved; otherwise it silently
//! leaves the model whole. A method requested by name is refused with an error if it does not preserve the question. A
//! formula has a separate run, so its refusal is reported and the whole model is checked.
//!
//! Soundness: only `holds` is taken from a slice. A violation is reported with a run of the model that the reference
//! semantics replayed; if there is none, the model itself is checked.

use checker::{
    Answer, Control, Fairness, FaultText, Finding, Limits, QueryKind, Question, Refinement, RefinementEnd, Refusal,
    Report, SliceEffect, Unsaved, Verdict,
};
use frontend::interpret::FaultClass;
use frontend::model::{Model, PropertyKind, PropertySet};
use frontend::sequential::{Property, Sequential};
use slicing::lift::Lifted;
use slicing::reduce::{Abstracted, Alternative, Method, Query, Refused, Removed, Slice, applicable, is_safe, slice};
use slicing::refine::{Checked, Ended, Original, Refined, Violation, bring, names, step_wise};

use crate::explained;
use crate::language::{Language, Trace};
use crate::line::Error;

/// The number of states of the model that are examined to lift a run.
const BUDGET: usize = 10_000;

/// The greatest number of states of one round of step-wise slicing, unless a limit sets another one.
const MOST_STATES: u64 = 2_000_000;

/// The choice whether and how a model is sliced before it is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slicing {
    /// Slices if it is sound and loses no information.
    Auto,
    /// Never slices.
    Off,
    /// By this method.
    By(Method),
}

/// The way in which a question is answered.
pub enum Sliced<'a, L: Language> {
    /// On the model.
    Whole,
    /// It is checked on the model, for this reason.
    Refused(Refusal),
    /// It is checked on a slice.
    Cut(Cut<'a, L>),
}

/// A slice and the function that lifts its violations.
pub struct Cut<'a, L: Language> {
    /// The smaller model.
    pub model: L,
    /// The properties over it.
    pub properties: L::Properties,
    /// The work that was done.
    pub effect: SliceEffect,
    /// A run of the original for a violation of the slice.
    pub lift: Lift<'a, L>,
}

/// From an answer about the slice to a run of the original, which is searched for until the time is over.
type Lift<'a, L> = Box<BringBack<'a, L>>;

/// As [`Lift`], unboxed.
pub(crate) type BringBack<'a, L> = dyn Fn(&Answer<Trace<L>>, &dyn Fn() -> bool) -> Option<Trace<L>> + 'a;

/// The report with every violation shown on the model: a run of the smaller model may end in another fault than that of the model.
///
/// # Errors
/// A violation that was not found on the model.
pub fn bring_back<L: Language>(
    model: &L,
    mut report: Report<Trace<L>>,
    lift: &BringBack<'_, L>,
    is_over: &dyn Fn() -> bool,
) -> Result<Report<Trace<L>>, Refusal> {
    for answer in &mut report.answers {
        answer.explanation = explained::brought::<L>(answer, lift, is_over);
        if answer.verdict != Verdict::Violated {
            continue;
        }
        let Some(run) = lift(answer, is_over) else {
            return Err(Refusal::NotBroughtBack(answer.name.clone()));
        };
        let finding = std::mem::take(&mut answer.finding).of_run(run.steps.len());
        answer.finding = match (finding, model.last_fault(&run)) {
            (Finding::Fault { step, .. }, Some(FaultText { text, process })) => Finding::Fault { text, process, step },
            (finding, _) => finding,
        };
        answer.trace = Some(run);
    }
    let is_shown = |answer: &Answer<Trace<L>>| answer.verdict != Verdict::Violated || answer.trace.is_some();
    assert!(report.answers.iter().all(is_shown), "each violation is shown on the model");
    // The deadlocks of the slice are not those of the model, nor are the values in use.
    report.deadlock_states = None;
    report.data.clear();
    Ok(report)
}

/// The slice of a Rebeca model.
pub fn of_actors<'a>(
    model: &'a Model,
    question: &Question,
    slicing: Slicing,
    replace: &Abstracted,
    control: &mut dyn Control,
) -> Result<Sliced<'a, Model>, Error> {
    let wanted = match slicing {
        Slicing::Off => return Ok(Sliced::Whole),
        Slicing::Auto if question.keep_going => return Ok(Sliced::Whole),
        Slicing::Auto => None,
        Slicing::By(method) => Some(method),
    };
    let is_live = |set: &PropertySet| set.properties.iter().any(|property| !is_safe(&property.kind));
    let fair = wanted == Some(Method::Static)
        && question.fairness == Fairness::Weak
        && is_live(&question.properties)
        && slicing::bounds::never_overflows(model);
    let excluded = || wanted.is_some() && slicing::bounds::never_overflows(model);
    let query = Query {
        deadlock: question.deadlock,
        overflow: question.overflow && !excluded(),
        assertions: question.assertions || fair,
        faults: question.faults || fair,
        fair,
        properties: question.properties.clone(),
    };
    let made = applicable(&query, wanted).and_then(|method| cut(model, &query, method, replace, question, control));
    match made {
        Ok((slice, _)) if wanted.is_none() && (slice.removed.is_empty() || !slice.is_finite) => Ok(Sliced::Whole),
        Ok((slice, effect)) => Ok(Sliced::Cut(way_back(model, query, slice, effect, question))),
        Err(_) if wanted.is_none() => Ok(Sliced::Whole),
        Err(refused) => refusal(refused, is_reachability(question, &query)),
    }
}

/// Whether the question is about states, not about one of the formulas.
fn is_reachability(question: &Question, query: &Query) -> bool {
    let properties = &question.properties;
    let formula = properties.properties.iter().any(|property| matches!(property.kind, PropertyKind::Ltl(_)));
    let built_in = query.deadlock || query.overflow || query.assertions || query.faults;
    !formula && (built_in || !properties.properties.is_empty())
}

fn refusal<'a, L: Language>(refused: Refused, is_error: bool) -> Result<Sliced<'a, L>, Error> {
    if is_error {
        Err(Error::NotPreserved(refused))
    } else {
        Ok(Sliced::Refused(Refusal::NotPreserved(refused.reason)))
    }
}

fn cut(
    model: &Model,
    query: &Query,
    method: Method,
    replace: &Abstracted,
    question: &Question,
    control: &mut dyn Control,
) -> Result<(Slice, SliceEffect), Refused> {
    if method != Method::StepWise {
        let slice = slice(model, query, method, replace)?;
        let effect = SliceEffect { is_fair: query.fair, ..effect(model, &slice, method) };
        return Ok((slice, effect));
    }
    let refined = refined(model, query, question, control)?;
    assert!(!refined.rounds.is_empty(), "a slice that is refined is that of its last round");
    let refinement = Refinement {
        rounds: refined.rounds.len() as u64,
        kept: refined.rounds.last().map(|round| names(model, &round.kept)).unwrap_or_default(),
        ended: match refined.ended {
            Ended::Static => RefinementEnd::Static,
            Ended::Unknown => RefinementEnd::Limit,
            Ended::Holds | Ended::Violated(..) => RefinementEnd::Answered,
        },
    };
    let effect = SliceEffect { refinement: Some(refinement), ..effect(model, &refined.slice, method) };
    Ok((refined.slice, effect))
}

/// The parts that a slice leaves out and those that it replaces.
fn effect(model: &Model, slice: &Slice, method: Method) -> SliceEffect {
    SliceEffect {
        method: method.name(),
        removed: counts(&slice.removed),
        replaced: names(model, &slice.replaced),
        ..SliceEffect::default()
    }
}

fn way_back<'a>(
    model: &'a Model,
    query: Query,
    slice: Slice,
    effect: SliceEffect,
    question: &Question,
) -> Cut<'a, Model> {
    let bounds = question.bounds;
    Cut {
        model: slice.model.clone(),
        properties: slice.properties.clone(),
        effect,
        lift: Box::new(move |answer, is_over| {
            let violation = violation(answer.kind, &answer.name)?;
            let original = Original { model, query: &query, bounds: &bounds, budget: BUDGET, is_over };
            match bring(&original, &slice, &violation, answer.trace.as_ref()?) {
                Lifted::Run(run) => Some(*run),
                Lifted::Spurious { .. } | Lifted::Unknown => None,
            }
        }),
    }
}

/// The number of removed things of each kind.
pub fn counts(removed: &[Removed]) -> Vec<(&'static str, u64)> {
    let mut counts: Vec<(&'static str, u64)> = Vec::new();
    for one in removed {
        match counts.iter_mut().find(|(name, _)| *name == one.kind.name()) {
            Some((_, count)) => *count += 1,
            None => counts.push((one.kind.name(), 1)),
        }
    }
    counts
}

/// The slice of a sequential process.
pub fn of_process<'a>(
    model: &'a Sequential,
    question: &Question<Vec<Property>>,
    slicing: Slicing,
) -> Result<Sliced<'a, Sequential>, Error> {
    let by_name = match slicing {
        Slicing::Off => return Ok(Sliced::Whole),
        Slicing::Auto if question.keep_going => return Ok(Sliced::Whole),
        Slicing::Auto => false,
        Slicing::By(Method::Static) => true,
        Slicing::By(method) => {
            return Ok(Sliced::Refused(Refusal::NotPreserved(format!("{} slicing is for actors", method.name()))));
        }
    };
    let nothing = question.properties.is_empty() && !question.faults;
    let formula = question.properties.iter().any(|property| matches!(property.kind, PropertyKind::Ltl(_)));
    let made = if question.deadlock {
        let reason = "deadlock is checked, and what is removed may keep the process alive";
        Err(Refused::new(reason, Alternative::WithoutDeadlock))
    } else if nothing {
        Ok(None)
    } else {
        slicing::sequential::slice(model, &question.properties, question.faults).map(Some)
    };
    match made {
        Ok(None) => Ok(Sliced::Whole),
        Ok(Some(slice)) if !by_name && slice.removed.is_empty() => Ok(Sliced::Whole),
        Ok(Some(slice)) => Ok(Sliced::Cut(Cut {
            model: slice.model.clone(),
            properties: slice.model.properties.clone(),
            effect: SliceEffect {
                method: Method::Static.name(),
                removed: counts(&slice.removed),
                ..SliceEffect::default()
            },
            lift: Box::new(move |answer, _| slice.lift(model, answer.trace.as_ref()?)),
        })),
        Err(_) if !by_name => Ok(Sliced::Whole),
        Err(refused) => refusal(refused, !formula),
    }
}

/// Slices step by step. A signal or the limit on time, which covers all rounds together, ends it with the slice of the
/// last round; the limit on memory applies to each check.
pub fn refined(model: &Model, query: &Query, limits: &Question, control: &mut dyn Control) -> Result<Refined, Refused> {
    let is_over = || limits::watch().consult().is_err();
    let mut check = |slice: &Slice| answer(slice, query, limits, &mut Unsaved(control));
    let original = Original { model, query, bounds: &limits.bounds, budget: BUDGET, is_over: &is_over };
    step_wise(&original, &mut check)
}

/// Checks the question on a slice, for refinement.
fn answer(slice: &Slice, query: &Query, limits: &Question, control: &mut dyn Control) -> Checked {
    let max_states = limits.limits.max_states.or(Some(MOST_STATES));
    let question = Question {
        deadlock: query.deadlock,
        overflow: false,
        assertions: query.assertions,
        faults: query.faults,
        properties: slice.properties.clone(),
        limits: Limits { max_states, ..limits.limits },
        bounds: limits.bounds,
        ..Question::default()
    };
    let Ok(report) = checker::check(&slice.model, &question, control) else { return Checked::Unknown };
    match report.verdict {
        Verdict::Holds => Checked::Holds,
        Verdict::Inconclusive => Checked::Unknown,
        Verdict::Violated => violated(report.answers).unwrap_or(Checked::Unknown),
    }
}

fn violated(answers: Vec<Answer<Trace<Model>>>) -> Option<Checked> {
    let answer = answers.into_iter().find(|answer| answer.verdict == Verdict::Violated)?;
    Some(Checked::Violated(violation(answer.kind, &answer.name)?, Box::new(answer.trace?)))
}

/// The violated part of an answer; `None` for overflow and formulas, whose runs are not lifted.
fn violation(kind: QueryKind, name: &str) -> Option<Violation> {
    match kind {
        QueryKind::Deadlock => Some(Violation::Deadlock),
        QueryKind::Assertion => Some(Violation::Fault(FaultClass::Assertion)),
        QueryKind::Error => Some(Violation::Fault(FaultClass::Error)),
        QueryKind::Invariant => Some(Violation::Property(name.to_owned())),
        QueryKind::Overflow | QueryKind::Ltl | QueryKind::Ctl | QueryKind::Cover | QueryKind::Recovery => None,
    }
}
