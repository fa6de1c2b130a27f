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

use super::{
    BinaryOp, Domain, Expr, ExprKind, Initial, MAX_WHILE, Place, Quantified, Sequential, SortId, Stmt, StmtKind,
    Summand, SummandId, Turn, VariableId,
};
use crate::source::Span;

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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeqFault {
    /// The kind of the fault.
    pub kind: SeqFaultKind,
    /// The expression or statement.
    pub span: Span,
}

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SeqFaultKind {
    /// An index that is not a value of the index sort.
    IndexOutOfRange {
        /// The index.
        index: i32,
        /// The index sort.
        sort: SortId,
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
                break;
            }
            open.pop();
        }
    }
}

/// How a step goes on after its last instance.
enum Inside {
    /// It is over, with this result.
    Over(Result<State, SeqFault>),
    /// With one of these instances.
    GoesOn(Vec<SeqStep>),
}

fn inside(model: &Sequential, turn: Turn, parts: &[SeqStep]) -> Inside {
    let (last, before) = parts.split_last().expect("a step has an instance");
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

/// The steps of single instances.
fn instances(model: &Sequential, state: &State) -> Vec<SeqStep> {
    let mut steps = Vec::new();
    for (index, summand) in model.summands.iter().enumerate() {
        let domains: Vec<&Domain> = summand.parameters.iter().map(|parameter| model.domain(parameter.sort)).collect();
        let mut next = Some(first(&domains));
        while let Some(mut parameters) = next {
            steps.extend(step(model, state, SummandId::from_index(index), &parameters));
            next = advance(&domains, &mut parameters).then_some(parameters);
        }
    }
    steps
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
    for (index, summand) in model.summands.iter().enumerate() {
        let domains: Vec<&Domain> = summand.parameters.iter().map(|parameter| model.domain(parameter.sort)).collect();
        let mut next = Some(first(&domains));
        while let Some(mut parameters) = next {
            limits::work(INSTANCE);
            if evaluate(model, &summand.guard, state, &parameters) != Ok(0) {
                enabled.push((SummandId::from_index(index), parameters.clone()));
            }
            next = advance(&domains, &mut parameters).then_some(parameters);
        }
    }
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
    let (arguments, result) = instance(model, model.summand(summand), state, parameters)?;
    Some(SeqStep { summand, parameters: parameters.to_vec(), arguments, result, parts: Vec::new() })
}

/// The arguments and the result of one instance; `None` if it is not enabled.
fn instance(
    model: &Sequential,
    summand: &Summand,
    state: &State,
    parameters: &[i32],
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
    let mut body = Body { model, state: after, scope: parameters.to_vec(), rounds: 0 };
    let result = body.perform(&summand.body);
    Some((
        arguments,
        result.map(|()| {
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
                    let chosen = if self.value(condition)? == 0 { otherwise } else { then };
                    self.perform(chosen)?;
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

/// The first combination of values.
fn first(domains: &[&Domain]) -> Vec<i32> {
    domains.iter().map(|domain| domain.bounds().0).collect()
}

/// Advances to the next combination in lexicographic order; returns whether there is one.
fn advance(domains: &[&Domain], values: &mut [i32]) -> bool {
    for (value, domain) in values.iter_mut().zip(domains).rev() {
        let (low, high) = domain.bounds();
        if *value < high {
            *value += 1;
            return true;
        }
        *value = low;
    }
    false
}

/// The initial states, one by one, in lexicographic order.
#[derive(Clone, Debug)]
pub struct InitialStates<'a> {
    /// The elements that may have any value: position and domain.
    free: Vec<(usize, &'a Domain)>,
    next: Option<State>,
    /// The states that follow the product.
    further: std::slice::Iter<'a, State>,
}

/// The initial states: the product of the values of all elements that are `*`, then the further ones. There may be very
/// many: compare with [`initial_count`], and take only as many as can be kept.
pub fn initial_states(model: &Sequential) -> InitialStates<'_> {
    let mut state = Vec::with_capacity(model.state_len());
    let mut free = Vec::new();
    for variable in &model.variables {
        match &variable.initial {
            Initial::Values(values) => state.extend(values),
            Initial::Any => {
                let domain = model.domain(variable.sort);
                for _ in 0..model.len_of(variable) {
                    free.push((state.len(), domain));
                    state.push(domain.bounds().0);
                }
            }
        }
    }
    InitialStates { free, next: Some(state), further: model.starts.iter() }
}

/// Whether a state is initial.
pub fn is_initial(model: &Sequential, state: &[i32]) -> bool {
    if model.starts.iter().any(|start| start == state) {
        return true;
    }
    let mut rest = state;
    for variable in &model.variables {
        let Some((own, others)) = rest.split_at_checked(model.len_of(variable)) else { return false };
        let fits = match &variable.initial {
            Initial::Values(values) => values == own,
            Initial::Any => own.iter().all(|&value| model.domain(variable.sort).contains(value)),
        };
        if !fits {
            return false;
        }
        rest = others;
    }
    rest.is_empty()
}

/// The number of initial states; `None` if it does not fit.
pub fn initial_count(model: &Sequential) -> Option<u128> {
    let free = initial_states(model).free;
    let product =
        free.iter().try_fold(1u128, |count, (_, domain)| count.checked_mul(u128::try_from(domain.size()).ok()?));
    product?.checked_add(model.starts.len() as u128)
}

impl Iterator for InitialStates<'_> {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let Some(state) = self.next.take() else { return self.further.next().cloned() };
        limits::work(4 * state.len() as u64);
        let domains: Vec<&Domain> = self.free.iter().map(|&(_, domain)| domain).collect();
        let mut values: Vec<i32> = self.free.iter().map(|&(element, _)| state[element]).collect();
        if advance(&domains, &mut values) {
            let mut following = state.clone();
            for (&(element, _), value) in self.free.iter().zip(values) {
                following[element] = value;
            }
            self.next = Some(following);
        }
        Some(state)
    }
}

/// Evaluation in one state. The values of the binders in scope are a stack.
struct Evaluator<'a> {
    model: &'a Sequential,
    state: &'a [i32],
    scope: Vec<i32>,
    /// The evaluations that are still allowed.
    work: u64,
}

impl<'a> Evaluator<'a> {
    fn new(model: &'a Sequential, state: &'a [i32], parameters: &[i32], work: u64) -> Evaluator<'a> {
        Evaluator { model, state, scope: parameters.to_vec(), work }
    }

    fn value(&mut self, expr: &Expr) -> Result<i32, SeqFault> {
        limits::work(1);
        let fault = |kind: SeqFaultKind| SeqFault { kind, span: expr.span };
        self.work = self.work.checked_sub(1).ok_or_else(|| fault(SeqFaultKind::WorkExhausted))?;
        match &expr.kind {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Member(_, index) => Ok(i32::try_from(*index).expect("sorts are bounded")),
            ExprKind::Parameter(id) => Ok(self.scope[id.index()]),
            ExprKind::Read(place) => Ok(self.state[self.element(place)?]),
            ExprKind::Lookup(id, indices) => {
                let table = self.model.table(*id);
                Ok(table.values[self.offset(&table.indices, indices)?])
            }
            ExprKind::Negate(inner) => {
                self.value(inner)?.checked_neg().ok_or_else(|| fault(SeqFaultKind::ArithmeticOverflow))
            }
            ExprKind::Not(inner) => Ok(i32::from(self.value(inner)? == 0)),
            ExprKind::PopCount(inner) => Ok(self.value(inner)?.count_ones().cast_signed()),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                arithmetic(*op, left, right).map_err(fault)
            }
            ExprKind::And(list) => self.until(list, false),
            ExprKind::Or(list) => self.until(list, true),
            ExprKind::Implies(left, right) => Ok(i32::from(self.value(left)? == 0 || self.value(right)? != 0)),
            ExprKind::Ite(condition, then, otherwise) => {
                if self.value(condition)? == 0 {
                    self.value(otherwise)
                } else {
                    self.value(then)
                }
            }
            ExprKind::Forall(quantified) => self.quantified(quantified, false),
            ExprKind::Exists(quantified) => self.quantified(quantified, true),
        }
    }

    /// Evaluates up to the first operand whose truth is `last`; the result says whether there is one.
    fn until(&mut self, list: &[Expr], last: bool) -> Result<i32, SeqFault> {
        for operand in list {
            if (self.value(operand)? != 0) == last {
                return Ok(i32::from(last));
            }
        }
        Ok(i32::from(!last))
    }

    fn quantified(&mut self, quantified: &Quantified, last: bool) -> Result<i32, SeqFault> {
        for value in self.model.domain(quantified.sort).values() {
            self.scope.push(value);
            let truth = self.value(&quantified.body);
            self.scope.pop();
            if (truth? != 0) == last {
                return Ok(i32::from(last));
            }
        }
        Ok(i32::from(!last))
    }

    /// The position in the state of the element that a place denotes.
    fn element(&mut self, place: &Place) -> Result<usize, SeqFault> {
        let variable = self.model.variable(place.variable);
        Ok(variable.offset + self.offset(&variable.indices, &place.indices)?)
    }

    /// The row-major offset of a list of indices.
    fn offset(&mut self, sorts: &[SortId], indices: &[Expr]) -> Result<usize, SeqFault> {
        let mut offset = 0;
        for (index, &sort) in indices.iter().zip(sorts) {
            let domain = self.model.domain(sort);
            let value = self.value(index)?;
            if !domain.contains(value) {
                let kind = SeqFaultKind::IndexOutOfRange { index: value, sort };
                return Err(SeqFault { kind, span: index.span });
            }
            let steps = i64::from(value) - i64::from(domain.bounds().0);
            offset = offset * domain.size() + usize::try_from(steps).expect("the domain holds the index");
        }
        Ok(offset)
    }
}

/// Applies a binary operator.
///
/// # Errors
/// The fault of the operands.
#[inline]
pub fn arithmetic(op: BinaryOp, left: i32, right: i32) -> Result<i32, SeqFaultKind> {
    let checked = |result: Option<i32>| result.ok_or(SeqFaultKind::ArithmeticOverflow);
    match op {
        BinaryOp::Add => checked(left.checked_add(right)),
        BinaryOp::Subtract => checked(left.checked_sub(right)),
        BinaryOp::Multiply => checked(left.checked_mul(right)),
        BinaryOp::Divide | BinaryOp::Modulo if right == 0 => Err(SeqFaultKind::DivisionByZero),
        BinaryOp::Divide => {
            // Rust truncates: one less where the exact quotient is negative and not an integer.
            let floored = left.wrapping_rem(right) != 0 && (left < 0) != (right < 0);
            checked(left.checked_div(right)).map(|quotient| quotient - i32::from(floored))
        }
        BinaryOp::Modulo => {
            let rest = left.wrapping_rem(right);
            Ok(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
        }
        BinaryOp::Xor => Ok(left ^ right),
        BinaryOp::Quotient | BinaryOp::Remainder if right == 0 => Err(SeqFaultKind::DivisionByZero),
        BinaryOp::Quotient => checked(left.checked_div(right)),
        BinaryOp::Remainder => Ok(left.wrapping_rem(right)),
        BinaryOp::Power => power(left, right),
        BinaryOp::Root => root(left, right),
        BinaryOp::BitAnd => Ok(left & right),
        BinaryOp::BitOr => Ok(left | right),
        BinaryOp::ShiftLeft => Ok(left.wrapping_shl(right.cast_unsigned())),
        BinaryOp::ShiftRight => Ok(left.wrapping_shr(right.cast_unsigned())),
        BinaryOp::ShiftRightUnsigned => Ok(left.cast_unsigned().wrapping_shr(right.cast_unsigned()).cast_signed()),
        BinaryOp::Equal => Ok(i32::from(left == right)),
        BinaryOp::NotEqual => Ok(i32::from(left != right)),
        BinaryOp::Less => Ok(i32::from(left < right)),
        BinaryOp::LessEqual => Ok(i32::from(left <= right)),
        BinaryOp::Greater => Ok(i32::from(left > right)),
        BinaryOp::GreaterEqual => Ok(i32::from(left >= right)),
    }
}

fn power(base: i32, exponent: i32) -> Result<i32, SeqFaultKind> {
    match (base, u32::try_from(exponent)) {
        (_, Ok(exponent)) => base.checked_pow(exponent).ok_or(SeqFaultKind::ArithmeticOverflow),
        (0, Err(_)) => Err(SeqFaultKind::DivisionByZero),
        (1, Err(_)) => Ok(1),
        (-1, Err(_)) => Ok(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) => Ok(0),
    }
}

/// The greatest number whose `degree`-th power is at most `operand`.
fn root(operand: i32, degree: i32) -> Result<i32, SeqFaultKind> {
    if operand < 0 || degree < 1 {
        return Err(SeqFaultKind::NoRoot);
    }
    let degree = degree.cast_unsigned();
    let fits = |root: i32| root.checked_pow(degree).is_some_and(|power| power <= operand);
    let (mut low, mut high) = (0, operand);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_modulus_are_floored() {
        for (left, right) in (-9i32..=9).flat_map(|left| (-4..=4).map(move |right| (left, right))) {
            if right == 0 {
                assert_eq!(arithmetic(BinaryOp::Divide, left, 0), Err(SeqFaultKind::DivisionByZero));
                assert_eq!(arithmetic(BinaryOp::Modulo, left, 0), Err(SeqFaultKind::DivisionByZero));
                continue;
            }
            let quotient = arithmetic(BinaryOp::Divide, left, right).unwrap();
            let rest = arithmetic(BinaryOp::Modulo, left, right).unwrap();
            assert_eq!(quotient * right + rest, left);
            assert!(
                rest == 0 || ((rest < 0) == (right < 0) && rest.abs() < right.abs()),
                "{left} mod {right} = {rest}"
            );
        }
        assert_eq!(arithmetic(BinaryOp::Divide, i32::MIN, -1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Modulo, i32::MIN, -1), Ok(0));
    }

    #[test]
    fn arithmetic_is_checked() {
        assert_eq!(arithmetic(BinaryOp::Add, i32::MAX, 1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Subtract, i32::MIN, 1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Multiply, 1 << 16, 1 << 15), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Xor, -1, 5), Ok(-6));
        assert_eq!(arithmetic(BinaryOp::Quotient, -7, 2), Ok(-3));
        assert_eq!(arithmetic(BinaryOp::Quotient, i32::MIN, -1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Remainder, -7, 2), Ok(-1));
        assert_eq!(arithmetic(BinaryOp::Remainder, 1, 0), Err(SeqFaultKind::DivisionByZero));
        assert_eq!(arithmetic(BinaryOp::ShiftLeft, 1, 33), Ok(2));
        assert_eq!(arithmetic(BinaryOp::ShiftRightUnsigned, -1, 28), Ok(15));
        assert_eq!(arithmetic(BinaryOp::Power, 2, 31), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Power, 7, -1), Ok(0));
        for operand in (0..50).chain([i32::MAX - 1, i32::MAX]) {
            assert_eq!(arithmetic(BinaryOp::Root, operand, 2), Ok(operand.isqrt()));
            assert_eq!(arithmetic(BinaryOp::Root, operand, 1), Ok(operand));
        }
        assert_eq!(arithmetic(BinaryOp::Root, 80, 4), Ok(2));
        assert_eq!(arithmetic(BinaryOp::Root, -1, 2), Err(SeqFaultKind::NoRoot));
        assert_eq!(arithmetic(BinaryOp::Root, 1, 0), Err(SeqFaultKind::NoRoot));
    }
}
