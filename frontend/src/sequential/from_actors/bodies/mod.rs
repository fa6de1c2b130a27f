//! Message servers as summands: one for each class and server, parametric in `self`.
//!
//! The guard requires that the message is the oldest in the queue of `self`. The body stores sender and parameters in
//! locals, removes the message, and then performs the statements of the server one by one. Each choice `?(..)` is a
//! summation variable: a branch of the server is an instance of the summand. Methods are inlined where they are called.
//!
//! # Jumps
//!
//! `break`, `continue` and `return` need no statement if no statement would follow before their target ([`Tail`]). If
//! one side of an `if` always jumps, the statements that follow move to its other side. In all other cases a jump
//! raises a flag, and the following statements run only as long as no flag is raised.
//!
//! # Choices that are not always reached
//!
//! A choice below an `if` is pinned to its first value by the guard in the states in which the conditions around it are
//! false, if these conditions can be determined from the state before the step. Otherwise the instances of the branch
//! without the choice are equal steps. Choices inside loops are unrolled round by round if the number of rounds is
//! known, and refused otherwise.

mod analysis;
mod effects;
mod known;
mod loops;

use rustc_hash::{FxHashMap, FxHashSet};

use self::analysis::{assigned, leaves};

use super::build::{and, assign, binary, each, equal, fail, int, local, member, not, or, parameter, place, read, when};
use super::expressions::{Binding, Missing, Scope, this};
use super::layout::Layout;
use super::names::Names;
use crate::model::{self, Body, ClassId, LocalId, Model, Rvalue, ServerId, Stmt, StmtKind};
use crate::sequential::{
    BinaryOp, Expr, Parameter, ParameterId, Sequential, SortId, Stmt as Out, Summand, Variable, VariableId,
};
use crate::source::Span;

/// Identities of loop variables while the number of summation variables is not known.
pub(super) const LOOPS: u32 = 1 << 24;
/// Identities of locals while their order is not known.
pub(super) const LOCALS: u32 = 1 << 24;
/// The greatest number of statements of one summand.
const MAX_STATEMENTS: usize = 20_000;
/// The greatest number of parts of a recorded value.
const MAX_KNOWN: usize = 40;
/// The greatest number of values of a parameter that events show: labels are listed in the search for symmetries.
const MAX_LABELS: usize = 256;
/// The greatest depth of nested calls.
const MAX_CALLS: usize = 40;

/// A construct without a counterpart, and its place.
pub(super) struct Refused {
    pub(super) what: &'static str,
    pub(super) span: Span,
}

type Done<T = ()> = Result<T, Refused>;

/// The targets of jumps that are reached from a place without performing any statement.
type Tail = Vec<usize>;

/// The target of a jump.
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

/// A body under translation.
struct Frame<'m> {
    body: &'m Body,
    scope: Scope,
    /// The locals to which some statement assigns.
    assigned: FxHashSet<LocalId>,
    /// The local for the result, its sort, and the target of `return`.
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
    /// The locals, in the order of their creation.
    pub(super) locals: Vec<Variable>,
    /// Variables and locals whose current value is that of an expression on the state before the step. A variable that
    /// is in neither this map nor `written` still has its value from before the step.
    known: FxHashMap<VariableId, Expr>,
    /// The variables that were written so far, on some path.
    written: FxHashSet<VariableId>,
    /// The conditions around the place as conditions on the state before the step; `None` if they cannot be expressed
    /// so.
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
        assert!(name > 0, "a message that is served has a name");
        let matches_message = equal(first(message), member(self.layout.message, name));

        let mut out = Vec::new();
        let kept = self.make("sender", self.layout.rebec, Vec::new());
        out.push(local(kept, first(sender)));
        let scope = Scope {
            class: Some(self.class),
            sender: Some(read(kept, Vec::new())),
            locals: vec![None; server.body.locals.len()],
        };
        let assigned = assigned(&server.body.block);
        assert_eq!(arrays.len(), server.body.parameters().len(), "an array for each parameter");
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
        assert!(self.targets.is_empty() && self.frames.len() == 1, "every body that was opened is closed");
        assert!(self.loops == 0 && self.repeats == 0, "every loop that was entered is left");
        let shown = arrays.iter().filter(|&&array| {
            let sort = self.layout.out.variable(array).sort;
            self.layout.out.domain(sort).size() <= MAX_LABELS
        });
        let arguments = [this()].into_iter().chain(shown.map(|&array| first(array))).collect();
        let mut guard = vec![matches_message];
        guard.append(&mut self.guards);
        let event = self.event(&server.name);
        let summand = Summand {
            parameters: self.parameters,
            guard: and(guard),
            event,
            arguments,
            body: out,
            label: None,
            span: Span::NONE,
        };
        Ok((summand, self.locals))
    }

    /// A name for an event: events have a separate name space.
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
        self.locals.push(Variable { is_uniform: false, ..Variable::new(name, sort, indices, Span::NONE) });
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
                self.merge(&known);
                if !rest.is_empty() {
                    out.push(when(not(flags), rest, Vec::new()));
                }
                return Ok(out);
            }
        }
        Ok(out)
    }

    /// Whether a flag of an open target was raised since; `None` if none can be raised.
    fn flags(&self, since: usize) -> Option<Expr> {
        debug_assert!(
            self.raised.iter().all(|&target| target < self.targets.len()),
            "only flags of open targets count"
        );
        let mut list: Vec<usize> = self.raised[since.min(self.raised.len())..].to_vec();
        list.sort_unstable();
        list.dedup();
        let flags: Vec<Expr> = list
            .into_iter()
            .filter_map(|target| self.targets[target].flag)
            .map(|flag| read(flag, Vec::new()))
            .collect();
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

    /// Ends the innermost target: its flag is declared before the statements that could raise it.
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

    /// Evaluates an expression for its faults only.
    fn evaluate(&mut self, value: Expr, sort: model::Sort, out: &mut Vec<Out>) {
        if !self.layout.is_safe(&value) {
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
}
