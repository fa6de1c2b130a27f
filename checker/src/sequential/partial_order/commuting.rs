//! The proof that two instances commute although they touch the same elements, such as the two ends of a queue.
//!
//! Both are executed on a state of terms, in both orders, and the results are compared. A condition that the terms do not
//! decide, an index, or a fault splits the proof: into the values of an element that has few, else into true and false.
//!
//! Soundness: in each case where both instances are enabled or fault, an instance that does not fault leaves the other one
//! as it was: enabled, or with its fault at the same place; if neither faults, both orders end in equal terms. Where faults are
//! neither asked for nor end runs of formulas, one that faults takes no step that has to be kept. Cases that
//! no state meets are proved too, and whatever is not decided within the bounds counts as dependent. The claims are executed
//! by the reference interpreter on random processes (`claims_about_instances_are_executed`).
//!
//! Complexity: cases times the size of the instances, bounded for each pair and for all of them.

use frontend::sequential::Turn;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::body::{Action, Instance, Parameters};
use super::super::code::{Code, Offset, steps};
use super::terms::{Node, Stop, Term, Terms};
use crate::stubborn::Wrong;

/// The most evaluations for one pair.
const MOST_OF_PAIR: u64 = 1 << 12;

/// The most evaluations for all pairs together.
const MOST_OF_ALL: u64 = 1 << 22;

/// The most rounds of a loop.
const MOST_ROUNDS: u32 = 64;

/// The prover of a process.
pub(super) struct Prover<'i, 'm> {
    pub(super) instances: &'i [Instance<'m>],
    /// By instance those that may follow it inside of a step.
    pub(super) followers: &'i [Vec<u32>],
    /// The variable of the turn, if there is one.
    pub(super) turn: Option<Turn>,
    /// Whether a fault of one instance has to be kept by the other one.
    pub(super) faults: bool,
    /// By element `(least value, number of values)`.
    pub(super) bounds: &'i [(i32, usize)],
    pub(super) wrong: Wrong,
    /// Evaluations so far.
    pub(super) spent: u64,
}

/// What an instance does in a case.
enum Outcome {
    Disabled,
    Faults(usize),
    /// The elements that it wrote and those that were written before.
    Ends(FxHashMap<usize, Term>),
}

impl Prover<'_, '_> {
    /// Whether there are evaluations left for more pairs.
    pub(super) fn has_room(&self) -> bool {
        self.spent < MOST_OF_ALL
    }

    /// Whether two instances commute in every state in which both are enabled or fault.
    pub(super) fn commute(&mut self, pair: [usize; 2]) -> bool {
        let chain = |first: usize| {
            let behind = self.followers[first].iter().map(|&at| &self.instances[at as usize]);
            [&self.instances[first]].into_iter().chain(behind).collect::<Vec<_>>()
        };
        let [one, other] = pair.map(chain);
        if one.iter().chain(&other).any(|instance| matches!(instance.parameters, Parameters::Ranges(_))) {
            return false;
        }
        let mut proof =
            Proof { turn: self.turn, faults: self.faults, terms: Terms::new(self.bounds), left: MOST_OF_PAIR };
        if let Some(turn) = self.turn {
            let initial = proof.terms.make(Node::Initial(turn.element));
            proof.terms.assume(initial, turn.over);
        }
        let is_proved = proof.cases(&one, &other, self.wrong);
        self.spent += MOST_OF_PAIR - proof.left;
        limits::work(MOST_OF_PAIR - proof.left);
        is_proved
    }
}

/// The proof for one pair.
struct Proof<'b> {
    turn: Option<Turn>,
    faults: bool,
    terms: Terms<'b>,
    /// Evaluations that are left.
    left: u64,
}

impl Proof<'_> {
    /// Proves the case at hand, split where it must be.
    fn cases(&mut self, one: &[&Instance<'_>], other: &[&Instance<'_>], wrong: Wrong) -> bool {
        let term = match self.case(one, other, wrong) {
            Ok(is_proved) => return is_proved,
            Err(Stop::Split(term)) => term,
            Err(_) => return false,
        };
        let Some((term, values)) = self.terms.split(term) else { return false };
        for value in values {
            self.terms.assume(term, value);
            let is_proved = self.cases(one, other, wrong);
            self.terms.release(term);
            if !is_proved {
                return false;
            }
        }
        true
    }

    /// Whether the instances commute in the case at hand.
    fn case(&mut self, one: &[&Instance<'_>], other: &[&Instance<'_>], wrong: Wrong) -> Result<bool, Stop> {
        let none = FxHashMap::default();
        let first = self.outcome(one, &none)?;
        if matches!(first, Outcome::Disabled) {
            return Ok(true);
        }
        match (first, self.outcome(other, &none)?) {
            (Outcome::Disabled, _) | (_, Outcome::Disabled) | (Outcome::Faults(_), Outcome::Faults(_)) => Ok(true),
            (Outcome::Ends(_), Outcome::Faults(_)) | (Outcome::Faults(_), Outcome::Ends(_)) if !self.faults => Ok(true),
            (Outcome::Ends(after), Outcome::Faults(at)) => self.still_faults(other, &after, at, wrong),
            (Outcome::Faults(at), Outcome::Ends(after)) => self.still_faults(one, &after, at, wrong),
            (Outcome::Ends(first), Outcome::Ends(second)) => {
                let (second, first) = (self.outcome(one, &second)?, self.outcome(other, &first)?);
                match (first, second) {
                    (Outcome::Ends(first), Outcome::Ends(second)) => Ok(self.are_equal(&first, &second)),
                    _ => Ok(wrong.second_steps_forgotten()),
                }
            }
        }
    }

    /// Whether an instance still has its fault after the other one.
    fn still_faults(
        &mut self,
        chain: &[&Instance<'_>],
        after: &FxHashMap<usize, Term>,
        at: usize,
        wrong: Wrong,
    ) -> Result<bool, Stop> {
        let then = self.outcome(chain, after)?;
        Ok(matches!(then, Outcome::Faults(then) if then == at) || wrong.faults_vanish())
    }

    /// Whether two states are equal.
    fn are_equal(&mut self, one: &FxHashMap<usize, Term>, other: &FxHashMap<usize, Term>) -> bool {
        let written: FxHashSet<usize> = one.keys().chain(other.keys()).copied().collect();
        written.into_iter().filter(|&element| element < self.terms.bounds.len()).all(|element| {
            let initial = self.terms.make(Node::Initial(element));
            let value = |state: &FxHashMap<usize, Term>| state.get(&element).copied().unwrap_or(initial);
            value(one) == value(other)
        })
    }

    /// What a step does where elements were written before.
    fn outcome(&mut self, chain: &[&Instance<'_>], before: &FxHashMap<usize, Term>) -> Result<Outcome, Stop> {
        let [first, behind @ ..] = chain else { return Err(Stop::Unknown) };
        let mut values = match self.step(first, before)? {
            Outcome::Ends(values) => values,
            outcome => return Ok(outcome),
        };
        while let Some(turn) = self.turn {
            let now = values.get(&turn.element).map_or(Ok(turn.over), |&term| self.terms.value(term))?;
            if now == turn.over {
                break;
            }
            let mut next = None;
            for instance in behind {
                match self.step(instance, &values)? {
                    Outcome::Disabled => {}
                    Outcome::Ends(values) if next.is_none() => next = Some(values),
                    // Several ends, or a state inside of the step that is stored.
                    Outcome::Ends(_) | Outcome::Faults(_) => return Err(Stop::Unknown),
                }
            }
            if next.is_none() {
                values.insert(turn.element, self.terms.make(Node::Constant(turn.over)));
            }
            values = next.unwrap_or(values);
        }
        Ok(Outcome::Ends(values))
    }

    /// What one instance does where elements were written before.
    fn step(&mut self, instance: &Instance<'_>, before: &FxHashMap<usize, Term>) -> Result<Outcome, Stop> {
        let mut run = Run { values: before.clone(), registers: FxHashMap::default(), proof: self };
        match run.step(instance) {
            Ok(true) => Ok(Outcome::Ends(run.values)),
            Ok(false) => Ok(Outcome::Disabled),
            Err(Stop::Fault(at)) => Ok(Outcome::Faults(at)),
            Err(stop) => Err(stop),
        }
    }
}

/// An execution in a case.
struct Run<'p, 'b> {
    /// The values of elements that were written, and of locals.
    values: FxHashMap<usize, Term>,
    /// The values of binders.
    registers: FxHashMap<usize, i32>,
    proof: &'p mut Proof<'b>,
}

/// The address of a part of an instance, by which its faults are told apart.
fn place<T>(part: &T) -> usize {
    std::ptr::from_ref(part).addr()
}

impl Run<'_, '_> {
    /// Executes an instance; false where it is not enabled.
    fn step(&mut self, instance: &Instance<'_>) -> Result<bool, Stop> {
        for conjunct in instance.shared.iter().chain([&instance.guard]) {
            if !self.truth(conjunct)? {
                return Ok(false);
            }
        }
        for argument in &instance.arguments {
            self.eval(argument)?;
        }
        self.body(&instance.body)?;
        Ok(true)
    }

    fn body(&mut self, body: &[Action<'_>]) -> Result<(), Stop> {
        for action in body {
            match action {
                Action::Assign { target, value, low, high } => {
                    let element = self.offset(target)?;
                    let value = self.eval(value)?;
                    self.within(value, (*low, *high), place(action))?;
                    self.values.insert(element, value);
                }
                Action::If(condition, then, otherwise) => {
                    let chosen = if self.truth(condition)? { then } else { otherwise };
                    self.body(chosen)?;
                }
                Action::Fill { first, len, value, low, high } => {
                    let value = self.eval(value)?;
                    self.within(value, (*low, *high), place(action))?;
                    self.values.extend((*first..*first + *len).map(|element| (element, value)));
                }
                Action::While(condition, body) => {
                    let mut rounds = 0;
                    while self.truth(condition)? {
                        rounds += 1;
                        if rounds > MOST_ROUNDS {
                            return Err(Stop::Unknown);
                        }
                        self.body(body)?;
                    }
                }
                Action::Fail => return Err(Stop::Fault(place(action))),
                Action::Note(_) => {}
            }
        }
        Ok(())
    }

    /// A fault where a value is out of a range.
    fn within(&mut self, value: Term, (low, high): (i32, i32), place: usize) -> Result<(), Stop> {
        if self.proof.terms.is_within(value, (low, high)) {
            return Ok(());
        }
        let is_outside = match self.proof.terms.constant(value) {
            Some(value) => value < low || value > high,
            None => {
                let outside = self.proof.terms.make(Node::Outside(value, low, high));
                self.proof.terms.value(outside)? != 0
            }
        };
        if is_outside { Err(Stop::Fault(place)) } else { Ok(()) }
    }

    fn truth(&mut self, code: &Code<'_>) -> Result<bool, Stop> {
        let term = self.eval(code)?;
        Ok(self.proof.terms.value(term)? != 0)
    }

    fn element(&mut self, element: usize) -> Result<Term, Stop> {
        match self.values.get(&element) {
            Some(&value) => Ok(value),
            None if element < self.proof.terms.bounds.len() => Ok(self.proof.terms.make(Node::Initial(element))),
            None => Err(Stop::Unknown),
        }
    }

    fn constant(&mut self, value: i32) -> Term {
        self.proof.terms.make(Node::Constant(value))
    }

    fn eval(&mut self, code: &Code<'_>) -> Result<Term, Stop> {
        self.proof.left = self.proof.left.checked_sub(1).ok_or(Stop::Unknown)?;
        Ok(match code {
            Code::Constant(value) => self.constant(*value),
            Code::Register(register) => {
                let value = *self.registers.get(register).ok_or(Stop::Unknown)?;
                self.constant(value)
            }
            Code::Element(element) => self.element(*element)?,
            Code::Test(element, op, value) => {
                let (left, right) = (self.element(*element)?, self.constant(*value));
                self.proof.terms.comparison(*op, left, right)
            }
            Code::Read(offset) => {
                let element = self.offset(offset)?;
                self.element(element)?
            }
            Code::Lookup(table, offset) => {
                let at = self.offset(offset)?;
                self.constant(table[at])
            }
            Code::Negate(inner) => {
                let inner = self.eval(inner)?;
                match self.proof.terms.constant(inner) {
                    Some(value) => {
                        let value = value.checked_neg().ok_or(Stop::Fault(place(code)))?;
                        self.constant(value)
                    }
                    None if !self.proof.terms.is_within(inner, (-i32::MAX, i32::MAX)) => return Err(Stop::Unknown),
                    None => self.proof.terms.make(Node::Negate(inner)),
                }
            }
            Code::Not(inner) => {
                let inner = self.eval(inner)?;
                self.proof.terms.not(inner)
            }
            Code::PopCount(inner) => {
                let inner = self.eval(inner)?;
                match self.proof.terms.constant(inner) {
                    Some(value) => self.constant(value.count_ones().cast_signed()),
                    None => self.proof.terms.make(Node::PopCount(inner)),
                }
            }
            Code::Binary(op, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                if op.is_comparison() {
                    self.proof.terms.comparison(*op, left, right)
                } else {
                    self.proof.terms.arithmetic(*op, left, right, place(code))?
                }
            }
            Code::All(list) => self.until(list, false)?,
            Code::Any(list) => self.until(list, true)?,
            Code::Ite(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.truth(condition)? { then } else { otherwise };
                self.eval(chosen)?
            }
            Code::Each(each) => {
                for value in each.low..=each.high {
                    self.registers.insert(each.register, value);
                    if self.truth(&each.body)? == each.last {
                        return Ok(self.constant(i32::from(each.last)));
                    }
                }
                self.constant(i32::from(!each.last))
            }
        })
    }

    /// The operands up to the first that has a truth.
    fn until(&mut self, list: &[Code<'_>], last: bool) -> Result<Term, Stop> {
        for operand in list {
            if self.truth(operand)? == last {
                return Ok(self.constant(i32::from(last)));
            }
        }
        Ok(self.constant(i32::from(!last)))
    }

    fn offset(&mut self, offset: &Offset<'_>) -> Result<usize, Stop> {
        let mut at = offset.base;
        for dimension in &offset.dimensions {
            let index = self.eval(&dimension.index)?;
            let index = self.proof.terms.value(index)?;
            if index < dimension.low || index > dimension.high {
                return Err(Stop::Fault(place(dimension)));
            }
            at += steps(dimension.low, index) * dimension.stride;
        }
        Ok(at)
    }
}
