//! Running a body along one path: statements and control flow.
//!
//! A run follows a list of decisions (see `serve.rs`) and collects effects; what single statements do is in `perform.rs`.
//! Blocks, calls and constructors recurse: a body that nests more than `MAX_CALLS` calls is taken for endless, and
//! `MAX_NESTING` keeps the recursion within 8 MiB of stack in debug builds.
//!
//! Invariants: the first `cursor` decisions are those taken on the current path; a path ends at its first stop, with the
//! effects before it in order.

use std::ops::RangeInclusive;

use super::evaluate::{Scope, boolean, evaluate, integer};
use super::serve::{Effect, Outcome};
use super::trace::Choice;
use super::{Bounds, ExecutionLimit, Fault, FaultKind, Heap, Stop};
use crate::model::{Arm, Base, Block, Body, Class, Dimension, Expr, FeatureId, Model, RebecId, Stmt, StmtKind, Value};
use crate::source::Span;

/// How many calls and constructors may be nested.
const MAX_CALLS: usize = 500;

/// How many blocks may be nested, over all calls together; past it the step ends in [`ExecutionLimit::Work`].
const MAX_NESTING: usize = 4_000;

/// A body about to run.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) model: &'a Model,
    pub(super) bounds: &'a Bounds,
    pub(super) features: &'a [bool],
    pub(super) heap: &'a Heap,
    pub(super) rebec: RebecId,
    pub(super) values: &'a [Value],
    pub(super) body: &'a Body,
    pub(super) sender: RebecId,
    pub(super) arguments: &'a [Value],
}

/// A choice that was made: the option, and how many there were.
pub(super) struct Decision {
    pub(super) option: u32,
    pub(super) options: u32,
}

/// All paths through a body, one after the other.
pub(super) struct Run<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) decisions: Vec<Decision>,
    pub(super) cursor: usize,
    pub(super) choices: Vec<Choice>,
    pub(super) effects: Vec<Effect>,
    /// The heap of the current path; copied at its first creation.
    pub(super) heap: Option<Heap>,
    /// Statements of all paths together, and elements set up for locals and new rebecs.
    work: u64,
    statements: u32,
    calls: usize,
    nesting: usize,
    /// The loops that run, outermost first, with the rounds they made.
    loops: Vec<(Span, u32)>,
}

/// The rebec whose body runs.
pub(super) struct Actor<'a> {
    pub(super) rebec: RebecId,
    pub(super) class: &'a Class,
    pub(super) values: Vec<Value>,
    pub(super) sender: RebecId,
}

/// One call: the rebec, the body and its locals.
pub(super) struct Frame<'a, 'v> {
    pub(super) actor: &'v mut Actor<'a>,
    pub(super) body: &'a Body,
    pub(super) locals: Vec<Value>,
}

/// The scope of a running body.
pub(super) struct View<'a, 'f, 'v> {
    pub(super) entry: &'f Entry<'a>,
    pub(super) frame: &'f Frame<'a, 'v>,
}

/// How control leaves a statement.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Value>),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl<'a> Scope<'a> for View<'a, '_, '_> {
    fn model(&self) -> &'a Model {
        self.entry.model
    }

    fn feature(&self, feature: FeatureId) -> bool {
        self.entry.features[feature.index()]
    }

    fn shape(&self, base: Base) -> (usize, &'a [Dimension]) {
        match base {
            Base::Variable(id) => {
                let variable = &self.frame.actor.class.variables[id.index()];
                (variable.offset as usize, &variable.dimensions)
            }
            Base::Local(id) => {
                let local = &self.frame.body.locals[id.index()];
                (local.offset as usize, &local.dimensions)
            }
            Base::Remote(..) => panic!("a body uses a variable of another rebec"),
        }
    }

    fn read(&mut self, base: Base, element: usize) -> Value {
        match base {
            Base::Variable(_) => self.frame.actor.values[element],
            Base::Local(_) => self.frame.locals[element],
            Base::Remote(..) => panic!("a body uses a variable of another rebec"),
        }
    }

    fn this(&self) -> RebecId {
        self.frame.actor.rebec
    }

    fn sender(&self) -> RebecId {
        self.frame.actor.sender
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(entry: &Entry<'a>) -> Run<'a> {
        Run {
            entry: *entry,
            decisions: Vec::new(),
            cursor: 0,
            choices: Vec::new(),
            effects: Vec::new(),
            heap: None,
            work: 0,
            statements: 0,
            calls: 0,
            nesting: 0,
            loops: Vec::new(),
        }
    }

    /// Runs the body along the decisions, and along first options after them.
    pub(super) fn path(&mut self) -> Outcome {
        (self.cursor, self.statements, self.calls, self.nesting, self.heap) = (0, 0, 0, 0, None);
        self.loops.clear();
        let Entry { model, rebec, sender, values, body, arguments, .. } = self.entry;
        let class = model.class(model.class_of(rebec));
        let mut actor = Actor { rebec, class, values: values.to_vec(), sender };
        let stop = self.invoke(&mut actor, body, arguments, Span::NONE).err();
        let (effects, choices) = (std::mem::take(&mut self.effects), std::mem::take(&mut self.choices));
        Outcome { values: actor.values, effects, choices, stop }
    }

    /// Moves on to the next decisions; whether there are any.
    pub(super) fn advance(&mut self) -> bool {
        while let Some(last) = self.decisions.last_mut() {
            last.option += 1;
            if last.option < last.options {
                return true;
            }
            self.decisions.pop();
        }
        false
    }

    /// Counts a statement or a round of a loop.
    fn tick(&mut self, span: Span) -> Result<(), Stop> {
        self.spend(1)?;
        self.statements = self.statements.saturating_add(1);
        if self.statements > self.entry.bounds.max_statements { Err(self.endless(span)) } else { Ok(()) }
    }

    /// Counts work that is not a statement.
    pub(super) fn spend(&mut self, units: usize) -> Result<(), Stop> {
        self.work = self.work.saturating_add(units as u64);
        if self.work > self.entry.bounds.max_work { Err(Stop::Limit(ExecutionLimit::Work)) } else { Ok(()) }
    }

    /// The fault of a path that is too long: at the innermost of the running loops with the most rounds, else at the
    /// given statement.
    fn endless(&self, span: Span) -> Stop {
        let longest = self.loops.iter().max_by_key(|(_, rounds)| rounds);
        Stop::Fault(Fault { kind: FaultKind::Endless, span: longest.map_or(span, |&(span, _)| span) })
    }

    pub(super) fn value(&self, frame: &Frame<'a, '_>, expr: &Expr) -> Result<Value, Fault> {
        evaluate(&mut View { entry: &self.entry, frame }, expr)
    }

    pub(super) fn values(&self, frame: &Frame<'a, '_>, exprs: &[Expr]) -> Result<Vec<Value>, Fault> {
        let mut view = View { entry: &self.entry, frame };
        exprs.iter().map(|expr| evaluate(&mut view, expr)).collect()
    }

    /// Runs a whole body with locals of its own. The arguments fit the parameters.
    pub(super) fn invoke(
        &mut self,
        actor: &mut Actor<'a>,
        body: &'a Body,
        arguments: &[Value],
        span: Span,
    ) -> Result<Option<Value>, Stop> {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(self.endless(span));
        }
        let elements = body.elements();
        self.spend(elements)?;
        let mut locals = Vec::with_capacity(elements);
        locals.extend_from_slice(arguments);
        locals.resize(elements, Value::Undefined);
        let flow = self.block(&mut Frame { actor, body, locals }, &body.block)?;
        self.calls -= 1;
        match flow {
            Flow::Return(value) => Ok(value),
            Flow::Next | Flow::Break | Flow::Continue => Ok(None),
        }
    }

    fn block(&mut self, frame: &mut Frame<'a, '_>, block: &'a Block) -> Result<Flow, Stop> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(Stop::Limit(ExecutionLimit::Work));
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

    fn statement(&mut self, frame: &mut Frame<'a, '_>, stmt: &'a Stmt) -> Result<Flow, Stop> {
        self.tick(stmt.span)?;
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let holds = boolean(self.value(frame, condition)?);
                self.block(frame, if holds { then } else { otherwise })
            }
            StmtKind::Block(block) => self.block(frame, block),
            StmtKind::Loop { condition, body, update } => self.repeat(frame, condition, body, update, stmt.span),
            StmtKind::ForEach { set, local, body } => {
                let set = self.entry.model.scalar_set(*set);
                let element = frame.body.locals[local.index()].offset as usize;
                self.for_each(frame, set.low..=set.high, element, body, stmt.span)
            }
            StmtKind::Switch { value, arms } => {
                let value = integer(self.value(frame, value)?);
                self.switch(frame, value, arms)
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Return(None) => Ok(Flow::Return(None)),
            StmtKind::Return(Some(expr)) => Ok(Flow::Return(Some(self.value(frame, expr)?))),
            _ => self.perform(frame, stmt).map(|()| Flow::Next),
        }
    }

    fn repeat(
        &mut self,
        frame: &mut Frame<'a, '_>,
        condition: &'a Expr,
        body: &'a Block,
        update: &'a Block,
        span: Span,
    ) -> Result<Flow, Stop> {
        self.loops.push((span, 0));
        let flow = loop {
            self.round(span)?;
            if !boolean(self.value(frame, condition)?) {
                break Flow::Next;
            }
            match self.block(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break Flow::Next,
                flow @ Flow::Return(_) => break flow,
            }
            self.block(frame, update)?;
        };
        self.loops.pop();
        Ok(flow)
    }

    fn for_each(
        &mut self,
        frame: &mut Frame<'a, '_>,
        mut values: RangeInclusive<i32>,
        element: usize,
        body: &'a Block,
        span: Span,
    ) -> Result<Flow, Stop> {
        self.loops.push((span, 0));
        let flow = loop {
            let Some(value) = values.next() else { break Flow::Next };
            self.round(span)?;
            frame.locals[element] = Value::Scalar(value);
            match self.block(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break Flow::Next,
                flow @ Flow::Return(_) => break flow,
            }
        };
        self.loops.pop();
        Ok(flow)
    }

    /// Counts a round of the innermost loop.
    fn round(&mut self, span: Span) -> Result<(), Stop> {
        if let Some((_, rounds)) = self.loops.last_mut() {
            *rounds = rounds.saturating_add(1);
        }
        self.tick(span)
    }

    fn switch(&mut self, frame: &mut Frame<'a, '_>, value: i32, arms: &'a [Arm]) -> Result<Flow, Stop> {
        let selected = arms.iter().position(|arm| arm.labels.contains(&value));
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
}
