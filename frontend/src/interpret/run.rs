//! Running a body along one path: statements and control flow.
//!
//! A run follows a list of decisions (see `serve.rs`) and collects effects; `perform.rs` performs single statements.
//! Calls, blocks and loops are kept on stacks of the run, never on the stack of the thread: a call is a [`Frame`], a
//! block or loop around the current statement is a [`Task`]. So calls nest as deep as [`Bounds::max_calls`] allows, on
//! any thread.
//!
//! Invariants: the first `cursor` decisions are those taken on the current path. A path ends at its first stop, and
//! keeps the effects before it in order. The tasks from `tasks` of the last frame on belong to its body, and likewise
//! the locals.

use super::evaluate::{Scope, boolean, evaluate, integer};
use super::serve::{Effect, Outcome};
use super::trace::Choice;
use super::{Bounds, ExecutionLimit, Fault, FaultKind, Heap, Stop};
use crate::model::{
    Arm, Base, Block, Body, Class, Dimension, Expr, FeatureId, Model, RebecId, Sort, Stmt, StmtKind, Value,
};
use crate::parts::{Mark, Way};
use crate::source::Span;

/// The greatest number of values that the locals of nested calls may hold together; past it the step ends in
/// [`ExecutionLimit::Work`].
const MAX_LOCALS: usize = 1 << 22;

/// A body that is about to run.
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

/// A choice that was made: the chosen option, and the number of options.
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
    /// The serving rebec, then the rebecs whose constructors run, innermost last.
    pub(super) actors: Vec<Actor<'a>>,
    pub(super) locals: Vec<Value>,
    frames: Vec<Frame<'a>>,
    tasks: Vec<Task<'a>>,
    /// Statements of all paths together, and elements set up for locals and new rebecs.
    work: u64,
    /// The running loops, outermost first, with the rounds they made.
    loops: Vec<(Span, u32)>,
    /// The ways that control took on all paths so far, each once.
    pub(super) marks: Vec<Mark>,
}

/// The rebec whose body is running.
pub(super) struct Actor<'a> {
    pub(super) rebec: RebecId,
    pub(super) class: &'a Class,
    pub(super) values: Vec<Value>,
    pub(super) sender: RebecId,
}

/// A running call. The heights are those of the stacks when it began.
pub(super) struct Frame<'a> {
    pub(super) actor: usize,
    pub(super) body: &'a Body,
    pub(super) locals: usize,
    tasks: usize,
    loops: usize,
    /// Its statements so far, without those of the calls it makes.
    statements: u32,
    then: Then,
    span: Span,
}

/// The action that follows when a call returns.
#[derive(Clone, Copy)]
pub(super) enum Then {
    /// The path is over.
    End,
    /// The result, converted to the sort of the method if it has one, is stored.
    Store { result: Option<Sort>, into: Target },
    /// The effect at this position creates the rebec, and the rebec is stored.
    Create { position: usize, into: Target },
}

/// The target of a value of a statement: an element of the vector of variables or locals, and the sort to which the
/// value is converted.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Nowhere,
    Variable(usize, Sort),
    Local(usize, Sort),
}

/// A block or loop around the current statement.
enum Task<'a> {
    Block(std::slice::Iter<'a, Stmt>),
    Loop {
        parts: (&'a Expr, &'a Block, &'a Block),
        updates: bool,
        span: Span,
    },
    ForEach {
        /// The value of the next round: behind the last one it may be greater than every integer of a model.
        next: i64,
        high: i32,
        element: usize,
        body: &'a Block,
        span: Span,
    },
    /// The arms that control still falls into.
    Switch {
        arms: &'a [Arm],
        next: usize,
        span: Span,
    },
}

/// The scope of a running body.
pub(super) struct View<'a, 'f> {
    entry: &'f Entry<'a>,
    actor: &'f Actor<'a>,
    body: &'a Body,
    locals: &'f [Value],
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl<'a> Scope<'a> for View<'a, '_> {
    fn model(&self) -> &'a Model {
        self.entry.model
    }

    fn feature(&self, feature: FeatureId) -> bool {
        self.entry.features[feature.index()]
    }

    fn shape(&self, base: Base) -> (usize, &'a [Dimension]) {
        match base {
            Base::Variable(id) => {
                let variable = &self.actor.class.variables[id.index()];
                (variable.offset as usize, &variable.dimensions)
            }
            Base::Local(id) => {
                let local = &self.body.locals[id.index()];
                (local.offset as usize, &local.dimensions)
            }
            Base::Remote(..) => panic!("a body uses a variable of another rebec"),
        }
    }

    fn read(&mut self, base: Base, element: usize) -> Value {
        match base {
            Base::Variable(_) => self.actor.values[element],
            Base::Local(_) => self.locals[element],
            Base::Remote(..) => panic!("a body uses a variable of another rebec"),
        }
    }

    fn this(&self) -> RebecId {
        self.actor.rebec
    }

    fn sender(&self) -> RebecId {
        self.actor.sender
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
            actors: Vec::new(),
            locals: Vec::new(),
            frames: Vec::new(),
            tasks: Vec::new(),
            work: 0,
            loops: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Notes a way that control takes.
    pub(super) fn mark(&mut self, span: Span, way: Way) {
        Mark::note(&mut self.marks, span, way);
    }

    /// Runs the body along the decisions, and along the first options after them.
    pub(super) fn path(&mut self) -> Outcome {
        (self.cursor, self.heap) = (0, None);
        debug_assert!(
            self.frames.is_empty() && self.tasks.is_empty() && self.locals.is_empty(),
            "no path is left half run"
        );
        let Entry { model, rebec, sender, values, body, arguments, .. } = self.entry;
        let class = model.class(model.class_of(rebec));
        self.actors.push(Actor { rebec, class, values: values.to_vec(), sender });
        let end = self.enter(0, body, arguments, Then::End, Span::NONE).and_then(|()| self.finish());
        // A rebec whose constructor stopped is created in its current state.
        for frame in self.frames.drain(..).rev() {
            if let Then::Create { position, .. } = frame.then {
                let Actor { rebec, values, .. } = self.actors.pop().expect("a constructor has a rebec");
                self.effects[position] = Effect::Create { rebec, values };
            }
        }
        self.tasks.clear();
        self.locals.clear();
        self.loops.clear();
        let actor = self.actors.pop().expect("the rebec that serves");
        assert!(self.actors.is_empty(), "no rebec is left half created");
        let is_cut = matches!(end, Err(Stop::Limit(_)));
        debug_assert!(is_cut || self.cursor == self.decisions.len(), "a path takes all of its decisions");
        let (effects, choices) = (std::mem::take(&mut self.effects), std::mem::take(&mut self.choices));
        Outcome { values: actor.values, effects, choices, stop: end.err() }
    }

    /// Advances to the next sequence of decisions; returns whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        while let Some(last) = self.decisions.last_mut() {
            debug_assert!(last.option < last.options, "an option of the choice was taken");
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
        let frame = self.frames.last_mut().expect("a body runs");
        frame.statements = frame.statements.saturating_add(1);
        if frame.statements > self.entry.bounds.max_statements { Err(self.endless(span)) } else { Ok(()) }
    }

    /// Counts work that is not a statement.
    pub(super) fn spend(&mut self, units: usize) -> Result<(), Stop> {
        limits::work(units as u64);
        self.work = self.work.saturating_add(units as u64);
        if self.work > self.entry.bounds.max_work { Err(Stop::Limit(ExecutionLimit::Work)) } else { Ok(()) }
    }

    /// The fault of a call that is too long. It points at the innermost running loop with the most rounds, or without
    /// loops at the given statement.
    fn endless(&self, span: Span) -> Stop {
        let longest = self.loops[self.frame().loops..].iter().max_by_key(|(_, rounds)| rounds);
        Stop::Fault(Fault { kind: FaultKind::Endless, span: longest.map_or(span, |&(span, _)| span) })
    }

    /// The running call.
    pub(super) fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("a body runs")
    }

    /// The rebec whose body is running.
    pub(super) fn actor(&self) -> &Actor<'a> {
        &self.actors[self.frame().actor]
    }

    pub(super) fn view(&self) -> View<'a, '_> {
        let frame = self.frame();
        let (actor, locals) = (&self.actors[frame.actor], &self.locals[frame.locals..]);
        View { entry: &self.entry, actor, body: frame.body, locals }
    }

    pub(super) fn value(&self, expr: &Expr) -> Result<Value, Fault> {
        evaluate(&mut self.view(), expr)
    }

    pub(super) fn values(&self, exprs: &[Expr]) -> Result<Vec<Value>, Fault> {
        let mut view = self.view();
        exprs.iter().map(|expr| evaluate(&mut view, expr)).collect()
    }

    /// Begins a body with its own locals. The arguments fit the parameters.
    pub(super) fn enter(
        &mut self,
        actor: usize,
        body: &'a Body,
        arguments: &[Value],
        then: Then,
        span: Span,
    ) -> Result<(), Stop> {
        if self.frames.len() >= self.entry.bounds.max_calls as usize {
            return Err(Stop::Fault(Fault { kind: FaultKind::TooDeep, span }));
        }
        let elements = body.elements();
        debug_assert!(arguments.len() <= elements, "parameters are the first elements");
        debug_assert_eq!(arguments.len(), body.parameters().len(), "a call has every argument");
        self.spend(elements)?;
        let locals = self.locals.len();
        if locals + elements > MAX_LOCALS {
            return Err(Stop::Limit(ExecutionLimit::Work));
        }
        self.locals.extend_from_slice(arguments);
        self.locals.resize(locals + elements, Value::Undefined);
        let (tasks, loops) = (self.tasks.len(), self.loops.len());
        self.frames.push(Frame { actor, body, locals, tasks, loops, statements: 0, then, span });
        self.tasks.push(Task::Block(body.block.iter()));
        Ok(())
    }

    /// Runs until the first body has returned.
    fn finish(&mut self) -> Result<(), Stop> {
        while let Some(frame) = self.frames.last() {
            if self.tasks.len() == frame.tasks {
                debug_assert_eq!(self.loops.len(), frame.loops, "every loop that was begun is ended");
                self.leave(None)?;
            } else {
                self.go_on()?;
            }
        }
        Ok(())
    }

    /// Returns from the running call.
    fn leave(&mut self, value: Option<Value>) -> Result<(), Stop> {
        let frame = self.frames.pop().expect("a body runs");
        debug_assert!(
            self.tasks.len() >= frame.tasks && self.loops.len() >= frame.loops,
            "a call takes none of its caller"
        );
        debug_assert!(self.locals.len() >= frame.locals, "a call keeps the locals of its caller");
        self.tasks.truncate(frame.tasks);
        self.loops.truncate(frame.loops);
        self.locals.truncate(frame.locals);
        match frame.then {
            Then::End => Ok(()),
            Then::Store { result, into } => self.returned(value, result, into, frame.span),
            Then::Create { position, into } => {
                let Actor { rebec, values, .. } = self.actors.pop().expect("a constructor has a rebec");
                self.effects[position] = Effect::Create { rebec, values };
                self.store(Value::Rebec(rebec), into, frame.span)
            }
        }
    }

    /// Takes the next step of the innermost task.
    fn go_on(&mut self) -> Result<(), Stop> {
        match self.tasks.last_mut().expect("a body has tasks") {
            Task::Block(statements) => match statements.next() {
                Some(statement) => self.statement(statement),
                None => {
                    self.tasks.pop();
                    Ok(())
                }
            },
            Task::Loop { parts: (_, _, update), updates, .. } if *updates => {
                *updates = false;
                let update = update.iter();
                self.tasks.push(Task::Block(update));
                Ok(())
            }
            Task::Loop { parts: (condition, body, _), updates, span } => {
                let (condition, body, span) = (*condition, *body, *span);
                *updates = true;
                self.round(span)?;
                if boolean(self.value(condition)?) {
                    self.mark(span, Way::Round);
                    self.tasks.push(Task::Block(body.iter()));
                } else {
                    self.end_loop();
                }
                Ok(())
            }
            Task::ForEach { next, high, .. } if *next > i64::from(*high) => {
                self.end_loop();
                Ok(())
            }
            Task::ForEach { next, element, body, span, .. } => {
                let (value, element, body, span) = (*next, *element, *body, *span);
                let value = i32::try_from(value).expect("a value of the set");
                *next += 1;
                self.round(span)?;
                let base = self.frame().locals;
                self.locals[base + element] = Value::Scalar(value);
                self.tasks.push(Task::Block(body.iter()));
                Ok(())
            }
            Task::Switch { arms, next, span } => {
                let (arms, number, span) = (*arms, *next, *span);
                *next += 1;
                match arms.get(number) {
                    Some(arm) => {
                        self.mark(span, Way::Arm(u32::try_from(number).expect("bounded by the size of the text")));
                        self.tasks.push(Task::Block(arm.block.iter()));
                    }
                    None => drop(self.tasks.pop()),
                }
                Ok(())
            }
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Result<(), Stop> {
        self.tick(stmt.span)?;
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let holds = boolean(self.value(condition)?);
                self.mark(stmt.span, if holds { Way::Then } else { Way::Else });
                self.tasks.push(Task::Block(if holds { then } else { otherwise }.iter()));
            }
            StmtKind::Block(block) => self.tasks.push(Task::Block(block.iter())),
            StmtKind::Loop { condition, body, update } => {
                let parts = (condition, body, update);
                self.begin_loop(Task::Loop { parts, updates: false, span: stmt.span }, stmt.span);
            }
            StmtKind::ForEach { set, local, body } => {
                let set = self.entry.model.scalar_set(*set);
                let element = self.frame().body.locals[local.index()].offset as usize;
                let task = Task::ForEach { next: i64::from(set.low), high: set.high, element, body, span: stmt.span };
                self.begin_loop(task, stmt.span);
            }
            StmtKind::Switch { value, arms } => {
                let value = integer(self.value(value)?);
                let selected = arms.iter().position(|arm| arm.labels.contains(&value));
                let first = selected.or_else(|| arms.iter().position(|arm| arm.is_default)).unwrap_or(arms.len());
                self.tasks.push(Task::Switch { arms, next: first, span: stmt.span });
            }
            StmtKind::Break => {
                while let Some(Task::Block(_)) = self.tasks.last() {
                    self.tasks.pop();
                }
                match self.tasks.last() {
                    Some(Task::Switch { .. }) => drop(self.tasks.pop()),
                    _ => self.end_loop(),
                }
            }
            StmtKind::Continue => {
                while let Some(Task::Block(_) | Task::Switch { .. }) = self.tasks.last() {
                    self.tasks.pop();
                }
                debug_assert!(
                    matches!(self.tasks.last(), Some(Task::Loop { .. } | Task::ForEach { .. })),
                    "a round ends"
                );
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                self.leave(value)?;
            }
            _ => self.perform(stmt)?,
        }
        Ok(())
    }

    fn begin_loop(&mut self, task: Task<'a>, span: Span) {
        self.loops.push((span, 0));
        self.tasks.push(task);
    }

    fn end_loop(&mut self) {
        debug_assert!(matches!(self.tasks.last(), Some(Task::Loop { .. } | Task::ForEach { .. })), "a loop is left");
        self.loops.pop();
        self.tasks.pop();
    }

    /// Counts a round of the innermost loop.
    fn round(&mut self, span: Span) -> Result<(), Stop> {
        if let Some((_, rounds)) = self.loops.last_mut() {
            *rounds = rounds.saturating_add(1);
        }
        self.tick(span)
    }
}
