//! Message servers as summands: one for each class and server, parametric in `self`.
//!
//! The guard asks that the message is the oldest in the queue of `self`. The body keeps sender and parameters in locals,
//! removes the message, and then does what the server does, statement by statement. Each choice `?(..)` is a summation
//! variable: a branch of the server is an instance of the summand. Methods are written out where they are called.
//!
//! # Jumps
//!
//! `break`, `continue` and `return` need no statement where nothing would follow before the place they lead to ([`Tail`]).
//! Where an `if` always jumps on one side, what follows goes to its other side. Elsewhere a jump raises a flag, and what
//! follows runs only as long as no flag is raised.
//!
//! # Choices that are not always met
//!
//! A choice below an `if` is pinned to its first value by the guard where the conditions around it are false, if they can
//! be told from the state before the step; else the instances of the branch that does not meet it are equal steps. Choices
//! inside loops are written out round by round, where the number of rounds is known, and refused elsewhere.

use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{
    and, assign, binary, each, equal, fail, int, is_safe, ite, local, member, not, or, parameter, place, read, repeat,
    when,
};
use super::expressions::{Binding, Missing, Scope, this};
use super::layout::Layout;
use super::names::Names;
use crate::model::{
    self, Arm, Base, Body, ClassId, LocalId, Model, Rvalue, ServerId, Stmt, StmtKind,
};
use crate::sequential::interpret::evaluate;
use crate::sequential::{
    BinaryOp, Expr, ExprKind, Initial, MAX_ROUNDS, Parameter, ParameterId, Sequential, SortId, Stmt as Out, StmtKind as Kind, Summand,
    Variable, VariableId,
};
use crate::source::Span;

/// Identities of loop variables while the number of summation variables is not known.
pub(super) const LOOPS: u32 = 1 << 24;
/// Identities of locals while their order is not known.
pub(super) const LOCALS: u32 = 1 << 24;
/// The most statements of one summand.
const MAX_STATEMENTS: usize = 20_000;
/// The most rounds of a loop that is written out.
const MAX_WRITTEN_OUT: usize = 64;
/// The most parts of a value that is remembered.
const MAX_KNOWN: usize = 40;
/// The most calls inside each other.
const MAX_CALLS: usize = 40;

/// A construct without a counterpart and its place.
pub(super) struct Refused {
    pub(super) what: &'static str,
    pub(super) span: Span,
}

type Done<T = ()> = Result<T, Refused>;

/// The targets of jumps that are reached from a place by doing nothing more.
type Tail = Vec<usize>;

/// What a jump leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    Return,
    Break,
    Continue,
}

struct Target {
    kind: TargetKind,
    flag: Option<VariableId>,
}

/// A body that is being translated.
struct Frame<'m> {
    body: &'m Body,
    scope: Scope,
    /// The locals that some statement assigns to.
    assigned: FxHashSet<LocalId>,
    /// The local for the result, its sort, and where `return` leads.
    result: Option<(VariableId, model::Sort)>,
    returns: usize,
}

/// The translation of one server.
pub(super) struct Bodies<'a, 'm> {
    layout: &'a mut Layout<'m>,
    class: ClassId,
    names: Names,
    frames: Vec<Frame<'m>>,
    targets: Vec<Target>,
    /// The targets whose flags were raised, in order.
    raised: Vec<usize>,
    parameters: Vec<Parameter>,
    guards: Vec<Expr>,
    /// The locals, in the order they were made.
    pub(super) locals: Vec<Variable>,
    /// Variables and locals whose value here is that of an expression on the state before the step. What is not in it and
    /// was not written has its own value before the step.
    known: FxHashMap<VariableId, Expr>,
    /// The variables that were written so far, on some path.
    written: FxHashSet<VariableId>,
    /// The conditions around the place as conditions on the state before the step; `None` where they are none.
    path: Option<Vec<Expr>>,
    loops: u32,
    repeats: usize,
    statements: usize,
}

/// The summand of a server, with its locals not yet in order.
pub(super) fn summand<'m>(
    layout: &mut Layout<'m>,
    class: ClassId,
    server: ServerId,
) -> Result<(Summand, Vec<Variable>), Refused> {
    let mut names = layout.names.clone();
    names.release(&["sender"]);
    let bodies = Bodies {
        layout,
        class,
        names,
        frames: Vec::new(),
        targets: Vec::new(),
        raised: Vec::new(),
        parameters: Vec::new(),
        guards: Vec::new(),
        locals: Vec::new(),
        known: FxHashMap::default(),
        written: FxHashSet::default(),
        path: Some(Vec::new()),
        loops: 0,
        repeats: 0,
        statements: 0,
    };
    bodies.server(server)
}

impl<'m> Bodies<'_, 'm> {
    fn model(&self) -> &'m Model {
        self.layout.model
    }

    fn server(mut self, id: ServerId) -> Result<(Summand, Vec<Variable>), Refused> {
        let class = self.model().class(self.class);
        let server = &class.servers[id.index()];
        let owner = self.layout.classes[self.class.index()].as_ref().expect("a class with rebecs");
        let sort = owner.sort;
        let queue = owner.queue.as_ref().expect("a class with servers");
        let (message, sender) = (queue.message, queue.sender);
        let arrays = queue.parameters[id.index()].clone();
        self.parameters.push(Parameter { name: "self".into(), sort, span: Span::NONE });
        let first = |array: VariableId| read(array, vec![this(), int(0)]);
        let name = self.layout.message_of(&server.name);
        let asked = equal(first(message), member(self.layout.message, name));

        let mut out = Vec::new();
        let kept = self.make("sender", self.layout.rebec, Vec::new());
        out.push(local(kept, first(sender)));
        let scope = Scope {
            class: Some(self.class),
            sender: Some(read(kept, Vec::new())),
            locals: vec![None; server.body.locals.len()],
        };
        let assigned = assigned(&server.body.block);
        self.targets.push(Target { kind: TargetKind::Return, flag: None });
        self.frames.push(Frame { body: &server.body, scope, assigned, result: None, returns: 0 });
        for (index, (parameter, &array)) in server.body.parameters().iter().zip(&arrays).enumerate() {
            let kept = self.make(&parameter.name, self.layout.out.variable(array).sort, Vec::new());
            out.push(local(kept, first(array)));
            self.bind(LocalId::from_index(index), Binding::Local(kept, false));
            self.known.insert(kept, first(array));
        }
        out.extend(self.take_message());
        let block: Vec<&'m Stmt> = server.body.block.iter().collect();
        let body = self.block(&block, &vec![0])?;
        out.extend(self.close(body));
        let arguments = [this()].into_iter().chain(arrays.iter().map(|&array| first(array))).collect();
        let mut guard = vec![asked];
        guard.append(&mut self.guards);
        let event = self.event(&server.name);
        let summand =
            Summand { parameters: self.parameters, guard: and(guard), event, arguments, body: out, span: Span::NONE };
        Ok((summand, self.locals))
    }

    /// Events have a name space of their own.
    fn event(&self, name: &str) -> String {
        Names::default().fresh(&[name])
    }

    /// Removes the oldest message: the others move up, and the last slot becomes free.
    fn take_message(&mut self) -> Vec<Out> {
        let owner = self.layout.classes[self.class.index()].as_ref().expect("a class with rebecs");
        let queue = owner.queue.as_ref().expect("a class with servers");
        let (bound, shift, length) = (queue.bound, queue.shift, queue.length);
        let arrays = queue.arrays.clone();
        let mut out = Vec::new();
        if let Some(sort) = shift {
            let name = self.names.fresh(&["slot", "k"]);
            let slot = self.loop_variable();
            let next = binary(BinaryOp::Add, slot.clone(), int(1));
            let moved = arrays.iter().map(|&(array, _)| {
                assign(place(array, vec![this(), slot.clone()]), read(array, vec![this(), next.clone()]))
            });
            out.push(each(name, sort, moved.collect()));
            self.loops -= 1;
        }
        for (array, blank) in arrays {
            let blank = self.constant(self.layout.out.variable(array).sort, blank);
            out.push(assign(place(array, vec![this(), int(bound - 1)]), blank));
        }
        let shorter = binary(BinaryOp::Subtract, read(length, vec![this()]), int(1));
        out.push(assign(place(length, vec![this()]), shorter));
        out
    }

    /// A constant of a sort.
    fn constant(&self, sort: SortId, value: i32) -> Expr {
        match self.layout.out.kind_of(sort) {
            crate::sequential::ValueKind::Integer => int(value),
            crate::sequential::ValueKind::Member(whole) => member(whole, value),
        }
    }

    /// The variable of a loop that is being entered.
    fn loop_variable(&mut self) -> Expr {
        self.loops += 1;
        parameter(ParameterId(LOOPS + self.loops - 1))
    }

    /// A new local.
    fn make(&mut self, name: &str, sort: SortId, indices: Vec<SortId>) -> VariableId {
        let name = self.names.fresh(&[name]);
        self.locals.push(Variable { name, sort, indices, offset: 0, initial: Initial::Any, span: Span::NONE });
        VariableId::from_index(LOCALS as usize + self.locals.len() - 1)
    }

    fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("a body is open")
    }

    fn bind(&mut self, id: LocalId, binding: Binding) {
        self.frame().scope.locals[id.index()] = Some(binding);
    }

    fn expression(&mut self, expr: &'m model::Expr) -> Done<Expr> {
        let frame = self.frames.last().expect("a body is open");
        self.layout.expression(&frame.scope, expr).map_err(|Missing(what)| Refused { what, span: expr.span })
    }

    fn indices(&mut self, list: &'m [model::Expr], span: Span) -> Done<Vec<Expr>> {
        let frame = self.frames.last().expect("a body is open");
        self.layout.indices(&frame.scope, list).map_err(|Missing(what)| Refused { what, span })
    }

    /// Statements in order, to the end of their block.
    fn block(&mut self, stmts: &[&'m Stmt], tail: &Tail) -> Done<Vec<Out>> {
        let mut out = Vec::new();
        for (at, &stmt) in stmts.iter().enumerate() {
            let rest = &stmts[at + 1..];
            self.statements += 1;
            if self.statements > MAX_STATEMENTS {
                return Err(Refused { what: "so large a body", span: stmt.span });
            }
            if let StmtKind::If { condition, then, otherwise } = &stmt.kind
                && !rest.is_empty()
                && (leaves(then) || leaves(otherwise))
            {
                let behind = |block: &'m [Stmt]| -> Vec<&'m Stmt> {
                    let rest = if leaves(block) { &[] } else { rest };
                    block.iter().chain(rest.iter().copied()).collect()
                };
                out.extend(self.conditional(condition, &behind(then), &behind(otherwise), tail)?);
                return Ok(out);
            }
            if let StmtKind::Block(inner) = &stmt.kind {
                let all: Vec<&'m Stmt> = inner.iter().chain(rest.iter().copied()).collect();
                out.extend(self.block(&all, tail)?);
                return Ok(out);
            }
            let raised = self.raised.len();
            let here = if rest.is_empty() { tail.clone() } else { Tail::new() };
            out.extend(self.statement(stmt, &here)?);
            if matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)) {
                return Ok(out);
            }
            if let Some(flags) = self.flags(raised) {
                let (path, known) = (self.path.take(), self.known.clone());
                let rest = self.block(rest, tail)?;
                self.path = path;
                self.merge(known);
                if !rest.is_empty() {
                    out.push(when(not(flags), rest, Vec::new()));
                }
                return Ok(out);
            }
        }
        Ok(out)
    }

    /// Whether a flag of an open target was raised since; `None` if none can be.
    fn flags(&self, since: usize) -> Option<Expr> {
        let mut list: Vec<usize> = self.raised[since.min(self.raised.len())..].to_vec();
        list.sort_unstable();
        list.dedup();
        let flags: Vec<Expr> =
            list.into_iter().filter_map(|target| self.targets[target].flag).map(|flag| read(flag, Vec::new())).collect();
        if flags.is_empty() { None } else { Some(or(flags)) }
    }

    fn jump(&mut self, target: usize, tail: &Tail) -> Vec<Out> {
        if tail.contains(&target) {
            return Vec::new();
        }
        let flag = match self.targets[target].flag {
            Some(flag) => flag,
            None => {
                let name = match self.targets[target].kind {
                    TargetKind::Return => "returned",
                    TargetKind::Break => "stopped",
                    TargetKind::Continue => "skipped",
                };
                let flag = self.make(name, Sequential::BOOL, Vec::new());
                self.targets[target].flag = Some(flag);
                flag
            }
        };
        self.raised.push(target);
        self.known.remove(&flag);
        vec![assign(place(flag, Vec::new()), int(1))]
    }

    /// Ends the innermost target: its flag is declared before what could raise it.
    fn close(&mut self, body: Vec<Out>) -> Vec<Out> {
        let target = self.targets.pop().expect("a target is open");
        let open = self.targets.len();
        self.raised.retain(|&raised| raised < open);
        let flag = target.flag.map(|flag| local(flag, int(0)));
        flag.into_iter().chain(body).collect()
    }

    fn innermost(&self, kind: TargetKind) -> usize {
        self.targets.iter().rposition(|target| target.kind == kind).expect("jumps have a target")
    }

    fn statement(&mut self, stmt: &'m Stmt, tail: &Tail) -> Done<Vec<Out>> {
        let mut out = Vec::new();
        match &stmt.kind {
            StmtKind::Let { local, value } => self.declare(*local, value.as_ref(), stmt.span, &mut out)?,
            StmtKind::Assign { place, value } => self.assign(place, value, stmt.span, &mut out)?,
            StmtKind::Do(value) => {
                let value = match value {
                    Rvalue::Call { method, arguments } => {
                        self.call(*method, arguments, stmt.span, false, &mut out)?;
                        None
                    }
                    _ => self.rvalue(value, stmt.span, None, &mut out)?,
                };
                if let Some((value, sort)) = value {
                    self.evaluate(value, sort, &mut out);
                }
            }
            StmtKind::Send { receiver, message, arguments, targets } => {
                out = self.send(receiver, message, arguments, targets)?;
            }
            StmtKind::Assert { condition, message } => {
                let condition = self.expression(condition)?;
                let text = match message {
                    Some(text) => format!("assertion failed: {text}"),
                    None => "assertion failed".to_owned(),
                };
                out.push(when(not(condition), vec![fail(&text)], Vec::new()));
            }
            StmtKind::If { condition, then, otherwise } => {
                let (then, otherwise): (Vec<_>, Vec<_>) = (then.iter().collect(), otherwise.iter().collect());
                out = self.conditional(condition, &then, &otherwise, tail)?;
            }
            StmtKind::Block(inner) => out = self.block(&inner.iter().collect::<Vec<_>>(), tail)?,
            StmtKind::Loop { condition, body, update } => out = self.repeat(condition, body, update)?,
            StmtKind::ForEach { set, local, body } => out = self.for_each(*set, *local, body)?,
            StmtKind::Switch { value, arms } => out = self.switch(value, arms, tail)?,
            StmtKind::Break => out = self.jump(self.innermost(TargetKind::Break), tail),
            StmtKind::Continue => out = self.jump(self.innermost(TargetKind::Continue), tail),
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let sort = value.sort;
                    let value = self.expression(value)?;
                    match self.frame().result {
                        Some((result, to)) => {
                            let value = self.layout.stored(value, sort, to);
                            self.note(result, 0, &value);
                            out.push(assign(place(result, Vec::new()), value));
                        }
                        None => self.evaluate(value, sort, &mut out),
                    }
                }
                let target = self.frame().returns;
                out.extend(self.jump(target, tail));
            }
        }
        Ok(out)
    }

    /// Evaluates something for its faults only.
    fn evaluate(&mut self, value: Expr, sort: model::Sort, out: &mut Vec<Out>) {
        if !is_safe(&value) {
            let sort = self.layout.plain_sort(sort);
            let unused = self.make("unused", sort, Vec::new());
            out.push(local(unused, value));
        }
    }

    /// A conditional over lists of statements.
    fn conditional(
        &mut self,
        condition: &'m model::Expr,
        then: &[&'m Stmt],
        otherwise: &[&'m Stmt],
        tail: &Tail,
    ) -> Done<Vec<Out>> {
        let condition = self.expression(condition)?;
        self.branches(condition, |bodies| bodies.block(then, tail), |bodies| bodies.block(otherwise, tail))
    }

    /// A conditional over two ways to go on.
    fn branches(
        &mut self,
        condition: Expr,
        then: impl FnOnce(&mut Self) -> Done<Vec<Out>>,
        otherwise: impl FnOnce(&mut Self) -> Done<Vec<Out>>,
    ) -> Done<Vec<Out>> {
        let (path, known) = (self.path.clone(), self.known.clone());
        let before = self.before_the_step(&condition);
        let extended = |by: Option<Expr>| {
            let mut path = path.clone()?;
            path.push(by?);
            Some(path)
        };
        self.path = extended(before.clone());
        let then = then(self)?;
        let after_then = std::mem::replace(&mut self.known, known);
        self.path = extended(before.map(not));
        let otherwise = otherwise(self)?;
        self.merge(after_then);
        self.path = path;
        Ok(vec![when(condition, then, otherwise)])
    }

    /// Keeps what is known on another way to this place too.
    fn merge(&mut self, other: FxHashMap<VariableId, Expr>) {
        self.known.retain(|variable, value| other.get(variable) == Some(value));
    }

    /// Keeps what was known before a loop of what the loop does not write. What is known inside it holds for a round only.
    fn after_loop(&mut self, before: FxHashMap<VariableId, Expr>, body: &[Out]) {
        let mut written = FxHashSet::default();
        targets(body, &mut written);
        self.known = before;
        self.known.retain(|variable, _| !written.contains(variable));
    }

    /// Remembers what is written to a place.
    fn note(&mut self, variable: VariableId, indices: usize, value: &Expr) {
        let is_local = variable.0 >= LOCALS;
        let is_plain = indices == usize::from(!is_local);
        let value = if is_plain { self.before_the_step(value).filter(|value| size(value) <= MAX_KNOWN) } else { None };
        match value {
            Some(value) => self.known.insert(variable, value),
            None => self.known.remove(&variable),
        };
        if !is_local {
            self.written.insert(variable);
        }
    }

    /// A condition as one on the state before the step, if it reads nothing that was written since.
    fn before_the_step(&self, expr: &Expr) -> Option<Expr> {
        let mut copy = expr.clone();
        self.place_before(&mut copy).then_some(copy)
    }

    fn place_before(&self, expr: &mut Expr) -> bool {
        match &expr.kind {
            ExprKind::Parameter(id) if id.0 >= LOOPS => return false,
            ExprKind::Read(place) => {
                if let Some(known) = self.known.get(&place.variable) {
                    *expr = known.clone();
                    return true;
                }
                if place.variable.0 >= LOCALS || self.written.contains(&place.variable) {
                    return false;
                }
            }
            _ => {}
        }
        expr.operands_mut().into_iter().all(|operand| self.place_before(operand))
    }

    fn repeat(&mut self, condition: &'m model::Expr, body: &'m [Stmt], update: &'m [Stmt]) -> Done<Vec<Out>> {
        let class = self.model().class(self.class);
        if self.repeats == 0 && (chooses(class, body, 0) || chooses(class, update, 0)) {
            return self.written_out(condition, body, update);
        }
        let (path, known) = (self.path.take(), self.known.clone());
        let since = self.raised.len();
        self.repeats += 1;
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let condition = self.expression(condition)?;
        self.targets.push(Target { kind: TargetKind::Continue, flag: None });
        let tail = vec![self.targets.len() - 1];
        let inner = self.block(&body.iter().collect::<Vec<_>>(), &tail)?;
        let mut inner = self.close(inner);
        let update = self.block(&update.iter().collect::<Vec<_>>(), &Tail::new())?;
        let flags = self.flags(since);
        match &flags {
            Some(flags) if !update.is_empty() => inner.push(when(not(flags.clone()), update, Vec::new())),
            _ => inner.extend(update),
        }
        let condition = match flags {
            Some(flags) => and(vec![not(flags), condition]),
            None => condition,
        };
        self.repeats -= 1;
        self.path = path;
        self.after_loop(known, &inner);
        let whole = self.close(vec![repeat(condition, inner)]);
        Ok(whole)
    }

    /// A loop with choices, round by round: its condition must be known each time.
    fn written_out(&mut self, condition: &'m model::Expr, body: &'m [Stmt], update: &'m [Stmt]) -> Done<Vec<Out>> {
        let refused = Refused { what: "a choice inside a loop whose rounds are not known", span: condition.span };
        let since = self.raised.len();
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let mut out = Vec::new();
        for _ in 0..=MAX_WRITTEN_OUT {
            let truth = self.expression(condition)?;
            match self.constant_of(&truth) {
                Some(0) => return Ok(self.close(out)),
                Some(_) if self.flags(since).is_none() => {}
                _ => return Err(refused),
            }
            self.targets.push(Target { kind: TargetKind::Continue, flag: None });
            let tail = vec![self.targets.len() - 1];
            let round = self.block(&body.iter().collect::<Vec<_>>(), &tail)?;
            out.extend(self.close(round));
            out.extend(self.block(&update.iter().collect::<Vec<_>>(), &Tail::new())?);
        }
        Err(refused)
    }

    /// The value of an expression that is the same in every state.
    fn constant_of(&self, expr: &Expr) -> Option<i32> {
        let before = self.before_the_step(expr)?;
        if is_open(&before) { None } else { evaluate(&self.layout.out, &before, &[], &[]).ok() }
    }

    fn for_each(&mut self, set: model::ScalarSetId, id: LocalId, body: &'m [Stmt]) -> Done<Vec<Out>> {
        let scalars = self.model().scalar_set(set);
        let sort = self.layout.plain_sort(model::Sort::Scalar(set));
        let class = self.model().class(self.class);
        let stmts: Vec<&'m Stmt> = body.iter().collect();
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let since = self.raised.len();
        let mut out = Vec::new();
        if chooses(class, body, 0) {
            if usize::try_from(scalars.size()).is_ok_and(|size| size > MAX_ROUNDS) {
                return Err(Refused { what: "so large a scalar set", span: scalars.span });
            }
            for value in scalars.low..=scalars.high {
                self.bind(id, Binding::Value(int(value)));
                let (flags, known) = (self.flags(since), self.known.clone());
                let round = self.round(&stmts, flags.is_some())?;
                if flags.is_some() {
                    self.merge(known);
                }
                match flags {
                    Some(flags) => out.push(when(not(flags), round, Vec::new())),
                    None => out.extend(round),
                }
            }
        } else {
            let (path, known) = (self.path.take(), self.known.clone());
            let name = self.frame().body.locals[id.index()].name.clone();
            let name = self.names.fresh(&[&name]);
            let variable = self.loop_variable();
            self.bind(id, Binding::Value(variable));
            let round = self.round(&stmts, true)?;
            let round = match self.flags(since) {
                Some(flags) => vec![when(not(flags), round, Vec::new())],
                None => round,
            };
            out.push(each(name, sort, round));
            self.loops -= 1;
            self.path = path;
            self.after_loop(known, &out);
        }
        Ok(self.close(out))
    }

    /// A round of a loop.
    fn round(&mut self, stmts: &[&'m Stmt], guarded: bool) -> Done<Vec<Out>> {
        let path = self.path.clone();
        if guarded {
            self.path = None;
        }
        self.targets.push(Target { kind: TargetKind::Continue, flag: None });
        let tail = vec![self.targets.len() - 1];
        let round = self.block(stmts, &tail)?;
        self.path = path;
        Ok(self.close(round))
    }

    fn switch(&mut self, value: &'m model::Expr, arms: &'m [Arm], tail: &Tail) -> Done<Vec<Out>> {
        let sort = value.sort;
        let value = self.expression(value)?;
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let mut tail = tail.clone();
        tail.push(self.targets.len() - 1);
        let out = self.arms(&value, arms, 0, &tail)?;
        let mut out = self.close(out);
        if !arms.iter().any(|arm| !arm.labels.is_empty()) {
            let mut first = Vec::new();
            self.evaluate(value, sort, &mut first);
            out.splice(0..0, first);
        }
        Ok(out)
    }

    /// The choice among the arms from `at` on that have labels; behind the last one the default.
    fn arms(&mut self, value: &Expr, arms: &'m [Arm], at: usize, tail: &Tail) -> Done<Vec<Out>> {
        // An arm goes on into the next ones until it leaves.
        let run = |first: usize| {
            let mut stmts: Vec<&'m Stmt> = Vec::new();
            for arm in &arms[first..] {
                stmts.extend(&arm.block);
                if leaves(&arm.block) {
                    break;
                }
            }
            stmts
        };
        let Some(next) = (at..arms.len()).find(|&arm| !arms[arm].labels.is_empty() && !arms[arm].is_default) else {
            let default = arms.iter().position(|arm| arm.is_default);
            return default.map_or(Ok(Vec::new()), |default| self.block(&run(default), tail));
        };
        let labels = arms[next].labels.iter().map(|&label| equal(value.clone(), int(label)));
        let condition = or(labels.collect());
        let then = run(next);
        self.branches(
            condition,
            |bodies| bodies.block(&then, tail),
            |bodies| bodies.arms(value, arms, next + 1, tail),
        )
    }

    fn declare(&mut self, id: LocalId, value: Option<&'m Rvalue>, span: Span, out: &mut Vec<Out>) -> Done {
        let declared = self.frame().body.locals[id.index()].clone();
        let Some(value) = value else {
            let sort = self.layout.variable_sort(declared.sort);
            let indices = declared.dimensions.iter().map(|&axis| self.layout.axis(axis)).collect();
            let made = self.make(&declared.name, sort, indices);
            let scalar = matches!(declared.sort, model::Sort::Scalar(_));
            let first = if scalar { self.layout.out.domain(sort).bounds().0 } else { 0 };
            let first = self.constant(sort, first);
            self.note(made, declared.dimensions.len(), &first);
            out.push(local(made, first));
            self.bind(id, Binding::Local(made, scalar));
            return Ok(());
        };
        let Some((value, sort)) = self.rvalue(value, span, Some(&declared.name), out)? else {
            return Err(Refused { what: "a value of nothing", span });
        };
        // A choice that stays what it is needs no local.
        if matches!(value.kind, ExprKind::Parameter(_) | ExprKind::Int(_))
            && declared.sort == sort
            && !self.frame().assigned.contains(&id)
        {
            self.bind(id, Binding::Value(value));
            return Ok(());
        }
        let value = self.layout.stored(value, sort, declared.sort);
        let sort = self.layout.plain_sort(declared.sort);
        let made = self.make(&declared.name, sort, Vec::new());
        self.note(made, 0, &value);
        out.push(local(made, value));
        self.bind(id, Binding::Local(made, false));
        Ok(())
    }

    fn assign(&mut self, to: &'m model::Place, value: &'m Rvalue, span: Span, out: &mut Vec<Out>) -> Done {
        let mut indices = self.indices(&to.indices, to.span)?;
        if matches!(value, Rvalue::Call { .. }) {
            // The call may change what the indices read.
            for (index, expr) in indices.iter_mut().zip(&to.indices) {
                let sort = self.layout.plain_sort(expr.sort);
                let kept = self.make("at", sort, Vec::new());
                out.push(local(kept, std::mem::replace(index, read(kept, Vec::new()))));
            }
        }
        let name = match to.base {
            Base::Local(id) => self.frame().body.locals[id.index()].name.clone(),
            Base::Variable(id) => self.model().class(self.class).variables[id.index()].name.clone(),
            Base::Remote(..) => return Err(Refused { what: "a variable of another rebec", span }),
        };
        let Some((value, from)) = self.rvalue(value, span, Some(&name), out)? else {
            return Err(Refused { what: "a value of nothing", span });
        };
        let (target, sort) = match to.base {
            Base::Local(id) => {
                let sort = self.frame().body.locals[id.index()].sort;
                let Some(Binding::Local(local, _)) = self.frame().scope.locals[id.index()] else {
                    return Err(Refused { what: "an assignment to this local", span });
                };
                (place(local, indices), sort)
            }
            Base::Variable(id) => {
                let sort = self.model().class(self.class).variables[id.index()].sort;
                let owner = self.layout.classes[self.class.index()].as_ref().expect("a class with rebecs");
                let super::layout::Home::Variable(variable) = owner.variables[id.index()] else {
                    return Err(Refused { what: "an assignment to a known rebec", span });
                };
                (place(variable, [this()].into_iter().chain(indices).collect()), sort)
            }
            Base::Remote(..) => return Err(Refused { what: "a variable of another rebec", span }),
        };
        let value = self.layout.stored(value, from, sort);
        self.note(target.variable, target.indices.len(), &value);
        out.push(assign(target, value));
        Ok(())
    }

    /// The value of something with its sort; what must run before goes to `out`. Nothing for a method without a result.
    fn rvalue(
        &mut self,
        value: &'m Rvalue,
        span: Span,
        name: Option<&str>,
        out: &mut Vec<Out>,
    ) -> Done<Option<(Expr, model::Sort)>> {
        match value {
            Rvalue::Expr(expr) => Ok(Some((self.expression(expr)?, expr.sort))),
            Rvalue::Choose(options) => self.choose(options, span, name).map(Some),
            Rvalue::Call { method, arguments } => self.call(*method, arguments, span, true, out),
            Rvalue::New { .. } => Err(Refused { what: "`new`", span }),
        }
    }

    fn call(
        &mut self,
        method: model::MethodId,
        arguments: &'m [model::Expr],
        span: Span,
        used: bool,
        out: &mut Vec<Out>,
    ) -> Done<Option<(Expr, model::Sort)>> {
        let method = &self.model().class(self.class).methods[method.index()];
        if self.frames.len() > MAX_CALLS || self.frames.iter().any(|frame| std::ptr::eq(frame.body, &method.body)) {
            return Err(Refused { what: "a method that calls itself", span });
        }
        let mut locals = vec![None; method.body.locals.len()];
        for (index, (parameter, argument)) in method.body.parameters().iter().zip(arguments).enumerate() {
            let value = self.expression(argument)?;
            let value = self.layout.stored(value, argument.sort, parameter.sort);
            let sort = self.layout.plain_sort(parameter.sort);
            let made = self.make(&parameter.name, sort, Vec::new());
            self.note(made, 0, &value);
            out.push(local(made, value));
            locals[index] = Some(Binding::Local(made, false));
        }
        let result = method.result.map(|sort| {
            let plain = self.layout.plain_sort(sort);
            let made = self.make("result", plain, Vec::new());
            let (low, high) = self.layout.out.domain(plain).bounds();
            out.push(local(made, self.constant(plain, if low <= 0 && 0 <= high { 0 } else { low })));
            (made, sort)
        });
        let sender = self.frame().scope.sender.clone();
        let scope = Scope { class: Some(self.class), sender, locals };
        let returns = self.targets.len();
        self.targets.push(Target { kind: TargetKind::Return, flag: None });
        let assigned = assigned(&method.body.block);
        self.frames.push(Frame { body: &method.body, scope, assigned, result, returns });
        let certain = !used || result.is_none() || leaves(&method.body.block);
        let tail = if certain { vec![returns] } else { Tail::new() };
        let mut body = self.block(&method.body.block.iter().collect::<Vec<_>>(), &tail)?;
        if !certain {
            let returned = self.targets[returns].flag.map_or(int(0), |flag| read(flag, Vec::new()));
            body.push(when(not(returned), vec![fail("a result is missing")], Vec::new()));
        }
        out.extend(self.close(body));
        self.frames.pop();
        Ok(result.map(|(made, sort)| (read(made, Vec::new()), sort)))
    }

    /// A summation variable for the option, and the value of the chosen one.
    fn choose(
        &mut self,
        options: &'m [model::Expr],
        span: Span,
        name: Option<&str>,
    ) -> Done<(Expr, model::Sort)> {
        if self.repeats > 0 || self.loops > 0 {
            return Err(Refused { what: "a choice inside a loop", span });
        }
        let sort = options[0].sort;
        let options = options.iter().map(|option| self.expression(option)).collect::<Done<Vec<Expr>>>()?;
        let mut numbers: Vec<i32> = Vec::new();
        for option in &options {
            if let ExprKind::Int(value) = option.kind {
                numbers.push(value);
            }
        }
        let all_numbers = numbers.len() == options.len();
        numbers.sort_unstable();
        numbers.dedup();
        let range = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
        let dense = all_numbers && i64::from(range.1) - i64::from(range.0) + 1 == numbers.len() as i64;
        if dense && numbers.len() == 1 {
            return Ok((int(range.0), sort));
        }
        if dense {
            let over = match sort {
                model::Sort::Bool => Sequential::BOOL,
                model::Sort::Scalar(_) => self.layout.plain_sort(sort),
                _ => self.options(range.0, range.1),
            };
            return Ok((self.choice(name.unwrap_or("choice"), over), sort));
        }
        let distinct: Vec<Expr> = options.into_iter().fold(Vec::new(), |mut list, option| {
            // Two equal options are one branch: both give the same step.
            if !list.contains(&option) {
                list.push(option);
            }
            list
        });
        if let [only] = distinct.as_slice() {
            return Ok((only.clone(), sort));
        }
        let last = i32::try_from(distinct.len()).unwrap_or(i32::MAX) - 1;
        let over = self.options(0, last);
        let chosen = self.choice("choice", over);
        let mut numbered: Vec<(i32, Expr)> = (0..).zip(distinct).collect();
        let (_, mut value) = numbered.pop().expect("a choice has options");
        while let Some((number, option)) = numbered.pop() {
            value = ite(equal(chosen.clone(), int(number)), option, value);
        }
        Ok((value, sort))
    }

    fn options(&mut self, low: i32, high: i32) -> SortId {
        let shown = |value: i32| value.to_string().replace('-', "m");
        self.layout.range(&format!("From{}to{}", shown(low), shown(high)), low, high)
    }

    /// A new summation variable, pinned to its least value where the choice is known not to be met.
    fn choice(&mut self, name: &str, sort: SortId) -> Expr {
        let name = self.names.fresh(&[name, &format!("{name}_choice")]);
        let id = ParameterId::from_index(self.parameters.len());
        self.parameters.push(Parameter { name, sort, span: Span::NONE });
        if let Some(path) = self.path.clone().filter(|path| !path.is_empty()) {
            let least = self.layout.out.domain(sort).bounds().0;
            self.guards.push(or(vec![and(path), equal(parameter(id), int(least))]));
        }
        parameter(id)
    }

    fn send(
        &mut self,
        receiver: &'m model::Expr,
        message: &'m str,
        arguments: &'m [model::Expr],
        targets: &[Option<ServerId>],
    ) -> Done<Vec<Out>> {
        let mut classes = match (&receiver.kind, receiver.sort) {
            (model::ExprKind::SelfRef, _) => vec![self.class],
            (_, model::Sort::Rebec(class)) => self.layout.conforming_classes(Some(class)),
            _ => self.layout.conforming_classes(None),
        };
        // Subclasses first: the test for a class holds for its subclasses too.
        classes.sort_by_key(|&class| std::cmp::Reverse(self.model().class(class).ancestors.len()));
        let mut to = self.expression(receiver)?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push((self.expression(argument)?, argument.sort));
        }
        let mut out = Vec::new();
        let simple = match &to.kind {
            ExprKind::Parameter(_) | ExprKind::Member(..) => true,
            ExprKind::Lookup(_, indices) => indices.len() == 1 && is_safe(&to),
            ExprKind::Read(place) => place.indices.len() <= 1,
            _ => false,
        };
        if !simple {
            let kept = self.make("receiver", self.layout.rebec, Vec::new());
            out.push(local(kept, to));
            to = read(kept, Vec::new());
        }
        let mut rest = classes.iter().rev();
        let Some(&last) = rest.next() else {
            out.push(fail("the receiver is null"));
            return Ok(out);
        };
        let mut chain = self.append(last, &to, message, &values, targets);
        for &class in rest {
            let test = super::build::lookup(self.layout.is_conforming(class), vec![to.clone()]);
            let own = self.append(class, &to, message, &values, targets);
            chain = vec![when(test, own, chain)];
        }
        out.extend(chain);
        Ok(out)
    }

    /// The server that takes a message of these sorts.
    fn taker(
        &self,
        class: ClassId,
        values: &[(Expr, model::Sort)],
        targets: &[Option<ServerId>],
    ) -> Option<ServerId> {
        let servers = &self.model().class(class).servers;
        targets[class.index()].filter(|server| {
            let parameters = servers[server.index()].body.parameters();
            values.iter().zip(parameters).all(|((_, sort), parameter)| passes(*sort, parameter.sort))
        })
    }

    /// Puts a message at the end of the queue of a rebec of this class.
    fn append(
        &mut self,
        class: ClassId,
        to: &Expr,
        message: &str,
        values: &[(Expr, model::Sort)],
        targets: &[Option<ServerId>],
    ) -> Vec<Out> {
        let Some(server) = self.taker(class, values, targets) else {
            return vec![fail(&format!("{message} is not understood"))];
        };
        let body = &self.model().class(class).servers[server.index()].body;
        let owner = self.layout.classes[class.index()].as_ref().expect("a class with rebecs");
        let queue = owner.queue.as_ref().expect("a class with servers");
        let (messages, senders, length) = (queue.message, queue.sender, queue.length);
        let arrays = queue.parameters[server.index()].clone();
        let end = read(length, vec![to.clone()]);
        let slot = |array: VariableId| place(array, vec![to.clone(), end.clone()]);
        let mut out = vec![
            assign(slot(messages), member(self.layout.message, self.layout.message_of(message))),
            assign(slot(senders), this()),
        ];
        for ((array, (value, sort)), parameter) in arrays.into_iter().zip(values).zip(body.parameters()) {
            let value = self.layout.stored(value.clone(), *sort, parameter.sort);
            out.push(assign(slot(array), value));
        }
        out.push(assign(place(length, vec![to.clone()]), binary(BinaryOp::Add, end, int(1))));
        out
    }
}

/// The variables and locals that statements write.
fn targets(body: &[Out], found: &mut FxHashSet<VariableId>) {
    for stmt in body {
        match &stmt.kind {
            Kind::Assign(place, _) => drop(found.insert(place.variable)),
            Kind::Var(local, _) => drop(found.insert(*local)),
            Kind::If(_, then, otherwise) => {
                targets(then, found);
                targets(otherwise, found);
            }
            Kind::For(_, body) | Kind::While(_, body) => targets(body, found),
            Kind::Fail(_) => {}
        }
    }
}

/// Whether the value of an expression depends on the state or on a binder.
fn is_open(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Read(_) | ExprKind::Parameter(_)) || expr.operands().into_iter().any(is_open)
}

/// The number of parts of an expression.
fn size(expr: &Expr) -> usize {
    1 + expr.operands().into_iter().map(size).sum::<usize>()
}

/// Whether a value of one sort may be passed as a parameter of the other, widths and classes aside.
fn passes(argument: model::Sort, parameter: model::Sort) -> bool {
    use model::Sort::{AnyRebec, Bool, Int, Rebec, Scalar};
    match (argument, parameter) {
        (Bool, Bool) | (Int(_), Int(_)) => true,
        (Rebec(_) | AnyRebec, Rebec(_) | AnyRebec) => true,
        (Scalar(argument), Scalar(parameter)) => argument == parameter,
        _ => false,
    }
}

/// Whether control never comes to the end of a block. Errs towards no.
fn leaves(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => leaves(then) && leaves(otherwise),
        StmtKind::Block(inner) => leaves(inner),
        _ => false,
    })
}

/// The locals that some statement of a block assigns to.
fn assigned(block: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    collect(block, &mut found);
    found
}

fn collect(block: &[Stmt], found: &mut FxHashSet<LocalId>) {
    for stmt in block {
        if let StmtKind::Assign { place, .. } = &stmt.kind
            && let Base::Local(id) = place.base
        {
            found.insert(id);
        }
        inner(stmt).into_iter().for_each(|block| collect(block, found));
    }
}

/// The blocks of a statement.
fn inner(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::Loop { body, update, .. } => vec![body, update],
        StmtKind::ForEach { body, .. } | StmtKind::Block(body) => vec![body],
        StmtKind::Switch { arms, .. } => arms.iter().map(|arm| arm.block.as_slice()).collect(),
        _ => Vec::new(),
    }
}

/// Whether a block may meet a choice, itself or in a method it calls.
fn chooses(class: &model::Class, block: &[Stmt], depth: usize) -> bool {
    let value = |value: &Rvalue| match value {
        Rvalue::Choose(_) => true,
        Rvalue::Call { method, .. } => {
            depth < MAX_CALLS && chooses(class, &class.methods[method.index()].body.block, depth + 1)
        }
        Rvalue::Expr(_) | Rvalue::New { .. } => false,
    };
    block.iter().any(|stmt| {
        let own = match &stmt.kind {
            StmtKind::Let { value: Some(found), .. } | StmtKind::Assign { value: found, .. } | StmtKind::Do(found) => {
                value(found)
            }
            _ => false,
        };
        own || inner(stmt).into_iter().any(|block| chooses(class, block, depth))
    })
}
