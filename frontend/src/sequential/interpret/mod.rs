//! The meaning of a process: expressions, steps and initial states, evaluated directly. This is the only semantics of
//! the sequential form: every faster implementation is tested against it.
//!
//! An instance of a summand is a choice of values for its parameters. It is enabled in a state if its guard is true
//! there. It then gives one step: its event arguments are evaluated, and its body runs on a copy of the state, in
//! order. A fault in the guard, the arguments or the body ends the instance: the step has no successor. Arithmetic is
//! checked in 32 bits; `/` and `mod` are floored. `&&`, `||`, `=>`, `ite` and quantifiers stop as soon as the result is
//! known, so that skipped operands cannot fault. A read, lookup or write with an index outside its sort faults, and so
//! does a written value outside the sort of its variable.
//!
//! A local holds a value from its declaration to the end of the step at the latest, and is no part of a state. `for`
//! runs over all values of a sort in ascending order, `while` as long as its condition is true. A step with more than
//! [`MAX_WHILE`] rounds of `while` loops faults.
//!
//! Counting: a transition is an enabled instance with a successor. Distinct instances count separately even if they
//! give the same successor; a faulting step is no transition. A deadlock is a state without any step, faulting ones
//! included.
//!
//! Source: \[Zha13\] III-A; faults, order and rounding are ours.

mod arithmetic;
mod evaluate;
mod initial;

use self::evaluate::Evaluator;
use self::initial::{advance, first};
use super::{Domain, Expr, MAX_WHILE, Sequential, SortId, Stmt, StmtKind, Summand, SummandId, Turn, VariableId};
use crate::parts::{Mark, Way};
use crate::source::{Span, Spanned};

pub use self::arithmetic::arithmetic;
pub use self::initial::{InitialStates, initial_count, initial_states, is_initial};

/// The elementary steps of trying an instance, in addition to those of evaluating its guard.
const INSTANCE: u64 = 8;

/// A state: one value per element, in the order of the variables, row-major.
pub type State = Vec<i32>;

/// One enabled instance of a summand, or one whose guard faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeqStep {
    /// The summand.
    pub summand: SummandId,
    /// The values of its parameters.
    pub parameters: Vec<i32>,
    /// The values of the event's arguments; empty if evaluating the guard or an argument faults.
    pub arguments: Vec<i32>,
    /// The state afterwards, or the reason why there is none.
    pub result: Result<State, SeqFault>,
    /// Where a step of the model goes through states of a turn: the instances in order, this one first. Empty where it
    /// is one instance.
    pub parts: Vec<SeqStep>,
}

/// The fault of a step.
pub type SeqFault = Spanned<SeqFaultKind>;

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SeqFaultKind {
    /// An index that is not a value of the index sort.
    IndexOutOfRange {
        /// The index.
        index: i32,
        /// The index sort.
        sort: SortId,
        /// The variable; `None` for a table.
        variable: Option<VariableId>,
    },
    /// A value written to a variable whose sort does not hold it.
    OutsideDomain {
        /// The variable.
        variable: VariableId,
        /// The value.
        value: i32,
    },
    /// `/`, `mod`, `div` or `rem` by zero, or a negative power of 0.
    DivisionByZero,
    /// A result that does not fit into 32 bits.
    ArithmeticOverflow,
    /// The root of a negative number, or a root below the first.
    NoRoot,
    /// A `fail` statement, with its text.
    Failed(String),
    /// More than [`MAX_WHILE`] rounds of `while` loops.
    Endless,
    /// More work than [`evaluate_within`] allows: a bound of the tool, not of the model. Never part of a step.
    WorkExhausted,
}

/// The value of an expression in a state, with these values for the parameters in scope.
///
/// # Errors
/// The fault.
///
/// # Panics
/// If the expression is not well-typed for the process, the state and the parameters.
pub fn evaluate(model: &Sequential, expr: &Expr, state: &[i32], parameters: &[i32]) -> Result<i32, SeqFault> {
    Evaluator::new(model, state, parameters, u64::MAX).value(expr)
}

/// Whether a fault is a bound of the reading, and none of the model.
pub fn lacks_room(model: &Sequential, fault: &SeqFault) -> bool {
    let room = model.room.as_ref();
    room.is_some_and(|room| matches!(&fault.kind, SeqFaultKind::Failed(text) if *text == room.fault))
}

/// As [`evaluate`], for at most `work` evaluations of parts of the expression; `work` is reduced by the number used.
///
/// # Errors
/// The fault; [`SeqFaultKind::WorkExhausted`] when the work did not suffice.
///
/// # Panics
/// As [`evaluate`].
pub fn evaluate_within(model: &Sequential, expr: &Expr, parameters: &[i32], work: &mut u64) -> Result<i32, SeqFault> {
    let mut evaluator = Evaluator::new(model, &[], parameters, *work);
    let result = evaluator.value(expr);
    *work = evaluator.work;
    result
}

/// The steps of a state: summands in order, parameters in lexicographic order of their values. A step that gives the
/// turn away goes on, depth first, until the turn is over.
///
/// # Complexity
/// Every instance of every summand is tried.
///
/// # Panics
/// If the process is not verified or the state is not one of its states.
pub fn successors(model: &Sequential, state: &State) -> Vec<SeqStep> {
    assert_eq!(state.len(), model.state_len(), "a state has a value for each element");
    debug_assert!(is_state(model, state), "the values of a state are those of its sorts");
    let Some(turn) = model.turn() else { return instances(model, state) };
    let mut steps = Vec::new();
    for first in instances(model, state) {
        complete(model, turn, first, &mut steps);
    }
    steps
}

/// Adds the steps that begin with an instance, depth first. A step ends before an instance that faults, and where it comes back to a
/// state inside of itself: an endless sequence is a cycle through such states.
fn complete(model: &Sequential, turn: Turn, first: SeqStep, steps: &mut Vec<SeqStep>) {
    let mut parts = vec![first];
    // The instances that are still to follow each part.
    let mut open: Vec<std::vec::IntoIter<SeqStep>> = Vec::new();
    loop {
        match inside(model, turn, &parts) {
            Inside::Over(result) => {
                let inner = if parts.len() > 1 { parts.clone() } else { Vec::new() };
                let part = if result.is_ok() { &parts[0] } else { &parts[parts.len() - 1] };
                steps.push(SeqStep { result, parts: inner, ..part.clone() });
            }
            Inside::GoesOn(next) => open.push(next.into_iter()),
        }
        loop {
            let Some(following) = open.last_mut() else { return };
            if let Some(step) = following.next() {
                parts.truncate(open.len());
                parts.push(step);
                debug_assert_eq!(parts.len(), open.len() + 1, "each part follows the one before it");
                break;
            }
            open.pop();
        }
    }
}

/// The continuation of a step after its last instance.
enum Inside {
    /// It is over, with this result.
    Over(Result<State, SeqFault>),
    /// With one of these instances.
    GoesOn(Vec<SeqStep>),
}

fn inside(model: &Sequential, turn: Turn, parts: &[SeqStep]) -> Inside {
    let (last, before) = parts.split_last().expect("a step has an instance");
    debug_assert!(before.iter().all(|part| part.result.is_ok()), "only the last part of a step faults");
    let state = match &last.result {
        Ok(state) if turn.is_taken(state) => state,
        result => return Inside::Over(result.clone()),
    };
    limits::work(parts.len() as u64);
    if before.iter().any(|part| part.result.as_ref() == Ok(state)) {
        return Inside::Over(Ok(state.clone()));
    }
    let next = instances(model, state);
    if next.is_empty() {
        return Inside::Over(Ok(turn.over(state)));
    }
    match next.iter().any(|step| step.result.is_err()) {
        true => Inside::Over(Ok(state.clone())),
        false => Inside::GoesOn(next),
    }
}

/// Whether every element has a value of its sort.
fn is_state(model: &Sequential, state: &[i32]) -> bool {
    model.variables.iter().all(|variable| {
        let (own, domain) = (variable.offset..variable.offset + model.len_of(variable), model.domain(variable.sort));
        state[own].iter().all(|&value| domain.contains(value))
    })
}

/// The steps of single instances.
fn instances(model: &Sequential, state: &State) -> Vec<SeqStep> {
    let mut steps = Vec::new();
    each_instance(model, |id, parameters| steps.extend(step(model, state, id, parameters)));
    steps
}

/// Visits each instance of each summand, with the values of its parameters.
fn each_instance(model: &Sequential, mut visit: impl FnMut(SummandId, &[i32])) {
    for (index, summand) in model.summands.iter().enumerate() {
        let domains: Vec<&Domain> = summand.parameters.iter().map(|parameter| model.domain(parameter.sort)).collect();
        let mut next = Some(first(&domains));
        while let Some(mut parameters) = next {
            visit(SummandId::from_index(index), &parameters);
            next = advance(&domains, &mut parameters).then_some(parameters);
        }
    }
}

/// The step of a state that `choose` chooses by its number in the list of [`successors`], whose length it receives: those that
/// are not chosen are not made. `None` if there is none.
///
/// # Panics
/// As [`successors`], and if there is no step of this number.
pub fn chosen(model: &Sequential, state: &State, choose: impl FnOnce(usize) -> usize) -> Option<SeqStep> {
    if model.hold.is_some() {
        let mut steps = successors(model, state);
        return (!steps.is_empty()).then(|| steps.swap_remove(choose(steps.len())));
    }
    let mut enabled = Vec::new();
    each_instance(model, |id, parameters| {
        limits::work(INSTANCE);
        if evaluate(model, &model.summand(id).guard, state, parameters) != Ok(0) {
            enabled.push((id, parameters.to_vec()));
        }
    });
    if enabled.is_empty() {
        return None;
    }
    let (summand, parameters) = enabled.swap_remove(choose(enabled.len()));
    step(model, state, summand, &parameters)
}

/// The step of one instance of a summand; `None` if it is not enabled.
///
/// # Panics
/// If the process is not verified, the state is not one of its states, or the parameters are not values of their sorts.
pub fn step(model: &Sequential, state: &State, summand: SummandId, parameters: &[i32]) -> Option<SeqStep> {
    assert_eq!(parameters.len(), model.summand(summand).parameters.len(), "an instance has a value for each parameter");
    let (arguments, result) = instance(model, model.summand(summand), state, parameters, &mut Vec::new())?;
    Some(SeqStep { summand, parameters: parameters.to_vec(), arguments, result, parts: Vec::new() })
}

/// The ways that control takes in the step of one instance of a summand, each once.
///
/// # Panics
/// As [`step`].
pub fn marks(model: &Sequential, state: &State, summand: SummandId, parameters: &[i32]) -> Vec<Mark> {
    let mut marks = Vec::new();
    drop(instance(model, model.summand(summand), state, parameters, &mut marks));
    marks
}

/// The arguments and the result of one instance, and the ways that control takes; `None` if it is not enabled.
fn instance(
    model: &Sequential,
    summand: &Summand,
    state: &State,
    parameters: &[i32],
    marks: &mut Vec<Mark>,
) -> Option<(Vec<i32>, Result<State, SeqFault>)> {
    limits::work(INSTANCE);
    match evaluate(model, &summand.guard, state, parameters) {
        Ok(0) => return None,
        Ok(_) => {}
        Err(fault) => return Some((Vec::new(), Err(fault))),
    }
    let arguments = summand.arguments.iter().map(|argument| evaluate(model, argument, state, parameters));
    let arguments = match arguments.collect::<Result<Vec<i32>, SeqFault>>() {
        Ok(arguments) => arguments,
        Err(fault) => return Some((Vec::new(), Err(fault))),
    };
    limits::reserve(size_of::<i32>() as u64 * model.working_len() as u64);
    let mut after = state.clone();
    after.resize(model.working_len(), 0);
    let mut body = Body { model, state: after, scope: parameters.to_vec(), rounds: 0, marks: Vec::new() };
    let result = body.perform(&summand.body);
    marks.append(&mut body.marks);
    Some((
        arguments,
        result.map(|()| {
            assert_eq!(body.scope.len(), parameters.len(), "loops take their variables with them");
            assert_eq!(body.state.len(), model.working_len(), "a body keeps the elements of a state");
            body.state.truncate(state.len());
            body.state
        }),
    ))
}

/// A running body.
struct Body<'a> {
    model: &'a Sequential,
    /// The state, followed by the locals.
    state: State,
    /// The values of the parameters and of the loops around the statement.
    scope: Vec<i32>,
    /// The rounds of `while` loops so far.
    rounds: u64,
    /// The ways that control took, each once.
    marks: Vec<Mark>,
}

impl Body<'_> {
    fn value(&self, expr: &Expr) -> Result<i32, SeqFault> {
        evaluate(self.model, expr, &self.state, &self.scope)
    }

    /// The value of an expression for a variable whose sort must hold it.
    fn fitting(&self, variable: VariableId, value: &Expr, span: Span) -> Result<i32, SeqFault> {
        let value = self.value(value)?;
        if self.model.domain(self.model.variable(variable).sort).contains(value) {
            return Ok(value);
        }
        Err(SeqFault { kind: SeqFaultKind::OutsideDomain { variable, value }, span })
    }

    fn mark(&mut self, span: Span, way: Way) {
        Mark::note(&mut self.marks, span, way);
    }

    /// Runs statements in order.
    fn perform(&mut self, body: &[Stmt]) -> Result<(), SeqFault> {
        for stmt in body {
            limits::work(1);
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let element = Evaluator::new(self.model, &self.state, &self.scope, u64::MAX).element(place)?;
                    self.state[element] = self.fitting(place.variable, value, stmt.span)?;
                }
                StmtKind::If(condition, then, otherwise) => {
                    let holds = self.value(condition)? != 0;
                    self.mark(stmt.span, if holds { Way::Then } else { Way::Else });
                    self.perform(if holds { then } else { otherwise })?;
                }
                StmtKind::Var(id, value) => {
                    let value = self.fitting(*id, value, stmt.span)?;
                    let local = self.model.variable(*id);
                    self.state[local.offset..local.offset + self.model.len_of(local)].fill(value);
                }
                StmtKind::For(parameter, body) => {
                    for value in self.model.domain(parameter.sort).values() {
                        self.scope.push(value);
                        self.perform(body)?;
                        self.scope.pop();
                    }
                }
                StmtKind::While(condition, body) => {
                    while self.value(condition)? != 0 {
                        self.rounds += 1;
                        if self.rounds > MAX_WHILE {
                            return Err(SeqFault { kind: SeqFaultKind::Endless, span: stmt.span });
                        }
                        self.mark(stmt.span, Way::Round);
                        self.perform(body)?;
                    }
                }
                StmtKind::Fail(text) => {
                    return Err(SeqFault { kind: SeqFaultKind::Failed(text.clone()), span: stmt.span });
                }
            }
        }
        Ok(())
    }
}
