//! The meaning of a model: start states, steps and properties, evaluated directly. This is the only semantics of Murphi:
//! every faster implementation is tested against it.
//!
//! A state has one cell for each simple part of the variables, with a value or undefined. A start state runs on a state in
//! which everything is undefined. An instance of a rule has a value for each ruleset around it and a used slot for each
//! `choose`; it is enabled if its guard is true, and its body then runs on a copy of the state, in order.
//!
//! Reading an undefined simple value faults, but for `isundefined`, `put` and arguments by value, which take it as it is.
//! Whole arrays, records and multisets are copied and compared with what is undefined in them. A value outside the type
//! of its place, parameter or result faults, and so does an index outside the index type. Arithmetic is checked in 32 bits,
//! division truncates. `&`, `|`, `->`, `?:` and quantifiers evaluate only what they need, in order. An assignment finds its
//! place first. An alias of a variable is the place found when its construct is entered, an alias of a value its value
//! then. Locals are undefined when a body is entered, and no part of a state.
//!
//! A multiset takes an element in its first free slot. After a step used slots come first, in the order of their
//! elements, so that states that differ in the order of slots are one.
//!
//! `assume` excludes: a step in which a condition assumed in a body is false is none, and neither is one into a state in
//! which a condition assumed of all states is false.
//!
//! Counting: a transition is an enabled instance with a successor, also where the state stays and where two instances
//! have one successor. A faulting step is none.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

mod arithmetic;
mod describe;
mod evaluate;
mod fault;
mod footprint;
mod independence;
mod instances;
mod machine;
mod multisets;
mod perform;
#[cfg(test)]
mod tests;

pub use arithmetic::{binary, unary};
pub use describe::{Change, Part, cell_text, changes, parts};
pub use fault::{Fault, FaultKind};
pub use footprint::{Cells, Observed, observe};
pub use multisets::sort as sort_multisets;

use self::independence::Independence;
use self::instances::Instance;
use self::machine::Machine;
use super::program::{CoverId, Program, Property, Rule, RuleId};
use super::syntax::ast::PropertyKind;
use crate::parts::Mark;
use crate::source::Span;

/// A simple part of a state: a value, or undefined.
pub type Cell = Option<i32>;

/// A state: one cell for each simple part, in the order of the variables.
pub type State = Vec<Cell>;

/// The reason why a step does not end as usual.
enum Stop {
    /// It faults.
    Fault(Fault),
    /// It is excluded by an assumption.
    Excluded,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// A step of one enabled instance of a rule, or of one whose guard faults; or a start.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The rule, or the start state, by its number among them.
    pub rule: RuleId,
    /// The values of its rulesets and the slots of its choices, outermost first; fewer where one of these faults.
    pub values: Vec<i32>,
    /// The `cover` statements that were met.
    pub covers: Vec<CoverId>,
    /// The ways that control took in the body, each once.
    pub marks: Vec<Mark>,
    /// The state afterwards, or the reason why there is none.
    pub result: Result<State, Fault>,
}

/// The truth of one instance of a property in a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Truth {
    /// The values of the rulesets around it, outermost first.
    pub values: Vec<i32>,
    /// Whether the condition holds, or its fault.
    pub holds: Result<bool, Fault>,
}

impl Truth {
    /// Whether an assumption with this truth excludes the step.
    fn excludes(&self) -> bool {
        match &self.holds {
            Ok(holds) => !holds,
            Err(fault) => fault.kind == FaultKind::Excluded,
        }
    }

    /// Whether an assumption with this truth faults.
    fn faults(&self) -> bool {
        self.holds.is_err() && !self.excludes()
    }
}

/// Which states are deadlocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deadlock {
    /// Those all of whose steps stay: as in CMurphi.
    Stuttering,
    /// Those without a step.
    Stuck,
}

/// The start states, in order: instances of start states with their results.
///
/// # Panics
/// If the program is not one that [`parse`](super::parse) gave.
pub fn starts(program: &Program) -> Vec<Step> {
    let mut list = steps(program, &program.starts, &vec![None; program.cells()]);
    list.extend(further(program));
    list
}

/// The start states that no text gives.
fn further(program: &Program) -> impl Iterator<Item = Step> + '_ {
    let step = |state: &State| {
        assert_eq!(state.len(), program.cells(), "a state has all cells");
        let (covers, marks) = (Vec::new(), Vec::new());
        Step { rule: RuleId::from_index(0), values: Vec::new(), covers, marks, result: Ok(state.clone()) }
    };
    program.further.iter().map(step)
}

/// The steps of a state: rules in order, their instances in order.
///
/// # Panics
/// If the program is not one that [`parse`](super::parse) gave, or the state is not one of its states.
pub fn successors(program: &Program, state: &State) -> Vec<Step> {
    assert_eq!(state.len(), program.cells(), "a state has all cells");
    steps(program, &program.rules, state)
}

/// The loops and quantifiers whose order of values must not show, by the places of the names of their binders.
pub type Watched = FxHashSet<Span>;

/// As [`starts`], with the binders among some whose order may show in the result.
///
/// # Panics
/// As there.
pub fn starts_in_any_order(program: &Program, watched: &Watched) -> (Vec<Step>, BTreeSet<Span>) {
    let mut order = Some(Order { watched, broken: BTreeSet::new() });
    let mut steps = steps_noting(program, &program.starts, &vec![None; program.cells()], &mut order);
    steps.extend(further(program));
    (steps, order.map(|order| order.broken).unwrap_or_default())
}

/// As [`successors`], with the binders among some whose order may show in the result.
///
/// # Panics
/// As there.
pub fn successors_in_any_order(program: &Program, state: &State, watched: &Watched) -> (Vec<Step>, BTreeSet<Span>) {
    let mut order = Some(Order { watched, broken: BTreeSet::new() });
    let steps = steps_noting(program, &program.rules, state, &mut order);
    (steps, order.map(|order| order.broken).unwrap_or_default())
}

/// The binders whose order must not show, and those whose order may.
struct Order<'s> {
    watched: &'s Watched,
    broken: BTreeSet<Span>,
}

impl<'s> Order<'s> {
    /// Makes a machine note whether it shows.
    fn watch<'a>(order: Option<&Order<'a>>, machine: &mut Machine<'a>) {
        machine.independence = order.map(|order| Independence::new(order.watched));
    }

    /// Takes over the findings of a machine.
    fn take(order: &mut Option<Order<'s>>, machine: &Machine<'_>) {
        if let (Some(order), Some(found)) = (order, &machine.independence) {
            order.broken.extend(&found.broken);
        }
    }

    /// Notes that any of the orders may show, if something is so.
    fn breaks_if(order: &mut Option<Order<'s>>, something: bool) {
        if let (Some(order), true) = (order, something) {
            order.broken.extend(order.watched);
        }
    }
}

fn steps(program: &Program, rules: &[Rule], state: &[Cell]) -> Vec<Step> {
    steps_noting(program, rules, state, &mut None)
}

fn steps_noting<'a>(
    program: &'a Program,
    rules: &'a [Rule],
    state: &[Cell],
    order: &mut Option<Order<'a>>,
) -> Vec<Step> {
    let mut list = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        limits::work(1);
        let mut machine = Machine::new(program, &rule.frame, state);
        Order::watch(order.as_ref(), &mut machine);
        machine.instances(&rule.header, &mut |instance| {
            let result = match instance.stop {
                Some(stop) => Err(stop),
                None => fire(instance.machine, rule, order).transpose().unwrap_or(Err(Stop::Excluded)),
            };
            let step = |result: Result<Fired, Fault>| {
                let Fired { covers, marks, result } =
                    result.unwrap_or_else(|fault| Fired { covers: Vec::new(), marks: Vec::new(), result: Err(fault) });
                Step { rule: RuleId::from_index(index), values: instance.values.to_vec(), covers, marks, result }
            };
            match result {
                Ok(fired) => list.push(step(Ok(fired))),
                Err(Stop::Fault(fault)) => list.push(step(Err(fault))),
                Err(Stop::Excluded) => {}
            }
        });
        debug_assert!(machine.memory[..state.len()] == *state, "guards and aliases change no state");
        Order::take(order, &machine);
    }
    let is_endless = |step: &Step| matches!(&step.result, Err(fault) if fault.kind == FaultKind::Endless);
    // More rounds were evaluated than in a step.
    Order::breaks_if(order, order.is_some() && list.iter().any(is_endless));
    list
}

/// The result of a body.
struct Fired {
    covers: Vec<CoverId>,
    marks: Vec<Mark>,
    result: Result<State, Fault>,
}

/// Fires an instance whose header is bound; `None` if it is not enabled.
fn fire<'a>(bound: &mut Machine<'a>, rule: &'a Rule, order: &mut Option<Order<'a>>) -> Result<Option<Fired>, Stop> {
    if let Some(guard) = &rule.guard {
        // A guard changes nothing but binders of its own.
        bound.renew();
        bound.covers.clear();
        if bound.scalar(guard)? == 0 {
            return Ok(None);
        }
    }
    let mut machine = bound.copy();
    machine.covers.append(&mut bound.covers);
    let performed = machine.perform(&rule.body);
    Order::take(order, &machine);
    let (covers, marks) = (std::mem::take(&mut machine.covers), std::mem::take(&mut machine.marks));
    let program = machine.program;
    let mut state = machine.memory;
    match performed {
        Err(Stop::Excluded) => return Err(Stop::Excluded),
        Err(Stop::Fault(fault)) => return Ok(Some(Fired { covers, marks, result: Err(fault) })),
        Ok(_) => {
            debug_assert_eq!(state.len(), program.cells() + rule.frame.cells, "frames of calls end with them");
            state.truncate(program.cells());
        }
    }
    multisets::sort(program, &mut state, None);
    debug_assert!(has_own_values(program, &state), "the values after a step are those of their types");
    for assumed in program.properties.iter().filter(|property| property.kind == PropertyKind::Assume) {
        let truths = evaluate_noting(program, assumed, &state, order);
        let (stops, faults) = (truths.iter().any(Truth::excludes), truths.iter().any(Truth::faults));
        // The first of the instances decides.
        Order::breaks_if(order, stops && faults);
        for truth in truths {
            if truth.excludes() {
                return Err(Stop::Excluded);
            }
            if let Err(fault) = truth.holds {
                return Ok(Some(Fired { covers, marks, result: Err(fault) }));
            }
        }
    }
    Ok(Some(Fired { covers, marks, result: Ok(state) }))
}

/// Whether every simple variable that is defined has a value of its type.
fn has_own_values(program: &Program, state: &[Cell]) -> bool {
    let mut simple = program.variables.iter().filter(|variable| program.types.is_simple(variable.of));
    let fits = |value: i32, of| program.types.position(of, value).is_some();
    simple.all(|variable| state[variable.offset].is_none_or(|value| fits(value, variable.of)))
}

/// The truth of a property in a state, instance by instance. An invariant and an assumption hold if all instances do, a
/// cover is met if one does; `liveness` speaks of each.
///
/// # Panics
/// If the program is not one that [`parse`](super::parse) gave, or the state is not one of its states.
pub fn evaluate(program: &Program, property: &Property, state: &[Cell]) -> Vec<Truth> {
    assert_eq!(state.len(), program.cells(), "a state has all cells");
    evaluate_noting(program, property, state, &mut None)
}

/// As [`evaluate`], with the binders among some whose order may show in the result.
///
/// # Panics
/// As there.
pub fn evaluate_in_any_order(
    program: &Program,
    property: &Property,
    state: &[Cell],
    watched: &Watched,
) -> (Vec<Truth>, BTreeSet<Span>) {
    let mut order = Some(Order { watched, broken: BTreeSet::new() });
    let truths = evaluate_noting(program, property, state, &mut order);
    (truths, order.map(|order| order.broken).unwrap_or_default())
}

fn evaluate_noting<'a>(
    program: &'a Program,
    property: &'a Property,
    state: &[Cell],
    order: &mut Option<Order<'a>>,
) -> Vec<Truth> {
    let mut list = Vec::new();
    let mut machine = Machine::new(program, &property.frame, state);
    Order::watch(order.as_ref(), &mut machine);
    machine.instances(&property.header, &mut |Instance { machine, values, stop }| {
        let holds = match stop {
            Some(stop) => Err(stop),
            None => {
                machine.renew();
                machine.scalar(&property.condition).map(|value| value != 0)
            }
        };
        let holds = holds.map_err(|stop| match stop {
            Stop::Fault(fault) => fault,
            Stop::Excluded => Fault { kind: FaultKind::Excluded, span: property.condition.span },
        });
        list.push(Truth { values: values.to_vec(), holds });
    });
    debug_assert!(machine.memory[..state.len()] == *state, "a property changes no state");
    Order::take(order, &machine);
    let is_endless = |truth: &Truth| matches!(&truth.holds, Err(fault) if fault.kind == FaultKind::Endless);
    // More rounds were evaluated than in a property.
    Order::breaks_if(order, order.is_some() && list.iter().any(is_endless));
    list
}

/// Whether a state with these steps is a deadlock. A faulting step leaves it.
pub fn is_deadlock(state: &State, steps: &[Step], deadlock: Deadlock) -> bool {
    steps.iter().all(|step| deadlock == Deadlock::Stuttering && step.result.as_ref() == Ok(state))
}
