//! Compiled instances of summands: the expressions that a trial of an instance evaluates, and the changes that its
//! body makes.
//!
//! A body works on the values of the state in place. A trail keeps the elements written and their old values, from
//! which the successor is packed and the state restored.

use frontend::parts::{Mark, Way};
use frontend::sequential::{MAX_WHILE, Stmt, StmtKind, SummandId, VariableId};
use frontend::source::Span;

use super::code::{Code, Offset};
use super::compile::{Binding, Compiler};
#[cfg(test)]
use super::program::Wrong;

/// The most elements of a local whose values are followed.
const MOST_KNOWN: usize = 16;

/// Rounds of `while` loops between looks at the limits.
const WORK: u64 = 64;

/// An instance of a summand, or all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instance<'m> {
    /// The summand.
    pub(super) summand: SummandId,
    /// The values of its parameters; for all instances, the ranges of the registers that hold them.
    pub(super) parameters: Parameters,
    /// Conjuncts that begin the guard, cannot fault and need no register.
    pub(super) shared: Vec<Code<'m>>,
    /// The rest of the guard.
    pub(super) guard: Code<'m>,
    /// The arguments of the event that may fault.
    pub(super) arguments: Box<[Code<'m>]>,
    /// The body.
    pub(super) body: Box<[Action<'m>]>,
    /// The parts of the model that every run of the body executes.
    pub(super) inside: Box<[u32]>,
}

/// The parameters of an instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Parameters {
    /// Their values.
    Values(Box<[i32]>),
    /// All instances, tried in turn: the least and the greatest value of each.
    Ranges(Box<[(i32, i32)]>),
}

/// A compiled statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Action<'m> {
    /// An assignment of a value from `low` to `high`.
    Assign {
        /// The element.
        target: Offset<'m>,
        /// The value.
        value: Code<'m>,
        /// The least value of the sort.
        low: i32,
        /// The greatest one.
        high: i32,
    },
    /// A conditional.
    If(Code<'m>, Box<[Action<'m>]>, Box<[Action<'m>]>),
    /// A new local: the same value, from `low` to `high`, for `len` elements.
    Fill {
        /// The first element.
        first: usize,
        /// The number of elements.
        len: usize,
        /// The value.
        value: Code<'m>,
        /// The least value of the sort.
        low: i32,
        /// The greatest one.
        high: i32,
    },
    /// A loop as long as a condition is true.
    While(Code<'m>, Box<[Action<'m>]>),
    /// A fault.
    Fail,
    /// The execution of a part of the model.
    Note(u32),
}

/// What a body leaves behind.
#[derive(Clone, Default, Debug)]
pub(super) struct Trail {
    /// The elements written, with their old values.
    pub(super) written: Vec<(usize, i32)>,
    /// The parts of the model that it executed, each once.
    pub(super) noted: Vec<u32>,
}

impl<'m> Compiler<'m> {
    /// The code of a body. What is known is known before it, and then behind it.
    pub(super) fn body(&mut self, body: &[Stmt]) -> Box<[Action<'m>]> {
        let mut actions = Vec::with_capacity(body.len());
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let variable = self.model.variable(place.variable);
                    let (low, high) = self.model.domain(variable.sort).bounds();
                    let (target, _) = self.offset(variable.offset, &variable.indices, &place.indices);
                    let (value, interval) = self.expression(value);
                    if target.dimensions.is_empty() {
                        self.learn(target.base, 1, interval.constant().filter(|value| (low..=high).contains(value)));
                    } else {
                        self.forget(place.variable);
                    }
                    actions.push(Action::Assign { target, value, low, high });
                }
                StmtKind::If(condition, then, otherwise) => {
                    let (code, interval) = self.expression(condition);
                    let then = |compiler: &mut Self| compiler.branch(then, stmt.span, Way::Then);
                    let otherwise = |compiler: &mut Self| compiler.branch(otherwise, stmt.span, Way::Else);
                    match interval.constant() {
                        Some(0) => actions.extend(otherwise(self)),
                        Some(_) => actions.extend(then(self)),
                        None => {
                            let before = self.known.clone();
                            let then = then(self);
                            let behind = std::mem::replace(&mut self.known, before);
                            let otherwise = otherwise(self);
                            #[cfg(test)]
                            if self.wrong == Some(Wrong::KeepsASide) {
                                self.known.clone_from(&behind);
                            }
                            self.known.retain(|element, value| behind.get(element) == Some(value));
                            actions.push(Action::If(code, then, otherwise));
                        }
                    }
                }
                StmtKind::Var(id, value) => {
                    let local = self.model.variable(*id);
                    let (low, high) = self.model.domain(local.sort).bounds();
                    let (value, interval) = self.expression(value);
                    let (first, len) = (local.offset, self.model.len_of(local));
                    self.learn(first, len, interval.constant().filter(|value| (low..=high).contains(value)));
                    actions.push(Action::Fill { first, len, value, low, high });
                }
                StmtKind::For(parameter, body) => {
                    for value in self.model.domain(parameter.sort).values() {
                        self.scope.push(Binding::Value(value));
                        actions.extend(self.body(body));
                        self.scope.pop();
                    }
                }
                StmtKind::While(condition, body) => {
                    // Each round may be the first or a later one, and the last.
                    let mut written = Vec::new();
                    body.iter().for_each(|stmt| stmt.visit(&mut |stmt| written.extend(stmt.target().copied())));
                    written.into_iter().for_each(|id| self.forget(id));
                    let known = self.known.clone();
                    let (code, _) = self.expression(condition);
                    actions.push(Action::While(code, self.branch(body, stmt.span, Way::Round)));
                    self.known = known;
                }
                StmtKind::Fail(_) => actions.push(Action::Fail),
            }
        }
        actions.into()
    }

    /// Notes the value that elements take, if it is known.
    fn learn(&mut self, first: usize, len: usize, value: Option<i32>) {
        for element in first..first + len {
            match value.filter(|_| len <= MOST_KNOWN) {
                Some(value) => self.known.insert(element, value),
                None => self.known.remove(&element),
            };
        }
    }

    /// Nothing is known of the elements of a variable.
    fn forget(&mut self, id: VariableId) {
        #[cfg(test)]
        if self.wrong == Some(Wrong::KeepsKnown) {
            return;
        }
        let variable = self.model.variable(id);
        let elements = variable.offset..variable.offset + self.model.len_of(variable);
        self.known.retain(|element, _| !elements.contains(element));
    }

    /// The code of a block that control reaches by a way.
    fn branch(&mut self, body: &[Stmt], span: Span, way: Way) -> Box<[Action<'m>]> {
        let note = self.parts.number(Mark { span, way }).map(Action::Note);
        note.into_iter().chain(self.body(body)).collect()
    }
}

/// The parts that every run of a body executes.
pub(super) fn always(body: &[Action<'_>]) -> Box<[u32]> {
    let mut parts = Vec::new();
    for action in body {
        if let Action::Note(part) = action
            && !parts.contains(part)
        {
            parts.push(*part);
        }
    }
    parts.into()
}

/// Runs a body; nothing where it faults, and the trail then has the elements that were written.
pub(super) fn run(body: &[Action<'_>], state: &mut [i32], registers: &mut [i32], trail: &mut Trail) -> Option<()> {
    go(body, state, registers, trail, &mut 0)
}

/// Runs statements; `rounds` are those of `while` loops so far.
fn go(
    body: &[Action<'_>],
    state: &mut [i32],
    registers: &mut [i32],
    trail: &mut Trail,
    rounds: &mut u64,
) -> Option<()> {
    for action in body {
        match action {
            Action::Assign { target, value, low, high } => {
                let element = target.value(state, registers)?;
                let value = value.value(state, registers)?;
                if value < *low || value > *high {
                    return None;
                }
                trail.written.push((element, std::mem::replace(&mut state[element], value)));
            }
            Action::If(condition, then, otherwise) => {
                let chosen = if condition.value(state, registers)? == 0 { otherwise } else { then };
                go(chosen, state, registers, trail, rounds)?;
            }
            Action::Fill { first, len, value, low, high } => {
                let value = value.value(state, registers)?;
                if value < *low || value > *high {
                    return None;
                }
                limits::work(*len as u64 / 8);
                // Locals are no part of the state, and no local is read before it is filled: nothing to restore.
                state[*first..*first + *len].fill(value);
            }
            Action::While(condition, body) => {
                while condition.value(state, registers)? != 0 {
                    *rounds += 1;
                    if rounds.is_multiple_of(WORK) {
                        limits::work(WORK);
                    }
                    if *rounds > MAX_WHILE {
                        return None;
                    }
                    go(body, state, registers, trail, rounds)?;
                }
            }
            Action::Fail => return None,
            Action::Note(part) => {
                if !trail.noted.contains(part) {
                    trail.noted.push(*part);
                }
            }
        }
    }
    Some(())
}

/// Restores the elements that a body wrote.
pub(super) fn undo(state: &mut [i32], trail: &mut Trail) {
    while let Some((element, value)) = trail.written.pop() {
        state[element] = value;
    }
}
