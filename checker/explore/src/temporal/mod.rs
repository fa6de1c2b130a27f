//! Formulas of linear temporal logic on runs, without and with weak fairness.
//!
//! The negation of the formula becomes an [`automaton`]; its `product` with the state space is made on the fly and
//! searched for a cycle that is accepted and fair (`components`, in a quotient with `threads`; without fairness
//! also `nested`). A found cycle becomes a `lasso`, is replayed by the reference semantics, and is judged by
//! [`ltl::holds`], which evaluates the formula on the run directly. A language provides its runs by [`runs::Runs`].
//!
//! A run that ends repeats its last state for ever: in a state without steps, and by a step that faults. Such a run is fair.
//! All conditions are evaluated in each state that the search reaches; one that has no value there violates the formula. Those of a formula
//! that counts inside of steps are true at a state, too, where they hold in a state inside of the step that the run takes from there.
//!
//! Soundness: `docs/soundness.md`. A violation that the judges do not confirm is a fault of the checker.

mod choices;
mod components;
mod everywhere;
mod kept;
mod lasso;
mod nested;
mod numbers;
mod product;
mod runs;
mod shorten;
mod threads;

use std::time::{Duration, Instant};

pub use runs::{Lasso, Literal, MOST_UNROLLED, NOBODY, Runs, set_bit, unrolled};

use self::components::Fair;
use self::kept::Keeps;
use self::product::{Product, Stop};
use crate::finding::{Finding, Open, Place, RunEnd};
use crate::plan::{Plan, settle};
use crate::question::{Emptiness, Fairness, Question};
use crate::report::{Answer, Control, InternalError, QueryKind, Run, Verdict};
use crate::search::{Clock, End, Expansion as _, GRACE, NoObserver, Search, limit_of_stop};
use ltl::{Automaton, Formula, automaton, degeneralise};

/// The end of a run that answers a formula.
#[derive(Debug)]
pub enum Answered<T> {
    /// The answer.
    Settled(Box<Answer<T>>),
    /// The quotient has a violating run that was not followed to a run of the model: the model itself must be searched. The
    /// quotient follows threads, or it renumbers created rebecs and the run does not return to a state.
    InQuotientOnly,
}

impl<T> Answered<T> {
    /// The answer, where there is one.
    pub fn settled(self) -> Option<Answer<T>> {
        match self {
            Answered::Settled(answer) => Some(*answer),
            Answered::InQuotientOnly => None,
        }
    }
}

/// Answers one formula by a separate run, on a space with the plan of its reductions. The run took `spent` before.
///
/// # Errors
/// A counterexample that is not confirmed.
pub fn answer<S: Runs, B: Copy>(
    mut space: S,
    plan: Plan,
    name: &str,
    formula: &Formula<S::Condition>,
    question: &Question<S::Properties, B>,
    spent: Duration,
    control: &mut dyn Control,
) -> Result<Answered<S::Trace>, InternalError> {
    let started = Instant::now();
    let weak = question.fairness == Fairness::Weak && space.has_processes();
    let mut run = Run {
        fairness: if weak { Fairness::Weak } else { Fairness::None },
        reductions: plan.reductions,
        group: plan.group,
        ..Run::default()
    };
    let mut answer = Answer {
        name: name.to_owned(),
        kind: QueryKind::Ltl,
        verdict: Verdict::Inconclusive,
        finding: Finding::Verdict,
        trace: None,
        explanation: None,
        run: None,
    };
    let mut conditions: Vec<S::Condition> = Vec::new();
    let mut number = |condition: &S::Condition| numbered::<S>(&mut conditions, condition);
    let Ok(violating) = automaton(formula, false, &mut number) else {
        answer.finding = Finding::Open(Open::LargeAutomaton);
        run.reductions.extend(space.reductions());
        answer.run = Some(Run { seconds: started.elapsed().as_secs_f64(), ..run });
        return Ok(Answered::Settled(Box::new(answer)));
    };
    let atoms = conditions.iter().map(|condition| space.prepared(condition)).collect();
    let counts_inside = space.counts_inside(name);
    if counts_inside {
        space.note_inside(&conditions);
    }
    let clock = Clock::new(control);
    let by_threads = weak && space.follows();
    let fair = match (weak, by_threads) {
        (false, _) => Fair::No,
        (true, false) => Fair::Processes,
        (true, true) => Fair::Threads,
    };
    let mut blind = NoObserver;
    let is_nested = question.emptiness == Emptiness::Nested && !weak;
    let (violating, accepting) = if is_nested { degeneralise(&violating) } else { (violating, Vec::new()) };
    let keeps = match fair {
        // Each state has one node except for its end, or a state that is cut at a depth has fewer steps.
        _ if violating.len() == 1 || question.limits.max_depth.is_some() => Keeps::Nothing,
        _ if counts_inside => Keeps::Nothing,
        Fair::No => Keeps::Targets,
        Fair::Processes => Keeps::Movers,
        Fair::Threads => Keeps::Moves,
    };
    let search = Search::new(&mut space, &mut blind, clock, &question.limits);
    let mut product = Product::new(search, &violating, atoms, keeps).counting_inside(counts_inside);
    let watch = product.search.watch().or_afterwards(GRACE);
    let look = || {
        if is_nested {
            nested::accepting(&mut product, &accepting).map(|found| found.map(Found::Node))
        } else {
            components::accepting(&mut product, fair).map(|found| found.map(Found::Component))
        }
    };
    let found = watch.run(look).unwrap_or_else(|stopped| Err(Stop::End(End::Limit(limit_of_stop(stopped)))));
    let ended = match &found {
        Ok(None) => Ok(()),
        Err(Stop::End(end)) => Err(*end),
        Ok(Some(_)) | Err(Stop::Undefined { .. }) => Err(End::Observer),
    };
    let summary = product.search.summary(ended);
    run.states = product.len() as u64;
    run.transitions = product.transitions;
    run.system_states = u64::from(product.search.space.store().len());
    (run.complete, run.limit) = (summary.complete, summary.limit);
    match found {
        Ok(None) if summary.complete => {
            answer.verdict = Verdict::Holds;
            let atoms = formula.atoms().into_iter().map(|atom| {
                let Literal { condition, is_positive } = S::plain(atom);
                Some((conditions.iter().position(|known| *known == condition)?, is_positive))
            });
            run.untrue = product.untrue(&atoms.collect::<Vec<_>>());
        }
        Ok(None) | Err(Stop::End(_)) => answer.finding = Finding::Open(Open::Runs),
        Ok(Some(_)) if by_threads => return Ok(Answered::InQuotientOnly),
        Ok(Some(found)) => {
            let lasso = match found {
                Found::Component(component) => lasso::lasso(&mut product, &component.nodes, weak),
                Found::Node(node) => lasso::through(&mut product, node),
            };
            let lasso = lasso.ok_or_else(|| internal(name, "no run leads through the component found"))?;
            let confirmed = confirmed(&mut product, &lasso, formula, weak);
            if confirmed.is_err() && product.search.space.may_not_close() {
                return Ok(Answered::InQuotientOnly);
            }
            let found = confirmed.map_err(|error| internal(name, &error))?;
            let (trace, finding) = shortened(&mut product, lasso, found, formula, weak);
            (answer.verdict, answer.trace, answer.finding) = (Verdict::Violated, Some(trace), finding);
        }
        Err(Stop::Undefined { node, atom }) => {
            let path =
                lasso::path(&mut product, node).ok_or_else(|| internal(name, "no run leads to a state found"))?;
            let fault = product.fault_of(atom, product.state(node));
            let fault = fault.ok_or_else(|| internal(name, "the reference semantics gives a value to a condition"))?;
            answer.trace = Some(product.search.space.replayed(&path, None)?.trace);
            answer.verdict = Verdict::Violated;
            answer.finding = Finding::Undefined { fault, at: Place::Steps(path.len() - 1) };
        }
    }
    settle(run.group.as_mut(), &mut run.reductions, product.search.space.has_cut_ties());
    run.reductions.extend(product.search.space.reductions());
    run.seconds = (spent + started.elapsed()).as_secs_f64();
    answer.run = Some(run);
    Ok(Answered::Settled(Box::new(answer)))
}

/// The automaton of the runs that violate a formula.
#[derive(Clone, Debug)]
pub struct ViolatingRuns<C> {
    /// The automaton.
    pub automaton: Automaton,
    /// The conditions of its edges, by number.
    pub conditions: Vec<C>,
}

/// The automaton of the runs that violate a formula, over conditions in the order in which they are met; nothing if
/// the automaton would be too large, or the formula is one of branching time.
pub fn violating<S: Runs>(formula: &Formula<S::Condition>) -> Option<ViolatingRuns<S::Condition>> {
    if formula.is_branching() {
        return None;
    }
    let mut conditions = Vec::new();
    let automaton = automaton(formula, false, &mut |condition| numbered::<S>(&mut conditions, condition)).ok()?;
    Some(ViolatingRuns { automaton, conditions })
}

/// The number of a condition, and whether it is not negated.
fn numbered<S: Runs>(conditions: &mut Vec<S::Condition>, condition: &S::Condition) -> (usize, bool) {
    let Literal { condition, is_positive } = S::plain(condition);
    let known = conditions.iter().position(|other| *other == condition);
    let number = known.unwrap_or_else(|| {
        conditions.push(condition);
        conditions.len() - 1
    });
    (number, is_positive)
}

/// The place of violating runs.
enum Found {
    /// All of it may be visited for ever.
    Component(components::Component),
    /// On an accepting cycle.
    Node(u32),
}

fn internal(name: &str, error: &str) -> InternalError {
    InternalError(format!("the counterexample to `{name}` is not confirmed: {error}"))
}

/// The fault with which a run ends in a stored state; `None` where the state has no step.
///
/// # Errors
/// No run ends in it.
pub fn last_fault<S: Runs>(space: &mut S, last: u32) -> Result<Option<S::Fault>, &'static str> {
    let mut expansion = S::Expansion::default();
    let _ = space.expand(last, &mut expansion);
    if !expansion.is_enabled() {
        return Ok(None);
    }
    let at = (0..space.stopped(&expansion)).find(|&at| space.ends_with(&expansion, at));
    Ok(Some(space.fault(last, &expansion, at.ok_or("the run ends in a state with steps")?)))
}

/// The execution of a run that violates a formula, by the reference semantics, and the message about it. It is judged
/// without the automaton.
fn confirmed<S: Runs>(
    product: &mut Product<'_, '_, S>,
    lasso: &Lasso,
    formula: &Formula<S::Condition>,
    weak: bool,
) -> Result<(S::Trace, Finding), String> {
    let last = *lasso.states.last().ok_or("the run has no state")?;
    let ends = lasso.cycle_from + 1 == lasso.states.len();
    let fault = if ends { last_fault(product.search.space, last)? } else { None };
    let trace = product.search.space.lasso(lasso, fault.as_ref()).map_err(|error| error.0)?;
    let space = &*product.search.space;
    let cycle_from = S::cycle_from(&trace).ok_or("the run has no cycle")?;
    let mut value = |condition: &S::Condition, at: usize| space.reference_value(condition, &trace, at);
    // The last state of a cycle is its first once more.
    let len = if ends { S::states(&trace) } else { S::states(&trace) - 1 };
    match ltl::holds(formula, len, cycle_from, &mut value) {
        Some(false) => {}
        Some(true) => return Err("the formula holds on the run".to_owned()),
        None => return Err("a condition has no value on the run".to_owned()),
    }
    if weak && let Some(process) = space.starved(&trace) {
        return Err(format!("the run is not fair to {process}"));
    }
    let (stem, cycle) = (cycle_from, S::states(&trace) - 1 - cycle_from);
    let end = match (&fault, cycle) {
        (Some(_), _) => RunEnd::Fault,
        (None, 0) => RunEnd::Stop,
        (None, steps) => RunEnd::Cycle { steps, is_fair: weak },
    };
    Ok((trace, Finding::Run { stem, end }))
}

/// The most runs that are tried in place of a violating one.
const MOST_SHORTER: usize = 64;

/// The shortest of the violating runs that leave out parts of one, as far as they are tried.
fn shortened<S: Runs>(
    product: &mut Product<'_, '_, S>,
    mut lasso: Lasso,
    mut found: (S::Trace, Finding),
    formula: &Formula<S::Condition>,
    weak: bool,
) -> (S::Trace, Finding) {
    let mut tries = MOST_SHORTER;
    loop {
        let candidates = shorten::shorter(&lasso, tries);
        tries -= candidates.len();
        let mut shorter = None;
        for candidate in candidates {
            // Whatever stops this leaves the run that is known.
            match limits::share(1, 8, || confirmed(product, &candidate, formula, weak)) {
                Err(_) => return found,
                Ok(Ok(other)) if S::states(&other.0) < S::states(&found.0) => {
                    shorter = Some((candidate, other));
                    break;
                }
                Ok(_) => {}
            }
        }
        let Some((candidate, other)) = shorter else { return found };
        (lasso, found) = (candidate, other);
    }
}
