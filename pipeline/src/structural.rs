//! Checks a smaller net instead of a net, and shows its violations on the net.
//!
//! A language whose model is a net makes the smaller one ([`Smaller`]) by rules that keep the reachable tokens of some places, or whether a
//! deadlock is reachable. The whole line goes over the smaller net: its slice, its group, its search. Counts are those of the smaller net, so
//! that the reduction is applied only where the caller allows that.
//!
//! # Soundness
//!
//! The rules keep what the question is about (`checker::nets::reduce`), so that all verdicts are those of the net. Every step of the smaller net
//! stands for steps of the net, which the reference semantics takes one by one; a run that it does not confirm is a fault of the tool,
//! and never a verdict. Counts of orbits and checkpoints are left to the net itself.

use checker::{
    Answer, Control, Explanation, Note, Outcome, QueryKind, Question, Reduction, ReductionKind, Refusal,
    StructuralEffect, Unsaved, Verdict,
};

use crate::found::Found;
use crate::language::{Language, Trace};
use crate::line::{Error, GRACE, sliced};
use crate::task::{Attempt, Done, Task, refused};

/// A smaller net, and the way back of its runs.
pub struct Smaller<'m, L: Language> {
    /// The process of the smaller net.
    pub model: L,
    /// The properties over it.
    pub properties: L::Properties,
    /// The rules that were applied.
    pub effect: StructuralEffect,
    /// The way back: the run of the net that a run of the smaller net stands for, by the reference semantics, which shows what is said; or
    /// the reason why there is none.
    pub way: Box<WayToNet<'m, L>>,
}

/// The way from runs of a smaller net to those of the net.
type WayToNet<'m, L> = dyn Fn(Said<'_>, &Trace<L>) -> Result<Lifted<L>, Lost> + 'm;

/// An answer, as far as its runs show it.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The kind of the question.
    pub kind: QueryKind,
    /// Its name.
    pub name: &'a str,
    /// Whether it is violated.
    pub is_violated: bool,
}

/// A run of the net.
pub struct Lifted<L: Language> {
    /// The run.
    pub run: Trace<L>,
    /// For each state of the run of the smaller net the index of the state of the net behind the steps that lead there.
    pub places: Vec<usize>,
}

/// Why a run of the smaller net has no run of the net.
pub enum Lost {
    /// The deadlock is too many steps away.
    TooFar,
    /// The reference semantics contradicts; in which way.
    Contradicted(String),
}

/// One run: on a smaller net first, where the question allows it.
pub(crate) fn run<L: Language>(task: Task<'_, L>, found: &mut Found<L>, control: &mut dyn Control) -> Done<L> {
    let refusal = match made(task, control) {
        None => return sliced(task, found, control),
        Some(Err(refusal)) => refusal,
        Some(Ok(smaller)) => match of_smaller(&smaller, task, found, control)? {
            Ok(report) => return Ok(report),
            Err(refusal) => refusal,
        },
    };
    Ok(refused(sliced(task, found, control)?, ReductionKind::Structural, refusal))
}

/// The smaller net, unless its share of the time is over first; nothing where the model is no net, or no smaller net is wanted.
fn made<'m, L: Language>(
    Task { model, question, plan }: Task<'m, L>,
    control: &dyn Control,
) -> Option<Result<Smaller<'m, L>, Refusal>> {
    if !plan.structural {
        return None;
    }
    let made = limits::watch().share(1, 3).run(|| model.smaller(question));
    let smaller = made.unwrap_or_else(|stopped| Some(Err(Refusal::Stopped(stopped.to_string()))))?;
    Some(match smaller {
        Ok(_) if plan.counts_orbits => Err(Refusal::OrbitsCounted),
        Ok(_) if control.is_saved() => Err(Refusal::Saved),
        other => other,
    })
}

/// The report of a smaller net with every run shown on the net; or the reason that there is none.
pub(crate) fn of_smaller<L: Language>(
    smaller: &Smaller<'_, L>,
    Task { question, plan, .. }: Task<'_, L>,
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Attempt<L> {
    let own = Question { properties: smaller.properties.clone(), ..question.clone_without_properties() };
    let own = Task { model: &smaller.model, question: &own, plan };
    let mut report = sliced(own, found, &mut Unsaved(control))?;
    // The parts of the smaller net are not those of the net.
    report.executed = None;
    report.data.clear();
    report.deadlock_states = None;
    if found.is_trial && report.verdict != Verdict::Holds {
        return Ok(Ok(report));
    }
    let bring = || report.answers.iter_mut().try_for_each(|answer| bring_back(answer, &*smaller.way));
    let brought = limits::watch().or_afterwards(GRACE).run(bring);
    match brought {
        Ok(Ok(())) => {}
        Ok(Err(Lost::TooFar)) => return Ok(Err(Refusal::DeadlockTooFar)),
        Ok(Err(Lost::Contradicted(how))) => return Err(Error::Internal(how)),
        Err(stopped) => return Ok(Err(Refusal::Stopped(stopped.to_string()))),
    }
    let outcome = Outcome::Structural(smaller.effect);
    report.reductions.insert(0, Reduction { kind: ReductionKind::Structural, outcome });
    Ok(Ok(report))
}

/// Puts runs of the net in the place of those of the smaller one.
fn bring_back<L: Language>(answer: &mut Answer<Trace<L>>, way: &WayToNet<'_, L>) -> Result<(), Lost> {
    let said = Said { kind: answer.kind, name: &answer.name, is_violated: answer.verdict == Verdict::Violated };
    let lift = |run: &Trace<L>| {
        let lifted = way(said, run)?;
        let (ends, places) = (lifted.run.steps.len(), &lifted.places);
        assert_eq!(places.len(), run.steps.len() + 1, "each state of the smaller net has a state of the net");
        assert!(places.is_sorted() && places.last().is_some_and(|&last| last <= ends), "and these are in order");
        Ok(lifted)
    };
    let explanation = answer.explanation.take();
    if let Some(run) = &answer.trace {
        let lifted = lift(run)?;
        if answer.verdict == Verdict::Violated {
            answer.finding = std::mem::take(&mut answer.finding).of_run(lifted.run.steps.len());
        }
        answer.explanation = explanation.and_then(|explanation| noted(explanation, &lifted.places));
        answer.trace = Some(lifted.run);
    } else if let Some(Explanation { witness: Some(witness), .. }) = &explanation {
        let Lifted { run, places } = lift(witness)?;
        let noted = explanation.and_then(|explanation| noted(explanation, &places));
        answer.explanation = noted.map(|noted| Explanation { witness: Some(run), ..noted });
    }
    Ok(())
}

/// What a run shows, at the states of the run of the net; nothing where other runs branch off it.
fn noted<T>(explanation: Explanation<T>, places: &[usize]) -> Option<Explanation<T>> {
    let moved = |note: Note| Some(Note { at: *places.get(note.at)?, ..note });
    let notes = explanation.notes.into_iter().map(moved).collect::<Option<Vec<Note>>>()?;
    explanation.branches.is_empty().then_some(Explanation { notes, ..explanation })
}
