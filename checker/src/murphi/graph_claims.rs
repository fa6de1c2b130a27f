//! Claims that all states answer together: `cover`, and `liveness`, which says that a condition can be reached again from
//! every state (AG EF p).
//!
//! One run explores everything on one thread. Covers are noted on the way; for liveness the steps are kept, and truth is
//! carried backwards along them until nothing changes, for up to 64 instances of a property at a time.
//!
//! Soundness: exact. That a cover is met is proved by the state or step that meets it. That it is never met, and
//! everything about liveness, is said of complete graphs only. In a quotient the claims are kept by the group, instance by
//! instance for liveness, so that a state and its images have one truth. A faulting step leads nowhere, so a state from which
//! nothing else leads to the condition violates liveness. A condition that cannot be evaluated in some state violates, whatever other
//! states and instances say, so that no order of states or instances shows; a cover of states is therefore met on complete graphs only.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use explore::branching::Edges;
use explore::finding::{Finding, Open, Place};
use explore::memory::bytes_of;
use explore::plan::Plan;
use explore::question::{Fairness, Question, SearchOrder};
use explore::report::{Answer, Control, InternalError, Limit, LimitKind, QueryKind, Run, Verdict};
use explore::search::{Clock, GRACE, Observer, StateSpace, Summary, explore, limit_of_stop};
use frontend::murphi::interpret::{evaluate, starts};
use frontend::murphi::program::{Claim, ClaimKind, Property};
use frontend::murphi::trace::Trace;

use super::expansion::Expansion;
use super::space::Space;
use super::symmetry::Symmetry;
use super::watched::Invariant;

/// Instances of a property that are followed together.
const TOGETHER: usize = 64;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// Truth is carried along the steps, not against them.
        spreads_forwards,
        /// A cover that a part of the graph does not meet is taken for one that nothing meets.
        judges_parts,
        /// Instances of recovery that have no value in a state are passed over there.
        passes_over_faults,
    }
}

/// The answer to one claim so far.
enum Known {
    /// Nothing yet.
    Open,
    /// It is met, so many steps from a start.
    Met,
    /// It cannot be evaluated in a state, for this reason.
    Faults(u32, String),
}

/// Notes covers while states are stored and expanded.
struct Covers<'c, 'm> {
    claims: &'c [Claim],
    known: Vec<Known>,
    /// The properties of the claims that are covers of states.
    conditions: Vec<Option<Invariant<'m>>>,
}

impl<'m> Observer<Space<'m>> for Covers<'_, 'm> {
    fn stored(&mut self, space: &Space<'m>, numbers: Range<u32>) -> ControlFlow<()> {
        for (condition, known) in self.conditions.iter_mut().zip(&mut self.known) {
            let Some(condition) = condition else { continue };
            if matches!(known, Known::Faults(..)) {
                continue;
            }
            for number in numbers.clone() {
                // All instances, and all states behind one that meets it: which of them come first is an accident.
                let (mut is_met, mut faults) = (false, false);
                space.each_truth(condition, number, &mut |truth| {
                    is_met |= truth == Some(true);
                    faults |= truth.is_none();
                });
                if faults {
                    *known = Known::Faults(number, fault(space, condition.property, number));
                    break;
                }
                if is_met {
                    *known = Known::Met;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, _: &Space<'m>, _: u32, expansion: &Expansion) -> ControlFlow<()> {
        for (claim, known) in self.claims.iter().zip(&mut self.known) {
            if let ClaimKind::Met(id) = claim.kind
                && expansion.covers.contains(&id)
            {
                *known = Known::Met;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Answers the claims about the whole graph by a run of their own, in an empty space.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm.
pub(super) fn answers<P, B: Copy>(
    mut space: Space<'_>,
    wrong: Wrong,
    claims: &[Claim],
    question: &Question<P, B>,
    control: &mut dyn Control,
) -> Result<Vec<Answer<Trace>>, InternalError> {
    let started = Instant::now();
    let is_kept = claims.iter().any(|claim| matches!(claim.kind, ClaimKind::Liveness(_)));
    space.edges = is_kept.then(Edges::new);
    let met_at_start: Vec<_> = starts(space.program).into_iter().flat_map(|start| start.covers).collect();
    let known = claims.iter().map(|claim| match claim.kind {
        ClaimKind::Met(id) if met_at_start.contains(&id) => Known::Met,
        _ => Known::Open,
    });
    let condition = |claim: &Claim| match claim.kind {
        ClaimKind::Cover(index) => Some(Invariant::new(&space, index)),
        _ => None,
    };
    let conditions = claims.iter().map(condition).collect();
    let mut covers = Covers { claims, known: known.collect(), conditions };
    space.store_mut().spill_to(control.spilling());
    let clock = Clock::new(control);
    let summary = explore(&mut space, &mut covers, clock, &question.limits, SearchOrder::BreadthFirst)?;
    let watch = limits::watch().or_afterwards(GRACE);
    let mut answers = Vec::with_capacity(claims.len());
    for (claim, known) in claims.iter().zip(covers.known) {
        let judged = || judged(&space, wrong, claim, &known, &summary);
        let mut judgement =
            watch.run(judged).unwrap_or_else(|stopped| Ok(Judgement::limited(limit_of_stop(stopped))))?;
        if space.store.is_whole().is_err() {
            judgement = Judgement::limited(Limit { kind: LimitKind::Disk, value: space.store.spilled().bytes });
        }
        answers.push(answer(&space, claim, judgement, &summary, started));
    }
    Ok(answers)
}

/// An answer before its figures.
struct Judgement {
    verdict: Verdict,
    finding: Finding,
    trace: Option<Trace>,
    limit: Option<Limit>,
}

impl Judgement {
    fn new(verdict: Verdict, finding: Finding) -> Judgement {
        Judgement { verdict, finding, trace: None, limit: None }
    }

    fn holds() -> Judgement {
        Judgement::new(Verdict::Holds, Finding::Verdict)
    }

    fn open(reason: Open, limit: Option<Limit>) -> Judgement {
        Judgement { limit, ..Judgement::new(Verdict::Inconclusive, Finding::Open(reason)) }
    }

    fn limited(limit: Limit) -> Judgement {
        Judgement::open(Open::States, Some(limit))
    }

    /// Violated in a state, with the finding at its depth.
    fn violated(
        space: &Space<'_>,
        number: u32,
        finding: impl FnOnce(usize) -> Finding,
    ) -> Result<Judgement, InternalError> {
        let path = space.store.path(number);
        let finding = finding(path.len() - 1);
        let trace = Some(space.execution(&path, None)?.trace);
        Ok(Judgement { trace, ..Judgement::new(Verdict::Violated, finding) })
    }
}

fn answer(
    space: &Space<'_>,
    claim: &Claim,
    judgement: Judgement,
    summary: &Summary,
    started: Instant,
) -> Answer<Trace> {
    let Judgement { verdict, finding, trace, limit } = judgement;
    let plan = space.symmetry.as_deref().map_or_else(Plan::default, Symmetry::plan);
    let run = Run {
        states: summary.states,
        transitions: summary.transitions,
        system_states: summary.states,
        depth: summary.depth,
        complete: summary.complete,
        fairness: Fairness::None,
        reductions: plan.reductions,
        group: plan.group,
        limit: limit.or(summary.limit),
        seconds: started.elapsed().as_secs_f64(),
        ..Run::default()
    };
    let kind = QueryKind::of(claim).expect("a claim about the graph asks something");
    Answer { name: claim.name.clone(), kind, verdict, finding, trace, explanation: None, run: Some(run) }
}

fn judged(
    space: &Space<'_>,
    wrong: Wrong,
    claim: &Claim,
    known: &Known,
    summary: &Summary,
) -> Result<Judgement, InternalError> {
    match (known, &claim.kind) {
        (Known::Met, ClaimKind::Met(_)) => Ok(Judgement::holds()),
        (Known::Met, _) if summary.complete => Ok(Judgement::holds()),
        // A state that was not explored may be one in which it cannot be evaluated.
        (Known::Met, _) => Ok(Judgement::open(Open::Met, summary.limit)),
        (Known::Faults(number, fault), _) => Judgement::violated(space, *number, undefined(fault.clone())),
        (Known::Open, kind) if !(summary.complete || wrong.judges_parts() && matches!(kind, ClaimKind::Cover(_))) => {
            Ok(Judgement::open(Open::States, summary.limit))
        }
        (Known::Open, &ClaimKind::Liveness(index)) => liveness(space, wrong, index),
        (Known::Open, _) => Ok(Judgement::new(Verdict::Violated, Finding::Unmet)),
    }
}

/// Whether each instance of a property can be reached from every state of a complete graph.
fn liveness(space: &Space<'_>, wrong: Wrong, index: usize) -> Result<Judgement, InternalError> {
    let mut condition = Invariant::new(space, index);
    let states = space.store.len() as usize;
    let edges = space.edges.as_ref().expect("the steps are kept");
    assert_eq!(edges.states(), states, "the steps of every state are kept");
    // The reversed steps, the truths and the waiting states.
    let bytes = edges.bytes() + bytes_of::<u64>(states) + bytes_of::<u32>(states) + bytes_of::<bool>(states);
    if space.bytes(bytes) > space.most_bytes() {
        return Ok(Judgement::limited(Limit { kind: LimitKind::Memory, value: space.most_bytes() }));
    }
    let back = if wrong.spreads_forwards() { edges.clone() } else { edges.reversed() };
    let mut first = 0;
    loop {
        let mut reach = vec![0u64; states];
        let mut count = None;
        for (number, reach) in (0u32..).zip(&mut reach) {
            let (mut faults, mut instance) = (false, 0);
            space.each_truth(&mut condition, number, &mut |truth| {
                faults |= truth.is_none() && !wrong.passes_over_faults();
                if truth == Some(true) && (first..first + TOGETHER).contains(&instance) {
                    *reach |= 1 << (instance - first);
                }
                instance += 1;
            });
            if faults {
                let fault = fault(space, condition.property, number);
                return Judgement::violated(space, number, undefined(fault));
            }
            assert_eq!(*count.get_or_insert(instance), instance, "a property has the same instances in all states");
        }
        spread(&back, &mut reach);
        let count = count.unwrap_or(0);
        let instances = count.saturating_sub(first).min(TOGETHER);
        let all = if instances == TOGETHER { u64::MAX } else { (1 << instances) - 1 };
        if let Some(number) = (0u32..).zip(&reach).find(|(_, reach)| **reach != all).map(|(number, _)| number) {
            let at = first + (!reach[number as usize]).trailing_zeros() as usize;
            let instance = instance(space, condition.property, at);
            return Judgement::violated(space, number, |depth| Finding::Unreachable { instance, depth });
        }
        first += TOGETHER;
        if first >= count {
            return Ok(Judgement::holds());
        }
    }
}

/// The fault of the first instance of a property that has one in a state.
fn fault(space: &Space<'_>, property: &Property, number: u32) -> String {
    let truths = space.truths(property, &space.state(number));
    let fault = truths.into_iter().find_map(|truth| truth.holds.err());
    fault.map_or_else(String::new, |fault| fault.kind.text(&space.program.types))
}

/// Carries truths from the targets of steps to their sources until nothing changes.
fn spread(back: &Edges, reach: &mut [u64]) {
    let mut waiting: Vec<u32> = (0u32..).zip(&*reach).filter(|(_, reach)| **reach != 0).map(|(at, _)| at).collect();
    let mut is_waiting: Vec<bool> = reach.iter().map(|reach| *reach != 0).collect();
    while let Some(state) = waiting.pop() {
        limits::work(1);
        let state = state as usize;
        is_waiting[state] = false;
        for &source in back.of(state) {
            let (truths, source) = (reach[state], source as usize);
            if truths & !reach[source] != 0 {
                reach[source] |= truths;
                if !std::mem::replace(&mut is_waiting[source], true) {
                    waiting.push(u32::try_from(source).expect("states have numbers of 32 bits"));
                }
            }
        }
    }
}

/// A condition that cannot be evaluated.
fn undefined(fault: String) -> impl FnOnce(usize) -> Finding {
    move |depth| Finding::Undefined { fault, at: Place::Depth(depth) }
}

/// An instance of a property: the values of its parameters.
fn instance(space: &Space<'_>, property: &Property, at: usize) -> Vec<String> {
    let truths = evaluate(space.program, property, &space.state(0));
    let values = &truths[at].values;
    let listed = space.program.parameters(&property.header, &property.frame, values);
    listed.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}
