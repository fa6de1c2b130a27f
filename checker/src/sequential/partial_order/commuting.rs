//! The proof that two instances commute although they touch the same elements, such as the two ends of a queue.
//!
//! The statements of both that matter to the other one ([`kept`]) are executed on a state of terms, in both orders, and the results are compared. A condition that the terms do not
//! decide, an index, or a fault splits the proof: into the values of an element that has few, else into true and false.
//!
//! Soundness: in each case where both instances are enabled or fault, an instance that does not fault leaves the other one
//! as it was: enabled, or with its fault at the same place; if neither faults, both orders end in equal terms. Where faults are
//! neither asked for nor end runs of formulas, one that faults takes no step that has to be kept. Only cases that
//! no state meets by the sets of [`Possible`] are left out, and whatever is not decided within the bounds counts as dependent. The claims are executed
//! by the reference interpreter on random processes (`claims_about_instances_are_executed`).
//!
//! Complexity: cases times the size of the instances, bounded for each pair and for all of them.

use std::cell::{OnceCell, RefCell};

use frontend::sequential::Turn;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::body::{Action, Instance, Parameters};
use super::super::code::{Code, Offset, steps};
use super::effects::{Scratch, Touched};
use super::facts::touched;
use super::kept::{Sketch, kept};
use super::possible::Possible;
use super::split::Parts;
use super::terms::{Node, Stop, Term, Terms};
use crate::stubborn::Wrong;

/// The most evaluations for one pair, with the values that are copied.
const MOST_OF_PAIR: u64 = 1 << 17;

/// The most evaluations for one pair where [`MOST_LOSSES`] pairs in a row took more in vain: what can be proved rarely takes as many.
const FEW_OF_PAIR: u64 = 1 << 12;

/// The most pairs in a row that take more than [`FEW_OF_PAIR`] evaluations and are not proved.
const MOST_LOSSES: u32 = 32;

/// The most evaluations for all pairs together.
const MOST_OF_ALL: u64 = 1 << 23;

/// The most rounds of a loop.
const MOST_ROUNDS: u32 = 64;

/// The prover of a process.
pub(super) struct Prover<'i, 'm> {
    /// The parts of instances, and behind them the instances that have several.
    instances: Vec<&'i Instance<'m>>,
    parts: &'i Parts<'m>,
    /// By instance, once they are asked for, the elements that it touches and those that its statements do.
    looks: Vec<OnceCell<(Touched, Sketch)>>,
    scratch: RefCell<&'i mut Scratch>,
    context: Context<'i>,
    /// Evaluations so far.
    spent: u64,
    /// The pairs in a row that took more than a few evaluations and were not proved.
    losses: u32,
    /// What is known of instances.
    known: FxHashMap<[usize; 2], bool>,
}

/// What a proof depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'i> {
    /// By part those that may follow it inside of a step.
    pub(super) followers: &'i [Vec<u32>],
    /// The variable of the turn, if there is one.
    pub(super) turn: Option<Turn>,
    /// Whether a fault of one instance has to be kept by the other one.
    pub(super) faults: bool,
    /// The values that elements may have.
    pub(super) possible: &'i Possible,
    pub(super) wrong: Wrong,
}

/// An instance, and the statements of its body that matter to the other step.
struct Part<'i, 'm> {
    instance: &'i Instance<'m>,
    body: Box<[Action<'m>]>,
}

/// What an instance does in a case.
enum Outcome {
    Disabled,
    Faults(usize),
    /// The elements that it wrote and those that were written before.
    Ends(FxHashMap<usize, Term>),
}

impl<'i, 'm> Prover<'i, 'm> {
    /// The prover of a process with these parts of instances.
    pub(super) fn new(parts: &'i Parts<'m>, context: Context<'i>, scratch: &'i mut Scratch) -> Prover<'i, 'm> {
        let instances: Vec<&Instance<'_>> = parts.parts.iter().chain(&parts.wholes).collect();
        assert_eq!(parts.whole.len(), parts.parts.len(), "each part is one of an instance");
        assert!(parts.whole.iter().all(|&whole| (whole as usize) < instances.len()), "and the instance is listed");
        let looks = vec![OnceCell::new(); instances.len()];
        let scratch = RefCell::new(scratch);
        Prover { instances, parts, looks, scratch, context, spent: 0, losses: 0, known: FxHashMap::default() }
    }

    /// What an instance touches, and its statements.
    fn look(&self, number: usize) -> &(Touched, Sketch) {
        let instance = self.instances[number];
        self.looks[number].get_or_init(|| {
            let touched = touched(instance, self.context.possible, &mut self.scratch.borrow_mut());
            (touched, Sketch::new(instance))
        })
    }

    /// Whether there are evaluations left for more pairs.
    pub(super) fn has_room(&self) -> bool {
        self.spent < MOST_OF_ALL
    }

    /// Whether two parts of instances commute in every state in which both are enabled or fault: the whole instances do, and
    /// each leaves the part of the other one as it is, or the parts do.
    pub(super) fn commute(&mut self, parts: [usize; 2]) -> bool {
        let whole = parts.map(|part| self.parts.whole[part] as usize);
        let [one, other] = parts;
        let stays =
            |part: usize, after: usize| self.parts.by[part].iter().all(|at| !self.look(after).0.writes.contains(at));
        let stay = self.context.wrong.parts_stay() || stays(one, other) && stays(other, one);
        if !stay {
            return self.has_room() && self.is_proved(parts);
        }
        let known = self.known.get(&whole).copied();
        let commute = known.unwrap_or_else(|| whole[0] != whole[1] && self.has_room() && self.is_proved(whole));
        self.known.insert(whole, commute);
        commute || whole != parts && self.has_room() && self.is_proved(parts)
    }

    /// Whether it is proved that two instances, or parts of them, commute.
    fn is_proved(&mut self, pair: [usize; 2]) -> bool {
        let chain = |first: usize| {
            let behind = self.context.followers.get(first).into_iter().flatten().map(|&at| at as usize);
            [first].into_iter().chain(behind).collect::<Vec<_>>()
        };
        let chains = pair.map(chain);
        let steps = [0, 1].map(|at| chains[at].iter().map(|&at| self.instances[at]).collect::<Vec<_>>());
        if steps.iter().flatten().any(|instance| matches!(instance.parameters, Parameters::Ranges(_))) {
            return false;
        }
        let [one, other] = [0, 1].map(|at| {
            let part = |&number: &usize| {
                let instance = self.instances[number];
                let body = match (&chains[at][..], &chains[1 - at][..]) {
                    ([_], [other]) => kept(instance, &self.look(number).1, &self.look(*other).0, self.context.wrong),
                    // Which instance follows may depend on the other step.
                    _ => instance.body.clone(),
                };
                Part { instance, body }
            };
            chains[at].iter().map(part).collect::<Vec<_>>()
        });
        let Context { turn, faults, possible, .. } = self.context;
        let most = if self.losses < MOST_LOSSES { MOST_OF_PAIR } else { FEW_OF_PAIR };
        let mut proof = Proof { turn, faults, terms: Terms::new(possible), left: most };
        let is_possible = turn.is_none_or(|turn| {
            let initial = proof.terms.make(Node::Initial(turn.element));
            proof.terms.assume(initial, turn.over)
        });
        let is_proved = !is_possible || proof.cases(&one, &other, self.context.wrong);
        let looked_at =
            |chain: &Vec<usize>| if let [at] = chain[..] { self.look(at).1.len() } else { chain.len() as u64 };
        let looked_at: u64 = chains.iter().map(looked_at).sum();
        let taken = most - proof.left;
        if taken > FEW_OF_PAIR {
            self.losses = if is_proved { 0 } else { self.losses + 1 };
        }
        let spent = taken + looked_at;
        self.spent += spent;
        limits::work(spent);
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
    fn cases(&mut self, one: &[Part<'_, '_>], other: &[Part<'_, '_>], wrong: Wrong) -> bool {
        let term = match self.case(one, other, wrong) {
            Ok(is_proved) => return is_proved,
            Err(Stop::Split(term)) => term,
            Err(_) => return false,
        };
        let Some((term, values)) = self.terms.split(term) else { return false };
        for value in values {
            let is_possible = self.terms.assume(term, value);
            let is_proved = !is_possible || self.cases(one, other, wrong);
            self.terms.release(term);
            if !is_proved {
                return false;
            }
        }
        true
    }

    /// Whether the instances commute in the case at hand.
    fn case(&mut self, one: &[Part<'_, '_>], other: &[Part<'_, '_>], wrong: Wrong) -> Result<bool, Stop> {
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
        chain: &[Part<'_, '_>],
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
        written.into_iter().filter(|&element| element < self.terms.possible.elements()).all(|element| {
            let initial = self.terms.make(Node::Initial(element));
            let value = |state: &FxHashMap<usize, Term>| state.get(&element).copied().unwrap_or(initial);
            value(one) == value(other)
        })
    }

    /// What a step does where elements were written before.
    fn outcome(&mut self, chain: &[Part<'_, '_>], before: &FxHashMap<usize, Term>) -> Result<Outcome, Stop> {
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
            for part in behind {
                match self.step(part, &values)? {
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
    fn step(&mut self, part: &Part<'_, '_>, before: &FxHashMap<usize, Term>) -> Result<Outcome, Stop> {
        self.left = self.left.checked_sub(before.len() as u64).ok_or(Stop::Unknown)?;
        let mut run = Run { values: before.clone(), registers: FxHashMap::default(), proof: self };
        match run.step(part) {
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
    fn step(&mut self, Part { instance, body }: &Part<'_, '_>) -> Result<bool, Stop> {
        for conjunct in instance.shared.iter().chain([&instance.guard]) {
            if !self.truth(conjunct)? {
                return Ok(false);
            }
        }
        for argument in &instance.arguments {
            self.eval(argument)?;
        }
        self.body(body)?;
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
            None if element < self.proof.terms.possible.elements() => Ok(self.proof.terms.make(Node::Initial(element))),
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
