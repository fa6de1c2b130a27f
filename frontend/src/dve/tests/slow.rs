//! A direct interpreter of generated models, written from the description of the language alone.
//!
//! A fault is `None`. A step whose guards or changes fault is counted and has no successor.

use std::collections::HashSet;

use super::generate::{Model, Step, Sync, Value, Var};

/// Models with more states are not compared.
pub(super) const MOST_STATES: usize = 1500;

/// The compared part of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counts {
    pub(super) states: usize,
    pub(super) edges: usize,
    pub(super) faults: usize,
    pub(super) deadlocks: usize,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    globals: Vec<i32>,
    array: Vec<i32>,
    held: Vec<i32>,
    at: Vec<usize>,
    x: Vec<i32>,
}

/// The step, or `None` for a fault.
type Next = Option<State>;

impl Model {
    /// The counts of the whole state space; `None` if it is too large.
    pub(super) fn counts(&self) -> Option<Counts> {
        let count = self.processes.len();
        let start = State {
            globals: self.globals.clone(),
            array: vec![1, 0],
            held: Vec::new(),
            at: vec![0; count],
            x: self.processes.iter().map(|process| process.x).collect(),
        };
        let mut counts = Counts { states: 0, edges: 0, faults: 0, deadlocks: 0 };
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = vec![start];
        while let Some(state) = queue.pop() {
            counts.states += 1;
            let steps = if self.is_synchronous { self.together(&state) } else { self.one_by_one(&state) };
            counts.deadlocks += usize::from(steps.is_empty());
            for step in steps {
                let Some(next) = step else {
                    counts.faults += 1;
                    continue;
                };
                counts.edges += 1;
                if seen.insert(next.clone()) {
                    queue.push(next);
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        Some(counts)
    }

    fn one_by_one(&self, state: &State) -> Vec<Next> {
        let is_committed = |process: usize| self.processes[process].committed[state.at[process]];
        let some = (0..self.processes.len()).any(is_committed);
        let movers: Vec<usize> = (0..self.processes.len()).filter(|&process| !some || is_committed(process)).collect();
        let mut found = Vec::new();
        for &process in &movers {
            for step in self.processes[process].steps.iter().filter(|step| step.from == state.at[process]) {
                match &step.sync {
                    None => found.extend(alone(state, process, step, |_| Some(()))),
                    Some(Sync::Send(true, value)) if state.held.len() < self.capacity => {
                        found.extend(alone(state, process, step, |next| {
                            let value = byte(state.value(value)?)?;
                            next.held.push(value);
                            Some(())
                        }));
                    }
                    Some(Sync::Receive(true, var)) if !state.held.is_empty() => {
                        found.extend(alone(state, process, step, |next| {
                            let value = next.held[0];
                            next.set(var, value)?;
                            next.held.remove(0);
                            Some(())
                        }));
                    }
                    Some(Sync::Send(false, value)) => {
                        for &other in movers.iter().filter(|&&other| other != process) {
                            for receiver in &self.processes[other].steps {
                                if let Some(Sync::Receive(false, var)) = &receiver.sync
                                    && receiver.from == state.at[other]
                                {
                                    found.extend(meet(state, (process, step, value), (other, receiver, var)));
                                }
                            }
                        }
                    }
                    Some(_) => {}
                }
            }
        }
        found
    }

    /// All processes at once: from the same state, and no variable twice.
    fn together(&self, state: &State) -> Vec<Next> {
        let mut combinations: Vec<Vec<&Step>> = vec![Vec::new()];
        for (number, process) in self.processes.iter().enumerate() {
            let steps: Vec<&Step> = process.steps.iter().filter(|step| step.from == state.at[number]).collect();
            combinations = (combinations.iter())
                .flat_map(|list| steps.iter().map(move |&step| [&list[..], &[step]].concat()))
                .collect();
        }
        combinations.iter().filter_map(|steps| joint(state, steps)).collect()
    }
}

/// The step of one process; `None` if a guard is false.
fn alone(state: &State, process: usize, step: &Step, moves: impl FnOnce(&mut State) -> Option<()>) -> Option<Next> {
    let changed = |moves: &mut dyn FnMut(&mut State) -> Option<()>| {
        let mut next = state.clone();
        moves(&mut next)?;
        next.perform(process, step)?;
        Some(next)
    };
    match state.allows(step) {
        Some(false) => None,
        None => Some(None),
        Some(true) => {
            let mut moves = Some(moves);
            Some(changed(&mut |next| moves.take().expect("called once")(next)))
        }
    }
}

/// A rendezvous of a sender and a receiver.
fn meet(state: &State, sender: (usize, &Step, &Value), receiver: (usize, &Step, &Var)) -> Option<Next> {
    for step in [receiver.1, sender.1] {
        match state.allows(step) {
            Some(true) => {}
            Some(false) => return None,
            None => return Some(None),
        }
    }
    let made = || {
        let mut next = state.clone();
        next.set(receiver.2, state.value(sender.2)?)?;
        next.perform(receiver.0, receiver.1)?;
        next.perform(sender.0, sender.1)?;
        Some(next)
    };
    Some(made())
}

fn joint(state: &State, steps: &[&Step]) -> Option<Next> {
    for step in steps {
        match state.allows(step) {
            Some(true) => {}
            Some(false) => return None,
            None => return Some(None),
        }
    }
    let name = |var: &Var| match var {
        Var::Global(number) => Some(*number),
        Var::Element(_) => Some(9),
        Var::X(_) => None,
    };
    let mut written = HashSet::new();
    for step in steps {
        let own: HashSet<usize> = step.effects.iter().filter_map(|(var, _)| name(var)).collect();
        if !own.iter().all(|&var| written.insert(var)) {
            return Some(None);
        }
    }
    let mut result = state.clone();
    for (process, step) in steps.iter().enumerate() {
        let mut next = state.clone();
        if next.perform(process, step).is_none() {
            return Some(None);
        }
        result.at[process] = next.at[process];
        result.x[process] = next.x[process];
        for (var, _) in &step.effects {
            match var {
                Var::Global(number) => result.globals[*number] = next.globals[*number],
                Var::Element(_) => result.array.clone_from(&next.array),
                Var::X(_) => {}
            }
        }
    }
    Some(Some(result))
}

fn byte(value: i32) -> Option<i32> {
    (0..=255).contains(&value).then_some(value)
}

impl State {
    fn allows(&self, step: &Step) -> Option<bool> {
        step.guard.as_ref().map_or(Some(true), |guard| Some(self.value(guard)? != 0))
    }

    fn perform(&mut self, process: usize, step: &Step) -> Option<()> {
        for (var, value) in &step.effects {
            let value = self.value(value);
            // Of two faults it does not matter which.
            self.set(var, value?)?;
        }
        self.at[process] = step.to;
        Some(())
    }

    fn set(&mut self, var: &Var, value: i32) -> Option<()> {
        let value = byte(value)?;
        match var {
            Var::Global(number) => self.globals[*number] = value,
            Var::X(process) => self.x[*process] = value,
            Var::Element(index) => {
                let index = usize::try_from(self.value(index)?).ok()?;
                *self.array.get_mut(index)? = value;
            }
        }
        Some(())
    }

    fn value(&self, value: &Value) -> Option<i32> {
        Some(match value {
            Value::Int(value) => *value,
            Value::At(process, state) => i32::from(self.at[*process] == *state),
            Value::Not(inner) => i32::from(self.value(inner)? == 0),
            Value::Var(Var::Global(number)) => self.globals[*number],
            Value::Var(Var::X(process)) => self.x[*process],
            Value::Var(Var::Element(index)) => {
                let index = usize::try_from(self.value(index)?).ok()?;
                *self.array.get(index)?
            }
            Value::Two(operator, left, right) => {
                let left = self.value(left)?;
                match (*operator, left) {
                    ("and", 0) => return Some(0),
                    ("or", 1..) | ("or", ..=-1) | ("imply", 0) => return Some(1),
                    _ => two(operator, left, self.value(right)?)?,
                }
            }
        })
    }
}

fn two(operator: &str, left: i32, right: i32) -> Option<i32> {
    Some(match operator {
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        "==" => i32::from(left == right),
        "!=" => i32::from(left != right),
        "<" => i32::from(left < right),
        "<=" => i32::from(left <= right),
        ">=" => i32::from(left >= right),
        "&" => left & right,
        "|" => left | right,
        "^" => left ^ right,
        // The left operand does not decide.
        _ => i32::from(right != 0),
    })
}
