//! Step-wise slicing: a small over-approximation first, refined until the answer is right.
//!
//! Round 0 replaces every assignment of few values to a variable that no property names. If the slice holds, so does
//! the model. If it does not, the refinement searches for its run on the original: first exactly, among a limited
//! number of states, then by a SAT solver ([`feasible`](crate::feasible)). A run that is found is the counterexample.
//! If there is none, the run is spurious, and the solver gives cores: sets of variables, one of which every refinement
//! that excludes this run keeps. Where the solver gives none, the variables whose values were chosen along the part of
//! the run that the original could not follow form a core. The next round keeps a smallest set of variables that hits
//! every core so far.
//!
//! Invariant: no core is hit by the variables kept when it was found, so cores are new in each round and the loop ends,
//! at the latest with the static slice.
//!
//! Soundness: only `holds` is taken from an over-approximation; a violation is a replayed run of the original. Cores
//! only affect how soon the loop ends.
//!
//! Source: \[Sab10\] 5.3, which leaves the choice of variables to the user; hitting sets as in counterexample-guided
//! refinement. The solver's answer is checked in integers, and a greedy set replaces it if the check fails.

use std::collections::BTreeSet;

use frontend::interpret::trace::Trace;
use frontend::interpret::{Bounds, FaultClass, State, evaluate_in_state};
use frontend::model::{ClassId, Expr, Model, PropertyKind, PropertySet, Role, Value, VariableId};
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, constraint, microlp, variable};

use crate::feasible::{End, Feasible, feasible};
use crate::lift::{Goal, Lifted, lift};
use crate::reduce::{Abstracted, Method, Query, Refused, Slice, mentioned, slice};

/// The greatest number of rounds before the static slice is taken.
const MAX_ROUNDS: usize = 64;

/// The result of checking a slice.
pub enum Checked {
    /// The whole question holds.
    Holds,
    /// A violation: the name of the property, or the class of the fault.
    Violated(Violation, Box<Trace>),
    /// A limit ended the check.
    Unknown,
}

/// The violated part of the question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// An invariant of this name.
    Property(String),
    /// A fault of this class.
    Fault(FaultClass),
    /// A deadlock.
    Deadlock,
}

/// One round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The variables kept, in addition to those that properties name.
    pub kept: Abstracted,
    /// The number of replaced variables.
    pub replaced: usize,
    /// The first core that the spurious run gave; empty in the last round.
    pub core: Abstracted,
    /// All cores that it gave.
    pub cores: Vec<Abstracted>,
    /// The procedure that decided about the run: the search, the solver, or neither; `None` if the slice has no run.
    pub decided: Option<Decided>,
    /// The number of steps of the spurious run that the original can follow.
    pub followed: usize,
}

frontend::named! {
    /// The procedure that decided whether the original has a run of the slice.
    pub enum Decided {
        /// The search for it.
        Search = "search",
        /// The solver, where the search met its bound.
        Solver = "solver",
        /// Neither: the run is assumed to be spurious.
        Neither = "neither",
    }
}

/// The end of the refinement.
pub enum Ended {
    /// The whole question holds.
    Holds,
    /// A violation, with a run of the original.
    Violated(Violation, Box<Trace>),
    /// No answer: the static slice has to be checked.
    Static,
    /// A limit ended a check.
    Unknown,
}

/// The result of step-wise slicing.
pub struct Refined {
    /// The end.
    pub ended: Ended,
    /// The last slice.
    pub slice: Slice,
    /// The rounds in order.
    pub rounds: Vec<Round>,
}

/// The model to slice, the question, and the limits of the searches for runs.
#[derive(Clone, Copy)]
pub struct Original<'a> {
    /// The model.
    pub model: &'a Model,
    /// The question.
    pub query: &'a Query,
    /// The bounds of its interpreter.
    pub bounds: &'a Bounds,
    /// The greatest number of states that the search for one run expands.
    pub budget: usize,
    /// Whether the time of the whole refinement is over; called often.
    pub is_over: &'a dyn Fn() -> bool,
}

/// Slices step by step; `check` answers the question for a slice. When the time is over, the slice of the last round is
/// returned without an answer.
///
/// # Errors
/// The model cannot be over-approximated.
pub fn step_wise(original: &Original<'_>, check: &mut dyn FnMut(&Slice) -> Checked) -> Result<Refined, Refused> {
    let &Original { model, query, is_over, .. } = original;
    let named_variables = mentioned(model, &query.properties);
    let open: Abstracted = variables(model).difference(&named_variables).copied().collect();
    let (mut rounds, mut cores): (Vec<Round>, Vec<Abstracted>) = (Vec::new(), Vec::new());
    loop {
        let kept = hitting(&cores);
        let replace = open.difference(&kept).copied().collect();
        let slice = slice(model, query, Method::StepWise, &replace)?;
        let mut round = Round {
            kept,
            replaced: slice.replaced.len(),
            core: Abstracted::new(),
            cores: Vec::new(),
            decided: None,
            followed: 0,
        };
        let is_last = slice.preserves.violated || rounds.len() >= MAX_ROUNDS;
        let checked = if is_last { None } else { Some(check(&slice)) };
        let (violation, trace) = match checked {
            Some(Checked::Violated(violation, trace)) => (violation, trace),
            ended => {
                let ended = match ended {
                    None => Ended::Static,
                    Some(Checked::Holds) => Ended::Holds,
                    Some(_) => Ended::Unknown,
                };
                rounds.push(round);
                return Ok(Refined { ended, slice, rounds });
            }
        };
        let tried = attempt(original, &slice, &violation, &trace);
        round.decided = Some(tried.decided);
        match tried.result {
            Lifted::Run(run) => {
                rounds.push(round);
                return Ok(Refined { ended: Ended::Violated(violation, run), slice, rounds });
            }
            Lifted::Spurious { followed } => round.followed = followed,
            Lifted::Unknown if is_over() => {
                rounds.push(Round { decided: None, ..round });
                return Ok(Refined { ended: Ended::Unknown, slice, rounds });
            }
            Lifted::Unknown => round.followed = trace.steps.len(),
        }
        let named = || vec![core(&slice, &trace, round.followed)];
        round.cores = if tried.cores.is_empty() { named() } else { tried.cores };
        round.core = round.cores[0].clone();
        let is_of_free = |core: &Abstracted| !core.is_empty() && core.is_disjoint(&round.kept);
        debug_assert!(round.cores.iter().all(is_of_free), "a core has variables that were free");
        cores.extend(round.cores.iter().cloned());
        rounds.push(round);
    }
}

/// The result for a run of the slice, and the procedure that decided it.
struct Attempt {
    result: Lifted,
    decided: Decided,
    cores: Vec<Abstracted>,
}

/// Searches for a violation of the slice on the original, by search and then by the solver.
fn attempt(original: &Original<'_>, slice: &Slice, violation: &Violation, trace: &Trace) -> Attempt {
    let result = search(original, slice, violation, trace);
    let by_search = Attempt { result, decided: Decided::Search, cores: Vec::new() };
    if matches!(by_search.result, Lifted::Run(_)) || (original.is_over)() {
        return by_search;
    }
    let end = match violation {
        Violation::Property(_) => End::Shown,
        Violation::Deadlock => End::Deadlock,
        Violation::Fault(class) => End::Fault(*class),
    };
    match feasible(original, slice, trace, end, &hitting) {
        Feasible::Run(run) if shows(original, violation, &run) => {
            Attempt { result: Lifted::Run(run), decided: Decided::Solver, cores: Vec::new() }
        }
        Feasible::Not(cores) => match by_search.result {
            Lifted::Unknown if cores.is_empty() => Attempt { decided: Decided::Neither, ..by_search },
            Lifted::Unknown => {
                let result = Lifted::Spurious { followed: trace.steps.len() };
                Attempt { result, decided: Decided::Solver, cores }
            }
            _ => Attempt { cores, ..by_search },
        },
        Feasible::Run(_) | Feasible::Unknown => match by_search.result {
            Lifted::Unknown => Attempt { decided: Decided::Neither, ..by_search },
            _ => by_search,
        },
    }
}

/// Whether the last state of a run violates the property; for faults and deadlocks, the search checked the run itself.
fn shows(original: &Original<'_>, violation: &Violation, run: &Trace) -> bool {
    match (violation, run.states().last()) {
        (Violation::Property(name), Some(state)) => {
            invariant(original, name).is_some_and(|invariant| is_broken(original.model, state, invariant))
        }
        (Violation::Property(_), None) => false,
        _ => true,
    }
}

/// The invariant of a name.
fn invariant<'a>(original: &Original<'a>, name: &str) -> Option<&'a Expr> {
    let property = original.query.properties.properties.iter().find(|property| property.name == name)?;
    match &property.kind {
        PropertyKind::Invariant(invariant) => Some(invariant),
        PropertyKind::Ltl(_) | PropertyKind::End(_) => None,
    }
}

fn is_broken(model: &Model, state: &State, invariant: &Expr) -> bool {
    evaluate_in_state(model, state, invariant) != Ok(Value::Bool(true))
}

/// Searches for a violation of the slice on the original; `Spurious` only if the search was complete.
pub fn bring(original: &Original<'_>, slice: &Slice, violation: &Violation, trace: &Trace) -> Lifted {
    attempt(original, slice, violation, trace).result
}

/// Searches for a violation of the slice on the original by search only.
pub fn search(original: &Original<'_>, slice: &Slice, violation: &Violation, trace: &Trace) -> Lifted {
    let lifted = |goal: &Goal<'_>| lift(original, slice, trace, goal);
    match violation {
        Violation::Deadlock => lifted(&Goal::Deadlock),
        Violation::Fault(class) => lifted(&Goal::Fault(*class)),
        Violation::Property(name) => match invariant(original, name) {
            Some(invariant) => lifted(&Goal::State(&|state| is_broken(original.model, state, invariant))),
            None => Lifted::Unknown,
        },
    }
}

/// The variables that properties name, by declaration.
pub fn mentioned_variables(model: &Model, properties: &PropertySet) -> Abstracted {
    mentioned(model, properties)
}

/// The state variables that rebecs may have, by declaration.
fn variables(model: &Model) -> Abstracted {
    let mut found = BTreeSet::new();
    for (index, class) in model.classes.iter().enumerate() {
        let own = class.variables.iter().enumerate().filter(|(_, variable)| variable.role == Role::State);
        let own = own.filter(|(_, variable)| variable.declared_in == ClassId::from_index(index));
        found.extend(own.map(|(id, _)| (ClassId::from_index(index), VariableId::from_index(id))));
    }
    found
}

/// The variables whose value was chosen up to the step that the original could not follow; all replaced variables if
/// none was.
fn core(slice: &Slice, trace: &Trace, followed: usize) -> Abstracted {
    let steps = trace.steps.iter().take(followed + 1);
    let spans: BTreeSet<_> = steps.flat_map(|step| &step.choices).map(|choice| choice.span).collect();
    let chosen = slice.replaced_at.iter().filter(|one| spans.contains(&one.span));
    let core: Abstracted = chosen.map(|one| one.variable).collect();
    if core.is_empty() { slice.replaced.clone() } else { core }
}

/// A smallest set that hits every core: the solver's set if it does, otherwise a greedy one.
pub fn hitting(cores: &[Abstracted]) -> Abstracted {
    if cores.is_empty() {
        return Abstracted::new();
    }
    let hits = |set: &Abstracted| cores.iter().all(|core| !core.is_disjoint(set));
    let found = solved(cores).filter(hits).unwrap_or_else(|| greedy(cores));
    debug_assert!(hits(&found) || cores.iter().any(BTreeSet::is_empty), "the set hits every core");
    found
}

fn solved(cores: &[Abstracted]) -> Option<Abstracted> {
    let all: Vec<_> = cores.iter().flatten().copied().collect::<Abstracted>().into_iter().collect();
    let mut problem = ProblemVariables::new();
    let chosen: Vec<_> = all.iter().map(|_| problem.add(variable().binary())).collect();
    let total: Expression = chosen.iter().map(|&one| Expression::from(one)).sum();
    let mut model = problem.minimise(total).using(microlp);
    for core in cores {
        let hit = all.iter().zip(&chosen).filter(|(variable, _)| core.contains(variable));
        let hit: Expression = hit.map(|(_, &one)| Expression::from(one)).sum();
        model = model.with(constraint!(hit >= 1.0));
    }
    let solution = model.solve().ok()?;
    Some(
        all.iter().zip(&chosen).filter(|&(_, &one)| solution.value(one) > 0.5).map(|(variable, _)| *variable).collect(),
    )
}

fn greedy(cores: &[Abstracted]) -> Abstracted {
    let mut set = Abstracted::new();
    while let Some(open) = cores.iter().find(|core| core.is_disjoint(&set)) {
        let hits = |variable: &(ClassId, VariableId)| {
            cores.iter().filter(|core| core.is_disjoint(&set) && core.contains(variable)).count()
        };
        let best = open.iter().copied().max_by_key(|variable| (hits(variable), std::cmp::Reverse(*variable)));
        set.extend(best);
        if best.is_none() {
            break; // an empty core cannot be hit
        }
    }
    set
}

/// The names of variables, for people.
pub fn names(model: &Model, variables: &Abstracted) -> Vec<String> {
    let name = |&(class, id): &(ClassId, VariableId)| {
        let class = model.class(class);
        format!("{}.{}", class.name, class.variables[id.index()].name)
    };
    variables.iter().map(name).collect()
}
