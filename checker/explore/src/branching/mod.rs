//! Formulas of CTL, decided on the whole explored graph.
//!
//! One breadth-first run on one thread, for all formulas that are asked of it, keeps the steps between stored states. Where these do not fit into
//! the limit on memory, they are computed again in sweeps over the states (`sweeps`), whose number is reported. [`truth`] then computes the
//! states in which each subformula is true. The formula holds if it is true in all initial states. A violation has an execution to a state that explains it, as
//! far as one execution can: through `AG`, `AX` and `EF` on the way.
//!
//! # Soundness
//!
//! Exact, and said of complete graphs only. A quotient by a group that fixes every atom is bisimilar to the model, so the truth of CTL is one for all states
//! of an orbit. Partial order and slices keep less and are not used, nor is fairness assumed. Where a run may end, by a step that faults or since there is
//! none, it repeats its last state. A condition that cannot be evaluated in some state violates.

mod edges;
mod evaluate;
mod sweeps;
#[cfg(test)]
mod tests;

use std::mem::take;
use std::ops::ControlFlow;
use std::time::Instant;

use bitvec::vec::BitVec;
use ltl::{Formula, Paths};

pub use self::edges::Edges;
pub use self::evaluate::{Graph, Relation, Truth, Wrong, truth};
use self::sweeps::{Again, Sweeps};

use crate::finding::{Finding, Open, Place};
use crate::plan::{Plan, settle};
use crate::question::{Fairness, Question, SearchOrder};
use crate::report::{Answer, Control, InternalError, Limit, LimitKind, QueryKind, Run, Verdict};
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
        let grown = self.steps.bytes() + self.steps.growth(targets.len());
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
                        let steps = steps.get_or_insert_with(|| Steps::of(take(&mut recorder)));
                        judged(&mut space, formula, steps, &mut own)
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
        let Judgement { verdict, finding, trace } = judgement;
        Answer { name: name.to_owned(), kind: QueryKind::Ctl, verdict, finding, trace, run: Some(run) }
    });
    Ok(answers.collect())
}

/// The steps of the explored graph: kept, or only the states in which a run may end.
enum Steps {
    Kept(Graph),
    Ends(BitVec),
}

impl Steps {
    fn of(Recorder { steps, ends, is_short }: Recorder) -> Steps {
        if is_short { Steps::Ends(ends) } else { Steps::Kept(Graph { back: steps.reversed(), steps, ends }) }
    }
}

/// An answer before its figures.
struct Judgement<T> {
    verdict: Verdict,
    finding: Finding,
    trace: Option<T>,
}

impl<T> Judgement<T> {
    fn open(reason: Open) -> Judgement<T> {
        Judgement { verdict: Verdict::Inconclusive, finding: Finding::Open(reason), trace: None }
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
    steps: &mut Steps,
    run: &mut Run,
) -> Result<Judgement<S::Trace>, InternalError> {
    let states = space.store().len();
    let mut undefined = None;
    let mut truths: Vec<Truth> = Vec::new();
    let formula = formula.map(&mut |condition| {
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
        return violated(space, &[number], |depth| Finding::Undefined { fault, at: Place::Depth(depth) });
    }
    run.untrue = (0..truths.len()).filter(|&atom| truths[atom].not_any()).collect();
    let starts = 0..space.store().initial();
    let found = match steps {
        Steps::Kept(graph) => falsified(graph, &formula, &truths, starts),
        Steps::Ends(ends) => {
            let mut sweeps = Sweeps::new(Expanded { space, expansion: S::Expansion::default() }, ends.clone());
            let found = falsified(&mut sweeps, &formula, &truths, starts);
            run.sweeps = sweeps.count;
            if sweeps.has_failed {
                run.limit = Some(Limit { kind: LimitKind::Memory, value: space.most_bytes() });
                return Ok(Judgement::open(Open::Undecided));
            }
            found
        }
    };
    match found {
        None => Ok(Judgement { verdict: Verdict::Holds, finding: Finding::Verdict, trace: None }),
        Some(path) => violated(space, &path, |depth| Finding::FalseAtStart { depth }),
    }
}

/// A path from the first start in which a formula is false to a state that explains it; nothing if it is true in all.
fn falsified<R: Relation>(
    relation: &mut R,
    formula: &Formula<usize>,
    truths: &[Truth],
    mut starts: std::ops::Range<u32>,
) -> Option<Vec<u32>> {
    let mut atom = |&atom: &usize| truths[atom].clone();
    let truth = truth(relation, formula, &mut atom, Wrong::default());
    let start = starts.find(|&number| !truth[number as usize])?;
    Some(explained(relation, formula, start, &mut atom))
}

fn violated<S: Runs>(
    space: &mut S,
    path: &[u32],
    finding: impl FnOnce(usize) -> Finding,
) -> Result<Judgement<S::Trace>, InternalError> {
    let mut whole = space.store().path(path[0]);
    whole.extend_from_slice(&path[1..]);
    let trace = space.replayed(&whole, None)?.trace;
    let finding = finding(whole.len() - 1);
    Ok(Judgement { verdict: Verdict::Violated, finding, trace: Some(trace) })
}

/// A path from a state in which a formula is false to one that explains it, as far as a path does.
fn explained<R: Relation, A>(
    relation: &mut R,
    formula: &Formula<A>,
    from: u32,
    atom: &mut dyn FnMut(&A) -> Truth,
) -> Vec<u32> {
    let mut path = vec![from];
    let (mut formula, mut at, mut wanted) = (formula, from, false);
    loop {
        match formula {
            Formula::Not(inner) => (formula, wanted) = (inner, !wanted),
            Formula::And(list) | Formula::Or(list) => {
                // One operand decides, or all do and none explains more than the others.
                let decides = matches!(formula, Formula::Or(_)) == wanted;
                let mut is_one =
                    |one: &&Formula<A>| truth(relation, one, atom, Wrong::default())[at as usize] == wanted;
                let Some(one) = list.iter().find(&mut is_one).filter(|_| decides) else { return path };
                formula = one;
            }
            Formula::Quantified(paths, inner) if (*paths == Paths::Some) == wanted => {
                let mut goal = |operand| {
                    let truth = truth(relation, operand, atom, Wrong::default());
                    if wanted { truth } else { !truth }
                };
                let (operand, more) = match &**inner {
                    Formula::Next(operand) => {
                        let goal = goal(operand);
                        let next = relation.targets(at).into_iter().find(|&to| goal[to as usize]);
                        let Some(next) = next else { return path };
                        (operand, vec![next])
                    }
                    Formula::Finally(operand) if wanted => {
                        let goal = goal(operand);
                        let Some(more) = reach(relation, at, &goal) else { return path };
                        (operand, more)
                    }
                    Formula::Globally(operand) if !wanted => {
                        let goal = goal(operand);
                        let Some(more) = reach(relation, at, &goal) else { return path };
                        (operand, more)
                    }
                    _ => return path,
                };
                path.extend(more);
                (formula, at) = (operand, *path.last().expect("a path has a state"));
            }
            _ => return path,
        }
    }
}

/// The states behind a state on a shortest path to a goal; nothing where steps are not known.
fn reach<R: Relation>(relation: &mut R, from: u32, goal: &Truth) -> Option<Vec<u32>> {
    let mut parents = vec![u32::MAX; relation.len()];
    let mut level = vec![from];
    parents[from as usize] = from;
    while !level.is_empty() {
        if let Some(&found) = level.iter().find(|&&state| goal[state as usize]) {
            let mut path = Vec::new();
            let mut at = found;
            while at != from {
                path.push(at);
                at = parents[at as usize];
            }
            path.reverse();
            return Some(path);
        }
        let mut next = Vec::new();
        for state in level {
            limits::work(1);
            for to in relation.targets(state) {
                if parents[to as usize] == u32::MAX {
                    parents[to as usize] = state;
                    next.push(to);
                }
            }
        }
        level = next;
    }
    None
}
