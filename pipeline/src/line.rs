//! The line from text to report, written as Rust:
//!
//! ```text
//! text -> Model -> (slice) -> Csp -> ColouredGraph -> Group -> ValidatedGroup -> check -> Report
//! ```
//!
//! [`read`](crate::read) makes the model; [`check`] is the rest. Each stage is a function of another crate; here they are put in order, and
//! this is the only place that orders reductions: slicing makes another model, the group is one of that model, the quotient and partial order
//! are those of its search ([`checker::stacking`] says which combinations the search refuses). Each formula is a run of its own.

use std::time::{Duration, Instant};

use checker::{
    Answer, AskedKind, Control, LimitKind, Question, Quotient, Reduction, Reductions, Report, Representative, Unsaved,
    Verdict,
};
use num_bigint::BigUint;
use slicing::reduce::{Abstracted, Method, Refused};
use symmetry::Strategy;

use crate::language::Language;
use crate::slice::{Sliced, Slicing, bring_back};
use crate::stamp::{Stamped, fingerprint, split};

/// How long it may take to report on what was found before a limit or a signal came.
pub const GRACE: Duration = Duration::from_secs(1);

/// Why a line gave no report.
#[derive(Clone, Debug)]
pub enum Error {
    /// A method of slicing that was asked for by name does not preserve what is asked.
    NotPreserved(Refused),
    /// The checkpoint is of this model and question, and of another reduction of it.
    OtherReductions,
    /// The content of the checkpoint is not of a search of this model, and why.
    Contradicted(String),
    /// A fault of the tool.
    Internal(String),
}

/// The reductions that the user allows.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Whether the model is sliced, and how.
    pub slicing: Slicing,
    /// The variables that bounded slicing replaces.
    pub replace: Abstracted,
    /// What proposes symmetries; none for no quotient.
    pub symmetry: Option<Strategy>,
    /// Whether created rebecs may be renumbered and collected.
    pub heap_symmetry: bool,
    /// How representatives are chosen.
    pub representative: Representative,
    /// Whether orbits are counted by size.
    pub counts_orbits: bool,
    /// Whether partial order reduction may be used.
    pub partial_order: bool,
    /// Whether the message flow is asked whether it excludes overflow.
    pub proves_bounds: bool,
    /// Whether an earlier run proved that no queue overflows.
    pub overflow_excluded: bool,
}

impl Default for Plan {
    /// Everything that is sound for the question and loses nothing.
    fn default() -> Plan {
        Plan {
            slicing: Slicing::Auto,
            replace: Abstracted::new(),
            symmetry: Some(Strategy::Constraint),
            heap_symmetry: true,
            representative: Representative::Auto,
            counts_orbits: false,
            partial_order: true,
            proves_bounds: false,
            overflow_excluded: false,
        }
    }
}

/// Model x Question -> Report: the reachability run, then a run of its own for each formula.
pub fn check<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<L::Trace>, Error> {
    let started = Instant::now();
    let (safety, formulas) = L::split(&question.properties);
    let order: Vec<String> = L::declared(&question.properties).iter().map(|(name, _)| (*name).to_owned()).collect();
    let question = Question { properties: safety, ..question.clone_without_properties() };
    let mut report = run(model, &question, plan, control)?;
    let is_excluded = |answer: &Answer<_>| answer.kind == AskedKind::Overflow && answer.verdict == Verdict::Holds;
    let overflow_excluded = report.answers.iter().any(is_excluded);
    for formula in formulas {
        let alone = Question {
            deadlock: false,
            overflow: false,
            assertions: false,
            faults: false,
            properties: formula,
            keep_going: false,
            ..question.clone_without_properties()
        };
        // Where fairness is not followed through a quotient, or partial order stands in its place, no group is looked for.
        let unfair =
            plan.symmetry.and_then(|_| model.unfair_quotient(&alone, Plan { overflow_excluded, ..plan.clone() }));
        let symmetry = plan.symmetry.filter(|_| unfair.is_none());
        let mut own = run(model, &alone, &Plan { symmetry, overflow_excluded, ..plan.clone() }, &mut Unsaved(control))?;
        if let (Some(_), Some(reason)) = (plan.symmetry, unfair) {
            own.reductions.push(not_applied("symmetry", reason.to_owned()));
        }
        for run in own.answers.iter_mut().filter_map(|answer| answer.run.as_mut()) {
            run.reductions.splice(0..0, std::mem::take(&mut own.reductions));
            if let (Some(used), Some(strategy)) = (&mut run.group, plan.symmetry) {
                used.detector = strategy.name().to_owned();
            }
        }
        let interrupted = own.limit.filter(|limit| limit.kind == LimitKind::Interrupt);
        report.limit = report.limit.or(interrupted);
        report.answers.extend(own.answers);
    }
    report.seconds = started.elapsed().as_secs_f64();
    let place = |name: &str| order.iter().position(|known| known == name);
    report.answers.sort_by_key(|answer| match answer.kind {
        AskedKind::Invariant | AskedKind::Ltl => place(&answer.name),
        AskedKind::Deadlock | AskedKind::Overflow | AskedKind::Assertion | AskedKind::Error => None,
    });
    report.verdict = report.verdict_of_answers();
    Ok(report)
}

/// One run: on the slice first, where the question is one that a slice answers; everything after it belongs to the slice.
fn run<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<L::Trace>, Error> {
    let slice = || model.slice(question, (plan.slicing, &plan.replace), control);
    let watch = limits::watch();
    // Refining step by step checks on the way, and has all the time.
    let share = if plan.slicing == Slicing::By(Method::StepWise) { watch.clone() } else { watch.share(1, 3) };
    let sliced = share.run(slice).unwrap_or_else(|stopped| Ok(Sliced::Refused(format!("{stopped}"))));
    let cut = match sliced? {
        Sliced::Whole => return reduced(model, question, plan, control),
        Sliced::Refused(reason) => {
            let mut report = reduced(model, question, plan, control)?;
            report.reductions.insert(0, not_applied("slicing", reason));
            return Ok(report);
        }
        Sliced::Cut(cut) => cut,
    };
    let own = Question { properties: cut.properties, ..question.clone_without_properties() };
    let report = reduced(&cut.model, &own, plan, control)?;
    let is_over = || limits::watch().consult().is_err();
    let bring_back = || bring_back::<L>(report, &*cut.lift, &is_over);
    let brought = watch.or_afterwards(GRACE).run(bring_back).unwrap_or_else(|stopped| Err(stopped.to_string()));
    let (mut report, told) = match brought {
        Ok(report) => (report, Reduction { name: "slicing", applied: true, detail: cut.detail }),
        Err(reason) => (reduced(model, question, plan, &mut Unsaved(control))?, not_applied("slicing", reason)),
    };
    report.reductions.insert(0, told);
    Ok(report)
}

/// One run, with its reductions in the order in which they are stacked.
fn reduced<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<L::Trace>, Error> {
    // 1. The group: of this model, fixing exactly what this run asks.
    let mut told = Vec::new();
    let look = |strategy| group_in_time(model, &question.properties, strategy);
    let group = plan.symmetry.and_then(|strategy| match look(strategy) {
        Ok(group) if L::order(&group) > BigUint::from(1u32) => Some(group),
        Ok(_) => {
            told.push(not_applied("symmetry", format!("{strategy} finds no symmetry that fixes what is asked")));
            None
        }
        Err(reason) => {
            told.push(not_applied("symmetry", reason));
            None
        }
    });
    let names = || group.as_ref().map(|group| model.names(group));
    let names = limits::watch().or_afterwards(GRACE).run(names).unwrap_or_default();
    // 2. The search, in the quotient and with partial order where both are sound.
    let Plan { representative, counts_orbits, .. } = *plan;
    let is_open = question.overflow || !plan.overflow_excluded;
    let prove = || limits::share(1, 3, || model.never_overflows()).unwrap_or(false);
    let is_proved = (plan.proves_bounds && L::HAS_QUEUES && is_open).then(prove);
    let is_bounded = is_proved == Some(true);
    let overflow_excluded = plan.overflow_excluded || is_bounded;
    let heap_symmetry = plan.heap_symmetry;
    // While everything is asked of a process, what is stored is one state an orbit and nothing less, as for actors.
    let is_put_off = plan.partial_order && !L::HAS_QUEUES && question.faults && !plan.proves_bounds;
    let partial_order = plan.partial_order && !is_put_off;
    // A search goes on only under what it was begun with; one that was begun without a group goes on without.
    let stamp = |group: Option<&L::Group>| {
        let generators = group.map_or_else(String::new, L::generators);
        format!("{}\n{generators}\n{heap_symmetry} {partial_order} {overflow_excluded}", model.text())
    };
    let mut group = group;
    let resumed = match control.resumed().map(split) {
        None => None,
        Some(Some((known, rest))) if known == fingerprint(&stamp(group.as_ref())) => Some(rest),
        Some(Some((known, rest))) if known == fingerprint(&stamp(None)) => {
            group = None;
            told.push(not_applied("symmetry", "the search that goes on was begun without it".to_owned()));
            Some(rest)
        }
        Some(_) => return Err(Error::OtherReductions),
    };
    let quotient = group.as_ref().map(|group| Quotient { group, representative, counts_orbits });
    let reductions = Reductions { quotient, heap_symmetry, partial_order, overflow_excluded };
    let text = || stamp(group.as_ref());
    let goes_on = resumed.is_some();
    let mut control = Stamped::new(control, resumed, &text);
    let mut report = model.check(question, reductions, &mut control).map_err(|error| match goes_on {
        true => Error::Contradicted(error.0),
        false => Error::Internal(error.0),
    })?;
    told.append(&mut report.reductions);
    if is_put_off {
        told.push(not_applied(
            "partial-order",
            "run-time faults are asked; --por on or --no-faults allows it".to_owned(),
        ));
    }
    if let Some(is_bounded) = is_proved {
        told.push(Reduction { name: "queue-bounds", applied: is_bounded, detail: bounded(is_bounded, &mut report)? });
    }
    report.reductions = told;
    if let (Some(used), Some(strategy)) = (&mut report.group, plan.symmetry) {
        used.detector = strategy.name().to_owned();
    }
    let runs = report.answers.iter_mut().filter_map(|answer| answer.run.as_mut()?.group.as_mut());
    for used in report.group.iter_mut().chain(runs) {
        used.names = names.clone().unwrap_or_default();
    }
    Ok(report)
}

/// What the message flow says of overflow, for the report. A proof answers the question whatever the search has seen of it.
fn bounded<T>(is_bounded: bool, report: &mut Report<T>) -> Result<String, Error> {
    if !is_bounded {
        return Ok("the message flow does not exclude overflow; `quotient bounds` says of which queues".to_owned());
    }
    let proof = "the message flow proves that no queue overflows";
    for answer in report.answers.iter_mut().filter(|answer| answer.kind == AskedKind::Overflow) {
        if answer.verdict == Verdict::Violated {
            return Err(Error::Internal(format!("{proof}, and one does")));
        }
        (answer.verdict, answer.message) = (Verdict::Holds, proof.to_owned());
    }
    Ok(proof.to_owned())
}

fn not_applied(name: &'static str, detail: String) -> Reduction {
    Reduction { name, applied: false, detail }
}

/// The group of a model inside a check: looked for in a third of the time that is left, and in half of the memory, so that the search
/// has the rest. What was proved until then is used.
///
/// Soundness: a group that was cut off is one of proved symmetries; it may be too small.
fn group_in_time<L: Language>(model: &L, properties: &L::Properties, strategy: Strategy) -> Result<L::Group, String> {
    let watch = limits::watch();
    let share = watch.share(1, 3).within(None, watch.max_memory().map(|most| most / 2));
    match share.run(|| model.group(properties, strategy)) {
        Ok(found) => found,
        Err(stopped) if stopped.is_share => {
            Err(format!("{stopped}; its share was used up before a symmetry was proved"))
        }
        Err(stopped) => Err(format!("{stopped}, before the symmetries were found")),
    }
}
