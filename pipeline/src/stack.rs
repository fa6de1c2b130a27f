//! ValidatedGroup -> check -> Report: the search of one question with the reductions that its plan allows, stacked.
//!
//! The quotient is by the part of the group that the question and partial order leave; a search that is continued keeps the reductions with which
//! it began; a quotient that does not pay is given up (`payoff`). The report names what was considered, applied or not.
//!
//! Soundness: `checker::stacking` refuses the combinations without a proof; a proof that no queue overflows answers that question whatever the
//! search has seen of it, and a contradiction between the two is a fault of the tool.

use std::time::Duration;

use checker::{
    AtImages, Control, Fairness, Finding, GroupNames, Outcome, QueryKind, Question, Quotient, Reduction, ReductionKind,
    Reductions, Refusal, Report, Representative, Verdict,
};
use ltl::Properties as _;

use crate::coverage;
use crate::language::{Language, Trace};
use crate::line::{Error, GRACE, Plan};
use crate::payoff::{Payoff, Rule, Trial, per_second};
use crate::stamp::{StampedControl, fingerprint, split};
use crate::task::Task;

/// Whether the search of a question uses partial order. If the question to a model without queues includes all faults, the search stores exactly one state per
/// orbit, as for actors.
fn has_partial_order<L: Language>(question: &Question<L::Properties>, plan: &Plan) -> bool {
    let is_deferred = !L::HAS_QUEUES && question.faults && !plan.proves_bounds;
    plan.partial_order && !is_deferred
}

/// The part of a group that the search of a question uses.
pub(crate) fn used<'g, L: Language>(task: Task<'_, L>, group: &'g L::Group) -> &'g L::Group {
    let Task { model, question, plan } = task;
    let is_fair = question.fairness == Fairness::Weak && model.has_processes();
    let is_fair = is_fair && !question.properties.formulas().is_empty();
    if has_partial_order::<L>(question, plan) || is_fair { L::of_instances(group) } else { group }
}

/// The reductions of one search, in the order in which they are stacked.
pub(crate) struct Stack<'s, L: Language> {
    model: &'s L,
    plan: &'s Plan,
    /// The group of the quotient, with more than one element.
    group: Option<&'s L::Group>,
    /// The group in the names of the model.
    names: GroupNames,
    /// Whether the search uses partial order.
    partial_order: bool,
    /// Whether partial order is allowed, and left out because all faults are requested.
    is_deferred: bool,
    /// Whether the message flow proves that no queue overflows; `None` where this is not asked.
    is_bounded: Option<bool>,
    /// The reductions that were considered, for the report.
    considered: Vec<Reduction>,
    /// The invariants that are checked at images.
    images: &'s [AtImages],
    /// The conditions under which the quotient is given up as slower than a plain search.
    payoff: Rule,
}

impl<'s, L: Language> Stack<'s, L> {
    pub(crate) fn new(task: Task<'s, L>, detected: Option<Result<Option<&'s L::Group>, String>>) -> Stack<'s, L> {
        let Task { model, question, plan } = task;
        let partial_order = has_partial_order::<L>(question, plan);
        let is_deferred = plan.partial_order && !partial_order;
        let part = |group| used(task, group);
        let refusal = match detected.map(|detected| detected.map(|group| group.map(part))) {
            None => None,
            Some(Ok(Some(group))) if !L::engine_group(group).is_trivial() => Some(Ok(group)),
            Some(Ok(_)) => plan.symmetry.map(|strategy| Err(Refusal::NoSymmetry(strategy.name()))),
            Some(Err(reason)) => Some(Err(Refusal::Undetected(reason))),
        };
        let mut considered = Vec::new();
        let refused = |reason| considered.push(Reduction::refused(ReductionKind::Symmetry, reason));
        let group = refusal.and_then(|group| group.map_err(refused).ok());
        let names = || group.map(|group| model.names(group));
        let names = limits::watch().or_afterwards(GRACE).run(names).ok().flatten().unwrap_or_default();
        let is_asked = plan.proves_bounds && L::HAS_QUEUES && (question.overflow || !plan.overflow_excluded);
        let prove = || limits::share(1, 3, || model.never_overflows()).unwrap_or(false);
        let is_bounded = is_asked.then(prove);
        let (images, payoff): (&[AtImages], _) = (&[], Rule::default());
        Stack { model, plan, group, names, partial_order, is_deferred, is_bounded, considered, images, payoff }
    }

    /// With invariants that are checked at images.
    pub(crate) fn at_images(self, images: &'s [AtImages]) -> Stack<'s, L> {
        Stack { images, ..self }
    }

    /// With another rule for giving the quotient up.
    #[cfg(test)]
    pub(crate) fn given_up_by(self, payoff: Rule) -> Stack<'s, L> {
        Stack { payoff, ..self }
    }

    fn overflow_excluded(&self) -> bool {
        self.plan.overflow_excluded || self.is_bounded == Some(true)
    }

    /// The model and its reductions, as text.
    fn stamp(&self, group: Option<&L::Group>) -> String {
        let generators = group.map_or_else(String::new, |group| format!("{:?}", L::engine_group(group).generators()));
        let (heap_symmetry, partial_order) = (self.plan.heap_symmetry, self.partial_order);
        format!("{}\n{generators}\n{heap_symmetry} {partial_order} {}", self.model.text(), self.overflow_excluded())
    }

    /// The search that is continued, if one is. It is resumed only with the reductions with which it began; one that began without a group
    /// continues without one.
    fn resumed(&mut self, control: &mut dyn Control) -> Result<Option<Vec<u8>>, Error> {
        let Some(saved) = control.resumed() else { return Ok(None) };
        let (known, rest) = split(saved).ok_or(Error::OtherReductions)?;
        if known == fingerprint(&self.stamp(self.group)) {
            return Ok(Some(rest));
        }
        if known != fingerprint(&self.stamp(None)) {
            return Err(Error::OtherReductions);
        }
        self.group = None;
        self.considered.push(Reduction::refused(ReductionKind::Symmetry, Refusal::BegunWithout));
        Ok(Some(rest))
    }

    /// The report of the search with these reductions, or without the group where it does not pay.
    pub(crate) fn search(
        mut self,
        question: &Question<L::Properties>,
        is_trial: bool,
        control: &mut dyn Control,
    ) -> Result<Report<Trace<L>>, Error> {
        let resumed = self.resumed(control)?;
        let is_measured = resumed.is_none() && !is_trial && self.is_measured();
        let in_quotient = if is_measured { self.in_measured_quotient(question, control)? } else { None };
        let report = match in_quotient {
            Some(report) => report,
            None => self.searched(question, resumed, is_trial, control)?,
        };
        self.complete(report)
    }

    /// The search with these reductions.
    fn searched(
        &self,
        question: &Question<L::Properties>,
        resumed: Option<Vec<u8>>,
        is_trial: bool,
        control: &mut dyn Control,
    ) -> Result<Report<Trace<L>>, Error> {
        assert!(self.group.is_none_or(|group| !L::engine_group(group).is_trivial()), "a quotient is by a symmetry");
        let text = || self.stamp(self.group);
        let is_resumed = resumed.is_some();
        let mut control = StampedControl::new(control, resumed, &text);
        let mut search = || self.model.check(question, self.reductions(), &mut control);
        let trial = if is_trial { limits::share(1, 4, &mut search).ok() } else { None };
        trial.unwrap_or_else(search).map_err(|error| match is_resumed {
            true => Error::Contradicted(error.0),
            false => Error::Internal(error.0),
        })
    }

    fn reductions(&self) -> Reductions<'s, L::Group> {
        let Plan { representative, counts_orbits, heap_symmetry, .. } = *self.plan;
        let quotient = self.group.map(|group| Quotient { group, representative, counts_orbits });
        let (partial_order, overflow_excluded) = (self.partial_order, self.overflow_excluded());
        Reductions { quotient, heap_symmetry, partial_order, overflow_excluded, images: self.images }
    }

    /// Whether the quotient is given up where it does not pay: where nothing but answers and counts of states is asked.
    fn is_measured(&self) -> bool {
        let is_chosen = self.plan.gives_up && self.plan.representative == Representative::Auto;
        self.group.is_some() && is_chosen && !self.plan.counts_orbits && self.images.is_empty()
    }

    /// The search of the quotient; `None` where it was given up, so that it is left to search the model without its group.
    fn in_measured_quotient(
        &mut self,
        question: &Question<L::Properties>,
        control: &mut dyn Control,
    ) -> Result<Option<Report<Trace<L>>>, Error> {
        let order = self.group.and_then(|group| u64::try_from(L::engine_group(group).order()).ok());
        let Some(order) = order else { return Ok(None) };
        let watch = limits::watch().at_most(u64::MAX);
        let mut trial = |time| self.trial(question, time);
        let mut payoff = Payoff::new(control, watch.clone(), self.payoff, order, &mut trial);
        let report = watch.enter(|| self.searched(question, None, false, &mut payoff));
        match (payoff.given_up(), report) {
            (None, Ok(report)) => report.map(Some),
            (None, Err(stopped)) => stopped.throw(),
            (Some(_), Ok(Err(error))) => Err(error),
            (Some(_), Ok(Ok(report))) if report.limit.is_none() => Ok(Some(report)),
            (Some(refusal), _) => {
                self.group = None;
                self.considered.push(Reduction::refused(ReductionKind::Symmetry, refusal));
                Ok(None)
            }
        }
    }

    /// The rate of the search without a group, which is ended after some time.
    fn trial(&self, question: &Question<L::Properties>, time: Duration) -> Option<Trial> {
        let watch = limits::watch();
        let watch = watch.within(Some(time), watch.max_memory().map(|most| most / 2));
        let reductions = Reductions { quotient: None, ..self.reductions() };
        let report = watch.run(|| self.model.check(question, reductions, &mut ())).ok()?.ok()?;
        let rate = per_second(report.states, report.seconds);
        Some(Trial { rate, is_complete: report.limit.is_none() && report.fault.is_none() })
    }

    /// A report with the reductions that were considered and the names of its groups.
    fn complete(self, mut report: Report<Trace<L>>) -> Result<Report<Trace<L>>, Error> {
        let mut considered = self.considered;
        considered.append(&mut report.reductions);
        if self.is_deferred {
            considered.push(Reduction::refused(ReductionKind::PartialOrder, Refusal::FaultsRequested));
        }
        if let Some(is_bounded) = self.is_bounded {
            considered.push(Reduction { kind: ReductionKind::QueueBounds, outcome: bounded(is_bounded, &mut report)? });
        }
        report.reductions = considered;
        let group = self.group;
        assert!(report.group.is_none() || group.is_some(), "a quotient is by the group of the search");
        report.executed = report.executed.take().and_then(|executed| coverage::known(self.model, group, executed));
        let runs = report.answers.iter_mut().filter_map(|answer| answer.run.as_mut()?.group.as_mut());
        for used in report.group.iter_mut().chain(runs) {
            if let Some(strategy) = self.plan.symmetry {
                used.detector = strategy.name().to_owned();
            }
            // A search that uses a part of a group names it.
            if used.names.orbits.is_empty() {
                used.names = self.names.clone();
            }
        }
        Ok(report)
    }
}

/// The answer of the message flow about overflow, for the report. A proof answers the question whatever the search has seen of it.
fn bounded<T>(is_bounded: bool, report: &mut Report<T>) -> Result<Outcome, Error> {
    if !is_bounded {
        return Ok(Outcome::OverflowOpen);
    }
    for answer in report.answers.iter_mut().filter(|answer| answer.kind == QueryKind::Overflow) {
        if answer.verdict == Verdict::Violated {
            let contradiction = "the message flow proves that no queue overflows, and one does";
            return Err(Error::Internal(contradiction.to_owned()));
        }
        (answer.verdict, answer.finding) = (Verdict::Holds, Finding::NoOverflow);
    }
    Ok(Outcome::NoOverflow)
}
