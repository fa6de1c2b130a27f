//! Formulas of CTL, decided on the whole explored graph.
//!
//! One breadth-first run on one thread, for all formulas that are asked of it, keeps the steps between stored states. Where these do not fit into
//! the limit on memory, they are computed again in sweeps over the states (`sweeps`), whose number is reported. [`truths`] then computes the
//! states in which each subformula is true. The formula holds if it is true in all initial states. The answer has a tree of runs that show it, as far as
//! runs can (`reasons`), replayed by the reference semantics (`tree`).
//!
//! # Soundness
//!
//! Exact, and said of complete graphs only. A quotient by a group that fixes every atom is bisimilar to the model, so the truth of CTL is one for all states
//! of an orbit. Partial order and slices keep less and are not used, nor is fairness assumed. Where a run may end, by a step that faults or since there is
//! none, it repeats its last state. A condition that cannot be evaluated in some state violates.

mod edges;
mod evaluate;
mod reasons;
mod sweeps;
#[cfg(test)]
mod tests;
mod tree;

use std::mem::take;
use std::ops::ControlFlow;
use std::time::Instant;

use bitvec::vec::BitVec;
use ltl::Formula;

pub use self::edges::Edges;
pub use self::evaluate::{Graph, Relation, Truth, Truths, Wrong, truths};
use self::reasons::{Reason, Reasons};
use self::sweeps::{Again, Sweeps};
use self::tree::Tree;

use crate::finding::{Finding, Open, Place};
use crate::plan::{Plan, settle};
use crate::question::{Fairness, Question, SearchOrder};
use crate::report::{Answer, Control, Explanation, InternalError, Limit, LimitKind, QueryKind, Run, Verdict};
use crate::search::{Clock, Expansion, GRACE, Observer, explore, limit_of_stop};
use crate::temporal::Runs;

/// Keeps the steps while states are expanded.
#[derive(Default)]
struct Recorder {
    steps: Edges,
    ends: BitVec,
    is_short: bool,
}

impl<S: Runs> Observer<S> for Recorder {
    fn expanded(&mut self, space: &S, number: u32, expansion: &S::Expansion) -> ControlFlow<()> {
        let targets: Vec<u32> = expansion.successors().collect();
        let grown = self.steps.bytes() + self.steps.growth(number, targets.len());
        // The steps are kept once more, from their targets.
        if !self.is_short {
            self.is_short = space.bytes(2 * grown) > space.most_bytes() || self.steps.push(number, &targets).is_err();
        }
        if self.is_short {
            self.steps = Edges::new();
        }
        let may_end = targets.is_empty() || (0..space.stopped(expansion)).any(|at| space.ends_with(expansion, at));
        self.ends.push(may_end);
        ControlFlow::Continue(())
    }
}

/// Answers formulas of CTL by one run for all of them, in an empty space.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm.
pub fn answers<S: Runs, B: Copy>(
    mut space: S,
    plan: Plan,
    formulas: &[(&str, &Formula<S::Condition>)],
    question: &Question<S::Properties, B>,
    control: &mut dyn Control,
) -> Result<Vec<Answer<S::Trace>>, InternalError> {
    let started = Instant::now();
    let mut run = Run { fairness: Fairness::None, reductions: plan.reductions, group: plan.group, ..Run::default() };
    let mut decided: Vec<(Judgement<S::Trace>, Run)> = Vec::with_capacity(formulas.len());
    if formulas.iter().any(|(_, formula)| formula.is_ctl()) {
        let mut recorder = Recorder::default();
        space.store_mut().spill_to(control.spilling());
        let clock = Clock::new(control);
        let watch = limits::watch().or_afterwards(GRACE);
        let summary = explore(&mut space, &mut recorder, clock, &question.limits, SearchOrder::BreadthFirst)?;
        (run.complete, run.limit) = (summary.complete, summary.limit);
        (run.states, run.transitions, run.system_states) = (summary.states, summary.transitions, summary.states);
        run.depth = summary.depth;
        let (mut steps, mut stopped) = (None, None);
        for &(_, formula) in formulas {
            let mut own = run.clone();
            let judgement = match (formula.is_ctl(), summary.complete, stopped) {
                (false, ..) => Judgement::open(Open::MixedTime),
                (true, false, _) => Judgement::open(Open::States),
                (true, true, Some(_)) => Judgement::open(Open::Undecided),
                // Only in a complete graph do all steps lead to states that are stored.
                (true, true, None) => {
                    let decided = watch.run(|| {
                        let steps = steps.get_or_insert_with(|| Steps::of(take(&mut recorder), summary.states));
                        judged(&mut space, formula, question.explains, steps, &mut own)
                    });
                    match decided {
                        Ok(judgement) => judgement?,
                        Err(reason) => {
                            stopped = Some(limit_of_stop(reason));
                            Judgement::open(Open::Undecided)
                        }
                    }
                }
            };
            own.limit = own.limit.or(stopped);
            decided.push((judgement, own));
        }
        if space.store().is_whole().is_err() {
            for (judgement, own) in &mut decided {
                own.limit = Some(Limit { kind: LimitKind::Disk, value: space.store().spilled().bytes });
                *judgement = Judgement::open(Open::Unread);
            }
        }
    } else {
        decided.extend(formulas.iter().map(|_| (Judgement::open(Open::MixedTime), run.clone())));
    }
    let seconds = started.elapsed().as_secs_f64();
    let answers = formulas.iter().zip(decided).map(|(&(name, _), (judgement, mut run))| {
        // A limit leaves nothing complete.
        run.complete &= run.limit.is_none();
        settle(run.group.as_mut(), &mut run.reductions, space.has_cut_ties());
        run.reductions.extend(space.reductions());
        run.seconds = seconds;
        let Judgement { verdict, finding, trace, explanation } = judgement;
        Answer { name: name.to_owned(), kind: QueryKind::Ctl, verdict, finding, trace, explanation, run: Some(run) }
    });
    Ok(answers.collect())
}

/// The steps of the explored graph: kept, or only the states in which a run may end.
enum Steps {
    Kept(Graph),
    Ends(BitVec),
}

impl Steps {
    fn of(Recorder { steps, ends, is_short }: Recorder, states: u64) -> Steps {
        assert_eq!(ends.len() as u64, states, "of every state it is known whether a run may end there");
        assert!(is_short || steps.states() == ends.len(), "the steps of every state are kept");
        if is_short { Steps::Ends(ends) } else { Steps::Kept(Graph { back: steps.reversed(), steps, ends }) }
    }
}

/// An answer before its figures.
struct Judgement<T> {
    verdict: Verdict,
    finding: Finding,
    trace: Option<T>,
    explanation: Option<Explanation<T>>,
}

impl<T> Judgement<T> {
    fn open(reason: Open) -> Judgement<T> {
        Judgement { verdict: Verdict::Inconclusive, finding: Finding::Open(reason), trace: None, explanation: None }
    }
}

/// The steps of a space whose states are all stored.
struct Expanded<'s, S: Runs> {
    space: &'s mut S,
    expansion: S::Expansion,
}

impl<S: Runs> Again for Expanded<'_, S> {
    fn targets(&mut self, state: u32, visit: &mut dyn FnMut(u32)) -> Result<(), ()> {
        self.space.expand(state, &mut self.expansion).map_err(|_| ())?;
        self.expansion.successors().for_each(visit);
        Ok(())
    }
}

fn judged<S: Runs>(
    space: &mut S,
    formula: &Formula<S::Condition>,
    explains: bool,
    steps: &mut Steps,
    run: &mut Run,
) -> Result<Judgement<S::Trace>, InternalError> {
    let states = space.store().len();
    let mut undefined = None;
    let mut truths: Vec<Truth> = Vec::new();
    let numbered = formula.map(&mut |condition| {
        let mut prepared = space.prepared(condition);
        let value = |number| match space.value(&mut prepared, number) {
            Some(value) => value,
            None => {
                let fault = space.fault_of_invariant(&prepared, number).unwrap_or_default();
                undefined.get_or_insert((number, fault));
                false
            }
        };
        truths.push((0..states).map(value).collect());
        truths.len() - 1
    });
    if let Some((number, fault)) = undefined {
        let path = space.store().path(number);
        let at = Place::Depth(path.len() - 1);
        let trace = Some(space.replayed(&path, None)?.trace);
        return Ok(Judgement {
            verdict: Verdict::Violated,
            finding: Finding::Undefined { fault, at },
            trace,
            explanation: None,
        });
    }
    run.untrue = (0..truths.len()).filter(|&atom| truths[atom].not_any()).collect();
    let starts = space.store().initial();
    let decided = match steps {
        Steps::Kept(graph) => Decided::of(graph, &numbered, &truths, starts, explains),
        Steps::Ends(ends) => {
            let mut sweeps = Sweeps::new(Expanded { space, expansion: S::Expansion::default() }, ends.clone());
            let decided = Decided::of(&mut sweeps, &numbered, &truths, starts, explains);
            run.sweeps = sweeps.count;
            if sweeps.has_failed {
                run.limit = Some(Limit { kind: LimitKind::Memory, value: space.most_bytes() });
                return Ok(Judgement::open(Open::Undecided));
            }
            decided
        }
    };
    // A limit that ends the runs does not take the answer back.
    let bare = Decided { reasons: Vec::new(), ..decided };
    let attempt = |decided| limits::watch().or_afterwards(GRACE).run(|| explained(space, formula, decided));
    let mut attempts = [decided, bare].into_iter().map(attempt);
    attempts.find_map(Result::ok).unwrap_or_else(|| Ok(Judgement::open(Open::Undecided)))
}

/// The truth of a formula at the starts, with its reasons in one of them.
struct Decided {
    holds: bool,
    start: u32,
    reasons: Vec<Reason>,
    is_cut: bool,
}

impl Decided {
    /// Decides a formula at a number of starts. The reasons are those in the first start in which it is false, or in the first.
    fn of<R: Relation>(
        relation: &mut R,
        formula: &Formula<usize>,
        atoms: &[Truth],
        starts: u32,
        explains: bool,
    ) -> Decided {
        let truths = truths(relation, formula, &mut |&atom| atoms[atom].clone(), Wrong::default());
        let false_at = (0..starts).find(|&number| !truths.own[number as usize]);
        let start = false_at.unwrap_or(0);
        let mut reasons = Reasons::new(relation, Wrong::default());
        let of_start = || if explains && start < starts { reasons.of(formula, &truths, start) } else { Vec::new() };
        // What shows the answer may take no time from it.
        let found = limits::watch().or_afterwards(GRACE).run(of_start);
        let is_cut = found.is_err() || reasons.is_cut();
        Decided { holds: false_at.is_none(), start, reasons: found.unwrap_or_default(), is_cut }
    }
}

/// The judgement with the executions of its reasons. The first is the counterexample or the witness.
fn explained<S: Runs>(
    space: &mut S,
    formula: &Formula<S::Condition>,
    Decided { holds, start, reasons, is_cut }: Decided,
) -> Result<Judgement<S::Trace>, InternalError> {
    let mut tree = Tree::new(space, formula);
    let mut runs = Vec::new();
    for reason in reasons {
        runs.extend(tree.branch(&[start], reason)?);
    }
    let is_cut = is_cut || tree.is_cut;
    let mut runs = runs.into_iter();
    let main = runs.next();
    let (verdict, finding) = match holds {
        true => (Verdict::Holds, Finding::Verdict),
        false => (Verdict::Violated, Finding::FalseAtStart { is_shown: main.is_some() }),
    };
    let Some(main) = main else {
        let trace = if holds { None } else { Some(space.replayed(&[start], None)?.trace) };
        return Ok(Judgement { verdict, finding, trace, explanation: None });
    };
    let (trace, witness) = if holds { (None, Some(main.trace)) } else { (Some(main.trace), None) };
    let branches = main.branches.into_iter().chain(runs).collect();
    let explanation = Some(Explanation { witness, notes: main.notes, branches, is_cut });
    Ok(Judgement { verdict, finding, trace, explanation })
}
