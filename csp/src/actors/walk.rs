//! [`Walk`]: one path through a body whose inputs are unknown.
//!
//! The inputs are the variables before the step, the sender and the parameters. A path keeps the set of values that are
//! still possible for each input. The path splits where the body needs more: a test splits the values into two sets,
//! and an index splits them into single values. Choices split the path too. Wide integers become terms, and a test of
//! terms splits on the truth of an atom. A path therefore ends with one cube of inputs, and with effects that are
//! constants, copies of inputs, or terms.
//!
//! Like the reference interpreter, a walk follows a list of decisions and takes first options after them; it visits all
//! paths one after the other. Control flow and the order of evaluation are those of `frontend::interpret`.
//!
//! The identity of a created rebec is never known. The source of its name represents it: the element that holds it, the
//! rebec that runs, or the place in the order of creations on the path. The path splits on whether two such names
//! denote one rebec, and messages to one rebec are recorded under one name. The walk includes the constructors of the
//! rebecs that a path creates, because they run within the step.
//!
//! Soundness: the cubes of all paths cover every input. A path ends at its first fault and keeps only the class of the
//! fault and the numbers of messages sent before it, since one of these may overflow a queue first.
//!
//! Complexity: a bounded number of paths and statements per body; beyond the bound the body is opaque.

use std::collections::BTreeMap;

use frontend::interpret::FaultClass;
use frontend::model::{Arm, Block, Body, Class, Expr, Model, RebecId, ServerId, Stmt, StmtKind, Value};

use super::cube::{Key, Mask};
use super::space::{ElementId, Space, full};
use super::summary::Receiver;
use super::term::{TermId, Terms};

/// The most paths through one body.
const MAX_PATHS: usize = 2_000;
/// The most statements on all paths through one body.
const MAX_WORK: usize = 400_000;
/// The most statements and loop iterations on one path. The bound is so low that the reference interpreter never takes
/// such a path for endless.
const MAX_STATEMENTS: usize = 20_000;
/// The most nested calls.
const MAX_CALLS: usize = 60;
/// The most nested blocks, over all calls together.
const MAX_NESTING: usize = 600;

/// A value along a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Val {
    /// This value.
    Known(Value),
    /// The value that this element, which has listed values, had before the step.
    Input(ElementId),
    /// The value of a term.
    Term(TermId),
    /// The created rebec that runs, represented by the stand-in of its class.
    Own(RebecId),
    /// The rebec of this number among the rebecs of a class, represented by its stand-in, that the path creates.
    New(RebecId, u32),
}

/// The reason why a path ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// A fault of the model.
    Fault(FaultClass),
    /// A construct that cannot be represented.
    Opaque(&'static str),
}

/// The fault of everything except assertions and queues.
pub(super) const ERROR: Stop = Stop::Fault(FaultClass::Error);

/// A message that is sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) receiver: Receiver,
    pub(super) server: ServerId,
    pub(super) sender: Val,
    pub(super) arguments: Vec<Val>,
}

/// A rebec that a path creates.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// The stand-in of its class.
    pub(super) rebec: RebecId,
    /// The values of its variables at the end of the path.
    pub(super) values: Vec<Val>,
}

/// The end of a path.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// The known values of the inputs.
    pub(super) cube: BTreeMap<Key, Mask>,
    /// The values of the variables at the end of the path.
    pub(super) values: Vec<Val>,
    /// The messages in order.
    pub(super) sent: Vec<Sent>,
    /// The created rebecs, in order.
    pub(super) made: Vec<Made>,
    /// The fault that ends it.
    pub(super) fault: Option<FaultClass>,
}

/// The result of an expression on a path: the known values of the inputs, and the truth; `None` for a fault.
pub(super) type Answer = (BTreeMap<Key, Mask>, Option<bool>);

/// A value where the inputs have these known values: a constant if no other value is still possible.
pub(super) fn looked(space: &Space<'_>, known: &BTreeMap<Key, Mask>, value: Val) -> Val {
    let Val::Input(element) = value else { return value };
    match known.get(&Key::Element(element)) {
        Some(mask) if mask.count_ones() == 1 => match space.values(element)[mask.trailing_zeros() as usize] {
            only if space.is_vague(only) => value,
            only => Val::Known(only),
        },
        _ => value,
    }
}

/// A body to be walked.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) rebec: RebecId,
    pub(super) body: &'a Body,
    pub(super) sender: Val,
    pub(super) arguments: &'a [Val],
}

pub(super) struct Walk<'a, 'm> {
    pub(super) space: &'a Space<'m>,
    pub(super) terms: &'a mut Terms,
    pub(super) class: Option<&'m Class>,
    pub(super) rebec: RebecId,
    /// The rebec as a value.
    pub(super) own: Val,
    pub(super) sender: Val,
    pub(super) cube: BTreeMap<Key, Mask>,
    pub(super) values: Vec<Val>,
    pub(super) sent: Vec<Sent>,
    pub(super) made: Vec<Made>,
    decisions: Vec<(u32, u32)>,
    cursor: usize,
    work: usize,
    statements: usize,
    calls: usize,
    nesting: usize,
}

/// One call.
pub(super) struct Frame<'b> {
    pub(super) body: &'b Body,
    pub(super) locals: Vec<Val>,
}

enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Val>),
}

impl<'a, 'm> Walk<'a, 'm> {
    pub(super) fn new(space: &'a Space<'m>, terms: &'a mut Terms) -> Walk<'a, 'm> {
        Walk {
            space,
            terms,
            class: None,
            rebec: RebecId(0),
            own: Val::Known(Value::Null),
            sender: Val::Known(Value::Null),
            cube: BTreeMap::new(),
            values: Vec::new(),
            sent: Vec::new(),
            made: Vec::new(),
            decisions: Vec::new(),
            cursor: 0,
            work: 0,
            statements: 0,
            calls: 0,
            nesting: 0,
        }
    }

    pub(super) fn model(&self) -> &'m Model {
        self.space.model
    }

    /// The value of an element before the step.
    pub(super) fn input(&mut self, element: ElementId) -> Val {
        if let Some(value) = self.space.constant(element) {
            return Val::Known(value);
        }
        match self.space.element(element).domain {
            super::space::Domain::Wide(width) => Val::Term(self.terms.input(element, width)),
            super::space::Domain::Values(_) => Val::Input(element),
        }
    }

    /// All paths through a body.
    pub(super) fn paths(&mut self, task: Task<'m>) -> Result<Vec<Path>, &'static str> {
        let mut paths = Vec::new();
        let class = self.space.class(task.rebec);
        debug_assert_eq!(task.arguments.len(), task.body.parameters().len(), "a call has every argument");
        self.class = Some(class);
        loop {
            (self.cursor, self.rebec, self.sender) = (0, task.rebec, task.sender);
            (self.statements, self.calls, self.nesting) = (0, 0, 0);
            self.own = self.itself(task.rebec);
            self.cube.clear();
            self.sent.clear();
            self.made.clear();
            let elements = class.elements();
            self.values = (0..elements).map(|element| self.input(self.space.state(task.rebec, element))).collect();
            let result = self.invoke(task.body, task.arguments.to_vec()).and_then(|_| self.settle());
            let fault = match result {
                Ok(()) => None,
                Err(Stop::Fault(class)) => Some(class),
                Err(Stop::Opaque(reason)) => return Err(reason),
            };
            let (cube, values) = (std::mem::take(&mut self.cube), std::mem::take(&mut self.values));
            let (sent, made) = (std::mem::take(&mut self.sent), std::mem::take(&mut self.made));
            paths.push(Path { cube, values, sent, made, fault });
            if paths.len() > MAX_PATHS {
                return Err("too many paths");
            }
            if !self.advance() {
                return Ok(paths);
            }
        }
    }

    /// The name of the rebec that runs.
    fn itself(&self, rebec: RebecId) -> Val {
        if self.space.is_created(rebec) { Val::Own(rebec) } else { Val::Known(Value::Rebec(rebec)) }
    }

    /// All paths through an expression: for each the inputs, and the value or the fault.
    pub(super) fn values_of(&mut self, expr: &Expr) -> Result<Vec<Answer>, &'static str> {
        let mut paths = Vec::new();
        let nowhere = Body { locals: Vec::new(), parameters: 0, block: Vec::new() };
        loop {
            self.cursor = 0;
            self.cube.clear();
            let frame = Frame { body: &nowhere, locals: Vec::new() };
            let value = match self.condition(&frame, expr) {
                Ok(value) => Some(value),
                Err(Stop::Fault(_)) => None,
                Err(Stop::Opaque(reason)) => return Err(reason),
            };
            paths.push((std::mem::take(&mut self.cube), value));
            if paths.len() > MAX_PATHS {
                return Err("too many paths");
            }
            if !self.advance() {
                return Ok(paths);
            }
        }
    }

    fn advance(&mut self) -> bool {
        limits::work(16);
        while let Some((option, options)) = self.decisions.last_mut() {
            *option += 1;
            if option < options {
                return true;
            }
            self.decisions.pop();
        }
        false
    }

    pub(super) fn decide(&mut self, options: u32) -> u32 {
        if self.cursor == self.decisions.len() {
            self.decisions.push((0, options));
        }
        self.cursor += 1;
        self.decisions[self.cursor - 1].0
    }

    /// Splits on whether a key has one of some values.
    pub(super) fn split(&mut self, key: Key, all: Mask, yes: Mask) -> bool {
        let now = self.cube.get(&key).copied().unwrap_or(all);
        let (inside, outside) = (now & yes, now & !yes);
        let holds = if inside == 0 || outside == 0 { outside == 0 } else { self.decide(2) == 0 };
        self.cube.insert(key, if holds { inside } else { outside });
        holds
    }

    /// Splits on the truth of an atom.
    pub(super) fn atom(&mut self, atom: TermId) -> bool {
        self.split(Key::Atom(atom), full(2), 2)
    }

    /// The value as a constant; the path splits if there are several.
    pub(super) fn known(&mut self, value: Val) -> Result<Value, Stop> {
        match value {
            Val::Known(value) => Ok(value),
            Val::Own(_) | Val::New(..) => Err(Stop::Opaque("more than the identity of a created rebec is used")),
            Val::Term(_) => Err(Stop::Opaque("a machine integer of unknown value is used as an index or selector")),
            Val::Input(_) => match self.as_constant(value) {
                Val::Known(value) => Ok(value),
                _ => Err(Stop::Opaque("more than the identity of a created rebec is used")),
            },
        }
    }

    /// The value as a constant; the path splits if there are several. The identity of a created rebec stays unknown.
    pub(super) fn as_constant(&mut self, value: Val) -> Val {
        match value {
            Val::Input(element) => {
                let key = Key::Element(element);
                let now = self.cube.get(&key).copied().unwrap_or_else(|| self.space.full(element));
                let number = if now.count_ones() == 1 { 0 } else { self.decide(now.count_ones()) };
                let bit = (0..128).filter(|&bit| now >> bit & 1 == 1).nth(number as usize).expect("an option");
                self.cube.insert(key, 1 << bit);
                self.look(value)
            }
            _ => value,
        }
    }

    /// A value at this point of the path.
    pub(super) fn look(&self, value: Val) -> Val {
        looked(self.space, &self.cube, value)
    }

    /// Splits on a test of the values of an element.
    pub(super) fn test(&mut self, element: ElementId, holds: impl Fn(Value) -> bool) -> bool {
        let values = self.space.values(element).iter().enumerate();
        let yes = values.filter(|&(_, &value)| holds(value)).fold(0, |mask, (bit, _)| mask | 1 << bit);
        self.split(Key::Element(element), self.space.full(element), yes)
    }

    /// Turns the values that are stored in wide elements into terms.
    fn settle(&mut self) -> Result<(), Stop> {
        for element in 0..self.values.len() {
            let target = self.space.state(self.rebec, element);
            self.values[element] = self.settled(target, self.values[element])?;
        }
        for place in 0..self.made.len() {
            for element in 0..self.made[place].values.len() {
                let target = self.space.state(self.made[place].rebec, element);
                self.made[place].values[element] = self.settled(target, self.made[place].values[element])?;
            }
        }
        for place in 0..self.sent.len() {
            let Sent { receiver, server, .. } = self.sent[place];
            let instance = self.space.instance(receiver.rebec(), server);
            for number in 0..self.sent[place].arguments.len() {
                let target = self.space.parameter(instance, number);
                self.sent[place].arguments[number] = self.settled(target, self.sent[place].arguments[number])?;
            }
        }
        Ok(())
    }

    fn settled(&mut self, target: ElementId, value: Val) -> Result<Val, Stop> {
        match value {
            Val::Known(_) | Val::Input(_) if self.space.is_wide(target) => match self.known(value)? {
                Value::Int(value) => Ok(Val::Term(self.terms.constant(value))),
                _ => Err(Stop::Opaque("something else is stored as an integer")),
            },
            _ => Ok(value),
        }
    }

    fn spend(&mut self) -> Result<(), Stop> {
        self.work += 1;
        self.statements += 1;
        if self.work > MAX_WORK || self.statements > MAX_STATEMENTS {
            Err(Stop::Opaque("too many statements"))
        } else {
            Ok(())
        }
    }

    pub(super) fn invoke(&mut self, body: &'m Body, arguments: Vec<Val>) -> Result<Option<Val>, Stop> {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(Stop::Opaque("calls nest too deeply"));
        }
        let mut locals = arguments;
        locals.resize(body.elements(), Val::Known(Value::Undefined));
        let flow = self.block(&mut Frame { body, locals }, &body.block)?;
        self.calls -= 1;
        match flow {
            Flow::Return(value) => Ok(value),
            _ => Ok(None),
        }
    }

    fn block(&mut self, frame: &mut Frame<'m>, block: &'m Block) -> Result<Flow, Stop> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(Stop::Opaque("blocks nest too deeply"));
        }
        let mut flow = Flow::Next;
        for stmt in block {
            flow = self.statement(frame, stmt)?;
            if !matches!(flow, Flow::Next) {
                break;
            }
        }
        self.nesting -= 1;
        Ok(flow)
    }

    fn statement(&mut self, frame: &mut Frame<'m>, stmt: &'m Stmt) -> Result<Flow, Stop> {
        self.spend()?;
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let holds = self.condition(frame, condition)?;
                self.block(frame, if holds { then } else { otherwise })
            }
            StmtKind::Block(block) => self.block(frame, block),
            StmtKind::Loop { condition, body, update } => loop {
                self.spend()?;
                if !self.condition(frame, condition)? {
                    return Ok(Flow::Next);
                }
                match self.block(frame, body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => return Ok(Flow::Next),
                    flow @ Flow::Return(_) => return Ok(flow),
                }
                self.block(frame, update)?;
            },
            StmtKind::ForEach { set, local, body } => {
                let set = self.model().scalar_set(*set);
                let element = frame.body.locals[local.index()].offset as usize;
                for value in set.low..=set.high {
                    self.spend()?;
                    frame.locals[element] = Val::Known(Value::Scalar(value));
                    match self.block(frame, body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Ok(flow),
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::Switch { value, arms } => {
                let value = self.evaluate(frame, value)?;
                self.switch(frame, value, arms)
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Return(None) => Ok(Flow::Return(None)),
            StmtKind::Return(Some(expr)) => Ok(Flow::Return(Some(self.evaluate(frame, expr)?))),
            _ => self.perform(frame, stmt).map(|()| Flow::Next),
        }
    }

    fn switch(&mut self, frame: &mut Frame<'m>, value: Val, arms: &'m [Arm]) -> Result<Flow, Stop> {
        let mut selected = None;
        for (place, arm) in arms.iter().enumerate() {
            if selected.is_none() && self.selects(value, &arm.labels)? {
                selected = Some(place);
            }
        }
        let Some(first) = selected.or_else(|| arms.iter().position(|arm| arm.is_default)) else {
            return Ok(Flow::Next);
        };
        for arm in &arms[first..] {
            match self.block(frame, &arm.block)? {
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                flow @ (Flow::Continue | Flow::Return(_)) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    /// Whether an integer is one of some labels.
    fn selects(&mut self, value: Val, labels: &[i32]) -> Result<bool, Stop> {
        match value {
            Val::Known(Value::Int(value)) => Ok(labels.contains(&value)),
            Val::Input(element) => {
                Ok(self.test(element, |value| matches!(value, Value::Int(value) if labels.contains(&value))))
            }
            Val::Term(_) => {
                for &label in labels {
                    if self.equal(value, Val::Known(Value::Int(label)))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Val::Known(_) | Val::Own(_) | Val::New(..) => Ok(false),
        }
    }
}
