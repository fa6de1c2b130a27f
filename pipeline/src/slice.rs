//! Checking a slice instead of its model, and bringing violations back.
//!
//! `auto` slices where a question un-asks overflow, asks no counts, and everything that it asks is preserved; it says
//! nothing where it does not apply. A method asked for by name is refused with an error where it does not preserve what is
//! asked; each formula is a run of its own, which is told to be whole instead.
//!
//! Soundness: only `holds` is taken from a slice. A violation is told with a run of the model that the reference semantics
//! replayed; where none is found, the model itself is checked.

use checker::{Answer, AskedKind, Control, Fairness, Limits, Question, Report, Unsaved, Verdict};
use frontend::interpret::FaultClass;
use frontend::interpret::trace::Trace;
use frontend::model::{Model, PropertyKind, PropertySet};
use frontend::sequential::{Property, Sequential};
use slicing::lift::Lifted;
use slicing::reduce::{Abstracted, Ask, Method, Refused, Removed, Slice, applicable, is_safe, slice};
use slicing::refine::{Checked, Ended, Original, Refined, Violation, bring, names, step_wise};

use crate::language::Language;
use crate::line::Error;

/// How many states of the model are looked at to bring a run back.
const BUDGET: usize = 10_000;

/// The most states of one round of step-wise slicing, unless a limit says otherwise.
const MOST_STATES: u64 = 2_000_000;

/// Whether and how a model is sliced before it is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slicing {
    /// Where it is sound and loses nothing.
    Auto,
    /// Never.
    Off,
    /// By this method.
    By(Method),
}

/// What becomes of a question.
pub enum Sliced<'a, L: Language> {
    /// It is asked of the model.
    Whole,
    /// It is asked of the model, for this reason.
    Refused(String),
    /// It is asked of a slice.
    Cut(Cut<'a, L>),
}

/// A slice and the way back.
pub struct Cut<'a, L: Language> {
    /// The smaller model.
    pub model: L,
    /// The properties over it.
    pub properties: L::Properties,
    /// What was done, in one line.
    pub detail: String,
    /// A run of the original for a violation of the slice.
    pub lift: Lift<'a, L>,
}

/// From an answer about the slice to a run of the original, looked for until it is time to end.
type Lift<'a, L> = Box<BringBack<'a, L>>;

/// As [`Lift`], unboxed.
type BringBack<'a, L> =
    dyn Fn(&Answer<<L as Language>::Trace>, &dyn Fn() -> bool) -> Option<<L as Language>::Trace> + 'a;

/// The report with every violation shown on the model.
///
/// # Errors
/// A violation that was not found on the model.
pub fn bring_back<L: Language>(
    mut report: Report<L::Trace>,
    lift: &BringBack<'_, L>,
    is_over: &dyn Fn() -> bool,
) -> Result<Report<L::Trace>, String> {
    for answer in report.answers.iter_mut().filter(|answer| answer.verdict == Verdict::Violated) {
        let before = answer.trace.as_ref().map_or(0, L::taken);
        let Some(run) = lift(answer, is_over) else {
            return Err(format!("the violation of `{}` on the slice was not found on the model", answer.name));
        };
        answer.message = answer.message.replace(&format!("depth {before})"), &format!("depth {})", L::taken(&run)));
        answer.trace = Some(run);
    }
    // The deadlocks of the slice are not those of the model.
    report.deadlock_states = None;
    Ok(report)
}

/// The slice of a Rebeca model.
pub fn of_actors<'a>(
    model: &'a Model,
    question: &Question,
    (slicing, replace): (Slicing, &Abstracted),
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
    let ask = Ask {
        deadlock: question.deadlock,
        overflow: question.overflow && !excluded(),
        assertions: question.assertions || fair,
        faults: question.faults || fair,
        fair,
        properties: question.properties.clone(),
    };
    let made = applicable(&ask, wanted).and_then(|method| cut(model, &ask, (method, replace), (question, control)));
    match made {
        Ok((slice, _)) if wanted.is_none() && (slice.removed.is_empty() || !slice.is_finite) => Ok(Sliced::Whole),
        Ok((slice, detail)) => Ok(Sliced::Cut(way_back(model, ask, slice, detail, question))),
        Err(_) if wanted.is_none() => Ok(Sliced::Whole),
        Err(refused) => refusal(refused, is_reachability(question, &ask)),
    }
}

/// Whether the question is the one about states, not one of the formulas.
fn is_reachability(question: &Question, ask: &Ask) -> bool {
    let properties = &question.properties;
    let formula = properties.properties.iter().any(|property| matches!(property.kind, PropertyKind::Ltl(_)));
    let built_in = ask.deadlock || ask.overflow || ask.assertions || ask.faults;
    !formula && (built_in || !properties.properties.is_empty())
}

fn refusal<'a, L: Language>(refused: Refused, is_error: bool) -> Result<Sliced<'a, L>, Error> {
    if is_error { Err(Error::NotPreserved(refused)) } else { Ok(Sliced::Refused(refused.reason)) }
}

fn cut(
    model: &Model,
    ask: &Ask,
    (method, replace): (Method, &Abstracted),
    (question, control): (&Question, &mut dyn Control),
) -> Result<(Slice, String), Refused> {
    if method != Method::StepWise {
        let slice = slice(model, ask, method, replace)?;
        let any = any_value(model, &slice);
        let fair = if ask.fair { ", with all that may fault, for fair runs" } else { "" };
        let detail = format!("{}: {}{any}{fair}", method.name(), told(&slice.removed));
        return Ok((slice, detail));
    }
    let refined = refined(model, ask, question, control)?;
    let rounds = counted(refined.rounds.len() as u64, "round");
    let kept = refined.rounds.last().map(|round| names(model, &round.kept).join(", ")).unwrap_or_default();
    let kept = if kept.is_empty() { String::new() } else { format!(", refined by {kept}") };
    let end = match refined.ended {
        Ended::Static => ", ends with the static slice",
        Ended::Unknown => ", ended by a limit",
        Ended::Holds | Ended::Violated(..) => "",
    };
    let replaced = any_value(model, &refined.slice);
    let detail = format!("step-wise: {rounds}{kept}{end}{replaced}; {}", told(&refined.slice.removed));
    Ok((refined.slice, detail))
}

/// The variables that may have any of their values, in words.
fn any_value(model: &Model, slice: &Slice) -> String {
    let replaced = names(model, &slice.replaced).join(", ");
    if replaced.is_empty() { String::new() } else { format!(", any value for {replaced}") }
}

fn way_back<'a>(model: &'a Model, ask: Ask, slice: Slice, detail: String, question: &Question) -> Cut<'a, Model> {
    let bounds = question.bounds;
    Cut {
        model: slice.model.clone(),
        properties: slice.properties.clone(),
        detail,
        lift: Box::new(move |answer, is_over| {
            let violation = violation(answer.kind, &answer.name)?;
            let original = Original { model, ask: &ask, bounds: &bounds, budget: BUDGET, is_over };
            match bring(&original, &slice, (&violation, answer.trace.as_ref()?)) {
                Lifted::Run(run) => Some(*run),
                Lifted::Spurious { .. } | Lifted::Unknown => None,
            }
        }),
    }
}

/// What went, in one line.
fn told(removed: &[Removed]) -> String {
    counts(removed).map_or_else(|| "nothing removed".to_owned(), |counts| format!("removed {counts}"))
}

/// A number with its noun.
fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// How many of each kind went; nothing if nothing did.
pub fn counts(removed: &[Removed]) -> Option<String> {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for one in removed {
        match counts.iter_mut().find(|(name, _)| *name == one.kind.name()) {
            Some((_, count)) => *count += 1,
            None => counts.push((one.kind.name(), 1)),
        }
    }
    let counts: Vec<String> = counts.into_iter().map(|(name, count)| counted(count, name)).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
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
            return Ok(Sliced::Refused(format!("{} slicing is for actors", method.name())));
        }
    };
    let nothing = question.properties.is_empty() && !question.faults;
    let formula = question.properties.iter().any(|property| matches!(property.kind, PropertyKind::Ltl(_)));
    let made = if question.deadlock {
        Err(Refused {
            reason: "deadlock is asked, and what is removed may keep the process alive".to_owned(),
            alternative: "un-ask it with `--no-deadlock`".to_owned(),
        })
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
            detail: format!("static: {}", told(&slice.removed)),
            lift: Box::new(move |answer, _| slice.lift(model, answer.trace.as_ref()?)),
        })),
        Err(_) if !by_name => Ok(Sliced::Whole),
        Err(refused) => refusal(refused, !formula),
    }
}

/// Slices step by step. Signals and the limit on time, which is one for all rounds, end it with the slice of the last one; the
/// limit on memory is that of each check.
pub fn refined(model: &Model, ask: &Ask, limits: &Question, control: &mut dyn Control) -> Result<Refined, Refused> {
    let is_over = || limits::watch().consult().is_err();
    let mut check = |slice: &Slice| answer(slice, ask, limits, &mut Unsaved(control));
    let original = Original { model, ask, bounds: &limits.bounds, budget: BUDGET, is_over: &is_over };
    step_wise(&original, &mut check)
}

/// Answers what is asked of a slice, for refinement.
fn answer(slice: &Slice, ask: &Ask, limits: &Question, control: &mut dyn Control) -> Checked {
    let max_states = limits.limits.max_states.or(Some(MOST_STATES));
    let question = Question {
        deadlock: ask.deadlock,
        overflow: false,
        assertions: ask.assertions,
        faults: ask.faults,
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

fn violated(answers: Vec<Answer<Trace>>) -> Option<Checked> {
    let answer = answers.into_iter().find(|answer| answer.verdict == Verdict::Violated)?;
    Some(Checked::Violated(violation(answer.kind, &answer.name)?, Box::new(answer.trace?)))
}

/// What an answer says is violated; nothing for overflow and formulas, whose runs are not brought back.
fn violation(kind: AskedKind, name: &str) -> Option<Violation> {
    match kind {
        AskedKind::Deadlock => Some(Violation::Deadlock),
        AskedKind::Assertion => Some(Violation::Fault(FaultClass::Assertion)),
        AskedKind::Error => Some(Violation::Fault(FaultClass::Error)),
        AskedKind::Invariant => Some(Violation::Property(name.to_owned())),
        AskedKind::Overflow | AskedKind::Ltl => None,
    }
}
